/** The source around a frame, where the file exists. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { UserError } from "../errors.ts";
import { InputError, MAX_SIZE, readPlainFile } from "../input.ts";
import type { Session } from "../prompt/session.ts";
import { padStart, trimEnd } from "./text.ts";

/** Number of lines shown before and after. */
const around = 5;

/** Where a file may be: as `source map` says, or at its own path. */
function candidates(session: Session, file: string): string[] {
  const found: string[] = [];
  for (const [from, to] of session.sourceMap) {
    if (file === from || file.startsWith(from.endsWith("/") ? from : `${from}/`)) {
      found.push(to + file.slice(from.replace(/\/$/, "").length));
    }
  }
  return [...found, file];
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
  const folder = file.slice(0, file.lastIndexOf("/")) || "/";
  throw new UserError(
    `there is no ${file} here: \`source map ${folder} <folder>\` says where it is`,
  );
}

/** The lines around the selected frame's line, or around another.
 *
 * @param where `file:line`, or a line of the selected frame's file
 * @throws UserError when the frame has no source, or the file does not exist
 */
export function sourceLines(session: Session, where?: string): SafeText[] {
  const named = /^(?:(.+):)?(\d+)$/.exec(where ?? "");
  if (where !== undefined && named === null) throw new UserError(`${where} is not file:line`);
  const source = named?.[1] === undefined ? session.frame.source : null;
  const file = named?.[1] ?? source?.file;
  const line = named === null ? source?.line : Number(named[2]);
  if (file === undefined || line === undefined) {
    throw new UserError(
      "this frame has no source: its image has no debug information",
    );
  }
  const lines = readSource(session, file);
  if (line > lines.length) {
    throw new UserError(
      `${file} has ${lines.length} lines only: it is not the file that was built`,
    );
  }
  const first = Math.max(1, line - around);
  const last = Math.min(lines.length, line + around);
  const digits = String(last).length;
  const shown = [session.style("quiet", safe`${escape(file)}:${line}`)];
  for (let number = first; number <= last; number++) {
    const text = escape(lines[number - 1].replaceAll("\t", "    "));
    const current = number === source?.line;
    const mark = current ? safe`->` : safe`  `;
    const head = safe`${mark} ${padStart(safe`${number}`, digits)}  `;
    shown.push(safe`${session.style(current ? "heading" : "quiet", head)}${text}`);
  }
  return shown.map(trimEnd);
}
