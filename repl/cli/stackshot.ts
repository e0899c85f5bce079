/** `machpause stackshot` */
import { escape } from "../../lib/escape.ts";
import { loadDemangler, openStackshot, type Stackshot, takeStackshot } from "../../mod.ts";
import { UserError } from "../errors.ts";
import { checkFolders } from "../prompt/open.ts";
import { complain, print } from "../view/output.ts";
import { styleFor } from "../view/style.ts";

/** The options of `machpause stackshot`. */
export interface StackshotActionOptions {
  readonly json?: boolean;
  readonly limit?: number;
  readonly pid?: number;
  readonly symbols?: readonly string[];
  readonly base?: string;
  /** Whether mangled names are shown as people read them. */
  readonly demangle?: boolean;
}

/** Opens a file, or takes a stackshot of a process, or of all.
 *
 * @throws UserError when there is no such file, or it may not be read
 */
async function open(
  what: string | undefined,
  { symbols = [], base }: StackshotActionOptions,
): Promise<Stackshot> {
  const options = { symbols, ...(base === undefined ? {} : { base }) };
  const pid = /^(?:pid:)?(\d+)$/.exec(what ?? "")?.[1];
  try {
    if (what === undefined) return await takeStackshot(undefined, options);
    return pid === undefined
      ? await openStackshot(what, options)
      : await takeStackshot(Number(pid), options);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      const file = base !== undefined && error.message.includes(base) ? base : what;
      throw new UserError(`there is no file ${file}`);
    }
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new UserError(`${what} may not be read: ask its owner, or run as root`);
    }
    throw error;
  }
}

/** Prints a stackshot: of a file, or taken now. Each task is printed as it is symbolicated. */
export async function showStackshot(
  what: string | undefined,
  options: StackshotActionOptions,
): Promise<number> {
  const { json = false, limit, pid } = options;
  if (limit !== undefined && limit < 1) {
    throw new UserError(`--limit ${limit}: at least one frame is needed`, 2);
  }
  await checkFolders(options.symbols ?? []);
  using stackshot = await open(what, options);
  const tasks = stackshot.tasks.filter((task) => pid === undefined || task.pid === pid);
  if (pid !== undefined && tasks.length === 0) {
    throw new UserError(`the stackshot has no process with the pid ${pid}`);
  }
  if (json) {
    const { safeJson } = await import("../view/json.ts");
    const object = stackshot.toJSON(limit, tasks);
    print(safeJson(object) + "\n");
  } else {
    const { functionNames, headerLines, taskLines } = await import("../view/stackshot.ts");
    const { demangle = true } = options;
    const style = styleFor(Deno.stdout);
    print(headerLines(stackshot, style).join("\n") + "\n");
    const view = {
      ...(limit === undefined ? {} : { limit }),
      ...(demangle ? {} : { name: (raw: string) => raw }),
    };
    for (const task of tasks) {
      if (demangle) await loadDemangler(functionNames(task, view));
      print("\n" + taskLines(task, style, view).join("\n") + "\n");
    }
  }
  for (const warning of stackshot.warnings) complain(`warning: ${escape(warning)}`);
  return 0;
}
