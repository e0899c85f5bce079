/** Makes cores by hand: of the demo as it was recorded (arm64, armv7) and as it runs (x86_64, i386). */
import { gunzipSync } from "node:zlib";
import { type Arch, type ArchName, archs, writeRegister } from "../../../lib/arch/mod.ts";
import {
  coreHeaderSize,
  type CoreLayout,
  type CoreNote,
  encodeAllImageInfos,
  encodeCore,
  encodeProcessMetadata,
  type FlavorState,
  Image,
  NOTE_OWNER,
  type NotedImage,
} from "../../../lib/macho/mod.ts";
import type { Recording } from "../../fixtures/record.ts";
import type { LiveTarget } from "../../../mod.ts";
import { startDemo } from "./demo.ts";

const fixtures = new URL("../../fixtures/", import.meta.url).pathname;
const examples = new URL("../../../examples/", import.meta.url).pathname;

/** A thread that a core is to have. */
export interface ThreadPart {
  readonly id: bigint;
  readonly name: string;
  /** In the architecture's flavor. */
  readonly state: Uint8Array;
  /** In the architecture's flavor; zero when left out. */
  readonly exception?: Uint8Array;
}

/** Memory that a core is to have. */
export interface RegionPart {
  readonly address: bigint;
  readonly bytes: Uint8Array;
  readonly protection: number;
  /** The segment of an image; `null` for other memory. */
  readonly segment: { readonly image: string; readonly name: string } | null;
}

/** What a process is made of, as far as cores tell. */
export interface Parts {
  readonly arch: Arch;
  readonly cpuSubtype: number;
  readonly threads: readonly ThreadPart[];
  readonly regions: readonly RegionPart[];
  readonly images: readonly NotedImage[];
}

/** How to write a core. */
export interface Variant {
  /** Flavors by themselves, or inside those that hold others. */
  readonly flavors?: "bare" | "all-in-one";
  /** Whether there are "all image infos" and "process metadata". */
  readonly noted?: boolean;
  /** Whether a region is in the core, is a segment without bytes, or is missing. */
  readonly keep?: (region: RegionPart) => "bytes" | "empty" | "missing";
  /** Whether zeros at a region's end are left out of the file. */
  readonly zeroFill?: boolean;
  /** Flavors that follow the general registers of each thread. */
  readonly moreFlavors?: readonly FlavorState[];
  /** Notes beside those. */
  readonly notes?: readonly { readonly owner: string; readonly bytes: Uint8Array }[];
  /** Changes what the images' note says. */
  readonly image?: (image: NotedImage) => NotedImage;
}

/** A state inside the flavor that says which one it is. */
function wrap(arch: Arch, { flavor, state }: FlavorState): FlavorState {
  const isX86 = arch.name === "x86_64" || arch.name === "i386";
  const isThread = flavor === arch.threadState.number;
  if (!isX86 && !isThread) return { flavor, state };
  // Both unions have room for the 64-bit form.
  const room = isThread ? (isX86 ? 168 : 272) : 16;
  const wrapped = new Uint8Array(8 + room);
  const view = new DataView(wrapped.buffer);
  view.setUint32(0, arch.name === "armv7" ? 9 : flavor, true);
  view.setUint32(4, state.length / 4, true);
  wrapped.set(state, 8);
  return { flavor: isX86 ? (isThread ? 7 : 9) : 1, state: wrapped };
}

