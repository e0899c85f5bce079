/** `mp_sample` at work: starts it, and decodes the records of its ring (`shim/machpause.h`). */
import type {
  SampleVisitor,
  Sampling,
  SamplingCounts,
  SamplingOptions,
} from "../lib/target/kernel.ts";
import { readThreadInfo } from "./capture.ts";
import type { Native } from "./native.ts";

/** `sizeof(mp_sample_ring)`, `sizeof(mp_sample_stack)`, `sizeof(mp_sample_options)`. */
const ringHeader = 128;
const stackHeader = 80 + 68 * 4;
const optionsSize = 40;

/** Bytes of records that can wait for the reader: seconds of a busy program. */
const ringSize = 16 << 20;

/** Bytes for the copies of stacks. Pages that are not used take no memory. */
const arenaSize = 128 << 20;

/** `MP_RECORD_*` */
const kinds = { skip: 0, tick: 1, thread: 2, exit: 3, stack: 4, queued: 5 } as const;

/** Names, each terminated. */
function joined(names: readonly string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(names.map((name) => `${name}\0`).join(""));
}

/** Starts sampling.
 *
 * @param fail makes the error of a result that is not `KERN_SUCCESS`
 */
export function startSampling(
  native: Native,
  task: number,
  request: SamplingOptions,
  fail: (code: number) => Error,
): Sampling {
  const names = joined(request.names);
  const ids = BigUint64Array.from(request.ids);
  const options = new DataView(new ArrayBuffer(optionsSize));
  options.setBigUint64(0, BigInt(Math.round(request.periodNanoseconds)), true);
  options.setBigUint64(8, BigInt(request.count), true);
  options.setBigUint64(16, BigInt(request.maxStack), true);
  options.setUint32(24, request.offCpu ? 1 : 0, true); // MP_SAMPLE_OFF_CPU
  options.setUint32(28, ids.length, true);
  options.setUint32(32, names.length, true);
  const ring = new Uint8Array(ringHeader + ringSize);
  const arena = new Uint8Array(arenaSize);
  const result = native.mp_sample(
    task,
    request.flavor,
    new Uint8Array(options.buffer),
    new Uint8Array(ids.buffer),
    names,
    ring,
    BigInt(ring.length),
    arena,
    BigInt(arena.length),
  );
  return new NativeSampling(ring, request.stateSize, result, fail);
}

class NativeSampling implements Sampling {
  readonly ended: Promise<Error | null>;
  readonly #words: BigUint64Array;
  readonly #flags: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #stateSize: number;

  constructor(
    ring: Uint8Array<ArrayBuffer>,
    stateSize: number,
    result: Promise<number>,
    fail: (code: number) => Error,
  ) {
    this.#words = new BigUint64Array(ring.buffer, 0, ringHeader / 8);
    this.#flags = new Uint32Array(ring.buffer, 0, ringHeader / 4);
    this.#bytes = ring.subarray(ringHeader);
    this.#view = new DataView(ring.buffer, ringHeader);
    this.#stateSize = stateSize;
    this.ended = result.then((code) => code === 0 ? null : fail(code));
  }

  get counts(): SamplingCounts {
    const [, , , , samples, missed, dropped, omitted] = this.#words;
    return {
      samples: Number(samples),
      missed: Number(missed),
      dropped: Number(dropped),
      omitted: Number(omitted),
    };
  }

  stop(): void {
    Atomics.store(this.#flags, 4, 1);
  }

  read(visitor: SampleVisitor): boolean {
    const size = this.#bytes.length & ~7;
    const head = Number(Atomics.load(this.#words, 0));
    let tail = Number(this.#words[1]);
    let isTick = false;
    while (tail < head && !isTick) {
      const at = tail % size;
      const kind = this.#view.getUint32(at + 4, true);
      tail += this.#view.getUint32(at, true);
      if (kind !== kinds.skip) this.#visit(kind, at + 8, visitor);
      isTick = kind === kinds.tick;
    }
    Atomics.store(this.#words, 1, BigInt(tail));
    return isTick;
  }

  #visit(kind: number, at: number, visitor: SampleVisitor): void {
    const view = this.#view;
    const number = (offset: number) => Number(view.getBigUint64(at + offset, true));
    switch (kind) {
      case kinds.tick:
        visitor.tick({
          time: number(0),
          late: number(8),
          stopped: number(16),
          threads: view.getUint32(at + 24, true),
          stacks: view.getUint32(at + 28, true),
        });
        break;
      case kinds.thread:
        visitor.thread(readThreadInfo(this.#bytes, view, at));
        break;
      case kinds.exit:
        visitor.exit(view.getBigUint64(at, true));
        break;
      case kinds.queued:
        visitor.queued(view.getBigUint64(at, true));
        break;
      case kinds.stack:
        this.#visitStack(at, visitor);
    }
  }

  #visitStack(at: number, visitor: SampleVisitor): void {
    const view = this.#view;
    const rangeCount = view.getUint32(at + 60, true);
    const state = at + 72;
    const ranges: { offset: number; bytes: Uint8Array }[] = [];
    let next = at - 8 + stackHeader;
    for (let index = 0; index < rangeCount; index++) {
      const length = view.getUint32(next + 4, true);
      const bytes = this.#bytes.subarray(next + 8, next + 8 + length);
      ranges.push({ offset: view.getUint32(next, true), bytes });
      next += 8 + length;
    }
    visitor.stack({
      threadId: view.getBigUint64(at, true),
      cpuTime: Number(view.getBigUint64(at + 8, true)),
      handle: view.getBigUint64(at + 16, true),
      dispatchQueueAddress: view.getBigUint64(at + 24, true),
      stackAddress: view.getBigUint64(at + 32, true),
      stackSize: Number(view.getBigUint64(at + 40, true)),
      stackEnd: view.getBigUint64(at + 48, true),
      runState: view.getUint32(at + 56, true),
      ticks: view.getUint32(at + 64, true),
      state: this.#bytes.subarray(state, state + this.#stateSize),
      ranges,
    });
  }
}
