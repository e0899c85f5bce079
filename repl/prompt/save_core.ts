/** Saves a core with a progress bar; Ctrl-C gives it up. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import type { LiveTarget, SaveCoreOptions, SavedCore } from "../../mod.ts";
import { UserError } from "../errors.ts";
import type { Opened } from "./opened.ts";
import { checkFile } from "../view/output_file.ts";
import { bytesText, Progress } from "../view/progress.ts";
import { count } from "../view/text.ts";

/** What the user chooses. */
interface CoreChoices extends Pick<SaveCoreOptions, "style" | "sharedCache"> {
  /** Of style `locals`: levels of pointers. */
  readonly follow?: number;
  /** Of style `locals`: a number of bytes. */
  readonly followBytes?: number;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Saves a core. A signal gives it up, and so does what `onStart` gets.
 *
 * @param onStart gets what gives it up, and `undefined` at the end
 * @throws UserError when it was given up, or the target is none that can be saved
 */
export async function saveCoreFile(
  target: Opened["target"],
  file: string,
  { follow, followBytes, ...options }: CoreChoices,
  onStart: (giveUp: (() => void) | undefined) => void = () => {},
): Promise<SavedCore> {
  checkFile(file, "a core");
  if (!isSavable(target)) {
    throw new UserError("a core is saved of a live process: name a pid, a process or `demo`");
  }
  const controller = new AbortController();
  const giveUp = () => controller.abort(new UserError("interrupted: no core was written"));
  for (const signal of signals) Deno.addSignalListener(signal, giveUp);
  // Other listeners may end the program at a signal.
  addEventListener("unload", giveUp);
  onStart(giveUp);
  using bar = new Progress(safe`Saving`);
  try {
    return await target.saveCore(file, {
      ...options,
      localsLevels: follow,
      localsBytes: followBytes,
      signal: controller.signal,
      ...(bar.shown ? { onProgress: (done, total) => bar.update(done, total) } : {}),
    });
  } finally {
    onStart(undefined);
    removeEventListener("unload", giveUp);
    for (const signal of signals) Deno.removeSignalListener(signal, giveUp);
  }
}

/** Whether cores can be saved of a target. */
function isSavable(
  target: Opened["target"],
): target is Opened["target"] & Pick<LiveTarget, "saveCore"> {
  return target.kind === "live" || target.kind === "remote";
}

/** What was saved, in one line. */
export function savedLine(
  { path, style, bytes, threads, pausedMicroseconds }: SavedCore,
): SafeText {
  return safe`${escape(path)}: ${escape(style)}, ${count(threads, "thread")}, ${
    bytesText(bytes)
  }; stopped for ${pausedMicroseconds} µs`;
}
