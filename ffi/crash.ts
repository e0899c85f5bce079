/** Waits for the crash of a launched program, which then keeps its threads, registers and memory until it is
 * let die. */
import type { Arch, Flavor } from "../lib/arch/mod.ts";
import { readException } from "../lib/target/core_exception.ts";
import type { Crash, CrashSource, ThreadException } from "../lib/target/mod.ts";
import type { CrashRecord, NativeKernel } from "./kernel.ts";

/** The wait for the crash of one program. Without it the program would die at once, and does when it is
 * disposed of, or when this process dies. */
export class CrashWatch implements CrashSource {
  readonly #kernel: NativeKernel;
  #port: number | undefined;
  #crash: CrashRecord | undefined;
  #isPassed = false;

  /** @throws MachError when the system does not allow it
   * @param task its port; still the caller's */
  constructor(kernel: NativeKernel, task: number) {
    this.#kernel = kernel;
    this.#port = kernel.crashOpen(task);
  }

  /** The crash; `undefined` as long as there is none. */
  poll(): Crash | undefined {
    if (this.#port === undefined) return undefined;
    return this.#crash ??= this.#kernel.crashPoll(this.#port);
  }

  /** Lets the program die of its crash, if it is not held otherwise. */
  pass(): void {
    if (this.#isPassed || this.#crash === undefined) return;
    this.#isPassed = true;
    this.#kernel.crashPass(this.#crash.reply);
  }

  /** What the exception state of the thread that crashed says; `null` of other threads.
   *
   * @param read reads a state of the thread
   */
  exceptionOf(
    id: bigint,
    arch: Arch,
    read: (flavor: Flavor) => Uint8Array,
  ): ThreadException | null {
    if (this.#crash?.threadId !== id) return null;
    const { exceptionState } = arch;
    return readException(arch, exceptionState, read(exceptionState));
  }

  /** Waits no longer. */
  [Symbol.dispose](): void {
    const port = this.#port;
    this.#port = undefined;
    if (port === undefined) return;
    this.pass();
    this.#kernel.crashClose(port);
  }
}
