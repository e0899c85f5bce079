/** Lines of reports that say what happened beside the exception: notes of the kernel, of the dynamic linker, codes and
 * times; and what a report does not say. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { decodeGuard, explainReport, readReport } from "../../../lib/report/mod.ts";
import { frameLines, told } from "./fixtures.ts";

/** A crash of one thread, whose frames are `image symbol`. */
function crash(lines: string[], frames: string[], after: string[] = []): string {
  return [
    ...lines,
    "",
    "Thread 0 Crashed:",
    ...frameLines(frames, 0x7000),
    "",
    ...after,
    "",
  ].join("\n");
}

Deno.test("a page that the kernel could not deliver: by its notes, not by the kind of address", () => {
  const page = (triage: string[], frames = ["shopd read_row + 33"]) =>
    told(crash([
      "Process: shopd [7]",
      "Code Type: X86-64",
      "Exception Type: EXC_BAD_ACCESS (SIGBUS)",
      "Exception Codes: FS pagein error: 22 Invalid argument",
      "Exception Codes: 0x000000000000000a, 0x0000000200001000",
      "VM Region Info: 0x200001000 is in 0x200000000-0x200100000;  bytes after start: 4096",
      "      REGION TYPE   START - END  [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
      "--->  mapped file   200000000-200100000   [ 1024K] r--/rw- SM=PRV  Object_id=1",
      "",
      "Application Specific Information:",
      "crashed on child side of fork pre-exec",
      "",
      "Kernel Triage:",
      ...triage,
    ], frames));
  const { what, causes } = page([
    "CL - (arg = 0x0) cluster_pagein past EOF",
    "VM - (arg = 0x1900000016) Filesystem pagein returned an error in vnode_pagein",
    "VM - (arg = 0x0) Page has error bit set",
  ]);
  assertStringIncludes(what, "FS pagein error: 22 Invalid argument at 0x200001000");
  assertStringIncludes(what, "The page is beyond the end of the mapped file");
  assertEquals(
    causes,
    "a mapped file that is shorter than its mapping: cut short, or never written that far",
  );
  // What the kernel notes of a shortage that it got over is no cause.
  assertEquals(page(["VM - pmap_enter retried due to resource shortage"]).causes, "");
  // A library of the system is not made for the child of a fork.
  assertStringIncludes(page([], ["libdispatch.dylib shop + 3"]).causes, "without exec");
});

Deno.test("a fault that code reports on purpose is no violated guard", () => {
  assertStringIncludes(
    decodeGuard([0x6000_0000_0000_0012n, 2n])!,
    "namespace 18 (LIBSYSTEM), reason 0x2 (FAULT)",
  );
  const guard = (codes: string) =>
    told(crash(["Exception Type: EXC_GUARD", `Exception Codes: ${codes}`], ["shopd tell + 3"]));
  const user = guard("0x6000000000000012, 0x0000000000000002");
  assertStringIncludes(user.what, "reported a fault on purpose");
  assertEquals(user.causes, "");
  assertStringIncludes(guard("0x4000000100000005, 0x1").causes, "closed twice");
  // SOCKET_IPC is no close.
  assertEquals(guard("0x4000000800000005, 0x1").causes, "");
});

Deno.test("what the dynamic linker was doing at the launch", () => {
  const at = (notes: string[], header: string[] = []) =>
    told(crash([
      "Exception Type: EXC_BAD_ACCESS (SIGBUS)",
      "Exception Codes: KERN_MEMORY_ERROR at 0x00000000a088b014",
      ...header,
      "",
      "Application Specific Information:",
      ...notes,
    ], ["dyld load + 3"])).what;
  assertStringIncludes(
    at(["dyld: launch, loading dependent libraries", "/usr/lib/libshop.dylib"]),
    "while the dynamic linker was loading dependent libraries (/usr/lib/libshop.dylib): none of the program's code",
  );
  const ran = at(["dyld: launch, running initializers", "/usr/lib/libSystem.B.dylib"]);
  assertStringIncludes(ran, "none of the program's own code had run");
  const others = at(["dyld: launch, running initializers", "/opt/lib/libshop.dylib"]);
  assert(!others.includes("none of the program's"), others);
  assert(!at(["dyld: in dlopen()", "/opt/lib/libshop.dylib"]).includes("launch"));
});

Deno.test("why a library was not loaded stands on the line after the termination reason", () => {
  const loaded = (reason: string) =>
    told([
      "Exception Type: EXC_CRASH (SIGABRT)",
      "Termination Reason: Namespace DYLD, Code 1 Library missing",
      "Library not loaded: '@rpath/Shop'",
      "Referenced from: '/Applications/Shop.app/Contents/MacOS/Shop'",
      `Reason: tried: '/x/Shop' (${reason}), '/y/Shop' (no such file)`,
      "(terminated at launch; ignore backtrace)",
      "",
    ].join("\n"));
  const signed = loaded("code signature invalid (errno=1) sliceOffset=0x00000000");
  assertStringIncludes(signed.what, "its code signature is not accepted");
  assertStringIncludes(signed.what, "It was at launch: none of the program's code had run.");
  // Another team's is refused later, in other words.
  assert(!signed.causes.includes("another team"), signed.causes);
  const system = "code signature in '/x/Shop' not valid for use in process: ";
  const policy = loaded(`${system}library load disallowed by system policy`);
  assertStringIncludes(policy.causes, "quarantine");
  const platform = loaded(`${system}mapping process is a platform binary, but mapped file is not`);
  assertStringIncludes(platform.what, "load only the system's own libraries");
  assert(!platform.next.includes("Sign the library"), platform.next);
  const full = loaded("mmap(addr=0x104000000, size=0x08000000) failed with errno=12 for /x/Shop");
  assertStringIncludes(full.what, "no room in memory");
  const missing = loaded("no such file");
  assert(!missing.what.includes("signature"), missing.what);
  assertStringIncludes(missing.what, "none of the program's code ran");
});

