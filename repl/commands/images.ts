/** Images, symbols and code. */
import { escape } from "../../lib/escape.ts";
import type { LoadedImage, Symbol as ImageSymbol } from "../../mod.ts";
import { UserError } from "../errors.ts";
import { hex } from "../view/render.ts";
import type { Session } from "../prompt/session.ts";
import { addressOf, integer, parseOptions, pointerSize, wholeNumber } from "./arguments.ts";
import type { Family } from "./command.ts";
import { symbols } from "./symbols.ts";

/** More matches than anybody reads. */
const maxMatches = 200;

/** How many symbols are looked at before others get their turn. */
const turn = 20_000;

function imageLine(image: LoadedImage): string {
  return `${escape(image.path)}  ${image.uuid ?? "no UUID"}  at 0x${
    image.loadAddress.toString(16)
  }`;
}

/** What is at an address. */
function lookupAddress(session: Session, address: bigint): string[] {
  const { image, symbol, offset, source, frames } = session.target.resolve(address);
  const text = hex(address, pointerSize(session));
  if (image === null) return [`${text}: in no image`];
  const name = escape(image.name);
  const place = symbol === null
    ? `${name} + 0x${offset.toString(16)}`
    : `${escape(session.demangle(symbol.name))} + ${offset}`;
  const lines = [`${text}  ${name}  ${place}`];
  for (const frame of frames) {
    const where = frame.location === null
      ? ""
      : ` at ${escape(frame.location.file)}:${frame.location.line}`;
    const inlined = frame.inlined ? ", inlined" : "";
    lines.push(`  ${escape(session.demangle(frame.function))}${where}${inlined}`);
  }
  if (frames.length === 0 && source !== null) {
    lines.push(`  ${escape(source.file)}:${source.line}`);
  }
  lines.push(`  ${imageLine(image)}`);
  return lines;
}

function symbolLine(session: Session, image: LoadedImage, symbol: ImageSymbol): string {
  const plain = session.demangle(symbol.name);
  const mangled = plain === symbol.name ? "" : `  ${session.style("quiet", escape(symbol.name))}`;
  return `${session.style("address", hex(symbol.address, pointerSize(session)))}  ` +
    `${escape(image.name)}  ${escape(plain)}  ` +
    `${symbol.size} bytes${symbol.external ? "" : ", local"}${mangled}`;
}

/** All symbols that a test finds, giving up at Ctrl-C. */
async function search(
  session: Session,
  test: (symbol: ImageSymbol) => boolean,
): Promise<string[]> {
  const controller = new AbortController();
  session.interrupt = () => controller.abort();
  const lines: string[] = [];
  let seen = 0;
  for (const image of session.target.images) {
    const { symbols } = image as { symbols?: Iterable<ImageSymbol> };
    for (const symbol of symbols ?? []) {
      if (++seen % turn === 0) await new Promise((resolve) => setTimeout(resolve));
      if (controller.signal.aborted) return [...lines, "(ended)"];
      if (!test(symbol)) continue;
      if (lines.length === maxMatches) {
        return [...lines, session.style("quiet", `(more than ${maxMatches}: say it more exactly)`)];
      }
      lines.push(symbolLine(session, image, symbol));
    }
  }
  return lines;
}

