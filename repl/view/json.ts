import { hex } from "../../lib/hex.ts";
import { allShownFrames, type ShownFrames } from "./frames.ts";
import type { CoreTarget, Frame, LoadedImage, Target, Thread } from "../../mod.ts";

function imageJson({ name, path, uuid, loadAddress, slide }: LoadedImage): Record<string, unknown> {
  return { name, path, uuid, loadAddress: hex(loadAddress), slide: hex(slide) };
}

/** The stable form of `bt --json` and `snapshot --json`: addresses are `"0x…"`, and what is not known is
 * `null`. The length of the pause is added by the caller, who knows it when the pause has ended.
 *
 * @param limit maximum number of frames per thread
 * @param shown the frames, where the threads have been unwound already
 * @param more further properties of each frame
 */
export function threadsJson(
  target: Pick<Target, "kind" | "pid" | "name" | "arch" | "images">,
  threads: readonly Thread[],
  limit?: number,
  shown?: readonly ShownFrames[],
  more?: (frame: Frame) => Record<string, unknown>,
): Record<string, unknown> {
  shown ??= allShownFrames(threads, limit);
  return {
    target: { kind: target.kind, pid: target.pid, name: target.name, arch: target.arch.name },
    pausedMicroseconds: null,
    images: target.images.map(imageJson),
    threads: threads.map((thread, index) => {
      const { frames, stopped } = shown[index];
      return {
        ...thread.toJSON(),
        frames: frames.map((frame) => ({ ...frame.toJSON(), ...more?.(frame) })),
        stopped,
      };
    }),
  };
}

/** The stable form of `core --json`: what a core contains besides its threads' frames, which `bt --json`
 * prints. `crashedThread` is a thread's index. */
export function coreJson(core: CoreTarget): Record<string, unknown> {
  return {
    target: core.toJSON(),
    kernelVersion: core.kernelVersion,
    crashedThread: core.crashedThread?.index ?? null,
    images: core.images.map(imageJson),
    threads: core.threads.map((thread) => ({ ...thread.toJSON(), exception: thread.exception })),
    regions: core.regions().map(({ address, size, protection }) => ({
      address: hex(address),
      size: hex(size),
      protection,
    })),
    notes: core.notes,
    warnings: core.warnings,
  };
}
