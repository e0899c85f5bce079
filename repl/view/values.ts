/** Typed values of memory as text. */
import { unsignedOf } from "../../lib/dwarf/words.ts";
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import type { Layout } from "./layout.ts";
import { indented, join, padEnd } from "./text.ts";

/** How integers are written. */
export type Radix = "decimal" | "hex" | "octal" | "binary";

/** What printing a value needs. */
export interface ValueContext {
  /** Names what is at an address; `undefined` where nothing is known. */
  describe(address: bigint): SafeText | undefined;
  /** The text that a pointer to characters points to; `undefined` when it cannot be read. */
  textAt(address: bigint): SafeText | undefined;
  readonly pointerSize: number;
  /** Default: by the type. */
  readonly radix?: Radix;
}

function integerText(value: bigint, size: number, radix: Radix): SafeText {
  const bits = BigInt.asUintN(8 * size, value);
  if (radix === "hex") return hex(bits, 2 * size);
  if (radix === "octal") return escape(`0${bits.toString(8)}`);
  if (radix === "binary") return escape(`0b${bits.toString(2).padStart(8 * size, "0")}`);
  return safe`${value}`;
}

/** Bytes up to the first zero as quoted text. */
export function quoted(bytes: Uint8Array): SafeText {
  const end = bytes.indexOf(0);
  const text = new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  return escape(JSON.stringify(text));
}

/** The lines of a value: one for a scalar, one per field for a struct. */
export function valueLines(layout: Layout, bytes: Uint8Array, context: ValueContext): SafeText[] {
  switch (layout.kind) {
    case "struct":
      return layout.fields!.flatMap(({ name, offset, layout }) => {
        const lines = valueLines(layout, bytes.subarray(offset, offset + layout.size), context);
        const head = safe`+${padEnd(safe`${offset}`, 4)} ${escape(layout.name)} ${escape(name)}`;
        return lines.length === 1 ? [safe`${head} = ${lines[0]}`] : [head, ...indented(lines)];
      });
    case "array": {
      const element = layout.element!;
      if (element.kind === "char") return [quoted(bytes)];
      const parts = Array.from(
        { length: layout.count! },
        (_, index) =>
          valueLines(
            element,
            bytes.subarray(index * element.size, (index + 1) * element.size),
            context,
          ),
      );
      if (parts.every(({ length }) => length === 1)) return [safe`[${join(parts.flat(), ", ")}]`];
      return parts.flatMap((lines, index) => [safe`[${index}]`, ...indented(lines)]);
    }
    default:
      return [scalarText(layout, bytes, context)];
  }
}

function scalarText(layout: Layout, bytes: Uint8Array, context: ValueContext): SafeText {
  const value = unsignedOf(bytes);
  const { radix } = context;
  switch (layout.kind) {
    case "float": {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      return safe`${layout.size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true)}`;
    }
    case "signed":
      return integerText(BigInt.asIntN(8 * layout.size, value), layout.size, radix ?? "decimal");
    case "char":
      return safe`${value} ${
        quoted(bytes.length > 0 && bytes[0] === 0 ? new Uint8Array() : bytes)
      }`;
    case "pointer": {
      const address = integerText(value, layout.size, "hex");
      const text = /^(?:const )?char ?\*$/.test(layout.name) ? context.textAt(value) : undefined;
      const what = text ?? context.describe(value);
      return what === undefined ? address : safe`${address}  ${what}`;
    }
    default:
      return integerText(value, layout.size, radix ?? "decimal");
  }
}
