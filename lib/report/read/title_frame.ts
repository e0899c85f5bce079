/** A title above a report that names the function in which a process ended, as Xcode's Organizer has them:
 * `JavaScriptCore: WTFCrashWithInfo(int, char const*, char const*, int) + 20`. */

import { isSystemImage } from "../images.ts";
import { systemNames } from "../system_names.ts";
import type { CrashDraft, DraftFrame } from "./crash_draft.ts";
import { noPlace } from "./crash_lines.ts";

/** Lines before the report's own in which the title is looked for. */
const MAX_LINES = 3;

/** An image, a colon, a function and its offset. */
const title = /^\W{0,6}([A-Za-z][\w.+ -]{2,60}): (\S.{2,300}) \+ (\d{1,9})\W{0,3}$/;

/** What is a function's name and no sentence. */
const isFunction =
  /^(?:[-+]\[[^\]]{3,200}\]|[A-Za-z_$~][\w.:$<>~]{2,200}(?:\(.{0,300}\))?(?: const)?|(?:closure #\d|specialized |partial apply ).{2,200})$/;

/** Letters that a copy may have lost at its begin. */
const MAX_LOST = 3;

/** The image that a title names: the process's or one of the system's, also where its first letters were not copied; `null` for
 * other words. */
function imageNamed(name: string, process: string | null): string | null {
  if (name === process || isSystemImage({ path: null, name })) return name;
  const whole = [...systemNames, ...process === null ? [] : [process]].filter((other) =>
    other.endsWith(name) && other.length - name.length <= MAX_LOST
  );
  // Of short names any word is the end.
  return name.length >= 5 && whole.length === 1 ? whole[0] : null;
}

/** The frame that a title names; `null` without one. */
export function titleFrame(draft: CrashDraft, process: string | null): DraftFrame | null {
  const lines = draft.text.slice(0, 2000).split("\n").map((line) => line.trim())
    .filter((line) => line !== "").slice(0, MAX_LINES);
  for (const line of lines) {
    const match = title.exec(line);
    if (match === null || !isFunction.test(match[2])) continue;
    const imageName = imageNamed(match[1], process);
    if (imageName === null) continue;
    return {
      index: 0,
      address: 0n,
      imageName,
      ...noPlace,
      symbol: match[2],
      offset: Number(match[3]),
      span: null,
    };
  }
  return null;
}
