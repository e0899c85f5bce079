import { escape, safe } from "../../lib/escape.ts";
import type { Profile } from "../../lib/profile/mod.ts";
import { UserError } from "../errors.ts";
import type { Values } from "../options.ts";
import { profileSources } from "./profile/options.ts";
import type { Subcommand } from "./subcommand.ts";

const options = {
  out: { short: "o", aliases: ["output"], value: "file", help: "File to write. Default: stdout." },
  format: {
    short: "f",
    value: "name",
    choices: ["firefox", "speedscope", "pprof", "collapsed", "chrome", "sample"],
    help: "firefox, speedscope, pprof, collapsed, chrome or sample. Default: by the file's ending.",
  },
  ...profileSources,
} as const;

/** `machpause convert` */
export default {
  description:
    "Convert profiles for the Firefox Profiler, speedscope, pprof, FlameGraph and Chrome, or to\n" +
    "what macOS's sample prints.\n" +
    "Read are those formats, .cpuprofile, what sample and spindump print, other reports, and\n" +
    "stackshots, also a series of them. The output's ending chooses the format: .json.gz,\n" +
    ".speedscope.json, .pb.gz, .collapsed, .trace.json or .sample.txt.",
  arguments: "<files...:string>",
  options,
  examples: [
    ["What sample prints, for the Firefox Profiler", "machpause convert app.txt -o app.json.gz"],
    ["A flame graph", "machpause convert app.json.gz -f collapsed | flamegraph.pl > app.svg"],
    ["A series of stackshots", "machpause convert *.kcdata --pid 123 -o app.speedscope.json"],
  ],
  run: (options, files) => convert(files, options),
} satisfies Subcommand<typeof options>;

/** Names of files with what `sample` prints. */
const sampleName = /\.sample(?:\.txt)?(?:\.gz)?$/i;

/** A profile as what `sample` prints. Times are counted in milliseconds.
 *
 * @throws UserError for a profile that counts bytes
 */
async function sampleText(
  profile: Profile,
  gzip: boolean,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (profile.unit === "bytes") throw new UserError("what sample prints has no bytes");
  const { sampleLines } = await import("../../lib/report/write/sample.ts");
  const milliseconds = { nanoseconds: 1e-6, microseconds: 1e-3, milliseconds: 1, samples: null };
  const scale = milliseconds[profile.unit];
  const counted = scale === null ? profile : {
    ...profile,
    threads: profile.threads.map((thread) => ({
      ...thread,
      samples: {
        ...thread.samples,
        weight: thread.samples.weight.map((weight) => Math.round(weight * scale)),
      },
    })),
  };
  const { startTime, interval, images, processes } = profile;
  const path = images.find(({ name }) => name === processes[0].name)?.path ?? null;
  const date = startTime === null ? null : new Date(startTime);
  const lines = sampleLines(counted, {
    interval: scale === null && interval > 0 ? interval : 1,
    ...path === null ? {} : { path },
    ...date === null || Number.isNaN(date.getTime()) ? {} : { date },
  });
  const text = ReadableStream.from(lines).pipeThrough(
    new TransformStream<string, string>({
      transform: (line, controller) => controller.enqueue(`${line}\n`),
    }),
  ).pipeThrough(new TextEncoderStream());
  return gzip ? text.pipeThrough(new CompressionStream("gzip")) : text;
}

/** Reads, and writes in the other format.
 *
 * @throws UserError for a format that is not said, and for binary output to a terminal
 */
async function convert(
  paths: readonly string[],
  { out: given, format: named, ...reading }: Values<typeof options>,
): Promise<number> {
  const [output, { isStdout, outputTo }] = await Promise.all([
    import("../view/output.ts"),
    import("../view/output_file.ts"),
  ]);
  const out = isStdout(given) ? undefined : given;
  const { formatOfName, profileStream } = await import("../../lib/profile/formats.ts");
  const format = named ??
    (out === undefined ? null : sampleName.test(out) ? "sample" : formatOfName(out));
  if (format === null) {
    throw new UserError(
      out === undefined
        ? "convert to what? Name a file with -o, or a format with --format"
        : `${out} has no ending of a format: add --format`,
      2,
    );
  }
  const isTerminal = out === undefined && Deno.stdout.isTerminal();
  if (isTerminal && format !== "collapsed" && format !== "sample") {
    throw new UserError(`${format} is not for terminals: name a file with -o`, 2);
  }
  const [{ readProfileFiles }, { sizeText }] = await Promise.all([
    import("./profile/read.ts"),
    import("./profile/size.ts"),
  ]);
  const profile = await readProfileFiles(paths, reading);
  // pprof's own tools write nothing else.
  const gzip = out?.endsWith(".gz") || format === "pprof";
  const stream = format === "sample"
    ? await sampleText(profile, gzip ?? false)
    : profileStream(profile, { format, gzip });
  if (out === undefined) {
    const { escapeLines } = await import("../../lib/escape.ts");
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      if (isTerminal) output.print(escapeLines(decoder.decode(bytes, { stream: true })));
      else output.printBytes(bytes);
    }
    return 0;
  }
  using sink = outputTo(out);
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
