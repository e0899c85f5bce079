/** `console` as code at the prompt finds it: what it prints is safe, and does not run into the line that
 * is being typed. */
import { escape } from "../../lib/escape.ts";

/** The methods that print, and whether they complain. */
const methods = { log: false, info: false, debug: false, warn: true, error: true } as const;

function inspect(value: unknown): string {
  return Deno.inspect(value, { colors: false });
}

/** What `console.log` makes of its arguments: the first may have `%s` and the like in it. */
export function formatted(args: readonly unknown[]): string {
  const rest = [...args];
  const parts: string[] = [];
  if (typeof rest[0] === "string") {
    const pattern = rest.shift() as string;
    parts.push(pattern.replace(/%[sdifoOjc%]/g, (specifier) => {
      if (specifier === "%%") return "%";
      if (rest.length === 0) return specifier;
      const value = rest.shift();
      if (specifier === "%c") return "";
      if (specifier === "%s") return String(value);
      return /[dif]/.test(specifier) ? String(Number(value)) : inspect(value);
    }));
  }
  for (const value of rest) parts.push(typeof value === "string" ? value : inspect(value));
  return parts.join(" ");
}

/** Makes the global `console` print by way of `write`, with all that a terminal could act on escaped.
 *
 * @returns makes it what it was
 */
export function tameConsole(write: (text: string, complains: boolean) => void): () => void {
  const before = Object.getOwnPropertyDescriptors(console);
  for (const [name, complains] of Object.entries(methods)) {
    const print = (...args: unknown[]) => {
      // Line feeds and tabs only move on.
      const safe = formatted(args).split(/([\n\t])/).map((text, index) =>
        index % 2 === 1 ? text : escape(text)
      );
      write(`${safe.join("")}\n`, complains);
    };
    Object.defineProperty(console, name, { ...before[name as "log"], value: print });
  }
  return () => Object.defineProperties(console, before);
}
