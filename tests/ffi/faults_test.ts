/** The shim over a Mach whose every call can fail: see faults/faults.c. */
import { assertEquals } from "@std/assert";

const root = new URL("../../", import.meta.url).pathname;

Deno.test("whichever Mach call fails, the shim gives back every port, array and suspension", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const program = `${directory}/faults`;
    const build = await new Deno.Command("cc", {
      args: ["-std=c11", "-g", "-O1", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror"]
        .concat(["-I", `${root}ffi/shim`, "-o", program])
        .concat(["-pthread"])
        .concat(
          [
            ...["shim.c", "sample.c", "watchdog.c", "darwin/sampling.c"].map((file) =>
              `ffi/shim/${file}`
            ),
            "tests/ffi/faults/faults.c",
          ].map((file) => root + file),
        ),
    }).output();
    assertEquals(new TextDecoder().decode(build.stderr), "");
    const { code, stderr } = await new Deno.Command(program).output();
    assertEquals(new TextDecoder().decode(stderr), "");
    assertEquals(code, 0);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
