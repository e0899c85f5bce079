/** `bt` of a process with 101 threads through lldb-server, against LLDB's own client, on loopback and with
 * 50 ms more for each round trip. */
import { findStub } from "../../ffi/stubs.ts";
import { LatencyProxy } from "../../tests/lib/remote/latency_proxy.ts";
import { startElf } from "./crowd.ts";
import { entry, median } from "./measure.ts";

/** Added latency of a round trip in milliseconds, and how often that is run. */
const rounds = [[0, 7], [50, 3]] as const;

/** Starts a stub; it listens when this returns. */
async function startStub(pid: number): Promise<{ port: number; done: Promise<unknown> }> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const child = new Deno.Command(await findStub("lldb-server", pid), {
    args: ["gdbserver", "--attach", `${pid}`, `127.0.0.1:${port}`],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const mark = `:${port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A`;
  while (!Deno.readTextFileSync("/proc/net/tcp").includes(mark)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { port, done: child.status };
}

interface Client {
  readonly name: string;
  readonly program: string;
  readonly proof: string;
  args(port: number): string[];
}

const clients: readonly Client[] = [
  {
    name: "`machpause bt remote:…`",
    program: Deno.execPath(),
    proof: "thread 100",
    args: (port) => ["run", "-A", entry, "bt", `remote:127.0.0.1:${port}`],
  },
  {
    name: "`lldb-19 -b -o 'gdb-remote …' -o 'bt all' -o detach`",
    program: "lldb-19",
    proof: "thread #101",
    args: (port) => ["-b", "-o", `gdb-remote 127.0.0.1:${port}`, "-o", "bt all", "-o", "detach"],
  },
];

/** Runs a client once.
 *
 * @returns the time it took, and the packets that it sent where a proxy counts them
 */
async function once(client: Client, pid: number, added: number): Promise<[number, number]> {
  const { port, done } = await startStub(pid);
  using proxy = added === 0 ? undefined : new LatencyProxy(port, added);
  const began = performance.now();
  const { stdout, stderr } = await new Deno.Command(client.program, {
    args: client.args(proxy?.port ?? port),
    stdin: "null",
    env: { NO_COLOR: "1" },
  }).output();
  const took = performance.now() - began;
  const text = new TextDecoder().decode(stdout);
  if (!text.includes(client.proof)) {
    throw new Error(`${client.name}: ${text}${new TextDecoder().decode(stderr)}`);
  }
  await done;
  return [took, proxy?.packets ?? 0];
}

/** Prints Markdown tables. */
export async function bench(): Promise<void> {
  const elf = await startElf();
  try {
    console.log("| added latency | client | minimum | median | packets |\n|---|---|---|---|---|");
    for (const [added, runs] of rounds) {
      const results = clients.map((): [number, number][] => []);
      for (let run = 0; run < runs; run++) {
        for (const [index, client] of clients.entries()) {
          results[index].push(await once(client, elf.pid, added));
        }
      }
      for (const [index, { name }] of clients.entries()) {
        const times = results[index].map(([time]) => time);
        const packets = results[index][0][1];
        const text = [Math.min(...times), median(times)].map((time) => `${Math.round(time)} ms`);
        console.log(`| ${added} ms | ${name} | ${text.join(" | ")} | ${packets || ""} |`);
      }
    }
  } finally {
    elf.kill();
  }
}

if (import.meta.main) await bench();
