/** On macOS a program gets another's task port only as root, or with a debugger's entitlement. Deno's
 * own signature has none. This signs a private copy of Deno, or of the compiled program, that has one,
 * and changes nothing outside one folder. machpause uses the copy by itself: see restart.ts. */
import { escape, escapeLines, safe, type SafeText } from "../../lib/escape.ts";
import { commandLine, type Origin, ownOrigin, programArguments, quote } from "../../ffi/command.ts";
import { isCurrent, sha256, signedCopy } from "../../ffi/signed_copy.ts";
import type { Subcommand } from "./subcommand.ts";

const options = { yes: { help: "Do not ask." } } as const;

/** `machpause setup` */
export default {
  description: "Sign a private copy of Deno that can attach without root.",
  arguments: "[directory:string]",
  options,
  async run({ yes = false }, [directory]) {
    const { print } = await import("../view/output.ts");
    return await setup({
      yes,
      ...(directory === undefined ? {} : { directory }),
      write: print,
      confirm: (question) => confirm(question),
    });
  },
} satisfies Subcommand<typeof options>;

/** How {@linkcode setup} works. */
export interface SetupOptions {
  /** Does not ask. */
  readonly yes?: boolean;
  /** Where the copy goes. Default: `~/Library/Application Support/machpause`. */
  readonly directory?: string;
  /** Takes text for the user, lines ended by `\n`. */
  readonly write: (text: SafeText) => void;
  /** Asks the user a question with the answers yes and no. */
  readonly confirm: (question: string) => boolean | Promise<boolean>;
}

/** What {@linkcode setup} needs from the system. Tests pass their own. */
export interface SetupSystem {
  /** As `Deno.build.os` names it. */
  readonly os: string;
  /** What is running. */
  readonly origin: Origin;
  /** The effective user. */
  readonly user: number;
  /** The user's home directory. */
  readonly home: string | undefined;
  /** Runs a program to its end; `output` is what it printed, to either stream. */
  run(program: string, args: readonly string[]): Promise<{ success: boolean; output: string }>;
}

const thisSystem: SetupSystem = {
  os: Deno.build.os,
  get origin() {
    return ownOrigin();
  },
  get user() {
    return Deno.uid() ?? 0;
  },
  get home() {
    return Deno.env.get("HOME");
  },
  async run(program, args) {
    const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args] })
      .output();
    const text = new TextDecoder();
    return { success, output: text.decode(stdout) + text.decode(stderr) };
  },
};

/** The debugger's entitlement, and all that Deno's own signature has (denoland/deno,
 * `cli/entitlements.plist`): without them the hardened runtime would keep V8 from making code, Deno from
 * opening a library that Apple has not signed, and a user's `DYLD_` variables from it. */
const entitlements: readonly string[] = [
  "com.apple.security.cs.debugger",
  "com.apple.security.cs.allow-jit",
  "com.apple.security.cs.allow-unsigned-executable-memory",
  "com.apple.security.cs.disable-executable-page-protection",
  "com.apple.security.cs.allow-dyld-environment-variables",
  "com.apple.security.cs.disable-library-validation",
];

const entitlementsPlist = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${entitlements.map((name) => `\t<key>${name}</key>\n\t<true/>\n`).join("")}</dict>
</plist>
`;

/** Copies a program without its extended attributes. `Deno.copyFile` clones them too (Deno's
 * `ext/fs/std_fs.rs`), and Gatekeeper does not run a quarantined file that is signed ad hoc, as a copy of a
 * downloaded Deno would be. */
async function copyContents(from: string, to: string): Promise<void> {
  using source = await Deno.open(from);
  using target = await Deno.open(to, { write: true, createNew: true, mode: 0o700 });
  await source.readable.pipeTo(target.writable);
}

async function remove(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function plan(source: string, copy: string): SafeText {
  return safe`This will
  1. copy ${escape(source)}
     to ${escape(copy)}, in a folder that only you can open;
  2. sign the copy ad hoc, for this machine (codesign --options runtime --sign -), with these
     entitlements:
