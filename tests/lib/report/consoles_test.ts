/** What debuggers, run-times and sanitizers print, and reports whose line ends or beginnings were lost. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { attributeReport, explainReport, readReport } from "../../../lib/report/mod.ts";
import { frameLines, told } from "./fixtures.ts";

Deno.test("LLDB: the title of the thread that stopped, once with a frame and once with the stack", () => {
  const title = "* thread #2, queue = 'com.example.work', stop reason = EXC_BAD_ACCESS " +
    "(code=1, address=0x18)";
  const { what, whose, threads } = told(
    `Process 4711 stopped\n${title}\n` +
      '    frame #0: 0x0000000100003f20 MyApp`-[Foo bar:](self=0x0000600000008010, _cmd="bar:") at Foo.m:12:9\n' +
      `(lldb) bt\n${title}\n` +
      '  * frame #0: 0x0000000100003f20 MyApp`-[Foo bar:](self=0x0000600000008010, _cmd="bar:") at Foo.m:12:9\n' +
      "    frame #1: 0x0000000100003e00 MyApp`main(argc=1, argv=0x000000016fdff2a8) at main.m:5:3\n",
  );
  assertEquals(threads, [[2, "com.example.work", true]]);
  assertStringIncludes(what, "null plus 24");
  assertEquals(whose, ["program", null, "-[Foo bar:]"]);
});

Deno.test("a console of several runs: the same exception again, at another address, is no other one", () => {
  const run = (reason: string): string =>
    `2015-03-25 16:32:53.366 Shop[30:60b] *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '${reason}'\n` +
    "*** First throw call stack:\n(\n" +
    frameLines(["CoreFoundation __exceptionPreprocess + 1", "Shop -[Cart pay] + 8"]).join("\n") +
    "\n)\n";
  const first = run("-[Cart bake]: unrecognized selector sent to instance 0x1375d03c0");
  const again = run("-[Cart bake]: unrecognized selector sent to instance 0x144dae070");
  assert(!told(first + again).what.includes("another one"));
  assertStringIncludes(
    told(first + run("no bread")).what,
    "The text has another one: NSInvalidArgumentException: no bread.",
  );
});

Deno.test("LLDB: a stop at a breakpoint is no crash; a stop line alone is one", () => {
  const { threads } = told(
    "* thread #1, queue = 'com.apple.main-thread', stop reason = breakpoint 1.1\n" +
      "  * frame #0: 0x0000000100003f20 MyApp`main at main.m:5:3\n",
  );
  assertEquals(threads[0][2], false);
  assertStringIncludes(
    told("* thread #5, name = 'worker', stop reason = signal SIGABRT\n").what,
    "abort()",
  );
});

Deno.test("gdb: the signal, the reason, and frames without a list of images", () => {
  const { what, whose } = told(
    "Program received signal EXC_BAD_ACCESS, Could not access memory.\n" +
      "Reason: KERN_INVALID_ADDRESS at address: 0x0000000000000010\n" +
      "0x00007fff8a1b2c3d in do_work ()\n(gdb) bt\n" +
      "#0  0x00007fff8a1b2c3d in do_work () from /usr/local/lib/libwork.dylib\n" +
      "#1  0x0000000100001f2c in main (argc=1, argv=0x10000) at main.c:12\n",
  );
  assertStringIncludes(what, "KERN_INVALID_ADDRESS at 0x10");
  assertEquals(whose, ["program", null, "do_work"]);
});

Deno.test("Rust: a stack of nothing but taking it, the panic that follows the first, and the crate", () => {
  const taking = (at: number, name: string): string =>
    `   ${at}:        0x10547d33${at} - ${name}::hbebc8679d47bdc2c\n                               at /rustc/1/library/std/src/x.rs:116:5\n`;
  const panic =
    "thread 'main' panicked at /Users/a/.cargo/registry/src/index.crates.io-6f17d22bba15001f/shop-kit-0.2.2/src/cart.rs:325:1:\n" +
    "invalid message send to -[Cart pay]: method not found\n" +
    "thread 'main' panicked at library/core/src/panicking.rs:221:5:\npanic in a function that cannot unwind\nstack backtrace:\n" +
    taking(0, "std::backtrace_rs::backtrace::libunwind::trace") +
    taking(1, "std::sys::backtrace::_print_fmt");
  const { what, causes, whose, threads } = told(panic);
  assertEquals(threads, []);
  assertEquals(whose.slice(0, 2), ["unknown", "stack"]);
  assertStringIncludes(what, "the crate shop-kit (0.2.2)");
  assertStringIncludes(what, "the object has no method");
  assertStringIncludes(what, "must not unwind");
  assert(what.indexOf("has no method") < what.indexOf("the crate shop-kit"), what);
  assert(what.indexOf("has no method") < what.indexOf("must not unwind"));
  assertStringIncludes(causes, "this version of the system does not have yet");
  assertEquals(
    told(
      `${panic}   2:        0x10547d335 - shop::cart::pay\n                               at src/cart.rs:1:2\n`,
    ).whose,
    ["program", null, "shop::cart::pay"],
  );
});

Deno.test("Rust before a report: the message below its place, what Node.js printed, and what has left the stack", () => {
  const text =
    "node:internal/modules/esm/resolve:838\nError [ERR_MODULE_NOT_FOUND]: Cannot find package 'cart' imported from /tmp/a.js\n\nNode.js v22.11.0\n\n" +
    "thread 'main' (42) panicked at src/shop.rs:9:1:\nFailed to open: cart not ready\nnote: run with `RUST_BACKTRACE=1`\n\n" +
    "Process: Shop [42]\nException Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n" +
    frameLines([
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 124",
      "Shop core::panicking::panic_cannot_unwind::h3 + 19",
      "Shop shop::did_finish::h4 + 100",
      "Shop main + 8",
      "dyld start + 4",
    ], 0x7000).join("\n") + "\n";
  const { what, next, whose } = told(text);
  assertStringIncludes(what, "src/shop.rs:9:1: Failed to open: cart not ready");
  assertStringIncludes(what, "Node.js: Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'cart'");
  assert(!next.includes("read the panic's message"), next);
  assertEquals(whose, ["unknown", "unwound", "shop::did_finish::h4"]);
});

Deno.test("a thread's number that is not in the report is not invented", () => {
  const chromium = readReport(
    "Received signal 11 SEGV_MAPERR 058c0000057c\n" +
      "0   Shop Framework   0x0000000117ad7739 base::debug::CollectStackTrace(void**, unsigned long) + 9\n" +
      "1   Shop Framework   0x0000000117ad75e1 base::debug::(anonymous namespace)::StackDumpSignalHandler(int, __siginfo*, void*) + 2385\n" +
      "2   libsystem_platform.dylib            0x00007fff652b242d _sigtramp + 29\n" +
      "3   ???                                 0x00007f9d56173880 0x0 + 140313730955392\n" +
      "4   Shop Framework   0x0000000117231c1c shop::mojom::CartStubDispatch::Accept(shop::mojom::Cart*, mojo::Message*) + 1148\n",
    "x",
  );
  assertEquals(chromium.crashedThread?.isNumbered, false);
  assert(attributeReport(chromium).absent !== "compiled");
});

Deno.test("Swift's own backtrace", () => {
  const { what, whose, threads } = told(
    "*** Program crashed: Bad pointer dereference at 0x0000000000000004 ***\n\n" +
      'Thread 0 "main" crashed:\n\n' +
      "0 0x0000000100003f10 level5() + 16 in crash at /src/crash.swift:4:12\n" +
      "1 [ra] 0x0000000100003e10 level4() + 8 in crash at /src/crash.swift:8:3\n" +
      "2 [ra] [system] 0x000000018001f0e0 start + 2360 in dyld\n",
  );
  assertStringIncludes(what, "null plus 4");
  assertEquals(whose, ["program", null, "level5()"]);
  assertEquals(threads, [[0, "main", true]]);
});

Deno.test("Xcode's two titles of a thread; one of them quoted", () => {
  const { what, threads } = told(
    ">Thread 1: EXC_RESOURCE (RESOURCE_TYPE_MEMORY: high watermark memory limit exceeded) (limit=15 MB)\n\n" +
      "Thread 1 Queue : com.apple.main-thread (serial)\n#0\t0x507c8864 in decode ()\n",
  );
  assertStringIncludes(what, "limit=15 MB");
  assertEquals(threads, [[1, "com.apple.main-thread", true]]);
});

Deno.test("a stack of which only the line with its name was copied is not called the crashed one", () => {
  const { whose, threads } = told(
    "Thread 8 name: com.example.worker\n" +
      "0   MyApp   0x0000000103218744 run + 4\n1   MyApp   0x0000000103218844 start + 4\n",
  );
  assertEquals(threads, [[8, "com.example.worker", false]]);
  assertEquals(whose, ["unknown", "stack", null]);
});

const runtimes: readonly (readonly [name: string, text: string, what: string])[] = [
  [
    "AddressSanitizer",
    "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000110 at pc 0x0001 bp 0x7 sp 0x7\n" +
    "READ of size 4 at 0x602000000110 thread T0\n    #0 0x100003f1f in use test.c:8\n" +
    "    #1 0x7fff20389f3c in start+0x0 (libdyld.dylib:x86_64+0x15f3c)\n\nfreed by thread T0 here:\n" +
    "    #0 0x1000 in free (libclang_rt.asan_osx_dynamic.dylib:x86_64+0x4)\n",
    "Memory was used after it was freed.",
  ],
  [
    "Go",
    "panic: runtime error: invalid memory address or nil pointer dereference\n" +
    "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x10a]\n\ngoroutine 1 [running]:\n" +
    "main.use(0x0)\n\t/src/main.go:12 +0x72\nmain.main()\n\t/src/main.go:8 +0x20\n",
    "A Go program used a nil pointer.",
  ],
  [
    "Rust",
    "thread 'main' panicked at src/main.rs:12:5:\ncalled `Option::unwrap()` on a `None` value\n",
    "A Rust Option was unwrapped that held None.",
  ],
  [
    "Python",
    "Fatal Python error: Segmentation fault\n\nCurrent thread 0x01 (most recent call first):\n" +
    '  File "/lib/conv.py", line 459 in _conv\n',
    "The Python interpreter met a fatal error",
  ],
  [
    "V8",
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n" +
    " 1: 0x1012e4da5 node::Abort() [/usr/local/bin/node]\n",
    "The JavaScript heap is full",
  ],
  [
    "Java",
    "    #\n    # A fatal error has been detected by the Java Runtime Environment:\n    #\n" +
    "    #  SIGSEGV (0xb) at pc=0x00007fff, pid=1, tid=2\n    # Problematic frame:\n" +
    "    # C  [libwork.dylib+0x1f23]  do_work+0x13\n    #\n",
    "The Java virtual machine met a fatal error: a signal, or a check",
  ],
  [
    ".NET",
    "Unhandled exception. System.InvalidOperationException: no\n   at A.B(C c) in /src/a.cs:line 10\n",
    "A .NET exception was not handled.",
  ],
  [
    "the dynamic linker",
    "dyld[12]: Library not loaded: @rpath/A.framework/A\n  Referenced from: <X> /Applications/B.app/B\n" +
    "  Reason: tried: '/Applications/B.app/A' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))\n",
    "has no code for this architecture",
  ],
  [
    "malloc",
    "bash(7808,0x100908580) malloc: *** error for object 0x600: pointer being freed was not allocated\n" +
    "bash(7808,0x100908580) malloc: *** set a breakpoint in malloc_error_break to debug\nAbort trap: 6\n",
    "bash(7808",
  ],
  [
    "malloc of older systems",
    "shopd(7808,0xb05e9000) malloc: *** mmap(size=2097152) failed (error code=12)\n*** error: can't allocate region\n" +
    "*** set a breakpoint in malloc_error_break to debug\nSegmentation fault\n",
    "malloc got no more memory from the system",
  ],
  [
    "Swift",
    "MyApp/View.swift:42: Fatal error: Index out of range\n",
    "View.swift:42",
  ],
  [
    "the protection of private data",
    "> Termination Reason: TCC, This app has crashed because it attempted to access privacy-sensitive data " +
    "without a usage description. The app's Info.plist must contain an NSFaceIDUsageDescription key\n",
    "NSFaceIDUsageDescription",
  ],
  [
    "NSException",
    "Exception Name: NSGenericException\nDescription: **\\* Collection <X> was mutated while being enumerated.\n" +
    "User Info: (null)\n\n0   CoreFoundation   0x00007fffbc9d35db __exceptionPreprocess + 171\n",
    "A collection was changed while it was enumerated.",
  ],
];

/** What it says, whose it is, and the exception's subtype or signal. */
const interpreters: [name: string, text: string, what: string, symbol: string, signal: string][] = [
  [
    "Ruby, with the stack of C",
    "shop.rb:2: [BUG] Segmentation fault at 0x0000000000000010\nruby 3.2.0 [arm64-darwin23]\n\n" +
    "-- Ruby level backtrace information ---\nshop.rb:9:in `<main>'\nshop.rb:2:in `add'\n\n" +
    "-- C level backtrace information ---\n" +
    "/opt/ruby/bin/ruby(rb_vm_bugreport+0x82) [0x10b9f1d42]\n" +
    "/opt/ruby/bin/ruby(sigsegv+0x51) [0x10b95a4c1]\n" +
    "/usr/lib/system/libsystem_platform.dylib(_sigtramp+0x1d) [0x7fff6ba3fb5d]\n" +
    "/opt/gems/cart.bundle(cart_add+0x10) [0x10bb5b5d]\n",
    "The Ruby interpreter met a bad access to memory",
    "cart_add",
    "at 0x10",
  ],
  [
    "Ruby, without one: the outermost call is the first",
    "shop.rb:2: [BUG] Bus Error at 0x0000000000000010\n\n-- Ruby level backtrace information ---\n" +
    "shop.rb:9:in `<main>'\n/opt/lib/ruby/gems/3.2.0/gems/cart-1.2.0/lib/cart.rb:2:in `add'\n" +
    "/opt/lib/ruby/3.2.0/set.rb:2:in `each'\n\n",
    "The Ruby interpreter met an internal error.",
    "add",
    "at 0x10",
  ],
  [
    "Julia",
    "signal (11): Segmentation fault: 11\nin expression starting at REPL[3]:1\n" +
    "gc_mark at /cache/build/src/gc.c:2123\nadd at /home/u/Shop/src/Shop.jl:12\nAllocations: 1\n",
    "signal (11): Segmentation fault: 11",
    "add",
    "SIGSEGV",
  ],
  [
    "R",
    " *** caught segfault ***\naddress 0x10, cause 'memory not mapped'\n\nTraceback:\n" +
    ' 1: .Call("cart_add", x)\n 2: addToCart(1)\nAn irrecoverable exception occurred.\n',
    "R met a bad access to memory",
    "addToCart",
    "at 0x10",
  ],
  [
    "Chromium's handler of signals",
    "Received signal 11 SEGV_MAPERR 000000000010\n" +
    "0   Electron Framework                  0x0000000111c3a5b3 Electron Framework + 83944883\n" +
    "1   libsystem_platform.dylib            0x00007fff204d4d7d _sigtramp + 29\n" +
    "2   cart.node                           0x0000000120a11e4f cart_add + 63\n[end of stack trace]\n",
    "SEGV_MAPERR at 0x10",
    "cart_add",
    "SEGV_MAPERR at 0x10",
  ],
  [
    "OpenJDK, with the stack",
    "# A fatal error has been detected by the Java Runtime Environment:\n#\n" +
    "#  SIGSEGV (0xb) at pc=0x00007fff6b5c1a10, pid=1234, tid=775\n# Problematic frame:\n" +
    "# C  [AppKit+0x3c1a10]  -[NSWindow open]+0x10\n#\n\nNative frames: (J=compiled Java code)\n" +
    "C  [AppKit+0x3c1a10]  -[NSWindow open]+0x10\nC  [libcart.dylib+0x8b2c]  cart_add+0x3c\n" +
    "j  org.example.Shop.main([Ljava/lang/String;)V+5\n\n" +
    "siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000008\n",
    "native code that runs in the Java virtual machine, not the virtual machine itself",
    "cart_add",
    "SEGV_MAPERR at 0x8",
  ],
  [
    "LLVM's stack dump",
    "Stack dump:\n0.\tProgram arguments: swift-frontend -c Cart.swift\n" +
    '1.\tWhile evaluating request ASTLoweringRequest(file "Cart.swift")\n' +
    "2.\tWhile silgen emitFunction for 'add()'\nStack dump without symbol names:\n" +
    "0  swift-frontend           0x000000010a5c8ad0 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) + 56\n" +
    "1  swift-frontend           0x000000010a5c9104 SignalHandler(int) + 352\n" +
    "2  libsystem_platform.dylib 0x000000018a1d5a24 _sigtramp + 56\n" +
    "3  swift-frontend           0x0000000105b1c0d4 swift::Lowering::emitApply() + 1436\n\n" +
    "error: compile command failed due to signal 11 (use -v to see invocation)\n",
    "the compiler was here: While silgen emitFunction for 'add()'",
    "swift::Lowering::emitApply()",
    "SIGSEGV",
  ],
];

