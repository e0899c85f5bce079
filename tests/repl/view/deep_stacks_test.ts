/** Stacks that are deep, and threads that share them. */
import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import { archs, writeRegister } from "../../../lib/arch/mod.ts";
import { bytesSource } from "../../../lib/macho/mod.ts";
import type { Files } from "../../../lib/file_system.ts";
import { CoreTarget, type Thread } from "../../../lib/target/mod.ts";
import { allShownFrames, FrameBudget, shownFrames } from "../../../repl/view/frames.ts";
import { backtracesLines } from "../../../repl/view/render.ts";
import { uniqueBacktracesLines } from "../../../repl/view/summary.ts";
import { plain } from "../../../repl/view/style.ts";
import { buildCore, recordedParts } from "../../lib/target/core_builder.ts";

const noFiles: Files = {
  open() {
    throw new Error("there are no files");
  },
  create() {
    throw new Error("nothing is written");
  },
  walk: () => [],
};

const address = 0x7_0000_0000n;

/** A core of threads that share one stack: frame records, each of which returns into one recursive function of
 * the demo. */
function deepCore(count: number, depth: number): CoreTarget {
  const parts = recordedParts("arm64");
  const file = (bytes: Uint8Array) => ({ ...bytesSource(bytes, "deep"), [Symbol.dispose]() {} });
  using recorded = new CoreTarget(file(buildCore(parts)), { files: noFiles });
  const frame = recorded.threads.flatMap((thread) => thread.backtrace().activations)
    .find(({ symbol, index }) => index > 0 && symbol?.name.includes("descend"))!;
  const stack = new Uint8Array(Math.ceil((depth + 2) * 16 / 4096) * 4096);
  const view = new DataView(stack.buffer);
  for (let index = 0; index < depth; index++) {
    const next = index === depth - 1 ? 0n : address + BigInt(16 * (index + 1));
    view.setBigUint64(16 * index, next, true);
    view.setBigUint64(16 * index + 8, index === depth - 1 ? 0n : frame.address, true);
  }
  const { threadState, pc, sp, fp } = archs.arm64;
  const state = new Uint8Array(threadState.size);
  writeRegister(state, pc, frame.address);
  writeRegister(state, sp, address);
  writeRegister(state, fp, address);
  const threads = Array.from({ length: count }, (_, index) => ({
    id: BigInt(index + 1),
    name: "",
    state,
  }));
  const region = { address, bytes: stack, protection: 3, segment: null };
  const bytes = buildCore({ ...parts, threads, regions: [...parts.regions, region] });
  return new CoreTarget(file(bytes), { files: noFiles });
}

Deno.test("a recursion of 160,000 calls is shown whole, threads with equal stacks together", () => {
  using core = deepCore(2, 160_000);
  const lines = uniqueBacktracesLines(core.threads, 8, plain);
  assertGreater(lines.length, 160_000);
  assert(lines[0].includes("2 threads"), lines[0]);
  assert(!lines.at(-1)!.includes("more frames follow"), lines.at(-1));
});

Deno.test("200 threads of one deep stack: as many frames as one, and each thread says so", () => {
  using core = deepCore(200, 30_000);
  const stacks = allShownFrames(core.threads);
  assertEquals(stacks[0].frames.length, 30_000);
  assertEquals(stacks[0].stopped, "null-record");
  assertEquals(stacks[199].frames.length, 1000);
  assertEquals(stacks[199].stopped, "limit");
  assertLess(stacks.reduce((sum, { frames }) => sum + frames.length, 0), 800_000);
  const lines = backtracesLines(core.threads.slice(199), 8, plain, undefined, stacks.slice(199));
  assert(lines.at(-1)!.includes("limit: more frames follow"), lines.at(-1));
});

Deno.test("a limit that was asked for is the limit", () => {
  using core = deepCore(1, 5000);
  const budget = new FrameBudget(2000);
  assertEquals(shownFrames(core.threads[0], 3000, false, budget).frames.length, 3000);
  assertEquals(shownFrames(core.threads[0], undefined, false, budget).frames.length, 1000);
});

Deno.test("a name of 60 KB that all frames have: what is shown of it is bounded, and said", () => {
  using core = deepCore(2, 30_000);
  const [first, second] = core.threads.map((thread) => {
    const walked = thread.backtrace();
    const name = "x".repeat(60_000);
    const frames = [...walked].map((frame) => ({
      ...{ index: frame.index, address: frame.address, function: name },
      symbol: { name, address: frame.address },
    }));
    return {
      backtrace: () => Object.assign(frames, { activations: frames, stopped: "null-record" }),
    };
  }) as unknown as Thread[];
  const [stack, rest] = allShownFrames([first, second]);
  const length = stack.frames.reduce((sum, { symbol }) => sum + symbol!.name.length, 0);
  assertGreater(length, 1 << 24);
  assertLess(length, 1 << 26);
  assertEquals([stack.stopped, rest.stopped, rest.frames.length], ["limit", "limit", 0]);
});
