/** The subject of the measurements of symbolication: a dylib of 300 times SQLite and its dSYM, of more
 * than 1.1 GB. It is made once, in a cache, from the npm package that has SQLite's source. */
import { sqliteOptions, unpackSqlite } from "../../tests/oracle/sqlite.ts";

/** Where its files are. */
export interface Subject {
  readonly dylib: string;
  /** The bundle. */
  readonly dsym: string;
  /** The file in it. */
  readonly dwarf: string;
}

const COPIES = 300;

/** Builds it, or finds it built, in `MACHPAUSE_SUBJECT` or the user's cache. It takes a minute and 4 GB. */
export async function subject(): Promise<Subject> {
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`;
  const folder = Deno.env.get("MACHPAUSE_SUBJECT") ?? `${cache}/machpause-bench/subject-1`;
  const found: Subject = {
    dylib: `${folder}/big.dylib`,
    dsym: `${folder}/big.dSYM`,
    dwarf: `${folder}/big.dSYM/Contents/Resources/DWARF/big.dylib`,
  };
  if (await Deno.stat(found.dwarf).then(() => true, () => false)) return found;
  await Deno.mkdir(folder.replace(/\/[^/]*$/, ""), { recursive: true });
  const work = await Deno.makeTempDir({ dir: folder.replace(/\/[^/]*$/, "") });
  try {
    await build(work);
    await Deno.rename(work, folder);
  } catch (error) {
    await Deno.remove(work, { recursive: true });
    throw error;
  }
  return found;
}

async function build(work: string): Promise<void> {
  const run = await unpackSqlite(work);
  await run("clang-19", ...[
    ...["-target", "arm64-apple-macos11", "-g", "-O2", "-w", ...sqliteOptions],
    ...["-c", "package/deps/sqlite3/sqlite3.c", "-o", "base.o"],
  ]);
  const globals = (await run("llvm-nm-19", "-g", "--defined-only", "base.o")).split("\n")
    .map((line) => line.split(" ")[2]).filter((name) => name !== undefined);
  await Deno.mkdir(`${work}/o`);
  const objects = Array.from({ length: COPIES }, (_, copy) => `o/s${copy + 1}.o`);
  for (const [copy, object] of objects.entries()) {
    const renamed = globals.flatMap((name) => ["--redefine-sym", `${name}=${name}_${copy + 1}`]);
    await run("llvm-objcopy-19", ...renamed, "base.o", object);
  }
  await run("ld64.lld-19", ...[
    ...["-arch", "arm64", "-platform_version", "macos", "11.0", "11.0", "-dylib"],
    ...["-undefined", "dynamic_lookup", "-o", "big.dylib", ...objects, "libSystem.tbd"],
  ]);
  await run("dsymutil-19", "big.dylib", "-o", "big.dSYM");
  await Deno.remove(`${work}/o`, { recursive: true });
  await Deno.remove(`${work}/package`, { recursive: true });
}
