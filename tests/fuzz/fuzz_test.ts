/** A short run over every reader; `deno task fuzz` runs as long as it is let. */
import { assertEquals, assertGreater } from "@std/assert";
import { fuzz } from "./main.ts";
import { readers } from "./readers.ts";

/** Milliseconds for each reader: ten seconds for all. */
const duration = 10_000 / readers.length;

for (const { name } of readers) {
  Deno.test(`damaged files: ${name}`, async () => {
    const { cases, findings } = await fuzz(name, 1, duration);
    assertEquals(findings, []);
    assertGreater(cases, 10);
  });
}
