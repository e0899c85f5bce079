import { assert, assertEquals, assertFalse, assertMatch } from "@std/assert";
import { bytesSource, Image } from "../../../lib/macho/mod.ts";
import { ElfImage } from "../../../lib/elf/mod.ts";
import { DebugProvider, SymbolFiles, Symbolizer } from "../../../lib/symbols/mod.ts";
import { FileTree, fixture } from "./file_tree.ts";

const inlines = "tests/fixtures/inlines/x86_64/inlines";
const dsym = "tests/fixtures/inlines/x86_64/dsym/inlines.dSYM/Contents/Resources/DWARF/inlines";
const inBundle = "Contents/Resources/DWARF/inlines";
/** In `outer`, after the call that `innermost`, inlined in `middle`, makes. */
const inside = 0x61f;

/** What there is at `inside`: the lines are those of main.c. */
const chain = [
  ["innermost", "/src/inlines/main.c", 13, true],
  ["middle", "/src/inlines/main.c", 21, true],
  ["outer", "/src/inlines/main.c", 26, false],
];

interface Options {
  readonly folders?: readonly string[];
  readonly locate?: (uuids: readonly string[]) => readonly string[];
  readonly path?: string;
  readonly fixture?: string;
  readonly modified?: number;
}

function look(
  tree: FileTree,
  { folders = [], locate, path = "/app/inlines", fixture: name = inlines }: Options = {},
) {
  const image = Image.fromSource(bytesSource(fixture(name), path), { loadAddress: 0x5_0000n });
  const provider = new DebugProvider({ files: tree, locate }, new SymbolFiles(tree, folders));
  const symbolizer = new Symbolizer([image], provider);
  const frames = (offset: number): unknown[] =>
    symbolizer.resolve(image.loadAddress + BigInt(offset)).frames.map((frame) => [
      frame.function,
      frame.location?.file ?? null,
      frame.location?.line ?? null,
      frame.inlined,
    ]);
  return { image, provider, symbolizer, frames };
}

Deno.test("a dSYM beside the binary, or beside a bundle that it is in", () => {
  for (
    const [path, place] of [
      ["/app/inlines", "/app/inlines.dSYM"],
      ["/apps/My.app/Contents/MacOS/inlines", "/apps/My.app.dSYM"],
      ["/apps/My.app/Contents/Frameworks/K.framework/Versions/A/inlines", "/apps/My.app.dSYM"],
      [
        "/apps/My.app/Contents/Frameworks/K.framework/Versions/A/inlines",
        "/apps/My.app/Contents/Frameworks/K.framework.dSYM",
      ],
    ]
  ) {
    const tree = new FileTree({ [`${place}/${inBundle}`]: dsym });
    const { frames, provider } = look(tree, { path });
    assertEquals(frames(inside), chain, path);
    assertEquals(provider.missing, []);
    assertEquals(tree.opened, 1);
    provider[Symbol.dispose]();
    assertEquals(tree.opened, 0);
  }
});

Deno.test("folders are searched once, by UUID", () => {
  const tree = new FileTree({
    "/symbols/a/b/renamed": dsym,
    "/symbols/other": "examples/demo/x86_64/demo.dSYM/Contents/Resources/DWARF/demo",
    "/symbols/text": new TextEncoder().encode("no image at all"),
  });
  const { frames, provider, symbolizer, image } = look(tree, { folders: ["/symbols"] });
  assertEquals(frames(inside), chain);
  assertEquals(provider.missing, []);
  symbolizer.resolve(image.loadAddress + 0x5e0n).frames;
  assertEquals(tree.asked.filter((path) => path === "/symbols").length, 1);
  assertEquals(tree.asked.filter((path) => path === "/symbols/text").length, 1);
});

Deno.test("a dSYM of another build is refused by name, wherever it is", () => {
  const other = "examples/demo/x86_64/demo.dSYM/Contents/Resources/DWARF/demo";
  for (
    const [path, folders] of [
      [`/app/inlines.dSYM/${inBundle}`, []],
      [`/symbols/x/inlines`, ["/symbols"]],
    ] as const
  ) {
    const { frames, provider, image } = look(new FileTree({ [path]: other }), { folders });
    assertEquals(frames(inside), []);
    const [missing] = provider.missing;
    assertEquals([missing.path, missing.uuid, missing.found], [image.path, image.uuid, null]);
    assertEquals<unknown>(missing.reasons, [
      `${path} is not used: its UUID is 4C4C44B2-5555-3144-A16C-02A9F8C955D6`,
    ]);
  }
});

