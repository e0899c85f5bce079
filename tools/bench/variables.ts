/** Variables: `bt --locals` of 101 threads, and a first `frame variable` with a dSYM of 1.2 GB; whole commands on
 * cores, against LLDB. */
import { archs, writeRegister } from "../../lib/arch/mod.ts";
import { Image } from "../../lib/macho/mod.ts";
import { buildCore, captureParts, type RegionPart } from "../../tests/lib/target/core_builder.ts";
import { startMachO } from "./crowd.ts";
import { command, compare, entry, median, rows } from "./measure.ts";
import { copies, type Subject } from "./subject.ts";

/** What LLDB does for `bt --locals`, which it has no command for. */
const script = `import lldb

def dump(debugger, command, result, internal):
    debugger.HandleCommand("thread backtrace all")
    process = debugger.GetSelectedTarget().GetProcess()
    for thread in process:
        process.SetSelectedThread(thread)
        for index in range(thread.GetNumFrames()):
            thread.SetSelectedFrame(index)
            debugger.HandleCommand("frame variable")

def __lldb_init_module(debugger, internal):
    debugger.HandleCommand("command script add -f every.dump every-variable")
`;

/** Prints Markdown tables. */
export async function bench(): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await compareCrowd(folder);
    await compareFirst(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function compareCrowd(folder: string): Promise<void> {
  const core = `${folder}/crowd.core`;
  {
    using target = await startMachO();
    try {
      await Deno.writeFile(core, buildCore(captureParts(target)));
    } finally {
      target.kill();
    }
  }
  await Deno.writeTextFile(`${folder}/every.py`, script);
  const lldb = (...commands: string[]) => [
    ...["-x", "-b", "-o", `target create --core ${core}`],
    ...commands.flatMap((text) => ["-o", text]),
  ];
  const timings = await compare([
    command("`machpause bt core:FILE --locals`", Deno.execPath(), [
      ...["run", "-A", entry, "bt", `core:${core}`, "--locals"],
    ], "thread 100"),
    command("`machpause bt core:FILE`", Deno.execPath(), [
      ...["run", "-A", entry, "bt", `core:${core}`],
    ], "thread 100"),
    command(
      "LLDB: `thread backtrace all`, and `frame variable` in each frame by a script",
      "lldb-19",
      lldb(`command script import ${folder}/every.py`, "every-variable"),
      "thread #101",
    ),
    command("LLDB: `bt all`", "lldb-19", lldb("bt all"), "thread #101"),
  ], 9);
  console.log("| command, 101 threads | median | range | ratio |\n|---|---|---|---|");
  console.log(`${rows(timings)}\n`);
}

/** A function of each copy of SQLite with variables of several kinds. */
const FUNCTION = "execSql";

/** A core with one thread in a function of a library. */
async function coreIn({ dylib }: Subject, file: string): Promise<void> {
  const arch = archs.arm64;
  const bytes = await Deno.readFile(dylib);
  const loadAddress = 0x1_0000_0000n;
  const image = Image.fromFile(bytes, dylib, { loadAddress });
  const { slide, uuid, cpuSubtype } = image;
  const segments = image.segments.filter(({ name, size }) => size > 0 && name !== "__LINKEDIT")
    .map(({ name, vmAddress }) => ({ name, address: vmAddress + slide }));
  const stack = new Uint8Array(1 << 16);
  const regions: RegionPart[] = [
    {
      address: loadAddress,
      bytes: bytes.slice(0, 1 << 16),
      protection: 5,
      segment: { image: dylib, name: "__TEXT" },
    },
    { address: 0x7000_0000n, bytes: stack, protection: 3, segment: null },
  ];
  const state = new Uint8Array(arch.threadState.size);
  for (const register of arch.threadState.registers) {
    if (register.size === 8) writeRegister(state, register, 0x7000_1000n);
  }
  const { address } = [...image.symbols].find(({ name }) => name === FUNCTION)!;
  writeRegister(state, arch.sp, 0x7000_8000n);
  writeRegister(state, arch.pc, address + 64n);
  await Deno.writeFile(
    file,
    buildCore({
      arch,
      cpuSubtype,
      threads: [{ id: 1n, name: "", state }],
      regions,
      images: [{ path: dylib, uuid, loadAddress, slide, segments, executing: true }],
    }),
  );
}

async function compareFirst(folder: string): Promise<void> {
  const subject = await copies(300);
  const core = `${folder}/first.core`;
  await coreIn(subject, core);
  const symbols = `${folder}/symbols`;
  await Deno.mkdir(symbols);
  await Deno.symlink(subject.dsym, `${symbols}/big.dSYM`);
  const ours = ["core", core, "--symbols", symbols, "-e"];
  const contenders: [name: string, program: string, args: string[], proof: string][] = [
    [
      "`machpause core FILE -e 'frame variable'`",
      Deno.execPath(),
      ["run", "-A", entry, ...ours, "frame variable"],
      "pStmt = ",
    ],
    ["`machpause core FILE -e bt`", Deno.execPath(), ["run", "-A", entry, ...ours, "bt"], FUNCTION],
    ["`lldb-19`, `frame variable`", "lldb-19", [
      ...["-x", "-b", "-o", `target create ${subject.dylib}`],
      ...["-o", `target symbols add -s ${subject.dylib} ${subject.dwarf}`],
      ...["-o", `target create --core ${core}`, "-o", "frame variable"],
    ], "pStmt = "],
  ];
  const results = contenders.map(() => ({ wall: [] as number[], cpu: [] as number[], memory: 0 }));
  for (let run = -1; run < 9; run++) {
    for (const [index, [name, program, args, proof]] of contenders.entries()) {
      const began = performance.now();
      const { stdout, stderr } = await new Deno.Command("/usr/bin/time", {
        args: ["-f", "%U %S %M", program, ...args],
        stdin: "null",
      }).output();
      const wall = performance.now() - began;
      const text = new TextDecoder();
      if (!text.decode(stdout).includes(proof)) throw new Error(`${name}: ${text.decode(stdout)}`);
      const [user, system, kilobytes] = text.decode(stderr).trim().split("\n").at(-1)!.split(" ")
        .map(Number);
      if (run < 0) continue;
      results[index].wall.push(wall);
      results[index].cpu.push(1000 * (user + system));
      results[index].memory = Math.max(results[index].memory, kilobytes / 1024);
    }
  }
  console.log(
    "| command, 1.2 GB dSYM | median | minimum | processor | memory |\n|---|---|---|---|---|",
  );
  for (const [index, { wall, cpu, memory }] of results.entries()) {
    console.log(
      `| ${contenders[index][0]} | ${median(wall).toFixed(0)} ms | ${
        Math.min(...wall).toFixed(0)
      } ms | ${Math.min(...cpu).toFixed(0)} ms | ${memory.toFixed(0)} MB |`,
    );
  }
}

if (import.meta.main) await bench();
