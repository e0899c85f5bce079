/** Makes the symbol table file of one image. */
import type { RawText } from "../../escape.ts";
import { files } from "../../../ffi/files.ts";
import { type ArchName, archOfCpuType, archs } from "../../arch/mod.ts";
import { FormatError } from "../../errors.ts";
import { DebugMap, Image } from "../../macho/mod.ts";
import {
  DebugMapInfo,
  MstBuilder,
  type MstPart,
  type MstSymbol,
  openDwarf,
  UnitEncoder,
} from "../mod.ts";
import type { Binary } from "../mod.ts";
import { jobsFor, runTasks, type Task } from "./debug_pool.ts";

/** An image whose table is wanted. */
export interface TableInput {
  /** Of the file that it is in. Not safe to print raw. */
  readonly path: string;
  /** Its number among the images in the file. */
  readonly index: number;
  /** The image, in that file, which is open. */
  readonly binary: Binary;
}

/** How it is made. */
export interface TableOptions {
  /** Workers; as many as pay when left out. */
  readonly jobs?: number | undefined;
  readonly signal?: AbortSignal;
  /** Told how many bytes of debug information have been read, and of how many. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A table, to be written. */
export interface Table {
  readonly chunks: readonly Uint8Array[];
  readonly functions: number;
  /** What was damaged and left out, in words. */
  readonly warnings: readonly string[];
}

/** Batches of units that each worker gets, in the mean: the last to end is not long alone. */
const BATCHES = 24;
/** The event loop is let run after so many milliseconds, or a signal would not be heard. */
const PAUSE = 100;

/** `S_ATTR_PURE_INSTRUCTIONS` and `S_ATTR_SOME_INSTRUCTIONS`: sections with code. */
const CODE = 0x8000_0400;
/** What a search for the next symbol advances by. */
const STEP = 4;

/** The architecture of an image; `null` for one that machpause does not know. */
export function archNameOf({ image }: Binary): ArchName | null {
  return archOfCpuType(image.cpuType)?.name ?? null;
}

/** Makes a table.
 *
 * @throws FormatError when the image has no debug information
 * @throws the signal's reason, when it is given up
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
  const warnings = await addUnits(input, image, arch.name, builder, options);
  const chunks = builder.finish(symbolsOf(image, builder));
  return { chunks, functions: builder.functionCount, warnings: [...warnings, ...image.warnings] };
}

/** Adds all units, from wherever they are; returns what was damaged. */
async function addUnits(
  input: TableInput,
  image: Image,
  arch: ArchName,
  builder: MstBuilder,
  options: TableOptions,
): Promise<string[]> {
  const { binary: { bytes }, path } = input;
  const hasDwarf = image.segments.some(({ sections }) =>
    sections.some(({ name }) => /^__z?debug_info$/.test(name))
  );
  if (hasDwarf) return await addDwarf(input, arch, builder, options);
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
    path: path as RawText,
    uuid: image.uuid,
    cpuType: image.cpuType,
    files,
  });
  const encoder = new UnitEncoder(archs[arch]);
  const stream = builder.stream();
  const pause = pauses(options.signal);
  for (const unit of info.units()) {
    stream.add(encoder.encode(unit));
    await pause();
  }
  return [...info.warnings];
}

async function addDwarf(
  { binary: { bytes }, path, index: image }: TableInput,
  arch: ArchName,
  builder: MstBuilder,
  { jobs: wanted, signal, onProgress }: TableOptions,
): Promise<string[]> {
  using dwarf = openDwarf(bytes);
  const { units } = dwarf.info;
  const total = units.reduce((sum, { size }) => sum + size, 0);
  const jobs = Math.min(jobsFor(total, wanted), units.length);
  const warnings: string[] = [];
  let done = 0;
  onProgress?.(0, total);
  if (jobs <= 1) {
    const encoder = new UnitEncoder(archs[arch]);
    const stream = builder.stream();
    const pause = pauses(signal);
    for (const unit of units) {
      try {
        stream.add(encoder.encode(dwarf.info.table(unit)));
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        warnings.push(`unit at 0x${unit.offset.toString(16)} left out: ${error.message}`);
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
  // Answers that came before one of an earlier task: parts are added in the units' order.
  const early = new Map<number, { worker: number; parts: readonly MstPart[] }>();
  let next = 0;
  await runTasks({
    opening: { path, image },
    tasks,
    jobs,
    ...(signal === undefined ? {} : { signal }),
    take(answer, task, worker) {
      warnings.push(...answer.warnings);
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

/** What lets the event loop run now and then, and throws when the work was given up. */
function pauses(signal: AbortSignal | undefined): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < PAUSE) return;
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    last = performance.now();
  };
}

/** The symbols of an image's code where no function of the debug information is. */
function* symbolsOf(image: Image, builder: MstBuilder): IterableIterator<MstSymbol> {
  const sections = image.segments.flatMap(({ sections }) => sections)
    .filter(({ flags, size }) => (flags & CODE) !== 0 && size > 0)
    .sort((a, b) => a.address < b.address ? -1 : 1);
  for (const { address, size } of sections) {
    const low = Number(address - image.loadAddress);
    for (const [start, end] of builder.gaps(low, low + size)) {
      for (let at = start; at < end;) {
        const match = image.symbolAt(image.loadAddress + BigInt(at));
        const offset = at - (match?.offset ?? 0);
        const size = match?.symbol?.size ?? 0;
        // One that begins before the gap is a function's that ended there.
        if (match?.symbol && offset >= start && size > 0) {
          yield { offset, size, name: match.symbol.name };
        }
        at = Math.max(at + STEP, offset + size);
      }
    }
  }
}
