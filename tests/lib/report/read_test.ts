import { assert, assertEquals, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import {
  attributeReport,
  CrashReport,
  encodeReport,
  explainReport,
  faultAddress,
  readReport,
  ReportFormError,
  type ReportFrame,
  type ReportJson,
  reportJson,
  reportSignature,
  symbolicateReport,
  writeReport,
} from "../../../lib/report/mod.ts";
import { bytesOf, essence, names, place, read, textOf } from "./fixtures.ts";

/** A frame in few words. */
function brief(
  { index, address, image, imageName, symbol, offset, file, line, inlined }: ReportFrame,
) {
  const place = file === null ? "" : ` (${file}:${line})`;
  return `${index} ${image?.name ?? imageName} ${
    address.toString(16)
  } ${symbol} ${offset}${place}` +
    (inlined ? " [inlined]" : "");
}

Deno.test("every report is written again as it was, to the byte", () => {
  assertEquals<unknown>(names.length, 8);
  for (const name of names) {
    const report = read(name);
    assertEquals<unknown>(report.warnings, [], name);
    assertEquals<unknown>(encodeReport(report.text), bytesOf(name), name);
    const form = report.format === "ips" ? "ips" : "crash";
    if (report.format === form) {
      assertEquals<unknown>(writeReport(report, form), textOf(name), name);
    }
  }
});

Deno.test("what a form cannot hold is not written as another report", () => {
  const fails = (text: string, form: "crash" | "ips", held: string) => {
    const report = readReport(text, "x");
    const error = assertThrows(() => writeReport(report, form), ReportFormError);
    assertEquals([error.form, error.held], [form, held]);
    assertEquals(error.message.includes(held), true);
  };
  const panic = "panic(cpu 0 caller 0xfffffe0010a0b0c4): no more carts @cart.c:7\n";
  const json = `{"bug_type":"210","os_version":"macOS 14.1 (23B74)"}\n${
    JSON.stringify({ panicString: panic, product: "Mac14,7" })
  }`;
  assertEquals(readReport(json, "x").panic?.message, "no more carts");
  fails(panic, "crash", "a kernel panic");
  fails(panic, "ips", "a kernel panic");
  fails(json, "crash", "a kernel panic");
  assertEquals<string>(writeReport(readReport(json, "x"), "ips"), json);
  for (const form of ["crash", "ips"] as const) {
    fails(textOf("sample.txt"), form, "a call tree with its counts");
    fails(textOf("spindump.txt"), form, "a call tree with its counts");
  }
  const jetsam = `{"bug_type":"298","os_version":"iPhone OS 17.1"}\n${
    JSON.stringify({ largestProcess: "Shop", processes: [{ name: "Shop", pid: 7, rpages: 9 }] })
  }`;
  fails(jetsam, "crash", "a list of processes and their memory");
});

Deno.test("a report is JSON with all that can be said of it", () => {
  for (const name of names) {
    const report = read(name);
    const json: ReportJson = JSON.parse(JSON.stringify(reportJson(report)));
    assertEquals(json.threads.length, report.threads.length, name);
    assertEquals<unknown>(json.explanation.headline, explainReport(report).headline);
    assertEquals(json.signature, reportSignature(report));
    assertEquals(json.missing, []);
  }
  // The results themselves are written as in it.
  const report = read("ios104.crash");
  const again = <T>(value: T): T => JSON.parse(JSON.stringify(value));
  const json = again(reportJson(report));
  assertEquals<unknown>(again(report), json);
  assertEquals<unknown>(again(explainReport(report)), json.explanation);
  assertEquals<unknown>(again(attributeReport(report)), json.attribution);
  // No member is added for that.
  assert(!Object.keys(explainReport(report)).includes("toJSON"));
  const { frames } = reportJson(read("ios32.crash")).threads[0];
  assertEquals(typeof frames[0].address, "string");
});

Deno.test("bytes that are no UTF-8 are kept", () => {
  const bytes = bytesOf("ios32.crash");
  const strange = [0x80, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xe2, 0x82, 0xf0, 0x9f];
  for (const [index, value] of strange.entries()) bytes[index + 22] = value;
  const report = readReport(bytes, "x");
  assertEquals<unknown>(encodeReport(report.text), bytes);
  assertEquals<unknown>(report.threads.length, 1);
});

Deno.test("iOS, version 104: header, exception's addresses, names in any script", () => {
  const report = read("ios104.crash");
  assertEquals<unknown>(report.format, "crash");
  assertEquals<unknown>(report.process, {
    name: "Weather Station",
    pid: 412,
    path:
      "/private/var/containers/Bundle/Application/7D3C4B2A-1111-4222-8333-944455556666/Weather Station.app/Weather Station",
    identifier: "com.example.weather",
    version: "42 (1.4)",
    parent: "launchd [1]",
    role: "Foreground",
    launched: "2018-05-14 09:12:40.5321 +0200",
  });
  assertEquals<unknown>(report.arch, "arm64");
  assertEquals<unknown>(report.fields.length, 20);
  assertEquals<unknown>(report.fields.at(-5), { name: "Report Version", value: "104" });
  assertEquals<unknown>(report.exception, {
    type: "EXC_CRASH",
    signal: "SIGABRT",
    codes: [0n, 0n],
    subtype: null,
    message: null,
    note: "EXC_CORPSE_NOTIFY",
  });
  assertEquals<unknown>(report.information, ["abort() called"]);
  assertEquals<unknown>(report.lastException?.map(brief), [
    "0 CoreFoundation 1836fcfd8 null null",
    "1 libobjc.A.dylib 18295e538 null null",
    "2 CoreFoundation 1836fcf20 null null",
    "3 Weather Station 100c45fa4 null null",
    "4 Weather Station 100c44e10 null null",
  ]);
  const [main, second, third] = report.threads;
  assertEquals<unknown>([main.crashed, main.queue, main.name], [
    true,
    "com.apple.main-thread",
    null,
  ]);
  assertEquals<unknown>(main.frames.map(brief), [
    "0 libsystem_kernel.dylib 1831d92ec null null",
    "1 libsystem_pthread.dylib 18337a288 null null",
    "2 libsystem_c.dylib 183147d0c abort 140",
    "3 Weather Station 100c44e10 null null",
    "4 UIKit 18d2e1a10 <redacted> 1184",
    "5 Weather Station 100c44a58 main 88 (main.m:14)",
  ]);
  assertEquals<unknown>(second.frames.map(brief)[1], "1 null 0 null null");
  assertEquals<unknown>(third.name, "天気ワーカー");
  assertEquals<unknown>(third.frames.map(brief)[1], "1 Wetter Größe ☂ 100e0421c null null");
  assertEquals<unknown>(main.flavor, "ARM Thread State (64-bit)");
  assertEquals<unknown>(main.registers.length, 11);
  assertEquals<unknown>(main.registers.at(-1), {
    name: "esr",
    value: 0x56000080n,
    note: "(Syscall)",
  });
  assertEquals<unknown>(report.images.length, 8);
  assertEquals<unknown>(report.images[1].name, "Wetter Größe ☂");
  assertEquals<unknown>(report.images[1].uuid, "11112222-3333-4444-5555-666677778888");
  assertEquals<unknown>(report.images[0].size, 0x80000n);
});

Deno.test("32 bits: unsymbolicated, partly and fully symbolicated frames", () => {
  const report = read("ios32.crash");
  assertEquals<unknown>(report.arch, "armv7");
  assertEquals<unknown>(report.exception?.subtype, "KERN_INVALID_ADDRESS at 0x00000014");
  assertEquals<unknown>(report.threads[0].frames.map(brief), [
    "0 libobjc.A.dylib 3a1c3f66 objc_msgSend 6",
    "1 Pocket Golf b4e7c null null",
    "2 Pocket Golf b4d20 -[Ball roll:on:] null (Ball.m:77)",
    "3 libdyld.dylib 3a761aae start 2",
  ]);
  assertEquals<unknown>(
    report.threads[0].registers.find(({ name }) => name === "lr")?.value,
    0xb4e81n,
  );
});

Deno.test("macOS, version 12: bundles' identifiers, versions, the program's own images", () => {
  const report = read("macos12.crash");
  assertEquals<unknown>(report.arch, "x86_64");
  const [thread, events] = report.threads;
  assertEquals<unknown>(thread.frames.map(brief), [
    "0 com.example.notes-keeper 105a41c2e " +
    "std::__1::vector<int, std::__1::allocator<int> >::operator[](unsigned long) 14 (vector:1549)",
    "1 com.example.notes-keeper 105a41b20 null null",
    "2 com.example.notes-keeper 105a41a10 -[NotesController reload] 240 (NotesController.mm:88)",
    "3 com.apple.AppKit 7fff3a1b2c3d -[NSApplication run] 755",
    "4 libdyld.dylib 7fff6a8f1ed9 start 1",
  ]);
  assertEquals<unknown>([thread.queue, events.name], [
    "com.apple.main-thread",
    "com.apple.NSEventThread",
  ]);
  assertEquals<unknown>(thread.registers.length, 19);
  const [own, cuts, kit] = report.images;
  assertEquals<unknown>([own.marked, own.version, own.identifier], [
    true,
    "2.3.1 - 2310",
    "com.example.notes-keeper",
  ]);
  assertEquals<unknown>(cuts.name, "libpaper cuts.dylib");
  assertEquals<unknown>(
    cuts.path,
    "/Applications/Notes Keeper.app/Contents/Frameworks/libpaper cuts.dylib",
  );
  assertEquals<unknown>([kit.marked, kit.uuid], [false, "0F0D9B4A-9DB4-3D0B-9F15-1A2B3C4D5E6F"]);
  assertEquals<unknown>(report.termination, {
    namespace: "SIGNAL",
    code: 11n,
    reasons: ["Segmentation fault: 11"],
    byProcess: "exc handler",
    byPid: 5021,
  });
  assertEquals<unknown>(report.sections.map(({ name }) => name), [
    "VM Regions Near 0x28",
    "External Modification Summary",
  ]);
});

Deno.test(".ips: both documents, unknown members, integers beyond 2^53, inlined frames", () => {
  const report = read("macos309.ips");
  assertEquals<unknown>([report.format, report.bugType, report.arch], ["ips", "309", "arm64"]);
  assertEquals<unknown>(report.header?.app_name, "Orchard");
  assertEquals<unknown>(report.body?.futureKey, {
    nested: [1, 2.5, 18446744073709551615n, "Größe ☂"],
  });
  assertEquals<unknown>(report.process.version, "3.1 (310)");
  assertEquals<unknown>(report.exception?.codes, [1n, 0x1048f3c1cn]);
  assertEquals<unknown>(report.information, [
    "Fatal error: Unexpectedly found nil while unwrapping an Optional value",
  ]);
  const [main, worker] = report.threads;
  assertEquals<unknown>(main.frames.map(brief), [
    "0 libsystem_kernel.dylib 180533de8 mach_msg2_trap 8",
    "1 Orchard 1048f3c00 static OrchardApp.$main() 40 (OrchardApp.swift:3) [inlined]",
    "2 Orchard 1048f3c00 main 44 (OrchardApp.swift:null)",
  ]);
  assertEquals<unknown>([worker.crashed, worker.id, worker.name], [true, 880042n, "果樹園 worker"]);
  assertEquals<unknown>(worker.registers[1], {
    name: "x1",
    value: 0xffff_ffff_ffff_ffffn,
    note: null,
  });
  assertEquals<unknown>(worker.frames[4].image, null);
  const { start, end } = worker.frames[0].span!;
  assertEquals<unknown>(report.text.slice(start, end), '{"imageOffset":15388,"imageIndex":0}');
});

Deno.test(".ips 109: a text after the JSON header, its watchdog, inlined frames in text", () => {
  const report = read("ios109.ips");
  assertEquals<unknown>([report.format, report.bugType], ["crash", "109"]);
  assertEquals<unknown>(report.termination?.namespace, "SPRINGBOARD");
  assertEquals<unknown>(report.termination?.code, 0x8badf00dn);
  assertEquals<unknown>(report.threads[0].frames.slice(2).map(brief), [
    "2 Tide Table 102a05f34 closure #1 in AppDelegate.start() 52 (AppDelegate.swift:21)",
    "3 Tide Table 102a05e00 AppDelegate.start() 96 (AppDelegate.swift:19) [inlined]",
    "4 Tide Table 102a05e00 $s9TideTable11AppDelegateC5start5yyF 128 (<compiler-generated>:null)",
  ]);
  assertEquals<unknown>(report.threads[0].frames[2].column, 9);
});

Deno.test(".ips 288: a stackshot's processes", () => {
  const report = read("stackshot288.ips");
  assertEquals<unknown>(
    report.threads.map(({ process, id, frames }) => [process, id, frames.length]),
    [
      ["launchd [1]", 400n, 4],
      ["Wetter Größe [77]", 500n, 2],
      ["Wetter Größe [77]", 501n, 0],
    ],
  );
  assertEquals<unknown>(report.threads[0].frames.map(({ address }) => address), [
    0xfffffe0000001000n,
    0xfffffe0000002000n,
    0x1000004d2n,
    0x18000162en,
  ]);
  assertEquals<unknown>(report.exception?.codes, [0xbaaaaaadn]);
});

Deno.test("sample: a call tree, its heaviest stack", () => {
  const report = read("sample.txt");
  assertEquals<unknown>(report.format, "sample");
  const [main, spool] = report.threads;
  assertEquals<unknown>([main.queue, spool.name], ["com.apple.main-thread", "AMCP Logging Spool"]);
  assertEquals<unknown>(main.frames.map(brief), [
    "0 com.example.ledger 10a3b5230 null null",
    "1 com.example.ledger 10a3b5010 -[Book sum (all)] 80 (Book.m:40)",
    "2 com.example.ledger 10a3b4f50 main 24 (main.c:12)",
    "3 libdyld.dylib 7fff6f4b7cc9 start 1",
  ]);
  const below = main.tree[0].children[0].children;
  assertEquals<unknown>(below.map(({ count, frame }) => [count, frame.symbol]), [
    [1500, "-[Book sum (all)]"],
    [1043, "operator<<(std::ostream&, Money const&)"],
  ]);
});

Deno.test("spindump: call trees, kernel frames, queues and names", () => {
  const report = read("spindump.txt");
  assertEquals<unknown>([report.format, report.process.name, report.process.pid], [
    "spindump",
    "Mosaic",
    4004,
  ]);
  const [main, loader] = report.threads;
  assertEquals<unknown>([main.id, main.queue, loader.name], [
    0x7a1n,
    "com.apple.main-thread",
    "mosaic.loader",
  ]);
  assertEquals<unknown>(main.frames.map(brief), [
    "0 kernel fffffe0007a04d2c hndl_unix_scall 12",
    "1 com.example.mosaic 104a3b024 tile(_:) 36 (Tile.swift:9)",
    "2 com.example.mosaic 104a3bf34 null null",
    "3 dyld 1a1e0fb5c start 1903",
  ]);
  assertEquals<unknown>(report.images[0].version, "1.0 (1)");
});

Deno.test("what is no report is refused", () => {
  for (
    const text of [
      "",
      "hello",
      "{",
      "{}",
      "[1,2]",
      '{"a":1}\n',
      "\0\0\0\0",
      "Name: value\nOther: value\n",
      "0x1 - 0x",
      "{}\n{}",
    ]
  ) {
    assertThrows(
      () => readReport(text, "x"),
      FormatError,
      "x: at offset 0x0: expected a crash",
      text,
    );
  }
  assert(readReport(textOf("ios32.crash"), "x").threads.length > 0);
});

Deno.test("an exception's backtrace as frames, and more of them", () => {
  const frames = "0   CoreFoundation \t0x1836fcfd8 __exceptionPreprocess + 228\n" +
    "1   libobjc.A.dylib \t0x18295e538 objc_exception_throw + 56\n" +
    "2   Weather Station \t0x100c45fa4 0x100c40000 + 24484\n";
  const text = textOf("ios104.crash").replace(/\(0x1836fcfd8[^)]*\)\n/, frames)
    .replace(
      "Thread 1:",
      "Application Specific Backtrace 1:\n0   Weather Station \t0x100c45fa4 f + 1\n\nThread 1:",
    );
  const report = readReport(text, "x");
  assertEquals<unknown>(report.lastException?.map(brief), [
    "0 CoreFoundation 1836fcfd8 __exceptionPreprocess 228",
    "1 libobjc.A.dylib 18295e538 objc_exception_throw 56",
    "2 Weather Station 100c45fa4 null null",
  ]);
  assertEquals<unknown>(report.threads[0].frames.length, 6);
  assertEquals<unknown>(report.threads.length, 3);
  assertEquals<unknown>(report.warnings, []);
  assertEquals<unknown>(report.sections.at(-1), {
    name: "Application Specific Backtrace 1",
    lines: ["0   Weather Station \t0x100c45fa4 f + 1"],
  });
  // Older systems have no other title.
  const old = readReport(text.replace("Last Exception", "Application Specific"), "x");
  assertEquals<unknown>(
    old.lastException,
    report.lastException?.map((frame) => ({
      ...frame,
      span: {
        start: frame.span!.start + 6,
        end: frame.span!.end + 6,
        place: frame.span!.place! + 6,
      },
    })),
  );
});

