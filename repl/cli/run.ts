import type { Subcommand } from "./subcommand.ts";

/** `machpause run` */
export default {
  description: "Run a script with the API in its global scope.",
  arguments: "<script:string> [args...:string]",
  stopEarly: true,
  async run(_options, [script, ...args]) {
    await (await import("./script.ts")).runScript(script, args);
    return undefined;
  },
} satisfies Subcommand;