Deno.test("the instruction that an ARM CPU refused", () => {
  const refused = (code: string) =>
    told(crash([
      "Code Type: ARM-64",
      "Exception Type: EXC_BAD_INSTRUCTION (SIGILL)",
      `Exception Codes: 0x0000000000000001, ${code}`,
    ], ["Shop scan + 3"])).what;
  // llvm-mc -triple=arm64 -show-encoding: mrs x1, S3_0_C15_C2_3; msr S3_0_C15_C2_3, x1
  assertStringIncludes(
    refused("0x00000000d538f261"),
    "a read of the system register S3_0_C15_C2_3",
  );
  assertStringIncludes(refused("0x00000000d518f261"), "a write to the system register");
  assertStringIncludes(refused("0x0000000000000000"), "no code, but zeros");
  assertStringIncludes(refused("0x000000000000dead"), "udf");
  assertStringIncludes(refused("0x00000000c87f7e7f"), "The instruction was 0xc87f7e7f.");
});

Deno.test("read or write by the error code of a page fault alone", () => {
  const fault = (code: string, kind = "KERN_INVALID_ADDRESS at 0x00000006e772b024", trap = "14") =>
    told(crash(
      [
        "Code Type: X86-64",
        "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
        `Exception Codes: ${kind}`,
      ],
      ["Shop scan + 3"],
      ["Logical CPU: 1", `Error Code: ${code}`, `Trap Number: ${trap}`],
    )).what;
  assertStringIncludes(fault("0x00000004"), "It was a read.");
  assertStringIncludes(fault("0x00000006"), "It was a write.");
  for (
    const other of [
      fault("0x02000170", undefined, "133"),
      // Not a fault of the process; an instruction; the address of an earlier fault.
      fault("0x00000000"),
      fault("0x00000014"),
      fault("0x00000004", "EXC_I386_GPFLT"),
    ]
  ) assert(!other.includes("It was a "), other);
});

Deno.test("a report that does not say why says so, one with a message does not", () => {
  const aborted = (note: string[]) =>
    told(crash(
      ["Exception Type: EXC_CRASH (SIGABRT)", ...note],
      ["libsystem_kernel.dylib 0x7000 + 3", "Shop 0x8000 + 3"],
    ));
  assertStringIncludes(aborted([]).what, "This part of the report does not say why.");
  assertEquals(aborted([]).causes, "");
  const said = aborted(["", "Application Specific Information:", "no shelf for this book"]).what;
  assert(!said.includes("does not say why"), said);
  assertStringIncludes(
    told(crash(["Exception Type: EXC_CRASH (SIGSEGV)"], ["Shop 0x8000 + 3"])).what,
    "This part of the report does not have the address.",
  );
});

Deno.test("what a watchdog waited for; how soon after the launch it was", () => {
  const watched = (event: string) =>
    told(
      "Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace SPRINGBOARD, Code 0x8badf00d\n" +
        `Termination Description: SPRINGBOARD, ${event} watchdog transgression: a exhausted real\n`,
    ).what;
  assertStringIncludes(watched("process-launch"), "did not answer in time while it was launched.");
  assertStringIncludes(watched("process-exit"), "when it was to end.");
  const soon = (time: string) =>
    told(crash([
      `Date/Time: 2022-01-07 ${time}`,
      "Launch Time: 2022-01-07 10:26:58.4574 +0800",
      "Exception Type: EXC_CRASH (SIGABRT)",
    ], ["Shop 0x8000 + 3"])).what;
  assertStringIncludes(soon("10:26:59.5847 +0800"), "It was 1.1 s after the launch.");
  assertStringIncludes(soon("03:26:58.4600 +0100"), "less than 0.1 s after the launch.");
  for (const other of ["10:27:59.5847 +0800", "10:26:57.0000 +0800", "10:26:58 +0800"]) {
    assert(!soon(other).includes("after the launch"), other);
  }
});

Deno.test("mostly is more than half of the samples", () => {
  const event = (counts: [number, number, number]) =>
    told([
      "Date/Time: 2021-02-15 18:35:55.126 +0530",
      "Command: Shop",
      "Event: wakeups",
      "Heaviest stack for the target process:",
      `  ${counts[0]}  thread_start + 15 (libsystem_pthread.dylib + 9339) [0x7fff2033547b]`,
      `  ${counts[1]}  scan + 23 (Shop + 1733) [0x10b135093]`,
      `  ${counts[2]}  look + 23 (Shop + 1793) [0x10b135193]`,
      "",
    ].join("\n")).what;
  assertStringIncludes(event([9, 9, 6]), "mostly in look (Shop): 6 of 9 samples (67%)");
  assertStringIncludes(event([9, 7, 4]), "most often in look (Shop): 4 of 9 samples (44%)");
});

