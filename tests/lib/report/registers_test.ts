/** What registers, run-times and reporters on a stack rule out: no null where an object was passed, no cause in what only
 * records, crashes on purpose or looks up. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { attributeReport, explainReport, readReport } from "../../../lib/report/mod.ts";
import { frameLines, told } from "./fixtures.ts";

/** A crash text with frames `image symbol` and registers. */
function crash(
  header: string,
  stack: readonly string[],
  registers: readonly string[] = [],
): string {
  return [
    "Process:               Bakery [71]",
    "Path:                  /Applications/Bakery.app/Contents/MacOS/Bakery",
    "Code Type:             ARM-64",
    "",
    header,
    "Triggered by Thread:   0",
    "",
    "Thread 0 Crashed:",
    ...frameLines(stack),
    "",
    ...registers.length === 0
      ? []
      : ["Thread 0 crashed with ARM Thread State (64-bit):", ...registers, ""],
  ].join("\n");
}

const access = (address: string): string =>
  `Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Subtype: KERN_INVALID_ADDRESS at ${address}`;
const abort = "Exception Type:  EXC_CRASH (SIGABRT)";
const end = ["Bakery bake + 20", "Bakery main + 8", "dyld start + 4"];

/** Lines of registers, of which some have other values. */
function registers(values: Readonly<Record<string, bigint>>, rest = 0x2_8000_0000n): string[] {
  const names = [...Array.from({ length: 29 }, (_, at) => `x${at}`), "fp", "lr", "sp", "pc"];
  return names.map((name, at) =>
    `   ${name}: 0x${(values[name] ?? rest + BigInt(at) * 0x1000n).toString(16).padStart(16, "0")}`
  );
}

