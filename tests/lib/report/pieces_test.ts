/** Copies that lack parts, and reporters' own texts: what is told of them, and what must not be. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  attributeReport,
  type CrashReport,
  explainReport,
  readReport,
  writeReport,
} from "../../../lib/report/mod.ts";
import { frameLines } from "./fixtures.ts";

function told(text: string): string {
  return explainReport(readReport(text, "x")).happened.join("\n");
}

function whose(text: string): [string, string | null, string | null] {
  const { verdict, absent, deciding } = attributeReport(readReport(text, "x"));
  return [verdict, absent, deciding?.frame.symbol ?? null];
}

/** The lines of frames, numbered from `first`. */
const stack = (frames: readonly string[], first = 0): string =>
  frameLines(frames, 0x7000, first).join("\n");

const loop = [
  "CoreFoundation __CFRunLoopRun + 1200",
  "UIKitCore UIApplicationMain + 100",
  "MyApp main + 80",
  "dyld start + 4",
];

Deno.test("an exception that was thrown again: whose it is is not known", () => {
  const text = `Exception Type: EXC_CRASH (SIGABRT)\nThread 0 Crashed:\n${
    stack([
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 100",
      "libc++abi.dylib std::__terminate(void (*)()) + 14",
      "libc++abi.dylib __cxa_rethrow + 103",
      "libobjc.A.dylib objc_exception_rethrow + 47",
      ...loop,
    ])
  }\n`;
  assertEquals(whose(text), ["unknown", "thrower", null]);
  assertStringIncludes(told(text), "The stack that raised it is not in this part of the report.");
});

Deno.test("a crash reporter's handler of the exception is not to blame", () => {
  const text = `Exception Type: EXC_CRASH (SIGABRT)\nThread 5 Crashed:\n${
    stack([
      "AppKit -[NSApplication _crashOnException:] + 109",
      "MyApp handleUncaught + 20",
      "CoreFoundation __handleUncaughtException + 775",
      "libobjc.A.dylib _objc_terminate() + 91",
      "MyApp CPPExceptionTerminate() + 30",
      "libc++abi.dylib std::__terminate(void (*)()) + 8",
      "libdispatch.dylib _dispatch_client_callout + 28",
    ])
  }\n`;
  assertEquals(whose(text), ["unknown", "thrower", null]);
});

Deno.test("std::terminate() alone is not called an exception; a joinable thread is told", () => {
  const text = (caller: string) =>
    `Exception Type: EXC_CRASH (SIGABRT)\nThread 0 Crashed:\n${
      stack([
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_c.dylib abort + 100",
        "libc++abi.dylib std::terminate() + 14",
        caller,
        "MyApp run() + 20",
        ...loop,
      ])
    }\n`;
  assertStringIncludes(told(text("MyApp stop() + 8")), "most often because an exception");
  assertStringIncludes(told(text("libc++.1.dylib std::__1::thread::~thread() + 8")), "joinable");
});

Deno.test("a stack that is cut off does not say that no function of the program led to it", () => {
  const lines = ["libobjc.A.dylib objc_msgSend + 29", "CoreFoundation CFArrayApply + 12"];
  const text = (more: string[]) =>
    `Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nThread 0 Crashed:\n${stack([...lines, ...more])}\n`;
  assertEquals(whose(text([])), ["unknown", "outer", null]);
  assertEquals(whose(text(loop)), ["system", null, null]);
});

Deno.test("main() that only started a framework or an event loop is not to blame", () => {
  const electron = stack([
    "libsystem_kernel.dylib __pthread_kill + 8",
    "Electron~Framework 0x1000 + 400",
    "Electron~Framework 0x1000 + 800",
    "MyApp 0x2000 + 100",
    "dyld start + 4",
  ]).replaceAll("~", " ");
  const text = (frames: string) =>
    `Exception Type: EXC_CRASH (SIGTRAP)\nThread 0 Crashed:\n${frames}\n`;
  assertEquals(whose(text(electron))[0], "runtime");
  const nameless = stack([
    "CoreFoundation 0x5000 + 400",
    "GraphicsServices 0x6000 + 800",
    "UIKit 0x7000 + 800",
    "MyApp 0x2000 + 100",
    "libdyld.dylib 0x3000 + 4",
  ]);
  assertEquals(whose(text(nameless)), ["system", null, null]);
});

Deno.test("a code's name of another exception is not told of a trap", () => {
  const text = "Exception Type: EXC_BREAKPOINT (SIGTRAP)\nException Codes: KERN_INVALID_ADDRESS\n" +
    `Thread 0 Crashed:\n${stack(["MyApp check() + 4", ...loop])}\n`;
  assert(!told(text).includes("mapped"), told(text));
});

Deno.test("a full stack: the object in hand is not called invalid", () => {
  const text = "Code Type: ARM-64\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
    "Exception Codes: KERN_PROTECTION_FAILURE at 0x16fc00000\n" +
    "VM Region Info: 0x16fc00000 is in 0x16c400000-0x16fc04000\n" +
    "--->  STACK GUARD 16c400000-16fc04000 [ 56.0M] ---/rwx SM=NUL\n\n" +
    `Thread 0 Crashed:\n${stack(["libobjc.A.dylib objc_msgSend + 8", "MyApp f() + 4", ...loop])}\n`;
  assert(!told(text).includes("invalid object"), told(text));
  assertStringIncludes(told(text), "the stack is full");
});

Deno.test("Markdown's bold for two underscores; a signal handler; a jump to null", () => {
  const text = "Code Type: X86-64\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
    "Exception Codes: KERN_INVALID_ADDRESS at 0x0\n\nThread 0 Crashed:\n" +
    "0   libsystem_kernel.dylib  0x00007fff87942292 **kill + 10\n" +
    "1   MyApp                   0x000000010805c84a 0x108042000 + 108618\n" +
    "2   libsystem_platform.dylib 0x00007fff93d6b5aa _sigtramp + 26\n" +
    "3   ???                     000000000000000000 0 + 0\n" +
    "4   MyApp                   0x0000000108048f20 -[Delegate begin] + 20\n";
  // On Intel the walk has 0 there whatever the signal interrupted.
  assert(!told(text).includes("null function pointer"));
  assertStringIncludes(told(text), "it is null");
  assertEquals(whose(text)[2], "-[Delegate begin]");
  const called = text.replace(/^[012] .*\n/gm, "");
  assertStringIncludes(told(called), "null function pointer");
});

Deno.test("Crashlytics' text: title, exception and reason", () => {
  const fault = "EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010\n\n" +
    "#0. Crashed: com.apple.main-thread\n0  MyApp  0x6124 -[Cell show] + 36 (Cell.m:36)\n" +
    "1  UIKitCore  0x7000 UIApplicationMain + 8\n";
  const { exception, crashedThread } = readReport(fault, "x");
  assertEquals([exception?.type, crashedThread?.queue], [
    "EXC_BAD_ACCESS",
    "com.apple.main-thread",
  ]);
  assertStringIncludes(told(fault), "null plus 16");
  const fatal = "Fatal Exception: NSRangeException\n*** index 3 beyond bounds [0 .. 2]\n" +
    "0  CoreFoundation  0x9e88 __exceptionPreprocess\n1  libobjc.A.dylib  0x178d8 objc_exception_throw\n" +
    "2  MyApp  0x6124 -[Cell show] + 36\n";
  assertStringIncludes(told(fatal), "NSRangeException, *** index 3 beyond bounds [0 .. 2]");
  assertEquals(whose(fatal)[2], "-[Cell show]");
});

Deno.test("the console's text of an exception, also behind a log's prefixes", () => {
  const frames = [
    "CoreFoundation __exceptionPreprocess + 1",
    "libobjc.A.dylib objc_exception_throw + 48",
  ];
  const text =
    "*** Terminating app due to uncaught exception 'NSGenericException', reason: 'why'\n" +
    `*** First throw call stack:\n(\n${stack([...frames, "MyApp -[A b] + 96"])}\n)\n` +
    "libc++abi: terminating with uncaught exception of type NSException\n";
  assertStringIncludes(told(text), "NSGenericException, why");
  assertEquals(whose(text)[2], "-[A b]");
  const logged = text.split("\n").map((line) =>
    line === "" ? "" : `2018-01-27 10:17:02.209 MyApp[502:77802] critical: ${line}`
  ).join("\n");
  assertEquals(whose(logged)[2], "-[A b]");
});

Deno.test("behind a comment's marks, after prose", () => {
  const report = "Process: MyApp [1]\nException Type: EXC_BAD_ACCESS (SIGBUS)\n" +
    "Exception Codes: KERN_PROTECTION_FAILURE at 0x0000000000000002\nCrashed Thread: 0\n";
  const text = `A long story.\n\n${
    report.split("\n").map((line) => `| ${line}`).join("\n")
  }\n\nThe end.\n`;
  assertStringIncludes(told(text), "null plus 2");
});

Deno.test("the outer part of a stack, and registers alone, blame nobody", () => {
  const outer = stack(["MyApp -[A b] + 4", "UIKitCore UIApplicationMain + 100"], 55);
  assertEquals(whose(`${outer}\n`), ["unknown", "stack", null]);
  assertStringIncludes(told(`${outer}\n`), "The crashed thread is not in this part of the report.");
  const registers = `${outer}\n\nThread 0 crashed with X86 Thread State (64-bit):\n` +
    "  rip: 0x000000010ae0423e  rfl: 0x0000000000010203  cr2: 0x0000000000000075\n\n" +
    "Logical CPU: 0\nError Code: 0x00000006 (no mapping for user data write)\nTrap Number: 14\n";
  assertStringIncludes(told(registers), "page fault at 0x75: no mapping for user data write");
  assertEquals(whose(registers), ["unknown", "stack", null]);
});

Deno.test("a piece of an .ips without an exception or a whole stack is called that", () => {
  assertThrows(
    () => readReport('trap","imageIndex":13},{"imageOffset":18712,"imageIndex":25}],', "x"),
    Error,
    "a piece",
  );
});

