/** One small report for each claim about the cause that must hold: by the access, the sanitizer, the reason, the handler. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { attributeReport, explainReport, readReport } from "../../../lib/report/mod.ts";
import { isIdleStack } from "../../../lib/report/explain/hang.ts";
import { isNearest } from "../../../lib/report/nearest.ts";
import type { ReportFrame } from "../../../lib/report/report.ts";
import { frameLines, told } from "./fixtures.ts";

/** A crash text of a thread, from `image symbol` each. */
function crashText(head: string[], frames: string[], title = "Thread 0 Crashed:"): string {
  return [
    "Process:               Shop [123]",
    "Path:                  /Applications/Shop.app/Contents/MacOS/Shop",
    "Code Type:             X86-64 (Native)",
    "",
    ...head,
    "Triggered by Thread:   0",
    "",
    title,
    ...frameLines(frames),
    "",
  ].join("\n");
}

Deno.test("a read that was refused in readable memory is not told as a write", () => {
  const text = (error: string) =>
    `${
      crashText([
        "Exception Type:        EXC_BAD_ACCESS (SIGBUS)",
        "Exception Codes:       KERN_PROTECTION_FAILURE at 0x0000000108001020",
        "",
        "VM Regions Near 0x108001020:",
        "--> __TEXT                 0000000108000000-0000000108070000 [  448K] r-x/rwx SM=COW  /usr/local/lib/libshop.dylib",
        "",
      ], ["Shop sell + 4", "Shop main + 8"])
    }
Logical CPU:     2
Error Code:      ${error}
Trap Number:     14
`;
  assert(!told(text("0x00000004")).causes.includes("write"));
  assertStringIncludes(told(text("0x00000004")).causes, "mapped, unmapped or protected");
  assertStringIncludes(told(text("0x00000007")).causes, "a write to a constant or to code");
});

Deno.test("what dispatch_once calls is no block of a queue", () => {
  const head = ["Exception Type:        EXC_BREAKPOINT (SIGTRAP)"];
  const title = "Thread 0 Crashed::  Dispatch queue: com.apple.main-thread";
  const { what } = told(crashText(head, [
    "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 176",
    "Shop one-time initialization function for prices + 12",
    "libdispatch.dylib _dispatch_client_callout + 16",
    "libdispatch.dylib _dispatch_once_callout + 32",
    "Shop ShopApp.init() + 508",
    "Shop main + 8",
  ], title));
  assert(!what.includes("queue"), what);
  assertStringIncludes(what, "code that runs once");
  // A block of a queue that it ran within still is one.
  const within = told(crashText(head, [
    "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 176",
    "Shop one-time initialization function for prices + 12",
    "libdispatch.dylib _dispatch_client_callout + 16",
    "libdispatch.dylib _dispatch_once_callout + 32",
    "Shop prices.unsafeMutableAddressor + 50",
    "libdispatch.dylib _dispatch_call_block_and_release + 32",
    "libdispatch.dylib _dispatch_client_callout + 16",
    "libsystem_pthread.dylib start_wqthread + 8",
  ], "Thread 0 Crashed::  Dispatch queue: shop.prices"));
  assertStringIncludes(within.what, "in a block on the queue shop.prices");
});

Deno.test("a Swift package's resource bundle that is not there", () => {
  const { what, causes } = told(
    crashText(["Exception Type:        EXC_BREAKPOINT (SIGTRAP)"], [
      "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 176",
      "Shop closure #1 in variable initialization expression of static NSBundle.module + 628",
      "Shop one-time initialization function for module + 12",
      "Shop main + 8",
    ]),
  );
  assertStringIncludes(what, "the resource bundle of a Swift package was to be opened");
  assertStringIncludes(causes, "is not where the generated code looks for it");
});

Deno.test("a reason that was not formatted is one, without the names", () => {
  for (const [sign, words] of [["+", "A class does not have"], ["-", "An object does not have"]]) {
    const { what } = told(
      crashText([
        "Exception Type:        EXC_CRASH (SIGABRT)",
        `Exception Reason: ${sign}[%s %s]: unrecognized selector sent to class 0x105822dc8`,
      ], ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 100"]),
    );
    assert(!what.includes("not have its reason"), what);
    assertStringIncludes(what, `${words} the`);
    assertStringIncludes(what, "was not formatted");
  }
});

Deno.test("malloc without names that called abort() stopped the process", () => {
  const under = (caller: string) =>
    told(
      crashText(["Exception Type:        EXC_CRASH (SIGABRT)"], [
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_pthread.dylib pthread_kill + 200",
        "libsystem_c.dylib abort + 104",
        "libsystem_malloc.dylib 0x1b7428000 + 124104",
        "libsystem_malloc.dylib 0x1b7428000 + 76448",
        `${caller} + 40`,
        "Shop -[Shop sell] + 176",
        "Shop main + 8",
      ]),
    );
  const { what, whose } = under("libobjc.A.dylib object_dispose");
  assertStringIncludes(what, "malloc found an error");
  assert(!what.includes("does not say why"), what);
  assertEquals(whose.slice(0, 2), ["unknown", "malloc"]);
  // Who asks for a new block passes no pointer that could be wrong.
  for (
    const caller of [
      "libobjc.A.dylib _objc_rootAllocWithZone",
      "CoreFoundation _CFRuntimeCreateInstance",
      "libc++abi.dylib operator new(unsigned long)",
    ]
  ) {
    const asked = under(caller);
    assertStringIncludes(asked.what, "malloc failed while it allocated a block");
    assert(!asked.what.includes("does not say why"), asked.what);
    assertEquals(asked.whose.slice(0, 2), ["unknown", "heap"]);
  }
});

Deno.test("an assertion's text is told as absent where it is", () => {
  const stack = [
    "libsystem_kernel.dylib __pthread_kill + 8",
    "libsystem_c.dylib abort + 100",
    "libsystem_c.dylib __assert_rtn + 284",
    "Shop sell + 176",
    "Shop main + 8",
  ];
  const head = ["Exception Type:        EXC_CRASH (SIGABRT)"];
  assertStringIncludes(told(crashText(head, stack)).what, "Its text is not in the report.");
  const said = "Assertion failed: (price > 0), function sell, file shop.c, line 7.";
  const { what } = told(
    crashText([...head, "", "Application Specific Information:", said, ""], stack),
  );
  assertStringIncludes(what, "price > 0");
  assert(!what.includes("not in the report"), what);
});

Deno.test("names of frames whose number is from the image's start", () => {
  const report = readReport(
    `Exception Type:  EXC_CRASH (SIGKILL)

Thread 0 Crashed:
0   libsystem_platform.dylib  0x21d9a9c70 _sigtramp + 0
1   Shop   0x104818a2c -[Basket priceAtIndex:] (in Shop) (Basket.m:758) + 34032172
2   Shop   0x104806c88 main (in Shop) (main.m:9) + 33959048
`,
    "x",
  );
  const { firstOwn, check } = explainReport(report);
  assertEquals([firstOwn?.symbol, firstOwn?.file, firstOwn?.line], [
    "-[Basket priceAtIndex:]",
    "Basket.m",
    758,
  ]);
  assert(!check.some((text) => text.includes("no names")));
});

Deno.test("Ruby's exceptions in a console: their places are a stack, and all are told", () => {
  const log = (time: string, pid: number, text: string): string =>
    `2024-01-02 10:00:${time} Shop[${pid}:961] ${text}`;
  const reason = "Basket.rb:30:in `priceFor:': undefined method `-' for nil:NilClass";
  const report = readReport(
    [
      log("01.100", 11, `${reason} (NoMethodError)`),
      "\tfrom Basket.rb:34:in `total:'",
      log(
        "01.120",
        11,
        `*** Terminating app due to uncaught exception 'NoMethodError', reason: '${reason} (NoMethodError)`,
      ),
      "\tfrom Basket.rb:34:in `total:'",
      "\tfrom BasketView.rb:43:in `drawRect:'",
      "",
      log(
        "09.500",
        12,
        "*** Terminating app due to uncaught exception 'ArgumentError', reason: 'shelf.rb:8:in `add:': wrong number (ArgumentError)",
      ),
      "\tfrom ShelfView.rb:69:in `drawRect:'",
      "",
    ].join("\n"),
    "x",
  );
  assertEquals(report.lastException?.map(({ symbol, file, line }) => [symbol, file, line]), [
    ["priceFor:", "Basket.rb", 30],
    ["total:", "Basket.rb", 34],
    ["drawRect:", "BasketView.rb", 43],
  ]);
  const { verdict, deciding } = attributeReport(report);
  assertEquals([verdict, deciding?.frame.symbol], ["program", "priceFor:"]);
  assertStringIncludes(
    explainReport(report).happened.join("\n"),
    "The text has another one: ArgumentError: shelf.rb:8",
  );
});

Deno.test("the place that a sanitizer's own stack has", () => {
  const { what } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGABRT)",
      "Exception Codes:       EXC_I386_GPFLT",
      "",
      "Application Specific Information:",
      "==77==ERROR: UndefinedBehaviorSanitizer: SEGV on unknown address 0x000000000000 (pc 0x0001018844bf bp 0x70000d9dddc0 sp 0x70000d9ddd00 T867)",
      "==77==The signal is caused by a READ memory access.",
      "    #0 0x1018844be in fill_shelf(int) shelf.cc:810",
      "",
    ], [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 100",
      "libclang_rt.ubsan_osx_dynamic.dylib __sanitizer::Abort() + 5",
      "libsystem_platform.dylib _sigtramp + 26",
      "Shop run + 4",
      "Shop main + 8",
    ]),
  );
  assertStringIncludes(
    what,
    "The sanitizer's own stack begins in fill_shelf(int) at shelf.cc:810.",
  );
});

Deno.test("run-times whose handler ended the process are named", () => {
  const { what } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGABRT)",
      "Exception Codes:       KERN_INVALID_ADDRESS at 0x00000000000000d4",
    ], [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 100",
      "ruby die + 9",
      "ruby rb_bug_context + 570",
      "ruby sigsegv + 83",
      "libsystem_platform.dylib _sigtramp + 26",
      "ruby vm_call_cfunc + 304",
      "ruby main + 8",
    ]),
  );
  assertStringIncludes(what, "Ruby's own handler of the signal then ended the process.");
});

Deno.test("an object whose count of references Swift changes is not null", () => {
  const { what, causes } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000010",
    ], [
      "libswiftCore.dylib swift::RefCounts<swift::RefCountBitsT<(swift::RefCountInlinedness)1> >::incrementSlow(swift::RefCountBitsT<(swift::RefCountInlinedness)1>, unsigned int) + 108",
      "libswiftCore.dylib swift_retain + 60",
      "Shop Cart.items.getter + 8",
      "Shop main + 8",
    ]),
  );
  assertStringIncludes(what, "An invalid object was used");
  assertStringIncludes(what, "a small number, not nil");
  assert(!causes.includes("a pointer that is null"), causes);
});

Deno.test("a main thread that the program put to sleep waited for nothing else", () => {
  const waited = (frames: string[]) =>
    told(
      crashText([
        "Exception Type:  EXC_CRASH (SIGKILL)",
        "Exception Codes: 0x0000000000000000, 0x0000000000000000",
        "Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d",
        "Termination Description: SPRINGBOARD, scene-create watchdog transgression: com.example.shop exhausted real (wall clock) time allowance of 19.93 seconds | Elapsed application CPU time (seconds): 0.006, 0% CPU",
      ], [
        ...frames,
        "UIKitCore -[UIApplication _run] + 852",
        "UIKitCore UIApplicationMain + 340",
        "Shop main + 120",
      ]),
    ).causes;
  const slept = (frames: string[]) =>
    waited([
      "libsystem_kernel.dylib __semwait_signal + 8",
      "libsystem_c.dylib nanosleep + 220",
      ...frames,
    ]);
  const open = "Shop -[Delegate application:didFinishLaunchingWithOptions:] + 84";
  assertStringIncludes(
    slept(["libsystem_c.dylib sleep + 52", open]),
    "a call of sleep() on the main thread",
  );
  // A library of the system may wait for something by it.
  assert(!slept(["libsqlite3.dylib unixSleep + 20", open]).includes("a call of"));
  // What is known of the wait excludes the others.
  const flushed = waited(["libsystem_kernel.dylib __fsync + 8", open]);
  assertStringIncludes(flushed, "the main thread was blocked on the disk");
  assert(!flushed.includes("the network"), flushed);
});

Deno.test("a guarded descriptor that was closed, in a report of a process that went on", () => {
  const { what, causes } = told(
    crashText([
      "Exception Type:  EXC_GUARD",
      "Exception Subtype: GUARD_TYPE_FD",
      "Exception Message: CLOSE on file descriptor 63 (guarded with 0x08fd4dbfade2dead)",
      "Exception Note:  SIMULATED (this is NOT a crash)",
    ], ["libsystem_kernel.dylib close + 8", "Shop sell + 176", "Shop main + 8"]),
  );
  assertStringIncludes(what, "The guard is SQLite's guard on its database files.");
  assertStringIncludes(what, "closed a file descriptor that somebody had put under guard");
  assertStringIncludes(causes, "closed twice");
});

Deno.test("a sample's frames without names count", () => {
  const { happened } = explainReport(
    readReport(
      `Analysis of sampling shop (pid 7) every 1 millisecond
Process:         shop [7]
Code Type:       X86-64 (Native)

Call graph:
    100 Thread_33   DispatchQueue_1: com.apple.main-thread  (serial)
      70 Shop::sell(int)
        70 __memcpy
      30 0x1009a1611
        30 0x1010617f0
          30 Shop::sweep()

Total number in stack (recursive counted multiple, when >=5):

Sort by top of stack, same collapsed (when >= 5):
        __memcpy        70
`,
      "x",
    ),
  );
  assertStringIncludes(happened.join("\n"), "mostly in __memcpy: 70 of 100 samples (70%)");
});

Deno.test("a trap in Swift's library without names is a check that the caller made", () => {
  const head = ["Exception Type:        EXC_BREAKPOINT (SIGTRAP)"];
  const { causes } = told(
    crashText(head, [
      "libswiftCore.dylib 0x187569000 + 1269056",
      "Shop static Basket.price() + 556 (Basket.swift:11)",
      "Shop main + 8",
    ]),
  );
  assertStringIncludes(causes, "fatalError(), a precondition");
  assert(!causes.includes("overflow"), causes);
});

Deno.test("work of dispatch_apply is no block of a queue", () => {
  const { what } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000000",
    ], [
      "Shop sell(int) + 476",
      "libdispatch.dylib _dispatch_client_callout2 + 20",
      "libdispatch.dylib _dispatch_apply_invoke_and_wait + 176",
      "libdispatch.dylib dispatch_apply + 96",
      "Shop main + 8",
    ], "Thread 0 Crashed::  Dispatch queue: com.apple.root.user-interactive-qos"),
  );
  assertStringIncludes(what, "a part of the work that dispatch_apply() divides among threads");
  assert(!what.includes("in a block"), what);
});

Deno.test("whose page has a signature that does not hold", () => {
  const { what } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGKILL (Code Signature Invalid))",
      "Exception Subtype:     KERN_INVALID_ADDRESS at 0x0000000100ed4e40",
      "Exception Codes:       0x0000000000000001, 0x0000000100ed4e40",
      "Termination Reason:    Namespace CODESIGNING, Code 2 Invalid Page",
      "",
      "VM Region Info: 0x100ed4e40 is in 0x100eb8000-0x100ee0000;  bytes after start: 118336  bytes before end: 45503",
      "      REGION TYPE                    START - END         [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
      "--->  __TEXT                      100eb8000-100ee0000    [  160K] r-x/r-x SM=COW  /Applications/Shop.app/Contents/MacOS/Shop",
      "",
    ], ["libobjc.A.dylib lookUpImpOrForward + 420", "AppKit -[NSApplication run] + 8"]),
  );
  assertStringIncludes(what, "The address was 0x100ed4e40: it is in a region of type __TEXT");
  assertStringIncludes(what, "/Contents/MacOS/Shop");
});

Deno.test("a binary spindump is refused with what makes text of it", () => {
  const text = "Use spindump -i to generate textual report\nSpindump binary format\nb00IAAA\n";
  assertThrows(() => readReport(text, "x"), Error, "`spindump -i FILE`");
});

Deno.test("a piece of a sample without its head; a memory limit's line with a space", () => {
  const sampled = readReport(
    `It waits for ever:

$ sample 77
    801 Thread_114   DispatchQueue_1: com.apple.main-thread  (serial)
      801 shop.write  (in shop) + 164  [0x1029a9ac0]  shop.zig:142
`,
    "x",
  );
  assertEquals([sampled.format, sampled.threads[0].frames[0].line], ["sample", 142]);
  const several = readReport(
    `$ sample 77
    801 Thread_114: Main Thread   DispatchQueue_<multiple>
      801 shop.write  (in shop) + 164  [0x1029a9ac0]  shop.zig:142
`,
    "x",
  ).threads[0];
  assertEquals([several.id, several.name, several.queue], [114n, "Main Thread", null]);
  const limit = readReport(
    "08:52:24.043  kernel   memorystatus: Shop [1509] exceeded mem limit: ActiveHard 50 MB (fatal)\n",
    "x",
  );
  assertEquals([limit.process.name, limit.process.pid], ["Shop", 1509]);
  assertStringIncludes(
    explainReport(limit).happened.join("\n"),
    "used more memory than its own limit allows",
  );
});

Deno.test("an assertion of a framework that is linked in is the framework's, that of an accessor its caller's", () => {
  const { whose } = told(
    crashText(["Exception Type:        EXC_CRASH (SIGABRT)"], [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 104",
      "libsystem_c.dylib __assert_rtn + 268",
      "Shop facebook::jsi::Function::getHostFunction(facebook::jsi::Runtime&) const + 76",
      "Shop worklets::WorkletRuntimeDecorator::decorate(facebook::jsi::Runtime&) + 20",
      "Shop -[ShopHandler sell] + 40",
      "Shop main + 8",
    ]),
  );
  assertEquals(
    whose[2],
    "worklets::WorkletRuntimeDecorator::decorate(facebook::jsi::Runtime&)",
  );
});

Deno.test("an internal error of Ruby whose message is not there", () => {
  const { what } = told(
    crashText(["Exception Type:        EXC_CRASH (SIGABRT)"], [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 104",
      "libruby.2.2.0.dylib die + 9",
      "libruby.2.2.0.dylib rb_bug + 558",
      "libruby.2.2.0.dylib vm_call_cfunc + 2468",
      "ruby main + 8",
    ]),
  );
  assertStringIncludes(what, "Ruby met an internal error.\nIts message is not in the report.");
});

Deno.test("what share of a sample's time garbage collection took", () => {
  const { happened } = explainReport(
    readReport(
      `Analysis of sampling shop (pid 7) every 1 millisecond
Process:         shop [7]
Code Type:       X86-64 (Native)

Call graph:
    100 Thread_33   DispatchQueue_1: com.apple.main-thread  (serial)
      70 Shop::sell(int)
        70 __memcpy
      30 0x1009a1611
        30 v8::internal::Heap::CollectGarbage(v8::internal::AllocationSpace)
          28 v8::internal::MarkCompactCollector::CollectGarbage()

Sort by top of stack, same collapsed (when >= 5):
        __memcpy        70
`,
      "x",
    ),
  );
  assertStringIncludes(
    happened.join("\n"),
    "70 of 100 samples (70%); garbage collection in 30 of 100 samples (30%)",
  );
});

