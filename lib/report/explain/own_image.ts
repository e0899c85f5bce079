/** Whether an image is the program's executable or another, as far as a report tells. */

import {
  baseName,
  imageOf,
  imageTitle,
  isSystemFrame,
  isUnnamedImage,
  titleOf,
} from "../images.ts";
import type { CrashReport, ReportFrame, ReportImage } from "../report.ts";
import { isOfIdentifier, isSamePath } from "./program.ts";
import { frameOwner } from "./stack.ts";

/** Whether a frame's image is not that of the program. Older systems cut the names of processes, and name images by their
 * bundles. */
export function isLibrary(frame: ReportFrame, report: CrashReport): boolean | null {
  const image = imageOf(frame);
  if (image === null || isOfIdentifier(frame, report)) return false;
  const { name, path, identifier } = report.process;
  const title = imageTitle(image);
  if (image.path !== null && path !== null && isSamePath(image.path, path)) return false;
  if (isDartCode(image, report)) return false;
  if (
    /\.(?:dylib|so|bundle|node|jnilib|framework|plugin|xctest|vst3?|clap|mxo|chug|component|aaxplugin|audiounit|appex|prefPane|qlgenerator|mdimporter|saver|osax)$/i
      .test(title)
  ) {
    return !/\.(?:debug|preview-thunk)\.dylib$/.test(title);
  }
  if (
    image.path !== null && /\.(?:framework|bundle|plugin|xpc|appex)\/[^.]{1,200}$/i.test(image.path)
  ) {
    return title !== name;
  }
  // The simulator starts its apps by a program of its own.
  if (name === "SimulatorTrampoline") return false;
  if (isUnnamedImage(image)) return null;
  const executable = entryImage(report);
  if (executable !== null) {
    if (executable === title) return false;
    if (name === null) return true;
  }
  // Go's packages begin with a domain, those of the program's own module too, but for main.
  if (
    name === null && /^[a-z\d-]{1,60}\.[a-z.]{2,40}\/[\w.~/-]{1,200}\.\S/.test(frame.symbol ?? "")
  ) {
    return null;
  }
  // Without a header the name is that of a log.
  if (name === null || (path === null && identifier === null)) {
    if (name === null && isCalledByDelegate(frame, report)) return true;
    // Of a program that is not named any of its images may be the library of another.
    return title === name || isDelegates(frame, report) ? false : null;
  }
  // Named by its bundle, where the header has only the program's name.
  if (title.endsWith(`.${name}`)) return false;
  const own = [name, identifier, path === null ? null : baseName(path)];
  return !own.some((text) =>
    text !== null && text.length > 0 && (text.startsWith(title) || title.startsWith(text) ||
      image.name === text)
  );
}

/** Whether an image is the framework into which Flutter compiles the program's own Dart code. */
function isDartCode(
  { path, name }: Pick<ReportImage, "path" | "name">,
  { images }: CrashReport,
): boolean {
  return path?.endsWith("/Frameworks/App.framework/App") === true && name === "App" &&
    images.some((other) => other.name === "Flutter");
}

/** Whether the application's delegate, which is the program's, called a frame from another image than the frame's own. */
function isCalledByDelegate(frame: ReportFrame, { stacks }: CrashReport): boolean {
  const title = titleOf(frame);
  const stack = stacks.find((stack) => stack.includes(frame)) ?? [];
  const delegate = stack.find(isDelegate);
  return delegate !== undefined && titleOf(delegate) !== title &&
    stack.indexOf(delegate) > stack.indexOf(frame);
}

/** Whether the application's delegate is of the same image as a frame. */
function isDelegates(frame: ReportFrame, { stacks }: CrashReport): boolean {
  const title = titleOf(frame);
  return stacks.some((stack) =>
    stack.some((other) => titleOf(other) === title && isDelegate(other))
  );
}

/** Whether a frame is of an application's delegate, which is the program's own. */
function isDelegate(frame: ReportFrame): boolean {
  return frame.symbol !== null && /\b(?:App|Scene)Delegate\b/.test(frame.symbol) &&
    imageOf(frame) !== null && frameOwner(frame, null) === "program";
}

/** Stacks in which the program's main function is looked for, and the frames at their outer ends. */
const ENTRY_STACKS = 8;
const ENTRY_DEPTH = 4;

/** The name of the image that has the program's main function. */
function entryImage({ stacks }: CrashReport): string | null {
  for (const stack of stacks.slice(0, ENTRY_STACKS)) {
    const begin = Math.max(0, stack.length - ENTRY_DEPTH);
    for (let at = begin; at < stack.length; at++) {
      const frame = stack[at];
      const caller = stack[at + 1];
      // The loader calls nothing else of a program from the outermost frame of a stack.
      const isEntry = frame.symbol === null
        ? caller !== undefined && at + 2 === stack.length &&
          /^(?:dyld|libdyld\.dylib)$/.test(titleOf(caller))
        : /^(?:main|_start|start)$/.test(frame.symbol);
      if (!isEntry) continue;
      const image = imageOf(frame);
      if (image !== null && !isSystemFrame(frame) && frameOwner(frame, null) === "program") {
        return imageTitle(image);
      }
    }
  }
  return null;
}
