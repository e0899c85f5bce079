/** `machpause symbolicate` */
import { demangle, loadDemangler, type Resolution } from "../mod.ts";
import { UserError } from "./errors.ts";
import { complain, print } from "./output.ts";
import { answerJson, type AnswerStyle, atosText, unknownWord } from "./symbolicate_answers.ts";
import { parseAddress } from "./symbolicate_arguments.ts";
import { batches, type Input, lineBatches } from "./symbolicate_input.ts";
import { openSource, type Source } from "./symbolicate_source.ts";

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
    name: options.demangle ?? true ? demangle : (raw) => raw,
  };
  using source = await openSource(options);
  const answer = json ? answerJson : atosText;
  if (given.length > 0) {
    await answerLines(source, given, answer, style);
  } else {
    using input = openInput(file);
    if (filter) await filterText(source, input, style);
    else {
      for await (const lines of lineBatches(input)) {
        const words = lines.flatMap((line) => line.split(/\s+/)).filter((word) => word !== "");
        await answerLines(source, words, answer, style);
      }
    }
  }
  if (source.missing.length > 0) {
    const { missingLines } = await import("./missing_symbols.ts");
    for (const line of missingLines(source.missing)) complain(`warning: ${line}`);
  }
  return 0;
}

/** Answers a line for each word; what is no address is answered by itself. */
async function answerLines(
  source: Source,
  words: readonly string[],
  answer: typeof atosText,
  style: AnswerStyle,
): Promise<void> {
  const addresses = words.map(parseAddress);
  const known = await source.resolve(addresses.filter((address) => address !== undefined));
  if (style.name === demangle) await loadDemangler(namesOf(known));
  let next = 0;
  const lines = words.map((word, index) => {
    const address = addresses[index];
    return address === undefined
      ? unknownWord(word, answer === answerJson)
      : answer(source.base + address, known[next++], style, address);
  });
  if (lines.length > 0) print(lines.join("\n") + "\n");
}

/** Copies a text with its addresses replaced by what is at them. */
async function filterText(source: Source, input: Input, style: AnswerStyle): Promise<void> {
  const { completeLength, findAddresses, replace } = await import("./symbolicate_filter.ts");
  let rest: Uint8Array = new Uint8Array();
  const answer = async (text: Uint8Array): Promise<void> => {
    const found = findAddresses(text);
    const known = await source.resolve(found.map(({ address }) => address));
    if (style.name === demangle) await loadDemangler(namesOf(known));
    const texts = known.map((resolution, index) =>
      resolution.image === null
        ? null
        : atosText(source.base + found[index].address, resolution, style)
    );
    for (const piece of replace(text, found, texts)) print(piece);
  };
  for await (const bytes of batches(input)) {
    const text = new Uint8Array(rest.length + bytes.length);
    text.set(rest);
    text.set(bytes, rest.length);
    const length = completeLength(text);
    rest = text.subarray(length);
    await answer(text.subarray(0, length));
  }
  await answer(rest);
}

/** The names that will be shown. */
function* namesOf(known: readonly Resolution[]): Iterable<string> {
  for (const resolution of known) {
    for (const { function: name } of resolution.frames) yield name;
    if (resolution.frames.length === 0 && resolution.symbol !== null) yield resolution.symbol.name;
  }
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
