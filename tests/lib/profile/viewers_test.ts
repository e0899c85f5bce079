/** What is written opens in the programs it is written for: speedscope, the Firefox Profiler, and what reads
 * pprof's files. Their own importers read it, and find the same weights and places. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Profile as PprofProfile } from "pprof-format";
import {
  gunzipped,
  parseProfile,
  type ProfileFormat,
  readProfile,
  writeProfile,
} from "../../../lib/profile/formats.ts";
import { FormatError } from "../../../lib/errors.ts";
import { ProfileBuilder, SampleState, totalWeight } from "../../../lib/profile/mod.ts";
import { jsonSlabs } from "./json_slabs.ts";
import { type Keeps, knownProfile, stacksOf } from "./known_profile.ts";
import { devToolsThreads, profilerImporter, speedscopeImporter } from "./viewers.ts";

const known = knownProfile();
const openInProfiler = profilerImporter();

/** Runs without what importers write to the console. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { log } = console;
  console.log = () => {};
  try {
    return await run();
  } finally {
    console.log = log;
  }
}

/** What the functions of the main thread take, and the worker's. */
const shares = { burn_sixty: 60, burn_thirty: 0, "square; fast": 30, "std::burn<int>(ten)": 10 };

Deno.test("speedscope imports every format, with the same weights", async () => {
  const importer = speedscopeImporter();
  const read = async (format: ProfileFormat, name: string) => {
    const bytes = new Uint8Array(await writeProfile(known, { format }));
    const group = await quietly(() => importer(name, bytes.buffer));
    assert(group !== null, format);
    const self: Record<string, number> = {};
    for (const profile of group.profiles) {
      profile.forEachFrame((frame) => {
        self[frame.name] = (self[frame.name] ?? 0) + frame.getSelfWeight();
      });
    }
    const total = group.profiles.reduce((sum, profile) => sum + profile.getTotalWeight(), 0);
    return { group, self, total };
  };

  const own = await read("speedscope", "known.speedscope.json");
  assertEquals(own.total, 200);
  assertEquals(own.group.profiles.map((profile) => profile.getName()), [
    "main thread (com.apple.main-thread)",
    "worker é",
  ]);
  assertEquals(own.self, { main: 0, ...shares, work: 0, "libsystem_kernel.dylib + 0x1234": 98 });
  const places: string[] = [];
  own.group.profiles[0].forEachFrame(({ name, file, line }) =>
    places.push(`${name} ${file}:${line}`)
  );
  assert(places.includes("burn_sixty /src/demo.c:12"), places.join());

  // speedscope takes the function that has the activation, and no place without a name.
  const pprof = await read("pprof", "known.pb.gz");
  assertEquals(pprof.total, 200);
  const { burn_sixty, burn_thirty, "std::burn<int>(ten)": ten } = pprof.self;
  assertEquals([burn_sixty, burn_thirty, ten], [60, 30, 10]);

  const collapsed = await read("collapsed", "known.collapsed");
  assertEquals(collapsed.total, 200);
  assertEquals(collapsed.self["burn_sixty (/src/demo.c:12)"], 60);

  // A sample lasts 10 ms; speedscope counts microseconds.
  const chrome = await read("chrome", "known.trace.json");
  assertEquals(chrome.total, 200 * 10_000);
  assertEquals(chrome.self.burn_sixty, 60 * 10_000);
  assertEquals(chrome.self["square; fast"], 30 * 10_000);
});

Deno.test("Chrome's DevTools shows the threads of a trace, with the same times", async () => {
  const bytes = await writeProfile(known, { format: "chrome" });
  const threads = await devToolsThreads(new TextDecoder().decode(bytes));
  assertEquals(threads.map(({ name }) => name), [
    "main thread (com.apple.main-thread)",
    "worker é",
  ]);
  const [{ self: main }, { self: worker }] = threads;
  const round = (name: string, self: Readonly<Record<string, number>>) =>
    Math.round((self[name] ?? 0) / 10);
  for (const [name, samples] of Object.entries(shares)) assertEquals(round(name, main), samples);
  assertEquals(round("libsystem_kernel.dylib + 0x1234", worker), 98);
});

