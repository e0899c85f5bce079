/** The caller at every instruction of functions of every shape, by reading instructions alone: on
 * arm64, ARM and Thumb, against what single-stepped processes did. */
import { assert, assertEquals } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { archs, type Register, writeRegister } from "../../../lib/arch/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { ImagePlans } from "../../../lib/unwind/image_plans.ts";
import { instructionSets } from "../../../lib/unwind/instruction_sets.ts";
import { isThumb, nextExecuted } from "../../../lib/unwind/armv7/conditions.ts";
import { framesOf } from "./stack.ts";
import { stubRow as stubRow64 } from "../../../lib/unwind/arm64/mod.ts";
import { stubRow as stubRow32 } from "../../../lib/unwind/armv7/mod.ts";
import type { Step, StepsRecording } from "../../fixtures/steps/arm_record.ts";

const folder = new URL("../../fixtures/steps/", import.meta.url).pathname;
const S_SYMBOL_STUBS = 8;
/** Compilers see that these do not return, so that no caller can miss its registers: they are not
 * saved, and nothing can tell what they were. */
const neverReturn = new Set(["steps_drive", "ends_in_call", "never_returns"]);

function unpack(text: string): Uint8Array {
  return gunzipSync(Uint8Array.fromBase64(text));
}

/** One step, as what a stopped thread shows. */
class Stopped {
  readonly registers = new Map<number, bigint>();
  readonly kept: ReadonlyMap<Register, bigint>;
  /** 0 where there is none. */
  readonly cpsr: number;
  readonly pc: bigint;
  readonly #stack: DataView;

  constructor(readonly step: Step, recording: StepsRecording) {
    const arch = archs[recording.arch];
    const find = (name: string) =>
      name === "fp" ? arch.fp : arch.threadState.registers.find((one) => one.name === name)!;
    const values = step.registers.split(" ");
    for (const [index, name] of recording.registers.entries()) {
      const { dwarf } = find(name);
      if (dwarf !== null) this.registers.set(dwarf, BigInt(`0x${values[index]}`));
    }
    const cpsr = recording.registers.indexOf("cpsr");
    this.cpsr = cpsr === -1 ? 0 : parseInt(values[cpsr], 16);
    const kept = step.kept.split(" ");
    this.kept = new Map(recording.kept.map((name, at) => [find(name), BigInt(`0x${kept[at]}`)]));
    this.pc = this.registers.get(arch.pc.dwarf!)!;
    this.#stack = new DataView(Uint8Array.fromHex(step.stack).buffer);
  }

