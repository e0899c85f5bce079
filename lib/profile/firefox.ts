/** The Firefox Profiler's processed profile.
 *
 * Written is version 66; newer versions of the Profiler upgrade it. Read are the columns of all versions
 * up to 75 since stacks are in columns: tables of each thread or shared by all (since 60), `prefix` or
 * `prefixOffset` (since 66), file names of functions or sources (since 58), images by resource or by
 * frame (since 70), and flags for what a row has (since 71 and 75). JsonSlabs files hold the same in binary.
 * Sources: `docs-developer/CHANGELOG-formats.md` and `src/types/profile.ts` of
 * firefox-devtools/profiler, and the upgraders in npm's `@firefox-devtools/profiler-cli`.
 *
 * The format carries everything but what is in members called `machpause`, which others ignore: queues,
 * load addresses, the state of each sample and whether the profile is aggregated. Other readers see the
 * queue in the thread's name, and the state as a CPU use of 0. */

import type { RawText } from "../escape.ts";
import { debugIdOf, hex, uuidBytes } from "../hex.ts";
import { ProfileBuilder } from "./builder.ts";
import { integerOf, isRecord, type JsonFile, jsonPieces, type JsonRecord } from "./json.ts";
import { lineOf, numberOf, textOf } from "./json.ts";
import { type Profile, type ProfileThread, SampleState } from "./model.ts";
import { isAddress, MAX_DEPTH, nanosecondsIn, threadTitle } from "./titles.ts";

const VERSION = 66;
/** The version of the unprocessed format whose members `meta` has. */
const GECKO_VERSION = 33;

/** An ELF file's build ID. */
const buildId = /^(?:[\da-f]{2}){1,64}$/;

/** A library's identifier as Breakpad writes it: the digits of the UUID, or of what it makes of a build ID, and
 * the age, which neither has. */
function breakpadId(uuid: string | null): string {
  const id = uuid !== null && buildId.test(uuid) ? debugIdOf(uuidBytes(uuid)) : uuid ?? "";
  const digits = id.replaceAll("-", "").toUpperCase();
  return /^[0-9A-F]{32}$/.test(digits) ? `${digits}0` : "";
}

/** The UUID in a library's identifier, or its build ID. */
function uuidOf(lib: JsonRecord): string | null {
  const id = textOf(lib.breakpadId);
  const code = textOf(lib.codeId);
  if (code !== null && buildId.test(code) && breakpadId(code) === id) return code;
  const parts = id === null
    ? null
    : /^([0-9A-Fa-f]{8})([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})([0-9A-Fa-f]{12})/.exec(id);
  return parts === null ? code : parts.slice(1).join("-").toUpperCase();
}

