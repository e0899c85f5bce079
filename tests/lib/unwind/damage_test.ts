/** Unwind information that is damaged: the next method finds the caller, or nobody; the walk neither
 * throws nor takes long. */
import { assert, assertEquals } from "@std/assert";
import { type Arch, archs, readRegister, x86_64 } from "../../../lib/arch/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import type { DebugSection } from "../../../lib/symbols/mod.ts";
import { framesOf } from "./stack.ts";
import { cieBody, number, SectionBuilder, uleb } from "../dwarf/section.ts";
import { readSteps, type Step } from "../../fixtures/steps/x86_steps.ts";
import { processorTime } from "../../processor_time.ts";

const sections = ["__unwind_info", "__eh_frame"];

function walkFrom(
  arch: Arch,
  image: Image,
  step: Step,
  debug?: DebugSection,
): ReturnType<typeof framesOf> {
  const symbolizer = new Symbolizer([image]);
  const { state, stack, stackAddress } = step;
  return framesOf({
    arch,
    images: {
      imageAt: (address) => symbolizer.imageAt(address),
      resolve: (address) => symbolizer.resolve(address),
      debugSection: () => debug ?? null,
    },
    ...{ state, stack, stackAddress, readInto: undefined },
    stackEnd: stackAddress + BigInt(stack.length),
  }, { limit: 200 });
}

/** Numbers that look random, the same in every run. */
function randomNumbers(): (limit: number) => number {
  let seed = 7;
  return (limit) => {
    seed = Math.imul(seed, 1103515245) + 12345 & 0x7fffffff;
    return (seed >>> 8) % limit;
  };
}

for (const name of ["x86_64", "i386"] as const) {
  const arch = archs[name];

  Deno.test(`${name}: with sections of nothing but damage, instructions tell the callers`, () => {
    for (const fill of [0x00, 0x01, 0x7f, 0xff]) {
      const { file, loadAddress, steps } = readSteps(name).at(-1)!;
      const bytes = Uint8Array.from(file);
      const image = Image.fromFile(bytes, "steps", { arch: arch.cpuType, loadAddress });
      for (const section of image.segments.flatMap(({ sections }) => sections)) {
        if (!sections.includes(section.name)) continue;
        bytes.fill(fill, section.fileOffset, section.fileOffset + section.size);
      }
      let count = 0;
      for (const step of steps()) {
        if (count++ % 3 !== 0) continue;
        const caller = walkFrom(arch, image, step).at(1);
        assertEquals(caller?.address, step.returnAddress, `${count}`);
      }
      assert(image.warnings.length < 100);
    }
  });

  Deno.test(`${name}: damage anywhere in unwind information ends no walk badly`, () => {
    const random = randomNumbers();
    const { file, loadAddress, steps } = readSteps(name).at(-1)!;
    const all = [...steps()].filter((_, index) => index % 40 === 0);
    const began = processorTime();
    for (let round = 0; round < 150; round++) {
      const bytes = Uint8Array.from(file);
      const image = Image.fromFile(bytes, "steps", { arch: arch.cpuType, loadAddress });
      for (const section of image.segments.flatMap(({ sections }) => sections)) {
        if (!sections.includes(section.name)) continue;
        for (let damage = 0; damage < 1 + round % 8; damage++) {
          bytes[section.fileOffset + random(section.size)] = random(256);
        }
      }
      for (const step of all) {
        const frames = walkFrom(arch, image, step);
        // Each is further up the stack than the one before.
        frames.forEach((frame, at) => assert(at === 0 || frame.sp > frames[at - 1].sp));
      }
    }
    assert(processorTime() - began < 30_000);
  });
}

/** A step in the body of a function that has no frame pointer, and what a dSYM that is wrong says of
 * it. */
