/** What a page shows: threads with stacks, as columns of numbers. A pause, a report or a stackshot is one
 * sample of each thread, a profile many. All text is safe to show. */
import { escape, type RawText } from "../../lib/escape.ts";
import type { Profile, ProfileThread } from "../../lib/profile/mod.ts";
import { isSystemPath } from "../../lib/symbols/system_image.ts";

/** A variable of a frame, and its members below it. */
export type PageLocal = readonly [
  depth: number,
  name: string,
  type: string,
  value: string,
  /** 1 when `value` says why there is none. */
  absent: 0 | 1,
  /** 1 when it was read after the stop, and what it is in was not. */
  later: 0 | 1,
];

/** The samples of a thread. */
export interface PageSamples {
  /** Index of each sample's stack; -1 for an empty one. */
  readonly stack: readonly number[];
  /** Microseconds since the sample before; the first since the start. */
  readonly time: readonly number[];
  /** Left out when all are 1. */
  readonly weight?: readonly number[];
  /** 0 not known, 1 on a processor, 2 waiting; left out when all are 0. */
  readonly state?: readonly number[];
}

/** A thread. */
export interface PageThread {
  readonly name: string;
  /** Its queue, identifier and process. */
  readonly about: string;
  /** Such as `waiting`; empty when not known. */
  readonly state: string;
  /** `crashed` or `hung`: the thread that it is about; else empty. */
  readonly mark: "" | "crashed" | "hung";
  /** Why its stack ends where it does, if that is not its outermost function. */
  readonly ended: string;
  readonly samples: PageSamples;
  /** The variables of each frame, innermost first. */
  readonly locals?: readonly (readonly PageLocal[])[];
}

/** What a page calls its parts. */
export interface PageWords {
  readonly one: string;
  readonly many: string;
  /** Title of the column of weights. */
  readonly weight: string;
}

const usualWords: PageWords = { one: "thread", many: "threads", weight: "Threads" };

/** What is embedded in a page. */
export interface PageData {
  /** Whether it is one moment: every thread has one stack. */
  readonly moment: boolean;
  readonly title: string;
  readonly subtitle: string;
  /** Names and values. */
  readonly facts: readonly (readonly [string, string])[];
  /** Sentences. */
  readonly notes: readonly string[];
  /** What weights count. */
  readonly unit: Profile["unit"];
  /** What stacks are of, and the title of their weights. */
  readonly words: PageWords;
  /** Milliseconds between samples. */
  readonly interval: number;
  /** Whether samples have times. */
  readonly timed: boolean;
  /** Whether samples have states. */
  readonly states: boolean;
  readonly strings: readonly string[];
  readonly functions: {
    readonly name: readonly number[];
    /** -1 for none. */
    readonly image: readonly number[];
    /** 1 when it is the system's. */
    readonly system: readonly (0 | 1)[];
  };
  readonly frames: {
    readonly function: readonly number[];
    /** -1 for none. */
    readonly file: readonly number[];
    /** 0 for none. */
    readonly line: readonly number[];
    readonly inlined: readonly (0 | 1)[];
    /** Strings; -1 for none. */
    readonly address?: readonly number[];
  };
  readonly stacks: { readonly prefix: readonly number[]; readonly frame: readonly number[] };
  readonly threads: readonly PageThread[];
  /** Of a moment: what was seen of some threads before it. */
  readonly timeline?: readonly PageThread[];
}

/** What one thread was doing for some time. */
export interface PageTrack {
  readonly name: string;
  readonly about: string;
  /** Milliseconds between looks. */
  readonly interval: number;
  /** In the order of their times, in milliseconds. */
  readonly looks: readonly {
    readonly at: number;
    readonly running: boolean;
    /** Innermost first. */
    readonly frames: readonly Omit<FrameJson, "variables">[];
  }[];
}

/** The stable form of `bt --json`, as far as it is shown. `crash --json` and each task of
 * `stackshot --json` have the same. */
export interface StacksJson {
  readonly target: {
    readonly kind: string;
    readonly pid: number | null;
    readonly name: string | null;
    readonly arch: string | null;
  };
  readonly images: readonly {
    readonly name: string;
    readonly path: string | null;
    readonly uuid: string | null;
    readonly loadAddress: string | null;
  }[];
  readonly threads: readonly ThreadJson[];
}

