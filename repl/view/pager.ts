/** Long output of the command line, through a pager. */
import type { SafeText } from "../../lib/escape.ts";
import { print, terminalSize } from "./output.ts";

/** Whether long output is paged: on a terminal, unless `PAGER` is `cat` or empty. */
function pages(): boolean {
  if (!Deno.stdout.isTerminal() || !Deno.stdin.isTerminal()) return false;
  const pager = Deno.env.get("PAGER");
  return Deno.env.get("TERM") !== "dumb" && (pager === undefined || !/^(?:cat)?\s*$/.test(pager));
}

/** Prints a text; one that is longer than the terminal through `$PAGER`, or `less -FRX`. */
export async function printPaged(text: SafeText): Promise<void> {
  const { rows } = terminalSize();
  if (!pages() || text.split("\n").length <= rows) return print(text);
  const pager = Deno.env.get("PAGER")?.trim() || "less -FRX";
  let child: Deno.ChildProcess;
  try {
    // `PAGER` may have arguments, and may be a command of the shell.
    child = new Deno.Command("/bin/sh", { args: ["-c", pager], stdin: "piped" }).spawn();
  } catch {
    return print(text);
  }
  // Ctrl-C is the pager's while it runs.
  const ignore = () => {};
  Deno.addSignalListener("SIGINT", ignore);
  try {
    const writer = child.stdin.getWriter();
    // Whoever leaves the pager early does not read the rest.
    await writer.write(new TextEncoder().encode(text)).catch(() => {});
    await writer.close().catch(() => {});
    const { code } = await child.status;
    // The shell's answers where there is no such program.
    if (code === 126 || code === 127) print(text);
  } finally {
    Deno.removeSignalListener("SIGINT", ignore);
  }
}
