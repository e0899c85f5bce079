import { launchOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause launch` */
export default {
  description: "Start a program and the prompt. On Linux: a Mach-O program, through the loader.",
  arguments: "<program:string> [args...:string]",
  options: launchOptions,
  stopEarly: true,
  async run(options, [program, ...args]) {
    const { promptAt } = await import("./prompt.ts");
    return await promptAt(options, async () => {
      return await (await import("../prompt/launch.ts")).openLaunched(program, args);
    });
  },
} satisfies Subcommand<typeof launchOptions>;
