/** What people type, as what it means. */
import { UserError } from "../errors.ts";
import type { Session } from "../prompt/session.ts";
import { parseOptions } from "./command.ts";

const number = /^(?:0x[\da-f]+|0b[01]+|0o[0-7]+|\d+)$/i;

/** A count or a number of something, as typed. */
export function wholeNumber(text: string, what: string): number {
  const value = Number(text);
  if (number.test(text) && Number.isSafeInteger(value)) return value;
  throw new UserError(`${text} is not ${what}: it must be a whole number`);
}

/** An integer of any size, as typed; `undefined` where it is none. */
export function integer(text: string): bigint | undefined {
  const sign = text.startsWith("-") ? -1n : 1n;
  const digits = text.replace(/^[-+]/, "");
  return number.test(digits) ? sign * BigInt(digits) : undefined;
}

/** The size of an address, in bytes. */
export function pointerSize(session: Session): number {
  return session.target.arch.pointerSize;
}

/** A register of the selected frame, by its name or its role; `undefined` where it is not known. */
export function registerNamed(session: Session, name: string): bigint | undefined {
  const { arch } = session.target;
  const roles: Readonly<Record<string, string>> = {
    pc: arch.pc.name,
    sp: arch.sp.name,
    fp: arch.fp.name,
    ...(arch.lr === null ? {} : { lr: arch.lr.name }),
  };
  const { registers } = session.frame;
  return registers.get(name) ?? registers.get(roles[name] ?? "");
}

/** An address as typed: a number, a register of the selected frame, a symbol's name, or one of these
 * and numbers added to it, as in `sp+0x20`.
 *
 * @throws UserError when it is none
 */
export function addressOf(session: Session, text: string): bigint {
  const value = integer(text);
  if (value !== undefined) return value;
  const register = registerNamed(session, text.replace(/^\$/, ""));
  if (register !== undefined) return register;
  const [found] = session.target.lookup(text);
  if (found !== undefined) return found.symbol.address;
  const sum = /^(.+?)\s*([-+])\s*(0x[\da-f]+|\d+)$/i.exec(text);
  if (sum !== null) {
    const [, base, sign, term] = sum;
    const bits = 8 * pointerSize(session);
    return BigInt.asUintN(
      bits,
      addressOf(session, base) + (sign === "-" ? -BigInt(term) : BigInt(term)),
    );
  }
  throw new UserError(`${text} is no address, no register, and no symbol`);
}

/** Whether a change may be made: said by `--yes`, or by whoever is asked.
 *
 * @returns the arguments without `--yes`, and the question to put
 */
export function withConsent(args: readonly string[]): {
  readonly rest: readonly string[];
  ask(session: Session, question: string): Promise<boolean>;
} {
  const rest = args.filter((text) => text !== "--yes" && text !== "-y");
  const given = rest.length < args.length;
  return {
    rest,
    async ask(session, question) {
      if (given || session.assumeYes) return true;
      if (!session.ui.interactive) {
        throw new UserError(`${question} nobody can be asked here: --yes does it`);
      }
      return await session.ui.confirm(question);
    },
  };
}

/** @throws UserError for a core, whose contents stay */
export function checkWritable(session: Session, what: string): void {
  const { kind } = session.target;
  if (kind === "core") throw new UserError(`a core stays as it is: its ${what} cannot be written`);
  if (kind === "self") throw new UserError(`machpause does not write to its own ${what}`);
}

export { parseOptions };
