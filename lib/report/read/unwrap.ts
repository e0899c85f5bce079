/** Undoing what mail, issue trackers and editors do to reports that people paste: quoting, Markdown, HTML,
 * RTF, doubled line ends, double spacing. Everything here takes linear time. */

import { cutWidth, isBroken, isBrokenTree, rejoined, rejoinedTree, uncut } from "./rejoin.ts";

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
  const isSystem = isSystemLogged(text.slice(0, LOGGED));
  if (
    !isSystem && !isSuspicious(text.slice(0, 3000)) && cutWidth(text, 3000) === 0 &&
    nativeStack(text) < 0
  ) return { text, undone };
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
  step("the system log's prefixes", () => isSystem, withoutSystemLog);
  step("a log's prefixes", isStamped, unstamped);
  step("times of Flutter's tools", isTimed, (all) => all.replace(timed, ""));
  step("escapes of a string", isEscaped, unescaped);
  step("invisible characters", isMarked, unmark);
  // A property list has entities wherever they are needed, as in the list of images alone.
  step("HTML", (head) => isHtml(head) || isPropertyList(head), plainHtml);
  step("the tracker's markup", isTracker, withoutTracker);
  step("bold type", isBold, unbold);
  step("italics", isItalic, unitalic);
  step("typographic marks", isTypeset, plainMarks);
  for (let level = 0; level < 3; level++) step("quoting", isQuoted, unquote);
  step("quoting", isPartlyQuoted, unquoteAny);
  step("marks at the ends of lines", isContinued, uncontinued);
  step("backquotes", isTicked, unticked);
  step("quotes of a list", isStringList, withoutStrings);
  step("what is before each line", () => prefixIn(result) !== null, unprefixed);
  step("log prefixes", isLogged, unlogged);
  step("line numbers", isNumbered, unnumbered);
  step("list marks", isListed, unlisted);
  step("a Markdown table", isTable, untabled);
  step("a web page's columns", isPaged, unpaged);
  step("the tracker's form", isFiled, unfiled);
  step("double spacing", isDoubleSpaced, singleSpaced);
  const width = cutWidth(result, PROBED);
  step("cut lines", () => width > 0, (all) => uncut(all, width));
  step("broken lines", isBroken, rejoined);
  step("broken lines", isBrokenTree, rejoinedTree);
  step("joined lines", isJoined, split);
  step("joined lines", isTitled, (all) => all.replace(titledFrame, "$1\n$2"));
  step("indentation", isIndented, dedent);
  return { text: result, undone: [...new Set(undone)] };
}

/** A field as reports have it: where one is, nothing is before the lines of a text or behind them. */
const plainField = /^(?:Incident Identifier|Process): {1,20}[^\s\u00a0][^\n\\]*$/m;