Deno.test("an exception of a native module that was being made one of JavaScript", () => {
  const { what } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000004",
    ], [
      "hermes hermes::vm::JSObject::getComputed() + 76",
      "React facebook::react::TurboModuleConvertUtils::convertNSExceptionToJSError(facebook::jsi::Runtime&) + 180",
      "libdispatch.dylib _dispatch_client_callout + 20",
      "libsystem_pthread.dylib start_wqthread + 8",
    ], "Thread 0 Crashed::  Dispatch queue: shop.modules"),
  );
  assertStringIncludes(what, "an Objective-C exception that a native module had raised");
  assertStringIncludes(what, "does not tell which");
});

/** A thread's registers as a report of an Intel CPU has them. */
function intelState(registers: string, error: string): string {
  return [
    "",
    "Thread 0 crashed with X86 Thread State (64-bit):",
    `  ${registers}`,
    "",
    "Logical CPU:     2",
    `Error Code:      ${error}`,
    "Trap Number:     14",
    "",
  ].join("\n");
}

Deno.test("a jump into data is no write to a constant", () => {
  const head = (address: string, line: string): string[] => [
    "Exception Type:        EXC_BAD_ACCESS (SIGBUS)",
    `Exception Codes:       KERN_PROTECTION_FAILURE at ${address}`,
    "",
    `VM Regions Near ${address}:`,
    `--> ${line}`,
    "",
  ];
  const constants =
    "__AUTH_CONST 100004000-100008000 [ 16K] r--/rw- SM=COW  /usr/lib/libshop.dylib";
  // The innermost frame is at the address itself.
  const jumped = told(crashText(head("0x0000000100004000", constants), [
    "??? vtable for shop::Till + 16",
    "Plugin close + 40",
    "Shop main + 8",
  ]));
  assertStringIncludes(jumped.what, "jumped there, into data and not code (vtable for shop::Till)");
  assertStringIncludes(jumped.causes, "a function pointer, method or return address");
  assert(!jumped.causes.includes("write"), jumped.causes);
  // The CPU says that it was an instruction that it read.
  const fetched = told(
    crashText(head("0x0000000100006000", constants), ["Shop sell + 4", "Shop main + 8"]) +
      intelState(
        "rax: 0x0000000100006000",
        "0x00000015 (invalid protections for user instruction read)",
      ),
  );
  assertStringIncludes(fetched.what, "jumped there, into memory that may not be executed");
  // Where nothing says which it was, both are possible; of code only a write is.
  const cut = (line: string) => told([...head("0x0000000100006000", line), ""].join("\n")).causes;
  assertStringIncludes(cut(constants), "a jump to an address that has no code");
  assert(!cut(constants.replace("r--", "r-x")).includes("jump"));
});

Deno.test("the protected region below a thread's stack is its end, whatever its type", () => {
  const text = (sp: string, region: string, error = "0x00000006") =>
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Codes:       KERN_PROTECTION_FAILURE at 0x00007ffee2593ff8",
      "",
      "VM Regions Near 0x7ffee2593ff8:",
      `--> ${region}`,
      "    Stack                    7ffee2594000-7ffee2d94000 [ 8192K] rw-/rwx SM=SHM  thread 0",
      "",
    ], ["Shop fill + 1", "Shop fill + 6"]) + intelState(`rsp: ${sp}`, error);
  const below = "Stack                    7ffeded94000-7ffee2594000 [ 56.0M] r--/rwx SM=PRV";
  const full = told(text("0x00007ffee2594000", below));
  assertStringIncludes(full.what, "it is in a stack's guard page: the stack is full");
  assertStringIncludes(full.causes, "recursion");
  assert(!full.causes.includes("constant"), full.causes);
  // By its pointer the stack is hardly in use.
  const guard =
    "STACK GUARD              7ffeded94000-7ffee2594000 [ 56.0M] ---/rwx SM=NUL  stack guard for thread 0";
  const far = told(text("0x00007ffee2d90000", guard));
  assertStringIncludes(far.what, "8372232 bytes below the stack pointer");
  assert(!far.what.includes("is full") && !far.causes.includes("recursion"), far.what);
  // What runs on from the stack meets the guard's end, not its middle.
  const inside = told(
    text("0x00007ffee2d90000", guard).replaceAll("00007ffee2593ff8", "00007ffedf060058"),
  );
  assertStringIncludes(inside.what, "bytes below the stack pointer");
  assertStringIncludes(far.causes, "a local array");
  assert(!inside.causes.includes("local array") && !inside.next.includes("arrays"), inside.causes);
});

Deno.test("a stack that was full when a handler of the process took over", () => {
  const { what, causes } = told(crashText([
    "Exception Type:        EXC_BAD_ACCESS (SIGABRT)",
    "Exception Codes:       KERN_PROTECTION_FAILURE at 0x00007fff555e9f58",
    "",
    "VM Regions Near 0x7fff555e9f58:",
    "--> STACK GUARD            00007fff51dea000-00007fff555ea000 [ 56.0M] ---/rwx SM=NUL  stack guard for thread 0",
    "    Stack                  00007fff555ea000-00007fff55dea000 [ 8192K] rw-/rwx SM=COW  thread 0",
    "",
  ], [
    "libsystem_kernel.dylib __pthread_kill + 10",
    "libsystem_c.dylib abort + 129",
    "ruby die + 9",
    "ruby rb_bug + 558",
    "ruby main + 79",
  ]));
  assertStringIncludes(what, "the stack was full then");
  assertStringIncludes(causes, "recursion");
});

Deno.test("what a signal's handler raised is not the cause", () => {
  const frames = [
    "CoreFoundation __exceptionPreprocess + 124",
    "libobjc.A.dylib objc_exception_throw + 56",
    "CoreFoundation +[NSException raise:format:] + 120",
    "Shop ShopSignalHandler + 144",
    "libsystem_platform.dylib _sigtramp + 52",
    "Shop Till::count() + 20",
    "Shop main + 8",
  ];
  const { what, causes } = told(crashText(
    [
      "Exception Type:        EXC_BAD_ACCESS (SIGABRT)",
      "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000118",
    ],
    frames,
    "Last Exception Backtrace:",
  ));
  assert(!what.includes("was not caught"), what);
  assertStringIncludes(
    what,
    "The handler of the signal (ShopSignalHandler) then raised an exception: it came of the signal",
  );
  assertStringIncludes(causes, "a pointer that is null");
  // An abort that an exception led to is still told as one.
  const aborted = told(crashText(["Exception Type:        EXC_CRASH (SIGABRT)"], [
    ...frames.slice(0, 5),
    "libsystem_kernel.dylib __pthread_kill + 8",
    "libsystem_c.dylib abort + 148",
    "libc++abi.dylib abort_message + 132",
    "libobjc.A.dylib _objc_terminate() + 124",
    "libc++abi.dylib std::__terminate(void (*)()) + 16",
    "libc++abi.dylib __cxa_throw + 124",
    "libobjc.A.dylib objc_exception_throw + 340",
    "Shop sell + 20",
    "Shop main + 8",
  ]));
  assertStringIncludes(aborted.what, "An Objective-C exception was not caught");
});

Deno.test("an exception that a reporter remembers did not end a process that made a bad access", () => {
  const { what } = told(crashText([
    "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes:       KERN_INVALID_ADDRESS at 0x00000000f1fd8ab6",
    "",
    "Application Specific Information:",
    "*** Terminating app due to uncaught exception 'TillException', reason: 'no coins'",
    "",
  ], ["libobjc.A.dylib objc_msgSend + 16", "Shop count + 8", "Shop main + 8"]));
  assert(!what.includes("was not caught"), what);
  assertStringIncludes(
    what,
    "It says: *** Terminating app due to uncaught exception 'TillException'",
  );
});

Deno.test("a trap of the system in a child of fork() is on purpose", () => {
  const child = (frame: string) =>
    told(crashText([
      "Exception Type:        EXC_BREAKPOINT (SIGTRAP)",
      "",
      "Application Specific Information:",
      "*** multi-threaded process forked ***",
      "crashed on child side of fork pre-exec",
      "",
    ], [frame, "Shop main + 8"])).what;
  assertStringIncludes(
    child("CoreFoundation __CFRunLoopServiceMachPort + 330"),
    "CoreFoundation stopped the child on purpose",
  );
  assert(!child("Shop sell + 8").includes("on purpose"));
});

Deno.test("a watchdog's measures without its code; the system's other work; numbers of exception and signal", () => {
  const text = (percent: number) =>
    `Termination reason: <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-update watchdog transgression: app<shop>:15 exhausted real (wall clock) time allowance of 10.00 seconds
WatchdogCPUStatistics: (
"Elapsed total CPU time (seconds): 40.160 (user 28.900, system 11.260), ${percent}% CPU",
"Elapsed application CPU time (seconds): 0.127, 0% CPU"
)
Metadata:
  exceptionType: 10
  signal: 9
Thread 0 (attributed):
  Shop +0xc800 Shop::update() samples=1
`;
  assertStringIncludes(told(text(12)).what, "it computed for 0.127 s: it mostly waited.");
  assertStringIncludes(
    told(text(67)).what,
    "it waited, or got no CPU, of which the whole system used 67%",
  );
  assertEquals(
    explainReport(readReport(text(67), "x")).headline,
    "shop: EXC_CRASH (SIGKILL), ended by FRONTBOARD 0x8badf00d",
  );
});

Deno.test("a protected address without its region: by the stack pointer and the kind of access", () => {
  const head = [
    "Exception Type:        EXC_BAD_ACCESS (SIGBUS)",
    "Exception Codes:       KERN_PROTECTION_FAILURE at 0x000070000628dff8",
  ];
  const frames = ["Shop sell + 4", "Shop main + 8"];
  const { causes } = told(crashText(head, ["Shop sell + 4", "Shop pay + 8"]));
  assertStringIncludes(causes, "the end of a stack");
  assert(!causes.includes("what is gone"), causes);
  // Two functions below main() fill no stack; nor does what is in no region, far from any.
  assert(!told(crashText(head, frames)).causes.includes("the end of a stack"));
  const gap = "\nVM Regions Near 0x70000628dff8:\n" +
    "    MALLOC_TINY  700000100000-700000200000 [ 1024K] rw-/rwx SM=PRV  \n--> \n" +
    "    Generic      7000f24e0000-7000f24e1000 [    4K] rw-/rwx SM=PRV  \n";
  const apart = told(crashText([...head, gap], ["Shop sell + 4", "Shop pay + 8"]));
  assertStringIncludes(apart.what, "in no region");
  assert(!apart.causes.includes("the end of a stack"), apart.causes);
  const near = told(crashText(head, frames) + intelState("rsp: 0x000070000628e010", "0x00000006"));
  assertStringIncludes(near.what, "where memory is protected: the stack is full");
  const far = told(crashText(head, frames) + intelState("rsp: 0x0000700006900000", "0x00000006"));
  assert(!far.causes.includes("stack") && !far.causes.includes("jump"), far.causes);
  assertStringIncludes(far.causes, "a write to what may only be read");
  const read = told(crashText(head, frames) + intelState("rsp: 0x0000700006900000", "0x00000004"));
  assert(!read.causes.includes("write"), read.causes);
});

Deno.test("null without a stack may be a function's; near null in a nameless libobjc a class", () => {
  const head = [
    "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000000",
  ];
  assertStringIncludes(
    told([...head, ""].join("\n")).causes,
    "a function pointer that is null, and that was called",
  );
  assert(!told(crashText(head, ["Shop sell + 4", "Shop main + 8"])).causes.includes("function"));
  const objc = told(crashText([head[0], head[1].replace(/0$/, "8")], [
    "libobjc.A.dylib 0x1c0f00000 + 120112",
    "Shop main + 8",
  ]));
  assertStringIncludes(objc.what, "null plus 8, or what was read from an object as its class");
  assert(!objc.causes.includes("null"), objc.causes);
});

Deno.test("an address where nothing is mapped is no page whose signature does not hold", () => {
  const { what, causes } = told([
    "Exception Type:  EXC_BAD_ACCESS (SIGKILL - CODESIGNING)",
    "Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000000",
    "Exception Codes: 0x0000000000000001, 0x0000000000000000",
    "Termination Reason: CODESIGNING 2 Invalid Page",
    "",
  ].join("\n"));
  assert(!what.includes("does not match its signature"), what);
  assertStringIncludes(causes, "null");
});

Deno.test("codes that the kernel gives to each signal of an ARM CPU say nothing more", () => {
  const text = (type: string, codes: string, cpu: string) =>
    crashText([
      `Exception Type:        ${type}`,
      `Exception Codes:       ${codes}`,
    ], ["Shop sell + 4", "Shop main + 8"]).replace("X86-64 (Native)", cpu);
  const arm = told(text("SIGSEGV", "SEGV_ACCERR at 0x10c0ffee4", "ARM-64"));
  assert(!arm.what.includes("memory is mapped at"), arm.what);
  assert(!arm.causes.includes("write"), arm.causes);
  const intel = told(text("SIGSEGV", "SEGV_ACCERR at 0x10c0ffee4", "X86-64 (Native)"));
  assertStringIncludes(intel.what, "memory is mapped at the address");
  // An address that is aligned for all accesses was not refused for that.
  const bus = told(text("SIGBUS", "BUS_ADRALN at 0x10c0ffee4", "ARM-64"));
  assertStringIncludes(bus.causes, "a pointer that is not aligned");
  const aligned = told(text("SIGBUS", "BUS_ADRALN at 0x10c0ffee0", "ARM-64"));
  assert(!aligned.causes.includes("not aligned"), aligned.causes);
});

Deno.test("code whose page could not be read in is no bad function pointer", () => {
  const { what } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGBUS)",
      "Exception Codes:       KERN_MEMORY_ERROR at 0x0000000100004000",
      "",
      "VM Regions Near 0x100004000:",
      "--> mapped file            0000000100004000-0000000100014000 [   64K] r-x/r-x SM=COW  Object_id=2b94dcc9",
      "",
    ], ["??? 0 + 4295000064", "??? 0 + 4295000128"]),
  );
  assertStringIncludes(what, "it is that of the instruction itself: its page of code");
  assert(!what.includes("function pointer"), what);
});

Deno.test("an arrow at the region that follows the address is not the address's region", () => {
  const { what } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000080000004",
      "",
      "VM Regions Near 0x80000004:",
      "--> __TEXT                 0000000100000000-00000001001e1000 [ 1924K] r-x/rwx SM=COW  /Shop",
      "",
    ], ["Shop sell + 4", "Shop main + 8"]),
  );
  assert(!what.includes("__TEXT"), what);
});

Deno.test("near null, an address that no member's offset makes may be a number", () => {
  const causes = (address: string) =>
    told(crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      `Exception Codes:       KERN_INVALID_ADDRESS at ${address}`,
    ], ["Shop sell + 4", "Shop main + 8"])).causes;
  assertStringIncludes(causes("0x0000000000000112"), "a number that was taken for a pointer");
  assert(!causes("0x0000000000000110").includes("a number"));
});

Deno.test("malloc's abort deep behind a handler of the signal is malloc's", () => {
  const handler = Array.from({ length: 16 }, (_, at) => `Shop onCrash${at} + 4`);
  const { what } = told(
    crashText(["Exception Type:        EXC_CRASH (SIGABRT)"], [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 100",
      ...handler,
      "libsystem_platform.dylib _sigtramp + 26",
      "libsystem_c.dylib abort + 104",
      "libsystem_malloc.dylib 0x19f080000 + 124104",
      "CoreFoundation CFStringCreateWithBytes + 48",
      "Shop readSettings + 8",
      "Shop main + 8",
    ]),
  );
  assertStringIncludes(what, "malloc found an error");
});

Deno.test("a protected page that a run-time made below the stack is the stack's end", () => {
  const { what, causes } = told(crashText([
    "Exception Type:        EXC_BAD_ACCESS (SIGABRT)",
    "Exception Codes:       KERN_PROTECTION_FAILURE at 0x00007ffee200bd60",
    "",
    "VM Regions Near 0x7ffee200bd60:",
    "    Stack Guard            00007ffee200a000-00007ffee200b000 [    4K] ---/rwx SM=NUL  ",
    "--> VM_ALLOCATE            00007ffee200b000-00007ffee200c000 [    4K] ---/rwx SM=NUL  ",
    "    Stack                  00007ffee200c000-00007ffee600a000 [ 64.0M] rw-/rwx SM=COW  ",
    "",
  ], ["libsystem_kernel.dylib __pthread_kill + 10", "libsystem_c.dylib abort + 127"]));
  assertStringIncludes(what, "the stack was full then");
  assertStringIncludes(causes, "recursion");
});

Deno.test("an instruction in memory that is not for code is no page whose signature does not hold", () => {
  const { what, causes } = told(
    crashText([
      "Exception Type:  EXC_BAD_ACCESS (SIGKILL - CODESIGNING)",
      "Exception Codes: KERN_PROTECTION_FAILURE at 0x000000717fd32d18",
      "Termination Reason: CODESIGNING 2 Invalid Page",
      "VM Region Info: 0x717fd32d18 is in 0x717fd00000-0x717fd90000;  bytes after start: 1  bytes before end: 2",
      "      REGION TYPE    START - END         [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
      "--->  mapped file 717fd00000-717fd90000    [ 576K] r--/rw- SM=COW  Object_id=1",
      "",
    ], ["??? 0x717fd32d18"]) + "Thread 0 crashed with ARM Thread State (64-bit):\n" +
      "    x0: 0x0000000000000001   pc: 0x000000717fd32d18  cpsr: 0x20000000\n" +
      "   far: 0x000000717fd32d18  esr: 0x82000007 (Instruction Abort) Translation fault\n",
  );
  assertStringIncludes(what, "An instruction was to be executed in memory that is not for code");
  assertStringIncludes(causes, "a bad function pointer");
});

Deno.test("a pointer that was cut to 32 bits: its lower half is in an image of the program", () => {
  const text = (address: string) =>
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      `Exception Codes:       KERN_INVALID_ADDRESS at ${address}`,
    ], ["Shop sell + 4", "Shop main + 8"]) +
    "\nBinary Images:\n       0x108cfe000 -        0x108d1efff +Shop (1.0) <6F23F0F4-25C5-3A3D-9F0C-3A1F5C0F7B11> /Applications/Shop.app/Contents/MacOS/Shop\n";
  assertStringIncludes(
    told(text("0x0000000008cfe004")).what,
    "a number, or a pointer into Shop that was cut to 32 bits",
  );
  assertStringIncludes(told(text("0x0000000018cfe004")).what, "a number, not a pointer");
});

Deno.test("an abort that another process sent is not the process's own", () => {
  const text = (by: string) =>
    crashText([
      "Exception Type:        EXC_CRASH (SIGABRT)",
      "Exception Codes:       0x0000000000000000, 0x0000000000000000",
      "Termination Reason:    Namespace SIGNAL, Code 6 Abort trap: 6",
      `Terminating Process:   ${by}`,
    ], ["Shop sell + 4", "Shop main + 8"]);
  const { what } = told(text("keeper [77]"));
  assertStringIncludes(what, "It was keeper [77] that sent the signal.");
  assert(!what.includes("ended itself"), what);
  assertStringIncludes(told(text("Shop [123]")).what, "ended itself");
});

Deno.test("a look-up of a method reads the class of an object that is not nil", () => {
  const { what } = told(crashText([
    "Exception Type:  SIGSEGV",
    "Exception Codes: SEGV_ACCERR at 0x10",
  ], ["libobjc.A.dylib lookUpImpOrForward + 48", "Shop main + 8"]));
  assertStringIncludes(what, "null plus 16, or what was read from an object as its class");
});

