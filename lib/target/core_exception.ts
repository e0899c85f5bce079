import {
  type Arch,
  type ArchName,
  type Flavor,
  readRegister,
  type Register,
  Registers,
} from "../arch/mod.ts";

/** A crash at which a program is stopped.
 *
 * @example
 * ```ts
 * import { type Crash, launch } from "@machpause/machpause";
 *
 * using target = await launch("./program", [], { catchCrash: true });
 * const crash: Crash | null = target.crash;
 * if (crash !== null) console.log(target.threads.find(({ id }) => id === crash.threadId));
 * ```
 */
export interface Crash {
  /** The thread that crashed. */
  readonly threadId: bigint;
  /** `EXC_*` of `<mach/exception_types.h>`; 0 for a signal that was sent, as by `abort()`. */
  readonly exception: number;
  /** The low 20 bits of the exception's first code. */
  readonly code: bigint;
  /** Its second code: of `EXC_BAD_ACCESS` the address. */
  readonly subcode: bigint;
  /** Darwin's number of the signal that the program dies of. */
  readonly signal: number;
}

/** The last exception of a thread, from its exception state. It is no fault where the thread is in a
 * system call or was interrupted.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 *
 * using core = openCore("MyApp.core");
 * const exception = core.crashedThread?.exception;
 * console.log(`${exception}`, exception?.registers.get("far")); // page fault, writing, at 0x10 …
 * ```
 */
export class ThreadException {
  /** The registers of the flavor, by the names in the header: `trapno`, `err`, `faultvaddr`; `far`,
   * `esr`, … */
  readonly registers: Registers;
  /** The address that it is about; `null` when it is about none. */
  readonly faultAddress: bigint | null;
  /** A description, as in `page fault, writing`. */
  readonly description: string;
  /** Whether the program caused it: a bad address, a breakpoint, a bad instruction. */
  readonly fault: boolean;

  /** An exception.
   *
   * @param registers of the exception state flavor
   * @ignore
   */
  constructor(
    registers: Registers,
    faultAddress: bigint | null,
    description: string,
    fault: boolean,
  ) {
    this.registers = registers;
    this.faultAddress = faultAddress;
    this.description = description;
    this.fault = fault;
  }

  /** As in `page fault, writing, at 0x10`. */
  toString(): string {
    const { faultAddress, description } = this;
    return faultAddress === null
      ? description
      : `${description}, at 0x${faultAddress.toString(16)}`;
  }

  /** As {@linkcode toString}. */
  [Symbol.for("Deno.customInspect")](): string {
    return this.toString();
  }

  /** `{ description, faultAddress, registers }`. */
  toJSON(): Record<string, unknown> {
    const { description, faultAddress, registers } = this;
    return {
      description,
      faultAddress: faultAddress === null ? null : `0x${faultAddress.toString(16)}`,
      registers: registers.toJSON(),
    };
  }
}

/** `_STRUCT_ARM_EXCEPTION_STATE64_V2` of `<mach/arm/_structs.h>`. */
export const armExceptionState64V2: Flavor = {
  name: "ARM_EXCEPTION_STATE64_V2",
  number: 10,
  size: 16,
  registers: [
    { name: "far", offset: 0, size: 8, dwarf: null },
    { name: "esr", offset: 8, size: 8, dwarf: null },
  ],
};

/** `T_*` of XNU's `osfmk/i386/trap.h`. */
const traps: Readonly<Record<number, string>> = {
  0: "divide error",
  1: "debug exception",
  3: "breakpoint",
  4: "overflow",
  5: "bounds check",
  6: "invalid instruction",
  7: "no floating point",
  8: "double fault",
  11: "segment not present",
  12: "stack fault",
  13: "general protection fault",
  14: "page fault",
  16: "floating-point error",
  17: "misaligned access",
  18: "machine check",
  19: "SSE floating-point error",
};
const pageFault = 14;
/** `T_PF_*`. */
const pageFaultWrite = 2;
const pageFaultUser = 4;
const pageFaultExecute = 16;

