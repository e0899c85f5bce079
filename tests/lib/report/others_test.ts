/** What else took part in a crash: other threads, code that was put into the program, handlers, and what a thread was within. */
import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { attributeReport, explainReport, readReport } from "../../../lib/report/mod.ts";
import { frameLines } from "./fixtures.ts";
import { processorTime } from "../../processor_time.ts";

/** What is told of a report's text. */
const toldOf = (text: string): string => explainReport(readReport(text, "x")).happened.join("\n");

/** A crash text of a program on macOS. */
function crash(
  {
    exception = ["EXC_BAD_ACCESS (SIGSEGV)", "KERN_INVALID_ADDRESS at 0x0000000000000008"],
    information = [],
    crashed = 0,
    threads,
    registers = [],
    images = [],
  }: {
    exception?: string[];
    information?: string[];
    crashed?: number;
    threads: readonly (readonly string[])[];
    registers?: string[];
    images?: string[];
  },
): string {
  const [type, codes] = exception;
  return [
    "Process:               MyApp [123]",
    "Path:                  /Applications/MyApp.app/Contents/MacOS/MyApp",
    "Code Type:             X86-64 (Native)",
    `Crashed Thread:        ${crashed}`,
    "",
    `Exception Type:        ${type}`,
    ...codes === undefined ? [] : [`Exception Codes:       ${codes}`],
    "",
    ...information.length === 0 ? [] : ["Application Specific Information:", ...information, ""],
    ...threads.flatMap((stack, at) => [
      `Thread ${at}${at === crashed ? " Crashed" : ""}:${
        at === 0 ? ": Dispatch queue: com.apple.main-thread" : ""
      }`,
      ...frameLines(stack),
      "",
    ]),
    ...registers,
    ...images.length === 0 ? [] : ["", "Binary Images:", ...images],
    "",
  ].join("\n");
}

function told(text: string): { happened: string; causes: readonly string[]; check: string } {
  const { happened, causes, check } = explainReport(readReport(text, "x"));
  return { happened: happened.join("\n"), causes, check: check.join("\n") };
}

const loop = [
  "AppKit -[NSApplication run] + 100",
  "AppKit NSApplicationMain + 40",
  "MyApp main + 20",
  "dyld start + 4",
];
const worker = ["MyApp Pool::run() + 40", "libsystem_pthread.dylib _pthread_start + 8"];

Deno.test("the main thread ended the process while another thread still worked", () => {
  const used = ["MyApp Table::find(int) + 16", ...worker];
  const ending = [
    "libsystem_kernel.dylib __psynch_cvwait + 8",
    "MyApp Pool::~Pool() + 60",
    "libsystem_c.dylib __cxa_finalize_ranges + 460",
    "libsystem_c.dylib exit + 40",
    "AppKit -[NSApplication terminate:] + 1000",
    ...loop,
  ];
  const found = told(crash({ crashed: 1, threads: [ending, used] }));
  assertStringIncludes(
    found.happened,
    "the main thread was ending the process by exit(), from -[NSApplication terminate:], which destroys static objects while other threads still run: it was in Pool::~Pool.",
  );
  assertStringIncludes(found.causes[0], "destroyed by exit()");

  const quitting = ["MyApp -[Delegate applicationWillTerminate:] + 8", ...ending.slice(4)];
  const quit = told(crash({ crashed: 1, threads: [quitting, used] }));
  assertStringIncludes(quit.happened, "the main thread was quitting the program");
  assertStringIncludes(quit.causes[0], "null");

  // The thread that ends the process itself is no other one.
  assert(!told(crash({ threads: [ending, used] })).happened.includes("At that moment"));
});

Deno.test("two threads within Hermes, which takes one at a time", () => {
  const inside = (inner: string): string[] => [
    inner,
    "hermes facebook::hermes::(anonymous namespace)::HermesRuntimeImpl::call(facebook::jsi::Function const&) + 8",
    ...worker,
  ];
  const both = [
    inside("hermes hermes::vm::GCBase::markWeakRoots() + 8"),
    inside("hermes hermes::vm::JSObject::create() + 8"),
  ];
  assertStringIncludes(
    told(crash({ crashed: 1, threads: both })).happened,
    `Thread 0 "com.apple.main-thread" ran code of Hermes too, in hermes::vm::GCBase::markWeakRoots: one run-time of Hermes may be used by one thread at a time; whether both used the same one is not in the report.`,
  );
  // What makes an error of JavaScript uses the run-time, whatever it asks for meanwhile.
  const converting = [
    "Foundation -[_NSCallStackArray objectAtIndex:] + 120",
    "React facebook::react::TurboModuleConvertUtils::convertNSExceptionToJSError(facebook::jsi::Runtime&, NSException*) + 8",
    ...worker,
  ];
  const beside = told(crash({ crashed: 1, threads: [converting, both[1]] }));
  assertStringIncludes(
    beside.happened,
    "used a run-time of JavaScript too, in facebook::react::TurboModuleConvertUtils::convertNSExceptionToJSError",
  );
  assertStringIncludes(beside.causes.join(), "raised an Objective-C exception");
  // Without the names of the program's functions, the queue and what is read of the exception tell it.
  const nameless = crash({
    crashed: 1,
    threads: [
      ["Foundation -[_NSCallStackArray objectAtIndex:] + 120", ...worker],
      ["hermes hermes::vm::HiddenClass::findProperty() + 8", ...worker],
    ],
  });
  assert(!told(nameless).happened.includes("call stack of an Objective-C exception"));
  const queued = told(
    nameless.replace(/com\.apple\.main-thread/, "com.meta.react.turbomodulemanager.queue"),
  );
  assertStringIncludes(
    queued.happened,
    "read the call stack of an Objective-C exception, in -[_NSCallStackArray objectAtIndex:]: so does React Native",
  );
  assertStringIncludes(queued.causes.join(), "raised an Objective-C exception");
  // Nothing else makes an error of JavaScript on that queue.
  const error = crash({
    crashed: 1,
    threads: [
      [
        "hermes facebook::hermes::HermesRuntimeImpl::getProperty(facebook::jsi::Object const&) + 8",
        "hermes facebook::jsi::JSError::JSError(facebook::jsi::Runtime&, facebook::jsi::Value&&) + 8",
        "Modules 0x90000 + 8",
        ...worker,
      ],
      both[1],
    ],
  });
  assert(!told(error).happened.includes("made an error"), told(error).happened);
  const made = told(
    error.replace(/com\.apple\.main-thread/, "com.meta.react.turbomodulemanager.queue"),
  );
  assertStringIncludes(
    made.happened,
    "Thread 0 made an error of JavaScript on the queue of native modules: so does React Native",
  );
  assertStringIncludes(made.causes.join(), "raised an Objective-C exception");
  // The collector's own thread makes no call into it.
  const collector = ["hermes hermes::vm::HadesGC::Executor::worker() + 8", ...worker];
  assert(
    !told(crash({ crashed: 1, threads: [collector, both[1]] })).happened.includes("Hermes too"),
  );
});

