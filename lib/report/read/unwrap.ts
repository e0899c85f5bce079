/** Undoing what mail, issue trackers and editors do to reports that people paste: quoting, Markdown, HTML,
 * RTF, doubled line ends, double spacing. Everything here takes linear time. */

/** Number of characters that are looked at to tell what was done. */
const PROBED = 1 << 14;

/** A text without its wrapping, and what was undone. */
export interface Unwrapped {
  readonly text: string;
  /** In words, for a warning. */
  readonly undone: readonly string[];
}

/** Undoes wrapping; returns the same text when there is none. */
export function unwrap(text: string): Unwrapped {
  const undone: string[] = [];
  let result = text;
  // Most reports are not wrapped: the first lines tell that quickly.
  if (!isSuspicious(text.slice(0, 3000))) return { text, undone };
  const step = (
    what: string,
    applies: (head: string) => boolean,
    change: (text: string) => string,
  ): void => {
    if (!applies(result.slice(0, PROBED))) return;
    const changed = change(result);
    if (changed === result) return;
    result = changed;
    undone.push(what);
  };
  step("RTF", (head) => head.startsWith("{\\rtf"), plainRtf);
  step(
    "CR CR LF line ends",
    (head) => head.includes("\r\r\n"),
    (all) => all.replaceAll("\r\r\n", "\r\n"),
  );
  step("HTML", isHtml, plainHtml);
  for (let level = 0; level < 3; level++) step("quoting", isQuoted, unquote);
  step("quoting", isPartlyQuoted, unquoteAny);
  step("log prefixes", isLogged, unlogged);
  step("line numbers", isNumbered, unnumbered);
  step("list marks", isListed, unlisted);
  step("backquotes", isTicked, unticked);
  step("a Markdown table", isTable, untabled);
  step("joined lines", isJoined, split);
  step("double spacing", isDoubleSpaced, singleSpaced);
  step("indentation", isIndented, dedent);
  return { text: result, undone: [...new Set(undone)] };
}

/** Whether a text may be wrapped, by its first lines: most are not, and this is quick. */
function isSuspicious(head: string): boolean {
  if (head.startsWith("{\\rtf") || head.startsWith(">") || head.includes("\n>")) return true;
  if (head.includes("\r\r\n") || head.includes("\n >")) return true;
  if (isLogged(head) || isPartlyQuoted(head) || isTable(head) || isJoined(head)) return true;
  if (isTicked(head) || isListed(head) || isNumbered(head)) return true;
  if (head.includes("&") && isHtml(head) || head.includes("<") && isHtml(head)) return true;
  for (const name of ["Process:", "Exception Type:"]) {
    const at = head.indexOf(name);
    if (at < 0) continue;
    // Neither is ever indented, and a line follows each.
    if (at > 0 && /[ \t]/.test(head[at - 1])) return true;
    if (
      /^[^\r\n]{0,300}\r?\n[ \t]*\r?\n[^\r\n]{1,300}\r?\n[ \t]*\r?\n/.test(head.slice(at, at + 800))
    ) {
      return true;
    }
  }
  return false;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Control words that end a line. */
const rtfBreaks = new Set(["par", "line", "pard"]);

/** The text of an RTF document: escapes resolved, control words and the groups of its header dropped. */
function plainRtf(rtf: string): string {
  const parts: string[] = [];
  let depth = 0;
  /** The depth at which a group without text began; -1 outside of one. */
  let hidden = -1;
  for (let at = 0; at < rtf.length; at++) {
    const letter = rtf[at];
    if (letter === "{") {
      depth++;
      if (
        hidden < 0 && /^\{\\(?:\*|fonttbl|colortbl|stylesheet|info)/.test(rtf.slice(at, at + 16))
      ) {
        hidden = depth;
      }
    } else if (letter === "}") {
      if (depth === hidden) hidden = -1;
      depth--;
    } else if (letter === "\\") {
      const next = rtf[at + 1] ?? "";
      if (next === "\n" || next === "\r") {
        if (hidden < 0) parts.push("\n");
        at++;
      } else if (next === "'") {
        const code = parseInt(rtf.slice(at + 2, at + 4), 16);
        if (hidden < 0 && !Number.isNaN(code)) parts.push(String.fromCharCode(code));
        at += 3;
      } else if (/[a-zA-Z]/.test(next)) {
        const word = /^\\([a-zA-Z]{1,32})(-?\d{1,10})? ?/.exec(rtf.slice(at, at + 48))!;
        if (hidden < 0 && word[1] === "u" && word[2] !== undefined) {
          parts.push(String.fromCharCode(Number(word[2]) & 0xffff));
        } else if (hidden < 0 && word[1] === "tab") parts.push("\t");
        else if (hidden < 0 && rtfBreaks.has(word[1]) && word[1] !== "pard") parts.push("\n");
        at += word[0].length - 1;
      } else {
        if (hidden < 0) parts.push(next);
        at++;
      }
    } else if (hidden < 0 && letter !== "\n" && letter !== "\r") parts.push(letter);
  }
  return parts.join("");
}

const entities: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);

/** Names of elements; UUIDs in angle brackets are none. */
const tag =
  /<\/?(?:html|head|body|pre|code|div|p|br|span|a|b|i|em|strong|table|tr|td|th|tbody|ul|li|ol|h[1-6]|font|blockquote|details|summary|meta|title|hr)(?:\s[^<>]{0,1000})?\/?>/gi;

function isHtml(head: string): boolean {
  return /&(?:lt|gt|amp|quot|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,4});/.test(head) ||
    /<(?:pre|html|body|code|br)\b[^<>]{0,200}>/i.test(head);
}

