/** What a Mach-O file contains, as text. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import {
  flagNames,
  HEADER_FLAGS,
  isHexadecimal,
  ordinalName,
  SECTION_ATTRIBUTES,
  SECTION_TYPE_NAMES,
} from "../../lib/macho/mod.ts";
import type { MachOFile } from "../../mod.ts";
import { cdHash, type FieldValue, type MachOSlice } from "../../lib/macho/mod.ts";
import type { Style } from "./style.ts";
import { protectionText } from "./regions.ts";
import { count, grouped, join, padEnd, spaces } from "./text.ts";

/** The lists to print. */
export interface ImageLists {
  readonly loadCommands?: boolean;
  readonly sections?: boolean;
  readonly symbols?: boolean;
  /** With `symbols`: debugger entries too. */
  readonly stabs?: boolean;
  readonly indirect?: boolean;
  readonly functionStarts?: boolean;
  readonly exports?: boolean;
  readonly fixups?: boolean;
  readonly objc?: boolean;
  readonly swift?: boolean;
}

/** All lists but the debugger entries. */
export const allLists: ImageLists = {
  loadCommands: true,
  sections: true,
  symbols: true,
  indirect: true,
  functionStarts: true,
  exports: true,
  fixups: true,
  objc: true,
  swift: true,
};

/** Text in pieces, which are not lines; long lists are encoded already. */
type Pieces = Iterable<SafeText | Uint8Array>;

interface List {
  readonly key: keyof ImageLists;
  readonly title: SafeText;
  pieces(image: MachOSlice, lists: ImageLists): Pieces;
}

/** In the order in which they are shown. */
const lists: readonly List[] = [
  { key: "loadCommands", title: safe`Load commands`, pieces: loadCommands },
  { key: "sections", title: safe`Sections`, pieces: sections },
  { key: "symbols", title: safe`Symbols`, pieces: symbols },
  { key: "indirect", title: safe`Indirect symbols`, pieces: indirectSymbols },
  { key: "functionStarts", title: safe`Function starts`, pieces: functionStarts },
  { key: "exports", title: safe`Exports`, pieces: exportedSymbols },
  { key: "fixups", title: safe`Fixups`, pieces: fixups },
  { key: "objc", title: safe`Objective-C`, pieces: objc },
  { key: "swift", title: safe`Swift`, pieces: swift },
];

/** The lists in pieces. A single list of a single image comes without a heading, as the tool that it is
 * like prints it.
 *
 * @param summary whether each image begins with a summary
 */
export async function* imageText(
  file: MachOFile,
  wanted: ImageLists,
  summary: boolean,
  style: Style,
): AsyncGenerator<SafeText | Uint8Array> {
  const chosen = lists.filter(({ key }) => wanted[key]);
  const single = file.images.length === 1;
  if (summary) yield safe`${style("heading", escape(file.path))}: ${kindOf(file)}\n`;
  for (const image of file.images) {
    if (summary) yield* await summaryLines(image, style);
    else if (!single) yield safe`\n${style("heading", escape(titleOf(image)))}:\n`;
    for (const { title, pieces } of chosen) {
      if (chosen.length > 1 || summary) yield safe`\n${style("heading", title)}\n`;
      yield* pieces(image, wanted);
    }
  }
}

function titleOf({ path, member, arch }: MachOSlice): string {
  return `${path}${member === null ? "" : `(${member})`} (${arch})`;
}

function kindOf(file: MachOFile): SafeText {
  const archs = escape([...new Set(file.images.map(({ arch }) => arch))].join(", "));
  switch (file.kind) {
    case "fat":
      return safe`universal file: ${archs}`;
    case "archive":
      return safe`archive of ${count(file.images.length, "object")}: ${archs}`;
    case "thin":
      return archs;
  }
}

