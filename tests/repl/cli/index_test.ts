/** `machpause index` as a person runs it. */
import { assert, assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { files } from "../../../ffi/files.ts";
import { procFields } from "../../../ffi/procfs.ts";
import { type MstFile, openMst } from "../../../lib/symbols/mod.ts";
import { imagesIn, openDwarf } from "../../../lib/symbols/mod.ts";
import { AT, FORM, TAG } from "../../../lib/dwarf/constants.ts";
import { abbreviation, unit } from "../../lib/dwarf/debug_sections.ts";
import { number } from "../../lib/dwarf/section.ts";
import { compileHelper, Terminal } from "../terminal.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const fixtures = new URL("../../fixtures/", import.meta.url).pathname;
const examples = new URL("../../../examples/", import.meta.url).pathname;
const lines = (name: string) => `${fixtures}lines/${name}/lines.dSYM`;
const inside = "/Contents/Resources/DWARF/lines";

async function index(...args: string[]): Promise<[number, string, string]> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "index", ...args],
  }).output();
  const decoder = new TextDecoder();
  return [code, decoder.decode(stdout), decoder.decode(stderr)];
}

const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Throws where a table does not say what DWARF says. */
function assertAlike(table: MstFile, path: string, image = 0): void {
  using file = files.open(path);
  const dwarf = openDwarf([...imagesIn(file)][image].bytes);
  assertEquals([table.uuid, table.arch], [dwarf.uuid, dwarf.arch]);
  table.verify();
  let known = 0;
  for (let offset = 0; offset < 0x6000; offset++) {
    const expected = dwarf.framesAt(offset);
    const frames = table.framesAt(offset);
    // Where DWARF names no function the symbol table may.
    const name = expected.at(-1)?.function ?? "";
    if (name === "") {
      assert(frames.length <= Math.max(1, expected.length));
      assertEquals(frames[0]?.location ?? null, expected[0]?.location ?? null);
    } else {
      assertEquals(frames, expected, `${path} at 0x${offset.toString(16)}`);
      known++;
    }
  }
  assert(known > 300, `${known} offsets of ${path}`);
  assertEquals(table.warnings, []);
}

Deno.test("every fixture's dSYM as a table says the same", async () => {
  // With DWARF 4 and 5 the code, and its UUID, is the same.
  const groups = [
    ["armv7", "i386", "x86_64", "arm64"].map((arch) => `${examples}demo/${arch}/demo.dSYM`),
    ["x86_64-dwarf4", "arm64-dwarf4"].map(lines),
    ["x86_64-dwarf5", "arm64-dwarf5"].map(lines),
  ];
  for (const dsyms of groups) {
    await withFolder(async (folder) => {
      const [code, stdout, stderr] = await index(...dsyms, "-o", `${folder}/store`);
      assertEquals([code, stderr], [0, ""]);
      const rows = stdout.trim().split("\n").map((row) => row.split("  "));
      assertEquals(rows.length, dsyms.length);
      for (const [at, [path, uuid, arch, functions, bytes, seconds]] of rows.entries()) {
        assertEquals(path, `${folder}/store/${uuid}-${arch}.mst`);
        const facts = [functions, bytes, seconds].join();
        assertMatch(facts, /^\d+ functions,[\d.]+ (?:KiB|B),[\d.]+ s$/);
        using table = openMst(files.open(path));
        const name = dsyms[at].includes("/demo/") ? "demo" : "lines";
        assertAlike(table, `${dsyms[at]}/Contents/Resources/DWARF/${name}`);
        assertEquals(table.info.name, name);
      }
      const made = rows.map(([path]) => path.split("/").at(-1)!);
      assertEquals(names(`${folder}/store`), made.sort());
    });
  }
});

