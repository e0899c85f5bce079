/** Whose crash it is: the program's, one of its libraries', the system's. */

import { isSystemImage } from "./explain.ts";
import type { CrashReport, ReportFrame, ReportImage } from "../report.ts";

/** Where the code at a place was linked from.
 *
 * @example
 * ```ts
 * import { type CodeOrigin, type CodeOrigins, type ReportImage } from "@machpause/machpause";
 *
 * declare const origins: CodeOrigins;
 * declare const image: ReportImage;
 * const origin: CodeOrigin | null = origins.originAt(image, 0x8120);
 * console.log(origin?.archive); // libsdk.a
 * ```
 */
export interface CodeOrigin {
  /** The static library, by its path; `null` when the object file was in none, or it is not known. Not
   * safe to print raw. */
  readonly archive: string | null;
  /** The object file or the compile unit's source file; `null` when not known. Not safe to print raw. */
  readonly unit: string | null;
}

/** Whoever knows which object files an image was linked from: its debug map, its debug information.
 *
 * @example
 * ```ts
 * import { type CodeOrigins, crashReports } from "@machpause/machpause";
 *
 * const origins: CodeOrigins = {
 *   originAt: (_image, offset) => offset < 0x8000 ? null : { archive: "libsdk.a", unit: null },
 * };
 * const { attributeReport, readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * console.log(attributeReport(report, { mine: ["sdk"], origins }).verdict);
 * ```
 */
export interface CodeOrigins {
  /** The origin of the code at an offset from the image's load address; `null` when not known. */
  originAt(image: ReportImage, offset: number): CodeOrigin | null;
}

/** Code of a static library: from a begin up to, not including, an end, in bytes from the image's load
 * address.
 *
 * @example
 * ```ts
 * import { type CodeRange, crashReports } from "@machpause/machpause";
 *
 * const sdk: CodeRange = { image: null, begin: 0x8000, end: 0x12000 }; // from a link map
 * const { attributeReport, readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * console.log(attributeReport(report, { ranges: [sdk] }).verdict);
 * ```
 */
export interface CodeRange {
  /** The image's name; `null` for the program. */
  readonly image: string | null;
  /** Offset of its first byte. */
  readonly begin: number;
  /** One beyond its last. */
  readonly end: number;
}

/** What is whose.
 *
 * @example
 * ```ts
 * import { type AttributionOptions, crashReports } from "@machpause/machpause";
 *
 * const options: AttributionOptions = { mine: ["CaptchaSDK", "libcrypto.a"] };
 * const { attributeReport, readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * console.log(attributeReport(report, options).verdict); // mine, program or system
 * ```
 */
export interface AttributionOptions {
  /** Names of libraries, static or dynamic, with or without `lib`, `.a`, `.dylib` and `.framework`; of
   * folders of sources too. */
  readonly mine?: readonly string[];
  /** Code that is of the library asked for, where its place is all that is known. */
  readonly ranges?: readonly CodeRange[];
  /** Tells static libraries apart without being told their places. */
  readonly origins?: CodeOrigins;
}

/** Who a frame belongs to.
 *
 * @example
 * ```ts
 * import { crashReports, type Owner } from "@machpause/machpause";
 *
 * const { attributeReport, readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const owner: Owner = attributeReport(report, { mine: ["CaptchaSDK"] }).verdict;
 * console.log(owner === "mine" ? "ours" : "theirs");
 * ```
 */
export type Owner = "mine" | "program" | "system" | "unknown";

/** A frame and its owner.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { attributeReport, readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * for (const { frame, owner, library } of attributeReport(report, { mine: ["sdk"] }).frames) {
 *   console.log(owner, library, frame.symbol);
 * }
 * ```
 */
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

/** Whose crash a report is.
 *
 * @example
 * ```ts
 * import { crashReports } from "@machpause/machpause";
 *
 * const { attributeReport, readReport } = await crashReports();
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * const { verdict, deciding, passed } = attributeReport(report, { mine: ["sdk"] });
 * console.log(verdict, deciding?.frame.symbol, `below ${passed} frames of the system`);
 * ```
 */
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
  const stack = decidingStack(report);
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

/** The stack that tells what happened: that of an uncaught exception, else the crashed thread's, else the
 * first. */
export function decidingStack(report: CrashReport): readonly ReportFrame[] {
  if (report.lastException !== null && report.lastException.length > 0) return report.lastException;
  return (report.crashedThread ?? report.threads[0])?.frames ?? [];
}

function ownerOf(
  frame: ReportFrame,
  report: CrashReport,
  { mine = [], ranges = [], origins }: AttributionOptions,
): OwnedFrame {
  const { image } = frame;
  const none = { frame, library: null, unit: null };
  if (image === null) return { ...none, owner: "unknown", by: "none" };
  const whole = { frame, library: title(image), unit: null, by: "image" as const };
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

/** The program's own image: the one at the process's path, else the first that is not the system's. */
export function programImage(report: CrashReport): ReportImage | null {
  const { path, name } = report.process;
  return report.images.find((image) => path !== null && image.path === path) ??
    report.images.find((image) => image.name === name || image.path?.endsWith(`/${name}`)) ??
    report.images.find((image) => !isSystemImage(image)) ?? null;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The file's name, which is shorter than a bundle's identifier. */
function title(image: ReportImage): string {
  return image.path === null ? image.name : baseName(image.path);
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
