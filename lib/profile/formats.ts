/** Profiles as files: writing them, which format one has, and reading it. */

import { FormatError } from "../errors.ts";
import { isChromeTrace, isCpuProfile, isTraceEvents } from "./chrome.ts";
import { readChromeTrace, readCpuProfile } from "./chrome.ts";
import { isCollapsed, readCollapsed } from "./collapsed.ts";
import { isFirefox, readFirefox } from "./firefox.ts";
import { isJournal, readJournal } from "./journal.ts";
import { isJsonSlabs, readJsonSlabs } from "./json_slabs.ts";
import { isRecord, JsonFile, type JsonRecord } from "./json.ts";
import type { Profile } from "./model.ts";
import { isPerfScript, readPerfScript } from "./perf_script.ts";
import { isPprof, readPprof } from "./pprof.ts";
import { isSpeedscope, readSpeedscope } from "./speedscope.ts";
import { collect, streamOf } from "./writing.ts";

export {
  formatOfName,
  type ProfileFormat,
  profileFormats,
  profileStream,
  writeProfile,
  type WriteProfileOptions,
} from "./writing.ts";

/** Bytes that a profile may have when it is not compressed. */
const MAX_SIZE = 256 << 20;

/** Whether bytes are compressed by gzip. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** What bytes are without gzip; themselves when they are not compressed.
 *
 * @param limit maximum number of bytes
 * @throws FormatError when they are damaged, or would become too large
 */
export async function gunzipped(
  bytes: Uint8Array,
  name: string,
  limit = MAX_SIZE,
): Promise<Uint8Array> {
  if (!isGzip(bytes)) return bytes;
  try {
    const stream = streamOf([new Uint8Array(bytes)].values())
      .pipeThrough(new DecompressionStream("gzip"));
    return await collect(stream, limit);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FormatError(name, 0, `gzip data of at most ${limit >> 20} MiB (${reason})`);
  }
}

/** The beginning of what bytes are without gzip, of which they may be the beginning only. */
export async function headOf(bytes: Uint8Array): Promise<Uint8Array> {
  if (!isGzip(bytes)) return bytes;
  const reader = streamOf([new Uint8Array(bytes)].values())
    .pipeThrough(new DecompressionStream("gzip")).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      pieces.push(next.value);
      length += next.value.length;
      if (length < 1 << 16) continue;
      await reader.cancel();
      break;
    }
  } catch {
    // It ends in the middle, or is damaged: reading the whole file will say so.
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** Reads a profile of any of the formats, compressed or not; also Chrome's `.cpuprofile`. Its content
 * decides, not its name.
 *
 * @param name file name, for errors
 *
 * @example
 * ```ts
 * import { readProfile, totalWeight } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"), "app.json.gz");
 * console.log(profile.threads.length, totalWeight(profile), profile.unit);
 * ```
 * @throws FormatError when it is none of them, or damaged
 */
export async function readProfile(bytes: Uint8Array, name = "profile"): Promise<Profile> {
  return parseProfile(await gunzipped(bytes, name), name);
}

/** Reads a profile that is not compressed. See {@linkcode readProfile}.
 *
 * @throws FormatError when it is none of the formats, or damaged
 */
export function parseProfile(bytes: Uint8Array, name: string): Profile {
  if (bytes.length > MAX_SIZE) {
    throw new FormatError(name, MAX_SIZE, `a profile of at most ${MAX_SIZE >> 20} MiB`);
  }
  if (isJournal(bytes)) return readJournal(name, bytes);
  if (isPprof(bytes)) return readPprof(name, bytes);
  if (isJsonSlabs(bytes)) return parseDocument(readJsonSlabs(bytes, name), name);
  const first = firstByte(bytes);
  if (first === 0x7b || first === 0x5b) return parseJson(decoded(bytes), name);
  const text = decoded(bytes);
  if (isPerfScript(text)) return readPerfScript(name, text);
  if (isCollapsed(text)) return readCollapsed(name, text);
  throw notAProfile(name);
}

/** Whether bytes that are not compressed begin as a profile does. */
export function looksLikeProfile(bytes: Uint8Array): boolean {
  if (isJournal(bytes)) return true;
  if (isPprof(bytes) || isJsonSlabs(bytes)) return true;
  const first = firstByte(bytes);
  const text = decoded(bytes.subarray(0, 1 << 16));
  if ((first === 0x7b || first === 0x5b) && words.test(text)) return true;
  return isPerfScript(text) || isCollapsed(text) && text.includes(";");
}

/** Members that the JSON formats begin with, or soon have. */
const words =
  /"preprocessedProfileVersion"|speedscope\.app\/file-format-schema|"traceEvents"|"(?:callFrame|timeDeltas|hitCount)"|"ph"\s*:\s*"/;

/** The first byte that is no blank and no byte order mark. */
function firstByte(bytes: Uint8Array): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (bytes[at] <= 0x20 && at < 64) at++;
  return bytes[at];
}

