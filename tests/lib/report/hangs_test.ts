/** Hangs, samples, resource reports and memory: what their stacks and tables show, and what they do not. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  attributeReport,
  explainReport,
  readReport,
  symbolicateReport,
} from "../../../lib/report/mod.ts";

function explained(text: string) {
  const report = readReport(text, "x");
  const { happened, thread, firstOwn } = explainReport(report);
  const { verdict, absent, library, deciding } = attributeReport(report);
  return { text: happened.join("\n"), thread, firstOwn, verdict, absent, library, deciding };
}

/** A heaviest stack as spindump prints it: outermost first, each with its samples. */
const heaviest = (lines: readonly string[], of = "the target process") =>
  `Date/Time:        2026-01-02 03:04:05.000 +0000
OS Version:       macOS 15.0 (Build 24A335)
Report Version:   60
Command:          Shop
Path:             /Applications/Shop.app/Contents/MacOS/Shop
PID:              77
Event:            hang
Duration:         2.00s

Heaviest stack for ${of}:
${lines.map((line) => `  ${line}`).join("\n")}

`;

Deno.test("a heaviest stack that ends in the kernel: the program's frame, and what waits for the lock", () => {
  const { text, library, verdict } = explained(heaviest([
    "14  start + 1 (libdyld.dylib + 93913) [0x7fff74f77ed9]",
    "14  -[NSApplication run] + 699 (AppKit + 82277) [0x7fff45280165]",
    "14  openPicture + 40 (Shop + 4000) [0x106d38c5c]",
    "14  CGContextDrawImage + 51 (CoreGraphics + 210463) [0x7fff4817d61f]",
    "14  Codec::acquire() + 24 (ImageIO + 526358) [0x7fff4a8ea816]",
    "14  _pthread_mutex_firstfit_lock_slow + 226 (libsystem_pthread.dylib + 5303) [0x7fff751694b7]",
    "14  __psynch_mutexwait + 10 (libsystem_kernel.dylib + 15990) [0x7fff750b3e76]",
    "*14  psynch_mtxcontinue + 0 (pthread + 10095) [0xffffff7f8238976f]",
  ], "the main thread of the target process"));
  assertStringIncludes(
    text,
    "The heaviest stack of the main thread: blocked on a pthread mutex in 14 of 14 samples (100%), " +
      "in Codec::acquire() (ImageIO), called by openPicture (Shop).",
  );
  assertEquals([verdict, library], ["program", "Shop"]);
});

Deno.test("a heaviest stack that samples leave on the way: the others are not where they left it", () => {
  const { text, thread, deciding } = explained(heaviest([
    "20  thread_start + 15 (libsystem_pthread.dylib + 9339) [0x7fff2033547b]",
    "20  pump + 40 (Shop + 4000) [0x106d38c5c]",
    "12  step + 40 (Shop + 5000) [0x106d39c5c]",
    "3   leaf + 40 (Shop + 6000) [0x106d3ac5c]",
  ]));
  assertStringIncludes(text, "12 of 20 samples (60%) went through step (Shop)");
  assertStringIncludes(text, "its end is in leaf (Shop): 3 of 20 samples (15%)");
  assert(!text.includes("8 of 20"), text);
  // Of functions that as many went through, one with a name.
  const nameless = explained(heaviest([
    "20  thread_start + 15 (libsystem_pthread.dylib + 9339) [0x7fff2033547b]",
    "20  pump + 40 (Shop + 4000) [0x106d38c5c]",
    "12  step + 40 (Shop + 5000) [0x106d39c5c]",
    "12  ??? (Shop + 5500) [0x106d39e50]",
    "3   leaf + 40 (Shop + 6000) [0x106d3ac5c]",
  ])).text;
  assertStringIncludes(nameless, "12 of 20 samples (60%) went through step (Shop)");
  // One stack, numbered from its innermost frame.
  assertEquals(thread?.frames.map(({ index, symbol }) => [index, symbol])[0], [0, "leaf"]);
  assertEquals([deciding?.frame.index, deciding?.frame.symbol], [0, "leaf"]);
});

Deno.test("where time went: a part of a function is called by the function's name", () => {
  const { text } = explained(heaviest([
    "9  main + 15 (Shop + 9339) [0x106d3547b]",
    "9  evaluate.cold.1 + 40 (Shop + 4000) [0x106d38c5c]",
  ]));
  assertStringIncludes(text, "mostly in evaluate (Shop): ");
});

Deno.test("code that is made at run time is not that of the image before it", () => {
  const { deciding } = explained(heaviest([
    "9  thread_start + 15 (libsystem_pthread.dylib + 9339) [0x7fff2033547b]",
    "9  evaluate + 40 (Shop + 4000) [0x106d38c5c]",
    "9  ??? (<CF9CB7F2-097E-3EA3-AE95-01C161AAAE00> + 58704628208) [0xeb30a89f0]",
  ]));
  assertEquals(deciding?.frame.symbol, "evaluate");
});

/** A sample of a main thread. */
const sampled = (lines: readonly string[]) =>
  `Analysis of sampling Shop (pid 77) every 1 millisecond
Process:         Shop [77]
Path:            /Applications/Shop.app/Contents/MacOS/Shop
Call graph:
    10 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
${lines.map((line) => `    + ${line}`).join("\n")}

Total number in stack (recursive counted multiple, when >=5):
`;
const run = "10 -[NSApplication run]  (in AppKit) + 699  [0x7fff45280165]";

Deno.test("a run loop that a framework runs within that of the main thread is no idle one", () => {
  const wait = (runner: string) =>
    explained(sampled([
      run,
      "  10 _DPSNextEvent  (in AppKit) + 997  [0x7fff45287363]",
      `    10 ${runner}  [0x7fff4a133c6a]`,
      "      10 CFRunLoopRunSpecific  (in CoreFoundation) + 463  [0x7fff47d35d48]",
      "        10 __CFRunLoopRun  (in CoreFoundation) + 1200  [0x7fff47d368ba]",
      "          10 __CFRunLoopServiceMachPort  (in CoreFoundation) + 327  [0x7fff47d37100]",
      "            10 mach_msg_trap  (in libsystem_kernel.dylib) + 10  [0x7fff750b3e00]",
    ])).text;
  assertStringIncludes(
    wait("-[NSConcreteTask waitUntilExit]  (in Foundation) + 131"),
    "in a run loop that -[NSConcreteTask waitUntilExit] (Foundation) runs within another",
  );
  assertStringIncludes(wait("RunCurrentEventLoopInMode  (in HIToolbox) + 293"), "idle in 10 of 10");
});

Deno.test("time that is spread over many functions: which had most, and what they have in common", () => {
  const lines = Array.from(
    { length: 60 },
    (_, at) =>
      `    1 leaf${at % 20}  (in Shop) + ${at}  [0x${(0x106d40000 + at * 64).toString(16)}]`,
  );
  const { text, thread } = explained(
    sampled([
      run.replace("10", "60"),
      "  60 tick  (in Shop) + 10  [0x106d38c5c]",
      ...lines,
      "    1 leaf7  (in Shop) + 99  [0x106d4f000]",
    ]).replace("10 Thread_1", "61 Thread_1").replace("60 -[NS", "61 -[NS")
      .replace("60 tick", "61 tick"),
  );
  assertStringIncludes(text, "in many functions, most often in leaf7 (Shop): 4 of 61 samples (7%)");
  assertEquals(thread?.frames.map(({ symbol }) => symbol), ["tick", "-[NSApplication run]"]);
});

