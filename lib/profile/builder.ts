/** Builds profiles: every image, function, frame and stack once, in columns that grow. */

import type { RawText } from "../escape.ts";
import type {
  Profile,
  ProfileImage,
  ProfileProcess,
  ProfileThread,
  SampleColumns,
  SampleState,
} from "./model.ts";

type Column = Int32Array | Float64Array | BigUint64Array | Uint8Array;

/** A copy of a column with place for twice as many entries. */
function doubled(column: Column): Column {
  const Kind = column.constructor as new (length: number) => Column;
  const larger = new Kind(column.length * 2);
  larger.set(column as never);
  return larger;
}

/** Adds a row to a table, which gets place for twice as many when it is full. */
function addRow(table: { length: number }, capacity: number): number {
  const row = table.length++;
  if (row === capacity) {
    const columns = table as unknown as Record<string, Column | number>;
    for (const [name, column] of Object.entries(columns)) {
      if (typeof column !== "number") columns[name] = doubled(column);
    }
  }
  return row;
}

/** The columns of a table, without the unused place behind them. */
function trimmed<T extends { readonly length: number }>(table: T): T {
  const columns = Object.entries(table as Record<string, Column | number>);
  return Object.fromEntries(columns.map(([name, column]) => [
    name,
    typeof column === "number" ? column : column.slice(0, table.length),
  ])) as unknown as T;
}

/** A hash table of row numbers whose rows are compared in the table's own columns. */
class RowIndex {
  #slots = new Int32Array(1024).fill(-1);
  #hashes = new Int32Array(1024);
  #used = 0;

