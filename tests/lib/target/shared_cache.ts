/** A process of macOS as it is seen through Mach: hundreds of images of a split dyld shared cache, whose
 * symbols share one `__LINKEDIT` with one string pool. Its bytes are made when they are
 * read, and reads are counted.
 *
 * As in a split cache, file offsets count within each subcache: those of `__TEXT` and of `__LINKEDIT`
 * coincide (dyld's `NewSharedCacheBuilder.cpp`). Local symbols are stripped.
 */
import { archs, writeRegister } from "../../../lib/arch/mod.ts";
import { MemoryKernel, type MemoryRegion, type MemoryThread } from "./memory_kernel.ts";

/** Bytes of a function: 16 instructions. */
const functionSize = 64;
const functions = 960;
/** Bytes from an image's header to its first function. */
const codeOffset = 0x1000;
const textSize = codeOffset + functions * functionSize;
/** Every other function has a symbol, which is exported. */
const named = functions / 2;
const textBase = 0x1_8000_0000n;
const linkeditBase = 0x2_4000_0000n;
const infosBase = 0x2_3000_0000n;
const stackBase = 0x1_7000_0000n;
const stackSize = 0x1_0000;
const framesPerThread = 20;

/** `stp x29, x30, [sp, #-16]!; mov x29, sp; bl . (12 times); ldp x29, x30, [sp], #16; ret`. */
const code = Uint32Array.of(
  ...[0xa9bf7bfd, 0x910003fd],
  ...Array<number>(12).fill(0x94000000),
  ...[0xa8c17bfd, 0xd65f03c0],
);

/** How large the process is. */
export interface SharedCacheOptions {
  readonly images: number;
  /** Bytes of the string pool. */
  readonly poolSize: number;
  readonly threads: number;
}

/** The name of a function, as the linker knows it; of a length that C++ and Swift names have. */
export function functionName(image: number, index: number): string {
  const number = String(index).padStart(3, "0");
  return `_image${String(image).padStart(4, "0")}_${number}_${"v".repeat(60 + index % 180)}`;
}

const encoder = new TextEncoder();

function uleb(value: number, length: number): number[] {
  return Array.from(
    { length },
    (_, at) => Math.floor(value / 128 ** at) % 128 | (at < length - 1 ? 0x80 : 0),
  );
}

/** The export trie of an image: three levels of digits, then the rest of each name. */
function makeTrie(image: number): Uint8Array {
  const bytes: number[] = [];
  const node = (terminal: readonly number[], edges: readonly [string, () => number][]): number => {
    const at = bytes.length;
    bytes.push(terminal.length, ...terminal, edges.length);
    const places = edges.map(([edge]) => {
      bytes.push(...encoder.encode(edge), 0);
      const place = bytes.length;
      bytes.push(...uleb(0, 4));
      return place;
    });
    edges.forEach(([, make], index) =>
      uleb(make(), 4).forEach((byte, k) => bytes[places[index] + k] = byte)
    );
    return at;
  };
  const level = (prefix: string): number =>
    node(
      [],
      Array.from({ length: 10 }, (_, digit): [string, () => number] => {
        const digits = prefix + digit;
        if (digits.length < 3) return [`${digit}`, () => level(digits)];
        const index = Number(digits);
        const [, rest] = functionName(image, index).split(`_${digits}`);
        return [
          `${digit}${rest}`,
          () => node([0, ...uleb(codeOffset + index * functionSize, 3)], []),
        ];
      }).filter(([edge], digit) => {
        const digits = prefix + digit;
        if (digits.length < 3) return Number(digits.padEnd(3, "0")) < functions;
        return edge !== "" && Number(digits) < functions && Number(digits) % 2 === 0;
      }),
    );
  const head = functionName(image, 0).slice(0, "_image0000_".length);
  node([], [[head, () => level("")]]);
  return Uint8Array.from(bytes);
}

/** Lays the parts of `__LINKEDIT` out one after another: of each image what has its own size. */
class Linkedit {
  readonly #images: number;
  readonly trieSize: number;
  readonly startsSize = functions + 8;
  readonly nlistsSize = named * 16;
  readonly #stride: number;
  readonly #poolOffset: number;
  readonly #nameStride: number;
  readonly size: number;
  /** Made once: they take long. */
  readonly #tries = new Map<number, Uint8Array>();

  constructor({ images, poolSize }: SharedCacheOptions) {
    this.#images = images;
    // All tries have the same size: their names do.
    this.trieSize = makeTrie(0).length;
    this.#stride = this.trieSize + this.startsSize + this.nlistsSize + 16 & ~15;
    this.#poolOffset = images * this.#stride;
    this.#nameStride = Math.floor(poolSize / (images * named));
    this.size = this.#poolOffset + poolSize;
  }

  startsOffset(image: number): number {
    return image * this.#stride;
  }

  trieOffset(image: number): number {
    return this.startsOffset(image) + this.startsSize;
  }

