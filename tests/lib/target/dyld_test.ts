import { assert, assertEquals } from "@std/assert";
import {
  type DyldInfo,
  Memory,
  readImageInfosHead,
  readImageList,
} from "../../../lib/target/mod.ts";

const at = 0x1000;

/** A `dyld_all_image_infos` laid out by hand from <mach-o/dyld_images.h>, with two images. */
function infos(is64: boolean): { bytes: Uint8Array; view: DataView; info: DyldInfo } {
  const bytes = new Uint8Array(1024);
  const view = new DataView(bytes.buffer);
  const pointer = (offset: number, value: number) =>
    is64 ? view.setBigUint64(offset, BigInt(value), true) : view.setUint32(offset, value, true);
  const size = is64 ? 8 : 4;
  view.setUint32(0, 15, true); // version
  view.setUint32(4, 2, true); // infoArrayCount
  pointer(8, at + 512); // infoArray
  view.setUint8(is64 ? 25 : 17, 1); // libSystemInitialized
  pointer(is64 ? 32 : 20, 0x9000); // dyldImageLoadAddress
  view.setBigUint64(is64 ? 184 : 104, 77n, true); // infoArrayChangeTimestamp
  pointer(is64 ? 192 : 112, at + 640); // dyldPath
  pointer(512, 0x4000);
  pointer(512 + size, at + 768);
  pointer(512 + 3 * size, 0x6000);
  pointer(512 + 4 * size, at + 800);
  bytes.set(new TextEncoder().encode("/usr/lib/dyld\0"), 640);
  bytes.set(new TextEncoder().encode("/program\0"), 768);
  bytes.set(new TextEncoder().encode("/library\0"), 800);
  const info = {
    address: BigInt(at),
    size: BigInt(is64 ? 368 : 200),
    is64,
    cpuType: is64 ? 0x01000007 : 7,
    pid: 1,
  };
  return { bytes, view, info };
}

function memoryOf(bytes: Uint8Array, is64: boolean): Memory {
  return new Memory(
    (address, into) => {
      const start = Number(address) - at;
      if (start < 0 || start >= bytes.length) return 0;
      const part = bytes.subarray(start, start + into.length);
      into.set(part);
      return part.length;
    },
    is64 ? 8 : 4,
  );
}

for (const is64 of [true, false]) {
  const bits = is64 ? "64" : "32";

  Deno.test(`${bits}-bit: dyld's list is read, with dyld at its end`, () => {
    const { bytes, info } = infos(is64);
    const memory = memoryOf(bytes, is64);
    const head = readImageInfosHead(memory, info);
    assert(typeof head !== "string");
    assertEquals([head.count, head.infoArray, head.initialized], [2, BigInt(at + 512), true]);
    const warnings: string[] = [];
    assertEquals(readImageList(memory, info, head, (text) => warnings.push(text)), [
      { address: 0x4000n, path: "/program" },
      { address: 0x6000n, path: "/library" },
      { address: 0x9000n, path: "/usr/lib/dyld" },
    ]);
    assertEquals(warnings, []);
  });

  Deno.test(`${bits}-bit: a change of the list changes its key`, () => {
    const { bytes, view, info } = infos(is64);
    const key = () => {
      const head = readImageInfosHead(memoryOf(bytes, is64), info);
      assert(typeof head !== "string");
      return head.key;
    };
    const before = key();
    assertEquals(key(), before);
    view.setBigUint64(is64 ? 184 : 104, 78n, true);
    assert(key() !== before);
  });

  Deno.test(`${bits}-bit: garbage is said to be garbage`, () => {
    const damage: [string, (view: DataView) => void][] = [
      ["version 0", (view) => view.setUint32(0, 0, true)],
      ["version 4294967295", (view) => view.setUint32(0, 0xffffffff, true)],
      ["4294967295 images", (view) => view.setUint32(4, 0xffffffff, true)],
    ];
    for (const [said, damaged] of damage) {
      const { bytes, view, info } = infos(is64);
      damaged(view);
      const head = readImageInfosHead(memoryOf(bytes, is64), info);
      assert(typeof head === "string" && head.includes(said), `${head}`);
    }
    const { bytes, info } = infos(is64);
    const head = readImageInfosHead(memoryOf(bytes, is64), { ...info, address: 0x9999_0000n });
    assertEquals(head, "dyld_all_image_infos at 0x99990000 cannot be read");
  });

  Deno.test(`${bits}-bit: what is damaged in the list costs that part alone`, () => {
    const { bytes, view, info } = infos(is64);
    const size = is64 ? 8 : 4;
    view.setUint32(4, 1000, true); // more entries than the memory has
    bytes.fill(0, 512 + 6 * size, 640);
    bytes.fill(0, 816);
    view.setUint32(512 + size, 0x77777777, true); // the first path is nowhere
    if (is64) view.setUint32(512 + size + 4, 0, true);
    const memory = memoryOf(bytes, is64);
    const head = readImageInfosHead(memory, info);
    assert(typeof head !== "string");
    const warnings: string[] = [];
    const images = readImageList(memory, info, head, (text) => warnings.push(text));
    assertEquals(images[0], { address: 0x4000n, path: "" });
    assertEquals(images[1], { address: 0x6000n, path: "/library" });
    assert(warnings.some((text) => /lists 1000 images, but only \d+ entries/.test(text)));
    assert(warnings.includes("the path of an image, at 0x77777777, cannot be read"));
  });
}
