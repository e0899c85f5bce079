/** Memory and a context for values, over arrays of bytes. */
import { defaultLimits, type ValueContext, type ValueMemory } from "../../../lib/values/mod.ts";

/** Memory with the given bytes at an address, and nothing else. */
export function bytesMemory(start: bigint, content: ArrayLike<number>): ValueMemory {
  const bytes = Uint8Array.from(content);
  return {
    pointerSize: 8,
    readUpTo(address, length) {
      const at = Number(address - start);
      return at < 0 || at >= bytes.length ? new Uint8Array() : bytes.slice(at, at + length);
    },
    write(address, written) {
      bytes.set(written, Number(address - start));
    },
  };
}

/** A context over a memory; there are no symbols, types or formatters in it. */
export function contextOf(memory: ValueMemory): ValueContext {
  const context: ValueContext = {
    memory,
    addressMask: 0x7fff_ffff_ffffn,
    pointerSize: memory.pointerSize,
    limits: defaultLimits,
    formatters: null,
    symbolAt: () => null,
    addressesOf: () => [],
    findType: () => null,
    limited(limits) {
      return { ...this, limits: { ...this.limits, ...limits } };
    },
  };
  return context;
}
