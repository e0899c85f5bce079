/** Names of code that a program makes while it runs, from the file that its runtime writes for Linux's perf:
 * `/tmp/perf-PID.map`, lines of `START SIZE name`, with hexadecimal numbers (Linux,
 * `tools/perf/Documentation/jit-interface.txt`). node writes it with `--perf-basic-prof`, .NET with
 * `DOTNET_PerfMapEnabled`, the JVM by `jcmd PID Compiler.perfmap` or an agent. */

import { log } from "../log.ts";
import type { OpenFile } from "../file_system.ts";
import type { ImageSymbol } from "../macho/walking.ts";
import { type AddressInfo, unknownAddress } from "../symbols/walking.ts";
import { PlacedImage } from "./mapped_file.ts";

/** Maximum number of bytes read of a file, and of functions. */
const maxBytes = 1 << 27;
const maxFunctions = 1 << 22;

/** How often the file is looked at for more, in milliseconds, and how much longer than the last such look took. */
const lookTime = 20;
const lookRatio = 50;

/** Maximum number of functions that are looked at for an address: those that began below it. */
const maxTried = 64;

/** The JVM writes `0x`. */
const line = /^(?:0x)?([\da-f]{1,16}) (?:0x)?([\da-f]{1,16}) (.+)$/gim;

/** The functions of one process. The runtime appends to its file, so only what is new of it is read. Where the
 * memory of a function was used again, the last line about it holds. */
export class PerfMap {
  /** What stands for the object file of such code. Addresses in it are those in memory. */
  readonly image: PlacedImage;
  readonly #open: () => OpenFile | null;
  readonly #now: () => number;
  #read = 0;
  #due = 0;
  #isFull = false;
  readonly #starts: number[] = [];
  readonly #sizes: number[] = [];
  readonly #names: string[] = [];
  /** The functions by where they begin, then by age; `undefined` until they are asked for. */
  #order: Uint32Array | undefined;

  /** @param open the file; `null` where there is none, or none that can be trusted. Called whenever it may have
   * grown.
   * @param now the time in milliseconds */
  constructor(path: string, open: () => OpenFile | null, now = () => performance.now()) {
    this.image = new PlacedImage(path, null, 0n, []);
    this.#open = open;
    this.#now = now;
  }

  /** What is at an address that is in no image. */
  resolve(address: bigint): AddressInfo {
    this.#readMore();
    const at = this.#find(Number(address));
    if (at < 0) return unknownAddress;
    const start = BigInt(this.#starts[at]);
    const name = this.#names[at];
    const symbol: ImageSymbol = {
      ...{ name, rawName: name, address: start, size: this.#sizes[at] },
      ...{ external: false, thumb: false },
    };
    const offset = Number(address - start);
    return { ...unknownAddress, image: this.image, symbol, offset, functionStart: start };
  }

  #find(address: number): number {
    const starts = this.#starts;
    const order = this.#order ??= Uint32Array.from(starts.keys())
      .sort((a, b) => starts[a] - starts[b] || a - b);
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[order[middle]] <= address) low = middle + 1;
      else high = middle;
    }
    let found = -1;
    for (let at = low - 1; at >= Math.max(0, low - maxTried); at--) {
      const one = order[at];
      if (one > found && address - starts[one] < this.#sizes[one]) found = one;
    }
    return found;
  }

  #readMore(): void {
    const began = this.#now();
    if (began < this.#due) return;
    try {
      using file = this.#open();
      if (file !== null) this.#append(file);
    } catch (error) {
      // It was removed meanwhile, or may not be read: what was read of it serves.
      log.symbols?.(`${this.image.path}: ${error instanceof Error ? error.message : error}`);
    }
    const now = this.#now();
    this.#due = now + Math.max(lookTime, lookRatio * (now - began));
  }

  #append(file: OpenFile): void {
    if (file.size < this.#read) this.#clear();
    const end = Math.min(file.size, maxBytes);
    if (this.#isFull || end === this.#read) return;
    const bytes = file.read(this.#read, end - this.#read);
    // The last line may not be complete yet.
    const whole = bytes.lastIndexOf(10) + 1;
    const text = new TextDecoder().decode(bytes.subarray(0, whole));
    this.#read += whole;
    const before = this.#starts.length;
    for (const [, first, length, name] of text.matchAll(line)) {
      if (this.#starts.length >= maxFunctions) break;
      const [start, size] = [parseInt(first, 16), parseInt(length, 16)];
      if (!Number.isSafeInteger(start + size)) continue;
      this.#starts.push(start);
      this.#sizes.push(size);
      this.#names.push(name);
    }
    const { length } = this.#starts;
    if (length > before) this.#order = undefined;
    this.#isFull = end === maxBytes || length >= maxFunctions;
    log.symbols?.(`${this.image.path}: ${length} functions${this.#isFull ? ", and no more" : ""}`);
  }

  /** Another process has got the pid, or the program has begun anew. */
  #clear(): void {
    this.#read = 0;
    this.#isFull = false;
    this.#order = undefined;
    this.#starts.length = this.#sizes.length = this.#names.length = 0;
  }
}