/** What `file`, `lipo -info` and `otool -L` print, on one screen. */
async function summaryLines(image: MachOSlice, style: Style): Promise<SafeText[]> {
  const { header } = image;
  const rows: [label: SafeText, text: SafeText][] = [];
  const add = (label: string, text: SafeText): void => addAll(label, [text]);
  const addAll = (label: string, texts: readonly SafeText[]): void => {
    texts.forEach((text, index) => rows.push([index === 0 ? escape(label) : safe``, text]));
  };
  if (image.image.uuid !== null) add("uuid", escape(image.image.uuid));
  for (const { platform, minimum, sdk, tools } of image.builds) {
    const by = tools.map(({ tool, version }) => `${tool} ${version ?? "?"}`).join(", ");
    add(
      "built for",
      escape(
        `${platform} ${minimum ?? "?"}${sdk === null || sdk === "0.0.0" ? "" : `, SDK ${sdk}`}` +
          (by === "" ? "" : `, by ${by}`),
      ),
    );
  }
  if (image.image.sourceVersion !== null) add("source", escape(image.image.sourceVersion));
  const flags = flagNames(header.flags, HEADER_FLAGS);
  if (flags.length > 0) add("flags", escape(flags.join(" ")));
  if (image.image.installName !== null) add("name", escape(image.image.installName));
  addAll(
    "loads",
    image.dylibs.map(({ name, command, currentVersion }) => {
      const how = /^LC_(WEAK|LOAD_WEAK|REEXPORT|LAZY_LOAD|LOAD_UPWARD)_DYLIB$/.exec(command)?.[1];
      return escape(
        `${name} ${currentVersion ?? "?"}` +
          (how === undefined ? "" : ` (${how.replace("LOAD_", "").toLowerCase()})`),
      );
    }),
  );
  addAll("rpath", image.rpaths.map(escape));
  addAll(
    "segments",
    image.segments.map(({ name, vmAddress, size, initialProtection, sections }) => {
      const title = padEnd(escape(name || "(no name)"), 16);
      const address = hex(vmAddress, header.pointerSize * 2);
      return safe`${title} ${protectionText(initialProtection)} ${address} ${
        count(size, "byte")
      }, ${count(sections.length, "section")}`;
    }),
  );
  const symtab = image.loadCommands.find(({ name }) => name === "LC_SYMTAB");
  if (symtab !== undefined) add("symbols", grouped(Number(symtab.fields.nsyms ?? 0)));
  if (image.encryption !== null) {
    const { id, size, offset } = image.encryption;
    add(
      "encrypted",
      id === 0 ? safe`no` : safe`${count(size, "byte")} at ${hex(offset)}, system ${id}`,
    );
  }
  for (const { owner, offset, size } of image.notes) {
    add("note", safe`${escape(owner)}: ${size} bytes at ${hex(offset)}`);
  }
  const signature = image.codeSignature();
  if (signature !== null) {
    for (const directory of signature.codeDirectories) {
      const { identifier, team, flagNames, hashType } = directory;
      add(
        "signed",
        escape(
          [
            identifier ?? "(no identifier)",
            team === null ? null : `team ${team}`,
            ...flagNames,
            `cdhash ${await cdHash(directory) ?? "of an unknown kind"} (${hashType})`,
          ].filter((part) => part !== null).join(", "),
        ),
      );
    }
    if (signature.entitlements !== null) {
      addAll("entitled", signature.entitlements.trim().split("\n").map(escape));
    }
  }
  const name = escape(
    `${image.member === null ? "" : `${image.member}: `}${image.arch} ${image.kind}`,
  );
  const place = image.offset === 0 ? safe`` : safe` at ${hex(image.offset)}`;
  return [
    safe`\n${style("name", name)}, ${header.pointerSize * 8}-bit, ${
      count(image.size, "byte")
    }${place}\n`,
    ...rows.map(([label, text]) => safe`  ${style("quiet", padEnd(label, 10))} ${text}\n`),
  ];
}

function* loadCommands(image: MachOSlice): Pieces {
  for (const [index, { name, command, size, fields }] of image.loadCommands.entries()) {
    yield safe`${index} ${escape(name)}, ${count(size, "byte")}\n`;
    for (const [field, value] of Object.entries(fields)) {
      // Sections have their own list.
      if (field === "sections") continue;
      yield* fieldLines(field, value, isHexadecimal(command, field));
    }
  }
}

function* fieldLines(
  field: string,
  value: FieldValue,
  hexadecimal: boolean,
): Iterable<SafeText> {
  const head = safe`  ${padEnd(escape(field), 21)}`;
  if (!Array.isArray(value)) {
    yield safe`${head} ${fieldText(value as string, hexadecimal)}\n`;
    return;
  }
  for (const each of value) {
    const parts = typeof each === "string" ? [escape(each)] : Object.entries(each)
      .map(([name, part]) => safe`${escape(name)} ${fieldText(part as string, false)}`);
    yield safe`${head} ${join(parts, ", ")}\n`;
  }
}

