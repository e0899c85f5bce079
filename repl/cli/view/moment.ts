/** One moment as a profile: one sample of each thread, for viewers of profiles. */
import { type Profile, ProfileBuilder } from "../../../lib/profile/mod.ts";
import { demangle } from "../../../lib/symbols/demangle/mod.ts";
import type { StacksJson } from "../../page/data.ts";
import type { Viewed } from "./viewed.ts";

/** What is viewed as a profile. */
export function profileOf(viewed: Viewed): Profile {
  if (!("tasks" in viewed)) return viewed.profile;
  return viewed.profile ?? profileOfTasks(viewed.tasks, viewed.head.title);
}

function profileOfTasks(tasks: readonly StacksJson[], product: string): Profile {
  const arch = tasks[0]?.target.arch;
  const builder = new ProfileBuilder({ product, ...arch ? { arch } : {}, interval: 1 });
  for (const { target, images, threads } of tasks) {
    const process = builder.process({ name: target.name, pid: target.pid });
    const known = new Map(images.map(({ name, path, uuid, loadAddress }) => [
      name,
      builder.image({ name, path, uuid, address: address(loadAddress) }),
    ]));
    for (const { index, id, name, queue, frames, weight } of threads) {
      const thread = builder.thread({
        process,
        id: id === null ? null : BigInt(id),
        name: name ?? `Thread ${index}`,
        queue,
        isMain: index === 0,
      });
      let stack = -1;
      // Inlined calls are before the function that has their code: how deep is counted from it.
      let depth = 0;
      for (const frame of [...frames].reverse()) {
        depth = frame.inlined ? depth + 1 : 0;
        const image = frame.image === null ? undefined : known.get(frame.image);
        const of = builder.function(frame.symbol === null ? null : demangle(frame.symbol), {
          ...image === undefined ? {} : { image },
          file: frame.file,
          ...frame.symbol === null ? { address: address(frame.address) } : {},
        });
        stack = builder.stack(
          stack,
          builder.frame(of, {
            address: address(frame.address),
            line: frame.line ?? 0,
            inlineDepth: depth,
          }),
        );
      }
      builder.sample(thread, stack, 0, weight === undefined ? {} : { weight });
    }
  }
  return builder.finish();
}

function address(text: string | null | undefined): bigint {
  return text ? BigInt.asUintN(64, BigInt(text)) : 0n;
}
