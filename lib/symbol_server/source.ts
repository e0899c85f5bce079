/** `/source/v1` */

import { RequestError } from "./errors.ts";
import type { ServerLimits } from "./limits.ts";
import type { Modules } from "./modules.ts";
import { hexNumber, text, uuidOfDebugId } from "./request.ts";

/** Reads a source file; `null` for one that is not there or may not be shown. */
export type SourceReader = (path: string, maximum: number) => Uint8Array | null;

/** Returns a source file that the debug information names for an address, as samply does: no other file
 * can be asked for.
 *
 * @param read `null` when sources are not shown
 * @throws RequestError
 */
export function source(
  request: Readonly<Record<string, unknown>>,
  modules: Modules,
  limits: ServerLimits,
  read: SourceReader | null,
): string {
  text(request, "debugName");
  const uuid = uuidOfDebugId(text(request, "debugId"));
  const offset = hexNumber(request, "moduleOffset");
  const file = text(request, "file");
  if (uuid === null) throw new RequestError("debugId is not that of a Mach-O or ELF file");
  const module = modules.find(uuid);
  if (module === null) throw new RequestError(`No file with the ID ${uuid}`, 500);
  const { frames } = module.at(offset);
  if (frames.length === 0) {
    throw new RequestError("Don't have any debug info for the requested library", 500);
  }
  if (!frames.some(({ location }) => location?.file === file)) {
    throw new RequestError("The requested path is not present in the symbolication frames", 500);
  }
  const bytes = read?.(file, limits.source) ?? null;
  if (bytes === null) throw new RequestError("The source file is not served", 500);
  return JSON.stringify({
    symbolsLastModified: null,
    sourceLastModified: null,
    file,
    source: new TextDecoder().decode(bytes),
  });
}
