/** Decides from a program's file whether dyld would insert a library into it.
 *
 * dyld asks AMFI, which decides by the code signature (dyld's `ProcessConfig::Security`,
 * `amfi_check_dyld_policy_self`). dyld drops the `DYLD_` variables of restricted programs. It terminates
 * a program with library validation if the inserted library is not signed for it, so nothing must be
 * inserted there. */
import type { CodeSignature } from "../lib/macho/mod.ts";
import { files } from "./files.ts";
import { entitles, hasPlatformRestrictions } from "./remedy.ts";

/** `CS_*` of XNU's `osfmk/kern/cs_blobs.h`. */
const CS = { restrict: 0x800, requireLibraryValidation: 0x2000, runtime: 0x10000 };

const allowVariables = "com.apple.security.cs.allow-dyld-environment-variables";
const allowLibraries = "com.apple.security.cs.disable-library-validation";
const sandboxed = "com.apple.security.app-sandbox";

/** Maximum depth of scripts whose interpreters are scripts. */
const maxInterpreters = 2;

/** Why dyld would not insert a library into a program, as the end of a sentence about the program;
 * `undefined` if no reason is known. */
export async function whyNotInserted(program: string): Promise<string | undefined> {
  return await reasonOf(program.includes("/") ? program : inPath(program), 0);
}

/** Where the system finds a program that is given by its name alone. */
function inPath(name: string): string {
  const variable = "PATH";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  const folders = state === "granted" ? (Deno.env.get(variable) ?? "").split(":") : [];
  const paths = folders.filter((folder) => folder !== "").map((folder) => `${folder}/${name}`);
  return paths.find((path) => {
    try {
      const { isFile, mode } = Deno.statSync(path);
      return isFile && ((mode ?? 0) & 0o111) !== 0;
    } catch {
      return false;
    }
  }) ?? name;
}

async function reasonOf(path: string, interpreters: number): Promise<string | undefined> {
  let mode: number;
  try {
    mode = Deno.statSync(path).mode ?? 0;
    const interpreter = readInterpreter(path);
    if (interpreter !== undefined && interpreters < maxInterpreters) {
      const reason = await reasonOf(interpreter, interpreters + 1);
      return reason === undefined ? undefined : `is a script, and its interpreter ${reason}`;
    }
  } catch {
    // Not readable or missing: starting it gives the answer.
    return undefined;
  }
  if ((mode & 0o6000) !== 0) return "runs with the rights of its owner or group";
  const { MachOFile } = await import("../lib/macho/mod.ts");
  let file: InstanceType<typeof MachOFile>;
  try {
    file = new MachOFile(files.open(path));
  } catch {
    return undefined; // not a Mach-O file
  }
  using opened = file;
  // The slice that runs: the machine's own, otherwise the one that Rosetta translates.
  const own = Deno.build.arch === "aarch64" ? "arm64" : "x86_64";
  const image = opened.images.find(({ arch }) => arch === own) ?? opened.images[0];
  if (image === undefined) return undefined;
  if (image.segments.some(({ name }) => name === "__RESTRICT")) {
    return "is restricted: it has a __RESTRICT segment";
  }
  const signature = image.codeSignature();
  return signature === null ? undefined : reasonOfSignature(signature);
}

/** The reason according to a code signature. */
function reasonOfSignature(
  { codeDirectories, entitlements }: CodeSignature,
): string | undefined {
  // CodeDirectory.platform is set in Apple's own signatures.
  if (codeDirectories.some(({ bytes }) => bytes[38] !== 0)) {
    return "is Apple's own, which System Integrity Protection covers";
  }
  if (hasPlatformRestrictions(entitlements)) {
    // Its task port is immovable (osfmk/kern/task.c, task_set_ctrl_port_default()).
    return "has the platform restrictions of Enhanced Security, with which macOS 26 ends a program that " +
      "hands over its task port";
  }
  const flags = codeDirectories.reduce((all, directory) => all | directory.flags, 0);
  if ((flags & CS.restrict) !== 0) return "is restricted by its code signature";
  const hardened = (flags & CS.runtime) !== 0;
  if (hardened && !entitles(entitlements, allowVariables)) {
    return `has the hardened runtime without the entitlement ${allowVariables}`;
  }
  if (entitles(entitlements, sandboxed)) {
    // Its sandbox is entered before initializers run (libsystem_secinit), and looks up no foreign service.
    return "runs in the App Sandbox, from where it cannot hand over its task port";
  }
  const validates = hardened || (flags & CS.requireLibraryValidation) !== 0;
  if (validates && !entitles(entitlements, allowLibraries)) {
    return `validates its libraries, without the entitlement ${allowLibraries}`;
  }
  return undefined;
}

/** The interpreter in a script's first line. */
function readInterpreter(path: string): string | undefined {
  using file = files.open(path);
  const line = new TextDecoder().decode(file.read(0, 512)).split("\n", 1)[0];
  return /^#!\s*(\S+)/.exec(line)?.[1];
}
