/** Symbolicating a report: its frames, and its text or JSON in place. */

import { archs } from "../../arch/mod.ts";
import type { RawText } from "../../escape.ts";
import type { AddressInfo, SourceFrame } from "../../symbols/mod.ts";
import { type JsonValue, parseJson, stringifyJson } from "../json.ts";
import {
  type CallTreeNode,
  CrashReport,
  type ReportFrame,
  type ReportImage,
  type ReportThread,
} from "../report.ts";
import { frameText, placeText } from "../frame_text.ts";
import { baseName, isCompiled, isSystemImage } from "../images.ts";
import type { ImageLookup, MissingReportSymbols, ReportSymbols } from "./lookups.ts";
import { type Edit, edited, lineEnding } from "../text.ts";

/** Options of {@linkcode symbolicateReport}. */
export interface SymbolicateOptions {
  /** Makes names readable. Left out, the symbols' own way is taken: those of `openReportSymbols` demangle. */
  readonly demangle?: (name: string) => string;
  /** Whether to edit the text too; true by default. */
  readonly inPlace?: boolean;
}

/** Result of {@linkcode symbolicateReport}. */
export interface SymbolicatedReport {
  /** The symbolicated report. */
  readonly report: CrashReport;
  /** Number of frames that were named. */
  readonly named: number;
  /** Images without symbols, those with most frames in the crashed thread first. */
  readonly missing: readonly MissingReportSymbols[];
}

/** Symbolicates a report. Existing names stay unless the symbols disagree: in a stripped program they are
 * only the nearest exports.
 *
 * In text only the last column of frames changes. Inlined calls get lines of their own with the number of
 * the frame that contains them, so that a diff shows only additions.
 *
 * @example
 * ```ts
 * import { openReportSymbols } from "@machpause/machpause";
 * import { readReport, symbolicateReport } from "@machpause/machpause/report";
 *
 * using symbols = openReportSymbols(["./dsyms"]); // folders, searched by UUID
 * const given = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { report, missing } = symbolicateReport(given, symbols);
 * for (const { symbol, file, line } of report.crashedThread?.frames ?? []) {
 *   console.log(symbol, file, line);
 * }
 * for (const { image, frames } of missing) console.log(`no ${image.name}: ${frames} frames`);
 * ```
 */
export function symbolicateReport(
  report: CrashReport,
  symbols: ReportSymbols,
  options: SymbolicateOptions = {},
): SymbolicatedReport {
  const { embedded } = report;
  const own = new Symbolication(report, symbols, options);
  if (embedded === null) return own.run();
  const other = new Symbolication(embedded, symbols, options);
  const inside = other.run().report;
  const { named, missing, report: changed } = own.run();
  const text = edited(report.text, [...own.edits, ...other.edits]);
  return {
    named,
    missing,
    report: new CrashReport({
      ...changed,
      text,
      embedded: new CrashReport({ ...inside, text }),
    }),
  };
}

/** The frame above it holds the exact interrupted address rather than a return address. */
const trampoline = "_sigtramp";

/** A frame's name and its inlined calls. */
interface Named {
  readonly frame: ReportFrame;
  readonly inlined: readonly ReportFrame[];
}

class Symbolication {
  readonly #report: CrashReport;
  readonly #symbols: ReportSymbols;
  readonly #demangle: (name: string) => RawText;
  readonly #lookups = new Map<ReportImage, ImageLookup | null>();
  /** Cache: recursion and threads repeat addresses. */
  readonly #places = new Map<ReportImage, Map<number, AddressInfo | null>>();
  readonly #missing = new Map<ReportImage, { crashedFrames: number; frames: number }>();
  /** Edits of the text. */
  readonly edits: Edit[] = [];
  readonly #inPlace: boolean;
  readonly #bias: number;
  readonly #ending: string;
  readonly #spaced: boolean;
  #named = 0;
  /** Whether the stack is one of another process than the report is about: who reads it seldom has its symbols. */
  #isOthers = false;

