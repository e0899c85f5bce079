/** Kills debuggers until told to stop:
 *
 *     deno task soak [--seconds N] [--seed N]
 *
 * It prints what it did, with the seed that chooses the same targets, debuggers and moments again.
 */
import { parseArgs } from "node:util";
import { buildHost } from "../../tools/build.ts";
import { buildDirectory } from "../ffi/program.ts";
import { Random } from "../fuzz/random.ts";
import { soak } from "./soak.ts";

/** Soaks the library for this machine; prints the outcome, and returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { seconds: { type: "string" }, seed: { type: "string" } },
  });
  const seconds = Number(values.seconds ?? 3600);
  const seed = Number(values.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  if (!(seconds > 0) || !Number.isInteger(seed)) {
    console.error("usage: deno task soak [--seconds N] [--seed N]");
    return 2;
  }
  console.log(`seed ${seed}`);
  const library = await buildHost(`${await buildDirectory()}/host`);
  const { kills, targets, slowest, slowestWait, slowestKind, findings } = await soak(
    library,
    new Random(seed),
    seconds * 1000,
  );
  console.log(
    `${targets} targets, ${kills} kills; a target (${slowestKind}) ran on after ` +
      `${Math.round(slowest)} ms at most, for ${
        Math.round(slowestWait)
      } ms of which the soak itself ` +
      "waited for a processor",
  );
  for (const finding of findings) console.log(finding);
  return findings.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