for (const [name, text, what, symbol, signal] of interpreters) {
  Deno.test(`what an interpreter prints when it ends: ${name}`, () => {
    const report = readReport(text, "x");
    assertStringIncludes(explainReport(report).happened.join("\n"), what);
    assertEquals<unknown>(attributeReport(report).deciding?.frame.symbol, symbol);
    assertEquals<unknown>(report.exception?.subtype ?? report.exception?.signal, signal);
  });
}

Deno.test("a FATAL log of Chromium's, an assertion of WebKit's, glog's handler", () => {
  const said = (text: string) => explainReport(readReport(text, "x")).happened.join("\n");
  const fatal =
    "[77:0102/030405.678901:FATAL:gpu_data_manager.cc(439)] GPU process isn't usable. Goodbye.\n";
  assertStringIncludes(said(fatal), "A check of Chromium's code failed (FATAL log)");
  const webkit = "ASSERTION FAILED: m_ptr\n/Users/u/wtf/RefPtr.h(57) : T *operator->() const\n" +
    "1   0x10d1c2a8 WTFCrash\n2   0x10d1c2a9 WebCore::Document::add()\n";
  assertStringIncludes(
    said(webkit),
    "An assertion of WebKit failed. It says: ASSERTION FAILED: m_ptr",
  );
  const glog = "*** SIGSEGV (@0x10) received by PID 77 (TID 0x1) stack trace: ***\n" +
    "    @     0x7fff6b10a5fd _sigtramp\n    @        0x10d1c2a8 cart::add()\n";
  assertStringIncludes(said(glog), "null plus 16");
  assertEquals(readReport(glog, "x").threads[0].frames.length, 1);
});

Deno.test("HockeyApp's columns with classes or images, and Crashlytics' further threads", () => {
  const hockey = readReport(
    "Exception Type:  SIGSEGV\nCrashed Thread:  0\nlibobjc.A.dylib;objc_msgSend.dispatch;;0\n" +
      "Cart;add:;Cart.m;12\n-;-[Shop open];Shop.m;3\n",
    "x",
  );
  assertEquals<unknown>(
    hockey.threads[0].frames.map(({ imageName, symbol, line }) => [imageName, symbol, line]),
    [
      ["libobjc.A.dylib", "objc_msgSend.dispatch", null],
      [null, "-[Cart add:]", 12],
      [null, "-[Shop open]", 3],
    ],
  );
  assertEquals<unknown>(attributeReport(hockey).deciding?.frame.symbol, "-[Cart add:]");
  const several = readReport(
    "#0. Crashed: com.apple.main-thread\n0  Shop    0x1b4c0 Cart.add(_:) + 12 (Cart.swift:12)\n\n" +
      "#1. com.google.firebase.crashlytics.MachExceptionServer\n" +
      "0  libsystem_kernel.dylib  0x1234 mach_msg2_trap + 8\n",
    "x",
  );
  assertEquals<unknown>(
    several.threads.map(({ index, name, queue, crashed }) => [index, name, queue, crashed]),
    [
      [0, null, "com.apple.main-thread", true],
      [1, "com.google.firebase.crashlytics.MachExceptionServer", null, false],
    ],
  );
});

for (const [name, text, what] of runtimes) {
  Deno.test(`what a program prints when it ends: ${name}`, () => {
    assertStringIncludes(told(text).what, what);
  });
}

Deno.test("a run-time's words in the text of a report do not replace the report", () => {
  const { what } = told(
    "panic: no\n\ngoroutine 1 [running]:\n\nProcess: MyApp [1]\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
      "Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000018\n\nThread 0 Crashed:\n" +
      "0   MyApp   0x0000000103218744 run + 4\n",
  );
  assertStringIncludes(what, "null plus 24");
  assertThrows(() => readReport("I think it is a fatal error: no report\n", "x"));
});

Deno.test("a header whose line ends were lost", () => {
  const report = readReport(
    "Process: MyApp [591] Path: /Applications/My App.app/Contents/MacOS/MyApp Identifier: com.example Version: 2 (2) " +
      "Code Type: X86-64 (Native)\n\nCrashed Thread: 8 Dispatch queue: com.example\n\n" +
      "Exception Type: EXC_CRASH (SIGABRT) Exception Codes: 0x0, 0x0 Exception Note: EXC_CORPSE_NOTIFY\n\n" +
      "Application Specific Information: *** Terminating app due to uncaught exception 'NSGenericException', " +
      "reason: 'no' abort() called terminating with uncaught exception of type NSException\n\n" +
      "Thread 8 Crashed:: Dispatch queue: com.example 0 MyApp 0x0000000103218744 run + 4 " +
      "1 MyApp 0x0000000103218844 start + 4\n",
    "x",
  );
  assertEquals(report.process.path, "/Applications/My App.app/Contents/MacOS/MyApp");
  assertEquals(report.crashedThread?.frames.map(({ symbol }) => symbol as string), [
    "run",
    "start",
  ]);
  assertEquals(
    explainReport(report).happened[0],
    "An Objective-C exception was not caught: NSGenericException, no.",
  );
});

Deno.test("an .ips that was wrapped inside of numbers; a piece that begins inside of a stack", () => {
  const frame = (symbol: string, offset: string) =>
    `{"imageOffset":${offset},"symbol":"${symbol}","symbolLocation":8,"imageIndex":1}`;
  const wrapped = readReport(
    `10},\n"faultingThread" : 0,\n"threads" : [{"triggered":true,"frames":[${
      frame("__pthread_kill", "38\n320")
    },${frame("abort", "100")}`,
    "x",
  );
  assertEquals(wrapped.crashedThread?.frames[0].symbol as string, "__pthread_kill");
  const piece = readReport(`ageIndex":16},${frame("abort", "1")},${frame("work", "2")},{"im`, "x");
  assertEquals(piece.threads[0].frames.map(({ symbol }) => symbol as string), ["abort", "work"]);
});

Deno.test("a Java thread's name; a process that syslog names", () => {
  const java = readReport(
    "# A fatal error has been detected by the Java Runtime Environment:\n#\n" +
      "#  SIGSEGV (0xb) at pc=0x0000000150001000, pid=7, tid=9\n# Problematic frame:\n# C  0x0000000150001000\n#\n\n" +
      'Current thread (0x00007fd100001000):  JavaThread "worker" [_thread_in_native, id=11]\n',
    "x",
  );
  assertEquals(java.threads[0].name, "worker");
  assertEquals(java.information[0], "Problematic frame: C  0x0000000150001000");

  const logged = readReport(
    "    Feb  3 10:11:12 phone SpringBoard[54]: *** Terminating app due to uncaught exception " +
      "'NSInvalidArgumentException', reason: '-[UIView nothing]: unrecognized selector sent to instance 0x200100'\n",
    "x",
  );
  assertEquals([logged.process.name, logged.process.pid], ["SpringBoard", 54]);
});

Deno.test("Go: the goroutine that a thread ran called what its run-time's own stack ends with", () => {
  const found = told(
    "fatal error: unexpected signal during runtime execution\n" +
      "[signal SIGSEGV: segmentation violation code=0x1 addr=0xb01dfacedebac1e pc=0x7fff20001000]\n\n" +
      "runtime stack:\nruntime.throw({0x1000, 0x2000})\n\t/usr/local/go/src/runtime/panic.go:1198 +0x71\n" +
      "runtime.sigpanic()\n\t/usr/local/go/src/runtime/signal_unix.go:719 +0x396\n\n" +
      "goroutine 1 [syscall]:\nsyscall.syscall(0x1, 0x2)\n\t/usr/local/go/src/runtime/sys_darwin.go:22 +0x3b\n" +
      "example.com/tty/screen.Width(0x1)\n\t/go/pkg/mod/example.com/tty@v1.0.0/screen/width.go:7 +0x10\n" +
      "main.main()\n\t/src/oven.go:10 +0x35\n\n" +
      "goroutine 2 [select]:\nexample.com/other.Loop()\n\t/go/other.go:9 +0x1\n",
  );
  assertStringIncludes(found.what, "pc=0x7fff20001000");
  assertEquals(found.whose, ["program", null, "example.com/tty/screen.Width"]);
  assert(!found.causes.includes("nil"), found.causes);
});