Deno.test("two threads within another engine, which takes one at a time", () => {
  const used = (crashed: readonly string[], other: readonly string[]): string =>
    told(crash({ crashed: 1, threads: [[...other, ...worker], [...crashed, ...worker]] })).happened;
  const lua = ["MyApp luaH_getstr + 8", "MyApp luaV_execute + 80"];
  assertStringIncludes(
    used(lua, ["MyApp luaC_step + 8"]),
    `Thread 0 "com.apple.main-thread" ran code of Lua too, in luaC_step: a state of Lua, with all its coroutines, may be used by one thread at a time; whether both used the same one is not in the report.`,
  );
  const sqlite = ["libsqlite3.dylib sqlite3VdbeExec + 8", "libsqlite3.dylib sqlite3_step + 80"];
  assertStringIncludes(used(sqlite, sqlite), "ran code of SQLite too, in sqlite3VdbeExec");
  // One that waits for the lock does as it has to.
  const waits = [
    "libsystem_kernel.dylib __psynch_mutexwait + 8",
    "libsqlite3.dylib sqlite3_step + 8",
  ];
  assert(!used(sqlite, waits).includes("too, in"));
  // A fault elsewhere has nothing to do with it.
  assert(!used(["MyApp Pool::take(int) + 8"], sqlite).includes("SQLite"));
  // A thread of Python that waits has given its lock up.
  const python = ["Python _PyEval_EvalFrameDefault + 8"];
  assertStringIncludes(used(["Python dict_get + 8", ...python], python), "ran code of CPython too");
  assert(!used(python, ["libsystem_kernel.dylib __select + 8", ...python]).includes("CPython"));

  const context = ["CoreData -[NSManagedObject valueForKey:] + 8", "MyApp -[Store save] + 8"];
  const aside = used(context, ["AppKit -[NSApplication run] + 8"]);
  assertStringIncludes(
    aside,
    "Thread 1 was in Core Data, and no call of perform() is on its stack: a context and its objects may be used in perform()",
  );
  const performed = [
    ...context,
    "CoreData developerSubmittedBlockToNSManagedObjectContextPerform + 8",
  ];
  assert(!used(performed, context).includes("Core Data"));
});

Deno.test("a jailbreak's libraries on the stack, and the framework that called the program, without names", () => {
  const images = [
    "0x100000000 - 0x10000ffff MyApp arm64 <00000000000000000000000000000001> /var/containers/Bundle/Application/1/MyApp.app/MyApp",
    "0x103000000 - 0x10300ffff Hook.dylib arm64 <00000000000000000000000000000002> /Library/MobileSubstrate/DynamicLibraries/Hook.dylib",
    "0x185000000 - 0x18500ffff CoreLocation arm64 <00000000000000000000000000000003> /System/Library/Frameworks/CoreLocation.framework/CoreLocation",
  ];
  const text = [
    "Process:         MyApp [12]",
    "Path:            /var/containers/Bundle/Application/1/MyApp.app/MyApp",
    "Code Type:       ARM-64",
    "OS Version:      iPhone OS 9.1 (13B143)",
    "",
    "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000000",
    "",
    "Thread 0 Crashed:",
    "0   MyApp          0x0000000100001000 0x100000000 + 4096",
    "1   Hook.dylib     0x0000000103000100 0x103000000 + 256",
    "2   CoreLocation   0x0000000185000200 0x185000000 + 512",
    "",
    "Binary Images:",
    ...images,
    "",
  ].join("\n");
  const { happened } = told(text);
  const hooked = (path: string) => {
    const moved = text.replace("0   MyApp          0x0000000100001000 0x100000000 + 4096\n1 ", "0 ")
      .replace("/Library/MobileSubstrate/DynamicLibraries/Hook.dylib", path);
    const { isTweak, isOutside } = attributeReport(readReport(moved, "x"));
    return [isTweak, isOutside];
  };
  assertEquals(hooked("/Library/MobileSubstrate/DynamicLibraries/Hook.dylib"), [true, true]);
  assertEquals(hooked("/usr/lib/TweakInject/Hook.dylib")[0], true);
  assertEquals(hooked("/var/jb/Library/Hook/Hook.dylib")[0], true);
  assertEquals(hooked("/Library/Hook/Plugins/Hook.dylib"), [true, true]);
  assertEquals(hooked("/var/containers/Bundle/Application/1/MyApp.app/Hook.dylib"), [false, false]);
  assertStringIncludes(happened, "It was called by CoreLocation.");
  assertStringIncludes(happened, "libraries that a jailbreak put into the program: Hook.dylib.");
});