Deno.test("Chrome's DevTools: a sample stands for those before it, and a wait lasts to its end", async () => {
  const builder = new ProfileBuilder({ interval: 10, unit: "samples", startTime: 1e12 });
  const process = builder.process({ name: "app", pid: 7 });
  const stack = (name: string) => builder.stack(-1, builder.frame(builder.function(name)));
  const thread = (name: string) => builder.thread({ process, name, id: BigInt(name.length) });
  const [busy, waiting] = [thread("busy"), thread("waiting")];
  const state = SampleState.onCPU;
  for (const [time, weight] of [[0, 1], [50, 5], [60, 1]]) {
    builder.sample(busy, stack("burn"), time, { weight, state });
  }
  for (const [time, weight] of [[0, 1], [490, 49], [500, 1]]) {
    builder.sample(waiting, stack("lock"), time, { weight, state: SampleState.offCPU });
  }
  const profile = builder.finish();
  const bytes = await writeProfile(profile, { format: "chrome" });
  const [{ self: burn }, { self: lock }] = await devToolsThreads(new TextDecoder().decode(bytes));
  assertEquals([Math.round(burn.burn), Math.round(lock.lock)], [70, 510]);
  const read = parseProfile(bytes, "a.trace.json");
  const times = ({ threads }: typeof read) => threads.map(({ samples }) => [...samples.time]);
  assertEquals(times(read), times(profile));
});

Deno.test("the Firefox Profiler upgrades and opens what is written", async () => {
  const bytes = await writeProfile(known, { format: "firefox" });
  const upgraded = await openInProfiler(bytes);
  const { meta, libs, threads, shared } = upgraded;
  // It is upgraded to the version that the package knows.
  assert(meta.preprocessedProfileVersion >= 66);
  assertEquals(meta.product, "demo");
  assertEquals(libs.map(({ name, breakpadId }) => [name, breakpadId]), [
    ["demo", "0A1B2C3D4E5F60718293A4B5C6D7E8F90"],
    ["libsystem_kernel.dylib", "111111112222333344445555555555550"],
  ]);
  const total = threads.map(({ samples }) =>
    samples.weight?.reduce((sum, weight) => sum + weight, 0)
  );
  assertEquals(total, [100, 100]);
  const { stackTable, frameTable, funcTable, sources, stringArray } = shared;
  const shown = (stack: number | null): string[] => {
    const list: string[] = [];
    for (let at = stack; at !== null;) {
      const frame = stackTable.frame[at];
      const func = frameTable.func[frame];
      const source = funcTable.source[func];
      const file = source === null ? "" : stringArray[sources.filename[source]];
      list.push(
        `${stringArray[funcTable.name[func]]} ${file}:${frameTable.line[frame]} ` +
          `${frameTable.address[frame]} in ${libs[frameTable.lib[frame] ?? -1]?.name}`,
      );
      at = stackTable.prefixOffset[at] === 0 ? null : at - stackTable.prefixOffset[at];
    }
    return list;
  };
  assertEquals(shown(threads[0].samples.stack[6]), [
    "square; fast /src/demo.c:3 816 in demo",
    "burn_thirty /src/demo.c:22 816 in demo",
    "main /src/demo.c:5 272 in demo",
  ]);
  assertEquals(shown(threads[1].samples.stack[0])[0].split(" ")[0], "0x1234");

  // What it saves is read back, in the version of its own.
  const plain = JSON.stringify(
    upgraded,
    (_, value) => ArrayBuffer.isView(value) ? Array.from(value as Uint8Array) : value,
  );
  const everything: Keeps = {
    places: true,
    columns: true,
    inlines: true,
    addresses: true,
    images: true,
    states: true,
  };
  const saved = parseProfile(new TextEncoder().encode(plain), "saved");
  assertEquals(stacksOf(saved, everything), stacksOf(known, everything));

  // It samples Chrome's traces anew, each half millisecond.
  const chrome = await openInProfiler(await writeProfile(known, { format: "chrome" }));
  assertEquals(chrome.threads.map(({ name, pid }) => [name, pid]), [
    ["main thread (com.apple.main-thread)", "4242"],
    ["worker é", "4242"],
  ]);
  const names = chrome.shared.funcTable.name.map((name) => chrome.shared.stringArray[name]);
  assert(names.includes("burn_sixty") && names.includes("square; fast"), names.join());
  assertEquals(
    (await openInProfiler(await writeProfile(known, { format: "collapsed" }))).threads[0].samples
      .length,
    200,
  );
});

