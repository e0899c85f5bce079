/** One damaged file after another, and what is wrong with how it was read. */
import process from "node:process";
import { FormatError } from "../../lib/errors.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import type { Reader } from "./readers.ts";

/** Milliseconds of processor time that reading one file may take. On a busy machine the clock says nothing. */
const MAX_MILLISECONDS = 2000;
/** What reading a file may take in memory: so many times its size, and so many bytes. */
const MAX_TIMES = 10;
const MAX_BYTES = 64 << 20;

/** What a terminal acts on; line ends and tabs are the program's own. */
const control =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** A file that was read wrongly. */
export interface Finding {
  readonly reader: string;
  readonly seed: number;
  readonly case: number;
  readonly what: string;
}

/** The damaged file of one case: the same for the same seed. */
export function damaged(
  reader: Reader,
  seeds: readonly Uint8Array[],
  seed: number,
  number: number,
): Uint8Array {
  const bytes = mutate(new Random(seed, number), reader.kind, seeds);
  if (number % 2 === 1) reader.resign?.(bytes);
  return bytes;
}

/** The processor time that this process has had, in milliseconds: one file is read at a time. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function memory(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

/** Reads one damaged file.
 *
 * @returns what is wrong; `null` for nothing
 */
export async function readCase(reader: Reader, bytes: Uint8Array): Promise<string | null> {
  const before = memory();
  const began = processorTime();
  try {
    for await (const text of reader.read(bytes)) {
      const found = control.exec(text);
      if (found !== null) {
        const code = found[0].charCodeAt(0).toString(16);
        return `raw control character 0x${code} in ${JSON.stringify(text.slice(0, 200))}`;
      }
    }
  } catch (error) {
    if (!(error instanceof FormatError)) {
      return error instanceof Error ? error.stack ?? error.message : String(error);
    }
  }
  const took = processorTime() - began;
  if (took > MAX_MILLISECONDS) return `${Math.round(took)} ms for ${bytes.length} bytes`;
  const grown = memory() - before;
  if (grown > MAX_TIMES * bytes.length + MAX_BYTES) {
    return `${grown >> 20} MiB for ${bytes.length} bytes`;
  }
  return null;
}
