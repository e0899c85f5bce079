/** What unwind information costs: a walk by it against one by frame records alone, and the first
 * backtrace in an image of 100,000 functions against that in one of few. */
import { files, openKernel } from "../../ffi/mod.ts";
import { writeRegister, x86_64 } from "../../lib/arch/mod.ts";
import { Image, type LoadedImage } from "../../lib/macho/mod.ts";
import { Symbolizer } from "../../lib/symbols/mod.ts";
import { Backtrace, LiveTarget } from "../../lib/target/mod.ts";
import { unwind, type UnwindInput } from "../../lib/unwind/mod.ts";
import { startMachO } from "./crowd.ts";
import { median } from "./measure.ts";

/** A stack, without the images of its code. */
type Captured = Omit<UnwindInput, "images">;

/** The stacks of all threads of the crowd, and its Mach-O images: those of the system, which are ELF, have
 * no frame records. */
async function captureCrowd(): Promise<{ inputs: Captured[]; images: readonly LoadedImage[] }> {
  using launched = await startMachO();
  try {
    const { pid } = launched;
    const kernel = openKernel();
    using target = new LiveTarget(kernel, { files }, { pid, name: "crowd" });
    const { images, arch } = target;
    const { number: flavor, size: stateSize } = arch.threadState;
    const request = { flavor, stateSize, maxStack: 1 << 20, keepSuspended: false };
    const task = kernel.taskForPid(pid);
    const { threads } = kernel.snapshot(task, request);
    kernel.portRelease(task);
    // Reads what the images' lookups need while the process is there.
    for (const thread of target.snapshot().threads) thread.backtrace();
    const inputs = threads.map(({ state, stackAddress, stack, stackEnd }) => ({
      ...{ arch, state, stackAddress, stack, stackEnd, readInto: undefined },
    }));
    return { inputs, images: images.filter((image) => image instanceof Image) };
  } finally {
    launched.kill();
  }
}

/** An image as what has no unwind information: all that is known of it but its bytes. */
function bare(image: LoadedImage): LoadedImage {
  const { name, path, uuid, loadAddress, slide, ranges } = image;
  return {
    ...{ name, path, uuid, loadAddress, slide, ranges },
    symbolAt: (address) => image.symbolAt(address),
    findSymbols: (name) => image.findSymbols(name),
  };
}

/** Walks the same stacks in both ways, in turn, until the code and the plans are warm and then for the
 * table. */
async function warm(): Promise<void> {
  const { inputs, images } = await captureCrowd();
  const ways = [
    { name: "by frame records alone", images: images.map(bare) },
    { name: "by unwind information", images },
  ].map(({ name, images }) => {
    const symbolizer = new Symbolizer(images);
    const times: number[] = [];
    return { name, inputs: inputs.map((input) => ({ ...input, images: symbolizer })), times };
  });
  const [records, information] = ways.map(({ inputs }) =>
    inputs.map((input) => unwind(input).frames)
  );
  const count = information.flat().length;
  const byInformation = information.flat()
    .filter(({ foundBy }) => foundBy === "compact-unwind" || foundBy === "cfi");
  const addresses = [records, information].map((stacks) =>
    stacks.flat().map(({ address }) => address).join()
  );
  if (addresses[0] !== addresses[1]) throw new Error("the two do not find the same frames");
  const rounds = 10;
  for (let run = -20; run < 50; run++) {
    for (const { inputs, times } of ways) {
      const began = performance.now();
      for (let round = 0; round < rounds; round++) for (const input of inputs) unwind(input);
      if (run >= 0) times.push((performance.now() - began) * 1e6 / rounds / count);
    }
  }
  console.log(
    `${inputs.length} threads, ${count} frames, ${byInformation.length} by unwind information.\n`,
  );
  console.log("| warm walk | median | range | ratio |\n|---|---|---|---|");
  for (const { name, times } of ways) {
    console.log(
      `| ${name} | ${median(times).toFixed(0)} ns a frame | ${Math.min(...times).toFixed(0)} to ` +
        `${Math.max(...times).toFixed(0)} ns | ${
          (median(times) / median(ways[0].times)).toFixed(2)
        } |`,
    );
  }
}

