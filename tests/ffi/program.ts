/** Starts the C programs in `programs/`, compiled once for each run of the tests. */

import { ownArch, testPrograms } from "../machine.ts";

const sources = new URL("./programs/", import.meta.url).pathname;

let directory: Promise<string> | undefined;

/** Compiles the programs.
 *
 * @param compiler for the machine that they are to run on
 * @param compiler32 for its 32-bit programs, with what it must be told
 */
export async function compilePrograms(
  output: string,
  compiler: string,
  [compiler32, registers32, ...flags32]: readonly string[],
): Promise<void> {
  const bare = ["-nostdlib", "-static", "-ffreestanding", "-no-pie"];
  const builds = [
    [compiler, "target", "target", "-O1", "-pthread"],
    [compiler, "blocks", "blocks", "-O1", "-pthread"],
    [compiler, "debugger", "debugger", "-ldl"],
    [compiler, "burn", "burn", "-O1", "-pthread", "-fno-optimize-sibling-calls"],
    [compiler32, registers32, "registers32", ...bare, ...flags32],
  ];
  for (const [command, source, name, ...flags] of builds) {
    const args = [
      "-Wall",
      "-Wextra",
      "-Werror",
      `${sources}${source}.c`,
      "-o",
      `${output}/${name}`,
    ];
    const { success, stderr } = await new Deno.Command(command, { args: [...args, ...flags] })
      .output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }
}

/** The compilers of 32-bit programs, for {@linkcode compilePrograms}. */
export const compilers32 = {
  x86_64: ["cc", "registers32_i386", "-m32"],
  arm64: ["arm-linux-gnueabihf-gcc", "registers32_arm"],
} as const;

async function compile(): Promise<string> {
  if (testPrograms !== undefined) return testPrograms;
  const output = await Deno.makeTempDir({ prefix: "machpause-ffi-" });
  await Deno.chmod(output, 0o755);
  globalThis.addEventListener("unload", () => Deno.removeSync(output, { recursive: true }));
  await compilePrograms(output, "cc", compilers32[ownArch]);
  return output;
}

/** A directory of this run's, that every user may read. */
export function buildDirectory(): Promise<string> {
  return directory ??= compile();
}

/** How long something may take that takes milliseconds on an idle machine. A test that waits longer hangs,
 * and says what it waits for. */
export const hungMilliseconds = 300_000;

/** What each thread of a process is doing, as `/proc` says it. */
export function threadsOf(pid: number): string {
  const lines: string[] = [];
  const read = (path: string) => {
    try {
      return Deno.readTextFileSync(path).trim();
    } catch {
      return "";
    }
  };
  try {
    for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
      const folder = `/proc/${pid}/task/${name}`;
      const fields = ["Name", "State", "TracerPid", "SigPnd"].map((field) =>
        new RegExp(`^${field}:\\s*(.*)$`, "m").exec(read(`${folder}/status`))?.[1] ?? "?"
      );
      lines.push(
        `${name} ${fields.join(" | ")} | ${read(`${folder}/wchan`)} | ${
          read(`${folder}/syscall`).split(" ")[0]
        }`,
      );
    }
  } catch (error) {
    lines.push(String(error));
  }
  return lines.slice(0, 50).join("\n");
}

/** Waits for what a process is to bring about.
 *
 * @throws Error with what its threads do, when that takes too long
 */
export async function answered<T>(work: Promise<T>, pid: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} hangs; the threads of ${pid}:\n${threadsOf(pid)}`)),
      hungMilliseconds,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A running program. It ends with the block that `await using` it. */
export class Program {
  /** The numbers on the line that it wrote once it was ready. */
  readonly numbers: readonly bigint[];
  readonly line: string;
  readonly pid: number;
  readonly #child: Deno.ChildProcess;

  private constructor(child: Deno.ChildProcess, line: string) {
    this.#child = child;
    this.pid = child.pid;
    this.line = line;
    this.numbers = /^[0-9a-f ]+$/.test(line)
      ? line.split(" ").map((text) => BigInt(`0x${text}`))
      : [];
  }

  static async start(
    name: "target" | "debugger" | "registers32" | "blocks" | "burn",
    ...args: string[]
  ): Promise<Program> {
    const command = new Deno.Command(`${await buildDirectory()}/${name}`, {
      args,
      stdin: "null",
      stdout: "piped",
    });
    const child = command.spawn();
    const reader = child.stdout.getReader();
    const what = `${name} ${args.join(" ")}`;
    let line = "";
    try {
      while (!line.includes("\n")) {
        const { value, done } = await answered(reader.read(), child.pid, what);
        if (done) throw new Error(`${what} ended: ${(await child.status).code}`);
        line += new TextDecoder().decode(value);
      }
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    } finally {
      await reader.cancel();
    }
    return new Program(child, line.trim());
  }

  get status(): Promise<Deno.CommandStatus> {
    return this.#child.status;
  }

  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.#child.status;
  }
}

/** Waits until `condition` holds; fails after some seconds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const patience = testPrograms === undefined ? 1000 : 20_000;
  for (let tries = 0; tries < patience; tries++) {
    if (condition()) return;
    await delay(5);
  }
  throw new Error(`in vain: ${what}`);
}

export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