Deno.test("a signal that ended the process is not the waiting thread's that took it", () => {
  const waits = [
    "libsystem_kernel.dylib kevent64 + 10",
    "libdispatch.dylib _dispatch_mgr_invoke + 239",
    "libdispatch.dylib _dispatch_mgr_thread + 52",
  ];
  const stopped = [
    "libobjc.A.dylib _objc_trap() + 0",
    "libobjc.A.dylib _objc_fatal + 195",
    "libobjc.A.dylib cache_t::bad_cache(objc_object*, objc_selector*, objc_class*, bucket_t*) + 247",
    "MyApp -[Grid drag:] + 10",
    ...loop,
  ];
  const exception = ["EXC_CRASH (SIGILL)", "0x0000000000000000, 0x0000000000000000"];
  const text = crash({ exception, crashed: 1, threads: [stopped, waits] });
  const explained = explainReport(readReport(text, "x"));
  assertEquals(explained.thread?.index, 0);
  assertStringIncludes(
    explained.happened.join("\n"),
    "Thread 1, which the report calls the crashed one, only waited; it was thread 0 that stopped the program.",
  );
  assertEquals(attributeReport(readReport(text, "x")).deciding?.frame.symbol, "-[Grid drag:]");
  // Two that stopped do not tell which one it was.
  const two = crash({ exception, crashed: 1, threads: [stopped, waits, stopped] });
  assertEquals(explainReport(readReport(two, "x")).thread?.index, 1);
});

Deno.test("text at the program counter is no instruction", () => {
  const bytes = "typeof\0void\0new\0delete\0in\0of\0let\0";
  const body = (atPC: string): string =>
    `{"app_name":"MyApp","bug_type":"309"}\n${
      JSON.stringify({
        procName: "MyApp",
        cpuType: "ARM-64",
        exception: { type: "EXC_BAD_INSTRUCTION", signal: "SIGILL", rawCodes: [1, 0x65707974] },
        instructionByteStream: { beforePC: btoa(bytes), atPC },
        faultingThread: 0,
        threads: [{
          triggered: true,
          frames: [{ imageOffset: 64, imageIndex: 0 }, {
            imageOffset: 32,
            imageIndex: 0,
            symbol: "look(int)",
            symbolLocation: 4,
          }],
        }],
        usedImages: [{
          base: 0x100000000,
          size: 4096,
          name: "MyApp",
          path: "/Applications/MyApp",
          uuid: "0".repeat(32),
        }],
      })
    }`;
  const found = told(body(btoa(bytes)));
  assertStringIncludes(
    found.happened,
    'are text ("typeof"): it is data, to which the program jumped.',
  );
  assertStringIncludes(found.causes[0], "a function pointer, method or return address");
  assert(!found.check.includes("disassemble"));
  const code = told(body(btoa(`type${"\x08\x01\x40\xf9".repeat(6)}`)));
  assertStringIncludes(code.happened, "The instruction was 0x65707974.");
  assertStringIncludes(code.causes[1], "code that was made wrongly");
});

Deno.test("Java's own handler of a signal, and where its log is", () => {
  const { happened } = told(crash({
    exception: ["EXC_BAD_ACCESS (SIGABRT)", "KERN_INVALID_ADDRESS at 0x0000000000000010"],
    threads: [[
      "libsystem_kernel.dylib __pthread_kill + 10",
      "libsystem_c.dylib abort + 129",
      "libjvm.dylib os::abort(bool) + 25",
      "libjvm.dylib VMError::report_and_die() + 2250",
      "libjvm.dylib JVM_handle_bsd_signal + 1131",
      "libsystem_platform.dylib _sigtramp + 26",
      "libui.jnilib Java_ui_Native_draw + 40",
      "dyld start + 4",
    ]],
  }));
  assertStringIncludes(
    happened,
    "The Java virtual machine's own handler of the signal then ended the process: its log (hs_err_pid) has the stack of Java's functions too.",
  );
});

Deno.test("a stack that is full says nothing of the heap in whose function it was", () => {
  const deep = Array.from({ length: 480 }, () => "MyApp Node::visit(int) + 60");
  const text = crash({
    exception: ["EXC_BAD_ACCESS (SIGBUS)", "KERN_PROTECTION_FAILURE at 0x000070000f3c5fd0"],
    threads: [[
      "libsystem_malloc.dylib tiny_malloc_from_free_list + 8",
      "libsystem_malloc.dylib szone_malloc_should_clear + 92",
      ...deep,
      ...worker,
    ]],
    registers: [
      "Thread 0 crashed with X86 Thread State (64-bit):",
      "  rsp: 0x000070000f3c6010  rip: 0x0000000100004000",
    ],
  });
  const { happened, causes } = told(text);
  assertStringIncludes(happened, "The stack overflowed by recursion: Node::visit(int)");
  assert(!happened.includes("heap"), happened);
  assertStringIncludes(causes[0], "recursion");
  const { absent, deciding } = attributeReport(readReport(text, "x"));
  assertEquals([absent, deciding?.frame.symbol], [null, "Node::visit(int)"]);
});

Deno.test("what an object was used for: an autorelease pool's release, an observer of a key", () => {
  const pool = told(crash({
    exception: ["EXC_BAD_ACCESS (SIGSEGV)", "0x000000000000000d, 0x0000000000000000"],
    information: ["objc_msgSend() selector name: release"],
    threads: [[
      "libobjc.A.dylib objc_msgSend + 16",
      "libobjc.A.dylib (anonymous~namespace)::AutoreleasePoolPage::pop(void*) + 434",
      "CoreFoundation _CFAutoreleasePoolPop + 37",
      ...loop,
    ]],
  }));
  assertStringIncludes(
    pool.happened,
    "most likely one that was already deallocated. It says: objc_msgSend() selector name: release",
  );
  assertStringIncludes(pool.causes[0], "released once too often before");

  const observer = told(crash({
    exception: ["EXC_BAD_ACCESS (SIGSEGV)", "EXC_I386_GPFLT"],
    threads: [[
      "libobjc.A.dylib object_isClass + 18",
      "Foundation KVO_IS_RETAINING_ALL_OBSERVERS_OF_THIS_OBJECT_IF_IT_CRASHES_AN_OBSERVER_WAS_OVERRELEASED_OR_SMASHED + 66",
      "Foundation NSKeyValueWillChangeWithPerThreadPendingNotifications + 282",
      ...loop,
    ]],
  }));
  assertStringIncludes(observer.happened, "An observer of a key was already deallocated");
});