function misled(program: readonly number[], registers: readonly number[] = []) {
  const { file, loadAddress, steps } = readSteps("x86_64").find(({ name }) =>
    name === "-O2 -fomit-frame-pointer"
  )!;
  const bytes = Uint8Array.from(file);
  const header = new TextDecoder("latin1").decode(bytes.subarray(0, 8192));
  for (const name of sections) {
    const at = header.indexOf(name);
    if (at >= 0) bytes[at] = "x".charCodeAt(0);
  }
  const image = Image.fromFile(bytes, "steps", { loadAddress });
  const step = [...steps()].find(({ pc, caller, state }) =>
    image.symbolAt(pc)?.symbol?.name === "saves_registers" &&
    caller.get(x86_64.sp.dwarf!)! - readRegister(state, x86_64.sp) > 64n
  )!;
  const { address, size } = image.symbolAt(step.pc)!.symbol!;
  const builder = new SectionBuilder("debug_frame");
  const cie = builder.cie(cieBody({ augmentation: "", data: [] }));
  const range = [...number(address - image.slide, 8), ...number(size, 8)];
  const cfa = program.length === 0 ? [] : [0x0f, ...uleb(program.length), ...program];
  builder.fde(cie, [...range, ...cfa, ...registers]);
  const section = { bytes: Uint8Array.from(builder.bytes), address: 0n, slide: image.slide };
  return { frames: walkFrom(x86_64, image, step, section), step, image };
}

const DW_OP = {
  deref: 0x06,
  const8u: 0x0e,
  drop: 0x13,
  div: 0x1b,
  mod: 0x1d,
  skip: 0x2f,
  lit0: 0x30,
  lit1: 0x31,
  breg7: 0x77,
  bregx: 0x92,
  dup: 0x12,
  pick: 0x15,
  call_frame_cfa: 0x9c,
} as const;

const bad: Readonly<Record<string, readonly number[]>> = {
  "endless": [DW_OP.skip, 0xfd, 0xff],
  "pushing without end": [DW_OP.lit0, DW_OP.skip, 0xfc, 0xff],
  "huge": Array.from({ length: 60_000 }, () => DW_OP.dup),
  "dividing by zero": [DW_OP.lit1, DW_OP.lit0, DW_OP.div],
  "the rest of a division by zero": [DW_OP.lit1, DW_OP.lit0, DW_OP.mod],
  "reading bad memory": [DW_OP.const8u, ...number(0x1234_5678_9abcn, 8), DW_OP.deref],
  "reading beyond all memory": [DW_OP.const8u, ...number(-1, 8), DW_OP.deref],
  "of a register that is none": [DW_OP.bregx, ...uleb(1 << 20), 0],
  "with an empty stack": [DW_OP.drop, DW_OP.drop],
  "picking what is not there": [DW_OP.pick, 200],
  "of itself": [DW_OP.call_frame_cfa],
  "leaving its bytes": [DW_OP.skip, 0x00, 0x70],
  "cut off": [DW_OP.const8u, 1, 2],
  "that is no operation": [0xff],
  "down the stack": [DW_OP.breg7, 0x40],
  "beyond the stack": [DW_OP.const8u, ...number(0x7fff_ffff_f000n, 8)],
};

for (const [what, program] of Object.entries(bad)) {
  Deno.test(`a CFA expression ${what}: the instructions tell the caller`, () => {
    const began = processorTime();
    const { frames, step } = misled(program);
    assertEquals(frames[1]?.address, step.returnAddress);
    assertEquals(frames[1]?.foundBy, "prologue");
    assert(processorTime() - began < 2000);
  });

  Deno.test(`a return address expression ${what}: the instructions tell the caller`, () => {
    // DW_CFA_def_cfa_offset 64, DW_CFA_expression of the return address.
    const { frames, step } = misled([], [0x0e, 64, 0x10, 16, ...uleb(program.length), ...program]);
    assertEquals(frames[1]?.address, step.returnAddress);
  });

  Deno.test(`a register's expression ${what}: its value is not known, or a value`, () => {
    const known = misled([]);
    const depth = Number(
      known.step.caller.get(x86_64.sp.dwarf!)! - readRegister(known.step.state, x86_64.sp),
    );
    // rbx, of a frame that is right otherwise.
    const { frames, step } = misled([], [
      ...[0x0e, ...uleb(depth)],
      ...[0x10, 3, ...uleb(program.length), ...program],
    ]);
    assertEquals([frames[1]?.address, frames[1]?.foundBy], [step.returnAddress, "cfi"]);
    const value = frames[1].registers.get("rbx");
    assert(value === undefined || typeof value === "bigint");
  });
}
