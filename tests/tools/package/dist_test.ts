/** The portable library, built for Node and for Deno without an import map, and used there. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { openCore } from "../../../mod.ts";
import { buildDist } from "../../../tools/dist.ts";
import { buildCore, coreFile, recordedParts } from "../../lib/target/core_builder.ts";

const fixtures = new URL("../../../examples/demo/", import.meta.url).pathname;

/** Opens a core and symbolicates it. */
function script(library: string, output: string): string {
  return `import { openCore, openImage } from ${JSON.stringify(library)};
const [core, symbols] = ${output};
const target = await openCore(core, { symbols: [symbols] });
const file = openImage(symbols + "/demo");
console.log(JSON.stringify({
  image: file.images.map(({ arch, kind }) => [arch, kind]),
  threads: target.threads.map((thread) => thread.backtrace().map((frame) => String(frame))),
}));
`;
}

async function output(command: string, ...args: string[]): Promise<unknown> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("the npm package and denoify's distribution open a core and symbolicate it", async () => {
  const directory = await Deno.makeTempDir();
  const symbols = `${fixtures}arm64`;
  try {
    await buildDist(`${directory}/dist`);
    using file = await coreFile(buildCore(recordedParts("arm64")));
    using core = await openCore(file.path, { symbols: [symbols] });
    const expected = core.threads.map((thread) => thread.backtrace().map((frame) => `${frame}`));
    assertStringIncludes(expected.flat().join("\\n"), "lock_acquire");

    // As npm would install it.
    const installed = `${directory}/user/node_modules/machpause`;
    await Deno.mkdir(`${directory}/user/node_modules`, { recursive: true });
    await Deno.rename(`${directory}/dist/npm`, installed);
    await Deno.writeTextFile(
      `${directory}/user/main.mjs`,
      script("machpause", "process.argv.slice(2)"),
    );
    await Deno.writeTextFile(
      `${directory}/main.ts`,
      script("./dist/deno/mod.ts", "Deno.args"),
    );
    const arguments_ = [file.path, symbols];
    const ofNode = await output("node", `${directory}/user/main.mjs`, ...arguments_);
    const ofDeno = await output(
      Deno.execPath(),
      "run",
      "--no-config",
      "--allow-read",
      "--check",
      `${directory}/main.ts`,
      ...arguments_,
    );
    for (const answer of [ofNode, ofDeno]) {
      assertEquals((answer as { threads: string[][] }).threads, expected);
      assertEquals((answer as { image: string[][] }).image[0][0], "arm64");
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
