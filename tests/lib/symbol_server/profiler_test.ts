/** The Firefox Profiler's own client of symbol servers, from its released package, asks ours over the HTTP
 * of `machpause serve`: what it refuses, a person would not see. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileSystem } from "../../../ffi/file_system.ts";
import { openSymbolizer } from "../../../mod.ts";
import { demangle, SymbolFiles } from "../../../lib/symbols/mod.ts";
import { SymbolServer } from "../../../lib/symbol_server/mod.ts";
import { handlerFor } from "../../../lib/symbol_server/mod.ts";
import { profilerClient, type ProfilerLib, type ProfilerNetwork } from "../profile/viewers.ts";

const folder = new URL("../../fixtures/inlines/x86_64", import.meta.url).pathname;
const uuid = new SymbolFiles(fileSystem.files, [folder]).named("inlines")[0].uuid;
const codeId = uuid.replaceAll("-", "");
const lib: ProfilerLib = {
  name: "inlines",
  codeId,
  debugName: "inlines",
  breakpadId: `${codeId}0`,
};
const client = profilerClient();
const base = "http://127.0.0.1:3000/token";

async function withServer(body: (network: ProfilerNetwork) => Promise<void>): Promise<void> {
  using server = new SymbolServer(fileSystem, {
    symbols: [folder],
    source: () => new TextEncoder().encode("int main;\n"),
  });
  const handle = handlerFor({ token: "token", api: server });
  await body({
    queryBrowserSymbolicationApi: () => Promise.reject(new Error("no browser")),
    async fetchUrlResponse(url, body) {
      const response = await handle(new Request(url, { method: "POST", body: body! }));
      if (response.status !== 200) throw new Error(await response.text());
      return response;
    },
  });
}

const offsets = [0x61c, 0x651, 0xfff_ffff];

Deno.test("the Profiler gets names, places, sizes and inlined calls; and is told of a missing library", () =>
  withServer(async (network) => {
    const gone = { ...lib, debugName: "gone", breakpadId: "627B03B886604653802321DD2256B8AD0" };
    const requests = [
      { lib, addresses: new Set(offsets) },
      { lib: gone, addresses: new Set([1]) },
    ];
    const [found, missing] = await client.symbolicate(
      "symbol server",
      requests,
      async (path, json) => await (await network.fetchUrlResponse(base + path, json)).json(),
    );
    assert(found.type === "SUCCESS", JSON.stringify(found));
    using symbolizer = openSymbolizer([{ path: `${folder}/inlines` }], { symbols: [folder] });
    const [image] = symbolizer.images.images;
    for (const offset of offsets.slice(0, 2)) {
      const { frames } = symbolizer.resolve(image.loadAddress + BigInt(offset));
      const seen = found.results.get(offset)!;
      const outer = frames.at(-1)!;
      assertEquals(seen.name, demangle(outer.function));
      assertEquals([seen.file, seen.line], [outer.location!.file, outer.location!.line]);
      assertEquals(
        (seen.inlines ?? []).map(({ name }) => name),
        frames.slice(0, -1).map(({ function: name }) => demangle(name)),
      );
      const match = image.symbolAt(image.loadAddress + BigInt(offset))!;
      assertEquals([seen.symbolAddress, seen.functionSize], [offset - match.offset, match.size!]);
    }
    assertEquals(found.results.get(offsets[2])!.name, "<unknown at 0xfffffff>");
    assert(missing.type === "ERROR");
    assertStringIncludes(missing.error.message, "does not have symbols for gone/");
  }));

Deno.test("the Profiler gets assembly and source, and sees our errors", () =>
  withServer(async (network) => {
    const symbol = { address: 0x610, functionSize: 1, functionSizeIsKnown: false };
    const { instructions, ...rest } = await client.assembly(symbol, lib, base, network);
    assertEquals(rest, { type: "SUCCESS" });
    assertEquals(instructions![0], { address: 0x610, decodedString: "push rbp" });
    assert(instructions!.length > 5);

    const proof = { ...lib, address: 0x61c };
    const file = "/src/inlines/main.c";
    const archives = new Map();
    const source = await client.source(file, null, base, proof, archives, network);
    assertEquals(source, { type: "SUCCESS", source: "int main;\n" });
    const other = await client.source("/etc/passwd", null, base, proof, archives, network);
    assertEquals(other.type, "ERROR");
    assertStringIncludes(JSON.stringify(other.errors), "not present in the symbolication frames");
  }));
