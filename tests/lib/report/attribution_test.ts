import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import {
  attributeReport,
  type Attribution,
  readReport,
  type ReportImage,
  reportSignature,
  ReportSymbolFiles,
  reportTime,
  symbolicateReport,
} from "../../../lib/report/mod.ts";
import { demangle, openDwarf } from "../../../lib/symbols/mod.ts";
import { SymbolFiles } from "../../../lib/symbols/mod.ts";
import { place, read, textOf } from "./fixtures.ts";

const folder = new URL("../../fixtures/inlines/arm64", import.meta.url).pathname;

function brief({ verdict, library, deciding, involved, passed }: Attribution): unknown[] {
  return [
    verdict,
    library,
    deciding?.frame.index ?? null,
    deciding?.by ?? null,
    involved.map(({ frame }) => frame.index),
    passed,
  ];
}

Deno.test("a dynamic library is known by its image; system frames are passed over", () => {
  const report = read("macos309.ips");
  assertEquals(brief(attributeReport(report)), ["program", "Orchard", 0, "image", [], 0]);
  // Further out, it is on the stack without being to blame.
  for (const name of ["Pome", "pome", "Pome.framework"]) {
    const mine = attributeReport(report, { mine: [name] });
    assertEquals(brief(mine), ["program", "Orchard", 0, "image", [2], 0], name);
  }
  const text = textOf("ios104.crash");
  const wetter = attributeReport(readReport(text, "x"), { mine: ["Wetter Größe ☂"] });
  assertEquals(brief(wetter), ["program", "Weather Station", 3, "image", [], 3]);
  // A callback: the library, then the system, then the program.
  const called = text
    .replace("0x100c45fa4 0x100c44e10)", "0x100e0421c 0x182956100 0x100c44e10)");
  assertEquals(brief(attributeReport(readReport(called, "x"), { mine: ["Wetter Größe ☂"] })), [
    "mine",
    "Wetter Größe ☂",
    3,
    "image",
    [],
    3,
  ]);
  const none = attributeReport(
    readReport(
      text.replace(" 0x100c45fa4 0x100c44e10)", ")").replace("\n0x100c45fa4 0x100c44e10)", ")"),
      "x",
    ),
  );
  // The exception's stack is cut off: its caller is not known.
  assertEquals([none.verdict, none.absent, none.deciding], ["unknown", "outer", null]);
});

/** A report whose crashed thread has frames at functions of the fixture, innermost first. */
function reportAt(symbols: ReportSymbolFiles, ...names: string[]): string {
  const [{ uuid }] = symbolFiles.named("inlines");
  const image = {
    name: "inlines",
    path: "/app/inlines",
    uuid,
    arch: "arm64",
    base: 0x104000000n,
    size: 0x10000n,
    version: null,
    identifier: null,
    marked: false,
  } as ReportImage;
  const lines = names.map((name, index) => {
    if (name === "system") return `${index}   libobjc.A.dylib \t0x182956100 0x182956000 + 256`;
    const start = symbols.symbolOffset(image, name);
    assert(start !== null, name);
    const offset = start + 4;
    return `${index}   inlines \t0x${(0x104000000 + offset).toString(16)} 0x104000000 + ${offset}`;
  });
  return [
    "Process: inlines [1]",
    "Path: /app/inlines",
    "Code Type: ARM-64",
    "Exception Type: EXC_BREAKPOINT (SIGTRAP)",
    "",
    "Thread 0 Crashed:",
    ...lines,
    "",
    "Binary Images:",
    `0x104000000 - 0x10400ffff inlines arm64 <${uuid.replaceAll("-", "")}> /app/inlines`,
    "0x182956000 - 0x182b3efff libobjc.A.dylib arm64 <6f05124d48c935f0a1d1c1b1a1918171> /usr/lib/libobjc.A.dylib",
    "",
  ].join("\n");
}

const symbolFiles = new SymbolFiles(files, [folder]);

Deno.test("a static library is known by the object files that the linker noted", () => {
  using symbols = new ReportSymbolFiles(files, symbolFiles);
  const inside = readReport(
    reportAt(symbols, "system", "helper_twice", "system", "outer", "main"),
    "x",
  );
  const outside = readReport(reportAt(symbols, "outer", "helper_twice", "main"), "x");
  const options = { origins: symbols };
  // Nothing has to be told.
  assertEquals(brief(attributeReport(inside, options)), [
    "program",
    "libhelper.a",
    1,
    "archive",
    [],
    1,
  ]);
  assertEquals(brief(attributeReport(outside, options)), ["program", "inlines", 0, "image", [], 0]);
  for (const name of ["helper", "libhelper.a", "libhelper"]) {
    const mine = { ...options, mine: [name] };
    assertEquals(brief(attributeReport(inside, mine)), [
      "mine",
      "libhelper.a",
      1,
      "archive",
      [],
      1,
    ]);
    assertEquals(brief(attributeReport(outside, mine)), ["program", "inlines", 0, "image", [1], 0]);
  }
});

