/** Writing files whose errors name them. */
import type { Files, FileSink } from "./file_system.ts";

/** Starts writing a file. Its errors name it and say what can be done.
 *
 * @param mode as for {@linkcode Files.create}
 * @throws Error when it cannot be made there, and from each function when it cannot be written
 */
export function createNamed(files: Files, path: string, mode?: number): FileSink {
  const named = <T>(action: () => T): T => {
    try {
      return action();
    } catch (cause) {
      throw new Error(`cannot write ${path}: ${reasonOf(cause)}`, { cause });
    }
  };
  const sink = named(() => files.create(path, mode));
  return {
    get length() {
      return sink.length;
    },
    write: (bytes) => named(() => sink.write(bytes)),
    skip: (length) => named(() => sink.skip(length)),
    commit: () => named(() => sink.commit()),
    [Symbol.dispose]: () => sink[Symbol.dispose](),
  };
}

function reasonOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code;
  if (typeof code === "string" && Object.hasOwn(reasons, code)) return reasons[code];
  return cause instanceof Error ? cause.message : String(cause);
}

/** Explanations of some system errors, by code. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; what was written of it has been removed",
  EDQUOT: "the disk quota is used up; what was written of it has been removed",
  EFBIG: "a file there cannot be so large; what was written of it has been removed",
  EISDIR: "it is a folder",
  ENOENT: "there is no such folder",
  EACCES: "permission denied",
  EROFS: "the disk is read-only",
};