/** Classes of exceptions from user code, of the Arm Architecture Reference Manual's `ESR_ELx.EC`. */
const classes: Readonly<Record<number, string>> = {
  0x00: "invalid instruction",
  0x07: "floating-point access",
  0x0d: "branch target",
  0x0e: "illegal execution state",
  0x1c: "pointer authentication failure",
  0x20: "instruction abort",
  0x22: "misaligned pc",
  0x24: "data abort",
  0x26: "misaligned sp",
  0x28: "floating-point exception",
  0x2c: "floating-point exception",
  0x30: "hardware breakpoint",
  0x32: "single step",
  0x34: "watchpoint",
  0x38: "breakpoint",
  0x3c: "breakpoint",
};
/** Classes that are about an address: aborts, alignment of the pc, watchpoints. */
const classesWithAddress: ReadonlySet<number> = new Set([0x20, 0x22, 0x24, 0x34]);
const dataAbort = 0x24;
const supervisorCalls: ReadonlySet<number> = new Set([0x11, 0x15]);

/** `T_*` of XNU's `osfmk/arm/trap.h`. */
const armTraps: Readonly<Record<number, string>> = {
  1: "undefined instruction",
  3: "prefetch abort",
  4: "data abort",
};

type Fields = (name: string) => bigint;
type Reading = readonly [faultAddress: bigint | null, description: string, fault: boolean];

/** Whether the error code of a page fault is known: every fault of a program's own code has the bit. Linux tells a
 * debugger no error code. */
function hasErrorCode(values: ReadonlyMap<string, bigint>): boolean {
  return Number((values.get("trapno") ?? 0n) & 0xffffn) !== pageFault ||
    (Number(values.get("err") ?? 0n) & pageFaultUser) !== 0;
}

function readX86(field: Fields): Reading {
  // The upper half is the number of the CPU.
  const trap = Number(field("trapno") & 0xffffn);
  const error = Number(field("err"));
  const name = traps[trap];
  if (name === undefined) {
    return [null, trap === 0x85 || trap === 0x84 ? "system call" : `trap ${trap}`, false];
  }
  if (trap !== pageFault) return [null, name, true];
  if ((error & pageFaultUser) === 0) return [field("faultvaddr"), name, true];
  const how = (error & pageFaultExecute) !== 0
    ? "executing"
    : (error & pageFaultWrite) !== 0
    ? "writing"
    : "reading";
  return [field("faultvaddr"), `${name}, ${how}`, true];
}

function readArm64(field: Fields): Reading {
  const syndrome = Number(field("esr") & 0xffff_ffffn);
  const kind = syndrome >>> 26;
  const name = classes[kind];
  if (name === undefined) {
    const call = supervisorCalls.has(kind);
    return [null, call ? "system call" : `exception class 0x${kind.toString(16)}`, false];
  }
  const address = classesWithAddress.has(kind) ? field("far") : null;
  // `WnR`.
  const how = kind !== dataAbort ? "" : (syndrome & 0x40) !== 0 ? ", writing" : ", reading";
  return [address, name + how, true];
}

function readArmv7(field: Fields): Reading {
  const exception = Number(field("exception"));
  const name = armTraps[exception];
  const status = Number(field("fsr"));
  if (name !== undefined) {
    // `WnR` of the DFSR.
    const how = exception !== 4 ? "" : (status & 0x800) !== 0 ? ", writing" : ", reading";
    return [exception === 1 ? null : field("far"), name + how, true];
  }
  if (exception === 2) return [null, "system call", false];
  // Older systems leave the number 0.
  return exception === 0 && status !== 0
    ? [field("far"), `fault status 0x${status.toString(16)}`, true]
    : [null, `exception ${exception}`, false];
}

const readers: Readonly<Record<ArchName, (field: Fields) => Reading>> = {
  armv7: readArmv7,
  arm64: readArm64,
  i386: readX86,
  x86_64: readX86,
};

/** Reads an exception state.
 *
 * @returns `null` when it says nothing: all zero, or shorter than its flavor
 */
export function readException(
  arch: Arch,
  flavor: Flavor,
  state: Uint8Array,
): ThreadException | null {
  if (state.length < flavor.size || state.every((byte) => byte === 0)) return null;
  const read = (register: Register): [string, bigint] => [
    register.name,
    readRegister(state, register),
  ];
  const values = new Map(flavor.registers.map(read));
  const reading = readers[arch.name]((name) => values.get(name) ?? 0n);
  if (!hasErrorCode(values)) values.delete("err");
  return new ThreadException(new Registers(values), ...reading);
}
