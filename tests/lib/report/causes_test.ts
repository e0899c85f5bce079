/** One small report for each cause that an explanation must name, and for each claim that it must not make. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { RawText } from "../../../lib/escape.ts";
import {
  attributeReport,
  explainReport,
  imageLookup,
  readReport,
  readReports,
  reportSignature,
  writeReport,
} from "../../../lib/report/mod.ts";
import { processorTime } from "../../processor_time.ts";
import { frameLines } from "./fixtures.ts";

/** A crash text; what is not given is left out, as in copies that people make. */
function crashText(
  {
    type = "EXC_CRASH (SIGABRT)",
    fields = [],
    information = [],
    last = [],
    stack,
    arch = "ARM-64",
  }: {
    type?: string | null;
    fields?: string[];
    information?: string[];
    last?: string[];
    stack: string[];
    arch?: string;
  },
): string {
  return [
    "Process:               MyApp [123]",
    "Path:                  /Applications/MyApp.app/Contents/MacOS/MyApp",
    `Code Type:             ${arch}`,
    "",
    ...type === null ? [] : [`Exception Type:        ${type}`],
    ...fields,
    "Triggered by Thread:   0",
    "",
    ...information.length === 0 ? [] : ["Application Specific Information:", ...information, ""],
    ...last.length === 0 ? [] : ["Last Exception Backtrace:", ...frameLines(last), ""],
    "Thread 0 Crashed:",
    ...frameLines(stack),
    "",
  ].join("\n");
}

/** What is told of a text, in one string, and whose it is. */
function told(text: string): { words: string; whose: string; deciding: string | null } {
  const report = readReport(text, "x");
  const { headline, happened, causes, check } = explainReport(report);
  const { verdict, deciding } = attributeReport(report);
  return {
    words: [headline, ...happened, ...causes, ...check].join("\n"),
    whose: verdict,
    deciding: deciding?.frame.symbol ?? null,
  };
}

const raised = [
  "libsystem_kernel.dylib __pthread_kill + 8",
  "libsystem_pthread.dylib pthread_kill + 288",
  "libsystem_c.dylib abort + 128",
];
const loop = [
  "CoreFoundation CFRunLoopRunSpecific + 600",
  "UIKitCore UIApplicationMain + 340",
  "MyApp main + 40",
];

const cases: readonly {
  readonly name: string;
  readonly text: string;
  readonly says: readonly string[];
  readonly not?: readonly string[];
  readonly whose?: string;
  readonly deciding?: string;
}[] = [
  {
    name: "an Objective-C exception, by its own backtrace and the message",
    text: crashText({
      information: [
        "*** Terminating app due to uncaught exception 'NSRangeException', reason: '*** -[__NSArrayM objectAtIndex:]: index 5 beyond bounds [0 .. 2]'",
      ],
      last: [
        "CoreFoundation __exceptionPreprocess + 164",
        "libobjc.A.dylib objc_exception_throw + 60",
        "CoreFoundation -[__NSArrayM objectAtIndex:] + 200",
        "MyApp -[Model pick:] + 44",
      ],
      stack: [...raised, "libc++abi.dylib abort_message + 132", ...loop],
    }),
    says: ["NSRangeException", "index 5 beyond bounds", "beyond the end of a collection"],
    whose: "program",
    deciding: "-[Model pick:]",
  },
  {
    name: "an Objective-C exception, by its frames alone, abbreviated",
    text: crashText({
      type: null,
      stack: [
        ...raised,
        "libc++abi.dylib abort_message + 231",
        "libc++abi.dylib demangling_terminate_handler() + 262",
        "libobjc.A.dylib _objc_terminate() + 96",
        "libc++abi.dylib std::__terminate(void (*)()) + 8",
        "libc++abi.dylib __cxa_throw + 113",
        "libobjc.A.dylib objc_exception_throw + 350",
        "CoreFoundation -[NSObject+ 183052 (NSObject) doesNotRecognizeSelector:] + 132",
        "CoreFoundation ___forwarding___ + 1427",
        "MyApp -[Controller show] + 20",
      ],
    }),
    says: ["An Objective-C exception was not caught", "unrecognized selector"],
    not: ["C++ exception", "pure virtual"],
    deciding: "-[Controller show]",
  },
  {
    name: "a C++ exception, with its type and message",
    text: crashText({
      information: [
        "libc++abi: terminating due to uncaught exception of type std::out_of_range: vector",
      ],
      stack: [
        ...raised,
        "libc++abi.dylib abort_message + 132",
        "libc++abi.dylib demangling_terminate_handler() + 348",
        "libc++abi.dylib std::__terminate(void (*)()) + 16",
        "libc++abi.dylib __cxxabiv1::failed_throw(__cxxabiv1::__cxa_exception*) + 88",
        "libc++abi.dylib __cxa_throw + 308",
        "MyApp parse(std::string const&) + 200",
      ],
    }),
    says: ["A C++ exception was not caught: std::out_of_range, vector"],
    deciding: "parse(std::string const&)",
  },
  {
    name: "a Rust panic in a callback",
    text: crashText({
      stack: [
        ...raised,
        "MyApp std::sys::pal::unix::abort_internal::h1 + 12",
        "MyApp std::panicking::rust_panic_with_hook::h2 + 784",
        "MyApp rust_begin_unwind + 32",
        "MyApp core::panicking::panic_cannot_unwind::h3 + 19",
        "MyApp app::did_finish_launching::h4 + 100",
      ],
    }),
    says: ["Rust panic", "must not unwind"],
    deciding: "app::did_finish_launching::h4",
  },
  {
    name: ".NET, by its run-time without names",
    text: crashText({
      stack: [...raised, "libcoreclr.dylib 0x104b8b000 + 280869", "??? 0 + 4494163513"],
    }),
    says: [".NET"],
    whose: "unknown",
  },
  {
    name: "a Go panic",
    text: crashText({
      stack: [
        "MyApp runtime.raise.abi0 + 30",
        "MyApp runtime.dieFromSignal + 80",
        "MyApp runtime.fatalpanic + 120",
        "MyApp runtime.gopanic + 300",
        "MyApp main.work + 44",
      ],
    }),
    says: ["Go program", "goroutine"],
    deciding: "main.work",
  },
  {
    name: "V8 out of memory",
    text: crashText({
      stack: [
        ...raised,
        "MyApp node::Abort() + 30",
        "MyApp node::OOMErrorHandler(char const*, bool) + 200",
        "MyApp v8::internal::V8::FatalProcessOutOfMemory(v8::internal::Isolate*, char const*) + 80",
      ],
    }),
    says: ["got no more memory", "heap"],
  },
  {
    name: "Electron: a trap in a framework whose nearest exports are far away",
    text: crashText({
      type: "EXC_BREAKPOINT (SIGTRAP)",
      stack: ["Electron~Framework ares_dns_rr_get_name + 4525456", "MyApp main + 4"],
    }),
    says: ["Chromium or V8 stopped the process on purpose"],
    not: ["in Swift: nil"],
  },
  {
    name: "a Swift assertion with its message",
    text: crashText({
      type: "EXC_BREAKPOINT (SIGTRAP)",
      information: [
        "MyApp/Model.swift:12: Fatal error: Unexpectedly found nil while unwrapping an Optional value",
      ],
      stack: [
        "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 176",
        "MyApp specialized closure #1 in Model.load() + 40",
      ],
    }),
    says: ["A Swift optional was nil", "Model.swift:12"],
    deciding: "specialized closure #1 in Model.load()",
  },
  {
    name: "try! without a message: the caller says more than the assertion",
    text: crashText({
      type: "EXC_BREAKPOINT (SIGTRAP)",
      stack: [
        "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 176",
        "libswiftCore.dylib swift_unexpectedError + 664",
        "MyApp Model.load() + 40",
      ],
    }),
    says: ["An error was thrown in a try! expression"],
    not: ["A Swift check failed"],
    deciding: "Model.load()",
  },
  {
    name: "a Swift trap, by the name of an inlined frame",
    text: crashText({
      type: "EXC_BREAKPOINT (SIGTRAP)",
      stack: ["MyApp Swift runtime failure: arithmetic overflow + 0", "MyApp Model.add(_:) + 12"],
    }),
    says: ["A Swift calculation overflowed"],
    deciding: "Model.add(_:)",
  },
  {
    name: "a hardening check of libc++",
    text: crashText({
      stack: [
        ...raised,
        "libc++.1.dylib std::__1::__libcpp_verbose_abort(char const*, ...) + 92",
        "MyApp std::__1::vector<int>::operator[][abi:ne180100](unsigned long) + 40",
        "MyApp pick(std::vector<int>&) + 20",
      ],
    }),
    says: ["An index was out of the range of a C++ container"],
    deciding: "pick(std::vector<int>&)",
  },
  {
    name: "what libc++ would have thrown, or another check of it",
    text: crashText({
      stack: [
        ...raised,
        "libc++.1.dylib std::__1::__libcpp_verbose_abort(char const*, ...) + 92",
        "MyApp pick(std::vector<int>&) + 20",
      ],
    }),
    says: ["libc++ ended the process: a hardening check failed, or"],
    deciding: "pick(std::vector<int>&)",
  },
  {
    name: "malloc: a block freed twice",
    text: crashText({
      information: [
        "MyApp(123,0x1f) malloc: *** error for object 0x600: pointer being freed was not allocated",
      ],
      stack: [
        ...raised,
        "libsystem_malloc.dylib malloc_vreport + 551",
        "libsystem_malloc.dylib malloc_report + 64",
        "MyApp release_all + 40",
      ],
    }),
    says: ["A pointer was freed that malloc did not allocate"],
    deciding: "release_all",
  },
  {
    name: "the stack protector",
    text: crashText({
      information: ["stack buffer overflow"],
      stack: [...raised, "libsystem_c.dylib __stack_chk_fail + 95", "MyApp copy_name + 80"],
    }),
    says: ["stack protector"],
    deciding: "copy_name",
  },
  {
    name: "fork in a process with threads",
    text: crashText({
      type: "EXC_BAD_ACCESS (SIGSEGV)",
      fields: ["Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000110"],
      information: [
        "*** multi-threaded process forked ***",
        "crashed on child side of fork pre-exec",
      ],
      stack: ["libsystem_trace.dylib _os_log_preferences_refresh + 40", "MyApp spawn + 40"],
    }),
    says: ["A process of several threads forked, and the child crashed before it called exec()"],
    not: ["zombie"],
  },
  {
    name: "Metal in the background",
    text: crashText({
      stack: [
        ...raised.slice(0, 0),
        "libGPUSupportMercury.dylib gpus_ReturnNotPermittedKillClient + 12",
        "MyApp draw + 4",
      ],
    }),
    says: ["the system did not permit its commands"],
    deciding: "draw",
  },
  {
    name: "Metal's validation, whose assertion is a means",
    text: crashText({
      stack: [
        ...raised,
        "libsystem_c.dylib __assert_rtn + 268",
        "Metal MTLReportFailure.cold.1 + 44",
        "Metal MTLReportFailure + 568",
        "MetalTools -[MTLDebugRenderCommandEncoder validateCommonDrawErrors:] + 1792",
        "MyApp Renderer::draw() + 20",
      ],
    }),
    says: ["A check of Metal failed"],
    deciding: "Renderer::draw()",
  },
  {
    name: "an assertion without its text",
    text: crashText({
      stack: [...raised, "libsystem_c.dylib __assert_rtn + 314", "MyApp check + 4"],
    }),
    says: ["An assertion failed"],
    deciding: "check",
  },
  {
    name: "an instruction that Rosetta does not translate",
    text: crashText({
      type: "EXC_BAD_INSTRUCTION (SIGILL)",
      arch: "X86-64 (Translated)",
      stack: ["MyApp fast_sum + 4"],
    }),
    says: ["Rosetta", "AVX"],
  },
  {
    name: "on arm64 a bad instruction has none of Intel's causes",
    text: crashText({ type: "EXC_BAD_INSTRUCTION (SIGILL)", stack: ["MyApp f + 4"] }),
    says: ["does not know or may not execute"],
    not: ["ud2", "Intel"],
  },
  {
    name: "a general protection fault has no address, though cr2 has that of another fault",
    text: crashText({
      type: "EXC_BAD_ACCESS (SIGSEGV)",
      arch: "X86-64 (Native)",
      fields: ["Exception Codes:       EXC_I386_GPFLT"],
      stack: ["MyApp f + 4"],
    }) +
      "\nThread 0 crashed with X86 Thread State (64-bit):\n  rip: 0x0000000100004000  cr2: 0x00000001015e2000\n",
    says: ["EXC_I386_GPFLT"],
    not: ["0x1015e2000"],
  },
  {
    name: "codes without a name",
    text: crashText({
      type: "EXC_BAD_ACCESS (SIGBUS)",
      fields: ["Exception Subtype: UNKNOWN_0x32 at 0x000000017e012290"],
      stack: ["MyApp f + 4"],
    }),
    says: ["KERN_CODESIGN_ERROR"],
  },
  {
    name: "two lines of codes: the subtype and the numbers",
    text: crashText({
      type: "EXC_BAD_ACCESS (SIGSEGV)",
      fields: [
        "Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000018",
        "Exception Codes:       0x0000000000000001, 0x0000000000000018",
      ],
      stack: ["MyApp f + 4"],
    }),
    says: ["KERN_INVALID_ADDRESS at 0x18", "null plus 24"],
  },
  {
    name: "the pointer whose authentication failed is the one that the report names",
    text: crashText({
      type: "EXC_BAD_ACCESS (SIGSEGV)",
      fields: [
        "Exception Subtype: KERN_INVALID_ADDRESS at 0x2000000100ae9df8 -> 0x0000000100ae9df8 (possible pointer authentication failure)",
      ],
      stack: ["MyApp f + 4"],
    }),
    says: ["authentication may have failed; the pointer was 0x100ae9df8"],
  },
  {
    name: "a stack guard in a region line without its indentation",
    text: crashText({
      type: "EXC_BAD_ACCESS (SIGSEGV)",
      fields: [
        "Exception Subtype: KERN_PROTECTION_FAILURE at 0x000000016dfffff0",
        "VM Region Info: 0x16dfffff0 is in 0x16dffc000-0x16e000000;  bytes after start: 16368  bytes before end: 15",
        "      REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
        "--->  STACK GUARD              16dffc000-16e000000 [   16K] ---/rwx SM=NUL  ... for thread 0",
      ],
      stack: ["MyApp f + 4"],
    }),
    says: ["guard page: the stack is full"],
    not: ["in no region"],
  },
  {
    name: "a call of null: frame 0 without 0x",
    text: crashText({
      type: "EXC_BAD_ACCESS (SIGSEGV)",
      fields: ["Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000000"],
      stack: [],
    }).trimEnd() + "\n0   ???                           \t000000000000000000 0 + 0\n" +
      "1   MyApp                         \t0x0000000100004040 call_it + 40\n\n" +
      "Thread 0 crashed with ARM Thread State (64-bit):\n    pc: 0x0000000000000000\n",
    says: ["it called a null function pointer"],
    deciding: "call_it",
  },
  {
    name: "a return address at a function's start is not in that function",
    text: crashText({
      stack: [...raised, "MyApp objc_exception_throw + 0", "MyApp give_up + 8"],
    }),
    says: ["abort()"],
    not: ["exception was"],
  },
  {
    name: "SQLite's guard, in the codes of iOS 6",
    text: crashText({
      type: "EXC_GUARD",
      fields: ["Exception Codes: 0x0000000100000000, 0x08fd4dbfade2dead"],
      stack: ["MyApp close_all + 4"],
    }),
    says: ["CLOSE", "SQLite's guard"],
  },
  {
    name: "a simulator's runtime on any volume is the system's",
    text: crashText({
      type: "EXC_BREAKPOINT (SIGTRAP)",
      stack: ["Thing f + 4", "libsystem_pthread.dylib _pthread_start + 4"],
    }) +
      "\nBinary Images:\n0x100004000 - 0x100005000 Thing arm64 <0a0b0c0d0e0f40018001020304050607> " +
      "/Volumes/VOLUME/*/iOS 17.0.simruntime/Contents/Resources/RuntimeRoot/usr/lib/Thing\n",
    says: ["trap"],
    whose: "system",
  },
  {
    name: "a process ended for heat: its stacks caused nothing",
    text: crashText({
      type: "EXC_CRASH (SIGKILL)",
      fields: ["Termination Reason: Namespace SPRINGBOARD, Code 0xc00010ff"],
      stack: ["MyApp work + 4"],
    }),
    says: ["cool off"],
    whose: "none",
  },
  {
    name: "a suspended app with a lock: an idle main thread is not to blame",
    text: crashText({
      type: "EXC_CRASH (SIGKILL)",
      fields: ["Termination Reason: Namespace SPRINGBOARD, Code 0xdead10cc"],
      stack: [
        "libsystem_kernel.dylib mach_msg_trap + 8",
        "CoreFoundation __CFRunLoopServiceMachPort + 88",
        ...loop,
      ],
    }),
    says: ["dead lock", "idle"],
    whose: "none",
  },
  {
    name: "a fault under the event loop alone is the system's, not main()'s",
    text: crashText({
      type: "EXC_BAD_ACCESS (SIGSEGV)",
      fields: ["Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000010"],
      stack: ["libobjc.A.dylib objc_release + 8", "CoreFoundation __CFRunLoopRun + 100", ...loop],
    }),
    says: ["already deallocated"],
    whose: "system",
  },
  {
    name: "PLCrashReporter: a signal for a type, the address in the codes",
    text: crashText({
      type: "SIGSEGV",
      fields: ["Exception Codes:       SEGV_MAPERR at 0x88"],
      stack: ["MyApp 0x108b6f000 + 6540"],
    }),
    says: ["SIGSEGV", "null plus 136"],
    whose: "program",
  },
  {
    name: "KSCrash: names in parentheses, a deadlock in a sentence",
    text: crashText({
      type: "0 (0)",
      fields: [
        "Exception Codes: 0x00000000 at 0x00000000",
        "Crashed Thread:  0",
        "",
        "Application main thread deadlocked",
      ],
      stack: [
        "libsystem_kernel.dylib 0x3617c000 + 64604 (semaphore_wait_signal_trap + 8)",
        "MyApp 0xee000 + 33224 (-[Crasher deadlock] + 64)",
      ],
    }),
    says: ["took it for a deadlock"],
    deciding: "-[Crasher deadlock]",
  },
  {
    name: "libsymbolicate: names after the numbers",
    text: crashText({
      stack: [
        "libsystem_kernel.dylib 0x1ce7f8000 + 164884     \t// __pthread_kill",
        "libsystem_c.dylib 0x1a9dd0000 + 486260     \t// abort + 0x80",
        "MyApp 0x100000000 + 12     \t// -[Tweak go] + 0x1b4",
      ],
    }),
    says: ["abort()"],
    deciding: "-[Tweak go]",
  },
];

