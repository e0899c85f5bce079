/** A compiler's function whose labels are symbols, as assemblers write them, against the same code whose
 * labels have no symbols: at each instruction the walk is the same. */
import { assert, assertEquals } from "@std/assert";
import { type Arch, arm64, writeRegister, x86_64 } from "../../lib/arch/mod.ts";
import type { Image } from "../../lib/macho/mod.ts";
import { Symbolizer } from "../../lib/symbols/mod.ts";
import { plansOf } from "../../lib/unwind/image_plans.ts";
import { unwind } from "../../lib/unwind/mod.ts";
import { instructionSets } from "../../lib/unwind/instruction_sets.ts";
import { X86Decoder } from "../../lib/unwind/x86/decode.ts";
import { assembled } from "./assembled.ts";
import { run } from "./run.ts";

const source = `
extern int work(int, long);
int lines(const unsigned char *at, int count, long step) {
  long held[8] = {0};
  int sum = 0;
  for (int n = 0; n < count; n++) {
    if (at[n] == 7) return work(sum, held[n & 7]);
    held[n & 7] += at[n] * step;
    while (held[n & 7] > 100) { held[n & 7] -= work(n, step); sum++; }
    switch (at[n]) {
      case 1: sum += work(1, 2); break;
      case 9: sum ^= n; break;
      case 12: sum -= work(step, n);
    }
  }
  return sum + (int)held[3];
}
int described(int n) { return work(n, 1) + 1; }
`;

/** Builds the function without unwind information, as assembly is written. */
function build(arch: Arch, assembly: string, folder: string): Promise<Image> {
  return assembled(arch, assembly, folder, {
    // Jumps to symbols are long ones.
    assembler: arch === x86_64 ? ["-mrelax-all"] : [],
    linker: ["-undefined", "dynamic_lookup"],
  });
}

function* instructions(arch: Arch, code: Uint8Array): Iterable<number> {
  const decoder = new X86Decoder(true);
  for (let at = 0; at < code.length; at += arch === arm64 ? 4 : decoder.length) {
    if (arch === x86_64) assert(decoder.decode(code, at), `at ${at}`);
    yield at;
  }
}

for (const arch of [x86_64, arm64]) {
  Deno.test(`${arch.name}: labels inside of a function change no walk`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/lines.c`, source);
      await run("clang-19", [
        ...["-target", `${arch.name}-apple-macos11`, "-O1", "-fomit-frame-pointer"],
        ...["-fno-stack-protector", "-S", "lines.c"],
      ], folder);
      const text = (await Deno.readTextFile(`${folder}/lines.s`))
        .replace(".subsections_via_symbols", "");
      const end = text.indexOf(".cfi_endproc");
      const own = text.slice(0, end).replaceAll(/^\s*\.cfi_.*$/gm, "");
      const rest = text.slice(text.indexOf("\n", end));
      const plain = await build(arch, own + rest, folder);
      const labelled = await build(arch, own.replaceAll("LBB0_", "inner_") + rest, folder);

      const { address, size } = [...plain.symbols].find(({ name }) => name === "lines")!;
      const code = plain.read(address, size)!;
      assertEquals(labelled.read(address, size), code);
      const labels = [...labelled.symbols].filter(({ name }) => name.startsWith("inner_"));
      assert(labels.length >= 8, `${labels.length} labels`);

      const returnAddress = [...code.keys()].map((at) => address + BigInt(at))
        .find((at) =>
          at > address + 16n &&
          instructionSets[arch.name].isAfterCall((at, n) => plain.read(at, n), at, false)
        )!;
      const stackAddress = 0x7000_0000n;
      const stack = new BigUint64Array(128).fill(returnAddress);
      const walk = (image: Image, pc: bigint) => {
        const state = new Uint8Array(arch.threadState.size);
        writeRegister(state, arch.pc, pc);
        writeRegister(state, arch.sp, stackAddress);
        if (arch.lr !== null) writeRegister(state, arch.lr, returnAddress);
        const images = new Symbolizer([image]);
        const { frames } = unwind({
          arch,
          images,
          state,
          stackAddress,
          stack: new Uint8Array(stack.buffer),
          stackEnd: stackAddress + 1024n,
          readInto: undefined,
        }, { limit: 2 });
        const plans = plansOf(image, arch, images)!;
        return {
          frames: frames.map(({ address, sp, foundBy }) => [address, sp, foundBy]),
          rows: [plans.innermostAt(pc), plans.at(pc)],
        };
      };
      let depths = new Set<unknown>();
      for (const at of instructions(arch, code)) {
        const pc = address + BigInt(at);
        const truth = walk(plain, pc);
        assertEquals(walk(labelled, pc), truth, `at ${at}`);
        depths = depths.add(truth.frames[1][1]);
      }
      assert(depths.size > 1);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
