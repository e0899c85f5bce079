/** The report that the lines of a crash text make: its frames with their images, its exception, its words. */

import { isNamed, namesByAtos, type SymbolicatedPlace } from "./copies.ts";
import { type CrashDraft, type DraftFrame, isNameless } from "./crash_draft.ts";
import { Header } from "./crash_header.ts";
import { wholeReasons } from "./crash_said.ts";
import { numberedException } from "./metrickit.ts";
import { MANAGED_STACK, managedMethods, saidByMono } from "./mono.ts";
import { loggedProcess, noThreads } from "./parts.ts";
import { titleFrame } from "./title_frame.ts";
import type { ArchName } from "../../arch/mod.ts";
import { hasSwiftsNull, unsureNull } from "../fault.ts";
import { archOfCodeType, imageFinder, imageTitle, isSystemImage } from "../images.ts";
import { isLowMemory } from "../jetsam.ts";
import type {
  ReportException,
  ReportField,
  ReportFrame,
  ReportImage,
  ReportProcess,
  ReportSection,
  ReportThread,
} from "../drafts.ts";
import { CrashReport, noException } from "../report.ts";

/** Few functions are larger. */
const MAX_FUNCTION = 1 << 16;

/** Makes the report of what was read. */
export function finishCrash(draft: CrashDraft): CrashReport {
  settleStops(draft);
  settleProtection(draft);
  settleLead(draft);
  dropEarlier(draft);
  const header = new Header(draft.fields, draft.json, (text) => draft.warn(text));
  const process = processOf(draft, header.process);
  nameProgram(draft, process);
  const frame = frameReader(draft.images);
  const triggered = header.triggeredThread;
  beginByTitle(draft, process.name, triggered);
  settleCrashed(draft, triggered, header.exception !== null);
  const known = draft.threads.some(({ crashed }) => crashed);
  // The text ends with the exception's line.
  if (draft.fatal !== null && draft.remarks.length === 0) draft.remarks.push(draft.fatal);
  dropUnderscores(draft);
  nameFromCopies(draft);
  const threads: ReportThread[] = draft.threads.map((thread) => ({
    ...thread,
    id: draft.ids.get(thread.index) ?? null,
    crashed: thread.crashed || (!known && triggered !== null && thread.index === triggered),
    frames: thread.frames.map(frame),
    process: draft.processes.get(thread.index) ?? null,
    tree: [],
  }));
  checkEnd(draft, threads);
  const codeType = header.codeType;
  return new CrashReport({
    format: "crash",
    file: draft.file,
    text: draft.text,
    bugType: header.bugType,
    fields: draft.fields as readonly ReportField[],
    sections: sectionsOf(draft),
    process,
    arch: archOfCodeType(codeType) ??
      archOfCodeType(draft.images.find(({ arch }) => arch !== null)?.arch ?? null) ??
      archOfState(draft.threads.find(({ flavor }) => flavor !== null)?.flavor ?? "") ??
      archOfException(header.exception),
    codeType,
    model: header.model,
    osVersion: header.osVersion,
    date: header.date,
    incident: header.incident,
    exception: header.exception ?? draft.raised ?? signalOf(draft) ?? numberedException(draft.text),
    termination: header.termination,
    information: informationOf(draft),
    threads,
    lastException: namedByBases(draft, wholeException(draft))?.map(frame) ?? null,
    images: draft.images,
    header: draft.json,
    body: null,
    warnings: draft.warnings,
    unread: draft.unread,
  });
}