Deno.test("a universal file is a table for each architecture, or the one asked for", async () => {
  await withFolder(async (folder) => {
    const thin = ["x86_64-dwarf5", "arm64-dwarf4"].map((name) =>
      Deno.readFileSync(lines(name) + inside)
    );
    const header = new DataView(new ArrayBuffer(0x1000));
    header.setUint32(0, 0xcafebabe);
    header.setUint32(4, thin.length);
    let at = 0x1000;
    for (const [slice, bytes] of thin.entries()) {
      const cpuType = new DataView(bytes.buffer).getUint32(4, true);
      const fields = [cpuType, 0, at, bytes.length, 12];
      fields.forEach((field, index) => header.setUint32(8 + 20 * slice + 4 * index, field));
      at += Math.ceil(bytes.length / 0x1000) * 0x1000;
    }
    const fat = new Uint8Array(at);
    fat.set(new Uint8Array(header.buffer));
    at = 0x1000;
    for (const bytes of thin) {
      fat.set(bytes, at);
      at += Math.ceil(bytes.length / 0x1000) * 0x1000;
    }
    const path = `${folder}/Fat.dSYM/Contents/Resources/DWARF/lines`;
    Deno.mkdirSync(path.slice(0, -6), { recursive: true });
    Deno.writeFileSync(path, fat);

    const [code, stdout] = await index(folder, "-o", `${folder}/store/`, "--json");
    assertEquals(code, 0);
    const { tables } = JSON.parse(stdout);
    assertEquals(tables.map(({ arch }: { arch: string }) => arch), ["x86_64", "arm64"]);
    for (const [slice, { path: made, bytes }] of tables.entries()) {
      assertEquals(Deno.statSync(made).size, bytes);
      using table = openMst(files.open(made));
      assertAlike(table, path, slice);
    }
    assertEquals((await index(path, "-o", `${folder}/one.mst`))[0], 2);
    const one = await index(path, "-o", `${folder}/one.mst`, "--arch", "arm64");
    assertEquals([one[0], one[2]], [0, ""]);
    using table = openMst(files.open(`${folder}/one.mst`));
    assertEquals(table.arch, "arm64");
  });
});

Deno.test("a binary's debug map is followed to its object files", async () => {
  await withFolder(async (folder) => {
    for (const arch of ["arm64", "x86_64"]) {
      const [code, , stderr] = await index(`${fixtures}inlines/${arch}/inlines`, "-o", folder);
      assertEquals([code, stderr], [0, ""]);
      using file = files.open(
        `${fixtures}inlines/${arch}/dsym/inlines.dSYM/Contents/Resources/DWARF/inlines`,
      );
      const dwarf = openDwarf([...imagesIn(file)][0].bytes);
      using table = openMst(files.open(`${folder}/${dwarf.uuid}-${arch}.mst`));
      let inlined = 0;
      for (let offset = 0; offset < 0x2000; offset++) {
        const expected = dwarf.framesAt(offset);
        if (expected.length === 0) continue;
        assertEquals(table.framesAt(offset), expected);
        if (expected.length > 1) inlined++;
      }
      assert(inlined > 20);
    }
  });
});

Deno.test("what is there already is left alone, but for --force and what is no such table", async () => {
  await withFolder(async (folder) => {
    const dsym = lines("arm64-dwarf5");
    await index(dsym, "-o", folder);
    const [name] = names(folder);
    const path = `${folder}/${name}`;
    const first = Deno.readFileSync(path);
    Deno.utimeSync(path, 1, 1);
    const [code, stdout] = await index(dsym, "-o", folder);
    assertEquals(code, 0);
    assertStringIncludes(stdout, "was there already");
    assertEquals(Deno.statSync(path).mtime?.getTime(), 1000);
    await index(dsym, "-o", folder, "--force");
    assert(Deno.statSync(path).mtime!.getTime() > 1000);
    assertEquals(Deno.readFileSync(path), first, "the same input is the same file");
    await index(dsym, "-o", folder, "--force", "--jobs", "2");
    assertEquals(Deno.readFileSync(path), first, "however many made it");
    Deno.writeTextFileSync(path, "something else");
    await index(dsym, "-o", folder);
    assertEquals(Deno.readFileSync(path), first);
    assertEquals(names(folder), [name]);
  });
});

Deno.test("index: what can be wrong, in one line", async () => {
  await withFolder(async (folder) => {
    Deno.writeTextFileSync(`${folder}/text`, "no image");
    const odd = Deno.readFileSync(`${examples}demo/x86_64/demo`);
    odd[4] = 0x63; // cputype
    Deno.writeFileSync(`${folder}/odd`, odd);
    Deno.mkdirSync(`${folder}/empty`);
    const dsym = lines("arm64-dwarf5");
    const wrong: [code: number, args: string[], reason: string][] = [
      [2, [], "Missing argument"],
      [2, [dsym], "-o FOLDER"],
      [2, [dsym, "-o", folder, "--arch", "vax"], "there is no architecture vax"],
      [2, [dsym, "-o", folder, "--jobs", "0"], "--jobs 0"],
      [1, [`${folder}/none`, "-o", folder], "none"],
      [1, [`${folder}/text`, "-o", folder], "no image"],
      [1, [`${folder}/nosuch`, "-o", folder], `there is no file ${folder}/nosuch`],
      [1, [`${folder}/empty`, "-o", folder], "no dSYM"],
      [
        1,
        [`${folder}/odd`, "-o", folder],
        "a CPU that is not known: cputype 16777315 cpusubtype 3",
      ],
      [1, [dsym, "-o", `${folder}/text`], "text"],
      [1, [dsym, "-o", folder, "--arch", "i386"], "no image for i386"],
      [1, [`${examples}demo/x86_64-stripped/demo`, "-o", folder], "debug information"],
    ];
    for (const [expected, args, reason] of wrong) {
      const [code, stdout, stderr] = await index(...args);
      assertEquals([code, stdout], [expected, ""], args.join(" "));
      assertMatch(stderr, /^machpause: [^\n]+\n$/);
      assertStringIncludes(stderr, reason);
    }
    assertEquals(names(folder), ["empty", "odd", "text"]);
    // What one file lacks does not keep the others from being done.
    const [code, stdout] = await index(`${examples}demo/x86_64-stripped/demo`, dsym, "-o", folder);
    assertEquals([code, stdout.split("\n").length], [1, 2]);
  });
});

