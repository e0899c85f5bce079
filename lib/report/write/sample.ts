/** Profiles as the text of `/usr/bin/sample`. Its layout is that of the outputs that people paste into bug
 * reports (report version 7), and its rules those of macOS's sample(1). */

import type { RawText } from "../../escape.ts";
import { functionName, type Profile, type ProfileThread } from "../../profile/mod.ts";
import { isSystemPath } from "../../symbols/system_image.ts";

/** What `sample` says besides the profile. */
export interface SampleTextFacts {
  /** Milliseconds between samples. */
  readonly interval: number;
  /** Path of the program. */
  readonly path?: RawText;
  /** When the sampling began. */
  readonly date?: Date;
  /** The parent, as in `launchd [1]`. */
  readonly parent?: RawText;
  /** What is known of the queues, by label. */
  readonly queues?: ReadonlyMap<RawText, SampledQueue>;
  /** Prints whole paths of source files. */
  readonly fullPaths?: boolean;
}

/** A dispatch queue. */
export interface SampledQueue {
  readonly serialNumber: bigint | null;
  readonly kind: "serial" | "concurrent" | null;
}

/** Fewer occurrences are left out of the two sums. */
const least = 5;

/** How many addresses of one function are written. */
const mostPlaces = 2;

/** The lines beside siblings that follow, by turns. */
const marks = ["+ ", "! ", ": ", "| "];

/** A function in the call tree of a thread. */
interface Node {
  /** Index of the function. */
  readonly of: number;
  /** Its first frame. */
  readonly frame: number;
  count: number;
  /** Samples by address. */
  readonly addresses: Map<bigint, number>;
  readonly children: Map<number, Node>;
}

/** What names are made from. */
interface Names {
  readonly profile: Profile;
  readonly fullPaths: boolean;
}

/** The lines of a report.
 *
 * @example
 * ```ts
 * import { attach } from "@machpause/machpause";
 * import { sampleLines } from "./sample.ts";
 *
 * using target = attach("MyApp");
 * const profile = await target.record({ rate: 1000, duration: 1, offCpu: true });
 * console.log([...sampleLines(profile, { interval: 1 })].join("\n"));
 * ```
 */
export function* sampleLines(profile: Profile, facts: SampleTextFacts): Generator<string> {
  yield* headerLines(profile, facts);
  const names = { profile, fullPaths: facts.fullPaths ?? false };
  const occurrences = new Map<number, { count: number; node: Node }>();
  const tops = new Map<string, number>();
  yield "Call graph:";
  const threads = byThread(profile);
  for (const [index, rows] of threads.entries()) {
    // The threads are siblings too.
    const turn = threads.length > 1 ? 0 : -1;
    const indent = index < threads.length - 1 ? `    ${marks[0]}` : "      ";
    yield* threadLines(names, rows, facts, { indent, turn }, (node, self) => {
      const known = occurrences.get(node.of);
      if (known === undefined) occurrences.set(node.of, { count: 1, node });
      else known.count++;
      if (self > 0) {
        const top = topName(names, node);
        tops.set(top, (tops.get(top) ?? 0) + self);
      }
    });
  }
  yield "";
  yield `Total number in stack (recursive counted multiple, when >=${least}):`;
  for (
    const { count, node } of [...occurrences.values()].filter(({ count }) => count >= least)
      .sort((a, b) => b.count - a.count)
  ) yield `        ${`${count}`.padEnd(8)}${nodeName(names, node)}`;
  yield "";
  yield `Sort by top of stack, same collapsed (when >= ${least}):`;
  for (
    const [name, count] of [...tops].filter(([, count]) => count >= least)
      .sort((a, b) => b[1] - a[1])
  ) yield `        ${name}        ${count}`;
  yield "";
  yield "Binary Images:";
  yield* imageLines(profile);
}

