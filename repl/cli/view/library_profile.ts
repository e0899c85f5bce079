/** A library of reports as a profile: what goes wrong most is the widest. */
import type { LibraryStack } from "../../../lib/collect/mod.ts";
import { type Profile, ProfileBuilder } from "../../../lib/profile/mod.ts";

/** The stacks of a library, weighted by how often each occurred. A program is a process, a kind of report a
 * thread. */
export function libraryProfile(stacks: Iterable<LibraryStack>): Profile {
  const builder = new ProfileBuilder({ unit: "samples", aggregated: true });
  const processes = new Map<string, number>();
  const threads = new Map<string, number>();
  for (const { kind, program, times, frames } of stacks) {
    const name = program ?? "unknown";
    let process = processes.get(name);
    if (process === undefined) {
      process = builder.process({ name, pid: null });
      processes.set(name, process);
    }
    const key = `${process} ${kind}`;
    let thread = threads.get(key);
    if (thread === undefined) threads.set(key, thread = builder.thread({ process, name: kind }));
    let stack = -1;
    for (const { address, image, symbol, file, line } of frames.toReversed()) {
      const of = builder.function(symbol, {
        file,
        ...image === null ? {} : { image: builder.image({ name: image }) },
        ...symbol === null ? { address: BigInt(address) } : {},
      });
      const at = symbol === null ? { address: BigInt(address) } : {};
      stack = builder.stack(stack, builder.frame(of, line === null ? at : { ...at, line }));
    }
    builder.sample(thread, stack, 0, { weight: times });
  }
  return builder.finish();
}
