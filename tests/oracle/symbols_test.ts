/** Compares symbols, exports, function starts and the answers made from them with what LLVM's tools
 * read in the same files: all built fixtures, a few compiled here, and those that the environment's
 * `MACHO_FILES` names (separated by colons). */

import { assert, assertEquals } from "@std/assert";
import { CPU_TYPE, FILE_TYPE, Image } from "../../lib/macho/mod.ts";
import { FakeMemory } from "../lib/macho/build_image.ts";
import { machOFiles } from "./macho_files.ts";
import { run } from "./run.ts";

const fixtures = new URL("../../examples/demo/", import.meta.url).pathname;

interface Named {
  readonly address: bigint;
  readonly name: string;
  readonly external: boolean;
  readonly thumb: boolean;
}

/** What the tools say of a file. Addresses as linked. */
interface Truth {
  readonly symbols: readonly Named[];
  readonly exports: readonly Named[];
  readonly functionStarts: readonly bigint[];
  readonly sections: readonly { readonly start: bigint; readonly end: bigint }[];
}

async function truthOf(file: string): Promise<Truth> {
  const symbols: Named[] = [];
  // Address, (segment,section), attributes, name: names may hold spaces, attributes are known words.
  const attribute = "(?:weak|private|non-external|external|automatically hidden|\\[[^\\]]*\\]|" +
    "\\(was a private external\\))";
  const line = new RegExp(`^([0-9a-f]+) \\([^)]*,[^)]*\\) ((?:${attribute} )*)(.*)$`);
  for (const text of (await run("llvm-nm-19", ["-m", "--defined-only", file])).split("\n")) {
    const match = line.exec(text);
    if (match === null) continue;
    const [, address, attributes, name] = match;
    const thumb = attributes.includes("[Thumb]");
    const external = /(^| )external /.test(attributes.replace("(was a private external)", ""));
    symbols.push({ address: BigInt(`0x${address}`), name, external, thumb });
  }
  const exports: Named[] = [];
  const trie = await run("llvm-objdump-19", ["--macho", "--exports-trie", file]);
  for (const text of trie.split("\n")) {
    const match = /^0x([0-9A-F]+)\s+(\S+)(.*)$/.exec(text);
    if (match === null || match[3].includes("absolute")) continue;
    exports.push({
      address: BigInt(`0x${match[1]}`),
      name: match[2],
      external: true,
      thumb: false,
    });
  }
  const starts = await run("llvm-objdump-19", ["--macho", "--function-starts=addrs", file]);
  const sections = [];
  for (const text of (await run("llvm-objdump-19", ["--section-headers", file])).split("\n")) {
    const match = /^\s*\d+ .*\s([0-9a-f]{8}) ([0-9a-f]{8,16})(?: .*)?$/.exec(text);
    if (match === null) continue;
    const start = BigInt(`0x${match[2]}`);
    sections.push({ start, end: start + BigInt(`0x${match[1]}`) });
  }
  return {
    symbols,
    exports,
    functionStarts: [...starts.matchAll(/^([0-9a-f]{8,16})$/gm)].map(([, hex]) =>
      BigInt(`0x${hex}`)
    ),
    sections,
  };
}

