/** A dylib with much debug information, and its dSYM: SQLite, from the npm package that has it,
 * compiled with DWARF 4 and with DWARF 5, in several copies. Kept in the temporary folder. */
import { run } from "./run.ts";
import { sqliteOptions, unpackSqlite } from "./sqlite.ts";

/** Where its files are. */
export interface LargeDylib {
  readonly dylib: string;
  /** The file in the dSYM. */
  readonly dsym: string;
}

const COPIES = 6;

/** Builds it, or finds it built. About 20 seconds. */
export async function largeDylib(): Promise<LargeDylib> {
  const temporary = (Deno.env.get("TMPDIR") ?? "/tmp").replace(/\/$/, "");
  const folder = `${temporary}/machpause-large-1`;
  const found = {
    dylib: `${folder}/large.dylib`,
    dsym: `${folder}/large.dSYM/Contents/Resources/DWARF/large.dylib`,
  };
  if (await exists(found.dsym)) return found;
  const work = await Deno.makeTempDir({ dir: temporary });
  try {
    await build(work);
    // Whole or not at all; another may have been faster.
    await Deno.rename(work, folder).catch(() => {});
  } finally {
    await Deno.remove(work, { recursive: true }).catch(() => {});
  }
  return found;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function build(work: string): Promise<void> {
  await unpackSqlite(work);
  const target = ["-target", "arm64-apple-macos11", "-w", "-O1"];
  await run("clang-19", [
    ...[...target, "-gdwarf-4", "-fdebug-compilation-dir=/sqlite", "-emit-llvm", "-S"],
    ...sqliteOptions,
    ...["package/deps/sqlite3/sqlite3.c", "-o", "sqlite.ll"],
  ], work);
  // Optimized once for both.
  const code = await Deno.readTextFile(`${work}/sqlite.ll`);
  await Promise.all([4, 5].map(async (version) => {
    const module = `dwarf${version}.ll`;
    await Deno.writeTextFile(
      `${work}/${module}`,
      code.replace(/"Dwarf Version", i32 \d/, `"Dwarf Version", i32 ${version}`),
    );
    const object = `dwarf${version}.o`;
    const passes = ["-Xclang", "-disable-llvm-passes"];
    await run("clang-19", [...target, ...passes, "-c", module, "-o", object], work);
    await Deno.remove(`${work}/${module}`);
  }));
  const objects: string[] = [];
  for (let copy = 1; copy <= COPIES; copy++) {
    for (const version of [4, 5]) {
      objects.push(`dwarf${version}-${copy}.o`);
      await Deno.copyFile(`${work}/dwarf${version}.o`, `${work}/${objects.at(-1)}`);
    }
  }
  await run("ld64.lld-19", [
    ...["-arch", "arm64", "-platform_version", "macos", "11.0", "11.0", "-dylib"],
    ...["-oso_prefix", `${work}/`, "-undefined", "dynamic_lookup"],
    ...["-o", "large.dylib", ...objects, "libSystem.tbd"],
  ], work);
  const options = ["-q", "--oso-prepend-path", `${work}/`, "-o", "large.dSYM"];
  await run("/usr/lib/llvm-19/bin/dsymutil", [...options, "large.dylib"], work);
  for (const version of [4, 5]) await Deno.remove(`${work}/dwarf${version}.o`);
  await Deno.remove(`${work}/sqlite.ll`);
  await Deno.remove(`${work}/package`, { recursive: true });
}