Deno.test("panics: the chip beside an Intel CPU, a write of the kernel, no backtrace to look at", () => {
  const panic = (text: string) => explainReport(readReport(text, "x"));
  assertStringIncludes(
    panic("panic(cpu 0 caller 0xfffffff0): macOS watchdog detected\nx86 EFI Boot State: 0xd\n")
      .happened.join("\n"),
    "The kernel of bridgeOS, the system of the T2 chip, panicked",
  );
  const abort = (esr: string) =>
    panic(
      "panic(cpu 0 caller 0xfffffff01): Kernel data abort. at pc 0xfffffff01, lr 0xfffffff02 (saved state: 0xff)\n" +
        `  x0: 0x0 x1: 0x0\n  pc: 0xfffffff01 cpsr: 0x60400204 esr: ${esr} far: 0x0000000388b5e310\n`,
    );
  const write = abort("0x96000046");
  assertStringIncludes(write.happened.join("\n"), "The address was 0x388b5e310, by a write.");
  assertStringIncludes(write.happened.join("\n"), "No backtrace was found in the report");
  assertEquals(write.check, [
    "Look for the whole report of the panic, which may have its backtrace.",
  ]);
  assertStringIncludes(abort("0x96000006").happened.join("\n"), "by a read");
});

Deno.test("who asked for a stackshot", () => {
  const { happened, check } = explainReport(readReport(
    '{"bug_type":"288","os_version":"iPhone OS 17.1"}\n' + JSON.stringify({
      reason: "no answer in -[Shop list]",
      pid: 107,
      processByPid: { "107": { procname: "shopd" } },
      exception: "0xbe18d1ee",
      build: "x",
    }),
    "x",
  ));
  assert(happened.includes("shopd [107] asked for it."), happened.join("\n"));
  assertEquals(check, ["See what shopd [107] was waiting for."]);
});

Deno.test("an index is judged by its value and the bounds in the reason", () => {
  const thrown = (reason: string) =>
    told(crash([
      "Exception Type: EXC_CRASH (SIGABRT)",
      "",
      "Application Specific Information:",
      `*** Terminating app due to uncaught exception 'NSRangeException', reason: '*** ${reason}'`,
    ], ["libsystem_kernel.dylib __pthread_kill + 8"])).causes;
  assertEquals(
    thrown("-[__NSArray0 objectAtIndex:]: index 1 beyond bounds for empty array"),
    "an empty collection",
  );
  assertStringIncludes(
    thrown("-[__NSArrayM objectAtIndex:]: index 3 beyond bounds [0 .. 2]"),
    "one too large",
  );
  assertStringIncludes(
    thrown("-[__NSCFArray objectAtIndex:]: index (1) beyond bounds (1)"),
    "one too large",
  );
  assertStringIncludes(
    thrown("-[__NSArrayM objectAtIndex:]: index 18446744073709551615 beyond bounds [0 .. 2]"),
    "count - 1",
  );
  assertStringIncludes(
    thrown("-[__NSArrayM objectAtIndex:]: index 9223372036854775807 beyond bounds [0 .. 2]"),
    "found nothing",
  );
  const far = thrown("-[__NSArrayM objectAtIndex:]: index 40 beyond bounds [0 .. 2]");
  assert(!far.includes("empty") && far.includes("kept while"), far);
});

