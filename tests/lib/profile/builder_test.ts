/** Profiles are built with every part once, and summed correctly. */
import { assertEquals } from "@std/assert";
import {
  callTree,
  framesOf,
  functionName,
  functionWeights,
  mergeThreads,
  type Profile,
  ProfileBuilder,
  sampleCount,
  SampleState,
  selectSamples,
  totalWeight,
} from "../../../lib/profile/mod.ts";

/** A profile of stacks written as `main;work 3`; one thread for each list. */
function profileOf(...threads: readonly (readonly string[])[]): Profile {
  const builder = new ProfileBuilder({ interval: 10 });
  const process = builder.process({ name: "demo", pid: 7 });
  threads.forEach((lines, index) => {
    const thread = builder.thread({ process, id: BigInt(index), isMain: index === 0 });
    lines.forEach((line, time) => {
      const [names, weight] = line.split(" ");
      const stack = names.split(";").reduce(
        (prefix, name) => builder.stack(prefix, builder.frame(builder.function(name))),
        -1,
      );
      builder.sample(thread, stack, time * 10, { weight: Number(weight) });
    });
  });
  return builder.finish();
}

/** A tree as `name self/total` lines, indented. */
function drawn(profile: Profile, inverted = false): string[] {
  const tree = callTree(profile, { inverted });
  const lines: string[] = [];
  const draw = (node: number, depth: number): void => {
    for (const child of tree.children(node)) {
      const name = functionName(profile, tree.key[child]);
      lines.push(`${" ".repeat(depth)}${name} ${tree.self[child]}/${tree.total[child]}`);
      draw(child, depth + 1);
    }
  };
  draw(-1, 0);
  return lines;
}

Deno.test("images, functions, frames and stacks are kept once", () => {
  const builder = new ProfileBuilder();
  const image = { name: "demo", uuid: "U", address: 0x1000n };
  assertEquals(builder.image(image), builder.image({ ...image }));
  const place = { image: 0, address: 0xffff_ffff_8000_0000n };
  const work = builder.function("work", place);
  assertEquals(builder.function("work", place), work);
  assertEquals(builder.function("work"), work + 1);
  const frame = builder.frame(work, { address: 0xffff_ffff_8000_0010n, line: 3 });
  assertEquals(builder.frame(work, { address: 0xffff_ffff_8000_0010n, line: 3 }), frame);
  assertEquals(builder.frame(work, { address: 0x8000_0010n, line: 3 }), frame + 1);
  const stack = builder.stack(-1, frame);
  assertEquals(builder.stack(-1, frame), stack);
  assertEquals(builder.stack(stack, frame), stack + 1);
  const profile = builder.finish();
  assertEquals([...profile.stacks.prefix], [-1, stack]);
  assertEquals(framesOf(profile, 1), [frame, frame]);
  assertEquals(profile.frames.address[0], 0xffff_ffff_8000_0010n);
});

Deno.test("tables grow, and their rows are found again", () => {
  const builder = new ProfileBuilder();
  const process = builder.process();
  const thread = builder.thread({ process });
  const stacks: number[] = [];
  for (let index = 0; index < 20_000; index++) {
    const of = builder.function(`f${index % 5000}`);
    stacks.push(builder.stack(index % 7 - 1, builder.frame(of, { line: index })));
    builder.sample(thread, stacks[index], index);
  }
  for (let index = 0; index < 20_000; index++) {
    const of = builder.function(`f${index % 5000}`);
    assertEquals(builder.stack(index % 7 - 1, builder.frame(of, { line: index })), stacks[index]);
  }
  const profile = builder.finish();
  assertEquals(
    [profile.functions.length, profile.stacks.length, sampleCount(profile), totalWeight(profile)],
    [5000, 20_000, 20_000, 20_000],
  );
  assertEquals(functionName(profile, 4999), "f4999");
});

Deno.test("a thread's samples are ordered by time", () => {
  const builder = new ProfileBuilder();
  const thread = builder.thread({ process: builder.process() });
  builder.sample(thread, -1, 20, { weight: 3 });
  builder.sample(thread, -1, 10, { weight: 1, cpu: 5, state: SampleState.offCPU });
  const { samples } = builder.finish().threads[0];
  assertEquals([...samples.time], [10, 20]);
  assertEquals([...samples.weight], [1, 3]);
  assertEquals([...samples.cpu], [5, NaN]);
  assertEquals([...samples.state], [2, 0]);
});

Deno.test("a nameless function is called by image and offset", () => {
  const builder = new ProfileBuilder();
  const image = builder.image({ name: "demo", address: 0x1000n });
  builder.function(null, { image, address: 0x107fn });
  builder.function(null, { address: 0x10n });
  const profile = builder.finish();
  assertEquals([0, 1].map((index) => functionName(profile, index)), ["demo + 0x7f", "0x10"]);
});

Deno.test("call trees from the top and from the bottom", () => {
  const profile = profileOf(["main;a;b 3", "main;a 2", "main;c;b 4", "main;a;b 1"]);
  assertEquals(drawn(profile), [
    "main 0/10",
    " a 2/6",
    "  b 4/4",
    " c 0/4",
    "  b 4/4",
  ]);
  assertEquals(drawn(profile, true), [
    "b 0/8",
    " a 0/4",
    "  main 4/4",
    " c 0/4",
    "  main 4/4",
    "a 0/2",
    " main 2/2",
  ]);
});

Deno.test("a recursive function counts once", () => {
  const profile = profileOf(["main;f;f;f 5", "main;f;g 2"]);
  const weights = functionWeights(profile)
    .map(({ function: index, self, total }) => [functionName(profile, index), self, total]);
  assertEquals(weights, [["f", 5, 7], ["g", 2, 2], ["main", 0, 7]]);
});

Deno.test("samples are selected by thread, time and state, and threads merged", () => {
  const profile = profileOf(["main;a 1", "main;b 2", "main;a 4"], ["w;b 8", "w;c 16"]);
  assertEquals(totalWeight(selectSamples(profile, { from: 10, to: 20 })), 18);
  assertEquals(totalWeight(selectSamples(profile, { threads: [1] })), 24);
  assertEquals(totalWeight(selectSamples(profile, { state: SampleState.onCPU })), 0);
  assertEquals(drawn(selectSamples(profile, { threads: [0], from: 20 })), ["main 0/4", " a 4/4"]);
  const merged = mergeThreads(profile);
  assertEquals([...merged.threads[0].samples.weight], [1, 8, 2, 16, 4]);
  assertEquals(drawn(merged), ["w 0/24", " c 16/16", " b 8/8", "main 0/7", " a 5/5", " b 2/2"]);
});