Deno.test("a main thread that waits for the one thread that works: the sample is about that", () => {
  const waiting = [
    run,
    "  10 Pool::join()  (in Shop) + 10  [0x106d38c5c]",
    "    10 _pthread_cond_wait  (in libsystem_pthread.dylib) + 722  [0x7fff689234a0]",
    "      10 __psynch_cvwait  (in libsystem_kernel.dylib) + 10  [0x7fff688638f6]",
  ];
  const worker = (id: number, name: string) => [
    `    10 Thread_${id}: ${name}`,
    "      10 thread_start  (in libsystem_pthread.dylib) + 15  [0x7fff6891db8b]",
    `        10 ${name}  (in Shop) + 40  [0x106d3${id}c5c]`,
  ];
  const of = (...threads: string[][]) =>
    explained(
      sampled(waiting).replace("\n\nTotal", `\n${threads.flat().join("\n")}\n\nTotal`),
    );
  const one = of(worker(2, "pack"));
  assertStringIncludes(one.text, "The main thread: blocked on a condition variable in 10 of 10");
  assertStringIncludes(one.text, 'Thread 1 "pack" did not only wait: mostly in pack (Shop)');
  assertEquals([one.thread?.index, one.deciding?.frame.symbol], [1, "pack"]);
  // Of two that work nothing says which one it waits for.
  const two = of(worker(2, "pack"), worker(3, "send"));
  assertEquals([two.thread?.index, two.deciding?.frame.symbol], [0, "Pool::join()"]);
});

Deno.test("on what occasion all samples were, and stacks that have as many samples", () => {
  const { text } = explained(sampled([
    run,
    "  6 -[NSApplication terminate:]  (in AppKit) + 1384  [0x7fff45280200]",
    "    6 closeAll  (in Shop) + 10  [0x106d38c5c]",
    "  4 -[NSApplication terminate:]  (in AppKit) + 1400  [0x7fff45280210]",
    "    4 saveAll  (in Shop) + 10  [0x106d39c5c]",
  ]));
  assertStringIncludes(text, "mostly in closeAll (Shop): 6 of 10 samples (60%)");
  assertStringIncludes(text, "All of it was while the app was quitting.");
  const tied = explained(sampled([
    run,
    "  5 closeAll  (in Shop) + 10  [0x106d38c5c]",
    "  5 saveAll  (in Shop) + 10  [0x106d39c5c]",
  ])).text;
  assert(
    /among others in (?:save|close)All \(Shop\): 5 of 10 .*, and as often in/.test(tied),
    tied,
  );
  assert(!tied.includes("All of it"), tied);
});

Deno.test("a process that a debugger paused: what its main thread waits for, and methods with their arguments' values", () => {
  const { text, deciding } = explained(
    `* thread #1, queue = 'com.apple.main-thread', stop reason = signal SIGSTOP
    frame #0: 0x000000018a460e64 libsystem_kernel.dylib\`__psynch_mutexwait + 8
    frame #1: 0x000000018a52cb8c libsystem_pthread.dylib\`_pthread_mutex_lock_wait + 96
    frame #2: 0x0000000189ed7f28 libobjc.A.dylib\`objc_sync_enter + 28
  * frame #3: 0x0000000101ffc47c Shop\`-[Cart(self=0x0000000170136260, _cmd="add:to:", item=@"a(b)") add:to:] at Cart.m:108
`,
  );
  assertEquals(
    text,
    "A debugger paused the process: nothing crashed.\nThe main thread: blocked on a pthread mutex.\n" +
      "This part of the report does not say which thread holds it.",
  );
  assertEquals([deciding?.frame.symbol, deciding?.frame.line], ["-[Cart add:to:]", 108]);
});

Deno.test("a stack that recursion filled is the recursing function's, not the last one's that was called", () => {
  const frames = [
    "libobjc.A.dylib 0x00007fff6789f3d5 objc_loadWeakRetained + 5",
    "Shop 0x0000000103f29d83 -[Cart peek] + 20",
    ...Array.from({ length: 500 }, () => "Shop 0x0000000103f24cb3 -[Cart visit] + 40"),
  ].map((frame, at) => `${at} ${frame}`).join("\n");
  const { text, deciding } = explained(`Process:               Shop [77]
Path:                  /Applications/Shop.app/Contents/MacOS/Shop
OS Version:            macOS 13.0.1 (22A400)

Crashed Thread:        0

Exception Type:        EXC_BAD_ACCESS (SIGBUS)
Exception Codes:       KERN_PROTECTION_FAILURE at 0x0000700004753ff8

VM Region Info: 0x700004753ff8 is in 0x700004753000-0x700004754000
--->  STACK GUARD              700004753000-700004754000 [    4K] ---/rwx SM=NUL  stack guard for thread 0

Thread 0 Crashed:
${frames}
`);
  assertStringIncludes(text, "-[Cart visit] is on it 500 times in 502 frames");
  assertEquals([deciding?.frame.index, deciding?.frame.symbol], [2, "-[Cart visit]"]);
});

Deno.test("a header of a spindump alone says how long its process did not answer", () => {
  const header = (line: string) =>
    explained(`Date/Time:       2026-01-02 03:04:05 +0000
OS Version:      10.10.5 (Build 14F1021)
Report Version:  21
Command:         Shop
Path:            /Applications/Shop.app/Contents/MacOS/Shop
PID:             77
${line}
`).text;
  assertEquals(
    header("Duration:        9.99s (process was unresponsive for 77 seconds before sampling)"),
    "Unresponsive for 77 seconds before sampling. What it was doing was cut off.",
  );
  assertStringIncludes(header("Duration:        9.99s"), "Only the header");
});

Deno.test("a JetsamEvent's largest process is not called the one that ended", () => {
  const body = {
    largestProcess: "Shop",
    memoryStatus: { pageSize: 16384 },
    processes: [{ name: "other", rpages: 84, states: ["idle"] }],
  };
  const { headline, happened } = explainReport(
    readReport(`{"bug_type":"298"}\n${JSON.stringify(body)}`, "x"),
  );
  assertEquals(headline, "memory: JetsamEvent");
  assertStringIncludes(
    happened.join("\n"),
    "The largest process was Shop; that it was ended is not said.",
  );
});

Deno.test("a JetsamEvent: whose it is by the reason, and the app that a part belongs to", () => {
  const event = (reason: string) =>
    explained(`{"bug_type":"298","os_version":"iPhone OS 17.1"}\n${
      JSON.stringify({
        memoryStatus: { pageSize: 16384 },
        largestProcess: "Cart App",
        processes: [
          { name: "Cart App", rpages: 9000, pid: 10 },
          { name: "org.shop.cart-app.Mail", rpages: 960, pid: 11, reason },
        ],
      })
    }`);
  const own = event("per-process-limit");
  assertStringIncludes(own.text, "By its name it is a part of Cart App, such as an extension.");
  assertEquals([own.verdict, own.absent], ["none", "limit"]);
  assertEquals(event("vm-pageshortage").absent, "memory");
});

/** A sample of a main thread that was always on one stack, innermost first, and of other threads. */
const always = (frames: readonly string[], more = "") =>
  `Analysis of sampling Shop (pid 77) every 1 millisecond
Process:         Shop [77]

Call graph:
    9 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
${
    frames.toReversed().map((frame, depth) => {
      const [symbol, image = "libsystem_kernel.dylib"] = frame.split(" in ");
      return `    ${"  ".repeat(depth)}+ 9 ${symbol}  (in ${image}) + 8  [0x7fff6842a08${depth}]`;
    }).join("\n")
  }
${more}`;

