/** The source around a frame, where the file exists. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import { InputError, MAX_SIZE, readPlainFile } from "../input.ts";
import type { ImageSymbol, SourceLocation } from "../../mod.ts";
import { exists } from "../prompt/open.ts";
import type { Session } from "../prompt/session.ts";
import { cut, padStart, trimEnd } from "./text.ts";

/** Number of lines shown before and after. */
const around = 5;

/** The number of functions whose source files are looked at for a name. */
const MAX_FUNCTIONS = 20_000;

/** The path of a source file in the debug information, by its last components: as `bt` prints it. The frames
 * of all threads are looked at first. `undefined` where there is none.
 *
 * @throws UserError where there are several
 */
function sourceNamed(session: Session, name: string): string | undefined {
  const isNamed = (file: string) => file === name || file.endsWith(`/${name}`);
  const shown = new Set(
    session.threads().flatMap((thread) =>
      [...thread.backtrace()].flatMap(({ source }) => source?.file ?? [])
    ).filter(isNamed),
  );
  if (shown.size > 1) {
    throw new UserError(`${name} is ${[...shown].join(", and ")}: write more of the path`);
  }
  const [only] = shown;
  if (only !== undefined) return only;
  let left = MAX_FUNCTIONS;
  for (const image of session.target.images) {
    if ((image as { inSharedCache?: boolean }).inSharedCache) continue;
    const { symbols } = image as { symbols?: Iterable<ImageSymbol> };
    for (const { address } of symbols ?? []) {
      if (left-- <= 0) return undefined;
      const found = session.target.resolve(address).source?.file;
      if (found !== undefined && isNamed(found)) return found;
    }
  }
  return undefined;
}

/** Where a file may be: as `source map` says, where the demo's sources are, or at its own path. */
function candidates(session: Session, file: string): string[] {
  const found: string[] = [];
  const own = demoSource(session, file);
  if (own !== undefined) found.push(own);
  for (const [from, to] of session.sourceMap) {
    if (file === from || file.startsWith(from.endsWith("/") ? from : `${from}/`)) {
      found.push(to + file.slice(from.replace(/\/$/, "").length));
    }
  }
  return [...found, file];
}

/** A source file of the demo: a checkout has them. */
function demoSource(session: Session, file: string): string | undefined {
  if (session.maybeTarget?.name !== "demo") return undefined;
  const name = /^\.\/demo\/([\w.]+)$/.exec(file)?.[1];
  const url = new URL(`../../examples/demo/${name}`, import.meta.url);
  return name === undefined || url.protocol !== "file:"
    ? undefined
    : decodeURIComponent(url.pathname);
}

/** Some lines around a frame's own; nothing where its source is not here.
 *
 * @param around number of lines before and after
 */