/** Makes a report's frames of lines: each has the image that holds its address, or that its line names. */
function frameReader(images: readonly ReportImage[]): (line: DraftFrame) => ReportFrame {
  const find = imageFinder(images);
  // Only images without a size are looked for by it.
  let byBase: ReadonlyMap<bigint, ReportImage> | null = null;
  const atBase = (base: bigint): ReportImage | null => {
    byBase ??= new Map(images.map((image) => [image.base, image]));
    return byBase.get(base) ?? null;
  };
  // Few frames are looked for by the name of their image.
  let byName: Map<string, ReportImage> | null = null;
  const named = (name: string): ReportImage | null => {
    // The first of a name is the one that is meant.
    byName ??= new Map(images.toReversed().map((image) => [image.name, image]));
    return byName.get(name) ?? null;
  };
  return (line) => {
    let image = find(line.address);
    if (image !== null && isOtherImage(image, line, named)) image = null;
    if (image === null && line.base !== null) image = atBase(line.base);
    if (image === null && line.imageName !== null) image = named(line.imageName);
    const address = image !== null && isFromImage(image, line.address)
      ? image.base + line.address
      : line.address;
    // In `MyApp + 1234` the offset counts from the image, in `main + 44` from the function.
    const isOffset = line.symbol !== null && image !== null && line.offset !== null &&
      (line.symbol === line.imageName || line.symbol === image.name ||
        image.path?.endsWith(`/${line.symbol}`) === true) &&
      line.address === image.base + BigInt(line.offset);
    // Without images the offset alone tells.
    const isImage = image === null && line.symbol !== null && line.symbol === line.imageName &&
      (line.offset ?? 0) > MAX_FUNCTION;
    const unnamed = isOffset || isImage || (line.base !== null && line.symbol === null);
    return {
      index: line.index,
      address,
      image,
      imageName: line.imageName,
      symbol: unnamed ? null : withoutOwnImage(line),
      offset: unnamed || line.symbol === null ? null : line.offset,
      file: line.file,
      line: line.line,
      column: line.column,
      inlined: line.inlined,
      span: line.span,
    };
  };
}

/** Begins the crashed thread by the title above a report of which neither its stack nor an exception's was copied. */
function beginByTitle(draft: CrashDraft, process: string | null, triggered: number | null): void {
  if (draft.threads.length > 0 || draft.exception !== null || draft.exceptions.length > 0) return;
  const frame = draft.fields.length < 3 ? null : titleFrame(draft, process);
  if (frame === null) return;
  draft.begin({ index: triggered ?? 0, name: null, queue: null, crashed: true });
  draft.thread!.frames.push(frame);
  if (triggered === null) draft.thread!.isNumbered = false;
  draft.warn("no threads were found in the report; its title names the function that crashed");
}

/** Decides which thread crashed, where the titles of threads do not say it.
 *
 * @param triggered the number that the header has
 */
function settleCrashed(
  draft: CrashDraft,
  triggered: number | null,
  hasException: boolean,
): void {
  // A single stack without a title is the crashed thread's; that a copy begins inside of may be another's.
  const [single] = draft.threads;
  const alone = draft.threads.length === 1 && draft.untitledThreads === 1 &&
    (hasException || single.frames[0]?.index === 0);
  if (alone) single.crashed = true;
  if (draft.threads.length === 1 && draft.unnumbered === single) {
    if (triggered === null) single.isNumbered = false;
    else if (alone) single.index = triggered;
  }
  if (!alone && triggered !== null) {
    // What the header says is not replaced by what a title looks like.
    for (const thread of draft.guessed) thread.crashed &&= thread.index === triggered;
  }
}

/** Decides which of several stops of a debugger is told: that of the last one's thread whose stack is the fullest. */
function settleStops(draft: CrashDraft): void {
  const stops = draft.stops.filter(({ thread }) =>
    thread.frames.length > 0 && draft.threads.includes(thread)
  );
  const last = stops.at(-1);
  if (last === undefined || stops.length < 2) return;
  const same = stops.filter(({ thread }) => thread.index === last.thread.index);
  const best = same.reduce((one, other) =>
    other.thread.frames.length >= one.thread.frames.length ? other : one
  );
  for (const { thread } of stops) if (thread !== best.thread) thread.crashed = false;
  for (const { thread } of same) {
    if (thread !== best.thread) draft.threads.splice(draft.threads.indexOf(thread), 1);
  }
  if (!draft.hasException && best.exception !== null) draft.raised = best.exception;
}

/** Takes a debugger's word for what Swift's own backtrace has no address of, at the same place: a signal's address is 0 for a
 * general protection fault, too. */