/** Writes a profile as JSON, in pieces. */
export function* writeFirefox(profile: Profile): Generator<string> {
  const { images, functions, frames, stacks } = profile;
  const strings: RawText[] = [...profile.strings];
  const known = new Map(strings.map((text, index) => [text, index]));
  const intern = (text: RawText): number => {
    let index = known.get(text);
    if (index === undefined) known.set(text, index = strings.push(text) - 1);
    return index;
  };

  const sources = new Map<number, number>();
  const funcSource = Array.from(functions.file, (file) => {
    if (file < 0) return null;
    if (!sources.has(file)) sources.set(file, sources.size);
    return sources.get(file)!;
  });
  const nativeSymbols = {
    libIndex: [] as number[],
    address: [] as number[],
    name: [] as number[],
    functionSize: [] as null[],
    length: 0,
  };
  const symbolOfFunction = new Map<number, number>();
  const symbolAt = new Map<bigint, number>();
  for (let frame = 0; frame < frames.length; frame++) {
    const of = frames.function[frame];
    const image = functions.image[of];
    const isNative = frames.inlineDepth[frame] === 0 && image >= 0 && functions.name[of] >= 0 &&
      functions.address[of] > 0n && frames.address[frame] > 0n;
    if (!isNative) continue;
    let symbol = symbolOfFunction.get(of);
    if (symbol === undefined) {
      symbolOfFunction.set(of, symbol = nativeSymbols.length++);
      nativeSymbols.libIndex.push(image);
      nativeSymbols.address.push(Number(functions.address[of] - images[image].address));
      nativeSymbols.name.push(functions.name[of]);
      nativeSymbols.functionSize.push(null);
    }
    symbolAt.set(frames.address[frame], symbol);
  }
  const relative = (frame: number): number => {
    const address = frames.address[frame];
    const image = functions.image[frames.function[frame]];
    if (address === 0n) return -1;
    return Number(image < 0 ? address : BigInt.asIntN(64, address - images[image].address));
  };
  const nulls = (length: number): null[] => new Array<null>(length).fill(null);
  const zeros = (length: number): Uint8Array => new Uint8Array(length);
  const names = Array.from(functions.name, (name, of) => {
    if (name >= 0) return name;
    const image = functions.image[of];
    const address = functions.address[of] - (image < 0 ? 0n : images[image].address);
    return intern(hex(BigInt.asUintN(64, address)));
  });
  const positive = (column: Int32Array): (number | null)[] =>
    Array.from(column, (value) => value > 0 ? value : null);
  const shared = {
    stackTable: {
      frame: stacks.frame,
      prefixOffset: stacks.prefix.map((prefix, stack) => prefix < 0 ? 0 : stack - prefix),
      length: stacks.length,
    },
    frameTable: {
      address: Array.from({ length: frames.length }, (_, frame) => relative(frame)),
      inlineDepth: frames.inlineDepth,
      category: zeros(frames.length),
      subcategory: zeros(frames.length),
      func: frames.function,
      nativeSymbol: Array.from(frames.address, (address) => symbolAt.get(address) ?? null),
      innerWindowID: zeros(frames.length),
      line: positive(frames.line),
      column: positive(frames.column),
      originalLocation: nulls(frames.length),
      length: frames.length,
    },
    funcTable: {
      name: names,
      isJS: new Array<boolean>(functions.length).fill(false),
      relevantForJS: new Array<boolean>(functions.length).fill(false),
      resource: functions.image,
      source: funcSource,
      lineNumber: positive(functions.line),
      columnNumber: nulls(functions.length),
      originalLocation: nulls(functions.length),
      length: functions.length,
    },
    // A resource of type 1 is a library. There is one for each, in the same order.
    resourceTable: {
      lib: images.map((_, index) => index),
      name: images.map(({ name }) => intern(name)),
      host: nulls(images.length),
      type: images.map(() => 1),
      length: images.length,
    },
    nativeSymbols,
    sources: {
      id: nulls(sources.size),
      filename: [...sources.keys()],
      startLine: [...sources.keys()].map(() => 1),
      startColumn: [...sources.keys()].map(() => 1),
      sourceMapURL: nulls(sources.size),
      content: nulls(sources.size),
      length: sources.size,
    },
    sourceLocationTable: { source: [], line: [], column: [], length: 0 },
    stringArray: strings,
  };
  const isNameless = functions.name.some((name, of) => name < 0 && functions.image[of] >= 0);
  const unit = profile.unit === "bytes"
    ? "bytes"
    : profile.unit === "samples"
    ? "samples"
    : "tracing-ms";
  yield "{";
  yield '"meta":';
  yield* jsonPieces({
    // Zero would make the Profiler divide by it.
    interval: profile.interval > 0 ? profile.interval : 1,
    startTime: profile.startTime ?? 0,
    processType: 0,
    product: profile.product ?? profile.processes[0].name ?? "machpause",
    categories: [{ name: "Other", color: "grey", subcategories: ["Other"] }],
    stackwalk: 1,
    debug: false,
    version: GECKO_VERSION,
    preprocessedProfileVersion: VERSION,
    markerSchema: [],
    sampleUnits: { time: "ms", eventDelay: "ms", threadCPUDelta: "µs" },
    ...profile.os === null ? {} : { oscpu: profile.os },
    ...profile.arch === null ? {} : { abi: profile.arch },
    importedFrom: "machpause",
    symbolicated: !isNameless,
    usesOnlyOneStackType: true,
    sourceCodeIsNotOnSearchfox: true,
    ...profile.lost === 0 ? {} : {
      extra: [{
        label: "Recording",
        entries: [{ label: "Samples lost", format: "integer", value: profile.lost }],
      }],
    },
    machpause: {
      unit: profile.unit,
      interval: profile.interval,
      startTime: profile.startTime,
      aggregated: profile.aggregated,
      lost: profile.lost,
      product: profile.product,
    },
  });
  yield ',"libs":';
  yield* jsonPieces(images.map(({ name, path, uuid, arch, address, size }) => ({
    arch: arch ?? profile.arch ?? "",
    name,
    path: path ?? name,
    debugName: name,
    debugPath: path ?? name,
    breakpadId: breakpadId(uuid),
    codeId: uuid !== null && (buildId.test(uuid) || breakpadId(uuid) === "") ? uuid : null,
    machpause: { address: hex(address), size: hex(size), path, arch },
  })));
  yield ',"pages":[],"counters":[],"shared":';
  yield* jsonPieces(shared);
  yield ',"threads":[';
  for (const [index, thread] of profile.threads.entries()) {
    if (index > 0) yield ",";
    yield* writeThread(profile, thread, index, unit);
  }
  yield "]}";
}

