/** Starting debugserver, lldb-server or gdbserver for a process or a program of this machine. */
import { RemoteError } from "../lib/remote/mod.ts";
import { log } from "../lib/log.ts";
import { endChild } from "./launch.ts";
import { connectTo, Listener, type Socket } from "./socket.ts";

/** The stubs that can be started. */
export const stubNames = ["debugserver", "lldb-server", "gdbserver"] as const;

/** The name of a stub. */
export type StubName = typeof stubNames[number];

/** A stub that was started and connected to. */
export interface StartedStub {
  readonly socket: Socket;
  /** Sees to its end. The target has been let go before. */
  end(): void;
}

/** How long a stub may take until it has attached, in milliseconds. macOS may ask for a password then. */
const patience: Readonly<Record<StubName, number>> = {
  "debugserver": 120_000,
  "lldb-server": 10_000,
  "gdbserver": 10_000,
};

/** How long a stub of Linux that has detached may take to exit, in milliseconds. */
const exitMilliseconds = 2000;

/** Folders with Apple's debugserver, as Delve looks for it (`getDebugServerAbsolutePath`): the command line
 * tools' and Xcode's. `xcode-select -p` names another Xcode. */
const resources = "LLDB.framework/Versions/A/Resources/debugserver";
const appleStubs = [
  `/Library/Developer/CommandLineTools/Library/PrivateFrameworks/${resources}`,
  `/Applications/Xcode.app/Contents/SharedFrameworks/${resources}`,
];
/** Apple's debugserver for processes that Rosetta translates. */
const rosettaStub = "/Library/Apple/usr/libexec/oah/debugserver";

/** Debian's names end in a version. */
const newestVersion = 29;
const oldestVersion = 11;

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function inPath(name: string): string | undefined {
  return (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "")
    .map((folder) => `${folder}/${name}`).find(isFile);
}

async function selectedXcode(): Promise<string | undefined> {
  try {
    const { stdout } = await new Deno.Command("xcode-select", {
      args: ["-p"],
      stdin: "null",
      stderr: "null",
    }).output();
    return `${new TextDecoder().decode(stdout).trim()}/../SharedFrameworks/${resources}`;
  } catch {
    return undefined;
  }
}

/** Whether Rosetta translates a process. */
async function isTranslated(pid: number): Promise<boolean> {
  if (Deno.build.os !== "darwin" || Deno.build.arch !== "aarch64") return false;
  const { kernel } = await import("./processes.ts");
  return kernel().processInfo(pid)?.translated ?? false;
}

/** The path of a stub.
 *
 * @param pid of the process that it is for, if there is one
 * @throws RemoteError when there is none
 */
export async function findStub(name: StubName, pid?: number): Promise<string> {
  // LLDB reads the same variable.
  const named = name === "gdbserver" ? undefined : Deno.env.get("LLDB_DEBUGSERVER_PATH");
  if (named !== undefined && named !== "") return named;
  const candidates: (string | undefined)[] = [];
  if (name === "debugserver") {
    if (pid !== undefined && await isTranslated(pid)) candidates.push(rosettaStub);
    candidates.push(inPath(name), await selectedXcode(), ...appleStubs);
  } else {
    candidates.push(inPath(name));
    for (
      let version = newestVersion;
      version >= oldestVersion && name === "lldb-server";
      version--
    ) {
      candidates.push(inPath(`${name}-${version}`));
    }
  }
  const found = candidates.find((path) => path !== undefined && isFile(path));
  if (found !== undefined) return found;
  const remedy = name === "debugserver"
    ? "install Xcode's command line tools: `xcode-select --install`"
    : `install it, or put its folder into PATH`;
  throw new RemoteError("connect", `there is no ${name} here: ${remedy}`);
}

