/** Where the variables are that each thread has its own of: a thread's pointer, and what an image says of its
 * variables. */
import type { Arch } from "../arch/mod.ts";
import { ElfImage, isProgram, type ThreadTemplate } from "../elf/mod.ts";
import type { LoadedImage } from "../macho/walking.ts";
import type { ThreadPlace } from "../values/mod.ts";
import type { Memory } from "./memory.ts";

/** Number of keys that a thread of Darwin has room for: libpthread's `_EXTERNAL_POSIX_THREAD_KEYS_MAX` and its
 * own. */
const MAX_KEY = 1023n;

/** The address of a thread's variable, or why it is not known.
 *
 * @param handle `thread_handle` of `<mach/thread_info.h>`; on Linux the thread pointer; 0 when not known
 */
export function threadAddress(
  { memory, arch }: { readonly memory: Memory; readonly arch: Arch },
  image: LoadedImage | null,
  handle: bigint,
  place: ThreadPlace,
): bigint | string {
  if (handle === 0n) return "each thread has its own, and the thread's pointer is not known";
  if (image instanceof ElfImage) return inElf(image, arch, handle, place.operand);
  const descriptor = place.descriptor();
  return descriptor === undefined
    ? "the thread's variables are not known"
    : inMachO(memory, handle, descriptor);
}

/** By a descriptor in `__thread_vars`: a function, the key of the thread's block of variables, and the offset in
 * it (`struct Thunk` of dyld's `ThreadLocalVariables.h`). Since 2025, dyld's 64-bit descriptors have key and
 * offset in the second word, and where the initial content is and its size in the third (`TLV_Thunkv2`). The
 * size is never 0 there; an older offset is below 4 GiB. The blocks' addresses are in the thread's array of
 * keys. */
function inMachO(memory: Memory, handle: bigint, descriptor: bigint): bigint | string {
  const size = memory.pointerSize;
  const unsigned = (address: bigint): bigint | undefined => {
    const bytes = memory.readUpTo(address, size);
    if (bytes.length < size) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, size);
    return size === 8 ? view.getBigUint64(0, true) : BigInt(view.getUint32(0, true));
  };
  const second = unsigned(descriptor + BigInt(size));
  const third = unsigned(descriptor + BigInt(2 * size));
  if (second === undefined || third === undefined) return "its descriptor cannot be read";
  const isPacked = size === 8 && third >> 32n !== 0n;
  const key = isPacked ? second & 0xffff_ffffn : second;
  const offset = isPacked ? second >> 32n : third;
  if (key === 0n) return "no thread has used it yet";
  if (key > MAX_KEY) return `its descriptor is damaged: ${key} is no key`;
  const block = unsigned(handle + key * BigInt(size));
  if (block === undefined) return "the thread's variables cannot be read";
  return block === 0n ? "this thread has not used it yet" : block + offset;
}

/** Where the block of a program's variables is, from the thread pointer: linkers put these distances into code,
 * so they are the same for every C library (the ABI's variants I and II; lld's `getTlsTpOffset`). */
const distances: Readonly<
  Record<Arch["name"], (template: ThreadTemplate, pointerSize: number) => bigint>
> = {
  x86_64: before,
  i386: before,
  arm64: after,
  armv7: after,
};

function before({ vmAddress, size, alignment }: ThreadTemplate): bigint {
  const bytes = BigInt(size);
  return -bytes - ((-vmAddress - bytes) & maskOf(alignment));
}

function after({ vmAddress, alignment }: ThreadTemplate, pointerSize: number): bigint {
  const header = BigInt(2 * pointerSize);
  return header + ((vmAddress - header) & maskOf(alignment));
}

function maskOf(alignment: number): bigint {
  return BigInt(Math.max(1, alignment)) - 1n;
}

function inElf(image: ElfImage, arch: Arch, handle: bigint, offset: bigint): bigint | string {
  const { elf, file } = image;
  if (elf === null || file === null || elf.threadTemplate === null) {
    return "its file has no variables of threads";
  }
  if (!isProgram(elf, file)) return "where a library has its threads' variables is not known";
  if (offset >= BigInt(elf.threadTemplate.size)) return "it is outside of the threads' variables";
  return handle + distances[arch.name](elf.threadTemplate, arch.pointerSize) + offset;
}
