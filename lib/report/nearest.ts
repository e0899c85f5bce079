/** Names that are not a frame's function, but that of the nearest one that has a name: images without symbols of their
 * own still have those that they export. */

import { imageOf } from "./images.ts";
import { callTime, knownFrame } from "./knowledge/mod.ts";
import type { CallTreeNode, CrashReport, ReportFrame } from "./report.ts";

/** No function is larger: further on, a name is only that of the nearest exported symbol. */
const MAX_FUNCTION = 1 << 18;

/** Functions that compilers make, which are short: names of code that has none are those of the nearest one. */
const made =
  /^_{0,3}(?:swift_(?:project_boxed|destroy_boxed|mutable_project|memcpy\d|allocate_value_buffer|assign_boxed|noop_)|block_(?:destroy|copy)_helper|block_(?:destroy|copy)_helper_block|copy_helper_block|destroy_helper_block|copy_helper_atomic|objectdestroy|get_(?:enum_tag_for|type_metadata)|objc_(?:un)?retained(?:Object|Pointer)$)/;
/** Functions that a library is opened by, often the only names that it has, and which are not large where they are called. */
const openers =
  /^_?(?:PyInit_\w{1,80}|JNI_On(?:Load|Unload)|napi_register_module_v\d|Init_[a-z]\w{0,60}|luaopen_\w{1,60}|R_init_\w{1,60})$/;
/** No image is larger: code reaches what is within 4 GB. */
const MAX_IMAGE = 2 ** 32;
/** Functions that compilers make are not longer. */
const MAX_MADE = 1 << 12;

/** Few functions are larger, and those interpret, parse or run something. */
const MAX_PLAIN = 0x7000;
const large =
  /eval|exec|interp|run|pars|lex|main|loop|dispatch|decod|encod|process|handle|compil|vm_/i;
/** What only reads or sets something, or ends an object, is not one of them. */
const small = /(?:^|::|[ .])(?:~|[gs]et|is|has|copy)[A-Z]\w{0,200}(?:\(|$)/i;

/** From here on a name is not believed in an image that has names of nearest functions only. */
const MAX_EXPORTED = 0x800;

/** Whether a frame's name is only that of the nearest function that has one. If debug information named it, it is the
 * function nevertheless. */
export function isNearest(frame: ReportFrame): boolean {
  const { symbol, file } = frame;
  if (symbol === null || file !== null) return false;
  // Reporters that found none.
  if (symbol === "(null)" || symbol === "// (null)" || symbol.startsWith("+ ")) return true;
  // The begin of an image, which has no other names.
  if (symbol.endsWith("_header") && /^_{0,2}mh_(?:execute|dylib|bundle)_header$/.test(symbol)) {
    return true;
  }
  if (frame.nearest === true || isFar(frame)) return true;
  const offset = offsetOf(frame);
  return ((offset === null || offset > MAX_MADE) && made.test(symbol)) ||
    (offset !== null && offset > MAX_MADE && openers.test(symbol));
}

/** A frame's offset from its function. Crashlytics has the address there, where it knows no line. */
function offsetOf({ offset }: ReportFrame): number | null {
  return (offset ?? 0) >= MAX_IMAGE ? null : offset;
}

/** Whether no function with a frame's name can be so large. */
function isFar(frame: ReportFrame): boolean {
  const offset = offsetOf(frame) ?? 0;
  if (offset <= MAX_PLAIN) return false;
  return offset > MAX_FUNCTION || !large.test(frame.symbol!) || small.test(frame.symbol!);
}

/** Functions that an image exports to be begun with. */
const entries = /^(?:\w{0,40}[Mm]ain|_?start|cef_\w{1,60}|node::Start)(?:\(|$)/;

/** Marks the frames whose names are only those of the nearest functions, because others of the same image show that it
 * has no more names: of one function too far away, all but the first bytes of the others are not believed either. Where
 * most are, the image has the names alone that it exports, and those few bytes say no more. */
export function markNearest(report: CrashReport): void {
  markSpread(report);
  /** Images of the report, or names where it lists none. */
  let bare: Set<unknown> | null = null;
  for (const frame of framesOf(report)) {
    if (
      frame.symbol !== null && frame.file === null && (frame.offset ?? 0) > MAX_PLAIN &&
      isFar(frame)
    ) {
      bare ??= new Set();
      bare.add(frame.image ?? imageOf(frame)?.name ?? null);
    }
  }
  if (bare === null) return;
  bare.delete(null);
  const exporting = exportingOf(report, bare);
  for (const frame of framesOf(report)) {
    const { symbol } = frame;
    if (symbol === null || frame.file !== null) continue;
    const key = frame.image ?? frame.imageName;
    if (!bare.has(key)) continue;
    const isFew = (offsetOf(frame) ?? 0) <= MAX_EXPORTED;
    if (isFew && (!exporting.has(key) || isEntry(symbol))) continue;
    (frame as { nearest?: true }).nearest = true;
  }
}

/** The images of which most places that have names are too far from them. */
function exportingOf(report: CrashReport, bare: ReadonlySet<unknown>): Set<unknown> {
  const places = new Map<unknown, { all: Set<bigint>; far: Set<bigint> }>();
  for (const frame of framesOf(report)) {
    const key = frame.image ?? frame.imageName;
    if (frame.symbol === null || frame.address === 0n || !bare.has(key)) continue;
    let found = places.get(key);
    if (found === undefined) places.set(key, found = { all: new Set(), far: new Set() });
    found.all.add(frame.address);
    if (frame.file === null && isFar(frame)) found.far.add(frame.address);
  }
  const exporting = new Set<unknown>();
  for (const [key, { all, far }] of places) if (far.size * 2 > all.size) exporting.add(key);
  return exporting;
}

/** Whether a name is believed for its first bytes: what a program is begun with, and what is known for what it does. */
function isEntry(symbol: string): boolean {
  if (entries.test(symbol)) return true;
  if (callTime(symbol).occasion !== null) return true;
  const row = knownFrame(symbol);
  return row !== null && row.role !== "part" && row.role !== "wrap";
}

/** Marks the frames to which Crashlytics gave the name of one function, though they are too far from each other to be of
 * one. */
function markSpread(report: CrashReport): void {
  const ranges = new Map<string, { low: bigint; high: bigint }>();
  const spread = (frame: ReportFrame): string | null =>
    frame.symbol === null || frame.file !== null || (frame.offset ?? 0) < MAX_IMAGE
      ? null
      : `${imageOf(frame)?.name} ${frame.symbol}`;
  for (const stack of report.stacks) {
    for (const frame of stack) {
      const key = spread(frame);
      if (key === null) continue;
      const { address } = frame;
      const range = ranges.get(key);
      if (range === undefined) ranges.set(key, { low: address, high: address });
      else if (address < range.low) range.low = address;
      else if (address > range.high) range.high = address;
    }
  }
  if (ranges.size === 0) return;
  for (const stack of report.stacks) {
    for (const frame of stack) {
      const range = ranges.get(spread(frame) ?? "");
      if (range !== undefined && range.high - range.low > BigInt(MAX_FUNCTION)) {
        (frame as { nearest?: true }).nearest = true;
      }
    }
  }
}

/** The frames of all stacks and call trees. */
function* framesOf({ stacks, threads }: CrashReport): Generator<ReportFrame> {
  for (const stack of stacks) yield* stack;
  for (const { tree } of threads) {
    const left: CallTreeNode[] = [...tree];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      yield node.frame;
      for (const child of node.children) left.push(child);
    }
  }
}