Deno.test("a missing symbol: by whose library needs it, and where it was looked for", () => {
  const missing = (
    expected: string,
    from = "/Applications/Shop.app/Contents/MacOS/Shop",
    note = "",
  ) => {
    const { what, causes } = told([
      "Process: Shop [7]",
      "Path: /Applications/Shop.app/Contents/MacOS/Shop",
      "Exception Type: EXC_CRASH (SIGABRT)",
      "Termination Reason: DYLD, [0x4] Symbol missing",
      "",
      "Application Specific Information:",
      "dyld: launch, loading dependent libraries",
      "",
      "Dyld Error Message:",
      "  Symbol not found: _shop_open",
      `  Referenced from: <0AC0E4C8-7BC9-3B0A-9AF5-3A4C8B6C6E4A> ${from}${note}`,
      `  Expected in:     <1AC0E4C8-7BC9-3B0A-9AF5-3A4C8B6C6E4A> ${expected}`,
      "",
    ].join("\n"));
    return `${what} / ${causes}`;
  };
  const own = "/Applications/Shop.app/Contents/Frameworks/libshop.dylib";
  assertStringIncludes(missing("/usr/lib/libSystem.B.dylib"), "a system older");
  assertStringIncludes(
    missing(
      "/usr/lib/libc++.1.dylib",
      own,
      " (built for macOS 15.0 which is newer than running OS)",
    ),
    "is built for a newer system than this",
  );
  assertStringIncludes(missing("/opt/lib/libshop.dylib"), "a library of another version");
  assertStringIncludes(missing("/opt/homebrew/opt/shop/lib/libshop.1.dylib"), "was upgraded");
  assertStringIncludes(missing(own), "A library of the program lacks a symbol");
  // Old simulators on a newer Mac.
  const simulated = missing(
    "/usr/lib/system/libsystem_kernel.dylib",
    "/Library/Developer/CoreSimulator/Volumes/iOS/RuntimeRoot/usr/lib/libSystem.B.dylib",
  );
  assertStringIncludes(simulated, "A library of a simulator's system needs a symbol");
  // A tweak's folder is among the system's.
  const tweak = missing("/usr/lib/libSystem.B.dylib", "/usr/lib/TweakInject/Till.dylib");
  assertStringIncludes(tweak, "that the program needs");
  assertStringIncludes(
    missing(
      "/Applications/Shop.app/Contents/MacOS/Shop",
      "/Library/Shop Plug-Ins/Till.bundle/Till",
    ),
    "a plug-in or library that was made for another version of the program",
  );
  const shadowed = missing(own, "/usr/lib/libcups.2.dylib");
  assertStringIncludes(
    shadowed,
    "(libcups.2.dylib) was given the program's own copy of libshop.dylib in place",
  );
  assertStringIncludes(shadowed, "DYLD_LIBRARY_PATH");
  assert(!shadowed.includes("than the program was built with"), shadowed);
  assertStringIncludes(
    missing("/usr/local/lib/libiconv.2.dylib", "/usr/lib/libcups.2.dylib"),
    "was given another copy of libiconv.2.dylib",
  );
  assertStringIncludes(
    missing("/usr/lib/libz.1.dylib", "/System/Library/Frameworks/Oven.framework/Oven"),
    "One library of the system lacks a symbol",
  );
});

Deno.test("a package's library that an app is linked to and does not bring along", () => {
  const missing = (reason: string) =>
    told([
      "Process: Shop [7]",
      "Path: /Applications/Shop.app/Contents/MacOS/Shop",
      "Exception Type: EXC_CRASH (SIGABRT)",
      "Termination Reason: Namespace DYLD, Code 1 Library missing",
      "Library not loaded: /usr/local/opt/till/lib/libtill.2.dylib",
      "Referenced from: <0AC0E4C8-7BC9-3B0A-9AF5-3A4C8B6C6E4A> /Applications/Shop.app/Contents/MacOS/Shop",
      `Reason: tried: '/usr/local/opt/till/lib/libtill.2.dylib' (${reason})`,
      "",
    ].join("\n"));
  const { what, next } = missing("no such file");
  assertStringIncludes(what, "it does not bring its own copy along");
  assertStringIncludes(next, "Its maker should ship the library");
  assertStringIncludes(
    missing("mach-o file, but is an incompatible architecture (have 'arm64', need 'x86_64')").what,
    "has no code for this architecture",
  );
});

Deno.test("a C program: what it passed a function of the C library, and no advice on objects", () => {
  const { what, next } = told(crash([
    "Process: git [7]",
    "Path: /usr/local/bin/git",
    "Code Type: X86-64",
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000000",
  ], [
    "libSystem.B.dylib fnmatch1 + 8",
    "libSystem.B.dylib fnmatch + 80",
    "git excluded_from + 100",
    "git main + 8",
  ]));
  assertStringIncludes(what, "Most likely fnmatch() was passed a null pointer by excluded_from.");
  assert(!next.includes("zombie"), next);
  const gone = told(crash([
    "Process: git [7]",
    "Path: /usr/local/bin/git",
    "Code Type: X86-64",
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes: KERN_INVALID_ADDRESS at 0x00000000616c6faf",
  ], ["git excluded_from + 100", "git main + 8", "dyld start + 4"]));
  assert(!gone.next.includes("zombie"), gone.next);
});

Deno.test("recursion that does not end is no large array", () => {
  const { causes } = told(crash(
    [
      "Code Type: X86-64",
      "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Codes: KERN_PROTECTION_FAILURE at 0x0000700000c76ff8",
    ],
    Array.from({ length: 40 }, () => "Shop look + 3"),
    ["Thread 0 crashed with X86 Thread State (64-bit):", "  rsp: 0x0000700000c77000"],
  ));
  assertEquals(causes, "recursion that does not end, or goes too deep for the stack");
});

Deno.test("what KSCrash found stands after its notable addresses", () => {
  const { what, causes } = told(crash(
    [
      "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
      "Exception Codes: KERN_INVALID_ADDRESS at 0x00000000f001d591",
    ],
    ["libobjc.A.dylib objc_msgSend + 3", "Shop look + 3"],
    [
      "Extra Information:",
      "",
      "Notable Addresses:",
      "{",
      "}",
      "",
      "CrashDoctor Diagnosis: Possible zombie in call: -[Book title]",
    ],
  ));
  assertStringIncludes(what, "It says: Possible zombie in call: -[Book title]");
  assertEquals(causes, "an object used after it was deallocated");
});