Deno.test("wxWidgets' assertions: one that failed while another was handled; what was drawn meanwhile", () => {
  const shown = [
    "MyApp -[Canvas drawRect:] + 66",
    "AppKit -[NSView _drawRect:clip:] + 3703",
    "MyApp wxGUIAppTraitsBase::ShowAssertDialog(wxString const&) + 40",
    "MyApp wxAppConsoleBase::OnAssertFailure(wchar_t const*, int) + 40",
    "MyApp wxOnAssert(char const*, int, char const*) + 166 (appbase.cpp:1260)",
    "MyApp wxGrid::SelectRow(int) + 20 (grid.cpp:33)",
    ...loop,
  ];
  const again = told(crash({
    exception: ["EXC_BREAKPOINT (SIGTRAP)", "0x0000000000000002, 0x0000000000000000"],
    threads: [[
      "MyApp wxDefaultAssertHandler(wxString const&, int) + 31 (appbase.cpp:1159)",
      "MyApp wxOnAssert(char const*, int, char const*) + 166 (appbase.cpp:1260)",
      ...shown,
    ]],
  }));
  assertStringIncludes(
    again.happened,
    "An assertion of wxWidgets failed while another one was handled: there it stops the program.",
  );
  assert(!again.happened.includes("Which check failed"), again.happened);
  assertStringIncludes(
    told(crash({ threads: [shown] })).happened,
    "after an assertion of wxWidgets had failed, while it was handled",
  );
});

Deno.test("AppKit's heartbeat draws on a thread of its own", () => {
  const { happened } = told(crash({
    crashed: 1,
    threads: [loop, [
      "AppKit _NSLayoutTreeMoveToGlyphIndex + 87",
      "AppKit -[NSTextView drawRect:] + 1636",
      "MyApp -[Field drawRect:] + 8",
      "AppKit -[NSUIHeartBeat _heartBeatThread:] + 774",
      "Foundation __NSThread__start__ + 1200",
      "libsystem_pthread.dylib _pthread_start + 8",
    ]],
  }));
  assertStringIncludes(
    happened,
    "It was while AppKit's heartbeat drew what pulses, such as a default button",
  );
});

Deno.test("SIGQUIT comes from another process or from a terminal", () => {
  const { happened } = told(crash({
    exception: ["EXC_CRASH (SIGQUIT)", "0x0000000000000000, 0x0000000000000000"],
    threads: [["MyApp wait_for_it + 8", ...loop]],
  }));
  assertStringIncludes(
    happened,
    "asked to end by SIGQUIT, by another process or from its terminal",
  );
});

Deno.test("images of Mac OS X 10.3: a tab before the path, versions behind identifiers, what users put into Python", () => {
  const report = readReport(
    [
      "Date/Time:      2004-07-19 19:26:32 -0700",
      "OS Version:     10.3.4 (Build 7H63)",
      "Command: MyApp",
      "Path:    /Applications/MyApp.app/Contents/MacOS/MyApp",
      "",
      "Exception:  EXC_BAD_ACCESS (0x0001)",
      "Codes:      KERN_PROTECTION_FAILURE (0x0002) at 0x00000008",
      "",
      "Thread 0 Crashed:",
      "0   org.python.Python.framework \t0x95f5d6dc PyFrame_New + 0x20",
      "1   timer.so                    \t0x007ac4c0 fired + 0xf8 (timer.c:784)",
      "2   org.example.MyApp           \t0x00001454 main + 0x58",
      "",
      "Binary Images Description:",
      "    0x1000 -     0xafff org.example.MyApp 0.1a2 (0.1)\t/Applications/MyApp.app/Contents/MacOS/MyApp",
      "  0x7ac000 -   0x7acfff timer.so \t/System/Library/Frameworks/Python.framework/Versions/2.3/lib/python2.3/site-packages/x/timer.so",
      "0x95f48000 - 0x96001fff org.python.Python.framework 2.2\t/System/Library/Frameworks/Python.framework/Versions/2.3/Python",
      "",
    ].join("\n"),
    "x",
  );
  assertEquals(
    report.images.map(({ name, path, version }) => [name, path?.split("/").at(-1), version]),
    [
      ["org.example.MyApp", "MyApp", "0.1a2 (0.1)"],
      ["timer.so", "timer.so", null],
      ["org.python.Python.framework", "Python", "2.2"],
    ],
  );
  const { verdict, deciding } = attributeReport(report);
  assertEquals([verdict, deciding?.frame.symbol?.split(" ")[0]], ["program", "fired"]);
});

Deno.test("a lock that a signal's handler asks for, on the only thread", () => {
  const names = [
    "MyApp  main",
    "MyApp  release_lock",
    "libsystem_platform.dylib  _sigtramp",
    "MyApp  on_signal",
    "libsystem_pthread.dylib  _pthread_mutex_lock",
    "libsystem_kernel.dylib  __psynch_mutexwait",
  ];
  const text = [
    "Analysis of sampling MyApp (pid 12) every 1 millisecond",
    "Process:         MyApp [12]",
    "Path:            /Applications/MyApp.app/Contents/MacOS/MyApp",
    "",
    "Call graph:",
    "    90 Thread_7   DispatchQueue_1: com.apple.main-thread  (serial)",
    ...names.map((name, at) => {
      const [image, symbol] = name.split("  ");
      return `    ${"  ".repeat(at + 1)}90 ${symbol}  (in ${image}) + 8  [0x10000${at}000]`;
    }),
    "",
  ].join("\n");
  assertStringIncludes(
    told(`${text}\nTotal number in stack (recursive counted multiple, when >=5):\n`).happened,
    "It waited in the handler of a signal, which interrupted release_lock; the report has no other thread that could hold the lock: most likely the thread waits for itself.",
  );
  assertStringIncludes(
    told(text).happened,
    "It waited in the handler of a signal, which interrupted release_lock: if that held the lock, the thread waits for itself.",
  );
});

