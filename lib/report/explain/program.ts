/** The program of a report's process: whether it comes with the system, and which frames are its own. */

import { imageOf, imageTitle, isSystemFrame, isSystemImage } from "../images.ts";
import { oncePerText } from "../remember.ts";
import { type CrashReport, fieldValue, type ReportFrame } from "../report.ts";
import { numberAt, objectAt, textAt } from "../json.ts";
import { systemPrograms } from "../system_names.ts";
import { isMobile } from "./platform.ts";

/** Whether a process's program comes with the system, as the Finder does. */
export function isSystemProgram(report: CrashReport): boolean {
  const { path, name } = report.process;
  return path !== null && isSystemImage({ path, name: name ?? "" }) && !isInstalled(report);
}

/** Whether a process's program runs what others wrote: an interpreter, also where it comes with the system. */
export function isInterpreter({ process }: CrashReport): boolean {
  return /^(?:[Pp]ython|[Rr]uby|perl|php|tclsh|[Ww]ish|osascript|java)[\d.]*$/.test(
    process.name ?? "",
  );
}

/** Longest part of `External Modification Summary` that is about other processes' calls. */
const MAX_SUMMARY = 200;

/** How the part of it begins that is about the report's own. */
const title = "Calls made by other processes targeting this process:";

/** Whether another process created a thread in a report's: Apple, External Modification Summary. */
export function isInjected({ sections, body, text }: CrashReport): boolean {
  if (body !== null) {
    const targeted = objectAt(objectAt(body, "extMods") ?? undefined, "targeted") ?? undefined;
    return (numberAt(targeted, "thread_create") ?? 0) > 0;
  }
  const warnings = sections.find(({ name }) => /^External Modification Warnings/i.test(name));
  if (warnings?.lines.some((line) => /^Thread creation by external task/.test(line.trim()))) {
    return true;
  }
  let at = -1;
  // To search for the last one from the end takes far longer.
  for (let next = text.indexOf(title); next >= 0; next = text.indexOf(title, next + 1)) at = next;
  const summary = at < 0
    ? undefined
    : /\bthread_create: (\d{1,12})/.exec(text.slice(at, at + MAX_SUMMARY))?.[1];
  return summary !== undefined && Number(summary) > 0;
}

/** Folders of the system that programs were installed in before OS X 10.11 closed them; iOS has hardly any of its own
 * there. */
const shared = /^\/(?:usr\/)?s?bin\//;

/** Whether a program in such a folder may be anybody's: its identifier, if it has one, is not Apple's. */
export function isInstalled({ process, osVersion }: CrashReport): boolean {
  const { path, identifier, name } = process;
  return path !== null && shared.test(path) && identifier?.startsWith("com.apple.") !== true &&
    !(name !== null && systemPrograms.has(name)) &&
    /^(?:Mac OS X |OS X |macOS )?(?:Version )?10\.(?:10|\d)(?!\d)|^(?:iOS|iPhone OS) /.test(
      osVersion ?? "",
    );
}

/** Whether a process's program is one of Apple's that does not come with the system, such as Xcode and its tools. */
export function isApples({ process }: CrashReport): boolean {
  const { path, identifier } = process;
  // What Xcode's templates named programs is anybody's, and so is what Xcode's Python runs.
  return (identifier !== null &&
    /^com\.apple\.(?!my[a-z]|carbonbundletemplate|example)/i.test(identifier)) ||
    // Of Xcode's, also those that it puts on devices.
    (path !== null &&
      /\/Xcode[\w.-]{0,40}\.app\/Contents\/|^\/(?:private\/var\/)?Developer\/usr\//.test(path) &&
      !path.includes("/Python"));
}

/** Whether two paths are the same file's: a report names it with and without `/private`. */
export function isSamePath(one: string, other: string): boolean {
  return one === other || withoutPrivate(one) === withoutPrivate(other);
}

function withoutPrivate(path: string): string {
  return path.startsWith("/private/var/") ? path.slice("/private".length) : path;
}

