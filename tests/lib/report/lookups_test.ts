/** Look-ups that are made faster than one after the other: they find the same. */

import { assert, assertEquals } from "@std/assert";
import { imageAt, imageFinder } from "../../../lib/report/images.ts";
import { knowledge, known, knownMessage, knownPanic } from "../../../lib/report/knowledge/mod.ts";
import { WordIndex } from "../../../lib/report/knowledge/words.ts";
import { once } from "../../../lib/report/remember.ts";
import type { ReportImage } from "../../../lib/report/report.ts";

Deno.test("the first of many keys that is in a text is found, wherever it is there", () => {
  const keys = ["lock was lost", "lost", "os", "aaaab", "the lock", "ab", "no lock was lost"];
  const index = new WordIndex(keys);
  for (
    const text of [
      ...["", "o", "os", "lost", "a lost lock", "the lock was lost", "no lock was lost", "los"],
      ...["aaaaaaab", "aaaaaaa", "b the lock", "cab", "xyzw", "no lock was los", "lock was lost"],
    ]
  ) {
    assertEquals(index.find(text), keys.findIndex((key) => text.includes(key)), text);
  }
});

Deno.test("every row is found by its key in the tables of its kind", () => {
  assert(knowledge.length > 10_000, `${knowledge.length}`);
  for (const row of knowledge) {
    if (row.key.endsWith("*")) continue;
    assertEquals(known(row.kind, row.key, row.cpu), row, row.key);
  }
});

Deno.test("whose a name is: the whole name before prefixes, and of those the longest", () => {
  const vendor = (name: string): string | null => known("vendor", name)?.meaning ?? null;
  assertEquals(vendor("g_free"), "GLib");
  assertEquals(vendor("g_freeze_it"), null);
  assertEquals(vendor("gdk_window_show"), "GTK");
  assertEquals(vendor("gdk_pixbuf_new"), "GDK-PixBuf");
  assertEquals(vendor("QWidgetPrivate::init()"), "Qt");
  assertEquals(known("sdk", "FirebaseCore")?.source, "github.com/firebase/firebase-ios-sdk");
});

Deno.test("a row is found by its words as if all rows were tried in their order", () => {
  for (const [kind, find] of [["message", knownMessage], ["panic", knownPanic]] as const) {
    const rows = knowledge.filter((row) => row.kind === kind);
    for (const { key } of rows) {
      const text = `Checkout: ${key} (7)`;
      assertEquals(find(text), rows.find((row) => text.includes(row.key)) ?? null, key);
    }
  }
});

Deno.test("one address is found in the image that a finder for many finds", () => {
  const image = (name: string, base: bigint, size: bigint) =>
    ({ name, base, size }) as unknown as ReportImage;
  const images = [
    image("second", 0x3000n, 0x1000n),
    image("cache", 0x1_8000_0000n, 0x4000_0000n),
    image("first", 0x1000n, 0x1000n),
    image("in the cache", 0x1_9000_0000n, 0x1000n),
    image("empty", 0x3800n, 0n),
    image("the same", 0x1000n, 0x800n),
  ];
  for (
    const address of [
      ...[0n, 0xfffn, 0x1000n, 0x17ffn, 0x1900n, 0x2000n, 0x3000n, 0x3900n, 0x4000n],
      ...[0x1_8000_0000n, 0x1_9000_0800n, 0x1_9000_1000n, 0x1_bfff_ffffn, 0x1_c000_0000n],
    ]
  ) {
    assertEquals(imageAt(images, address), imageFinder(images)(address), address.toString(16));
  }
});

Deno.test("functions of one object remember their own results, null among them", () => {
  let calls = 0;
  const size = once((list: readonly number[]) => (calls++, list.length));
  const first = once((list: readonly number[]) => (calls++, list[0] ?? null));
  const [one, none]: [number[], number[]] = [[7, 8], []];
  for (let round = 0; round < 2; round++) {
    assertEquals([size(one), first(one), size(none), first(none)], [2, 7, 0, null]);
  }
  assertEquals(calls, 4);
});