Deno.test("Rust's checks of pointers; a class in the child of a fork; JIT memory; frameworks named by a folder of macOS", () => {
  const of = (text: string) => {
    const report = readReport(text, "x");
    const { happened, causes, check } = explainReport(report);
    return {
      what: happened.join("\n"),
      causes: causes.join("\n"),
      check: check.join("\n"),
      deciding: attributeReport(report).deciding?.frame.symbol ?? null,
    };
  };
  const abort = ["EXC_CRASH (SIGABRT)", "0x0000000000000000, 0x0000000000000000"];
  // Rust, library/core/src/panicking.rs: the text of it is always the same.
  const pointer = of(crash({
    exception: abort,
    threads: [[
      "libsystem_c.dylib abort + 8",
      "MyApp core::panicking::panic_nounwind_fmt + 52",
      "MyApp core::panicking::panic_null_pointer_dereference + 56",
      "MyApp shop::scan + 8",
      "MyApp shop::main + 8",
    ]],
  }));
  assertStringIncludes(pointer.what, "Rust code used a raw pointer that is null");
  assert(!pointer.what.includes("not in the report"), pointer.what);
  assertEquals(pointer.deciding, "shop::scan");

  const forked = of(crash({
    exception: abort,
    information: ["crashed on child side of fork pre-exec"],
    threads: [[
      "libsystem_kernel.dylib abort_with_reason + 32",
      "libobjc.A.dylib _objc_fatal(char const*, ...) + 44",
      "libobjc.A.dylib performForkChildInitialize(objc_class*, objc_class*) + 400",
      "libobjc.A.dylib initializeNonMetaClass + 592",
      "libobjc.A.dylib _objc_msgSend_uncached + 68",
      "MyApp _$LT$$LP$$RP$$u20$as$u20$objc..message..MessageArguments$GT$::invoke::hf68c58806f4b5702 + 8",
      "MyApp objc::message::platform::send_unverified + 8",
      "MyApp shop::paste + 8",
    ]],
  }));
  assertStringIncludes(forked.what, "The Objective-C run-time stopped the child of a fork()");
  assertEquals(forked.deciding, "shop::paste");

  const writes = of(crash({
    exception: ["EXC_BREAKPOINT (SIGTRAP)", "0x0000000000000001, 0x0000000100004000"],
    threads: [["libsystem_pthread.dylib pthread_jit_write_protect_np + 520", "MyApp start + 8"]],
  }));
  assertStringIncludes(writes.causes, "com.apple.security.cs.allow-jit");

  const launch = (path: string) =>
    of(
      `Process: MyApp [1]
Path: ${path}/MyApp.app/MyApp
Exception Type: EXC_CRASH (SIGABRT)
Termination Reason: Namespace DYLD, Code 1, Library missing
Library not loaded: /Library/Frameworks/Core.framework/Core
Referenced from: ${path}/MyApp.app/MyApp
Reason: tried: '/Library/Frameworks/Core.framework/Core' (no such file)

Thread 0 Crashed:
0   dyld   \t0x00007fff5fc01028 __abort_with_payload + 8
`,
    );
  const phone = launch("/private/var/containers/Bundle/Application/5E441B0F");
  const simulator = launch("/Users/me/Library/Developer/CoreSimulator/Devices/7383ACFE/data");
  for (const { causes, check } of [phone, simulator]) {
    assertStringIncludes(causes, "whose install name is Xcode's default");
    assert(!causes.includes("product"), causes);
    assertStringIncludes(check, "@rpath");
  }
  assertStringIncludes(launch("/Applications").causes, "a product that is not installed");
});

Deno.test("Rust's library decides nothing; Core Foundation that was passed NULL; whom a service worked for", () => {
  const dropped = crash({
    exception: ["EXC_CRASH (SIGABRT)", "0x0000000000000000, 0x0000000000000000"],
    threads: [[
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 128",
      "libsystem_malloc.dylib malloc_report + 64",
      "libsystem_malloc.dylib find_zone_and_free + 528",
      "MyApp core::ptr::drop_in_place$LT$alloc..vec..Vec$LT$u8$GT$$GT$::h0123456789abcdef + 68 (mod.rs:523)",
      "MyApp <alloc::sync::Arc<T> as core::ops::drop::Drop>::drop::h0123456789abcdef + 8",
      "MyApp reclaim + 136 (lib.rs:58)",
      ...worker,
    ]],
  });
  assertEquals(attributeReport(readReport(dropped, "x")).deciding?.frame.symbol, "reclaim");
  const own = crash({ threads: [["MyApp core::Ptr::reset(int) + 4", ...worker]] });
  assertEquals(
    attributeReport(readReport(own, "x")).deciding?.frame.symbol,
    "core::Ptr::reset(int)",
  );

  const passed = told(crash({
    threads: [[
      "CoreFoundation _CFGetNonObjCTypeID + 10",
      "CoreFoundation CFBundleGetFunctionPointerForName + 18",
      "MyApp load + 66",
      ...loop,
    ]],
  }));
  assertStringIncludes(
    passed.happened,
    "A function of Core Foundation was called with NULL.",
  );

  const service = crash({
    threads: [["Metal compile + 8", "libxpc.dylib _xpc_connection_call_event_handler + 144"]],
  })
    .replaceAll(
      "/Applications/MyApp.app/Contents",
      "/System/Library/Frameworks/Metal.framework/XPCServices/MyApp.xpc/Contents",
    )
    .replace("Crashed Thread:", "Responsible:           Painter [77]\nCrashed Thread:");
  assertStringIncludes(
    told(service).happened,
    "It is a service of the system, which worked for Painter [77].",
  );
  // Blanks within a name cost time in proportion.
  const began = processorTime();
  told(service.replace("Painter [77]", `Painter${"\t".repeat(40_000)}[77 x`));
  assertLess(processorTime() - began, 1000);
});

