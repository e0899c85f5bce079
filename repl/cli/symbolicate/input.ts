/** Reads the input of `symbolicate` as it comes, in batches. */

import { UserError } from "../../errors.ts";

/** A source of bytes. */
export interface Input {
  /** Returns the number of bytes read; `null` at the end. */
  read(into: Uint8Array): Promise<number | null>;
}

/** How long to wait for more: who types gets an answer at once, and a file comes in large batches. */
const PATIENCE_MILLISECONDS = 5;
/** Maximum size of a batch, in bytes. */
const MAX_BATCH = 1 << 24;
const PIECE = 1 << 18;
/** Maximum length of a line, in bytes. */
const MAX_LINE = 1 << 26;

/** The bytes of an input, in batches: all that is ready goes into one. */
export async function* batches(input: Input): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const gathered = (): Uint8Array => {
    const all = pieces.length === 1 ? pieces[0] : joined(pieces);
    pieces = [];
    size = 0;
    return all;
  };
  const next = async (): Promise<Uint8Array | null> => {
    const piece = new Uint8Array(PIECE);
    const got = await input.read(piece);
    return got === null ? null : piece.subarray(0, got);
  };
  let reading = next();
  for (;;) {
    const piece = size === 0 ? await reading : await orTimeout(reading);
    if (piece === undefined || size > MAX_BATCH) {
      yield gathered();
      continue;
    }
    if (piece === null) {
      if (size > 0) yield gathered();
      return;
    }
    pieces.push(piece);
    size += piece.length;
    reading = next();
  }
}

/** The value of a promise; `undefined` when it takes too long. */
async function orTimeout<T>(promise: Promise<T>): Promise<T | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), PATIENCE_MILLISECONDS);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The complete lines of an input in batches; at the end, what follows the last of them. */
export async function* lineBatches(input: Input): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for await (const bytes of batches(input)) {
    const text = rest.length === 0 ? bytes : joined([rest, bytes]);
    const end = text.lastIndexOf(0x0a) + 1;
    if (end > 0) yield text.subarray(0, end);
    rest = text.subarray(end);
    if (rest.length > MAX_LINE) {
      throw new UserError(`a line is longer than ${MAX_LINE >> 20} MiB: this is not a text`);
    }
  }
  if (rest.length > 0) yield rest;
}

/** Concatenates bytes. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
