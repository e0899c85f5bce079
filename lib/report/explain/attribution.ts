/** Whose crash it is: the program's, one of its libraries', the system's. */

import { baseName, imageTitle, isSystemImage, programImage } from "../images.ts";
import type { CodeOrigins } from "../origins.ts";
import type { CrashReport, ReportFrame } from "../report.ts";

/** Code of a static library: from a begin up to, not including, an end, in bytes from the image's load
 * address.
 */
export interface CodeRange {
  /** The image's name; `null` for the program. */
  readonly image: string | null;
  /** Offset of its first byte. */
  readonly begin: number;
  /** One beyond its last. */
  readonly end: number;
}

/** What is whose. */
export interface AttributionOptions {
  /** Names of libraries, static or dynamic, with or without `lib`, `.a`, `.dylib` and `.framework`; of
   * folders of sources too. */
  readonly mine?: readonly string[];
  /** Code that is of the library asked for, where its place is all that is known. */
  readonly ranges?: readonly CodeRange[];
  /** Tells static libraries apart without being told their places. */
  readonly origins?: CodeOrigins;
}

/** Who a frame belongs to. */
export type Owner = "mine" | "program" | "system" | "unknown";

/** A frame and its owner. */
export interface OwnedFrame {
  /** Of the stack that decides. */
  readonly frame: ReportFrame;
  /** Whose code it is. */
  readonly owner: Owner;
  /** The library or image it is from; `null` when not known. Not safe to print raw. */
  readonly library: string | null;
  /** The object file or source file it is from; `null` when not known. Not safe to print raw. */
  readonly unit: string | null;
  /** How its owner is known. */
  readonly by: "image" | "range" | "archive" | "unit" | "none";
}

/** Whose crash a report is. */
export interface Attribution {
  /** Who owns the frame that decides. `system` where there is no other frame. */
  readonly verdict: Owner;
  /** The library or image of the frame that decides; `null` without one. Not safe to print raw. */
  readonly library: string | null;
  /** The innermost frame that is not the system's; `null` when there is none. */
  readonly deciding: OwnedFrame | null;
  /** Frames of the library asked for that are further out: it is on the stack without being to blame. */
  readonly involved: readonly OwnedFrame[];
  /** System frames that stand before the frame that decides. */
  readonly passed: number;
  /** The stack that was looked at, innermost first. */
  readonly frames: readonly OwnedFrame[];
}

/** Says whose crash a report is: the innermost frame that is not the system's decides. Of an uncaught
 * exception the stack that threw it is looked at, else the crashed thread's. System frames are passed
 * over wherever they stand.
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
  // A return address may be that of the next function.
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

/** A library's name without what all libraries' names have. */
function stem(path: string): string {
  return baseName(path).replace(/\.(?:framework|dylib|tbd|a|o|m|mm|c|cc|cpp|cxx|swift)$/i, "")
    .replace(/^lib/, "")
    .toLowerCase();
}

/** Whether a name is that of a library at a path, or of the framework it is in. */
function sameLibrary(name: string, path: string): boolean {
  return stem(name) === stem(path) ||
    path.toLowerCase().includes(`/${stem(name)}.framework/`);
}

/** Whether a source or an object file is in a folder of that name. */
function inFolder(name: string, path: string): boolean {
  return `/${path.toLowerCase()}`.includes(`/${stem(name)}/`) || stem(path) === stem(name);
}
