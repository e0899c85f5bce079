/** `bt` of a process with 101 threads, the whole command, against LLDB and gdb. */
import { startElf, startMachO } from "./crowd.ts";
import { compare, machpause, rows } from "./measure.ts";

/** Prints a Markdown table. */
export async function bench(): Promise<void> {
  const machO = await startMachO();
  const elf = await startElf();
  try {
    const pid = `${elf.pid}`;
    const timings = await compare([
      machpause("`machpause bt`", ["bt", `${machO.pid}`], "thread 100"),
      {
        name: "`gdb -p PID -batch -ex 'thread apply all bt'`",
        command: "gdb",
        args: ["-p", pid, "-batch", "-ex", "thread apply all bt"],
        proof: "Thread 101 ",
      },
      {
        name: "`lldb-19 -p PID -b -o 'bt all' -o detach`",
        command: "lldb-19",
        args: ["-p", pid, "-b", "-o", "bt all", "-o", "detach"],
        proof: "thread #101",
      },
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
