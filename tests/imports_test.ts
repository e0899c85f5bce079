/** Modules import each other in one direction. */
import { assert, assertEquals } from "@std/assert";

const root = new URL("../", import.meta.url);

/** The modules below a folder. */
function modules(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap(({ name, isDirectory }) =>
    isDirectory ? modules(`${folder}${name}/`) : name.endsWith(".ts") ? [`${folder}${name}`] : []
  );
}

/** What a module imports from this checkout, statically and dynamically; types count. */
function imports(path: string): string[] {
  const source = Deno.readTextFileSync(new URL(path, root)).replace(/\/\*[^]*?\*\//g, "");
  const specifiers = source.matchAll(/\b(?:from|import\()\s*"(\.[^"]+)"/g);
  return [...specifiers].map(([, specifier]) => {
    const { href } = new URL(specifier, new URL(path, root));
    return href.slice(root.href.length);
  });
}

/** The groups of nodes that reach each other (Tarjan's strongly connected components). */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node)!, low.get(next)!));
      } else if (stack.includes(next)) {
        low.set(node, Math.min(low.get(node)!, index.get(next)!));
      }
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1 || graph.get(node)!.includes(node)) found.push(group.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

Deno.test("no module of the program imports one that imports it, at any distance", () => {
  const all = modules("repl/").map((path) => [path, imports(path)] as const);
  assertEquals(circles(new Map(all)), []);
});

/** A grammar whose rules refer to each other. */
const recursive = "lib/symbols/demangle/swift/";

Deno.test("no module of the library and its binding imports one that imports it, types included", () => {
  const all = ["lib/", "ffi/"].flatMap(modules).filter((path) => !path.startsWith(recursive));
  assertEquals(circles(new Map(all.map((path) => [path, imports(path)]))), []);
});

/** The folders of the library, each above those in the rows after its own. */
const layers = [
  ["collect"],
  ["hang"],
  ["remote", "report", "stackshot", "symbol_server"],
  ["target"],
  ["values"],
  ["unwind"],
  ["symbols"],
  ["elf"],
  ["dwarf", "macho"],
  ["arch", "profile"],
];

/** The folder of the library that a module is in; `undefined` for one beside the folders. */
function folderOf(path: string): string | undefined {
  return path.split("/").slice(1, -1)[0];
}

Deno.test("the library's folders import only what ARCHITECTURE.md has below them", () => {
  const layerOf = (folder: string): number => {
    const layer = layers.findIndex((row) => row.includes(folder));
    assert(layer >= 0, `lib/${folder} has no layer`);
    return layer;
  };
  const wrong: string[] = [];
  for (const path of modules("lib/")) {
    const from = folderOf(path);
    for (const imported of imports(path)) {
      const isBelow = (folder: string | undefined): boolean =>
        from === undefined || folder === undefined || from === folder ||
        layerOf(from) < layerOf(folder);
      // A file beside the folders is as high as what it imports.
      const folders = folderOf(imported) === undefined
        ? imports(imported).map(folderOf)
        : [folderOf(imported)];
      const isIn = imported.startsWith("lib/");
      if (!isIn || !folders.every(isBelow)) wrong.push(`${path} imports ${imported}`);
    }
  }
  for (const path of modules("ffi/")) {
    for (const imported of imports(path)) {
      if (!/^(?:ffi|lib)\//.test(imported)) wrong.push(`${path} imports ${imported}`);
    }
  }
  assertEquals(wrong, []);
});