/** Whether a text may be wrapped, by its first lines: most are not, and this is quick. */
function isSuspicious(head: string): boolean {
  if (head.startsWith("{\\rtf") || head.startsWith(">") || head.includes("\n>")) return true;
  if (head.includes("\r\r\n") || head.includes("\n >")) return true;
  if (isLogged(head) || isPartlyQuoted(head) || isTable(head) || isJoined(head)) return true;
  if (isStringList(head)) return true;
  if (isTicked(head) || isListed(head) || isNumbered(head) || isPaged(head)) return true;
  if (isTimed(head) || isFiled(head) || isStamped(head) || isItalic(head)) return true;
  if (isTracker(head) || isTypeset(head) || isBroken(head) || isTitled(head)) return true;
  if (isBrokenTree(head)) return true;
  if (
    !plainField.test(head) &&
    (isEscaped(head) || isMarked(head) || isBold(head) || isContinued(head) ||
      prefixOf(head) !== null)
  ) return true;
  if (
    isPropertyList(head) || head.includes("&") && isHtml(head) || head.includes("<") && isHtml(head)
  ) return true;
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

/** A first frame behind the title of its stack, where the next line has the second: `Stack trace: 0 CoreFoundation 0x01f2 …`. */
const titledFrame =
  /((?:[Ss]tack ?trace|[Cc]all stack(?: at first throw)?):[ \t]{0,4}[([]?)[ \t]{1,4}(0[ \t]{1,8}[A-Za-z][\w.+ -]{1,80}?[ \t]{1,40}0x[0-9a-fA-F]{6,16} [^\n]{1,300}\n[ \t]{0,8}1[ \t])/g;

function isTitled(head: string): boolean {
  return /(?:race|tack|throw):[ \t]{0,4}[([]?[ \t]{1,4}0[ \t]/.test(head) &&
    head.search(titledFrame) >= 0;
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

/** Whether a report is a string of a property list. */
function isPropertyList(head: string): boolean {
  return head.includes("<plist") && /<plist\b[^<>]{0,100}>\s{0,40}<dict>/.test(head);
}

function plainHtml(text: string): string {
  // Wikis make a link of what stands in brackets: a method, here with its sign before it.
  const plain = text.replace(
    /([-+])<a>([A-Za-z_]\w{0,100}(?:\(\w{1,60}\))?\s[\w:.]{1,300})<\/a>/g,
    "$1[$2]",
  )
    .replace(/<br\s{0,4}\/?>(?:\r?\n)?|<\/(?:p|div|tr|li)>/gi, "\n").replace(
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
  // Here and below: nearly all texts have a line without a mark, and soon.
  return !unmarked.test(head) &&
    (marked.test(head) || !unmarkedFrame.test(head) && markedFrames.test(head));
}

/** Frames behind a mark of quoting, and one without. */
const markedFrames =
  /(?:^ {0,3}> ?\d{1,3}[ \t]{1,8}\S.{0,100}[ \t]0x[0-9a-f]{5,16}\b.{0,2000}\n){2}/m;
const unmarkedFrame = /^ {0,8}\d{1,3}[ \t]{1,8}\S.{0,100}[ \t]0x[0-9a-f]{5,16}\b/m;

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

/** A frame as an array's description has it: `    "3   Cart   0x0000000104c0a1b8 main + 44",`. A copy may end within it. */
const stringFrame =
  /^[ \t]{0,12}"(\d{1,3} {1,4}\S[^"\n]{0,1500}0x[0-9a-f]{6,16}[^"\n]{0,1500})(?:"\)?,?)?[ \t]{0,4}$/;

/** Whether the frames of a stack are strings of a list. */
function isStringList(head: string): boolean {
  return /^[ \t]{0,12}"\d{1,3} {1,4}\S/m.test(head) &&
    linesOf(head).filter((line) => stringFrame.test(line)).length > 2;
}

function withoutStrings(text: string): string {
  return linesOf(text).map((line) => stringFrame.exec(line)?.[1] ?? line).join("\n");
}

/** Whether each line is an entry of a list. */
function isListed(head: string): boolean {
  return !unmarked.test(head) && listed.test(head);
}

function unlisted(text: string): string {
  return linesOf(text).map((line) => line.replace(/^ {0,8}[-*+\u2022](?: |$)/, "")).join("\n");
}

/** Whether each line has its number before it, as in listings of files. */
function isNumbered(head: string): boolean {
  if (unmarked.test(head) || !numbered.test(head)) return false;
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

/** Line ends as strings of JSON and of programs have them. */
const escapedEnd =
  /\\n(?:\\t| {0,4})(?:Exception Type|Date\/Time|Crashed Thread|OS Version): {1,20}\S/;

/** Members of an `.ips` report within a string. */
const escapedMember = /\\"(?:bug_type|procName|faultingThread|usedImages)\\"\s?:/;
const plainMember = /(?<!\\)"(?:bug_type|procName|faultingThread|usedImages)"\s?:/;

/** Whether a text is a string, with its line ends as escapes. */
function isEscaped(head: string): boolean {
  if (escapedMember.test(head) && !plainMember.test(head)) return true;
  const at = head.indexOf("\\n");
  return at >= 0 && escapedEnd.test(head) &&
    // Those of a program's source have the line ends as well.
    !/\\n(?:\\|")\r?\n/.test(head);
}

const escapes: ReadonlyMap<string, string> = new Map([["n", "\n"], ["t", "\t"], ["r", ""]]);

/** Characters of a string that may be before its field that is known. */
const MAX_LEAD = 1 << 14;

function unescaped(all: string): string {
  const known = (escapedEnd.exec(all) ?? escapedMember.exec(all)!).index;
  // The string may be a member of a document.
  let start = known;
  while (start > Math.max(0, known - MAX_LEAD)) {
    if (all[start] === '"' && all[start - 1] !== "\\") break;
    start--;
  }
  let end = -1;
  if (all[start] === '"') {
    end = start;
    do end = all.indexOf('"', end + 1); while (end > 0 && all[end - 1] === "\\");
  }
  const text = all[start] !== '"' ? all : all.slice(start + 1, end < 0 ? undefined : end);
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|([ntr"'\\/]))/g,
    (_, code: string | undefined, letter: string) =>
      code === undefined ? escapes.get(letter) ?? letter : String.fromCharCode(parseInt(code, 16)),
  );
}

/** Blanks of other widths, and characters that show nothing. */
const marks = /[\u00a0\u2007\u202f\u200b-\u200f\u2060]/;

/** Whether the blanks of a report are others than its writer's. */
function isMarked(head: string): boolean {
  return marks.test(head) &&
    /(?:\u200b|\u200e|\u2060)\s{0,4}(?:Process|Thread|Exception)|(?:Process|Exception Type|Exception Codes|OS Version):[\u00a0\u2007\u202f]/
      .test(head);
}

function unmark(text: string): string {
  return text.replace(/[\u00a0\u2007\u202f]/g, " ").replace(/[\u200b-\u200f\u2060]/g, "");
}

const trackerMark = /\{(?:code|noformat|quote|panel|html)(?::[^{}\n]{0,200})?\}/g;

/** Whether a text has the marks that Jira puts around code. */
function isTracker(head: string): boolean {
  return /\{(?:code|noformat|quote|panel|html)/.test(head) && head.search(trackerMark) >= 0;
}

function withoutTracker(text: string): string {
  return text.replace(trackerMark, "\n");
}

/** A field's name or a heading between asterisks or underscores: `**Process**:`, `*Dyld Error Message:*`. */
const boldField = /^ {0,4}([*_]{1,3})([A-Z][\w /-]{2,40}):?\1(?!\w):?/gm;
/** A mark before what nothing but a report has, with or without one behind it. */
const boldKnown =
  /^ {0,4}[*_]{1,3}(?=(?:Dyld Error Message|Exception Type|Exception Codes|Termination Reason|Crashed Thread|Binary Images|Thread \d{1,4} Crashed|Application Specific Information|Last Exception Backtrace)(?::|[*_]{1,3}))/gm;

/** Whether the names of fields are in bold type. */
function isBold(head: string): boolean {
  return (head.includes("*") || head.includes("__")) &&
    (head.search(boldKnown) >= 0 || [...head.matchAll(boldField)].length > 2);
}

function unbold(text: string): string {
  // A paragraph in italics ends with the mark that it begins with.
  const isWithin = isItalic(text);
  return text.replace(boldField, "$2:")
    .replace(boldKnown, (mark) => isWithin && mark.trim() === "*" ? mark : "");
}

/** A paragraph that begins with a field and is between two asterisks, or begins with one. */
const italicFields =
  /^\*(?=[A-Z][\w /-]{2,40}:)((?:[^\n]{1,400}\n){0,60}?[^\n]{0,400}?)\*(?=\s*(?:\n\s*\n|$(?![^])))/gm;
const italicField = /^\*(?=[A-Z][\w /-]{2,40}:)/gm;

/** Whether paragraphs of fields are in Markdown's italics. */
function isItalic(head: string): boolean {
  return head.includes("*") && [...head.matchAll(italicField)].length > 2;
}

function unitalic(text: string): string {
  return text.replace(italicFields, "$1").replace(italicField, "");
}

/** Whether an editor made other marks of quotes and of two hyphens. */
function isTypeset(head: string): boolean {
  return /[\u2013-\u201d]/.test(head) &&
    /[\u201c\u201d](?:bug_type|procName|exception|termination|threads|usedImages)[\u201c\u201d]\s?:|^ {0,8}[\u2014\u2013]-{0,2}> {1,4}|exception [\u2018\u2019]|reason: [\u2018\u2019]/m
      .test(
        head,
      );
}

function plainMarks(text: string): string {
  return text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"').replace(
    /^( {0,8})[\u2014\u2013](?=-{0,2}>)/gm,
    "$1--",
  );
}

/** What ends each line of a string in a program's source, or of a paragraph in Markdown. */
const continued = /(?:(?:\\n){1,8}(?:\\|"[,;]?)?|\\)[ \t]{0,4}$/;

/** Whether most lines end so. */
function isContinued(head: string): boolean {
  if (!/\\(?:n"?[,;]?)?[ \t]{0,4}\r?\n/.test(head)) return false;
  const lines = linesOf(head).filter((line) => line.trim() !== "");
  return lines.filter((line) => continued.test(line)).length * 2 > lines.length;
}

function uncontinued(text: string): string {
  return linesOf(text).map((line) => line.replace(continued, "").replace(/^ {0,8}@?"(?=\S|$)/, ""))
    .join("\n");
}

/** Lines by which what is before each line is found. */
const anchor =
  /^(.{0,160}?)(?:(?:Process|Identifier|Code Type|Parent Process|Date\/Time|OS Version|Report Version|Exception Type|Exception Codes|Termination Reason|Crashed Thread|Triggered by Thread): {1,40}\S|Thread \d{1,5} (?:Crashed|name):|at [A-Za-z][\w.+<>`/]{2,200} ?\([^()]{0,400}\) \[0x|(?<!\d)(\d{1,3}) {1,4}[A-Za-z?][\w.+ -]{1,60}?\s{1,40}0x[0-9a-f]{6,16} \S)/;

/** The pattern of what is before each line of a report, as in logs, listings and comments; `null` where the lines are as
 * they were. */
function prefixOf(head: string): RegExp | null {
  const counts = new Map<string, number>();
  let spaces = Infinity;
  let total = 0;
  for (const line of linesOf(head)) {
    const before = line.length > 4000 ? null : anchor.exec(line)?.[1] ?? null;
    if (before === null) continue;
    // Where some have nothing before them, the others have it by chance.
    if (before.trim() === "") {
      if (++total > 2) return null;
      continue;
    }
    const body = before.trimEnd();
    spaces = Math.min(spaces, before.length - body.length);
    const shape = body.trimStart().replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(
      /\d+/g,
      "\\d{1,12}",
    )
      // Each line of a log may have a level of its own.
      .replace(/<[A-Z][a-z]{2,11}>/g, "<\\w{1,12}>").replace(/\s+/g, "\\s{1,8}");
    if (counts.size < 40) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best === undefined || best[1] < 3
    ? null
    : new RegExp(`^[ \\t]{0,12}${best[0]}[ \\t]{0,${spaces}}`);
}

/** Where Mono's native stack begins, behind its managed one, whose lines are long; -1 without one. */
function nativeStack(text: string): number {
  return text.slice(0, LOGGED).indexOf("ative stacktrace:");
}

/** The pattern of what is before each line of a text, by its first lines or by those of Mono's native stack. */
function prefixIn(text: string): RegExp | null {
  const at = nativeStack(text);
  return prefixOf(text.slice(0, PROBED)) ?? (at < 0 ? null : prefixOf(text.slice(at, at + PROBED)));
}

function unprefixed(text: string): string {
  const prefix = prefixIn(text);
  return prefix === null ? text : linesOf(text).map((line) => line.replace(prefix, "")).join("\n");
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
  /^(?:Process: .{1,300} Path: .{1,400} Identifier: |Exception Type: .{1,60} Exception (?:Codes|Subtype): .{1,200} (?:Exception \w+|Termination \w+|Crashed Thread|Triggered by Thread|Application Specific Information|VM Regions? [\w ]{1,40}|Dyld Error Message|Thread \d{1,3}(?: Crashed)?:?): |Date\/Time: .{1,60} OS Version: .{1,60} Report Version: )/m;
/** Names of fields, and titles, that begin a line, but for those that end with another's name. */
const begins =
  /(?<!\b(?:Parent|Terminating|OS|Report|Bridge)) (?=(?:Incident Identifier|Crash Reporter Key|Release Type|Process|Path|Identifier|Version|Build Info|Code Type|Parent Process|Responsible|User ID|Date\/Time|Launch Time|OS Version|Report Version|Bridge OS Version|Anonymous UUID|Sleep\/Wake UUID|Time Awake Since Boot|Time Since Wake|System Integrity Protection|Crashed Thread|Triggered by Thread|Exception Type|Exception Codes|Exception Subtype|Exception Note|Termination Signal|Termination Reason|Terminating Process|Application Specific Information|Dyld Error Message|VM Region Info|Last Exception Backtrace|Role|Coalition|Hardware Model|CrashReporter Key|Binary Images|Thread \d{1,3}(?: Crashed| name)?): ?)/g;
const joinedFrame =
  / (?=\d{1,3} {1,4}(?:\S{2,80}[ \t]{1,40}|[A-Za-z][A-Za-z .+-]{1,60}\t {0,20})0x[0-9a-f]{8,16}(?: |$))|(?<=\+ \d{1,9}) (?=\d{1,3} {2,4}[A-Za-z]\S{1,80}[ \t]{0,40}$)/g;

/** A stack whose frames follow one another on a line. */
const joinedFrames =
  /^[ \t]{0,4}0 {1,4}\S{2,80}[ \t]{1,40}0x[0-9a-f]{8,16} .{1,400}? 1 {1,4}\S{2,80}[ \t]{1,40}0x[0-9a-f]{8,16} .{1,400}? 2 {1,4}\S{2,80}[ \t]{1,40}0x[0-9a-f]{8,16} /m;

/** An exception's line that goes on with the title of its backtrace. */
const joinedThrow = /Terminating app due to [^\n]{1,4000}\S \*{0,3} ?First throw call stack:/;
/** The parts of such a line. */
const throwParts =
  / (?=\*{0,3} ?First throw call stack:)|(?<=First throw call stack:) (?=\()|(?<=\)) (?=libc\+\+abi)/g;

/** Whether line ends were lost. */
function isJoined(head: string): boolean {
  if (joinedFrames.test(head) || joinedThrow.test(head)) return true;
  const at = head.indexOf(" Path: ");
  if (
    at < 0 && !head.includes(" Exception Codes: ") && !head.includes(" Exception Subtype: ") &&
    !head.includes(" OS Version: ")
  ) return false;
  return joinedFields.test(head);
}

function split(text: string): string {
  return linesOf(text).map((line) =>
    line.length < 60 || line.length > 100_000
      ? line
      : line.replace(throwParts, "\n").replace(begins, "\n").replace(joinedFrame, "\n").replace(
        /^(Application Specific Information|Dyld Error Message): (?=\S)/gm,
        "\n$1:\n",
      ).replace(/ (?=Thread \d{1,3}(?: Crashed)?:: )/g, "\n")
  ).join("\n");
}

/** Characters of a text in which lines of the system's log are looked for. */
const LOGGED = 1 << 16;

/** What the system's log has before each line, of syslogd's with the process: `Mar 21 16:08:19 host ReportCrash[77] <Error>: `,
 * or of the unified log as `log show` and Console write it: `2026-01-02 03:04:05.678901+0100 0x1f Error 0x0 77 0 ReportCrash: `. */
const systemLog =
  /^[ \t]{0,12}(?:(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?: \d{4})? \S{1,100} ([\w./:-]{1,100})(?:\([\w. -]{1,60}\))?\[[\dx]{1,10}\](?:\[\d{1,9}\])?(?: <\w{1,12}>)?: ?|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}[+-]\d{4} +0x[0-9a-f]{1,9} +\w{1,10} +0x[0-9a-f]{1,9} +\d{1,9} +\d{1,4} +([\w./-]{1,60}): )(?:\([\w. -]{1,60}\) )?/;

/** Whether the system's crash reporter wrote a report to the system's log, line by line. */
function isSystemLogged(head: string): boolean {
  return head.includes("ReportCrash") &&
    /ReportCrash(?:\([\w. -]{1,60}\))?(?:\[\d{1,10}\](?: <\w{1,12}>)?)?: {1,2}(?:\([\w. -]{1,60}\) )?(?:Process|Exception Type): {1,40}\S/
      .test(head);
}

/** The lines of the crash reporter, without what the log has before them; those of other processes between them are
 * left out. */
function withoutSystemLog(text: string): string {
  const lines: string[] = [];
  for (const line of linesOf(text)) {
    const match = systemLog.exec(line.slice(0, 400));
    if (match === null) lines.push(line);
    else if ((match[1] ?? match[2]) === "ReportCrash") {
      lines.push(line.slice(match[0].length).trimEnd());
    }
  }
  return lines.join("\n");
}

/** What logs have before the first line of a message: a copy of Console's rows, with the process; Android's log, and what
 * Flutter's tool makes of it; times of build servers and of loggers. The other lines of a message have nothing. */
const stamp =
  /^[ \t]{0,12}(?:(?:\d{1,7}\t)?(?:default|info|debug|error|fault|notice)\t(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\.\d{3,9}(?:[+-]\d{4})?\t([\w.-]{1,60})\t|(ReportCrash)\t|[VDIWEF]\/[\w.-]{1,40} {0,8}\( {0,8}\d{1,7}\): |\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {1,4}\d{1,7} {1,4}\d{1,7} [VDIWEF] [\w.-]{1,40} {0,8}: |\[ {1,8}(?:\+ {0,6}\d{1,7} m?s)?\] |flutter: |\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d)?\]?[:|]? (?!\S{1,100}\[\d{1,9}:[0-9a-f]{1,9}\] )|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?[:|]? )/;

/** Lines of a report that nothing is before. */
const startsLine =
  /^(?:(?:Process|Exception Type|Exception Codes|Termination Reason|Crashed Thread|Triggered by Thread): {1,40}\S|Thread \d{1,5}(?: Crashed)?:|Thread \d{1,5} (?:name:|Crashed)|\*\*\* (?:Terminating app|First throw)|\d{1,3} {1,4}[A-Za-z?][\w.+ -]{1,60}?\s{1,40}0x[0-9a-f]{6,16} \S)/;

/** Prefixes of lines of a report from which on they are a log's. */
const MIN_STAMPED = 2;

/** The lines of a report that have a log's prefix before them: the processes that wrote them, and their number. */
function stampsOf(head: string): { readonly count: number; readonly writers: ReadonlySet<string> } {
  const writers = new Set<string>();
  let count = 0;
  for (const line of linesOf(head)) {
    const match = stamp.exec(line.slice(0, 300));
    if (match === null || !startsLine.test(line.slice(match[0].length, 400))) continue;
    count++;
    const writer = match[1] ?? match[2];
    if (writer !== undefined) writers.add(writer);
  }
  return { count, writers };
}

/** Whether lines of a report have a log's prefix. */
function isStamped(head: string): boolean {
  return stampsOf(head).count >= MIN_STAMPED;
}

/** The mark of Console where a message is too long. */
const cutMark = /<(?:\u2026|\.\.\.)>$/;

function unstamped(text: string): string {
  const { writers } = stampsOf(text.slice(0, PROBED));
  const lines: string[] = [];
  for (const line of linesOf(text)) {
    const match = stamp.exec(line.slice(0, 300));
    const writer = match?.[1] ?? match?.[2];
    if (writer !== undefined && !writers.has(writer)) continue;
    const rest = match === null ? line : line.slice(match[0].length);
    // Of an address that is cut nothing can be said.
    if (cutMark.test(rest) && !/0x[0-9a-f]{6,16}\s\S/.test(rest)) continue;
    lines.push(rest.replace(cutMark, ""));
  }
  return lines.join("\n");
}

/** What Flutter's tools write before each line of a verbose log: the time since the last one. Flutter,
 * packages/flutter_tools/lib/src/base/logger.dart. */
const timed = /^\[(?: {8}| {0,4}\+\d{1,6} ?ms)\] ?/gm;

/** Whether lines have such times before them. */
function isTimed(head: string): boolean {
  return /^\[ {8}\] |^\[ {0,4}\+\d{1,6} ?ms\]/m.test(head) && [...head.matchAll(timed)].length > 2;
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

/** A frame as App Center files it in issues: `draw (Cart.m:12);Shop`, `-[Cart draw] (Cart.m:12);Shop`, `main + 24;Shop`. */
const filedFrame =
  /^((?:[-+]\[|[^\s;-])[^;]{0,1000}?(?: \([^();]{1,300}:\d{1,9}\)| \+ \d{1,12})?);([A-Za-z][\w. +-]{0,80})$/;

/** The reason that App Center and HockeyApp file where it is a signal: `SIGSEGV: SEGV_MAPERR at 0x10`. */
const filedSignal = /^(SIG[A-Z]{2,6})(?:: ([A-Z]{3,4}_[A-Z]{3,12} at 0x[0-9a-f]{1,16}))?$/i;

function isFiled(head: string): boolean {
  if (!head.includes("### Stacktrace ###")) return false;
  const lines = linesOf(head);
  return lines.some((line) => filedFrame.test(line)) || filedSignal.test(filedReason(lines));
}

/** Lines of a reason that are kept. */
const MAX_REASON = 80;

function filedReason(lines: readonly string[]): string {
  const reason = lines.indexOf("### Reason ###");
  const after = reason < 0 ? [] : lines.slice(reason + 1);
  const end = after.findIndex((line) => line.startsWith("### "));
  return after.slice(0, Math.min(end < 0 ? after.length : end, MAX_REASON)).join("\n").trim();
}

function unfiled(text: string): string {
  const lines = linesOf(text);
  const why = filedReason(lines);
  const signal = filedSignal.exec(why);
  const raised = /^([A-Z]\w{2,80}Exception): (\S[^\n]{0,2000})$/.exec(why);
  const exception = signal !== null
    ? `Exception Type:  ${signal[1]}${
      signal[2] === undefined ? "" : `\nException Codes: ${signal[2]}`
    }`
    : `Application Specific Information:\n${
      raised === null
        ? why
        : `*** Terminating app due to uncaught exception '${raised[1]}', reason: '${raised[2]}'`
    }`;
  const version = /^### Version:? (\S{1,40}?) ?(?:\((\S{1,40})\))?(?: \|.{1,100})? ?###$/m.exec(
    text,
  );
  const header = version === null
    ? exception
    : `Version:  ${version[1]}${version[2] === undefined ? "" : ` (${version[2]})`}\n${exception}`;
  const frames = lines.map((line) => filedFrame.exec(line)).filter((match) => match !== null);
  // HockeyApp's frames are read as they are.
  if (frames.length === 0) {
    return lines.some((line) =>
        /^(?:<pre>)?[^;\s][^;]{0,200};[^;]{0,400};[^;]{0,200};\d{0,9}(?:<|$)/.test(line)
      )
      ? `${header}\n\n${text}`
      : `${header}\n`;
  }
  return [
    header,
    "",
    "Thread 0 Crashed:",
    ...frames.map(([, symbol, image], index) => `${index}  ${image}  0x0 ${symbol}`),
    "",
  ].join("\n");
}

/** Crashlytics' web page: a frame's number, its image, perhaps its place, and its function are lines of their own. */
const pagedFrames =
  /(?:^|\n)0\r?\n[A-Za-z?][^\n]{0,80}\r?\n(?:[^\n]{1,400} - Line \d{1,9}\r?\n)?[^\s\d][^\n]{1,1000}\r?\n1\r?\n[A-Za-z?][^\n]{0,80}\r?\n[^\s\d]/;

/** The first of them alone, behind what happened. */
const pagedFrame =
  /(?:^|\n)(?:EXC_[A-Z_]{3,20} |Fatal Exception: |Crashed: )[^\n]{0,300}\r?\n0\r?\n[A-Za-z][^\n]{0,80}\r?\n[^\s\d][^\n]{0,1000}? \+ \d{1,12}(?:\r?\n|$)/;

function isPaged(head: string): boolean {
  return /\n0\r?\n/.test(head) &&
    ((/\n1\r?\n/.test(head) && pagedFrames.test(head)) || pagedFrame.test(head));
}

function unpaged(text: string): string {
  const lines = linesOf(text);
  const whole: string[] = [];
  let next = 0;
  for (let at = 0; at < lines.length; at++) {
    const number = lines[at].trim();
    if (number === "0") next = 0;
    const [, image = "", first = "", second = ""] = lines.slice(at, at + 4).map((line) =>
      line.trim()
    );
    const place = /^(\S.{0,400}) - Line (\d{1,9})$/.exec(first);
    const symbol = place === null ? first : second;
    if (number !== String(next) || image === "" || !/^[^\s\d].{1,1000}$/.test(symbol)) {
      whole.push(lines[at]);
      continue;
    }
    whole.push(
      `${number}  ${image}  0x0 ${symbol}${place === null ? "" : ` (${place[1]}:${place[2]})`}`,
    );
    at += place === null ? 2 : 3;
    next++;
  }
  return whole.join("\n");
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