Deno.test("LLDB: other marks before threads and frames, several stops, and the values of arguments", () => {
  const title =
    "thread #21: tid = 0x1be8c7, 0x195213bc8 libobjc.A.dylib`objc_msgSend + 8, stop reason = " +
    "EXC_BAD_ACCESS (code=1, address=0xc)";
  const frames = [
    "0x0000000195213bc8 libobjc.A.dylib`objc_msgSend + 8",
    "0x0000000195210b94 libobjc.A.dylib`objc_setProperty_nonatomic_copy + 52",
    "0x0000000100194410 Shop`-[ShopCart setURL:](self=0x00000001788c97d0, _cmd=0x0000000191acc63f, url=0x000000000000000c) + 52 at ShopCart.m:62",
    "0x00000001001ad188 Shop`+[ShopPool drain:](self=0x0000000100923568) + 2592 at ShopPool.m:197",
  ];
  for (const mark of ["*", "-", "+", ",*", "\\*", "•", "→", "->", "(lldb) *"]) {
    const { what, causes, threads, whose } = told(
      `(lldb) bt\n${mark} ${title}\n` +
        frames.map((frame, at) => `  ${at === 2 ? `${mark} ` : "  "}frame #${at}: ${frame}\n`).join(
          "",
        ),
    );
    assertEquals(threads, [[21, null, true]], mark);
    assertEquals(whose, ["program", null, "-[ShopCart setURL:]"], mark);
    assertStringIncludes(
      what,
      "-[ShopCart setURL:] (frame 2) was called with url = 0xc, which is a number",
    );
    assertStringIncludes(causes, "whose declared parameters are not the function's");
  }
  // The stop with the fullest stack of the thread that stopped last.
  const stop = (index: number, address: string, count: number): string =>
    `,* thread #${index}: tid = 0x1, 0x1 Shop\`sell, queue = 'q${index}', stop reason = EXC_BAD_ACCESS (code=1, address=${address})\n` +
    Array.from(
      { length: count },
      (_, at) => `    frame #${at}: 0x00000001000${at}0000 Shop\`f${index}${at} + 4\n`,
    ).join("");
  const several = readReport(
    stop(3, "0x8000100", 4) + stop(7, "0x8000200", 1) + stop(7, "0x8000200", 3) +
      stop(7, "0x8000200", 1),
    "x",
  );
  assertEquals(several.crashedThread?.index, 7);
  assertEquals(several.crashedThread?.frames.length, 3);
  assertEquals(several.exception?.codes[1], 0x8000200n);
  assertEquals(several.threads.length, 2);
});

Deno.test("an uncaught exception in other spellings of its line", () => {
  const reason =
    "[<ShopView 0x1> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key play.";
  const stack = "(0x1c91012 0x10cee7e 0x1d19fb1 0xb7ae41)";
  for (
    const text of [
      `Terminating app due to uncaught exception 'NSUnknownKeyException', reason: '${reason}' * First throw call stack: ${stack} libc++abi.dylib: terminate called throwing an exception (lldb)`,
      `Terminating app due to uncaught exception 'NSUnknownKeyException', reason: '${reason}'`,
      `*** Terminating app due to uncaught exception NSUnknownKeyException, reason: '${reason}'\n*** First throw call stack:\n${stack}`,
      `** Terminating app due to uncaught exception "NSUnknownKeyException", reason: "${reason}"\nFirst throw call stack:\n${stack}`,
      `libc++abi: terminating due to uncaught exception of type NSException\n*** Terminating app due to uncaught exception 'NSUnknownKeyException', reason: '${reason}'`,
      `Uncaught exception: NSUnknownKeyException, reason: '${reason}'`,
      `NSUnknownKeyException, reason: '${reason}'`,
    ]
  ) {
    const { what, causes } = told(`${text}\n`);
    assertStringIncludes(
      what,
      `An Objective-C exception was not caught: NSUnknownKeyException, ${reason}`,
      text,
    );
    assertStringIncludes(causes, "an outlet in a nib", text);
    assert(!what.includes("terminate called"), what);
    assertEquals(
      readReport(`${text}\n`, "x").lastException?.length ?? 0,
      text.includes(stack) ? 4 : 0,
      text,
    );
  }
  assertStringIncludes(
    told("terminating with uncaught exception of type NSException\n").what,
    "An Objective-C exception was not caught",
  );
});

/** A report of a crash on thread 2. */
const whole = [
  "Process:             Shop [77]",
  "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)",
  "Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000002",
  "Triggered by Thread:  2",
  "",
  "Thread 0 name:  Dispatch queue: com.apple.main-thread",
  "Thread 0:",
  "0   libsystem_kernel.dylib        \t0x000000022a43fcd0 0x22a431000 + 60624",
  "",
  "Thread 1:",
  "0   libsystem_pthread.dylib       \t0x000000022a43fcd0 0x22a431000 + 60624",
  "",
  "Thread 2 name:  io.flutter.1.ui",
  "Thread 2 Crashed:",
  "0   App                           \t0x00000001030a46e4 0x103088000 + 116452",
  "1   Flutter                       \t0x00000001009f527c 0x1009b8000 + 250492",
];

Deno.test("a log that has something before the first line of each message only", () => {
  const titles = /^(?:Process|Exception Type|Thread \d+(?: name)?):/;
  for (
    const lead of [
      "ReportCrash\t",
      "241\tdefault\t16:15:37.667840-0700\tReportCrash\t",
      "default\t16:15:37.667840-0700\tReportCrash\t",
      "I/flutter ( 1234): ",
      "[  +12 ms] ",
      "[2024-05-06 07:08:09] ",
      "2024-05-06T07:08:09.123456Z ",
      "07:08:09.123 ",
    ]
  ) {
    const text = whole.flatMap((line) => [
      titles.test(line) ? lead + line : line,
      ...(line === "" && lead.startsWith("default")
        ? ["default\t16:15:37.7-0700\tsharingd\tThread 5 Crashed:"]
        : []),
    ]).join("\n");
    const { threads, whose, causes } = told(text);
    assertEquals(threads, [
      [0, "com.apple.main-thread", false],
      [1, null, false],
      [2, "io.flutter.1.ui", true],
    ], lead);
    assertEquals(whose[0], "program", lead);
    assertStringIncludes(causes, "the Dart compiler");
  }
  // A title that is not understood does not replace the thread that the header names.
  const odd = whole.map((line) =>
    line === "Thread 1:" ? "3 crash reporter ReportCrash Thread 1:" : line
  );
  assertEquals(readReport(odd.join("\n"), "x").crashedThread?.index, 2);
  const lost = odd.map((line) => line.startsWith("Thread 2") ? "" : line).slice(0, 12);
  assertEquals(readReport(lost.join("\n"), "x").crashedThread, null);
  assertStringIncludes(
    told(lost.join("\n")).what,
    "Thread 2 crashed; its stack was not found in what could be read",
  );
});

Deno.test("Xcode's notices alone: memory, a signal, and what beside a stack says less", () => {
  const memory = "Details\n\nThe app \u201cShop\u201d on Anna\u2019s iPhone quit unexpectedly.\n" +
    "Domain: IDEDebugSessionErrorDomain\nCode: 11\n" +
    "Failure Reason: Message from debugger: Terminated due to memory issue\n" +
    'Analytics Event: com.apple.dt.X : {\n    "device_model" = "iPhone14,5";\n}\n';
  const report = readReport(memory, "x");
  assertEquals([report.process.name, report.model], ["Shop", "iPhone14,5"]);
  const { headline, happened } = explainReport(report);
  assertStringIncludes(headline, "ended for the memory that it used");
  assertStringIncludes(happened[0], "used more memory than the app may");
  assertEquals(told(memory).whose.slice(0, 2), ["unknown", "resource"]);
  assertStringIncludes(
    told(
      'The app "Shop" on Phone has been killed by the operating system because it is using too much memory.\n',
    ).what,
    "used more memory than the app may",
  );
  const killed = told("Message from debugger: Terminated due to signal 9\n");
  assertStringIncludes(killed.what, "does not say by whom or why");
  assertStringIncludes(killed.causes, "a watchdog");
  assertStringIncludes(
    told("Message from debugger: Terminated due to signal 11\n").what,
    "SIGSEGV",
  );
  const beside = told(
    "* thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x0)\n" +
      "  * frame #0: 0x0000000100003f20 Shop`-[Cart pay] at Cart.m:12:9\n" +
      "Message from debugger: Terminated due to signal 9\n",
  );
  assertStringIncludes(
    told("Message from debugger: failed to send the k packet\n").what,
    "no crash by itself",
  );
  assert(!beside.what.includes("SIGKILL"));
  assertEquals(beside.whose, ["program", null, "-[Cart pay]"]);
  assertThrows(() => readReport("We saw that it was terminated due to a change of plans.\n", "x"));
});

Deno.test("debuggers' frames that have the image within the name", () => {
  const report = readReport(
    "#0  0x00000001829ef064 in ___lldb_unnamed_function235$$AGXGLDriver ()\n" +
      "#1  0x00000001829eecf0 in OpenGLES`glDrawArrays ()\n" +
      "#2  0x0000000104509b64 in sellAll$$Shop ()\n" +
      "#3  0x0000000104509b74 in core::ptr::drop_in_place$LT$Cart$GT$$u20$x ()\n",
    "x",
  );
  assertEquals(report.threads[0].frames.map(({ imageName, symbol }) => [imageName, symbol]), [
    ["AGXGLDriver", null],
    ["OpenGLES", "glDrawArrays"],
    ["Shop", "sellAll"],
    [null, "core::ptr::drop_in_place$LT$Cart$GT$$u20$x"],
  ]);
  assertStringIncludes(
    explainReport(report).happened.join("\n"),
    "in the graphics driver (AGXGLDriver)",
  );
});

Deno.test("an Objective-C exception that .NET passes on is the reason, wherever its line is", () => {
  const line = "Objective-C exception thrown.  Name: NSInvalidArgumentException " +
    "Reason: -[Shop_Cart setColour:]: unrecognized selector sent to instance 0x1016936f0";
  const stack = "Native stack trace:\n" +
    "\t0   CoreFoundation                      0x00000001f5b97198 <redacted> + 252\n" +
    "\t1   libobjc.A.dylib                     0x00000001f4d6f9f8 objc_exception_throw + 56\n" +
    "\t2   Shop                                0x0000000100bf21d4 sell + 20\n";
  for (
    const text of [
      `${line}\n${stack}`,
      `ObjCRuntime.ObjCException: ${line}\n${stack}`,
      `Unhandled managed exception: ${line}\n   (ObjCRuntime.ObjCException)\n   at Shop.Cart.Pay()\n\n${stack}`,
      `${stack}\nFoundation.MonoTouchException: ${line}\n`,
    ]
  ) {
    const { what } = told(text);
    assertStringIncludes(what, "NSInvalidArgumentException, -[Shop_Cart setColour:]: unrecognized");
    assert(!what.includes("does not have its reason"), text);
    assert(!/Native stack|ObjCRuntime/.test(what), text);
  }
});

Deno.test("what dyld says of the files that it found is part of its message", () => {
  const loaded = (why: string) =>
    told(
      "dyld: Library not loaded: @rpath/Cart.framework/Cart\n" +
        "  Referenced from: /private/var/Shop.app/Shop\n" +
        "  Reason: no suitable image found.  Did find:\n" +
        `\t/private/var/Shop.app/Frameworks/Cart.framework/Cart: ${why}\n\n` +
        "\t/private/var/Shop.app/Frameworks/Cart.framework/Cart: stat() failed with errno=1\n",
    );
  const signed = loaded("code signature invalid for '/private/var/Shop.app/Cart'");
  assertStringIncludes(signed.what, "Did find: /private/var/Shop.app/Frameworks/Cart");
  assertStringIncludes(
    signed.what,
    "its code signature is not accepted: the kernel calls it invalid",
  );
  assert(!/architecture|hardened/.test(signed.causes));
  assertStringIncludes(
    loaded("mach-o, but wrong architecture").what,
    "no code for this architecture",
  );
  // What is usual on a Mac cannot be on a device.
  const device = (file: string, codeType: string, why: string) =>
    told(
      `Process: Shop [7]\nPath: /private/var/Shop.app/Shop\nCode Type: ${codeType} (Native)\n` +
        "OS Version: iOS 8.0 (12A1)\nException Type: EXC_BREAKPOINT (SIGTRAP)\n\nDyld Error Message:\n" +
        "  Library not loaded: @rpath/Cart\n  Referenced from: /private/var/Shop.app/Shop\n" +
        `  Reason: no suitable image found.  Did find:\n\t${file}: ${why}\n  Dyld Version: 353.5\n`,
    );
  const system = "/System/Library/Frameworks/Cart.framework/Cart";
  const wrong = "mach-o, but wrong architecture";
  const of32 = device(system, "ARM", wrong);
  assertStringIncludes(of32.what, "A library of the system is there, but has no code for this");
  assertStringIncludes(of32.what, "The process is a 32-bit one.");
  assertStringIncludes(of32.next, "link it weakly");
  const own = device("/private/var/Shop.app/Cart", "ARM-64", wrong);
  assertStringIncludes(own.causes, "a library for the simulator or a Mac");
  const tweak = "mach-o file, but is an incompatible architecture (have 'arm64', need 'arm64e')";
  assertStringIncludes(device("/private/var/Cart.dylib", "ARM-64", tweak).causes, "arm64e");
  const other = device("/private/var/Cart.dylib", "ARM-64", tweak.replace("'arm64'", "'x86_64'"));
  assert(!other.causes.includes("arm64e"), other.causes);
  for (const { causes } of [of32, own]) assert(!causes.includes("Intel"), causes);
  assertStringIncludes(
    told(
      "dyld: Library not loaded: /A\n  Reason: tried: '/A' (code signature in '/A' not valid for use in process: " +
        "mapped file has no cdhash, completely unsigned? Code has to be at least ad-hoc signed.)\n",
    ).what,
    "it has none",
  );
  assertStringIncludes(
    explainReport(readReport("dyld: Library not loaded: /A\n  Reason: image not found\n", "x"))
      .headline,
    "ended by dyld",
  );
});

