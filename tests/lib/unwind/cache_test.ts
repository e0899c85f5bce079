/** What was read of an image for one walk is not read again for the next, of any thread or pause. */
import { assert, assertEquals } from "@std/assert";
import { x86_64 } from "../../../lib/arch/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { framesOf } from "./stack.ts";
import { readSteps } from "../../fixtures/steps/x86_steps.ts";
import { FakeMemory } from "../macho/build_image.ts";

Deno.test("a second pause reads nothing of the images again", () => {
  const { file, loadAddress, steps } = readSteps("x86_64")[0];
  const placed = Image.fromFile(file, "steps", { loadAddress });
  const memory = new FakeMemory();
  for (const { address, size, fileOffset, fileSize, name } of placed.segments) {
    if (name === "__PAGEZERO") continue;
    const bytes = new Uint8Array(size);
    bytes.set(file.subarray(fileOffset, fileOffset + Math.min(fileSize, size)));
    memory.map(address, bytes);
  }
  const image = Image.fromMemory(memory, loadAddress, "steps");
  const all = [...steps()].filter((_, index) => index % 50 === 0);
  const pause = (): bigint[] => {
    const resolver = new Symbolizer([image]);
    return all.flatMap(({ state, stackAddress, stack }) => {
      const stackEnd = stackAddress + BigInt(stack.length);
      const input = { arch: x86_64, images: resolver, state, stackAddress, stack, stackEnd };
      return framesOf({ ...input, readInto: undefined }, {}).map(({ address }) => address);
    });
  };
  const first = pause();
  const reads = memory.reads.length;
  assert(reads > 5);
  assertEquals(pause(), first);
  assertEquals(memory.reads.length, reads);
});
