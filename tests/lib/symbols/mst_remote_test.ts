import { assert, assertEquals, assertRejects } from "@std/assert";
import { archs } from "../../../lib/arch/mod.ts";
import { MstBuilder, UnitEncoder } from "../../../lib/symbols/mst/mod.ts";
import { FormatError } from "../../../mod.ts";
import { type AsyncByteSource, openRemoteMst, readAtMost } from "../../../lib/symbols/mod.ts";
import type { SourceFrame } from "../../../lib/symbols/mod.ts";
import { chance, plainFrames, randomUnit, unitTable } from "./mst_tables.ts";

const units = Array.from(
  { length: 700 },
  (_, index) => randomUnit(chance(index), 0x10000 * index, 4, false),
);

/** A file of some hundred kilobytes. */
const bytes = (() => {
  const builder = new MstBuilder({ uuid: null, arch: archs.arm64 });
  const encoder = new UnitEncoder(archs.arm64);
  const stream = builder.stream();
  for (const [index, unit] of units.entries()) {
    // Nothing is alike.
    const files = unit.files.map((file) => `${file}${index}`);
    stream.add(encoder.encode(unitTable({ ...unit, files })));
  }
  return new Uint8Array(builder.finish().flatMap((chunk) => [...chunk]));
})();

const expected = (offset: number): SourceFrame[] => {
  const index = Math.floor(offset / 0x10000);
  return plainFrames(units[index], offset).map((frame) => ({
    ...frame,
    location: frame.location &&
      { ...frame.location, file: `${frame.location.file}${index}` },
  }));
};

/** A web server that has the file and nothing else, and answers for ranges as RFC 9110 has it. */
function serve(): { url: string; requests: string[] } & AsyncDisposable {
  const requests: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const range = request.headers.get("range");
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    if (first === undefined) {
      return new Response(request.method === "HEAD" ? null : bytes, {
        headers: { "content-length": `${bytes.length}` },
      });
    }
    requests.push(range!);
    const part = bytes.slice(Number(first), Number(last) + 1);
    const place = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
    return new Response(part, { status: 206, headers: { "content-range": place } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/table.mst`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function webSource(url: string): Promise<AsyncByteSource> {
  const head = await fetch(url, { method: "HEAD" });
  await head.body?.cancel();
  return {
    name: url,
    size: Number(head.headers.get("content-length")),
    async read(offset, length) {
      const range = `bytes=${offset}-${offset + length - 1}`;
      return await readAtMost((await fetch(url, { headers: { range } })).body, length);
    },
  };
}

Deno.test("lookups over a web server, of which a few ranges are read", async () => {
  await using server = serve();
  const file = await openRemoteMst(await webSource(server.url));
  assertEquals(server.requests, ["bytes=0-4095"]);
  const offset = 0x10000 * 300 + 8;
  assertEquals(await file.framesAt(offset), expected(offset));
  assert(server.requests.length < 14, `${server.requests.length} requests`);
  const before = server.requests.length;
  assertEquals(await file.framesAt(offset), expected(offset));
  assertEquals(server.requests.length, before, "nothing is read twice");
  assertEquals((await file.functionAt(offset))?.start, 0x10000 * 300);
});

Deno.test("many lookups at once, each block being read once", async () => {
  await using server = serve();
  const file = await openRemoteMst(await webSource(server.url));
  const offsets = Array.from({ length: 350 }, (_, index) => 0x20000 * index + 4 * (index % 40));
  const frames = await Promise.all(offsets.map((offset) => file.framesAt(offset)));
  assertEquals(frames, offsets.map(expected));
  assertEquals(new Set(server.requests).size, server.requests.length);
  assert(server.requests.length <= bytes.length / 16384 + 4);
});

Deno.test("what a server damages is told, and so is what it does not send", async () => {
  const source = (read: (offset: number, length: number) => Uint8Array): AsyncByteSource => ({
    name: "elsewhere.mst",
    size: bytes.length,
    read: (offset, length) => Promise.resolve(read(offset, length)),
  });
  const broken = await openRemoteMst(source((offset, length) => {
    const part = bytes.slice(offset, offset + length);
    if (offset > 0) part[part.length - 1] ^= 1;
    return part;
  }));
  await assertRejects(() => broken.framesAt(0x10000 * 300), FormatError, "checksum");
  const short = await openRemoteMst(source((offset, length) => {
    return bytes.slice(offset, offset + (offset > 0 ? length - 1 : length));
  }));
  await assertRejects(() => short.framesAt(0x10000 * 300), FormatError, "cut short");
  await assertRejects(() => openRemoteMst(source(() => new Uint8Array(9))), FormatError);
  let fail = false;
  const flaky = await openRemoteMst(source((offset, length) => {
    if (fail) throw new Error("gone");
    return bytes.slice(offset, offset + length);
  }));
  fail = true;
  await assertRejects(() => flaky.framesAt(4), Error, "gone");
  fail = false;
  assertEquals(await flaky.framesAt(4), expected(4));
});

Deno.test("a server that never ends its answers is read up to what was asked of it", async () => {
  let sent = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    const piece = new Uint8Array(1 << 16);
    return new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(sent === 0 ? bytes.slice(0, 4096) : piece);
          sent += piece.length;
        },
      }),
    );
  });
  try {
    const url = `http://127.0.0.1:${server.addr.port}/`;
    const file = await openRemoteMst({
      name: url,
      size: bytes.length,
      read: async (_offset, length) => await readAtMost((await fetch(url)).body, length),
    });
    assertEquals(file.info.uuid, null);
    await assertRejects(() => file.framesAt(0x10000), FormatError);
    assert(sent < 64 << 20, `${sent} bytes`);
  } finally {
    await server.shutdown();
  }
});
