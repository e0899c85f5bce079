/** What services put into issues of trackers: Sentry's and Bugsnag's own words of an event, with a few lines of its stack. */

import type { ReportException, ReportFrame } from "../drafts.ts";
import { garbagePointer } from "../fault.ts";
import { baseName } from "../images.ts";
import { CrashReport, noException, noHeader, noProcess } from "../report.ts";
import { FrameMaker, type FrameParts, noThreads, threadOf, uncaughtLine } from "./parts.ts";

/** Characters in which such a text is looked for. */
const PROBED = 1 << 16;
/** Most lines between an event's title and its stack. */
const MAX_MESSAGE = 8;
const MAX_FRAMES = 512;

/** Sentry, src/sentry/interfaces/stacktrace.py: Frame.to_string */
const sentryFrame =
  /^[ \t>]{1,8}(?:File "([^"]{1,400})"(?:, line (\d{1,7}))?(?:, col \d{1,7})?|\?), in (\S.{0,1000})$/;
/** The same: what is left out. */
const leftOut = /^[ \t>]{0,8}\((\d{1,6}) additional frame\(s\) were not displayed\)$/;
const eventTitle = /^[ \t>]{0,8}([A-Za-z][\w.:<>]{2,100}(?: [A-Za-z]{2,20}){0,3}): ?(.{0,2000})$/;
/** Source files of what runs on Apple's platforms, which tell such a stack from one of Python. */
const sources = /\.(?:swift|mm?|c|cc|cpp|h|hpp|rs|kt)$|^<compiler-generated>$/;

/** Bugsnag's title of an event, and a line of its stack. */
const bugsnagTitle = /^[ \t>]{0,8}\*\*([A-Za-z][\w.:<>]{2,100})\*\* in \*\*(.{1,600})\*\*$/;
const bugsnagFrame = /^(?: {4}|\t)(\S.{0,300}?):(\d{1,7}) - (\S.{0,1000})$/;

/** An event as a service wrote it. */
interface Written {
  readonly name: string;
  readonly message: string | null;
  /** Innermost first. */
  readonly frames: readonly FrameParts[];
  /** How many frames it says that it left out. */
  readonly omitted: number;
}

/** Whether a text has such an event. */
export function isIssueText(text: string, from: number): boolean {
  return written(text.slice(from, from + PROBED)) !== null;
}

/** Reads such an event. */
export function readIssueText(
  file: string,
  text: string,
  from: number,
  warnings: string[],
): CrashReport {
  const { name, message, frames, omitted } = written(text.slice(from, from + PROBED))!;
  const exception = exceptionOf(name, message);
  const isHang = /^App Hang/.test(name);
  const isUncaught = exception === null && !isHang && /(?:Exception|_error)$/.test(name);
  const stack: ReportFrame[] = new FrameMaker([]).stack(frames);
  const said = message === null || message === "" ? [] : [message];
  return new CrashReport({
    ...noHeader,
    format: "crash",
    file,
    text,
    process: noProcess,
    fields: isHang ? [{ name: "Event", value: "hang" }] : [],
    exception,
    information: exception !== null || isHang
      ? said
      : isUncaught
      ? [uncaughtLine(name, message)]
      : [said.length === 0 ? name : `${name.replace(/^Fatal Error$/, "Fatal error")}: ${message}`],
    threads: stack.length === 0 ? [] : [threadOf(0, {
      crashed: true,
      isNumbered: false,
      frames: stack,
    })],
    lastException: isUncaught && stack.length > 0 ? stack : null,
    warnings: [
      ...warnings,
      ...stack.length === 0 ? [noThreads] : [
        `the service that wrote this shows only some of the frames, mostly those of the program${
          omitted === 0 ? "" : `: ${omitted} are left out`
        }`,
      ],
    ],
  });
}

function written(text: string): Written | null {
  if (text.includes(", in ")) {
    const found = sentryIn(text.split(/\r?\n/));
    if (found !== null) return found;
  }
  return text.includes("** in **") ? bugsnagIn(text.split(/\r?\n/)) : null;
}

