/** How this program was started: for commands in messages, and to start it again. */

/** The program's main module. A process that uses the library has another one. */
const main = new URL("../repl/main.ts", import.meta.url);

/** How the program is installed. */
export interface Origin {
  /** The whole program is one compiled file. */
  readonly standalone: boolean;
  /** The path of that file, or of Deno. */
  readonly executable: string;
  /** The URL of the program's main module. */
  readonly main: string;
}

/** How this process's program is installed. */
export function ownOrigin(): Origin {
  return { standalone: Deno.build.standalone, executable: Deno.execPath(), main: main.href };
}

/** The arguments that start the program; none for a compiled one. Without `-q`, Deno clears the line with the prompt
 * whenever it reads a module. */
export function programArguments({ standalone, main }: Origin): string[] {
  if (standalone) return [];
  const url = new URL(main);
  if (url.protocol !== "file:") return ["run", "-q", "-A", main];
  const path = decodeURIComponent(url.pathname);
  // As tools/dist/machpause.mjs starts it.
  const npm = [
    "--no-lock",
    "--no-config",
    "--unstable-lazy-dynamic-imports",
    "--node-modules-dir=manual",
  ];
  return ["run", "-q", "-A", ...path.includes("/node_modules/") ? npm : [], path];
}

/** A command line of the program, to be typed in a shell.
 *
 * @param args without quotes
 */
export function commandLine(args: readonly string[], origin: Origin = ownOrigin()): string {
  const { standalone, executable, main } = origin;
  const program = standalone
    ? [executable]
    : main.startsWith("https://jsr.io/")
    ? ["deno", "run", "-q", "-A", "jsr:@machpause/machpause/cli"]
    : main.includes("/node_modules/")
    ? ["npx", "@machpause/machpause"]
    : ["deno", ...programArguments(origin)];
  return [...program, ...args].map(quote).join(" ");
}

/** Quotes a word for a shell if necessary. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
