/** What the bytes at the program counter tell: by which register an address came, what was divided by, what was refused. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readReport, writeReport } from "../../../lib/report/mod.ts";
import { told } from "./fixtures.ts";

/** A report of 64-bit ARM as JSON, with the instruction at its program counter. */
function arm(
  word: number,
  address: bigint,
  values: Readonly<Record<number, bigint>>,
  subtype = "KERN_INVALID_ADDRESS",
  codes: readonly [number, number] = [1, Number(address)],
  note = "",
) {
  const bytes = String.fromCharCode(...[0, 8, 16, 24].map((shift) => (word >>> shift) & 0xff));
  const x = Array.from({ length: 29 }, (_, at) => ({
    value: Number(values[at] ?? 0x2_8000_0000n + BigInt(at) * 0x1000n),
  }));
  return told(`{"app_name":"Mill","bug_type":"309"}\n${
    JSON.stringify({
      procName: "Mill",
      cpuType: "ARM-64",
      exception: {
        type: "EXC_BAD_ACCESS",
        signal: "SIGSEGV",
        subtype: codes[0] === 1 ? `${subtype} at 0x${address.toString(16)}${note}` : subtype,
        rawCodes: codes,
      },
      instructionByteStream: { beforePC: btoa("\0\0\0\0"), atPC: btoa(bytes) },
      faultingThread: 0,
      threads: [{
        triggered: true,
        threadState: {
          flavor: "ARM_THREAD_STATE64",
          x,
          fp: { value: 0x16f000100 },
          lr: { value: 0x100000404 },
          sp: { value: 0x16f000000 },
          pc: { value: 0x100000400 },
        },
        frames: [{ imageOffset: 1024, imageIndex: 0, symbol: "grind(int)", symbolLocation: 8 }],
      }],
      usedImages: [{ base: 0x100000000, size: 4096, name: "Mill", path: "/Applications/Mill" }],
    })
  }`);
}

/** A report of an Intel CPU as a text, with the bytes at its program counter. */
function intel(bytes: string, exception: string, values: Readonly<Record<string, bigint>> = {}) {
  const names = ["rax", "rbx", "rcx", "rdx", "rdi", "rsi", "rbp", "rsp"]
    .concat(Array.from({ length: 8 }, (_, at) => `r${at + 8}`), "rip");
  const [first, ...rest] = bytes.split(" ");
  return told([
    "Process:               Mill [9]",
    "Code Type:             X86-64 (Native)",
    "",
    exception,
    "Crashed Thread:        0",
    "",
    "Thread 0 Crashed:",
    "0   Mill   0x0000000100004000 grind(int) + 8",
    "1   Mill   0x0000000100004040 main + 8",
    "",
    "Thread 0 crashed with X86 Thread State (64-bit):",
    ...names.map((name) =>
      `  ${name}: 0x${(values[name] ?? 0x6000_0123_0000n).toString(16).padStart(16, "0")}`
    ),
    "",
    "Thread 0 instruction stream:",
    "  48 8b 00 48 8b 00 48 8b-00 48 8b 00 48 8b 00 90  H..H..H..H..H...",
    ` [${first}]${rest.join(" ")}  ....\t<==`,
    "",
  ].join("\n"));
}

const access = (address: string): string =>
  `Exception Type:        EXC_BAD_ACCESS (SIGSEGV)\nException Codes:       KERN_INVALID_ADDRESS at ${address}`;