Deno.test("a stackshot in text: its threads, by process, with the kernel's frames", () => {
  const text = '{"os_version":"iPhone OS 7.1.2 (11D257)","bug_type":"188"}\n' +
    "Incident Identifier: D2604550-FFA3-45D5-8247-A3F1E72E6A40\nDate: 2016-05-12 14:57:08 -0500\n" +
    "Exception Code: 0xbaaaaaad\nReason: asked for\n\nProcess 7 binary images:\n" +
    " 0x16000 <1a6c526c3cca3e32b3c0f448b1d16c89>\n 0x30000 <651a31c39f71311f965f8ac44de02c88>\n\n" +
    "Process 7 init threads:\nthread 0x14b TH_WAIT|TH_UNINT 0\n\tthread priority:  30\n" +
    "\tkernel: 0x800b0e89 0x800b0e01\n\tuser: 0x1b1d9 0x31000\nthread 0x14c TH_RUN 0\n" +
    "\tkernel cont: 0x800b0e89\n";
  const { threads, warnings } = readReport(text, "x");
  assertEquals(warnings, []);
  assertEquals(threads.map(({ id, process }) => [id, process]), [[0x14bn, "init [7]"], [
    0x14cn,
    "init [7]",
  ]]);
  assertEquals(
    threads[0].frames.map(({ address, image, imageName }) => [
      address,
      image?.base ?? imageName,
    ]),
    [[0x800b0e89n, "kernel"], [0x800b0e01n, "kernel"], [0x1b1d9n, 0x16000n], [
      0x31000n,
      0x30000n,
    ]],
  );
  assertStringIncludes(told(text), "nothing crashed");
});

Deno.test("what LLDB's crashlog needs of an .ips: an exception, and a UUID of each image", () => {
  const report = readReport(
    `Process: MyApp [1]\nReport Version: 104\n\nThread 0:\n${stack(["MyApp main + 4"])}\n\n` +
      "Binary Images:\n0x7000 - 0x7fff MyApp arm64  /Applications/MyApp.app/MyApp\n",
    "x",
  );
  const body = JSON.parse(writeReport(report, "ips").split("\n").slice(1).join("\n"));
  assertEquals(typeof body.exception.type, "string");
  assert(body.usedImages.every(({ uuid }: { uuid: string }) => /^[0-9a-f-]{36}$/.test(uuid)));
  const again: CrashReport = readReport(writeReport(report, "ips"), "y");
  assertEquals([again.exception, again.images[0].uuid], [null, null]);
});

Deno.test("a function that may only have been called is not said to have failed", () => {
  const text = (type: string, frames: string[]) =>
    `Exception Type: ${type}\nThread 0 Crashed:\n${stack([...frames, "MyApp f() + 4", ...loop])}\n`;
  const access = "EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x10";
  for (
    const symbol of [
      "CoreFoundation -[__NSArrayM objectAtIndex:] + 8",
      "libdispatch.dylib dispatch_group_leave + 8",
      "libswiftCore.dylib Array.subscript.getter + 8",
      "libdispatch.dylib __DISPATCH_WAIT_FOR_QUEUE__ + 8",
    ]
  ) {
    const words = told(text(access, [symbol]));
    assert(!/beyond|more often|deadlock/.test(words), `${symbol}: ${words}`);
  }
  const called = told(text("EXC_CRASH (SIGABRT)", [
    "libsystem_c.dylib abort + 8",
    "libobjc.A.dylib objc_release + 8",
  ]));
  assert(!called.includes("invalid object"), called);
  const left = text("EXC_BREAKPOINT (SIGTRAP)", ["libdispatch.dylib dispatch_group_leave + 8"]);
  assertStringIncludes(told(left), "left more often");
});

Deno.test("a function that follows a call of one that does not return raised nothing", () => {
  const text = "Fatal Exception: NSInternalInconsistencyException\n" + [
    "0  CoreFoundation 0xecb28 __exceptionPreprocess",
    "1  libobjc.A.dylib 0x2af78 objc_exception_throw",
    "2  Foundation 0x6ba920 _userInfoForFileAndLine",
    "3  UIKitCore 0x7c464 -[UICollectionView layoutSubviews]",
    "4  MyApp 0x10e58 (Missing)",
    "5  libdyld.dylib 0x10 start",
  ].join("\n") + "\n";
  const words = told(text);
  assertStringIncludes(words, "It was raised in -[UICollectionView layoutSubviews] (UIKitCore)");
  assert(!words.includes("_userInfoForFileAndLine"), words);
});

Deno.test("a signal that meets an event loop is not blamed on its stack", () => {
  const frames = [
    "0 libsystem_kernel.dylib 0x000000019b578c30 0x19b578000 + 3120",
    "1 libsystem_kernel.dylib 0x000000019b578aac 0x19b578000 + 2732",
    "2 CoreFoundation 0x0000000186100168 0x186024000 + 901480",
    "3 CoreFoundation 0x00000001860fde6c 0x186024000 + 892524",
    "4 GraphicsServices 0x0000000191180088 0x191174000 + 49288",
    "5 UIKit 0x000000018b706f60 0x18b68c000 + 503648",
    "6 MyApp 0x0000000100016f70 0x100000000 + 94064",
    "7 libdyld.dylib 0x000000019b4768b8 0x19b474000 + 10424",
  ].join("\n");
  const text =
    `Code Type: ARM-64\nException Type: EXC_CRASH (SIGILL)\nThread 0 Crashed:\n${frames}\n`;
  assertStringIncludes(told(text), "nothing on its stack raised it");
  assertEquals(whose(text)[0], "none");
  assert(!told(text).includes("Intel"), told(text));
});

Deno.test("frames whose names were wrapped, or that have no address", () => {
  const wrapped = readReport(
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\n\nThread 0 Crashed:: Dispatch queue\n" +
      "0   QtGui   0x0000000110c55f75\nQWidgetPrivate::childAt(QPoint const&) const + 21\n" +
      "1   QtGui   0x0000000110c55f99\nQWidget::event(QEvent*) +\n",
    "x",
  );
  assertEquals(
    wrapped.crashedThread?.frames.map(({ symbol, offset }) => [symbol, offset]),
    [["QWidgetPrivate::childAt(QPoint const&) const", 21], ["QWidget::event(QEvent*)", null]],
  );
  assertEquals(wrapped.crashedThread?.name, null);
  const bare = readReport(
    "Exception Type: EXC_BAD_ACCESS (SIGBUS)\n" +
      "Thread 0 Crashed: 0 libxpcom_core.dylib nsTArray_base::Length() const + 11 (nsTArray.h:66)\n" +
      "1 libgklayout.dylib nsContentUtils::GetKeys(nsIDOMEvent*) + 261 (nsContentUtils.cpp:4083)\n",
    "x",
  );
  assertEquals(
    bare.crashedThread?.frames.map(({ imageName, symbol, line }) => [imageName, symbol, line]),
    [
      ["libxpcom_core.dylib", "nsTArray_base::Length() const", 66],
      ["libgklayout.dylib", "nsContentUtils::GetKeys(nsIDOMEvent*)", 4083],
    ],
  );
});

Deno.test("Breakpad's machine-readable text, and a module's offsets", () => {
  const text = "OS|Mac OS X|10.13.6 17G3025\nCPU|amd64|family 6 model 23 stepping 10|2\nGPU|||\n" +
    "Crash|EXC_BAD_ACCESS / KERN_INVALID_ADDRESS|0x8|1\n" +
    "Module|XUL||XUL|0A0B0C0D0E0F400180010203040506070|0x10000000|0x1000ffff|1\n\n" +
    "0|0|libsystem_kernel.dylib|||0x1679a|0x1679a\n" +
    "1|0|XUL|nsIFrame::UpdateOverflow()|hg:hg.mozilla.org/mozilla-central:layout/nsFrame.cpp:957a|7601|0x0\n" +
    "1|1|XUL||||0x1230\n";
  const report = readReport(text, "x");
  const { crashedThread, exception, osVersion } = report;
  assertEquals([crashedThread?.index, exception?.type, osVersion], [
    1,
    "EXC_BAD_ACCESS",
    "Mac OS X 10.13.6 17G3025",
  ]);
  assertEquals(
    crashedThread?.frames.map(({ symbol, file, line, address }) => [symbol, file, line, address]),
    [["nsIFrame::UpdateOverflow()", "layout/nsFrame.cpp", 7601, 0n], [
      null,
      null,
      null,
      0x10001230n,
    ]],
  );
  assertStringIncludes(told(text), "null plus 8");
});

Deno.test("what Mono prints of a signal in native code", () => {
  const text = (frames: string[]) =>
    [
      "Got a SIGSEGV while executing native code. This usually indicates",
      "a fatal error in the mono runtime or one of the native libraries",
      "used by your application.",
      "\tNative stacktrace:",
      ...frames,
      "\tManaged Stacktrace:",
      "\t  at <unknown> <0xffffffff>",
      "\t  at Foo.Bar:Draw (int) <0x0002b>",
      "",
    ].join("\n");
  const known = text([
    "\t0x10d0e3bf7 - /opt/mono/bin/mono : mono_dump_native_crash_info",
    "\t0x7fff8b6df5aa - /usr/lib/system/libsystem_platform.dylib : _sigtramp",
    "\t0x10f000010 - /app/libdraw.dylib : draw_line",
    "\t0x10f0f0010 - /app/libdraw.dylib : (null)",
  ]);
  assertEquals(whose(known), ["program", null, "draw_line"]);
  assertStringIncludes(told(known), "managed code called");
  assertStringIncludes(told(known), "Foo.Bar:Draw");
  // Only Mono's handler, and names that stand for the nearest exported function.
  const cut = text([
    "\t0x104c2e38c - /app/app : GlobalizationNative_InitICUFunctions",
    "\t0x104c19488 - /app/app : GlobalizationNative_InitICUFunctions",
  ]);
  assertEquals(whose(cut), ["unknown", "managed beside", null]);
});

Deno.test("a panic whose message was cut off still names the extension", () => {
  const text = "\t\t  lr: 0xfffffe004f2366e4  fp: 0xfffffe5b037e3ec0\n" +
    "\t\t  lr: 0xfffffe00495a88ac  fp: 0x0000000000000000\n" +
    "      Kernel Extensions in backtrace:\n" +
    "         org.openzfsonosx.zfs(2.3.1)[F8287B3A-8CA2-3DB7-B123-2A3218172C76]@0xfffffe004f224000->0xfffffe004f45e5af\n";
  assertStringIncludes(told(text), "the message was cut off");
  assertEquals(whose(text)[0], "program");
});

/** Lines of a call tree, one in the other, each as often as its caller. */
function tree(lines: string[], title = "com.apple.main-thread"): string {
  return [
    "Analysis of sampling MyApp (pid 1) every 1 millisecond",
    "Call graph:",
    `    2569 Thread_1   DispatchQueue_1: ${title}  (serial)`,
    ...lines.map((line, at) => `    + ${"  ".repeat(at)}2569 ${line}`),
  ].join("\n");
}