Deno.test("Spotlight is asked once, for images that are not the system's and were not found elsewhere", () => {
  const asked: string[] = [];
  const locate = (uuids: readonly string[]) => {
    asked.push(...uuids);
    return ["/archive/dSYMs"];
  };
  const tree = new FileTree({ [`/archive/dSYMs/inlines.dSYM/${inBundle}`]: dsym });
  const { frames, image } = look(tree, { locate });
  assertEquals(frames(inside), chain);
  frames(inside + 1);
  assertEquals(asked, [image.uuid!]);
  look(tree, { locate, path: "/usr/lib/libinlines.dylib" }).frames(inside);
  assertEquals(asked.length, 1);
  const beside = new FileTree({ [`/app/inlines.dSYM/${inBundle}`]: dsym });
  look(beside, { locate }).frames(inside);
  assertEquals(asked.length, 1);
});

Deno.test("Spotlight is asked for all images of a target at once", () => {
  const arm = "tests/fixtures/inlines/arm64/inlines";
  const images = [inlines, arm, "examples/demo/x86_64/libworkers.dylib"].map((name, index) =>
    Image.fromSource(bytesSource(fixture(name), `/app/${index}`), {
      loadAddress: BigInt(index + 1) * 0x10_0000n,
    })
  );
  const system = Image.fromSource(bytesSource(fixture(arm), "/usr/lib/libarm.dylib"), {
    loadAddress: 0x80_0000n,
  });
  const asked: (readonly string[])[] = [];
  const locate = (uuids: readonly string[]) => {
    asked.push(uuids);
    return ["/archive/dSYMs"];
  };
  const tree = new FileTree({ [`/archive/dSYMs/inlines.dSYM/${inBundle}`]: dsym });
  using provider = new DebugProvider({ files: tree, locate }, new SymbolFiles(tree, []));
  const symbolizer = new Symbolizer([...images, system], provider);
  const [image] = images;
  assertEquals(symbolizer.resolve(image.loadAddress + BigInt(inside)).frames.length, 3);
  for (const { loadAddress } of [...images, system]) {
    void symbolizer.resolve(loadAddress + BigInt(inside)).frames;
  }
  assertEquals(asked, [images.map(({ uuid }) => uuid!)]);
  // No dSYM that is not an image's own is opened for it, nor reported.
  assertEquals(provider.missing.flatMap(({ reasons }) => reasons), []);
});

Deno.test("an image without debug information takes two searches, and is reported once", () => {
  const tree = new FileTree({});
  const { frames, provider, image } = look(tree);
  for (let offset = inside; offset < inside + 10; offset++) assertEquals(frames(offset), []);
  assertEquals(tree.asked, ["/app/inlines.dSYM", "/app/inlines"]);
  assertEquals<unknown>(provider.missing, [
    { path: "/app/inlines", uuid: image.uuid, found: null, reasons: [] },
  ]);
  // The system keeps its debug information to itself.
  const system = look(tree, { path: "/usr/lib/libinlines.dylib" });
  system.frames(inside);
  assertEquals(system.provider.missing, []);
});

Deno.test("the object files of a debug map, archive members among them", () => {
  for (const arch of ["x86_64", "arm64"]) {
    const folder = `tests/fixtures/inlines/${arch}`;
    const tree = new FileTree({
      "/app/inlines": `${folder}/inlines`,
      "/app/main.o": `${folder}/main.o`,
      "/app/libhelper.a": `${folder}/libhelper.a`,
    });
    const binary = `${folder}/inlines`;
    const map = look(tree, { fixture: binary });
    const whole = look(
      new FileTree({ [`/app/inlines.dSYM/${inBundle}`]: dsym.replace("x86_64", arch) }),
      { fixture: binary },
    );
    // What dsymutil made of them says the same of every instruction.
    const text = map.image.segments[1].sections[0];
    assertEquals(text.name, "__text");
    const first = Number(text.address - map.image.loadAddress);
    let known = 0;
    for (let offset = first; offset < first + text.size; offset++) {
      const found = map.symbolizer.resolve(map.image.loadAddress + BigInt(offset)).frames;
      const wanted = whole.symbolizer.resolve(whole.image.loadAddress + BigInt(offset)).frames;
      assertEquals(found, wanted, `${arch} 0x${offset.toString(16)}`);
      known += found.length > 0 ? 1 : 0;
    }
    assert(known > text.size / 2, `${known} of ${text.size}`);
    assertEquals(map.provider.missing, []);
    map.provider[Symbol.dispose]();
    assertEquals(tree.opened, 0);
  }
});