  /** The row with this hash for which `isSame` holds; -1 when there is none. */
  find(hash: number, isSame: (row: number) => boolean): number {
    const mask = this.#slots.length - 1;
    for (let at = hash & mask;; at = (at + 1) & mask) {
      const row = this.#slots[at];
      if (row < 0 || this.#hashes[at] === hash && isSame(row)) return row;
    }
  }

  add(hash: number, row: number): void {
    if (++this.#used * 2 > this.#slots.length) this.#grow();
    this.#put(hash, row);
  }

  #put(hash: number, row: number): void {
    const mask = this.#slots.length - 1;
    let at = hash & mask;
    while (this.#slots[at] >= 0) at = (at + 1) & mask;
    this.#slots[at] = row;
    this.#hashes[at] = hash;
  }

  #grow(): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    this.#slots = new Int32Array(slots.length * 2).fill(-1);
    this.#hashes = new Int32Array(slots.length * 2);
    for (let at = 0; at < slots.length; at++) if (slots[at] >= 0) this.#put(hashes[at], slots[at]);
  }
}

/** Mixes one more number into a hash (the step of MurmurHash3). */
function mix(hash: number, value: number): number {
  let word = Math.imul(value, 0xcc9e2d51);
  word = Math.imul(word << 15 | word >>> 17, 0x1b873593);
  const mixed = hash ^ word;
  return Math.imul(mixed << 13 | mixed >>> 19, 5) + 0xe6546b64 | 0;
}

/** The last steps: every bit of the input changes the low ones. */
function finish(hash: number): number {
  const once = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  const twice = Math.imul(once ^ once >>> 13, 0xc2b2ae35);
  return twice ^ twice >>> 16;
}

/** Mixes a 64-bit address into a hash. */
function mixAddress(hash: number, address: bigint): number {
  return mix(
    mix(hash, Number(BigInt.asUintN(32, address))),
    Number(BigInt.asUintN(32, address >> 32n)),
  );
}

/** What a profile says besides its samples. */
export type ProfileInfo = Partial<
  Pick<
    Profile,
    "product" | "arch" | "os" | "startTime" | "interval" | "unit" | "aggregated" | "lost"
  >
>;

/** What is known about a function. */
export interface FunctionParts {
  /** Index of the image; none without it. */
  readonly image?: number;
  /** Source file. */
  readonly file?: RawText | null;
  /** Line where it begins, from 1. */
  readonly line?: number;
  /** Where its code starts; of a function without a name and a known start, the frame's address. */
  readonly address?: bigint;
}

/** What is known about a frame. */
export interface FrameParts {
  /** The address that was looked up. */
  readonly address?: bigint;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** How many functions at the address it is inlined into. */
  readonly inlineDepth?: number;
}

/** What is known about a sample. */
export interface SampleParts {
  /** 1 without it. */
  readonly weight?: number;
  /** Microseconds of CPU time since the thread's sample before; not known without it. */
  readonly cpu?: number;
  /** Not known without it. */
  readonly state?: SampleState;
}

interface SampleTable {
  length: number;
  stack: Int32Array;
  time: Float64Array;
  weight: Float64Array;
  cpu: Float64Array;
  state: Uint8Array;
}

/** What is known about a thread. */
export type ThreadParts = Omit<ProfileThread, "samples">;

const noParts: SampleParts = {};

/** Collects samples and makes a {@linkcode Profile} of them. What is given twice is kept once, and has
 * the same index. Its memory grows with the number of samples (33 bytes each) and of different stacks
 * (8 bytes each, and their index); how many there may be is the caller's choice.
 *
 * @example
 * ```ts
 * import { ProfileBuilder } from "@machpause/machpause/profile";
 *
 * const builder = new ProfileBuilder({ interval: 10 });
 * const process = builder.process({ name: "demo", pid: 12 });
 * const thread = builder.thread({ process, name: "main", isMain: true });
 * const main = builder.frame(builder.function("main"), { line: 3 });
 * const work = builder.frame(builder.function("work"), { line: 9 });
 * builder.sample(thread, builder.stack(builder.stack(-1, main), work), 0);
 * const profile = builder.finish();
 * ```
 */
export class ProfileBuilder {
  /** What the profile says besides its samples; it may be changed until {@linkcode finish}. */
  info: ProfileInfo;
  /** Samples so far. */
  sampleCount = 0;
  readonly #strings: RawText[] = [];
  readonly #stringIndex = new Map<string, number>();
  readonly #processes: ProfileProcess[] = [];
  readonly #images: ProfileImage[] = [];
  readonly #imageIndex = new Map<string, number>();
  readonly #threads: { parts: ThreadParts; samples: SampleTable }[] = [];
  readonly #threadIndex = new Map<string, number>();
  readonly #functions = {
    length: 0,
    name: new Int32Array(256),
    image: new Int32Array(256),
    file: new Int32Array(256),
    line: new Int32Array(256),
    address: new BigUint64Array(256),
  };
  readonly #functionIndex = new RowIndex();
  readonly #frames = {
    length: 0,
    address: new BigUint64Array(256),
    function: new Int32Array(256),
    line: new Int32Array(256),
    column: new Int32Array(256),
    inlineDepth: new Int32Array(256),
  };
  readonly #frameIndex = new RowIndex();
  readonly #stacks = { length: 0, prefix: new Int32Array(256), frame: new Int32Array(256) };
  readonly #stackIndex = new RowIndex();

  /** Starts an empty profile. */
  constructor(info: ProfileInfo = {}) {
    this.info = { ...info };
  }

  /** The number of different stacks so far. */
  get stackCount(): number {
    return this.#stacks.length;
  }

  /** The number of threads so far. */
  get threadCount(): number {
    return this.#threads.length;
  }

  /** The index of a text. */
  string(text: RawText): number {
    const known = this.#stringIndex.get(text);
    if (known !== undefined) return known;
    this.#stringIndex.set(text, this.#strings.length);
    return this.#strings.push(text) - 1;
  }

  /** The index of a process: each call adds one. */
  process(process: Partial<ProfileProcess> = {}): number {
    return this.#processes.push({ name: process.name ?? null, pid: process.pid ?? null }) - 1;
  }

  /** The index of an image. */
  image(image: { readonly name: RawText } & Partial<ProfileImage>): number {
    const { name, path = null, uuid = null, address = 0n, size = 0n, arch = null } = image;
    const key = `${address}\0${uuid}\0${path}\0${name}`;
    const known = this.#imageIndex.get(key);
    if (known !== undefined) return known;
    this.#imageIndex.set(key, this.#images.length);
    return this.#images.push({ name, path, uuid, address, size, arch }) - 1;
  }

  /** The index of a function. `null` is one without a name. */
  function(name: RawText | null, parts: FunctionParts = {}): number {
    const { image = -1, line = 0, address = 0n } = parts;
    const nameIndex = name === null ? -1 : this.string(name);
    const file = parts.file === undefined || parts.file === null ? -1 : this.string(parts.file);
    const functions = this.#functions;
    const hash = finish(mixAddress(mix(mix(mix(mix(0, nameIndex), image), file), line), address));
    const known = this.#functionIndex.find(
      hash,
      (row) =>
        functions.name[row] === nameIndex && functions.image[row] === image &&
        functions.file[row] === file && functions.line[row] === line &&
        functions.address[row] === address,
    );
    if (known >= 0) return known;
    const row = addRow(functions, functions.name.length);
    functions.name[row] = nameIndex;
    functions.image[row] = image;
    functions.file[row] = file;
    functions.line[row] = line;
    functions.address[row] = address;
    this.#functionIndex.add(hash, row);
    return row;
  }

  /** The index of a frame of a function. */
  frame(of: number, parts: FrameParts = {}): number {
    const { address = 0n, line = 0, column = 0, inlineDepth = 0 } = parts;
    const frames = this.#frames;
    const hash = finish(
      mixAddress(mix(mix(mix(mix(0, of), line), column), inlineDepth), address),
    );
    const known = this.#frameIndex.find(
      hash,
      (row) =>
        frames.function[row] === of && frames.line[row] === line &&
        frames.column[row] === column && frames.inlineDepth[row] === inlineDepth &&
        frames.address[row] === address,
    );
    if (known >= 0) return known;
    const row = addRow(frames, frames.function.length);
    frames.address[row] = address;
    frames.function[row] = of;
    frames.line[row] = line;
    frames.column[row] = column;
    frames.inlineDepth[row] = inlineDepth;
    this.#frameIndex.add(hash, row);
    return row;
  }

  /** The index of the stack in which `frame` was called by `prefix`; -1 for an outermost frame. */
  stack(prefix: number, frame: number): number {
    const stacks = this.#stacks;
    const hash = finish(mix(mix(0, prefix), frame));
    const known = this.#stackIndex.find(
      hash,
      (row) => stacks.prefix[row] === prefix && stacks.frame[row] === frame,
    );
    if (known >= 0) return known;
    const row = addRow(stacks, stacks.frame.length);
    stacks.prefix[row] = prefix;
    stacks.frame[row] = frame;
    this.#stackIndex.add(hash, row);
    return row;
  }

  /** The index of a thread. One that was given before, by process, identifier, name and queue, is the
   * same when it has an identifier. */
  thread(
    thread: { readonly process: number } & Partial<ThreadParts>,
  ): number {
    const { process, id = null, name = null, queue = null, isMain = false } = thread;
    const key = id === null ? null : `${process}\0${id}\0${queue}\0${name}`;
    const known = key === null ? undefined : this.#threadIndex.get(key);
    if (known !== undefined) return known;
    if (key !== null) this.#threadIndex.set(key, this.#threads.length);
    const samples = {
      length: 0,
      stack: new Int32Array(16),
      time: new Float64Array(16),
      weight: new Float64Array(16),
      cpu: new Float64Array(16),
      state: new Uint8Array(16),
    };
    return this.#threads.push({ parts: { process, id, name, queue, isMain }, samples }) - 1;
  }

  /** Adds a sample of a thread.
   *
   * @param stack -1 for an empty one
   * @param time milliseconds since the start, not before the thread's last sample
   */
  sample(thread: number, stack: number, time: number, parts: SampleParts = noParts): void {
    const { samples } = this.#threads[thread];
    const row = addRow(samples, samples.stack.length);
    samples.stack[row] = stack;
    samples.time[row] = time;
    samples.weight[row] = parts.weight ?? 1;
    samples.cpu[row] = parts.cpu ?? NaN;
    samples.state[row] = parts.state ?? 0;
    this.sampleCount++;
  }

  /** The profile of what was added. The builder may go on; the profile does not change by that. */
  finish(): Profile {
    const { info } = this;
    return {
      product: info.product ?? null,
      arch: info.arch ?? null,
      os: info.os ?? null,
      startTime: info.startTime ?? null,
      interval: info.interval ?? 0,
      unit: info.unit ?? "samples",
      aggregated: info.aggregated ?? false,
      lost: info.lost ?? 0,
      strings: [...this.#strings],
      processes: this.#processes.length > 0 ? [...this.#processes] : [{ name: null, pid: null }],
      images: [...this.#images],
      functions: trimmed(this.#functions),
      frames: trimmed(this.#frames),
      stacks: trimmed(this.#stacks),
      threads: this.#threads.map(({ parts, samples }) => ({
        ...parts,
        samples: sorted(trimmed(samples)),
      })),
    };
  }
}

/** The samples, ordered by time. Samples of one time keep their order. */
function sorted(samples: SampleColumns): SampleColumns {
  const { length, stack, time, weight, cpu, state } = samples;
  let isSorted = true;
  for (let row = 1; row < length && isSorted; row++) isSorted = time[row - 1] <= time[row];
  if (isSorted) return samples;
  const order = Uint32Array.from({ length }, (_, row) => row)
    .sort((one, other) => time[one] - time[other] || one - other);
  return {
    length,
    stack: stack.map((_, row) => stack[order[row]]),
    time: time.map((_, row) => time[order[row]]),
    weight: weight.map((_, row) => weight[order[row]]),
    cpu: cpu.map((_, row) => cpu[order[row]]),
    state: state.map((_, row) => state[order[row]]),
  };
}