function plainHtml(text: string): string {
  const plain = text.replace(/<br\s{0,4}\/?>(?:\r?\n)?|<\/(?:p|div|tr|li)>/gi, "\n").replace(
    tag,
    "",
  );
  return plain.replace(/&(\w{2,6}|#\d{2,6}|#x[0-9a-fA-F]{2,5});/g, (whole, name: string) => {
    if (name.startsWith("#")) {
      const code = name[1] === "x" ? parseInt(name.slice(2), 16) : Number(name.slice(1));
      return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : whole;
    }
    return entities.get(name) ?? whole;
  });
}

/** Whether most lines begin with `>`. */
function isQuoted(head: string): boolean {
  let quoted = 0;
  let others = 0;
  for (const line of linesOf(head)) {
    if (/^ {0,3}>/.test(line)) quoted++;
    else if (line.trim() !== "") others++;
  }
  return quoted > 3 && quoted > others;
}

/** Lines of reports behind a mark of quoting, of a comment or of a frame drawn in text. */
const marked =
  /^ {0,3}[>|#] {0,12}(?:Process|Exception Type|Exception Codes|Termination Reason|Crashed Thread|Date\/Time): {1,40}\S/m;

/** The same lines without a mark. */
const unmarked =
  /^(?:Process|Exception Type|Exception Codes|Termination Reason|Crashed Thread|Date\/Time):/m;

/** Whether a report is quoted that only a part of the text is. */
function isPartlyQuoted(head: string): boolean {
  return marked.test(head) && !unmarked.test(head);
}

/** Fields of a header behind a mark of a list, or a line's number. */
const listed =
  /^ {0,8}[-*+\u2022] {1,4}`?(?:Process|Exception Type|Exception Codes|Termination Reason|Date\/Time): {1,40}\S/m;
const numbered =
  /^ {0,8}\d{1,5}[:.|)]?[ \t]{1,8}(?:Process|Exception Type|Exception Codes|Termination Reason|Date\/Time): {1,40}\S/m;
/** A line in backquotes, as Markdown has code within a line. */
const ticked = /^ {0,8}(?:#{1,6} )?`([^`\n]{1,4000})` {0,4}$/;

/** Whether each line is in backquotes. */
function isTicked(head: string): boolean {
  if (!/^ {0,8}`[^`\n]/m.test(head)) return false;
  const lines = linesOf(head).filter((line) => line.trim() !== "");
  const count = lines.filter((line) => ticked.test(line)).length;
  return count > 5 && count * 3 > lines.length * 2;
}

function unticked(text: string): string {
  return linesOf(text).map((line) => ticked.exec(line)?.[1] ?? line).join("\n");
}

/** Whether each line is an entry of a list. */
function isListed(head: string): boolean {
  return listed.test(head) && !unmarked.test(head);
}

function unlisted(text: string): string {
  return linesOf(text).map((line) => line.replace(/^ {0,8}[-*+\u2022] {1,4}(?=\S)/, "")).join("\n");
}

/** Whether each line has its number before it, as in listings of files. */
function isNumbered(head: string): boolean {
  if (!numbered.test(head) || unmarked.test(head)) return false;
  let last = -1;
  let run = 0;
  for (const line of linesOf(head)) {
    const digits = /^ {0,8}(\d{1,5})(?!\d)/.exec(line)?.[1];
    run = digits !== undefined && Number(digits) === last + 1 ? run + 1 : 0;
    if (run > 4) return true;
    last = digits === undefined ? -1 : Number(digits);
  }
  return false;
}

function unnumbered(text: string): string {
  return linesOf(text).map((line) => line.replace(/^ {0,8}\d{1,5}(?:[:.|)](?: |\t|$)|[ \t]|$)/, ""))
    .join(
      "\n",
    );
}

function unquoteAny(text: string): string {
  const mark = marked.exec(text)?.[0].trimStart()[0] ?? ">";
  return linesOf(text).map((line) => {
    const bare = line.trimStart();
    return bare.startsWith(mark) ? bare.slice(1).replace(/^ /, "") : line;
  }).join("\n");
}

function unquote(text: string): string {
  return text.replace(/^ {0,3}> ?/gm, "");
}

/** Fields of a header that follow one another on a line, where line ends were lost. */
const joinedFields =
  /^(?:Process: .{1,300} Path: .{1,400} Identifier: |Exception Type: .{1,60} Exception Codes: .{1,100} (?:Exception Note|Termination \w+|Crashed Thread|Triggered by Thread): |Date\/Time: .{1,60} OS Version: .{1,60} Report Version: )/m;
/** Names of fields, and titles, that begin a line. */
const begins =
  / (?=(?:Process|Path|Identifier|Version|Build Info|Code Type|Parent Process|Responsible|User ID|Date\/Time|Launch Time|OS Version|Report Version|Bridge OS Version|Anonymous UUID|Sleep\/Wake UUID|Time Awake Since Boot|Time Since Wake|System Integrity Protection|Crashed Thread|Triggered by Thread|Exception Type|Exception Codes|Exception Subtype|Exception Note|Termination Signal|Termination Reason|Terminating Process|Application Specific Information|Role|Coalition|Hardware Model|CrashReporter Key|Binary Images|Thread \d{1,3}(?: Crashed)?:): ?)/g;
const joinedFrame = / (?=\d{1,3} {1,4}\S{2,80} {1,40}0x[0-9a-f]{8,16}(?: |$))/g;

/** A stack whose frames follow one another on a line. */
const joinedFrames =
  /^[ \t]{0,4}0 {1,4}\S{2,80} {1,40}0x[0-9a-f]{8,16} .{1,400}? 1 {1,4}\S{2,80} {1,40}0x[0-9a-f]{8,16} .{1,400}? 2 {1,4}\S{2,80} {1,40}0x[0-9a-f]{8,16} /m;

/** Whether line ends were lost. */
function isJoined(head: string): boolean {
  if (joinedFrames.test(head)) return true;
  const at = head.indexOf(" Path: ");
  if (at < 0 && !head.includes(" Exception Codes: ") && !head.includes(" OS Version: ")) {
    return false;
  }
  return joinedFields.test(head);
}

function split(text: string): string {
  return linesOf(text).map((line) =>
    line.length < 60 || line.length > 100_000
      ? line
      : line.replace(begins, "\n").replace(joinedFrame, "\n").replace(
        /^Application Specific Information: (?=\S)/m,
        "\nApplication Specific Information:\n",
      ).replace(/ (?=Thread \d{1,3}(?: Crashed)?:: )/g, "\n")
  ).join("\n");
}

/** What NSLog writes before each line: time, process, pid and thread, and Xamarin a level. */
const logPrefix =
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}(?:[+-]\d{4})? \S{1,100}\[\d{1,9}:[0-9a-f]{1,9}\] (?:\w{1,12}: ?)?/;