Deno.test("missing object files are reported once; only their functions lack lines", () => {
  const tree = new FileTree({
    "/app/inlines": inlines,
    "/app/main.o": "tests/fixtures/inlines/x86_64/main.o",
  });
  const { frames, provider } = look(tree);
  assertEquals(frames(inside), chain);
  for (let offset = 0x630; offset < 0x640; offset++) assertEquals(frames(offset), []);
  const [{ found, reasons }] = provider.missing;
  assertEquals(found, "/app/inlines");
  assertEquals<unknown>(reasons, ["object files are missing: /app/libhelper.a(helper.o)"]);
  assertEquals(tree.asked.filter((path) => path === "/app/libhelper.a").length, 1);
});

Deno.test("an object file that has changed since it was linked is reported", () => {
  const bytes = fixture(inlines);
  // The time of the first N_OSO, which the linker was asked to leave out.
  const view = new DataView(bytes.buffer);
  const image = Image.fromFile(bytes, "inlines");
  const symtab = image.loadCommands.find(({ command }) => command === 2)!;
  const table = view.getUint32(symtab.offset + 8, true);
  const count = view.getUint32(symtab.offset + 12, true);
  const entry = Array.from({ length: count }, (_, index) => table + index * 16)
    .find((at) => bytes[at + 4] === 0x66)!;
  view.setBigUint64(entry + 8, 1000n, true);
  const reasons = (modified: number) => {
    const files = { "/app/inlines": bytes, "/app/main.o": "tests/fixtures/inlines/x86_64/main.o" };
    const { frames, provider } = look(new FileTree(files, modified));
    assertEquals(frames(inside), chain);
    return provider.missing.flatMap(({ reasons }) => reasons);
  };
  assertEquals(reasons(1000), []);
  assertMatch(reasons(1001)[0], /^\/app\/main\.o has changed since it was linked/);
});

Deno.test("a stripped image has its dSYM's names, but not a neighbour's", () => {
  const stripped = "examples/demo/arm64-stripped/demo";
  const inDsym = "examples/demo/arm64/demo.dSYM/Contents/Resources/DWARF/demo";
  const tree = new FileTree({ "/symbols/demo": inDsym });
  const { symbolizer, image } = look(tree, { fixture: stripped, folders: ["/symbols"] });
  // run_loop, as llvm-nm lists it of the whole file.
  const { symbol, offset, functionStart } = symbolizer.resolve(image.loadAddress + 0x820n);
  assertEquals([symbol?.name, offset], ["run_loop", 0x10]);
  assertEquals(symbolizer.lookup("run_loop").map(({ symbol }) => symbol.address), [
    image.loadAddress + 0x810n,
  ]);
  assertEquals(functionStart, image.loadAddress + 0x810n);

  // Without that symbol the one before it would hold the address, but for the function starts.
  const bytes = fixture(inDsym);
  const view = new DataView(bytes.buffer);
  const { loadCommands } = Image.fromFile(bytes, "demo");
  const symtab = loadCommands.find(({ command }) => command === 2)!.offset;
  const [table, count, strings] = [8, 12, 16].map((at) => view.getUint32(symtab + at, true));
  for (let at = table; at < table + count * 16; at += 16) {
    const name = strings + view.getUint32(at, true);
    const text = new TextDecoder().decode(bytes.subarray(name, bytes.indexOf(0, name)));
    if (text === "_run_loop") bytes.fill(0, at + 4, at + 6);
  }
  const lacking = look(new FileTree({ "/symbols/demo": bytes }), {
    fixture: stripped,
    folders: ["/symbols"],
  });
  const neighbour = lacking.symbolizer.resolve(lacking.image.loadAddress + 0x820n);
  assertEquals([neighbour.symbol, neighbour.functionStart], [
    null,
    lacking.image.loadAddress + 0x810n,
  ]);
  const own = lacking.symbolizer.resolve(lacking.image.loadAddress + 0x7d0n);
  assertEquals(own.symbol?.name, "worker_relay");

  const without = look(new FileTree({}), { fixture: stripped });
  const nameless = without.symbolizer.resolve(without.image.loadAddress + 0x820n);
  assertEquals(nameless.symbol, null);
  assertEquals(nameless.functionStart, without.image.loadAddress + 0x810n);
});

