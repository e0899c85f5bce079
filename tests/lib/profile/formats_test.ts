/** What is written in each format is read back with everything that the format can carry. */
import { constants, deflateRawSync } from "node:zlib";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FormatError } from "../../../lib/errors.ts";
import {
  formatOfName,
  gunzipped,
  parseProfile,
  type ProfileFormat,
  profileFormats,
  readProfile,
  writeProfile,
} from "../../../lib/profile/formats.ts";
import {
  functionName,
  functionWeights,
  mergeThreads,
  type Profile,
  ProfileBuilder,
  sampleCount,
  selectSamples,
  totalWeight,
} from "../../../lib/profile/mod.ts";
import { type Keeps, knownProfile, stacksOf } from "./known_profile.ts";

/** What each format carries. */
const carried: Record<ProfileFormat, Keeps> = {
  firefox: {
    places: true,
    columns: true,
    inlines: true,
    addresses: true,
    images: true,
    states: true,
  },
  pprof: {
    places: true,
    columns: true,
    inlines: true,
    addresses: true,
    images: true,
    states: true,
  },
  speedscope: { places: true, columns: true, images: true },
  chrome: { places: true, columns: true, states: true },
  collapsed: { places: true, inlines: true },
};

/** The known profile as a format shows it: a name that has the separator of collapsed stacks loses it. */
function expected(format: ProfileFormat): Profile {
  const known = knownProfile();
  if (format !== "collapsed") return known;
  const strings = known.strings.map((text) => text.replaceAll(";", ":"));
  return { ...known, strings, processes: [{ name: null, pid: null }] };
}

for (const format of profileFormats) {
  Deno.test(`${format}: what is written is read back`, async () => {
    const known = knownProfile();
    const read = await readProfile(await writeProfile(known, { format }), `known ${format}`);
    assertEquals(totalWeight(read), 200);
    const keeps = carried[format];
    const wanted = stacksOf(expected(format), keeps);
    // A stack may be empty, a line of collapsed stacks may not.
    if (format === "collapsed") {
      for (const stacks of Object.values(wanted)) {
        if (stacks[""] === undefined) continue;
        stacks["[unknown]||0||inline 0||\n"] = stacks[""];
        delete stacks[""];
      }
    }
    const isNameless = (text: string): string => text.replace(/\|\/src\/demo\.c\|0\|/g, "||0|");
    assertEquals(
      JSON.parse(isNameless(JSON.stringify(stacksOf(read, keeps)))),
      JSON.parse(isNameless(JSON.stringify(wanted))),
    );
    // And again: nothing is lost by the second time that was not lost by the first.
    const again = await readProfile(await writeProfile(read, { format }), "again");
    assertEquals(stacksOf(again, keeps), stacksOf(read, keeps));
  });

  Deno.test(`${format}: an empty profile is written, and what has no samples read`, async () => {
    const builder = new ProfileBuilder();
    builder.thread({ process: builder.process(), isMain: true });
    const bytes = await writeProfile(builder.finish(), { format, gzip: false });
    if (format === "collapsed") assertEquals(bytes.length, 0);
    else assertEquals(sampleCount(await readProfile(bytes, "empty")), 0);
  });
}

Deno.test("speedscope: profiles of other units are in the first one's, or left out", async () => {
  const sampled = (name: string, unit: string, weight: number) => ({
    ...{ type: "sampled", name, unit, startValue: 0, endValue: weight },
    ...{ samples: [[0]], weights: [weight] },
  });
  const of = (...profiles: ReturnType<typeof sampled>[]) => ({
    $schema: "https://www.speedscope.app/file-format-schema.json",
    shared: { frames: [{ name: "main" }] },
    profiles,
  });
  const all = [
    sampled("a", "milliseconds", 5),
    sampled("b", "microseconds", 2000),
    sampled("c", "bytes", 30),
    sampled("d", "seconds", 0.003),
    sampled("e", "none", 7),
    sampled("f", "nanoseconds", 4e6),
  ];
  const sums = async (profiles: typeof all) => {
    const bytes = new TextEncoder().encode(JSON.stringify(of(...profiles)));
    const { unit, threads } = await readProfile(bytes, "mixed");
    return [unit, ...threads.map(({ name, samples }) => [name, samples.weight[0]])];
  };
  assertEquals(await sums(all), ["milliseconds", ["a", 5], ["b", 2], ["d", 3], ["f", 4]]);
  assertEquals(await sums(all.slice(1)), [
    "microseconds",
    ["b", 2000],
    ["d", 3000],
    ["f", 4000],
  ]);
  assertEquals(await sums(all.slice(2)), ["bytes", ["c", 30]]);
});

