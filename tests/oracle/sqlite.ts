/** The source of much code: SQLite, from the npm package that has it, and what is needed to link it. */

const PACKAGE = "better-sqlite3@12.11.1";

const library = `--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '/usr/lib/libSystem.B.dylib'
exports:
  - targets: [ arm64-macos ]
    symbols: [ dyld_stub_binder ]
...
`;

/** Options for its compiler, beyond the target. */
export const sqliteOptions: readonly string[] = [
  ...["-isystem", "/usr/aarch64-linux-gnu/include", "-U__APPLE__", "-U__nonnull", "-U__nullable"],
  "-DSQLITE_API=static __attribute__((used))",
];

/** Runs a command; what it prints, or throws what it complains of. */
export type Run = (command: string, ...args: string[]) => Promise<string>;

/** Puts `package/deps/sqlite3/sqlite3.c` and `libSystem.tbd` into a folder.
 *
 * @returns what runs commands there
 */
export async function unpackSqlite(work: string): Promise<Run> {
  const run: Run = async (command, ...args) => {
    const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd: work })
      .output();
    const text = new TextDecoder();
    if (!success) throw new Error(`${command} ${args.join(" ")}\n${text.decode(stderr)}`);
    return text.decode(stdout).trim();
  };
  const archive = (await run("npm", "pack", "--silent", PACKAGE)).split("\n").at(-1)!;
  await run("tar", "-xf", archive, "package/deps/sqlite3");
  await Deno.writeTextFile(`${work}/libSystem.tbd`, library);
  return run;
}
