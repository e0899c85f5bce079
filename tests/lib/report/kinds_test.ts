/** Reports about something else than a crash, and what run-times print: what is told of them. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  attributeReport,
  explainReport,
  readReport,
  writeReport,
} from "../../../lib/report/mod.ts";

function told(text: string): string {
  return explainReport(readReport(text, "x")).happened.join("\n");
}

Deno.test("a stackshot with a reason is not blamed on buttons", () => {
  const shot = (reason: string) =>
    `{"bug_type":"288","os_version":"iPhone OS 17.1"}\n${
      JSON.stringify({ reason, exception: "0xbe18d1ee", processByPid: {}, build: "x" })
    }`;
  const { happened, causes } = explainReport(readReport(shot("mediad: no answer to a call"), "x"));
  assertStringIncludes(happened.join("\n"), "It says: mediad: no answer to a call");
  assertEquals(causes, []);
  assertEquals(explainReport(readReport(shot("stackshot via sysdiagnose"), "x")).check, []);
});

Deno.test("the text of a stackshot says which process each thread is in, and is read back", () => {
  const shot = readReport(
    `{"bug_type":"288","os_version":"iPhone OS 17.1"}\n${
      JSON.stringify({
        processByPid: {
          "7": { procname: "baked", threadById: { "3": { userFrames: [[0, 16]] } } },
          "77": { procname: "ovend", threadById: { "41": { userFrames: [[0, 32]] } } },
        },
        binaryImages: [["aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa", 4294967296, "P"]],
      })
    }`,
    "x",
  );
  const text = writeReport(shot, "crash");
  assertStringIncludes(text, "\nThread 1 id:  41\nThread 1 process:  ovend [77]\nThread 1:\n");
  assertEquals(
    readReport(text, "x").threads.map(({ id, process }) => [id, process]),
    [[3n, "baked [7]"], [41n, "ovend [77]"]],
  );
});

Deno.test("whom the reason of a stackshot names by number, and what its threads waited for", () => {
  const shot = (reason: string, waits: string[]) =>
    told(
      `{"bug_type":"288","os_version":"iPhone OS 17.1"}\n${
        JSON.stringify({
          ...{ reason, exception: "0xbe18d1ee", build: "x" },
          processByPid: {
            "7": { procname: "baked", threadById: { "3": {} } },
            "77": { procname: "ovend", threadById: { "41": {}, "42": {} }, waitInfo: waits },
          },
        })
      }`,
    );
  const text = shot("baked: message received to terminate [77]", [
    "thread 40: mach_msg receive on port set 0x594ce18c0824a151",
    "thread 41: pthread condvar 0x159561510",
    "thread 42: pthread mutex 0x153394df0 owned by thread 41",
  ]);
  assertStringIncludes(text, "The process that this names is ovend [77].");
  assertStringIncludes(
    text,
    "Thread 42 waited for a lock (pthread mutex) that thread 41 held, which waited in turn (pthread condvar).",
  );
  assert(!text.includes("hread 40"), text);
  const both = shot("ovend:77 has assertions", [
    "thread 41: unfair lock 0x227829f18 owned by thread 42",
    "thread 42: pthread mutex 0x153394df0 owned by thread 41",
  ]);
  assertStringIncludes(both, "names is ovend [77].");
  assertStringIncludes(both, "that thread 41 held: they wait for each other, without end.");
  assert(!shot("no answer [78]", []).includes("this names"), text);
  const panic = told(
    `{"bug_type":"210","os_version":"macOS 26.5 (25F71)"}\n${
      JSON.stringify({
        panicString:
          "panic(cpu 0 caller 0xfffffe004153cfdc): watchdog timeout: no checkins from watchdogd in 91 seconds\nDebugger message: panic\n",
        processByPid: {
          "9": { procname: "baked", threadById: { "90": {} }, waitInfo: [] },
          "1": {
            ...{ procname: "launchd", threadById: { "10": {} } },
            waitInfo: ["thread 10: krwlock 0x5ee9b380d4e609cd for reading owned by thread 90"],
          },
        },
      })
    }`,
  );
  assertStringIncludes(
    panic,
    "In launchd: thread 10 waited for a lock (krwlock for reading) that thread 90 of baked [9] held.",
  );
});

Deno.test("whose thread others of a stackshot's process wait for: queues, locks, answers of other processes", () => {
  const text = told(
    `{"bug_type":"288","os_version":"iPhone OS 18.5"}\n${
      JSON.stringify({
        ...{
          exception: "0xbe18d1ee",
          build: "x",
          pid: 7,
          reason: "no answer, probably deadlocked.",
        },
        processByPid: {
          "7": {
            ...{
              procname: "ovend",
              threadById: { "10": {}, "11": {}, "12": {}, "13": {}, "14": {} },
            },
            waitInfo: [
              "thread 10: queue processed by thread 14",
              "thread 11: queue processed by thread 14",
              "thread 12: pthread mutex 0xd38110af0 owned by thread 14",
              "thread 13: mach_msg receive on port 0x1e340fc5b7dba3 name 0x3710f",
              "thread 14: pthread condvar 0x16f4aba60",
            ],
            turnstileInfo: [
              "thread 10: blocked on 14, hops: 1, priority: 47",
              "thread 13: blocked on 90, hops: 2, priority: 31",
            ],
          },
          "9": { procname: "baked", threadById: { "90": {} } },
        },
      })
    }`,
  );
  assertStringIncludes(
    text,
    "Threads 10, 11 waited for a queue that thread 14 worked on; thread 12 waited for a lock (pthread mutex) that it held; that thread waited in turn (pthread condvar).",
  );
  assertStringIncludes(text, "Thread 13 waited, over 2 steps, for thread 90 of baked [9].");
});

Deno.test("who was in front of a stackshot; files that were not coordinated to their end", () => {
  const text = told(
    `{"bug_type":"288","os_version":"iPhone OS 12.3"}\n${
      JSON.stringify({
        ...{ exception: "0x8badf00d", build: "x", frontmostPids: [8, 52] },
        reason: "Bakery:7 has active assertions beyond permitted time: \n" +
          '<BKProcessAssertion: 0x102; "File Coordination Claim A1" (finishTask:180s); id:…5C> (owner: filecoordinatio:20)\n\n' +
          "Elapsed application CPU time (seconds): 0.126, 0% CPU\n",
        processByPid: {
          "7": { procname: "Bakery", threadById: { "1": {} } },
          "8": { procname: "Till", threadById: { "2": {} } },
          "52": { procname: "SpringBoard", threadById: { "3": {} } },
        },
      })
    }`,
  );
  assertStringIncludes(text, "whose coordinated access to files had not ended");
  assertStringIncludes(text, "beyond permitted time: <BKProcessAssertion");
  assertStringIncludes(text, "It was permitted 180 s.\nThe app computed for 0.126 s (0% CPU)");
  assertStringIncludes(text, "names is Bakery [7].\nIn front was Till [8].");
});

Deno.test("what analytics count of crashes and of processes that were ended for memory", () => {
  const line = (name: string, message: object) => `${JSON.stringify({ message, name })}\n`;
  const { happened, check } = explainReport(readReport(
    `{"bug_type":"211","os_version":"iPhone OS 13.2"}\n{"_marker":"<metadata>","version":"1.0"}\n` +
      line("StabilityCrashNumerator2", {
        ...{ Count: 5, appVersion: "1.2", process: "Bakery", terminationReasonNamespace: "SIGNAL" },
        terminationReasonExceptionCode: "0x5",
      }) +
      line("JetsamAggregationV2", { Count: 2, name: "ovend", reason: "highwater" }) +
      line("JetsamAggregationV3", { Count: 2, name: "ovend", reason: "highwater" }),
    "x",
  ));
  assertStringIncludes(
    happened.join("\n"),
    "It counts crashes of: Bakery 1.2 (SIGNAL 0x5), 5 times.",
  );
  assertStringIncludes(happened.join("\n"), "ended for memory: ovend (highwater), 2 times.");
  assert(!check.join().includes("this one has no crash"), check.join());
  const cut = told(
    `${
      JSON.stringify({
        message: { Count: 3, size: 7 },
        name: "OvenSize",
        uuid: "9c880d05-a4e1-40f1-b211-bfcabce94d00_6",
      })
    }\n`
      .repeat(2),
  );
  assertStringIncludes(cut, "The system's analytics");
  const absent = attributeReport(
    readReport('{"bug_type":"211","os_version":"iPhone OS 13.2"}\n{"_marker":"x"}\n', "x"),
  ).absent;
  assertEquals(absent, "stack");
});

/** A spindump of several processes, as `spindump` lays them out. */
const stall = `Date/Time:        2026-01-02 03:04:05.000 +0000
OS Version:       macOS 15.0 (Build 24A335)
Report Version:   60
Event:            shutdown stall
Duration:         1.00s

Process:          first [10]
CPU Time:         0.004s

  Thread 0x1    DispatchQueue "com.apple.main-thread"(1)    100 samples (1-100)
  100  start + 2 (dyld + 25360) [0x7ff806675310]
    100  mach_msg_trap + 10 (libsystem_kernel.dylib + 6537) [0x7ff806967989]

Process:          second [11]
CPU Time:         0.950s (1.2G cycles)

  Thread 0x2    DispatchQueue "com.apple.main-thread"(1)    100 samples (1-100)
  100  start + 2 (dyld + 25360) [0x7ff806675310]
    100  mach_msg_trap + 10 (libsystem_kernel.dylib + 6537) [0x7ff806967989]

  Thread 0x3    100 samples (1-100)
  100  thread_start + 15 (libsystem_pthread.dylib + 7291) [0x7ff8069a1c7b]
    100  tidyUp + 40 (second + 4000) [0x10bd01000]
`;

