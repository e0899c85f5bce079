/** pprof's profiles: `proto/profile.proto` of google/pprof.
 *
 * A sample is a stack with its weight and its labels: `thread`, `thread_id`, `queue`, `main_thread`,
 * `state`, `process` and `pid`. Inlined calls are lines of one location. Samples of one stack, thread and
 * state are added up, so there are no times in it. Weights of time are nanoseconds. */

import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { ProfileBuilder } from "./builder.ts";
import { lineOf } from "./json.ts";
import { type Profile, SampleState } from "./model.ts";
import { ProtoReader, ProtoWriter } from "./protobuf.ts";
import { checkExpanded, MAX_DEPTH, nanosecondsIn, unitOf, wholeNumber } from "./titles.ts";

/** Field numbers of `Profile`. */
const field = {
  sampleType: 1,
  sample: 2,
  mapping: 3,
  location: 4,
  function: 5,
  stringTable: 6,
  timeNanos: 9,
  durationNanos: 10,
  periodType: 11,
  period: 12,
  comment: 13,
  defaultSampleType: 14,
} as const;

/** What the main thread is called when it has no name. */
const MAIN_THREAD = "main thread";

const stateNames = new Map<number, string>([
  [SampleState.onCPU, "on-CPU"],
  [SampleState.offCPU, "off-CPU"],
]);

/** Writes a profile.
 *
 * @throws RangeError when it would be too large
 */
