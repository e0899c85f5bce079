/** What showing the frames of threads takes of the images: the instructions that unwinding looks at, and what
 * the names are read from. */
import type { Arch } from "../arch/mod.ts";
import type { NotedSymbol } from "../macho/cores.ts";
import { type AddressRange, Image, type LoadedImage } from "../macho/walking.ts";
import { Symbolizer } from "../symbols/walking.ts";
import { unwind } from "../unwind/mod.ts";
import { Backtrace } from "./frame.ts";
import type { CapturedThread } from "./kernel.ts";
import type { Memory } from "./memory.ts";
import type { Thread } from "./thread.ts";

/** Maximum number of frames of a thread that are looked at. */
const MAX_FRAMES = 1 << 14;

/** What frames are shown from. */
export interface FrameSource {
  readonly arch: Arch;
  readonly memory: Memory;
  readonly images: readonly LoadedImage[];
  readonly threads: readonly Thread[];
  /** As captured, in the order of `threads`. */
  readonly captured: readonly CapturedThread[];
  readonly readInto: (address: bigint, into: Uint8Array) => number;
}

/** What showing frames takes. */
export interface FrameNeeds {
  /** The memory of images that is read for it. */
  readonly ranges: readonly AddressRange[];
  /** The names that are in no memory, but in the shared cache's files. */
  readonly symbols: readonly NotedSymbol[];
}

/** Unwinds and names the frames of all threads with images that know nothing yet, and notes what they read.
 * A reader of the core reads the same. */
export function frameNeeds(source: FrameSource): FrameNeeds {
  const { arch, memory, threads, captured, readInto } = source;
  const ranges: AddressRange[] = [];
  const recorder = {
    read(address: bigint, length: number): Uint8Array {
      const bytes = memory.read(address, length);
      ranges.push({ start: address, end: address + BigInt(length) });
      return bytes;
    },
  };
  const live = threads.map((thread) => thread.backtrace({ limit: MAX_FRAMES }).activations);
  const shown = new Set<LoadedImage | null>(live.flatMap((frames) => frames.map(imageOf)));
  const fresh = (image: LoadedImage): LoadedImage =>
    image instanceof Image && shown.has(image)
      ? Image.fromMemory(recorder, image.loadAddress, image.path)
      : image;
  const symbolizer = new Symbolizer(source.images.map(fresh));
  const symbols = new Map<bigint, NotedSymbol>();
  for (const [index, { state, stackAddress, stack, stackEnd }] of captured.entries()) {
    const input = { arch, images: symbolizer, state, stackAddress, stack, stackEnd, readInto };
    const frames =
      new Backtrace(arch, symbolizer, unwind(input, { limit: MAX_FRAMES })).activations;
    for (const [number, { symbol: known }] of live[index].entries()) {
      const found = frames[number]?.symbol ?? null;
      if (known === null || found?.rawName === known.rawName) continue;
      symbols.set(known.address, { address: known.address, name: known.rawName });
    }
  }
  return { ranges, symbols: [...symbols.values()] };
}

function imageOf({ image }: { readonly image: LoadedImage | null }): LoadedImage | null {
  return image;
}