Deno.test("a shutdown stall: the busiest process, not the first, and its busiest thread", () => {
  const report = readReport(stall, "x");
  const { headline, happened } = explainReport(report);
  assert(!headline.includes("first"), headline);
  assertStringIncludes(happened.join("\n"), "The report has 2 processes (first, second).");
  assertStringIncludes(happened.join("\n"), "second [11] 0.95 s, first [10] 0.004 s");
  assertStringIncludes(happened.join("\n"), "In second [11], thread 2: mostly in tidyUp (second)");
});

Deno.test("what leaks prints is no crash", () => {
  const text = `Process:         Shop [77]
Path:            /Applications/Shop.app/Contents/MacOS/Shop
Identifier:      org.example.shop
Analysis Tool:   /usr/bin/leaks

leaks Report Version: 4.0
Process 77: 2000 nodes malloced for 300 KB
Process 77: 2 leaks for 64 total leaked bytes.

    1 (32 bytes) ROOT LEAK: <Cart 0x600001431a40> [32]
    1 (32 bytes) ROOT LEAK: <Cart 0x600001440440> [32]
`;
  assertStringIncludes(told(text), "nothing crashed");
  assertStringIncludes(told(text), "2 leaks for 64 total leaked bytes");
  assertStringIncludes(told(text), "2 of Cart");
});

