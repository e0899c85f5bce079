import type { RawText } from "../lib/escape.ts";

/** Text as if it came from a target. */
export function rawText(text: string): RawText {
  return text as RawText;
}
