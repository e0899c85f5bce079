/** `machpause profile`: a profile as text. */
import { escape, safe, safeJson, type SafeText } from "../../../lib/escape.ts";
import {
  type CallTree,
  callTree,
  functionName,
  functionWeights,
  type Profile,
  SampleState,
  selectSamples,
  threadTitle,
  totalWeight,
} from "../../../lib/profile/mod.ts";
import { UserError } from "../../errors.ts";
import { print, printLines, terminalSize } from "../../view/output.ts";
import { shortName } from "../../view/short_name.ts";
import { tableLines } from "../../view/table.ts";
import { textWidth } from "../../edit/width.ts";
import { count, cut, grouped, padStart, spaces } from "../../view/text.ts";
import type { Values } from "../../options.ts";
import type { profileOptions } from "./options.ts";
import { readProfileFiles } from "./read.ts";
import { sizeText } from "./size.ts";

/** Functions that are listed. */
const usualTop = 20;
/** Calls of a smaller share are not shown in a tree. */
const leastShare = 0.01;
/** The largest time that a Date can hold. */
const MAX_DATE = 8.64e15;
/** Lines of a tree. */
const mostLines = 2000;
/** Columns that a function's name gets, however deep in a tree it is. */
const leastName = 16;

/** Runs the command.
 *
 * @throws UserError for a thread that is not there
 */
export async function showProfile(
  paths: readonly string[],
  options: Values<typeof profileOptions>,
): Promise<number> {
  const whole = await readProfileFiles(paths, options);
  const threads = options.thread === undefined
    ? undefined
    : [...new Set(options.thread.flatMap((text) => threadsOf(whole, text)))];
  const indexes = threads ?? whole.threads.map((_, index) => index);
  const profile = threads === undefined ? whole : selectSamples(whole, { threads });
  if (options.json) {
    const json = {
      ...profileJson(profile, indexes, options.top ?? usualTop),
      ...options.tree || options.inverted ? { tree: treeJson(profile, options.inverted) } : {},
    };
    print(safe`${safeJson(json)}\n`);
    return 0;
  }
  const { columns } = Deno.stdout.isTerminal() ? terminalSize() : { columns: Infinity };
  const screen = { size: () => ({ columns }) };
  printLines(headLines(profile));
  if (options.tree || options.inverted) {
    printLines([safe``, ...treeLines(profile, options.inverted ?? false, columns)]);
    return 0;
  }
  printLines([safe``, ...await threadLines(profile, indexes, screen)]);
  printLines([safe``, ...await functionLines(profile, options.top ?? usualTop, screen)]);
  return 0;
}

/** The indexes of the threads that an option means: one by its index, or all of that name.
 *
 * @throws UserError when there is none
 */
function threadsOf({ threads }: Profile, text: string): number[] {
  if (/^\d+$/.test(text) && threads[Number(text)] !== undefined) return [Number(text)];
  const found = threads.flatMap((thread, index) =>
    thread.name === text || threadTitle(thread) === text ? [index] : []
  );
  if (found.length > 0) return found;
  throw new UserError(`there is no thread ${text}: they are 0 to ${threads.length - 1}`);
}

/** A weight with its unit. */
function weightText(profile: Profile, weight: number): SafeText {
  const { unit } = profile;
  // Other programs' counts may be fractions.
  if (unit === "samples") return grouped(Number(weight.toFixed(3)));
  if (unit === "bytes") return safe`${grouped(Math.round(weight))} B`;
  const milliseconds = weight / (unit === "nanoseconds" ? 1e6 : unit === "microseconds" ? 1e3 : 1);
  return safe`${Number(milliseconds.toFixed(milliseconds < 10 ? 3 : 1))} ms`;
}

function percent(part: number, whole: number): SafeText {
  return safe`${escape((whole === 0 ? 0 : part / whole * 100).toFixed(1))} %`;
}