for (const { name, text, says, not = [], whose, deciding } of cases) {
  Deno.test(`explained: ${name}`, () => {
    const found = told(text);
    for (const words of says) assertStringIncludes(found.words, words);
    for (const words of not) assert(!found.words.includes(words), found.words);
    if (whose !== undefined) assertEquals(found.whose, whose);
    if (deciding !== undefined) assertEquals(found.deciding, deciding);
  });
}

Deno.test("a trap within Rosetta is told as Rosetta's, and what was not loaded had not run", () => {
  const text = (images: string) =>
    `Process: Shop [1]
Path: /Applications/Shop.app/Contents/MacOS/Shop
Code Type: X86-64 (Translated)
Exception Type: EXC_BREAKPOINT (SIGTRAP)

Thread 0 Crashed:
0   runtime  0x00007ff7fff719b0 0x7ff7fff54000 + 121264

Binary Images:
 0x7ff7fff54000 - 0x7ff7fff83fff runtime (*) <00112233-4455-6677-8899-aabbccddeeff> /usr/libexec/rosetta/runtime
${images}`;
  const told = (images: string) => explainReport(readReport(text(images), "x")).happened.join("\n");
  assertStringIncludes(told(""), "CPUs: none of the program's code had run.");
  assertStringIncludes(
    told(
      " 0x100000000 - 0x10000ffff org.shop (1.0) <10112233-4455-6677-8899-aabbccddeeff> /Applications/Shop.app/Contents/MacOS/Shop\n",
    ),
    "It was in Rosetta itself, which translates programs for Intel's CPUs.",
  );
});

Deno.test("an exception's name and reason, and the frame that threw, from the JSON", () => {
  const image = (name: string, path: string, base: number) => ({
    name,
    path,
    base,
    size: 0x1000,
    uuid: "",
    source: "P",
  });
  const body = {
    procName: "MyApp",
    exception: { type: "EXC_CRASH", signal: "SIGABRT", codes: "0x0, 0x0" },
    exceptionReason: {
      name: "NSInvalidArgumentException",
      composed_message: "-[Foo bar]: unrecognized selector sent to instance 0x1",
    },
    lastExceptionBacktrace: [
      { imageIndex: 1, imageOffset: 16, symbol: "__exceptionPreprocess", symbolLocation: 16 },
      { imageIndex: 0, imageOffset: 32, symbol: "-[Controller show]", symbolLocation: 8 },
    ],
    threads: [{
      triggered: true,
      frames: [{ imageIndex: 1, imageOffset: 8, symbol: "__pthread_kill", symbolLocation: 8 }],
    }],
    usedImages: [
      image("MyApp", "/Applications/MyApp.app/MyApp", 0x1000),
      image("CoreFoundation", "/System/CF", 0x5000),
    ],
  };
  const found = told(`{"app_name":"MyApp","bug_type":"309"}\n${JSON.stringify(body)}`);
  assertStringIncludes(
    found.words,
    "NSInvalidArgumentException, -[Foo bar]: unrecognized selector",
  );
  assertEquals(found.deciding, "-[Controller show]");
});

Deno.test("JetsamEvent: who was ended, why, and how much memory it used", () => {
  const body = {
    build: "iPhone OS 16.0",
    memoryStatus: { pageSize: 16384, memoryPages: { free: 64 } },
    largestProcess: "MyApp",
    processes: [
      { name: "other", pid: 1, rpages: 100, states: ["daemon"] },
      {
        name: "MyApp",
        pid: 7,
        rpages: 12800,
        reason: "per-process-limit",
        states: ["frontmost"],
      },
    ],
  };
  const found = told(`{"bug_type":"298"}\n${JSON.stringify(body)}`);
  assertStringIncludes(
    found.words,
    "The kernel ended MyApp [7], frontmost, which used 200 MB: per-process-limit",
  );
  assertStringIncludes(found.words, "1 MB were free");
  assertEquals(found.whose, "none");
});

const panicText = `*** Panic Report ***
panic(cpu 1 caller 0xffffff8006fd155a): Kernel trap at 0xffffff7f87a81f3b, type 14=page fault, registers:
CR0: 0x000000008001003b, CR2: 0x0000000000000010
Backtrace (CPU 1), Frame : Return Address
0xffffff80e860de70 : 0xffffff8006fd155a mach_kernel : _kernel_trap + 0x91a
0xffffff80e860e070 : 0xffffff7f87a81f3b org.example.disk : _disk_sync + 0x6d
      Kernel Extensions in backtrace:
         org.example.disk(1.2)[0A0B0C0D-0E0F-4001-8001-020304050607]@0xffffff7f87a80000->0xffffff7f87a8ffff

BSD process name corresponding to current thread: backupd
`;

Deno.test("panics: message, extensions, the process, and whose extension it is", () => {
  for (const text of [panicText, panicText.replace(/^/gm, "> ")]) {
    const found = told(text);
    assertStringIncludes(found.words, "The kernel panicked: Kernel trap at");
    assertStringIncludes(found.words, "page fault");
    assertStringIncludes(found.words, "org.example.disk");
    assertStringIncludes(found.words, "backupd");
    assertEquals([found.whose, found.deciding], ["program", "_disk_sync"]);
  }
  const json = `{"bug_type":"210"}\n${
    JSON.stringify({ panicString: panicText, product: "Mac14,2" })
  }`;
  assertEquals(told(json).deciding, "_disk_sync");
});

