/** Reading the call trees of `sample` and `spindump`. */

import { parseImageLine, parseSource } from "./crash_lines.ts";
import { fieldNames, Header } from "./crash_header.ts";
import type { JsonObject } from "../json.ts";
import { archOfCodeType, imageFinder } from "../images.ts";
import type { CallTreeNode, ReportFrame, ReportImage, ReportThread } from "../drafts.ts";
import { CrashReport, noProcess } from "../report.ts";
import { Lines, searchFlush } from "../text.ts";
import { namesByAtos, type SymbolicatedPlace } from "./copies.ts";
import { MAX_UNREAD, MAX_UNREAD_LENGTH } from "./titles.ts";

/** Number of characters in which the format is recognized. */
const PROBED = 1 << 16;

/** A thread's title with its first function, in a piece of what `sample` prints. */
const piece =
  /^[ \t]{0,12}\d{1,9} Thread_\d{1,12}\b.{0,200}\n{1,2}(?:[ \t+!:|]{1,16}\d{1,9} [^\s\d].{0,2000}|[ \t+!:|]{1,16}\d{1,9} \S.{0,2000}\[0x[0-9a-f]{1,16}[^\]\n]{0,400}\])/m;

/** Functions of a tree, each called by the one above it, without a thread's title. */
const untitled =
  /^([ \t+!:|]{0,200})\d{1,9} \S.{0,1000} \(in [^()\n]{1,120}\).{0,200} {1,2}\[0x[0-9a-f]{1,16}[^\]\n]{0,400}\].{0,200}\n\1[ +!:|]{1,2}\d{1,9} \S.{0,1000} \(in [^()\n]{1,120}\).{0,200} {1,2}\[0x/m;

/** A thread's title in a spindump; copies may have lost what it is set in by. */
const spindumpTitle =
  /^(?: {1,8}Thread 0x[0-9a-f]{1,16}\b|Thread 0x[0-9a-f]{1,16}\b.{0,400}\b\d{1,9} samples? \(\d)/m;

/** The title of the stack that resource reports show first. */
const heaviestTitle = /^Heaviest stack for the (?:main thread of the )?target process/m;

/** What other tools print, which people and spindump itself put behind the stacks: their lines are like those of reports. */
const others =
  /(?:Custom Output:|-{2,}FPS Report Legend:|={2,}Frame Rate Report:|leaks Report Version:|Process \d{1,9}: \d{1,12} (?:nodes malloced|leaks? for)|Virtual Memory Map of process|={4} Summary for process|(?:heap|leaks|vmmap|footprint|ddt)\[\d{1,9}\])/y;

/** What stands before the first stack of a `sample` or a spindump. */
const trees = /^(?:Call graph:|Heaviest stack for | {1,8}Thread 0x[0-9a-f]{1,16}\b)/m;

/** A line that is none of the list of images with which a `sample` ends. */
const behindImages = /^(?!0x|Sample analysis of |Analysis of sampling )\S/m;

/** The text of a `sample` or a spindump up to its end, without what other tools printed. */
export function treeText(text: string, from = 0): string {
  const begin = text.slice(from).search(trees);
  if (begin < 0) return text;
  const stacks = from + begin;
  const other = searchFlush(text, others, stacks);
  const own = other < 0 ? text : text.slice(0, other);
  if (!own.startsWith("Call graph:", stacks)) return own;
  const list = own.indexOf("\nBinary Images:", stacks);
  const feed = list < 0 ? -1 : own.indexOf("\n", list + 1);
  const behind = feed < 0 ? -1 : own.slice(feed + 1).search(behindImages);
  return behind < 0 ? own : own.slice(0, feed + 1 + behind);
}

/** The warning of a text that ends within the call tree of its last thread. */
export const cutTree = "the call tree of the last thread is cut off";

/** The warning of a text whose trees have lines that somebody left out. */
export const gaps = "lines of the call trees are left out";

/** A line of a tree. */
interface TreeLine {
  /** Column of the count; a larger one is deeper in the tree. */
  readonly depth: number;
  readonly count: number;
  readonly symbol: string | null;
  readonly offset: number | null;
  readonly imageName: string | null;
  readonly address: bigint;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

interface DraftNode {
  count: number;
  readonly frame: { -readonly [Key in keyof ReportFrame]: ReportFrame[Key] };
  children: DraftNode[];
}

interface DraftThread {
  /** Number of its samples, where its title has it. */
  count: number | null;
  id: bigint | null;
  name: string | null;
  queue: string | null;
  process: string | null;
  roots: DraftNode[];
}

/** Reads a call tree; `null` when the text has another format. */
export function readCallTree(
  file: string,
  whole: string,
  from: number,
  header: JsonObject | null,
): CrashReport | null {
  const text = treeText(whole, from);
  const head = text.slice(from, from + PROBED);
  // Searching for words first is faster: nearly all texts are others.
  const isCrash = /^Thread \d+\b/m;
  const format = (head.includes("Call graph:") || head.includes("Sort by top of stack")) &&
      /^(?:Call graph:|Sort by top of stack, same collapsed)/m.test(head) && !isCrash.test(head)
    ? "sample"
    : head.includes(" Thread_") && piece.test(head) && !isCrash.test(head)
    ? "sample"
    : head.includes("Thread 0x") && !isCrash.test(head) && spindumpTitle.test(head)
    ? "spindump"
    : head.includes("Heaviest stack") && heaviestTitle.test(head) ||
        head.includes("\nPowerstats for:")
    ? "spindump"
    : head.includes(" (in ") && untitled.test(head) && !isCrash.test(head)
    ? "sample"
    : null;
  if (format === null) return null;
  const isUntitled = format === "sample" && !/^[ \t]{0,12}\d{1,9} Thread_|^Sort by top/m.test(text);
  // If the threads have trees of their own, the heaviest stack only repeats one.
  const hasTrees = format === "sample" ||
    spindumpTitle.test(text.slice(from));
  const lines = new Lines(text, from);
  const fields: { name: string; value: string }[] = [];
  const images: ReportImage[] = [];
  const threads: DraftThread[] = [];
  const warnings: string[] = [];
  let thread: DraftThread | null = null;
  let process: string | null = null;
  /** The nodes from the root to the last one, with their columns. */
  /** Names of programs by what stands for their images where those have no name. */
  const programs = new Map<string, string>();
  let path: { depth: number; node: DraftNode }[] = [];
  let found = 0;
  /** Whether the lines are those of the heaviest stack, which are not indented by depth. */
  let flat = false;
  /** Column of the count in a thread's title; lines that are not further in have lost their indentation. */
  let margin = -1;
  /** How far a mail pushed the lines that it broke before what they say. */
  let pushed = 0;
  /** Whether the last line was a part of one of a tree. */
  let isPart = false;
  let hasPlaces = false;
  const unread: string[] = [];
  /** Whether the lines repeat how often each function was the innermost. */
  let isSorted = false;
  const sorted: string[] = [];
  /** Whether whoever copied the trees left lines of them out. */
  let hasGaps = false;

  for (let at = 0; at < lines.length; at++) {
    const line = lines.line(at);
    const trimmed = line.trim();
    if (trimmed === "") {
      if (flat && path.length > 0) {
        flat = false;
        thread = null;
      }
      continue;
    }
    // Without a heaviest stack the first tree is that of all threads.
    if (!hasTrees && threads.length === 0 && trimmed.startsWith("Powerstats for:")) {
      thread = { count: null, id: null, name: "heaviest stack", queue: null, process, roots: [] };
      threads.push(thread);
      path = [];
    }
    if (!hasTrees && threads.length === 0 && heaviestTitle.test(trimmed)) {
      flat = true;
      const queue = trimmed.includes("main thread") ? "com.apple.main-thread" : null;
      thread = { count: null, id: null, name: "heaviest stack", queue, process, roots: [] };
      threads.push(thread);
      path = [];
      continue;
    }
    const image = trimmed.startsWith("0x") ? parseImageLine(trimmed) : null;
    if (image !== null) {
      images.push(image);
      thread = null;
      continue;
    }
    const begun = format === "sample" ? sampleThread(line) : spindumpThread(trimmed);
    if (begun !== null) {
      thread = { ...begun, process, roots: [] };
      threads.push(thread);
      path = [];
      margin = format === "sample" ? countAt(line, " ") : line === trimmed ? 0 : -1;
      continue;
    }
    isPart &&= /^`{3}/.test(trimmed);
    // A mail breaks long lines, and those that are far in before what they say.
    const isPushed = format === "spindump" && path.length > 0 &&
      lines.end(at - 1) - lines.start(at - 1) <= 4 && /^ {1,4}$/.test(lines.line(at - 1));
    let written = line;
    for (
      let parts = 1;
      format === "spindump" && thread !== null && parts < MAX_PARTS && lacksPlace(written) &&
      at + 1 < lines.length && endsPlace.test(lines.line(at + 1));
      parts++
    ) written = `${written.trimEnd()} ${lines.line(++at).trim()}`;
    if (
      isUntitled && threads.length === 0 && at + 1 < lines.length &&
      untitled.test(`${line}\n${lines.line(at + 1)}`)
    ) {
      thread = { count: null, id: null, name: null, queue: null, process, roots: [] };
      threads.push(thread);
    }
    const entry = thread === null
      ? null
      : format === "sample"
      ? parseSampleLine(line)
      : parseSpindumpLine(written);
    if (entry !== null && thread !== null) {
      found++;
      const { count, ...place } = withoutDepth(entry);
      if (!isPushed) pushed = 0;
      else if (pushed === 0) pushed = path.at(-1)!.depth + 2 - entry.depth;
      // Roots that have more samples than the thread are no roots: the copy has lost what sets them in.
      if (path.length > 0 && entry.depth <= path[0].depth && thread.count !== null) {
        const sum = thread.roots.reduce((sum, root) => sum + root.count, count);
        if (sum > thread.count) {
          margin = Math.max(margin, entry.depth);
          path = path.map(({ node }, depth) => ({ depth, node }));
        }
      }
      const isLost = (format === "sample" ? entry.depth : countAt(line, " ")) <= margin;
      // What is called as often as its caller, or less, may be its only callee; more is another branch.
      if (isLost && path.length > 0 && path.at(-1)!.node.count < count) {
        if (!warnings.includes(lostIndentation)) warnings.push(lostIndentation);
        thread = null;
        continue;
      }
      hasPlaces ||= entry.address !== 0n && !/\d 0x[0-9a-f]{1,16}$/.test(trimmed);
      isPart = hasPlaces && entry.address === 0n ||
        (entry.address === 0n && isUnclosed(entry.symbol ?? ""));
      const depth = flat || isLost ? path.length : entry.depth + pushed;
      // What is less far in than a piece's first line belongs to another caller of what is not there.
      if (isUntitled && path.length > 0 && depth <= path[0].depth) {
        thread = null;
        continue;
      }
      while (path.length > 0 && path.at(-1)!.depth >= depth) path.pop();
      const node: DraftNode = {
        count,
        children: [],
        frame: {
          ...place,
          index: path.length,
          image: null,
          inlined: false,
          span: { start: lines.start(at), end: lines.end(at) },
        },
      };
      (path.at(-1)?.node.children ?? thread.roots).push(node);
      path.push({ depth, node });
      continue;
    }
    // Old spindumps have the kernel's part of the same samples apart.
    const isKernels = trimmed === "Kernel stack:" && (thread?.roots.length ?? 0) > 0;
    if (
      isKernels || /^(?:Total number in stack|Sort by top of stack|Binary Images)/.test(trimmed)
    ) {
      thread = null;
      isSorted = !isKernels && !trimmed.startsWith("Binary");
      continue;
    }
    if (thread !== null && path.length > 0 && partOfLine.test(line)) {
      isPart = true;
      continue;
    }
    const most = isSorted && sorted.length < MAX_SORTED ? sortedLine.exec(trimmed) : null;
    if (most !== null) sorted.push(`${most[1]} (${most[2]}) ${most[3]}`);
    isSorted &&= / {2}\d{1,9}$/.test(trimmed);
    if (thread !== null && /^[ +!:|]{0,400}(?:\[\.{3}\]|\.{3})$/.test(line)) hasGaps = true;
    const colon = trimmed.indexOf(":");
    const name = trimmed.slice(0, Math.max(colon, 0));
    let value = trimmed.slice(colon + 1).trim();
    // A long line that was broken goes on behind a space; those of stacks and lists are further in.
    while (
      colon > 0 && thread === null && line.startsWith(trimmed) && at + 1 < lines.length &&
      /^ [A-Za-z/(]/.test(lines.line(at + 1))
    ) value = `${value} ${lines.line(++at).trim()}`.trim();
    if (colon <= 0 || value === "" || name.length > 60) {
      if (
        format === "sample" && !isSorted && !ofSample.test(trimmed) &&
        unread.length < MAX_UNREAD && trimmed.length <= MAX_UNREAD_LENGTH
      ) unread.push(trimmed);
      continue;
    }
    if (name === "Process") {
      process = value;
      thread = null;
    }
    if (name === "UUID" && thread === null && process !== null) {
      programs.set(`<${value}>`, process.replace(/ \[\d{1,9}\].*$/, ""));
    }
    if (thread === null && (fieldNames.has(name.toLowerCase()) || line === trimmed)) {
      fields.push({ name, value });
    }
  }
  if (found === 0) warnings.push("the call trees are empty");
  // Where a text ends after a thread's start and what that called, the rest of the stack was cut off.
  if (flat && path.length > 0 && path.length <= START_DEPTH) isPart = true;
  // What other tools printed follows the whole of it.
  if (isPart && text.length === whole.length) warnings.push(cutTree);
  if (hasGaps) warnings.push(gaps);
  const symbolicated = namesByAtos(text === whole ? whole : whole.slice(0, 1 << 20));
  const find = imageFinder(images);
  const byName = new Map(images.map((image) => [image.name, image]));
  place(
    threads,
    (frame) =>
      find(frame.address) ??
        (frame.imageName === null ? null : byName.get(frame.imageName) ?? null),
    symbolicated,
    programs,
  );
  const known = new Header(fields, header, () => {});
  const several = new Set(threads.map(({ process }) => process)).size > 1;
  const codeType = known.codeType;
  return new CrashReport({
    format,
    file,
    text: whole,
    bugType: known.bugType,
    fields,
    sections: [],
    // Of several processes the first is not what the report is about, unless its header names it.
    process: several && !fields.some(({ name }) => /^(?:Command|PID)$/i.test(name))
      ? noProcess
      : known.process,
    arch: archOfCodeType(codeType) ??
      archOfCodeType(images.find(({ arch }) => arch !== null)?.arch ?? null),
    codeType,
    model: known.model,
    osVersion: known.osVersion,
    date: known.date,
    incident: known.incident,
    exception: known.exception,
    termination: known.termination,
    information: found === 0 && sorted.length > 0
      ? [`The functions that most samples stood in, of all threads: ${sorted.join(", ")}`]
      : [],
    threads: threads.map((thread, index) => finish(thread, index, several)),
    lastException: null,
    images,
    header,
    body: null,
    warnings,
    unread,
  });
}

/** Lines that `sample` writes beside its header and its trees. */
const ofSample =
  /^(?:Sampling |Sample analysis of |Analysis of sampling |Call graph:|-{2,}$|`{3}|Couldn't find |Binary images description|Cannot examine process |sample cannot )|^\+? ?\d{1,9} /;

/** A function with its image in the list of how often each was the innermost one; as many of them are told. */
const sortedLine = /^(\S.{0,300}?) {1,4}\(in ([^()]{1,120})\) {2,}(\d{1,9})$/;
const MAX_SORTED = 6;

/** Whether a line of a tree lacks its end, as a mail broke it. */
function lacksPlace(line: string): boolean {
  // Nearly none does.
  const at = line.lastIndexOf("[0x");
  return !(at >= 0 && at < 1000 && /[0-9a-f]/.test(line[at + 3] ?? "")) && opensPlace.test(line);
}

/** Such a line, what may follow, and into how many it was broken. */
const opensPlace = /^[ *]{0,400}\d{1,9}(?: |$)(?!.{0,1000}\[0x[0-9a-f])/;
const endsPlace = /^(?![ *]{0,400}\d{1,9} {1,4}[^\s()])\s{0,8}\S/;
const MAX_PARTS = 4;

/** Whether a function's name lacks its end. */
function isUnclosed(symbol: string): boolean {
  if (/^[-+]\[[^\]]*$/.test(symbol)) return true;
  let depth = 0;
  for (const character of symbol) depth += character === "(" ? 1 : character === ")" ? -1 : 0;
  return depth > 0;
}

/** A line of a tree, or its beginning, that could not be read, as a copy ends within it. */
const partOfLine = /^[ +!:|*]{0,400}(?:\d{0,9}\s{0,4}|\d{1,9} {1,4}\S.{0,2000})$/;

/** Outermost frames of a thread, which only start it. */
const START_DEPTH = 2;

const lostIndentation = "a call tree has lost its indentation: only its first branch is read";

function withoutDepth({ depth: _, ...rest }: TreeLine): Omit<TreeLine, "depth"> {
  return rest;
}

/** Sets each frame's image; one that has only the UUID of its process's program gets that name. Iterative: trees may be deeper than the call stack allows. */
function place(
  threads: readonly DraftThread[],
  find: (frame: ReportFrame) => ReportImage | null,
  symbolicated: ReadonlyMap<bigint, SymbolicatedPlace>,
  programs: ReadonlyMap<string, string>,
): void {
  const left = threads.flatMap(({ roots }) => roots);
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const { frame } = node;
    const place = frame.symbol === null ? symbolicated.get(frame.address) : undefined;
    const isSame = place !== undefined &&
      (frame.imageName === null || frame.imageName === place.imageName);
    const imageName = programs.get(frame.imageName ?? "") ?? frame.imageName;
    // Not a new one: there are hundreds of thousands.
    frame.image = find(frame);
    frame.imageName = imageName;
    if (isSame) Object.assign(frame, place);
    for (const child of node.children) left.push(child);
  }
}

/** The node with the most samples, of several the first; `null` where there is none. */
export function heaviestNode(level: readonly CallTreeNode[]): CallTreeNode | null {
  let best: CallTreeNode | null = null;
  for (const node of level) if (best === null || node.count > best.count) best = node;
  return best;
}

/** The root with the most samples: one without callees, beside others, is that of stacks that could not be walked. */
export function heaviestRoot(roots: readonly CallTreeNode[]): CallTreeNode | null {
  return heaviestNode(roots.filter(({ children }) => children.length > 0)) ?? heaviestNode(roots);
}

/** A thread with its heaviest stack as frames. */
function finish(thread: DraftThread, index: number, several: boolean): ReportThread {
  const { roots, process, count: _, ...rest } = thread;
  const frames: ReportFrame[] = [];
  const first = thread.name === "heaviest stack" ? heaviestRoot(roots) : heaviestNode(roots);
  for (let node = first; node !== null; node = heaviestNode(node.children)) frames.push(node.frame);
  frames.reverse();
  return {
    ...rest,
    index,
    crashed: false,
    frames: frames.map((frame, at) => ({ ...frame, index: at })),
    registers: [],
    flavor: null,
    process: several ? process : null,
    tree: roots,
  };
}

/** Column of the count in a tree line, after the characters that draw the tree. */
function countAt(line: string, marks: string): number {
  let at = 0;
  while (at < line.length && (line.charCodeAt(at) === 0x20 || marks.includes(line[at]))) at++;
  return at;
}

function countOf(line: string, at: number): { count: number; end: number } | null {
  let end = at;
  while (line.charCodeAt(end) >= 0x30 && line.charCodeAt(end) <= 0x39) end++;
  if (end === at || end - at > 12 || line.charCodeAt(end) !== 0x20) return null;
  return { count: Number(line.slice(at, end)), end: end + 1 };
}

/** `2543 Thread_12345: name   DispatchQueue_1: com.apple.main-thread  (serial)` */
function sampleThread(
  line: string,
): Pick<DraftThread, "id" | "name" | "queue" | "count"> | null {
  const at = countAt(line, " ");
  const count = countOf(line, at);
  if (count === null || !line.startsWith("Thread_", count.end)) return null;
  const rest = line.slice(count.end + 7).trimEnd();
  const digits = /^\d{1,20}/.exec(rest)?.[0];
  const queueAt = rest.indexOf("DispatchQueue_");
  const name = rest.slice(digits?.length ?? 0, queueAt < 0 ? undefined : queueAt)
    .replace(/^:/, "").trim();
  // `DispatchQueue_<multiple>` has no name.
  const nameAt = queueAt < 0 ? -1 : rest.indexOf(":", queueAt);
  const queue = nameAt < 0 ? "" : rest.slice(nameAt + 1).trim();
  const kind = / {1,2}\((?:serial|concurrent)\)$/.exec(queue);
  const queueName = kind === null ? queue : queue.slice(0, kind.index).trim();
  return {
    count: count.count,
    id: digits === undefined ? null : BigInt.asUintN(64, BigInt(digits)),
    name: name === "" ? null : name,
    queue: queueName === "" ? null : queueName,
  };
}

/** `Thread 0x1234    DispatchQueue "com.apple.main-thread"(1)    Thread name "x"   1001 samples (1-1001)` */
function spindumpThread(
  line: string,
): Pick<DraftThread, "id" | "name" | "queue" | "count"> | null {
  const id = line.startsWith("Thread 0x")
    ? /^Thread (0x[0-9a-fA-F]{1,16})\b/.exec(line)?.[1]
    : undefined;
  if (id === undefined) return null;
  return {
    count: null,
    id: BigInt(id),
    name: quotedAfter(line, "Thread name "),
    // libdispatch, src/init.c: the main queue's number is 1, the manager's 2.
    queue: quotedAfter(line, "DispatchQueue ") ??
      (/ DispatchQueue 1(?: |$)/.test(line)
        ? "com.apple.main-thread"
        : / DispatchQueue 2(?: |$)/.test(line)
        ? "com.apple.libdispatch-manager"
        : null),
  };
}

function quotedAfter(line: string, label: string): string | null {
  const at = line.indexOf(`${label}"`);
  if (at < 0) return null;
  const from = at + label.length + 1;
  const end = line.indexOf('"', from);
  return end < 0 ? null : line.slice(from, end);
}

/** The first address in the brackets of a tree line. */
function bracket(line: string): { at: number; end: number; address: bigint } | null {
  const at = line.lastIndexOf("[0x");
  if (at < 0) return null;
  const digits = /^\[(0x[0-9a-fA-F]{1,16})[,.\]]/.exec(line.slice(at, at + 24))?.[1];
  const end = line.indexOf("]", at);
  if (digits === undefined || end < 0) return null;
  return { at, end: end + 1, address: BigInt(digits) };
}

/** A function's name without a place. */
const unplaced = /^(?:[-+]\[\w|[A-Za-z_~$<])\S/;

/** An address in place of a name. */
const bareAddress = /^(0x[0-9a-f]{1,16})\s*$/;

/** What a line lacks that has an address only. */
const namelessLine = {
  symbol: null,
  offset: null,
  imageName: null,
  file: null,
  line: null,
  column: null,
} as const;

/** A place without its address: that of an image which is known by its UUID alone, or in a copy that leaves addresses out. */
function withoutAddress(
  place: string,
): Pick<TreeLine, "imageName" | "offset"> & Partial<Pick<TreeLine, "symbol">> | null {
  if (!place.endsWith(")")) return null;
  const nameless = /^\?{3}\s{1,4}\((<[\dA-F]{8}-[\dA-F-]{27}>|[^()<>]{1,120}) \+ (\d{1,12})\)$/i
    .exec(place);
  if (nameless !== null) return { imageName: nameless[1], offset: Number(nameless[2]) };
  const named = /^(\S.{0,1000}?) \+ (\d{1,9}) \(([^()<>]{1,120}) \+ \d{1,12}\)$/.exec(place);
  return named === null
    ? null
    : { symbol: named[1], offset: Number(named[2]), imageName: named[3] };
}

/** A place as atos writes it, with which tools replace an address: `main (in MyApp) (main.c:12)`. */
function placedByAtos(
  place: string,
): Pick<TreeLine, "symbol" | "imageName" | "file" | "line"> | null {
  const inAt = place.lastIndexOf(" (in ");
  if (inAt <= 0 || place[inAt - 1] === " ") return null;
  const match = /^ \(in ([^()]{1,200})\) \(([^()]{1,300}):(\d{1,9})\)$/.exec(place.slice(inAt));
  if (match === null) return null;
  return {
    symbol: place.slice(0, inAt).trim(),
    imageName: match[1],
    file: match[2],
    line: Number(match[3]),
  };
}

/** A function's image where a copy has lost one of two spaces. */
const narrow =
  / \(in [^()]{1,120}\)(?: {1,2}load address 0x[0-9a-f]{1,16})?(?: \+ (?:0x)?[0-9a-f][0-9a-fx,.]{0,300})?$/;

/** `2543 main  (in MyApp) + 24,30,...  [0x10a3b4f50,0x10a3b4f56,...]  main.c:12`, or
 * `2543 ???  (in MyApp)  load address 0x10a3b4000 + 0xf50  [0x10a3b4f50]`. */
export function parseSampleLine(line: string): TreeLine | null {
  const depth = countAt(line, " +!:|");
  const count = countOf(line, depth);
  if (count === null) return null;
  // Old versions print no addresses but those of code without a name, and a copy may end before one.
  const bare = bareAddress.exec(line.slice(count.end))?.[1];
  if (bare !== undefined) {
    return { ...namelessLine, depth, count: count.count, address: BigInt(bare) };
  }
  const found = bracket(line) ??
    (unplaced.test(line.slice(count.end))
      ? { at: line.length, end: line.length, address: 0n }
      : null);
  if (found === null || found.at < count.end) return null;
  const place = line.slice(count.end, found.at).trimEnd();
  const named = placedByAtos(place);
  if (named !== null) {
    return { ...namelessLine, ...named, depth, count: count.count, address: found.address };
  }
  const wide = place.lastIndexOf("  (in ");
  const inAt = wide >= 0 ? wide : narrow.exec(place)?.index ?? -1;
  const close = inAt < 0 ? -1 : place.indexOf(")", inAt);
  // A copy may end within what stands behind a name.
  const name = (inAt < 0 ? place.replace(/ {2}\(i?n?$/, "") : place.slice(0, inAt)).trim();
  const after = close < 0 ? "" : place.slice(place.lastIndexOf(")") + 1).trim();
  const offset = /^\+ (\d{1,15})\b/.exec(after)?.[1];
  const source = parseSource(line.slice(found.end).trim());
  const unknown = name === "" || name.startsWith("???");
  return {
    depth,
    count: count.count,
    symbol: unknown ? null : name,
    offset: unknown || offset === undefined ? null : Number(offset),
    imageName: inAt < 0 ? null : place.slice(
      place.indexOf("(in ", inAt) + 4,
      close < 0 ? undefined : place.lastIndexOf(")"),
    ),
    address: found.address,
    file: source?.file ?? null,
    line: source?.line ?? null,
    column: source?.column ?? null,
  };
}

/** `1001  start + 1903 (dyld + 88924) [0x1a1e0fb5c]`; a star before the count marks the kernel. */
export function parseSpindumpLine(line: string): TreeLine | null {
  const depth = countAt(line, " *");
  const count = countOf(line, depth);
  const unplaced = count === null ? null : withoutAddress(line.slice(count.end).trim());
  if (count !== null && unplaced !== null) {
    return { ...namelessLine, depth, count: count.count, address: 0n, ...unplaced };
  }
  const found = bracket(line);
  if (count === null || found === null || found.at < count.end) return null;
  let place = line.slice(count.end, found.at).trim();
  let imageName: string | null = null;
  let source: ReturnType<typeof parseSource> = null;
  const open = place.lastIndexOf(" (");
  if (place.endsWith(")") && open >= 0) {
    let inside = place.slice(open + 2, -1);
    place = place.slice(0, open).trim();
    if (inside.startsWith("in ")) inside = inside.slice(3);
    const inAt = inside.lastIndexOf(" in ");
    if (inAt >= 0) {
      source = parseSource(inside.slice(0, inAt));
      inside = inside.slice(inAt + 4);
    }
    const plus = inside.lastIndexOf(" + ");
    // Code that is made at run time is counted from the image before it: none is so large.
    const isBeyond = plus >= 0 && Number(inside.slice(plus + 3)) >= 2 ** 32;
    imageName = isBeyond ? null : plus < 0 ? inside : inside.slice(0, plus);
  }
  const plus = place.lastIndexOf(" + ");
  const offset = plus < 0
    ? null
    : /^\d{1,15}$/.test(place.slice(plus + 3))
    ? Number(place.slice(plus + 3))
    : null;
  const name = offset === null ? place : place.slice(0, plus);
  const unknown = name === "" || name.startsWith("???");
  return {
    depth,
    count: count.count,
    symbol: unknown ? null : name,
    offset: unknown ? null : offset,
    imageName: imageName === "" ? null : imageName,
    address: found.address,
    file: source?.file ?? null,
    line: source?.line ?? null,
    column: source?.column ?? null,
  };
}
