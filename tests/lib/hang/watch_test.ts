/** Hangs over a fake kernel: what is found, what is not, and what a day of it takes. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  describeHang,
  type Folder,
  type Hang,
  type HangOptions,
  hangs,
  HangStore,
  readHang,
} from "../../../lib/hang/mod.ts";
import { FastClock, recorded, type Schedule, simulated } from "./simulated.ts";

const idle = { like: recorded.main, running: false };
/** The recorded main thread's event loop. */
const loop = ["wait_for_event"];

/** Everything that a watch of some time tells.
 *
 * @param keep called with each hang as it is told
 */
async function watch(
  end: number,
  schedule: Schedule,
  options: HangOptions = {},
  keep: (hang: Hang) => void = () => {},
): Promise<Hang[]> {
  const controller = new AbortController();
  const clock = new FastClock(end, () => controller.abort());
  using target = simulated(clock, schedule);
  const found: Hang[] = [];
  for await (
    const hang of hangs(target, { clock, signal: controller.signal, idle: loop, ...options })
  ) {
    found.push(hang);
    keep(hang);
  }
  return found;
}

/** A folder in memory. */
class MemoryFolder implements Folder {
  readonly files = new Map<string, string>();
  /** Bytes that it may hold. */
  capacity = Infinity;

  get size(): number {
    return [...this.files.values()].reduce((sum, text) => sum + text.length, 0);
  }

  list() {
    const names = new Set([...this.files.keys()].map((path) => path.split("/")[0]));
    return [...names].map((name) => ({
      name,
      files: [...this.files].filter(([path]) => path.startsWith(`${name}/`)).map((
        [path, text],
      ) => ({ name: path.slice(name.length + 1), size: text.length })),
    }));
  }

  read(path: string): string | null {
    return this.files.get(path) ?? null;
  }

  write(path: string, text: string): void {
    const size = this.size - (this.files.get(path)?.length ?? 0) + text.length;
    if (size > this.capacity) throw new Error("No space left on device (os error 28)");
    this.files.set(path, text);
  }

  remove(name: string): void {
    for (const path of this.files.keys()) if (path.startsWith(`${name}/`)) this.files.delete(path);
  }
}

Deno.test("what a thread does that had left the place when it was stopped is not held against the place", async () => {
  const [{ registers }] = simulated(new FastClock(0, () => {}), () => idle).threads;
  const stackPointer = registers.get("sp")!;
  // Each glance finds it waiting at one place. The first stop finds it at work, the others where it was.
  let glances = 0;
  const found = await watch(3000, () => glances === 1 ? { ...idle, like: recorded.queue } : idle, {
    glance: () => ({ running: false, ran: glances++, place: "7 0x0", stackPointer }),
  });
  assertEquals(found.map(({ kind }) => kind), []);
});

Deno.test("where functions do not tell, the system call does: waiting for events is idling", async () => {
  const [{ registers }] = simulated(new FastClock(0, () => {}), () => idle).threads;
  const stackPointer = registers.get("sp")!;
  for (const isForEvents of [true, false]) {
    const glance = () => ({ running: false, ran: 0, place: "22 0x0", stackPointer, isForEvents });
    const found = await watch(2000, () => idle, { idle: [], glance });
    assertEquals(found.length === 0, isForEvents);
  }
});

