/** Programs with variables of all kinds, and cores of them: threads at many places of every function, with
 * made-up registers and memory. What a debugger says of their variables then depends on the debug
 * information alone, and no machine of the architecture is needed. */
import { type Arch, type ArchName, archs, writeRegister } from "../../../lib/arch/mod.ts";
import { Image, type NotedImage } from "../../../lib/macho/mod.ts";
import { linkI386 } from "../../fixtures/link_i386.ts";
import { addUuid } from "../../fixtures/patch.ts";
import { buildCore, type RegionPart, type ThreadPart } from "../../lib/target/core_builder.ts";
import { run } from "../run.ts";

const sources = new URL("./", import.meta.url).pathname;

const triples: Readonly<Record<ArchName, string>> = {
  x86_64: "x86_64-apple-macos11",
  arm64: "arm64-apple-macos11",
  i386: "i386-apple-macos10.13",
  armv7: "armv7-apple-ios9",
};

const flags: Readonly<Record<string, readonly string[]>> = {
  "types.c": ["-fblocks"],
  "types.cpp": ["-std=c++20", "-fno-exceptions", "-fno-rtti"],
  "types.m": ["-fobjc-runtime=macosx-10.13"],
};

/** One way to build a source. */
export interface Build {
  readonly arch: ArchName;
  readonly source: string;
  readonly optimization: string;
  readonly dwarf: 4 | 5;
}

/** Builds a library with its dSYM in a folder; returns its path. */
export async function build(
  { arch, source, optimization, dwarf }: Build,
  folder: string,
): Promise<string> {
  const name = `lib${source.replace(".", "_")}.dylib`;
  const compile = (version: number) =>
    run("clang-19", [
      ...[
        "-target",
        triples[arch],
        "-w",
        "-g",
        optimization,
        `-gdwarf-${version}`,
        ...flags[source],
      ],
      ...["-fno-stack-protector", "-nostdinc", "-c", `${sources}${source}`, "-o", "part.o"],
    ], folder);
  // The linker for ARMv7 knows no DWARF 5, and takes nothing else than the object's path from it.
  await compile(arch === "armv7" ? 4 : dwarf);
  const path = `${folder}/${name}`;
  if (arch === "i386") {
    const bytes = await Deno.readFile(`${folder}/part.o`);
    const objects = [{ name: `${folder}/part.o`, source, bytes }];
    const output = await linkI386({ objects, dylibs: [], installName: path, rpaths: [] });
    await Deno.writeFile(path, output);
  } else if (arch === "armv7") {
    await run("/usr/lib/llvm-13/bin/ld64.lld.darwinold", [
      ...["-arch", "armv7", "-ios_version_min", "9.0", "-sdk_version", "9.0", "-dylib"],
      ...["-undefined", "dynamic_lookup", "-o", path, "part.o"],
    ], folder);
    await Deno.writeFile(path, await addUuid(await Deno.readFile(path)));
    const { mtime } = await Deno.stat(`${folder}/part.o`);
    await compile(dwarf);
    await Deno.utime(`${folder}/part.o`, mtime!, mtime!);
  } else {
    await run("ld64.lld-19", [
      ...["-arch", arch, "-platform_version", "macos", "11.0", "11.0", "-dylib"],
      ...["-undefined", "dynamic_lookup", "-install_name", path, "-o", path, "part.o"],
    ], folder);
  }
  await run("dsymutil-19", [path, "-o", `${path}.dSYM`], folder);
  return path;
}

/** Where the made-up memory is. */
const scratch = 0x7000_0000n;
const scratchSize = 1 << 16;

/** A core of a library: a thread at each of some addresses of every function.
 *
 * @param perFunction number of addresses
 */
export async function coreOf(
  path: string,
  archName: ArchName,
  perFunction: number,
): Promise<Uint8Array> {
  const arch: Arch = archs[archName];
  const bytes = await Deno.readFile(path);
  const loadAddress = 0x1000_0000n;
  const file = Image.fromFile(bytes, path, { loadAddress });
  const { slide } = file;
  const regions: RegionPart[] = [];
  const segments: NotedImage["segments"][number][] = [];
  for (const { name, vmAddress, size, fileOffset, fileSize } of file.segments) {
    if (size === 0 || name === "__LINKEDIT") continue;
    const content = new Uint8Array(size);
    content.set(bytes.subarray(fileOffset, fileOffset + fileSize));
    const address = vmAddress + slide;
    segments.push({ name, address });
    const protection = name === "__TEXT" ? 5 : 3;
    regions.push({ address, bytes: content, protection, segment: { image: path, name } });
  }
  regions.push({ address: scratch, bytes: scratchBytes(arch), protection: 3, segment: null });
  const threads: ThreadPart[] = [];
  const text = file.segments.find(({ name }) => name === "__TEXT")!.sections.find(({ name }) =>
    name === "__text"
  )!;
  const end = text.address + BigInt(text.size);
  const functions = [...file.symbols].filter(({ address }) =>
    address >= text.address && address < end
  ).sort((a, b) => a.address < b.address ? -1 : 1);
  const step = archName === "armv7" ? 2n : archName === "arm64" ? 4n : 1n;
  functions.forEach(({ address }, index) => {
    const size = Number((functions[index + 1]?.address ?? end) - address);
    for (let sample = 0; sample < perFunction; sample++) {
      const offset = BigInt(Math.floor(size * sample / perFunction));
      threads.push({
        id: BigInt(threads.length + 1),
        name: "",
        state: stateAt(arch, address + offset / step * step, threads.length),
      });
    }
  });
  const image = { path, uuid: file.uuid, loadAddress, slide, segments, executing: true };
  return buildCore({ arch, cpuSubtype: file.cpuSubtype, threads, regions, images: [image] });
}

/** Memory in which pointers point into itself, between small numbers. */
function scratchBytes({ pointerSize }: Arch): Uint8Array {
  const bytes = new Uint8Array(scratchSize);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 8 <= scratchSize; at += 8) {
    const mixed = Math.imul(at + 12345, 0x9e3779b1) >>> 0;
    if (at % 24 !== 0) {
      const pointer = Number(scratch) + 0x4000 + (mixed & 0x7ff8);
      view.setUint32(at, pointer, true);
      if (pointerSize === 4) view.setUint32(at + 4, mixed & 0xff, true);
    } else view.setUint32(at, mixed & 0xffff, true);
  }
  return bytes;
}

function stateAt(arch: Arch, pc: bigint, number: number): Uint8Array {
  const state = new Uint8Array(arch.threadState.size);
  arch.threadState.registers.forEach((register, index) => {
    writeRegister(
      state,
      register,
      scratch + BigInt(0x1000 + ((index * 8 + number) * 0x48) % 0x6000),
    );
  });
  writeRegister(state, arch.sp, scratch + 0x8000n);
  writeRegister(state, arch.fp, scratch + 0x8400n);
  writeRegister(state, arch.pc, pc);
  const status = arch.threadState.registers.find(({ name }) => /^(?:cpsr|[er]flags)$/.test(name));
  // Thumb code is executed in ARMv7.
  if (status !== undefined) writeRegister(state, status, arch.name === "armv7" ? 0x20n : 0n);
  return state;
}
