import { escape, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import type { CoreTarget, SnapshotOptions, Thread } from "../../mod.ts";
import { UserError } from "../errors.ts";
import { btOptions, type Values } from "../options.ts";
import { type Opened, openTarget } from "../prompt/open.ts";
import { FrameBudget, type ShownFrames, shownFrames, walkFrames } from "../view/frames.ts";
import { complain, print, terminalSize } from "../view/output.ts";

import { backtracesLines } from "../view/render.ts";
import { styleFor } from "../view/style.ts";
import { count, lines } from "../view/text.ts";
import type { Subcommand } from "./subcommand.ts";

/** `machpause bt` */
export default {
  description: "Pause the target, print every thread's backtrace, resume.",
  arguments: "<target:string>",
  options: btOptions,
  examples: [
    ["A process by pid", "machpause bt pid:123"],
    ["A process by name, as JSON", "machpause bt MyApp --json"],
    ["A core file", "machpause bt core:MyApp.core"],
    ["The next that is started", "machpause bt --wait MyApp"],
    ["What a stub holds", "machpause bt remote:localhost:1234"],
  ],
  async run(options, [spec]) {
    return await showBacktraces(spec, "pause", options);
  },
} satisfies Subcommand<typeof btOptions>;

type BacktraceOptions = Values<typeof btOptions>;

/** Prints the backtraces of all threads of a target. The stacks are copied in one short stop, and unwound
 * after the target runs again.
 *
 * @param how `pause` pauses the target again, until they are unwound, when a stack is too deep to be copied
 * @returns the exit code
 */
export async function showBacktraces(
  spec: string,
  how: "pause" | "snapshot",
  options: BacktraceOptions,
): Promise<number> {
  const { json = false, limit, scan = false, symbols = [] } = options;
  if (json && (options.unique || options.by !== undefined)) {
    const option = options.unique ? "--unique" : "--by";
    throw new UserError(`${option} groups text: it does not go with --json`, 2);
  }
  // What prints is loaded before the target is stopped.
  const output = json ? await jsonOutput(options) : await textOutput(options);
  const budget = new FrameBudget();
  using opened = options.wait
    ? (await (await import("../prompt/processes.ts")).openStarted(spec, {
      ...{ symbols, via: options.via },
      say: complain,
    }))!
    : await openTarget(spec, symbols, options.via);
  const { target } = opened;
  const snapshot = target.snapshot(followed(target, options));
  if (snapshot.followed?.isWhole === false) {
    complain(safe`warning: not all that variables lead to was copied`);
  }
  let microseconds = snapshot.stoppedMicroseconds;
  let threads = snapshot.threads;
  let shown = threads.map((thread) => shownFrames(thread, limit, scan, budget));
  const isCut = shown.some(({ stopped }) => stopped === "unreadable");
  if (isCut && how === "pause" && target.kind === "live") {
    using pause = target.pause();
    threads = target.threads;
    const again = new FrameBudget();
    const walks = threads.map((thread) => walkFrames(thread, limit, scan, again));
    pause.resume();
    microseconds += pause.pausedMicroseconds;
    // The target runs again: debug information may take its time.
    shown = walks.map((walk) => walk());
  }
  const text = await output(target, threads, shown, microseconds);
  if (options.pager === false || json || !Deno.stdout.isTerminal()) print(text);
  else await (await import("../view/pager.ts")).printPaged(text);
  for (const warning of target.warnings) complain(safe`warning: ${escape(warning)}`);
  const missing = target.missingSymbols;
  if (missing.length > 0) {
    const { missingLines } = await import("../view/missing_symbols.ts");
    for (const line of missingLines(missing)) complain(safe`warning: ${line}`);
  }
  if (spec === "demo" && Deno.stdout.isTerminal()) await noteOtherDemos(target.pid);
  return 0;
}

/** What `--follow` asks of a snapshot. */
function followed(
  { kind }: Opened["target"],
  { args, locals, follow: levels }: BacktraceOptions,
): SnapshotOptions {
  if (levels === undefined) return {};
  if (!args && !locals) throw new UserError("--follow goes with --locals or --args", 2);
  if (kind === "self") {
    throw new UserError("this process cannot follow its own variables while it is stopped");
  }
  return { follow: { levels } };
}

/** Makes the output for what was read of a target. */
type Output = (
  target: Opened["target"],
  threads: readonly Thread[],
  shown: readonly ShownFrames[],
  microseconds: number,
) => SafeText | Promise<SafeText>;

async function jsonOutput({ args, locals, follow = 0 }: BacktraceOptions): Promise<Output> {
  const { threadsJson } = await import("../view/json.ts");
  const more = args || locals
    ? (await import("../view/named_variables.ts")).frameVariablesJson({ args, locals }, follow)
    : undefined;
  return (target, threads, shown, pausedMicroseconds) => {
    const object = threadsJson(target, threads, undefined, shown, more);
    return safe`${safeJson({ ...object, pausedMicroseconds })}\n`;
  };
}

async function textOutput(
  { by, demangle = true, unique = false, full = false, args, locals, follow = 0 }: BacktraceOptions,
): Promise<Output> {
  const summary = unique || by !== undefined ? await import("../view/summary.ts") : undefined;
  const show = unique ? summary!.uniqueBacktracesLines : backtracesLines;
  const style = styleFor(Deno.stdout);
  const detail = args || locals
    ? (await import("../view/named_variables.ts")).frameDetail({ args, locals }, style, follow)
    : undefined;
  return async (target, threads, shown, microseconds) => {
    if (demangle) await loadDemanglerFor(shown);
    const name = demangle ? undefined : (raw: string) => raw;
    const { pointerSize } = target.arch;
    const width = full || !Deno.stdout.isTerminal() ? Infinity : terminalSize().columns;
    const stacks = by === undefined
      ? show(threads, pointerSize, style, undefined, shown, name, width, detail)
      : summary!.queueGroupsLines(threads, style, (group) => {
        const frames = group.map((thread) => shown[threads.indexOf(thread)]);
        return show(group, pointerSize, style, undefined, frames, name, width, detail);
      });
    const crashed = target.kind === "core" ? (target as CoreTarget).crashedThread : null;
    const how = target.kind !== "core"
      ? safe`, stopped for ${microseconds} µs`
      : crashed === null
      ? safe``
      : safe`, thread ${crashed.index} crashed: ${escape(`${crashed.exception}`)}`;
    const head = safe`${escape(`${target}`)}: ${count(threads.length, "thread")}${how}`;
    return lines([head, safe``, ...stacks]);
  };
}

/** Loads what demangling the frames' names takes. */
async function loadDemanglerFor(shown: readonly ShownFrames[]): Promise<void> {
  const names = new Set(shown.flatMap(({ frames }) => frames.map((frame) => frame.function ?? "")));
  // Without a name that may be mangled, nothing more is loaded.
  if (![...names].some((name) => /^[_$@]/.test(name))) return;
  const { isMangled } = await import("../../lib/symbols/walking.ts");
  if (![...names].some(isMangled)) return;
  const { loadDemangler } = await import("../../lib/symbols/demangle/mod.ts");
  await loadDemangler(names);
}

/** Says that \`demo\` started another one, where one runs already. */
async function noteOtherDemos(own: number | null): Promise<void> {
  const { kernel } = await import("../../ffi/processes.ts");
  const others = kernel().processes().filter(({ name, pid }) => name === "demo" && pid !== own);
  if (others.length === 0) return;
  const pids = others.map(({ pid }) => pid).join(", ");
  complain(
    safe`this demo was started for it and has ended; pid ${escape(pids)} runs too: bt pid:${
      others[0].pid
    } shows it`,
  );
}
