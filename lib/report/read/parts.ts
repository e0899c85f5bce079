/** What the readers of other tools' JSON have in common: images by their places, and frames in them. */

import { archOfCpuType } from "../../arch/mod.ts";
import type { ReportFrame, ReportImage, ReportProcess, ReportThread } from "../drafts.ts";
import { baseName, imageFinder, normalUuid } from "../images.ts";
import {
  arrayAt,
  bigintAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  textAt,
} from "../json.ts";
import { noFrame, noProcess, noThread } from "../report.ts";

/** The warning that no stack was found. */
export const noThreads = "no threads were found in the report";

/** What is said of an error that a program reported and survived. */
export const caughtItself = "the program caught this error itself: it was not a crash";

/** The objects among an array member's elements. */
export function objectsAt(object: JsonValue | undefined, key: string): JsonObject[] {
  return arrayAt(object, key).filter(isObject);
}

/** An image of a tool's list. */
export function imageOf(
  path: string | null,
  base: bigint | null,
  more: { size?: bigint | null; uuid?: string | null; arch?: string | null },
): ReportImage {
  return {
    name: path === null ? "???" : baseName(path),
    path: path?.startsWith("/") === true ? path : null,
    uuid: normalUuid((more.uuid ?? "").slice(0, 36)),
    arch: more.arch ?? null,
    base: base ?? 0n,
    size: more.size ?? 0n,
    version: null,
    identifier: null,
    marked: false,
  };
}

/** What a tool says of a frame. */
export interface FrameParts {
  readonly address: bigint | null;
  /** Load address of its image. */
  readonly base?: bigint | null;
  /** Path or name of its image. */
  readonly image?: string | null;
  readonly symbol?: string | null;
  /** Address of the symbol. */
  readonly start?: bigint | null;
  readonly offset?: number | null;
  readonly file?: string | null;
  readonly line?: number | null;
  readonly column?: number | null;
  readonly inlined?: boolean;
}

/** What tools write in place of a name that they do not have. */
const nameless =
  /^(?:<redacted>|<unknown>|<unnamed>|\?\?\?|\(null\)|unknown|0x[0-9a-fA-F]{1,16})?$/;

/** No function is larger. */
const MAX_OFFSET = 1n << 31n;

/** Makes frames of what a tool says of them. */
export class FrameMaker {
  readonly images: readonly ReportImage[];
  readonly #byBase = new Map<bigint, ReportImage>();
  readonly #find: (address: bigint) => ReportImage | null;

  constructor(images: readonly ReportImage[]) {
    this.images = images;
    for (const image of images) if (image.base !== 0n) this.#byBase.set(image.base, image);
    this.#find = imageFinder(images);
  }

  /** The frames of a stack, innermost first. */
  stack(parts: readonly FrameParts[]): ReportFrame[] {
    return parts.map((part, index) => ({ ...this.frame(part), index }));
  }

  frame(parts: FrameParts): ReportFrame {
    const address = parts.address ?? 0n;
    const image = (parts.base == null ? undefined : this.#byBase.get(parts.base)) ??
      (address === 0n ? null : this.#find(address));
    const name = parts.image ?? null;
    const symbol = nameless.test(parts.symbol ?? "") ? null : parts.symbol ?? null;
    const distance = parts.start == null || address < parts.start ? null : address - parts.start;
    return {
      ...noFrame,
      address,
      image,
      imageName: name === null ? image?.name ?? null : baseName(name),
      symbol,
      offset: symbol === null
        ? null
        : parts.offset ?? (distance !== null && distance < MAX_OFFSET ? Number(distance) : null),
      file: parts.file ?? null,
      line: parts.line ?? null,
      column: parts.column ?? null,
      inlined: parts.inlined === true,
    };
  }
}

/** A thread of a tool's list. */
export function threadOf(index: number, parts: Partial<ReportThread>): ReportThread {
  const { registers = [] } = parts;
  return {
    ...noThread,
    index,
    ...parts,
    flavor: parts.flavor ?? (registers.length === 0 ? null : "Thread State"),
  };
}

/** Registers as members of an object. */
export function registersAt(object: JsonObject | null): ReportThread["registers"] {
  return Object.keys(object ?? {}).slice(0, 256).flatMap((name) => {
    const value = bigintAt(object!, name);
    return value === null ? [] : [{ name, value, note: null }];
  });
}

/** A line number; `null` for 0, which tools write where they have none. */
export function lineAt(object: JsonObject, key: string): number | null {
  const line = numberAt(object, key) ?? Number(textAt(object, key) ?? 0);
  return Number.isSafeInteger(line) && line > 0 ? line : null;
}

/** Architecture by Mach's `cpu_type_t` and subtype: XNU's `osfmk/mach/machine.h`. */
export function archOfCpu(type: number | null, subtype: number | null): string | null {
  const name = archOfCpuType(type ?? 0)?.name ?? null;
  return name === "arm64" && subtype !== null && (subtype & 0xff) === 2 ? "arm64e" : name;
}

/** A version with its build, as crash reports write them: `1.2 (34)`; what there is of it. */
export function withBuild(version: string | null, build: string | null): string | null {
  return version === null ? build : build === null ? version : `${version} (${build})`;
}

/** The system's name and version; `null` when neither is told. */
export function systemName(...parts: readonly (string | null)[]): string | null {
  return parts.filter((part) => part !== null).join(" ") || null;
}

/** Where a thread's name goes: services write queues' labels there too. */
export function nameOrQueue(name: string | null): Pick<ReportThread, "name" | "queue"> {
  const isQueue = name?.startsWith("com.apple.") === true;
  return { name: isQueue ? null : name, queue: isQueue ? name : null };
}

/** The line in which the run-time tells of an uncaught exception. */
export function uncaughtLine(name: string, reason: string | null): string {
  return `*** Terminating app due to uncaught exception '${name}'` +
    (reason === null ? "" : `, reason: '${reason}'`);
}

/** The process that lines of a log are of: `2026-01-02 03:04:05.678 Shop[77:303] …`, and malloc's
 * `Shop(77,0x7440e00) malloc: …`; `null` when there is no such line. */
export function loggedProcess(head: string): ReportProcess | null {
  const found =
    /^[ \t]{0,8}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6}(?:[+-]\d{4})? (\S.{0,99}?)\[(\d{1,7}):[0-9a-f]{1,9}\] /m
      .exec(head) ??
      // syslog's
      /^[ \t]{0,8}[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \S{1,100} (\S.{0,99}?)\[(\d{1,7})\](?: <\w{1,12}>)?: .{0,12}Terminating app due to /m
        .exec(head) ??
      /(?:^|\| )([\w.+][\w.+ -]{0,60}?)\((\d{1,7}),0x[0-9a-f]{1,16}\) malloc: /m.exec(head);
  if (found !== null) return { ...noProcess, name: found[1], pid: Number(found[2]) };
  // LLVM, lldb/source/Commands/CommandObjectTarget.cpp and Interpreter/CommandInterpreter.cpp
  const target = /^Target \d{1,3}: \(([^()\n]{1,100})\) stopped\.$/m.exec(head);
  return target === null ? null : { ...noProcess, name: target[1] };
}
