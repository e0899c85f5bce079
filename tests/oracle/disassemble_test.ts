/** What `disassemble` prints is what llvm-objdump prints, of every function of the fixtures. */
import { assert, assertEquals } from "@std/assert";
import { Image } from "../../lib/macho/mod.ts";
import { disassemble } from "../../lib/disassemble.ts";

const triples = {
  x86_64: "x86_64-apple-macos",
  i386: "i386-apple-macos",
  arm64: "arm64-apple-ios",
  // The fixtures' code for it is Thumb, which their linked images do not say to llvm-objdump.
  armv7: "thumbv7-apple-ios",
} as const;

/** One spelling for what the two write differently: numbers, spaces, the order of a scaled index, and
 * how wide memory is. */
function spelled(text: string): string {
  return text.toLowerCase()
    .replace(/\s*(?:;|\/\/|@|##|<).*$/, "")
    .replaceAll("#", "")
    .replace(/\s+/g, " ")
    .replace(/0x[\da-f]+/g, (number) => String(Number(number)))
    .replace(/\b(\d)\*(\w+)/g, "$2*$1")
    .replace(/\b[xyt]?(?:byte|[dq]?word|mmword) ptr /g, "")
    .replace(/, /g, ",")
    .trim();
}

/** llvm-objdump's instructions by address. */
async function objdump(path: string, triple: string): Promise<Map<bigint, string>> {
  const { success, stdout } = await new Deno.Command("llvm-objdump-19", {
    args: ["-dz", "--x86-asm-syntax=intel", "--no-symbolic-operands", `--triple=${triple}`, path],
  }).output();
  assert(success);
  const found = new Map<bigint, string>();
  let lock: bigint | undefined;
  const lines = new TextDecoder().decode(stdout)
    .matchAll(/^ *([0-9a-f]+): (?:(?:[0-9a-f]{2,8}) ?)+\s+(.*)$/gm);
  for (const [, address, text] of lines) {
    const at = BigInt(`0x${address}`);
    // It has prefixes on lines of their own.
    if (text.trim() === "lock") {
      lock = at;
      continue;
    }
    found.set(lock ?? at, spelled(lock === undefined ? text : `lock ${text}`));
    lock = undefined;
  }
  return found;
}

for (const [arch, triple] of Object.entries(triples)) {
  Deno.test(`${arch}: every instruction, as llvm-objdump has it`, async () => {
    let count = 0;
    for (const name of ["demo", "libworkers.dylib"]) {
      const path = new URL(`../../examples/demo/${arch}/${name}`, import.meta.url).pathname;
      const image = Image.fromFile(await Deno.readFile(path), path);
      const theirs = await objdump(path, triple);
      const different: string[] = [];
      for (const { address, size, thumb } of image.symbols) {
        if (size === 0 || image.sectionAt(address)?.name !== "__text") continue;
        const code = image.read(address, size)!;
        const ours = await disassemble(arch as keyof typeof triples, code, address, { thumb });
        for (const { address, mnemonic, operands } of ours) {
          const text = spelled(`${mnemonic} ${operands}`);
          if (text !== theirs.get(address)) {
            different.push(`${address.toString(16)}: ${text} | ${theirs.get(address)}`);
          }
          count++;
        }
      }
      assertEquals(different, []);
    }
    assert(count > 300, `${count}`);
  });
}