Deno.test("a memory limit's line before what was used; Python's signal", () => {
  const report = readReport(
    "kernel  memorystatus: Shop [7] exceeded mem limit: ActiveHard 50 MB (fatal)\n" +
      "kernel  memorystatus: killing_specific_process pid 7 [Shop]\n    (per-process-limit ...) 51440KB\n",
    "x",
  );
  const { headline, happened } = explainReport(report);
  assertStringIncludes(headline, "ended for the memory that it used");
  assertStringIncludes(happened[0], "more memory than its own limit");
  assertStringIncludes(happened[1], "51440KB");
  const python = readReport(
    'Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n  File "/a.py", line 2 in f\n',
    "x",
  );
  assertStringIncludes(explainReport(python).headline, "SIGSEGV");
});

Deno.test("an exception's addresses are named from a debugger's stack of the same text", () => {
  const text =
    "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'threading violation: expected the main thread'\n" +
    "*** First throw call stack:\n(0x1bee00100 0x1bee00200 0x1bee00300 0x1bee00400 0x1bee00500 0x1bee00600 0x1bee00700)\n" +
    "libc++abi.dylib: terminating with uncaught exception of type NSException\n(lldb) bt\n" +
    "* thread #67, queue = 'com.example.session', stop reason = breakpoint 3.1\n" +
    "    frame #0: 0x00000001bee00210 libobjc.A.dylib`objc_exception_throw\n" +
    "    frame #1: 0x00000001bee00300 FrontBoardServices`-[FBSSerialQueue assertOnQueue] + 236\n" +
    "  * frame #2: 0x00000001bee00400 UIKitCore`-[UIDevice endGeneratingDeviceOrientationNotifications] + 60\n" +
    "    frame #3: 0x00000001bee00500 CameraUI`-[CAMMotionController dealloc] + 68\n" +
    "    frame #4: 0x00000001bee00600 libobjc.A.dylib`objc_release + 136\n" +
    "    frame #5: 0x00000001bee00700 libdispatch.dylib`_dispatch_client_callout + 20\n";
  const { whose, causes } = told(text);
  const report = readReport(text, "x");
  assertEquals(report.lastException![4].symbol, "-[CAMMotionController dealloc]");
  assertEquals(report.lastException![4].index, 4);
  assertEquals(report.lastException![0].symbol, null);
  assert(whose[0] !== "program");
  assertStringIncludes(causes, "whose last reference was released on another thread");
  assert(!causes.includes("completion handler"));
  // Where only what every thread begins with is the same, it is another stack.
  const other = readReport(text.replace(/ 0x1bee00([345])00/g, " 0x1bee11$100"), "x");
  assertEquals(other.lastException!.every(({ symbol }) => symbol === null), true);
});

Deno.test("a stack as the description of an array: quotes, and UUIDs in place of names", () => {
  const { threads } = told(
    "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'bad'\nStack Trace: (\n" +
      '    "0   CoreFoundation                      0x000000019b6087d8 1532D3D8-9B3B-3F2F-B35F-55A20DDF411B + 534488",\n' +
      '    "1   libobjc.A.dylib                     0x00000001988db2e4 objc_exception_throw + 88",\n' +
      '    "2   Cart                                0x0000000104e9cfb0 -[Cart pay] + 16"\n)\n',
  );
  assertEquals(threads.length, 1);
  assertEquals(threads[0][1], null);
  const { threads: [{ frames }] } = readReport(
    '    "0   CoreFoundation  0x000000019b6087d8 1532D3D8-9B3B-3F2F-B35F-55A20DDF411B + 534488",\n' +
      '    "1   libobjc.A.dylib 0x00000001988db2e4 objc_exception_throw + 88",\n' +
      '    "2   Cart            0x0000000104e9cfb0 -[Cart pay] + 16"\n)\n',
    "x",
  );
  assertEquals(frames.map(({ imageName, symbol, offset }) => [imageName, symbol, offset]), [
    ["CoreFoundation", null, null],
    ["libobjc.A.dylib", "objc_exception_throw", 88],
    ["Cart", "-[Cart pay]", 16],
  ]);
});

Deno.test("React Native: an exception's name that has quotes and its reason", () => {
  const said = "Unhandled JS Exception: TypeError: this.f is not a function. " +
    "(In 'this.f(o)', 'this.f' is undefined)";
  const { what } = told(
    `*** Terminating app due to uncaught exception 'RCTFatalException: ${said}', reason: '${said}, stack:\nn@397:17\n'\n` +
      "*** First throw call stack:\n(\n 0   CoreFoundation 0x00007fff23c7127e __exceptionPreprocess + 350\n)\n",
  );
  assertStringIncludes(what, `RCTFatalException, ${said}.`);
});

Deno.test("a warning before the exception that names the class and the method is quoted, others are not", () => {
  const said = (warning: string): { readonly what: string; readonly causes: string } =>
    told(
      `20:06:39.575| ${warning}\n` +
        "2015-04-22 20:06:39.576 Shop[17:14] -[CartRow anOldPrice]: unrecognized selector sent to instance 0x7f98cae5ff20\n" +
        "2015-04-22 20:06:39.585 Shop[17:14] *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[CartRow anOldPrice]: unrecognized selector sent to instance 0x7f98cae5ff20'\n" +
        "*** First throw call stack:\n(\n\t0   CoreFoundation  0x0000000101627c65 __exceptionPreprocess + 165\n" +
        "\t1   Shop            0x0000000100c6a56a -[ShopController show] + 1114\n)\n",
    );
  const dynamic = said(
    "WARNING: Dynamic property CartRow.anOldPrice has type '@' unsupported by CartRow",
  );
  assert(!dynamic.causes.includes("-ObjC"));
  assertStringIncludes(
    dynamic.what,
    "Before it the log says: WARNING: Dynamic property CartRow.anOldPrice has type '@' unsupported",
  );
  assert(
    !said("WARNING: Dynamic property Cart.anOldPrice is unsupported").what.includes("the log says"),
  );
  assert(!said("CartRow.anOldPrice was read").what.includes("the log says"));
});

const engines: readonly (readonly [
  name: string,
  text: string,
  what: string,
  symbol: string | null,
  signal: string | null,
])[] = [
  [
    "Unreal Engine's walk",
    "LogCore: === Critical error: ===\nUnhandled Exception: SIGSEGV: invalid attempt to access memory at address 0x0000000000000038\n\n" +
    "[Callstack] 0x000000010abcd456 ShopEditor-Cart.dylib!UCart::Add() [/Users/anna/Cart.cpp:33]\n" +
    "[Callstack] 0x000000010abce000 ShopEditor-Engine.dylib!AActor::Tick() []\n",
    "Unreal Engine, whose own handler",
    "UCart::Add()",
    "SIGSEGV",
  ],
  [
    "Unreal Engine's reporter",
    "LoginId:12\nEpicAccountId:\n\nCaught signal\n\n" +
    "UCart::Add() Address = 0x7fff77c69b66 (Cart.cpp:33) [in Shop-Cart.dylib]\n" +
    "FRunnable::Run() Address = 0x1378b82b1 (filename not found) [in Shop-Core.dylib]\n",
    "Unreal Engine, whose own handler",
    "UCart::Add()",
    null,
  ],
  [
    "Godot",
    "handle_crash: Program crashed with signal 11\nEngine version: Godot Engine v4.1\nDumping the backtrace.\n" +
    "[1] invoke_previous_action(sigaction*, int)\n" +
    "[2] 2   libsystem_platform.dylib            0x00000001836a9a24 _sigtramp + 56\n" +
    "[3] Cart::pay() const (in Shop) + 12\n[4] main (in Shop) + 320\n-- END OF BACKTRACE --\n",
    "Godot, or its editor",
    "Cart::pay() const",
    "SIGSEGV",
  ],
  [
    "Dart's virtual machine",
    "===== CRASH =====\nsi_signo=Segmentation fault: 11(11), si_code=1(SEGV_MAPERR), si_addr=0x10\n" +
    'version=2.19.6 (stable) on "macos_arm64"\n' +
    "  pc 0x0000000104b12340 fp 0x000000016b5e2b50 dart::Profiler::DumpStackTrace(void*)+0x64\n" +
    "  pc 0x00000001a2b3c4d4 fp 0x000000016b5e2b90 _sigtramp+0x38\n" +
    "  pc 0x0000000104c45678 fp 0x000000016b5e2c00 cart_add+0x18\n-- End of DumpStackTrace\n",
    "null plus 16",
    null,
    "SIGSEGV",
  ],
  [
    "an error of Dart's that nobody caught",
    "[VERBOSE-2:ui_dart_state.cc(209)] Unhandled Exception: NoSuchMethodError: The method 'pay' was called on null.\n" +
    "#0      Object.noSuchMethod (dart:core-patch/object_patch.dart:53:5)\n" +
    "#1      _CartState.build (package:shop/cart.dart:42:17)\n",
    "NoSuchMethodError: The method 'pay'",
    "_CartState.build",
    null,
  ],
  [
    "an error that Flutter showed",
    "══╡ EXCEPTION CAUGHT BY WIDGETS LIBRARY ╞═══\nThe following StateError was thrown building Cart(dirty):\n" +
    "Bad state: No element\n\nWhen the exception was thrown, this was the stack:\n" +
    "#0      ListMixin.first (dart:collection/list.dart:1:2)\n#1      Cart.total (package:shop/cart.dart:4:5)\n",
    "the program goes on after that, it is no crash by itself",
    "Cart.total",
    null,
  ],
  [
    "ThreadSanitizer",
    "==================\nWARNING: ThreadSanitizer: Swift access race (pid=77)\n" +
    "  Modifying access of Swift variable at 0x7b1000048e10 by thread T5:\n" +
    "    #0 Cart.items.modify <null> (Shop:x86_64+0x100003810)\n\n" +
    "  Previous read of size 8 at 0x7b0400000010 by main thread:\n    #0 Cart.total Cart.swift:11 (Shop:x86_64+0x1)\n",
    "at least one of them to change it",
    "Cart.items.modify",
    null,
  ],
  [
    "Undefined Behavior Sanitizer",
    "Cart.cpp:12:7: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'\n",
    "this is no crash by itself",
    null,
    null,
  ],
  [
    "Unity's handler",
    "Receiving unhandled NULL exception\n#0  0x000000010b1d4a in Cart_Pay_m12\n#1  0x000000010b1d5a in PlayerLoop()\nObtained 2 stack frames.\n",
    "made with Unity",
    null,
    null,
  ],
  [
    "launchd",
    "Jan 12 10:11:12 mac com.apple.xpc.launchd[1] (org.example.shopd[77]): Service exited due to signal: Segmentation fault: 11 sent by exc handler[77]\n",
    "Its line has no stack",
    null,
    "SIGSEGV",
  ],
  [
    "ReportCrash",
    "Jan 12 10:11:12 mac ReportCrash[9]: Saved crash report for Shop[77] version 1 (2) to /Library/Logs/Shop.crash\n",
    "saved a report",
    null,
    null,
  ],
  [
    "Guard Malloc",
    "GuardMalloc[Shop-77]: Allocations will be placed on 16 byte boundaries.\n" +
    "GuardMalloc[Shop-77]: Attempting excessively large memory allocation: 4294967296 bytes\n",
    "Attempting excessively large",
    null,
    null,
  ],
  [
    "Erlang",
    "Kernel pid terminated (application_controller) ({application_start_failure,shop,nofile})\n" +
    "Crash dump is being written to: erl_crash.dump...done\n",
    "no crash of native code",
    null,
    null,
  ],
  [
    "React Native's red screen",
    "[fatal] Unhandled JS Exception: TypeError: undefined is not a function\n",
    "JavaScript was not caught",
    null,
    null,
  ],
  [
    "Xcode could not launch",
    'Could not launch "Shop"\nDomain: IDEDebugSessionErrorDomain\nCode: 3\nFailure Reason: The process did launch, but has since exited.\n',
    "no report of a crash",
    null,
    null,
  ],
  [
    "a list of atos",
    "-[CartView reload] (in Shop) (CartView.m:120)\nmain (in Shop) (main.m:16)\n",
    "does not say what happened",
    "-[CartView reload]",
    null,
  ],
];

for (const [name, text, what, symbol, signal] of engines) {
  Deno.test(`what engines, sanitizers and services print: ${name}`, () => {
    const found = told(text);
    assertStringIncludes(found.what, what);
    assertEquals(found.whose[2], symbol);
    const { exception } = readReport(text, "x");
    assertEquals(exception?.signal ?? exception?.type ?? null, signal);
  });
}

Deno.test("Xcode's stop of a thread alone, behind its queue, in prose; the reason of an exception in quotes", () => {
  assertStringIncludes(
    told("Thread 1: Fatal error: Unexpectedly found nil while unwrapping an Optional value\n").what,
    "was nil where it was unwrapped",
  );
  const quoted = told(
    'Thread 1: "-[Cart pay]: unrecognized selector sent to instance 0x7f8b1b406710"\n',
  );
  assertStringIncludes(quoted.what, "exception was not caught: -[Cart pay]: unrecognized");
  assertEquals(readReport("Thread 1: signal SIGABRT\n", "x").exception?.signal, "SIGABRT");
  const queued = told(
    "Thread 3 Queue : com.example.cart (concurrent): EXC_BAD_ACCESS (code=1, address=0x10)\n",
  );
  assertEquals(queued.threads, [[3, "com.example.cart", true]]);
  assertStringIncludes(queued.what, "null plus 16");
  const prose = told(
    "It stops with Thread 1: EXC_BAD_ACCESS (code=1, address=0x18) when I pay.\n",
  );
  assertStringIncludes(prose.what, "null plus 24");
  assertEquals(prose.threads, [[1, null, true]]);
});

