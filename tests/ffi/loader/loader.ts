/** Runs Mach-O programs under the loader as it is in the tree, and reads what it publishes. */

import { loaderPath } from "../../../ffi/library.ts";
import { type ArchName, archs } from "../../../lib/arch/mod.ts";
import { buildLoader } from "../../../tools/build.ts";
import { runs, testPrograms } from "../../machine.ts";

const root = new URL("../../../", import.meta.url).pathname;
/** Where the built programs are. */
export const fixtures = `${root}examples/demo/`;

const testable = ["x86_64", "x86_64-chained", "i386", "arm64", "armv7"] as const;
export type Build = typeof testable[number];

/** The architecture of a build. */
export function archOf(build: Build): ArchName {
  return build === "x86_64-chained" ? "x86_64" : build;
}

/** The builds of the demo that run here, and whose files differ for a loader; the first is the machine's. */
export const builds: readonly Build[] = testable.filter((build) => runs(build));

const compiled = new Map<string, Promise<string>>();

async function compile(arch: ArchName): Promise<string> {
  if (testPrograms !== undefined) return `${testPrograms}/loader-${arch}`;
  const directory = await Deno.makeTempDir();
  addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
  const output = `${directory}/macho-loader`;
  try {
    await buildLoader(arch, output);
    return output;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return await loaderPath(arch);
  }
}

/** The loader that runs a build, compiled here; where there is no compiler for it, the prebuilt one. */
export function loaderFor(build: Build): Promise<string> {
  const arch = archOf(build);
  const loader = compiled.get(arch) ?? compile(arch);
  compiled.set(arch, loader);
  return loader;
}

/** The loader as a library, without its main.c.
 *
 * @param compiler of the machine that loads it
 */