Deno.test("a section of a dSYM, where the image has it", () => {
  const tree = new FileTree({ [`/app/inlines.dSYM/${inBundle}`]: dsym });
  const { provider, image } = look(tree);
  const section = provider.debugSection(image, "__debug_line")!;
  const linked = Image.fromFile(fixture(dsym), "inlines");
  const wanted = linked.segments.flatMap(({ sections }) => sections)
    .find(({ name }) => name === "__debug_line")!;
  assertEquals(section.address, wanted.address - linked.loadAddress + image.loadAddress);
  assertEquals([section.slide, section.bytes.length], [image.slide, wanted.size]);
  assertEquals(provider.debugSection(image, "__debug_nothing"), null);
});

Deno.test("an image without a UUID is known by its segments", () => {
  const strip = (bytes: Uint8Array): Uint8Array => {
    const image = Image.fromFile(bytes, "inlines");
    const { offset } = image.loadCommands.find(({ command }) => command === 0x1b)!;
    // LC_UUID becomes one that nobody knows.
    new DataView(bytes.buffer).setUint32(offset, 0x7f, true);
    return bytes;
  };
  const main = "tests/fixtures/inlines/x86_64/main.o";
  const anonymous = strip(fixture(inlines));
  const image = Image.fromSource(bytesSource(anonymous, "/app/inlines"));
  assertEquals(image.uuid, null);
  const frames = (binary: Uint8Array) => {
    const tree = new FileTree({ "/app/inlines": binary, "/app/main.o": main });
    const provider = new DebugProvider({ files: tree }, new SymbolFiles(tree, []));
    return provider.framesAt(image, image.loadAddress + BigInt(inside)).length;
  };
  assertEquals(frames(anonymous), 3);
  const moved = anonymous.slice();
  const { offset } = image.loadCommands.filter(({ command }) => command === 0x19)[1];
  moved[offset + 32]++; // a larger __TEXT
  assertEquals(frames(moved), 0);
  assertEquals(frames(fixture(inlines)), 0);
});

Deno.test("damaged dSYMs, object files and archives do not throw", () => {
  const damaged: [path: string, fixture: string, others: Record<string, string>][] = [
    [`/app/inlines.dSYM/${inBundle}`, dsym, {}],
    ["/app/main.o", "tests/fixtures/inlines/x86_64/main.o", { "/app/inlines": inlines }],
    ["/app/libhelper.a", "tests/fixtures/inlines/x86_64/libhelper.a", { "/app/inlines": inlines }],
  ];
  let seed = 7;
  let known = 0;
  for (const [path, name, others] of damaged) {
    const whole = fixture(name);
    for (let round = 0; round < 150; round++) {
      const bytes = round < 50
        ? whole.slice(0, Math.floor(whole.length * round / 50))
        : whole.slice();
      for (let change = 0; round >= 50 && change < 6; change++) {
        seed = (seed * 48271) % 0x7fffffff;
        bytes[seed % bytes.length] = seed >> 7;
      }
      const { provider, frames } = look(new FileTree({ ...others, [path]: bytes }));
      for (let offset = 0x5e0; offset < 0x65d; offset += 5) known += frames(offset).length;
      provider.missing.map(({ reasons }) => reasons.join());
      provider[Symbol.dispose]();
    }
  }
  assert(known > 0);
});

Deno.test("a disposed provider knows nothing and opens nothing", () => {
  const tree = new FileTree({ [`/app/inlines.dSYM/${inBundle}`]: dsym });
  const { provider, frames } = look(tree);
  provider[Symbol.dispose]();
  assertEquals(frames(inside), []);
  assertEquals(tree.asked, []);
  assertFalse(tree.opened > 0);
});