Deno.test("collapsed: counts that are fractions stay as they are", async () => {
  const text = "a;b 1.5\na;c 0.1\na;c 0.2\na;d 2\n";
  const profile = await readProfile(new TextEncoder().encode(text), "f.collapsed");
  const out = await writeProfile(profile, { format: "collapsed" });
  const root = "[main thread tid=0];";
  assertEquals(
    new TextDecoder().decode(out),
    `${root}a;b 1.5\n${root}a;c 0.3\n${root}a;d 2\n`,
  );
});

Deno.test("collapsed: stacks that differ by addresses alone are one line", async () => {
  const builder = new ProfileBuilder();
  const thread = builder.thread({ process: builder.process(), id: 7n, name: "a" });
  const [main, work] = ["main", "work"].map((name) => builder.function(name));
  for (const address of [1n, 2n, 3n]) {
    const outer = builder.stack(-1, builder.frame(main, { address }));
    builder.sample(thread, outer, 0);
    builder.sample(thread, builder.stack(outer, builder.frame(work, { address: 9n })), 0);
    builder.sample(
      thread,
      builder.stack(outer, builder.frame(work, { address: 0x10n, line: 4 })),
      0,
    );
  }
  const bytes = await writeProfile(builder.finish(), { format: "collapsed", gzip: false });
  assertEquals(
    new TextDecoder().decode(bytes),
    "[a tid=7];main 3\n[a tid=7];main;work 6\n",
  );
});

Deno.test("firefox: times, CPU, states, loss and what the recording says are kept", async () => {
  const known = knownProfile();
  const read = await readProfile(await writeProfile(known, { format: "firefox" }), "known");
  const { threads, strings: _, functions: __, frames: ___, stacks: ____, ...rest } = read;
  const { threads: wanted, strings: _a, functions: _b, frames: _c, stacks: _d, ...info } = known;
  assertEquals(rest, info);
  for (const [index, { samples }] of threads.entries()) {
    const { stack: _, ...columns } = samples;
    const { stack: __, ...other } = wanted[index].samples;
    assertEquals(columns, other);
  }
  assertEquals([...read.functions.address].sort(), [...known.functions.address].sort());
});

Deno.test("chrome: times, CPU and states are kept", async () => {
  const known = knownProfile();
  const read = await readProfile(await writeProfile(known, { format: "chrome" }), "known");
  for (const [index, { samples }] of read.threads.entries()) {
    const { stack: _, ...columns } = samples;
    const { stack: __, ...other } = known.threads[index].samples;
    assertEquals(columns, other);
  }
  assertEquals([read.interval, read.unit, read.lost], [10, "samples", 3]);
});

Deno.test("weights of time and of bytes have the same sum in all formats", async () => {
  for (const unit of ["nanoseconds", "microseconds", "milliseconds", "bytes"] as const) {
    const builder = new ProfileBuilder({ unit, interval: 1 });
    const thread = builder.thread({ process: builder.process({ name: "p", pid: 1 }), id: 1n });
    for (let index = 0; index < 20; index++) {
      const frame = builder.frame(builder.function(`f${index % 3}`));
      builder.sample(thread, builder.stack(-1, frame), index, { weight: 1000 + index * 8 });
    }
    const profile = builder.finish();
    const inUnit: Record<string, number> = {
      nanoseconds: 1,
      microseconds: 1e3,
      milliseconds: 1e6,
      bytes: 1,
      samples: 1,
    };
    for (const format of profileFormats) {
      const read = await readProfile(await writeProfile(profile, { format }), format);
      // Collapsed stacks do not say what they count.
      if (format !== "collapsed") assertEquals(read.unit === "bytes", unit === "bytes");
      const sum = Math.round(totalWeight(read) * inUnit[read.unit]);
      assertEquals(sum, totalWeight(profile) * inUnit[unit], `${format} ${unit}`);
    }
  }
});

Deno.test("any format can be made of any other", async () => {
  const known = knownProfile();
  const names = (profile: Profile): [string, number][] =>
    functionWeights(mergeThreads(selectSamples(profile, { threads: [0] })))
      .filter(({ self }) => self > 0)
      .map(({ function: of, self }) => [functionName(profile, of).replace(/[;:]/g, ""), self]);
  const truth = names(known);
  assertEquals(truth.map(([, self]) => self), [60, 30, 10]);
  for (const from of profileFormats) {
    const first = await readProfile(await writeProfile(known, { format: from }), from);
    for (const to of profileFormats) {
      const second = await readProfile(await writeProfile(first, { format: to }), to);
      assertEquals(names(second), truth, `${from} to ${to}`);
    }
  }
});

