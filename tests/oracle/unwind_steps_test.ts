/** Compares the callers that are found at recorded instructions with what LLDB finds at the same ones:
 * each is a thread of a core, whose true caller the recording knows. */
import { assert, assertEquals } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { type Arch, archs, readRegister, writeRegister } from "../../lib/arch/mod.ts";
import { Image } from "../../lib/macho/mod.ts";
import { openCore } from "../../mod.ts";
import type { Step as ArmStep, StepsRecording } from "../fixtures/steps/arm_record.ts";
import { readSteps } from "../fixtures/steps/x86_steps.ts";
import { buildCore, type RegionPart, type ThreadPart } from "../lib/target/core_builder.ts";

/** Every so many-th different instruction is compared. */
const STRIDE = 7;

/** No program's stack has more bytes. */
const STACK_SIZE = 0x4_0000;

/** What is above the outermost recorded frame is not known. It is zeros here, which end a stack, for
 * LLDB doubts a caller whose own frame it cannot read. */
const BEYOND = 0x1000;

/** A program and some of its steps, whose stacks lie on each other. */
interface Variant {
  readonly arch: Arch;
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly loadAddress: bigint;
  /** Values from the first to the second are stack addresses. */
  readonly stackRange: readonly [bigint, bigint];
  readonly steps: readonly Step[];
}

interface Step {
  readonly pc: bigint;
  readonly state: Uint8Array;
  readonly stackAddress: bigint;
  readonly stack: Uint8Array;
  readonly returnAddress: bigint;
}

/** Takes every so many-th different instruction, and the first and the last of each function. */
function spread(
  steps: Iterable<Step>,
  functionAt: (pc: bigint) => string,
  stride = STRIDE,
): Step[] {
  const byAddress = new Map<bigint, Step>();
  for (const step of steps) if (!byAddress.has(step.pc)) byAddress.set(step.pc, step);
  const sorted = [...byAddress.values()].sort((a, b) => a.pc < b.pc ? -1 : 1);
  const names = sorted.map(({ pc }) => functionAt(pc));
  return sorted.filter((_, at) => at % stride === 0 || names[at] !== names[at + 1]);
}

function x86Variants(name: "x86_64" | "i386"): Variant[] {
  const arch = archs[name];
  return readSteps(name).map(({ name, file, loadAddress, stackEnd, steps }) => {
    const image = Image.fromFile(file, name, { arch: arch.cpuType, loadAddress });
    return {
      ...{
        arch,
        name: `${arch.name} ${name}`,
        file,
        loadAddress,
        stackRange: [stackEnd - BigInt(STACK_SIZE), stackEnd + BigInt(BEYOND)],
      },
      steps: spread(steps(), (pc) => functionAt(image, pc)),
    };
  });
}

function unpack(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(gunzipSync(Uint8Array.fromBase64(text)));
}

const folder = new URL("../fixtures/steps/", import.meta.url);

function armVariants(name: "arm64" | "armv7"): Variant[] {
  const arch = archs[name];
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((file) => (name === "arm64" ? /^arm64.*\.json$/ : /^(arm|thumb)-.*\.json$/).test(file));
  return files.sort().map((fileName): Variant => {
    const recording: StepsRecording = JSON.parse(Deno.readTextFileSync(new URL(fileName, folder)));
    const file = unpack(recording.image);
    const loadAddress = BigInt(recording.loadAddress);
    const image = Image.fromFile(file, name, { arch: arch.cpuType, loadAddress });
    const steps: ArmStep[] = JSON.parse(new TextDecoder().decode(unpack(recording.steps)));
    const registers = recording.registers.map((name) =>
      name === "fp" ? arch.fp : arch.threadState.registers.find((one) => one.name === name)!
    );
    // A step has a part of its own frame; what callers have stored is known from their steps.
    const high = Math.max(...steps.map(({ cfa }) => cfa)) + BEYOND;
    const low = high - STACK_SIZE;
    const memory = new Uint8Array(STACK_SIZE);
    const stops = steps.map((step): Step => {
      const state = new Uint8Array(arch.threadState.size);
      const values = step.registers.split(" ");
      for (const [at, register] of registers.entries()) {
        writeRegister(state, register, BigInt(`0x${values[at]}`));
      }
      memory.set(Uint8Array.fromHex(step.stack), step.stackAddress - low);
      const sp = readRegister(state, arch.sp);
      return {
        pc: readRegister(state, arch.pc),
        state,
        stackAddress: sp,
        stack: memory.slice(Number(sp) - low),
        returnAddress: BigInt(step.returnAddress),
      };
    });
    return {
      ...{ arch, name: fileName.replace(".json", ""), file, loadAddress },
      stackRange: [BigInt(low), BigInt(high)],
      // There are few of these, and no two are alike.
      steps: spread(
        stops,
        (pc) => functionAt(image, pc),
        /conditional|^(thumb|arm)-O2-shapes|outlined/.test(fileName) ? 1 : STRIDE,
      ),
    };
  });
}

