/** The cores that `live_test.ts` saved in the emulated machine, opened here: as they were shown there, and as
 * LLDB shows them. `deno task test:arm` runs this when the machine has ended. */
import { assertEquals } from "@std/assert";
import { coreStyles } from "../../lib/target/mod.ts";
import { openCore } from "../../mod.ts";
import { compareWithLldb } from "../oracle/lldb_core.ts";

/** Where the machine's files are; set by `main.ts`. */
const folder = Deno.env.get("MACHPAUSE_ARM_CORES");

for (const arch of ["arm64", "armv7"]) {
  for (const style of coreStyles) {
    Deno.test(
      { name: `${arch}: a core of style ${style}`, ignore: folder === undefined },
      async () => {
        const path = `${folder}/${arch}-${style}`;
        const shown = JSON.parse(await Deno.readTextFile(`${folder}/${arch}.json`));
        {
          using core = openCore(path);
          assertEquals(
            core.threads.map((thread) => ({
              id: `${thread.id}`,
              registers: Object.fromEntries(
                [...thread.registers].map(({ name, value }) => [name, `${value}`]),
              ),
              frames: thread.backtrace().map(({ address }) => `${address}`),
            })),
            shown,
          );
        }
        await compareWithLldb(path, style);
      },
    );
  }
}
