/** x86_64 and i386 functions of every shape, at each of their instructions: the caller that is found
 * is the one that really called. */
import { assert, assertEquals } from "@std/assert";
import { type Arch, archs, readRegister } from "../../lib/arch/mod.ts";
import { Image } from "../../lib/macho/mod.ts";
import type { AssemblyInput, AssemblyRow } from "../../lib/unwind/assembly.ts";
import { isAfterCall, unwindX86 } from "../../lib/unwind/assembly_x86.ts";
import { readSteps, type Step, type Variant } from "../fixtures/steps/x86_steps.ts";

function imageOf(arch: Arch, { file, loadAddress, name }: Variant): Image {
  return Image.fromFile(file, name, { arch: arch.cpuType, loadAddress });
}

/** The function, or the section of stubs, that an address is in. */
function functionAt(image: Image, pc: bigint): { name: string; start: bigint; end: bigint } {
  const section = image.segments.flatMap(({ sections }) => sections)
    .find(({ address, size }) => pc >= address && pc < address + BigInt(size))!;
  const end = section.address + BigInt(section.size);
  if (section.name !== "__text") return { name: section.name, start: section.address, end };
  const { symbol } = image.symbolAt(pc)!;
  return {
    name: symbol!.name,
    start: symbol!.address,
    end: symbol!.address + BigInt(symbol!.size),
  };
}

function inputFor(image: Image, pc: bigint): AssemblyInput {
  const { start, end } = functionAt(image, pc);
  const readCode = (address: bigint, length: number) => image.read(address, length);
  return { functionStart: start, functionEnd: end, pc, thumb: false, readCode };
}

/** What a row makes of a step: the return address and the caller's registers. */
function unwind(arch: Arch, { row }: AssemblyRow, step: Step) {
  const view = new DataView(step.stack.buffer);
  const word = (address: bigint) => {
    const at = Number(address - step.stackAddress);
    return arch.pointerSize === 8 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true));
  };
  const own = new Map(
    arch.threadState.registers.map((register) => [
      register.dwarf,
      readRegister(step.state, register),
    ]),
  );
  assert(row.cfa.kind === "register");
  const cfa = own.get(row.cfa.register)! + BigInt(row.cfa.offset);
  const value = (register: number) => {
    if (register === arch.sp.dwarf) return cfa;
    const rule = row.registers.get(register) ?? { kind: "same" };
    if (rule.kind === "same") return own.get(register)!;
    assert(rule.kind === "offset");
    return word(cfa + BigInt(rule.offset));
  };
  return {
    returnAddress: value(row.returnAddress),
    caller: new Map([...step.caller.keys()].map((register) => [register, value(register)])),
  };
}

for (const name of ["x86_64", "i386"] as const) {
  const arch = archs[name];
  const unwinder = unwindX86(arch);
  const variants = readSteps(name);

  Deno.test(`${name}: at every instruction the code alone tells the caller`, () => {
    const wrong: string[] = [];
    let count = 0;
    for (const variant of variants) {
      const image = imageOf(arch, variant);
      for (const step of variant.steps()) {
        count++;
        const input = inputFor(image, step.pc);
        const found = unwinder(input);
        const { returnAddress, caller } = step;
        let problem = "";
        try {
          if (found === null) problem = "nothing";
          else assertEquals(unwind(arch, found, step), { returnAddress, caller });
        } catch (error) {
          problem = `${error}`;
        }
        if (problem === "") continue;
        const { name: symbol, start } = functionAt(image, step.pc);
        wrong.push(`${variant.name} ${symbol}+0x${(step.pc - start).toString(16)}: ${problem}`);
      }
    }
    assertEquals(wrong, [], `${wrong.length} of ${count}`);
  });
}
