/** What a profile says in sum: call trees, functions, and profiles of a part of it. */

import type { Profile, ProfileThread, SampleColumns, SampleState } from "./model.ts";

/** Which samples are looked at. */
export interface SampleSelection {
  /** Indexes of threads; all without it. */
  readonly threads?: readonly number[];
  /** From this time on, in milliseconds since the start. */
  readonly from?: number;
  /** Up to this time, which is not included. */
  readonly to?: number;
  /** In this state only. */
  readonly state?: SampleState;
}

/** A call tree by node index. A parent has a lower index than its children. */
export interface CallTree {
  /** Number of nodes. */
  readonly length: number;
  /** Index of the parent; -1 for a root. */
  readonly parent: Int32Array;
  /** Index of the function, or of the frame when nodes are frames. */
  readonly key: Int32Array;
  /** Weight of the samples that ended here. In an inverted tree, of those that ended in the root and came
   * by no further caller. */
  readonly self: Float64Array;
  /** Weight of the samples that passed here. */
  readonly total: Float64Array;
  /** The children of each node, heaviest first; those of node -1 are the roots. */
  children(node: number): readonly number[];
}

/** How a call tree is made. */
export interface CallTreeOptions extends SampleSelection {
  /** Bottom-up: roots are the innermost functions, children their callers. */
  readonly inverted?: boolean;
  /** Whether nodes are functions, or frames: places in them. Functions without it. */
  readonly by?: "function" | "frame";
}

/** The weight of each stack as a sample's own, over the selected samples. */
function weightOfStacks(profile: Profile, selection: SampleSelection): Float64Array {
  const weights = new Float64Array(profile.stacks.length);
  for (const { samples } of selectedThreads(profile, selection)) {
    const { stack, weight, state } = samples;
    const [first, end] = rowsOf(samples, selection);
    for (let row = first; row < end; row++) {
      if (selection.state !== undefined && state[row] !== selection.state) continue;
      if (stack[row] >= 0) weights[stack[row]] += weight[row];
    }
  }
  return weights;
}

function selectedThreads(profile: Profile, { threads }: SampleSelection): readonly ProfileThread[] {
  return threads === undefined ? profile.threads : threads.map((index) => profile.threads[index]);
}

/** The rows of the selected time. */
function rowsOf({ time, length }: SampleColumns, selection: SampleSelection): [number, number] {
  const { from = -Infinity, to = Infinity } = selection;
  return [firstAt(time, length, from), firstAt(time, length, to)];
}