Deno.test("an exception's backtrace of addresses alone: the first that is none of the system's", () => {
  const raised = (addresses: string) =>
    told([
      "Code Type: ARM-64",
      "Exception Type: EXC_CRASH (SIGABRT)",
      "",
      "Last Exception Backtrace:",
      `(${addresses})`,
      "",
    ].join("\n")).what;
  assertStringIncludes(
    raised("0x18d0ed5f0 0x18ce0fbcc 0x18cfc5edc 0x104e9d4dc 0x10ac42650"),
    "outside of the system's libraries is 0x104e9d4dc",
  );
  assert(!raised("0x18d0ed5f0 0x18ce0fbcc 0x18cfc5edc").includes("outside"));
});

Deno.test("who holds the lock that a sampled thread waits for", () => {
  const { what } = told([
    "Analysis of sampling Shop (pid 7) every 1 millisecond",
    "Process:         Shop [7]",
    "Code Type:       X86-64",
    "----",
    "",
    "Call graph:",
    "    90 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)",
    "      90 start  (in dyld) + 462  [0x20cfb551e]",
    "        90 look  (in Shop) + 46  [0x10c0deae]",
    "          90 __psynch_mutexwait  (in libsystem_kernel.dylib) + 10  [0x7ff81b9]",
    "",
    "Total number in stack (recursive counted multiple, when >=5):",
    "",
  ].join("\n"));
  assertStringIncludes(what, "The report has no other thread that could hold it.");
});

Deno.test("a message that is not there is said to be missing, one beside the report is found", () => {
  const aborted = (top: string, text = "") =>
    `${text}\n${
      told(crash(["Exception Type: EXC_CRASH (SIGABRT)", ...text === "" ? [] : ["", text]], [
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_c.dylib abort + 128",
        top,
      ])).what
    }`;
  assertStringIncludes(
    aborted("libggml-base.dylib ggml_abort + 8"),
    "Its message is not in this part of the report.",
  );
  const objc = aborted(
    "libobjc.A.dylib _objc_fatal + 8",
    "The console has objc: thread is already initializing this class!",
  );
  assertStringIncludes(objc, "It says: objc: thread is already initializing this class!");
  assert(!objc.includes("not in the report"), objc);
});

Deno.test("the key that a privacy message names; what std::out_of_range was thrown by", () => {
  assertEquals(
    told([
      "Exception Type: EXC_CRASH (SIGABRT)",
      "Termination Reason: TCC, This app has crashed because it attempted to access privacy-sensitive data " +
      "without a usage description. The app's Info.plist must contain an NSCameraUsageDescription key with a text.",
      "",
    ].join("\n")).causes,
    "NSCameraUsageDescription is not in the Info.plist",
  );
  const thrown = (what: string) =>
    told(crash([
      "Exception Type: EXC_CRASH (SIGABRT)",
      "",
      "Application Specific Information:",
      `terminating due to uncaught exception of type ${what}`,
    ], ["libsystem_kernel.dylib __pthread_kill + 8"])).what;
  assertStringIncludes(thrown("std::out_of_range: vector"), "std::vector::at()");
  assertStringIncludes(thrown("std::out_of_range: basic_string"), "std::string");
  assertStringIncludes(thrown("std::invalid_argument: stoi: no conversion"), "is none");
});

Deno.test("the region of a pointer whose signature failed is the pointer's; it names its file", () => {
  const { what } = told([
    "Code Type: ARM-64",
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Subtype: KERN_INVALID_ADDRESS at 0xcf345d01011b4000 -> 0x00000001011b4000 (possible pointer authentication failure)",
    "VM Region Info: 0x1011b4000 is in 0x1011b4000-0x1011bc000;  bytes after start: 0  bytes before end: 32767",
    "      REGION TYPE   START - END  [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
    "--->  __TEXT   1011b4000-1011bc000   [   32K] r-x/r-x SM=COW  ...hopTweak.dylib",
    "",
  ].join("\n"));
  assertStringIncludes(
    what,
    "the pointer is into a region of type __TEXT, protection r-x, of ...hopTweak.dylib",
  );
});

Deno.test("the page whose signature does not hold; whose thread the heaviest stack is", () => {
  assertStringIncludes(
    told(
      "Exception Type: EXC_BAD_ACCESS (Code Signature Invalid)\nException Codes: 0x0000000000000032, 0x00000001023bd758\n" +
        "Termination Reason: Namespace CODESIGNING, Code 0x2\n",
    ).what,
    "The address was 0x1023bd758.",
  );
});