Deno.test("a 64-bit process is known by its addresses; what was done to memory under guard", () => {
  const cut = [
    "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000008cfe004",
    "",
    "Thread 0 Crashed:",
    "0   Shop  \t0x0000000108e5a4a9 sell + 9",
    "1   Shop  \t0x0000000108daafd0 main + 112",
    "",
  ].join("\n");
  assertStringIncludes(told(cut).what, "below 4 GB, where most 64-bit programs have nothing");
  assert(!told(cut.replaceAll("0x0000000108", "0x0000000008")).what.includes("4 GB"));
  const { what, causes } = told([
    "Exception Type:  EXC_GUARD (SIGKILL)",
    "Exception Subtype: GUARD_TYPE_VIRT_MEMORY",
    "Exception Message: offset=0x000000010f819000, flavor=0x00000001 (DEALLOC_GAP)",
    "",
  ].join("\n"));
  assertStringIncludes(what, "released memory that is not allocated");
  assertStringIncludes(causes, "released twice");
});

Deno.test("an index that a framework refused is not one of the program's own frame", () => {
  const { check } = explainReport(readReport(
    crashText([
      "Exception Type:        EXC_CRASH (SIGABRT)",
      "",
      "Application Specific Information:",
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: '*** -[__NSArrayM objectAtIndex:]: index 56 beyond bounds [0 .. 55]'",
      "",
    ], [
      "CoreFoundation __exceptionPreprocess + 164",
      "libobjc.A.dylib objc_exception_throw + 48",
      "CoreFoundation -[__NSArrayM objectAtIndex:] + 200",
      "AppKit -[NSSavePanel runModal] + 623",
      "Shop askForFile + 12",
      "Shop main + 8",
    ], "Last Exception Backtrace:"),
    "x",
  ));
  assertStringIncludes(check.join("\n"), "in what askForFile (frame 4) had AppKit do");
});

Deno.test("an invalid instruction of a CPU that is not named may be a trap", () => {
  const text = (lines: string[]) =>
    told([...lines, "Exception Type:    EXC_BAD_INSTRUCTION (SIGILL)", ""].join("\n")).what;
  assertStringIncludes(text([]), "on Intel it is mostly ud2");
  assertStringIncludes(text([]), "Whether a check failed");
  assert(!text(["Code Type: ARM-64 (Native)"]).includes("ud2"));
});

Deno.test("protected memory above the stack pointer is the stack's end as well", () => {
  const { what } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGBUS)",
      "Exception Codes:       KERN_PROTECTION_FAILURE at 0x000000016b517f60",
    ], ["Shop sell + 4", "Shop main + 8"]) + intelState("rsp: 0x000000016b517ed0", "0x00000006"),
  );
  assertStringIncludes(what, "144 bytes above the stack pointer, where memory is protected");
});

Deno.test("a vector instruction under Rosetta, by the bytes in tmp1, is no failed check", () => {
  const text = (bytes: string) =>
    told(
      crashText(["Exception Type:        EXC_BAD_INSTRUCTION (SIGILL)"], ["Shop 0x100d1f000 + 97"])
        .replace("X86-64 (Native)", "X86-64 (Translated)") + `
Thread 0 crashed with X86 Thread State (64-bit):
  rip: 0x0000000100004000  rfl: 0x0000000000000202
 tmp0: 0x0000000100004000 tmp1: ${bytes} tmp2: 0x0005c74800f7a6bd
`,
    );
  const vector = text("0x0511f8c5c057f8c5");
  assertStringIncludes(vector.what, "a vector instruction (AVX)");
  assert(!vector.causes.includes("ud2"), vector.causes);
  assert(!text("0x0511f8c5c0570b0f").causes.includes("AVX"));
});

Deno.test("which of its functions a view controller was in, where the stack shows it", () => {
  const head = ["Exception Type:        EXC_CRASH (SIGABRT)"];
  const called = (frame: string) =>
    told(crashText(head, [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 72",
      frame,
      "UIKit -[UIViewController loadViewIfRequired] + 66",
      "Shop main + 8",
    ])).what;
  assertStringIncludes(
    called("UIKit -[UIViewController _loadViewFromNibNamed:bundle:] + 8"),
    "loaded its view (loadView)",
  );
  assert(!called("Shop cart + 8").includes("viewDidLoad"));
});

Deno.test("a page of a mapped file is no code that was made at run time", () => {
  const { causes } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGKILL (Code Signature Invalid))",
      "Exception Codes:       0x0000000000000032, 0x0000000108ce0000",
      "Termination Reason:    Namespace CODESIGNING, Code 2, Invalid Page",
      "",
      "VM Region Info: 0x108ce0000 is in 0x108ce0000-0x108e3c000;  bytes after start: 0  bytes before end: 1425407",
      "--->  mapped file                 108ce0000-108e3c000    [ 1392K] r--/rwx SM=COW  Object_id=802586a4",
      "",
    ], ["dyld mach_o::Universal::isUniversal + 16", "Shop main + 8"]),
  );
  assertStringIncludes(causes, "changed in place");
  assert(!causes.includes("run time"), causes);
});

Deno.test("code in no image that read a null pointer is said to be such", () => {
  const { what } = told(
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000000",
    ], ["??? ???"]) + `
Thread 0 crashed with ARM Thread State (64-bit):
   pc: 0x0000000100004000 cpsr: 0x60001000 far: 0x0000000000000000 esr: 0x92000006 (Data Abort) byte read Translation fault

Binary Images:
       0x1040c4000 -        0x104593fff shop (*) <61e00000000030000000000000000000> /Users/USER/shop
       0x192949000 -        0x192982ff3 libsystem_kernel.dylib (*) <61e00000000030000000000000000001> /usr/lib/system/libsystem_kernel.dylib
`,
  );
  assertStringIncludes(what, "The code is in no image");
  assertStringIncludes(what, "Its stack has no other frame.");
});

Deno.test("memory that operator new did not get, whoever's new-handler ended the process", () => {
  const { what, causes } = told(crashText(["Exception Type:        EXC_CRASH (SIGABRT)"], [
    "libsystem_kernel.dylib __pthread_kill + 10",
    "libsystem_c.dylib abort + 120",
    "com.apple.driver.AppleIntelKBLGraphicsGLDriver llvm::report_bad_alloc_error(char const*, bool) + 74",
    "com.apple.driver.AppleIntelKBLGraphicsGLDriver out_of_memory_new_handler() + 21",
    "libc++abi.dylib operator new(unsigned long) + 43",
    "libc++.1.dylib std::__1::basic_string<char>::resize(unsigned long, char) + 39",
    "Shop Shop::load(char const*) + 4",
    "Shop main + 8",
  ]));
  assertStringIncludes(what, "An allocation of memory failed: operator new called the new-handler");
  assertStringIncludes(what, "out_of_memory_new_handler");
  assertStringIncludes(what, "basic_string<char>::resize");
  assert(!/compiler|graphics driver/.test(what + causes), what);
});

Deno.test("a signal that the process sent to itself", () => {
  const { what } = told(crashText(["Exception Type:        EXC_CRASH (SIGSEGV)"], [
    "libsystem_kernel.dylib __kill + 8",
    "Foundation __NSThreadPerformPerform + 382",
    "CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__ + 12",
    "Shop main + 8",
  ]));
  assertStringIncludes(what, "sent the signal to itself, by kill()");
  assertStringIncludes(what, "The function that called kill() is not on the stack.");
  assert(!what.includes("another thread"), what);
});

Deno.test("a bad access whose signal Go's run-time raised again, in the simulator", () => {
  const text = crashText([
    "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000020",
    "",
    "Application Specific Information:",
    "CoreSimulator 117.15 - Device: iPhone 6 - Runtime: iOS 8.4 (12H141) - DeviceType: iPhone 6",
    "",
  ], ["Shop runtime.raiseproc + 30"]);
  const { headline, happened, check } = explainReport(readReport(text, "x"));
  assertStringIncludes(headline, "in the simulator (iPhone 6, iOS 8.4)");
  assertStringIncludes(happened.join("\n"), "had taken the signal and raised it again");
  assert(!check.join("\n").includes("faulting instruction"), check.join("\n"));
});

Deno.test("a value of another kind than its caller expects", () => {
  const why = (method: string) =>
    told(
      "Exception Type:        EXC_CRASH (SIGABRT)\nCrashed Thread:        0  Dispatch queue: com.apple.main-thread\n\n" +
        "Application Specific Information:\n*** Terminating app due to uncaught exception 'NSInvalidArgumentException', " +
        `reason: '${method}: unrecognized selector sent to instance 0x6000032d1040'\n\n` +
        "Application Specific Backtrace 1:\n" +
        "0   CoreFoundation                      0x00007fff3a29238b __exceptionPreprocess + 250\n" +
        "1   Shop                                0x0000000101517115 Shop + 49429\n",
    ).what;
  const what = why("-[__NSCFString unsignedIntValue]");
  assertStringIncludes(what, "A string stood where a number was expected.");
  assertStringIncludes(what, 'on thread 0 "com.apple.main-thread"');
  assertStringIncludes(why("-[__NSCFNumber length]"), "does not have the method");
  assertStringIncludes(
    why("-[__NSArrayI objectForKey:]"),
    "An array stood where a dictionary was expected.",
  );
});

Deno.test("the crash of a crash reporter while it wrote the report", () => {
  const { what } = told(
    `${
      crashText([
        "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
        "Exception Codes:       KERN_INVALID_ADDRESS at 0xffffffff",
      ], ["Shop sell + 4"])
    }
Handler crashed while reporting:

Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
Exception Codes: KERN_INVALID_ADDRESS at 0x00000000
Crashed Thread:  7

Thread 7 Crashed:
0   libsystem_c.dylib               0x35bc1fc8 0x35ba5000 + 118728 (printf + 76)
1   Shop                            0x0003a2c8 0x39000 + 4808 (onCrash + 28)
2   Shop                            0x0003a2d8 0x39000 + 4824 (report + 28)
`,
  );
  assertStringIncludes(
    what,
    "Then the crash handler itself crashed while it wrote the report: EXC_BAD_ACCESS (SIGSEGV), KERN_INVALID_ADDRESS at 0x00000000, on thread 7, in printf, called by onCrash (Shop).",
  );
});

Deno.test("a background task beyond its time: no work where nothing was computed", () => {
  const { what, causes } = told(
    "Process:         Shop [408]\nException Codes: 0x000000008badf00d\n\nApplication Specific Information:\n" +
      "Shop[408] has active assertions beyond permitted time:\n{(\n" +
      "    <BKProcessAssertion: 0x1> identifier: Task permittedBackgroundDuration: 600.000000 reason: finishTask\n)}\n\n" +
      "Elapsed total CPU time (seconds): 235.590 (user 235.590, system 0.000), 20% CPU\n" +
      "Elapsed application CPU time (seconds): 1.345, 0% CPU\n\nThread 0:\n" +
      "0   libsystem_kernel.dylib        \t0x39d59eb4 mach_msg_trap + 20\n",
  );
  assertStringIncludes(what, "The system ended the app");
  assertStringIncludes(what, "was permitted 600 s");
  assertStringIncludes(what, "computed for 1.345 s (0% CPU): it mostly waited");
  assert(!causes.includes("too much work"), causes);
  // They may stand behind the times, as a paragraph that is like a section's title.
  const behind = told(
    "Process:         Shop [408]\nException Codes: 0x000000008badf00d\n\nApplication Specific Information:\n" +
      "Elapsed application CPU time (seconds): 8.780, 87% CPU\n\n" +
      'Shop has active assertions for 10.17s:\n  BackgroundTask - 50s ("Bake"), active for 10.17s\n\nThread 0:\n' +
      "0   libsystem_kernel.dylib        \t0x39d59eb4 mach_msg_trap + 20\n",
  );
  assertStringIncludes(behind.what, 'BackgroundTask - 50s ("Bake")');
});

Deno.test("codes of an access beside the signal of abort(), which interrupted abort(): no access of that stack", () => {
  const text = (inner: readonly string[]) =>
    crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGABRT)",
      "Exception Codes:       KERN_PROTECTION_FAILURE at 0x0000000000000000",
      "",
    ], [
      "libsystem_kernel.dylib __pthread_kill + 10",
      "libsystem_c.dylib abort + 129",
      "Shop mono_handle_native_sigsegv + 858",
      "Shop sigabrt_signal_handler + 109",
      "libsystem_platform.dylib _sigtramp + 26",
      ...inner,
      "Shop main + 20",
    ]);
  const own = told(text([
    "libsystem_c.dylib raise + 26",
    "libsystem_c.dylib abort + 129",
    "libglib-2.0.0.dylib g_assertion_message + 365",
    "Shop bake + 9",
  ])).what;
  assertStringIncludes(
    own,
    "KERN_PROTECTION_FAILURE at 0x0, which the report has too, is most likely",
  );
  assert(!own.includes("it is null"), own);
  const access = told(text(["Shop bake + 9"])).what;
  assertStringIncludes(access, "it is null");
  assert(!access.includes("of an earlier exception"), access);
});

Deno.test("a spindump of several processes tells of the one that it was asked for", () => {
  const part = (name: string, time: string, loop: string) => `
Process:         ${name}
Path:            /System/Library/CoreServices/X.app/Contents/MacOS/X
CPU Time:        ${time}

  Thread 0x2419c      DispatchQueue 1     1000 samples (1-1000) priority 47
  1000  start + 1 (libdyld.dylib + 13769) [0x7fff8ae375c9]
    1000  ${loop} + 212 (CoreFoundation + 469780) [0x7fff91e55b14]
      1000  mach_msg_trap + 10 (libsystem_kernel.dylib + 70958) [0x7fff913e452e]
       *1000  ipc_mqueue_receive_continue + 0 (kernel + 1209328) [0xffffff80003273f0]
`;
  const spindump = (command: string, pid: number) =>
    `Date/Time:       2014-12-16 04:37:53 -0600
OS Version:      10.10.1 (Build 14B25)
Report Version:  21

Command:         ${command}
PID:             ${pid}

Duration:        9.99s
Steps:           1000 (10ms sampling interval)

` + part("Shop [1469]", "0.018s", "__CFRunLoopServiceMachPort") +
    part("spindump [1684]", "4.113s", "take") +
    part("WindowServer [1441]", "0.966s", "CGXRunOneServicesPass");
  const { what } = told(spindump("Shop", 1469));
  assertStringIncludes(
    what,
    "In Shop [1469], which computed for 0.018 s, the main thread: idle in 1000",
  );
  assertStringIncludes(what, "beside spindump's own 4.113 s: WindowServer [1441] 0.966 s");
  // The window server waits for requests in a loop of its own.
  assertStringIncludes(
    told(spindump("WindowServer", 1441)).what,
    "the main thread: idle in 1000 of 1000",
  );
  // What other tools printed behind it has headers of processes too.
  const more = told(
    `${spindump("Shop", 1469)}\nCustom Output:\n\nheap 1469\n` +
      "Process:         Shop [1469]\nPath:            /x/Shop\n\nProcess:         Cart [7]\nCPU Time:        9.5s\n",
  ).what;
  assertStringIncludes(more, "The report has 3 processes (Shop, spindump, WindowServer).");
  assert(!more.includes("Cart"), more);
  // Older ones have no unit, and none need have been asked for. The kernel works for the others.
  const kernel = `
Process:         kernel_task [0]
Path:            /System/Library/Kernels/kernel
CPU Time:        0.212

  Thread 0x76         1000 samples (1-1000) priority 91
 *1000  vm_pageout_continue + 0 (kernel + 1209328) [0xffffff80003273f0]
`;
  const all = spindump("", 0).replace(/^(?:Command|PID): .*\n/gm, "").replaceAll(/(\d)s$/gm, "$1");
  const idle = told(all + kernel).what;
  assertStringIncludes(idle, "beside spindump's own 4.113 s: WindowServer [1441] 0.966 s, kernel");
  assertStringIncludes(idle, "In WindowServer [1441], the main thread: idle");
  assertStringIncludes(idle, "of the whole system, and notes no process that did not answer.");
  assert(!what.includes("of the whole system"), what);
  // A thread that was there for a moment says nothing of its process.
  const passing = told(
    all.replace(
      /(?=\n {2}Thread 0x2419c.*\n.*\n.*CGXRun)/,
      "\n  Thread 0x51ab      DispatchQueue 2     1 sample (316) priority 47\n" +
        "  1  start_wqthread + 13 (libsystem_pthread.dylib + 9213) [0x7fff58007300]\n" +
        "    1  flush + 212 (WindowServer + 469780) [0x10f91e55b]\n",
    ),
  ).what;
  assertStringIncludes(passing, "In WindowServer [1441], the main thread: idle");
  assert(!passing.includes("flush"), passing);
  // Each process has a main(), which names none of them.
  const mains = (all + kernel).replace(
    /(?=\n {4}1000 {2}take)/,
    "\n   1000  main + 1 (taker + 5) [0x100001000]",
  );
  assert(!explainReport(readReport(mains, "x")).headline.startsWith("taker"));
  const alone = told(
    spindump("kernel_task", 0).replace(/\nProcess: [^]*/, "") + kernel + part("Shop [7]", "", ""),
  ).what;
  assertStringIncludes(alone, "idle in 1000 of 1000");
});

Deno.test("a library that the program has a copy of, but looks for elsewhere", () => {
  const text = (copy: string) =>
    crashText([
      "Exception Type:        EXC_CRASH (SIGABRT)",
      "Termination Reason:    DYLD, [0x1] Library missing",
      "",
      "Dyld Error Message:",
      "  Library not loaded: /usr/local/Cellar/openssl/lib/libcrypto.1.0.0.dylib",
      "  Referenced from: /Applications/Shop.app/Contents/Frameworks/libssl.1.0.0.dylib",
      "  Reason: image not found",
      "",
    ], []) + `
Binary Images:
       0x10d674000 -        0x10d7e8af7 +${copy} (0) <81EE9FE4-56AD-333A-B447-C768F4A3A2F2> /Applications/Shop.app/Contents/Frameworks/${copy}
`;
  const { causes } = told(text("libcrypto.1.0.0.dylib"));
  assertStringIncludes(causes, "by the path that it had where the program was built");
  assert(!causes.includes("not shipped"), causes);
  assertStringIncludes(told(text("libz.dylib")).causes, "not shipped");
});

Deno.test("pointers are signed only where an image is for arm64e", () => {
  const text = (arch: string) =>
    crashText([
      "Exception Type:  SIGSEGV",
      "Exception Codes: SEGV_ACCERR at 0x3fe7fb82fffffff8",
    ], ["Shop sell + 4", "Shop main + 8"]).replace("X86-64", "ARM-64") + `
Binary Images:
       0x100000000 -        0x100007fff +Shop ${arch}  <81ee9fe456ad333ab447c768f4a3a2f2> /var/containers/Bundle/Application/Shop.app/Shop
`;
  assert(!told(text("arm64")).what.includes("signed"));
  assertStringIncludes(told(text("arm64e")).what, "or a signed one");
});

Deno.test("an exception that KSCrash found by a freed object was not thrown", () => {
  const { what } = told(crashText([
    "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes: KERN_INVALID_ADDRESS at 0x500297c3",
    "",
    "Application Specific Information:",
    "*** Terminating app due to uncaught exception 'ShopException', reason: 'closed'",
    "NOTE: This exception has been deallocated! Stack trace is crash from attempting to access this zombie exception.",
    "",
  ], ["libobjc.A.dylib objc_msgSend + 16", "Shop main + 8"]));
  assertStringIncludes(
    what,
    "An exception that was already deallocated was used; it was not thrown",
  );
});

