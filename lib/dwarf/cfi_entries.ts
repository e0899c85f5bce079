/** The entries of a call-frame section: CIEs, with what functions have in common, and FDEs, one per function.
 * DWARF 5, section 6.4.1; for `__eh_frame` the Linux Standard Base, "Exception Frames". */
import type { Cursor } from "./cursor.ts";
import {
  OMIT,
  type PointerBases,
  readCodeAddress,
  readLength,
  skipPointer,
} from "./pointer_encoding.ts";

/** The kind of section. The two differ in how an FDE refers to its CIE. */
export type FrameSectionKind = "eh_frame" | "debug_frame";

/** The start of both kinds of entries. All numbers are offsets in the section. */
export interface Entry {
  readonly offset: number;
  /** Offset of an FDE's CIE; `null` for a CIE. */
  readonly cie: number | null;
  /** Offset after the CIE's id or the FDE's CIE pointer. */
  readonly body: number;
  readonly end: number;
}

/** A Common Information Entry. */
export interface Cie {
  readonly offset: number;
  /** Size of a pointer, in bytes. */
  readonly addressSize: 4 | 8;
  /** Size of the segment selector before each code address, in bytes. */
  readonly segmentSize: number;
  readonly codeAlignment: number;
  readonly dataAlignment: number;
  readonly returnAddress: number;
  /** Encoding of code addresses. */
  readonly encoding: number;
  /** Whether FDEs have augmentation data with its length. */
  readonly sized: boolean;
  readonly signalFrame: boolean;
  /** Offset of the instructions. */
  readonly program: number;
  readonly end: number;
}

/** A Frame Description Entry. */
export interface Fde {
  /** The function's first byte and the one after its last, relative to the section's address. `start` is
   * `NaN` if the linker removed the function. */
  readonly start: number;
  readonly end: number;
  /** Offset of the instructions. */
  readonly program: number;
}

const VERSIONS: readonly number[] = [1, 3, 4];

/** Reads the start of an entry and moves past it.
 *
 * @returns `undefined` for the empty entry that ends a list
 * @throws {FormatError} when the length is impossible: no later entry can be found
 */
export function readEntry(cursor: Cursor, kind: FrameSectionKind): Entry | undefined {
  const offset = cursor.position;
  let length = cursor.u32();
  if (length === 0) return undefined;
  const is64 = length === 0xffff_ffff;
  if (is64) length = Number(cursor.u64());
  else if (length >= 0xffff_fff0) throw cursor.damage("a length below 0xfffffff0", offset);
  const idPosition = cursor.position;
  cursor.skip(length);
  const end = cursor.position;
  // In __eh_frame the id has four bytes even after a 64-bit length.
  const wide = is64 && kind === "debug_frame";
  const body = idPosition + (wide ? 8 : 4);
  if (body > end) return { offset, cie: -1, body: end, end };
  cursor.position = idPosition;
  let cie: number | null;
  if (kind === "eh_frame") {
    const back = cursor.u32();
    cie = back === 0 ? null : idPosition - back;
  } else if (wide) {
    const id = cursor.u64();
    cie = id === 0xffff_ffff_ffff_ffffn ? null : Number(id);
  } else {
    const id = cursor.u32();
    cie = id === 0xffff_ffff ? null : id;
  }
  cursor.position = end;
  return { offset, cie, body, end };
}

/** Reads a CIE.
 *
 * @param pointerSize used if the CIE does not say
 * @throws {FormatError} when it is damaged or has an unknown feature
 */
export function readCie(
  section: Cursor,
  entry: Entry,
  kind: FrameSectionKind,
  pointerSize: 4 | 8,
  bases: PointerBases,
): Cie {
  const cursor = section.at(entry.body, entry.end);
  const version = cursor.u8();
  if (!VERSIONS.includes(version)) {
    throw cursor.damage(`a CIE of version 1, 3 or 4, not ${version}`, entry.body);
  }
  const augmentation = cursor.string();
  let addressSize: number = pointerSize;
  let segmentSize = 0;
  if (version >= 4) {
    addressSize = cursor.u8();
    segmentSize = cursor.u8();
  }
  if (addressSize !== 4 && addressSize !== 8) {
    throw cursor.damage(`addresses of 4 or 8 bytes, not ${addressSize}`);
  }
  // GCC 2's: a pointer to its exception table.
  if (augmentation === "eh") cursor.skip(addressSize);
  const codeAlignment = cursor.uleb();
  const dataAlignment = cursor.sleb();
  const returnAddress = version === 1 ? cursor.u8() : cursor.uleb();
  const sized = augmentation.startsWith("z");
  let encoding = 0;
  let signalFrame = false;
  if (sized) {
    const length = cursor.uleb();
    const start = cursor.skip(length);
    const program = cursor.position;
    cursor.position = start;
    cursor.end = program;
    letters: for (const letter of augmentation.slice(1)) {
      switch (letter) {
        case "R":
          encoding = cursor.u8();
          break;
        case "P":
          skipPointer(cursor, cursor.u8(), addressSize, bases);
          break;
        case "L":
          cursor.u8();
          break;
        case "S":
          signalFrame = true;
          break;
        case "B": // The return address is signed with the B key.
        case "G": // The stack frame is tagged.
          break;
        default:
          // The size of its data is unknown, and so is where the data of later letters begins.
          break letters;
      }
    }
    cursor.position = program;
  } else if (augmentation !== "" && augmentation !== "eh") {
    throw cursor.damage(
      `a known augmentation, not ${JSON.stringify(augmentation)}`,
      entry.body + 1,
    );
  }
  if (encoding === OMIT) throw cursor.damage("code addresses", entry.body);
  return {
    offset: entry.offset,
    addressSize,
    segmentSize,
    codeAlignment,
    dataAlignment,
    returnAddress,
    // .debug_frame has no encodings.
    encoding: kind === "eh_frame" ? encoding : 0,
    sized,
    signalFrame,
    program: cursor.position,
    end: entry.end,
  };
}

/** Reads an FDE.
 *
 * @param cursor positioned at the entry's body
 * @throws {FormatError} when it is damaged
 */
export function readFde(cursor: Cursor, cie: Cie, bases: PointerBases): Fde {
  if (cie.segmentSize !== 0) cursor.skip(cie.segmentSize);
  const start = readCodeAddress(cursor, cie.encoding, cie.addressSize, bases);
  const length = readLength(cursor, cie.encoding, cie.addressSize);
  if (cie.sized) cursor.skip(cursor.uleb());
  return { start, end: start + length, program: cursor.position };
}