Deno.test("resource reports: the limit, and the heaviest stack", () => {
  const found = told(`Date/Time:        2020-10-17 23:26:36.891 +0100
OS Version:       iPhone OS 14.2 (Build 18B5072f)
Command:          MyApp
PID:              124

Event:            disk writes
Action taken:     none
Writes:           1073.75 MB of file backed memory dirtied over 12560 seconds

Heaviest stack for the target process:
  6  ??? (libdispatch.dylib + 89464) [0x19146ad78]
  6  save_all + 20 (MyApp + 240248) [0x1a3090a78]
  5  ??? (libsystem_kernel.dylib + 172372) [0x1becf8154]


Powerstats for:   MyApp [124]
  6  ??? (libdispatch.dylib + 89464) [0x19146ad78]
    6  save_all + 20 (MyApp + 240248) [0x1a3090a78]
`);
  assertStringIncludes(found.words, "wrote more to the disk");
  assertStringIncludes(found.words, "1073.75 MB");
  assertEquals([found.whose, found.deciding], ["program", "save_all"]);
});

Deno.test("resource reports of the process of web pages: their script", () => {
  const report = (command: string, inner: string): string =>
    `Date/Time:        2019-09-05 19:06:42.727 -0500
OS Version:       iPhone OS 12.2 (Build 16E227)
Architecture:     arm64
Command:          ${command}
Path:             /System/Library/Frameworks/WebKit.framework/XPCServices/${command}.xpc/${command}
Identifier:       ${command}
PID:              165

Event:            wakeups
Action taken:     none
Steps:            87

Heaviest stack for the target process:
  21  ??? (libdyld.dylib + 6368) [0x18849e8e0]
  16  ??? (JavaScriptCore + 245088) [0x18fb5fd60]
  12  ??? (WebKit + 188540) [0x197efe07c]
  11  ??? (WebCore + 19097768) [0x19249f8a8]
  10  ??? (JavaScriptCore + 9568160) [0x190443fa0]
${inner}

Powerstats for:  ${command} [165]
Path:            /x
Num samples:     32 (37%)

Powerstats for:  tilld [9]
Num samples:     3 (3%)
`;
  const script = "  10  ??? (<CF9CB7F2-097E-3EA3-AE95-01C161AAAE6C> + 58704628208) [0xeb30a89f0]";
  const page = readReport(report("com.apple.WebKit.WebContent", script), "x");
  const { happened, check } = explainReport(page);
  assertStringIncludes(
    happened.join("\n"),
    "10 of 21 samples of the heaviest stack ran JavaScript",
  );
  assertStringIncludes(happened.join("\n"), "21 of the 32 samples");
  assertStringIncludes(check.join("\n"), "web pages");
  assertEquals(attributeReport(page).absent, "page");
  for (
    const [command, inner] of [
      ["com.apple.WebKit.WebContent", ""],
      ["com.apple.WebKit.WebContent", script.replace("0xeb30a89f0", "0x1b30a89f0")],
      ["com.apple.WebKit.Networking", script],
    ]
  ) {
    const other = readReport(report(command, inner), "x");
    assert(!explainReport(other).happened.join().includes("ran JavaScript"), command + inner);
    assert(attributeReport(other).absent !== "page");
  }
});

Deno.test("resource reports of the system's programs: whose it is, and nothing that only Apple can do", () => {
  for (const event of ["disk writes", "cpu usage", "wakeups"]) {
    const report = readReport(
      `Date/Time:        2024-09-05 19:06:42.727 -0500
OS Version:       iPhone OS 18.0 (Build 22A5350a)
Command:          cartd
Path:             /System/Library/PrivateFrameworks/Cart.framework/Support/cartd
PID:              165

Event:            ${event}
Action taken:     none

Heaviest stack for the target process:
  19  ??? (libdispatch.dylib + 9072) [0x1a1547370]
  19  ??? (CoreFoundation + 289936) [0x259d82c90]
  19  ??? (libsystem_kernel.dylib + 23744) [0x1e94ffcc0]
`,
      "x",
    );
    const { check } = explainReport(report);
    assertEquals(check.length, 1, check.join("\n"));
    assertStringIncludes(check[0], "It is a program of the system");
    const { verdict, absent } = attributeReport(report);
    assertEquals([verdict, absent], ["system", "part"]);
  }
});

Deno.test("hangs: what the main thread of the process did", () => {
  const found = told(`Date/Time:       2020-04-03 23:56:31 +1100
OS Version:      Mac OS X 10.14.6 (Build 18G3020)
Command:         MyApp
PID:             94383

Event:           hang
Duration:        1.20s (process was unresponsive for 15 seconds before sampling)

Heaviest stack for the main thread of the target process:
  12  start + 1 (libdyld.dylib + 91093) [0x7fff5c3e33d5]
  12  -[NSApplication run] + 699 (AppKit + 79240) [0x7fff2da46588]
  12  -[Player wait] + 20 (MyApp + 240248) [0x1a3090a78]
  12  __psynch_cvwait + 10 (libsystem_kernel.dylib + 18000) [0x7fff5c5e3c2a]
`);
  assertStringIncludes(found.words, "did not answer user events");
  assertStringIncludes(found.words, "Unresponsive for 15 seconds");
  assertStringIncludes(found.words, "blocked on a condition variable");
  assertEquals([found.whose, found.deciding], ["program", "-[Player wait]"]);
});

Deno.test("the symbol table's linkage name where debug information has none", () => {
  const frame = (name: string) => ({ function: name as RawText, location: null, inlined: false });
  const symbol = { name: "_ZN5Model4loadEv" as RawText };
  const image = { loadAddress: 0x1000n, symbolAt: () => ({ symbol, offset: 4 }) };
  const nameAt = (name: string, start: number) =>
    imageLookup(image as never, { framesAt: () => [frame(name)], functionAt: () => ({ start }) })
      .at(0x24)
      ?.frames[0].function;
  assertEquals<unknown>(nameAt("load", 0x20), "_ZN5Model4loadEv");
  assertEquals<unknown>(nameAt("load", 0x10), "load");
  assertEquals<unknown>(nameAt("_ZN5Other4loadEv", 0x20), "_ZN5Other4loadEv");
});

Deno.test("samples: idle, or blocked, in what share", () => {
  const sample = (tree: string) =>
    `Analysis of sampling MyApp (pid 12) every 1 millisecond
Process:         MyApp [12]

Call graph:
    100 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
${tree}

Total number in stack (recursive counted multiple, when >=5):

Binary Images:
       0x100000000 -        0x100ffffff +MyApp (1.0) <0A0B0C0D-0E0F-4001-8001-020304050607> /Applications/MyApp.app/MyApp
`;
  const idle = told(sample(`    + 100 main  (in MyApp) + 24  [0x100000f50]
    +   100 __CFRunLoopServiceMachPort  (in CoreFoundation) + 8  [0x7ff811f3897a]
    +     100 mach_msg_trap  (in libsystem_kernel.dylib) + 8  [0x7ff811e3897a]`));
  assertStringIncludes(idle.words, "idle in 100 of 100 samples (100%)");
  assertEquals(idle.whose, "none");
  const blocked = told(sample(`    + 90 save  (in MyApp) + 24  [0x100000f50]
    + ! 90 __psynch_mutexwait  (in libsystem_kernel.dylib) + 8  [0x7ff811e3897a]
    + 10 CFRunLoopRunSpecific  (in CoreFoundation) + 8  [0x7ff811f38980]
    + ! 10 mach_msg_trap  (in libsystem_kernel.dylib) + 8  [0x7ff811e38980]`));
  assertStringIncludes(
    blocked.words,
    "blocked on a pthread mutex in 90 of 100 samples (90%), called by save (MyApp)",
  );
  assertEquals([blocked.whose, blocked.deciding], ["program", "save"]);
});

Deno.test("Breakpad's text", () => {
  const found = told(`Operating system: Mac OS X
                  10.14.6 18G103
CPU: amd64
     12 CPUs

Crash reason:  EXC_BAD_ACCESS / KERN_INVALID_ADDRESS
Crash address: 0x10
Process uptime: 3 seconds

Thread 0 (crashed)
 0  MyApp!Model::load() [model.cc : 12 + 0x5]
    rax = 0x0000000000000000   rip = 0x0000000100001234
    Found by: given as instruction pointer in context
 1  libdyld.dylib + 0x163d5

Loaded modules:
0x100000000 - 0x100ffffff  MyApp  1.2.3  (main)
`);
  assertStringIncludes(found.words, "KERN_INVALID_ADDRESS at 0x10");
  assertStringIncludes(found.words, "null plus 16");
  assertEquals([found.whose, found.deciding], ["program", "Model::load()"]);
});

const plain = crashText({
  type: "EXC_BAD_ACCESS (SIGSEGV)",
  fields: ["Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000018"],
  stack: ["libobjc.A.dylib objc_msgSend + 20", "MyApp -[Model <load>] + 12"],
});

Deno.test("reports as people paste them say the same", () => {
  const utf16 = new Uint8Array(
    new Uint16Array([...`\ufeff${plain}`].map((letter) => letter.charCodeAt(0))).buffer,
  );
  const wrapped: Record<string, string | Uint8Array> = {
    quoted: plain.replace(/^/gm, "> "),
    "quoted twice": plain.replace(/^/gm, "> > "),
    fenced: `It crashes!\n\n\`\`\`\n${plain}\`\`\`\nThanks\n`,
    indented: plain.replace(/^(?=.)/gm, "    "),
    "in backquotes": plain.replace(/^(.+)$/gm, "`$1`\n"),
    "a list": plain.replace(/^(?=.)/gm, "- "),
    numbered: plain.split("\n").map((line, at) => `${at + 1}: ${line}`).join("\n"),
    html: `<pre>${plain.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</pre>`,
    "double-spaced": plain.replaceAll("\n", "\n\n"),
    "CR CR LF": plain.replaceAll("\n", "\r\r\n"),
    "UTF-16": utf16,
    rtf: `{\\rtf1\\ansi{\\fonttbl\\f0 Helvetica;}\n\\f0\\fs24 ${plain.replaceAll("\n", "\\\n")}}`,
  };
  for (const [name, text] of Object.entries(wrapped)) {
    const report = readReport(text, "x");
    const { happened } = explainReport(report);
    assert(happened.some((words) => words.includes("already deallocated")), name);
    assertEquals<unknown>(report.crashedThread?.frames.at(-1)?.symbol, "-[Model <load>]", name);
    assertEquals<unknown>(report.process.name, "MyApp", name);
  }
});

Deno.test("several reports in one file", () => {
  const second = plain.replaceAll("MyApp", "Other");
  const reports = readReports(`${plain}\n${second}`, "x");
  assertEquals<unknown>(reports.map(({ process }) => process.name), ["MyApp", "Other"]);
  assertEquals(reports.map(({ text }) => text).join(""), `${plain}\n${second}`);
  assert(
    readReport(`${plain}\n${second}`, "x").warnings.some((words) =>
      words.includes("only the first")
    ),
  );
});

Deno.test("JSON after prose, without its header, without its beginning", () => {
  const frames =
    '"frames":[{"imageOffset":16,"symbol":"__pthread_kill","symbolLocation":8,"imageIndex":0},' +
    '{"imageOffset":32,"symbol":"give_up","symbolLocation":8,"imageIndex":1}]';
  const whole =
    `{"app_name":"MyApp","bug_type":"309"}\n{"procName":"MyApp","exception":{"type":"EXC_CRASH","signal":"SIGABRT"},` +
    `"threads":[{"triggered":true,"id":7,${frames}}],"usedImages":[{"name":"libsystem_kernel.dylib","path":"/usr/lib/system/libsystem_kernel.dylib","base":4096},{"name":"MyApp","path":"/MyApp","base":8192}]}`;
  const body = whole.slice(whole.indexOf("\n") + 1);
  for (
    const [name, text] of Object.entries({
      prose: `Here it is:\n\n${whole}`,
      fenced: `Here:\n\`\`\`json\n${whole}\n\`\`\``,
      headless: body,
      beheaded: body.slice(body.indexOf('"exception"')),
      "inside of a thread": body.slice(body.indexOf('"triggered"')),
      "damaged in the middle": whole.replace('"SIGABRT"}', '"SIGABRT'),
    })
  ) {
    const report = readReport(text, "x");
    assertEquals<unknown>(report.crashedThread?.frames.at(-1)?.symbol, "give_up", name);
  }
});