Deno.test("what a system call with several uses waits for, by the functions around it", () => {
  const cases: readonly (readonly [what: string, frames: readonly string[]])[] = [
    ["the end of a thread", ["__ulock_wait", "_pthread_join in libsystem_pthread.dylib"]],
    ["the end of a thread", ["__semwait_signal", "_pthread_join in libsystem_pthread.dylib"]],
    ["a lock (os_unfair_lock)", [
      "__ulock_wait",
      "_os_unfair_lock_lock_slow in libsystem_platform.dylib",
    ]],
    ["a dispatch group", [
      ...["__ulock_wait", "_dispatch_ulock_wait in libdispatch.dylib"],
      "_dispatch_wait_on_address in libdispatch.dylib",
      "_dispatch_group_wait_slow in libdispatch.dylib",
    ]],
    ["a dispatch queue", [
      ...["kevent_id", "_dispatch_kq_poll in libdispatch.dylib"],
      "_dispatch_event_loop_wait_for_ownership in libdispatch.dylib",
      "__DISPATCH_WAIT_FOR_QUEUE__ in libdispatch.dylib",
    ]],
    ["a pthread mutex", ["semaphore_wait_signal_trap", "pthread_mutex_lock in libSystem.B.dylib"]],
    ["a sleep", ["__semwait_signal", "nanosleep in libsystem_c.dylib"]],
    ["a lock or another thread", ["__ulock_wait", "unknown in libsystem_c.dylib"]],
    ["a read of a file, pipe or socket", ["read"]],
    ["a reply from another process or from the kernel", [
      ...["mach_msg_trap", "mach_msg", "__CFRunLoopServiceMachPort in CoreFoundation"],
      ...["__CFRunLoopRun in CoreFoundation", "CFRunLoopRunSpecific in CoreFoundation"],
      "CFMessagePortSendRequest in CoreFoundation",
    ]],
  ];
  for (const [what, frames] of cases) {
    const { text } = explained(always([...frames, "load in Shop", "main in Shop"]));
    assertStringIncludes(text, `blocked on ${what} in 9 of 9 samples`);
  }
  // What a function of the program waits for is the program's.
  const signal = explained(always(["__sigsuspend", "feed in Shop", "main in Shop"]));
  assertStringIncludes(signal.text, "blocked, waiting for a signal in 9 of 9 samples");
  assertEquals([signal.verdict, signal.deciding?.frame.symbol], ["program", "feed"]);
  // A server's loop receives its messages by itself.
  const server = explained(always([
    ...["mach_msg_trap", "mach_msg", "Mach::Server::runServerThread(bool) in Security"],
    "main in securityd",
  ])).text;
  assertStringIncludes(server, "which is an event loop's or waits for a reply");
});

Deno.test("a thread in the file system does not only wait; a call of the kernel that is not known is no work", () => {
  const idle = [
    ...["mach_msg_trap", "mach_msg", "__CFRunLoopServiceMachPort in CoreFoundation"],
    ...["__CFRunLoopRun in CoreFoundation", "-[NSApplication run] in AppKit", "main in Shop"],
  ];
  const { text } = explained(always(
    idle,
    "    9 Thread_2\n    + 9 find  (in Shop) + 8  [0x106d38c5c]\n    +   9 stat64  (in libsystem_kernel.dylib) + 8  [0x7fff6842b085]\n",
  ));
  assertStringIncludes(text, "Thread 1 did not only wait: in the file system (stat64) in 9 of 9");
  const killed = explained(`Process:         Shop [77]
Path:            /private/var/containers/Bundle/Application/X/Shop.app/Shop
OS Version:      iPhone OS 17.1 (21B74)

Exception Type:  EXC_CRASH (SIGKILL)
Termination Reason: FRONTBOARD 0x8badf00d

Thread 0 Crashed:
0   libsystem_kernel.dylib         0x00000001e94ffcc0 __ioctl + 8
1   Shop                           0x0000000104980000 main + 8
`).text;
  assertStringIncludes(killed, "Thread 0 at that moment: in a call of the kernel (__ioctl).");
});

Deno.test("most often is what no function beats over all of its stacks", () => {
  const of = (callers: readonly number[]) =>
    explained(`Analysis of sampling Shop (pid 77) every 1 millisecond
Process:         Shop [77]

Call graph:
    20 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
    + 6 draw  (in Shop) + 8  [0x106d38c5c]
${
      callers.map((count, at) =>
        `    + ${count} step${at}  (in Shop) + 8  [0x106d39c5${at}]\n` +
        `    +   ${count} hash  (in Shop) + 8  [0x106d40c5c]`
      ).join("\n")
    }
`).text;
  assertStringIncludes(of([5, 5, 4]), "among others in draw (Shop): 6 of 20 samples (30%)");
  assertStringIncludes(of([2, 2, 2]), "most often in draw (Shop): 6 of 12 samples (50%)");
});

Deno.test("why a spindump was taken; a JetsamEvent without the processes that were ended", () => {
  const asked = explained(
    heaviest(["9  main + 8 (Shop + 4000) [0x106d38c5c]"]).replace(
      "Event:            hang",
      "Reason:           agentd returned not alive\nEvent:            service process watchdog",
    ),
  ).text;
  assertStringIncludes(asked, "It says: agentd returned not alive");
  const cut = explained(
    '{"bug_type":"298"}\n{"largestProcess":"Cart","processes":[{"name":"Cart","rpages":9,"pid":1}]}',
  ).text;
  assertStringIncludes(cut, "which, and why, is not in the report");
  assert(!cut.includes("Memory was short"), cut);
});

Deno.test("a copy that ends in what only calls others tells no shares; a worker is not the main thread", () => {
  const tree = (lines: readonly string[], rest = "") =>
    explained(`Analysis of sampling Shop (pid 77) every 1 millisecond
Process:         Shop [77]

Call graph:
    20 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
${lines.map((line) => `    + ${line} + 8  [0x7fff8a477fb9]`).join("\n")}
${rest}`).text;
  const cut = [
    "20 main  (in Shop)",
    "  20 step  (in Shop)",
    "    5 draw  (in Shop)",
    "    4 RunCurrentEventLoopInMode  (in HIToolbox)",
  ];
  assertStringIncludes(tree(cut), "The main thread: called step (Shop).\nThe copy ends within");
  const whole = tree(cut, "\nTotal number in stack (recursive counted multiple, when >=5):\n");
  assertStringIncludes(whole, "mostly in step (Shop): 11 of 20 samples (55%)");
  const worker = tree([
    "20 start_wqthread  (in libsystem_pthread.dylib)",
    "  20 _dispatch_root_queue_drain  (in libdispatch.dylib)",
    "    20 hash  (in Shop)",
  ]);
  assertStringIncludes(worker, 'Thread 0 "com.apple.main-thread": mostly in hash (Shop): 20 of 20');
  assert(!worker.includes("The main thread"), worker);
});

Deno.test("an old spindump: the kernel's part of the same samples, and the main queue by its number", () => {
  const { text } = explained(`Date/Time:       2026-01-02 03:04:05 -0500
OS Version:      10.7.3 (Build 11D50b)
Report Version:  9
Command:         Shop
PID:             77
Event:           hang
Duration:        1.70s

Process:         Shop [77]

  Thread 0x5a1b     DispatchQueue 1          priority 47
  User stack:
    18 start + 52 (in Shop) [0x100001634]
      14 load + 9 (in Shop) [0x100001649]
        14 read + 10 (in libsystem_kernel.dylib) [0x7fff8b63267a]
      4 draw + 9 (in Shop) [0x100001749]
  Kernel stack:
    18 read_nocancel + 0 (in mach_kernel) [0xffffff800021aae0]
`);
  assertStringIncludes(
    text,
    "The main thread: blocked on a read of a file, pipe or socket in 14 of 18 samples (78%), called by load (Shop).",
  );
});

Deno.test("a stack of a hang without an exception tells what it waits for", () => {
  const { text } = explained(`com.apple.main-thread
0  libsystem_kernel.dylib         0x182cbbde8 mach_msg_trap + 8
1  libsystem_kernel.dylib         0x182cbbc60 mach_msg + 72
2  IOKit                          0x183523bb8 io_connect_method + 416
3  Shop                           0x1027beb90 -[Cart init] (Cart.m:89)
`);
  assertStringIncludes(
    text,
    "Thread 0: blocked on a reply from another process or from the kernel.",
  );
});

Deno.test("a spindump of several processes: the one that did not answer is looked at", () => {
  const process = (title: string, note: string, frame: string) =>
    `Process:          ${title}
CPU Time:         ${note === "" ? "3.000" : "0.010"}s
${note}
  Thread 0x${title.length}1    DispatchQueue "com.apple.main-thread"(1)    9 samples (1-9)
  9  start + 1 (dyld + 25360) [0x7ff806675310]
    9  ${frame} + 4 (${title.split(" ")[0]} + 4660) [0x10b4d1234]

`;
  const { text } = explained(`Date/Time:        2026-01-02 03:04:05.000 +0000
Report Version:   60
Duration:         5.00s

${process("Busy [7]", "", "work")}${
    process("Shop [77]", "Note:             Unresponsive for 33 seconds before sampling", "load")
  }`);
  assertStringIncludes(text, "Unresponsive: Shop [77] (for 33 seconds before sampling).");
  assertStringIncludes(
    text,
    "In Shop [77], which computed for 0.01 s, the main thread: mostly in load",
  );
});

