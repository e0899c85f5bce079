import { type Arch, Registers, writeRegister } from "../../../lib/arch/mod.ts";
import type { LoadedImage } from "../../../lib/macho/mod.ts";
import { unknownAddress } from "../../../lib/symbols/mod.ts";
import { Backtrace, type CodeResolver, type Frame } from "../../../lib/target/mod.ts";
import {
  type StopReason,
  unwind,
  type UnwindInput,
  type UnwindOptions,
} from "../../../lib/unwind/mod.ts";

/** What is unwound, in images that can resolve the frames' addresses too. */
export interface Stack extends UnwindInput {
  readonly images: CodeResolver;
}

/** Unwinds a stack and wraps its activations, as a target does. */
export function framesOf(
  input: Stack,
  options: UnwindOptions = {},
): readonly Frame[] & { readonly stopped: StopReason } {
  const unwound = unwind(input, options);
  const { activations } = new Backtrace(input.arch, input.images, unwound);
  return Object.assign([...activations], { stopped: unwound.stopped });
}

/** A stack written by hand: where the truth is known because the test made it. */
export class HandMadeStack {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #values = new Map<string, bigint>();

  constructor(readonly arch: Arch, readonly base: bigint, size: number) {
    this.bytes = new Uint8Array(size);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Writes a frame record at an offset from the base. */
  record(offset: number, previous: bigint, returnAddress: bigint): void {
    if (this.arch.pointerSize === 8) {
      this.#view.setBigUint64(offset, previous, true);
      this.#view.setBigUint64(offset + 8, returnAddress, true);
    } else {
      this.#view.setUint32(offset, Number(previous), true);
      this.#view.setUint32(offset + 4, Number(returnAddress), true);
    }
  }

  set(role: "pc" | "sp" | "fp" | "lr", value: bigint): void {
    this.#values.set(this.arch[role]!.name, value);
  }

  input(overrides: Partial<Stack> = {}): Stack {
    const state = new Uint8Array(this.arch.threadState.size);
    for (const register of this.arch.threadState.registers) {
      writeRegister(state, register, this.#values.get(register.name) ?? 0n);
    }
    return {
      arch: this.arch,
      images: functions([]),
      state,
      stackAddress: this.base,
      stack: this.bytes,
      stackEnd: this.base + BigInt(this.bytes.length),
      readInto: undefined,
      ...overrides,
    };
  }

  get registers(): Registers {
    return Registers.fromState(this.arch, this.input().state);
  }
}

/** Functions that begin at the given addresses, in one image. */
export function functions(starts: readonly bigint[]): CodeResolver {
  const image: LoadedImage = {
    name: "image",
    path: "/image",
    uuid: null,
    loadAddress: 0x1000n,
    slide: 0n,
    ranges: [],
    symbolAt(address) {
      const start = starts.findLast((start) => start <= address);
      return start === undefined
        ? null
        : { symbol: null, offset: Number(address - start), size: null };
    },
    findSymbols: () => [],
  };
  const imageAt = (address: bigint) => address < image.loadAddress ? null : image;
  return {
    imageAt,
    resolve: (address) => ({
      ...unknownAddress,
      image: imageAt(address),
      offset: Number(address - image.loadAddress),
    }),
  };
}