Deno.test("a main thread that quits is not idle in the run loop that AppKit waits in", () => {
  const stack = (caller: string) =>
    [
      "mach_msg2_trap",
      "__CFRunLoopServiceMachPort",
      "__CFRunLoopRun",
      "_CFRunLoopRunSpecificWithOptions",
      caller,
      "-[NSApplication terminate:]",
      "-[NSApplication run]",
      "main",
    ].map((symbol, index) =>
      ({
        ...{ index, address: 0n, image: null, imageName: "AppKit", symbol, offset: 4 },
        ...{ file: null, line: null, column: null, inlined: false, span: null },
      }) as unknown as ReportFrame
    );
  assert(!isIdleStack(stack("-[NSPersistentUIManager _waitForPendingChangesToFinish]")));
  assert(isIdleStack(stack("-[NSApplication runModalForWindow:]")));
});

const trap = ["Exception Type:        EXC_BREAKPOINT (SIGTRAP)"];
const abort = ["Exception Type:        EXC_CRASH (SIGABRT)"];
const bad = (address: string): string[] => [
  "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
  `Exception Codes:       KERN_INVALID_ADDRESS at ${address}`,
];
const start = ["Shop main + 8", "libdyld.dylib start + 1"];

Deno.test("nil that Objective-C passes for a string or collection is empty in Swift, for a date it stops", () => {
  const of = (type: string): string =>
    told(crashText(trap, [
      `libswiftFoundation.dylib static ${type}._unconditionallyBridgeFromObjectiveC(_:) + 20`,
      "Shop Cart.load() + 4",
      ...start,
    ])).what;
  for (const type of ["Array", "Dictionary", "String"]) {
    assert(!of(type).includes("passed nil"), of(type));
  }
  assertStringIncludes(of("Date"), "Objective-C passed nil to Swift");
});

Deno.test("occasions say no more than the function tells", () => {
  const when = (...frames: string[]): string =>
    told(crashText(bad("0x8"), [...frames, ...start])).what;
  // A closure of a method runs at any time.
  assert(!when("Shop closure #1 in Cart.viewDidLoad() + 4").includes("viewDidLoad"));
  assertStringIncludes(when("Shop Cart.viewDidLoad() + 4"), "while a view controller loaded");
  // A library's static objects are destroyed where it is unloaded too.
  const unloaded = when(
    "Shop Cart::~Cart() + 4",
    "libsystem_c.dylib __cxa_finalize_ranges + 319",
    "libdyld.dylib dlclose + 65",
  );
  assert(!unloaded.includes("exited"), unloaded);
  assertStringIncludes(unloaded, "while a library was unloaded");
  // Who told observers need not have called one.
  assertStringIncludes(
    when(
      "libobjc.A.dylib objc_msgSend + 29",
      "Foundation -[NSNotificationCenter postNotificationName:object:userInfo:] + 66",
    ),
    "It was while observers of a notification were told",
  );
  for (
    const frame of [
      "CoreVideo CVDisplayLink::start() + 9",
      "UIKit -[UIViewController viewDidMoveToWindow:shouldAppearOrDisappear:] + 9",
      "libcoreclr.dylib WKS::gc_heap::try_allocate_more_space(WKS::alloc_context*) + 9",
    ]
  ) {
    const what = when("Shop work + 4", frame);
    assert(!/callback of a display|viewWillAppear|garbage/.test(what), what);
  }
});

Deno.test("initializers of a stack that is cut need not have run before main()", () => {
  const cut = told(crashText(bad("0x8"), [
    "Shop init() + 4",
    "dyld ImageLoaderMachO::doModInitFunctions(X) + 4",
    "dyld ImageLoader::recursiveInitialization(X) + 4",
  ])).what;
  assert(!cut.includes("before main()"), cut);
  assertStringIncludes(cut, "while static objects and libraries were initialized");
});

Deno.test("a deep stack whose access was at null did not overflow", () => {
  const frames = Array.from({ length: 500 }, () => "Shop visit + 8");
  const at = (address: string): string => told(crashText(bad(address), frames)).what;
  assert(!at("0x0").includes("overflowed"), at("0x0"));
  assertStringIncludes(at("0x7ffeef3ffff8"), "The stack most likely overflowed by recursion");
  // A stack that is whole, and an access to what is not mapped.
  const whole = told(
    crashText(bad("0x6f0000001230"), [...frames.slice(0, 430), "Shop main + 8", "dyld start + 4"]),
  ).what;
  assertStringIncludes(whole, "The stack is deep");
  // The end of a stack is no text.
  assert(!at("0x6f632d657761").includes("overflowed"), at("0x6f632d657761"));
});

Deno.test("what calls C for Go did not end the process", () => {
  const { what } = told(crashText(abort, [
    "libsystem_kernel.dylib __pthread_kill + 8",
    "libsystem_c.dylib abort + 104",
    "libsystem_c.dylib __assert_rtn + 284",
    "CoreDisplay CDShow + 9",
    "Shop runtime.asmcgocall.abi0 + 112",
  ]));
  assert(!what.includes("Go"), what);
  assertStringIncludes(what, "An assertion failed");
});

Deno.test("messages: who else says the same words", () => {
  const says = (text: string): string =>
    told(crashText([...abort, "", "Application Specific Information:", text, ""], start)).what;
  for (
    const [text, no, yes] of [
      ["Unhandled exception:\ntype 'Null' is not a subtype", ".NET exception", "was not handled"],
      ["Fatal error: [File:/b/Cart.cpp] [Line: 4]", "Swift", "Unreal Engine"],
      [
        "-[MTLDebugEncoder setBuffer]:9: failed assertion `offset is out of bounds'",
        "collection or string",
        "A check of Metal failed",
      ],
      ["child view controller:<A: 0x1> should have parent", "presented", "its parent"],
      [
        "dlopen(/opt/shop/libpay.dylib, 0x0002): tried: '/opt/shop/libpay.dylib'",
        "x".repeat(9),
        "dlopen",
      ],
    ]
  ) {
    assert(!says(text).includes(no), says(text));
    assertStringIncludes(says(text), yes);
  }
});

Deno.test("a name that several libraries use says of none whose it is", () => {
  const maker = (symbol: string): string | null =>
    attributeReport(readReport(crashText(bad("0x8"), [`Shop ${symbol} + 4`, ...start]), "x")).maker;
  for (
    const symbol of ["hb_buffer_init", "FT_ListDevices", "uv_select_all", "-[BatchUploader send]"]
  ) {
    assertEquals(maker(symbol), null);
  }
  assertEquals(maker("hb_shape_full"), "HarfBuzz");
  assertEquals(maker("FT_Load_Glyph"), "FreeType");
  const part = attributeReport(
    readReport(crashText(bad("0x8"), ["Shop interp_v3_v3v3 + 4", "Shop System_Quit + 4"]), "x"),
  );
  assertEquals([part.part, part.deciding?.frame.symbol], [null, "interp_v3_v3v3"]);
});

Deno.test("the main thread that unloads a library does not end the process", () => {
  const two = (...frames: string[]): string =>
    told(
      crashText([...bad("0x8"), "Triggered by Thread:   1"], frames, "Thread 0:") +
        "\nThread 1 Crashed:\n0   Shop      0x0000000100004000 work + 4\n",
    ).what.replaceAll("\n", " ");
  const finalize = ["Shop ~Cart + 4", "libsystem_c.dylib __cxa_finalize_ranges + 319"];
  const unload = two(...finalize, "libdyld.dylib dlclose + 65", ...start);
  assert(!unload.includes("ending the process"), unload);
  assertStringIncludes(
    two(...finalize, "libsystem_c.dylib exit + 55", ...start),
    "was ending the process by exit()",
  );
});

const killed = [
  "libsystem_kernel.dylib __pthread_kill + 10",
  "libsystem_c.dylib abort + 127",
];

Deno.test("what is for the main thread, used by Java; a method far out of what raised; a plug-in by its extension", () => {
  const java = told(crashText([
    ...bad("0x1f08000c"),
    "Crashed Thread:        22  Java: Java2D Queue Flusher",
    "",
    "Application Specific Information:",
    "-[NSOpenGLContext setView:] must be called from the main thread.",
    "",
  ], start));
  assertStringIncludes(java.causes, "code of Java");
  const shown = (between: number): string =>
    told(crashText(abort, [
      ...killed,
      "libc++abi.dylib std::terminate() + 51",
      "libobjc.A.dylib objc_exception_throw + 51",
      "CoreFoundation +[NSException raise:format:] + 12",
      ...Array.from({ length: between }, (_, at) => `UIKitCore -[UIPart work${at}] + 8`),
      "UIKitCore -[UIViewController presentViewController:animated:completion:] + 200",
      "Shop -[Cart open] + 8",
      ...start,
    ])).what;
  assertStringIncludes(shown(1), "presented or pushed in a state");
  assert(!shown(9).includes("presented or pushed"), shown(9));
  const { isLibrary } = attributeReport(
    readReport(crashText(bad("0x8"), ["Tube 5.MusicDevice.component work + 4", ...start]), "x"),
  );
  assertEquals(isLibrary, true);
});

Deno.test("a toolkit's own event loop only waited for what the system handled", () => {
  const of = (...inner: string[]): readonly unknown[] =>
    told(crashText(bad("0x10"), [
      ...inner,
      "CoreFoundation CFRunLoopRunSpecific + 332",
      "AppKit -[NSApplication nextEventMatchingMask:untilDate:inMode:dequeue:] + 113",
      "libtoolkit.dylib poll_events + 312",
      "libtoolkit.dylib main_loop + 28",
      ...start,
    ])).whose;
  const system = [
    "HIServices DoDropMessage + 65",
    "HIServices CoreDragMessageHandler + 1755",
    "CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__ + 49",
    "CoreFoundation __CFRunLoopDoSource1 + 155",
  ];
  assertEquals([of(...system)[0], of(...system)[2]], ["system", null]);
  assertEquals(of("libtoolkit.dylib drop + 8", ...system)[2], "drop");
});

Deno.test("code that Mono compiled decides nothing that is known; its handlers never do", () => {
  const managed = (os: string): readonly unknown[] =>
    told(crashText([`OS Version: ${os}`, ...bad("0x3c")], [
      ...killed,
      "libmonosgen-2.0.dylib mono_handle_native_sigsegv + 624",
      "libmonosgen-2.0.dylib mono_sigsegv_signal_handler + 248",
      "libsystem_c.dylib _sigtramp + 43",
      "libmonosgen-2.0.dylib mono_sigill_signal_handler + 64",
      "??? 0x1abab85c",
      "libgobject-2.0.0.dylib g_cclosure_marshal_VOID__OBJECT + 233",
      "libmonosgen-2.0.dylib mono_runtime_invoke + 126",
      ...start,
    ])).whose;
  assertEquals(managed("Mac OS X 10.8.2"), ["unknown", "compiled", null]);
  // The innermost frame of a program that Rosetta translates is Rosetta's.
  const translated = told(
    crashText(abort, [
      "??? 0x7ff899d0e940",
      ...killed,
      "Shop halt + 8",
      "libmonobdwgc-2.0.dylib mono_runtime_invoke + 126",
      ...start,
    ]).replace("X86-64 (Native)", "X86-64 (Translated)"),
  );
  assertEquals(translated.whose, ["program", null, "halt"]);
  const native = told(crashText(bad("0x3c"), [
    ...killed,
    "libmonosgen-2.0.dylib mono_sigsegv_signal_handler + 248",
    "libsystem_c.dylib _sigtramp + 43",
    "libmonosgen-2.0.dylib mono_sigill_signal_handler + 64",
    "libgdk-2.0.dylib find_window + 12",
    "libmonosgen-2.0.dylib mono_runtime_invoke + 126",
    ...start,
  ]));
  assertEquals(native.whose[2], "find_window");
});

Deno.test("what a thread's passed call raised is thrown anew: who raised it is not on the stack", () => {
  const { what, whose } = told(crashText(abort, [
    ...killed,
    "libobjc.A.dylib _objc_terminate + 96",
    "libstdc++.6.dylib std::terminate() + 10",
    "libstdc++.6.dylib __cxa_throw + 78",
    "libobjc.A.dylib objc_exception_throw + 64",
    "Foundation __NSThreadPerformPerform + 648",
    "CoreFoundation __CFRunLoopDoSources0 + 376",
    "CoreFoundation CFRunLoopRunSpecific + 224",
    "UIKit UIApplicationMain + 664",
    ...start,
  ]));
  assert(!what.includes("raised in"), what);
  assertEquals(whose.slice(0, 2), ["unknown", "thrower"]);
});

Deno.test("what a dealloc method used is not what the pool released", () => {
  const of = (...frames: string[]): string =>
    told(crashText(bad("0x6000000c"), [
      ...frames,
      "libobjc.A.dylib AutoreleasePoolPage::pop(void*) + 354",
      "CoreFoundation _CFAutoreleasePoolPop + 12",
      ...start,
    ])).what;
  assertStringIncludes(of("libobjc.A.dylib objc_release + 6"), "autorelease pool was emptied");
  const within = of(
    "UIKit -[UITableView setDelegate:] + 2038",
    "UIKit -[UIScrollView dealloc] + 52",
  );
  assert(!within.includes("autorelease pool"), within);
});

Deno.test("what called the event loop did nothing else, without names or through a run-time", () => {
  const whose = (...outer: string[]): readonly unknown[] =>
    told(crashText(bad("0x2c"), [
      "UIKit -[UIView sort] + 12",
      "CoreFoundation __CFRunLoopDoObservers + 272",
      "CoreFoundation CFRunLoopRunSpecific + 472",
      "UIKit UIApplicationMain + 1436",
      ...outer,
    ])).whose;
  assertEquals(whose("Shop 0x124a40", "Shop 0x1f87460"), ["system", null, null]);
  assertEquals(
    whose(
      "Shop wrapper_managed_to_native_UIKit_UIApplication_UIApplicationMain_int + 8",
      "Shop mono_runtime_exec_main + 8",
      "Shop xamarin_main + 8",
      "Shop main + 8",
      "libdyld.dylib start + 1",
    ),
    ["system", null, null],
  );
});

Deno.test("a condition on a member is one of a state; malloc's error function says not which error", () => {
  const state = told(crashText([
    ...abort,
    "",
    "Application Specific Information:",
    "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'Invalid parameter not satisfying: _openCount > 0'",
    "",
  ], start));
  assert(!state.causes.includes("nil"), state.causes);
  assertStringIncludes(state.what, "in a state in which it may not be called");
  const malloc = told(crashText(abort, [
    ...killed,
    "libsystem_malloc.dylib szone_error + 596",
    "libsystem_malloc.dylib free + 217",
    "Shop drop + 8",
    ...start,
  ]));
  assertStringIncludes(malloc.what, "malloc found an error");
  assertEquals(malloc.whose.slice(0, 2), ["unknown", "malloc"]);
});

Deno.test("the first shared cache of 32-bit ARM; the counter that Rosetta does not know", () => {
  const text = [
    "Process:         Shop [1]",
    "Path:            /var/mobile/Applications/1/Shop.app/Shop",
    "Code Type:       ARM (Native)",
    "OS Version:      iPhone OS 5.0.1 (9A405)",
    "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes: KERN_INVALID_ADDRESS at 0x00000000",
    "Crashed Thread:  0",
    "",
    "Thread 0 Crashed:",
    "0   ShopMapModel                  	0x376df5cc 0x3769f000 + 263628",
    "1   Foundation                    	0x31c0fc32 __block_invoke_0 + 10",
    "2   CoreFoundation                	0x31b676e2 CFRunLoopRunSpecific + 22",
    "",
  ].join("\n");
  assertEquals(told(text).whose[0], "system");
  const noted = (type: string): string =>
    told(
      `Code Type: X86-64 (${type})\nNotes:\nPC register does not match crashing frame (0x0 vs 0x100001000)\n\n` +
        `Crashed Thread: 7\n\n${bad("0x0").join("\n")}\n`,
    ).what;
  assertStringIncludes(noted("Native"), "null function pointer");
  assert(!noted("Translated").includes("jumped"), noted("Translated"));
});

Deno.test("no event loop is on the stack only where none is; a system's program brings no others along", () => {
  const finder = (...frames: string[]) =>
    readReport(
      crashText(
        bad("0x18"),
        [...frames, "com.apple.finder 0x109d02f10", "dyld start + 1"],
        [
          "Thread 0 Crashed:: Dispatch queue: com.apple.main-thread",
        ][0],
      ).replaceAll("Shop", "Finder").replace(
        "/Applications/Finder.app",
        "/System/Library/CoreServices/Finder.app",
      ).replace("Code Type:", "Identifier:            com.apple.finder\nCode Type:"),
      "x",
    );
  const within = finder(
    "libobjc.A.dylib objc_msgSend + 23",
    "com.acme.Badger 0x110a02f10",
    "com.apple.AppKit -[NSApplication run] + 553",
  );
  assert(!explainReport(within).happened.join(" ").includes("No event loop"));
  const { verdict, isOutside } = attributeReport(within);
  assertEquals([verdict, isOutside], ["program", true]);
});

Deno.test("what is in no known image is not main()'s; images of the shared cache are the system's", () => {
  const unknown = told(crashText(bad("0x10"), ["??? 0x7b30064", "??? 0x7b30164", ...start]));
  assertEquals(unknown.whose, ["unknown", "some images", null]);
  const report = (base: number): unknown =>
    attributeReport(readReport(
      '{"app_name":"Shop","bug_type":"309","os_version":"iPhone OS 17.2 (21C62)"}\n' +
        JSON.stringify({
          procName: "Shop",
          procPath: "/private/var/containers/Bundle/Application/1/Shop.app/Shop",
          cpuType: "ARM-64",
          exception: { type: "EXC_BAD_ACCESS", signal: "SIGSEGV" },
          faultingThread: 0,
          threads: [{
            triggered: true,
            frames: [
              { imageOffset: 100, imageIndex: 0 },
              { imageOffset: 300, imageIndex: 1, symbol: "main", symbolLocation: 4 },
            ],
          }],
          usedImages: [
            { source: "P", base, size: 4096, uuid: "22222222-2222-2222-2222-222222222222" },
            {
              source: "P",
              base: 0x1_0000_0000,
              size: 4096,
              uuid: "11111111-1111-1111-1111-111111111111",
              path: "/private/var/containers/Bundle/Application/1/Shop.app/Shop",
              name: "Shop",
            },
          ],
        }),
      "x.ips",
    )).verdict;
  assertEquals([report(0x1_9000_0000), report(0x1_1000_0000)], ["program", "unknown"]);
});

Deno.test("frameworks of Apple's own applications are not the system's where no paths are", () => {
  const text = crashText(trap, [
    "com.apple.Foundation -[NSObject work] + 4",
    "com.apple.dt.IDEKit -[IDEWorkspace close] + 24",
    "com.apple.AppKit -[NSApplication run] + 553",
    "dyld start + 1",
  ]).replaceAll("Shop", "Xcode").replace(
    "Code Type:",
    "Identifier:            com.apple.dt.Xcode\nCode Type:",
  );
  assertEquals(told(text).whose.slice(0, 1), ["program"]);
  assertEquals(attributeReport(readReport(text, "x")).isApple, true);
});