/** Whether frames have the prefixes of a log. */
function isLogged(head: string): boolean {
  if (!/^\d{4}-\d\d-\d\d |\n\d{4}-\d\d-\d\d /.test(head)) return false;
  return linesOf(head).filter((line) =>
    /^\s*\d{1,3}\s+\S/.test(line.replace(logPrefix, "")) && logPrefix.test(line)
  )
    .length > 2;
}

function unlogged(text: string): string {
  return linesOf(text).map((line) => line.replace(logPrefix, "")).join("\n");
}

/** A frame as a row of a table: `0 | libsystem_kernel.dylib | __pthread_kill + 10`. */
const tableRow =
  /^\|? {0,2}(\d{1,3}) \| {0,2}(\S[^|]{0,100}?) {0,40}\| {0,2}(\S.{0,2000}?)(?: \|)?$/;

/** Whether frames are rows of a table, as web pages of crash reporters are copied. */
function isTable(head: string): boolean {
  if (!/^\|? {0,2}\d{1,3} \| /m.test(head)) return false;
  return linesOf(head).filter((line) => tableRow.test(line)).length > 2;
}

function untabled(text: string): string {
  return linesOf(text)
    .filter((line) => !/^[\s|:-]{1,40}$/.test(line) || !line.includes("--"))
    .map((line) => line.replace(tableRow, "$1 $2 $3"))
    .join("\n");
}

