/** Hangs as reports: their signature, their text, and their symbolication, are those of other reports. */
import type { ArchName } from "../arch/mod.ts";
import { FormatError } from "../errors.ts";
import { hex } from "../hex.ts";
import {
  type CrashReport,
  imageFinder,
  madeReport,
  type ReportFrame,
  type ReportImage,
  reportImage,
  type ReportSignature,
  stackSignature,
} from "../report/hung.ts";
import type { Target } from "../target/mod.ts";
import {
  type Hang,
  HANG_FORMAT,
  HANG_VERSION,
  type HangFrame,
  type HangImage,
  severities,
} from "./hang.ts";

/** The images of a target. */
export function hangImages({ images, arch }: Pick<Target, "images" | "arch">): HangImage[] {
  return images.map((image) => {
    const { name, path, uuid, base, size } = reportImage(image, arch.name);
    return { name, path: path ?? "", uuid, loadAddress: hex(base), size: Number(size) };
  });
}

function imagesOf({ images, target }: Pick<Hang, "images" | "target">): ReportImage[] {
  return images.map(({ name, path, uuid, loadAddress, size }) => ({
    name,
    path: path === "" ? null : path,
    uuid,
    arch: target.arch,
    base: BigInt(loadAddress),
    size: BigInt(size),
    version: null,
    identifier: null,
    marked: false,
  }));
}

function framesOf(
  frames: readonly HangFrame[],
  images: readonly ReportImage[],
  demangle: (name: string) => string,
): ReportFrame[] {
  const find = imageFinder(images);
  return frames.map((frame, index) => {
    const address = BigInt(frame.address);
    const image = find(address) ?? images.find(({ name }) => name === frame.image) ?? null;
    return {
      index,
      address,
      image,
      imageName: frame.image,
      symbol: frame.symbol === null ? null : demangle(frame.symbol),
      offset: frame.symbol === null || frame.inlined ? null : frame.offset,
      file: frame.file,
      line: frame.line || null,
      column: frame.column || null,
      inlined: frame.inlined,
      span: null,
    };
  });
}

/** What a signature begins with. A hang in which a condition of one's own held is not counted twice. */
export function hangHead({ kind }: Pick<Hang, "kind">): ["hang" | "trigger"] {
  return [kind === "trigger" ? "trigger" : "hang"];
}

/** The signature of a hang: the same for the same hang in another process.
 *
 * @param stack that most looks have in common
 */
export function hangSignature(
  hang: Pick<Hang, "images" | "target" | "kind">,
  stack: readonly HangFrame[],
  demangle: (name: string) => string,
): ReportSignature {
  return stackSignature(hangHead(hang), framesOf(stack, imagesOf(hang), demangle), demangle);
}

/** A hang as a report, which is written, explained and symbolicated as every other. Its crashed thread is the
 * one that hung.
 *
 * @param demangle makes names readable
 * @param stack of the thread that hung; what it did when it was captured when left out
 *
 * @example
 * ```ts
 * import { readHang, reportOfHang } from "@machpause/machpause/hang";
 * import { writeReport } from "@machpause/machpause/report";
 *
 * const hang = readHang(await Deno.readTextFile("hang.json"), "hang.json");
 * console.log(writeReport(reportOfHang(hang, (name) => name), "ips"));
 * ```
 */
export function reportOfHang(
  hang: Hang,
  demangle: (name: string) => string,
  stack?: readonly HangFrame[],
): CrashReport {
  const images = imagesOf(hang);
  const { target } = hang;
  return madeReport({
    file: target.name,
    bugType: null,
    fields: [],
    sections: [],
    process: {
      name: target.name,
      pid: target.pid,
      path: images[0]?.path ?? null,
      identifier: target.name,
      version: null,
      parent: null,
      role: null,
      launched: null,
    },
    arch: target.arch as ArchName,
    codeType: null,
    model: null,
    osVersion: null,
    date: `${hang.began.replace("T", " ").replace("Z", "0")} +0000`,
    incident: null,
    exception: {
      type: null,
      signal: null,
      codes: [],
      subtype: null,
      message: null,
      note: "SIMULATED (this is NOT a crash)",
    },
    termination: null,
    information: [describeHang(hang), ...waitLines(hang)],
    threads: hang.threads.map(({ index, id, name, queue, frames }) => ({
      index,
      id: BigInt(id),
      name,
      queue,
      crashed: index === hang.thread,
      frames: framesOf(index === hang.thread ? stack ?? frames : frames, images, demangle),
      registers: [],
      flavor: null,
      process: null,
      tree: [],
    })),
    lastException: null,
    images,
    header: null,
    body: null,
    warnings: [],
  });
}

/** The name of a thread for people; it holds the target's text. */
export function threadTitle({ threads }: Pick<Hang, "threads">, index: number): string {
  // Of a brief hang there is one thread, which keeps its number.
  const { index: number, name } = threads[index] ?? { index, name: null };
  if (number === 0) return "main";
  if (name === null) return `thread ${number}`;
  const others = threads.some((other, at) => at > 0 && at !== index && other.name === name);
  return others ? `${name} (thread ${number})` : name;
}

