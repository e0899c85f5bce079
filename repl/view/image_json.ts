/** The stable form of `image --json`: one object. Addresses, and all numbers that are 64 bits wide in
 * the file, are `"0x…"`; what is not known, or was not asked for, is `null`. */
import { cdHash, type FieldValue, type MachOFile, type MachOSlice } from "../../mod.ts";
import type { ImageLists } from "./image.ts";
import { safeJson } from "./json.ts";

type Plain = unknown;

/** The object in pieces: a list may be larger than a string can be. */
export async function* imageJson(file: MachOFile, wanted: ImageLists): AsyncGenerator<string> {
  yield `{"file":${safeJson(file.path)},"kind":${safeJson(file.kind)},"images":[`;
  for (const [index, image] of file.images.entries()) {
    yield index === 0 ? "" : ",";
    yield safeJson(await summary(image)).slice(0, -1);
    for (const [key, items] of Object.entries(lists)) {
      yield `,"${key}":`;
      if (!wanted[key as keyof ImageLists]) {
        yield "null";
        continue;
      }
      let separator = "[";
      for (const item of items(image)) {
        yield separator + safeJson(plain(item));
        separator = ",";
      }
      yield separator === "[" ? "[]" : "]";
    }
    // Last: reading the lists may have found more.
    yield `,"warnings":${safeJson(image.warnings)}}`;
  }
  yield `],"warnings":${safeJson(file.warnings)}}\n`;
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
  if (typeof value === "bigint") {
    return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  }
  return value;
}
