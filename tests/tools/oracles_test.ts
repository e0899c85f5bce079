import { assertEquals } from "@std/assert";
import { ignoredTests } from "../../tools/oracles.ts";

Deno.test("the oracles that did not run are told from Deno's own report", async () => {
  const file = await Deno.makeTempFile({ suffix: "_test.ts" });
  try {
    await Deno.writeTextFile(
      file,
      `Deno.test("runs", () => {});
       Deno.test({ name: "has no sources", ignore: true, fn() {} });
       Deno.test({ name: "has no ... tool", ignore: true, fn() {} });`,
    );
    for (const NO_COLOR of ["", "1"]) {
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["test", "--no-check", file],
        env: { NO_COLOR },
      }).output();
      const names = ignoredTests(new TextDecoder().decode(stdout));
      assertEquals(names, ["has no sources", "has no ... tool"]);
    }
  } finally {
    await Deno.remove(file);
  }
});