Deno.test("AppKit off the main thread: what is for it only, and what is not", () => {
  const aside = (frames: string[], head: string[]): string =>
    told(
      `${
        crashText([...head, "Crashed Thread: 4  Java: main"], start, "Thread 0:")
      }\nThread 4 Crashed:: Java: main\n${
        frames.map((frame, at) => {
          const [image, ...symbol] = frame.split(" ");
          return `${at}   ${image}     0x00000001000040${at}0 ${symbol.join(" ")}`;
        }).join("\n")
      }\n`,
    ).what;
  const window = aside([
    "AppKit -[NSWindow initWithContentRect:styleMask:backing:defer:] + 45",
    "libglfw.dylib glfwCreateWindow + 6",
    "libsystem_pthread.dylib thread_start + 1",
  ], trap);
  assertStringIncludes(window, "was called on");
  const image = aside([
    "libsystem_kernel.dylib __pthread_kill + 10",
    "libsystem_c.dylib abort + 127",
    "libc++abi.dylib std::terminate() + 51",
    "libobjc.A.dylib objc_exception_throw + 51",
    "AppKit -[NSImage initWithData:] + 45",
    "libshop.dylib load + 6",
    "libsystem_pthread.dylib thread_start + 1",
  ], abort);
  assert(!image.includes("main thread"), image);
});

Deno.test("a thread's state may be that of another process; what a Mach message violates is no guarded port", () => {
  const guard = (flavor: bigint) =>
    told(crashText([
      "Exception Type:  EXC_GUARD (SIGKILL)",
      "Exception Codes: GUARD_TYPE_MACH_PORT",
      `Exception Codes: 0x${(1n << 61n | flavor << 32n).toString(16)}, 0x0`,
    ], ["libsystem_kernel.dylib mach_msg2_trap + 8", "Shop main + 8"])).what;
  assertStringIncludes(guard(5n), "of its own or of another process");
  assertStringIncludes(guard(3n), "no port was under guard");
  assert(!guard(3n).includes("Mach port 0x0"), guard(3n));
});

/** A console's copy of an uncaught exception: its name, its reason, and the frames of its throw, from `image symbol` each. */
function thrown(name: string, reason: string, frames: string[]): string {
  return `2026-01-02 03:04:05.678 Shop[77:303] *** Terminating app due to uncaught exception '${name}', reason: '${reason}'\n` +
    "*** First throw call stack:\n(\n" +
    [
      "CoreFoundation __exceptionPreprocess + 180",
      "libobjc.A.dylib objc_exception_throw + 44",
      ...frames,
    ]
      .map((frame, index) => {
        const space = frame.indexOf(" ");
        return `\t${String(index).padEnd(3)} ${frame.slice(0, space).padEnd(35)} 0x0203${
          index.toString(16).padStart(4, "0")
        } ${frame.slice(space + 1)}`;
      }).join("\n") +
    "\n)\n";
}

Deno.test("a function that only led to the one that raised an exception does not tell what it was", () => {
  const frames = [
    "UIKit -[UIViewController __supportedOnes] + 509",
    "UIKit -[UIViewController setIt:] + 139",
    "UIKit -[UIViewController viewDidMoveToWindow:shouldAppearOrDisappear:] + 999",
    "UIKit -[UIView(Internal) _addSubview:positioned:relativeTo:] + 1875",
    "UIKit -[UIView(Hierarchy) addSubview:] + 56",
    "Shop ShowShop + 973",
    "Shop main + 80",
  ];
  const unknown = told(thrown("ShopException", "the shop is closed", frames));
  assert(!/refused to add a view/.test(unknown.what), unknown.what);
  assert(!/Can't add self/.test(unknown.causes), unknown.causes);
  const orientation = told(
    thrown(
      "UIApplicationInvalidInterfaceOrientation",
      "Supported orientations has no common orientation with the application, and shouldAutorotate is returning YES",
      frames,
    ),
  );
  assertStringIncludes(orientation.what, "do not agree on the orientations");
  assertStringIncludes(orientation.causes, "UISupportedInterfaceOrientations");
  // The one that raised it, or had a function of its own do so, tells.
  assertStringIncludes(
    told(thrown("ShopException", "no", frames.slice(3))).what,
    "refused to add a view",
  );
  assertStringIncludes(
    told(thrown("ShopException", "no", ["UIKit ShopCheck + 4", ...frames.slice(3)])).what,
    "refused to add a view",
  );
});

Deno.test("without a header no image is the program's unless the stacks show it", () => {
  const crashlytics = (image: string, outer: string[] = []) =>
    attributeReport(readReport(
      [
        "Fatal Exception: NSInternalInconsistencyException",
        "0  CoreFoundation                 0x83f20 __exceptionPreprocess",
        "1  libobjc.A.dylib                0x172b8 objc_exception_throw",
        "2  UIKitCore                      0xc2e34 _UIGraphicsBeginImageContextWithOptions",
        `3  ${image.padEnd(30)} 0x10e58 (Missing UUID 79d7c951c053365a83bdfef180a2e07e)`,
        ...outer,
      ].join("\n"),
      "x",
    ));
  const sdk = crashlytics("Clarity");
  assertEquals([sdk.isLibrary, sdk.maker], [null, "Microsoft's Clarity SDK"]);
  assertEquals(crashlytics("Shop").isLibrary, null);
  assertEquals(crashlytics("Shop").maker, null);
  const loop = "4  UIKitCore                      0x1234 UIApplicationMain";
  const start = "6  dyld                           0x1234 start";
  assertEquals(
    crashlytics("Shop", [loop, "5  Shop                           0x99 main", start]).isLibrary,
    false,
  );
  assertEquals(
    crashlytics("Shop", [loop, "5  Shop                           0x99 (Missing)", start])
      .isLibrary,
    false,
  );
  const other = crashlytics("Clarity", [
    loop,
    "5  Shop                           0x99 (Missing)",
    start,
  ]);
  assertEquals([other.isLibrary, other.maker], [true, "Microsoft's Clarity SDK"]);
});

Deno.test("a bitmap's assertion: its size", () => {
  const { what, causes } = told(
    thrown("NSInternalInconsistencyException", "x", [
      "UIKitCore _UIGraphicsBeginImageContextWithOptions + 4",
    ]),
  );
  assertStringIncludes(what, "could not make a bitmap");
  assertStringIncludes(causes, "width or height is 0");
});

Deno.test("a jump to where nothing is: code that was unloaded is among the causes, not where memory is", () => {
  const jump = (...region: string[]) =>
    told(crashText(
      [...bad("0x110efe640"), ...region],
      ["0x110efe640 ???", "Shop run + 4", ...start],
    ));
  assertStringIncludes(jump().causes, "a library or plug-in that was unloaded");
  const data = jump(
    "VM Region Info: 0x110efe640 is in 0x110ef0000-0x110f00000;  bytes after start: 58944",
    "      REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
    "--->  MALLOC_LARGE             110ef0000-110f00000 [   64K] rw-/rwx SM=PRV",
  );
  assert(!data.causes.includes("unloaded"), data.causes);
});

Deno.test("abort() while static objects are destroyed: their order is a cause", () => {
  const { causes } = told(crashText(
    ["Exception Type: EXC_CRASH (SIGABRT)", "Exception Codes: 0x0, 0x0"],
    [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 100",
      "libcart.dylib 0x1000 + 16",
      "Shop std::__1::unique_ptr<Cart>::~unique_ptr() + 8",
      "libsystem_c.dylib __cxa_finalize_ranges + 319",
      "libsystem_c.dylib exit + 55",
      ...start,
    ],
  ));
  assertStringIncludes(causes, "a static object that was destroyed before another one");
});

Deno.test("an actor's check: who called what is isolated decides, and on which thread", () => {
  const check = [
    "libdispatch.dylib _dispatch_assert_queue_fail + 120",
    "libdispatch.dylib dispatch_assert_queue + 108",
    "libswift_Concurrency.dylib _swift_task_checkIsolatedSwift + 48",
    "libswift_Concurrency.dylib swift_task_isCurrentExecutorWithFlagsImpl(swift::SerialExecutorRef) + 356",
  ];
  const stopped = (frames: string[], title = "Thread 7 Crashed:") =>
    told(
      [
        "Process:               Shop [123]",
        "Path:                  /Applications/Shop.app/Contents/MacOS/Shop",
        "Exception Type:        EXC_BREAKPOINT (SIGTRAP)",
        "Triggered by Thread:   7",
        "",
        title,
        ...frameLines([...check, ...frames]),
        "",
      ].join("\n"),
    );
  const task = "libswift_Concurrency.dylib completeTaskWithClosure(swift::AsyncContext*) + 1";
  const witness = stopped([
    "Shop _checkExpectedExecutor(_filenameStart:_filenameLength:_filenameIsASCII:_line:_executor:) + 4",
    "Shop protocol witness for Pricing.price(of:) in conformance LocalPricing + 160",
    "Shop Pricing.total(of:) + 76 (Pricing.swift:12)",
    "Shop Cart.pay() + 1 (Cart.swift:72)",
    task,
  ]);
  assertStringIncludes(
    witness.what,
    "protocol witness for Pricing.price(of:) in conformance LocalPricing (Shop), called by Pricing.total(of:) (Shop, Pricing.swift:12), on thread 7.",
  );
  assertStringIncludes(witness.causes, "a conformance that is isolated");
  assert(!witness.causes.includes("callback") && !witness.next.includes("callback"));
  const direct = stopped(["Shop Cart.sum() + 8", "Shop Cart.pay() + 1", task]);
  assertStringIncludes(direct.what, "Cart.sum() (Shop), called by Cart.pay() (Shop), on thread 7");
  assertStringIncludes(direct.causes, "was called where the compiler did not know of it");
  const back = stopped([
    "Shop closure #1 in Cart.listen() + 8",
    "Shop thunk for @escaping @callee_guaranteed () -> () + 8",
    "AVFAudio AVAudioNodeTap::TapMessage::RealtimeMessenger_Perform() + 8",
    "libdispatch.dylib _dispatch_client_callout + 8",
  ], "Thread 7 Crashed:: Dispatch queue: RealtimeMessenger");
  assertStringIncludes(back.causes, "a callback that the compiler took for code of an actor");
  assertStringIncludes(back.what, 'on thread 7 "RealtimeMessenger".');
  const asserted = stopped([
    "libswift_Concurrency.dylib static MainActor.assumeIsolated<A>(_:file:line:) + 8",
    "Shop Cart.show() + 8 (Cart.swift:9)",
    "Shop Cart.pay() + 1",
    task,
  ]);
  assertStringIncludes(asserted.what, "It was asserted in Cart.show() (Shop, Cart.swift:9)");
  assertStringIncludes(asserted.causes, "assumeIsolated()");
});

Deno.test("a copy of JavaScriptCore: its crash function is not the program's, and a second thread is told", () => {
  const { what, whose } = told(
    [
      "Process:             Shop [77]",
      "Path:                /private/var/mobile/Containers/Bundle/Application/3C83CB24/Shop.app/Shop",
      "Exception Type:  SIGSEGV",
      "Exception Codes: SEGV_ACCERR at 0xbbadbeef",
      "Crashed Thread:  1",
      "",
      "Thread 0:",
      ...frameLines([
        "libsystem_kernel.dylib __psynch_mutexwait + 8",
        "Shop TI::JSLock::grabAllLocks(unsigned int) + 92",
        "Shop TI::MarkedAllocator::allocateSlowCase(unsigned long) + 252",
      ]),
      "",
      "Thread 1 Crashed:",
      ...frameLines([
        "Shop Ti_WTFCrash + 72",
        "Shop TI::Heap::collect(TI::Heap::SweepToggle) + 1380",
        "Shop TiGarbageCollect + 112",
        "Shop -[KrollContext main] + 20",
        "Foundation __NSThread__main__ + 1072",
      ]),
      "",
    ].join("\n"),
  );
  assertStringIncludes(
    what,
    "Thread 0 ran code of JavaScriptCore too, in TI::JSLock::grabAllLocks",
  );
  assert(whose[2] !== "Ti_WTFCrash", String(whose));
});

Deno.test("the stack that threw is read from asiBacktraces, which are text", () => {
  const image = (name: string, base: number) => ({ name, base, size: 0x10000, source: "P" });
  const body = {
    procName: "Shop",
    exception: { type: "EXC_BREAKPOINT", signal: "SIGTRAP", codes: "0x1, 0x2", rawCodes: [1, 2] },
    faultingThread: 0,
    threads: [{
      triggered: true,
      frames: [
        {
          imageIndex: 0,
          imageOffset: 8,
          symbol: "-[NSApplication _crashOnException:]",
          symbolLocation: 8,
        },
        { imageIndex: 0, imageOffset: 99, symbol: "-[NSApplication run]", symbolLocation: 9 },
        { imageIndex: 1, imageOffset: 99, symbol: "main", symbolLocation: 9 },
      ],
    }],
    usedImages: [image("AppKit", 0x1_9000_0000), image("Shop", 0x1_0000_0000)],
    asiBacktraces: [[
      "0   CoreFoundation  0x000000018c5948c0 __exceptionPreprocess + 176",
      "1   libobjc.A.dylib 0x000000018c08deb4 objc_exception_throw + 60",
      "2   AppKit          0x0000000190000bdc -[NSMenu itemAtIndex:] + 156",
      "3   Shop            0x0000000100000b94 -[Counter fill] + 44",
      "4   AppKit          0x0000000190000cdc -[NSApplication run] + 864",
      "5   Shop            0x0000000100000f94 main + 44",
    ].join("\n")],
  };
  const text = (members: unknown) => `{"bug_type":"309"}\n${JSON.stringify(members)}`;
  const { what, whose } = told(text(body));
  assertStringIncludes(what, "It was raised in -[NSMenu itemAtIndex:] (AppKit).");
  assertEquals(whose, ["program", null, "-[Counter fill]"]);
  // What was not thrown is no exception's.
  const other = told(text({ ...body, asiBacktraces: ["0   Shop  0x0000000100000b94 note + 4"] }));
  assertStringIncludes(other.what, "The stack that raised it is not in the report");
});

Deno.test("a sanitizer's report of a signal that ends the process is a crash, whichever it is", () => {
  const report = (name: string, codes: string, line = "SEGV on unknown address 0x000000000000") =>
    told(crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGABRT)",
      `Exception Codes:       ${codes}`,
      "",
      "Application Specific Information:",
      `==77==ERROR: ${name}: ${line} (pc 0x000101884 bp 0x7000 sp 0x7000 T8)`,
      "==77==Hint: address points to the zero page.",
      "==77==ABORTING",
      "",
    ], [
      "libsystem_c.dylib abort + 127",
      "libclang_rt.ubsan_osx_dynamic.dylib __sanitizer::Die() + 196",
      "libclang_rt.ubsan_osx_dynamic.dylib __sanitizer::HandleDeadlySignal(void*, void*) + 102",
      "libsystem_platform.dylib _sigtramp + 26",
      "Shop sell + 176",
      "Shop main + 8",
    ]));
  for (const name of ["UndefinedBehaviorSanitizer", "AddressSanitizer", "ThreadSanitizer"]) {
    const known = report(name, "KERN_INVALID_ADDRESS at 0x0000000000000000");
    assert(!known.what.includes("no crash"), known.what);
    assertStringIncludes(known.what, "An address was used that is not mapped or not permitted.");
    assertStringIncludes(known.causes, "a null pointer");
    assertStringIncludes(known.what, "The sanitizer's own handler of the signal then ended");
    // The CPU does not report such an address.
    const unknown = report(name, "EXC_I386_GPFLT");
    assert(!/null|zero page/.test(unknown.what + unknown.causes), unknown.what);
    assertStringIncludes(unknown.what, "what the sanitizer writes in its place is not it");
  }
  const divided = report("UndefinedBehaviorSanitizer", "0x1, 0x0", "FPE on unknown address 0x1018");
  assertStringIncludes(divided.causes, "a divisor that is zero");
  const checked = told("shop.c:12:7: runtime error: signed integer overflow: 1 + 2147483647\n");
  assertStringIncludes(checked.what, "this is no crash by itself");
});

Deno.test("what a library says of its trap is why, not what SIGILL usually is", () => {
  const text = (said: string) =>
    told(
      crashText([
        "Exception Type:        EXC_BAD_INSTRUCTION (SIGILL)",
        "Exception Codes:       0x0000000000000001, 0x0000000000000000",
        "",
        "Application Specific Information:",
        said,
        "",
      ], ["Shop sell + 4", "Shop main + 8"]).replace("X86-64 (Native)", "X86-64 (Translated)"),
    );
  const misused = text("XPC API Misuse: Array mutated during iteration");
  assert(!/Rosetta|AVX/.test(misused.what + misused.causes + misused.next), misused.what);
  assertStringIncludes(misused.what, "An XPC array was changed while it was gone through");
  const other = text("BUG IN CLIENT OF LIBTILL: the till is open");
  assert(!/AVX/.test(other.what + other.causes + other.next), other.what);
  assertStringIncludes(
    text("till 4").what,
    "or one that Rosetta does not translate, as AVX before",
  );
});

Deno.test("a handler of signals that ends the process by a trap: the fault is what it interrupted", () => {
  const text = crashText(
    ["Exception Type:        EXC_BAD_INSTRUCTION (SIGILL)", "Exception Codes:       0x1, 0x0"],
    [
      "librustrt-4e7c.dylib stack_overflow::imp::signal_handler::term::h4e1f + 59",
      "librustrt-4e7c.dylib stack_overflow::imp::signal_handler::h49ba + 101",
      "libsystem_platform.dylib _sigtramp + 26",
      "Shop tree_remove + 216",
      "Shop main + 8",
    ],
  );
  const bare = told(text);
  assertStringIncludes(bare.what, "Rust's own handler of signals ended the process");
  assertStringIncludes(bare.what, "met in tree_remove (Shop) (frame 3)");
  assert(!/ud2|[Ww]hether a check|Which check/.test(bare.what + bare.next), bare.what);
  const stopped = told(
    `${text}\n* thread #1: tid = 0xc4, 0x1000 Shop\`tree_remove(tree=0x0000000100, node=0x0000000000000000) + 216 at tree.c:38, stop reason = EXC_BAD_ACCESS (code=1, address=0x18)
    frame #0: 0x0000000000001000 Shop\`tree_remove(tree=0x0000000100, node=0x0000000000000000) + 216 at tree.c:38
`,
  );
  assertStringIncludes(
    stopped.what,
    "EXC_BAD_ACCESS (code=1, address=0x18) in tree_remove, where node is null",
  );
  assertStringIncludes(stopped.causes, "a pointer that is null");
});

Deno.test("what a debugger had a program call is told, and stays in the call path", () => {
  const frames = (file: string) => [
    "libgtk-quartz.dylib style_font + 178",
    "??? 0 + 118018070",
    `mono do_invoke_method + 1875 (${file}:6137)`,
    `mono process_event + 3810 (${file}:3472)`,
    "??? 0 + 21095904",
    "mono mono_main + 9000 (driver.c:1900)",
    "mono main + 30 (main.c:36)",
  ];
  const explained = (file: string) =>
    explainReport(readReport(
      crashText(["Exception Type:        EXC_BREAKPOINT (SIGTRAP)"], frames(file)),
      "x",
    ));
  const { happened, path } = explained("debugger-agent.c");
  assertStringIncludes(happened.join("\n"), "while a debugger had the process call a function");
  assert(path.some((step) => step.startsWith("do_invoke_method")), path.join());
  assert(!explained("verify.c").happened.join("\n").includes("a debugger had"));
});

