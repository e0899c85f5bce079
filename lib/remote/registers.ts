/** Where a stub's registers are, and thread states made of them. */
import { type Arch, type ArchName, archOfCpuType, archs, type Register } from "../arch/mod.ts";
import { elements } from "./elements.ts";
import { fieldsOf, numberOf } from "./hexadecimal.ts";

/** One register as a stub describes it. */
export interface StubRegister {
  readonly number: number;
  /** In lower case. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** In the reply to `g`, in bytes. */
  readonly offset: number;
}

/** Maximum number of registers; Arm's with SVE are about 200. */
export const maxRegisters = 4096;
/** Maximum size of a register, in bytes: SVE's have 256, SME's ZA has 64 KiB. */
const maxSize = 1 << 16;

/** Reads the reply to `qRegisterInfo`; `null` for the end of the list.
 *
 * @param previous the register before, which this one follows where the reply has no offset
 */
export function parseRegisterInfo(
  number: number,
  reply: string,
  previous: StubRegister | undefined,
): StubRegister | null {
  const fields = fieldsOf(reply);
  const name = fields.get("name")?.toLowerCase();
  const bits = Number(fields.get("bitsize"));
  if (name === undefined || !(bits > 0 && bits <= maxSize * 8)) return null;
  const next = previous === undefined ? 0 : previous.offset + previous.size;
  const offset = Number(fields.get("offset") ?? next);
  if (!Number.isSafeInteger(offset) || offset < 0) return null;
  return { number, name, size: Math.ceil(bits / 8), offset };
}

/** What a target description says. */
export interface Description {
  /** The content of `<architecture>`; `undefined` without one. */
  readonly architecture: string | undefined;
  /** By number. */
  readonly registers: ReadonlyMap<number, StubRegister>;
}

/** Reads a target description ("Target Description Format" of gdb's manual) whose includes have been put
 * in place. Registers are numbered one after another, except where a number is given, and lie in `g`'s
 * reply in the order of their numbers, except where LLDB's attribute says where. */
export function parseDescription(document: string): Description {
  let architecture: string | undefined;
  const listed: { number: number; name: string; size: number; offset: number | undefined }[] = [];
  let next = 0;
  for (const { name, attributes, text } of elements(document)) {
    if (name === "architecture") architecture ??= text;
    if (name !== "reg" || listed.length >= maxRegisters) continue;
    const bits = Number(attributes.get("bitsize"));
    const number = Number(attributes.get("regnum") ?? next);
    if (!(bits > 0 && bits <= maxSize * 8) || !Number.isSafeInteger(number) || number < 0) continue;
    const given = attributes.get("offset");
    const offset = given === undefined ? undefined : Number(given);
    listed.push({
      number,
      name: (attributes.get("name") ?? "").toLowerCase(),
      size: Math.ceil(bits / 8),
      offset: Number.isSafeInteger(offset) && offset! >= 0 ? offset : undefined,
    });
    next = number + 1;
  }
  const registers = new Map<number, StubRegister>();
  let end = 0;
  for (const { offset = end, ...row } of listed.sort((a, b) => a.number - b.number)) {
    if (registers.has(row.number)) continue;
    registers.set(row.number, { ...row, offset });
    end = offset + row.size;
  }
  return { architecture, registers };
}

/** What stubs call registers whose names are others in Apple's headers. */
const names: Readonly<Record<string, readonly string[]>> = {
  rflags: ["eflags"],
  fp: ["x29", "r11"],
  lr: ["x30", "r14"],
  sp: ["r13"],
  pc: ["r15"],
};

/** What stubs call the register that points at a thread's own variables on Linux. i386 has none: there it is a
 * segment, whose base the protocol does not tell. */
export const threadPointers: Readonly<Partial<Record<ArchName, string>>> = {
  x86_64: "fs_base",
  arm64: "tpidr",
  armv7: "tpidruro",
};

/** A register of the target in terms of the stub. */
export interface PlacedRegister {
  readonly field: Register;
  readonly from: StubRegister;
}

/** The registers of an architecture that a stub has. */
export function placeRegisters(
  { threadState }: Arch,
  registers: ReadonlyMap<number, StubRegister>,
): PlacedRegister[] {
  const byName = new Map<string, StubRegister>();
  for (const register of registers.values()) {
    if (!byName.has(register.name)) byName.set(register.name, register);
  }
  const placed: PlacedRegister[] = [];
  for (const field of threadState.registers) {
    const from = [field.name, ...names[field.name] ?? []]
      .map((name) => byName.get(name)).find((register) => register !== undefined);
    if (from !== undefined) placed.push({ field, from });
  }
  return placed;
}

/** Puts a register's value, little-endian, into a thread state. */
export function putRegister(
  state: Uint8Array,
  { offset, size }: Register,
  value: Uint8Array,
): void {
  state.set(value.subarray(0, size), offset);
}

/** `<architecture>` of target descriptions: BFD's names. */
const descriptionArchs: readonly (readonly [RegExp, ArchName])[] = [
  [/^(?:i386:)?x86[-_]64/, "x86_64"],
  [/^i[3-6]86/, "i386"],
  [/^(?:aarch64|arm64)/, "arm64"],
  [/^(?:arm|thumb)/, "armv7"],
];

/** The architecture of a BFD name, or of the first part of a triple. */
export function archOfName(name: string): Arch | undefined {
  const found = descriptionArchs.find(([pattern]) => pattern.test(name));
  return found === undefined ? undefined : archs[found[1]];
}

/** The architecture that registers of these names belong to. */
export function archOfRegisters(registers: Iterable<StubRegister>): Arch | undefined {
  const known = new Set<string>();
  for (const { name } of registers) known.add(name);
  if (known.has("rip")) return archs.x86_64;
  if (known.has("eip")) return archs.i386;
  if (known.has("x19")) return archs.arm64;
  if (known.has("r7") && known.has("cpsr")) return archs.armv7;
  return undefined;
}

/** The architecture in the reply to `qProcessInfo`, whose numbers are hexadecimal. */
export function archOfProcess(
  fields: ReadonlyMap<string, string>,
  triple: string,
): Arch | undefined {
  const cpuType = numberOf(fields.get("cputype"));
  const byType = cpuType === undefined ? undefined : archOfCpuType(Number(cpuType) | 0);
  return byType ?? (triple === "" ? undefined : archOfName(triple));
}
