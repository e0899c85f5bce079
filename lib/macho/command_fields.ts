/** The fields of every load command, named as in the structures of `<mach-o/loader.h>`. One table
 * lists the fields of each command; one reader reads them all. */

import { formatUuid, hex } from "../hex.ts";
import { LC } from "./constants.ts";
import { cString, rawText } from "./strings.ts";

/** A field's value. 64-bit numbers and addresses are `bigint`; versions, UUIDs and names are text;
 * `null` when the command is too short to hold the field. */
export type FieldValue =
  | string
  | number
  | bigint
  | null
  | readonly string[]
  | readonly Readonly<Record<string, FieldValue>>[];

/** Storage and meaning of a field. */
type Kind =
  | "u32"
  /** A number that is shown in hexadecimal: flags, 32-bit addresses. */
  | "x32"
  | "u64"
  | "x64"
  /** A signed number: protections. */
  | "i32"
  /** `union lc_str`: the offset of a string in the command. */
  | "str"
  /** 16 characters. */
  | "name"
  | "uuid"
  /** X.Y.Z in 16, 8 and 8 bits. */
  | "version"
  /** A.B.C.D.E in 24, 10, 10, 10 and 10 bits. */
  | "source";

const SIZES: Readonly<Record<Kind, number>> = {
  u32: 4,
  x32: 4,
  u64: 8,
  x64: 8,
  i32: 4,
  str: 4,
  name: 16,
  uuid: 16,
  version: 4,
  source: 8,
};

/** What follows the fixed fields. */
type Tail = "sections" | "sections64" | "tools" | "strings" | "threads";

interface Layout {
  readonly name: string;
  readonly fields: readonly (readonly [name: string, kind: Kind])[];
  readonly tail: Tail | null;
}

const segment = "segname:name vmaddr:x32 vmsize:x32 fileoff:u32 filesize:u32 maxprot:i32 " +
  "initprot:i32 nsects:u32 flags:x32";
const segment64 = "segname:name vmaddr:x64 vmsize:x64 fileoff:u64 filesize:u64 maxprot:i32 " +
  "initprot:i32 nsects:u32 flags:x32";
const dylib = "name:str timestamp:u32 current_version:version compatibility_version:version";
const fvmlib = "name:str minor_version:u32 header_addr:x32";
const linkedit = "dataoff:u32 datasize:u32";
const minimum = "version:version sdk:version";
const dyldInfo = "rebase_off:u32 rebase_size:u32 bind_off:u32 bind_size:u32 weak_bind_off:u32 " +
  "weak_bind_size:u32 lazy_bind_off:u32 lazy_bind_size:u32 export_off:u32 export_size:u32";
const dysymtab = "ilocalsym:u32 nlocalsym:u32 iextdefsym:u32 nextdefsym:u32 iundefsym:u32 " +
  "nundefsym:u32 tocoff:u32 ntoc:u32 modtaboff:u32 nmodtab:u32 extrefsymoff:u32 " +
  "nextrefsyms:u32 indirectsymoff:u32 nindirectsyms:u32 extreloff:u32 nextrel:u32 " +
  "locreloff:u32 nlocrel:u32";
const routines = (kind: "x32" | "x64"): string =>
  ["init_address", "init_module", ...[1, 2, 3, 4, 5, 6].map((n) => `reserved${n}`)]
    .map((name) => `${name}:${kind}`).join(" ");

