/** The built-in formatters: one file for each family of types, all of them in one table. */

import type { Formatter } from "../model.ts";

/** In the order in which they are tried. */
export const builtInFormatters: readonly Formatter[] = [];