/** In the body of each function the CFA is this far above the stack pointer, where it is stopped. */
const FRAME = 32;
/** Every so many-th function, and the one after it, has a frame of that size. */
const STRIDE = 200;
const DEPTH = 20;

interface Shape {
  /** Up to the call. */
  readonly prologue: (index: number) => string;
  readonly epilogue: (index: number) => string;
  /** The size of the prologue's code and of the call. */
  readonly returnOffset: number;
  readonly usesFramePointer: boolean;
}

const size = (index: number) => 24 + 16 * Math.floor((index % STRIDE) / 2);

const framePointer: Shape = {
  prologue: (index) =>
    "pushq %rbp; .cfi_def_cfa_offset 16; .cfi_offset %rbp, -16; movq %rsp, %rbp; " +
    `.cfi_def_cfa_register %rbp; subq $${size(index) - 8}, %rsp`,
  epilogue: (index) => `addq $${size(index) - 8}, %rsp; popq %rbp; ret`,
  returnOffset: 13,
  usesFramePointer: true,
};

const frameless: Shape = {
  prologue: (index) => `subq $${size(index)}, %rsp; .cfi_def_cfa_offset ${size(index) + 8}`,
  epilogue: (index) => `addq $${size(index)}, %rsp; ret`,
  returnOffset: 9,
  usesFramePointer: false,
};

/** Compact unwind information has no code for this register. */
const savesR11: Shape = {
  prologue: (index) =>
    "pushq %r11; .cfi_def_cfa_offset 16; .cfi_offset %r11, -16; " +
    `subq $${size(index) - 8}, %rsp; .cfi_def_cfa_offset ${size(index) + 8}`,
  epilogue: (index) => `addq $${size(index) - 8}, %rsp; popq %r11; ret`,
  returnOffset: 11,
  usesFramePointer: false,
};

const kinds: readonly {
  name: string;
  shapes: readonly [even: Shape, odd: Shape];
  bare: boolean;
}[] = [
  { name: "compact unwind", shapes: [framePointer, frameless], bare: false },
  { name: "`__eh_frame`, found by compact unwind", shapes: [savesR11, savesR11], bare: false },
  { name: "`__eh_frame` alone", shapes: [savesR11, savesR11], bare: true },
];