export async function compileLibrary(output: string, compiler = "cc"): Promise<void> {
  const sources = `${root}ffi/shim/linux/loader/`;
  const files = [...Deno.readDirSync(sources)].map(({ name }) => name)
    .filter((name) => /\.[cS]$/.test(name) && !/^(?:main|host_bare|bare)\./.test(name));
  const flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden"]
    .concat(["-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"])
    .concat(["-fno-optimize-sibling-calls", "-pthread", "-fPIC", "-shared"]);
  const { success, stderr } = await new Deno.Command(compiler, {
    args: [...flags, "-o", output, ...files.sort(), "-ldl"],
    cwd: sources,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** How a program ended, and what it wrote to stderr. */
export interface Ended {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  readonly error: string;
}

/** Runs a program to its end. */
export async function run(
  build: Build,
  program: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { code, signal, stderr } = await new Deno.Command(await loaderFor(build), {
    args: [program, ...args],
    env: { ...env },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    signal: AbortSignal.timeout(testPrograms === undefined ? 20_000 : 600_000),
  }).output();
  return { code, signal, error: new TextDecoder().decode(stderr) };
}

/** An image in `dyld_all_image_infos`. */
export interface PublishedImage {
  readonly loadAddress: bigint;
  readonly path: string;
  readonly modificationTime: bigint;
}

/** `dyld_all_image_infos`, what of it is used. */
export interface Published {
  readonly version: number;
  readonly libSystemInitialized: boolean;
  readonly dyldImageLoadAddress: bigint;
  readonly images: readonly PublishedImage[];
  readonly uuids: readonly { readonly loadAddress: bigint; readonly uuid: string }[];
  readonly ownAddress: bigint;
  readonly address: bigint;
}

/** A running program; killed when disposed. */
export class Running implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  /** Opened again when the images are there: before its exec is done, a process has other memory. */
  #memory: Deno.FsFile;
  readonly pointerSize: 4 | 8;

  constructor(child: Deno.ChildProcess, build: Build) {
    this.#child = child;
    this.#memory = Deno.openSync(`/proc/${child.pid}/mem`);
    this.pointerSize = archs[archOf(build)].pointerSize;
  }

  get pid(): number {
    return this.#child.pid;
  }

  read(address: bigint, length: number): DataView {
    const bytes = new Uint8Array(length);
    this.#memory.seekSync(address, Deno.SeekMode.Start);
    if (this.#memory.readSync(bytes) !== length) throw new Error("short read");
    return new DataView(bytes.buffer);
  }

  u32(address: bigint): number {
    return this.read(address, 4).getUint32(0, true);
  }

  u64(address: bigint): bigint {
    return this.read(address, 8).getBigUint64(0, true);
  }

  pointer(address: bigint): bigint {
    return this.pointerSize === 8 ? this.u64(address) : BigInt(this.u32(address));
  }

  string(address: bigint): string {
    const bytes = new Uint8Array(this.read(address, 1024).buffer);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /** `undefined` while there is none, or its array is being changed. */
  published(): Published | undefined {
    const maps = Deno.readTextFileSync(`/proc/${this.pid}/maps`);
    const found = /^([0-9a-f]+)-.*\/memfd:dyld_all_image_infos/m.exec(maps);
    if (found === null) return undefined;
    this.#memory.close();
    this.#memory = Deno.openSync(`/proc/${this.pid}/mem`);
    const address = BigInt(`0x${found[1]}`);
    // Offsets from <mach-o/dyld_images.h>.
    const wide = this.pointerSize === 8;
    const size = BigInt(this.pointerSize);
    const array = this.pointer(address + 8n);
    if (array === 0n) return undefined;
    const count = this.u32(address + 4n);
    const uuidCount = this.pointer(address + (wide ? 88n : 48n));
    const uuidArray = this.pointer(address + (wide ? 96n : 52n));
    return {
      address,
      version: this.u32(address),
      libSystemInitialized: this.read(address + (wide ? 25n : 17n), 1).getUint8(0) === 1,
      dyldImageLoadAddress: this.pointer(address + (wide ? 32n : 20n)),
      ownAddress: this.pointer(address + (wide ? 104n : 56n)),
      images: Array.from({ length: count }, (_, i) => {
        const entry = array + BigInt(i) * 3n * size;
        return {
          loadAddress: this.pointer(entry),
          path: this.string(this.pointer(entry + size)),
          modificationTime: this.pointer(entry + 2n * size),
        };
      }),
      uuids: Array.from({ length: Number(uuidCount) }, (_, i) => {
        const entry = uuidArray + BigInt(i) * (size + 16n);
        const uuid = new Uint8Array(this.read(entry + size, 16).buffer).toHex();
        return { loadAddress: this.pointer(entry), uuid };
      }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#memory.close();
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}

/** Starts a program that does not end by itself. */
export async function start(
  build: Build,
  program: string,
  args: readonly string[] = [],
): Promise<Running> {
  const loader = await loaderFor(build);
  const command = new Deno.Command(loader, {
    args: [program, ...args],
    stdin: "null",
    stdout: "null",
  });
  return new Running(command.spawn(), build);
}

/** Waits until `condition` gives something; it may throw while the program is still starting. */
export async function until<T>(condition: () => T | undefined | false): Promise<T> {
  for (let tries = 0;; tries++) {
    try {
      const value = condition();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      if (tries === 2000) throw error;
    }
    if (tries === 2000) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What a file's own bytes say: its UUID, and its symbols as distances from the Mach header. */
export function readImage(path: string): { uuid: string; symbols: ReadonlyMap<string, bigint> } {
  const bytes = Deno.readFileSync(path);
  const view = new DataView(bytes.buffer);
  const wide = view.getUint32(0, true) === 0xfeedfacf;
  const symbols = new Map<string, bigint>();
  let uuid = "";
  let base = 0n;
  for (let i = 0, at = wide ? 32 : 28; i < view.getUint32(16, true); i++) {
    const command = view.getUint32(at, true);
    if (command === 0x1b) uuid = bytes.subarray(at + 8, at + 24).toHex();
    if (command === 0x19 && bytes[at + 10] === "T".charCodeAt(0)) {
      base = view.getBigUint64(at + 24, true);
    }
    if (command === 0x1 && bytes[at + 10] === "T".charCodeAt(0)) {
      base = BigInt(view.getUint32(at + 24, true));
    }
    if (command === 0x2) {
      const [table, count, strings] = [8, 12, 16].map((field) => view.getUint32(at + field, true));
      for (let j = 0; j < count; j++) {
        const entry = table + j * (wide ? 16 : 12);
        if (bytes[entry + 4] & 0xe0 || !(bytes[entry + 4] & 0x0e)) continue;
        const name = strings + view.getUint32(entry, true);
        const value = wide
          ? view.getBigUint64(entry + 8, true)
          : BigInt(view.getUint32(entry + 8, true));
        symbols.set(new TextDecoder().decode(bytes.subarray(name, bytes.indexOf(0, name))), value);
      }
    }
    at += view.getUint32(at + 4, true);
  }
  return { uuid, symbols: new Map([...symbols].map(([name, value]) => [name, value - base])) };
}