  nlistsOffset(image: number): number {
    return image * this.#stride + (this.startsSize + this.trieSize + 15 & ~15);
  }

  get poolOffset(): number {
    return this.#poolOffset;
  }

  get poolSize(): number {
    return this.size - this.#poolOffset;
  }

  /** Function starts, trie and symbol table of an image. */
  #part(image: number): Uint8Array {
    const bytes = new Uint8Array(this.#stride);
    const view = new DataView(bytes.buffer);
    bytes.set(uleb(codeOffset, 2));
    bytes.fill(functionSize, 2, 1 + functions);
    let trie = this.#tries.get(image);
    if (trie === undefined) this.#tries.set(image, trie = makeTrie(image));
    bytes.set(trie, this.startsSize);
    const nlists = this.nlistsOffset(image) - image * this.#stride;
    for (let row = 0; row < named; row++) {
      const at = nlists + row * 16;
      view.setUint32(at, (image * named + row) * this.#nameStride + 1, true);
      // N_SECT | N_EXT, section 1
      view.setUint16(at + 4, 0x010f, true);
      const address = imageAddress(image) + BigInt(codeOffset + 2 * row * functionSize);
      view.setBigUint64(at + 8, address, true);
    }
    return bytes;
  }

  read(offset: number, into: Uint8Array): number {
    into.fill(0);
    let image = Math.floor(offset / this.#stride);
    for (; image < this.#images && image * this.#stride < offset + into.length; image++) {
      copy(this.#part(image), image * this.#stride - offset, into);
    }
    const first = Math.max(0, Math.floor((offset - this.#poolOffset) / this.#nameStride));
    for (let name = first; name < this.#images * named; name++) {
      const at = this.#poolOffset + name * this.#nameStride + 1 - offset;
      if (at >= into.length) break;
      const text = functionName(Math.floor(name / named), 2 * (name % named));
      copy(encoder.encode(text), at, into);
    }
    return Math.min(into.length, this.size - offset);
  }
}

/** Copies what of `bytes`, which belong at `at`, lies in `into`. */
function copy(bytes: Uint8Array, at: number, into: Uint8Array): void {
  const from = Math.max(0, -at);
  const length = Math.min(bytes.length - from, into.length - Math.max(0, at));
  if (length > 0) into.set(bytes.subarray(from, from + length), Math.max(0, at));
}

function imageAddress(image: number): bigint {
  return textBase + BigInt(image * textSize);
}

/** The Mach-O header and load commands of an image. */
function header(image: number, linkedit: Linkedit): Uint8Array {
  const bytes = new Uint8Array(codeOffset);
  const view = new DataView(bytes.buffer);
  const words = (at: number, ...values: number[]) =>
    values.forEach((value, index) => view.setUint32(at + 4 * index, value, true));
  let at = 32;
  const command = (type: number, size: number, write: (at: number) => void) => {
    words(at, type, size);
    write(at);
    at += size;
  };
  const segment = (name: string, address: bigint, size: number, sections: number) => {
    command(0x19, 72 + 80 * sections, (at) => {
      bytes.set(encoder.encode(name), at + 8);
      view.setBigUint64(at + 24, address, true);
      view.setBigUint64(at + 32, BigInt(size), true);
      // Each subcache counts from its own start.
      view.setBigUint64(at + 40, name === "__TEXT" ? BigInt(image * textSize) : 0n, true);
      view.setBigUint64(at + 48, BigInt(size), true);
      words(at + 56, name === "__TEXT" ? 5 : 1, name === "__TEXT" ? 5 : 1, sections, 0);
      if (sections === 0) return;
      bytes.set(encoder.encode("__text"), at + 72);
      bytes.set(encoder.encode(name), at + 88);
      view.setBigUint64(at + 104, address + BigInt(codeOffset), true);
      view.setBigUint64(at + 112, BigInt(size - codeOffset), true);
      words(at + 120, image * textSize + codeOffset, 6, 0, 0, 0x80000400);
    });
  };
  segment("__TEXT", imageAddress(image), textSize, 1);
  segment("__LINKEDIT", linkeditBase, linkedit.size, 0);
  command(0x1b, 24, (at) => {
    view.setUint32(at + 8, image + 1, false);
    view.setUint32(at + 20, 0x4d504155, false);
  });
  const { poolOffset, poolSize, nlistsSize, trieSize, startsSize } = linkedit;
  command(2, 24, (at) => words(at + 8, linkedit.nlistsOffset(image), named, poolOffset, poolSize));
  command(0x26, 16, (at) => words(at + 8, linkedit.startsOffset(image), startsSize));
  command(0x80000033, 16, (at) => words(at + 8, linkedit.trieOffset(image), trieSize));
  if (nlistsSize !== named * 16) throw new Error("the symbol table's size");
  // MH_MAGIC_64, arm64e, MH_DYLIB, MH_DYLIB_IN_CACHE
  words(0, 0xfeedfacf, 0x0100000c, 2, 6, 6, at - 32, 0x80000085, 0);
  return bytes;
}

function text(linkedit: Linkedit, { images }: SharedCacheOptions): MemoryRegion {
  const instructions = new Uint8Array(code.buffer);
  return {
    ...{ address: textBase, size: images * textSize, protection: 5, shareMode: 2 },
    read(offset, into) {
      for (let done = 0; done < into.length;) {
        const image = Math.floor((offset + done) / textSize);
        const inside = (offset + done) % textSize;
        const part = inside < codeOffset
          ? header(image, linkedit).subarray(inside)
          : instructions.subarray((inside - codeOffset) % functionSize);
        const bytes = part.subarray(0, into.length - done);
        into.set(bytes, done);
        done += bytes.length;
      }
      return into.length;
    },
  };
}

/** `dyld_all_image_infos`, version 17, its array and the paths. */
function imageInfos({ images }: SharedCacheOptions): MemoryRegion {
  const array = 0x400;
  const paths = array + images * 24;
  const pathSize = 80;
  const bytes = new Uint8Array(paths + images * pathSize + 0x1000 & ~0xfff);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 17, true);
  view.setUint32(4, images, true);
  view.setBigUint64(8, infosBase + BigInt(array), true);
  bytes[25] = 1;
  for (let image = 0; image < images; image++) {
    const path = paths + image * pathSize;
    view.setBigUint64(array + image * 24, imageAddress(image), true);
    view.setBigUint64(array + image * 24 + 8, infosBase + BigInt(path), true);
    const name = `Framework${String(image).padStart(4, "0")}`;
    encoder.encodeInto(
      `/System/Library/Frameworks/${name}.framework/${name}`,
      bytes.subarray(path),
    );
  }
  return {
    ...{ address: infosBase, size: bytes.length, protection: 3 },
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
  };
}

/** Stacks of frame records. The frames of a process are in a few of its images. */
function stacks({ images, threads }: SharedCacheOptions): {
  region: MemoryRegion;
  threads: MemoryThread[];
  calls: { readonly image: number; readonly function: number }[][];
} {
  const bytes = new Uint8Array(threads * stackSize);
  const view = new DataView(bytes.buffer);
  const { arm64 } = archs;
  const calls = Array.from(
    { length: threads },
    (_, thread) =>
      Array.from({ length: framesPerThread }, (_, frame) => ({
        image: (thread * 7 + frame * frame * 3) % Math.min(images, 45) *
          Math.floor(images / 45 || 1),
        function: (thread * 31 + frame * 17) % functions,
      })),
  );
  const pcOf = ({ image, function: index }: { image: number; function: number }) =>
    imageAddress(image) + BigInt(codeOffset + index * functionSize + 16);
  const captured = calls.map((chain, thread): MemoryThread => {
    const top = thread * stackSize + 0x8000;
    const record = (frame: number) => top + frame * 0x40;
    for (let frame = 0; frame < chain.length - 1; frame++) {
      view.setBigUint64(record(frame), stackBase + BigInt(record(frame + 1)), true);
      view.setBigUint64(record(frame) + 8, pcOf(chain[frame + 1]), true);
    }
    const state = new Uint8Array(arm64.threadState.size);
    writeRegister(state, arm64.pc, pcOf(chain[0]));
    writeRegister(state, arm64.sp, stackBase + BigInt(top));
    writeRegister(state, arm64.fp, stackBase + BigInt(top));
    const stackEnd = stackBase + BigInt((thread + 1) * stackSize);
    return { name: `thread ${thread}`, state, stackEnd };
  });
  const region: MemoryRegion = {
    ...{ address: stackBase, size: bytes.length, protection: 3 },
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
  };
  return { region, threads: captured, calls };
}

/** The process, and how much of it was read. */
export class SharedCacheKernel extends MemoryKernel {
  /** Bytes read with `vmRead`. */
  bytesRead = 0;
  /** Calls of `vmRead`. */
  reads = 0;
  /** What each thread's frames are in, innermost first; the address is 16 bytes into the function. */
  readonly calls: readonly (readonly { readonly image: number; readonly function: number }[])[];

  constructor(
    options: SharedCacheOptions = { images: 600, poolSize: 160 << 20, threads: 30 },
    more: readonly MemoryRegion[] = [],
  ) {
    const linkedit = new Linkedit(options);
    const { region, threads, calls } = stacks(options);
    super(archs.arm64, [
      text(linkedit, options),
      imageInfos(options),
      {
        ...{ address: linkeditBase, size: linkedit.size, protection: 1 },
        read: (offset, into) => linkedit.read(offset, into),
      },
      region,
      ...more,
    ], threads);
    this.dyldInfoAddress = infosBase;
    this.calls = calls;
  }

  override vmRead(task: number, address: bigint, into: Uint8Array): number {
    const length = super.vmRead(task, address, into);
    this.reads++;
    this.bytesRead += length;
    return length;
  }
}
