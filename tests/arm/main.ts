/** Runs tests in an emulated arm64 machine: see `machine.ts`.
 *
 *     deno task test:arm                                   what runs at every change: `tests` below
 *     deno task test:arm --all                             also what takes longer: `others` below
 *     deno task test:arm --fetch                           only downloads what it needs
 *     deno task test:arm --remote                          only what stubs in the machine hold
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
import { type Job, makeSystem, outputFolder, root, runInMachine, Unavailable } from "./machine.ts";

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

/** Without frame records: what the unwind information of ELF leads through. */
const waitsFlags = ["-O1", "-g", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread"];

/** What gdbserver holds in the machine, by name: each at a port of its own. */
const held: Readonly<Record<string, string>> = {
  "demo-arm64": `${programs}/loader-arm64 examples/demo/arm64/demo`,
  "demo-armv7": `${programs}/loader-armv7 examples/demo/armv7/demo`,
  "waits-arm64": `${programs}/waits-arm64`,
  "waits-armv7": `${programs}/waits-armv7`,
};
const firstPort = 2001;
/** A connection to this port ends what is held. */
const endPort = 2000;

/** Shell commands that start those programs and their stubs, say the pids, and wait for the end. */
function holdScript(): string {
  const lines = ["stubs="];
  for (const [index, [, command]] of Object.entries(held).entries()) {
    const output = `/tmp/held-${index}`;
    lines.push(
      `${command} >${output} & p${index}=$!; stubs="$stubs $!"`,
      // The demo writes nothing, and is asked later whether it is ready.
      `for try in 1 2 3 4 5 6 7 8 9 10; do [ -s ${output} ] && break; sleep 0.1; done`,
      `gdbserver --attach 0.0.0.0:${
        firstPort + index
      } $p${index} 2>/tmp/stub-${index} & stubs="$stubs $!"`,
    );
  }
  const pids = Object.keys(held).map((name, index) => `${name}=$p${index}`).join(" ");
  const listening = `[ $(cat /tmp/stub-* | grep -c Listening) = ${Object.keys(held).length} ]`;
  lines.push(
    `for try in 1 2 3 4 5 6 7 8 9 10; do ${listening} && break; sleep 0.5; done`,
    `echo "machine: ${pids}"`,
    `timeout 600 nc -l -p ${endPort} </dev/null; kill -9 $stubs 2>/dev/null; true`,
  );
  return lines.join("\n");
}

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
    run(compiler, ["-o", `${folder}/pac-mask`, `${own}pac_mask.c`]),
    run(compiler, [...waitsFlags, "-o", `${folder}/waits-arm64`, `${own}waits.c`]),
    run(compilers32.arm64[0], [...waitsFlags, "-o", `${folder}/waits-armv7`, `${own}waits.c`]),
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
  const isHeld = wholeList || args[0] === "--remote";
  if (isHeld) {
    const [first, ...others] = freePorts(Object.keys(held).length + 1);
    const ports = new Map(Object.keys(held).map((name, index) => [name, others[index]]));
    return {
      ...base,
      prepare: prepareListed,
      script: `${holdScript()}\n${wholeList ? testScript([listedModule]) : ""}`,
      forward: [
        [first, endPort],
        ...others.map((here, index) => [here, firstPort + index] as const),
      ],
      beside: async (pids) => {
        const code = await testOverWire(pids, ports);
        (await Deno.connect({ hostname: "127.0.0.1", port: first })).close();
        return code;
      },
    };
  }
  return {
    ...base,
    script: testScript(args),
    modules: [...listed, ...args.filter((arg) => arg.endsWith(".ts"))],
  };
}

/** Ports of this system that nobody listens at. */
function freePorts(count: number): number[] {
  const listeners = Array.from({ length: count }, () => {
    return Deno.listen({ hostname: "127.0.0.1", port: 0 });
  });
  for (const listener of listeners) listener.close();
  return listeners.map(({ addr }) => addr.port);
}

/** Looks at the programs that stubs hold in the machine, from here. */
async function testOverWire(
  pids: Readonly<Record<string, string>>,
  ports: ReadonlyMap<string, number>,
): Promise<number> {
  const stubs = [...ports].map(([name, port]) => `${name}=${port}=${pids[name]}`);
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "tests/arm/remote_test.ts"],
    cwd: root,
    env: { MACHPAUSE_ARM_STUBS: stubs.join(" ") },
  }).spawn().status;
  return code;
}

/** The listed tests as one module, in the machine: for each module of its own `deno test` would load the
 * library again, which takes seconds there. */
const listedModule = "/tests.js";

async function prepareListed(rootfs: string): Promise<void> {
  const imports = listed.map((path) => `import ${JSON.stringify(`${root}/${path}`)};\n`);
  await Promise.all([
    compileAll(rootfs),
    Deno.writeTextFile(rootfs + listedModule, imports.join("")),
  ]);
}

/** Runs tests in the machine. */
function testScript(args: readonly string[]): string {
  const quoted = args.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`);
  return `export MACHPAUSE_TEST_PROGRAMS=${programs}\ndeno test -A --no-check ${quoted.join(" ")}`;
}

/** Looks at what the machine left, with this system's tools. */
async function compareCores(): Promise<number> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "tests/arm/cores_test.ts"],
    cwd: root,
    env: { MACHPAUSE_ARM_CORES: outputFolder },
  }).spawn().status;
  return code;
}

if (import.meta.main) {
  try {
    if (Deno.args[0] === "--fetch") await makeSystem();
    else Deno.exitCode = await runInMachine(jobOf(Deno.args));
    if (wholeList) Deno.exitCode ||= await compareCores();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.log(`THE ARM MACHINE DID NOT RUN: ${error.message}`);
    const unrun = [...listed, "tests/arm/remote_test.ts", "tests/arm/cores_test.ts"];
    console.log(`tests that did not run on arm64: ${unrun.length} files`);
    for (const name of unrun) console.log(`  ${name}`);
  }
}
