/** Causes and advice that a report excludes, one small report for each kind of fact. */
import { assert, assertEquals } from "@std/assert";
import { explainReport, readReport } from "../../../lib/report/mod.ts";
import { excludedAdvice, excludedCauses, knowledge } from "../../../lib/report/knowledge/mod.ts";
import { frameLines } from "./fixtures.ts";

interface Parts {
  readonly type?: string;
  readonly fields?: readonly string[];
  readonly stack: readonly string[];
  readonly arch?: string;
  readonly system?: string;
  /** What stands behind the stacks. */
  readonly tail?: readonly string[];
}

/** A report of an access, with the registers that are given. */
function report(
  {
    type = "EXC_BAD_ACCESS (SIGSEGV)",
    fields = [],
    stack,
    arch = "ARM-64",
    system = "macOS 14.1 (23B74)",
    tail = [],
  }: Parts,
): string {
  return [
    "Process:               Mixer [123]",
    "Path:                  /Applications/Mixer.app/Contents/MacOS/Mixer",
    `Code Type:             ${arch}`,
    `OS Version:            ${system}`,
    "",
    `Exception Type:        ${type}`,
    ...fields,
    "Triggered by Thread:   0",
    "",
    "Thread 0 Crashed:",
    ...frameLines([...stack]),
    "",
    ...tail,
    "",
  ].join("\n");
}

function explained(parts: Parts): { causes: readonly string[]; check: readonly string[] } {
  return explainReport(readReport(report(parts), "x"));
}

const strings = ["libsystem_platform.dylib _platform_strlen + 4", "Mixer label(char const*) + 32"];
const at = (address: string): string[] => [
  `Exception Codes:       KERN_INVALID_ADDRESS at ${address}`,
];
const state = (...registers: string[]): string[] => [
  "Thread 0 crashed with ARM Thread State (64-bit):",
  ...registers.map((line) => `    ${line}`),
];
const read = "far: 0x0000000104000000  esr: 0x92000007 (Data Abort) byte read Translation fault";
const write = "far: 0x0000000104000000  esr: 0x92000047 (Data Abort) byte write Translation fault";

Deno.test("causes: a string at a small number is neither one that was freed nor one that does not end", () => {
  const { causes } = explained({ fields: at("0x0000000000000105"), stack: strings });
  assertEquals(causes, [
    "a number or an object where a string is needed",
    "a string inside of something that is null",
  ]);
});

Deno.test("causes: -1 is no pointer that was cut, nor is any of a CPU of 32 bits", () => {
  const stack = ["Mixer use(int*) + 4", "Mixer main + 32"];
  for (const [address, arch] of [["0xffffffffffffffff", "ARM-64"], ["0xffffffff", "ARM"]]) {
    const { causes } = explained({ fields: at(address), stack, arch });
    assertEquals(causes, [
      "a number used as a pointer, or a pointer that was damaged",
      "a pointer that was read from memory that was freed and is used for something else",
    ]);
  }
});

Deno.test("causes: what may only be read is not written to by a read", () => {
  const stack = ["Mixer use(int*) + 4", "Mixer main + 32"];
  const parts = { type: "SIGBUS", fields: ["Exception Codes: BUS_ADRALN at 0x104000000"], stack };
  const only = "a write to what may only be read";
  assert(explained(parts).causes.includes(only));
  assert(explained({ ...parts, tail: state(write) }).causes.includes(only));
  assert(!explained({ ...parts, tail: state(read) }).causes.includes(only));
});

Deno.test("causes: a function that is named was not called by null", () => {
  const by = "a function pointer that is null, and that was called";
  const causes = (frame: string): readonly string[] =>
    explainReport(readReport(
      report({ fields: at("0x0"), stack: [frame, "Mixer main + 32"] })
        .replace("Triggered by Thread:   0", "Reported Thread:  0")
        .replace("Thread 0 Crashed:", "Thread 0 Reported:"),
      "x",
    )).causes;
  assert(!causes("Mixer use(int*) + 4").includes(by));
  assert(causes("??? 0x0").includes(by));
});