Deno.test("which call of the C++ library failed with a system error", () => {
  const thrown = (call: string): string =>
    crash({
      exception: ["EXC_CRASH (SIGABRT)", "0x0000000000000000, 0x0000000000000000"],
      threads: [[
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_c.dylib abort + 180",
        "libc++abi.dylib abort_message + 132",
        "libc++abi.dylib demangling_terminate_handler() + 320",
        "libc++abi.dylib std::__terminate(void (*)()) + 16",
        "libc++abi.dylib __cxa_throw + 308",
        "libc++.1.dylib std::__1::__throw_system_error(int, char const*) + 100",
        `libc++.1.dylib ${call} + 40`,
        "MyApp Cache::~Cache() + 8",
        ...worker,
      ]],
    });
  const lock = told(thrown("std::__1::recursive_mutex::lock()"));
  assertStringIncludes(lock.happened, "A lock of a C++ mutex failed");
  assertStringIncludes(lock.causes[0], "already destroyed");
  assertStringIncludes(
    told(thrown("std::__1::thread::join()")).happened,
    "A std::thread could not be joined",
  );
  assertStringIncludes(
    told(thrown("std::__1::random_device::random_device()")).happened,
    "A call of the C++ library failed with a system error",
  );
});

Deno.test("a general protection fault: which registers hold no address, and when none does", () => {
  const names = [
    "rax",
    "rbx",
    "rcx",
    "rdx",
    "rdi",
    "rsi",
    "rbp",
    "r8",
    "r9",
    "r10",
    "r11",
    "r12",
    "r13",
    "r14",
    "r15",
  ];
  const faulted = (
    values: Record<string, string>,
    type = "EXC_BAD_ACCESS (SIGSEGV)",
    within = "MyApp read(Node*) + 4",
  ): string =>
    told(crash({
      exception: [type, "EXC_I386_GPFLT"],
      threads: [[within, ...loop]],
      registers: [
        "Thread 0 crashed with X86 Thread State (64-bit):",
        `  ${names.map((name) => `${name}: 0x${values[name] ?? "0000000105982fe0"}`).join("  ")}`,
        "  rsp: 0x00007fff5fbfe120  rip: 0x0000000100004000",
      ],
    })).happened;
  assertStringIncludes(
    faulted({ rax: "2000000000000000" }),
    "Of the registers, rax (0x2000000000000000) holds no address.",
  );
  assertStringIncludes(
    faulted({ rcx: "0070006d00690020" }),
    'rcx (0x70006d00690020, the text " imp")',
  );
  assertStringIncludes(faulted({}), "No register holds what is no address");
  const many = faulted({
    rax: "2000000000000000",
    rbx: "2000000000000000",
    rcx: "2000000000000000",
  });
  assert(!many.includes("register"), many);
  // What an autorelease pool overwrites its entries with is no damage.
  const pop = "libobjc.A.dylib (anonymous namespace)::AutoreleasePoolPage::pop(void*) + 434";
  const filled = { r11: "9000000000001000", r15: "a3a3a3a3a3a3a3a3" };
  assertStringIncludes(
    faulted(filled, undefined, pop),
    "Of the registers, r11 (0x9000000000001000) holds no address.",
  );
  assertStringIncludes(faulted(filled), "r15 (0xa3a3a3a3a3a3a3a3)");
  assert(!faulted({ r15: "a3a3a3a3a3a3a3a3" }, undefined, pop).includes("register"));
  // The registers are those of the handler that aborted.
  assert(!faulted({ rax: "2000000000000000" }, "EXC_BAD_ACCESS (SIGABRT)").includes("register"));
});

Deno.test("a stack and registers without an exception: the header of an image was executed", () => {
  const text = [
    "`Thread 0 Crashed:: Worker  Dispatch queue: com.apple.main-thread",
    "0   dyld                          \t0x0000000102ea4000 0x102ea4000 + 0",
    "1   MyApp                         \t0x0000000102dbbcc4 call + 80 (code.c:92)",
    "2   libdyld.dylib                 \t0x0000000186c89420 start + 4",
    "",
    "Thread 0 crashed with ARM Thread State (64-bit):",
    "    x0: 0x0000000041414141   x1: 0x0000000000000000   x2: 0x0000000000000007   x3: 0x0000000000041802",
    "    sp: 0x000000016d047590   pc: 0x0000000102ea4000 cpsr: 0x60000000",
    "   far: 0x0000000102ea3ffc  esr: 0x02000000",
    "",
    "Binary Images:",
    "       0x102db8000 -        0x102dbbfff +MyApp (0) <00000000000000000000000000000001> /tmp/MyApp",
    "       0x102ea4000 -        0x102f23fff  dyld (851.27) <00000000000000000000000000000002> /usr/lib/dyld",
    "",
  ].join("\n");
  assertStringIncludes(
    told(text).happened,
    "The CPU met an instruction that it does not know: it was sent to the first bytes of dyld, which are a header and no code.",
  );
  assertEquals(readReport(text, "x").threads[0].name, "Worker");
  assert(!told(text.replace("0x02000000", "0x00000000")).happened.includes("does not know"));
});

Deno.test("a console's line above a copy says why Chromium, and PyQt's function why Qt, stopped the process", () => {
  const chromium = crash({
    exception: ["EXC_BREAKPOINT (SIGTRAP)", "0x0000000000000001, 0x000000012f4bde70"],
    threads: [["Electron~Framework ares_llist_iterator + 4696284", "dyld start + 4"]],
  }).replaceAll("Electron~Framework", "Electron Framework");
  const log =
    "[583:21734986:0128/141525.924676:FATAL:content/browser/gpu/gpu_data_manager_impl_private.cc:415] GPU process isn't usable. Goodbye.";
  const said = told(`${log}\n\n${chromium}`).happened;
  assertStringIncludes(
    said,
    "it could not start its GPU process, and gave up. It says: [583:",
  );
  assert(!said.includes("is not in the report"), said);
  assertStringIncludes(told(chromium).happened, "is not in the report");

  const slot = crash({
    exception: ["EXC_CRASH (SIGABRT)", "0x0000000000000000, 0x0000000000000000"],
    threads: [[
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 180",
      "QtCore qt_message_fatal(QtMsgType, QMessageLogContext const&, QString const&) + 12",
      "QtCore QMessageLogger::fatal(char const*, ...) const + 128",
      "QtCore.abi3.so pyqt6_err_print() + 880",
      "QtCore.abi3.so PyQtSlotProxy::unislot(void**) + 112",
      ...loop,
    ]],
  });
  assertStringIncludes(told(slot).happened, "An exception of Python was not caught in a slot");
  // What called the code in Python is not whose it is.
  const { absent, deciding } = attributeReport(readReport(slot, "x"));
  assertEquals([absent, deciding], ["python", null]);
});

