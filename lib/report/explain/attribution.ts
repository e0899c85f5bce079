/** Attribution: whether a crash is the program's, one of its libraries' or the system's. */

import { baseName, imageTitle, isSystemImage, programImage } from "../images.ts";
import type { CodeOrigins } from "../origins.ts";
import type { CrashReport, ReportFrame } from "../report.ts";

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

/** Owner of a frame. */
export type Owner = "mine" | "program" | "system" | "unknown";

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
  readonly by: "image" | "range" | "archive" | "unit" | "none";
}

/** Result of {@linkcode attributeReport}. */
export interface Attribution {
  /** Owner of the deciding frame; `system` when all frames are the system's. */
  readonly verdict: Owner;
  /** Library or image of the deciding frame; `null` without one. Not safe to print raw. */
  readonly library: string | null;
  /** The innermost frame that is not the system's; `null` when there is none. */
  readonly deciding: OwnedFrame | null;
  /** Frames of the library further out than the deciding frame. */
  readonly involved: readonly OwnedFrame[];
  /** Number of system frames before the deciding frame. */
  readonly passed: number;
  /** The deciding stack, innermost first. */
  readonly frames: readonly OwnedFrame[];
}

/** Attributes a report. The innermost frame that is not the system's decides. The stack is that of an
 * uncaught exception, else the crashed thread's.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { attributeReport, readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { verdict, library } = attributeReport(report, { mine: ["CaptchaSDK"] });
 * console.log(verdict, library);
 * ```
 */
export function attributeReport(
  report: CrashReport,
  options: AttributionOptions = {},
): Attribution {
  const stack = report.decidingStack;
  const frames = stack.map((frame) => ownerOf(frame, report, options));
  const at = frames.findIndex(({ owner }) => owner === "mine" || owner === "program");
  const deciding = frames[at] ?? null;
  const involved = frames.filter(({ owner }, index) => owner === "mine" && index > at);
  const someSystem = frames.some(({ owner }) => owner === "system");
  return {
    verdict: deciding?.owner ?? (someSystem ? "system" : "unknown"),
    library: deciding?.library ?? null,
    deciding,
    involved: deciding?.owner === "mine" ? [] : involved,
    passed: at < 0 ? 0 : frames.slice(0, at).filter(({ owner }) => owner === "system").length,
    frames,
  };
}

function ownerOf(
  frame: ReportFrame,
  report: CrashReport,
  { mine = [], ranges = [], origins }: AttributionOptions,
): OwnedFrame {
  const { image } = frame;
  const none = { frame, library: null, unit: null };
  if (image === null) return { ...none, owner: "unknown", by: "none" };
  const whole = { frame, library: imageTitle(image), unit: null, by: "image" as const };
  const path = image.path ?? image.name;
  if (mine.some((name) => sameLibrary(name, path) || sameLibrary(name, image.name))) {
    return { ...whole, owner: "mine" };
  }
  if (isSystemImage(image)) return { ...whole, owner: "system" };
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

/** A library's name without the usual prefix and suffixes. */
function stem(path: string): string {
  return baseName(path).replace(/\.(?:framework|dylib|tbd|a|o|m|mm|c|cc|cpp|cxx|swift)$/i, "")
    .replace(/^lib/, "")
    .toLowerCase();
}

/** Whether a name matches a library at a path, or the framework that contains it. */
function sameLibrary(name: string, path: string): boolean {
  return stem(name) === stem(path) ||
    path.toLowerCase().includes(`/${stem(name)}.framework/`);
}

/** Whether a source or object file is in a folder with that name. */
function inFolder(name: string, path: string): boolean {
  return `/${path.toLowerCase()}`.includes(`/${stem(name)}/`) || stem(path) === stem(name);
}
