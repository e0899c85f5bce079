/** Symbol table files as a source of `symbolicate`. */
import { files } from "../../../ffi/files.ts";
import { FormatError } from "../../../lib/errors.ts";
import { escape, safe } from "../../../lib/escape.ts";
import { isMst, type Placed, TableSymbolizer } from "../../../lib/symbols/tables.ts";
import { UserError } from "../../errors.ts";
import { complain } from "../../view/output.ts";
import { each } from "./order.ts";
import type { Source } from "./resolve.ts";

/** Opens the tables; `null` unless all files are tables. */
export function tableSource(
  images: readonly (Placed & { readonly path: string })[],
  areOffsets: boolean,
): Source | null {
  const tables: { source: ReturnType<typeof files.open>; placed: Placed }[] = [];
  const close = () => tables.forEach(({ source }) => source[Symbol.dispose]());
  try {
    for (const placed of images) {
      if (!Deno.statSync(placed.path).isFile) return close(), null;
      const source = files.open(placed.path);
      tables.push({ source, placed });
      if (!isMst(source.read(0, 8))) return close(), null;
    }
  } catch {
    // `fileSource` says what is wrong.
    close();
    return null;
  }
  try {
    return sourceOf(new TableSymbolizer(tables), areOffsets);
  } catch (error) {
    close();
    if (error instanceof FormatError) throw new UserError(error.message);
    throw error;
  }
}

function sourceOf(symbolizer: TableSymbolizer, areOffsets: boolean): Source {
  const base = areOffsets ? symbolizer.images[0].loadAddress : 0n;
  return {
    missing: [],
    base,
    each(addresses, prepare, tell) {
      // Beyond 2^64 it is in no image.
      const placed = base === 0n ? addresses : addresses.map((address) => base + address);
      return each(symbolizer, placed, prepare, tell);
    },
    [Symbol.dispose]() {
      for (const warning of symbolizer.warnings) complain(safe`warning: ${escape(warning)}`);
      symbolizer[Symbol.dispose]();
    },
  };
}
