import { assertEquals } from "@std/assert";
import { PerfMap } from "../../../lib/target/perf_map.ts";
import type { OpenFile } from "../../../lib/file_system.ts";
import { bytesSource } from "../../../lib/macho/walking.ts";

/** A map over a text that may change, and what it answers by the name. */
function mapOf(read: () => string | null, now = () => 0) {
  const open = (): OpenFile | null => {
    const text = read();
    if (text === null) return null;
    const source = bytesSource(new TextEncoder().encode(text), "perf.map");
    return {
      name: source.name,
      size: source.size,
      read: (offset, length, into) => source.read(offset, length, into),
      [Symbol.dispose]() {},
    };
  };
  const map = new PerfMap("/tmp/perf-7.map", open, now);
  return (address: number) => {
    const { image, symbol, offset } = map.resolve(BigInt(address));
    return symbol === null ? image : `${symbol.name}+${offset} (${image?.name})`;
  };
}

Deno.test("lines as node, .NET and the JVM write them", () => {
  const at = mapOf(() =>
    [
      "7f55527e4200 2dc JS:*hotInner /tmp/jit.js:1:18",
      "00007F5552800000 10 void [app] Program::Main(string[])[Tier0]",
      "0x00007fabe8ec7640 0x0000000000000258 double Burn.inner(int)",
      "not a line",
      "ffffffffffffffff ffffffffffffffff nowhere",
      "7f5552900000 0 empty",
      "",
    ].join("\n")
  );
  assertEquals(at(0x7f55527e4200), "JS:*hotInner /tmp/jit.js:1:18+0 (perf-7.map)");
  assertEquals(at(0x7f55527e44db), "JS:*hotInner /tmp/jit.js:1:18+731 (perf-7.map)");
  assertEquals(at(0x7f55527e44dc), null);
  assertEquals(at(0x7f5552800008), "void [app] Program::Main(string[])[Tier0]+8 (perf-7.map)");
  assertEquals(at(0x7fabe8ec7641), "double Burn.inner(int)+1 (perf-7.map)");
  assertEquals(at(0x7f5552900000), null);
  assertEquals(at(0x10), null);
});

Deno.test("a file that grows: what is new is read, and of memory that is used again the last line holds", () => {
  let text: string | null = null;
  let time = 0;
  const at = mapOf(() => text, () => time);
  assertEquals(at(0x1010), null);
  time += 1000;
  text = "1000 100 old\n2000 100 other\n3000 100 cu";
  assertEquals([at(0x1010), at(0x2010), at(0x3010)], [
    "old+16 (perf-7.map)",
    "other+16 (perf-7.map)",
    null,
  ]);
  time += 1000;
  text += "t short\n1008 20 new\n";
  assertEquals([at(0x1010), at(0x1004), at(0x3010)], [
    "new+8 (perf-7.map)",
    "old+4 (perf-7.map)",
    "cut short+16 (perf-7.map)",
  ]);
  time += 1000;
  // Another process has got the pid.
  text = "5000 10 another\n";
  assertEquals([at(0x5001), at(0x1010)], ["another+1 (perf-7.map)", null]);
});