/** A thread of {@linkcode StacksJson}. */
export interface ThreadJson {
  readonly index: number;
  readonly id: number | null;
  readonly name: string | null;
  readonly state: string | null;
  readonly queue: string | null;
  readonly waiting?: string | null;
  readonly stopped: string | null;
  readonly crashed?: boolean;
  readonly hung?: boolean;
  /** 1 without it. */
  readonly weight?: number;
  /** In place of its queue and identifier. */
  readonly about?: string;
  readonly frames: readonly FrameJson[];
}

/** A frame of {@linkcode StacksJson}. */
export interface FrameJson {
  readonly address: string;
  readonly image: string | null;
  readonly symbol: string | null;
  readonly offset: number | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly inlined: boolean;
  readonly kernel?: boolean;
  readonly variables?: readonly VariableJson[];
}

interface VariableJson {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  readonly summary: string | null;
  readonly unavailable: string | null;
  /** Whether it was read after the stop. */
  readonly later: boolean;
  readonly children: readonly VariableJson[] | null;
}

/** Makes names readable. */
export type Readable = (raw: string) => string;

/** What a page says besides its threads. */
export interface PageHead {
  readonly title: string;
  readonly subtitle?: string;
  readonly facts?: readonly (readonly [string, string])[];
  readonly notes?: readonly string[];
}

/** Numbers each text, escaped, once. */
class Texts {
  readonly list: string[] = [];
  readonly #known = new Map<string, number>();

  index(text: string): number {
    let index = this.#known.get(text);
    if (index === undefined) {
      index = this.list.push(escape(text)) - 1;
      this.#known.set(text, index);
    }
    return index;
  }
}

/** What further a page of stacks shows. */
export interface PageMore {
  /** What was seen before, over time. */
  readonly tracks?: readonly PageTrack[] | undefined;
  /** When its stacks are not of threads. */
  readonly words?: PageWords | undefined;
}

/** Maximum number of variables of a frame, members included. */
const MAX_LOCALS = 200;

