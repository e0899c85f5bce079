/** Holds the rows of call-frame information to those that `llvm-dwarfdump` prints: of fixtures, of
 * what clang makes for every Darwin architecture, and of programs that people really run, which npm
 * has for Darwin: Rust's swc and C++'s libvips; Go, whose programs there are stripped, builds its own.
 */
import { assert, assertEquals } from "@std/assert";
import { CallFrameInfo } from "../../lib/dwarf/mod.ts";
import { Image } from "../../lib/macho/mod.ts";
import { dwarfdump, formatRow, type PrintedFdes } from "./cfi_dwarfdump.ts";
import { fixtureFiles, machOFiles } from "./macho_files.ts";

const kinds = ["eh_frame", "debug_frame"] as const;

/** Compares both sections of an image, and returns how many rows they have. */
async function compare(path: string): Promise<number> {
  const bytes = await Deno.readFile(path);
  const image = Image.fromFile(bytes, path);
  const printed = await dwarfdump(path, image.pointerSize * 8);
  const sections = image.segments.flatMap((segment) => segment.sections);
  let rows = 0;
  for (const kind of kinds) {
    const section = sections.find(({ name }) => name === `__${kind}`);
    if (section === undefined) continue;
    const { fileOffset, size, vmAddress } = section;
    const info = CallFrameInfo.parse(bytes.subarray(fileOffset, fileOffset + size), {
      address: vmAddress,
      pointerSize: image.pointerSize,
      kind,
      warn: (text) => {
        throw new Error(`${path}: ${text}`);
      },
    });
    rows += compareSection(`${path} __${kind}`, info, printed[kind]);
  }
  return rows;
}

function compareSection(what: string, info: CallFrameInfo, printed: PrintedFdes): number {
  let rows = 0;
  const offsets = new Set<number>();
  for (const fde of info.fdes) {
    offsets.add(fde.offset);
    const truth = printed.get(fde.offset);
    const where = `${what} FDE at 0x${fde.offset.toString(16)}`;
    assert(truth !== undefined, where);
    assertEquals([Number(fde.start), Number(fde.end)], [truth.start, truth.end], where);
    const ours = new Map(
      info.rows(fde).map(({ address, row }) => [Number(address), row && formatRow(row)]),
    );
    assertEquals(ours, truth.rows, where);
    rows += ours.size;
    // Functions of an object that is not linked may lie on each other.
    if (info.fdeAt(fde.start)?.offset !== fde.offset) continue;
    for (const [address, text] of truth.rows) {
      if (address >= truth.end) continue;
      const row = info.rowAt(BigInt(address));
      assertEquals(row && formatRow(row), text, `${where}, at 0x${address.toString(16)}`);
    }
  }
  for (const [offset, { start, end }] of printed) {
    assert(start === end || offsets.has(offset), `${what} FDE at 0x${offset.toString(16)} missing`);
  }
  return rows;
}

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, env })
    .output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

async function withDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await work(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("the fixtures' rows are those of llvm-dwarfdump", async () => {
  let rows = 0;
  for (const path of fixtureFiles()) {
    rows += await compare(path);
  }
  // Those of i386, which has no compact unwind information.
  assert(rows > 50, `${rows} rows`);
});

const source = `
struct Guard { Guard(); ~Guard(); };
int callee(int);
void take(int *, ...);
extern "C" int leaf(int a, int b) { return a * b + 1; }
int variable(int n) { take((int *)__builtin_alloca(n), n, 1.5, 2.5, n); return callee(n); }
int handled(int n) {
  Guard guard;
  try { return callee(n); } catch (int e) { return callee(e) + 1; }
}
int large(int a, int b, int c) {
  int x[5000];
  take(x, a, b, c);
  return x[a] + callee(b) * callee(c) + callee(a) * x[b] + x[c];
}
double floats(double a, double b, double c) {
  take(0, a, b, c);
  take(0, c, b, a);
  return a * b + c;
}
int early(int n) {
  if (n < 3) return n;
  take(&n, callee(n), callee(n + 1), callee(n + 2));
  return n;
}
`;

/** The same without what needs exceptions, in C, so that nothing needs `__eh_frame`. */
const plainSource = source.replace('extern "C" ', "").replace(/struct Guard.*\n/, "")
  .replace(/int handled[^]*?\n}\n/, "");

const triples = [
  "x86_64-apple-macos11",
  "arm64-apple-macos11",
  "arm64e-apple-macos11",
  "i386-apple-macos10.6",
  "armv7k-apple-watchos3",
];