Deno.test("gdb and sanitizers: a frame with a line of its own is not the system's, and names no program", () => {
  const report = readReport(
    "Program received signal SIGABRT, Aborted.\n(gdb) bt\n" +
      "#0  0x00007fff6d1f933a in ?? () from /usr/lib/system/libsystem_kernel.dylib\n" +
      "#1  0x00007fff6d180808 in abort () from /usr/lib/system/libsystem_c.dylib\n" +
      "#2  0x0000000100003fa0 in cart_add (c=0x0) at cart.c:8\n" +
      "#3  0x0000000100003fb0 in main (argc=1) at main.c:3\n",
    "x",
  );
  const { deciding, verdict } = attributeReport(report);
  assertEquals([verdict, deciding?.frame.symbol], ["program", "cart_add"]);
  assertEquals(explainReport(report).headline, "SIGABRT");
});

Deno.test("Swift's own backtrace with columns of marks", () => {
  const { whose } = told(
    "💣 Program crashed: Bad pointer dereference at 0x0000000000000010\n\nThread 0 crashed:\n\n" +
      " 0                  0x0000000104c0a1b8 Cart.add(_:) + 12 in shop at /src/Cart.swift:12:7\n\n" +
      "    12│         p.pointee = 42\n\n" +
      " 1 [ra] [thunk]     0x0000000104c0a2c8 static Shop.main() + 23 in shop at /src/main.swift:20:3\n",
  );
  assertEquals(whose, ["program", null, "Cart.add(_:)"]);
});

Deno.test("Mono's text of a signal: behind Apple's frames, and with the managed stack alone", () => {
  const old = readReport(
    "Native stacktrace:\n\n\t0   Shop                            0x0000000104b2d5a0 mono_handle_native_crash + 242\n" +
      "\t1   libsystem_platform.dylib        0x00007fff523d9f5a _sigtramp + 26\n\n" +
      "Got a SIGABRT while executing native code. This usually indicates\n",
    "x",
  );
  assertEquals(old.exception?.signal, "SIGABRT");
  const managed = readReport(
    "Got a segv while executing native code. This usually indicates\n\n\tManaged Stacktrace:\n" +
      "\t  at <unknown> <0xffffffff>\n\t  at Shop.Cart:Pay <0x001fb>\n",
    "x",
  );
  assertEquals(managed.exception?.signal, "SIGSEGV");
  assertStringIncludes(
    explainReport(managed).happened.join("\n"),
    "The managed methods on the thread, innermost last: Shop.Cart:Pay.",
  );
});

/** What Mono prints of a signal in native code, with a prefix before each line. */
function monoText(
  { prefix = "", before = [], methods, native, signal = "SIGSEGV" }: {
    prefix?: string;
    before?: readonly string[];
    methods: readonly string[];
    native: readonly string[];
    signal?: string;
  },
): string {
  return [
    ...before,
    "critical: Stacktrace:",
    ...methods.map((method) => `critical:   at ${method}`),
    "critical: Native stacktrace:",
    ...frameLines(native, 0x1000).map((line) => `critical: \t${line}`),
  ].map((line) => prefix + (prefix === "" ? line.replace("critical: ", "") : line)).join("\n") +
    "\n=================================================================\n" +
    `Got a ${signal} while executing native code. This usually indicates\n` +
    "a fatal error in the mono runtime or one of the native libraries \nused by your application.\n";
}

const monoHandler = [
  "Shop mono_handle_native_sigsegv + 284",
  "Shop mono_sigsegv_signal_handler + 248",
  "libsystem_c.dylib _sigtramp + 43",
  "??? 0x0 + 4294967295",
];

Deno.test("Mono: the managed methods beside the native stack, from a terminal and a log", () => {
  const methods = [
    "(wrapper managed-to-native) MonoTouch.CoreGraphics.CGPath.CGPathGetBoundingBox (intptr) <IL 0x00025, 0xffffffff>",
    "MonoTouch.CoreGraphics.CGPath.get_BoundingBox () [0x00000] in /Developer/MonoTouch/Source/CGPath.cs:437",
    "Shop.Shelf.TouchesBegan (MonoTouch.Foundation.NSSet,MonoTouch.UIKit.UIEvent) [0x0000c] in /src/Shelf.cs:62",
    "(wrapper runtime-invoke) <Module>.runtime_invoke_void__this___object (object,intptr,intptr,intptr) <IL 0x0005a, 0xffffffff>",
    "Shop.Application.Main (string[]) [0x00000] in /src/Main.cs:17",
  ];
  const native = [
    ...monoHandler,
    "CoreGraphics CGPathGetBoundingBox + 88",
    "??? 0x0 + 288757199",
    "Shop mono_jit_runtime_invoke + 722",
  ];
  const prefix = "2015-01-27 15:28:57.355 Shop[11:50] ";
  for (const text of [monoText({ methods, native }), monoText({ prefix, methods, native })]) {
    const { what, whose } = told(text);
    assertStringIncludes(
      what,
      "innermost last: Shop.Shelf.TouchesBegan (Shelf.cs:62) → " +
        "MonoTouch.CoreGraphics.CGPath.get_BoundingBox (CGPath.cs:437) → MonoTouch.CoreGraphics.CGPath.CGPathGetBoundingBox",
    );
    assertEquals(whose.slice(0, 2), ["unknown", "managed beside"]);
  }
  const bare = readReport(monoText({ prefix, methods, native: [] }), "x");
  assertEquals(attributeReport(bare).library, "Shop.Shelf.TouchesBegan, Shelf.cs:62");
  // Where the main loop alone is managed, nothing is told of it; the signal is known by its handler.
  const loop = monoText({ methods: methods.slice(4), native }).replace(/=====[^]*$/, "");
  assert(!told(loop).what.includes("managed methods"), told(loop).what);
  assertEquals(readReport(loop, "x").exception?.signal, "SIGSEGV");
  // The methods of an exception that nobody caught stand before.
  const thrown =
    "Unhandled managed exception: no bread (System.Exception)\n  at Shop.Oven.Bake () " +
    "[0x00010] in /src/Oven.cs:42\n" + monoText({ methods: [], native });
  assert(!told(thrown).what.includes("managed methods"), told(thrown).what);
});

Deno.test("a device's console: the program's own words before launchd's, levels of their own, a stack that is printed twice", () => {
  const line = (level: string, words: string): string =>
    `Oct  8 13:42:02 phone Shop[66] <${level}>: ${words}`;
  const ended =
    "Oct  8 13:42:03 phone com.apple.launchd[1] <Warning>: (UIKitApplication:org.shop[0x13]) Job appears to have crashed: Abort trap: 6";
  const calls = [
    "  at OvenKit.Tray.set_Time (Double value) [0x00000] in <filename unknown>:0",
    "  at Shop.Cart.Pay () [0x00010] in /src/Cart.cs:42",
  ].map((call) => line("Notice", call));
  const thrown = told([
    line("Notice", "Unhandled Exception: System.ArgumentOutOfRangeException: no bread"),
    ...calls,
    line(
      "Notice",
      "[ERROR] FATAL UNHANDLED EXCEPTION: System.ArgumentOutOfRangeException: no bread",
    ),
    ...calls,
    ended,
  ].join("\n"));
  assertStringIncludes(thrown.what, "System.ArgumentOutOfRangeException: no bread");
  assertEquals(
    readReport(
      [
        line("Notice", "Unhandled Exception: System.Exception: no bread"),
        ...calls,
        line("Notice", "[ERROR] FATAL UNHANDLED EXCEPTION: System.Exception: no bread"),
        ...calls,
      ].join("\n"),
      "x",
    ).threads[0].frames.length,
    2,
  );
  // The native stack comes after long lines, each line with a level.
  const long = `  at Shop.Cart.Pay (${"System.Int32,".repeat(60)}int) [0x00010] in /src/Cart.cs:42`;
  const levels = ["Error", "Warning", "Critical", "Notice"];
  const deep = readReport(
    [
      line("Error", "Stacktrace:"),
      ...Array.from({ length: 24 }, (_, at) => line(levels[at % 4], long)),
      line("Critical", "Native stacktrace:"),
      ...frameLines([...monoHandler, "Shop Shop_Cart_Pay_int + 8"], 0x1000).map((frame, at) =>
        line(levels[at % 4], frame)
      ),
      ended,
    ].join("\n"),
    "x",
  );
  assertEquals(deep.crashedThread?.frames.length ?? deep.threads[0].frames.length, 5);
  assertEquals(deep.exception?.signal, "SIGSEGV");
  // What follows is a stack, and no message.
  const stack = frameLines([...monoHandler, "Shop bake + 8"], 0x1000).join("\n");
  assert(!told(`Unhandled Exception:\n${stack}\n`).what.includes("0   Shop"));
});

Deno.test("a text without a header has no version of its own; an object that the old run-time knew to be freed", () => {
  const stack = frameLines([...monoHandler, "Shop bake + 8"], 0x1000).join("\n");
  const text =
    `Native stacktrace:\n\n${stack}\nGot a SIGSEGV while executing native code. This usually\n\n`;
  const headline = (header: string): string =>
    explainReport(readReport(`${text}${header}`, "x")).headline;
  assert(!headline("Version: 3.3.0.0\nHash: 1f068b4\n").includes("3.3"));
  assertStringIncludes(
    told(
      "Exception Type:  EXC_BAD_INSTRUCTION (SIGILL)\nCrashed Thread:  0\n\nApplication Specific Information:\n" +
        "objc[17661]: FREED(id): message bake sent to freed object=0x5167df0\n",
    ).what,
    "A message was sent to an object that was already deallocated.",
  );
});

Deno.test("Mono: an unhandled exception in the console of a device, behind long prefixes", () => {
  const prefix =
    "Sep 21 08:32:41 unknown UIKitApplication:net.example.bakeries.of.the.north.ShopForBreadAndForCakes[0x6285][21605] <Notice>: ";
  const call = "  at Shop.Cart.Pay (System.String sum) [0x00000] in /src/Cart.cs:42";
  const text = [
    "[ERROR] FATAL UNHANDLED EXCEPTION: System.NotImplementedException: no bread",
    call,
    call.replace("Pay", "Add"),
    "  at Shop.Program.Main () [0x00000] in /src/Main.cs:4",
    "Terminating runtime due to unhandled exception",
  ].map((line) => prefix + line).join("\n") +
    "\nSep 21 08:32:42 unknown SpringBoard[15] <Warning>: Application 'Shop' exited abnormally with signal 6: Abort trap: 6\n";
  const { what, whose } = told(text);
  assertStringIncludes(what, "A .NET exception was not handled. It says: [ERROR] FATAL UNHANDLED");
  assertEquals(whose[2], "Shop.Cart.Pay (System.String sum)");
});

Deno.test("Mono: what was logged before a signal", () => {
  const native = [...monoHandler, "Shop 0x1000 + 5064"];
  const prefix = "Feb  7 16:23:11 ada Shop[8] <Notice>: ";
  const said = (line: string, signal: string): string =>
    told(monoText({ prefix, before: [line], methods: [], native, signal })).what;
  const loading = said(
    "error: Failed to load AOT module 'Bakery' while running in aot-only mode because a dependency cannot be found.",
    "SIGABRT",
  );
  assertStringIncludes(loading, "compiled ahead of time (AOT). It says: Failed to load AOT module");
  assertStringIncludes(
    said("-[Oven bake:]: unrecognized selector sent to instance 0x1fdea530", "SIGSEGV"),
    "-[Oven bake:]: unrecognized selector",
  );
  // What a program logged before a bad access need not have to do with it.
  assert(!said("The oven is warm", "SIGSEGV").includes("warm"));
});

Deno.test("Xamarin: the versions of its tools are not the program's, a log's year is no thread", () => {
  const text = "Native stacktrace:\n\n2015-03-25 16:32:53.366 Shop[30:60b] critical: \n" +
    frameLines([...monoHandler, "Shop bake + 8"], 0x1000).join(
      "\n2015-03-25 16:32:53.366 Shop[30:60b] critical: \n",
    ) +
    "\nGot a SIGSEGV while executing native code. This usually indicates\n\n" +
    "=== Xamarin.iOS ===\n\nVersion: 9.1.0.27 (Business Edition)\nHash: 1f068b4\n\nVersion: Unknown version\n";
  const report = readReport(text, "x");
  assertEquals(report.process.version, null);
  assertEquals(report.threads.map(({ index }) => index), [0]);
});

