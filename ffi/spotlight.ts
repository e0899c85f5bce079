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

/** The dSYM bundles, and dSYM folders of Xcode archives, that Spotlight finds for a UUID. Empty on systems
 * without Spotlight.
 *
 * @param uuid upper case, `8-4-4-4-12`
 */
export function locateDsyms(uuid: string, query: Query = mdfind): string[] {
  try {
    return query(`com_apple_xcode_dsym_uuids == ${uuid}`).split("\n").filter((path) => path !== "")
      .map((path) => path.endsWith(".xcarchive") ? `${path}/dSYMs` : path);
  } catch {
    return [];
  }
}
