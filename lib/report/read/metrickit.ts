/** Reading MetricKit's diagnostics: Apple's `MXDiagnosticPayload` and `MXCallStackTree.jsonRepresentation()`. */

import type { CallTreeNode, ReportFrame, ReportImage, ReportThread } from "../drafts.ts";
import { exceptionName, signalName } from "../codes.ts";
import { archOfCodeType, normalUuid } from "../images.ts";
import { bigintAt, type JsonObject, numberAt, objectAt, textAt } from "../json.ts";
import { CrashReport, noException, noHeader, noProcess, type ReportException } from "../report.ts";
import { parseReason } from "./crash_header.ts";
import { headOf } from "../text.ts";
import { FrameMaker, imageOf, objectsAt, threadOf, uncaughtLine } from "./parts.ts";

/** Lists of a payload, and the `Event` that resource reports have for them. */
const lists = [
  ["crashDiagnostics", null],
  ["hangDiagnostics", "hang"],
  ["cpuExceptionDiagnostics", "cpu usage"],
  ["diskWriteExceptionDiagnostics", "disk writes"],
  ["appLaunchDiagnostics", "app launch"],
] as const;

/** What was used, with the name that resource reports have for it. */
const measures = [
  ["hangDuration", "Hang duration"],
  ["totalCPUTime", "CPU used"],
  ["writesCaused", "Writes"],
  ["launchDuration", "Duration"],
] as const;

/** Whether a JSON document is MetricKit's. */
export function isMetricKit(value: JsonObject): boolean {
  return lists.some(([name]) => Array.isArray(value[name])) ||
    objectAt(value, "callStackTree") !== null || isTree(value);
}

/** The exception of a diagnostic that was copied in words, by its numbers: `exceptionType: 10` and `signal: 9`. */
export function numberedException(text: string): ReportException | null {
  const head = headOf(text);
  const numberOf = (name: string): number | null => {
    const digits = new RegExp(`^[ \\t"]{0,200}${name}"?: {0,4}(\\d{1,3}),?\\s*$`, "m").exec(head)
      ?.[1];
    return digits === undefined ? null : Number(digits);
  };
  const type = exceptionName(numberOf("exceptionType"));
  return type === null ? null : { ...noException, type, signal: signalName(numberOf("signal")) };
}

function isTree(value: JsonObject): boolean {
  return objectsAt(value, "callStacks").some((stack) => Array.isArray(stack.callStackRootFrames));
}

/** Reads MetricKit's diagnostics, a report for each. */
export function readMetricKit(
  file: string,
  text: string,
  value: JsonObject,
  warnings: readonly string[],
): CrashReport[] {
  const date = textAt(value, "timeStampEnd");
  const reports = lists.flatMap(([name, event]) =>
    objectsAt(value, name).map((diagnostic) =>
      readDiagnostic(file, text, diagnostic, event, date, [...warnings])
    )
  );
  if (reports.length > 0) return reports;
  if (objectAt(value, "callStackTree") === null && !isTree(value)) return [];
  const data = metaOf(value);
  const event = measures.findIndex(([name]) => Object.hasOwn(data, name));
  return [
    readDiagnostic(file, text, value, event < 0 ? null : lists[event + 1][1], date, [...warnings]),
  ];
}

function metaOf(diagnostic: JsonObject): JsonObject {
  return objectAt(diagnostic, "diagnosticMetaData") ?? objectAt(diagnostic, "metaData") ??
    diagnostic;
}

