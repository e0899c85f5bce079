/** Whom `symbolicate` asks: files as images were loaded, or a process. Loads no more of the library than
 * that takes: a table is read in less time than the rest of it. */
import { files } from "../ffi/files.ts";
import { locateDsyms } from "../ffi/spotlight.ts";
import { FormatError } from "../lib/errors.ts";
import { escape } from "../lib/escape.ts";
import type { LoadedImage } from "../lib/macho/mod.ts";
import { FileSymbolizer, type ImageFile, OpenedDwarf } from "../lib/symbols/mod.ts";
import {
  imagesIn,
  type MissingSymbols,
  type Resolution,
  type Resolver,
  type SourceFrame,
} from "../lib/target/mod.ts";
import { UserError } from "./errors.ts";
import { checkFolders, openTarget } from "./open.ts";
import { complain } from "./output.ts";
import type { SymbolicateOptions } from "./symbolicate.ts";
import { parseAddress } from "./symbolicate_arguments.ts";

/** Whom addresses are asked of. */
export interface Source extends Disposable {
  /** The images asked about whose debug information is missing. */
  readonly missing: readonly MissingSymbols[];
  /** What is added to an address as it is given. */
  readonly base: bigint;
  /** Tells what is known of each address, some at a time and in an order of its own.
   *
   * @param prepare is waited for before it is told of some
   * @param tell takes an address's index
   */
  each(
    addresses: BigUint64Array,
    prepare: (known: readonly Resolution[]) => Promise<void>,
    tell: (index: number, known: Resolution) => void,
  ): Promise<void>;
}

/** Opens what the options name.
 *
 * @throws UserError where they contradict each other, or there is no such file
 */
export async function openSource(options: SymbolicateOptions): Promise<Source> {
  const { object = [], process, loadAddress = [], slide = [], offset = false } = options;
  const places = [loadAddress.length > 0 && "-l", slide.length > 0 && "-s", offset && "-offset"]
    .filter((flag) => flag !== false);
  if (process !== undefined) places.push("-p");
  if (places.length > 1) throw new UserError(`${places.join(" and ")} exclude each other`, 2);
  if (process !== undefined) {
    if (object.length > 0) throw new UserError("a process (-p) has its own images: no -o", 2);
    return await processSource(process, options.symbols);
  }
  if (object.length === 0) {
    throw new UserError("addresses of what? name a file with -o, or a process with -p", 2);
  }
  if (offset && object.length > 1) throw new UserError("-offset is for one file", 2);
  const given = loadAddress.length > 0 ? loadAddress : slide;
  if (given.length > 0 && given.length !== object.length) {
    throw new UserError(`${places[0]} is needed once for each -o`, 2);
  }
  await checkFolders(options.symbols ?? []);
  const images = object.map((path, index): ImageFile => ({
    path,
    ...(options.arch === undefined ? {} : { arch: options.arch }),
    ...(loadAddress.length > 0 ? { loadAddress: number(loadAddress[index], "-l") } : {}),
    ...(slide.length > 0 ? { slide: number(slide[index], "-s") } : {}),
  }));
  return fileSource(openFiles(images, options.symbols ?? []), offset);
}

function number(text: string, flag: string): bigint {
  const sign = text.startsWith("-") ? -1n : 1n;
  const value = parseAddress(text.replace(/^-/, ""));
  if (value === undefined) throw new UserError(`${flag} ${text}: that is no address`, 2);
  return sign * value;
}

function openFiles(images: readonly ImageFile[], symbols: readonly string[]): FileSymbolizer {
  try {
    const locate = Deno.build.os === "darwin" ? locateDsyms : undefined;
    return FileSymbolizer.open(files, images, symbols, locate);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      const missing = images.find(({ path }) => {
        try {
          Deno.statSync(path);
          return false;
        } catch {
          return true;
        }
      });
      throw new UserError(`there is no file ${missing?.path ?? images[0].path}`);
    }
    if (error instanceof FormatError) throw new UserError(error.message);
    throw error;
  }
}

/** A running process, which is not stopped. */
async function processSource(spec: string, symbols: readonly string[] = []): Promise<Source> {
  const opened = await openTarget(spec, symbols);
  const { target } = opened;
  return {
    get missing() {
      return target.missingSymbols;
    },
    base: 0n,
    each: (addresses, prepare, tell) => each(target, addresses, prepare, tell),
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  };
}

