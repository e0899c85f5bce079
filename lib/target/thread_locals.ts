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

/** What the places are read from. */
export interface ThreadMemory {
  readonly memory: Memory;
  readonly arch: Arch;
  /** The addresses of symbols with that name. */
  lookup(symbol: string): readonly bigint[];
}

/** The address of a thread's variable, or why it is not known.
 *
 * @param handle `thread_handle` of `<mach/thread_info.h>`; on Linux the thread pointer; 0 when not known
 */
export function threadAddress(
  target: ThreadMemory,
  image: LoadedImage | null,
  handle: bigint,
  place: ThreadPlace,
): bigint | string {
  if (handle === 0n) return "each thread has its own, and the thread's pointer is not known";
  if (image instanceof ElfImage) return inElf(target, image, handle, place.operand);
  const descriptor = place.descriptor();
  return descriptor === undefined
    ? "the thread's variables are not known"
    : inMachO(target.memory, handle, descriptor);
}

/** By a descriptor in `__thread_vars`: a function, the key of the thread's block of variables, and the offset in
 * it (`struct Thunk` of dyld's `ThreadLocalVariables.h`). Since 2025, dyld's 64-bit descriptors have key and
 * offset in the second word, and where the initial content is and its size in the third (`TLV_Thunkv2`). The
 * size is never 0 there; an older offset is below 4 GiB. The blocks' addresses are in the thread's array of
 * keys. */
