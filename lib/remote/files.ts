/** The contents of ELF files that a target has mapped: from this machine where it has the same file, from
 * the stub's machine otherwise. */
import { isElf, readElf } from "../elf/mod.ts";
import { FormatError, TargetGoneError } from "../errors.ts";
import type { Files } from "../file_system.ts";
import { log } from "../log.ts";
import { type ByteSource, bytesSource } from "../macho/walking.ts";
import { type Memory, openInParts, openMapped } from "../target/walking.ts";
import { RemoteError } from "./error.ts";
import type { Stub } from "./stub.ts";
import type { FilePart } from "./transfers.ts";

/** Bytes of a mapped file that have its header and the notes with its build ID. */
export const headSize = 4096;
/** What is read of a file at once, and how much of one is kept, in bytes. */
const blockSize = 1 << 16;
const maxKept = 512;

/** What mapped files are found by. */
export interface FilesSource {
  readonly stub: Stub;
  /** The files of this machine. */
  readonly files: Files;
  /** The target's memory. */
  readonly memory: Memory;
  /** Does something while the target is stopped. */
  stopped<T>(work: () => T): T;
}

/** Opens a file that the target has mapped at an address. Where the target's memory has a build ID, the
 * file must have the same.
 *
 * @returns `null` when neither machine has it
 */
export function openRemoteFile(
  source: FilesSource,
  path: string,
  address: bigint,
  size: number,
): ByteSource | null {
  const { files, memory } = source;
  if (path.startsWith("[")) return openMapped({ path, address, size, openFile: undefined, memory });
  const wanted = buildIdOf(bytesSource(memory.readUpTo(address, Math.min(size, headSize)), path));
  const own = wanted === null ? null : openInParts(path, (name) => files.open(name));
  if (own !== null && buildIdOf(own) === wanted) return own;
  const theirs = openAtStub(source, path);
  if (theirs === null) {
    log.remote?.(`${path}: there is no such file here, and the stub does not open it`);
    return null;
  }
  if (wanted === null || buildIdOf(theirs) === wanted) return theirs;
  log.remote?.(`${path}: the stub's file has another build ID than the target's memory`);
  return null;
}

function openAtStub({ stub, stopped }: FilesSource, path: string): ByteSource | null {
  const file = stopped(() => stub.transfers.openFile(path));
  if (file === null) return null;
  log.remote?.(`${path}: read through the stub`);
  return new BlockSource(path, file.size, (parts) => {
    try {
      return stopped(() => stub.transfers.readFileParts(file, parts));
    } catch (error) {
      // Symbols are often read when the connection or the target is gone.
      if (!(error instanceof RemoteError || error instanceof TargetGoneError)) throw error;
      return parts.map(() => new Uint8Array(0));
    }
  });
}

/** `NT_GNU_BUILD_ID`; `null` for what has none, or is no ELF file. */
function buildIdOf(file: ByteSource): string | null {
  try {
    return isElf(file.read(0, 4)) ? readElf(file).buildId : null;
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}

/** A file that is read by blocks: all that one read needs in one batch. */
class BlockSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly #fetch: (parts: readonly FilePart[]) => readonly Uint8Array[];
  readonly #blocks = new Map<number, Uint8Array>();

  constructor(
    name: string,
    size: number,
    fetch: (parts: readonly FilePart[]) => readonly Uint8Array[],
  ) {
    this.name = name;
    this.size = size;
    this.#fetch = fetch;
  }

  read(offset: number, length: number): Uint8Array {
    const end = Math.min(offset + length, this.size);
    if (!(offset >= 0) || end <= offset) return new Uint8Array(0);
    const [first, last] = [Math.floor(offset / blockSize), Math.floor((end - 1) / blockSize)];
    this.#fill(first, last);
    const bytes = new Uint8Array(end - offset);
    for (let block = first; block <= last; block++) {
      const from = block * blockSize;
      const part = (this.#blocks.get(block) ?? new Uint8Array(0)).subarray(
        Math.max(0, offset - from),
        Math.min(blockSize, end - from),
      );
      const at = Math.max(0, from - offset);
      bytes.set(part, at);
      // The file has become shorter, or the connection is lost.
      if (at + part.length < Math.min(from + blockSize, end) - offset) {
        return bytes.subarray(0, at + part.length);
      }
    }
    return bytes;
  }

  #fill(first: number, last: number): void {
    const missing: number[] = [];
    for (let block = first; block <= last; block++) {
      if (!this.#blocks.has(block)) missing.push(block);
    }
    if (missing.length === 0) return;
    const parts = this.#fetch(missing.map((block) => {
      const offset = block * blockSize;
      return { offset, length: Math.min(blockSize, this.size - offset) };
    }));
    if (this.#blocks.size + missing.length > Math.max(maxKept, last - first + 1)) {
      for (const block of this.#blocks.keys()) {
        if (block < first || block > last) this.#blocks.delete(block);
      }
    }
    for (const [index, block] of missing.entries()) this.#blocks.set(block, parts[index]);
  }
}