Deno.test("a name's ending chooses the format", () => {
  const chosen = [
    "a.json",
    "a.json.gz",
    "a.speedscope.json",
    "A.SPEEDSCOPE.JSON.GZ",
    "a.pb.gz",
    "a.pprof",
    "a.collapsed",
    "a.folded.gz",
    "a.trace.json",
    "a.txt",
  ].map(formatOfName);
  assertEquals(chosen, [
    "firefox",
    "firefox",
    "speedscope",
    "speedscope",
    "pprof",
    "pprof",
    "collapsed",
    "collapsed",
    "chrome",
    null,
  ]);
});

Deno.test("gzip is chosen by the format, or asked for", async () => {
  const known = knownProfile();
  const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
  for (const format of profileFormats) {
    assertEquals(
      isGzip(await writeProfile(known, { format })),
      format === "firefox" || format === "pprof",
    );
    assert(isGzip(await writeProfile(known, { format, gzip: true })));
    const plain = await writeProfile(known, { format, gzip: false });
    assertEquals(totalWeight(parseProfile(plain, "plain")), 200);
  }
});

Deno.test("what is no profile is refused with a reason", async () => {
  const encoder = new TextEncoder();
  for (
    const [text, reason] of [
      ["", "a profile of"],
      ["hello", "a profile of"],
      ["{}", "a profile of"],
      ["[1,2]", "a profile of"],
      ['{"traceEvents":[]}', "CPU profiles"],
      ['{"meta":{},"libs":[],"threads":[]}', "a processed profile"],
      ['{"nodes":', "JSON"],
      ['{"meta":{"preprocessedProfileVersion":66},"threads":[1]}', "threads[0], an object"],
    ]
  ) {
    const error = await assertRejects(() => readProfile(encoder.encode(text), "file"), FormatError);
    assert(error.message.includes(reason), error.message);
  }
  const cut = (await writeProfile(knownProfile(), { format: "pprof" })).subarray(0, -20);
  await assertRejects(() => readProfile(cut, "cut"), FormatError, "gzip");
});

Deno.test("a stack whose prefix is behind it, or itself, is refused", () => {
  const document = (prefix: unknown) =>
    new TextEncoder().encode(JSON.stringify({
      meta: { preprocessedProfileVersion: 60 },
      shared: {
        stringArray: ["f"],
        stackTable: { frame: [0, 0], prefix: [null, prefix] },
        frameTable: { func: [0] },
        funcTable: { name: [0] },
      },
      threads: [{ name: "t", samples: { stack: [1], time: [0], weight: null } }],
    }));
  assertEquals(totalWeight(parseProfile(document(0), "good")), 1);
  for (const prefix of [1, 2, -1, 0.5]) {
    assertThrows(() => parseProfile(document(prefix), "bad"), FormatError, "prefix");
  }
});

Deno.test("a gzip bomb ends at the limit", async () => {
  // A mebibyte of zeros, deflated a thousand to one, 300 times.
  const zeros = deflateRawSync(new Uint8Array(1 << 20), { finishFlush: constants.Z_SYNC_FLUSH });
  const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);
  const bomb = new Uint8Array(header.length + 300 * zeros.length);
  bomb.set(header);
  for (let index = 0; index < 300; index++) bomb.set(zeros, header.length + index * zeros.length);
  assert(bomb.length < 1 << 20);
  await assertRejects(() => gunzipped(bomb, "bomb", 16 << 20), FormatError, "16 MiB");
});

Deno.test("runaway recursion loses its innermost frames only", async () => {
  const builder = new ProfileBuilder();
  const thread = builder.thread({ process: builder.process(), id: 1n });
  const frame = builder.frame(builder.function("again"));
  let stack = -1;
  for (let depth = 0; depth < 10_000; depth++) stack = builder.stack(stack, frame);
  builder.sample(thread, stack, 0, { weight: 5 });
  for (const format of profileFormats) {
    const read = await readProfile(await writeProfile(builder.finish(), { format }), format);
    assertEquals([totalWeight(read), read.stacks.length], [5, 4096], format);
  }
});

Deno.test("a format that repeats stacks refuses what would not fit", async () => {
  const builder = new ProfileBuilder();
  const thread = builder.thread({ process: builder.process() });
  const frame = builder.frame(builder.function("again"));
  let stack = -1;
  for (let depth = 0; depth < 40_000; depth++) stack = builder.stack(stack, frame);
  for (let index = 0; index < 2000; index++) builder.sample(thread, stack, index);
  await assertRejects(
    () => writeProfile(builder.finish(), { format: "speedscope" }),
    RangeError,
    "the firefox format",
  );
});