for (const triple of triples) {
  Deno.test(`clang's rows for ${triple} are those of llvm-dwarfdump`, async () => {
    await withDirectory(async (directory) => {
      await Deno.writeTextFile(`${directory}/test.cpp`, source);
      await Deno.writeTextFile(`${directory}/test.c`, plainSource);
      const unwindless = ["-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"];
      const variants = [
        ["test.cpp", "-O0", "-fasynchronous-unwind-tables"],
        ["test.cpp", "-Os", "-fomit-frame-pointer", "-fasynchronous-unwind-tables"],
        ["test.cpp", "-O2", "-fasynchronous-unwind-tables"],
        // Signs return addresses, where that can be.
        ...triple.startsWith("arm64")
          ? [["test.cpp", "-O2", "-mbranch-protection=pac-ret", "-fasynchronous-unwind-tables"]]
          : [],
        ["test.c", "-O0", "-gdwarf-2", "-fforce-dwarf-frame", ...unwindless],
        ["test.c", "-O2", "-gdwarf-4", "-fforce-dwarf-frame", ...unwindless],
        [
          "test.c",
          "-Os",
          "-gdwarf-5",
          "-fforce-dwarf-frame",
          "-fomit-frame-pointer",
          ...unwindless,
        ],
      ];
      for (const variant of variants) {
        await run("clang-19", [
          ...["-target", triple, ...variant, "-w", "-fno-builtin", "-c", "-o", "test.o"],
          ...variant[0] === "test.cpp" ? ["-fexceptions", "-fcxx-exceptions"] : [],
        ], directory);
        const rows = await compare(`${directory}/test.o`);
        assert(rows > 1, `${rows} rows of ${variant.join(" ")}`);
      }
    });
  });
}

/** Instructions that compilers write seldom, as bytes. */
const assembly = `
.text
.globl _all
_all:
.cfi_startproc
.long 0
.cfi_def_cfa_offset 16
.cfi_remember_state
.cfi_escape 0x09, 3, 4                          # register
.long 0
.cfi_escape 0x07, 5                             # undefined
.cfi_escape 0x08, 6                             # same_value
.long 0
.cfi_escape 0x14, 7, 3                          # val_offset
.cfi_escape 0x15, 8, 0x7d                       # val_offset_sf
.cfi_escape 0x11, 9, 0x7d                       # offset_extended_sf
.cfi_escape 0x2e, 16                            # GNU_args_size
.fill 300
.cfi_escape 0x10, 10, 5, 0x77, 8, 0x23, 16, 6   # expression
.cfi_escape 0x16, 11, 5, 0x77, 8, 0x23, 16, 6   # val_expression
.fill 70000
.cfi_escape 0x0f, 3, 0x76, 0x78, 6              # def_cfa_expression
.long 0
.cfi_escape 0x0c, 6, 32                         # def_cfa
.long 0
.cfi_escape 0x06, 11                            # restore_extended
.cfi_escape 0x12, 7, 0x7c                       # def_cfa_sf
.long 0
.cfi_escape 0x13, 0x7b                          # def_cfa_offset_sf
.long 0
.cfi_escape 0x05, 12, 6                         # offset_extended
.cfi_restore_state
.long 0
.cfi_endproc
.globl _signal
_signal:
.cfi_startproc
.cfi_signal_frame
.long 0
.cfi_def_cfa_register 6
.long 0
.cfi_endproc
`;

Deno.test("rows of every instruction are those of llvm-dwarfdump", async () => {
  await withDirectory(async (directory) => {
    for (const triple of triples) {
      const comment = triple.startsWith("arm") ? "//" : "#";
      await Deno.writeTextFile(`${directory}/test.s`, assembly.replaceAll("#", comment));
      await run("clang-19", ["-target", triple, "-c", "test.s", "-o", "test.o"], directory);
      assertEquals(await compare(`${directory}/test.o`), 12, triple);
    }
  });
});

async function hasGo(): Promise<boolean> {
  try {
    return (await new Deno.Command("go", { args: ["version"] }).output()).success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "Go's rows are those of llvm-dwarfdump",
  // Debian's golang-go.
  ignore: !await hasGo(),
  fn: () =>
    withDirectory(async (directory) => {
      await Deno.writeTextFile(
        `${directory}/main.go`,
        "package main\nfunc main() { println(1) }\n",
      );
      // Compressed, the section would not be called __debug_frame.
      await run(
        "go",
        ["build", "-ldflags=-compressdwarf=false", "-o", "program", "main.go"],
        directory,
        { GOOS: "darwin", GOARCH: "arm64", CGO_ENABLED: "0", GOCACHE: `${directory}/cache` },
      );
      const rows = await compare(`${directory}/program`);
      assert(rows > 3000, `${rows} rows`);
    }),
});

const packages = [
  { name: "@swc/core-darwin-x64@1.13.5", rows: 300 },
  { name: "@img/sharp-libvips-darwin-x64@1.2.3", rows: 300 },
  { name: "@img/sharp-libvips-darwin-arm64@1.2.3", rows: 1000 },
];

for (const { name, rows } of packages) {
  Deno.test(`the rows of ${name} are those of llvm-dwarfdump`, async () => {
    await withDirectory(async (directory) => {
      const archive = await run("npm", ["pack", name, "--silent"], directory);
      await run("tar", ["xzf", archive.trim()], directory);
      let found = 0;
      for (const path of machOFiles(`${directory}/package/`)) found += await compare(path);
      assert(found > rows, `${found} rows`);
    });
  });
}
