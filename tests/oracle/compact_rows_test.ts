/** Compares the rows made of compact unwind encodings with two truths about the same functions: what
 * their instructions do, followed one by one to the body, and the call-frame information that clang
 * writes for them. The functions save every choice of registers, over stacks of several sizes; x86_64
 * and arm64 are linked, and i386, which no linker here links, is read from the object. */

import { assert, assertEquals } from "@std/assert";
import { type Arch, arm64, i386, x86_64 } from "../../lib/arch/mod.ts";
import { Image } from "../../lib/macho/mod.ts";
import type { InstructionSet } from "../../lib/unwind/instruction_set.ts";
import { instructionSets } from "../../lib/unwind/instruction_sets.ts";
import { UnwindInfo } from "../../lib/unwind/unwind_info.ts";

async function output(command: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  assert(success, `${command} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

interface Target {
  readonly arch: Arch;
  readonly triple: string;
  /** Saved by whoever uses them; each choice makes a function. */
  readonly registers: readonly string[];
  /** Bytes of locals; those of a function that calls nothing are negative. */
  readonly stacks: readonly number[];
}

const targetX86_64: Target = {
  arch: x86_64,
  triple: "x86_64-apple-macos11",
  registers: ["rbx", "r12", "r13", "r14", "r15"],
  stacks: [0, 24, 200, 3000, 100_000],
};

const targetI386: Target = {
  arch: i386,
  triple: "i386-apple-macos10.13",
  registers: ["ebx", "esi", "edi"],
  stacks: [0, 24, 200, 3000, 100_000],
};

const targetArm64: Target = {
  arch: arm64,
  triple: "arm64-apple-macos11",
  registers: ["x19", "x21", "x23", "x25", "x27", "d8", "d10", "d12", "d14"],
  stacks: [0, 200, -1, -4000],
};

/** How often each mode is to be seen. */
type Counts = Partial<Record<"frame" | "immediate" | "indirect" | "dwarf" | "none", number>>;

const cases: readonly (Target & { readonly frames: boolean; readonly counts: Counts })[] = [
  { ...targetX86_64, frames: true, counts: { frame: 160 } },
  { ...targetX86_64, frames: false, counts: { immediate: 192, indirect: 128 } },
  { ...targetI386, frames: true, counts: { frame: 40 } },
  { ...targetI386, frames: false, counts: { immediate: 48, indirect: 32 } },
  // Functions that call nothing need no frame here; those that call have it, or are left to DWARF.
  { ...targetArm64, frames: true, counts: { frame: 1024, immediate: 1024 } },
  { ...targetArm64, frames: false, counts: { dwarf: 1024, immediate: 1024 } },
];

/** Functions, one for each choice of registers and each stack. */
function source({ registers, stacks, arch }: Target, frames: boolean): string {
  // Where it is not the frame pointer, it is a register like the others.
  const all = frames || arch === arm64 ? registers : [...registers, arch.fp.name];
  // Call-frame information beside the compact encodings, also on arm64.
  const lines = [
    `__asm__(".cfi_sections .eh_frame, .debug_frame");`,
    "void sink(volatile char *);",
  ];
  for (let choice = 0; choice < 1 << all.length; choice++) {
    const clobbers = all.filter((_, bit) => choice >> bit & 1).map((name) => `"${name}"`).join();
    for (const stack of stacks) {
      const size = Math.abs(stack);
      const locals = size > 1 ? `volatile char b[${size}]; b[0] = 1;` : "volatile char *b = 0;";
      const body = stack < 0 ? "(void)b;" : "sink(b); sink(0);";
      lines.push(
        `void f_${choice}_${lines.length}(void) { ${locals} ` +
          `__asm__ volatile("" ::: ${clobbers || '"memory"'}); ${body} }`,
      );
    }
  }
  return lines.join("\n");
}

interface Instruction {
  readonly address: number;
  readonly bytes: readonly number[];
  readonly text: string;
}

/** Instructions by function. */
async function disassemble(file: string): Promise<Map<string, Instruction[]>> {
  const functions = new Map<string, Instruction[]>();
  let instructions: Instruction[] = [];
  for (const line of (await output("llvm-objdump-19", "-d", file)).split("\n")) {
    const header = /^[0-9a-f]+ <(.*)>:$/.exec(line);
    if (header !== null) functions.set(header[1], instructions = []);
    const match = /^\s*([0-9a-f]+): ((?:[0-9a-f]+ )+)\s*\t(.*?)(?:\s+##? .*|\s*;.*)?$/.exec(line);
    if (match === null) continue;
    instructions.push({
      address: Number.parseInt(match[1], 16),
      bytes: match[2].trim().split(" ").map((hex) => Number.parseInt(hex, 16)),
      text: match[3].replaceAll("\t", " ").trim(),
    });
  }
  return functions;
}

/** Where a function's caller is, written `rsp+16: rbx@-16 rip@-8`. */
function write(cfa: string, offset: number, places: ReadonlyMap<string, number>): string {
  const sorted = [...places].sort(([, a], [, b]) => a - b).map(([name, at]) => `${name}@${at}`);
  return [`${cfa}+${offset}:`, ...sorted].join(" ");
}

/** What is known before the first instruction that leaves the prologue. */
interface Body {
  readonly address: number;
  readonly row: string;
}

/** Follows the instructions of a prologue of i386 or x86_64. */
function followX86(arch: Arch, instructions: readonly Instruction[]): Body {
  const word = arch.pointerSize;
  let depth = word;
  let frame: number | undefined;
  const places = new Map([[arch.pc.name, -word]]);
  for (const { address, text } of instructions) {
    const push = /^push[lq] %(\w+)$/.exec(text);
    const sub = new RegExp(`^sub[lq] \\$(-?0x[0-9a-f]+), %${arch.sp.name}$`).exec(text);
    if (push !== null) {
      depth += word;
      // This one is pushed for its size.
      if (!/^[er]ax$/.test(push[1])) places.set(push[1], -depth);
    } else if (sub !== null) {
      depth += sub[1].startsWith("-") ? -Number(sub[1].slice(1)) : Number(sub[1]);
    } else if (new RegExp(`^mov[lq] %${arch.sp.name}, %${arch.fp.name}$`).test(text)) {
      frame = depth;
    } else if (/^(call|ret|pop|jmp|add)/.test(text)) {
      const row = frame === undefined
        ? write(arch.sp.name, depth, places)
        : write(arch.fp.name, frame, places);
      return { address, row };
    }
  }
  throw new Error("a function without an end");
}

/** Follows the instructions of a prologue of arm64. */
function followArm64(instructions: readonly Instruction[]): Body {
  const named = (name: string): string => ({ x29: "fp", x30: "lr" })[name] ?? name;
  let depth = 0;
  let frame: number | undefined;
  const places = new Map<string, number>();
  for (const { address, text } of instructions) {
    const store = /^stp (\w+), (\w+), \[sp(?:, #(-?0x[0-9a-f]+))?\](!)?$/.exec(text);
    const sub = /^sub sp, sp, #(0x[0-9a-f]+)(, lsl #12)?$/.exec(text);
    const setFrame = /^(?:mov x29, sp|add x29, sp, #(0x[0-9a-f]+))$/.exec(text);
    if (store !== null && /^[xd]/.test(store[1])) {
      const [, first, second, immediate = "0x0", before] = store;
      const offset = Number(immediate.replace("-", "")) * (immediate.startsWith("-") ? -1 : 1);
      if (before) depth -= offset;
      const at = before ? -depth : offset - depth;
      places.set(named(first), at).set(named(second), at + 8);
    } else if (sub !== null) {
      depth += Number(sub[1]) * (sub[2] ? 0x1000 : 1);
    } else if (setFrame !== null) {
      frame = depth - Number(setFrame[1] ?? 0);
    } else if (/^(bl?|ret|ldp|add sp, sp,.*)\b/.test(text)) {
      const row = frame === undefined ? write("sp", depth, places) : write("fp", frame, places);
      return { address, row };
    }
  }
  throw new Error("a function without an end");
}

/** The rows of `__debug_frame`, by address. */
async function callFrameRows(file: string, arch: Arch): Promise<Map<number, string>> {
  const named = (name: string): string => {
    if (arch === arm64) {
      return name === "WSP"
        ? "sp"
        : name.replace(/^W29$/, "fp").replace(/^W30$/, "lr").replace(/^W/, "x").replace(/^B/, "d");
    }
    // llvm-dwarfdump swaps their names here; the section has 4 for esp, as the ABI does.
    if (arch === i386 && /^E[BS]P$/.test(name)) return name === "EBP" ? "esp" : "ebp";
    return name.toLowerCase();
  };
  const rows = new Map<number, string>();
  const text = await output("llvm-dwarfdump-19", "--debug-frame", file);
  for (
    const [, at, cfa, offset, rules] of text.matchAll(/^ +0x(\w+): CFA=(\w+)\+?(\d*):?(.*)$/gm)
  ) {
    const places = [...rules.matchAll(/(\w+)=\[CFA-(\d+)\]/g)];
    rows.set(
      Number.parseInt(at, 16) % 2 ** 32,
      write(
        named(cfa),
        Number(offset),
        new Map(places.map(([, name, below]) => [named(name), -below])),
      ),
    );
  }
  return rows;
}

/** Encodings by address: from the linked image's table, or i386's object. */
async function encodings(file: string, arch: Arch): Promise<(address: number) => number> {
  if (arch === i386) {
    const text = await output("llvm-objdump-19", "--macho", "--unwind-info", file);
    const all = text.matchAll(/start: +0x(\w+) _\w+\n.*\n +compact encoding: +0x(\w+)/g);
    const found = new Map(
      [...all].map(([, at, encoding]) => [Number.parseInt(at, 16), Number.parseInt(encoding, 16)]),
    );
    return (address) => found.get(address) ?? 0;
  }
  const bytes = await Deno.readFile(file);
  const image = Image.fromFile(bytes, file);
  assertEquals(image.loadAddress, 0n);
  const section = image.segments.flatMap(({ sections }) => sections)
    .find(({ name }) => name === "__unwind_info");
  assert(section !== undefined);
  const info = UnwindInfo.parse(
    bytes.subarray(section.fileOffset, section.fileOffset + section.size),
    (message) => assert(false, message),
  );
  return (address) => info.encodingAt(address)?.encoding ?? 0;
}

function modeOf(arch: Arch, encoding: number): keyof Counts {
  const modes: readonly (keyof Counts)[] = arch === arm64
    ? ["none", "none", "immediate", "dwarf", "frame"]
    : ["none", "frame", "immediate", "indirect", "dwarf"];
  return modes[encoding >>> 24 & 15];
}

function writeRow(arch: Arch, row: ReturnType<InstructionSet["compactRow"]>): string {
  if (row === null) return "none";
  if ("dwarf" in row) return "dwarf";
  const named = (number: number): string =>
    arch.threadState.registers.find(({ dwarf }) => dwarf === number)?.name ?? `d${number - 64}`;
  assert(row.cfa.kind === "register");
  const places = new Map<string, number>();
  for (const [number, rule] of row.registers) {
    if (rule.kind === "offset") places.set(named(number), rule.offset);
    else assertEquals([named(number), rule.kind], ["lr", "same"]);
  }
  return write(named(row.cfa.register), row.cfa.offset, places);
}

async function compare(target: Target, frames: boolean): Promise<Counts> {
  const { arch, triple } = target;
  const directory = await Deno.makeTempDir();
  try {
    const object = `${directory}/rows.o`;
    await Deno.writeTextFile(`${directory}/rows.c`, source(target, frames));
    const flags = ["-O1", "-fno-stack-protector", "-fno-builtin"];
    const frame = frames ? "-fno-omit-frame-pointer" : "-fomit-frame-pointer";
    await output(
      "clang-19",
      ...["-target", triple, ...flags, frame, "-Wno-inline-asm"],
      ...["-c", `${directory}/rows.c`, "-o", object],
    );
    const linked = arch === i386 ? object : `${directory}/rows.dylib`;
    if (linked !== object) {
      await output(
        "ld64.lld-19",
        ...["-arch", arch.name, "-platform_version", "macos", "11.0", "11.0", "-dylib"],
        ...["-undefined", "dynamic_lookup", "-o", linked, object],
        new URL("../fixtures/sdk/libSystem.tbd", import.meta.url).pathname,
      );
    }
    const inObject = await disassemble(object);
    const cfi = await callFrameRows(object, arch);
    const encodingAt = await encodings(linked, arch);
    const counts: Counts = {};
    for (const [name, instructions] of await disassemble(linked)) {
      if (!name.startsWith("_f_")) continue;
      const start = instructions[0].address;
      const encoding = encodingAt(start);
      const mode = modeOf(arch, encoding);
      counts[mode] = (counts[mode] ?? 0) + 1;
      const code = new Uint8Array(instructions.flatMap(({ bytes }) => bytes));
      const ours = writeRow(
        arch,
        instructionSets[arch.name].compactRow(encoding, {
          functionStart: start,
          readCode: (offset, length) => code.slice(offset - start, offset - start + length),
        }),
      );
      const body = arch === arm64 ? followArm64(instructions) : followX86(arch, instructions);
      // The last row at or before the same place in the object.
      // The assembler's own name for a section's start hides the first function's.
      const objectStart = (inObject.get(name) ?? inObject.get("ltmp0"))![0].address;
      let at = objectStart + body.address - start;
      while (at > objectStart && !cfi.has(at)) at--;
      const what = `${arch.name} ${frame} ${name} 0x${encoding.toString(16)}`;
      assertEquals(cfi.get(at), body.row, `${what}: the truths differ`);
      if (mode === "dwarf" || mode === "none") assertEquals(ours, mode, what);
      else assertEquals(ours, body.row, what);
    }
    return counts;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

for (const { frames, counts, ...target } of cases) {
  const words = frames ? "frames" : "no frame pointer";
  Deno.test(`rows of compact encodings: ${target.arch.name}, ${words}`, async () => {
    assertEquals(await compare(target, frames), counts);
  });
}
