/** `machpause watch`: tells hangs as they come, and keeps them. */
import { hangFolder } from "../../../ffi/hang_folder.ts";
import { procGlance } from "../../../ffi/glance.ts";
import { AttachError, MachError, TargetGoneError } from "../../../lib/errors.ts";
import { escape, escapeLines, safe, safeJson, type SafeText } from "../../../lib/escape.ts";
import {
  defaultLimit,
  defaultRate,
  describeHang,
  type Hang,
  type HangClock,
  type HangCounts,
  type HangOptions,
  hangs,
  HangStore,
  reportOfHang,
  systemClock,
  type TriggerLook,
  waitLines,
} from "../../../lib/hang/mod.ts";
import { demangle } from "../../../lib/symbols/demangle/mod.ts";
import type { LiveTarget } from "../../../lib/target/mod.ts";
import { UserError } from "../../errors.ts";
import type { Values } from "../../options.ts";
import { openTarget } from "../../prompt/open.ts";
import type { Opened } from "../../prompt/opened.ts";
import { complain, explain, print } from "../../view/output.ts";
import { checkFile } from "../../view/output_file.ts";
import { elide } from "../../view/short_name.ts";
import { type Style, styleFor } from "../../view/style.ts";
import { count, join } from "../../view/text.ts";
import type { watchOptions } from "./options.ts";

/** How often a process that is to start again is looked for, in milliseconds. */
const RETRY = 500;

/** Watches a target until it is told to stop; a process by name, through all its lives. */
export async function watchHangs(
  spec: string,
  options: Values<typeof watchOptions>,
): Promise<number> {
  const limit = options.hang === undefined ? defaultLimit : millisecondsOf(options.hang);
  const rate = options.rate ?? defaultRate;
  const trigger = options.trigger === undefined ? undefined : await triggerOf(options.trigger);
  const say = printer(options.json ?? false, styleFor(Deno.stdout));
  const problem = (text: string) => complain(safe`warning: ${explain(text)}`);
  checkFile(options.save, "a folder of hangs");
  using lock = options.save === undefined ? undefined : lockFolder(options.save);
  const store = options.save === undefined ? undefined : new HangStore(hangFolder(options.save), {
    ...options.maxSize === undefined ? {} : { maxSize: bytesOf(options.maxSize) },
    ...options.maxCount === undefined ? {} : { maxCount: options.maxCount },
    render: await rendering(),
    problem,
  });
  void lock;
  const { locals = false, follow: levels = 1 } = options;
  if (options.follow !== undefined && !locals) {
    throw new UserError("--follow goes with --locals", 2);
  }
  const variables = locals
    ? {
      more: (await import("../../view/named_variables.ts")).frameVariablesJson({ locals }, levels),
      follow: { levels },
    }
    : {};
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => controller.abort();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of signals) Deno.addSignalListener(name, stop);
  try {
    const isByName = !/^(?:pid:)?\d+$|^demo$|:/.test(spec);
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const opened = await openLive(spec, options.symbols ?? [], isFirst ? undefined : signal);
      if (opened === undefined) break;
      using _opened = opened;
      using _signals = opened.takeSignals?.();
      const target = opened.target as LiveTarget;
      using glance = procGlance(target.arch.name);
      const hangOptions: HangOptions = {
        limit,
        rate,
        signal,
        problem,
        onStart: () => say.start(target, options.thread, limit, rate, options.save),
        clock: thriftyClock(),
        ...options.thread === undefined ? {} : { thread: options.thread },
        ...options.idle === undefined ? {} : { idle: options.idle },
        ...trigger === undefined ? {} : { trigger },
        ...store === undefined ? {} : { captureFrom: (hang: Hang) => store.wholeFrom(hang) },
        ...variables,
        ...glance === undefined ? {} : { glance },
      };
      try {
        for await (const hang of hangs(target, hangOptions)) {
          const kept = store?.add(hang);
          say.hang(hang, kept?.counts, kept && `${options.save}/${kept.folder}`);
        }
      } catch (error) {
        if (error instanceof RangeError) {
          // A thread may have its name later than the process.
          if (isFirst) throw new UserError(error.message, 2);
          problem(error.message);
          await wait(RETRY, signal);
          continue;
        }
        if (!(error instanceof TargetGoneError)) throw error;
      }
      if (signal.aborted) break;
      if (isAlive(target)) {
        problem(`the thread of ${target} has ended`);
        await wait(RETRY, signal);
        continue;
      }
      say.gone(target, await opened.ended?.(), isByName);
      if (!isByName) break;
    }
  } finally {
    for (const name of signals) Deno.removeSignalListener(name, stop);
  }
  if (store !== undefined) say.end(store.counts, options.save!);
  return 0;
}

