/** The demo under the loader: it runs, and debuggers are told of its images as dyld tells them. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { type ArchName, archs, writeRegister } from "../../../lib/arch/mod.ts";
import {
  archOf,
  type Build,
  builds,
  fixtures,
  loaderFor,
  readImage,
  run,
  Running,
  start,
  until,
} from "./loader.ts";
import { hasLoader } from "../../machine.ts";

/** The machine's own build and the 32-bit one, and one of another processor. */
const widths: readonly Build[] = builds.includes("x86_64")
  ? ["x86_64", "i386"]
  : builds.includes("arm64")
  ? ["arm64", "armv7"]
  : [];
const [own, narrow] = widths;
const other: Build = own === "arm64" ? "x86_64" : "arm64";

const threads = ["demo", "demo.deep", "demo.leaf", "demo.lock", "demo.queue", "demo.relay"];

for (const build of builds) {
  const path = `${fixtures}${build}/demo`;

  Deno.test({
    name: `${build}: images are published as dyld publishes them`,
    ignore: !hasLoader,
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
        const magic = archs[archOf(build)].pointerSize === 4 ? 0xfeedface : 0xfeedfacf;
        assertEquals(demo.u32(loadAddress), magic);
        const written = (await Deno.stat(paths[i])).mtime!.getTime();
        assertEquals(modificationTime, BigInt(Math.floor(written / 1000)));
        assertEquals(infos.uuids[i], { loadAddress, uuid: readImage(paths[i]).uuid });
      }
    },
  });

  Deno.test({
    name: `${build}: the demo initialises, starts its threads and makes progress`,
    ignore: !hasLoader,
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
    ignore: !hasLoader,
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
    ignore: !hasLoader,
    async fn() {
      const status = `${fixtures}${build}/status`;
      for (const args of [[], ["one"], ["one", "two words"], ["one", "two words", ""]]) {
        const ended = await run(build, status, args);
        assertEquals(ended, { code: 21 + args.length, signal: null, error: "" });
      }
    },
  });
}

for (const build of widths) {
  Deno.test({
    name: `${build}: threads that have ended are used again`,
    ignore: !hasLoader,
    async fn() {
      const ended = await run(build, `${fixtures}${build}/status`, ["threads"]);
      assertEquals(ended, { code: 22, signal: null, error: "" });
    },
  });
}