/** A program for a stub to start. */
export interface StubProgram {
  /** Its path, and its arguments. */
  readonly command: readonly string[];
  /** Called with what it prints, as far as the stub does not send that over the connection. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** Starts a stub that attaches to a process, or starts a program, and connects to it.
 *
 * @param milliseconds it may take
 * @throws RemoteError when there is no such stub, or it does not attach
 */
export async function startStub(
  name: StubName,
  what: number | StubProgram,
  milliseconds: number = patience[name],
): Promise<StartedStub> {
  const pid = typeof what === "number" ? what : undefined;
  const path = await findStub(name, pid);
  const isGdb = name === "gdbserver";
  // gdbserver waits for a connection; LLDB's stubs make one.
  using listener = isGdb ? undefined : new Listener();
  const place = `127.0.0.1:${listener?.port ?? 0}`;
  const args = typeof what === "number"
    ? argumentsToAttach(name, what, place)
    : argumentsToStart(name, what.command, place);
  log.remote?.(`${path} ${args.join(" ")}`);
  const child = new Deno.Command(path, {
    args,
    stdin: "null",
    // A program that gdbserver starts has its output. The others send what it prints.
    stdout: isGdb && typeof what !== "number" ? "piped" : "null",
    stderr: "piped",
    // debugserver crashes with inserted libraries (Delve's gdbserver.go).
    ...(Deno.build.os === "darwin" ? { env: { DYLD_INSERT_LIBRARIES: "" } } : {}),
  }).spawn();
  child.unref();
  let ended = false;
  child.status.then(() => ended = true, () => ended = true);
  const said = read(child.stderr, typeof what === "number" || !isGdb ? undefined : what.onOutput);
  if (isGdb && typeof what !== "number") void forward(child.stdout, what.onOutput);
  const end = () => {
    // It exits by itself after it has detached, however late that is. XNU would kill what a debugserver holds with it.
    if (name === "debugserver") return;
    const kill = () => {
      if (!ended) endChild(child);
    };
    Deno.unrefTimer(setTimeout(kill, exitMilliseconds) as unknown as number);
  };
  const late = performance.now() + milliseconds;
  try {
    while (performance.now() < late) {
      const socket = listener === undefined
        ? await connectToPort(said.text, milliseconds)
        : listener.accept(name);
      if (socket !== undefined) return { socket, end };
      if (ended) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.race([said.done, new Promise((resolve) => setTimeout(resolve, 100))]);
    // gdbserver's last word is `Exiting`.
    const reason = said.text.trim().split("\n").filter((line) => line !== "Exiting").at(-1) ?? "";
    throw new RemoteError(
      "connect",
      `${name} does not ${
        typeof what === "number" ? `attach to pid ${what}` : `start ${what.command[0]}`
      }${reason === "" ? "" : `: ${reason}`}`,
    );
  } catch (error) {
    if (!ended) endChild(child);
    throw error;
  }
}

/** LLDB's stubs get a session of their own. A Ctrl-C is for this process, and would end them too; when
 * debugserver ends, XNU kills what it has attached to (`bsd/kern/kern_exit.c`, `proc_exit()`). */
const ownSession = "--setsid";

function argumentsToAttach(name: StubName, pid: number, place: string): string[] {
  switch (name) {
    case "gdbserver":
      return ["--once", "--attach", place, `${pid}`];
    case "lldb-server":
      return ["gdbserver", ownSession, "--attach", `${pid}`, "--reverse-connect", place];
    case "debugserver":
      return [ownSession, "-R", place, `--attach=${pid}`];
  }
}

function argumentsToStart(name: StubName, command: readonly string[], place: string): string[] {
  switch (name) {
    case "gdbserver":
      return ["--once", place, ...command];
    case "lldb-server":
      return ["gdbserver", ownSession, "--reverse-connect", place, "--", ...command];
    case "debugserver":
      return [ownSession, "-R", place, "--", ...command];
  }
}

async function forward(
  stream: ReadableStream<Uint8Array>,
  onOutput: (bytes: Uint8Array) => void,
): Promise<void> {
  for await (const bytes of stream) onOutput(bytes);
}

/** gdbserver says where it listens. */
async function connectToPort(said: string, milliseconds: number): Promise<Socket | undefined> {
  const port = /^Listening on port (\d+)/m.exec(said)?.[1];
  return port === undefined ? undefined : await connectTo("127.0.0.1", Number(port), milliseconds);
}

/** Maximum number of characters kept of what a stub says. */
const maxSaid = 1 << 14;

/** What gdbserver itself writes to the stderr that it shares with the program it has started. */
const gdbserverLine =
  /^(?:Process .* created; pid = |Listening on port |Remote debugging from host |Detaching from process |Killing process|Child (?:exited|terminated) |gdbserver: |Warning: ptrace\(|Exiting$)/;

/** Reads what a stub says, so that it never waits for us.
 *
 * @param onOutput is called with the lines that are not its own
 */
function read(
  stream: ReadableStream<Uint8Array>,
  onOutput?: (bytes: Uint8Array) => void,
): { text: string; done: Promise<void> } {
  const said = { text: "", done: Promise.resolve() };
  const decoder = new TextDecoder();
  let line = "";
  let blank = "";
  const lineEnded = (text: string) => {
    // gdbserver writes an empty line before some of its own.
    const isOwn = gdbserverLine.test(text.trimEnd());
    const isBlank = text === "\n" && blank === "";
    if (!isOwn && !isBlank) onOutput!(new TextEncoder().encode(blank + text));
    blank = isBlank ? text : "";
  };
  said.done = (async () => {
    for await (const bytes of stream) {
      const text = decoder.decode(bytes, { stream: true });
      if (said.text.length < maxSaid) said.text += text;
      if (onOutput === undefined) continue;
      const lines = (line + text).split(/(?<=\n)/);
      // A line without an end, such as a question, is kept back, unless it is long.
      line = lines.at(-1)!.endsWith("\n") || lines.at(-1)!.length > maxSaid ? "" : lines.pop()!;
      for (const each of lines) lineEnded(each);
    }
    if (line !== "") lineEnded(line);
  })().catch(() => {});
  return said;
}
