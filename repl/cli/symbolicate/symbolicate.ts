/** Runs `machpause symbolicate`. */
import type { AddressInfo } from "../../../lib/symbols/mod.ts";
import { escapeLines, safe, type SafeText } from "../../../lib/escape.ts";
import { fileError, UserError } from "../../errors.ts";
import type { Values } from "../../options.ts";
import { complain, printBytes } from "../../view/output.ts";
import type { symbolicateOptions } from "./options.ts";
import { answerJson, type AnswerStyle, atosText, unknownWord } from "./answers.ts";
import { batches, type Input, joined, lineBatches } from "./input.ts";
import { Lines } from "./lines.ts";
import type { Source } from "./resolve.ts";
import { openSource } from "./source.ts";
import { parseAddress, readWords, type Words } from "./words.ts";

/** Prints what is at addresses: those given, or those read from a file or stdin. */
export async function symbolicate(
  options: Values<typeof symbolicateOptions>,
  given: readonly string[],
): Promise<number> {
  const { file, filter = false, json = false, inlines = false } = options;
  if (filter && json) throw new UserError("--filter prints text: it does not go with --json", 2);
  if (given.length > 0 && (file !== undefined || filter)) {
    throw new UserError("addresses are either given or read from a file", 2);
  }
  const unreadable = given.find((text) => parseAddress(text) === undefined);
  if (unreadable !== undefined) throw new UserError(`${unreadable} is not an address`, 2);

  const style: AnswerStyle = {
    inlines,
    delimiter: options.delimiter === undefined
      ? filter ? safe` <- ` : safe`\n`
      : escapeLines(options.delimiter),
    fullPath: options.fullPath ?? false,
    name: options.demangle ?? true ? demangled : (raw) => raw,
  };
  using source = await openSource(options);
  const answer = json ? answerJson : atosText;
  if (given.length > 0) {
    await answerLines(source, readWords(encoder.encode(given.join("\n"))), answer, style);
  } else {
    using input = await openInput(file);
    if (filter) await filterText(source, input, style);
    else {
      for await (const text of lineBatches(input)) {
        await answerLines(source, readWords(text), answer, style);
      }
    }
  }
  if (source.missing.length > 0) {
    const { missingLines } = await import("../../view/missing_symbols.ts");
    for (const line of missingLines(source.missing)) complain(safe`warning: ${line}`);
  }
  return 0;
}

const encoder = new TextEncoder();

/** Prints a line for each word; what is no address is repeated. */
async function answerLines(
  source: Source,
  { count, addresses, indices, others }: Words,
  answer: typeof atosText,
  style: AnswerStyle,
): Promise<void> {
  const lines = new Lines(count);
  for (const [index, word] of others) lines.set(index, unknownWord(word, answer === answerJson));
  const { base } = source;
  await source.each(addresses, preparation(style), (index, known) => {
    const address = addresses[index];
    lines.set(indices[index], answer(base + address, known, style, address));
  });
  for (const piece of lines.pieces()) printBytes(piece);
}

/** Copies a text; replaces its addresses by what is at them. */
async function filterText(source: Source, input: Input, style: AnswerStyle): Promise<void> {
  const { completeLength, findAddresses, replace } = await import("./filter.ts");
  let rest: Uint8Array = new Uint8Array();
  const answer = async (text: Uint8Array): Promise<void> => {
    const found = findAddresses(text);
    const texts = new Array<SafeText | null>(found.length).fill(null);
    const addresses = BigUint64Array.from(found, ({ address }) => address);
    await source.each(addresses, preparation(style), (index, known) => {
      if (known.image === null) return;
      texts[index] = atosText(source.base + addresses[index], known, style);
    });
    for (const piece of replace(text, found, texts)) printBytes(piece);
  };
  for await (const bytes of batches(input)) {
    const text = joined([rest, bytes]);
    const length = completeLength(text);
    rest = text.subarray(length);
    await answer(text.subarray(0, length));
  }
  await answer(rest);
}

/** The demangler, loaded with the first name that may need it. */
let demangle: ((name: string) => string) | undefined;

function demangled(raw: string): string {
  return demangle?.(raw) ?? raw;
}

/** The first character of every mangled name, with Mach-O's underscore or without. */
const mangled = /^[_$@]/;

const asked = new Set<string>();

/** Loads what demangling the names takes. */
function preparation({ name }: AnswerStyle): (known: readonly AddressInfo[]) => Promise<void> {
  if (name !== demangled) return () => Promise.resolve();
  return async (known) => {
    const names: string[] = [];
    const ask = (raw: string): void => {
      if (!mangled.test(raw) || asked.has(raw)) return;
      asked.add(raw);
      names.push(raw);
    };
    for (const resolution of known) {
      const { frames, symbol } = resolution;
      for (const { function: raw } of frames) ask(raw);
      // Lines may be known of a function that debug information does not name.
      if ((frames.at(-1)?.function ?? "") === "" && symbol !== null) ask(symbol.name);
    }
    if (names.length === 0) return;
    const symbols = await import("../../../lib/symbols/mod.ts");
    await symbols.loadDemangler(names);
    ({ demangle } = symbols);
  };
}

/** A file, or stdin. */
async function openInput(path: string | undefined): Promise<Input & Disposable> {
  if (path === undefined || path === "-") {
    return { read: (into) => Deno.stdin.read(into), [Symbol.dispose]() {} };
  }
  try {
    return await Deno.open(path);
  } catch (error) {
    throw fileError(error, path);
  }
}
