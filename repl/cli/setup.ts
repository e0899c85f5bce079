/** `machpause setup`: on macOS a program may take another's task port only when it is root or carries
 * a debugger's entitlement. Deno's own signature has none, so this signs a private copy of Deno that
 * has. Nothing outside one directory is changed. */

/** How {@linkcode setup} is to go about it. */
export interface SetupOptions {
  /** Don't ask. */
  readonly yes?: boolean;
  /** Where the copy goes, `~/Library/Application Support/machpause` when not given. */
  readonly directory?: string;
  /** Takes text for the user, lines ended by `\n`. */
  readonly write: (text: string) => void;
  /** Asks the user a question that is answered by yes or no. */
  readonly confirm: (question: string) => boolean | Promise<boolean>;
}

/** What {@linkcode setup} needs of the system it runs on. Tests give another. */
export interface SetupSystem {
  /** As `Deno.build.os` names it. */
  readonly os: string;
  /** The Deno that is running. */
  readonly deno: string;
  /** The user's home directory. */
  readonly home: string | undefined;
  /** Runs a program to its end; `output` is what it printed, to either stream. */
  run(program: string, args: readonly string[]): Promise<{ success: boolean; output: string }>;
}

const thisSystem: SetupSystem = {
  os: Deno.build.os,
  get deno() {
    return Deno.execPath();
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

/** The debugger's entitlement, and those without which V8 could not make code and Deno could not open
 * a library that Apple has not signed. */
const entitlements: readonly string[] = [
  "com.apple.security.cs.debugger",
  "com.apple.security.cs.allow-jit",
  "com.apple.security.cs.allow-unsigned-executable-memory",
  "com.apple.security.cs.disable-library-validation",
];

const entitlementsPlist = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${entitlements.map((name) => `\t<key>${name}</key>\n\t<true/>\n`).join("")}</dict>
</plist>
`;

async function sha256(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function remove(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Quoted for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function plan(source: string, copy: string): string {
  return `This will
  1. copy ${source}
     to ${copy}, in a directory that only you can enter;
  2. sign the copy, with no identity (codesign --sign -), with these entitlements:
${entitlements.map((name) => `       ${name}\n`).join("")}
Your own Deno stays as it is. Whoever can run the copy as you can look into your other
programs, as a debugger can. To undo it, delete the directory.

`;
}

function afterwards(copy: string): string {
  return `
Use the copy in place of deno, without root:

  ${quote(copy)} run -A jsr:@machpause/machpause/cli attach <pid|name>

The first time, macOS may ask for an administrator's password; with Developer Mode on
(sudo DevToolsSecurity -enable) it does not. Still out of reach:

  - programs with the hardened runtime and no com.apple.security.get-task-allow, which
    are most that are distributed; one that you build yourself with Xcode has it in its
    debug configuration;
  - programs of the system, which System Integrity Protection covers;
  - other users' and root's processes, for which run it with sudo.

Run setup again when Deno has been upgraded.
`;
}

/** Signs a private copy of the running Deno with the debugger's entitlement, after saying so. When
 * that has been done before and Deno is still the same, it only says how to use it.
 *
 * @param system a stand-in for the system, in tests
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
    write("setup is for macOS; here ptrace's own rules decide what can be attached to\n");
    return 1;
  }
  if (options.directory === undefined && system.home === undefined) {
    write("setup needs HOME to be set, or a directory\n");
    return 1;
  }
  const directory = options.directory ?? `${system.home}/Library/Application Support/machpause`;
  const copy = `${directory}/deno`;
  // Which Deno the copy is of: its signature is not the original's, so the two files differ.
  const origin = `${directory}/deno.sha256`;

  const hash = await sha256(system.deno);
  if (
    (await readText(origin))?.trim() === hash &&
    (await system.run("codesign", ["--verify", "--strict", copy])).success
  ) {
    write(`${copy} is signed already.\n${afterwards(copy)}`);
    return 0;
  }

  write(plan(system.deno, copy));
  if (options.yes !== true && !await options.confirm("Go on?")) {
    write("Nothing was changed.\n");
    return 1;
  }

  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  await Deno.chmod(directory, 0o700);
  // Made beside its place and renamed into it: a copy that is running keeps its own file, and one
  // that could not be signed never takes its place.
  const fresh = `${directory}/deno.${crypto.randomUUID()}`;
  const plist = `${fresh}.plist`;
  try {
    await Deno.copyFile(system.deno, fresh);
    await Deno.chmod(fresh, 0o700);
    await Deno.writeTextFile(plist, entitlementsPlist, { mode: 0o600 });
    for (
      const args of [
        ["--force", "--sign", "-", "--entitlements", plist, fresh],
        ["--verify", "--strict", fresh],
      ]
    ) {
      const { success, output } = await system.run("codesign", args);
      if (!success) {
        write(`codesign ${args[0]} failed: ${output.trim()}\n`);
        return 1;
      }
    }
    await remove(origin);
    await Deno.rename(fresh, copy);
    await Deno.writeTextFile(origin, `${hash}\n`, { mode: 0o600 });
  } finally {
    await remove(fresh);
    await remove(plist);
  }
  write(`Done.\n${afterwards(copy)}`);
  return 0;
}
