/** Which files of folders are reports, by their names. */
import type { SafeText } from "../../lib/escape.ts";
import { fileError } from "../errors.ts";
import { isFolder } from "../prompt/open.ts";
import { explain } from "../view/output.ts";

/** The names that reports have. */
const reportName = /\.(?:crash|ips|synced|txt|panic|sample|spindump|diag|hang)$/i;

/** The files at some paths: in folders and all that is below them, sorted, those with a report's name. Of a hang that `watch`
 * kept, whose files are all made of one, that one.
 *
 * @param hangFile which of them
 * @param failed gets why a folder cannot be listed; the others are
 */
export function* reportFiles(
  paths: readonly string[],
  hangFile: "hang.json" | "hang.txt",
  failed: (why: SafeText) => void,
): Generator<string> {
  for (const path of paths) {
    // Reading what does not exist will say so. "-" is standard input.
    if (path === "-" || !isFolder(path)) yield path;
    else yield* filesBelow(path.replace(/(?<=.)\/+$/, ""), hangFile, failed);
  }
}

function* filesBelow(
  folder: string,
  hangFile: string,
  failed: (why: SafeText) => void,
): Generator<string> {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  } catch (error) {
    failed(explain(fileError(error, folder)));
    return;
  }
  if (entries.some(({ name, isFile }) => isFile && name === "hang.json")) {
    yield `${folder}/${hangFile}`;
    return;
  }
  for (const { name, isFile, isDirectory } of entries) {
    if (isDirectory) yield* filesBelow(`${folder}/${name}`, hangFile, failed);
    else if (isFile && reportName.test(name)) yield `${folder}/${name}`;
  }
}