const specs: Readonly<Record<keyof typeof LC, string>> = {
  SEGMENT: `${segment} +sections`,
  SYMTAB: "symoff:u32 nsyms:u32 stroff:u32 strsize:u32",
  SYMSEG: "offset:u32 size:u32",
  THREAD: "+threads",
  UNIXTHREAD: "+threads",
  LOADFVMLIB: fvmlib,
  IDFVMLIB: fvmlib,
  IDENT: "",
  FVMFILE: "name:str header_addr:x32",
  PREPAGE: "",
  DYSYMTAB: dysymtab,
  LOAD_DYLIB: dylib,
  ID_DYLIB: dylib,
  LOAD_DYLINKER: "name:str",
  ID_DYLINKER: "name:str",
  PREBOUND_DYLIB: "name:str nmodules:u32 linked_modules:u32",
  ROUTINES: routines("x32"),
  SUB_FRAMEWORK: "umbrella:str",
  SUB_UMBRELLA: "sub_umbrella:str",
  SUB_CLIENT: "client:str",
  SUB_LIBRARY: "sub_library:str",
  TWOLEVEL_HINTS: "offset:u32 nhints:u32",
  PREBIND_CKSUM: "cksum:x32",
  LOAD_WEAK_DYLIB: dylib,
  SEGMENT_64: `${segment64} +sections64`,
  ROUTINES_64: routines("x64"),
  UUID: "uuid:uuid",
  RPATH: "path:str",
  CODE_SIGNATURE: linkedit,
  SEGMENT_SPLIT_INFO: linkedit,
  REEXPORT_DYLIB: dylib,
  LAZY_LOAD_DYLIB: dylib,
  ENCRYPTION_INFO: "cryptoff:u32 cryptsize:u32 cryptid:u32",
  DYLD_INFO: dyldInfo,
  DYLD_INFO_ONLY: dyldInfo,
  LOAD_UPWARD_DYLIB: dylib,
  VERSION_MIN_MACOSX: minimum,
  VERSION_MIN_IPHONEOS: minimum,
  FUNCTION_STARTS: linkedit,
  DYLD_ENVIRONMENT: "name:str",
  MAIN: "entryoff:u64 stacksize:u64",
  DATA_IN_CODE: linkedit,
  SOURCE_VERSION: "version:source",
  DYLIB_CODE_SIGN_DRS: linkedit,
  ENCRYPTION_INFO_64: "cryptoff:u32 cryptsize:u32 cryptid:u32 pad:u32",
  LINKER_OPTION: "count:u32 +strings",
  LINKER_OPTIMIZATION_HINT: linkedit,
  VERSION_MIN_TVOS: minimum,
  VERSION_MIN_WATCHOS: minimum,
  NOTE: "data_owner:name offset:u64 size:u64",
  BUILD_VERSION: "platform:u32 minos:version sdk:version ntools:u32 +tools",
  DYLD_EXPORTS_TRIE: linkedit,
  DYLD_CHAINED_FIXUPS: linkedit,
  FILESET_ENTRY: "vmaddr:x64 fileoff:u64 entry_id:str reserved:u32",
  ATOM_INFO: linkedit,
  FUNCTION_VARIANTS: linkedit,
  FUNCTION_VARIANT_FIXUPS: linkedit,
  TARGET_TRIPLE: "triple:str",
};

function parseFields(spec: string): Layout["fields"] {
  return spec.split(" ").filter((part) => part.includes(":")).map((part) => {
    const [name, kind] = part.split(":");
    return [name, kind as Kind] as const;
  });
}

const layouts: ReadonlyMap<number, Layout> = new Map(
  Object.entries(specs).map(([name, spec]) => [
    LC[name as keyof typeof LC],
    {
      name: `LC_${name}`,
      fields: parseFields(spec),
      tail: (/\+(\w+)$/.exec(spec)?.[1] ?? null) as Tail | null,
    },
  ]),
);

const section = parseFields(
  "sectname:name segname:name addr:x32 size:x32 offset:u32 align:u32 reloff:u32 nreloc:u32 " +
    "flags:x32 reserved1:u32 reserved2:u32",
);
const section64 = parseFields(
  "sectname:name segname:name addr:x64 size:x64 offset:u32 align:u32 reloff:u32 nreloc:u32 " +
    "flags:x32 reserved1:u32 reserved2:u32 reserved3:u32",
);
const tool = parseFields("tool:u32 version:version");

/** The name of a load command, such as `LC_SYMTAB`; `LC_0x…` for an unknown command.
 *
 * @param command `LC_*`, including `LC_REQ_DYLD`
 */
export function loadCommandName(command: number): string {
  return layouts.get(command)?.name ?? `LC_${hex(command)}`;
}

/** Whether a field is shown in hexadecimal: addresses and flags. */
export function isHexadecimal(command: number, field: string): boolean {
  const all = [...(layouts.get(command)?.fields ?? []), ...section64];
  const kind = all.find(([name]) => name === field)?.[1];
  return kind === "x32" || kind === "x64";
}

