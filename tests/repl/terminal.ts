/** A program on a real pseudo-terminal, by the helper in pty.c. */

const decoder = new TextDecoder();

/** How long anything may take to appear, on the slowest of machines. */
const patience = 30_000;

/** The root of the checkout. */
export const root = new URL("../../", import.meta.url);

/** Compiles the helper into `directory`.
 *
 * @returns its path
 */
export async function compileHelper(directory: string): Promise<string> {
  const path = `${directory}/pty`;
  const source = new URL("pty.c", import.meta.url).pathname;
  const libraries = Deno.build.os === "linux" ? ["-lutil"] : [];
  const { success, stderr } = await new Deno.Command("cc", {
    args: ["-Wall", "-Wextra", "-Werror", "-o", path, source, ...libraries],
  }).output();
  if (!success) throw new Error(decoder.decode(stderr));
  return path;
}

/** A running program and its terminal. */
export class Terminal implements AsyncDisposable {
  /** The program's own pid. */
  readonly pid: number;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<void>;
  #shown = "";
  #at = 0;
  #news = Promise.withResolvers<void>();
  #ended = false;

  private constructor(child: Deno.ChildProcess, pid: number) {
    this.#child = child;
    this.pid = pid;
    this.#input = child.stdin.getWriter();
    this.#reading = this.#read();
  }

  /** Starts `program`, by way of the compiled helper. */
  static async start(
    helper: string,
    program: string,
    args: string[],
    env: Record<string, string> = {},
  ): Promise<Terminal> {
    const child = new Deno.Command(helper, {
      args: [program, ...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // Neither the history nor the startup file of whoever runs the tests.
      env: {
        TERM: "xterm",
        PAGER: "cat",
        XDG_STATE_HOME: "/dev/null",
        XDG_CONFIG_HOME: "/dev/null",
        ...env,
      },
    }).spawn();
    const stderr = child.stderr.getReader();
    const { value } = await stderr.read();
    stderr.releaseLock();
    await child.stderr.cancel();
    return new Terminal(child, Number(decoder.decode(value)));
  }

  async #read(): Promise<void> {
    const text = this.#child.stdout.pipeThrough(new TextDecoderStream());
    for await (const part of text) {
      this.#shown += part;
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    }
    this.#ended = true;
    this.#news.resolve();
  }

  /** Everything shown so far, as the terminal got it. */
  get raw(): string {
    return this.#shown;
  }

  /** Types text; `\r` is the Enter key. */
  async type(text: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(text));
  }

  /** Waits until `pattern` is shown, after what earlier waits have found.
   *
   * @returns what was shown up to its end, without the terminal's own control sequences
   */
  async until(pattern: string | RegExp): Promise<string> {
    const late = performance.now() + patience;
    for (;;) {
      const shown = this.#shown.slice(this.#at);
      const index = typeof pattern === "string" ? shown.indexOf(pattern) : shown.search(pattern);
      if (index >= 0) {
        const length = typeof pattern === "string"
          ? pattern.length
          : pattern.exec(shown)![0].length;
        this.#at += index + length;
        return visible(shown.slice(0, index + length));
      }
      if (this.#ended || performance.now() > late) {
        throw new Error(`${pattern} was not shown; this was: ${JSON.stringify(shown)}`);
      }
      let timer: ReturnType<typeof setTimeout> | undefined;
      await Promise.race([
        this.#news.promise,
        new Promise<void>((resolve) => timer = setTimeout(resolve, patience)),
      ]);
      clearTimeout(timer);
    }
  }

  /** Gives the terminal the size of `PTY_RESIZE`. */
  resize(): void {
    Deno.kill(this.#child.pid, "SIGUSR1");
  }

  /** Types a line and waits until `pattern` is shown. */
  async enter(line: string, pattern: string | RegExp): Promise<string> {
    await this.type(`${line}\r`);
    return await this.until(pattern);
  }

  /** Waits for the program to end.
   *
   * @returns its exit code; 128 and the signal's number where a signal ended it
   */
  async end(): Promise<number> {
    const { code } = await this.#child.status;
    await this.#reading;
    return code;
  }

  /** Closes the terminal's window. */
  async hangUp(): Promise<void> {
    await this.#input.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      Deno.kill(this.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
    await this.#input.close().catch(() => {});
    await this.end();
  }
}

/** Text without the sequences by which a line editor moves the cursor and colours. */
export function visible(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/\x1b\[[\d;?]*[A-Za-z]|\x1b\][^\x07]*\x07/g, "").replace(/\r+\n/g, "\n");
}

/** Whether a process runs. One that has ended and whose parent has not asked how does not. */
async function runs(pid: number): Promise<boolean> {
  if (Deno.build.os === "linux") {
    try {
      return !/^State:\tZ/m.test(await Deno.readTextFile(`/proc/${pid}/status`));
    } catch {
      return false;
    }
  }
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "stat=", "-p", `${pid}`] })
    .output();
  const state = decoder.decode(stdout).trim();
  return state !== "" && !state.startsWith("Z");
}

/** Waits until a process has ended. */
export async function untilGone(pid: number): Promise<void> {
  const late = performance.now() + patience;
  while (await runs(pid)) {
    if (performance.now() > late) throw new Error(`pid ${pid} still runs`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
