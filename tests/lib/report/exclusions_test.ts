/** Causes and advice that a report excludes, one small report for each kind of fact. */
import { assert, assertEquals } from "@std/assert";
import { explainReport, readReport } from "../../../lib/report/mod.ts";
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
  assertEquals(causes, ["a string that is null", "a number or an object where a string is needed"]);
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
  const named = ["Mixer use(int*)", "Mixer main"];
  const { causes } = explained({ fields: at("0x0"), stack: named });
  assert(!causes.includes(by), causes.join("; "));
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