Deno.test("a single sample at the end of a heaviest stack decides nothing; shares are not rounded to all", () => {
  const { text, deciding } = explained(heaviest([
    "6  thread_start + 15 (libsystem_pthread.dylib + 9339) [0x7fff2033547b]",
    "6  bakeAll + 10 (MyApp + 100) [0x100000064]",
    "4  bakeBread + 10 (MyApp + 200) [0x1000000c8]",
    "2  bakeRoll + 10 (MyApp + 300) [0x10000012c]",
    "1  salt + 10 (MyApp + 400) [0x100000190]",
  ]));
  assertStringIncludes(text, "4 of 6 samples (67%) went through bakeBread (MyApp)");
  assertStringIncludes(
    text,
    ": so few samples show little.",
  );
  assert(!text.includes("salt"), text);
  assertEquals(deciding?.frame.symbol, "bakeBread");
});

Deno.test("how long a process did not answer is told once; a version without a build", () => {
  const report = readReport(
    "Command:          Bakery\nVersion:          3.0.2 ()\nEvent:            hang\n" +
      "Duration:         1.30s (process was unresponsive for 82 seconds before sampling)\n\n" +
      "Heaviest stack for the main thread of the target process:\n" +
      "  13  bake + 8 (Bakery + 3000) [0x104320bb8]\n",
    "x",
  );
  const { headline, happened } = explainReport(report);
  assertEquals(happened.join().split("82 seconds").length, 2, happened.join());
  assert(headline.startsWith("Bakery 3.0.2: hang"), headline);
});

Deno.test("a resource report whose stacks were cut off; a peak that is told only where it is larger", () => {
  const { text } = explained(
    "Command:         Bakery\nPath:            /Applications/Bakery.app/Bakery\nEvent:           cpu usage\n" +
      "Action taken:    none\nSteps:           15\n\nPowerstats for:  Bakery [77]\n",
  );
  assertStringIncludes(text, "Its stacks were cut off.");
  assert(!text.includes("0 of the 15"), text);
  const jetsam = explained(
    '{"bug_type":"298"}\n' + JSON.stringify({
      memoryStatus: { pageSize: 16384 },
      processes: [{ name: "till", rpages: 84, lifetimeMax: 87, pid: 2, reason: "highwater" }],
    }),
  );
  assert(!jetsam.text.includes("at most"), jetsam.text);
  const several = explained(
    '{"bug_type":"298"}\n' + JSON.stringify({
      memoryStatus: { pageSize: 16384 },
      processes: [
        { name: "till", rpages: 84, pid: 2, reason: "vm-pageshortage" },
        { name: "ovend", rpages: 9000, pid: 3, reason: "per-process-limit" },
        { name: "Bakery", rpages: 900, pid: 4, states: ["frontmost"], reason: "vm-pageshortage" },
      ],
    }),
  ).text;
  assert(several.indexOf("Bakery [4]") < several.indexOf("ovend [3]"), several);
  assert(several.indexOf("ovend [3]") < several.indexOf("till [2]"), several);
});

Deno.test("fields whose long lines were broken; the largest process beside damaged JSON", () => {
  const report = readReport(
    "OS Version:       iPhone OS 14.2 (Build 18B5072f)\nCommand:          ovend\nPath:            \n" +
      " /System/Library/Bakery/ovend\nEvent:            cpu usage\nAction taken:     none\n" +
      "CPU:              90 seconds cpu time over 150 seconds (60% cpu\n average), exceeding limit of 50%\n" +
      "Steps:            18\n\nHeaviest stack for the target process:\n" +
      "  18  bake + 8 (ovend + 3000) [0x104320bb8]\n",
    "x",
  );
  assertEquals(report.process.path, "/System/Library/Bakery/ovend");
  assertStringIncludes(
    explainReport(report).happened.join(),
    "CPU: 90 seconds cpu time over 150 seconds (60% cpu average), exceeding limit of 50%.",
  );
  const jetsam = explainReport(readReport(
    '{"bug_type":"298","os_version":"iPhone OS 14.2\n (18B5061e)"}\n{"largestProcess":"Till","processes":[\n' +
      '{"name":"Cart","rpages":2,"pid":1},\n.\n.\n{"rpages":9,"reason":"highwater","pid":2,"name":"ovend"}\n',
    "x",
  ));
  // The copy leaves processes out.
  assertEquals(jetsam.happened.at(-1), "The largest process was Till.");
  assertStringIncludes(jetsam.headline, "iPhone OS 14.2 (18B5061e)");
  const listed = explainReport(readReport(
    '{"bug_type":"298","os_version":"iPhone OS 14.2"}\n{"largestProcess":"Cart","processes":[\n' +
      '{"name":"Cart","rpages":20,"pid":1},\n.\n.\n{"rpages":9,"reason":"highwater","pid":2,"name":"ovend"}\n',
    "x",
  ));
  assertStringIncludes(listed.happened.join(), "The largest process was Cart; it was not ended.");
  assertStringIncludes(
    explained(
      "Event: hang\nDuration: 1.80s (process was unresponsive for 144 seconds before\nsampling)\nSteps: 19\n",
    ).text,
    "Duration: 1.80s.",
  );
});

Deno.test("without a heaviest stack it is that of the root with most samples that has callees", () => {
  const { text, deciding } = explained(`Command:         Bakery
Path:            /private/var/containers/Bundle/Application/0/Bakery.app/Bakery
Event:           cpu usage
Action taken:    none
Steps:           15

Powerstats for:  Bakery [77]
  11 ??? (libdyld.dylib + 4032) [0x1839a9fc0]
    11 bakeAll + 8 (Bakery + 1630896) [0x1044ae2b0]
      6  bakeBread + 8 (Bakery + 3000) [0x104320bb8]
        3  bakeRoll + 8 (Bakery + 4000) [0x104320fa0]
        3  bakeLoaf + 8 (Bakery + 5000) [0x104321388]
      2  salt + 8 (Bakery + 6000) [0x104321770]
      3  sugar + 8 (Bakery + 7000) [0x104321b58]
  4  ??? (libsystem_pthread.dylib + 2820) [0x183c77b04]
`);
  assertStringIncludes(
    text,
    "The heaviest stack: 11 of 15 samples (73%) went through bakeAll (Bakery)",
  );
  assert(!text.includes("4 of 15"), text);
  assert(deciding?.frame.symbol?.startsWith("bake"), deciding?.frame.symbol ?? "");
});

Deno.test("why a device was reset, by its boot faults; how long a process did not answer, by the sampled duration", () => {
  const causes = (faults: string) =>
    explainReport(readReport(
      `{"os_version":"iPhone OS 17.1","bug_type":"115","name":"Reset count"}\nReset count: 1\nBoot faults: ${faults}\n`,
      "x",
    )).causes;
  assertEquals(causes("rst wdog,reset_in_1"), ["a watchdog (wdog)"]);
  assertEquals(causes("btn_rst"), ["buttons held for a forced restart (btn_rst)"]);
  assertEquals(causes("").length, 3);
  const { text } = explained(
    "Event:            hang\nDuration:         38.98s\n" +
      "Duration Sampled: 1.10s (process was unresponsive for 38 seconds before sampling)\nSteps:            11\n",
  );
  assertStringIncludes(text, "Unresponsive for 38 seconds before sampling.");
});

Deno.test("functions that may wait do not, where no system call is on the stack", () => {
  const cases: readonly (readonly string[])[] = [
    ["_pthread_mutex_firstfit_unlock_slow in libsystem_pthread.dylib", "load in Shop"],
    ["pthread_mutex_lock in libsystem_pthread.dylib", "load in Shop"],
    ["_pthread_cond_signal in libsystem_pthread.dylib", "load in Shop"],
    [
      ...["_platform_memmove in libsystem_platform.dylib", "CFDataAppendBytes in CoreFoundation"],
      ...[
        "_dispatch_client_callout in libdispatch.dylib",
        "_dispatch_sync_f_slow in libdispatch.dylib",
      ],
      "load in Shop",
    ],
  ];
  for (const frames of cases) {
    const { text } = explained(always(frames));
    assert(!/blocked|waiting/.test(text), text);
    assertStringIncludes(text, `mostly in ${frames[0].split(" ")[0]}`);
  }
});

