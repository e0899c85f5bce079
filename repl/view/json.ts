import { hex } from "../../lib/hex.ts";
import { type ShownFrames, shownFrames } from "./frames.ts";
import type { CoreTarget, LoadedImage, Target, Thread } from "../../mod.ts";

function imageJson({ name, path, uuid, loadAddress, slide }: LoadedImage): Record<string, unknown> {
  return { name, path, uuid, loadAddress: hex(loadAddress), slide: hex(slide) };
}

/** The stable form of `bt --json` and `snapshot --json`: addresses are `"0x…"`, and what is not
 * known is `null`. How long the pause was comes in when that is known, at its end.
 *
 * @param limit frames of a thread at most
 * @param shown of the threads, where they have been walked
 */
export function threadsJson(
  target: Pick<Target, "kind" | "pid" | "name" | "arch" | "images">,
  threads: readonly Thread[],
  limit?: number,
  shown?: readonly ShownFrames[],
): Record<string, unknown> {
  return {
    target: { kind: target.kind, pid: target.pid, name: target.name, arch: target.arch.name },
    pausedMicroseconds: null,
    images: target.images.map(imageJson),
    threads: threads.map((thread, index) => {
      const { frames, stopped } = shown?.[index] ?? shownFrames(thread, limit);
      return { ...thread.toJSON(), frames: frames.map((frame) => frame.toJSON()), stopped };
    }),
  };
}

/** The stable form of `core --json`: what a core says beside its threads' frames, which `bt --json`
 * has. `crashedThread` is a thread's index. */
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

/** What `JSON.stringify` leaves as it is though a terminal may act on it: DEL, C1 controls, and
 * Unicode's invisible and bidirectional controls. */
const unsafe = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** JSON that is safe to print: the same value, in other letters where need be. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