/** A program of two units whose entries are in files of their own, made in `/build`. */
async function splitProgram(
  folder: string,
  version: string,
  more: string,
): Promise<Record<"program" | "one" | "two", Uint8Array>> {
  const run = async (...args: string[]): Promise<void> => {
    const { success, stderr } = await new Deno.Command("cc", { args, cwd: folder }).output();
    assert(success, new TextDecoder().decode(stderr));
  };
  const inline = "static inline __attribute__((always_inline)) int";
  const units = {
    one: `${inline} inner(int a) {\n return a * 3 + ${more};\n}
int other(int);
int main(int count, char **words) {
 return (words[0][0] == inner(count)) + other(count);
}`,
    two: `${inline} deeper(int a) {\n int step${more} = a / 7;\n return step${more} - a;\n}
int other(int a) {
 return deeper(a);
}`,
  };
  const flags = ["-g", version, "-gsplit-dwarf", "-O1", `-fdebug-prefix-map=${folder}=/build`];
  for (const [name, text] of Object.entries(units)) {
    await Deno.writeTextFile(`${folder}/${name}.c`, text);
    await run(...flags, "-c", `${name}.c`, "-o", `${name}.o`);
  }
  await run("one.o", "two.o", "-o", "program");
  const read = (name: string) => Deno.readFile(`${folder}/${name}`);
  return { program: await read("program"), one: await read("one.dwo"), two: await read("two.dwo") };
}

/** The names of the functions at the symbol `other`, and what is missing. */
function splitNames(
  tree: FileTree,
  bytes: Uint8Array,
  folders: readonly string[] = [],
  path = "/app/program",
): { readonly names: string[]; readonly missing: readonly string[] } {
  const image = ElfImage.fromSource(bytesSource(bytes, path));
  using provider = new DebugProvider({ files: tree }, new SymbolFiles(tree, folders));
  const symbolizer = new Symbolizer([image], provider);
  const address = (name: string) => [...image.findSymbols(name)][0].address + 1n;
  const names = ["main", "other"].flatMap((name) => {
    // The inlined call is somewhere in the function.
    const chains = Array.from(
      { length: 24 },
      (_, at) => symbolizer.resolve(address(name) + BigInt(at)).frames,
    );
    const [longest] = chains.sort((a, b) => b.length - a.length);
    return longest.map((frame) => frame.function ?? "");
  });
  return { names, missing: provider.missing.flatMap(({ reasons }) => reasons) };
}

for (const version of ["-gdwarf-4", "-gdwarf-5"]) {
  Deno.test({
    name:
      `${version}: entries in files of their own, where they were made, beside the program, in folders`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const folder = await Deno.makeTempDir();
      try {
        const { program, one, two } = await splitProgram(folder, version, "1");
        const all = ["inner", "main", "deeper", "other"];
        const whole = new FileTree({ "/build/one.dwo": one, "/build/two.dwo": two });
        assertEquals(splitNames(whole, program), { names: all, missing: [] });
        assertEquals(whole.opened, 0);
        const beside = new FileTree({ "/app/one.dwo": one, "/app/two.dwo": two });
        assertEquals(splitNames(beside, program), { names: all, missing: [] });
        const kept = new FileTree({ "/kept/a/one.dwo": one, "/kept/two.dwo": two });
        assertEquals(splitNames(kept, program, ["/kept"]), { names: all, missing: [] });
        const missing = "split debug information is missing, and with it variables and inlined " +
          "calls: /build/two.dwo";
        const half = new FileTree({ "/build/one.dwo": one });
        assertEquals(splitNames(half, program), {
          names: ["inner", "main", ""],
          missing: [missing],
        });
        // Of another build: the ID is another one.
        const changed = await splitProgram(folder, version, "2");
        const other = new FileTree({ "/build/one.dwo": one, "/build/two.dwo": changed.two });
        assertEquals(splitNames(other, program), {
          names: ["inner", "main", ""],
          missing: ["split debug information of another build is not used: /build/two.dwo"],
        });
        for (let seed = 1; seed < 120; seed++) {
          const damaged = one.slice();
          for (let at = seed; at < damaged.length; at += 97 * seed) damaged[at] ^= 1 << (seed & 7);
          const tree = new FileTree({ "/build/one.dwo": damaged, "/build/two.dwo": two });
          assertEquals(splitNames(tree, program).names.slice(-2), all.slice(-2));
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}