Deno.test("a block above the limit is a hang with its stacks; one below it is none, nor is idling", async () => {
  const between = (time: number, from: number, to: number) => time >= from && time < to;
  const found = await watch(
    10_000,
    (time) =>
      between(time, 2000, 2200)
        ? { like: recorded.queue, running: false }
        : between(time, 4000, 5000)
        ? { like: recorded.queue, running: false }
        : between(time, 7000, 9500)
        ? { like: time % 100 < 50 ? recorded.spin : recorded.leaf, running: true }
        : idle,
  );
  const ended = found.filter(({ ended }) => ended === "idle");
  assertEquals(ended.map(({ kind, severity }) => [kind, severity]), [
    ["blocked", "hang"],
    ["busy", "severe"],
  ]);
  const [blocked, busy] = ended;
  assert(Math.abs(blocked.milliseconds - 1000) <= blocked.period * 1.25, `${blocked.milliseconds}`);
  assert(blocked.atLeast <= 1000 && blocked.atMost! >= 1000);
  assertEquals(blocked.signature.parts, [
    "hang",
    "libworkers.dylib queue_wait",
    "libworkers.dylib queue_pop",
    "demo worker_queue",
  ]);
  assertEquals(blocked.looks.length, 1);
  assertEquals(blocked.stacks[0][1].symbol, "queue_wait");
  assertEquals(Date.parse(blocked.began) > Date.UTC(2026, 0, 1) + 3900, true);
  // The two functions that it ran have nothing in common but what called them.
  assertEquals(busy.stacks.map(([{ symbol }]) => symbol).sort(), ["leaf_count", "spin_inner"]);
  assert(busy.looks.length > 10 && busy.looks.at(-1)!.cpu > 2000);
  assertEquals(blocked.threads.length, 7);
  // What was told while a hang went on has its number.
  assertEquals([...new Set(found.map(({ serial }) => serial))], [1, 2]);
  assert(found.some(({ ended, milliseconds }) => ended === null && milliseconds > 1000));
  assertEquals(readHang(JSON.stringify(blocked), "hang.json"), blocked);
});

Deno.test("a hang that lasts: its looks and stacks stay few, and the end of the watch is told", async () => {
  const threads = [recorded.lock, recorded.spin, recorded.leaf, recorded.queue, recorded.relay];
  const long = 600_000;
  const found = await watch(long, (time) =>
    time < 100 ? idle : {
      like: threads[Math.floor(time / 30) % threads.length],
      running: true,
    });
  const last = found.at(-1)!;
  assertEquals(last.ended, "unwatched");
  assert(last.milliseconds > long - 1000 && last.atMost === null);
  assert(found.length < 20, `${found.length} told`);
  assert(last.looks.length <= 1024 && last.stacks.length === 5);
  const looks = last.looks.reduce((sum, { looks }) => sum + looks, 0);
  assert(looks > 11_000, `${looks} looks are counted`);
});

Deno.test("a condition of one's own is told once each time it begins to hold; one that fails is said once", async () => {
  const said: string[] = [];
  const options: HangOptions = { problem: (text) => said.push(text) };
  const found = await watch(10_000, () => idle, {
    ...options,
    trigger: ({ target }) => {
      const seconds = Math.floor(Number(target.pid) && clockSeconds++ / 100);
      return seconds % 2 === 1;
    },
  });
  assertEquals(
    found.map(({ kind, ended, signature: { parts } }) => [kind, ended, parts[0]]),
    [["trigger", "idle", "trigger"]],
  );
  assertEquals(said, []);
  await watch(1000, () => idle, {
    ...options,
    trigger: () => {
      throw new Error("no such thing");
    },
  });
  assertEquals(said, ["the trigger failed: no such thing"]);
});
let clockSeconds = 0;

Deno.test("rates, limits and threads that cannot be", async () => {
  for (
    const [options, message] of [
      [{ rate: 10 }, "from 20 to 50"],
      [{ rate: 25, limit: 50 }, "80 ms at least"],
      [{ thread: "nobody" }, "no thread named nobody"],
    ] as const
  ) await assertRejects(() => watch(1000, () => idle, options), RangeError, message);
});

