import { assert, assertEquals, assertMatch } from "@std/assert";
import { translateArguments } from "../../../repl/cli/symbolicate.ts";
import { completeLength, findAddresses, replace } from "../../../repl/cli/symbolicate/filter.ts";
import { batches, lineBatches } from "../../../repl/cli/symbolicate/input.ts";
import { Lines } from "../../../repl/cli/symbolicate/lines.ts";
import { parseAddress, readWords } from "../../../repl/cli/symbolicate/words.ts";
import { root } from "../terminal.ts";

const program = new URL("repl/main.ts", root).pathname;
const fixtures = new URL("tests/fixtures/", root).pathname;
const examples = new URL("../../../examples/", import.meta.url).pathname;
const inlines = `${fixtures}inlines/x86_64/inlines`;
const dsym = `${fixtures}inlines/x86_64/dsym/inlines.dSYM`;
const stripped = `${examples}demo/arm64-stripped/demo`;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

interface Ended {
  readonly code: number;
  readonly lines: string[];
  readonly stderr: string;
}

/** Runs `machpause symbolicate`. */
async function symbolicate(args: string[], input = ""): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "symbolicate", ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(encoder.encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const lines = decoder.decode(stdout).split("\n");
  assertEquals(lines.pop(), "");
  return { code, lines, stderr: decoder.decode(stderr) };
}

async function answers(args: string[], input = ""): Promise<string[]> {
  const { code, lines, stderr } = await symbolicate(args, input);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return lines;
}

Deno.test("atos's lines: with a line, without one, without a name, in no image", async () => {
  assertEquals(
    await answers(["-o", dsym, "0x10000061f", "0x1000005f0", "0x1000005ef", "0x10", "100"]),
    [
      "outer (in inlines) (main.c:26)",
      "main (in inlines) (main.c:37)",
      "unused (in inlines) + 15",
      "0x10",
      "0x64",
    ],
  );
  const { lines, stderr } = await symbolicate(
    ["-o", stripped, "0x1000005dc", "0x100000820", "0x100003fff"],
  );
  assertEquals(lines, [
    "function_5d8 (in demo) + 4",
    "function_810 (in demo) + 16",
    "0x100003fff (in demo) + 16383",
  ]);
  assertMatch(
    stderr,
    /^machpause: warning: no debug information for .*demo \([\dA-F-]{36}\); .*\n$/,
  );
});

Deno.test("-i and -d: the functions that were inlined; --fullPath and -fullPath", async () => {
  const chain = ["innermost", "middle", "outer"].map((name, index) =>
    `${name} (in inlines) (main.c:${[13, 21, 26][index]})`
  );
  assertEquals(await answers(["-i", "-o", dsym, "0x10000061f"]), chain);
  assertEquals(await answers(["-i", "-d", " | ", "-o", dsym, "0x10000061f"]), [chain.join(" | ")]);
  for (const flag of ["--fullPath", "-fullPath", "--full-path"]) {
    assertEquals(await answers([flag, "-o", dsym, "0x10000061f"]), [
      "outer (in inlines) (/src/inlines/main.c:26)",
    ]);
  }
});

Deno.test("where the image was: -l, -s, -offset; several images", async () => {
  const line = "outer (in inlines) (main.c:26)";
  assertEquals(await answers(["-o", dsym, "-l", "0x104a3c000", "0x104a3c61f"]), [line]);
  // A load address is hexadecimal also where it looks like another number.
  assertEquals(await answers(["-o", dsym, "-l", "104000000", "0x10400061f"]), [line]);
  assertEquals(await answers(["-o", dsym, "-s", "0x4a3c000", "0x104a3c61f"]), [line]);
  assertEquals(await answers(["-o", dsym, "-offset", "0x61f"]), [line]);
  assertEquals(
    await answers([
      ...["-o", dsym, "-l", "0x200000000", "-o", `${examples}demo/x86_64/demo`],
      ...["-l", "0x300000000", "0x20000061f", "0x300000750"],
    ]),
    [line, "main (in demo) (demo.c:117)"],
  );
});

Deno.test("-arch chooses an image, and says what there is", async () => {
  assertEquals(await answers(["-o", dsym, "-arch", "x86_64", "0x10000061f"]), [
    "outer (in inlines) (main.c:26)",
  ]);
  const { code, stderr } = await symbolicate(["-o", dsym, "--arch", "arm64", "0x1"]);
  assertEquals(code, 1);
  assertMatch(stderr, /an image for arm64; there is x86_64\n$/);
});