/** More addresses at once are looked up in the order of the file, each of its units once. */
const FEW = 16;
/** More are worth the time that workers take to start. */
const MANY = 256;

function fileSource(symbolizer: FileSymbolizer, areOffsets: boolean): Source {
  const base = areOffsets ? symbolizer.images.images[0].loadAddress : 0n;
  return {
    get missing() {
      return symbolizer.missing;
    },
    base,
    async each(addresses, prepare, tell) {
      // Beyond 2^64 it is in no image.
      const placed = base === 0n ? addresses : addresses.map((address) => base + address);
      if (placed.length > FEW) await prime(symbolizer, placed);
      await each(symbolizer, placed, prepare, tell);
    },
    [Symbol.dispose]: () => symbolizer[Symbol.dispose](),
  };
}

/** So many answers are there at a time. */
const CHUNK = 256;

async function each(
  resolver: Resolver,
  addresses: BigUint64Array,
  prepare: (known: readonly Resolution[]) => Promise<void>,
  tell: (index: number, known: Resolution) => void,
): Promise<void> {
  const order = risingOrder(addresses);
  for (let at = 0; at < order.length; at += CHUNK) {
    const chunk = Array.from(order.subarray(at, at + CHUNK));
    const known = chunk.map((index) => resolver.resolve(addresses[index]));
    await prepare(known);
    chunk.forEach((index, place) => tell(index, known[place]));
  }
}

/** The indices of values in their rising order: what is looked up next is near. */
function risingOrder(values: BigUint64Array): Uint32Array {
  const lowest = values.reduce((least, value) => value < least ? value : least, values[0] ?? 0n);
  const offsets = new Float64Array(values.length);
  for (let index = 0; index < values.length; index++) {
    offsets[index] = Number(values[index] - lowest);
  }
  // With the index in the low bits it sorts without a comparison function.
  const room = 2 ** 20;
  if (values.length < room && offsets.every((offset) => offset < 2 ** 32)) {
    const keys = offsets.map((offset, index) => offset * room + index).sort();
    const order = new Uint32Array(keys.length);
    for (let place = 0; place < keys.length; place++) order[place] = keys[place] % room;
    return order;
  }
  return Uint32Array.from(values.keys()).sort((a, b) => offsets[a] - offsets[b]);
}

/** Reads many addresses' DWARF at once, each unit once. */
async function prime(symbolizer: FileSymbolizer, addresses: BigUint64Array): Promise<void> {
  const byImage = new Map<LoadedImage, number[]>();
  for (const image of symbolizer.images.images) {
    if (symbolizer.debugInfo(image) instanceof OpenedDwarf) byImage.set(image, []);
  }
  if (byImage.size === 0) return;
  for (const address of addresses) {
    const image = symbolizer.images.at(address);
    if (image !== null) byImage.get(image)?.push(Number(address - image.loadAddress));
  }
  for (const [image, found] of byImage) {
    if (found.length === 0) continue;
    const offsets = Float64Array.from(new Set(found)).sort();
    const info = symbolizer.debugInfo(image) as OpenedDwarf;
    symbolizer.prime(image, offsets, await framesOf(info, offsets));
  }
}

/** The functions at rising offsets. Those of a large file with DWARF are looked up by several workers. */
async function framesOf(
  info: OpenedDwarf,
  offsets: Float64Array,
): Promise<readonly (readonly SourceFrame[])[]> {
  if (offsets.length < MANY) return info.framesOf(offsets);
  const [{ bulkFrames }, { Progress }] = await Promise.all([
    import("./bulk.ts"),
    import("./progress.ts"),
  ]);
  using file = files.open(info.path);
  const image = [...imagesIn(file)].findIndex(({ image }) => image.uuid === info.uuid);
  using bar = new Progress("Symbolicating", (count) => `${Math.round(count)}`);
  const { frames, warnings } = await bulkFrames({
    path: info.path,
    image: Math.max(0, image),
    offsets,
    onProgress: (done, total) => bar.update(done, total),
  });
  for (const warning of warnings) complain(`warning: ${escape(warning)}`);
  return frames;
}
