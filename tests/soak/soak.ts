/** Debuggers that are killed at random moments, two at a time, on targets whose threads come and go, fork,
 * call exec and send themselves signals. After each kill the target runs on, no thread of it is traced, and
 * no signal is missing; a debugger whose target is killed ends. */
import { buildDirectory, delay, Program } from "../ffi/program.ts";
import type { Random } from "../fuzz/random.ts";
import { heldThreads, waitedForProcessor, Watch } from "./watch.ts";

/** What was done, and what went wrong. */
export interface Outcome {
  kills: number;
  targets: number;
  /** The longest time from a kill to the target's next step, in milliseconds; how much of it the soak
   * itself waited for a processor; what the target does. */
  slowest: number;
  slowestWait: number;
  slowestKind: string;
  readonly findings: string[];
}

/** What a target does, as `programs/target.c` takes it. */
const kinds: readonly (readonly string[])[] = [
  ["threads", "4"],
  ["threads", "60"],
  ["churn"],
  ["forks"],
  ["calls"],
  ["vfork"],
  ["raise", "4"],
  ["raise", "24"],
  ["exec", "20"],
  ["exec", "100"],
];

/** What a debugger does, as `programs/debugger.c` takes it. */
const modes = ["pauses", "threads", "snapshots", "suspend", "samples"];

/** Debuggers for each target. */
const rounds = 12;

/** Seconds after which a target ends by itself: longer than all its debuggers take on a busy machine. */
const lifetime = "3600";

/** Goes on until the time is over.
 *
 * @param library of the native side
 * @param duration in milliseconds
 */
export async function soak(library: string, random: Random, duration: number): Promise<Outcome> {
  const outcome: Outcome = {
    kills: 0,
    targets: 0,
    slowest: 0,
    slowestWait: 0,
    slowestKind: "",
    findings: [],
  };
  Deno.env.set("TARGET_SECONDS", lifetime);
  const end = performance.now() + duration;
  while (performance.now() < end && outcome.findings.length === 0) {
    const [kind, ...rest] = random.pick(kinds);
    const folder = await Deno.makeTempDir({ prefix: "machpause-soak-" });
    try {
      await one(library, random, end, outcome, [kind, ...rest, `${folder}/count`]);
    } catch (error) {
      outcome.findings.push(`${kind} ${rest}: ${error}`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }
  return outcome;
}

async function one(
  library: string,
  random: Random,
  end: number,
  outcome: Outcome,
  args: readonly string[],
): Promise<void> {
  await using target = await Program.start("target", ...args);
  outcome.targets++;
  const steps = stepsOf(target, args);
  for (let round = 0; round < rounds && performance.now() < end; round++) {
    const debuggers = [await attach(library, target.pid, random)];
    if (random.below(4) === 0) debuggers.push(await attach(library, target.pid, random));
    for (const { child } of debuggers) {
      await delay(random.below(3) === 0 ? random.below(120) : random.below(6));
      kill(child);
      await ends({ mode: "killed", child });
      outcome.kills++;
    }
    const before = steps();
    const [since, waited] = [performance.now(), waitedForProcessor()];
    await runs(target.pid, () => steps() !== before);
    const took = performance.now() - since;
    if (took > outcome.slowest) {
      outcome.slowest = took;
      outcome.slowestWait = waitedForProcessor() - waited;
      outcome.slowestKind = args.slice(0, -1).join(" ");
    }
    if (args[0] === "raise") {
      const lost = counter(target, 0);
      if (lost !== 0n) throw new Error(`${lost} signals are lost`);
    }
  }
  const last = await attach(library, target.pid, random, ["pauses", "threads", "snapshots"]);
  await delay(random.below(20));
  target.signal("SIGKILL");
  await ends(last);
}

interface Debugger {
  readonly mode: string;
  readonly child: Deno.ChildProcess;
}

async function attach(
  library: string,
  pid: number,
  random: Random,
  choice: readonly string[] = modes,
): Promise<Debugger> {
  const mode = random.pick(choice);
  const child = new Deno.Command(`${await buildDirectory()}/debugger`, {
    args: [mode, library, `${pid}`, "1000000"],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return { mode, child };
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended: the other debugger had the target.
  }
}

/** Waits until a debugger has ended that was killed, or whose target was. Snapshots of what is gone fail for
 * ever. */
async function ends({ mode, child }: Debugger): Promise<void> {
  let ended = false;
  const status = child.status.then(() => ended = true);
  const watch = new Watch(child.pid);
  for (let looks = 0; !ended; looks++) {
    await Promise.race([delay(1), status]);
    if (mode === "snapshots" && looks > 200) kill(child);
    if (ended || !watch.stuck()) continue;
    const what = watch.describe();
    kill(child);
    throw new Error(`${mode}: the debugger does not end: ${what}`);
  }
}

/** A number that a target which runs changes. */
function stepsOf(target: Program, args: readonly string[]): () => bigint {
  const [kind] = args;
  if (kind === "exec") {
    const file = args.at(-1)!;
    return () => new DataView(Deno.readFileSync(file).buffer).getBigUint64(0, true);
  }
  const slot = kind === "threads" || kind === "raise" ? 1 : 0;
  return () => counter(target, slot);
}

function counter(target: Program, slot: number): bigint {
  using memory = Deno.openSync(`/proc/${target.pid}/mem`);
  memory.seekSync(target.numbers[0] + BigInt(slot * 8), Deno.SeekMode.Start);
  const word = new BigUint64Array(1);
  memory.readSync(new Uint8Array(word.buffer));
  return word[0];
}

/** Waits until a target goes on, and nobody traces it. */
async function runs(pid: number, progress: () => boolean): Promise<void> {
  const watch = new Watch(pid);
  for (;;) {
    const held = heldThreads(pid);
    if (held.length === 0 && progress()) return;
    if (watch.stuck()) {
      const what = held.length > 0 ? `held: ${held.join("; ")}` : "no thread goes on";
      throw new Error(`${what}; ${watch.describe()}`);
    }
    await delay(1);
  }
}
