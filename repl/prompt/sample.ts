/** `machpause sample`: a profile as text. */
import { kernel } from "../../ffi/processes.ts";
import { files } from "../../ffi/files.ts";
import { createNamed } from "../../lib/named_sink.ts";
import { escape, joinLines, safe, type SafeText } from "../../lib/escape.ts";
import { type SampledQueue, sampleLines } from "../../lib/report/write/sample.ts";
import type { Profile } from "../../lib/profile/mod.ts";
import { UserError } from "../errors.ts";
import type { Values } from "../options.ts";
import { print, write } from "../view/output.ts";
import { isStdout } from "../view/output_file.ts";
import { endedBefore, lostText, numberOf, openSampled, type Sampled } from "./record.ts";
import { awaitFound, isProcessName } from "./processes.ts";
import { findProgram } from "./launch.ts";
import { programOf, type sampleOptions } from "./sampled.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Samples a target, prints the report and writes it to a file.
 *
 * @returns the exit code
 */
export async function sample(
  word: string,
  secondsText: string | undefined,
  millisecondsText: string | undefined,
  choices: Values<typeof sampleOptions>,
): Promise<number> {
  const { wait = false, fullPaths = false, edit = false, file, symbols = [] } = choices;
  if (edit && isStdout(file)) throw new UserError("-e opens a file: name one with -file", 2);
  const seconds = numberOf("seconds", secondsText, 0.001, 1e7, "seconds") ?? 10;
  const interval = numberOf("milliseconds", millisecondsText, 0.1, 10_000, "milliseconds") ?? 1;
  const spec = await specFor(word, wait);
  using opened = await openSampled(spec, symbols, { via: choices.via });
  const { target } = opened;
  const pid = escape(`${target.pid ?? "???"}`);
  const date = new Date();
  // With `-` there is no file beside what is printed.
  const output = file ?? temporaryPath(target.name, date);
  // First: what cannot be written is not to be sampled for minutes.
  using sink = isStdout(file) ? undefined : createNamed(files, output, 0o666);
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  const taken = opened.takeSignals?.();
  say(
    safe`Sampling process ${pid} for ${seconds} second${escape(seconds === 1 ? "" : "s")} with ${
      escape(everyText(interval))
    } of run time between samples`,
  );
  const path = pathOf(target, programOf(spec)?.[0]);
  const parent = parentOf(target);
  const queues = new Map<string, SampledQueue>();
  let lostStacks = 0;
  let profile: Profile;
  try {
    profile = await target.record({
      rate: 1000 / interval,
      duration: seconds,
      offCpu: true,
      signal: interrupted.signal,
      onSample({ threads, lostStacks: stacks }) {
        lostStacks += stacks;
        for (const { queue } of threads) if (queue !== null) queues.set(queue.label, queue);
      },
    });
  } catch (error) {
    throw await endedBefore(opened, error);
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, stop);
    taken?.[Symbol.dispose]();
  }
  say(safe`Sampling completed, processing symbols...`);
  const facts = { interval, date, queues, fullPaths, path, parent };
  const encoder = new TextEncoder();
  const text: SafeText[] = [];
  const isPrinted = isStdout(file) || file === undefined && !edit;
  for (const line of sampleLines(profile, facts)) {
    sink?.write(encoder.encode(`${line}\n`));
    if (isPrinted) text.push(safe`${escape(line)}\n`);
  }
  sink?.commit();
  if (profile.lost > 0) say(lostText(profile.lost, lostStacks));
  if (sink !== undefined) {
    say(safe`Sample analysis of process ${pid} written to file ${escape(output)}`);
  }
  if (isPrinted) { for (const line of text) print(line); }
  if (edit) await openEditor(output);
  return 0;
}

function everyText(interval: number): string {
  return interval === 1 ? "1 millisecond" : `${interval} milliseconds`;
}

/** Progress goes to stderr, so that stdout has the report alone. */
function say(text: SafeText): void {
  write(Deno.stderr, safe`${text}\n`);
}

/** What to open: a process whose name begins with the word, where none has it as its whole name.
 *
 * @param wait until there is one
 * @throws UserError when the name fits several
 */
async function specFor(word: string, wait: boolean): Promise<string> {
  if (programOf(word) !== undefined || !isProcessName(word)) {
    if (wait) throw new UserError("-wait needs the name of a process", 2);
    return word;
  }
  const { prepareLibrary } = await import("../../ffi/processes.ts");
  await prepareLibrary();
  const find = (): string | undefined => {
    const processes = kernel().processes().filter(({ pid }) => pid !== Deno.pid);
    const same = processes.filter(({ name }) => name === word);
    if (same.length > 0) return word;
    const partial = processes.filter(({ name }) => name.includes(word));
    if (partial.length === 1) return `${partial[0].pid}`;
    if (partial.length > 1) {
      const names = partial.slice(0, 5).map(({ name, pid }) => `${name} (${pid})`).join(", ");
      throw new UserError(`${joinLines(word)} fits several processes: ${joinLines(names)}`);
    }
    return wait ? undefined : word;
  };
  return await awaitFound(find, () => say(safe`Waiting for ${escape(word)} to appear...`)) ?? word;
}

/** @param program that is started */
function pathOf(target: Sampled, program?: string): string {
  // It has not begun.
  if (program !== undefined) return Deno.realPathSync(findProgram(program));
  // Of a program that a loader runs, the kernel knows the loader.
  const path = target.images.find(({ name }) => name === target.name)?.path;
  return path ?? (target.kind === "live" ? kernel().processPath(target.pid) : "???");
}

function parentOf({ kind, pid }: Sampled): string {
  // The process may be on another machine.
  if (kind === "remote" || pid === null) return "???";
  const parent = kernel().processInfo(pid)?.parent;
  if (parent === undefined) return "???";
  return `${kernel().processName(parent) ?? "???"} [${parent}]`;
}

/** As sample names its files: `NAME_DATE_TIME_XXXX.sample.txt`. */
function temporaryPath(name: string, date: Date): string {
  const safeName = name.replace(/[^\w.-]/g, "_") || "process";
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  const time = local.slice(0, 19).replaceAll(":", "").replace("T", "_");
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const random = [...crypto.getRandomValues(new Uint8Array(4))]
    .map((byte) => letters[byte % letters.length]).join("");
  const folder = (Deno.env.get("TMPDIR") ?? "/tmp").replace(/\/+$/, "");
  return `${folder}/${safeName}_${time}_${random}.sample.txt`;
}

async function openEditor(path: string): Promise<void> {
  const [program, ...args] = Deno.build.os === "darwin"
    ? ["/usr/bin/open", "-e"]
    : (Deno.env.get("VISUAL") ?? Deno.env.get("EDITOR") ?? "").split(/\s+/).filter(Boolean);
  if (program === undefined) {
    throw new UserError(`set VISUAL or EDITOR to open the output: it is in ${path}`);
  }
  try {
    const { code } = await new Deno.Command(program, { args: [...args, path] }).spawn().status;
    if (code !== 0) throw new UserError(`${program} failed: the output is in ${path}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UserError(`there is no program ${program}: the output is in ${path}`);
  }
}