Deno.test("Go: a signal in C code, with the frames' registers; the standard library is not the program", () => {
  const text = `SIGTRAP: trace trap
PC=0x1a95867c8 m=0 sigcode=0
signal arrived during cgo execution

goroutine 1 [syscall, locked to thread]:
runtime.cgocall(0x101b0e538, 0x14000d0fc48)
	runtime/cgocall.go:158 +0x54 fp=0x14000d0fc10 sp=0x14000d0fbd0 pc=0x100ac31b4
example.org/shop/menu._Cfunc_Start()
	_cgo_gotypes.go:91 +0x34 fp=0x14000d0fc40 sp=0x14000d0fc10 pc=0x1016c9684
main.main()
	example.org/shop/main.go:7 +0x24 fp=0x14000d0fc80 sp=0x14000d0fc40 pc=0x1016c9700
`;
  const report = readReport(text, "x");
  assertEquals(report.crashedThread?.frames.map(({ imageName }) => imageName), [
    "standard library",
    "menu",
    "main",
  ]);
  assertStringIncludes(told(text), "in C code that a Go program had called");
  assertEquals(
    attributeReport(report).deciding?.frame.symbol,
    "example.org/shop/menu._Cfunc_Start",
  );
});

Deno.test("Xcode's message of an exception, after its hints; its own look at the exception is passed over", () => {
  const frames = [
    "CoreFoundation  0x0000000180001000 __exceptionPreprocess + 10",
    "DVTFoundation   0x0000000180002000 DVTFailureHintExceptionPreprocessor + 10",
    "libobjc.A.dylib 0x0000000180003000 objc_exception_throw + 10",
    "Foundation      0x0000000180004000 +[NSURLComponents setHost:] + 10",
    "XCServices      0x0000000180005000 makeRequest + 10",
  ];
  const text = `Process: Xcode [5]
Exception Type:        EXC_CRASH (SIGABRT)

Application Specific Information:
Possibly stale failure hints from 2021-07-31 01:33:52 +0000:
  0: Calling block provided by:
${Array.from({ length: 60 }, (_, at) => `  ${at}   function${at} (in Kit)`).join("\n")}
ProductBuildVersion: 13A1
UNCAUGHT EXCEPTION (NSInvalidArgumentException): *** +[NSURLComponents setHost:]: no host
UserInfo: (null)

Application Specific Backtrace 1:
${frames.map((frame, at) => `${at}   ${frame}`).join("\n")}

Thread 0 Crashed:
0   libsystem_kernel.dylib  0x0000000180006000 __pthread_kill + 8
`;
  assertStringIncludes(
    told(text),
    "NSInvalidArgumentException, *** +[NSURLComponents setHost:]: no host",
  );
  assert(!told(text).includes("Calling block"));
  assertEquals(attributeReport(readReport(text, "x")).deciding?.frame.symbol, "makeRequest");
});