Deno.test("what an extension module of Python called back is code in Python, not the module", () => {
  const { whose, next } = told(crashText(["Exception Type:        EXC_BAD_ACCESS (SIGSEGV)"], [
    "CoreFoundation CFSocketInvalidate + 8",
    "_objc.so ffi_call_unix64 + 79",
    "_objc.so 0x105a40000 + 45220",
    "org.python.python PyObject_Call + 97",
    "org.python.python PyEval_EvalFrameEx + 18725",
    "org.python.python PyObject_CallFunction + 212",
    "_Till.so 0x1058cd000 + 23368",
    "CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__ + 20",
    "CoreFoundation __CFRunLoopRun + 1617",
    "libdyld.dylib start + 1",
  ]));
  assertEquals(whose[0], "runtime");
  assert(!next.includes("_Till.so"), next);
});

Deno.test("what a pool of the event loop releases is not of the function that runs the loop", () => {
  const text = (popper: string[]) =>
    told(crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000020",
      "",
    ], [
      "libobjc.A.dylib objc_release + 31",
      "libobjc.A.dylib (anonymous namespace)::AutoreleasePoolPage::pop(void*) + 781",
      "CoreFoundation _CFAutoreleasePoolPop + 22",
      ...popper,
      "Shop runLoop + 158",
      "Shop open_shop + 288",
      "libdyld.dylib start + 1",
    ])).whose;
  assertEquals(text(["AppKit -[NSApplication run] + 1093"]), ["unknown", "pool", null]);
  // A pool of its own has what it did.
  assertEquals(text(["Foundation -[NSAutoreleasePool drain] + 146"])[2], "runLoop");
});

Deno.test("a place that is a page behind null is a member of hardly any object", () => {
  const at = (address: string) =>
    told(crashText([
      "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)",
      `Exception Codes: KERN_INVALID_ADDRESS at ${address}`,
    ], ["Shop count + 12", "Shop main + 8"]));
  const { what, causes } = at("0x0000000000002860");
  assertStringIncludes(what, "it is 10336: farther from null than a member of nearly any object");
  assertStringIncludes(causes, "in memory that was freed or overwritten");
  assertStringIncludes(at("0x0000000000000860").what, "it is null plus 2144, as from a member");
});

Deno.test("a method is looked up for messages, but also for classes that are only loaded", () => {
  const found = (frames: string[]) =>
    told(
      crashText(bad("0x0000000012345678"), [
        "libobjc.A.dylib realizeClass(class_t*) + 30",
        ...frames,
      ]),
    );
  const sent = found([
    "libobjc.A.dylib lookUpImpOrForward + 80",
    "libobjc.A.dylib objc_msgSend_uncached + 20",
    "Shop -[Cart pay] + 8",
    ...start,
  ]);
  assertStringIncludes(sent.what, "A message was sent to an invalid object");
  const loaded = found([
    "libobjc.A.dylib _read_images + 80",
    "libobjc.A.dylib map_images + 20",
    "dyld dlopen + 20",
    "Shop open_parts + 8",
    ...start,
  ]);
  assertStringIncludes(loaded.what, "made a class ready for use");
  assert(!loaded.causes.includes("deallocated"), loaded.causes);
});

Deno.test("what a function is called with is no cause where a check further in stopped it", () => {
  const { what, causes } = told(crashText(trap, [
    "libobjc.A.dylib _objc_trap() + 2",
    "libobjc.A.dylib lookUpImpOrForward + 80",
    "Shop -[Cart pay] + 8",
    ...start,
  ]));
  assertStringIncludes(what, "The Objective-C run-time met a fatal error");
  assert(!causes.includes("deallocated"), causes);
});

Deno.test("null is told of Core Foundation's functions only where they read an object's kind", () => {
  const at = (address: string) =>
    told(crashText(bad(address), ["CoreFoundation CFHash + 8", "Shop count + 8", ...start])).what;
  assertStringIncludes(at("0x0000000000000008"), "was called with NULL");
  assert(!at("0x0000000000000020").includes("NULL"));
  const text = (address: string) =>
    told(
      crashText(bad(address), ["libsystem_platform.dylib strlen + 8", "Shop count + 8", ...start]),
    );
  assert(!text("0x0000000112345678").causes.includes("null"));
  assertStringIncludes(text("0x0000000000000001").causes, "inside of something that is null");
});

Deno.test("a damaged heap's address is one that was accessed", () => {
  const { what } = told(crashText(bad("0x0000000000000018"), [
    "libsystem_malloc.dylib tiny_free_list_remove_ptr + 80",
    "libsystem_malloc.dylib tiny_free_no_lock + 300",
    "Shop count + 8",
    ...start,
  ]));
  assertStringIncludes(what, "malloc found its heap damaged");
  assert(!what.includes("of no meaning"), what);
});

Deno.test("an allocator of the program's own stops for other reasons than a lack of memory", () => {
  const stopped = (image: string) =>
    told(crashText(abort, [
      "libsystem_c.dylib abort + 127",
      "Shop pool_failed + 20",
      `${image} operator new(unsigned long) + 30`,
      "Shop count + 8",
      ...start,
    ])).what;
  assertStringIncludes(stopped("libc++abi.dylib"), "called the new-handler pool_failed");
  assert(!stopped("Shop").includes("new-handler"), stopped("Shop"));
});

Deno.test("an exception's reason tells which of a function's causes it was", () => {
  const insert = [
    "CoreFoundation __exceptionPreprocess + 171",
    "libobjc.A.dylib objc_exception_throw + 48",
    "CoreFoundation -[__NSPlaceholderArray initWithCapacity:] + 60",
    "Shop count + 8",
    ...start,
  ];
  const quoted = told(
    thrown("NSInvalidArgumentException", "the capacity is not to be had", insert),
  );
  assert(!quoted.what.includes("nil") && !quoted.causes.includes("nil"), quoted.what);
  const shown = [
    ...insert.slice(0, 2),
    "UIKitCore -[UIViewController presentViewController:animated:completion:] + 60",
    ...insert.slice(3),
  ];
  assert(
    !told(thrown("NSGenericException", "there is no such thing", shown)).causes.includes("iPad"),
  );
});

Deno.test("only what names its language is of that language", () => {
  const typed = (type: string) =>
    told(crashText([`Exception Type:        ${type}`], ["Shop count + 8", ...start])).what;
  assert(!typed("NullPointerException").includes("Objective-C"));
  const untyped = told(crashText([
    ...abort,
    "",
    "Application Specific Information:",
    "terminate called throwing an exception",
    "",
  ], ["libsystem_c.dylib abort + 127", "libc++abi.dylib std::terminate() + 20", ...start])).what;
  assert(!untyped.includes("A C++ exception"), untyped);
});

Deno.test("functions with names that other programs have as well are not a run-time's", () => {
  const swift = told(
    crashText(trap, ["Shop fatalError(char const*) + 8", "Shop count + 8", ...start]),
  );
  assert(!swift.what.includes("Swift"), swift.what);
  const ruby = told(crashText([
    "Exception Type:        EXC_BAD_ACCESS (SIGABRT)",
    "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000018",
  ], [
    "libsystem_c.dylib abort + 127",
    "Shop die + 20",
    "libsystem_platform.dylib _sigtramp + 29",
    "Shop count + 8",
    ...start,
  ]));
  assert(!ruby.what.includes("Ruby"), ruby.what);
});

Deno.test("a division that the CPU refused in Chromium's code is no failed check", () => {
  const { what } = told(crashText([
    "Exception Type:        EXC_ARITHMETIC (SIGFPE)",
    "Exception Codes:       EXC_I386_DIV (divide by zero)",
  ], [
    "Electron~Framework 0x1000 + 64",
    "Electron~Framework 0x2000 + 64",
    ...start,
  ]));
  assert(!what.includes("CHECK"), what);
});

Deno.test("a handler of signals that called abort(): what it interrupted is not the place, and where it waited no fault", () => {
  const text = (...interrupted: string[]): string =>
    crashText(abort, [
      ...killed,
      "Shop onSignal(int) + 33",
      "libsystem_platform.dylib _sigtramp + 26",
      ...interrupted,
      "Shop serve() + 300",
      ...start,
    ]);
  const handled = (...interrupted: string[]): ReturnType<typeof told> => told(text(...interrupted));
  const waiting = handled("libsystem_kernel.dylib __select + 10");
  assertStringIncludes(
    waiting.what,
    "A handler of signals in the process (onSignal, frame 2) ended it by abort(). Which signal",
  );
  assertStringIncludes(waiting.what, "no fault of what this thread did");
  assertEquals(waiting.whose, ["program", null, "onSignal(int)"]);
  const strlen = "libsystem_c.dylib strlen + 18";
  const busy = handled(strlen);
  assertStringIncludes(busy.what, "interrupted strlen (libsystem_c.dylib) (frame 4): only if");
  assertEquals(busy.whose[2], "serve()");
  assertEquals(attributeReport(readReport(text(strlen), "x")).isEvidence, false);
  const named = text(strlen).replace("onSignal(int)", "handle_crash(int)");
  assertStringIncludes(
    told(named).what,
    "by the handler's name it was most likely that of a fault",
  );
  assertEquals(attributeReport(readReport(named, "x")).isEvidence, true);
  // The signal was that of an abort() of the program's.
  const again = handled("libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 8");
  assert(!again.what.includes("handler of signals"), again.what);
});

Deno.test("what malloc met while it allocated was damaged before, and nobody passed it a pointer", () => {
  const met = (head: string[], ...frames: string[]): ReturnType<typeof told> =>
    told(crashText(head, [...frames, "Shop count() + 8", ...start]));
  const malloc = (...names: string[]): string[] =>
    names.map((name) => `libsystem_malloc.dylib ${name} + 42`);
  const said = "malloc failed while it allocated a block";
  for (
    const { what, whose } of [
      met(abort, ...killed, ...malloc("szone_error", "szone_malloc_should_clear", "malloc")),
      met(bad("0x616161616161"), ...malloc("szone_malloc_should_clear", "malloc_zone_malloc")),
      met(trap, ...malloc("_xzm_xzone_malloc_from_tiny_chunk.cold.1", "_xzm_xzone_malloc_tiny")),
    ]
  ) {
    assertStringIncludes(what, said);
    assertEquals(whose, ["unknown", "heap", "count()"]);
  }
  for (
    const { what } of [
      met(abort, ...killed, ...malloc("szone_error", "szone_realloc", "malloc_zone_realloc")),
      met(abort, ...killed, ...malloc("malloc_vreport", "malloc_report", "free")),
      met(["Exception Type: EXC_CRASH (SIGKILL)"], ...malloc("szone_malloc_should_clear")),
    ]
  ) assert(!what.includes(said), what);
});

Deno.test("the class whose superclass was not found is its library's; an action by AppKit's note; a page by its file", () => {
  const superclass = told(crashText(abort, [
    ...killed,
    "libswiftCore.dylib swift::fatalError(unsigned int, char const*, ...) + 32",
    "libswiftCore.dylib getSuperclassMetadata + 816",
    "libswiftCore.dylib _swift_initClassMetadataImpl + 20",
    "OvenKit 0x1000 + 64",
    "libswiftCore.dylib _swift_getGenericMetadata + 20",
    "Shop count + 8",
    ...start,
  ]));
  assertStringIncludes(superclass.what, "The class is of OvenKit (frame 5).");
  const action = told(crashText([
    ...bad("0x18"),
    "Application Specific Information:",
    "Performing @selector(bake:) from sender OvenButton 0x6080001c4470",
    "",
  ], [
    "Shop Cart::add() + 8",
    "AppKit -[NSApplication sendAction:to:from:] + 452",
    "AppKit -[NSControl sendAction:to:] + 86",
    ...start,
  ]));
  assertStringIncludes(action.what, "The action was bake:, sent by OvenButton.");
  const page = told(crashText([
    "Exception Type:        EXC_BAD_ACCESS (SIGBUS)",
    "Exception Codes:       0x000000000000000a, 0x0000000001200000",
  ], ["libSystem.B.dylib __memcpy + 1685", "Shop count + 8", ...start]));
  assertStringIncludes(page.next, "whether it was cut short");
  assertEquals(page.causes, "");
});

Deno.test("a program of the system is one without a list of images too; a thread's name goes before its queue", () => {
  const text = crashText(abort, [...killed, "bakerd 0x1000 + 64", "libdyld.dylib start + 1"])
    .replaceAll("Shop", "bakerd").replace(/Path: .*/, "Path: /usr/libexec/bakerd");
  const { whose, next } = told(text);
  assertEquals(whose.slice(0, 2), ["system", null]);
  assert(!next.includes("dSYM"), next);
  const lost = told(
    "Process: Shop [1]\nCrashed Thread: 0 Baker, Dispatch queue: com.apple.main-thread\n\n" +
      bad("0x18").join("\n") + "\n",
  );
  assertStringIncludes(lost.what, 'Thread 0 "Baker" crashed; its stack');
});

Deno.test("a run-time's own handler of signals that called abort(), where the report has no fault", () => {
  const { what, whose } = told(crashText(abort, [
    ...killed,
    "libjvm.dylib os::abort(bool) + 25",
    "libjvm.dylib VMError::report_and_die() + 2250",
    "libjvm.dylib JVM_handle_bsd_signal + 1131",
    "libsystem_platform.dylib _sigtramp + 26",
    "liboven.dylib oven_bake + 12",
    ...start,
  ]));
  assertStringIncludes(what, "The Java virtual machine's own handler of signals ended the process");
  assertStringIncludes(what, "What the signal was for was met in oven_bake (liboven.dylib)");
  assertEquals(whose[2], "oven_bake");
  const mono = (...interrupted: string[]): string =>
    told(crashText(abort, [
      ...killed,
      "libmonosgen-2.0.dylib mono_handle_native_crash + 300",
      "libmonosgen-2.0.dylib mono_sigsegv_signal_handler_debug + 200",
      "libsystem_platform.dylib _sigtramp + 56",
      ...interrupted,
      ...start,
    ])).what;
  assertStringIncludes(mono("liboven.dylib oven_bake + 12"), "Mono's own handler of signals ended");
  // The signal was that of an abort().
  assert(!mono(...killed, "liboven.dylib oven_bake + 12").includes("own handler of signals"));
  // Without a signal it was a check of its own.
  const own = told(crashText(abort, [
    ...killed,
    "libjvm.dylib os::abort(bool) + 25",
    "libjvm.dylib VMError::report_and_die() + 2250",
    "liboven.dylib oven_bake + 12",
    ...start,
  ]));
  assert(!own.what.includes("handler of signals"), own.what);
});

Deno.test("whose: not of who posted a notification, of who only flushed to the GPU, nor of a start that could not succeed", () => {
  const isSure = (head: string[], ...frames: string[]): boolean =>
    attributeReport(readReport(crashText(head, [...frames, "Shop sell + 8", ...start]), "x"))
      .isEvidence;
  const posted = [
    "libobjc.A.dylib objc_msgSend + 32",
    "CoreFoundation __CFNOTIFICATIONCENTER_IS_CALLING_OUT_TO_AN_OBSERVER__ + 148",
    "Foundation -[NSNotificationCenter postNotificationName:object:userInfo:] + 88",
  ];
  assertEquals(isSure(bad("0x20"), ...posted), false);
  assertEquals(isSure(bad("0x20"), posted[0]), true);
  assertEquals(
    isSure(
      abort,
      ...killed,
      "libGPUSupportMercury.dylib gpusGenerateCrashLog + 173",
      "GLEngine glFlush_Exec + 15",
    ),
    false,
  );
  const omp = told(crashText(abort, [
    ...killed,
    "libomp.dylib __kmp_abort_process + 44",
    "libomp.dylib __kmp_register_library_startup() + 940",
    "Shop sell + 8",
    ...start,
  ]));
  assertStringIncludes(omp.what, "another copy of it is in the process");
  assertEquals(omp.whose, ["unknown", "setup", null]);
});

Deno.test("what a string function was passed is checked once; far in what opens a library is another function", () => {
  const { next } = told(crashText(bad("0x0"), [
    "libsystem_platform.dylib _platform_strlen + 18",
    "Shop sell + 8",
    ...start,
  ]));
  assertEquals(next, "Check the pointer in the calling frame.");
  const frames = [
    "_shop.so PyInit__shop + 8000",
    "_shop.so PyInit__shop + 800",
    "_shop.so sell + 8",
  ];
  assertEquals(
    readReport(crashText(bad("0x8"), frames), "x").threads[0].frames.map(isNearest),
    [true, false, false],
  );
});

Deno.test("of a process with very many threads it is told where most of them were", () => {
  const thread = (index: number): string =>
    `Thread ${index}:\n` +
    frameLines([
      "libsystem_kernel.dylib __psynch_cvwait + 10",
      "Shop Pool::checkout(Request const&) + 40",
      "libsystem_pthread.dylib _pthread_start + 136",
    ], 0x9000).join("\n");
  const text = (count: number): string =>
    `${crashText(abort, [...killed, "Shop sell + 8", ...start])}\n\n${
      Array.from({ length: count }, (_, at) => thread(at + 1)).join("\n\n")
    }\n`;
  assertStringIncludes(told(text(80)).what, "Of the 81 threads, 80 were in Pool::checkout.");
  assert(!told(text(40)).what.includes("threads, 40"));
});

Deno.test("a copy that met a stack's guard need not have filled the stack, where no register tells", () => {
  const of = (top: string): ReturnType<typeof told> =>
    told(crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGBUS)",
      "Exception Codes:       KERN_PROTECTION_FAILURE at 0x000000016e68bfe0",
      "Exception Message:     Thread stack size exceeded",
      "VM Region Info: 0x16e68bfe0 is in 0x16e688000-0x16e68c000;  bytes after start: 16352",
      "      REGION TYPE   START - END  [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
      "--->  STACK GUARD   16e688000-16e68c000    [   16K] ---/rwx SM=NUL  stack guard for thread 0",
      "",
    ], [top, "Oven bake + 8"]));
  const copied = of("libsystem_platform.dylib _platform_memmove + 536");
  assertStringIncludes(copied.what, "or something was copied past an end");
  assert(!copied.what.includes("overflowed"), copied.what);
  assertStringIncludes(of("Oven preheat + 20").what, "The stack overflowed");
});

Deno.test("Rust's handler calls abort() for a full stack alone; a handler's abort() without an exception in the copy", () => {
  const { what, causes } = told(crashText(abort, [
    ...killed,
    "shop std::sys::unix::abort_internal::h920319b3609835ff + 9",
    "shop std::sys::unix::stack_overflow::imp::signal_handler::hbb993e795b77e561 + 678",
    "libsystem_platform.dylib _sigtramp + 26",
    "shop bake::knead::h6895313952b89569 + 34",
    "shop bake::knead::h6895313952b89569 + 34",
    ...start,
  ]));
  assertStringIncludes(what, "A thread's stack was full");
  assertStringIncludes(causes, "recursion");
  const alone = told([
    "Thread 0 Crashed:",
    ...frameLines([
      ...killed,
      "libmonosgen-2.0.dylib mono_handle_native_sigsegv + 757",
      "libsystem_platform.dylib _sigtramp + 43",
      "AppKit -[NSView setFrame:] + 448",
      "AppKit -[NSToolbar _adjustViewToWindow] + 68",
    ], 0x9000),
    "",
  ].join("\n"));
  assertStringIncludes(alone.what, "Mono's own handler of signals ended the process");
});

