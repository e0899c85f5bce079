/** What is read of a target while it is stopped. */
import { assert, assertEquals } from "@std/assert";
import { system } from "../../../ffi/processes.ts";
import {
  type Capture,
  type CaptureOptions,
  CoreTarget,
  LiveTarget,
  type Thread,
} from "../../../lib/target/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { FileTree } from "../symbols/file_tree.ts";
import { recordedKernel } from "./memory_kernel.ts";
import { SharedCacheKernel } from "./shared_cache.ts";

/** Counts reads between suspend and resume, and may be stopped in dyld's updates of its list. */
class StoppedKernel extends SharedCacheKernel {
  /** Reads of each stop. */
  readonly stops: number[] = [];
  /** Number of stops to come that are in an update, which ends when the target runs. */
  updates = 0;
  /** Number of stops to come that find another list than before. */
  changes = 0;
  /** How often dyld still frees the array of the list while it is read. */
  moves = 0;
  #timestamp = 0;
  #array = 0n;
  #stopped = false;

  override snapshot(task: number, options: CaptureOptions): Capture {
    const capture = super.snapshot(task, options);
    this.#stopped = options.keepSuspended;
    this.stops.push(0);
    if (this.changes-- > 0) this.#timestamp++;
    return capture;
  }

  override taskResume(token: number): void {
    super.taskResume(token);
    this.#stopped = false;
    this.updates = Math.max(0, this.updates - 1);
  }

  override vmRead(task: number, address: bigint, into: Uint8Array): number {
    if (this.#stopped) this.stops[this.stops.length - 1]++;
    if (address === this.#array && this.moves > 0) {
      this.moves--;
      this.#timestamp++;
      return 0;
    }
    const length = super.vmRead(task, address, into);
    if (address === this.dyldInfoAddress && length >= 200) {
      const view = new DataView(into.buffer, into.byteOffset);
      // infoArray and infoArrayChangeTimestamp
      this.#array = view.getBigUint64(8, true);
      if (this.#stopped && this.updates > 0) view.setBigUint64(8, 0n, true);
      view.setBigUint64(184, BigInt(this.#timestamp), true);
    }
    return length;
  }
}

function open(): { kernel: StoppedKernel; target: LiveTarget } {
  const kernel = new StoppedKernel();
  const target = new LiveTarget(kernel, system, { pid: 7, name: "app" });
  return { kernel, target };
}

/** Maximum number of reads in one stop. */
const most = 10;

Deno.test("the first pause of a process with 600 images reads a few times while it is stopped", () => {
  const { kernel, target } = open();
  using _ = target;
  {
    using _pause = target.pause();
    assertEquals(target.images.length, 600);
    assertEquals(target.threads.length, kernel.calls.length);
  }
  {
    using _pause = target.pause();
  }
  assertEquals(kernel.stops.length, 2);
  assert(Math.max(...kernel.stops) <= most, `${kernel.stops}`);
});

Deno.test("the backtraces of a snapshot are read after the target runs again", () => {
  const { kernel, target } = open();
  using _ = target;
  const { threads } = target.snapshot();
  const names = threads.flatMap((thread) => thread.backtrace().map((frame) => frame.function));
  assert(names.length > 100);
  assert(Math.max(...kernel.stops) <= most, `${kernel.stops}`);
});

Deno.test("of a core, the images' contents are read after the target runs again, and are in it", async () => {
  const kernel = new StoppedKernel({ images: 60, poolSize: 16 << 20, threads: 10 });
  using target = new LiveTarget(kernel, system, { pid: 7, name: "app" });
  const path = await Deno.makeTempFile();
  try {
    const names = (threads: readonly Thread[]) =>
      threads.map((thread) => thread.backtrace().map((frame) => frame.function));
    const live = names(target.snapshot().threads);
    kernel.stops.length = 0;
    await target.saveCore(path);
    // Of a thread its stack and the code that it was in, of an image what dyld's list has of it.
    const allowed = most + 4 * live.length + target.images.length;
    assert(Math.max(...kernel.stops) <= allowed, `${kernel.stops}`);
    using core = new CoreTarget(system.files.open(path), { files: new FileTree({}) });
    assertEquals(names(core.threads), live);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("Spotlight is asked before the target is paused, and never while it is", () => {
  const kernel = recordedKernel("arm64");
  const asked: number[] = [];
  const locate = (uuids: readonly string[]) => {
    assertEquals(kernel.tokens.size, 0, "asked while it is stopped");
    asked.push(uuids.length);
    return [];
  };
  using target = new LiveTarget(kernel, { files: system.files, locate }, { pid: 7, name: "demo" });
  {
    using _pause = target.pause();
    for (const thread of target.threads) for (const frame of thread.backtrace()) void frame.source;
  }
  {
    using _pause = target.pause();
    for (const thread of target.threads) for (const frame of thread.backtrace()) void frame.source;
  }
  const own = target.images.filter((image) => image instanceof Image && image.uuid !== null);
  assertEquals(asked, [own.length]);
});

Deno.test("when dyld is changing its list the target runs for a while and is stopped again", () => {
  const { kernel, target } = open();
  using _ = target;
  kernel.updates = 3;
  {
    using _pause = target.pause();
    assertEquals(target.images.length, 600);
  }
  assertEquals([kernel.stops.length, kernel.tokens.size], [4, 0]);
  assert(Math.max(...kernel.stops) <= most, `${kernel.stops}`);
  assertEquals(target.warnings, []);
});

Deno.test("a list that dyld changes while it is read is read again", () => {
  const { kernel, target } = open();
  using _ = target;
  kernel.moves = 3;
  assertEquals(target.images.length, 600);
  assertEquals([target.warnings, kernel.moves], [[], 0]);
});

Deno.test("dyld that never completes a change does not hold up a pause", () => {
  const { kernel, target } = open();
  using _ = target;
  void target.images;
  kernel.updates = Infinity;
  using _pause = target.pause();
  assertEquals(target.images.length, 600);
  assert(kernel.stops.length <= 10, `${kernel.stops.length} stops`);
  assertEquals(target.warnings, ["dyld is changing its list of images: the one before is shown"]);
});

Deno.test("a list that changes before the stop is read while the target runs", () => {
  const { kernel, target } = open();
  using _ = target;
  kernel.changes = 2;
  {
    using _pause = target.pause();
  }
  assertEquals(kernel.stops.length, 3);
  assert(Math.max(...kernel.stops) <= most, `${kernel.stops}`);
});
