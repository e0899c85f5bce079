/** What crash services and other tools keep as JSON, by their published formats. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  attributeReport,
  explainReport,
  readReport,
  readReports,
  writeReport,
} from "../../../lib/report/mod.ts";
import { bugsnag, kscrash, metricKit, minidump, nested, sentry } from "./services.ts";

const json = (value: unknown): string => JSON.stringify(value);

function told(value: unknown): string {
  return explainReport(readReport(json(value), "x")).happened.join("\n");
}

Deno.test("KSCrash: exception, threads, images and process", () => {
  const report = readReport(json(kscrash), "x");
  assertEquals(report.exception?.type, "EXC_BAD_ACCESS");
  assertEquals(report.exception?.signal, "SIGSEGV");
  assertEquals(report.exception?.codes, [1n, 16n]);
  assertEquals(report.arch, "arm64");
  assertEquals(report.process.name, "Shop");
  assertEquals(report.process.version, "2.0 (5)");
  const [main, other] = report.threads;
  assertEquals([main.crashed, main.queue, other.frames.length], [true, "com.apple.main-thread", 0]);
  const [first, second] = main.frames;
  assertEquals([first.symbol, first.offset, first.image?.name], ["-[Cart add:]", 16, "Shop"]);
  assertEquals([second.symbol, second.image?.name], [null, "CoreFoundation"]);
  assertEquals(main.registers.map(({ name }) => name), ["pc", "x0", "far"]);
  assertEquals(attributeReport(report).deciding?.frame.symbol, "-[Cart add:]");
  assertStringIncludes(told(kscrash), "null plus 16");
});

Deno.test("Crashlytics: what happened on the line of the thread; malloc's error, which a signal's handler met", () => {
  const stack =
    "Crashed: com.apple.main-thread\n0  Till   0x4f57a9c -[Oven bake] + 32\n1  Till   0x4f590ac main + 148\n";
  const titled = (what: string) =>
    readReport(`Crashed: com.apple.main-thread ${what}\n\n${stack}`, "x");
  const access = titled("EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000018");
  assertEquals(access.exception?.subtype, "KERN_INVALID_ADDRESS at 0x0000000000000018");
  assertEquals(access.crashedThread?.frames.length, 2);
  assertEquals(access.crashedThread?.queue, "com.apple.main-thread");
  assertEquals(titled("EXC_BREAKPOINT 0x0000000101522608").exception?.type, "EXC_BREAKPOINT");
  assertEquals(titled("SIGABRT ABORT 0x0000000101522608").exception?.signal, "SIGABRT");
  const handled = explainReport(readReport(
    "Crashed: oven\nEXC_BREAKPOINT 0x00000001d0a801e4\n0  libsystem_platform.dylib  0x61e4 _os_unfair_lock_recursive_abort + 36\n" +
      "1  Till                      0x2afbfc TillSignalHandler + 100\n2  libsystem_platform.dylib  0x5298 _sigtramp + 56\n" +
      "3  libsystem_pthread.dylib   0x2b50 pthread_kill + 272\n4  libsystem_c.dylib         0x76b74 abort + 104\n" +
      "5  libsystem_malloc.dylib    0x1e49c _malloc_put + 558\n6  libsystem_malloc.dylib    0x1e740 malloc_zone_error + 104\n",
    "x",
  ));
  assertStringIncludes(handled.happened.join(), "malloc found an error");
});

Deno.test("Backtrace: threads by their keys, its attributes, and managed stacks", () => {
  const report = readReport(
    JSON.stringify({
      uuid: "123e4567-e89b-12d3-a456-426655440000",
      timestamp: 1475530543,
      lang: "c++",
      agent: "backtrace-oven",
      mainThread: "7",
      classifiers: ["SIGSEGV"],
      arch: { name: "arm64" },
      attributes: { application: "Till", "uname.sysname": "iOS", "uname.version": "17.4" },
      modules: [{ start: "0x100000000", size: 65536, code_file: "/app/Till" }],
      sourceCode: { a: { path: "/src/Cart.mm" } },
      threads: {
        3: { name: "other", stack: [{ funcName: "wait", address: "0x100000100" }] },
        7: {
          name: "till",
          fault: true,
          stack: [
            { funcName: "-[Cart pay]", address: "4294967552", line: "12", sourceCode: "a" },
            { address: "0x100000200", library: "Till" },
          ],
        },
      },
    }),
    "x",
  );
  assertEquals([report.process.name, report.exception?.signal, report.osVersion, report.date], [
    "Till",
    "SIGSEGV",
    "iOS 17.4",
    "2016-10-03T21:35:43.000Z",
  ]);
  assertEquals(report.crashedThread?.index, 7);
  assertEquals(
    report.crashedThread?.frames.map((
      { symbol, file, line, image },
    ) => [symbol, file, line, image?.name]),
    [["-[Cart pay]", "/src/Cart.mm", 12, "Till"], [null, null, null, "Till"]],
  );
  const unity = readReport(
    JSON.stringify({
      lang: "csharp",
      agent: "backtrace-unity",
      mainThread: "main",
      classifiers: ["NullReferenceException"],
      attributes: { "error.message": "no bread", "error.type": "Exception" },
      threads: {
        main: {
          fault: true,
          stack: [{ funcName: "Till.Cart.Pay", address: 12, path: "Cart.cs", line: 42 }],
        },
      },
    }),
    "x",
  );
  assertStringIncludes(explainReport(unity).happened.join(), "NullReferenceException: no bread");
  const { absent, library } = attributeReport(unity);
  assertEquals([absent, library], ["managed own", "Till.Cart.Pay"]);
  assertEquals(unity.warnings, ["the program caught this error itself: it was not a crash"]);
});

Deno.test("lists in JSON of frames, of lines, and of events", () => {
  const names = (list: unknown): (string | null)[] =>
    readReport(JSON.stringify(list), "x").threads[0].frames.map(({ symbol }) => symbol);
  assertEquals(
    names([{ imageOffset: 1, symbol: "pay", imageIndex: 0 }, { imageOffset: 2, symbol: "main" }]),
    [
      "pay",
      "main",
    ],
  );
  assertEquals(names([{ id: 1, frames: [{ imageOffset: 1, symbol: "pay", imageIndex: 0 }] }]), [
    "pay",
  ]);
  // Sentry's are outermost first.
  assertEquals(
    names([{ function: "main" }, { function: "pay", instruction_addr: "0x100002000" }]),
    [
      "pay",
      "main",
    ],
  );
  assertEquals(
    names([{
      object_name: "Till",
      symbol_name: "pay",
      symbol_addr: 4294975480,
      instruction_addr: 4294975488,
    }]),
    ["pay"],
  );
  assertEquals(names([{ funcName: "pay", library: "Till" }]), ["pay"]);
  const lines = ["pay", "main"].map((name, at) =>
    `${at}   Till   0x000000010000${at}000 ${name} + 8`
  );
  assertEquals(names(lines), ["pay", "main"]);
  const events = [
    { exceptions: [{ errorClass: "SIGSEGV", stacktrace: [] }] },
    { exceptions: [{ errorClass: "SIGABRT", stacktrace: [] }] },
  ];
  assertEquals(readReports(JSON.stringify(events), "x").map(({ exception }) => exception?.signal), [
    "SIGSEGV",
    "SIGABRT",
  ]);
  assertThrows(() => readReport('[{"name":"bread"},{"name":"cake"}]', "x"));
});

Deno.test("KSCrash: uncaught exceptions of Objective-C and C++, and a deadlock", () => {
  const error = (error: object) => ({ ...kscrash, crash: { ...kscrash.crash, error } });
  const objc = error({
    type: "nsexception",
    nsexception: { name: "NSRangeException", reason: "index 3 beyond bounds [0 .. 1]" },
    mach: { exception: 10, exception_name: "EXC_CRASH", code: 0, subcode: 0 },
    signal: { signal: 6, name: "SIGABRT" },
  });
  assertStringIncludes(told(objc), "NSRangeException, index 3 beyond bounds [0 .. 1]");
  assertEquals(readReport(json(objc), "x").lastException?.[0].symbol, "-[Cart add:]");
  const cpp = error({
    type: "cpp_exception",
    cpp_exception: { name: "N3net7TimeoutE" },
    reason: "no answer",
  });
  assertStringIncludes(told(cpp), "A C++ exception was not caught: net::Timeout, no answer.");
  assertStringIncludes(
    told(error({ type: "deadlock", address: 0 })),
    "The main thread did not answer",
  );
  // Older ones write what they write for an exception that ended the process.
  const reported = error({
    type: "user",
    user_reported: { name: "CartError", line_of_code: "" },
    reason: "no items",
    mach: { exception: 10, exception_name: "EXC_CRASH", code: 0, subcode: 0 },
    signal: { signal: 6, name: "SIGABRT", code: 0 },
  });
  assertStringIncludes(told(reported), "The program reported this itself");
  assertStringIncludes(told(reported), "It says: CartError: no items");
  assert(!told(reported).includes("abort"), told(reported));
});

Deno.test("Sentry: the stack of the exception is its thread's, innermost frame first", () => {
  const report = readReport(json(sentry), "x");
  assertEquals([report.exception?.type, report.exception?.signal], ["EXC_BAD_ACCESS", "SIGSEGV"]);
  const [thread] = report.threads;
  assertEquals([thread.crashed, thread.queue], [true, "com.apple.main-thread"]);
  assertEquals(thread.frames.map(({ symbol }) => symbol), ["Cart.add(_:)", "start"]);
  const [first] = thread.frames;
  assertEquals([first.offset, first.file, first.line], [16, "Cart.swift", 12]);
  assertEquals(first.image?.uuid, "9E8D8DE6-EEC1-3199-8720-9ED68EE3F967");
  assertStringIncludes(told(sentry), "null plus 8");
  // The web service has the same under entries.
  const { exception, threads, debug_meta, ...rest } = sentry;
  const entries = [
    { type: "exception", data: exception },
    { type: "threads", data: threads },
    { type: "debugmeta", data: debug_meta },
  ];
  assertEquals(readReport(json({ ...rest, entries }), "x").threads, report.threads);
});

Deno.test("Sentry: an uncaught exception, an error of JavaScript, and one that was caught", () => {
  const [value] = sentry.exception.values;
  const raised = (more: object) => ({ ...sentry, exception: { values: [{ ...value, ...more }] } });
  const objc = raised({
    type: "NSInvalidArgumentException",
    value: "-[NSNull length]: unrecognized selector sent to instance 0x1f0",
    mechanism: { type: "nsexception", handled: false },
  });
  assertStringIncludes(
    told(objc),
    "An Objective-C exception was not caught: NSInvalidArgumentException",
  );
  assertEquals(readReport(json(objc), "x").lastException?.length, 2);
  const hang = raised({
    type: "App Hanging",
    value: "App hanging for at least 2000 ms.",
    mechanism: { type: "AppHang", handled: true },
  });
  assertStringIncludes(told(hang), "did not answer user events");
  assertEquals(readReport(json(hang), "x").warnings, []);
  const script = raised({
    type: "TypeError",
    value: "x is undefined",
    mechanism: { type: "onerror" },
  });
  assertStringIncludes(told(script), "TypeError: x is undefined");
  const caught = raised({ mechanism: { ...value.mechanism, handled: true } });
  assertStringIncludes(readReport(json(caught), "x").warnings.join("\n"), "was not a crash");
});

Deno.test("Bugsnag: errors, threads, and images out of the frames", () => {
  const payload = { apiKey: "0", events: [bugsnag, bugsnag] };
  assertEquals(readReports(json(payload), "x").length, 2);
  assertStringIncludes(
    readReport(json(payload), "x").warnings.join("\n"),
    "only the first is read",
  );
  const report = readReport(json(bugsnag), "x");
  assertEquals(report.images.map(({ name, base }) => [name, base]), [["Shop", 0x100000000n]]);
  assertEquals(report.lastException?.[0].offset, 16);
  assertStringIncludes(
    told(bugsnag),
    "An Objective-C exception was not caught: NSRangeException, index 3",
  );
  const access = {
    ...bugsnag,
    exceptions: [{
      ...bugsnag.exceptions[0],
      errorClass: "EXC_BAD_ACCESS",
      message: "KERN_INVALID_ADDRESS at 0x8",
    }],
  };
  assertEquals(readReport(json(access), "x").exception?.subtype, "KERN_INVALID_ADDRESS at 0x8");
});

Deno.test("MetricKit: a crash and a hang of one payload", () => {
  const [crash, hang] = readReports(json(metricKit), "x");
  assertEquals([crash.exception?.type, crash.exception?.signal], ["EXC_BAD_ACCESS", "SIGSEGV"]);
  assertEquals(crash.exception?.codes, [1n, 0x10n]);
  assertEquals(crash.termination?.code, 11n);
  assertEquals(crash.crashedThread?.index, 1);
  assertEquals(crash.crashedThread?.frames.map(({ imageName }) => imageName), ["Shop", "dyld"]);
  assertEquals(crash.images[0].base, 0x100000000n);
  assertStringIncludes(explainReport(crash).happened.join("\n"), "null plus 16");
  // Its tree has the outermost frame as the root.
  assertEquals(hang.threads[0].frames.map(({ imageName }) => imageName), ["Shop", "dyld"]);
  assertEquals(hang.threads[0].tree[0].frame.imageName, "dyld");
  assertStringIncludes(explainReport(hang).happened.join("\n"), "Hang duration: 20 sec.");
});

Deno.test("MetricKit: as deep as stacks are, and load addresses in place of offsets", () => {
  const deep = nested(
    Array.from({ length: 512 }, (_, at) => ["Shop", 0x100001000 + 4 * at, 0x100000000]),
  );
  const report = readReport(
    json({
      diagnosticMetaData: { osVersion: "iPhone OS 15.2", exceptionType: 1, exceptionCode: 2 },
      callStackTree: { callStacks: [{ threadAttributed: true, callStackRootFrames: deep }] },
    }),
    "x",
  );
  assertEquals(report.warnings, []);
  assertEquals(report.crashedThread?.frames.length, 512);
  assertEquals(report.images.map(({ base }) => base), [0x100000000n]);
});

Deno.test("minidump-stackwalk: frames, inlined calls, registers and modules", () => {
  const report = readReport(json(minidump), "x");
  assertEquals([report.exception?.type, report.exception?.subtype], [
    "EXC_BAD_ACCESS",
    "KERN_INVALID_ADDRESS at 0x10",
  ]);
  assertEquals(report.crashedThread?.index, 1);
  const [inlined, first, second] = report.crashedThread!.frames;
  assertEquals([inlined.symbol, inlined.inlined, inlined.line], ["list::push", true, 3]);
  assertEquals([first.symbol, first.offset, first.file], ["cart::add", 16, "src/cart.cpp"]);
  assertEquals([second.imageName, second.address], ["dyld", 0x190000100n]);
  assertEquals(report.crashedThread?.registers[0].value, 0x100001010n);
  assertEquals(report.images[0].uuid, "9E8D8DE6-EEC1-3199-8720-9ED68EE3F967");
  assertEquals(report.information, ["failed check: full"]);
});

Deno.test("as crash text and as .ips they say the same", () => {
  for (const [name, value] of Object.entries({ bugsnag, kscrash, minidump, sentry })) {
    const report = readReport(json(value), "x");
    assertEquals<string>(report.format, "json");
    const { happened } = explainReport(report);
    for (const form of ["crash", "ips"] as const) {
      const again = readReport(writeReport(report, form), "x");
      assertEquals<unknown>([name, explainReport(again).happened], [name, happened]);
      assertEquals<unknown>(
        again.crashedThread?.frames.map(({ symbol }) => symbol),
        report.crashedThread?.frames.map(({ symbol }) => symbol),
      );
    }
  }
  const payload = readReports(json(metricKit), "x").map((report) => writeReport(report, "crash"));
  assertEquals(
    readReports(payload.join("\n"), "x").map((report) => explainReport(report).happened[0]),
    [
      "KERN_INVALID_ADDRESS at 0x10: nothing is mapped at the address.",
      "The process did not answer user events for a while.",
    ],
  );
});

Deno.test("a document that was cut off is read as far as it goes", () => {
  const text = json(sentry);
  const report = readReport(text.slice(0, text.indexOf('"registers"')), "x");
  assertEquals(report.exception?.type, "EXC_BAD_ACCESS");
  assertStringIncludes(report.warnings.join("\n"), "cut off");
});
