import { assert, assertEquals } from "@std/assert";
import { largeDylib } from "./large_dsym.ts";
import { compareChains, openSubject, randomOffsets } from "./symbolizer.ts";

Deno.test("20,000 random addresses of a 40 MB dSYM, with DWARF 4 and 5: llvm-symbolizer's", async () => {
  const { dsym } = await largeDylib();
  using subject = openSubject(dsym);
  assert(Deno.statSync(dsym).size > 40e6);
  assertEquals(subject.info.units.map(({ version }) => version).sort(), [
    ...[4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5],
  ]);
  const { known, inlined } = await compareChains(subject, randomOffsets(subject, 20_000), dsym);
  assert(known > 19_900);
  assert(inlined > 8_000);
});
