/** A report as people paste it: what is told of it is the same, whatever was done to its lines. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { explainReport, readReport, readReports } from "../../../lib/report/mod.ts";

const frames = [
  "CoreFoundation -[__NSArrayM insertObject:atIndex:] + 108 (NSArray.m:12)",
  "Shop -[Cart addItem:withQuantity:andOptions:completionHandler:] + 176 (Cart.m:33)",
  "Shop __58-[CartController tableView:didSelectRowAtIndexPath:]_block_invoke + 44 (CartController.m:81)",
  "UIKit -[UITableView _selectRowAtIndexPath:animated:scrollPosition:notifyDelegate:] + 660",
  "UIKit -[UITableView _userSelectRowAtPendingSelectionIndexPath:] + 128",
  "CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__ + 32",
  "GraphicsServices GSEventRunModal + 180",
  "UIKit UIApplicationMain + 208",
  "Shop main + 88 (main.m:14)",
  "libdyld.dylib start + 4",
].map((line, at) => {
  const [image, ...symbol] = line.split(" ");
  const address = `0x${(0x1000fe000 + at * 0x1000).toString(16).padStart(16, "0")}`;
  return `${String(at).padEnd(3)} ${image.padEnd(30)}\t${address} ${symbol.join(" ")}`;
});

const whole = `Incident Identifier: D2604550-FFA3-45D5-8247-A3F1E72E6A40
Hardware Model:      iPhone9,2
Process:             Shop [3769]
Path:                /private/var/containers/Bundle/Application/BC57CB8A-281B-4D12-A9F2-73A7463B79BE/Shop.app/Shop
Identifier:          com.example.shop
Version:             3.5.5.2 (3.5.5)
Code Type:           ARM-64 (Native)
Parent Process:      launchd [1]

Date/Time:           2017-05-25 20:34:37.0354 +0800
OS Version:          iPhone OS 10.1.1 (14B100)
Report Version:      104

Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000018
Triggered by Thread:  0

Thread 0 name:  Dispatch queue: com.apple.main-thread
Thread 0 Crashed:
${frames.join("\n")}

Thread 0 crashed with ARM Thread State (64-bit):
    x0: 0x0000000000000000   x1: 0x000000017084a5c0   x2: 0x0000000000000008   x3: 0x0000000186f48250
    fp: 0x000000016fd8eb90   lr: 0x00000001000fe100   sp: 0x000000016fd8eb80   pc: 0x00000001000fe000
   far: 0x0000000000000018  esr: 0x92000006

Binary Images:
0x1000fe000 - 0x1000fefff CoreFoundation arm64  <d9454d74ebdfc930589df1d51c3eab1c> /System/Library/Frameworks/CoreFoundation.framework/CoreFoundation
0x1000ff000 - 0x100100fff +Shop arm64  <187991c09f2632c59d70e5f80d4f2017> /private/var/containers/Bundle/Application/BC57CB8A-281B-4D12-A9F2-73A7463B79BE/Shop.app/Shop
`;

/** What is told, without warnings. */
function told(text: string): unknown {
  const { headline, happened, path, causes, check, firstOwn } = explainReport(
    readReport(text, "x"),
  );
  return { headline, happened, path, causes, check, own: firstOwn?.symbol ?? null };
}

const each = (change: (line: string, at: number) => string) => (text: string): string =>
  text.split("\n").map(change).join("\n");

/** Breaks lines at blanks, or at a width. */
const wrapped = (width: number, isHard: boolean) => (text: string): string =>
  text.split("\n").flatMap((line) => {
    const parts: string[] = [];
    let rest = line;
    while (rest.length > width) {
      const blank = isHard ? width : rest.lastIndexOf(" ", width);
      if (blank <= 0 || rest.slice(0, blank).trim() === "") break;
      parts.push(isHard ? rest.slice(0, blank) : rest.slice(0, blank).trimEnd());
      rest = isHard ? rest.slice(blank) : rest.slice(blank).trimStart();
    }
    return [...parts, rest];
  }).join("\n");

