import { selfOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause self` */
export default {
  description: "Inspect machpause's own process at the prompt.",
  options: selfOptions,
  async run(options) {
    const { promptAt } = await import("./prompt.ts");
    return await promptAt(options, "self");
  },
} satisfies Subcommand<typeof selfOptions>;
