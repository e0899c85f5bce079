/** Checks what works on this machine, and which command fixes what does not. */
import { escape, safe, safeJson, type SafeText } from "../../lib/escape.ts";
import type { Origin } from "../../ffi/command.ts";
import { json } from "../options.ts";
import type { Subcommand } from "./subcommand.ts";

const options = { json } as const;

/** `machpause doctor` */
export default {
  description: "Show what works on this machine, and how to fix what does not.",
  options,
  async run({ json = false }) {
    const [{ print }, { styleFor }] = await Promise.all([
      import("../view/output.ts"),
      import("../view/style.ts"),
    ]);
    const checks = await examine(await gather());
    if (json) {
      print(
        safe`${
          safeJson({ checks: checks.map(({ fix = null, ...rest }) => ({ ...rest, fix })) })
        }\n`,
      );
    } else {
      const style = styleFor(Deno.stdout);
      for (const line of doctorLines(checks, style)) print(safe`${line}\n`);
    }
    return checks.some(({ state }) => state === "no") ? 1 : 0;
  },
} satisfies Subcommand<typeof options>;

/** The result of one check. */
export interface Check {
  readonly name: string;
  /** `note`: worth knowing; `no`: something does not work. */
  readonly state: "ok" | "note" | "no";
  /** Not safe to print raw. */
  readonly finding: string;
  /** The command that mends it. */
  readonly fix?: string;
}

/** What is known about the machine. Tests pass their own. */
export interface Facts {
  /** As `Deno.build.os` names it. */
  readonly os: string;
  /** Such as `macOS 15.1` or `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`. */
  readonly system: string;
  /** As `Deno.build.arch` names it. */
  readonly arch: string;
  /** Of Deno. */
  readonly version: string;
  readonly origin: Origin;
  /** The effective user. */
  readonly user: number;
  /** Why launching the demo failed; `undefined` when it worked. */
  readonly launchError?: string;
  /** Why the running demo could not be attached to; `undefined` when it could. */
  readonly attachError?: string;
  /** The cache directory, or why there is none. */
  readonly cache: { readonly path: string } | { readonly error: string };
  /** The native library, checked against its hash; or why it cannot be loaded. */
  readonly library: { readonly path: string; readonly given: boolean } | { readonly error: string };
  /** Facts about a Mac. */
  readonly mac?: MacFacts;
  /** `kernel.yama.ptrace_scope` of Linux; `undefined` where the kernel has no Yama. */
  readonly ptraceScope?: number;
  /** Whether this process has `CAP_SYS_PTRACE`, on Linux. */
  readonly mayTrace?: boolean;
}

/** What is known about a Mac; `undefined` for what could not be determined. */
export interface MacFacts {
  /** Deno runs under Rosetta. */
  readonly translated: boolean;
  /** `CS_*` of this process. */
  readonly signatureFlags: number | undefined;
  /** The XML property list of this process's entitlements. */
  readonly entitlements: string | undefined;
  /** The copy that setup has signed. */
  readonly copy: { readonly path: string; readonly current: boolean } | undefined;
  readonly developerMode: boolean | undefined;
  readonly hasScreen: boolean;
  /** System Integrity Protection. */
  readonly protection: boolean | undefined;
  /** Spotlight's index of the startup disk, which knows dSYMs by UUID. */
  readonly spotlight: boolean | undefined;
}

/** The oldest Deno that this is tested with. */
const oldestDeno = [2, 9];

