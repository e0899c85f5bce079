/** `llvm-symbolizer`'s answers, to compare ours with. */
import { MachOFile } from "../../lib/macho/mod.ts";
import { DwarfInfo, DwarfSections, type SourceFrame } from "../../lib/dwarf/mod.ts";
import { files } from "../../ffi/files.ts";

/** Functions, innermost first, as `name file:line:column`. */
export type Chain = readonly string[];

/** Debug information to ask, and where it has code. */
export interface Subject extends Disposable {
  readonly path: string;
  readonly info: DwarfInfo;
  /** Of offset 0. */
  readonly base: bigint;
  /** Sections of code, as offsets. */
  readonly code: readonly { readonly start: number; readonly size: number }[];
}

/** Opens a Mach-O file with DWARF. */
export function openSubject(path: string): Subject {
  const file = files.open(path);
  const [image] = new MachOFile(file).images;
  const sections = image.segments.flatMap(({ sections }) => sections);
  const dwarf = DwarfSections.find(file, sections);
  if (dwarf === null) throw new Error(`${path} has no DWARF`);
  const base = image.image.loadAddress;
  return {
    path,
    base,
    info: DwarfInfo.open(dwarf, { base }),
    code: sections.filter(({ flags, size }) => (flags & 0x80000400) !== 0 && size > 0)
      .map(({ vmAddress, size }) => ({ start: Number(vmAddress - base), size })),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** Every `step`th offset of a subject's code. */
export function everyOffset({ code }: Subject, step: number): number[] {
  return code.flatMap(({ start, size }) =>
    Array.from({ length: Math.ceil(size / step) }, (_, index) => start + index * step)
  );
}

/** Offsets in a subject's code, always the same. */
export function randomOffsets({ code }: Subject, count: number): number[] {
  const total = code.reduce((sum, { size }) => sum + size, 0);
  let seed = 1;
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    let at = Math.floor(seed / 2 ** 32 * total);
    for (const { start, size } of code) {
      if (at < size) return start + at;
      at -= size;
    }
    return 0;
  });
}

/** What is known at an offset, in a form to compare. What LLVM does not know is empty there. */
export function chain(frames: readonly SourceFrame[]): Chain {
  return frames.map(({ function: name, location }) =>
    `${name} ${location?.file ?? ""}:${location?.line ?? 0}:${location?.column ?? 0}`
  );
}

interface LlvmSymbol {
  readonly FunctionName: string;
  readonly FileName: string;
  readonly Line: number;
  readonly Column: number;
}

/** LLVM's chains at addresses of a file. */
export async function llvmChains(path: string, addresses: readonly bigint[]): Promise<Chain[]> {
  const child = new Deno.Command("llvm-symbolizer-19", {
    args: [
      ...[`--obj=${path}`, "--output-style=JSON", "--inlining", "--no-demangle"],
      "--functions=linkage",
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const output = child.output();
  const writer = child.stdin.getWriter();
  const lines = addresses.map((address) => `0x${address.toString(16)}\n`).join("");
  await writer.write(new TextEncoder().encode(lines));
  await writer.close();
  const { success, stdout } = await output;
  if (!success) throw new Error(`llvm-symbolizer-19 failed for ${path}`);
  return new TextDecoder().decode(stdout).trim().split("\n").map((line) => {
    const symbols = JSON.parse(line).Symbol as readonly LlvmSymbol[] ?? [];
    return symbols.map(({ FunctionName, FileName, Line, Column }) =>
      `${FunctionName} ${FileName}:${Line}:${Column}`
    );
  });
}

/** Throws where our chains at a subject's offsets are not LLVM's; returns how many were compared, and
 * how many of them have inlined calls.
 *
 * LLVM takes the last name from the symbol table where that has one. Where debug information names no
 * function, or nothing at all, only that name is different; and of Go's assembly functions, whose
 * symbols say so at their end.
 */
export async function compareChains(
  { info, base }: Subject,
  offsets: readonly number[],
  file: string,
  ours: readonly (readonly SourceFrame[])[] = info.framesOf(offsets),
): Promise<{ readonly known: number; readonly inlined: number }> {
  const theirs = await llvmChains(file, offsets.map((offset) => base + BigInt(offset)));
  let known = 0;
  let inlined = 0;
  offsets.forEach((offset, index) => {
    const frames = ours[index];
    const got = chain(frames.length > 0 ? frames : [nothing]);
    const last = got.length - 1;
    const unnamed = (frames[last]?.function ?? "") === "";
    const cut = (text: string, at: number) =>
      unnamed && at === last ? text.slice(text.indexOf(" ")) : text;
    if (
      got.map(cut).join("\n") !==
        theirs[index].map((text) => text.replace(/^(\S+)\.abi0 /, "$1 ")).map(cut).join("\n")
    ) {
      const address = (base + BigInt(offset)).toString(16);
      throw new Error(
        `${file} at 0x${address}:\n${got.join("\n")}\nand LLVM:\n${theirs[index].join("\n")}`,
      );
    }
    if (frames.length > 0) known++;
    if (frames.length > 1) inlined++;
  });
  return { known, inlined };
}

const nothing: SourceFrame = { function: "", location: null, inlined: false };
