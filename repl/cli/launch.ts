import { TargetGoneError } from "../../lib/errors.ts";
import { escape, safe } from "../../lib/escape.ts";
import { launchOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

async function isEmpty(stream: ReadableStream<Uint8Array>): Promise<boolean> {
  for await (const bytes of stream) if (bytes.length > 0) return false;
  return true;
}

/** `machpause launch` */
export default {
  description: "Start a program and the prompt; the program ends with machpause.\n" +
    "Options go before the program: what follows its name is passed to it.\n" +
    "Whatever it reads from its standard input ends at once.",
  arguments: "<program:string> [args...:string]",
  options: launchOptions,
  stopEarly: true,
  async run(options, [program, ...args]) {
    const { promptAt } = await import("./prompt.ts");
    const { openLaunched, strayOptions } = await import("../prompt/launch.ts");
    const stray = strayOptions(args);
    if (stray !== undefined) {
      const { complain } = await import("../view/output.ts");
      complain(escape(stray));
    }
    const atTerminal = options.eval === undefined && Deno.stdin.isTerminal() &&
      Deno.stdout.isTerminal();
    // Options that were meant for machpause would have ended it.
    const waits = stray === undefined;
    try {
      return await promptAt({ ...options, waits }, async ({ show }) => {
        const print = atTerminal ? { print: show } : {};
        const { keep = false, via } = options;
        return await openLaunched(program, args, { keep, via, ...print });
      });
    } catch (error) {
      // It ended before it could be looked at, which nobody had asked for.
      const ranWell = error instanceof TargetGoneError && error.how === "it exited with code 0";
      const wanted = options.eval !== undefined || atTerminal || !waits;
      if (!ranWell || wanted || !await isEmpty(Deno.stdin.readable)) throw error;
      const { print } = await import("../view/output.ts");
      print(safe`${escape(error.message)}\n`);
      return 0;
    }
  },
} satisfies Subcommand<typeof launchOptions>;
