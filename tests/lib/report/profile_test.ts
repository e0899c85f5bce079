/** Reports as profiles: call trees keep their counts, and addresses get names from symbols. */
import { assert, assertEquals } from "@std/assert";
import { files } from "../../../ffi/files.ts";
import { parseProfile, writeProfile } from "../../../lib/profile/formats.ts";
import {
  callTree,
  framesOf,
  functionName,
  functionWeights,
  type Profile,
  ProfileBuilder,
  totalWeight,
} from "../../../lib/profile/mod.ts";
import {
  profileOfReport,
  readReport,
  ReportSymbolFiles,
  symbolicateProfile,
} from "../../../lib/report/mod.ts";
import { DebugFinder, SymbolFiles } from "../../../lib/symbols/mod.ts";
import { textOf } from "./fixtures.ts";

/** The call tree as `name weight` lines, indented. */
function drawn(profile: Profile, thread: number): string[] {
  const tree = callTree(profile, { threads: [thread] });
  const lines: string[] = [];
  const draw = (node: number, depth: number): void => {
    for (const child of tree.children(node)) {
      lines.push(
        `${" ".repeat(depth)}${functionName(profile, tree.key[child])} ${tree.total[child]}`,
      );
      draw(child, depth + 1);
    }
  };
  draw(-1, 0);
  return lines;
}

Deno.test("what sample prints becomes a profile with its counts", () => {
  const profile = profileOfReport(readReport(textOf("sample.txt"), "sample.txt"));
  assertEquals(
    [profile.interval, profile.unit, profile.aggregated, profile.arch, profile.product],
    [1, "samples", true, "x86_64", "Ledger"],
  );
  assertEquals(profile.processes, [{ name: "Ledger", pid: 9090 }]);
  assertEquals(
    profile.threads.map(({ id, name, queue, isMain }) => ({ id, name, queue, isMain })),
    [
      { id: 777001n, name: null, queue: "com.apple.main-thread", isMain: true },
      { id: 777002n, name: "AMCP Logging Spool", queue: null, isMain: false },
    ],
  );
  assertEquals(totalWeight(profile), 2 * 2543);
  assertEquals(drawn(profile, 0), [
    "start 2543",
    " main 2543",
    "  -[Book sum (all)] 1500",
    "   Ledger + 0x1230 1500",
    "  operator<<(std::ostream&, Money const&) 1043",
  ]);
  assertEquals(drawn(profile, 1), ["thread_start 2543", " 0x123456789a 2543"]);
  // As the text's own "Sort by top of stack" has it.
  const [top] = functionWeights(profile, { threads: [0] });
  assertEquals([functionName(profile, top.function), top.self], ["Ledger + 0x1230", 1500]);
  // A caller's address is inside of its call; the innermost is where it was.
  const [stack] = profile.threads[0].samples.stack;
  const addresses = framesOf(profile, stack).map((frame) => profile.frames.address[frame]);
  assertEquals(addresses, [0x10a3b5230n, 0x10a3b500fn, 0x10a3b4f4fn, 0x7fff6f4b7cc8n]);
  const main = profile.strings.indexOf("main");
  const of = profile.functions.name.indexOf(main);
  assertEquals(profile.functions.address[of], 0x10a3b4f50n - 24n);
  assertEquals(profile.strings[profile.functions.file[of]], "main.c");
});

Deno.test("what spindump prints becomes a profile with its counts and states", () => {
  const text = textOf("spindump.txt");
  const profile = profileOfReport(readReport(text, "spindump.txt"));
  assertEquals([profile.interval, totalWeight(profile)], [10, 400]);
  assertEquals(drawn(profile, 0), [
    "start 200",
    " Mosaic + 0x3f33 200",
    "  tile(_:) 150",
    "   hndl_unix_scall 150",
    "  0x2deadbeef 50",
  ]);
  assertEquals([...profile.threads[0].samples.state], [0, 0]);
  // Where the text says who ran, the others did not.
  const said = text.replace("[0xfffffe0007a04d2c]", "[0xfffffe0007a04d2c] (running)");
  const states = profileOfReport(readReport(said, "spindump.txt")).threads.map((
    { samples },
  ) => [...samples.state]);
  assertEquals(states, [[1, 2], [2]]);
});

Deno.test("a report without call trees is one sample of each thread", () => {
  const report = readReport(textOf("ios109.ips"), "ios109.ips");
  const profile = profileOfReport(report);
  assertEquals(profile.aggregated, false);
  assertEquals(
    profile.threads.map(({ samples }) => framesOf(profile, samples.stack[0]).length).slice(-1),
    [report.threads.at(-1)!.frames.length],
  );
});

Deno.test("addresses of a profile get names, lines and inlined calls from a dSYM", async () => {
  const folder = new URL("../../fixtures/inlines/", import.meta.url).pathname;
  const symbolFiles = new SymbolFiles(files, [folder]);
  using finder = new DebugFinder({ files }, symbolFiles);
  using symbols = new ReportSymbolFiles(files, symbolFiles, { debug: finder });
  const [dsym] = symbolFiles.named("inlines").filter(({ kind }) => kind === "dsym");
  const image = { name: "inlines", path: null, uuid: dsym.uuid, address: 0x4_0000_0000n };
  const builder = new ProfileBuilder();
  const index = builder.image(image);
  const lookup = symbols.find(
    {
      ...image,
      arch: null,
      base: image.address,
      size: 0n,
      version: null,
      identifier: null,
      marked: false,
    },
    null,
    null,
  );
  assert(lookup !== null);
  // An address where calls are inlined, by the same debug information.
  let offset = 0;
  while ((lookup.at(offset)?.frames.length ?? 0) < 3) offset++;
  const truth = lookup.at(offset)!;
  const address = image.address + BigInt(offset);
  const frame = builder.frame(builder.function(null, { image: index, address }), { address });
  const thread = builder.thread({ process: builder.process(), isMain: true });
  builder.sample(thread, builder.stack(-1, frame), 0, { weight: 7 });

  // As it comes from another program, which knows images and offsets.
  const bytes = await writeProfile(builder.finish(), { format: "firefox", gzip: false });
  const named = symbolicateProfile(parseProfile(bytes, "bare"), { files: symbols });
  const shown = framesOf(named, named.threads[0].samples.stack[0]).map((frame) => ({
    name: functionName(named, named.frames.function[frame]),
    line: named.frames.line[frame],
    depth: named.frames.inlineDepth[frame],
  }));
  assertEquals(
    shown,
    truth.frames.map(({ function: name, location }, at) => ({
      name: at === truth.frames.length - 1 ? `${truth.symbol?.name ?? name}` : name,
      line: location?.line ?? 0,
      depth: truth.frames.length - 1 - at,
    })),
  );
  assertEquals(totalWeight(named), 7);
});
