/** Everything native: the library that makes the Mach calls, and starting programs.
 *
 * @module
 */
export { files } from "./files.ts";
export { guard } from "./guard.ts";
export { type KernelOptions, type NativeKernel, openKernel } from "./kernel.ts";
export { type Launched, type LaunchOptions, launchProcess } from "./launch.ts";
export { loaderPath } from "./library.ts";
export { fileSystem } from "./file_system.ts";
export { locateDsyms } from "./spotlight.ts";
