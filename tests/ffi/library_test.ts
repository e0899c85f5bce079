import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { isRoot, onLinux } from "../machine.ts";
import { cacheDirectory, type FolderSystem, stateDirectory } from "../../ffi/user_folders.ts";

const library = new URL("../../ffi/library.ts", import.meta.url).href;
const kernel = new URL("../../ffi/mod.ts", import.meta.url).href;

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script in a process of its own, with `cache` as the user's cache directory. */
async function run(
  script: string,
  cache: string,
  { flags = ["-A"], env = {} }: { flags?: string[]; env?: Record<string, string> } = {},
): Promise<Result> {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, script);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--quiet", "--config", config, ...flags, file],
      env: { HOME: cache, XDG_CACHE_HOME: cache, DENO_DIR: await denoDir(), ...env },
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    return { code, stdout: text.decode(stdout).trim(), stderr: text.decode(stderr) };
  } finally {
    await Deno.remove(file);
  }
}

/** Deno's own cache stays where it is, though HOME does not. */
async function denoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

const show = `import { libraryPath } from ${JSON.stringify(library)}; console.log(libraryPath());`;

const open = `import { openKernel } from ${JSON.stringify(kernel)};
console.log(openKernel().taskSelf() > 0);`;

/** A directory that is the user's cache for the length of a test. */
async function withCache(body: (cache: string) => Promise<void>): Promise<void> {
  const cache = await Deno.makeTempDir();
  try {
    await body(cache);
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
}

/** Where the library's directory is, below the user's cache. */
const below = Deno.build.os === "darwin" ? "Library/Caches/machpause" : "machpause";

async function makeCache(cache: string, mode: number): Promise<string> {
  const directory = `${cache}/${below}`;
  await Deno.mkdir(directory, { recursive: true });
  await Deno.chmod(directory, mode);
  return directory;
}

Deno.test("the library is written to the cache once, for the user alone", async () => {
  await withCache(async (cache) => {
    const first = await run(show, cache);
    assertEquals(first.stderr, "");
    assert(first.stdout.startsWith(`${cache}/${below}/`), first.stdout);
    assertMatch(first.stdout, /\/[0-9a-f]{16}\/libmachpause\.(so|dylib)$/);
    assertEquals((await Deno.stat(`${cache}/${below}`)).mode! & 0o777, 0o700);
    const { ino, mode } = await Deno.stat(first.stdout);
    assertEquals(mode! & 0o077, 0);
    const second = await run(show, cache);
    assertEquals(second.stdout, first.stdout);
    assertEquals((await Deno.stat(first.stdout)).ino, ino, "the same file");
    assertEquals([...Deno.readDirSync(`${cache}/${below}`)].length, 1);
    assertEquals((await run(open, cache)).stdout, "true");
  });
});

Deno.test("a library that was changed is replaced, not loaded", async () => {
  await withCache(async (cache) => {
    const path = (await run(show, cache)).stdout;
    const right = await Deno.readFile(path);
    const wrong = right.slice();
    wrong[wrong.length >> 1] ^= 1;
    await Deno.writeFile(path, wrong);
    const { code, stderr } = await run(open, cache);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "was damaged, and has been removed");
    for (const bytes of [right.subarray(0, 100), new Uint8Array(0)]) {
      await Deno.writeFile(path, bytes);
      assertEquals((await run(show, cache)).stdout, path);
      assertEquals(await Deno.readFile(path), right);
    }
    // A link is replaced by the file, and what it led to is left alone.
    const elsewhere = `${cache}/elsewhere`;
    await Deno.rename(path, elsewhere);
    await Deno.symlink(elsewhere, path);
    assertEquals((await run(show, cache)).stdout, path);
    assert((await Deno.lstat(path)).isFile);
  });
});

Deno.test("several processes may write the library at once", async () => {
  await withCache(async (cache) => {
    const results = await Promise.all([1, 2, 3, 4].map(() => run(open, cache)));
    for (const { stdout, stderr } of results) assertEquals([stdout, stderr], ["true", ""]);
    assertEquals([...Deno.readDirSync(`${cache}/${below}`)].length, 1);
  });
});

