/** Whether a report was written on this machine. */
import type { CrashReport } from "../../../lib/report/mod.ts";

/** What is compared with a report. */
export interface ThisMachine {
  readonly os: typeof Deno.build.os;
  /** The build of the system, such as `23E224`; `null` when it is not known. */
  build(): string | null;
  /** The model, such as `Mac14,7`; `null` when it is not known. */
  model(): string | null;
}

/** Asks once. */
function once<T>(ask: () => T): () => T {
  let answer: { readonly value: T } | undefined;
  return () => (answer ??= { value: ask() }).value;
}

const thisMachine: ThisMachine = {
  os: Deno.build.os,
  build: once(() => {
    try {
      const text = Deno.readTextFileSync("/System/Library/CoreServices/SystemVersion.plist");
      return /<key>ProductBuildVersion<\/key>\s{0,20}<string>(\w{1,20})</.exec(text)?.[1] ?? null;
    } catch {
      return null;
    }
  }),
  model: once(() => {
    try {
      const { stdout } = new Deno.Command("/usr/sbin/sysctl", { args: ["-n", "hw.model"] })
        .outputSync();
      return new TextDecoder().decode(stdout).trim() || null;
    } catch {
      return null;
    }
  }),
};

/** Whether a report is of this machine as far as it says: of the same build of macOS, and of the same model. A
 * report that names no model, as crash text for macOS, is compared by its build alone. */
export function isOfThisMachine(
  { osVersion, model }: Pick<CrashReport, "osVersion" | "model">,
  machine: ThisMachine = thisMachine,
): boolean {
  if (machine.os !== "darwin" || osVersion === null) return false;
  const build = /\((\w{1,20})\)$/.exec(osVersion.slice(-40).trimEnd())?.[1];
  if (build === undefined || build !== machine.build()) return false;
  return model === null || model === machine.model();
}