Deno.test("a 32-bit program where none runs; an address that is a number, or Go's for one that is not known", () => {
  const early = (system: string) =>
    told([
      "Code Type: X86 (Native)",
      `OS Version: ${system}`,
      "Exception Type: EXC_BAD_INSTRUCTION (SIGILL)",
      "",
      "Backtrace not available",
      "",
    ].join("\n")).what;
  assertStringIncludes(
    early("macOS 11.2 (20D64)"),
    "for 32 bits, which macOS 10.15 and later do not run",
  );
  assert(!early("Mac OS X 10.14.6 (18G95)").includes("32 bits"));
  const stackless = told([
    "Process: sh [3]",
    "OS Version: Mac OS X 10.6.8 (10K549)",
    "Exception Type: EXC_BAD_ACCESS (SIGILL)",
    "Exception Codes: KERN_INVALID_ADDRESS at 0xfffffffffffffff8",
    "",
    "Backtrace not available",
    "",
  ].join("\n"));
  assertStringIncludes(stackless.what, "the first push goes of a process whose stack pointer is 0");
  const power = told(
    "Process: Shop [1]\nException Type: EXC_BAD_INSTRUCTION (0x0002)\nThread 0 Crashed:\n" +
      "0   Shop  0x00018e60 look + 0\n\nThread 0 crashed with PPC Thread State 64:\n" +
      "  srr0: 0x0000000000018e60 srr1: 0x100000000288f030 vrsave: 0x0000000000000000\n",
  ).what;
  assertStringIncludes(power, "an instruction that it does not know");
  assert(!/Intel|check/.test(power));
  const at = (address: string) =>
    told(crash([
      "Exception Type: EXC_BAD_ACCESS",
      `Exception Codes: KERN_INVALID_ADDRESS at ${address}`,
    ], ["Shop look + 3"])).what;
  // 41.25 and the offset of a member.
  assertStringIncludes(at("0x4044a00000000008"), "the number 41.25");
  assert(!at("0x7fc148e8fb8").includes("the number"));
  assertStringIncludes(at("0xb01dfacedebac1e"), "Go's run-time");
});

Deno.test("why the system ended an app: the codes of Apple's list", () => {
  const ended = (code: string) =>
    told(
      `Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace RUNNINGBOARD, Code ${code}\n`,
    ).what;
  assertStringIncludes(ended("0x2182bad3"), "a background URL session did not finish in time");
  assertStringIncludes(ended("0xbaddd15c"), "the disk was nearly full");
  assertStringIncludes(ended("3490524077"), "key resources");
});

Deno.test("what the number of a brk instruction tells, by the image that has it", () => {
  const trap = (number: string, image = "Shop") =>
    told(crash(
      ["Code Type: ARM-64", "Exception Type: EXC_BREAKPOINT (SIGTRAP)"],
      [`${image} look + 3`],
      [
        "Thread 0 crashed with ARM Thread State (64-bit):",
        `  far: 0x0000000000000000 esr: 0xf200${number} (Breakpoint) brk`,
      ],
    )).what;
  assertStringIncludes(trap("0001"), "the compiler's trap, as of a failed check");
  const checked = trap("5512");
  assertStringIncludes(checked, "an array index was out of bounds");
  assert(!checked.includes("Which check"), checked);
  assertStringIncludes(trap("c471"), "authentication failed (key IB)");
  assertStringIncludes(trap("c471", "JavaScriptCore"), "WebKit's own checks");
});

Deno.test("a process that another one ended: by whom, and its stack is only that moment's", () => {
  const ended = (signal: string, reason: string, by = "", top = "__psynch_cvwait + 8") =>
    told(crash([
      "Process: Shop [123]",
      `Exception Type: EXC_CRASH (${signal})`,
      `Termination Reason: ${reason}`,
      ...by === "" ? [] : [`Terminating Process: ${by}`],
    ], [`libsystem_kernel.dylib ${top}`, "Shop look + 3"])).what;
  const term = ended("SIGTERM", "Namespace SIGNAL, Code 15 Terminated: 15", "loginwindow [170]");
  assertStringIncludes(term, "It was loginwindow [170] that sent the signal.");
  assertStringIncludes(term, "Thread 0 at that moment: blocked on a condition variable.");
  assertStringIncludes(
    ended("SIGKILL", "Namespace LIBXPC, Code 4 XPC_EXIT_REASON_SIGTERM_TIMEOUT | service: x"),
    "did not in time, so it was killed",
  );
  assertStringIncludes(
    ended("SIGKILL", "Namespace JETSAM, Code 7"),
    "The kernel ended the process: it was above the memory limit for its kind of process.",
  );
  // This one is not for memory.
  assertStringIncludes(
    ended("SIGKILL", "Namespace JETSAM, Code 100"),
    "The kernel ended the process: it was above the limit of CPU time.",
  );
  // abort_with_payload() is the process's own end.
  const own = ended("SIGKILL", "Namespace OBJC, Code 1", "", "__abort_with_payload + 8");
  assert(!own.includes("at that moment"), own);
});

Deno.test("what was not found is not said to be absent where lines were not understood", () => {
  const failed = (before: string[], title = "Application Specific Information:") =>
    told(
      crash([
        "Process: Shop [7]",
        "Exception Type: EXC_CRASH (SIGABRT)",
        "",
        ...before,
        "",
        title,
      ], [
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_c.dylib abort + 100",
        "libsystem_c.dylib __assert_rtn + 284",
        "Shop count_bread + 12",
      ]),
    ).what;
  assertStringIncludes(failed([]), "Its text is not in this part of the report.");
  for (
    const text of [
      failed(["here is what the oven said", "0ven: check failed for tray 3 of bread.c"]),
      failed(["The 0ven says:", "0ven: check failed for tray 3 of bread.c"]),
      failed(["Oven says: check failed for tray 3 of bread.c"]),
    ]
  ) {
    assertStringIncludes(text, "Its text was not found in what could be read.");
    assertStringIncludes(text, "Lines that were not understood: ");
    assertStringIncludes(text, "check failed for tray 3 of bread.c");
  }
  // Prose that says nothing of it is not quoted, and at most three lines are.
  const prose = failed(["It happens when I bake", "two trays, every day since May"]);
  assertStringIncludes(prose, "was not found in what could be read");
  assert(!prose.includes("Lines that"), prose);
  const many = failed([1, 2, 3, 4, 5].map((tray) => `an error in the bread of tray ${tray}`));
  assertStringIncludes(many, "tray 3");
  assert(!many.includes("tray 4"), many);
  // Where nothing is claimed to be absent, nothing is quoted.
  const said = told(crash([
    "Process: Shop [7]",
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000010",
    "",
    "I only get this error with white bread",
  ], ["Shop count_bread + 12"])).what;
  assert(!said.includes("not understood"), said);
});

