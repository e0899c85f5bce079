/** Finds dSYMs with Spotlight. Xcode's importer indexes their UUIDs. */

/** Runs `mdfind` with a query and returns its output. */
export type Query = (query: string) => string;

const mdfind: Query = (query) => {
  const { success, stdout } = new Deno.Command("/usr/bin/mdfind", {
    args: [query],
    stdin: "null",
    stderr: "null",
  }).outputSync();
  return success ? new TextDecoder().decode(stdout) : "";
};

/** Maximum number of UUIDs in one question. */
const batch = 256;

/** The dSYM bundles, and folders of them in archives, that Spotlight knows for any of the UUIDs; none
 * where there is no Spotlight.
 *
 * @param uuids upper case, `8-4-4-4-12`
 */
export function locateDsyms(uuids: readonly string[], query: Query = mdfind): string[] {
  const paths = new Set<string>();
  try {
    for (let first = 0; first < uuids.length; first += batch) {
      const text = uuids.slice(first, first + batch)
        .map((uuid) => `com_apple_xcode_dsym_uuids == ${uuid}`).join(" || ");
      for (const path of query(text).split("\n")) {
        if (path !== "") paths.add(path.endsWith(".xcarchive") ? `${path}/dSYMs` : path);
      }
    }
  } catch {
    // There is no Spotlight.
  }
  return [...paths];
}