Deno.test("a copy that ends within a call tree neither blames nor calls it idle", () => {
  const cut = tree([
    "start_wqthread  (in libsystem_pthread.dylib) + 13  [0x7fff8a477fb9]",
    "_dispatch_queue_invoke  (in libdispatch.dylib) + 110  [0x7fff88fd09dd]",
    "_dispatch_queue_drain  (in libdispatch",
  ]);
  assert(!told(cut).includes("idle"), told(cut));
  assertStringIncludes(told(cut), "ends within its call tree");
  assertEquals(whose(cut), ["unknown", "stack", null]);
  // main() has no name here.
  const loops = tree([
    "start  (in MyApp) + 52  [0x10351b3e4]",
    "???  (in MyApp)  load address 0x103515000 + 0x9772  [0x10351e772]",
    "-[NSApplication run]  (in AppKit) + 682  [0x7fff9b662d80]",
    "CFRunLoopRunSpecific  (in CoreFoundation) + 296  [0x7fff99e29ed8]",
    "memmove  (in libsystem_c.dylib) + 12  [0x7fff99e29ff0]",
  ]);
  assertEquals(whose(loops), ["system", null, null]);
});

Deno.test("call trees that lost their indentation, and those of old systems without places", () => {
  const lost = tree([
    "start  (in libdyld.dylib) + 1  [0x7fffc4380255]",
    "work  (in MyApp) + 4  [0x1000]",
  ])
    .replace(/^ +\+? +/gm, " ");
  assertStringIncludes(told(lost), "work (MyApp): 2569 of 2569 samples");
  const old = tree(["start", "-[MyView draw]", "mach_msg_trap"]).replaceAll("+", " ");
  const report = readReport(old, "x");
  assertEquals(report.threads[0].frames.map(({ symbol }) => symbol), [
    "mach_msg_trap",
    "-[MyView draw]",
    "start",
  ]);
});

Deno.test("the guard page of another thread's stack does not mean that the stack is full", () => {
  const text = (crashed: number) =>
    `Crashed Thread: ${crashed}\nException Type: EXC_BAD_ACCESS (SIGBUS)\n` +
    "Exception Codes: KERN_PROTECTION_FAILURE at 0x0000700001d53000\n\n" +
    "VM Regions Near 0x700001d53000:\n" +
    "    Stack                  0000700001cd1000-0000700001d53000 [  520K] rw-/rwx SM=COW  thread 19\n" +
    "--> STACK GUARD            0000700001d53000-0000700001d54000 [    4K] ---/rwx SM=NUL  stack guard for thread 2\n";
  assertStringIncludes(told(text(2)), "the stack is full");
  assertStringIncludes(told(text(19)), "guard page of the stack of thread 2");
  assert(!told(text(19)).includes("full"), told(text(19)));
});

Deno.test("a violated guard is told by its message, or by the termination's code", () => {
  const text = "Exception Type: EXC_GUARD\nException Subtype: GUARD_TYPE_FD\n" +
    "Exception Message: CLOSE on file descriptor 14 (guarded with 0x08fd4dbfade2dead)\n" +
    `Thread 0 Crashed:\n${
      stack(["libsystem_kernel.dylib close + 8", "MyApp shut + 4", ...loop])
    }\n`;
  assertStringIncludes(told(text), "CLOSE on file descriptor 14");
  const json = (more: string) =>
    '"exception" : {"codes":"0x0, 0x0","rawCodes":[0,0],"type":"EXC_GUARD","signal":"SIGKILL",' +
    `"subtype":"GUARD_TYPE_MACH_PORT"${more}},\n` +
    '"termination" : {"namespace":"GUARD","flags":2,"code":2305843030688530432},\n"faultingThread" : 1,';
  assertStringIncludes(
    told(json(',"message":" THREAD_SET_STATE on mach port 0"')),
    "THREAD_SET_STATE on",
  );
  assertStringIncludes(told(json("")), "a thread's state was set in a way that is not allowed");
});

Deno.test("a process ended for memory, from a piece of a report or by Cr4shed", () => {
  const entry = 'It is killed:\n {\n "states" : [ "frontmost" ], "rpages" : 960,\n' +
    ' "reason" : "per-process-limit", "pid" : 4624, "name" : "Tunnel" },\nThe end.\n';
  assertStringIncludes(
    told(entry),
    "ended Tunnel [4624], frontmost, which used 960 pages (15 MB if",
  );
  const killed = "Date: 5/21/21, 3:28 PM\nProcess: Widget\nBundle id: a.b.c\n\n" +
    "Reason: The process was terminated for exceeding jetsam memory limits\n\nBinary Images:\n" +
    "0x19e36f000 - 0x19e609fff Foundation arm64  <DB4D183E0DD93CE4990C44D1C3982206> /System/Library/Foundation\n";
  assertStringIncludes(told(killed), "By Cr4shed, the crash reporter that wrote this");
  assert(!told(killed).includes("resident"));
  const of = (bytes: string) =>
    told(
      killed.replace("\n\nBinary", `\nUptime: 9s\nResident memory size: ${bytes} bytes\n\nBinary`),
    );
  assertStringIncludes(
    of("0x64000"),
    "It had 400 KB of memory (resident) when it was looked at, which",
  );
  assertStringIncludes(
    of("0x40000000"),
    "It had 1024 MB of memory (resident) when it was looked at.",
  );
});

Deno.test("frames in columns without addresses, and a library's message in a line of its own", () => {
  const text =
    "Triggered by Thread: 20, Dispatch Queue: a.b\n\nException Type: EXC_BREAKPOINT (SIGTRAP)\n\n" +
    "BUG IN CLIENT OF LIBDISPATCH: dispatch_sync called on queue already owned by current thread\n" +
    "Thread 20 Crashed:: Dispatch queue: a.b\n0  libdispatch.dylib       __DISPATCH_WAIT_FOR_QUEUE__\n" +
    "1  libdispatch.dylib       _dispatch_sync_f_slow\n2  MyApp                   + 58940\n";
  assertStringIncludes(told(text), "already owns, a deadlock");
  assertEquals(whose(text)[0], "program");
});

Deno.test("a copy of registers tells what the CPU met", () => {
  const text = (esr: string) =>
    "Thread 3 crashed with ARM Thread State (64-bit):\n    x0: 0x00000000eee60120   x1: 0x0000000000000000\n" +
    `    far: 0x0000000109640961  esr: ${esr}\n`;
  assertStringIncludes(
    told(text("0x92000007 (Data Abort) byte read Translation fault")),
    "at 0x109640961: (Data Abort) byte read Translation fault",
  );
  assertStringIncludes(told(text("0xf2000001")), "brk 1");
});

Deno.test("exceptions as Cr4shed and Crashlytics' web page name them", () => {
  const cr4shed = "Process: Preferences\nBundle id: a.b.c\nDevice: iPhone 8, iOS 14.3\n\n" +
    "Exception type: NSInvalidArgumentException\n" +
    "Reason: -[UIApplication rootController]: unrecognized selector sent to instance 0x1\nCulprit: Unknown\n";
  assertStringIncludes(
    told(cr4shed),
    "not caught: NSInvalidArgumentException, -[UIApplication root",
  );
  const table =
    "#9 Crashed: com.apple.root.background-qos SIGABRT ABORT 0x00000001135c52c6 Raw Text\n--\n" +
    "0 | libsystem_kernel.dylib | __pthread_kill + 10\n1 | libsystem_c.dylib | abort + 127\n" +
    "2 | MyApp | stop() + 391\n3 | libdispatch.dylib | _dispatch_client_callout + 28\n";
  const report = readReport(table, "x");
  assertEquals(report.exception?.signal, "SIGABRT");
  assertEquals(whose(table), ["program", null, "stop()"]);
});

Deno.test("a stack that ends behind the raising of a signal is cut off", () => {
  const text =
    "Exception Type: EXC_BAD_ACCESS (SIGABRT)\nException Codes: 0x1, 0x38\nThread 2 Crashed:\n" +
    "0   libsystem_kernel.dylib   0x00000001c95c2558 __pthread_kill + 8\n" +
    "1   libsystem_pthread.dylib  0x00000001ea403118\n";
  assertEquals(whose(text), ["unknown", "outer", null]);
  assertStringIncludes(told(text), "calls abort() after the exception");
});

Deno.test("an exception of C++ by its type's mangled name; what Xcode says of a stopped thread", () => {
  const sentry =
    "OS Version: iOS 17.2.1 (21C66)\nException Type: EXC_CRASH (SIGABRT)\nCrashed Thread: 0\n\n" +
    "Application Specific Information:\nN8facebook3jsi7JSErrorE\n";
  assertStringIncludes(
    told(sentry),
    "A C++ exception was not caught: facebook::jsi::JSError; its reason is not in this part of the report.",
  );
  const xcode = "Thread 1: EXC_BAD_ACCESS (code=1, address=0x18)\n" +
    "#0\t0x0000000101ed6266 in -[Foo bar] at Foo.m:331\n#1\t0x0000000100bcaf2e in main ()\n";
  const report = readReport(xcode, "x");
  assertEquals(
    report.crashedThread?.frames.map(({ symbol, file, line }) => [symbol, file, line]),
    [["-[Foo bar]", "Foo.m", 331], ["main", null, null]],
  );
  assertStringIncludes(told(xcode), "null plus 24");
});

Deno.test("a whole report behind what a debugger printed of the same process", () => {
  const report = readReport(
    "(lldb) run\nProcess 11 launched: '/tmp/tool' (x86_64)\nProcess 11 stopped\n" +
      "* thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x120)\n" +
      "    frame #0: 0x00001000 libX.dylib`parse + 4\n\nCrashed Thread: 0\n\n" +
      "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x0000000000000120\n\n" +
      "Thread 0 Crashed:: Dispatch queue: com.apple.main-thread\n" +
      "0   libX.dylib   0x0000000000001004 parse + 4\n1   tool   0x0000000000002000 main + 80\n",
    "x",
  );
  assertEquals(report.crashedThread?.frames.map(({ symbol }) => symbol), ["parse", "main"]);
  assertEquals(report.crashedThread?.index, 0);
  assertEquals(report.exception?.signal, "SIGSEGV");
});

Deno.test("frames that follow one another on a line; names as `F (in Image)`", () => {
  const joined = readReport(
    "0   CoreFoundation   0x1a0001000 __exceptionPreprocess + 220 1   libobjc.A.dylib   0x1b0002000 " +
      "objc_exception_throw + 60 2   MyApp   0x100008000 0x100000000 + 32768 3   CoreData   0x1a1003000",
    "x",
  );
  const frames = joined.threads[0]?.frames ?? joined.lastException ?? [];
  assertEquals(frames.map(({ imageName }) => imageName), [
    "CoreFoundation",
    "libobjc.A.dylib",
    "MyApp",
    "CoreData",
  ]);
  const within = readReport(
    "0   0x7fff90001000 in objc_exception_throw (in libobjc.A.dylib) + 43\n" +
      "1   0x7fff80002000 in -[NSObject(NSObject) doesNotRecognizeSelector:](in CoreFoundation) + 186\n" +
      "2   0x100003000 in -[Chat select:](in My App) + 295\n",
    "x",
  );
  assertEquals(
    (within.threads[0]?.frames ?? []).map(({ imageName, symbol, offset }) => [
      imageName,
      symbol,
      offset,
    ]),
    [
      ["libobjc.A.dylib", "objc_exception_throw", 43],
      ["CoreFoundation", "-[NSObject(NSObject) doesNotRecognizeSelector:]", 186],
      ["My App", "-[Chat select:]", 295],
    ],
  );
});

