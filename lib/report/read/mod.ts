/** Reading a report of any kind. */

import { FormatError } from "../../errors.ts";
import { readCallTree } from "./call_tree.ts";
import { readCrashText } from "./crash_text.ts";
import { readIpsBody } from "./ips.ts";
import { isPanic, readPanic } from "./panic.ts";
import { isObject, type JsonObject, parseJson } from "../json.ts";
import { CrashReport } from "../report.ts";
import { decodeReport } from "../text.ts";

/** Maximum size; larger files are not reports. */
const MAX_SIZE = 256 << 20;

/** Reads a crash report: Apple's crash text, `.ips`, or what `sample` or `spindump` print. Damage costs
 * what is damaged, with a warning.
 *
 * @param file its bytes, or its text
 * @param name file name, for errors
 *
 * @example
 * ```ts
 * import { readReport } from "@machpause/machpause/report";
 *
 * const report = readReport(await Deno.readFile("MyApp.ips"), "MyApp.ips");
 * for (const thread of report.threads) console.log(thread.index, thread.frames.length);
 * ```
 * @throws FormatError when it is not a report
 */
export function readReport(file: Uint8Array | string, name: string): CrashReport {
  if (file.length > MAX_SIZE) throw new FormatError(name, MAX_SIZE, "a report, which is smaller");
  const text = typeof file === "string" ? file : decodeReport(file);
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const report = startsWithBrace(text, start)
    ? readJson(name, text, start)
    : readText(name, text, start, null);
  if (report === null) throw new FormatError(name, 0, "a crash report, a sample or a spindump");
  return report;
}

function startsWithBrace(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === 0x7b;
}

function readJson(name: string, text: string, from: number): CrashReport | null {
  const first = parseJson(text, from);
  if (!isObject(first.value)) return null;
  const warnings: string[] = [];
  if (isBody(first.value)) {
    noteDamage(first.damage, warnings);
    if (first.damage === null) warnings.push("the JSON header line is missing");
    return readIpsBody(name, text, null, first.value, first, warnings);
  }
  const header: JsonObject = first.value;
  if (first.damage !== null) {
    // Only the rest of this line is lost.
    const feed = text.indexOf("\n", from);
    if (feed < 0) return null;
    warnings.push("the JSON header line is damaged");
    return continueAfter(name, text, feed + 1, header, warnings);
  }
  return continueAfter(name, text, first.end, header, warnings);
}

function continueAfter(
  name: string,
  text: string,
  from: number,
  header: JsonObject,
  warnings: string[],
): CrashReport | null {
  if (!startsWithBrace(text, from)) return readText(name, text, from, header, warnings);
  const body = parseJson(text, from);
  noteDamage(body.damage, warnings);
  if (!isObject(body.value)) return null;
  if (Object.keys(header).length === 0 && Object.keys(body.value).length === 0) return null;
  return readIpsBody(name, text, header, body.value, body, warnings);
}

function noteDamage(
  damage: { readonly offset: number; readonly expected: string } | null,
  warnings: string[],
): void {
  if (damage === null) return;
  warnings.push(
    `the JSON is damaged or cut off at offset 0x${damage.offset.toString(16)}: ` +
      `expected ${damage.expected}; what is before it is shown`,
  );
}

/** Whether a JSON document is a report's body rather than its header. */
function isBody(value: JsonObject): boolean {
  return ["threads", "usedImages", "exception", "procName", "processByPid"].some((key) =>
    Object.hasOwn(value, key)
  );
}

/** The title between a translated text and its JSON. */
const fullTitle = /\n-+\r?\nFull Report\r?\n-+\r?\n\s*(?=\{)/;

/** Offsets of the JSON after a translated text; `null` when there is none. */
function fullReport(text: string, from: number): { start: number; json: number } | null {
  // indexOf is faster than searching for the pattern.
  const words = text.indexOf("\nFull Report", from);
  if (words < 0) return null;
  const line = text.lastIndexOf("\n", words - 1);
  const match = line < 0 ? null : fullTitle.exec(text.slice(line, words + 1000));
  return match === null || match.index !== 0
    ? null
    : { start: line + 1, json: line + match[0].length };
}

function withFull(report: CrashReport, full: { json: number } | null): CrashReport {
  if (full === null) return report;
  const embedded = readJson(report.file, report.text, full.json);
  if (embedded === null || embedded.format !== "ips") return report;
  return new CrashReport({ ...report, embedded });
}

function readText(
  name: string,
  text: string,
  from: number,
  header: JsonObject | null,
  warnings: string[] = [],
): CrashReport | null {
  if (isPanic(text, from)) {
    return readPanic(name, text, text, { header, body: null }, from, warnings);
  }
  const tree = readCallTree(name, text, from, header);
  if (tree !== null) return tree;
  const full = fullReport(text, from);
  const report = withFull(readCrashText(name, text, from, header, warnings, full?.start), full);
  const { threads, images, lastException, exception } = report;
  const empty = threads.length === 0 && images.length === 0 && lastException === null;
  if (!empty || exception !== null) return report;
  // A header alone is a report that was cut off early.
  if (report.fields.some(({ name }) => name === "Report Version")) return report;
  const named = report.process.name !== null || report.incident !== null;
  return named && report.fields.length >= 3 ? report : null;
}
