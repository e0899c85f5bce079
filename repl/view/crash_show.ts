/** A report's explanation as lines of text. */
import { escape, escapeLines, safe, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import type {
  Attribution,
  Explanation,
  OwnedFrame,
  ReportFrame,
  SymbolicatedReport,
} from "../../lib/report/mod.ts";
import type { Style } from "./style.ts";
import { count, indented } from "./text.ts";

/** A report, symbolicated, and whose crash it is. */
export interface ReadCrash extends SymbolicatedReport {
  readonly attribution: Attribution;
}

/** Maximum number of lines per part. */
const MOST = 8;

/** What happened, where, whose code it is, what to check, and which symbols are missing. */
export function explanationLines(
  { headline, happened, thread, firstOwn, causes, check }: Explanation,
  { attribution, missing }: Pick<ReadCrash, "attribution" | "missing">,
  style: Style,
): SafeText[] {
  const lines = [style("heading", short(headline))];
  const part = (title: SafeText, texts: readonly SafeText[]): void => {
    if (texts.length === 0) return;
    lines.push(safe``, style("heading", title), ...indented(texts.slice(0, MOST)));
  };
  part(safe`What happened`, happened.map(short));
  const where: SafeText[] = [];
  if (thread !== null) {
    const name = thread.name ?? thread.queue;
    const shown = name === null ? safe`` : safe` ${style("name", safe`"${short(name)}"`)}`;
    where.push(safe`thread ${thread.index}${shown}`);
    const [top] = thread.frames;
    if (top !== undefined) where.push(safe`in ${frameWords(top, style)}`);
  }
  if (firstOwn !== null) {
    where.push(safe`first of the program's own: ${frameWords(firstOwn, style)}`);
  }
  part(safe`Where`, where);
  part(safe`Whose`, verdictWords(attribution, style));
  part(safe`Likely causes`, causes.map(short));
  part(safe`What to check`, check.map(short));
  part(
    safe`Symbols that are missing`,
    missing.map(({ image, frames, crashedFrames }) =>
      safe`${style("image", short(image.name))} ${escape(image.uuid ?? "without UUID")}: ${
        count(frames, "frame")
      }, ${crashedFrames} of them in the crashed thread`
    ),
  );
  if (missing.length > MOST) lines.push(safe`  and ${count(missing.length - MOST, "more image")}`);
  return lines;
}

/** The text of a report, its lines safe to print. Tabs stay: they separate columns. */
export function safeLines(text: string): SafeText {
  return escapeLines(text.replace(/\r\n?/g, "\n"));
}

/** A report's text on one line of limited length. */
function short(text: string): SafeText {
  const line = text.replace(/\s*[\r\n]\s*/g, "; ");
  return escape(line.length > 400 ? `${line.slice(0, 400)}…` : line);
}

function frameWords(frame: ReportFrame, style: Style): SafeText {
  const image = frame.image === null
    ? safe``
    : safe`${style("image", short((frame.image.path ?? frame.image.name).split("/").at(-1)!))} `;
  const offset = frame.image === null ? 0n : frame.address - frame.image.base;
  const name = frame.symbol === null
    ? safe`+ ${hex(offset < 0n ? -offset : offset)}`
    : short(frame.symbol);
  const place = frame.file === null
    ? safe``
    : safe` at ${short(frame.file)}${frame.line === null ? safe`` : safe`:${frame.line}`}`;
  return safe`${image}${name}${place} ${style("quiet", safe`(frame ${frame.index})`)}`;
}

const verdicts = {
  mine: safe`of the library asked for`,
  program: safe`of the program's side`,
  system: safe`of the system: no other frame is on the stack`,
  unknown: safe`not known: no frame is in any image`,
} as const;

const ways: Readonly<Record<OwnedFrame["by"], SafeText>> = {
  image: safe`by its image`,
  range: safe`by its place between begin and end`,
  archive: safe`by the object file that it was linked from`,
  unit: safe`by its source file`,
  none: safe``,
};

function verdictWords(
  { verdict, library, deciding, involved, passed }: Attribution,
  style: Style,
): SafeText[] {
  const whose = library === null ? safe`` : safe` (${style("name", short(library))})`;
  const lines = [safe`${verdicts[verdict]}${whose}`];
  if (deciding !== null) {
    const before = passed === 0 ? safe`` : safe`, after ${count(passed, "frame")} of the system`;
    const unit = deciding.unit === null ? safe`` : safe`, which is of ${short(deciding.unit)}`;
    const frame = frameWords(deciding.frame, style);
    lines.push(safe`decided by ${frame}${unit}, ${ways[deciding.by]}${before}`);
  }
  const [first] = involved;
  if (first !== undefined) {
    lines.push(
      safe`the library asked for is further out, in ${count(involved.length, "frame")}: ${
        frameWords(first.frame, style)
      }`,
    );
  }
  return lines;
}