/** The fields of one load command, in the structure's order; none for an unknown command.
 *
 * @param bytes of the whole command, including `cmd` and `cmdsize`
 * @param command `LC_*`
 */
export function readCommandFields(
  bytes: Uint8Array,
  command: number,
): Record<string, FieldValue> {
  const layout = layouts.get(command);
  if (layout === undefined) return {};
  const reader = new FieldReader(bytes);
  const fields = reader.fields(8, layout.fields);
  const at = 8 + sizeOf(layout.fields);
  switch (layout.tail) {
    case "sections":
      fields.sections = reader.repeat(at, section, fields.nsects as number | null);
      break;
    case "sections64":
      fields.sections = reader.repeat(at, section64, fields.nsects as number | null);
      break;
    case "tools":
      fields.tools = reader.repeat(at, tool, fields.ntools as number | null);
      break;
    case "strings":
      fields.strings = reader.strings(at, fields.count as number | null);
      break;
    case "threads":
      fields.flavors = reader.threads(at);
      break;
  }
  return fields;
}

function sizeOf(fields: Layout["fields"]): number {
  return fields.reduce((sum, [, kind]) => sum + SIZES[kind], 0);
}

class FieldReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  fields(at: number, fields: Layout["fields"]): Record<string, FieldValue> {
    const found: Record<string, FieldValue> = {};
    for (const [name, kind] of fields) {
      found[name] = at + SIZES[kind] > this.#bytes.length ? null : this.#value(at, kind);
      at += SIZES[kind];
    }
    return found;
  }

  /** Reads up to `count` entries, as far as there are bytes. */
  repeat(at: number, fields: Layout["fields"], count: number | null) {
    const size = sizeOf(fields);
    const room = Math.max(0, Math.floor((this.#bytes.length - at) / size));
    return Array.from(
      { length: Math.min(count ?? 0, room) },
      (_, index) => this.fields(at + index * size, fields),
    );
  }

  /** NUL-terminated strings, one after another. */
  strings(at: number, count: number | null): string[] {
    const found: string[] = [];
    while (found.length < (count ?? 0) && at < this.#bytes.length) {
      const end = this.#bytes.indexOf(0, at);
      found.push(rawText(this.#bytes.subarray(at, end < 0 ? undefined : end)));
      at = end < 0 ? this.#bytes.length : end + 1;
    }
    return found;
  }

  /** Thread states: a flavor, the number of 32-bit words, and those words, until the end. */
  threads(at: number): Record<string, FieldValue>[] {
    const found: Record<string, FieldValue>[] = [];
    while (at + 8 <= this.#bytes.length) {
      const flavor = this.#view.getUint32(at, true);
      const count = this.#view.getUint32(at + 4, true);
      // What remains is padding, or damage.
      if (flavor === 0 && count === 0) break;
      found.push({ flavor, count });
      at += 8 + 4 * count;
    }
    return found;
  }

  #value(at: number, kind: Kind): FieldValue {
    const view = this.#view;
    switch (kind) {
      case "u32":
      case "x32":
        return view.getUint32(at, true);
      case "i32":
        return view.getInt32(at, true);
      case "u64":
      case "x64":
        return view.getBigUint64(at, true);
      case "str": {
        const offset = view.getUint32(at, true);
        return offset < 8 || offset > this.#bytes.length ? null : this.strings(offset, 1)[0] ?? "";
      }
      case "name": {
        return cString(this.#bytes.subarray(at, at + 16));
      }
      case "uuid":
        return formatUuid(this.#bytes.subarray(at, at + 16));
      case "version": {
        const value = view.getUint32(at, true);
        return `${value >>> 16}.${(value >>> 8) & 0xff}.${value & 0xff}`;
      }
      case "source": {
        const value = view.getBigUint64(at, true);
        const parts = [40n, 30n, 20n, 10n, 0n].map((shift, index) =>
          Number((value >> shift) & (index === 0 ? 0xffffffn : 0x3ffn))
        );
        while (parts.length > 2 && parts.at(-1) === 0) parts.pop();
        return parts.join(".");
      }
    }
  }
}
