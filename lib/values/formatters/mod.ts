/** The built-in formatters: one file for each family of types, all of them in one table. */

import type { Formatter } from "../model.ts";
import { demangle } from "../../symbols/walking.ts";
import { canonical, isRecord } from "../types.ts";
import { goFormatters } from "./go.ts";
import { libcxxFormatters } from "./libcxx.ts";
import { libstdcxxFormatters } from "./libstdcxx.ts";
import { objcFormatters } from "./objc.ts";
import { rustFormatters } from "./rust.ts";
import { stringFormatters } from "./strings.ts";
import { swiftFormatters } from "./swift.ts";

/** What a pointer to a formatted object shows after its address: what the object shows. */
const pointers: Formatter = {
  name: "pointer",
  type: ({ kind, target }) => kind === "pointer" && target != null && isRecord(canonical(target)),
  summary(value) {
    const target = value.integer === 0n ? null : value.deref();
    if (target === null || value.context.formatters?.find(target.type) == null) return null;
    return target.unavailable === null ? target.summary : null;
  },
};

/** What a pointer to a function shows after its address: the function. */
const functions: Formatter = {
  name: "function pointer",
  type: ({ kind, target }) =>
    kind === "pointer" && target != null && canonical(target).kind === "function",
  summary(value) {
    const address = value.integer;
    if (address === null || address === 0n) return null;
    const found = value.context.symbolAt(address & value.context.addressMask);
    if (found === null) return null;
    const { image, name, offset } = found;
    const place = image === undefined ? demangle(name) : `${image}\`${demangle(name)}`;
    return offset === 0 ? `(${place})` : `(${place} + ${offset})`;
  },
};

/** All built-in formatters, in the order in which they are tried. */
export const builtInFormatters: readonly Formatter[] = [
  ...stringFormatters,
  ...objcFormatters,
  ...libcxxFormatters,
  ...libstdcxxFormatters,
  ...rustFormatters,
  ...goFormatters,
  ...swiftFormatters,
  pointers,
  functions,
];
