/** Reads what `machpause view` shows: one moment of one or several processes, or a profile. */
import { escape, safe } from "../../../lib/escape.ts";
import { fileError, UserError } from "../../errors.ts";
import { MAX_SIZE, readInput } from "../../input.ts";
import { dateText, type StacksJson } from "../../page/data.ts";
import { checkFolders, exists, isFolder, openTarget } from "../../prompt/open.ts";
import { complain } from "../../view/output.ts";
import type { ViewOptions } from "./options.ts";
import { ValueBudget } from "./value_budget.ts";
import type { Viewed } from "./viewed.ts";

/** Reads a file, several stackshots, or a target.
 *
 * @throws UserError for what is neither
 */
export async function readViewed(
  names: readonly string[],
  options: ViewOptions,
): Promise<Viewed> {
  checkFolders(options.symbols ?? []);
  const [what] = names;
  if (names.length > 1) return await profileIn(names, options);
  if (isFolder(what)) {
    // As `watch --save` writes them.
    if (exists(`${what}/hang.json`)) return await hangIn(`${what}/hang.json`);
    throw new UserError(folderWords(what));
  }
  if (!exists(what)) {
    if (/^[^:]*[/]/.test(what)) throw new UserError(`there is no file ${what}`);
    return await targetNow(what, options);
  }
  const { subcommandFor } = await import("../opens.ts");
  const [kind, path] = await subcommandFor(what, []);
  try {
    switch (kind) {
      case "attach":
        return await targetNow(path, options);
      case "core":
        return await targetNow(`core:${path}`, options);
      case "profile":
        return await profileIn(names, options);
      case "crash":
        return await reportIn(path, options);
      case "stackshot":
        return await stackshotIn(path, options);
      case "query":
        return await (await import("./library.ts")).libraryIn(path);
      case "view":
        return await hangIn(path);
    }
  } catch (error) {
    throw fileError(error, what);
  }
  throw new UserError(
    `${what} has no stacks: it is no profile, core, report, library, stackshot or hang`,
  );
}