/** The order in which symbols at one address are preferred. */
function preferred(a: Named, b: Named): number {
  if (a.external !== b.external) return a.external ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** What is to be said about `address`, found by a search through everything. */
function nearest(truth: Truth, address: bigint, isArm: boolean): string {
  const section = truth.sections.find(({ start, end }) => address >= start && address < end);
  if (section === undefined) return "nothing";
  const before = (at: bigint): boolean => at >= section.start && at <= address;
  const even = (at: bigint): bigint => isArm ? at & ~1n : at;
  let best = -1n;
  let names: Named[] = [];
  const externals = new Set(
    truth.symbols.filter(({ external }) => external).map(({ address }) => address),
  );
  const exported = truth.exports.map((entry) => ({ ...entry, address: even(entry.address) }))
    .filter((entry) => !externals.has(entry.address));
  for (const symbol of [...truth.symbols, ...exported]) {
    if (!before(symbol.address) || symbol.address < best) continue;
    if (symbol.address > best) names = [];
    best = symbol.address;
    names.push(symbol);
  }
  for (const start of truth.functionStarts.map(even)) {
    if (before(start) && start > best) [best, names] = [start, []];
  }
  if (best < 0n) return "nothing";
  return `${names.sort(preferred).at(0)?.name ?? "nameless"}+${address - best}`;
}

function answer(image: Image, address: bigint): string {
  const match = image.symbolAt(address);
  return match === null ? "nothing" : `${match.symbol?.rawName ?? "nameless"}+${match.offset}`;
}

/** The same image as {@linkcode Image.fromFile} reads it, put into memory at a slide as dyld does. */
function fromMemory(bytes: Uint8Array, file: Image, slide: bigint): Image {
  const memory = new FakeMemory();
  for (const { vmAddress, size, fileOffset, fileSize, name } of file.segments) {
    if (name === "__PAGEZERO") continue;
    const mapped = new Uint8Array(size);
    mapped.set(bytes.subarray(fileOffset, fileOffset + Math.min(fileSize, size)));
    memory.map(vmAddress + slide, mapped);
  }
  return Image.fromMemory(memory, file.loadAddress + slide, file.path);
}

async function compare(file: string): Promise<void> {
  const bytes = await Deno.readFile(file);
  const image = Image.fromFile(bytes, file);
  const truth = await truthOf(file);
  const isArm = image.cpuType === CPU_TYPE.ARM;
  assertEquals(image.warnings, []);

  const key = ({ address, name, external, thumb }: Named) =>
    `${address.toString(16)} ${name} ${external} ${thumb}`;
  const ours = [...image.symbols].map(({ address, rawName: name, external, thumb }) => ({
    address,
    name,
    external,
    thumb,
  }));
  const ourKeys = new Set(ours.map(key));
  // Every symbol of the table; what else there is comes from the exports.
  const unknown = truth.symbols.map(key).filter((text) => !ourKeys.has(text));
  assertEquals(unknown, [], "symbols that llvm-nm lists and we do not");
  const truthKeys = new Set(truth.symbols.map(key));
  const exported = new Set(
    truth.exports.map(({ address, name }) => `${(isArm ? address & ~1n : address)} ${name}`),
  );
  const invented = ours.filter((symbol) =>
    !truthKeys.has(key(symbol)) && !exported.has(`${symbol.address} ${symbol.name}`) &&
    !/^[-+]\[/.test(symbol.name)
  );
  assertEquals(invented, [], "symbols that the tools do not list");
  for (const { name, address } of truth.exports) {
    const wanted = isArm ? address & ~1n : address;
    assert(ours.some((symbol) => symbol.address === wanted && symbol.external), name);
  }
  for (const start of truth.functionStarts) {
    const match = image.symbolAt(isArm ? start & ~1n : start);
    assertEquals(match?.offset, 0, `function start 0x${start.toString(16)}`);
  }

  // Objective-C names come from the metadata alone; nothing here knows them.
  if (
    ours.some(({ name }) => /^[-+]\[/.test(name)) &&
    !truth.symbols.some(({ name }) => /^[-+]\[/.test(name))
  ) {
    return;
  }
  const slide = 0x1_5000n;
  // A dSYM is never mapped, and lacks the header where its __TEXT is.
  const mapped = image.fileType === FILE_TYPE.MH_DSYM ? null : fromMemory(bytes, image, slide);
  const total = truth.sections.reduce((sum, { start, end }) => sum + Number(end - start), 0);
  // Every 16th address; of files that are no fixtures, as many as the slow search allows.
  const work = (total / 16) * (truth.symbols.length + truth.functionStarts.length);
  const step = BigInt(16 * Math.max(1, Math.ceil(work / 2e7)));
  const differences: string[] = [];
  let compared = 0;
  for (const { start, end } of truth.sections) {
    const places = [start - 1n, start, end - 1n, end];
    for (let address = start + 4n; address < end; address += step) places.push(address);
    for (const address of places) {
      if (address < (truth.sections[0]?.start ?? 0n)) continue;
      const expected = nearest(truth, address, isArm);
      const said = [["file", answer(image, address)]];
      if (mapped !== null) said.push(["memory", answer(mapped, address + slide)]);
      for (const [place, text] of said) {
        compared++;
        if (text !== expected) {
          differences.push(`${place} 0x${address.toString(16)}: ${text}, not ${expected}`);
        }
      }
    }
  }
  assert(compared > 0);
  assertEquals(differences.slice(0, 10), []);
  assertEquals(mapped?.warnings ?? [], []);
  assertEquals(mapped?.uuid ?? image.uuid, image.uuid);
}

Deno.test("every fixture, against llvm-nm and llvm-objdump", async (test) => {
  const files = [...machOFiles(fixtures)];
  assert(files.length > 0, "no fixture is built");
  for (const file of files) await test.step(file.slice(fixtures.length), () => compare(file));
});

Deno.test("other files, against llvm-nm and llvm-objdump", async (test) => {
  for (const file of Deno.env.get("MACHO_FILES")?.split(":") ?? []) {
    await test.step(file, () => compare(file));
  }
});

/** A class, a category, and functions that stripping takes the names of. */
const objectiveC = `
__attribute__((objc_root_class)) @interface Worker { int isa_; int count; }
- (int)run:(int)n with:(int)m; + (int)make; - (int)tick;
@end
static int helper(int a) __attribute__((noinline));
static int helper(int a) { return a * 3 + 1; }
@implementation Worker
- (int)run:(int)n with:(int)m { return helper(n + m); }
+ (int)make { return helper(4); }
- (int)tick { return helper(count); }
@end
@interface Worker (Extra) - (int)more; + (int)less; @end
@implementation Worker (Extra)
- (int)more { return count + 2; }
+ (int)less { return 9; }
@end
int exported_function(int a) { return helper(a) + helper(2); }
`;

const variants = [
  { name: "x86_64", arch: "x86_64", flags: ["-no_fixup_chains"] },
  { name: "x86_64 chained", arch: "x86_64", flags: ["-fixup_chains"] },
  { name: "arm64", arch: "arm64", flags: ["-no_fixup_chains"] },
  {
    name: "arm64 chained, relative methods",
    arch: "arm64",
    flags: ["-fixup_chains", "-objc_relative_method_lists"],
  },
];

for (const { name, arch, flags } of variants) {
  Deno.test(`Objective-C, ${name}: the metadata names what stripping removed`, async () => {
    const directory = await Deno.makeTempDir();
    try {
      const path = (file: string): string => `${directory}/${file}`;
      await Deno.writeTextFile(path("worker.m"), objectiveC);
      await run("clang-19", [
        "-target",
        `${arch}-apple-macos11`,
        "-O1",
        "-fobjc-runtime=macosx-11",
        ...["-c", path("worker.m"), "-o", path("worker.o")],
      ]);
      const link = ["-arch", arch, "-platform_version", "macos", "11", "11", "-dylib", ...flags];
      await run("ld64.lld-19", [...link, ...[
        "-undefined",
        "dynamic_lookup",
        path("worker.o"),
        "-o",
        path("worker.dylib"),
      ]]);
      await run("llvm-strip-19", ["-x", path("worker.dylib"), "-o", path("stripped.dylib")]);
      await compare(path("worker.dylib"));
      await compare(path("stripped.dylib"));
      const methods = async (file: string): Promise<string[]> => {
        const image = Image.fromFile(await Deno.readFile(path(file)), file);
        return [...image.symbols].filter(({ name }) => /^[-+]\[/.test(name))
          .map(({ name, address, size }) => `${name} ${address} ${size}`);
      };
      const expected = await methods("worker.dylib");
      assertEquals(expected.length, 5);
      assertEquals(await methods("stripped.dylib"), expected);
      const stripped = Image.fromFile(await Deno.readFile(path("stripped.dylib")), "stripped");
      const whole = Image.fromFile(await Deno.readFile(path("worker.dylib")), "whole");
      const [helper] = whole.findSymbols("helper");
      const { size } = helper;
      assertEquals(stripped.symbolAt(helper.address + 4n), { symbol: null, offset: 4, size });
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}