function functionAt(image: Image, pc: bigint): string {
  const section = image.segments.flatMap(({ sections }) => sections)
    .find(({ address, size }) => pc >= address && pc < address + BigInt(size))!;
  return section.name === "__text" ? image.symbolAt(pc)!.symbol!.name : section.name;
}

/** Where the threads' stacks are put, one above the other, and no image is. */
const STACKS = { 4: 0x5000_0000n, 8: 0x7000_0000_0000n } as const;

/** Moves a step's stack: what points into it moves with it. */
function move({ arch, stackRange: [low, high] }: Variant, step: Step, base: bigint, id: number): {
  thread: ThreadPart;
  region: RegionPart;
} {
  const sp = readRegister(step.state, arch.sp);
  const start = (sp < step.stackAddress ? sp : step.stackAddress) & ~0xfffn;
  const end = (step.stackAddress + BigInt(step.stack.length + BEYOND) + 0xfffn) & ~0xfffn;
  const distance = base - start;
  const moved = (value: bigint) => value >= low && value <= high ? value + distance : value;
  const bytes = new Uint8Array(Number(end - start));
  bytes.set(step.stack, Number(step.stackAddress - start));
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += arch.pointerSize) {
    if (arch.pointerSize === 8) view.setBigUint64(at, moved(view.getBigUint64(at, true)), true);
    else view.setUint32(at, Number(moved(BigInt(view.getUint32(at, true)))), true);
  }
  const state = step.state.slice();
  for (const register of arch.threadState.registers) {
    if (register === arch.pc) continue;
    writeRegister(state, register, moved(readRegister(state, register)));
  }
  return {
    thread: { id: BigInt(1000 + id), name: "", state },
    region: { address: base, bytes, protection: 3, segment: null },
  };
}

/** A core with a thread for each of the steps. */
function coreOf(variant: Variant, path: string): Uint8Array {
  const { arch, file, loadAddress, steps } = variant;
  const image = Image.fromFile(file, path, { arch: arch.cpuType, loadAddress });
  const segments = image.segments.filter(({ name }) => name !== "__PAGEZERO");
  const regions = segments.map((segment): RegionPart => {
    const bytes = new Uint8Array(segment.size);
    bytes.set(file.subarray(segment.fileOffset, segment.fileOffset + segment.fileSize));
    const { address, initialProtection, name } = segment;
    return { address, bytes, protection: initialProtection, segment: { image: image.name, name } };
  });
  let base: bigint = STACKS[arch.pointerSize];
  const threads = steps.map((step, index) => {
    const { thread, region } = move(variant, step, base, index);
    regions.push(region);
    base += BigInt(region.bytes.length) + 0x10000n;
    return thread;
  });
  const noted = {
    ...{ path, uuid: image.uuid, loadAddress, slide: null, executing: true },
    segments: segments.map(({ name, address }) => ({ name, address })),
  };
  const { cpuSubtype } = image;
  return buildCore({ arch, cpuSubtype, threads, regions, images: [noted] });
}

/** Tells whether the return address is nowhere any more: a function that never returns may call others
 * without storing it. */
