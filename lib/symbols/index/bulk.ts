/** Looks up many offsets of one image in its DWARF, by several workers. */
import type { SourceFrame } from "../../dwarf/mod.ts";
import { FormatError } from "../../errors.ts";
import { runWorkers } from "../../workers.ts";
import { imagesIn } from "../binaries.ts";
import { openDwarf } from "../open_dwarf.ts";
import { unpackFrames } from "./packed_frames.ts";
import { isSmall, pauses } from "./pauses.ts";
import { type Answer, type IndexSystem, jobsFor, type Opening, type Task } from "./tasks.ts";

/** What to look up, and where. */
export interface BulkRequest {
  readonly system: IndexSystem;
  /** A file with DWARF: a dSYM's, or a binary. */
  readonly path: string;
  /** The image's index among the images in the file. Default: 0. */
  readonly image?: number;
  /** Bytes from the image's base. */
  readonly offsets: ArrayLike<number>;
  /** Number of workers. Default: chosen by size. */
  readonly jobs?: number;
  /** Ends the work. */
  readonly signal?: AbortSignal;
  /** Gets the number of offsets looked up, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The result of a lookup. */
export interface BulkFrames {
  /** The functions at each offset, innermost first. */
  readonly frames: readonly (readonly SourceFrame[])[];
  /** What was damaged. */
  readonly warnings: readonly string[];
}

/** Number of batches per worker. */
const BATCHES = 8;
/** Fewer offsets may need only a few units: no workers for them. */
const FEW = 64;

/** Looks offsets up. Each unit is read once, or twice where two batches share it.
 *
 * @throws FormatError when there is no such image, or no DWARF in it
 * @throws the signal's reason, when it is aborted
 */
export async function bulkFrames(request: BulkRequest): Promise<BulkFrames> {
  const { system, path, image = 0, offsets, signal, onProgress } = request;
  const order = Uint32Array.from({ length: offsets.length }, (_, index) => index)
    .sort((a, b) => offsets[a] - offsets[b]);
  const rising = Float64Array.from(order, (index) => offsets[index]);
  const frames: (readonly SourceFrame[])[] = new Array(offsets.length);
  const place = (from: number, found: readonly (readonly SourceFrame[])[]) => {
    found.forEach((list, index) => frames[order[from + index]] = list);
  };
  using file = system.files.open(path);
  const binary = [...imagesIn(file)].at(image);
  if (binary === undefined) throw new FormatError(path, 0, "a Mach-O image");
  using dwarf = openDwarf(binary.bytes);
  const jobs = jobsFor(system, offsets.length < FEW ? 0 : file.size / 3, request.jobs);
  const { startWorker } = system;
  const isHere = jobs <= 1 && (offsets.length < FEW || dwarf.info.units.every(isSmall));
  if (isHere || startWorker === undefined) {
    const pause = pauses(signal);
    const steps = dwarf.info.findFrames(rising);
    for (let step = steps.next();; step = steps.next()) {
      if (step.done) {
        place(0, step.value);
        return { frames, warnings: dwarf.warnings };
      }
      await pause();
    }
  }
  const size = Math.ceil(rising.length / (Math.max(1, jobs) * BATCHES));
  const tasks: Task[] = [];
  for (let at = 0; at < rising.length; at += size) {
    tasks.push({ kind: "frames", offsets: rising.slice(at, at + size) });
  }
  const warnings: string[] = [];
  let done = 0;
  await runWorkers<Task, Answer>({
    start: startWorker,
    opening: { path, image } satisfies Opening,
    tasks,
    workers: Math.max(1, jobs),
    ...(signal === undefined ? {} : { signal }),
    take(answer, task) {
      if (answer.kind !== "frames") return;
      for (const warning of answer.warnings) warnings.push(warning);
      const found = unpackFrames(answer.frames);
      place(task * size, found);
      onProgress?.(done += found.length, rising.length);
    },
  });
  return { frames, warnings: [...new Set(warnings)] };
}
