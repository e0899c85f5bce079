/** How this program is started: for the commands that messages print, and for starting it again. */

/** The program's main module, which need not be this process's. */
const main = new URL("../repl/main.ts", import.meta.url);

/** Where the program comes from. */
export interface Origin {
  /** The whole program is one compiled file. */
  readonly standalone: boolean;
  /** Of that file, or of Deno. */
  readonly executable: string;
  /** The URL of the program's main module. */
  readonly main: string;
}

/** This process's. */
export function ownOrigin(): Origin {
  return { standalone: Deno.build.standalone, executable: Deno.execPath(), main: main.href };
}

/** What follows the executable to start the program: nothing for a compiled one. */
export function programArguments({ standalone, main }: Origin): string[] {
  if (standalone) return [];
  const url = new URL(main);
  if (url.protocol !== "file:") return ["run", "-A", main];
  const path = decodeURIComponent(url.pathname);
  // As tools/dist/machpause.mjs starts it.
  const npm = ["--no-lock", "--no-config", "--node-modules-dir=manual"];
  return ["run", "-A", ...path.includes("/node_modules/") ? npm : [], path];
}

/** A command line of the program, as a person would type it.
 *
 * @param args not quoted
 */
export function commandLine(args: readonly string[], origin: Origin = ownOrigin()): string {
  const { standalone, executable, main } = origin;
  const program = standalone
    ? [executable]
    : main.startsWith("https://jsr.io/")
    ? ["deno", "run", "-A", "jsr:@machpause/machpause/cli"]
    : main.includes("/node_modules/")
    ? ["npx", "@machpause/machpause"]
    : ["deno", ...programArguments(origin)];
  return [...program, ...args].map(quote).join(" ");
}

/** Quoted for a shell, where that is needed. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
