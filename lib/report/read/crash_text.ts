/** Reading the text form of a crash report, after Apple's "Examining the fields in a crash report" and
 * TN2151: header, exception information, diagnostics, backtraces, thread state, binary images. */

import {
  type FrameLine,
  noPlace,
  parseBareFrame,
  parseFrameLine,
  parseImageLine,
  parseNameOnly,
  parsePlace,
  parseRegisters,
} from "./crash_lines.ts";
import {
  parseDebuggerFrame,
  parseDebuggerThread,
  parseReceivedSignal,
  parseStopReason,
  parseSwiftCrash,
  parseSwiftFrame,
  stopOf,
} from "./debugger.ts";
import type { ArchName } from "../../arch/mod.ts";
import { archOfCodeType, imageFinder, imageTitle, isSystemImage } from "../images.ts";
import { isLowMemory } from "../jetsam.ts";
import { CrashReport, noException } from "../report.ts";
import { numberedException } from "./metrickit.ts";
import type {
  ReportField,
  ReportFrame,
  ReportImage,
  ReportProcess,
  ReportRegister,
  ReportSection,
  ReportThread,
} from "../drafts.ts";
import type { FrameSpan } from "../report.ts";
import { fieldNames, Header, isShaped, translated } from "./crash_header.ts";
import {
  colonAt,
  damagedTitle,
  knownSections,
  MAX_UNREAD,
  MAX_UNREAD_LENGTH,
  titleIn,
} from "./titles.ts";
import { saidByMono } from "./mono.ts";
import { isNamed, namesByAtos, type SymbolicatedPlace } from "./copies.ts";
import { loggedProcess, nameOrQueue, noThreads } from "./parts.ts";
import { Lines } from "../text.ts";
import type { ReportException } from "../drafts.ts";
import type { JsonObject } from "../json.ts";

/** Few functions are larger. */
const MAX_FUNCTION = 1 << 16;

/** Maximum number of warnings. */
const MAX_WARNINGS = 50;

interface DraftFrame {
  index: number;
  address: bigint;
  imageName: string | null;
  symbol: string | null;
  offset: number | null;
  base: bigint | null;
  file: string | null;
  line: number | null;
  column: number | null;
  inlined: boolean;
  span: FrameSpan | null;
}

interface DraftThread {
  index: number;
  isNumbered?: false;
  name: string | null;
  queue: string | null;
  crashed: boolean;
  frames: DraftFrame[];
  registers: ReportRegister[];
  flavor: string | null;
}

/** Where the next report begins, in a text of several. */
export interface NextReport {
  /** Offset; `null` when there is none. */
  at: number | null;
}

/** Reads a crash text as far as it can be understood.
 *
 * @param from start of the text, after a JSON header
 * @param header that JSON header
 * @param warnings the list to add to
 * @param to end of the text
 * @param next receives the offset of another report after this one, which is not read
 */
export function readCrashText(
  file: string,
  text: string,
  from: number,
  header: JsonObject | null,
  warnings: string[] = [],
  to: number = text.length,
  next: NextReport = { at: null },
): CrashReport {
  return new CrashTextReader(file, text, from, header, warnings, to, next).read();
}

/** `lines` is a section whose frames do not belong to a thread, `outside` what is behind a closed code block. */
type Collecting =
  | "header"
  | "section"
  | "lines"
  | "thread"
  | "exception"
  | "registers"
  | "images"
  | "outside";

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

class CrashTextReader {
  readonly #file: string;
  readonly #lines: Lines;
  readonly #text: string;
  readonly #json: JsonObject | null;
  readonly #fields: { name: string; value: string }[] = [];
  readonly #sections: { name: string; lines: string[] }[] = [];
  /** The line of a panic of Rust whose message is on the next one. */
  #panicked: string | null = null;
  readonly #threads: DraftThread[] = [];
  readonly #images: ReportImage[] = [];
  readonly #warnings: string[];
  readonly #unread: string[] = [];
  /** Names from `Thread 0 name:` lines, which precede their thread. */
  readonly #names = new Map<number, { name: string | null; queue: string | null }>();
  /** The name and reason of an exception in the line before a stack without a title. */
  #lead: { readonly name: string; readonly reason: string } | null = null;
  /** Identifiers from `Thread 0 id:` lines, which `crash --text` writes. */
  readonly #ids = new Map<number, bigint>();
  /** Processes from `Thread 0 process:` lines, which it writes, too. */
  readonly #processes = new Map<number, string>();
  #exception: DraftFrame[] | null = null;
  /** Backtraces of exceptions before the last one that began. */
  readonly #exceptions: DraftFrame[][] = [];
  /** Whether the lines are those of an exception's places in Ruby. */
  #inRuby = false;
  #collecting: Collecting = "header";
  #thread: DraftThread | null = null;
  #loose = "";
  #isDebugger: boolean | null = null;
  /** Whether the text is Swift's own backtrace. */
  #isSwift = false;
  /** Whether the text has Firebase Crashlytics' titles. */
  #isCrashlytics = false;
  /** Column of the last field: those of some texts are all indented. */
  #margin = 0;
  #afterBlank = true;
  #hasException = false;
  #untitledThreads = 0;
  /** What a debugger stopped at, in its order. */
  readonly #stops: { thread: DraftThread; exception: ReportException | null }[] = [];
  /** The last thread whose title has no number. */
  #unnumbered: DraftThread | null = null;
  /** Threads whose titles were not understood. */
  readonly #guessed = new Set<DraftThread>();
  readonly #next: NextReport;
  readonly #remarks: string[] = [];
  /** The processes that lines of a log about uncaught exceptions are of, as `Shop[77]`. */
  readonly #sayers: string[] = [];
  /** Lines that the reason of the last remark may still have; 0 where it is whole. */
  #open = 0;
  /** The title of a Crashlytics exception whose reason has not come yet. */
  #fatal: string | null = null;
  /** The exception's name in its own description, whose reason has not come yet. */
  #named: string | null = null;
  /** The exception that Crashlytics names in a line of its own. */
  #raised: ReportException | null = null;

  constructor(
    file: string,
    text: string,
    from: number,
    header: JsonObject | null,
    warnings: string[],
    to: number,
    next: NextReport,
  ) {
    this.#next = next;
    this.#warnings = warnings;
    this.#file = file;
    this.#text = text;
    this.#json = header;
    this.#lines = new Lines(text, from, to);
  }