Deno.test("a Dart error and a zombie's message are no uncaught exceptions of Objective-C", () => {
  const dart =
    "Fatal Exception: io.flutter.plugins.firebase.crashlytics.FlutterError: Null check operator used " +
    "on a null value\n       at CartState.build(cart.dart:12)\n";
  assertStringIncludes(told(dart), "A Dart error was not caught");
  assert(!told(dart).includes("Objective-C"));
  // Crashlytics of an app for iOS numbers the lines as those of a native stack.
  const native = (title: string, frame: string) =>
    told(
      `# Crashlytics - Stack trace\n# Platform: apple\n\nFatal Exception: ${title}\nOven is cold\n` +
        `0  Shared                         0x1023ab ${frame} + 88\n` +
        "1  Shop                           0x1000cd main + 40\n",
    );
  for (
    const [title, words] of [
      ["FlutterError", "A Dart error was not caught"],
      ["kotlin.IllegalStateException", "A Kotlin exception was not caught"],
    ]
  ) {
    const error = native(title, "kfun:com.shop.Oven#bake(){}");
    assertStringIncludes(error, words);
    assertStringIncludes(error, "Oven is cold");
    assert(!error.includes("Objective-C"), error);
  }
  const cxx = native("facebook::jsi::JSError", "shop::bake()");
  assertStringIncludes(cxx, "A C++ exception was not caught: facebook::jsi::JSError, Oven is cold");
  const zombie =
    "2026-01-01 10:00:00.000 Shop[12:303] *** -[Cart retain]: message sent to deallocated " +
    "instance 0x6000\n";
  assertStringIncludes(told(zombie), "after it was deallocated");
  assert(!told(zombie).includes("exception"));
});

Deno.test("a frame without an image is the program's where its source is; a header's template is not", () => {
  const text = `Thread 1: EXC_BAD_ACCESS (code=1, address=0x10)
#0	0x00000001042d3f28 in objc_msgSend ()
#1	0x00000001042d3e50 in std::__1::vector<int>::at(unsigned long) at /Users/u/sdk/vector:9
#2	0x00000001042d3e58 in Cart.item(at:) at /Users/u/Shop/Cart.swift:12
`;
  const { verdict, deciding } = attributeReport(readReport(text, "x"));
  assertEquals<unknown>([verdict, deciding?.frame.symbol], ["program", "Cart.item(at:)"]);
});

Deno.test("analytics and resets are no crashes, nor stackshots", () => {
  const analytics = `{"bug_type":"211","os_version":"iPhone OS 17.1"}\n{"_marker":"<metadata>"}\n` +
    `{"message":{"Count":1},"name":"sizes"}\n`;
  assertStringIncludes(told(analytics), "The system's analytics");
  const reset = `{"bug_type":"115","os_version":"iPhone OS 17.1"}\nIncident Identifier: A\n` +
    "CrashReporter Key:   B\nDate: 2026-01-02\nReset count: 1\nBoot failure count: 0\nBoot faults: btn_rst\n";
  const { headline, happened } = explainReport(readReport(reset, "x"));
  assertStringIncludes(headline, "reset");
  assertStringIncludes(happened.join("\n"), "Boot faults: btn_rst.");
});

Deno.test("the process that lines of a log are of, and what malloc said before Go's words", () => {
  const go = "malloc: *** error for object 0x5006ad0: pointer being freed was not allocated\n" +
    "shopd(70515,0x7440e00) malloc: *** set a breakpoint in malloc_error_break to debug\n" +
    "SIGABRT: abort\nPC=0x7fff695c8552 m=0 sigcode=0\n";
  const report = readReport(go, "x");
  assertEquals<unknown>([report.process.name, report.process.pid], ["shopd", 70515]);
  assertEquals<unknown>(report.exception?.signal, "SIGABRT");
  assertStringIncludes(told(go), "A pointer was freed that malloc did not allocate");
  const logged =
    "2026-01-02 03:04:05.678 My Shop[77:303] *** Terminating app due to uncaught exception " +
    "'NSRangeException', reason: 'beyond'\n";
  assertEquals<unknown>(readReport(logged, "x").process.name, "My Shop");
});

