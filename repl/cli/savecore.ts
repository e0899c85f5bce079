/** Saving a core, as a person watches it: a progress bar, and Ctrl-C gives it up. */
import { escape } from "../../lib/escape.ts";
import { type CoreStyle, coreStyles, LiveTarget, type SavedCore } from "../../mod.ts";
import { UserError } from "../errors.ts";
import type { Opened } from "../prompt/open.ts";
import { bytesText, Progress } from "../view/progress.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A style as typed.
 *
 * @throws UserError when there is none of that name
 */
export function coreStyle(text: string): CoreStyle {
  const style = coreStyles.find((style) => style === text);
  if (style !== undefined) return style;
  throw new UserError(`there is no style ${text}: it is one of ${coreStyles.join(", ")}`, 2);
}

/** Saves a core. A signal gives it up, and so does what `onStart` gets.
 *
 * @param onStart gets what gives it up, and `undefined` at the end
 * @throws UserError when it was given up, or the target is none that can be saved
 */
export async function saveCoreFile(
  target: Opened["target"],
  file: string,
  style: CoreStyle,
  onStart: (giveUp: (() => void) | undefined) => void = () => {},
): Promise<SavedCore> {
  if (!(target instanceof LiveTarget)) {
    throw new UserError("a core is saved of a live process: name a pid, a process or `demo`");
  }
  const controller = new AbortController();
  const giveUp = () => controller.abort(new UserError("interrupted: no core was written"));
  for (const signal of signals) Deno.addSignalListener(signal, giveUp);
  // Somebody else's answer to a signal may be to end the program.
  addEventListener("unload", giveUp);
  onStart(giveUp);
  using bar = new Progress("Saving");
  try {
    return await target.saveCore(file, {
      style,
      signal: controller.signal,
      ...(bar.shown ? { onProgress: (done, total) => bar.update(done, total) } : {}),
    });
  } finally {
    onStart(undefined);
    removeEventListener("unload", giveUp);
    for (const signal of signals) Deno.removeSignalListener(signal, giveUp);
  }
}

/** What was saved, in one line. */
export function savedLine({ path, style, bytes, threads, pausedMicroseconds }: SavedCore): string {
  const count = threads === 1 ? "1 thread" : `${threads} threads`;
  return `${escape(path)}: ${style}, ${count}, ${
    bytesText(bytes)
  }; stopped for ${pausedMicroseconds} µs`;
}
