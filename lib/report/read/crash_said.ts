/** What stands around a crash report: lines that libraries, run-times and handlers of exceptions wrote to a console or a log. */

import { parseFrameLine } from "./crash_lines.ts";
import { parseStopReason } from "./debugger.ts";
import { type CrashDraft, logPrefix } from "./crash_draft.ts";

/** Reads what was said of the end of a process outside of its report. */
export class SaidReader {
  readonly #draft: CrashDraft;
  /** The line of a panic of Rust whose message is on the next one. */
  #panicked: string | null = null;
  /** Whether the lines are those of an exception's places in Ruby. */
  #inRuby = false;
  /** The processes that lines of a log about uncaught exceptions are of, as `Shop[77]`. */
  readonly #sayers: string[] = [];
  /** Lines that the reason of the last remark may still have; 0 where it is whole. */
  #open = 0;
  /** The exception's name in its own description, whose reason has not come yet. */
  #named: string | null = null;

  constructor(draft: CrashDraft) {
    this.#draft = draft;
  }

  /** What Foundation and libc++abi write to the console about an uncaught exception. */
  line(written: string): boolean {
    // Markdown's escapes.
    const line = written.includes("\\*") ? written.replace(/(?:\\?\*){3}/, "***") : written;
    // `NSException`'s own description.
    const field = /^(Exception Name|Description): (\S.{0,2000})$/.exec(line);
    if (field !== null && !this.#draft.hasException) {
      if (field[1] === "Exception Name") this.#named = field[2];
      else if (this.#named !== null) {
        this.#draft.remarks.push(`Fatal Exception: ${this.#named}: ${field[2]}`);
        this.#named = null;
      } else return false;
      return true;
    }
    // React Native's, of a native module.
    const invoked =
      /^(?:\S.{0,80}\] ?)?(Exception '.{1,3000}' was thrown while invoking \S{1,200} on target \S.{0,300}|Exception thrown while executing UI block: \S.{0,3000})$/
        .exec(line);
    if (invoked !== null && !this.#draft.hasException) {
      this.#draft.remarks.push(invoked[1]);
      return true;
    }
    // Rust's message is on the line below that of its place: library/std/src/panicking.rs.
    if (
      !this.#draft.afterBlank && this.#panicked !== null &&
      this.#panicked === this.#draft.remarks.at(-1) &&
      !/^(?:note: |stack backtrace:|thread ')/.test(line)
    ) {
      this.#draft.remarks[this.#draft.remarks.length - 1] += ` ${line}`;
      this.#panicked = null;
      return true;
    }
    // GNU's C++ library, and Apple's when it had that one.
    const thrown = /^terminate called after throwing an instance of '(.{1,400})'$/.exec(line)?.[1];
    if (thrown !== undefined) {
      this.#draft.remarks.push(`terminating with uncaught exception of type ${thrown}`);
      return true;
    }
    const what =
      this.#draft.remarks.at(-1)?.startsWith("terminating with uncaught exception of type ")
        ? /^what\(\): {1,4}(\S.{0,1000})$/.exec(line)?.[1]
        : undefined;
    if (what !== undefined) {
      this.#draft.remarks[this.#draft.remarks.length - 1] += `: ${what}`;
      return true;
    }
    // Xcode's, which people note in the code where it stopped.
    const noted = /^\/\/ ?Thread \d{1,4}: (\S.{0,600})$/.exec(line)?.[1];
    const stop = noted === undefined ? null : parseStopReason(noted);
    if (stop !== null) {
      this.#draft.stopped(stop);
      return true;
    }
    const at = line.indexOf("*** ");
    // Left in the process by its libraries; Apple's reports have it in a section of its own.
    const misuse = this.#draft.collecting === "header" && line.includes("BUG IN ")
      ? /^[`"*> ]{0,8}(BUG IN (?:CLIENT OF )?LIB[A-Z]{3,12}: [^`]{1,400})/.exec(line)
      : null;
    if (misuse !== null) {
      this.#draft.remarks.push(misuse[1].trim());
      return true;
    }
    const members = membersOf(line);
    if (members.length > 0) {
      const { remarks } = this.#draft;
      remarks.push(...members.filter((said) => !remarks.includes(said)));
      return true;
    }
    // Swift's before version 4.2.
    const old = this.#draft.hasException
      ? null
      : /^(?:.{0,200}\.swift:\d{1,6}(?::\d{1,5})?: )?(fatal error: (?:unexpectedly found nil|(?:Array )?[Ii]ndex out of (?:range|bounds)|Array index |[Cc]an't |Dictionary |attempt(?:ed|ing)? to |use of unimplemented initializer|NSArray element|Double value|Float(?:ing)? |Not enough bits|Negative |UnsafeMutable|init\(coder:\)|Cannot ).{0,300})$/
        .exec(line.replace(logPrefix, ""));
    if (old !== null && this.#draft.threads.length === 0) {
      const said = `Fatal${old[1].slice(5)}`;
      if (!this.#draft.remarks.includes(said)) this.#draft.remarks.push(said);
      return true;
    }
    // The reason of an exception whose title follows, as Foundation begins reasons.
    if (
      !this.#draft.hasException && this.#draft.isPiece() &&
      /^\*{3} [-+]\[[\w() ]{1,200} [\w:]{1,200}\]: \S/.test(line) &&
      !line.includes("message sent to deallocated instance")
    ) {
      this.#draft.remarks.push(line);
      return true;
    }
    const isLoose = this.#draft.collecting !== "section" || !this.#draft.isOfReport;
    const bare = line.replace(logPrefix, "").replace(/^`{1,3}/, "");
    if (
      isLoose && this.#draft.threads.length === 0 && !elided.test(bare) &&
      (printed.test(bare) || this.#ofLoader(bare))
    ) {
      if (!this.#draft.remarks.includes(bare) && !bare.includes("set a breakpoint")) {
        this.#draft.remarks.push(bare);
        this.#panicked = /^thread '.{1,400}:\d{1,7}:\d{1,5}:$/.test(bare) ? bare : null;
      }
      return true;
    }
    if (
      at >= 0 &&
        /^\*\*\* (?:First throw call stack|Call stack at first throw):?$/.test(line.slice(at)) ||
      /^(?:\*{1,3} ?)?(?:First throw call stack|Call stack at first throw):?$/.test(bare)
    ) {
      this.#draft.beginException();
      return true;
    }
    const said = line.search(uncaughtLine);
    if (said < 0 || (this.#draft.collecting === "section" && this.#draft.isOfReport)) return false;
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
          // Before OS X 10.6.
          .replace(/^<([A-Z]\w{2,80})> (?:\*{3} )?(\S.{0,3000})$/, "'$1', reason: '$2'")
      }`;
    this.#draft.remarks.push(remark);
    const sayer = sayerOf(line.slice(0, said));
    if (sayer !== null) this.#sayers.push(sayer);
    this.#open = isOpenReason(remark) ? MAX_REASON_LINES : 0;
    this.#inRuby = this.#draft.exception === null && this.#draft.threads.length === 0 &&
      this.#rubyFrame(/, reason: '(\S.{0,600})$/.exec(remark)?.[1] ?? "");
    if (this.#inRuby) this.#open = 0;
    return true;
  }

  /** Takes the reason that a program's own handler of exceptions writes before their call stack. */
  handlerLine(at: number, trimmed: string): boolean {
    if (
      this.#draft.exception !== null || this.#draft.threads.length > 0 ||
      this.#draft.remarks.length > 0
    ) {
      return false;
    }
    const reason =
      /^(?:CRASH|Uncaught exception|Exception(?: reason)?|Crash reason)\s{0,2}[:=]\s{0,2}(\S.{3,2000})$/i
        .exec(trimmed.replace(logPrefix, ""))?.[1];
    if (reason === undefined) return false;
    const type = this.#draft.fields.find(({ name }) => /^exception type$/i.test(name))?.value ??
      null;
    if (type !== null && !/^[A-Z]\w{2,80}Exception$/.test(type)) return false;
    for (let next = at + 1; next < Math.min(at + 3, this.#draft.lines.length); next++) {
      const following = this.#draft.lines.line(next).trim().replace(logPrefix, "");
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
      this.#draft.remarks.push(
        named === null ? `Crashing on exception: ${reason}` : `Fatal Exception: ${named}`,
      );
      return true;
    }
    return false;
  }

  /** Ends a reason that could have gone on: at an empty line. */
  endReason(): void {
    this.#open = 0;
  }

  /** Takes a caller's line of an exception in Ruby. */
  goesOnInRuby(line: string): boolean {
    this.#inRuby &&= line.startsWith("from ") && this.#rubyFrame(line);
    return this.#inRuby;
  }

  /** Takes a line that goes on with a reason: descriptions of objects and lists have several. */
  goesOn(line: string, trimmed: string): boolean {
    if (this.#open === 0) return false;
    const last = this.#draft.remarks.at(-1)!;
    this.#open--;
    if (
      logPrefix.test(trimmed) || endsReason.test(trimmed) || last.length > MAX_REASON ||
      parseFrameLine(line) !== null
    ) {
      this.#open = 0;
      return false;
    }
    const whole = `${last} ${trimmed}`;
    this.#draft.remarks[this.#draft.remarks.length - 1] = whole;
    if (!isOpenReason(whole)) this.#open = 0;
    return true;
  }

  /** Drops what a log before a report says of exceptions of other processes only: a system's log is of all of them. Another run
   * of the same program may have had the same. */
  dropOthers(process: string): void {
    const own = sayerName(process).trimEnd();
    const isOwn = (sayer: string): boolean => {
      const name = sayerName(sayer);
      // Both are cut where they are long; the first word of one may be taken for the host.
      return own.startsWith(name) || name.startsWith(own) || own.endsWith(` ${name}`);
    };
    if (this.#sayers.length === 0) return;
    if (this.#sayers.some(isOwn)) {
      const number = (sayer: string): string | undefined => /\[(\d{1,7})\]$/.exec(sayer)?.[1];
      const pid = number(process);
      if (pid !== undefined && this.#sayers.every((sayer) => number(sayer) !== pid)) {
        const { remarks, exceptions, exception } = this.#draft;
        this.#draft.earlier = {
          remarks: remarks.length,
          exceptions: exceptions.length + (exception === null ? 0 : 1),
        };
      }
      return;
    }
    this.#sayers.length = this.#draft.remarks.length = this.#draft.exceptions.length = 0;
    this.#draft.exception = null;
  }

  /** Takes a place of an exception that RubyMotion's run-time writes into its reason: `Chart.rb:30:in \`draw:': message`,
   * then lines of the callers: `from View.rb:43:in \`drawRect:'`. */
  #rubyFrame(line: string): boolean {
    const match = /^(?:from )?([\w./+ -]{1,200}\.rb):(\d{1,7}):in [`'](.{1,200}?)'(?::? |$)/.exec(
      line,
    );
    if (match === null) return false;
    this.#draft.exception ??= [];
    this.#draft.exception.push({
      index: this.#draft.exception.length,
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
    const last = this.#draft.remarks.at(-1) ?? "";
    if (/^(?:Referenced\s{1,4}from|Reason|Expected in|Did find):\s{0,8}\S/.test(line)) {
      return /Library not loaded|Symbol not found|Referenced\s{1,4}from/.test(last);
    }
    // The files that were tried, of which the last ends without a comma.
    if (/^'\/.{1,1000}' \(.{1,1000}\),?$/.test(line)) {
      return /^(?:Reason: tried: )?'\/.*,$/.test(last);
    }
    // Each file that was found has a line with why it is not used, and may come twice.
    return /^\/.{1,1000}: \S/.test(line) &&
      this.#draft.remarks.some((text) => /Did find:$/.test(text)) &&
      (/Did find:$/.test(last) || last.startsWith("/"));
  }
}

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
export function wholeReasons(lines: readonly string[]): string[] {
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

/** What a library left in the process, as JSON has it: `"libsystem_c.dylib":["abort() called"]`. */
function membersOf(line: string): string[] {
  const list =
    /^"(?:lib[\w.+-]{2,60}\.dylib|dyld|CoreFoundation|Foundation|AppKit|UIKitCore)"\s?:\s?(\[".{1,2000}"\]),?$/
      .exec(line)?.[1];
  if (list === undefined) return [];
  try {
    const said: unknown[] = JSON.parse(list);
    return said.filter((text) => typeof text === "string").slice(0, 8);
  } catch {
    return [];
  }
}

/** What libraries print to the console before they end a process. */
const printed =
  /^dyld(?:\[\d{1,9}\])?: (?:Library not loaded|terminating because inserted dylib|Symbol not found|missing symbol called|lazy symbol binding failed|symbol .{1,80} not found)|\bmalloc: (?:\*{3} )?(?:mach_vm_map|mmap\(size=|error for object|set a breakpoint|Incorrect checksum for freed object|Incorrect guard value|Heap corruption detected|[Dd]ouble free|Region cookie corrupted|Non-aligned pointer|can't allocate region)|^\*{3} error for object 0x|^Assertion failed: \(.{1,300}\), function|(?:^|\.dylib: |\.swift:\d{1,6}(?::\d{1,5})?: )(?:Fatal error(?!: (?:exception [A-Z]|can't |can\u2019t |'.{1,200}' file not found))|Precondition failed): \S|^(?:\S{1,100}\[\d{1,9}\]: )?(?:\[access\] )?This app has crashed because it attempted to access privacy-sensitive data|^(?:Fatal: )?This application failed to start because |^Unhandled [Ee]xception[.:] \S|^thread '.{1,100}' (?:\(\d{1,12}\) )?panicked at |^thread '.{1,100}' (?:\(\d{1,12}\) )?has overflowed its stack$|^Fatal Python error: |^FATAL ERROR: |^\[\d{1,7}:(?:\d{1,12}:)?\d{4}\/\d{6}\.\d{3,6}:FATAL:|^Modifications to the layout engine must not be performed|^This application is modifying the autolayout engine from a background thread|^(?:Dyld Message: )(?:Library not loaded|Symbol not found)|^(?:\S.{0,100} )?\*{3} [-+]\[\w.{1,300}\]: message sent to deallocated instance 0x|^\*{3} Assertion failure in (?:[-+]\[.{1,200}\]|\w.{0,200}), .{1,300}:\d{1,7}$|^Process \d{1,9}: \d{1,9} leaks? for \d{1,15} total leaked bytes\.$|^ASSERT(?: failure in .{1,200})?: ".{1,300}"(?:, | in )file .{1,300}, line \d|^objc\[\d{1,9}\]: (?:[-+]\[\w{1,200} initialize\] may have been in progress|Attempt to use|Method cache|Invalid|autorelease pool)/;
