/** Which debug information is missing, in words. */
import { escape } from "../lib/escape.ts";
import type { MissingSymbols } from "../mod.ts";

/** So many images are named; the prompt's `symbols` names all. */
const MAX_NAMED = 10;

/** A line for each image whose debug information is missing, and for what was found of it that is not
 * used; escaped.
 *
 * @param most so many images are named
 */
export function missingLines(missing: readonly MissingSymbols[], most = MAX_NAMED): string[] {
  const lines = missing.slice(0, most).flatMap(({ path, uuid, found, reasons }) => {
    const about = reasons.map((reason) =>
      escape(reason.startsWith(path) ? reason : `${path}: ${reason}`)
    );
    return found !== null
      ? about
      : [`no debug information for ${escape(path)} (UUID ${uuid ?? "missing"})`, ...about];
  });
  const more = missing.length - most;
  return more > 0 ? [...lines, `no debug information for ${more} more images`] : lines;
}
