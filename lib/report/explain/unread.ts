/** What is said of a thing that a report lacks, where not all of the report could be read. */

import type { CrashReport } from "../report.ts";
import { unique } from "./words.ts";

/** Words of lines that may be the message, the reason or the exception which was not found elsewhere. */
const telling =
  /\b(?:EXC_[A-Z]{3}|SIG[A-Z]{3,4}\b|KERN_[A-Z]{3}|[A-Za-z]\w{0,60}(?:Exception|Error)\b|[Ee]xception\b|[Uu]ncaught|[Uu]nhandled|[Aa]ssert(?:ion|ed)?\b|ASSERT|[Ff]atal|FATAL|[Pp]anic(?:ked)?\b|[Tt]erminat(?:ing|ed)\b|(?<![\w(])[Rr]eason: |\b(?:Termination|Exception) [A-Z][a-z]|[Ee]rror\b|ERROR\b|[Ff]ail(?:ed|ure)\b|CHECK\b|unrecognized selector|out of (?:range|bounds|memory)|[Ii]nvalid\b|[Uu]nexpected(?:ly)?\b|[Pp]recondition|not loaded|not found)/;

/** Marks of headings and of what is set off, and lines that without them say nothing, such as headings of a form. */
const marks = /^\s*\d{1,2}[.)] |[#>*_`\s-]+/g;
const heading = /^(?:\w+ ){0,3}\w*[:?]?$/;

/** What a line has that says anything. */
const words = /\p{L}{3}/u;

/** Most lines that are quoted, and the longest. */
const MOST = 3;
const MAX_QUOTED = 300;

/** What people write around what was printed: to each other, as lists with marks, and as members of JSON; their code, and what
 * other systems and tools printed. */
const prose =
  /(?:^|[ "(])(?:I|I['\u2019](?:m|ve|ll|d)|[Mm]y|[Ww]e|[Yy]ou|[Yy]our|[Pp]lease|[Tt]hanks?)[ ,.!]|^(?:[-*\u2022]|\d{1,2}\.) .*[`*]{1,5} ?\w|^"\w{1,40}"\s?:|\bcore dump\b|\bquit unexpectedly\b|\*\*["'\w]|\bcrash(?:es|ing)\b|\/home\/|^configure: |^0x[0-9a-f]{6,16} |[;{]$|^(?:catch|try|throw|if|for|while) ?[({]|\b(?:[Bb]ell?ow|[Ff]ollowing|[Aa]bove|[Hh]ere) (?:is|are) |^[a-z]{2,12}(?: [A-Za-z]{1,14}[,.]?){6,}$|^Exception Category: \w{1,20}$/;

/** What a log has before its words, of the system or of NSLog. */
const logLine =
  /^\s*(?:[A-Z][a-z]{2}\s{1,2}\d{1,2} [\d:]{8} |\d{4}-\d\d-\d\d [\d:.+]{8,20} ).{0,160}?\[\d{1,9}(?::[0-9a-f]{1,9})?\]:? {0,2}(?:<\w{1,12}>: )?(?:(?:error|critical): )?/;

/** What the system's reporter notes of what it could not ask the kernel or the dynamic linker for, once the process had
 * ended, and what Mono writes of every signal. */
const notes =
  /^(?:(?:thread|task|mach_vm|vm)_\w{2,40}(?:\([A-Z_]{1,40}\))? (?:returned|failed)|dyld_process_\w{2,60} failed)\b|^Got an? \w{3,8} while executing native code|^a fatal error in the mono runtime/;

/** Titles that stand around a report which is printed twice, for people and as JSON. */
const titles = /^(?:Translated Report \(Full Report Below\)|Full Report(?: Below)?)$/;

/** A line of the system's log, with the name and number of the process that wrote it. */
const logged =
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [^\s[\]]{1,100} ([^\s[\]]{1,100})\[(\d{1,10})\](?: \([^)]{1,200}\))? <\w{1,12}>:/;

/** Warnings of damage and of titles that were not understood. */
const damaged = /^the JSON\b.{0,40}\bdamaged\b|^a backtrace's title is not understood/;

/** How sentences say that a report lacks something, how they say it of what was not understood as a whole, and of what is only
 * a part of a report. */
const claims: readonly (readonly [RegExp, string, string?])[] = [
  [/\b(?:is|are) not in (?:the|this) report\b/g, "was not found in what could be read"],
  [
    /\bnot in (?:the|this) report\b/g,
    "not found in what could be read",
    "not in this part of the report",
  ],
  [
    /\bthe report does not (?=say|have|name|list)/g,
    "what could be read of the report does not ",
    "this part of the report does not ",
  ],
  [
    /\bThe report does not (?=say|have|name|list)/g,
    "What could be read of the report does not ",
    "This part of the report does not ",
  ],
  [
    /^The report has stacks, but does not say\b/,
    "What could be read has stacks, but does not say",
    "This part of the report has stacks, but does not say",
  ],
  [
    /\bthe report has no other\b/g,
    "what could be read of the report has no other",
    "this part of the report has no other",
  ],
  [
    /\bThe report has no other\b/g,
    "What could be read of the report has no other",
    "This part of the report has no other",
  ],
  [
    /\bThe report says neither\b/,
    "What could be read says neither",
    "This part of the report says neither",
  ],
  [
    /^The report names neither\b/,
    "What could be read names neither",
    "This part of the report names neither",
  ],
  [
    /^The report only names\b/,
    "What could be read only names",
    "This part of the report only names",
  ],
  [
    /^Only the (header|end) of the report is there: what happened was cut off\.$/,
    "Only the $1 of the report could be read.",
  ],
];

/** Whether a text is only a part of a report, or of a log: it has no header, or not the stack of the thread that crashed. */
function isPart(report: CrashReport): boolean {
  const { format, panic, process, osVersion, codeType, incident, header } = report;
  if ((format !== "crash" && format !== "ips") || panic !== null) return false;
  const isHeadless = process.path === null && process.identifier === null && osVersion === null &&
    codeType === null && incident === null && header === null;
  return isHeadless ||
    (report.exception !== null && report.lastException === null && isStackless(report));
}

/** Whether a line may be of the report: what another process logged is only where it names the report's. */
function isOfReport({ process }: CrashReport, line: string): boolean {
  const match = logged.exec(line);
  if (match === null || process.name === null) return true;
  if (match[1] === process.name) return process.pid === null || process.pid === Number(match[2]);
  const said = line.slice(match[0].length);
  return said.includes(process.name) ||
    (process.identifier !== null && said.includes(process.identifier));
}

/** A sentence with what it says that the report lacks in another form.
 *
 * @param form that of the table
 */
function claimed(text: string, form: 1 | 2): string {
  // What is said of the report names it.
  if (!text.includes("report")) return text;
  let told = text;
  for (const row of claims) if (row[form] !== undefined) told = told.replace(row[0], row[form]);
  return told;
}

/** Whether nothing is there of the crashed thread but its registers. */
function isStackless({ crashedThread }: CrashReport): boolean {
  return crashedThread === null || crashedThread.frames.length === 0;
}

/** Sentences, of which those that say that the report lacks something are held against what could not be read of it: then
 * they say only that it was not found, and lines that may have it are quoted.
 *
 * @returns as many sentences, and one more where lines are quoted
 */
export function asRead(report: CrashReport, sentences: readonly string[]): string[] {
  const { unread, warnings } = report;
  const left = unread.filter((line) =>
    words.test(line) && !notes.test(line.trim()) && !titles.test(line.trim()) &&
    isOfReport(report, line) && !heading.test(line.replace(marks, " ").trim())
  );
  // Of the JSON of other reporters only the members are read that are known.
  const isDamaged = left.length > 0 || warnings.some((text) => damaged.test(text));
  if (!isDamaged && report.format !== "json") {
    return isPart(report) ? sentences.map((text) => claimed(text, 2)) : [...sentences];
  }
  const isWhole = !isDamaged;
  const read = sentences.map((text) => {
    const told = claimed(text, 1);
    return isWhole
      ? told.replaceAll("in what could be read", "in the report")
        .replaceAll("hat could be read of the report", "hat was found in the report")
        .replaceAll("hat could be read", "hat was found in the report")
      : told;
  });
  // What is quoted already was understood elsewhere.
  const quoted = unique(left).filter((line) =>
    telling.test(line) && !prose.test(line) &&
    !sentences.some((text) => text.includes(line.replace(logLine, "").trim()))
  )
    .slice(0, MOST).map((line) =>
      `"${line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line}"`
    );
  const isChanged = read.some((text, at) =>
    text !== sentences[at] || text.includes("The line itself does not say")
  );
  if (isChanged && quoted.length > 0) {
    read.push(`Lines that were not understood: ${quoted.join("; ")}.`);
  }
  return read;
}
