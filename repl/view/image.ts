/** What a Mach-O file says of itself, as text. */
import { escape } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import {
  flagNames,
  HEADER_FLAGS,
  isHexadecimal,
  ordinalName,
  SECTION_ATTRIBUTES,
  SECTION_TYPE_NAMES,
} from "../../lib/macho/mod.ts";
import { cdHash, type FieldValue, type MachOFile, type MachOSlice } from "../../mod.ts";
import type { Style } from "./style.ts";

/** The lists that can be asked for. */
export interface ImageLists {
  readonly loadCommands?: boolean;
  readonly sections?: boolean;
  readonly symbols?: boolean;
  /** With `symbols`: the debugger's entries too. */
  readonly stabs?: boolean;
  readonly indirect?: boolean;
  readonly functionStarts?: boolean;
  readonly exports?: boolean;
  readonly fixups?: boolean;
  readonly objc?: boolean;
  readonly swift?: boolean;
}

/** Text in pieces: strings that end without a newline are not lines. */
type Pieces = Iterable<string | Uint8Array>;

interface List {
  readonly key: keyof ImageLists;
  readonly title: string;
  pieces(image: MachOSlice, lists: ImageLists): Pieces;
}

/** In the order in which they are shown. */
const lists: readonly List[] = [
  { key: "loadCommands", title: "Load commands", pieces: loadCommands },
  { key: "sections", title: "Sections", pieces: sections },
  { key: "symbols", title: "Symbols", pieces: symbols },
  { key: "indirect", title: "Indirect symbols", pieces: indirectSymbols },
  { key: "functionStarts", title: "Function starts", pieces: functionStarts },
  { key: "exports", title: "Exports", pieces: exportedSymbols },
  { key: "fixups", title: "Fixups", pieces: fixups },
  { key: "objc", title: "Objective-C", pieces: objc },
  { key: "swift", title: "Swift", pieces: swift },
];

/** All of what is asked for, in pieces to be written one after another. One list of one image comes
 * alone, as the tool that it is like prints it; more have headings.
 *
 * @param summary whether to begin each image with its summary
 */
export async function* imageText(
  file: MachOFile,
  wanted: ImageLists,
  summary: boolean,
  style: Style,
): AsyncGenerator<string | Uint8Array> {
  const chosen = lists.filter(({ key }) => wanted[key]);
  const single = file.images.length === 1;
  if (summary) yield `${style("heading", escape(file.path))}: ${kindOf(file)}\n`;
  for (const image of file.images) {
    if (summary) yield* await summaryLines(image, style);
    else if (!single) yield `\n${style("heading", escape(titleOf(image)))}:\n`;
    for (const { title, pieces } of chosen) {
      if (chosen.length > 1 || summary) yield `\n${style("heading", title)}\n`;
      yield* pieces(image, wanted);
    }
  }
}

function titleOf({ path, member, arch }: MachOSlice): string {
  return `${path}${member === null ? "" : `(${member})`} (${arch})`;
}

