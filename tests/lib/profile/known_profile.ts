/** A profile that has everything a format may carry, and what it says as text. */
import {
  framesOf,
  functionName,
  type Profile,
  ProfileBuilder,
  SampleState,
} from "../../../lib/profile/mod.ts";

/** Three functions that burn 60, 30 and 10 of 100 samples of the main thread, one of them with a call inlined
 * into it, and a worker that waits in a function without a name. */
export function knownProfile(): Profile {
  const builder = new ProfileBuilder({
    product: "demo",
    arch: "arm64",
    os: "macOS 14.5 (23F79)",
    startTime: 1_700_000_000_000,
    interval: 10,
    lost: 3,
  });
  const process = builder.process({ name: "demo", pid: 4242 });
  const demo = builder.image({
    name: "demo",
    path: "/Applications/Demo.app/Contents/MacOS/demo",
    uuid: "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9",
    address: 0x1_0000_0000n,
    size: 0x4000n,
    arch: "arm64",
  });
  const kernel = builder.image({
    name: "libsystem_kernel.dylib",
    path: "/usr/lib/system/libsystem_kernel.dylib",
    uuid: "11111111-2222-3333-4444-555555555555",
    address: 0x1_8000_0000n,
    size: 0x40000n,
    arch: "arm64e",
  });
  const at = (
    name: string,
    start: bigint,
    offset: bigint,
    line: number,
    column = 0,
    inlineDepth = 0,
  ): number =>
    builder.frame(
      builder.function(name, {
        image: demo,
        file: "/src/demo.c",
        address: inlineDepth === 0 ? 0x1_0000_0000n + start : 0n,
      }),
      { address: 0x1_0000_0000n + start + offset, line, column, inlineDepth },
    );
  const main = builder.stack(-1, at("main", 0x100n, 0x10n, 5, 3));
  const sixty = builder.stack(main, at("burn_sixty", 0x200n, 0x20n, 12));
  const thirty = builder.stack(main, at("burn_thirty", 0x300n, 0x30n, 22, 7));
  const inlined = builder.stack(thirty, at("square; fast", 0x300n, 0x30n, 3, 1, 1));
  const ten = builder.stack(main, at("std::burn<int>(ten)", 0x400n, 0x40n, 32));
  const thread = builder.thread({
    process,
    id: 259n,
    queue: "com.apple.main-thread",
    isMain: true,
  });
  for (let index = 0; index < 100; index++) {
    const part = index % 10;
    const stack = part < 6 ? sixty : part < 9 ? inlined : ten;
    builder.sample(thread, stack, index * 10, { cpu: 9900, state: SampleState.onCPU });
  }
  const worker = builder.thread({ process, id: 0x1_0000_1234n, name: "worker é" });
  const start = builder.stack(-1, at("work", 0x500n, 0x8n, 40));
  const waits = builder.stack(
    start,
    builder.frame(builder.function(null, { image: kernel, address: 0x1_8000_1234n }), {
      address: 0x1_8000_1234n,
    }),
  );
  for (let index = 0; index < 50; index++) {
    builder.sample(worker, index === 7 ? -1 : waits, index * 20, {
      weight: 2,
      cpu: 0,
      state: SampleState.offCPU,
    });
  }
  return builder.finish();
}

/** What a format keeps of each frame and sample. */
export interface Keeps {
  readonly places?: boolean;
  readonly columns?: boolean;
  readonly inlines?: boolean;
  readonly addresses?: boolean;
  readonly images?: boolean;
  readonly states?: boolean;
}

/** The stacks of each thread with their weights, as far as a format keeps them. */
export function stacksOf(profile: Profile, keeps: Keeps): Record<string, Record<string, number>> {
  const { frames, functions, strings, images, processes } = profile;
  const shown = (frame: number): string => {
    const of = frames.function[frame];
    const image = images[functions.image[of]];
    return [
      functionName(profile, of),
      keeps.places && functions.file[of] >= 0 ? strings[functions.file[of]] : "",
      keeps.places ? frames.line[frame] : "",
      keeps.columns ? frames.column[frame] : "",
      keeps.inlines ? `inline ${frames.inlineDepth[frame]}` : "",
      keeps.addresses ? `${frames.address[frame].toString(16)}` : "",
      keeps.images && image !== undefined
        ? keeps.addresses ? `${image.path} ${image.uuid} ${image.address}` : image.name
        : "",
    ].join("|");
  };
  const all: Record<string, Record<string, number>> = {};
  for (const thread of profile.threads) {
    const { samples } = thread;
    const { name, pid } = processes[thread.process];
    const stacks: Record<string, number> = {};
    for (let row = 0; row < samples.length; row++) {
      const list = samples.stack[row] < 0 ? [] : framesOf(profile, samples.stack[row]).map(shown);
      const key = [...list, keeps.states ? `state ${samples.state[row]}` : ""].join("\n");
      stacks[key] = (stacks[key] ?? 0) + samples.weight[row];
    }
    all[`${name} ${pid} ${thread.id} ${thread.name} ${thread.queue} ${thread.isMain}`] = stacks;
  }
  return all;
}
