/** `/asm/v1` */

import type { ArchName } from "../arch/mod.ts";
import { disassemble, longestInstruction, ReferenceFinder } from "../disassemble.ts";
import { type Answer, answerAt, readable } from "./answer.ts";
import { RequestError } from "./errors.ts";
import type { ServerLimits } from "./limits.ts";
import type { Module, Modules } from "./modules.ts";
import { hexNumber, idOfCodeId, uuidOfDebugId } from "./request.ts";

/** samply's names. */
const names: Readonly<Record<ArchName, { readonly arch: string; readonly syntax: string }>> = {
  armv7: { arch: "arm", syntax: "ARM" },
  arm64: { arch: "aarch64", syntax: "ARM" },
  i386: { arch: "i686", syntax: "Intel" },
  x86_64: { arch: "x86_64", syntax: "Intel" },
};

/** Disassembles code of a binary.
 *
 * @throws RequestError when there is no such binary or no code there
 */
export async function asm(
  request: Readonly<Record<string, unknown>>,
  modules: Modules,
  limits: ServerLimits,
): Promise<string> {
  const id = (typeof request.debugId === "string" ? uuidOfDebugId(request.debugId) : null) ??
    (typeof request.codeId === "string" ? idOfCodeId(request.codeId) : null);
  if (id === null) {
    throw new RequestError("neither debugId nor codeId is that of a Mach-O or ELF file");
  }
  const asked = hexNumber(request, "startAddress");
  let size = hexNumber(request, "size");
  const module = modules.find(id);
  if (module === null) throw new RequestError(`No file with the ID ${id}`, 500);
  const { arch } = module;
  if (arch === null) throw new RequestError("Unrecognized architecture", 500);
  if (request.continueUntilFunctionEnd === true) {
    const answer = answerAt(module, asked);
    const end = (answer?.functionSize ?? 0) - (answer?.functionOffset ?? 0);
    size = Math.max(size, end);
  }
  if (size > limits.code) throw new RequestError(`more than ${limits.code} bytes of code`, 413);
  // A symbol of Thumb code has bit 0 set.
  const thumb = arch === "armv7" && isThumb(module, asked);
  const start = arch === "arm64" ? asked - asked % 4 : arch === "armv7" ? asked - asked % 2 : asked;
  const code = module.code(start, size + longestInstruction(arch) - 1);
  if (code === null || code.length === 0) {
    throw new RequestError(
      "The requested address was not found in any section in the binary, or there is no binary.",
      500,
    );
  }
  const decoded = await disassemble(arch, code, BigInt(start), { thumb, count: size });
  const instructions = decoded.filter(({ address }) => Number(address) < start + size);
  const finder = new ReferenceFinder(arch);
  const targets = instructions.map((instruction): readonly [number, Answer] | null => {
    const branch = /^(?:b(?!i|f)|cb|tb|j|call|loop)/.test(instruction.mnemonic);
    const [target] = finder.addressesOf(instruction);
    if (!branch || target === undefined || target < 0n) return null;
    const answer = answerAt(module, Number(target));
    return answer === null ? null : [Number(target), answer];
  });
  const name = await readable(targets.map((target) => target?.[1] ?? null));
  const last = instructions.at(-1);
  return JSON.stringify({
    startAddress: `0x${start.toString(16)}`,
    size: `0x${
      (last === undefined ? 0 : Number(last.address) + last.bytes.length - start).toString(16)
    }`,
    arch: names[arch].arch,
    syntax: [names[arch].syntax],
    instructions: instructions.map(({ address, mnemonic, operands }, index) => {
      const target = targets[index]?.[1];
      const by = target === undefined || target.functionOffset === 0
        ? ""
        : `+0x${target.functionOffset.toString(16)}`;
      const label = target === undefined ? "" : ` <${name(target.function)}${by}>`;
      return [Number(address) - start, `${mnemonic} ${operands}${label}`.trim()];
    }),
  });
}

function isThumb(module: Module, offset: number): boolean {
  const { symbol } = module.at(offset);
  return offset % 2 === 1 || symbol?.thumb === true;
}
