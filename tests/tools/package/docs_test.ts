/** What the documentation promises: every export explained with an example, and every example compiles. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import project from "../../../deno.json" with { type: "json" };

const root = new URL("../../../", import.meta.url).pathname;
const faces = Object.values(project.exports);

async function deno(...args: string[]): Promise<{ code: number; text: string; stdout: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  const [out, errors] = [decoder.decode(stdout), decoder.decode(stderr)];
  return { code, text: out + errors, stdout: out };
}

/** The part of `deno doc --json` that is looked at. */
interface Documented {
  readonly kind?: string;
  readonly jsDoc?: {
    readonly doc?: string;
    readonly tags?: readonly { readonly kind: string; readonly doc?: string }[];
  };
}
interface Documentation {
  readonly nodes: Readonly<
    Record<string, {
      readonly module_doc?: Documented["jsDoc"];
      readonly symbols: readonly { readonly name: string; readonly declarations: Documented[] }[];
    }>
  >;
}

/** Whether it has an example that `deno check` looks at: a block marked `ignore` it passes over. */
function hasExample({ jsDoc }: Documented): boolean {
  return (jsDoc?.tags ?? [])
    .some(({ kind, doc }) => kind === "example" && /^```ts\n[^]*\n```$/.test((doc ?? "").trim()));
}

for (const face of [...faces, "./tools/dist/mod.ts"]) {
  Deno.test(`${face}: every export is explained, functions and classes with an example`, async () => {
    const { code, text, stdout } = await deno("doc", "--json", face);
    assertEquals(code, 0, text);
    const [module] = Object.values((JSON.parse(stdout) as Documentation).nodes);
    assert(module.module_doc?.doc, "the module itself");
    assert(module.symbols.length > 0);
    const lacking = module.symbols.filter(({ declarations }) =>
      !declarations.some(({ jsDoc }) => jsDoc?.doc) ||
      declarations.some(({ kind }) => kind === "function" || kind === "class") &&
        !declarations.some(hasExample)
    );
    assertEquals(lacking.map(({ name }) => name), []);
    // A reader has the package, not this checkout.
    const relative = module.symbols.filter(({ declarations }) =>
      declarations.some(({ jsDoc }) =>
        jsDoc?.tags?.some(({ doc }) => /from "\.\.?\//.test(doc ?? ""))
      )
    );
    assertEquals(relative.map(({ name }) => name), []);
  });
}

Deno.test("everything that the faces show is public and explained", async () => {
  // A type of one face may show in another.
  const portable = faces.filter((path) => path.startsWith("./lib/"));
  for (const together of [faces, ["tools/dist/mod.ts", ...portable]]) {
    const { code, text } = await deno("doc", "--lint", ...together);
    assertEquals(code, 0, text);
  }
});

/** The modules below a folder, but for the prebuilt libraries. */
function modulesIn(folder: string): string[] {
  return [...Deno.readDirSync(root + folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return name === "prebuilt" ? [] : modulesIn(path);
    return name.endsWith(".ts") ? [path] : [];
  });
}

/** Type-checks the examples in files, and a wrong one, which alone must be found: what was checked before
 * is not mentioned. */
async function checkExamples(name: string, files: string[], config?: unknown): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    if (config !== undefined) {
      await Deno.writeTextFile(`${directory}/deno.json`, JSON.stringify(config));
    }
    const wrong = `import { nothing } from "${name}";\nconsole.log(nothing);`;
    await Deno.writeTextFile(`${directory}/wrong.md`, `\`\`\`ts\n${wrong}\n\`\`\`\n`);
    const configured = `${config === undefined ? root : `${directory}/`}deno.json`;
    const args = ["--config", configured, `${directory}/wrong.md`, ...files];
    const { text } = await deno("check", "--doc-only", ...args);
    const errors = [...text.matchAll(/^TS\d+ \[ERROR\].*/gm)].map(String);
    assertEquals(errors.length, 1, text);
    assertStringIncludes(errors[0], "no exported member");
    assertStringIncludes(errors[0], "'nothing'");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("the examples compile, in modules and in README.md", async () => {
  const modules = ["lib", "ffi", "repl"].flatMap(modulesIn);
  await checkExamples(project.name, ["mod.ts", "README.md", ...modules]);
});

Deno.test("the portable package's examples compile, by its name at npm", async () => {
  const imports = { ...project.imports, [project.name]: `file://${root}tools/dist/mod.ts` };
  const files = ["tools/dist/mod.ts", "tools/dist/README.md"];
  await checkExamples(project.name, files, { imports, nodeModulesDir: "none" });
});
