import { UserError } from "../errors.ts";
import { explain } from "../view/output.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause run` */
export default {
  description: "Run a script with the API in its global scope.",
  arguments: "<script:string> [args...:string]",
  stopEarly: true,
  async run(_options, [script, ...args]) {
    await runScript(script, args);
    return undefined;
  },
} satisfies Subcommand;

/** Runs a script with the API in its global scope. `Deno.args` are the script's own, and
 * `@machpause/machpause` is this program's own module.
 *
 * @throws UserError for a script that does not exist, or fails
 */
async function runScript(script: string, args: readonly string[]): Promise<void> {
  const directory = `file://${encodeURI(Deno.cwd())}/`;
  const url = new URL(encodeURI(script).replaceAll("?", "%3F").replaceAll("#", "%23"), directory);
  try {
    await Deno.stat(url);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new UserError(`there is no script ${script}`);
    throw error;
  }
  (await import("../prompt/api.ts")).exposeApi();
  Object.defineProperty(Deno, "args", { value: [...args], configurable: true });
  try {
    await import(url.href);
  } catch (error) {
    const line = `${script}${error instanceof Error ? position(error, url) : ""}`;
    throw new UserError(`${line}: ${explain(error)}`);
  }
}

/** The position of an error in the script, as in `:3:7`; empty when not known. */
function position(error: Error, script: URL): string {
  // Stack traces have decoded paths.
  const path = decodeURIComponent(script.pathname);
  const at = error.stack?.indexOf(`${path}:`) ?? -1;
  return at < 0 ? "" : /^(?::\d+)+/.exec(error.stack!.slice(at + path.length))?.[0] ?? "";
}
