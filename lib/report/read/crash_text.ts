/** Reading the text form of a crash report, after Apple's "Examining the fields in a crash report" and
 * TN2151: header, exception information, diagnostics, backtraces, thread state, binary images. */

import {
  CrashDraft,
  type DraftFrame,
  type DraftThread,
  isNameless,
  nameAndQueue,
} from "./crash_draft.ts";
import { finishCrash } from "./crash_finish.ts";
import { fieldNames, isShaped } from "./crash_header.ts";
import {
  type FrameLine,
  noPlace,
  parseBareFrame,
  parseFrameLine,
  parseImageLine,
  parseLooseFrame,
  parseNameOnly,
  parsePlace,
  parseRegisters,
} from "./crash_lines.ts";
import { SaidReader } from "./crash_said.ts";
import { ServiceReader } from "./crash_services.ts";
import {
  parseDebuggerFrame,
  parseDebuggerThread,
  parseReceivedSignal,
  parseStopReason,
  parseSwiftCrash,
  parseSwiftFrame,
} from "./debugger.ts";
import { uncaughtLine } from "./parts.ts";
import { colonAt, damagedTitle, knownSections, titleIn } from "./titles.ts";
import type { JsonObject } from "../json.ts";
import type { CrashReport } from "../report.ts";

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
  const draft = new CrashDraft(file, text, from, header, warnings, to);
  new CrashTextReader(draft, next).read();
  return finishCrash(draft);
}

class CrashTextReader {
  readonly #draft: CrashDraft;
  readonly #said: SaidReader;
  readonly #services: ServiceReader;
  readonly #next: NextReport;
  #isDebugger: boolean | null = null;
  /** Whether the text is Swift's own backtrace. */
  #isSwift = false;
  /** Column of the last field: those of some texts are all indented. */
  #margin = 0;
  /** Whether any line has a debugger's number, or Markdown's escape: to search each line for them takes longer. */
  readonly #hasNumbers: boolean;
  readonly #hasEscapes: boolean;

  constructor(draft: CrashDraft, next: NextReport) {
    this.#draft = draft;
    this.#said = new SaidReader(draft);
    this.#services = new ServiceReader(draft);
    this.#next = next;
    this.#hasNumbers = draft.text.includes("thread #") || draft.text.includes("frame #");
    this.#hasEscapes = draft.text.includes("\\_");
  }

