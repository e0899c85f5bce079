/** Compares what an image says of itself with what LLVM's tools read in the same file: header, load
 * commands, symbols, exports, function starts, fixups, indirect symbols, Objective-C methods, Swift types. The files
 * are all fixtures, some linked here (chained fixups, archives, both fat magics), and binaries that real
 * programs ship in npm packages: C, C++, Go, Rust, Objective-C and Swift, fat and thin. */

import { assert, assertEquals } from "@std/assert";
import {
  type FieldValue,
  FILE_TYPE,
  MachOFile,
  type MachOSlice,
  ordinalName,
} from "../../lib/macho/mod.ts";
import { openImage } from "../../mod.ts";
import { machOFiles } from "./macho_files.ts";
import { run } from "./run.ts";

const fixtures = new URL("../../examples/demo/", import.meta.url).pathname;

/** The first few differences, so that a failure can be read. */
function assertSame(ours: readonly string[], theirs: readonly string[], what: string): void {
  if (ours.length === theirs.length && ours.every((line, index) => line === theirs[index])) return;
  const ourSet = new Set(ours);
  const theirSet = new Set(theirs);
  assertEquals(
    {
      count: ours.length,
      onlyOurs: ours.filter((line) => !theirSet.has(line)).slice(0, 5),
    },
    {
      count: theirs.length,
      onlyOurs: theirs.filter((line) => !ourSet.has(line)).slice(0, 5),
    },
    what,
  );
  assertEquals(ours.slice(0, 1000), theirs.slice(0, 1000), what);
}

/** The keys of `otool -l` that are not the structures' names. */
const otoolNames: Readonly<Record<string, string>> = {
  "time stamp": "timestamp",
  "current version": "current_version",
  "compatibility version": "compatibility_version",
};

/** `otool -l` as commands of `key=value` lines. */
function otoolCommands(text: string): string[][] {
  const commands: string[][] = [];
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    if (/^Load command \d+$/.test(line)) {
      lines = [];
      commands.push(lines);
      continue;
    }
    const match = /^ *((?:time stamp|current version|compatibility version|[A-Za-z_0-9]+)) (.*)$/
      .exec(line);
    if (match === null || commands.length === 0) continue;
    const key = otoolNames[match[1]] ?? match[1];
    const value = match[2].replace(/ \(offset \d+\)$/, "").replace(/ \(.*\)$/, "")
      .replace(/^(\d+) \w{3} \w{3} .*$/, "$1").replace(/^n\/a$/, "0");
    lines.push(`${key}=${/^0x/.test(value) ? BigInt(value) : value}`);
  }
  return commands;
}

/** Fields that otool prints in other words, or not at all. */
const unprinted = new Set(["reserved3", "pad", "reserved"]);

function ourCommands(image: MachOSlice): string[][] {
  return image.loadCommands.map(({ name, size, fields }) => {
    const lines = [`cmd=${name}`, `cmdsize=${size}`];
    const add = (record: Readonly<Record<string, FieldValue>>): void => {
      for (const [key, value] of Object.entries(record)) {
        if (unprinted.has(key)) continue;
        if (Array.isArray(value)) {
          for (const each of value) {
            if (typeof each === "object") add(each);
          }
          continue;
        }
        lines.push(`${key}=${key === "align" ? `2^${value}` : value}`);
      }
    };
    add(fields);
    return lines;
  });
}

async function compareCommands(image: MachOSlice, file: string): Promise<void> {
  const text = (await objdump(image, "--private-headers", file, "--non-verbose")).join("\n");
  const header = /\n +(0x[0-9a-f]{8} .*)\n/.exec(text)![1].split(/ +/);
  const { magic, cpuType, cpuSubtype, fileType, commandCount, commandsSize, flags } = image.header;
  assertEquals(header.map(Number), [
    magic,
    cpuType,
    cpuSubtype & 0xffffff,
    cpuSubtype >>> 24,
    fileType,
    commandCount,
    commandsSize,
    flags,
  ]);
  const theirs = otoolCommands(text);
  const ours = ourCommands(image);
  assertEquals(ours.length, theirs.length);
  for (const [index, lines] of ours.entries()) {
    const name = lines[0];
    if (/LC_(UNIX)?THREAD$/.test(name)) {
      // The registers that follow are not fields of the command.
      assertEquals(lines.slice(0, 2), theirs[index].slice(0, 2));
      assert(theirs[index].some((line) => line.startsWith("flavor=")));
      continue;
    }
    // otool prints the platform's versions in another order than the structure has them.
    const shape = (lines: string[]): string[] =>
      name === "cmd=LC_BUILD_VERSION" ? lines.map(shortVersion).sort() : lines.map(shortVersion);
    assertEquals(shape(lines), shape(theirs[index]), `load command ${index}`);
  }
}

