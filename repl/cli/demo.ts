import { demoOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause demo` */
export default {
  description: "Start and pause the demo process; without a terminal, print its stacks.",
  options: demoOptions,
  async run(options) {
    const atTerminal = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
    if (options.eval === undefined && !atTerminal) {
      return await (await import("./bt.ts")).showBacktraces("demo", "pause", {});
    }
    const { promptAt } = await import("./prompt.ts");
    const begin = options.eval === undefined ? ["pause"] : [];
    return await promptAt({ ...options, begin, pause: true }, "demo");
  },
} satisfies Subcommand<typeof demoOptions>;
