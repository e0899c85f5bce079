/** What a debugger must know of an architecture: the registers of each thread state flavor, the
 * roles of some registers, the frame record, and the form of code addresses. One file per
 * architecture holds the data; nothing here computes with a target. */

/** Where a register lies in a thread state. */
export interface Register {
  /** Its name as debuggers print it. */
  readonly name: string;
  /** Bytes from the start of the thread state. */
  readonly offset: number;
  /** Bytes. */
  readonly size: 4 | 8;
  /** Its DWARF register number, from the architecture's DWARF supplement; `null` when it has none.
   */
  readonly dwarf: number | null;
}

/** A thread state flavor of `<mach/thread_status.h>`. */
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

/** The names of the supported architectures. */
export type ArchName = "armv7" | "arm64" | "i386" | "x86_64";

/** One architecture, as data. */
export interface Arch {
  /** As `lipo` and `arch` name it. */
  readonly name: ArchName;
  /** `CPU_TYPE_*` of `<mach/machine.h>`. */
  readonly cpuType: number;
  /** Bytes. */
  readonly pointerSize: 4 | 8;
  /** The general registers. */
  readonly threadState: Flavor;
  /** The last exception, and the address that caused it. */
  readonly exceptionState: Flavor;
  /** The program counter. */
  readonly pc: Register;
  /** The stack pointer. */
  readonly sp: Register;
  /** The register that points to the innermost frame record. */
  readonly fp: Register;
  /** The register that holds the return address on entry; `null` where the call pushes it. */
  readonly lr: Register | null;
  /** The DWARF numbers of the callee-saved registers. */
  readonly calleeSaved: ReadonlySet<number>;
  /** The frame record: a pair of pointers, the caller's frame pointer first. */
  readonly frameRecord: { readonly size: number; readonly returnAddress: number };
  /** The bits of a code pointer that are its address: without pointer authentication and without
   * the Thumb bit. */
  readonly addressMask: bigint;
  /** The same in processes of Linux, where those have other addresses than Darwin's. */
  readonly linuxAddressMask?: bigint;
  /** Where Linux takes a system call's number in the register of the frame pointer: the code of our loader's
   * calls, from the call instruction on. While a thread is in one, its stack pointer points to a frame record
   * (`ffi/shim/linux/arm/machine.h`). */
  readonly linuxCall?: { readonly code: readonly number[]; readonly instructionSize: number };
  /** Subtracted from a return address to get an address inside the call instruction. Lookups of
   * functions and lines accept any byte of an instruction. */
  readonly callBias: bigint;
}

/** An architecture as the processes of a system have it. */
export function archOn(arch: Arch, system: "darwin" | "linux"): Arch {
  const { linuxAddressMask } = arch;
  return system === "darwin" || linuxAddressMask === undefined
    ? arch
    : { ...arch, addressMask: linuxAddressMask };
}

/** An architecture in a process whose addresses have a number of bits that its system tells; 0 for one that
 * is not told. 32-bit architectures and those without pointer authentication stay as they are. */
export function withAddressBits(arch: Arch, bits: number): Arch {
  const isUsable = Number.isInteger(bits) && bits >= 32 && bits <= 55;
  if (!isUsable || arch.linuxAddressMask === undefined) return arch;
  return { ...arch, addressMask: (1n << BigInt(bits)) - 1n };
}

/** Places registers of one size one after another from `offset` on.
 *
 * @param names in the order of the state's fields, each with its DWARF number or `null`
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
 * @throws RangeError when the flavor has no register of that name
 */
export function register(flavor: Pick<Flavor, "name" | "registers">, name: string): Register {
  const found = flavor.registers.find((register) => register.name === name);
  if (found === undefined) throw new RangeError(`${flavor.name} has no register ${name}`);
  return found;
}