Deno.test("Crashlytics: threads whose titles are nothing but names, in another language, after an exception", () => {
  const fatal = told(
    "# Crashlytics - Stack trace\n# Platform: apple\n\nFatal Exception: NSRangeException\n" +
      "0  CoreFoundation                 0x9cb4 __exceptionPreprocess\n" +
      "1  libobjc.A.dylib                0x183d0 objc_exception_throw\n" +
      "2  Shop                           0x5a4c8 -[Cart pay] + 88 (Cart.m:88)\n\ncom.apple.main-thread\n" +
      "0  libsystem_kernel.dylib         0xb48 mach_msg_trap + 8\n" +
      "1  CoreFoundation                 0x7ae00 __CFRunLoopServiceMachPort + 160\n" +
      "2  CoreFoundation                 0x7ae10 __CFRunLoopRun + 160\n",
  );
  assertEquals(fatal.threads, [[0, "com.apple.main-thread", false]]);
  assertEquals(fatal.whose, ["program", null, "-[Cart pay]"]);
  const other = told(
    "EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x000000000000003b\n\ncom.apple.main-thread\n" +
      "0  libsystem_kernel.dylib         0xb48 mach_msg_trap + 8\n\nPlantage : org.example.queue\n" +
      "0  libobjc.A.dylib                0x3558 objc_retain + 16\n1  Shop    0x127ac -[Cart pay] + 38\n",
  );
  assertEquals(other.threads, [
    [0, "com.apple.main-thread", false],
    [1, "org.example.queue", true],
  ]);
});

Deno.test("Bugly: the signal in parentheses, C's names as symbol tables have them, frames without places", () => {
  const text = "SIGSEGV(SEGV_ACCERR)\n\nThread 0 Crashed\n" +
    "0 libobjc.A.dylib 0x000000018253ef68 _objc_msgSend + 8\n" +
    "1 Shop 0x0000000100d3a2a0 -[CartView reload] + 100\n" +
    "2 UIKit 0x0000000188bd7d30 _-[UIViewController loadViewIfRequired] + 928\n";
  const report = readReport(text, "x");
  assertEquals(report.exception?.signal, "SIGSEGV");
  assertEquals(report.threads[0].frames.map(({ symbol }) => symbol), [
    "objc_msgSend",
    "-[CartView reload]",
    "-[UIViewController loadViewIfRequired]",
  ]);
  assertEquals(
    told(
      "#Thread 0\n0 libobjc.A.dylib objc_msgSend + 32\n1 CoreFoundation -[NSArray containsObject:] + 100\n" +
        "2 Shop -[CartView reload] (CartView.m:120)\n",
    ).whose,
    ["program", null, "-[CartView reload]"],
  );
});

Deno.test("Umeng: the reason before the stack", () => {
  assertStringIncludes(
    told(
      "*** -[__NSArrayM objectAtIndex:]: index 3 beyond bounds [0 .. 1]\n(null)\n(\n" +
        "\t0   CoreFoundation   0x0000000185e6ad50 <redacted> + 148\n" +
        "\t1   libobjc.A.dylib  0x000000018537a528 objc_exception_throw + 56\n" +
        "\t2   Shop             0x000000010004a1c0 Shop + 172480\n)\n",
    ).what,
    "index 3 beyond bounds",
  );
});

Deno.test("React Native: an exception of a native module, which its red screen names", () => {
  const { what } = told(
    "Exception '-[__NSCFNumber length]: unrecognized selector sent to instance 0x1' was thrown while invoking pay on target Cart with params (\n    1\n)\n" +
      "callstack: (\n\t0   CoreFoundation   0x00007fff23e3cf0e __exceptionPreprocess + 350\n" +
      "\t1   libobjc.A.dylib  0x00007fff50ba89b2 objc_exception_throw + 48\n" +
      "\t2   Shop             0x000000010e0a1b8c -[CartModule pay:] + 124\n)\n",
  );
  assertStringIncludes(what, "exception was not caught: -[__NSCFNumber length]");
  assertStringIncludes(what, "called pay of the native module Cart");
});

const thrown =
  "*** First throw call stack:\n(\n\t0   CoreFoundation  0x0000000101627c65 __exceptionPreprocess + 165\n" +
  "\t1   libobjc.A.dylib  0x0000000101327c65 objc_exception_throw + 45\n" +
  "\t2   cart_icons      0x0000000100c6a56a -[CartIcons load] + 1114\n)\n";
const uncaught = (reason: string): string =>
  `2020-03-01 10:00:01.200 Shop[12:34] *** Terminating app due to uncaught exception 'CartException', reason: '${reason}'\n`;

Deno.test("lines of a log that name what the reason or the stack names are quoted, others and prose are not", () => {
  const before = (log: string, reason = 'no image named "cart_icon_small"') =>
    /Before it the log says: (.*)/.exec(told(`${log}\n${uncaught(reason)}${thrown}`).what)?.[1];
  assertEquals(
    before(
      "2020-03-01 10:00:01.100 Shop[12:34] flutter: *** WARNING ***\n" +
        "2020-03-01 10:00:01.101 Shop[12:34] flutter: The icon 'cart_icon_small' is not in the bundle",
    ),
    "flutter: *** WARNING *** The icon 'cart_icon_small' is not in the bundle",
  );
  assertEquals(before("[cart-icons] Error: no connection"), "[cart-icons] Error: no connection");
  assertEquals(before("[Other] Error: no connection"), undefined);
  assertEquals(before("Launching it I see an error of cart_icon_small in CartIcons."), undefined);
  assertEquals(before("CoreData: error: no such entity", "no entity"), undefined);
  assertEquals(
    before(
      "CoreData: error: CartRow has no priceTag",
      'the entity CartRow is not key value coding-compliant for the key "priceTag".',
    ),
    "CoreData: error: CartRow has no priceTag",
  );
  // Beside a stack alone only what a library of it says.
  const stopped = told(
    "[cart-icons] Error: no connection\n* thread #1, stop reason = EXC_BAD_ACCESS (code=1, address=0x8)\n" +
      "  * frame #0: 0x0000000100c6a56a cart_icons`-[CartIcons load] + 8\n" +
      "    frame #1: 0x0000000100c6b56a Shop`main + 8\n",
  ).what;
  assertStringIncludes(stopped, "Before it the log says: [cart-icons] Error: no connection");
});

Deno.test("a reason of several lines ends with its quote, a blank line or the stack", () => {
  const list =
    "Invalid update of <CartView 0x7f8; frame = (0 0)>,\n{\n    paths = (\n        a,\n        b\n    );\n}";
  const joined = "Invalid update of <CartView 0x7f8; frame = (0 0)>, { paths = ( a, b ); }.";
  assertStringIncludes(told(uncaught(list) + thrown).what, joined);
  assertStringIncludes(told(uncaught(list).replace("}'", "}") + thrown).what, joined);
  const blank = told(
    uncaught("row 3\nof 2").replace("2'", "2") + "\nI see this each time.\n" + thrown,
  );
  assertStringIncludes(blank.what, "row 3 of 2.");
  assert(!blank.what.includes("each time"));
  const section = told(
    "Process: Shop [7]\nException Type: EXC_CRASH (SIGABRT)\n\nApplication Specific Information:\n" +
      uncaught(list).slice(uncaught("").indexOf("***")) +
      "terminating with uncaught exception of type NSException\nabort() called\n\nThread 0 Crashed:\n" +
      "0   Shop   0x0000000100c6a56a main + 8\n",
  ).what;
  assertStringIncludes(section, joined);
  assert(!section.includes("It says:"), section);
});

Deno.test("what a program's own handler writes of an exception: its reason, and strings of a list as frames", () => {
  const list = '(\n    "0   CoreFoundation   0x0000000101627c65 __exceptionPreprocess + 165",\n' +
    '    "1   libobjc.A.dylib   0x0000000101327c65 objc_exception_throw + 45",\n' +
    '    "2   Shop   0x0000000100c6a56a 2F9B1C60-1111-2222-3333-444455556666 + 6844",\n' +
    '    "3   Shop   0x0000000100c6b56a -[Cart sum] + 1114"\n)\n';
  const log = (text: string) => `2014-03-01 10:00:01.200 Shop[12:707] ${text}\n`;
  const reason = "-[CartRow price]: unrecognized selector sent to instance 0x7f8";
  const logged = told(log(`CRASH: ${reason}`) + log(`Stack Trace: ${list}`));
  assertStringIncludes(logged.what, `An Objective-C exception was not caught: ${reason}.`);
  // The year is no thread's number.
  assertEquals(logged.threads[0][0], 0);
  assertEquals(logged.whose[0], "program");
  assertStringIncludes(
    told(
      `exception type : NSRangeException\n crash reason : index 3 beyond bounds [0 .. 2]\n call stack info : ${list}`,
    )
      .what,
    "NSRangeException, index 3 beyond bounds [0 .. 2].",
  );
  // Without a stack behind it, it is a line of a log.
  assert(
    !told(log(`Exception: ${reason}`) + log("Done") + thrown).what.includes("caught: -[CartRow"),
  );
});

Deno.test("launchd's lines of several systems, and ReportCrash beside another process's", () => {
  const read = (line: string) => {
    const { process, exception } = readReport(`${line}\n`, "x");
    return [process.name, process.pid, exception?.signal ?? null];
  };
  assertEquals(
    read(
      "Oct  8 13:42:02 unknown com.apple.launchd[1] <Warning>: (UIKitApplication:org.example.shop[0x1311]) Job appears to have crashed: Abort trap: 6",
    ),
    ["org.example.shop", null, "SIGABRT"],
  );
  assertEquals(
    read(
      "May 16 09:33:39 mac com.apple.launchd.peruser.501[142] (UIKitApplication:org.example.shop[0x68de][77]): Job appears to have crashed: Segmentation fault: 11",
    ),
    ["org.example.shop", 77, "SIGSEGV"],
  );
  assertEquals(
    read(
      "Jan 27 15:15:35 mac com.apple.CoreSimulator.SimDevice.3912.launchd_sim[6823] (UIKitApplication:org.example.shop[0xd21][77]): Service exited due to signal: Killed: 9",
    ),
    ["org.example.shop", 77, "SIGKILL"],
  );
  assertEquals(
    read(
      "Jul  7 17:34:54 mac ReportCrash[9]: Saved crash report for Shop[77] version 0 to /tmp/Shop.crash\n" +
        "Jul  7 17:34:55 mac other[8]: helper exited due to SIGKILL",
    ),
    ["Shop", 77, null],
  );
});

Deno.test("LLDB: marks of optimized and inlined code, a frame in no image, other reasons to pause", () => {
  const { threads } = readReport(
    "* thread #1, queue = 'com.apple.main-thread', stop reason = signal SIGSEGV: invalid address (fault address: 0x60)\n" +
      "  * frame #0: 0x0000000100003f20\n" +
      "    frame #1: 0x0000000100003f30 Shop`pay [inlined] sum(a=1) at Cart.c:4 [opt]\n" +
      "    frame #2: 0x0000000100003f30 Shop`pay(cart=0x0) at Cart.c:12 [opt]\n",
    "x",
  );
  assertEquals(threads[0].crashed, true);
  assertEquals(threads[0].frames.map(({ symbol, inlined, line }) => [symbol, inlined, line]), [
    [null, false, null],
    ["sum", true, 4],
    ["pay", false, 12],
  ]);
  assertStringIncludes(
    told(
      "* thread #1, queue = 'com.apple.main-thread', stop reason = instruction step into\n" +
        "    frame #0: 0x00000001000e11e4 Shop`Cart::pay() + 20\n",
    ).what,
    "nothing crashed",
  );
});

Deno.test("a fatal error that is not Swift's is not called that; Android's exception is Java's", () => {
  for (
    const line of [
      "C:\\Temp\\a.s: Fatal error: can't write a.obj: File too big",
      'Fatal error: exception Failure("cart")',
      "Shop.natvis(7,11): Fatal error: DTD is prohibited.",
    ]
  ) assertThrows(() => readReport(`${line}\n`, "x"));
  assertStringIncludes(
    told("Shop/Cart.swift:12: Fatal error: no cart\n").what,
    "Swift check failed",
  );
  const { what } = told(
    "Fatal Exception: java.lang.IllegalStateException: no cart\n       at org.example.Cart.pay(Cart.java:3)\n",
  );
  assertStringIncludes(what, "A Java exception");
});

Deno.test("Xamarin: an Objective-C exception with the managed stack alone", () => {
  const { what, whose } = told(
    "MonoTouch.Foundation.MonoTouchException: Objective-C exception thrown.  Name: NSGenericException Reason: no cart\n" +
      "  at at (wrapper managed-to-native) MonoTouch.Foundation.NSObject:release (intptr)\n" +
      "  at MonoTouch.Foundation.NSObject.Release () [0x00000] in /Developer/NSObject.cs:98\n" +
      "  at Shop.Cart.Pay (System.Int32 sum) [0x00007] in /src/Cart.cs:115\n",
  );
  assertStringIncludes(what, "NSGenericException, no cart");
  assertEquals(whose, ["program", null, "Shop.Cart.Pay (System.Int32 sum)"]);
});

Deno.test("a stack in the JSON of a service or a log, with what stands beside it", () => {
  const stack = "0   CoreFoundation   0x0000000186b2c2ec __exceptionPreprocess + 164\n" +
    "1   libobjc.A.dylib  0x0000000186613158 objc_exception_throw + 60\n" +
    "2   Shop             0x0000000102c4a1d4 -[Cart pay] + 20";
  const raised = told(JSON.stringify({
    details: {
      error: { className: "NSRangeException", message: "beyond", stackTrace: stack.split("\n") },
    },
  }));
  assertStringIncludes(raised.what, "NSRangeException, beyond");
  assertEquals(raised.whose, ["program", null, "-[Cart pay]"]);
  const signal = readReport(
    JSON.stringify({ error: { type: "SIGSEGV (Segmentation fault)", message: "m", stack } }),
    "x",
  );
  assertEquals(signal.exception?.type ?? signal.exception?.signal, "SIGSEGV");
  assertEquals(signal.crashedThread?.frames.length, 3);
});