Deno.test("a cache directory that others can write to is refused", async () => {
  await withCache(async (cache) => {
    await makeCache(cache, 0o770);
    const { code, stderr } = await run(show, cache);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "can be written by other users");
  });
});

Deno.test("a cache directory that is a link is refused", async () => {
  await withCache(async (cache) => {
    const directory = await makeCache(cache, 0o700);
    await Deno.rename(directory, `${cache}/elsewhere`);
    await Deno.symlink(`${cache}/elsewhere`, directory);
    const { code, stderr } = await run(show, cache);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "is a symbolic link");
  });
});

Deno.test({
  name: "a cache directory of another user's is refused",
  ignore: Deno.uid() !== 0,
  fn: () =>
    withCache(async (cache) => {
      await Deno.chown(await makeCache(cache, 0o700), 65534, 65534);
      const { code, stderr } = await run(show, cache);
      assertEquals(code, 1);
      assertStringIncludes(stderr, "belongs to another user");
    }),
});

Deno.test("a worker gets the messages that were sent before it was ready", async () => {
  await withCache(async (cache) => {
    await run(show, cache);
    const worker = `import ${JSON.stringify(kernel)};
onmessage = ({ data }) => postMessage(data);`;
    const script = `const worker = new Worker(
  URL.createObjectURL(new Blob([${JSON.stringify(worker)}], { type: "text/typescript" })),
  { type: "module" },
);
worker.onmessage = ({ data }) => {
  console.log(data);
  Deno.exit(0);
};
worker.postMessage("here");
setTimeout(() => Deno.exit(1), 10_000);`;
    assertEquals((await run(script, cache)).stdout, "here");
  });
});

Deno.test("missing permissions are reported, with the flags that grant them", async () => {
  await withCache(async (cache) => {
    const flags = ["--allow-ffi", "--allow-read", "--allow-write", "--allow-env"];
    flags.push("--allow-sys=uid");
    assertEquals((await run(open, cache, { flags })).stdout, "true");
    for (let without = 0; without < flags.length; without++) {
      // A written library is not written again.
      if (flags[without] === "--allow-write") continue;
      const { code, stderr } = await run(open, cache, { flags: flags.toSpliced(without, 1) });
      assertEquals(code, 1, flags[without]);
      assertStringIncludes(stderr, "NotCapable: a live process is reached through");
      assertStringIncludes(stderr, "run deno with --allow-ffi");
    }
  });
});

Deno.test("without --allow-sys, each command names the flags, and doctor shows the rest", async () => {
  const flags = ["--allow-ffi", "--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  const program = new URL("../../repl/main.ts", import.meta.url).pathname;
  const machpause = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", ...flags, program, ...args],
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
  };
  for (const command of [["bt", "1"], ["demo"], ["launch", "/bin/true"], ["stackshot"], ["self"]]) {
    const { code, stderr } = await machpause(...command);
    assertEquals(code, 1, command[0]);
    assertMatch(stderr, /^machpause: .*run deno with --allow-ffi .* --allow-sys=uid \(or -A\)\n$/);
  }
  const { stdout, stderr } = await machpause("doctor");
  assertEquals(stderr, "");
  assertMatch(stdout, /\bDeno\b[^\n]*\d+\.\d+/);
  assertStringIncludes(stdout, "--allow-sys=uid");
});

Deno.test("MACHPAUSE_LIBRARY names another library", async () => {
  await withCache(async (cache) => {
    const env = { MACHPAUSE_LIBRARY: "/nowhere/libmachpause.so" };
    assertEquals((await run(show, cache, { env })).stdout, env.MACHPAUSE_LIBRARY);
    assertEquals([...Deno.readDirSync(cache)].length, 0);
  });
});