Deno.test("causes: what was made while the program ran comes of no file, and the other way round", () => {
  const stack = ["Mixer use(int*) + 4", "Mixer main + 32"];
  const region = (line: string): Parts => ({
    type: "EXC_BAD_ACCESS (SIGKILL)",
    fields: [
      "Exception Codes:       KERN_CODESIGN_ERROR at 0x0000000104000010",
      "VM Region Info: 0x104000010 is in 0x104000000-0x104004000;  bytes after start: 16  bytes before end: 16367",
      "      REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
      `--->  ${line}`,
      "",
    ],
    stack,
  });
  assertEquals(
    explained(
      region(
        "mapped file            104000000-104004000 [   16K] r-x/rwx SM=COW  ...xer/parts.dylib",
      ),
    ).causes,
    ["a binary changed after it was signed"],
  );
  assertEquals(
    explained(region("VM_ALLOCATE            104000000-104004000 [   16K] r-x/rwx SM=PRV  "))
      .causes,
    ["code made at run time without the entitlement"],
  );
});

Deno.test("causes: a constant that got a message was never deallocated", () => {
  const freed = "an object that was deallocated and whose memory was used again";
  const raised = (target: string): Parts => ({
    type: "EXC_CRASH (SIGABRT)",
    fields: [
      "Application Specific Information:",
      `*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[${target}]: unrecognized selector sent to instance 0x1f2ab0'`,
      "",
    ],
    stack: ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 128"],
  });
  assert(explained(raised("__NSCFNumber isEqualToString:")).causes.includes(freed));
  assert(!explained(raised("__NSCFBoolean isEqualToString:")).causes.includes(freed));
  assert(!explained(raised("NSTaggedPointerString mixed")).causes.includes(freed));
  assert(explained(raised("NSMenu setItemArray:")).causes.includes(freed));
});

Deno.test("causes: an address that none has was never that of a library", () => {
  const unloaded = "code of a library or plug-in that was unloaded, which something still calls";
  const jump = (address: string): Parts => ({
    fields: at(address),
    arch: "X86-64",
    stack: [`??? ${address}`, "Mixer main + 32"],
    tail: [
      "Thread 0 crashed with X86 Thread State (64-bit):",
      `  rax: 0x0000000000000001  rip: ${address}`,
    ],
  });
  assert(explained(jump("0x0000000104000010")).causes.includes(unloaded));
  assert(!explained(jump("0xee00000001400010")).causes.includes(unloaded));
});

Deno.test("advice: no Address Sanitizer where it was on, or on PowerPC", () => {
  const parts: Parts = {
    fields: at("0x0000000204000010"),
    stack: ["Mixer use(int*) + 4", "Mixer main + 32"],
  };
  const asks = (parts: Parts): boolean =>
    explained(parts).check.some((text) => text.includes("Address Sanitizer"));
  assert(asks(parts));
  assert(!asks({ ...parts, fields: at("0x24000010"), arch: "PPC" }));
  assert(
    !asks({
      ...parts,
      tail: [
        "Binary Images:",
        "0x104800000 - 0x1048fffff libclang_rt.asan_osx_dynamic.dylib arm64 <0123456789abcdef0123456789abcdef> /usr/lib/clang/libclang_rt.asan_osx_dynamic.dylib",
      ],
    }),
  );
});

Deno.test("exclusions are of causes and advice that the tables have", () => {
  const causes = knowledge.flatMap((row) => row.causes);
  const advice = knowledge.flatMap(({ next }) => next.replace(/\.$/, "").split(/; |\. (?=[A-Z])/));
  for (const { words } of excludedCauses) {
    assert(causes.some((cause) => words.test(cause)), `${words}`);
  }
  for (const { words } of excludedAdvice) {
    assert(advice.some((clause) => words.test(clause)), `${words}`);
  }
});

const frames = ["Mixer use(int*) + 4", "Mixer main + 32"];
const image =
  "0x104800000 - 0x1048fffff Mixer arm64 <0123456789abcdef0123456789abcdef> /Applications/Mixer.app/Contents/MacOS/Mixer";