Deno.test("reports that say nothing to compare are never one group", () => {
  const empty = (id: string) =>
    `Incident Identifier: ${id}\nProcess: MyApp [1]\nReport Version: 104\nException Type: EXC_CRASH (SIGABRT)\n`;
  const [one, two] = ["A", "B"].map((id) => reportSignature(readReport(empty(id), "x")).id);
  assert(one !== two);
});

Deno.test("text made to be slow is read in linear time", () => {
  const time = (text: string): number => {
    const began = processorTime();
    try {
      explainReport(readReport(text, "x"));
    } catch {
      // What is no report is refused in time, too.
    }
    return processorTime() - began;
  };
  for (
    const unit of [
      "> ",
      "&lt;",
      "<br",
      "{\\rtf1 {",
      "\\'",
      '{"threads":',
      '"frames":[',
      "panic(cpu 0 caller 0x1): ",
      "Thread 0 (crashed)\nCrash reason:",
      "    0x1 - 0x2  a",
      " assertion ",
      "closure #1 in ",
      "uncaught exception 'a",
      "VM Region Info: x\n--->",
      "0   a \t0x1 0x1 + 1 (",
      "Process: a Path: ",
      "==1==ERROR: XSanitizer: a\n    #0 0x1 in a (b+",
      "panic: a\ngoroutine 1 a(\n",
      "* thread #1, name = '",
      '{"imageOffset":1},',
    ]
  ) {
    const small = time(unit.repeat(2000));
    const large = time(unit.repeat(32000));
    assert(large < 400 + 64 * small, `${JSON.stringify(unit)}: ${small} ms, ${large} ms`);
  }
});

Deno.test("round trips: text keeps identifiers, kinds and nameless images, JSON names, numbers and regions", () => {
  const body = {
    procName: "MyApp",
    pid: 7,
    threads: [{ triggered: true, id: 7939, frames: [{ imageIndex: 0, imageOffset: 16 }] }],
    usedImages: [{ source: "P", base: 0x5000, size: 0 }],
  };
  const ips = readReport(`{"app_name":"MyApp","bug_type":"385"}\n${JSON.stringify(body)}`, "x");
  const back = readReport(writeReport(ips, "crash"), "x");
  assertEquals<unknown>(
    [back.bugType, back.threads[0].id, back.images.length, back.threads[0].frames[0].image?.base],
    ["385", 7939n, 1, 0x5000n],
  );

  const text = crashText({
    type: "EXC_BAD_ACCESS (SIGSEGV)",
    fields: [
      "VM Region Info: 0x10 is not in any region.  Bytes before following region: 4096",
      "      REGION TYPE                 START - END",
    ],
    stack: ["MyApp f + 4", "UIKitCore g + 8"],
  }).replace("Thread 0 Crashed", "Thread 5 Crashed").replace("Thread:   0", "Thread:   5");
  const read = readReport(text, "x");
  const json = readReport(writeReport(read, "ips"), "x");
  assertEquals<unknown>(json.crashedThread?.index, 5);
  assertEquals<unknown>(json.crashedThread?.frames.map(({ imageName }) => imageName), [
    "MyApp",
    "UIKitCore",
  ]);
  assertStringIncludes(String(json.body?.vmRegionInfo), "REGION TYPE");
  assertEquals(told(writeReport(read, "ips")).deciding, "f");
});

Deno.test("the line with an exception's reason wins over the C++ run-time's, which comes before", () => {
  const { words } = told(crashText({
    information: [
      "terminating with uncaught exception of type NSException",
      "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: " +
      "'-[SBIconView nonexistentMethod]: unrecognized selector sent to instance 0x105926e00'",
      "abort() called",
    ],
    stack: [...raised, "MyApp f() + 4"],
  }));
  assertStringIncludes(words, "NSInvalidArgumentException, -[SBIconView nonexistentMethod]");
  assert(!words.includes("does not have its reason"), words);
});

Deno.test("a handler that aborts is interrupted itself: the stack below the second trampoline decides", () => {
  const { words, deciding } = told(crashText({
    information: [
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: " +
      "'*** -[__NSArrayM objectAtIndex:]: index 56 beyond bounds [0 .. 55]'",
    ],
    stack: [
      "libsystem_kernel.dylib __kill + 10",
      "MyApp fatal_error_signal + 314",
      "libsystem_platform.dylib _sigtramp + 43",
      "??? 0 + 4294967295",
      "libsystem_c.dylib abort + 155",
      "MyApp ns_term_shutdown + 98",
      "MyApp fatal_error_signal + 254",
      "libsystem_platform.dylib _sigtramp + 43",
      "??? 0 + 4294967295",
      "com.apple.CoreFoundation __raiseError + 960",
      "libobjc.A.dylib objc_exception_throw + 162",
      "com.apple.AppKit -[NSSavePanel runModal] + 623",
      "MyApp Fns_read_file_name + 734",
      "MyApp main + 20",
    ],
  }));
  assertEquals(deciding, "Fns_read_file_name");
  assertStringIncludes(words, "It was raised in -[NSSavePanel runModal]");
});

Deno.test("a jump to nothing is not told as an invalid signature", () => {
  const { words, whose } = told(
    crashText({
      type: "EXC_BAD_ACCESS (SIGKILL)",
      fields: [
        "Exception Codes: 0x0000000000000001, 0x0000000000000000",
        "Termination Reason: CODESIGNING 2 Invalid Page",
      ],
      stack: ["MyApp f() + 4"],
    }).replace("0   MyApp", "0   ???  0x0000000000000000 0x0 + 0\n1   MyApp"),
  );
  assertStringIncludes(words, "it called a null function pointer");
  assert(!words.includes("signature"), words);
  assertEquals(whose, "program");
});

Deno.test("the program's own usage description, and its own use of a resource, are its own", () => {
  const privacy = readReport(
    crashText({
      fields: ["Termination Reason: Namespace TCC, Code 0 This app has crashed"],
      stack: ["TCC __TCC_CRASHING_DUE_TO_PRIVACY_VIOLATION__ + 142", "libdispatch.dylib start + 4"],
    }),
    "x",
  );
  assertEquals(attributeReport(privacy).absent, "description");
  const wakeups = readReport(
    "Event: wakeups\nCommand: tool\nWakeups: 45001 wakeups over the last 156 seconds\n" +
      "Heaviest stack for the target process:\n  10  start + 1 (libdyld.dylib + 4) [0x7fff57fa43d5]\n",
    "x",
  );
  assertEquals(attributeReport(wakeups).absent, "resource");
});

Deno.test("another thread's guard page; the crashed thread by the header alone", () => {
  const { words } = told(
    "Code Type: ARM-64\nCrashed Thread:        10  pool-MyApp\n" +
      "Exception Type: EXC_BAD_ACCESS (SIGBUS)\n" +
      "Exception Codes: KERN_PROTECTION_FAILURE at 0x000000016fecc000\n" +
      "VM Region Info: 0x16fecc000 is in 0x16fecc000-0x16fed0000;  bytes after start: 0\n" +
      "      Stack          16fe44000-16fecc000    [  544K] rw-/rwx SM=PRV  thread 10\n" +
      "--->  STACK GUARD    16fecc000-16fed0000    [   16K] ---/rwx SM=NUL  ...for thread 12\n",
  );
  assert(!words.includes("the stack is full"), words);
  assertStringIncludes(words, "guard page of the stack of thread 12");
  assertStringIncludes(words, "upper end of the stack of thread 10");
  assertStringIncludes(words, 'Thread 10 "pool-MyApp" crashed');
});

Deno.test("libraries of the system by what their names are made of", () => {
  const { deciding } = told(crashText({
    type: "EXC_BAD_ACCESS (SIGSEGV)",
    stack: [
      "libRIP.A.dylib ripd_Mark + 4",
      "_AVKit_SwiftUI f + 4",
      "libfltk.1.3.dylib fl_scroll + 420",
    ],
  }));
  assertEquals(deciding, "fl_scroll");
});

Deno.test("code of libraries that the compiler puts into the program is not the program's own", () => {
  const boost = told(crashText({
    type: "EXC_BAD_ACCESS (SIGSEGV)",
    stack: [
      "MyApp boost::container::list<NukeComponent*, void>::begin() + 57 (list.hpp:526)",
      "MyApp Camera* GameObject::GetComponent<Camera>() + 40 (GameObject.h:36)",
      "MyApp EditorUI::SetUp() + 2171 (editorui.h:202)",
    ],
  }));
  assertEquals(boost.deciding, "Camera* GameObject::GetComponent<Camera>()");
  const swift = crashText({
    type: "EXC_BREAKPOINT (SIGTRAP)",
    stack: [
      "MyApp Swift runtime failure: Index out of range + 0 (<compiler-generated>:0)",
      "MyApp specialized Array._checkSubscript(_:wasNativeTypeChecked:) + 0 (<compiler-generated>:0)",
      "MyApp specialized Array.subscript.getter + 0 (<compiler-generated>:0)",
      "MyApp getPairs(in:) + 228 (TokenEncoder.swift:33)",
    ],
  }).replace(/0x0000000100004[0-9a-f]{3}/g, "0x0000000102880fb4");
  assertEquals(told(swift).deciding, "getPairs(in:)");
  // A member that the program itself added.
  const own = told(crashText({
    type: "EXC_BREAKPOINT (SIGTRAP)",
    stack: ["MyApp specialized Array.second() + 8 (Array+Second.swift:3)"],
  }));
  assertEquals(own.deciding, "specialized Array.second()");
});

Deno.test("Cr4shed's stack has its thread in the header", () => {
  const report = readReport(
    "Process: Zebra\nException type: EXC_BREAKPOINT (SIGTRAP)\nTriggered by thread: 1\n" +
      "Thread name: Dispatch queue: NSOperationQueue 0x143d5b180\nCall stack:\n" +
      frameLines(["libsystem_platform.dylib _os_unfair_lock_corruption_abort + 4", "Zebra f + 4"])
        .join(
          "\n",
        ),
    "x",
  );
  const { index, queue, crashed } = report.threads[0];
  assertEquals([index, queue, crashed], [1, "NSOperationQueue 0x143d5b180", true]);
});

Deno.test("a sanitizer's thread, and a message to an object that is gone", () => {
  const report = readReport(
    "==38403==ERROR: AddressSanitizer: SEGV on unknown address 0x000031000150 (pc 0x0001b26a03e0 bp " +
      "0x000110b55e08 sp 0x00016d991f80 T6)\n    #0 0x1b26a03e0 in objc_msgSend+0x20 " +
      "(libobjc.A.dylib:arm64e+0x63e0)\n",
    "x",
  );
  assertEquals(report.threads[0].index, 6);
  const { happened, causes } = explainReport(report);
  assertStringIncludes(happened.join("\n"), "invalid object");
  assert(!causes.join("\n").includes("null"), causes.join("\n"));
});

Deno.test("a tree that ends in an event loop is cut; how long a process did not answer", () => {
  const report = readReport(
    "Process:         MyApp [36775]\nNum samples:     1000 (1-1000)\n" +
      "CPU Time:        9.968s (36.6G cycles)\nNote:            Unresponsive for 262 seconds before " +
      "sampling\n\n  Thread 0x159d0e    DispatchQueue 1    1000 samples (1-1000)    priority 46\n" +
      "  1000  start + 1 (libdyld.dylib + 91093) [0x7fff57fa43d5]\n" +
      "    1000  f() + 130 (MyApp + 2026562) [0x10e319c42]\n" +
      "      1000  -[NSApplication run] + 699 (AppKit + 79240) [0x7fff2960b588]\n",
    "x",
  );
  const words = explainReport(report).happened.join("\n");
  assertStringIncludes(words, "Unresponsive for 262 seconds");
  assertStringIncludes(words, "CPU time while it was sampled: 9.968s");
  assertEquals(attributeReport(report).deciding, null);
});