Deno.test("a damaged unit is left out and said", async () => {
  const path = lines("x86_64-dwarf4") + inside;
  const bytes = Deno.readFileSync(path);
  await withFolder(async (folder) => {
    const damaged = `${folder}/lines`;
    using file = files.open(path);
    const [{ image }] = imagesIn(file);
    const info = image.segments.flatMap(({ sections }) => sections)
      .find(({ name }) => name === "__debug_info")!;
    // The first unit's abbreviations are nowhere.
    bytes.fill(0xff, info.fileOffset + 6, info.fileOffset + 10);
    Deno.writeFileSync(damaged, bytes);
    for (const jobs of ["1", "2"]) {
      const [code, stdout, stderr] = await index(damaged, "-o", folder, "--force", "--jobs", jobs);
      assertEquals(code, 1);
      assertMatch(stdout, /functions/);
      assertMatch(stderr, /^machpause: warning: .*unit at 0x0 left out/);
    }
  });
});

/** A dSYM with another section in place of one: what `make` makes of it. */
function withSection(
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  make: (old: Uint8Array) => Uint8Array,
): Uint8Array<ArrayBuffer> {
  const header = new TextDecoder("latin1").decode(bytes.subarray(0, 0x4000));
  const at = header.indexOf(`${name.padEnd(16, "\0")}__DWARF`);
  // `size` and `offset` of `struct section_64`.
  const view = new DataView(bytes.buffer);
  const offset = view.getUint32(at + 48, true);
  const made = make(bytes.slice(offset, offset + Number(view.getBigUint64(at + 40, true))));
  view.setBigUint64(at + 40, BigInt(made.length), true);
  view.setUint32(at + 48, bytes.length, true);
  const all = new Uint8Array(bytes.length + made.length);
  all.set(bytes);
  all.set(made, bytes.length);
  return all;
}

function times(bytes: Uint8Array, count: number): Uint8Array {
  const all = new Uint8Array(bytes.length * count);
  for (let time = 0; time < count; time++) all.set(bytes, bytes.length * time);
  return all;
}

/** A dSYM in which every unit is there many times: it takes a while, and all of them overlap. */
function repeated(path: string, count: number): Uint8Array {
  return withSection(Deno.readFileSync(path), "__debug_info", (units) => times(units, count));
}

/** A dSYM with one unit, of so many functions. */
function oneUnit(path: string, functions: number): Uint8Array {
  const { name, low_pc, high_pc } = AT;
  const attributes: [number, number][] = [
    [name, FORM.strp],
    [low_pc, FORM.addr],
    [high_pc, FORM.data4],
  ];
  const abbreviations = new Uint8Array([
    ...abbreviation(1, TAG.compile_unit, true, []),
    ...abbreviation(2, TAG.subprogram, false, attributes),
    0,
  ]);
  const entry = new Uint8Array([2, ...number(0, 4), ...number(0x1000, 8), ...number(16, 4)]);
  const entries = times(entry, functions);
  for (let index = 0; index < functions; index++) {
    new DataView(entries.buffer).setUint32(index * entry.length + 5, 0x1000 + 16 * index, true);
  }
  const empty = new Uint8Array(unit({ version: 4 }, [1, 0]));
  const info = new Uint8Array(empty.length + entries.length);
  info.set(empty);
  info.set(entries, empty.length - 1);
  new DataView(info.buffer).setUint32(0, info.length - 4, true);
  const bytes = withSection(Deno.readFileSync(path), "__debug_abbrev", () => abbreviations);
  return withSection(bytes, "__debug_info", () => info);
}

