/** Swift's demangler is loaded by who meets such a name: the program's own way to it. */
import { assert, assertStringIncludes } from "@std/assert";
import { launch } from "../../../mod.ts";
import { hasX86Loader } from "../../machine.ts";

const program = new URL("../../../repl/main.ts", import.meta.url).pathname;
const fixtures = new URL("../../../examples/demo/x86_64/", import.meta.url);

async function machpause(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, ...args],
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  assert(code === 0, decoder.decode(stderr));
  return decoder.decode(stdout);
}

if (hasX86Loader) {
  Deno.test("Swift names are demangled by bt, by savecore's cores, and at the prompt", async () => {
    const directory = await Deno.makeTempDir();
    try {
      // One function of the program gets a Swift name of the same length.
      const bytes = await Deno.readFile(new URL("crowd", fixtures));
      const encoder = new TextEncoder();
      const plain = encoder.encode("_crowd_worker\0"), swift = encoder.encode("_$s1m4foooyyF\0");
      const ats = [...bytes.keys()].filter((at) =>
        plain.every((byte, i) => bytes[at + i] === byte)
      );
      assert(ats.length > 0 && plain.length === swift.length);
      for (const at of ats) bytes.set(swift, at);
      const path = `${directory}/crowd`;
      await Deno.writeFile(path, bytes);
      await Deno.chmod(path, 0o755);
      await Deno.copyFile(new URL("libworkers.dylib", fixtures), `${directory}/libworkers.dylib`);
      using target = await launch(path, ["3"], { output: "null" });
      try {
        const pid = `${target.pid}`;
        const [ready] = target.lookup("crowd_ready");
        while (target.memory.readU32(ready.symbol.address) !== 1) {
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        assertStringIncludes(await machpause("bt", pid), "  fooo() + ");
        assertStringIncludes(await machpause("snapshot", pid), "  fooo() + ");
        assertStringIncludes(await machpause("bt", "--no-demangle", pid), "  $s1m4foooyyF + ");
        assertStringIncludes(await machpause("bt", "--json", pid), '"$s1m4foooyyF"');
        assertStringIncludes(await machpause("attach", pid, "-e", "bt all"), "  fooo() + ");
        const core = `${directory}/core`;
        await machpause("savecore", pid, core);
        assertStringIncludes(await machpause("bt", `core:${core}`), "  fooo() + ");
      } finally {
        target.kill();
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}
