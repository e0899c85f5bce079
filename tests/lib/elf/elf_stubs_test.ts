import { assertEquals } from "@std/assert";
import { files } from "../../../ffi/files.ts";
import { elfStubs } from "../../../lib/elf/elf_stubs.ts";
import { ElfImage } from "../../../lib/elf/mod.ts";
import { onLinux } from "../../machine.ts";

Deno.test({
  name: "the functions that stubs jump to: as objdump names them",
  ignore: !onLinux,
  async fn() {
    const directory = await Deno.makeTempDir();
    const run = async (command: string, args: string[]) => {
      const { stdout } = await new Deno.Command(command, { args, cwd: directory }).output();
      return new TextDecoder().decode(stdout);
    };
    try {
      await Deno.writeTextFile(
        `${directory}/stubs.c`,
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **w) { puts(w[0]); free(w); return rand() + n; }\n",
      );
      for (
        const [flags, name] of [[["-Wl,-z,lazy"], "lazy"], [[
          "-fcf-protection=full",
          "-Wl,-z,ibtplt",
        ], "sec"]] as const
      ) {
        await run("gcc", ["-o", name, ...flags, "stubs.c"]);
        const listed = (await run("objdump", ["-d", "-j", ".plt", "-j", ".plt.sec", name]))
          .matchAll(/^([\da-f]+) <(\w+)@plt>:$/gm);
        const image = ElfImage.fromSource(files.open(`${directory}/${name}`), 0n);
        const stubs = [...elfStubs(image)].map(([address, name]) => [address, name] as const);
        assertEquals(stubs, [...listed].map(([, address, name]) => [BigInt(`0x${address}`), name]));
        assertEquals(stubs.map(([, name]) => name).sort(), ["free", "puts", "rand"]);
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