Deno.test("a first line that is glued or quoted: a panic's, a library's, a Go program's", () => {
  const panic = readReport(
    "macpanic(cpu 3 caller 0xffffff8001234567): userspace watchdog timeout: no successful checkins from logd\n",
    "x",
  );
  assertEquals(panic.panic?.message.startsWith("userspace watchdog timeout"), true);
  const misuse =
    "BUG IN CLIENT OF LIBDISPATCH: dispatch_sync called on queue already owned by current thread";
  const piece = readReport(
    `\`${misuse}\`\n\n\`\`\`\nCrashed: worker\n0  libdispatch.dylib   0x180001000 _dispatch_sync_wait\n` +
      "1  MyApp   0x100002000 -[Store read:] (Store.m:2552)\n```\n",
    "x",
  );
  assertEquals(piece.information.includes(misuse), true);
  const go = readReport(
    "Rate: 1.0/s  SIGABRT: abort\nPC=0x5001000 m=3\nsignal arrived during cgo execution\n\n" +
      "goroutine 6 [syscall]:\nexample.com/gpu._Cfunc_write(0x1)\n\t??:0 +0x3c\n",
    "x",
  );
  assertEquals(go.information.includes("SIGABRT: abort"), true);
  assertEquals(go.exception?.signal, "SIGABRT");
});

Deno.test("frames that have nothing but the names of their functions", () => {
  const text = "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
    "Exception Subtype: KERN_INVALID_ADDRESS at 0x10\n\nThread 0 Crashed:\n" +
    "0  swift_retain()\n1  closure #1 in OvenController.bake(loaf:)\n2  UIApplicationMain + 2040\n3  main\n\n" +
    "4 loaves were baked.\n";
  const { crashedThread } = readReport(text, "x");
  assertEquals(crashedThread?.frames.map(({ symbol, offset }) => [symbol, offset]), [
    ["swift_retain()", null],
    ["closure #1 in OvenController.bake(loaf:)", null],
    ["UIApplicationMain", 2040],
    ["main", null],
  ]);
  assertStringIncludes(told(text), "not nil, which does no harm there");
  // An image alone, as of a copy that was cut, is no function.
  const cut = readReport("Thread 0 Crashed:\n0  MyApp\n", "x");
  assert(cut.crashedThread?.frames.every(({ symbol }) => symbol !== "MyApp") ?? true);
});

Deno.test("a process under Rosetta whose system a copy does not name", () => {
  const text = "Code Type: X86-64 (Translated)\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
    "Exception Codes: KERN_INVALID_ADDRESS at 0x0\n";
  assertStringIncludes(explainReport(readReport(text, "x")).headline, "(SIGSEGV), under Rosetta");
});

Deno.test("an .ips's termination or exception alone, and members without their braces", () => {
  const dyld = '{"code":1,"namespace":"DYLD","indicator":"Library missing","flags":518,' +
    '"reasons":["Library not loaded: @rpath\\/Cart.framework\\/Cart","Referenced from: <D4E3C49D> \\/A"]}';
  for (
    const text of [dyld, `${dyld},\n`, `"termination" : ${dyld},\n`, `As it says:\n\n${dyld},\n`]
  ) {
    const report = readReport(text, "x");
    assertEquals(report.termination?.namespace, "DYLD", text);
    assertStringIncludes(told(text), "A library is missing");
    assertEquals(explainReport(report).headline, "ended by DYLD 0x1 (Library missing)");
  }
  const exception =
    '{"codes":"0x0000000000000001, 0x0000000000000010","rawCodes":[1,16],"type":"EXC_BAD_ACCESS",' +
    '"signal":"SIGSEGV","subtype":"KERN_INVALID_ADDRESS at 0x0000000000000010"}';
  for (const text of [exception, `"exception" : ${exception},\n"pid" : 7,\n`]) {
    assertStringIncludes(told(text), "null plus 16");
  }
  assertThrows(() => readReport('{"namespace":"shop","code":5}', "x"));
  assertThrows(() => readReport('{"type":"note","codes":"1"}', "x"));
});

Deno.test("a report in a property list that has entities in its list of images alone", () => {
  const report = readReport(
    '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">\n<dict>\n\t<key>description</key>\n' +
      "\t<string>Incident Identifier: A7BF8ECC-641C-445C-83F3-091D34EBC0AB\nProcess:         Shop [7]\n" +
      "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nCrashed Thread:  0\n\nThread 0 Crashed:\n" +
      "0   Shop                          \t0x0005fcfe 0x5e000 + 7422\n\n".padEnd(20000, "\n") +
      "Binary Images:\n" +
      "   0x5e000 -    0x5ffff +Shop armv7  &lt;a0dc108b554d313d8566a36a04c903b3&gt; /Applications/Shop.app/Shop\n" +
      "</string>\n</dict>\n</plist>\n",
    "x",
  );
  assertEquals(report.images[0]?.uuid, "A0DC108B-554D-313D-8566-A36A04C903B3");
  assertEquals(report.images[0]?.name, "Shop");
});

Deno.test("an address of one letter again and again is what was put there", () => {
  const at = (address: string) =>
    told(
      `Process:  Shop [7]\nException Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at ${address}\n` +
        `Crashed Thread:  0\n\nThread 0 Crashed:\n${stack(["Shop sell + 4"])}\n`,
    );
  for (const address of ["0x4141414141414141", "0x0000000041414141", "0x4141414141414149"]) {
    assertStringIncludes(at(address), "one letter again and again");
  }
  assertStringIncludes(at("0x6c6c6f5720796d6d"), "text in place of a pointer");
});

Deno.test("the head of a stackshot and of a report about memory, without their first lines", () => {
  const shot =
    `{\n  "exception" : "0xdeaffeed",\n  "reason" : "Power assertion timeout for \\"Lamp\\".",\n  "product" : "Watch4,2",\n  "build" : "Watch OS 7.0.2 (18R402)",\n  "processByPid" : {\n    "0" : {"pid":0,"procname":"kernel_task","threadById":{"684":{"id":684,"state":["TH_WAIT"]`;
  const { headline, happened } = explainReport(readReport(shot, "x"));
  assertStringIncludes(headline, "stackshot");
  assertStringIncludes(happened.join("\n"), 'Power assertion timeout for "Lamp".');
  const held = explainReport(
    readReport(
      shot.replace('Lamp\\".', 'Lamp\\".  Simply releasing it now. pid 46 (0x24f7c520)'),
      "x",
    ),
  );
  assertStringIncludes(
    held.happened.join("\n"),
    'The power assertion "Lamp", by which process 46 kept the device awake, was not released in time: the system released it.',
  );
  assertStringIncludes(held.check.join("\n"), "what process 46 keeps the device awake for");
  const memory =
    `{\n  "product" : "Watch4,2",\n  "build" : "Watch OS 7.0.1 (18R395)",\n  "memoryStatus" : {\n  "largestZone" : "kext.kalloc.16384",\n  "pageSize" : 16384,\n  "memoryPages" : {\n    "active" : 16376,`;
  assertStringIncludes(told(memory), "ended for memory");
  assertStringIncludes(told(memory), "the list of processes is missing");
});

Deno.test("a program whose file exec() refused did not crash after fork(), as its note says; iOS 15's form of a reason", () => {
  const text =
    `Process: tool [42]\nException Type: EXC_CRASH (SIGKILL - CODESIGNING)\nTermination Reason: EXEC; [1]\n\nApplication Specific Information:\ncrashed on child side of fork pre-exec\n\nThread 0 Crashed:\n${
      stack(["libsystem_kernel.dylib __posix_spawn + 8", "sh execute + 40", "dyld start + 4"])
    }\n`;
  const { termination } = readReport(text, "x");
  assertEquals([termination?.namespace, termination?.code], ["EXEC", 1n]);
  const { happened, check } = explainReport(readReport(text, "x"));
  assertStringIncludes(happened.join("\n"), "signature or entitlements it most likely refused");
  assertStringIncludes(
    happened.join("\n"),
    "what is on the stack is of the program that started it",
  );
  assert(!happened.join("\n").includes("in the child of a fork"), happened.join("\n"));
  assertStringIncludes(check.join("\n"), "codesign -dv");
  assert(!/crashed in a library/.test(happened.join("\n")), happened.join("\n"));
  assertEquals(check.filter((text) => text.includes("fork")), []);
});

Deno.test("copies: a cut image's name, registers without their stack, a debugger's frame, one word of a message", () => {
  const { crashedThread } = readReport(
    `Exception Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n${
      stack(["libsystem_c.dylib abort + 8", "MyLibrary draw + 8", "GraphicsServices run + 4"])
    }\n3   Graph`,
    "x",
  );
  assertEquals(crashedThread?.frames.at(-1)?.imageName, "GraphicsServices");
  const unknown = readReport(
    `Exception Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n${
      stack(["libsystem_c.dylib abort + 8", "MyLibrary draw + 8"])
    }\n2   Graph`,
    "x",
  );
  assertEquals(unknown.crashedThread?.frames.length, 2);
  const bare = told(
    "Exception Type: EXC_BAD_ACCESS (SIGBUS)\nException Codes: KERN_PROTECTION_FAILURE at 0x0000000000000002\n\n" +
      "Thread 0 crashed with X86 Thread State (32-bit):\n  eax: 0x00000002  ebx: 0x00000000\n",
  );
  assertStringIncludes(bare, "Thread 0 crashed; its stack is not in this part of the report.");
  const other = (symbol: string) =>
    told(
      "Exception Type: EXC_BAD_ACCESS (SIGABRT)\nException Codes: KERN_INVALID_ADDRESS at 0x00000000\nCrashed Thread: 7\n\n" +
        `Thread 0:\n${
          stack([`libobjc.A.dylib ${symbol} + 66`, "Shop bake + 8", "Shop main + 4"])
        }\n`,
    );
  const ending = "Thread 0 was ending the process too, in _objc_fatal, called by bake";
  assertStringIncludes(other("_objc_fatal"), ending);
  assert(!other("objc_retain").includes("ending the process"));
  const stopped = readReport(
    "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x0000000000000010\n\n" +
      "(lldb)\n* thread #1: tid = 0x19b7, 0x00007fff92c663c3 MyKit`draw + 325, stop reason = EXC_BAD_ACCESS (code=1, address=0x10)\n" +
      "    frame #0: 0x00007fff92c663c3 MyKit`draw + 325\n",
    "x",
  );
  assertEquals(stopped.crashedThread?.frames[0]?.symbol, "draw");
  const cut = told(
    "Process: MyApp [1]\nException Type: EXC_CRASH (SIGABRT)\n\nApplication Specific Information:\n" +
      "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[Cart draw]: unrecognized selector sent to instance 0x604000a60bc0'\nterminating",
  );
  assert(!cut.includes("no exception was in hand"), cut);
  const { headline } = explainReport(readReport(
    "Process: MyApp [1]\nException Type: EXC_CRASH (SIGABRT)\nTermination Reason: DYLD, [0x5] Code Signature\n",
    "x",
  ));
  assertStringIncludes(headline, "ended by DYLD 0x5 (Code Signature)");
});

