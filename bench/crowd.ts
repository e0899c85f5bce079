/** The subject of the measurements: a program of 101 threads, each about 25 frames deep, as Mach-O
 * for machpause and, from the same sources, as ELF for the debuggers that know no Mach-O process. */
import { launch, type LiveTarget } from "../mod.ts";

const fixtures = new URL("../tests/fixtures/demo/", import.meta.url).pathname;

/** Starts the Mach-O one; every thread has reached its place. */
export async function startMachO(): Promise<LiveTarget> {
  const target = await launch(`${fixtures}x86_64/crowd`, ["100"], { output: "null" });
  await settled(target.pid);
  return target;
}

/** Builds and starts the ELF one. */
export async function startElf(): Promise<{ pid: number; kill(): void }> {
  const directory = await Deno.makeTempDir();
  const program = `${directory}/crowd`;
  const { success, stderr } = await new Deno.Command("cc", {
    args: [
      "-g",
      "-O1",
      "-fno-omit-frame-pointer",
      "-fno-optimize-sibling-calls",
      "-pthread",
      "-o",
      program,
      `${fixtures}crowd.c`,
      `${fixtures}crowd_library.c`,
    ],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const child = new Deno.Command(program, { args: ["100"], stdout: "null" }).spawn();
  await settled(child.pid);
  return {
    pid: child.pid,
    kill() {
      child.kill("SIGKILL");
      Deno.removeSync(directory, { recursive: true });
    },
  };
}

/** Waits until all threads exist, and a little longer until the last has gone down its chain. */
async function settled(pid: number): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    if ([...Deno.readDirSync(`/proc/${pid}/task`)].length >= 101) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`process ${pid} did not start its threads`);
}
