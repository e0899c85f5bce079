/** Profiles as files: which formats there are, which one a file has, reading and writing. */

import { FormatError } from "../errors.ts";
import { isChromeTrace, isCpuProfile, isTraceEvents, writeChrome } from "./chrome.ts";
import { readChromeTrace, readCpuProfile } from "./chrome.ts";
import { isCollapsed, readCollapsed, writeCollapsed } from "./collapsed.ts";
import { isFirefox, readFirefox, writeFirefox } from "./firefox.ts";
import { isJournal, readJournal } from "./journal.ts";
import { isJsonSlabs, readJsonSlabs } from "./json_slabs.ts";
import { isRecord, JsonFile, type JsonRecord } from "./json.ts";
import type { Profile } from "./model.ts";
import { isPprof, readPprof, writePprof } from "./pprof.ts";
import { isSpeedscope, readSpeedscope, writeSpeedscope } from "./speedscope.ts";

/** The formats that profiles are written in. */
export type ProfileFormat = "firefox" | "speedscope" | "pprof" | "collapsed" | "chrome";

/** What is known about a format. */
interface FormatRow {
  /** Endings of file names, the usual one first; `.gz` after them compresses. */
  readonly endings: readonly string[];
  /** Whether files are compressed without being asked for. */
  readonly gzip: boolean;
  readonly write: (profile: Profile) => Iterable<string | Uint8Array>;
}

/** The formats, with the endings that choose them. An ending stands before a shorter one that it ends
 * with. */
const rows: Readonly<Record<ProfileFormat, FormatRow>> = {
  speedscope: {
    endings: [".speedscope.json", ".speedscope"],
    gzip: false,
    write: writeSpeedscope,
  },
  chrome: { endings: [".trace.json", ".chrome.json", ".trace"], gzip: false, write: writeChrome },
  pprof: {
    endings: [".pb.gz", ".pprof", ".prof", ".pb"],
    gzip: true,
    write: (profile) => [writePprof(profile)],
  },
  collapsed: {
    endings: [".collapsed", ".folded", ".collapsed.txt", ".folded.txt", ".collapsedstack.txt"],
    gzip: false,
    write: writeCollapsed,
  },
  firefox: { endings: [".json.gz", ".json", ".profile"], gzip: true, write: writeFirefox },
};

/** The names of the formats that profiles are written in. */
export const profileFormats: readonly ProfileFormat[] = [
  "firefox",
  "speedscope",
  "pprof",
  "collapsed",
  "chrome",
];

/** The format that a file name's ending asks for; `null` when none does. `.json` is the Firefox
 * Profiler's.
 *
 * @example
 * ```ts
 * import { formatOfName } from "@machpause/machpause/profile";
 *
 * console.log(formatOfName("app.speedscope.json"), formatOfName("app.pb.gz")); // speedscope pprof
 * ```
 */
export function formatOfName(name: string): ProfileFormat | null {
  const lower = name.toLowerCase();
  const plain = lower.replace(/\.gz$/, "");
  for (const [format, { endings }] of Object.entries(rows) as [ProfileFormat, FormatRow][]) {
    if (endings.some((ending) => lower.endsWith(ending) || plain.endsWith(ending))) return format;
  }
  return null;
}

/** How a profile is written. */
export interface WriteProfileOptions {
  /** The format. */
  readonly format: ProfileFormat;
  /** Whether it is compressed by gzip. Without it, the Firefox Profiler's and pprof's are. */
  readonly gzip?: boolean;
}

/** A profile as a file's bytes.
 *
 * @example
 * ```ts
 * import { readProfile, writeProfile } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.pb.gz"), "app.pb.gz");
 * await Deno.writeFile("app.json.gz", await writeProfile(profile, { format: "firefox" }));
 * ```
 * @throws RangeError when the stacks are too many for a format that repeats them for each sample
 */
export async function writeProfile(
  profile: Profile,
  options: WriteProfileOptions,
): Promise<Uint8Array> {
  return await collect(profileStream(profile, options), Infinity);
}

/** A profile as a file's bytes, piece by piece. See {@linkcode writeProfile}.
 *
 * @example
 * ```ts
 * import { profileStream, readProfile } from "@machpause/machpause/profile";
 *
 * const profile = await readProfile(await Deno.readFile("app.json.gz"));
 * const file = await Deno.create("app.speedscope.json");
 * await profileStream(profile, { format: "speedscope" }).pipeTo(file.writable);
 * ```
 */
export function profileStream(
  profile: Profile,
  { format, gzip = rows[format].gzip }: WriteProfileOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = streamOf(encoded(rows[format].write(profile)));
  return gzip ? bytes.pipeThrough(new CompressionStream("gzip")) : bytes;
}

/** A stream of pieces. TypeScript's DOM does not know `ReadableStream.from()`. */
function streamOf(
  pieces: Iterator<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull(controller) {
      const next = pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: () => void pieces.return?.(),
  });
}

/** Code units of text that are encoded at once: the pieces of a format are often shorter. */
const BATCH = 1 << 16;

function* encoded(
  pieces: Iterable<string | Uint8Array>,
): Generator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let batch: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (typeof piece !== "string") {
      yield new Uint8Array(piece);
      continue;
    }
    batch.push(piece);
    length += piece.length;
    if (length < BATCH) continue;
    yield encoder.encode(batch.join(""));
    batch = [];
    length = 0;
  }
  if (length > 0) yield encoder.encode(batch.join(""));
}

/** Bytes that a profile may have when it is not compressed. */
const MAX_SIZE = 256 << 20;

async function collect(
  stream: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > limit) {
      await reader.cancel();
      throw new RangeError(`more than ${limit} bytes`);
    }
    pieces.push(next.value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

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
  return isCollapsed(text) && text.includes(";");
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
    "a profile of the Firefox Profiler, speedscope, pprof or Chrome, or collapsed stacks",
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