Deno.test("a sample's rows of queues are no threads", () => {
  const { headline } = explainReport(readReport(
    [
      "Analysis of sampling MyApp (pid 1) every 1 millisecond",
      "Call graph:",
      ...["Thread_11   DispatchQueue_1: com.apple.main-thread  (serial)", "Thread_12"].concat([
        "Thread_<multiple>   DispatchQueue_14: com.example.draw  (serial)",
        "Thread_12   DispatchQueue_15: com.example.load  (serial)",
      ]).flatMap((title) => [
        `    25 ${title}`,
        "    + 25 mach_msg2_trap  (in libsystem_kernel.dylib) + 8  [0x7fff8a477fb9]",
      ]),
    ].join("\n"),
    "x",
  ));
  assertStringIncludes(headline, "sample, 2 threads");
});

Deno.test("a hang's tree that a mail broke: lines are joined, and their places do not count as samples", () => {
  const report = readReport(
    [
      "Date/Time:       2014-12-21 13:07:11 -0500",
      "Command:         MyApp",
      "Event:           hang",
      "Steps:           19 (100ms sampling interval)",
      "",
      "Process:         MyApp [1010]",
      "   Thread 0x351d       DispatchQueue 1     19 samples (1-19)   priority 39",
      "   19  start + 1 (libdyld.dylib + 13769) [0x7fff9501b5c9] 1-19",
      "     19  -[Cart openDocument:] + ",
      "194 (MyApp + 47954) [0x10a481b52] 1-19",
      "       19  -[NSApplication ",
      "runModalForWindow:] + 119 (AppKit + 3305862) [0x7fff92c96186] 1-19",
      "         19 ",
      "+[Cart currentContext] + 140 (MyApp + 162532) ",
      "[0x10a496ae4] 1-19",
      " ",
      "19  __psynch_mutexwait + 10 ",
      "(libsystem_kernel.dylib + 90466) [0x7fff95560162] 1-19",
      " ",
      " *19  psynch_mtxcontinue + 0 (pthread + ",
      "22095) [0xffffff7f8108964f] 1-19",
      "",
    ].join("\n"),
    "x",
  );
  const names: (string | null)[] = [];
  for (let node = report.threads[0].tree[0]; node !== undefined; node = node.children[0]) {
    assertEquals([node.count, node.children.length < 2], [19, true]);
    names.push(node.frame.symbol);
  }
  assertEquals(names, [
    "start",
    "-[Cart openDocument:]",
    "-[NSApplication runModalForWindow:]",
    "+[Cart currentContext]",
    "__psynch_mutexwait",
    "psynch_mtxcontinue",
  ]);
});

Deno.test("an .ips of macOS 11 whose frames are pairs and whose images are named apart", () => {
  const { threads, images } = readReport(
    '{"app_name":"shopctl","bug_type":"309","os_version":"macOS 11.1 (20C69)"}\n' +
      JSON.stringify({
        procName: "shopctl",
        cpuType: "X86-64",
        exception: { type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS at 0x00000000" },
        threads: [{ triggered: true, id: 7, frames: [[0, 37760], [1, 38674]] }],
        threadState: { rip: 4294983168, rdi: 0, flavor: "x86_THREAD_STATE" },
        usedImages: [["eac298c4-ce3e-3551-a832-42ed9a13ef74", 4294967296, "P"], [
          "2326cd9c-2ba7-32f4-bb6c-418e1c2a6c65",
          8589934592,
          "P",
        ]],
        legacyInfo: {
          imageExtraInfo: [
            { size: 4833280, arch: "x86_64h", path: "/System/Library/Kit", name: "Kit" },
            { size: 212992, arch: "x86_64", path: "/opt/shopctl", name: "shopctl" },
          ],
        },
      }),
    "x.ips",
  );
  assertEquals(images.map(({ name, size }) => [name, size]), [["Kit", 4833280n], [
    "shopctl",
    212992n,
  ]]);
  assertEquals(
    threads[0].frames.map(({ address, image }) => [address, image?.name]),
    [[4294967296n + 37760n, "Kit"], [8589934592n + 38674n, "shopctl"]],
  );
  assertEquals(threads[0].registers.map(({ name }) => name), ["rip", "rdi"]);
});

Deno.test("names with underscores are no bold type; another run's exception in a log is not the report's", () => {
  const raised = readReport(
    "Exception Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n" +
      stack(["libsystem_c.dylib abort + 8"]) +
      "\n1   CoreFoundation   0x7040\n_CF_forwarding_prep_0 + 120\n2   libobjc.A.dylib   0x7080\n_ZN2CA5Layer11set_visibleEj + 306\n" +
      "3   libobjc.A.dylib   0x70c0\n_CF_release_all_0 + 120\n4   libobjc.A.dylib   0x7100\n_CF_release_one_0 + 120\n",
    "x",
  );
  assertEquals(raised.warnings.some((text) => text.includes("bold type")), false);
  const text =
    "Jul 27 08:42:35 host.local MyApp[423]: *** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 7 beyond bounds'\n" +
    "*** First throw call stack:\n(\n0   CoreFoundation   0x00007fff8fca9716 __exceptionPreprocess + 198\n" +
    "1   MyApp   0x000000010da92786 MyApp + 681862\n)\n\nProcess:         MyApp [21816]\nExceptionless: no\nException Type:  EXC_CRASH (SIGABRT)\n\n" +
    "Application Specific Information:\n*** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 3 beyond bounds'\n";
  const report = readReport(text, "x");
  assertEquals(report.lastException, null);
  const said = explainReport(report).happened.join("\n");
  assertStringIncludes(said, "index 3 beyond bounds");
  assert(!said.includes("index 7"), said);
  const whole = readReport(
    `${text}\nApplication Specific Backtrace 1:\n0   CoreFoundation   0x00007fff8cd77716 __exceptionPreprocess + 198\n` +
      "1   MyApp   0x000000010d1b6786 MyApp + 681862\n",
    "x",
  );
  assertEquals(whole.lastException?.at(-1)?.address, 0x10d1b6786n);
});

Deno.test("frames that somebody left out: what is behind them does not decide", () => {
  const head = "Exception Type: EXC_CRASH (SIGABRT)\nThread 0 Crashed:\n";
  const inner = stack([
    "libsystem_kernel.dylib __pthread_kill + 8",
    "libsystem_c.dylib abort + 100",
  ]);
  const outer = [...loop.slice(0, 2), "MyApp main + 80", "dyld start + 4"];
  assertEquals(whose(`${head}${inner}\n...\n${stack(outer, 14)}\n`), ["unknown", "gap", null]);
  const cut = `${head}${inner}\n...\n${stack(["MyApp -[Oven bake] + 8", ...outer], 13)}\n`;
  const { deciding, isEvidence } = attributeReport(readReport(cut, "cut"));
  assertEquals([deciding?.frame.symbol, isEvidence], ["-[Oven bake]", false]);
  const read = `Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nThread 0 Crashed:\n${
    stack(["Foundation -[NSScanner scanInt:] + 8"])
  }\n...\n${stack(["MyApp -[Oven bake] + 8", ...outer], 13)}\n`;
  assertEquals(explainReport(readReport(read, "read")).path, [
    "-[Oven bake] (MyApp)",
    "…",
    "-[NSScanner scanInt:] (Foundation)",
  ]);
  // Nothing is left out between what decides and the end of the process.
  const whole = `${head}${inner}\n${stack(["MyApp -[Oven bake] + 8"], 2)}\n...\n${
    stack(outer, 20)
  }\n`;
  assertEquals(attributeReport(readReport(whole, "whole")).isEvidence, true);
});

Deno.test("what a part of a report lacks is not said to be lacking in the report", () => {
  const part = `Thread 0 Crashed:\n${
    stack([
      "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 8",
      "MyApp bake() + 8",
      ...loop,
    ])
  }\n`;
  assertStringIncludes(told(part), "not in this part of the report");
  const { headline } = explainReport(readReport(part, "part"));
  assertEquals(headline, "MyApp: exception not in this part of the report");
  const head = "Process: MyApp [3]\nIdentifier: com.example.oven\nOS Version: macOS 14.1\n" +
    "Exception Type: EXC_CRASH (SIGABRT)\n\n";
  assertStringIncludes(told(head + part), "is not in the report.");
  // Of the crashed thread only its registers were copied.
  const registers =
    `${head}Thread 0 crashed with ARM Thread State (64-bit):\n    x0: 0x0000000000000001\n`;
  assertStringIncludes(told(registers), "not in this part of the report");
});

Deno.test("lines that were joined keep the names of their fields", () => {
  const { process, osVersion } = readReport(
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV) Exception Codes: 0x1, 0x0 " +
      "Termination Reason: SIGNAL 11 Terminating Process: exc handler [77] " +
      "OS Version: macOS 14.1 (23B74) Report Version: 12 Triggered by Thread: 0 " +
      "Thread 0 Crashed: 0   MyApp   0x0000000100001000 bake + 8 1   MyApp   0x0000000100002000 main + 8",
    "joined",
  );
  assertEquals([process.name, osVersion], [null, "macOS 14.1 (23B74)"]);
  // Without a space at the tab, a title with one colon, an image's name with a space, a message.
  const joined = readReport(
    "Exception Type:  EXC_BREAKPOINT (SIGTRAP) Exception Subtype: 0x1 " +
      "Application Specific Information: the oven is cold Thread 3 name: Baker Thread 3 Crashed: " +
      "0   Oven Kit   \t   0x0000000100001000 bake + 8 1   MyApp   \t0x0000000100002000 main + 8",
    "joined",
  );
  assertEquals(joined.information, ["the oven is cold"]);
  assertEquals(joined.crashedThread?.name, "Baker");
  assertEquals(joined.crashedThread?.frames.map(({ imageName }) => imageName), [
    "Oven Kit",
    "MyApp",
  ]);
});

