/** Runs cases in a worker, so that one that never ends can be ended. */
import { readers } from "./readers.ts";
import { damaged, readCase } from "./run.ts";

/** What a worker is to do. */
export interface Job {
  readonly reader: string;
  readonly seed: number;
  /** The first case. */
  readonly first: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Where the case that is being read is written. */
  readonly progress: Int32Array;
}

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<Job>) => void;
  postMessage(answer: unknown): void;
};

scope.onmessage = async ({ data }) => {
  const { seed, first, duration, progress } = data;
  const reader = readers.find(({ name }) => name === data.reader)!;
  const seeds = await reader.seeds();
  // What the first file loads is not its own time.
  await readCase(reader, seeds[0]);
  const end = performance.now() + duration;
  let number = first;
  for (; performance.now() < end; number++) {
    Atomics.store(progress, 0, number);
    Atomics.add(progress, 1, 1);
    const what = await readCase(reader, damaged(reader, seeds, seed, number));
    if (what !== null) {
      scope.postMessage({ finding: { reader: reader.name, seed, case: number, what } });
    }
  }
  scope.postMessage({ next: number });
};
