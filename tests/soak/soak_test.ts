/** A short soak; `deno task soak` takes an hour. */
import { assertEquals, assertGreater } from "@std/assert";
import { buildHost } from "../../tools/build.ts";
import { buildDirectory } from "../ffi/program.ts";
import { Random } from "../fuzz/random.ts";
import { soak } from "./soak.ts";

const seconds = 15;

if (Deno.build.os === "linux") {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0];
  // The seed is in the name, so that a failure can be made again: deno task soak --seed N.
  Deno.test(`debuggers killed at random moments, for ${seconds} s, seed ${seed}`, async () => {
    const library = await buildHost(`${await buildDirectory()}/host`);
    const { kills, findings } = await soak(library, new Random(seed), seconds * 1000);
    assertEquals(findings, []);
    assertGreater(kills, 10);
  });
}
