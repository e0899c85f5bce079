/** The source of much code: SQLite, from the npm package that has it, and what is needed to link it. */
import { run } from "./run.ts";

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

/** Puts `package/deps/sqlite3/sqlite3.c` and `libSystem.tbd` into a folder. */
export async function unpackSqlite(work: string): Promise<void> {
  const packed = await run("npm", ["pack", "--silent", PACKAGE], work);
  const archive = packed.trim().split("\n").at(-1)!;
  await run("tar", ["-xf", archive, "package/deps/sqlite3"], work);
  await Deno.writeTextFile(`${work}/libSystem.tbd`, library);
}