/** The name without its parameters: what people type of C++ and Swift. */
function withoutParameters(name: string): string {
  return name.replace(/\(.*$/s, "");
}

async function lookupName(session: Session, name: string): Promise<string[]> {
  const exact = session.target.lookup(name);
  if (exact.length > 0) return exact.map(({ image, symbol }) => symbolLine(session, image, symbol));
  // A readable name of a mangled one holds its last part as it is.
  const part = /\w+(?=\W*$)/.exec(withoutParameters(name))?.[0];
  if (part === undefined || !/[:.(~ ]/.test(name)) return [];
  const wanted = withoutParameters(name);
  return await search(session, (symbol) => {
    if (!symbol.name.includes(part)) return false;
    const plain = session.demangle(symbol.name);
    return plain === name || withoutParameters(plain) === wanted;
  });
}

/** Commands about images and code. */
export const images: Family = {
  title: "Images, symbols and code",
  commands: [
    {
      name: "images",
      aliases: ["image list", "info sharedlibrary", "target modules list"],
      usage: "[name…]",
      help: "the executable and the libraries, with UUIDs and load addresses",
      example: "images",
      takes: ["image"],
      async run(session, args) {
        const size = pointerSize(session);
        const wanted = args.filter((text) => !text.startsWith("-"));
        const images = session.target.images.filter(({ name, path }) =>
          wanted.length === 0 || wanted.includes(name) || wanted.includes(path)
        );
        if (images.length === 0) return [wanted.length === 0 ? "no images" : "no such image"];
        const { tableLines } = await import("../view/table.ts");
        return await tableLines(
          session.ui,
          ["load address", "UUID", "path"],
          images.map((image) => [
            hex(image.loadAddress, size),
            image.uuid ?? "-",
            escape(image.path),
          ]),
          (text, column) => column === 0 ? session.style("address", text) : text,
        );
      },
    },
    {
      name: "lookup",
      aliases: [
        "image lookup",
        "target modules lookup",
        "info symbol",
        "info address",
        "info line",
        { name: "info functions", args: ["--regex"] },
      ],
      usage: "<address|name> [--regex PATTERN]",
      help: "what is at an address; where a symbol is",
      details: [
        "--address, --name  say which it is; as LLDB's -a and -n",
        "--regex            all symbols whose names match; as LLDB's -r -n",
      ],
      example: "image lookup -r -n lock$",
      takes: ["address"],
      options: ["--address", "--name", "--regex"],
      async run(session, args) {
        // LLDB writes `-r -n PATTERN`, and people `-r PATTERN`.
        const regex = args.some((text) => /^(?:-r|-rn|--regex)$/.test(text));
        const { options, rest } = parseOptions(
          args.filter((text) => !/^(?:-r|--regex|-v|--verbose)$/.test(text))
            .map((text) => text === "-rn" ? "-n" : text),
          { address: "value", name: "value", symbol: "value" },
          { a: "address", n: "name", s: "symbol", F: "name" },
        );
        const name = options.name ?? options.symbol;
        const text = options.address ?? name ?? rest.join(" ");
        if (text === "") throw new UserError("look up what? an address, or a symbol's name");
        await session.loadDemangler();
        if (regex) {
          let pattern: RegExp;
          try {
            pattern = new RegExp(text);
          } catch {
            throw new UserError(`${text} is no regular expression`);
          }
          const lines = await search(
            session,
            (symbol) => pattern.test(symbol.name) || pattern.test(session.demangle(symbol.name)),
          );
          return lines.length > 0 ? lines : ["no symbol matches"];
        }
        if (name === undefined) {
          const address = integer(text);
          if (address !== undefined) return lookupAddress(session, address);
        }
        if (options.address === undefined) {
          const found = await lookupName(session, text);
          if (found.length > 0) return found;
          if (name !== undefined) throw new UserError(`no symbol is named ${name}`);
        }
        return lookupAddress(session, addressOf(session, text));
      },
    },
    symbols,
    {
      name: "disassemble",
      aliases: ["dis", "di", "disas"],
      usage: "[address|symbol [end]] [--count N] [--bytes]",
      help: "the selected frame's function, or that of an address; or a range",
      details: [
        "--count N  so many instructions from the address on",
        "--bytes    with the instructions' bytes",
      ],
      example: "disassemble pc --count 5",
      takes: ["address"],
      options: ["--count", "--bytes"],
      async run(session, args) {
        const { options, rest: [where, to] } = parseOptions(
          args,
          {
            count: "value",
            bytes: "switch",
            frame: "switch",
            pc: "switch",
            name: "value",
            address: "value",
            start: "value",
            end: "value",
          },
          {
            c: "count",
            b: "bytes",
            f: "frame",
            p: "pc",
            n: "name",
            a: "address",
            s: "start",
            e: "end",
          },
        );
        const { functionAt, instructionLines } = await import("../view/disassemble.ts");
        const bytes = options.bytes !== undefined;
        const count = options.count === undefined
          ? undefined
          : wholeNumber(options.count, "a count of instructions");
        const text = options.start ?? options.name ?? options.address ?? where;
        const end = options.end ?? to;
        await session.loadDemangler();
        if (options.pc !== undefined || text === undefined && count !== undefined) {
          const start = session.frame.address;
          return await instructionLines(session, { start, count: count ?? 4, bytes });
        }
        const address = text === undefined ? session.frame.lookupAddress : addressOf(session, text);
        if (end !== undefined) {
          return await instructionLines(session, {
            start: address,
            end: addressOf(session, end),
            bytes,
          });
        }
        if (count !== undefined) {
          return await instructionLines(session, { start: address, count, bytes });
        }
        const range = functionAt(session, address);
        return await instructionLines(session, { ...range, bytes });
      },
    },
  ],
};
