/** Images, symbols and code. */
import { escape, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import { hex as hexNumber } from "../../lib/hex.ts";
import type { ImageSymbol, LoadedImage } from "../../mod.ts";
import type { FoundSymbol } from "../../lib/symbols/mod.ts";
import { UserError } from "../errors.ts";
import { checkFolders } from "../prompt/open.ts";
import type { Session } from "../prompt/session.ts";
import { missingLines } from "../view/missing_symbols.ts";
import { hex } from "../view/render.ts";
import { addressOf, near } from "./address.ts";
import { type Command, command, many, optional, rest } from "./command.ts";
import { integer } from "./values.ts";

/** More matches than are useful to read. */
const maxMatches = 200;

/** Of more matches, their places in the source are not looked up. */
const maxPlaced = 8;

/** The number of symbols after which a search lets other work, such as Ctrl-C, run. */
const turn = 20_000;

function imageLine(image: LoadedImage): SafeText {
  const uuid = escape(image.uuid ?? "no UUID");
  return safe`${escape(image.path)}  ${uuid}  at ${hexNumber(image.loadAddress)}`;
}

/** What is at an address. */
function lookupAddress(session: Session, address: bigint): SafeText[] {
  const { image, symbol, offset, source, frames } = session.target.resolve(address);
  const text = hex(address, session.pointerSize);
  if (image === null) return [safe`${text}: in no image`];
  const name = escape(image.name);
  const place = symbol === null
    ? safe`${name} + ${hexNumber(offset)}`
    : safe`${escape(session.demangle(symbol.name))} + ${offset}`;
  const lines = [safe`${text}  ${name}  ${place}`];
  for (const frame of frames) {
    const where = frame.location === null
      ? safe``
      : safe` at ${escape(frame.location.file)}:${frame.location.line}`;
    const inlined = frame.inlined ? safe`, inlined` : safe``;
    lines.push(safe`  ${escape(session.demangle(frame.function))}${where}${inlined}`);
  }
  if (frames.length === 0 && source !== null) {
    lines.push(safe`  ${escape(source.file)}:${source.line}`);
  }
  return [...lines, safe`  ${imageLine(image)}`];
}

/** @param placed whether to say where the symbol's source is */
function symbolLine(
  session: Session,
  image: LoadedImage,
  symbol: ImageSymbol,
  placed = false,
): SafeText {
  const { style } = session;
  const plain = session.demangle(symbol.name);
  const address = style("address", hex(symbol.address, session.pointerSize));
  const local = symbol.external ? safe`` : safe`, local`;
  const place = placed ? session.target.resolve(symbol.address).source : null;
  const at = place === null ? safe`` : safe`  at ${escape(place.file)}:${place.line}`;
  const line = safe`${address}  ${escape(image.name)}  ${
    escape(plain)
  }  ${symbol.size} bytes${local}${at}`;
  return plain === symbol.name ? line : safe`${line}  ${style("quiet", escape(symbol.name))}`;
}

/** The symbols of a name, in the first of the images so named that has it, or in all images. */
function lookupIn({ target }: Session, name: string, image: string | undefined): FoundSymbol[] {
  if (image === undefined) return target.lookup(name);
  const named = target.images.filter(({ name, path }) => name === image || path === image);
  if (named.length === 0) throw new UserError(`no image is named ${image}: see \`images\``);
  for (const one of named) {
    const found = target.lookup(name, one);
    if (found.length > 0) return found;
  }
  return [];
}

/** The symbols that pass a test. Ctrl-C ends the search. */
async function search(
  session: Session,
  test: (symbol: ImageSymbol) => boolean,
): Promise<SafeText[]> {
  const controller = new AbortController();
  session.interrupt = () => controller.abort();
  const lines: SafeText[] = [];
  let seen = 0;
  for (const image of session.target.images) {
    for (const symbol of session.target.symbolsOf(image)) {
      if (++seen % turn === 0) await new Promise((resolve) => setTimeout(resolve));
      if (controller.signal.aborted) return [...lines, safe`(ended)`];
      if (!test(symbol)) continue;
      if (lines.length === maxMatches) {
        const more = safe`(more than ${maxMatches}: narrow the pattern)`;
        return [...lines, session.style("quiet", more)];
      }
      lines.push(symbolLine(session, image, symbol));
    }
  }
  return lines;
}

async function lookupPattern(session: Session, text: string): Promise<SafeText[]> {
  let pattern: RegExp;
  try {
    pattern = new RegExp(text);
  } catch {
    throw new UserError(`${text} is no regular expression`);
  }
  const lines = await search(
    session,
    ({ name }) => pattern.test(name) || pattern.test(session.demangle(name)),
  );
  return lines.length > 0 ? lines : [safe`no symbol matches`];
}

/** What a type consists of, or that of an expression.
 *
 * @param brief whether its name is enough
 */
async function shownType(
  session: Session,
  text: string,
  { brief, json }: { readonly brief?: boolean; readonly json?: boolean } = {},
): Promise<SafeText[]> {
  const [{ typeNamed }, { typeLine, typeLines, typesJson }] = await Promise.all([
    import("./expressions.ts"),
    import("../view/types.ts"),
  ]);
  return await session.withNames(() => {
    const type = typeNamed(session, text);
    if (json) return [safeJson(typesJson(type))];
    return brief ? [typeLine(type)] : typeLines(type, session.style);
  });
}

/** Commands about images and code. */
export const images: readonly Command[] = [
  command({
    name: "images",
    aliases: ["image list", "info sharedlibrary", "target modules list"],
    group: "images",
    arguments: [many("name", "image")],
    options: {
      offset: { short: "o", help: "Accepted for LLDB's users; all that is known is shown." },
      fullpath: { short: "f", help: "The same." },
    },
    help: "the executable and the libraries, with UUIDs and load addresses",
    example: "images",
    async run({ session }, wanted) {
      const { images } = session.target;
      // As in gdb, a part of the name does where no image has it as a whole.
      const isNamed = (name: string, image: LoadedImage) =>
        name === image.name || name === image.path;
      const is = (name: string) => (image: LoadedImage) =>
        images.some((other) => isNamed(name, other))
          ? isNamed(name, image)
          : image.name.includes(name);
      const unknown = wanted.find((name) => !images.some(is(name)));
      if (unknown !== undefined) {
        throw new UserError(`no image is named ${unknown}: see \`images\``);
      }
      const shown = images.filter((image) =>
        wanted.length === 0 || wanted.some((name) => is(name)(image))
      );
      if (shown.length === 0) return [safe`no images`];
      const { tableLines } = await import("../view/table.ts");
      return await tableLines(
        session.ui,
        [safe`load address`, safe`UUID`, safe`path`],
        shown.map((image) => [
          hex(image.loadAddress, session.pointerSize),
          escape(image.uuid ?? "-"),
          escape(image.path),
        ]),
        (text, column) => column === 0 ? session.style("address", text) : text,
      );
    },
  }),
  command({
    name: "lookup",
    aliases: [
      "image lookup",
      "target modules lookup",
      "info symbol",
      "info address",
      "info line",
      { name: "info functions", args: ["--regex"] },
    ],
    group: "images",
    arguments: [rest("address|name", "address")],
    options: {
      address: { short: "a", value: "address", help: "Look up an address." },
      name: { short: "n", value: "name", help: "Look up a symbol." },
      symbol: { short: "s", value: "name", help: "The same as --name, as in LLDB." },
      function: { short: "F", value: "name", help: "The same as --name, as in LLDB." },
      image: { value: "image", help: "Look for the name in this image alone." },
      type: { short: "t", value: "type", help: "The same as `ptype`, as in LLDB." },
      regex: { short: "r", help: "The name is a regular expression; all matches are listed." },
      verbose: { short: "v", help: "Accepted for LLDB's users; all that is known is shown." },
    },
    help: "what is at an address; where a symbol is, or the selected frame",
    example: "image lookup -r -n lock$",
    async run({ session }, [given], options) {
      const { address, regex } = options;
      const name = options.name ?? options.symbol ?? options.function;
      const text = address ?? name ?? given;
      if (options.type !== undefined) return await shownType(session, options.type);
      await session.loadDemangler();
      if (text === undefined) {
        if (regex) {
          throw new UserError("look up what? a regular expression, as in `lookup -r lock$`");
        }
        return lookupAddress(session, session.frame.lookupAddress);
      }
      if (regex) return await lookupPattern(session, text);
      if (address === undefined && (name !== undefined || integer(text) === undefined)) {
        const symbols = lookupIn(session, text, options.image);
        const found = symbols.map(({ image, symbol }) =>
          symbolLine(session, image, symbol, symbols.length <= maxPlaced)
        );
        if (found.length > maxMatches) {
          return [
            ...found.slice(0, maxMatches),
            session.style("quiet", safe`(${found.length} in all: narrow the name)`),
          ];
        }
        if (found.length > 0) return found;
        if (name !== undefined) {
          throw new UserError(`no symbol is named ${name}${near(session, name)}`);
        }
      }
      return lookupAddress(session, addressOf(session, text));
    },
  }),
  command({
    name: "ptype",
    aliases: ["type lookup", { name: "whatis", args: ["--brief"] }],
    group: "images",
    arguments: [rest("type|expression", "variable")],
    options: {
      brief: { help: "Its name and size alone, as gdb's `whatis` shows." },
      json: { help: "Print JSON." },
    },
    help: "what a type, or that of an expression, consists of: members, functions",
    example: "ptype Item",
    async run({ session }, [given = ""], options) {
      // gdb's `ptype /o` asks for the offsets, which are shown in any case.
      const text = given.replace(/^\/\w+\s*/, "").trim();
      if (text === "") throw new UserError("which type? `ptype Item`, or that of an expression");
      return await shownType(session, text, options);
    },
  }),
  command({
    name: "symbols",
    aliases: ["target symbols add", "add-dsym", "symbol-file"],
    group: "images",
    arguments: [many("folder", "file")],
    help: "which images lack debug information; look for it in folders too",
    details: [
      "Only images whose frames were shown are listed. A dSYM, binary or symbol table file is used",
      "when its UUID is the image's.",
    ],
    example: "symbols ./build/MyApp.dSYM",
    run({ session }, folders) {
      const { target } = session;
      if (folders.length > 0) {
        checkFolders(folders);
        target.addSymbols(folders);
        session.reselect();
      }
      // What is missing is known of the images that were asked about.
      if (session.threads().length > 0) { for (const frame of session.frames) void frame.source; }
      const lines = missingLines(target.missingSymbols, Infinity);
      return lines.length > 0 ? lines : [safe`no debug information is missing`];
    },
  }),
  command({
    name: "disassemble",
    aliases: ["dis", "di", "disas"],
    group: "images",
    arguments: [optional("address|symbol", "address"), optional("end", "address")],
    options: {
      count: {
        short: "c",
        value: "N",
        integer: true,
        help: "Number of instructions, from the address or the pc on.",
      },
      bytes: { short: "b", help: "Show the instructions' bytes." },
      mixed: { short: "m", help: "Show the source's lines too." },
      name: { short: "n", value: "symbol", help: "The function of this name, as in LLDB." },
      address: { short: "a", value: "address", help: "The function around an address." },
      start: { short: "s", value: "address", help: "Where to start, with --end or --count." },
      end: { short: "e", value: "address", help: "Where to end." },
      frame: { short: "f", help: "The selected frame's function: the same as no arguments." },
      pc: { short: "p", help: "From the selected frame's address on." },
    },
    help: "the selected frame's function, or that of an address; or a range",
    example: "disassemble pc --count 5",
    async run({ session }, [where, to], options) {
      const { functionAt, instructionLines } = await import("../view/disassemble.ts");
      const { count, bytes = false, mixed = false, pc } = options;
      const text = options.start ?? options.name ?? options.address ?? where;
      const end = options.end ?? to;
      await session.loadDemangler();
      if (pc || text === undefined && count !== undefined) {
        const start = session.frame.address;
        return await instructionLines(session, { start, count: count ?? 4, bytes, mixed });
      }
      const start = text === undefined ? session.frame.lookupAddress : addressOf(session, text);
      const range = end !== undefined
        ? { start, end: addressOf(session, end) }
        : count !== undefined
        ? { start, count }
        : functionAt(session, start);
      return await instructionLines(session, { ...range, bytes, mixed });
    },
  }),
];