const spin = `Date/Time:        2026-01-02 03:04:05.000 +0000
OS Version:       macOS 15.0 (Build 24A335)
Report Version:   60

Command:          Cart
Path:             /Applications/Cart.app/Contents/MacOS/Cart
PID:              500

Event:            hang
Duration:         10.00s
Steps:            100 (100ms sampling interval)
Memory size:      16 GB

Heaviest stack for the main thread of the target process:
  100  start + 1 (dyld + 1) [0x1a0000001]
  100  main + 10 (Cart + 100) [0x100000064]
  100  read + 8 (libsystem_kernel.dylib + 8) [0x1a0000008]

Process:          Cart [500]
Path:             /Applications/Cart.app/Contents/MacOS/Cart
Footprint:        42.31 GB

  Thread 0x1e0f    DispatchQueue "com.apple.main-thread"(1)    100 samples (1-100)    priority 46
  100  start + 1 (dyld + 1) [0x1a0000001] 1-100
    100  main + 10 (Cart + 100) [0x100000064] 1-100
      100  read + 8 (libsystem_kernel.dylib + 8) [0x1a0000008] 1-100
`;

Deno.test("what another tool printed behind a spindump or a sample is not of it; a very large footprint", () => {
  const other = `Process:         Till [77]
Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
Reason:          all other things failed

Thread 0 Crashed:
0   Till      0x0000000100003039 bake + 4
`;
  const own = explained(spin);
  assertStringIncludes(own.text, "blocked on a read of a file, pipe or socket in 100 of 100");
  assertStringIncludes(own.text, "footprint was 42.31 GB, more than the 16 GB of the machine");
  for (const title of ["Custom Output:", "Process 77: 14 leaks for 320 total leaked bytes."]) {
    assertEquals(explained(`${spin}\n${title}\n${other}`), own, title);
  }
  const sample = `Analysis of sampling Cart (pid 500) every 1 millisecond
Process:         Cart [500]
Path:            /Applications/Cart.app/Contents/MacOS/Cart
Code Type:       ARM64
Report Version:  7

Call graph:
    100 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
      100 start  (in dyld) + 1  [0x1a0000001]
        100 main  (in Cart) + 10  [0x100000064]
          100 read  (in libsystem_kernel.dylib) + 8  [0x1a0000008]

Binary Images:
       0x100000000 -        0x100ffffff +Cart (1.0 - 1) <AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA> /Applications/Cart.app/Contents/MacOS/Cart
`;
  assertEquals(explained(`${sample}\nThe till:\n${other}`), explained(sample));
});

Deno.test("a service of the system that used much: a library without a path is the system's too", () => {
  const { verdict, deciding, library } = explained(`Date/Time:        2026-01-02 03:04:05.000 +0000
OS Version:       macOS 15.0 (Build 24A335)
Report Version:   60

Command:          cartd
Path:             /System/Library/PrivateFrameworks/CartKit.framework/Support/cartd
PID:              500

Event:            cpu usage
Action taken:     none
CPU:              90 seconds cpu time over 100 seconds

Heaviest stack for the target process:
  20  start_wqthread + 8 (libsystem_pthread.dylib + 7072) [0x1a2b3c4d0]
  18  ??? (cartd + 12345) [0x100003039]
  18  ??? (CartKitDaemon + 12345) [0x1c0003039]

Binary Images:
       0x100000000 -                ???  cartd (1) <AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA>  /System/Library/PrivateFrameworks/CartKit.framework/Support/cartd
`);
  assertEquals([verdict, library, deciding?.frame.address], ["system", "cartd", 0x100003039n]);
});

Deno.test("a JetsamEvent's largest processes are told, and its missing threads are none", () => {
  const sizes = { Cart: 640, till: 6400, ovend: 3200, mixd: 1280, bake: 1920, dough: 64 };
  const report = readReport(
    `{"bug_type":"298"}\n${
      JSON.stringify({
        largestProcess: "till",
        memoryStatus: { pageSize: 16384 },
        processes: [
          ...Object.entries(sizes).map(([name, rpages], pid) => ({ name, rpages, pid })),
          { name: "till", rpages: 4480, pid: 90 },
          { name: "sieve", rpages: 9600, pid: 91, reason: "highwater" },
        ],
      })
    }`,
    "x",
  );
  const { happened } = explainReport(report);
  assertStringIncludes(happened.join("\n"), "The largest process was till, with 100 MB");
  assertStringIncludes(
    happened.join("\n"),
    "The largest of the others: till (70 MB), ovend (50 MB), bake (30 MB), mixd (20 MB).",
  );
  assertEquals(report.warnings, []);
});

Deno.test("the largest process is not always the one that was ended, in both forms of low-memory reports", () => {
  const event = explained(
    '{"bug_type":"298"}\n' + JSON.stringify({
      largestProcess: "Cart",
      memoryStatus: { pageSize: 16384 },
      processes: [
        { name: "Cart", rpages: 900, pid: 1 },
        { name: "till", rpages: 9, pid: 2, reason: "vm-pageshortage" },
      ],
    }),
  );
  assertStringIncludes(event.text, "The largest process was Cart, with 14 MB; it was not ended.");
  assert(!event.text.includes("the others"), event.text);
  const old = (states: string) =>
    explained(`OS Version:      iPhone OS 4.3.3 (8J2)
Date:            2011-03-01 10:10:10 +0100

Free pages:        515
Largest process:   Cart

Processes
         Name                 UUID                    Count resident pages
            Cart <aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>   38263
            Till <bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb>    5263${states}
`);
  const ended = old(" (jettisoned) (active)");
  assertStringIncludes(ended.text, "The largest process was Cart; it was not ended.");
  assertEquals([ended.verdict, ended.absent], ["none", "memory"]);
  assertStringIncludes(old("").text, "no process is marked as ended for it");
  const cut = explained(
    "OS Version:      iPhone OS 4.3.3 (8J2)\nDate:            2011-03-01 10:10:10 +0100\n\n" +
      "Free pages:        515\nLargest process:   Cart\n\nProcesses\n         Name                 UUID\n",
  );
  assertStringIncludes(cut.text, "The list of processes is missing in the report");
  assert(!cut.text.includes("no process is marked"), cut.text);
});

Deno.test("watchdogd's own report of a service tells how it answered", () => {
  const said = (answer: string) =>
    explainReport(readReport(
      '{"bug_type":"409","os_version":"macOS 26.0 (25A1)","name":"cartd"}\n' + JSON.stringify({
        procName: "cartd",
        pid: 41,
        termination: {
          namespace: "WATCHDOG",
          code: 1,
          indicator: "monitoring timed out for service",
          details: [
            "(1 monitored services unresponsive): checkin with service: cartd returned not alive with context:",
            answer,
          ],
        },
      }),
      "x",
    ));
  const { happened, check } = said("the till is gone");
  // One that answers what is the matter did not hang; one whose queue does not answer did.
  const unwell = said("is_alive_func returned unhealthy : no till");
  assertStringIncludes(unwell.happened.join("\n"), "answered it that it is not well");
  assertEquals(unwell.causes, []);
  const hung = said(
    "unresponsive dispatch queue(s): com.example.io is_alive_func returned unhealthy",
  );
  assertStringIncludes(hung.causes.join("\n"), "the service hung");
  assertStringIncludes(happened.join("\n"), "the service did not crash by itself.");
  assertStringIncludes(happened.join("\n"), "It says: the till is gone");
  assertStringIncludes(check.join("\n"), "what the service's threads waited for");
  const bare = explained('{"bug_type":"409","name":"cartd"}\n{"procName":"cartd","variant":"x"}');
  assertStringIncludes(bare.text, "did not say in time that it is alive");
});