Deno.test("a number before a stack is no thread's", () => {
  const text = "Exception Type: EXC_CRASH (SIGABRT)\nRaised 27 times today\n" +
    "0   libsystem_kernel.dylib  0x0000000180006000 __pthread_kill + 8\n" +
    "1   Shop                    0x0000000100006000 -[Cart add:] + 8\n";
  assertEquals(readReport(text, "x").threads[0].index, 0);
});

Deno.test("a sample of old: the main thread waits for a name, which is no idle event loop", () => {
  const text = `Analysis of sampling Shop (pid 77) every 1 millisecond
Process:         Shop 77
Path:            /Applications/Shop.app/Contents/MacOS/Shop
Parent Process:  launchd 9
Report Version:  6

Call graph:
    100 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
      100 start
        100 -[NSApplication run]
          100 _DPSNextEvent
            99 -[Cart connect:]
              99 gethostbyname
                99 kevent
            1 mach_msg_trap
`;
  const report = readReport(text, "x");
  assertEquals<unknown>([report.process.name, report.process.pid], ["Shop", 77]);
  assertStringIncludes(
    told(text),
    "blocked on the look-up of a network name (gethostbyname) in 99 of 100 samples",
  );
});

Deno.test("a spinlock's panic on the CPU of its owner; extensions without their places", () => {
  const panic = (cpu: number, thread = "0xffffff8700000d10") =>
    `panic(cpu ${cpu} caller 0xffffff8000001860): "Spinlock acquisition timed out: ` +
    `lock=0xffffff8700000740, lock owner thread=0xffffff8700000d10, current_thread: ${thread}, ` +
    `lock owner active on CPU 0xe, current owner: 0xffffff8700000d10"@locks_i386.c:505\n` +
    "Backtrace (CPU 14), Frame : Return Address\n0xffffffc193bdbac0 : 0xffffff800deb9aed\n" +
    "      Kernel Extensions in backtrace:\n         org.example.driver.Cart(1.0)\n         com.apple.iokit.IOCart\n\n";
  const other = "0xffffff8700000e00";
  assertStringIncludes(told(panic(14, other)), "of the CPU whose thread holds the lock");
  assertStringIncludes(
    told(panic(14)),
    "The thread that waits for the lock is the one that holds it",
  );
  assertStringIncludes(
    told(panic(3, other)),
    "The lock's owner ran on CPU 14; the backtrace is that of CPU 3, which waited.",
  );
  assertStringIncludes(told(panic(3)), "org.example.driver.Cart, com.apple.iokit.IOCart");
});

Deno.test("a spindump says what blocked the main thread, and what the thread did that it waited for", () => {
  const text = `Date/Time:        2026-01-02 03:04:05.000 +0000
Report Version:   60
Event:            hang
Duration:         5.00s
Command:          Shop
PID:              77

Process:          Shop [77] [unique pid 705395]
CPU Time:         0.010s

  Thread 0x1a    DispatchQueue "com.apple.main-thread"(1)    50 samples (1-50)
  50  start + 1 (dyld + 25360) [0x7ff806675310]
    50  open + 4 (Shop + 4660) [0x10b4d1234]
      50  __ulock_wait + 10 (libsystem_kernel.dylib + 9000) [0x7fff2033f3e8]
       *50  ulock_wait + 10 (kernel + 9000) [0xffffff8000b3f3e8] (blocked by turnstile with priority 47 waiting for Shop [77] [unique pid 77] thread 0x2b after 2 hops) 1-50

  Thread 0x2b    DispatchQueue "org.shop.db"(20)    50 samples (1-50)
  50  start_wqthread + 15 (libsystem_pthread.dylib + 7291) [0x7fff2031ac7b]
    50  load + 4 (Shop + 9999) [0x10b4d270f]
      50  pread + 10 (libsystem_kernel.dylib + 1000) [0x7fff20330000]
`;
  assertEquals(readReport(text, "x").process.name, "Shop");
  assertStringIncludes(
    told(text),
    "blocked by turnstile with priority 47 waiting for Shop [77] thread 0x2b after 2 hops.",
  );
  assertStringIncludes(
    told(text),
    'Thread 1 (0x2b), on the queue "org.shop.db": in the file system (pread) in 50 of 50',
  );
  assert(!told(text).includes("did not only wait"), told(text));
  const itself = text.replace(/waiting for Shop.*\)/, "waiting for this thread)");
  assertStringIncludes(told(itself), "waiting for this thread: it holds that itself");
});

