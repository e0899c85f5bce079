/** Files that are no files: FIFOs, devices, and what is too large. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { InputError, readInput, readPlainFile } from "../../repl/input.ts";

const encoder = new TextEncoder();

/** A folder with a file of 10 bytes, a FIFO and a sparse file of 1 TB. */
async function folder(): Promise<{ path: string; [Symbol.dispose](): void }> {
  const path = await Deno.makeTempDir();
  await Deno.writeTextFile(`${path}/file`, "0123456789");
  const { success } = await new Deno.Command("mkfifo", { args: [`${path}/fifo`] }).output();
  assertEquals(success, true);
  await Deno.writeTextFile(`${path}/huge`, "");
  await Deno.truncate(`${path}/huge`, 2 ** 40);
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

Deno.test("only plain files of a limited size are read at once", async () => {
  using dir = await folder();
  assertEquals(readPlainFile(`${dir.path}/file`, 10), encoder.encode("0123456789"));
  assertThrows(() => readPlainFile(`${dir.path}/file`, 9), InputError, "is too large");
  assertThrows(() => readPlainFile(`${dir.path}/huge`, 64 << 20), InputError, "at most 64 MiB");
  assertThrows(() => readPlainFile(`${dir.path}/fifo`, 9), InputError, "is not a plain file");
  assertThrows(() => readPlainFile("/dev/zero", 9), InputError, "is not a plain file");
  assertThrows(() => readPlainFile(dir.path, 9), InputError, "is a folder");
  assertThrows(() => readPlainFile(`${dir.path}/none`, 9), Deno.errors.NotFound);
});

Deno.test("a FIFO is read to its end, and what does not end up to the limit", async () => {
  using dir = await folder();
  assertEquals(await readInput(`${dir.path}/file`, 10), encoder.encode("0123456789"));
  const reading = readInput(`${dir.path}/fifo`, 10);
  await Deno.writeTextFile(`${dir.path}/fifo`, "abc");
  assertEquals(await reading, encoder.encode("abc"));
  await assertRejects(() => readInput("/dev/zero", 1 << 20), InputError, "is too large");
});

const main = new URL("../../repl/main.ts", import.meta.url).pathname;

Deno.test("commands refuse what is no file, and go on", async () => {
  using dir = await folder();
  const report = new URL("../fixtures/reports/ios104.crash", import.meta.url).pathname;
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", main, ...args],
      signal: AbortSignal.timeout(60_000),
    }).output();
    const decoder = new TextDecoder();
    return { code, out: decoder.decode(stdout), errors: decoder.decode(stderr) };
  };
  const crash = await run("crash", `${dir.path}/huge`, report);
  assertEquals(crash.code, 1);
  assertEquals(crash.errors.includes("is too large"), true, crash.errors);
  assertEquals(crash.out.includes("What happened"), true);
  const group = await run("crash", "--group", `${dir.path}/fifo`, report);
  assertEquals(group.errors.includes("is not a plain file"), true, group.errors);
  const object = await run("symbolicate", "-o", `${dir.path}/fifo`, "0x1000");
  assertEquals(object.code, 1);
  assertEquals(object.errors.includes("is not a plain file"), true, object.errors);
});
