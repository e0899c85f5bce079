/** Messages that the program or the system's libraries left, and what they mean. */

import {
  frameworkSince,
  type KnowledgeRow,
  known,
  knownMessage,
  missingUsage,
} from "../knowledge/mod.ts";
import { subtypeName } from "../codes.ts";
import { faultAddress, stackPointer } from "../fault.ts";
import { isCopying, wrongLength } from "./copying.ts";
import { type CrashReport, fieldValue } from "../report.ts";
import { headOf } from "../text.ts";
import { classifyAddress } from "./address.ts";
import { symbolRow } from "./missing_symbol.ts";
import { isMobile, simulatorOf } from "./platform.ts";
import { scriptCall } from "./managed.ts";
import { FEW_FRAMES, trapMessage } from "./stack.ts";
import { titleOf } from "../images.ts";
import { crashedTitle } from "./crashed.ts";
import { isLoadedPath } from "./launch.ts";
import { responsibleOf, withoutPid } from "./program.ts";
import type { Crash, Story } from "./story.ts";
import { capitalized } from "./words.ts";

/** Tells the messages: those that are understood by their row, the others as they are. */
export function tellMessages({ report, texts, uncaught, ended }: Crash, story: Story): void {
  let plain = 0;
  for (const text of texts) {
    // What a watchdog measured is told with the termination.
    if (
      ended?.key.includes(":0x8badf00d") && /^Elapsed (?:total|application) CPU time/.test(text)
    ) {
      continue;
    }
    if (uncaught !== null && sameReason(text, uncaught)) continue;
    // The line of an exception that was cut behind its first word.
    if (uncaught !== null && text.trim() === "terminating") continue;
    // Already quoted with the termination.
    if (story.happened.some((told) => told === `It says: ${withoutAbsent(text)}`)) continue;
    if (isLoadedPath(report, text) || isCutCopy(text, texts)) continue;
    if (text.includes(childSide) && story.rows.some(({ meaning }) => meaning.includes(childSaid))) {
      continue;
    }
    // It was in exec() itself.
    if (text.includes(childSide) && report.termination?.namespace === "EXEC") continue;
    if (
      text.startsWith("*** Terminating app") && headOf(report.text).includes(deadNote)
    ) {
      story.tell(
        `An exception that was already deallocated was used; it was not thrown. It says: ${text}`,
      );
      continue;
    }
    // The last line has the quote at the reason's end.
    if (scriptCall(text.replace(/'$/, "")) !== null) continue;
    if (imagePath.test(text)) {
      story.tell(`The dynamic linker was loading ${text} or running its initializers.`);
      continue;
    }
    const isUnknown = hasNoAddress(report, texts);
    // It only repeats what stands in place of the address.
    if (isUnknown && /^(?:==\d{1,9}==)?\s?Hint: address points to the zero page/.test(text)) {
      continue;
    }
    const row = symbolRow(text, report) ?? newerRow(text, report) ??
      architectureRow(text, report) ?? refusedRow(text) ?? packageRow(text) ??
      guardRow(text, report) ??
      (isUnknown && /Sanitizer: SEGV on unknown address/.test(text)
        ? known("message", "Sanitizer: SEGV on no address")
        : null) ??
      javaRow(withKey(messageRow(text), texts, report), report);
    if (row !== null) {
      const said = `It says: ${withoutAbsent(text)}`;
      story.add(row, row.meaning === "" ? said : `${row.meaning} ${said}`);
      tellCrate(text, story);
      if (text.includes("exceeding jetsam memory limits")) tellResident(report, story);
    } else if (
      report.information.some((line) => line === text) && !isDull(text) && plain++ < MAX_PLAIN
    ) {
      story.tell(`It says: ${text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text}`);
    }
  }
  const found = sanitizerPlace(texts);
  if (found !== null) {
    story.tell(`The sanitizer's own stack begins in ${found.name} at ${found.place}.`);
  }
  const missing = missingLibraries(texts);
  if (missing.length > 1) {
    story.tell(`The libraries that could not be loaded: ${missing.join(", ")}.`);
  }
}

/** Whether the CPU did not report the address of an access, so that what a sanitizer writes of it is not it: LLVM,
 * compiler-rt/lib/sanitizer_common/sanitizer_posix.cpp: SignalContext::IsTrueFaultingAddress. */
function hasNoAddress({ exception, arch }: CrashReport, texts: readonly string[]): boolean {
  return (exception !== null && subtypeName(exception, arch) === "EXC_I386_GPFLT") ||
    texts.some((text) =>
      text.includes("Hint: this fault was caused by a dereference of a high value address")
    );
}

/** The row for the system's note on a stack, which it makes by the address alone, where the stack pointer is far from the
 * stack's end; `null` for others. */
function guardRow(text: string, report: CrashReport): KnowledgeRow | null {
  const address = /^Thread stack size exceeded\s*$/.test(text) ? faultAddress(report) : null;
  if (address === null) return null;
  if (/^guard/.test(classifyAddress(report, address).kind)) {
    return known("message", "Thread stack size exceeded, but it was not full");
  }
  // A copy's own length may as well have led there.
  const { crashedThread: thread } = report;
  const mayRunPast = thread !== null && thread.frames.length < FEW_FRAMES && isCopying(report) &&
    (stackPointer(thread) === null || wrongLength(report) !== null);
  return mayRunPast ? known("message", "Thread stack size exceeded while memory was copied") : null;
}

/** Bytes below which no process uses too much memory, on any device. */
const LITTLE = 8 << 20;

/** Tells what Cr4shed measured of a process that was ended for memory. */
function tellResident(report: CrashReport, story: Story): void {
  const text = /^0x[0-9a-f]{1,12}\b/i.exec(fieldValue(report, "resident memory size") ?? "")?.[0];
  if (text === undefined) return;
  const bytes = Number(text);
  const size = bytes < 1 << 20
    ? `${Math.round(bytes / 1024)} KB`
    : `${Math.round(bytes / (1 << 20))} MB`;
  story.tell(
    `It had ${size} of memory (resident) when it was looked at${
      bytes < LITTLE
        ? ", which does not bear out that it used too much; its memory may have been gone by then"
        : ""
    }.`,
  );
}

/** Characters that are quoted of a text that is not understood, such as a command line. */
const MAX_SAID = 240;

/** Tells the crate that a Rust thread panicked in, by the place of the source where Cargo keeps those of others. */
function tellCrate(text: string, story: Story): void {
  const match =
    /panicked at \S{0,300}\/registry\/src\/[^/\s]{1,100}\/([\w-]{1,80}?)-(\d[\w.+-]{0,40})\//.exec(
      text.slice(0, 1000),
    );
  if (match === null) return;
  story.tell(
    `By its path it was in the crate ${match[1]} (${
      match[2]
    }), which the program uses; what called it need not be the program's own code.`,
  );
}

/** Characters from which on a message of dyld is made shorter. */
const LONG = 300;

/** A message of dyld without the paths at which it found no file, where it found one at another and says why that is not
 * loaded: dyld, common/Diagnostics and dyld/Loader.cpp: `tried: 'A' (no such file), 'B' (reason)`. */
export function withoutAbsent(text: string): string {
  if (text.length < LONG || text.length > MAX_MESSAGE) return text;
  const short = text.replace(/'[^'\n]{1,1000}' \(no such file[^()\n]{0,60}\)(?:, )?/g, "… ")
    .replace(/(?:… ){2,}/g, "… ").trimEnd();
  return /'[^'\n]{1,1000}' \((?!no such file)/.test(short) ? short : text;
}

/** Longest message of dyld that is made shorter. */
const MAX_MESSAGE = 1 << 15;

/** What KSCrash writes behind the reason of an exception that it found by a pointer to a freed object:
 * KSCrashReportFilterAppleFmt.m. */
const deadNote = "NOTE: This exception has been deallocated!";

/** Where the stack begins that a sanitizer printed: the system's may begin further out, as in the sanitizer's handler of the
 * signal; `null` without one. LLVM, compiler-rt/lib/sanitizer_common/sanitizer_stacktrace_printer.cpp. */
export function sanitizerPlace(
  texts: readonly string[],
): { readonly name: string; readonly place: string } | null {
  const at = texts.findIndex((text) =>
    /^==\d{1,9}==\s?(?:ERROR|WARNING): \w{2,20}Sanitizer: /.test(text)
  );
  if (at < 0) return null;
  for (const text of texts.slice(at + 1)) {
    const match = /^#0 0x[0-9a-f]{1,16} in (\S.{0,300}?) (\S{1,300}:\d{1,7})(?::\d{1,5})?$/.exec(
      text.trim().slice(0, 700),
    );
    if (match !== null) return { name: match[1], place: match[2] };
  }
  return null;
}

