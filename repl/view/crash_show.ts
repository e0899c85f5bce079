/** A report's explanation as lines of text. Everything that a report has a say in is escaped here. */

import type { Attribution, Explanation, OwnedFrame, ReportFrame } from "../../lib/report/mod.ts";
import { escape } from "../../lib/escape.ts";
import type { ReadCrash } from "../cli/crash.ts";
import type { Style } from "./style.ts";

/** More lines of a kind explain nothing. */
const MOST = 8;

/** What happened, where, whose it is, what to check, which symbols are missing. */
export function explanationLines(
  { headline, happened, thread, firstOwn, causes, check }: Explanation,
  { attribution, missing }: Pick<ReadCrash, "attribution" | "missing">,
  style: Style,
): string[] {
  const lines = [style("heading", short(headline))];
  const part = (title: string, texts: readonly string[]): void => {
    if (texts.length === 0) return;
    lines.push("", style("heading", title));
    for (const text of texts.slice(0, MOST)) lines.push(`  ${text}`);
  };
  part("What happened", happened.map(short));
  const where: string[] = [];
  if (thread !== null) {
    const name = thread.name ?? thread.queue;
    where.push(
      `thread ${thread.index}` + (name === null ? "" : ` ${style("name", `"${short(name)}"`)}`),
    );
    const [top] = thread.frames;
    if (top !== undefined) where.push(`in ${frameWords(top, style)}`);
  }
  if (firstOwn !== null) where.push(`first of the program's own: ${frameWords(firstOwn, style)}`);
  part("Where", where);
  part("Whose", verdictWords(attribution, style));
  part("Likely causes", causes.map(short));
  part("What to check", check.map(short));
  part(
    "Symbols that are missing",
    missing.map(({ image, frames, crashedFrames }) =>
      `${style("image", short(image.name))} ${image.uuid ?? "without UUID"}: ` +
      `${count(frames, "frame")}, ${crashedFrames} of them in the crashed thread`
    ),
  );
  if (missing.length > MOST) lines.push(`  and ${count(missing.length - MOST, "more image")}`);
  return lines;
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}

/** Text of a report on one line, not without end. */
function short(text: string): string {
  const line = text.replace(/\s*[\r\n]\s*/g, "; ");
  return escape(line.length > 400 ? `${line.slice(0, 400)}…` : line);
}

function frameWords(frame: ReportFrame, style: Style): string {
  const image = frame.image === null
    ? ""
    : style("image", short((frame.image.path ?? frame.image.name).split("/").at(-1)!)) + " ";
  const offset = frame.image === null ? 0n : frame.address - frame.image.base;
  const name = frame.symbol === null
    ? `+ 0x${(offset < 0n ? -offset : offset).toString(16)}`
    : short(frame.symbol);
  const place = frame.file === null
    ? ""
    : ` at ${short(frame.file)}${frame.line === null ? "" : `:${frame.line}`}`;
  return `${image}${name}${place} ${style("quiet", `(frame ${frame.index})`)}`;
}

const verdicts = {
  mine: "of the library asked for",
  program: "of the program's side",
  system: "of the system: no other frame is on the stack",
  unknown: "not known: no frame is in any image",
} as const;

const ways: Readonly<Record<OwnedFrame["by"], string>> = {
  image: "by its image",
  range: "by its place between begin and end",
  archive: "by the object file that it was linked from",
  unit: "by its source file",
  none: "",
};

function verdictWords(
  { verdict, library, deciding, involved, passed }: Attribution,
  style: Style,
): string[] {
  const whose = library === null ? "" : ` (${style("name", short(library))})`;
  const lines = [`${verdicts[verdict]}${whose}`];
  if (deciding !== null) {
    const before = passed === 0 ? "" : `, after ${count(passed, "frame")} of the system`;
    const unit = deciding.unit === null ? "" : `, which is of ${short(deciding.unit)}`;
    lines.push(
      `decided by ${frameWords(deciding.frame, style)}${unit}, ${ways[deciding.by]}${before}`,
    );
  }
  const [first] = involved;
  if (first !== undefined) {
    lines.push(
      `the library asked for is further out, in ${count(involved.length, "frame")}: ` +
        frameWords(first.frame, style),
    );
  }
  return lines;
}