const html = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const pasted: Record<string, (text: string) => string> = {
  "quoted twice": each((line) => `>> ${line}`),
  "entries of a list": each((line) => line === "" ? line : `  * ${line}`),
  "in a block of a list": (text) =>
    `1. Open it:\n\n${each((line) => line && `   ${line}`)(`\`\`\`\n${text}\`\`\`\n`)}`,
  "numbered": each((line, at) => `${at + 1}: ${line}`),
  "numbered with a bar": each((line, at) => `${String(at + 1).padStart(5)} | ${line}`),
  "a log with times": each((line, at) =>
    `2024-05-06T07:08:${String(at % 60).padStart(2, "0")}.123Z ${line}`
  ),
  "a log with times in brackets": each((line) => `[2024-05-06 07:08:09] ${line}`),
  "NSLog's": each((line) => `2024-05-06 07:08:09.123456+0200 App[77:303] ${line}`),
  "syslog's": each((line) => `May  6 07:08:09 mac ReportCrash[77]: ${line}`),
  "a comment": each((line) => `// ${line}`),
  "a comment with stars": each((line) => ` * ${line}`),
  "preformatted HTML": (text) => `<p>Crash:</p><pre>${html(text)}</pre>`,
  "HTML with line breaks": (text) =>
    html(text).replaceAll("  ", "&nbsp; ").replaceAll("\n", "<br>\n"),
  "blanks and tabs made one": (text) => text.replace(/[ \t]+/g, " "),
  "blanks that do not break": (text) => text.replaceAll(" ", "\u00a0"),
  "characters that show nothing": each((line) => `\u200b${line}`),
  "empty lines between": (text) => text.replaceAll("\n", "\n\n"),
  "no empty lines": (text) => text.replace(/\n\n/g, "\n"),
  "Jira's": (text) => `{code:title=a.log|borderStyle=solid}${text}{code}`,
  "Slack's": (text) => `bob  10:32 AM\n\`\`\`${text}\`\`\`\n`,
  "breaks of Markdown": each((line) => `${line}\\`),
  "a string of a program": each((line) => `${line}\\n\\`),
  "a member of JSON": (text) => JSON.stringify({ id: 7, body: text, by: "bob" }),
  "fields in bold type": (text) => text.replace(/^([A-Z][\w /]{2,30}:)/gm, "**$1**"),
  "fields in italics": (text) =>
    text.replace(/^((?:[A-Z][\w /]{2,30}:.*\n?)+)(?=\n|$)/gm, (_, all) => `*${all.trimEnd()}*\n`),
  "a mail of 76 columns": wrapped(76, false),
  "frames broken before the blank of their address": (text) =>
    text.replace(/^(\d{1,2} +\S+ +)\t(?=0x)/gm, "$1\n "),
  "a quoted mail": (text) => each((line) => `> ${line}`)(wrapped(74, false)(text)),
  "a terminal of 80 columns": wrapped(80, true),
  "a terminal of 100 columns": wrapped(100, true),
};

for (const [name, change] of Object.entries(pasted)) {
  Deno.test(`as people paste reports: ${name}`, () => {
    const changed = change(whole);
    assert(changed !== whole);
    assertEquals(told(changed), told(whole));
  });
}

Deno.test("what is as it was is not changed", () => {
  assertEquals(readReport(whole, "x").text, whole);
  // Frames of one width, without their offsets or with the place in the source on lines of their own.
  const plain = "Thread 0 Crashed:\n" +
    "3   libcoreclr.dylib                0x0000000104bcf925 0x104b8b000 + 280869\n" +
    "4   libcoreclr.dylib                0x0000000104f09425 0x104b8b000 + 366288\n" +
    "5   libcoreclr.dylib                0x0000000104f095a2 0x104b8b000 + 366326\n";
  assertEquals(readReport(plain, "x").threads[0].frames.length, 3);
  assertEquals(readReport(plain, "x").text, plain);
});

Deno.test("a report of one line whose last frame was cut after its image", () => {
  const { osVersion, threads } = readReport(
    "Process: Shop [7] Path: /Applications/Shop.app/Contents/MacOS/Shop Identifier: org.shop " +
      "OS Version: macOS 26.2 (25C56) Release Type:        User  Crash Reporter Key:  3BB12B61 " +
      "Incident Identifier: 52F1482D-A4FA-4B47-950C-60C59E557F11  Triggered by Thread: 0 " +
      "Exception Type:    EXC_BREAKPOINT (SIGTRAP) Exception Codes:   0x1, 0x1ab2f19d4 " +
      "Thread 0 Crashed:: 0   libswiftCore.dylib            \t       0x1ab2f19d4 _assertionFailure + 176 " +
      "1   Shop                    \t",
    "x",
  );
  assertEquals(osVersion, "macOS 26.2 (25C56)");
  assertEquals(threads[0].frames.map(({ imageName, symbol }) => [imageName, symbol]), [
    ["libswiftCore.dylib", "_assertionFailure"],
    ["Shop", null],
  ]);
});

