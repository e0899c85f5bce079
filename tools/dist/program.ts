/** Stages the program for the npm package: every module as JavaScript, beside `machpause.mjs`.
 *
 * Deno does not strip types below `node_modules`, so the modules are transpiled. The JSR packages,
 * which npm does not have, are the stand-ins of `tools/links/`; npm packages are the package's own
 * dependencies.
 */
import manifest from "../../deno.json" with { type: "json" };

/** What the program is made of. */
const parts = ["mod.ts", "deno.json", "ffi", "lib", "repl", "tools/links", "examples/demo"];

/** An npm package's name and version, of a specifier `npm:name@version`. */
const specifier = /^npm:(.+)@(.+?)$/;

/** The npm packages that the program and the stand-ins import by name. */
async function importedPackages(root: string): Promise<Record<string, string>> {
  const dependencies: Record<string, string> = {};
  for (const folder of [".", ...manifest.links]) {
    const { imports = {} } = JSON.parse(await Deno.readTextFile(`${root}${folder}/deno.json`));
    for (const text of Object.values(imports) as string[]) {
      const [, name, version] = specifier.exec(text) ?? [];
      if (name !== undefined) dependencies[name] = version;
    }
  }
  return dependencies;
}

/** The stand-ins' entries, by the names that they are imported by. */
const linked: ReadonlyMap<string, string> = new Map(
  manifest.links.map((folder) => {
    const entry = `${folder.replace("./", "")}/mod.js`;
    const name = folder.slice(folder.lastIndexOf("/") + 1);
    return [name.replace(/^(\w+)-/, "@$1/"), entry];
  }),
);

/** One module's JavaScript with its imports as they are in the package. */
function relocate(code: string, path: string): string {
  const up = "../".repeat(path.split("/").length - 1) || "./";
  return code
    // TypeScript leaves some of them: calls of import() in an array.
    .replace(/(\bimport\(\s*"\.[^"]+)\.ts(")/g, "$1.js$2")
    .replace(/(new URL\(\s*"[^"]+)\.ts(",\s*import\.meta\.url)/g, "$1.js$2")
    .replace(/(from |import\()"(@?[\w-][^"]*)"/g, (whole, keyword, name) => {
      const entry = linked.get(name);
      return entry === undefined ? whole : `${keyword}"${up}${entry}"`;
    });
}

/** Writes the program's modules below `output`.
 *
 * @param root of the checkout
 * @param transpile TypeScript to JavaScript; relative imports of `.ts` become `.js`
 * @returns the package's dependencies, versions by name
 */
export async function stageProgram(
  root: string,
  output: string,
  transpile: (code: string, path: string) => string,
): Promise<Readonly<Record<string, string>>> {
  const known = await importedPackages(root);
  // Only the tests import some of them.
  const dependencies: Record<string, string> = {};
  const stage = async (path: string): Promise<void> => {
    if ((await Deno.stat(root + path)).isDirectory) {
      for await (const { name } of Deno.readDir(root + path)) await stage(`${path}/${name}`);
      return;
    }
    const typescript = path.endsWith(".ts");
    // Beside modules: the configuration, what is imported as text, and the demo's sources, which are shown.
    const isKept = path === "deno.json" || path.startsWith("repl/page/") ||
      /^examples\/demo\/\w+\.[ch]$/.test(path);
    if (!typescript && !isKept) return;
    const to = `${output}/${typescript ? path.replace(/\.ts$/, ".js") : path}`;
    await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    if (!typescript) return await Deno.copyFile(root + path, to);
    const code = relocate(transpile(await Deno.readTextFile(root + path), path), path);
    for (const [name, version] of Object.entries(known)) {
      if (code.includes(`"${name}"`) || code.includes(`"${name}/`)) dependencies[name] = version;
    }
    await Deno.writeTextFile(to, code);
  };
  for (const part of parts) await stage(part);
  return dependencies;
}