Deno.test("names are demangled, unless --no-demangle", async () => {
  const args = ["-i", "-o", dsym, "0x100000655"];
  assertEquals(await answers([...args, "--no-demangle"]), [
    "_ZNK6helper7DoublerIiE5applyEi (in inlines) (helper.cpp:8)",
    "_ZNK6helper7DoublerIiE4callEiPFiiE (in inlines) (helper.cpp:12)",
  ]);
  const [first] = await answers(args);
  assertMatch(first, /^helper::Doubler<int>::apply/);
});

Deno.test("--json: one object a line, with exactly the documented keys", async () => {
  const lines = await answers(["--json", "-o", dsym, "0x100000655", "0x1000005ef", "0x10"]);
  const [call, padding, nowhere] = lines.map((line) => JSON.parse(line));
  const { frames, ...rest } = call;
  assertEquals(rest, {
    address: "0x100000655",
    image: "inlines",
    symbol: "_ZNK6helper7DoublerIiE4callEiPFiiE",
    offset: 5,
  });
  assertEquals(frames.length, 2);
  assertEquals(Object.keys(frames[0]), ["function", "file", "line", "column", "inlined"]);
  const { function: name, ...place } = frames[0];
  assertMatch(name, /^helper::Doubler<int>::apply/);
  assertEquals(place, { file: "/src/inlines/helper.cpp", line: 8, column: 16, inlined: true });
  assertEquals(padding, {
    address: "0x1000005ef",
    image: "inlines",
    symbol: "unused",
    offset: 15,
    frames: [],
  });
  const nothing = { image: null, symbol: null, offset: null, frames: [] };
  assertEquals(nowhere, { address: "0x10", ...nothing });
});

Deno.test("addresses from a file and from stdin, what is none answered by itself", async () => {
  const path = await Deno.makeTempFile();
  try {
    const text = "0x10000061f 0x1000005f0\n\nnothing\x1b[2J\n 1000005F0 1000001376";
    await Deno.writeTextFile(path, text);
    // Without 0x, digits are hexadecimal where one of them is a letter.
    const wanted = [
      "outer (in inlines) (main.c:26)",
      "main (in inlines) (main.c:37)",
      "nothing\\x1b[2J",
      "main (in inlines) (main.c:37)",
      "0x3b9acf60",
    ];
    assertEquals(await answers(["-o", dsym, "-f", path]), wanted);
    assertEquals(await answers(["-o", dsym], text), wanted);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("stdin is answered as it comes", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "symbolicate", "-o", dsym],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader();
  for (const [address, line] of [["0x10000061f", 26], ["0x1000005f0", 37]] as const) {
    await writer.write(encoder.encode(`${address}\n`));
    assertMatch(decoder.decode((await reader.read()).value), new RegExp(`main.c:${line}\\)\n$`));
  }
  await writer.close();
  assertEquals((await reader.read()).done, true);
  assertEquals((await child.status).code, 0);
});

Deno.test("a reader that has gone ends it, quietly", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "symbolicate", "-o", dsym],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stdout.cancel();
  const writer = child.stdin.getWriter();
  await writer.write(encoder.encode("0x10000061f\n".repeat(50_000))).catch(() => {});
  await writer.close().catch(() => {});
  const stderr = await new Response(child.stderr).text();
  assertEquals([(await child.status).code, stderr], [0, ""]);
});

Deno.test("--filter: a text with its addresses replaced", async () => {
  const text = "thread 0: 0x10000061f, 0x1000005F0\nelsewhere 0x10, a0x10000061f 0x10000061fg " +
    "0x10000061f00000000 \xff0x100000655";
  const raw = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, "symbolicate", "-o", dsym, "--filter", "--no-demangle"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // In pieces: an address that is cut is put together.
  await writer.write(raw.subarray(0, 16));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await writer.write(raw.subarray(16));
  await writer.close();
  const { stdout } = await child.output();
  const shown = String.fromCharCode(...stdout);
  assertEquals(
    shown,
    "thread 0: outer (in inlines) (main.c:26), main (in inlines) (main.c:37)\n" +
      "elsewhere 0x10, a0x10000061f 0x10000061fg 0x10000061f00000000 " +
      "\xff_ZNK6helper7DoublerIiE4callEiPFiiE (in inlines) (helper.cpp:12)",
  );
});

