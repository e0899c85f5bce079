import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { bytesSource, MachOFile } from "../../../lib/macho/mod.ts";
import { buildImage } from "../../lib/macho/build_image.ts";
import { root } from "../terminal.ts";

const program = new URL("repl/main.ts", root).pathname;
const fixture = (name: string): string => new URL(`examples/demo/${name}`, root).pathname;

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

async function image(...args: string[]): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "image", ...args],
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function withFile(
  bytes: Uint8Array,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, bytes);
    await use(path);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("without a list: one screen about each architecture", async () => {
  const path = fixture("arm64/demo");
  const { code, stdout, stderr } = await image(path);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertStringIncludes(stdout, `${path}: arm64\n\narm64 executable, 64-bit, `);
  assertMatch(stdout, /^ {2}uuid {7}[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/m);
  assertMatch(stdout, /^ {2}built for {2}macos 11\.0\.0, SDK 11\.0\.0, by lld 19\.\d+\.\d+$/m);
  assertMatch(stdout, /^ {2}loads {6}@rpath\/libworkers\.dylib 0\.0\.0$/m);
  assertMatch(stdout, /^ {13}\/usr\/lib\/libSystem\.B\.dylib [\d.]+$/m);
  assertMatch(stdout, /^ {13}__TEXT {11}r-x 0x0000000100000000 /m);
  assertMatch(
    stdout,
    /^ {2}signed {5}demo, adhoc, linker-signed, cdhash [0-9a-f]{40} \(sha256\)$/m,
  );
  assert(stdout.split("\n").length < 40);
});

Deno.test("a dSYM is a bundle: its file is shown", async () => {
  const { code, stdout } = await image(fixture("arm64/demo.dSYM"));
  assertEquals(code, 0);
  assertStringIncludes(stdout, "demo.dSYM/Contents/Resources/DWARF/demo: arm64\n\narm64 dSYM, ");
});

Deno.test("one list of one image comes alone; several have headings", async () => {
  const path = fixture("x86_64/demo");
  const symbols = await image(path, "--symbols");
  assertEquals([symbols.code, symbols.stderr], [0, ""]);
  for (const line of symbols.stdout.trimEnd().split("\n")) {
    assertMatch(line, /^[0-9a-f ]{16} [A-Za-z] \S+$/);
  }
  assertStringIncludes(symbols.stdout, " T _main\n");
  assertFalse(symbols.stdout.includes(" - "));
  const stabs = await image(path, "--symbols", "--stabs");
  assert(stabs.stdout.length >= symbols.stdout.length);

  const all = await image(path, "--all");
  assertEquals([all.code, all.stderr], [0, ""]);
  const headings = [
    ...["Load commands", "Sections", "Symbols", "Indirect symbols", "Function starts"],
    ...["Exports", "Fixups", "Objective-C", "Swift"],
  ];
  assertEquals(all.stdout.split("\n").filter((line) => headings.includes(line)), headings);
  assertStringIncludes(all.stdout, symbols.stdout);
  assertMatch(all.stdout, /^\d+ LC_MAIN, 24 bytes\n {2}entryoff {14}\d+$/m);
  assertMatch(
    all.stdout,
    /^__TEXT,__text {21}0x[0-9a-f]{16} size 0x[0-9a-f]+ offset \d+ align 2\^4 S_REGULAR PURE_/m,
  );
  assertMatch(
    all.stdout,
    /^0x[0-9a-f]{16} __DATA,__la_symbol_ptr lazy-bind pointer libSystem _usleep$/m,
  );
});

/** What every image has, asked for or not. */
const keys = [
  ...["arch", "member", "kind", "offset", "size", "header", "uuid", "installName"],
  ...["sourceVersion", "builds", "dylibs", "rpaths", "segments", "encryption", "notes"],
  ...["codeSignature", "loadCommands", "sections", "symbols", "indirect", "functionStarts"],
  ...["exports", "fixups", "objc", "swift", "warnings"],
];

Deno.test("--json: one object; what was not asked for is null", async () => {
  const path = fixture("x86_64-chained/demo");
  const short = JSON.parse((await image(path, "--json")).stdout);
  assertEquals(Object.keys(short), ["file", "kind", "images", "warnings"]);
  assertEquals([short.file, short.kind, short.warnings], [path, "thin", []]);
  assertEquals(Object.keys(short.images[0]), keys);
  assertEquals(short.images[0].symbols, null);
  assertEquals(short.images[0].segments[0].address, "0x0");

  const [whole] = JSON.parse((await image(path, "--all", "--json")).stdout).images;
  assertEquals(Object.keys(whole), keys);
  for (const key of keys.slice(keys.indexOf("loadCommands"), -1)) {
    assert(Array.isArray(whole[key]), key);
  }
  const main = whole.symbols.find(({ name, stab }: { name: string; stab: string | null }) =>
    name === "_main" && stab === null
  );
  assertEquals(Object.keys(main), [
    ...["name", "letter", "value", "type", "section", "description", "stab", "indirect"],
  ]);
  assertEquals(main.letter, "T");
  assertMatch(main.value, /^0x1[0-9a-f]{8}$/);
  const usleep = whole.fixups.find(({ symbol }: { symbol: string }) => symbol === "_usleep");
  assertEquals(usleep.kind, "bind");
  assertEquals(whole.loadCommands[0].fields.segname, "__PAGEZERO");
  assertEquals(whole.exports[0].reexport, null);
});

Deno.test("names that would act on a terminal are shown in letters", async () => {
  const nasty = "_\x1b[2J\u202e";
  const bytes = buildImage({
    symbols: [{ name: nasty, offset: 0x1000, type: 0x0f }],
    exports: [{ name: nasty, offset: 0x1000 }],
    dylibs: ["/usr/lib/\x1b[31m.dylib"],
    sections: [{ segment: "__TEXT", name: "\x1b]0;", offset: 0x1000, size: 0x1000 }],
  });
  await withFile(bytes, async (path) => {
    for (const args of [["--all"], ["--symbols"], ["--all", "--json"], []]) {
      const { code, stdout, stderr } = await image(path, ...args);
      assertEquals([code, stderr], [0, ""]);
      // deno-lint-ignore no-control-regex
      assertFalse(/[\x00-\x09\x0b-\x1f\u202e]/.test(stdout), args.join(" "));
    }
    const { stdout } = await image(path, "--symbols");
    assertEquals(stdout, String.raw`0000000100001000 S _\x1b[2J\u{202e}` + "\n");
  });
});

Deno.test("damage costs its part alone, and is said on stderr", async () => {
  const bytes = buildImage({
    symbols: [{ name: "_a", offset: 0x1000, type: 0x0f }],
    functionStarts: [0x1000],
  });
  const cut = bytes.slice(0, 0x4000);
  await withFile(cut, async (path) => {
    const { code, stdout, stderr } = await image(path, "--all");
    assertEquals(code, 0);
    assertStringIncludes(stdout, "LC_SYMTAB");
    assertMatch(stderr, /^(machpause: warning: x86_64: [^\n]+\n)+$/);
    assertStringIncludes(stderr, "the symbol table: at offset 0x4000: 0 of 16 bytes are there");
  });
});

Deno.test("30,000 symbols that share a name of 60 KB: the output is bounded, and says so", async () => {
  const symbols = Array.from({ length: 30_000 }, (_, index) => ({
    name: index === 0 ? `_${"x".repeat(60_000)}` : "_",
    offset: 0x1000,
    type: 0x0f,
  }));
  const bytes = buildImage({ symbols });
  // Each entry, an nlist_64 of 16 bytes, begins with the place of its name: all get the first one's.
  const [{ loadCommands }] = new MachOFile(bytesSource(bytes, "shared")).images;
  const table = Number(loadCommands.find(({ name }) => name === "LC_SYMTAB")!.fields.symoff);
  for (let at = table; at < table + 16 * symbols.length; at += 16) {
    bytes.copyWithin(at, table, table + 4);
  }
  await withFile(bytes, async (path) => {
    for (const args of [["--symbols"], ["--symbols", "--json"]]) {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", program, "image", path, ...args],
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const said = new Response(child.stderr).text();
      let size = 0;
      for await (const chunk of child.stdout) size += chunk.length;
      assertEquals((await child.status).code, 1);
      assertMatch(await said, /: the output ends after \d+ MiB: its entries refer to many times/);
      // 1.8 GB without the bound, and four times that for debugger entries.
      assert(size > 64 << 20 && size <= 128 * bytes.length + (65 << 20), `${size}`);
    }
  });
});

Deno.test("what is no Mach-O file: exit code 1, one line", async () => {
  const cases: [bytes: Uint8Array, reason: string][] = [
    [new Uint8Array(), "expected a Mach-O header"],
    [new TextEncoder().encode("\x7fELF and what comes after it, of its header"), "is an ELF file"],
    [new TextEncoder().encode("#!/bin/sh\necho no image at all here\n"), "a Mach-O magic number"],
  ];
  for (const [bytes, reason] of cases) {
    await withFile(bytes, async (path) => {
      const { code, stdout, stderr } = await image(path);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^machpause: [^\n]+\n$/);
      assertStringIncludes(stderr, reason);
    });
  }
  const missing = await image("/no/such/file");
  assertEquals([missing.code, missing.stdout], [1, ""]);
  const other = await image(fixture("arm64/demo"), "--arch", "armv7");
  assertEquals(other.code, 1);
  assertStringIncludes(other.stderr, "an image for armv7; there is arm64");
  assertEquals((await image()).code, 2);
});