/** Most missing libraries that are named, and paths that are looked at. */
const MAX_MISSING = 12;
const MAX_TRIED = 200;

/** The names of the libraries that could not be loaded: of the later ones only the paths that were tried may be there. */
function missingLibraries(texts: readonly string[]): string[] {
  const names = new Set<string>();
  for (const text of texts) {
    if (!text.includes("Library not loaded")) continue;
    const head = headOf(text);
    for (
      const [, path] of [
        ...head.matchAll(
          /Library not loaded: '?([@/][^'\n;]{1,300}?)(?=['\n;]|\s{1,4}Referenced|$)/g,
        ),
        ...head.matchAll(/'([@/][^'\n]{1,300})' \(no such file/g),
      ].slice(0, MAX_TRIED)
    ) {
      if (names.size < MAX_MISSING) names.add(path.slice(path.lastIndexOf("/") + 1));
    }
  }
  return [...names];
}

/** Whether a text is the beginning of what another one ends with, as the signatures are that the system makes of messages. */
function isCutCopy(text: string, texts: readonly string[]): boolean {
  const from = text.indexOf(": ");
  const end = text.slice(from + 2);
  return from > 0 && end.length >= 24 &&
    texts.some((other) => other !== text && other.length > text.length && other.includes(end));
}

/** Why a place has no file that could be taken: the file is not there, or was not looked at. */
const notThere =
  /^(?:no such file|not in dyld cache|relative path|stat\(|open\(|tried|file system sandbox|sandbox|blocked by|security policy|no LC_RPATH|not found|image not found|errno|directory|not a file|'[^'\n]{1,300}' could not be found|@\w{0,20}path.{0,20}not allowed)/;

/** The row for a library that is there and that dyld does not take, for a reason of which nothing is known; `null` where
 * something is, or where there was no file. */
export function refusedRow(text: string): KnowledgeRow | null {
  if (!text.includes("Library not loaded")) return null;
  if (knownMessage(text)?.key.startsWith("Library not loaded") !== true) return null;
  const tried = [...headOf(text).matchAll(/'(?:\/[^'\n]{1,1000})' \(([^\n]{3,60})/g)];
  return tried.slice(0, MAX_TRIED).some(([, why]) => !notThere.test(why))
    ? known("message", "Library not loaded: its file was refused")
    : null;
}

/** The row for what is for the main thread only, where a thread of Java used it; other rows as they are. */
export function javaRow(row: KnowledgeRow | null, report: CrashReport): KnowledgeRow | null {
  const aside = known("message", "the main thread from Java")!;
  if (row === null || row.meaning !== aside.meaning) return row;
  const isJava = report.process.name === "java" ||
    crashedTitle(report)?.startsWith("Java: ") === true ||
    report.decidingStack.some((frame) =>
      /^Java_/.test(frame.symbol ?? "") || /^libjvm\.|\.jnilib$/.test(titleOf(frame))
    );
  return isJava ? aside : row;
}

/** The path of a program or library alone, which the dynamic linker notes while it maps and binds it and runs its
 * initializers; dyld, src/ImageLoaderMachO.cpp and src/ImageLoaderMachOCompressed.cpp: CRSetCrashLogMessage2. Other
 * programs note the documents that they read. */
const imagePath =
  /^\/[^\n:]{1,400}(?:\.(?:dylib|so|bundle|node|jnilib)|\.framework\/[^\n:]{1,200}|\/Contents\/MacOS\/[^\n:\/]{1,100})$/;

/** The row for a message; `null` when it is not understood. */
export function messageRow(text: string): KnowledgeRow | null {
  if (/^\[<(?:UI|NS)Application 0x[0-9a-f]{1,16}> setValue:forUndefinedKey:\]/.test(text)) {
    return known("message", "undefined key of the application");
  }
  if (/^(?:libc\+\+abi(?:\.dylib)?: )?terminating\s*$/.test(text)) {
    return known("message", "terminating without an exception");
  }
  return unrecognizedRow(text) ?? conditionRow(text) ?? indexRow(text) ?? knownMessage(text);
}

/** The row for an index, by its value and the bounds that the reason has: `index 3 beyond bounds [0 .. 2]`,
 * `index (1) beyond bounds (1)`, where the second number is that of the elements. */
function indexRow(text: string): KnowledgeRow | null {
  if (
    /String \w{1,60}:.{0,100}out of bounds|out of bounds; string length \d/.test(
      text.slice(0, 1000),
    )
  ) {
    return known("message", "range of a string");
  }
  const match =
    /\bindex \(?(\d{1,20})\)? beyond bounds (?:for empty |\[0 \.\. (\d{1,20})\]|\((\d{1,20})\))/
      .exec(text.slice(0, 4000));
  if (match === null) return null;
  const index = BigInt(match[1]);
  const count = match[2] !== undefined ? BigInt(match[2]) + 1n : BigInt(match[3] ?? 0);
  const isNone = index === 0xffff_ffffn || index === 0xffff_ffff_ffff_ffffn;
  const isNotFound = index === 0x7fff_ffffn || index === 0x7fff_ffff_ffff_ffffn;
  // An empty array's last index is -1.
  return known(
    "message",
    isNone
      ? "index that is negative"
      : isNotFound
      ? "index that is not found"
      : count === 0n || count > 0xffff_ffffn
      ? "index of an empty collection"
      : index === count
      ? "index one past the end"
      : "index beyond the end",
  );
}

/** The row for a library of the system that is newer than it, with the versions of both; `null` for others, and in a
 * simulator: the version in its reports is the Mac's. */
export function newerRow(text: string, report: CrashReport): KnowledgeRow | null {
  if (simulatorOf(report) !== null) return null;
  const { osVersion } = report;
  const name = /Library not loaded: '?\/System\/Library\/Frameworks\/(\w{2,60})\.framework\//.exec(
    text.slice(0, 4000),
  )?.[1];
  const system = /^(iPhone OS|iOS|macOS|Mac OS X|OS X) (\d{1,3}(?:\.\d{1,3})?)/.exec(
    osVersion ?? "",
  );
  if (name === undefined || system === null) return null;
  const title = system[1].startsWith("i") ? "iOS" : "macOS";
  const since = frameworkSince(name, title);
  if (since === null || !isBefore(system[2], since)) return null;
  const row = known("message", "Library not loaded: newer than the system")!;
  return {
    ...row,
    meaning: row.meaning.replace(
      "it is newer than this system",
      `${name} came with ${title} ${since.replace(/\.0$/, "")}, and this is ${title} ${system[2]}`,
    ),
  };
}

/** Reasons why a library that is there is not loaded, which say more than where it is. */
const refused =
  /[Tt]eam ID|code sign|mmap\(\)|incompatible|wrong architecture|no matching architecture|missing compatible arch|not built for|built for simulator|sandbox|system policy|mremap_encrypted|file too short|truncated |not a mach-o|unknown file type|wrong filetype|malformed/;

/** Words of dyld of a file that only has the other one of arm64 and arm64e. */
const twoArms =
  /\bhave '(?:[^'\n]{0,60},)?arm64(?:,[^'\n]{0,60})?', need '(?:[^'\n]{0,60},)?arm64e|\bhave '(?:[^'\n]{0,60},)?arm64e[^'\n]{0,60}', need '(?:[^'\n]{0,60},)?arm64['.,]/;

/** The row for a library without code for the process's architecture, on a device or in its simulator: what is usual on a Mac
 * cannot be. `null` for others. */
export function architectureRow(text: string, report: CrashReport): KnowledgeRow | null {
  if (knownMessage(text)?.meaning !== known("message", "wrong architecture")!.meaning) return null;
  if (simulatorOf(report) !== null) return known("message", "wrong architecture: in the simulator");
  if (!isMobile(report)) return null;
  const path = /Did find:\s{0,8}'?(\/[^\n':]{1,300})|'(\/[^'\n]{1,300})' \([^()]{0,80}arch/.exec(
    text.slice(0, 4000),
  );
  if (/^\/(?:System\/|usr\/lib\/)/.test(path?.[1] ?? path?.[2] ?? "")) {
    const row = known("message", "wrong architecture: the system's, on a device")!;
    return report.arch === "armv7"
      ? { ...row, meaning: `${row.meaning} The process is a 32-bit one.` }
      : row;
  }
  return known(
    "message",
    twoArms.test(text.slice(0, 4000))
      ? "wrong architecture: arm64e, on a device"
      : "wrong architecture: on a device",
  );
}