Deno.test("V8's finalizers; the address of an access by the memory that a copy shows around it", () => {
  const finalizer = crash({
    threads: [[
      "Electron.framework 0x10ad6f000 + 35990802",
      "Electron.framework v8::internal::GlobalHandles::InvokeSecondPassPhantomCallbacksFromTask() + 419",
      ...loop,
    ]],
  });
  assertStringIncludes(
    told(finalizer).happened,
    "while V8 told native code of objects that it had collected",
  );
  const near = [
    "VM Regions Near 0x100000002:",
    "--> ",
    "    __TEXT                 000000010f96f000-0000000110085000 [ 7256K] r-x/rwx SM=COW  /Applications/MyApp",
    "",
    "Thread 0 Crashed:: Dispatch queue: com.apple.main-thread",
    ...frameLines(["MyApp Counted::hasOne() const + 4", ...loop]),
    "",
  ].join("\n");
  assertStringIncludes(
    told(near).happened,
    "the memory near 0x100000002: it was an access to that address that failed",
  );
  // Also where the stack tells what happened, and where the codes are not in the copy.
  const released = near.replace(
    /^0 .*hasOne.*$/m,
    "0   libobjc.A.dylib               \t0x00007fff8a1b0000 objc_release + 16",
  ).replace("0x100000002", "0x18");
  assertStringIncludes(told(released).happened, "the memory near 0x18: it was an access");
  const cut = `Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\n\n${near.replace("0x100000002", "0x18")}`;
  assertStringIncludes(told(cut).happened, "The address: it is null plus 24");
  assertEquals(told(cut).happened.includes("the memory near"), false);
});

Deno.test("null in a destructor is a member that is not there; advice is given once", () => {
  const gone = (address: string): ReturnType<typeof told> =>
    told(crash({
      exception: ["EXC_BAD_ACCESS (SIGSEGV)", `KERN_INVALID_ADDRESS at ${address}`],
      threads: [["MyApp Panel::~Panel() + 24", ...loop]],
    }));
  assertEquals(
    gone("0x0000000000000008").causes[0],
    "a member that is null: never set, or already given up",
  );
  assertStringIncludes(gone("0x00000001a0b0c0d8").causes[0], "destroyed twice, as with two owners");
  const { check } = told(crash({
    exception: ["EXC_BAD_ACCESS (SIGSEGV)", "KERN_INVALID_ADDRESS at 0x0000529f4a75d3a0"],
    threads: [["libobjc.A.dylib objc_retain + 16", "MyApp -[Panel show] + 8", ...loop]],
  }));
  assertEquals(check.match(/Address Sanitizer/g)?.length, 1);
});

Deno.test("an image of which some functions have names is not said to have none", () => {
  const images = [
    "       0x100000000 -        0x10ffffffff +MyApp (1) <00000000000000000000000000000001> /Applications/MyApp.app/Contents/MacOS/MyApp",
  ];
  const some = told(
    crash({
      threads: [["MyApp 0x100000000 + 16384", "MyApp Walker::mark() + 8", ...loop]],
      images,
    }),
  );
  assertStringIncludes(
    some.check,
    "the dSYM of MyApp (00000000-0000-0000-0000-000000000001): not all of its functions",
  );
  const none = told(crash({ threads: [["MyApp 0x100000000 + 16384", "MyApp main + 8"]], images }));
  assertStringIncludes(none.check, "000001): its functions have no names here.");
});

Deno.test("the process ended on the crashed thread while another one still ran its code", () => {
  const dying = (worker: readonly string[]) =>
    told(crash({
      threads: [
        ["libsystem_c.dylib __cxa_finalize_ranges + 279", "libsystem_c.dylib exit + 55"],
        worker,
      ],
    }));
  const busy = dying([
    "libsystem_c.dylib strlen + 18",
    "libsystem_c.dylib asprintf + 186",
    "MyApp Kitchen::bakeOnWorker() + 224",
    "libsystem_pthread.dylib _pthread_start + 286",
  ]);
  assertStringIncludes(
    busy.happened,
    "while other threads still ran its code: thread 1, in Kitchen::bakeOnWorker, which had called strlen.",
  );
  assertStringIncludes(busy.causes.join("; "), "a race at the end of the process");
  const waiting = dying([
    "libsystem_kernel.dylib __psynch_cvwait + 10",
    "libsystem_pthread.dylib _pthread_cond_wait + 732",
    "MyApp Kitchen::bakeOnWorker() + 224",
  ]);
  assert(!waiting.happened.includes("still ran its code"), waiting.happened);
  assertStringIncludes(waiting.causes.join("; "), "a static object that was destroyed before");
  // Under Rosetta the system call has no name.
  const translated = dying(["runtime ???", "MyApp QWaitCondition::wait(QMutex*) + 24"]);
  assert(!translated.happened.includes("still ran its code"), translated.happened);
});

Deno.test("the image of main() names a program that a copy does not name; a long text is cut", () => {
  const report = crash({
    information: [`bake ${"-flour /a/long/path ".repeat(30)}`],
    threads: [["Oven Oven::open() + 8", "MyApp main + 80", "dyld start + 4"]],
  });
  assert(!told(report).happened.includes("-flour /a/long/path ".repeat(20)));
  const copy = report.replace(/^Process: .*\nPath: .*\n/m, "");
  assertStringIncludes(explainReport(readReport(copy, "x")).headline, "MyApp: EXC_BAD_ACCESS");
});

