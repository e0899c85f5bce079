/** Stackshots of both forms, damaged at random: what is read is read in bounded time, and nothing but a
 * FormatError comes out. */
import { assert } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import { readStackshot, Stackshot } from "../../../lib/stackshot/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { encodeCompressed, encodeDelta, encodeKcdata } from "./kcdata_encoder.ts";
import { shot } from "./shot.ts";
import { encodeTrace } from "./trace_encoder.ts";
import { processorTime } from "../../processor_time.ts";

const mutations = 1000;

/** Numbers that look random and are the same every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 0x1_0000_0000 * below);
  };
}

/** What damage likes to write. */
const words = [0, 1, 0x7fff_ffff, 0xffff_ffff, 0x8000_0000, 0x13, 0x14, 0x11, 0x2f, 0xf19158ed];

function mutate(bytes: Uint8Array, random: (below: number) => number): Uint8Array {
  let changed = bytes.slice();
  const view = new DataView(changed.buffer);
  for (let count = 1 + random(4); count > 0; count--) {
    const at = random(changed.length - 4);
    switch (random(4)) {
      case 0:
        changed[at] ^= 1 << random(8);
        break;
      case 1:
        view.setUint32(at & ~3, words[random(words.length)], true);
        break;
      case 2:
        changed.copyWithin(at, random(changed.length), random(changed.length));
        break;
      default:
        changed[at] = random(256);
    }
  }
  if (random(5) === 0) changed = changed.subarray(0, random(changed.length));
  return changed;
}

const forms: readonly (readonly [name: string, bytes: () => Uint8Array | Promise<Uint8Array>])[] = [
  ["kcdata", () => encodeKcdata(shot)],
  [
    "a delta after what it is against",
    () => new Uint8Array([...encodeKcdata(shot), ...encodeDelta(shot)]),
  ],
  ["compressed kcdata", () => encodeCompressed(shot)],
  ["10.11", () => encodeTrace("10.11", shot, true)],
  ["10.6", () => encodeTrace("10.6", shot)],
];

for (const [name, make] of forms) {
  Deno.test(`${mutations} mutations of a stackshot: ${name}`, async () => {
    const bytes = await make();
    const random = numbers(bytes.length);
    const symbols = (images: ConstructorParameters<typeof Symbolizer>[0]) => new Symbolizer(images);
    let read = 0;
    const began = processorTime();
    for (let index = 0; index < mutations; index++) {
      try {
        const data = await readStackshot(mutate(bytes, random), "damaged");
        JSON.stringify(new Stackshot(data, { symbols }));
        read++;
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
    }
    // Most damage costs a part.
    assert(read > mutations / 5, `${read} were read`);
    assert(processorTime() - began < 20_000);
  });
}