Deno.test("Mono's text with the system's names hidden: the privacy system ended it", () => {
  const app = "/private/var/containers/Bundle/Application/0/MyApp.app/MyApp";
  const report = readReport(
    "Got a SIGABRT while executing native code. This usually indicates\n\n" +
      `\t0x102d99954 - ${app} : handler\n` +
      "\t0x1de1d4d48 - /usr/lib/system/libsystem_platform.dylib : <redacted>\n" +
      "\t0x1bdb55be0 - /usr/lib/system/libsystem_kernel.dylib : <redacted>\n" +
      "\t0x1d591b708 - /System/Library/PrivateFrameworks/TCC.framework/TCC : <redacted>\n",
    "x",
  );
  assertStringIncludes(explainReport(report).causes.join("\n"), "UsageDescription");
  assertEquals(attributeReport(report).absent, "description");
});

Deno.test("a stackshot that was taken when a watchdog ended a process says so", () => {
  const report = readReport(
    JSON.stringify({
      bug_type: "288",
      reason: "Files:1687 has active assertions beyond permitted time",
      exception: "0x8badf00d",
      processByPid: { "1": { pid: 1, procname: "launchd", threadById: {} } },
    }),
    "x",
  );
  const { happened, causes } = explainReport(report);
  assertStringIncludes(happened.join("\n"), "0x8badf00d");
  assert(!causes.join("\n").includes("buttons"), causes.join("\n"));
});

Deno.test("graphics errors of the signatures; a device's fatal error over two lines", () => {
  const { words } = told(
    crashText({ stack: ["libsystem_kernel.dylib __pthread_kill + 8"] }).replace(
      "\nThread 0 Crashed:",
      "\nApplication Specific Signatures:\nGraphics kernel error: 0x00000003\n\nThread 0 Crashed:",
    ),
  );
  assertStringIncludes(words, "graphics driver");
  const panic = explainReport(readReport(
    'panic(cpu 4 caller 0xffffff7f8e892b30): nvme: "Fatal error occurred. CSTS=0xffffffff\n' +
      '. FW Revision=C2.3.21\\n"@/BuildRoot/IONVMeController.cpp:5334\n' +
      "Backtrace (CPU 4), Frame : Return Address\n0xffffff922049bae0 : 0xffffff800b5ad6ed\n",
    "x",
  ));
  assertStringIncludes(panic.happened.join("\n"), "FW Revision=C2.3.21");
  assertStringIncludes(panic.causes.join("\n"), "firmware");
});

Deno.test("an assertion whose function is named by the next one; who raised it, without names", () => {
  const { words } = told(crashText({
    last: [
      "CoreFoundation __exceptionPreprocess + 160",
      "libobjc.A.dylib objc_exception_throw + 72",
      "Foundation _userInfoForFileAndLine + 0",
      "CoreLocation 0x184631000 + 94660",
      "MyApp LocationService.setupLocationManager() + 328 (LocationService.swift:40)",
      "MyApp main + 20",
    ],
    stack: [...raised, "libobjc.A.dylib _objc_terminate() + 100"],
  }));
  assertStringIncludes(words, "An NSAssert failed");
  assertStringIncludes(words, "It was raised by CoreLocation.");
});

Deno.test("the dynamic linker's lines as they are printed; an invalid signature alone", () => {
  const { words } = told(
    "`dyld: Symbol not found: __T0s14_V\n  Referenced from: /Applications/Xcode.app/libswiftos.dylib\n" +
      "  Expected in: /Applications/LyricsX.app/libswiftCore.dylib\nAbort trap: 6`\n",
  );
  assertStringIncludes(words, "Expected in: /Applications/LyricsX.app/libswiftCore.dylib");
  // The newer form, with a second copy that was cut off.
  const lines = [
    "Symbol not found: _$s4Oven6LoaferC",
    "  Referenced from: <C23B59D0-0000-3C9D-A923-000000000001> /Users/me/Containers/Bundle/Application/B/Bakery.app/Bakery.debug.dylib",
    "  Expected in:     <8096B5FF-0000-3D7F-A566-000000000002> /Library/Developer/CoreSimulator/Volumes/iOS_1/Library/Developer/CoreSimulator/Profiles/Runtimes/iOS 18.6.simruntime/Contents/Resources/RuntimeRoot/System/Library/Frameworks/Oven.framework/Oven",
  ].join("\n");
  const newer = told(`dyld[7]: ${lines}\n${lines.slice(0, -90)}`).words;
  assertStringIncludes(newer, "A library of the system lacks a symbol");
  assertStringIncludes(
    newer,
    "It was looked for in Oven of the simulator's iOS 18.6, for Bakery.debug.dylib.",
  );
  assertStringIncludes(newer, "It was at launch");
  // A library of the Mac's in a process of an old simulator, whose system is an SDK's.
  const mixed = told(
    "Dyld Error Message:\n  Symbol not found: _oven_bake\n  Referenced from: /usr/lib/system/liboven.dylib\n" +
      "  Expected in: /Applications/Xcode.app/Contents/Developer/Platforms/iPhoneSimulator.platform/Developer/SDKs/iPhoneSimulator7.1.sdk/usr/lib/libheat.dylib\n",
  ).words;
  assertStringIncludes(mixed, "A library of the Mac's own system was loaded into a process of the");
  assertStringIncludes(mixed, "in libheat.dylib of the simulator's iOS 7.1, for liboven.dylib");
  const later = told(
    "dyld: lazy symbol binding failed: Symbol not found: _a\n  Referenced from: /A.app/A\n  Expected in: /usr/lib/b.dylib\n",
  ).words;
  assert(!later.includes("at launch"), later);
  const invalid = told(
    "Process: tool [1]\nException Type: EXC_CRASH (Code Signature Invalid)\nException Codes: 0x0, 0x0\n",
  );
  assertStringIncludes(invalid.words, "code signature is not valid");
  const sent = told(
    "Process: tool [628]\nException Type: EXC_CRASH (Code Signature Invalid)\nException Codes: 0x0, 0x0\n" +
      "Termination Signal: Terminated: 15\nTermination Reason: Namespace SIGNAL, Code 0xf\nTerminating Process: launchd [1]\n",
  );
  assertStringIncludes(sent.words, "It was launchd [1] that sent the signal.");
  assert(!sent.words.includes("The kernel"), sent.words);
});

Deno.test("a graphics driver is named; a cut stack of a program of the system is not sure", () => {
  const { words } = told(crashText({
    type: "EXC_BAD_ACCESS (SIGSEGV)",
    stack: [
      "com.apple.AMDMTLBronzeDriver amdMtlBronzeBeginCmdBuf(BronzeCmdBufInfoRec*) + 4",
      "Metal f + 4",
    ],
  }));
  assertStringIncludes(words, "It was in the graphics driver (com.apple.AMDMTLBronzeDriver).");
  const finder = readReport(
    crashText({ stack: ["libsystem_c.dylib abort + 4", "QuickLookUI _QLCrash + 4"] }).replace(
      "/Applications/MyApp.app/Contents/MacOS/MyApp",
      "/System/Library/CoreServices/Finder.app/Contents/MacOS/Finder",
    ),
    "x",
  );
  assertEquals(attributeReport(finder).absent, "own");
});

Deno.test("the child of a fork: what it met because of that is not advised on", () => {
  const { words } = told(crashText({
    type: "EXC_BAD_INSTRUCTION (SIGILL)",
    information: [
      "BUG IN CLIENT OF LIBDISPATCH: Assertion failed: Block was expected to execute on queue [x]",
      "crashed on child side of fork pre-exec",
    ],
    stack: ["libdispatch.dylib _dispatch_assert_queue_fail + 4"],
  }));
  assertStringIncludes(words, "posix_spawn");
  assert(!words.includes("Dispatch to the queue"), words);
});

Deno.test("the end of a stack whose frames have high numbers is told as recursion", () => {
  const { words } = told(
    "898410 test.exe   0x10098ec20 run_async_main + 56\n898411 test.exe   0x100a29ae4 main + 28\n" +
      "898412 dyld       0x189755d54 start + 7184\n\nThread 1:\n" +
      "0   libsystem_kernel.dylib   0x189ad54f8 __psynch_cvwait + 8\n\n\n" +
      "Thread 0 crashed with ARM Thread State (64-bit):\n    x0: 0x000000016b5380c0\n",
  );
  assertStringIncludes(words, "recursion that does not end");
});

Deno.test("the Kotlin run-time's end of a process is told, and not whose it is by its own functions", () => {
  const { words, deciding } = told(crashText({
    stack: [
      "libsystem_c.dylib abort + 128",
      "Shop konan::abort() + 12",
      "Shop (anonymous namespace)::terminateWithUnhandledException(ObjHeader*) + 16",
      "Shop (anonymous namespace)::processUnhandledException(ObjHeader*) + 64",
      "Shop kfun:kotlinx.coroutines#handleCoroutineException(kotlin.Throwable){} + 88",
      "Shop kfun:org.shop.Cart#pay(){} + 40",
    ],
  }));
  assertStringIncludes(words, "A Kotlin exception was not handled");
  assert(!words.includes("does not say why"), words);
  assertEquals(deciding, "kfun:org.shop.Cart#pay(){}");
  // An address in place of the offset.
  const address = told(crashText({
    stack: [
      "libsystem_c.dylib abort + 128",
      "Shop ReportBacktraceToIosCrashLog(ObjHeader*) + 4435000000",
      "Shop kfun:org.shop.Cart#pay(){} + 4435000400",
    ],
  }));
  assertStringIncludes(address.words, "A Kotlin exception was not handled");
  // Versions before 1.4; its allocator and collector are no code of the program.
  const older = told(crashText({
    stack: [
      "libsystem_c.dylib abort + 104",
      "Shop KonanTerminateHandler() + 4379926772",
      "Shop (anonymous namespace)::Kotlin_deinitRuntimeCallback(void*) + 4379915672",
      "Shop (anonymous namespace)::garbageCollect(MemoryState*, bool) + 4379921664",
      "Shop AllocArrayInstanceStrict + 4379975932",
      "Shop kfun:org.shop.Cart#pay(){} + 4377129880",
    ],
  }));
  assertStringIncludes(older.words, "A Kotlin exception was not handled");
  assertEquals(older.deciding, "kfun:org.shop.Cart#pay(){}");
});

Deno.test("a signal that the process sent itself is no bad pointer", () => {
  const { words } = told(crashText({
    type: "EXC_CRASH (SIGSEGV)",
    stack: [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_pthread.dylib pthread_kill + 288",
      "libsystem_c.dylib raise + 26",
      "MyApp leave + 4",
    ],
  }));
  assertStringIncludes(words, "sent itself the signal");
  assert(!words.includes("bad pointer") && !words.includes("faulting address"), words);
});

Deno.test("a trap is a check of Swift where Swift's code met it", () => {
  const trap = (top: string, type = "EXC_BREAKPOINT (SIGTRAP)"): string =>
    told(crashText({ type, arch: "X86-64", stack: [top, "MyApp main + 4"] })).words;
  for (const name of ["check", "shop::check(int)", "-[Shop check]"]) {
    const words = trap(`MyApp ${name} + 4`);
    assert(!words.includes("Swift") && !words.includes("nil unwrapped"), words);
    // int3 is not what a compiler has for checks.
    assertStringIncludes(words, "Whether a check failed, and which, is not in the report.");
  }
  for (const type of ["EXC_BREAKPOINT (SIGTRAP)", "EXC_BAD_INSTRUCTION (SIGILL)"]) {
    const words = trap("MyApp Shop.check(of:) + 4", type);
    assertStringIncludes(words, "A check of Swift failed");
    assertStringIncludes(words, "Which check failed is not in the report.");
  }
  // A reporter in the process names the signal alone, and the program's code only called the check.
  for (const type of ["SIGTRAP", "SIGILL"]) {
    for (const codes of ["", "\nException Codes: ILL_ILLOPC at 0x7fff2000"]) {
      const words = told(
        `Code Type: X86-64\nException Type: ${type}${codes}\n\nThread 0 Crashed:\n` +
          "0   libswiftCore.dylib   0x7fff2000 0x7fff0000 + 8192\n" +
          "1   MyApp   0x4000 0x1000 + 12288\n",
      ).words;
      assertStringIncludes(words, "A check of Swift failed, in its own library");
      assert(!words.includes("opcode"), words);
    }
  }
  assertStringIncludes(
    trap("MyApp check + 4", "EXC_BAD_INSTRUCTION (SIGILL)"),
    "Whether a check failed, and which, is not in the report.",
  );
});

