/** Reading, writing and searching memory. */
import { escape } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import { hex, hexdump } from "../view/render.ts";
import {
  addressOf,
  checkWritable,
  integer,
  parseOptions,
  pointerSize,
  wholeNumber,
  withConsent,
} from "./arguments.ts";
import type { Family, PromptCommand } from "./command.ts";

/** Loaded when memory is looked at. */
const load = () => import("../view/memory_format.ts");

const read: PromptCommand = {
  name: "memory read",
  aliases: ["memory"],
  usage: "<address> [count|end] [--as type] [--count N] [--format F] [--size N]",
  help: "a hexdump of 64 bytes or as many as asked for; with --as, typed values",
  details: [
    "--as      u8…u64, i8…i64, f32, f64, pointer, char, cstring, a declared struct,",
    '          or one in braces: --as "{ u32 count; char *name; }"',
    "--format  x d u o t f a c s i, as in gdb and LLDB, with --size 1, 2, 4 or 8",
    "An address is a number, a register, a symbol, or one of these + a number.",
  ],
  example: "memory read sp 8 --as pointer",
  takes: ["address", "text"],
  options: ["--as", "--count", "--format", "--size"],
  async run(session, args) {
    const { options, rest: [where, extent] } = parseOptions(
      args,
      { as: "value", count: "value", format: "value", size: "value", force: "switch" },
      { t: "as", c: "count", f: "format", s: "size" },
    );
    if (where === undefined) throw new UserError("memory where? an address, register or symbol");
    const { formatted, layouts, letterFormat, maxBytes, wordFormats } = await load();
    const address = addressOf(session, where);
    let count = options.count === undefined ? undefined : wholeNumber(options.count, "a count");
    const size = options.size === undefined
      ? pointerSize(session)
      : wholeNumber(options.size, "a size");
    if (![1, 2, 4, 8].includes(size)) throw new UserError("--size is 1, 2, 4 or 8");
    const named = options.format;
    const format = options.as !== undefined
      ? { type: options.as }
      : named !== undefined
      ? letterFormat(wordFormats[named] ?? named, size, session)
      : options.size !== undefined
      ? letterFormat("x", size, session)
      : {};
    if (extent !== undefined) {
      const value = integer(extent) ?? addressOf(session, extent);
      // LLDB's second address is where to end.
      const bytes = value > address && value - address <= BigInt(maxBytes);
      const item = format.type === undefined
        ? 1
        : Math.max(1, (await layouts(session)).parse(format.type).size);
      count ??= bytes
        ? Math.ceil(Number(value - address) / item)
        : wholeNumber(extent, "a count of bytes");
    }
    return await formatted(session, address, format, count);
  },
};

const examine: PromptCommand = {
  name: "x",
  usage: "/[count][format][size] <address>",
  help: "memory as gdb shows it: formats x d u o t f a c s i, sizes b h w g",
  example: "x/4gx $sp",
  takes: ["address"],
  async run(session, [spec, where]) {
    const match = /^\/?(\d*)([a-zA-Z]*)$/.exec(spec ?? "");
    const given = match === null ? spec : where;
    if (given === undefined) throw new UserError("examine what? as in `x/4gx $sp`");
    const { formatted, letterFormat } = await load();
    const letters = match === null ? "" : match[2];
    const sizes: Readonly<Record<string, number>> = { b: 1, h: 2, w: 4, g: 8 };
    let format = "";
    let size: number | undefined;
    for (const letter of letters) {
      if (letter in sizes) size = sizes[letter];
      else format = letter;
    }
    const count = match === null || match[1] === "" ? 1 : Number(match[1]);
    const address = addressOf(session, given);
    const wide = format === "f" ? 8 : pointerSize(session);
    return await formatted(
      session,
      address,
      letterFormat(format === "" ? "x" : format, size ?? wide, session),
      count,
    );
  },
};

const write: PromptCommand = {
  name: "memory write",
  usage: "<address> <value…> [--as type] [--yes]",
  help: "write memory; shows old and new, and asks",
  details: [
    "--as     the values' type: u8…u64, i8…i64, f32, f64, pointer (u8 without it)",
    "--text   the values are text, written with a zero after it",
  ],
  example: "memory write 0x1000 42 --as u32 --yes",
  takes: ["address", "text"],
  options: ["--as", "--text", "--yes"],
  async run(session, args) {
    const { rest: given, ask } = withConsent(args);
    const { options, rest: [where, ...values] } = parseOptions(
      given,
      { as: "value", text: "value", size: "value" },
      { t: "as", s: "size" },
    );
    if (where === undefined || values.length === 0 && options.text === undefined) {
      throw new UserError("write what where? `memory write <address> <value…>`");
    }
    checkWritable(session, "memory");
    const address = addressOf(session, where);
    const [{ encode }, { layouts }] = await Promise.all([import("../view/layout.ts"), load()]);
    const layout = (await layouts(session)).parse(
      options.as ?? (options.size === undefined ? "u8" : `u${8 * Number(options.size)}`),
    );
    const parts = options.text === undefined
      ? values.map((value) => encode(layout, value))
      : [new TextEncoder().encode(`${options.text}\0`)];
    const next = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      next.set(part, at);
      at += part.length;
    }
    const { memory } = session.target;
    const old = memory.read(address, next.length);
    const size = pointerSize(session);
    const lines = [
      ...hexdump(old, address, size, session.style).map((line) => `- ${line}`),
      ...hexdump(next, address, size, session.style).map((line) => `+ ${line}`),
    ];
    const bytes = next.length === 1 ? "1 byte" : `${next.length} bytes`;
    if (session.ui.interactive) session.say(lines);
    if (!await ask(session, `write ${bytes} at ${hex(address, size)}?`)) {
      return ["nothing was written"];
    }
    memory.write(address, next);
    session.reselect();
    return session.ui.interactive ? [`wrote ${bytes}`] : lines;
  },
};