function isLost(arch: Arch, { returnAddress, state, stack }: Step): boolean {
  const isIt = (value: bigint) => (value & arch.addressMask) === returnAddress;
  if (arch.lr === null) return false;
  // What was outlined of a function may keep it in another register than the link register.
  const { registers } = arch.threadState;
  if (registers.some((one) => one !== arch.pc && isIt(readRegister(state, one)))) return false;
  const view = new DataView(stack.buffer, stack.byteOffset);
  for (let at = 0; at < stack.length; at += arch.pointerSize) {
    const word = arch.pointerSize === 8
      ? view.getBigUint64(at, true)
      : BigInt(view.getUint32(at, true));
    if (isIt(word)) return false;
  }
  return true;
}

/** The second frame's address in each thread, as LLDB has it; `null` where it has none. */
async function lldbCallers(program: string, core: string): Promise<(bigint | null)[]> {
  const { stdout } = await new Deno.Command("lldb-19", {
    args: [
      ...["-x", "-b", "-o", `target create "${program}" --core "${core}"`],
      ...["-o", "thread backtrace -c 2 all"],
    ],
  }).output();
  const [, ...threads] = new TextDecoder().decode(stdout).split(/^[ *]+thread #\d+.*$/m);
  return threads.map((text) => {
    const address = /frame #1: (0x[\da-f]+)/.exec(text)?.[1];
    return address === undefined ? null : BigInt(address);
  });
}

// Why LLDB finds another caller than the one that the program returned to.
const afterReturn =
  "after a return LLDB takes up the body's frame; the block that a jump goes to there " +
  "has another one";
const pushZero = "LLDB does not count the four bytes of `push $0`";
const calleePops = "LLDB does not know that the callee's `ret $4` takes an argument off the stack";
const bodyOnly =
  "the call-frame information is that of the body, and LLDB follows it in epilogues, too";
const unseenBranch =
  "no branch that LLDB sees leads to what follows a return, a landing pad or a " +
  "block of a table, and it goes on with what the return left";
const recursionNotRecorded =
  "LLDB doubts a caller whose own caller makes no sense; of a recursion only two " +
  "depths are recorded";
const passedOver =
  "LLDB does not ask the flags: it counts what comes before in an IT block whose condition fails";
const countsOn =
  "after a conditional return LLDB takes up the body's row, but goes on counting from where the " +
  "return left the stack pointer";

/** LLDB begins ARM functions, which are no Thumb functions, two bytes too early, inside the function
 * before, and finds hardly any caller. */
const noArmFunctions = /^arm-/;

/** LLDB doubts a caller whose own caller it cannot find; steps_drive never returns, and has not kept where
 * to, nor has what it calls last. */
const callersOfNobody = {
  variant: "thumb-Os-frameless",
  names: ["steps_drive", "ends_in_call", "never_returns"],
};

/** LLDB takes the first instruction of an epilogue that other functions jump to for a function's entry, and
 * what follows for its body. */
const sharedEpilogue = "an epilogue that other functions jump to";

const keptInSlot = "LLDB does not know where the stack pointer was before it was aligned";
const outlinedEpilogue =
  "LLDB does not follow what an outlined epilogue undoes, in it and after it";
const outlinedLink =
  "LLDB does not know that the return address is in another register while an outlined part of a " +
  "function without a frame is called, and until it is moved back";

/** Where `outlined.c`'s functions without a frame go on after the outlined part. */
function outlinedCalls(...offsets: readonly number[]): string[] {
  return ["first", "second", "third"].map((name, at) => `frameless_${name}+${offsets[at]}`);
}

/** All other differences: why, the variant, and the places as function and offset. */
const differences: readonly (readonly [why: string, variant: string, ...places: string[]])[] = [
  [afterReturn, "x86_64 -O1 -fno-omit-frame-pointer", "early_return+80"],
  [afterReturn, "x86_64 -O1 -fomit-frame-pointer", "early_return+67"],
  [afterReturn, "x86_64 -O2 -fno-omit-frame-pointer", "early_return+80"],
  [afterReturn, "x86_64 -O2 -fomit-frame-pointer", "early_return+67"],
  [afterReturn, "x86_64 -Os -fno-omit-frame-pointer", "early_return+80"],
  [afterReturn, "x86_64 -Os -fomit-frame-pointer", "early_return+67"],
  [
    keptInSlot,
    "x86_64 shapes -O2 -fno-omit-frame-pointer",
    ...["keeps_in_indexed_slot+36", "keeps_in_slot+38", "keeps_in_slot+64"],
  ],
  [sharedEpilogue, "x86_64 shapes -O2 -fno-omit-frame-pointer", "shared_epilogue+8"],
  [sharedEpilogue, "arm64-O2-shapes", "outlined_epilogue+0"],
  [unseenBranch, "i386 shapes -O2 -fomit-frame-pointer", "tables+83", "tables+99"],
  [outlinedLink, "arm64-Oz-outlined", ...outlinedCalls(20, 28, 44)],
  [outlinedLink, "arm64-Oz-outlined-prologues", ...outlinedCalls(20, 28, 44)],
  [outlinedLink, "thumb-Oz-outlined", ...outlinedCalls(14, 20, 28)],
  [
    outlinedEpilogue,
    "arm64-Oz-outlined-prologues",
    "OUTLINED_FUNCTION_EPILOG_TAIL_x30x29x19x20+0",
    "OUTLINED_FUNCTION_EPILOG_TAIL_x30x29x19x20x21x22x23x24+0",
    ...[8, 12, 16, 20].map((at) => `OUTLINED_FUNCTION_EPILOG_x30x29x19x20x21x22x23x24+${at}`),
    "saves_fourth+104",
    "saves_third+100",
  ],
  [calleePops, "i386 -O0 -fno-omit-frame-pointer", "returns_structure+68"],
  [calleePops, "i386 -O1 -fno-omit-frame-pointer", "returns_structure+56"],
  [pushZero, "i386 -O2 -fno-omit-frame-pointer", "make_large+168"],
  [calleePops, "i386 -O2 -fno-omit-frame-pointer", "returns_structure+56"],
  [calleePops, "i386 -Os -fno-omit-frame-pointer", "returns_structure+58"],
  [
    bodyOnly,
    "arm64-O0-frameless",
    "early_return+136",
    "two_epilogues+228",
    "saves_registers+316",
    "big_frame+92",
    "big_frame+104",
    "huge_frame+116",
    "adds_all+132",
    "calls_variadic+120",
    "many_arguments+140",
    "passes_many+152",
    "tail_caller+32",
    "tail_caller_with_frame+100",
    "calls_stub+36",
    "tail_calls_stub+40",
    "recursive+112",
    "switches_with_calls+352",
    "calls_pointer+68",
    "make_large+92",
    "returns_structure+72",
    "loops+204",
  ],
  [recursionNotRecorded, "arm64-O0", "recursive+116"],
  [recursionNotRecorded, "arm64-O1", "recursive+60"],
  [recursionNotRecorded, "arm64-O2", "recursive+56"],
  [
    bodyOnly,
    "arm64-Os-frameless",
    "early_return+80",
    "two_epilogues+144",
    "saves_registers+240",
    "big_frame+60",
    "huge_frame+60",
    "adds_all+112",
    "calls_variadic+72",
    "passes_many+116",
    "tail_caller_with_frame+60",
    "calls_stub+32",
    "recursive+72",
    "switches_with_calls+224",
    "calls_pointer+56",
    "make_large+64",
    "returns_structure+68",
    "loops+140",
  ],
  [calleePops, "i386 -O0 -fomit-frame-pointer", "returns_structure+71"],
  [calleePops, "i386 -O1 -fomit-frame-pointer", "returns_structure+65"],
  [calleePops, "i386 -O2 -fomit-frame-pointer", "returns_structure+47", "returns_structure+65"],
  [calleePops, "i386 -Os -fomit-frame-pointer", "returns_structure+47", "returns_structure+65"],
  [
    unseenBranch,
    "arm64-O0-throws",
    "cleans_up+116",
    "cleans_up+120",
    "cleans_up_twice+180",
    "cleans_up_twice+208",
    "cleans_up_twice+220",
    "rethrows+100",
    "rethrows+128",
    "rethrows+68",
  ],
  [
    unseenBranch,
    "arm64-O1-throws",
    "catches+56",
    "catches+64",
    "catches_again+112",
    "catches_again+140",
    "catches_again+176",
    "catches_again+56",
    "catches_again+84",
    "catches_all+72",
    "catches_all+88",
    "catches_recursive+48",
    "catches_recursive+60",
    "cleans_up+68",
    "cleans_up+76",
    "cleans_up_twice+100",
    "cleans_up_twice+128",
    "rethrows+48",
    "rethrows+76",
  ],
  [
    unseenBranch,
    "arm64-O2-throws",
    "catches+52",
    "catches+64",
    "catches_again+108",
    "catches_again+136",
    "catches_again+172",
    "catches_again+176",
    "catches_again+52",
    "catches_again+80",
    "catches_all+68",
    "catches_all+88",
    "catches_recursive+44",
    "catches_recursive+60",
    "cleans_up+68",
    "cleans_up+76",
    "cleans_up_twice+100",
    "cleans_up_twice+132",
    "rethrows+44",
    "rethrows+76",
  ],
  [
    bodyOnly,
    "arm64-Os-frameless-throws",
    "_ZN5GuardD2Ev+44",
    "catches_again+40",
    "catches_in_loop+152",
    "catches_with_many+264",
    "passes+44",
    "throws_in_frame+68",
  ],
  [
    unseenBranch,
    "arm64-Os-throws",
    "catches+52",
    "catches+64",
    "catches_again+108",
    "catches_again+136",
    "catches_again+172",
    "catches_again+180",
    "catches_again+52",
    "catches_again+80",
    "catches_all+68",
    "catches_all+88",
    "catches_recursive+40",
    "catches_recursive+60",
    "cleans_up+68",
    "cleans_up+76",
    "cleans_up_twice+100",
    "cleans_up_twice+132",
    "rethrows+44",
    "rethrows+76",
  ],
  [passedOver, "thumb-Os-conditional", "frameless+10", "leaves_first+20"],
  [countsOn, "thumb-Os-conditional", "frameless+22"],
  [
    unseenBranch,
    "thumb-O1",
    "switches_with_calls+104",
    "switches_with_calls+50",
    "switches_with_calls+70",
    "switches_with_calls+86",
  ],
  [
    unseenBranch,
    "thumb-O2",
    "switches_with_calls+102",
    "switches_with_calls+48",
    "switches_with_calls+68",
    "switches_with_calls+84",
  ],
  [
    unseenBranch,
    "thumb-Os",
    "switches_with_calls+100",
    "switches_with_calls+118",
    "switches_with_calls+46",
    "switches_with_calls+66",
    "switches_with_calls+82",
  ],
];

for (const name of ["x86_64", "i386", "arm64", "armv7"] as const) {
  const isX86 = name === "x86_64" || name === "i386";
  for (const variant of isX86 ? x86Variants(name) : armVariants(name)) {
    Deno.test(`${variant.name}: the true callers, where LLDB's are others, too`, async () => {
      const directory = await Deno.makeTempDir();
      try {
        const [program, path] = [`${directory}/steps`, `${directory}/core`];
        await Deno.writeFile(program, variant.file);
        await Deno.writeFile(path, coreOf(variant, program));
        using core = openCore(path);
        const theirs = await lldbCallers(program, path);
        assertEquals(theirs.length, variant.steps.length);
        const wrong: string[] = [];
        const different: string[] = [];
        for (const [index, step] of variant.steps.entries()) {
          const [frame, caller] = core.threads[index].backtrace({ limit: 2 });
          assertEquals(frame.address, step.pc);
          const isKnown = !isLost(variant.arch, step);
          const place = `${frame.symbol?.name}+${frame.offset}`;
          const truth = isKnown ? step.returnAddress : undefined;
          if (caller?.address !== truth) wrong.push(`${place} ${caller?.foundBy}`);
          // What called its caller is not recorded, and LLDB doubts a caller whose caller it cannot find.
          if (frame.symbol?.name === "steps_drive") continue;
          if (
            variant.name === callersOfNobody.variant &&
            callersOfNobody.names.includes(caller?.symbol?.name ?? "")
          ) continue;
          if (isKnown && theirs[index] !== truth) different.push(place);
        }
        assertEquals(wrong, []);
        const fewest = /shapes|outlined/.test(variant.name) ? 35 : 75;
        assert(variant.steps.length > fewest, `${variant.steps.length} steps`);
        if (noArmFunctions.test(variant.name)) return;
        const known = differences.filter(([, name]) => name === variant.name);
        assertEquals(different.sort(), known.flatMap(([, , ...places]) => places).sort());
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    });
  }
}
