import { escape, safe, safeJson } from "../../lib/escape.ts";
import { saveCoreOptions } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause savecore` */
export default {
  description: "Save a process as a core file, which LLDB opens too. The process keeps running.",
  arguments: "<target:string> <file:string>",
  options: saveCoreOptions,
  examples: [["With the heap", "machpause savecore MyApp MyApp.core --style dirty"]],
  async run({ json = false, via, ...choices }, [spec, file]) {
    const [{ openTarget }, { savedLine, saveCoreFile }, { complain, print }] = await Promise.all([
      import("../prompt/open.ts"),
      import("../prompt/save_core.ts"),
      import("../view/output.ts"),
    ]);
    using opened = await openTarget(spec, [], via);
    const saved = await saveCoreFile(opened.target, file, choices);
    if (json) {
      print(safe`${safeJson({ target: opened.target.toJSON(), ...saved })}\n`);
    } else {
      print(safe`${savedLine(saved)}\n`);
    }
    for (const warning of saved.warnings) complain(safe`warning: ${escape(warning)}`);
    return 0;
  },
} satisfies Subcommand<typeof saveCoreOptions>;