function writeThread(
  profile: Profile,
  thread: ProfileThread,
  index: number,
  weightType: string,
): Generator<string> {
  const { samples, id, queue, isMain, process } = thread;
  const { name, pid } = profile.processes[process];
  // What the Profiler calls "tracing-ms" are milliseconds.
  const scale = (nanosecondsIn(profile.unit) ?? 1e6) / 1e6;
  const hasState = samples.state.some((state) => state !== SampleState.unknown);
  const hasCPU = samples.cpu.some((cpu) => !Number.isNaN(cpu));
  // A thread that waits used no CPU time; the Profiler draws its activity from that.
  const used = Array.from(
    samples.cpu,
    (cpu, row) =>
      !Number.isNaN(cpu)
        ? cpu
        : samples.state[row] === SampleState.unknown
        ? null
        : samples.state[row] === SampleState.offCPU
        ? 0
        : (profile.interval > 0 ? profile.interval : 1) * 1000,
  );
  return jsonPieces({
    processType: "default",
    processStartupTime: 0,
    processShutdownTime: null,
    registerTime: 0,
    unregisterTime: null,
    pausedRanges: [],
    name: threadTitle(thread),
    isMainThread: isMain,
    processName: name ?? undefined,
    pid: `${pid ?? process}`,
    tid: id === null
      ? `${pid ?? process}-${index}`
      : id <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(id)
      : `${id}`,
    samples: {
      stack: Array.from(samples.stack, (stack) => stack < 0 ? null : stack),
      time: samples.time,
      weight: scale === 1 ? samples.weight : samples.weight.map((weight) => weight * scale),
      weightType,
      ...hasCPU || hasState ? { threadCPUDelta: used } : {},
      length: samples.length,
    },
    markers: {
      data: [],
      name: [],
      startTime: [],
      endTime: [],
      phase: [],
      category: [],
      length: 0,
    },
    machpause: {
      name: thread.name,
      id: id === null ? null : `${id}`,
      queue,
      process: name,
      pid,
      ...hasState ? { state: samples.state } : {},
      ...hasCPU ? { cpu: samples.cpu } : {},
    },
  });
}

/** Whether a document is a processed profile. */
export function isFirefox(root: JsonRecord): boolean {
  return isRecord(root.meta) && typeof root.meta.preprocessedProfileVersion === "number" &&
    Array.isArray(root.threads);
}

/** The tables that are shared by all threads, or a thread's own. */
interface Tables {
  readonly strings: readonly unknown[];
  readonly stack: JsonRecord;
  readonly frame: JsonRecord;
  readonly func: JsonRecord;
  readonly resource: JsonRecord;
  readonly symbols: JsonRecord;
  readonly sources: JsonRecord;
}

