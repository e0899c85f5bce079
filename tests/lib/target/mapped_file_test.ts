import { assertEquals } from "@std/assert";
import type { Region } from "../../../lib/target/kernel.ts";
import { mappedFiles } from "../../../lib/target/mapped_file.ts";

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
    new Set(),
    [],
    () => null,
  );
  assertEquals(files.map(({ path, ranges }) => [path, ranges.map(({ start }) => start)]), [
    ["/bin/node", [0x40_0000n, 0x40_1000n, 0x80_0000n]],
    ["/lib/c.so", [0x7f00_0000_0000n]],
  ]);
});
