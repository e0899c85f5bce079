/** What is said of an address: `atos`'s lines, and JSON. Names are escaped here. */
import { escape } from "../../../lib/escape.ts";
import { hex } from "../../../lib/hex.ts";
import type { AddressInfo, SourceFrame } from "../../../mod.ts";
import { safeJson } from "../../view/json.ts";

/** How answers are written. */
export interface AnswerStyle {
  /** All functions at an address, not only the one that has the activation. */
  readonly inlines: boolean;
  /** Between the functions of one address. */
  readonly delimiter: string;
  /** Whole paths of source files. */
  readonly fullPath: boolean;
  /** A function's name as it is shown. */
  readonly name: (mangled: string) => string;
}

/** So many texts are remembered. */
const MAX_SAFE_TEXTS = 1 << 12;
const safeTexts = new Map<string, string>();

/** {@linkcode escape}, of texts that come again and again. */
function safe(text: string): string {
  let shown = safeTexts.get(text);
  if (shown === undefined) {
    if (safeTexts.size >= MAX_SAFE_TEXTS) safeTexts.clear();
    shown = escape(text);
    safeTexts.set(text, shown);
  }
  return shown;
}

/** An address as `atos` writes it: `main (in demo) (demo.c:12)`; without a line `main (in demo) + 34`;
 * without a name `function_f00 (in demo) + 4`, after the offset at which the function begins, or
 * `0x100000f04 (in demo) + 3844`, which is the offset in the image; in no image the address alone.
 *
 * @param address that was looked up
 * @param resolution of it, which reads symbols only where it is asked for them
 * @param given the address as it was asked for, where that is an offset
 */
export function atosText(
  address: bigint,
  resolution: AddressInfo,
  style: AnswerStyle,
  given: bigint = address,
): string {
  const { image, frames } = resolution;
  if (image === null) return hex(given);
  const where = `(in ${safe(image.name)})`;
  const shown = style.inlines ? frames : frames.slice(-1);
  return shown.length > 0
    ? shown.map((frame) => withLine(frame, where, resolution, address, style)).join(style.delimiter)
    : bySymbol(address, resolution, where, style);
}

function withLine(
  { function: name, location, inlined }: SourceFrame,
  where: string,
  resolution: AddressInfo,
  address: bigint,
  style: AnswerStyle,
): string {
  // DWARF may know a line of what it knows no function of.
  const raw = name || resolution.symbol?.name;
  const text = `${raw === undefined ? hex(address) : safe(style.name(raw))} ${where}`;
  if (location !== null) {
    const { file, line } = location;
    const shown = style.fullPath ? file : file.slice(file.lastIndexOf("/") + 1);
    return `${text} (${safe(shown)}:${line})`;
  }
  const start = inlined ? null : resolution.functionStart ?? null;
  return start === null ? text : `${text} + ${address - start}`;
}

function bySymbol(
  address: bigint,
  { image, symbol, functionStart = null }: AddressInfo,
  where: string,
  style: AnswerStyle,
): string {
  const base = image!.loadAddress;
  if (symbol !== null) {
    return `${safe(style.name(symbol.name))} ${where} + ${address - symbol.address}`;
  }
  if (functionStart === null) return `${hex(address)} ${where} + ${address - base}`;
  return `function_${(functionStart - base).toString(16)} ${where} + ${address - functionStart}`;
}

/** The stable form of `symbolicate --json`, on one line: what is not known is `null`. `symbol` is the
 * name as the linker knows it; `function` is as people read it. Innermost frame first. */
export function answerJson(
  address: bigint,
  { image, symbol, frames, functionStart = null }: AddressInfo,
  style: AnswerStyle,
  given: bigint = address,
): string {
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

/** What is said of a word that is no address: itself. */
export function unknownWord(word: string, json: boolean): string {
  return json
    ? safeJson({ address: word, image: null, symbol: null, offset: null, frames: [] })
    : escape(word);
}
