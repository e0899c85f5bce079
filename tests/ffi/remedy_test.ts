/** Why a process could not be attached to, and what is said about it: on macOS by facts that a Mac would
 * give, which are XNU's, AMFI's and debugserver's rules. */
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { commandLine, programArguments } from "../../ffi/command.ts";
import { kernelOver } from "../../ffi/kernel.ts";
import { openKernel } from "../../ffi/mod.ts";
import { libraryPath } from "../../ffi/library.ts";
import { type Native, openNative } from "../../ffi/native.ts";
import {
  architectureRefusal,
  hasPlatformRestrictions,
  type ProcessInfo,
  type RefusalFacts,
  refusalOf,
  setStateRefusal,
  stopRefusalOf,
} from "../../ffi/remedy.ts";
import { standstill, tracerOf } from "../../ffi/procfs.ts";
import { attach } from "../../mod.ts";
import { AttachError, MachError, TargetGoneError } from "../../lib/errors.ts";
import { isRoot, onLinux } from "../machine.ts";
import { delay, Program } from "./program.ts";

const me = 501;
const arm64 = 0x0100_000c;
const x86_64 = 0x0100_0007;

const ordinary: ProcessInfo = {
  parent: 1,
  traced: false,
  hasExecuted: true,
  stopped: false,
  isExiting: false,
  changedUser: false,
  translated: false,
  users: [me, me, me],
  cpuType: arm64,
  cpuSubtype: 0,
  signatureFlags: 0x2000_0002, // CS_SIGNED, CS_ADHOC
};

const entitlement = "<key>com.apple.security.cs.debugger</key>\n\t<true/>";

interface Given extends Partial<Omit<RefusalFacts, "processInfo">> {
  readonly info?: Partial<ProcessInfo> | null;
  readonly entitled?: boolean;
  readonly screen?: boolean;
  readonly developer?: boolean;
  readonly copy?: string;
}

function refusal(given: Given) {
  const { info = {}, user = me, entitled = false, screen = true, developer, copy } = given;
  return refusalOf(77, {
    system: "darwin",
    pid: 10,
    user,
    processInfo: () => info === null ? undefined : { ...ordinary, ...info },
    processName: (pid) => pid === 9 ? "lldb" : null,
    ownEntitlements: () => entitled ? entitlement : "",
    hasScreen: () => screen,
    developerMode: () => developer,
    signedCopy: () => copy,
  });
}

const CS_GET_TASK_ALLOW = 0x4;
const CS_RUNTIME = 0x1_0000;
const CS_PLATFORM_BINARY = 0x400_0000;

