/** Source files that a symbol server may send. */
import type { SourceReader } from "../lib/symbol_server/mod.ts";

/** Reads plain files below some folders. A link that leads elsewhere is not followed. */
export function sourceReader(folders: readonly string[]): SourceReader {
  const roots = folders.map((folder) => `${Deno.realPathSync(folder).replace(/\/$/, "")}/`);
  return (path, maximum) => {
    try {
      const real = Deno.realPathSync(path);
      if (!roots.some((root) => real.startsWith(root))) return null;
      const { isFile, size } = Deno.statSync(real);
      return isFile && size <= maximum ? Deno.readFileSync(real) : null;
    } catch {
      return null; // it is not there, or may not be read
    }
  };
}