const noTable: JsonRecord = {};

/** Bits of `frameTable.flags`. */
const frameFlag = { inlined: 1, native: 2, symbol: 8, line: 16, column: 32 } as const;
/** Bits of `funcTable.flags`. */
const funcFlag = { resource: 4, source: 8, line: 16 } as const;

/** Whether a row of a table with flags has something; every row of a table without them. */
function flagged(flags: readonly unknown[], row: number, bit: number): boolean {
  return flags.length === 0 || ((flags[row] as number) & bit) !== 0;
}

/** Reads a document.
 *
 * @throws FormatError when it is damaged
 */
export function readFirefox(file: JsonFile): Profile {
  const { root } = file;
  const meta = file.record(root.meta, "meta");
  const threads = file.array(root.threads, "threads");
  const own = isRecord(meta.machpause) ? meta.machpause : null;
  const first = threads.find((thread) =>
    isRecord(thread) && isRecord(thread.samples) && typeof thread.samples.weightType === "string"
  ) as { samples: { weightType: string } } | undefined;
  const type = first?.samples.weightType;
  const nanoseconds = own?.unit === "nanoseconds" || own?.unit === "microseconds"
    ? nanosecondsIn(own.unit)
    : null;
  const builder = new ProfileBuilder({
    product: own === null ? textOf(meta.product) : textOf(own.product),
    arch: textOf(meta.abi),
    os: textOf(meta.oscpu),
    startTime: own?.startTime === null ? null : numberOf(meta.startTime, 0),
    interval: Math.max(0, numberOf((own ?? meta).interval, 0)),
    unit: type === "bytes"
      ? "bytes"
      : type !== "tracing-ms"
      ? "samples"
      : nanoseconds !== null
      ? own!.unit as "nanoseconds" | "microseconds"
      : "milliseconds",
    aggregated: own?.aggregated === true,
    lost: Math.max(0, Math.floor(numberOf(own?.lost, 0))),
  });
  const scale = type === "tracing-ms" && nanoseconds !== null ? 1e6 / nanoseconds : 1;
  const units = isRecord(meta.sampleUnits) ? meta.sampleUnits.threadCPUDelta : null;
  const cpuScale = units === "ns" ? 1e-3 : units === "µs" ? 1 : NaN;
  const libs = (Array.isArray(root.libs) ? root.libs : []).map((lib) => {
    const { name, path, debugName, arch, machpause } = file.record(lib, "libs[]");
    const extra = isRecord(machpause) ? machpause : null;
    return {
      name: textOf(name) ?? textOf(debugName) ?? "???",
      path: extra === null ? textOf(path) : textOf(extra.path),
      uuid: uuidOf(lib as JsonRecord),
      arch: extra === null ? textOf(arch) : textOf(extra.arch),
      address: integerOf(extra?.address) ?? 0n,
      size: integerOf(extra?.size) ?? 0n,
    };
  });
  const images = libs.map((lib) => builder.image(lib));
  const bases = libs.map(({ address }) => address);
  const shared = isRecord(root.shared) ? root.shared : noTable;
  const processes = new Map<string, number>();
  let sharedStacks: Int32Array | undefined;
  for (const [index, value] of threads.entries()) {
    const thread = file.record(value, `threads[${index}]`);
    const extra = isRecord(thread.machpause) ? thread.machpause : null;
    const pid = extra === null
      ? Number(textOf(thread.pid) ?? thread.pid)
      : Number(extra.pid ?? NaN);
    const name = textOf(extra === null ? thread.processName : extra.process);
    const processKey = `${pid}\0${name}`;
    let process = processes.get(processKey);
    if (process === undefined) {
      process = builder.process({
        name,
        pid: Number.isSafeInteger(pid) && pid >= 0 ? pid : null,
      });
      processes.set(processKey, process);
    }
    const table = (key: string): JsonRecord =>
      isRecord(shared[key])
        ? shared[key]
        : isRecord(thread[key])
        ? thread[key] as JsonRecord
        : noTable;
    const isShared = isRecord(shared.stackTable);
    const stacks = isShared && sharedStacks !== undefined ? sharedStacks : readStacks(
      file,
      builder,
      {
        strings: file.array(shared.stringArray ?? thread.stringArray, "stringArray"),
        stack: table("stackTable"),
        frame: table("frameTable"),
        func: table("funcTable"),
        resource: table("resourceTable"),
        symbols: table("nativeSymbols"),
        sources: table("sources"),
      },
      images,
      bases,
    );
    if (isShared) sharedStacks = stacks;
    const row = builder.thread({
      process,
      id: extra === null ? integerOf(thread.tid) : integerOf(extra.id),
      name: textOf((extra ?? thread).name),
      queue: textOf(extra?.queue),
      isMain: thread.isMainThread === true || thread.name === "GeckoMain",
    });
    readSamples(file, builder, row, thread, extra, stacks, { scale, cpuScale });
  }
  return builder.finish();
}