Deno.test("without the binary, by the compile units of the dSYM", () => {
  const dsyms = new SymbolFiles(files, [`${folder}/dsym`]);
  using symbols = new ReportSymbolFiles(files, dsyms, { openDwarf });
  const inside = readReport(reportAt(symbols, "system", "helper_twice", "main"), "x");
  const { deciding } = attributeReport(inside, { origins: symbols });
  assertEquals(deciding?.unit, "/src/inlines/helper.cpp");
  const outside = readReport(reportAt(symbols, "main", "helper_twice"), "x");
  for (const name of ["helper", "helper.cpp"]) {
    const mine = { origins: symbols, mine: [name] };
    assertEquals(attributeReport(inside, mine).deciding?.by, "unit");
    assertEquals(attributeReport(inside, mine).verdict, "mine");
    assertEquals(attributeReport(outside, mine).verdict, "program");
    assertEquals(attributeReport(outside, mine).involved.length, 1);
  }
  // The folder that both are in has them both.
  const all = { origins: symbols, mine: ["inlines"] };
  assertEquals(attributeReport(outside, all).verdict, "mine");
});

Deno.test("a static library is known by where it begins and ends", () => {
  using symbols = new ReportSymbolFiles(files, symbolFiles);
  const report = readReport(reportAt(symbols, "system", "helper_twice", "main"), "x");
  const { address, image } = report.threads[0].frames[1];
  const offset = Number(address - image!.base);
  const at = (begin: number, end: number) =>
    brief(attributeReport(report, { mine: ["sdk"], ranges: [{ image: null, begin, end }] }));
  assertEquals(at(offset - 8, offset + 8), ["mine", "sdk", 1, "range", [], 1]);
  assertEquals(at(offset, offset + 1), ["mine", "sdk", 1, "range", [], 1]);
  assertEquals(at(offset + 1, offset + 8), ["program", "inlines", 1, "image", [], 1]);
});

Deno.test("a static library is known by the folder of its sources", () => {
  const text = textOf("macos12.crash");
  const named = symbolicateReport(readReport(text, "x"), {
    find: ({ marked }) =>
      !marked ? null : {
        at: (offset) =>
          place(offset, "f", 1, [{
            function: "f",
            location: { file: "/build/CaptchaSDK/Sources/Captcha.m", line: 9, column: 1 },
            inlined: false,
          }]),
      },
  }).report;
  // Frame 0 is libc++'s, instantiated in the program: it does not decide.
  const mine = attributeReport(named, { mine: ["CaptchaSDK"] });
  assertEquals(brief(mine), ["mine", "CaptchaSDK", 1, "unit", [], 1]);
});

