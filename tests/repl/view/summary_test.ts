/** What each thread is doing, on one screen. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Frame, Thread } from "../../../mod.ts";
import { textWidth } from "../../../repl/edit/width.ts";
import { Session } from "../../../repl/prompt/session.ts";
import { plain } from "../../../repl/view/style.ts";
import { isSystemPath } from "../../../lib/symbols/system_image.ts";
import { groupStacks, interestingFrame } from "../../../lib/target/stacks.ts";
import { indexRanges, summaryLines } from "../../../repl/view/summary.ts";

/** A frame as far as a summary looks at it: `image!function`, the image with its path. */
function frame(text: string, address = 1n): Frame {
  const [path, name] = text.split("!");
  const image = path === "" ? null : { path, name: path.slice(path.lastIndexOf("/") + 1) };
  const symbol = name === undefined ? null : { name };
  const isSystem = isSystemPath(path);
  const describe = () => name ?? "+ 0x10";
  const more = { function: name ?? null, isSystem, describe };
  return { address, inlined: false, image, symbol, ...more } as never;
}

function thread(
  index: number,
  frames: Frame[],
  state = "waiting",
  cpuUsage = 0,
  name = "",
): Thread {
  const walked = Object.assign(frames, { activations: frames, stopped: "null-record" });
  return { index, name, state, cpuUsage, backtrace: () => walked } as never;
}

const app = "/Applications/App";
const wide = { columns: 100, rows: 40 };

Deno.test("the first frame that is the program's own is what a thread does", () => {
  const wait = frame("/usr/lib/system/libsystem_kernel.dylib!mach_msg");
  const loop = frame("/System/Library/CoreFoundation!run_loop");
  const unnamed = frame(app);
  const own = frame(`${app}!main`);
  assertEquals(interestingFrame([wait, loop, unnamed, own]), own);
  assertEquals(interestingFrame([frame("/lib/libc.so"), wait, loop]), wait);
  assertEquals(interestingFrame([unnamed]), unnamed);
  assertEquals(interestingFrame([]), undefined);
  const inlined = { ...own, function: "take", symbol: null } as Frame;
  assertEquals(interestingFrame([wait, inlined, own]), inlined);
  // What a language's library compiles into the program says less than what called it.
  const library = [
    "_ZL20__gthread_mutex_lockP15pthread_mutex_t",
    "_ZNSt5mutex4lockEv",
    "_ZNSt10lock_guardISt5mutexEC2ERS0_",
    "std::thread::join()",
    "_ZN4core3ops8function6FnOnce9call_once17h0123456789abcdefE",
    "_RNvNtNtCs4fqI2P2rA04_3std6thread5parks",
    "runtime.gopark",
  ].map((name) => frame(`${app}!${name}`));
  assertEquals(interestingFrame([wait, ...library, own]), own);
  assertEquals(interestingFrame([wait, ...library]), library[0]);
  // Ordinary names are not taken for those.
  for (const name of ["_ZN4bank5storeEv", "standard", "runtime_check"]) {
    const other = frame(`${app}!${name}`);
    assertEquals(interestingFrame([other, own]), other);
  }
});

Deno.test("equal stacks are one group; the main thread is first, then who uses the CPU, then the rest", () => {
  const idle = () => [frame("/usr/lib/a!wait", 5n), frame(`${app}!pool`, 6n)];
  const threads = [
    thread(0, [frame(`${app}!main`, 2n)]),
    thread(1, idle()),
    thread(2, idle()),
    thread(3, [frame(`${app}!spin`, 3n)], "running", 0.4),
    thread(4, idle()),
    thread(5, [frame(`${app}!burn`, 4n)], "running", 0.9),
    thread(6, [frame("/usr/lib/a!wait", 5n), frame(`${app}!pool`, 7n)]),
    thread(7, [frame(`${app}!spin`, 9n)], "waiting", 0.9),
  ];
  assertEquals(
    groupStacks(threads).map(({ threads }) => indexRanges(threads)),
    ["0", "5", "3", "1-2, 4", "6", "7"],
  );
  const lines = summaryLines(threads, threads[2], wide, plain);
  assertMatch(lines[1], /^ {2} {5}5 .* running +90% {2}spinning: burn {2}App$/);
  assertMatch(lines[3], /^\* 1-2, 4 {2}waiting +0% {2}3 threads: pool {2}App$/);
  assertEquals(lines.filter((line) => line.includes("spinning")).length, 2);
  // What has been used since the last pause counts, where that is known.
  const other = summaryLines(threads, undefined, wide, plain, ({ index }) => index === 3 ? 1 : 0);
  assertMatch(other[1], / 3 .* 100% {2}spinning: spin/);
});

Deno.test("no more lines than the screen has, none longer than it is wide", () => {
  const threads = Array.from(
    { length: 100 },
    (_, index) =>
      thread(
        index,
        [frame(`${app}!function_${index}_of_many_with_a_long_name`, BigInt(index))],
        "waiting",
        0,
        `worker ${index} \x1b[2J 漢字漢字`,
      ),
  );
  for (const columns of [30, 50, 80, 200]) {
    const lines = summaryLines(threads, threads[0], { columns, rows: 24 }, plain);
    assert(lines.length <= 21, `${columns}: ${lines.length}`);
    for (const line of lines.slice(0, -1)) assert(textWidth(line) <= columns, line);
    assertMatch(lines.at(-1)!, /^ {2}\(\d+ more threads: `bt all --unique`/);
    assert(!lines.join("").includes("\x1b"));
  }
  assertEquals(summaryLines([], undefined, wide, plain), []);
});

Deno.test("a thread's share of a CPU is that since the last pause, where it ran long enough", async () => {
  let used = 5_000_000_000n;
  const target = {
    kind: "live",
    paused: false,
    get threads() {
      return [{ id: 1n, index: 0, userTime: used, systemTime: 7n, cpuUsage: 0.01 }];
    },
    pause: () => (target.paused = true, { resume: () => void (target.paused = false) }),
  };
  const session = new Session(plain);
  session.open({ target: target as never, [Symbol.dispose]() {} });
  session.pause();
  assertEquals(session.cpuUsage(session.threads()[0]), 0.01);
  session.resume();
  session.pause();
  assertEquals(session.cpuUsage(session.threads()[0]), 0.01);
  session.resume();
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 80));
  used += 40_000_000n;
  session.pause();
  const share = session.cpuUsage(session.threads()[0]);
  assert(share <= 0.5 && share >= 30 / (performance.now() - began), `${share}`);
});
