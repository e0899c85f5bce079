/** Workers that read the debug information of one image, each a part of its units. */
import type { MstPart } from "../mod.ts";
import type { PackedFrames } from "./packed_frames.ts";

/** Which image. */
export interface Opening {
  /** The file. */
  readonly path: string;
  /** Its number among the images in the file. */
  readonly image: number;
}

/** What a worker is to do. */
export type Task =
  /** Units, by their numbers from `first` up to `end`, to be parts of a symbol table file. */
  | { readonly kind: "parts"; readonly first: number; readonly end: number }
  /** Offsets to be looked up. */
  | { readonly kind: "frames"; readonly offsets: Float64Array<ArrayBuffer> };

/** What came of it. */
export type Answer =
  & { readonly warnings: readonly string[] }
  & (
    | { readonly kind: "parts"; readonly parts: readonly MstPart[] }
    | { readonly kind: "frames"; readonly frames: PackedFrames }
  );

/** Tasks that a worker has at a time: with the next one there it need not wait. */
const AHEAD = 2;

/** Work that is split. */
export interface Split {
  readonly opening: Opening;
  /** Given to the workers in this order, as they are ready for more. */
  readonly tasks: readonly Task[];
  /** How many workers. */
  readonly jobs: number;
  /** Gives it up. */
  readonly signal?: AbortSignal;
  /** Told as answers come, each worker's in their order: the task's number and the worker's. */
  readonly take: (answer: Answer, task: number, worker: number) => void;
}

/** Has workers do some tasks; waits until all are done.
 *
 * @throws the signal's reason, when it is given up
 */
export async function runTasks({ opening, tasks, jobs, signal, take }: Split): Promise<void> {
  const workers: Worker[] = [];
  let next = 0;
  let left = tasks.length;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(signal?.reason);
  signal?.addEventListener("abort", giveUp);
  try {
    signal?.throwIfAborted();
    for (let number = 0; number < Math.min(jobs, tasks.length); number++) {
      const worker = new Worker(new URL("./debug_worker.ts", import.meta.url), { type: "module" });
      workers.push(worker);
      const given: number[] = [];
      const give = (): void => {
        if (next === tasks.length) return;
        given.push(next);
        worker.postMessage(tasks[next++]);
      };
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        give();
        try {
          take(data, given.shift()!, number);
        } catch (error) {
          reject(error);
        }
        if (--left === 0) resolve();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
      worker.postMessage(opening);
      for (let count = 0; count < AHEAD; count++) give();
    }
    if (left > 0) await promise;
  } finally {
    signal?.removeEventListener("abort", giveUp);
    for (const worker of workers) worker.terminate();
  }
}

/** Workers that pay: as many as there are processors, and none for little work.
 *
 * @param bytes of debug information that has to be read
 * @param wanted as the user said
 */
export function jobsFor(bytes: number, wanted: number | undefined): number {
  if (wanted !== undefined) return wanted;
  return bytes < SMALL ? 1 : navigator.hardwareConcurrency;
}

/** Debug information that is read in about the time that a worker takes to start. */
const SMALL = 8 << 20;