/** Whether an empty line follows each line. */
function isDoubleSpaced(head: string): boolean {
  const lines = linesOf(head).slice(0, 200);
  let pairs = 0;
  let adjacent = 0;
  for (let at = 1; at < lines.length; at++) {
    const empty = lines[at].trim() === "";
    if (lines[at - 1].trim() === "") continue;
    if (empty) pairs++;
    else adjacent++;
  }
  return pairs > 8 && adjacent * 10 < pairs;
}

function singleSpaced(text: string): string {
  const kept: string[] = [];
  let drop = false;
  for (const line of linesOf(text)) {
    if (line.trim() === "" && drop) {
      drop = false;
      continue;
    }
    kept.push(line);
    drop = line.trim() !== "";
  }
  return kept.join("\n");
}

/** Lines that reports never indent. */
const flush =
  /^(?:Incident Identifier|Process|Exception Type|Binary Images|Thread \d{1,7}\b.{0,80}|Date\/Time):?/;

/** Whether a whole report is indented, as in Markdown's code blocks. */
function isIndented(head: string): boolean {
  let indented = 0;
  for (const line of linesOf(head)) {
    if (flush.test(line)) return false;
    if (/^[ \t]/.test(line) && flush.test(line.trimStart())) indented++;
  }
  return indented >= 2;
}

function dedent(text: string): string {
  const lines = linesOf(text);
  const margin = /^[ \t]*/.exec(lines.find((line) => flush.test(line.trimStart())) ?? "")![0];
  return lines.map((line) => line.startsWith(margin) ? line.slice(margin.length) : line).join("\n");
}
