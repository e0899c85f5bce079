/** Compares the symbol of every 16th code address of the demo's images with what LLDB says of it. */

import { assert, assertEquals } from "@std/assert";
import { Image } from "../../lib/macho/mod.ts";

const fixtures = new URL("../../examples/demo/", import.meta.url).pathname;

/** LLDB's answers, in the order of `addresses`: `name+offset`, or `nameless+offset` for the names that
 * it makes up for function starts. */
async function lldb(file: string, addresses: readonly bigint[]): Promise<string[]> {
  const commands = await Deno.makeTempFile();
  try {
    // Symbols alone: debug information is not what is compared here.
    const lines = ["settings set symbols.enable-external-lookup false"];
    lines.push(`target create --no-dependents "${file}"`);
    for (const address of addresses) lines.push(`image lookup -a 0x${address.toString(16)}`);
    await Deno.writeTextFile(commands, lines.join("\n"));
    const { stdout } = await new Deno.Command("lldb-19", { args: ["-x", "-b", "-s", commands] })
      .output();
    const text = new TextDecoder().decode(stdout);
    const answers = text.split(/^\(lldb\) image lookup -a .*$/m).slice(1);
    return answers.map((answer) => {
      const match = /Summary: [^`]*`(.+?)(?: \+ (\d+))?(?: at .*)?$/m.exec(answer);
      if (match === null) return "nothing";
      const name = match[1].startsWith("___lldb_unnamed_symbol") ? "nameless" : match[1];
      return `${name}+${match[2] ?? 0}`;
    });
  } finally {
    await Deno.remove(commands);
  }
}

for (const folder of ["x86_64", "x86_64-stripped", "arm64", "arm64-stripped", "armv7", "i386"]) {
  for (const name of ["demo", "libworkers.dylib"]) {
    Deno.test(`${folder}/${name}: the symbols that LLDB names`, async () => {
      const file = `${fixtures}${folder}/${name}`;
      const image = Image.fromFile(await Deno.readFile(file), name);
      const addresses: bigint[] = [];
      for (const { sections } of image.segments) {
        for (const { name, vmAddress, size } of sections) {
          if (name !== "__text") continue;
          for (let offset = 0; offset < size; offset += 16) {
            addresses.push(vmAddress + BigInt(offset));
          }
        }
      }
      assert(addresses.length > 0);
      const ours = addresses.map((address) => {
        const match = image.symbolAt(address);
        return match === null ? "nothing" : `${match.symbol?.name ?? "nameless"}+${match.offset}`;
      });
      const label = (text: string, index: number) => `0x${addresses[index].toString(16)} ${text}`;
      assertEquals(ours.map(label), (await lldb(file, addresses)).map(label));
    });
  }
}
