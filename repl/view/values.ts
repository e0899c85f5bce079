/** Typed values of memory as text. */
import { escape } from "../../lib/escape.ts";
import type { Layout } from "./layout.ts";

/** In which way integers are written. */
export type Radix = "decimal" | "hex" | "octal" | "binary";

/** What writing a value needs to know. */
export interface ValueContext {
  /** Names what is at an address; `undefined` where nothing is known. */
  describe(address: bigint): string | undefined;
  /** The text at an address, where a pointer to characters leads; `undefined` when it cannot be read. */
  textAt(address: bigint): string | undefined;
  readonly pointerSize: number;
  /** As the type says where it is left out. */
  readonly radix?: Radix;
}

/** An unsigned integer out of some bytes, little-endian. */
function unsigned(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at]);
  return value;
}

function integerText(value: bigint, size: number, radix: Radix): string {
  const bits = BigInt.asUintN(8 * size, value);
  if (radix === "hex") return `0x${bits.toString(16).padStart(2 * size, "0")}`;
  if (radix === "octal") return `0${bits.toString(8)}`;
  if (radix === "binary") return `0b${bits.toString(2).padStart(8 * size, "0")}`;
  return value.toString();
}

/** Bytes as a quoted text, up to the first zero. */
export function quoted(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const text = new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  return escape(JSON.stringify(text));
}

/** The lines of a value: one for a scalar, one a field for a struct. */
export function valueLines(layout: Layout, bytes: Uint8Array, context: ValueContext): string[] {
  switch (layout.kind) {
    case "struct":
      return layout.fields!.flatMap(({ name, offset, layout }) => {
        const lines = valueLines(layout, bytes.subarray(offset, offset + layout.size), context);
        const head = `+${String(offset).padEnd(4)} ${layout.name} ${name}`;
        return lines.length === 1
          ? [`${head} = ${lines[0]}`]
          : [head, ...lines.map((line) => `  ${line}`)];
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
      if (parts.every(({ length }) => length === 1)) return [`[${parts.flat().join(", ")}]`];
      return parts.flatMap((lines, index) => [`[${index}]`, ...lines.map((line) => `  ${line}`)]);
    }
    default:
      return [scalarText(layout, bytes, context)];
  }
}

function scalarText(layout: Layout, bytes: Uint8Array, context: ValueContext): string {
  const value = unsigned(bytes);
  const { radix } = context;
  switch (layout.kind) {
    case "float": {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      return String(layout.size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true));
    }
    case "signed":
      return integerText(BigInt.asIntN(8 * layout.size, value), layout.size, radix ?? "decimal");
    case "char":
      return `${value} ${quoted(bytes.length > 0 && bytes[0] === 0 ? new Uint8Array() : bytes)}`;
    case "pointer": {
      const address = integerText(value, layout.size, "hex");
      const text = /^(?:const )?char ?\*$/.test(layout.name) ? context.textAt(value) : undefined;
      const what = text ?? context.describe(value);
      return what === undefined ? address : `${address}  ${what}`;
    }
    default:
      return integerText(value, layout.size, radix ?? "decimal");
  }
}
