/** Snapshots that copy what variables lead to while the target is stopped. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { CopiedMemory } from "../../../lib/target/copied_memory.ts";
import { walkLocals } from "../../../lib/target/follow.ts";
import { readReport, reportOf, writeReport } from "../../../lib/report/api.ts";
import { LiveTarget } from "../../../lib/target/mod.ts";
import { defineFormatter } from "../../../lib/target/variables.ts";
import { attachSelf, type Frame, type Snapshot } from "../../../mod.ts";
import { system } from "../../../ffi/processes.ts";
import { runs } from "../../machine.ts";
import { startDemo } from "./demo.ts";
import { recordedKernel } from "./memory_kernel.ts";

/** The counter that demo.spin counts on, through its pointer. */
function counter({ threads }: Snapshot) {
  const spin = threads.find(({ name }) => name === "demo.spin")!;
  const frame = spin.backtrace().find((frame) => frame.function === "spin_inner")!;
  return frame.variables.find(({ name }) => name === "turns")!.deref()!;
}

Deno.test(
  { name: "a snapshot that follows pointers has what they pointed to", ignore: !runs("x86_64") },
  async () => {
    using target = await startDemo("x86_64");
    try {
      const milliseconds = 60_000; // Other work may be beside it.
      const plain = target.snapshot();
      assertEquals([plain.followed, counter(plain).isLater], [null, true]);
      const shallow = target.snapshot({ follow: { levels: 0, milliseconds } });
      assertEquals([shallow.followed?.isWhole, counter(shallow).isLater], [true, true]);

      const snapshot = target.snapshot({ follow: { levels: 1, milliseconds } });
      assertEquals(snapshot.followed?.isWhole, true);
      const held = counter(snapshot);
      assertEquals(held.isLater, false);
      const then = held.scalar as number;
      // It goes on counting, and the snapshot does not.
      const now = () => Number(target.memory.readU64(held.address!));
      while (now() <= then) await new Promise((resolve) => setTimeout(resolve, 1));
      assertEquals(counter(snapshot).scalar, then);
      assert(Number(counter(plain).scalar) > then);
      assertEquals(target.paused, false);

      const cut = target.snapshot({ follow: { levels: 1, bytes: 0, milliseconds } });
      assertEquals([cut.followed, counter(cut).isLater], [{ bytes: 0, isWhole: false }, true]);
      const late = target.snapshot({ follow: { levels: 1, milliseconds: 0 } });
      assertEquals(late.followed?.isWhole, false);

      // A report has the arguments where it is asked to, and reading it finds the same threads.
      const { threads } = snapshot;
      const frameText = ({ variables }: Frame) =>
        variables.length === 0 ? null : variables.map(String).join(", ");
      const report = reportOf(target, threads, { frameText });
      assertStringIncludes(report.information[0], "(unsigned int) workers = 6");
      for (const form of ["crash", "ips"] as const) {
        const again = readReport(new TextEncoder().encode(writeReport(report, form)), "demo");
        assertEquals(again.threads.length, threads.length);
        assertEquals(again.information.join("\n"), report.information.join("\n"));
      }
    } finally {
      target.kill();
    }
  },
);

Deno.test("while it is stopped, what variables lead to is only copied, for a core too", async () => {
  const kernel = recordedKernel("arm64");
  const [stops, looks]: [reads: number[], looks: boolean[]] = [[], []];
  const isStopped = () => kernel.tokens.size > 0;
  const { vmRead, snapshot } = kernel;
  kernel.vmRead = (...args) => {
    if (isStopped()) stops[stops.length - 1]++;
    return vmRead.apply(kernel, args);
  };
  kernel.snapshot = (...args) => {
    stops.push(0);
    return snapshot.apply(kernel, args);
  };
  // Variables' types are read, and what they lead to is found, where values are shown.
  defineFormatter({
    name: "looks",
    type: "unsigned int",
    summary() {
      looks.push(isStopped());
      return null;
    },
  });
  using target = new LiveTarget(kernel, system, { pid: 7, name: "demo" });
  const { followed } = target.snapshot({ follow: { levels: 1, milliseconds: 60_000 } });
  assertEquals(followed?.isWhole, true);
  assert(looks.length > 0);
  assertEquals(looks.includes(true), false);
  // The first is of the threads alone; dyld's list is compared in the other.
  assertEquals(stops.length, 2);
  assert(stops[1] <= followed!.bytes / 4096 + 3, `${stops[1]} reads for ${followed!.bytes} bytes`);
  looks.length = 0;
  const path = await Deno.makeTempFile();
  try {
    const { warnings } = await target.saveCore(path, { style: "locals" });
    assertEquals(warnings, []);
    assert(looks.length > 0);
    assertEquals(looks.includes(true), false);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("this process does not follow its own variables", () => {
  assertThrows(() => attachSelf().snapshot({ follow: { levels: 1 } }), TypeError, "while it is");
});

Deno.test("copied memory has whole pages, up to what is unreadable and to its limit", () => {
  let reads = 0;
  // Readable up to 0x3800.
  const copied = new CopiedMemory({
    pointerSize: 8,
    readUpTo(address, length) {
      reads++;
      const bytes = Math.max(0, Math.min(length, 0x3800 - Number(address)));
      return new Uint8Array(bytes).fill(Number(address >> 12n));
    },
  }, 3 * 4096);
  assertEquals([...copied.readUpTo(0x1ffen, 4)], [1, 1, 2, 2]);
  assertEquals(copied.readUpTo(0x1800n, 8).length, 8);
  assertEquals([reads, copied.bytes], [2, 8192]);
  assertEquals(copied.readUpTo(0x37fen, 64).length, 2);
  assertEquals([copied.bytes, copied.isFull], [0x2800, false]);
  assertEquals(copied.ranges, [{ start: 0x1000n, end: 0x3800n }]);
  assertEquals(copied.readUpTo(0n, 1).length, 1);
  assertEquals(copied.isFull, true);
  copied.freeze();
  assertEquals([copied.has(0x1ffen, 4), copied.has(0xffen, 4), copied.has(0x37fen, 64)], [
    ...[true, false, true],
  ]);
  assertEquals([copied.readUpTo(0n, 1).length, copied.readUpTo(0x37fen, 64).length], [0, 2]);
});

Deno.test("levels of pointers that are none are refused, before anything is stopped", () => {
  for (const levels of [-1, NaN, undefined]) {
    assertThrows(() => walkLocals([], { levels: levels! }, () => false), RangeError, "levels");
  }
  assertEquals(walkLocals([], { levels: 0 }, () => false), true);
});
