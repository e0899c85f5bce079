/** Reads what is or has a profile: files of the profilers' formats, the texts of sample and spindump, other
 * reports, and stackshots. */
import { escape, safe } from "../../../lib/escape.ts";
import type { Profile } from "../../../lib/profile/mod.ts";
import { fileError, UserError } from "../../errors.ts";
import { MAX_SIZE, readInput } from "../../input.ts";
import type { Values } from "../../options.ts";
import { checkFolders } from "../../prompt/open.ts";
import { complain } from "../../view/output.ts";
import { kcdataMagics, looksLikeReport } from "../opens.ts";
import type { profileSources } from "./options.ts";

/** How a profile is read. */
export type ReadProfileOptions = Values<typeof profileSources>;

/** Reads the profile in a file, or in several: those are stackshots of one system.
 *
 * @throws UserError for files that have none
 */
export async function readProfileFiles(
  paths: readonly string[],
  options: ReadProfileOptions,
): Promise<Profile> {
  checkFolders(options.symbols ?? []);
  const { gunzipped, looksLikeProfile, parseProfile } = await import(
    "../../../lib/profile/formats.ts"
  );
  const [path] = paths;
  const bytes = await gunzipped(await read(path), path);
  if (isStackshot(bytes) || paths.length > 1) return await ofStackshots(paths, options);
  if (looksLikeProfile(bytes) || !looksLikeReport(bytes)) {
    return await withSymbols(parseProfile(bytes, path), options);
  }
  return await ofReport(bytes, path, options);
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await readInput(path, MAX_SIZE.report);
  } catch (error) {
    throw fileError(error, path);
  }
}

function isStackshot(bytes: Uint8Array): boolean {
  if (bytes.length < 16) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return kcdataMagics.includes(view.getUint32(0, true));
}

async function ofStackshots(
  paths: readonly string[],
  { symbols = [], pid, demangle: readable = true }: ReadProfileOptions,
): Promise<Profile> {
  const [{ openStackshot }, { profileOfStackshots }, { demangle, loadDemangler }] = await Promise
    .all([
      import("../../../mod.ts"),
      import("../../../lib/stackshot/mod.ts"),
      import("../../../lib/symbols/demangle/mod.ts"),
    ]);
  if (readable) await loadDemangler();
  using opened = new DisposableStack();
  const stackshots = [];
  for (const path of paths) {
    try {
      stackshots.push(opened.use(await openStackshot(path, { symbols })));
    } catch (error) {
      if (paths.length > 1 && error instanceof Error && error.name === "FormatError") {
        throw new UserError(`${error.message}; only stackshots are read by the series`);
      }
      throw fileError(error, path);
    }
  }
  for (const [index, { warnings }] of stackshots.entries()) {
    for (const warning of warnings) {
      complain(safe`warning: ${escape(paths[index])}: ${escape(warning)}`);
    }
  }
  const profile = profileOfStackshots(stackshots, {
    ...pid === undefined ? {} : { pid },
    ...readable ? { demangle } : {},
  });
  if (pid !== undefined && profile.threads.length === 0) {
    throw new UserError(`there is no process with the pid ${pid} in it`);
  }
  return profile;
}

async function ofReport(
  bytes: Uint8Array,
  path: string,
  options: ReadProfileOptions,
): Promise<Profile> {
  const { profileOfReport, readReport } = await import("../../../lib/report/mod.ts");
  const report = readReport(bytes, path);
  for (const warning of report.warnings) {
    complain(safe`warning: ${escape(path)}: ${escape(warning)}`);
  }
  const profile = profileOfReport(report);
  if (profile.threads.length === 0) throw new UserError(`${path} has no stacks`);
  return await withSymbols(profile, options);
}

/** The profile with names and places from the folders that are to be searched. */
async function withSymbols(
  profile: Profile,
  { symbols = [], demangle: readable = true }: ReadProfileOptions,
): Promise<Profile> {
  if (symbols.length === 0) return profile;
  const [{ openCrashSymbols }, { symbolicateProfile }, { loadDemangler }] = await Promise.all([
    import("../crash/read.ts"),
    import("../../../lib/report/mod.ts"),
    import("../../../lib/symbols/demangle/mod.ts"),
  ]);
  if (readable) await loadDemangler();
  using found = await openCrashSymbols({ symbols });
  return symbolicateProfile(profile, {
    files: found,
    ...readable ? {} : { demangle: (name) => name },
  });
}
