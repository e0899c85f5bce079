/** The frames of Swift's async functions.
 *
 * Such a function marks the frame pointer that it stores by setting bit 60, and stores its async
 * context in the word below the frame record. A context begins with its parent's address and the
 * function that resumes the parent (XNU's `osfmk/kern/backtrace.c`, `SWIFT_ASYNC_FP_BIT`; Swift's
 * `include/swift/ABI/Task.h`, `class AsyncContext`). Only the 64-bit architectures have this ABI.
 */

import { type Arch, readRegister, register, Registers } from "../arch/mod.ts";
import { StackReader } from "./stack_reader.ts";
import type { UnwindImages, UnwindInput, UnwoundFrame, UnwoundStack } from "./frame.ts";

/** `SWIFT_ASYNC_FP_BIT`. */
const mark = 1n << 60n;
/** The bits that no address of a user process has, without those of pointer authentication. */
const highBits = 0xfff0_0000_0000_0000n;

/** No user stack is at this address or above. */
const stackLimit = 1n << 53n;

/** Maximum number of async callers. */
const maxParents = 512;

/** Where the async context is passed (`swiftasynccc` in LLVM's `AArch64CallingConvention.td` and
 * `X86CallingConv.td`). */
const contextRegisters: Readonly<Partial<Record<Arch["name"], string>>> = {
  arm64: "x22",
  x86_64: "r14",
};

/** The instruction by which the part of a function after an `await` puts its own context in the register,
 * where it has got that of the function it waited for: `ldr x22, [x22]`, `mov (%r14), %r14`. */
const contextLoads: Readonly<Partial<Record<Arch["name"], readonly number[]>>> = {
  arm64: [0xd6, 0x02, 0x40, 0xf9],
  x86_64: [0x4d, 0x8b, 0x36],
};

/** A frame pointer without the mark; unchanged where it is not marked. A function without a frame
 * pointer may keep any data in the register, which is left as it is. */
export function clearAsyncMark(fp: bigint): bigint {
  return (fp & highBits) === mark ? fp ^ mark : fp;
}

/** The async context that was passed to the innermost function; `undefined` where none can be. */
export function contextRegister(arch: Arch, state: Uint8Array): bigint | undefined {
  const name = contextRegisters[arch.name];
  return name === undefined ? undefined : readRegister(state, register(arch.threadState, name));
}

/** Whether the part of a function after an `await` has put its own context in the register.
 *
 * @param executed its code up to where it is
 */
export function hasOwnContext(arch: Arch, executed: Uint8Array): boolean {
  const load = contextLoads[arch.name];
  return load !== undefined &&
    executed.some((_, at) => load.every((byte, index) => executed[at + index] === byte));
}

/** Reads the first words of the context at `address`: that of the function that waits, and where it
 * resumes. */
export function readContext(
  arch: Arch,
  address: bigint,
  readInto: NonNullable<UnwindInput["readInto"]>,
): { readonly parent: bigint; readonly resume: bigint } | undefined {
  const bytes = new Uint8Array(16);
  if (address === 0n || readInto(address, bytes) < bytes.length) return undefined;
  const view = new DataView(bytes.buffer);
  return {
    parent: view.getBigUint64(0, true) & arch.addressMask,
    resume: view.getBigUint64(8, true) & arch.addressMask,
  };
}

/** The functions that wait for the one with the context at `address`, the innermost first.
 *
 * They end at the task's first function, at an address that is in no image, at a context that
 * cannot be read, and where they repeat.
 *
 * @param readInto reads the contexts, which are not on the stack
 */
export function asyncParents(
  arch: Arch,
  address: bigint,
  images: UnwindImages,
  readInto: UnwindInput["readInto"],
): UnwoundStack {
  const frames: (UnwoundFrame & { returnAddress: bigint })[] = [];
  const seen = new Set<bigint>();
  let at = address;
  while (readInto !== undefined && frames.length < maxParents && !seen.has(at)) {
    seen.add(at);
    const context = readContext(arch, at, readInto);
    if (context === undefined || images.imageAt(context.resume) === null) break;
    const { parent, resume } = context;
    const last = frames.at(-1);
    if (last !== undefined) last.returnAddress = resume;
    frames.push({
      ...{ address: resume, sp: 0, fp: 0, returnAddress: 0n, asyncContext: parent },
      ...{ foundBy: "async", exact: true, row: null },
    });
    at = parent;
  }
  const registersOf = (index: number): Registers => {
    const { address, asyncContext } = frames[index];
    return new Registers(
      new Map([[contextRegisters[arch.name]!, asyncContext!], [arch.pc.name, address]]),
    );
  };
  return { frames, stopped: "null-record", registersOf };
}

/** The first words of async contexts, by their addresses. */
export type AsyncContexts = Map<bigint, Uint8Array>;

/** Reads async contexts that were read before, and nothing else. */
export function contextReader(
  contexts: AsyncContexts,
): (address: bigint, into: Uint8Array) => number {
  return (address, into) => {
    const bytes = contexts.get(address);
    if (bytes === undefined || bytes.length !== into.length) return 0;
    into.set(bytes);
    return bytes.length;
  };
}

/** Reads the async contexts that the captured part of a stack leads to, for when it is unwound later. It only
 * follows frame records, so that it is fast: all code of systems with this ABI has them.
 *
 * @param contexts gets them
 */
export function readContexts(
  arch: Arch,
  { state, stackAddress, stack }: Pick<UnwindInput, "state" | "stackAddress" | "stack">,
  readInto: NonNullable<UnwindInput["readInto"]>,
  contexts: AsyncContexts,
): void {
  if (arch.pointerSize !== 8 || state.length < arch.threadState.size) return;
  const mask = arch.addressMask;
  const live = readRegister(state, arch.fp);
  // In a prologue the context is still in its register.
  if (clearAsyncMark(live) !== live) {
    readChain(contextRegister(arch, state)! & mask, mask, readInto, contexts);
  }
  const reader = new StackReader({ stackAddress, stack, stackEnd: 0n });
  let fp = clearAsyncMark(live) & mask;
  while (fp < stackLimit && fp > 8n && reader.cover(Number(fp) - 8, 24)) {
    const stored = reader.read(Number(fp), 8);
    const next = clearAsyncMark(stored) & mask;
    if (clearAsyncMark(stored) !== stored) {
      readChain(reader.read(Number(fp) - 8, 8) & mask, mask, readInto, contexts);
    }
    if (next <= fp) return;
    fp = next;
  }
}

/** Reads a context and those of its parents. */
function readChain(
  address: bigint,
  mask: bigint,
  readInto: NonNullable<UnwindInput["readInto"]>,
  contexts: AsyncContexts,
): void {
  for (let at = address, count = 0; at !== 0n && count < maxParents; count++) {
    if (contexts.has(at)) return;
    const bytes = new Uint8Array(16);
    if (readInto(at, bytes) < bytes.length) return;
    contexts.set(at, bytes);
    at = new DataView(bytes.buffer).getBigUint64(0, true) & mask;
  }
}