/** A version of two numbers or three: otool leaves out a zero at the end of some. */
function shortVersion(line: string): string {
  return /^(version|sdk|minos)=/.test(line)
    ? line.replace(/=(\d+\.\d+)\.0$/, "=$1").replace(/=0\.0$/, "=0")
    : line;
}

/** nm's lines; those of symbols at one address with one name are in no certain order. */
function nmLines(text: string): string[] {
  const lines = text.split("\n").filter((line) => /^[0-9a-f ]{8,16} \S /.test(line));
  for (let start = 0; start < lines.length;) {
    const key = (line: string): string => line.replace(/^([0-9a-f ]{8,16}) \S /, "$1 ");
    let end = start + 1;
    while (end < lines.length && key(lines[end]) === key(lines[start])) end++;
    if (end - start > 1) {
      lines.splice(start, end - start, ...lines.slice(start, end).sort());
    }
    start = end;
  }
  return lines;
}

async function compareSymbols(image: MachOSlice, file: string): Promise<number> {
  const table = image.symbols();
  if (table === null) return 0;
  const decoder = new TextDecoder();
  const ours = (stabs: boolean): string => {
    let text = "";
    for (const piece of table.lines(table.byAddress(stabs), (name) => name)) {
      text += decoder.decode(piece);
    }
    return text;
  };
  const nm = (...options: string[]) =>
    run("llvm-nm-19", ["--no-dyldinfo", "--arch", image.arch, "-n", ...options, file]);
  const theirs = nmLines(await nm());
  assertSame(nmLines(ours(false)), theirs, "symbols");
  // With the debugger's entries names are equal to the empty one more often: order by line.
  // LLVM takes the entries of Swift modules for absolute symbols: N_AST has that bit.
  const likeLlvm = (line: string): string => line.replace(/ - 00 0000 {3}AST /, " a ");
  assertSame(
    nmLines(ours(true)).map(likeLlvm).sort(),
    nmLines(await nm("-a")).sort(),
    "symbols and stabs",
  );
  return theirs.length;
}

async function objdump(
  image: MachOSlice,
  option: string,
  file: string,
  ...more: string[]
): Promise<string[]> {
  return (await run("llvm-objdump-19", ["--macho", `--arch=${image.arch}`, option, ...more, file]))
    .split("\n");
}

async function compareExports(image: MachOSlice, file: string): Promise<void> {
  const base = image.image.loadAddress;
  const hex = (value: bigint): string => `0x${value.toString(16).toUpperCase().padStart(8, "0")}`;
  const ours = image.exports().map(({ name, kind, weak, value, resolver, reexport }) => {
    if (reexport !== null) {
      const other = reexport.name === name ? "" : ` as ${reexport.name}`;
      const from = ordinalName(reexport.ordinal, image.dylibs);
      return `[re-export] ${name} (${other === "" ? "" : `${reexport.name} `}from ${from})`;
    }
    const notes = [
      ...(weak ? ["weak_def"] : []),
      ...(kind === "thread-local" ? ["per-thread"] : []),
      ...(kind === "absolute" ? ["absolute"] : []),
      ...(resolver === null ? [] : [`resolver=0x${resolver.toString(16).padStart(8, "0")}`]),
    ];
    return `${hex(base + value!)} ${name}${notes.length > 0 ? ` [${notes.join(", ")}]` : ""}`;
  });
  const theirs = (await objdump(image, "--exports-trie", file))
    .map((line) => line.trim().replace(/ {2,}/g, " "))
    .filter((line) => /^(0x[0-9A-F]+|\[re-export\]) /.test(line));
  // LLVM shows a name after those that it is the beginning of; the trie has it before them.
  assertSame(ours.sort(), theirs.sort(), "exports");
}