Deno.test("nil does not fail a condition on a number", () => {
  const raisedBy = (condition: string): string =>
    told(crashText({
      information: [
        "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', " +
        `reason: 'Invalid parameter not satisfying: ${condition}'`,
      ],
      stack: ["libsystem_c.dylib abort + 128"],
    })).words;
  assert(!raisedBy("fabs(width) <= LIMIT").includes("nil where"));
  assertStringIncludes(raisedBy("!isnan(size.width)"), "out of range or not a number");
  assertStringIncludes(raisedBy("view != nil"), "nil where an object is needed");
});

Deno.test("Crashlytics' record of an exception is not whose it is", () => {
  const { words, deciding } = told(
    "Fatal Exception: Il2CppExceptionWrapper\n\nCrashed: com.google.firebase.crashlytics.ios.exception\n" +
      "0  Game                 0x1b0ae94 FIRCLSProcessRecordAllThreads + 393 (FIRCLSProcess.c:393)\n" +
      "1  Game                 0x1b023e0 FIRCLSHandler + 34 (FIRCLSHandler.m:34)\n" +
      "2  Game                 0x1afd23c __FIRCLSExceptionRecord_block_invoke + 232 (FIRCLSException.mm:232)\n" +
      "3  Game                 0x1afd300 openLevel + 12 (Level.mm:12)\n",
  );
  assert(!words.includes("Objective-C exception"), words);
  assertEquals(deciding, "openLevel");
  // Of a copy that ends in the recording, and in an older one's names.
  const cut = attributeReport(readReport(
    "#0. Crashed: com.twitter.crashlytics.ios.exception\n" +
      "0  Game                 0x392a25 CLSProcessRecordAllThreads (CLSProcess.c:376)\n" +
      "1  Game                 0x3869ed CLSHandler (CLSHandler.m:26)\n" +
      "2  Game                 0x39124f __CLSExceptionRecord_block_invoke (CLSException.mm:199)\n" +
      "3  libdispatch.dylib    0x1b076083 _dispatch_client_callout + 22\n" +
      "4  Game                 0x390c4f CLSExceptionRecord (CLSException.mm:206)\n" +
      "5  Game                 0x390a79 CLSExceptionRecordNSException (CLSException.mm:101)\n",
    "x",
  ));
  assertEquals([cut.verdict, cut.absent], ["unknown", "recorder"]);
});

Deno.test("the text of a low-memory report: who was ended, and who used most", () => {
  const { words } = told([
    "Incident Identifier: 00000000-0000-4000-8000-000000000001",
    "Hardware Model:      iPad2,5",
    "OS Version:          iPhone OS 7.0.4 (11B554a)",
    "",
    "Free pages:                              800",
    "Wired pages:                             900",
    "Largest process:   mediad",
    "",
    "Processes",
    "     Name                    <UUID>                       rpages       recent_max   fds      [reason]          (state)",
    "",
    "     mailer <b3574f4bded1315cb2e50e5de205be00>         1113             1113  200   [vm-pageshortage]  (resume)",
    "      Tunes <8367b00614e735f5861044b98c96cd00>        20000            20000  200   [vm-pageshortage]  (frontmost)",
    "     mediad <8367b00614e735f5861044b98c96cd01>        30000            30000  200                      (daemon)",
    "",
  ].join("\n"));
  assertStringIncludes(words, "The kernel ended Tunes, frontmost, which used 20000 pages: vm-page");
  assertStringIncludes(words, "The largest process was mediad; it was not ended.");
  assert(!words.includes("ended mediad") && !words.includes("cut off"), words);
});

Deno.test("the oldest low-memory report: its states tell who was ended", () => {
  const { words } = told([
    "Incident Identifier: 00000000-0000-4000-8000-000000000002",
    "Hardware Model:      iPhone2,1",
    "OS Version:          iPhone OS 4.0 (8A293)",
    "",
    "Free pages:         600",
    "Wired pages:        9000",
    "Largest process:    Shop",
    "",
    "Processes",
    "         Name                 UUID                    Count resident pages",
    // Texts of pictures have misread letters.
    "          mailer <b3574fibded1315cb2e50e5de205be00>    1113 (jettisoned)",
    "            Shop <8367b00614e735f5861044b98c96cd00>   25600 (jettisoned) (active)",
    "       HomeBoard <8367b00614e735f5861044b98c96cd01>    3000 (active)",
    "",
  ].join("\n"));
  assertStringIncludes(
    words,
    "The system ended Shop, which was active, as the app in front is, for want of memory: it had 25600 resident pages, about 100 MB (jettisoned).",
  );
  assertStringIncludes(words, "The system ended mailer for want of memory: it had 1113 resident");
  assert(!words.includes("ended HomeBoard") && !words.includes("Memory was short."), words);
});

Deno.test("an assertion of the dynamic linker is about how a file was linked", () => {
  const { words } = told(
    "Exception Type:  EXC_CRASH (SIGABRT)\nException Codes: 0x0000000000000000, 0x0000000000000000\n" +
      "Termination Description: DYLD, Assertion failed: (found), function applyFixupsToImage_block_invoke_2, " +
      "file /Library/Caches/com.apple.xbs/Sources/dyld/dyld-700.1/dyld3/Loading.cpp, line 700.\n" +
      "Highlighted by Thread:  0\n\nBacktrace not available\n",
  );
  assertStringIncludes(words, "(dyld) could not apply the fixups of the program or of a library");
});

Deno.test("the oldest form of an exception, behind a person's sentence; the Objective-C run-time's fatal error", () => {
  const { words } = told(
    "This is what the users sent, all of it looks so:\n    \n" +
      "Exception:  EXC_BAD_ACCESS (0x0001)\nCodes:      KERN_PROTECTION_FAILURE (0x0002) at 0x00000008\n\n" +
      "Thread 0 Crashed:\n0   com.apple.HIToolbox     \t0x92700000 GetMenu + 0\n" +
      "1   com.apple.AppKit        \t0x92800000 -[NSMenu update] + 0x74\n",
  );
  assertStringIncludes(words, "EXC_BAD_ACCESS");
  assertStringIncludes(words, "KERN_PROTECTION_FAILURE at 0x8");
  const fatal = told(
    "Thread 0 Crashed:\n0   libobjc.A.dylib         \t0x90800080 _objc_trap + 0\n" +
      "1   libobjc.A.dylib         \t0x90800014 _objc_fatal + 0x48\n" +
      "2   libobjc.A.dylib         \t0x90810000 class_initialize + 0x120\n",
  );
  assertStringIncludes(fatal.words, "Objective-C run-time met a fatal error");
  assert(!fatal.words.includes("does not say"), fatal.words);
});

Deno.test("a browser's framework is the browser's own, where the program has its identifier", () => {
  const { words, whose } = told(
    crashText({
      type: "EXC_BAD_ACCESS (SIGSEGV)",
      fields: ["Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000000"],
      stack: [
        "org.chromium.Chromium.framework base::mac::(anonymous namespace)::List::Find(NSURL*) + 131",
        "org.chromium.Chromium.framework ChromeMain + 27",
      ],
    }).replace("Code Type:", "Identifier:            org.chromium.Chromium\nCode Type:"),
  );
  assertStringIncludes(words, "null");
  assertEquals(whose, "program");
});

Deno.test("the protection that Cr4shed writes of an address", () => {
  const { words } = told(crashText({
    type: "EXC_BAD_ACCESS (SIGBUS)",
    fields: [
      "Exception Codes:       KERN_PROTECTION_FAILURE at 0x0000000102a00000",
      "VM Protection: rw-",
    ],
    stack: ["MyApp f + 4"],
  }));
  assertStringIncludes(words, "its region has the protection rw-");
  assert(!words.includes("does not say what was there"), words);
});

Deno.test("a function of the C library alone has lost its caller", () => {
  const { whose } = told(crashText({
    type: "EXC_BAD_ACCESS (SIGBUS)",
    fields: ["Exception Codes:       KERN_PROTECTION_FAILURE at 0x0000000000000000"],
    stack: ["libSystem.B.dylib strcmp + 192"],
  }));
  assertEquals(whose, "unknown");
});

Deno.test("whose Info.plist the system asks for a usage description", () => {
  const next = (responsible: string) =>
    explainReport(readReport(
      `Process: scan [45]\nPath: /Users/me/scan\nResponsible: ${responsible}\nOS Version: macOS 12.1 (21C52)\n
Exception Type: EXC_CRASH (SIGABRT)\nException Codes: 0x0, 0x0
Termination Reason: Namespace TCC, Code 0x0
This app has crashed because it attempted to access privacy-sensitive data without a usage description. The app's Info.plist must contain an NSBluetoothAlwaysUsageDescription key with a string value explaining to the user how the app uses this data.\n
Thread 1 Crashed:
0   libsystem_kernel.dylib 0x7ff80000 __abort_with_payload + 10
1   TCC                    0x7ff90000 __TCC_CRASHING_DUE_TO_PRIVACY_VIOLATION__ + 842
`,
      "x",
    )).check.join("\n");
  assertStringIncludes(next("Shell Window [471]"), "asks the Info.plist of Shell Window, which it");
  assertStringIncludes(
    next("scan [45]"),
    "Add NSBluetoothAlwaysUsageDescription to the Info.plist,",
  );
});

Deno.test("a lock that a library of the system has for itself is not what the program locked", () => {
  const unowned = (...between: string[]) =>
    told(crashText({
      type: "EXC_BREAKPOINT (SIGTRAP)",
      information: [
        "BUG IN CLIENT OF LIBPLATFORM: Unlock of an os_unfair_lock not owned by current thread",
        "Abort Cause 1",
      ],
      stack: [
        "libsystem_platform.dylib _os_unfair_lock_unowned_abort + 36",
        "libsystem_platform.dylib _os_unfair_lock_unlock_slow + 92",
        ...between,
        "MyApp -[Wheel turn] + 340",
        "dyld start + 4",
      ],
    })).words;
  const library = unowned("IOKit IOHIDDeviceGetProperty + 120");
  assertStringIncludes(library, "What unlocked it was IOHIDDeviceGetProperty (IOKit).");
  assertStringIncludes(library, "was freed, or its memory overwritten");
  assert(!library.includes("who locks and unlocks"), library);
  // Here it is the program's.
  for (const own of [unowned(), unowned("Foundation -[NSLock unlock] + 20")]) {
    assertStringIncludes(own, "See who locks and unlocks it");
    assert(!own.includes("What unlocked it"), own);
  }
  const again = told(crashText({
    type: "EXC_BREAKPOINT (SIGTRAP)",
    stack: [
      "libsystem_platform.dylib _os_unfair_lock_recursive_abort + 36",
      "libsystem_platform.dylib _os_unfair_lock_lock_slow + 92",
      "IOKit IOHIDDeviceSetProperty + 20",
      "MyApp -[Wheel turn] + 340",
      "dyld start + 4",
    ],
  })).words;
  assertStringIncludes(again, "called again on the same thread");
});

