/** Lines of the texts that services for crash reports write: Firebase Crashlytics, Umeng, Bugly and HockeyApp. */

import { parseFrameLine } from "./crash_lines.ts";
import { translated } from "./crash_header.ts";
import { stopOf } from "./debugger.ts";
import type { CrashDraft } from "./crash_draft.ts";
import { nameOrQueue } from "./parts.ts";
import type { ReportException } from "../drafts.ts";
import { noException } from "../report.ts";

/** Reads the lines that only such a service writes. */
export class ServiceReader {
  readonly #draft: CrashDraft;
  /** Whether the text has Firebase Crashlytics' titles. */
  #isCrashlytics = false;

  constructor(draft: CrashDraft) {
    this.#draft = draft;
  }

  /** Titles in Firebase Crashlytics' text: `Crashed: com.apple.main-thread`, `Fatal Exception: NSRangeException`
   * with the reason on the next line, `EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010`. */
  line(written: string): boolean {
    const line = written.charCodeAt(0) === 0x60 ? written.replace(/^`{1,3}/, "") : written;
    if (this.#draft.fatal !== null && this.#draft.fatal === this.#draft.loose) {
      // The title of its stack, and the place that the text of a script's error lacks, are no reason.
      const isTitle = /^(?:com\.apple\.[\w.-]{3,100}|\s*at)\s*$/.test(line);
      const isReason = !isTitle && !/^(?:#?\d{1,4}\.? |Thread ?: )?Crashed: /.test(line);
      this.#draft.remarks.push(
        isReason ? `${this.#draft.fatal}: ${line.replace(/`{1,3}$/, "")}` : this.#draft.fatal,
      );
      this.#draft.fatal = null;
      this.#draft.loose = line;
      if (isReason || isTitle) return true;
    }
    // Numbers precede titles where there are several: `#0. Crashed: …`, `#1. com.apple.NSEventThread`.
    const other = /^#(\d{1,4})\. (?!Crashed: )(\S.{0,200})$/.exec(line);
    if (other !== null && this.#draft.threads.length > 0) {
      const [, number, title] = other;
      const isQueue = title.startsWith("com.apple.");
      this.#draft.begin({
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
      const number = crashed[1] === undefined ? this.#draft.threads.length : Number(crashed[1]);
      // `Crashed: com.apple.main-thread SIGABRT ABORT 0x00000001135c52c6`, on its web page.
      const [title, what = null] = crashed[2].split(/ (?=(?:SIG[A-Z]{2,6}|EXC_[A-Z_]{3,30}) )/, 2);
      // The report's own title, then the thread's.
      const last = this.#draft.threads.at(-1);
      const isAgain = last?.crashed === true && last.frames.length === 0 &&
        (last.queue === title || last.name === title);
      this.#draft.begin({
        index: isAgain ? last.index : number,
        ...(title.startsWith("com.") ? { name: null, queue: title } : { name: title, queue: null }),
        crashed: true,
      });
      if (what !== null && !this.#draft.hasException) {
        this.#draft.raised = raisedIn(what) ??
          (what.startsWith("SIG") ? { ...noException, signal: what.split(" ", 1)[0] } : null);
      }
      return true;
    }
    // Bugly's, with the reason on the next line, and Crashlytics' in another spelling.
    const raisedName = this.#draft.collecting === "header"
      ? /^(?:Fatal Exception (?=[\w.]{3,100}Exception$)|(?=[A-Z]{2,4}[A-Z][A-Za-z]{3,60}Exception$))([\w.]{3,100})$/
        .exec(line)?.[1]
      : undefined;
    if (raisedName !== undefined) {
      this.#draft.fatal = `Fatal Exception: ${raisedName}`;
      this.#draft.loose = this.#draft.fatal;
      return true;
    }
    const fatal = line.indexOf("Fatal Exception: ");
    if (fatal >= 0 && fatal < 20 && line.length > fatal + 17) {
      this.#isCrashlytics = true;
      this.#draft.beginException();
      this.#draft.fatal = line.slice(fatal);
      this.#draft.loose = this.#draft.fatal;
      return true;
    }
    // Xcode's, in prose.
    const stop = this.#draft.hasException
      ? null
      : /^(EXC_[A-Z_]{3,30}) \((code=.{1,200})\)$/.exec(line);
    if (stop !== null) {
      this.#draft.raised ??= stopOf(stop[1], stop[2]);
      return true;
    }
    // Bugly's: `SIGSEGV(SEGV_ACCERR)`.
    const sent = this.#draft.hasException || this.#draft.threads.length > 0
      ? null
      : /^(SIG[A-Z]{2,6}) ?\(([A-Z]{3,4}_[A-Z]{3,12})\)$/.exec(line);
    if (sent !== null) {
      this.#draft.raised ??= { ...noException, signal: sent[1] };
      return true;
    }
    const raised = this.#draft.hasException ? null : raisedIn(line);
    if (raised === null) return false;
    this.#isCrashlytics ||= raised.subtype !== null;
    this.#draft.raised = raised;
    return true;
  }

  /** Takes the title of a further thread in Crashlytics' text, which is nothing but its name or its queue's label:
   * `com.apple.main-thread`, `Plantage : io.flutter.1.ui`. */
  thread(at: number, line: string): boolean {
    if (
      !this.#isCrashlytics || !this.#draft.afterBlank || line.length > 200 ||
      this.#draft.hasException
    ) {
      return false;
    }
    const next = at + 1 < this.#draft.lines.length ? this.#draft.lines.line(at + 1) : "";
    const isTitle = /^[A-Za-z_][^\t]{0,199}$/.test(line) && !/[=]|:$/.test(line) &&
      /^\s{0,8}0\s/.test(next) && parseFrameLine(next) !== null;
    if (!isTitle || /^(?:Thread|Last Exception|Application Specific)\b/.test(line)) return false;
    const [, word = null, title = line] = /^([^:]{2,30}?) ?: (\S.*)$/.exec(line) ?? [];
    const crashed = word !== null && translated.crashed.test(word);
    this.#draft.begin({
      index: this.#draft.threads.length,
      ...nameOrQueue(crashed ? title : line),
      crashed,
    });
    return true;
  }

  /** Takes the reason of an exception before Umeng's stack, with which its text begins: its user info follows, mostly
   * `(null)`, then the parenthesis of an array. */
  reason(at: number, line: string): boolean {
    if (
      !this.#draft.isPiece() || this.#draft.remarks.length > 0 || at + 2 >= this.#draft.lines.length
    ) return false;
    if (
      this.#draft.lines.line(at + 1).trim() !== "(null)" ||
      !/^\s*\({1,2}\s*$/.test(this.#draft.lines.line(at + 2)) || /received signal/i.test(line)
    ) return false;
    this.#draft.remarks.push(`Terminating due to uncaught exception: ${line}`);
    return true;
  }

  /** A frame of HockeyApp's: `-;-[Foo bar];Foo.m;113`, with the class or the image in place of the dash. */
  hockeyFrame(line: string): boolean {
    const match = /^(-|[\w.$+-]{1,100});(\S[^;]{0,1000});([\w.+-]{1,200})?;(\d{1,7})$/.exec(line);
    if (match === null) return false;
    const [, first, method, file, number] = match;
    const isImage = /\.(?:dylib|framework|bundle)$/.test(first) || /^[-+]\[/.test(method);
    if (this.#draft.collecting !== "thread") this.#draft.untitled();
    this.#draft.thread!.frames.push({
      index: this.#draft.thread!.frames.length,
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
}

/** `EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000018`, `EXC_BREAKPOINT 0x00000001d0a801e4` */
function raisedIn(line: string): ReportException | null {
  const match = /^(EXC_[A-Z_]{3,30})(?: (KERN_\w{3,40}|UNKNOWN_\w{1,20}))? (0x[0-9a-fA-F]{1,16})$/
    .exec(line);
  if (match === null) return null;
  const [, type, subtype, address] = match;
  return {
    ...noException,
    type,
    subtype: subtype === undefined ? null : `${subtype} at ${address}`,
  };
}
