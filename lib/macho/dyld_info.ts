/** Classic dyld information (`LC_DYLD_INFO`, `LC_DYLD_INFO_ONLY`): programs of one-byte opcodes that
 * say which pointers to rebase and to bind. `REBASE_OPCODE_*` and `BIND_OPCODE_*` of
 * `<mach-o/loader.h>`. */

import { type Fixup, placeOf } from "./fixups.ts";
import type { Segment } from "./types.ts";
import { UlebReader } from "./uleb.ts";

/** What the interpreters need to know of the image. */
export interface FixupImage {
  readonly pointerSize: 4 | 8;
  readonly segments: readonly Segment[];
  /** At most so many fixups are read: what the file has room for. */
  readonly maxFixups: number;
  /** Gets a line for what is damaged. */
  warn(message: string): void;
}

const REBASE = {
  DONE: 0x00,
  SET_TYPE_IMM: 0x10,
  SET_SEGMENT_AND_OFFSET_ULEB: 0x20,
  ADD_ADDR_ULEB: 0x30,
  ADD_ADDR_IMM_SCALED: 0x40,
  DO_REBASE_IMM_TIMES: 0x50,
  DO_REBASE_ULEB_TIMES: 0x60,
  DO_REBASE_ADD_ADDR_ULEB: 0x70,
  DO_REBASE_ULEB_TIMES_SKIPPING_ULEB: 0x80,
} as const;

const BIND = {
  DONE: 0x00,
  SET_DYLIB_ORDINAL_IMM: 0x10,
  SET_DYLIB_ORDINAL_ULEB: 0x20,
  SET_DYLIB_SPECIAL_IMM: 0x30,
  SET_SYMBOL_TRAILING_FLAGS_IMM: 0x40,
  SET_TYPE_IMM: 0x50,
  SET_ADDEND_SLEB: 0x60,
  SET_SEGMENT_AND_OFFSET_ULEB: 0x70,
  ADD_ADDR_ULEB: 0x80,
  DO_BIND: 0x90,
  DO_BIND_ADD_ADDR_ULEB: 0xa0,
  DO_BIND_ADD_ADDR_IMM_SCALED: 0xb0,
  DO_BIND_ULEB_TIMES_SKIPPING_ULEB: 0xc0,
  THREADED: 0xd0,
} as const;

const WEAK_IMPORT = 1;
const NON_WEAK_DEFINITION = 8;

const typeNames = ["type 0", "pointer", "text-absolute", "text-pcrel"];

/** Damage in the program; what came before it is kept. */
class Damage extends Error {}

/** A program's registers: where the next fixup goes. */
class Place {
  #segment: Segment | undefined;
  #offset = 0;
  #count = 0;
  readonly #image: FixupImage;
  readonly #reader: UlebReader;

  constructor(image: FixupImage, reader: UlebReader) {
    this.#image = image;
    this.#reader = reader;
  }

  /** A number that must be there. */
  uleb(): number {
    const value = this.#reader.nextBig();
    if (value === undefined) throw new Damage("a number breaks off");
    // Distances may be negative: they are added modulo 2^64.
    return Number(BigInt.asIntN(64, value));
  }