  read(address: bigint, size: 4 | 8): bigint {
    const at = Number(address) - this.step.stackAddress;
    return size === 8
      ? this.#stack.getBigUint64(at, true)
      : BigInt(this.#stack.getUint32(at, true));
  }
}

function functionStart(image: Image, pc: bigint): bigint {
  const stubs = image.segments.flatMap(({ sections }) => sections)
    .find(({ type, address, size }) =>
      type === S_SYMBOL_STUBS && pc >= address && pc < address + BigInt(size)
    );
  // There is one stub.
  return stubs?.address ?? pc - BigInt(image.symbolAt(pc)!.offset);
}

function isOutlined(image: Image, pc: bigint): boolean {
  return image.symbolAt(pc)?.symbol?.name.startsWith("OUTLINED_FUNCTION_") ?? false;
}

/** What is wrong with the caller found; `null` when it is the true one. */
function mistake(recording: StepsRecording, image: Image, stopped: Stopped): string | null {
  const { pointerSize, addressMask } = archs[recording.arch];
  const { step, registers, kept, pc, cpsr } = stopped;
  const readCode = (address: bigint, length: number) => image.read(address, length);
  const found = instructionSets[recording.arch].analyze({
    functionStart: functionStart(image, pc),
    functionEnd: null,
    pc: recording.arch === "armv7" ? nextExecuted(pc, cpsr, readCode) : pc,
    thumb: isThumb(cpsr),
    readCode,
  });
  const returns = !neverReturn.has(image.symbolAt(pc)?.symbol?.name ?? "");
  // Without a frame pointer not even the return address is saved.
  if (found === null) return returns ? "nothing found" : null;
  const { row } = found;
  assert(row.cfa.kind === "register");
  const cfa = registers.get(row.cfa.register)! + BigInt(row.cfa.offset);
  if (cfa !== BigInt(step.cfa)) return `CFA 0x${cfa.toString(16)}`;
  const value = (register: number) => {
    const rule = row.registers.get(register) ?? { kind: "same" };
    if (rule.kind === "offset") return stopped.read(cfa + BigInt(rule.offset), pointerSize);
    assert(rule.kind === "same" || rule.kind === "register");
    return registers.get(rule.kind === "same" ? register : rule.register)!;
  };
  const returnAddress = value(row.returnAddress) & addressMask;
  if (returnAddress !== BigInt(step.returnAddress)) return `return ${returnAddress.toString(16)}`;
  if (!returns) return null;
  // What was outlined of a function may be what gives these another value.
  if (isOutlined(image, pc)) return null;
  for (const [register, truth] of kept) {
    if (value(register.dwarf!) !== truth) return `${register.name} of the caller`;
  }
  return null;
}

const names = [...Deno.readDirSync(folder)].map(({ name }) => name)
  .filter((name) => /^(arm|thumb).*\.json$/.test(name)).sort();

for (const name of names) {
  const recording: StepsRecording = JSON.parse(Deno.readTextFileSync(`${folder}${name}`));
  const image = Image.fromFile(unpack(recording.image), "steps", {
    arch: archs[recording.arch].cpuType,
    loadAddress: BigInt(recording.loadAddress),
  });
  const steps: Step[] = JSON.parse(new TextDecoder().decode(unpack(recording.steps)));

  Deno.test(`${name}: instructions tell the caller at each of them`, () => {
    const mistakes: string[] = [];
    for (const step of steps) {
      const stopped = new Stopped(step, recording);
      const wrong = mistake(recording, image, stopped);
      if (wrong === null) continue;
      const at = image.symbolAt(stopped.pc);
      mistakes.push(`${at?.symbol?.name}+${at?.offset}: ${wrong}, not ${JSON.stringify(step)}`);
    }
    assertEquals(mistakes, []);
    assert(steps.length > (/conditional|shapes|outlined/.test(name) ? 100 : 250));
  });

  if (name.endsWith("throws.json")) {
    Deno.test(`${name}: exceptions were thrown, caught, cleaned up after and thrown again`, () => {
      const seen = new Set(
        steps.map((step) => image.symbolAt(new Stopped(step, recording).pc)?.symbol?.name),
      );
      const runtime = ["throw", "begin_catch", "end_catch", "rethrow"].map((name) =>
        `__cxa_${name}`
      );
      const resume = recording.arch === "armv7" ? "_Unwind_SjLj_Resume" : "_Unwind_Resume";
      for (const name of [...runtime, resume, "steps_unwind", "catches_recursive"]) {
        assert(seen.has(name), name);
      }
    });
  }

  const walk = (walked: Image): void => {
    const arch = archs[recording.arch];
    const resolver = new Symbolizer([walked]);
    const mistakes: string[] = [];
    for (const step of steps) {
      const { registers, pc, cpsr } = new Stopped(step, recording);
      const state = new Uint8Array(arch.threadState.size);
      for (const register of arch.threadState.registers) {
        const value = register.name === "cpsr"
          ? BigInt(cpsr)
          : register.dwarf === null
          ? undefined
          : registers.get(register.dwarf);
        if (value !== undefined) writeRegister(state, register, value);
      }
      const stack = Uint8Array.fromHex(step.stack);
      const stackAddress = BigInt(step.stackAddress);
      const callers = [{ returnAddress: step.returnAddress, cfa: step.cfa }, ...step.callers ?? []];
      const found = framesOf({
        arch,
        images: resolver,
        state,
        stackAddress,
        stack,
        stackEnd: stackAddress + BigInt(stack.length),
        readInto: undefined,
      }, { limit: 1 + callers.length });
      const caller = found.at(1);
      if (
        callers.every(({ returnAddress, cfa }, at) =>
          found.at(1 + at)?.address === BigInt(returnAddress) && found[1 + at].sp === BigInt(cfa)
        )
      ) continue;
      const at = image.symbolAt(pc);
      // Where it was saved nowhere, nobody can tell it.
      if (neverReturn.has(at?.symbol?.name ?? "") && caller === undefined) continue;
      const chain = found.slice(1).map(({ symbol, foundBy }) => `${symbol?.name} by ${foundBy}`);
      mistakes.push(`${at?.symbol?.name}+${at?.offset}: ${chain}`);
    }
    assertEquals(mistakes, []);
  };
  Deno.test(`${name}: a walk goes to the caller from each of them`, () => walk(image));

  // Of a stripped program the function starts say where Thumb code is.
  if (name === "thumb-Os.json" || name === "arm-Os.json") {
    Deno.test(`${name}: a walk goes to the caller without symbols`, () => {
      const stripped = Image.fromFile(withoutSymbols(unpack(recording.image)), "steps", {
        arch: archs[recording.arch].cpuType,
        loadAddress: BigInt(recording.loadAddress),
      });
      assertEquals([...stripped.symbols], []);
      walk(stripped);
    });
  }
}

/** Sets the numbers of symbols and the size of the exports in the load commands to 0. */
function withoutSymbols(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset);
  for (let left = view.getUint32(16, true), at = 28; left > 0; left--) {
    const command = view.getUint32(at, true) & 0x7fffffff;
    if (command === 2) view.setUint32(at + 12, 0, true); // LC_SYMTAB
    if (command === 0x22) view.setUint32(at + 44, 0, true); // LC_DYLD_INFO
    at += view.getUint32(at + 4, true);
  }
  return file;
}

