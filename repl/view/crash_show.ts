/** A report's explanation as lines of text. */
import { escape, escapeLines, joinLines, safe, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import "../../lib/symbols/demangle/mod.ts";
import {
  frameNumber,
  isBaseLibrary,
  isNearest,
  isSystemImage,
  readableName,
  reportTime,
  shortName,
} from "../../lib/report/explaining.ts";
import type {
  Absent,
  Attribution,
  CrashReport,
  Explanation,
  OwnedFrame,
  ReportFrame,
  SymbolicatedReport,
} from "../../lib/report/mod.ts";
import type { Style } from "./style.ts";
import { count, indented, join } from "./text.ts";

/** A report, symbolicated, and whose crash it is. */
export interface ReadCrash extends SymbolicatedReport {
  readonly attribution: Attribution;
}

/** Maximum number of lines per part. */
const MOST = 8;

/** Maximum length of what happened, with the reason that it quotes: a watchdog's is long. */
const MAX_QUOTED = 900;

/** Which symbols are missing, what happened, where, whose code it is, and what to check. */
export function explanationLines(
  { headline, happened, thread, raiser, path, causes, check }: Explanation,
  { report, attribution, missing }: Pick<ReadCrash, "report" | "attribution" | "missing">,
  style: Style,
): SafeText[] {
  const lines: SafeText[] = [];
  const part = (title: SafeText, texts: readonly SafeText[]): void => {
    if (texts.length === 0) return;
    lines.push(style("heading", title), ...indented(texts.slice(0, MOST)), safe``);
  };
  const shown = thread?.crashed === false ? safe`the thread below` : safe`the crashed thread`;
  // First: the end is what a terminal shows, and that shall be the explanation.
  part(
    safe`Symbols that are missing`,
    missing.map(({ image, frames, crashedFrames }) => {
      const part = crashedFrames === 0
        ? safe``
        : crashedFrames < frames
        ? safe`, ${crashedFrames} of them in ${shown}`
        : safe`, ${frames > 1 ? safe`all ` : safe``}in ${shown}`;
      return safe`${style("image", short(image.name))} ${escape(image.uuid ?? "without UUID")}: ${
        count(frames, "frame")
      }${part}`;
    }),
  );
  if (missing.length > MOST) {
    lines.splice(-1, 0, safe`  and ${count(missing.length - MOST, "more image")}`);
  }
  const [first] = missing;
  // Of Apple's and of others' nobody but their makers has any.
  const isOthers = first?.image.name.startsWith("com.apple.") === true ||
    (attribution.isOutside && attribution.deciding?.frame.image?.uuid === first?.image.uuid);
  if (
    first !== undefined && first.image.uuid !== null && !isSystemImage(first.image) && !isOthers
  ) {
    lines.splice(
      -1,
      0,
      safe`  --symbols PATH names the dSYM of ${short(first.image.name)}, or a folder with it`,
    );
  }
  const time = timeWords(report);
  lines.push(
    style("heading", short(headline)),
    ...time === null ? [] : [style("quiet", safe`Date: ${time}`)],
    safe``,
  );
  part(safe`What happened`, happened.map((text) => short(text, MAX_QUOTED)));
  const where: SafeText[] = [];
  const { deciding, frames } = attribution;
  const isNext = deciding !== null && isNextFunction(frames, deciding);
  if (thread !== null) {
    const { name, queue } = thread;
    const shown = name === null ? safe`` : safe` ${style("name", safe`"${short(name)}"`)}`;
    const on = queue === null || name === queue
      ? safe``
      : queue === "com.apple.main-thread"
      ? safe` (the main thread)`
      : safe`, on the queue ${style("name", safe`"${short(queue)}"`)}`;
    const [top] = thread.frames;
    const place = raiser !== null
      ? safe`; the exception was raised in ${frameWords(report, raiser, style)}`
      : top === undefined
      ? safe``
      : safe`, in ${frameWords(report, top, style, top === deciding?.frame && isNext)}`;
    const title = thread.isNumbered === false
      ? safe`the ${thread.crashed ? safe`crashed ` : safe``}thread`
      : safe`thread ${thread.index}`;
    const { name: own } = report.process;
    const of = thread.process === null || (own !== null && thread.process.startsWith(own))
      ? safe``
      : safe` of ${short(thread.process)}`;
    where.push(safe`${title}${shown}${of}${on}${place}`);
  }
  const framework = path.length > 0 ? null : frameworkOf(attribution);
  if (framework !== null) where.push(safe`through ${frameWords(report, framework, style)}`);
  // Outermost first; the next function of the same line was called by the one before it.
  if (path.length > 0) where.push(safe`call path: ${join(path.map(escape), " → ")}`);
  part(safe`Where`, where);
  part(safe`Whose`, verdictWords(report, attribution, style));
  part(safe`Possible causes`, causes.map((text) => short(text)));
  const start = check.length > 0 ? null : startWords(report, attribution);
  part(
    safe`What to check`,
    start === null ? check.map((text) => short(text)) : [safe`Start at ${start}.`],
  );
  return lines.slice(0, -1);
}

/** Where to start, for a report of which nothing else is known to check: the function of the program that failed, or that
 * called what did, with its place; `null` where none is known to have. */
function startWords(report: CrashReport, attribution: Attribution): SafeText | null {
  const { verdict, isEvidence, absent, deciding, frames } = attribution;
  if (!isEvidence || deciding === null || absent !== null) return null;
  if (verdict !== "program" && verdict !== "mine") return null;
  // Nobody who reads this can change these.
  if (attribution.isApple || attribution.isOutside || attribution.isTweak) return null;
  if (/\bMono$/.test(attribution.part ?? "")) return null;
  // What a collector or a script met need not come of that function.
  if (attribution.isCollector || attribution.isCompiled || attribution.script !== null) return null;
  const { frame } = deciding;
  const { symbol, file, line } = frame;
  if (
    symbol === null || symbol.startsWith("<") || isNearest(frame) ||
    isNextFunction(frames, deciding) || /^(?:main|_?start)$/.test(symbol)
  ) return null;
  const place = file === null
    ? safe``
    : safe` (${short(file)}${line === null ? safe`` : safe`:${line}`})`;
  return safe`${functionWords(symbol)}${place}, ${escape(frameNumber(report, frame))}`;
}

/** When a report was made, without fractions of a second; `null` where it does not say, or a clock was not set. */
function timeWords(report: CrashReport): SafeText | null {
  const time = reportTime(report);
  const [, whole] = /^(.{19})/.exec(report.date ?? "") ?? [];
  if (time === null || whole === undefined || time < FIRST_TIME) return null;
  const zone = /(?:[+-]\d\d:?\d\d|Z)\s*$/.exec(report.date!)?.[0].trim();
  return short(
    `${whole.replace("T", " ")}${zone === undefined ? "" : ` ${zone === "Z" ? "+0000" : zone}`}`,
  );
}

/** Before any report of the system's: the clock was not set, or its unit is another. */
const FIRST_TIME = Date.UTC(1999, 0);

/** The text of a report, its lines safe to print. Tabs stay: they separate columns. */
export function safeLines(text: string): SafeText {
  return escapeLines(text.replace(/\r\n?/g, "\n"));
}

/** A report's text on one line of limited length. */
function short(text: string, most = 400): SafeText {
  const line = joinLines(text);
  return escape(line.length > most ? `${line.slice(0, most)}…` : line);
}

/** Names from this length on are shown without parameters and long arguments. */
const LONG = 160;

/** A function's name, readable. Reporters put marks before names, and Apple's puts the offset inside of abbreviated
 * ones. */
function functionWords(symbol: string): SafeText {
  const name = readableName(symbol).replace(/^\[inlined\] /, "").replace(/\+ \d{1,12} (?=\()/, "")
    // The part of a function that the compiler set aside as seldom run.
    .replace(/ ?\(?\.cold\.\d{1,3}\)?$/, "");
  return short(name.length > LONG ? shortName(name) : name);
}

/** A frame's image, function and place.
 *
 * @param isNext whether its name is that of the next function
 * @param isToldOf whether the image of a copy without its list of images is named beside it
 */
function frameWords(
  report: CrashReport,
  frame: ReportFrame,
  style: Style,
  isNext = false,
  isToldOf = false,
): SafeText {
  // A copy without its list of images still names them in its frames.
  const title = frame.image === null ? frame.imageName : frame.image.path ?? frame.image.name;
  const image = title === null ? safe`` : style("image", short(title.split("/").at(-1)!));
  const offset = frame.image === null ? 0n : frame.address - frame.image.base;
  // Further on than any function is long, a name is only that of the nearest exported one.
  const isFar = isNearest(frame);
  const isHidden = frame.symbol === "<redacted>" && (frame.image ?? frame.imageName) !== null;
  const name = frame.symbol === null || isFar || isNext || isHidden ||
      frame.symbol === "<deduplicated_symbol>"
    ? frame.image !== null
      ? safe`+ ${hex(offset < 0n ? -offset : offset)}`
      // Some reporters only name the image.
      : frame.address === 0n && title !== null
      ? safe``
      : safe`${hex(frame.address)}`
    : functionWords(frame.symbol);
  const place = frame.file === null
    ? safe``
    : safe` at ${short(frame.file)}${frame.line === null ? safe`` : safe`:${frame.line}`}`;
  const isBare = isToldOf && frame.image === null && name.length > 0 &&
    frame.symbol !== null && !isFar && !isNext && !isHidden;
  const parts = [
    isBare ? safe`` : image,
    safe`${name}${place}`,
    style("quiet", safe`(${escape(frameNumber(report, frame))})`),
  ];
  return join(parts.filter((part) => part !== ""), " ");
}

const verdicts = {
  mine: safe`the library asked for`,
  program: safe`the program`,
  runtime: safe`a run-time or framework; no other function of the program led to it`,
  system:
    safe`the system, as far as the stack shows; what the program did before may have led to it`,
  unknown: safe`not known`,
  none: safe`not known; the stacks show no cause`,
} as const;

/** What a report lacks for a verdict. */
const absences = {
  stack: safe`not known; no stack that tells it was found in the report`,
  images: safe`not known; no frame, as far as they could be read, names its image`,
  thrower: safe`not known; what raised the exception was not found on the stack`,
  left:
    safe`not known; what raised the exception has left the stack, where the innermost function of the program is now`,
  unwound:
    safe`not decided; the panic began in this function or in what it called, which has left the stack`,
  bound:
    safe`most likely the program, to an element of whose collection the binding was; none of its functions are on the stack`,
  page: safe`most likely the script of a web page, which this process runs`,
  delegate:
    safe`most likely the program, or a library in it, of which the delegate is; none of its functions are on the stack`,
  "some images": safe`not known; some frames are in no image that could be read of the report`,
  outer:
    safe`not known; the stack, as far as it could be read, ends before any function of the program`,
  gap:
    safe`not known; frames are missing from the stack, as far as it could be read: the function that tells it may be among them`,
  description:
    safe`how the program was built, or what started it: a usage description is missing in the Info.plist that the system asks`,
  "system's":
    safe`not known; the program is a part of the system, and no stack that tells more was found in the report`,
  hidden: safe`not known; the frames that filled the stack are left out of the report`,
  "hidden compiled":
    safe`not known; what filled the stack is in no image, as what a run-time compiles, such as managed code`,
  own: safe`not sure; the stack ends early, and all that is there is Apple's, as the program is`,
  processes: safe`not known; the report is of several processes`,
  resource: safe`the process itself; no stack shows which function of the program`,
  part: safe`the system, which the program is a part of`,
  heap: safe`not known; the heap was damaged before, by code that need not be on the stack`,
  malloc:
    safe`not known; the code on the stack may have freed it wrongly, or other code damaged the heap before`,
  "managed own": safe`the program's own .NET code, by the exception's managed stack`,
  "managed beside": safe`not decided; the innermost managed method that is the program's`,
  "managed library": safe`a .NET library that the program uses, by the exception's managed stack`,
  javascript: safe`the program's JavaScript, by the error's own stack`,
  python:
    safe`code in Python, the program's or that of a package, which the stack called and which has left it`,
  managed:
    safe`managed code, the program's or that of a library it uses; which method could not be read from the stack`,
  "managed nameless":
    safe`most likely managed code, the program's or that of a library it uses: it called the run-time, and has no names`,
  "javascript unseen": safe`the program's JavaScript; its functions are not on the stack`,
  nameless:
    safe`not decided; a function without a name, of the program or of what is linked into it`,
  reporter: safe`not known; the report of the first crash, which the reporter was writing, has it`,
  pool: safe`not known; who released the object too often is not on the stack`,
  address:
    safe`not known: only addresses could be read of the stack; the innermost that is not in the system's shared cache`,
  unplaced:
    safe`not decided; the innermost code that is not the system's is in no image that could be read of the report, and may be the program's`,
  addresses: safe`the system, by the addresses; what the program did before may have led to it`,
  recorder: safe`not known; the stack is that of the crash reporter in the process`,
  module:
    safe`the Swift module that the message names by its file: the program's own, or that of a library or plug-in in it`,
  culprit: safe`not sure; the crash reporter suspects an installed library`,
  limit: safe`the process that was ended, which was above its own limit; the report has no stacks`,
  memory: safe`not known; such a report has no stacks, only what processes used`,
  launch: safe`the system; none of the program's code had run`,
  passed:
    safe`the system, as far as the stack shows: the program's functions on it only passed an event on; what the program did before may have led to it`,
  threads: safe`not known; the report has this thread alone, which waited for events`,
  wait: safe`not known; the stack is that of a thread that waited`,
  signal: safe`nobody's, as far as the stacks show: a signal from outside ended the process`,
  setup: safe`how the program was built, installed or started; the stack does not decide`,
  argument:
    safe`not decided; the system called the program's method with a nil that its declaration does not allow`,
  settings:
    safe`the program's settings, in its files or passed by its code; the stack does not decide`,
  blameless: safe`nobody's; no code of the process need have led to it`,
  "javascript error":
    safe`JavaScript that the program runs, which did not catch an error; its functions are not on the stack`,
  again: safe`not known; what is on the stack only raised an earlier error again`,
  sender: safe`not known; what sent the signal is not on the stack`,
  sent: safe`not known; the stack is only where the thread was when the signal came`,
  generated:
    safe`not known; the code that was interrupted is in no image, as what a run-time compiles; the signal's handler is a run-time's`,
  compiled:
    safe`not known; the innermost code that is not the system's is in no image, as what a run-time compiles`,
  packaging: safe`how the program was built, signed or installed; the stack does not decide`,
  asked: safe`not known; what asked for the panic is no cause, and a backtrace is that of asking`,
  elsewhere: safe`not known; a backtrace is not that of what failed here`,
  restart: safe`nobody's code; somebody restarted the machine`,
  extension: safe`not known; only the kernel and Apple's extensions are in the backtrace`,
  "extension cut":
    safe`not known; only the kernel and Apple's extensions are in the part of the backtrace that is there`,
} as const;

const ways: Readonly<Record<OwnedFrame["by"], SafeText>> = {
  image: safe`by its image`,
  range: safe`by its place between begin and end`,
  extension: safe``,
  archive: safe`by the object file that it was linked from`,
  unit: safe`by its source file`,
  none: safe``,
};

/** The innermost library of a run-time between the system and the deciding frame; `null` when there is none. */
function runtimesBefore(frames: readonly OwnedFrame[], deciding: OwnedFrame): string | null {
  const { library = null } =
    frames.slice(0, frames.indexOf(deciding)).find(({ owner }) => owner === "runtime") ?? {};
  return library === deciding.library ? null : library;
}

/** Whether frames before the deciding one are of its own image, as those of a handler or a run-time, or not known to be of
 * others. */
function isAmong(frames: readonly OwnedFrame[], deciding: OwnedFrame): boolean {
  return frames.slice(0, frames.indexOf(deciding)).some(({ owner, library }) =>
    owner === "unknown" || (library !== null && library === deciding.library)
  );
}

/** Whether the deciding frame has the name of the next function: it returns to its first byte, behind a call that does not
 * return. */
function isNextFunction(frames: readonly OwnedFrame[], deciding: OwnedFrame): boolean {
  const before = frames[frames.indexOf(deciding) - 1]?.frame;
  const { frame } = deciding;
  return frame.offset === 0 && before !== undefined && !frame.inlined &&
    before.symbol !== "_sigtramp" && before.address !== frame.address;
}

/** Names of functions by which programs end themselves or raise something, for what calls them. */
const helps =
  /(?:^|::|[ ._])_*(?:\w{0,40}(?:[Aa]ssert|ASSERT|[Ff]atal|FATAL|[Pp]anic|PANIC|[Aa]bort|[Cc]rash|CRASH|[Tt]hrow|[Rr]aise|[Tt]erminate|Exception)\w{0,40}|die)(?:$|[(\]:])/;

/** The named function that called the deciding one, where that has no name, or one that only stops the process for its
 * callers. */
function callerWords(frames: readonly OwnedFrame[], deciding: OwnedFrame): SafeText {
  const { frame, library } = deciding;
  const at = frames.indexOf(deciding) + 1;
  if (frame.symbol !== null && !isNearest(frame) && !isNextFunction(frames, deciding)) {
    const caller = frames[at];
    return caller !== undefined && caller.library === library && caller.owner === deciding.owner &&
        caller.frame.symbol !== null && !isNearest(caller.frame) &&
        helps.test(shortName(frame.symbol)) && !/^(?:main|_?start)$/.test(caller.frame.symbol)
      ? safe`, called by ${functionWords(caller.frame.symbol)}`
      : safe``;
  }
  const isNamed = ({ frame, library: other }: OwnedFrame): boolean =>
    other === library && frame.symbol !== null && frame.offset !== 0 && !isNearest(frame);
  // Beyond others without names, main() says nothing.
  const named = frames.findIndex((frame, index) =>
    index >= at && isNamed(frame) &&
    (index === at || !/^(?:main|_?start)$/.test(frame.frame.symbol!))
  );
  if (named < 0 || frames.slice(at, named).some(({ library: other }) => other !== library)) {
    return safe``;
  }
  const name = functionWords(frames[named].frame.symbol!);
  return named === at ? safe`, called by ${name}` : safe`, within ${name}`;
}

/** What is lacked where the stack says nothing, or its kernel extensions are told otherwise. */
const quiet: ReadonlySet<Absent> = new Set([
  "wait",
  "sent",
  "sender",
  "blameless",
  "again",
  "signal",
  "packaging",
  "extension",
  "extension cut",
  "elsewhere",
  "asked",
  "restart",
]);

/** The innermost frame of a framework of the system, on a stack that shows no code of the program; `null` where the thread's
 * own line has it, or there is none. */
function frameworkOf({ verdict, absent, deciding, frames }: Attribution): ReportFrame | null {
  if (deciding !== null || (absent === null ? verdict !== "system" : quiet.has(absent))) {
    return null;
  }
  const found = frames.findIndex(({ owner, library }) =>
    owner === "system" && library !== null && !isBaseLibrary(library)
  );
  // An event loop says nothing.
  return found <= 0 ||
      /^(?:com\.apple\.)?(?:GraphicsServices|HIToolbox)$/.test(frames[found].library!)
    ? null
    : frames[found].frame;
}

/** Whether the deciding frame's image is listed by its UUID alone. */
function isNameless(deciding: OwnedFrame | null): boolean {
  return deciding?.library != null && /^(?:<[\da-f-]{32,36}>$|\?\?\?)/i.test(deciding.library);
}

/** Whether the report does not have where the deciding frame's library is: the program need not have brought it. What was
 * compiled of an assembly is the program's. */
function isPlaceless(deciding: OwnedFrame | null): boolean {
  if (deciding === null || (deciding.frame.image?.path ?? null) !== null) return false;
  const { library } = deciding;
  return library !== null && /\.dylib$/.test(library) && !/\.(?:dll|exe)\.dylib$/.test(library);
}

/** That a script led to the deciding function. */
function ledWords(script: string): SafeText {
  return safe`; code in ${escape(script)} led to it, whose functions are not on the stack`;
}

/** That code which a run-time compiled led to the deciding function of it, and by which library. */
function calledWords(frames: readonly OwnedFrame[], deciding: OwnedFrame, style: Style): SafeText {
  const caller = frames.slice(frames.indexOf(deciding)).find(({ library }) =>
    library !== deciding.library
  );
  return caller?.library == null || caller.owner === "system"
    ? safe`; code in no image led to it, as what a run-time compiles`
    : safe`, called by ${
      style("name", short(caller.library))
    }; code in no image led to that, as what a run-time compiles`;
}

function verdictWords(
  report: CrashReport,
  attribution: Attribution,
  style: Style,
): SafeText[] {
  const { verdict, absent, library, isOutside, isPlugIn, isTweak, isLibrary, part } = attribution;
  const {
    isApple,
    isEvidence,
    maker,
    isOfCaller,
    isOfFile,
    isCollector,
    isCompiled,
    script,
    deciding,
    involved,
    passed,
    frames,
  } = attribution;
  const whose = library === null ? safe`` : safe` (${style("name", short(library))})`;
  const lines: SafeText[] = [];
  const words = deciding?.by === "extension"
    ? safe`a kernel extension that is not Apple's`
    : absent === "managed" || absent === "managed own" ||
        absent === "managed library" || absent === "module" ||
        absent === "javascript" || absent === "javascript error" ||
        absent === "javascript unseen" ||
        absent === "python" ||
        (verdict === "unknown" || verdict === "system" || verdict === "none") && absent !== null
    ? absent === "images" && frames.every(({ frame }) => frame.symbol === null)
      ? safe`not known; only addresses could be read of the stack`
      : absences[absent]
    : verdict === "runtime" && absent !== null && absent !== "some images"
    ? safe`a run-time or framework, as far as the stack goes`
    : verdict === "system" && deciding !== null
    ? safe`a program of the system`
    : verdict === "program" && part !== null
    ? safe`${short(part)}, which is in the program`
    : verdict === "program" && isApple
    ? isLibrary ? safe`a library in a program of Apple's` : safe`a program of Apple's`
    : verdict === "program" && isTweak
    ? safe`a library that a jailbreak loaded, neither the program's nor the system's`
    : verdict === "program" && isOutside
    ? isPlugIn
      ? safe`a plug-in that the program does not bring along`
      : safe`a library that the program does not bring along`
    : verdict === "program" && isLibrary === null
    ? isNameless(deciding)
      ? safe`an image without a name`
      : isEvidence
      ? safe`code in the image`
      : safe`the image`
    : verdict === "program" && isLibrary
    ? isPlaceless(deciding) ? safe`a library in the process` : safe`a library in the program`
    : verdict === "runtime" && (script !== null || isCompiled || !isEvidence)
    ? safe`a run-time or framework`
    : verdicts[verdict];
  // What the report lacks is said already.
  const isScripts = verdict === "runtime" && script !== null;
  const isPlace = (isEvidence && !isScripts) || verdict === "unknown" || verdict === "none" ||
    (absent !== null && words === absences[absent]);
  if (absent === "heap" || absent === "malloc") {
    lines.push(words);
    if (deciding !== null) {
      lines.push(safe`it was found in ${frameWords(report, deciding.frame, style)}`);
    }
  } else if (deciding === null) {
    const led = script === null || absent !== null ? safe`` : ledWords(script);
    lines.push(safe`${words}${whose}${led}`);
  } else {
    const { unit, frame, by: evidence } = deciding;
    const through = runtimesBefore(frames, deciding);
    const before = passed === 0
      ? safe``
      : safe`, after ${count(passed, "frame")} ${
        isAmong(frames, deciding)
          ? safe`that ${passed === 1 ? safe`does` : safe`do`} not decide`
          : safe`of others`
      }${through === null ? safe`` : safe`, some of ${style("name", short(through))}`}`;
    const isPlain = evidence === "image" || evidence === "extension" || evidence === "none";
    const source = unit === null || isPlain ? safe`` : safe` of ${short(unit)}`;
    const way = isPlain ? safe`` : safe`, ${ways[evidence]}`;
    const place = frameWords(
      report,
      frame,
      style,
      isNextFunction(frames, deciding),
      library !== null,
    );
    const told = isOfFile ? safe`by its source file's folder` : safe`by its name`;
    const isMakers = maker !== null && !isOfCaller && isPlace;
    const of = isMakers
      ? safe`code of ${short(maker)}, ${told}, in ${
        isLibrary === null ? safe`the image` : words
      }${whose}`
      : safe`${words}${whose}`;
    const by = maker === null || isMakers
      ? safe``
      : isOfCaller
      ? safe`, called by what is code of ${short(maker)}, ${told}`
      : safe`, code of ${short(maker)}, ${told}`;
    const led = isScripts && !isPlace
      ? safe``
      : script !== null
      ? ledWords(script)
      : isCompiled
      ? calledWords(frames, deciding, style)
      : safe``;
    const damaged = isCollector
      ? safe`; it was collecting garbage: what damaged the memory need not be on the stack`
      : safe``;
    // What failed within a call is in others' code: the caller is a place to look at, and no proof.
    const head = isPlace
      ? safe`${
        isEvidence && absent === null && passed > 0 ? safe`points to ` : safe``
      }${of}: ${place}`
      : safe`not decided; ${
        isScripts
          ? safe`code in ${escape(script)} led to it, whose functions are not on the stack; `
          : safe``
      }on the stack is ${of}: ${place}`;
    lines.push(
      safe`${head}${by}${source}${way}${callerWords(frames, deciding)}${
        isPlace ? before : safe``
      }${led}${damaged}`,
    );
  }
  const [first] = involved;
  if (first !== undefined) {
    lines.push(
      safe`the library asked for is further out, in ${count(involved.length, "frame")}: ${
        frameWords(report, first.frame, style)
      }`,
    );
  }
  return lines;
}
