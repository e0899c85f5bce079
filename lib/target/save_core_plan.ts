/** Which memory goes into a core. */
import type { Arch, Registers } from "../arch/mod.ts";
import { type AddressRange, type Image, LC, MH_DYLIB_IN_CACHE } from "../macho/walking.ts";
import { readImageInfosHead } from "./dyld.ts";
import type { DyldInfo, Region } from "./kernel.ts";
import type { Memory } from "./memory.ts";

/** How much of a task goes into a core.
 *
 * - `stacks`: what backtraces with names take. The live part of every stack, and the code that
 *   unwinding looks at; of every image the header, the load commands, `__unwind_info` and
 *   `__eh_frame`, and its symbols, of the shared cache's images those of the frames; what dyld
 *   publishes.
 * - `locals`: that, and the memory that the variables of all frames are in and lead to, by their types.
 * - `dirty`: `stacks`, and all memory that the program has written or can write for itself: heaps,
 *   globals, whole stacks. From large mappings, only the pages that were ever used.
 * - `full`: everything that can be read, without the read-only part of the dyld shared cache unless it is
 *   asked for: it is the same in every process of that system.
 */
export type CoreStyle = "stacks" | "locals" | "dirty" | "full";

/** The names of the styles, the smallest first. */
export const coreStyles: readonly CoreStyle[] = ["stacks", "locals", "dirty", "full"];

/** What a plan is made from. */
export interface PlanInput {
  readonly style: CoreStyle;
  readonly arch: Arch;
  /** All regions of the task, in rising order. */
  readonly regions: readonly Region[];
  readonly images: readonly Image[];
  /** Each thread's registers, empty when they could not be read, and the upper bound of its stack, 0
   * when not known. */
  readonly stacks: readonly { readonly registers: Registers; readonly end: bigint }[];
  readonly dyldInfo: DyldInfo;
  readonly memory: Memory;
  /** The Swift async contexts that the stacks lead to, the dispatch queues of the threads, and what variables
   * are in and lead to. */
  readonly contexts: readonly AddressRange[];
  /** Whether a `full` core has the shared cache. */
  readonly sharedCache: boolean;
  /** The parts of a region that have contents. */
  readonly present: (region: Region) => readonly AddressRange[];
  /** Called with what cannot go into the core. */
  readonly warn: (text: string) => void;
}

/** Memory that goes into a core: one region or a part of it. */
export interface CorePart extends AddressRange {
  /** `VM_PROT_*`. */
  readonly protection: number;
  /** `VM_PROT_*`. */
  readonly maxProtection: number;
}

/** The granularity of a core, and of its holes: the smallest page of the supported systems. */
export const corePage = 4096;

const protection = { read: 1, write: 2 } as const;

/** `SM_SHARED`, `SM_TRUESHARED`, `SM_SHARED_ALIASED` of `<mach/vm_region.h>`: written memory there is
 * not the task's alone. */
const sharedModes: ReadonlySet<number> = new Set([4, 5, 7]);

/** `SM_PRIVATE` and `SM_EMPTY`: memory of the task alone that no file is behind. */
const anonymousModes: ReadonlySet<number> = new Set([2, 3]);

/** Size of a region from which on it is asked what was used of it. */
const querySize = 1n << 20n;

/** Less unused memory than this between used parts goes into a core, as each part costs a load command. */
const joinedGap = 1n << 16n;

/** Bytes kept below a stack pointer: the red zone of both 64-bit architectures. */
const redZone = 128n;

/** Maximum size of one image's symbols in a `stacks` core. Without them the reader needs the binary for
 * names. */
const symbolsLimit = 16 << 20;

/** More than the size of any `dyld_all_image_infos`. */
const dyldInfosLimit = 1024n;

/** Maximum length of a path. */
const pathLimit = 1024n;

/** The memory of a core of the given style that has to be of one moment, in rising order and without overlaps. */
export function planCore(input: PlanInput): CorePart[] {
  const { style, regions } = input;
  const readable = readableRegions(regions);
  const shared = style === "full" && !input.sharedCache ? cacheRegions(input) : new Set<Region>();
  if (style === "full" && shared.size === 0) {
    return readable.map((region) => part(region, region.address, endOf(region)));
  }
  const wanted: AddressRange[] = [
    ...stackRanges(input),
    ...dyldRanges(input),
    ...input.contexts,
  ];
  if (style === "full") {
    for (const region of readable) {
      if (!shared.has(region)) wanted.push({ start: region.address, end: endOf(region) });
    }
  }
  if (style === "dirty") {
    for (const region of readable) {
      const written = (region.protection & protection.write) !== 0 &&
        !sharedModes.has(region.shareMode);
      if (!written) continue;
      for (const range of usedRanges(region, input)) wanted.push(range);
    }
    // dyld writes some segments before it makes them read-only.
    for (const { segments } of input.images) {
      for (const { address, size, initialProtection } of segments) {
        const written = (initialProtection & protection.write) !== 0;
        if (written) wanted.push({ start: address, end: address + BigInt(size) });
      }
    }
  }
  return cut(merge(wanted), readable);
}

