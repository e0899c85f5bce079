/** Machine code to instructions. The decoder, Capstone, is loaded with the first call. */
import type { ArchName } from "./arch/mod.ts";
import { hexBytes } from "./hex.ts";
import type { Target } from "./target/mod.ts";

/** One instruction. */
export interface Instruction {
  readonly address: bigint;
  readonly bytes: Uint8Array;
  /** `??` for bytes that are no instruction. */
  readonly mnemonic: string;
  readonly operands: string;
}

/** How {@linkcode disassemble} decodes. */
export interface DisassembleOptions {
  /** Maximum number of instructions. */
  readonly count?: number;
  /** Whether ARM code is Thumb. */
  readonly thumb?: boolean;
}

/** The part of Capstone's JavaScript that is used. */
interface CapstoneModule {
  readonly Capstone: new (arch: number, mode: number) => {
    disasm(
      bytes: Uint8Array,
      address: bigint,
      count?: number,
    ): readonly {
      readonly address: bigint;
      readonly size: number;
      readonly mnemonic: string;
      readonly op_str: string;
    }[];
    close(): void;
  };
  readonly [constant: string]: unknown;
}

/** In bytes: the longest instruction, and the unit that bytes which are no instruction are shown in. */
const shapes: Readonly<Record<ArchName, { readonly longest: number; readonly unit: number }>> = {
  armv7: { longest: 4, unit: 2 },
  arm64: { longest: 4, unit: 4 },
  i386: { longest: 15, unit: 1 },
  x86_64: { longest: 15, unit: 1 },
};

/** Capstone's names of ARM registers, as the thread state has them. */
const armNames: Readonly<Record<string, string>> = { sb: "r9", sl: "r10", fp: "r11", ip: "r12" };
const armName = (name: string): string => armNames[name];

/** The default for `count`: bounds a range that was typed by mistake. */
const MAX_INSTRUCTIONS = 20_000;
/** How far the end of a function without a size is searched, in bytes. */
const MAX_SEARCH = 4096n;

let loading: Promise<CapstoneModule> | undefined;

async function load(): Promise<CapstoneModule> {
  const { default: start } = await import("@alexaltea/capstone-js") as unknown as {
    default: () => Promise<CapstoneModule>;
  };
  return await start();
}

/** The length of an architecture's longest instruction, in bytes. */
export function longestInstruction(arch: ArchName): number {
  return shapes[arch].longest;
}

/** Decodes instructions. Bytes that are no instruction are returned with the mnemonic `??`.
 *
 * @param address of the first byte
 *
 * @example
 * ```ts
 * import { disassemble } from "./disassemble.ts";
 *
 * const [ret] = await disassemble("x86_64", new Uint8Array([0xc3]), 0x1000n);
 * console.log(ret.mnemonic); // ret
 * ```
 */
export async function disassemble(
  arch: ArchName,
  bytes: Uint8Array,
  address: bigint,
  { count = MAX_INSTRUCTIONS, thumb = false }: DisassembleOptions = {},
): Promise<Instruction[]> {
  const capstone = await (loading ??= load());
  const constant = (name: string) => capstone[name] as number;
  const [family, mode] = ({
    armv7: ["ARCH_ARM", thumb ? "MODE_THUMB" : "MODE_ARM"],
    arm64: ["ARCH_ARM64", "MODE_ARM"],
    i386: ["ARCH_X86", "MODE_32"],
    x86_64: ["ARCH_X86", "MODE_64"],
  } as const)[arch];
  const unit = arch === "armv7" && !thumb ? 4 : shapes[arch].unit;
  const decoder = new capstone.Capstone(constant(family), constant(mode));
  const found: Instruction[] = [];
  try {
    for (let at = 0; at < bytes.length && found.length < count;) {
      let decoded: ReturnType<typeof decoder.disasm> = [];
      try {
        decoded = decoder.disasm(bytes.subarray(at), address + BigInt(at), count - found.length);
      } catch {
        // Thrown where not even the first is an instruction.
      }
      for (const { address: where, size, mnemonic, op_str } of decoded) {
        found.push({
          address: where,
          bytes: bytes.slice(at, at + size),
          mnemonic,
          operands: arch === "armv7" ? op_str.replace(/\b(?:sb|sl|fp|ip)\b/g, armName) : op_str,
        });
        at += size;
      }
      if (at >= bytes.length || found.length >= count) break;
      const odd = bytes.slice(at, at + unit);
      found.push({
        address: address + BigInt(at),
        bytes: odd,
        mnemonic: "??",
        operands: `0x${hexBytes(odd.slice().reverse())}`,
      });
      at += unit;
    }
  } finally {
    decoder.close();
  }
  return found;
}