Deno.test("signatures: the same in another process and on another device, not for another crash", () => {
  const base = textOf("ios32.crash");
  const id = (text: string) => reportSignature(readReport(text, "x")).id;
  assertEquals(reportSignature(readReport(base, "x")).parts, [
    "EXC_BAD_ACCESS SIGSEGV",
    "libobjc.A.dylib objc_msgSend",
    "Pocket Golf 0x4e7c",
    "Pocket Golf -[Ball roll:on:]",
  ]);
  // Slid, as another process has it.
  const slid = base.replaceAll("0x000b4", "0x000d4").replaceAll("0xb0000", "0xd0000")
    .replace("0x17bfff", "0x19bfff");
  assertNotEquals(slid, base);
  assertEquals(id(slid), id(base));
  assertEquals(id(base.replace("iPhone4,1", "iPad2,1").replace("[1932]", "[5]")), id(base));
  assertEquals(id(base.replace("Ball.m:77", "Ball.m:78")), id(base));
  assertNotEquals(id(base.replace("roll:on:", "roll:off:")), id(base));
  assertNotEquals(id(base.replace("SIGSEGV", "SIGBUS")), id(base));
  // Of recursion one round.
  const again = base.replace(
    /^2 {3}Pocket Golf.*\n/m,
    (line) => line + line.replace("2   ", "3   ") + line.replace("2   ", "4   "),
  );
  assertNotEquals(again, base);
  assertEquals(id(again), id(base));
  // Named, other builds are the same too.
  const swift = read("ios109.ips");
  assertEquals(reportSignature(swift).parts, [
    "EXC_CRASH SIGKILL",
    "SPRINGBOARD 0x8badf00d",
    "Tide Table closure in AppDelegate.start()",
    "Tide Table AppDelegate.start()",
    "Tide Table $s9TideTable11AppDelegateC5start5yyF",
  ]);
  assertEquals(
    id(textOf("ios109.ips").replace("closure #1 in", "specialized closure #2 in")),
    reportSignature(swift).id,
  );
  // One report has a name as the linker knows it, another as people read it.
  const mangled = textOf("ios109.ips")
    .replace(/closure #1 in AppDelegate.start\(\)/, "$$s9TideTable11AppDelegateC4stopyyF");
  assertNotEquals(mangled, textOf("ios109.ips"));
  assertEquals(
    reportSignature(readReport(mangled, "x"), demangle).id,
    id(mangled.replace("$s9TideTable11AppDelegateC4stopyyF", "AppDelegate.stop()")),
  );
  assertEquals(reportSignature(readReport(mangled, "x"), demangle).id, id(mangled));
  assertNotEquals(reportSignature(readReport(mangled, "x"), (name) => name).id, id(mangled));
  // Rust's hash, which differs in each build, where a tool has taken the rest of a name apart.
  const rust = textOf("ios109.ips").replace(
    "closure #1 in AppDelegate.start()",
    () => "_$LT$std..Tide$LT$T$GT$$GT$::rise::h0123456789abcdef",
  );
  assertEquals(
    reportSignature(readReport(rust, "x")).parts[2],
    "Tide Table <std::Tide<T>>::rise",
  );
});

Deno.test("times, with and without zones", () => {
  assertEquals(reportTime(read("ios104.crash")), Date.UTC(2018, 4, 14, 7, 12, 44, 12));
  assertEquals(reportTime(read("macos309.ips")), Date.UTC(2024, 1, 3, 9, 11, 11, 876));
  const text = textOf("ios32.crash");
  assertEquals(reportTime(readReport(text.replace("2014-11-02", "long ago"), "x")), null);
  assert(reportTime(readReport(text.replace(" +0100", ""), "x")) !== null);
});

Deno.test("without a list of images the shared cache's addresses tell which are the system's", () => {
  const crash = (header: string, frames: readonly string[]) =>
    attributeReport(readReport(
      `${header}Exception Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n${
        frames.map((frame, at) => `${at}   ${frame}`).join("\n")
      }\n`,
      "x",
    )).deciding?.frame.imageName ?? null;
  const own = "Tool   \t0x0000000102341234 run + 4";
  const fragment = [
    "libsystem_kernel.dylib   \t0x000000019be1c388 __pthread_kill + 8",
    "PrivateThingsKit   \t0x00000001b0001234 PTBegin + 16",
    own,
  ];
  assertEquals(crash("", fragment), "Tool");
  assertEquals(crash("", fragment.slice(1)), "PrivateThingsKit");
  assertEquals(crash("Code Type: ARM-64\n", fragment.slice(1)), "Tool");
  assertEquals(
    crash("Code Type: X86-64\n", ["PrivateThingsKit   \t0x00007ff812341234 PTBegin + 16", own]),
    "Tool",
  );
  // An Intel program may have libraries of its own there.
  assertEquals(crash("Code Type: X86-64\n", fragment.slice(1)), "PrivateThingsKit");
  // Its own name is the program's.
  assertEquals(
    crash("Process: PrivateThingsKit [1]\nCode Type: ARM-64\n", fragment.slice(1)),
    "PrivateThingsKit",
  );
});

Deno.test("a whole stack of the system: of one of its programs, or of another", () => {
  const crash = (path: string) => {
    const { verdict, absent } = attributeReport(readReport(
      `Process: helper [1]\nPath: ${path}\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n\nThread 0 Crashed:\n` +
        "0   CoreFoundation   \t0x0000000000007000 CFRelease + 8\n1   AppKit   \t0x0000000000007040 -[NSApplication run] + 8\n",
      "x",
    ));
    return [verdict, absent];
  };
  assertEquals(crash("/usr/libexec/helper"), ["system", "part"]);
  assertEquals(crash("/Applications/Helper.app/Contents/MacOS/helper"), ["system", null]);
});

Deno.test("main() is not blamed where only its image is known", () => {
  const bare = (count: number) =>
    attributeReport(readReport(
      `Process: Play [1]\nException Type: EXC_CRASH (SIGABRT)\n\nLast Exception Backtrace:\n(${
        Array.from({ length: count }, (_, at) => `0x${(0x23e61132 + at * 64).toString(16)}`).join(
          " ",
        )
      } 0xee070)\n\nThread 0 Crashed:\n0   libsystem_kernel.dylib   \t0x3284cdf0 0x32840000 + 52720\n\n` +
        "Binary Images:\n0x7d000 - 0x7ccfff Play armv7 <0a0b0c0d0e0f40018001020304050607> /var/Play.app/Play\n",
      "x",
    ));
  assertEquals([bare(12).verdict, bare(12).absent], ["unknown", "some images"]);
  assertEquals(bare(3).deciding?.frame.index, 3);
});