Deno.test("a machine that did not wake in its firmware: the stacks have nothing to do with it", () => {
  const text = (before: string) =>
    `${before}Date/Time:        2026-01-02 03:04:05 +0000\nReport Version:   29\n\n` +
    "Event:            Sleep Wake Failure\nDuration:         0.00s\nSteps:            1\n\n" +
    "Process:          swd [73]\nNum samples:      1 (1)\n\n" +
    "  Thread 0x9bd    1 sample (1)    priority 4 (base 4)\n" +
    "  1  start + 1 (libdyld.dylib + 109769) [0x7fff68d69cc9] 1\n";
  assertStringIncludes(
    told(text("Sleep Wake failure in EFI\n\nFailure code:: 0x00000000 0x0000001f\n\n")),
    "It failed in EFI, the machine's firmware, with the code 0x00000000 0x0000001f",
  );
  assert(!told(text("")).includes("EFI"));
  // As a post has it: the only process is the one that took the stacks.
  const post = text("`Sleep Wake failure in EFI\n\nFailure code:: 0x00000000 0x0000001f\n\n")
    .replace("Report Version", "OS Version:       ??? ??? (Build ???)\nReport Version");
  assertStringIncludes(told(post), "with the code 0x00000000 0x0000001f");
  const { headline, thread, happened } = explainReport(readReport(post, "x"));
  assertEquals([headline, thread], ["sleep wake failure", null]);
  assert(!happened.some((line) => line.startsWith("Duration")), happened.join("\n"));
});

Deno.test("a fault that a process only had reported did not end it", () => {
  const { headline, happened, check } = explainReport(
    readReport(
      "Process:             maild [301]\nPath:                /usr/libexec/maild\n\nException Type:  EXC_GUARD\n" +
        "Exception Subtype: GUARD_TYPE_USER\nException Message: namespc 7 reason_code 0x0000000000000009\n" +
        "Exception Codes: 0x6000000000000007, 0x0000000000000009\nTermination Reason: LIBXPC 9 XPC_EXIT_REASON_FAULT\n\n" +
        "Triggered by Thread:  0\n\nThread 0 Crashed:\n0   libsystem_kernel.dylib 0x1e0001000 os_fault_with_payload + 8\n",
      "x",
    ),
  );
  assertEquals(headline, "maild: EXC_GUARD");
  assertStringIncludes(happened.join("\n"), "has a report made of it without ending the process");
  assertStringIncludes(happened.join("\n"), "It says: XPC_EXIT_REASON_FAULT");
  assert(!happened.join("\n").includes("ended the process"), happened.join("\n"));
  assertStringIncludes(check.join("\n"), "the system's log of that time");
});

Deno.test("a sample whose addresses atos named: function, image and line", () => {
  const report = readReport(
    "Analysis of sampling Till (pid 7) every 1 millisecond\nProcess:         Till [7]\n" +
      "Path:            /Users/x/Till\n\nCall graph:\n" +
      "    90 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)\n" +
      "      90 start  (in dyld) + 462  [0x1077c151e]\n" +
      "        90 main (in Till) (main.m:30) [0x103c0deb0]\n" +
      "          90 -[Drawer(Cash) open:] (in Till) (Drawer.m:24) [0x103c0de6f]\n" +
      "            90 __psynch_mutexwait  (in libsystem_kernel.dylib) + 10  [0x7ff811e3abd2]\n",
    "x",
  );
  const { deciding } = attributeReport(report);
  const { symbol, file, line } = deciding!.frame;
  assertEquals([symbol, file, line], ["-[Drawer(Cash) open:]", "Drawer.m", 24]);
  assertEquals(deciding?.library, "Till");
});

Deno.test("a process that was not ended for a resource: so it is told", () => {
  const { happened } = explainReport(
    readReport(
      `Date/Time:        2026-01-02 03:04:05.000 +0000
Command:          poller
Path:             /usr/local/bin/poller
Event:            wakeups
Action taken:     none
Wakeups:          45001 wakeups over the last 35 seconds (1279 wakeups per second average), exceeding limit of 150 wakeups per second over 300 seconds

Heaviest stack for the target process:
  30  main + 10 (poller + 100) [0x1000064]
`,
      "x",
    ),
  );
  assertStringIncludes(happened.join("\n"), "the system did not end the process for it");
});