/** Reads a table of stacks with what it refers to, as the builder's indexes. */
function readStacks(
  file: JsonFile,
  builder: ProfileBuilder,
  tables: Tables,
  images: readonly number[],
  bases: readonly bigint[],
): Int32Array {
  const { strings, frame, func, resource, symbols } = tables;
  const optional = (table: JsonRecord, column: string): readonly unknown[] =>
    Array.isArray(table[column]) ? table[column] : [];
  const textAt = (index: unknown): string | null =>
    typeof index === "number" ? textOf(strings[index]) : null;
  const names = file.array(func.name, "funcTable.name");
  const fileNames = optional(func, "fileName");
  const funcSources = optional(func, "source");
  const filenames = optional(tables.sources, "filename");
  const funcLines = optional(func, "lineNumber");
  const resources = optional(func, "resource");
  const resourceLibs = optional(resource, "lib");
  const frameLibs = optional(frame, "lib");
  const funcs = file.array(frame.func, "frameTable.func");
  const addresses = optional(frame, "address");
  const lines = optional(frame, "line");
  const columns = optional(frame, "column");
  const depths = optional(frame, "inlineDepth");
  const natives = optional(frame, "nativeSymbol");
  const starts = optional(symbols, "address");
  const startLibs = optional(symbols, "libIndex");
  const frameFlags = optional(frame, "flags");
  const funcFlags = optional(func, "flags");
  const depthOf = frameFlags.length > 0
    ? inlineDepths(tables.stack, frameFlags)
    : (row: number): number => lineOf(depths[row]);
  const frames = Int32Array.from(funcs, (value, index) => {
    const has = (bit: number): boolean => flagged(frameFlags, index, bit);
    const of = file.index(value, names.length, `frameTable.func[${index}]`);
    const lib = has(frameFlag.native)
      ? frameLibs[index] ??
        (flagged(funcFlags, of, funcFlag.resource) ? resourceLibs[resources[of] as number] : null)
      : null;
    const image = typeof lib === "number" && lib >= 0 ? images[lib] ?? -1 : -1;
    const base = image < 0 ? 0n : bases[lib as number];
    const offset = has(frameFlag.native) ? numberOf(addresses[index], -1) : -1;
    const address = Number.isSafeInteger(offset) && offset >= 0
      ? BigInt.asUintN(64, base + BigInt(offset))
      : 0n;
    const inlineDepth = depthOf(index);
    const native = has(frameFlag.symbol) ? natives[index] : null;
    const start = typeof native === "number" && inlineDepth === 0 && startLibs[native] === lib
      ? integerOf(starts[native])
      : null;
    const name = textAt(names[of]);
    const isNameless = name === null || isAddress(name) && address > 0n;
    const source = flagged(funcFlags, of, funcFlag.source) ? funcSources[of] : null;
    const made = builder.function(isNameless ? null : name, {
      image,
      file: textAt(fileNames[of]) ??
        (typeof source === "number" ? textAt(filenames[source]) : null),
      line: flagged(funcFlags, of, funcFlag.line) ? lineOf(funcLines[of]) : 0,
      address: start !== null ? BigInt.asUintN(64, base + start) : isNameless ? address : 0n,
    });
    return builder.frame(made, {
      address,
      line: has(frameFlag.line) ? lineOf(lines[index]) : 0,
      column: has(frameFlag.column) ? lineOf(columns[index]) : 0,
      inlineDepth,
    });
  });
  const stackFrames = file.array(tables.stack.frame, "stackTable.frame");
  const prefixes = optional(tables.stack, "prefix");
  const offsets = optional(tables.stack, "prefixOffset");
  const stacks = new Int32Array(stackFrames.length);
  const depth = new Int32Array(stackFrames.length);
  for (let stack = 0; stack < stackFrames.length; stack++) {
    const offset = offsets[stack];
    const prefix = typeof offset === "number"
      ? offset === 0 ? null : stack - offset
      : prefixes[stack];
    const at = file.index(stackFrames[stack], frames.length, `stackTable.frame[${stack}]`);
    if (prefix === null || prefix === undefined) {
      stacks[stack] = builder.stack(-1, frames[at]);
      depth[stack] = 1;
      continue;
    }
    const above = file.index(prefix, stack, `the prefix of stack ${stack}`);
    const isKept = depth[above] < MAX_DEPTH;
    depth[stack] = depth[above] + (isKept ? 1 : 0);
    stacks[stack] = isKept ? builder.stack(stacks[above], frames[at]) : stacks[above];
  }
  return stacks;
}