/** The bytes of a core. */
export function buildCore(parts: Parts, variant: Variant = {}): Uint8Array {
  const { arch, regions } = parts;
  const { flavors = "bare", noted = true, keep = () => "bytes", zeroFill = false } = variant;
  const threads = parts.threads.map(({ state, exception }) => {
    const states: FlavorState[] = [{ flavor: arch.threadState.number, state }];
    states.push(...variant.moreFlavors ?? []);
    const { number, size } = arch.exceptionState;
    states.push({ flavor: number, state: exception ?? new Uint8Array(size) });
    return flavors === "bare" ? states : states.map((state) => wrap(arch, state));
  });
  const kept = regions.filter((region) => keep(region) !== "missing");
  const images = parts.images.map(variant.image ?? ((image) => image));
  const payloads: { owner: string; bytes: (offset: number) => Uint8Array }[] = [];
  if (noted) {
    const metadata = encodeProcessMetadata({
      pid: 123,
      name: "demo",
      threads: parts.threads.map(({ id, name }) => ({
        id,
        name,
        runState: 3,
        cpuUsage: 0,
        handle: 0n,
        dispatchQueueAddress: 0n,
      })),
      files: [],
    });
    payloads.push({ owner: NOTE_OWNER.PROCESS_METADATA, bytes: () => metadata });
    payloads.push({
      owner: NOTE_OWNER.ALL_IMAGE_INFOS,
      bytes: (offset) => encodeAllImageInfos(images, offset),
    });
  }
  for (const { owner, bytes } of variant.notes ?? []) payloads.push({ owner, bytes: () => bytes });

  let at = coreHeaderSize({ cpuType: arch.cpuType, segments: kept, threads, notes: payloads });
  const contents: { offset: number; bytes: Uint8Array }[] = [];
  const put = (bytes: Uint8Array, alignment: number): number => {
    const offset = Math.ceil(at / alignment) * alignment;
    contents.push({ offset, bytes });
    at = offset + bytes.length;
    return offset;
  };
  const notes = payloads.map(({ owner, bytes }): CoreNote => {
    const start = Math.ceil(at / 16) * 16;
    const payload = bytes(start);
    return { owner, offset: put(payload, 16), size: payload.length };
  });
  const segments = kept.map((region): CoreLayout["segments"][number] => {
    const { address, bytes, protection } = region;
    let stored = keep(region) === "empty" ? bytes.subarray(0, 0) : bytes;
    if (zeroFill && stored.length > 0) {
      const last = stored.findLastIndex((byte) => byte !== 0);
      stored = stored.subarray(0, Math.max(1, last + 1));
    }
    return {
      name: "",
      address,
      size: BigInt(bytes.length),
      fileOffset: stored.length === 0 ? 0 : put(stored, 4096),
      fileSize: stored.length,
      initialProtection: protection,
      maxProtection: 7,
    };
  });
  const header = encodeCore({
    cpuType: arch.cpuType,
    cpuSubtype: parts.cpuSubtype,
    segments,
    threads,
    notes,
  });
  const file = new Uint8Array(at);
  file.set(header);
  for (const { offset, bytes } of contents) file.set(bytes, offset);
  return file;
}

function unzip(text: string): Uint8Array {
  return gunzipSync(Uint8Array.fromBase64(text));
}

/** An image's segments as they are mapped, without what dyld changes in them. */
function mapImage(file: string, arch: Arch, loadAddress: bigint): {
  regions: RegionPart[];
  image: NotedImage;
  cpuSubtype: number;
} {
  const bytes = Deno.readFileSync(file);
  const image = Image.fromFile(bytes, file, { arch: arch.cpuType, loadAddress });
  const mapped = image.segments.filter(({ name }) => name !== "__PAGEZERO");
  return {
    cpuSubtype: image.cpuSubtype,
    regions: mapped.map(({ name, address, size, fileOffset, fileSize, initialProtection }) => {
      const contents = new Uint8Array(size);
      contents.set(bytes.subarray(fileOffset, fileOffset + fileSize));
      const segment = { image: image.name, name };
      return { address, bytes: contents, protection: initialProtection, segment };
    }),
    image: notedImage(image, file),
  };
}

function notedImage(image: Image, path: string): NotedImage {
  return {
    path,
    uuid: image.uuid,
    loadAddress: image.loadAddress,
    slide: null,
    segments: image.segments.filter(({ name }) => name !== "__PAGEZERO")
      .map(({ name, address }) => ({ name, address })),
    executing: true,
  };
}

/** The demo as it was recorded. */
export function recordedParts(name: "arm64" | "armv7"): Parts {
  const recording: Recording = JSON.parse(
    Deno.readTextFileSync(`${fixtures}recordings/${name}.json`),
  );
  const arch = archs[name];
  const images = recording.images.filter(({ file }) => file !== null)
    .map(({ file, loadAddress }) => mapImage(`${examples}${file}`, arch, BigInt(loadAddress)));
  const stacks = recording.threads.map(({ stack, stackAddress, stackEnd }): RegionPart => {
    // Regions are of whole pages.
    const start = BigInt(stackAddress) & ~0xfffn;
    const bytes = new Uint8Array(Number(BigInt(stackEnd) - start));
    bytes.set(unzip(stack), Number(BigInt(stackAddress) - start));
    return { address: start, bytes, protection: 3, segment: null };
  });
  return {
    arch,
    cpuSubtype: images[0].cpuSubtype,
    threads: recording.threads.map(({ name, state }, index) => ({
      id: BigInt(1000 + index),
      name: name === "demo" ? "" : name,
      state: unzip(state),
    })),
    regions: [...images.flatMap(({ regions }) => regions), ...stacks],
    images: images.map(({ image }) => image),
  };
}