Deno.test("a copy with the exception's stack alone: the thread's number tells that it was not the main one", () => {
  const of = (title: string): string =>
    told([
      "Process: Oven [7]",
      `Crashed Thread:        ${title}`,
      "",
      "Exception Type:        EXC_CRASH (SIGABRT)",
      "Exception Codes:       0x0000000000000000, 0x0000000000000000",
      "",
      "Application Specific Information:",
      "abort() called",
      "",
      "Application Specific Backtrace 0:",
      "0   CoreFoundation                      0x00007ff812ea96e3 __exceptionPreprocess + 242",
      "1   libobjc.A.dylib                     0x00007ff812c098bb objc_exception_throw + 48",
      "2   CoreFoundation                      0x00007ff812ed1fc6 -[NSException raise] + 9",
      "3   AppKit                              0x00007ff815892c44 -[NSWindow(NSWindow_Theme) _resetMargins] + 321",
      "4   AppKit                              0x00007ff81587e6e6 -[NSWindow initWithContentRect:styleMask:backing:defer:] + 42",
      "",
    ].join("\n")).what;
  const off = "are to be used from the main thread only";
  assertStringIncludes(of("13"), off);
  assert(!of("0").includes(off));
  assert(!of("4  Dispatch queue: com.apple.main-thread").includes(off));
});

Deno.test("what failed while an exception was thrown is not that it was not caught", () => {
  const frames = [
    "??? 0x360b050d4",
    "libunwind.dylib _Unwind_RaiseException + 408",
    "libc++abi.dylib __cxa_throw + 84",
    "Shop sell + 8",
    ...start,
  ];
  const alone = told(["Thread 0 Crashed:", ...frameLines(frames, 0x9000), ""].join("\n")).what;
  assert(!alone.includes("not caught"), alone);
  assertStringIncludes(alone, "It was while the stack was unwound for an exception.");
});

Deno.test("an add-on's fatal error in Electron; LLVM's dump has a word behind the trampoline", () => {
  const { what, whose } = told(crashText(abort, [
    ...killed,
    "Electron~Framework napi_fatal_error + 237",
    "shop.node Napi::Error::Fatal(char const*, char const*) + 26",
    "shop.node Shop::sell(napi_env__*) + 206",
    ...start,
  ]));
  assertStringIncludes(what, "A native add-on of Node.js ended the process by napi_fatal_error().");
  assertEquals(whose[0], "program");
  const dump = [
    "0  shop                     0x000000010dca8575 llvm::sys::PrintStackTrace(llvm::raw_ostream&) + 37",
    "1  shop                     0x000000010dca8dd6 SignalHandler(int) + 262",
    "2  libsystem_platform.dylib 0x00007fff6adb75fd _sigtramp + 29",
    "3  libsystem_platform.dylib 0x000000010dcef080 _sigtramp + 18446603343250029216",
    "4  shop                     0x000000011178cd01 Cart::add() + 497",
    "5  shop                     0x000000011178cd02 main + 97",
  ].join("\n");
  const read = readReport(dump, "x");
  assertEquals(attributeReport(read).deciding?.frame.symbol, "Cart::add()");
  assert(!explainReport(read).path.join().includes("_sigtramp"));
});

Deno.test("advice names only the function that passed what failed; the system's own samples name their programs", () => {
  const sent = (caller: string): string =>
    told(crashText([
      "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000020000008",
    ], [
      "libobjc.A.dylib objc_msgSend + 16",
      caller,
      "Shop -[Shelf layout:] + 40",
      "UIKitCore UIApplicationMain + 100",
      "Shop main + 80",
    ])).next;
  assertStringIncludes(sent("UIKitCore -[UIView layout] + 40"), "-[Shelf layout:]");
  assert(!sent("Shop -[TiViewProxy layoutChildren] + 40").includes("-[Shelf layout:]"));
  const samples = `Date/Time:       2000-12-31 19:35:30 -0500
OS Version:      Mac OS X 10.14.5 (Build 18F132)
Report Version:  28

Data Source:     Microstackshots

Event:           powerstats
Duration:        5.02s
Steps:           3

Powerstats for:  Lamp
UUID:            7FD00FD0-E003-36A7-BF4B-5D368BC2D350
Path:            /Applications/Lamp.app/Contents/MacOS/Lamp
Num samples:     1 (33%)

  1 start + 1 (libdyld.dylib) <7FD00FD0-E003-36A7-BF4B-5D368BC2D350> [0x7fff8ae375c9]
    1 ??? <7FD00FD0-E003-36A7-BF4B-5D368BC2D350> [0x10000f28c]

Powerstats for:  directoryd
UUID:            039ED865-1AD1-3EAA-86F9-56FEB426E033
Path:            /usr/libexec/directoryd
Num samples:     2 (67%)
`;
  const { what } = told(samples);
  assertStringIncludes(what, "nothing crashed");
  assertStringIncludes(what, "Samples of each program: directoryd (2), Lamp (1).");
  assertStringIncludes(what, "The stack of one of the 3 samples: in ");
  assert(!what.includes("100%"), what);
});

Deno.test("kevent_id is a call about a queue, not an idle thread", () => {
  const { what } = told(crashText([
    "Exception Type: EXC_CRASH (SIGKILL)",
    "Termination Reason: Namespace RUNNINGBOARD, Code 0xdead10cc",
  ], ["libsystem_kernel.dylib kevent_id + 8", "libdispatch.dylib _dispatch_kq_poll + 332"]));
  assertStringIncludes(what, "about a queue of dispatch");
  assert(!what.includes("idle"), what);
});

Deno.test("headlines: codes are told in words, the simulator's system once, MetricKit's program by its identifier", () => {
  const headline = (text: string): string => explainReport(readReport(text, "x")).headline;
  const header = "Exception Type:  00000020\nException Codes: 0xbad22222\n\n";
  assertEquals(
    headline(`Process: Bell [9]\n${header}Thread 0:\n0  Bell  0x00001000 main + 4\n`),
    "Bell: ended by the system (0xbad22222)",
  );
  const simulated = (system: string): string =>
    headline(
      `Process: Bell [9]\nOS Version: ${system}\nException Type: EXC_CRASH (SIGABRT)\n` +
        "Application Specific Information:\nCoreSimulator 857.14 - Device: iPhone 21 " +
        "(11111111-2222-3333-4444-555555555555) - Runtime: iOS 26.2 (23C50) - DeviceType: iPhone 21\n\n" +
        "Thread 0 Crashed:\n0  Bell  0x0000000100001000 main + 4\n",
    );
  assertStringIncludes(simulated("iOS 26.2 (23C50)"), "(23C50), in the simulator (iPhone 21)");
  assertStringIncludes(simulated("macOS 26.2 (25C50)"), "in the simulator (iPhone 21, iOS 26.2)");
  const payload = (meta: Record<string, string>): string =>
    JSON.stringify({
      timeStampEnd: "2031-02-03 04:05:06",
      crashDiagnostics: [{
        version: "1.0.0",
        diagnosticMetaData: { appBuildVersion: "7", exceptionType: 6, signal: 5, ...meta },
        callStackTree: {
          callStacks: [{
            threadAttributed: true,
            callStackRootFrames: [{
              binaryName: "Bell",
              binaryUUID: "11111111-2222-3333-4444-555555555555",
              address: 4096,
              offsetIntoBinaryTextSegment: 4096,
            }],
          }],
        },
      }],
    });
  const given = explainReport(readReport(payload({ bundleIdentifier: "org.example.bell" }), "x"));
  assertStringIncludes(given.headline, "org.example.bell 7: EXC_BREAKPOINT (SIGTRAP)");
  assertEquals(headline(payload({})).split(":")[0], "version 7");
  // It is whole: nothing of it was lost.
  assert(!given.happened.join().includes("could be read"), given.happened.join());
});

Deno.test("who explains a report writes comments behind its fields; a quote does not break off in brackets", () => {
  const { process } = readReport(
    "Process:  Bell [9]      // the program\nPath:      //usr/bell\nException Type: EXC_CRASH (SIGABRT)\n\n" +
      "Thread 0 Crashed:\n0  Bell  0x0000000100001000 main + 4\n",
    "x",
  );
  assertEquals<unknown>([process.name, process.path], ["Bell", "//usr/bell"]);
  const { what } = told(
    "panic(cpu 3 caller 0xfffffe001a659d58): Kernel data abort. at pc 0xfffffe0019e465e8, lr 0x13eafe001c0cb600 (saved state: 0xfffffe6081f0ae51\n)\n",
  );
  assertStringIncludes(what, "lr 0x13eafe001c0cb600\n");
});

Deno.test("an exception whose name a person's editor put on the next line; a method that may be the system's own", () => {
  const thrown = (line: string) =>
    told(
      "Process: Shop [7]\nException Type:        EXC_CRASH (SIGABRT)\n" +
        "Crashed Thread:        0  Dispatch queue: com.apple.main-thread\n\n" +
        `Application Specific Information:\n${line}\nabort() called\n`,
    );
  const wrapped = thrown(
    "*** Terminating app due to uncaught exception \n'NSInternalInconsistencyException', " +
      "reason: 'Invalid parameter not satisfying: \naTitle != nil'",
  );
  assertStringIncludes(
    wrapped.what,
    "NSInternalInconsistencyException, Invalid parameter not satisfying: aTitle != nil",
  );
  assertEquals(wrapped.causes, "nil where an object is needed");
  const lacks = (method: string) =>
    thrown(
      "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: " +
        `'-[ShopLabelCell ${method}]: unrecognized selector sent to instance 0x600003348750'`,
    );
  assertStringIncludes(lacks("_optionsForView:").what, "may be one of the system's own");
  assertStringIncludes(lacks("_optionsForView:").causes, "stands in for one of the system's");
  assert(!lacks("optionsForView:").causes.includes("stands in"));
});

Deno.test("Metal's own validation need not be switched on where it is what failed", () => {
  const failed = (words: string) =>
    told(
      crashText([
        "Exception Type: EXC_CRASH (SIGABRT)",
        "",
        "Application Specific Information:",
        words,
      ], [
        "libsystem_c.dylib abort + 180",
        "Metal MTLReportFailure + 464",
        "Shop -[Cart draw] + 8",
      ]),
    ).next;
  const by = "failed assertion `missing Buffer binding at index 3'";
  assert(!failed(`-[MTLDebugRenderCommandEncoder validateDraw:]:57: ${by}`).includes("validation"));
  assertStringIncludes(failed(`-[MTLIOAccelCommandBuffer commit]:9: ${by}`), "validation");
});

Deno.test("a tool of Xcode's that failed by itself: what who ran it can do", () => {
  const failed = (path: string) =>
    told(
      crashText([
        "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
        "Exception Codes: KERN_INVALID_ADDRESS at 0x10",
      ], ["ld ld::Files::parse() + 40", "ld main + 8"])
        .replace(/^Process: .*$/m, "Process:               ld [7]")
        .replace(/^Path: .*$/m, `Path:                  ${path}`),
    ).next;
  const folder = "/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/bin/ld";
  assertStringIncludes(failed(`/Applications/Xcode.app${folder}`), "another version of Xcode");
  assert(!failed("/opt/llvm/bin/ld").includes("Xcode"));
});

Deno.test("headings of a form that are numbered are no lines of a report that was not understood", () => {
  const { what } = told(
    "1. Go to 'shelf'\n2. See error\nProcess: Shop [7]\nOS Version: macOS 13.4 (22F66)\nReport Version: 12\n\n" +
      "Crashed Thread: 10 pool\n\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
      "Exception Codes: KERN_INVALID_ADDRESS at 0x10\n\nThread 0:\n0   libshelf.dylib   \n\n",
  );
  assert(!what.includes("See error"), what);
});

Deno.test("signals that a process sends to itself; those of others that no row is about", () => {
  const text = (signal: string, by: string, frames: string[]) =>
    crashText([
      `Exception Type:        EXC_CRASH (${signal})`,
      "Exception Codes:       0x0000000000000000, 0x0000000000000000",
      `Termination Reason:    Namespace SIGNAL, Code 1 ${signal}`,
      `Terminating Process:   ${by}`,
    ], frames);
  const own = ["libsystem_kernel.dylib __kill + 8", "Shop close(int) + 8", "Shop main + 8"];
  const { what } = told(text("SIGTRAP", "Shop [123]", own));
  assertStringIncludes(what, "The process sent SIGTRAP to itself.");
  assert(!what.includes("instruction"), what);
  assertStringIncludes(told(text("SIGUSR1", "Shop [123]", own)).what, "sent SIGUSR1 to itself");
  assertStringIncludes(told(text("SIGQUIT", "Shop [123]", own)).what, "sent SIGQUIT to itself");
  const other = text("SIGHUP", "sshd [7]", ["libsystem_kernel.dylib __wait4 + 8", "Shop main + 8"]);
  assertStringIncludes(told(other).what, "SIGHUP ended the process. It was sshd [7] that sent");
});

Deno.test("std::terminate() without an exception; C++'s words for a pure virtual function", () => {
  const text = (said: string) =>
    told(
      crashText([
        "Exception Type:        EXC_CRASH (SIGABRT)",
        "",
        "Application Specific Information:",
        said,
        "abort() called",
        "",
      ], [
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_c.dylib abort + 8",
        "Shop sell + 8",
      ]),
    );
  assertStringIncludes(text("terminating").what, "while no exception was in hand");
  const pure = text("Pure virtual function called!");
  assertStringIncludes(pure.what, "A pure virtual function was called. It says: ");
  assertStringIncludes(pure.causes, "an object used after it was destroyed");
});

Deno.test("files that were locked at suspension are named; a lock of a file; a name that is empty", () => {
  const head =
    "Process:              [9]\nIdentifier:  com.example.shop\nOS Version: iPhone OS 13.3 (17C54)\n";
  const held = explainReport(readReport(
    `${head}Exception Type:  00000020\nException Codes: 0xdead10cc\nHighlighted Thread:  0\n\n` +
      "Application Specific Information:\nShop was suspended with locked system files:\n/private/var/mobile/shop/LOCK\n",
    "x",
  ));
  assertStringIncludes(held.causes.join(), "the file that the message names");
  assertStringIncludes(held.headline, "com.example.shop: ended by the system");
  const waits = told(
    `${head}Exception Type:  EXC_CRASH (SIGKILL)\nTermination Reason: Namespace SPRINGBOARD, Code 0x8badf00d\n` +
      "Termination Description: SPRINGBOARD, scene-create watchdog transgression: com.example.shop exhausted real (wall clock) time allowance of 20.00 seconds | " +
      '"Elapsed application CPU time (seconds): 0.131, 0% CPU" | )\nTriggered by Thread:  0\n\nThread 0 Crashed:\n' +
      frameLines(["libsystem_kernel.dylib flock + 8", "Cart 0x7000 + 64"]).join("\n"),
  );
  assertStringIncludes(
    waits.causes,
    "another process, such as an extension of the app, or another thread has it",
  );
});

Deno.test("one call again and again near the end of a stack; the simulator of Xcode 4", () => {
  const copy = explainReport(readReport(
    "Process: Shop [1]\nPath: /var/mobile/Applications/1/Shop.app/Shop\nCode Type: ARM (Native)\n" +
      "OS Version: iOS 7.0.6 (11B651)\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
      "Exception Subtype: KERN_PROTECTION_FAILURE at 0x27ccdea0\nTriggered by Thread: 0\n\nThread 0 Crashed:\n" +
      "0   libsystem_platform.dylib \t0x3af98278 0x3af94000 + 17016\n" +
      [1, 2, 3].map((at) => `${at}   Shop \t0x00f2828e 0x37000 + 15667854\n`).join("") +
      "4   Shop \t0x00f282ee 0x37000 + 15667950\n",
    "x",
  ));
  assertStringIncludes(copy.happened.join(), "Frames 1 to 3 are one and the same call");
  const { headline } = explainReport(readReport(
    "Process: Shop [1]\nOS Version: Mac OS X 10.8.2 (12C60)\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n\n" +
      "Application Specific Information:\niPhone Simulator 358.4, iPhone OS 6.0 (iPhone/10A403)\n\n" +
      "Thread 0 Crashed:\n0   Shop \t0x00f2828e main + 4\n",
    "x",
  ));
  assertStringIncludes(headline, "in the simulator (iPhone, iPhone OS 6.0)");
});

Deno.test("what an exception's function says alone: an observer's change that is not handled, a cell that is none", () => {
  const raisedIn = (...frames: string[]) =>
    told(
      crashText(["Exception Type:        EXC_CRASH (SIGABRT)", "", "Last Exception Backtrace:"], [])
        .replace("Triggered by Thread:   0\n\nThread 0 Crashed:\n", "") +
        frameLines([
          "CoreFoundation __exceptionPreprocess + 8",
          "libobjc.A.dylib objc_exception_throw + 8",
          ...frames,
        ]).join("\n") + "\n",
    );
  assertStringIncludes(
    raisedIn(
      "Foundation -[NSObject(NSKeyValueObserving) observeValueForKeyPath:ofObject:change:context:] + 8",
    ).what,
    "a change that it does not handle",
  );
  assertStringIncludes(
    raisedIn(
      "Foundation -[NSAssertionHandler handleFailureInMethod:object:file:lineNumber:description:] + 8",
      "UIKitCore -[UICollectionView _createPreparedCellForItemAtIndexPath:withLayoutAttributes:applyAttributes:isFocused:notify:] + 8",
    ).causes,
    "a cell that it did not dequeue",
  );
  // Operations are the program's own.
  const waits = told(crashText([
    "Exception Type:        EXC_CRASH (SIGKILL)",
    "Termination Reason:    Namespace SPRINGBOARD, Code 0x8badf00d",
    "Termination Description: SPRINGBOARD, scene-update watchdog transgression: org.example.shop exhausted real (wall clock) time allowance of 10.00 seconds | " +
    '"Elapsed application CPU time (seconds): 0.3, 1% CPU" | )',
  ], [
    "libsystem_kernel.dylib __psynch_cvwait + 8",
    "libsystem_pthread.dylib _pthread_cond_wait + 8",
    "Foundation -[NSOperation waitUntilFinished] + 8",
    "Shop save() + 8",
  ]));
  assertStringIncludes(waits.causes, "operations that take long");
  assert(!waits.causes.includes("another process"), waits.causes);
});

Deno.test("libraries without names: malloc that called abort(), a trap of a base library", () => {
  const nameless = (head: string, ...images: string[]) =>
    told(crashText([head], images.map((image, at) => `${image} 0x7000 + ${16 + 64 * at}`)));
  const abort = "Exception Type:        EXC_CRASH (SIGABRT)";
  const system = ["libsystem_kernel.dylib", "libsystem_pthread.dylib", "libsystem_c.dylib"];
  const found = nameless(abort, ...system, "libsystem_malloc.dylib", "Shop", "Shop");
  assertStringIncludes(found.what, "malloc found an error");
  assertEquals(found.whose.slice(0, 2), ["unknown", "malloc"]);
  assert(!nameless(abort, ...system, "Shop").what.includes("malloc"));
  const thrown = nameless(abort, ...system, "libc++abi.dylib", "libobjc.A.dylib", "Shop");
  assertStringIncludes(thrown.what, "most likely for an exception that was not caught");
  const trap = nameless(
    "Exception Type:        EXC_BREAKPOINT (SIGTRAP)",
    "libdispatch.dylib",
    "Shop",
  );
  assertStringIncludes(trap.what, "libdispatch.dylib, a library of the system, executed a trap");
});