Deno.test("--symbols finds the dSYM of a binary; a wrong one is refused by name", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const binary = `${folder}/inlines`;
    await Deno.copyFile(inlines, binary);
    const found = await answers(["-o", binary, "--symbols", dsym, "0x10000061f"]);
    assertEquals(found, ["outer (in inlines) (main.c:26)"]);
    await Deno.mkdir(`${folder}/symbols`);
    await Deno.copyFile(
      `${examples}demo/x86_64/demo.dSYM/Contents/Resources/DWARF/demo`,
      `${folder}/symbols/inlines`,
    );
    const { lines, stderr } = await symbolicate(
      ["-o", binary, "--symbols", `${folder}/symbols`, "0x10000061f"],
    );
    assertEquals(lines, ["outer (in inlines) + 15"]);
    assertMatch(
      stderr,
      /symbols\/inlines is not used: its UUID is 4C4C44B2-5555-3144-A16C-02A9F8C955D6\n/,
    );
    assertMatch(stderr, /object files are missing: .*main\.o\n/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name:
    "-o takes ELF files: as linked, where they were loaded, and those of another architecture are refused",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const program = `${directory}/program`;
      await Deno.writeTextFile(
        `${program}.c`,
        "int called(int a) {\n  return a + 1;\n}\nint main(void) {\n  return called(2);\n}\n",
      );
      const run = async (command: string, ...args: string[]) => {
        const { success, stdout } = await new Deno.Command(command, { args }).output();
        assert(success, command);
        return new TextDecoder().decode(stdout);
      };
      await run("cc", "-g", "-O0", "-o", program, `${program}.c`);
      const [, place] = /(\w+) T called/.exec(await run("nm", program))!;
      const linked = BigInt(`0x${place}`);
      const expected = ["called (in program) (program.c:1)"];
      assertEquals(await answers(["-o", program, `0x${place}`]), expected);
      const loaded = `0x${(0x7000_0000n + linked).toString(16)}`;
      // Where a program is linked for 0, as it is without -no-pie, offset and address are one.
      assertEquals(await answers(["-o", program, "-l", "0x70000000", loaded]), expected);
      const { code, stderr } = await symbolicate(["-o", program, "-arch", "armv7", "0x1"]);
      assertEquals(code, 1);
      assertMatch(stderr, /an image for armv7/);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test("a symbol table file says the same as what it was made from", async () => {
  const store = await Deno.makeTempDir();
  try {
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", program, "index", dsym, "-o", store],
      stdout: "null",
      stderr: "null",
    }).output();
    assert(success);
    const [table] = [...Deno.readDirSync(store)].map(({ name }) => `${store}/${name}`);
    // Of what is between functions a table has no symbol.
    const addresses = [[0x5e0, 0x5ef], [0x5f0, 0x609], [0x610, 0x627], [0x630, 0x64e], [
      0x650,
      0x65d,
    ]]
      .flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at))
      .map((offset) => `0x${(0x1_0000_0000 + offset).toString(16)}`);
    for (const flags of [["-i"], ["--json"]]) {
      const wanted = await answers([...flags, "-o", dsym], addresses.join("\n"));
      assertEquals(await answers([...flags, "-o", table], addresses.join("\n")), wanted);
      // Beside the stripped binary's other sources, the store comes first.
      const stored = [...flags, "-o", inlines, "--symbols", store];
      assertEquals(await answers(stored, addresses.join("\n")), wanted);
    }
    const placed = ["-o", table, "-l", "0x200000000", "0x20000061f"];
    assertEquals(await answers(placed), ["outer (in inlines) (main.c:26)"]);
  } finally {
    await Deno.remove(store, { recursive: true });
  }
});

Deno.test("what is wrong: one line, and the exit code", async () => {
  for (
    const [args, code, reason] of [
      [["0x1"], 2, "name a file with -o"],
      [["-o", dsym, "-l", "0x1", "-s", "0x1", "0x1"], 2, "exclude each other"],
      [["-o", dsym, "-l", "0x1", "-l", "0x2", "0x1"], 2, "once for each"],
      [["-o", dsym, "-l", "nowhere", "0x1"], 2, "not an address"],
      [["-o", dsym, "main"], 2, "main is not an address"],
      [["-o", dsym, "--json", "--filter"], 2, "--filter prints text"],
      [["-o", dsym, "-p", "1", "0x1"], 2, "its own images"],
      [["-o", "/no/such", "0x1"], 1, "there is no file /no/such"],
      [["-o", program, "0x1"], 1, "expected a Mach-O image"],
      [["-o", dsym, "-f", "/no/such"], 1, "there is no file /no/such"],
      [["-o", dsym, "--symbols", "/no/such", "0x1"], 1, "there is no folder /no/such"],
    ] as const
  ) {
    const ended = await symbolicate([...args]);
    assertEquals([ended.code, ended.lines], [code, []], args.join(" "));
    assertMatch(ended.stderr, /^machpause: [^\n]+\n$/);
    assert(ended.stderr.includes(reason), ended.stderr);
  }
});

