/** The registers of a stub's target: which there are, and those of its threads. */
import type { Arch } from "../arch/mod.ts";
import { hexBytes } from "../hex.ts";
import { unsignedOf } from "../values/scalars.ts";
import type { Connection } from "./connection.ts";
import { RemoteError } from "./error.ts";
import { bytesOf } from "./hexadecimal.ts";
import { textOf } from "./packet.ts";
import {
  maxRegisters,
  parseDescription,
  parseRegisterInfo,
  type PlacedRegister,
  placeRegisters,
  putRegister,
  type StubRegister,
} from "./registers.ts";
import type { StubThread } from "./threads.ts";
import type { Transfers } from "./transfers.ts";

/** Maximum number of files that a target description includes. */
const maxIncludes = 64;
/** Number of registers asked for at once by `qRegisterInfo`. */
const registerBatch = 128;

/** The registers, by the target description with its includes, or asked for one by one. */
export function describeRegisters(
  connection: Connection,
  transfers: Transfers | undefined,
): { architecture: string | undefined; registers: ReadonlyMap<number, StubRegister> } {
  if (transfers !== undefined) {
    let includes = 0;
    const read = (annex: string): string => {
      const text = textOf(transfers.object("features", annex) ?? new Uint8Array(0));
      return text.replace(/<xi:include\s+href="([^"]{1,200})"\s*\/?>/g, (_, href) => {
        return ++includes > maxIncludes ? "" : read(href);
      });
    };
    const description = parseDescription(read("target.xml"));
    if (description.registers.size > 0) return description;
  }
  const registers = new Map<number, StubRegister>();
  let previous: StubRegister | undefined;
  for (let first = 0; first < maxRegisters; first += registerBatch) {
    const numbers = Array.from({ length: registerBatch }, (_, index) => first + index);
    const replies = connection.requestAll(
      numbers.map((number) => `qRegisterInfo${number.toString(16)}`),
    );
    for (const [index, reply] of replies.entries()) {
      const register = parseRegisterInfo(numbers[index], textOf(reply), previous);
      if (register === null) return { architecture: undefined, registers };
      registers.set(register.number, register);
      previous = register;
    }
  }
  return { architecture: undefined, registers };
}

/** How threads are asked. */
export interface ThreadAccess {
  readonly connection: Connection;
  /** Whether a request names its thread. Otherwise a thread is selected before. */
  readonly threadSuffix: boolean;
}

/** Asks the same of several threads, in as few round trips as possible. */
function askThreads(
  { connection, threadSuffix }: ThreadAccess,
  ids: readonly bigint[],
  requests: readonly string[],
): string[][] {
  if (threadSuffix) {
    const all = ids.flatMap((id) => requests.map((text) => `${text};thread:${id.toString(16)};`));
    const replies = connection.requestAll(all);
    return ids.map((_, index) => {
      const at = index * requests.length;
      return replies.slice(at, at + requests.length).map(textOf);
    });
  }
  const each = requests.length + 1;
  const all = ids.flatMap((id) => [`Hg${id.toString(16)}`, ...requests]);
  const replies = connection.requestAll(all);
  return ids.map((_, index) => {
    const [selected, ...rest] = replies.slice(index * each, (index + 1) * each).map(textOf);
    return selected === "OK" ? rest : rest.map(() => "");
  });
}

/** How many bits an address of code has, by the kernel's mask of the others, which is a register ("AArch64
 * Features" of gdb's manual, and lldb-server's name); 0 where there is none. */
export function addressBitsOfMask(
  access: ThreadAccess,
  registers: ReadonlyMap<number, StubRegister>,
  thread: bigint,
): number {
  const mask = [...registers.values()].find(({ name }) =>
    name === "pauth_cmask" || name === "code_mask"
  );
  if (mask === undefined || mask.size !== 8) return 0;
  const [[one, all]] = askThreads(access, [thread], [`p${mask.number.toString(16)}`, "g"]);
  const bytes = bytesOf(one)?.subarray(0, 8);
  const value = bytes?.length === 8
    ? bytes
    : bytesOf(all)?.subarray(mask.offset, mask.offset + 8) ?? new Uint8Array(0);
  if (value.length < 8) return 0;
  const bits = new DataView(value.buffer, value.byteOffset, 8).getBigUint64(0, true);
  // The lowest bit of a signature is the first one that is not an address.
  for (let bit = 0; bit < 64; bit++) if ((bits >> BigInt(bit) & 1n) === 1n) return bit;
  return 0;
}

/** Reads and writes the registers of threads. The target must be stopped. */
export class ThreadRegisters {
  readonly #access: ThreadAccess;
  readonly #arch: Arch;
  readonly #registers: ReadonlyMap<number, StubRegister>;
  readonly #placed: readonly PlacedRegister[];
  /** Whether all registers of a thread can be read by one request. */
  #readsAll: boolean;