Deno.test("a message gives no cause that its own words exclude", () => {
  const said = (text: string) =>
    told(
      crashText({
        type: "EXC_CRASH (SIGABRT)",
        information: [text],
        stack: ["libsystem_kernel.dylib __pthread_kill + 8", "MyApp main + 8"],
      }),
    );
  const client = "BUG IN CLIENT OF LIBPLATFORM: os_unfair_lock is corrupt";
  assertStringIncludes(said(client).words, "freed or overwritten");
  const ended = said(`${client}, or owner thread exited without unlocking`);
  assertStringIncludes(ended.words, "a thread that ended while it held the lock");
  const once = said("BUG IN CLIENT OF LIBDISPATCH: trying to lock recursively").words;
  assert(!once.includes("dispatch_sync"), once);
  const kept = said("API MISUSE: Resurrection of an object").words;
  assertStringIncludes(kept, "was retained after its last reference");
  const at =
    "libc++abi: terminating due to uncaught exception of type std::__1::system_error: mutex lock failed: ";
  assertStringIncludes(said(`${at}Invalid argument`).words, "a mutex that was destroyed");
  const again = said(`${at}Resource deadlock avoided`).words;
  assert(!again.includes("destroyed"), again);
  // What the function's own row says of other objects is no cause here.
  const nothing = told(crashText({
    type: "EXC_BREAKPOINT (SIGTRAP)",
    information: ["*** CFRelease() called with NULL ***"],
    stack: ["CoreFoundation CFRelease.cold.1 + 8", "Security SecOvenOpen + 8", "MyApp main + 8"],
  })).words;
  assert(!nothing.includes("deallocated"), nothing);
  const raised = (reason: string) =>
    said(
      `*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '${reason}'`,
    )
      .words;
  for (
    const [reason, excluded] of [
      ["Source type 0 not available", "camera"],
      [
        "keypath price not found in entity <NSSQLEntity Cake id=3>",
        "migration",
      ],
      [
        "The number of view controllers provided (1) doesn't match the number required (2) for the requested transition",
        "twice",
      ],
      ["Can't do regex matching on object 7.", "quote that is missing"],
      ["Upload tasks from NSData are not supported in background sessions.", "invalidated"],
      ["Invalid parameter not satisfying: isPaired", "nil where a value"],
    ]
  ) {
    const words = raised(reason);
    assertStringIncludes(words, reason.replace(/\.$/, ""));
    assert(!words.includes(excluded), words);
  }
});

Deno.test("a signal of a fault without a fault was sent: nothing on the stack is to blame", () => {
  const sent = (codes: string, top: string, information: string[] = []) =>
    crashText({
      type: "EXC_CRASH (SIGSEGV)",
      fields: [`Exception Codes: ${codes}`],
      information,
      stack: [
        top,
        "HIToolbox ModalDialog + 66",
        "MyApp Alert::show() + 2599",
        "MyApp main + 40",
        "dyld start + 4",
      ],
    });
  const none = "0x0000000000000000, 0x0000000000000000";
  const text = sent(none, "HIToolbox GetWindowData + 58");
  assertStringIncludes(told(text).words, "most likely the signal was sent");
  const { verdict, absent } = attributeReport(readReport(text, "x"));
  assertEquals([verdict, absent], ["none", "sent"]);
  // What the process raised itself has a caller.
  const raised = sent(none, "libsystem_kernel.dylib __pthread_kill + 10");
  assertEquals(told(raised).deciding, "Alert::show()");
  const said = sent(none, "HIToolbox GetWindowData + 58", ["Fatal error: no window"]);
  assertEquals(attributeReport(readReport(said, "x")).absent, null);
});

Deno.test("no space left: in words, by the error's words or number; a daemon without a stack is the system's", () => {
  const text = [
    "Process:               clouder [11]",
    "Path:                  /System/Library/PrivateFrameworks/Clouder.framework/Support/clouder",
    "Crashed Thread:        0  Dispatch queue: com.example.store",
    "",
    "Exception Type:        EXC_CRASH (SIGABRT)",
    "",
    "Application Specific Information:",
    "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'commit failed [Error Domain=SqliteErrorDomain Code=13 \"x\"]'",
    "abort() called",
    "",
  ].join("\n");
  assertStringIncludes(told(text).words, "There was no space left to write");
  assertStringIncludes(told(text).words, "Free space on the disk");
  assertEquals(attributeReport(readReport(text, "x")).absent, "system's");
  const other = text.replace("/System/Library/PrivateFrameworks", "/Applications");
  assertEquals(attributeReport(readReport(other, "x")).absent, "stack");
});

Deno.test("an object that was being destroyed further out is told, and no object that only holds something", () => {
  const drawn = (type: string) =>
    told(crashText({
      type: "EXC_BAD_ACCESS (SIGSEGV)",
      fields: ["Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000000"],
      stack: [
        "MyApp View::style() const + 20",
        "MyApp drawView(View*) + 20",
        "AppKit _NSViewDrawRect + 20",
        "AppKit -[NSWindow close] + 20",
        `MyApp ${type}Base::~${type}Base() + 20`,
        `MyApp ${type}::~${type}() + 20`,
        "MyApp run() + 20",
        "MyApp main + 20",
        "dyld start + 4",
      ],
    })).words;
  const words = drawn("Panel");
  assertStringIncludes(words, "an object was being destroyed, in Panel::~Panel() (MyApp)");
  assertStringIncludes(words, "a part of the object that is being destroyed");
  assert(!drawn("StringHolder").includes("being destroyed"));
});

Deno.test("an index is no number of floating point; a simulator's version is no message; a deinit may overlap", () => {
  const reason = (condition: string) =>
    told(crashText({
      information: [
        `*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'Invalid parameter not satisfying: ${condition}'`,
      ],
      stack: ["MyApp -[Bar fill] + 20", "MyApp main + 20", "dyld start + 4"],
    })).words;
  const index = reason("index>=0 && index<=[self _count]");
  assertStringIncludes(index, "with an index or a count that it does not accept");
  assert(!index.includes("NaN"), index);
  assertStringIncludes(reason("width >= 0 && width < 1e6"), "NaN");
  const simulated = told(crashText({
    information: ["iPhone Simulator 369.2, iPhone OS 6.1 (iPad/10B141)"],
    stack: ["libsystem_c.dylib abort + 20", "MyApp stop() + 8", "dyld start + 4"],
  })).words;
  assert(!simulated.includes("It says"), simulated);
  const overlap = told(crashText({
    stack: [
      "libsystem_c.dylib abort + 20",
      "libswiftCore.dylib swift_beginAccess + 84",
      "MyApp Session.deinit + 8",
      "dyld start + 4",
    ],
  })).words;
  assertStringIncludes(overlap, "a deinit or an observer");
});

const plainMessages: readonly (readonly [text: string, said: string, not: RegExp])[] = [
  // Before a block as well as behind it.
  [
    "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6020000000ef at pc 0x1",
    "before or behind it",
    /freed and allocated|too large/,
  ],
  [
    "==7==ERROR: AddressSanitizer: global-buffer-overflow on address 0x10e at pc 0x1",
    "the variable that is near",
    /allocated/,
  ],
  [
    "==7==ERROR: LeakSanitizer: detected memory leaks",
    "nothing points any more",
    /a reference that is kept/,
  ],
  // A check of the virtual machine is no signal, an array too large no full heap.
  [
    "FATAL ERROR: invalid array length Allocation failed - JavaScript heap out of memory",
    "no memory for what the words before it name",
    /heap is full|max-old-space-size/,
  ],
  [
    "the store could not be opened: out of memory",
    "By the message memory ran out",
    /a leak|what grows/,
  ],
  ["panic: runtime error: index out of range [5] with length 3", "out of the range", /empty/],
  ["fatal error: unexpected signal during runtime execution", "own run-time", /golang\.org/],
  // What was to run is not Metal's check, and a method that is missing neither.
  [
    "Execution of the command buffer was aborted (00000003:kIOGPUCommandBufferCallbackErrorHang)",
    "did not carry out a command buffer",
    /check of Metal/,
  ],
  [
    "-[MTLJSONAdapter cart]: unrecognized selector sent to instance 0x1",
    "does not have the method",
    /check of Metal/,
  ],
  // The message says which of two it was.
  [
    "Double value cannot be converted to Int because it is either infinite or NaN",
    "not a number",
    /beyond what/,
  ],
  [
    "SWIFT TASK CONTINUATION MISUSE: pay() leaked its continuation!",
    "a warning, which ends nothing",
    /resumed more than once/,
  ],
  ["Dictionary literal contains duplicate keys", "with a key twice", /hash\(into:\)/],
  ["Duplicate keys of type 'Cart' were found in a Dictionary.", "hash(into:)", /uniquingKeys/],
  [
    "failed to find a currently active container for Cart",
    "no container for its type",
    /not in the store|migration/,
  ],
  ["Fatal error: exception Stdlib.Exit", "OCaml", /Swift/],
  [
    "-[UITableView scroll]: row (5) beyond bounds (3) for section (0).",
    "out of the bounds",
    /empty/,
  ],
  ["wasm trap: out of bounds memory access", "out of bounds", /collection|string/],
  ["must be used from main thread only", "main thread", /completion handler/],
  ["Application tried to push a nil view controller", "nil was pushed", /twice|already is/],
  [
    "preferredInterfaceOrientationForPresentation 'landscapeLeft' must match a supported interface orientation: 'portrait'!",
    "prefers is none",
    /Info\.plist/,
  ],
  ['loaded the "Cart" nib but the view outlet was not set.', "not connected", /not in the bundle/],
  [
    "NSLayoutConstraint for <Cart: 0x1>: A multiplier of 0 or a nil second item",
    "is not valid",
    /superview/,
  ],
  [
    "An NSManagedObject of class 'Cart' must have a valid NSEntityDescription.",
    "without a description",
    /ConcurrencyDebug|another queue/,
  ],
  ["task already launched", "a second time", /not there|too many/],
  [
    "player started when in a disconnected state",
    "not connected",
    /not started|interruption/,
  ],
  [
    "`FirebaseApp.configure()` could not find a valid GoogleService-Info.plist in your project.",
    "did not find its settings",
    /used before/,
  ],
  [
    "RCTBridge required dispatch_sync to load RCTCart. This may lead to deadlocks",
    "ends nothing",
    /missing|pods/,
  ],
  ["LLVM ERROR: IO failure on output stream: No space left on device", "gave up", /bug of/],
  ["BUG IN CLIENT OF LIBDISPATCH: Over-resume of an object", "more often", /released|never/],
  ["BUG IN CLIENT OF LIBDISPATCH: Release of an inactive object", "never activated", /too often/],
  [
    "BUG IN CLIENT OF LIBDISPATCH: kqueue() failure: process is out of file descriptors",
    "as many open as it may",
    /mistake|misused/,
  ],
  [
    "BUG IN CLIENT OF LIBDISPATCH: Corrupt activation state",
    "damaged",
    /resumed|mistake/,
  ],
  [
    "BUG IN CLIENT OF LIBDISPATCH: lock not owned by current thread",
    "A lock of libdispatch",
    /os_unfair_lock/,
  ],
  [
    "BUG IN CLIENT OF LIBDISPATCH: Unbalanced call to dispatch_semaphore_signal()",
    "ran over",
    /group|mistake/,
  ],
  [
    "BUG IN CLIENT OF LIBPLATFORM: Unlock of an os_unfair_lock not owned by current thread",
    "An os_unfair_lock",
    /libdispatch/,
  ],
  [
    "BUG IN CLIENT OF LIBPLATFORM: Assertion failed: Lock unexpectedly not owned by current thread",
    "without the os_unfair_lock",
    /An assertion/,
  ],
  [
    "BUG IN CLIENT OF LIBPTHREAD: Unable to allocate thread port, possible port leak",
    "A new thread got no Mach port",
    /libdispatch/,
  ],
  [
    "BUG IN LIBPTHREAD: __ulock_wake() failed",
    "libpthread, a library of the system",
    /mistake/,
  ],
  [
    "MyApp(123,0x1) malloc: *** error for object 0x1: Failed to deallocate at address 0x1 of size 0x4000: 1",
    "gives memory back",
    /freed twice|damaged/,
  ],
  [
    "MyApp(123,0x1) malloc: *** error for object 0x1: Region cookie corrupted for region 0x1 (value is 12)[0x1]",
    "heap damaged",
    /did not allocate/,
  ],
  [
    "MyApp(123,0x1) malloc: *** error for object 0x1: Invalid best: 3",
    "malloc found an error and stopped",
    /freed twice|damaged/,
  ],
  [
    "MyApp(123,0x1) malloc: *** error for object 0x1: non-page-aligned, non-allocated pointer 0x1 being freed",
    "that malloc did not allocate",
    /found an error/,
  ],
  [
    "Object requires Objective-C garbage collection which is no longer supported.",
    "garbage collection",
    /run-time ended/,
  ],
  [
    "attempt to allocate object of class 'Cart' failed",
    "calloc() gave no memory",
    /damaged/,
  ],
  [
    "*** __CFTypeCollectionRetain() called with NULL; likely a collection has been corrupted ***",
    "had NULL where an object",
    /CFRetain was/,
  ],
  [
    "%n used in a non-immutable format string: %n",
    "can be written",
    /not valid/,
  ],
  [
    "Swift/Array.swift:428: Fatal error: Array index is out of range",
    "range of a collection",
    /By its words/,
  ],
  [
    "Swift/Array.swift:12: Fatal error: Array replace: subrange extends past the end",
    "out of the bounds",
    /By its words/,
  ],
  [
    "Swift/HashTable.swift:12: Fatal error: Attempting to access Set elements using an invalid index",
    "none of it as it is now",
    /By its words/,
  ],
  [
    "Swift/Integers.swift:12: Fatal error: Negative value is not representable",
    "A negative number was converted",
    /lost bits/,
  ],
  [
    "Swift/Sequence.swift:12: Fatal error: Can't take a prefix of negative length from a collection",
    "A negative number was given",
    /By its words/,
  ],
  [
    "Swift/ErrorType.swift:12: Fatal error: Error raised at top level: Shop.CartError.empty",
    "that nothing caught",
    /By its words/,
  ],
  [
    "failed to demangle superclass of Cart from mangled name '4Shop4CartC': x",
    "by the name",
    /fatal error/,
  ],
  [
    "attempt to await next() on more than one task",
    "one AsyncStream",
    /stopped the process/,
  ],
  [
    "terminating due to uncaught exception of type std::system_error: thread::join failed: Invalid argument",
    "joined or detached",
    /mutex/,
  ],
  [
    "libc++abi: terminate_handler unexpectedly returned",
    "came back or threw",
    /does not say why/,
  ],
  [
    "include/c++/v1/optional:800: assertion this->has_value() failed: optional operator* called on a disengaged value",
    "holds nothing",
    /does not say why/,
  ],
  [
    "Would read out of bounds, does your comparator satisfy the strict-weak ordering requirement?",
    "contradicts itself",
    /range was out/,
  ],
  [
    "BUG IN CLIENT OF libsqlite3.dylib: database integrity compromised by API violation: vnode unlinked while in use: /x",
    "ends nothing",
    /damaged/,
  ],
  [
    "/x/realm/alloc_slab.cpp:1: [realm-core-13.20.0] Assertion failed: a",
    "Realm's core",
    /An assertion failed/,
  ],
  [
    "../virtual_memory_posix.cc: 428: error: mprotect failed: 13 (Permission denied)",
    "Dart virtual machine",
    /does not say why/,
  ],
  [
    "XPC API Misuse: Object type mismatch",
    "libxpc stopped",
    /The XPC API was/,
  ],
  [
    "*** error for object 0x1: pointer being freed was not allocated",
    "where the block was allocated and freed",
    /where the damage is done/,
  ],
];