/** The first row at or after a time. */
function firstAt(time: Float64Array, length: number, limit: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (time[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The call tree of a profile's samples.
 *
 * @example
 * ```ts
 * import { callTree, functionName, readProfile } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * const tree = callTree(profile);
 * const show = (node: number, depth: number) => {
 *   for (const child of tree.children(node)) {
 *     console.log(" ".repeat(depth) + functionName(profile, tree.key[child]), tree.total[child]);
 *     show(child, depth + 1);
 *   }
 * };
 * show(-1, 0);
 * ```
 */
export function callTree(profile: Profile, options: CallTreeOptions = {}): CallTree {
  const { stacks, frames } = profile;
  const weights = weightOfStacks(profile, options);
  const keyOf = options.by === "frame"
    ? (stack: number): number => stacks.frame[stack]
    : (stack: number): number => frames.function[stacks.frame[stack]];
  const parent: number[] = [];
  const key: number[] = [];
  const self: number[] = [];
  const total: number[] = [];
  const index = new Map<number, number>();
  const keys = options.by === "frame" ? frames.length : profile.functions.length;
  const nodeOf = (above: number, of: number): number => {
    // Both are below 2^31, and their product below 2^53 for any profile that fits in memory.
    const place = (above + 1) * keys + of;
    let node = index.get(place);
    if (node === undefined) {
      node = parent.length;
      index.set(place, node);
      parent.push(above);
      key.push(of);
      self.push(0);
      total.push(0);
    }
    return node;
  };
  if (options.inverted) {
    for (let stack = 0; stack < stacks.length; stack++) {
      if (weights[stack] === 0) continue;
      let node = -1;
      for (let at = stack; at >= 0; at = stacks.prefix[at]) {
        node = nodeOf(node, keyOf(at));
        total[node] += weights[stack];
      }
      self[node] += weights[stack];
    }
  } else {
    const isUsed = usedStacks(profile, weights);
    const nodes = new Int32Array(stacks.length);
    for (let stack = 0; stack < stacks.length; stack++) {
      if (isUsed[stack] === 0) continue;
      const prefix = stacks.prefix[stack];
      const node = nodes[stack] = nodeOf(prefix < 0 ? -1 : nodes[prefix], keyOf(stack));
      self[node] += weights[stack];
      total[node] += weights[stack];
    }
    for (let node = parent.length - 1; node >= 0; node--) {
      if (parent[node] >= 0) total[parent[node]] += total[node];
    }
  }
  return treeOf(parent, key, self, total);
}

/** The stacks that a sample of a weight ends in or passes. */
function usedStacks({ stacks }: Profile, weights: Float64Array): Uint8Array {
  const isUsed = new Uint8Array(stacks.length);
  for (let stack = stacks.length - 1; stack >= 0; stack--) {
    if (weights[stack] !== 0) isUsed[stack] = 1;
    if (isUsed[stack] !== 0 && stacks.prefix[stack] >= 0) isUsed[stacks.prefix[stack]] = 1;
  }
  return isUsed;
}

const none: readonly number[] = [];

function treeOf(parent: number[], key: number[], self: number[], total: number[]): CallTree {
  let lists: (number[] | undefined)[] | undefined;
  const makeLists = (): (number[] | undefined)[] => {
    const made: (number[] | undefined)[] = new Array(parent.length + 1);
    parent.forEach((above, node) => (made[above + 1] ??= []).push(node));
    // Equal ones stay in the order in which they were met.
    for (const list of made) list?.sort((one, other) => total[other] - total[one] || one - other);
    return made;
  };
  return {
    length: parent.length,
    parent: Int32Array.from(parent),
    key: Int32Array.from(key),
    self: Float64Array.from(self),
    total: Float64Array.from(total),
    children: (node) => (lists ??= makeLists())[node + 1] ?? none,
  };
}

/** What a function took. */
export interface FunctionWeight {
  /** Index in {@linkcode Profile.functions}. */
  readonly function: number;
  /** Weight of the samples in which it was the innermost. */
  readonly self: number;
  /** Weight of the samples in which it occurs; once, however often it occurs in one. */
  readonly total: number;
}

/** What each function took, the heaviest by itself first.
 *
 * @example
 * ```ts
 * import { functionName, functionWeights, readProfile } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * for (const { function: index, self, total } of functionWeights(profile).slice(0, 10)) {
 *   console.log(self, total, functionName(profile, index));
 * }
 * ```
 */
export function functionWeights(
  profile: Profile,
  selection: SampleSelection = {},
): FunctionWeight[] {
  const { stacks, frames, functions } = profile;
  const weights = weightOfStacks(profile, selection);
  const self = new Float64Array(functions.length);
  const total = new Float64Array(functions.length);
  const seen = new Int32Array(functions.length).fill(-1);
  for (let stack = 0; stack < stacks.length; stack++) {
    const weight = weights[stack];
    if (weight === 0) continue;
    self[frames.function[stacks.frame[stack]]] += weight;
    for (let at = stack; at >= 0; at = stacks.prefix[at]) {
      const of = frames.function[stacks.frame[at]];
      if (seen[of] === stack) continue;
      seen[of] = stack;
      total[of] += weight;
    }
  }
  return Array.from(
    total,
    (sum, index) => ({ function: index, self: self[index], total: sum }),
  )
    .filter((entry) => entry.total !== 0)
    .sort((one, other) => other.self - one.self || other.total - one.total);
}

/** The rows of a thread's samples that are selected. */
function selected(samples: SampleColumns, selection: SampleSelection): SampleColumns {
  const [first, end] = rowsOf(samples, selection);
  const keep: number[] = [];
  for (let row = first; row < end; row++) {
    if (selection.state === undefined || samples.state[row] === selection.state) keep.push(row);
  }
  return pick([samples], keep.map((row) => [0, row]));
}

/** The given rows of several tables as one. */
function pick(
  tables: readonly SampleColumns[],
  rows: readonly (readonly [table: number, row: number])[],
): SampleColumns {
  const length = rows.length;
  const picked = {
    length,
    stack: new Int32Array(length),
    time: new Float64Array(length),
    weight: new Float64Array(length),
    cpu: new Float64Array(length),
    state: new Uint8Array(length),
  };
  rows.forEach(([table, row], at) => {
    picked.stack[at] = tables[table].stack[row];
    picked.time[at] = tables[table].time[row];
    picked.weight[at] = tables[table].weight[row];
    picked.cpu[at] = tables[table].cpu[row];
    picked.state[at] = tables[table].state[row];
  });
  return picked;
}

/** The profile with the selected samples only. Times stay as they are.
 *
 * @example
 * ```ts
 * import { readProfile, SampleState, selectSamples } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * const firstSecond = selectSamples(profile, { to: 1000, state: SampleState.onCPU });
 * console.log(firstSecond.threads.map(({ samples }) => samples.length));
 * ```
 */
export function selectSamples(profile: Profile, selection: SampleSelection): Profile {
  const threads = selectedThreads(profile, selection)
    .map((thread) => ({ ...thread, samples: selected(thread.samples, selection) }));
  return { ...profile, threads };
}

/** The profile with one thread, which has the samples of all of them in order of time.
 *
 * @example
 * ```ts
 * import { mergeThreads, readProfile } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * console.log(mergeThreads(profile).threads[0].samples.length);
 * ```
 */
export function mergeThreads(profile: Profile, selection: SampleSelection = {}): Profile {
  const { threads } = selectSamples(profile, selection);
  const tables = threads.map(({ samples }) => samples);
  const rows = tables.flatMap(({ length }, table) =>
    Array.from({ length }, (_, row) => [table, row] as const)
  );
  rows.sort((one, other) => tables[one[0]].time[one[1]] - tables[other[0]].time[other[1]]);
  const merged: ProfileThread = {
    process: threads[0]?.process ?? 0,
    id: null,
    name: null,
    queue: null,
    isMain: false,
    samples: pick(tables, rows),
  };
  return { ...profile, threads: [merged] };
}
