/** The subject of the measurements: a program of 101 threads, each about 25 frames deep, as Mach-O
 * for machpause and, from the same sources, as ELF for the debuggers that know no Mach-O process. */
import { launch, type LiveTarget } from "../../mod.ts";

const fixtures = new URL("../../examples/demo/", import.meta.url).pathname;

/** Starts the Mach-O one; every thread is where it stays. */
export async function startMachO(): Promise<LiveTarget> {
  const target = await launch(`${fixtures}x86_64/crowd`, ["100"], { output: "null" });
  const [{ symbol }] = target.lookup("crowd_ready");
  await until(() => target.memory.readU32(symbol.address) === 1);
  return target;
}

/** Builds and starts the ELF one. */
export async function startElf(): Promise<{ pid: number; kill(): void }> {
  const directory = await Deno.makeTempDir();
  const flags = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"];
  const library = `${directory}/libworkers.so`;
  const program = `${directory}/crowd`;
  await compile([...flags, "-shared", "-fPIC", "-o", library, `${fixtures}workers.c`]);
  await compile([
    ...flags,
    "-o",
    program,
    `${fixtures}crowd.c`,
    library,
    "-Wl,-rpath,$ORIGIN",
    "-pthread",
  ]);
  const child = new Deno.Command(program, { args: ["100"], stdout: "null" }).spawn();
  await until(() => [...Deno.readDirSync(`/proc/${child.pid}/task`)].length === 101);
  // Its own flag cannot be read from here; it takes less than this to be set.
  await new Promise((resolve) => setTimeout(resolve, 300));
  return {
    pid: child.pid,
    kill() {
      child.kill("SIGKILL");
      Deno.removeSync(directory, { recursive: true });
    },
  };
}

async function compile(args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("cc", { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

async function until(done: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    if (done()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the crowd did not come together");
}