Deno.test("a tracker's markup is no JSON; a first frame behind its title", () => {
  const text = "{html}<div><p>It bakes no bread:<br>\nOS Version: iPhone OS 4.2.1 (8C148)<br>\n" +
    "Exception Type: EXC_CRASH (SIGABRT)<br>\nCrashed Thread: 0</p></div>{html}";
  const { warnings, exception } = readReport(text, "x");
  assertEquals(exception?.type, "EXC_CRASH");
  assert(!warnings.join().includes("JSON"), warnings.join());
  const joined = readReport(
    "<p>It crashed with an unhandled exception. Stack trace: 0 CoreFoundation 0x03774b7c __exceptionPreprocess + 156<br>\n" +
      "1 libobjc.A.dylib 0x038c440e objc_exception_throw + 47<br>\n2 Shop 0x00065237 -[Cart pay:with:] + 81<br>\n" +
      "3 Shop 0x00065300 main + 81<br></p>",
    "x",
  );
  assertEquals(joined.threads.map(({ frames }) => frames.map(({ symbol }) => symbol)), [[
    "__exceptionPreprocess",
    "objc_exception_throw",
    "-[Cart pay:with:]",
    "main",
  ]]);
});

Deno.test("Crashlytics' web page with a single frame", () => {
  const { crashedThread } = readReport(
    "Crashed: com.apple.main-thread\nEXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x000000000008d208\n0\nlibobjc.A.dylib\n" +
      "objc_msgSend + 56\n\nWhat can we do?\n",
    "x",
  );
  assertEquals(crashedThread?.frames.map(({ symbol, imageName }) => [imageName, symbol]), [[
    "libobjc.A.dylib",
    "objc_msgSend",
  ]]);
});

Deno.test("headings between single marks or behind one, and all lines of dyld's message", () => {
  const said = (text: string) => explainReport(readReport(text, "x")).happened.join("\n");
  const heading = said(
    "*Process:* Shop [77]\n*Crashed Thread:* 0\n*Exception Type:* EXC_CRASH (SIGABRT)\n*Dyld Error Message:\n" +
      "  Symbol not found: _cart_add\n  Referenced from: /Applications/Shop.app/Contents/MacOS/Shop\n" +
      "  Expected in: /usr/lib/libCart.dylib\n",
  );
  assertStringIncludes(heading, "Symbol not found: _cart_add");
  const tried = said(
    "dyld[77]: Library not loaded: @rpath/Cart.framework/Cart\n" +
      "  Referenced from: <4C4C4455-5555-3144-A178-A3AA5B2D4F2C> /Applications/Shop.app/Contents/MacOS/Shop\n" +
      "  Reason: tried: '/usr/lib/Cart' (no such file),\n" +
      "    '/Applications/Shop.app/Cart' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))\n",
  );
  assertStringIncludes(tried, "has no code for this architecture");
});

Deno.test("an .ips within another string, or with an editor's quotes", () => {
  const ips = '{"app_name":"Shop","bug_type":"309"}\n' +
    '{"procName":"Shop","exception":{"type":"EXC_BAD_ACCESS","signal":"SIGSEGV","codes":"0x1, 0x10"},' +
    '"faultingThread":0,"threads":[{"triggered":true,"frames":[{"imageOffset":12,"symbol":"pay","imageIndex":0}]}],' +
    '"usedImages":[{"base":4300000000,"size":100000,"name":"Shop","path":"/Applications/Shop.app/Contents/MacOS/Shop"}]}';
  const inner = readReport(JSON.stringify({ id: 3, report: ips }), "x");
  assertEquals([inner.process.name, inner.exception?.signal], ["Shop", "SIGSEGV"]);
  const curly = readReport(ips.replace(/"([^"]*)"/g, "\u201c$1\u201d"), "x");
  assertEquals(curly.crashedThread?.frames[0].symbol, "pay");
});

