import { escape, safe } from "../../lib/escape.ts";
import { json, noPager, type Values } from "../options.ts";
import { UserError } from "../errors.ts";
import type { Subcommand } from "./subcommand.ts";

const options = {
  arch: { value: "name", help: "Only this architecture of a universal file." },
  "load-commands": { help: "Every load command with its fields." },
  sections: { help: "Sections with types and attributes." },
  symbols: { help: "The symbol table, as `nm -n` prints it." },
  stabs: { help: "With --symbols: debugger entries too." },
  indirect: { help: "The symbols of stubs and symbol pointers." },
  "function-starts": { help: "Addresses at which functions begin." },
  exports: { help: "The export trie." },
  fixups: { help: "Rebases and binds, chained or classic." },
  objc: { help: "Objective-C classes, categories and methods." },
  swift: { help: "Swift types and protocols." },
  all: { help: "The summary and all lists." },
  "no-pager": noPager,
  json,
} as const;

type ImageOptions = Values<typeof options>;

/** Output is gathered to pieces of about this many characters. */
const GATHERED = 1 << 16;

/** Maximum output for each byte of the file, and the output that is always allowed, in bytes. Lists of real
 * files have up to 40 times the file's size. A damaged file can demand any amount, because any number of
 * entries may share one long name. */
const RATIO = 128;
const SMALL = 64 << 20;

/** `machpause image` */
export default {
  description: "Show what a Mach-O file contains: a summary, or the lists that options name.",
  arguments: "<file:string>",
  options,
  examples: [
    ["One screen about a file", "machpause image MyApp"],
    ["Its symbols", "machpause image MyApp --arch arm64 --symbols"],
  ],
  run: (options, [file]) => showImage(file, options),
} satisfies Subcommand<typeof options>;

/** Opens a file.
 *
 * @throws UserError for one of another kind that machpause knows
 */
async function opened<T>(path: string, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Error && error.name === "FormatError")) throw error;
    const told = await (await import("./opens.ts")).otherKind(path, "image", "Mach-O file");
    throw told === undefined ? error : new UserError(told);
  }
}

async function showImage(path: string, given: ImageOptions): Promise<number> {
  const [{ openImage }, { allLists, imageText }, { complain }, { PagedOutput }, { styleFor }] =
    await Promise.all([
      import("../../mod.ts"),
      import("../view/image.ts"),
      import("../view/output.ts"),
      import("../view/pager.ts"),
      import("../view/style.ts"),
    ]);
  const { arch, all = false, json = false, pager = true, ...chosen } = given;
  const wanted = all ? { ...allLists, stabs: chosen.stabs ?? false } : chosen;
  const summary = all || !Object.keys(allLists).some((key) => wanted[key as keyof typeof allLists]);
  using file = await opened(path, () => openImage(path, arch === undefined ? {} : { arch }));
  const pieces = json
    ? (await import("../view/image_json.ts")).imageJson(file, wanted)
    : imageText(file, wanted, summary, styleFor(Deno.stdout));
  const most = RATIO * (await Deno.stat(path)).size + SMALL;
  let left = most;
  let gathered = safe``;
  let isRead = true;
  await using output = new PagedOutput(pager && !json);
  const flush = async (): Promise<void> => {
    if (gathered !== "") isRead = await output.print(gathered);
    gathered = safe``;
  };
  for await (const piece of pieces) {
    left -= piece.length;
    if (left < 0 || !isRead) break;
    if (typeof piece === "string") {
      gathered = safe`${gathered}${piece}`;
      if (gathered.length > GATHERED) await flush();
    } else {
      await flush();
      isRead = await output.print(piece);
    }
  }
  await flush();
  // Warnings stay on the screen below what the pager showed.
  await output[Symbol.asyncDispose]();
  const warnings = [
    ...file.warnings,
    ...file.images.flatMap(({ arch, member, warnings }) =>
      warnings.map((warning) => `${member ?? arch}: ${warning}`)
    ),
  ];
  for (const warning of warnings) complain(safe`warning: ${escape(warning)}`);
  if (left >= 0) return 0;
  complain(
    safe`${escape(path)}: the output ends after ${
      Math.floor(most / (1 << 20))
    } MiB: its entries refer to many times what the file holds`,
  );
  return 1;
}