Deno.test("what is told of a message holds for all that have it", () => {
  for (const [text, said, not] of plainMessages) {
    const { words } = told(
      crashText({ information: [text], stack: ["libsystem_kernel.dylib __pthread_kill + 8"] }),
    );
    // The message itself is quoted.
    const rest = words.replaceAll(text, "");
    assertStringIncludes(rest, said, text);
    assert(!not.test(rest), `${text}: ${rest}`);
  }
});

Deno.test("a check whose message is quoted is in the report, and a trap of printf() is no access", () => {
  const trap = (information: string, symbol: string): string =>
    told(crashText({
      type: "EXC_BREAKPOINT (SIGTRAP)",
      information: [information],
      stack: [`libsystem_c.dylib ${symbol} + 8`, "MyApp -[Cart add:] + 8"],
    })).words;
  const port = trap("port set mismatch: actual = 3, expected = 0", "os_assert_mach_port_status");
  assertStringIncludes(port, "It says: port set mismatch");
  assert(!port.includes("is not in the report"), port);
  const format = trap("%n used in a non-immutable format string: %n", "__vfprintf");
  assertStringIncludes(format, "a format with %n");
  assert(!format.includes("an address that is not valid"), format);
});

Deno.test("a library whose file was refused is not missing, and its fixups are no collection", () => {
  const refused = (why: string): string =>
    told(crashText({
      fields: [
        "Termination Reason:    Namespace DYLD, Code 1 Library missing",
        "Library not loaded: @rpath/Cart.framework/Cart",
        "Referenced from: <11111111-1111-3111-8111-111111111111> /Applications/MyApp.app/Contents/MacOS/MyApp",
        `Reason: tried: '/Applications/MyApp.app/Contents/Frameworks/Cart.framework/Cart' (${why})`,
        "(terminated at launch; ignore backtrace)",
      ],
      stack: ["dyld __abort_with_payload + 8"],
    })).words;
  const twice = refused("duplicate LC_RPATH '@loader_path'");
  assertStringIncludes(twice, "did not take its file");
  assert(!twice.includes("is missing"), twice);
  assertStringIncludes(refused("no such file"), "A library is missing");
  const chain = refused("chain overflow index out of range 4 (max=3) in segment #2");
  assertStringIncludes(chain, "could not apply the fixups");
  assert(!chain.includes("collection"), chain);
});

Deno.test("what the dynamic linker stops for while the program runs is no failure to load", () => {
  const stopped = (reason: string): string =>
    told(crashText({
      fields: ["Termination Reason:    Namespace DYLD, Code 9", reason],
      stack: ["dyld __abort_with_payload + 8", "dyld dyld4::halt + 8", "MyApp -[Cart add:] + 8"],
    })).words;
  const lazy = stopped("missing lazy symbol called");
  assertStringIncludes(lazy, "bound lazily");
  const other = stopped("Illegal TPRO memory access");
  assertStringIncludes(other, "none of its other codes");
  assert(!/[Ll]oading failed/.test(lazy + other), other);
});

Deno.test("a fault within fork() is none of what the child ran; a walk that failed late is none of loading", () => {
  const fork = (inner: string): string => explainReport(child(inner)).happened.join("\n");
  const child = (inner: string) =>
    readReport(
      `Process: Shop [12]
Path: /usr/bin/shop
Exception Type: EXC_BAD_ACCESS (SIGBUS)
Exception Codes: KERN_PROTECTION_FAILURE at 0x0000000101052c60

Application Specific Information:
crashed on child side of fork pre-exec

Thread 0 Crashed:
0   dyld                0x0000000101052c60 ${inner} + 0
1   libsystem_c.dylib   0x000000018d54a180 fork + 112
2   shop                0x0000000100e0d9c0 main + 2100
`,
      "x",
    );
  assertStringIncludes(fork("dyld4::APIs::_dyld_fork_child()"), "crashed within fork() itself");
  assertStringIncludes(fork("dyld4::APIs::dlopen()"), "crashed in a library of the system");
  assertEquals(attributeReport(child("dyld4::APIs::_dyld_fork_child()")).absent, "launch");
  const unwalked = (seconds: string): string =>
    explainReport(readReport(
      `Process: Shop [12]
Date/Time: 2026-01-02 03:04:${seconds}.0963 +0200
Launch Time: 2026-01-02 03:04:01.9452 +0200
Exception Type: EXC_BAD_ACCESS (SIGSEGV)
Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000100000028
Highlighted by Thread:  0

Backtrace not available
`,
      "x",
    )).happened.join("\n");
  assertStringIncludes(unwalked("02"), "ended before or while its program was loaded");
  assertStringIncludes(unwalked("16"), "could not walk the stack, as one that is damaged.");
});

Deno.test("what the kernel noted is told where a report has nothing else that says why", () => {
  const words = (notes: string): string =>
    explainReport(readReport(
      `Process: Shop [12]
Exception Type: EXC_CRASH (SIGABRT)
Exception Codes: 0x0000000000000000, 0x0000000000000000

Kernel Triage:
${notes}

Thread 0 Crashed:
0   libsystem_kernel.dylib   0x00000001bb3f9aac __pthread_kill + 8
1   libsystem_c.dylib        0x00000001bb3f8aac abort + 180
2   Shop                     0x0000000100e0d9c0 main + 2100
`,
      "x",
    )).happened.join("\n");
  assertStringIncludes(
    words("VM - Fault hit memory shortage\nVM - Fault hit memory shortage"),
    "The kernel noted of the process (Kernel Triage): VM - Fault hit memory shortage. That need not",
  );
  assert(!words("VM - Object is not alive").includes("Kernel Triage"));
});

Deno.test("values that memory is filled with, as a pointer and as an index", () => {
  const words = (address: string, registers: string): string =>
    explainReport(readReport(
      `Process: Shop [12]
Code Type: ARM-64 (Native)
Exception Type: EXC_BAD_ACCESS (SIGSEGV)
Exception Subtype: KERN_INVALID_ADDRESS at ${address}

Thread 0 Crashed:
0   Shop   0x0000000100001234 draw + 52
1   Shop   0x0000000100000c34 main + 52

Thread 0 crashed with ARM Thread State (64-bit):
    ${registers}   x2: 0x000000016fd1d9b0   x3: 0x0000000000000000
    fp: 0x000000016fd1d9f0   lr: 0x0000000100005b20 sp: 0x000000016fd1d990   pc: 0x0000000100001234 cpsr: 0x60000000
`,
      "x",
    )).happened.join("\n");
  const plain = "x0: 0x0000000000000001   x1: 0x00000001fd6e3f70";
  assertStringIncludes(words("0xcdcdcdcdcdcdcde5", plain), "debugging allocators write to memory");
  assertStringIncludes(words("0x00000000baadf00d", plain), "a mark that programs write");
  assertStringIncludes(words("0xbebebebebebebec6", plain), "Address Sanitizer fills new memory");
  const index = "x0: 0x0000000041414141   x1: 0x000000017f970000";
  assertStringIncludes(
    words("0x0000000389a10a10", index),
    "it is x1 plus 8 times x0 plus 8, and x0 is 0x41414141: one letter again and again",
  );
  assert(!words("0x0000000389a90a10", index).includes("41414141"));
  const { happened } = explainReport(readReport(
    `panic(cpu 1 caller 0xfffffff027e53660): Kernel data abort. at pc 0xfffffff0282e8830, lr 0xfffffff0282dbb68 (saved state: 0xffffffe811c63420)
	  x0: 0xffffffe4cdc7ccb0  x1:  0xffffffe19c2a0628  x2:  0xffffffe811c637fc  x3:  0x0000000041414141
	  pc:  0xfffffff0282e8830 cpsr: 0x60400204         esr: 0x96000006          far: 0xffffffe6d7d1e110
`,
    "x",
  ));
  assertStringIncludes(
    happened.join("\n"),
    "It is x0 plus 8 times x3 plus 2648, and x3 is 0x41414141",
  );
});

Deno.test("AVFAudio's checks, by the condition, or by the function that raised it", () => {
  const words = (condition: string): string =>
    told(
      `*** Terminating app due to uncaught exception 'com.apple.coreaudio.avfaudio', reason: 'required condition is false: ${condition}'\n`,
    ).words;
  for (
    const [condition, says] of [
      ["format.sampleRate == inputHWFormat.sampleRate", "is not the hardware's"],
      ["IsFormatSampleRateAndChannelCountValid(hwFormat)", "no format of the hardware"],
      ["IsFormatSampleRateAndChannelCountValid(format)", "where no microphone may be used"],
      ["_recordingTap == nil", "has one already"],
      ["_engine->IsRunning()", "its engine does not run"],
      ["_engine != nil", "belongs to no engine"],
      ["inputNode != nullptr || outputNode != nullptr", "neither an input nor an output"],
      [
        "_outputFormat.channelCount == buffer.format.channelCount",
        "number of channels is not that",
      ],
      ["!nodeimpl->HasEngineImpl()", "has already"],
      ["_unheardOf", "A check of AVFAudio failed."],
    ]
  ) assertStringIncludes(words(condition), says);
  const raised = told(crashText({
    last: [
      "CoreFoundation __exceptionPreprocess + 164",
      "libobjc.A.dylib objc_exception_throw + 88",
      "AVFAudio AVAudioIONodeImpl::SetOutputFormat(unsigned long, AVAudioFormat*) + 8",
      "AVFAudio -[AVAudioNode installTapOnBus:bufferSize:format:block:] + 8",
      "MyApp listen + 8",
    ],
    stack: ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 8"],
  })).words;
  assertStringIncludes(raised, "refused a format for the input or the output");
  assert(!raised.includes("a tap that is installed already"), raised);
});