  constructor(report: CrashReport, symbols: ReportSymbols, options: SymbolicateOptions) {
    this.#report = report;
    this.#symbols = symbols;
    this.#demangle = (options.demangle ?? symbols.demangle ?? ((name) => name)) as (
      name: string,
    ) => RawText;
    this.#inPlace = options.inPlace ?? true;
    this.#bias = Number(report.arch === null ? 1n : archs[report.arch].callBias);
    this.#ending = lineEnding(report.text);
    this.#spaced = report.format === "ips" && report.text.includes('"imageOffset" : ');
  }

  run(): SymbolicatedReport {
    const report = this.#report;
    const lastException = report.lastException === null
      ? null
      : this.#stack(report.lastException, true, false);
    this.#editAddressList(report.lastException, lastException);
    const { name } = report.process;
    const threads = report.threads.map((thread): ReportThread => {
      this.#isOthers = name !== null && thread.process !== null &&
        !thread.process.startsWith(`${name} [`);
      return thread.tree.length > 0
        ? this.#tree(thread)
        : { ...thread, frames: this.#stack(thread.frames, thread.crashed, true) };
    });
    const text = this.#inPlace ? edited(report.text, this.edits) : report.text;
    const missing = [...this.#missing].map(([image, counts]) => ({
      ...{ path: image.path ?? image.name, uuid: image.uuid, found: null, reasons: [] },
      ...{ image, ...counts },
    }));
    // Those first that the reader can have.
    const isSystems = (each: MissingReportSymbols): number =>
      Number(isSystemImage(each.image) || /^\?+$/.test(each.image.name));
    missing.sort((a, b) =>
      isSystems(a) - isSystems(b) ||
      b.crashedFrames - a.crashedFrames || b.frames - a.frames ||
      (a.image.name < b.image.name ? -1 : 1)
    );
    return {
      report: new CrashReport({ ...report, text, threads, lastException }),
      named: this.#named,
      missing,
    };
  }

  /** @param leaf whether frame 0 holds an exact program counter */
  #stack(frames: readonly ReportFrame[], crashed: boolean, leaf: boolean): ReportFrame[] {
    const result: ReportFrame[] = [];
    // A piece of a stack keeps its place; its first frame is a caller.
    const first = frames[0]?.index ?? 0;
    // Frames that a copy leaves out keep their numbers.
    let left = 0;
    let last = first - 1;
    const next = (): number => first + result.length + left;
    let exact = leaf && first === 0;
    let wasInlined = false;
    for (const frame of frames) {
      left += Math.max(0, frame.index - last - 1);
      last = frame.index;
      if (frame.inlined) {
        wasInlined = true;
        result.push(numbered(frame, next()));
        continue;
      }
      const named = wasInlined || frame.file !== null ? null : this.#name(frame, exact, crashed);
      wasInlined = false;
      exact = frame.symbol === trampoline;
      if (named === null) {
        result.push(numbered(frame, next()));
        continue;
      }
      this.#named++;
      if (this.#inPlace) this.#edit(frame, named);
      for (const inlined of named.inlined) result.push({ ...inlined, index: next() });
      result.push({ ...named.frame, index: next(), span: null });
    }
    return result;
  }

  #lookup(image: ReportImage): ImageLookup | null {
    let lookup = this.#lookups.get(image);
    if (lookup === undefined) {
      lookup = image.uuid === null
        ? null
        : this.#symbols.find(image, this.#report.arch, this.#report);
      this.#lookups.set(image, lookup);
    }
    return lookup;
  }

  #place(image: ReportImage, lookup: ImageLookup, offset: number): AddressInfo | null {
    let places = this.#places.get(image);
    if (places === undefined) this.#places.set(image, places = new Map());
    let place = places.get(offset);
    if (place === undefined) places.set(offset, place = lookup.at(offset));
    return place;
  }

  /** The symbolicated frame; `null` when symbols add nothing. */
  #name(frame: ReportFrame, exact: boolean, crashed: boolean): Named | null {
    const { image } = frame;
    if (image === null) return null;
    const lookup = this.#lookup(image);
    if (lookup === null) {
      if (
        (frame.symbol === null || frame.symbol === "<redacted>") && !isCompiled(frame) &&
        !this.#isOthers
      ) {
        const counts = this.#missing.get(image) ?? { crashedFrames: 0, frames: 0 };
        counts.frames++;
        if (crashed) counts.crashedFrames++;
        this.#missing.set(image, counts);
      }
      return null;
    }
    const bias = exact ? 0 : this.#bias;
    const distance = frame.address - image.base - BigInt(bias);
    if (distance < 0n || distance > 0xffff_ffffn) return null;
    const place = this.#place(image, lookup, Number(distance));
    if (place === null) return null;
    const own = place.frames.at(-1);
    const name = own?.function ?? place.symbol?.name;
    if (name === undefined) return null;
    const { functionStart } = place;
    const offset = functionStart === null ? null : Number(distance - functionStart) + bias;
    // The same function, by its start: the report's spelling of its name stays.
    const same = frame.symbol !== null && frame.symbol !== "<redacted>" &&
      (frame.offset === offset || frame.symbol === name);
    if (same && own === undefined) return null;
    const symbol = same ? frame.symbol : this.#demangle(name);
    const { nearest: _, ...bare } = frame;
    return {
      frame: {
        ...bare,
        symbol,
        offset: same ? frame.offset : offset,
        ...source(own),
      },
      inlined: place.frames.slice(0, -1).map((inlined) => ({
        ...bare,
        symbol: this.#demangle(inlined.function),
        offset: null,
        ...source(inlined),
        inlined: true,
        span: null,
      })),
    };
  }

  #edit(frame: ReportFrame, named: Named): void {
    const { span } = frame;
    if (span === null) return;
    if (this.#report.format === "ips") {
      this.#editJson(span, named);
      return;
    }
    // Addresses in a list have no column of their own.
    if (span.place === undefined) return;
    const columns = this.#report.text.slice(span.start, span.place);
    const gap = /\s$/.test(columns) ? "" : " ";
    const lines = [...named.inlined, named.frame].map((frame) =>
      `${columns}${gap}${placeText(frame)}`
    );
    this.edits.push({ start: span.start, end: span.end, text: lines.join(this.#ending) });
  }

  #editJson(span: { start: number; end: number }, named: Named): void {
    const { text } = this.#report;
    const separator = this.#spaced ? " : " : ":";
    const before = text.slice(span.start, span.end);
    const { value } = parseJson(before);
    const known = value as Record<string, JsonValue>;
    const added = members(named.frame);
    const isNew = !Object.keys(added).some((key) => Object.hasOwn(known, key));
    let own: string;
    if (isNew) {
      const inside = before.slice(0, -1).trimEnd();
      const rest = stringifyJson(added, 0, separator).slice(1);
      own = `${inside},${rest.slice(0, -1)}${before.slice(inside.length, -1)}}`;
    } else {
      own = stringifyJson({ ...known, ...added }, 0, separator);
    }
    const { imageOffset, imageIndex } = known;
    const inlined = named.inlined.map((frame) =>
      stringifyJson(
        {
          ...members(frame),
          inline: true,
          ...(imageIndex === undefined ? {} : { imageIndex }),
          imageOffset,
        },
        0,
        separator,
      )
    );
    this.edits.push({ ...span, text: [...inlined, own].join(",") });
  }

  /** Replaces a list of addresses by frame lines, if any address was named. */
  #editAddressList(
    before: readonly ReportFrame[] | null,
    after: readonly ReportFrame[] | null,
  ): void {
    const first = before?.[0]?.span;
    const last = before?.at(-1)?.span;
    if (!this.#inPlace || this.#report.format !== "crash" || after === null) return;
    if (first == null || last == null) return;
    if (first.place !== undefined || !after.some(({ symbol }) => symbol !== null)) return;
    const digits = this.#report.arch === null || archs[this.#report.arch].pointerSize === 8
      ? 16
      : 8;
    const lines: string[] = [];
    let number = 0;
    for (const frame of after) {
      lines.push(frameText(number, frame, `0x${frame.address.toString(16).padStart(digits, "0")}`));
      if (!frame.inlined) number++;
    }
    this.edits.push({ start: first.start, end: last.end, text: lines.join(this.#ending) });
  }

  /** Symbolicates a call tree and its heaviest stack. Iterative: trees may be deeper than the call stack
   * allows. */
  #tree(thread: ReportThread): ReportThread {
    const roots: CallTreeNode[] = [];
    const left = thread.tree.toReversed().map((node) => ({ node, into: roots }));
    for (let item = left.pop(); item !== undefined; item = left.pop()) {
      const { node, into } = item;
      const named = node.frame.file === null
        ? this.#name(node.frame, node.children.length === 0, false)
        : null;
      if (named !== null) {
        this.#named++;
        if (this.#inPlace) this.#editTree(named.frame);
      }
      const children: CallTreeNode[] = [];
      into.push({ ...node, frame: named === null ? node.frame : named.frame, children });
      for (const child of node.children.toReversed()) left.push({ node: child, into: children });
    }
    const frames: ReportFrame[] = [];
    let level: readonly CallTreeNode[] = roots;
    while (level.length > 0) {
      const heaviest = level.reduce((best, node) => node.count > best.count ? node : best);
      frames.push(heaviest.frame);
      level = heaviest.children;
    }
    frames.reverse();
    return { ...thread, tree: roots, frames: frames.map((frame, index) => ({ ...frame, index })) };
  }

  #editTree(frame: ReportFrame): void {
    if (frame.span === null) return;
    const { start, end } = frame.span;
    const line = this.#report.text.slice(start, end);
    const at = line.indexOf("???");
    const bracket = line.lastIndexOf("[0x");
    if (at < 0 || bracket < at) return;
    const offset = frame.offset === null ? "" : ` + ${frame.offset}`;
    const place = frame.file === null ? "" : `${baseName(frame.file)}:${frame.line ?? 0}`;
    if (this.#report.format === "sample") {
      const image = frame.imageName === null ? "" : `  (in ${frame.imageName})`;
      const tail = place === "" ? "" : `  ${place}`;
      const rest = line.slice(bracket).trimEnd();
      this.edits.push({
        start: start + at,
        end,
        text: `${frame.symbol}${image}${offset}  ${rest}${tail}`,
      });
      return;
    }
    let rest = line.slice(at + 3);
    if (place !== "") rest = rest.replace(" (", ` (${place} in `);
    this.edits.push({ start: start + at, end, text: `${frame.symbol}${offset}${rest}` });
  }
}

/** A frame with another number; the same object if it has that number already. */
function numbered(frame: ReportFrame, index: number): ReportFrame {
  return frame.index === index ? frame : { ...frame, index };
}

function source(
  frame: SourceFrame | undefined,
): Pick<ReportFrame, "file" | "line" | "column"> {
  const location = frame?.location ?? null;
  return {
    file: (location?.file ?? null) as RawText | null,
    line: location === null || location.line === 0 ? null : location.line,
    column: location === null || location.column === 0 ? null : location.column,
  };
}

/** The JSON members of a frame's name and source location. */
function members(frame: ReportFrame): Record<string, JsonValue> {
  const { symbol, offset, file, line } = frame;
  return {
    ...(file === null ? {} : { sourceFile: baseName(file) }),
    ...(line === null ? {} : { sourceLine: line }),
    ...(symbol === null ? {} : { symbol }),
    ...(offset === null ? {} : { symbolLocation: offset }),
  };
}