/** How deep each frame is inlined, where frames only say that they are: their place in a stack tells. */
function inlineDepths(stack: JsonRecord, flags: readonly unknown[]): (frame: number) => number {
  const frames = Array.isArray(stack.frame) ? stack.frame : [];
  const offsets = Array.isArray(stack.prefixOffset) ? stack.prefixOffset : [];
  const depths = new Map<number, number>();
  for (const [index, frame] of frames.entries()) {
    if (((flags[frame] as number) & frameFlag.inlined) === 0 || depths.has(frame)) continue;
    depths.set(frame, (depths.get(frames[index - offsets[index]]) ?? 0) + 1);
  }
  return (frame) => depths.get(frame) ?? 0;
}

function readSamples(
  file: JsonFile,
  builder: ProfileBuilder,
  row: number,
  thread: JsonRecord,
  extra: JsonRecord | null,
  stacks: Int32Array,
  { scale, cpuScale }: { readonly scale: number; readonly cpuScale: number },
): void {
  const samples = file.record(thread.samples, "samples");
  const list = file.array(samples.stack, "samples.stack");
  const times = Array.isArray(samples.time) ? samples.time : null;
  const deltas = Array.isArray(samples.timeDeltas) ? samples.timeDeltas : null;
  const weights = Array.isArray(samples.weight) ? samples.weight : null;
  const used = Array.isArray(samples.threadCPUDelta) ? samples.threadCPUDelta : [];
  const states = Array.isArray(extra?.state) ? extra.state : null;
  const cpus = Array.isArray(extra?.cpu) ? extra.cpu : null;
  let time = 0;
  for (let index = 0; index < list.length; index++) {
    time = times !== null ? numberOf(times[index], time) : time + numberOf(deltas?.[index], 0);
    const stack = list[index];
    const delta = used[index];
    const cpu = typeof delta === "number" ? delta * cpuScale : NaN;
    const state = states !== null
      ? states[index]
      : typeof delta !== "number"
      ? SampleState.unknown
      : delta > 0
      ? SampleState.onCPU
      : SampleState.offCPU;
    builder.sample(
      row,
      stack === null || stack === undefined
        ? -1
        : stacks[file.index(stack, stacks.length, `samples.stack[${index}]`)],
      time,
      {
        weight: weights === null ? 1 : numberOf(weights[index], 0) * scale,
        cpu: extra === null ? cpu : numberOf(cpus?.[index], NaN),
        state: state === SampleState.onCPU || state === SampleState.offCPU
          ? state
          : SampleState.unknown,
      },
    );
  }
}