Deno.test("arm64: code goes on to the next symbol, but not after a jump table or a call", () => {
  const exits = (...words: readonly number[]) => {
    const code = new Uint8Array(Uint32Array.from([...words, 0xd503201f]).buffer);
    const readCode = (address: bigint, length: number) =>
      code.slice(Number(address - 0x1000n)).subarray(0, length);
    return instructionSets.arm64.exits!(readCode, 0x1000n, 4 * words.length);
  };
  const [add, call, entry] = [0x91000400, 0x94000040, 0xfffffd40];
  assertEquals(exits(add), [4]);
  assertEquals(exits(call), []);
  assertEquals(exits(add, call, entry, entry), []);
});

Deno.test("arm64: the return address is in its register where V8's functions leave", () => {
  const rowAt = (index: number, ...words: readonly number[]) => {
    const code = new Uint8Array(Uint32Array.from(words).buffer);
    const found = instructionSets.arm64.analyze({
      functionStart: 0x1000n,
      functionEnd: 0x1000n + BigInt(code.length),
      pc: 0x1000n + BigInt(4 * index),
      thumb: false,
      readCode: (address, length) => code.slice(Number(address - 0x1000n)).slice(0, length),
    });
    return [found?.row.cfa, found?.row.registers.get(30)?.kind] as unknown[];
  };
  const caller: unknown[] = [{ kind: "register", register: 31, offset: 0 }, "same"];
  // stp x29, x30, [sp, #-16]!; mov x29, sp; bl; mov sp, x29; ldp x29, x30, [sp], #16;
  // add sp, sp, x16, lsl #3; ret
  const args = [0x94000040, 0x910003bf, 0xa8c17bfd, 0x8b306fff, 0xd65f03c0];
  assertEquals(rowAt(6, 0xa9bf7bfd, 0x910003fd, ...args), caller);
  // The same frame; sub sp, sp, #32; bl; ldp x29, x30, [x29]; add sp, sp, #48; br x17
  const handler = [0xd10083ff, 0x94000040, 0xa9407bbd, 0x9100c3ff, 0xd61f0220];
  assertEquals(rowAt(6, 0xa9bf7bfd, 0x910003fd, ...handler), caller);
});

/** The distance from sp to the CFA at each word of stub helpers at 0x1000. */
Deno.test("thumb: registers that are pushed for their room alone keep their values", () => {
  /** Where registers are, as offsets from the CFA. */
  const slots = (text: string, offset: number) => {
    const code = Uint8Array.fromHex(text.replaceAll(" ", ""));
    const { row } = instructionSets.armv7.analyze({
      functionStart: 0x1000n,
      functionEnd: 0x1000n + BigInt(code.length),
      pc: 0x1000n + BigInt(offset),
      thumb: true,
      readCode: (address, length) => code.slice(Number(address - 0x1000n)).slice(0, length),
    })!;
    return [...row.registers].map(([number, rule]) => [
      number,
      rule.kind === "offset" ? rule.offset : rule.kind,
    ]);
  };
  const [r5, r6, r7, lr] = [[5, -16], [6, -12], [7, -8], [14, -4]];
  // push {r5, r6, r7, lr}; add r7, sp, #8; movs r0, #0; strd r0, r0, [sp]; ldr r1, [pc, #8]; bl;
  // pop {r2, r3, r7, pc}; nop; a constant that could be `add r6, sp, #24`
  const folded = "e0b5 02af 0020 cde90000 0249 00f000f8 8cbd 00bf 06ae0000";
  assertEquals(slots(folded, 6), [r7, lr]);
  assertEquals(slots(folded, 12), [r7, lr]);
  // movs r6, #1 is in a later part.
  assertEquals(slots(folded.replace("8cbd 00bf", "0126 c8bd"), 12), [r6, r7, lr]);
  // vmov r5, s0; vmov r5, r6, d16
  assertEquals(slots(folded.replace("00f000f8", "10ee105a"), 12), [r5, r7, lr]);
  assertEquals(slots(folded.replace("00f000f8", "56ec305b"), 12), [r5, r6, r7, lr]);
});

