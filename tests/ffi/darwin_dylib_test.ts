/** The dylib that macOS users get, at work: mapped into this process by the Mach-O loader, over the
 * Linux implementation of the Mach calls. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { openKernel } from "../../ffi/mod.ts";
import { symbols } from "../../ffi/native.ts";
import { archs, readRegister } from "../../lib/arch/mod.ts";
import { MachError } from "../../lib/errors.ts";
import { contractTests } from "./contract.ts";
import { buildEmbedded, functionNames } from "./darwin_dylib/build.ts";
import { buildDirectory } from "./program.ts";
import { hasLoader, ownArch, testPrograms } from "../machine.ts";

Deno.test("the binding has the functions of machpause.h, all of them", () => {
  assertEquals(Object.keys(symbols).sort(), functionNames().sort());
});

if (hasLoader) {
  let library: Promise<string> | undefined;
  const build = async () => {
    if (testPrograms !== undefined) return `${testPrograms}/darwin/libembedded.so`;
    const directory = `${await buildDirectory()}/darwin`;
    await Deno.mkdir(directory, { recursive: true });
    return await buildEmbedded(directory);
  };
  const path = () => library ??= build();

  contractTests("the Darwin dylib", path);

  Deno.test("the code of the Darwin dylib is what runs", async () => {
    const kernel = openKernel({ library: await path() });
    const { pc, threadState } = archs[ownArch];
    const own = kernel.snapshotSelf({ stateSize: threadState.size, maxStack: 4096 });
    // The one thread that ran: its pc is in mp_snapshot_self() itself.
    const pcs = own.threads.filter(({ state }) => state.length > 0)
      .map(({ state }) => readRegister(state, pc));
    const regions = kernel.vmRegions(kernel.taskSelf(), 0n, 100_000, true);
    const code = regions.filter((region) =>
      region.path.endsWith("/libmachpause.dylib") && (region.protection & 4) !== 0
    );
    assertEquals(code.length, 1);
    assertStringIncludes(code[0].path, "/darwin/libmachpause.dylib");
    const inside = pcs.filter((pc) => pc >= code[0].address && pc < code[0].address + code[0].size);
    assert(inside.length === 1, `${inside.length} threads in the dylib`);
  });

  Deno.test("calls that the system lacks are not made", async () => {
    const kernel = openKernel({ library: await path() });
    const error = assertThrows(() => kernel.stackshot(), MachError);
    // The last that was looked for.
    assertStringIncludes(error.message, "stack_snapshot: KERN_NOT_SUPPORTED (46)");
  });
}