function fieldText(value: string | number | bigint | null, hexadecimal: boolean): SafeText {
  if (value === null) return safe`?`;
  if (typeof value === "string") return escape(value);
  return hexadecimal ? hex(value) : safe`${value}`;
}

function* sections(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  for (const { fields } of image.loadCommands) {
    for (const section of (fields.sections ?? []) as Record<string, FieldValue>[]) {
      const flags = Number(section.flags ?? 0);
      const parts = [
        padEnd(escape(`${section.segname},${section.sectname}`), 33),
        hex((section.addr ?? 0) as number | bigint, digits),
        safe`size ${hex((section.size ?? 0) as number | bigint)}`,
        escape(`offset ${section.offset ?? "?"}`),
        escape(`align 2^${section.align ?? "?"}`),
        escape(SECTION_TYPE_NAMES[flags & 0xff] ?? `type ${flags & 0xff}`),
        ...flagNames(flags & ~0xff, SECTION_ATTRIBUTES).map(escape),
      ];
      yield safe`${join(parts, " ")}\n`;
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
    yield safe`${hex(address, digits)} ${escape(`${segment},${section}`)} ${
      escape(symbol ?? mark ?? "?")
    }\n`;
  }
}

function* functionStarts(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  for (const address of image.functionStarts()) yield safe`${hex(address, digits)}\n`;
}

function* exportedSymbols(image: MachOSlice): Pieces {
  const base = image.image.loadAddress;
  const digits = image.header.pointerSize * 2;
  for (const { name, kind, weak, value, resolver, reexport } of image.exports()) {
    const notes = [
      ...(kind === "regular" ? [] : [escape(kind)]),
      ...(weak ? [safe`weak`] : []),
      ...(resolver === null ? [] : [safe`resolver ${hex(base + resolver)}`]),
      ...(reexport === null ? [] : [
        safe`re-export of ${escape(reexport.name)} from ${
          escape(ordinalName(reexport.ordinal, image.dylibs))
        }`,
      ]),
    ];
    const address = value === null
      ? spaces(digits + 2)
      : hex(kind === "absolute" ? value : base + value, digits);
    const remarks = notes.length === 0 ? safe`` : safe` (${join(notes, ", ")})`;
    yield safe`${address} ${escape(name)}${remarks}\n`;
  }
}

function* fixups(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  const { dylibs } = image;
  for (const fixup of image.fixups()) {
    const { kind, segment, section, address, type, target, addend, ordinal, symbol, auth } = fixup;
    const place = escape(`${segment ?? "-"},${section ?? "-"}`);
    const what = symbol === null
      ? target === null ? safe`` : safe` ${hex(target, digits)}`
      : safe` ${escape(ordinal === null ? "?" : ordinalName(ordinal, dylibs))} ${escape(symbol)}${
        addendText(addend)
      }${fixup.weakImport ? safe` (weak import)` : safe``}`;
    const signed = auth === null
      ? safe``
      : safe` (${escape(auth.key)}, diversity ${hex(auth.diversity)}${
        auth.addressDiversity ? safe`, address` : safe``
      })`;
    const where = address === null ? safe`-` : hex(address, digits);
    yield safe`${where} ${place} ${escape(kind)} ${escape(type)}${what}${signed}\n`;
  }
}

function addendText(addend: bigint | null): SafeText {
  if (addend === null || addend === 0n) return safe``;
  return addend < 0n ? safe` - ${hex(-addend)}` : safe` + ${hex(addend)}`;
}

function* objc(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  for (const { name, category, superclass, address, methods } of image.objcClasses()) {
    const title = category === null
      ? escape(`class ${name}${superclass === null ? "" : ` : ${superclass}`}`)
      : escape(`category ${name}(${category})`);
    yield safe`${hex(address, digits)} ${title}\n`;
    for (const method of methods) {
      yield safe`${hex(method.address, digits)}   ${escape(method.name)}\n`;
    }
  }
}

function* swift(image: MachOSlice): Pieces {
  const digits = image.header.pointerSize * 2;
  for (const { name, kind, address } of image.swiftTypes()) {
    yield safe`${hex(address, digits)} ${escape(kind)} ${escape(name)}\n`;
  }
}
