/** What the commands of the command line do. Each returns the code to exit with. */
import type { CoreTarget, Thread } from "../../mod.ts";
import type { CrashOptions } from "./crash.ts";
import { UserError } from "../errors.ts";
import type { ShownFrames } from "../view/frames.ts";
import type { ImageOptions } from "./image.ts";
import type { IndexOptions } from "./index.ts";
import { type Opened, openTarget } from "../prompt/open.ts";
import { complain, print, printLines } from "../view/output.ts";
import { escape } from "../../lib/escape.ts";
import type { StackshotActionOptions } from "./stackshot.ts";
import { styleFor } from "../view/style.ts";
import type { SymbolicateOptions } from "./symbolicate/symbolicate.ts";

/** Runs the prompt.
 *
 * @param open gets the target; without it there is none yet
 */
async function promptAt(
  open?: () => Promise<Opened>,
  options: PromptOptions = {},
): Promise<number> {
  const [{ Session }, { prompt }] = await Promise.all([
    import("../prompt/session.ts"),
    import("../prompt/prompt.ts"),
  ]);
  const session = new Session(styleFor(Deno.stdout));
  session.assumeYes = options.yes ?? false;
  if (open !== undefined) session.open(await open());
  if (options.symbols !== undefined && session.maybeTarget?.kind !== "core") {
    await (await import("../prompt/open.ts")).checkFolders(options.symbols);
    session.maybeTarget?.addSymbols(options.symbols);
  }
  if (options.pause) session.pause();
  const asked = options.eval === undefined;
  if (asked && session.core !== undefined) {
    const { coreLines } = await import("../commands/target.ts");
    printLines(coreLines(session));
  }
  if (asked && Deno.stdin.isTerminal() && Deno.stdout.isTerminal()) {
    const { maybeTarget, core } = session;
    // What a core is has been said.
    const runs = session.state === "running" ? " runs: Ctrl-C pauses it" : "";
    const name = core !== undefined ? "" : `${maybeTarget ?? "machpause"}${runs}. `;
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
  /** Whether the target is paused at once. */
  readonly pause?: boolean;
  /** Lines to run instead of what would be typed. */
  readonly eval?: readonly string[];
  /** Changes are made without being asked for. */
  readonly yes?: boolean;
  /** Folders with debug information. */
  readonly symbols?: readonly string[];
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
    async () => await (await import("../prompt/launch.ts")).openLaunched(program, args),
    options,
  );
}

/** `machpause core` */
export async function coreAction(
  file: string,
  options: PromptOptions & { json?: boolean; symbols?: readonly string[] },
): Promise<number> {
  const { json = false, symbols = [] } = options;
  const { held, openCoreFile } = await import("../prompt/open.ts");
  if (!json) {
    return await promptAt(async () => held(await openCoreFile(file, symbols)), options);
  }
  const [{ coreJson, safeJson }, core] = await Promise.all([
    import("../view/json.ts"),
    openCoreFile(file, symbols),
  ]);
  using _core = core;
  print(safeJson(coreJson(core)) + "\n");
  return 0;
}

/** `machpause crash` */
export async function crashAction(
  files: readonly string[],
  options: CrashOptions,
): Promise<number> {
  return await (await import("./crash.ts")).showCrashes(files, options);
}

/** `machpause self` */
export function selfAction(options: PromptOptions = {}): Promise<number> {
  return promptAt(() => openTarget("self"), options);
}

/** `machpause demo` */
export function demoAction(options: PromptOptions = {}): Promise<number> {
  if (options.eval !== undefined || Deno.stdin.isTerminal() && Deno.stdout.isTerminal()) {
    const begin = options.eval === undefined ? ["pause"] : [];
    return promptAt(() => openTarget("demo"), { ...options, begin, pause: true });
  }
  return backtraceAction("demo", "pause", {});
}

/** `machpause run` */
export async function scriptAction(script: string, args: readonly string[]): Promise<undefined> {
  await (await import("./run.ts")).runScript(script, args);
}

/** `machpause image` */
export async function imageAction(file: string, options: ImageOptions): Promise<number> {
  return await (await import("./image.ts")).showImage(file, options);
}

/** `machpause index` */
export async function indexAction(
  paths: readonly string[],
  options: IndexOptions,
): Promise<number> {
  return await (await import("./index.ts")).indexFiles(paths, options);
}

/** `machpause symbolicate` */
export async function symbolicateAction(
  options: SymbolicateOptions,
  addresses: readonly string[],
): Promise<number> {
  return await (await import("./symbolicate/symbolicate.ts")).symbolicate(options, addresses);
}

