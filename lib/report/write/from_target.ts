/** Reports of targets: paused processes, cores, snapshots. */

import { debugIdOfImage, ElfImage } from "../../elf/mod.ts";
import type { RawText } from "../../escape.ts";
import type { LoadedImage } from "../../macho/mod.ts";
import type { Crash, Frame, Target, Thread, ThreadException } from "../../target/mod.ts";
import { exceptionName, signalName } from "../codes.ts";
import type { ReportException, ReportFrame, ReportImage, ReportThread } from "../drafts.ts";
import { type CrashReport, noException } from "../report.ts";
import { madeReport } from "./made.ts";

/** What the target itself does not record. */
export interface TargetReportOptions {
  /** Capture time. */
  readonly date?: Date;
  /** System version, such as `macOS 14.3 (23D56)`. */
  readonly osVersion?: string;
  /** Hardware model, such as `Mac14,2`. */
  readonly model?: string;
  /** Path of the executable. */
  readonly path?: string;
  /** Incident identifier, a UUID. */
  readonly incident?: string;
  /** Index of the crashed thread, where neither the target's `crash` nor a thread's exception tells it. */
  readonly crashedThread?: number;
  /** The exception, where it is known better than by those. */
  readonly exception?: NonNullable<CrashReport["exception"]>;
  /** Demangles names; without it they stay mangled. */
  readonly demangle?: (name: string) => string;
  /** Maximum number of frames for each thread. */
  readonly limit?: number;
  /** What the application specific information has of each frame of the crashed thread, of the first one
   * where none crashed, such as its arguments; `null` for nothing. */
  readonly frameText?: (frame: Frame) => RawText | null;
}

/** Creates a report from threads and images: of the crash at which the target is stopped, or of a thread's exception. A
 * process that did not crash gets the note that Apple uses for simulated reports.
 *
 * @param target the threads' target
 * @param threads the threads of a pause, a snapshot or a core
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { reportOf, writeReport } from "@machpause/machpause/report";
 *
 * using target = attach("MyApp");
 * using _pause = target.pause();
 * const report = reportOf(target, target.threads, { date: new Date() });
 * await Deno.writeTextFile("MyApp.ips", writeReport(report, "ips"));
 * ```
 */
export function reportOf(
  target: Pick<Target, "arch" | "pid" | "name" | "images"> & { readonly crash?: Crash | null },
  threads: readonly Thread[],
  options: TargetReportOptions = {},
): CrashReport {
  const crash = target.crash ?? null;
  const images = new Map(
    target.images.map((image) => [image, reportImage(image, target.arch.name)]),
  );
  const fault = threads.find(({ exception }) => exception?.fault === true) ?? null;
  const told = crash === null ? null : threads.find(({ id }) => id === crash.threadId) ?? null;
  const crashed = options.crashedThread ?? told?.index ?? fault?.index ?? null;
  const path = options.path ?? target.images[0]?.path ?? null;
  return madeReport({
    file: target.name,
    bugType: null,
    fields: [],
    sections: [],
    process: {
      name: target.name,
      pid: target.pid,
      path: path === "" ? null : path,
      identifier: target.name,
      version: null,
      parent: null,
      role: null,
      launched: null,
    },
    arch: target.arch.name,
    codeType: null,
    model: options.model ?? null,
    osVersion: options.osVersion ?? null,
    date: options.date === undefined ? null : timestamp(options.date),
    incident: options.incident?.toUpperCase() ?? null,
    exception: options.exception !== undefined
      ? options.exception
      : crash !== null
      ? exceptionOfCrash(crash)
      : fault !== null
      ? exceptionOf(fault.exception!)
      : crashed === null
      ? { ...noException, note: "SIMULATED (this is NOT a crash)" }
      : null,
    termination: null,
    information: frameTexts(threads[crashed ?? 0], options),
    threads: threads.map((thread) =>
      reportThread(thread, thread.index === crashed, images, target.arch.threadState.name, options)
    ),
    lastException: null,
    images: [...images.values()],
    header: null,
    body: null,
    warnings: [],
  });
}

/** A crash in the words of a report. */
export function exceptionOfCrash({ exception, signal, code, subcode }: Crash): ReportException {
  const isException = exception !== 0;
  return {
    type: isException ? exceptionName(exception) ?? `exception ${exception}` : "EXC_CRASH",
    signal: signalName(signal) ?? `signal ${signal}`,
    codes: isException ? [BigInt(code), subcode] : [0n, 0n],
    subtype: null,
    message: null,
    note: null,
  };
}

/** Maximum number of frames that have a text. */
const MAX_TEXTS = 64;

