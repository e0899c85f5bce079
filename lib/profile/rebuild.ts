/** A profile with other frames. */

import { type FunctionParts, ProfileBuilder } from "./builder.ts";
import type { Profile, SampleState } from "./model.ts";

/** Adds the stack of a frame of the old profile to the new one. */
export interface PushFrame {
  (
    builder: ProfileBuilder,
    prefix: number,
    frame: number,
    /** Adds it as it was. */
    copy: () => number,
  ): number;
}

/** The profile with each frame replaced by what `push` makes of it: one frame, several, or none. Samples
 * and threads stay. */
export function rebuilt(profile: Profile, push: PushFrame): Profile {
  const { strings, images, functions, frames, stacks, threads, processes, ...info } = profile;
  const builder = new ProfileBuilder(info);
  for (const process of processes) builder.process(process);
  const newImages = images.map((image) => builder.image(image));
  const copied = new Int32Array(frames.length).fill(-1);
  const copyFrame = (frame: number): number => {
    if (copied[frame] >= 0) return copied[frame];
    const of = frames.function[frame];
    const [name, file, image] = [functions.name[of], functions.file[of], functions.image[of]];
    const parts: FunctionParts = {
      image: image < 0 ? -1 : newImages[image],
      file: file < 0 ? null : strings[file],
      line: functions.line[of],
      address: functions.address[of],
    };
    return copied[frame] = builder.frame(
      builder.function(name < 0 ? null : strings[name], parts),
      {
        address: frames.address[frame],
        line: frames.line[frame],
        column: frames.column[frame],
        inlineDepth: frames.inlineDepth[frame],
      },
    );
  };
  const newStacks = new Int32Array(stacks.length);
  for (let stack = 0; stack < stacks.length; stack++) {
    const above = stacks.prefix[stack];
    const prefix = above < 0 ? -1 : newStacks[above];
    const frame = stacks.frame[stack];
    newStacks[stack] = push(
      builder,
      prefix,
      frame,
      () => builder.stack(prefix, copyFrame(frame)),
    );
  }
  for (const { samples, ...thread } of threads) {
    const row = builder.thread(thread);
    const { stack, time, weight, cpu, state } = samples;
    for (let at = 0; at < samples.length; at++) {
      builder.sample(row, stack[at] < 0 ? -1 : newStacks[stack[at]], time[at], {
        weight: weight[at],
        cpu: cpu[at],
        state: state[at] as SampleState,
      });
    }
  }
  return builder.finish();
}