/** Bytes as text: UTF-16 where they have its byte order mark, else UTF-8. */
function decoded(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe
    ? "utf-16le"
    : bytes[0] === 0xfe && bytes[1] === 0xff
    ? "utf-16be"
    : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

function notAProfile(name: string): FormatError {
  return new FormatError(
    name,
    0,
    "a profile of the Firefox Profiler, speedscope, pprof or Chrome, collapsed stacks, or what perf script prints",
  );
}

function parseJson(text: string, name: string): Profile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // async-profiler's collapsed stacks begin with a bracket too.
    if (isCollapsed(text)) return readCollapsed(name, text);
    // Chrome's traces may end before the array does, so that a program that crashed leaves one.
    value = text.trimStart().startsWith("[") ? completed(text) : undefined;
    if (value === undefined) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new FormatError(name, 0, `JSON (${reason.slice(0, 200)})`);
    }
  }
  return parseDocument(value, name);
}

/** The versions of the Firefox Profiler's format that are known. */
const oldest = 20;
const newest = 75;

function parseDocument(value: unknown, name: string): Profile {
  if (Array.isArray(value)) {
    if (!isTraceEvents(value)) throw notAProfile(name);
    return readChromeTrace(new JsonFile(name, {}), value);
  }
  if (!isRecord(value)) throw notAProfile(name);
  const file = new JsonFile(name, value);
  if (isFirefox(value)) return readKnownFirefox(file);
  if (isSpeedscope(value)) return readSpeedscope(file);
  if (isChromeTrace(value)) {
    return readChromeTrace(file, file.array(value.traceEvents, "traceEvents"));
  }
  if (isCpuProfile(value)) return readCpuProfile(file);
  if (isGecko(value)) {
    throw new FormatError(
      name,
      0,
      "a processed profile: this is what Firefox hands to its Profiler, which saves it as one",
    );
  }
  throw notAProfile(name);
}

/** Reads what is there; where that fails, a version that is not known is the reason. */
function readKnownFirefox(file: JsonFile): Profile {
  try {
    return readFirefox(file);
  } catch (error) {
    const version = (file.root.meta as JsonRecord).preprocessedProfileVersion as number;
    if (!(error instanceof FormatError) || version >= oldest && version <= newest) throw error;
    throw file.error(
      `version ${oldest} to ${newest} of the format: it has ${version}, which the Firefox Profiler opens ` +
        "and saves as its own version",
    );
  }
}

/** The array that a text begins; `undefined` when its last event is not whole either. */
function completed(text: string): unknown {
  try {
    return JSON.parse(`${text.trimEnd().replace(/,$/, "")}]`);
  } catch {
    return undefined;
  }
}

/** Whether a document is a profile of Firefox before the Profiler has processed it. */
function isGecko(root: JsonRecord): boolean {
  return isRecord(root.meta) && Array.isArray(root.threads) && Array.isArray(root.libs);
}
