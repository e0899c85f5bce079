/** Where a program's variables of threads are, from the thread pointer: as the linker has put it into code. */
import { assertEquals } from "@std/assert";
import { type ArchName, archs } from "../../lib/arch/mod.ts";
import { ElfImage } from "../../lib/elf/mod.ts";
import { bytesSource } from "../../lib/macho/mod.ts";
import { Memory } from "../../lib/target/memory.ts";
import { threadAddress } from "../../lib/target/thread_locals.ts";
import { run } from "./run.ts";

/** How the assembler is asked for the distance, and how the linker's answer is read. */
const probes: Readonly<
  Record<ArchName, { triple: string; code: string; read: (view: DataView) => number }>
> = {
  x86_64: {
    triple: "x86_64-linux-gnu",
    code: ".quad wanted@tpoff",
    read: (view) => Number(view.getBigInt64(0, true)),
  },
  i386: {
    triple: "i386-linux-gnu",
    code: ".long wanted@ntpoff, 0",
    read: (view) => view.getInt32(0, true),
  },
  arm64: {
    triple: "aarch64-linux-gnu",
    code: "movz x0, #:tprel_g0:wanted; nop",
    read: (view) => view.getUint32(0, true) >>> 5 & 0xffff,
  },
  armv7: {
    triple: "armv7-linux-gnueabihf",
    code: ".word wanted(tpoff), 0",
    read: (view) => view.getInt32(0, true),
  },
};

const distance = async (arch: ArchName, alignment: number, size: number, offset: number) => {
  const { triple, code, read } = probes[arch];
  const folder = await Deno.makeTempDir();
  try {
    const source = `.globl _start, probe, wanted
.text
_start: .long 0, 0
probe: ${code}
.section .tdata,"awT",%progbits
.balign ${alignment}
.skip ${offset}, 1
wanted: .skip ${size - offset}, 2
`;
    await Deno.writeTextFile(`${folder}/t.s`, source);
    await run("clang-19", [
      ...[`--target=${triple}`, "-nostdlib", "-static", "-fuse-ld=lld", "-no-pie"],
      ...["-o", `${folder}/t`, `${folder}/t.s`],
    ]);
    const bytes = await Deno.readFile(`${folder}/t`);
    const program = bytesSource(bytes, "t");
    const image = new ElfImage("t", [{ start: 0n, end: 1n << 32n }], () => program);
    const [probe] = image.findSymbols("probe");
    const held = image.read(probe.address, 8)!;
    const handle = 0x10_0000n;
    const found = threadAddress(
      {
        memory: new Memory(() => 0, archs[arch].pointerSize),
        arch: archs[arch],
        lookup: () => [],
      },
      image,
      handle,
      { operand: BigInt(offset), descriptor: () => undefined },
    );
    const view = new DataView(held.buffer, held.byteOffset, held.length);
    assertEquals(found, handle + BigInt(read(view)), `${arch} ${alignment} ${size} ${offset}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
};

for (const arch of Object.keys(probes) as ArchName[]) {
  Deno.test(`${arch}: distances from the thread pointer`, async () => {
    for (const [alignment, size, offset] of [[1, 3, 0], [8, 24, 16], [64, 70, 64]]) {
      await distance(arch, alignment, size, offset);
    }
  });
}