/** Whether a frame is of a process's own image where that is the system's, as of a daemon. */
export function isOfProcess(frame: ReportFrame, report: CrashReport): boolean {
  const { process } = report;
  const image = imageOf(frame);
  if (image === null || frame.symbol === "main") return false;
  if (isBrought(frame, report)) return true;
  if (process.name === null && process.path === null) {
    return systemPrograms.has(image.name) || isStarted(image.name, report);
  }
  return image.path !== null && process.path !== null
    ? (isSamePath(image.path, process.path) || imageTitle(image) === process.name)
    : image.name === process.name ||
      (process.identifier !== null && image.name === process.identifier);
}

/** Frameworks that come with Apple's own applications, as Xcode and Pages, and not with the system. */
const brought = /^com\.apple\.(?:dt\.(?!Xcode$|DT)|iWork\.)/;

/** Whether a frame is of such a framework in such an application: reports without paths name them as those of the system. */
export function isBrought(frame: ReportFrame, report: CrashReport): boolean {
  const image = imageOf(frame);
  return image !== null && image.path === null && brought.test(image.name) && isApples(report);
}

/** Characters of a report in which a program's path is looked for. */
const MAX_SEARCHED = 1 << 16;
/** Of each report, by the image's name. */
const started = new WeakMap<CrashReport, Map<string, boolean>>();

/** Whether an image of Apple's, named by its bundle, is the program of a report that has lost its header: its memory
 * regions name `/Preview.app/Contents/MacOS/Preview`. */
function isStarted(image: string, report: CrashReport): boolean {
  if (!image.startsWith("com.apple.")) return false;
  let names = started.get(report);
  if (names === undefined) started.set(report, names = new Map());
  let is = names.get(image);
  if (is === undefined) {
    const name = image.slice("com.apple.".length);
    is = report.text.slice(0, MAX_SEARCHED).includes(`/${name}.app/Contents/MacOS/${name}`);
    names.set(image, is);
  }
  return is;
}

/** Whether a frame's image is the program's own framework, as that of a browser in the browser itself: by the identifier
 * before its own name, or by the program's name, which its helpers have too. */
export function isOfIdentifier(frame: ReportFrame, { process }: CrashReport): boolean {
  const image = imageOf(frame);
  if (image === null) return false;
  const { identifier, name } = process;
  if (identifier !== null && identifier.includes(".") && image.name.startsWith(`${identifier}.`)) {
    return true;
  }
  const own = / Framework$/.test(imageTitle(image)) ? imageTitle(image).slice(0, -10) : "";
  return own !== "" && name !== null && (name === own || name.startsWith(`${own} `));
}

/** Folders of libraries that packages, tweaks and plug-ins are installed in. */
const packages = /^\/(?:Library|var\/jb|usr\/local|opt|(?:private\/)?preboot)\//;

/** Drivers that their makers install. */
const drivers = /^com\.nvidia\.(?:web\.|CUDA)|^GeForce\w{1,20}Web$/;

/** Places of plug-ins in people's folders. */
const plugIns =
  /\/Library\/(?:[^/]{1,80}\/){0,6}[^/]{1,120}\.(?:component|vst3?|plugin|bundle|mdimporter|qlgenerator|prefPane|saver|driver|osax|colorPicker|dylib|framework|appex)\b/i;

/** Whether a process is one in which Xcode shows previews: the program is what it loads. */
export function isPreview({ process }: CrashReport): boolean {
  return process.name === "XCPreviewAgent";
}

/** Whether a frame's image is in none of the program's folders. Cr4shed names the tweak that it suspects. */
export function isOutside(frame: ReportFrame, report: CrashReport): boolean {
  const { process } = report;
  if (isPreview(report)) return false;
  const path = frame.image?.path ?? null;
  // Programs of the system bring along only what is the system's.
  if (isSystemProgram(report) && imageOf(frame) !== null && !isSystemFrame(frame)) {
    return frame.image?.name !== process.name && frame.imageName !== process.name &&
      frame.imageName !== process.identifier;
  }
  if (path === null) {
    const name = frame.imageName;
    if (name === null) return false;
    return (name.endsWith(".dylib") &&
      fieldValue(report, "culprit") === name) ||
      drivers.test(name);
  }
  if (process.path === null) return false;
  const app = appOf(process.path);
  if (app === null) {
    const own = process.path.slice(0, process.path.lastIndexOf("/"));
    return packages.test(path) && !path.startsWith(own) && !packages.test(process.path);
  }
  // What Xcode built stands beside the app.
  const { folder, name } = app;
  return !path.includes(`/${name}/`) && !(folder.length > 16 && path.startsWith(folder)) &&
    (isOfOthers(path) ||
      (path.startsWith("/Users/") && installed.test(process.path)));
}

