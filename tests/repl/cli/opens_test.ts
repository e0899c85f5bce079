/** What `machpause WORD` opens, and what shells complete. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { canLaunch, onLinux } from "../../machine.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const root = new URL("../../../", import.meta.url).pathname;
const directory = await Deno.makeTempDir();
addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));

async function run(command: string, args: string[], input = "") {
  const child = new Deno.Command(command, {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    cwd: root,
    env: { NO_COLOR: "1" },
  })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

const machpause = (...args: string[]) => run(Deno.execPath(), ["run", "-A", program, ...args]);

Deno.test("a file is opened as what it is", async () => {
  const cases: [path: string, shows: RegExp][] = [
    ["examples/demo/x86_64/demo", /^x86_64 executable, 64-bit/m],
    ["examples/demo/x86_64/demo.dSYM", /^x86_64 dSYM, 64-bit/m],
    ["tests/fixtures/reports/ios109.ips", /^Incident Identifier: /m],
    ["tests/fixtures/reports/sample.txt", /^Analysis of sampling Ledger/m],
    ["tests/fixtures/reports/stackshot288.ips", /^Hardware Model: {6}iPhone11,8/m],
  ];
  for (const [path, shows] of cases) assertMatch((await machpause(path)).stdout, shows, path);
  const { code, stderr } = await machpause("README.md");
  assertEquals(code, 1);
  assertStringIncludes(
    stderr,
    "README.md is no core, no report, no stackshot, no profile and no Mach-O file",
  );
  const elf = `${directory}/program`;
  await Deno.writeFile(elf, Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, ...Array(58).fill(0)));
  assertStringIncludes((await machpause(elf)).stderr, "is an ELF file: `machpause launch` runs");
});

Deno.test("a file of another kind is named as what it is", async () => {
  const elf = `${directory}/other`;
  await Deno.writeFile(elf, Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, ...Array(58).fill(0)));
  const dsym = "tests/fixtures/lines/x86_64-dwarf5/lines.dSYM";
  const table = `${directory}/lines.mst`;
  assertEquals((await machpause("index", dsym, "-o", table)).code, 0);
  const report = "tests/fixtures/reports/ios109.ips";
  const cases: [args: string[], says: string][] = [
    [[table], "is a symbol table file: `machpause symbolicate -o` looks up addresses in it"],
    [["image", table], "is a symbol table file: "],
    [["index", table, "-o", directory], "is a symbol table file: "],
    [["core", table], "is a symbol table file: "],
    [["image", elf], `${elf} is an ELF file: `],
    [["index", elf, "-o", directory], `${elf} is an ELF file: `],
    [["image", report], `${report} is no Mach-O file: \`machpause crash ${report}\` opens it`],
    [["image", `${directory}/nosuch`], `there is no file ${directory}/nosuch`],
  ];
  for (const [args, says] of cases) {
    const { code, stderr } = await machpause(...args);
    assertStringIncludes(stderr, says, args.join(" "));
    assertEquals([code, stderr.trim().split("\n").length], [1, 1], args.join(" "));
  }
});

Deno.test(
  { name: "a core, a pid and a process's name", ignore: !canLaunch || !onLinux },
  async () => {
    const core = `${directory}/demo.core`;
    assertEquals((await machpause("savecore", "demo", core)).code, 0);
    assertMatch((await machpause(core, "-e", "bt 1")).stdout, /^thread 1 {2}"demo\.lock"/m);
    const sleep = new Deno.Command("sleep", { args: ["60"] }).spawn();
    // A name that no other process has.
    const own = `${directory}/mpsleeper${Deno.pid % 1000}`;
    await Deno.copyFile("/bin/sleep", own);
    const named = new Deno.Command(own, { args: ["60"] }).spawn();
    try {
      assertMatch(
        (await machpause(`${sleep.pid}`, "-e", "status")).stdout,
        /^sleep \(pid \d+, \w+\): running/,
      );
      const name = own.slice(own.lastIndexOf("/") + 1);
      assertMatch(
        (await machpause(name, "-e", "status")).stdout,
        /^mpsleeper\d+ \(pid \d+, \w+\): running/,
      );
    } finally {
      for (const child of [sleep, named]) {
        child.kill("SIGKILL");
        await child.status;
      }
    }
  },
);

Deno.test("a misspelt subcommand: the near one, exit code 2", async () => {
  assertEquals(await machpause("atach", "--help"), {
    code: 2,
    stdout: "",
    stderr: "machpause: atach is no command, no file and no process: did you mean `attach`?\n",
  });
});

Deno.test("completions: bash runs them, zsh and fish accept them", async () => {
  const bash = await machpause("completions", "bash");
  assertEquals([bash.code, bash.stderr], [0, ""]);
  await Deno.writeTextFile(`${directory}/completions.bash`, bash.stdout);
  const ask = async (...words: string[]) => {
    const script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _machpause; ' +
      'printf "%s\\n" "${COMPREPLY[@]}"';
    const { stdout, stderr } = await run("bash", [
      "-c",
      script,
      `${directory}/completions.bash`,
      ...words,
    ]);
    assertEquals(stderr, "");
    return stdout.split("\n").filter((line) => line !== "").sort();
  };
  assertEquals(await ask("machpause", "at"), ["attach"]);
  assertEquals(await ask("machpause", "bt", "--un"), ["--unique"]);
  assertEquals(await ask("machpause", "savecore", "--style", ""), [
    "dirty",
    "full",
    "locals",
    "stacks",
  ]);
  assertEquals(await ask("machpause", "image", "examples/demo/x86_64/libw"), [
    "examples/demo/x86_64/libworkers.dylib",
    "examples/demo/x86_64/libworkers.dylib.dSYM",
  ]);
  assertEquals((await ask("machpause", "bt", "se")).includes("self"), true);
  for (const shell of ["zsh", "fish"]) {
    const { stdout } = await machpause("completions", shell);
    assertEquals(await run(shell, ["-n", "/dev/stdin"], stdout), {
      code: 0,
      stdout: "",
      stderr: "",
    });
  }
  assertEquals((await machpause("completions", "tcsh")).code, 2);
});
