/** The architectures as data, and the registers of a thread.
 *
 * @module
 */
import type { Arch, ArchName } from "./arch.ts";
import { arm64 } from "./arm64.ts";
import { armv7 } from "./armv7.ts";
import { i386 } from "./i386.ts";
import { x86_64 } from "./x86_64.ts";

export {
  type Arch,
  type ArchName,
  archOn,
  type Flavor,
  type Register,
  register,
  withAddressBits,
} from "./arch.ts";
export { readRegister, Registers, type RegisterValue, writeRegister } from "./registers.ts";
export { arm64, armv7, i386, x86_64 };

/** All architectures by name.
 *
 * @example
 * ```ts
 * import { archs } from "@machpause/machpause/unwind";
 *
 * console.log(archs.arm64.threadState.registers.map(({ name }) => name)); // [ "x0", "x1", …
 * ```
 */
export const archs: Readonly<Record<ArchName, Arch>> = { armv7, arm64, i386, x86_64 };

/** The architecture of a `CPU_TYPE_*`; `undefined` for an unsupported one. */
export function archOfCpuType(cpuType: number): Arch | undefined {
  return Object.values(archs).find((arch) => arch.cpuType === cpuType);
}