Deno.test("a JsonSlabs file is read as the Firefox Profiler reads it", async () => {
  const bytes = await writeProfile(known, { format: "firefox", gzip: false });
  const file = jsonSlabs(JSON.parse(new TextDecoder().decode(bytes)));
  const theirs = await openInProfiler(file);
  assertEquals(theirs.threads.map(({ name }) => name), [
    "main thread (com.apple.main-thread)",
    "worker é",
  ]);
  const keeps: Keeps = { places: true, addresses: true, inlines: true, states: true };
  const read = parseProfile(file, "known.jslb");
  assertEquals(stacksOf(read, keeps), stacksOf(parseProfile(bytes, "known.json"), keeps));
  assertEquals(totalWeight(read), totalWeight(known));
  for (const at of [8, 12, 16, 24, 28]) {
    const damaged = file.slice();
    damaged.fill(0xff, at, at + 4);
    assertThrows(() => parseProfile(damaged, "damaged.jslb"), FormatError);
  }
});

Deno.test("pprof-format decodes what is written, with the same sums", async () => {
  const bytes = await gunzipped(await writeProfile(known, { format: "pprof" }), "known");
  const profile = PprofProfile.decode(bytes);
  const text = (index: number | bigint): string => profile.stringTable.strings[Number(index)];
  assertEquals(profile.sampleType.map(({ type, unit }) => [text(type), text(unit)]), [
    ["samples", "count"],
    ["cpu", "nanoseconds"],
  ]);
  const sums = [0, 1].map((at) =>
    profile.sample.reduce((sum, { value }) => sum + Number(value[at]), 0)
  );
  assertEquals(sums, [totalWeight(known), 100 * 9_900_000]);
  const names = new Map(profile.function.map(({ id, name }) => [Number(id), text(name)]));
  const lines = profile.location.map(({ line }) =>
    line.map(({ functionId, line }) => `${names.get(Number(functionId))}:${line}`)
  );
  assert(lines.some((calls) => calls.join() === "square; fast:3,burn_thirty:22"));
  assertEquals(
    profile.mapping.map(({ filename, buildId, memoryStart }) => [
      text(filename),
      text(buildId),
      Number(memoryStart),
    ])[0],
    ["/Applications/Demo.app/Contents/MacOS/demo", "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9", 2 ** 32],
  );
  const labels = profile.sample[0].label.map(({ key, str, num }) =>
    `${text(key)}=${text(str) || num}`
  );
  assertEquals(labels, [
    "thread=main thread",
    "thread_id=259",
    "queue=com.apple.main-thread",
    "main_thread=1",
    "state=on-CPU",
    "process=demo",
    "pid=4242",
  ]);
});

// Of perf 6.1, with `-F +pid`: inlined calls, types of functions in names, no image, a thread, another event.
const perfScript = `# captured on    : Mon Nov 23 01:14:05 2026
#
rsub 11883/11883 84357.228895:   10101010 cpu-clock:pppH: 
	           13a0d <u64 as core::cmp::PartialOrd>::lt+0x1d (inlined)
	           13a0d r::inner+0x1d (/tmp/rsub)
	           13a25 r::outer+0x5 (/tmp/rsub)
	           13840 _start+0x20 (/tmp/rsub)

rsub 11883/11883 84357.238995:   10101010 cpu-clock:pppH: 
	           13a25 r::outer+0x5 (/tmp/rsub)
	           13840 _start+0x20 (/tmp/rsub)

a pool 11883/11884 84357.239001:   10101010 cpu-clock:pppH: 
	            6d04 std::__invoke_impl<void, void (*)(int), int>+0x32 (/tmp/rsub)
	           d44a3 [unknown] (/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30)
	          2a55ac [unknown] ([unknown])

rsub 11883/11883 84357.249095:   10101010 cpu-clock:pppH: 
	           13a25 r::outer+0x5 (/tmp/rsub)
	           13840 _start+0x20 (/tmp/rsub)

`;