/** The row for a library of a package manager that something in an application's bundle needs; `null` for others. */
export function packageRow(text: string): KnowledgeRow | null {
  const part = text.slice(0, 4000);
  return !refused.test(part) &&
      /Library not loaded: '?\/(?:opt\/(?:homebrew|local)|usr\/local\/(?:opt|Cellar)|nix)\//.test(
        part,
      ) &&
      /Referenced from:\s{1,8}(?:<[^<>\n]{1,60}>\s{0,4})?'?\/[^\n';]{1,300}?\.app\/Contents\//.test(
        part,
      )
    ? known("message", "Library not loaded: a package's, for an app")
    : null;
}

/** Whether a version of two numbers is before another. */
function isBefore(version: string, other: string): boolean {
  const [major, minor = 0] = version.split(".").map(Number);
  const [otherMajor, otherMinor] = other.split(".").map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

/** Whether a message tells nothing that other fields do not tell. */
export function isDull(text: string): boolean {
  return dull.test(text);
}

/** Everything that was left in words. */
export function allMessages(report: CrashReport): string[] {
  return [...messages(report), ...inlinedMessages(report)];
}

/** The row for a missing usage description, with the key that the system's message names. */
function withKey(
  row: KnowledgeRow | null,
  texts: readonly string[],
  report: CrashReport,
): KnowledgeRow | null {
  if (row?.causes[0] !== missingUsage) return row;
  const key = texts.map((text) => / must contain an? ([\w.-]{3,100}) key\b/.exec(text)?.[1])
    .find((name) => name !== undefined);
  if (key === undefined) return row;
  const responsible = responsibleOf(report);
  const holder = responsible === null ? null : withoutPid(responsible);
  return {
    ...row,
    causes: [`${key} is not in the Info.plist${holder === null ? "" : ` of ${holder}`}`],
    next: holder === null
      ? `Add ${key} to the Info.plist, with a text that says what the data is used for.`
      : `The system asks the Info.plist of ${holder}, which it holds responsible for the process: start it by a program that has ${key} there, or as an app of its own that has it.`,
  };
}

/** The system's note on a child of fork(), and what it is told by. */
const childSide = "crashed on child side of fork";
const childSaid = "before it called exec()";

/** Most messages that are quoted without being understood. */
const MAX_PLAIN = 4;

/** Messages that tell nothing that other fields do not tell. */
const dull =
  /^(?:abort\(\) c\w*$|\. \. \.$|[`'"*_-]{1,4}$|DYLD_\w{4,40}=|`{3}|dyld: launch|dyld: in dladdr|Dyld Version: |\[\.\.\.|objc\[\d+\]: garbage collection|dyld\d? mode|dyld4 config|Abort Cause \d+|\(|\)|#|EXC_CORPSE_NOTIFY|Possibly stale failure hints|\s*\d{1,3}:? .{1,300} \(in [\w. +-]{1,80}\)$|\d: Calling block provided|ProductBuildVersion|UserInfo: |Object: {1,8}<\w{1,80}: 0x|Thread: {1,8}<\w{1,40}Thread: 0x|Hints:|Open FDs|\d\.\s{0,4}(?:\\x09)?Program arguments: |[\w ]{1,30}:$|Performing @selector|ld64-\d|(?:ld|clang|swiftc?|dsymutil) -|Analyzing process|Enabled by|CoreSimulator|iPhone Simulator [\d.]{1,12}, iPhone OS |Attempting to present|[\s|]*$|\d{1,4}$|[})'\]]{1,4}$|[{(]{1,4}$|\.{3}$|Exception \d{1,3}, Code \d{1,12}, Subcode \d{1,20}$|Stack Dump \(0x|StartTime: ?\d{4}-|GPU: ?\w{2,12}$|MetalDevice for accelerator\(|IOService:\/|BUG IN CLIENT OF LIBMALLOC$|API M(?:isuse|ISUSE)$|[\w.]+\.dylib$)/;

/** Names of what is true or false, or a number. */
const ofNoObject =
  /^(?:is|has|have|can|should|will|did|was|supports|allows|needs)(?:[A-Z]|$)|(?:count|length|index|size|success|result|valid|ok|enabled|ready|state|flag)$/i;

/** The row for a condition on an object, which nil fails, or on a number or a coordinate, which nil does not fail. */
function conditionRow(text: string): KnowledgeRow | null {
  const condition = /Invalid parameter not satisfying: (.{1,300})/.exec(text)?.[1] ?? "";
  const object = /^_?([A-Za-z]\w{0,80})( != (?:nil|NULL))?'?(?:\s(?!\s{0,4}[<>=!&|])|$)/.exec(
    condition,
  );
  if (object !== null && (object[2] !== undefined || !ofNoObject.test(object[1]))) {
    const row = known("message", "condition on an object")!;
    if (object[2] === undefined) return row;
    const cause = object[2].endsWith("nil")
      ? "nil where an object is needed"
      : "NULL where a pointer or selector is needed";
    return { ...row, causes: [cause] };
  }
  // A member of the object itself.
  if (/^_[a-z]\w{0,80}\s{0,4}(?:[<>]=?|==)/.test(condition)) {
    return known("message", "condition on a state");
  }
  // What is compared with a number of things is none of floating point.
  if (
    /^\(?[a-z]\w{0,20}(?:[iI]ndex|[cC]ount)\b|^\(?(?:index|count|row|column|section)\b/.test(
      condition,
    ) && /[<>]/.test(condition)
  ) {
    return known("message", "condition on an index");
  }
  return /[<>]|\b(?:fabs|isnan|isfinite|isinf)\(|CG\w{3,20}IsN|NAN\b|INFINITY\b/.test(
      condition.replaceAll("->", "."),
    )
    ? known("message", "condition on a number")
    : null;
}

/** Objective-C classes of the system. */
const systemClass =
  /^_{0,2}(?:NS|CF|UI|CA|CL|AV|MK|SK|WK|PH|MTL|OS_|SwiftNative|__Swift|Swift|Web(?:View|Frame|Script)|(?:PDF|SCN|GK|UN|MP|QL|HK|EK|CB|CN|NE|LA|SF|CI|CT|DOM)[A-Z])/;

/** Whether a class of Objective-C, by its name, is the system's. */
export function ofSystem(name: string): boolean {
  return systemClass.test(name);
}

/** Kinds of values with their classes in Foundation, and methods that only these have. */
const valueKinds: readonly (readonly [string, RegExp, RegExp])[] = [
  [
    "a string",
    /^(?:__NSCF(?:Constant)?String|NSTaggedPointerString|NSPathStore2|(?:NS|_{1,2}NS)\w{0,20}String|__StringStorage|Swift\.__\w{0,10}StringStorage)$/,
    /^(?:isEqualToString:|hasPrefix:|hasSuffix:|stringByAppending\w{1,30}:|componentsSeparatedByString:|rangeOfString:|UTF8String|lowercaseString|uppercaseString|substring(?:From|To)Index:|characterAtIndex:)$/,
  ],
  [
    "a number",
    /^(?:__NSCF(?:Number|Boolean)|NSConstant\w{0,10}Number|NSDecimalNumber)$/,
    /^(?:unsigned(?:Int|Integer|Long|LongLong|Short|Char)Value|numberByAdding|isEqualToNumber:)$/,
  ],
  [
    "an array",
    /^(?:__NS(?:Array[IM0]|SingleObjectArrayI|PlaceholderArray|CFArray|FrozenArrayM)|_?NSArray\w{0,10}|__NSArray\w{1,10})$/,
    /^(?:objectAtIndex(?:edSubscript)?:|firstObject|lastObject|addObjectsFromArray:|insertObject:atIndex:)$/,
  ],
  [
    "a dictionary",
    /^(?:__NS(?:Dictionary[IM0]|SingleEntryDictionaryI|CFDictionary|FrozenDictionaryM)|__NSPlaceholderDictionary)$/,
    /^(?:objectForKey(?:edSubscript)?:|allKeys|allValues|enumerateKeysAndObjectsUsingBlock:)$/,
  ],
];

/** Classes of collections and strings that cannot be changed, each kind with the methods by which its mutable ones are. */
const immutable: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:__NS(?:Array[I0]|SingleObjectArrayI|FrozenArrayM)|NSConstantArray|_?_SwiftDeferredNSArray)$/,
    /^(?:addObject(?:sFromArray)?:|insertObject:atIndex:|remove(?:Object(?:AtIndex)?:|AllObjects|LastObject)|replaceObjectAtIndex:withObject:|exchangeObjectAtIndex:|setObject:atIndexedSubscript:|setArray:|sortUsing\w{3,20}:)$/,
  ],
  [
    /^(?:__NS(?:Dictionary[I0]|SingleEntryDictionaryI|FrozenDictionaryM)|NSConstantDictionary|_?_SwiftDeferredNSDictionary)$/,
    /^(?:setObject:forKey(?:edSubscript)?:|removeObjects?ForKeys?:|removeAllObjects|addEntriesFromDictionary:|setDictionary:)$/,
  ],
  [
    /^__NS(?:Set[I0]|SingleObjectSetI)$/,
    /^(?:addObject:|removeObject:|removeAllObjects|unionSet:)$/,
  ],
  [
    /^(?:__NSCFConstantString|NSTaggedPointerString|NSConstantString)$/,
    /^(?:append(?:String|Format):|setString:|deleteCharactersInRange:|insertString:atIndex:)$/,
  ],
  [/^(?:_NSInlineData|NSConcreteData)$/, /^append(?:Data:|Bytes:length:)$/],
];

/** Methods that numbers and strings have, and no collections. */
const ofNumbers = /^(?:int|integer|longLong|float|double|bool)Value$/;

/** The row for a message about an unrecognized selector, by whose the class is; `null` for other messages. */
function unrecognizedRow(text: string): KnowledgeRow | null {
  if (!text.includes("unrecognized selector")) return null;
  if (text.includes("+[%s %s]: ")) return known("message", "+[%s %s]: unrecognized selector");
  if (text.includes("-[%s %s]: ")) return known("message", "-[%s %s]: unrecognized selector");
  const match =
    /([-+])\[([\w.$]{1,200})(?:\([\w ]{1,80}\))? [\w:.$]{1,300}\]: unrecognized selector/.exec(
      text,
    );
  if (match === null) return null;
  const [, kind, name] = match;
  const given = kind === "-"
    ? valueKinds.find(([, classes]) => classes.test(name))?.[0]
    : undefined;
  const method = /\s([\w:.$]{1,300})\]$/.exec(match[0].split(": unrec")[0])?.[1] ?? "";
  const expected = valueKinds.find(([, , methods]) => methods.test(method))?.[0] ??
    (given !== "a string" && given !== "a number" && ofNumbers.test(method)
      ? "a number or a string"
      : undefined);
  if (given !== undefined && expected !== undefined && given !== expected) {
    const row = known("message", "unrecognized selector of another kind of value")!;
    return {
      ...row,
      meaning: `${capitalized(given)} stood where ${expected} was expected.`,
    };
  }
  if (
    kind === "-" &&
    immutable.some(([classes, methods]) => classes.test(name) && methods.test(method))
  ) {
    return known("message", "unrecognized selector of an immutable object");
  }
  return kind === "+"
    ? known("message", "unrecognized selector of a class method")
    : name === "NSNull"
    ? known("message", "unrecognized selector of NSNull")
    : systemClass.test(name)
    ? null
    : /^_[a-z]/.test(method)
    ? known("message", "unrecognized selector of the system's own")
    : known("message", "unrecognized selector of a class of the program");
}

/** Everything that was left in words. */
function messages(report: CrashReport): string[] {
  const list: string[] = [];
  const add = (text: string | null): void => {
    if (text === null || text.trim() === "" || list.includes(text)) return;
    const last = list.at(-1);
    if (
      last !== undefined && /Library not loaded|Symbol not found/.test(last) && ofLoader.test(text)
    ) {
      list[list.length - 1] = `${last} ${text}`;
    } else list.push(text);
  };
  for (const text of report.information) add(text);
  if (report.body === null && report.exception === null) {
    // Cr4shed's, of processes that were ended without an exception.
    add(fieldValue(report, "reason"));
  }
  add(report.exception?.message ?? null);
  add(report.exception?.note ?? null);
  for (const reason of report.termination?.reasons ?? []) add(reason);
  return list.slice(0, 50);
}

/** Lines that go on with the dynamic linker's message. */
const ofLoader = /^(?:Referenced\s{1,4}from:|Reason:|Expected in:|Did find:|in |\/|'\/)/;

/** Messages that compilers leave as names of inlined frames: Swift's, and those of Clang's traps, such as
 * libc++'s hardening checks. */
function inlinedMessages({ crashedThread }: CrashReport): string[] {
  const list: string[] = [];
  for (const { symbol } of crashedThread?.frames.slice(0, 4) ?? []) {
    const message = symbol === null ? null : trapMessage(symbol);
    if (message !== null) list.push(message);
  }
  return list;
}

/** Whether a message only repeats an exception that was already told. */
export function sameReason(
  text: string,
  { name, reason }: { name: string | null; reason: string | null },
): boolean {
  return /uncaught (?:foreign )?exception|^Fatal Exception: |^terminate called (?:after )?throwing an|^N\d{1,2}[A-Za-z]\w*E$/
    .test(text) ||
    (reason !== null && (text.includes(reason) || reason.includes(text))) ||
    (name !== null && text === name);
}
