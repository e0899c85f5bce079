/** The symbol server as a function: shapes as in samply's `API.md` and its published snapshots. */
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { Image } from "../../../lib/macho/mod.ts";
import {
  defaultLimits,
  type ServerLimits,
  SymbolServer,
  type SymbolServerOptions,
} from "../../../lib/symbol_server/mod.ts";
import { demangle, openSymbolizer } from "../../../mod.ts";
import { FileTree, fixture } from "../symbols/file_tree.ts";

const demo = "examples/demo/x86_64/demo";
const inlines = "tests/fixtures/inlines/x86_64";
const dsym = `${inlines}/dsym/inlines.dSYM/Contents/Resources/DWARF/inlines`;
const root = new URL("../../../", import.meta.url).pathname;

const debugId = (image: Image): string => `${image.uuid!.replaceAll("-", "")}0`;
const demoImage = Image.fromFile(fixture(demo), "demo");
const inlinesImage = Image.fromFile(fixture(`${inlines}/inlines`), "inlines");

const tree = new FileTree({
  "/store/a/demo": demo,
  "/store/inlines.dSYM/Contents/Resources/DWARF/inlines": dsym,
  "/store/bin/inlines": `${inlines}/inlines`,
  "/etc/passwd": new TextEncoder().encode("secret"),
});

async function ask(
  path: string,
  request: unknown,
  options: Partial<SymbolServerOptions> & { readonly files?: FileTree } = {},
  // deno-lint-ignore no-explicit-any
): Promise<{ status: number; json: any }> {
  const { files = tree, ...rest } = options;
  using server = new SymbolServer({ files }, { symbols: ["/store"], ...rest });
  const text = typeof request === "string" ? request : JSON.stringify(request);
  const { status, json } = await server.answer(path, new TextEncoder().encode(text));
  return { status, json: JSON.parse(json) };
}

const offsetOf = (image: Image, name: string): number =>
  Number(image.findSymbols(name)[0].address - image.loadAddress);

/** An address in the program's innermost inlined call, and what the symbolizer says of it. */
function inlined(): { offset: number; frames: readonly { function: string }[] } {
  using symbolizer = openSymbolizer([{ path: `${root}${inlines}/inlines` }], {
    symbols: [`${root}${inlines}/dsym`],
  });
  const start = offsetOf(inlinesImage, "main");
  for (let offset = start; offset < start + 400; offset++) {
    const { frames } = symbolizer.resolve(inlinesImage.loadAddress + BigInt(offset));
    if (frames.length >= 3) return { offset, frames };
  }
  throw new Error("no inlined call");
}

Deno.test("symbolicate: functions, offsets and sizes of the symbol table, by UUID alone", async () => {
  const { address, size } = demoImage.findSymbols("main")[0];
  const offset = Number(address - demoImage.loadAddress);
  const module = ["any name", debugId(demoImage)];
  const { status, json } = await ask("/symbolicate/v5", {
    jobs: [{ memoryMap: [module], stacks: [[[0, offset + 4], [-1, 12]]] }],
  });
  assertEquals(status, 200);
  assertEquals(json, {
    results: [{
      stacks: [[
        {
          frame: 0,
          module_offset: `0x${(offset + 4).toString(16)}`,
          module: "any name",
          function: "main",
          function_offset: "0x4",
          function_size: `0x${size.toString(16)}`,
        },
        { frame: 1, module_offset: "0xc", module: "<unknown>" },
      ]],
      found_modules: { [module.join("/")]: true },
    }],
  });
});

Deno.test("symbolicate: the outer function, and inlined calls from inside out", async () => {
  const { offset, frames } = inlined();
  const { json } = await ask("/symbolicate/v5", {
    memoryMap: [["inlines", debugId(inlinesImage)]],
    stacks: [[[0, offset]]],
  });
  const [[frame]] = json.results[0].stacks;
  assertEquals(frame.function, frames.at(-1)!.function);
  assert(frame.file.endsWith("/main.c") && frame.line > 0);
  assertEquals(frame.inlines.length, frames.length - 1);
  assertEquals(frame.inlines[0].function, demangle(frames[0].function));
  for (const call of frame.inlines) assert(call.function && call.file && call.line > 0);
});

