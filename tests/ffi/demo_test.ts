/** The demo that is embedded: for both of the Mac's architectures, signed, with its dSYMs. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { demoPath } from "../../ffi/library.ts";
import { openImage, openSymbolizer } from "../../mod.ts";

const root = new URL("../../", import.meta.url).pathname;
const getTaskAllow = "com.apple.security.get-task-allow";

function hash(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return crypto.subtle.digest("SHA-256", bytes).then((digest) => new Uint8Array(digest).toHex());
}

Deno.test("the embedded demo is signed so that any debugger may attach, on both architectures", async () => {
  const path = await demoPath();
  using file = openImage(path);
  assertEquals(file.images.map(({ arch }) => arch).sort(), ["arm64", "x86_64"]);
  for (const image of file.images) {
    const signature = image.codeSignature()!;
    const [directory] = signature.codeDirectories;
    assertEquals(directory.flagNames, ["adhoc"]);
    assertStringIncludes(signature.entitlements!, `<key>${getTaskAllow}</key>\n\t<true/>`);
    assertEquals(signature.blobs.map(({ slot }) => slot), [0, 2, 5, 7, 0x10000]);

    // osfmk/kern/cs_blobs.h: the hash of a blob is in the special slot of its number.
    const bytes = (await Deno.readFile(path)).subarray(image.offset);
    const { offset } = image.loadCommands.map(({ name, fields }) => ({
      offset: name === "LC_CODE_SIGNATURE" ? Number(fields.dataoff) : -1,
    })).find(({ offset }) => offset >= 0)!;
    const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
    const hashes = new DataView(directory.bytes.buffer, directory.bytes.byteOffset).getUint32(16);
    let at = 12 + 8 * signature.blobs.length;
    for (const { slot, size } of signature.blobs) {
      const blob = bytes.slice(offset + at, offset + at + size);
      at += size;
      if (slot === 0 || slot === 0x10000) continue;
      const place = hashes - 32 * slot;
      assertEquals(
        directory.bytes.subarray(place, place + 32).toHex(),
        await hash(blob),
        `${slot}`,
      );
      // 70 len 02 01 01 b0 len 30 len 0c len name 01 01 ff
      if (slot === 7) {
        const name = new TextEncoder().encode(getTaskAllow);
        const der = [0x70, name.length + 12, 0x02, 1, 1, 0xb0, name.length + 7];
        assertEquals([...blob.subarray(8, 15)], der);
        assertEquals([...blob.subarray(15, 19)], [0x30, name.length + 5, 0x0c, name.length]);
        assertEquals(blob.subarray(19, 19 + name.length), name);
        assertEquals([...blob.subarray(19 + name.length)], [0x01, 1, 0xff]);
      }
    }
    // execSegLimit, and execSegFlags: a program, whose code a debugger may change.
    const text = image.segments.find(({ name }) => name === "__TEXT")!;
    const words = new DataView(directory.bytes.buffer, directory.bytes.byteOffset);
    assertEquals(words.getBigUint64(72), BigInt(text.fileSize));
    assertEquals(words.getBigUint64(80), 0x11n);
    assertEquals(directory.codeLimit, offset);
    assert(view.getUint32(4) <= bytes.length - offset);
  }
});

Deno.test("the embedded demo's dSYMs have its UUIDs and tell files and lines", async () => {
  const path = await demoPath();
  const directory = path.slice(0, path.lastIndexOf("/"));
  for (const name of ["demo", "libworkers.dylib", "deadlock"]) {
    using file = openImage(`${directory}/${name}`);
    using dsym = openImage(`${directory}/${name}.dSYM/Contents/Resources/DWARF/${name}`);
    const uuids = (images: typeof file.images) => images.map(({ image }) => image.uuid).sort();
    assertEquals(uuids(file.images), uuids(dsym.images));
    for (const image of file.images) {
      // The very code that the fixtures hold, which the recordings were made of.
      using committed = openImage(`${root}examples/demo/${image.arch}/${name}`);
      assertEquals(image.image.uuid, committed.images[0].image.uuid);
    }
  }
  for (const arch of ["arm64", "x86_64"]) {
    using symbolizer = openSymbolizer([{ path, arch }]);
    using image = openImage(path, { arch });
    const main = image.images[0].image.findSymbols("main")[0];
    const [frame] = symbolizer.resolve(main.address + 4n).frames;
    assertEquals(frame.function, "main");
    const { file, line } = frame.location!;
    assertMatch(`${file}:${line}`, /demo\.c:1(0\d|1[0-7])$/);
  }
});

Deno.test("a damaged file of the demo is written again", async () => {
  const path = await demoPath();
  const whole = await Deno.readFile(path);
  await Deno.writeFile(path, whole.subarray(0, 1000));
  assertEquals(await demoPath(), path);
  assertEquals(await Deno.readFile(path), whole);
});
