import { assert, assertEquals } from "@std/assert";
import { launch } from "../../../mod.ts";
import type { Region } from "../../../lib/target/kernel.ts";
import { mappedFiles } from "../../../lib/target/mapped_file.ts";
import { until } from "../../ffi/program.ts";
import { chains, ownFrames } from "./demo.ts";

function region(path: string, address: bigint, protection: number): Region {
  return {
    ...{ address, size: 0x1000n, offset: 0n, protection, maxProtection: 7 },
    ...{ userTag: 0, shareMode: 0, depth: 0, path },
  };
}

Deno.test("a part of a file that is mapped once more, far away, is not in its image", () => {
  const files = mappedFiles(
    [
      region("/bin/node", 0x40_0000n, 1),
      region("/bin/node", 0x40_1000n, 5),
      // Segments may be some pages apart.
      region("/bin/node", 0x80_0000n, 3),
      region("/lib/c.so", 0x7f00_0000_0000n, 5),
      region("/bin/node", 0x7f21_1729_a000n, 5),
    ],
    [],
    [],
    () => null,
  );
  assertEquals(files.map(({ path, ranges }) => [path, ranges.map(({ start }) => start)]), [
    ["/bin/node", [0x40_0000n, 0x40_1000n, 0x80_0000n]],
    ["/lib/c.so", [0x7f00_0000_0000n]],
  ]);
});

Deno.test("a Mach-O file that is deleted while it is loaded stays one image, with its names", async () => {
  const folder = await Deno.makeTempDir();
  const demo = new URL("../../../examples/demo/x86_64/", import.meta.url).pathname;
  for (const name of ["demo", "libworkers.dylib"]) {
    await Deno.copyFile(`${demo}${name}`, `${folder}/${name}`);
  }
  using target = await launch(`${folder}/demo`, [], { output: "null" });
  try {
    await until(() => target.threads.length === chains.size, "the demo's threads");
    const before = target.images.map(String);
    await Deno.remove(folder, { recursive: true });
    assertEquals(target.images.map(String), before);
    assertEquals(target.images.filter(({ name }) => name.startsWith("demo")).length, 1);
    using _pause = target.pause();
    const { own } = ownFrames(target.threads.find(({ name }) => name === "demo.spin")!);
    assert(own.length > 0 && own.every(([, symbol]) => symbol !== "???"), `${own}`);
  } finally {
    target.kill();
  }
});
