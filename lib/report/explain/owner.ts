/** Owners of frames: the reader's library, the program, a run-time or the system. */

import {
  baseName,
  imageOf,
  imageTitle,
  isKernelFrame,
  isSystemFrame,
  programImage,
} from "../images.ts";
import type { CodeOrigins } from "../origins.ts";
import type { CrashReport, ReportFrame } from "../report.ts";
import { isRuntimeMethod } from "./managed.ts";
import { isOfProcess, isSystemProgram } from "./program.ts";
import { frameOwner, functionOf, isMonoFile } from "./stack.ts";

/** A range of code, in bytes from the image's load address. */
export interface CodeRange {
  /** Image name; `null` for the program. */
  readonly image: string | null;
  /** Offset of the first byte. */
  readonly begin: number;
  /** Offset after the last byte. */
  readonly end: number;
}

/** Options of {@linkcode attributeReport}. */
export interface AttributionOptions {
  /** Names of static or dynamic libraries, with or without `lib`, `.a`, `.dylib` and `.framework`, or of
   * source folders. */
  readonly mine?: readonly string[];
  /** Code ranges that belong to the library. */
  readonly ranges?: readonly CodeRange[];
  /** Tells static libraries in an image apart. */
  readonly origins?: CodeOrigins;
}

/** Owner of a frame. `runtime` is a language run-time that only raises what the program did; as a verdict,
 * `none` means that the stacks show no cause. */
export type Owner = "mine" | "program" | "runtime" | "system" | "unknown" | "none";

/** A frame and its owner. */
export interface OwnedFrame {
  /** A frame of the deciding stack. */
  readonly frame: ReportFrame;
  /** Owner of its code. */
  readonly owner: Owner;
  /** Its library or image; `null` when not known. Not safe to print raw. */
  readonly library: string | null;
  /** Its object file or source file; `null` when not known. Not safe to print raw. */
  readonly unit: string | null;
  /** What the owner was determined by. */
  readonly by: "image" | "range" | "archive" | "unit" | "extension" | "none";
}

export function ownerOf(
  frame: ReportFrame,
  previous: ReportFrame | null,
  report: CrashReport,
  { mine = [], ranges = [], origins }: AttributionOptions,
): OwnedFrame {
  const { image } = frame;
  const none = { frame, library: null, unit: null };
  const named = imageOf(frame);
  if (named === null) {
    const owned = frameOwner(frame, functionOf(frame, previous));
    return owned === "program"
      ? { ...none, unit: frame.file, owner: owned, by: "none" }
      : { ...none, owner: "unknown", by: "none" };
  }
  const whole = { frame, library: imageTitle(named), unit: null, by: "image" as const };
  const path = named.path ?? named.name;
  if (mine.some((name) => sameLibrary(name, path) || sameLibrary(name, named.name))) {
    return { ...whole, owner: "mine" };
  }
  if (isSystemFrame(frame) || isKernelFrame(frame)) return { ...whole, owner: "system" };
  // A copy without the list of images has the path of the program alone.
  if (named.path === null && isSystemProgram(report) && isOfProcess(frame, report)) {
    return { ...whole, owner: "system" };
  }
  const owned = frameOwner(frame, functionOf(frame, previous));
  if (owned === "runtime" || isMonos(frame, report)) return { ...whole, owner: "runtime" };
  if (image === null) return { ...whole, owner: "program" };
  const offset = Number(BigInt.asIntN(64, frame.address - image.base));
  const range = ranges.find((range) =>
    (range.image === null
      ? image === programImage(report)
      : sameLibrary(range.image, image.name)) &&
    offset >= range.begin && offset < range.end
  );
  if (range !== undefined) {
    return { ...none, owner: "mine", library: mine[0] ?? null, by: "range" };
  }
  // A return address may be the first one of the next function.
  const { archive, unit } = origins?.originAt(image, frame.index === 0 ? offset : offset - 1) ??
    { archive: null, unit: frame.file };
  const isMine = mine.some((name) =>
    (archive !== null && sameLibrary(name, archive)) || (unit !== null && inFolder(name, unit))
  );
  const owner = isMine ? "mine" : "program";
  if (archive !== null) return { frame, owner, library: baseName(archive), unit, by: "archive" };
  if (isMine) return { frame, owner, library: mine[0] ?? null, unit, by: "unit" };
  return { ...whole, owner, unit };
}

/** Source files of Mono's run-time, and of the collector in it, that have names as those of others; Mono, mono/metadata,
 * mono/mini, mono/io-layer and libgc. */
const monoFiles =
  /(?:^|\/)(?:object|class|loader|domain|appdomain|assembly|icall|marshal|threads|threadpool[\w-]{0,20}|tpool-\w{2,10}|gc|monitor|mini|driver(?:\.g)?|jit-icalls|reflection|exception|mono-[\w-]{2,40}|goutput|hazard-pointer|lock-free-(?:alloc|queue|array-queue)|mempool|metadata|runtime|pthread_support|misc|malloc|mallocx|mark|mark_rts|reclaim|alloc|finalize|allchblk|handles|events|wait|mutexes|semaphores|sockets|critical-sections)\.c$|(?:^|\/)handles-private\.h$|(?:^|\/)(?:runtime|monotouch-\w{2,20}|xamarin-support)\.m$/;