function kindOf(file: MachOFile): string {
  const archs = [...new Set(file.images.map(({ arch }) => arch))].join(", ");
  switch (file.kind) {
    case "fat":
      return `universal file: ${archs}`;
    case "archive":
      return `archive of ${count(file.images.length, "object")}: ${archs}`;
    case "thin":
      return archs;
  }
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** What `file`, `lipo -info` and `otool -L` tell, on one screen. */
async function summaryLines(image: MachOSlice, style: Style): Promise<string[]> {
  const { header } = image;
  const rows: [label: string, text: string][] = [];
  const add = (label: string, ...texts: string[]): void => {
    texts.forEach((text, index) => rows.push([index === 0 ? label : "", text]));
  };
  if (image.image.uuid !== null) add("uuid", image.image.uuid);
  for (const { platform, minimum, sdk, tools } of image.builds) {
    const by = tools.map(({ tool, version }) => `${tool} ${version ?? "?"}`).join(", ");
    add(
      "built for",
      `${platform} ${minimum ?? "?"}${sdk === null || sdk === "0.0.0" ? "" : `, SDK ${sdk}`}` +
        (by === "" ? "" : `, by ${by}`),
    );
  }
  if (image.image.sourceVersion !== null) add("source", image.image.sourceVersion);
  const flags = flagNames(header.flags, HEADER_FLAGS);
  if (flags.length > 0) add("flags", flags.join(" "));
  if (image.image.installName !== null) add("name", escape(image.image.installName));
  add(
    "loads",
    ...image.dylibs.map(({ name, command, currentVersion }) => {
      const how = /^LC_(WEAK|LOAD_WEAK|REEXPORT|LAZY_LOAD|LOAD_UPWARD)_DYLIB$/.exec(command)?.[1];
      return escape(name) + ` ${currentVersion ?? "?"}` +
        (how === undefined ? "" : ` (${how.replace("LOAD_", "").toLowerCase()})`);
    }),
  );
  add("rpath", ...image.rpaths.map(escape));
  add(
    "segments",
    ...image.segments.map(({ name, vmAddress, size, initialProtection, sections }) => {
      const protection = [...protections].map((letter, bit) =>
        (initialProtection & (1 << bit)) === 0 ? "-" : letter
      ).join("");
      return `${escape(name || "(no name)").padEnd(16)} ${protection} ${
        hex(vmAddress, header.pointerSize * 2)
      } ${count(size, "byte")}, ${count(sections.length, "section")}`;
    }),
  );
  const symtab = image.loadCommands.find(({ name }) => name === "LC_SYMTAB");
  if (symtab !== undefined) add("symbols", Number(symtab.fields.nsyms ?? 0).toLocaleString("en"));
  if (image.encryption !== null) {
    const { id, size, offset } = image.encryption;
    add("encrypted", id === 0 ? "no" : `${count(size, "byte")} at ${hex(offset)}, system ${id}`);
  }
  for (const { owner, offset, size } of image.notes) {
    add("note", `${escape(owner)}: ${size} bytes at ${hex(offset)}`);
  }
  const signature = image.codeSignature();
  if (signature !== null) {
    for (const directory of signature.codeDirectories) {
      const { identifier, team, flagNames, hashType } = directory;
      add(
        "signed",
        [
          escape(identifier ?? "(no identifier)"),
          team === null ? null : `team ${escape(team)}`,
          ...flagNames,
          `cdhash ${await cdHash(directory) ?? "of an unknown kind"} (${hashType})`,
        ].filter((part) => part !== null).join(", "),
      );
    }
    if (signature.entitlements !== null) {
      add("entitled", ...signature.entitlements.trim().split("\n").map(escape));
    }
  }
  const name = image.member === null ? "" : `${escape(image.member)}: `;
  return [
    `\n${style("name", `${name}${image.arch} ${image.kind}`)}, ${header.pointerSize * 8}-bit, ` +
    `${count(image.size, "byte")}${image.offset === 0 ? "" : ` at ${hex(image.offset)}`}\n`,
    ...rows.map(([label, text]) => `  ${style("quiet", label.padEnd(10))} ${text}\n`),
  ];
}

const protections = "rwx";

function* loadCommands(image: MachOSlice): Pieces {
  for (const [index, { name, command, size, fields }] of image.loadCommands.entries()) {
    yield `${index} ${name}, ${count(size, "byte")}\n`;
    for (const [field, value] of Object.entries(fields)) {
      // Sections have a list of their own.
      if (field === "sections") continue;
      yield* fieldLines(field, value, isHexadecimal(command, field), "  ");
    }
  }
}

function* fieldLines(
  field: string,
  value: FieldValue,
  hexadecimal: boolean,
  indent: string,
): Iterable<string> {
  if (!Array.isArray(value)) {
    yield `${indent}${field.padEnd(21)} ${fieldText(value as string, hexadecimal)}\n`;
    return;
  }
  for (const each of value) {
    yield `${indent}${field.padEnd(21)} ${
      typeof each === "string" ? escape(each) : Object.entries(each)
        .map(([name, part]) => `${name} ${fieldText(part as string, false)}`).join(", ")
    }\n`;
  }
}

function fieldText(value: string | number | bigint | null, hexadecimal: boolean): string {
  if (value === null) return "?";
  if (typeof value === "string") return escape(value);
  return hexadecimal ? hex(value) : `${value}`;
}

function* sections(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  for (const { fields } of image.loadCommands) {
    for (const section of (fields.sections ?? []) as Record<string, FieldValue>[]) {
      const flags = Number(section.flags ?? 0);
      yield [
        `${escape(`${section.segname},${section.sectname}`)}`.padEnd(33),
        hex((section.addr ?? 0) as number | bigint, digits),
        `size ${hex((section.size ?? 0) as number | bigint)}`,
        `offset ${section.offset ?? "?"}`,
        `align 2^${section.align ?? "?"}`,
        SECTION_TYPE_NAMES[flags & 0xff] ?? `type ${flags & 0xff}`,
        ...flagNames(flags & ~0xff, SECTION_ATTRIBUTES),
      ].join(" ") + "\n";
    }
  }
}

function* symbols(image: MachOSlice, { stabs = false }: ImageLists): Pieces {
  const table = image.symbols();
  if (table !== null) yield* table.lines(table.byAddress(stabs), escape);
}

function* indirectSymbols(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  for (const { segment, section, address, symbol, mark } of image.indirectSymbols()) {
    yield `${hex(address, digits)} ${escape(`${segment},${section}`)} ${
      symbol === null ? mark ?? "?" : escape(symbol)
    }\n`;
  }
}

function* functionStarts(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  for (const address of image.functionStarts()) yield `${hex(address, digits)}\n`;
}

function* exportedSymbols(image: MachOSlice): Pieces {
  const base = image.image.loadAddress;
  const digits = image.header.pointerSize * 2;
  for (const { name, kind, weak, value, resolver, reexport } of image.exports()) {
    const notes = [
      ...(kind === "regular" ? [] : [kind]),
      ...(weak ? ["weak"] : []),
      ...(resolver === null ? [] : [`resolver ${hex(base + resolver)}`]),
      ...(reexport === null ? [] : [
        `re-export of ${escape(reexport.name)} from ${
          escape(ordinalName(reexport.ordinal, image.dylibs))
        }`,
      ]),
    ];
    const address = value === null
      ? " ".repeat(digits + 2)
      : hex(kind === "absolute" ? value : base + value, digits);
    yield `${address} ${escape(name)}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}\n`;
  }
}

function* fixups(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  const { dylibs } = image;
  for (const fixup of image.fixups()) {
    const { kind, segment, section, address, type, target, addend, ordinal, symbol, auth } = fixup;
    const place = escape(`${segment ?? "-"},${section ?? "-"}`);
    const what = symbol === null
      ? target === null ? "" : hex(target, digits)
      : `${ordinal === null ? "?" : escape(ordinalName(ordinal, dylibs))} ${escape(symbol)}${
        addend === null || addend === 0n
          ? ""
          : ` ${addend < 0n ? "-" : "+"} ${hex(addend < 0n ? -addend : addend)}`
      }${fixup.weakImport ? " (weak import)" : ""}`;
    const signed = auth === null
      ? ""
      : ` (${auth.key}, diversity ${hex(auth.diversity)}${
        auth.addressDiversity ? ", address" : ""
      })`;
    yield `${address === null ? "-" : hex(address, digits)} ${place} ${kind} ${type}` +
      `${what === "" ? "" : ` ${what}`}${signed}\n`;
  }
}

function* objc(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  for (const { name, category, superclass, address, methods } of image.objcClasses()) {
    const title = category === null
      ? `class ${escape(name)}${superclass === null ? "" : ` : ${escape(superclass)}`}`
      : `category ${escape(name)}(${escape(category)})`;
    yield `${hex(address, digits)} ${title}\n`;
    for (const method of methods) yield `${hex(method.address, digits)}   ${escape(method.name)}\n`;
  }
}

function* swift(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  for (const { name, kind, address } of image.swiftTypes()) {
    yield `${hex(address, digits)} ${kind} ${escape(name)}\n`;
  }
}