Deno.test("symbolicate: modules that are not there, invalid IDs, and those nobody asked about", async () => {
  const gone = ["libc.so.6", "627B03B886604653802321DD2256B8AD0"];
  const { json } = await ask("/symbolicate/v5", {
    memoryMap: [gone, ["odd", "1234"], ["unused", debugId(demoImage)]],
    stacks: [[[0, 1], [1, 2]], []],
  });
  const [{ stacks, found_modules, module_errors }] = json.results;
  assertEquals(stacks[1], []);
  assertEquals(stacks[0][0], { frame: 0, module_offset: "0x1", module: "libc.so.6" });
  assertEquals(found_modules, { [gone.join("/")]: false, "odd/1234": false });
  assertEquals(module_errors[gone.join("/")][0].name, "NoCandidatePathForDebugFile");
  assertEquals(module_errors["odd/1234"][0].name, "InvalidBreakpadId");
});

Deno.test("nothing outside of the folders is opened: not the object files of a debug map", async () => {
  const files = new FileTree({ "/store/inlines": `${inlines}/inlines` });
  await ask("/symbolicate/v5", {
    memoryMap: [["../../etc/passwd", debugId(inlinesImage)]],
    stacks: [[[0, offsetOf(inlinesImage, "main")]]],
  }, { files }).then(({ status }) => assertEquals(status, 400));
  await ask("/symbolicate/v5", {
    memoryMap: [["inlines", debugId(inlinesImage)]],
    stacks: [[[0, offsetOf(inlinesImage, "main")]]],
  }, { files });
  for (const path of files.asked) assert(path.startsWith("/store"), path);
  assertEquals(files.opened, 0);
});

Deno.test("what was added to the folders is found; files are closed, oldest first", async () => {
  const files = new FileTree({ "/store/demo": demo, "/store/inlines": `${inlines}/inlines` });
  using server = new SymbolServer({ files }, { symbols: ["/store"], limits: { open: 1 } });
  for (const image of [demoImage, inlinesImage, demoImage]) {
    const request = {
      memoryMap: [["x", debugId(image)]],
      stacks: [[[0, offsetOf(image, "main")]]],
    };
    const body = new TextEncoder().encode(JSON.stringify(request));
    const { json } = await server.answer("/symbolicate/v5", body);
    assertStringIncludes(json, '"function":"main"');
    assert(files.opened <= 2, `${files.opened} are open`);
  }
});

Deno.test("asm: instructions with samply's names, up to the function's end", async () => {
  const { address, size } = demoImage.findSymbols("main")[0];
  const start = Number(address - demoImage.loadAddress);
  const { json } = await ask("/asm/v1", {
    name: "demo",
    codeId: demoImage.uuid!.replaceAll("-", ""),
    startAddress: `0x${start.toString(16)}`,
    size: "0x1",
    continueUntilFunctionEnd: true,
  });
  assertEquals([json.startAddress, json.arch, json.syntax], [`0x${start.toString(16)}`, "x86_64", [
    "Intel",
  ]]);
  assert(Number(json.size) >= size);
  assertEquals(json.instructions[0], [0, "push rbp"]);
  for (const [offset, text] of json.instructions) {
    assert(Number.isInteger(offset) && typeof text === "string" && text !== "");
  }
  const outside = await ask("/asm/v1", {
    name: "demo",
    debugId: debugId(demoImage),
    startAddress: "0x7fffffff",
    size: "0x10",
  });
  assertEquals(outside.status, 500);
  assertStringIncludes(outside.json.error, "not found in any section");
});

