/** Checks and tests this project with the real JSR packages in place of the stand-ins, from
 * checkouts of their sources:
 *
 *     deno run -A tests/tools/links/real.ts STD_CHECKOUT CLIFFY_CHECKOUT [tests…]
 *
 * Works in a copy: the checkout's own `deno.json` and `deno.lock` stay as they are.
 */

/** The packages, and what they import in turn. */
const packages = {
  std: ["assert", "fmt", "internal", "text"],
  cliffy: ["command", "flags", "internal", "table"],
};

/** Runs deno, to be seen; whether it succeeded. */
async function deno(directory: string, ...args: string[]): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), { args, cwd: directory }).spawn();
  return (await child.status).success;
}

/** The paths of the files that git knows. */
async function trackedFiles(root: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", "-z"], cwd: root })
    .output();
  return new TextDecoder().decode(stdout).split("\0").filter((path) => path !== "");
}

async function main([std, cliffy, ...tests]: string[]): Promise<number> {
  if (cliffy === undefined) {
    console.error("usage: real.ts STD_CHECKOUT CLIFFY_CHECKOUT [tests…]");
    return 2;
  }
  const root = new URL("../../../", import.meta.url).pathname;
  const copy = await Deno.makeTempDir();
  // Some tests look at processes as another user, who must be able to get here.
  await Deno.chmod(copy, 0o755);
  try {
    for (const path of await trackedFiles(root)) {
      // Without the stand-ins, nothing can fall back on them.
      if (path === "deno.lock" || path.startsWith("tools/links/")) continue;
      await Deno.mkdir(`${copy}/${path}`.replace(/[^/]*$/, ""), { recursive: true });
      await Deno.copyFile(`${root}${path}`, `${copy}/${path}`);
    }
    const manifest = JSON.parse(await Deno.readTextFile(`${copy}/deno.json`));
    manifest.links = Object.entries({ [std]: packages.std, [cliffy]: packages.cliffy })
      .flatMap(([checkout, names]) =>
        names.map((name) => `${Deno.realPathSync(checkout)}/${name}`)
      );
    await Deno.writeTextFile(`${copy}/deno.json`, JSON.stringify(manifest));
    for (const link of manifest.links) {
      const { name, version } = JSON.parse(await Deno.readTextFile(`${link}/deno.json`));
      console.log(`${name} ${version}`);
    }
    const wanted = tests.length > 0 ? tests : ["tests"];
    const passed = await deno(copy, "check", "repl/main.ts", ...wanted) &&
      await deno(copy, "test", "-A", "--ignore=tests/oracle", ...wanted);
    return passed ? 0 : 1;
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