/** Evaluates the facts. */
export async function examine(facts: Facts): Promise<Check[]> {
  const { commandLine, quote } = await import("../../ffi/command.ts");
  const checks: Check[] = [];
  const say = (name: string, state: Check["state"], finding: string, fix?: string) =>
    checks.push({ name, state, finding, ...(fix === undefined ? {} : { fix }) });
  const { mac, launchError, attachError, cache, library, origin } = facts;

  const restarts = mac?.copy?.current === true && facts.user !== 0;
  if (launchError === undefined) say("launch", "ok", "programs can be launched: the demo was");
  else say("launch", "no", launchError);
  if (attachError === undefined) {
    const whose = facts.user === 0 ? "programs of all users" : "your own programs";
    say("attach", "ok", `${whose} can be attached to: the demo was`);
  } else if (restarts) {
    say("attach", "ok", `by the copy of Deno that setup has signed: ${mac!.copy!.path}`);
  } else {
    say("attach", "no", attachError, fixOfAttach(facts, commandLine(["setup"], origin)));
  }

  say("system", "ok", `${facts.system}, ${facts.arch === "aarch64" ? "arm64" : facts.arch}`);
  const [major, minor] = facts.version.split(".").map(Number);
  const old = major < oldestDeno[0] || (major === oldestDeno[0] && minor < oldestDeno[1]);
  const deno = `Deno ${facts.version}${origin.standalone ? ", compiled into the program" : ""}`;
  if (mac?.translated === true) {
    say(
      "deno",
      "no",
      `${deno} is built for Intel and runs under Rosetta: no process can be read from there`,
      "arch -arm64 sh -c 'curl -fsSL https://deno.land/install.sh | sh'",
    );
  } else if (old) {
    say("deno", "note", `${deno} is older than ${oldestDeno.join(".")}`, "deno upgrade");
  } else {
    say("deno", "ok", deno);
  }
  if (mac !== undefined) await examineMac(mac, facts, say, commandLine(["setup"], origin));
  if (facts.os === "linux") examineLinux(facts, say);

  if ("path" in cache) say("cache", "ok", cache.path);
  else {
    const directory = /^(\/\S.*?) (?:is |belongs |can )/.exec(cache.error)?.[1];
    say("cache", "no", cache.error, directory && `rm -r ${quote(directory)}`);
  }
  if (!("path" in library)) say("library", "no", library.error);
  else if (library.given) say("library", "note", `${library.path}, which MACHPAUSE_LIBRARY names`);
  else say("library", "ok", `${library.path}, as its SHA-256 says`);
  if (mac === undefined) {
    say("dSYMs", "note", "there is no Spotlight to find them: name their folders with --symbols");
  } else if (mac.spotlight === false) {
    say("dSYMs", "note", "Spotlight does not index the disk: it finds none", "sudo mdutil -i on /");
  } else {
    say("dSYMs", "ok", "beside binaries, in folders named with --symbols, and by Spotlight");
  }
  return checks;
}

type Say = (name: string, state: Check["state"], finding: string, fix?: string) => void;

function fixOfAttach({ mac, ptraceScope = 0 }: Facts, setup: string): string | undefined {
  if (mac !== undefined) return mac.translated ? undefined : setup;
  // Scope 3 stays until the system is started again.
  return ptraceScope > 0 && ptraceScope < 3 ? "sudo sysctl kernel.yama.ptrace_scope=0" : undefined;
}

async function examineMac(mac: MacFacts, facts: Facts, say: Say, setup: string): Promise<void> {
  const { debuggerEntitlement, entitles } = await import("../../ffi/remedy.ts");
  const flags = mac.signatureFlags ?? 0;
  const words = [
    (flags & 0x2) !== 0 ? "ad hoc" : "signed", // CS_ADHOC
    ...(flags & 0x1_0000) !== 0 ? ["hardened runtime"] : [], // CS_RUNTIME
  ];
  if (mac.signatureFlags === undefined) say("signature", "note", "is not known");
  else say("signature", "ok", words.join(", "));

  const entitled = entitles(mac.entitlements ?? null, debuggerEntitlement);
  const { copy } = mac;
  if (entitled) say("entitlement", "ok", `this process has ${debuggerEntitlement}`);
  else if (facts.user === 0) say("entitlement", "ok", "root needs none");
  else if (copy?.current === true) {
    say("entitlement", "ok", `the signed copy has ${debuggerEntitlement}; it is used by itself`);
  } else if (copy !== undefined) {
    say("entitlement", "no", `the signed copy, ${copy.path}, is of an older Deno`, setup);
  } else {
    say("entitlement", "no", `nothing here has ${debuggerEntitlement}`, setup);
  }

  const enable = "sudo DevToolsSecurity -enable";
  if (mac.developerMode === true) say("Developer Mode", "ok", "is on");
  else if (!mac.hasScreen && facts.user !== 0) {
    say(
      "Developer Mode",
      "no",
      "is not on, and this session (SSH?) has no screen to ask for a password on",
      enable,
    );
  } else {
    say("Developer Mode", "note", "is not on: macOS asks for a password now and then", enable);
  }
  say(
    "SIP",
    mac.protection === undefined ? "note" : "ok",
    mac.protection === false
      ? "System Integrity Protection is off: the system's programs can be attached to"
      : mac.protection
      ? "System Integrity Protection is on: the system's programs cannot be attached to"
      : "whether System Integrity Protection is on is not known",
  );
}

