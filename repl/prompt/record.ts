/** Records a target into a file. */
import { childrenOf, standstill } from "../../ffi/procfs.ts";
import { kernel } from "../../ffi/processes.ts";
import { MachError, TargetGoneError } from "../../lib/errors.ts";
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { JournaledBuilder } from "../../lib/profile/journal.ts";
import type { Profile } from "../../lib/profile/mod.ts";
import { formatOfName, type ProfileFormat, profileStream } from "../../lib/profile/writing.ts";
import { sampleCount } from "../../lib/profile/mod.ts";
import type { RemoteTarget } from "../../lib/remote/mod.ts";
import { isLastDue } from "../../lib/target/sampling.ts";
import type { LiveTarget, Sample, SampleOptions } from "../../mod.ts";
import { UserError } from "../errors.ts";
import { checkOutput, isStdout, outputTo } from "../view/output_file.ts";
import { complain, explain, print, write } from "../view/output.ts";
import { secondsText } from "../view/progress.ts";
import { count, cut, join } from "../view/text.ts";
import type { Values } from "../options.ts";
import { exists, type Opened, openTarget } from "./open.ts";
import { programOf, type recordOptions } from "./sampled.ts";

/** How often what was sampled is written down, in milliseconds. */
const writeInterval = 250;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What is sampled. */
export type Sampled = LiveTarget | RemoteTarget;

/** Opens what is to be sampled: a live process, one over the wire, or a program that is started.
 *
 * @throws UserError for what cannot be sampled
 */
export async function openSampled(
  word: string,
  symbols: readonly string[],
  { keep = false, via }: { readonly keep?: boolean; readonly via?: string | undefined } = {},
): Promise<Opened & { readonly target: Sampled }> {
  const program = programOf(word);
  if (program === undefined && keep) {
    throw new UserError("--keep is for a program that is started: after `--`", 2);
  }
  if (program !== undefined && program[0] === "") {
    throw new UserError("no program after `--`", 2);
  }
  const opened = program === undefined
    ? await openTarget(word, symbols, via)
    : await (await import("./launch.ts")).openLaunched(program[0], program.slice(1), {
      keep,
      via,
      hold: true,
    });
  if (opened.target.kind !== "live" && opened.target.kind !== "remote") {
    opened[Symbol.dispose]();
    throw new UserError("a live process is sampled: name a pid, a process, a stub or `demo`", 2);
  }
  return opened as Opened & { readonly target: Sampled };
}

/** A number that an option gives.
 *
 * @throws UserError for what is none, or out of the range
 */
export function numberOf(
  name: string,
  text: string | undefined,
  least: number,
  most: number,
  shown = `--${name}`,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new UserError(`${shown} ${text}: a number from ${least} to ${most} is needed`, 2);
}

/** The threads that `--threads` names: a number is an identifier. */
function threadsOf(names: readonly string[]): (string | bigint)[] {
  return names.flatMap((text) => text.split(",")).map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => /^(?:\d+|0x[0-9a-f]+)$/i.test(name) ? BigInt(name) : name);
}

/** The threads to sample. `main` is also the one that the process began with, whatever its name is. */
function sampledThreads(target: Sampled, wanted: readonly (string | bigint)[]) {
  if (!wanted.includes("main")) return wanted;
  // A program that waits at its start is not to be looked at yet. On Linux the first thread has the process's id.
  const isTid = target.kind === "live" && Deno.build.os === "linux";
  return [...wanted, isTid ? BigInt(target.pid) : target.snapshot().threads[0].id];
}

/** Says which of the threads that are to be sampled are not there, before anything is waited for: they may begin later.
 *
 * @returns whether there was one
 */
