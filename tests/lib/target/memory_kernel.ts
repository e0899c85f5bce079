/** A fake kernel whose task has any memory, any threads and any architecture. */
import type { Arch } from "../../../lib/arch/mod.ts";
import type { AddressRange } from "../../../lib/macho/mod.ts";
import type { Capture, CaptureOptions, DyldInfo, Region } from "../../../lib/target/mod.ts";
import { type Parts, recordedParts } from "./core_builder.ts";
import { FakeKernel } from "./fake_kernel.ts";

/** A region of a {@linkcode MemoryKernel}. */
export interface MemoryRegion {
  readonly address: bigint;
  readonly size: number;
  readonly protection: number;
  /** `SM_*`; private when left out. */
  readonly shareMode?: number;
  readonly path?: string;
  /** Where it has contents, by offsets; everywhere when left out. */
  readonly present?: readonly (readonly [start: number, end: number])[];
  /** Fills `into` from `offset` on; returns how many bytes could be read. */
  read(offset: number, into: Uint8Array): number;
}

/** A region that holds bytes. */
export function bytesRegion(address: bigint, bytes: Uint8Array, protection = 3): MemoryRegion {
  return {
    ...{ address, protection, size: bytes.length },
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
  };
}

/** A thread of a {@linkcode MemoryKernel}. */
export interface MemoryThread {
  readonly name: string;
  readonly state: Uint8Array;
  readonly stackEnd: bigint;
}

/** Counts what is held and dies at any call, as {@linkcode FakeKernel} does. */
export class MemoryKernel extends FakeKernel {
  override readonly system: "darwin" | "linux";
  readonly #arch: Arch;
  readonly #regions: readonly MemoryRegion[];
  readonly #threads: readonly MemoryThread[];

  constructor(
    arch: Arch,
    regions: readonly MemoryRegion[],
    threads: readonly MemoryThread[],
    system: "darwin" | "linux" = "darwin",
  ) {
    super();
    this.#arch = arch;
    this.#threads = threads;
    this.#regions = [...regions].sort((a, b) => Number(a.address - b.address));
    this.system = system;
    this.threadNames = threads.map(({ name }) => name);
  }

  override vmRead(task: number, address: bigint, into: Uint8Array): number {
    super.vmRead(task, address, into.subarray(0, 0));
    return this.#read(address, into);
  }

  #read(address: bigint, into: Uint8Array): number {
    let done = 0;
    for (const region of this.#regions) {
      const offset = Number(address - region.address) + done;
      if (offset < 0 || offset >= region.size) continue;
      const length = Math.min(into.length - done, region.size - offset);
      const got = region.read(offset, into.subarray(done, done + length));
      done += got;
      if (got < length || done === into.length) break;
    }
    return done;
  }

  override vmRegions(task: number, from: bigint, limit: number): Region[] {
    super.vmRegions(task, from, limit);
    return this.#regions.filter(({ address, size }) => address + BigInt(size) > from)
      .slice(0, limit)
      .map(({ address, size, protection, shareMode = 2, path = "" }) => ({
        ...{ address, size: BigInt(size), protection, shareMode, path },
        ...{ offset: 0n, maxProtection: 7, userTag: 0, depth: 0 },
      }));
  }

  override vmPresent(task: number, address: bigint, size: bigint): AddressRange[] {
    const region = this.#regions.find((region) => region.address === address);
    if (region?.present === undefined) return super.vmPresent(task, address, size);
    return region.present.map(([start, end]) => ({
      start: address + BigInt(start),
      end: address + BigInt(end),
    }));
  }

  override taskDyldInfo(task: number): DyldInfo {
    const { cpuType, pointerSize } = this.#arch;
    return { ...super.taskDyldInfo(task), cpuType, is64: pointerSize === 8 };
  }

  override snapshot(task: number, options: CaptureOptions): Capture {
    const capture = super.snapshot(task, options);
    return {
      ...capture,
      threads: capture.threads.map(({ info }, index) => {
        const { state, stackEnd } = this.#threads[index];
        const sp = this.#arch.sp;
        const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
        const pointer = sp.size === 8
          ? view.getBigUint64(sp.offset, true)
          : BigInt(view.getUint32(sp.offset, true));
        const stackAddress = pointer - 128n;
        const stack = new Uint8Array(Math.min(options.maxStack, Number(stackEnd - stackAddress)));
        const length = this.#read(stackAddress, stack);
        return {
          info,
          state: state.slice(),
          stackAddress,
          stack: stack.slice(0, length),
          stackEnd,
        };
      }),
    };
  }
}

/** Where dyld publishes its list in the recorded tasks: nothing else of theirs is there. */
const dyldInfosAddress = 0x7000_0000n;

/** `dyld_all_image_infos`, version 16, its array and the paths, of `<mach-o/dyld_images.h>`. */
function dyldInfos({ arch, images }: Parts): Uint8Array {
  const bytes = new Uint8Array(0x2000);
  const view = new DataView(bytes.buffer);
  const size = arch.pointerSize;
  const pointer = (at: number, value: bigint) =>
    size === 8 ? view.setBigUint64(at, value, true) : view.setUint32(at, Number(value), true);
  view.setUint32(0, 16, true);
  view.setUint32(4, images.length, true);
  pointer(8, dyldInfosAddress + 0x400n);
  bytes[size === 8 ? 25 : 17] = 1; // libSystemInitialized
  let path = 0x1000;
  images.forEach((image, index) => {
    const at = 0x400 + index * 3 * size;
    pointer(at, image.loadAddress!);
    pointer(at + size, dyldInfosAddress + BigInt(path));
    path += new TextEncoder().encodeInto(image.path!, bytes.subarray(path)).written + 1;
  });
  return bytes;
}

/** The demo as it was recorded on an ARM machine, as a task. */
export function recordedKernel(name: "arm64" | "armv7"): MemoryKernel {
  const parts = recordedParts(name);
  const ends = parts.regions.map(({ address, bytes }) => ({
    start: address,
    end: address + BigInt(bytes.length),
  }));
  const sp = (state: Uint8Array) => {
    const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
    const { offset, size } = parts.arch.sp;
    return size === 8 ? view.getBigUint64(offset, true) : BigInt(view.getUint32(offset, true));
  };
  const loader = name === "arm64" ? 0x40_0000n : 0x1_0000n;
  const kernel = new MemoryKernel(
    parts.arch,
    [
      ...parts.regions.map(({ address, bytes, protection }) =>
        bytesRegion(address, bytes, protection)
      ),
      bytesRegion(dyldInfosAddress, dyldInfos(parts)),
      // The loader, of which the recording has nothing but its place.
      { ...bytesRegion(loader, new Uint8Array(0x1_0000), 5), path: "/macho-loader", shareMode: 1 },
    ],
    parts.threads.map(({ name, state }) => ({
      name,
      state,
      stackEnd: ends.find(({ start, end }) => start <= sp(state) && sp(state) < end)!.end,
    })),
    "linux",
  );
  kernel.dyldInfoAddress = dyldInfosAddress;
  return kernel;
}