Deno.test("the title of the message is understood with marks, cut off or misread", () => {
  for (
    const title of [
      "**Application Specific Information:**",
      "### Application Specific Information",
      "- Application Specific Information:",
      "Application Specific Information",
      "ation Specific Information:",
      "Appl1cation Spec1fic 1nformation:",
      "Application Speci\ufb01c Inforrnation:",
    ]
  ) {
    const { information } = readReport(
      crash([
        "Process: Shop [7]",
        "Exception Type: EXC_CRASH (SIGABRT)",
        "",
        title,
        "the oven is cold",
      ], [
        "libsystem_kernel.dylib __pthread_kill + 8",
        "Shop count_bread + 12",
      ]),
      "x",
    );
    assertEquals(information as readonly string[], ["the oven is cold"], title);
  }
});

Deno.test("a line before JSON may have what its report lacks, and JSON of others is not read whole", () => {
  const body = JSON.stringify({
    procName: "Shop",
    exception: { type: "EXC_CRASH", signal: "SIGABRT" },
    faultingThread: 0,
    threads: [{
      triggered: true,
      frames: [
        { symbol: "abort", imageOffset: 1, imageIndex: 0 },
        { symbol: "__assert_rtn", imageOffset: 1, imageIndex: 0 },
        { symbol: "count_bread", imageOffset: 1, imageIndex: 1 },
      ],
    }],
    usedImages: [
      { name: "libsystem_c.dylib", base: 0x1000, size: 0x1000, path: "/usr/lib/libsystem_c.dylib" },
      { name: "Shop", base: 0x9000, size: 0x1000, path: "/Applications/Shop.app/Shop" },
    ],
  });
  const { unread } = readReport(`the oven had an error with tray 3\n${body}`, "x");
  assertEquals(unread, ["the oven had an error with tray 3"] as unknown as typeof unread);
  assertStringIncludes(
    told(`the oven had an error with tray 3\n${body}`).what,
    'Lines that were not understood: "the oven had an error with tray 3".',
  );
  assertStringIncludes(told(body).what, "Its text is not in this part of the report.");
});

Deno.test("a backtrace with addresses alone takes the names of the same one elsewhere in the text", () => {
  const at = (index: number) => `0x${(0x7000_1000 + index * 0x10).toString(16)}`;
  const names = ["__exceptionPreprocess", "objc_exception_throw", "-[Cart pay:]", "-[Shop sell]"];
  const images = ["CoreFoundation", "libobjc.A.dylib", "Shop", "Shop"];
  const again = names.map((name, index) => `${index} ${images[index]} ${at(index)} ${name} + 8`);
  const reason = "*** Terminating app due to uncaught exception 'BreadException', reason: 'stale'";
  const addresses = `(${names.map((_, index) => at(index)).join(" ")})`;
  for (
    const title of [
      "*** First throw call stack:",
      "Last Exception Backtrace:",
      "Application Specific Backtrace 1:",
      "the same with names",
    ]
  ) {
    const { lastException } = readReport(
      [reason, "*** First throw call stack:", addresses, "", title, ...again, ""].join("\n"),
      "x",
    );
    assertEquals(lastException?.map(({ symbol }) => symbol as string), names);
  }
  // Another exception's does not.
  const other = again.map((line) => line.replace("0x7000", "0x6000"));
  const { lastException } = readReport(
    [reason, "*** First throw call stack:", addresses, "", "Last Exception Backtrace:", ...other]
      .join("\n"),
    "x",
  );
  assertEquals(lastException?.map(({ symbol }) => symbol), names.map(() => null));
});

Deno.test("what libSystem and the Objective-C run-time end a process for, by their codes", () => {
  const ended = (reason: string) =>
    told(crash([
      "Process: Shop [123]",
      "Exception Type: EXC_CRASH (SIGABRT)",
      `Termination Reason: ${reason}`,
    ], ["libsystem_kernel.dylib __abort_with_payload + 8", "Shop look + 3"])).what;
  const own = ended("Namespace LIBSYSTEM, Code 4");
  assertStringIncludes(own, "pthread found its data of a thread overwritten");
  assert(!own.includes("at that moment"), own);
  assertStringIncludes(ended("Namespace OBJC, Code 2"), "needs garbage collection, which is gone");
});