function noteAbsent(target: Sampled, wanted: readonly (string | bigint)[]): boolean {
  const absent = absentThreads(target, wanted);
  if (absent.length === 0) return false;
  const names = [...new Set(target.snapshot().threads.map(({ name }) => name))]
    .filter((name) => name !== "").slice(0, 8).map(escape);
  const others = names.length === 0 ? safe`` : safe`; \`main\` and these are: ${join(names, ", ")}`;
  complain(
    safe`there is no thread ${escape(absent.join(", "))} now: it is sampled if it comes${others}`,
  );
  return true;
}

/** Notes the processes that a target starts: they are tasks of their own, and not sampled with it. */
class Children {
  readonly #target: Sampled;
  readonly #names = new Map<number, string>();
  #due = 0;

  constructor(target: Sampled) {
    this.#target = target;
  }

  look(): void {
    const { pid, kind } = this.#target;
    const now = performance.now();
    if (kind !== "live" || pid === null || now < this.#due) return;
    const isLinux = Deno.build.os === "linux";
    // Elsewhere all processes are asked for their parents.
    this.#due = now + (isLinux ? 0 : 2000);
    const found = isLinux ? childrenOf(pid) : kernel().processes().map(({ pid }) => pid)
      .filter((child) => kernel().processInfo(child)?.parent === pid);
    for (const child of found) {
      if (this.#names.size >= MAX_CHILDREN) return;
      const name = kernel().processName(child);
      // Until it has called `exec` it has the name of its parent.
      if (name !== null) this.#names.set(child, name);
    }
  }

  /** What is said of them; `undefined` where none was seen. */
  get words(): SafeText | undefined {
    if (this.#names.size === 0) return undefined;
    const all = [...this.#names].map(([pid, name]) => safe`${escape(name)} (pid ${pid})`);
    const more = all.length > 3 ? safe` and others` : safe``;
    return safe`${escape(this.#target.name)} has started ${
      join(all.slice(0, 3), ", ")
    }${more}, which the profile does not have: record that itself, by its pid or after \`--\` without a shell`;
  }
}

/** Children that are noted. */
const MAX_CHILDREN = 16;

/** Which of the threads that were to be sampled are not there; none where the target is gone. */
function absentThreads(target: Sampled, wanted: readonly (string | bigint)[]): string[] {
  if (wanted.length === 0) return [];
  try {
    const { threads } = target.snapshot();
    return wanted.filter((one) =>
      one !== "main" && !threads.some(({ id, name }) => id === one || name === one)
    ).map(String);
  } catch (error) {
    if (!(error instanceof MachError || error instanceof TargetGoneError)) throw error;
    return [];
  }
}

/** The most seconds that are taken: a year. */
const longest = 366 * 86_400;

/** `machpause record`
 *
 * @returns the exit code
 */
export async function record(word: string, choices: Values<typeof recordOptions>): Promise<number> {
  const { symbols = [], keep = false, offCpu = false } = choices;
  const threads = threadsOf(choices.threads ?? []);
  const rate = numberOf("rate", choices.rate, 0.1, 10_000) ?? 100;
  const duration = numberOf("duration", choices.duration, 0.001, longest);
  const format = formatFor(choices.format, choices.output);
  if (choices.output !== undefined) checkOutput(choices.output);
  using opened = await openSampled(word, symbols, { keep, via: choices.via });
  const { target } = opened;
  const options: SampleOptions = { rate, threads: sampledThreads(target, threads), offCpu };
  const usual = `${fileName(target.name)}-${timestamp()}.json.gz`;
  const output = choices.output ?? usual;
  // What is started has no threads to speak of yet.
  if (programOf(word) === undefined) noteAbsent(target, threads);
  using journal = new Journal(`${isStdout(output) ? usual : output}.mprec`);
  const builder = new JournaledBuilder();
  // From here on it is one that can be read, whatever comes.
  journal.append(builder.take());
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  const taken = opened.takeSignals?.();
  using line = new StatusLine(target);
  const children = new Children(target);
  let written = performance.now();
  let failure: unknown;
  let profile: Profile;
  try {
    profile = await target.record({
      ...options,
      ...(duration === undefined ? {} : { duration }),
      builder,
      signal: interrupted.signal,
      onSample(sample) {
        line.add(sample, builder.sampleCount);
        if (performance.now() - written < writeInterval || failure !== undefined) return;
        written = performance.now();
        children.look();
        try {
          journal.append(builder.take());
        } catch (error) {
          failure = error;
          stop();
        }
      },
    });
  } catch (error) {
    throw await endedBefore(opened, error);
  } finally {
    // From here on a signal ends machpause, and leaves the journal.
    for (const signal of signals) Deno.removeSignalListener(signal, stop);
    taken?.[Symbol.dispose]();
  }
  const isComplete = isLastDue(line.time, {
    rate,
    ...(duration === undefined ? {} : { duration }),
  });
  const ended = interrupted.signal.aborted || isComplete ? undefined : await opened.ended?.();
  line[Symbol.dispose]();
  if (failure !== undefined) throw journal.failed(failure);
  try {
    journal.append(builder.take());
    await writeProfileFile(output, profile, format);
  } catch (error) {
    throw journal.failed(error);
  }
  journal.remove();
  if (ended !== undefined) complain(safe`${escape(target.name)}: ${escape(ended)}`);
  const isEmpty = sampleCount(profile) === 0;
  const absent = isEmpty ? absentThreads(target, threads) : [];
  const still = isEmpty && target.kind === "live" ? standstill(target.pid) : undefined;
  const remedy = still?.tracer === null
    ? safe`: the process is stopped by a signal; \`kill -CONT ${target.pid!}\` lets it run on`
    : absent.length > 0
    ? safe`: there is no thread ${escape(absent.join(", "))}`
    : isEmpty && !offCpu
    ? safe`: no thread ran; --off-cpu records those that wait too`
    : safe``;
  const text = safe`${summary(output, profile, line)}${remedy}\n`;
  if (isStdout(output)) write(Deno.stderr, text);
  else print(text);
  for (const warning of target.warnings) complain(safe`warning: ${escape(warning)}`);
  const { words } = children;
  if (words !== undefined) complain(words);
  return absent.length > 0 ? 1 : 0;
}

/** The error of a recording: of a target that had ended before, with how it ended. */
export async function endedBefore({ target, ended }: Opened, error: unknown): Promise<unknown> {
  if (!(error instanceof TargetGoneError) || error.how !== null) return error;
  const how = await ended?.();
  return how === undefined ? error : new TargetGoneError(`${target}`, how);
}

/** The format of a file.
 *
 * @throws UserError when neither an option nor the ending says it
 */
export function formatFor(format: ProfileFormat | undefined, file?: string): ProfileFormat {
  const found = format ?? (file === undefined ? "firefox" : formatOfName(file));
  if (found !== null) return found;
  throw new UserError(`${file}: its ending names no format: use --format`, 2);
}

/** Writes a profile, whole or not at all. */
export async function writeProfileFile(
  path: string,
  profile: Profile,
  format: ProfileFormat,
): Promise<void> {
  using sink = outputTo(path);
  for await (const bytes of profileStream(profile, { format })) sink.write(bytes);
  sink.commit();
}

/** A file name from a process's name. */
function fileName(name: string): string {
  return name.replace(/[^\w.-]/g, "_").replace(/^[.-]+/, "") || "profile";
}

/** Such as `20261122-101500`, local. */
function timestamp(): string {
  const now = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString();
  return now.slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
}

/** What was lost, as in `12 samples and 40 stacks`; empty for nothing.
 *
 * @param lost samples, and stacks of samples that were taken
 * @param stacks how many of these are stacks
 */
export function lostText(lost: number, stacks: number): SafeText {
  const parts = [
    ...lost > stacks ? [count(lost - stacks, "sample")] : [],
    ...stacks > 0 ? [count(stacks, "stack")] : [],
  ];
  return parts.length === 0 ? safe`` : safe`${join(parts, " and ")} lost`;
}

function summary(
  output: string,
  profile: Profile,
  { time, late, lostStacks }: StatusLine,
): SafeText {
  const { lost, threads } = profile;
  const used = threads.filter(({ samples }) => samples.length > 0).length;
  const text = lostText(lost, lostStacks);
  const place = isStdout(output) ? safe`standard output` : escape(output);
  return safe`${place}: ${count(sampleCount(profile), "stack")} of ${count(used, "thread")} in ${
    secondsText(time / 1000)
  }${text === "" ? text : safe`, ${text}`}; median delay ${Math.round(late * 1000)} µs`;
}

/** The file that a recording grows in until it is complete. */
class Journal implements Disposable {
  readonly #path: string;
  readonly #file: Deno.FsFile;
  #length = 0;
  #kept = false;

  /** Creates it.
   *
   * @throws UserError when one is there already, or it cannot be created
   */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#file = Deno.openSync(path, { write: true, createNew: true });
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) {
        const text =
          `${path} is there: it is written to now, or was left by a recording that was ` +
          `cut short. \`machpause convert ${path} -o FILE\` makes a profile of it; or remove it`;
        throw new UserError(text);
      }
      throw new UserError(`${path} cannot be written: ${explain(error)}`);
    }
  }

  /** Appends whole lines. */
  append(text: string): void {
    const bytes = new TextEncoder().encode(text);
    try {
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
      this.#length += bytes.length;
    } catch (error) {
      // What was appended of it says nothing.
      this.#file.truncateSync(this.#length);
      throw error;
    }
  }

  /** The error to report. The journal stays: it has what was recorded. */
  failed(error: unknown): UserError {
    this.#kept = this.#length > 0;
    const reason = explain(error);
    if (!this.#kept) return new UserError(`nothing could be written: ${reason}`);
    return new UserError(
      `${reason}: what was recorded until then is in ${this.#path}, for machpause convert`,
    );
  }

  /** Removes it. */
  remove(): void {
    this.#kept = false;
    this[Symbol.dispose]();
  }

  #isOpen = true;

  /** Closes it, and removes it unless something failed. */
  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#file.close();
    if (!this.#kept && exists(this.#path)) Deno.removeSync(this.#path);
  }
}

/** The line on a terminal that says how a recording goes. */
class StatusLine implements Disposable {
  readonly #target: Sampled;
  readonly #shown = Deno.stderr.isTerminal();
  readonly #late: number[] = [];
  #drawn = 0;
  #lost = 0;
  /** Stacks that were lost, of samples that were taken. */
  lostStacks = 0;
  /** Of the last sample, in milliseconds since the first. */
  time = 0;

  constructor(target: Sampled) {
    this.#target = target;
  }

  /** The median delay of a sample, in milliseconds. */
  get late(): number {
    return this.#late.toSorted((a, b) => a - b)[this.#late.length >> 1] ?? 0;
  }

  add({ time, late, lost, lostStacks }: Sample, stacks: number): void {
    this.time = time;
    this.#lost += lost;
    this.lostStacks += lostStacks;
    // Enough for a median, whatever the duration.
    if (this.#late.length < 1 << 16) this.#late.push(late);
    const now = performance.now();
    if (!this.#shown || now - this.#drawn < writeInterval) return;
    this.#drawn = now;
    const { name, pid } = this.#target;
    const missing = lostText(this.#lost, this.lostStacks);
    const text = safe`recording ${escape(name)} (pid ${escape(`${pid ?? "?"}`)}): ${
      secondsText(this.time / 1000)
    }, ${count(stacks, "stack")}${missing === "" ? missing : safe`, ${missing}`}. Ctrl-C ends it`;
    write(Deno.stderr, safe`\r${cut(text, Deno.consoleSize().columns - 1)}\x1b[K`);
  }

  [Symbol.dispose](): void {
    if (this.#drawn > 0) write(Deno.stderr, safe`\r\x1b[K`);
    this.#drawn = 0;
  }
}