Deno.test({
  name: "SIGINT and SIGTERM end it within a second, in the middle of one huge unit",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await withFolder(async (folder) => {
      Deno.writeFileSync(`${folder}/huge`, oneUnit(lines("x86_64-dwarf4") + inside, 4_000_000));
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        const child = new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", program, "index", `${folder}/huge`, "-o", `${folder}/store`],
          stderr: "piped",
          stdout: "null",
        }).spawn();
        const said = new Response(child.stderr).text();
        const processorTime = () => {
          return procFields(child.pid)!.slice(11, 13).reduce(
            (sum, ticks) => sum + Number(ticks) * 10,
            0,
          );
        };
        // By then the unit is being read, and is far from its end.
        while (processorTime() < 700) await new Promise((resolve) => setTimeout(resolve, 5));
        const before = processorTime();
        child.kill(signal);
        // The second is of processor time: others may keep the machine busy.
        let last = before;
        const watched = setInterval(() => {
          try {
            last = processorTime();
          } catch {
            clearInterval(watched);
          }
        }, 5);
        const { code } = await child.status;
        clearInterval(watched);
        assertLess(last - before, 1000);
        assertEquals([code, await said], [1, "machpause: interrupted\n"]);
        assertEquals(names(`${folder}/store`), []);
      }
    });
  },
});

Deno.test({
  name: "on a terminal a bar says how far it is, and Ctrl-C leaves nothing behind",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withFolder(async (folder) => {
      const helper = await compileHelper(folder);
      Deno.writeFileSync(`${folder}/large`, repeated(lines("arm64-dwarf4") + inside, 30_000));
      const args = ["run", "-A", program, "index", `${folder}/large`, "-o", `${folder}/store`];
      for (const jobs of ["1", "2"]) {
        await using terminal = await Terminal.start(helper, Deno.execPath(), [
          ...args,
          ...["--jobs", jobs],
        ]);
        const pattern =
          /Indexing large [█░]{30} +\d+ % {2}[\d.]+ [KM]iB of [\d.]+ MiB, [\d.]+ [KM]iB\/s/;
        await terminal.until(pattern);
        const began = performance.now();
        await terminal.type("\x03");
        await terminal.until("machpause: interrupted");
        assertEquals(await terminal.end(), 1);
        // A second, and what a busy machine adds; to its end it takes ten.
        assertLess(performance.now() - began, 2000);
        assertEquals(names(`${folder}/store`), []);
      }
    });
  },
});

Deno.test("units that are all there twice are as they are once", async () => {
  await withFolder(async (folder) => {
    const path = lines("x86_64-dwarf4") + inside;
    Deno.writeFileSync(`${folder}/twice`, repeated(path, 2));
    await index(`${folder}/twice`, "-o", `${folder}/twice.mst`);
    await index(path, "-o", `${folder}/once.mst`);
    using twice = openMst(files.open(`${folder}/twice.mst`));
    using once = openMst(files.open(`${folder}/once.mst`));
    assertAlike(twice, path);
    assertEquals(twice.info.functionCount, once.info.functionCount);
  });
});

Deno.test("a dSYM that is cut short: what is there is in the table, what is missing is said", async () => {
  await withFolder(async (folder) => {
    const bytes = Deno.readFileSync(`${lines("arm64-dwarf5")}${inside}`);
    Deno.writeFileSync(`${folder}/cut`, bytes.subarray(0, Math.floor(bytes.length * 0.9)));
    const [code, , stderr] = await index(`${folder}/cut`, "-o", `${folder}/cut.mst`);
    assertEquals(code, 1);
    assertMatch(stderr, /warning: .*cut: __debug_line_str: 0 of \d+ bytes are there/);
    using table = openMst(files.open(`${folder}/cut.mst`));
    table.verify();
  });
});

Deno.test("a binary's dSYM beside it is taken, as `symbolicate` does", async () => {
  await withFolder(async (folder) => {
    const program = `${examples}demo/x86_64/demo`;
    const [code, , stderr] = await index(program, "-o", `${folder}/binary`);
    assertEquals([code, stderr], [0, ""]);
    await index(`${program}.dSYM`, "-o", `${folder}/dsym`);
    const [name] = names(`${folder}/dsym`);
    assertEquals(names(`${folder}/binary`), [name]);
    assertEquals(
      await Deno.readFile(`${folder}/binary/${name}`),
      await Deno.readFile(`${folder}/dsym/${name}`),
    );
  });
});