/** How long this process may go without looking at signals and timers, in milliseconds: of what an idle watch takes,
 * that is a sixth with 180. */
const DEAF = 500;

/** A clock that mostly waits by blocking this thread: a timer takes several times the processor time. */
function thriftyClock(): HangClock {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let heard = systemClock.now();
  return {
    ...systemClock,
    until(time, signal) {
      const now = systemClock.now();
      if (time - heard > DEAF) {
        heard = time;
        return systemClock.until(time, signal);
      }
      Atomics.wait(cell, 0, 0, Math.max(0, time - now));
      return Promise.resolve();
    },
  };
}

/** Opens a live target.
 *
 * @param signal waits for a process of that name until it is aborted; without one, a process that does
 * not exist is an error
 */
async function openLive(
  spec: string,
  symbols: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Opened | undefined> {
  let told = "";
  for (;;) {
    try {
      const opened = await openTarget(spec, symbols);
      if (opened.target.kind === "live") return opened;
      opened[Symbol.dispose]();
      throw new UserError(
        opened.target.kind === "remote"
          ? "hangs are watched where the process runs: over the wire nothing tells what a thread does " +
            "without stopping the whole process, 20 times a second"
          : "hangs are watched in processes of this machine: a pid or a name",
        2,
      );
    } catch (error) {
      if (signal === undefined || !(error instanceof Error)) throw error;
      const isAbsent = error instanceof AttachError && error.reason === "gone";
      const mayPass = error instanceof MachError || error instanceof TargetGoneError;
      if (!mayPass) throw error;
      if (!isAbsent && error.message !== told) complain(safe`warning: ${explain(error)}`);
      if (!isAbsent) told = error.message;
    }
    await wait(RETRY, signal);
    if (signal.aborted) return undefined;
  }
}

/** Whether a process is there. */
function isAlive(target: LiveTarget): boolean {
  try {
    target.snapshot();
    return true;
  } catch (error) {
    if (error instanceof TargetGoneError || error instanceof MachError) return false;
    throw error;
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

/** A time such as `250ms` or `1.5s`; a bare number is milliseconds. */
function millisecondsOf(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|)$/.exec(text) ?? [];
  const value = Number(digits) * (unit === "s" ? 1000 : 1);
  if (digits !== undefined && value > 0 && value <= 3_600_000) return value;
  throw new UserError(`--hang ${text}: a time up to an hour is needed, as in 250ms or 2s`, 2);
}

/** A size such as `64M`; a bare number is bytes. */
function bytesOf(text: string): number {
  const [, digits, unit = ""] = /^(\d+)([KMG]?)i?B?$/i.exec(text) ?? [];
  const value = Number(digits) * 1024 ** " KMG".indexOf(unit.toUpperCase() || " ");
  if (digits !== undefined && value > 0 && Number.isSafeInteger(value)) return value;
  throw new UserError(`--max-size ${text}: a size is needed, as in 64M`, 2);
}

/** Compiles a condition. */
async function triggerOf(code: string): Promise<(look: TriggerLook) => unknown> {
  const module = `export default (look: any): unknown => {
  const { target, milliseconds, running } = look;
  const thread = {};
  return ((thread) => (\n${code}\n))(new Proxy({}, {
    get: (_, key) => { const it = look.thread, value = it[key];
      return typeof value === "function" ? value.bind(it) : value; } }));
};`;
  try {
    const url = `data:application/typescript;charset=utf-8,${encodeURIComponent(module)}`;
    return (await import(url)).default;
  } catch (error) {
    // The lines after the first show the module that was made of it, and its address.
    const [reason] = (error instanceof Error ? error.message : `${error}`).split("\n");
    throw new UserError(`--trigger ${code}: ${reason}`, 2);
  }
}

/** Refuses a folder that another watch writes to: both would count in the same files. */
function lockFolder(folder: string): Disposable {
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = Deno.openSync(`${folder}/.lock`, { write: true, create: true, mode: 0o600 });
  let isFree = true;
  try {
    isFree = file.tryLockSync(true);
  } catch {
    // Not every file system has locks.
  }
  if (isFree) return file;
  file.close();
  throw new UserError(`another watch writes to ${folder}: give this one a folder of its own`);
}

/** Makes the files of an entry. What makes its page is loaded only where there is a folder. */
async function rendering(): Promise<typeof filesOf> {
  const { hangHtml } = await import("../../page/hang.ts");
  return (hang, counts) => ({
    ...filesOf(hang, counts),
    "hang.html": hangHtml(hang, counts, (raw) => demangle(raw)),
  });
}

/** The text files of an entry besides those that the store writes itself. */
function filesOf(hang: Hang, counts: HangCounts): Record<string, string> {
  const name = (raw: string) => demangle(raw);
  const { text } = reportOfHang(hang, name);
  const head = [
    `${describeHang(hang)}, at ${hang.began}; ${
      counts.count === 1 ? "once" : `${counts.count} times, first ${counts.first}`
    }`,
    ...waitLines(hang),
    "",
    "Timeline, in milliseconds from its beginning:",
    ...hang.looks.map(({ at, looks, running, cpu, stack }) => {
      const frames = stack === null ? [] : hang.stacks[stack];
      const names = frames.slice(0, 6).map(({ symbol, address }) =>
        symbol ? name(symbol) : address
      );
      return `  ${String(at).padStart(7)}  ${running ? "runs " : "waits"}  cpu ${
        String(cpu).padStart(6)
      }  ${looks}×  ${names.join(" ← ")}${frames.length > 6 ? " …" : ""}`;
    }),
    "",
  ];
  return {
    "hang.txt": escapeLines(text),
    "timeline.txt": escapeLines(head.join("\n")),
  };
}

function sumOf(counts: readonly HangCounts[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** What is printed. */
interface Printer {
  start(
    target: LiveTarget,
    thread: string | undefined,
    limit: number,
    rate: number,
    save: string | undefined,
  ): void;
  hang(hang: Hang, counts: HangCounts | undefined, folder: string | undefined): void;
  gone(target: LiveTarget, how: string | undefined, isAwaited: boolean): void;
  end(counts: readonly HangCounts[], folder: string): void;
}

function printer(json: boolean, style: Style): Printer {
  if (json) {
    const event = (value: unknown) => print(safe`${safeJson(value)}\n`);
    return {
      start: (target, thread, limit, rate) =>
        event({ event: "start", target: target.toJSON(), thread: thread ?? null, limit, rate }),
      hang: (
        { threads: _, images: _images, stacks: _stacks, looks: _looks, ...hang },
        counts,
        folder,
      ) => event({ event: "hang", ...hang, count: counts?.count ?? null, folder: folder ?? null }),
      gone: (target, how) => event({ event: "gone", target: target.toJSON(), how: how ?? null }),
      end: (counts) => event({ event: "end", signatures: counts.length, hangs: sumOf(counts) }),
    };
  }
  /** The last one that was told. */
  let deadlock = 0;
  return {
    start(target, thread, limit, rate, save) {
      deadlock = 0;
      const place = save === undefined ? safe`` : safe`; hangs are kept in ${escape(save)}`;
      print(
        safe`watching ${style("name", escape(thread ?? "main"))} of ${
          escape(`${target}`)
        }: ${rate} looks a second, hangs from ${limit} ms on${place}. Ctrl-C ends it.\n`,
      );
    },
    hang(hang, counts, folder) {
      // Most hangs have ended by the time that somebody reads of them. One that goes on is told when it is found
      // to be a deadlock, and as long as it is severe.
      if (hang.ended === null && hang.severity !== "severe") {
        if (hang.kind !== "deadlock" || hang.serial === deadlock) return;
        deadlock = hang.serial;
      }
      const [, ...frames] = hang.signature.parts;
      // Most are the program's own.
      const own = `${hang.target.name} `;
      const names = frames.map((part) => part.startsWith(own) ? part.slice(own.length) : part);
      const short = names.map((name) => escape(elide(elide(name, "<"), "(")));
      const where: SafeText = join(short, " ← ");
      const time = escape(hang.began.slice(11, 19));
      const times = counts === undefined || counts.count === 1 ? safe`` : safe`, ${counts.count}×`;
      const what = style(
        hang.severity === "severe" || hang.kind === "deadlock" ? "warning" : "heading",
        escape(describeHang(hang)),
      );
      print(safe`${time}  ${what}${times}: ${where}\n`);
      for (const line of waitLines(hang)) print(safe`          ${escape(line)}\n`);
      if (folder !== undefined) print(safe`          ${style("quiet", escape(folder))}\n`);
    },
    gone(target, how, isAwaited) {
      const after = isAwaited ? safe`; waiting for it to start again` : safe``;
      const why = how === undefined ? safe`` : safe`: ${escape(how)}`;
      print(safe`${escape(`${target}`)} has ended${why}${after}\n`);
    },
    end(counts, folder) {
      const look = counts.length === 0
        ? safe``
        : safe`; \`machpause view\` shows one, \`machpause collect\` takes all`;
      print(
        safe`${escape(folder)} has ${count(sumOf(counts), "hang")}, ${
          count(counts.length, "signature")
        }${look}\n`,
      );
    },
  };
}