Deno.test("causes: what is in an image is no stack", () => {
  const { causes } = explained({
    type: "SIGBUS",
    fields: ["Exception Codes: BUS_ADRALN at 0x104810004"],
    stack: frames,
    tail: ["Binary Images:", image],
  });
  assertEquals(causes, [
    "a pointer that is not aligned, as of a cast from bytes to a larger type",
    "a write to what may only be read",
  ]);
});

Deno.test("causes: what is no begin of a block, or is in an image, was not freed twice", () => {
  const freed = (address: string): readonly string[] =>
    explained({
      type: "EXC_CRASH (SIGABRT)",
      fields: [
        "Application Specific Information:",
        `*** error for object ${address}: pointer being freed was not allocated`,
        "",
      ],
      stack: ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 128"],
      tail: ["Binary Images:", image],
    }).causes;
  const twice = "a block freed twice";
  assert(freed("0x600001234560").includes(twice));
  assert(!freed("0x600001234564").includes(twice));
  assert(!freed("0x104810000").includes(twice));
});

Deno.test("causes: a signed pointer to constants was not overwritten with data", () => {
  const overwritten = "a pointer that was overwritten, or read from an object that was deallocated";
  const signed = (line: string): readonly string[] =>
    explained({
      fields: [
        "Exception Codes:       KERN_INVALID_ADDRESS at 0x0020000104810010 -> 0x0000000104810010 (possible pointer authentication failure)",
        "VM Region Info: 0x104810010 is in 0x104810000-0x104820000;  bytes after start: 16  bytes before end: 65519",
        "      REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL",
        `--->  ${line}`,
        "",
      ],
      stack: frames,
      tail: state(read),
    }).causes;
  const other =
    "a pointer signed for another use, not signed at all, or changed after it was signed";
  const heap = "MALLOC_TINY            104810000-104820000 [   64K] rw-/rwx SM=PRV  ";
  const table =
    "__AUTH_CONST           104810000-104820000 [   64K] r--/rw- SM=COW  ...xer/parts.dylib";
  assertEquals(signed(heap), [overwritten, other]);
  assertEquals(signed(table), [other]);
});

Deno.test("causes: no race where the process had one thread", () => {
  const race = "another thread changes it";
  const parts: Parts = {
    type: "EXC_CRASH (SIGABRT)",
    fields: [
      "Application Specific Information:",
      "*** Terminating app due to uncaught exception 'NSGenericException', reason: '*** Collection <__NSArrayM: 0x600001234560> was mutated while being enumerated.'",
      "",
    ],
    stack: ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 128"],
  };
  const images = ["Binary Images:", image];
  const other = ["Thread 1:", ...frameLines(["libsystem_kernel.dylib __workq_kernreturn + 8"]), ""];
  assert(!explained({ ...parts, tail: images }).causes.includes(race));
  assert(explained({ ...parts, tail: [...other, ...images] }).causes.includes(race));
  assert(explained(parts).causes.includes(race));
});

Deno.test("causes: no large local variables where the report shows what repeats, no recursion where it has few frames", () => {
  const deep = (stack: readonly string[], words: RegExp): string[] => {
    const { causes, check } = explained({
      fields: [
        "Exception Codes:       KERN_PROTECTION_FAILURE at 0x000000016f5fbff0",
        "Application Specific Information:",
        "Could not determine thread index for stack guard region",
        "",
      ],
      stack,
    });
    return [...causes, ...check].filter((text) => words.test(text));
  };
  const [local, recursion] = [/large local/, /^recursion/];
  const cut = ["Mixer use(int*) + 4", "Mixer step() + 8"];
  assert(deep(cut, local).length > 0);
  assert(deep(cut, recursion).length > 0);
  const repeated = [...Array(500).fill("Mixer nest(int) + 40"), "Mixer main + 32"];
  assertEquals(deep(repeated, local), []);
  assert(deep(repeated, recursion).length > 0);
  assertEquals(deep(frames, recursion), []);
  assert(deep(frames, local).length > 0);
});

Deno.test("causes: zeros are no instruction of another CPU, and what reads a system register is no data", () => {
  const refused = (code: string): readonly string[] =>
    explained({
      type: "EXC_BAD_INSTRUCTION (SIGILL)",
      fields: [`Exception Codes: 0x0000000000000001, ${code}`],
      stack: frames,
    }).causes;
  const [unknown, data] = refused("0x00000000c87f7e7f");
  assertEquals(refused("0x0000000000000000"), [data]);
  assertEquals(refused("0x00000000d53ef308"), [unknown]);
});

