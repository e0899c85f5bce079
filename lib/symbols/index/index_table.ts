/** Makes the symbol table file of one image. It imports single modules, not `symbols`' face: most of the
 * command's start is loading. */
import { type ArchName, archOfCpuType } from "../../arch/mod.ts";
import { FormatError } from "../../errors.ts";
import type { RawText } from "../../escape.ts";
import { type ByteSource, DebugMap, Image } from "../../macho/walking.ts";
import { runWorkers } from "../../workers.ts";
import type { Binary } from "../binaries.ts";
import { DebugMapInfo } from "../debug_map_info.ts";
import { MstBuilder, type MstPart, type MstSymbol, openMst } from "../mst/mod.ts";
import { openDwarf } from "../open_dwarf.ts";
import { isSmall, pauses } from "./pauses.ts";
import { unitWarning } from "./serve.ts";
import { type Answer, type IndexSystem, jobsFor, type Opening, type Task } from "./tasks.ts";

/** An image to make a table of. */
export interface TableInput {
  /** The path of its file. */
  readonly path: string;
  /** Its index among the images in the file. */
  readonly index: number;
  /** The image in its file, which is open. */
  readonly binary: Binary;
}

/** How a table is made. */
export interface TableOptions {
  readonly system: IndexSystem;
  /** Number of workers. Default: chosen by size. */
  readonly jobs?: number | undefined;
  /** Ends the work. */
  readonly signal?: AbortSignal;
  /** Gets the bytes of debug information that have been read, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A table, ready to be written. */
export interface Table {
  /** The file's bytes, in order. */
  readonly chunks: readonly Uint8Array[];
  /** Number of functions. */
  readonly functions: number;
  /** What was damaged and left out. */
  readonly warnings: readonly string[];
}

/** Number of pieces of a table that are verified if the input is not damaged. All of them would take a fifth of
 * the time that making the table takes. */
const SAMPLE = 16;
/** Mean number of batches of units per worker: small ones keep the workers busy to the end. */
const BATCHES = 24;
/** `S_ATTR_PURE_INSTRUCTIONS` and `S_ATTR_SOME_INSTRUCTIONS`: sections with code. */
const CODE = 0x8000_0400;

/** The architecture of an image; `null` for an unknown one. */
export function archNameOf({ image }: Binary): ArchName | null {
  return archOfCpuType(image.cpuType)?.name ?? null;
}

/** Makes a table.
 *
 * @throws FormatError when the image has no debug information
 * @throws the signal's reason, when it is aborted
 *
 * @example
 * ```ts
 * import { type IndexSystem, makeTable, type TableInput } from "./mod.ts";
 *
 * declare const system: IndexSystem;
 * declare const input: TableInput;
 * using sink = system.files.create("MyApp.mst");
 * const { chunks } = await makeTable(input, { system });
 * for (const chunk of chunks) sink.write(chunk);
 * sink.commit();
 * ```
 */
export async function makeTable(input: TableInput, options: TableOptions): Promise<Table> {
  const { binary: { bytes }, path } = input;
  const image = Image.fromSource(bytes);
  const arch = archOfCpuType(image.cpuType);
  if (arch === undefined) throw new FormatError(path, 4, "a CPU type that is known");
  const text = image.segments.find(({ name }) => name === "__TEXT");
  const builder = new MstBuilder({
    uuid: image.uuid,
    arch,
    cpuSubtype: image.cpuSubtype,
    imageBase: image.loadAddress,
    textSize: text?.size ?? 0,
    name: path.slice(path.lastIndexOf("/") + 1),
  });
  const warnings = await addUnits(input, image, builder, options);
  const chunks = builder.finish(symbolsOf(image, builder));
  const damage = [...warnings, ...image.warnings];
  using table = openMst(chunkSource(chunks, path));
  const pause = pauses(options.signal);
  for (const _ of table.verifying(damage.length > 0 ? undefined : SAMPLE)) await pause();
  return { chunks, functions: builder.functionCount, warnings: damage };
}

/** What some chunks are together. */
function chunkSource(chunks: readonly Uint8Array[], name: RawText): ByteSource {
  const starts: number[] = [];
  let size = 0;
  for (const chunk of chunks) {
    starts.push(size);
    size += chunk.length;
  }
  return {
    name,
    size,
    read(offset, length) {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (starts[middle] <= offset) low = middle + 1;
        else high = middle;
      }
      const within = offset - starts[low - 1];
      if (within + length <= chunks[low - 1].length) {
        return chunks[low - 1].subarray(within, within + length);
      }
      const bytes = new Uint8Array(Math.min(length, size - offset));
      let at = 0;
      for (let index = low - 1, from = within; at < bytes.length; index++, from = 0) {
        const part = chunks[index].subarray(from, from + bytes.length - at);
        bytes.set(part, at);
        at += part.length;
      }
      return bytes;
    },
  };
}

