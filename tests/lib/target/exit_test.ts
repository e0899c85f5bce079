/** However a script ends, what it had stopped runs again. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { addressOf, progress, startDemo } from "./demo.ts";
import { canLaunch, ownBuild } from "../../machine.ts";

const entry = new URL("../../../mod.ts", import.meta.url).href;

/** A script that stops the demo in one way and ends in another. */
function script(pid: number, stop: string, end: string): string {
  return `
    import { attach } from ${JSON.stringify(entry)};
    const target = attach(${pid});
    ${stop}
    console.log("stopped");
    ${end}
  `;
}

const stops = {
  "a pause": "const pause = target.pause();",
  "a suspended thread": `
    const thread = target.threads.find(({ name }) => name === "demo.spin");
    thread.suspend();
  `,
};

const ends: Record<string, { code: string; signal?: Deno.Signal; exit: number }> = {
  "the script's end": { code: "", exit: 0 },
  "Deno.exit": { code: "Deno.exit(3);", exit: 3 },
  "an uncaught error": { code: 'throw new Error("oh");', exit: 1 },
  "an unhandled rejection": {
    code: 'Promise.reject(new Error("oh")); await new Promise((r) => setTimeout(r, 60_000));',
    exit: 1,
  },
  "SIGINT": {
    code: "await new Promise((resolve) => setTimeout(resolve, 60_000));",
    signal: "SIGINT",
    exit: 130,
  },
  "SIGTERM": {
    code: "await new Promise((resolve) => setTimeout(resolve, 60_000));",
    signal: "SIGTERM",
    exit: 143,
  },
  "SIGKILL": {
    code: "await new Promise((resolve) => setTimeout(resolve, 60_000));",
    signal: "SIGKILL",
    exit: 137,
  },
};

for (const [what, stop] of Object.entries(stops)) {
  for (const [how, { code, signal, exit }] of Object.entries(ends)) {
    Deno.test({ name: `${what}, then ${how}: it runs on`, ignore: !canLaunch }, async () => {
      using target = await startDemo(ownBuild);
      const directory = await Deno.makeTempDir();
      try {
        const path = `${directory}/script.ts`;
        await Deno.writeTextFile(path, script(target.pid, stop, code));
        const child = new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--no-check", path],
          stdout: "piped",
          stderr: "piped",
        }).spawn();
        const reader = child.stdout.getReader();
        const { value } = await reader.read();
        assertStringIncludes(new TextDecoder().decode(value), "stopped");
        reader.releaseLock();
        if (signal !== undefined) {
          const held = progress(target)[1];
          await new Promise((resolve) => setTimeout(resolve, 20));
          assertEquals(progress(target)[1], held, "it was not stopped");
          child.kill(signal);
        }
        const [status] = await Promise.all([child.status, child.stdout.cancel()]);
        await child.stderr.cancel();
        assertEquals(status.code, exit);
        const before = progress(target);
        for (let attempt = 0;; attempt++) {
          const now = progress(target);
          if (now.every((count, index) => count > before[index])) break;
          assert(attempt < 1000, `it does not go on: ${before} ${now}`);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } finally {
        target.kill();
        await Deno.remove(directory, { recursive: true });
      }
    });
  }
}

Deno.test(
  { name: "one thread stands still while the others run", ignore: !canLaunch },
  async () => {
    using target = await startDemo(ownBuild);
    try {
      const spin = target.threads.find(({ name }) => name === "demo.spin")!;
      spin.suspend();
      const [main, held, leaf] = progress(target);
      for (let attempt = 0;; attempt++) {
        const now = progress(target);
        assertEquals(now[1], held);
        if (now[0] > main && now[2] > leaf) break;
        assert(attempt < 1000, "the others do not run");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assertEquals(target.threads[spin.index].suspendCount, 1);
      {
        // A pause on top of it, and its end, leave the thread as it is.
        using _pause = target.pause();
      }
      assertEquals(progress(target)[1], held);
      spin.resume();
      for (let attempt = 0; progress(target)[1] === held; attempt++) {
        assert(attempt < 1000, "it does not go on");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    } finally {
      target.kill();
    }
  },
);

Deno.test({ name: "registers and memory are written in place", ignore: !canLaunch }, async () => {
  using target = await startDemo(ownBuild);
  try {
    const counter = addressOf(target, "demo_progress") + 8n;
    {
      using _pause = target.pause();
      target.memory.write(counter, new Uint8Array(8));
      assertEquals(target.memory.readU64(counter), 0n);
      const spin = target.threads.find(({ name }) => name === "demo.spin")!;
      const before = spin.registers.get("r15")!;
      spin.setRegister("r15", 0x1122334455667788n);
      assertEquals(spin.registers.get("r15"), 0x1122334455667788n);
      spin.setRegister("r15", before);
    }
    for (let attempt = 0; target.memory.readU64(counter) === 0n; attempt++) {
      assert(attempt < 1000, "it does not go on");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } finally {
    target.kill();
  }
});