function sentryIn(lines: readonly string[]): Written | null {
  const first = lines.findIndex((line) => sentryFrame.test(line));
  if (first < 1) return null;
  let last = first;
  const frames: FrameParts[] = [];
  for (; last < lines.length && frames.length < MAX_FRAMES; last++) {
    const match = sentryFrame.exec(lines[last]);
    if (match === null) break;
    const [, file, line, symbol] = match;
    frames.push({
      address: null,
      symbol,
      file: file === undefined || file.startsWith("<") ? null : file,
      line: line === undefined ? null : Number(line),
    });
  }
  const behind = lines.slice(last, last + 2).map((line) => leftOut.exec(line)).find((match) =>
    match !== null
  );
  // Where it is before the stack, that is outermost first.
  let begin = first - 1;
  if (/^[ \t>]{0,8}\.\.\.$/.test(lines[begin])) begin--;
  const before = leftOut.exec(lines[begin] ?? "");
  if (before !== null) {
    begin--;
    frames.reverse();
  }
  const isSentrys = behind !== undefined || before !== null ||
    lines.some((line) => /^[ \t>]{0,8}(?:Sentry Issue: \[|\?, in \S)/.test(line)) ||
    frames.some(({ file }) => sources.test(file ?? ""));
  if (!isSentrys || lines.some((line) => /^\s{0,8}Traceback \(most recent/.test(line))) return null;
  for (let at = begin; at >= 0 && begin - at < MAX_MESSAGE; at--) {
    const title = eventTitle.exec(lines[at]);
    if (title === null || /^(?:Sentry Issue|https?)$/.test(title[1])) continue;
    const message = [title[2], ...lines.slice(at + 1, begin + 1)].map((line) => line.trim())
      .filter((line) => line !== "").join("\n");
    return {
      name: title[1],
      message,
      frames,
      omitted: Number((behind ?? before)?.[1] ?? 0),
    };
  }
  return null;
}

function bugsnagIn(lines: readonly string[]): Written | null {
  const at = lines.findIndex((line) => bugsnagTitle.test(line));
  if (at < 0) return null;
  const [, name] = bugsnagTitle.exec(lines[at])!;
  const next = (lines[at + 1] ?? "").trim();
  const frames = lines.slice(at).map((line) => bugsnagFrame.exec(line)).filter((match) =>
    match !== null
  ).slice(0, MAX_FRAMES).map(([, place, line, symbol]): FrameParts => {
    const isSource = sources.test(place);
    return {
      address: null,
      symbol: /^<redacted>$/.test(symbol) ? null : symbol,
      file: isSource ? place : null,
      line: isSource && Number(line) > 0 ? Number(line) : null,
      image: isSource ? null : baseName(place),
    };
  });
  const isBugsnags = frames.length > 0 || lines.some((line) => line.includes("View on Bugsnag"));
  if (!isBugsnags) return null;
  const message = next === "" || /^\[View |^\$\{/.test(next) ? null : next;
  return { name, message, frames, omitted: 0 };
}

/** The processor's exception, or the signal, that an event is named for. */
function exceptionOf(name: string, message: string | null): ReportException | null {
  if (/^SIG[A-Z]{2,6}$/.test(name)) return { ...noException, signal: name };
  if (/^Watchdog ?Termination$/.test(name)) return { ...noException, type: "watchdog_termination" };
  if (!/^EXC_[A-Z_]{3,30}$/.test(name)) return null;
  const codes = /^Exception \d{1,3}, Code (\d{1,20}), Subcode (\d{1,20})\b/.exec(message ?? "");
  const [code, subcode] = codes === null ? [] : codes.slice(1).map(BigInt);
  const isAccess = name === "EXC_BAD_ACCESS";
  const address = isAccess ? subcode ?? garbagePointer(message ?? "") ?? undefined : undefined;
  const kind = code === 1n
    ? "KERN_INVALID_ADDRESS "
    : code === 2n
    ? "KERN_PROTECTION_FAILURE "
    : "";
  return {
    ...noException,
    type: name,
    codes: code === undefined ? [] : [code, subcode],
    subtype: address === undefined ? null : `${kind}at 0x${address.toString(16)}`,
  };
}