/** The page of one moment of one or several processes. */
export function pageOfStacks(
  tasks: readonly StacksJson[],
  { title, subtitle = "", facts = [], notes = [] }: PageHead,
  readable: Readable,
  { tracks = [], words = usualWords }: PageMore = {},
): PageData {
  const texts = new Texts();
  const functions = { name: [] as number[], image: [] as number[], system: [] as (0 | 1)[] };
  const frames = {
    function: [] as number[],
    file: [] as number[],
    line: [] as number[],
    inlined: [] as (0 | 1)[],
    address: [] as number[],
  };
  const stacks = { prefix: [] as number[], frame: [] as number[] };
  const known = new Map<string, number>();
  const once = (key: string, add: () => number): number => {
    let index = known.get(key);
    if (index === undefined) known.set(key, index = add());
    return index;
  };
  // What is looked at is no part of the system, wherever it is installed.
  const programs = new Set(tasks.map(({ target }) => target.name));
  const frameOf = (
    frame: Omit<FrameJson, "variables">,
    paths: ReadonlyMap<string, string>,
  ): number => {
    const { address, image, symbol, offset, file, line, inlined, kernel = false } = frame;
    const from = image === null ? "" : image;
    const name = symbol !== null
      ? readable(symbol)
      : image === null || offset === null
      ? address
      : `${image} + 0x${offset.toString(16)}`;
    const of = once(`function ${from}\0${name}`, () => {
      functions.name.push(texts.index(name));
      functions.image.push(image === null ? -1 : texts.index(image));
      const isSystem = isSystemPath(paths.get(from) ?? from) && !programs.has(from);
      return functions.system.push(kernel || isSystem ? 1 : 0) - 1;
    });
    return once(`frame ${of} ${address} ${inlined} ${line} ${file}`, () => {
      frames.function.push(of);
      frames.file.push(file === null ? -1 : texts.index(file));
      frames.line.push(line ?? 0);
      frames.inlined.push(inlined ? 1 : 0);
      return frames.address.push(texts.index(address)) - 1;
    });
  };
  const stackOf = (
    list: readonly Omit<FrameJson, "variables">[],
    paths: ReadonlyMap<string, string>,
  ): number => {
    let stack = -1;
    for (const frame of withoutNull(list).reverse()) {
      const index = frameOf(frame, paths);
      const prefix = stack;
      stack = once(`stack ${prefix} ${index}`, () => {
        stacks.prefix.push(prefix);
        return stacks.frame.push(index) - 1;
      });
    }
    return stack;
  };
  const pathsOf = ({ images }: StacksJson): ReadonlyMap<string, string> =>
    new Map(images.map(({ name, path }) => [name, path ?? name]));
  const threads = tasks.flatMap((task) => {
    const { target, threads } = task;
    const paths = pathsOf(task);
    const process = tasks.length > 1 ? `${target.name ?? "?"} (${target.pid ?? "?"})` : null;
    return threads.map((thread): PageThread => {
      const about = [
        process,
        thread.queue === null ? null : `queue ${thread.queue}`,
        thread.id === null ? null : `id ${thread.id}`,
        thread.waiting ?? null,
      ];
      const number = `Thread ${thread.index}`;
      return {
        name: escape(
          thread.name === null
            ? number
            : words === usualWords
            ? `${thread.index} ${thread.name}`
            : thread.name,
        ),
        about: escape(thread.about ?? about.filter((text) => text !== null).join(" · ")),
        state: escape(thread.state ?? ""),
        mark: thread.crashed === true ? "crashed" : thread.hung === true ? "hung" : "",
        ended: ended(thread.stopped),
        samples: {
          stack: [stackOf(thread.frames, paths)],
          time: [0],
          ...thread.weight === undefined ? {} : { weight: [thread.weight] },
        },
        ...thread.frames.some(({ variables }) => (variables?.length ?? 0) > 0)
          ? { locals: thread.frames.map(({ variables = [] }) => localsOf(variables)) }
          : {},
      };
    });
  });
  const timeline = tracks.map(({ name, about, looks }): PageThread => ({
    ...{ name: escape(name), about: escape(about), state: "", mark: "" as const, ended: "" },
    samples: {
      stack: looks.map(({ frames }) => stackOf(frames, pathsOf(tasks[0]))),
      time: differences(looks.map(({ at }) => at)),
      state: looks.map(({ running }) => running ? 1 : 2),
    },
  }));
  return {
    moment: true,
    title: escape(title),
    subtitle: escape(subtitle),
    facts: escaped(facts),
    notes: notes.map(escape),
    unit: "samples",
    words,
    interval: tracks[0]?.interval ?? 0,
    timed: false,
    states: false,
    strings: texts.list,
    functions,
    frames,
    stacks,
    threads,
    ...timeline.length === 0 ? {} : { timeline },
  };
}

/** Frames without the null after the outermost one, with which some stacks end: it is no caller. */
function withoutNull<Frame extends { readonly address: string }>(list: readonly Frame[]): Frame[] {
  const last = list.findLastIndex(({ address }) => !/^0x0*$/.test(address));
  return list.slice(0, Math.max(1, last + 1));
}

function escaped(facts: readonly (readonly [string, string])[]): [string, string][] {
  return facts.map(([name, value]) => [escape(name), escape(value)]);
}

/** The end of a whole stack needs no words. */
function ended(stopped: string | null): string {
  if (stopped === null || /^(?:null-record|no-caller|end|outermost)/.test(stopped)) return "";
  return escape(`The stack ends here: ${stopped.replaceAll("-", " ")}.`);
}

function localsOf(variables: readonly VariableJson[]): PageLocal[] {
  const list: PageLocal[] = [];
  const add = (variable: VariableJson, depth: number, isMarked: boolean): void => {
    if (list.length >= MAX_LOCALS) return;
    const { name, type, value, summary, unavailable, later, children } = variable;
    const texts = [value === null || value === undefined ? null : `${value}`, summary];
    const text = texts.filter((part) => part !== null && part !== "").join("  ");
    list.push([
      depth,
      escape(name),
      escape(type),
      escape(unavailable ?? text),
      unavailable === null ? 0 : 1,
      later && unavailable === null && !isMarked ? 1 : 0,
    ]);
    for (const child of children ?? []) add(child, depth + 1, isMarked || later);
  };
  for (const variable of variables) add(variable, 0, false);
  return list;
}