  read(): void {
    for (let at = 0; at < this.#draft.lines.length && this.#next.at === null; at++) this.#line(at);
  }

  #line(at: number): void {
    const line = this.#draft.lines.line(at);
    const trimmed = line.trim();
    if (trimmed === "") {
      this.#draft.afterBlank = true;
      this.#said.endReason();
      // Some systems put a line between the registers and those of the fault.
      const isSplit = this.#draft.collecting === "registers" &&
        /^\s*far: 0x/.test(at + 1 < this.#draft.lines.length ? this.#draft.lines.line(at + 1) : "");
      if (this.#draft.collecting === "registers" && !isSplit) this.#draft.collecting = "header";
      return;
    }
    this.#understand(at, line, trimmed);
    this.#draft.afterBlank = false;
  }

  #understand(at: number, written: string, bare: string): void {
    // A debugger's mark of what is selected, or what Markdown and lists made of it.
    const isMarked = this.#hasNumbers && bare.includes(" #") && debuggerMark.test(bare);
    const line = isMarked ? written.replace(debuggerMark, "* ") : written;
    const trimmed = isMarked ? bare.replace(debuggerMark, "* ") : bare;
    if (this.#said.goesOn(line, trimmed)) return;
    const first = trimmed.charCodeAt(0);
    if (first === 0x3e && /^> ?\S/.test(trimmed)) {
      // A line that is quoted where others are not, maybe several times.
      this.#understand(at, line, trimmed.replace(/^(?:> ?)+(?=\S)/, ""));
      return;
    }
    const plain = this.#hasEscapes && trimmed.includes("\\_") ? withoutEscapes(trimmed) : trimmed;
    if (plain !== trimmed) {
      this.#understand(at, withoutEscapes(line), plain);
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
      const frames = this.#draft.collecting === "exception"
        ? this.#draft.exception
        : this.#draft.thread?.frames;
      if (this.#frame(at, `${frames?.length ?? 0}  ???  ${trimmed.slice(4)}`)) return;
    }
    if (first === 0x30 && (trimmed.charCodeAt(1) | 0x20) === 0x78) {
      const image = parseImageLine(trimmed);
      if (image !== null) {
        this.#draft.images.push(image);
        this.#draft.collecting = "images";
        return;
      }
    }
    if (this.#said.goesOnInRuby(trimmed)) return;
    // Digits, or a debugger's `#0`, `frame #0` or `* frame #0`.
    const isFrame = first >= 0x30 && first <= 0x39 || first === 0x23 || first === 0x66 ||
      first === 0x2a;
    if (isFrame && this.#frame(at, line)) return;
    if (this.#draft.collecting === "registers" && this.#registers(line)) return;
    if (this.#draft.collecting === "exception" && this.#addresses(at, trimmed)) return;
    if (trimmed.startsWith("Thread ") && this.#threadLine(trimmed)) return;
    // KSCrash's, before the backtrace.
    const last = trimmed.startsWith("Last Exception: ")
      ? /^Last Exception: ([A-Za-z_]\w{2,80}): (.{1,2000})$/.exec(trimmed)
      : null;
    if (last !== null) {
      this.#draft.remarks.push(uncaughtLine(last[1], last[2]));
      return;
    }
    if (trimmed.startsWith("Last Exception Backtrace")) {
      this.#draft.beginException();
      return;
    }
    if (
      this.#services.line(trimmed) || this.#services.thread(at, trimmed) ||
      this.#services.reason(at, trimmed) ||
      this.#debuggerLine(trimmed) || this.#said.line(trimmed) || this.#said.handlerLine(at, trimmed)
    ) return;
    if (trimmed.startsWith("Application Specific Backtrace")) {
      // The first is what newer systems call the last exception's; further ones are of its causes.
      if (
        this.#draft.exception === null || isNameless(this.#draft.exception) ||
        this.#draft.isEarliers
      ) {
        this.#draft.beginException();
      } else {
        this.#draft.sections.push({ name: trimmed.replace(/:$/, ""), lines: [] });
        this.#draft.collecting = "lines";
      }
      return;
    }
    if (trimmed.length < 60 && trimmed.includes("nf") && damagedTitle.test(trimmed)) {
      this.#draft.sections.push({ name: "Application Specific Information", lines: [] });
      this.#draft.collecting = "section";
      return;
    }
    if (trimmed.startsWith("Binary Images")) {
      this.#draft.collecting = "images";
      return;
    }
    if (trimmed.includes("Thread State") && trimmed.endsWith(":")) {
      this.#beginRegisters(this.#draft.threads.findLast(({ crashed }) => crashed) ?? null, trimmed);
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
    if (this.#draft.collecting === "lines") {
      this.#draft.sections.at(-1)?.lines.push(line);
      return true;
    }
    if (this.#draft.collecting === "exception") {
      frames = this.#draft.exception!;
      // Another stack follows, whose title is missing or was not understood.
      if (frame.index === 0 && (frames.at(-1)?.index ?? 0) > 0) frames = this.#draft.untitled();
    } else if (this.#draft.collecting === "thread" && this.#draft.thread !== null) {
      frames = this.#draft.thread.frames;
      // The title is missing or was not understood.
      if (frame.index === 0 && frames.length > 0) frames = this.#draft.untitled();
    } else if (frame.index === 0) frames = this.#draft.untitled();
    else if (this.#draft.afterBlank || this.#draft.collecting !== "section") {
      const last = this.#draft.thread?.frames;
      if (last === undefined && !this.#draft.isPiece()) return false;
      frames = last ?? this.#draft.untitled();
      this.#draft.collecting = "thread";
    } else return false;
    // Written out because rest properties are slow, and there are thousands of frames.
    if (this.#draft.fatal !== null) {
      this.#draft.remarks.push(this.#draft.fatal);
      this.#draft.fatal = null;
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
        start: this.#draft.lines.start(at),
        end: this.#draft.lines.end(at),
        place: this.#draft.lines.start(at) + frame.placeAt,
      },
    });
    this.#draft.loose = "";
    return true;
  }

  /** A frame without its address, as Xcode's organizer and some people copy them. */
  #bareFrame(at: number, line: string): FrameLine | null {
    const frames = this.#draft.collecting === "exception"
      ? this.#draft.exception
      : this.#draft.collecting === "thread"
      ? this.#draft.thread?.frames
      : null;
    if (frames === null || frames === undefined) {
      // A copy of a stack alone.
      const first = this.#draft.isPiece() ? parseBareFrame(line) : null;
      if (first === null || first.index !== 0) return null;
      if (first.file !== null) return first;
      // One alone may be anything.
      const next = at + 1 < this.#draft.lines.length
        ? parseBareFrame(this.#draft.lines.line(at + 1))
        : null;
      return next?.index === 1 && next.imageName !== null ? first : null;
    }
    const isNamed = frames.every(({ imageName, address, symbol }) =>
      imageName === null && address === 0n && symbol !== null
    );
    const frame = parseBareFrame(line) ??
      (isNamed ? parseNameOnly(line, frames.length > 0) : null) ??
      // The last line may be a cut one.
      (frames.length > 0 && !isNamed && !this.#draft.afterBlank &&
          at + 1 < this.#draft.lines.length
        ? parseLooseFrame(line)
        : null);
    return frame !== null && frame.index === frames.length ? frame : null;
  }

  /** A frame of a debugger's stack, in a text that has no report of the system's besides. */
  #debuggerFrame(line: string): FrameLine | null {
    const frame = parseDebuggerFrame(line);
    if (frame === null) return null;
    const head = this.#isDebugger === null ? this.#draft.text.slice(0, 1 << 18) : "";
    this.#isDebugger ??= !/^[ \t>]{0,8}Exception Type:/m.test(head) ||
      // One whose stacks were left out.
      !/^[ \t>]{0,8}\d{1,4}\s{1,8}\S.{0,80}\s0x[0-9a-f]{6,16} /m.test(head);
    return this.#isDebugger ? frame : null;
  }

  /** Takes a line with the name of the frame before it, which some copies have been wrapped before. */
  #namesFrame(line: string): boolean {
    const frames = this.#draft.collecting === "exception"
      ? this.#draft.exception
      : this.#draft.thread?.frames;
    const isFrame = this.#draft.collecting === "thread" || this.#draft.collecting === "exception";
    const frame = isFrame && !this.#draft.afterBlank ? frames?.at(-1) : undefined;
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
    const isLast = at + 2 >= this.#draft.lines.length && this.#draft.collecting === "thread";
    const match = isLast ? /^(\d{1,4})\s{1,20}(\S{3,100})(\s*)$/.exec(line) : null;
    if (match === null || Number(match[1]) !== this.#draft.thread?.frames.length) return null;
    // The name itself may be cut.
    const imageName = match[3] !== ""
      ? match[2]
      : this.#draft.threads.flatMap(({ frames }) => frames)
        .find(({ imageName }) => imageName?.startsWith(match[2]))?.imageName;
    if (imageName == null) return null;
    return {
      index: Number(match[1]),
      imageName,
      address: 0n,
      placeAt: line.length,
      ...noPlace,
    };
  }

  /** `Thread 0 name: …`, `Thread 0 Crashed:`, `Thread 0 crashed with … Thread State …:` and so on. */
  #threadLine(line: string): boolean {
    const match = /^Thread (\d{1,10})\b[ \t]*/.exec(line);
    if (match === null) return false;
    const index = Number(match[1]);
    const rest = line.slice(match[0].length);
    const id = /^id[ \t]*:[ \t]*(\d{1,20})$/.exec(rest)?.[1];
    if (id !== undefined) {
      this.#draft.ids.set(index, BigInt.asUintN(64, BigInt(id)));
      return true;
    }
    const process = /^process[ \t]*:[ \t]*(\S.{0,200})$/.exec(rest)?.[1];
    if (process !== undefined) {
      this.#draft.processes.set(index, process.trimEnd());
      return true;
    }
    if (/^name[ \t]*:/.test(rest)) {
      this.#draft.names.set(index, nameAndQueue(rest.slice(rest.indexOf(":") + 1)));
      return true;
    }
    if (/^crashed with/i.test(rest)) {
      let thread = this.#draft.threads.findLast((thread) => thread.index === index) ?? null;
      // A copy may begin after its stack. Where one begins inside a stack, that one's number is not known.
      if (thread === null || thread.frames[0]?.index > 0) {
        this.#draft.warn("registers of a thread that was not found in the report");
        this.#draft.begin({ index, name: null, queue: null, crashed: true });
        thread = this.#draft.thread;
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
    if (stop !== null) this.#draft.stopped(stop);
    // A copy whose lines were joined has the first frame behind the title.
    const joined = /^\s{0,8}0\s/.test(after)
      ? parseFrameLine(after) ?? parseBareFrame(after)
      : null;
    // `Thread 1 Queue : com.apple.main-thread (serial)`, Xcode's; `Thread 0 "main" crashed:`, Swift's.
    const queue = queued?.[1];
    const name = /^"([^"]{1,200})"/.exec(word)?.[1] ?? null;
    this.#draft.begin({
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
      this.#draft.thread!.frames.push({
        ...frame,
        imageName: frame.imageName ?? image,
        span: null,
      });
    }
    return true;
  }

  #beginRegisters(thread: DraftThread | null, title: string): void {
    this.#draft.collecting = "registers";
    this.#draft.thread = thread;
    if (thread !== null) {
      thread.flavor = title.replace(/^crashed with:?\s*/i, "").replace(/:$/, "");
    } else this.#draft.warn("registers of a thread that was not found in the report");
  }

  #registers(line: string): boolean {
    const registers = parseRegisters(line);
    if (registers.length === 0) return false;
    for (const register of registers) this.#draft.thread?.registers.push(register);
    return true;
  }

  /** What debuggers and Swift's own backtraces say of why a process stopped. */
  #debuggerLine(line: string): boolean {
    if (line.includes("thread #")) {
      const stop = parseDebuggerThread(line);
      if (stop === null) return false;
      // The title is printed when the process stops, with one frame, and again above the whole stack.
      const last = this.#draft.threads.at(-1);
      if (last !== undefined && last.index === stop.index && last.frames.length <= 1) {
        this.#draft.threads.pop();
      }
      const { index, name, queue, crashed } = stop;
      this.#draft.begin({ index, name, queue, crashed });
      if (crashed) {
        this.#draft.stops.push({ thread: this.#draft.thread!, exception: stop.exception });
      }
      if (!this.#draft.hasException) this.#draft.raised ??= stop.exception;
      if (stop.message !== null && !this.#draft.remarks.includes(stop.message)) {
        this.#draft.remarks.push(stop.message);
      }
      return true;
    }
    if (line.includes(" received signal")) {
      const received = parseReceivedSignal(line);
      if (received === null) return false;
      this.#draft.raised ??= received;
      return true;
    }
    const reason = this.#draft.raised?.type == null
      ? null
      : /^Reason: (KERN_\w{3,40}|\d{1,3}) at address: (0x[0-9a-fA-F]{1,16})$/.exec(line);
    if (reason !== null) {
      this.#draft.raised = { ...this.#draft.raised!, subtype: `${reason[1]} at ${reason[2]}` };
      return true;
    }
    const crash = line.includes("Program crashed: ") ? parseSwiftCrash(line) : null;
    if (crash === null) return false;
    this.#isSwift = true;
    this.#draft.raised ??= crash;
    return true;
  }

  /** The exception's return addresses in parentheses, on one line or more. */
  #addresses(at: number, line: string): boolean {
    const inside = /^\(?((?:\s*0x[0-9a-fA-F]{1,16}\b)+)\s*\)?$/.exec(line)?.[1];
    if (inside === undefined) return false;
    for (const address of inside.trim().split(/\s+/)) {
      this.#draft.exception!.push({
        index: this.#draft.exception!.length,
        address: BigInt(address),
        imageName: null,
        symbol: null,
        offset: null,
        base: null,
        file: null,
        line: null,
        column: null,
        inlined: false,
        span: { start: this.#draft.lines.start(at), end: this.#draft.lines.end(at) },
      });
    }
    return true;
  }

  #fieldOrSection(at: number, line: string, written: string): void {
    // People put a report between backticks.
    const bare = written.charCodeAt(0) === 0x60 ? written.replace(/^`{1,3}(?=[A-Z])/, "") : written;
    const trimmed = tabled.test(bare) ? bare.replace(/\t+/, ": ") : bare;
    if (this.#continuesReason(trimmed) || this.#namesFrame(trimmed)) return;
    if (this.#draft.collecting === "outside") {
      const field = /^([^:]{1,80}):/.exec(trimmed)?.[1].trim() ?? "";
      if (/^(?:`{3,}|~{3,})/.test(trimmed)) this.#draft.collecting = "header";
      else if (fieldNames.has(field.toLowerCase()) || sectionTitles.test(field)) {
        this.#draft.collecting = "header";
      } else return;
    }
    if (/;\d{1,7}$/.test(trimmed.slice(-8)) && this.#services.hockeyFrame(trimmed)) return;
    const colon = colonAt(trimmed);
    const section = this.#draft.sections.at(-1);
    const inSection = section !== undefined &&
      (this.#draft.collecting === "section" || this.#draft.collecting === "lines");
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
        known && this.#draft.threads.length > 0 &&
        /^(?:Incident Identifier|Process|Hardware Model)$/.test(name)
      ) {
        this.#next.at = this.#draft.lines.start(at);
        return;
      }
      if (known && /^exception type$/i.test(name) && this.#isAnother(value)) {
        if (this.#draft.threads.some(({ frames }) => frames.length > 0)) {
          this.#next.at = this.#draft.lines.start(at);
          return;
        }
        // What was read of the one before has no stack.
        this.#draft.fields.splice(
          0,
          this.#draft.fields.length,
          ...this.#draft.fields.filter(({ name }) => !ofException.test(name)),
        );
      }
      // Behind the stacks people write of the versions of their tools.
      if (
        /^version$/i.test(name) && this.#draft.threads.some(({ frames }) => frames.length > 0) &&
        !this.#draft.fields.some((field) => /^process$/i.test(field.name))
      ) return;
      // `Reason:` of the dynamic linker's message is no field, nor is that of an exception's wrapped line.
      const isInside = inSection && this.#draft.isOfReport && (indented || name === "reason");
      if (value !== "" && !isInside && (known || (!inSection && !indented))) {
        this.#draft.collecting = "header";
        this.#margin = lead;
        this.#draft.hasException ||= /^exception type$/i.test(name);
        this.#draft.fields.push({ name, value });
        if (name === "Process") this.#said.dropOthers(value);
        if (!known && !isShaped(value)) this.#draft.leave(trimmed);
        this.#draft.loose = trimmed;
        return;
      }
      const isTitle = (this.#draft.afterBlank || !inSection || sectionTitles.test(name)) &&
        !(inSection && sectionTitles.test(section.name) && / has active assertions /.test(name));
      if (value === "" && !indented && isTitle && !known) {
        this.#draft.sections.push({ name, lines: [] });
        this.#draft.collecting = "section";
        this.#draft.loose = trimmed;
        return;
      }
      if (value === "" && known) {
        this.#draft.fields.push({ name, value });
        return;
      }
    }
    this.#draft.loose = trimmed;
    // What stands behind the code block that a report was pasted into is not the report's.
    if (
      inSection && this.#draft.isOfReport && /^(?:`{3,}|~{3,})$/.test(written) &&
      section.lines.some((other) => other.trim() !== "")
    ) {
      this.#draft.collecting = "outside";
      return;
    }
    if (inSection && this.#draft.isOfReport && isMarkup(trimmed)) return;
    // What a person writes behind a part of a report.
    if (
      inSection && this.#draft.isOfReport && this.#draft.afterBlank &&
      sectionTitles.test(section.name) && section.lines.some((other) => other.trim() !== "") &&
      (isPersons(trimmed) || section.name.startsWith("Dyld") && isSentence(trimmed))
    ) {
      this.#draft.collecting = "outside";
      return;
    }
    if (inSection) {
      section.lines.push(line);
      if (!knownSections.test(section.name)) this.#draft.leave(trimmed);
      return;
    }
    const field = this.#draft.fields.at(-1);
    const continues = this.#draft.collecting === "header" && field !== undefined &&
      !this.#draft.afterBlank;
    if (
      continues &&
      (line.length - line.trimStart().length > this.#margin || isRegionLine(field.name, trimmed))
    ) {
      field.value += `\n${line}`;
    } else if (
      this.#draft.collecting === "header" && this.#draft.threads.length === 0 &&
      this.#draft.hasException &&
      /^(?:Application|App|Main thread|Stack|Fatal)\b.{0,100}$/.test(trimmed)
    ) {
      // Other reporters say what happened in a line of its own.
      this.#draft.remarks.push(trimmed);
    } else this.#draft.leave(trimmed);
  }

  /** Whether an exception is another one than that which was read before: somebody copied parts of several reports. */
  #isAnother(value: string): boolean {
    const { fields } = this.#draft;
    // Of a whole one the crash reporter may have written what it met itself.
    if (fields.some(({ name }) => /^(?:process|incident identifier)$/i.test(name))) return false;
    return fields.some((field) => /^exception type$/i.test(field.name) && field.value !== value);
  }

  /** Takes a line that goes on with the termination reason, which no indentation shows. */
  #continuesReason(line: string): boolean {
    const field = this.#draft.fields.at(-1);
    if (field === undefined || this.#draft.afterBlank || this.#draft.collecting !== "header") {
      return false;
    }
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
}

