/** Making tables and looking up many offsets, with workers and without. */
import { assertEquals, assertRejects } from "@std/assert";
import { files } from "../../../../ffi/files.ts";
import { indexSystem as system } from "../../../../ffi/index_system.ts";
import { FormatError } from "../../../../lib/errors.ts";
import { bulkFrames, makeTable } from "../../../../lib/symbols/index/mod.ts";
import { imagesIn, openDwarf } from "../../../../lib/symbols/mod.ts";

const fixtures = new URL("../../../fixtures/lines/", import.meta.url).pathname;
const path = `${fixtures}arm64-dwarf5/lines.dSYM/Contents/Resources/DWARF/lines`;
const program = new URL(import.meta.url).pathname;

Deno.test("a signal ends indexing, with one worker and with several", async () => {
  using file = files.open(path);
  const [binary] = imagesIn(file);
  for (const jobs of [1, 2]) {
    const controller = new AbortController();
    const reason = new Error("enough");
    if (jobs === 1) controller.abort(reason);
    const made = makeTable({ path, index: 0, binary }, {
      system,
      jobs,
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    if (jobs === 2) assertEquals(await assertRejects(() => made), reason);
    else await made.catch((error) => assertEquals(error, reason));
  }
});

Deno.test("many offsets at once, with workers and without", async () => {
  using file = files.open(path);
  const dwarf = openDwarf([...imagesIn(file)][0].bytes);
  const offsets = Array.from({ length: 500 }, (_, index) => (index * 7919) % 0x3000);
  const expected = offsets.map((offset) => dwarf.framesAt(offset));
  const told: number[] = [];
  for (const jobs of [1, 2, 3]) {
    const onProgress = (done: number) => told.push(done);
    const { frames, warnings } = await bulkFrames({ system, path, offsets, jobs, onProgress });
    assertEquals(frames, expected);
    assertEquals(warnings, []);
  }
  assertEquals(told.at(-1), offsets.length);
  // A system without workers reads everything in this thread.
  const alone = await bulkFrames({ system: { files }, path, offsets, jobs: 3 });
  assertEquals(alone.frames, expected);
  assertEquals((await bulkFrames({ system, path, offsets: [] })).frames, []);
  await assertRejects(() => bulkFrames({ system, path: program, offsets }), FormatError);
});

Deno.test("a table does not depend on the number of workers", async () => {
  using file = files.open(path);
  const [binary] = imagesIn(file);
  const made = async (jobs: number, workers: boolean) => {
    const { chunks, functions } = await makeTable({ path, index: 0, binary }, {
      system: workers ? system : { files },
      jobs,
    });
    return { functions, bytes: await new Blob([...chunks] as BlobPart[]).bytes() };
  };
  const alone = await made(1, false);
  assertEquals(await made(2, true), alone);
  assertEquals(await made(3, true), alone);
});
