/** The watchdog of `shim/machpause.h`. */
import { MachError } from "../lib/errors.ts";
import type { Native } from "./native.ts";

/** Ends this process by a signal that is not answered within half a second: SIGHUP, SIGTERM, or a second
 * SIGINT. Without it, code that loops keeps a process alive that listens to these signals, and keeps
 * what that process has suspended.
 *
 * It is armed by itself while a target is paused or a thread suspended. A program that listens to one of
 * these signals and neither ends nor resumes its targets calls {@linkcode Watchdog.answer}. */
export interface Watchdog {
  /** Arms it until the result is disposed. */
  arm(): Disposable;
  /** The signals so far have been seen to. */
  answer(): void;
  /** How many SIGINTs have come since it was armed or answered. Reading it is no call into the library,
   * and works while the event loop hangs. */
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
      // The signal handler, in whatever thread it runs, writes it.
      return Atomics.load(view ??= interrupts(), 0);
    },
  };
}

function check(call: string, code: number): void {
  if (code !== 0) throw new MachError(call, code);
}
