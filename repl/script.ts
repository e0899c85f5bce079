import * as api from "../mod.ts";
import { UserError } from "./errors.ts";
import { explain } from "./output.ts";

/** Runs a script with the API in its global scope. `Deno.args` are the script's own, and
 * `@machpause/machpause` is this program's very module.
 *
 * @throws UserError when there is no such script, or when it fails
 */
export async function runScript(script: string, args: readonly string[]): Promise<void> {
  const directory = `file://${encodeURI(Deno.cwd())}/`;
  const url = new URL(encodeURI(script).replaceAll("?", "%3F").replaceAll("#", "%23"), directory);
  try {
    await Deno.stat(url);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new UserError(`there is no script ${script}`);
    throw error;
  }
  Object.assign(globalThis, api);
  Object.defineProperty(Deno, "args", { value: [...args], configurable: true });
  try {
    await import(url.href);
  } catch (error) {
    const place = error instanceof Error && error.stack?.match(/:\/\/[^\s)]+:\d+:\d+/g)
      ?.find((text) => text.startsWith(url.href.slice("file".length)));
    const line = place ? `${script}${place.slice(url.href.length - "file".length)}` : script;
    throw new UserError(`${line}: ${explain(error)}`);
  }
}