/** Functions by which managed code calls Mono, those of its layer over the system's handles, and .NET's class library as it was
 * compiled ahead of time, with the entries by which it is called. */
const monoNames =
  /^(?:GC_|_wapi_|ves_icall_|mscorlib__|System(?:_\w{2,20})?__System_|(?:p_\d{1,10}_plt_)?System_[A-Z])/;

/** Functions by whose names they are Mono's or Xamarin's. */
const ofMono = /^(?:mono|monoeg|monotouch|xamarin|sgen|_wapi)_|^native_to_managed_trampoline_/;

/** Static functions that the system's code calls: of Xamarin's run-time (xamarin-macios, runtime/runtime.m), and those that Mono's
 * threads begin with (Mono, mono/metadata/threads.c, mono/mini/debugger-agent.c). */
const ofXamarin =
  /^(?:inner_start_thread|start_wrapper(?:_internal)?|debugger_thread|frame_commands|get_(?:raw_)?gchandle\w{0,24}|get_flags(?:_safe)?|set_gchandle\w{0,24}|exception_handler|pump_gc|is_user_type|get_managed_object_for_ptr\w{0,6}|invoke_objc_method_implementation|gc_(?:toggleref_callback|register_toggleref|event_callback))$/;

/** Frames between a static function of Mono's and one that has its prefix. */
const MONO_DEPTH = 12;

/** The name of a function, without arguments, as those of C++ have them that are in no class. */
function plainName(frame: ReportFrame): string | null {
  const name = functionOf(frame, null);
  return name?.endsWith(")") === true ? name.replace(/\([^()]{0,200}\)$/, "") : name;
}

/** Whether a function is one of Mono's, or of the collector that is linked into it: by its source file or its name and by
 * others of Mono's on the same stack, or as a function of C that Mono's called, or that called its asserts: the run-time calls
 * code of others by managed code alone. */
export function isMonos(frame: ReportFrame, report: CrashReport): boolean {
  const { symbol, file, index, image, imageName } = frame;
  const name = plainName(frame);
  if (name === null) return false;
  if (isRuntimeMethod(name)) return true;
  if (!/^[a-zA-Z_]\w{1,200}$/.test(name) || name === "main") return false;
  // Its assemblies' code is none of the run-time's own.
  if (isMonoFile(file) && file!.endsWith(".c")) return true;
  const isPlain = /^_?[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30})+$/.test(name);
  const isKnown = monoNames.test(name) || monoFiles.test(file ?? "") || ofXamarin.test(name);
  if (!isKnown && !isPlain) return false;
  // Frames of managed methods that a log has in between are not of the stack.
  const isIt = (other: ReportFrame) => other.index === index && other.symbol === symbol;
  const stack = report.stacks.find((frames) => frames.some(isIt)) ?? [];
  const at = stack.findIndex(isIt);
  const isBeside = (other: ReportFrame | undefined): other is ReportFrame =>
    other !== undefined && other.image === image && other.imageName === imageName;
  const isMono = (other: ReportFrame | undefined): boolean =>
    isBeside(other) && ofMono.test(other.symbol ?? "");
  if (isKnown) {
    return stack.some((other) => isMono(other) || (isBeside(other) && isMonoFile(other.file)));
  }
  if (/^(?:monoeg|_wapi)_/.test(stack[at - 1]?.symbol ?? "") && isMono(stack[at - 1])) {
    return true;
  }
  // Its caller's callers, as far as they are such functions too.
  for (const caller of stack.slice(at + 1, at + 1 + MONO_DEPTH)) {
    if (!isBeside(caller)) return false;
    const called = plainName(caller) ?? "";
    if (/_pinvoke_|icall/.test(called)) return false;
    if (ofMono.test(called)) return true;
    if (ofXamarin.test(called)) return stack.some(isMono);
    if (!/^_?[a-z][a-z0-9_]{1,100}$/.test(called)) return false;
  }
  return false;
}

/** A library's name without the usual prefix and suffixes. */
function stem(path: string): string {
  return baseName(path).replace(/\.(?:framework|dylib|tbd|a|o|m|mm|c|cc|cpp|cxx|swift)$/i, "")
    .replace(/^lib/, "")
    .toLowerCase();
}

/** Whether a name matches a library at a path, or the framework that contains it. */
export function sameLibrary(name: string, path: string): boolean {
  return stem(name) === stem(path) ||
    path.toLowerCase().includes(`/${stem(name)}.framework/`);
}

/** Whether a source or object file is in a folder with that name. */
function inFolder(name: string, path: string): boolean {
  return `/${path.toLowerCase()}`.includes(`/${stem(name)}/`) || stem(path) === stem(name);
}