export function writePprof(profile: Profile): Uint8Array {
  checkExpanded(profile, "pprof");
  const { images, functions, frames, stacks } = profile;
  const out = new ProtoWriter();
  const part = new ProtoWriter();
  const inner = new ProtoWriter();
  const strings: RawText[] = [""];
  const known = new Map<string, number>([["", 0]]);
  const string = (text: RawText): number => {
    let index = known.get(text);
    if (index === undefined) known.set(text, index = strings.push(text) - 1);
    return index;
  };
  const message = (number: number, write: (to: ProtoWriter) => void): void => {
    part.reset();
    write(part);
    out.field(number, part.bytes);
  };
  const nested = (to: ProtoWriter, number: number, write: (to: ProtoWriter) => void): void => {
    inner.reset();
    write(inner);
    to.field(number, inner.bytes);
  };
  const valueType = (type: RawText, unit: RawText) => (to: ProtoWriter): void => {
    to.integer(1, string(type));
    to.integer(2, string(unit));
  };

  const nanoseconds = nanosecondsIn(profile.unit);
  const [type, unit] = nanoseconds !== null
    ? ["time", "nanoseconds"]
    : profile.unit === "bytes"
    ? ["space", "bytes"]
    : ["samples", "count"];
  const hasCPU = profile.threads.some(({ samples }) => samples.cpu.some((cpu) => cpu >= 0));
  message(field.sampleType, valueType(type, unit));
  if (hasCPU) message(field.sampleType, valueType("cpu", "nanoseconds"));

  /** The frames of a location, innermost first, by its identifier. */
  const locations: number[][] = [];
  const locationOf = new Map<string, number>();
  /** For each stack whose innermost frame begins a location: the location, and the stack of its caller. */
  const heads = new Map<number, { readonly id: number; readonly caller: number }>();
  const headOf = (stack: number): { readonly id: number; readonly caller: number } => {
    let head = heads.get(stack);
    if (head !== undefined) return head;
    const group = [stacks.frame[stack]];
    let at = stacks.prefix[stack];
    // Calls inlined at one address, up to the function that has the activation.
    for (; at >= 0; at = stacks.prefix[at]) {
      const [last, next] = [group[group.length - 1], stacks.frame[at]];
      const isSame = frames.inlineDepth[last] > 0 &&
        frames.inlineDepth[next] === frames.inlineDepth[last] - 1 &&
        frames.address[next] === frames.address[last];
      if (!isSame) break;
      group.push(next);
    }
    const key = group.join();
    let id = locationOf.get(key);
    if (id === undefined) locationOf.set(key, id = locations.push(group));
    heads.set(stack, head = { id, caller: at });
    return head;
  };

  let end = 0;
  const scale = nanoseconds ?? 1;
  for (const thread of profile.threads) {
    const { samples, name, id, queue, isMain } = thread;
    const process = profile.processes[thread.process];
    const sums = new Map<number, { weight: number; cpu: number }>();
    for (let row = 0; row < samples.length; row++) {
      const key = (samples.stack[row] + 1) * 4 + samples.state[row];
      let sum = sums.get(key);
      if (sum === undefined) sums.set(key, sum = { weight: 0, cpu: 0 });
      sum.weight += samples.weight[row];
      sum.cpu += samples.cpu[row] || 0;
      end = Math.max(end, samples.time[row] + profile.interval);
    }
    for (const [key, { weight, cpu }] of sums) {
      const ids: number[] = [];
      for (let at = Math.floor(key / 4) - 1; at >= 0;) {
        const head = headOf(at);
        ids.push(head.id);
        at = head.caller;
      }
      const state = stateNames.get(key % 4);
      message(field.sample, (to) => {
        to.packed(1, ids);
        const value = wholeNumber(weight * scale);
        to.packed(2, hasCPU ? [value, wholeNumber(cpu * 1000)] : [value]);
        const label = (key: RawText, text: RawText | null | undefined): void => {
          if (text === null || text === undefined) return;
          nested(to, 3, (to) => {
            to.integer(1, string(key));
            to.integer(2, string(text));
          });
        };
        const numeric = (key: RawText, value: number | bigint | null): void => {
          if (value === null) return;
          nested(to, 3, (to) => {
            to.integer(1, string(key));
            to.integer(3, value);
          });
        };
        label("thread", name ?? (isMain ? MAIN_THREAD : null));
        numeric("thread_id", id);
        label("queue", queue);
        if (isMain) numeric("main_thread", 1);
        label("state", state);
        label("process", process.name);
        numeric("pid", process.pid);
      });
    }
  }

  const nameless = new Set<number>();
  for (let of = 0; of < functions.length; of++) {
    if (functions.name[of] < 0) nameless.add(functions.image[of]);
  }
  // pprof takes the first mapping for the program.
  const program = images.findIndex(({ name }) => name === profile.processes[0].name);
  const order = images.map((_, index) => index).sort((one, other) =>
    Number(other === program) - Number(one === program)
  );
  for (const index of order) {
    const { name, path, uuid, address, size } = images[index];
    message(field.mapping, (to) => {
      to.integer(1, index + 1);
      to.integer(2, address);
      to.integer(3, size > 0n ? BigInt.asUintN(64, address + size) : 0n);
      to.integer(5, string(path ?? name));
      if (uuid !== null) to.integer(6, string(uuid));
      // Without these, pprof looks for the files and reads them.
      const isNamed = nameless.has(index) ? 0 : 1;
      for (const number of [7, 8, 9, 10]) to.integer(number, isNamed);
    });
  }
  const used = new Set<number>();
  for (const [index, group] of locations.entries()) {
    message(field.location, (to) => {
      const outermost = group[group.length - 1];
      to.integer(1, index + 1);
      to.integer(2, functions.image[frames.function[outermost]] + 1);
      to.integer(3, frames.address[outermost]);
      for (const frame of group) {
        const of = frames.function[frame];
        // A location without lines is one without symbols.
        if (functions.name[of] < 0) continue;
        used.add(of);
        nested(to, 4, (to) => {
          to.integer(1, of + 1);
          to.integer(2, frames.line[frame]);
          to.integer(3, frames.column[frame]);
        });
      }
    });
  }
  for (const of of used) {
    message(field.function, (to) => {
      const name = string(profile.strings[functions.name[of]]);
      to.integer(1, of + 1);
      to.integer(2, name);
      to.integer(3, name);
      if (functions.file[of] >= 0) to.integer(4, string(profile.strings[functions.file[of]]));
      to.integer(5, functions.line[of]);
    });
  }
  // A floating-point number of nanoseconds since 1970 is not exact.
  out.integer(field.timeNanos, wholeNumber(profile.startTime ?? 0) * 1_000_000n);
  out.integer(field.durationNanos, wholeNumber(end * 1e6));
  if (profile.interval > 0) {
    message(field.periodType, valueType("cpu", "nanoseconds"));
    out.integer(field.period, wholeNumber(profile.interval * 1e6));
  }
  const comments = [
    ...profile.product === null ? [] : [`product: ${profile.product}`],
    ...profile.os === null ? [] : [`os: ${profile.os}`],
    ...profile.arch === null ? [] : [`arch: ${profile.arch}`],
    ...profile.lost === 0 ? [] : [`samples lost: ${profile.lost}`],
  ];
  for (const comment of comments) out.integer(field.comment, string(comment));
  out.integer(field.defaultSampleType, string(type));
  const encoder = new TextEncoder();
  for (const text of strings) out.field(field.stringTable, encoder.encode(text));
  return out.bytes;
}

