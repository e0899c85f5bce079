import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { setup, type SetupSystem } from "../../../repl/cli/setup.ts";

interface Bench {
  readonly directory: string;
  readonly text: () => string;
  readonly commands: string[][];
  /** What codesign was given as entitlements. */
  readonly plists: string[];
  run(answer: boolean, yes?: boolean): Promise<number>;
  failSigning: boolean;
}

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
      run(answer, yes) {
        written = "";
        const system: SetupSystem = {
          os: "darwin",
          deno,
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
          directory,
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
    assertEquals(sign.slice(0, 5), ["codesign", "--force", "--sign", "-", "--entitlements"]);
    assertMatch(sign[6], /\/deno\.[-0-9a-f]+$/);
    assertEquals(verify, ["codesign", "--verify", "--strict", sign[6]]);

    const keys = [...it.plists[0].matchAll(/<key>([^<]*)<\/key>\s*<true\/>/g)].map((m) => m[1]);
    assertEquals(keys, [
      "com.apple.security.cs.debugger",
      "com.apple.security.cs.allow-jit",
      "com.apple.security.cs.allow-unsigned-executable-memory",
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
    assertStringIncludes(it.text(), "private'\\''s place/deno' run -A");
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

Deno.test("setup is for macOS alone", async () => {
  let text = "";
  const system: SetupSystem = {
    os: "linux",
    deno: "/deno",
    home: "/home/user",
    run: () => Promise.reject(new Error("nothing is to be run")),
  };
  const code = await setup({ write: (part) => text += part, confirm: () => true }, system);
  assertEquals(code, 1);
  assertMatch(text, /^setup is for macOS[^\n]*\n$/);
});
