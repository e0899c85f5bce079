/** Which files of folders are reports, by their names. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { fileError } from "../errors.ts";
import { isFolder } from "../prompt/open.ts";
import { explain } from "../view/output.ts";
import { join } from "../view/text.ts";

/** The names that reports have. */
const reportName = /\.(?:crash|ips|synced|txt|panic|sample|spindump|diag|hang|json)$/i;

/** Those of them that other files have as well. A hang that `watch` kept has names of its own. */
const commonName = /^(?!(?:.*\/)?hang\.).*\.(?:txt|json)$/is;

/** The files at some paths: in folders and all that is below them, sorted, those with a report's name. Of a hang that `watch`
 * kept, whose files are all made of one, that one.
 *
 * @param hangFile which of them
 * @param failed gets why a folder cannot be listed; the others are
 * @param empty gets a folder of the paths that has no such file
 */
export function* reportFiles(
  paths: readonly string[],
  hangFile: "hang.json" | "hang.txt",
  failed: (why: SafeText) => void,
  empty: (folder: string) => void = () => {},
): Generator<string> {
  for (const path of paths) {
    // Reading what does not exist will say so. "-" is standard input.
    if (path === "-" || !isFolder(path)) {
      yield path;
      continue;
    }
    let isTold = false;
    const files = filesBelow(path.replace(/(?<=.)\/+$/, ""), hangFile, (why) => {
      isTold = true;
      failed(why);
    });
    for (const file of files) {
      isTold = true;
      yield file;
    }
    if (!isTold) empty(path);
  }
}

/** Whether a file was tried because it was in a folder and may be a report: it need not be one.
 *
 * @param paths as for {@linkcode reportFiles}
 */
export function isTried(file: string, paths: readonly string[]): boolean {
  return commonName.test(file) && !paths.includes(file);
}

/** Files that are told by name. */
const MAX_NAMED = 3;

/** What is said of files that were tried and are no reports. */
export function strayWords(files: readonly string[]): SafeText {
  if (files.length === 1) return safe`${escape(files[0])} is no report`;
  const hidden = files.length - MAX_NAMED;
  const names = files.slice(0, MAX_NAMED).map((file) => escape(file));
  const last = hidden > 0 ? safe`${hidden} more` : names.pop()!;
  return safe`${join(names, ", ")} and ${last} are no reports`;
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