function readDiagnostic(
  file: string,
  text: string,
  diagnostic: JsonObject,
  event: string | null,
  date: string | null,
  warnings: string[],
): CrashReport {
  const meta = metaOf(diagnostic);
  const tree = objectAt(diagnostic, "callStackTree") ?? diagnostic;
  const os = textAt(meta, "osVersion");
  const images = new ImageList(
    // There the load address stands where the offset should.
    /^(?:macOS 12|iPhone OS 1[45]|iPadOS 1[45])\b/.test(os ?? ""),
    textAt(meta, "platformArchitecture"),
  );
  const stacks = objectsAt(tree, "callStacks").slice(0, 2000).map((stack) => ({
    attributed: stack.threadAttributed === true,
    paths: pathsOf(objectsAt(stack, "callStackRootFrames"), images),
  }));
  const maker = new FrameMaker(images.all);
  const flip = isOutermostFirst(stacks.flatMap(({ paths }) => paths));
  const threads = stacks.map(({ attributed, paths }, index): ReportThread => {
    const inner = paths.map(({ count, frames }) => ({
      count,
      frames: flip ? frames.toReversed() : frames,
    }));
    const heaviest = inner.reduce<(typeof inner)[number] | null>(
      (best, path) => best === null || path.count > best.count ? path : best,
      null,
    );
    return threadOf(index, {
      name: event !== null && event !== "hang" && event !== "app launch" ? "heaviest stack" : null,
      crashed: event === null && (attributed || stacks.length === 1),
      frames: heaviest === null ? [] : maker.stack(heaviest.frames),
      tree: event === null ? [] : treeOf(inner, maker),
    });
  });
  // A hang is told of the main thread, which is the one that it is attributed to.
  if (event !== null) {
    const at = stacks.findIndex(({ attributed }) => attributed);
    if (at > 0) threads.unshift(...threads.splice(at, 1));
  }
  const type = exceptionName(numberAt(meta, "exceptionType"));
  const signal = signalName(numberAt(meta, "signal"));
  const code = bigintAt(meta, "exceptionCode");
  const region = textAt(meta, "virtualMemoryRegionInfo");
  const address = type === "EXC_BAD_ACCESS" ? addressOf(region) : null;
  const reason = objectAt(meta, "objectiveCexceptionReason") ?? objectAt(meta, "exceptionReason");
  const said = reason === null ? null : textAt(reason, "composedMessage");
  const raised = reason === null
    ? null
    : textAt(reason, "exceptionName") ?? textAt(reason, "exceptionType");
  const ended = textAt(meta, "terminationReason");
  const parsed = ended === null ? null : parseReason(ended);
  const version = textAt(meta, "appVersion") ?? textAt(diagnostic, "appVersion");
  const build = textAt(meta, "appBuildVersion");
  const arch = textAt(meta, "platformArchitecture");
  return new CrashReport({
    ...noHeader,
    format: "json",
    file,
    text,
    fields: [
      ...(event === null ? [] : [{ name: "Event", value: event }]),
      ...measures.flatMap(([name, title]) => {
        const value = textAt(meta, name);
        return value === null ? [] : [{ name: title, value: measureText(meta, name, value) }];
      }),
    ],
    sections: region === null ? [] : [{ name: "VM Region Info", lines: region.split("\n") }],
    process: {
      ...noProcess,
      pid: numberAt(meta, "pid"),
      identifier: textAt(meta, "bundleIdentifier"),
      version: version === null ? build : build === null ? version : `${version} (${build})`,
    },
    arch: archOfCodeType(arch),
    codeType: arch,
    model: textAt(meta, "deviceType"),
    osVersion: os,
    date,
    exception: type === null && signal === null ? null : {
      ...noException,
      type,
      signal,
      codes: code === null ? [] : address === null ? [code] : [code, address],
    },
    termination: parsed === null ? null : {
      namespace: parsed.namespace,
      code: parsed.code,
      reasons: parsed.rest === "" ? [] : [parsed.rest],
      byProcess: null,
      byPid: null,
    },
    information: raised !== null ? [uncaughtLine(raised, said)] : said !== null ? [said] : [],
    threads,
    images: images.all,
    warnings,
  });
}

/** `20 sec`, and of what for the time of the CPU. */
function measureText(meta: JsonObject, name: string, value: string): string {
  const over = name === "totalCPUTime" ? textAt(meta, "totalSampledTime") : null;
  return over === null ? value : `${value} of ${over} sampled`;
}

/** The address at the begin of `0x10 is not in any region.` */
function addressOf(region: string | null): bigint | null {
  const address = /^\s{0,8}(0x[0-9a-fA-F]{1,16}|\d{1,20})\b/.exec(region ?? "")?.[1];
  return address === undefined ? null : BigInt.asUintN(64, BigInt(address));
}

