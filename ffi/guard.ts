/** Resumes threads when this process ends. On Darwin a `thread_suspend` stays in effect after its caller has
 * ended, unlike a `task_suspend2`. If the event loop hangs the watchdog does it: see `watchdog.ts`. */

const signals: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Targets with suspended threads. */
const held = new Set<Disposable>();

function release(): void {
  for (const target of held) target[Symbol.dispose]();
  held.clear();
}

const listeners = signals.map((signal) => ({
  signal,
  listen() {
    release();
    watch(false);
    // Without a listener the signal has its default action.
    Deno.kill(Deno.pid, signal);
  },
}));

function watch(on: boolean): void {
  for (const { signal, listen } of listeners) {
    if (on) Deno.addSignalListener(signal, listen);
    else Deno.removeSignalListener(signal, listen);
  }
  if (on) {
    globalThis.addEventListener("unload", release);
    globalThis.addEventListener("error", release);
    globalThis.addEventListener("unhandledrejection", release);
  } else {
    globalThis.removeEventListener("unload", release);
    globalThis.removeEventListener("error", release);
    globalThis.removeEventListener("unhandledrejection", release);
  }
}

/** Registers a target for disposal when this process exits, or ends by a signal or an uncaught error.
 *
 * @param holds whether the target has suspended threads; `false` removes the target again */
export function guard(target: Disposable, holds: boolean): void {
  const before = held.size;
  if (holds) held.add(target);
  else held.delete(target);
  if ((before === 0) !== (held.size === 0)) watch(held.size > 0);
}
