/** Makes the symbol table files of `machpause index`. */
import { indexSystem } from "../../ffi/index_system.ts";
import { escape, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import { type ArchName, archs } from "../../lib/arch/mod.ts";
import { FormatError } from "../../lib/errors.ts";
import { archName } from "../../lib/macho/names.ts";
import type { OpenFile } from "../../lib/file_system.ts";
import { mstName, openMst } from "../../lib/symbols/mst/mod.ts";
import { fileError, UserError } from "../errors.ts";
import type { Values } from "../options.ts";
import { isFolder } from "../prompt/open.ts";
import {
  archNameOf,
  dsymPaths,
  imagesIn,
  makeTable,
  type TableInput,
} from "../../lib/symbols/index/mod.ts";
import { FILE_TYPE } from "../../lib/macho/walking.ts";
import { complain, explain, print } from "../view/output.ts";
import { checkFile } from "../view/output_file.ts";
import { bytesText, Progress, secondsText } from "../view/progress.ts";
import { count, join } from "../view/text.ts";
import type { indexOptions } from "./index_options.ts";

/** One table, as `--json` shows it. */
interface Made {
  readonly path: string;
  readonly source: string;
  readonly uuid: string | null;
  readonly arch: ArchName;
  readonly functions: number;
  /** The file's size. */
  readonly bytes: number;
  /** How long it took; `null` where the file existed already. */
  readonly seconds: number | null;
  readonly warnings: readonly string[];
}

const { files } = indexSystem;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Makes the tables of some files; prints a line for each. */
export async function indexFiles(
  paths: readonly string[],
  options: Values<typeof indexOptions>,
): Promise<number> {
  const { output, arch, jobs, force = false, json = false } = options;
  if (output === undefined) {
    throw new UserError(
      "name a folder for the files with -o FOLDER, or a single one with -o NAME.mst",
      2,
    );
  }
  checkFile(output, "a symbol table file");
  if (arch !== undefined && !Object.hasOwn(archs, arch)) {
    throw new UserError(
      `there is no architecture ${arch}: it is one of ${Object.keys(archs).join(", ")}`,
      2,
    );
  }
  const controller = new AbortController();
  const giveUp = () => controller.abort(new UserError("interrupted"));
  for (const signal of signals) Deno.addSignalListener(signal, giveUp);
  const made: Made[] = [];
  let failed = false;
  try {
    using opened = openInputs(paths, arch);
    if (opened.inputs.length === 0) {
      const [path] = paths;
      const told = arch !== undefined || paths.length > 1 || isFolder(path)
        ? undefined
        : await (await import("./opens.ts")).otherKind(path, "image", "Mach-O file");
      throw new UserError(
        told ?? `no image${arch === undefined ? "" : ` for ${arch}`} is in ${said(paths)}`,
      );
    }
    const target = placeTables(opened.inputs, output);
    for (const input of opened.inputs) {
      try {
        const table = await makeOne(input, target(input), force, jobs, controller.signal);
        made.push(table);
        // What was there of a damaged input is in the table; whoever waits for it must know that it is not all.
        if (table.warnings.length > 0) failed = true;
        if (!json) print(safe`${tableLine(table)}\n`);
        for (const warning of table.warnings) {
          complain(safe`warning: ${escape(input.path)}: ${escape(warning)}`);
        }
      } catch (error) {
        if (controller.signal.aborted) throw error;
        // The other files are done all the same.
        failed = true;
        complain(explain(error));
      }
    }
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, giveUp);
  }
  if (json) print(safe`${safeJson({ tables: made })}\n`);
  return failed ? 1 : 0;
}

/** Makes one table, unless it exists. */
async function makeOne(
  input: TableInput,
  path: string,
  force: boolean,
  jobs: number | undefined,
  signal: AbortSignal,
): Promise<Made> {
  const { image } = input.binary;
  const arch = archNameOf(input.binary)!;
  const common = { path, source: input.path, uuid: image.uuid, arch };
  if (!force) {
    const there = existing(path);
    if (there !== null && there.uuid === image.uuid && there.arch === arch) {
      return { ...common, ...there, seconds: null, warnings: [] };
    }
  }
  const began = performance.now();
  using bar = new Progress(
    safe`Indexing ${escape(input.path.slice(input.path.lastIndexOf("/") + 1))}`,
  );
  const { chunks, functions, warnings } = await makeTable(input, {
    system: indexSystem,
    jobs,
    signal,
    onProgress: (done, total) => bar.update(done, total),
  });
  signal.throwIfAborted();
  // Readable by others: it holds nothing that the dSYM does not, and a server may have to read it.
  using sink = files.create(path, 0o666);
  for (const chunk of chunks) sink.write(chunk);
  const bytes = sink.length;
  sink.commit();
  return { ...common, functions, bytes, seconds: (performance.now() - began) / 1000, warnings };
}