Deno.test("a thread of an .ips alone; frames with their image alone, or whose address touches the name", () => {
  const thread = {
    triggered: true,
    id: 7,
    frames: [
      { imageOffset: 10, symbol: "objc_release", symbolLocation: 8, imageIndex: 1 },
      { imageOffset: 20, imageIndex: 0 },
    ],
  };
  const alone = readReport(JSON.stringify(thread, null, 2), "thread");
  assertEquals(alone.crashedThread?.frames.map(({ symbol }) => symbol), ["objc_release", null]);
  assertEquals(alone.warnings, [
    "only a thread of an .ips report is there",
    "a frame's image is not in the list",
  ]);
  const { threads } = readReport(
    "Thread 0 Crashed:\n0   libsystem_c.dylib   0x0000000180001000 abort + 100\n" +
      "1   libc++abi.dylib   0x0000000180002000__cxa_throw + 88\n2   MyApp   \n" +
      "3 MyApp oven_bake (oven.c:12)\n4   MyApp   0x0000000100001000 main + 8\n",
    "torn",
  );
  assertEquals(threads[0].frames.map(({ imageName, symbol }) => `${imageName} ${symbol}`), [
    ...["libsystem_c.dylib abort", "libc++abi.dylib __cxa_throw", "MyApp null", "MyApp oven_bake"],
    "MyApp main",
  ]);
  assertEquals([threads[0].frames[3].file, threads[0].frames[3].line], ["oven.c", 12]);
});

/** Lines of a `sample`'s tree, each called by the one above it; the first three columns are the title's margin. */
const sampled = (lines: readonly string[], count = 40): string =>
  lines.map((line, at) => `      ${"  ".repeat(at)}${count} ${line}\n`).join("");

const waits = [
  "start  (in dyld) + 462  [0x2001000]",
  "main  (in Till) + 24  [0x1001000]",
  "take  (in Till) + 40  [0x1002000]",
  "__psynch_mutexwait  (in libsystem_kernel.dylib) + 10  [0x3001000]",
];

Deno.test("pieces of a sample: a thread without the rest, functions without a thread, a line that was cut", () => {
  const title = "    40 Thread_11   DispatchQueue_1: com.apple.main-thread  (serial)\n";
  const thread = told(title + sampled(waits));
  assertStringIncludes(thread, "The main thread: blocked on a pthread mutex in 40 of 40 samples");
  assertStringIncludes(thread, "The copy need not have all threads");
  const below = told(sampled(waits.slice(1)));
  assertStringIncludes(
    below,
    "blocked on a pthread mutex in 40 of 40 samples (100%), called by take",
  );
  // Another branch, whose caller is not there, is not counted.
  assertStringIncludes(
    told(sampled(waits.slice(1)) + "  7 idle  (in Till) + 4  [0x1009000]\n"),
    "40 of 40",
  );
  const cut = told(
    title + sampled(waits.slice(0, 3)) + "            40 __psynch_mutexw  (in libsystem_k",
  );
  assertStringIncludes(cut, "The copy ends within its call tree");
  assert(!cut.includes("mostly in"), cut);
  // What was cut took few of the samples.
  const most = told(`${title}${sampled(waits)}            3 close_all  (in Till) + 4  [0x10`);
  assertStringIncludes(most, "blocked on a pthread mutex");
  const gaps = told(`Call graph:\n${title}${sampled(waits.slice(0, 3))}...\n`);
  assertStringIncludes(gaps, "Lines of the call trees are left out of this copy");
  assertEquals(told("Call graph:\n    40 Thread_11   Disp"), "Its stacks were cut off.");
});

Deno.test("a sample whose copy has lost the second of two spaces and what sets its lines in", () => {
  const text = `Call graph:\n    40 Thread_11   DispatchQueue_1: com.apple.main-thread  (serial)\n${
    waits.map((line, at) => `    + ${"  ".repeat(at)}40 ${line}\n`).join("")
  }\nTotal number in stack (recursive counted multiple, when >=5):\n`;
  assertEquals(told(text.replace(/ +/g, " ")), told(text));
});

Deno.test("pieces of a spindump: which thread is the main one, and which processes there were", () => {
  const thread = (more: string, symbol: string): string =>
    `  Thread 0x1f${more}    9 samples (1-9)   priority 46\n` +
    `  9  ${symbol} + 52 (libdispatch.dylib + 32205) [0x7fff8c265a1c] 1-9\n` +
    "    9  kevent_qos + 10 (libsystem_kernel.dylib + 98466) [0x7fff885560a2] 1-9\n";
  const manager = told(thread("    DispatchQueue 2", "_dispatch_mgr_thread"));
  assertStringIncludes(manager, 'Thread 0 "com.apple.libdispatch-manager"');
  assert(!told(thread("", "work")).includes("The main thread"));
  assertStringIncludes(told(thread("", "start")), "The main thread");
  assertStringIncludes(told(thread("", "start").replace(/^ +/gm, "")), "in 9 of 9 samples");
  const unnamed = thread("", "start").replace(
    "    9  kevent",
    "    9  ??? (<11111111-2222-3333-4444-555555555555> + 4910) [0x10369e32e] 1-9\n      9  kevent",
  );
  assertEquals(explainReport(readReport(unnamed, "x")).headline, "part of a spindump, 1 thread");
  const processes = ["Till [7]", "Shop [8] (suspended)"].map((name) =>
    `Process:         ${name}\nCPU Time:        0.200s\n\n${thread("", "start")}\n`
  ).join("");
  const tail = told(processes);
  assertStringIncludes(tail, "The copy has 2 processes");
  assertStringIncludes(tail, "Of those in the copy, most CPU time");
  const whole = told(
    `Date/Time:       2024-03-01 10:00:00 +0100\nSteps:           9\n\n${processes}`,
  );
  assertStringIncludes(whole, "The report has 2 processes");
  assertStringIncludes(whole, "Most CPU time");
  const one = readReport(processes.slice(processes.indexOf("Process:         Shop")), "x");
  assertEquals([one.process.name, one.process.pid], ["Shop", 8]);
});

/** Lines of a kernel's backtrace on Intel. */
const kernelFrames = (names: readonly string[]): string =>
  names.map((name, at) => {
    const [image, symbol] = name.includes(" ") ? name.split(" ") : ["mach_kernel", name];
    return `0xffffff80e860d${at}f0 : 0xffffff8006ed${at}792 ${image} : _${symbol} + 0x2${at}\n`;
  }).join("");

Deno.test("a kernel's backtrace without its message: a trap of the CPU, and that by which it stops itself", () => {
  const own = ["kernel_trap", "return_from_trap", "DebuggerTrapWithState", "panic"];
  const fault = told(
    kernelFrames([...own, "kernel_trap", "return_from_trap", "org.till.fs fs_sync"]),
  );
  assertStringIncludes(fault, "The CPU met a trap within the kernel");
  assertStringIncludes(fault, "It was in fs_sync (org.till.fs)");
  const called = kernelFrames([...own, "org.till.fs fs_sync", "vnode_put"]);
  assert(!told(called).includes("The CPU met a trap"));
  assertStringIncludes(told(called), "The panic was raised in fs_sync (org.till.fs)");
  // Its backtrace may be that of what ran at that moment.
  assertEquals(explainReport(readReport(called, "x")).firstOwn, null);
  const arm =
    "panic(cpu 1 caller 0xfffffff017000abc): Kernel data abort. at pc 0xfffffff0172b6708\n" +
    "Panicked thread: 0xfffffff01799a000, backtrace: 0xfffffff01799a100\n" +
    ["panic_with_thread_kernel_state", "sleh_synchronous", "handle_uncategorized", "ipc_kmsg_send"]
      .map((name, at) =>
        `  lr: 0xfffffff01792c${at}30  fp: 0xfffffff96b8a237${at}    //${name}+0x10${at}\n`
      ).join("");
  assert(!told(arm.slice(0, arm.indexOf("  lr: 0xfffffff01792c330"))).includes("uncategorized"));
});

Deno.test("pieces of a panic: text of its JSON without quotes, nothing but its beginning, lines of its backtrace", () => {
  const escaped = String
    .raw`panic(cpu 2 caller 0xfffffff017000abc): \"Bad tail of the list @17\"\nBacktrace (CPU 2), Frame : Return Address\n0xffffff80e860d0f0 : 0xffffff8006ed0792 mach_kernel : _list_check + 0x20\n`;
  assertStringIncludes(told(escaped), "The kernel panicked: Bad tail of the list @17\n");
  assertEquals(
    told("panic(cpu 2 caller 0xfffffff017000abc): "),
    "The kernel panicked; the message was cut off.",
  );
  const bare = [1, 2, 3].map((at) => `0xfffffff2b6ee36${at}0 : 0xffffff8009a7${at}a3d \n`).join("");
  assertStringIncludes(told(`0 : 0xffffff8009a79a3d \n${bare}`), "The kernel panicked");
  // The first lines of it are those of the registers.
  assertThrows(() => readReport("000  x7:  0xffffffe01b4ebb64\n  x28: 0xdeb8f177deb8f177\n", "x"));
});

Deno.test("pieces of KSCrash's report: a thread, its threads, its error, the crash", () => {
  const frame = (object_name: string, symbol_name: string, at: number) => ({
    instruction_addr: at + 8,
    object_addr: at & ~0xffff,
    object_name,
    symbol_addr: at,
    symbol_name,
  });
  const thread = {
    backtrace: {
      contents: [
        frame("libsystem_kernel.dylib", "__pthread_kill", 0x18121000),
        frame("libsystem_c.dylib", "abort", 0x18231000),
        frame("Till", "-[Till close]", 0x10041000),
      ],
      skipped: 0,
    },
    crashed: true,
    index: 0,
  };
  const error = {
    mach: { code: 0, exception: 10, exception_name: "EXC_CRASH", subcode: 0 },
    signal: { code: 0, name: "SIGABRT", signal: 6 },
    type: "signal",
  };
  for (
    const piece of [thread, [thread], { threads: [thread], error }, { error, threads: [thread] }]
  ) {
    const { threads } = readReport(JSON.stringify(piece, null, 2), "x");
    assertEquals(threads[0].frames[2].symbol, "-[Till close]");
  }
  assertEquals(readReport(JSON.stringify(error), "x").exception?.signal, "SIGABRT");
});

