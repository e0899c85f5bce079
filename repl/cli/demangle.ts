import { demangle, escape, loadDemangler } from "../../mod.ts";
import { print, printLines } from "../view/output.ts";

/** What `machpause demangle` was asked for. */
export interface DemangleOptions {
  /** All that a name says, not what a debugger shows. */
  readonly full?: boolean;
  /** One JSON object a line: `{"name","text"}`, where `text` is `null` for what is no mangled name. */
  readonly json?: boolean;
}

/** What can be a mangled name in a text: Swift's, C++'s and Rust's prefixes and what goes on with them. */
const mangled = /(?<![\w$.])(?:_{0,2}\$[sSe]|_{1,4}Z|_{1,2}[RT]|@__swiftmacro_)[\w$.]+/g;

/** Prints the texts of names; without names it copies stdin, with the texts in the names' places. */
export async function demangleNames(
  names: readonly string[],
  { full, json }: DemangleOptions,
): Promise<number> {
  await loadDemangler(names.length > 0 ? names : undefined);
  const style = full ? "full" : "simplified";
  const asJson = (name: string) => {
    const text = demangle(name, style);
    return JSON.stringify({ name, text: text === name ? null : text });
  };
  if (names.length > 0) {
    printLines(names.map((name) => json ? asJson(name) : escape(demangle(name, style))));
    return 0;
  }
  const copyLine = (line: string) =>
    json ? asJson(line) : escape(line.replace(mangled, (name) => demangle(name, style)));
  const copy = (text: string) => print(text.replace(json ? /[^\n]+/g : /[^\n\t]+/g, copyLine));
  let rest = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const end = chunk.lastIndexOf("\n") + 1;
    if (end > 0) copy(rest + chunk.slice(0, end));
    rest = end > 0 ? chunk.slice(end) : rest + chunk;
  }
  copy(rest);
  return 0;
}
