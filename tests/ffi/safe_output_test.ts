/** Output destroys nothing that it finds, and leaves nothing unfinished. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { files } from "../../ffi/mod.ts";
import { delay } from "./program.ts";

const root = new URL("../../", import.meta.url).pathname;
const isRoot = Deno.build.os === "linux" && Deno.uid() === 0;

function test(what: string, body: (folder: string) => Promise<void> | void, ignore = false): void {
  Deno.test({
    name: `output: ${what}`,
    ignore,
    fn: async () => {
      const folder = await Deno.makeTempDir();
      try {
        await body(folder);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

function run(program: string, ...args: string[]): void {
  const { success, stderr } = new Deno.Command(program, { args }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

function write(path: string, text: string): void {
  using sink = files.create(path);
  sink.write(new TextEncoder().encode(text));
  sink.commit();
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

/** A program that begins a file of a megabyte in a folder, says so, and waits. */
const writer = `
  import { files } from ${JSON.stringify(new URL("../../ffi/files.ts", import.meta.url))};
  const sink = files.create(Deno.args[0]);
  sink.write(new Uint8Array(1 << 20));
  console.log("begun");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  sink.commit();
`;

async function begin(folder: string, ...flags: string[]): Promise<Deno.ChildProcess> {
  const script = `${await Deno.makeTempDir()}/writer.ts`;
  await Deno.writeTextFile(script, writer);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-lock", "--no-prompt", "--allow-read", "--allow-write"]
      .concat("--allow-env", "--allow-sys", flags, script, `${folder}/big`),
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assertEquals(new TextDecoder().decode(value), "begun\n");
  await reader.cancel();
  return child;
}

test("a character device is written to, and stays one", (folder) => {
  const device = `${folder}/null`;
  run("mknod", device, "c", "1", "3");
  write(device, "text");
  assert(Deno.lstatSync(device).isCharDevice);
  assertEquals(names(folder), ["null"]);
}, !isRoot);

test("a block device is refused", (folder) => {
  const device = `${folder}/disk`;
  run("mknod", device, "b", "7", "200");
  assertThrows(() => files.create(device), Error, "is a block device");
  assert(Deno.lstatSync(device).isBlockDevice);
}, !isRoot);

test("a link stays, and the file it leads to is replaced whole", (folder) => {
  Deno.mkdirSync(`${folder}/elsewhere`);
  Deno.writeTextFileSync(`${folder}/elsewhere/file`, "old");
  Deno.symlinkSync("elsewhere/file", `${folder}/link`);
  Deno.symlinkSync("link", `${folder}/again`);
  {
    using sink = files.create(`${folder}/again`);
    sink.write(new TextEncoder().encode("new"));
    assertEquals(Deno.readTextFileSync(`${folder}/link`), "old");
    sink.commit();
  }
  assertEquals(Deno.readTextFileSync(`${folder}/elsewhere/file`), "new");
  assertEquals(Deno.readLinkSync(`${folder}/link`), "elsewhere/file");
  assertEquals(Deno.readLinkSync(`${folder}/again`), "link");
  // One that leads nowhere yet.
  Deno.symlinkSync("elsewhere/made", `${folder}/dangling`);
  write(`${folder}/dangling`, "made");
  assertEquals(Deno.readTextFileSync(`${folder}/elsewhere/made`), "made");
  assert(Deno.lstatSync(`${folder}/dangling`).isSymlink);
  Deno.symlinkSync("round", `${folder}/round`);
  assertThrows(() => files.create(`${folder}/round`));
});

test("what takes the name of a file that is being written stays", (folder) => {
  using sink = files.create(`${folder}/file`);
  sink.write(new Uint8Array(10));
  Deno.mkdirSync(`${folder}/elsewhere`);
  Deno.symlinkSync("elsewhere", `${folder}/file`);
  assertThrows(() => sink.commit(), Error, "has become a link");
  assertEquals(names(folder), ["elsewhere", "file"]);
});

test("a FIFO gets the bytes, and one that nobody reads from is not waited for", async (folder) => {
  const fifo = `${folder}/fifo`;
  run("mkfifo", fifo);
  assertThrows(() => files.create(fifo), Error, "nobody reads from");
  const reader = new Deno.Command("sh", { args: ["-c", 'cat "$0" >"$0.read"', fifo] }).spawn();
  for (let tries = 0;; tries++) {
    try {
      write(fifo, "text".repeat(50_000));
      break;
    } catch (error) {
      if (tries === 500) throw error;
      await delay(10);
    }
  }
  assert((await reader.status).success);
  assert(Deno.readTextFileSync(`${fifo}.read`) === "text".repeat(50_000));
  assertEquals(names(folder), ["fifo", "fifo.read"]);
});

test("a folder is not replaced", (folder) => {
  const error = assertThrows(() => files.create(folder), Error, "is a folder");
  assertEquals((error as Error & { code: string }).code, "EISDIR");
});

test("nothing is left of what a killed process was writing", async (folder) => {
  const child = await begin(folder, "--allow-ffi");
  assertEquals(names(folder), []);
  child.kill("SIGKILL");
  await child.status;
  assertEquals(names(folder), []);
}, Deno.build.os !== "linux");

test("an unfinished file says whose it is, and goes with the next that is written there", async (folder) => {
  // Without FFI there is no linkat().
  const child = await begin(folder);
  const [partial] = names(folder);
  assert(new RegExp(`^big\\.${child.pid}\\.[0-9a-f]{8}\\.partial$`).test(partial), partial);
  // That of a process that lives stays, however old it is.
  const old = new Date(Date.now() - 3_600_000);
  Deno.utimeSync(`${folder}/${partial}`, old, old);
  const next = async () => {
    const other = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-lock"].concat(`
        import { files } from ${JSON.stringify(new URL("../../ffi/files.ts", import.meta.url))};
        using sink = files.create(${JSON.stringify(`${folder}/small`)});
        sink.commit();
      `),
    });
    assert((await other.output()).success);
  };
  await next();
  assertEquals(names(folder), [partial, "small"]);
  child.kill("SIGKILL");
  await child.status;
  // Not ours, though it is called nearly so.
  await Deno.writeTextFile(`${folder}/mine.partial`, "");
  await next();
  assertEquals(names(folder), ["mine.partial", "small"]);
});

test("a disk that is full: the reason, and nothing is left", async (folder) => {
  run("mount", "-t", "tmpfs", "-o", "size=256k", "none", folder);
  try {
    const report = `${root}tests/fixtures/reports`;
    const large = await Deno.makeTempFile({ suffix: ".crash" });
    const text = await Deno.readTextFile(await firstReport(report));
    await Deno.writeTextFile(large, text + "\n".repeat(400_000));
    for (const flags of [["--allow-ffi"], []]) {
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-prompt", "--allow-sys", "--allow-read", "--allow-write", "--allow-env"]
          .concat(flags, `${root}repl/main.ts`, "crash", large, "--out", `${folder}/out.crash`),
        env: { NO_COLOR: "1" },
      }).output();
      assertEquals(code, 1);
      assertStringIncludes(new TextDecoder().decode(stderr), "the disk is full");
      assertEquals(names(folder), []);
    }
    await Deno.remove(large);
  } finally {
    run("umount", folder);
  }
}, !isRoot);

async function firstReport(folder: string): Promise<string> {
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".crash")) return `${folder}/${name}`;
  }
  throw new Error(`${folder} has no report`);
}
