/** The shape of what is known about crashes. */

/** What a row is about.
 *
 * - `exception`: a Mach exception's name
 * - `signal`: a signal's name
 * - `subtype`: the word that a subtype begins with, as in `KERN_INVALID_ADDRESS`
 * - `namespace`: of a termination
 * - `termination`: `NAMESPACE:code`; `*:code` in any
 * - `frame`: a symbol; with a star at its end, all that begin so
 * - `message`: words of what a library left for the report
 */
export type KnowledgeKind =
  | "exception"
  | "signal"
  | "subtype"
  | "namespace"
  | "termination"
  | "frame"
  | "message";

/** One thing that is known. */
export interface KnowledgeRow {
  /** What {@linkcode KnowledgeRow.key} is. */
  readonly kind: KnowledgeKind;
  /** What is looked up. */
  readonly key: string;
  /** What it says, in a sentence. */
  readonly meaning: string;
  /** What it mostly comes from, the most likely first. */
  readonly causes: readonly string[];
  /** What to do first. */
  readonly next: string;
  /** Where it is written. */
  readonly source: string;
}
