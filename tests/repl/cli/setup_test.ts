import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Origin } from "../../../ffi/command.ts";
import { AttachError } from "../../../lib/errors.ts";
import { restartSigned, type RestartSystem, withRestart } from "../../../repl/cli/restart.ts";
import { setup, type SetupSystem } from "../../../repl/cli/setup.ts";

interface Bench {
  readonly directory: string;
  readonly text: () => string;
  readonly commands: string[][];
  /** What codesign was given as entitlements. */
  readonly plists: string[];
  run(answer: boolean, yes?: boolean): Promise<number>;
  failSigning: boolean;
  /** In the user's own folder. */
  byDefault: boolean;
  user: number;
  readonly home: string;
}

const origin: Origin = {
  standalone: false,
  executable: "/replaced",
  main: "https://jsr.io/@machpause/machpause/0.1.0/repl/main.ts",
};

async function bench(body: (bench: Bench) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir();
  try {
    const deno = `${home}/deno original`;
    await Deno.writeTextFile(deno, "the program");
    let written = "";
    const directory = `${home}/private's place`;
    const it: Bench = {
      directory,
      text: () => written,
      commands: [],
      plists: [],
      failSigning: false,
      byDefault: false,
      user: 501,
      home,
      run(answer, yes) {
        written = "";
        const system: SetupSystem = {
          os: "darwin",
          origin: { ...origin, executable: deno },
          user: it.user,
          home,
          async run(program, args) {
            it.commands.push([program, ...args]);
            const plist = args.indexOf("--entitlements");
            if (plist >= 0) {
              it.plists.push(await Deno.readTextFile(args[plist + 1]));
              if (it.failSigning) return { success: false, output: "no way\n" };
              await Deno.writeTextFile(args.at(-1)!, "signed", { append: true });
            }
            return { success: true, output: "" };
          },
        };
        return setup({
          yes,
          ...(it.byDefault ? {} : { directory }),
          write: (text) => written += text,
          confirm: () => answer,
        }, system);
      },
    };
    await body(it);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

function names(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map((entry) => entry.name).sort();
}

Deno.test("setup signs a copy of Deno with a debugger's entitlements", async () => {
  await bench(async (it) => {
    assertEquals(await it.run(true), 0);
    assertEquals(it.commands.length, 2);
    const [sign, verify] = it.commands;
    const flags = ["--force", "--options", "runtime", "--sign", "-", "--entitlements"];
    assertEquals(sign.slice(0, 7), ["codesign", ...flags]);
    assertMatch(sign[8], /\/deno\.[-0-9a-f]+$/);
    assertEquals(verify, ["codesign", "--verify", "--strict", sign[8]]);

    const keys = [...it.plists[0].matchAll(/<key>([^<]*)<\/key>\s*<true\/>/g)].map((m) => m[1]);
    assertEquals(keys, [
      "com.apple.security.cs.debugger",
      "com.apple.security.cs.allow-jit",
      "com.apple.security.cs.allow-unsigned-executable-memory",
      "com.apple.security.cs.disable-executable-page-protection",
      "com.apple.security.cs.allow-dyld-environment-variables",
      "com.apple.security.cs.disable-library-validation",
    ]);
    assertMatch(
      it.plists[0],
      /^<\?xml[^]*<plist version="1.0">\s*<dict>[^]*<\/dict>\s*<\/plist>\n$/,
    );

    assertEquals(names(it.directory), ["deno", "deno.sha256"]);
    assertEquals(await Deno.readTextFile(`${it.directory}/deno`), "the programsigned");
    assertEquals((await Deno.stat(it.directory)).mode! & 0o777, 0o700);
    assertEquals((await Deno.stat(`${it.directory}/deno`)).mode! & 0o777, 0o700);
    assertStringIncludes(it.text(), "private'\\''s place/deno' run -q -A");
    assertStringIncludes(it.text(), "System Integrity Protection");
  });
});

Deno.test("setup says what it will do before it asks, and takes no for an answer", async () => {
  await bench(async (it) => {
    assertEquals(await it.run(false), 1);
    assertEquals(it.commands, []);
    assertStringIncludes(it.text(), "com.apple.security.cs.debugger");
    assertStringIncludes(it.text(), "Nothing was changed");
    let there = true;
    await Deno.stat(it.directory).catch(() => there = false);
    assert(!there);
  });
});

Deno.test("setup does nothing twice, and all again for another Deno", async () => {
  await bench(async (it) => {
    assertEquals(await it.run(false, true), 0);
    assertEquals(await it.run(false), 0);
    assertStringIncludes(it.text(), "signed already");
    assertEquals(it.plists.length, 1);
    await Deno.writeTextFile(`${it.directory}/../deno original`, "the upgraded program");
    assertEquals(await it.run(true), 0);
    assertEquals(it.plists.length, 2);
    assertEquals(await Deno.readTextFile(`${it.directory}/deno`), "the upgraded programsigned");
  });
});

Deno.test("a copy that cannot be signed does not take the old one's place", async () => {
  await bench(async (it) => {
    assertEquals(await it.run(true), 0);
    await Deno.writeTextFile(`${it.directory}/../deno original`, "the upgraded program");
    it.failSigning = true;
    assertEquals(await it.run(true), 1);
    assertStringIncludes(it.text(), "codesign --force failed: no way");
    assertEquals(names(it.directory), ["deno", "deno.sha256"]);
    assertEquals(await Deno.readTextFile(`${it.directory}/deno`), "the programsigned");
  });
});

Deno.test("the copy has the original's contents alone: a quarantine mark would keep it from running", async () => {
  const { copyFile } = Deno;
  // On macOS it clones extended attributes too.
  Deno.copyFile = () => Promise.reject(new Error("Deno.copyFile is not used"));
  try {
    await bench(async (it) => assertEquals(await it.run(true), 0));
  } finally {
    Deno.copyFile = copyFile;
  }
});

Deno.test("setup is for macOS alone", async () => {
  let text = "";
  const system: SetupSystem = {
    os: "linux",
    origin,
    user: 501,
    home: "/home/user",
    run: () => Promise.reject(new Error("nothing is to be run")),
  };
  const code = await setup({ write: (part) => text += part, confirm: () => true }, system);
  assertEquals(code, 1);
  assertMatch(text, /^setup is for macOS[^\n]*\n$/);
});

Deno.test("setup is refused to root: sudo keeps HOME, and the copy would be root's there", async () => {
  await bench(async (it) => {
    it.user = 0;
    assertEquals(await it.run(true), 1);
    assertMatch(it.text(), /^root needs no setup[^\n]*\n$/);
    assertEquals(names(it.home), ["deno original"]);
  });
});

/** A refused command line on a Mac: what is run again, and what is said. */
async function restart(home: string, given: Partial<RestartSystem> = {}) {
  const runs: string[][] = [];
  let said = "";
  const code = await restartSigned(["attach", "My App"], {
    os: "darwin",
    origin: { ...origin, executable: `${home}/deno original` },
    home,
    restarted: false,
    say: (text) => said += text,
    run(program, args, variable) {
      runs.push([program, ...args, variable]);
      return Promise.resolve(7);
    },
    ...given,
  });
  return { code, runs, said };
}

Deno.test("after setup a refused command line is run again by the signed copy, once", async () => {
  await bench(async (it) => {
    it.byDefault = true;
    assertEquals((await restart(it.home)).code, undefined);
    assertEquals(await it.run(true), 0);
    const copy = `${it.home}/Library/Application Support/machpause/deno`;
    assertStringIncludes(it.text(), "machpause uses the copy by itself");
    assertStringIncludes(
      it.text(),
      "  deno run -q -A jsr:@machpause/machpause/cli attach <pid|name>",
    );
    assertStringIncludes(it.text(), `  '${copy}' run -q -A ${origin.main} attach <pid|name>`);

    const { code, runs, said } = await restart(it.home);
    assertEquals(code, 7);
    assertEquals(runs, [
      [copy, "run", "-q", "-A", origin.main, "attach", "My App", "MACHPAUSE_SIGNED_COPY"],
    ]);
    assertEquals(said, `machpause: macOS refused; going on as ${copy}`);

    assertEquals((await restart(it.home, { restarted: true })).code, undefined);
    assertEquals((await restart(it.home, { os: "linux" })).code, undefined);
    assertEquals((await restart(it.home, { home: undefined })).code, undefined);
    // A copy of another Deno may not run this program.
    await Deno.writeTextFile(`${it.home}/deno original`, "the upgraded program");
    assertEquals((await restart(it.home)).code, undefined);
  });
});

Deno.test("at the prompt a refusal says the command that goes on as the signed copy", async () => {
  await bench(async (it) => {
    it.byDefault = true;
    const system = (given: Partial<RestartSystem> = {}): RestartSystem => ({
      os: "darwin",
      origin: { ...origin, executable: `${it.home}/deno original` },
      home: it.home,
      restarted: false,
      say: () => {},
      run: () => Promise.reject(new Error("nothing is to be run")),
      ...given,
    });
    const args = ["attach", "My App", "--symbols", "dSYMs"];
    const refused = new AttachError("task_for_pid", 5, { reason: "entitlement", text: "remedy" });
    const other = new AttachError("task_for_pid", 5, { reason: "hardened", text: "remedy" });
    // Without a copy the error has the remedy: setup.
    assertEquals(await withRestart(refused, args, system()), refused);
    assertEquals(await it.run(true), 0);
    assertEquals(
      `${await withRestart(refused, args, system())}`,
      "UserError: macOS refused: leave this prompt and run `deno run -q -A " +
        "jsr:@machpause/machpause/cli attach 'My App' --symbols dSYMs`, which goes on as the signed copy",
    );
    assertEquals(await withRestart(other, args, system()), other);
    assertEquals(await withRestart(refused, args, system({ restarted: true })), refused);
    await Deno.writeTextFile(`${it.home}/deno original`, "the upgraded program");
    assertEquals(await withRestart(refused, args, system()), refused);
  });
});

Deno.test("a compiled program is copied and restarted itself", async () => {
  const home = await Deno.makeTempDir();
  try {
    const executable = `${home}/machpause compiled`;
    await Deno.writeTextFile(executable, "the program");
    const compiled = { standalone: true, executable, main: "file:///tmp/x/repl/main.ts" };
    let text = "";
    const code = await setup({
      yes: true,
      write: (part) => text += part,
      confirm: () => false,
    }, {
      os: "darwin",
      origin: compiled,
      user: 501,
      home,
      run: () => Promise.resolve({ success: true, output: "" }),
    });
    assertEquals(code, 0);
    const copy = `${home}/Library/Application Support/machpause/machpause`;
    assertStringIncludes(text, `'${copy}' attach <pid|name>`);
    const { runs } = await restart(home, { origin: compiled });
    assertEquals(runs, [[copy, "attach", "My App", "MACHPAUSE_SIGNED_COPY"]]);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
