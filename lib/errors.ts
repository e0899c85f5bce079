/** The errors that machpause throws. Each carries the data a program needs for its decision; its
 * message tells people the remedy. */

import { hex } from "./hex.ts";

/** Names of the `kern_return_t` values that can occur, from `<mach/kern_return.h>` and
 * `<mach/message.h>`. */
const kernReturnNames: Readonly<Record<number, string>> = {
  0: "KERN_SUCCESS",
  1: "KERN_INVALID_ADDRESS",
  2: "KERN_PROTECTION_FAILURE",
  3: "KERN_NO_SPACE",
  4: "KERN_INVALID_ARGUMENT",
  5: "KERN_FAILURE",
  6: "KERN_RESOURCE_SHORTAGE",
  7: "KERN_NOT_RECEIVER",
  8: "KERN_NO_ACCESS",
  9: "KERN_MEMORY_FAILURE",
  10: "KERN_MEMORY_ERROR",
  14: "KERN_ABORTED",
  15: "KERN_INVALID_NAME",
  16: "KERN_INVALID_TASK",
  17: "KERN_INVALID_RIGHT",
  18: "KERN_INVALID_VALUE",
  20: "KERN_INVALID_CAPABILITY",
  37: "KERN_TERMINATED",
  46: "KERN_NOT_SUPPORTED",
  47: "KERN_NODE_DOWN",
  48: "KERN_NOT_WAITING",
  49: "KERN_OPERATION_TIMED_OUT",
  0x10000003: "MACH_SEND_INVALID_DEST",
};

/** A Mach call that did not return `KERN_SUCCESS`.
 *
 * @example
 * ```ts
 * import { MachError } from "@machpause/machpause";
 *
 * const error = new MachError("task_for_pid", 5, "run it as root");
 * console.log(error.message); // task_for_pid: KERN_FAILURE (5); run it as root
 * ```
 */
export class MachError extends Error {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "MachError";
  /** The call that failed, by its Mach name. */
  readonly call: string;
  /** The `kern_return_t` value. */
  readonly code: number;
  /** The name of `code`. */
  readonly codeName: string;
  /** The remedy, for people. */
  readonly remedy: string | undefined;

  /** Creates the error of a failed call.
   *
   * @param remedy for people, as the end of a sentence
   */
  constructor(call: string, code: number, remedy?: string) {
    const codeName = kernReturnNames[code] ?? "kern_return_t";
    super(`${call}: ${codeName} (${code})${remedy === undefined ? "" : `; ${remedy}`}`);
    this.call = call;
    this.code = code;
    this.codeName = codeName;
    this.remedy = remedy;
  }
}

/** Why a process could not be attached to.
 *
 * There is none to attach to:
 * - `gone`: no such process, or it has ended
 * - `ambiguous`: several have the name
 * - `invalid`: the number cannot be a pid
 * - `self`: it is this process
 * - `kernel`: it is a part of the kernel, without a program
 *
 * It is not permitted:
 * - `traced`: another debugger is attached
 * - `user`: it is another user's
 * - `policy`: the system permits it to nobody, to root alone or not to this root (Linux)
 * - `session`: nobody can be asked for a password
 * - `platform`: it is a program of the system's
 * - `hardened`: it has the hardened runtime
 * - `entitlement`: this program is not signed as a debugger
 *
 * - `architecture`: its threads cannot be read from here
 * - `other`: the system did not say
 */
export type RefusalReason =
  | "gone"
  | "ambiguous"
  | "invalid"
  | "self"
  | "kernel"
  | "traced"
  | "user"
  | "policy"
  | "session"
  | "platform"
  | "hardened"
  | "entitlement"
  | "architecture"
  | "other";

/** A process that could not be attached to.
 *
 * @example
 * ```ts
 * import { attach, AttachError } from "@machpause/machpause";
 *
 * try {
 *   using target = attach("MyApp");
 *   console.log(`${target}`);
 * } catch (error) {
 *   if (!(error instanceof AttachError)) throw error;
 *   console.log(error.reason === "gone" ? "it does not run" : error.remedy);
 * }
 * ```
 */
export class AttachError extends MachError {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "AttachError";
  /** Why. */
  readonly reason: RefusalReason;
  /** Why, in words, and the way out. */
  declare readonly remedy: string;

  /** Creates the error of a process that could not be attached to.
   *
   * @param call the call that failed, by its Mach name
   * @param code its `kern_return_t`
   * @param refusal the reason, and one sentence with the remedy
   */
  constructor(
    call: string,
    code: number,
    { reason, text }: { readonly reason: RefusalReason; readonly text: string },
  ) {
    super(call, code, text);
    this.reason = reason;
  }
}

/** The target has exited, or was killed.
 *
 * @example
 * ```ts
 * import { attach, TargetGoneError } from "@machpause/machpause";
 *
 * using target = attach("MyApp");
 * try {
 *   console.log(target.threads.length);
 * } catch (error) {
 *   if (!(error instanceof TargetGoneError)) throw error;
 *   console.log("it has ended");
 * }
 * ```
 */