const table: readonly (readonly [what: string, given: Given, reason: string, text: RegExp])[] = [
  ["no such process", { info: null }, "gone", /^there is no process with the pid 77$/],
  [
    "traced",
    { info: { traced: true, parent: 9, users: [0, 0, 0] } },
    "traced",
    /debugged, by pid 9 \(lldb\): detach/,
  ],
  ["traced by nobody known", { info: { traced: true, parent: 8 } }, "traced", /by pid 8: detach/],
  ["traced by us", { info: { traced: true, parent: 10 } }, "entitlement", /setup/],
  ["root's", { info: { users: [0, 0, 0] } }, "user", /another user \(0, and you are 501\).*sudo/],
  ["set-user-ID", { info: { users: [me, me, 0] } }, "user", /another user \(0,/],
  ["changed its user", { info: { changedUser: true } }, "user", /has changed its user/],
  [
    "over SSH, without Developer Mode",
    { entitled: true, screen: false, developer: false },
    "session",
    /Developer Mode is off: turn it on with `sudo DevToolsSecurity -enable`, or run with sudo/,
  ],
  [
    "over SSH, with Developer Mode",
    { entitled: true, screen: false, developer: true },
    "session",
    /group _developer/,
  ],
  [
    "over SSH, but the target allows it",
    {
      entitled: true,
      screen: false,
      developer: false,
      info: { signatureFlags: CS_GET_TASK_ALLOW },
    },
    "other",
    /refused pid 77/,
  ],
  [
    "over SSH, where the entitlement is what is missing first",
    { screen: false, developer: false },
    "entitlement",
    /setup/,
  ],
  [
    "the system's own",
    { info: { signatureFlags: CS_PLATFORM_BINARY | CS_RUNTIME }, entitled: true },
    "platform",
    /System Integrity Protection.*also root's: `sample 77`/,
  ],
  [
    "the system's own, to root",
    {
      info: { signatureFlags: CS_PLATFORM_BINARY, users: [0, 0, 0] },
      user: 0,
    },
    "platform",
    /System Integrity Protection/,
  ],
  [
    "hardened",
    { info: { signatureFlags: CS_RUNTIME }, entitled: true },
    "hardened",
    /hardened runtime without com\.apple\.security\.get-task-allow.*Xcode's debug builds/,
  ],
  [
    "hardened, but it allows it",
    { info: { signatureFlags: CS_RUNTIME | CS_GET_TASK_ALLOW } },
    "entitlement",
    /setup/,
  ],
  ["no entitlement", {}, "entitlement", /only to root and to programs signed as debuggers.*setup`/],
  [
    "no entitlement, and a signed copy",
    { copy: "/Users/me/deno" },
    "entitlement",
    /use the signed copy, \/Users\/me\/deno/,
  ],
  ["nothing that is known", { entitled: true }, "other", /its question for a password/],
  ["nothing that is known, to root", { user: 0 }, "other", /Console\.app/],
];

for (const [what, given, reason, text] of table) {
  Deno.test(`macOS refuses a task port: ${what}`, () => {
    const refused = refusal(given);
    assertEquals(refused.reason, reason);
    assertMatch(refused.text, text);
    assert(!refused.text.includes("\n") && !refused.text.endsWith("."));
  });
}

Deno.test("a target under Rosetta, and a Deno under Rosetta, are told apart", () => {
  const native = { ...ordinary };
  const refuse = (info: Partial<ProcessInfo>, own: Partial<ProcessInfo>, arch: string) =>
    architectureRefusal(77, { ...ordinary, ...info }, { ...ordinary, ...own }, arch)?.text;
  assertEquals(refuse(native, {}, "aarch64"), undefined);
  assertMatch(refuse({ translated: true, cpuType: x86_64 }, {}, "aarch64")!, /Intel program.*lldb/);
  // Before PROC_FLAG_ROSETTA only the CPU type told.
  assertMatch(refuse({ cpuType: x86_64 }, {}, "aarch64")!, /^pid 77 is an Intel program/);
  assertEquals(refuse({ cpuType: 0 }, {}, "aarch64"), undefined);
  const translated = { translated: true, cpuType: x86_64 };
  assertMatch(refuse(native, translated, "x86_64")!, /^this Deno is built for Intel/);
  // An Intel Mac.
  assertEquals(refuse({ cpuType: x86_64 }, { cpuType: x86_64 }, "x86_64"), undefined);
  assertEquals(refuse({ cpuType: 7 }, { cpuType: x86_64 }, "x86_64"), undefined);
});

Deno.test("registers are not written where the kernel would end the caller", () => {
  const refuse = (info: Partial<ProcessInfo>, entitlements?: string) =>
    setStateRefusal({ ...ordinary, ...info }, entitlements);
  assertEquals(refuse({}), undefined);
  assertEquals(refuse({ cpuType: x86_64, cpuSubtype: 2 }), undefined);
  assertMatch(refuse({ cpuSubtype: -0x7fff_fffe })!, /arm64e/); // 0x80000002
  assertMatch(refuse({ signatureFlags: CS_PLATFORM_BINARY })!, /the system's programs/);
  assertEquals(refuse({}, entitlement), undefined);
  assertMatch(refuse({}, restrictions)!, /Enhanced Security/);
});

const restrictions =
  "<key>com.apple.security.hardened-process.platform-restrictions-string</key><string>2</string>";

Deno.test("platform restrictions are a number or a text, and 0 is none", () => {
  const name = "com.apple.security.hardened-process.platform-restrictions";
  const has = (value: string) => hasPlatformRestrictions(`<dict>${value}</dict>`);
  assert(has(restrictions));
  assert(has(`<key>${name}</key>\n\t<integer>1</integer>`));
  assert(!has(`<key>${name}</key>\n\t<integer>0</integer>`));
  assert(!has(`<key>${name}-string</key><string>0</string>`));
  assert(!has("<key>com.apple.security.hardened-process</key><true/>"));
  assert(!has(entitlement));
  assert(!hasPlatformRestrictions(null));
});

/** This machine's library, as if its answers were a Mac's. */
function macNative(answers: Partial<Native>): Native {
  return new Proxy(openNative(libraryPath()), {
    get: (native, name) => Reflect.get(answers, name) ?? Reflect.get(native, name),
  });
}

/** Fills in a mp_proc_info. */
function procInfo(info: Record<number, Partial<ProcessInfo>>): Partial<Native> {
  return {
    mp_proc_info_get(pid: number, into: Uint8Array<ArrayBuffer>) {
      const found = info[pid];
      if (found === undefined) return 18;
      const process = { ...ordinary, ...found };
      const { parent, translated, isExiting, users, cpuType, cpuSubtype } = process;
      const flags = (translated ? 4 : 0) | 8 | (isExiting ? 64 : 0);
      const view = new DataView(into.buffer);
      [pid, parent, flags, ...users, cpuType, cpuSubtype, process.signatureFlags ?? 0]
        .forEach((word, index) => view.setUint32(4 * index, word, true));
      return 0;
    },
  } as Partial<Native>;
}

Deno.test({
  name: "attaching on a Mac: the architecture is looked at, and registers are guarded",
  ignore: !onLinux,
  fn: attachAsOnMac,
});

async function attachAsOnMac(): Promise<void> {
  await using program = await Program.start("target", "threads", "2");
  const { pid } = program;
  const own = Deno.pid;

  const rosetta = kernelOver(
    macNative(procInfo({ [pid]: { cpuType: x86_64 }, [own]: {} })),
    "darwin",
    "aarch64",
  );
  const ports = rosetta.portCount();
  const error = assertThrows(() => rosetta.taskForPid(pid), AttachError);
  assertEquals([error.name, error.reason], ["AttachError", "architecture"]);
  assertEquals(rosetta.portCount(), ports);

  let writes = 0;
  const guarded = kernelOver(
    macNative({
      ...procInfo({ [pid]: { cpuSubtype: -0x7fff_fffe }, [own]: {} }),
      mp_thread_set_state: () => (writes++, 0),
    } as Partial<Native>),
    "darwin",
    "aarch64",
  );
  const task = guarded.taskForPid(pid);
  const [thread, ...others] = guarded.taskThreads(task);
  const refused = assertThrows(
    () => guarded.threadSetState(thread, 4, new Uint8Array(168)),
    MachError,
  );
  assertEquals([refused.call, refused.codeName, writes], ["thread_set_state", "KERN_NO_ACCESS", 0]);
  // The name may come to be another thread's.
  for (const port of [thread, ...others]) guarded.portRelease(port);
  guarded.threadSetState(thread, 4, new Uint8Array(168));
  assertEquals(writes, 1);
  guarded.portRelease(task);
}

Deno.test({
  name:
    "on a Mac a task or thread that is being taken apart is gone, while its process is still listed",
  ignore: !onLinux,
  fn: endAsOnMac,
});

/** Codes of XNU 11417: `place_task_hold()` and `task_threads()` of a task that is not active give KERN_FAILURE,
 * all calls on a disabled port KERN_INVALID_ARGUMENT, as `task_info()` does in both cases. */
async function endAsOnMac(): Promise<void> {
  await using program = await Program.start("target", "threads", "2");
  const { pid } = program;
  const [invalidArgument, failure] = [4, 5];
  let ends = false;
  let code = failure;
  const real = openNative(libraryPath());
  let isExiting = true;
  const target = {
    get isExiting() {
      return isExiting;
    },
  };
  const answers: Partial<Native> = procInfo({ [pid]: target, [Deno.pid]: {} });
  const dying = ["mp_task_threads", "mp_snapshot", "mp_task_suspend", "mp_task_dyld_info"] as const;
  for (const name of [...dying, "mp_thread_info_get", "mp_thread_suspend"] as const) {
    const isProbe = name === "mp_task_dyld_info" || name === "mp_thread_info_get";
    Object.assign(answers, {
      [name]: (...given: unknown[]) =>
        ends
          ? isProbe ? invalidArgument : code
          : (real[name] as (...given: unknown[]) => number)(...given),
    });
  }
  const kernel = kernelOver(macNative(answers), "darwin", "aarch64");
  const task = kernel.taskForPid(pid);
  const threads = kernel.taskThreads(task);
  const capture = { flavor: 4, maxStack: 4096, keepSuspended: false, stateSize: 168 };
  ends = true;
  for (code of [failure, invalidArgument]) {
    isExiting = true;
    assertEquals(assertThrows(() => kernel.snapshot(task, capture), TargetGoneError).how, null);
    assertThrows(() => kernel.taskSuspend(task), TargetGoneError);
    // A process that is not ending goes on with another task.
    isExiting = false;
    const replaced = assertThrows(() => kernel.taskSuspend(task), TargetGoneError);
    assertEquals(replaced.isReplaced, true);
    assertMatch(replaced.how!, /^it has started another program by exec.*attach to pid \d+ again$/);
    assertThrows(() => kernel.taskThreads(task), TargetGoneError);
    assertThrows(() => kernel.threadSuspend(threads[0]), TargetGoneError);
  }
  assertThrows(() => kernel.threadInfo(threads[0]), TargetGoneError);
  ends = false;
  // The same codes from a task that lives are what they say.
  for (const thread of threads) {
    assertThrows(() => kernel.threadGetState(thread, 99, 168), MachError, "KERN_INVALID_ARGUMENT");
    kernel.portRelease(thread);
  }
  kernel.portRelease(task);
}

Deno.test({
  name: "no task port is no success: XNU says so of a process that ends meanwhile",
  ignore: !onLinux,
  fn() {
    let port = 0;
    const answers = {
      ...procInfo({ [Deno.pid]: {} }),
      mp_task_for_pid: (_: number, into: Uint32Array) => (into[0] = port, 0),
    } as Partial<Native>;
    const kernel = kernelOver(macNative(answers), "darwin", "aarch64");
    for (port of [0, 0xffff_ffff]) { // MACH_PORT_NULL, MACH_PORT_DEAD
      const error = assertThrows(() => kernel.taskForPid(77), AttachError);
      assertEquals([error.codeName, error.reason], ["KERN_FAILURE", "gone"]);
    }
  },
});

/** The entitlements of every process. */
function entitled(text: string): Partial<Native> {
  return {
    mp_proc_entitlements(_: number, into: Uint8Array, _capacity: number, size: Uint32Array) {
      size[0] = new TextEncoder().encodeInto(text, into).written;
      return 0;
    },
  } as Partial<Native>;
}

Deno.test({
  name: "registers of a program with platform restrictions are not written on a Mac",
  ignore: !onLinux,
  async fn() {
    await using program = await Program.start("target", "threads", "1");
    let writes = 0;
    const answers = {
      ...procInfo({ [program.pid]: {}, [Deno.pid]: {} }),
      ...entitled(restrictions),
      mp_thread_set_state: () => (writes++, 0),
    } as Partial<Native>;
    const kernel = kernelOver(macNative(answers), "darwin", "aarch64");
    const task = kernel.taskForPid(program.pid);
    const threads = kernel.taskThreads(task);
    const write = () => kernel.threadSetState(threads[0], 4, new Uint8Array(168));
    assertThrows(write, MachError, "Enhanced Security");
    assertEquals(writes, 0);
    for (const port of [...threads, task]) kernel.portRelease(port);
  },
});

Deno.test({
  name: "on a Mac a crash is not waited for where the kernel would end the caller for it",
  ignore: !onLinux,
  async fn() {
    await using program = await Program.start("target", "threads", "1");
    let calls = 0;
    const answers = {
      ...procInfo({ [program.pid]: {}, [Deno.pid]: {} }),
      ...entitled("<key>com.apple.security.only-one-exception-port</key><true/>"),
      mp_crash_open: () => (calls++, 0),
    } as Partial<Native>;
    const kernel = kernelOver(macNative(answers), "darwin", "aarch64");
    const task = kernel.taskForPid(program.pid);
    const refused = assertThrows(() => kernel.crashOpen(task), MachError);
    assertEquals([refused.call, refused.codeName, calls], [
      "task_set_exception_ports",
      "KERN_NO_ACCESS",
      0,
    ]);
    kernel.portRelease(task);
  },
});

Deno.test({
  name: "a refusal on a Mac says why: task_for_pid as strict as XNU's",
  ignore: !onLinux,
  fn: refuseAsOnMac,
});

async function refuseAsOnMac(): Promise<void> {
  await using program = await Program.start("target", "threads", "1");
  Deno.env.set("MACHPAUSE_STRICT_TASK_FOR_PID", "1");
  try {
    const kernel = kernelOver(openNative(libraryPath()), "darwin", Deno.build.arch);
    const error = assertThrows(() => kernel.taskForPid(program.pid), AttachError);
    // What this process's user and session are is the machine's.
    assert(["entitlement", "other"].includes(error.reason), error.reason);
    assertMatch(error.message, /^task_for_pid: KERN_FAILURE \(5\); /);
    const gone = assertThrows(() => kernel.taskForPid(0x3fff_fff0), AttachError);
    assertEquals(gone.reason, "gone");
  } finally {
    Deno.env.delete("MACHPAUSE_STRICT_TASK_FOR_PID");
  }
}

Deno.test({
  name:
    "who holds a process is told, also where it is one thread, and that a signal has stopped it",
  ignore: !onLinux,
  fn: async () => {
    await using program = await Program.start("target", "threads", "2");
    const { pid } = program;
    using target = attach(pid);
    assertEquals([tracerOf(pid), standstill(pid)], [undefined, undefined]);
    {
      using _pause = target.pause();
      const { tracer, by, thread } = tracerOf(pid)!;
      // A thread of this process does it, which is in no list of processes.
      assertEquals([tracer, by !== Deno.pid, thread], [Deno.pid, true, pid]);
      assertEquals(standstill(pid), { tracer });
    }
    const other = target.threads[1];
    other.suspend();
    assertEquals([tracerOf(pid)?.tracer, tracerOf(pid)?.thread], [Deno.pid, Number(other.id)]);
    assertEquals(standstill(pid), undefined);
    other.resume();
    Deno.kill(pid, "SIGSTOP");
    while (standstill(pid) === undefined) await delay(5);
    assertEquals(standstill(pid), { tracer: null });
    Deno.kill(pid, "SIGCONT");
  },
});

Deno.test({
  name: "a process that is attached to already and that somebody else holds now: who it is",
  ignore: !onLinux,
  fn: async () => {
    await using program = await Program.start("target", "threads", "2");
    const { pid } = program;
    using target = attach(pid);
    const [thread] = target.threads;
    const code = `import { attach } from "${new URL("../../mod.ts", import.meta.url)}";
      using target = attach(${pid});
      using _pause = target.pause();
      console.log("held");
      await Deno.stdin.read(new Uint8Array(1));`;
    const file = await Deno.makeTempFile({ suffix: ".ts" });
    const config = new URL("../../deno.json", import.meta.url).pathname;
    try {
      await Deno.writeTextFile(file, code);
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--config", config, file],
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const reader = child.stdout.getReader();
      await reader.read();
      for (const stop of [() => thread.suspend(), () => target.snapshot()]) {
        const error = assertThrows(stop, AttachError);
        assertEquals(error.reason, "traced");
        assertStringIncludes(error.remedy, `traced by pid ${child.pid}`);
      }
      await child.stdin.close();
      await reader.cancel();
      await child.status;
      thread.suspend();
      thread.resume();
    } finally {
      await Deno.remove(file);
    }
  },
});

Deno.test({
  name: "somebody who has let go since is told as that",
  ignore: !onLinux || !isRoot,
  fn: () => {
    // Nobody traces this process.
    const refusal = stopRefusalOf(Deno.pid, {
      ...{ system: "linux", pid: 1, user: 0, processInfo: () => undefined },
      ...{ processName: () => null, ownEntitlements: () => undefined, hasScreen: () => false },
      ...{ developerMode: () => undefined, signedCopy: () => undefined },
    });
    assertEquals(refusal.reason, "traced");
    assertMatch(refusal.text, /^another debugger had pid \d+ at that moment, and has let it go/);
  },
});

Deno.test("what is told of processes: of init, of oneself, of none", () => {
  const kernel = openKernel();
  const own = kernel.processInfo(Deno.pid)!;
  assertEquals(own.users, [Deno.uid()!, Deno.uid()!, Deno.uid()!]);
  assertEquals([own.parent, own.traced, own.translated], [Deno.ppid, false, false]);
  const init = kernel.processInfo(1)!;
  assertEquals(init.users[0], 0);
  assertEquals(kernel.processInfo(0x3fff_fff0), undefined);
  assertEquals(kernel.processName(0x3fff_fff0), null);
});

Deno.test({
  name: "names of other users' processes, and long ones, are told where proc_name does not",
  ignore: !onLinux || !isRoot,
  async fn() {
    const directory = await Deno.makeTempDir();
    const name = "a program whose name is longer than the kernel's thirty-two bytes";
    let child: Deno.ChildProcess | undefined;
    Deno.env.set("MACHPAUSE_STRICT_TASK_FOR_PID", "1");
    try {
      await Deno.chmod(directory, 0o755);
      await Deno.copyFile("/bin/sleep", `${directory}/${name}`);
      for (const uid of [0, 65534]) {
        child = new Deno.Command(`${directory}/${name}`, { args: ["60"], uid }).spawn();
        await delay(50);
        const kernel = openKernel();
        assertEquals(kernel.processName(child.pid), name, `uid ${uid}`);
        const { pid } = child;
        assert(kernel.processes().some((process) => process.pid === pid && process.name === name));
        child.kill();
        await child.status;
        child = undefined;
      }
    } finally {
      child?.kill();
      await child?.status;
      Deno.env.delete("MACHPAUSE_STRICT_TASK_FOR_PID");
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test("printed commands are those of where the program runs from", async () => {
  const executable = "/opt/it's/deno";
  const of = (main: string, standalone = false) => ({ standalone, executable, main });
  assertEquals(
    commandLine(["attach", "My App"], of("file:///home/my%20code/repl/main.ts")),
    "deno run -q -A '/home/my code/repl/main.ts' attach 'My App'",
  );
  const jsr = of("https://jsr.io/@machpause/machpause/0.1.0/repl/main.ts");
  assertEquals(commandLine(["setup"], jsr), "deno run -q -A jsr:@machpause/machpause/cli setup");
  assertEquals(programArguments(jsr), ["run", "-q", "-A", jsr.main]);
  const npm = of("file:///x/node_modules/@machpause/machpause/program/repl/main.js");
  assertEquals(commandLine(["setup"], npm), "npx @machpause/machpause setup");
  assertStringIncludes(
    programArguments(npm).join(" "),
    "--node-modules-dir=manual /x/node_modules",
  );
  // The options are those that the npm package's own script gives.
  const starter = await Deno.readTextFile(
    new URL("../../tools/dist/machpause.mjs", import.meta.url),
  );
  const given = [...starter.matchAll(/^ {2}"(--[\w=-]+)",$/gm)].map(([, word]) => word);
  const short: Record<string, string> = { "--allow-all": "-A", "--quiet": "-q" };
  assertEquals(
    given.map((word) => short[word] ?? word).toSorted(),
    programArguments(npm).slice(1, -1).toSorted(),
  );
  assertEquals(commandLine(["bt", "1"], of(jsr.main, true)), "'/opt/it'\\''s/deno' bt 1");
  assertEquals(programArguments(of(jsr.main, true)), []);
});
