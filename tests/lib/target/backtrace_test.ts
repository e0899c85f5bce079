/** A Backtrace is a list of what printing it shows. */
import { assert, assertEquals } from "@std/assert";
import { archs, Registers } from "../../../lib/arch/mod.ts";
import type { LoadedImage } from "../../../lib/macho/mod.ts";
import type { AddressInfo } from "../../../lib/symbols/mod.ts";
import { Backtrace, Frame } from "../../../lib/target/mod.ts";
import type { UnwoundFrame } from "../../../lib/unwind/mod.ts";

const image: LoadedImage = {
  name: "demo",
  path: "/demo",
  uuid: null,
  loadAddress: 0x1000n,
  slide: 0n,
  ranges: [],
  symbolAt: () => null,
  findSymbols: () => [],
};

function unwound(address: bigint, exact: boolean): UnwoundFrame {
  return {
    ...{ address, exact, sp: 0, fp: 0, returnAddress: 0n, row: null },
    foundBy: exact ? "context" : "frame-pointer",
  };
}

/** Two activations; a call is inlined into the first. */
function backtrace(): { backtrace: Backtrace; asked: () => number } {
  let asked = 0;
  const resolver = {
    resolve(address: bigint): AddressInfo {
      const names = address === 0x1010n ? ["inner", "outer"] : ["main"];
      return {
        ...{ image, symbol: null, offset: Number(address - 0x1000n), functionStart: null },
        source: null,
        get frames() {
          asked++;
          return names.map((name, index) => ({
            function: name,
            location: null,
            inlined: index < names.length - 1,
          }));
        },
      };
    },
  };
  const stack = {
    frames: [unwound(0x1010n, true), unwound(0x1020n, false)],
    stopped: "null-record" as const,
    registersOf: () => new Registers(new Map()),
  };
  return { backtrace: new Backtrace(archs.x86_64, resolver, stack), asked: () => asked };
}

Deno.test("iterating, indexes and an array's methods give the printed frames", () => {
  const { backtrace: frames } = backtrace();
  const names = ["inner", "outer", "main"];
  assertEquals([...frames].map((frame) => frame.function as string), names);
  assertEquals(frames.map((frame) => frame.function as string), names);
  assertEquals([0, 1, 2].map((index) => frames[index].function as string), names);
  assertEquals(frames.map(({ index }) => index), [0, 1, 2]);
  assertEquals([frames.length, frames[3], frames.at(-1)?.index], [3, undefined, 2]);
  assertEquals(frames.filter(({ inlined }) => inlined).length, 1);
  assertEquals(frames.slice(1).length, 2);
  assertEquals(frames.join("\n"), `${frames}`);
  assertEquals(`${frames}`.split("\n").length, 3);
  assertEquals(JSON.parse(JSON.stringify(frames)).length, 3);
  assertEquals(0 in frames, true);
  assert(frames[0] instanceof Frame);
});

Deno.test("the activations, and all that is not a frame, need no debug information", () => {
  const { backtrace: frames, asked } = backtrace();
  assertEquals(frames.activations.map(({ address }) => address), [0x1010n, 0x1020n]);
  assertEquals(frames.activations.map(({ index }) => index), [0, 1]);
  assertEquals(frames.stopped, "null-record");
  assertEquals((frames as unknown as { then?: unknown }).then, undefined);
  assertEquals(asked(), 0);
  assertEquals(frames.length, 3);
  assert(asked() > 0);
});
