/** What `symbolicate` resolves addresses with: files, or a process. Only the part of the library that
 * this takes is loaded: reading a table takes less time than loading the rest. */
import type { ImageFile } from "../../../lib/symbols/mod.ts";
import { UserError } from "../../errors.ts";
import type { Values } from "../../options.ts";
import type { symbolicateOptions } from "./options.ts";
import { each } from "./order.ts";
import type { Source } from "./resolve.ts";
import { parseAddress } from "./words.ts";

/** Opens what the options name.
 *
 * @throws UserError for options that exclude each other, and for a file that does not exist
 */
export async function openSource(options: Values<typeof symbolicateOptions>): Promise<Source> {
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
    throw new UserError("name a file with -o, or a process with -p", 2);
  }
  if (offset && object.length > 1) throw new UserError("-offset is for one file", 2);
  const given = loadAddress.length > 0 ? loadAddress : slide;
  if (given.length > 0 && given.length !== object.length) {
    throw new UserError(`${places[0]} is needed once for each -o`, 2);
  }
  if (options.symbols !== undefined) {
    const { checkFolders } = await import("../../prompt/open.ts");
    checkFolders(options.symbols);
  }
  const images = object.map((path, index): ImageFile => ({
    path,
    ...(options.arch === undefined ? {} : { arch: options.arch }),
    ...(loadAddress.length > 0
      ? { loadAddress: number(hexadecimal(loadAddress[index]), "-l") }
      : {}),
    ...(slide.length > 0 ? { slide: number(slide[index], "-s") } : {}),
  }));
  if (options.symbols === undefined) {
    const { tableSource } = await import("./tables.ts");
    const source = tableSource(images, offset);
    if (source !== null) return source;
  }
  const { fileSource } = await import("./files.ts");
  return fileSource(images, options.symbols ?? [], offset);
}

/** As atos takes a load address: without `0x`, too, and so without a letter among the digits. */
function hexadecimal(text: string): string {
  return /^[\da-f]+$/i.test(text) ? `0x${text}` : text;
}

function number(text: string, flag: string): bigint {
  const sign = text.startsWith("-") ? -1n : 1n;
  const value = parseAddress(text.replace(/^-/, ""));
  if (value === undefined) throw new UserError(`${flag} ${text}: that is not an address`, 2);
  return sign * value;
}

/** A running process. It is not stopped. */
async function processSource(spec: string, symbols: readonly string[] = []): Promise<Source> {
  const { openTarget } = await import("../../prompt/open.ts");
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