/** More calls are not inlined at one address. */
const MAX_LINES = 256;

/** A line of a location. */
interface Line {
  readonly of: number | bigint;
  readonly line: number;
  readonly column: number;
}

/** What the labels of a sample say. */
interface Labels {
  thread: string | null;
  id: bigint | null;
  queue: string | null;
  process: string | null;
  pid: number | null;
  isMain: boolean;
  state: SampleState;
}

/** The messages of a profile, by their places: texts come last in it. */
class PprofFile {
  readonly samples: ProtoReader[] = [];
  readonly mappings: ProtoReader[] = [];
  readonly locations: ProtoReader[] = [];
  readonly functions: ProtoReader[] = [];
  readonly sampleTypes: ProtoReader[] = [];
  readonly strings: string[] = [];
  readonly comments: number[] = [];
  timeNanos = 0;
  period = 0;
  periodType: ProtoReader | null = null;
  defaultSampleType = 0;

  constructor(name: string, bytes: Uint8Array) {
    const reader = new ProtoReader(name, bytes);
    const lists = new Map([
      [field.sampleType, this.sampleTypes],
      [field.sample, this.samples],
      [field.mapping, this.mappings],
      [field.location, this.locations],
      [field.function, this.functions],
    ] as [number, ProtoReader[]][]);
    while (reader.next()) {
      const list = lists.get(reader.field);
      if (list !== undefined) list.push(reader.message());
      else if (reader.field === field.stringTable) this.strings.push(reader.text());
      else if (reader.field === field.timeNanos) this.timeNanos = integer(reader);
      else if (reader.field === field.period) this.period = integer(reader);
      else if (reader.field === field.periodType) this.periodType = reader.message();
      else if (reader.field === field.defaultSampleType) this.defaultSampleType = integer(reader);
      else if (reader.field === field.comment) {
        for (const index of reader.repeated((inside) => inside.unsigned())) {
          this.comments.push(Number(index));
        }
      } else reader.skip();
    }
  }

  /** A text of the table; `null` for the empty one and for an index outside. */
  text(index: number): string | null {
    return this.strings[index] || null;
  }

  /** The type and the unit of a value. */
  valueType(reader: ProtoReader): { readonly type: string | null; readonly unit: string | null } {
    let [type, unit] = [0, 0];
    while (reader.next()) {
      if (reader.field === 1) type = integer(reader);
      else if (reader.field === 2) unit = integer(reader);
      else reader.skip();
    }
    return { type: this.text(type), unit: this.text(unit) };
  }
}

/** An integer field's value. */
function integer(reader: ProtoReader): number {
  if (reader.type !== 0) throw reader.error("an integer");
  return reader.signed();
}

function integer64(reader: ProtoReader): bigint {
  if (reader.type !== 0) throw reader.error("an integer");
  return reader.unsigned64();
}

/** Fields in which a profile is recognized: Go's writer begins with the time. */
const PROBED = 16;

/** Whether bytes look like a profile that is not compressed, or like the beginning of one: fields of a
 * profile, with the type of a value among them. */
export function isPprof(bytes: Uint8Array): boolean {
  const reader = new ProtoReader("", bytes);
  let hasType = false;
  try {
    for (let count = 0; count < PROBED && !hasType && reader.next(); count++) {
      const { field: number, type } = reader;
      const isInteger = number >= 7 && number !== field.periodType;
      if (number > field.defaultSampleType || type !== (isInteger ? 0 : 2)) return false;
      if (number !== field.sampleType) {
        reader.skip();
        continue;
      }
      const inside = reader.message();
      while (inside.next()) {
        if (inside.field > 2 || inside.type !== 0) return false;
        inside.skip();
        hasType = true;
      }
    }
  } catch {
    return false;
  }
  return hasType;
}

/** Reads a profile that is not compressed.
 *
 * @throws FormatError when it is damaged
 */