/** A line without Markdown's escapes of underscores. In a path of Windows, `D:\agent\_work`, they are none. */
function withoutEscapes(line: string): string {
  return line.replace(
    /\\_/g,
    (escape, at: number) =>
      /\b[A-Za-z]:\\[^:]*$/.test(line.slice(Math.max(0, at - MAX_PATH), at)) ? escape : "_",
  );
}

/** Characters of a path before its folder. */
const MAX_PATH = 400;

/** Whether a line is only an image of Markdown or HTML. */
function isMarkup(line: string): boolean {
  return /^!\[[^\]]{0,300}\]\([^)\s]{1,1000}\)$|^<img\s[^>]{1,1000}>$/.test(line);
}

/** Whether a line is a question, or tells what its writer did. */
function isPersons(line: string): boolean {
  return /^[A-Z][a-z']{0,20} .{3,400}\?$|\bI(?:['\u2019](?:m|ve|d|ll))? [a-z]{2,}\b|^(?:Thanks|Thank you|Please (?:help|fix|let|see|find|advise)|Hopefully|Any (?:ideas?|help|suggestions?))\b|[.!] [;:]-?[()]$|\b(?:me|my) [a-z ]{2,60}[.!]/
    .test(line);
}

/** Whether a line is a sentence of several words, as the dynamic linker writes none by itself. */
function isSentence(line: string): boolean {
  return /^[A-Z][\p{Ll}'\u2019]{0,20}(?:,? [\p{L}\p{N}'\u2018-\u201d"().-]{1,60}){5}/u.test(line) &&
    !/^(?:Library|Symbol|Referenced|Expected|Reason|Dyld|Did find|Could not|Cannot)\b/.test(line);
}

/** Titles of sections of Apple's reports, also where no empty line is before them. */
const sectionTitles =
  /^(?:Application Specific (?:Information|Signatures)|Dyld Error Message|CrashDoctor Diagnosis)$/;

/** What stands before a debugger's thread or frame: `* `, and what copies have in its place. */
const debuggerMark =
  /^\s{0,40}(?:\(lldb\) |Process \d{1,9} stopped )?[,\\]?(?:[-+*\u2022\u00b7\u25e6\u25cf\u2192\u27a1>]|[-=]>)\s{1,8}(?=(?:thread|frame) #\d)/;

/** Fields in the two columns of a table, without a colon. */
const tabled =
  /^(?:Exception (?:Type|Subtype|Codes)|Termination Reason|(?:Triggered by|Crashed) Thread|OS Version|Code Type|Hardware Model|Process|Identifier|Version|Date\/Time)\t+\S/;

/** Fields of a header that are of its exception. */
const ofException = /^(?:exception|termination) |^(?:crashed thread|triggered by thread)$/i;

/** The lines of `VM Region Info`, which some copies have without their indentation. */
function isRegionLine(field: string, line: string): boolean {
  return /^VM Region Info$/i.test(field) &&
    /^(?:-{2,4}>|REGION TYPE|GAP OF|UNUSED SPACE|\S.{0,60} [0-9a-f]{6,16}-[0-9a-f]{6,16})/.test(
      line,
    );
}