const severityWords = { micro: "micro hang", hang: "hang", severe: "severe hang" } as const;

/** A hang in one line; it holds the target's text. */
export function describeHang(hang: Hang): string {
  const who = threadTitle(hang, hang.thread);
  const { waiting } = hang.threads[hang.thread] ?? { waiting: null };
  const what = hang.kind === "deadlock"
    ? "in a deadlock"
    : hang.kind === "blocked"
    ? waiting ?? "blocked"
    : hang.kind;
  const about = hang.ended === "idle" ? "" : hang.ended === "gone" ? ", to its end" : " so far";
  return hang.kind === "trigger"
    ? `the trigger held: ${who}`
    : `${severityWords[hang.severity]} of ${hang.milliseconds} ms${about}: ${who}, ${what}`;
}

/** Who waits for whom, a line each; they hold the target's text. */
export function waitLines(hang: Pick<Hang, "threads" | "waits" | "deadlocks">): string[] {
  const name = (index: number) => threadTitle(hang, index);
  return [
    ...hang.waits.map((wait) =>
      `${name(wait.thread)} waits for ${name(wait.for)} (${wait.through})`
    ),
    ...hang.deadlocks.map((circle) => `DEADLOCK: ${[...circle, circle[0]].map(name).join(" → ")}`),
  ];
}

/** Maximum number of threads, frames and stacks that are read of a file. */
const MOST = 1 << 16;

/** Reads a `hang.json`.
 *
 * @example
 * ```ts
 * import { readHang } from "@machpause/machpause/hang";
 *
 * const { milliseconds, kind } = readHang(await Deno.readTextFile("hang.json"), "hang.json");
 * console.log(milliseconds, kind);
 * ```
 * @param file its name, for errors
 * @throws FormatError when it is none, or of a later version
 */
export function readHang(text: string, file: string): Hang {
  const fail = (expected: string): never => {
    throw new FormatError(file, 0, expected);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("a hang as JSON");
  }
  const is = {
    object: (part: unknown): part is Record<string, unknown> =>
      typeof part === "object" && part !== null && !Array.isArray(part),
    list: (part: unknown): part is unknown[] => Array.isArray(part) && part.length <= MOST,
    text: (part: unknown) => typeof part === "string",
    address: (part: unknown) => typeof part === "string" && /^0x[0-9a-f]{1,16}$/i.test(part),
    number: (part: unknown) => typeof part === "number" && Number.isFinite(part),
    count: (part: unknown) => Number.isSafeInteger(part) && (part as number) >= 0,
  };
  const orNull = (check: (part: unknown) => boolean) => (part: unknown) =>
    part === null || check(part);
  const members = (
    part: unknown,
    checks: Readonly<Record<string, (part: unknown) => boolean>>,
  ): boolean => is.object(part) && Object.keys(checks).every((key) => checks[key](part[key]));
  const listOf = (check: (part: unknown) => boolean) => (part: unknown) =>
    is.list(part) && part.every(check);
  const frame = (part: unknown) =>
    members(part, {
      address: is.address,
      image: orNull(is.text),
      symbol: orNull(is.text),
      offset: orNull(is.number),
      file: orNull(is.text),
      line: orNull(is.number),
      column: orNull(is.number),
      inlined: (inlined) => typeof inlined === "boolean",
    });
  if (!is.object(value) || value.format !== HANG_FORMAT) return fail(`"format": "${HANG_FORMAT}"`);
  if (value.version !== HANG_VERSION) return fail(`version ${HANG_VERSION}`);
  const checks: Record<string, (part: unknown) => boolean> = {
    severity: (severity) => severities.includes(severity as Hang["severity"]),
    signature: (signature) =>
      members(signature, {
        id: (id) => typeof id === "string" && /^[0-9a-f]{16}$/.test(id),
        parts: listOf(is.text),
      }),
    target: (target) => members(target, { name: is.text, arch: is.text, pid: orNull(is.number) }),
    thread: is.count,
    kind: is.text,
    began: (began) => typeof began === "string" && !Number.isNaN(Date.parse(began)),
    milliseconds: is.count,
    looks: listOf((look) =>
      members(look, { at: is.number, looks: is.count, stack: orNull(is.count) })
    ),
    stacks: listOf(listOf(frame)),
    threads: listOf((thread) =>
      members(thread, {
        index: is.count,
        id: is.count,
        name: orNull(is.text),
        queue: orNull(is.text),
        waiting: orNull(is.text),
        frames: listOf(frame),
      })
    ),
    waits: listOf((wait) => members(wait, { thread: is.count, for: is.count, through: is.text })),
    deadlocks: listOf(listOf(is.count)),
    images: listOf((image) =>
      members(image, {
        name: is.text,
        path: is.text,
        uuid: orNull(is.text),
        loadAddress: is.address,
        size: is.count,
      })
    ),
  };
  for (const [key, check] of Object.entries(checks)) {
    if (!check(value[key])) fail(`a hang's ${key}`);
  }
  return value as unknown as Hang;
}
