/** Where debug information is found. */
import { missingLines } from "../view/missing_symbols.ts";
import { checkFolders } from "../prompt/open.ts";
import type { PromptCommand } from "./command.ts";

/** The command about debug information. */
export const symbols: PromptCommand = {
  name: "symbols",
  aliases: ["target symbols add", "add-dsym", "symbol-file"],
  usage: "[folder…]",
  help: "which images lack debug information; look for it in folders too",
  details: [
    "Of the images of frames that were shown. dSYMs, binaries and symbol table files count when",
    "their UUID is the image's.",
  ],
  example: "symbols ./build/MyApp.dSYM",
  takes: ["file"],
  async run(session, folders) {
    const { target } = session;
    if (folders.length > 0) {
      await checkFolders(folders);
      target.addSymbols(folders);
      session.reselect();
    }
    // Of which images it is told is a matter of those asked about.
    if (session.threads().length > 0) { for (const frame of session.frames) void frame.source; }
    const lines = missingLines(target.missingSymbols, Infinity);
    return lines.length > 0 ? lines : ["no debug information is missing"];
  },
};
