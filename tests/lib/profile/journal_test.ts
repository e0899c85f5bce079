/** Journals: what was written of a profile that grows. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import { isJournal, JournaledBuilder, readJournal } from "../../../lib/profile/journal.ts";
import { type Profile, totalWeight } from "../../../lib/profile/mod.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** A builder with something of everything. */
function filled(): JournaledBuilder {
  const builder = new JournaledBuilder({ product: "demo", interval: 10, startTime: 5 });
  const process = builder.process({ name: "demo", pid: 7 });
  const image = builder.image({
    name: "demo",
    path: "/bin/demo",
    uuid: "U",
    address: 0xffff_ffff_ffff_f000n,
    size: 0x1000n,
    arch: "arm64",
  });
  const main = builder.function("main", { image, file: "a.c", line: 3, address: 1n << 63n });
  const work = builder.function('\u{1f525}\n"', { image });
  const unknown = builder.function(null, { address: 0x10n });
  const outer = builder.stack(-1, builder.frame(main, { address: 1n, line: 4, column: 2 }));
  const inner = builder.stack(outer, builder.frame(work, { inlineDepth: 1 }));
  const thread = builder.thread({ process, id: 9n, name: "main", queue: "q", isMain: true });
  const other = builder.thread({ process, id: 10n });
  builder.sample(thread, inner, 0.5, { state: 1, cpu: 400 });
  builder.sample(thread, outer, 10.25, { state: 2, weight: 3 });
  builder.sample(other, builder.stack(inner, builder.frame(unknown)), 11);
  builder.sample(other, -1, 12);
  return builder;
}

Deno.test("a journal gives the profile that its builder gives", () => {
  const builder = filled();
  const text = builder.take();
  assertEquals(builder.take(), "");
  assertEquals(readJournal("x", bytes(text)), builder.finish());
  // What is known is not written again; what has changed is.
  builder.info = { ...builder.info, lost: 4 };
  builder.sample(builder.thread({ process: 0, id: 10n }), 1, 13);
  const more = builder.take();
  assertEquals(more.trim().split("\n").length, 2);
  assertEquals(readJournal("x", bytes(text + more)), builder.finish());
});

Deno.test("a journal reads up to wherever its writer was killed", () => {
  const text = bytes(filled().take());
  let before = 0;
  const heading = text.indexOf(10);
  for (let length = heading; length <= text.length; length++) {
    const profile: Profile = readJournal("x", text.subarray(0, length));
    const weight = totalWeight(profile);
    assert(weight >= before, `${length} bytes`);
    before = weight;
  }
  assertEquals(before, 6);
});

Deno.test("what is no journal, and what is damaged in one, is an error with its place", () => {
  assertEquals(isJournal(bytes("{}")), false);
  assertThrows(() => readJournal("x", bytes("{}")), FormatError, "x");
  const [heading, ...lines] = filled().take().trim().split("\n");
  for (
    const line of [
      "nonsense",
      "{}",
      '["sample",7,0,1]',
      '["stack",-2,0]',
      '["stack",0,1e9]',
      '["frame",99]',
      '["function","f",{"image":4}]',
      '["thread",{"process":1}]',
      '["what"]',
    ]
  ) {
    const text = [heading, ...lines, line, ""].join("\n");
    assertThrows(() => readJournal("x", bytes(text)), FormatError, "x");
  }
});
