/** The stable form of `image --json`: one object. Addresses and all 64-bit numbers of the file are
 * `"0x…"`; what is not known, or was not requested, is `null`. */
import { safe, safeJson, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import type { MachOFile } from "../../mod.ts";
import { cdHash, type FieldValue, type MachOSlice } from "../../lib/macho/mod.ts";
import type { ImageLists } from "./image.ts";
import { withoutLast } from "./text.ts";

type Plain = unknown;

/** The object in pieces: a list may be longer than the longest string. */
export async function* imageJson(file: MachOFile, wanted: ImageLists): AsyncGenerator<SafeText> {
  yield safe`{"file":${safeJson(file.path)},"kind":${safeJson(file.kind)},"images":[`;
  for (const [index, image] of file.images.entries()) {
    yield index === 0 ? safe`` : safe`,`;
    // The summary's closing brace comes after the lists.
    yield withoutLast(safeJson(await summary(image)));
    for (const [key, items] of Object.entries(lists)) {
      yield safe`,${safeJson(key)}:`;
      if (!wanted[key as keyof ImageLists]) {
        yield safe`null`;
        continue;
      }
      let separator = safe`[`;
      for (const item of items(image)) {
        yield safe`${separator}${safeJson(plain(item))}`;
        separator = safe`,`;
      }
      yield separator === "[" ? safe`[]` : safe`]`;
    }
    // Last: reading the lists may have added some.
    yield safe`,"warnings":${safeJson(image.warnings)}}`;
  }
  yield safe`],"warnings":${safeJson(file.warnings)}}\n`;
}

/** The lists, each an array of objects. */
const lists: Readonly<
  Record<Exclude<keyof ImageLists, "stabs">, (image: MachOSlice) => Iterable<Plain>>
> = {
  loadCommands: (image) =>
    image.loadCommands.map(({ name, command, offset, size, fields }) => ({
      name,
      command,
      offset,
      size,
      fields,
    })),
  sections: (image) =>
    image.loadCommands.flatMap(({ fields }) =>
      (fields.sections ?? []) as Record<string, FieldValue>[]
    ),
  symbols: (image) => image.symbols() ?? [],
  indirect: (image) => image.indirectSymbols(),
  functionStarts: (image) => image.functionStarts(),
  exports: (image) => {
    const base = image.image.loadAddress;
    return image.exports().map(({ name, kind, weak, value, resolver, reexport }) => ({
      name,
      kind,
      weak,
      address: value === null || kind === "absolute" ? value : base + value,
      resolver: resolver === null ? null : base + resolver,
      reexport,
    }));
  },
  fixups: (image) => image.fixups(),
  objc: (image) => image.objcClasses(),
  swift: (image) => image.swiftTypes(),
};

async function summary(image: MachOSlice): Promise<Plain> {
  const { header } = image;
  const signature = image.codeSignature();
  return plain({
    arch: image.arch,
    member: image.member,
    kind: image.kind,
    offset: image.offset,
    size: image.size,
    header: {
      magic: header.magic,
      cputype: header.cpuType,
      cpusubtype: header.cpuSubtype,
      filetype: header.fileType,
      ncmds: header.commandCount,
      sizeofcmds: header.commandsSize,
      flags: header.flags,
    },
    uuid: image.image.uuid,
    installName: image.image.installName,
    sourceVersion: image.image.sourceVersion,
    builds: image.builds,
    dylibs: image.dylibs,
    rpaths: image.rpaths,
    segments: image.segments.map((segment) => ({
      name: segment.name,
      address: segment.vmAddress,
      size: segment.size,
      fileOffset: segment.fileOffset,
      fileSize: segment.fileSize,
      initialProtection: segment.initialProtection,
      maxProtection: segment.maxProtection,
    })),
    encryption: image.encryption,
    notes: image.notes,
    codeSignature: signature === null ? null : {
      codeDirectories: await Promise.all(signature.codeDirectories.map(async (directory) => ({
        identifier: directory.identifier,
        team: directory.team,
        flags: directory.flags,
        flagNames: directory.flagNames,
        hashType: directory.hashType,
        cdHash: await cdHash(directory),
        pageSize: directory.pageSize,
        codeSlots: directory.codeSlots,
        codeLimit: directory.codeLimit,
      }))),
      entitlements: signature.entitlements,
      cmsSize: signature.cmsSize,
    },
  });
}

/** The same with every `bigint` as `"0x…"`. */
function plain(value: unknown): Plain {
  if (typeof value === "bigint") return hex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  }
  return value;
}
