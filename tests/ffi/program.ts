/** Starts the C programs in `programs/`, compiled once for each run of the tests. */

const sources = new URL("./programs/", import.meta.url).pathname;

let directory: Promise<string> | undefined;

async function compile(): Promise<string> {
  const output = await Deno.makeTempDir({ prefix: "machpause-ffi-" });
  await Deno.chmod(output, 0o755);
  globalThis.addEventListener("unload", () => Deno.removeSync(output, { recursive: true }));
  const builds = [["target", "-O1", "-pthread"], ["debugger", "-ldl"]];
  if (Deno.build.arch === "x86_64") {
    builds.push(["registers32", "-m32", "-nostdlib", "-static", "-ffreestanding", "-no-pie"]);
  }
  for (const [name, ...flags] of builds) {
    const args = ["-Wall", "-Wextra", "-Werror", `${sources}${name}.c`, "-o", `${output}/${name}`];
    const { success, stderr } = await new Deno.Command("cc", { args: [...args, ...flags] })
      .output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }
  return output;
}

/** A directory of this run's, that every user may read. */
export function buildDirectory(): Promise<string> {
  return directory ??= compile();
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
    name: "target" | "debugger" | "registers32",
    ...args: string[]
  ): Promise<Program> {
    const command = new Deno.Command(`${await buildDirectory()}/${name}`, {
      args,
      stdin: "null",
      stdout: "piped",
    });
    const child = command.spawn();
    const reader = child.stdout.getReader();
    let line = "";
    while (!line.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`${name} ${args.join(" ")} ended: ${(await child.status).code}`);
      line += new TextDecoder().decode(value);
    }
    await reader.cancel();
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
  for (let tries = 0; tries < 1000; tries++) {
    if (condition()) return;
    await delay(5);
  }
  throw new Error(`in vain: ${what}`);
}

export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