/** The images that frames name, in the order in which they do. */
class ImageList {
  readonly all: ReportImage[] = [];
  readonly #known = new Map<string, ReportImage>();
  readonly #isLoadAddress: boolean;
  readonly #arch: string | null;

  constructor(isLoadAddress: boolean, arch: string | null) {
    this.#isLoadAddress = isLoadAddress;
    this.#arch = arch;
  }

  baseOf(frame: JsonObject): bigint | null {
    const address = bigintAt(frame, "address");
    const offset = bigintAt(frame, "offsetIntoBinaryTextSegment");
    if (address === null || offset === null || offset > address) return null;
    const base = this.#isLoadAddress ? offset : address - offset;
    const uuid = textAt(frame, "binaryUUID") ?? "";
    const key = `${uuid} ${base}`;
    if (!this.#known.has(key)) {
      const image = imageOf(textAt(frame, "binaryName"), base, {
        uuid: normalUuid(uuid.slice(0, 36)),
        arch: this.#arch,
      });
      this.#known.set(key, image);
      this.all.push(image);
    }
    return base;
  }
}

/** A stack of a tree, from its root on. */
interface Path {
  readonly count: number;
  readonly frames: readonly { address: bigint | null; base: bigint | null; image: string | null }[];
}

/** Most stacks and frames of a tree that are read. */
const MAX_PATHS = 10_000;
const MAX_FRAMES = 1_000_000;

/** The stacks of a tree of frames. */
function pathsOf(roots: readonly JsonObject[], images: ImageList): Path[] {
  const paths: Path[] = [];
  let frames = 0;
  const path: Path["frames"][number][] = [];
  // Iterative: trees may be deeper than the call stack allows.
  const left = roots.toReversed().map((frame) => ({ frame, depth: 0 }));
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    const { frame, depth } = item;
    path.length = depth;
    path.push({
      address: bigintAt(frame, "address"),
      base: images.baseOf(frame),
      image: textAt(frame, "binaryName"),
    });
    const children = objectsAt(frame, "subFrames");
    let own = numberAt(frame, "sampleCount") ?? 1;
    for (const child of children) own -= numberAt(child, "sampleCount") ?? 1;
    if (children.length === 0 || own > 0) {
      frames += path.length;
      if (paths.length === MAX_PATHS || frames > MAX_FRAMES) break;
      paths.push({ count: Math.max(1, own), frames: [...path] });
    }
    for (const child of children.toReversed()) left.push({ frame: child, depth: depth + 1 });
  }
  return paths;
}

/** Images whose functions are the outermost of stacks. */
const outermost = /^(?:dyld|dyld_sim|libdyld\.dylib|libsystem_pthread\.dylib)$/;

/** Whether the roots are the outermost frames. Those of crashes are the innermost ones; of other diagnostics
 * Apple does not say it. */
function isOutermostFirst(paths: readonly Path[]): boolean {
  let first = 0;
  let last = 0;
  for (const { count, frames } of paths) {
    if (outermost.test(frames[0].image ?? "")) first += count;
    if (outermost.test(frames.at(-1)!.image ?? "")) last += count;
  }
  return first > last;
}

interface Draft {
  count: number;
  readonly frame: ReportFrame;
  readonly children: Draft[];
  readonly byAddress: Map<bigint, Draft>;
}

/** A call tree, outermost functions first, from stacks with the innermost first. */
function treeOf(paths: readonly Path[], maker: FrameMaker): CallTreeNode[] {
  const root: Draft = {
    ...{ count: 0, frame: maker.frame({ address: null }) },
    ...{ children: [], byAddress: new Map() },
  };
  for (const { count, frames } of paths) {
    let level = root;
    for (let at = frames.length - 1; at >= 0; at--) {
      const address = frames[at].address ?? 0n;
      let node = level.byAddress.get(address);
      if (node === undefined) {
        const frame = maker.frame(frames[at]);
        node = { count: 0, frame, children: [], byAddress: new Map() };
        level.byAddress.set(address, node);
        level.children.push(node);
      }
      node.count += count;
      level = node;
    }
  }
  return root.children;
}
