/** Compares values of random Swift types with what Swift says of them: `swift/values.py` writes programs, which print
 * each variable by Mirror, and the layout of its type by its value witness table.
 *
 * Runs as root when it is told where a Swift compiler for Linux is: the root directory of a system that has it. It
 * may be made of unpacked packages, without being a system that starts: Debian 13 has `swiftlang`.
 *
 * ```sh
 * MACHPAUSE_SWIFT_ROOT=/srv/trixie deno test -A tests/oracle/swift_values_test.ts
 * ```
 *
 * `MACHPAUSE_SWIFT_SEEDS=5` is the number of programs; each has 150 types and about 630 variables. */

import { assert, assertEquals } from "@std/assert";
import { attach } from "../../mod.ts";
import "../../lib/target/variables.ts";
import { canonicalText, truthOf } from "./swift/canonical.ts";

const root = Deno.env.get("MACHPAUSE_SWIFT_ROOT");
const seeds = Number(Deno.env.get("MACHPAUSE_SWIFT_SEEDS") ?? 2);
const generator = new URL("swift/values.py", import.meta.url).pathname;

async function run(command: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`${command} ${args.join(" ")}\n${text.decode(stderr)}`);
  return text.decode(stdout);
}

for (let seed = 1; seed <= seeds; seed++) {
  Deno.test({
    name: `Swift's values as Mirror has them: seed ${seed}`,
    ignore: root === undefined,
    async fn() {
      const directory = await Deno.makeTempDir({ dir: root });
      const inside = directory.slice(root!.length).replace(/^\/*/, "/");
      try {
        const source = await run("python3", [generator, String(seed), "150"]);
        await Deno.writeTextFile(`${directory}/values.swift`, source);
        await run("chroot", [
          ...[root!, "/usr/bin/swiftc", "-g", "-Onone", `${inside}/values.swift`],
          ...["-module-cache-path", `${inside}/modules`, "-o", `${inside}/values`],
        ]);
        const child = new Deno.Command("chroot", {
          args: [root!, `${inside}/values`],
          stdout: "piped",
        }).spawn();
        try {
          // It stops after the last line.
          let said = "";
          for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
            said += chunk;
            if (/^stopped$/m.test(said)) break;
          }
          compareAll(child.pid, said);
        } finally {
          child.kill("SIGKILL");
          await child.status;
        }
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    },
  });
}

function compareAll(pid: number, said: string): void {
  const truth = truthOf(said);
  using target = attach(pid);
  using _pause = target.pause();
  const differences: string[] = [];
  let count = 0;
  for (const frame of target.threads[0].backtrace({ limit: 500 })) {
    for (const variable of frame.variables) {
      const expected = truth.get(variable.name);
      if (expected === undefined) continue;
      truth.delete(variable.name);
      count++;
      const text = canonicalText(variable);
      if (text === expected.text) continue;
      differences.push(`${variable.name} ${variable.type.name}: ${text}, not ${expected.text}`);
    }
  }
  assertEquals(differences, []);
  assertEquals([...truth.keys()], []);
  assert(count > 600, `${count} variables`);
}
