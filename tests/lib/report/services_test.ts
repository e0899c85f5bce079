/** What crash services and other tools keep as JSON, by their published formats. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
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
