/** The system that a process ran on: a Mac's, a mobile one, or its simulator. */

import type { CrashReport } from "../report.ts";

/** Whether a report is of a system for phones, tablets, watches, televisions or headsets, and not of its simulator. */
export function isMobile({ osVersion }: Pick<CrashReport, "osVersion">): boolean {
  return /^(?:iPhone OS|iOS|iPadOS|tvOS|watchOS|Watch OS|visionOS)\b/.test(osVersion ?? "");
}

/** The simulator that a process ran in, by its note or by where the program is; `null` for others. */
export function simulatorOf(
  { information, process, termination, osVersion }: CrashReport,
): string | null {
  const note = information.find((text) => text.startsWith("CoreSimulator "));
  const runs =
    / - Device: (.{1,80}?)(?: \([0-9A-F-]{36}\))? - Runtime: (.{1,40}?)(?: \(\w{1,12}\))?(?: - |$)/
      .exec(note ?? "");
  if (runs !== null) {
    const [, device, system] = runs;
    // Most reports name the simulator's system as their own.
    const isSaid = osVersion === system || osVersion?.startsWith(`${system} (`) === true;
    return `in the simulator (${device}${isSaid ? "" : `, ${system}`})`;
  }
  // Xcode 3 to 5.
  const older = information.map((text) =>
    /^iPhone Simulator [\d.]{1,12}, (iPhone OS [\d.]{1,12}) \((iP\w{2,5})\b/.exec(text.trimStart())
  ).find((match) => match !== null);
  if (older != null) return `in the simulator (${older[2]}, ${older[1]})`;
  // The dynamic linker names the places where it looked.
  const isNamed = [...information, ...termination?.reasons ?? []].some((text) =>
    /'?\/(?:Users\/[^/\n]{1,100}\/)?Library\/Developer\/CoreSimulator\//.test(text.slice(0, 4000))
  );
  return note !== undefined || isNamed ||
      process.path?.includes("/CoreSimulator/Devices/") === true
    ? "in the simulator"
    : null;
}