Deno.test("an .ips within a chat is read, and no template of a message around it", () => {
  const ips = '{"app_name":"Shop","bug_type":"309","os_version":"macOS 15.0 (24A335)"}\n' +
    '{\n "procName":"Shop","exception":{"type":"EXC_CRASH","signal":"SIGABRT","codes":"0x0, 0x0"},\n' +
    ' "faultingThread":0,"threads":[{"triggered":true,"frames":[{"imageOffset":12,"symbol":"pay","imageIndex":0}]}],\n' +
    ' "usedImages":[{"base":4300000000,"size":100000,"name":"Shop","path":"/Applications/Shop.app/Contents/MacOS/Shop"}]\n}\n';
  const before = "## Ada\nWhat does this tell? It is fatal, and an error:\n";
  const template =
    "## Bob\n   - Look for: `*** Terminating app due to uncaught exception ... reason: ...`\n";
  for (const chat of [before + ips + template, before + template + ips]) {
    const report = readReport(chat, "x");
    assertEquals([report.process.name, report.exception?.signal], ["Shop", "SIGABRT"]);
    assertEquals(report.crashedThread?.frames[0].symbol, "pay");
    const { happened } = explainReport(report);
    assert(!happened.join().includes("Terminating app"), happened.join());
    assert(!happened.join().includes("not understood"), happened.join());
  }
  // What a log tells of the same end is not passed over.
  const logged = readReport(
    "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 3 beyond bounds [0 .. 2]'\n" +
      ips,
    "x",
  );
  assertStringIncludes(logged.unread.join(), "index 3 beyond bounds");
  for (const name of ["...", "'...'", "\u2026", "'<name>'", ", reason"]) {
    const text = `Process: Shop [7]\nOS Version: iOS 14.4\nDate/Time: 2021-02-03\n\n` +
      `I looked for *** Terminating app due to uncaught exception ${name}, reason: '...'\n`;
    assertEquals(readReport(text, "x").information, [], name);
  }
});

Deno.test("another copy of the same stack gives its names, by the addresses", () => {
  const copy = (named: boolean) =>
    [
      named ? "-[Cart add:] (Cart.m:42)" : "0x100a00000 + 33048",
      named ? "-[Till tapped:] (Till.m:17)" : "0x100a00000 + 37144",
      "main + 44",
    ].map((name, at) => `${at}   Shop   0x0000000100a${at}8118 ${name}`).join("\n");
  const text = `Process: Shop [77]\nCode Type: ARM-64\nOS Version: iOS 14.4 (18D52)\n` +
    `Exception Type: EXC_BAD_ACCESS (SIGSEGV)\n\nThread 0 Crashed:\n${copy(false)}\n\n` +
    "Binary Images:\n0x100a00000 - 0x100b00000 Shop arm64  <d7775e59dac23b6cabd8fe6f62438d1d> /var/Shop.app/Shop\n";
  const { crashedThread } = readReport(`${text}\nWith the symbols:\n\n${copy(true)}\n`, "x");
  assertEquals(
    crashedThread?.frames.map(({ symbol, line }) => [symbol, line]),
    [["-[Cart add:]", 42], ["-[Till tapped:]", 17], ["main", null]],
  );
  const other = copy(true).replaceAll("8118", "9118");
  assertEquals(
    readReport(`${text}\nWith the symbols:\n\n${other}\n`, "x").threads[0].frames[0].symbol,
    null,
  );
});

Deno.test("several .ips in one text, and a header behind a name of a chat", () => {
  const ips = (name: string) =>
    `{"app_name":"${name}","bug_type":"309","incident_id":"${name}"}\n` +
    `{\n "procName":"${name}","exception":{"type":"EXC_CRASH","signal":"SIGABRT","codes":"0x0, 0x0"},\n` +
    ' "faultingThread":0,"threads":[{"triggered":true,"frames":[{"imageOffset":12,"symbol":"pay","imageIndex":0}]}],\n' +
    ' "usedImages":[{"base":4300000000,"size":100000,"name":"Shop"}]\n}\n';
  for (const before of ["", "ada: it died: ", "Look at these.\n"]) {
    const reports = readReports(
      `${before}${ips("Shop")}and ${ips("Till")}\n${ips("Cash")}thanks\n`,
      "x",
    );
    assertEquals(reports.map(({ process }) => process.name), ["Shop", "Till", "Cash"], before);
  }
});

