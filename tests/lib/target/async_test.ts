/** Swift's async frames of a running process: their contexts are read while it is stopped. */
import { assert, assertEquals } from "@std/assert";
import { system } from "../../../ffi/processes.ts";
import { LiveTarget, openCore } from "../../../mod.ts";
import { armPrograms, task } from "../unwind/async_programs.ts";
import { bytesRegion, MemoryKernel } from "./memory_kernel.ts";

const infosAddress = 0x7_0000n;

/** `dyld_all_image_infos`, version 16, of one image. */
function imageInfos(loadAddress: bigint, path: string): Uint8Array {
  const bytes = new Uint8Array(0x1000);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 16, true);
  view.setUint32(4, 1, true);
  view.setBigUint64(8, infosAddress + 0x200n, true);
  view.setBigUint64(0x200, loadAddress, true);
  view.setBigUint64(0x208, infosAddress + 0x300n, true);
  new TextEncoder().encodeInto(path, bytes.subarray(0x300));
  return bytes;
}

/** A process with one thread, in a function that the first of the task's has called. */
function asyncProcess(path: string): { kernel: MemoryKernel; contexts: Uint8Array } {
  const { arch, image, steps } = armPrograms()[1];
  const step = steps.find(({ state, stack }) => {
    const pc = new DataView(state.buffer).getBigUint64(arch.pc.offset, true);
    return image.symbolAt(pc)?.symbol?.name === "inner" && image.symbolAt(pc)!.offset === 64 &&
      stack.length > 0;
  })!;
  const { loadAddress } = image;
  const memory = new Uint8Array(0x10000);
  for (const { address, size } of image.segments.filter(({ name }) => name !== "__PAGEZERO")) {
    memory.set(image.read(address, size)!, Number(address - loadAddress));
  }
  const [{ address }] = image.findSymbols("steps_contexts");
  const contexts = memory.subarray(
    Number(address - loadAddress),
    Number(address - loadAddress) + 72,
  );
  const view = new DataView(contexts.buffer, contexts.byteOffset);
  task.slice(1).forEach((name, index) => {
    view.setBigUint64(index * 24, address + BigInt((index + 1) * 24), true);
    view.setBigUint64(index * 24 + 8, image.findSymbols(name)[0].address, true);
  });
  const stackEnd = step.stackAddress + BigInt(step.stack.length);
  const kernel = new MemoryKernel(arch, [
    bytesRegion(infosAddress, imageInfos(loadAddress, path)),
    bytesRegion(loadAddress, memory, 7),
    bytesRegion(
      step.stackAddress - 0x100n,
      new Uint8Array([...new Uint8Array(0x100), ...step.stack]),
    ),
  ], [{ name: "", state: step.state, stackEnd }]);
  kernel.dyldInfoAddress = infosAddress;
  return { kernel, contexts };
}

Deno.test("a snapshot has the functions that waited when it was taken", () => {
  const { kernel, contexts } = asyncProcess("/usr/lib/swift/libswift_Concurrency.dylib");
  using target = new LiveTarget(kernel, system, { pid: 7, name: "app" });
  const { threads: [thread] } = target.snapshot();
  assertEquals(kernel.tokens.size, 0);
  contexts.fill(0);
  const frames = [...thread.backtrace()];
  assertEquals(frames.slice(0, 3).map((frame) => frame.function), task);
  assertEquals(frames.slice(0, 4).map(({ foundBy }) => foundBy === "async"), [
    ...[false, true, true, false],
  ]);
  assertEquals(frames[3].function, "steps_drive");
  assert(`${frames[1]}`.endsWith("middle + 0 [async]"), `${frames[1]}`);
  assertEquals(frames[1].toJSON().via, "async");
  assertEquals(frames[0].asyncParent?.asyncParent?.function, "outer");
  assertEquals(frames[1].registers.get("x22"), frames[1].asyncContext);
});

Deno.test("a paused target shows them too", () => {
  const { kernel } = asyncProcess("/app");
  using target = new LiveTarget(kernel, system, { pid: 7, name: "app" });
  using _pause = target.pause();
  const frames = target.threads[0].backtrace();
  assertEquals(frames.slice(0, 3).map((frame) => frame.function), task);
});

Deno.test("a program without Swift's concurrency is not held while contexts are looked for", () => {
  const { kernel } = asyncProcess("/app");
  using target = new LiveTarget(kernel, system, { pid: 7, name: "app" });
  const before = kernel.log.filter((call) => call === "taskResume").length;
  target.snapshot();
  assertEquals(kernel.log.filter((call) => call === "taskResume").length, before);
});

Deno.test("a core of style stacks has the contexts", async () => {
  const { kernel } = asyncProcess("/usr/lib/swift/libswift_Concurrency.dylib");
  using target = new LiveTarget(kernel, system, { pid: 7, name: "app" });
  const path = await Deno.makeTempFile();
  try {
    await target.saveCore(path);
    using core = openCore(path);
    const frames = core.threads[0].backtrace();
    assertEquals(frames.slice(0, 3).map((frame) => frame.function), task);
  } finally {
    await Deno.remove(path);
  }
});
