/** What an architecture is, to a debugger: registers by thread state flavor, the roles some of them
 * play, the frame record, and how code addresses are written. One file per architecture holds the
 * data; nothing here computes with a target. */

/** Where a register lies in a thread state.
 *
 * @example
 * ```ts
 * import { archs, type Register } from "@machpause/machpause";
 *
 * const register: Register = archs.arm64.fp;
 * console.log(register.name, register.offset, register.size); // fp 232 8
 * ```
 */
export interface Register {
  /** Its name as debuggers print it. */
  readonly name: string;
  /** Bytes from the start of the thread state. */
  readonly offset: number;
  /** Bytes. */
  readonly size: 4 | 8;
  /** Its DWARF register number, from the architecture's DWARF supplement; `null` when it has none. */
  readonly dwarf: number | null;
}

/** A thread state flavor of `<mach/thread_status.h>`.
 *
 * @example
 * ```ts
 * import { archs, type Flavor } from "@machpause/machpause";
 *
 * const flavor: Flavor = archs.x86_64.threadState;
 * console.log(flavor.name, flavor.number, flavor.size); // x86_THREAD_STATE64 4 168
 * ```
 */
export interface Flavor {
  /** Its name in the header. */
  readonly name: string;
  /** Its `thread_state_flavor_t` value. */
  readonly number: number;
  /** Bytes: four times the header's `_COUNT`. */
  readonly size: number;
  /** In the state's order. */
  readonly registers: readonly Register[];
}

/** The names of the architectures that machpause knows.
 *
 * @example
 * ```ts
 * import { type ArchName, archs } from "@machpause/machpause";
 *
 * const name: ArchName = "arm64";
 * console.log(archs[name].pointerSize); // 8
 * ```
 */
export type ArchName = "armv7" | "arm64" | "i386" | "x86_64";

/** One architecture, as data.
 *
 * @example
 * ```ts
 * import { arm64 } from "./mod.ts";
 *
 * console.log(arm64.fp.offset); // 232: x29 follows the 29 registers before it
 * ```
 */
export interface Arch {
  /** As `lipo` and `arch` name it. */
  readonly name: ArchName;
  /** `CPU_TYPE_*` of `<mach/machine.h>`. */
  readonly cpuType: number;
  /** Bytes. */
  readonly pointerSize: 4 | 8;
  /** The general registers. */
  readonly threadState: Flavor;
  /** What the last exception was, and the address it was about. */
  readonly exceptionState: Flavor;
  /** The program counter. */
  readonly pc: Register;
  /** The stack pointer. */
  readonly sp: Register;
  /** The register that points to the innermost frame record. */
  readonly fp: Register;
  /** The register that holds the return address on entry; `null` where the call pushes it. */
  readonly lr: Register | null;
  /** The registers that a function hands back as it got them, by DWARF number. */
  readonly calleeSaved: ReadonlySet<number>;
  /** The frame record: a pair of pointers, the caller's frame pointer first. */
  readonly frameRecord: { readonly size: number; readonly returnAddress: number };
  /** The bits of a code pointer that are its address: without pointer authentication and without
   * the Thumb bit. */
  readonly addressMask: bigint;
  /** Subtracted from a return address to get into the call: an address inside an instruction
   * is as good as its start to whoever looks up a function or a line. */
  readonly callBias: bigint;
}

/** Lays registers of one size out one after another from `offset` on.
 *
 * @param names in the order of the state's fields; each with its DWARF number or `null`
 */
export function layOut(
  names: readonly (readonly [name: string, dwarf: number | null])[],
  size: 4 | 8,
  offset = 0,
): Register[] {
  return names.map(([name, dwarf], index) => ({
    name,
    offset: offset + index * size,
    size,
    dwarf,
  }));
}

/** Finds a register of a flavor by name.
 *
 * @throws RangeError when the flavor has none of that name
 */
export function register(flavor: Pick<Flavor, "name" | "registers">, name: string): Register {
  const found = flavor.registers.find((register) => register.name === name);
  if (found === undefined) throw new RangeError(`${flavor.name} has no register ${name}`);
  return found;
}
