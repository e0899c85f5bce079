/** What the commands of the command line do. Each returns the code to exit with. */
import type { CoreTarget, Thread } from "../mod.ts";
import { UserError } from "./errors.ts";
import type { ImageOptions } from "./image_action.ts";
import { type Opened, openTarget } from "./open.ts";
import { complain, print, printLines } from "./output.ts";
import { escape } from "../lib/escape.ts";
import { styleFor } from "./style.ts";

/** Runs the prompt.
 *
 * @param open gets the target; without it there is none yet
 */
async function promptAt(
  open?: () => Promise<Opened>,
  options: PromptOptions = {},
): Promise<number> {
  const [{ Session }, { prompt }] = await Promise.all([
    import("./session.ts"),
    import("./prompt.ts"),
  ]);
  const session = new Session(styleFor(Deno.stdout));
  session.assumeYes = options.yes ?? false;
  if (open !== undefined) session.open(await open());
  const asked = options.eval === undefined;
  if (asked && session.core !== undefined) {
    const { coreLines } = await import("./commands/mod.ts");
    printLines(coreLines(session));
  }
  if (asked && Deno.stdin.isTerminal() && Deno.stdout.isTerminal()) {
    const { maybeTarget, core } = session;
    // What a core is has been said.
    const name = core !== undefined ? "" : `${maybeTarget ?? "machpause"}. `;
    print(`${name}\`help\` lists the commands.\n`);
  }
  return await prompt(session, {
    ...(options.begin === undefined ? {} : { begin: options.begin }),
    ...(options.eval === undefined ? {} : { evaluate: options.eval }),
    init: options.init ?? true,
  });
}

/** What the commands that end at the prompt are given. */
export interface PromptOptions {
  /** Lines to run first, as if they had been typed. */
  readonly begin?: readonly string[];
  /** Lines to run instead of what would be typed. */
  readonly eval?: readonly string[];
  /** Changes are made without being asked for. */
  readonly yes?: boolean;
  /** Whether the user's startup file is run. */
  readonly init?: boolean;
}

/** `machpause` */
export function promptAction(options: PromptOptions = {}): Promise<number> {
  return promptAt(undefined, options);
}

/** `machpause attach` */
export function attachAction(spec: string, options: PromptOptions = {}): Promise<number> {
  return promptAt(() => openTarget(spec), options);
}

/** `machpause launch` */
export function launchAction(
  program: string,
  args: readonly string[],
  options: PromptOptions = {},
): Promise<number> {
  return promptAt(
    async () => await (await import("./launch.ts")).openLaunched(program, args),
    options,
  );
}

/** `machpause core` */
export async function coreAction(
  file: string,
  options: PromptOptions & { json?: boolean; symbols?: readonly string[] },
): Promise<number> {
  const { json = false, symbols = [] } = options;
  const { held, openCoreFile } = await import("./open.ts");
  if (!json) {
    return await promptAt(async () => held(await openCoreFile(file, symbols)), options);
  }
  const [{ coreJson, safeJson }, core] = await Promise.all([
    import("./json.ts"),
    openCoreFile(file, symbols),
  ]);
  using _core = core;
  print(safeJson(coreJson(core)) + "\n");
  return 0;
}

/** `machpause self` */
export function selfAction(options: PromptOptions = {}): Promise<number> {
  return promptAt(() => openTarget("self"), options);
}

/** `machpause demo` */
export function demoAction(options: PromptOptions = {}): Promise<number> {
  if (options.eval !== undefined || Deno.stdin.isTerminal() && Deno.stdout.isTerminal()) {
    return promptAt(() => openTarget("demo"), { ...options, begin: ["pause"] });
  }
  return backtraceAction("demo", "pause", {});
}

/** `machpause run` */
export async function scriptAction(script: string, args: readonly string[]): Promise<undefined> {
  await (await import("./script.ts")).runScript(script, args);
}

/** `machpause image` */
export async function imageAction(file: string, options: ImageOptions): Promise<number> {
  return await (await import("./image_action.ts")).showImage(file, options);
}

/** `machpause setup` */
export async function setupAction(
  { yes }: { yes?: boolean },
  directory: string | undefined,
): Promise<number> {
  const { setup } = await import("./setup.ts");
  return await setup({
    ...(yes === undefined ? {} : { yes }),
    ...(directory === undefined ? {} : { directory }),
    write: print,
    confirm: (question: string) => confirm(question),
  });
}

/** `machpause bt` and `machpause snapshot`
 *
 * @param how `pause` keeps the target paused until everything has been read; `snapshot` copies the
 * stacks in one short stop and walks them afterwards
 */
export async function backtraceAction(
  spec: string,
  how: "pause" | "snapshot",
  { json = false, limit, symbols = [] }: {
    json?: boolean;
    limit?: number;
    symbols?: readonly string[];
  },
): Promise<number> {
  if (limit !== undefined && limit < 1) {
    throw new UserError(`--limit ${limit}: at least one frame is needed`, 2);
  }
  const make = json ? await jsonOutput(limit) : await textOutput(limit);
  using opened = await openTarget(spec, symbols);
  const { target } = opened;
  let finish: (microseconds: number) => string;
  let microseconds: number;
  if (how === "snapshot" || target.kind !== "live") {
    const snapshot = target.snapshot();
    microseconds = snapshot.stoppedMicroseconds;
    finish = make(target, snapshot.threads);
  } else {
    using pause = target.pause();
    finish = make(target, target.threads);
    pause.resume();
    microseconds = pause.pausedMicroseconds;
  }
  print(finish(microseconds));
  for (const warning of target.warnings) complain(`warning: ${escape(warning)}`);
  return 0;
}

/** `machpause savecore` */
export async function saveCoreAction(
  spec: string,
  file: string,
  { json = false, style = "stacks" }: { json?: boolean; style?: string },
): Promise<number> {
  const { coreStyle, savedLine, saveCoreFile } = await import("./savecore.ts");
  const wanted = coreStyle(style);
  using opened = await openTarget(spec);
  const saved = await saveCoreFile(opened.target, file, wanted);
  if (json) {
    const { safeJson } = await import("./json.ts");
    print(safeJson({ target: opened.target.toJSON(), ...saved }) + "\n");
  } else {
    print(savedLine(saved) + "\n");
  }
  for (const warning of saved.warnings) complain(`warning: ${escape(warning)}`);
  return 0;
}

/** Reads all that is shown of a target; the answer makes the output when the pause is over. */
type Output = (
  target: Opened["target"],
  threads: readonly Thread[],
) => (microseconds: number) => string;

async function jsonOutput(limit: number | undefined): Promise<Output> {
  const { safeJson, threadsJson } = await import("./json.ts");
  return (target, threads) => {
    const object = threadsJson(target, threads, limit);
    return (pausedMicroseconds) => safeJson({ ...object, pausedMicroseconds }) + "\n";
  };
}

async function textOutput(limit: number | undefined): Promise<Output> {
  const { backtracesLines } = await import("./render.ts");
  const style = styleFor(Deno.stdout);
  return (target, threads) => {
    const lines = backtracesLines(threads, target.arch.pointerSize, style, limit);
    const count = threads.length === 1 ? "1 thread" : `${threads.length} threads`;
    const crashed = target.kind === "core" ? (target as CoreTarget).crashedThread : null;
    return (microseconds) => {
      const how = target.kind !== "core"
        ? `, stopped for ${microseconds} µs`
        : crashed === null
        ? ""
        : `, thread ${crashed.index} crashed: ${crashed.exception}`;
      return [`${target}: ${count}${how}`, "", ...lines, ""].join("\n");
    };
  };
}