Deno.test("code of another kind of CPU than the process's", () => {
  const refused = (
    cpuType: string,
    bytes: readonly number[],
    before: readonly number[],
    frames: number,
  ) =>
    JSON.stringify({
      procName: "Mill",
      cpuType,
      exception: { type: "EXC_BAD_INSTRUCTION", signal: "SIGILL", rawCodes: [1, 0x11223344] },
      instructionByteStream: {
        beforePC: btoa(String.fromCharCode(...before)),
        atPC: btoa(String.fromCharCode(...bytes)),
      },
      faultingThread: 0,
      threads: [{
        triggered: true,
        threadState: { pc: { value: 0x100000400 }, rip: { value: 0x100000400 } },
        frames: Array.from(
          { length: frames },
          (_, at) => ({ imageOffset: 1024 + at * 64, imageIndex: 0 }),
        ),
      }],
      usedImages: [{ base: 0x100000000, size: 4096, name: "Mill", path: "/Applications/Mill" }],
    });
  const text = (body: string): string => `{"app_name":"Mill","bug_type":"309"}\n${body}`;
  const intels = [0xe9, 0x10, 0, 0, 0, 0x55, 0x48, 0x89, 0xe5, 0x90, 0x90, 0x90];
  const zeros = Array.from({ length: 24 }, () => 0);
  const begun = told(text(refused("ARM-64", intels, zeros, 1)));
  assertStringIncludes(begun.what, "The instructions there are Intel's machine code, in Mill");
  assertStringIncludes(begun.what, "most likely none of the program had run");
  assertStringIncludes(begun.causes, "code for one kind of CPU into a file for another");
  const called = told(text(refused("ARM-64", intels, intels, 2)));
  assert(!called.what.includes("had run"), called.what);
  const arms = [0x44, 0x33, 0x22, 0x11, 0xfd, 0x7b, 0xbf, 0xa9];
  assertStringIncludes(
    told(text(refused("X86-64", arms, zeros, 2))).what,
    "The instructions there are ARM's machine code",
  );
  const own = told(text(refused("ARM-64", arms, zeros, 1)));
  assertStringIncludes(own.what, "The instruction was 0x11223344.");
  assertStringIncludes(own.causes, "a jump to what is no code");
  // The text that is written has the bytes, and says the same.
  const written = writeReport(
    readReport(text(refused("ARM-64", intels, zeros, 1)), "Mill.ips"),
    "crash",
  );
  assertStringIncludes(written, "\n [e9]10 00 00 00 55 48 89 e5 90 90 90\t<==\n");
  assertStringIncludes(told(written).what, "The instructions there are Intel's machine code");
});

Deno.test("advice about the faulting instruction says where it is, and its registers", () => {
  // ldr x0, [x8, #24]
  assertStringIncludes(
    arm(0xf9400d00, 24n, { 8: 0n }).next,
    "Find the pointer that the faulting instruction, at grind + 8, uses (x8 + 24), and why",
  );
  const text = (frames: string): string =>
    told(`Code Type: X86-64 (Native)\n\n${access("0x0")}\n\nThread 0 Crashed:\n${frames}`).next;
  const plain = "1   Mill   0x0000000100004040 main + 8\n";
  assertStringIncludes(
    text(`0   Mill   0x0000000100004000 grind(int) + 8\n${plain}`),
    "the faulting instruction, at grind + 8, uses, and why",
  );
  // A copy that begins further out does not have it.
  assertStringIncludes(text(plain), "the faulting instruction uses, and why");
});

Deno.test("ARM: the register that an access near null went by", () => {
  // ldr x8, [x8, #24]
  const load = (base: bigint, address: bigint) => arm(0xf9400d08, address, { 8: base });
  assertStringIncludes(load(0n, 24n).what, "it is null plus 24: by the instruction x8 is 0");
  const small = load(0x20n, 0x38n);
  assertStringIncludes(small.what, "it is x8 + 24, and x8 is 32, by the instruction");
  assert(!small.what.includes("it is null"), small.what);
  // Registers that do not come to the address are not of the access.
  assertStringIncludes(load(0x1_0000_0000n, 24n).what, "no register is 0");
  const cases: [number, bigint, Record<number, bigint>, string][] = [
    // ldr w0, [x9, x10, lsl #2]
    [0xb86a7920, 0x400n, { 9: 0n, 10: 0x100n }, "it is x9 + x10 × 4, and x9 is 0"],
    // ldr x0, [x9, w10, sxtw #3]
    [0xf86ad920, 0xffff_ffff_ffff_fff8n, { 9: 0n, 10: 0xffff_ffffn }, "it is null minus 8"],
    // ldp x20, x19, [x0, #-16]!, ldur x1, [x2, #-8], ldr q0, [x3, #32], ldr x0, [x1], #16
    [0xa9ff4c14, 0xffff_ffff_ffff_fff0n, { 0: 0n }, "null minus 16: by the instruction x0 is 0"],
    [0xf85f8041, 0xffff_ffff_ffff_fff8n, { 2: 0n }, "null minus 8: by the instruction x2 is 0"],
    [0x3dc00860, 32n, { 3: 0n }, "null plus 32: by the instruction x3 is 0"],
    [0xf8410420, 0n, { 1: 0n }, "it is null: by the instruction x1 is 0"],
    // ldadd x1, x2, [x8]; ldaxr w8, [x9]
    [0xf8210102, 0n, { 8: 0n }, "by the instruction x8 is 0"],
    [0x885ffd28, 0n, { 9: 0n }, "by the instruction x9 is 0"],
  ];
  for (const [word, address, values, words] of cases) {
    assertStringIncludes(arm(word, address, values).what, words);
  }
  // ldr x8, [x8, #0x7ff8] of null is far behind it; not a number.
  const far = arm(0xf97ffd08, 0x7ff8n, { 8: 0n });
  assertStringIncludes(far.what, "it is null plus 32760: by the instruction x8 is 0");
});