function* headerLines(profile: Profile, facts: SampleTextFacts): Generator<string> {
  const { interval, path, date, parent } = facts;
  const { name, pid } = profile.processes[0];
  const shown = oneLine(name ?? "???");
  const program = profile.images.find((image) => image.path === path) ?? profile.images[0];
  const every = interval === 1 ? "1 millisecond" : `${interval} milliseconds`;
  yield `Analysis of sampling ${shown} (pid ${pid ?? "???"}) every ${every}`;
  yield `Process:         ${shown} [${pid ?? "???"}]`;
  yield `Path:            ${oneLine(path ?? program?.path ?? "???")}`;
  if (program !== undefined) yield `Load Address:    0x${program.address.toString(16)}`;
  yield `Identifier:      ${shown}`;
  yield "Version:         ???";
  yield `Code Type:       ${codeTypes[profile.arch ?? ""] ?? "???"}`;
  yield `Parent Process:  ${oneLine(parent ?? "???")}`;
  yield "";
  if (date !== undefined) yield `Date/Time:       ${localTime(date)}`;
  yield `OS Version:      ${oneLine(profile.os ?? "???")}`;
  yield "Report Version:  7";
  yield "Analysis Tool:   machpause";
  yield "----";
  yield "";
}

const codeTypes: Readonly<Record<string, string>> = {
  arm64: "ARM64",
  x86_64: "X86-64",
  i386: "X86",
  armv7: "ARM",
};

/** Such as `2020-05-05 05:05:05.555 +0200`. */
function localTime(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + minutes * 60_000).toISOString();
  const two = (value: number) => `${Math.floor(value)}`.padStart(2, "0");
  const zone = `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}${
    two(Math.abs(minutes) % 60)
  }`;
  return `${local.slice(0, 10)} ${local.slice(11, 23)} ${zone}`;
}

/** Text of the target in a line of its own. */
function oneLine(text: RawText): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\0-\x1f\x7f]/g, " ");
}

/** The rows of each thread, which has one for each queue that it served; the main thread first, then by
 * identifier, which is the order in which sample has them. */
function byThread({ threads }: Profile): ProfileThread[][] {
  const groups = new Map<bigint | ProfileThread, ProfileThread[]>();
  for (const thread of threads) {
    if (thread.samples.length === 0) continue;
    const group = groups.get(thread.id ?? thread);
    if (group === undefined) groups.set(thread.id ?? thread, [thread]);
    else group.push(thread);
  }
  const isMain = (rows: ProfileThread[]) => Number(rows.some((row) => row.isMain));
  const byId = ([{ id: a }]: ProfileThread[], [{ id: b }]: ProfileThread[]) =>
    a === null || b === null || a === b ? 0 : a < b ? -1 : 1;
  return [...groups.values()].sort((a, b) => isMain(b) - isMain(a) || byId(a, b));
}

/** The title of a thread, such as `Thread_123: name   DispatchQueue_1: label  (serial)`. */
function threadTitle(rows: readonly ProfileThread[], facts: SampleTextFacts): string {
  const [{ id }] = rows;
  const name = rows.findLast((row) => row.name !== null)?.name ?? null;
  const queues = [...new Set(rows.flatMap(({ queue }) => queue === null ? [] : [queue]))];
  let title = `Thread_${id ?? "???"}`;
  if (name !== null) title += `: ${oneLine(name)}`;
  if (queues.length > 1) return `${title}   DispatchQueue_<multiple>`;
  if (queues.length === 0) return title;
  const known = facts.queues?.get(queues[0]);
  title += `   DispatchQueue_${known?.serialNumber ?? "???"}: ${oneLine(queues[0])}`;
  return known?.kind == null ? title : `${title}  (${known.kind})`;
}

/** The call tree of a thread.
 *
 * @param turn of the marks that the line beside the thread has; -1 without one
 * @param seen gets each node with the samples in which it was the innermost
 */
function* threadLines(
  names: Names,
  rows: readonly ProfileThread[],
  facts: SampleTextFacts,
  { indent, turn }: { readonly indent: string; readonly turn: number },
  seen: (node: Node, self: number) => void,
): Generator<string> {
  const { count, roots } = treeOf(names.profile, rows);
  yield `    ${count} ${threadTitle(rows, facts)}`;
  // A stack of its own: trees may be deeper than the call stack allows.
  const left: { node: Node; indent: string; turn: number; last: boolean }[] = [];
  const push = (nodes: Iterable<Node>, indent: string, turn: number) => {
    const sorted = [...nodes].sort((a, b) => b.count - a.count);
    const next = sorted.length > 1 ? turn + 1 : turn;
    sorted.forEach((_, index) => {
      const at = sorted.length - 1 - index;
      left.push({ node: sorted[at], indent, turn: next, last: at === sorted.length - 1 });
    });
  };
  push(roots.values(), indent, turn);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, indent, turn, last } = next;
    yield `${indent}${node.count} ${nodeName(names, node)}`;
    let inner = 0;
    for (const child of node.children.values()) inner += child.count;
    seen(node, node.count - inner);
    const mark = last ? "  " : marks[turn % marks.length];
    push(node.children.values(), indent + mark, turn);
  }
}

