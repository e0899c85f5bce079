/** Work that several workers share. */

/** What {@linkcode runWorkers} does. */
export interface Work<Task, Answer> {
  /** Starts a worker. */
  readonly start: () => Worker;
  /** The first message that each worker gets; it does not answer it. */
  readonly opening: unknown;
  /** Handed out in this order, as workers are ready; each is answered by one message. */
  readonly tasks: Iterable<Task>;
  /** Maximum number of workers. None is started without a task for it. */
  readonly workers: number;
  /** Tasks that a worker has at a time: with the next one there, it does not wait. Default: 2. */
  readonly ahead?: number;
  /** Ends the work. */
  readonly signal?: AbortSignal;
  /** Gets the answers as they come, each worker's in the order of its tasks, with the numbers of the
   * task and of the worker. */
  readonly take: (answer: Answer, task: number, worker: number) => void;
}

/** Has workers do tasks; resolves when all are answered.
 *
 * @throws what a worker threw, as an `Error` with its message; the signal's reason when it is aborted
 *
 * @example
 * ```ts
 * import { runWorkers } from "./workers.ts";
 *
 * const source = "let add; onmessage = ({ data }) => add === undefined ? add = data : postMessage(data + add)";
 * const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
 * const sums: number[] = [];
 * await runWorkers<number, number>({
 *   start: () => new Worker(url, { type: "module" }),
 *   opening: 10,
 *   tasks: [1, 2, 3],
 *   workers: 2,
 *   take: (sum, task) => sums[task] = sum,
 * });
 * console.log(sums); // [11, 12, 13]
 * ```
 */
export async function runWorkers<Task, Answer>(
  { start, opening, tasks, workers: most, ahead = 2, signal, take }: Work<Task, Answer>,
): Promise<void> {
  const workers: Worker[] = [];
  const left = tasks[Symbol.iterator]();
  let given = 0;
  let answered = 0;
  let complete = false;
  const next = (): { readonly task: Task; readonly number: number } | undefined => {
    if (complete) return undefined;
    const { value, done } = left.next();
    if (done) {
      complete = true;
      return undefined;
    }
    return { task: value, number: given++ };
  };
  // Node 20 has no Promise.withResolvers.
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((...settle) => [resolve, reject] = settle);
  const giveUp = () => reject(signal?.reason);
  signal?.addEventListener("abort", giveUp);
  try {
    signal?.throwIfAborted();
    for (let number = 0, first = next(); number < most && first !== undefined; number++) {
      const worker = start();
      workers.push(worker);
      const numbers: number[] = [];
      const give = (task = next()): void => {
        if (task === undefined) return;
        numbers.push(task.number);
        worker.postMessage(task.task);
      };
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        try {
          give();
          take(data, numbers.shift()!, number);
        } catch (error) {
          reject(error);
        }
        if (++answered === given && complete) resolve();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
      worker.postMessage(opening);
      give(first);
      for (let count = 1; count < ahead; count++) give();
      first = number + 1 < most ? next() : undefined;
    }
    if (given > 0) await promise;
  } finally {
    signal?.removeEventListener("abort", giveUp);
    for (const worker of workers) worker.terminate();
  }
}
