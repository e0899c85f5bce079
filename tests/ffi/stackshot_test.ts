/** Taking stackshots: the shim and the binding over calls that answer as a test wants, and where there
 * are none. */
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type NativeKernel, openKernel } from "../../ffi/mod.ts";
import { MachError } from "../../lib/errors.ts";
import { readStackshot } from "../../lib/stackshot/mod.ts";
import { encodeKcdata } from "../lib/stackshot/kcdata_encoder.ts";
import { shot } from "../lib/stackshot/shot.ts";
import { encodeTrace } from "../lib/stackshot/trace_encoder.ts";
import { onLinux } from "../machine.ts";

const root = new URL("../../", import.meta.url).pathname;

/** The library over the calls in stackshot/stackshot.c.
 *
 * @param old only the system call of older kernels is there
 */
async function build(directory: string, old: boolean): Promise<NativeKernel> {
  const library = `${directory}/${old ? "old" : "new"}.so`;
  const sources = [...Deno.readDirSync(`${root}ffi/shim/linux`)]
    .filter(({ isFile, name }) => isFile && name.endsWith(".c"))
    .map(({ name }) => `${root}ffi/shim/linux/${name}`);
  const { success, stderr } = await new Deno.Command("cc", {
    args: ["-std=gnu11", "-O1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"]
      .concat("-fno-omit-frame-pointer", old ? "-DOLD" : "-UOLD", "-I", `${root}ffi/shim`)
      .concat(
        `${root}ffi/shim/shim.c`,
        `${root}ffi/shim/watchdog.c`,
        sources,
        `${root}tests/ffi/stackshot/stackshot.c`,
      )
      .concat("-shared", "-pthread", "-o", library),
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return openKernel({ library });
}

/** Darwin's `<sys/errno.h>`. */
const EPERM = 1, ESRCH = 3, ENOMEM = 12, EBUSY = 16, ENOTSUP = 45;

const refusals: readonly (readonly [error: number, code: string, remedy: string])[] = [
  [EPERM, "KERN_NO_ACCESS", "run with sudo"],
  [EPERM, "KERN_NO_ACCESS", "com.apple.private.stackshot"],
  [EPERM, "KERN_NO_ACCESS", "System Integrity Protection"],
  [ESRCH, "KERN_INVALID_VALUE", "there is no process with the pid 77"],
  [ENOMEM, "KERN_RESOURCE_SHORTAGE", "ask for one process"],
  [EBUSY, "KERN_FAILURE", "try again"],
  [ENOTSUP, "KERN_NOT_SUPPORTED", "machpause snapshot"],
];

if (onLinux) {
  Deno.test("a stackshot goes through the shim whole, from new kernels and old", async () => {
    const directory = await Deno.makeTempDir();
    const set = (name: string, value: string | undefined) =>
      value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
    try {
      set("FAKE_STACKSHOT", `${directory}/stackshot`);
      set("FAKE_STACKSHOT_LOG", `${directory}/log`);
      const log = () => {
        const text = Deno.readTextFileSync(`${directory}/log`);
        Deno.removeSync(`${directory}/log`);
        return text;
      };
      const give = (bytes: Uint8Array) => Deno.writeFileSync(`${directory}/stackshot`, bytes);
      const kernel = await build(directory, false);
      const made = encodeKcdata(shot);
      give(made);
      assertEquals(kernel.stackshot(), made);
      assertEquals(log(), "pid -1 flags 72b000f since 0 configs 1\n");
      assertEquals((await readStackshot(kernel.stackshot({ pid: 501 }), "taken")).tasks.length, 3);
      assertEquals(log(), "pid 501 flags 72b000f since 0 configs 1\n");
      kernel.stackshot({ since: 99n });
      assertEquals(log(), "pid -1 flags 72f000f since 99 configs 1\n");

      // More than the first buffer holds: it is taken again, for a larger one.
      const large = new Uint8Array(17 << 20);
      large.set(made);
      large[large.length - 1] = 42;
      give(large);
      const taken = kernel.stackshot();
      assertEquals([taken.length, taken.at(-1)], [large.length, 42]);
      assertEquals(log().split("\n").length, 3);

      const old = await build(directory, true);
      assertEquals(old.stackshot().length, large.length);
      assertEquals(log(), "pid -1 flags e\n".repeat(2));
      const trace = encodeTrace("10.9", shot);
      give(trace);
      assertEquals(old.stackshot({ pid: 5 }), trace);
      assertEquals(log(), "pid 5 flags e\n");
      const unsupported = assertThrows(() => old.stackshot({ since: 1n }), MachError);
      assertStringIncludes(unsupported.message, "stack_snapshot: KERN_NOT_SUPPORTED (46)");

      for (const [error, code, remedy] of refusals) {
        set("FAKE_STACKSHOT_ERROR", `${error}`);
        for (
          const [from, call] of [[kernel, "stackshot_capture_with_config"], [
            old,
            "stack_snapshot",
          ]] as const
        ) {
          const refused = assertThrows(() => from.stackshot({ pid: 77 }), MachError);
          assertStringIncludes(refused.message, `${call}: ${code}`);
          assertStringIncludes(refused.remedy ?? "", remedy);
        }
      }
      // Every configuration was given back.
      assertEquals(log().includes("configs 2"), false);
    } finally {
      for (const name of ["", "_LOG", "_ERROR"]) set(`FAKE_STACKSHOT${name}`, undefined);
      await Deno.remove(directory, { recursive: true });
    }
  });

  Deno.test("Linux takes no stackshots, and says what to do instead", () => {
    const error = assertThrows(() => openKernel().stackshot(), MachError);
    assertEquals(error.codeName, "KERN_NOT_SUPPORTED");
    assertStringIncludes(error.message, "machpause snapshot");
  });
}