export function readPprof(name: string, bytes: Uint8Array): Profile {
  const file = new PprofFile(name, bytes);
  const types = file.sampleTypes.map((reader) => file.valueType(reader));
  if (types.length === 0) throw new FormatError(name, 0, "a profile of pprof, with a sample type");
  // pprof's own choice: what is named, else the last.
  const wanted = file.text(file.defaultSampleType);
  const named = wanted === null ? -1 : types.findIndex(({ type }) => type === wanted);
  const chosen = named >= 0 ? named : types.length - 1;
  const cpu = types.findIndex(({ type, unit }) => type === "cpu" && unit === "nanoseconds");
  const { unit, scale } = unitOf(types[chosen].unit ?? "count");
  const comment = new Map(
    file.comments.map((index) => /^([a-z ]+): (.*)$/.exec(file.text(index) ?? ""))
      .filter((match) => match !== null).map((match) => [match[1], match[2]]),
  );
  const period = file.periodType === null ? null : file.valueType(file.periodType).unit;
  const builder = new ProfileBuilder({
    unit,
    aggregated: true,
    startTime: file.timeNanos > 0 ? Math.round(file.timeNanos / 1e3) / 1e3 : null,
    interval: period === "nanoseconds" && file.period > 0 ? file.period / 1e6 : 0,
    product: comment.get("product") ?? null,
    os: comment.get("os") ?? null,
    arch: comment.get("arch") ?? null,
    lost: lineOf(comment.get("samples lost")),
  });
  const stackOf = new LocationReader(file, builder);
  const processes = new Map<string, number>();
  const threads = new Map<string, { readonly thread: number; time: number }>();
  for (const reader of file.samples) {
    const ids: (number | bigint)[] = [];
    const values: number[] = [];
    const labels: Labels = {
      thread: null,
      id: null,
      queue: null,
      process: null,
      pid: null,
      isMain: false,
      state: SampleState.unknown,
    };
    while (reader.next()) {
      if (reader.field === 1) {
        for (const id of reader.repeated(readKey)) ids.push(id);
      } else if (reader.field === 2) {
        for (const value of reader.repeated((inside) => inside.signed())) {
          values.push(Number(value));
        }
      } else if (reader.field === 3) readLabel(file, reader.message(), labels);
      else reader.skip();
    }
    if (values.length < types.length) throw reader.error(`${types.length} values in a sample`);
    const processKey = `${labels.pid}\0${labels.process}`;
    let process = processes.get(processKey);
    if (process === undefined) {
      process = builder.process({ name: labels.process, pid: labels.pid });
      processes.set(processKey, process);
    }
    const key = `${process}\0${labels.id}\0${labels.queue}\0${labels.isMain}\0${labels.thread}`;
    let known = threads.get(key);
    if (known === undefined) {
      const { id, queue, isMain } = labels;
      const name = isMain && labels.thread === MAIN_THREAD ? null : labels.thread;
      known = { time: 0, thread: builder.thread({ process, id, name, queue, isMain }) };
      threads.set(key, known);
    }
    const weight = values[chosen] * scale;
    builder.sample(known.thread, stackOf.stack(ids), known.time, {
      weight,
      state: labels.state,
      ...cpu >= 0 && cpu !== chosen ? { cpu: values[cpu] / 1000 } : {},
    });
    const nanoseconds = nanosecondsIn(unit);
    known.time += Math.abs(weight) *
      (nanoseconds === null ? builder.info.interval || 1 : nanoseconds / 1e6);
  }
  return builder.finish();
}