Deno.test("watchdogd's own report of a service: its threads and their waits are in the stackshot within", () => {
  const report = readReport(
    '{"bug_type":"409","os_version":"macOS 26.0 (25A1)","name":"cartd"}\n' + JSON.stringify({
      procName: "cartd",
      pid: 41,
      termination: { namespace: "WATCHDOG", code: 1, indicator: "monitoring timed out" },
      stackshot: {
        binaryImages: [["11111111-1111-1111-1111-111111111111", 4096, "P"]],
        processByPid: {
          1: {
            pid: 1,
            procname: "launchd",
            threadById: { 100: { id: 100, userFrames: [[0, 1]] } },
          },
          41: {
            pid: 41,
            procname: "cartd",
            threadById: {
              410: { id: 410, userFrames: [[0, 16]] },
              411: { id: 411, name: "till", userFrames: [[0, 32]] },
            },
            waitInfo: ["thread 410: pthread mutex 0x153394df0 owned by thread 411"],
          },
        },
      },
    }),
    "x",
  );
  assertEquals(report.threads.map(({ id, name, process }) => [id, name, process]), [
    [410n, null, null],
    [411n, "till", null],
  ]);
  assertEquals(report.threads[1].frames[0].address, 4096n + 32n);
  const text = explainReport(report).happened.join("\n");
  assertStringIncludes(
    text,
    "By the stackshot in the report: thread 410 waited for a lock (pthread mutex) that thread 411 held.",
  );
  assert(!text.includes("without a name"), text);
});

Deno.test("a sample whose main thread waits: the thread that waits for the main thread", () => {
  const sample = (inner: string): string =>
    `Analysis of sampling Shop (pid 77) every 1 millisecond
Process:         Shop [77]
Path:            /Applications/Shop.app/Contents/MacOS/Shop
----

Call graph:
    90 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
    + 90 start  (in dyld) + 4  [0x102000004]
    +   90 main  (in Shop) + 12  [0x100000004]
    +     90 -[Mixer stop]  (in Shop) + 12  [0x100001004]
    +       90 _pthread_cond_wait  (in libsystem_pthread.dylib) + 12  [0x103000004]
    +         90 __psynch_cvwait  (in libsystem_kernel.dylib) + 8  [0x104000004]
    90 Thread_2: mixer
      90 thread_start  (in libsystem_pthread.dylib) + 4  [0x103000104]
        90 mix  (in Shop) + 12  [0x100002004]
          90 ${inner}  (in Foundation) + 12  [0x105000004]
            90 _pthread_cond_wait  (in libsystem_pthread.dylib) + 12  [0x103000004]
              90 __psynch_cvwait  (in libsystem_kernel.dylib) + 8  [0x104000004]

Total number in stack (recursive counted multiple, when >=5):

Sort by top of stack, same collapsed (when >= 5):
        __psynch_cvwait  (in libsystem_kernel.dylib)        180

Binary Images:
       0x100000000 -        0x10000ffff  Shop (1.0) <7B0B5A8E-1111-2222-3333-444455556666> /Applications/Shop.app/Contents/MacOS/Shop
`;
  const perform =
    "-[NSObject(NSThreadPerformAdditions) performSelectorOnMainThread:withObject:waitUntilDone:]";
  assertStringIncludes(
    explained(sample(perform)).text,
    `waited for the main thread in ${perform}, called by mix, while the main thread waited in -[Mixer stop]`,
  );
  assert(!explained(sample("-[NSCondition wait]")).text.includes("waited for the main thread"));
  // What it did in some of its samples is not what it waited for.
  const passing = sample(perform)
    .replace(
      "    +     90 -[Mixer stop]",
      "    +     40 -[Mixer mix]  (in Shop) + 12  [0x100003004]\n    +     50 -[Mixer stop]",
    )
    .replace("    +       90 _pthread", "    +       50 _pthread").replace(
      "    +         90 __",
      "    +         50 __",
    );
  assert(!explained(passing).text.includes("waited for the main thread"));
});

Deno.test("a process at the first instruction of the dynamic linker has not begun", () => {
  const { text, verdict, absent } = explained(
    `Analysis of sampling till (pid 5599) every 1 millisecond
Process:         till [5599]
Path:            /Users/USER/*/till
Load Address:    0x1026d8000
Identifier:      till
Code Type:       ARM64

Call graph:
    890 Thread_12537027: Main Thread   DispatchQueue_<multiple>
      890 _dyld_start  (in dyld) + 0  [0x1082e49c0]

Total number in stack (recursive counted multiple, when >=5):

Sort by top of stack, same collapsed (when >= 5):
        _dyld_start  (in dyld)        890
`,
  );
  assertStringIncludes(text, "neither the dynamic linker nor any code of the program has run");
  assertEquals([verdict, absent], ["system", "launch"]);
});

/** A sample of one thread, outermost first, each line with its image. */
const sampleText = (lines: readonly string[], before = "", after = "") =>
  `${before}Analysis of sampling till (pid 77) every 1 millisecond
Process:         till [77]
Path:            /Users/USER/*/till
Code Type:       ARM64

Call graph:
    500 Thread_11   DispatchQueue_1: com.apple.main-thread  (serial)
${
    lines.map((line, at) =>
      `${" ".repeat(6 + 2 * at)}500 ${line}` +
      (line.includes("(in ") ? ` + ${8 + at}  [0x1${at}0${at}]` : "")
    ).join("\n")
  }
${after}`;

Deno.test("a sample in the dynamic linker alone: no code of the program had run", () => {
  const names = [
    "_dyld_start",
    "dyldbootstrap::start(macho_header const*, int, char const**, long)",
    "dyld::_main(macho_header const*, unsigned long, int, char const**)",
    "dyld::fastBindLazySymbol(ImageLoader**, unsigned long)",
  ];
  const { text, verdict, absent } = explained(sampleText(names));
  assertStringIncludes(text, "the dynamic linker (dyld), which starts the program: no code of the");
  assertEquals([verdict, absent], ["system", "launch"]);
  // What calls initializers may have called the program's.
  const initializing = explained(
    sampleText([...names.slice(0, 3), "ImageLoader::runInitializers()"]),
  );
  assert(!initializing.text.includes("no code of the program had run"));
  const own = explained(sampleText([...names, "-[Cart load]  (in till)"]));
  assert(!own.text.includes("no code of the program had run"));
});

Deno.test("what a thread waits for that somebody else ends: a drawable, a server's answer, a pipe", () => {
  const main = ["start  (in dyld)", "main  (in till)", "draw  (in till)"];
  const layer = sampleText([
    ...main,
    "-[CAMetalLayer nextDrawable]  (in QuartzCore)",
    "_dispatch_semaphore_wait_slow  (in libdispatch.dylib)",
    "semaphore_timedwait_trap  (in libsystem_kernel.dylib)",
  ]);
  assertStringIncludes(explained(layer).text, "blocked on a Metal layer that has no free drawable");
  assertStringIncludes(explainReport(readReport(layer, "x")).causes.join(), "never presented");
  const server = readReport(
    sampleText([
      ...main,
      "PQgetResult  (in libpq.5.dylib)",
      "pqSocketCheck  (in libpq.5.dylib)",
      "poll  (in libsystem_kernel.dylib)",
    ]),
    "x",
  );
  assertStringIncludes(
    explainReport(server).happened.join(),
    "blocked on the answer of a PostgreSQL server (PQgetResult)",
  );
  assertEquals(attributeReport(server).isEvidence, false);
  const gpu = sampleText([
    ...main,
    "-[_MTLCommandBuffer waitUntilCompleted]  (in Metal)",
    "_pthread_cond_wait  (in libsystem_pthread.dylib)",
    "__psynch_cvwait  (in libsystem_kernel.dylib)",
  ]);
  assertStringIncludes(explained(gpu).text, "blocked on the GPU, which has not finished");
  const pipe = readReport(sampleText([...main, "read  (in libsystem_kernel.dylib)"]), "x");
  assertEquals(attributeReport(pipe).isEvidence, false);
});

Deno.test("a panic of Rust whose backtrace takes all the time: Rust's own code", () => {
  const report = readReport(
    sampleText([
      "start  (in dyld)",
      "main  (in till)",
      "till::pay::h0123456789abcdef  (in till)",
      "std::panicking::default_hook::h0123456789abcdef  (in till)",
      "backtrace::symbolize::libbacktrace::resolve::h0123456789abcdef  (in till)",
      "__rdos_macho_add  (in till)",
    ]),
    "x",
  );
  assertStringIncludes(
    explainReport(report).happened.join(),
    "while the message and the backtrace of a panic of Rust were written",
  );
  assertEquals(
    attributeReport(report).maker,
    "Rust's standard library, which writes backtraces",
  );
});

