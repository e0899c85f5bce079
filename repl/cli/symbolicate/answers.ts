/** What is at an address, in the format of `atos` and as JSON. */
import { escape, safe, safeJson, type SafeText } from "../../../lib/escape.ts";
import { hex } from "../../../lib/hex.ts";
import type { AddressInfo, SourceFrame } from "../../../mod.ts";
import { join } from "../../view/text.ts";

/** How answers are written. */
export interface AnswerStyle {
  /** Whether inlined functions are shown too. */
  readonly inlines: boolean;
  /** Between the functions of one address. */
  readonly delimiter: SafeText;
  /** Whole paths of source files. */
  readonly fullPath: boolean;
  /** Makes a function's name readable. */
  readonly name: (mangled: string) => string;
}

/** Maximum number of remembered texts. */
const MAX_SAFE_TEXTS = 1 << 12;
const safeTexts = new Map<string, SafeText>();

/** {@linkcode escape} with a memory: the same names come again and again. */
function shown(text: string): SafeText {
  let escaped = safeTexts.get(text);
  if (escaped === undefined) {
    if (safeTexts.size >= MAX_SAFE_TEXTS) safeTexts.clear();
    escaped = escape(text);
    safeTexts.set(text, escaped);
  }
  return escaped;
}

/** An address in the format of `atos`: `main (in demo) (demo.c:12)`; without a line, `main (in demo) + 34`;
 * without a name, `function_f00 (in demo) + 4`, where f00 is the offset of the function, or
 * `0x100000f04 (in demo) + 3844`, the offset in the image; in no image, the address alone.
 *
 * @param resolution of the address; reads symbols when asked for them
 * @param given the address as it was given, where that is an offset
 */
export function atosText(
  address: bigint,
  resolution: AddressInfo,
  style: AnswerStyle,
  given: bigint = address,
): SafeText {
  const { image, frames } = resolution;
  if (image === null) return hex(given);
  const where = safe`(in ${shown(image.name)})`;
  if (frames.length === 0) return bySymbol(address, resolution, where, style);
  const lines = (style.inlines ? frames : frames.slice(-1))
    .map((frame) => withLine(frame, where, resolution, address, style));
  return join(lines, style.delimiter);
}

function withLine(
  { function: name, location, inlined }: SourceFrame,
  where: SafeText,
  resolution: AddressInfo,
  address: bigint,
  style: AnswerStyle,
): SafeText {
  // DWARF may have a line without a function.
  const raw = name || resolution.symbol?.name;
  const text = safe`${raw === undefined ? hex(address) : shown(style.name(raw))} ${where}`;
  if (location !== null) {
    const { file, line } = location;
    const path = style.fullPath ? file : file.slice(file.lastIndexOf("/") + 1);
    return safe`${text} (${shown(path)}:${line})`;
  }
  const start = inlined ? null : resolution.functionStart ?? null;
  return start === null ? text : safe`${text} + ${address - start}`;
}

function bySymbol(
  address: bigint,
  { image, symbol, functionStart = null }: AddressInfo,
  where: SafeText,
  style: AnswerStyle,
): SafeText {
  const base = image!.loadAddress;
  if (symbol !== null) {
    return safe`${shown(style.name(symbol.name))} ${where} + ${address - symbol.address}`;
  }
  if (functionStart === null) return safe`${hex(address)} ${where} + ${address - base}`;
  const name = hex(functionStart - base).slice(2);
  return safe`function_${escape(name)} ${where} + ${address - functionStart}`;
}

/** The stable form of `symbolicate --json`, on one line: what is not known is `null`. `symbol` is the
 * name as the linker knows it; `function` is as people read it. Innermost frame first. */
export function answerJson(
  address: bigint,
  { image, symbol, frames, functionStart = null }: AddressInfo,
  style: AnswerStyle,
  given: bigint = address,
): SafeText {
  const name = symbol?.name ?? (frames.at(-1)?.function || null);
  const start = symbol?.address ?? (name === null ? image?.loadAddress ?? null : functionStart);
  return safeJson({
    address: hex(given),
    image: image?.name ?? null,
    symbol: name,
    offset: start === null ? null : Number(address - start),
    frames: frames.map(({ function: raw, location, inlined }) => ({
      function: raw === "" ? name : style.name(raw),
      file: location?.file ?? null,
      line: location?.line ?? null,
      column: location?.column ?? null,
      inlined,
    })),
  });
}

/** The line for a word that is no address. */
export function unknownWord(word: string, json: boolean): SafeText {
  return json
    ? safeJson({ address: word, image: null, symbol: null, offset: null, frames: [] })
    : escape(word);
}