/** What frames take of the images besides: it does not change while they are loaded.
 *
 * @param ranges what else of them is read for the frames
 * @param planned what is in the core already, in rising order
 */
export function planImages(
  input: Pick<PlanInput, "style" | "regions" | "images" | "memory" | "warn">,
  ranges: readonly AddressRange[],
  planned: readonly CorePart[],
): CorePart[] {
  const wanted = [...ranges];
  for (const image of input.images) {
    for (const range of imageRanges(image, input)) wanted.push(range);
  }
  return cut(without(merge(wanted), planned), readableRegions(input.regions));
}

function readableRegions(regions: readonly Region[]): readonly Region[] {
  return regions.filter((region) => (region.protection & protection.read) !== 0);
}

/** What of the ranges is in none of the others; both rise. */
function without(
  ranges: readonly AddressRange[],
  others: readonly AddressRange[],
): AddressRange[] {
  const left: AddressRange[] = [];
  let first = 0;
  for (const { start, end } of ranges) {
    let at = start;
    while (first < others.length && others[first].end <= start) first++;
    for (let next = first; next < others.length && others[next].start < end; next++) {
      const other = others[next];
      if (other.start > at) left.push({ start: at, end: other.start });
      if (other.end > at) at = other.end;
    }
    if (at < end) left.push({ start: at, end });
  }
  return left;
}

function endOf({ address, size }: Region): bigint {
  return address + size;
}

function part(region: Region, start: bigint, end: bigint): CorePart {
  return { start, end, protection: region.protection, maxProtection: region.maxProtection };
}

/** What of a private region was ever used. In the rest of anonymous memory are zeros, and there may be a lot of
 * it: heaps and stacks are reserved in large pieces. */
function usedRanges(region: Region, { present }: PlanInput): AddressRange[] {
  // What is copied on write has contents also where it has no pages: those of its file.
  const isAnonymous = anonymousModes.has(region.shareMode);
  if (!isAnonymous || region.size < querySize) {
    return [{ start: region.address, end: endOf(region) }];
  }
  const joined: { start: bigint; end: bigint }[] = [];
  for (const { start, end } of present(region)) {
    const last = joined.at(-1);
    if (last !== undefined && start - last.end < joinedGap) last.end = end;
    else joined.push({ start, end });
  }
  return joined;
}

/** The regions of the shared cache that are the same in every process: those between its first image and its
 * last one, where no others are, that the program cannot write and that dyld has not written. */
function cacheRegions({ images, regions }: PlanInput): Set<Region> {
  const found = new Set<Region>();
  const segments = images.filter(({ flags }) => (flags & MH_DYLIB_IN_CACHE) !== 0)
    .flatMap((image) => image.segments).filter(({ size }) => size > 0)
    .map(({ address, size, initialProtection }) => ({
      start: address,
      end: address + BigInt(size),
      written: (initialProtection & protection.write) !== 0,
    })).sort((a, b) => a.start < b.start ? -1 : a.start > b.start ? 1 : 0);
  const last = segments.reduce((last, { end }) => end > last ? end : last, 0n);
  const written = segments.filter((segment) => segment.written);
  let next = 0;
  for (const region of regions) {
    if (segments.length === 0 || endOf(region) <= segments[0].start || region.address >= last) {
      continue;
    }
    while (next < written.length && written[next].end <= region.address) next++;
    const isWritten = next < written.length && written[next].start < endOf(region);
    if (!isWritten && (region.protection & protection.write) === 0) found.add(region);
  }
  return found;
}

/** The ranges in whole pages, rising, adjacent ones joined. */
function merge(ranges: readonly AddressRange[]): AddressRange[] {
  const page = BigInt(corePage);
  const whole = ranges.map(({ start, end }) => ({
    start: start / page * page,
    end: (end + page - 1n) / page * page,
  })).sort((a, b) => a.start < b.start ? -1 : a.start > b.start ? 1 : 0);
  const merged: { start: bigint; end: bigint }[] = [];
  for (const range of whole) {
    const last = merged.at(-1);
    if (last === undefined || range.start > last.end) merged.push(range);
    else if (range.end > last.end) last.end = range.end;
  }
  return merged;
}

/** The parts of the ranges that are in the regions; both rise. */
function cut(ranges: readonly AddressRange[], regions: readonly Region[]): CorePart[] {
  const parts: CorePart[] = [];
  let first = 0;
  for (const { start, end } of ranges) {
    while (first < regions.length && endOf(regions[first]) <= start) first++;
    for (let at = first; at < regions.length && regions[at].address < end; at++) {
      const region = regions[at];
      const from = start > region.address ? start : region.address;
      const to = end < endOf(region) ? end : endOf(region);
      parts.push(part(region, from, to));
    }
  }
  return parts;
}

/** Each thread's stack from its pointer on, and the page of its code with the one before, where the
 * function may begin. */
