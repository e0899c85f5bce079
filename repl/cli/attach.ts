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
    ["The next that is started, paused at once", "machpause attach --wait MyApp -e bt"],
    ["Over the wire", "machpause attach remote:localhost:1234"],
    ["By Apple's debugserver, without root", "machpause attach MyApp --via debugserver"],
  ],
  async run(options, [spec]) {
    const { promptAt } = await import("./prompt.ts");
    if (spec === undefined) {
      const canChoose = options.eval === undefined && Deno.stdin.isTerminal() &&
        Deno.stdout.isTerminal();
      if (!canChoose || options.wait) {
        throw new UserError("attach to what? a pid or a process name", 2);
      }
      return await promptAt({ ...options, begin: ["attach"] });
    }
    if (!options.wait) return await promptAt(options, spec, options.via);
    const [{ openStarted }, { complain }] = await Promise.all([
      import("../prompt/processes.ts"),
      import("../view/output.ts"),
    ]);
    const { symbols, via } = options;
    const begin = options.eval === undefined ? ["pause"] : [];
    return await promptAt(
      { ...options, begin, pause: true },
      async () => (await openStarted(spec, { symbols, via, say: complain }))!,
    );
  },
} satisfies Subcommand<typeof attachOptions>;
