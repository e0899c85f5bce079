/** Spotlight's index of dSYMs. Xcode's importer keeps their UUIDs in it. */

/** Runs `mdfind`, and returns what it prints. */
export type Query = (query: string) => string;

const mdfind: Query = (query) => {
  const { success, stdout } = new Deno.Command("/usr/bin/mdfind", {
    args: [query],
    stdin: "null",
    stderr: "null",
  }).outputSync();
  return success ? new TextDecoder().decode(stdout) : "";
};

/** The dSYM bundles, and folders of them in archives, that Spotlight knows for a UUID; none where there
 * is no Spotlight.
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