function headLines(profile: Profile): SafeText[] {
  const { product, arch, os, startTime, interval, processes, lost } = profile;
  const [process] = processes;
  const what = product ?? process.name ?? "profile";
  const about = [
    processes.length > 1
      ? `${grouped(processes.length)} processes`
      : process.pid === null
      ? null
      : `pid ${process.pid}`,
    arch,
    os,
    startTime === null || Math.abs(startTime) > MAX_DATE ? null : new Date(startTime).toISOString(),
  ].filter((text) => text !== null).join(", ");
  const every = interval > 0 ? safe`, every ${Number(interval.toFixed(3))} ms` : safe``;
  const missed = lost > 0 ? safe`, ${grouped(lost)} lost` : safe``;
  const total = profile.unit === "samples"
    ? safe``
    : safe`; total ${weightText(profile, totalWeight(profile))}`;
  return [
    about === "" ? escape(what) : safe`${escape(what)}: ${escape(about)}`,
    safe`${sizeText(profile)}${every}${missed}${total}`,
  ];
}

/** What a thread took, and how much of that it was on a CPU: by its CPU time, where the samples have it.
 * Otherwise by its state, which counts the time in which it was ready and other threads had the CPUs. */
export function threadSums(profile: Profile, index: number) {
  const { samples } = profile.threads[index];
  const sums = { weight: 0, onCPU: 0, known: 0 };
  const isCounted = profile.unit === "samples" && profile.interval > 0;
  let microseconds = 0;
  let timed = 0;
  for (let row = 0; row < samples.length; row++) {
    const weight = samples.weight[row];
    sums.weight += weight;
    if (samples.state[row] !== SampleState.unknown) sums.known += weight;
    if (samples.state[row] !== SampleState.onCPU) continue;
    if (isCounted && !Number.isNaN(samples.cpu[row])) {
      microseconds += samples.cpu[row];
      timed += weight;
    } else {
      sums.onCPU += weight;
    }
  }
  // What it ran while samples were lost is in the next one.
  if (timed > 0) sums.onCPU += Math.min(timed, microseconds / 1000 / profile.interval);
  return sums;
}

async function threadLines(
  profile: Profile,
  indexes: readonly number[],
  screen: { size(): { readonly columns: number } },
): Promise<SafeText[]> {
  const total = totalWeight(profile);
  const several = profile.processes.length > 1;
  const rows = profile.threads.map((thread, index) => {
    const { weight, onCPU, known } = threadSums(profile, index);
    const { name, pid } = profile.processes[thread.process];
    const process = several ? safe`${escape(name ?? "?")} [${escape(`${pid ?? "?"}`)}] ` : safe``;
    return {
      weight,
      cells: [
        safe`${indexes[index]}`,
        weightText(profile, weight),
        percent(weight, total),
        known === 0 ? safe`` : percent(onCPU, known),
        safe`${process}${escape(threadTitle(thread))}`,
      ],
    };
  }).sort((one, other) => other.weight - one.weight);
  const shown = rows.slice(0, 50).map(({ cells }) => cells);
  const header = ["THREAD", "WEIGHT", "SHARE", "ON CPU", "NAME"].map((text) => escape(text));
  const hidden = rows.length - shown.length;
  return [
    ...await tableLines(screen, header, shown),
    ...hidden > 0 ? [safe`and ${count(hidden, "thread")} more`] : [],
  ];
}

async function functionLines(
  profile: Profile,
  top: number,
  screen: { size(): { readonly columns: number } },
): Promise<SafeText[]> {
  const total = totalWeight(profile);
  const weights = functionWeights(profile);
  const shown = weights.slice(0, top);
  const rows = shown.map(({ function: of, self, total: all }) => [
    weightText(profile, self),
    percent(self, total),
    weightText(profile, all),
    percent(all, total),
    placeText(profile, of, Infinity),
  ]);
  const header = ["SELF", "", "TOTAL", "", "FUNCTION"].map((text) => escape(text));
  const hidden = weights.length - rows.length;
  return [
    ...await tableLines(
      screen,
      header,
      rows,
      undefined,
      (_, width, row) => placeText(profile, shown[row].function, width),
    ),
    ...hidden > 0 ? [safe`and ${count(hidden, "function")} more: --top ${weights.length}`] : [],
  ];
}

