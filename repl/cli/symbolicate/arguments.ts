/** The command line of `symbolicate`, as `atos` has it. */

/** Long flags that `atos` writes with one dash, or otherwise than we do. */
const translations: ReadonlyMap<string, string> = new Map([
  ["-arch", "--arch"],
  ["-offset", "--offset"],
  ["-fullPath", "--full-path"],
  ["--fullPath", "--full-path"],
  ["-inlineFrames", "--inlines"],
  ["--inlineFrames", "--inlines"],
]);

/** Rewrites the flags of `atos` that our command line has under other names. */
export function translateArguments(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((text, index) => end >= 0 && index > end ? text : translations.get(text) ?? text);
}

/** An address as typed: `0x…`, hexadecimal digits of which one is a letter, or decimal digits;
 * `undefined` for what is none, or has more than 64 bits. */
export function parseAddress(text: string): bigint | undefined {
  const digits = /^0x([\da-f]+)$/i.exec(text)?.[1];
  const value = digits !== undefined
    ? BigInt(`0x${digits}`)
    : /^\d+$/.test(text)
    ? BigInt(text)
    : /^[\da-f]+$/i.test(text)
    ? BigInt(`0x${text}`)
    : undefined;
  return value !== undefined && value < 1n << 64n ? value : undefined;
}