Deno.test("an exception's name and reason in the line before its stack", () => {
  assertStringIncludes(
    told(
      "NSInvalidArgumentException: no cart\n\n" +
        "0   CoreFoundation   0x0000000186b2c2ec __exceptionPreprocess + 164\n" +
        "1   libobjc.A.dylib  0x0000000186613158 objc_exception_throw + 60\n" +
        "2   Shop             0x0000000102c4a1d4 -[Cart pay] + 20\n",
    ).what,
    "NSInvalidArgumentException, no cart",
  );
});

Deno.test("a verbose log of Flutter's tools: the time before each line", () => {
  const { threads, whose } = told(
    "[+1029 ms] Process 77 stopped\n" +
      "[        ] * thread #20, name = 'io.flutter.1.ui', stop reason = EXC_BAD_ACCESS (code=1, address=0x0)\n" +
      "[        ]     frame #0: 0x0000000108a1c3f4 Shop`-[Cart pay] + 40\n" +
      "[  +12 ms] Lost connection to device.\n",
  );
  assertEquals(threads, [[20, "io.flutter.1.ui", true]]);
  assertEquals(whose[2], "-[Cart pay]");
});

Deno.test("Xcode's stops in other spellings of prose, and a breakpoint's title", () => {
  const type = (text: string) => readReport(`${text}\n`, "x").exception?.type;
  assertEquals(
    type("I'm having thread 1 exc_bad_access (code=1 address=0x0) here"),
    "EXC_BAD_ACCESS",
  );
  assertEquals(
    type('it gives "Thread 1 : program recieved signal : EXC_BAD_ACCESS"'),
    "EXC_BAD_ACCESS",
  );
  assertEquals(
    type("（错误）ERROR：Thread 1: EXC_BAD_ACCESS (code=1, address=0x0)"),
    "EXC_BAD_ACCESS",
  );
  assertStringIncludes(told("Thread 1: breakpoint 1.1\n").what, "nothing crashed");
});

Deno.test("what only warns: the Main Thread Checker, SwiftUI; old Swift, .NET and LLVM messages", () => {
  const checked = told(
    "Main Thread Checker: UI API called on a background thread: -[UIView bounds]\nPID: 77\nBacktrace:\n" +
      "4   Shop                 0x0000000104c0a1b8 -[Cart pay] + 44\n" +
      "5   libdispatch.dylib    0x00000001a1b2c3d4 _dispatch_call_block_and_release + 32\n",
  );
  assertStringIncludes(checked.what, "this is no crash by itself");
  assertEquals(checked.whose, ["program", null, "-[Cart pay]"]);
  for (
    const [text, what] of [
      [
        "[SwiftUI] Modifying state during view update, this will cause undefined behavior.",
        "no crash",
      ],
      ["Publishing changes from background threads is not allowed; make sure to", "no crash"],
      [
        "fatal error: unexpectedly found nil while unwrapping an Optional value",
        "optional was nil",
      ],
      [
        "Fatal Exception System.NotSupportedException\nno calendar",
        ".NET exception was not caught",
      ],
      ["ERROR  TypeError: undefined is not an object", "error of JavaScript"],
      [
        "Stack dump:\n0.  Running pass 'Verifier' on module 'cart'.\n1.  Running pass 'Cart' on function '@pay'",
        "Running pass 'Cart'",
      ],
    ]
  ) assertStringIncludes(told(`${text}\n`).what, what);
});

Deno.test("Crashlytics: a page's frames without offsets; the reason before the title", () => {
  const paged = told(
    "Fatal Exception: NSInvalidArgumentException\nno cart\n0\nCoreFoundation\n__exceptionPreprocess\n" +
      "1\nlibobjc.A.dylib\nobjc_exception_throw\n2\nShop\nCart.pay(sum:)\n3\nUIKitCore\nUIApplicationMain\n",
  );
  assertStringIncludes(paged.what, "NSInvalidArgumentException, no cart");
  assertEquals(paged.whose, ["program", null, "Cart.pay(sum:)"]);
  assertStringIncludes(
    told(
      "*** -[__NSArrayM insertObject:atIndex:]: object cannot be nil\n-[Cart pay]\n\n" +
        "Fatal Exception: NSInvalidArgumentException\n0  CoreFoundation   0x1924dafd8 __exceptionPreprocess\n" +
        "1  libobjc.A.dylib  0x190f3c538 objc_exception_throw\n2  Shop             0x1002af368 -[Cart pay] + 139\n",
    ).what,
    "NSInvalidArgumentException, -[__NSArrayM insertObject:atIndex:]: object cannot be nil",
  );
});

Deno.test("React Native: an exception of a block of the user interface", () => {
  assertStringIncludes(
    told("Exception thrown while executing UI block: -[CartView setSum:]: unrecognized selector\n")
      .what,
    "was not caught: -[CartView setSum:]",
  );
});

Deno.test("what does not tell what happened is named", () => {
  for (
    const [text, words] of [
      ["General Purpose Registers:\n        x0 = 0x0000000000000000\n", "the registers"],
      [
        "      Address: Shop[0x0000000100003f50] (Shop.__TEXT + 80)\n      Summary: Shop`pay + 16\n",
        "at an address",
      ],
      ["    #00 abs 0000000104b12340 virt 0000000000001340 _kDart+0x1340\n", "flutter symbolize"],
    ]
  ) assertThrows(() => readReport(text, "x"), Error, words);
});

Deno.test("Python: its own error, and the native module that was being loaded", () => {
  const { what } = told(
    "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00000001dff05e00 (most recent call first):\n" +
      '  File "<frozen importlib._bootstrap>", line 241 in _call_with_frames_removed\n' +
      '  File "<frozen importlib._bootstrap_external>", line 1233 in create_module\n' +
      '  File "/usr/local/lib/python3.11/site-packages/cart/__init__.py", line 6 in <module>\n',
  );
  assertStringIncludes(what, "while Python loaded a native extension module");
  const failed = told(
    "Fatal Python error: initsite: Failed to import the site module\n" +
      "ModuleNotFoundError: No module named 'encodings'\n",
  );
  assertStringIncludes(failed.what, "No module named 'encodings'");
});

Deno.test("a collection where a number or a string was expected; the application as a nib's owner", () => {
  const thrown = (name: string, reason: string) =>
    told(`*** Terminating app due to uncaught exception '${name}', reason: '${reason}'\n`);
  const value = thrown(
    "NSInvalidArgumentException",
    "-[__NSDictionaryM intValue]: unrecognized selector sent to instance 0x600001feea00",
  );
  assertStringIncludes(value.what, "A dictionary stood where a number or a string was expected.");
  const owner = thrown(
    "NSUnknownKeyException",
    "[<UIApplication 0x15672c90> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key view.",
  );
  assertStringIncludes(owner.causes, "NSMainNibFile");
  const other = thrown(
    "NSUnknownKeyException",
    "[<Cart 0x15672c90> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key view.",
  );
  assert(!other.causes.includes("NSMainNibFile"));
});

Deno.test("a warning below its title, that names a library of the stack", () => {
  const text = (library: string) =>
    "flutter: *** WARNING ***\n\nInvalid argument [{id: 0}] with type List<Map>.\n" +
    `Only num and String are supported, says ${library}.\n\n` +
    "2023-04-28 20:06:35.017 Till[9755:17143161] *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[__NSDictionaryM intValue]: unrecognized selector sent to instance 0x600001feea00'\n" +
    "*** First throw call stack:\n(\n" +
    "0   CoreFoundation    0x00007ff8067181ba __exceptionPreprocess + 242\n" +
    "1   libobjc.A.dylib   0x00007ff80623e42b objc_exception_throw + 48\n" +
    "2   CoreFoundation    0x00007ff8067b401f ___forwarding___ + 1392\n" +
    "3   cartlite          0x0000000105de053c +[CartlitePlugin toValue:] + 444\n)\n";
  assertStringIncludes(told(text("cartlite")).what, "Only num and String are supported");
  assert(!told(text("sqlite")).what.includes("Only num"));
  assertEquals(readReport(text("cartlite"), "x").process.name, "Till");
});

Deno.test("what was printed is no report that lacks an exception; a heading is no thread", () => {
  const panicked = "thread 'main' panicked at src/main.rs:3:5:\nno cart\n";
  assertEquals(explainReport(readReport(panicked, "x")).headline, "what was printed");
  const { threads } = told(
    "Objective-C exception thrown.  Name: NSRangeException Reason: index 3 beyond bounds\n" +
      "Native stack trace:\n" +
      "\t0   CoreFoundation   0x00000001f5b97198 __exceptionPreprocess + 252\n" +
      "\t1   libobjc.A.dylib  0x00000001f4d6f9f8 objc_exception_throw + 56\n" +
      "\t2   Till             0x0000000100bf21d4 pay + 20\n",
  );
  assertEquals(threads, [[0, null, true]]);
});

for (
  const [name, text, signal, words] of [
    [
      "zsh",
      "% ./till\nzsh: segmentation fault  ./till\n",
      "SIGSEGV",
      "The shell tells that a signal",
    ],
    [
      "zsh, a job",
      "[1]    4711 trace trap  ./till --open\n",
      "SIGTRAP",
      "a signal ended a program",
    ],
    [
      "bash",
      "./run.sh: line 3:  4711 Abort trap: 6           ./till\n",
      "SIGABRT",
      "a signal ended",
    ],
    ["make", "make: *** [test] Killed: 9\n", "SIGKILL", "SIGKILL ended a program"],
    ["Darwin's words alone", "Bus error: 10\n", "SIGBUS", "a signal ended a program"],
  ] as const
) {
  Deno.test(`what shells say of a program that a signal ended: ${name}`, () => {
    const report = readReport(text, "x");
    assertEquals(report.exception?.signal, signal);
    assertStringIncludes(explainReport(report).happened.join(), words);
  });
}

Deno.test("what a program says before the shell tells of its end is told", () => {
  const { what } = told(
    "till(4711,0x1f3b5c100) malloc: Incorrect checksum for freed object 0x14b60a0f0: probably modified after being freed.\n" +
      "Corrupt value: 0x0\nzsh: abort      ./till\n",
  );
  assertStringIncludes(what, "A freed block was changed");
  assert(!what.includes("The shell"));
});

Deno.test("RunningBoard's line in the system's log; XCTest's notices; a continuation that was given up", () => {
  const report = readReport(
    "2024-03-02 11:12:13.123456+0100 runningboardd: [app<com.example.till>:4711] Terminating with context: " +
      "<RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-update watchdog transgression: " +
      "app<com.example.till>:4711 exhausted real (wall clock) time allowance of 10.00 seconds>\nmore > less\n",
    "x",
  );
  assertEquals(
    [report.termination?.namespace, report.termination?.code, report.process.pid],
    ["FRONTBOARD", 0x8badf00dn, 4711],
  );
  assertStringIncludes(report.termination!.reasons.join(), "allowance of 10.00 seconds>");
  const tests = told(
    "\tTill (4711) encountered an error (Early unexpected exit, operation never finished bootstrapping - no restart will be attempted. (Underlying Error: Test crashed with signal kill before establishing connection.))\n",
  );
  assertStringIncludes(tests.what, "ended early");
  const given = told(
    "SWIFT TASK CONTINUATION MISUSE: load() leaked its continuation without resuming it. This may cause tasks waiting on it to remain suspended forever.\n",
  );
  assertStringIncludes(given.what, "That is a warning, which ends nothing.");
});

Deno.test("the process that a debugger names when it stopped", () => {
  const { process } = readReport(
    "Fatal error: Unexpectedly found nil while unwrapping an Optional value: file cart/Page.swift, line 93\n" +
      "* thread #49, queue = 'cart', stop reason = Fatal error: Unexpectedly found nil while unwrapping an Optional value\n" +
      "    frame #0: 0x00000001b537e040 libswiftCore.dylib`_swift_runtime_on_report\nTarget 0: (Till) stopped.\n",
    "x",
  );
  assertEquals(process.name, "Till");
});

Deno.test("old gdb's signal in quotes; an exception's name before its reason, and in the last line", () => {
  const gdb = readReport(
    "Program received signal:  \u201cEXC_BAD_ACCESS\u201d.\n(gdb) bt\n#0  0x3138bc98 in objc_msgSend ()\n" +
      "#1  0x00003f5a in -[Cart dealloc] (self=0x1e5d50, _cmd=0x3197bb) at /Users/ada/Till/Cart.m:42\n",
    "x",
  );
  assertEquals(gdb.exception?.type, "EXC_BAD_ACCESS");
  const { what } = told(
    "2024-03-02 11:12:13.123 till[4711:123456] Uncaught exception: NSRangeException: index 3 beyond bounds\n(\n" +
      "0   CoreFoundation    0x0000000185a8d148 __exceptionPreprocess + 164\n" +
      "1   libobjc.A.dylib   0x00000001852b28e4 objc_exception_throw + 60\n" +
      "2   till              0x0000000106c1d2cc pay + 212\n)\n",
  );
  assertStringIncludes(what, "not caught: NSRangeException, index 3 beyond bounds.");
  const last = told(
    "it died:\nFatal Exception: RCTFatalException: Unhandled JS Exception: no cart\n",
  );
  assertStringIncludes(last.what, "RCTFatalException, Unhandled JS Exception: no cart");
});

