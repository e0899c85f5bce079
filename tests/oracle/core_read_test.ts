/** Compares threads, registers and frames of cores made by hand with what LLDB says of them. Of a core
 * that holds its images LLDB gets nothing else: it finds them through the core's notes. */
import { assert, assertEquals } from "@std/assert";
import { writeRegister } from "../../lib/arch/mod.ts";
import { type CoreTarget, openCore, type Thread } from "../../mod.ts";
import { chains } from "../lib/target/demo.ts";
import {
  buildCore,
  coreFile,
  type Parts,
  partsOf,
  type Variant,
} from "../lib/target/core_builder.ts";

/** As LLDB prints it: `address image function + offset`; the offset only where there is a function. */
type FrameText = string;

interface LldbThread {
  readonly frames: FrameText[];
  readonly registers: Map<string, bigint>;
  readonly exception: Map<string, bigint>;
}

/** @param program its binary; without it LLDB is to find that through the core */
async function lldb(core: string, threads: number, program = ""): Promise<LldbThread[]> {
  const args = ["-x", "-b", "-o", `target create ${program} --core "${core}"`, "-o", "bt all"];
  for (let index = 1; index <= threads; index++) {
    args.push("-o", `thread select ${index}`, "-o", "register read -a");
  }
  const { stdout } = await new Deno.Command("lldb-19", { args }).output();
  const [, ...texts] = new TextDecoder().decode(stdout).split(/^\(lldb\) thread select \d+$/m);
  const bt = /^\(lldb\) bt all$(.*?)^\(lldb\)/ms.exec(new TextDecoder().decode(stdout))![1];
  const backtraces = bt.split(/^[ *]+thread #\d+.*$/m).slice(1);
  assertEquals(backtraces.length, threads);
  return backtraces.map((text, index) => ({
    frames: [...text.matchAll(/frame #\d+: (0x[\da-f]+)(?: (\S+?)`(.*?) \+ (\d+))?/g)].map(
      ([, address, image = "???", symbol = "", offset = ""]) =>
        `${address} ${image} ${symbol}${symbol === "" ? "" : ` + ${offset}`}`,
    ),
    registers: readRegisters(texts[index], "General Purpose"),
    exception: readRegisters(texts[index], "Exception State"),
  }));
}

function readRegisters(text: string, set: string): Map<string, bigint> {
  const part = text.split(/^(?=\S.*Registers:$)/m).find((part) => part.startsWith(set)) ?? "";
  const values = [...part.matchAll(/^\s+(\w+) = (0x[\da-f]+)/gm)];
  return new Map(values.map(([, name, value]) => [name, BigInt(value)]));
}

/** Our frames in LLDB's form. It leaves out the frames of no image at a stack's end, where we follow
 * the records to the last. */
function framesOf(thread: Thread, core: CoreTarget): FrameText[] {
  return thread.backtrace().map(({ address, image, symbol, offset }) => {
    const text = `0x${address.toString(16).padStart(core.arch.pointerSize * 2, "0")}`;
    return image === null ? `${text} ??? ` : `${text} ${image.name} ${symbol!.name} + ${offset}`;
  });
}

function inImages(frames: readonly FrameText[]): FrameText[] {
  return frames.filter((frame) => !frame.includes(" ??? "));
}

/** LLDB takes the link register for the caller of a frame 0 that it knows nothing about, and then
 * finds the same caller again in the frame record: the call chains of the demo say that it is there
 * once. */
function withoutRepeatedLink(frames: readonly FrameText[]): FrameText[] {
  return frames.filter((frame, index) => !(index === 2 && frame === frames[1]));
}

/** The same process with every thread returned to its first frame in an image: LLDB does not walk out
 * of i386 code that is in no image. */
async function returnedToImages(parts: Parts): Promise<Parts> {
  using file = await coreFile(buildCore(parts));
  using core = openCore(file.path);
  const threads = parts.threads.map((thread, index) => {
    const frame = core.threads[index].backtrace().find(({ image }) => image !== null)!;
    const state = thread.state.slice();
    writeRegister(state, core.arch.pc, frame.address);
    writeRegister(state, core.arch.sp, frame.sp);
    writeRegister(state, core.arch.fp, frame.fp);
    return { ...thread, state };
  });
  return { ...parts, threads };
}

/** Exception registers by LLDB's names and ours. */
const exceptions: Readonly<Record<string, readonly [name: string, value: bigint][]>> = {
  x86_64: [["trapno", 14n], ["err", 6n], ["faultvaddr", 0x10n]],
  i386: [["trapno", 14n], ["err", 4n], ["faultvaddr", 0x20n]],
  arm64: [["far", 0x18n], ["esr", 0x9200_0045n]],
  armv7: [["exception", 4n], ["fsr", 0x805n], ["far", 0x20n]],
};

const variants: readonly [string, Variant][] = [
  ["all in the core", {}],
  ["images' headers alone", {
    keep: ({ segment }) => segment === null || segment.name === "__TEXT" ? "bytes" : "missing",
  }],
];

for (const name of ["x86_64", "i386", "arm64", "armv7"] as const) {
  for (const [what, variant] of variants) {
    Deno.test(`${name}: ${what}: LLDB's threads, registers and frames`, async () => {
      const demo = await partsOf(name);
      const { exceptionState } = demo.arch;
      const exception = new Uint8Array(exceptionState.size);
      for (const [name, value] of exceptions[demo.arch.name]) {
        writeRegister(exception, exceptionState.registers.find((r) => r.name === name)!, value);
      }
      const live = name === "i386" ? await returnedToImages(demo) : demo;
      const threads = live.threads.map((thread, index) =>
        index === 2 ? { ...thread, exception } : thread
      );
      using file = await coreFile(buildCore({ ...live, threads }, variant));
      using core = openCore(file.path);
      const program = variant.keep === undefined ? "" : core.images[0].path;
      const theirs = await lldb(file.path, core.threads.length, program);
      for (const [index, thread] of core.threads.entries()) {
        const { registers, frames } = theirs[index];
        const ours = inImages(framesOf(thread, core));
        const expected = inImages(withoutRepeatedLink(frames));
        // LLDB does not see that a Thumb leaf's caller is in lr alone; the demo's chain has it.
        const isThumbLeaf = name === "armv7" && thread.name === "demo.leaf";
        if (isThumbLeaf) assertEquals(ours.length, chains.get(thread.name)!.length);
        assertEquals(isThumbLeaf ? ours.slice(0, 1) : ours, expected, `thread ${index}`);
        let compared = 0;
        for (const { name, value } of thread.registers) {
          if (!registers.has(name)) continue;
          assertEquals(value, registers.get(name), `thread ${index}: ${name}`);
          compared++;
        }
        assert(compared >= 14, `${compared} registers`);
      }
      assertEquals(core.crashedThread?.index, 2);
      const isArm = name === "arm64" || name === "armv7";
      const said = core.threads[2].exception!.registers;
      for (const [name, value] of exceptions[demo.arch.name]) {
        assertEquals(said.get(name), value);
        // LLDB shows these of x86 threads as zero, in the kernel's own cores too: it ends with the first flavor that
        // it knows, which is the general registers (`SetRegisterDataFrom_LC_THREAD` of ObjectFileMachO.cpp sets
        // `done` after each). Its writer puts both into a core, in the order and the flavors of ours; XNU's
        // `thread_flavor_array` of kern_core.c has the same two in their wrapped forms.
        if (isArm) assertEquals(theirs[2].exception.get(name), value, name);
      }
      assertEquals(core.warnings, []);
    });
  }
}
