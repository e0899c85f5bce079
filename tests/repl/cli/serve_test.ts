/** `machpause serve`. Two processes behind a balancer: `examples/servers.ts`. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openSymbolServer } from "../../../ffi/symbol_server.ts";
import { handlerFor, randomToken, type Site } from "../../../lib/symbol_server/mod.ts";
import { listen } from "../../../repl/cli/serve/listen.ts";
import { sourceReader } from "../../../ffi/source_reader.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { main } from "../../../repl/main.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const origin = "http://127.0.0.1:3000";
const seen: { path: string; length: number }[] = [];
const site: Site = {
  token: "secret",
  pages: new Map([["/profile.json", {
    body: "{}",
    type: "application/json",
    shared: true,
  }], ["/", { body: "<!doctype html>", type: "text/html" }]]),
  api: {
    limits: { body: 1000 },
    answer(path, body) {
      seen.push({ path, length: body.length });
      return Promise.resolve({ status: path === "/busy" ? 503 : 200, json: "{}" });
    },
  },
};
const handle = handlerFor(site);

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return handle(new Request(origin + path, init));
}

Deno.test("a path without the token gets nothing, not even permission to ask", async () => {
  const paths = ["/", "/symbolicate/v5", "/profile.json", "/secre", "/secret2/profile.json"];
  for (const path of paths) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await ask(path, { method, ...method === "POST" ? { body: "{}" } : {} });
      assertEquals(response.status, 404);
      assertEquals(response.headers.get("access-control-allow-origin"), null);
      assertEquals(await response.text(), "");
    }
  }
  assertEquals(seen, []);
});

Deno.test("with the token: any origin may ask, after the preflight that browsers make", async () => {
  const preflight = await ask("/secret/symbolicate/v5", {
    method: "OPTIONS",
    headers: {
      origin: "https://profiler.firefox.com",
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
      "access-control-request-private-network": "true",
    },
  });
  assertEquals(preflight.status, 204);
  assertEquals(
    Object.fromEntries([...preflight.headers].filter(([name]) => name.startsWith("access"))),
    {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "POST, GET, OPTIONS",
      "access-control-allow-headers": "content-type",
      "access-control-allow-private-network": "true",
      "access-control-max-age": "86400",
    },
  );
  const response = await ask("/secret/symbolicate/v5", { method: "POST", body: "{ }" });
  assertEquals([response.status, await response.text()], [200, "{}"]);
  assertEquals(response.headers.get("access-control-allow-origin"), "*");
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(seen.splice(0), [{ path: "/symbolicate/v5", length: 3 }]);
  const busy = await ask("/secret/busy", { method: "POST", body: "{}" });
  assertEquals([busy.status, busy.headers.get("retry-after")], [503, "1"]);
  seen.length = 0;
});

Deno.test("pages are served as they are; only those that are shared to other origins", async () => {
  const shared = await ask("/secret/profile.json");
  assertEquals(shared.headers.get("access-control-allow-origin"), "*");
  assertEquals(await shared.text(), "{}");
  for (const path of ["/secret", "/secret/"]) {
    const page = await ask(path);
    assertEquals(page.headers.get("access-control-allow-origin"), null);
    assertEquals(page.headers.get("content-type"), "text/html");
    assertEquals(await page.text(), "<!doctype html>");
  }
  assertEquals((await ask("/secret/../etc/passwd")).status, 404);
  assertEquals((await ask("/secret/profile.json", { method: "DELETE" })).status, 405);
});

Deno.test("a body that is too long is not read to its end", async () => {
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(600));
    },
  });
  const response = await ask("/secret/symbolicate/v5", { method: "POST", body });
  assertEquals(response.status, 413);
  assert(pulled < 10);
  assertStringIncludes((await response.json()).error, "too long");
  assertEquals(seen, []);
});

Deno.test("listening: loopback, the next free port, and one that is taken", async () => {
  const first = listen(handle, {});
  const port = Number(new URL(first.origin).port);
  assertMatch(first.origin, /^http:\/\/127\.0\.0\.1:30\d\d$/);
  assertEquals(await (await fetch(`${first.origin}/__lbheartbeat__`)).text(), "ok\n");
  let message = "";
  try {
    listen(handle, { port });
  } catch (error) {
    message = (error as Error).message;
  }
  assertStringIncludes(message, `port ${port} is in use`);
  first.stop();
  await first.finished;
});

Deno.test("source files: below the folders only, through links as well", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/src`);
    await Deno.writeTextFile(`${folder}/src/main.c`, "int x;");
    await Deno.writeTextFile(`${folder}/other.c`, "secret");
    await Deno.symlink("../other.c", `${folder}/src/link.c`);
    const read = sourceReader([`${folder}/src`]);
    assertEquals(new TextDecoder().decode(read(`${folder}/src/main.c`, 100)!), "int x;");
    const refused = ["other.c", "src/link.c", "src/../other.c", "src", "src/none.c"];
    for (const path of refused) assertEquals(read(`${folder}/${path}`, 100), null);
    assertEquals(read(`${folder}/src/main.c`, 3), null);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a server in a program of one's own answers as serve's does; sources are not sent unless asked for", async () => {
  const folder = new URL("../../fixtures/inlines/x86_64/", import.meta.url).pathname;
  const image = Image.fromFile(await Deno.readFile(`${folder}inlines`), "inlines");
  const [{ address }] = image.findSymbols("main");
  const id = `${image.uuid!.replaceAll("-", "")}0`;
  const offset = Number(address - image.loadAddress);
  // deno-lint-ignore no-explicit-any
  const post = async (path: string, body: unknown, sources: string[] = []): Promise<any> => {
    using server = openSymbolServer({ symbols: [folder], sources });
    const handle = handlerFor({ token: null, api: server });
    const init = { method: "POST", body: JSON.stringify(body) };
    return await (await handle(new Request(`${origin}${path}`, init))).json();
  };
  const job = { memoryMap: [["inlines", id]], stacks: [[[0, offset]]] };
  const { results: [{ stacks: [[frame]] }] } = await post("/symbolicate/v5", { jobs: [job] });
  assertEquals([frame.function, frame.function_offset], ["main", "0x0"]);
  assertMatch(frame.file, /main\.c$/);
  const asked = {
    debugName: "inlines",
    debugId: id,
    moduleOffset: `0x${offset.toString(16)}`,
    file: frame.file,
  };
  // The file was there when the program was built.
  assertEquals((await post("/source/v1", asked)).error, "The source file is not served");
});

Deno.test("tokens cannot be guessed: 195 random bits", () => {
  const tokens = new Set(Array.from({ length: 100 }, randomToken));
  assertEquals(tokens.size, 100);
  for (const token of tokens) assertMatch(token, /^[0-9a-z]{39}$/);
});

Deno.test("wrong command lines end with one sentence", async () => {
  const lines: readonly (readonly [number, ...string[]])[] = [
    [2],
    [1, "--symbols", "/no/such/folder"],
    [2, "--symbols", "/", "--token", "a/b"],
    [2, "--symbols", "/", "--public", "--token", "x"],
    [2, "--symbols", "/", "--port", "http"],
    [1, "--symbols", "/", "--host", "256.0.0.1"],
  ];
  const written: string[] = [];
  const write = Deno.stderr.writeSync;
  Deno.stderr.writeSync = (bytes) => {
    written.push(new TextDecoder().decode(bytes));
    return bytes.length;
  };
  try {
    for (const [code, ...args] of lines) assertEquals(await main(["serve", ...args]), code);
  } finally {
    Deno.stderr.writeSync = write;
  }
  assertEquals(written.length, lines.length);
  for (const line of written) assertMatch(line, /^machpause: .+\n$/);
});

Deno.test("a store of symbol table files answers as the dSYM that they were made of", async () => {
  const dsym = new URL("../../fixtures/inlines/x86_64/dsym", import.meta.url).pathname;
  const store = await Deno.makeTempDir();
  try {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", program, "index", `${dsym}/inlines.dSYM`, "-o", store],
    }).output();
    assertEquals(code, 0);
    const request = {
      memoryMap: [["inlines", "4C4C44E355553144A15B6FD47115AD9A0"]],
      stacks: [[[0, 0x61c], [0, 0x651], [0, 0x625]]],
    };
    const body = new TextEncoder().encode(JSON.stringify(request));
    const answers = [];
    for (const folder of [dsym, store]) {
      using server = openSymbolServer({ symbols: [folder] });
      const { json } = await server.answer("/symbolicate/v5", body);
      // A table does not say where a function ends.
      answers.push(json.replace(/"function_size":"0x[0-9a-f]+",/g, ""));
    }
    assertStringIncludes(answers[1], '"function":"outer","function_offset":"0xc"');
    assertEquals(answers[1], answers[0]);
  } finally {
    await Deno.remove(store, { recursive: true });
  }
});