Deno.test("Sentry's words in an issue of a tracker: the exception, the frames that are shown, and how many are not", () => {
  const issue = (title: string, frames: string[]) =>
    "Sentry Issue: [TILL-12](https://sentry.example/issues/1)\n\n```\n" + title + "\n" +
    frames.map((frame) => `  ${frame}\n`).join("") +
    "...\n(20 additional frame(s) were not displayed)\n```\n";
  const access = issue(
    "EXC_BAD_ACCESS: Exception 1, Code 1, Subcode 24 >\nAttempted to dereference null pointer.",
    ["?, in objc_retain", 'File "Till/Cart.swift", line 42, in Cart.add'],
  );
  const report = readReport(access, "x");
  assertEquals(
    [report.exception?.type, report.exception?.subtype],
    ["EXC_BAD_ACCESS", "KERN_INVALID_ADDRESS at 0x18"],
  );
  assertEquals(
    report.crashedThread?.frames.map(({ symbol, file, line }) => [symbol, file, line]),
    [["objc_retain", null, null], ["Cart.add", "Till/Cart.swift", 42]],
  );
  assertStringIncludes(report.warnings.join(), "20 are left out");
  const thrown = told(issue("NSRangeException: index 3 beyond bounds [0 .. 2]", [
    'File "Till/Cart.m", line 42, in -[Cart itemAt:]',
  ]));
  assertStringIncludes(thrown.what, "NSRangeException, index 3 beyond bounds [0 .. 2]");
  assertEquals(thrown.whose, ["program", null, "-[Cart itemAt:]"]);
  const hang = readReport(
    issue("App Hanging: App hanging for at least 2000 ms.", ["?, in __psynch_mutexwait"]),
    "x",
  );
  assertStringIncludes(explainReport(hang).happened.join(), "did not answer user events");
  // Python's own stacks look like it.
  assertThrows(() =>
    readReport(
      'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: no\n',
      "x",
    )
  );
});

Deno.test("Bugsnag's words in an issue of a tracker", () => {
  const { what, whose } = told(
    "## Error in Till\n\n**NSInvalidArgumentException** in **Cart.pay()**\n" +
      "-[__NSCFNumber length]: unrecognized selector sent to instance 0xe88b8892a48255d8\n\n" +
      "[View on Bugsnag](https://bugsnag.example/1)\n\n## Stacktrace\n\n" +
      "    Frameworks/Cart.framework/Cart:0 - Cart.pay()\n    Till/Till.swift:27 - Till.tapped()\n",
  );
  assertStringIncludes(what, "-[__NSCFNumber length]: unrecognized selector");
  assertEquals(whose, ["program", null, "Cart.pay()"]);
});

Deno.test("App Center's and HockeyApp's issues: a signal with its code, an exception, and no stack at all", () => {
  const filed = (stack: string, reason: string) =>
    `### Version 2.1.0(2780) ###\n\n### Stacktrace ###\n\n${stack}\n\n### Reason ###\n\n${reason}\n\n### Link to App Center ###\n`;
  const signal = readReport(
    filed("Cart.add(_:) (Cart.swift:42);Till", "SIGSEGV: SEGV_MAPERR at 0x10"),
    "x",
  );
  assertEquals(
    [signal.exception?.type, signal.process.version, signal.crashedThread?.frames[0].symbol],
    ["SIGSEGV", "2.1.0 (2780)", "Cart.add(_:)"],
  );
  const raised = told(
    filed("-[Cart at:] (Cart.m:42);Till", "NSRangeException: index 3 beyond bounds [0 .. 2]"),
  );
  assertStringIncludes(raised.what, "NSRangeException, index 3 beyond bounds [0 .. 2]");
  assertEquals(raised.whose, ["program", null, "-[Cart at:]"]);
  const bare = readReport(filed("", "SIGABRT"), "x");
  assertEquals([bare.exception?.type, bare.threads.length], ["SIGABRT", 0]);
  const hockey = readReport(
    filed("<pre>Cart;add:;Cart.m;42\nTill;tapped:;Till.m;17</pre>", "SIGSEGV"),
    "x",
  );
  assertEquals(
    [hockey.exception?.type, hockey.crashedThread?.frames[0].symbol],
    ["SIGSEGV", "-[Cart add:]"],
  );
});

Deno.test("the kernel's lines about what a process used too much of", () => {
  const cpu = readReport(
    "03.09.15 03:56:05,000 kernel[0]: process Bakery[78] thread 21 caught burning CPU! It used more than 50% CPU (Actual recent usage: 52%) over 180 seconds.\n",
    "x",
  );
  assertEquals<unknown>([cpu.process.name, cpu.process.pid], ["Bakery", 78]);
  const told = explainReport(cpu).happened.join("\n");
  assertStringIncludes(told, "A thread of the process used more CPU time than its limit allows.");
  assertStringIncludes(told, "It used more than 50% CPU");
  const wakes = explainReport(readReport(
    "kernel[0]: process Bakery[78] caught causing excessive wakeups. Observed wakeups rate (per sec): 578; Maximum permitted wakeups rate (per sec): 150\n",
    "x",
  )).happened.join("\n");
  assertStringIncludes(wakes, "woke the CPU from idle more often");
});

Deno.test("the system's log of signatures and watchdogs, Xcode's previews, errors of launching", () => {
  const signature = told(
    "default\t11:12:13.123470+0100\tkernel\tmac_vnode_check_signature: /Applications/till: code signature validation failed fatally: When validating /Applications/till:\n" +
      "  Code has restricted entitlements, but the validation of its code signature failed.\n" +
      'default\t11:12:13.123480+0100\tkernel\tproc 4711: load code signature error 4 for file "till"\n',
  );
  assertStringIncludes(signature.what, "Code has restricted entitlements");
  assertEquals(signature.whose.slice(0, 2), ["none", "packaging"]);
  assertStringIncludes(
    told(
      "10:01:02 taskgated[70]: killed com.example.till[pid 815] because its use of the com.apple.developer.x entitlement is not allowed (error code -67050)\n",
    ).what,
    "did not accept the program's code signature or one of its entitlements",
  );
  assertStringIncludes(
    told(
      "Jun  2 11:12:14 phone SpringBoard[55] <Warning>: com.example.till failed to launch in time\n",
    ).what,
    "The system's watchdog ended the app",
  );
  assertStringIncludes(
    told(
      "RemoteHumanReadableError: Failed to update preview.\n\nThe preview process appears to have crashed.\n",
    ).what,
    "in which Xcode shows previews",
  );
  const preview = told(
    "CrashReportError: Fatal Error in Cart.swift\n\nProcess: Till[4711]\nDate/Time: 2024-03-02 11:12:13 +0000\n\n" +
      "Application Specific Information:\n| Till/Cart.swift:42: Fatal error: no cart\n",
  );
  assertStringIncludes(preview.what, "It says: Till/Cart.swift:42: Fatal error: no cart");
  assertStringIncludes(
    told(
      "An error was encountered processing the command (domain=FBSOpenApplicationServiceErrorDomain, code=1):\n" +
        'The request to open "com.example.till" failed.\n',
    ).what,
    "The app could not be launched",
  );
});

Deno.test("LLDB with a core file: the fault by the processor's own exception class", () => {
  const report = readReport(
    "(lldb) bt\n* thread #1, stop reason = ESR_EC_DABORT_EL0 (fault address: 0x10)\n" +
      "  * frame #0: 0x0000000100003f20 till`add + 12\n    frame #1: 0x0000000100003e00 till`main + 44\n",
    "x",
  );
  assertEquals([report.exception?.type, report.exception?.subtype], ["EXC_BAD_ACCESS", "at 0x10"]);
  assertStringIncludes(explainReport(report).happened.join(), "null plus 16");
});

Deno.test("a warning of a memory limit before the line of what ended it; malloc's words before the shell's", () => {
  const { what } = told(
    "EXC_RESOURCE -> Till[4711] exceeded mem limit: ActiveSoft 1400 MB (non-fatal)\n" +
      "EXC_RESOURCE -> Till[4711] exceeded mem limit: ActiveHard 1450 MB (fatal)\n",
  );
  assertStringIncludes(what, "ActiveHard 1450 MB (fatal)");
  assert(!what.includes("only a warning"));
  const freed = told(
    "*** error for object 0x600000012340: pointer being freed was not allocated\n" +
      "*** set a breakpoint in malloc_error_break to debug\nAbort trap: 6\n",
  );
  assertStringIncludes(freed.what, "that malloc did not allocate");
  const benign = readReport(
    "till(4711,0x1f3b5c100) malloc: nano zone abandoned due to inability to reserve vm space.\nSegmentation fault: 11\n",
    "x",
  );
  assertEquals(benign.exception?.signal, "SIGSEGV");
  const thrown = told(
    "terminate called after throwing an instance of 'std::runtime_error'\n  what():  no cart\nAbort trap: 6\n",
  );
  assertStringIncludes(thrown.what, "std::runtime_error, no cart");
});

Deno.test("SpringBoard's lines of apps that were ended for memory", () => {
  const line = (app: string): string =>
    `Sep 11 11:24:52 phone SpringBoard[74] <Warning>: Application 'UIKitApplication:${app}[0xd941]' was killed by jetsam.\n`;
  const happened = (text: string): string => explainReport(readReport(text, "x")).happened.join();
  const one = happened(`Sep 11 11:24:09 phone Till[1966] <Warning>: paid\n${line("org.shop")}`);
  assertStringIncludes(one, "ended the app for memory (jetsam)");
  assert(!one.includes("says it of"));
  assertStringIncludes(
    happened(line("org.shop") + line("org.till") + line("org.shop")),
    "'UIKitApplication:org.shop[0xd941]' was killed by jetsam; the log says it of org.till too",
  );
});

Deno.test("what SpringBoard and RunningBoard tell of an end", () => {
  for (
    const [text, signal] of [
      [
        "Feb 19 12:10:14 phone SpringBoard[52] <Warning>: Application 'UIKitApplication:com.example.till[0x3d5e]' exited abnormally with signal 11: Segmentation fault: 11\n",
        "SIGSEGV",
      ],
      [
        "default\t11:12:13\tSpringBoard\tProcess exited: app<com.example.till>:4711 -> <RBSProcessExitContext| specific, status:<RBSProcessExitStatus| domain:signal(2) code:SIGABRT(6)>>\n",
        "SIGABRT",
      ],
      [
        "default\t11:12:13\trunningboardd\t[app<com.example.till>:4711] termination reported by launchd (2, 9, 9)\n",
        "SIGKILL",
      ],
    ] as const
  ) {
    const report = readReport(text, "x");
    assertEquals(report.exception?.signal, signal);
    assertStringIncludes(
      explainReport(report).happened.join(),
      "The system's log tells that an app ended",
    );
  }
});

Deno.test("Swift's own backtrace: frames without addresses, and an exception that was thrown", () => {
  const crash = "💣 Program crashed: Bad pointer dereference at 0x0000000000000000\n\n" +
    "Thread 2 crashed:\n\n" +
    " 0 0x00007ff81fc88ff0 _Unwind_RaiseException + 240 in libunwind.dylib\n" +
    " 1 0x00007ff811762234 __cxa_throw + 61 in libc++abi.dylib\n" +
    " 2 0x00007ff8113cc34a objc_exception_throw + 317 in libobjc.A.dylib\n" +
    " 3 0x00007ff829a2bc8b -[AVAssetWriter startWriting] + 605 in AVFCore\n" +
    " 4 Till.print(_:) + 526 in Shop at /Users/me/Shop/Till.swift:45:28\n\n" +
    "    44│         do {\n      │            ▲\n\n" +
    " 5 closure #1 in Till.open() + 213 in Shop at /Users/me/Shop/Till.swift:41:22\n\n" +
    " 6 0x00007ff8116149fc _dispatch_client_callout + 6 in libdispatch.dylib\n" +
    " 7 0x00007ff8117a5843 start_wqthread + 15 in libsystem_pthread.dylib\n\n";
  const stop =
    "* thread #3, queue = 'com.apple.root.default-qos', stop reason = EXC_BAD_ACCESS (code=EXC_I386_GPFLT)\n" +
    "    frame #0: 0x00007ff81fc88ff0 libunwind.dylib`_Unwind_RaiseException + 240\n";
  const alone = told(crash);
  assertEquals(alone.whose, ["program", null, "Till.print(_:)"]);
  assertStringIncludes(alone.what, "It was thrown in -[AVAssetWriter startWriting] (AVFCore)");
  assertStringIncludes(alone.what, "it is null, or one that the CPU did not report");
  assert(!alone.what.includes("KERN_INVALID_ADDRESS"), alone.what);
  const both = told(crash + stop);
  assertStringIncludes(both.what, "EXC_I386_GPFLT: general protection fault");
  assert(!both.what.includes("null"), both.what);
  assertEquals(both.threads.length, 1);
});