Deno.test("of two copies of one report in a file the one without names gets those of the other", () => {
  const report = (named: boolean, incident: string, at = "8118") =>
    `Incident Identifier: ${incident}\nProcess: Shop [77]\nCode Type: ARM-64\nOS Version: iOS 14.4 (18D52)\n` +
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\n\nThread 0 Crashed:\n" +
    [
      named ? "-[Cart add:] (Cart.m:42)" : "0x100a00000 + 33048",
      named ? "-[Till tapped:] (Till.m:17)" : "0x100a00000 + 37144",
      named ? "main (main.m:8)" : "0x100a00000 + 37244",
    ].map((name, index) => `${index}   Shop   0x0000000100a${index}${at} ${name}`).join("\n") +
    "\n\nBinary Images:\n0x100a00000 - 0x100b00000 Shop arm64  <d7775e59dac23b6cabd8fe6f62438d1d> /var/Shop.app/Shop\n\n";
  const id = "11111111-2222-3333-4444-555555555555";
  const other = "21111111-2222-3333-4444-555555555555";
  const first = (text: string) => readReports(text, "x")[0].crashedThread?.frames[0].symbol;
  assertEquals(first(report(false, id) + report(true, id)), "-[Cart add:]");
  assertEquals(first(report(false, id) + report(true, other)), null);
  assertEquals(first(report(false, id) + report(true, id, "9118")), null);
});

Deno.test("frames that are quoted in front of the report that has them are no report of their own", () => {
  const frames = [
    "14  Shop   0x0000000104453094 -[Till open] + 110740 (Till.m:432)",
    "15  Shop   0x0000000104459640 -[Till main] + 136768 (Till.m:103)",
  ];
  const whole = [
    "Incident Identifier: 0A0A0A0A-0A0A-4A0A-8A0A-0A0A0A0A0A0A",
    "Process:             Shop [4]",
    "",
    "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)",
    "Exception Subtype: KERN_INVALID_ADDRESS at 0x00000001669c89e8",
    "Triggered by Thread:  0",
    "",
    "Thread 0 Crashed:",
    "0   Shop   0x0000000104450000 -[Till pay] + 8 (Till.m:9)",
    ...frames,
    "",
  ].join("\n");
  const text = (quoted: readonly string[]) =>
    `It crashes.\n\nthe part that is causing it:\n{code:java}\n${
      quoted.join("\n")
    }\n{code}\n\nFull log:\n{code:java}\n${whole}\n{code}\n`;
  const read = (quoted: readonly string[]) => readReports(text(quoted), "x");
  assertEquals(read(frames).map(({ exception }) => exception?.type), ["EXC_BAD_ACCESS"]);
  assertEquals(readReport(text(frames), "x").exception?.type, "EXC_BAD_ACCESS");
  const others = frames.map((frame) => frame.replace("0x00000001044", "0x00000001099"));
  assertEquals(read(others).length, 2);
});

Deno.test("what atos gave for the addresses of a crash is told in its stack", () => {
  const { crashedThread } = readReport(
    "Process: Shop [77]\nCode Type: ARM-64\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n\nThread 0 Crashed:\n" +
      "0   Shop   0x0000000100a08118 0x100a00000 + 33048\n1   Shop   0x0000000100a18118 0x100a00000 + 98584\n\n" +
      "$ atos -arch arm64 -o Shop.app/Shop -l 0x100a00000 0x0000000100a08118 0x0000000100a18118\n" +
      "-[Cart add:] (in Shop) (Cart.m:42)\nmain (in Shop) + 44\n",
    "x",
  );
  assertEquals(
    crashedThread?.frames.map(({ symbol, line }) => [symbol, line]),
    [["-[Cart add:]", 42], ["main", null]],
  );
});

Deno.test("a system's log before a report: exceptions of other processes are not its own, nor is the version of something else", () => {
  const log = (name: string, pid: number): string =>
    `Version: 8.2.0.193 (Business Edition)

Oct  9 15:51:02 phone ${name}[${pid}] <Error>: *** Terminating app due to uncaught exception 'NSUnknownKeyException', reason: '[<Card 0x14e9c9f0> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key title.'
*** First throw call stack:
(0x2a5a3c1f 0x37d5ac8b 0x2a5a3901)
Oct  9 15:51:19 phone ReportCrash[80] <Notice>: Formulating crash report for process Shop[3769]

`;
  const other = explainReport(readReport(`${log("cardsd", 3760)}${whole}`, "x"));
  assertStringIncludes(other.headline, "Shop 3.5.5.2 (3.5.5): EXC_BAD_ACCESS");
  assert(!other.happened.join("\n").includes("NSUnknownKeyException"), other.happened.join("\n"));
  // An earlier run of the same program.
  const own = readReport(`${log("Shop", 3760)}${whole}`, "x");
  assert(own.information.join("\n").includes("NSUnknownKeyException"));
  assertEquals(own.process.version, "3.5.5.2 (3.5.5)");
});