/** The page of a profile. */
export function pageOfProfile(profile: Profile, head: PageHead, readable: Readable): PageData {
  const texts = new Texts();
  const { functions, frames, stacks, images, strings, processes } = profile;
  const programs = new Set(processes.map(({ name }) => name));
  const systems = images.map(({ name, path }) => isSystemPath(path ?? name) && !programs.has(name));
  const nameOf = (index: number): string => {
    const name = functions.name[index];
    if (name >= 0) return readable(strings[name]);
    const image = images[functions.image[index]];
    const address = functions.address[index];
    if (image === undefined) return `0x${address.toString(16)}`;
    return `${image.name} + 0x${BigInt.asUintN(64, address - image.address).toString(16)}`;
  };
  const plainNameOf = ({ name, queue, isMain }: ProfileThread, index: number): RawText =>
    name ?? queue ?? (isMain ? "main thread" : `Thread ${index}`);
  const named = Map.groupBy(profile.threads, plainNameOf);
  const threads = profile.threads.map((thread, index): PageThread => {
    const { process, id, queue, isMain, samples } = thread;
    const name = plainNameOf(thread, index);
    // On Linux all threads that have no name of their own have the program's.
    const which = isMain ? "main" : id === null ? `${index}` : `${id}`;
    const { name: of, pid } = processes[process] ?? { name: null, pid: null };
    const about = [
      processes.length > 1 ? `${of ?? "?"}${pid === null ? "" : ` (${pid})`}` : null,
      queue === null ? null : `queue ${queue}`,
      id === null ? null : `id ${id}`,
    ];
    return {
      name: escape(named.get(name)!.length > 1 ? `${name} (${which})` : name),
      about: escape(about.filter((text) => text !== null).join(" · ")),
      state: "",
      mark: "",
      ended: "",
      samples: samplesOf(samples),
    };
  });
  // Of `sample` and others that are sums already, one stack stands for many samples.
  const count = profile.threads.reduce(
    (sum, { samples }) =>
      sum +
      (profile.unit === "samples"
        ? samples.weight.reduce((all, one) => all + one, 0)
        : samples.length),
    0,
  );
  const { startTime, os, arch, lost, interval, aggregated } = profile;
  const facts: [string, string][] = [
    ["Samples", `${count}`],
    ["Lost", lost > 0 ? `${lost}` : ""],
    ["Interval", interval > 0 ? `${Math.round(interval * 1000) / 1000} ms` : ""],
    ["Began", startTime === null ? "" : dateText(startTime)],
    ["System", os ?? ""],
    ["Architecture", arch ?? ""],
  ];
  return {
    moment: false,
    title: escape(head.title),
    subtitle: escape(head.subtitle ?? ""),
    facts: escaped([...head.facts ?? [], ...facts]),
    notes: (head.notes ?? []).map(escape),
    unit: profile.unit,
    words: { ...usualWords, weight: profile.unit === "samples" ? "Samples" : "Weight" },
    interval: interval > 0 ? interval : 1,
    timed: !aggregated,
    states: threads.some(({ samples }) => samples.state !== undefined),
    functions: {
      name: Array.from(functions.name, (_, index) => texts.index(nameOf(index))),
      image: Array.from(
        functions.image,
        (image) => image < 0 ? -1 : texts.index(images[image].name),
      ),
      system: Array.from(functions.image, (image) => systems[image] === true ? 1 : 0),
    },
    frames: {
      function: [...frames.function],
      file: Array.from(
        frames.function,
        (of) => functions.file[of] < 0 ? -1 : texts.index(strings[functions.file[of]]),
      ),
      line: [...frames.line],
      inlined: Array.from(frames.inlineDepth, (depth) => depth > 0 ? 1 : 0),
    },
    stacks: { prefix: [...stacks.prefix], frame: [...stacks.frame] },
    strings: texts.list,
    threads,
  };
}

/** A time as `2026-11-22 09:15:03 UTC`; empty for one that no calendar has.
 *
 * @param time milliseconds since 1970
 */
export function dateText(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  return date.toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}

function samplesOf(samples: Profile["threads"][number]["samples"]): PageSamples {
  const { stack, time, weight, state } = samples;
  return {
    stack: [...stack],
    time: differences(time),
    ...weight.every((one) => one === 1) ? {} : { weight: [...weight] },
    ...state.every((one) => one === 0) ? {} : { state: [...state] },
  };
}

/** Microseconds from each time to the next, of times in milliseconds. */
function differences(times: Iterable<number>): number[] {
  let before = 0;
  return Array.from(times, (now) => {
    const delta = Math.round(now * 1000) - before;
    before += delta;
    return delta;
  });
}
