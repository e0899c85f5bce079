/** Builds what is published elsewhere than on JSR:
 *
 *     deno task dist
 *
 * - `build/dist/npm`: the npm package. For Node 20 and later it is the portable library, as ES modules
 *   with types; for Deno it is all of the library. Its command `machpause` runs the program, under the
 *   Deno that npm installs with it.
 * - `build/dist/deno`: the portable library for Deno without an import map, by denoify
 *
 * The portable library is made of `lib/` and `tools/dist/mod.ts`; only the file system beneath differs.
 */
import { createRequire } from "node:module";
import manifest from "../deno.json" with { type: "json" };
import { stageProgram } from "./dist/program.ts";

const root = new URL("../", import.meta.url).pathname;

/** What builds, by version: a build must give the same on every day. */
const tools = { typescript: "5.9.3", denoify: "1.6.17", "@types/node": "20.19.43" };

async function run(directory: string, command: string, ...args: string[]): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd: directory })
    .output();
  if (success) return;
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  throw new Error(`${[command, ...args].join(" ")} failed:\n${text}`);
}

async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyTree(`${from}/${name}`, `${to}/${name}`);
    else if (name.endsWith(".ts")) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

/** Removes what denoify puts before files in which it sees `process.`, be it in a comment. */
async function dropImports(directory: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    if (isDirectory) await dropImports(path);
    else {
      const text = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, text.replace(/^import process from "node:.*\n/, ""));
    }
  }
}

function writeJson(path: string, value: unknown): Promise<void> {
  return Deno.writeTextFile(path, JSON.stringify(value, null, 2) + "\n");
}

/** The npm packages that the sources import, by name. */
const packages = Object.entries(manifest.imports).filter(([, to]) => to.startsWith("npm:"));

/** What denoify takes for Node's `Buffer`, be it in a table of names: it would ask GitHub for what has it. */
const seeming = /\bBuffer\b/;

/** Puts beside each module that imports an npm package by name one that names it in full, which denoify
 * takes as it is: its distribution has no import map. */
async function nameInFull(directory: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    if (isDirectory) {
      await nameInFull(path);
      continue;
    }
    const code = await Deno.readTextFile(path);
    const named = packages.reduce(
      (text, [name, specifier]) => text.replaceAll(`import("${name}")`, `import("${specifier}")`),
      code,
    );
    if (named !== code || seeming.test(code)) {
      await Deno.writeTextFile(path.replace(/\.ts$/, ".deno.ts"), named);
    }
  }
}

/** Where an entry of the package is: under Deno in the program, elsewhere in the portable library. */
const entry = (portable: string, program = portable) => ({
  deno: `./program/${program}.js`,
  types: `./${portable}.d.ts`,
  default: `./${portable}.js`,
});

/** The entries beside the main one. Those that need a process or a terminal are for Deno alone. */
const subpaths = Object.fromEntries(
  Object.entries(manifest.exports)
    .filter(([name]) => name !== ".")
    .map(([name, path]) => {
      const module = path.slice("./".length, -".ts".length);
      return [name, path.startsWith("./lib/") ? entry(module) : { deno: `./program/${module}.js` }];
    }),
);

/** What users of the npm package see of it. */
const npmManifest = {
  name: manifest.name,
  version: manifest.version,
  description: "A scriptable debugger prompt and library for macOS and iOS programs.",
  license: manifest.license,
  type: "module",
  bin: { machpause: "machpause.mjs" },
  exports: { ".": entry("tools/dist/mod", "mod"), ...subpaths },
  engines: { node: ">=20" },
  // The command alone runs under it, and it is most of what is installed: a library can be without.
  optionalDependencies: { deno: "^2.9.0" },
};

/** Builds both into `output`, which is made anew. */
export async function buildDist(output: string): Promise<void> {
  const stage = await Deno.makeTempDir({ prefix: "machpause-dist-" });
  try {
    await copyTree(`${root}lib`, `${stage}/src/lib`);
    await Deno.mkdir(`${stage}/src/tools/dist`, { recursive: true });
    for (const name of ["mod.ts", "files.ts"]) {
      await Deno.copyFile(`${root}tools/dist/${name}`, `${stage}/src/tools/dist/${name}`);
    }
    // denoify takes `x.deno.ts` in place of `x.ts`, as it is.
    const denoFiles = await Deno.readTextFile(`${root}ffi/files.ts`);
    await Deno.writeTextFile(
      `${stage}/src/tools/dist/files.deno.ts`,
      denoFiles.replaceAll('"../lib/', '"../../lib/'),
    );
    await nameInFull(`${stage}/src/lib`);
    // It has no types of its own. denoify reads everything in src.
    await Deno.mkdir(`${stage}/types`);
    await Deno.writeTextFile(
      `${stage}/types/capstone.d.ts`,
      'declare module "@alexaltea/capstone-js";\n',
    );
    await writeJson(`${stage}/package.json`, {
      ...npmManifest,
      optionalDependencies: {},
      main: "dist/tools/dist/mod.js",
      // denoify would ask GitHub for dependencies; it meets none of these.
      devDependencies: {
        ...tools,
        ...Object.fromEntries(
          packages.map(([name, specifier]) => [name, specifier.replace(/^npm:.*@/, "")]),
        ),
      },
      denoify: { index: "src/tools/dist/mod.ts" },
    });
    await writeJson(`${stage}/tsconfig.json`, {
      compilerOptions: {
        target: "es2022",
        lib: ["es2023", "es2024.sharedmemory", "es2024.string", "esnext.disposable", "dom"],
        module: "nodenext",
        strict: true,
        declaration: true,
        rewriteRelativeImportExtensions: true,
        skipLibCheck: true,
        types: ["node"],
        rootDir: "src",
        outDir: "dist",
      },
      include: ["src", "types"],
      exclude: ["src/**/*.deno.ts"],
    });
    await run(stage, "npm", "install", "--silent", "--no-package-lock", "--no-audit", "--no-fund");
    await run(stage, "npx", "tsc");
    await run(stage, "npx", "denoify");
    await dropImports(`${stage}/deno_dist`);

    await Deno.remove(output, { recursive: true }).catch(() => {});
    await Deno.mkdir(output, { recursive: true });
    await run(stage, "cp", "-R", "dist", `${output}/npm`);
    await run(stage, "cp", "-R", "deno_dist", `${output}/deno`);
    await Deno.copyFile(`${root}tools/dist/machpause.mjs`, `${output}/npm/machpause.mjs`);
    await Deno.chmod(`${output}/npm/machpause.mjs`, 0o755);
    const ts = createRequire(`${stage}/package.json`)("typescript");
    const transpile = (code: string, fileName: string) =>
      ts.transpileModule(code, {
        fileName,
        compilerOptions: {
          target: ts.ScriptTarget.ESNext,
          module: ts.ModuleKind.ESNext,
          rewriteRelativeImportExtensions: true,
          removeComments: true,
        },
      }).outputText;
    const dependencies = await stageProgram(root, `${output}/npm/program`, transpile);
    await writeJson(`${output}/npm/package.json`, { ...npmManifest, dependencies });
    for (const name of ["npm", "deno"]) {
      await Deno.copyFile(`${root}LICENSE`, `${output}/${name}/LICENSE`);
      await Deno.copyFile(`${root}tools/dist/README.md`, `${output}/${name}/README.md`);
    }
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

if (import.meta.main) {
  const output = Deno.args[0] ?? `${root}build/dist`;
  await buildDist(output);
  console.log(`${output}/npm\n${output}/deno`);
}