/** The application's bundle that a program is in, and the folder of that; `null` for other programs. */
const appOf: (path: string) => { readonly folder: string; readonly name: string } | null =
  oncePerText((path) => {
    const match = /^(.*\/)?([^/]{1,200}\.app)\//.exec(path);
    return match === null ? null : { folder: match[1] ?? "", name: match[2] };
  });

/** Whether a path is of what others install for programs to load. */
const isOfOthers: (path: string) => boolean = oncePerText((path) =>
  packages.test(path) || plugIns.test(path) || ofOthers.test(path)
);

/** What is started of an application that was installed. An interpreter, as Python.app, and Xcode's runner of tests load
 * what their reader made. */
const installed = /^\/Applications\/(?:[^/]{1,80}\/){0,2}[^/]{1,120}\.app\/Contents\/MacOS\//;

/** Plug-ins wherever they are: reports leave out the folders of what is in a person's own. */
const ofOthers = /\/[^/]{1,120}\.(?:component|vst3?|clap|aaxplugin)\/Contents\//i;

/** Whether an image is, by its folder, a plug-in that programs of others load: an Audio Unit, a VST, an AAX or CLAP plug-in,
 * a driver of
 * Core Audio, what shows or imports files, a plug-in of Xcode or Mail, or what a folder for plug-ins has. */
export function isPlugIn({ image }: ReportFrame): boolean {
  return image?.path != null && isOfPlugIn(image.path);
}

const isOfPlugIn = oncePerText((path) =>
  /\.(?:component|vst3?|clap|aaxplugin|plugin|xcplugin|ideplugin|mailbundle|qlgenerator|mdimporter|osax)\/Contents\/|\/(?:Audio\/Plug-Ins|Internet Plug-Ins|InputManagers)\//i
    .test(path)
);

/** Folders of what jailbreaks load into programs: Cydia Substrate, Substitute, libhooker, ElleKit, and their tweaks. */
const tweaks =
  /\/MobileSubstrate\/|\/TweakInject[/.]|\/CydiaSubstrate\.framework\/|^\/usr\/lib\/(?:lib(?:substrate|substitute|hooker|blackjack|ellekit|rocketbootstrap|activator)\b|substitute-|substrate\/)/;

/** Folders in which phones have nothing of their makers' that a program loads, but packages of jailbreaks. */
const jailbroken =
  /^\/(?:private\/)?(?:Library\/(?!Developer\/)|var\/(?:jb|LIB|ulb)\/|preboot\/\w{1,200}\/jb-)/;

/** Whether a jailbreak put the library of a frame into the program: it is neither that's nor the system's. */
export function isTweak({ image }: ReportFrame, report: CrashReport): boolean {
  const path = image?.path ?? null;
  // What a jailbreak brought along and somebody started is a program, not put into one.
  return path !== null && path !== report.process.path &&
    (isTweakPath(path) || (isMobile(report) && jailbroken.test(path)));
}

/** Whether a path is one of what jailbreaks load into programs. */
export const isTweakPath: (path: string) => boolean = oncePerText((path) => tweaks.test(path));

/** The process that the system holds responsible for a report's, where that is another one. */
export function responsibleOf(report: CrashReport): string | null {
  const { process, body } = report;
  const name = (fieldValue(report, "responsible") ??
    (body === null ? null : textAt(body, "responsibleProc")))?.trim() ?? "";
  const bare = withoutPid(name);
  return bare === "" || bare === process.name ? null : name;
}

/** A program's name without the number of its process: `Painter [77]`. */
export function withoutPid(name: string): string {
  return name.replace(/\[\d{1,10}\]$/, "").trimEnd();
}