Deno.test({
  name: "the loaders are written to the cache, to be run",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withCache(async (cache) => {
      const script = `import { loaderPath } from ${JSON.stringify(library)};
for (const arch of ["x86_64", "i386", "arm64", "armv7"]) console.log(await loaderPath(arch));`;
      const { stdout, stderr } = await run(script, cache);
      assertEquals(stderr, "");
      for (const path of stdout.split("\n")) {
        assert(path.startsWith(`${cache}/${below}/`), path);
        assertEquals((await Deno.stat(path)).mode! & 0o777, 0o700);
      }
    }),
});

/** Where a user's cache is, with the owners of some paths. */
function place(
  { home = "/Users/me", caches, ...given }: Partial<FolderSystem> & {
    home?: string;
    caches?: string;
  },
  owners: Readonly<Record<string, number>> = {},
): string {
  const variables: Record<string, string | undefined> = { HOME: home, XDG_CACHE_HOME: caches };
  return cacheDirectory({
    os: "darwin",
    user: 501,
    variable: (name) => variables[name],
    ownerOf: (path) =>
      ({ "/Users/me": 501, "/home/me": 1000, "/root": 0, "/tmp": 0, ...owners })[path],
    ...given,
  });
}

Deno.test("root's cache is its own, whatever sudo leaves HOME at", () => {
  assertEquals(place({}), "/Users/me/Library/Caches/machpause");
  assertEquals(place({ user: 0 }), "/var/root/Library/Caches/machpause");
  // A root shell, and one that has a home of its own.
  const roots = { "/var/root": 0, "/Users/me/Library/Caches": 501 };
  assertEquals(place({ user: 0, home: "/var/root" }, roots), "/var/root/Library/Caches/machpause");
  assertEquals(place({ user: 0, home: "/tmp/x" }), "/tmp/x/Library/Caches/machpause");
  assertEquals(place({ user: 0, home: "" }), "/var/root/Library/Caches/machpause");

  const linux = { os: "linux", home: "/home/me" };
  assertEquals(place(linux), "/home/me/.cache/machpause");
  assertEquals(place({ ...linux, caches: "/home/me/caches" }), "/home/me/caches/machpause");
  assertEquals(place({ ...linux, caches: "relative" }), "/home/me/.cache/machpause");
  assertEquals(place({ ...linux, user: 0 }), "/root/.cache/machpause");
  assertEquals(place({ ...linux, user: 0, caches: "/home/me/caches" }), "/root/.cache/machpause");
  assertEquals(place({ ...linux, user: 0, caches: "/tmp/c" }), "/tmp/c/machpause");
  assertThrows(() => place({ home: "" }), Error, "HOME is not set");

  // The prompt's history, which would otherwise be root's in the user's home after sudo.
  const state = (user: number, home: string) =>
    stateDirectory({
      os: "darwin",
      user,
      variable: (name) => name === "HOME" ? home : undefined,
      ownerOf: (path) => path === "/Users/me" ? 501 : undefined,
    });
  assertEquals(state(501, "/Users/me"), "/Users/me/.local/state/machpause");
  assertEquals(state(0, "/Users/me"), "/var/root/.local/state/machpause");
  assertEquals(state(501, ""), undefined);
});

Deno.test({
  name: "under sudo with the user's HOME nothing of root's is left there, in either order of runs",
  ignore: !onLinux || !isRoot,
  async fn() {
    const user = 65534;
    await withCache(async (home) => {
      await Deno.chown(home, user, user);
      const env = { XDG_CACHE_HOME: "" };
      const root = await run(show, home, { env });
      assertEquals(root.stderr, "");
      assert(root.stdout.startsWith("/root/.cache/machpause/"), root.stdout);
      assertEquals([...Deno.readDirSync(home)], []);
      // And after the user has been there.
      await Deno.mkdir(`${home}/.cache/machpause`, { recursive: true, mode: 0o700 });
      for (const path of [`${home}/.cache`, `${home}/.cache/machpause`]) {
        await Deno.chown(path, user, user);
      }
      assertEquals((await run(show, home, { env })).stdout, root.stdout);
      assertEquals([...Deno.readDirSync(`${home}/.cache/machpause`)], []);
    });
  },
});