Deno.test("a stack that is the program counter alone, at null: a call of null, where the system's reporter wrote it", () => {
  const words = (frame: string, rest = ""): string => {
    const { happened, check } = explainReport(readReport(
      `Process: Shop [12]
Code Type: ARM-64 (Native)
OS Version: iOS 9.3.5 (13G36)
Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000000
Triggered by Thread:  0

Thread 0 Crashed:
0   ???                           	${frame}

Thread 1:
0   libsystem_kernel.dylib        	0x0000000185d4bb18 mach_msg_trap + 8
${rest}`,
      "x",
    ));
    return [...happened, ...check].join("\n");
  };
  const called = words("000000000000000000 0 + 0");
  assertStringIncludes(called, "it called a null function pointer, most likely");
  assertStringIncludes(called, "Look at lr");
  assert(!called.includes("faulting instruction"), called);
  // Others write it where they do not know the counter.
  const unknown = words("0x0000000000000000 0x0 + 0");
  assert(!unknown.includes("null function pointer"), unknown);
  assert(!unknown.includes("faulting instruction"), unknown);
  assertStringIncludes(
    words(
      "000000000000000000 0 + 0",
      `
Thread 0 crashed with ARM Thread State (64-bit):
    x0: 0x0000000000000001   x1: 0x0000000000000002   fp: 0x000000016fd1d9f0   lr: 0x0000000100005b20
    sp: 0x000000016fd1d990   pc: 0x0000000000000000 cpsr: 0x60000000

Binary Images:
0x100000000 - 0x10000ffff Shop arm64  <4b1a13d80edb39fc99cb5ba2a3c1ec02> /var/containers/Bundle/Application/A/Shop.app/Shop
`,
    ),
    "it called a null function pointer; the call was to return to Shop + 0x5b20 (lr)",
  );
});

Deno.test("a title above a report that has no stack names the function, also without its first letters", () => {
  const report = (title: string): CrashReport =>
    readReport(
      `> ${title}
>
> Incident Identifier: AF04B559-ED71-4D37-970B-936A4B9C492D
> Process:             My Shop [22228]
> Identifier:          com.example.shop
> Code Type:           ARM-64 (Native)
> OS Version:          iPhone OS 15.4.1 (19E258)
>
> Exception Type:  EXC_BREAKPOINT (SIGTRAP)
> Exception Codes: 0x0000000000000001, 0x000000018bda95c4
> Triggered by Thread:  7
`,
      "x",
    );
  const web = report("avaScriptCore: WTFCrashWithInfo(int, char const*, char const*, int) + 20");
  assertStringIncludes(explainReport(web).happened[0], "WebKit or JavaScriptCore crashed itself");
  assertEquals([web.threads[0].index, web.threads[0].frames[0].imageName], [7, "JavaScriptCore"]);
  const own = report("My Shop: closure #1 in Cart.pay() + 120");
  assertEquals(attributeReport(own).deciding?.frame.symbol, "closure #1 in Cart.pay()");
  assertEquals(report("My notes: it failed with code 12 + 8").threads.length, 0);
  assertEquals(report("Shopping: pay() + 8").threads.length, 0);
});

Deno.test("an exception's addresses near the program's, without a list of images: no function is called its innermost", () => {
  const text = (inner: string): string =>
    `Process: Shop [5924]
Code Type: ARM-64 (Native)
OS Version: iPhone OS 13.5 (17F75)
Exception Type: EXC_CRASH (SIGABRT)
Triggered by Thread: 1

Last Exception Backtrace:
(0x19624d794 0x195f6fbcc 0x19a7a1e00 ${inner} 0x1027670b0 0x10276661c 0x195f129a8)

Thread 0:
0   libsystem_kernel.dylib            0x000000019604a784 0x196046000 + 18308
1   CoreFoundation                    0x00000001961c8a34 0x196123000 + 678452
2   Shop                              0x0000000102795a3c 0x102760000 + 219708

Thread 1 Crashed:
0   libsystem_kernel.dylib            0x0000000196042d88 0x196046000 + 380296
`;
  const attributed = (inner: string) => {
    const { absent, deciding } = attributeReport(readReport(text(inner), "x"));
    return [absent, deciding?.frame.address];
  };
  assertEquals(attributed("0x1027af060"), ["unplaced", 0x1027af060n]);
  assertEquals(attributed("0x195f13524"), [null, 0x1027670b0n]);
});

Deno.test("underscores in paths of Windows; times whose fraction is the seconds again; the headless part of a sample", () => {
  const managed = told(`Process: Shop.iOS [1852]
Exception Type:  SIGABRT

Application Specific Information:
*** Terminating app due to uncaught exception 'System.NullReferenceException', reason: 'System.NullReferenceException: no object'

Xamarin Exception Stack:
  at Shop.Label.Update\\_Font () [0x00010] in D:\\agent\\_work\\1\\s\\Label.cs:301
  at Shop.Application.Main (System.String[] args) [0x00001] in D:\\agent\\_work\\1\\s\\Main.cs:17
`);
  assertStringIncludes(managed, "Shop.Label.Update_Font (D:\\agent\\_work\\1\\s\\Label.cs:301)");
  const aged = (seconds: string, fraction: string): string =>
    told(`Process: Shop [267]
Date/Time:           2020-11-06 00:04:56.56 -0800
Launch Time:         2020-11-06 00:04:${seconds}.${fraction} -0800
Exception Type:  EXC_CRASH (SIGABRT)
`);
  assertStringIncludes(aged("55", "55"), "It was less than 2 s after the launch.");
  assertStringIncludes(aged("36", "36"), "It was about 20 s after the launch.");
  assertStringIncludes(aged("36", "06"), "It was 20.5 s after the launch.");
  const tree = `Process:          shopd [176]
Path:             /usr/libexec/shopd
Num samples:      8 (1-8)
  Thread 0x8b6    DispatchQueue "com.apple.main-thread"(1)    8 samples (1-8)    priority 31 (base 31)
  8  ??? (shopd + 554572) [0x10287b64c]
    8  mach_msg_trap + 8 (libsystem_kernel.dylib + 2732) [0x1bb3f9aac]
`;
  const headline = (text: string): string => explainReport(readReport(text, "x")).headline;
  assertStringIncludes(headline(tree), "part of a spindump");
  const head = "Event:            hang\nDuration:         2.00s\nSteps:            8\n\n";
  assert(
    !headline(`Date/Time:        2023-05-24 13:29:15.759 -0700\n${head}${tree}`).includes(
      "part of",
    ),
  );
});

Deno.test("a library that the system could not map is the system's; what people write behind a message is none", () => {
  const text = `Process: Shop [267]
Dyld Error Message:
  Library not loaded: @rpath/Kit.framework/Kit
  Referenced from: /var/containers/Bundle/Application/A/Shop.app/Shop
  Reason: no suitable image found.  Did find:
    /private/var/containers/Bundle/Application/A/Shop.app/Frameworks/Kit.framework/Kit: mremap_encrypted() => -1, errno=12 for /private/var/containers/Bundle/Application/A/Shop.app/Frameworks/Kit.framework/Kit
`;
  assertEquals(whose(text), ["none", "launch", null]);
  const missing = (after: string): string =>
    told(`Process: Shop [267]
Exception Type:  EXC_BREAKPOINT (SIGTRAP)

Dyld Error Message:
  Library not loaded: @rpath/Kit.framework/Kit
  Referenced from: /Applications/Shop.app/Contents/MacOS/Shop
  Reason: image not found

${after}
`);
  const sentence =
    "It seems that \u201cKit\u201d is not getting copied into the program by the build.";
  assert(!missing(sentence).includes("It seems"), missing(sentence));
  assertStringIncludes(missing("Expected in: flat namespace"), "Library not loaded");
  const said = (line: string): string =>
    told(`Exception Type: EXC_BREAKPOINT (SIGTRAP)
Crashed Thread: 0

Application Specific Information:
  ${line}

Thread 0 Crashed:
  0   libdispatch.dylib               0x312d60b3c         <redacted>
1   libdispatch.dylib               0x312d31d84         dispatch_group_leave
`);
  assert(!said("Exception 6, Code 2462423868, Subcode 8").includes("It says"));
  assertStringIncludes(said("the cart is empty"), "It says: the cart is empty");
});

Deno.test("a copy that begins within a line: another process is not the report's, and a frame's rest is no field", () => {
  const frames = stack(["MyApp bake() + 8", ...loop]);
  const header = readReport(
    `sible: SpringBoard [34]\nrent Process: launchd [1]\nOS Version: iPhone OS 17.1\n\nException Type: EXC_CRASH (SIGKILL)\n\nThread 0 Crashed:\n${frames}\n`,
    "header",
  );
  assertEquals(header.process.name, null);
  const rest = readReport(
    `8 -[Oven bake:] + 244\n${stack(["MyApp -[Oven heat] + 8", ...loop], 3)}\n`,
    "x",
  );
  assertEquals(rest.threads[0].frames[0].symbol, "-[Oven heat]");
});

Deno.test("parts whose stack does not decide: SIGKILL without its reason, a wait, a missing symbol, a nil argument", () => {
  const crash = (signal: string, frames: readonly string[]): string =>
    `Exception Type: EXC_CRASH (${signal})\nThread 0 Crashed:\n${stack(frames)}\n`;
  const spin = crash("SIGKILL", ["MyApp bake() + 8", ...loop]);
  assertEquals(whose(spin), ["none", "sender", null]);
  assertEquals(whose(`Termination Reason: SIGNAL 9 Killed: 9\n${spin}`), ["none", "signal", null]);
  const wait = `Thread 0:\n${
    stack(["libsystem_kernel.dylib __psynch_mutexwait + 8", "MyApp bake() + 8", ...loop])
  }\n`;
  assertEquals(attributeReport(readReport(wait, "wait")).isEvidence, false);
  const missing = [
    "dyld dyld_fatal_error + 1",
    "dyld dyld::fastBindLazySymbol(ImageLoader**, unsigned long) + 124",
    "libdyld.dylib dyld_stub_binder_ + 13",
    "MyApp bake() + 8",
    ...loop,
  ];
  assertEquals(whose(`Thread 0 Crashed:\n${stack(missing)}\n`), ["unknown", "setup", null]);
  const nil = [
    "libswiftFoundation.dylib static Array._unconditionallyBridgeFromObjectiveC(_:) + 88",
    "MyApp @objc OvenList.select(_:) + 44",
    "AppKit -[NSTableView selectAll] + 12",
    ...loop,
  ];
  assertEquals(whose(`Thread 0 Crashed:\n${stack(nil)}\n`)[1], "argument");
});

Deno.test("a collector that clears the stack by calling itself recurses on purpose", () => {
  const frame = (index: number) => `${index}   Oven   0x00101000 GC_clear_stack_inner + 40`;
  const text = told(
    `Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_PROTECTION_FAILURE at 0x00000000bf7ffcd4\n\nThread 0 Crashed:\n${
      [0, 1, 2, 3, 4, 5].map(frame).join("\n")
    }\n`,
  );
  assert(!text.includes("calls itself"), text);
});