Deno.test("an example of an exception's line in prose is none; a reason that was left out; titles behind a chat's names", () => {
  const real =
    "Fatal error: Unexpectedly found nil while implicitly unwrapping an Optional value\n\n";
  for (
    const example of [
      "For example \"*** Terminating app due to uncaught exception 'NSRangeException', reason: '...'\".",
      "- `*** Terminating app due to uncaught exception 'NSRangeException', reason: 'instance 0x...'`",
    ]
  ) {
    const { information } = readReport(real + example + "\n", "x");
    assertEquals(information.some((text) => text.includes("Terminating app")), false, example);
  }
  const elided = explainReport(readReport(
    "*** Terminating app due to uncaught exception 'NSRangeException', reason: '...'\n*** First throw call stack:\n(\n" +
      "0   CoreFoundation    0x0000000185a8d148 __exceptionPreprocess + 164\n" +
      "1   libobjc.A.dylib   0x00000001852b28e4 objc_exception_throw + 60\n" +
      "2   Shop              0x0000000106c1d2cc -[Cart add:] + 212\n)\n",
    "x",
  )).happened.join();
  assertStringIncludes(elided, "NSRangeException; its reason is not");
  const chat = readReport(
    "[8:12 PM] ada: Exception Type:        EXC_BAD_ACCESS (SIGSEGV)\n[8:14 PM] ada: Thread 0 Crashed:\n" +
      "0   Shop   0x0000000100003f20 -[Cart add:] + 12\n1   Shop   0x0000000100003e00 main + 44\n[8:15 PM] bob: oh\n",
    "x",
  );
  assertEquals(
    [chat.exception?.type, chat.crashedThread?.index, chat.crashedThread?.frames.length],
    ["EXC_BAD_ACCESS", 0, 2],
  );
});

Deno.test("what a process used too much of, in Xcode's words alone or in prose", () => {
  for (
    const text of [
      "EXC_RESOURCE RESOURCE_TYPE_MEMORY (limit=50 MB, unused=0x0)\n",
      "The map stops with EXC_RESOURCE (RESOURCE_TYPE_MEMORY: high watermark memory limit exceeded) (limit=50 MB)\n",
      "It says Thread 9: EXC_RESOURCE RESOURCE_TYPE_MEMORY (limit=50 MB, unused=0x0) and stops.\n",
    ]
  ) {
    const { happened } = explainReport(readReport(text, "x"));
    assertStringIncludes(happened.join("\n"), "limit=50 MB");
    assertStringIncludes(happened.join("\n"), "used more memory than its limit allows");
  }
});

Deno.test("what the kernel notes of wakeups, in lines of its own, and what a dialog says before a report", () => {
  const { happened } = explainReport(readReport(
    "kernel[0]: process Till[606] caught causing excessive wakeups.\nObserved wakeups rate (per sec): 306;\n" +
      "Maximum permitted wakeups rate (per sec): 150;\nObservation period: 300 seconds;\n",
    "x",
  ));
  assertStringIncludes(happened.join("\n"), "Maximum permitted wakeups rate (per sec): 150");
  const dialog = explainReport(readReport(
    "(Till quit unexpectedly)\n\nProcess:               Till [14]\nPath:                  /Applications/Till.app/Contents/MacOS/Till\n" +
      "OS Version:            Mac OS X 10.14.2 (18C54)\n\nException Type:        EXC_CRASH (Code Signature Invalid)\n" +
      "Termination Reason:    Namespace CODESIGNING, Code 0x1\n",
    "x",
  ));
  assert(!dialog.happened.join("\n").includes("quit unexpectedly"), dialog.happened.join("\n"));
});