async function run(program: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** What a fresh process is to walk. */
interface Job {
  readonly dylib: string;
  /** By name. */
  readonly registers: Readonly<Record<string, number>>;
  readonly stackAddress: number;
  readonly stack: readonly number[];
}

/** Links a dylib of so many functions, and makes a stack of calls of some of them, far apart.
 *
 * @returns the file of the {@linkcode Job}
 */
async function build(
  directory: string,
  name: string,
  { shapes, bare }: (typeof kinds)[number],
  count: number,
): Promise<string> {
  const lines = [".text"];
  for (let index = 0; index < count; index++) {
    const { prologue, epilogue } = shapes[index % 2];
    const next = (index + 1) % count;
    lines.push(`.globl _function${index}`, ".p2align 4", `_function${index}: .cfi_startproc`);
    lines.push(prologue(index), `callq _function${next}`, epilogue(index), ".cfi_endproc");
  }
  const [source, object, dylib] = ["s", "o", "dylib"].map((end) => `${directory}/${name}.${end}`);
  await Deno.writeTextFile(source, lines.join("\n") + "\n");
  await run("clang-19", "-target", "x86_64-apple-macos11", "-c", source, "-o", object);
  await run(
    ...["ld64.lld-19", "-arch", "x86_64", "-platform_version", "macos", "11", "11"] as const,
    ...["-dylib", object, "-o", dylib],
  );

  const bytes = await Deno.readFile(dylib);
  if (bare) {
    // Renamed, it is no unwind information.
    const name = new TextDecoder("latin1").decode(bytes.subarray(0, 4096)).indexOf("__unwind_info");
    bytes[name] = "x".charCodeAt(0);
    await Deno.writeFile(dylib, bytes);
  }
  const image = Image.fromFile(bytes, dylib);
  const groups = count / STRIDE;
  const called = Array.from({ length: DEPTH }, (_, depth) => {
    const index = Math.floor(groups * depth / DEPTH) * STRIDE + depth % 2;
    const { address } = image.findSymbols(`function${index}`)[0];
    return { shape: shapes[index % 2], pc: Number(address) + shapes[index % 2].returnOffset };
  });
  const stackAddress = 0x7000_0000_0000;
  const record = (from: number) => {
    const at = called.findIndex(({ shape }, depth) => depth >= from && shape.usesFramePointer);
    return at < 0 ? 0 : stackAddress + FRAME * at + 16;
  };
  const job: Job = {
    dylib,
    registers: { rip: called[0].pc, rsp: stackAddress, rbp: record(0) },
    stackAddress,
    stack: called.flatMap((_, depth) => [0, 0, record(depth + 1), called[depth + 1]?.pc ?? 0]),
  };
  const file = `${directory}/${name}.json`;
  await Deno.writeTextFile(file, JSON.stringify(job));
  return file;
}

/** Walks a job's stack, in an image that nothing was read of, and names its frames. Prints
 * milliseconds. */
async function first(file: string): Promise<void> {
  const job: Job = JSON.parse(await Deno.readTextFile(file));
  const state = new Uint8Array(x86_64.threadState.size);
  for (const register of x86_64.threadState.registers) {
    writeRegister(state, register, BigInt(job.registers[register.name] ?? 0));
  }
  const stack = new Uint8Array(BigUint64Array.from(job.stack, BigInt).buffer);
  const stackAddress = BigInt(job.stackAddress);
  const image = Image.fromFile(await Deno.readFile(job.dylib), job.dylib);
  const resolver = new Symbolizer([image]);
  const began = performance.now();
  const unwound = unwind({
    arch: x86_64,
    ...{ images: resolver, state, stack, stackAddress, readInto: undefined },
    stackEnd: stackAddress + BigInt(stack.length),
  });
  const frames = new Backtrace(x86_64, resolver, unwound).activations;
  const named = frames.filter(({ symbol }) => symbol !== null).length;
  const ended = performance.now();
  if (named !== DEPTH || unwound.stopped !== "null-record") {
    throw new Error(`${named} frames, then ${unwound.stopped}\n${frames.join("\n")}`);
  }
  console.log(ended - began);
}

async function cold(): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    console.log(`\n${DEPTH} frames, each time in a fresh process.\n`);
    console.log(
      "| first backtrace | few functions | 100,000 functions | added |\n|---|---|---|---|",
    );
    for (const [index, kind] of kinds.entries()) {
      const jobs = await Promise.all(
        [2 * STRIDE, 100_000].map((count) => build(directory, `${index}-${count}`, kind, count)),
      );
      const times = jobs.map((): number[] => []);
      for (let run = -1; run < 9; run++) {
        for (const [at, job] of jobs.entries()) {
          const time = Number(await runFirst(job));
          if (run >= 0) times[at].push(time);
        }
      }
      const [few, many] = times.map(median);
      const columns = [few, many, many - few].map((time) => `${time.toFixed(1)} ms`);
      console.log(`| ${kind.name} | ${columns.join(" | ")} |`);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function runFirst(job: string): Promise<string> {
  return await run(Deno.execPath(), "run", "-A", import.meta.filename!, job);
}

/** Prints Markdown tables. */
export async function bench(): Promise<void> {
  await warm();
  await cold();
}

if (import.meta.main) await (Deno.args.length > 0 ? first(Deno.args[0]) : bench());
