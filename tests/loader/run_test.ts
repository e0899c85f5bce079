/** The demo under the loader: it runs, and debuggers are told of its images as dyld tells them. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { builds, fixtures, readImage, run, start, until } from "./loader.ts";

const linux = Deno.build.os === "linux" && Deno.build.arch === "x86_64";
const threads = ["demo", "demo.deep", "demo.leaf", "demo.lock", "demo.queue", "demo.relay"];

for (const build of builds) {
  const path = `${fixtures}${build}/demo`;

  Deno.test({
    name: `${build}: images are published as dyld publishes them`,
    ignore: !linux,
    async fn() {
      await using demo = await start(build, path, ["one", "two"]);
      const infos = await until(() => {
        const published = demo.published();
        return published?.libSystemInitialized && published;
      });
      assert(infos.version >= 15);
      assertEquals(infos.ownAddress, infos.address);
      assertEquals(infos.dyldImageLoadAddress, 0n);
      const paths = ["demo", "libworkers.dylib"].map((name) => `${fixtures}${build}/${name}`);
      assertEquals(infos.images.map((image) => image.path), paths);
      for (const [i, { loadAddress, modificationTime }] of infos.images.entries()) {
        const magic = build === "i386" ? 0xfeedface : 0xfeedfacf;
        assertEquals(demo.u32(loadAddress), magic);
        const written = (await Deno.stat(paths[i])).mtime!.getTime();
        assertEquals(modificationTime, BigInt(Math.floor(written / 1000)));
        assertEquals(infos.uuids[i], { loadAddress, uuid: readImage(paths[i]).uuid });
      }
    },
  });

  Deno.test({
    name: `${build}: the demo initialises, starts its threads and makes progress`,
    ignore: !linux,
    async fn() {
      await using demo = await start(build, path, ["one", "two"]);
      const infos = await until(() => demo.published());
      const { symbols } = readImage(path);
      const address = (name: string) => infos.images[0].loadAddress + symbols.get(`_${name}`)!;
      await until(() => demo.u32(address("demo_ready")) === 1);
      // The dylib's initialiser set 2, which the program's found.
      assertEquals(demo.u32(address("demo_initialised")), 21);
      assertEquals(demo.u32(address("demo_argc")), 3);
      const names = [...Deno.readDirSync(`/proc/${demo.pid}/task`)].map(({ name }) =>
        Deno.readTextFileSync(`/proc/${demo.pid}/task/${name}/comm`).trimEnd()
      );
      assertEquals(names.sort(), [...threads, "demo.spin"]);
      for (const offset of [0n, 8n, 16n]) {
        const counter = address("demo_progress") + offset;
        const before = demo.u64(counter);
        await until(() => demo.u64(counter) > before);
      }
    },
  });

  Deno.test({
    name: `${build}: segments are mapped from the files, with their protections, at a slide`,
    ignore: !linux,
    async fn() {
      const starts: bigint[] = [];
      for (let i = 0; i < 2; i++) {
        await using demo = await start(build, path);
        const infos = await until(() => demo.published());
        const maps = Deno.readTextFileSync(`/proc/${demo.pid}/maps`).split("\n");
        const text = maps.filter((line) => line.endsWith(path) && / 00000000 /.test(line));
        assertEquals(text.length, 1);
        assert(/ r-xp /.test(text[0]));
        assertEquals(BigInt(`0x${text[0].split("-")[0]}`), infos.images[0].loadAddress);
        assert(!maps.some((line) => / .wx/.test(line)), "nothing is writable and executable");
        starts.push(infos.images[0].loadAddress);
      }
      assertNotEquals(starts[0], starts[1]);
    },
  });

  Deno.test({
    name: `${build}: arguments reach main, and its result is the exit status`,
    ignore: !linux,
    async fn() {
      const status = `${fixtures}${build}/status`;
      for (const args of [[], ["one"], ["one", "two words"], ["one", "two words", ""]]) {
        const ended = await run(build, status, args);
        assertEquals(ended, { code: 21 + args.length, signal: null, error: "" });
      }
    },
  });
}

Deno.test({
  name: "the right slice of a fat file is run",
  ignore: !linux,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const slices = await Promise.all(
        ["arm64", "x86_64", "i386"].map(async (build, i) => ({
          cputype: [0x0100000c, 0x01000007, 7][i],
          bytes: await Deno.readFile(`${fixtures}${build}/${i ? "status" : "demo"}`),
          offset: 0x4000 + i * 0x10000,
        })),
      );
      const fat = new Uint8Array(0x40000);
      const view = new DataView(fat.buffer);
      view.setUint32(0, 0xcafebabe);
      view.setUint32(4, slices.length);
      slices.forEach(({ cputype, bytes, offset }, i) => {
        [cputype, 0, offset, bytes.length, 14].forEach((word, j) =>
          view.setUint32(8 + 20 * i + 4 * j, word)
        );
        fat.set(bytes, offset);
      });
      await Deno.writeFile(`${directory}/status`, fat);
      for (const build of ["x86_64", "i386"] as const) {
        const dylib = await Deno.readFile(`${fixtures}${build}/libworkers.dylib`);
        await Deno.writeFile(`${directory}/libworkers.dylib`, dylib);
        assertEquals((await run(build, `${directory}/status`)).code, 21);
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
