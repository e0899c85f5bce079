import { assertEquals, assertThrows } from "@std/assert";
import { files } from "../../ffi/mod.ts";
import { FileError } from "../../lib/errors.ts";
import { files as nodeFiles } from "../../tools/dist/files.ts";

Deno.test("files: holes are zero, reads end where the file does, and nothing half stays", () => {
  const directory = Deno.makeTempDirSync();
  try {
    const path = `${directory}/file`;
    {
      using sink = files.create(path);
      sink.write(new Uint8Array([1, 2, 3]));
      sink.skip(10_000);
      sink.write(new Uint8Array([4]));
      sink.skip(6);
      assertEquals(sink.length, 10_010);
      assertThrows(() => Deno.statSync(path), Deno.errors.NotFound);
      sink.commit();
    }
    using file = files.open(path);
    assertEquals([file.name, file.size], [path, 10_010]);
    for (const { open } of [files, nodeFiles]) {
      const closed = open(path);
      closed[Symbol.dispose]();
      // It may have the number of the descriptor that was closed.
      using other = open(path);
      closed[Symbol.dispose]();
      assertThrows(() => closed.read(0, 1), TypeError, "was closed");
      assertEquals(other.read(0, 1), new Uint8Array([1]));
    }
    assertEquals(file.read(1, 4), new Uint8Array([2, 3, 0, 0]));
    assertEquals(file.read(10_002, 100), new Uint8Array([0, 4, 0, 0, 0, 0, 0, 0]));
    assertEquals(file.read(10_010, 1).length, 0);
    assertEquals(file.read(2 ** 40, 1).length, 0);
    {
      using sink = files.create(`${directory}/given up`);
      sink.write(new Uint8Array(5));
    }
    assertEquals([...files.walk(directory)], [path]);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("files: what is no plain file is not opened, and not waited for", () => {
  const directory = Deno.makeTempDirSync();
  try {
    new Deno.Command("mkfifo", { args: [`${directory}/pipe`] }).outputSync();
    const reasons = [
      ["pipe", "special", "is not a plain file"],
      ["", "folder", "is a folder, not a plain file"],
      ["nosuch", "missing", "there is no file"],
      ["pipe/inside", "missing", "there is no file"],
    ];
    for (const { open } of [files, nodeFiles]) {
      for (const [name, reason, text] of reasons) {
        const path = `${directory}/${name}`;
        const error = assertThrows(() => open(path), FileError, text);
        assertEquals([error.path, error.reason], [path, reason]);
      }
    }
    assertEquals([...files.walk(`${directory}/nosuch`)], []);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("files: links to files and to dSYMs are followed, those to other folders and to nothing are not", () => {
  const directory = Deno.makeTempDirSync();
  try {
    const [shown, elsewhere] = [`${directory}/shown`, `${directory}/elsewhere`];
    Deno.mkdirSync(shown);
    Deno.mkdirSync(`${elsewhere}/a.dSYM`, { recursive: true });
    Deno.writeTextFileSync(`${elsewhere}/a.dSYM/dwarf`, "");
    Deno.symlinkSync(`${elsewhere}/a.dSYM`, `${shown}/a.dSYM`);
    Deno.symlinkSync(`${elsewhere}/a.dSYM/dwarf`, `${shown}/b`);
    Deno.symlinkSync(elsewhere, `${shown}/c`);
    Deno.symlinkSync(shown, `${shown}/d`);
    Deno.symlinkSync(`${directory}/nosuch`, `${shown}/e.dSYM`);
    assertEquals([...files.walk(shown)], [`${shown}/a.dSYM/dwarf`, `${shown}/b`]);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
