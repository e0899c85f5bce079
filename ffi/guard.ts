/** `thread_suspend` outlives its caller, unlike `task_suspend2`: what is suspended thread by thread
 * must be resumed before this process ends, however it ends. */

const signals: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** What is to be let go. */
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
    // With no listener left the signal does what it would have done.
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

/** Has `target` disposed when this process ends by a signal, an uncaught error or in the ordinary
 * way, from when it holds suspended threads until it no longer does. */
export function guard(target: Disposable, holds: boolean): void {
  const before = held.size;
  if (holds) held.add(target);
  else held.delete(target);
  if ((before === 0) !== (held.size === 0)) watch(held.size > 0);
}