Deno.test("what stands around a report that is printed twice, and what others logged, is no part that was not read", () => {
  const text = crash(
    ["Process: Shop [123]", "Exception Type: EXC_BREAKPOINT (SIGTRAP)"],
    ["Shop look + 3", "Shop main + 8"],
  );
  const without = "Which check failed is not in this part of the report.";
  assertStringIncludes(told(`Translated Report (Full Report Below)\n\n${text}`).what, without);
  const line = (of: string) =>
    `Oct  9 15:50:59 Oven-4s ${of} <Error>: assertion failed: 12A405: 0x3\n`;
  assertStringIncludes(told(`${line("ovend[57]")}${line("Shop[7]")}${text}`).what, without);
  const own = told(line("Shop[123]") + text).what;
  assert(!own.includes(without), own);
  const about = `Oct  9 15:50:59 Oven-4s kernel[0] <Error>: Shop[123] failed to bake\n`;
  assertStringIncludes(told(about + text).what, "Shop[123] failed to bake");
});

Deno.test("a handler of the signal of abort() that called abort() again", () => {
  const twice = (handler: string) =>
    told(crash(["Process: Shop [123]", "Exception Type: EXC_CRASH (SIGABRT)"], [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 72",
      `${handler} 0x100000 + 335222`,
      "Shop 0x100000 + 357042",
      "libsystem_platform.dylib _sigtramp + 40",
      "libsystem_pthread.dylib pthread_kill + 54",
      "libsystem_c.dylib abort + 72",
      "Shop 0x100000 + 80508",
      "Shop main + 8",
    ])).what;
  assertStringIncludes(
    twice("Shop"),
    "A handler of the signal in the process (Shop) then called abort() again.",
  );
  assert(!twice("libsystem_malloc.dylib").includes("again"));
});

Deno.test("titles and fields that somebody marked, spaced or wrote in small letters", () => {
  const lines = [
    "Process: Shop [7]",
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
    "Termination Reason: Namespace SIGNAL, Code 11 Segmentation fault: 11",
    "",
    "Last Exception Backtrace:",
    ...frameLines(["CoreFoundation __exceptionPreprocess + 8", "Shop sell_bread + 8"], 0x7000),
    "",
    "Thread 0 Crashed:",
    ...frameLines(["libsystem_c.dylib abort + 8", "Shop main + 8"], 0x9000),
    "",
  ];
  const read = (text: readonly string[]) => {
    const { process, exception, termination, lastException, crashedThread } = readReport(
      text.join("\n"),
      "x",
    );
    return [
      ...[process.name, exception?.type, exception?.signal, termination?.code],
      ...[lastException?.length, crashedThread?.index, crashedThread?.frames.length],
    ];
  };
  const whole = read(lines);
  assertEquals(whole as unknown[], ["Shop", "EXC_BAD_ACCESS", "SIGSEGV", 11n, 2, 0, 2]);
  const marked: readonly ((title: string) => string)[] = [
    (title) => `**${title}**`,
    (title) => title.replace(/^[^:]+:/, "**$&**"),
    (title) => `### ${title}`,
    (title) => `- ${title}`,
    (title) => `\u2022 ${title}`,
    (title) => `\`${title}\``,
    (title) => title.replaceAll("_", "\\_"),
  ];
  for (const [at, line] of lines.entries()) {
    if (!/^[A-Z]/.test(line)) continue;
    for (const mark of marked) assertEquals(read(lines.with(at, mark(line))), whole, mark(line));
  }
  for (const title of ["thread 0 crashed:", "Thread  0  Crashed:", "Thread 0 Crashed -"]) {
    assertEquals(read(lines.with(lines.indexOf("Thread 0 Crashed:"), title)), whole, title);
  }
  // A line of a list that is no title of a report.
  const { process } = readReport(["- Path: the second one", ...lines].join("\n"), "x");
  assertEquals(process.path, null);
});

Deno.test("what Apple's reporter writes itself is no line that was not understood", () => {
  const text = (more: string) =>
    `-------------------------------------\nTranslated Report (Full Report Below)\n` +
    `-------------------------------------\n\nProcess:               Shop [7]\n${more}` +
    "OS Version:            macOS 14.1 (23B74)\nReport Version:        12\n\n" +
    "Exception Type:        EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n" +
    "0   libsystem_kernel.dylib        \t       0x18e2bd0dc __pthread_kill + 8\n" +
    "1   libsystem_c.dylib             \t       0x18e200ae8 abort + 180\n" +
    "2   libc++abi.dylib               \t       0x18e2acb84 std::terminate() + 108\n" +
    "3   Shop                          \t       0x100e2bd0c main + 8\n\n" +
    "Binary Images:\n       0x100e00000 -        0x100efffff Shop (*) " +
    "<0a0b0c0d0e0f40018001020304050607> /Applications/Shop.app/Contents/MacOS/Shop\n\n" +
    "Model: MacBookPro5,4, BootROM MBP53.00AC.B03, 2 processors\nUSB Device: Built-in iSight\n";
  const counts =
    "Interval Since Last Report:          9 sec\nPer-App Crashes Since Last Report:   1\n";
  for (const whole of [text(""), text(counts)]) {
    const report = readReport(whole, "x");
    assertEquals(report.unread.filter((line) => /\w/.test(line)), []);
    const { happened } = explainReport(report);
    assertStringIncludes(happened.join("\n"), "Its message is not in the report.");
  }
  const { happened } = explainReport(readReport(text("libc++abi: what it said\n"), "x"));
  assertStringIncludes(happened.join("\n"), "in what could be read");
});