async function compareFunctionStarts(image: MachOSlice, file: string): Promise<void> {
  const theirs = (await objdump(image, "--function-starts", file))
    .filter((line) => /^[0-9a-f]{8,16}$/.test(line));
  const ours = image.functionStarts()
    .map((address) => address.toString(16).padStart(theirs[0]?.length ?? 16, "0"));
  assertSame(ours, theirs, "function starts");
}

async function compareIndirect(image: MachOSlice, file: string): Promise<void> {
  let place = "";
  const theirs: string[] = [];
  for (const line of await objdump(image, "--indirect-symbols", file)) {
    place = /^Indirect symbols for \((.*)\) \d+ entries/.exec(line)?.[1] ?? place;
    const match = /^(0x[0-9a-f]+) +(?:(\d+)(?: (.*))?|((?:LOCAL|ABSOLUTE).*))$/.exec(line);
    if (match === null) continue;
    theirs.push(`${place} ${BigInt(match[1])} ${match[2] ?? match[4]} ${match[3] ?? ""}`);
  }
  const ours = image.indirectSymbols().map(({ segment, section, address, index, symbol, mark }) =>
    `${segment},${section} ${address} ${index ?? mark?.toUpperCase()} ${symbol ?? ""}`
  );
  assertSame(ours, theirs, "indirect symbols");
}

/** Each fixup as `address kind addend dylib symbol`. */
async function compareFixups(image: MachOSlice, file: string): Promise<number> {
  const fixups = [...image.fixups()];
  const dylib = (ordinal: number | null): string => ordinalName(ordinal ?? 0, image.dylibs);
  const theirs: string[] = [];
  if (image.chains() !== null) {
    const ours = fixups.map((
      { address, kind, addend, ordinal, symbol, target, segment, section },
    ) =>
      `${segment} ${section} ${address} ${kind} ` +
      (kind === "bind" ? `${addend} ${dylib(ordinal)} ${symbol}` : `${target}`)
    );
    for (const line of await objdump(image, "--dyld-info", file)) {
      const fields = line.trim().split(/ +/);
      if (!/^0x[0-9A-F]+$/.test(fields[2] ?? "")) continue;
      const [segment, section, address, , kind, ...rest] = fields;
      const what = kind === "bind"
        ? `${BigInt(rest[0])} ${rest[1]} ${
          rest.slice(2).join(" ").replace(/ \(weak import\)$/, "")
        }`
        : `${BigInt(rest[0])}`;
      theirs.push(`${segment} ${section} ${BigInt(address)} ${kind} ${what}`);
    }
    assertSame(ours, theirs, "chained fixups");
    return ours.length;
  }
  const ours = fixups.map(
    ({ kind, segment, section, address, type, addend, ordinal, symbol, weakImport }) => {
      const place = `${kind} ${segment} ${section} ${address}`;
      const name = `${symbol}${weakImport ? " (weak_import)" : ""}`;
      switch (kind) {
        case "rebase":
          return `${place} ${type}`;
        case "bind":
          return `${place} ${type} ${addend} ${dylib(ordinal)} ${name}`;
        case "weak-bind":
          return address === null
            ? `${kind} strong ${symbol}`
            : `${place} ${type} ${addend} ${name}`;
        case "lazy-bind":
          // LLVM leaves out whether the symbol may be missing.
          return `${place} ${dylib(ordinal)} ${symbol}`;
      }
    },
  );
  for (const kind of ["rebase", "bind", "weak-bind", "lazy-bind"]) {
    for (const line of await objdump(image, `--${kind}`, file)) {
      const strong = /^strong +(.*)$/.exec(line);
      if (strong !== null) theirs.push(`${kind} strong ${strong[1]}`);
      const fields = line.trim().split(/ +/);
      if (!/^0x[0-9A-F]+$/.test(fields[2] ?? "")) continue;
      const [segment, section, address, ...rest] = fields;
      theirs.push(`${kind} ${segment} ${section} ${BigInt(address)} ${rest.join(" ")}`);
    }
  }
  assertSame(ours, theirs, "fixups");
  return ours.length;
}