Deno.test("a sample that ends with its last stack: what it called may be cut off, and decides nothing", () => {
  const title =
    "Call graph:\n    40 Thread_11   DispatchQueue_1: com.apple.main-thread  (serial)\n";
  const end = "\nTotal number in stack (recursive counted multiple, when >=5):\n";
  const busy = sampled([...waits.slice(0, 2), "bake  (in Till) + 40  [0x1002000]"]);
  const open = title + busy;
  assertStringIncludes(told(open), "Nothing follows that stack in the copy");
  assertEquals(attributeReport(readReport(open, "x")).isEvidence, false);
  assert(!told(open + end).includes("Nothing follows"));
  assertEquals(attributeReport(readReport(open + end, "x")).isEvidence, true);
  assert(!told(title + sampled(waits)).includes("Nothing follows"));
  // A name that lacks its end, and a thread that was cut beside an idle one.
  const named = title + sampled(["start", "main", "bake(int, std::vector<int"]);
  assertStringIncludes(told(named), "The copy ends within its call tree");
  const idle = `${title}${
    sampled([...waits.slice(0, 2), "mach_msg2_trap  (in libsystem_kernel.dylib) + 8  [0x3001000]"])
  }`;
  const beside = told(`${idle}    40 Thread_12: worker\n${busy}            40 knead  (in Ti`);
  assert(!beside.includes("did not only wait"), beside);
});

Deno.test("numbers and names at the end of a copy may have lost a part", () => {
  const panic =
    "panic(cpu 1 caller 0xfffffff017000abc): Kernel data abort. at pc 0xfffffff0172b6708\n" +
    "  pc:  0xfffffff0172b6708 cpsr: 0x60400204  esr: 0x96000046  far: 0x0000000000";
  assert(!told(panic).includes("The address was"), told(panic));
  assertStringIncludes(told(`${panic}000004\n`), "The address was 0x4");
  const images = readReport(
    `Thread 0 Crashed:\n${stack(["oven 0x7ff7fff54000 + 121264"])}\n\nBinary Images:\n` +
      "    0x7ff7fff54000 -     0x7ff7fff83fff oven (1.2) <ef33add",
    "x",
  ).images;
  assertEquals(images.map(({ name, uuid }) => [name, uuid]), [["oven", null]]);
});

Deno.test("advice on what raised an exception names no function of a stack that did not", () => {
  const text = "Exception Type: SIGABRT\n\nApplication Specific Information:\n" +
    "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: " +
    "'*** -[__NSPlaceholderDictionary initWithObjects:forKeys:count:]: attempt to insert nil object from objects[2]'\n\n" +
    `Thread 0 Crashed:\n${
      stack([
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_c.dylib abort + 100",
        "MyApp on_uncaught_exception + 20",
        "CoreFoundation __handleUncaughtException + 775",
        "libobjc.A.dylib _objc_terminate() + 91",
        "libc++abi.dylib std::__terminate(void (*)()) + 8",
        "libobjc.A.dylib objc_exception_rethrow + 47",
        ...loop,
      ])
    }\n`;
  const { check } = explainReport(readReport(text, "x"));
  assert(!check.join().includes("on_uncaught_exception"), check.join());
});

Deno.test("the last frame of a copy that was cut within its address has none", () => {
  const whole = `Exception Type: EXC_CRASH (SIGABRT)\nThread 0 Crashed:\n${
    stack(["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 100"])
  }\n`;
  const last = (end: string) => {
    const { imageName, address } = readReport(whole + end, "x").threads[0].frames[2];
    return [imageName, address];
  };
  assertEquals(last("2   Oven   0x0000000100001f40"), ["Oven", 0x100001f40n]);
  for (const cut of ["0x0000000100001", "0x000000"]) {
    assertEquals(last(`2   Oven   ${cut}`), ["Oven", 0n], cut);
  }
  // One that something follows is as it is written.
  assertEquals(last("2   ???   0x100 ???\n\nBinary Images:\n")[1], 0x100n);
  const met = told(
    `Exception Type: EXC_CRASH (SIGABRT)\nThread 0 Crashed:\n${
      stack([
        ...["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 100"],
        ...["Oven mono_handle_native_sigsegv + 280", "libsystem_platform.dylib _sigtramp + 28"],
      ])
    }\n4   AppKit   0x000000`,
  );
  assertStringIncludes(met, "in AppKit (frame 4)");
});

Deno.test("frames that are quoted as a part of a text are read without the mark", () => {
  const text =
    "An app of ours ends as follows.\n\nThis is of the console, and what I had done before:\n\n" +
    "I pressed the button.\n\nThen I waited.\n\nThen nothing.\n\n" +
    "> 0\tlibsystem_kernel.dylib\t0x329a6dfc\t__pthread_kill (in libsystem_kernel.dylib) (kill.s:8)\n" +
    "> 1\tOven\t0x26127c\tbake (in Oven) (oven.c:12)\n> 2\tOven\t0x26227c\tmain (in Oven) (main.c:4)\n";
  assertEquals(
    readReport(text, "x").threads[0].frames.map(({ symbol }) => symbol),
    ["__pthread_kill", "bake", "main"],
  );
});

Deno.test("a panic without line ends is read by what begins its lines", () => {
  const text =
    `panic(cpu 0 caller 0xffffff8018a2d5f2): Kernel trap at 0xffffff8018c8019a, type 14=page fault, registers: CR0: 0x00000000c0010033, CR2: 0x0000000000000020, CR3: 0x0000000093386000, CR4: 0x0000000000040660 RAX: 0x0000000000000000, RBX: 0xffffff802042f8c0 RFL: 0x0000000000010206, RIP: 0xffffff8018c8019a, CS: 0x0000000000000008, SS: 0x0000000000000010 Fault CR2: 0x0000000000000020, Error code: 0x0000000000000000, Fault CPU: 0x0 Backtrace (CPU 0), Frame : Return Address ${
      kernelFrames(["panic", "kernel_trap", "return_from_trap", "list_check", "list_take"])
        .replaceAll("\n", " ")
    }BSD process name corresponding to current thread: oven `;
  const lines = told(text);
  assertStringIncludes(lines, "type 14=page fault\n");
  assertStringIncludes(lines, "The address was 0x20, by a read");
  assertStringIncludes(lines, "list_check, called by list_take");
  assertStringIncludes(lines, "oven");
});

Deno.test("Rust's panic handler is not whose a panic is, where a copy ends before what panicked", () => {
  const text = `Exception Type: EXC_CRASH (SIGABRT)\nThread 0 Crashed:\n${
    stack([
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 124",
      "Oven std::process::abort::h4aa5c6a95b45c783 + 12",
      "Oven std::panicking::panic_with_hook::h9d9f4b295fd289e2 + 452",
      "Oven _RNvCsbgTEAFGLn1v_7___rustc17rust_begin_unwind + 32",
      "Oven core::panicking::panic_fmt::h6d33e9447de094e9 + 52",
    ])
  }\n`;
  assertEquals(whose(text), ["unknown", "outer", null]);
});

Deno.test("a region of which only the bounds are in a copy", () => {
  const piece = (address: string): string =>
    `Exception Type: EXC_BAD_ACCESS (SIGBUS)
Exception Codes: KERN_PROTECTION_FAILURE at ${address}

VM Region Info: ${address} is in 0x104000000-0x104004000;  bytes after start: 8  bytes before end: 16375
      REGION TYPE                    STA`;
  assertStringIncludes(
    told(piece("0x104000008")),
    "it is 8 bytes after the start of a region of 16384 bytes",
  );
  assertStringIncludes(told(piece("0x104000000")), "it is at the start of a region of 16384");
  assert(!told(piece("0x105000000")).includes("a region of"));
});

Deno.test("a pointer that a reporter's message names is no null", () => {
  const text = `Exception Type: EXC_BAD_ACCESS (SIGBUS)
Exception Codes: BUS_NOOP
Crashed Thread: 0

Application Specific Information:
Attempted to dereference garbage pointer 0xaa0003f497fc4f10.

Thread 0 Crashed:
${stack(["libsystem_platform.dylib _platform_strlen + 4", "Shop greet + 12", ...loop])}
`;
  const { causes } = explainReport(readReport(text, "x"));
  assert(causes.length > 0);
  assert(!causes.includes("a string that is null"), causes.join("; "));
});

Deno.test("a sample: the largest footprint is told, what a cut tree did is not", () => {
  const text = `Analysis of sampling shop (pid 77) every 1 millisecond
Process:         shop [77]
Path:            /usr/local/bin/shop
Code Type:       ARM64
Parent Process:  zsh [76]

Date/Time:       2024-12-30 21:16:45.530 -0700
OS Version:      macOS 14.2.1 (23C71)
Report Version:  7

Physical footprint:         3.3G
Physical footprint (peak):  14.9G
----

Call graph:
    900 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
    + 900 visit  (in shop) + 200  [0x102fab0c8]
    +   900 _pthread_cond_wait  (in libsystem_pthread.dylib) + 1228  [0x18986e5fc]
    +     900 __psynch_cvwait  (in libsystem_kernel.dylib) + 8  [0x18983106c]
    900 Thread_2
    + 900 serve  (in shop) + 200  [0x102fab0c8]
    +   900 _pthread_cond_wait  (in libsystem_pthread.dylib) + 1272  [0x18986e628]
    +`;
  const happened = told(text);
  assertStringIncludes(happened, "footprint had been 14.9 GB, and was 3.3 GB then");
  assert(!happened.includes("did not only wait"), happened);
});

Deno.test("an exception's address at the end of a copy may have lost digits", () => {
  const subtype = (text: string): string | null | undefined =>
    readReport(
      `Process: Shop [7]\n\nException Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Subtype: ${text}`,
      "x",
    ).exception?.subtype;
  for (const cut of ["0x", "0x00", "0x00000001", "0x000000010420"]) {
    const isWhole = cut.length === 10;
    assertEquals(
      subtype(`KERN_INVALID_ADDRESS at ${cut}`),
      isWhole ? `KERN_INVALID_ADDRESS at ${cut}` : "KERN_INVALID_ADDRESS",
    );
  }
  // Others write no zeros before it; and what something follows is whole.
  assertEquals(subtype("KERN_INVALID_ADDRESS at 0x28"), "KERN_INVALID_ADDRESS at 0x28");
  assertEquals(
    subtype("KERN_INVALID_ADDRESS at 0x00\n\nCrashed Thread: 0\n"),
    "KERN_INVALID_ADDRESS at 0x00",
  );
});

Deno.test("JSON behind the mark of code within a line of prose", () => {
  const report = readReport(
    'Here it is:\n`{\n  "crashReporterKey" : "x",\n  "product" : "AppleTV5,3",\n  "memoryStatus" : {\n  "largestZone" : "APFS_4K_OBJS",\n  "memoryPages" : {\n    "active" : 23021,\n`\n\nIt ends each time.\n',
    "x",
  );
  assertStringIncludes(
    explainReport(report).happened.join("\n"),
    "Processes were ended for memory",
  );
});
