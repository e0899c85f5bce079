/** What a first word that is no subcommand names: a file, a pid or a process. */
import { escape } from "../../lib/escape.ts";
import { editDistance } from "../commands/table.ts";
import { UserError } from "../errors.ts";

/** The first bytes of a file that are looked at. */
const HEAD = 1 << 16;

/** What crash reports, and the output of sample and spindump, have near their beginning. */
const report =
  /"(?:bug_type|app_name|incident_id|crashReporterKey)"|^(?:Incident Identifier|Process|Exception Type|Hardware Model|Date\/Time|Crashed Thread):|^Analysis of sampling|^Binary Images:|^Thread \d+(?: Crashed)?:/m;

/** Whether the first bytes of a file are a report's. */
export function looksLikeReport(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, HEAD);
  return ["utf-8", "utf-16le"].some((encoding) =>
    report.test(new TextDecoder(encoding).decode(head))
  );
}

/** The types of the first item of kcdata: `KCDATA_BUFFER_BEGIN_*` of osfmk/kern/kcdata.h. */
export const kcdataMagics: readonly number[] = [0x59a25807, 0xde17a59a, 0xdeadf157, 0x1e21c09f];

/** What a symbol table file begins with: `MAGIC` of lib/symbols/mst/layout.ts. */
const tableMagic: readonly number[] = [0x89, 0x4d, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a];

/** The subcommand that opens what a word names, and the word as that subcommand takes it.
 *
 * @param subcommands names of all subcommands
 * @throws UserError for what is none of these
 */
export async function subcommandFor(
  word: string,
  subcommands: readonly string[],
): Promise<readonly [subcommand: string, word: string]> {
  if (/^(?:pid:)?\d+$/.test(word)) return ["attach", word];
  if (word.startsWith("core:")) return ["core", word.slice("core:".length)];
  const found = await fileKind(word);
  if (found !== undefined) return found;
  const { kernel, prepareLibrary } = await import("../../ffi/processes.ts");
  await prepareLibrary();
  const processes = kernel().processes().map(({ name }) => name);
  if (processes.includes(word)) return ["attach", word];
  throw new UserError(
    `${escape(word)} is no command, no file and no process${near(word, subcommands)}`,
    2,
  );
}

/** The subcommand for a file or folder, and the path that it takes; `undefined` where there is none at that
 * path.
 *
 * @throws UserError for a file that no subcommand opens
 */
async function fileKind(
  path: string,
): Promise<readonly [subcommand: string, path: string] | undefined> {
  let isFolder: boolean;
  try {
    isFolder = Deno.statSync(path).isDirectory;
  } catch {
    return undefined;
  }
  if (isFolder) {
    // A dSYM is a bundle; reports come by the folder.
    const inside = `${path}/Contents/Resources/DWARF`;
    try {
      const [{ name }] = Deno.readDirSync(inside);
      return ["image", `${inside}/${name}`];
    } catch {
      return ["crash", path];
    }
  }
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(HEAD);
  const head = bytes.subarray(0, file.readSync(bytes) ?? 0);
  const view = new DataView(head.buffer, 0, head.length);
  const magic = head.length >= 16 ? view.getUint32(0, true) : 0;
  // `mach_header.magic` and `filetype`; `MH_CORE` is 4.
  if (magic === 0xfeedface || magic === 0xfeedfacf) {
    return [view.getUint32(12, true) === 4 ? "core" : "image", path];
  }
  if (/^(?:cafebabe|cafebabf)$/.test(magicText(head))) return ["image", path];
  if (/^!<arch>\n/.test(new TextDecoder("latin1").decode(head.subarray(0, 8)))) {
    return ["image", path];
  }
  if (magicText(head) === "7f454c46") {
    // `e_type`; `ET_CORE` is 4.
    const isCore = head.length >= 18 && view.getUint16(16, true) === 4;
    throw new UserError(
      isCore
        ? `${path} is an ELF core, which machpause does not read: gdb and LLDB do`
        : `${path} is an ELF file: \`machpause launch\` runs a program, ` +
          "`machpause symbolicate -o` looks up addresses in it",
    );
  }
  if (tableMagic.every((byte, index) => head[index] === byte)) {
    throw new UserError(
      `${path} is a symbol table file: \`machpause symbolicate -o\` looks up addresses in it, ` +
        "and `--symbols` takes its folder",
    );
  }
  const text = new TextDecoder().decode(head);
  // A library of reports.
  if (text.startsWith("SQLite format 3\0")) return ["query", path];
  // As `watch --save` writes them.
  if (/^\s*\{\s*"format":\s*"machpause-hang"/.test(text)) return ["view", path];
  const { headOf, looksLikeProfile } = await import("../../lib/profile/formats.ts");
  if (looksLikeProfile(await headOf(head))) return ["profile", path];
  if (looksLikeReport(head)) return ["crash", path];
  // deno-lint-ignore no-control-regex
  if (kcdataMagics.includes(magic) || /[\0-\x08]/.test(text)) return ["stackshot", path];
  throw new UserError(
    `${path} is no core, no report, no stackshot, no profile and no Mach-O file; a script ends in .ts or .js`,
  );
}

/** What is said of a file that was taken for what a subcommand opens, and is of another kind that machpause knows.
 *
 * @param what it was taken for, such as `core`
 */
export async function otherKind(
  path: string,
  wanted: "core" | "image",
  what: string,
): Promise<string | undefined> {
  try {
    const [subcommand] = await fileKind(path) ?? [wanted];
    if (subcommand === wanted) return undefined;
    return `${path} is no ${what}: \`machpause ${subcommand} ${path}\` opens it`;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return / is an? (?:ELF|symbol table) /.test(error.message) ? error.message : undefined;
  }
}

function magicText(head: Uint8Array): string {
  return Array.from(head.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function near(word: string, subcommands: readonly string[]): string {
  const names = subcommands.map((name) => ({ name, distance: editDistance(word, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance).slice(0, 2).map(({ name }) => `\`${name}\``);
  return names.length === 0 ? "" : `: did you mean ${names.join(" or ")}?`;
}
