import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  CrashReport,
  decodeGuard,
  decodeResource,
  describeAddress,
  explainReport,
  faultAddress,
  knowledge,
  known,
  knownFrame,
  knownMessage,
  knownTermination,
  readReport,
  reportOf,
} from "../../../lib/report/mod.ts";
import { archs } from "../../../lib/arch/mod.ts";
import { openCore } from "../../../mod.ts";
import { buildCore, recordedParts } from "../target/core_builder.ts";
import { read, textOf } from "./fixtures.ts";

Deno.test("every row has a source and says something, once", () => {
  const seen = new Set<string>();
  for (const { kind, key, meaning, next, source, role, cpu, causes } of knowledge) {
    assert(source.length > 2, key);
    // What only raises an error or is compiled in says nothing of it; run-times, waits, whose code it is and languages
    // of scripts are names.
    const silent = role === "raise" || role === "wrap" || role === "part" || kind === "library" ||
      kind === "wait" || kind === "vendor" || kind === "sdk" || kind === "script" ||
      kind === "address" || kind === "trap" ||
      key === "objc_msgSend() selector name:";
    assert(silent || meaning.length > 10, key);
    assert(kind !== "address" || causes.length > 0, key);
    // Advice that only sends to what the report shows is none.
    assert(
      !/^(?:See (?:the (?:top frame|code and|signal)|what the main thread)|Read the words)/.test(
        next,
      ),
      key,
    );
    const name = `${kind} ${key} ${cpu ?? ""}`;
    assert(!seen.has(name), `${name} is there twice`);
    seen.add(name);
  }
  assert(knowledge.length > 400, `${knowledge.length}`);
});

Deno.test("all that article and published list name is known", () => {
  for (
    const name of [
      "EXC_BAD_ACCESS",
      "EXC_CRASH",
      "EXC_BREAKPOINT",
      "EXC_BAD_INSTRUCTION",
      "EXC_RESOURCE",
      "EXC_GUARD",
      "EXC_ARITHMETIC",
    ]
  ) assert(known("exception", name) !== null, name);
  for (
    const name of [
      "SIGSEGV",
      "SIGBUS",
      "SIGABRT",
      "SIGKILL",
      "SIGTRAP",
      "SIGILL",
      "SIGQUIT",
      "SIGSYS",
    ]
  ) assert(known("signal", name) !== null, name);
  for (
    const code of [
      ...[0xbaaaaaadn, 0x8badf00dn, 0xbad22222n, 0xdead10ccn, 0xdeadfa11n, 0xc00010ffn],
      ...[0xbaadca11n, 0xc51bad01n, 0xc51bad02n, 0xc51bad03n],
    ]
  ) {
    assert(knownTermination("SPRINGBOARD", code) !== null, code.toString(16));
    assertEquals(knownTermination(null, code), knownTermination("FRONTBOARD", code));
  }
  assertStringIncludes(knownTermination("JETSAM", 7n)!.meaning, "memory limit for its kind");
  assertStringIncludes(knownTermination("dyld", 1n)!.meaning, "missing");
  assertEquals(knownTermination("SIGNAL", 7n), null);
  for (
    const frame of [
      "objc_msgSend",
      "objc_release",
      "gpus_ReturnNotPermittedKillClient",
      "abort",
      "__assert_rtn",
      "swift_dynamicCastFailure(void const*, char const*)",
      "_assertionFailure(_:_:file:line:flags:)",
      "dispatch_assert_queue_fail",
      "__DISPATCH_WAIT_FOR_QUEUE__",
      "malloc_error_break",
      "nanov2_guard_corruption_detected",
    ]
  ) assert(knownFrame(frame) !== null, frame);
  assertEquals(knownFrame("main"), null);
  assert(knownMessage("-[Foo bar]: unrecognized selector sent to instance 0x1") !== null);
});

Deno.test("EXC_RESOURCE as kern/exc_resource.h packs it", () => {
  const code = (type: bigint, flavor: bigint, rest: bigint) => type << 61n | flavor << 58n | rest;
  const cases: [bigint, bigint, string][] = [
    [
      code(1n, 1n, 180n << 7n | 50n),
      75n,
      "CPU: the process used 75% of a CPU over 180 s, where 50% is the limit",
    ],
    [
      // Bit 32 is not used.
      code(2n, 1n, 1n << 32n | 300n << 20n | 150n),
      1234n,
      "WAKEUPS: the process woke the CPU 1234 times a second over 300 s, where 150 is the limit",
    ],
    [code(3n, 1n, 1400n), 0n, "MEMORY: the process used more memory than its limit of 1400 MB"],
    [
      code(4n, 2n, 86400n << 15n | 1024n),
      2048n,
      "IO_LOGICAL_WRITES: the process wrote 2048 MB in 86400 s, where 1024 MB is the limit",
    ],
    [code(5n, 1n, 2048n), 0n, "THREADS: the process made more threads than its limit of 2048"],
    [
      code(6n, 1n, 250000n),
      0n,
      "PORTS: the process filled its space for Mach ports: 250000 are allocated",
    ],
  ];
  for (const [first, second, words] of cases) assertEquals(decodeResource([first, second]), words);
  assertEquals(decodeResource([]), null);
  assertEquals(decodeResource([code(7n, 7n, 1n)]), null);
});