Deno.test("what perf script prints is read as the Firefox Profiler reads it", async () => {
  const bytes = new TextEncoder().encode(perfScript);
  const mine = await readProfile(bytes, "out.txt");
  const theirs = await quietly(() => openInProfiler(bytes));
  assert(theirs !== undefined);
  const { stackTable, frameTable, funcTable, stringArray } = theirs.shared;
  // Names, outermost first, of each sample; theirs have no offsets, and an address for what has no name.
  const expected = theirs.threads.map(({ name, samples }) => [
    name,
    ...samples.stack.map((stack) => {
      const names: string[] = [];
      for (let at = stack; at !== null;) {
        names.push(stringArray[funcTable.name[frameTable.func[stackTable.frame[at]]]]);
        const offset = stackTable.prefixOffset[at];
        at = offset === 0 ? null : at - offset;
      }
      return names.reverse().map((name) => name.replace(/\+0x[\da-f]+$/, ""));
    }),
  ]);
  const { stacks, frames, functions, strings } = mine;
  const found = mine.threads.map(({ name, samples }) => [
    name,
    ...Array.from(samples.stack, (stack) => {
      const names: string[] = [];
      for (let at = stack; at >= 0; at = stacks.prefix[at]) {
        const index = functions.name[frames.function[stacks.frame[at]]];
        names.push(index < 0 ? "[unknown]" : strings[index]);
      }
      return names.reverse();
    }),
  ]);
  assertEquals(found, expected);
  const [main, pool] = mine.threads;
  assertEquals([main.isMain, pool.isMain, main.id, pool.id], [true, false, 11883n, 11884n]);
  assertEquals(mine.processes.map(({ name, pid }) => [name, pid]), [["rsub", 11883]]);
  assertEquals(Array.from(main.samples.time, Math.round), [0, 10, 20]);
  const depths = Array.from(frames.inlineDepth).filter((depth) => depth > 0);
  assertEquals([depths, mine.images.map(({ name }) => name)], [
    [1],
    ["rsub", "libstdc++.so.6.0.30"],
  ]);
  // Fields without times, a sample without a stack, lines of sources, and another event.
  const other = await readProfile(
    new TextEncoder().encode(
      "java 19983 cycles:\nffffffff8103d0ca write ([kernel.kallsyms])\n    400570 main (/bin/java (deleted))\n" +
        "  Main.c:7\n\njava 19983 cycles: 400570 main (/bin/java)\n\njava 1 page-faults:\n 1 f (x)\n",
    ),
    "out.txt",
  );
  assertEquals([totalWeight(other), other.aggregated, other.threads.length], [2, true, 1]);
  assert(other.strings.includes("Main.c"));
  // Names that end in numbers, without a processor between the thread and the time.
  for (const comm of ["worker 3", "done 70/100", "2 5 8"]) {
    const sample = (at: string, ids: string) =>
      `${comm} ${ids} 69196.${at}:    5025125 cpu-clock:ppp: \n\t 12c9 hot+0x35 (/tmp/a)\n\n`;
    for (const ids of ["  6343", "6330/6343"]) {
      const text = sample("557840", ids) + sample("562865", ids);
      const named = await readProfile(new TextEncoder().encode(text), "out.txt");
      const [{ name, id, samples }, ...others] = named.threads;
      const pid = ids.includes("/") ? 6330 : null;
      assertEquals([name, id, named.processes[0].pid], [comm, 6343n, pid]);
      assertEquals([samples.length, others.length, named.interval], [2, 0, 5.025]);
    }
  }
});
