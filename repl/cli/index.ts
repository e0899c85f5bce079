/** `machpause index` */
import { files } from "../../ffi/files.ts";
import { escape } from "../../lib/escape.ts";
import { type ArchName, archs } from "../../lib/arch/mod.ts";
import { FormatError } from "../../lib/errors.ts";
import { mstName, openMst } from "../../lib/symbols/mod.ts";
import type { OpenFile } from "../../lib/file_system.ts";
import { imagesIn } from "../../lib/symbols/mod.ts";
import { UserError } from "../errors.ts";
import { archNameOf, makeTable, type TableInput } from "../../lib/symbols/index/index_table.ts";
import { safeJson } from "../view/json.ts";
import { complain, explain, print } from "../view/output.ts";
import { bytesText, Progress, secondsText } from "../view/progress.ts";

/** The options of `machpause index`. */
export interface IndexOptions {
  readonly output?: string;
  readonly arch?: string;
  readonly jobs?: number;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** One table, as `--json` shows it. */
interface Made {
  readonly path: string;
  readonly source: string;
  readonly uuid: string | null;
  readonly arch: ArchName;
  readonly functions: number;
  /** Of the file. */
  readonly bytes: number;
  /** How long it took; `null` where the file was there already. */
  readonly seconds: number | null;
  readonly warnings: readonly string[];
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Makes the tables of some files; prints a line for each. */
export async function indexFiles(
  paths: readonly string[],
  options: IndexOptions,
): Promise<number> {
  const { output, arch, jobs, force = false, json = false } = options;
  if (output === undefined) {
    throw new UserError("say where the tables go: -o FOLDER, or -o NAME.mst for a single one", 2);
  }
  if (jobs !== undefined && jobs < 1) throw new UserError(`--jobs ${jobs}: one is the least`, 2);
  if (arch !== undefined && !(arch in archs)) {
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
      throw new UserError(
        `no image${arch === undefined ? "" : ` for ${arch}`} is in ${said(paths)}`,
      );
    }
    const target = placeTables(opened.inputs, output);
    for (const input of opened.inputs) {
      try {
        const table = await makeOne(input, target(input), force, jobs, controller.signal);
        made.push(table);
        if (!json) print(tableLine(table) + "\n");
        for (const warning of table.warnings) {
          complain(`warning: ${escape(input.path)}: ${escape(warning)}`);
        }
      } catch (error) {
        if (controller.signal.aborted) throw error;
        // What one file lacks does not keep the others from being done.
        failed = true;
        complain(explain(error));
      }
    }
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, giveUp);
  }
  if (json) print(safeJson({ tables: made }) + "\n");
  return failed ? 1 : 0;
}

/** Makes one table, unless it is there. */
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
  using bar = new Progress(`Indexing ${escape(input.path.slice(input.path.lastIndexOf("/") + 1))}`);
  const { chunks, functions, warnings } = await makeTable(input, {
    jobs,
    signal,
    onProgress: (done, total) => bar.update(done, total),
  });
  signal.throwIfAborted();
  using sink = files.create(path);
  for (const chunk of chunks) sink.write(chunk);
  const bytes = sink.length;
  sink.commit();
  // It holds nothing that the dSYM does not; a server may have to read it.
  if (Deno.build.os !== "windows") Deno.chmodSync(path, 0o666 & ~Deno.umask());
  return { ...common, functions, bytes, seconds: (performance.now() - began) / 1000, warnings };
}

/** What the table at `path` says of itself; `null` when there is none that can be read. */
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

/** The images of which there are to be tables, and what to close in the end. */
function openInputs(
  paths: readonly string[],
  arch: string | undefined,
): { readonly inputs: readonly TableInput[] } & Disposable {
  const open: OpenFile[] = [];
  const close = () => open.splice(0).forEach((file) => file[Symbol.dispose]());
  try {
    const inputs = paths.flatMap((path) => filesOf(path)).flatMap((path) => {
      const file = files.open(path);
      open.push(file);
      return [...imagesIn(file)].map((binary, index): TableInput => ({ path, index, binary }));
    }).filter(({ binary }) => {
      const name = archNameOf(binary);
      return name !== null && (arch === undefined || name === arch);
    });
    return { inputs, [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The files that a path stands for: itself, or what is in the dSYMs in a folder. */
function filesOf(path: string): string[] {
  if (!isFolder(path)) return [path];
  const inside = [...files.walk(path.replace(/\/+$/, ""))]
    .filter((file) => /(?:^|\/)Contents\/Resources\/DWARF\/[^/]+$/.test(file));
  if (inside.length === 0) throw new UserError(`no dSYM is in ${said([path])}`);
  return inside;
}

/** Where each table goes.
 *
 * @param output a folder, which is made when there is none, or for one table a file
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

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

function said(paths: readonly string[]): string {
  return paths.map((path) => escape(path)).join(", ");
}

function tableLine({ path, uuid, arch, functions, bytes, seconds }: Made): string {
  const how = seconds === null ? "was there already" : secondsText(seconds);
  const count = functions === 1 ? "1 function" : `${functions} functions`;
  return `${escape(path)}  ${uuid ?? "no UUID"}  ${arch}  ${count}  ${bytesText(bytes)}  ${how}`;
}
