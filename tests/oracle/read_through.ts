/** Reads every variable of every function of a file's debug information, and its types. */
import { archOfCpuType } from "../../lib/arch/mod.ts";
import { DwarfInfo, DwarfSections } from "../../lib/dwarf/mod.ts";
import { bytesSource, Image } from "../../lib/macho/mod.ts";
import { frameVariables, globalsOf, ModuleVariables, type Type } from "../../lib/values/mod.ts";
import { contextOf } from "../lib/values/fake_context.ts";

/** What was read, and what was wrong with it. */
export interface ReadThrough {
  readonly functions: number;
  readonly variables: number;
  readonly types: number;
  readonly damaged: readonly string[];
}

/** Levels of types in each other. */
const DEPTH = 6;

/** Reads a Mach-O file's debug information through.
 *
 * @param step of so many functions one is read
 */
export async function readThrough(path: string, step = 1): Promise<ReadThrough> {
  const file = bytesSource(await Deno.readFile(path), path);
  const image = Image.fromSource(file);
  const sections = DwarfSections.find(file, image.segments.flatMap(({ sections }) => sections));
  if (sections === null) throw new Error(`${path} has no debug information`);
  const info = DwarfInfo.open(sections, { base: image.loadAddress });
  const module = new ModuleVariables(info, (offset) => BigInt(offset));
  const arch = archOfCpuType(image.cpuType)!;
  const context = contextOf({
    pointerSize: arch.pointerSize,
    readUpTo: () => new Uint8Array(),
  });
  const damaged: string[] = [];
  const seen = new Set<Type>();
  const visit = (type: Type, depth: number): void => {
    if (depth === 0 || seen.has(type)) return;
    seen.add(type);
    if (type.name === "<damaged>") damaged.push("a type");
    void type.size;
    if (type.target != null) visit(type.target, depth - 1);
    const { members = [], enumerators = [], templateArguments = [], variantPart } = type;
    for (const member of members) visit(member.type, depth - 1);
    for (const argument of templateArguments) {
      if (argument.type !== null) visit(argument.type, depth - 1);
    }
    for (const variant of variantPart?.variants ?? []) {
      for (const member of variant.members) visit(member.type, depth - 1);
    }
    void enumerators.length;
  };
  let functions = 0;
  let variables = 0;
  const note = (name: string, reason: string | null) => {
    variables++;
    if (reason !== null && /damaged|unknown operation/.test(reason)) {
      damaged.push(`${name}: ${reason}`);
    }
  };
  const starts = new Set<number>();
  for (const unit of info.units) {
    const table = info.table(unit);
    for (let index = 0; index < table.rangeCount; index++) {
      starts.add(Math.floor((table.rangeLow[index] + table.rangeHigh[index]) / 2));
    }
  }
  for (const offset of starts) {
    if (functions++ % step !== 0) continue;
    const activation = {
      module,
      offset,
      resume: offset,
      register: () => 0x1000n,
      frameAddress: 0x2000n,
      caller: null,
      threadAddress: () => "no thread",
      arch,
    };
    for (let level = -1; level < 4; level++) {
      for (const variable of frameVariables(activation, level, context)) {
        note(variable.name, variable.unavailable);
        visit(variable.type, DEPTH);
      }
    }
  }
  for (const variable of globalsOf(module, arch, context)) {
    note(variable.name, variable.unavailable);
    visit(variable.type, DEPTH);
  }
  return {
    functions,
    variables,
    types: seen.size,
    damaged: [...new Set([...damaged, ...info.warnings])],
  };
}