function examineLinux({ ptraceScope, mayTrace, user }: Facts, say: Say): void {
  const privileged = user === 0 || mayTrace === true;
  const fix = "sudo sysctl kernel.yama.ptrace_scope=0";
  if (ptraceScope === undefined || ptraceScope === 0) {
    say("ptrace scope", "ok", "ptrace is not restricted to children");
  } else if (ptraceScope === 3) {
    say("ptrace scope", "no", "3: nothing can be attached to until the system is started again");
  } else if (privileged) {
    say("ptrace scope", "ok", `${ptraceScope}, which does not hold for root and CAP_SYS_PTRACE`);
  } else if (ptraceScope === 1) {
    say("ptrace scope", "no", "1: only programs that were launched here can be attached to", fix);
  } else {
    say("ptrace scope", "no", `${ptraceScope}: only root may attach`, fix);
  }
}

/** Runs a program. Returns its output, or `undefined` if it could not be run. */
export type Run = (program: string, args: readonly string[]) => Promise<string | undefined>;

const runHere: Run = async (program, args) => {
  try {
    const { stdout } = await new Deno.Command(program, {
      args: [...args],
      stdin: "null",
      stderr: "null",
    }).output();
    return new TextDecoder().decode(stdout).trim();
  } catch {
    return undefined;
  }
};

