/** The subjects of the measurements of symbolication: dylibs and their dSYMs, made once, in a cache, from npm
 * packages that have C and C++ sources. */
import { run } from "../../tests/oracle/run.ts";
import { sqliteOptions, unpackSqlite } from "../../tests/oracle/sqlite.ts";

/** Where a subject's files are. */
export interface Subject {
  readonly dylib: string;
  /** The bundle. */
  readonly dsym: string;
  /** The file in it. */
  readonly dwarf: string;
}

/** Runs a tool in the folder that a subject is made in. */
type Run = (command: string, ...args: string[]) => Promise<string>;

/** SQLite, `count` times: 4 MB of debug information each. 300 copies take a minute and 4 GB to build.
 *
 * The units are copies of one another, so that their bodies are in a symbol table file once. */
export async function copies(count: number): Promise<Subject> {
  return await cached(count === 300 ? "subject-1" : `copies-${count}-1`, async (run, work) => {
    await compileSqlite(run);
    const globals = (await run("llvm-nm-19", "-g", "--defined-only", "sqlite.o")).split("\n")
      .map((line) => line.split(" ")[2]).filter((name) => name !== undefined);
    await Deno.mkdir(`${work}/o`);
    const objects = Array.from({ length: count }, (_, copy) => `o/s${copy + 1}.o`);
    for (const [copy, object] of objects.entries()) {
      const renamed = globals.flatMap((name) => ["--redefine-sym", `${name}=${name}_${copy + 1}`]);
      await run("llvm-objcopy-19", ...renamed, "sqlite.o", object);
    }
    return objects;
  });
}

const DUCKDB = "duckdb@1.4.4";
/** Units of DuckDB, each of the sources of a folder: those that make much debug information in little time. */
const duckdbUnits: readonly string[] = [
  ...["extension_core_functions_scalar_list", "extension_core_functions_scalar_string"],
  ...["extension_json_json_functions", "extension_parquet_reader", "src_catalog_catalog_entry"],
  ...["src_common_types", "src_common_types_row", "src_execution_index_art"],
  ...["src_execution_operator_join", "src_function_cast", "src_function_table"],
  ...["src_function_window", "src_main_capi", "src_main_relation", "src_optimizer"],
  ...[
    "src_optimizer_rule",
    "src_optimizer_statistics_expression",
    "src_parser_transform_expression",
  ],
  ...["src_parser_transform_statement", "src_planner_binder_expression"],
  ...["src_planner_binder_statement", "src_storage", "src_storage_compression_dict_fsst"],
  ...["src_storage_serialization", "src_storage_statistics", "src_storage_table"],
  ...["src_transaction"],
];

/** SQLite and DuckDB, 150 MB of debug information whose units all differ. It takes five minutes to build. */
export async function varied(): Promise<Subject> {
  return await cached("varied-1", async (run, work) => {
    await compileSqlite(run);
    await run("rm", "-rf", "package");
    const archive = (await run("npm", "pack", "--silent", DUCKDB)).split("\n").at(-1)!;
    await run("tar", "-xf", archive);
    const gyp = await Deno.readTextFile(`${work}/package/binding.gyp`);
    const includes = [...gyp.matchAll(/"(src\/duckdb\/[^"]*)"/g)].map(([, path]) => path)
      .filter((path) => !/\.(?:c|cc|cpp)$/.test(path));
    const options = [
      ...["-target", "arm64-apple-macos11", "-std=c++17", "-g", "-O2", "-w"],
      // The C++ library is the host's, over the C library of another Linux.
      ...["-U__APPLE__", "-U__nonnull", "-U__nullable", "-D_GNU_SOURCE", "-D__linux__"],
      ...["-D__unix__", "-DNDEBUG", "-DDUCKDB_BUILD_LIBRARY"],
      ...(await standardLibrary()).flatMap((path) => ["-isystem", path]),
      ...["-isystem", "/usr/aarch64-linux-gnu/include"],
      ...new Set(includes.map((path) => `-Ipackage/${path}`)),
    ];
    const left = [...duckdbUnits];
    const compile = async () => {
      for (let unit = left.shift(); unit !== undefined; unit = left.shift()) {
        await run(
          "clang-19",
          ...[...options, "-c", `package/src/duckdb/ub_${unit}.cpp`, "-o", `${unit}.o`],
        );
      }
    };
    await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, compile));
    return ["sqlite.o", ...duckdbUnits.map((unit) => `${unit}.o`)];
  });
}

/** The folders of the host's C++ library. */
async function standardLibrary(): Promise<string[]> {
  const versions = await Array.fromAsync(Deno.readDir("/usr/include/c++"), ({ name }) => name);
  const version = versions.sort((a, b) => Number(a) - Number(b)).at(-1);
  return [
    `/usr/include/c++/${version}`,
    `/usr/include/${Deno.build.arch}-linux-gnu/c++/${version}`,
  ];
}

async function compileSqlite(run: Run): Promise<void> {
  await run("clang-19", ...[
    ...["-target", "arm64-apple-macos11", "-g", "-O2", "-w", ...sqliteOptions],
    ...["-c", "package/deps/sqlite3/sqlite3.c", "-o", "sqlite.o"],
  ]);
}

/** Builds a subject, or finds it built, in `MACHPAUSE_SUBJECT` or the user's cache.
 *
 * @param compile makes object files, and returns which
 */
async function cached(
  name: string,
  compile: (run: Run, work: string) => Promise<readonly string[]>,
): Promise<Subject> {
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`;
  const parent = Deno.env.get("MACHPAUSE_SUBJECT") ?? `${cache}/machpause-bench`;
  const folder = `${parent}/${name}`;
  const found: Subject = {
    dylib: `${folder}/big.dylib`,
    dsym: `${folder}/big.dSYM`,
    dwarf: `${folder}/big.dSYM/Contents/Resources/DWARF/big.dylib`,
  };
  if (await Deno.stat(found.dwarf).then(() => true, () => false)) return found;
  await Deno.mkdir(parent, { recursive: true });
  const work = await Deno.makeTempDir({ dir: parent });
  try {
    await unpackSqlite(work);
    const there: Run = async (command, ...args) => (await run(command, args, work)).trim();
    const objects = await compile(there, work);
    await there("ld64.lld-19", ...[
      ...["-arch", "arm64", "-platform_version", "macos", "11.0", "11.0", "-dylib"],
      ...["-undefined", "dynamic_lookup", "-o", "big.dylib", ...objects, "libSystem.tbd"],
    ]);
    await there("dsymutil-19", "big.dylib", "-o", "big.dSYM");
    for await (const { name } of Deno.readDir(work)) {
      if (!name.startsWith("big.")) await Deno.remove(`${work}/${name}`, { recursive: true });
    }
    await Deno.rename(work, folder);
  } catch (error) {
    await Deno.remove(work, { recursive: true });
    throw error;
  }
  return found;
}
