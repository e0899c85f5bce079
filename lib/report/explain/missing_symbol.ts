/** What a symbol tells that the dynamic linker did not find: by whose library needs it, and whose it was looked for in. */

import { baseName } from "../images.ts";
import { type KnowledgeRow, known } from "../knowledge/mod.ts";
import type { CrashReport } from "../report.ts";
import { isMobile, simulatorOf } from "./platform.ts";
import { isTweakPath } from "./program.ts";

/** Whose a library is, by its path. */
type Place = "system" | "program" | "package" | "other";

const systems =
  /^(?:\/.{1,200}\/(?:RuntimeRoot|SDKs\/\w{1,20}Simulator[\d.]{0,10}\.sdk))?\/(?:usr\/lib\/|System\/(?!Volumes\/(?:Data|Macintosh HD)\/))/;
/** Folders in which package managers install libraries. */
const packages =
  /^\/(?:opt\/(?:homebrew|local|pkg|sw)|usr\/local\/(?:opt|Cellar|lib|Frameworks)|sw\/lib|nix\/store)\/|\/(?:(?:ana|mini)conda\d?|miniforge\d?|mambaforge|\.?linuxbrew|homebrew)\//i;

/** The row for a missing symbol, with the names of both libraries; `null` for other messages. */
export function symbolRow(text: string, report: CrashReport): KnowledgeRow | null {
  const row = rowByPlace(text, report);
  // One row has the names in its own sentence.
  const at = text.indexOf("Symbol not found");
  if (row === null || row.meaning.includes(" (")) return row;
  const part = text.slice(at, at + 4000);
  const expected = pathAfter(part, "Expected in:");
  if (expected === null) return row;
  const from = pathAfter(part, "Referenced from:");
  const system = simulatedSystem(expected);
  return {
    ...row,
    meaning: `${row.meaning} It was looked for in ${baseName(expected)}${
      system === null ? "" : ` of the simulator's ${system}`
    }${from === null ? "" : `, for ${baseName(from)}`}.`,
  };
}

/** The system of a simulator that a library is of, by its path: `iOS 17.0`; `null` for others. Before Xcode 6 it was in an
 * SDK. */
function simulatedSystem(path: string): string | null {
  const sdk = /\/SDKs\/iPhoneSimulator(\d{1,2}\.\d{1,2})\.sdk\//.exec(path)?.[1];
  return sdk === undefined
    ? /\/Runtimes\/(\w{2,10} \d{1,3}(?:\.\d{1,3}){0,2})\.simruntime\//.exec(path)?.[1] ?? null
    : `iOS ${sdk}`;
}

/** Whether a path is of a simulator's system. */
function isSimulated(path: string | null): boolean {
  return path !== null && /\/(?:RuntimeRoot|SDKs\/\w{1,20}Simulator[\d.]{0,10}\.sdk)\//.test(path);
}

/** The row for a missing symbol, by whose the two libraries are. */
function rowByPlace(text: string, report: CrashReport): KnowledgeRow | null {
  const found = /Symbol not found/.exec(text);
  if (found === null) return null;
  const part = text.slice(found.index, found.index + 4000);
  const from = pathAfter(part, "Referenced from:");
  const expected = pathAfter(part, "Expected in:");
  if (expected === null) {
    return known(
      "message",
      /Expected in:\s{1,8}flat namespace/.test(part)
        ? "symbol of a flat namespace"
        : "Symbol not found",
    );
  }
  const [user, owner] = [from, expected].map((path) =>
    path === null ? null : placeOf(path, report)
  );
  if (owner === "system") {
    if (user === "system") {
      return known(
        "message",
        isSimulated(expected) && !isSimulated(from)
          ? "symbol of a simulator's system for the Mac's library"
          : simulatorOf(report) !== null || isSimulated(from)
          ? "symbol between libraries of a simulator's system"
          : "symbol between libraries of the system",
      );
    }
    return known(
      "message",
      /\(built for [^()\n]{1,60} which is newer than running OS\)/.test(part)
        ? "symbol of a newer system's library"
        : "symbol of a library of the system",
    );
  }
  if (user === "system") {
    const row = known("message", "symbol of a copy in place of the system's library")!;
    const whose = owner === "program" ? "the program's own" : "another";
    // Variables of dyld are a Mac's.
    const isMac = !isMobile(report) && simulatorOf(report) === null;
    return {
      ...row,
      ...isMac ? {} : { causes: [], next: "" },
      meaning: row.meaning.replace(
        "A library of the system was given a copy",
        `A library of the system (${baseName(from!)}) was given ${whose} copy of ${
          baseName(expected)
        }`,
      ),
    };
  }
  return known(
    "message",
    owner === "package"
      ? "symbol of a package's library"
      : user === "program" && owner === "program"
      ? "symbol between libraries of the program"
      : owner === "program" && user !== null
      ? "symbol of the program for another's library"
      : "symbol of another library",
  );
}

/** The path behind words of the linker's; `null` where there is none. */
function pathAfter(text: string, words: string): string | null {
  const at = text.indexOf(words);
  if (at < 0) return null;
  return /^\s{1,8}(?:<[^<>\n]{1,60}>\s{0,4})?'?(\/[^\n';]{1,400}?)(?:'|\n|;|\s\(built for |\s{1,8}Expected (?:in|as)\b|\s{1,4}in \/|$)/
    .exec(text.slice(at + words.length))?.[1] ?? null;
}

function placeOf(path: string, { process }: CrashReport): Place {
  if (systems.test(path) && !isTweakPath(path)) return "system";
  const own = process.path;
  if (own !== null) {
    const bundle = /^.{1,1000}?\.app\//.exec(own)?.[0];
    if (path === own || (bundle !== undefined && path.startsWith(bundle))) return "program";
  }
  return packages.test(path) ? "package" : "other";
}
