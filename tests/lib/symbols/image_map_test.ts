import { assertEquals } from "@std/assert";
import type { AddressRange, LoadedImage } from "../../../lib/macho/mod.ts";
import { ImageMap } from "../../../lib/symbols/mod.ts";

/** An image that only has a place. */
function image(name: string, ...ranges: [bigint, bigint][]): LoadedImage {
  return {
    name,
    path: `/${name}`,
    uuid: null,
    loadAddress: ranges[0]?.[0] ?? 0n,
    slide: 0n,
    ranges: ranges.map(([start, end]): AddressRange => ({ start, end })),
    symbolAt: () => null,
    findSymbols: () => [],
  };
}

function owners(map: ImageMap, from: number, to: number): string {
  let text = "";
  for (let address = from; address < to; address++) {
    text += map.at(BigInt(address))?.name ?? ".";
  }
  return text;
}

Deno.test("images are found by each of their ranges", () => {
  const map = new ImageMap([image("b", [8n, 10n]), image("a", [1n, 3n], [5n, 7n])]);
  assertEquals(owners(map, 0, 12), ".aa..aa.bb..");
  assertEquals(map.images.map(({ name }) => name), ["b", "a"]);
});

Deno.test("no images, empty and reversed ranges", () => {
  assertEquals(new ImageMap([]).at(5n), null);
  assertEquals(
    owners(new ImageMap([image("a"), image("b", [5n, 5n], [8n, 3n])]), 0, 10),
    "..........",
  );
});

Deno.test("adjoining images end where the next begins", () => {
  assertEquals(owners(new ImageMap([image("a", [1n, 4n]), image("b", [4n, 6n])]), 0, 7), ".aaabb.");
});

Deno.test("the top of the address space", () => {
  const top = 1n << 64n;
  const map = new ImageMap([image("a", [top - 4n, top])]);
  assertEquals(map.at(top - 1n)?.name, "a");
  assertEquals(map.at(top - 5n), null);
  assertEquals(map.at(0n), null);
});

Deno.test("an address in overlapping images belongs to the one that begins last, then to the shorter one", () => {
  const inside = [image("a", [1n, 10n]), image("b", [3n, 5n]), image("c", [4n, 7n])];
  assertEquals(owners(new ImageMap(inside), 0, 12), ".aabcccaaa..");
  assertEquals(owners(new ImageMap(inside.toReversed()), 0, 12), ".aabcccaaa..");
  const same = [image("a", [1n, 5n]), image("b", [1n, 5n])];
  assertEquals(owners(new ImageMap(same), 0, 6), ".bbbb.");
  const together = [image("a", [1n, 3n]), image("b", [1n, 5n])];
  assertEquals(owners(new ImageMap(together), 0, 6), ".aabb.");
  assertEquals(owners(new ImageMap(together.toReversed()), 0, 6), ".aabb.");
});

Deno.test("every address of random overlaps, against a search through all ranges", () => {
  let seed = 99;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed >>> 8) % below;
  };
  for (let round = 0; round < 300; round++) {
    const spans: { start: number; end: number; owner: number }[] = [];
    const images = Array.from({ length: 1 + random(8) }, (_, owner) => {
      const ranges = Array.from({ length: 1 + random(3) }, (): [bigint, bigint] => {
        const start = random(60);
        const end = start + random(20);
        if (start < end) spans.push({ start, end, owner });
        return [BigInt(start), BigInt(end)];
      });
      return image(String.fromCharCode(97 + owner), ...ranges);
    });
    let expected = "";
    for (let address = 0; address < 90; address++) {
      const best = spans.filter(({ start, end }) => start <= address && address < end)
        .sort((x, y) => y.start - x.start || x.end - y.end || y.owner - x.owner).at(0);
      expected += best ? images[best.owner].name : ".";
    }
    assertEquals(owners(new ImageMap(images), 0, 90), expected);
  }
});
