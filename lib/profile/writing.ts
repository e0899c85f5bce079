/** Profiles as files: which formats there are, and writing them. */

import type { Profile } from "./model.ts";

/** The formats that profiles are written in. */
export type ProfileFormat = "firefox" | "speedscope" | "pprof" | "collapsed" | "chrome";

/** What is known about a format. */
interface FormatRow {
  /** Endings of file names, the usual one first; `.gz` after them compresses. */
  readonly endings: readonly string[];
  /** Whether files are compressed without being asked for. */
  readonly gzip: boolean;
  /** Loaded when it is used: a recording writes one format. */
  readonly writer: () => Promise<(profile: Profile) => Iterable<string | Uint8Array>>;
}

/** The formats, with the endings that choose them. An ending stands before a shorter one that it ends
 * with. */
const rows: Readonly<Record<ProfileFormat, FormatRow>> = {
  speedscope: {
    endings: [".speedscope.json", ".speedscope"],
    gzip: false,
    writer: async () => (await import("./speedscope.ts")).writeSpeedscope,
  },
  chrome: {
    endings: [".trace.json", ".chrome.json", ".trace"],
    gzip: false,
    writer: async () => (await import("./chrome.ts")).writeChrome,
  },
  pprof: {
    endings: [".pb.gz", ".pprof", ".prof", ".pb"],
    gzip: true,
    writer: async () => {
      const { writePprof } = await import("./pprof.ts");
      return (profile) => [writePprof(profile)];
    },
  },
  collapsed: {
    endings: [".collapsed", ".folded", ".collapsed.txt", ".folded.txt", ".collapsedstack.txt"],
    gzip: false,
    writer: async () => (await import("./collapsed.ts")).writeCollapsed,
  },
  firefox: {
    endings: [".json.gz", ".json", ".profile"],
    gzip: true,
    writer: async () => (await import("./firefox.ts")).writeFirefox,
  },
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
  const bytes = streamOf(encoded(rows[format].writer, profile));
  return gzip ? bytes.pipeThrough(new CompressionStream("gzip")) : bytes;
}

/** A stream of pieces. TypeScript's DOM does not know `ReadableStream.from()`. */
export function streamOf(
  pieces: Iterator<Uint8Array<ArrayBuffer>> | AsyncIterator<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: () => void pieces.return?.(),
  });
}

/** Code units of text that are encoded at once: the pieces of a format are often shorter. */
const BATCH = 1 << 16;

async function* encoded(
  writer: FormatRow["writer"],
  profile: Profile,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const pieces = (await writer())(profile);
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

/** The bytes of a stream.
 *
 * @throws RangeError when they are more than `limit`
 */
export async function collect(
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
