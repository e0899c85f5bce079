/** When macOS refuses this program a task port, runs the same command line again with the copy that
 * `machpause setup` has signed, once. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { commandLine, type Origin, ownOrigin, programArguments } from "../../ffi/command.ts";
import { isCurrent, type SignedCopy, signedCopy } from "../../ffi/signed_copy.ts";
import { UserError } from "../errors.ts";

/** Set in the second run, to prevent a third. */
const variable = "MACHPAUSE_SIGNED_COPY";

/** What {@linkcode restartSigned} needs from the system. Tests pass their own. */
export interface RestartSystem {
  /** As `Deno.build.os` names it. */
  readonly os: string;
  /** What is running. */
  readonly origin: Origin;
  /** The user's home directory. */
  readonly home: string | undefined;
  /** Whether this is the second run. */
  readonly restarted: boolean;
  /** Writes a line to stderr. */
  say(text: SafeText): void;
  /** Runs a program on this terminal with an additional environment variable. Returns the exit code. */
  run(program: string, args: readonly string[], variable: string): Promise<number>;
}

const thisSystem: RestartSystem = {
  os: Deno.build.os,
  get origin() {
    return ownOrigin();
  },
  get home() {
    return Deno.env.get("HOME");
  },
  get restarted() {
    return Deno.env.get(variable) !== undefined;
  },
  say(text) {
    console.error(text);
  },
  run: runHere,
};

/** Signals that a terminal sends to both processes, and signals that are passed on. */
const shared: readonly Deno.Signal[] = ["SIGINT", "SIGQUIT"];
const passedOn: readonly Deno.Signal[] = ["SIGTERM", "SIGHUP"];

async function runHere(
  program: string,
  args: readonly string[],
  variable: string,
): Promise<number> {
  const child = new Deno.Command(program, {
    args: [...args],
    env: { [variable]: "1" },
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  const ignore = () => {};
  const listeners = passedOn.map((signal) => ({ signal, pass: () => child.kill(signal) }));
  for (const signal of shared) Deno.addSignalListener(signal, ignore);
  for (const { signal, pass } of listeners) Deno.addSignalListener(signal, pass);
  try {
    const { code } = await child.status;
    return code;
  } finally {
    for (const signal of shared) Deno.removeSignalListener(signal, ignore);
    for (const { signal, pass } of listeners) Deno.removeSignalListener(signal, pass);
  }
}

/** The signed copy, if there is one of this version and this is not it. */
async function currentCopy(
  { os, origin, home, restarted }: RestartSystem,
): Promise<SignedCopy | undefined> {
  if (os !== "darwin" || restarted || home === undefined) return undefined;
  const copy = signedCopy(home, origin);
  return await isCurrent(copy, origin.executable) ? copy : undefined;
}

/** What to tell a user when macOS has refused a process at the prompt. The prompt cannot be restarted: what is
 * being typed is read by this process.
 *
 * @param error of attaching
 * @param args the command line that does the same outside of the prompt
 * @returns an error that says what to type, if the signed copy can be used; otherwise `error`
 */
export async function withRestart(
  error: unknown,
  args: readonly string[],
  system: RestartSystem = thisSystem,
): Promise<unknown> {
  if ((error as { reason?: unknown } | null)?.reason !== "entitlement") return error;
  if (await currentCopy(system) === undefined) return error;
  const command = commandLine(args, system.origin);
  return new UserError(
    `macOS refused: leave this prompt and run \`${command}\`, which goes on as the signed copy`,
  );
}

/** Runs a command line again with the signed copy, if there is one of this version.
 *
 * @returns its exit code; `undefined` if it was not run
 */
export async function restartSigned(
  args: readonly string[],
  system: RestartSystem = thisSystem,
): Promise<number | undefined> {
  const copy = await currentCopy(system);
  if (copy === undefined) return undefined;
  system.say(safe`machpause: macOS refused; going on as ${escape(copy.path)}`);
  return await system.run(copy.path, [...programArguments(system.origin), ...args], variable);
}