const find: PromptCommand = {
  name: "memory find",
  aliases: ["find", "memory search"],
  usage: "<value> [start end] [--as type] [--count N]",
  help: "look for a text, a number or bytes in all readable memory",
  details: [
    '"text"           a text in quotes, or --text WORD',
    "1234 --as u32    a number; without --as, as wide as a pointer",
    "--bytes deadbeef bytes",
    "Ctrl-C ends it and shows what was found.",
  ],
  example: 'memory find --text "demo.lock"',
  takes: ["text"],
  options: ["--as", "--bytes", "--text", "--count"],
  async run(session, args) {
    const { options, rest } = parseOptions(
      args,
      { as: "value", bytes: "value", text: "value", count: "value", expression: "value" },
      { s: "text", e: "expression", t: "as", c: "count" },
    );
    const [{ findBytes }, { encode }, { layouts }] = await Promise.all([
      import("../view/find.ts"),
      import("../view/layout.ts"),
      load(),
    ]);
    const positional = [...rest];
    const pattern = await (async () => {
      if (options.text !== undefined) return new TextEncoder().encode(options.text);
      if (options.bytes !== undefined) {
        const digits = options.bytes.replace(/^0x|[\s:,]/g, "");
        if (!/^(?:[\da-f]{2})+$/i.test(digits)) {
          throw new UserError("--bytes wants pairs of hex digits");
        }
        return Uint8Array.from(digits.match(/../g)!, (pair) => parseInt(pair, 16));
      }
      const text = options.expression ?? positional.shift();
      if (text === undefined) throw new UserError("find what? a number, or --text, or --bytes");
      if (options.as !== undefined) return encode((await layouts(session)).parse(options.as), text);
      const value = integer(text);
      if (value === undefined) return new TextEncoder().encode(text);
      return encode((await layouts(session)).parse("pointer"), text);
    })();
    if (pattern.length === 0) throw new UserError("find what? that is empty");
    const [start, end] = positional.map((text) => addressOf(session, text));
    const limit = options.count === undefined ? 32 : wholeNumber(options.count, "a count");
    const controller = new AbortController();
    session.interrupt = () => controller.abort();
    const { target, ui } = session;
    const regions = target.regions();
    const { sizeText, regionOwners } = await import("../view/regions.ts");
    const found = await findBytes(target.memory, regions, pattern, {
      start: start ?? 0n,
      end: end ?? 1n << 64n,
      limit,
      signal: controller.signal,
      onProgress(done, total, count) {
        const share = total === 0n ? 100n : done * 100n / total;
        ui.progress(`${share}% of ${sizeText(total)}, ${count} found; Ctrl-C ends it`);
      },
    }).finally(() => ui.progress());
    const size = pointerSize(session);
    const owner = regionOwners(target, session.threads());
    const lines = found.addresses.map((address) => {
      const region = regions.find((region) =>
        address >= region.address && address < region.address + region.size
      );
      const what = session.describe(address) ?? (region === undefined ? "" : owner(region));
      return `${session.style("address", hex(address, size))}  ${what}`.trimEnd();
    });
    if (!found.complete) {
      lines.push(session.style(
        "quiet",
        controller.signal.aborted
          ? `(ended after ${sizeText(found.searched)})`
          : `(there may be more: --count ${limit * 2})`,
      ));
    } else if (lines.length === 0) lines.push(`not found in ${sizeText(found.searched)}`);
    return lines;
  },
};

const regions: PromptCommand = {
  name: "regions",
  aliases: ["memory region", "memory regions", "info proc mappings", "vmmap"],
  usage: "[address]",
  help: "the address space: protections, sizes, and what is where",
  example: "regions sp",
  takes: ["address"],
  async run(session, [where]) {
    const [{ protectionText, regionOwners, sizeText }, { tableLines }] = await Promise.all([
      import("../view/regions.ts"),
      import("../view/table.ts"),
    ]);
    const { target } = session;
    let all = target.regions();
    if (where !== undefined) {
      const address = addressOf(session, where);
      all = all.filter((region) =>
        address >= region.address && address < region.address + region.size
      );
      if (all.length === 0) return [`0x${address.toString(16)} is in no region`];
    }
    if (all.length === 0) return ["no regions"];
    const owner = regionOwners(target, session.threads());
    const size = pointerSize(session);
    return await tableLines(
      session.ui,
      ["start", "end", "prot", "max", "size", "what"],
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
};

const struct: PromptCommand = {
  name: "struct",
  usage: "[Name { type field; … }]",
  help: "declare a layout for `memory read --as Name`; without one, list them",
  details: [
    "Fields as in C: `u32 count; Node *next; char name[16]; double x[3];`",
    "The architecture's sizes and alignments are used.",
  ],
  example: "struct Node { u32 count; Node *next; char name[16]; }",
  raw: true,
  isIncomplete: (text) => text.includes("{") && !text.includes("}"),
  async run(session, [text = ""]) {
    const { layouts } = await load();
    if (text !== "") (await layouts(session)).declare(text);
    const shown = text === ""
      ? [...session.structs.values()]
      : [[...session.structs.values()].at(-1)!];
    if (shown.length === 0) return ["no structs: `struct Name { … }` declares one"];
    return shown.flatMap(({ name, size, fields }) => [
      `${escape(name)}: ${size} bytes`,
      ...fields!.map(({ name, offset, layout }) =>
        `  +${String(offset).padEnd(4)} ${escape(layout.name)} ${name}`
      ),
    ]);
  },
};

/** Commands about memory. */
export const memory: Family = {
  title: "Memory",
  commands: [read, examine, write, find, regions, struct],
};