Deno.test("what the kernel and launchd write of processes that were ended, in lines of a log", () => {
  const told = (text: string) => {
    const { headline, happened } = explainReport(readReport(`${text}\n`, "x"));
    return `${headline}\n${happened.join("\n")}`;
  };
  const swap = told(
    "Jun 17 17:37:04 mac kernel[0]: low swap: killing largest compressed process with pid 285 (till) and size 1234 MB",
  );
  assertStringIncludes(swap, "till: ended for want of memory");
  assertStringIncludes(swap, "killed the process that had the most of it compressed");
  assertStringIncludes(
    told("kernel: memorystatus: killing largest compressed process Till [812] 10240 MB"),
    "Till: ended for want of memory",
  );
  const short = told(
    "kernel: memorystatus: killing_top_process pid 501 [Shop] (vm-pageshortage 4 12s rf:-) 8123KB - memorystatus_available_pages: 3000",
  );
  assertStringIncludes(short, "Shop: ended for want of memory");
  assertStringIncludes(short, "the process need not be what used it");
  assertStringIncludes(
    told(
      "kernel: memorystatus: killing_idle_process pid 501 [maild] (idle-exit 0 12s rf:-) 8123KB - memorystatus_available_pages: 3000",
    ),
    "as is normal",
  );
  const killed = told(
    "2022-11-17 21:09:01.519437 (gui/501/org.example.till [12345]) <Notice>: exited due to SIGKILL | sent by mds[123], ran for 1234ms",
  );
  assertStringIncludes(killed, "org.example.till: SIGKILL");
  const unsigned = told(
    "2024-07-30 16:20:29.377858 (gui/2001/org.example.till [683]) <Notice>: xpcproxy exited due to OS_REASON_CODESIGNING | When validating /Applications/Till.app/Contents/MacOS/Till:\n" +
      "  The code contains a Team ID, but validating its signature failed.\nPlease check your system log.",
  );
  assertStringIncludes(unsigned, "org.example.till");
  assertStringIncludes(unsigned, "did not accept the program's code signature");
  assertStringIncludes(unsigned, "contains a Team ID");
  assertStringIncludes(
    told(
      "2024-07-30 16:20:29.377858 (system/org.example.tilld [683]) <Notice>: exited due to OS_REASON_JETSAM | highwater",
    ),
    "for what kind of reason",
  );
});

Deno.test("lines of a call tree that a mail broke are whole", () => {
  const report = readReport(
    `Here is my sample:

Process:         Shop [16681]
Path:            /Applications/Shop.app/Contents/MacOS/Shop
Code Type:       X86-64
OS Version:      Mac OS X 10.15.5 (19F101)
Report Version:  7
----

Call graph:
     86 Thread_2990078   DispatchQueue_1: com.apple.main-thread  (serial)
     + 86 start  (in libdyld.dylib) + 1  [0x7fff735e3cc9]
     +   86 -[Till runUntilTheShopIsClosedForTheDay]  (in Shop) + 177 
[0x10e3ee441]
     +     86 -[Till sell]  (in Shop) + 148  [0x10e5ff1e4] 
Till.m:371
     +       86 -[Till 
printReceiptOfCustomer:withName:]  (in 
Shop) + 7  [0x10e5ff2e4]
     +         86 
-[Paper feed]  (in Printer) + 4 
[0x7fff3711c850]

Total number in stack (recursive counted multiple, when >=5):
`,
    "x",
  );
  const { frames } = report.threads[0];
  assertEquals(
    frames.map(({ symbol, imageName, line }) => [symbol, imageName, line]),
    [
      ["-[Paper feed]", "Printer", null],
      ["-[Till printReceiptOfCustomer:withName:]", "Shop", null],
      ["-[Till sell]", "Shop", 371],
      ["-[Till runUntilTheShopIsClosedForTheDay]", "Shop", null],
      ["start", "libdyld.dylib", null],
    ],
  );
});

Deno.test("the version of the system that somebody wrote before a report is not the program's", () => {
  const text = (version: string) =>
    `iOS
Version:${version}

OS Version: iOS 14.2.1 (18B121)
Exception Type: EXC_BAD_ACCESS (SIGBUS)
Crashed Thread: 0

Thread 0 Crashed:
0   Shop        0x105ae5168         sell
`;
  const headline = (version: string) => explainReport(readReport(text(version), "x")).headline;
  assert(!headline("14.2.1").includes("version"), headline("14.2.1"));
  assertStringIncludes(headline("3.0"), "version 3.0");
});
