/** x86_64 and i386 functions of every shape, at each of their instructions: a walk comes to the one
 * that really called, and from there to main. */
import { assertEquals } from "@std/assert";
import { archs } from "../../../lib/arch/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { framesOf } from "./stack.ts";
import { readSteps } from "../../fixtures/steps/x86_steps.ts";

for (const name of ["x86_64", "i386"] as const) {
  const arch = archs[name];
  const registerNames = new Map(arch.threadState.registers.map(({ dwarf, name }) => [dwarf, name]));

  Deno.test(`${name}: at every instruction a walk goes to the caller, and on to main`, () => {
    const wrong: string[] = [];
    let count = 0;
    for (const { name: flags, file, loadAddress, steps } of readSteps(name)) {
      const image = Image.fromFile(file, flags, { arch: arch.cpuType, loadAddress });
      const resolver = new Symbolizer([image]);
      for (const { pc, state, stackAddress, stack, returnAddress, caller } of steps()) {
        count++;
        const stackEnd = stackAddress + BigInt(stack.length);
        const input = {
          arch,
          images: resolver,
          state,
          stackAddress,
          stack,
          stackEnd,
          readInto: undefined,
        };
        const frames = framesOf(input, {});
        const names = frames.map(({ symbol }) => symbol?.name ?? "?");
        const found = frames.at(1);
        // What was outlined of a function may be what gives these another value.
        const kept = names[0].startsWith("OUTLINED_FUNCTION_")
          ? [[arch.sp.dwarf!, caller.get(arch.sp.dwarf!)!]] as const
          : [...caller];
        const lost = kept.filter(([number, value]) =>
          found?.registers.get(registerNames.get(number)!) !== value
        );
        if (
          found?.address === returnAddress && lost.length === 0 &&
          names.indexOf("main") === names.indexOf("steps_drive") + 1
        ) continue;
        const place = frames[0].symbol === null
          ? "?"
          : `${names[0]}+0x${frames[0].offset.toString(16)}`;
        const registers = lost.map(([number]) => registerNames.get(number));
        wrong.push(
          `${flags} 0x${
            (pc - loadAddress).toString(16)
          } ${place} ${found?.foundBy} ${names} ${registers}`,
        );
      }
    }
    assertEquals(wrong, [], `${wrong.length} of ${count}`);
  });
}