Deno.test("EXC_GUARD as kern/exc_guard.h packs it", () => {
  const code = (type: bigint, flavor: bigint, target: bigint) =>
    type << 61n | flavor << 32n | target;
  const cases: [bigint, bigint, string][] = [
    [
      code(2n, 1n, 12n),
      0x08fd4dbfade2deadn,
      "GUARD_TYPE_FD, file descriptor 12: CLOSE: it was closed (guard 0x8fd4dbfade2dead)",
    ],
    [
      code(2n, 3n, 12n),
      1n,
      "GUARD_TYPE_FD, file descriptor 12: CLOSE: it was closed; DUP: it was duplicated (guard 0x1)",
    ],
    [
      code(1n, 32n, 0x1a03n),
      0n,
      "GUARD_TYPE_MACH_PORT, Mach port 0x1a03: IMMOVABLE: its right was to be moved",
    ],
    [
      code(5n, 1n, 0n),
      0x10n,
      "GUARD_TYPE_VIRT_MEMORY, memory: DEALLOC_GAP: memory was released that was not allocated " +
      "(at 0x10)",
    ],
    [
      code(1n, 3n, 0x1a03n),
      0x4n,
      "GUARD_TYPE_MACH_PORT: INVALID_OPTIONS: a message was sent or awaited (mach_msg) with options that are not allowed (0x4)",
    ],
    [
      code(1n, 1n, 0x1a03n),
      0x42n,
      "GUARD_TYPE_MACH_PORT, Mach port 0x1a03: DESTROY: it was destroyed (guard 0x42)",
    ],
    [
      code(6n, 0n, 0n),
      26n,
      "GUARD_TYPE_REJECTED_SC: system call 26 is not allowed to this process",
    ],
    [
      code(4n, 0x100n, 5n),
      0n,
      "GUARD_TYPE_VN, a file guarded by process 5: flavor 0x100 (guard 0x0)",
    ],
    // No process guards it.
    [code(4n, 0x80n, 5n), 0n, "GUARD_TYPE_VN: PERMISSIONS: its permissions were changed"],
  ];
  for (const [first, second, words] of cases) assertEquals(decodeGuard([first, second]), words);
  assertEquals(decodeGuard([]), null);
});

/** A report of a bad access at an address. */
function badAccess(
  address: bigint,
  {
    arch = "arm64",
    sp = 0x16f000000n,
    pc = 0x100004000n,
    region = "",
    subtype = "KERN_INVALID_ADDRESS",
  } = {},
): CrashReport {
  const base = read("macos309.ips");
  const registers = [
    { name: "sp", value: sp, note: null },
    { name: "pc", value: pc, note: null },
  ];
  return new CrashReport({
    ...base,
    arch: arch as "arm64" | "x86_64" | "armv7",
    body: null,
    fields: region === "" ? [] : [{ name: "VM Region Info", value: region }],
    exception: {
      type: "EXC_BAD_ACCESS",
      signal: "SIGSEGV",
      codes: [1n, address],
      subtype: `${subtype} at 0x${address.toString(16)}`,
      message: null,
      note: null,
    },
    threads: base.threads.map((thread) => thread.crashed ? { ...thread, registers } : thread),
  });
}

