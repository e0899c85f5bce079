/** Reports as profiles: the call trees of `sample` and `spindump`, and the stacks of others. Profiles
 * symbolicated as reports are. */

import { archs } from "../arch/mod.ts";
import type { RawText } from "../escape.ts";
import {
  MAX_DEPTH,
  type Profile,
  ProfileBuilder,
  type ProfileImage,
  rebuilt,
  SampleState,
} from "../profile/mod.ts";
import { framesOfPlace, pushFrames } from "../symbols/profile_frames.ts";
import { reportTime } from "./group/signature.ts";
import type {
  CallTreeNode,
  CrashReport,
  ReportFrame,
  ReportImage,
  ReportThread,
} from "./report.ts";
import type { ImageLookup } from "./symbolicate/lookups.ts";
import type { ReportSymbolFiles } from "./symbolicate/files.ts";
import type { ReportSymbols } from "./symbolicate/lookups.ts";

/** Milliseconds between the samples of a text; 0 when it does not say. */
function intervalOf({ text }: CrashReport): number {
  const head = text.slice(0, 1 << 14);
  const sample =
    /^Analysis of sampling .{0,300} every (\d{1,9}(?:\.\d{1,9})?) (micro|milli)?seconds?/m.exec(
      head,
    );
  if (sample !== null) {
    const scale = sample[2] === "micro" ? 1e-3 : sample[2] === "milli" ? 1 : 1e3;
    return Number(sample[1]) * scale;
  }
  const spindump = /^Steps:\s{1,40}\d{1,9} \((\d{1,9})(ms|us)? sampling interval\)/m.exec(head);
  if (spindump === null) return 0;
  return Number(spindump[1]) * (spindump[2] === "us" ? 1e-3 : 1);
}

/** Makes a profile of a report. A call tree's counts are the samples' weights: the times are laid one after
 * another. Of a report without call trees, each stack is one sample. Names are as the report has them.
 *
 * @example
 * ```ts
 * import { writeProfile } from "@machpause/machpause/profile";
 * import { profileOfReport, readReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("app.sample.txt"), "app.sample.txt");
 * const bytes = await writeProfile(profileOfReport(report), { format: "firefox" });
 * await Deno.writeFile("app.json.gz", bytes);
 * ```
 */
export function profileOfReport(report: CrashReport): Profile {
  const maker = new ReportProfile(report);
  const { lastException } = report;
  if (lastException !== null && lastException.length > 0) maker.exception(lastException);
  for (const thread of report.threads) maker.thread(thread);
  return maker.builder.finish();
}

class ReportProfile {
  readonly builder: ProfileBuilder;
  readonly #report: CrashReport;
  readonly #interval: number;
  /** Whether the text says which threads ran. */
  readonly #hasStates: boolean;
  readonly #bias: bigint;
  readonly #processes = new Map<string, number>();
  readonly #images = new Map<ReportImage, number>();
  readonly #named = new Map<string, number>();
  #frames = new Map<ReportFrame, number>();

  constructor(report: CrashReport) {
    this.#report = report;
    this.#interval = intervalOf(report);
    this.#hasStates = report.format === "spindump" && report.text.includes("] (running)");
    this.#bias = report.arch === null ? 1n : archs[report.arch].callBias;
    this.builder = new ProfileBuilder({
      product: report.process.name,
      arch: report.arch,
      os: report.osVersion,
      startTime: reportTime(report),
      interval: this.#interval,
      aggregated: report.threads.some(({ tree }) => tree.length > 0),
    });
    this.#process(null);
  }

