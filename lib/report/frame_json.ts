/** A frame of a report as a plain object for JSON. */

import { hex } from "../hex.ts";
import type { ReportFrame } from "./report.ts";

/** A frame in `ReportJson`, as a frame of a target is by its `toJSON`. */
export interface ReportFrameJson
  extends Pick<ReportFrame, "index" | "symbol" | "file" | "line" | "column" | "inlined"> {
  /** `"0x…"`. */
  readonly address: string;
  /** The image's name; `null` when not known. */
  readonly image: string | null;
  /** In bytes: from the symbol, and without one from the image; `null` when not known. */
  readonly offset: number | null;
  /** How a walk found it, which a report does not say. */
  readonly via: null;
}

/** A frame's form. */
export function frameJson(frame: ReportFrame): ReportFrameJson {
  const { index, address, image, imageName, symbol, offset, file, line, column, inlined } = frame;
  return {
    index,
    address: hex(address),
    image: image?.name ?? imageName,
    symbol,
    offset: symbol !== null || image === null || address < image.base
      ? offset
      : Number(address - image.base),
    file,
    line,
    column,
    inlined,
    via: null,
  };
}
