/** What a process of macOS costs whose images are those of the dyld shared cache: 600 images that share one
 * string pool of 160 MiB. Such a process is made in memory (`tests/lib/target/shared_cache.ts`); what is read
 * of it is counted, and what stays in memory. */
import { system } from "../../ffi/processes.ts";
import { LiveTarget } from "../../mod.ts";
import { functionName, SharedCacheKernel } from "../../tests/lib/target/shared_cache.ts";

/** What one piece of work took. */
interface Cost {
  readonly bytes: number;
  readonly reads: number;
  /** Bytes that stay in memory: the heap and buffers outside of it, after a collection. */
  readonly kept: number;
  /** Milliseconds, most of which the process itself takes to be made. */
  readonly time: number;
}

const MiB = 1 << 20;

/** The work by name, with the limits for what is read and what is kept, in MiB. */
const works: Readonly<
  Record<string, { limits: [read: number, kept: number]; run(target: LiveTarget): void }>
> = {
  "`bt`, 30 threads": {
    limits: [16, 20],
    run(target) {
      let named = 0;
      for (const thread of target.snapshot().threads) {
        for (const frame of thread.backtrace()) if (frame.function !== null) named++;
      }
      if (named < 250) throw new Error(`${named} frames have a name`);
    },
  },
  "`lookup NAME`, exported": {
    limits: [200, 200],
    run: (target) => found(target, functionName(300, 44), 1),
  },
  "`lookup NAME --image IMAGE`": {
    limits: [16, 20],
    run(target) {
      const { length } = target.lookup(functionName(300, 44), target.images[300]);
      if (length !== 1) throw new Error(`found ${length} times`);
    },
  },
  "`lookup NAME`, not there": {
    limits: [200, 200],
    run: (target) => found(target, "no_such_function", 0),
  },
  "`lookup NAME --image IMAGE`, not exported": {
    limits: [200, 20],
    run(target) {
      const { length } = target.lookup(functionName(300, 45), target.images[300]);
      if (length !== 0) throw new Error(`found ${length} times`);
    },
  },
};

function found(target: LiveTarget, name: string, count: number): void {
  const { length } = target.lookup(name);
  if (length !== count) throw new Error(`${name}: found ${length} times`);
}

function memory(): number {
  (globalThis as unknown as { gc(): void }).gc();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

/** Does one piece of work on a new target. */
function measure(name: string): Cost {
  const kernel = new SharedCacheKernel();
  const open = () => new LiveTarget(kernel, system, { pid: 7, name: "app" });
  {
    // The process remembers parts of itself that were read: that is not the target's.
    using target = open();
    void target.images;
    works[name].run(target);
  }
  using target = open();
  const before = memory();
  void target.images;
  const [bytes, reads, began] = [kernel.bytesRead, kernel.reads, performance.now()];
  works[name].run(target);
  const time = performance.now() - began;
  return {
    bytes: kernel.bytesRead - bytes,
    reads: kernel.reads - reads,
    kept: memory() - before,
    time,
  };
}

/** Prints a Markdown table.
 *
 * @throws Error when a limit is exceeded
 */
export async function bench(): Promise<void> {
  console.log("| work | read | limit | reads | kept | limit | time |");
  console.log("|---|---|---|---|---|---|---|");
  const exceeded: string[] = [];
  for (const [name, { limits: [read, kept] }] of Object.entries(works)) {
    // Each in a process of its own, so that what one keeps is not another's.
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--v8-flags=--expose-gc", import.meta.filename!, name],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const cost: Cost = JSON.parse(new TextDecoder().decode(stdout));
    const inMiB = (bytes: number) => `${(bytes / MiB).toFixed(1)} MiB`;
    console.log(
      `| ${name} | ${inMiB(cost.bytes)} | ${read} MiB | ${cost.reads} | ${inMiB(cost.kept)} | ` +
        `${kept} MiB | ${Math.round(cost.time)} ms |`,
    );
    if (cost.bytes > read * MiB || cost.kept > kept * MiB) exceeded.push(name);
  }
  if (exceeded.length > 0) throw new Error(`over the limit: ${exceeded.join("; ")}`);
}

if (import.meta.main) {
  const [name] = Deno.args;
  if (name === undefined) await bench();
  else console.log(JSON.stringify(measure(name)));
}
