/** The work on one image's debug information that workers share: what they are sent and what they
 * answer. */
import type { Files } from "../../file_system.ts";
import type { MstPart } from "../mst/unit_encoder.ts";
import type { PackedFrames } from "./packed_frames.ts";

/** What reading debug information takes from the system. */
export interface IndexSystem {
  readonly files: Files;
  /** Starts a worker whose module calls `serveTasks`. Without it, all is read in this thread. */
  readonly startWorker?: () => Worker;
}

/** The first message of a worker: an image. */
export interface Opening {
  /** The file. */
  readonly path: string;
  /** The image's index among the images in the file. */
  readonly image: number;
}

/** One task of a worker. */
export type Task =
  /** Encodes units, from the index `first` up to `end`, as parts of a symbol table file. */
  | { readonly kind: "parts"; readonly first: number; readonly end: number }
  /** Looks offsets up. */
  | { readonly kind: "frames"; readonly offsets: Float64Array<ArrayBuffer> };

/** The answer to a task. */
export type Answer =
  & { readonly warnings: readonly string[] }
  & (
    | { readonly kind: "parts"; readonly parts: readonly MstPart[] }
    | { readonly kind: "frames"; readonly frames: PackedFrames }
  );

/** Bytes of `.debug_info` that are worth a worker. A worker compiles all code anew, which takes as much
 * processor time as reading some 16 MiB: for less than several times that it wastes more than it saves. */
const WORTH = 48 << 20;

/** The number of threads to read debug information with; 1 is the calling thread alone.
 *
 * @param bytes of `.debug_info` to read
 * @param wanted the user's choice
 */
export function jobsFor(
  { startWorker }: IndexSystem,
  bytes: number,
  wanted: number | undefined,
): number {
  if (startWorker === undefined) return 1;
  return wanted ?? Math.max(1, Math.min(navigator.hardwareConcurrency, Math.floor(bytes / WORTH)));
}