Deno.test("source: only what the debug information names at that address, and only when it is served", async () => {
  const { offset } = inlined();
  const module = { debugName: "inlines", debugId: debugId(inlinesImage) };
  const at = { ...module, moduleOffset: `0x${offset.toString(16)}` };
  const { json: { results: [{ stacks: [[{ file }]] }] } } = await ask("/symbolicate/v5", {
    memoryMap: [["inlines", module.debugId]],
    stacks: [[[0, offset]]],
  });
  const asked: string[] = [];
  const source = (path: string) => {
    asked.push(path);
    return new TextEncoder().encode("int main;\n");
  };
  const found = await ask("/source/v1", { ...at, file }, { source });
  assertEquals(found.json, {
    symbolsLastModified: null,
    sourceLastModified: null,
    file,
    source: "int main;\n",
  });
  const other = await ask("/source/v1", { ...at, file: "/etc/passwd" }, { source });
  assertEquals(other.status, 500);
  assertStringIncludes(other.json.error, "not present in the symbolication frames");
  assertEquals(asked, [file]);
  const off = await ask("/source/v1", { ...at, file });
  assertStringIncludes(off.json.error, "not served");
});

Deno.test("wrong requests get 400 and one sentence", async () => {
  const job = { memoryMap: [["a", "B0"]], stacks: [] };
  const wrong: unknown[] = [
    "{",
    "[]",
    "null",
    { jobs: 1 },
    { jobs: [1] },
    { jobs: [{}] },
    { jobs: [{ ...job, memoryMap: [["a"]] }] },
    { jobs: [{ ...job, memoryMap: [["a/b", "B0"]] }] },
    { jobs: [{ ...job, memoryMap: [["a", "../x"]] }] },
    { jobs: [{ ...job, stacks: [1] }] },
    ...[[1, 0], [-2, 0], [0, -1], [0, 1.5], [0], [0, "1"], null].map((frame) => ({
      jobs: [{ ...job, stacks: [[frame]] }],
    })),
  ];
  for (const request of wrong) {
    const { status, json } = await ask("/symbolicate/v5", request);
    assertEquals([status, typeof json.error, Object.keys(json).length], [400, "string", 1]);
  }
  assertEquals((await ask("/symbolicate/v4", {})).status, 404);
  for (const path of ["/asm/v1", "/source/v1"]) {
    assertEquals((await ask(path, { startAddress: 1 })).status, 400);
  }
});

Deno.test("each bound of a request is kept", async () => {
  const id = debugId(demoImage);
  const offset = offsetOf(demoImage, "main");
  const job = { memoryMap: [["demo", id], ["demo", id]], stacks: [[[0, offset], [0, offset]]] };
  const bounds: readonly Partial<ServerLimits>[] = [
    { body: 100 },
    { jobs: 1 },
    { modules: 3 },
    { frames: 3 },
    { response: 200 },
  ];
  for (const limits of bounds) {
    const { status, json } = await ask("/symbolicate/v5", { jobs: [job, job] }, { limits });
    assertEquals([status, typeof json.error], [413, "string"], Object.keys(limits)[0]);
  }
  const asm = {
    name: "demo",
    debugId: id,
    startAddress: `0x${offset.toString(16)}`,
    size: `0x${(defaultLimits.code + 1).toString(16)}`,
  };
  assertEquals((await ask("/asm/v1", asm)).status, 413);
  const busy = await ask("/symbolicate/v5", { jobs: [] }, { limits: { requests: 0 } });
  assertEquals(busy.status, 503);
});

Deno.test("names of files and modules are text, not keys or markup", async () => {
  const text = `{"memoryMap":[["__proto__","${debugId(demoImage)}"]],"stacks":[[[0,4096]]]}`;
  const { json } = await ask("/symbolicate/v5", text);
  const [{ found_modules }] = json.results;
  assert(Object.hasOwn(found_modules, `__proto__/${debugId(demoImage)}`));
  assertFalse("polluted" in {});
});

Deno.test("a request that takes too long is ended, and others have their turn meanwhile", async () => {
  using server = new SymbolServer({ files: tree }, { symbols: ["/store"] });
  const id = debugId(inlinesImage);
  const request = (frames: number) =>
    new TextEncoder().encode(JSON.stringify({
      memoryMap: [["x", id]],
      stacks: [Array.from({ length: frames }, (_, offset) => [0, offset])],
    }));
  const end = new AbortController();
  const long = server.answer("/symbolicate/v5", request(60_000), end.signal);
  assertEquals((await server.answer("/symbolicate/v5", request(1))).status, 200);
  end.abort();
  const { status, json } = await long;
  assertEquals(status, 503);
  assertStringIncludes(json, "too long");
});