/** `machpause stackshot` */
export async function stackshotAction(
  what: string | undefined,
  options: StackshotActionOptions,
): Promise<number> {
  return await (await import("./stackshot.ts")).showStackshot(what, options);
}

/** `machpause demangle` */
export async function demangleAction(
  options: { full?: boolean; json?: boolean },
  names: readonly string[],
): Promise<number> {
  return await (await import("./demangle.ts")).demangleNames(names, options);
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

/** What `bt` and `snapshot` are given. */
interface BacktraceOptions {
  readonly json?: boolean;
  readonly limit?: number;
  /** Whether stacks are scanned where nothing else finds a caller. */
  readonly scan?: boolean;
  readonly symbols?: readonly string[];
  /** Whether mangled names are shown as people read them. */
  readonly demangle?: boolean;
}

/** `machpause bt` and `machpause snapshot`
 *
 * @param how `pause` keeps the target paused until every stack has been walked; `snapshot` copies the
 * stacks in one short stop and walks them afterwards
 */
export async function backtraceAction(
  spec: string,
  how: "pause" | "snapshot",
  options: BacktraceOptions,
): Promise<number> {
  const { json = false, limit, scan = false, symbols = [] } = options;
  if (limit !== undefined && limit < 1) {
    throw new UserError(`--limit ${limit}: at least one frame is needed`, 2);
  }
  const make = json ? await jsonOutput() : await textOutput(options);
  const { walkFrames } = await import("../view/frames.ts");
  using opened = await openTarget(spec, symbols);
  const { target } = opened;
  let threads: readonly Thread[];
  let walks: (() => ShownFrames)[];
  let microseconds: number;
  if (how === "snapshot" || target.kind !== "live") {
    const snapshot = target.snapshot();
    microseconds = snapshot.stoppedMicroseconds;
    threads = snapshot.threads;
    walks = threads.map((thread) => walkFrames(thread, limit, scan));
  } else {
    using pause = target.pause();
    threads = target.threads;
    walks = threads.map((thread) => walkFrames(thread, limit, scan));
    pause.resume();
    microseconds = pause.pausedMicroseconds;
  }
  // It runs: how long debug information takes to read is not its concern.
  const shown = walks.map((walk) => walk());
  print(await make(target, threads, shown, microseconds));
  for (const warning of target.warnings) complain(`warning: ${escape(warning)}`);
  const missing = target.missingSymbols;
  if (missing.length > 0) {
    const { missingLines } = await import("../view/missing_symbols.ts");
    for (const line of missingLines(missing)) complain(`warning: ${line}`);
  }
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
    const { safeJson } = await import("../view/json.ts");
    print(safeJson({ target: opened.target.toJSON(), ...saved }) + "\n");
  } else {
    print(savedLine(saved) + "\n");
  }
  for (const warning of saved.warnings) complain(`warning: ${escape(warning)}`);
  return 0;
}

/** Makes the output of what was read of a target. */
type Output = (
  target: Opened["target"],
  threads: readonly Thread[],
  shown: readonly ShownFrames[],
  microseconds: number,
) => string | Promise<string>;

async function jsonOutput(): Promise<Output> {
  const { safeJson, threadsJson } = await import("../view/json.ts");
  return (target, threads, shown, pausedMicroseconds) => {
    const object = threadsJson(target, threads, undefined, shown);
    return safeJson({ ...object, pausedMicroseconds }) + "\n";
  };
}

async function textOutput({ demangle = true }: BacktraceOptions): Promise<Output> {
  const { backtracesLines } = await import("../view/render.ts");
  const style = styleFor(Deno.stdout);
  return async (target, threads, shown, microseconds) => {
    if (demangle) await loadDemanglerFor(shown);
    const name = demangle ? undefined : (raw: string) => raw;
    const { pointerSize } = target.arch;
    const lines = backtracesLines(threads, pointerSize, style, undefined, shown, name);
    const count = threads.length === 1 ? "1 thread" : `${threads.length} threads`;
    const crashed = target.kind === "core" ? (target as CoreTarget).crashedThread : null;
    const how = target.kind !== "core"
      ? `, stopped for ${microseconds} µs`
      : crashed === null
      ? ""
      : `, thread ${crashed.index} crashed: ${crashed.exception}`;
    return [`${target}: ${count}${how}`, "", ...lines, ""].join("\n");
  };
}

/** Loads what the names of the frames need to be read by people. */
async function loadDemanglerFor(shown: readonly ShownFrames[]): Promise<void> {
  const names = new Set(shown.flatMap(({ frames }) => frames.map((frame) => frame.function ?? "")));
  const { isMangled } = await import("../../lib/symbols/walking.ts");
  if (![...names].some(isMangled)) return;
  const { loadDemangler } = await import("../../mod.ts");
  await loadDemangler(names);
}
