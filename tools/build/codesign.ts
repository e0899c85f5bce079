/** Ad-hoc code signatures, as `codesign --sign -` makes them: a hash of every page and of the
 * entitlements, vouched for by nobody. Formats: XNU's `osfmk/kern/cs_blobs.h`. */

/** What to say in a signature. */
export interface Signing {
  /** What the system calls the code. */
  readonly identifier: string;
  /** Entitlements that are true. */
  readonly entitlements?: readonly string[];
  /** `CS_*` besides `CS_ADHOC`. */
  readonly flags?: number;
  /** The identifier of Apple's platform; 0 in signatures that are not Apple's. */
  readonly platform?: number;
}

const CSMAGIC_REQUIREMENTS = 0xfade0c01;
const CSMAGIC_CODEDIRECTORY = 0xfade0c02;
const CSMAGIC_EMBEDDED_SIGNATURE = 0xfade0cc0;
const CSMAGIC_EMBEDDED_ENTITLEMENTS = 0xfade7171;
const CSMAGIC_EMBEDDED_DER_ENTITLEMENTS = 0xfade7172;
const CSMAGIC_BLOBWRAPPER = 0xfade0b01;
/** The first version with the executable segment. */
const CS_SUPPORTSEXECSEG = 0x20400;
const CS_ADHOC = 0x2;
const CS_EXECSEG_MAIN_BINARY = 0x1;
/** With get-task-allow: a debugger may write to its code. */
const CS_EXECSEG_ALLOW_UNSIGNED = 0x10;
const CS_HASHTYPE_SHA256 = 2;
const hashSize = 32;
const pageShift = 12;
/** Of a `CS_CodeDirectory` of that version. */
const directorySize = 88;
/** Slots of the index; those of the CodeDirectory's special hashes have the same numbers. */
const slots = { directory: 0, requirements: 2, entitlements: 5, derEntitlements: 7, cms: 0x10000 };

const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const MH_EXECUTE = 2;

