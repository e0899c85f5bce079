/** Many offsets of one image, looked up in its DWARF by several workers. */
import { files } from "../../../ffi/files.ts";
import type { SourceFrame } from "../../dwarf/mod.ts";
import { FormatError } from "../../errors.ts";
import { openDwarf } from "../mod.ts";
import { imagesIn } from "../mod.ts";
import { jobsFor, runTasks, type Task } from "./debug_pool.ts";
import { unpackFrames } from "./packed_frames.ts";

/** What is looked up, and where. */
export interface BulkRequest {
  /** Of a file with DWARF in it: a dSYM's, or a binary's. */
  readonly path: string;
  /** The image's number among those in the file; the first when left out. */
  readonly image?: number;
  /** Bytes from the image's base. */
  readonly offsets: ArrayLike<number>;
  /** Workers; as many as pay when left out. */
  readonly jobs?: number;
  /** Gives it up. */
  readonly signal?: AbortSignal;
  /** Told how many have been looked up, and of how many. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What came of it. */
export interface BulkFrames {
  /** For each offset, in their order, its functions, innermost first. */
  readonly frames: readonly (readonly SourceFrame[])[];
  /** What was damaged, in words. */
  readonly warnings: readonly string[];
}

/** Parts that the offsets are split into, for each worker. */
const BATCHES = 8;
/** For fewer it is not known whether many units must be read. */
const FEW = 64;

/** Looks offsets up, each unit being read once or twice.
 *
 * @throws FormatError when there is no such image, or no DWARF in it
 * @throws the signal's reason, when it is given up
 */
export async function bulkFrames(request: BulkRequest): Promise<BulkFrames> {
  const { path, image = 0, offsets, signal, onProgress } = request;
  const order = Uint32Array.from({ length: offsets.length }, (_, index) => index)
    .sort((a, b) => offsets[a] - offsets[b]);
  const rising = Float64Array.from(order, (index) => offsets[index]);
  const frames: (readonly SourceFrame[])[] = new Array(offsets.length);
  const place = (from: number, found: readonly (readonly SourceFrame[])[]) => {
    found.forEach((list, index) => frames[order[from + index]] = list);
  };
  using file = files.open(path);
  const binary = [...imagesIn(file)].at(image);
  if (binary === undefined) throw new FormatError(path, 0, "a Mach-O image");
  using dwarf = openDwarf(binary.bytes);
  const jobs = jobsFor(offsets.length < FEW ? 0 : file.size / 8, request.jobs);
  if (jobs <= 1) {
    place(0, dwarf.framesOf(rising));
    return { frames, warnings: dwarf.warnings };
  }
  const size = Math.ceil(rising.length / (jobs * BATCHES));
  const tasks: Task[] = [];
  for (let at = 0; at < rising.length; at += size) {
    tasks.push({ kind: "frames", offsets: rising.slice(at, at + size) });
  }
  const warnings: string[] = [];
  let done = 0;
  await runTasks({
    opening: { path, image },
    tasks,
    jobs,
    ...(signal === undefined ? {} : { signal }),
    take(answer, task) {
      if (answer.kind !== "frames") return;
      warnings.push(...answer.warnings);
      const found = unpackFrames(answer.frames);
      place(task * size, found);
      onProgress?.(done += found.length, rising.length);
    },
  });
  return { frames, warnings: [...new Set(warnings)] };
}