Deno.test("an address near null where the registers have an object is not null", () => {
  const sent = told(crash(
    access("0x00000000000003e8"),
    ["libobjc.A.dylib objc_msgSend + 20", ...end],
    registers({ x0: 0x1_0abc_0000n, x16: 0x3d8n }),
  ));
  assertStringIncludes(
    sent.what,
    "the object is at 0x10abc0000, not null: what was read from it as its class is no pointer (0x3d8)",
  );
  assert(!/null plus/.test(sent.what) && !/is null/.test(sent.causes), sent.what);
  const retained = told(crash(
    access("0x0000000000000020"),
    ["libobjc.A.dylib objc_retain_x21 + 16", ...end],
    registers({ x0: 0n, x21: 0x2_0000_1230n }),
  ));
  assertStringIncludes(retained.what, "the object is at 0x200001230, not null");
  // On Intel's CPUs r9 has an argument of the method.
  const argued = told(crash(
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x0000000000000018",
    ["libobjc.A.dylib objc_msgSend + 29", ...end],
    ["  rdi: 0x000000010c429ed0   r9: 0x0000000000000016  r10: 0x00007fff936fc86a  r11: 0x0000000000000000"],
  )).what;
  assertStringIncludes(argued, "the object is at 0x10c429ed0, not null");
  assert(!argued.includes("0x16"), argued);
  // A register that is only near the address is none that the address comes of.
  const released = told(
    crash(
      "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x0000000000000020",
      ["libobjc.A.dylib objc_release + 31", ...end],
      [
        "  rax: 0xa000000000000000  rcx: 0x0000000000000000  rdi: 0x00007f8587676760   r8: 0x0000000000000001",
        "  r10: 0x0000000000000001  r11: 0x0000000000000002  rip: 0x0000000100004000",
      ],
    ).replace("ARM-64", "X86-64"),
  ).what;
  assert(!/pointer \(0x/.test(released), released);
  assertStringIncludes(released, "(rax: 0xa000000000000000) is what malloc leaves");
  // nil does no harm there.
  const bare = told(crash(access("0x10"), ["libobjc.A.dylib objc_msgSend + 20", ...end]));
  assertStringIncludes(bare.what, "not nil, which does no harm there");
  const number = told(crash(
    access("0x8"),
    ["libobjc.A.dylib objc_release + 8", ...end],
    registers({ x0: 8n }),
  ));
  assertStringIncludes(number.what, "the pointer to the object is 0x8: a small number");
});

Deno.test("an address near null is null only where a register may have been", () => {
  const none = told(crash(access("0x8"), end, registers({ x3: 0x7n })));
  assertStringIncludes(none.what, "a small number, but not null: no register is 0");
  const one = told(crash(access("0x8"), end, registers({ x3: 0n })));
  assertStringIncludes(one.what, "it is null plus 8");
});

Deno.test("a wrong pointer that is freed is no damage of the heap", () => {
  const freed = told(crash(
    "Exception Type:  EXC_BREAKPOINT (SIGTRAP)\n\nApplication Specific Information:\n" +
      "BUG IN CLIENT OF LIBMALLOC: not an allocated block\nAbort Cause 4330000000\n",
    [
      "libsystem_malloc.dylib mfm_free.cold.4 + 36",
      "libsystem_malloc.dylib mfm_free + 1340",
      ...end,
    ],
  ));
  assertStringIncludes(freed.what, "A pointer was freed that malloc did not allocate");
  assert(!freed.what.includes("damaged"), freed.what);
  assertEquals(freed.whose, ["program", null, "bake"]);
});

Deno.test("a heap of JavaScript that is full: the address that it crashes by means nothing", () => {
  const full = told(crash(access("0x0"), [
    "hermes facebook::hermes::detail::hermesFatalErrorHandler(void*, std::__1::basic_string<char> const&, bool) + 24",
    "hermes llvh::report_fatal_error(llvh::Twine const&, bool) + 260",
    "hermes hermes::hermes_fatal(llvh::StringRef, std::__1::error_code) + 156",
    "hermes hermes::vm::GCBase::oom(std::__1::error_code) + 152",
    ...end,
  ]));
  assertStringIncludes(full.what, "The heap of JavaScript is full");
  assertStringIncludes(full.what, "The address is of no meaning");
  assert(!full.causes.includes("null"), full.causes);
});

Deno.test("a look-up of the Swift run-time is not the program's null", () => {
  for (
    const lookup of [
      "swift_getTypeByMangledNameInContext + 128",
      "swift_conformsToProtocolMaybeInstantiateSuperclasses(swift::TargetMetadata<swift::InProcess> const*) + 40",
      "swift_getOpaqueTypeMetadata + 32",
    ]
  ) {
    const found = told(crash(access("0x0"), [
      `libswiftCore.dylib ${lookup}`,
      "Bakery __swift_instantiateConcreteTypeFromMangledName + 52",
      ...end,
    ]));
    assertStringIncludes(found.what, "looked up a type or a conformance");
    assert(!found.causes.includes("that is null"), found.causes);
    assertEquals(found.whose, ["program", null, "bake"]);
  }
});

Deno.test("a managed exception: the framework that called managed code did not raise it", () => {
  const managed = told(crash(abort, [
    "libsystem_c.dylib abort + 124",
    "libc++abi.dylib demangling_terminate_handler() + 344",
    "libobjc.A.dylib _objc_terminate() + 156",
    "libc++abi.dylib std::__terminate(void (*)()) + 16",
    "libc++abi.dylib __cxa_throw + 92",
    "libobjc.A.dylib objc_exception_throw + 448",
    "Bakery xamarin_process_managed_exception + 1024",
    "Bakery xamarin_invoke_trampoline + 7576",
    "UIKitCore -[UIApplication _handleDelegateCallbacksWithOptions:isSuspended:restoreState:] + 196",
    "UIKitCore UIApplicationMain + 100",
    "Bakery do_icall + 32",
    "Bakery mono_interp_exec_method + 3000",
    "Bakery main + 8",
    "dyld start + 4",
  ]));
  assertStringIncludes(managed.what, "It was a managed (.NET) exception");
  assert(!managed.what.includes("raised in -[UIApplication"), managed.what);
  // It calls willFinishLaunching, too.
  assertStringIncludes(managed.what, "while the app was starting, in its delegate");
  assert(!managed.what.includes("didFinishLaunching"), managed.what);
  assertEquals(managed.whose, ["program", "managed", null]);
});

Deno.test("a crash reporter that crashed while it recorded another crash is not the program's bug", () => {
  const reporter = told(crash(access("0x0000000001ab34c0"), [
    "libsystem_platform.dylib _platform_strcmp + 64",
    "Bakery oven_ksobjc_objectType + 1200 (KSObjC.c:12)",
    "Bakery writeAllThreads + 220 (KSCrashReport.c:34)",
    "Bakery oven_kscm_handleException + 44 (KSCrashMonitor.c:56)",
    "Bakery handleExceptions + 88 (KSCrashMonitor_MachException.c:78)",
    "libsystem_pthread.dylib _pthread_start + 288",
    "libsystem_pthread.dylib thread_start + 8",
  ]));
  assertStringIncludes(reporter.what, "an earlier crash, which is the real one");
  assertEquals(reporter.whose, ["unknown", "reporter", null]);
  assert(!reporter.causes.includes("string"), reporter.causes);
});

Deno.test("a terminate handler between run-times without names is not the place", () => {
  const ended = told(crash(abort, [
    "libsystem_kernel.dylib 0x100000000 + 37768",
    "libsystem_c.dylib abort + 124",
    "libc++abi.dylib 0x100000000 + 91012",
    "libc++abi.dylib 0x100000000 + 19672",
    "libobjc.A.dylib 0x100000000 + 151012",
    "libflour-base.1.dylib 0x100000000 + 86568",
    "libc++abi.dylib 0x100000000 + 87704",
    "libc++abi.dylib 0x100000000 + 87612",
    "libyeast.2.dylib 0x100000000 + 7071392",
    ...end,
  ]));
  assertStringIncludes(ended.what, "most likely for an exception that was not caught");
  assert(!ended.what.includes("does not say why"), ended.what);
  assertEquals(ended.whose[0], "program");
  const report = readReport(
    crash(abort, [
      "libsystem_c.dylib abort + 124",
      "libc++abi.dylib 0x100000000 + 91012",
      "libflour-base.1.dylib 0x100000000 + 86568",
      "libc++abi.dylib 0x100000000 + 87704",
      "libyeast.2.dylib 0x100000000 + 7071392",
      ...end,
    ]),
    "x",
  );
  assertEquals<unknown>(attributeReport(report).library, "libyeast.2.dylib");
});

Deno.test("a program that could not be started has no place on its stack", () => {
  const report = readReport(
    crash(
      `${abort}\nTermination Reason:    Namespace DYLD, Code 1 Library missing\n` +
        "Library not loaded: @rpath/libyeast.dylib\nReferenced from: /Applications/Bakery.app/Contents/MacOS/Bakery\n" +
        "(terminated at launch; ignore backtrace)\n",
      ["Rosetta~Runtime 0x100000000 + 88", "dyld dyld4::halt(char const*) + 8"],
    ),
    "x",
  );
  const { thread, path } = explainReport(report);
  assertEquals([thread, path], [null, []]);
});

Deno.test("a main thread that waits in a run loop of the program's own, or whose stack was cut off there, is not idle", () => {
  const killed = "Exception Type:  EXC_CRASH (SIGKILL)\n" +
    "Termination Reason: FRONTBOARD 2343432205 <RBSTerminateContext| domain:10 code:0x8BADF00D " +
    "explanation:scene-create watchdog transgression: exhausted real (wall clock) time allowance of 20.00 seconds>";
  const loop = [
    "libsystem_kernel.dylib mach_msg2_trap + 8",
    "libsystem_kernel.dylib mach_msg + 24",
    "CoreFoundation __CFRunLoopServiceMachPort + 160",
    "CoreFoundation __CFRunLoopRun + 1232",
    "CoreFoundation CFRunLoopRunSpecific + 612",
  ];
  const run = "Foundation -[NSRunLoop(NSRunLoop) runMode:beforeDate:] + 208";
  const text = (stack: readonly string[]): string =>
    crash(killed, stack).replace(
      "Thread 0 Crashed:",
      (title) => `Thread 0 name:   Dispatch queue: com.apple.main-thread\n${title}`,
    );
  const launch = "UIKitCore -[UIApplication _run] + 800";
  const nested = told(text([...loop, run, "Bakery +[Splash show] + 40", launch, ...end.slice(1)]));
  assertStringIncludes(nested.what, "in a run loop of the program's own");
  assertEquals(nested.whose, ["program", null, "+[Splash show]"]);
  const cut = told(text([...loop, run]));
  assert(!cut.what.includes("idle"), cut.what);
  assertEquals(cut.whose, ["unknown", "outer", null]);
  const idle = told(
    text([...loop, "GraphicsServices GSEventRunModal + 160", launch, ...end.slice(1)]),
  );
  assertStringIncludes(idle.what, "idle, waiting for");
});

Deno.test("panics: a tag check of memory, and the driver whose power did not change", () => {
  const tagged = told(
    "panic(cpu 1 caller 0xfffffe0010000000): Kernel tag check fault (expected tagged address: 0xf3fffe2000001230) " +
      "at pc 0xfffffe0010001000, lr 0xfffffe0010002000\n\t  x0: 0x0 far: 0xf9fffe2000001230\n\nDebugger message: panic\n",
  );
  assertStringIncludes(tagged.what, "Memory tagging (MTE)");
  assertStringIncludes(
    tagged.what,
    "The pointer 0xf9fffe2000001230 has the tag 9, the memory has 3",
  );
  const asleep = told(
    "panic(cpu 0 caller 0xffffff8000001000): Sleep transition timed out after 180 seconds while calling power state " +
      "change callbacks.\nBacktrace (CPU 0), Frame : Return Address\n" +
      "0xffffff8000002000 : 0xffffff8000003000 mach_kernel : _thread_block_reason + 0xaf\n" +
      "0xffffff8000002010 : 0xffffff7f80003000 com.example.oven : __ZN8OvenHeat20lowerOnePowerStateToEm + 0x114\n" +
      "      Kernel Extensions in backtrace:\n         com.example.oven(1.0)@0xffffff7f80000000->0xffffff7f80010000\n",
  );
  assertStringIncludes(asleep.next, "The message names the driver, if it is known; disconnect");
  const suspected = told(
    "panic(cpu 0 caller 0xffffff8000001000): Wake transition timed out after 180 seconds while calling power state " +
      "change callbacks. Suspected bundle: com.example.oven. Thread 0x12ee.\n" +
      "Backtrace (CPU 0), Frame : Return Address\n0xffffff8000002000 : 0xffffff8000003000\n",
  );
  assertStringIncludes(suspected.what, "in time while the machine woke up.");
  assertEquals(suspected.next, "Disconnect devices, remove extensions.");
  const jumped = (code: string, kind: string) =>
    told(
      "panic(cpu 0 caller 0xffffff8000001000): Kernel trap at 0xffffff8032001230, type 14=page fault, registers:\n" +
        "CR0: 0x000000008001003b, CR2: 0xffffff8032001230, CR3: 0x0000000200000000, CR4: 0x00000000000026e0\n" +
        `Fault CR2: 0xffffff8032001230, Error code: ${code}, Fault CPU: 0x0 ${kind}\n\n` +
        "Backtrace (CPU 0), Frame : Return Address\n0xffffff8000002000 : 0xffffff8000003000\n",
    ).what;
  assertStringIncludes(
    jumped("0x0000000000000011", "Kernel NX fault"),
    "The memory there may not be executed: the kernel jumped to a wrong address",
  );
  assert(!jumped("0x0000000000000011", "SMEP").includes("a wrong address"));
  assert(!jumped("0x0000000000000010", "").includes("may not be executed"));
  assert(!jumped("0x0000000000000003", "").includes("may not be executed"));
  assertStringIncludes(
    asleep.what,
    "its device's power: OvenHeat::lowerOnePowerStateTo (com.example.oven)",
  );
});

Deno.test("a limit in words that a person quoted behind a comment's marks: numbers, and that nothing crashed", () => {
  const limited = told(
    "#!/bin/sh\n# why\n#       Process:             ovend [7]\n#       Path:                /usr/libexec/ovend\n#\n" +
      "#       Exception Type:  EXC_RESOURCE\n#       Exception Subtype: CPU\n" +
      "#       Exception Message: (Limit 50%) Observed 61% over 180 secs\n" +
      "#       Exception Note:  NON-FATAL CONDITION (this is NOT a crash)\n#\n",
  );
  assertStringIncludes(limited.what, "used 61% of a CPU over 180 s, where 50% is the limit");
  assertStringIncludes(limited.what, "nothing crashed");
});

Deno.test("libraries that are missing are all named, as dyld runs its messages together", () => {
  const found = told(
    "dyld[7]: Library not loaded: '@rpath/libyeast.8.dylib'\n" +
      "  Referenced from: '/Applications/Bakery.app/Contents/Libraries/liboven.dylib'\n" +
      "  Reason: tried: '/opt/libyeast.8.dylib' (no such file), '/usr/lib/libyeast.8.dylib' (no such file)" +
      "Library not loaded: '@rpath/libsalt-2.dylib'\n" +
      "  Referenced from: '/Applications/Bakery.app/Contents/Libraries/libflour.dylib'\n",
  );
  assertStringIncludes(
    found.what,
    "The libraries that could not be loaded: libyeast.8.dylib, libsalt-2.dylib.",
  );
});

Deno.test("an exception that was caught and raised again: by whom, and that it is not who raised it", () => {
  const report = readReport(
    crash(abort, [
      "libsystem_c.dylib abort + 124",
      "libobjc.A.dylib _objc_terminate() + 172",
      "libc++abi.dylib std::__terminate(void (*)()) + 16",
      "libc++abi.dylib __cxa_rethrow + 188",
      "libobjc.A.dylib objc_exception_rethrow + 44",
      "Bakery -[Oven guard:] + 80",
      "libdispatch.dylib _dispatch_client_callout + 16",
      "libsystem_pthread.dylib start_wqthread + 8",
    ]),
    "x",
  );
  const { happened, check } = explainReport(report);
  assertStringIncludes(
    happened.join("\n"),
    "-[Oven guard:] (Bakery) only caught it and raised it again",
  );
  assert(!check.join("\n").includes("first frame of yours"), check.join("\n"));
});

Deno.test("a path of templates alone: without what all of them have", () => {
  const { path } = explainReport(readReport(
    crash(abort, [
      "libsystem_c.dylib abort + 124",
      "libyeast.2.dylib 0x100000000 + 7071392",
      "Bakery std::__1::unique_ptr<Bread::Env, std::__1::default_delete<Bread::Env>>::~unique_ptr[abi:ne190102]() + 52",
      "libsystem_c.dylib exit + 44",
      "dyld start + 4",
    ]),
    "x",
  ));
  assertEquals(path[0], "std::__1::unique_ptr<Bread::Env>::~unique_ptr (Bakery)");
});

Deno.test("a word of a freed block that an address comes of proves that the object was freed", () => {
  // libmalloc, src/nano_malloc.c: 0xBADDC0DEDEADBEAD ^ cookie; objc4: ISA_MASK of arm64, a class's cache at 16.
  const freed = told(crash(
    access("0x0000000dbc44beb8"),
    ["libobjc.A.dylib objc_msgSend + 16", ...end],
    registers({ x0: 0x1_7009_24d0n, x13: 0xbadd_794d_bc44_beadn, x16: 0xd_bc44_bea8n }),
  ));
  assertStringIncludes(freed.what, "one that was deallocated before.");
  assertStringIncludes(
    freed.what,
    "The object was at 0x1700924d0; what was read from it as its class (x13: 0xbadd794dbc44bead) is malloc's mark of a freed block",
  );
  assert(!/memory damage/.test(freed.causes), freed.causes);
  // The address does not come of it.
  const other = told(crash(
    access("0x0000000abc44beb8"),
    ["libobjc.A.dylib objc_msgSend + 16", ...end],
    registers({ x0: 0x1_7009_24d0n, x13: 0xbadd_794d_bc44_beadn }),
  ));
  assertStringIncludes(other.what, "usually one that was already deallocated.");
  assert(!/malloc's mark/.test(other.what), other.what);
});

Deno.test("a lock of Firefox's that failed crashes by null, with its line in a register; other addresses were accessed", () => {
  const stack = ["libmozglue.dylib mozilla::detail::RWLockImpl::writeLock() + 52", ...end];
  const values = { x0: 22n, x8: 0n, x9: 58n };
  const failed = told(crash(access("0x0000000000000000"), stack, registers(values)));
  assertStringIncludes(failed.what, "crashed itself on purpose");
  assertStringIncludes(failed.what, "line 58 of its source (x9)");
  assertStringIncludes(failed.what, "returned 22, EINVAL (x0)");
  assert(!/never set/.test(failed.causes), failed.causes);
  const accessed = told(crash(access("0x0000000700000000"), stack, registers(values)));
  assert(!/on purpose/.test(accessed.what), accessed.what);
});

Deno.test("a full stack is the recursing function's, not of the one that met its end", () => {
  const stack = [
    "libyeast.dylib measure(int) + 0",
    ...Array.from({ length: 450 }, () => "Bakery knead(Dough&) + 40"),
  ];
  const text = crash(access("0x000000016eca3ff0"), stack, registers({ sp: 0x1_6eca_4020n }));
  const report = readReport(text, "x");
  assertEquals(attributeReport(report).deciding?.frame.symbol, "knead(Dough&)");
  const { firstOwn, happened } = explainReport(report);
  assertEquals(firstOwn?.symbol, "knead(Dough&)");
  assertStringIncludes(happened.join("\n"), "list of frames ends within it, at frame 450");
});

Deno.test("a missing library: by the kind of its path, and frameworks that are newer than the system", () => {
  const missing = (path: string, system: string) =>
    told([
      "Process:               Bakery [71]",
      `OS Version:            ${system}`,
      "",
      "Exception Type:  EXC_BREAKPOINT (SIGTRAP)",
      "",
      "Dyld Error Message:",
      `  Library not loaded: ${path}`,
      "  Referenced from: /Applications/Bakery.app/Contents/MacOS/Bakery",
      "  Reason: image not found",
      "",
    ].join("\n"));
  // Apple's documentation: Contacts is there from iOS 9 and OS X 10.11 on.
  const contacts = "/System/Library/Frameworks/Contacts.framework/Contacts";
  const old = missing(contacts, "iPhone OS 8.4 (12H143)");
  assertStringIncludes(old.what, "Contacts came with iOS 9, and this is iOS 8.4");
  assert(!/install name/.test(old.causes), old.causes);
  const later = missing(contacts, "Mac OS X 10.11 (15A284)");
  assert(!/came with/.test(later.what), later.what);
  assertStringIncludes(
    missing("/Users/anna/build/libyeast.dylib", "macOS 13.0 (22A380)").what,
    "a path in somebody's folder",
  );
  assertStringIncludes(
    missing("@executable_path/../Frameworks/libyeast.dylib", "macOS 13.0 (22A380)").what,
    "beside itself",
  );
});

Deno.test("a watchdog's kill by its event, its CPU times and the lock that was waited for", () => {
  const text = [
    "Process:         Bakery [71]",
    "Code Type:       ARM (Native)",
    "OS Version:      iPhone OS 4.2.1 (8C148a)",
    "",
    "Exception Type:  00000020",
    "Exception Codes: 0x8badf00d",
    "Highlighted Thread: 0",
    "",
    "Application Specific Information:",
    "Bakery failed to resume in time",
    "",
    "Elapsed total CPU time (seconds): 1.580 (user 0.870, system",
    "0.710), 16% CPU",
    "Elapsed application CPU time (seconds): 0.000, 0% CPU",
    "",
    "Thread 0:",
    "0   libSystem.B.dylib   0x311662c4 semaphore_wait_signal_trap + 8",
    "1   libSystem.B.dylib   0x31193b3a semaphore_wait_signal + 2",
    "2   libSystem.B.dylib   0x311680d0 pthread_mutex_lock + 252",
    "3   Foundation          0x31cc5c60 -[NSRecursiveLock lock] + 8",
    "4   Bakery              0x00075f62 -[Oven bake] + 20",
    "",
  ].join("\n");
  const { what, causes, next } = told(text);
  assertStringIncludes(what, "when it was to go on (resume) after it had been in the background");
  assertStringIncludes(what, "blocked on a pthread mutex");
  assertStringIncludes(what, "It waited for an NSRecursiveLock; which thread holds it");
  assertStringIncludes(what, "computed for 0.000 s (0% CPU): it mostly waited");
  assert(!/It says: 0\.710|background task/.test(what + causes + next), what + causes + next);
  assertStringIncludes(causes, "another thread holds the lock");
  assert(!causes.includes("waits for itself"), causes);
  // A mutex that nothing names may be one that its own thread cannot take again.
  const unnamed = told(text.replace(/^3 {3}Foundation.*\n/m, ""));
  assertStringIncludes(unnamed.causes, "another thread holds the lock");
  assertStringIncludes(unnamed.causes, "waits for itself");
  // An app that computed all the time did not wait for it.
  const worked = told(
    text.replace(/^3 {3}Foundation.*\n/m, "").replace("0.000, 0% CPU", "9.800, 98% CPU")
      .replace(
        "failed to resume in time",
        "exhausted real (wall clock) time allowance of 10.00 seconds",
      ),
  );
  assert(!worked.causes.includes("holds the lock"), worked.causes);
});

Deno.test("what the system's log puts before each line of a report is undone", () => {
  const before = (line: string, at: number) =>
    `Wed Mar 21 16:08:1${at % 10} unknown ReportCrash[2458] <Error>: ${line}`;
  const lines = [
    "Process:         bakery [2454]",
    "Path:            /bin/bakery",
    "Code Type:       ARM (Native)",
    "OS Version:      iPhone OS 4.1 (8B117)",
    " ",
    "Exception Type:  EXC_BAD_ACCESS (SIGBUS)",
    "Exception Codes: KERN_PROTECTION_FAILURE at 0x000037f7",
    "Crashed Thread:  0",
    " ",
    "Thread 0 Crashed:",
    "0   libSystem.B.dylib             \t0x3025c04e 0x301ff000 + 381006",
    "1   bakery                        \t0x000026a0 0x1000 + 5792",
    " ",
    "Binary Images:",
    "    0x1000 -     0x3fff +bakery armv6  <f80ed449d0f15af7508817e74086b6a8> /bin/bakery",
  ].map(before);
  lines.splice(
    12,
    0,
    "Wed Mar 21 16:08:19 unknown lockdownd[20] <Error>: could not receive a message",
  );
  const report = readReport(["Some words before.", ...lines, ""].join("\n"), "x");
  assertEquals(report.process.name, "bakery");
  assertEquals(report.threads[0].frames.length, 2);
  assertEquals(report.images.length, 1);
  // The address is of the program, which is loaded at 0x1000.
  const text = explainReport(report).happened.join("\n");
  assertStringIncludes(text, "it is in bakery, 0x27f7 bytes from its start");
  assert(!/null/.test(text), text);
});

Deno.test("a descriptor that libdispatch watched is gone, and another thread closes one", () => {
  const { what, next } = told([
    "Process:               bakery [71]",
    "Code Type:             X86-64 (Native)",
    "",
    "Exception Type:        EXC_BAD_INSTRUCTION (SIGILL)",
    "Crashed Thread:        1",
    "",
    "Application Specific Information:",
    "BUG IN CLIENT OF LIBDISPATCH: Unexpected EV_VANISHED (do not destroy random mach ports or file descriptors)",
    "",
    "Thread 0:",
    "0   libsystem_kernel.dylib          0x00007fff5a70dbe6 close + 10",
    "1   bakery                          0x000000010b1b6ebe -[Oven stop] + 78",
    "",
    "Thread 1 Crashed:",
    "0   libdispatch.dylib               0x00007fff5a570001 _dispatch_source_merge_evt + 10",
    "1   libdispatch.dylib               0x00007fff5a570002 _dispatch_event_loop_merge + 10",
    "",
  ].join("\n"));
  assertStringIncludes(what, "thread 0 was closing a descriptor, called by -[Oven stop]");
  assertStringIncludes(next, "Cancel the source");
});

Deno.test("an exception that was raised while the message of a changed collection was made", () => {
  const { what, causes } = told(crash(abort, [
    "libobjc.A.dylib objc_exception_throw + 64",
    "CoreFoundation -[NSObject(NSObject) doesNotRecognizeSelector:] + 96",
    "Bakery -[Loaf description] + 20",
    "CoreFoundation CFCopyDescription + 80",
    "CoreFoundation __NSFastEnumerationMutationHandler + 138",
    "libobjc.A.dylib objc_enumerationMutation + 18",
    "Bakery -[Oven cool] + 40",
    "dyld start + 4",
  ]));
  assertStringIncludes(what, "changed while it was enumerated, in -[Oven cool]");
  assertStringIncludes(causes, "the loop itself changes it");
});

Deno.test("the address by which WebKit crashes on purpose is no pointer", () => {
  // WebKit, Source/WTF/wtf/Assertions.cpp: *(int *)(uintptr_t)0xbbadbeef = 0
  const { what, causes } = told(crash(
    access("0x00000000bbadbeef"),
    ["JavaScriptCore JSC::Heap::collect() + 20", ...end],
  ));
  assertStringIncludes(what, "crash by on purpose");
  assertStringIncludes(causes, "a check that failed");
});

Deno.test("second codes that are no address: a checked pointer's instruction, Intel's protection fault as a signal", () => {
  const pac = told(crash(
    "Exception Type:  EXC_BAD_ACCESS (SIGBUS)\nException Codes: 0x0000000000000105, 0x00000000dac11a30",
    end,
    registers({}),
  ));
  assertStringIncludes(pac.what, "a pointer's authentication failed");
  assert(!/dac11a30|below 4 GB/.test(pac.what), pac.what);
  const signal = told(
    crash("Exception Type:  SIGSEGV\nException Codes: SEGV_NOOP at 0x0", end)
      .replace("ARM-64", "X86-64"),
  );
  assertStringIncludes(signal.what, "general protection fault");
  assert(!signal.what.includes("null"), signal.what);
});

Deno.test("a misaligned address of the next instruction is no cast of bytes", () => {
  const jump = (pc: bigint): string =>
    told(crash(
      "Exception Type:  EXC_BAD_ACCESS (SIGBUS)\nException Subtype: EXC_ARM_DA_ALIGN at 0x0000000104567003",
      end,
      registers({ pc }),
    )).causes;
  assertStringIncludes(jump(0x1_0456_7003n), "return address");
  assertStringIncludes(jump(0x1_0000_4000n), "a cast from bytes");
});

Deno.test("a jump: to a small number, back to null, into an image", () => {
  const jump = (address: string, top: string, values: Readonly<Record<string, bigint>>) =>
    told(crash(access(address), [top, ...end], registers({ pc: BigInt(address), ...values })));
  const small = jump("0x8", "??? ???", {}).what;
  assertStringIncludes(small, "it is 8, a small number");
  assert(!small.includes("member"), small);
  assertStringIncludes(jump("0x0", "??? ???", { lr: 0n }).what, "or returned to null");
  assert(!jump("0x0", "??? ???", {}).what.includes("returned"));
  assertStringIncludes(
    jump("0x100004000", "Bakery 0x100000000 + 16384", {}).what,
    "into Bakery: to what is no code, or to code that could not be fetched",
  );
});

Deno.test("the end of a stack is below what is on it; SIGSEGV of protected memory is near the stacks", () => {
  const near = (address: string, signal = "SIGBUS", values?: Readonly<Record<string, bigint>>) =>
    told(crash(
      `Exception Type:  EXC_BAD_ACCESS (${signal})\nException Subtype: KERN_PROTECTION_FAILURE at ${address}`,
      end,
      values === undefined ? [] : registers(values),
    )).what;
  const stack = { sp: 0x1_6f1f_f000n, fp: 0x1_6f1f_f040n };
  assertStringIncludes(near("0x16f1feff0", "SIGBUS", stack), "the stack is full");
  assert(!near("0x16f200000", "SIGBUS", stack).includes("full"));
  assertStringIncludes(near("0x16f200000", "SIGSEGV"), "the end of a full stack, most likely");
  assert(!near("0x16f200000").includes("full"));
});

Deno.test("addresses that look like more than they are: error numbers, far behind null, mapped low, marks, tags", () => {
  const words = (address: string, more = ""): string =>
    told(crash(access(address) + more, end)).what;
  assertStringIncludes(words("0xffffffffffffffea"), "it is -22");
  assertStringIncludes(words("0xffffffffffffffea"), "a negative number, such as an error's");
  assertStringIncludes(words("0x12c000"), "or it is far behind null");
  const low = "\n\nVM Region Info: 0x412c00 is in 0x400000-0x500000;\n" +
    "--->  VM_ALLOCATE  00400000-00500000 [1024K] r--/rwx SM=PRV\n";
  assert(!words("0x412c00", low).includes("have nothing"));
  assertStringIncludes(words("0xdeadbeef"), "or crash by on purpose");
  assertStringIncludes(words("0xe5e5e5e5e5e5e5f5"), "Firefox's allocator writes over freed");
  assertStringIncludes(
    words("0x0500000104567000"),
    "is 5: a tag, which is no part of the address, or damage",
  );
});

Deno.test("past the stack of another thread than the one that crashed no array of its own was overrun", () => {
  const past = (thread: number) =>
    told(crash(
      access("0x000000016f200010") +
        "\n\nVM Region Info: 0x16f200010 is not in any region.  Bytes after previous region: 17  Bytes before following region: 1000\n" +
        "      REGION TYPE                    START - END\n" +
        `      Stack                       16f100000-16f200000 [  1024K] rw-/rwx SM=PRV  thread ${thread}\n` +
        "--->  GAP OF 0x1000 BYTES\n      MALLOC_TINY 170000000-180000000 [  1024K] rw-/rwx SM=PRV\n",
      end,
    ));
  assertStringIncludes(past(0).causes, "array on the thread's stack");
  assertStringIncludes(past(5).what, "thread 5, which is not the one that crashed");
  assert(!past(5).causes.includes("array on the thread's stack"));
});

Deno.test("a deep stack whose access was of null did not overflow", () => {
  const deep = (address: string): string =>
    told(crash(
      access(address),
      Array.from({ length: 450 }, (_, at) => at % 2 === 0 ? "Bakery mix + 8" : "Bakery stir + 4"),
    )).what;
  assertStringIncludes(deep("0x16f200010"), "The stack most likely overflowed by recursion");
  assertStringIncludes(deep("0x10"), "The stack is deep");
});

Deno.test("a bad page is of no invalid program, a quotient that does not fit is not by zero", () => {
  const page = told(crash(
    "Exception Type:  EXC_BAD_ACCESS (Code Signature Invalid)\nException Codes: 0x0000000000000032, 0x0000000104567000",
    end,
  ));
  assertStringIncludes(page.what, "a page that it used has no valid code signature");
  const division = told(
    crash("Exception Type:  SIGFPE\nException Codes: FPE_INTDIV at 0x100", end),
  );
  assertStringIncludes(division.what, "a division of integers failed");
});

Deno.test("memory tagging; what dyld puts where a library in place of the system's lacks a function", () => {
  const tagged = told(crash(
    "Exception Type:    EXC_BAD_ACCESS (SIGKILL)\nException Codes: 0x0000000000000106, 0x07000008db020050\n" +
      "Termination Reason:  Namespace MTE_FAIL, Code 262",
    end,
  ));
  assertStringIncludes(tagged.what, "EXC_ARM_MTE_TAGCHECK_FAIL at 0x7000008db020050");
  assertStringIncludes(tagged.causes, "after it was freed, or beyond its end");
  const lacking = told(crash(
    "Exception Type:  EXC_BAD_ACCESS (SIGBUS)\nException Subtype: EXC_ARM_DA_ALIGN at 0x000000000bad4007",
    ["??? ???", ...end],
    registers({ pc: 0xbad4007n }),
  ));
  assertStringIncludes(lacking.what, "missing in a library which is loaded in place of one");
  assertStringIncludes(lacking.causes, "DYLD_LIBRARY_PATH");
  assert(!lacking.what.includes("4 GB"), lacking.what);
});

Deno.test("what the system's own dealloc does while a pool is emptied is no invalid object", () => {
  const pool = [
    "libobjc.A.dylib AutoreleasePoolPage::releaseUntil(objc_object**) + 204",
    "libobjc.A.dylib objc_autoreleasePoolPop + 244",
    ...end,
  ];
  const dealloc = crash(access("0x10"), ["AVFCore -[AVPlayerItem dealloc] + 40", ...pool]);
  assert(!told(dealloc).what.includes("invalid object"), told(dealloc).what);
  const release = crash(access("0x10"), ["libobjc.A.dylib objc_release + 8", ...pool]);
  assertStringIncludes(told(release).what, "an invalid object was released, most likely");
});

Deno.test("text with upper bits is text; a misaligned jump without registers; Rust's abort; a large frame", () => {
  const text = told(crash(
    "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Subtype: KERN_INVALID_ADDRESS at 0x7375676172206563 -> 0x0000676172206563 (possible pointer authentication failure)",
    end,
  ));
  assertStringIncludes(text.what, 'its bytes are the text "ce ragus"');
  assert(!text.what.includes("authentication"), text.what);
  const jump = told(
    crash(
      "Exception Type:  EXC_BAD_ACCESS (SIGBUS)\nException Subtype: EXC_ARM_DA_ALIGN at 0x0000000104567003",
      ["??? ???", ...end],
    ).replace(/0x0000000100004000 /, "0x0000000104567003 "),
  );
  assertStringIncludes(jump.what, "the address of the next instruction was not aligned");
  const rust = (type: string): string =>
    told(
      crash("Exception Type:  EXC_BAD_INSTRUCTION (SIGILL)", [
        "Bakery bakery::knead::h0123456789abcdef + 46",
        ...end,
      ]).replace("ARM-64", type),
    ).what;
  assertStringIncludes(rust("X86-64 (Native)"), "by which Rust aborts without unwinding");
  assert(!rust("ARM-64").includes("ud2"));
  const probe = told(crash(
    "Exception Type:  EXC_BAD_ACCESS (SIGBUS)\nException Subtype: KERN_PROTECTION_FAILURE at 0x16fa03ff8\n" +
      "VM Region Info: 0x16fa03ff8 is in 0x16fa00000-0x16fa04000;\n" +
      "--->  STACK GUARD 16fa00000-16fa04000 [ 16K] ---/rwx SM=NUL  stack guard for thread 0\n" +
      "      Stack       16fa04000-16fa8c000 [544K] rw-/rwx SM=PRV  thread 0\n",
    ["libsystem_pthread.dylib ___chkstk_darwin + 60", ...end],
  ));
  assertStringIncludes(probe.what, "the check for the local variables of bake (Bakery)");
  assertStringIncludes(probe.causes, "as on a thread with a small one");
});

Deno.test("an address that is text in UTF-16", () => {
  const { what } = told(
    crash(access("0x70006d00690040"), end).replace("ARM-64", "X86-64 (Native)"),
  );
  assertStringIncludes(what, 'its bytes are the text "@imp" in UTF-16');
});

/** A crash in the guard page of thread 0's stack, far below the stack pointer. */
function guarded(top: readonly string[], values: Readonly<Record<string, bigint>>) {
  return told(crash(
    [
      "Exception Type:    EXC_BAD_ACCESS (SIGBUS)",
      "Exception Subtype: KERN_PROTECTION_FAILURE at 0x000000016f003fe0",
      "Exception Message: Thread stack size exceeded",
      "",
      "VM Region Info: 0x16f003fe0 is in 0x16f000000-0x16f004000;  bytes after start: 16352  bytes before end: 31",
      "      REGION TYPE                    START - END         [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
      "--->  STACK GUARD                 16f000000-16f004000    [   16K] ---/rwx SM=NUL  stack guard for thread 0",
      "      Stack                       16f004000-16f08c000    [  544K] rw-/rwx SM=PRV  thread 0",
      "",
    ].join("\n"),
    top,
    [...registers({ sp: 0x1_6f08_61f0n, ...values }), "   esr: 0x92000047"],
  ));
}

Deno.test("a copy that ran into a stack's guard page is no full stack, and its length is told", () => {
  const copied = guarded(
    ["libsystem_platform.dylib _platform_memmove + 536", "CoreOven OvenAdd + 292"],
    { x2: 0xffff_ffff_fff7_dda2n },
  );
  assert(!/stack overflowed|stack is full/.test(copied.what), copied.what);
  assert(!/recursion|local array/.test(copied.causes), copied.causes);
  assertStringIncludes(copied.what, "by the stack pointer it was not. It says: Thread stack size");
  assertStringIncludes(copied.what, "(x2) has 0xfffffffffff7dda2");
  assertStringIncludes(copied.what, "which is -533086.");
  assertStringIncludes(copied.what, "It was a write, to where it was copied or set.");
  assertStringIncludes(copied.causes, "a difference that came out negative");
  // A length that is possible says nothing.
  const plain = guarded(
    ["libsystem_platform.dylib _platform_memmove + 536", "CoreOven OvenAdd + 292"],
    { x2: 0x4000n },
  );
  assert(!plain.what.includes("length that it was passed"), plain.what);
  assert(!/stack is full/.test(plain.what), plain.what);
});

Deno.test("a stack's guard page: another stack was in use; few frames do not fill one by recursion", () => {
  const fiber = guarded(["Bakery bake + 4", ...end], { sp: 0x1_2040_0010n });
  assertStringIncludes(fiber.what, "but the stack pointer is elsewhere (0x120400010)");
  assert(!fiber.what.includes("the stack is full"), fiber.what);
  const large = guarded(["Bakery bake + 4", ...end], { sp: 0x1_6eff_0010n });
  assertStringIncludes(large.what, "the stack is full");
  assertStringIncludes(large.causes, "local variables that are larger");
  assert(!large.causes.includes("recursion"), large.causes);
});

Deno.test("the function that probes a stack reads its guard page on purpose", () => {
  const probed = guarded(["libsystem_pthread.dylib ___chkstk_darwin + 60", ...end], {});
  assertStringIncludes(probed.what, "the stack is full");
  assertStringIncludes(probed.what, "The stack overflowed.");
});

Deno.test("a length that is far too large explains a copy that failed elsewhere", () => {
  const { what, causes } = told(crash(
    access("0x00000001f0000000"),
    ["libsystem_platform.dylib _platform_memset + 128", ...end],
    [...registers({ x2: 0x7fff_ffff_0000_0000n }), "   esr: 0x92000047"],
  ));
  assertStringIncludes(what, "The length that it was passed was far too large");
  assertStringIncludes(causes, "a length that was computed wrongly");
});

Deno.test("a frame whose address is in the stack itself is no code", () => {
  const at = 0x2_8000_0000n + 31n * 0x1000n + 0x40n;
  const { what } = told(
    crash(
      access("0x0000000900000000"),
      ["Bakery bake + 20", "??? ???"],
      registers({}),
    ).replace("0x0000000100004040 ???", `0x${at.toString(16).padStart(16, "0")} ???`),
  );
  assertStringIncludes(what, "Frame 1 is no code, but a place on the stack itself");
});

Deno.test("a look-up of the Swift run-time names the type that the compiler's function asks for", () => {
  const { what, causes } = told(crash(access("0x0"), [
    "libswiftCore.dylib swift::TargetMetadata<swift::InProcess>::getTypeContextDescriptor() const + 4",
    "libswiftCore.dylib swift::TargetMetadata<swift::InProcess>::getGenericArgs() const + 24",
    "libswiftCore.dylib instantiateWitnessTable(swift::TargetMetadata<swift::InProcess> const*, void**) + 260",
    "Bakery lazy protocol witness table accessor for type Tray<Result<Bread, any Error>> and conformance Tray<A> + 72",
    ...end,
  ]));
  assertStringIncludes(what, "What it was given as a type's metadata is null.");
  assertStringIncludes(
    what,
    "It was asked for a conformance of the type Tray<Result<Bread, any Error>> (frame 3",
  );
  assert(!causes.includes("never set"), causes);
  assert(causes.startsWith("code and a Swift run-time that do not go together"), causes);
});

Deno.test("a jump by a signed pointer, or into a region whose protection a copy lost, is into no data", () => {
  const jump = (address: string, pc: bigint, region = "") =>
    told(crash(access(address) + region, ["??? ???", ...end], registers({ pc }))).what;
  const signed = jump(
    "0x2000000100ae9df8 -> 0x0000000100ae9df8 (possible pointer authentication failure)",
    0x2000_0001_00ae_9df8n,
  );
  assertStringIncludes(signed, "the program jumped there.");
  const region = (protection: string): string =>
    "\n\nVM Region Info: 0x104567003 is in 0x104560000-0x104570000;\n" +
    `--->  __TEXT   104560000-104570000 [64K] ${protection}\n`;
  const cut = jump("0x0000000104567003", 0x1_0456_7003n, region(""));
  assert(!cut.includes("may not be executed"), cut);
  const data = jump("0x0000000104567003", 0x1_0456_7003n, region("rw-/rwx SM=COW"));
  assertStringIncludes(data, "into memory that may not be executed");
});

Deno.test("Intel: how memory was used, by the trap and error among the registers of JSON", () => {
  const used = (err: number): string =>
    told(`{"app_name":"Bakery","bug_type":"309"}\n${
      JSON.stringify({
        procName: "Bakery",
        cpuType: "X86-64",
        exception: {
          type: "EXC_BAD_ACCESS",
          signal: "SIGSEGV",
          subtype: "KERN_INVALID_ADDRESS at 0x0000000120000000",
          rawCodes: [1, 0x120000000],
        },
        faultingThread: 0,
        threads: [{
          triggered: true,
          threadState: {
            flavor: "x86_THREAD_STATE",
            rip: { value: 0x100001000 },
            trap: { value: 14, description: "(no mapping for user data write)" },
            err: { value: err },
          },
          frames: [{ imageOffset: 4096, imageIndex: 0, symbol: "bake()", symbolLocation: 4 }],
        }],
        usedImages: [{
          base: 0x100000000,
          size: 8192,
          name: "Bakery",
          path: "/Applications/Bakery",
        }],
      })
    }`).what;
  assertStringIncludes(used(6), "It was a write.");
  assertStringIncludes(used(4), "It was a read.");
  assert(!/It was a (?:read|write)/.test(used(0)));
});

Deno.test("an arithmetic exception of a CPU that a copy does not name may be a division", () => {
  const causes = (code: string): string =>
    told(
      `${code}Exception Type: EXC_ARITHMETIC (SIGFPE)\n\nThread 0 Crashed:\n` +
        "0   Bakery   0x0000000100004000 bake + 4\n",
    ).causes;
  assertStringIncludes(causes(""), "an integer divided by zero");
  assert(!causes("Code Type: ARM-64\n").includes("divided"));
});

Deno.test("text in the register that an access went by, where pointers have four bytes", () => {
  const powerpc = (address: string) =>
    told(
      `Command: Shop\nPath: /Users/me/Shop.app/Contents/MacOS/Shop\nPID: 391\nThread: 0\n
Exception:  EXC_BAD_ACCESS (0x0001)\nCodes:      KERN_INVALID_ADDRESS (0x0001) at ${address}\n
Thread 0 Crashed:
0   <<00000000>> \t0xfffeff18 objc_msgSend_rtp + 24
1   com.apple.Foundation         \t0x92874a68 +[NSNumber numberWithInt:] + 56
2   org.example.Shop \t0x00003310 -[Shop open:] + 76 (crt.c:355)\n
Thread 0 crashed with PPC Thread State 64:
  srr0: 0x00000000fffeff18 srr1: 0x000000000200f030                        vrsave: 0x0000000000000000
    r0: 0x0000000090742618   r1: 0x00000000bfffe750   r2: 0x0000000063617274   r3: 0x00000000003535a0
`,
    ).what;
  assertStringIncludes(
    powerpc("0x63617294"),
    'The address: it comes of r2, whose bytes are the text "cart": text in place of a pointer.',
  );
  assert(!powerpc("0x63618294").includes("cart"));
  const intel = told(
    `Process: Shop [1]\nCode Type: X86 (Native)\nException Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x7472616b\n
Thread 0 Crashed:\n${
      frameLines(["libobjc.A.dylib objc_msgSend + 24", "Shop -[Shop open:] + 76"], 0x3000).join(
        "\n",
      )
    }\n
Thread 0 crashed with X86 Thread State (32-bit):
  eax: 0x00000001  ebx: 0x00000002  ecx: 0x74726163  edx: 0x00000003
`,
  ).what;
  assertStringIncludes(intel, 'it comes of ecx, whose bytes are the text "cart"');
});

Deno.test("a line of the object that old programs start with is none of the function's", () => {
  const report = readReport(
    "Exception:  EXC_BAD_ACCESS (0x0001)\nCodes:      KERN_INVALID_ADDRESS (0x0001) at 0x8\n\nThread 0 Crashed:\n" +
      "0   org.example.Shop \t0x00003310 -[Shop open:] + 76 (crt.c:355)\n1   org.example.Shop \t0x00003410 main + 76 (main.m:12)\n",
    "x",
  );
  assertEquals(report.threads[0].frames.map(({ symbol, file }) => [symbol, file]), [
    ["-[Shop open:]", null],
    ["main", "main.m"],
  ]);
});

Deno.test("what a message was sent to never was an object, by its address", () => {
  const sent = (address: string, values: Readonly<Record<string, bigint>>) =>
    told(crash(access(address), ["libobjc.A.dylib objc_msgSend + 20", ...end], registers(values)));
  const odd = sent("0x0000000000010210", { x0: 0x1_0abc_0032n, x16: 0x1_0200n });
  assertStringIncludes(
    odd.what,
    "A message was sent to an invalid object: 0x10abc0032 cannot be an object's address, which is always a multiple of 8.",
  );
  assertStringIncludes(
    odd.what,
    "what was passed as an object is 0x10abc0032, not null: what was read from there as its class is no pointer (0x10200)",
  );
  assertStringIncludes(odd.causes, "something else than an object");
  assert(!odd.causes.includes("deallocated"), odd.causes);
  const far = sent("0x0000bc73f448b4b0", { x0: 0xbc73_f448_b4b0n });
  assertStringIncludes(far.what, "cannot be an object's address, which has no more than 47 bits");
  // One that an object may be at, and one that is tagged.
  for (const x0 of [0x1_0abc_0030n, 0xb000_0000_0000_0032n]) {
    const valid = sent("0x0000000000010210", { x0, x16: 0x1_0200n });
    assertStringIncludes(valid.what, "usually one that was already deallocated");
    assertStringIncludes(valid.causes, "an object used after it was deallocated");
  }
});

Deno.test("registers that a function does not use as is thought, or that are its caller's", () => {
  // The object of what returns a structure is in the second register.
  const intel = told(
    crash(
      access("0x0000000000000018"),
      ["libobjc.A.dylib objc_msgSend_stret + 20", ...end],
      ["  rdi: 0x00007ff7bfe001a0  rsi: 0x0000600001234560  rax: 0x0000000000000001"],
    ).replace("ARM-64", "X86-64").replace("ARM Thread State (64-bit)", "X86 Thread State (64-bit)"),
  );
  assertStringIncludes(intel.what, "the object is at 0x600001234560");
  // Swift's function counts references, and reads no class.
  const swift = told(crash(
    access("0x0000000000000010"),
    ["libswiftCore.dylib swift_release + 8", ...end],
    registers({ x0: 0x1_0abc_0000n }),
  ));
  assertStringIncludes(swift.what, "the object is at 0x10abc0000, not null: what was read by way");
  assert(!swift.what.includes("as its class"), swift.what);
  // So an empty string of Swift looks, which a caller keeps.
  const sent = (name: string, value: bigint): string =>
    told(crash(
      access("0x0000000000000010"),
      ["libobjc.A.dylib objc_msgSend + 20", ...end],
      registers({ x0: 0x1_0abc_0000n, x16: 0n, [name]: value }),
    )).what;
  assertStringIncludes(sent("x14", 0x7000_0000_0000_0000n), "freed before, almost certainly");
  assert(!sent("x21", 0x7000_0000_0000_0000n).includes("freed"));
  assert(!sent("x10", 0xe000_0000_0000_0000n).includes("freed"));
  // Behind a handler that aborted, the registers are those of abort().
  const handled = told(
    crash(
      access("0x0000000000000018").replace("(SIGSEGV)", "(SIGABRT)"),
      [
        "libsystem_kernel.dylib __pthread_kill + 10",
        "libsystem_c.dylib abort + 127",
        "Bakery onSignal + 30",
        "libsystem_platform.dylib _sigtramp + 26",
        "libobjc.A.dylib objc_msgSend + 29",
        ...end,
      ],
      ["  rdi: 0x0000000000000103  rsi: 0x0000000000000006  rsp: 0x00007ff7bfe001a0"],
    ).replace("ARM-64", "X86-64").replace("ARM Thread State (64-bit)", "X86 Thread State (64-bit)"),
  );
  assert(!handled.what.includes("0x103"), handled.what);
  // Where a register has the very number, it need not be null.
  const read = (value: bigint): string =>
    told(crash(access("0x18"), end, registers({ x8: 0n, x0: value }))).what;
  assertStringIncludes(read(0x18n), "null plus 24, or a small number in place of a pointer");
  assertStringIncludes(read(0x1_0abc_0000n), "null plus 24, as from a member");
});

Deno.test("a jump to the stack is no full stack; in arm64 no pointer to data was signed; fillings", () => {
  const jumped = told(crash(
    access("0x16f1fe000").replace("INVALID_ADDRESS", "PROTECTION_FAILURE"),
    ["??? ???", ...end],
    registers({ pc: 0x1_6f1f_e000n, sp: 0x1_6f1f_e400n, fp: 0x1_6f1f_e440n }),
  ));
  assert(!jumped.what.includes("full"), jumped.what);
  const signed = (arch: string): string =>
    told(
      crash(
        "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Subtype: KERN_INVALID_ADDRESS at 0x0040000100ae9df8 -> 0x0000000100ae9df8 (possible pointer authentication failure)",
        end,
        registers({}),
      ) + `\nBinary Images:\n0x100000000 - 0x10000ffff Bakery ${arch}  ` +
        "<00000000000000000000000000000001> /Applications/Bakery.app/Contents/MacOS/Bakery\n",
    ).what;
  assertStringIncludes(signed("arm64e"), "a pointer's authentication may have failed");
  assertStringIncludes(signed("arm64"), "a possible failure of a pointer's authentication");
  assertStringIncludes(signed("arm64"), "the program is of arm64 and not arm64e, and signs none");
  const words = (address: string, arch = "ARM-64"): string =>
    told(crash(access(address), end).replace("ARM-64", arch)).what;
  const member = told(
    crash(access("0x0065646f436c6175"), end, registers({ x16: 0x0065_646f_436c_6165n })),
  ).what;
  assertStringIncludes(member, 'it comes of x16, whose bytes are the text "ealCode"');
  assertStringIncludes(words("0x0065646f436c6175"), "to whose first byte the offset");
  assertStringIncludes(words("0xaaaaaaaaaaaaaaaa"), "by malloc (MallocPreScribble), by Clang");
  assertStringIncludes(words("0x5a5a5a5a5a5a5a62"), "jemalloc");
  assert(!words("0x5555555555555555").includes("fuzzers"));
  assertStringIncludes(words("0x55555555", "X86"), "what malloc writes over freed memory");
});

Deno.test("codes of Intel's CPUs: a stack fault is no trap, a floating-point trap no division by zero", () => {
  const code = (type: string, number: string) =>
    told(
      crash(`Exception Type:  ${type}\nException Codes: ${number}, 0x0`, end).replace(
        "ARM-64",
        "X86-64 (Native)",
      ),
    );
  const fault = code("EXC_BAD_INSTRUCTION (SIGILL)", "0x000000000000000c");
  assertStringIncludes(fault.what, "EXC_I386_STKFLT");
  assert(!/ud2|check failed/.test(fault.what), fault.what);
  // In 32 bits no address is not canonical.
  const narrow = told(
    crash("Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nException Codes: EXC_I386_GPFLT", end)
      .replace("ARM-64", "X86 (Native)"),
  );
  assertStringIncludes(narrow.what, "whose address is not aligned to 16 bytes");
  assert(!narrow.what.includes("canonical") && !narrow.causes.includes("freed"), narrow.what);
  const floating = code("EXC_ARITHMETIC (SIGFPE)", "0x0000000000000008");
  assertStringIncludes(floating.what, "a floating-point operation met an exception");
  assert(!floating.causes.includes("divided by zero"), floating.causes);
});

Deno.test("a signal that met a thread in a call was not raised there; what Intel's int3 and ARM's trap say", () => {
  const met = (call: string): string =>
    told(crash("Exception Type:  EXC_CRASH (SIGABRT)\nException Codes: 0x0, 0x0", [
      `libsystem_kernel.dylib ${call} + 8`,
      ...end,
    ])).what;
  assertStringIncludes(met("read"), "nothing on the crashed thread's stack raised it");
  assert(!met("read").includes("abort()"), met("read"));
  assert(!met("__pthread_kill").includes("nothing on"), met("__pthread_kill"));
  const trap = told(
    crash("Exception Type:  EXC_BREAKPOINT (SIGTRAP)\nException Codes: 0x2, 0x0", end).replace(
      "ARM-64",
      "X86-64 (Native)",
    ),
  ).what;
  assertStringIncludes(trap, "Whether a check failed, and which");
  // Codes of zeros are of no trap.
  const sent = told(crash("Exception Type:  EXC_CRASH (SIGTRAP)\nException Codes: 0x0, 0x0", end));
  assertStringIncludes(sent.what, "most likely the signal was sent");
  const narrow = told(
    crash("Exception Type:  EXC_BAD_INSTRUCTION (SIGILL)\nException Codes: 0x1, 0xdefe", end)
      .replace("ARM-64", "ARM"),
  ).what;
  assertStringIncludes(narrow, "The instruction was 0xdefe, the compiler's trap");
  const line = told("Thread 1: EXC_BAD_INSTRUCTION (code=EXC_ARM_UNDEFINED, subcode=0x0)\n").what;
  assert(!line.includes("Intel"), line);
});

Deno.test("a trap that is not the compiler's is no check of Swift; hidden names are no recursion", () => {
  const trap = (number: string): string =>
    told(crash("Exception Type:  EXC_BREAKPOINT (SIGTRAP)", [
      "Bakery Oven.bake(bread:) + 20",
      "Bakery main + 8",
    ], [...registers({}), `  esr: 0xf200${number} (Breakpoint) brk`])).what;
  assertStringIncludes(trap("0001"), "A check of Swift failed");
  assert(!trap("c471").includes("A check of Swift"), trap("c471"));
  const templates = told(crash("Exception Type:  EXC_BREAKPOINT (SIGTRAP)", [
    "Bakery void oven::bake<Args...>() + 20",
    "Bakery main + 8",
  ])).what;
  assert(!templates.includes("Swift"), templates);
  // Cleaning a cache is told as a write.
  const cleaned = told(crash(
    access("0x16f1fe000"),
    end,
    [...registers({}), "  far: 0x16f1fe000  esr: 0x92000147 (Data Abort)"],
  ));
  assert(!cleaned.what.includes("a write"), cleaned.what);
  assertStringIncludes(trap("c471"), "a pointer's authentication failed");
  assert(!/Which check|check of Swift/.test(trap("f000")), trap("f000"));
  const hidden = told(crash(
    access("0x16f1fe000"),
    Array.from({ length: 40 }, () => "Bakery <redacted> + 20"),
    registers({ sp: 0x1_6f1f_e010n }),
  ));
  assert(!hidden.what.includes("<redacted> is on it"), hidden.what);
});

Deno.test("a function for strings that was passed text, or data, as a pointer", () => {
  const passed = (
    address: string,
    value: bigint,
    name = "libsystem_platform.dylib _platform_strlen + 4",
  ) => told(crash(access(address), [name, ...end], registers({ x0: value })));
  const text = passed("0x676e696b61625f50", 0x676e_696b_6162_5f5fn);
  assertStringIncludes(
    text.what,
    'it is x0 rounded down, as the function reads; the bytes of x0 are the text "__baking"',
  );
  assert(!text.causes.includes("freed, or does not end"), text.causes);
  assertStringIncludes(text.causes, "it was overwritten");
  const wide = passed(
    "0x676e696b61625f60",
    0x676e_696b_6162_5f75n,
    "libsystem_platform.dylib _platform_strcmp + 4",
  );
  assertStringIncludes(wide.what, 'the text "u_baking"');
  const other = passed("0x676e696b61625f50", 0x676e_696b_6162_5f5fn, "Bakery knead + 4");
  assert(!other.what.includes("rounded"), other.what);
  const data = passed("0x1741a4f9ef469980", 0x1741_a4f9_ef46_998dn);
  assert(!data.causes.includes("already freed"), data.causes);
  assertStringIncludes(passed("0x0000000122334000", 0x1_2233_4000n).causes, "already freed");
});

Deno.test("an address whose bits are not those of a failed authentication", () => {
  const at = (address: string): string =>
    told(crash(
      access(`${address} -> 0x0000000100ae9df8 (possible pointer authentication failure)`),
      end,
      registers({}),
    )).what;
  for (const failed of ["0x0020000100ae9df8", "0x0040000100ae9df8", "0x4000000100ae9df8"]) {
    assertStringIncludes(at(failed), "may have failed; the pointer was 0x100ae9df8");
  }
  for (const other of ["0x0002000100ae9df8", "0x1741a4f900ae9df8", "0x0060000100ae9df8"]) {
    assertStringIncludes(at(other), "not those that a failed authentication leaves");
    assert(!at(other).includes("the pointer was"), at(other));
  }
});

Deno.test("what an engine compiled is no library", () => {
  const image = (name: string, base: number, path?: string): unknown => ({
    name,
    base,
    size: 0x10000,
    source: path === undefined ? "J" : "P",
    ...path === undefined ? {} : { path },
  });
  const text = (compiled: string): string =>
    `{"app_name":"Oven","bug_type":"309"}\n${
      JSON.stringify({
        procName: "Oven",
        procPath: "/System/Library/CoreServices/Oven.app/Oven",
        cpuType: "ARM-64",
        exception: {
          type: "EXC_BAD_ACCESS",
          signal: "SIGSEGV",
          subtype: "KERN_INVALID_ADDRESS at 0x0000000120000010",
          rawCodes: [1, 0x1_2000_0010],
        },
        faultingThread: 0,
        threads: [{
          triggered: true,
          frames: [
            { imageOffset: 64, imageIndex: 0, symbol: "jsc_llint_op_bake", symbolLocation: 4 },
            { imageOffset: 96, imageIndex: 1 },
            {
              imageOffset: 128,
              imageIndex: 0,
              symbol: "JSC::Interpreter::executeCall()",
              symbolLocation: 8,
            },
            { imageOffset: 160, imageIndex: 2, symbol: "main", symbolLocation: 8 },
            { imageOffset: 192, imageIndex: 3, symbol: "start", symbolLocation: 8 },
          ],
        }],
        usedImages: [
          image(
            "JavaScriptCore",
            0x1_9000_0000,
            "/System/Library/Frameworks/JavaScriptCore.framework/JavaScriptCore",
          ),
          image(compiled, 0x1_3000_0000),
          image("Oven", 0x1_0000_0000, "/System/Library/CoreServices/Oven.app/Oven"),
          image("dyld", 0x1_8000_0000, "/usr/lib/dyld"),
        ],
      })
    }`;
  for (const compiled of ["JIT", "???"]) {
    const report = readReport(text(compiled), "Oven.ips");
    const { deciding, absent } = attributeReport(report);
    assert(deciding?.library !== compiled, compiled);
    assert(absent !== "some images", compiled);
  }
});

Deno.test("a short string of Swift in the registers of a check of its library", () => {
  const checked = (
    values: Readonly<Record<string, bigint>>,
    name = "libswiftCore.dylib ???",
  ): string =>
    told(crash("Exception Type:  EXC_BREAKPOINT (SIGTRAP)", [name, ...end], registers(values)))
      .what;
  // "Dough is out"
  const [first, last] = [0x6920_6867_756f_44n | 0x73n << 56n, 0xec00_0000_7475_6f20n];
  assertStringIncludes(
    checked({ x25: first, x0: last, x19: last }),
    'Its registers hold the Swift string "Dough is out" (x25 and x0), which may be of its message.',
  );
  assertStringIncludes(checked({ x1: 0x6874_6f72_66n, x2: 0xe500_0000_0000_0000n }), '"froth"');
  const others: readonly Readonly<Record<string, bigint>>[] = [
    { x0: last },
    { x25: first, x0: 0xec00_0000_0075_6f20n },
    { x25: first, x26: 0x6464_6464_6464_6464n, x0: last },
  ];
  for (const values of others) assert(!checked(values).includes("Swift string"));
  assert(!checked({ x25: first, x0: last }, "Bakery bake() + 8").includes("Swift string"));
});

Deno.test("an old system starts the application in an event that is none of its interface", () => {
  const started = (inner: string): string =>
    told(crash(
      access("0x0000000122334000"),
      [
        "Bakery ???",
        `UIKit ${inner} + 576`,
        "UIKit -[UIApplication handleEvent:withNewEvent:] + 1516",
        "UIKit -[UIApplication sendEvent:] + 60",
        "UIKit _UIApplicationHandleEvent + 4528",
        ...end,
      ],
    )).what;
  for (
    const inner of [
      "-[UIApplication _performInitializationWithURL:sourceBundleID:]",
      "-[UIApplication _runWithURL:payload:launchOrientation:statusBarStyle:statusBarHidden:]",
      "-[UIApplication _callInitializationDelegatesForURL:payload:suspended:]",
    ]
  ) {
    assertStringIncludes(started(inner), "It was while the app was starting.");
  }
  assertStringIncludes(
    started("-[UIWindow _oven:]"),
    "while an event of the user interface was handled",
  );
});
