/** `console` as code at the prompt finds it: what it prints is safe, and goes above the line that is
 * being typed. */
import { formatWithOptions } from "node:util";
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { join } from "../view/text.ts";

/** The methods that print, and whether they complain. */
const methods = { log: false, info: false, debug: false, warn: true, error: true } as const;

/** Text with all that a terminal could act on escaped, but line feeds and tabs kept. */
function safeText(text: string): SafeText {
  return join(text.split("\n").map((line) => join(line.split("\t").map(escape), "\t")), "\n");
}

/** Makes the global `console` print by way of `write`.
 *
 * @returns makes it what it was
 */
export function tameConsole(write: (text: SafeText, complains: boolean) => void): () => void {
  const before = Object.getOwnPropertyDescriptors(console);
  for (const [name, complains] of Object.entries(methods)) {
    const print = (...args: unknown[]) => {
      const text = safeText(formatWithOptions({ colors: false }, ...args));
      write(safe`${text}\n`, complains);
    };
    Object.defineProperty(console, name, { ...before[name as "log"], value: print });
  }
  return () => Object.defineProperties(console, before);
}
