/** Runs tests in an emulated arm64 machine: see `machine.ts`.
 *
 *     deno task test:arm                                   what runs at every change: `tests` below
 *     deno task test:arm --all                             also what takes longer: `others` below
 *     deno task test:arm tests/ffi/linux_test.ts --filter nest    what `deno test` is to run there
 *     deno task test:arm --run 'COMMAND' [--forward HERE:THERE]   any command, with ports of the machine
 *                                                          at ports of this system's loopback
 *
 * Where the machine cannot be had, it says so and names what did not run.
 */
import { buildEmbedded } from "../ffi/darwin_dylib/build.ts";
import { compileLibrary } from "../ffi/loader/loader.ts";
import { compilePrograms, compilers32 } from "../ffi/program.ts";
import { buildLinux, buildLoader } from "../../tools/build.ts";
import { compile, link, run } from "../fixtures/qemu.ts";
import { type Job, outputFolder, root, runInMachine, Unavailable } from "./machine.ts";

/** What runs at every change. The contract of the Darwin dylib is that of the Linux library too, and the
 * dylib calls the same implementation of the Mach calls. */
const tests = [
  "tests/ffi/darwin_dylib_test.ts",
  "tests/ffi/loader/run_test.ts",
  "tests/ffi/loader/library_test.ts",
  "tests/lib/target/demo_test.ts",
  "tests/arm/live_test.ts",
];

/** What `--all` adds. */
const others = [
  "tests/ffi/linux_test.ts",
  "tests/ffi/introduction_test.ts",
  "tests/lib/target/save_core_test.ts",
  "tests/lib/report/target_test.ts",
];

/** Whether the arguments ask for the lists above. */
const wholeList = Deno.args.length === 0 || Deno.args[0] === "--all";
const listed = Deno.args[0] === "--all" ? [...tests, ...others] : tests;

const own = `${root}/tests/arm/programs/`;
const signals = ["signals.c", "signals.S"].map((name) => `${root}/tests/fixtures/signals/${name}`);

const compiler = "aarch64-linux-gnu-gcc";

/** Where the programs are in the machine. */
const programs = "/programs";

/** Compiles a Mach-O program into the folder of its architecture. */
async function machO(
  folder: string,
  arch: "arm64" | "armv7",
  name: string,
  flags: readonly string[],
  sources: readonly string[],
): Promise<void> {
  const work = await Deno.makeTempDir();
  try {
    const objects = sources.map((_, index) => `${index}.o`);
    for (const [index, source] of sources.entries()) {
      const own = source.endsWith(".S") ? [] : ["-O1", ...flags];
      await compile(arch, own, source, work, objects[index]);
    }
    await link(arch, work, objects, name);
    await Deno.mkdir(`${folder}/${arch}`, { recursive: true });
    await Deno.copyFile(`${work}/${name}`, `${folder}/${arch}/${name}`);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Compiles for the machine what the tests compile where they run. */
export async function compileAll(rootfs: string): Promise<void> {
  const folder = rootfs + programs;
  await Deno.mkdir(`${folder}/darwin`, { recursive: true });
  await Promise.all([
    compilePrograms(folder, compiler, compilers32.arm64),
    buildLinux(compiler, `${folder}/libmachpause.so`),
    buildEmbedded(`${folder}/darwin`, { compiler, there: `${programs}/darwin` }),
    compileLibrary(`${folder}/libloader.so`, compiler),
    buildLoader("arm64", `${folder}/loader-arm64`),
    buildLoader("armv7", `${folder}/loader-armv7`),
    run("aarch64-linux-gnu-g++", [
      ...["-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread"],
      ...["-mbranch-protection=standard", "-o", `${folder}/frames`, `${own}frames.cc`],
    ]),
    ...(["arm64", "armv7"] as const).flatMap((arch) => [
      machO(folder, arch, "signals-same", ["-DSTAY"], signals),
      machO(folder, arch, "signals-alternate", ["-DSTAY", "-DALTERNATE"], signals),
      machO(folder, arch, "create", [], [`${own}create.c`]),
    ]),
    machO(
      folder,
      "arm64",
      "signed",
      ["-fno-optimize-sibling-calls", "-mbranch-protection=standard"],
      ["demo.c", "queues.c", "workers.c"].map((name) => `${root}/examples/demo/${name}`),
    ),
  ]);
}

function forwarded(text = ""): readonly [number, number] {
  const [, here, there] = /^(\d+):(\d+)$/.exec(text) ?? [];
  if (here === undefined) throw new Error("--forward takes HERE:THERE, two ports");
  return [Number(here), Number(there)];
}

function jobOf(args: readonly string[]): Job {
  const base = { prepare: compileAll, modules: listed };
  if (args[0] === "--run") {
    const [, script, ...rest] = args;
    const forward = rest.flatMap((arg, index) =>
      arg === "--forward" ? [forwarded(rest[index + 1])] : []
    );
    return { ...base, script, forward };
  }
  const quoted = (wholeList ? listed : args).map((arg) => `'${arg.replaceAll("'", "'\\''")}'`);
  const script = `export MACHPAUSE_TEST_PROGRAMS=${programs}\ndeno test -A --no-check ${
    quoted.join(" ")
  }`;
  return { ...base, script, modules: [...listed, ...args.filter((arg) => arg.endsWith(".ts"))] };
}

/** Looks at what the machine left, with this system's tools. */
async function compareCores(): Promise<number> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "tests/arm/cores_test.ts"],
    cwd: root,
    env: { MACHPAUSE_ARM_CORES: outputFolder },
  }).spawn().status;
  return code;
}

if (import.meta.main) {
  try {
    Deno.exitCode = await runInMachine(jobOf(Deno.args));
    if (wholeList) Deno.exitCode ||= await compareCores();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.log(`THE ARM MACHINE DID NOT RUN: ${error.message}`);
    const unrun = [...listed, "tests/arm/cores_test.ts"];
    console.log(`tests that did not run on arm64: ${unrun.length} files`);
    for (const name of unrun) console.log(`  ${name}`);
  }
}