function* stackRanges({ arch, stacks, regions, warn }: PlanInput): Iterable<AddressRange> {
  for (const [index, { registers, end: known }] of stacks.entries()) {
    const sp = registers.get(arch.sp.name);
    const pc = registers.get(arch.pc.name);
    if (sp === undefined || pc === undefined) continue;
    const code = pc & arch.addressMask;
    yield { start: code < corePage ? 0n : code - BigInt(corePage), end: code + 16n };
    const end = known > sp ? known : regionEnd(regions, sp);
    if (end === undefined) {
      warn(`thread ${index}: its stack pointer, 0x${sp.toString(16)}, is in no memory`);
    } else {
      yield { start: sp < redZone ? 0n : sp - redZone, end };
    }
  }
}

function regionEnd(regions: readonly Region[], address: bigint): bigint | undefined {
  const region = regions.find((region) => address >= region.address && address < endOf(region));
  return region === undefined ? undefined : endOf(region);
}

/** `dyld_all_image_infos`, its array, and the paths. */
function* dyldRanges({ dyldInfo, memory, arch }: PlanInput): Iterable<AddressRange> {
  const { address, size } = dyldInfo;
  if (address === 0n) return;
  yield { start: address, end: address + (size < dyldInfosLimit ? size : dyldInfosLimit) };
  const head = readImageInfosHead(memory, dyldInfo);
  if (typeof head === "string") return;
  const path = (at: bigint): AddressRange => ({ start: at, end: at + pathLimit });
  if (head.dyldPathAddress !== 0n) yield path(head.dyldPathAddress);
  const array = memory.readUpTo(head.infoArray, head.count * 3 * arch.pointerSize);
  if (array.length === 0) return;
  yield { start: head.infoArray, end: head.infoArray + BigInt(array.length) };
  const view = new DataView(array.buffer, array.byteOffset, array.length);
  for (
    let at = arch.pointerSize;
    at + arch.pointerSize <= array.length;
    at += 3 * arch.pointerSize
  ) {
    yield path(
      arch.pointerSize === 8 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true)),
    );
  }
}

/** What unwinding through an image and naming its functions takes. */
function* imageRanges(
  image: Image,
  { style, memory, warn }: Pick<PlanInput, "style" | "memory" | "warn">,
): Iterable<AddressRange> {
  let headEnd = 32;
  for (const { offset, size } of image.loadCommands) headEnd = Math.max(headEnd, offset + size);
  yield { start: image.loadAddress, end: image.loadAddress + BigInt(headEnd) };
  for (const { sections } of image.segments) {
    for (const { name, address, size } of sections) {
      if (name !== "__unwind_info" && name !== "__eh_frame") continue;
      yield { start: address, end: address + BigInt(size) };
    }
  }
  const symbols = linkeditRanges(image, memory);
  const total = symbols.reduce((sum, { start, end }) => sum + Number(end - start), 0);
  if (total <= symbolsLimit) {
    yield* symbols;
  } else {
    warn(`${image.path}: its ${total >> 20} MiB of symbols are not in a core of style ${style}`);
  }
}

/** The parts of `__LINKEDIT` with symbols, strings, exports and function starts. In the shared cache
 * symbols and strings are those of all its images together: the exports have to do. */
function linkeditRanges(image: Image, memory: Memory): AddressRange[] {
  const inCache = (image.flags & MH_DYLIB_IN_CACHE) !== 0;
  const linkedit = image.segments.find(({ name }) => name === "__LINKEDIT");
  if (linkedit === undefined) return [];
  const ranges: AddressRange[] = [];
  const add = (offset: number, size: number) => {
    const inside = offset - linkedit.fileOffset;
    if (size === 0 || inside < 0 || inside + size > linkedit.size) return;
    const start = linkedit.address + BigInt(inside);
    ranges.push({ start, end: start + BigInt(size) });
  };
  const nlistSize = image.pointerSize === 8 ? 16 : 12;
  for (const { command, offset, size } of image.loadCommands) {
    const fields = fieldsAt[command];
    if (fields === undefined || size > 4096) continue;
    const bytes = memory.readUpTo(image.loadAddress + BigInt(offset), size);
    if (bytes.length < size) continue;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const u32 = (at: number) => at + 4 <= bytes.length ? view.getUint32(at, true) : 0;
    if (command === LC.SYMTAB) {
      if (inCache) continue;
      add(u32(8), u32(12) * nlistSize);
      add(u32(16), u32(20));
    } else {
      add(u32(fields), u32(fields + 4));
    }
  }
  return ranges;
}

/** Where in a load command the offset and size of its data are. */
const fieldsAt: Readonly<Record<number, number>> = {
  [LC.SYMTAB]: 8,
  [LC.FUNCTION_STARTS]: 8,
  [LC.DYLD_EXPORTS_TRIE]: 8,
  // The export trie comes after four other tables.
  [LC.DYLD_INFO]: 40,
  [LC.DYLD_INFO_ONLY]: 40,
};
