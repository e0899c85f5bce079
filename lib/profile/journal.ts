/** Journals: profiles that are written while they grow. A journal is text, a line for each step: what a
 * {@linkcode ProfileBuilder} was given that it had not seen. What is there of it can be read at any time, also
 * when its writer was killed in the middle of a line. */

import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import {
  type FrameParts,
  type FunctionParts,
  ProfileBuilder,
  type SampleParts,
} from "./builder.ts";
import type { Profile, ProfileImage, ProfileProcess, ProfileThread, SampleState } from "./model.ts";

/** The first line. */
const heading = '["machpause journal",1]';

/** The most bytes of one line. */
const mostLine = 1 << 20;

/** The tables whose rows are found again. */
type Table = "image" | "function" | "frame" | "stack" | "thread";

/** A builder that keeps what it was given until {@linkcode take}.
 *
 * @example
 * ```ts
 * import { JournaledBuilder, readJournal } from "./journal.ts";
 *
 * const builder = new JournaledBuilder({ interval: 10 });
 * const thread = builder.thread({ process: builder.process({ name: "demo" }), name: "main" });
 * builder.sample(thread, builder.stack(-1, builder.frame(builder.function("main"))), 0);
 * const profile = readJournal("demo.mprec", new TextEncoder().encode(builder.take()));
 * ```
 */
export class JournaledBuilder extends ProfileBuilder {
  #lines: string[] = [heading];
  readonly #counts: Record<Table, number> = {
    image: 0,
    function: 0,
    frame: 0,
    stack: 0,
    thread: 0,
  };

  #said = "";

  /** The lines since the last call, each ended. */
  take(): string {
    const said = JSON.stringify(this.info);
    if (said !== this.#said) this.#write("info", this.info);
    this.#said = said;
    const text = this.#lines.length === 0 ? "" : `${this.#lines.join("\n")}\n`;
    this.#lines = [];
    return text;
  }

  #write(...step: unknown[]): void {
    this.#lines.push(
      JSON.stringify(
        step,
        (_, value) => typeof value === "bigint" ? `0x${value.toString(16)}` : value,
      ),
    );
  }

  #note(kind: Table, index: number, ...given: unknown[]): number {
    if (index === this.#counts[kind]) {
      this.#counts[kind]++;
      this.#write(kind, ...given);
    }
    return index;
  }

  /** See {@linkcode ProfileBuilder.process}. */
  override process(process: Partial<ProfileProcess> = {}): number {
    this.#write("process", process);
    return super.process(process);
  }

  /** See {@linkcode ProfileBuilder.image}. */
  override image(image: { readonly name: RawText } & Partial<ProfileImage>): number {
    return this.#note("image", super.image(image), image);
  }

  /** See {@linkcode ProfileBuilder.function}. */
  override function(name: RawText | null, parts: FunctionParts = {}): number {
    return this.#note("function", super.function(name, parts), name, parts);
  }

  /** See {@linkcode ProfileBuilder.frame}. */
  override frame(of: number, parts: FrameParts = {}): number {
    return this.#note("frame", super.frame(of, parts), of, parts);
  }

  /** See {@linkcode ProfileBuilder.stack}. */
  override stack(prefix: number, frame: number): number {
    return this.#note("stack", super.stack(prefix, frame), prefix, frame);
  }

  /** See {@linkcode ProfileBuilder.thread}. */
  override thread(
    thread: { readonly process: number } & Partial<Omit<ProfileThread, "samples">>,
  ): number {
    return this.#note("thread", super.thread(thread), thread);
  }

  /** See {@linkcode ProfileBuilder.sample}. */
  override sample(thread: number, stack: number, time: number, parts: SampleParts = {}): void {
    super.sample(thread, stack, time, parts);
    const { weight = 1, cpu = null, state = 0 } = parts;
    // Of these there are many, and all are numbers.
    this.#lines.push(
      JSON.stringify(["sample", thread, stack, Math.round(time * 1e3) / 1e3, weight, cpu, state]),
    );
  }
}

/** Whether a file is a journal. */
export function isJournal(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, heading.length)) === heading;
}

/** Reads a journal, as far as it goes: a line that was not ended is left out.
 *
 * @param name for errors
 * @throws FormatError when it is none or damaged
 */