export class TargetGoneError extends Error {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "TargetGoneError";
  /** How it ended, in words; `null` where that is not known. */
  readonly how: string | null;
  /** Whether its process goes on, with a program of another architecture that it has started by `exec`. */
  readonly isReplaced: boolean;

  /** Creates the error of a target that is gone.
   *
   * @param target its name for people, such as `pid 123`
   * @param how it ended: `it exited with code 1`
   * @param isReplaced whether its process goes on
   */
  constructor(target: string, how?: string, isReplaced = false) {
    super(
      how === undefined
        ? `${target} is gone: it exited or was killed`
        : `${target} has ended: ${how}`,
    );
    this.how = how ?? null;
    this.isReplaced = isReplaced;
  }
}

/** Memory of the target that could not be read.
 *
 * @example
 * ```ts
 * import { attach, MemoryReadError } from "@machpause/machpause";
 *
 * using target = attach("MyApp");
 * try {
 *   console.log(target.memory.readU32(0x10n));
 * } catch (error) {
 *   if (!(error instanceof MemoryReadError)) throw error;
 *   console.log(`nothing to read at 0x${error.address.toString(16)}`);
 * }
 * ```
 */
export class MemoryReadError extends Error {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "MemoryReadError";
  /** The first address of the read. */
  readonly address: bigint;
  /** The length of the read, in bytes. */
  readonly length: number;

  /** Creates the error of a failed read.
   *
   * @param length in bytes
   */
  constructor(address: bigint, length: number) {
    super(`cannot read ${length} bytes at ${hex(address)}: not mapped, or not readable`);
    this.address = address;
    this.length = length;
  }
}

/** A file that cannot be opened.
 *
 * @example
 * ```ts
 * import { FileError, openImage } from "@machpause/machpause";
 *
 * try {
 *   using file = openImage("MyApp");
 *   console.log(`${file}`);
 * } catch (error) {
 *   if (!(error instanceof FileError)) throw error;
 *   console.log(error.reason, error.path);
 * }
 * ```
 */
export class FileError extends Error {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "FileError";
  /** The path, as it was given. */
  readonly path: string;
  /** `missing`: there is none; `not-permitted`: it may not be read; `folder`: it is one; `special`: a pipe, a
   * device or a socket; `other`: what the system says, which is the error's `cause`. */
  readonly reason: "missing" | "not-permitted" | "folder" | "special" | "other";

  /** Creates the error of a file that was not opened.
   *
   * @param cause the system's error
   */
  constructor(path: string, reason: FileError["reason"], cause?: unknown) {
    const why = {
      missing: `there is no file ${path}`,
      "not-permitted": `${path} may not be read: ask its owner, or run as root`,
      folder: `${path} is a folder, not a plain file`,
      special: `${path} is not a plain file`,
      other: `${path} cannot be opened: ${cause instanceof Error ? cause.message : cause}`,
    }[reason];
    super(why, { cause });
    this.path = path;
    this.reason = reason;
  }
}

/** What is thrown for a file that the system did not open.
 *
 * @param error Deno's or Node's
 */
export function fileErrorOf(path: string, error: unknown): unknown {
  const { name, code = "" } = error as { readonly name: string; readonly code?: string };
  // What Deno's own permissions refuse.
  if (name === "NotCapable") return error;
  const isMissing = ["NotFound", "NotADirectory"].includes(name) ||
    ["ENOENT", "ENOTDIR"].includes(code);
  const isRefused = name === "PermissionDenied" || ["EACCES", "EPERM"].includes(code);
  const reason = isMissing ? "missing" : isRefused ? "not-permitted" : "other";
  return new FileError(path, reason, error);
}

/** Bytes that violate their format: Mach-O, DWARF, a core, a report.
 *
 * @example
 * ```ts
 * import { FormatError, openImage } from "@machpause/machpause";
 *
 * try {
 *   using file = openImage("README.md");
 *   console.log(`${file}`);
 * } catch (error) {
 *   if (!(error instanceof FormatError)) throw error;
 *   console.log(`${error.file}: byte ${error.offset}: expected ${error.expected}`);
 * }
 * ```
 */
export class FormatError extends Error {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "FormatError";
  /** The file or image that the bytes come from. */
  readonly file: string;
  /** The offset of the offending bytes in `file`. */
  readonly offset: number;
  /** What the format requires there. */
  readonly expected: string;

  /** Creates the error of damaged bytes.
   *
   * @param expected what the format requires there, with an article
   */
  constructor(file: string, offset: number, expected: string) {
    super(`${file}: at offset ${hex(offset)}: expected ${expected}`);
    this.file = file;
    this.offset = offset;
    this.expected = expected;
  }
}