/** What the table at `path` contains; `null` when there is none that can be read. */
function existing(
  path: string,
): { uuid: string | null; arch: ArchName; functions: number; bytes: number } | null {
  let file: OpenFile;
  try {
    file = files.open(path);
  } catch {
    return null;
  }
  try {
    using table = openMst(file);
    const { uuid, arch, functionCount } = table.info;
    return { uuid, arch, functions: functionCount, bytes: file.size };
  } catch (error) {
    file[Symbol.dispose]();
    if (error instanceof FormatError) return null;
    throw error;
  }
}

/** The images to make tables of; disposing closes their files. */
function openInputs(
  paths: readonly string[],
  arch: string | undefined,
): { readonly inputs: readonly TableInput[] } & Disposable {
  const open: OpenFile[] = [];
  const close = () => open.splice(0).forEach((file) => file[Symbol.dispose]());
  try {
    const all = paths.flatMap((path) => filesOf(path)).flatMap((path) => {
      const file = files.open(path);
      open.push(file);
      return [...imagesIn(file)].map((binary, index): TableInput => ({ path, index, binary }));
    }).map((input) => dsymOf(input, open) ?? input);
    const inputs = all.filter(({ binary }) => {
      const name = archNameOf(binary);
      return name !== null && (arch === undefined || name === arch);
    });
    if (inputs.length === 0 && all.length > 0 && arch === undefined) {
      const { path, binary: { image } } = all[0];
      const cpu = archName(image.cpuType, image.cpuSubtype);
      throw new UserError(`${path} is for a CPU that is not known: ${cpu}`);
    }
    return { inputs, [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The image's dSYM, beside it or beside the bundles that it is in, as `symbolicate` finds it; `undefined`
 * where there is none, and for a dSYM.
 *
 * @param open receives the file
 */
function dsymOf({ path, binary: { image } }: TableInput, open: OpenFile[]): TableInput | undefined {
  if (image.fileType === FILE_TYPE.MH_DSYM || image.uuid === null) return undefined;
  for (const root of dsymPaths(path)) {
    for (const path of files.walk(root)) {
      const file = files.open(path);
      const binaries = [...imagesIn(file)];
      const index = binaries.findIndex(({ image: { uuid, fileType } }) =>
        fileType === FILE_TYPE.MH_DSYM && uuid === image.uuid
      );
      if (index >= 0) {
        open.push(file);
        return { path, index, binary: binaries[index] };
      }
      file[Symbol.dispose]();
    }
  }
  return undefined;
}

/** The files at a path: in a folder, those of the dSYMs. */
function filesOf(path: string): string[] {
  try {
    Deno.statSync(path);
  } catch (error) {
    throw fileError(error, path);
  }
  if (!isFolder(path)) return [path];
  const inside = [...files.walk(path.replace(/\/+$/, ""))]
    .filter((file) => /(?:^|\/)Contents\/Resources\/DWARF\/[^/]+$/.test(file));
  if (inside.length === 0) throw new UserError(`no dSYM is in ${said([path])}`);
  return inside;
}

/** Where each table goes.
 *
 * @param output a folder, made if there is none; or a file for a single table
 */
function placeTables(
  inputs: readonly TableInput[],
  output: string,
): (input: TableInput) => string {
  const single = output.endsWith(".mst") && !isFolder(output);
  if (single && inputs.length > 1) {
    throw new UserError(
      `there are ${inputs.length} images, and ${said([output])} is one file: name a folder, ` +
        "or choose by --arch",
      2,
    );
  }
  if (single) return () => output;
  const folder = output.replace(/(?<=.)\/+$/, "");
  Deno.mkdirSync(folder, { recursive: true });
  return ({ path, binary }) => {
    const { uuid } = binary.image;
    if (uuid === null) {
      throw new UserError(`${said([path])} has no UUID to be found by: give a file, -o NAME.mst`);
    }
    return `${folder}/${mstName(uuid, archNameOf(binary)!)}`;
  };
}

function said(paths: readonly string[]): SafeText {
  return join(paths.map(escape), ", ");
}

function tableLine({ path, uuid, arch, functions, bytes, seconds }: Made): SafeText {
  const how = seconds === null ? safe`was there already` : secondsText(seconds);
  return safe`${escape(path)}  ${escape(uuid ?? "no UUID")}  ${escape(arch)}  ${
    count(functions, "function")
  }  ${bytesText(bytes)}  ${how}`;
}