Deno.test("a day: every hang is counted, and neither memory nor disk grows", async () => {
  const day = 24 * 3_600_000;
  const kinds = [recorded.lock, recorded.queue, recorded.spin, recorded.relay];
  // One block every two minutes. A third of them are below the limit by more than a look's period.
  const lengths = [900, 180, 2600, 400, 150, 520];
  const cycle = 120_000;
  const schedule: Schedule = (time) => {
    const number = Math.floor(time / cycle);
    const inside = time - number * cycle - 1000;
    if (inside < 0 || inside >= lengths[number % lengths.length]) return idle;
    const like = kinds[number % kinds.length];
    return { like, running: like === recorded.spin };
  };
  const controller = new AbortController();
  const clock = new FastClock(day, () => controller.abort());
  using target = simulated(clock, schedule);
  const folder = new MemoryFolder();
  const said: string[] = [];
  const store = new HangStore(folder, { maxSize: 2 << 20, problem: (text) => said.push(text) });
  let ended = 0;
  let most = 0;
  let heap = 0;
  for await (
    const hang of hangs(target, { clock, signal: controller.signal, idle: loop, rate: 20 })
  ) {
    store.add(hang);
    most = Math.max(most, folder.size);
    if (hang.ended === null) continue;
    const number = Math.floor((Date.parse(hang.began) - Date.UTC(2026, 0, 1)) / cycle);
    const length = lengths[number % lengths.length];
    assert(hang.atLeast <= length && hang.atMost! >= length, `${number}: ${hang.milliseconds}`);
    assert(Math.abs(hang.milliseconds - length) <= 1.25 * hang.period);
    if (++ended === 20) heap = Deno.memoryUsage().heapUsed;
  }
  const blocks = Math.floor(day / cycle);
  const long = lengths.filter((length) => length > 250).length;
  assertEquals(ended, blocks * long / lengths.length);
  assertEquals(store.counts.reduce((sum, { count }) => sum + count, 0), ended);
  assertEquals(store.count, kinds.length);
  assertEquals(said, []);
  assert(most < 2 << 20, `${most} bytes on disk`);
  const grown = Deno.memoryUsage().heapUsed - heap;
  assert(grown < 64 << 20, `${grown} bytes more in memory`);
  // Another watch goes on where this one ended.
  assertEquals(new HangStore(folder).counts, store.counts);
});

Deno.test("a full disk is said, nothing is half, and the next hang is kept when there is room", async () => {
  const [first] = await watch(
    3000,
    (time) => time > 1000 && time < 1600 ? { like: recorded.lock, running: false } : idle,
  );
  const [second] = await watch(
    3000,
    (time) => time > 1000 && time < 1600 ? { like: recorded.queue, running: false } : idle,
  );
  const folder = new MemoryFolder();
  const said: string[] = [];
  const store = new HangStore(folder, { problem: (text) => said.push(text) });
  assert(store.add(first) !== undefined);
  const before = new Map(folder.files);
  for (let room = 0; room < JSON.stringify(second).length + 200; room += 5000) {
    folder.capacity = folder.size + room;
    assertEquals(store.add(second), undefined);
    assertEquals(folder.files, before);
  }
  assertEquals(said.length, 1);
  assert(/was not written: No space left on device/.test(said[0]), said[0]);
  folder.capacity = Infinity;
  assertEquals(store.add(second)?.counts.count, 1);
  assertEquals(new HangStore(folder).count, 2);
});

Deno.test("of a busy hang that is kept already only a longer one is captured; all are counted", async () => {
  const folder = new MemoryFolder();
  const store = new HangStore(folder);
  const hangsAt = [[2000, 2600], [4000, 4500], [6000, 6400], [8000, 9500], [11_000, 11_500]];
  const waitsAt = [[14_000, 14_600], [16_000, 16_500]];
  const isIn = (spans: number[][], time: number) =>
    spans.some(([from, to]) => time >= from && time < to);
  const written: [number, number][] = [];
  const found = await watch(
    18_000,
    (time) =>
      isIn(hangsAt, time)
        ? { like: recorded.spin, running: true }
        : isIn(waitsAt, time)
        ? { like: recorded.lock, running: false }
        : idle,
    { captureFrom: (hang) => store.wholeFrom(hang) },
    (hang) => {
      store.add(hang);
      if (hang.ended === null) return;
      // On disk there is what was told.
      const [counts] = new HangStore(folder).counts;
      written.push([counts.count, counts.milliseconds]);
    },
  );
  const ended = found.filter(({ ended }) => ended !== null);
  assertEquals(ended.map(({ isBrief, threads }) => [isBrief ?? false, threads.length]), [
    [false, 7],
    [true, 1],
    [true, 1],
    [false, 7],
    [true, 1],
    // Of what waits, the others tell what for.
    [false, 7],
    [false, 7],
  ]);
  const [first, , , longest, , wait] = ended.map(({ milliseconds }) => milliseconds);
  assertEquals(written.slice(0, 5), [
    [1, first],
    [2, first],
    [3, first],
    [4, longest],
    [5, longest],
  ]);
  assertEquals(written.slice(5).map(([count]) => count), [1, 2]);
  assert(first < longest && wait > 500);
  const [busy] = store.counts.filter(({ milliseconds }) => milliseconds === longest);
  const sum = ended.slice(0, 5).reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  assertEquals([busy.total, busy.times.length], [sum, 5]);
  for (const [path, text] of folder.files) {
    if (path.endsWith("hang.json")) assertEquals(readHang(text, path).threads.length, 7);
  }
  // Whatever it is called, it is the thread that was watched.
  assert(ended.every((hang) => /: main, /.test(describeHang(hang))));
  const [, brief] = ended;
  assertEquals([brief.signature, brief.kind], [ended[0].signature, "busy"]);
});