Deno.test("faulting addresses in words", () => {
  const words = (...input: Parameters<typeof badAccess>) => {
    const report = badAccess(...input);
    // The second code of a failed authentication is no address.
    if (input[1]?.subtype === undefined) assertEquals(faultAddress(report), input[0]);
    return describeAddress(report, input[0]).join("; ");
  };
  assertEquals(words(0n), "it is null");
  assertStringIncludes(words(0x18n), "null plus 24");
  assertStringIncludes(
    words(0xffff_ffff_ffff_fff8n),
    "it is -8: something before an object that is null, or",
  );
  assertStringIncludes(
    words(0xffff_fff8n, { arch: "armv7" }),
    "it is -8: something before an object that is null, or",
  );
  assertStringIncludes(words(0x1234_5678n), "below 4 GB");
  assertStringIncludes(words(0x16effffc0n), "64 bytes below the stack pointer");
  assertStringIncludes(words(0x5555_5555_5555_5565n), "freed memory");
  assertStringIncludes(words(0x8000_0001_0000_1234n), "tagged pointer");
  assertStringIncludes(words(0x0020_0001_0000_1234n), "without them it is 0x100001234");
  assertStringIncludes(
    words(0x2000_0001_0000_1234n),
    "a damaged pointer, as the program is of arm64 and not arm64e, and signs none; without them it is 0x100001234",
  );
  assertStringIncludes(
    words(0x0074_0001_0000_1234n, { subtype: "EXC_ARM_PAC_FAIL" }),
    "authentication failed",
  );
  assertStringIncludes(words(0x1234_5678_9abc_def0n, { arch: "x86_64" }), "not canonical");
  assertStringIncludes(words(0x6f77_206f_6c6c_6568n, { arch: "x86_64" }), 'the text "hello wo"');
  assertStringIncludes(words(0x1_0000_4000n, { pc: 0x1_0000_4000n }), "the program jumped there");
  assertStringIncludes(words(0x1_048f_0010n), "it is in Orchard, 0x10 bytes from its start");
  const gap =
    "0x280000000 is not in any region.  Bytes after previous region: 8193  Bytes before " +
    "following region: 2147467264\n      REGION TYPE    START - END\n      MALLOC_TINY\n" +
    "--->  GAP OF 0x80000000 BYTES\n      Stack";
  assertStringIncludes(
    words(0x2_8000_0000n, { region: gap }),
    "in no region of the process: 8192 bytes behind the end of the one before",
  );
  const guard =
    "0x16e000000 is in 0x16dffc000-0x16e000000;  bytes after start: 1  bytes before end: 2\n" +
    "--->  STACK GUARD              16dffc000-16e000000 [   16K] ---/rwx SM=NUL  ... for thread 0";
  assertStringIncludes(words(0x16dff_ffffn, { region: guard }), "guard page: the stack is full");
  const text = "0x1048f0000 is in 0x1048f0000-0x1048f4000\n" +
    "--->  __TEXT  1048f0000-1048f4000 [   16K] r-x/r-x SM=COW  /Orchard";
  assertStringIncludes(
    words(0x1_048f_0000n, { region: text }),
    "in a region of type __TEXT, protection r-x",
  );
});

Deno.test("explanations: what is most telling comes first", () => {
  const explain = (name: string) => explainReport(read(name));
  const watchdog = explain("ios109.ips");
  assertStringIncludes(watchdog.happened[0], "ate bad food");
  assertStringIncludes(watchdog.headline, "ended by SPRINGBOARD 0x8badf00d");
  assertEquals(watchdog.firstOwn?.index, 2);
  const zombie = explain("ios32.crash");
  assertStringIncludes(zombie.happened[0], "already deallocated");
  // r0 has the object: what is near null was read from it.
  assert(zombie.happened.some((text) => text.includes("the object is at 0x17d4e2b0, not null")));
  assertEquals(zombie.firstOwn?.index, 1);
  const optional = explain("macos309.ips");
  assertStringIncludes(optional.happened[0], "A Swift optional was nil");
  assertEquals([optional.thread?.index, optional.firstOwn?.index], [1, 0]);
  assertEquals(explain("stackshot288.ips").happened, [
    "A stackshot of the whole system; nothing crashed.",
    "It says: User initiated",
  ]);
  // An uncaught exception is where it was thrown.
  assertEquals(explain("ios104.crash").firstOwn?.address, 0x100c45fa4n);
  const resource = textOf("ios104.crash").replace("EXC_CRASH (SIGABRT)", "EXC_RESOURCE")
    .replace("0x0000000000000000, 0x0", "0x2400000000005a32, 0x000000000000004b, 0x0");
  assert(
    explainReport(readReport(resource, "x")).happened.some((text) =>
      text.startsWith("CPU: the process used 75%")
    ),
  );
});

Deno.test("a core's exception becomes a report's", async () => {
  const parts = recordedParts("arm64");
  const exception = new Uint8Array(archs.arm64.exceptionState.size);
  const view = new DataView(exception.buffer);
  view.setBigUint64(0, 0x28n, true);
  // A data abort, writing.
  view.setUint32(8, 0x92000046, true);
  const threads = parts.threads.map((thread, index) =>
    index === 1 ? { ...thread, exception } : thread
  );
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, buildCore({ ...parts, threads }, { noted: true, flavors: "bare" }));
    using core = openCore(path);
    const report = reportOf(core, core.threads);
    assertEquals(report.exception?.type, "EXC_BAD_ACCESS");
    assertEquals(report.exception?.codes, [1n, 0x28n]);
    assertEquals(report.crashedThread?.index, 1);
    const { happened } = explainReport(readReport(report.text, "x"));
    assert(happened.some((text) => text.includes("null plus 40")), happened.join("\n"));
    assert(happened.includes("It was a write."), happened.join("\n"));
  } finally {
    await Deno.remove(path);
  }
});
