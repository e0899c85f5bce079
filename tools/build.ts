/** Builds the native side.
 *
 * `deno run -A tools/build.ts` builds the library for this machine into `build/` with `cc`, and, where
 * the cross compilers are installed, the libraries in `ffi/prebuilt/`. With `--check` it writes
 * nothing: it builds everything to a temporary directory and fails when what is committed has other
 * sources, exports or imports, or, where the compilers are of the same versions, other bytes. With
 * `--host` it builds for this machine alone.
 */
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { toArm64e } from "./build/arm64e.ts";
import { sign } from "./build/codesign.ts";
import { bundleDemo, demoFiles, demoFolders } from "./build/demo.ts";

/** The repository's root, with a slash at its end. */
const root = new URL("../", import.meta.url).pathname;

/** A library or program of `ffi/prebuilt/`. */
interface Product {
  readonly key: string;
  /** What the file is called where the package writes it out. */
  readonly file: string;
  /** Directories, without those in them, and files that it is made of. */
  readonly sources: readonly string[];
  /** The programs that it is built by: their versions decide its bytes. */
  readonly tools: readonly string[];
  build(output: string, scratch: string): Promise<void>;
}

/** What every compiler here is told. */
const flags = [
  "-std=c11",
  "-Os",
  "-fPIC",
  "-fvisibility=hidden",
  // A caller's frame in mp_snapshot_self() is found by its frame pointer.
  "-fno-omit-frame-pointer",
  "-fno-stack-protector",
  `-ffile-prefix-map=${root}=`,
  "-Wall",
  "-Wextra",
  "-Wpedantic",
  "-Werror",
];

const linuxLinkFlags = [
  "-shared",
  "-s",
  "-pthread",
  "-Wl,-z,now",
  "-Wl,-z,relro",
  "-Wl,-z,noexecstack",
  "-Wl,--gc-sections",
  "-Wl,--build-id=none",
  "-Wl,--no-undefined",
];

const loaderSources = "ffi/shim/linux/loader";

/** The shim, on both systems. */
const shimFiles = ["ffi/shim/shim.c", "ffi/shim/sample.c", "ffi/shim/watchdog.c"];

/** What sampling is on Darwin; on Linux it is among the other calls. */
const darwinFiles = [...shimFiles, "ffi/shim/darwin/sampling.c"];

const darwinTools = ["clang-19", "ld64.lld-19", "llvm-lipo-19"];
const inspectionTools = ["llvm-nm-19", "llvm-readelf-19"];

