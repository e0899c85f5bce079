/** Messages about missing debug information. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import type { MissingSymbols } from "../../mod.ts";
import { join } from "./text.ts";

/** Maximum number of images named in a warning. */
const MAX_NAMED = 10;

/** The images whose debug information is missing, and the files found that do not match.
 *
 * @param most maximum number of images named
 */
export function missingLines(missing: readonly MissingSymbols[], most = MAX_NAMED): SafeText[] {
  const lacking = missing.filter(({ found }) => found === null);
  const names = lacking.slice(0, most).map(({ path, uuid }) =>
    uuid === null ? escape(path) : safe`${escape(path)} (${escape(uuid)})`
  );
  const more = lacking.length > most ? safe`, and ${lacking.length - most} more` : safe``;
  const lines = missing.slice(0, most).flatMap(({ path, reasons }) =>
    reasons.map((reason) => escape(reason.startsWith(path) ? reason : `${path}: ${reason}`))
  );
  if (lacking.length === 0) return lines;
  return [
    ...lines,
    safe`no debug information for ${
      join(names, ", ")
    }${more}; name the folders of dSYMs with --symbols`,
  ];
}