/** Adds all units, from DWARF or from the object files of a debug map; returns the warnings. */
async function addUnits(
  input: TableInput,
  image: Image,
  builder: MstBuilder,
  options: TableOptions,
): Promise<string[]> {
  const { binary: { bytes }, path } = input;
  const hasDwarf = image.segments.some(({ sections }) =>
    sections.some(({ name }) => /^__z?debug_info$/.test(name))
  );
  if (hasDwarf) return await addDwarf(input, builder, options);
  const map = DebugMap.read({
    bytes,
    loadCommands: image.loadCommands,
    pointerSize: image.pointerSize,
    linkedAddress: image.loadAddress - image.slide,
  });
  if (map === null) {
    throw new FormatError(path, 0, "debug information: DWARF, or a debug map to object files");
  }
  using info = new DebugMapInfo(map, {
    path: path,
    uuid: image.uuid,
    cpuType: image.cpuType,
    files: options.system.files,
  });
  const pause = pauses(options.signal);
  for (const unit of info.units()) {
    builder.add(unit);
    await pause();
  }
  return [...info.warnings];
}

async function addDwarf(
  { binary: { bytes }, path, index: image }: TableInput,
  builder: MstBuilder,
  { system, jobs: wanted, signal, onProgress }: TableOptions,
): Promise<string[]> {
  using dwarf = openDwarf(bytes);
  const { units } = dwarf.info;
  const total = units.reduce((sum, { size }) => sum + size, 0);
  const jobs = Math.min(jobsFor(system, total, wanted), units.length);
  const warnings: string[] = [];
  let done = 0;
  onProgress?.(0, total);
  const { startWorker } = system;
  const isHere = jobs <= 1 && units.every(isSmall);
  if (isHere || startWorker === undefined) {
    const pause = pauses(signal);
    for (const unit of units) {
      try {
        builder.add(dwarf.info.table(unit));
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        warnings.push(unitWarning(unit, error));
      }
      onProgress?.(done += unit.size, total);
      await pause();
    }
    return [...dwarf.warnings, ...warnings];
  }
  const tasks: Extract<Task, { kind: "parts" }>[] = [];
  const sizes: number[] = [];
  for (let first = 0; first < units.length;) {
    let end = first;
    let size = 0;
    while (end < units.length && size < total / jobs / BATCHES) size += units[end++].size;
    tasks.push({ kind: "parts", first, end });
    sizes.push(size);
    first = end;
  }
  const streams = Array.from({ length: jobs }, () => builder.stream());
  // Answers that came before those of earlier tasks: parts are added in the order of the units.
  const early = new Map<number, { worker: number; parts: readonly MstPart[] }>();
  let next = 0;
  await runWorkers<Task, Answer>({
    start: startWorker,
    opening: { path, image } satisfies Opening,
    tasks,
    workers: jobs,
    ...(signal === undefined ? {} : { signal }),
    take(answer, task, worker) {
      for (const warning of answer.warnings) warnings.push(warning);
      if (answer.kind !== "parts") return;
      early.set(task, { worker, parts: answer.parts });
      for (let ready = early.get(next); ready !== undefined; ready = early.get(++next)) {
        early.delete(next);
        for (const part of ready.parts) streams[ready.worker].add(part);
      }
      onProgress?.(done += sizes[task], total);
    },
  });
  return [...dwarf.warnings, ...warnings];
}

/** The symbols of an image's code that no function of the debug information covers. */
function* symbolsOf(image: Image, builder: MstBuilder): IterableIterator<MstSymbol> {
  const sections = image.segments.flatMap(({ sections }) => sections)
    .filter(({ flags, size }) => (flags & CODE) !== 0 && size > 0)
    .sort((a, b) => a.address < b.address ? -1 : 1);
  for (const { address, size } of sections) {
    const low = Number(address - image.loadAddress);
    for (const [start, end] of builder.gaps(low, low + size)) {
      for (const symbol of image.symbolsBetween(start, end)) {
        const offset = Number(symbol.address - image.loadAddress);
        if (symbol.size > 0) yield { offset, size: symbol.size, name: symbol.name };
      }
    }
  }
}
