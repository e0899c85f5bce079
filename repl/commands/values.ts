/** The values that are typed as arguments of commands. */
import type { Arch, ArchName, RegisterValue } from "../../lib/arch/mod.ts";
import type { SafeText } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import type { Session } from "../prompt/session.ts";

const number = /^(?:0x[\da-f]+|0b[01]+|0o[0-7]+|\d+)$/i;

/** The scalar types of `--as`. */
export const scalarTypes: readonly string[] = [
  ...["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"],
  ...["pointer", "char", "cstring"],
];

/** A whole number.
 *
 * @param what it is, with its article: `a count`
 * @throws UserError for anything else
 */
export function wholeNumber(text: string, what: string): number {
  const value = Number(text);
  if (number.test(text) && Number.isSafeInteger(value)) return value;
  throw new UserError(`${text} is not ${what}: it must be a whole number`);
}

/** An integer of any size; `undefined` for anything else. */
export function integer(text: string): bigint | undefined {
  const sign = text.startsWith("-") ? -1n : 1n;
  const digits = text.replace(/^[-+]/, "");
  return number.test(digits) ? sign * BigInt(digits) : undefined;
}

/** The name of a register by what people call it: `$rip`, its role (`pc`, `sp`, `fp`, `lr`), gdb's `eflags`. */
export function registerName({ name, pc, sp, fp, lr }: Arch, text: string): string {
  const word = text.replace(/^\$/, "");
  if (word === "eflags" && name === "x86_64") return "rflags";
  return new Map(Object.entries({ pc, sp, fp, lr })).get(word)?.name ?? word;
}

/** What has the address of a thread's own data: in Mach-O programs, and in others. */
const threadPointers: Readonly<Record<ArchName, readonly [machO: string, elf: string]>> = {
  x86_64: ["gs_base", "fs_base"],
  i386: ["gs_base", "gs_base"],
  arm64: ["tpidrro_el0", "tpidr_el0"],
  armv7: ["tpidruro", "tpidruro"],
};

/** The thread pointer, by the register's name: Mach's thread states lack it, and no function changes it. `undefined`
 * where it is not known. */
export function threadPointer({ target, thread }: Session): RegisterValue | undefined {
  const value = thread.handle;
  // ELF images have no UUID.
  const isMachO = target.images.some(({ uuid }) => uuid !== null);
  const name = threadPointers[target.arch.name][isMachO ? 0 : 1];
  return value === 0n ? undefined : { name, value };
}

/** The value of a register of the selected frame, by its name or role; `undefined` where it is not known. */
export function registerNamed(session: Session, name: string): bigint | undefined {
  // A damaged core may have no threads, and a thread no frames.
  if (session.threads().length === 0) return undefined;
  const registers = session.frames[session.frameIndex]?.registers;
  const value = registers?.get(name) ?? registers?.get(registerName(session.target.arch, name));
  if (value !== undefined || !/_base$|^tpid/.test(name)) return value;
  const pointer = threadPointer(session);
  return pointer?.name === name ? pointer.value : undefined;
}

/** Asks before the target is changed.
 *
 * @param yes whether the command was given `--yes`
 * @throws UserError where nobody can be asked
 */
export async function confirmed(
  session: Session,
  yes: boolean | undefined,
  question: SafeText,
): Promise<boolean> {
  if (yes || session.assumeYes) return true;
  if (session.ui.interactive) return await session.ui.confirm(question);
  throw new UserError(`${question} Nobody can be asked here: --yes answers yes`);
}

/** The option of commands that ask. */
export const yesOption = { short: "y", help: "Do not ask." } as const;

/** @throws UserError for a core and for this process, which are never written to */
export function checkWritable(session: Session, what: string): void {
  const { kind } = session.target;
  if (kind === "core") throw new UserError(`a core is read-only: its ${what} cannot be written`);
  if (kind === "self") throw new UserError(`machpause does not write to its own ${what}`);
}
