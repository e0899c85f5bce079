/** The lengths of x86 instructions are those that llvm-objdump gives, over a library's code. */
import { assert, assertEquals } from "@std/assert";
import { MAX_LENGTH, X86Decoder } from "../../lib/unwind/x86/decode.ts";

const libraries = [
  { wide: true, path: "/usr/lib/x86_64-linux-gnu/libstdc++.so.6" },
  { wide: false, path: "/usr/i686-linux-gnu/lib/libc.so.6" },
];

for (const { wide, path } of libraries) {
  Deno.test(`lengths of ${wide ? 64 : 32}-bit instructions`, async () => {
    const { success, stdout } = await new Deno.Command("llvm-objdump-19", {
      args: ["-d", "--section=.text", "--no-symbolic-operands", path],
    }).output();
    assert(success);
    const decoder = new X86Decoder(wide);
    const wrong: string[] = [];
    const seen = new Set<string>();
    for (
      const match of new TextDecoder().decode(stdout).matchAll(
        /^ *[0-9a-f]+: ((?:[0-9a-f]{2} )+)\s+(.*)$/gm,
      )
    ) {
      const hex = match[1].replaceAll(" ", "");
      // What is a prefix here stands on a line of its own there.
      if (seen.has(hex) || /^<unknown>|^(?:lock|rep\w*)$/.test(match[2])) continue;
      seen.add(hex);
      const code = new Uint8Array(2 * MAX_LENGTH);
      code.set(Uint8Array.fromHex(hex));
      const length = decoder.decode(code, 0) ? decoder.length : 0;
      if (length * 2 !== hex.length) wrong.push(`${hex} ${match[2]}: ${length}`);
    }
    assert(seen.size > 10_000, `${seen.size}`);
    assertEquals(wrong, []);
  });
}
