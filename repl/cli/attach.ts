import { attachOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause attach` */
export default {
  description: "Attach to a running process and start the prompt.",
  arguments: "<target:string>",
  options: attachOptions,
  examples: [["A process by name", "machpause attach MyApp"]],
  async run(options, [spec]) {
    const { promptAt } = await import("./prompt.ts");
    return await promptAt(options, spec);
  },
} satisfies Subcommand<typeof attachOptions>;
