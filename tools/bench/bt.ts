/** `bt` of a process with 101 threads, the whole command, against LLDB and gdb. */
import { startElf, startMachO } from "./crowd.ts";
import { command, compare, entry, rows } from "./measure.ts";

/** Prints a Markdown table. */
export async function bench(): Promise<void> {
  const machO = await startMachO();
  const elf = await startElf();
  try {
    const pid = `${elf.pid}`;
    const timings = await compare([
      command("`machpause bt`", Deno.execPath(), [
        "run",
        "-A",
        entry,
        "bt",
        `${machO.pid}`,
      ], "thread 100"),
      command(
        "`gdb -p PID -batch -ex 'thread apply all bt'`",
        "gdb",
        ["-p", pid, "-batch", "-ex", "thread apply all bt"],
        "Thread 101 ",
      ),
      command(
        "`lldb-19 -p PID -b -o 'bt all' -o detach`",
        "lldb-19",
        ["-p", pid, "-b", "-o", "bt all", "-o", "detach"],
        "thread #101",
      ),
    ], 9);
    console.log("| command | median | range | ratio |\n|---|---|---|---|");
    console.log(rows(timings));
  } finally {
    machO.kill();
    machO[Symbol.dispose]();
    elf.kill();
  }
}

if (import.meta.main) await bench();