Deno.test("reasons of UIKit's and Foundation's exceptions: cells, snapshots, what cannot be changed, nil", () => {
  const said = (reason: string) =>
    told(
      crashText([
        "Exception Type:        EXC_CRASH (SIGABRT)",
        "",
        "Application Specific Information:",
        `*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: '${reason}'`,
        "",
      ], ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 8"]),
    );
  for (
    const [reason, what] of [
      ["-[__NSArrayI addObject:]: unrecognized selector sent to instance 0x1", "immutable"],
      ["Attempt to mutate immutable object with appendString:", "immutable"],
      [
        "Supplied item identifiers are not unique. Duplicate identifiers: {( 1 )}",
        "more than once",
      ],
      [
        "Expected dequeued view to be returned to the collection view in preparation for display.",
        "did not return it",
      ],
      [
        "-[UIApplication beginReceivingRemoteControlEvents] must be called on the main thread.",
        "main thread only",
      ],
      ["*** -[NSKeyedUnarchiver initForReadingWithData:]: data is NULL", "passed nil"],
      [
        "A view can only be associated with at most one view controller at a time!",
        "another one's already",
      ],
      [
        "bundleProxyForCurrentProcess is nil: mainBundle.bundleURL file:///usr/local/bin/",
        "not of an app's bundle",
      ],
    ]
  ) assertStringIncludes(said(reason).what, what);
  // An array has no such method, changeable or not.
  const other =
    said("-[__NSArrayI setObject:forKey:]: unrecognized selector sent to instance 0x1").what;
  assert(!other.includes("immutable"), other);
});

Deno.test("an assertion of Xcode's own, and the plug-in that led to it", () => {
  const images = [
    [
      "com.apple.dt.DVTKit",
      "/Applications/Xcode.app/Contents/SharedFrameworks/DVTKit.framework/DVTKit",
    ],
    [
      "org.example.Quill",
      "/Users/*/Library/Application Support/Developer/*/Quill.xcplugin/Contents/MacOS/Quill",
    ],
  ];
  const frames = [
    "com.apple.dt.IDEKit +[IDEAssertionHandler _handleAssertionWithLogString:assertionSignature:] + 147",
    "com.apple.dt.IDEKit -[IDEAssertionHandler handleFailureInMethod:object:] + 117",
    "com.apple.dt.DVTFoundation _DVTAssertionFailureHandler + 407",
    "com.apple.dt.DVTKit -[DVTCompletingTextView setSelectedRange:] + 182",
    "com.apple.Foundation _NSSetRangeValueAndNotify + 277",
    "org.example.Quill -[NSTextView(Quill) quill_move] + 337",
    "com.apple.AppKit -[NSApplication run] + 711",
  ];
  const { what, whose } = told(
    crashText([
      "Identifier: com.apple.dt.Xcode",
      "OS Version: Mac OS X 10.9.2 (13C64)",
      "Exception Type: EXC_CRASH (SIGABRT)",
      "",
      "Application Specific Information:",
      "ASSERTION FAILURE in IDEKit/IDEPathCell.m:123",
      "Details:  the range should be in the text",
      "Object:   <DVTSourceTextView: 0x600000>",
      "Method:   -setSelectedRange:",
      "Thread:   <NSThread: 0x600000>{number = 1, name = main}",
      "Hints:   None",
      "",
    ], frames).replaceAll("Shop", "Xcode") +
      `\nBinary Images:\n${
        images.map(([name, path], at) =>
          `0x2000${at}0000 - 0x2000${at}ffff ${name} (1) <0a0b0c0d0e0f40018001020304050607> ${path}`
        ).join("\n")
      }\n`,
  );
  assertStringIncludes(what, "An assertion of Xcode's own failed. It says: ASSERTION FAILURE in");
  assertStringIncludes(what, "the range should be in the text");
  assert(!what.includes("0x600000") && !what.includes("Hints"), what);
  assertStringIncludes(
    what,
    "Further out on the stack is code that the program does not bring along",
  );
  assertEquals(whose[2], "-[DVTCompletingTextView setSelectedRange:]");
});

Deno.test("a collection's own memory, weak references and objects that could not be deallocated", () => {
  const at = (frame: string, address = "0x10") =>
    told(crashText([
      "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
      `Exception Codes:       KERN_INVALID_ADDRESS at ${address}`,
    ], [`${frame} + 8`, "Shop sell() + 8", "Shop main + 8"]));
  for (
    const frame of [
      "CoreFoundation -[__NSDictionaryM objectForKey:]",
      "Shop specialized Dictionary._Variant.setValue(_:forKey:)",
      "libswiftCore.dylib _NativeDictionary.mutatingFind(_:isUnique:)",
    ]
  ) assertStringIncludes(at(frame).causes, "several threads use at once");
  // What is in it was used by what that called; what cannot be changed is not changed.
  assert(!at("libobjc.A.dylib objc_release").causes.includes("several threads"));
  assert(!at("CoreFoundation -[__NSArrayI objectAtIndex:]").causes.includes("several threads"));
  assertStringIncludes(
    at("libobjc.A.dylib weak_register_no_lock").what,
    "A weak reference could not be set",
  );
  assertStringIncludes(
    at("libobjc.A.dylib objc_destructInstance").what,
    "could not be deallocated",
  );
});

Deno.test("who raised an exception, by a backtrace without names or of addresses alone", () => {
  const own = (lines: string[]) =>
    crashText(
      ["Exception Type:        EXC_CRASH (SIGABRT)", "", "Last Exception Backtrace:", ...lines, ""],
      ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 8"],
    );
  const nameless = (...images: string[]) =>
    told(own(
      ["CoreFoundation", "libobjc.A.dylib", ...images, "Shop", "Shop"]
        .map((image, at) => `${at}   ${image}   \t0x18${1000 + at}000 0x181000000 + ${at * 4096}`),
    )).what;
  // An assertion of UIKit's, or what Foundation raises itself.
  assertStringIncludes(
    nameless("Foundation", "UIKitCore", "UIKitCore"),
    "It was raised by UIKitCore, or by Foundation, which it called.",
  );
  // What called what raised it did not.
  assertStringIncludes(nameless("CoreAutoLayout", "UIKitCore"), "It was raised by CoreAutoLayout.");
  const addresses = explainReport(
    readReport(own(["(0x189d1c398 0x182e5d0e4 0x189d1c2d8 0x10487f2a8)"]), "x"),
  );
  assertEquals(addresses.raiser, null);
});

Deno.test("Swift's own words: a string's bounds, a precondition, an assertion, a pointer that is not aligned", () => {
  const said = (message: string) =>
    told(
      crashText([
        "Exception Type:        EXC_BREAKPOINT (SIGTRAP)",
        "",
        "Application Specific Information:",
        message,
        "",
      ], ["libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 8", "Shop sell() + 8"]),
    ).what;
  for (
    const [message, what] of [
      [
        "Swift/StringIndexValidation.swift:120: Fatal error: String index is out of bounds",
        "bounds of a Swift string",
      ],
      [
        "Shop/Cart.swift:42: Precondition failed: must be positive",
        "A precondition of the code failed. It says: ",
      ],
      ["Shop/Cart.swift:42: Assertion failed", "An assertion failed. It says: "],
      ["Fatal error: load from misaligned raw pointer", "is not aligned for the type"],
    ]
  ) assertStringIncludes(said(message), what);
});

Deno.test("a fault in the program's handler of a signal that interrupted a wait is the handler's", () => {
  const { whose } = told(crashText([
    "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes:       KERN_INVALID_ADDRESS at 0x0",
  ], [
    "Shop onAlarm(int) + 8",
    "libsystem_platform.dylib _sigtramp + 8",
    "libsystem_kernel.dylib __semwait_signal + 8",
    "libsystem_c.dylib nanosleep + 8",
    "Shop main + 8",
  ]));
  assertEquals(whose, ["program", null, "onAlarm(int)"]);
});

Deno.test("a small address in functions that read an object's class may be of the class; the trampoline of a signal is passed nothing", () => {
  const head = (address: string) => [
    "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
    `Exception Codes:       KERN_INVALID_ADDRESS at ${address}`,
  ];
  for (
    const name of [
      "objc_storeWeak",
      "objc_loadWeakRetained",
      "objc_msgSendSuper2",
      "objc_autoreleasePoolPop",
      "AutoreleasePoolPage::releaseUntil(objc_object**)",
      "objc_object::sidetable_release(bool, bool)",
    ]
  ) {
    const { what, next } = told(
      crashText(head("0x20"), [`libobjc.A.dylib ${name} + 8`, "Shop sell + 8"]),
    );
    assertStringIncludes(what, "or what was read from an object as its class", name);
    assert(!next.includes("why it is null"), next);
  }
  const { what } = told(
    crashText(head("0x0"), ["libsystem_platform.dylib _sigtramp + 8", "Shop sell + 8"]),
  );
  assert(!what.includes("was passed a null pointer"), what);
});

Deno.test("functions whose names say why: Rust's newer names, Qt's, Java's, Chromium's, wxWidgets'", () => {
  const abort = ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 8"];
  const head = ["Exception Type:        EXC_CRASH (SIGABRT)"];
  const rust = told(crashText(head, [
    ...abort,
    "Shop __rustc::__rust_abort + 8",
    "Shop __rustc::__rust_start_panic + 8",
    "Shop __rustc::rust_panic + 8",
    "Shop std::panicking::rust_panic_with_hook + 8",
    "Shop core::result::unwrap_failed + 8",
    "Shop shop::sell + 8",
  ]));
  assertStringIncludes(rust.what, "Rust");
  assertEquals(rust.whose, ["program", null, "shop::sell"]);
  for (
    const [name, what] of [
      ["qTerminate()", "reached a function of Qt that lets none through"],
      ["qBadAlloc()", "got no memory"],
      ["jni_FatalError", "JNI's FatalError()"],
    ]
  ) {
    assertStringIncludes(
      told(crashText(head, [...abort, `libshop.dylib ${name} + 8`, "Shop sell + 8"])).what,
      what,
    );
  }
  assertStringIncludes(
    told(crashText(head, [
      ...abort,
      "libjvm.dylib os::abort(bool, void*, void const*) + 8",
      "libjvm.dylib VMError::report_and_die(int, char const*) + 8",
      "libjvm.dylib report_vm_out_of_memory(char const*, int, unsigned long) + 8",
      "libjvm.dylib os::commit_memory + 8",
    ])).what,
    "got no memory from the system for its own use",
  );
  const trap = ["Exception Type:        EXC_BREAKPOINT (SIGTRAP)"];
  for (
    const [name, what] of [
      ["wxTrap()", "stopped by wxTrap()"],
      [
        "partition_alloc::internal::PartitionExcessiveAllocationSize(unsigned long)",
        "More memory was asked for at once",
      ],
      [
        "gpu::GpuWatchdogThread::DeliberatelyTerminateToRecoverFromHang()",
        "its watchdog ended it on purpose",
      ],
    ]
  ) {
    assertStringIncludes(
      told(crashText(trap, [`libshop.dylib ${name} + 8`, "Shop sell + 8"])).what,
      what,
    );
  }
  const watchdog = told(crashText([
    "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes:       KERN_INVALID_ADDRESS at 0x0",
  ], ["libshop.dylib gpu::GpuWatchdogThread::DeliberatelyTerminateToRecoverFromHang() + 8"]));
  assertStringIncludes(watchdog.what, "its watchdog ended it on purpose");
  assert(!watchdog.next.includes("why it is null"), watchdog.next);
});

Deno.test("a reason's own words exclude causes; what a person writes behind a message is not said by the report", () => {
  const of = (information: string[]) =>
    told(crashText([
      "Exception Type:        EXC_CRASH (SIGABRT)",
      "",
      "Application Specific Information:",
      ...information,
      "",
    ], ["libsystem_kernel.dylib __pthread_kill + 8"]));
  const full = of([
    "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'This NSPersistentStoreCoordinator has no persistent stores (disk full).  It cannot perform a save operation.'",
  ]);
  assertStringIncludes(full.what, "since the disk was full");
  assert(!full.causes.includes("migration"), full.causes);
  const selector = of([
    "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'Invalid parameter not satisfying: aSelector != NULL'",
  ]);
  assert(!selector.causes.includes("object"), selector.causes);
  const texture = of([
    "-[MTLTextureDescriptorInternal validateWithDevice:]:1405: failed assertion `Texture Descriptor Validation",
    "MTLTextureDescriptor has width (20000) greater than the maximum allowed size of 16384.",
  ]);
  assertStringIncludes(texture.what, "width (20000) greater than");
  assert(!texture.next.includes("API validation"), texture.next);
  const person = of([
    "BUG IN CLIENT OF LIBDISPATCH: Over-resume of an object",
    "",
    "Happens when I close the preferences, any idea?",
  ]);
  assertStringIncludes(person.what, "more often than suspended");
  assert(!person.what.includes("preferences"), person.what);
});

Deno.test("what Qt and Rust print before the shell tells of the signal is told", () => {
  const qt = told(
    'qt.qpa.plugin: Could not find the Qt platform plugin "cocoa" in ""\nThis application failed to start because no Qt platform plugin could be initialized. Reinstalling the application may fix this problem.\nAbort trap: 6\n',
  );
  assertStringIncludes(qt.what, "Qt could load no plugin for the platform");
  const rust = told(
    "\nthread 'main' has overflowed its stack\nfatal runtime error: stack overflow\nAbort trap: 6\n",
  );
  assertStringIncludes(rust.what, "used up its stack");
});

Deno.test("libdispatch's assertion on the queue is told by its words, with and without a not", () => {
  const of = (words: string) =>
    told(crashText([
      "Exception Type:        EXC_BREAKPOINT (SIGTRAP)",
      "",
      "Application Specific Information:",
      `BUG IN CLIENT OF LIBDISPATCH: Assertion failed: Block was ${words} to execute on queue [com.shop.cart]`,
      "",
    ], ["libdispatch.dylib _dispatch_assert_queue_fail + 8", "Shop sell + 8"])).what;
  assertStringIncludes(of("expected"), "another dispatch queue than it asserts. It says");
  assertStringIncludes(of("not expected"), "that it asserts not to be on. It says");
});

Deno.test("messages of Core Foundation, libc++abi, SQLite, Go and the window server's connection are told in words", () => {
  for (
    const [message, what] of [
      ["*** CFEqual() called with NULL ***", "CFEqual was called with NULL"],
      [
        "libc++abi: __cxa_guard_acquire detected recursive initialization",
        "used while it was being initialized",
      ],
      ["libc++abi: terminating due to uncaught foreign exception", "not of C++"],
      [
        "BUG IN CLIENT OF libsqlite3.dylib: illegal multi-threaded access to database connection",
        "two threads at once",
      ],
      [
        "_RegisterApplication(), FAILED TO establish the default connection to the WindowServer, _CGSDefaultConnection() is NULL.",
        "no connection to the window server",
      ],
      ["fatal: morestack on g0", "Go's run-time itself was full"],
      ["UI API called on a background thread: -[NSView frame]", "for the main thread only"],
    ]
  ) {
    assertStringIncludes(
      told(crashText([
        "Exception Type:        EXC_CRASH (SIGABRT)",
        "",
        "Application Specific Information:",
        message,
        "",
      ], ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 8"])).what,
      what,
    );
  }
});

Deno.test("a library that is on the stack twice, from two files, is told; a program of its name is no copy", () => {
  const { what } = told(copies(
    "/opt/local/lib/libshop.dylib",
    "/Library/Frameworks/Shop.framework/Versions/2/libshop.dylib",
  ));
  assertStringIncludes(
    what,
    "Two copies of libshop.dylib are loaded, and the stack has both: /Library/Frameworks/Shop.framework/Versions/2/libshop.dylib called on into /opt/local/lib/libshop.dylib",
  );
  for (
    const [inner, outer] of [
      ["/opt/local/lib/libshop.dylib", "/opt/local/lib/libshop.dylib"],
      [
        "/Applications/Shop.app/Contents/Frameworks/Shop.framework/Versions/A/Shop",
        "/Applications/Shop.app/Contents/MacOS/Shop",
      ],
    ]
  ) assert(!told(copies(inner, outer)).what.includes("Two copies"), inner);

  function copies(inner: string, outer: string): string {
    const name = inner.split("/").at(-1);
    return `Process:               Cart [123]
Path:                  /Applications/Cart.app/Contents/MacOS/Cart
Code Type:             X86-64 (Native)

Exception Type:        EXC_BAD_ACCESS (SIGSEGV)
Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000018

Thread 0 Crashed:
0   ${name}   0x0000000101000100 get + 16
1   ${name}   0x0000000102000100 sell + 16

Binary Images:
0x101000000 - 0x101ffffff ${name} (1) <11111111-2222-3333-4444-555555555555> ${inner}
${
      inner === outer
        ? ""
        : `0x102000000 - 0x102ffffff ${name} (1) <21111111-2222-3333-4444-555555555555> ${outer}\n`
    }`;
  }
});

Deno.test("a weak reference at which the run-time stops; a background task that is released; a class that is not aligned", () => {
  const weak = (inner: string) =>
    told(crashText(["Exception Type:        EXC_CRASH (SIGABRT)", ""], [
      "libsystem_kernel.dylib __abort_with_payload + 8",
      `libobjc.A.dylib ${inner} + 112`,
      "libobjc.A.dylib objc_storeWeak + 328",
      "UIKit -[UIScrollView setDelegate:] + 336",
      "Shop -[ShopTable close] + 40",
    ]));
  const stopped = weak("_objc_fatalv(unsigned long long, unsigned long long, char const*, char*)");
  assertStringIncludes(stopped.what, "A weak reference was made to an object that is being");
  assertStringIncludes(stopped.causes, "in dealloc");
  assert(!weak("other").what.includes("weak reference"));
  const task = told(crashText(["Exception Type:        EXC_CRASH (SIGABRT)", ""], [
    "libsystem_kernel.dylib __abort_with_payload + 8",
    "libsystem_kernel.dylib abort_with_reason + 28",
    "WatchKit __abort_with_reason + 168",
    "WatchKit -[WKRefreshBackgroundTask dealloc] + 288",
    "Shop handle(_:) + 60",
  ]));
  assertStringIncludes(task.what, "before it was marked as completed");
  assertStringIncludes(task.next, "setTaskCompletedWithSnapshot");
  // Of an object's class that is no cast from bytes.
  const aligned = (inner: string) =>
    told(
      crashText([
        "Exception Type:        EXC_BAD_ACCESS (SIGABRT)",
        "Exception Codes:       EXC_ARM_DA_ALIGN at 0x02645339",
        "",
      ], [inner, "Shop bake + 40"]).replace("X86-64", "ARM"),
    );
  assertStringIncludes(aligned("Shop stir + 4").next, "memcpy");
  const object = aligned("libobjc.A.dylib objc_msgSend + 4");
  assertStringIncludes(object.what, "was not aligned");
  assert(!object.next.includes("memcpy"), object.next);
});

Deno.test("malloc's lock that a handler of the signal meets is no lock of the program's; the handler's thread is told", () => {
  const { what, next } = told(
    "Exception Type:        EXC_BAD_ACCESS (SIGABRT)\nCrashed Thread:        5\n\nApplication Specific Information:\n" +
      "*** error for object 0x7fc172ee4a88: incorrect checksum for freed object - object was probably modified after being freed.\n" +
      "BUG IN CLIENT OF LIBPLATFORM: Trying to recursively lock an os_unfair_lock\n\nThread 0:\n" +
      frameLines([
        "libsystem_platform.dylib _os_unfair_lock_recursive_abort + 23",
        "libsystem_malloc.dylib malloc + 24",
        "Shop onSignal + 33",
        "libsystem_platform.dylib _sigtramp + 26",
        "libsystem_c.dylib abort + 129",
        "Shop main + 20",
      ]).join("\n") + "\n",
  );
  assert(!next.includes("Release the lock"), next);
  assertStringIncludes(what, "Thread 0 was in a handler of a signal (onSignal)");
});
