/** What is kept of a file of reports: plain data, made from the file alone, so that any machine can make it. */
import { FormatError } from "../errors.ts";
import { commonStack, hangHead, readHang, reportOfHang } from "../hang/mod.ts";
import {
  attributeReport,
  CrashReport,
  imageTitle,
  isJetsam,
  isSystemImage,
  readReports,
  reportEvent,
  reportSignature,
  reportTime,
  stackSignature,
  symbolicateReport,
} from "../report/mod.ts";
import type { SummarizeOptions } from "../report/api.ts";

/** The form's name and version, on each line of `collect --jsonl`. */
export const RECORD_FORMAT = "machpause-collected";
export const RECORD_VERSION = 1;

/** A frame of a report. */
export interface FrameRecord {
  /** `"0x…"`. */
  readonly address: string;
  readonly image: string | null;
  readonly symbol: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

/** A report of a file. Texts hold no NUL and no half characters, and are bounded. */
export interface ReportRecord {
  readonly kind: string;
  readonly signature: { readonly id: string; readonly parts: readonly string[] };
  readonly occurredAt: string | null;
  readonly times: number;
  readonly durationMs: number | null;
  readonly program: string | null;
  readonly identifier: string | null;
  readonly version: string | null;
  readonly model: string | null;
  readonly os: string | null;
  readonly arch: string | null;
  readonly exception: string | null;
  readonly verdict: string;
  readonly incident: string | null;
  readonly frames: readonly FrameRecord[];
  readonly missing: readonly { readonly uuid: string; readonly image: string }[];
}

/** A file. */
export interface FileRecord {
  readonly format: typeof RECORD_FORMAT;
  readonly formatVersion: typeof RECORD_VERSION;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** SHA-256, in hexadecimal. */
  readonly hash: string;
  /** Why there are no reports. */
  readonly error: string | null;
  readonly reports: readonly ReportRecord[];
}

/** Maximum length of a text, in characters. */
const MAX_TEXT = 2000;
/** Maximum number of frames, of parts and of images without symbols. */
const MAX_FRAMES = 16;
const MAX_PARTS = 16;
const MAX_MISSING = 16;
/** Maximum number of reports of one file. */
const MAX_REPORTS = 10_000;

/** A text as every database takes it, and every shell that reads a dump: line ends are line feeds. */
export function cleaned(long: string): string {
  const text = long.includes("\r") ? long.replace(/\r\n?/g, "\n") : long;
  const whole = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
  // Half of a pair, which the cut may leave, and NUL are refused by PostgreSQL.
  return whole.replaceAll("\0", "\ufffd").replace(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    "\ufffd",
  );
}

function orNull(text: string | null | undefined): string | null {
  return text === null || text === undefined || text === "" ? null : cleaned(text);
}

/** What a report is about. */
function kindOf(report: CrashReport): string {
  if (report.panic !== null) return "panic";
  if (isJetsam(report)) return "jetsam";
  const event = reportEvent(report);
  if (event !== null) return /hang|spin/.test(event) ? "hang" : "resource";
  if (report.bugType === "288" || report.bugType === "188") return "stackshot";
  return report.format === "sample" || report.format === "spindump" ? "sample" : "crash";
}

/** The reports in a file.
 *
 * @param counts the text of `counts.json` beside a `hang.json`; `null` when there is none
 * @throws FormatError when it has none
 */
export function reportsIn(
  bytes: Uint8Array,
  path: string,
  counts: string | null,
  options: Required<SummarizeOptions>,
): ReportRecord[] {
  if (!/(?:^|\/)hang\.json$/.test(path)) {
    return readReports(bytes, path, MAX_REPORTS).map((report) => recordOf(report, options));
  }
  const hang = readHang(new TextDecoder().decode(bytes), path);
  const told = countsOf(counts, hang.signature.id);
  const common = commonStack(hang.looks, hang.stacks);
  const report = reportOfHang(hang, options.demangle, common);
  return [{
    ...recordOf(report, options, hangHead(hang)),
    kind: "hang",
    occurredAt: told?.last ?? new Date(hang.began).toISOString(),
    times: told?.count ?? 1,
    durationMs: hang.milliseconds,
    exception: null,
  }];
}

function countsOf(
  text: string | null,
  id: string,
): { readonly count: number; readonly last: string } | null {
  if (text === null) return null;
  try {
    const { id: of, count, last } = JSON.parse(text);
    const isCounts = of === id && Number.isSafeInteger(count) && count > 0 &&
      typeof last === "string" && !Number.isNaN(Date.parse(last));
    return isCounts ? { count, last: new Date(last).toISOString() } : null;
  } catch {
    return null;
  }
}

function bounded(
  { id, parts }: { readonly id: string; readonly parts: readonly string[] },
): ReportRecord["signature"] {
  return { id, parts: parts.slice(0, MAX_PARTS).map(cleaned) };
}

/** @param head of the signature, where no exception is */
function recordOf(
  report: CrashReport,
  options: Required<SummarizeOptions>,
  head?: readonly string[],
): ReportRecord {
  const { symbols, demangle, attribution } = options;
  const thread = report.crashedThread ?? report.threads[0];
  const part = new CrashReport({ ...report, threads: thread === undefined ? [] : [thread] });
  const { report: named, missing } = symbolicateReport(part, symbols, { demangle, inPlace: false });
  const { verdict, library } = attributeReport(named, attribution(named));
  const time = reportTime(named);
  const { exception, process } = named;
  return {
    kind: kindOf(report),
    signature: bounded(
      head === undefined
        ? reportSignature(named, demangle)
        : stackSignature(head, named.decidingStack, demangle),
    ),
    occurredAt: time === null ? null : new Date(time).toISOString(),
    times: 1,
    durationMs: null,
    program: orNull(process.name),
    identifier: orNull(process.identifier),
    version: orNull(process.version),
    model: orNull(named.model),
    os: orNull(named.osVersion),
    arch: named.arch,
    exception: orNull([exception?.type, exception?.signal].filter(Boolean).join(" ")),
    verdict: cleaned(library === null ? verdict : `${verdict} (${library})`),
    incident: orNull(named.incident),
    frames: named.decidingStack.slice(0, MAX_FRAMES).map((frame) => ({
      address: `0x${frame.address.toString(16)}`,
      image: orNull(frame.image === null ? frame.imageName : imageTitle(frame.image)),
      symbol: orNull(frame.symbol === null ? null : demangle(frame.symbol)),
      file: orNull(frame.file),
      line: frame.line,
    })),
    missing: missing.flatMap(({ image }) =>
      image.uuid === null || isSystemImage(image)
        ? []
        : [{ uuid: image.uuid, image: cleaned(imageTitle(image)) }]
    ).filter(({ uuid }, at, all) => all.findIndex((other) => other.uuid === uuid) === at)
      .slice(0, MAX_MISSING),
  };
}

/** Reads a line of `collect --jsonl`.
 *
 * @param file and line, for errors
 * @throws FormatError when it is none
 */
export function readRecord(line: string, file: string, number: number): FileRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new FormatError(file, number, "a line of JSON");
  }
  const record = value as FileRecord;
  const text = (part: unknown) => typeof part === "string" && cleaned(part) === part;
  const textOrNull = (part: unknown) => part === null || text(part);
  const count = (part: unknown) => Number.isSafeInteger(part) && (part as number) >= 0;
  const time = (part: unknown) =>
    typeof part === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(part);
  const isFrame = (frame: FrameRecord) =>
    typeof frame === "object" && frame !== null &&
    typeof frame.address === "string" && /^0x[0-9a-f]{1,16}$/.test(frame.address) &&
    [frame.image, frame.symbol, frame.file].every(textOrNull) &&
    (frame.line === null || count(frame.line));
  const isReport = (report: ReportRecord) =>
    typeof report === "object" && report !== null && text(report.kind) && text(report.verdict) &&
    typeof report.signature === "object" && report.signature !== null &&
    /^[0-9a-f]{16}$/.test(report.signature.id) &&
    Array.isArray(report.signature.parts) && report.signature.parts.length <= MAX_PARTS &&
    report.signature.parts.every(text) &&
    (report.occurredAt === null || time(report.occurredAt)) &&
    count(report.times) && (report.durationMs === null || count(report.durationMs)) &&
    [
      report.program,
      report.identifier,
      report.version,
      report.model,
      report.os,
      report.arch,
      report.exception,
      report.incident,
    ].every(textOrNull) &&
    Array.isArray(report.frames) && report.frames.length <= MAX_FRAMES &&
    report.frames.every(isFrame) &&
    Array.isArray(report.missing) && report.missing.length <= MAX_MISSING &&
    report.missing.every((image) =>
      typeof image === "object" && image !== null && text(image.uuid) && text(image.image)
    );
  const isRecord = typeof record === "object" && record !== null &&
    record.format === RECORD_FORMAT && record.formatVersion === RECORD_VERSION &&
    typeof record.path === "string" && !record.path.includes("\0") &&
    count(record.size) && Number.isSafeInteger(record.modified) &&
    typeof record.hash === "string" && /^[0-9a-f]{64}$/.test(record.hash) &&
    textOrNull(record.error) && Array.isArray(record.reports) &&
    record.reports.length <= MAX_REPORTS && record.reports.every(isReport);
  if (!isRecord) {
    throw new FormatError(file, number, `a record of ${RECORD_FORMAT} ${RECORD_VERSION}`);
  }
  return record;
}
