/**
 * Two symbol servers behind a balancer. They keep no state, so any of them can answer, and the loss of one
 * costs nothing. The balancer here is a few lines; nginx, HAProxy or a load balancer of a cloud does the same:
 * ask `/__lbheartbeat__` whether a server is well, and the next one when a request fails.
 *
 *     deno task machpause run examples/servers.ts <image> [address…]
 *
 * For 0x10000061c and 0x100000651 in the dSYM of the inlines fixture it prints:
 *
 *     server 1 is well
 *     server 2 is well
 *     0x10000061c  outer  /src/inlines/main.c:26  by server 1
 *     0x100000651  helper::Doubler<int>::call(int, int (*)(int)) const  /src/inlines/helper.cpp:11  by server 2
 *     server 2 was killed
 *     0x10000061c  outer  /src/inlines/main.c:26  by server 1
 *     0x100000651  helper::Doubler<int>::call(int, int (*)(int)) const  /src/inlines/helper.cpp:11  by server 1
 */
import { escapeText, openSymbolizer } from "@machpause/machpause";

if (Deno.args.length === 0) {
  console.error("usage: servers.ts <image> [address…]");
  Deno.exit(2);
}
const [path, ...addresses] = Deno.args;
using symbolizer = openSymbolizer([{ path }]);
const [{ name, uuid, loadAddress }] = symbolizer.images.images;
/** All servers have the same one: clients know one address. */
const token = crypto.randomUUID();

/** Starts a server of a folder. */
async function serve(): Promise<{ process: Deno.ChildProcess; url: string }> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", Deno.mainModule, "serve", "--symbols", path, "--token", token],
    stdout: "piped",
  }).spawn();
  // Its first line is its address.
  let text = "";
  for await (const piece of process.stdout.pipeThrough(new TextDecoderStream())) {
    if ((text += piece).includes("\n")) break;
  }
  return { process, url: text.slice(0, text.indexOf("\n")) };
}

const servers = await Promise.all([serve(), serve()]);
for (const [index, { url }] of servers.entries()) {
  const answer = await fetch(new URL("/__lbheartbeat__", url));
  console.log(`server ${index + 1} is ${await answer.text() === "ok\n" ? "well" : "ill"}`);
}

/** The balancer: each request goes to the next server, and to another one when that fails. */
let turn = 0;
async function balanced(path: string, body: string): Promise<[server: number, text: string]> {
  for (const _ of servers) {
    const index = turn++ % servers.length;
    try {
      const response = await fetch(servers[index].url + path, { method: "POST", body });
      if (response.status < 500) return [index + 1, await response.text()];
    } catch {
      continue; // it is gone
    }
  }
  throw new Error("no server answers");
}

async function ask(): Promise<void> {
  for (const address of addresses) {
    const offset = Number(BigInt(address) - loadAddress);
    const memoryMap = [[name, `${uuid!.replaceAll("-", "")}0`]];
    const body = JSON.stringify({ jobs: [{ memoryMap, stacks: [[[0, offset]]] }] });
    const [server, text] = await balanced("/symbolicate/v5", body);
    const [[frame]] = JSON.parse(text).results[0].stacks;
    console.log(
      `${address}  ${escapeText(frame.function)}  ${escapeText(frame.file)}:${frame.line}` +
        `  by server ${server}`,
    );
  }
}

await ask();
servers[1].process.kill("SIGKILL");
await servers[1].process.status;
console.log("server 2 was killed");
await ask();
servers[0].process.kill();
await servers[0].process.status;
