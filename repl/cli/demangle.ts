import { escape, escapeLines, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import { json } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

/** What can be a mangled name in a text: the prefixes of Swift, C++ and Rust, and what follows them. */
const mangled = /(?<![\w$.])(?:_{0,2}\$[sSe]|_{1,4}Z|_{1,2}[RT]|@__swiftmacro_)[\w$.]+/g;

const options = {
  full: { help: "Show everything: modules, types, specializations." },
  json: {
    ...json,
    help: "Print one JSON object per line: {name, text}, text null if not mangled.",
  },
} as const;

/** `machpause demangle` */
export default {
  description: "Demangle Swift, C++ and Rust names; without names, those in a text on stdin.",
  arguments: "[names...:string]",
  options,

  examples: [
    ["A name", "machpause demangle '$s4main3fooyySiF'"],
    ["A text", "nm MyApp | machpause demangle"],
  ],
  async run({ full, json }, names) {
    const [{ demangle, loadDemangler }, { print }, { join, lines }] = await Promise.all([
      import("../../lib/symbols/demangle/mod.ts"),
      import("../view/output.ts"),
      import("../view/text.ts"),
    ]);
    await loadDemangler(names.length > 0 ? names : undefined);
    const style = full ? "full" : "simplified";
    const asJson = (name: string): SafeText => {
      const text = demangle(name, style);
      return safeJson({ name, text: text === name ? null : text });
    };
    if (names.length > 0) {
      print(lines(names.map((name) => json ? asJson(name) : escape(demangle(name, style)))));
      return 0;
    }
    const readable = (name: string): string => escape(demangle(name, style));
    const copy = (text: string): void =>
      print(
        json
          ? join(text.split("\n").map((line) => line === "" ? safe`` : asJson(line)), "\n")
          : escapeLines(text.replace(mangled, readable)),
      );
    let rest = "";
    for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
      const end = chunk.lastIndexOf("\n") + 1;
      if (end > 0) copy(rest + chunk.slice(0, end));
      rest = end > 0 ? chunk.slice(end) : rest + chunk;
    }
    copy(rest);
    return 0;
  },
} satisfies Subcommand<typeof options>;
