/** What threads do over some time, and who waits for whom: over looks and threads made by hand. */
import { assertEquals } from "@std/assert";
import {
  busyStacks,
  compareLooks,
  crowds,
  type Look,
  lookAt,
  stuckThreads,
  type ThreadLook,
  threadNames,
} from "../../../lib/target/activity.ts";
import { deadlocks } from "../../../lib/target/locks.ts";
import type { Thread } from "../../../mod.ts";

function thread(id: number, functions: string[], more: Partial<ThreadLook> = {}): ThreadLook {
  return {
    id: BigInt(id),
    name: `t${id}`,
    isMain: id === 0,
    functions,
    callers: functions.slice(1).join(),
    ran: 0n,
    isRunning: false,
    ...more,
  };
}

const look = (...threads: ThreadLook[]): Look => new Map(threads.map((one) => [one.id, one]));

Deno.test("where neither times nor states are told, registers that moved do, but for what waits", () => {
  const at = (...registers: [name: string, value: number, waits?: boolean][]) =>
    registers.map(([name, value, waits = false], index) => ({
      ...{ id: BigInt(index), index, name, state: "stopped", userTime: 0n, systemTime: 0n, waits },
      registers: `pc=${value}`,
      backtrace: () => [{ address: BigInt(value), function: name }, { address: 7n, function: "f" }],
    } as unknown as Thread & { waits: boolean }));
  const next = (before: Look, threads: Thread[]) =>
    lookAt(threads, { before, waits: (thread) => (thread as Thread & { waits: boolean }).waits });
  const first = next(new Map(), at(["main", 1, true], ["spin", 1], ["lock", 1, true], ["run", 1]));
  const second = next(first, at(["main", 2, true], ["spin", 2], ["lock", 1, true], ["run", 1]));
  assertEquals(stuckThreads(first, second).map(({ thread, how }) => [thread.name, how]), [
    ["spin", "loops"],
    ["lock", "waits"],
    ["run", "waits"],
  ]);
  assertEquals(busyStacks([second]).map(({ name, share }) => [name, share]), [["spin", 1]]);
  assertEquals(compareLooks(first, second).map(({ kind }) => kind), [
    "same",
    "same",
    "same",
    "runs",
  ]);
});

Deno.test("stuck: the same callers; a loop uses the processor; a waiting main thread is in its run loop", () => {
  const before = look(
    thread(0, ["wait", "main"]),
    thread(1, ["lock", "work"]),
    thread(2, ["spin", "work"], { isRunning: true }),
    thread(3, ["a", "b"]),
  );
  const after = look(
    thread(0, ["wait", "main"]),
    thread(1, ["lock", "work"]),
    thread(2, ["spin", "work"], { isRunning: true, ran: 5n }),
    thread(3, ["a", "c"]),
    thread(4, ["new"]),
  );
  assertEquals(stuckThreads(before, after).map(({ thread, how }) => [thread.name, how]), [
    ["t1", "waits"],
    ["t2", "loops"],
  ]);
  const busy = look(thread(0, ["wait", "main"], { ran: 600_000_000n }));
  assertEquals(stuckThreads(before, busy).map(({ how }) => how), ["loops"]);
  // The stop of an earlier look may have woken it.
  const woken = look(thread(1, ["lock", "work"], { isRunning: true, ran: 9n }));
  assertEquals(stuckThreads(before, woken).map(({ how }) => how), ["waits"]);
  // Both looks found it at the same place, and it worked in between.
  const worked = look(thread(1, ["lock", "work"], { ran: 100_000_000n }));
  assertEquals(stuckThreads(before, worked), []);
  assertEquals(compareLooks(before, worked).find(({ after }) => after)?.kind, "runs");
  assertEquals(stuckThreads(before, worked, new Set(), 10_000).map(({ how }) => how), ["waits"]);
  const held = look(thread(1, ["lock", "work"], { isSuspended: true }));
  assertEquals(stuckThreads(before, held).map(({ how }) => how), ["suspended"]);
  // A clock tick is charged to a thread that waited but for the moment of a look.
  const charged = look(
    thread(0, ["wait", "main"], { ran: 9n }),
    thread(1, ["lock", "work"], { ran: 9n }),
  );
  assertEquals(stuckThreads(before, charged).map(({ thread, how }) => [thread.name, how]), [
    ["t1", "waits"],
  ]);
  // It waits for another thread.
  assertEquals(stuckThreads(before, after, new Set([0n]))[0].thread.name, "t0");
});

Deno.test("a thread that was woken in its wait does not run yet", () => {
  const threads = ["spin", "sleep"].map((name, index) => ({
    ...{ id: BigInt(index), index, name, state: "running", userTime: 1n, systemTime: 0n },
    ...{ suspendCount: index },
    backtrace: () => [{ address: 1n, function: name }],
  } as unknown as Thread));
  const looks = lookAt(threads, { waits: ({ name }) => name === "sleep" });
  assertEquals(
    [...looks.values()].map(({ isRunning, isSuspended = false }) => [
      isRunning,
      isSuspended,
    ]),
    [[true, false], [false, true]],
  );
});

Deno.test("compared: new, gone, moved, running and the same", () => {
  const before = look(thread(1, ["a"]), thread(2, ["a"]), thread(3, ["a"]), thread(4, ["a"]));
  const after = look(
    thread(1, ["a"]),
    thread(2, ["b"]),
    thread(3, ["a"], { isRunning: true, ran: 1n }),
    thread(5, ["a"]),
  );
  assertEquals(compareLooks(before, after).map(({ kind }) => kind), [
    "same",
    "moved",
    "runs",
    "gone",
    "new",
  ]);
});

Deno.test("busy stacks by their share of the looks; crowds by their size", () => {
  const on = { isRunning: true };
  const looks = [
    look(thread(1, ["spin"], on), thread(2, ["wait"])),
    look(thread(1, ["spin"], on), thread(2, ["leaf"], on)),
    look(thread(1, ["spin"], on), thread(2, ["wait"])),
    look(thread(1, ["other"], on), thread(2, ["wait"])),
  ];
  assertEquals(busyStacks(looks).map(({ functions: [name], share }) => [name, share]), [
    ["spin", 0.75],
    ["other", 0.25],
    ["leaf", 0.25],
  ]);
  const all = look(thread(1, ["a", "b"]), thread(2, ["c"]), thread(3, ["a", "b"]));
  assertEquals(crowds(all).map(({ names }) => names), [["t1", "t3"], ["t2"]]);
});

Deno.test("circles of threads that wait for each other, each once", () => {
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((name) => ({ name }) as Thread);
  const circles = (waits: [Thread, Thread][]) =>
    deadlocks(waits.map(([thread, holder]) => ({ thread, holder })));
  assertEquals(circles([[a, b], [b, c]]), []);
  assertEquals(circles([[d, a], [a, b], [b, c], [c, a]]), [[a, b, c]]);
  assertEquals(circles([[a, b], [b, a], [c, d], [d, c], [e, a]]), [[a, b], [c, d]]);
});

Deno.test("threads of one name are told apart by their numbers", () => {
  const thread = (index: number, name: string) => ({ id: BigInt(100 + index), index, name });
  const threads = [
    thread(0, "app"),
    thread(1, "app"),
    thread(2, "app"),
    thread(3, "io"),
    thread(4, ""),
  ];
  assertEquals([...threadNames(threads).values()], [
    "main",
    "app (thread 1)",
    "app (thread 2)",
    "io",
    "thread 4",
  ]);
});