Deno.test("flags of atos, addresses as typed", () => {
  assertEquals(
    translateArguments(["symbolicate", "-arch", "arm64", "-offset", "--fullPath", "-o", "x"]),
    ["symbolicate", "--arch", "arm64", "--offset", "--full-path", "-o", "x"],
  );
  assertEquals(translateArguments(["--", "-arch"]), ["--", "-arch"]);
  assertEquals(
    [
      "0x1F",
      "0X10",
      "12",
      "1f",
      "0xffffffffffffffff",
      "0x10000000000000000",
      "main",
      "0x",
      "-1",
      "",
    ]
      .map(parseAddress),
    [
      31n,
      16n,
      12n,
      31n,
      0xffff_ffff_ffff_ffffn,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ],
  );
});

Deno.test("a batch is what is there at once; lines are whole", async () => {
  const pieces = ["0x1\n0x", "2\n", null, "0x3", null, "\n0x4"];
  const read = async (into: Uint8Array) => {
    const piece = pieces.shift();
    if (piece === undefined) return null;
    if (piece === null) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return await read(into);
    }
    return encoder.encodeInto(piece, into).written;
  };
  const found: string[] = [];
  for await (const lines of lineBatches({ read })) found.push(decoder.decode(lines));
  assertEquals(found, ["0x1\n0x2\n", "0x3\n", "0x4"]);
  for await (const _ of batches({ read: () => Promise.resolve(null) })) throw new Error("no batch");
});

Deno.test("the words of a text, addresses apart; lines in any order", () => {
  const text = " 0x1F\t0xfedcba9876543210 main\n0x 0x12345678901234567 12\r\n1f 0xG";
  const { count, addresses, indices, others } = readWords(encoder.encode(text));
  assertEquals(count, 8);
  assertEquals([...addresses], [0x1fn, 0xfedc_ba98_7654_3210n, 12n, 0x1fn]);
  assertEquals([...indices], [0, 1, 5, 6]);
  assertEquals([...others], [[2, "main"], [3, "0x"], [4, "0x12345678901234567"], [7, "0xG"]]);
  assertEquals(readWords(new Uint8Array()).count, 0);

  const lines = new Lines(3);
  lines.set(2, "ü");
  lines.set(0, "x".repeat(100_000));
  lines.set(1, "");
  const shown = [...lines.pieces()].map((piece) => decoder.decode(piece.slice()));
  assertEquals(shown.length, 2);
  assertEquals(shown.join(""), `${"x".repeat(100_000)}\n\nü\n`);
});

Deno.test("addresses in a text that is cut anywhere", () => {
  const text = encoder.encode("at 0x12ab, 0xffff0000aaaa1111 x0x1 00x2 0x 0xg 0x5");
  assertEquals(
    findAddresses(text).map(({ address }) => address),
    [0x12abn, 0xffff_0000_aaaa_1111n, 5n],
  );
  for (let cut = 0; cut <= text.length; cut++) {
    const parts: Uint8Array[] = [];
    let rest = text.subarray(0, 0);
    for (const piece of [text.subarray(0, cut), text.subarray(cut)]) {
      const whole = new Uint8Array([...rest, ...piece]);
      const length = piece.byteOffset + piece.length === text.length && cut < text.length
        ? whole.length
        : completeLength(whole);
      const ready = whole.subarray(0, length);
      const found = findAddresses(ready);
      parts.push(...replace(ready, found, found.map(({ address }) => `<${address}>`)));
      rest = whole.subarray(length);
    }
    parts.push(
      ...replace(
        rest,
        findAddresses(rest),
        findAddresses(rest).map(({ address }) => `<${address}>`),
      ),
    );
    const shown = parts.map((part) => decoder.decode(part)).join("");
    assertEquals(shown, "at <4779>, <18446462601596113169> x0x1 00x2 0x 0xg <5>", `${cut}`);
  }
});