/** A function with its image and file. Where there is little room, these go first: the name says most. */
function placeText(profile: Profile, of: number, width: number): SafeText {
  const { name, image, file } = placeOf(profile, of);
  const inside = image === null ? "" : `  ${image}`;
  const source = file === null ? "" : `  ${file}`;
  const base = file === null ? "" : `  ${file.slice(file.lastIndexOf("/") + 1)}`;
  for (const tail of [inside + source, inside + base, inside]) {
    const whole = escape(name + tail);
    if (textWidth(whole) <= width) return whole;
  }
  return cut(escape(shortName(name, width)), width);
}

/** What is told of a function. What has no name is called after its image. */
function placeOf(profile: Profile, of: number) {
  const { functions, images, strings } = profile;
  const image = functions.name[of] < 0 ? undefined : images[functions.image[of]]?.name;
  const file = functions.file[of];
  return {
    name: functionName(profile, of),
    image: image ?? null,
    file: file < 0 ? null : strings[file],
  };
}

/** The rows of a call tree that are shown, callers before what they call, and how deep each is. */
function* treeRows(tree: CallTree, total: number): Generator<{ node: number; depth: number }> {
  const left = childrenOf(tree, -1, total).map((node) => ({ node, depth: 0 }));
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    const { node, depth } = item;
    yield item;
    for (const child of childrenOf(tree, node, total)) left.push({ node: child, depth: depth + 1 });
  }
}

function treeLines(profile: Profile, inverted: boolean, columns: number): SafeText[] {
  const tree = callTree(profile, { inverted });
  const total = totalWeight(profile);
  const shown: SafeText[] = [];
  for (const { node, depth } of treeRows(tree, total)) {
    const weight = weightText(profile, tree.total[node]);
    const share = percent(tree.total[node], total);
    const head = safe`${padStart(share, 7)} ${padStart(weight, 9)}  ${
      spaces(Math.min(depth, 200))
    }`;
    const room = Math.max(leastName, columns - textWidth(head));
    const line = safe`${head}${placeText(profile, tree.key[node], room)}`;
    shown.push(columns === Infinity ? line : cut(line, columns));
    if (shown.length === mostLines) return [...shown, safe`and more`];
  }
  return shown;
}

/** The same rows for JSON: a list, since trees are deep. */
function treeJson(profile: Profile, inverted = false) {
  const tree = callTree(profile, { inverted });
  const rows = [];
  for (const { node, depth } of treeRows(tree, totalWeight(profile))) {
    const place = placeOf(profile, tree.key[node]);
    rows.push({ depth, ...place, self: tree.self[node], total: tree.total[node] });
    if (rows.length === mostLines) break;
  }
  return rows;
}

/** The children that are shown, the heaviest last: they are taken from the end. */
function childrenOf(tree: CallTree, node: number, total: number): number[] {
  return tree.children(node).filter((child) => tree.total[child] >= total * leastShare)
    .toReversed();
}

/** The form of `profile --json`. */
function profileJson(profile: Profile, indexes: readonly number[], top: number) {
  return {
    product: profile.product,
    arch: profile.arch,
    osVersion: profile.os,
    startTime: profile.startTime,
    intervalMilliseconds: profile.interval,
    unit: profile.unit,
    aggregated: profile.aggregated,
    lost: profile.lost,
    total: totalWeight(profile),
    threads: profile.threads.map((thread, at) => {
      const { weight, onCPU, known } = threadSums(profile, at);
      const { name, pid } = profile.processes[thread.process];
      return {
        index: indexes[at],
        id: thread.id === null ? null : Number(thread.id),
        name: thread.name,
        queue: thread.queue,
        main: thread.isMain,
        process: name,
        pid,
        samples: thread.samples.length,
        weight,
        onCPU: known === 0 ? null : Math.round(onCPU * 100) / 100,
      };
    }),
    functions: functionWeights(profile).slice(0, top).map(({ function: of, self, total }) => ({
      name: functionName(profile, of),
      image: profile.images[profile.functions.image[of]]?.name ?? null,
      file: profile.strings[profile.functions.file[of]] ?? null,
      self,
      total,
    })),
  };
}