async function run(program: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  const text = new TextDecoder();
  if (!success) {
    throw new Error(`${program} ${args.join(" ")}\n${text.decode(stderr)}${text.decode(stdout)}`);
  }
  return text.decode(stdout);
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function isInstalled(tool: string): Promise<boolean> {
  for (const directory of (Deno.env.get("PATH") ?? "").split(":")) {
    if (directory !== "" && await exists(`${directory}/${tool}`)) return true;
  }
  return false;
}

/** The files in a directory, or the file itself, by their path from the root. */
async function files(path: string): Promise<string[]> {
  if ((await Deno.stat(root + path)).isFile) return [path];
  const found: string[] = [];
  for await (const entry of Deno.readDir(root + path)) {
    if (entry.isFile) found.push(`${path}/${entry.name}`);
  }
  return found.sort();
}

async function cFiles(directory: string): Promise<string[]> {
  return (await files(directory)).filter((name) => name.endsWith(".c")).map((name) => root + name);
}

function hex(bytes: Uint8Array | ArrayBuffer): string {
  return Buffer.from(bytes as Uint8Array).toString("hex");
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** SHA-256 over the names and contents of the sources, sorted by name. */
async function sourcesHash(sources: readonly string[]): Promise<string> {
  const names = (await Promise.all(sources.map(files))).flat().sort();
  const parts: Uint8Array[] = [];
  for (const name of names) {
    const contents = await Deno.readFile(root + name);
    parts.push(new TextEncoder().encode(`${name}\0${contents.length}\0`), contents);
  }
  return sha256(new Uint8Array(Buffer.concat(parts)));
}

/** A shared library for Linux from the shim and the Mach calls over Linux's own. */
export async function buildLinux(
  compiler: string,
  output: string,
  extra: readonly string[] = [],
): Promise<void> {
  await run(compiler, [
    ...flags,
    ...extra,
    "-ffunction-sections",
    ...shimFiles.map((file) => root + file),
    ...await cFiles("ffi/shim/linux"),
    ...linuxLinkFlags,
    "-o",
    output,
  ]);
}

/** The architectures whose programs the Mach-O loader runs. */
type LoaderArch = "x86_64" | "i386" | "arm64" | "armv7";

/** What the loaders that rest on the kernel alone are built with. */
const bare = ["-Os", "-fno-pie", "-ffreestanding", "-fno-stack-protector"]
  .concat("-nostdlib", "-static", "-ffunction-sections", "-Wl,--gc-sections");

/** The compiler of each loader, and its own flags. */
const loaderCompilers: Readonly<Record<LoaderArch, readonly [string, ...string[]]>> = {
  x86_64: ["x86_64-linux-gnu-gcc", "-O2", "-fPIE", "-pie", "-pthread"],
  i386: ["i686-linux-gnu-gcc", ...bare, "-no-pie"],
  arm64: ["aarch64-linux-gnu-gcc", ...bare, "-no-pie", "-mno-outline-atomics"],
  armv7: [
    "clang-19",
    ...["--target=arm-linux-gnueabihf", "-march=armv7-a", "-mthumb", "-ffixed-r9"],
    ...["--ld-path=/usr/bin/arm-linux-gnueabihf-ld", ...bare],
  ],
};

const loaderLinkers: Readonly<Record<LoaderArch, string>> = {
  x86_64: "x86_64-linux-gnu-ld",
  i386: "i686-linux-gnu-ld",
  arm64: "aarch64-linux-gnu-ld",
  armv7: "arm-linux-gnueabihf-ld",
};

/** Builds the Mach-O loader. What its flags are for is said in its main.c. On x86_64 it rests on the
 * host's C library, elsewhere on the kernel alone. */
export async function buildLoader(arch: LoaderArch, output: string): Promise<void> {
  const isBare = arch !== "x86_64";
  const other = isBare ? "host_glibc.c" : "host_bare.c";
  const [compiler, ...own] = loaderCompilers[arch];
  await run(compiler, [
    "-std=gnu11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fvisibility=hidden",
    "-fno-omit-frame-pointer",
    "-mno-omit-leaf-frame-pointer",
    "-fno-optimize-sibling-calls",
    `-ffile-prefix-map=${root}=`,
    // Its symbols and its build ID name its frames.
    "-Wl,--build-id=sha1",
    ...own,
    "-o",
    output,
    ...(await cFiles(loaderSources)).filter((file) => !file.endsWith(`/${other}`)),
    `${root}${loaderSources}/entry.S`,
    ...isBare ? [`${root}${loaderSources}/bare.S`, "-lgcc"] : ["-ldl"],
  ]);
}

/** What makes a library built here load on systems with an older C library. */
const oldGlibc = `${root}ffi/shim/glibc.h`;

/** A dylib for one architecture, without Apple's SDK. arm64 code must be signed to run at all, and the
 * linker does that, with no identity. */
async function buildSlice(
  sources: readonly string[],
  arch: "x86_64" | "arm64",
  name: string,
  slice: string,
  linkFlags: readonly string[] = [],
): Promise<void> {
  const objects: string[] = [];
  for (const source of sources) {
    const object = `${slice}.${objects.length}.o`;
    await run("clang-19", [
      ...flags,
      `--target=${arch}-apple-macos11`,
      "-nostdlibinc",
      "-c",
      root + source,
      "-o",
      object,
    ]);
    objects.push(object);
  }
  await run("ld64.lld-19", [
    "-dylib",
    "-arch",
    arch,
    "-platform_version",
    "macos",
    "11.0",
    "11.0",
    "-install_name",
    `@rpath/${name}`,
    "-dead_strip",
    "-x",
    "-adhoc_codesign",
    ...linkFlags,
    ...objects,
    `${root}ffi/shim/darwin/libSystem.tbd`,
    "-o",
    slice,
  ]);
}

/** The universal dylib of the shim. */
async function buildDarwin(output: string, scratch: string): Promise<void> {
  const slices: string[] = [];
  for (const arch of ["x86_64", "arm64"] as const) {
    const slice = `${scratch}/shim-${arch}.dylib`;
    await buildSlice(darwinFiles, arch, "libmachpause.dylib", slice);
    slices.push(slice);
  }
  await run("llvm-lipo-19", ["-create", ...slices, "-output", output]);
}

/** The library for launched programs. dyld ends a program that a library named for it cannot be loaded
 * into, so there is a slice for each kind that Macs run. */
async function buildPreload(output: string, scratch: string): Promise<void> {
  const source = ["ffi/shim/darwin/preload.c"];
  const slices: string[] = [];
  for (const arch of ["x86_64", "arm64"] as const) {
    const slice = `${scratch}/preload-${arch}.dylib`;
    await buildSlice(source, arch, preloadName, slice);
    slices.push(slice);
  }
  const linked = `${scratch}/preload-chained.dylib`;
  await buildSlice(source, "arm64", preloadName, linked, ["-fixup_chains", "-init_offsets"]);
  const arm64e = `${scratch}/preload-arm64e.dylib`;
  const converted = toArm64e(await Deno.readFile(linked));
  await Deno.writeFile(arm64e, await sign(converted, { identifier: preloadName }));
  slices.push(arm64e);
  await run("llvm-lipo-19", ["-create", ...slices, "-output", output]);
}

async function buildDemo(output: string, scratch: string): Promise<void> {
  const lipo = (inputs: readonly string[], universal: string) =>
    run("llvm-lipo-19", ["-create", ...inputs, "-output", universal]);
  await Deno.writeFile(output, await bundleDemo(root, scratch, lipo));
}

/** The library for the machine this runs on, with its own compiler.
 *
 * @param directory where it goes
 * @returns its path
 */
export async function buildHost(directory: string): Promise<string> {
  const darwin = Deno.build.os === "darwin";
  const output = `${directory}/libmachpause.${darwin ? "dylib" : "so"}`;
  await Deno.mkdir(directory, { recursive: true });
  // Renamed into place: a process that has the old one mapped keeps it whole.
  const fresh = `${output}.${Deno.pid}`;
  if (darwin) {
    const args = ["-dynamiclib", "-install_name", "@rpath/libmachpause.dylib"];
    await run("cc", [...flags, ...args, ...darwinFiles.map((file) => root + file), "-o", fresh]);
  } else {
    await buildLinux("cc", fresh);
  }
  await Deno.rename(fresh, output);
  return output;
}

const preloadName = "libmachpause_preload.dylib";

const shimSources = [
  "ffi/shim/machpause.h",
  "ffi/shim/sampling.h",
  "ffi/shim/shim.h",
  "ffi/shim/watchdog.h",
  ...shimFiles,
  "ffi/shim/darwin",
];

const linuxSources = [...shimSources, "ffi/shim/glibc.h", "ffi/shim/linux"];

const products: readonly Product[] = [
  {
    key: "darwin",
    file: "libmachpause.dylib",
    sources: shimSources,
    tools: darwinTools,
    build: buildDarwin,
  },
  {
    key: "preload",
    file: preloadName,
    sources: ["ffi/shim/darwin", "tools/build"],
    tools: darwinTools,
    build: buildPreload,
  },
  {
    key: "demo",
    file: "demo.bundle",
    sources: [
      ...demoFolders.flatMap((folder) => demoFiles.map((path) => `${folder}/${path}`)),
      "tools/build",
    ],
    tools: ["llvm-lipo-19"],
    build: buildDemo,
  },
  {
    key: "linux-x86_64",
    file: "libmachpause.so",
    sources: [...linuxSources, "ffi/shim/linux/x86"],
    tools: ["x86_64-linux-gnu-gcc", "x86_64-linux-gnu-ld"],
    build: (output) => buildLinux("x86_64-linux-gnu-gcc", output, ["-include", oldGlibc]),
  },
  {
    key: "linux-aarch64",
    file: "libmachpause.so",
    sources: [...linuxSources, "ffi/shim/linux/arm"],
    tools: ["aarch64-linux-gnu-gcc", "aarch64-linux-gnu-ld"],
    build: (output) => buildLinux("aarch64-linux-gnu-gcc", output, ["-include", oldGlibc]),
  },
  ...(["x86_64", "i386", "arm64", "armv7"] as const).map((arch) => ({
    key: `loader-${arch}`,
    file: "macho-loader",
    sources: [loaderSources, `${loaderSources}/${arch}`],
    tools: [loaderCompilers[arch][0], loaderLinkers[arch]],
    build: (output: string) => buildLoader(arch, output),
  })),
];

/** What a library shows to the linker: a line for each export and import. The glibc version that an
 * import needs is part of it. */
async function linkage(path: string): Promise<string[]> {
  const magic = (await Deno.readFile(path)).subarray(0, 4);
  const lines: string[] = [];
  if (hex(magic) === "cafebabe") {
    const archs = (await run("llvm-lipo-19", ["-archs", path])).trim().split(" ").sort();
    for (const arch of archs) {
      const args = [`--arch=${arch}`, "--extern-only", "--format=posix", path];
      for (const line of (await run("llvm-nm-19", args)).split("\n")) {
        const [name, type] = line.split(" ");
        if (type === undefined || name.startsWith("/")) continue;
        lines.push(`${arch} ${type === "U" ? "import" : "export"} ${name}`);
      }
    }
    return lines;
  }
  // A list of files: see build/demo.ts.
  if (magic[0] === "[".charCodeAt(0)) {
    return [(await Deno.readTextFile(path)).split("\n", 1)[0]];
  }
  const text = await run("llvm-readelf-19", ["--dyn-syms", "--wide", path]);
  for (const line of text.split("\n")) {
    const fields = line.trim().split(/\s+/);
    if (fields[4] !== "GLOBAL" && fields[4] !== "WEAK") continue;
    lines.push(`${fields[6] === "UND" ? "import" : "export"} ${fields[7]}`);
  }
  return lines.sort();
}

/** gzip with nothing in it that depends on the day or the machine. */
function compress(bytes: Uint8Array): Uint8Array {
  const compressed = gzipSync(bytes, { level: 9 });
  compressed.fill(0, 4, 8); // no time
  compressed[9] = 255; // no operating system
  return compressed;
}

interface Entry {
  readonly file: string;
  readonly size: number;
  readonly sha256: string;
  readonly sourcesHash: string;
  readonly tools: string;
}

function manifestText(entries: ReadonlyMap<string, Entry>): string {
  const lines = [...entries].map(([key, entry]) =>
    `  ${JSON.stringify(key)}: ${JSON.stringify(entry)},\n`
  );
  return `// Written by tools/build.ts.

/** A file that \`ffi/prebuilt/<key>.ts\` holds. */
export interface Prebuilt {
  /** Its name. */
  readonly file: string;
  /** Bytes, uncompressed. */
  readonly size: number;
  /** Of the uncompressed file, in hexadecimal. */
  readonly sha256: string;
  /** SHA-256 over its sources' names and contents, in hexadecimal. */
  readonly sourcesHash: string;
  /** The versions of what built it. The same sources give the same bytes only with the same ones. */
  readonly tools: string;
}

/** The files, by key: the system and the architecture. */
export const libraries: Readonly<Record<string, Prebuilt>> = {
${lines.join("")}};
`;
}

async function committedEntries(): Promise<Map<string, Entry>> {
  if (!await exists(`${root}ffi/prebuilt/manifest.ts`)) return new Map();
  const { libraries } = await import("../ffi/prebuilt/manifest.ts");
  return new Map(Object.entries(libraries));
}

async function missingTools(product: Product): Promise<string[]> {
  const missing: string[] = [];
  for (const tool of product.tools) if (!await isInstalled(tool)) missing.push(tool);
  return missing;
}

/** What the tools of a product say of their versions. */
async function versionsOf({ tools }: Product): Promise<string> {
  const said = await Promise.all(tools.map((tool) => run(tool, ["--version"])));
  // LLVM's other tools name the processor that they run on.
  return said.map((text) => /^.*\d+\.\d+.*$/m.exec(text)?.[0].trim() ?? "").join("; ");
}

async function writePrebuilt(scratch: string): Promise<void> {
  const entries = await committedEntries();
  for (const product of products) {
    const missing = await missingTools(product);
    if (missing.length > 0) {
      console.log(`ffi/prebuilt/${product.key}.ts: left as it is, without ${missing.join(", ")}`);
      continue;
    }
    const output = `${scratch}/${product.key}`;
    await product.build(output, scratch);
    const bytes = await Deno.readFile(output);
    const text = Buffer.from(compress(bytes)).toString("base64");
    await Deno.writeTextFile(
      `${root}ffi/prebuilt/${product.key}.ts`,
      `// Written by tools/build.ts.\n\n/** ${product.file}, compressed by gzip, in base64. */\n` +
        `const contents: string =\n  "${text}";\nexport default contents;\n`,
    );
    entries.set(product.key, {
      file: product.file,
      size: bytes.length,
      sha256: await sha256(bytes),
      sourcesHash: await sourcesHash(product.sources),
      tools: await versionsOf(product),
    });
    console.log(`ffi/prebuilt/${product.key}.ts: ${product.file}, ${bytes.length} bytes`);
  }
  const order = products.map((product) => product.key).filter((key) => entries.has(key));
  await Deno.writeTextFile(
    `${root}ffi/prebuilt/manifest.ts`,
    manifestText(new Map(order.map((key) => [key, entries.get(key)!]))),
  );
}

/** The differences between what is committed and what the sources give, a line each. */
async function checkPrebuilt(scratch: string): Promise<string[]> {
  const entries = await committedEntries();
  const differences: string[] = [];
  for (const product of products) {
    const say = (text: string) => differences.push(`${product.key}: ${text}`);
    const entry = entries.get(product.key);
    if (entry === undefined) {
      say("not in ffi/prebuilt/manifest.ts");
      continue;
    }
    const missing = await missingTools(product);
    if (missing.length > 0) {
      say(`cannot be built without ${missing.join(", ")}`);
      continue;
    }
    if (entry.sourcesHash !== await sourcesHash(product.sources)) {
      say("made from other sources; run deno task build");
    }
    const committed = `${scratch}/committed-${product.key}`;
    const { default: contents } = await import(`../ffi/prebuilt/${product.key}.ts`);
    const bytes = await decompress(contents);
    if (await sha256(bytes) !== entry.sha256) say("is not the file that the manifest names");
    await Deno.writeFile(committed, bytes);

    const rebuilt = `${scratch}/${product.key}`;
    await product.build(rebuilt, scratch);
    const was = new Set(await linkage(committed));
    const is = new Set(await linkage(rebuilt));
    for (const line of was) if (!is.has(line)) say(`only in what is committed: ${line}`);
    for (const line of is) if (!was.has(line)) say(`only in what the sources give: ${line}`);
    const versions = await versionsOf(product);
    if (versions !== entry.tools) {
      console.log(`${product.key}: bytes not compared: made by ${entry.tools}; here ${versions}`);
    } else if (await sha256(await Deno.readFile(rebuilt)) !== entry.sha256) {
      say("the sources give other bytes");
    }
  }
  return differences;
}

async function decompress(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const compressed = new Uint8Array(Buffer.from(base64, "base64"));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function main(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg !== "--check" && arg !== "--host") || args.length > 1) {
    console.error("usage: deno run -A tools/build.ts [--check | --host]");
    return 2;
  }
  if (args[0] === "--host") {
    console.log(await buildHost(`${root}build`));
    return 0;
  }
  const scratch = await Deno.makeTempDir({ prefix: "machpause-build-" });
  try {
    if (args[0] === "--check") {
      for (const tool of inspectionTools) {
        if (!await isInstalled(tool)) throw new Error(`--check needs ${tool}`);
      }
      await buildHost(scratch);
      const differences = await checkPrebuilt(scratch);
      for (const difference of differences) console.error(difference);
      return differences.length === 0 ? 0 : 1;
    }
    console.log(await buildHost(`${root}build`));
    await writePrebuilt(scratch);
    return 0;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
