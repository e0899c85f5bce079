/** Which debug information is missing, in words. */
import { escape } from "../../lib/escape.ts";
import type { MissingSymbols } from "../../mod.ts";

/** So many images are named where nobody asked for them. */
const MAX_NAMED = 10;

/** The images whose debug information is missing, and what was found of others that is not used; escaped.
 *
 * @param most so many images are named
 */
export function missingLines(missing: readonly MissingSymbols[], most = MAX_NAMED): string[] {
  const lacking = missing.filter(({ found }) => found === null);
  const names = lacking.slice(0, most).map(({ path, uuid }) => `${escape(path)} (${uuid})`);
  const more = lacking.length > most ? `, and ${lacking.length - most} more` : "";
  const lines = missing.slice(0, most).flatMap(({ path, reasons }) =>
    reasons.map((reason) => escape(reason.startsWith(path) ? reason : `${path}: ${reason}`))
  );
  if (lacking.length === 0) return lines;
  return [
    ...lines,
    `no debug information for ${names.join(", ")}${more}; name the folders of dSYMs with --symbols`,
  ];
}
