import { escape, safe } from "../../lib/escape.ts";
import type { Profile } from "../../lib/profile/mod.ts";
import { UserError } from "../errors.ts";
import type { Values } from "../options.ts";
import { profileSources } from "./profile/options.ts";
import type { Subcommand } from "./subcommand.ts";

const options = {
  out: { short: "o", value: "file", help: "File to write. Default: stdout." },
  format: {
    short: "f",
    value: "name",
    choices: ["firefox", "speedscope", "pprof", "collapsed", "chrome"],
    help: "firefox, speedscope, pprof, collapsed or chrome. Default: by the file's ending.",
  },
  ...profileSources,
} as const;

/** `machpause convert` */
export default {
  description:
    "Convert profiles for the Firefox Profiler, speedscope, pprof, FlameGraph and Chrome.\n" +
    "Read are those formats, .cpuprofile, what sample and spindump print, other reports, and\n" +
    "stackshots, also a series of them. The output's ending chooses the format: .json.gz,\n" +
    ".speedscope.json, .pb.gz, .collapsed or .trace.json.",
  arguments: "<files...:string>",
  options,
  examples: [
    ["What sample prints, for the Firefox Profiler", "machpause convert app.txt -o app.json.gz"],
    ["A flame graph", "machpause convert app.json.gz -f collapsed | flamegraph.pl > app.svg"],
    ["A series of stackshots", "machpause convert *.kcdata --pid 123 -o app.speedscope.json"],
  ],
  run: (options, files) => convert(files, options),
} satisfies Subcommand<typeof options>;

/** Reads, and writes in the other format.
 *
 * @throws UserError for a format that is not said, and for binary output to a terminal
 */
async function convert(
  paths: readonly string[],
  { out, format: named, ...reading }: Values<typeof options>,
): Promise<number> {
  const { formatOfName, profileStream } = await import("../../lib/profile/formats.ts");
  const format = named ?? (out === undefined ? null : formatOfName(out));
  if (format === null) {
    throw new UserError(
      out === undefined
        ? "convert to what? Name a file with -o, or a format with --format"
        : `${out} has no ending of a format: add --format`,
      2,
    );
  }
  const isTerminal = out === undefined && Deno.stdout.isTerminal();
  if (isTerminal && format !== "collapsed") {
    throw new UserError(`${format} is not for terminals: name a file with -o`, 2);
  }
  const [{ readProfileFiles }, { sizeText }, output] = await Promise.all([
    import("./profile/read.ts"),
    import("./profile/size.ts"),
    import("../view/output.ts"),
  ]);
  const profile = await readProfileFiles(paths, reading);
  // pprof's own tools write nothing else.
  const gzip = out?.endsWith(".gz") || format === "pprof";
  const stream = profileStream(profile, { format, gzip });
  if (out === undefined) {
    const { escapeLines } = await import("../../lib/escape.ts");
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      if (isTerminal) output.print(escapeLines(decoder.decode(bytes, { stream: true })));
      else output.printBytes(bytes);
    }
    return 0;
  }
  const { files } = await import("../../ffi/files.ts");
  using sink = files.create(out, 0o666);
  for await (const bytes of stream) sink.write(bytes);
  sink.commit();
  output.print(safe`${escape(out)}: ${sizeText(profile)}, in the ${escape(format)} format\n`);
  await noteNameless(profile, reading);
  return 0;
}

/** Says which images have no symbols: their functions are addresses in the output. */
async function noteNameless(
  { functions, images }: Profile,
  { symbols = [] }: Values<typeof profileSources>,
): Promise<void> {
  const nameless = new Map<number, number>();
  for (let of = 0; of < functions.length; of++) {
    const image = functions.image[of];
    if (functions.name[of] < 0 && image >= 0) nameless.set(image, (nameless.get(image) ?? 0) + 1);
  }
  if (nameless.size === 0) return;
  const [{ complain }, { count, join }] = await Promise.all([
    import("../view/output.ts"),
    import("../view/text.ts"),
  ]);
  const sorted = [...nameless].sort((one, other) => other[1] - one[1]);
  const names = sorted.slice(0, 3).map(([image]) => escape(images[image].name));
  const total = sorted.reduce((sum, [, functions]) => sum + functions, 0);
  const hidden = sorted.length - names.length;
  const more = hidden > 0 ? safe` and ${count(hidden, "image")} more` : safe``;
  const remedy = symbols.length === 0 ? safe`; --symbols FOLDER names them` : safe``;
  complain(safe`${count(total, "place")} in ${join(names, ", ")}${more} without a name${remedy}`);
}
