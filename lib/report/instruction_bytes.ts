/** The bytes of the instructions where a thread crashed, as reports have them. */

import { objectAt, textAt } from "./json.ts";
import type { CrashReport } from "./report.ts";

/** Most characters of a base64 text that are decoded. */
const MAX_ENCODED = 400;
/** Most lines of a stream of bytes. */
const MAX_LINES = 32;

/** The bytes around the crashed thread's program counter. */
export interface InstructionBytes {
  readonly before: Uint8Array;
  readonly at: Uint8Array;
}

/** The bytes around the crashed thread's program counter; `null` where the report does not have them: `instructionByteStream`
 * of newer reports, `Thread 0 instruction stream` of older ones, in which `48 8b [c5]fc …` marks the first. */
export function instructionBytes({ body, sections }: CrashReport): InstructionBytes | null {
  const stream = body === null ? null : objectAt(body, "instructionByteStream");
  const at = stream === null ? null : decoded(textAt(stream, "atPC"));
  if (at !== null) return { before: decoded(textAt(stream!, "beforePC")) ?? new Uint8Array(), at };
  const section = sections.find(({ name }) => /instruction stream/i.test(name));
  return section === undefined ? null : markedBytes(section.lines);
}

function decoded(text: string | null): Uint8Array | null {
  return text !== null && text.length <= MAX_ENCODED && text.length % 4 === 0 &&
      /^[A-Za-z0-9+/]+={0,2}$/.test(text)
    ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    : null;
}

function markedBytes(lines: readonly string[]): InstructionBytes | null {
  const before: number[] = [];
  const bytes: number[] = [];
  for (const line of lines.slice(0, MAX_LINES)) {
    // What the bytes are as text follows them.
    let rest = line.slice(0, 120).trimStart();
    for (let count = 0; count < 16; count++) {
      const match = /^(\[?)([0-9a-f]{2})(?:\]|[ -]|$)/.exec(rest);
      if (match === null) break;
      rest = rest.slice(match[0].length);
      (match[1] !== "" || bytes.length > 0 ? bytes : before).push(parseInt(match[2], 16));
    }
  }
  return bytes.length === 0
    ? null
    : { before: Uint8Array.from(before), at: Uint8Array.from(bytes) };
}