${escapeLines(entitlements.map((name) => `       ${name}\n`).join(""))}
The original stays as it is. Anyone who can run the copy as you can inspect your other
programs, as a debugger can. To undo this, delete the folder.

`;
}

function afterwards(copy: string, origin: Origin, automatic: boolean): SafeText {
  const direct = escape([copy, ...programArguments(origin)].map(quote).join(" "));
  const use = automatic
    ? safe`machpause uses the copy by itself when macOS refuses a process:

  ${escape(commandLine(["attach"], origin))} <pid|name>

which then is the same as

  ${direct} attach <pid|name>`
    : safe`Use the copy, without root:

  ${direct} attach <pid|name>`;
  return safe`
${use}

The first time, macOS may ask for an administrator's password. With Developer Mode on
(sudo DevToolsSecurity -enable) it does not. Still out of reach:

  - programs with the hardened runtime and without com.apple.security.get-task-allow:
    most distributed ones. Xcode's debug builds have it;
  - programs of the system: System Integrity Protection covers them;
  - processes of other users and of root: run with sudo.

Run setup again when ${origin.standalone ? safe`the program` : safe`Deno`} has been upgraded.
`;
}

/** Signs a private copy of the running Deno with the debugger's entitlement, after asking. If the copy
 * exists and is of the same Deno, this only prints how to use it.
 *
 * @param system replaces the system in tests
 * @returns the exit code: 0 done, 1 refused or failed, with the reason written
 *
 * @example
 * ```ts
 * import { setup } from "./setup.ts";
 *
 * const code = await setup({ write: (text) => console.log(text), confirm });
 * ```
 */
export async function setup(
  options: SetupOptions,
  system: SetupSystem = thisSystem,
): Promise<number> {
  const { write } = options;
  if (system.os !== "darwin") {
    write(safe`setup is for macOS; here ptrace's rules decide what can be attached to\n`);
    return 1;
  }
  if (system.user === 0) {
    // sudo keeps HOME: the copy would be the user's, and root's.
    write(safe`root needs no setup: it may attach as it is. Run setup without sudo\n`);
    return 1;
  }
  if (options.directory === undefined && system.home === undefined) {
    write(safe`setup needs HOME to be set, or a folder\n`);
    return 1;
  }
  const { executable } = system.origin;
  const files = signedCopy(system.home ?? "", system.origin, options.directory);
  const { path: copy, origin } = files;
  const directory = copy.slice(0, copy.lastIndexOf("/"));
  const how = afterwards(copy, system.origin, options.directory === undefined);
  if (
    await isCurrent(files, executable) &&
    (await system.run("codesign", ["--verify", "--strict", copy])).success
  ) {
    write(safe`${escape(copy)} is signed already.\n${how}`);
    return 0;
  }

  write(plan(executable, copy));
  if (options.yes !== true && !await options.confirm("Go on?")) {
    write(safe`Nothing was changed.\n`);
    return 1;
  }

  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  await Deno.chmod(directory, 0o700);
  // Made beside its place and renamed into it: a running copy keeps its file, and a copy that could
  // not be signed never takes its place.
  const fresh = `${copy}.${crypto.randomUUID()}`;
  const plist = `${fresh}.plist`;
  try {
    await copyContents(executable, fresh);
    await Deno.writeTextFile(plist, entitlementsPlist, { mode: 0o600 });
    for (
      const args of [
        // As samply's codesign_setup.rs: debuggers are to have the hardened runtime.
        ["--force", "--options", "runtime", "--sign", "-", "--entitlements", plist, fresh],
        ["--verify", "--strict", fresh],
      ]
    ) {
      const { success, output } = await system.run("codesign", args);
      if (!success) {
        write(safe`codesign ${escape(args[0])} failed: ${escapeLines(output.trim())}\n`);
        return 1;
      }
    }
    await remove(origin);
    const hash = await sha256(executable);
    await Deno.rename(fresh, copy);
    await Deno.writeTextFile(origin, `${hash}\n`, { mode: 0o600 });
  } finally {
    await remove(fresh);
    await remove(plist);
  }
  write(safe`Done.\n${how}`);
  return 0;
}
