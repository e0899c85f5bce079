/** A frame as a line of crash text. */

import { baseName } from "./images.ts";
import type { ReportFrame } from "./report.ts";

/** A frame's last column: `main + 44 (main.m:12)`; without a name `0x100000000 + 44`. */
export function placeText(frame: ReportFrame): string {
  const { symbol, offset, file, line, inlined, image, address } = frame;
  const where = file === null ? "" : ` (${baseName(file)}${line === null ? "" : `:${line}`})`;
  const mark = inlined ? " [inlined]" : "";
  if (symbol !== null) {
    return `${oneLine(symbol)}${offset === null ? "" : ` + ${offset}`}${oneLine(where)}${mark}`;
  }
  const base = image?.base ?? 0n;
  return `0x${base.toString(16)} + ${address - base}`;
}

/** A complete frame line. */
export function frameText(number: number, frame: ReportFrame, address: string): string {
  const name = frame.imageName ?? frame.image?.name ?? "???";
  return `${String(number).padEnd(3)} ${oneLine(name).padEnd(30)}\t${address} ${placeText(frame)}`;
}

/** Text without line breaks. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]/g, " ");
}
