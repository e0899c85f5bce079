/** Publishes to JSR, from a copy:
 *
 *     deno run -A tools/publish.ts [--dry-run] [more of `deno publish`]
 *
 * The checkout's `deno.json` links packages to the stand-ins in `tools/links/`. Inside the published folder
 * those would be published, and imported; beside it, as here, they only check the types.
 */
import project from "../deno.json" with { type: "json" };

const root = new URL("../", import.meta.url).pathname;

/** What goes into the copy: files and whole folders. */
const parts = [...new Set(project.publish.include.map((path) => path.split("/")[0]))];

/** Makes the copy in `directory`; returns the folder to publish. */
export async function stagePublish(directory: string): Promise<string> {
  const folder = `${directory}/machpause`;
  await Deno.mkdir(folder);
  const copy = async (from: string[], to: string) => {
    const { success } = await new Deno.Command("cp", { args: ["-R", ...from, to], cwd: root })
      .output();
    if (!success) throw new Error(`could not copy ${from.join(" ")}`);
  };
  await copy(parts, folder);
  await copy(["tools/links"], directory);
  const manifest = JSON.parse(await Deno.readTextFile(`${folder}/deno.json`));
  manifest.links = manifest.links.map((link: string) =>
    link.replace("./tools/links/", "../links/")
  );
  await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(manifest, null, 2));
  return folder;
}

if (import.meta.main) {
  const directory = await Deno.makeTempDir({ prefix: "machpause-publish-" });
  try {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["publish", ...Deno.args],
      cwd: await stagePublish(directory),
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn().status;
    Deno.exitCode = code;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