Deno.test({
  name: "the right slice of a fat file is run",
  ignore: !hasLoader,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const slices = await Promise.all(
        [other, ...widths].map(async (build, i) => ({
          cputype: archs[archOf(build)].cpuType,
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
      for (const build of widths) {
        const dylib = await Deno.readFile(`${fixtures}${build}/libworkers.dylib`);
        await Deno.writeFile(`${directory}/libworkers.dylib`, dylib);
        assertEquals((await run(build, `${directory}/status`)).code, 21);
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

/** Code that exits with 20 more than the word at the top of the stack: a load, an addition, the number of
 * exit_group, the call. */
const exitCode: Readonly<Record<ArchName, readonly number[]>> = {
  x86_64: [0x8b, 0x3c, 0x24, 0x83, 0xc7, 20, 0xb8, 231, 0, 0, 0, 0x0f, 0x05],
  i386: [0x8b, 0x1c, 0x24, 0x83, 0xc3, 20, 0xb8, 252, 0, 0, 0, 0xcd, 0x80],
  // ldr w0, [sp]; add w0, w0, #20; mov w8, #94; svc #0
  arm64: [0xe0, 3, 0x40, 0xb9, 0, 0x50, 0, 0x11, 0xc8, 0x0b, 0x80, 0x52, 1, 0, 0, 0xd4],
  // In Thumb: ldr r0, [sp]; adds r0, #20; movs r7, #248; svc #0
  armv7: [0, 0x98, 20, 0x30, 0xf8, 0x27, 0, 0xdf],
};

/** The program without LC_MAIN and what it can do without, and with LC_UNIXTHREAD: its code takes
 * argc from the stack, where `start` of crt1 finds it, and exits with 20 more than that. */
function withUnixThread(
  file: Uint8Array<ArrayBuffer>,
  arch: ArchName,
): Uint8Array<ArrayBuffer> {
  const view = new DataView(file.buffer);
  const wide = view.getUint32(0, true) === 0xfeedfacf;
  const header = wide ? 32 : 28;
  const LC_MAIN = 0x80000028;
  const dropped = [LC_MAIN, 0x2, 0xb, 0x1b, 0x24, 0x26, 0x29, 0x32];
  const kept: Uint8Array[] = [];
  let base = 0n;
  let entry = 0;
  for (let i = 0, at = header; i < view.getUint32(16, true); i++) {
    const [command, size] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    if (command === LC_MAIN) entry = view.getUint32(at + 8, true);
    if (file[at + 10] === "T".charCodeAt(0)) {
      if (command === 0x19) base = view.getBigUint64(at + 24, true);
      if (command === 0x1) base = BigInt(view.getUint32(at + 24, true));
    }
    if (!dropped.includes(command)) kept.push(file.slice(at, at + size));
    at += size;
  }
  // cmd, cmdsize, flavor, count, then the registers.
  const { threadState: { number, size }, pc } = archs[arch];
  const thread = new Uint8Array(16 + size);
  const fields = new DataView(thread.buffer);
  [0x5, thread.length, number, size / 4].forEach((w, i) => fields.setUint32(4 * i, w, true));
  writeRegister(thread.subarray(16), pc, base + BigInt(entry));
  kept.push(thread);
  view.setUint32(16, kept.length, true);
  view.setUint32(20, kept.reduce((total, { length }) => total + length, 0), true);
  let at = header;
  for (const command of kept) {
    file.set(command, at);
    at += command.length;
  }
  // The lowest bit of the address of Thumb code says what it is.
  file.set(exitCode[arch], entry & ~1);
  return file;
}

for (const build of builds) {
  Deno.test({
    name: `${build}: a program that starts at LC_UNIXTHREAD finds its arguments on the stack`,
    ignore: !hasLoader,
    async fn() {
      const directory = await Deno.makeTempDir();
      try {
        const dylib = `${directory}/libworkers.dylib`;
        await Deno.copyFile(`${fixtures}${build}/libworkers.dylib`, dylib);
        const program = withUnixThread(
          Deno.readFileSync(`${fixtures}${build}/status`),
          archOf(build),
        );
        await Deno.writeFile(`${directory}/status`, program);
        const ended = await run(build, `${directory}/status`, ["one", "two"]);
        assertEquals(ended, { code: 23, signal: null, error: "" });
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    },
  });
}

Deno.test({
  name: "DYLD_INSERT_LIBRARIES: loaded in order after the program, or the program does not run",
  ignore: !hasLoader,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const status = `${fixtures}${own}/status`;
      const workers = `${fixtures}${own}/libworkers.dylib`;
      const copy = `${directory}/libcopy.dylib`;
      await Deno.copyFile(workers, copy);
      const insert = (libraries: string) =>
        run(own, status, [], { DYLD_INSERT_LIBRARIES: libraries });
      // 21: status' own main() ran, after its dylib was initialised.
      for (const libraries of ["", ":", copy, `${copy}:${workers}`, `${copy}::${copy}`]) {
        assertEquals(await insert(libraries), { code: 21, signal: null, error: "" }, libraries);
      }
      const missing = await insert(`${copy}:${directory}/nothing.dylib`);
      assertEquals(missing.code, 1);
      assertEquals(
        missing.error,
        `macho-loader: ${directory}/nothing.dylib: no such file, or it cannot be read\n`,
      );
      // As dyld: a library without a slice for the program's architecture.
      const wrong = await insert(`${fixtures}${narrow}/libworkers.dylib`);
      assertEquals([wrong.code, /expected a Mach-O file for this/.test(wrong.error)], [1, true]);

      const child = new Deno.Command(await loaderFor(own), {
        args: [`${fixtures}${own}/demo`],
        env: { DYLD_INSERT_LIBRARIES: copy },
        stdout: "null",
      }).spawn();
      await using demo = new Running(child, own);
      const infos = await until(() => {
        const published = demo.published();
        return published?.libSystemInitialized && published;
      });
      assertEquals(infos.images.map(({ path }) => path), [
        `${fixtures}${own}/demo`,
        copy,
        workers,
      ]);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