Deno.test("what other reporters write", () => {
  const text = textOf("ios32.crash").replace(
    "Exception Subtype: KERN_INVALID_ADDRESS at 0x00000014\n",
    "",
  )
    .replace("Triggered by Thread:  0", "Exception Codes: #0 at 0x14\nCrashed Thread:  0");
  const report = readReport(text, "x");
  assertEquals<unknown>(report.exception?.subtype, "#0 at 0x14");
  assertEquals<unknown>(faultAddress(report), 0x14n);
  assertEquals<unknown>(report.crashedThread?.index, 0);
});

Deno.test("a translated text with its JSON behind it", () => {
  const json = read("macos309.ips");
  const text = "-------------------------------------\nTranslated Report (Full Report Below)\n" +
    "-------------------------------------\n\n" + writeReport(json, "crash") +
    "\n-----------\nFull Report\n-----------\n\n" + json.text;
  const report = readReport(text, "x");
  assertEquals<unknown>(report.warnings, []);
  assertEquals<unknown>([report.format, report.embedded?.format], ["crash", "ips"]);
  assertEquals<unknown>(essence(report), essence(json));
  assertEquals<unknown>(essence(report.embedded!), essence(json));
  assertEquals<unknown>(writeReport(report, "crash"), text);
  assertEquals<unknown>(writeReport(report, "ips"), json.text);
  // Both are named.
  const named = symbolicateReport(report, {
    find: ({ name }) => name !== "Pome" ? null : { at: (offset) => place(offset, "peel", 9) },
  }).report;
  const again = readReport(named.text, "y");
  assertEquals<unknown>(again.crashedThread?.frames[2].symbol, "peel");
  assertEquals<unknown>(again.embedded?.crashedThread?.frames[2].symbol, "peel");
  assertEquals<unknown>(
    readReport(writeReport(named, "ips"), "z").crashedThread?.frames[2].offset,
    10,
  );
});

