/** Runs in the emulated machine alone: programs that only it can run, and cores for LLDB on the host, which
 * `cores_test.ts` compares. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { loaderPath } from "../../ffi/mod.ts";
import { attach, launch, type LiveTarget, type Thread } from "../../mod.ts";
import { archOn, archs } from "../../lib/arch/mod.ts";
import { coreStyles } from "../../lib/target/mod.ts";
import { chains, startDemo, yieldProcessor } from "../lib/target/demo.ts";
import { testPrograms } from "../machine.ts";

const ignore = testPrograms === undefined;

/** Kills the target at the end of a block. */
function owned(target: LiveTarget): Disposable {
  return {
    [Symbol.dispose]() {
      target.kill();
      target[Symbol.dispose]();
    },
  };
}

const names = (thread: Thread) => thread.backtrace().map(({ symbol }) => symbol?.name ?? "");

/** The processes that a process has started, of those that began after it. */
function childrenOf(pid: number): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((other) => {
    if (!(other > pid)) return false;
    const status = Deno.readTextFileSync(`/proc/${other}/status`);
    return status.includes(`\nPPid:\t${pid}\n`);
  });
}

for (const arch of ["arm64", "armv7"]) {
  Deno.test({ name: `${arch}: a paused demo's cores`, ignore }, async () => {
    const target = await startDemo(arch);
    using _target = owned(target);
    using _pause = target.pause();
    const shown = target.threads.map((thread) => ({
      id: `${thread.id}`,
      registers: Object.fromEntries(
        [...thread.registers].map(({ name, value }) => [name, `${value}`]),
      ),
      frames: thread.backtrace().map(({ address }) => `${address}`),
    }));
    for (const style of coreStyles) await target.saveCore(`/out/${arch}-${style}`, { style });
    await Deno.writeTextFile(`/out/${arch}.json`, JSON.stringify(shown));
  });

  for (const where of ["same", "alternate"]) {
    Deno.test({ name: `${arch}: in a signal handler on the ${where} stack`, ignore }, async () => {
      const target = await launch(`${testPrograms}/${arch}/signals-${where}`);
      using _target = owned(target);
      const chain = ["signals_done", "handler_calls", "handler", "_sigtramp"]
        .concat(["interrupted", "calls_interrupted", "main"]);
      let found: string[] = [];
      for (let tries = 0; tries < 10_000 && found[0] !== chain[0]; tries++) {
        // A snapshot has the one stack that a thread is on.
        using _pause = target.pause();
        found = names(target.threads[0]);
      }
      assertEquals(found.slice(0, chain.length), chain);
    });
  }
}

for (const arch of ["arm64", "armv7"]) {
  Deno.test({ name: `${arch}: open's variable argument is Darwin's`, ignore }, async () => {
    const folder = await Deno.makeTempDir();
    const { code } = await new Deno.Command(await loaderPath(arch as "arm64" | "armv7"), {
      args: [`${testPrograms}/${arch}/create`, `${folder}/made`],
    }).output();
    assertEquals([code, (await Deno.stat(`${folder}/made`)).mode! & 0o777], [0, 0o640]);
    await Deno.remove(folder, { recursive: true });
  });
}

Deno.test({ name: "the program's demo", ignore }, async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "repl/main.ts", "bt", "demo"],
    stdout: "piped",
  }).spawn();
  const timer = setInterval(() => {
    try {
      childrenOf(child.pid).forEach(yieldProcessor);
    } catch {
      // One of them has ended meanwhile.
    }
  }, 100);
  const { code, stdout } = await child.output().finally(() => clearInterval(timer));
  const text = new TextDecoder().decode(stdout);
  assertEquals(code, 0);
  for (const name of ["wait_for_event", "worker_lock", "worker_spin", "demo.c:"]) {
    assertStringIncludes(text, name);
  }
});

Deno.test({ name: "arm64: a Mach-O program that signs its return addresses", ignore }, async () => {
  const target = await launch(`${testPrograms}/arm64/signed`, [], { output: "null" });
  using _target = owned(target);
  const ready = target.lookup("demo_ready")[0].symbol.address;
  while (target.memory.readU32(ready) !== 1) {
    yieldProcessor(target.pid);
    await new Promise((done) => setTimeout(done, 10));
  }
  using _pause = target.pause();
  let signed = 0;
  for (const thread of target.threads) {
    const chain = chains.get(`${thread.name}`);
    if (chain === undefined) continue;
    const expected = chain.map(([, name]) => name);
    const own = names(thread).filter((name) => expected.includes(name));
    assertEquals(own, expected, `${thread.name}`);
    for (const { fp } of thread.backtrace().activations) {
      const stored = fp === undefined || fp === 0n ? 0n : target.memory.readU64(BigInt(fp) + 8n);
      if (stored >> 48n !== 0n) signed++;
    }
  }
  assert(signed > 50, `${signed} signed return addresses`);
});

Deno.test({
  name: "arm64: in a catch clause, a destructor on the way there, and a signal handler",
  ignore,
}, async () => {
  const child = new Deno.Command(`${testPrograms}/frames`, { stdout: "piped" }).spawn();
  try {
    let text = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.split("\n").length > 3) break;
    }
    const truth = text.trim().split("\n").map((line) => line.split(" "));
    assertEquals(truth.map(([name]) => name).sort(), ["catch", "destructor", "handler"]);
    using target = attach(child.pid);
    const image = (address: bigint) =>
      target.images.find(({ ranges }) =>
        ranges.some(({ start, end }) => address >= start && address < end)
      )?.name;
    const stacks = target.snapshot().threads.map((thread) =>
      thread.backtrace().map(({ address }) => address).filter((at) => image(at) === "frames")
    );
    for (const [name, ...addresses] of truth) {
      const expected = addresses.map((at) => BigInt(`0x${at}`)).filter((at) =>
        image(at) === "frames"
      );
      assert(expected.length >= (name === "handler" ? 3 : 2), `${name}: ${addresses}`);
      // Above them is stay(), which wrote them.
      const found = stacks.find((stack) => stack.at(-expected.length) === expected[0]);
      assertEquals(found?.slice(-expected.length), expected, name);
    }
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
});

Deno.test(
  { name: "arm64: the address mask is what the kernel tells a tracer", ignore },
  async () => {
    const { stdout } = await new Deno.Command(`${testPrograms}/pac-mask`).output();
    const [data, code] = new TextDecoder().decode(stdout).trim().split(" ")
      .map((text) => BigInt(`0x${text}`));
    const { addressMask } = archOn(archs.arm64, "linux");
    // Bit 55 tells the kernel's addresses from the user's; above it are tags.
    const user = (1n << 55n) - 1n;
    assertEquals([user & ~data, user & ~code], [addressMask, addressMask]);
  },
);
