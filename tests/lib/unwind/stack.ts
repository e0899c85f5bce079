import { type Arch, Registers, writeRegister } from "../../../lib/arch/mod.ts";
import type { LoadedImage } from "../../../lib/macho/mod.ts";
import type { Resolver } from "../../../lib/symbols/mod.ts";
import type { WalkInput } from "../../../lib/target/mod.ts";

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

  input(overrides: Partial<WalkInput> = {}): WalkInput {
    const state = new Uint8Array(this.arch.threadState.size);
    for (const register of this.arch.threadState.registers) {
      writeRegister(state, register, this.#values.get(register.name) ?? 0n);
    }
    return {
      arch: this.arch,
      resolver: functions([]),
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

/** A resolver over functions that begin at the given addresses, in one image. */
export function functions(starts: readonly bigint[]): Resolver {
  const image: LoadedImage = {
    name: "image",
    path: "/image",
    uuid: null,
    loadAddress: 0x1000n,
    slide: 0n,
    ranges: [],
    symbolAt(address) {
      const start = starts.findLast((start) => start <= address);
      return start === undefined ? null : { symbol: null, offset: Number(address - start) };
    },
    findSymbols: () => [],
  };
  return {
    resolve: (address) => ({
      image: address < 0x1000n ? null : image,
      symbol: null,
      offset: Number(address - image.loadAddress),
      functionStart: null,
      source: null,
      frames: [],
    }),
  };
}
