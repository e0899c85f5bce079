import { escape, safe, safeJson } from "../../lib/escape.ts";
import type { Stackshot } from "../../mod.ts";
import { fileError, UserError } from "../errors.ts";
import { json, limit, noDemangle, noPager, symbols, type Values } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

const options = {
  pid: { value: "pid", integer: true, help: "Only this process." },
  base: { value: "file", help: "The stackshot that a delta stackshot refers to." },
  symbols,
  limit: { ...limit, help: "Maximum number of frames per stack." },
  "no-demangle": noDemangle,
  "no-pager": noPager,
  json,
} as const;

type StackshotOptions = Values<typeof options>;

/** `machpause stackshot` */
export default {
  description: "Show a stackshot: a file, or on macOS one taken now, of one process or of all.\n" +
    "It has every thread in user space and in the kernel, and what each thread waits for.",
  arguments: "[target:string]",
  options,
  examples: [
    ["A file", "machpause stackshot hang.kcdata --symbols ./symbols"],
    ["A process, now", "sudo machpause stackshot 123"],
  ],
  run: (options, [what]) => showStackshot(what, options),
} satisfies Subcommand<typeof options>;

/** Opens a file, or takes a stackshot of a process or of all.
 *
 * @throws UserError for a file that does not exist, or may not be read
 */
async function open(
  what: string | undefined,
  { symbols = [], base }: StackshotOptions,
): Promise<Stackshot> {
  const options = { symbols, ...(base === undefined ? {} : { base }) };
  const [{ exists }, { openStackshot, takeStackshot }] = await Promise.all([
    import("../prompt/open.ts"),
    import("../../mod.ts"),
  ]);
  const pid = /^(?:pid:)?(\d+)$/.exec(what ?? "")?.[1];
  try {
    if (what === undefined) return await takeStackshot(undefined, options);
    return pid === undefined
      ? await openStackshot(what, options)
      : await takeStackshot(Number(pid), options);
  } catch (error) {
    const path = base !== undefined && !exists(base) ? base : what;
    if (path !== undefined && (error as Error).name === "FormatError" && await isReport(path)) {
      throw new UserError(
        `${path} is a report in text, not kcdata: machpause crash ${path} shows it`,
      );
    }
    throw path === undefined ? error : fileError(error, path);
  }
}

/** Whether a file is one that `machpause crash` reads, as the stackshots in JSON that devices write. */
async function isReport(path: string): Promise<boolean> {
  const [{ MAX_SIZE, readPlainFile }, { readReport }] = await Promise.all([
    import("../input.ts"),
    import("../../lib/report/mod.ts"),
  ]);
  try {
    readReport(readPlainFile(path, MAX_SIZE.report), path);
    return true;
  } catch {
    return false;
  }
}

/** Prints a stackshot, each task as soon as it is symbolicated. */
async function showStackshot(
  what: string | undefined,
  options: StackshotOptions,
): Promise<number> {
  const { json = false, limit, pid } = options;
  const [{ checkFolders }, { complain, print }] = await Promise.all([
    import("../prompt/open.ts"),
    import("../view/output.ts"),
  ]);
  checkFolders(options.symbols ?? []);
  using stackshot = await open(what, options);
  const tasks = stackshot.tasks.filter((task) => pid === undefined || task.pid === pid);
  if (pid !== undefined && tasks.length === 0) {
    throw new UserError(`the stackshot has no process with the pid ${pid}`);
  }
  if (json) {
    print(safe`${safeJson(stackshot.toJSON(limit, tasks))}\n`);
  } else {
    const [
      { functionNames, headerLines, taskLines },
      { PagedOutput },
      { styleFor },
      { lines },
      { loadDemangler },
    ] = await Promise.all([
      import("../view/stackshot.ts"),
      import("../view/pager.ts"),
      import("../view/style.ts"),
      import("../view/text.ts"),
      import("../../lib/symbols/demangle/mod.ts"),
    ]);
    const { demangle = true } = options;
    const style = styleFor(Deno.stdout);
    await using output = new PagedOutput(options.pager ?? true);
    await output.print(lines(headerLines(stackshot, style)));
    const view = {
      ...(limit === undefined ? {} : { limit }),
      ...(demangle ? {} : { name: (raw: string) => raw }),
    };
    for (const task of tasks) {
      if (demangle) await loadDemangler(functionNames(task, view));
      if (!await output.print(lines([safe``, ...taskLines(task, style, view)]))) break;
    }
  }
  for (const warning of stackshot.warnings) complain(safe`warning: ${escape(warning)}`);
  return 0;
}
