/** `machpause symbolicate` */
import type { AddressInfo } from "../../../lib/symbols/mod.ts";
import { UserError } from "../../errors.ts";
import { complain, print } from "../../view/output.ts";
import { answerJson, type AnswerStyle, atosText, unknownWord } from "./answers.ts";
import { parseAddress } from "./arguments.ts";
import { batches, type Input, joined, lineBatches } from "./input.ts";
import { Lines } from "./lines.ts";
import { openSource, type Source } from "./source.ts";
import { readWords, type Words } from "./words.ts";

/** The options of `machpause symbolicate`. */
export interface SymbolicateOptions {
  readonly object?: readonly string[];
  readonly arch?: string;
  readonly loadAddress?: readonly string[];
  readonly slide?: readonly string[];
  readonly offset?: boolean;
  readonly process?: string;
  readonly inlines?: boolean;
  readonly delimiter?: string;
  readonly fullPath?: boolean;
  readonly file?: string;
  readonly symbols?: readonly string[];
  readonly filter?: boolean;
  readonly json?: boolean;
  readonly demangle?: boolean;
}

/** Answers for the addresses that are given, or read from a file or stdin. */
export async function symbolicate(
  options: SymbolicateOptions,
  given: readonly string[],
): Promise<number> {
  const { file, filter = false, json = false, inlines = false } = options;
  if (filter && json) throw new UserError("--filter gives text: leave out --json", 2);
  if (given.length > 0 && (file !== undefined || filter)) {
    throw new UserError("addresses are given, or read: not both", 2);
  }
  const unreadable = given.find((text) => parseAddress(text) === undefined);
  if (unreadable !== undefined) throw new UserError(`${unreadable} is no address`, 2);

  const style: AnswerStyle = {
    inlines,
    delimiter: options.delimiter ?? (filter ? " <- " : "\n"),
    fullPath: options.fullPath ?? false,
    name: options.demangle ?? true ? demangled : (raw) => raw,
  };
  using source = await openSource(options);
  const answer = json ? answerJson : atosText;
  if (given.length > 0) {
    await answerLines(source, readWords(encoder.encode(given.join("\n"))), answer, style);
  } else {
    using input = openInput(file);
    if (filter) await filterText(source, input, style);
    else {
      for await (const text of lineBatches(input)) {
        await answerLines(source, readWords(text), answer, style);
      }
    }
  }
  if (source.missing.length > 0) {
    const { missingLines } = await import("../../view/missing_symbols.ts");
    for (const line of missingLines(source.missing)) complain(`warning: ${line}`);
  }
  return 0;
}

const encoder = new TextEncoder();

/** Answers a line for each word; what is no address is answered by itself. */
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
  for (const piece of lines.pieces()) print(piece);
}

/** Copies a text with its addresses replaced by what is at them. */
async function filterText(source: Source, input: Input, style: AnswerStyle): Promise<void> {
  const { completeLength, findAddresses, replace } = await import("./filter.ts");
  let rest: Uint8Array = new Uint8Array();
  const answer = async (text: Uint8Array): Promise<void> => {
    const found = findAddresses(text);
    const texts = new Array<string | null>(found.length).fill(null);
    const addresses = BigUint64Array.from(found, ({ address }) => address);
    await source.each(addresses, preparation(style), (index, known) => {
      if (known.image === null) return;
      texts[index] = atosText(source.base + addresses[index], known, style);
    });
    for (const piece of replace(text, found, texts)) print(piece);
  };
  for await (const bytes of batches(input)) {
    const text = joined([rest, bytes]);
    const length = completeLength(text);
    rest = text.subarray(length);
    await answer(text.subarray(0, length));
  }
  await answer(rest);
}

/** What demangles; not loaded before a name may need it. */
let demangle: ((name: string) => string) | undefined;

function demangled(raw: string): string {
  return demangle?.(raw) ?? raw;
}

/** How all mangled names begin, with Mach-O's underscore or without. */
const mangled = /^[_$@]/;

const asked = new Set<string>();

/** Loads what the names that will be shown need to be read by people. */
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
      const { frames } = resolution;
      for (const { function: raw } of frames) ask(raw);
      if (frames.length === 0 && resolution.symbol !== null) ask(resolution.symbol.name);
    }
    if (names.length === 0) return;
    const symbols = await import("../../../lib/symbols/mod.ts");
    await symbols.loadDemangler(names);
    ({ demangle } = symbols);
  };
}

/** A file, or stdin. */
function openInput(path: string | undefined): Input & Disposable {
  if (path === undefined || path === "-") {
    return { read: (into) => Deno.stdin.read(into), [Symbol.dispose]() {} };
  }
  try {
    return Deno.openSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new UserError(`there is no file ${path}`);
    throw error;
  }
}