/** Why a folder is not shown, and what of it can be. */
function folderWords(folder: string): string {
  const hangs = [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`)
    .filter((path) => exists(`${path}/hang.json`)).sort();
  const last = hangs.at(-1);
  return last === undefined
    ? `${folder} is a folder: name one file`
    : `${folder} has ${hangs.length} hang${
      hangs.length === 1 ? "" : "s"
    }: name one; the last is ${last}`;
}

async function hangIn(path: string): Promise<Viewed> {
  const [{ readHang }, { hangParts }] = await Promise.all([
    import("../../../lib/hang/mod.ts"),
    import("../../page/hang.ts"),
  ]);
  const bytes = await readInput(path, MAX_SIZE.report);
  return hangParts(readHang(new TextDecoder().decode(bytes), path));
}

/** The profile in a file, or in several stackshots. */
async function profileIn(
  paths: readonly string[],
  { symbols = [], pid, firefox = false }: ViewOptions,
): Promise<Viewed> {
  const { readProfileFiles } = await import("../profile/read.ts");
  const profile = await readProfileFiles(paths, {
    // The Firefox Profiler asks our symbol server itself, and says what it has not found.
    symbols: firefox ? [] : symbols,
    ...pid === undefined ? {} : { pid },
  });
  const { processes, product, threads, arch } = profile;
  const [process] = processes;
  const [path] = paths;
  return {
    profile,
    head: {
      title: product ?? process?.name ?? fileName(path),
      subtitle: words(
        `${threads.length} ${threads.length === 1 ? "thread" : "threads"}`,
        processes.length === 1 ? process.pid : null,
        arch,
      ),
      facts: [["File", paths.length === 1 ? path : `${path} and ${paths.length - 1} more`]],
    },
  };
}

/** The stacks of a process or a core. Debug information is read after the process runs again. */
async function targetNow(what: string, options: ViewOptions): Promise<Viewed> {
  const { limit, locals = true, symbols = [] } = options;
  const [{ threadsJson }, { frameVariablesJson }, { FrameBudget, shownFrames }] = await Promise.all(
    [
      import("../../view/json.ts"),
      import("../../view/named_variables.ts"),
      import("../../view/frames.ts"),
    ],
  );
  using opened = await openTarget(what, symbols);
  const { target } = opened;
  if (options.follow !== undefined && target.kind === "self") {
    throw new UserError("this process cannot follow its own variables while it is stopped");
  }
  const snapshot = target.snapshot(
    locals && options.follow !== undefined ? { follow: { levels: options.follow } } : {},
  );
  const frameBudget = new FrameBudget();
  const shown = snapshot.threads.map((thread) => shownFrames(thread, limit, false, frameBudget));
  const budget = new ValueBudget(snapshot.threads.length);
  const more = locals
    ? budget.limited(frameVariablesJson({ args: true, locals: true }))
    : undefined;
  const json = threadsJson(
    target,
    snapshot.threads,
    undefined,
    shown,
    more,
  ) as unknown as StacksJson;
  const crashed = target.kind === "core"
    ? (target as unknown as {
      readonly crashedThread: { index: number; exception: unknown } | null;
    })
      .crashedThread
    : null;
  for (const warning of target.warnings) complain(safe`warning: ${escape(warning)}`);
  const stopped = target.kind === "core"
    ? []
    : [["Stopped for", `${(snapshot.stoppedMicroseconds / 1000).toFixed(1)} ms`] as const];
  return {
    tasks: [{
      ...json,
      threads: json.threads.map((thread) => ({
        ...thread,
        crashed: crashed !== null && thread.index === crashed.index,
      })),
    }],
    head: {
      title: target.name ?? what,
      subtitle: words(target.kind === "core" ? "core" : null, target.pid, target.arch.name),
      facts: [
        ...crashed === null ? [] : [["Crashed", `${crashed.exception}`] as const],
        ["Pid", `${target.pid ?? ""}`],
        ["Architecture", target.arch.name],
        ...stopped,
        [
          "Looked at",
          target.kind === "core" ? "" : dateText(Date.now()),
        ],
      ],
      notes: [
        ...budget.note,
        ...target.missingSymbols.slice(0, 20).map(({ path, uuid }) =>
          `No debug information for ${path}, UUID ${uuid ?? "none"}.`
        ),
      ],
    },
  };
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function words(kind: string | null, pid: number | null, arch: string | null): string {
  return [kind, pid === null ? null : `pid ${pid}`, arch].filter((word) => word !== null).join(
    " · ",
  );
}

/** The report or reports in a file. */
async function reportIn(what: string, options: ViewOptions): Promise<Viewed> {
  const { symbols = [] } = options;
  const [{ openCrashSymbols, readCrashes }, { reportJson }] = await Promise.all([
    import("../crash/read.ts"),
    import("../../../lib/report/mod.ts"),
  ]);
  using found = await openCrashSymbols({ symbols });
  const crashes = await readCrashes(what, found, {});
  // What `sample` and `spindump` print has counts.
  if (crashes.some(({ report }) => report.threads.some(({ tree }) => tree.length > 0))) {
    return await profileIn([what], options);
  }
  // The shape is that of `crash --json`, whose keys are stable.
  const reports = crashes.map((crash) => reportJson(crash.report, crash));
  const [first] = reports;
  if (first === undefined) throw new UserError(`${what} has no report`);
  const { target, explanation, osVersion, model, date } = first;
  return {
    tasks: reports,
    head: {
      title: target.name ?? fileName(what),
      subtitle: explanation.headline,
      facts: [
        ["File", what],
        ["Pid", `${target.pid ?? ""}`],
        ["Architecture", target.arch ?? ""],
        ["System", osVersion ?? ""],
        ["Model", model ?? ""],
        ["Date", date === null ? "" : `${date}`],
      ],
      notes: [
        ...explanation.happened,
        ...explanation.causes.map((cause) => `Possible cause: ${cause}`),
        ...explanation.check,
      ],
    },
  };
}

async function stackshotIn(
  what: string,
  { symbols = [], pid, limit }: ViewOptions,
): Promise<Viewed> {
  const { openStackshot } = await import("../../../mod.ts");
  using stackshot = await openStackshot(what, { symbols });
  const tasks = stackshot.tasks.filter((task) => pid === undefined || task.pid === pid);
  if (tasks.length === 0) throw new UserError(`the stackshot has no process with the pid ${pid}`);
  const json = stackshot.toJSON(limit, tasks).tasks as unknown as readonly StacksJson[];
  return {
    tasks: json,
    head: {
      title: tasks.length === 1 ? tasks[0].name : "Stackshot",
      subtitle: tasks.length === 1 ? words(null, tasks[0].pid, tasks[0].arch) : `${stackshot}`,
      facts: [
        ["System", stackshot.data.osVersion ?? ""],
        ["Date", stackshot.date === null ? "" : dateText(stackshot.date.getTime())],
      ],
      notes: stackshot.warnings.slice(0, 20),
    },
  };
}