Deno.test("an image's name may look like an address", () => {
  const name = "Weather 0x10 Station";
  const text = textOf("ios104.crash").replaceAll("Weather Station", name);
  const report = readReport(text, "x");
  assertEquals<unknown>(report.threads[0].frames[3].imageName, name);
  assertEquals<unknown>(report.threads[0].frames[3].address, 0x100c44e10n);
  assertEquals<unknown>(report.images[0].name, name);
});

Deno.test(".ips: frames in the shared cache and in no image of it", () => {
  const cache = '{"source":"S","base":6446989312,"size":4210589696,' +
    '"uuid":"61626364-6566-3768-b96a-6b6c6d6e6f70"},\n  {\n    "size" : 0,';
  const text = textOf("macos309.ips").replace('{\n    "size" : 0,', cache)
    .replace('{"imageOffset":0,"imageIndex":4}', '{"imageOffset":805306368,"imageIndex":4}');
  const report = readReport(text, "x");
  const frames = report.crashedThread!.frames;
  assertEquals<unknown>(brief(frames[4]), "4 dyld shared cache 1b0454000 null null");
  // An address does not say that it is the cache's where an image in it has it.
  const again = readReport(writeReport(report, "crash"), "y").crashedThread!.frames;
  assertEquals<unknown>(again.slice(3).map(brief), [
    "3 libsystem_pthread.dylib 180574c58 _pthread_start 136",
    "4 dyld shared cache 1b0454000 null null",
  ]);
});

