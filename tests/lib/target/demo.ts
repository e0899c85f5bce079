/** The demo program as a live target, and the truth about its threads. */
import { setPriority } from "node:os";
import { launch, type LiveTarget, type Thread } from "../../../mod.ts";
import { testPrograms } from "../../machine.ts";

const fixtures = new URL("../../../examples/demo/", import.meta.url).pathname;

/** A frame of a chain: image and function. */
export type Link = readonly [image: string, symbol: string];

type ChainFile = Record<string, [image: string, symbol: string, times?: number][]>;

/** The chains of the threads by their names, innermost frame first. */
export const chains: ReadonlyMap<string, readonly Link[]> = new Map(
  Object.entries(
    JSON.parse(Deno.readTextFileSync(`${fixtures}chains.json`)).chains as ChainFile,
  ).map(([name, chain]) => [
    name,
    chain.flatMap(([image, symbol, times = 1]) => Array<Link>(times).fill([image, symbol])),
  ]),
);

/** Starts the demo; every worker is where it stays. The caller kills and disposes it. */
export async function startDemo(arch: string): Promise<LiveTarget> {
  const target = await launch(`${fixtures}${arch}/demo`, [], { output: "null" });
  try {
    const ready = addressOf(target, "demo_ready");
    for (let attempt = 0; target.memory.readU32(ready) !== 1; attempt++) {
      if (attempt === 1000) throw new Error("the demo did not become ready");
      if (testPrograms !== undefined) yieldProcessor(target.pid);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return target;
  } catch (error) {
    target.kill();
    target[Symbol.dispose]();
    throw error;
  }
}

/** Gives a program the time that nobody else wants: the demo has two threads that never wait, and the emulated
 * machine has one processor. */
export function yieldProcessor(pid: number): void {
  for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) setPriority(Number(name), 19);
}

/** Where a symbol of the demo is. */
export function addressOf(target: LiveTarget, name: string): bigint {
  const [found] = target.lookup(name);
  if (found === undefined) throw new Error(`the demo has no ${name}`);
  return found.symbol.address;
}

/** The counters of main, demo.spin and demo.leaf. */
export function progress(target: LiveTarget): bigint[] {
  const counters = addressOf(target, "demo_progress");
  return [0n, 8n, 16n].map((offset) => target.memory.readU64(counters + offset));
}

/** A thread's frames that lie in the demo's own images, and whether those of the system are
 * outside them only. */
export function ownFrames(thread: Thread): { own: Link[]; contiguous: boolean } {
  const frames = thread.backtrace();
  const isOwn = frames.map(({ image }) =>
    image !== null && ["demo", "libworkers.dylib"].includes(image.name)
  );
  const own = frames.filter((_, index) => isOwn[index]);
  return {
    own: own.map(({ image, symbol }): Link => [image!.name, symbol?.name ?? "???"]),
    contiguous: isOwn.lastIndexOf(true) - isOwn.indexOf(true) + 1 === own.length,
  };
}