Deno.test("what is written around a sample is not read, and may tell what the sample does not", () => {
  const lines = [
    "start  (in dyld)",
    "main  (in till)",
    "pthread_mutex_lock  (in libsystem_pthread.dylib)",
    "__psynch_mutexwait  (in libsystem_kernel.dylib)",
  ];
  const end = "\nTotal number in stack (recursive counted multiple, when >=5):\n";
  assertStringIncludes(
    explained(sampleText(lines) + end).text,
    "The report has no other thread that could hold it.",
  );
  assertStringIncludes(
    explained(sampleText(lines)).text,
    "The copy need not have all threads: which one holds it is not known.",
  );
  assertStringIncludes(
    explained(
      sampleText(lines, "", "The other threads, which are left out here, wait in poll\n") + end,
    ).text,
    "What could be read of the report has no other thread that could hold it.",
  );
});

Deno.test("a heaviest stack without addresses, with lines left out; what atos gave for a stack's addresses", () => {
  const bare = heaviest([
    "11  ??? (dyld + 82408)",
    "...",
    "11  ??? (SwiftUI + 4414408)",
    "7   layout + 8 (AXRuntime + 12812)",
  ]);
  const { text } = explained(bare);
  assertStringIncludes(text, "in layout (AXRuntime)");
  const atos =
    "atos -o Shop.app.dSYM/Contents/Resources/DWARF/Shop -arch arm64 -l 0x102100000 0x10720df70 0x10720a5ac\n" +
    "```\n-[Cart total] (in Shop) (Cart.m:385)\nadd (in Shop) (Cart.m:107)\n```\n\n";
  const stack = heaviest([
    "9  ??? (dyld + 24012) [0x1be4d6dcc]",
    "9  ??? (Shop + 84991856) [0x10720df70]",
    "9  ??? (Shop + 84977068) [0x10720a5ac]",
  ]);
  const named = readReport(atos + stack, "x");
  assertEquals(
    named.threads[0].frames.map(({ symbol, file, line }) => [symbol, file, line]),
    [["add", "Cart.m", 107], ["-[Cart total]", "Cart.m", 385], [null, null, null]],
  );
  // An output of another number of lines is of other addresses.
  const other = readReport(atos.replace(" 0x10720a5ac", "") + stack, "x");
  assertEquals(other.threads[0].frames.every(({ symbol }) => symbol === null), true);
});

Deno.test("a sample of which lines of the tree, or all of it, were left out", () => {
  const text = explained(
    sampleText(["start  (in dyld)", "main  (in till)", "add  (in till)"], "", "        ...\n"),
  );
  assertStringIncludes(text.text, "Lines of the call trees are left out of this copy");
  const sorted = explained(
    "Analysis of sampling till (pid 4711) every 1 millisecond\nCall graph:\n    ... (tree omitted) ...\n\n" +
      "Sort by top of stack, same collapsed (when >= 5):\n" +
      "        mach_msg2_trap  (in libsystem_kernel.dylib)        2500\n        add  (in till)        900\n",
  );
  assertStringIncludes(
    sorted.text,
    "mach_msg2_trap (libsystem_kernel.dylib) 2500, add (till) 900.",
  );
});

Deno.test("newer spindumps have the identifier between the process's name and its number", () => {
  const { process } = readReport(
    heaviest(["9  main + 8 (Shop + 22) [0x100000016]"]).replace(/^(?:Command|PID):.*\n/gm, "") +
      "Process:          Shop Two (com.example.shop) [77]\nFootprint:        55.23 MB\n",
    "x",
  );
  assertEquals([process.name, process.pid], ["Shop Two", 77]);
});

Deno.test("a function that was the innermost one on several stacks: all of its samples", () => {
  const { text } = explained(
    "Call graph:\n    2500 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)\n" +
      "      2500 main  (in till) + 10  [0x2]\n        2500 fib  (in till) + 10  [0x3]\n" +
      "          1500 fib  (in till) + 20  [0x13]\n            1000 fib  (in till) + 20  [0x13]\n",
  );
  assertStringIncludes(text, "mostly in fib (till): 2500 of 2500 samples");
});

Deno.test("copies that end within a call tree: a call of the kernel is its end, others went on", () => {
  const sample = (tree: readonly string[]): string =>
    "Analysis of sampling Till (pid 7) every 1 millisecond\nProcess:         Till [7]\nPath:            /Users/x/Till\n\n" +
    "Call graph:\n    90 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)\n" +
    tree.map((line, at) => `    + ${" ".repeat(2 * at)}90 ${line}\n`).join("");
  const outer = [
    "start  (in libdyld.dylib) + 1  [0x7fff7c65f3d5]",
    "main  (in Till) + 85  [0x1078cb667]",
    "Drawer::open()  (in Till) + 57  [0x1078c30f9]",
  ];
  const kernel = explained(
    sample([
      ...outer,
      "wait_for  (in libDrawer.dylib) + 1  [0x7fff1]",
      "__psynch_cvwait  (in libsystem_kernel.dylib)",
    ]),
  );
  assertStringIncludes(kernel.text, "blocked on a condition variable in 90 of 90 samples");
  assert(!kernel.text.includes("The copy ends"), kernel.text);
  const report = readReport(sample([...outer, "ring  (in AppKit)"]), "x");
  const cut = explainReport(report);
  assertStringIncludes(
    cut.happened.join("\n"),
    "called ring (AppKit), which began with a call by Drawer::open() (Till).",
  );
  assertStringIncludes(cut.happened.join("\n"), "The copy ends within its call tree");
  assertStringIncludes(cut.path.join("\n"), "Drawer::open");
  const loop = explained(
    "Analysis of sampling Till (pid 7) every 1 millisecond\nProcess:         Till 7\n\nCall graph:\n" +
      "    90 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)\n      90 start\n        90 NSApplicationMain\n" +
      "          90 -[NSApplication run]\n            88 -[NSApplication nextEventMatchingMask:untilDate:inMode:dequeue:]\n",
  );
  assert(!loop.text.includes("mostly in"), loop.text);
  assertStringIncludes(loop.text, "The copy ends within its call tree");
});

Deno.test("a spindump that ends with a function which neither ran nor waited", () => {
  const dump = (end: string): string =>
    explained(
      "Date/Time:        2026-01-02 03:04:05 +0000\nData Source:      Stackshots\n\nProcess:          Till [7]\nPath:             /Users/x/Till\n\n" +
        '  Thread 0x2b    DispatchQueue "com.apple.main-thread"(1)    50 samples (1-50)    priority 31 (base 31)\n' +
        "  50  start + 1 (libdyld.dylib + 1) [0x7ff80e74bacf]\n    50  main + 6 (Till + 15) [0x10e74cb43]\n" +
        `      50  ??? (LaunchServices + 899309) [0x7ff80ed278ed]${end}\n`,
    ).text;
  assertStringIncludes(dump(""), "The copy ends within its call tree");
  assertStringIncludes(dump(" (running)"), "mostly in 0x7ff80ed278ed (LaunchServices)");
});

Deno.test("a spindump of many processes: libdispatch's limits, and only the symbols of the one that it is about", () => {
  const report = readReport(
    [
      "Date/Time:       2026-06-02 20:23:26 -0700",
      "Command:         Shop",
      "PID:             93",
      "Event:           hang",
      "Steps:           2",
      "Processes reached dispatch thread soft limit (64): Shop [93] [unique pid 5366]",
      "",
      "Process:         Shop [93]",
      '  Thread 0x1    DispatchQueue "com.apple.main-thread"(1)    2 samples (1-2)',
      "  2  ??? (Shop + 1000) [0x1000003e8]",
      "Process:         other [94]",
      '  Thread 0x2    DispatchQueue "com.apple.main-thread"(1)    2 samples (1-2)',
      "  2  ??? (Others + 1000) [0x2000003e8]",
      "",
      "Binary Images:",
      "0x100000000 - 0x10000ffff Shop (1) <2326CD9C-2BA7-32F4-BB6C-418E1C2A6C65> /Applications/Shop.app/Contents/MacOS/Shop",
      "0x200000000 - 0x20000ffff Others (1) <2326CD9C-2BA7-32F4-BB6C-418E1C2A6C66> /Applications/Other.app/Contents/MacOS/Others",
      "",
    ].join("\n"),
    "x",
  );
  const { missing } = symbolicateReport(report, { find: () => null });
  assertEquals(missing.map(({ image }) => image.name), ["Shop"]);
  assertStringIncludes(
    explainReport(report).happened.join("\n"),
    "libdispatch had as many threads as it makes (its soft limit of 64) in Shop [93]: while",
  );
});