Deno.test("ARM: what a failed authentication checked, by the instruction that is the second code", () => {
  const failed = (word: number): string =>
    arm(0, 0n, { 16: 0x1234n }, "EXC_ARM_PAC_FAIL", [0x105, word]).what;
  assertStringIncludes(failed(0xdac11a30), "The pointer was in x16 (0x1234), by key DA.");
  assertStringIncludes(failed(0xd65f0fff), "It was a return");
  assertStringIncludes(failed(0xd73f0a11), "It was a call or jump by x16 (0x1234).");
  assertStringIncludes(failed(0xd50323ff), "a check of the return address in lr");
  const causes = (word: number): string =>
    arm(0, 0n, { 16: 0x1234n }, "EXC_ARM_PAC_FAIL", [0x105, word]).causes;
  // autda, autdb and ldraa are of data; autia, autibz and braa of code.
  for (const word of [0xdac11a30, 0xdac11e30, 0xf8200420]) {
    assertStringIncludes(causes(word), "pointer to its class");
    assert(!/function pointer|return address/.test(causes(word)), causes(word));
  }
  for (const word of [0xdac11230, 0xdac137f0, 0xd71f0a11]) {
    assertStringIncludes(causes(word), "a function pointer");
    assert(!causes(word).includes("class"), causes(word));
  }
  // retab, autibsp, and autib of lr.
  for (const word of [0xd65f0fff, 0xd50323ff, 0xdac117fe]) {
    assertStringIncludes(causes(word), "return address that was overwritten");
    assert(!causes(word).includes("function pointer"), causes(word));
  }
  assertStringIncludes(causes(0x12345678), "a function pointer or return address");
});

Deno.test("ARM: by which register an address came that no authentication left", () => {
  // ldur w13, [x3, #-4]
  const address = 0x1_ffff_ffff_fffcn;
  const { what, causes } = arm(
    0xb85fc06d,
    address,
    { 3: 0x2_0000_0000_0000n },
    "KERN_INVALID_ADDRESS",
    [1, Number(address)],
    " -> 0x0000007ffffffffc (possible pointer authentication failure)",
  );
  assertStringIncludes(what, "by its instruction it is x3 - 4, where x3 is 0x2000000000000");
  assert(!what.includes("the pointer was"), what);
  assert(!causes.includes("signed for another use"), causes);
});

Deno.test("Intel: the register that an access near null went by; a call by a table", () => {
  // mov rax, [rdi + 0x18]
  const load = intel("48 8b 47 18 90", access("0x0000000000000018"), { rdi: 0n });
  assertStringIncludes(load.what, "it is null plus 24: by the instruction rdi is 0");
  const call = intel("ff 50 10 90", access("0x0000000000000010"), { rax: 0n });
  assertStringIncludes(call.what, "rax is 0; it calls a function by a table there");
  // rep movsb
  const copy = intel("f3 a4 c3", access("0x0000000000000000"), { rdi: 0n });
  assertStringIncludes(copy.what, "by the instruction rdi is 0");
});