  /** @param registers as the stub describes them
   * @throws RemoteError when they are not the architecture's
   */
  constructor(
    access: ThreadAccess,
    arch: Arch,
    registers: ReadonlyMap<number, StubRegister>,
    readsAll: boolean,
  ) {
    this.#access = access;
    this.#arch = arch;
    this.#registers = registers;
    this.#readsAll = readsAll;
    this.#placed = placeRegisters(arch, registers);
    const places = new Set(this.#placed.map(({ field }) => field));
    if (!places.has(arch.pc) || !places.has(arch.sp)) {
      throw new RemoteError("refused", "the stub does not describe the target's registers");
    }
  }

  /** The thread states of threads; empty where one cannot be read. */
  states(threads: readonly StubThread[]): Uint8Array[] {
    const states = threads.map(({ registers }) => this.#stateOf((number) => registers.get(number)));
    const missing = threads.flatMap((_, index) => states[index] === undefined ? [index] : []);
    if (missing.length > 0 && this.#readsAll) {
      const replies = askThreads(this.#access, missing.map((index) => threads[index].id), ["g"]);
      for (const [nth, index] of missing.entries()) {
        const bytes = bytesOf(replies[nth][0]);
        if (bytes === undefined || bytes.length === 0) continue;
        states[index] = this.#stateOf((number) => {
          const { offset, size } = this.#registers.get(number)!;
          return offset + size <= bytes.length ? bytes.subarray(offset, offset + size) : undefined;
        }, true);
      }
    }
    const rest = missing.filter((index) => states[index] === undefined);
    if (rest.length > 0) {
      this.#readsAll = false;
      const requests = this.#placed.map(({ from }) => `p${from.number.toString(16)}`);
      const replies = askThreads(this.#access, rest.map((index) => threads[index].id), requests);
      for (const [nth, index] of rest.entries()) {
        const values = new Map(this.#placed.map(({ from }, at) => [from.number, replies[nth][at]]));
        states[index] = this.#stateOf((number) => {
          const bytes = bytesOf(values.get(number)!);
          return bytes?.length === 0 ? undefined : bytes;
        }, true);
      }
    }
    return states.map((state) => state ?? new Uint8Array(0));
  }

  /** The thread pointers of threads, as far as the stub has them; 0 otherwise.
   *
   * @param name of their register
   */
  pointers(ids: readonly bigint[], name: string): bigint[] {
    const register = [...this.#registers.values()].find((register) => register.name === name);
    if (register === undefined || register.size > 8) return ids.map(() => 0n);
    const { number, offset, size } = register;
    const read = (request: string, start: number) =>
      askThreads(this.#access, ids, [request]).map(([reply]) => {
        const bytes = bytesOf(reply)?.subarray(start, start + size);
        return bytes?.length === size ? unsignedOf(bytes) : undefined;
      });
    let found = read(`p${number.toString(16)}`, 0);
    // gdbserver has no request for a single register.
    if (this.#readsAll && found.includes(undefined)) found = read("g", offset);
    return found.map((value) => value ?? 0n);
  }

  /** Makes a thread state.
   *
   * @param partial whether registers may be missing, except the program counter and stack pointer
   */
  #stateOf(
    valueOf: (number: number) => Uint8Array | undefined,
    partial = false,
  ): Uint8Array | undefined {
    const { pc, sp, threadState } = this.#arch;
    const state = new Uint8Array(threadState.size);
    for (const { field, from } of this.#placed) {
      const value = valueOf(from.number);
      if (value !== undefined) putRegister(state, field, value);
      else if (!partial || field === pc || field === sp) return undefined;
    }
    return state;
  }

  /** Writes one register of a thread.
   *
   * @param name in Apple's headers
   */
  write(id: bigint, name: string, value: bigint): boolean {
    const placed = this.#placed.find(({ field }) => field.name === name);
    if (placed === undefined) return false;
    const { size, number, offset } = placed.from;
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at++) bytes[at] = Number((value >> BigInt(at * 8)) & 0xffn);
    const digits = hexBytes(bytes);
    const [[reply]] = askThreads(this.#access, [id], [`P${number.toString(16)}=${digits}`]);
    if (reply === "OK") return true;
    if (reply !== "" || !this.#readsAll) return false;
    const [[all]] = askThreads(this.#access, [id], ["g"]);
    if (all.length < (offset + size) * 2) return false;
    const changed = all.slice(0, offset * 2) + digits + all.slice((offset + size) * 2);
    return askThreads(this.#access, [id], [`G${changed}`])[0][0] === "OK";
  }
}
