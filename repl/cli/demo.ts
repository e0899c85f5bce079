import { demoOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause demo` */
export default {
  description: "Start and pause the demo process; without a terminal, print its stacks.\n" +
    "`demo deadlock` starts one whose threads wait for each other. As targets of other subcommands\n" +
    "they are `demo` and `demo:deadlock`.",
  arguments: "[program:string]",
  options: demoOptions,
  examples: [
    ["A process to look at", "machpause demo"],
    ["A deadlock, named as one", "machpause deadlock demo:deadlock"],
  ],
  async run(options, [program]) {
    const spec = program === undefined ? "demo" : `demo:${program}`;
    const atTerminal = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
    if (options.eval === undefined && !atTerminal) {
      return await (await import("./bt.ts")).showBacktraces(spec, "pause", {});
    }
    const { promptAt } = await import("./prompt.ts");
    const begin = options.eval === undefined ? ["pause"] : [];
    return await promptAt({ ...options, begin, pause: true }, spec);
  },
} satisfies Subcommand<typeof demoOptions>;