async function readText(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a program's output says enabled or disabled. */
export function stateIn(output: string | undefined): boolean | undefined {
  const [, word] = /\b(enabled|disabled)\b/i.exec(output ?? "") ?? [];
  return word === undefined ? undefined : word.toLowerCase() === "enabled";
}

/** Collects the facts. Launches the demo and attaches to it: a real attempt is the best check. */
async function gather(): Promise<Facts> {
  const [{ ownOrigin }, { cacheDirectory }] = await Promise.all([
    import("../../ffi/command.ts"),
    import("../../ffi/user_folders.ts"),
  ]);
  const { os, arch } = Deno.build;
  let cache: Facts["cache"];
  let library: Facts["library"];
  try {
    cache = { path: cacheDirectory() };
  } catch (error) {
    cache = { error: messageOf(error) };
  }
  try {
    const path = (await import("../../ffi/library.ts")).libraryPath();
    library = { path, given: path === Deno.env.get("MACHPAUSE_LIBRARY") };
  } catch (error) {
    // A problem with the cache directory is reported for both.
    library = { error: messageOf(error) };
    if ("path" in cache && library.error.startsWith(cache.path)) cache = library;
  }
  return {
    os,
    system: await systemName(os),
    arch,
    version: Deno.version.deno,
    origin: ownOrigin(),
    user: granted(() => Deno.uid()) ?? 0,
    cache,
    library,
    ...await probe(),
    ...os === "darwin" && "path" in library ? { mac: await gatherMac(runHere) } : {},
    ...os === "linux" ? await gatherLinux() : {},
  };
}

async function systemName(os: string): Promise<string> {
  const kernel = granted(() => Deno.osRelease()) ?? "unknown";
  if (os === "darwin") {
    return `macOS ${await runHere("/usr/bin/sw_vers", ["-productVersion"]) ?? kernel}`;
  }
  const release = await readText("/etc/os-release") ?? "";
  const name = /^PRETTY_NAME="?(.*?)"?$/m.exec(release)?.[1] ?? os;
  return `${name}, kernel ${kernel}`;
}

/** What Deno lets us know; the rest of the screen does not need it. */
function granted<T>(get: () => T): T | undefined {
  try {
    return get();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** Launches the demo, then attaches to it as to any other process. */
async function probe(): Promise<Pick<Facts, "launchError" | "attachError">> {
  try {
    const [{ launch }, { openKernel }, { demoPath }] = await Promise.all([
      import("../../ffi/processes.ts"),
      import("../../ffi/mod.ts"),
      import("../../ffi/library.ts"),
    ]);
    using target = await launch(await demoPath(), [], { output: "null" });
    try {
      target.snapshot();
      // A new kernel does not have the task port that the demo sent.
      const kernel = openKernel();
      kernel.portRelease(kernel.taskForPid(target.pid));
      return {};
    } catch (error) {
      return { attachError: remedyOf(error) };
    } finally {
      target.kill();
    }
  } catch (error) {
    return { launchError: messageOf(error), attachError: remedyOf(error) };
  }
}

/** The remedy of an error, without the failed call. */
function remedyOf(error: unknown): string {
  return (error as { remedy?: string } | null)?.remedy ?? messageOf(error);
}

/** Collects the facts about a Mac.
 *
 * @param run runs the system's programs
 */
async function gatherMac(run: Run): Promise<MacFacts> {
  const [{ kernel }, { developerMode }, { findSignedCopy, isCurrent }] = await Promise.all([
    import("../../ffi/processes.ts"),
    import("../../ffi/kernel.ts"),
    import("../../ffi/signed_copy.ts"),
  ]);
  const own = kernel().processInfo(Deno.pid);
  const copy = findSignedCopy();
  return {
    translated: own?.translated ?? false,
    signatureFlags: own?.signatureFlags,
    entitlements: kernel().ownEntitlements(),
    copy: copy && { path: copy.path, current: await isCurrent(copy, Deno.execPath()) },
    developerMode: developerMode(),
    hasScreen: kernel().hasScreen(),
    protection: stateIn(await run("/usr/bin/csrutil", ["status"])),
    spotlight: stateIn(await run("/usr/bin/mdutil", ["-s", "/"])),
  };
}

async function gatherLinux(): Promise<Pick<Facts, "ptraceScope" | "mayTrace">> {
  const scope = await readText("/proc/sys/kernel/yama/ptrace_scope");
  const { statusField } = await import("../../ffi/procfs.ts");
  const effective = BigInt(`0x${statusField("self", "CapEff") ?? "0"}`);
  return {
    ...scope === undefined ? {} : { ptraceScope: Number(scope) },
    mayTrace: (effective >> 19n & 1n) === 1n, // CAP_SYS_PTRACE of <linux/capability.h>
  };
}

/** The states, padded to one width. */
const words = { ok: "ok  ", note: "note", no: "no  " } as const;

/** The checks as lines for a terminal. */
export function doctorLines(
  checks: readonly Check[],
  style: (kind: "running" | "warning" | "quiet", text: SafeText) => SafeText,
): SafeText[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const kinds = { ok: "running", note: "quiet", no: "warning" } as const;
  return checks.flatMap(({ name, state, finding, fix }) => {
    const word = style(kinds[state], escape(words[state]));
    const line = safe`${word}  ${escape(name.padEnd(width))}  ${escape(finding)}`;
    const indent = escape(" ".repeat(8 + width));
    return fix === undefined ? [line] : [line, safe`${indent}fix: ${escape(fix)}`];
  });
}