/** The functions of a thread by caller. */
function treeOf(
  { stacks, frames }: Profile,
  rows: readonly ProfileThread[],
): { count: number; roots: Map<number, Node> } {
  const weights = new Float64Array(stacks.length);
  let count = 0;
  for (const { samples } of rows) {
    for (let at = 0; at < samples.length; at++) {
      count += samples.weight[at];
      if (samples.stack[at] >= 0) weights[samples.stack[at]] += samples.weight[at];
    }
  }
  // A prefix has a lower index.
  for (let stack = stacks.length; stack-- > 0;) {
    if (stacks.prefix[stack] >= 0) weights[stacks.prefix[stack]] += weights[stack];
  }
  const roots = new Map<number, Node>();
  const nodes = new Map<number, Node>();
  for (let stack = 0; stack < stacks.length; stack++) {
    if (weights[stack] === 0) continue;
    const level = nodes.get(stacks.prefix[stack])?.children ?? roots;
    const frame = stacks.frame[stack];
    const of = frames.function[frame];
    let node = level.get(of);
    if (node === undefined) {
      node = { of, frame, count: 0, addresses: new Map(), children: new Map() };
      level.set(of, node);
    }
    nodes.set(stack, node);
    node.count += weights[stack];
    const address = frames.address[frame];
    node.addresses.set(address, (node.addresses.get(address) ?? 0) + weights[stack]);
  }
  return { count, roots };
}

/** The function and its image, as in `main  (in MyApp)`. */
function placeName({ profile }: Names, of: number): string {
  const { functions, images } = profile;
  const image = images[functions.image[of]];
  const name = functions.name[of] < 0 ? "???" : oneLine(functionName(profile, of));
  return `${name}  (in ${image === undefined ? "<unknown binary>" : oneLine(image.name)})`;
}

function topName(names: Names, node: Node): string {
  return names.profile.functions.name[node.of] < 0
    ? nodeName(names, node)
    : placeName(names, node.of);
}

/** As in `main  (in MyApp) + 24,30,...  [0x10a3b4f50,0x10a3b4f56,...]  main.c:12`. */
function nodeName(names: Names, { of, frame, addresses }: Node): string {
  const { functions, frames, images, strings } = names.profile;
  const places = [...addresses].sort((a, b) => b[1] - a[1]).map(([address]) => address);
  const list = (show: (address: bigint) => string) => {
    const shown = places.slice(0, mostPlaces).map(show).join();
    return places.length > mostPlaces ? `${shown},...` : shown;
  };
  const image = images[functions.image[of]];
  const start = functions.address[of];
  let text = placeName(names, of);
  if (functions.name[of] < 0 && image !== undefined) {
    const offset = (address: bigint) => `0x${(address - image.address).toString(16)}`;
    text += `  load address 0x${image.address.toString(16)} + ${list(offset)}`;
  } else if (functions.name[of] >= 0 && start > 0n) {
    text += ` + ${list((address) => `${address - start}`)}`;
  }
  text += `  [${list((address) => `0x${address.toString(16)}`)}]`;
  const file = functions.file[of] < 0 ? null : strings[functions.file[of]];
  if (file === null || frames.line[frame] === 0) return text;
  const shown = names.fullPaths ? file : file.slice(file.lastIndexOf("/") + 1);
  return `${text}  ${oneLine(shown)}:${frames.line[frame]}`;
}

function* imageLines({ images }: Profile): Generator<string> {
  const hex = (value: bigint) => `0x${value.toString(16)}`.padStart(18);
  const sorted = [...images].sort((a, b) => a.address < b.address ? -1 : 1);
  for (const { name, path, uuid, address, size } of sorted) {
    const end = size > 0n ? address + size - 1n : address;
    const mark = path !== null && isSystemPath(path) ? " " : "+";
    const id = uuid === null ? "" : ` <${uuid}>`;
    yield `${hex(address)} - ${hex(end)} ${mark}${oneLine(name)} (???)${id} ${
      oneLine(path ?? "???")
    }`;
  }
}