Deno.test("what is no text is refused by its beginning; a text with some control characters is not", () => {
  // A Mach-O header, as of a program, before a report's words.
  const program = new Uint8Array(4 << 20);
  for (let at = 0; at < 1024; at += 8) program.set([0x19, 0, 0, 0, 0x48, 2, 0, 0], at);
  program.set(new TextEncoder().encode("\nProcess: Shop [1]\nException Type: EXC_CRASH\n"), 2048);
  assertThrows(() => readReport(program, "Shop"), FormatError, "expected a crash report");
  const text =
    "\x1b[1mProcess: Shop [1]\x1b[0m\r\nException Type: \tEXC_CRASH (SIGABRT)\r\n\x0c\0\0\n";
  const wide = new Uint8Array([...text].flatMap((letter) => [letter.charCodeAt(0), 0]));
  for (const bytes of [new TextEncoder().encode(text), wide]) {
    assertEquals(readReport(bytes, "x").exception?.type, "EXC_CRASH");
  }
});

Deno.test("a signal without an exception's type is kept in both forms", () => {
  const read = readReport(
    "Process: Shop [12]\nException Type: SIGTERM\n\nThread 0 Crashed:\n0 Shop 0x100000fa0 sell + 16\n",
    "x",
  );
  const report = new CrashReport({
    ...read,
    format: "sample",
    exception: { ...read.exception!, type: null, signal: "SIGTERM" },
  });
  for (const form of ["crash", "ips"] as const) {
    const { type, signal } = readReport(writeReport(report, form), form).exception!;
    assertEquals(type ?? signal, "SIGTERM", form);
  }
});
