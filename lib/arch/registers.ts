import type { Arch, Register } from "./arch.ts";

/** A register and its value. */
export interface RegisterValue {
  /** As in the thread state. */
  readonly name: string;
  /** Unsigned. */
  readonly value: bigint;
}

/** The known registers of one frame, in the thread state's order.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 *
 * using core = openCore("MyApp.core");
 * const { registers } = core.threads[0];
 * console.log(registers.get(core.arch.pc.name));
 * for (const { name, value } of registers) console.log(name, value.toString(16));
 * ```
 */
export class Registers implements Iterable<RegisterValue> {
  readonly #values: ReadonlyMap<string, bigint>;

  /** Creates registers with known values.
   *
   * @param values by register name; a register that is missing here is unknown
   */
  constructor(values: ReadonlyMap<string, bigint>) {
    this.#values = values;
  }

  /** Reads all registers out of a thread state.
   *
   * @throws RangeError when the state is shorter than its flavor
   */
  static fromState(arch: Arch, state: Uint8Array): Registers {
    return new Registers(
      new Map(arch.threadState.registers.map((r) => [r.name, readRegister(state, r)])),
    );
  }

  /** The value of a register by name; `undefined` when it is unknown in this frame. */
  get(name: string): bigint | undefined {
    return this.#values.get(name);
  }

  /** The number of known registers. */
  get size(): number {
    return this.#values.size;
  }

  /** The known registers, in the thread state's order. */
  *[Symbol.iterator](): IterableIterator<RegisterValue> {
    for (const [name, value] of this.#values) yield { name, value };
  }

  /** All known registers on one line. */
  toString(): string {
    return [...this].map(({ name, value }) => `${name}=0x${value.toString(16)}`).join(" ");
  }

  /** `{ name: "0x…" }`. */
  toJSON(): Record<string, string> {
    return Object.fromEntries(
      [...this].map(({ name, value }) => [name, `0x${value.toString(16)}`]),
    );
  }

  /** One line per register. */
  [Symbol.for("Deno.customInspect")](): string {
    return [...this].map(({ name, value }) => `${name.padStart(8)} = 0x${value.toString(16)}`)
      .join("\n");
  }
}

/** Reads one register out of a thread state.
 *
 * @throws RangeError when the state ends before it
 */
export function readRegister(state: Uint8Array, register: Register): bigint {
  const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
  return register.size === 8
    ? view.getBigUint64(register.offset, true)
    : BigInt(view.getUint32(register.offset, true));
}

/** Writes one register into a thread state, truncated to its size.
 *
 * @throws RangeError when the state ends before it
 */
export function writeRegister(state: Uint8Array, register: Register, value: bigint): void {
  const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
  if (register.size === 8) view.setBigUint64(register.offset, BigInt.asUintN(64, value), true);
  else view.setUint32(register.offset, Number(BigInt.asUintN(32, value)), true);
}