/** The range of the function around an address, by its symbol, which may be that of separate debug
 * information; `null` where no function is known. The end of a function whose size is not known is where the next
 * one begins. */
export function functionRange(
  target: Pick<Target, "resolve">,
  address: bigint,
): { readonly start: bigint; readonly end: bigint } | null {
  const { image, symbol } = target.resolve(address);
  // Images know where functions without a name begin, too.
  const match = image?.symbolAt(address) ?? null;
  if (match === null && symbol === null) return null;
  const start = match === null ? symbol!.address : address - BigInt(match.offset);
  const size = match === null ? symbol!.size : match.symbol?.size ?? 0;
  if (size > 0) return { start, end: start + BigInt(size) };
  const startAt = (at: bigint): bigint | undefined => {
    if (match === null) return target.resolve(at).symbol?.address;
    const other = image!.symbolAt(at);
    return other === null ? undefined : at - BigInt(other.offset);
  };
  let end = address;
  while (end - start < MAX_SEARCH && startAt(end) === start) end++;
  return { start, end };
}

/** Finds the addresses that instructions name, as far as their text tells: branch targets, and memory
 * relative to the program counter. Give it the instructions in their order: on arm64 an address is made
 * by two of them. */
export class ReferenceFinder {
  readonly #arch: ArchName;
  /** What `adrp` put into registers. */
  readonly #pages = new Map<string, bigint>();

  /** @param arch of the instructions */
  constructor(arch: ArchName) {
    this.#arch = arch;
  }

  /** The addresses that the next instruction names. */
  addressesOf({ address, bytes, mnemonic, operands }: Instruction): bigint[] {
    if (this.#arch === "x86_64" || this.#arch === "i386") {
      const relative = /\[rip ([-+]) (0x[\da-f]+|\d+)\]/.exec(operands);
      if (relative !== null) {
        const displacement = BigInt(relative[2]) * (relative[1] === "-" ? -1n : 1n);
        return [address + BigInt(bytes.length) + displacement];
      }
      const target = /^(0x[\da-f]+)$/.exec(operands);
      return target !== null && /^(?:call|j|loop)/.test(mnemonic) ? [BigInt(target[1])] : [];
    }
    const target = /#(0x[\da-f]+)$/.exec(operands)?.[1];
    if (this.#arch === "armv7") {
      return target !== undefined && /^(?:b|cb)/.test(mnemonic) && !/^(?:bic|bf)/.test(mnemonic)
        ? [BigInt(target)]
        : [];
    }
    const [first] = operands.split(",");
    if (mnemonic === "adrp" && target !== undefined) {
      this.#pages.set(first, BigInt(target));
      return [];
    }
    // `add` and loads complete what `adrp` began.
    const sum = /^(\w+), (?:\w+, )?\[?(\w+)(?:, #(0x[\da-f]+|\d+))?\]?!?$/.exec(operands);
    const page = sum === null || !/^(?:add|ldr|ldp|str)/.test(mnemonic)
      ? undefined
      : this.#pages.get(sum[2]);
    if (page !== undefined) return [page + BigInt(sum![3] ?? "0")];
    this.#pages.delete(first);
    if (target !== undefined && /^(?:b|bl|b\.\w+|cbn?z|tbn?z|adr|ldr)$/.test(mnemonic)) {
      return [BigInt(target)];
    }
    return [];
  }
}
