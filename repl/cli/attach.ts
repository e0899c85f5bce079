import { UserError } from "../errors.ts";
import { attachOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause attach` */
export default {
  description: "Attach to a running process and start the prompt.",
  arguments: "[target:string]",
  options: attachOptions,
  examples: [
    ["A process by name", "machpause attach MyApp"],
    ["One of a list", "machpause attach"],
    ["Over the wire", "machpause attach remote:localhost:1234"],
    ["By Apple's debugserver, without root", "machpause attach MyApp --via debugserver"],
  ],
  async run(options, [spec]) {
    const { promptAt } = await import("./prompt.ts");
    if (spec === undefined) {
      const canChoose = options.eval === undefined && Deno.stdin.isTerminal() &&
        Deno.stdout.isTerminal();
      if (!canChoose) throw new UserError("attach to what? a pid or a process name", 2);
      return await promptAt({ ...options, begin: ["attach"] });
    }
    return await promptAt(options, spec, options.via);
  },
} satisfies Subcommand<typeof attachOptions>;