Deno.test("two threads in one user interface: the crashed one beside the main one, with what led there", () => {
  const draws = [
    "AppKit _NSLayoutTreeMoveToGlyphIndex + 87",
    "AppKit -[NSLayoutManager glyphRangeForBoundingRect:inTextContainer:] + 86",
    "AppKit -[NSTextView drawRect:] + 1636",
    "AppKit -[NSUIHeartBeat _heartBeatThread:] + 774",
    "libsystem_pthread.dylib thread_start + 34",
  ];
  const text = (main: readonly string[]) => told(crash({ threads: [main, draws], crashed: 1 }));
  const both = text([
    "Foundation -[NSString length] + 10",
    "AppKit -[NSLayoutManager textContainerForGlyphAtIndex:effectiveRange:] + 196",
    "AppKit -[NSTextView scrollRangeToVisible:] + 55",
    "MyApp Log::append() + 40",
    ...loop,
  ]);
  assertStringIncludes(both.happened, "ran code of the system's text layout too");
  assertStringIncludes(both.happened, "called by Log::append");
  assertStringIncludes(both.causes[0], "used by two threads at once");
  assertStringIncludes(both.check, "thread 0");
  // The main thread's event loop laid the text out by itself.
  const events = text([
    "Foundation -[NSString length] + 10",
    "AppKit -[NSLayoutManager textContainerForGlyphAtIndex:effectiveRange:] + 196",
    "AppKit -[NSTextView scrollRangeToVisible:] + 55",
    ...loop,
  ]);
  assert(!events.causes.some((cause) => cause.includes("two threads at once")));
  const alone = text(["MyApp Log::append() + 40", ...loop]);
  assert(!alone.happened.includes("text layout"), alone.happened);
  const qt = told(crash({
    threads: [
      ["MyApp QWidgetPrivate::paint(int) + 4", "MyApp paint() + 8", ...loop],
      ["MyApp QTreeWidget::clear() + 8", "MyApp Finder::found() + 8", ...worker],
    ],
    crashed: 1,
  }));
  assertStringIncludes(qt.happened, "ran code of Qt's widgets too, in QWidgetPrivate::paint");
});

Deno.test("AppKit's own animation beside the main thread is no second user of views; GLib without memory", () => {
  const { happened } = told(crash({
    threads: [
      ["MyApp Panel::style() + 4", "AppKit -[NSView drawRect:] + 8", "MyApp draw() + 8", ...loop],
      [
        "AppKit -[NSControl heartBeat:] + 87",
        "AppKit -[NSUIHeartBeat _heartBeatThread:] + 774",
        "libsystem_pthread.dylib thread_start + 34",
      ],
    ],
  }));
  assert(!happened.includes("AppKit's views too"), happened);
  const text = crash({
    exception: ["EXC_CRASH (SIGABRT)", "0x0000000000000000, 0x0000000000000000"],
    threads: [[
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 100",
      "libglib-2.0.0.dylib g_logv + 1333",
      "libglib-2.0.0.dylib g_log + 44",
      "libglib-2.0.0.dylib g_malloc + 118",
      "MyApp Text::convert() + 40",
      ...loop,
    ]],
  });
  const memory = told(text);
  // What asked for the memory says more than the function that found none.
  assertEquals(
    attributeReport(readReport(text, "x")).deciding?.frame.symbol,
    "Text::convert()",
  );
  assertStringIncludes(memory.happened, "GLib found no memory for what was asked of it");
});

Deno.test("the thread that divided the work of dispatch_apply() is told, on the same queue alone", () => {
  const of = (queue: string) =>
    toldOf(
      `Process:               Shop [1]
Code Type:             X86-64 (Native)
OS Version:            macOS 14.2.1 (23C71)
Exception Type:        EXC_CRASH (SIGABRT)
Crashed Thread:        1

Thread 0::  Dispatch queue: ${queue}
0   libsystem_kernel.dylib  0x7ff801f281e2 __ulock_wait + 10
1   libdispatch.dylib  0x7ff801dd020b _dispatch_apply_invoke_and_wait + 324
2   libdispatch.dylib  0x7ff801dcf6ab _dispatch_apply_with_attr_f + 1181
3   libAppleTile.dylib  0x7ffa0844ffce Tile::Divide() + 355
4   Shop  0x107636c44 showPicture + 468
5   dyld  0x7ff801bdb386 start + 1942

Thread 1 Crashed::  Dispatch queue: com.apple.root.user-interactive-qos
0   libsystem_kernel.dylib  0x7ff801f2d7a2 __pthread_kill + 10
1   libsystem_c.dylib  0x7ff801e84a49 abort + 126
2   libc++abi.dylib  0x7ff801f1e086 std::terminate() + 54
3   libdispatch.dylib  0x7ff801dbe5e1 _dispatch_client_callout2 + 28
4   libdispatch.dylib  0x7ff801dcee3e _dispatch_apply_invoke + 214
5   libdispatch.dylib  0x7ff801dcd99d _dispatch_root_queue_drain + 879
6   libsystem_pthread.dylib  0x7ff801f62443 start_wqthread + 15
`,
    );
  assertStringIncludes(
    of("com.apple.root.user-interactive-qos"),
    "Thread 0 waits for such work on the same queue: Tile::Divide() (libAppleTile.dylib) divided it, on the way from showPicture (Shop).",
  );
  assert(!of("com.apple.main-thread").includes("divided it"));
});

Deno.test("a library that was put into one of the system's programs and made the call is told", () => {
  const of = (caller: string) =>
    toldOf(
      `Process:             AppStore [5]
Path:                /Applications/AppStore.app/AppStore
Identifier:          com.apple.AppStore
Hardware Model:      iPhone13,4
Code Type:           ARM-64 (Native)
OS Version:          iPhone OS 14.4 (18D52)
Exception Type:  EXC_BREAKPOINT (SIGTRAP)
Triggered by Thread:  0

Thread 0 Crashed:
0   AppStore  0x000000010472beb8 0x1044a0000 + 2670264
1   CoreFoundation  0x0000000183eb68f4 __invoking___ + 148
2   CoreFoundation  0x0000000183d8ddf8 -[NSInvocation invoke] + 448
3   ${caller}  0x000000010689f128 0x106800000 + 651560
4   UIKitCore  0x000000018686de78 -[UIApplication sendAction:to:from:forEvent:] + 100
5   libdyld.dylib  0x0000000183ae66b0 start + 4
`,
    );
  assertStringIncludes(
    of("libLooker.dylib"),
    "libLooker.dylib, which is none of Apple's by its name, made the call",
  );
  assert(!of("AppStore").includes("made the call"));
});
