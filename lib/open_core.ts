/** A core, opened over a file system alone; apart from what else is, so that it is loaded alone. */

import type { FileSystem } from "./file_system.ts";
import { servicesOver } from "./services.ts";
import { CoreTarget, type CoreTargetOptions } from "./target/cores.ts";

/** See `openCore`. */
// deno-lint-ignore require-await
export async function openCoreOver(
  system: FileSystem,
  file: string,
  options: CoreTargetOptions,
): Promise<CoreTarget> {
  return new CoreTarget(system.files.open(file), servicesOver(system, options), options);
}
