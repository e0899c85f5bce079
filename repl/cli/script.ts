import { exposeApi } from "../prompt/api.ts";
import { UserError } from "../errors.ts";
import { explain } from "../view/output.ts";

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
  exposeApi();
  Object.defineProperty(Deno, "args", { value: [...args], configurable: true });
  try {
    await import(url.href);
  } catch (error) {
    const line = `${script}${error instanceof Error ? position(error, url) : ""}`;
    throw new UserError(`${line}: ${explain(error)}`);
  }
}

/** Where in the script an error came from, as in `:3:7`; empty when that is not known. */
function position(error: Error, script: URL): string {
  // Stacks have paths as they are, not as in URLs.
  const path = decodeURIComponent(script.pathname);
  const at = error.stack?.indexOf(`${path}:`) ?? -1;
  return at < 0 ? "" : /^(?::\d+)+/.exec(error.stack!.slice(at + path.length))?.[0] ?? "";
}