Deno.test("Intel: what a general protection fault used", () => {
  const fault =
    "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)\nException Codes:       EXC_I386_GPFLT";
  // mov rax, [rdi + 0x18]; another register that is no address has nothing to do with it.
  const used = intel("48 8b 47 18 90", fault, { rdi: 0x6f6c6c6548n << 16n, rbx: 1n << 60n });
  assertStringIncludes(used.what, "By its instruction the address was 0x6f6c6c65480018 (rdi + 24)");
  assert(!used.what.includes("rbx"), used.what);
  // call [rcx + 0x20]; letters of two bytes, as of a string that stands where the object was.
  const text = intel("ff 51 20 90", fault, { rcx: 0x0070006d00690020n });
  assertStringIncludes(text.what, '(rcx + 32), which is not canonical: rcx holds the text " imp".');
  // movaps xmm0, [rsp + 8]
  const unaligned = intel("0f 28 44 24 08 90", fault, { rsp: 0x7ff7_b000_0000n });
  assertStringIncludes(unaligned.what, "an address that is aligned to 16 bytes: rsp + 8 is");
});

Deno.test("Intel: by what was divided", () => {
  const exception =
    "Exception Type:        EXC_ARITHMETIC (SIGFPE)\nException Codes:       EXC_I386_DIV (divide by zero)";
  assertStringIncludes(
    intel("48 f7 f6 90", exception, { rsi: 0n }).what,
    "The instruction divides by rsi, which is 0.",
  );
  assertEquals(intel("48 f7 f6 90", exception, { rsi: 0n }).causes, "");
  assert(intel("90 90 90 90", exception, { rsi: 0n }).causes.includes("a quotient that does not"));
  assertStringIncludes(
    intel("f7 f9 90", exception, { rcx: 0xffff_ffffn }).what,
    "which is 0xffffffff and not 0: the quotient does not fit",
  );
});

Deno.test("Intel: what the CPU refused is a trap only where its bytes are those of one", () => {
  const exception =
    "Exception Type:        EXC_BAD_INSTRUCTION (SIGILL)\nException Codes:       0x0000000000000001, 0x0000000000000000";
  assertStringIncludes(
    intel("0f 0b 90", exception).what,
    "Which check failed is not in the report",
  );
  const sse = intel("66 0f 38 00 c1 90", exception);
  assertStringIncludes(sse.what, "one of newer CPUs (such as SSE4)");
  assert(!sse.what.includes("check"), sse.what);
  assertStringIncludes(intel("f3 0f b8 c1 90", exception).what, "one of newer CPUs");
  // andn is encoded as vectors' instructions are.
  const bits = intel("c4 e2 78 f2 c1 90", exception);
  assertStringIncludes(bits.what, "one of newer CPUs (BMI)");
  assert(!bits.what.includes("AVX"));
  assertStringIncludes(intel("c5 fc 28 00 90", exception).what, "a vector instruction (AVX)");
  assertStringIncludes(
    intel("67 0f b9 40 12 90", exception).what,
    "It is ud1 18, a check of Clang's undefined-behavior sanitizer: an array index was out of bounds.",
  );
  assertEquals(intel("90 90", exception).what.includes("Which check failed"), false);
});

Deno.test("an index of 32 bits that wrapped is told by the instruction, and no pointer is blamed", () => {
  const of = (index: bigint) =>
    intel(
      "c6 04 0e 00 8b 45 f4 89 42 18 e9 0b",
      access(`0x${(0x6000_013a_c010n + index).toString(16).padStart(16, "0")}`),
      { rsi: 0x6000_013a_c010n, rcx: index },
    );
  const wrapped = of(0xffff_ffffn);
  assertStringIncludes(
    wrapped.what,
    "rsi is 0x6000013ac010 and rcx is 0xffffffff: -1 as a number of 32 bits",
  );
  assertStringIncludes(wrapped.causes, "fell below zero");
  assert(!wrapped.causes.includes("pointer"), wrapped.causes);
  assert(!of(0x1234_5678n).what.includes("32 bits"));
});