/** An identifier: a number where that is exact. */
function readKey(reader: ProtoReader): number | bigint {
  const value = reader.unsigned64();
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** Adds what a label says. Threads are labelled differently by different writers. */
function readLabel(file: PprofFile, reader: ProtoReader, labels: Labels): void {
  let [key, text, number] = [0, 0, 0n];
  while (reader.next()) {
    if (reader.field === 1) key = integer(reader);
    else if (reader.field === 2) text = integer(reader);
    else if (reader.field === 3) number = integer64(reader);
    else reader.skip();
  }
  const value = file.text(text);
  switch (file.text(key)) {
    case "thread":
    case "thread_name":
    case "thread name":
    case "threadName":
      labels.thread = value;
      break;
    case "thread_id":
    case "thread id":
    case "threadId":
    case "tid":
      labels.id = value !== null && /^\d{1,20}$/.test(value)
        ? BigInt.asUintN(64, BigInt(value))
        : number;
      break;
    case "queue":
      labels.queue = value;
      break;
    case "main_thread":
      labels.isMain = number === 1n;
      break;
    case "state":
      for (const [state, name] of stateNames) {
        if (name === value) labels.state = state as SampleState;
      }
      break;
    case "process":
    case "process_name":
      labels.process = value;
      break;
    case "pid":
    case "process_id":
      labels.pid = number < 1n << 31n ? Number(number) : null;
      break;
  }
}

/** Locations as the builder's frames. */
class LocationReader {
  readonly #file: PprofFile;
  readonly #builder: ProfileBuilder;
  readonly #mappings = new Map<number | bigint, number>();
  readonly #functions = new Map<
    number | bigint,
    { name: string; file: string | null; line: number }
  >();
  /** The frames of a location, outermost first. */
  readonly #locations = new Map<number | bigint, readonly number[]>();

  constructor(file: PprofFile, builder: ProfileBuilder) {
    this.#file = file;
    this.#builder = builder;
    for (const reader of file.mappings) this.#mapping(reader);
    for (const reader of file.functions) this.#function(reader);
    for (const reader of file.locations) this.#location(reader);
  }

  #mapping(reader: ProtoReader): void {
    let id: number | bigint = 0;
    let [start, limit] = [0n, 0n];
    let [filename, buildId] = [0, 0];
    while (reader.next()) {
      if (reader.field === 1) id = readKey(reader);
      else if (reader.field === 2) start = integer64(reader);
      else if (reader.field === 3) limit = integer64(reader);
      else if (reader.field === 5) filename = integer(reader);
      else if (reader.field === 6) buildId = integer(reader);
      else reader.skip();
    }
    const path = this.#file.text(filename);
    const name = path === null ? "???" : path.slice(path.lastIndexOf("/") + 1) || path;
    this.#mappings.set(
      id,
      this.#builder.image({
        name,
        path: path === name ? null : path,
        uuid: this.#file.text(buildId),
        address: start,
        size: limit > start ? limit - start : 0n,
      }),
    );
  }

  #function(reader: ProtoReader): void {
    let id: number | bigint = 0;
    let [name, systemName, file, line] = [0, 0, 0, 0];
    while (reader.next()) {
      if (reader.field === 1) id = readKey(reader);
      else if (reader.field === 2) name = integer(reader);
      else if (reader.field === 3) systemName = integer(reader);
      else if (reader.field === 4) file = integer(reader);
      else if (reader.field === 5) line = integer(reader);
      else reader.skip();
    }
    this.#functions.set(id, {
      name: this.#file.text(name) ?? this.#file.text(systemName) ?? "",
      file: this.#file.text(file),
      line: lineOf(line),
    });
  }

  #location(reader: ProtoReader): void {
    let [id, mapping]: (number | bigint)[] = [0, 0];
    let address = 0n;
    const lines: Line[] = [];
    while (reader.next()) {
      if (reader.field === 1) id = readKey(reader);
      else if (reader.field === 2) mapping = readKey(reader);
      else if (reader.field === 3) address = integer64(reader);
      else if (reader.field === 4 && lines.length < MAX_LINES) {
        lines.push(readLine(reader.message()));
      } else reader.skip();
    }
    const image = this.#mappings.get(mapping) ?? -1;
    const frames: number[] = [];
    // The last line is the function that has the activation.
    for (let at = lines.length - 1; at >= 0; at--) {
      const { of, line, column } = lines[at];
      const { name = "", file = null, line: start = 0 } = this.#functions.get(of) ?? {};
      const made = this.#builder.function(name === "" ? null : name, {
        image,
        file,
        line: start,
        address: name === "" ? address : 0n,
      });
      frames.push(
        this.#builder.frame(made, { address, line, column, inlineDepth: lines.length - 1 - at }),
      );
    }
    if (lines.length === 0) {
      frames.push(
        this.#builder.frame(this.#builder.function(null, { image, address }), { address }),
      );
    }
    this.#locations.set(id, frames);
  }

  /** The stack of locations, innermost first. */
  stack(ids: readonly (number | bigint)[]): number {
    let stack = -1;
    let depth = 0;
    for (let at = ids.length - 1; at >= 0 && depth < MAX_DEPTH; at--) {
      for (const frame of this.#locations.get(ids[at]) ?? []) {
        stack = this.#builder.stack(stack, frame);
        depth++;
      }
    }
    return stack;
  }
}

function readLine(reader: ProtoReader): Line {
  let of: number | bigint = 0;
  let [line, column] = [0, 0];
  while (reader.next()) {
    if (reader.field === 1) of = readKey(reader);
    else if (reader.field === 2) line = integer(reader);
    else if (reader.field === 3) column = integer(reader);
    else reader.skip();
  }
  return { of, line: lineOf(line), column: lineOf(column) };
}
