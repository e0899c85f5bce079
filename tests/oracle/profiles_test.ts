/** Profiles for pprof, as Go's own pprof reads them; and as the text of sample, as Apple's script in FlameGraph
 * reads it. For that, name a checkout:
 *
 *     MACHPAUSE_FLAMEGRAPH=$PWD/FlameGraph deno task test:oracle tests/oracle/profiles_test.ts
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { writeProfile } from "../../lib/profile/formats.ts";
import { sampleLines } from "../../lib/report/write/sample.ts";
import { knownProfile } from "../lib/profile/known_profile.ts";

const hasGo = await new Deno.Command("go", { args: ["version"], stdout: "null", stderr: "null" })
  .output().then(({ success }) => success, () => false);

Deno.test({ name: "profiles, against Go's pprof", ignore: !hasGo }, async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/known.pb.gz`;
    await Deno.writeFile(path, await writeProfile(knownProfile(), { format: "pprof" }));
    const pprof = async (...args: string[]): Promise<string> => {
      const { success, stdout, stderr } = await new Deno.Command("go", {
        args: ["tool", "pprof", ...args, path],
        env: { TZ: "UTC", PPROF_TMPDIR: folder },
      }).output();
      const decoder = new TextDecoder();
      assert(success, decoder.decode(stderr));
      return decoder.decode(stdout);
    };

    const top = await pprof("-top");
    assertStringIncludes(top, "File: demo\n");
    assertStringIncludes(top, "Build ID: 0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9\n");
    assertStringIncludes(top, "Type: samples\n");
    assertStringIncludes(top, "Total samples = 200 ");
    const shares = [...top.matchAll(/^ *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+% +(.+)$/gm)]
      .map(([, flat, cumulative, name]) => [name, Number(flat), Number(cumulative)]);
    // pprof cuts the parameters of templates.
    assertEquals(shares.sort(), [
      ["[libsystem_kernel.dylib]", 98, 98],
      ["burn_sixty", 60, 60],
      ["burn_thirty", 0, 30],
      ["main", 0, 100],
      ["square; fast (inline)", 30, 30],
      ["std::burn", 10, 10],
      ["work", 0, 98],
    ]);

    const lines = await pprof("-top", "-lines");
    assertStringIncludes(lines, "burn_thirty /src/demo.c:22\n");
    assertStringIncludes(lines, "square; fast /src/demo.c:3 (inline)\n");
    const threads = await pprof("-tags");
    // Of samples with an empty stack pprof counts the weight, but not the labels.
    assertStringIncludes(threads, "98.0 (49.49%): worker é\n");
    assertStringIncludes(threads, "100.0 (  100%): com.apple.main-thread\n");
    const waits = await pprof("-top", "-tagfocus=state=off-CPU");
    assert(
      /^ *98 +[\d.]+% +[\d.]+% +98 +[\d.]+% +\[libsystem_kernel\.dylib\]$/m.test(waits),
      waits,
    );
    assert(!waits.includes("burn_"), waits);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const flameGraph = Deno.env.get("MACHPAUSE_FLAMEGRAPH");

Deno.test({
  name: "the text of sample, against Apple's stackcollapse-sample.awk",
  ignore: flameGraph === undefined,
  async fn() {
    const path = await Deno.makeTempFile();
    try {
      await Deno.writeTextFile(path, [...sampleLines(knownProfile(), { interval: 10 })].join("\n"));
      const { success, stdout } = await new Deno.Command("awk", {
        args: ["-f", `${flameGraph}/stackcollapse-sample.awk`, path],
      }).output();
      assert(success);
      const own: Record<string, number> = {};
      for (const line of new TextDecoder().decode(stdout).trim().split("\n")) {
        const [, stack, count] = /^(.*) (\d+)$/.exec(line)!;
        const leaf = stack.slice(stack.lastIndexOf(";") + 1);
        if (Number(count) > 0) own[leaf] = (own[leaf] ?? 0) + Number(count);
      }
      assertEquals(Object.values(own).reduce((sum, count) => sum + count, 0), 200);
      assertEquals(own["demo`burn_sixty"], 60);
    } finally {
      await Deno.remove(path);
    }
  },
});