/** So much of each stack is taken. */
const maxStack = 1n << 16n;

/** What a process is made of now. */
export function captureParts(target: LiveTarget): Parts {
  using _pause = target.pause();
  const { arch } = target;
  const images = target.images.filter((image) => image instanceof Image);
  const regions: RegionPart[] = [];
  for (const image of images) {
    for (const { name, address, size, initialProtection } of image.segments) {
      if (name === "__PAGEZERO") continue;
      const bytes = target.memory.read(address, size);
      const segment = { image: image.name, name };
      regions.push({ address, bytes, protection: initialProtection, segment });
    }
  }
  const mapped = target.regions();
  const infos = mapped.find(({ path }) => path.includes("dyld_all_image_infos"))!;
  const infosBytes = target.memory.read(infos.address, Number(infos.size));
  regions.push({ address: infos.address, bytes: infosBytes, protection: 3, segment: null });
  // dyld's list points to the paths, which are somewhere else.
  const list = target.memory.readPointer(infos.address + 8n);
  const pages = new Set(images.map((_, index) => {
    const path = list + BigInt((3 * index + 1) * arch.pointerSize);
    return target.memory.readPointer(path) & ~0xfffn;
  }));
  for (const address of pages) {
    const bytes = target.memory.read(address, 4096);
    regions.push({ address, bytes, protection: 3, segment: null });
  }
  // LLDB walks on from code only where it can read that code.
  const code = new Map<bigint, RegionPart>();
  for (const thread of target.threads) {
    const pc = thread.registers.get(arch.pc.name)!;
    if (images.some((image) => image.contains(pc))) continue;
    const region = mapped.find(({ address, size }) => address <= pc && pc < address + size)!;
    const { address, size, protection } = region;
    const bytes = target.memory.read(address, Number(size));
    code.set(address, { address, bytes, protection, segment: null });
  }
  regions.push(...code.values());
  const threads = target.threads.map((thread): ThreadPart => {
    const state = new Uint8Array(arch.threadState.size);
    for (const register of arch.threadState.registers) {
      writeRegister(state, register, thread.registers.get(register.name)!);
    }
    const sp = thread.registers.get(arch.sp.name)!;
    const region = mapped.find(({ address, size }) => address <= sp && sp < address + size)!;
    const start = (sp - 128n) & ~0xfffn;
    const end = region.address + region.size;
    const length = Number(end - start < maxStack ? end - start : maxStack);
    const bytes = target.memory.read(start, length);
    regions.push({ address: start, bytes, protection: 3, segment: null });
    return { id: thread.id, name: thread.name, state };
  });
  return {
    arch,
    cpuSubtype: images[0].cpuSubtype,
    threads,
    regions,
    images: images.map((image) => notedImage(image, image.path)),
  };
}

/** The demo as it runs now, for a moment. */
async function liveParts(name: "x86_64" | "i386"): Promise<Parts> {
  using target = await startDemo(name);
  try {
    return captureParts(target);
  } finally {
    target.kill();
  }
}

/** The demo, of any architecture. */
export async function partsOf(name: ArchName): Promise<Parts> {
  return name === "arm64" || name === "armv7" ? recordedParts(name) : await liveParts(name);
}

/** Writes a core to a file of its own, which is removed in the end. */
export async function coreFile(
  bytes: Uint8Array,
): Promise<{ path: string; [Symbol.dispose](): void }> {
  const path = await Deno.makeTempFile({ suffix: ".core" });
  await Deno.writeFile(path, bytes);
  return { path, [Symbol.dispose]: () => Deno.removeSync(path) };
}

/** Writes a core of a 64-bit process that has so many more bytes of memory, all of them a hole in the
 * file. */
export function writeSparse(path: string, parts: Parts, free: number): void {
  const heap: RegionPart = {
    address: 0x7_0000_0000n,
    bytes: new Uint8Array(0),
    protection: 3,
    segment: null,
  };
  const bytes = buildCore({ ...parts, regions: [...parts.regions, heap] });
  const view = new DataView(bytes.buffer);
  // The last load command is that of the last region: its size, and where it is in the file.
  const segment = 32 + view.getUint32(20, true) - 72;
  view.setBigUint64(segment + 32, BigInt(free), true);
  view.setBigUint64(segment + 40, BigInt(free === 0 ? 0 : bytes.length), true);
  view.setBigUint64(segment + 48, BigInt(free), true);
  Deno.writeFileSync(path, bytes);
  Deno.truncateSync(path, bytes.length + free);
}
