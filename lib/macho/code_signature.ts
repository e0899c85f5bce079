/** The code signature (`LC_CODE_SIGNATURE`): a SuperBlob of blobs, big-endian, as defined in XNU's
 * `<kern/cs_blobs.h>`. Nothing is verified. */

import type { RawText } from "../escape.ts";
import { hexBytes } from "../hex.ts";
import { cString, rawText } from "./strings.ts";

/** One `CodeDirectory`: the hashes of what was signed. */
export interface CodeDirectory {
  /** Usually the bundle's identifier or the file's name. */
  readonly identifier: RawText | null;
  /** `null` when there is none, as in ad-hoc signatures. */
  readonly team: RawText | null;
  /** `CS_*`. */
  readonly flags: number;
  /** The names of `flags`, such as `adhoc`, `runtime`, `linker-signed`. */
  readonly flagNames: readonly string[];
  /** Such as `sha256`; the number for an unknown type. */
  readonly hashType: string;
  /** Bytes per hash; 0 when one hash covers the whole file. */
  readonly pageSize: number;
  /** Number of signed pages. */
  readonly codeSlots: number;
  /** Number of signed bytes of the file. */
  readonly codeLimit: number;
  /** The blob itself. Its hash is the CDHash. */
  readonly bytes: Uint8Array;
}

/** The contents of a code signature. */
export interface CodeSignature {
  /** In the file's order. Old systems use the first. */
  readonly codeDirectories: readonly CodeDirectory[];
  /** As an XML property list. */
  readonly entitlements: RawText | null;
  /** Size of the CMS signature, in bytes; 0 when there is none. */
  readonly cmsSize: number;
  /** All blobs: their places and types. */
  readonly blobs: readonly {
    readonly slot: number;
    readonly magic: number;
    readonly size: number;
  }[];
}

const MAGIC = {
  SUPER_BLOB: 0xfade0cc0,
  CODE_DIRECTORY: 0xfade0c02,
  ENTITLEMENTS: 0xfade7171,
  CMS: 0xfade0b01,
} as const;

const flagBits: readonly (readonly [number, string])[] = [
  [0x1, "host"],
  [0x2, "adhoc"],
  [0x100, "hard"],
  [0x200, "kill"],
  [0x400, "expires"],
  [0x800, "restrict"],
  [0x1000, "enforcement"],
  [0x2000, "library-validation"],
  [0x10000, "runtime"],
  [0x20000, "linker-signed"],
];

const hashTypes: Readonly<Record<number, string>> = {
  1: "sha1",
  2: "sha256",
  3: "sha256-truncated",
  4: "sha384",
};

/** Maximum number of blobs. More are damage. */
const MAX_BLOBS = 256;
/** First `version` of a CodeDirectory with a team, and with a 64-bit limit. */
const WITH_TEAM = 0x20200;
const WITH_LIMIT64 = 0x20300;

/** Reads a signature; `null` when there is none.
 *
 * @param bytes of the command's payload
 * @param warn reports damage, one line each; damaged parts are left out
 */
export function readCodeSignature(
  bytes: Uint8Array,
  warn: (message: string) => void,
): CodeSignature | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || view.getUint32(0) !== MAGIC.SUPER_BLOB) {
    warn("the code signature does not begin with 0xfade0cc0");
    return null;
  }
  const claimed = view.getUint32(8);
  const count = Math.min(claimed, MAX_BLOBS, Math.floor((bytes.length - 12) / 8));
  if (count < claimed) warn(`the code signature claims ${claimed} blobs`);
  const codeDirectories: CodeDirectory[] = [];
  const blobs: { slot: number; magic: number; size: number }[] = [];
  let entitlements: string | null = null;
  let cmsSize = 0;
  for (let index = 0; index < count; index++) {
    const slot = view.getUint32(12 + 8 * index);
    const offset = view.getUint32(16 + 8 * index);
    if (offset + 8 > bytes.length) {
      warn(`the code signature's blob ${index} is not there`);
      continue;
    }
    const magic = view.getUint32(offset);
    const size = view.getUint32(offset + 4);
    if (size < 8 || offset + size > bytes.length) {
      warn(`the code signature's blob ${index} claims ${size} bytes`);
      continue;
    }
    const blob = bytes.subarray(offset, offset + size);
    blobs.push({ slot, magic, size });
    if (magic === MAGIC.CODE_DIRECTORY) {
      const directory = readCodeDirectory(blob);
      if (directory === null) warn(`the code signature's blob ${index} is too short`);
      else codeDirectories.push(directory);
    } else if (magic === MAGIC.ENTITLEMENTS) {
      entitlements = rawText(blob.subarray(8));
    } else if (magic === MAGIC.CMS) {
      cmsSize = size - 8;
    }
  }
  return { codeDirectories, entitlements, cmsSize, blobs };
}

function readCodeDirectory(bytes: Uint8Array): CodeDirectory | null {
  if (bytes.length < 44) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (offset: number): RawText | null => {
    return offset === 0 || offset >= bytes.length ? null : cString(bytes.subarray(offset));
  };
  // magic, length, version, flags, hashOffset, identOffset, nSpecialSlots, nCodeSlots, codeLimit;
  // then bytes: hashSize, hashType, platform, log2 of pageSize
  const version = view.getUint32(8);
  const flags = view.getUint32(12);
  const limit64 = version >= WITH_LIMIT64 && bytes.length >= 64 ? view.getBigUint64(56) : 0n;
  const pageShift = view.getUint8(39);
  return {
    identifier: text(view.getUint32(20)),
    team: version >= WITH_TEAM && bytes.length >= 52 ? text(view.getUint32(48)) : null,
    flags,
    flagNames: flagBits.filter(([bit]) => (flags & bit) !== 0).map(([, name]) => name),
    hashType: hashTypes[view.getUint8(37)] ?? `${view.getUint8(37)}`,
    pageSize: pageShift === 0 ? 0 : 2 ** pageShift,
    codeSlots: view.getUint32(28),
    codeLimit: limit64 === 0n ? view.getUint32(32) : Number(limit64),
    bytes,
  };
}

const algorithms: Readonly<Record<string, string>> = {
  "sha1": "SHA-1",
  "sha256": "SHA-256",
  "sha256-truncated": "SHA-256",
  "sha384": "SHA-384",
};

/** The CDHash: the hash of the CodeDirectory, truncated to 20 bytes, in lower-case hexadecimal;
 * `null` for an unknown type of hash.
 *
 * @example
 * ```ts
 * import { openImage } from "@machpause/machpause";
 * import { cdHash } from "@machpause/machpause/macho";
 *
 * using file = openImage("MyApp");
 * const signature = file.images[0].codeSignature();
 * if (signature !== null) console.log(await cdHash(signature.codeDirectories[0]));
 * ```
 */
export async function cdHash(directory: CodeDirectory): Promise<string | null> {
  const algorithm = algorithms[directory.hashType];
  if (algorithm === undefined) return null;
  const digest = await crypto.subtle.digest(algorithm, directory.bytes.slice());
  return hexBytes(new Uint8Array(digest, 0, 20));
}