  #warn(text: string): void {
    if (this.#warnings.length < MAX_WARNINGS && !this.#warnings.includes(text)) {
      this.#warnings.push(text);
    }
  }

  #leave(line: string): void {
    if (this.#unread.length < MAX_UNREAD && line.length <= MAX_UNREAD_LENGTH) {
      this.#unread.push(line);
    }
  }

  read(): CrashReport {
    for (let at = 0; at < this.#lines.length && this.#next.at === null; at++) this.#line(at);
    return this.#finish();
  }

  #line(at: number): void {
    const line = this.#lines.line(at);
    const trimmed = line.trim();
    if (trimmed === "") {
      this.#afterBlank = true;
      this.#open = 0;
      // Some systems put a line between the registers and those of the fault.
      const isSplit = this.#collecting === "registers" &&
        /^\s*far: 0x/.test(at + 1 < this.#lines.length ? this.#lines.line(at + 1) : "");
      if (this.#collecting === "registers" && !isSplit) this.#collecting = "header";
      return;
    }
    this.#understand(at, line, trimmed);
    this.#afterBlank = false;
  }

  #understand(at: number, written: string, bare: string): void {
    // A debugger's mark of what is selected, or what Markdown and lists made of it.
    const isMarked = bare.includes(" #") && debuggerMark.test(bare);
    const line = isMarked ? written.replace(debuggerMark, "* ") : written;
    const trimmed = isMarked ? bare.replace(debuggerMark, "* ") : bare;
    if (this.#open > 0 && this.#goesOn(line, trimmed)) return;
    const first = trimmed.charCodeAt(0);
    if (first === 0x3e && /^> ?\S/.test(trimmed)) {
      // A line that is quoted where others are not, maybe several times.
      this.#understand(at, line, trimmed.replace(/^(?:> ?)+(?=\S)/, ""));
      return;
    }
    if (trimmed.includes("\\_")) {
      // Markdown's escapes.
      this.#understand(at, line.replaceAll("\\_", "_"), trimmed.replaceAll("\\_", "_"));
      return;
    }
    const title = titleIn(trimmed, first);
    if (title !== null) {
      this.#understand(at, title, title);
      return;
    }
    if (first === 0x60 && /^`Thread \d/.test(trimmed)) {
      // The mark of code that somebody put before the stack.
      this.#understand(at, line, trimmed.slice(1));
      return;
    }
    // A frame whose beginning somebody left out: `... 0x00092311 +[Foo bar] (Foo.m:106)`.
    if (first === 0x2e && trimmed.startsWith("... 0x")) {
      const frames = this.#collecting === "exception" ? this.#exception : this.#thread?.frames;
      if (this.#frame(at, `${frames?.length ?? 0}  ???  ${trimmed.slice(4)}`)) return;
    }
    if (first === 0x30 && (trimmed.charCodeAt(1) | 0x20) === 0x78) {
      const image = parseImageLine(trimmed);
      if (image !== null) {
        this.#images.push(image);
        this.#collecting = "images";
        return;
      }
    }
    // Digits, or a debugger's `#0`, `frame #0` or `* frame #0`.
    if (this.#inRuby) {
      this.#inRuby = trimmed.startsWith("from ") && this.#rubyFrame(trimmed);
      if (this.#inRuby) return;
    }
    const isFrame = first >= 0x30 && first <= 0x39 || first === 0x23 || first === 0x66 ||
      first === 0x2a;
    if (isFrame && this.#frame(at, line)) return;
    if (this.#collecting === "registers" && this.#registers(line)) return;
    if (this.#collecting === "exception" && this.#addresses(at, trimmed)) return;
    if (trimmed.startsWith("Thread ") && this.#threadLine(trimmed)) return;
    if (trimmed.startsWith("Last Exception Backtrace")) {
      this.#beginException();
      return;
    }
    if (
      this.#crashlyticsLine(trimmed) || this.#serviceThread(at, trimmed) ||
      this.#serviceReason(at, trimmed) ||
      this.#debuggerLine(trimmed) || this.#consoleLine(trimmed) || this.#handlerLine(at, trimmed)
    ) return;
    if (trimmed.startsWith("Application Specific Backtrace")) {
      // The first is what newer systems call the last exception's; further ones are of its causes.
      if (this.#exception === null || isNameless(this.#exception)) this.#beginException();
      else {
        this.#sections.push({ name: trimmed.replace(/:$/, ""), lines: [] });
        this.#collecting = "lines";
      }
      return;
    }
    if (trimmed.length < 60 && trimmed.includes("nf") && damagedTitle.test(trimmed)) {
      this.#sections.push({ name: "Application Specific Information", lines: [] });
      this.#collecting = "section";
      return;
    }
    if (trimmed.startsWith("Binary Images")) {
      this.#collecting = "images";
      return;
    }
    if (trimmed.includes("Thread State") && trimmed.endsWith(":")) {
      this.#beginRegisters(this.#threads.findLast(({ crashed }) => crashed) ?? null, trimmed);
      return;
    }
    this.#fieldOrSection(at, line, trimmed);
  }

  /** Takes a frame line where frames are expected; elsewhere only frame 0, which begins a backtrace whose
   * title was not understood. */
  #frame(at: number, line: string): boolean {
    const frame = (this.#isSwift ? parseSwiftFrame(line) : null) ?? parseFrameLine(line) ??
      this.#bareFrame(at, line) ?? this.#debuggerFrame(line) ?? this.#cutFrame(at, line);
    if (frame === null) return false;
    let frames: DraftFrame[];
    if (this.#collecting === "lines") {
      this.#sections.at(-1)?.lines.push(line);
      return true;
    }
    if (this.#collecting === "exception") {
      frames = this.#exception!;
      // Another stack follows, whose title is missing or was not understood.
      if (frame.index === 0 && (frames.at(-1)?.index ?? 0) > 0) frames = this.#untitled();
    } else if (this.#collecting === "thread" && this.#thread !== null) {
      frames = this.#thread.frames;
      // The title is missing or was not understood.
      if (frame.index === 0 && frames.length > 0) frames = this.#untitled();
    } else if (frame.index === 0) frames = this.#untitled();
    else if (this.#afterBlank || this.#collecting !== "section") {
      const last = this.#thread?.frames;
      if (last === undefined && !this.#isPiece()) return false;
      frames = last ?? this.#untitled();
      this.#collecting = "thread";
    } else return false;
    // Written out because rest properties are slow, and there are thousands of frames.
    if (this.#fatal !== null) {
      this.#remarks.push(this.#fatal);
      this.#fatal = null;
    }
    frames.push({
      index: frame.index,
      address: frame.address,
      imageName: frame.imageName ?? frame.image,
      symbol: frame.symbol,
      offset: frame.offset,
      base: frame.base,
      file: frame.file,
      line: frame.line,
      column: frame.column,
      inlined: frame.inlined,
      span: {
        start: this.#lines.start(at),
        end: this.#lines.end(at),
        place: this.#lines.start(at) + frame.placeAt,
      },
    });
    this.#loose = "";
    return true;
  }

  /** Whether a copy begins inside of a stack. */
  #isPiece(): boolean {
    return this.#fields.length === 0 && this.#threads.length === 0 && this.#exception === null;
  }

  /** A frame without its address, as Xcode's organizer and some people copy them. */
  #bareFrame(at: number, line: string): FrameLine | null {
    const frames = this.#collecting === "exception"
      ? this.#exception
      : this.#collecting === "thread"
      ? this.#thread?.frames
      : null;
    if (frames === null || frames === undefined) {
      // A copy of a stack alone.
      const first = this.#isPiece() ? parseBareFrame(line) : null;
      if (first === null || first.index !== 0) return null;
      if (first.file !== null) return first;
      // One alone may be anything.
      const next = at + 1 < this.#lines.length ? parseBareFrame(this.#lines.line(at + 1)) : null;
      return next?.index === 1 && next.imageName !== null ? first : null;
    }
    const isNamed = frames.every(({ imageName, address, symbol }) =>
      imageName === null && address === 0n && symbol !== null
    );
    const frame = parseBareFrame(line) ??
      (isNamed ? parseNameOnly(line, frames.length > 0) : null);
    return frame !== null && frame.index === frames.length ? frame : null;
  }

  /** A frame of a debugger's stack, in a text that has no report of the system's besides. */
  #debuggerFrame(line: string): FrameLine | null {
    const frame = parseDebuggerFrame(line);
    if (frame === null) return null;
    this.#isDebugger ??= !/^[ \t>]{0,8}Exception Type:/m.test(this.#text.slice(0, 1 << 18));
    return this.#isDebugger ? frame : null;
  }

  /** Takes a line with the name of the frame before it, which some copies have been wrapped before. */
  #namesFrame(line: string): boolean {
    const frames = this.#collecting === "exception" ? this.#exception : this.#thread?.frames;
    const isFrame = this.#collecting === "thread" || this.#collecting === "exception";
    const frame = isFrame && !this.#afterBlank ? frames?.at(-1) : undefined;
    if (frame === undefined || frame.symbol !== null || frame.base !== null) return false;
    // A name ends with its offset, or was cut off before it.
    if (!/ \+(?: \d{1,9}(?: \([^()]{1,300}\))?)?$/.test(line)) return false;
    const place = parsePlace(line.replace(/ \+$/, ""));
    Object.assign(frame, {
      symbol: place.symbol,
      offset: place.offset,
      base: place.base,
      file: place.file,
      line: place.line,
      // Its place in the text is not on its line.
      span: null,
    });
    return true;
  }

  /** The last line of a copy that ends within a frame, after its image. */
  #cutFrame(at: number, line: string): FrameLine | null {
    const isLast = at + 2 >= this.#lines.length && this.#collecting === "thread";
    const match = isLast ? /^(\d{1,4})\s{1,20}(\S{3,100})\s*$/.exec(line) : null;
    if (match === null || Number(match[1]) !== this.#thread?.frames.length) return null;
    return {
      index: Number(match[1]),
      imageName: match[2],
      address: 0n,
      placeAt: line.length,
      ...noPlace,
    };
  }

  /** Begins a thread whose title was not understood. */
  #untitled(): DraftFrame[] {
    const [named] = this.#names.keys();
    if (named !== undefined && this.#threads.length === 0 && this.#names.size === 1) {
      // Only the line with its name was copied: it does not say whether it crashed.
      this.#begin({ index: named, name: null, queue: null, crashed: false });
      return this.#thread!.frames;
    }
    this.#untitledThreads++;
    const [, name, reason] =
      /^(?:\*{1,3} ?)?([A-Z]\w{2,80}Exception): (\S.{0,2000})$/.exec(this.#loose) ??
        [];
    if (name !== undefined && this.#threads.length === 0) this.#lead = { name, reason };
    const loose = this.#loose.replace(logPrefix, "");
    const title =
      /^`{3}|^\W*$|^(?:back ?trace|stack ?trace|call ?stack(?: ?(?:symbols|info|trace))?)[:= ]{0,4}[([]$|^User Info: |^\W{0,8}(?:(?:native|full) )?(?:stack ?trace|back ?trace):?\W{0,4}$/i
          .test(loose)
        ? ""
        : this.#loose.slice(0, 200);
    if (/^Call stack:?$/i.test(title) && this.#threads.length === 0) {
      // Cr4shed's, with the thread in the header.
      const field = (name: string): string | null =>
        this.#fields.find((entry) => entry.name.toLowerCase() === name)?.value ?? null;
      const index = /^\d{1,6}/.exec(field("triggered by thread") ?? "")?.[0];
      const named = nameAndQueue((field("thread name") ?? "").replace(/^\(null\)$/, ""));
      const queue = field("thread dispatch label")?.replace(/^\(null\)$/, "") ?? "";
      this.#begin({
        index: Number(index ?? 0),
        ...named,
        queue: named.queue ?? (queue === "" ? null : queue),
        crashed: true,
      });
      return this.#thread!.frames;
    }
    const number = (/\bthread\D{0,12}(\d{1,6})/i.exec(title) ?? /^#?(\d{1,6})\b/.exec(title))?.[1];
    this.#warn(
      title === ""
        ? "a backtrace has no title"
        : `a backtrace's title is not understood: ${title.slice(0, 80)}`,
    );
    this.#begin({
      index: number === undefined ? this.#threads.length : Number(number),
      // Prose before a stack is no name.
      name: number === undefined && /^[A-Za-z]\S{0,60}(?: \S{1,40}){0,4}$/.test(title)
        ? title.replace(/[:：]+$/, "")
        : null,
      queue: null,
      // The name of what wrote the report is no word of it.
      crashed: translated.crashed.test(
        title.replace(/ReportCrash|CrashReport\w*|crash_?log/gi, ""),
      ),
    });
    this.#guessed.add(this.#thread!);
    if (number === undefined) this.#unnumbered = this.#thread;
    return this.#thread!.frames;
  }

  /** Begins the backtrace of an exception. Some texts have the same one twice, with addresses and with names. */
  #beginException(): void {
    if (this.#exception !== null && this.#exception.length > 0) {
      this.#exceptions.push(this.#exception);
      this.#exception = null;
    }
    this.#exception ??= [];
    this.#collecting = "exception";
  }

  #begin(thread: Pick<DraftThread, "index" | "name" | "queue" | "crashed">): void {
    const named = this.#names.get(thread.index);
    this.#names.delete(thread.index);
    const last = this.#threads.at(-1);
    // Xcode's `Thread 1: EXC_BAD_ACCESS` and `Thread 1 Queue : com.apple.main-thread` are two titles of one.
    const before = last !== undefined && last.index === thread.index && last.frames.length === 0 &&
        last.registers.length === 0
      ? this.#threads.pop()
      : undefined;
    this.#thread = {
      ...thread,
      name: thread.name ?? named?.name ?? before?.name ?? null,
      queue: thread.queue ?? named?.queue ?? before?.queue ?? null,
      crashed: thread.crashed || before?.crashed === true,
      frames: [],
      registers: [],
      flavor: null,
    };
    this.#threads.push(this.#thread);
    this.#collecting = "thread";
  }

  /** `Thread 0 name: …`, `Thread 0 Crashed:`, `Thread 0 crashed with … Thread State …:` and so on. */
  #threadLine(line: string): boolean {
    const match = /^Thread (\d{1,10})\b[ \t]*/.exec(line);
    if (match === null) return false;
    const index = Number(match[1]);
    const rest = line.slice(match[0].length);
    const id = /^id[ \t]*:[ \t]*(\d{1,20})$/.exec(rest)?.[1];
    if (id !== undefined) {
      this.#ids.set(index, BigInt.asUintN(64, BigInt(id)));
      return true;
    }
    const process = /^process[ \t]*:[ \t]*(\S.{0,200})$/.exec(rest)?.[1];
    if (process !== undefined) {
      this.#processes.set(index, process.trimEnd());
      return true;
    }
    if (/^name[ \t]*:/.test(rest)) {
      this.#names.set(index, nameAndQueue(rest.slice(rest.indexOf(":") + 1)));
      return true;
    }
    if (/^crashed with/i.test(rest)) {
      let thread = this.#threads.findLast((thread) => thread.index === index) ?? null;
      // A copy may begin after its stack. Where one begins inside a stack, that one's number is not known.
      if (thread === null || thread.frames[0]?.index > 0) {
        this.#warn("registers of a thread that was not found in the report");
        this.#begin({ index, name: null, queue: null, crashed: true });
        thread = this.#thread;
      }
      this.#beginRegisters(thread, rest);
      return true;
    }
    const colon = rest.indexOf(":");
    // A copy may end within the word.
    if (colon < 0 && !"crashed".startsWith(rest.toLowerCase())) return false;
    const word = (colon < 0 ? rest : rest.slice(0, colon)).trim();
    if (word.includes("instruction stream")) return false;
    const after = colon < 0 ? "" : rest.slice(colon + 1).replace(/^:/, "");
    // `Thread 1: EXC_BAD_ACCESS (code=1, address=0x10)`, as Xcode shows it, also behind its other title.
    const queued = word === "Queue"
      ? /^ ?(\S{1,200}) \((?:serial|concurrent)\)(?:$|: ?(\S.{0,600})$)/.exec(after)
      : null;
    const stop = /^(?:Queue)?$/.test(word)
      ? parseStopReason(queued === null ? after : queued[2] ?? "")
      : null;
    if (stop !== null && !this.#hasException) {
      if (stop.exception !== null) this.#raised = stop.exception;
      if (stop.message !== null && !this.#remarks.includes(stop.message)) {
        this.#remarks.push(stop.message);
      }
    }
    // A copy whose lines were joined has the first frame behind the title.
    const joined = /^\s{0,8}0\s/.test(after)
      ? parseFrameLine(after) ?? parseBareFrame(after)
      : null;
    // `Thread 1 Queue : com.apple.main-thread (serial)`, Xcode's; `Thread 0 "main" crashed:`, Swift's.
    const queue = queued?.[1];
    const name = /^"([^"]{1,200})"/.exec(word)?.[1] ?? null;
    this.#begin({
      index,
      ...queue !== undefined
        ? { name: null, queue }
        : name === null && joined === null && stop === null
        ? nameAndQueue(after)
        : { name, queue: null },
      crashed: stop !== null || /crashed|attributed|highlighted/i.test(word),
    });
    if (joined !== null) {
      const { image, placeAt: _, ...frame } = joined;
      this.#thread!.frames.push({ ...frame, imageName: frame.imageName ?? image, span: null });
    }
    return true;
  }

  #beginRegisters(thread: DraftThread | null, title: string): void {
    this.#collecting = "registers";
    this.#thread = thread;
    if (thread !== null) {
      thread.flavor = title.replace(/^crashed with:?\s*/i, "").replace(/:$/, "");
    } else this.#warn("registers of a thread that was not found in the report");
  }

  #registers(line: string): boolean {
    const registers = parseRegisters(line);
    if (registers.length === 0) return false;
    for (const register of registers) this.#thread?.registers.push(register);
    return true;
  }

  /** What debuggers and Swift's own backtraces say of why a process stopped. */
  #debuggerLine(line: string): boolean {
    if (line.includes("thread #")) {
      const stop = parseDebuggerThread(line);
      if (stop === null) return false;
      // The title is printed when the process stops, with one frame, and again above the whole stack.
      const last = this.#threads.at(-1);
      if (last !== undefined && last.index === stop.index && last.frames.length <= 1) {
        this.#threads.pop();
      }
      const { index, name, queue, crashed } = stop;
      this.#begin({ index, name, queue, crashed });
      if (crashed) this.#stops.push({ thread: this.#thread!, exception: stop.exception });
      if (!this.#hasException) this.#raised ??= stop.exception;
      if (stop.message !== null && !this.#remarks.includes(stop.message)) {
        this.#remarks.push(stop.message);
      }
      return true;
    }
    if (line.includes(" received signal")) {
      const received = parseReceivedSignal(line);
      if (received === null) return false;
      this.#raised ??= received;
      return true;
    }
    const reason = this.#raised?.type == null
      ? null
      : /^Reason: (KERN_\w{3,40}|\d{1,3}) at address: (0x[0-9a-fA-F]{1,16})$/.exec(line);
    if (reason !== null) {
      this.#raised = { ...this.#raised!, subtype: `${reason[1]} at ${reason[2]}` };
      return true;
    }
    const crash = line.includes("Program crashed: ") ? parseSwiftCrash(line) : null;
    if (crash === null) return false;
    this.#isSwift = true;
    this.#raised ??= crash;
    return true;
  }

  /** What Foundation and libc++abi write to the console about an uncaught exception. */
  #consoleLine(written: string): boolean {
    // Markdown's escapes.
    const line = written.includes("\\*") ? written.replace(/(?:\\?\*){3}/, "***") : written;
    // `NSException`'s own description.
    const field = /^(Exception Name|Description): (\S.{0,2000})$/.exec(line);
    if (field !== null && !this.#hasException) {
      if (field[1] === "Exception Name") this.#named = field[2];
      else if (this.#named !== null) {
        this.#remarks.push(`Fatal Exception: ${this.#named}: ${field[2]}`);
        this.#named = null;
      } else return false;
      return true;
    }
    // React Native's, of a native module.
    const invoked =
      /^(?:\S.{0,80}\] ?)?(Exception '.{1,3000}' was thrown while invoking \S{1,200} on target \S.{0,300}|Exception thrown while executing UI block: \S.{0,3000})$/
        .exec(line);
    if (invoked !== null && !this.#hasException) {
      this.#remarks.push(invoked[1]);
      return true;
    }
    // Rust's message is on the line below that of its place: library/std/src/panicking.rs.
    if (
      !this.#afterBlank && this.#panicked !== null && this.#panicked === this.#remarks.at(-1) &&
      !/^(?:note: |stack backtrace:|thread ')/.test(line)
    ) {
      this.#remarks[this.#remarks.length - 1] += ` ${line}`;
      this.#panicked = null;
      return true;
    }
    // GNU's C++ library, and Apple's when it had that one.
    const thrown = /^terminate called after throwing an instance of '(.{1,400})'$/.exec(line)?.[1];
    if (thrown !== undefined) {
      this.#remarks.push(`terminating with uncaught exception of type ${thrown}`);
      return true;
    }
    const what = this.#remarks.at(-1)?.startsWith("terminating with uncaught exception of type ")
      ? /^what\(\): {1,4}(\S.{0,1000})$/.exec(line)?.[1]
      : undefined;
    if (what !== undefined) {
      this.#remarks[this.#remarks.length - 1] += `: ${what}`;
      return true;
    }
    const at = line.indexOf("*** ");
    // Left in the process by its libraries; Apple's reports have it in a section of its own.
    const misuse = this.#collecting === "header" && line.includes("BUG IN ")
      ? /^[`"*> ]{0,8}(BUG IN (?:CLIENT OF )?LIB[A-Z]{3,12}: [^`]{1,400})/.exec(line)
      : null;
    if (misuse !== null) {
      this.#remarks.push(misuse[1].trim());
      return true;
    }
    // Swift's before version 4.2.
    const old = this.#hasException
      ? null
      : /^(?:.{0,200}\.swift:\d{1,6}(?::\d{1,5})?: )?(fatal error: (?:unexpectedly found nil|(?:Array )?[Ii]ndex out of (?:range|bounds)|Array index |[Cc]an't |Dictionary |attempt(?:ed|ing)? to |use of unimplemented initializer|NSArray element|Double value|Float(?:ing)? |Not enough bits|Negative |UnsafeMutable|init\(coder:\)|Cannot ).{0,300})$/
        .exec(line.replace(logPrefix, ""));
    if (old !== null && this.#threads.length === 0) {
      const said = `Fatal${old[1].slice(5)}`;
      if (!this.#remarks.includes(said)) this.#remarks.push(said);
      return true;
    }
    // The reason of an exception whose title follows, as Foundation begins reasons.
    if (
      !this.#hasException && this.#isPiece() &&
      /^\*{3} [-+]\[[\w() ]{1,200} [\w:]{1,200}\]: \S/.test(line) &&
      !line.includes("message sent to deallocated instance")
    ) {
      this.#remarks.push(line);
      return true;
    }
    const isLoose = this.#collecting !== "section" || !this.#isOfReport;
    const bare = line.replace(logPrefix, "").replace(/^`{1,3}/, "");
    if (
      isLoose && this.#threads.length === 0 && !elided.test(bare) &&
      (printed.test(bare) || this.#ofLoader(bare))
    ) {
      if (!this.#remarks.includes(bare) && !bare.includes("set a breakpoint")) {
        this.#remarks.push(bare);
        this.#panicked = /^thread '.{1,400}:\d{1,7}:\d{1,5}:$/.test(bare) ? bare : null;
      }
      return true;
    }
    if (
      at >= 0 &&
        /^\*\*\* (?:First throw call stack|Call stack at first throw):?$/.test(line.slice(at)) ||
      /^(?:\*{1,3} ?)?(?:First throw call stack|Call stack at first throw):?$/.test(bare)
    ) {
      this.#beginException();
      return true;
    }
    const said = line.search(uncaughtLine);
    if (said < 0 || (this.#collecting === "section" && this.#isOfReport)) return false;
    if (template.test(line.slice(said))) return false;
    // Within a sentence or a list, what has a part left out is an example.
    if (
      /\S.{0,400}[`"'\u201c]$/.test(line.slice(0, said)) && /\.{3}|\u2026/.test(line.slice(said))
    ) {
      return false;
    }
    const words = line.slice(said).replace(/,? reason: ?(?:'(?:\.{3}|\u2026)'|\.{3}|\u2026)$/, "")
      .replace(/^libc\+\+abi(?:\.dylib)?: /, "").replace(
        /^\*{1,3} ?/,
        "",
      );
    const remark = words.startsWith("terminat")
      ? words
      : words.startsWith("Terminating")
      ? `*** ${words}`
      : `*** Terminating app due to uncaught exception ${
        words.replace(/^uncaught exception:? /i, "")
      }`;
    this.#remarks.push(remark);
    const sayer = sayerOf(line.slice(0, said));
    if (sayer !== null) this.#sayers.push(sayer);
    this.#open = isOpenReason(remark) ? MAX_REASON_LINES : 0;
    this.#inRuby = this.#exception === null && this.#threads.length === 0 &&
      this.#rubyFrame(/, reason: '(\S.{0,600})$/.exec(remark)?.[1] ?? "");
    if (this.#inRuby) this.#open = 0;
    return true;
  }

  /** Drops what a log before a report says of exceptions of other processes only: a system's log is of all of them. Another run
   * of the same program may have had the same. */
  #dropOthers(process: string): void {
    const own = sayerName(process).trimEnd();
    const isOwn = (sayer: string): boolean => {
      const name = sayerName(sayer);
      // Both are cut where they are long; the first word of one may be taken for the host.
      return own.startsWith(name) || name.startsWith(own) || own.endsWith(` ${name}`);
    };
    if (this.#sayers.length === 0 || this.#sayers.some(isOwn)) return;
    this.#sayers.length = this.#remarks.length = this.#exceptions.length = 0;
    this.#exception = null;
  }

  /** Takes a line that goes on with a reason: descriptions of objects and lists have several. */
  #goesOn(line: string, trimmed: string): boolean {
    const last = this.#remarks.at(-1)!;
    this.#open--;
    if (
      logPrefix.test(trimmed) || endsReason.test(trimmed) || last.length > MAX_REASON ||
      parseFrameLine(line) !== null
    ) {
      this.#open = 0;
      return false;
    }
    const whole = `${last} ${trimmed}`;
    this.#remarks[this.#remarks.length - 1] = whole;
    if (!isOpenReason(whole)) this.#open = 0;
    return true;
  }

  /** Takes the reason that a program's own handler of exceptions writes before their call stack. */
  #handlerLine(at: number, trimmed: string): boolean {
    if (this.#exception !== null || this.#threads.length > 0 || this.#remarks.length > 0) {
      return false;
    }
    const reason =
      /^(?:CRASH|Uncaught exception|Exception(?: reason)?|Crash reason)\s{0,2}[:=]\s{0,2}(\S.{3,2000})$/i
        .exec(trimmed.replace(logPrefix, ""))?.[1];
    if (reason === undefined) return false;
    const type = this.#fields.find(({ name }) => /^exception type$/i.test(name))?.value ?? null;
    if (type !== null && !/^[A-Z]\w{2,80}Exception$/.test(type)) return false;
    for (let next = at + 1; next < Math.min(at + 3, this.#lines.length); next++) {
      const following = this.#lines.line(next).trim().replace(logPrefix, "");
      if (following === "") continue;
      if (
        !/^(?:stack ?trace|call ?stack|back ?trace)|^\($|^0\s{1,8}\S{2,60}\s.{0,40}0x/i.test(
          following,
        )
      ) {
        return false;
      }
      const named = /^[A-Z]\w{2,80}Exception: \S/.test(reason)
        ? reason
        : type === null
        ? null
        : `${type}: ${reason}`;
      this.#remarks.push(
        named === null ? `Crashing on exception: ${reason}` : `Fatal Exception: ${named}`,
      );
      return true;
    }
    return false;
  }

  /** Takes a place of an exception that RubyMotion's run-time writes into its reason: `Chart.rb:30:in \`draw:': message`,
   * then lines of the callers: `from View.rb:43:in \`drawRect:'`. */
  #rubyFrame(line: string): boolean {
    const match = /^(?:from )?([\w./+ -]{1,200}\.rb):(\d{1,7}):in [`'](.{1,200}?)'(?::? |$)/.exec(
      line,
    );
    if (match === null) return false;
    this.#exception ??= [];
    this.#exception.push({
      index: this.#exception.length,
      address: 0n,
      imageName: null,
      symbol: match[3],
      offset: null,
      base: null,
      file: match[1],
      line: Number(match[2]),
      column: null,
      inlined: false,
      span: null,
    });
    return true;
  }

  /** Whether a line goes on with what the dynamic linker printed before. */
  #ofLoader(line: string): boolean {
    const last = this.#remarks.at(-1) ?? "";
    if (/^(?:Referenced\s{1,4}from|Reason|Expected in|Did find):\s{0,8}\S/.test(line)) {
      return /Library not loaded|Symbol not found|Referenced\s{1,4}from/.test(last);
    }
    // The files that were tried, of which the last ends without a comma.
    if (/^'\/.{1,1000}' \(.{1,1000}\),?$/.test(line)) {
      return /^(?:Reason: tried: )?'\/.*,$/.test(last);
    }
    // Each file that was found has a line with why it is not used, and may come twice.
    return /^\/.{1,1000}: \S/.test(line) && this.#remarks.some((text) => /Did find:$/.test(text)) &&
      (/Did find:$/.test(last) || last.startsWith("/"));
  }

  /** Whether the section is one of Apple's reports, which keeps its lines. */
  get #isOfReport(): boolean {
    return /^(?:Application Specific|Dyld Error|VM Region|Kernel Triage|External Modification|Filtered)/
      .test(
        this.#sections.at(-1)?.name ?? "",
      );
  }

  /** Titles in Firebase Crashlytics' text: `Crashed: com.apple.main-thread`, `Fatal Exception: NSRangeException`
   * with the reason on the next line, `EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010`. */
  #crashlyticsLine(written: string): boolean {
    const line = written.charCodeAt(0) === 0x60 ? written.replace(/^`{1,3}/, "") : written;
    if (this.#fatal !== null && this.#fatal === this.#loose) {
      const isReason = !/^(?:#?\d{1,4}\.? |Thread ?: )?Crashed: /.test(line);
      this.#remarks.push(
        isReason ? `${this.#fatal}: ${line.replace(/`{1,3}$/, "")}` : this.#fatal,
      );
      this.#fatal = null;
      this.#loose = line;
      if (isReason) return true;
    }
    // Numbers precede titles where there are several: `#0. Crashed: …`, `#1. com.apple.NSEventThread`.
    const other = /^#(\d{1,4})\. (?!Crashed: )(\S.{0,200})$/.exec(line);
    if (other !== null && this.#threads.length > 0) {
      const [, number, title] = other;
      const isQueue = title.startsWith("com.apple.");
      this.#begin({
        index: Number(number),
        ...(isQueue ? { name: null, queue: title } : { name: title, queue: null }),
        crashed: false,
      });
      return true;
    }
    if (line.startsWith("# Crashlytics - ")) {
      this.#isCrashlytics = true;
      return true;
    }
    if (
      !/^(?:#?\d{1,4}\.? |Thread ?: )?(?:Crashed: |Fatal Exception: |EXC_|SIG[A-Z])/.test(line) &&
      !line.endsWith("Exception")
    ) return false;
    const crashed = /^(?:#?(\d{1,4})\.? |Thread ?: )?Crashed: (\S.{0,200})$/.exec(line);
    if (crashed !== null) {
      this.#isCrashlytics = true;
      const number = crashed[1] === undefined ? this.#threads.length : Number(crashed[1]);
      // `Crashed: com.apple.main-thread SIGABRT ABORT 0x00000001135c52c6`, on its web page.
      const [title, signal = null] = crashed[2].split(/ (?=SIG[A-Z]{2,6} )/, 2);
      // The report's own title, then the thread's.
      const last = this.#threads.at(-1);
      const isAgain = last?.crashed === true && last.frames.length === 0 &&
        (last.queue === title || last.name === title);
      this.#begin({
        index: isAgain ? last.index : number,
        ...(title.startsWith("com.") ? { name: null, queue: title } : { name: title, queue: null }),
        crashed: true,
      });
      if (signal !== null && !this.#hasException) {
        this.#raised = { ...noException, signal: signal.split(" ", 1)[0] };
      }
      return true;
    }
    // Bugly's, with the reason on the next line, and Crashlytics' in another spelling.
    const raisedName = this.#collecting === "header"
      ? /^(?:Fatal Exception (?=[\w.]{3,100}Exception$)|(?=[A-Z]{2,4}[A-Z][A-Za-z]{3,60}Exception$))([\w.]{3,100})$/
        .exec(line)?.[1]
      : undefined;
    if (raisedName !== undefined) {
      this.#fatal = `Fatal Exception: ${raisedName}`;
      this.#loose = this.#fatal;
      return true;
    }
    const fatal = line.indexOf("Fatal Exception: ");
    if (fatal >= 0 && fatal < 20 && line.length > fatal + 17) {
      this.#isCrashlytics = true;
      this.#beginException();
      this.#fatal = line.slice(fatal);
      this.#loose = this.#fatal;
      return true;
    }
    // Xcode's, in prose.
    const stop = this.#hasException ? null : /^(EXC_[A-Z_]{3,30}) \((code=.{1,200})\)$/.exec(line);
    if (stop !== null) {
      this.#raised ??= stopOf(stop[1], stop[2]);
      return true;
    }
    // Bugly's: `SIGSEGV(SEGV_ACCERR)`.
    const sent = this.#hasException || this.#threads.length > 0
      ? null
      : /^(SIG[A-Z]{2,6}) ?\(([A-Z]{3,4}_[A-Z]{3,12})\)$/.exec(line);
    if (sent !== null) {
      this.#raised ??= { ...noException, signal: sent[1] };
      return true;
    }
    const raised =
      /^(EXC_[A-Z_]{3,30})(?: (KERN_\w{3,40}|UNKNOWN_\w{1,20}))? (0x[0-9a-fA-F]{1,16})$/
        .exec(line);
    if (raised === null || this.#hasException) return false;
    this.#isCrashlytics ||= raised[2] !== undefined;
    const [, type, subtype, address] = raised;
    this.#raised = {
      ...noException,
      type,
      subtype: subtype === undefined ? null : `${subtype} at ${address}`,
    };
    return true;
  }

  /** Takes the title of a further thread in Crashlytics' text, which is nothing but its name or its queue's label:
   * `com.apple.main-thread`, `Plantage : io.flutter.1.ui`. */
  #serviceThread(at: number, line: string): boolean {
    if (!this.#isCrashlytics || !this.#afterBlank || line.length > 200 || this.#hasException) {
      return false;
    }
    const next = at + 1 < this.#lines.length ? this.#lines.line(at + 1) : "";
    const isTitle = /^[A-Za-z_][^\t]{0,199}$/.test(line) && !/[=]|:$/.test(line) &&
      /^\s{0,8}0\s/.test(next) && parseFrameLine(next) !== null;
    if (!isTitle || /^(?:Thread|Last Exception|Application Specific)\b/.test(line)) return false;
    const [, word = null, title = line] = /^([^:]{2,30}?) ?: (\S.*)$/.exec(line) ?? [];
    const crashed = word !== null && translated.crashed.test(word);
    this.#begin({
      index: this.#threads.length,
      ...nameOrQueue(crashed ? title : line),
      crashed,
    });
    return true;
  }

  /** Takes the reason of an exception before Umeng's stack, with which its text begins: its user info follows, mostly
   * `(null)`, then the parenthesis of an array. */
  #serviceReason(at: number, line: string): boolean {
    if (!this.#isPiece() || this.#remarks.length > 0 || at + 2 >= this.#lines.length) return false;
    if (
      this.#lines.line(at + 1).trim() !== "(null)" ||
      !/^\s*\({1,2}\s*$/.test(this.#lines.line(at + 2)) || /received signal/i.test(line)
    ) return false;
    this.#remarks.push(`Terminating due to uncaught exception: ${line}`);
    return true;
  }

  /** The exception's return addresses in parentheses, on one line or more. */
  #addresses(at: number, line: string): boolean {
    const inside = /^\(?((?:\s*0x[0-9a-fA-F]{1,16}\b)+)\s*\)?$/.exec(line)?.[1];
    if (inside === undefined) return false;
    for (const address of inside.trim().split(/\s+/)) {
      this.#exception!.push({
        index: this.#exception!.length,
        address: BigInt(address),
        imageName: null,
        symbol: null,
        offset: null,
        base: null,
        file: null,
        line: null,
        column: null,
        inlined: false,
        span: { start: this.#lines.start(at), end: this.#lines.end(at) },
      });
    }
    return true;
  }

  /** A frame of HockeyApp's: `-;-[Foo bar];Foo.m;113`, with the class or the image in place of the dash. */
  #hockeyFrame(line: string): boolean {
    const match = /^(-|[\w.$+-]{1,100});(\S[^;]{0,1000});([\w.+-]{1,200})?;(\d{1,7})$/.exec(line);
    if (match === null) return false;
    const [, first, method, file, number] = match;
    const isImage = /\.(?:dylib|framework|bundle)$/.test(first) || /^[-+]\[/.test(method);
    if (this.#collecting !== "thread") this.#untitled();
    this.#thread!.frames.push({
      index: this.#thread!.frames.length,
      address: 0n,
      imageName: first !== "-" && isImage ? first : null,
      // Whether it is a method of the class or of its objects is not said.
      symbol: first === "-" || isImage ? method : `-[${first} ${method}]`,
      offset: null,
      base: null,
      file: file ?? null,
      line: number === "0" ? null : Number(number),
      column: null,
      inlined: false,
      span: null,
    });
    return true;
  }

  #fieldOrSection(at: number, line: string, written: string): void {
    // People put a report between backticks.
    const trimmed = written.charCodeAt(0) === 0x60
      ? written.replace(/^`{1,3}(?=[A-Z])/, "")
      : written;
    if (this.#continuesReason(trimmed) || this.#namesFrame(trimmed)) return;
    if (this.#collecting === "outside") {
      const field = /^([^:]{1,80}):/.exec(trimmed)?.[1].trim() ?? "";
      if (/^(?:`{3,}|~{3,})/.test(trimmed)) this.#collecting = "header";
      else if (fieldNames.has(field.toLowerCase()) || sectionTitles.test(field)) {
        this.#collecting = "header";
      } else return;
    }
    if (/;\d{1,7}$/.test(trimmed.slice(-8)) && this.#hockeyFrame(trimmed)) return;
    const colon = colonAt(trimmed);
    const section = this.#sections.at(-1);
    const inSection = section !== undefined &&
      (this.#collecting === "section" || this.#collecting === "lines");
    // `std::terminate()` is no field.
    const isScope = trimmed.charCodeAt(colon + 1) === 0x3a && /\s/.test(trimmed.slice(0, colon));
    if (colon > 0 && colon < 80 && !isScope) {
      const name = trimmed.slice(0, colon).trim();
      // Who explains a report writes comments behind its fields.
      const value = trimmed.slice(colon + 1).trim().replace(/\s{2,64}\/\/.*$/, "");
      const lead = line.length - line.trimStart().length;
      const indented = lead > this.#margin;
      // Mac OS X 10.0 to 10.4 has the number behind: `Exception:  EXC_BAD_ACCESS (0x0001)`.
      const isNumbered = /^(?:Exception|Codes)$/.test(name) &&
        /^(?:EXC|KERN)_[A-Z_]{3,40} \(0x[0-9a-f]{4}\)/.test(value);
      const known = isNumbered || fieldNames.has(name.toLowerCase());
      if (
        known && this.#threads.length > 0 &&
        /^(?:Incident Identifier|Process|Hardware Model)$/.test(name)
      ) {
        this.#next.at = this.#lines.start(at);
        return;
      }
      // `Reason:` of the dynamic linker's message is no field, nor is that of an exception's wrapped line.
      const isInside = inSection && this.#isOfReport && (indented || name === "reason");
      if (value !== "" && !isInside && (known || (!inSection && !indented))) {
        this.#collecting = "header";
        this.#margin = lead;
        this.#hasException ||= /^exception type$/i.test(name);
        this.#fields.push({ name, value });
        if (name === "Process") this.#dropOthers(value);
        if (!known && !isShaped(value)) this.#leave(trimmed);
        this.#loose = trimmed;
        return;
      }
      const isTitle = this.#afterBlank || !inSection || sectionTitles.test(name);
      if (value === "" && !indented && isTitle && !known) {
        this.#sections.push({ name, lines: [] });
        this.#collecting = "section";
        this.#loose = trimmed;
        return;
      }
      if (value === "" && known) {
        this.#fields.push({ name, value });
        return;
      }
    }
    this.#loose = trimmed;
    // What stands behind the code block that a report was pasted into is not the report's.
    if (
      inSection && this.#isOfReport && /^(?:`{3,}|~{3,})$/.test(written) &&
      section.lines.some((other) => other.trim() !== "")
    ) {
      this.#collecting = "outside";
      return;
    }
    if (inSection && this.#isOfReport && isMarkup(trimmed)) return;
    if (inSection) {
      section.lines.push(line);
      if (!knownSections.test(section.name)) this.#leave(trimmed);
      return;
    }
    const field = this.#fields.at(-1);
    const continues = this.#collecting === "header" && field !== undefined && !this.#afterBlank;
    if (
      continues &&
      (line.length - line.trimStart().length > this.#margin || isRegionLine(field.name, trimmed))
    ) {
      field.value += `\n${line}`;
    } else if (
      this.#collecting === "header" && this.#threads.length === 0 && this.#hasException &&
      /^(?:Application|App|Main thread|Stack|Fatal)\b.{0,100}$/.test(trimmed)
    ) {
      // Other reporters say what happened in a line of its own.
      this.#remarks.push(trimmed);
    } else this.#leave(trimmed);
  }

  /** Takes a line that goes on with the termination reason, which no indentation shows. */
  #continuesReason(line: string): boolean {
    const field = this.#fields.at(-1);
    if (field === undefined || this.#afterBlank || this.#collecting !== "header") return false;
    if (!/^termination ?reason$/i.test(field.name) || field.value.length > 1000) return false;
    // The end of `<RBSTerminateContext| … >`, which has lines of its own.
    if (field.value.startsWith("<RBSTerminateContext|") && field.value.endsWith(">")) return false;
    const colon = colonAt(line);
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    // The dynamic linker's reason has a line of that name, which is also a field of other reports.
    if (
      fieldNames.has(name) &&
      !(name === "reason" && /Library not loaded|Symbol not found/.test(field.value))
    ) {
      return false;
    }
    field.value += `\n${line}`;
    return true;
  }

  /** Decides which of several stops of a debugger is told: that of the last one's thread whose stack is the fullest. */
  #settleStops(): void {
    const stops = this.#stops.filter(({ thread }) =>
      thread.frames.length > 0 && this.#threads.includes(thread)
    );
    const last = stops.at(-1);
    if (last === undefined || stops.length < 2) return;
    const same = stops.filter(({ thread }) => thread.index === last.thread.index);
    const best = same.reduce((one, other) =>
      other.thread.frames.length >= one.thread.frames.length ? other : one
    );
    for (const { thread } of stops) if (thread !== best.thread) thread.crashed = false;
    for (const { thread } of same) {
      if (thread !== best.thread) this.#threads.splice(this.#threads.indexOf(thread), 1);
    }
    if (!this.#hasException && best.exception !== null) this.#raised = best.exception;
  }

  /** Takes the line before a stack for the exception's, where the stack is that of one that was thrown. */
  #settleLead(): void {
    const isThrown = this.#threads[0]?.frames.slice(0, 4).some(({ symbol }) =>
      symbol === "__exceptionPreprocess" || symbol === "objc_exception_throw"
    );
    if (this.#lead === null || isThrown !== true || this.#hasException) return;
    if (this.#remarks.length > 0) return;
    const { name, reason } = this.#lead;
    this.#remarks.push(`Fatal Exception: ${name}: ${reason}`);
  }

  /** Gives the one image that is not the system's and has neither name nor path those of the process, if no other image has
   * them: that of a program without an identifier. */
  #nameProgram({ name, path }: ReportProcess): void {
    const isNameless = (image: ReportImage): boolean =>
      image.marked === true && image.path === null && image.name === "???";
    if (name === null || this.#images.filter(isNameless).length !== 1) return;
    if (this.#images.some((image) => imageTitle(image) === name || image.path === path)) return;
    const at = this.#images.findIndex(isNameless);
    this.#images[at] = { ...this.#images[at], name, path };
  }

  #finish(): CrashReport {
    this.#settleStops();
    this.#settleLead();
    const header = new Header(this.#fields, this.#json, (text) => this.#warn(text));
    const process = this.#process(header.process);
    this.#nameProgram(process);
    const find = imageFinder(this.#images);
    // Only images without a size are looked for by it.
    let byBase: ReadonlyMap<bigint, ReportImage> | null = null;
    const atBase = (base: bigint): ReportImage | null => {
      byBase ??= new Map(this.#images.map((image) => [image.base, image]));
      return byBase.get(base) ?? null;
    };
    // Few frames are looked for by the name of their image.
    let byName: Map<string, ReportImage> | null = null;
    const named = (name: string): ReportImage | null => {
      // The first of a name is the one that is meant.
      byName ??= new Map(this.#images.toReversed().map((image) => [image.name, image]));
      return byName.get(name) ?? null;
    };
    const frame = (draft: DraftFrame): ReportFrame => {
      let image = find(draft.address);
      if (image !== null && isOtherImage(image, draft, named)) image = null;
      if (image === null && draft.base !== null) image = atBase(draft.base);
      if (image === null && draft.imageName !== null) image = named(draft.imageName);
      const address = image !== null && isFromImage(image, draft.address)
        ? image.base + draft.address
        : draft.address;
      // In `MyApp + 1234` the offset counts from the image, in `main + 44` from the function.
      const isOffset = draft.symbol !== null && image !== null && draft.offset !== null &&
        (draft.symbol === draft.imageName || draft.symbol === image.name ||
          image.path?.endsWith(`/${draft.symbol}`) === true) &&
        draft.address === image.base + BigInt(draft.offset);
      // Without images the offset alone tells.
      const isImage = image === null && draft.symbol !== null && draft.symbol === draft.imageName &&
        (draft.offset ?? 0) > MAX_FUNCTION;
      const unnamed = isOffset || isImage || (draft.base !== null && draft.symbol === null);
      return {
        index: draft.index,
        address,
        image,
        imageName: draft.imageName,
        symbol: unnamed ? null : withoutOwnImage(draft),
        offset: unnamed || draft.symbol === null ? null : draft.offset,
        file: draft.file,
        line: draft.line,
        column: draft.column,
        inlined: draft.inlined,
        span: draft.span,
      };
    };
    const triggered = header.triggeredThread;
    // A single stack without a title is the crashed thread's; that a copy begins inside of may be another's.
    const [single] = this.#threads;
    const alone = this.#threads.length === 1 && this.#untitledThreads === 1 &&
      (header.exception !== null || single.frames[0]?.index === 0);
    if (alone) {
      single.crashed = true;
      const isUnnumbered = this.#unnumbered === single;
      if (isUnnumbered && triggered !== null) single.index = triggered;
      else if (isUnnumbered) single.isNumbered = false;
    }
    if (!alone && triggered !== null) {
      // What the header says is not replaced by what a title looks like.
      for (const thread of this.#guessed) thread.crashed &&= thread.index === triggered;
    }
    const known = this.#threads.some(({ crashed }) => crashed);
    // The text ends with the exception's line.
    if (this.#fatal !== null && this.#remarks.length === 0) this.#remarks.push(this.#fatal);
    this.#dropUnderscores();
    this.#nameFromCopies();
    const threads: ReportThread[] = this.#threads.map((thread) => ({
      ...thread,
      id: this.#ids.get(thread.index) ?? null,
      crashed: thread.crashed || (!known && triggered !== null && thread.index === triggered),
      frames: thread.frames.map(frame),
      process: this.#processes.get(thread.index) ?? null,
      tree: [],
    }));
    this.#checkEnd(threads);
    const codeType = header.codeType;
    return new CrashReport({
      format: "crash",
      file: this.#file,
      text: this.#text,
      bugType: header.bugType,
      fields: this.#fields as readonly ReportField[],
      sections: this.#sections as readonly ReportSection[],
      process,
      arch: archOfCodeType(codeType) ??
        archOfCodeType(this.#images.find(({ arch }) => arch !== null)?.arch ?? null) ??
        archOfState(this.#threads.find(({ flavor }) => flavor !== null)?.flavor ?? "") ??
        archOfException(header.exception),
      codeType,
      model: header.model,
      osVersion: header.osVersion,
      date: header.date,
      incident: header.incident,
      exception: header.exception ?? this.#raised ?? this.#signal ?? numberedException(this.#text),
      termination: header.termination,
      information: this.#information(),
      threads,
      lastException: this.#wholeException()?.map(frame) ?? null,
      images: this.#images,
      header: this.#json,
      body: null,
      warnings: this.#warnings,
      unread: this.#unread,
    });
  }

  /** Drops the underscore that C's names have in the symbol table, where a service (Bugly) writes names as they are there. */
  #dropUnderscores(): void {
    const stacks = [...this.#threads.map(({ frames }) => frames), this.#exception ?? []];
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
  #nameFromCopies(): void {
    const stacks = [
      ...this.#threads.map(({ frames }) => frames),
      ...this.#exceptions,
      this.#exception ?? [],
    ];
    if (stacks.every((frames) => frames.every(isNamed))) return;
    const byAddress = new Map<bigint, SymbolicatedPlace & Partial<DraftFrame>>(
      namesByAtos(this.#text),
    );
    for (const frame of stacks.flat()) {
      if (isNamed(frame) && !frame.inlined && !byAddress.has(frame.address)) {
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
  #wholeException(): readonly DraftFrame[] | null {
    const [frames, ...others] = [
      ...this.#exceptions,
      ...this.#exception === null ? [] : [this.#exception],
    ];
    if (frames === undefined || !isNameless(frames)) return frames ?? null;
    const byAddress = new Map<bigint, DraftFrame>();
    for (const stack of [...others, ...this.#threads.map(({ frames }) => frames)]) {
      for (const frame of stack) {
        if (frame.imageName !== null && !frame.inlined && !byAddress.has(frame.address)) {
          byAddress.set(frame.address, frame);
        }
      }
    }
    const named = frames.map((frame) => {
      const other = byAddress.get(frame.address);
      return other === undefined
        ? { ...frame }
        : { ...other, index: frame.index, span: frame.span };
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

  /** The header's process, or the one that lines of a log name. */
  #process(process: ReportProcess): ReportProcess {
    if (process.name !== null) return process;
    const logged = loggedProcess(this.#text.slice(0, 4000));
    return logged === null ? process : { ...process, name: logged.name, pid: logged.pid };
  }

  /** The signal that other reporters name in a sentence. */
  get #signal(): ReportException | null {
    const head = this.#text.slice(0, 4000);
    const signal = /\b(?:received|caught|got) signal:? ?(SIG[A-Z]{2,6})\b/i.exec(head)?.[1] ??
      // Mono's, behind its stacks.
      /^\s{0,8}Got a (SIG[A-Z]{2,6}) while executing /m.exec(this.#text.slice(0, 1 << 16))?.[1];
    if (signal === undefined) return null;
    return { ...noException, signal };
  }

  #information(): string[] {
    const lines: string[] = [...this.#remarks.slice(0, 8)];
    const mono = saidByMono(this.#text);
    if (mono !== null) lines.push(mono);
    for (const section of this.#sections) {
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
    return wholeReasons(lines);
  }

  #checkEnd(threads: readonly ReportThread[]): void {
    const isKnown = isLowMemory({ text: this.#text, threads, exception: null, body: null });
    if (threads.length === 0 && !isKnown) this.#warn(noThreads);
    if (this.#images.length === 0 && threads.length > 0) {
      this.#warn("no list of binary images was found: the report may be cut off");
    }
  }
}

/** Whether a backtrace has only addresses. */
function isNameless(frames: readonly DraftFrame[]): boolean {
  return frames.every(({ symbol, imageName }) => symbol === null && imageName === null);
}

/** Addresses that two stacks have in common before one is taken to name the other. */
const MIN_SAME = 4;

/** Most lines and characters of an exception's reason. */
const MAX_REASON_LINES = 60;
const MAX_REASON = 4000;

/** Lines that are behind an exception's reason. */
const endsReason =
  /^(?:\*{2,3} |\* ?(?:First throw|Call stack)|First throw call|Call stack at|abort\(\) called|terminat|libc\+\+abi|\(?0x[0-9a-f]{6,16}\b|Thread \d|(?:Incident Identifier|Process|Exception Type|Last Exception Backtrace|Application Specific Backtrace)\b.{0,4}:|#\d|\(lldb\)|Message from debugger|The program has unexpectedly)/;

/** Whether an exception's line has a reason without the quote that ends it. What is behind `stack:` is JavaScript's. */
function isOpenReason(line: string): boolean {
  if (/, stack:\s{0,4}$/.test(line)) return false;
  const at = line.indexOf("reason: '");
  return at < 0 ? /,? reason:$/.test(line) : !/'[.)"]?$/.test(line.slice(at + 9));
}

/** Joins the line of an uncaught exception with those that its reason goes on in: up to the quote that ends it, or to what is
 * behind it. */
function wholeReasons(lines: readonly string[]): string[] {
  const whole: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    let line = lines[at];
    const isName = /^'[^']{1,100}',?(?: reason:(?: '|$)|$)/.test(lines[at + 1]?.trimStart() ?? "");
    if (
      /^\*\*\* Terminating app due to uncaught exception '[^']{1,100}',?(?: reason:(?: '|$)|$)/
        .test(line) ||
      (isName && /^\*\*\* Terminating app due to uncaught exception\s{0,4}$/.test(line))
    ) {
      let count = 0;
      let joined = line.trimEnd();
      const isOpen = (): boolean => !joined.includes("reason:") || isOpenReason(joined);
      const next = (): string | undefined => lines[at + count + 1];
      while (
        isOpen() && count < MAX_REASON_LINES && joined.length < MAX_REASON &&
        next() !== undefined && next() !== "" && !endsReason.test(next()!) &&
        !(next() === "(" && /^\s{0,8}(?:\d{1,3}\s|0x)/.test(lines[at + count + 2] ?? ""))
      ) joined += ` ${lines[at + ++count].trimStart()}`;
      // Without an end it is no such line.
      if (!isOpen() || next() !== undefined && count < MAX_REASON_LINES) {
        line = joined;
        at += count;
      }
    }
    whole.push(line);
  }
  return whole;
}

/** Whether a line is only an image of Markdown or HTML. */
function isMarkup(line: string): boolean {
  return /^!\[[^\]]{0,300}\]\([^)\s]{1,1000}\)$|^<img\s[^>]{1,1000}>$/.test(line);
}

/** Titles of sections of Apple's reports, also where no empty line is before them. */
const sectionTitles =
  /^(?:Application Specific (?:Information|Signatures)|Dyld Error Message|CrashDoctor Diagnosis)$/;

/** How lines begin that tell of an exception that was not caught. */
const uncaughtLine =
  /(?:\*{1,3} ?)?Terminating app due to uncaught exception\b|\blibc\+\+abi(?:\.dylib)?: terminat(?:ing|e called) |^terminating (?:with|due to) uncaught exception of type |(?:^|(?<=[:\]] ))(?:\*{1,3} ?)?[Uu]ncaught exception:? (?:'[\w.]{3,100}', reason: |<?[A-Z]\w{4,80}Exception>?,? \S)|^[A-Z]\w{4,80}Exception, reason: \S/;

/** The process that a line of a log is of, by what is before its words: syslog's `Oct  9 15:51:02 phone Shop[77] <Error>: `, and
 * `2026-01-02 03:04:05.678 Shop[77:303] `; `null` without one. */
function sayerOf(prefix: string): string | null {
  const found =
    /\d\d:\d\d:\d\d\S{0,16} (?:\S{1,100} )?([^\s[\]][^[\]]{0,99}\[\d{1,7})(?::[0-9a-f]{1,9})?\]/
      .exec(prefix);
  return found === null ? null : `${found[1]}]`;
}

/** Its name. */
function sayerName(sayer: string): string {
  return sayer.replace(/\[\d{1,7}\]$/, "");
}

/** How prose writes the line of an exception whose name it leaves open: `uncaught exception '...', reason: ...`. */
const template =
  /uncaught exception(?: of type)?:? {0,2}(?:['"\u2018]?(?:\.{2,3}|\u2026|<|\{|\[|X{2,}\b)|[,\u2013-] ?reason|`|$)/;

/** A message whose words are left out. */
const elided = /: {0,2}["'\u2018]?(?:\.{3}|\u2026)["'\u2019]?[`.)]{0,4}$/;

/** What stands before a debugger's thread or frame: `* `, and what copies have in its place. */
const debuggerMark =
  /^\s{0,40}(?:\(lldb\) |Process \d{1,9} stopped )?[,\\]?(?:[-+*\u2022\u00b7\u25e6\u25cf\u2192\u27a1>]|[-=]>)\s{1,8}(?=(?:thread|frame) #\d)/;

/** How KSCrash's text begins the line of what it found. */
const diagnosis = "CrashDoctor Diagnosis: ";

const logPrefix =
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}(?:[+-]\d{4})? \S{1,100}\[\d{1,9}:[0-9a-f]{1,9}\] /;

/** What libraries print to the console before they end a process. */
const printed =
  /^dyld(?:\[\d{1,9}\])?: (?:Library not loaded|terminating because inserted dylib|Symbol not found|missing symbol called|lazy symbol binding failed|symbol .{1,80} not found)|\bmalloc: (?:\*{3} )?(?:mach_vm_map|error for object|set a breakpoint|Incorrect checksum for freed object|Incorrect guard value|Heap corruption detected|[Dd]ouble free|Region cookie corrupted|Non-aligned pointer|can't allocate region)|^\*{3} error for object 0x|^Assertion failed: \(.{1,300}\), function|(?:^|\.dylib: |\.swift:\d{1,6}(?::\d{1,5})?: )(?:Fatal error(?!: (?:exception [A-Z]|can't |can\u2019t |'.{1,200}' file not found))|Precondition failed): \S|^(?:\S{1,100}\[\d{1,9}\]: )?(?:\[access\] )?This app has crashed because it attempted to access privacy-sensitive data|^(?:Fatal: )?This application failed to start because |^Unhandled [Ee]xception[.:] \S|^thread '.{1,100}' (?:\(\d{1,12}\) )?panicked at |^Fatal Python error: |^FATAL ERROR: |^\[\d{1,7}:(?:\d{1,12}:)?\d{4}\/\d{6}\.\d{3,6}:FATAL:|^Modifications to the layout engine must not be performed|^This application is modifying the autolayout engine from a background thread|^(?:Dyld Message: )(?:Library not loaded|Symbol not found)|^(?:\S.{0,100} )?\*{3} [-+]\[\w.{1,300}\]: message sent to deallocated instance 0x|^ASSERT(?: failure in .{1,200})?: ".{1,300}"(?:, | in )file .{1,300}, line \d|^objc\[\d{1,9}\]: (?:[-+]\[\w{1,200} initialize\] may have been in progress|Attempt to use|Method cache|Invalid|autorelease pool)/;

/** The lines of `VM Region Info`, which some copies have without their indentation. */
function isRegionLine(field: string, line: string): boolean {
  return /^VM Region Info$/i.test(field) &&
    /^(?:-{2,4}>|REGION TYPE|GAP OF|UNUSED SPACE|\S.{0,60} [0-9a-f]{6,16}-[0-9a-f]{6,16})/.test(
      line,
    );
}

/** Reads a thread's name, its queue's label, or both. */
function nameAndQueue(text: string): { name: string | null; queue: string | null } {
  const match = /(?:^|\s)Dispatch queue:/i.exec(text);
  const name = (match === null ? text : text.slice(0, match.index)).trim()
    // A copy that ends within the title.
    .replace(/^Dispatch queue$/i, "");
  const queue = match === null ? "" : text.slice(match.index + match[0].length).trim();
  return { name: name === "" ? null : name, queue: queue === "" ? null : queue };
}

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