Deno.test("a busy hang has the entry of all its looks in the end, and that of one a call further in or out", async () => {
  const [base] = await watch(
    3000,
    (time) => time > 1000 && time < 1600 ? { like: recorded.spin, running: true } : idle,
  );
  const ids = new Map<string, string>();
  const make = (number: number, names: string[], more: Partial<Hang> = {}): Hang => {
    const key = names.join();
    if (!ids.has(key)) ids.set(key, ids.size.toString(16).padStart(16, "0"));
    return {
      ...base,
      ...{ kind: "busy", ended: "idle" },
      signature: { id: ids.get(key)!, parts: ["hang", ...names] },
      began: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
      ...more,
    };
  };
  const folder = new MemoryFolder();
  const store = new HangStore(folder);
  const counts = () => store.counts.map(({ parts, count }) => [parts[1], count]).sort();
  // The first looks found what the loop calls.
  store.add(make(1, ["free", "loop", "main"], { ended: null, milliseconds: 300 }));
  store.add(make(1, ["loop", "main", "start"], { milliseconds: 800 }));
  assertEquals(counts(), [["loop", 1]]);
  store.add(make(2, ["next", "loop", "main"]));
  store.add(make(3, ["main", "start"]));
  store.add(make(4, ["next", "item", "loop"]));
  store.add(make(5, ["next", "loop", "main"], { kind: "blocked" }));
  assertEquals(counts(), [["loop", 3], ["next", 1], ["next", 1]]);
  assertEquals(folder.list().length, 3);
  assertEquals(new HangStore(folder).counts, store.counts);
  // What waits in a function is not what is busy in one that the same function calls, also for the next watch.
  store.add(make(6, ["run", "begin"], { kind: "blocked" }));
  store.add(make(7, ["parse", "run", "begin"]));
  const next = new HangStore(folder);
  next.add(make(8, ["draw", "run", "begin"]));
  const added = next.counts.map(({ parts, count }) => [parts[1], count]).slice(0, 3);
  assertEquals(added, [["draw", 1], ["parse", 1], ["run", 1]]);
});

Deno.test("the ring gives up the least severe hangs first, of those the oldest", async () => {
  const [base] = await watch(
    3000,
    (time) => time > 1000 && time < 1600 ? { like: recorded.lock, running: false } : idle,
  );
  const make = (number: number, severity: Hang["severity"]): Hang => ({
    ...base,
    signature: { id: number.toString(16).padStart(16, "0"), parts: ["hang", `f${number}`] },
    severity,
    began: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
  });
  const folder = new MemoryFolder();
  const store = new HangStore(folder, { maxCount: 3 });
  store.add(make(1, "severe"));
  store.add(make(2, "micro"));
  store.add(make(3, "hang"));
  store.add(make(4, "micro"));
  const left = () => store.counts.map(({ parts }) => parts[1]);
  assertEquals(left(), ["f4", "f3", "f1"]);
  store.add(make(5, "severe"));
  assertEquals(left(), ["f5", "f3", "f1"]);
  assertEquals(folder.list().length, 3);
  // One for which there is no room is not said to be anywhere.
  store.add(make(6, "severe"));
  assertEquals([left(), store.add(make(7, "micro"))], [["f6", "f5", "f1"], undefined]);
  // By size, too.
  const size = store.size;
  const smaller = new HangStore(folder, { maxSize: Math.ceil(size * 0.7) });
  assertEquals(smaller.counts.map(({ parts }) => parts[1]), ["f6", "f5"]);
});