export function contextLines(session: Session, { file, line }: SourceLocation, around: number) {
  try {
    return numbered(session, readSource(session, file), line - around, line + around, line);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** One line of the source, as far as it is here, or its place. */
export function sourceLine(session: Session, { file, line }: SourceLocation): SafeText[] {
  try {
    const lines = numbered(session, readSource(session, file), line, line, undefined);
    if (lines.length > 0) return lines;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  return [cut(safe`   ${escape(file)}:${line}`, session.ui.size().columns)];
}

/** Lines with their numbers, as far as there are some.
 *
 * @param current the line that is marked
 */
function numbered(
  session: Session,
  lines: readonly string[],
  from: number,
  to: number,
  current: number | undefined,
): SafeText[] {
  const first = Math.max(1, from);
  const last = Math.min(lines.length, to);
  const digits = String(last).length;
  const { columns } = session.ui.size();
  const shown: SafeText[] = [];
  for (let number = first; number <= last; number++) {
    const isCurrent = number === current;
    const mark = isCurrent ? safe`->` : safe`  `;
    const head = safe`${mark} ${padStart(safe`${number}`, digits)}  `;
    const text = cut(escape(lines[number - 1].replaceAll("\t", "    ")), columns - head.length);
    shown.push(trimEnd(safe`${session.style(isCurrent ? "heading" : "quiet", head)}${text}`));
  }
  return shown;
}

function readSource(session: Session, file: string): string[] {
  for (const path of candidates(session, file)) {
    try {
      return new TextDecoder().decode(readPlainFile(path, MAX_SIZE.source)).split("\n");
    } catch (error) {
      if (error instanceof InputError) throw error;
      if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) {
        throw new UserError(`${path} cannot be read`);
      }
    }
  }
  const end = file.lastIndexOf("/");
  const map = `source map ${end < 0 ? "<from>" : file.slice(0, end) || "/"} <folder>`;
  throw new UserError(`there is no ${file} here: \`${map}\` says where it is`);
}

/** Where a function begins; `undefined` where no function has the name, or nothing tells of its source. */
function functionPlace(session: Session, name: string): SourceLocation | undefined {
  for (const { symbol } of session.target.lookup(name)) {
    const { source } = session.target.resolve(symbol.address);
    if (source !== null) return source;
  }
  return undefined;
}

/** The lines around the selected frame's line, or around another; after lines that were listed, those that follow.
 *
 * @param where `file:line`, a line of the selected frame's file, `line,line`, or a function's name; `-`: the lines
 * before those that were listed
 * @throws UserError when the frame has no source, or the file does not exist
 */
export function sourceLines(session: Session, where?: string): SafeText[] {
  const { listed } = session;
  if (listed !== undefined && (where === undefined || where === "-")) {
    const { file, first, last, isEnd } = listed;
    const length = 2 * around + 1;
    if (where === undefined && isEnd) {
      throw new UserError(`${file} ends with line ${last}: \`list -\` goes back`);
    }
    if (where !== undefined && first === 1) {
      throw new UserError(`this is the beginning of ${file}`);
    }
    return where === undefined
      ? listedLines(session, file, last + 1, last + length)
      : listedLines(session, file, Math.max(1, first - length), first - 1);
  }
  if (where === "-") where = undefined;
  // gdb's `10,20`: from one line to another one.
  const named = /^(?:(.*[^:]):)?(\d+)(?:(,)(\d*))?$/.exec(where ?? "");
  if (where !== undefined && named === null) {
    const place = functionPlace(session, where);
    if (place === undefined) {
      throw new UserError(`${where} is neither file:line nor a function whose source is known`);
    }
    return listedLines(session, place.file, place.line - around, place.line + around, place.line);
  }
  const source = named?.[1] === undefined ? session.frame.source : null;
  const file = named?.[1] === undefined
    ? source?.file
    : exists(named[1])
    ? named[1]
    : sourceNamed(session, named[1]) ?? named[1];
  const line = named === null ? source?.line : Number(named[2]);
  if (file === undefined || line === undefined) {
    throw new UserError(
      "this frame has no source: its image has no debug information",
    );
  }
  if (named?.[3] === undefined) {
    const middle = Math.max(1, line);
    return listedLines(session, file, middle - around, middle + around, middle);
  }
  const end = named[4] === "" ? line + 2 * around : Number(named[4]);
  if (end < line) throw new UserError(`line ${end} comes before line ${line}`);
  return listedLines(session, file, line, end, line);
}

/** Lines of a file under its name, the selected frame's marked.
 *
 * @param line the one that was asked for. Default: the first
 */
function listedLines(
  session: Session,
  file: string,
  first: number,
  last: number,
  line = first,
): SafeText[] {
  const lines = readSource(session, file);
  // The end of the last line begins none.
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  if (line > lines.length) {
    throw new UserError(
      `${file} has ${lines.length} lines only: it is not the file that was built`,
    );
  }
  session.listed = {
    file,
    first: Math.max(1, first),
    last: Math.min(count, last),
    isEnd: last >= count,
  };
  const current = session.captured && isFrameFile(session, file)
    ? session.frame.source?.line
    : undefined;
  return [
    session.style("quiet", safe`${escape(file)}:${line}`),
    ...numbered(session, lines, first, line === first ? Math.min(count, last) : last, current),
  ];
}

function isFrameFile(session: Session, file: string): boolean {
  return session.frames[session.frameIndex]?.source?.file === file;
}