function settleProtection(draft: CrashDraft): void {
  const { raised } = draft;
  if (draft.hasException || raised === null || !/ at 0x0+$/.test(raised.subtype ?? "")) return;
  const own = draft.threads.find(({ crashed }) => crashed);
  const place = own?.frames[0]?.address ?? 0n;
  const stop = draft.stops.find(({ thread, exception }) =>
    thread !== own && exception?.subtype === "EXC_I386_GPFLT" && thread.frames[0]?.address === place
  );
  if (stop === undefined || place === 0n) {
    // Libraries of the system are there on Intel's CPUs alone.
    const isIntel = place >= 0x7ff8_0000_0000n && place < 0x8000_0000_0000n;
    if (isIntel && hasSwiftsNull(draft.text)) draft.raised = { ...raised, subtype: unsureNull };
    return;
  }
  draft.raised = stop.exception;
  // It is the same thread by the debugger's number.
  const again = draft.threads.indexOf(stop.thread);
  if (again >= 0) draft.threads.splice(again, 1);
}

/** Takes the line before a stack for the exception's, where the stack is that of one that was thrown. */
function settleLead(draft: CrashDraft): void {
  const isThrown = draft.threads[0]?.frames.slice(0, 4).some(({ symbol }) =>
    symbol === "__exceptionPreprocess" || symbol === "objc_exception_throw"
  );
  if (draft.lead === null || isThrown !== true || draft.hasException) return;
  if (draft.remarks.length > 0) return;
  const { name, reason } = draft.lead;
  draft.remarks.push(`Fatal Exception: ${name}: ${reason}`);
}

/** Drops what a log said of another run of the program, where the report has its own exception. */
function dropEarlier(draft: CrashDraft): void {
  const { earlier } = draft;
  const says = (line: string): boolean =>
    line.includes("Terminating app due to uncaught exception");
  if (earlier === null || !draft.sections.some(({ lines }) => lines.some(says))) return;
  draft.remarks.splice(0, earlier.remarks);
  const { length } = draft.exceptions.splice(0, earlier.exceptions);
  if (length < earlier.exceptions) draft.exception = null;
}

/** Gives the one image that is not the system's and has neither name nor path those of the process, if no other image has
 * them: that of a program without an identifier. */
function nameProgram(draft: CrashDraft, { name, path }: ReportProcess): void {
  const isNameless = (image: ReportImage): boolean =>
    image.marked === true && image.path === null && image.name === "???";
  if (name === null || draft.images.filter(isNameless).length !== 1) return;
  if (draft.images.some((image) => imageTitle(image) === name || image.path === path)) return;
  const at = draft.images.findIndex(isNameless);
  draft.images[at] = { ...draft.images[at], name, path };
}