Deno.test("causes: with zombies no object is deallocated; what they named is not looked for again", () => {
  const parts: Parts = {
    fields: at("0x0000000204000010"),
    stack: ["libobjc.A.dylib objc_msgSend + 32", "Mixer -[Board show] + 32"],
  };
  const words = (tail: readonly string[]): { causes: readonly string[]; zombies: boolean } => {
    const { causes, check } = explained({ ...parts, tail });
    return { causes, zombies: check.some((text) => text.includes("zombie")) };
  };
  const [deallocated, damage] = [
    "an object used after it was deallocated",
    "memory damage in the object",
  ];
  assertEquals(words([]), { causes: [deallocated, damage], zombies: true });
  assertEquals(words(["Environment: NSZombieEnabled = YES"]), { causes: [damage], zombies: false });
  assertEquals(
    words([
      "2020-01-02 10:00:00.123 Mixer[99:777] *** -[Track name]: message sent to deallocated instance 0x1eb01b30",
    ])
      .zombies,
    false,
  );
});

Deno.test("causes: an object near null is none, as where a number was passed", () => {
  const { causes } = explained({
    fields: at("0x0000000000000025"),
    stack: ["libobjc.A.dylib objc_msgSend + 8", "Mixer -[Board show] + 32"],
    tail: state(
      "x0: 0x0000000000000025   x1: 0x00000001dd0f2a10   x2: 0x0000000000000000   x3: 0x0000000000000000",
    ),
  });
  assertEquals(causes[0], "a pointer to something else than an object, or one that was never set");
});

Deno.test("causes: who owns an object inside of the system is not the program's matter", () => {
  const destroyed = (image: string): Parts => ({
    fields: at("0x0000000204000010"),
    stack: [
      `${image} Scene::Layer::~Layer() + 32`,
      `${image} Scene::reset() + 20`,
      "Mixer main + 32",
    ],
  });
  const twice = "an object that is destroyed twice, as with two owners";
  const owns = (parts: Parts): boolean =>
    explained(parts).check.some((text) => text.includes("who owns the object"));
  assert(explained(destroyed("Mixer")).causes.includes(twice));
  assert(owns(destroyed("Mixer")));
  assert(!explained(destroyed("QuartzCore")).causes.includes(twice));
  assert(!owns(destroyed("QuartzCore")));
});

Deno.test("causes: memory was not short where a panic says that it was not", () => {
  const causes = (memory: string): readonly string[] =>
    explainReport(readReport(
      JSON.stringify({ bug_type: "210", os_version: "macOS 14.1 (23B74)" }) + "\n" +
        JSON.stringify({
          panicString:
            `panic(cpu 1 caller 0xfffffe002a3b4c5d): watchdog timeout: no checkins from watchdogd in 93 seconds\n${memory}\n`,
        }),
      "x",
    )).causes;
  const short = "memory that was short";
  const limits = (pages: string): string =>
    `Compressor Info: ${pages} and 3% of segments limit (OK) with 0 swapfiles and OK swap space`;
  assert(causes(limits("96% of compressed pages limit (BAD)")).includes(short));
  assert(!causes(limits("2% of compressed pages limit (OK)")).includes(short));
});

Deno.test("advice: what a mobile device does not have is not removed from it", () => {
  const panic = (system: string): string =>
    explainReport(readReport(
      `{"bug_type":"210","os_version":"${system}"}\n{"build":"${system}","panicString":"panic(cpu 1 caller 0xfffffff02a3b4c5d): [default.kalloc.4096]: element modified after free (off:16, val:0x1, sz:4096)\\n"}\n`,
      "x",
    )).check.join("\n");
  assert(/extensions/.test(panic("macOS 14.1 (23B74)")), panic("macOS 14.1 (23B74)"));
  assert(
    !/not Apple's|remove extensions/.test(panic("iPhone OS 17.1 (21B74)")),
    panic("iPhone OS 17.1 (21B74)"),
  );
});
