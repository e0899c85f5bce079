import { safe, safeJson } from "../../lib/escape.ts";
import { json, symbols, via } from "../options.ts";
import type { Question } from "../view/activity.ts";
import type { Subcommand } from "./subcommand.ts";

const options = {
  seconds: { short: "s", value: "seconds", help: "How long the target is looked at." },
  symbols,
  via,
  json,
} as const;
const { seconds: _, ...untimed } = options;

function watching(
  name: Question,
  description: string,
  table: typeof options | typeof untimed,
): Subcommand<typeof options> {
  return {
    description,
    arguments: "<target:string>",
    options: table as typeof options,
    examples: [["A process by name", `machpause ${name} MyApp`]],
    async run({ seconds, symbols = [], json = false, via }, [spec]) {
      const [{ answer, usualSeconds }, { secondsOf }, { openTarget }, output, { styleFor }] =
        await Promise.all([
          import("../view/activity.ts"),
          import("../commands/activity.ts"),
          import("../prompt/open.ts"),
          import("../view/output.ts"),
          import("../view/style.ts"),
        ]);
      const { loadDemangler } = await import("../../lib/symbols/demangle/mod.ts");
      const time = secondsOf(seconds, usualSeconds[name]);
      using opened = await openTarget(spec, symbols, via);
      await loadDemangler();
      const found = await answer(name, opened.target, {
        seconds: time,
        style: styleFor(Deno.stdout),
        columns: Deno.stdout.isTerminal() ? output.terminalSize().columns : Infinity,
        signal: new AbortController().signal,
      });
      if (json) {
        output.print(safe`${safeJson({ target: opened.target.toJSON(), [name]: found.json })}\n`);
      } else output.printLines(found.lines);
      return 0;
    },
  };
}

/** `machpause top` */
export const top = watching(
  "top",
  "Show the stacks that use the processors, for a second.",
  options,
);
/** `machpause hang` */
export const hang = watching(
  "hang",
  "Show the threads that make no progress: two looks, a second apart.",
  options,
);
/** `machpause compare` */
export const compare = watching("compare", "Show what each thread did between two looks.", options);
/** `machpause census` */
export const census = watching("census", "Count threads by stack.", untimed);
/** `machpause deadlock` */
export const deadlock = watching(
  "deadlock",
  "Show which thread waits for a mutex that which one holds.",
  untimed,
);
