/** Reading, writing and searching memory. */
import { escape, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import { hex as hexNumber } from "../../lib/hex.ts";
import { files } from "../../ffi/files.ts";
import type { FileSink } from "../../lib/file_system.ts";
import { UserError } from "../errors.ts";
import type { Session } from "../prompt/session.ts";
import { isStdout, outputTo } from "../view/output_file.ts";
import { hex, hexdump } from "../view/render.ts";
import { plain } from "../view/style.ts";
import { count, padEnd } from "../view/text.ts";
import { placeOf } from "./address.ts";
import { type Command, command, type Lines, many, optional, required } from "./command.ts";
import {
  checkWritable,
  confirmed,
  integer,
  scalarTypes,
  wholeNumber,
  yesOption,
} from "./values.ts";

/** Loaded when memory is first looked at. */
const load = () => import("../view/memory_format.ts");

const asOption = {
  short: "t",
  value: "type",
  help: `Type of the values: ${scalarTypes.join(" ")}.`,
};
const sizes = ["1", "2", "4", "8"] as const;

/** Which values `memory read` shows, and how. */
async function format(session: Session, { as, format, size }: {
  readonly as?: string;
  readonly format?: string;
  readonly size?: string;
}) {
  const { letterFormat, wordFormats } = await load();
  if (as !== undefined) return { type: as };
  const bytes = size === undefined ? session.pointerSize : Number(size);
  if (format !== undefined) return letterFormat(wordFormats[format] ?? format, bytes, session);
  return size === undefined ? {} : letterFormat("x", bytes, session);
}

const read = command({
  name: "memory read",
  aliases: ["memory"],
  group: "memory",
  arguments: [required("address", "address"), optional("count|end", "address")],
  options: {
    as: {
      ...asOption,
      help: `Type of the values: ${
        scalarTypes.join(" ")
      }, or a struct: Name or "{ u32 n; char *s; }".`,
    },
    count: { short: "c", value: "N", integer: true, help: "Number of values; of bytes in a dump." },
    format: { short: "f", value: "F", help: "x d u o t f a c s i, as in gdb and LLDB." },
    size: { short: "s", value: "bytes", choices: sizes, help: "Size of each value." },
    force: { help: "Accepted for LLDB's users; there is a limit of 1 MiB." },
    outfile: { short: "o", value: "file", help: "Write to a file, and not to the screen." },
    binary: { short: "b", help: "With --outfile: the bytes as they are, up to 1 GiB." },
    json: { help: "Print one JSON object." },
  },
  help: "a hexdump of 64 bytes or as many as given; with --as, typed values",
  details: [
    "An address is an expression of numbers, registers and symbols: $sp + 8, main+16, &errno;",
    "or of variables: a pointer leads where it points, &count is where count is.",
  ],
  example: "memory read sp 8 --as pointer",
  async run({ session }, [where, extent], options) {
    const { outfile, binary = false, json = false } = options;
    if (binary && outfile === undefined) {
      throw new UserError("bytes go to a file: --outfile <file> too");
    }
    const { formatted, formattedJson, layouts, maxBytes } = await load();
    const address = await placeOf(session, where);
    const shape = await format(session, options);
    const item = shape.type === undefined
      ? 1
      : Math.max(1, (await layouts(session)).parse(shape.type).size);
    let { count } = options;
    if (extent !== undefined && count === undefined) {
      const value = await placeOf(session, extent);
      // As in LLDB, a second address is the end.
      const most = BigInt(binary ? maxFile : maxBytes);
      const bytes = value > address && value - address <= most;
      count = bytes
        ? Math.ceil(Number(value - address) / item)
        : wholeNumber(extent, "a count of bytes");
    }
    if (binary) {
      const length = (count ?? (shape.type === undefined ? 64 : 1)) * item;
      return writeBytes(session, address, length, outfile!);
    }
    const read = async (): Promise<Lines> =>
      json
        ? [safeJson(await formattedJson(session, address, shape, count))]
        : await formatted(session, address, shape, count);
    return outfile === undefined || isStdout(outfile)
      ? await read()
      : await writeLines(session, read, outfile);
  },
});

/** Maximum number of bytes that are written to a file, and of one read. */
const maxFile = 1 << 30;
const piece = 1 << 20;

/** Starts a file.
 *
 * @throws UserError when it cannot be made
 */
function made(path: string): FileSink {
  if (isStdout(path)) return outputTo(path);
  try {
    return files.create(path, 0o666);
  } catch {
    throw new UserError(`${path} cannot be written`);
  }
}

/** Writes memory to a file as it is: all of it, or there is no file. */
function writeBytes(session: Session, address: bigint, length: number, path: string): Lines {
  if (length > maxFile) throw new UserError(`at most ${maxFile} bytes at once`);
  const { memory } = session.target;
  using sink = made(path);
  for (let at = 0; at < length; at += piece) {
    sink.write(memory.read(address + BigInt(at), Math.min(piece, length - at)));
  }
  sink.commit();
  return isStdout(path) ? [] : [safe`wrote ${count(length, "byte")} to ${escape(path)}`];
}

/** Writes to a file what would have been printed, without colours. */
async function writeLines(
  session: Session,
  read: () => Promise<Lines>,
  path: string,
): Promise<Lines> {
  const { style } = session;
  let lines: Lines;
  try {
    session.style = plain;
    lines = await read();
  } finally {
    session.style = style;
  }
  using sink = made(path);
  sink.write(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")));
  sink.commit();
  return [safe`wrote ${count(lines.length, "line")} to ${escape(path)}`];
}

const examine = command({
  name: "x",
  group: "memory",
  arguments: [required("/[count][format][size]", "text"), required("address", "address")],
  options: { json: { help: "Print one JSON object." } },
  help: "memory as gdb shows it: formats x d u o t f a c s i, sizes b h w g",
  example: "x/4gx $sp",
  async run({ session }, [spec, where], { json }) {
    const { formatted, formattedJson, letterFormat } = await load();
    const [, digits, letters] = /^\/(\d*)([a-zA-Z]*)$/.exec(spec)!;
    const sizes: Readonly<Record<string, number>> = { b: 1, h: 2, w: 4, g: 8 };
    let format = "x";
    let size: number | undefined;
    for (const letter of letters) {
      if (letter in sizes) size = sizes[letter];
      else format = letter;
    }
    const bytes = size ?? (format === "f" ? 8 : session.pointerSize);
    const address = await placeOf(session, where);
    const shape = letterFormat(format, bytes, session);
    const count = digits === "" ? 1 : Number(digits);
    if (json) return [safeJson(await formattedJson(session, address, shape, count))];
    return await formatted(session, address, shape, count);
  },
});

/** The bytes that `memory write` writes. */
async function encoded(
  session: Session,
  values: readonly string[],
  { as, size, text }: { readonly as?: string; readonly size?: string; readonly text?: string },
): Promise<Uint8Array> {
  if (text !== undefined) {
    if (values.length > 0) throw new UserError("write values or --text, not both");
    return new TextEncoder().encode(`${text}\0`);
  }
  if (values.length === 0) throw new UserError("write what? one or more values, or --text <text>");
  const [{ encode }, { layouts }] = await Promise.all([import("../view/layout.ts"), load()]);
  const layout = (await layouts(session)).parse(as ?? (size ? `u${8 * Number(size)}` : "u8"));
  return Uint8Array.from(values.flatMap((value) => [...encode(layout, value)]));
}

const write = command({
  name: "memory write",
  group: "memory",
  arguments: [required("address", "address"), many("value", "text")],
  options: {
    as: { ...asOption, help: "Type of the values: u8…u64, i8…i64, f32, f64, pointer; u8 without." },
    size: { short: "s", value: "bytes", choices: sizes, help: "Size of unsigned values." },
    text: { value: "text", help: "A text, written with a zero after it, instead of values." },
    yes: yesOption,
  },
  changes: true,
  help: "write memory; shows old and new, and asks",
  example: "memory write 0x1000 42 --as u32 --yes",
  async run({ session }, [where, ...values], options): Promise<Lines> {
    checkWritable(session, "memory");
    const address = await placeOf(session, where);
    const next = await encoded(session, values, options);
    const { style, pointerSize: size, target: { memory } } = session;
    const old = memory.read(address, next.length);
    const dump = (bytes: Uint8Array) =>
      hexdump(bytes, address, size, style, session.ui.size().columns - 2);
    const lines = [
      ...dump(old).map((line) => safe`- ${line}`),
      ...dump(next).map((line) => safe`+ ${line}`),
    ];
    const bytes = count(next.length, "byte");
    if (session.ui.interactive) session.say(lines);
    const question = safe`write ${bytes} at ${hex(address, size)}?`;
    if (!await confirmed(session, options.yes, question)) return [safe`nothing was written`];
    memory.write(address, next);
    session.reselect();
    return session.ui.interactive ? [safe`wrote ${bytes}`] : lines;
  },
});

/** The bytes that `memory find` looks for. */
async function pattern(
  session: Session,
  given: string | undefined,
  { as, bytes, text }: { readonly as?: string; readonly bytes?: string; readonly text?: string },
): Promise<Uint8Array> {
  if (text !== undefined) return new TextEncoder().encode(text);
  if (bytes !== undefined) {
    const digits = bytes.replace(/^0x|[\s:,]/g, "");
    if (!/^(?:[\da-f]{2})+$/i.test(digits)) {
      throw new UserError("--bytes needs pairs of hex digits");
    }
    return Uint8Array.from(digits.match(/../g)!, (pair) => parseInt(pair, 16));
  }
  if (given === undefined) throw new UserError("find what? a number, --text, or --bytes");
  if (as === undefined && integer(given) === undefined) return new TextEncoder().encode(given);
  const [{ encode }, { layouts }] = await Promise.all([import("../view/layout.ts"), load()]);
  return encode((await layouts(session)).parse(as ?? "pointer"), given);
}

const find = command({
  name: "memory find",
  aliases: ["find", "memory search"],
  group: "memory",
  arguments: [
    optional("value", "text"),
    optional("start", "address"),
    optional("end", "address"),
  ],
  options: {
    as: { ...asOption, help: "Type of the value; without it, as wide as a pointer." },
    bytes: { value: "hex", help: "Bytes: deadbeef." },
    text: {
      short: "s",
      aliases: ["string"],
      value: "text",
      help: "A text; so is a value in quotes.",
    },
    expression: { short: "e", value: "value", help: "The value, as in LLDB." },
    count: {
      short: "c",
      value: "N",
      integer: true,
      help: "Maximum number of matches; 32 without.",
    },
  },
  help: "look for a text, a number or bytes in all readable memory",
  details: ["Ctrl-C ends the search and shows what was found."],
  example: 'memory find --text "demo.lock"',
  async run({ session }, words, options) {
    const { findBytes } = await import("../view/find.ts");
    const { expression, count: limit = 32 } = options;
    // An option may give what to find; then the words say where.
    const named = expression !== undefined || options.text !== undefined ||
      options.bytes !== undefined;
    const sought = await pattern(session, named ? expression : words[0], options);
    if (sought.length === 0) throw new UserError("find what? that is empty");
    const limits = named ? words : words.slice(1);
    if (limits.length > 2) throw new UserError(`too many arguments: ${limits[2]}`);
    // As in gdb, `+100` is so many bytes from the start.
    const [start = 0n, last = 1n << 64n] = await Promise.all(
      limits.map((text) => placeOf(session, text.replace(/^\+/, ""))),
    );
    const end = limits[1]?.startsWith("+") ? start + last : last;
    const controller = new AbortController();
    session.interrupt = () => controller.abort();
    const { target, ui, style, pointerSize } = session;
    const regions = target.regions();
    const { sizeText, regionOwners } = await import("../view/regions.ts");
    const found = await findBytes(target.memory, regions, sought, {
      start,
      end,
      limit,
      signal: controller.signal,
      onProgress(done, total, matches) {
        const share = total === 0n ? 100n : done * 100n / total;
        ui.progress(safe`${share}% of ${sizeText(total)}, ${matches} found; Ctrl-C ends it`);
      },
    }).finally(() => ui.progress());
    const owner = regionOwners(target, session.threads());
    const lines: SafeText[] = found.addresses.map((address) => {
      const region = regions.find((region) =>
        address >= region.address && address < region.address + region.size
      );
      const what = session.describe(address) ?? (region === undefined ? safe`` : owner(region));
      const where = style("address", hex(address, pointerSize));
      return what === "" ? where : safe`${where}  ${what}`;
    });
    if (found.complete) {
      if (lines.length === 0) lines.push(safe`not found in ${sizeText(found.searched)}`);
    } else if (controller.signal.aborted) {
      lines.push(style("quiet", safe`(ended after ${sizeText(found.searched)})`));
    } else lines.push(style("quiet", safe`(there may be more: --count ${limit * 2})`));
    return lines;
  },
});

const regions = command({
  name: "regions",
  aliases: ["memory region", "memory regions", "info proc mappings", "vmmap"],
  group: "memory",
  arguments: [optional("address", "address")],
  help: "the address space: protections, sizes, and what is where",
  example: "regions sp",
  async run({ session }, [where]) {
    const [{ protectionText, regionOwners, sizeText }, { tableLines }] = await Promise.all([
      import("../view/regions.ts"),
      import("../view/table.ts"),
    ]);
    const { target, pointerSize: size } = session;
    let all = target.regions();
    if (where !== undefined) {
      const address = await placeOf(session, where);
      all = all.filter((region) =>
        address >= region.address && address < region.address + region.size
      );
      if (all.length === 0) return [safe`${hexNumber(address)} is in no region`];
    }
    if (all.length === 0) return [safe`no regions`];
    const owner = regionOwners(target, session.threads());
    return await tableLines(
      session.ui,
      [safe`start`, safe`end`, safe`prot`, safe`max`, safe`size`, safe`what`],
      all.map((region) => [
        hex(region.address, size),
        hex(region.address + region.size, size),
        protectionText(region.protection),
        protectionText(region.maxProtection),
        sizeText(region.size),
        owner(region),
      ]),
      (text, column) => column < 2 ? session.style("address", text) : text,
    );
  },
});

const struct = command({
  name: "struct",
  group: "memory",
  arguments: [optional("Name { type field; … }", "text")],
  syntax: "code",
  help: "declare a layout for `memory read --as Name`; without one, list them",
  details: [
    "Fields are written as in C: `u32 count; Node *next; char name[16]; double x[3];`",
    "Sizes and alignments are the architecture's.",
  ],
  example: "struct Node { u32 count; Node *next; char name[16]; }",
  isIncomplete: (text) => text.includes("{") && !text.includes("}"),
  async run({ session }, [text = ""]) {
    const { layouts } = await load();
    if (text !== "") (await layouts(session)).declare(text);
    const shown = text === ""
      ? [...session.structs.values()]
      : [[...session.structs.values()].at(-1)!];
    if (shown.length === 0) return [safe`no structs: \`struct Name { … }\` declares one`];
    return shown.flatMap(({ name, size, fields }) => [
      safe`${escape(name)}: ${size} bytes`,
      ...fields!.map(({ name, offset, layout }) =>
        safe`  +${padEnd(safe`${offset}`, 4)} ${escape(layout.name)} ${escape(name)}`
      ),
    ]);
  },
});

/** Commands about memory. */
export const memory: readonly Command[] = [read, examine, write, find, regions, struct];
