/** The watchdog of `shim/machpause.h`. */
import { MachError } from "../lib/errors.ts";
import type { Native } from "./native.ts";

/** Ends this process when SIGHUP, SIGTERM or a second SIGINT is not answered within half a second. Without
 * it a process that listens to these signals, but whose event loop hangs, would keep its targets paused.
 *
 * It is armed while a target is paused or a thread is suspended. A program that listens to one of these
 * signals, and then neither exits nor resumes its targets, must call {@linkcode Watchdog.answer}. */
export interface Watchdog {
  /** Arms the watchdog until the result is disposed. */
  arm(): Disposable;
  /** Marks the signals received so far as answered. */
  answer(): void;
  /** Number of SIGINTs since the watchdog was armed or answered. This reads memory, so code that blocks the
   * event loop can poll it. */
  readonly interrupts: number;
}

/** The watchdog of a native library. */
export function watchdogOf(native: Native): Watchdog {
  let view: Uint32Array | undefined;
  const interrupts = (): Uint32Array => {
    const address = new BigUint64Array(1);
    check("mp_watchdog_interrupts", native.mp_watchdog_interrupts(address));
    const pointer = Deno.UnsafePointer.create(address[0])!;
    return new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(pointer, 4));
  };
  return {
    arm() {
      check("mp_watchdog_arm", native.mp_watchdog_arm());
      let armed = true;
      return {
        [Symbol.dispose]() {
          if (armed) native.mp_watchdog_disarm();
          armed = false;
        },
      };
    },
    answer: () => void native.mp_watchdog_answer(),
    get interrupts() {
      // A signal handler, which may run in another thread, writes it.
      return Atomics.load(view ??= interrupts(), 0);
    },
  };
}

function check(call: string, code: number): void {
  if (code !== 0) throw new MachError(call, code);
}