/** The implementations that objdump names, where symbols name them too. */
async function compareObjc(image: MachOSlice, file: string): Promise<number> {
  const sections = image.segments.flatMap(({ sections }) => sections);
  if (!sections.some(({ name }) => name === "__objc_classlist" || name === "__objc_catlist")) {
    return 0;
  }
  const methods = image.objcClasses().flatMap(({ methods }) => methods);
  // LLVM does not follow the pointers of chains; there the symbols alone are the truth.
  if (image.chains() === null) {
    // It shows a category's class once more with each category.
    const theirs = [
      ...new Set(
        (await objdump(image, "--objc-meta-data", file))
          .map((line) => /^\s*imp (?:0x[0-9a-f]+ \()?([-+]\[.*\]|0x[0-9a-f]+)/.exec(line)?.[1])
          .filter((name) => name !== undefined),
      ),
    ];
    // Where the symbols were stripped there are addresses in place of names.
    const stripped = theirs.every((name) => name.startsWith("0x"));
    const ours = stripped
      ? new Set(methods.map(({ address }) => `0x${address.toString(16)}`))
      : new Set(methods.map(({ name }) => name));
    assertSame([...ours].sort(), theirs.sort(), "Objective-C methods");
    if (stripped) return methods.length;
  }
  const named = new Map([...image.image.symbols].map(({ rawName, address }) => [rawName, address]));
  for (const { name, address } of methods) assertEquals(named.get(name), address, name);
  return methods.length;
}

/** The symbols of type descriptors (`…Mn`) hold each part of the name, its length before it. */
async function compareSwift(image: MachOSlice, file: string): Promise<void> {
  const types = image.swiftTypes();
  const nm = await run("llvm-nm-19", ["--no-dyldinfo", "--arch", image.arch, file]);
  const descriptors = new Map(
    [...nm.matchAll(/^([0-9a-f]+) s (_\$s.*M[np])$/gm)].map((match) => [
      BigInt(`0x${match[1]}`),
      match[2],
    ]),
  );
  assertEquals(
    types.map(({ address }) => address).sort(),
    [...descriptors.keys()].sort(),
    "Swift types",
  );
  for (const { name, kind, address } of types) {
    const symbol = descriptors.get(address)!;
    // A name that was imported under another one ends in it; C's module is `So`.
    for (const part of name.replace(/^__C\.(\w+)$/, "$1").split(".")) {
      assert(symbol.includes(part), `${name}: ${symbol}`);
    }
    const letter = /([VCO])M[np]$/.exec(symbol)?.[1];
    const kinds = { V: "struct", C: "class", O: "enum" } as const;
    if (letter !== undefined) assertEquals(kind, kinds[letter as keyof typeof kinds], symbol);
  }
}

async function compareImage(image: MachOSlice, file: string): Promise<Counts> {
  await compareCommands(image, file);
  const symbols = await compareSymbols(image, file);
  await compareFunctionStarts(image, file);
  // Of what is not linked the tools show none of the rest.
  let fixups = 0;
  let methods = 0;
  if (![FILE_TYPE.MH_OBJECT, FILE_TYPE.MH_DSYM].some((type) => type === image.header.fileType)) {
    await compareExports(image, file);
    await compareIndirect(image, file);
    fixups = await compareFixups(image, file);
    methods = await compareObjc(image, file);
    await compareSwift(image, file);
  }
  assertEquals(image.warnings, []);
  return { symbols, fixups, methods };
}

interface Counts {
  readonly symbols: number;
  readonly fixups: number;
  readonly methods: number;
}

async function compareFile(path: string): Promise<Counts> {
  using file = openImage(path);
  assertEquals(file.warnings, []);
  assertEquals(file.kind, file.images.length > 1 ? "fat" : "thin");
  const archs = (await run("llvm-lipo-19", ["-archs", path])).trim();
  assertEquals(file.images.map(({ arch }) => arch).join(" "), archs);
  const total = { symbols: 0, fixups: 0, methods: 0 };
  for (const image of file.images) {
    const counts = await compareImage(image, path);
    total.symbols += counts.symbols;
    total.fixups += counts.fixups;
    total.methods += counts.methods;
  }
  return total;
}

Deno.test("every fixture, against LLVM's tools", async (test) => {
  const files = [...machOFiles(fixtures)];
  assert(files.length > 0, "no fixture is built");
  for (const file of files) {
    await test.step(file.slice(fixtures.length), async () => void await compareFile(file));
  }
});

/** What is in each package, and how much of it there must be for the comparison to mean something. */
const packages: readonly (readonly [spec: string, file: string, least: Counts])[] = [
  // Go, 64-bit only.
  [
    "@esbuild/darwin-arm64@0.28.2",
    "bin/esbuild",
    { symbols: 100, fixups: 100, methods: 0 },
  ],
  // C, fat.
  ["fsevents@2.3.3", "fsevents.node", { symbols: 200, fixups: 200, methods: 0 }],
  // C++ with weak definitions.
  [
    "@parcel/watcher-darwin-x64@2.6.0",
    "watcher.node",
    { symbols: 400, fixups: 500, methods: 0 },
  ],
  [
    "@img/sharp-libvips-darwin-arm64@1.3.4",
    "lib/libvips-cpp.8.18.7.dylib",
    { symbols: 10_000, fixups: 10_000, methods: 0 },
  ],
  // Rust.
  [
    "@rollup/rollup-darwin-arm64@4.67.4",
    "rollup.darwin-arm64.node",
    { symbols: 100, fixups: 1000, methods: 0 },
  ],
  // Objective-C.
  [
    "node-notifier@10.0.1",
    "vendor/mac.noindex/terminal-notifier.app/Contents/MacOS/terminal-notifier",
    { symbols: 200, fixups: 300, methods: 15 },
  ],
  // Swift, fat.
  ["get-windows@9.3.0", "main", { symbols: 500, fixups: 500, methods: 0 }],
  ["file-icon@6.0.0", "file-icon", { symbols: 500, fixups: 500, methods: 0 }],
];

Deno.test("binaries of npm packages, against LLVM's tools", async (test) => {
  const directory = await Deno.makeTempDir();
  try {
    const specs = packages.map(([spec]) => spec);
    const packed =
      (await run("npm", ["pack", "--silent", "--pack-destination", directory, ...specs]))
        .trim().split("\n");
    assertEquals(packed.length, packages.length);
    for (const [index, [spec, file, least]] of packages.entries()) {
      await test.step(spec, async () => {
        const unpacked = `${directory}/${index}`;
        await Deno.mkdir(unpacked);
        await run("tar", ["-xzf", `${directory}/${packed[index]}`, "-C", unpacked]);
        const counts = await compareFile(`${unpacked}/package/${file}`);
        for (const key of ["symbols", "fixups", "methods"] as const) {
          assert(counts[key] >= least[key], `${key}: ${counts[key]}`);
        }
      });
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

const source = `
extern int outside(int), outside_weak(int) __attribute__((weak_import));
int common_one;
static int counter = 4;
int *const table[] = { &counter, &counter + 1, &common_one };
int (*const pointers[])(int) = { outside, outside_weak };
__thread int local_to_thread = 3;
__attribute__((weak)) int may_be_replaced(void) { return counter; }
int call(int n) { return outside(n) + (outside_weak ? outside_weak(n) : local_to_thread); }
`;

const objectiveC = `
__attribute__((objc_root_class)) @interface Worker { int isa_; }
- (int)run:(int)n with:(int)m; + (int)make;
@end
@implementation Worker
- (int)run:(int)n with:(int)m { return n + m; }
+ (int)make { return 4; }
@end
@interface Worker (Extra) - (int)more; @end
@implementation Worker (Extra) - (int)more { return 2; } @end
`;

async function compile(directory: string, arch: string): Promise<string[]> {
  const objects: string[] = [];
  for (const [name, text] of [["part.c", source], ["worker.m", objectiveC]]) {
    await Deno.writeTextFile(`${directory}/${name}`, text);
    const object = `${directory}/${name}.${arch}.o`;
    await run("clang-19", ["-target", `${arch}-apple-macos11`, "-O1", "-g", ...[
      "-fobjc-runtime=macosx-11",
      "-c",
      `${directory}/${name}`,
      "-o",
      object,
    ]]);
    objects.push(object);
  }
  return objects;
}

async function link(directory: string, arch: string, ...flags: string[]): Promise<string> {
  const output = `${directory}/lib.${arch}${flags.join("")}.dylib`;
  await run("ld64.lld-19", [
    "-arch",
    arch,
    "-platform_version",
    "macos",
    "11",
    "11",
    ...["-dylib", "-undefined", "dynamic_lookup", ...flags],
    ...await compile(directory, arch),
    ...["-o", output],
  ]);
  return output;
}

Deno.test("linked here: chained fixups and classic ones, relative method lists, fat files of both kinds", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const thin: string[] = [];
    for (const arch of ["x86_64", "arm64"]) {
      // lld 19 crashes on relative lists for x86_64.
      const relative = arch === "arm64" ? ["-objc_relative_method_lists"] : [];
      const chained = await link(directory, arch, "-fixup_chains", ...relative);
      const classic = await link(directory, arch, "-no_fixup_chains");
      for (const file of [chained, classic]) {
        const { fixups, methods } = await compareFile(file);
        assert(fixups >= 8, `${fixups} fixups`);
        assertEquals(methods, 3);
      }
      thin.push(chained);
      for (const object of await compile(directory, arch)) await compareFile(object);
    }
    for (const flags of [[], ["-fat64"]]) {
      const fat = `${directory}/fat${flags.join("")}`;
      await run("llvm-lipo-19", ["-create", ...thin, "-output", fat, ...flags]);
      const { methods } = await compareFile(fat);
      assertEquals(methods, 6);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("static libraries with names of both kinds, fat ones too, against llvm-nm", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const libraries: string[] = [];
    for (const arch of ["x86_64", "arm64"]) {
      const objects = await compile(directory, arch);
      const long = `${directory}/a_name_too_long_for_the_header.${arch}.o`;
      await Deno.copyFile(objects[0], long);
      for (const format of ["bsd", "darwin", "gnu"]) {
        const library = `${directory}/lib${format}.${arch}.a`;
        await run("llvm-ar-19", [`--format=${format}`, "rcs", library, ...objects, long]);
        using file = openImage(library);
        assertEquals([file.kind, file.warnings], ["archive", []]);
        const names = (await run("llvm-ar-19", ["t", library])).trim().split("\n");
        assertEquals(file.images.map(({ member }) => member), names);
        const nm = await run("llvm-nm-19", ["-n", library]);
        assertSame(file.images.flatMap(allLines), nmLines(nm), library);
        if (format === "darwin") libraries.push(library);
      }
    }
    const fat = `${directory}/fat.a`;
    await run("llvm-lipo-19", ["-create", ...libraries, "-output", fat]);
    using file = openImage(fat);
    assertEquals([file.kind, file.images.length], ["fat", 6]);
    const nm = await run("llvm-nm-19", ["-n", fat, "--arch=arm64"]);
    using arm64 = openImage(fat, { arch: "arm64" });
    assertSame(arm64.images.flatMap(allLines), nmLines(nm), fat);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }

  function allLines(image: MachOSlice): string[] {
    const table = image.symbols()!;
    const pieces = [...table.lines(table.byAddress(), (name) => name)];
    return nmLines(pieces.map((piece) => new TextDecoder().decode(piece)).join(""));
  }
});

Deno.test("a summary reads headers and signature alone, whatever the file's size", () => {
  const path = `${fixtures}arm64/demo`;
  using opened = openImage(path);
  const bytes = Deno.readFileSync(path);
  let read = 0;
  const size = bytes.length;
  const file = new MachOFile({
    name: path,
    size,
    read(offset, length) {
      const found = bytes.subarray(offset, offset + length);
      read += found.length;
      return found;
    },
  });
  const [image] = file.images;
  assertEquals(image.dylibs, opened.images[0].dylibs);
  assert(image.segments.length > 0 && image.builds.length > 0);
  assert(read < 4 * image.header.commandsSize, `${read} bytes read of ${size}`);
});
