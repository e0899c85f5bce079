/** Starts programs so that they send their own task port, which needs no privilege: see
 * `shim/darwin/preload.c`. */
import { MachError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { whyNotInserted } from "./insertion.ts";
import type { NativeKernel } from "./kernel.ts";
import { preloadPath } from "./library.ts";

/** `MP_LAUNCH_VARIABLE` of `shim/darwin/preload.h`. */
const variable = "MACHPAUSE_LAUNCH";
const insert = "DYLD_INSERT_LIBRARIES";

/** How long to wait for a program into which dyld has probably not inserted the library. */
const doubtMilliseconds = 500;

/** `CS_RESTRICT` and `CS_PLATFORM_BINARY` of XNU's `osfmk/kern/cs_blobs.h`: dyld drops the variables of
 * these programs. */
const CS = { restrict: 0x800, platformBinary: 0x400_0000 };

/** The environment variables to start a program with. The caller's own libraries follow machpause's. */
function variables(library: string, name: string, others: string | undefined) {
  const libraries = others ? `${library}:${others}` : library;
  // XPC passes variables with its prefix, without the prefix, to the services it starts.
  return {
    [variable]: name,
    [insert]: libraries,
    [`__XPC_${variable}`]: name,
    [`__XPC_${insert}`]: libraries,
  };
}

/** The introduction of one program. Disposing of it lets the program continue. */
export class Introduction implements Disposable {
  /** Variables to start the program with; empty if it cannot introduce itself. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #kernel: NativeKernel;
  #port: number | undefined;
  #reply: number | undefined;
  #refusal: string | undefined;

  private constructor(
    kernel: NativeKernel,
    port: number | undefined,
    environment: Readonly<Record<string, string>>,
    refusal?: string,
  ) {
    this.#kernel = kernel;
    this.#port = port;
    this.environment = environment;
    this.#refusal = refusal;
  }

  /** Prepares the start of a program.
   *
   * @param others the `DYLD_INSERT_LIBRARIES` that the program is to have
   */
  static async prepare(
    kernel: NativeKernel,
    program: string,
    others: string | undefined,
  ): Promise<Introduction> {
    const refusal = await whyNotInserted(program);
    if (refusal !== undefined) return new Introduction(kernel, undefined, {}, refusal);
    const library = await preloadPath();
    if (library.includes(":")) {
      // dyld takes a colon for the end of a path.
      const why = `cannot be given the library ${library}, whose path has a colon in it`;
      return new Introduction(kernel, undefined, {}, why);
    }
    const name = `machpause.${Deno.pid}.${crypto.randomUUID()}`;
    try {
      const port = kernel.launchOpen(name);
      return new Introduction(kernel, port, variables(library, name, others));
    } catch (error) {
      if (!(error instanceof MachError)) throw error;
      return new Introduction(kernel, undefined, {}, `could not be waited for (${error.message})`);
    }
  }

  /** Waits until the program has introduced itself; the kernel then has its task port.
   *
   * @param ended how the program ended, where it did
   * @returns `undefined` on success; otherwise the reason, as the end of a sentence about the program
   */
  async accept(
    pid: number,
    ended: () => string | undefined,
    milliseconds: number,
  ): Promise<string | undefined> {
    if (this.#port === undefined) return this.#refusal;
    let late = performance.now() + milliseconds;
    let looked = false;
    for (;;) {
      this.#reply = this.#kernel.launchAccept(this.#port, pid);
      if (this.#reply !== undefined) {
        log.ffi?.(`pid ${pid} has sent its task port`);
        return undefined;
      }
      const end = ended();
      if (end !== undefined) return `${end} before it handed over its task port`;
      if (!looked) {
        looked = true;
        this.#refusal = this.#restriction(pid);
        if (this.#refusal !== undefined) late = performance.now() + doubtMilliseconds;
      }
      if (performance.now() > late) {
        return this.#refusal ?? "was started without the library that hands over its task port";
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Why dyld inserts nothing, according to the kernel. */
  #restriction(pid: number): string | undefined {
    const { signatureFlags } = this.#kernel.processInfo(pid) ?? {};
    if (signatureFlags === undefined) return undefined;
    if ((signatureFlags & CS.platformBinary) !== 0) {
      return "is Apple's own, which System Integrity Protection covers";
    }
    return (signatureFlags & CS.restrict) !== 0 ? "is restricted by its code signature" : undefined;
  }

  /** Lets the program start. */
  [Symbol.dispose](): void {
    if (this.#reply !== undefined) this.#kernel.launchContinue(this.#reply);
    if (this.#port !== undefined) this.#kernel.launchClose(this.#port);
    this.#reply = this.#port = undefined;
  }
}
