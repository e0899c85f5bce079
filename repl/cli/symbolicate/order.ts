/** The order in which addresses are looked up. */
import type { AddressInfo, Resolver } from "../../../lib/symbols/mod.ts";

/** Answers in memory at a time: few, so that the garbage collector finds them young. */
const CHUNK = 32;

/** Resolves addresses in ascending order; see `Source.each`. */
export async function each(
  resolver: Resolver,
  addresses: BigUint64Array,
  prepare: (known: readonly AddressInfo[]) => Promise<void>,
  tell: (index: number, known: AddressInfo) => void,
): Promise<void> {
  const order = risingOrder(addresses);
  for (let at = 0; at < order.length; at += CHUNK) {
    const chunk = Array.from(order.subarray(at, at + CHUNK));
    const known = chunk.map((index) => resolver.resolve(addresses[index]));
    await prepare(known);
    chunk.forEach((index, place) => tell(index, known[place]));
  }
}

/** The indices of values in ascending order: the next lookup is near the last. */
function risingOrder(values: BigUint64Array): Uint32Array {
  const lowest = values.reduce((least, value) => value < least ? value : least, values[0] ?? 0n);
  const offsets = new Float64Array(values.length);
  for (let index = 0; index < values.length; index++) {
    offsets[index] = Number(values[index] - lowest);
  }
  // With the index in the low bits it sorts without a comparison function.
  const room = 2 ** 20;
  if (values.length < room && offsets.every((offset) => offset < 2 ** 32)) {
    const keys = offsets.map((offset, index) => offset * room + index).sort();
    const order = new Uint32Array(keys.length);
    for (let place = 0; place < keys.length; place++) order[place] = keys[place] % room;
    return order;
  }
  return Uint32Array.from(values.keys()).sort((a, b) => offsets[a] - offsets[b]);
}
