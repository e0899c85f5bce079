import { safe, safeJson } from "../../lib/escape.ts";
import { coreOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause core` */
export default {
  description: "Open a Mach-O core file and start the prompt.",
  arguments: "<file:string>",
  options: coreOptions,
  examples: [["With binaries from another folder", "machpause core MyApp.core --symbols ./build"]],
  async run(options, [file]) {
    const { json = false, symbols = [], ...start } = options;
    const { held, openCoreFile } = await import("../prompt/open.ts");
    if (!json) {
      const { promptAt } = await import("./prompt.ts");
      return await promptAt(start, async () => held(await openCoreFile(file, symbols)));
    }
    const [{ coreJson }, { print }, core] = await Promise.all([
      import("../view/json.ts"),
      import("../view/output.ts"),
      openCoreFile(file, symbols),
    ]);
    using _core = core;
    print(safe`${safeJson(coreJson(core))}\n`);
    return 0;
  },
} satisfies Subcommand<typeof coreOptions>;