Deno.test("a spindump's images by their UUIDs: the process's own is the program, another is not known", () => {
  const report = readReport(
    [
      "Date/Time:       2024-03-18 08:12:21 +1100",
      "Command:         Shop",
      "PID:             176",
      "Event:           hang",
      "Steps:           12",
      "",
      "Process:         Shop [176]",
      "UUID:            2C0AFA56-1233-3107-911D-9873BEA0C202",
      "  Thread 0x1    DispatchQueue 1    12 samples (1-12)",
      "  12  ??? (<2C0AFA56-1233-3107-911D-9873BEA0C202> + 2879) [0x103f04b3f] 1-12",
      "    12  ??? (<B87012E0-CA14-37BD-AFD2-ED47ECE1D92D> + 2879) [0x203f04b3f] 1-12",
      "",
    ].join("\n"),
    "x",
  );
  assertEquals(report.threads[0].frames.map(({ imageName }) => imageName), [
    "<B87012E0-CA14-37BD-AFD2-ED47ECE1D92D>",
    "Shop",
  ]);
});

Deno.test("a report of a process that went on is told as its moment, not as a crash", () => {
  const report = readReport(
    "Process: Shop [7]\nException Note:  SIMULATED (this is NOT a crash)\n\n" +
      "Thread 0:: Dispatch queue: com.apple.main-thread\n" +
      "0   libsystem_kernel.dylib   0x0000000100004000 mach_msg2_trap + 8\n" +
      "1   CoreFoundation   0x0000000100004040 __CFRunLoopServiceMachPort + 160\n" +
      "2   CoreFoundation   0x0000000100004080 __CFRunLoopRun + 1200\n" +
      "3   AppKit   0x00000001000040c0 -[NSApplication run] + 476\n4   Shop   0x0000000100004100 main + 20\n",
    "x",
  );
  const { headline, happened, check } = explainReport(report);
  assertEquals(headline, "Shop: not a crash");
  assertStringIncludes(happened[0], "Nothing crashed");
  assertStringIncludes(happened[1], "idle, waiting for a Mach message");
  assertEquals([check, attributeReport(report).verdict], [[], "none"]);
});

Deno.test("a function that makes its one object is called again by a run loop within it: the thread waits for itself", () => {
  const stack = (outer: string, loop: string) =>
    explained(heaviest([
      "14  start + 1 (libdyld.dylib + 93913) [0x7fff74f77ed9]",
      "14  -[NSApplication run] + 699 (AppKit + 82277) [0x7fff45280165]",
      `14  ${outer} + 80 (ShopKit + 4080) [0x106d38fd0]`,
      "14  -[Shop show] + 40 (Shop + 4000) [0x106d38c5c]",
      `14  ${loop} + 278 (Foundation + 436921) [0x7fff8f988ab9]`,
      "14  __CFRunLoopDoObservers + 368 (CoreFoundation + 523488) [0x7fff8e9d8ce0]",
      "14  +[ShopPanel singleton] + 28 (ShopKit + 4028) [0x106d38f9c]",
      "14  __psynch_mutexwait + 10 (libsystem_kernel.dylib + 15990) [0x7fff750b3e76]",
    ], "the main thread of the target process"));
  const loop = "-[NSRunLoop(NSRunLoop) runMode:beforeDate:]";
  const twice = stack("+[ShopPanel singleton]", loop);
  assertStringIncludes(twice.text, "+[ShopPanel singleton] (ShopKit) is on its stack twice");
  // What the loop called would be taken for the system's alone.
  const system = explained(
    heaviest([
      "19  start + 1 (libdyld.dylib + 93913) [0x7fff74f77ed9]",
      "19  -[Shop open:] + 20 (Shop + 3000) [0x106d38874]",
      "19  +[NSPanelThing singleton] + 80 (AppKit + 4080) [0x7fff45280ff0]",
      "19  -[Shop show] + 40 (Shop + 4000) [0x106d38c5c]",
      `19  ${loop} + 278 (Foundation + 436921) [0x7fff8f988ab9]`,
      "19  __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__ + 23 (CoreFoundation + 523655) [0x7fff8e9d8d87]",
      "19  +[NSPanelThing singleton] + 28 (AppKit + 4028) [0x7fff45280fbc]",
      "19  __psynch_mutexwait + 10 (libsystem_kernel.dylib + 15990) [0x7fff750b3e76]",
    ], "the main thread of the target process"),
  );
  assertEquals(system.deciding?.frame.symbol, "-[Shop show]");
  const held = "The report does not say which thread holds it.";
  assertStringIncludes(stack("+[ShopPanel other]", loop).text, held);
  // Without a loop between, a recursion with a lock for each object is more likely.
  assertStringIncludes(stack("+[ShopPanel singleton]", "-[Shop draw]").text, held);
});

Deno.test("a wait for the graphics processor, which only the kernel's part of a stack shows", () => {
  const stack = (inner: string): string =>
    explained(heaviest([
      "14  start + 1 (libdyld.dylib + 93913) [0x7fff74f77ed9]",
      "14  -[Shop show] + 40 (Shop + 4000) [0x106d38c5c]",
      "14  io_connect_method + 176 (IOKit + 528960) [0x7fff50bd7240]",
      "14  mach_msg_trap + 10 (libsystem_kernel.dylib + 5098) [0x7fff750b13ea]",
      "*14  IOAccelContext2::finish(unsigned int) + 91 (IOAcceleratorFamily2 + 61371) [0xffffff7f8238976f]",
      `*14  ${inner} + 203 (ShopGraphics + 42283) [0xffffff7f8338976f]`,
      "*14  lck_mtx_sleep + 102 (kernel + 1237350) [0xffffff80003cdd66]",
    ], "the main thread of the target process")).text;
  assertStringIncludes(
    stack("ShopAccelEventMachine::waitForStamp(int, unsigned int)"),
    "blocked in the kernel until the graphics processor has done what it was given in 14 of 14 samples",
  );
  assertStringIncludes(
    stack("ShopAccel::sell(int)"),
    "blocked on a reply from another process or from the kernel",
  );
});

Deno.test("a service's event loop by its images alone, under the kernel's frame; a jailbreak's loader is the system's", () => {
  const stack = (loop: number): string =>
    `Date/Time:        2026-01-02 03:04:05.000 +0000
OS Version:       iPhone OS 15.7 (Build 19H12)
Report Version:   35.1

Process:          shopd [176]
Path:             /usr/libexec/shopd
Num samples:      8 (1-8)
  Thread 0x8b6    DispatchQueue "com.apple.main-thread"(1)    8 samples (1-8)
  8  ??? (dyld + 99536) [0x102c504d0]
    8  ??? (shopd + 554572) [0x10287b64c]
      8  ??? (Foundation + 97964) [0x1821c0eac]
${
      Array.from({ length: loop }, (_, at) =>
        `${" ".repeat(8 + 2 * at)}8  ??? (CoreFoundation + ${44944 - at}) [0x${
          (0x180a9ff90 - at).toString(16)
        }]`).join("\n")
    }
                8  ??? (libsystem_kernel.dylib + 2732) [0x1bb3f9aac]
                 *8  ??? [0xfffffff0071a86d4]
  Binary Images:
           0x1027f4000 -                ???  shopd             <BDBDD550-2B15-382C-BB61-1798AFD60460>  /usr/libexec/shopd
           0x102c38000 -                ???  dyld              <58AB16CE-D7E0-32D3-946D-4F68FB1A4A17>  /cores/dyld
`;
  assertStringIncludes(explained(stack(3)).text, "idle in 8 of 8 samples (100%)");
  const other = explained(stack(1));
  assert(!other.text.includes("idle"), other.text);
  assert(other.library !== "dyld", `${other.library}`);
});