  /** @param process as in `Slack [2252]`; `null` for that of the report */
  #process(process: RawText | null): number {
    const key = process ?? "";
    let index = this.#processes.get(key);
    if (index === undefined) {
      const { name, pid } = this.#report.process;
      const parts = process === null ? null : /^(.*?)(?: \[(\d{1,9})\].*)?$/.exec(process);
      index = this.builder.process(
        process === null ? { name, pid } : {
          name: parts?.[1] ?? process,
          pid: parts?.[2] === undefined ? null : Number(parts[2]),
        },
      );
      this.#processes.set(key, index);
    }
    return index;
  }

  #image(frame: ReportFrame): number {
    const { image, imageName } = frame;
    if (image === null) {
      if (imageName === null || imageName === "<unknown binary>") return -1;
      let index = this.#named.get(imageName);
      if (index === undefined) {
        this.#named.set(imageName, index = this.builder.image({ name: imageName }));
      }
      return index;
    }
    let index = this.#images.get(image);
    if (index === undefined) {
      const { name, path, uuid, base, size, arch } = image;
      // spindump has `com.apple.CoreFoundation` where the file is CoreFoundation.
      const file = path === null ? name : path.slice(path.lastIndexOf("/") + 1) || name;
      index = this.builder.image({ name: file, path, uuid, address: base, size, arch });
      this.#images.set(image, index);
    }
    return index;
  }

  /** @param isExact whether the address is where the thread was, and no return address */
  #frame(frame: ReportFrame, isExact: boolean, inlineDepth = 0): number {
    let index = this.#frames.get(frame);
    if (index !== undefined) return index;
    const { symbol, offset, file, line, column } = frame;
    const isBefore = !isExact && frame.address > this.#bias;
    const address = isBefore ? frame.address - this.#bias : frame.address;
    const isNamed = symbol !== null && symbol !== "<redacted>";
    const start = isNamed && offset !== null && inlineDepth === 0
      ? BigInt.asUintN(64, frame.address - BigInt(offset))
      : 0n;
    const of = this.builder.function(isNamed ? symbol : null, {
      image: this.#image(frame),
      file,
      address: isNamed ? start : address,
    });
    index = this.builder.frame(of, {
      address,
      line: line ?? 0,
      column: column ?? 0,
      inlineDepth,
    });
    this.#frames.set(frame, index);
    return index;
  }

  /** The stack of frames that are listed innermost first. */
  #stack(frames: readonly ReportFrame[], isLeafExact: boolean): number {
    let stack = -1;
    let depth = 0;
    const first = Math.max(0, frames.length - MAX_DEPTH);
    // What is inlined in the innermost function is where that is.
    const innermost = isLeafExact ? frames.findIndex(({ inlined }) => !inlined) : -1;
    for (let at = frames.length - 1; at >= first; at--) {
      depth = frames[at].inlined ? depth + 1 : 0;
      stack = this.builder.stack(stack, this.#frame(frames[at], at <= innermost, depth));
    }
    return stack;
  }

  /** The backtrace of an uncaught exception, as a thread. */
  exception(frames: readonly ReportFrame[]): void {
    const thread = this.builder.thread({ process: 0, name: "last exception" });
    this.builder.sample(thread, this.#stack(frames, false), 0);
  }

  thread(thread: ReportThread): void {
    const { id, name, queue, process, index, tree, frames } = thread;
    const row = this.builder.thread({
      process: this.#process(process),
      id,
      name,
      queue,
      isMain: queue === "com.apple.main-thread" || process === null && index === 0,
    });
    if (tree.length === 0) {
      if (frames.length > 0) this.builder.sample(row, this.#stack(frames, true), 0);
      return;
    }
    this.#tree(row, tree);
    // The frames of a tree are this thread's own.
    this.#frames = new Map();
  }

  /** Adds the samples that ended in each node. Iterative: trees may be deeper than the call stack allows. */
  #tree(row: number, roots: readonly CallTreeNode[]): void {
    const step = this.#interval || 1;
    let time = 0;
    const left = roots.toReversed().map((node) => ({ node, prefix: -1, depth: 0 }));
    for (let item = left.pop(); item !== undefined; item = left.pop()) {
      const { node, prefix, depth } = item;
      const { children, count, frame } = node;
      const isLeaf = children.length === 0;
      const stack = depth < MAX_DEPTH
        ? this.builder.stack(prefix, this.#frame(frame, isLeaf))
        : prefix;
      const own = children.reduce((rest, child) => rest - child.count, count);
      if (own > 0) {
        this.builder.sample(row, stack, time, { weight: own, state: this.#state(frame) });
        time += own * step;
      }
      for (const child of children.toReversed()) {
        left.push({ node: child, prefix: stack, depth: depth + 1 });
      }
    }
  }

  #state({ span }: ReportFrame): SampleState {
    if (!this.#hasStates || span === null) return SampleState.unknown;
    const line = this.#report.text.slice(span.start, span.end);
    return /\] \(running\)\s*$/.test(line) ? SampleState.onCPU : SampleState.offCPU;
  }
}

/** What a profile is symbolicated with. */
export interface ProfileSymbols {
  /** Finds the symbols of images; {@linkcode ReportSymbolFiles} does. */
  readonly files: Pick<ReportSymbolFiles, "find"> & Pick<ReportSymbols, "demangle">;
  /** Makes names readable. Left out, the way of `files` is taken: those of `openReportSymbols` demangle. */
  readonly demangle?: (name: string) => string;
  /** The report that the profile is of, whose own paths may be opened. */
  readonly report?: CrashReport;
}

/** A profile with the names and places that its images' symbols give to its addresses. Frames that have a
 * place keep it. Images are found by UUID.
 *
 * @example
 * ```ts
 * import { openReportSymbols } from "@machpause/machpause";
 * import { readProfile } from "@machpause/machpause/profile";
 * import { symbolicateProfile } from "@machpause/machpause/report";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * using files = openReportSymbols(["./dsyms"]);
 * console.log(symbolicateProfile(profile, { files }).functions.length);
 * ```
 */
export function symbolicateProfile(profile: Profile, symbols: ProfileSymbols): Profile {
  const { functions, frames, images } = profile;
  const lookups = images.map((image) =>
    symbols.files.find(asReportImage(image), null, symbols.report ?? null)
  );
  if (lookups.every((lookup) => lookup === null)) return profile;
  const demangle = symbols.demangle ?? symbols.files.demangle ?? ((name: string) => name);
  const places = new Map<number, ReturnType<ImageLookup["at"]>>();
  return rebuilt(profile, (builder, prefix, frame, copy) => {
    const image = functions.image[frames.function[frame]];
    const lookup = image < 0 ? null : lookups[image];
    const address = frames.address[frame];
    const isKnown = frames.line[frame] > 0 || frames.inlineDepth[frame] > 0;
    if (lookup === null || address === 0n || isKnown) return copy();
    let info = places.get(frame);
    if (info === undefined) {
      const offset = address - images[image].address;
      info = offset < 0n || offset > 0xffff_ffffn ? null : lookup.at(Number(offset));
      places.set(frame, info);
    }
    if (info === null || info.symbol === null && info.frames.length === 0) return copy();
    const own = images[image];
    const place = { address, image: builder.image(own), info, base: own.address };
    return pushFrames(builder, prefix, framesOfPlace(builder, place, demangle));
  });
}

function asReportImage({ name, path, uuid, arch, address, size }: ProfileImage): ReportImage {
  return {
    name,
    path,
    uuid,
    arch,
    base: address,
    size,
    version: null,
    identifier: null,
    marked: false,
  };
}