function frameTexts(thread: Thread | undefined, { frameText }: TargetReportOptions): RawText[] {
  if (thread === undefined || frameText === undefined) return [];
  const lines = thread.backtrace({ limit: MAX_TEXTS }).flatMap((frame): RawText[] => {
    const text = frameText(frame);
    return text === null ? [] : [`${frame.index}  ${text}`];
  });
  return lines.length === 0 ? [] : [`Frames of thread ${thread.index}:\n${lines.join("\n")}`];
}

/** Formats a date as `2024-02-03 10:11:12.0000 +0000`. */
function timestamp(date: Date): string {
  return `${date.toISOString().replace("T", " ").replace("Z", "0")} +0000`;
}

/** An image as reports list it. */
export function reportImage(image: LoadedImage, arch: string): ReportImage {
  // The first segment of a Mach-O image is its `__TEXT`. That of an ELF image has no code.
  const isElf = image instanceof ElfImage;
  const text = isElf
    ? image.ranges.at(-1)
    : image.ranges.find(({ start, end }) => image.loadAddress >= start && image.loadAddress < end);
  return {
    name: image.name,
    path: image.path === "" ? null : image.path,
    uuid: isElf ? debugIdOfImage(image) : image.uuid,
    arch,
    base: image.loadAddress,
    size: text === undefined ? 0n : text.end - image.loadAddress,
    version: null,
    identifier: null,
    marked: false,
  };
}

function reportThread(
  thread: Thread,
  crashed: boolean,
  images: ReadonlyMap<LoadedImage, ReportImage>,
  flavor: string,
  { demangle = (name) => name, limit }: TargetReportOptions,
): ReportThread {
  const backtrace = thread.backtrace(limit === undefined ? {} : { limit });
  const frames = backtrace.map((frame, index): ReportFrame => {
    const image = frame.image === null ? null : images.get(frame.image) ?? null;
    const name = frame.function;
    return {
      index,
      address: frame.address,
      image,
      imageName: image?.name ?? null,
      symbol: name === null ? null : demangle(name),
      offset: name === null || frame.symbol === null || frame.inlined ? null : frame.offset,
      file: frame.source?.file ?? null,
      line: frame.source === null || frame.source.line === 0 ? null : frame.source.line,
      column: frame.source === null || frame.source.column === 0 ? null : frame.source.column,
      inlined: frame.inlined,
      span: null,
    };
  });
  const registers = [...thread.registers].map(({ name, value }) => ({ name, value, note: null }));
  const state = thread.exception === null ? [] : [...thread.exception.registers]
    .filter(({ name }) => /^(?:far|esr|faultvaddr|cr2)$/.test(name))
    .map(({ name, value }) => ({ name: name === "faultvaddr" ? "cr2" : name, value, note: null }));
  return {
    index: thread.index,
    id: thread.id,
    name: thread.name === "" ? null : thread.name,
    queue: thread.queue?.label || null,
    crashed,
    frames,
    registers: [...registers, ...state],
    flavor: registers.length === 0 ? null : flavor,
    process: null,
    tree: [],
  };
}

/** Mach exception, signal and codes for a CPU exception, by the beginning of its
 * {@linkcode ThreadException} description: XNU's `osfmk/arm64/sleh.c` and `osfmk/i386/trap.c`. */
const exceptions: readonly (readonly [RegExp, string, string, readonly bigint[]])[] = [
  [
    /^(?:page fault|data abort|instruction abort|prefetch abort|fault status)/,
    "EXC_BAD_ACCESS",
    "SIGSEGV",
    [1n],
  ],
  [/^general protection/, "EXC_BAD_ACCESS", "SIGSEGV", [13n, 0n]],
  [/^(?:segment not present|stack fault)/, "EXC_BAD_ACCESS", "SIGBUS", [1n, 0n]],
  [/^misaligned sp/, "EXC_BAD_ACCESS", "SIGBUS", [0x103n, 0n]],
  [/^misaligned/, "EXC_BAD_ACCESS", "SIGBUS", [0x101n]],
  [/^pointer authentication/, "EXC_BAD_ACCESS", "SIGBUS", [0x105n, 0n]],
  [
    /^(?:breakpoint|hardware breakpoint|watchpoint|single step|debug)/,
    "EXC_BREAKPOINT",
    "SIGTRAP",
    [1n],
  ],
  [
    /^(?:invalid instruction|undefined instruction|branch target|illegal)/,
    "EXC_BAD_INSTRUCTION",
    "SIGILL",
    [1n, 0n],
  ],
  [/^(?:divide error|floating-point|SSE|overflow)/, "EXC_ARITHMETIC", "SIGFPE", [1n, 0n]],
];

function exceptionOf(exception: ThreadException): ReportException {
  const row = exceptions.find(([pattern]) => pattern.test(exception.description));
  if (row === undefined) return { ...noException, message: exception.description };
  const [, type, signal, codes] = row;
  return {
    ...noException,
    type,
    signal,
    codes: codes.length === 1 ? [...codes, exception.faultAddress ?? 0n] : codes,
    message: exception.description,
  };
}
