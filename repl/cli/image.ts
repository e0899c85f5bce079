/** `machpause image` */
import { openImage } from "../../mod.ts";
import { escape } from "../../lib/escape.ts";
import { type ImageLists, imageText } from "../view/image.ts";
import { complain, print } from "../view/output.ts";
import { styleFor } from "../view/style.ts";

/** The options of `machpause image`. */
export interface ImageOptions extends ImageLists {
  readonly arch?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

const everything: ImageLists = {
  loadCommands: true,
  sections: true,
  symbols: true,
  indirect: true,
  functionStarts: true,
  exports: true,
  fixups: true,
  objc: true,
  swift: true,
};

/** Writes are gathered to pieces of about this many characters. */
const GATHERED = 1 << 16;

/** Prints what is asked for of a Mach-O file; without a list its summary. */
export async function showImage(path: string, options: ImageOptions): Promise<number> {
  const { arch, all = false, json = false, ...chosen } = options;
  const wanted = all ? { ...everything, stabs: chosen.stabs ?? false } : chosen;
  const summary = all ||
    !Object.keys(everything).some((key) => wanted[key as keyof ImageLists]);
  using file = openImage(path, arch === undefined ? {} : { arch });
  const pieces = json
    ? (await import("../view/image_json.ts")).imageJson(file, wanted)
    : imageText(file, wanted, summary, styleFor(Deno.stdout));
  const encoder = new TextEncoder();
  let gathered = "";
  const flush = (): void => {
    if (gathered !== "") print(encoder.encode(gathered));
    gathered = "";
  };
  for await (const piece of pieces) {
    if (typeof piece === "string") {
      gathered += piece;
      if (gathered.length > GATHERED) flush();
    } else {
      flush();
      print(piece);
    }
  }
  flush();
  const warnings = [
    ...file.warnings,
    ...file.images.flatMap(({ arch, member, warnings }) =>
      warnings.map((warning) => `${member ?? arch}: ${warning}`)
    ),
  ];
  for (const warning of warnings) complain(`warning: ${escape(warning)}`);
  return 0;
}