  setSegment(index: number): void {
    this.#segment = this.#image.segments[index];
    if (this.#segment === undefined) throw new Damage(`there is no segment ${index}`);
    this.#offset = this.uleb();
  }

  add(distance: number): void {
    this.#offset += distance;
  }

  /** Where the next fixup is, which must be inside a segment. */
  next(): Pick<Fixup, "segment" | "section" | "address"> {
    const segment = this.#segment;
    const { pointerSize, maxFixups } = this.#image;
    if (segment === undefined) throw new Damage("no segment is set");
    if (!(this.#offset >= 0 && this.#offset + pointerSize <= segment.size)) {
      throw new Damage(`offset 0x${this.#offset.toString(16)} is outside its segment`);
    }
    if (++this.#count > maxFixups) throw new Damage("there are more than the file has room for");
    const address = segment.vmAddress + BigInt(this.#offset);
    this.#offset += pointerSize;
    return { ...placeOf(this.#image.segments, segment, address), address };
  }
}

/** Says once what is wrong, and ends the program there. */
function* guarded(
  image: FixupImage,
  part: string,
  reader: UlebReader,
  run: () => Generator<Fixup>,
): Generator<Fixup> {
  try {
    yield* run();
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    image.warn(
      `${part}: at its byte 0x${reader.position.toString(16)}: ${error.message}; ` +
        "the rest is left out",
    );
  }
}

/** Runs the rebase opcodes.
 *
 * @param bytes of the program
 */
export function rebases(bytes: Uint8Array, image: FixupImage): Generator<Fixup> {
  const reader = new UlebReader(bytes);
  const place = new Place(image, reader);
  let type = 0;
  const rebase = (): Fixup => ({
    kind: "rebase",
    ...place.next(),
    type: typeNames[type] ?? `type ${type}`,
    target: null,
    addend: null,
    ordinal: null,
    symbol: null,
    weakImport: false,
    auth: null,
  });
  return guarded(image, "the rebase opcodes", reader, function* () {
    while (reader.position < bytes.length) {
      const byte = bytes[reader.position++];
      const immediate = byte & 0x0f;
      let times = 0;
      let skip = 0;
      switch (byte & 0xf0) {
        case REBASE.DONE:
          return;
        case REBASE.SET_TYPE_IMM:
          type = immediate;
          break;
        case REBASE.SET_SEGMENT_AND_OFFSET_ULEB:
          place.setSegment(immediate);
          break;
        case REBASE.ADD_ADDR_ULEB:
          place.add(place.uleb());
          break;
        case REBASE.ADD_ADDR_IMM_SCALED:
          place.add(immediate * image.pointerSize);
          break;
        case REBASE.DO_REBASE_IMM_TIMES:
          times = immediate;
          break;
        case REBASE.DO_REBASE_ULEB_TIMES:
          times = place.uleb();
          break;
        case REBASE.DO_REBASE_ADD_ADDR_ULEB:
          times = 1;
          skip = place.uleb();
          break;
        case REBASE.DO_REBASE_ULEB_TIMES_SKIPPING_ULEB:
          times = place.uleb();
          skip = place.uleb();
          break;
        default:
          throw new Damage(`unknown opcode 0x${byte.toString(16)}`);
      }
      // A count beyond the segment ends there, with the error that says so.
      for (; times > 0; times--) {
        yield rebase();
        place.add(skip);
      }
    }
  });
}

const decoder = new TextDecoder();

/** Runs bind opcodes of one of the three kinds.
 *
 * @param bytes of the program
 */
export function binds(
  bytes: Uint8Array,
  kind: "bind" | "weak-bind" | "lazy-bind",
  image: FixupImage,
): Generator<Fixup> {
  const reader = new UlebReader(bytes);
  const place = new Place(image, reader);
  let type = kind === "lazy-bind" ? 1 : 0;
  let addend = 0n;
  // Weak symbols are looked for everywhere.
  let ordinal = kind === "weak-bind" ? -3 : 0;
  let symbol = "";
  let flags = 0;
  const bind = (): Fixup => ({
    kind,
    ...place.next(),
    type: typeNames[type] ?? `type ${type}`,
    target: null,
    addend,
    ordinal,
    symbol,
    weakImport: (flags & WEAK_IMPORT) !== 0,
    auth: null,
  });
  return guarded(image, `the ${kind} opcodes`, reader, function* () {
    while (reader.position < bytes.length) {
      const byte = bytes[reader.position++];
      const immediate = byte & 0x0f;
      let times = 0;
      let skip = 0;
      switch (byte & 0xf0) {
        case BIND.DONE:
          // Each lazy bind ends so, for dyld runs them one by one.
          if (kind === "lazy-bind") break;
          return;
        case BIND.SET_DYLIB_ORDINAL_IMM:
          ordinal = immediate;
          break;
        case BIND.SET_DYLIB_ORDINAL_ULEB:
          ordinal = place.uleb();
          break;
        case BIND.SET_DYLIB_SPECIAL_IMM:
          ordinal = immediate === 0 ? 0 : immediate - 16;
          break;
        case BIND.SET_SYMBOL_TRAILING_FLAGS_IMM: {
          const end = bytes.indexOf(0, reader.position);
          if (end < 0) throw new Damage("a name breaks off");
          symbol = decoder.decode(bytes.subarray(reader.position, end));
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
        case BIND.SET_TYPE_IMM:
          type = immediate;
          break;
        case BIND.SET_ADDEND_SLEB: {
          const value = reader.nextSigned();
          if (value === undefined) throw new Damage("a number breaks off");
          addend = value;
          break;
        }
        case BIND.SET_SEGMENT_AND_OFFSET_ULEB:
          place.setSegment(immediate);
          break;
        case BIND.ADD_ADDR_ULEB:
          place.add(place.uleb());
          break;
        case BIND.DO_BIND:
          times = 1;
          break;
        case BIND.DO_BIND_ADD_ADDR_ULEB:
          times = 1;
          skip = place.uleb();
          break;
        case BIND.DO_BIND_ADD_ADDR_IMM_SCALED:
          times = 1;
          skip = immediate * image.pointerSize;
          break;
        case BIND.DO_BIND_ULEB_TIMES_SKIPPING_ULEB:
          times = place.uleb();
          skip = place.uleb();
          break;
        case BIND.THREADED:
          throw new Damage("threaded binds, which early arm64e linkers wrote, are not read");
        default:
          throw new Damage(`unknown opcode 0x${byte.toString(16)}`);
      }
      for (; times > 0; times--) {
        yield bind();
        place.add(skip);
      }
    }
  });
}