export function readJournal(name: string, bytes: Uint8Array): Profile {
  if (!isJournal(bytes)) throw new FormatError(name, 0, "not a journal of a recording");
  const builder = new ProfileBuilder();
  const rows = { process: 0, image: 0, function: 0, frame: 0, stack: 0, thread: 0 };
  const decoder = new TextDecoder();
  for (let at = heading.length + 1;;) {
    const end = bytes.indexOf(10, at);
    if (end < 0) break;
    const damaged = (what: string) => new FormatError(name, at, what);
    if (end - at > mostLine) throw damaged("a line that is too long");
    let step: unknown;
    try {
      step = JSON.parse(decoder.decode(bytes.subarray(at, end)));
    } catch {
      throw damaged("not JSON");
    }
    if (!Array.isArray(step)) throw damaged("not a step of a journal");
    replay(builder, rows, step, damaged);
    at = end + 1;
  }
  return builder.finish();
}

type Rows = Record<"process" | Table, number>;

type Row = Record<string, unknown>;

const infoKeys = ["product", "arch", "os", "startTime", "interval", "unit", "aggregated", "lost"];

/** Gives a builder what a journaled one was given. */
function replay(
  builder: ProfileBuilder,
  rows: Rows,
  [kind, ...given]: readonly unknown[],
  damaged: (what: string) => FormatError,
): void {
  const index = (value: unknown, table: keyof Rows, least = 0): number => {
    if (
      typeof value === "number" && Number.isInteger(value) && value >= least && value < rows[table]
    ) {
      return value;
    }
    throw damaged(`no ${table} ${value}`);
  };
  const number = (value: unknown): number | undefined =>
    typeof value === "number" && Number.isFinite(value) ? value : undefined;
  const text = (value: unknown): RawText | null => typeof value === "string" ? value : null;
  const address = (value: unknown): bigint | undefined =>
    typeof value === "string" && /^0x[0-9a-f]{1,16}$/.test(value) ? BigInt(value) : undefined;
  const record = (value: unknown): Row =>
    typeof value === "object" && value !== null ? value as Row : {};
  const count = (table: keyof Rows, row: number) => rows[table] = Math.max(rows[table], row + 1);
  switch (kind) {
    case "info": {
      const info = record(given[0]);
      builder.info = Object.fromEntries(
        infoKeys.filter((key) => info[key] !== undefined).map((key) => [key, info[key]]),
      );
      return;
    }
    case "process": {
      const { name, pid } = record(given[0]);
      count("process", builder.process({ name: text(name), pid: number(pid) ?? null }));
      return;
    }
    case "image": {
      const image = record(given[0]);
      const { name, path, uuid, arch } = image;
      const at = { address: address(image.address) ?? 0n, size: address(image.size) ?? 0n };
      const texts = { path: text(path), uuid: text(uuid), arch: text(arch) };
      count("image", builder.image({ name: text(name) ?? "", ...texts, ...at }));
      return;
    }
    case "function": {
      const { image, file, line, address: start } = record(given[1]);
      count(
        "function",
        builder.function(text(given[0]), {
          ...(image === undefined ? {} : { image: index(image, "image", -1) }),
          file: text(file),
          line: number(line) ?? 0,
          address: address(start) ?? 0n,
        }),
      );
      return;
    }
    case "frame": {
      const parts = record(given[1]);
      count(
        "frame",
        builder.frame(index(given[0], "function"), {
          address: address(parts.address) ?? 0n,
          line: number(parts.line) ?? 0,
          column: number(parts.column) ?? 0,
          inlineDepth: number(parts.inlineDepth) ?? 0,
        }),
      );
      return;
    }
    case "stack":
      count("stack", builder.stack(index(given[0], "stack", -1), index(given[1], "frame")));
      return;
    case "thread": {
      const { process, id, name, queue, isMain } = record(given[0]);
      count(
        "thread",
        builder.thread({
          process: index(process, "process"),
          id: address(id) ?? null,
          name: text(name),
          queue: text(queue),
          isMain: isMain === true,
        }),
      );
      return;
    }
    case "sample": {
      const [thread, stack, time, weight, cpu, state] = given;
      const used = number(cpu);
      builder.sample(index(thread, "thread"), index(stack, "stack", -1), number(time) ?? 0, {
        weight: number(weight) ?? 1,
        ...(used === undefined ? {} : { cpu: used }),
        state: (state === 1 || state === 2 ? state : 0) satisfies SampleState,
      });
      return;
    }
    default:
      throw damaged("an unknown step of a journal");
  }
}