function inMachO(memory: Memory, handle: bigint, descriptor: bigint): bigint | string {
  const size = memory.pointerSize;
  const unsigned = (address: bigint) => wordAt(memory, address);
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

/** A word of memory; `undefined` where it cannot be read. */
function wordAt(memory: Memory, address: bigint): bigint | undefined {
  const size = memory.pointerSize;
  const bytes = memory.readUpTo(address, size);
  if (bytes.length < size) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, size);
  return size === 8 ? view.getBigUint64(0, true) : BigInt(view.getUint32(0, true));
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

function inElf(
  target: ThreadMemory,
  image: ElfImage,
  handle: bigint,
  offset: bigint,
): bigint | string {
  const { elf, file } = image;
  if (elf === null || file === null || elf.threadTemplate === null) {
    return "its file has no variables of threads";
  }
  const { vmAddress, size } = elf.threadTemplate;
  // With -gsplit-dwarf GCC gives the address of the variable's first value.
  if (offset >= vmAddress && offset < vmAddress + BigInt(size)) offset -= vmAddress;
  if (offset >= BigInt(size)) return "it is outside of the threads' variables";
  const block = isProgram(elf, file)
    ? handle + distances[target.arch.name](elf.threadTemplate, target.arch.pointerSize)
    : inLibrary(target, image.slide, handle);
  return typeof block === "string" ? block : block + offset;
}

/** Maximum number of modules with variables of threads. */
const MAX_MODULES = 1 << 12;

/** What glibc publishes of its structures for libthread_db (`nptl_db/structs.def`): where they hold which fields. */
interface LinkerLayout {
  /** The address of the first list of modules: `_dl_tls_dtv_slotinfo_list`. */
  readonly list: bigint;
  readonly length: number;
  readonly next: number;
  readonly slots: number;
  readonly slotSize: number;
  readonly generation: number;
  readonly map: number;
  /** Where a `link_map` has the distance of its variables from the thread pointer. */
  readonly distance: number;
}

/** Where a library has a thread's variables, by the dynamic linker's list of modules and the thread's vector of
 * their addresses (DTV), as libthread_db finds them (`nptl_db/td_thr_tlsbase.c`). */
function inLibrary(target: ThreadMemory, slide: bigint, handle: bigint): bigint | string {
  const { memory, arch } = target;
  const layout = linkerLayout(target);
  if (layout === null) {
    return "the C library does not tell where libraries have their threads' variables";
  }
  const damage = "the dynamic linker's list of modules is damaged";
  const module = moduleAt(memory, layout, slide);
  if (module === undefined) return damage;
  if (module === null) return "the dynamic linker does not list its library";
  const word = BigInt(arch.pointerSize);
  const isAfter = distances[arch.name] === after;
  // The ABI has the vector's pointer at the thread pointer, or in the word after it; before its first entry
  // is their number, and in that one their generation. An entry has two words.
  const vector = wordAt(memory, isAfter ? handle : handle + word);
  const entry = (index: bigint) => vector && wordAt(memory, vector + 2n * word * index);
  const [count, generation] = [entry(-1n), entry(0n)];
  if (count === undefined || generation === undefined) return "the thread's vector cannot be read";
  if (generation >= module.generation && module.id <= count) {
    const block = entry(module.id);
    // An odd address stands for none.
    if (block !== undefined && block !== 0n && (block & 1n) === 0n) return block;
  }
  const distance = wordAt(memory, module.map + BigInt(layout.distance));
  // NO_TLS_OFFSET and FORCED_DYNAMIC_TLS_OFFSET.
  const none = (1n << (8n * word)) - 2n;
  if (distance === undefined || distance === 0n || distance >= none) {
    return "this thread has not used it yet";
  }
  return isAfter ? handle + distance : handle - distance;
}

/** The module of an image in the dynamic linker's list: its number, what it has there, and its generation; `null` when
 * it is not listed, `undefined` where the list cannot be read. */
function moduleAt(
  memory: Memory,
  { list, length, next, slots, slotSize, generation, map }: LinkerLayout,
  slide: bigint,
): { readonly id: bigint; readonly map: bigint; readonly generation: bigint } | null | undefined {
  let at = wordAt(memory, list);
  for (let id = 0n; at !== 0n;) {
    const count = at && wordAt(memory, at + BigInt(length));
    if (at === undefined || count === undefined || id + count > MAX_MODULES) return undefined;
    for (let index = 0n; index < count; index++, id++) {
      const slot = at + BigInt(slots) + index * BigInt(slotSize);
      const found = wordAt(memory, slot + BigInt(map));
      if (found === undefined) return undefined;
      // Modules are numbered from 1; what the first slot has is left over from the start.
      if (id === 0n) continue;
      // A `link_map` begins with the slide: <link.h>.
      if (found === 0n || wordAt(memory, found) !== slide) continue;
      const needed = wordAt(memory, slot + BigInt(generation));
      return needed === undefined ? undefined : { id, map: found, generation: needed };
    }
    // A list without room would be read for ever.
    if (count === 0n) return undefined;
    at = wordAt(memory, at + BigInt(next));
  }
  return null;
}

/** Maximum offset of a field, and size of a structure. */
const MAX_OFFSET = 1 << 16;

/** {@linkcode LinkerLayout}, by the symbols `_thread_db_*`; `null` where a C library has none. */
function linkerLayout({ memory, lookup }: ThreadMemory): LinkerLayout | null {
  let isWhole = true;
  /** A description: the bits of an element, their number, and the offset of the first. */
  const field = (name: string): readonly [bits: number, offset: number] => {
    const [address] = lookup(`_thread_db_${name}`);
    const bytes = address === undefined ? null : memory.readUpTo(address, 12);
    if (bytes === null || bytes.length < 12) {
      isWhole = false;
      return [0, 0];
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, 12);
    const [bits, offset] = [view.getUint32(0, true), view.getUint32(8, true)];
    if (bits > 8 * MAX_OFFSET || offset > MAX_OFFSET) isWhole = false;
    return [bits, offset];
  };
  const [, list] = field("rtld_global__dl_tls_dtv_slotinfo_list");
  if (!isWhole) return null;
  const [, length] = field("dtv_slotinfo_list_len");
  const [, next] = field("dtv_slotinfo_list_next");
  const [bits, slots] = field("dtv_slotinfo_list_slotinfo");
  const [, generation] = field("dtv_slotinfo_gen");
  const [, map] = field("dtv_slotinfo_map");
  const [, distance] = field("link_map_l_tls_offset");
  const [global] = lookup("_rtld_global");
  if (!isWhole || global === undefined || bits === 0) return null;
  return {
    ...{ list: global + BigInt(list), length, next, slots, slotSize: bits / 8 },
    ...{ generation, map, distance },
  };
}
