/** The exception index of ELF images for ARM against LLVM's reading of it, in the libraries of the cross
 * compiler. */
import { assert, assertEquals } from "@std/assert";
import { ElfImage } from "../../lib/elf/mod.ts";
import { armv7 } from "../../lib/unwind/armv7/mod.ts";
import { bytesSource } from "../../lib/macho/mod.ts";

const folder = "/usr/arm-linux-gnueabihf/lib/";
const libraries = ["libc.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-armhf.so.3"];
const numbers: Readonly<Record<string, number>> = { fp: 11, ip: 12, sp: 13, lr: 14, pc: 15 };

function numberOf(name: string): number {
  return numbers[name] ?? Number(name.slice(1));
}

/** The frame that instructions describe, as LLVM words them; `null` where they refuse. */
function frameOf(lines: readonly string[]): string | null {
  let [base, offset] = [13, 0];
  const saved = new Map<number, number>();
  for (const line of lines) {
    const [, sign, amount] = /^vsp = vsp ([+-]) (\d+)$/.exec(line) ?? [];
    const [, register] = /^vsp = (\w+)$/.exec(line) ?? [];
    const [, list] = /^pop \{(.*)\}$/.exec(line) ?? [];
    if (line === "finish") break;
    if (line === "refuse to unwind") return null;
    if (amount !== undefined) offset += Number(`${sign}${amount}`);
    else if (register !== undefined) {
      assert(saved.size === 0, "a base after registers were popped");
      [base, offset] = [numberOf(register), 0];
    } else {
      assert(list !== undefined, line);
      for (const name of list.split(", ")) {
        if (!name.startsWith("d")) saved.set(numberOf(name), offset);
        offset += name.startsWith("d") ? 8 : 4;
      }
    }
  }
  // The stack pointer itself is loaded: there is no row for that.
  if (saved.has(13)) return null;
  const registers = [...saved].map(([register, place]) => [register, place - offset]);
  return JSON.stringify({ base, offset, registers });
}

for (const name of libraries) {
  const title = `${name}: frames by the exception index are those that LLVM reads`;
  const ignore = !await Deno.stat(folder + name).then(() => true, () => false);
  Deno.test(title, { ignore }, async () => {
    const { stdout, success } = await new Deno.Command("llvm-readelf-19", {
      args: ["-u", folder + name],
    }).output();
    assert(success);
    const image = ElfImage.fromSource(bytesSource(await Deno.readFile(folder + name), name), 0n);
    const read = (offset: number, length: number) => image.read(BigInt(offset), length);
    const sections = image.segments.flatMap(({ sections }) => sections);
    const section = sections.find((section) => section.name === "__ARM.exidx")!;
    const bytes = image.read(section.address, section.size)!;
    const index = armv7.openExceptionIndex!(bytes, Number(section.address), read);
    let count = 0;
    for (const text of new TextDecoder().decode(stdout).split("Entry {").slice(1)) {
      const address = Number(/FunctionAddress: (0x[0-9A-F]+)/.exec(text)![1]) & ~1;
      const row = index.rowAt(address + 2);
      const opcodes = /Opcodes \[([^\]]*)\]/.exec(text)?.[1];
      if (text.includes("Model: Generic")) {
        // LLVM does not read on behind the address of a language's personality routine.
        assert(row !== null, text);
        continue;
      }
      const lines = opcodes?.trim().split("\n").map((line) => line.split(";")[1].trim());
      const found = row && JSON.stringify({
        base: row.cfa.kind === "register" ? row.cfa.register : null,
        offset: row.cfa.kind === "register" ? row.cfa.offset : null,
        registers: [...row.registers].map(([register, rule]) => [
          register,
          rule.kind === "offset" ? rule.offset : rule.kind,
        ]),
      });
      assertEquals(found, lines === undefined ? null : frameOf(lines), text);
      if (lines !== undefined) count++;
    }
    assert(count > 10, `${count} frames`);
  });
}