function helperOffsets(stubRow: typeof stubRow64, words: readonly number[]): number[] {
  const code = new Uint8Array(Uint32Array.from(words).buffer);
  const readCode = (address: bigint, length: number) => {
    const at = Number(address - 0x1000n);
    return at >= 0 && at + length <= code.length ? code.slice(at, at + length) : null;
  };
  return words.map((_, index) => {
    const { cfa } = stubRow(readCode, 0x1000n + BigInt(4 * index), true);
    assert(cfa.kind === "register");
    return cfa.offset;
  });
}

Deno.test("stub helpers of arm64: the common part pushes a pair", () => {
  const entry = [0x18000050, 0x14000000, 0x00000018]; // ldr w16, x; b common; x
  // adrp x17, x; add x17, x17, x; stp x16, x17, [sp, #-16]!; adrp x16, x; ldr x16, [x16]; br x16
  const common = [0x90000011, 0x91000231, 0xa9bf47f0, 0x90000010, 0xf9400210, 0xd61f0200];
  const offsets = [0, 0, 0, 16, 16, 16];
  assertEquals(helperOffsets(stubRow64, [...common, ...entry]), [...offsets, 0, 0, 0]);
  assertEquals(helperOffsets(stubRow64, [...entry, ...common]), [0, 0, 0, ...offsets]);
});

Deno.test("stub helpers of armv7: the common part pushes two words", () => {
  const entry = [0xe59fc000, 0xeafffffe, 0x00000018]; // ldr ip, x; b common; x
  // str ip, [sp, #-4]!; ldr ip, x; add ip, pc, ip; str ip, [sp, #-4]!; ldr ip, x; add ip, pc, ip;
  // ldr pc, [ip]
  const common = [
    ...[0xe52dc004, 0xe59fc010, 0xe08fc00c, 0xe52dc004, 0xe59fc008, 0xe08fc00c, 0xe59cf000],
  ];
  const offsets = [0, 4, 4, 4, 8, 8, 8];
  assertEquals(helperOffsets(stubRow32, [...common, ...entry]), [...offsets, 0, 0, 0]);
  assertEquals(helperOffsets(stubRow32, [...entry, ...common]), [0, 0, 0, ...offsets]);
});

Deno.test("stub helpers under the symbol that ld64 gives all of them", () => {
  // The common part as above, and an entry.
  const words = [
    ...[0xe52dc004, 0xe59fc010, 0xe08fc00c, 0xe52dc004, 0xe59fc008, 0xe08fc00c, 0xe59cf000],
    ...[0xe59fc000, 0xeafffff6, 0x00000018],
  ];
  const code = new Uint8Array(Uint32Array.from(words).buffer);
  const helpers: Pick<Image, "loadAddress" | "read" | "sectionAt" | "symbolAt" | "isThumb"> = {
    loadAddress: 0x1000n,
    read: (address, length) => code.slice(Number(address - 0x1000n)).subarray(0, length),
    sectionAt: () => ({ name: "__stub_helper", type: 0 }) as ReturnType<Image["sectionAt"]>,
    symbolAt: (address) => ({
      symbol: { name: " stub helpers" } as NonNullable<ReturnType<Image["symbolAt"]>>["symbol"],
      offset: Number(address - 0x1000n),
      size: code.length,
    }),
    isThumb: () => false,
  };
  const image = Object.assign(helpers, { segments: [], warnings: [] }) as unknown as Image;
  const plans = new ImagePlans(image, archs.armv7);
  const offsets = words.map((_, index) => {
    const cfa = plans.innermostAt(0x1000n + BigInt(4 * index))?.row.cfa;
    assert(cfa?.kind === "register" && cfa.register === 13);
    return cfa.offset;
  });
  assertEquals(offsets, [0, 4, 4, 4, 8, 8, 8, 0, 0, 0]);
});