/** Drops the underscore that C's names have in the symbol table, where a service (Bugly) writes names as they are there. */
function dropUnderscores(draft: CrashDraft): void {
  const stacks = [...draft.threads.map(({ frames }) => frames), draft.exception ?? []];
  const shows = stacks.some((frames) =>
    frames.some(({ symbol }) =>
      symbol !== null &&
      /^(?:_[-+]\[|_(?:UIApplicationMain|NSApplicationMain|objc_msgSend|objc_exception_throw|CFRunLoopRunSpecific|__CFRunLoopRun|__exceptionPreprocess)$)/
        .test(symbol)
    )
  );
  // `__exceptionPreprocess` and `__CFRunLoopRun` have two of their own.
  const isPlain = stacks.some((frames) =>
    frames.some(({ symbol }) =>
      symbol !== null &&
      /^(?:UIApplicationMain$|NSApplicationMain$|objc_|CFRunLoopRunSpecific$|__CFRunLoopRun$|__exceptionPreprocess$)/
        .test(symbol)
    )
  );
  if (!shows || isPlain) return;
  for (const frames of stacks) {
    for (const frame of frames) {
      if (frame.symbol?.startsWith("_") && !/^_(?:Z|\$[sS]|T[A-Z0-9])/.test(frame.symbol)) {
        frame.symbol = frame.symbol.slice(1);
      }
    }
  }
}

/** Gives frames without names those that another copy of the same stack has in the text, as somebody symbolicated it. */
function nameFromCopies(draft: CrashDraft): void {
  const stacks = [
    ...draft.threads.map(({ frames }) => frames),
    ...draft.exceptions,
    draft.exception ?? [],
  ];
  if (stacks.every((frames) => frames.every(isNamed))) return;
  const byAddress = new Map<bigint, SymbolicatedPlace & Partial<DraftFrame>>(
    namesByAtos(draft.text),
  );
  for (const frame of stacks.flat()) {
    if (
      isNamed(frame) && !frame.inlined && frame.address !== 0n && !byAddress.has(frame.address)
    ) {
      byAddress.set(frame.address, frame as SymbolicatedPlace & DraftFrame);
    }
  }
  for (const frame of stacks.flat()) {
    const other = isNamed(frame) ? undefined : byAddress.get(frame.address);
    if (other === undefined || frame.imageName === null || frame.imageName !== other.imageName) {
      continue;
    }
    const { symbol, offset = null, file, line, column = null } = other;
    Object.assign(frame, { symbol, offset, file, line, column });
  }
}

/** The exception's backtrace. Where the console has only addresses of it, another stack of the same text may name them,
 * as a debugger's that stopped where it was thrown. */
function wholeException(draft: CrashDraft): readonly DraftFrame[] | null {
  const [frames, ...others] = [
    ...draft.exceptions,
    ...draft.exception === null ? [] : [draft.exception],
  ];
  if (frames === undefined || !isNameless(frames)) return frames ?? null;
  const byAddress = new Map<bigint, DraftFrame>();
  for (const stack of [...others, ...draft.threads.map(({ frames }) => frames)]) {
    for (const frame of stack) {
      if (frame.imageName !== null && !frame.inlined && !byAddress.has(frame.address)) {
        byAddress.set(frame.address, frame);
      }
    }
  }
  const named = frames.map((frame) => {
    const other = byAddress.get(frame.address);
    return other === undefined ? { ...frame } : { ...other, index: frame.index, span: frame.span };
  });
  const known = [...byAddress.values()];
  for (const frame of named) {
    // Between a function's begin and another address in it.
    const around = frame.imageName !== null || frame.address === 0n ? undefined : known.find((
      { address, offset },
    ) => offset !== null && frame.address <= address && frame.address > address - BigInt(offset));
    if (around === undefined) continue;
    const { imageName, symbol, address, offset } = around;
    const from = address - BigInt(offset!);
    Object.assign(frame, { imageName, symbol, offset: Number(frame.address - from) });
  }
  // What Foundation's list begins with, before what raised the exception.
  if (
    named.length > 2 && named[0].imageName === null &&
    /^[-+]\[NSException /.test(named[2].symbol ?? "")
  ) {
    Object.assign(named[0], { imageName: "CoreFoundation", symbol: "__exceptionPreprocess" });
    if (named[1].imageName === null) {
      Object.assign(named[1], { imageName: "libobjc.A.dylib", symbol: "objc_exception_throw" });
    }
  }
  // A few are where every thread begins.
  return named.filter(({ imageName }) => imageName !== null).length < MIN_SAME ? frames : named;
}

/** The frames of a backtrace that has only addresses, with the images that they are in as far as the frames of others tell,
 * where the report has no list of images: `0x1040d4000 + 18842252` and `MyApp + 4711` say where an image begins, and the
 * furthest of them how far it goes at least. */
function namedByBases(
  draft: CrashDraft,
  frames: readonly DraftFrame[] | null,
): readonly DraftFrame[] | null {
  if (frames === null || draft.images.length > 0) return frames;
  if (frames.every(({ imageName }) => imageName !== null)) return frames;
  const images = new Map<bigint, { name: string | null; last: bigint }>();
  for (const frame of [...draft.threads.map(({ frames }) => frames), ...draft.exceptions].flat()) {
    const { address, imageName, symbol, offset } = frame;
    const base = frame.base ??
      (symbol === imageName && offset !== null ? address - BigInt(offset) : null);
    if (imageName === null || imageName === "???" || base === null || base <= 0n) continue;
    if (base >= address) continue;
    const image = images.get(base) ?? { name: imageName, last: address };
    images.set(base, {
      // What two frames call differently is not known.
      name: image.name === imageName ? imageName : null,
      last: address > image.last ? address : image.last,
    });
  }
  const sorted = [...images].sort(([a], [b]) => a < b ? 1 : -1);
  return frames.map((frame) => {
    if (frame.imageName !== null || frame.symbol !== null) return frame;
    const image = sorted.find(([base]) => base <= frame.address)?.[1];
    return image === undefined || image.name === null || frame.address > image.last
      ? frame
      : { ...frame, imageName: image.name };
  });
}

/** The header's process, or the one that lines of a log name. */
function processOf(draft: CrashDraft, process: ReportProcess): ReportProcess {
  if (process.name !== null) return process;
  const logged = loggedProcess(draft.text.slice(0, 4000));
  return logged === null ? process : { ...process, name: logged.name, pid: logged.pid };
}

/** The signal that other reporters name in a sentence. */
function signalOf(draft: CrashDraft): ReportException | null {
  const head = draft.text.slice(0, 4000);
  const signal = /\b(?:received|caught|got) signal:? ?(SIG[A-Z]{2,6})\b/i.exec(head)?.[1] ??
    // Mono's, behind its stacks.
    /^\s{0,8}Got a (SIG[A-Z]{2,6}) while executing /m.exec(draft.text.slice(0, 1 << 16))?.[1] ??
    // Mono's handler of one, which a cut copy has of it.
    /\b(?:mono_)?sig(segv|ill|fpe|abrt)_signal_handler\b/.exec(draft.text.slice(0, 1 << 16))?.[1];
  if (signal === undefined) return null;
  return {
    ...noException,
    signal: signal.startsWith("SIG") ? signal : `SIG${signal.toUpperCase()}`,
  };
}

/** The sections, and the managed stack that Mono prints before the native one. */
function sectionsOf(draft: CrashDraft): readonly ReportSection[] {
  const lines = managedMethods(draft.text);
  return lines.length === 0 ? draft.sections : [...draft.sections, { name: MANAGED_STACK, lines }];
}

/** What NSAssertionHandler prints before it raises an exception. */
const assertion = "*** Assertion failure in ";

function informationOf(draft: CrashDraft): string[] {
  const lines: string[] = [...draft.remarks.slice(0, 8)];
  const reason = lines.length > 0 ? null : writtenReason(draft);
  if (reason !== null) lines.push(reason);
  lines.push(...saidByMono(draft.text));
  for (const section of draft.sections) {
    // KSCrash's own finding stands after what it knows of addresses.
    const found = section.name === "Notable Addresses"
      ? section.lines.find((line) => line.startsWith(diagnosis))
      : undefined;
    if (found !== undefined) lines.push(found.slice(diagnosis.length));
    if (
      !/^(?:Application Specific (?:Information|Signatures)|Dyld Error Message)/i.test(
        section.name,
      )
    ) continue;
    // Xcode adds the stacks from which blocks were dispatched.
    let hinted = false;
    for (const written of section.lines) {
      // Xcode's previews put a mark before each.
      const line = written.trim().replace(/^\| ?/, "");
      if (/^(?:Possibly stale failure hints|Hints:)/.test(line)) hinted = true;
      else if (hinted && !/^(?:\d|$)/.test(line)) hinted = false;
      if (hinted) continue;
      // Wrapped, as on a web page.
      if (
        /^Elapsed total CPU time \(seconds\): [\d.]{1,12} \(user [^)]{0,60}$/.test(
          lines.at(-1) ?? "",
        )
      ) {
        lines.push(`${lines.pop()} ${line}`);
      } else lines.push(line);
    }
  }
  // The exception of an assertion says more than that it failed.
  const isRaised = lines.some((line) => line.includes("uncaught exception")) ||
    draft.hasException;
  return wholeReasons(lines.filter((line) => !(isRaised && line.startsWith(assertion))));
}

/** A reason of Core Foundation's or Foundation's, which begins with the method that raised it. */
const methodReason = /\*\*\* ([-+]\[[^\]\n]{1,200}\]): \S.{0,1000}$/;

/** The reason that a handler of the program's own wrote in its own words before the stack of the exception; `null` where no
 * line of the text has it. */
function writtenReason(draft: CrashDraft): string | null {
  const raisers = [...draft.exception === null ? [] : [draft.exception], ...draft.exceptions]
    .concat(draft.threads.map(({ frames }) => frames))
    .flatMap((frames) => {
      const at = frames.findIndex(({ symbol }) => symbol === "objc_exception_throw");
      return at < 0 ? [] : frames.slice(at + 1, at + 4).map(({ symbol }) => symbol);
    });
  for (const [at, line] of raisers.length === 0 ? [] : draft.unread.entries()) {
    const reason = methodReason.exec(line);
    if (reason === null || !raisers.includes(reason[1])) continue;
    draft.unread.splice(at, 1);
    return reason[0];
  }
  return null;
}

function checkEnd(draft: CrashDraft, threads: readonly ReportThread[]): void {
  const isKnown = isLowMemory({ text: draft.text, threads, exception: null, body: null });
  if (threads.length === 0 && !isKnown) draft.warn(noThreads);
  if (draft.images.length === 0 && threads.length > 0) {
    draft.warn("no list of binary images was found: the report may be cut off");
  }
}

/** The CPU by the title of a thread's registers: `X86 Thread State (64-bit)`. */
function archOfState(title: string): ArchName | null {
  const match = /\b(x86|ARM) Thread State \((64|32)-bit\)/i.exec(title);
  if (match === null) return null;
  const isArm = match[1].toUpperCase() === "ARM";
  return match[2] === "64" ? isArm ? "arm64" : "x86_64" : isArm ? "armv7" : "i386";
}

/** The CPU by what only one of them has as a code of an exception: XNU's `mach/arm/exception.h` and
 * `mach/i386/exception.h`. */
function archOfException(exception: ReportException | null): ArchName | null {
  if (exception?.type !== "EXC_BAD_ACCESS") return null;
  const { subtype, codes } = exception;
  if (/EXC_ARM_|pointer authentication/.test(subtype ?? "")) return "arm64";
  return /EXC_I386_|UNKNOWN_0xD\b/.test(subtype ?? "") || codes[0] === 13n ? "x86_64" : null;
}

/** Addresses that two stacks have in common before one is taken to name the other. */
const MIN_SAME = 4;

/** How KSCrash's text begins the line of what it found. */
const diagnosis = "CrashDoctor Diagnosis: ";

/** Whether a line names another image than the one that its address is in: before iOS 5, reporters wrote the addresses of what
 * is in the shared cache from the begin of the image, and these may be in another one.
 *
 * @param imageNamed the image of a name
 */
function isOtherImage(
  image: ReportImage,
  { address, imageName }: DraftFrame,
  imageNamed: (name: string) => ReportImage | null,
): boolean {
  if (imageName === null || imageName === image.name) return false;
  const titles = [image.name, image.identifier, imageTitle(image)];
  // Names are cut.
  if (titles.some((title) => title?.startsWith(imageName) || imageName.startsWith(title ?? "?"))) {
    return false;
  }
  const named = imageNamed(imageName);
  return named === null
    ? !isSystemImage(image) && isSystemImage({ path: null, name: imageName })
    : address < named.base && address < named.size;
}

/** Where iOS had its shared cache when reporters wrote addresses from the begin of its images: XNU, osfmk/mach/shared_region.h,
 * SHARED_REGION_BASE_ARM. Nothing is in the first page. */
const CACHE = 0x3000_0000n;
const FIRST_PAGE = 0x1000n;

/** Whether an address that is not in its line's image, one of the shared cache, can only be from the begin of that. */
function isFromImage({ base, size }: ReportImage, address: bigint): boolean {
  return base >= CACHE && base < 1n << 32n && address >= FIRST_PAGE && address < size;
}

/** A frame's function; some services write its image after it: `objc_release (libobjc.A.dylib)`. */
function withoutOwnImage({ symbol, imageName }: DraftFrame): DraftFrame["symbol"] {
  if (symbol === null || imageName === null || !symbol.endsWith(")")) return symbol;
  const end = ` (${imageName})`;
  return symbol.length > end.length && symbol.endsWith(end)
    ? symbol.slice(0, -end.length) as DraftFrame["symbol"]
    : symbol;
}
