import type { Arch } from "../arch/mod.ts";
import { CallFrameInfo, type UnwindRow } from "../dwarf/mod.ts";
import { Image, type LoadedImage, type Section } from "../macho/mod.ts";
import type { Via } from "../target/mod.ts";
import { compactRow } from "./compact.ts";
import { UnwindInfo } from "./unwind_info.ts";

/** How to step from a frame at one address to its caller. */
export interface Plan {
  readonly via: Via;
  readonly row: UnwindRow;
}

/** What one image says about its functions' frames, and what was made of it. Nothing is read before
 * it is asked for, and nothing twice: images outlive pauses. */
export class ImagePlans {
  readonly #image: Image;
  readonly #arch: Arch;
  readonly #plans = new Map<number, Plan | null>();
  #compact: UnwindInfo | null | undefined;
  #cfi: readonly CallFrameInfo[] | undefined;

  constructor(image: Image, arch: Arch) {
    this.#image = image;
    this.#arch = arch;
  }

  /** The plan for a function's body at `address`; `null` where the image has none. */
  at(address: bigint): Plan | null {
    const offset = Number(address - this.#image.loadAddress);
    let plan = this.#plans.get(offset);
    if (plan === undefined) {
      plan = this.#find(address, offset);
      this.#plans.set(offset, plan);
    }
    return plan;
  }

  #find(address: bigint, offset: number): Plan | null {
    const entry = this.#unwindInfo()?.encodingAt(offset) ?? null;
    if (entry !== null && entry.encoding !== 0) {
      const row = compactRow(this.#arch, entry.encoding, {
        functionStart: entry.functionStart,
        readCode: (at, length) => this.#image.read(this.#image.loadAddress + BigInt(at), length),
      });
      if (row !== null && !("dwarf" in row)) return { via: "compact-unwind", row };
    }
    for (const info of this.#callFrameInfo()) {
      const row = info.rowAt(address);
      if (row !== null) return { via: "cfi", row };
    }
    return null;
  }

  #contents(segmentName: string, name: string): { section: Section; bytes: Uint8Array } | null {
    for (const { sections } of this.#image.segments) {
      const section = sections.find((s) => s.segmentName === segmentName && s.name === name);
      if (section === undefined) continue;
      const bytes = this.#image.read(section.address, section.size);
      if (bytes !== null) return { section, bytes };
    }
    return null;
  }

  #unwindInfo(): UnwindInfo | null {
    if (this.#compact === undefined) {
      const section = this.#contents("__TEXT", "__unwind_info");
      this.#compact = section === null ? null : UnwindInfo.parse(section.bytes, this.#warn);
    }
    return this.#compact;
  }

  #callFrameInfo(): readonly CallFrameInfo[] {
    if (this.#cfi === undefined) {
      const { pointerSize } = this.#arch;
      const found: CallFrameInfo[] = [];
      for (
        const [segmentName, name, kind] of [
          ["__TEXT", "__eh_frame", "eh_frame"],
          ["__DWARF", "__debug_frame", "debug_frame"],
        ] as const
      ) {
        const contents = this.#contents(segmentName, name);
        if (contents === null) continue;
        found.push(CallFrameInfo.parse(contents.bytes, {
          address: contents.section.address,
          slide: this.#image.slide,
          pointerSize,
          kind,
          // In this section alone Darwin numbers the two the other way round.
          swapEspEbp: this.#arch.name === "i386" && kind === "eh_frame",
          warn: this.#warn,
        }));
      }
      this.#cfi = found;
    }
    return this.#cfi;
  }

  readonly #warn = (text: string): void => {
    const { warnings } = this.#image;
    if (!warnings.includes(text)) warnings.push(text);
  };
}

const plansByImage = new WeakMap<LoadedImage, ImagePlans>();

/** The plans of an image; `null` for one that is no Mach-O image. */
export function plansOf(image: LoadedImage | null, arch: Arch): ImagePlans | null {
  if (!(image instanceof Image)) return null;
  let plans = plansByImage.get(image);
  if (plans === undefined) {
    plans = new ImagePlans(image, arch);
    plansByImage.set(image, plans);
  }
  return plans;
}
