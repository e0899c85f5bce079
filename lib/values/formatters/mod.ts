/** The built-in formatters: one file for each family of types, all of them in one table. */

import type { Formatter } from "../model.ts";
import { goFormatters } from "./go.ts";
import { libcxxFormatters } from "./libcxx.ts";
import { libstdcxxFormatters } from "./libstdcxx.ts";
import { rustFormatters } from "./rust.ts";
import { stringFormatters } from "./strings.ts";

/** In the order in which they are tried. */
export const builtInFormatters: readonly Formatter[] = [
  ...stringFormatters,
  ...libcxxFormatters,
  ...libstdcxxFormatters,
  ...rustFormatters,
  ...goFormatters,
];