const encoder = new TextEncoder();

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function blob(magic: number, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(8));
  header.setUint32(0, magic);
  header.setUint32(4, 8 + content.length);
  return concat([new Uint8Array(header.buffer), content]);
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function plist(names: readonly string[]): Uint8Array {
  return encoder.encode(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${names.map((name) => `\t<key>${name}</key>\n\t<true/>\n`).join("")}</dict>
</plist>
`);
}

/** One value in DER, less than 128 bytes of it. */
function der(tag: number, ...content: Uint8Array[]): Uint8Array {
  const value = concat(content);
  if (value.length > 127) throw new Error("entitlements too long for a short form of DER");
  return concat([Uint8Array.of(tag, value.length), value]);
}

/** The entitlements as systems from macOS 12 on read them: an application type 16 of a version and a
 * context type 16 of pairs, sorted. */
function derEntitlements(names: readonly string[]): Uint8Array {
  const pairs = [...names].sort().map((name) =>
    der(0x30, der(0x0c, encoder.encode(name)), der(0x01, Uint8Array.of(0xff)))
  );
  return der(0x70, der(0x02, Uint8Array.of(1)), der(0xb0, ...pairs));
}

/** Makes room for a signature at the end of a file that has none, as Apple's codesign does. */
function addSignatureCommand(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array((file.length + 15) & ~15);
  bytes.set(file);
  const view = new DataView(bytes.buffer);
  const end = 32 + view.getUint32(20, true);
  if (bytes.subarray(end, end + 16).some((byte) => byte !== 0)) {
    throw new Error("no room for another load command");
  }
  view.setUint32(16, view.getUint32(16, true) + 1, true);
  view.setUint32(20, view.getUint32(20, true) + 16, true);
  [LC_CODE_SIGNATURE, 16, bytes.length, 0].forEach((word, index) =>
    view.setUint32(end + 4 * index, word, true)
  );
  return bytes;
}

function hasSignatureCommand(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 32, left = view.getUint32(16, true); left > 0; left--) {
    if (view.getUint32(at, true) === LC_CODE_SIGNATURE) return true;
    at += view.getUint32(at + 4, true);
  }
  return false;
}

/** Signs a Mach-O file of one 64-bit architecture, in place of the signature that it has.
 *
 * @returns the signed file
 */
export async function sign(
  file: Uint8Array,
  { identifier, entitlements = [], flags = 0, platform = 0 }: Signing,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = hasSignatureCommand(file) ? new Uint8Array(file) : addSignatureCommand(file);
  const view = new DataView(bytes.buffer);
  let command = 0;
  let linkedit = 0;
  let textSize = 0n;
  for (let at = 32, left = view.getUint32(16, true); left > 0; left--) {
    const kind = view.getUint32(at, true);
    if (kind === LC_CODE_SIGNATURE) command = at;
    if (kind === LC_SEGMENT_64) {
      const name = new TextDecoder().decode(bytes.subarray(at + 8, at + 24)).replace(/\0+$/, "");
      if (name === "__LINKEDIT") linkedit = at;
      if (name === "__TEXT") textSize = view.getBigUint64(at + 48, true);
    }
    at += view.getUint32(at + 4, true);
  }
  if (linkedit === 0) throw new Error("no __LINKEDIT segment");
  const codeLimit = view.getUint32(command + 8, true);

  const blobs = new Map<number, Uint8Array<ArrayBuffer>>();
  blobs.set(slots.requirements, blob(CSMAGIC_REQUIREMENTS, new Uint8Array(4)));
  if (entitlements.length > 0) {
    blobs.set(slots.entitlements, blob(CSMAGIC_EMBEDDED_ENTITLEMENTS, plist(entitlements)));
    blobs.set(
      slots.derEntitlements,
      blob(CSMAGIC_EMBEDDED_DER_ENTITLEMENTS, derEntitlements(entitlements)),
    );
  }
  const special = Math.max(...blobs.keys());
  const codeSlots = Math.ceil(codeLimit / (1 << pageShift));
  const name = encoder.encode(`${identifier}\0`);
  const hashes = directorySize + name.length + special * hashSize;
  const directory = new Uint8Array(hashes + codeSlots * hashSize);
  blobs.set(slots.directory, directory);
  blobs.set(slots.cms, blob(CSMAGIC_BLOBWRAPPER, new Uint8Array(0)));

  // How long it will be is known before what it says, which is part of what is hashed.
  const order = [...blobs].sort(([one], [other]) => one - other);
  const indexSize = 12 + 8 * order.length;
  const total = order.reduce((size, [, { length }]) => size + length, indexSize);
  const padded = (total + 15) & ~15;
  const linkeditOffset = view.getBigUint64(linkedit + 40, true);
  const linkeditSize = BigInt(codeLimit + padded) - linkeditOffset;
  view.setUint32(command + 12, padded, true);
  view.setBigUint64(linkedit + 48, linkeditSize, true);
  view.setBigUint64(linkedit + 32, (linkeditSize + 0x3fffn) & ~0x3fffn, true);

  const isProgram = view.getUint32(12, true) === MH_EXECUTE;
  const debuggable = entitlements.includes("com.apple.security.get-task-allow");
  const header = new DataView(directory.buffer);
  const words = [
    CSMAGIC_CODEDIRECTORY,
    directory.length,
    CS_SUPPORTSEXECSEG,
    CS_ADHOC | flags,
    hashes,
  ]
    .concat(directorySize, special, codeSlots, codeLimit);
  words.forEach((word, index) => header.setUint32(4 * index, word));
  directory.set([hashSize, CS_HASHTYPE_SHA256, platform, pageShift], 36);
  header.setBigUint64(72, textSize);
  header.setBigUint64(
    80,
    BigInt(
      (isProgram ? CS_EXECSEG_MAIN_BINARY : 0) | (debuggable ? CS_EXECSEG_ALLOW_UNSIGNED : 0),
    ),
  );
  directory.set(name, directorySize);
  for (const [slot, content] of blobs) {
    if (slot === slots.directory || slot === slots.cms) continue;
    directory.set(await sha256(content), hashes - slot * hashSize);
  }
  for (let page = 0; page < codeSlots; page++) {
    const end = Math.min((page + 1) << pageShift, codeLimit);
    directory.set(await sha256(bytes.slice(page << pageShift, end)), hashes + page * hashSize);
  }

  const index = new DataView(new ArrayBuffer(indexSize));
  index.setUint32(0, CSMAGIC_EMBEDDED_SIGNATURE);
  index.setUint32(4, total);
  index.setUint32(8, order.length);
  let at = indexSize;
  order.forEach(([slot, { length }], number) => {
    index.setUint32(12 + 8 * number, slot);
    index.setUint32(16 + 8 * number, at);
    at += length;
  });
  return concat([
    bytes.subarray(0, codeLimit),
    new Uint8Array(index.buffer),
    ...order.map(([, content]) => content),
    new Uint8Array(padded - total),
  ]);
}
