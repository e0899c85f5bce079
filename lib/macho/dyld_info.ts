/** Classic dyld information (`LC_DYLD_INFO`, `LC_DYLD_INFO_ONLY`): programs of one-byte opcodes
 * that say which pointers to rebase and to bind. `REBASE_OPCODE_*` and `BIND_OPCODE_*` of
 * `<mach-o/loader.h>`. */

import { hex } from "../hex.ts";
import { UlebReader } from "../leb128.ts";
import { type Fixup, placeOf } from "./fixups.ts";
import { rawText } from "./strings.ts";
import type { Segment } from "./types.ts";

/** What fixups need of the image. */
export interface FixupImage {
  readonly pointerSize: 4 | 8;
  readonly segments: readonly Segment[];
  /** Maximum number of fixups: what the file has room for. */
  readonly maxFixups: number;
  /** Reports damage, one line each. */
  warn(message: string): void;
}

/** What an opcode does, named after its last parts in `<mach-o/loader.h>`. `imm` is the opcode's
 * lower half; a `uleb` or `sleb` follows the opcode. */
type Operation =
  | "done"
  | "set type imm"
  | "set segment and offset uleb"
  | "set dylib ordinal imm"
  | "set dylib ordinal uleb"
  | "set dylib special imm"
  | "set symbol trailing flags imm"
  | "set addend sleb"
  | "add addr uleb"
  | "add addr imm scaled"
  | "do"
  | "do imm times"
  | "do uleb times"
  | "do add addr uleb"
  | "do add addr imm scaled"
  | "do uleb times skipping uleb"
  | "threaded";

/** `REBASE_OPCODE_*`, by the opcode's upper half. */
const rebaseOperations: readonly Operation[] = [
  "done",
  "set type imm",
  "set segment and offset uleb",
  "add addr uleb",
  "add addr imm scaled",
  "do imm times",
  "do uleb times",
  "do add addr uleb",
  "do uleb times skipping uleb",
];

/** `BIND_OPCODE_*`, by the opcode's upper half. */
const bindOperations: readonly Operation[] = [
  "done",
  "set dylib ordinal imm",
  "set dylib ordinal uleb",
  "set dylib special imm",
  "set symbol trailing flags imm",
  "set type imm",
  "set addend sleb",
  "set segment and offset uleb",
  "add addr uleb",
  "do",
  "do add addr uleb",
  "do add addr imm scaled",
  "do uleb times skipping uleb",
  "threaded",
];

const WEAK_IMPORT = 1;
const NON_WEAK_DEFINITION = 8;

const typeNames = ["type 0", "pointer", "text-absolute", "text-pcrel"];

/** Damage in a program. The fixups before it are kept. */
class Damage extends Error {}

/** Runs rebase opcodes, or bind opcodes of one of the three kinds. Damage ends the program, with a
 * warning.
 *
 * @param bytes of the program
 */
export function* dyldFixups(
  bytes: Uint8Array,
  kind: Fixup["kind"],
  image: FixupImage,
): Generator<Fixup> {
  const reader = new UlebReader(bytes);
  try {
    yield* run(bytes, reader, kind, image);
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    image.warn(
      `the ${kind} opcodes: at byte ${hex(reader.position)}: ${error.message}; ` +
        "the rest is left out",
    );
  }
}

function* run(
  bytes: Uint8Array,
  reader: UlebReader,
  kind: Fixup["kind"],
  image: FixupImage,
): Generator<Fixup> {
  const { pointerSize, segments, maxFixups } = image;
  const operations = kind === "rebase" ? rebaseOperations : bindOperations;
  // The registers, which dyld calls by the same names.
  let segment: Segment | undefined;
  let offset = 0;
  let type = kind === "lazy-bind" ? 1 : 0;
  let addend = kind === "rebase" ? null : 0n;
  // Weak symbols are searched for in all images.
  let ordinal = kind === "rebase" ? null : kind === "weak-bind" ? -3 : 0;
  let symbol = kind === "rebase" ? null : "";
  let flags = 0;
  let count = 0;

  const uleb = (): number => {
    const value = reader.nextBig();
    if (value === undefined) throw new Damage("a number breaks off");
    // Negative distances are stored modulo 2^64.
    return Number(BigInt.asIntN(64, value));
  };
  const fixup = (): Fixup => {
    if (segment === undefined) throw new Damage("no segment is set");
    if (!(offset >= 0 && offset + pointerSize <= segment.size)) {
      throw new Damage(`offset ${hex(offset)} is outside its segment`);
    }
    if (++count > maxFixups) throw new Damage("there are more than the file has room for");
    const address = segment.vmAddress + BigInt(offset);
    return {
      kind,
      ...placeOf(segments, segment, address),
      address,
      type: typeNames[type] ?? `type ${type}`,
      target: null,
      addend,
      ordinal,
      symbol,
      weakImport: (flags & WEAK_IMPORT) !== 0,
      auth: null,
    };
  };

  while (reader.position < bytes.length) {
    const byte = bytes[reader.position++];
    const immediate = byte & 0x0f;
    let times = 0;
    let skip = 0;
    switch (operations[byte >> 4]) {
      case undefined:
        throw new Damage(`unknown opcode ${hex(byte)}`);
      case "done":
        // dyld runs each lazy bind by itself, so each ends with this.
        if (kind === "lazy-bind") break;
        return;
      case "set type imm":
        type = immediate;
        break;
      case "set segment and offset uleb":
        segment = segments[immediate];
        if (segment === undefined) throw new Damage(`there is no segment ${immediate}`);
        offset = uleb();
        break;
      case "set dylib ordinal imm":
        ordinal = immediate;
        break;
      case "set dylib ordinal uleb":
        ordinal = uleb();
        break;
      case "set dylib special imm":
        ordinal = immediate === 0 ? 0 : immediate - 16;
        break;
      case "set symbol trailing flags imm": {
        const end = bytes.indexOf(0, reader.position);
        if (end < 0) throw new Damage("a name breaks off");
        symbol = rawText(bytes.subarray(reader.position, end));
        reader.position = end + 1;
        flags = immediate;
        if (kind === "weak-bind" && (flags & NON_WEAK_DEFINITION) !== 0) {
          yield {
            ...{ kind, segment: null, section: null, address: null, type: "strong" },
            ...{ target: null, addend: null, ordinal, symbol, weakImport: false, auth: null },
          };
        }
        break;
      }
      case "set addend sleb":
        addend = reader.nextSigned() ?? null;
        if (addend === null) throw new Damage("a number breaks off");
        break;
      case "add addr uleb":
        offset += uleb();
        break;
      case "add addr imm scaled":
        offset += immediate * pointerSize;
        break;
      case "do":
        times = 1;
        break;
      case "do imm times":
        times = immediate;
        break;
      case "do uleb times":
        times = uleb();
        break;
      case "do add addr uleb":
        times = 1;
        skip = uleb();
        break;
      case "do add addr imm scaled":
        times = 1;
        skip = immediate * pointerSize;
        break;
      case "do uleb times skipping uleb":
        times = uleb();
        skip = uleb();
        break;
      case "threaded":
        throw new Damage("threaded binds, which early arm64e linkers wrote, are not read");
    }
    // A damaged count runs to the segment's end, and fails there.
    for (; times > 0; times--) {
      yield fixup();
      offset += pointerSize + skip;
    }
  }
}
