/** The importers of the viewers that profiles are written for, from their released packages. Neither package
 * exports them: the bundles are evaluated up to where they would start a page or a command. */
import { createRequire } from "node:module";
import profilerBundle from "@firefox-devtools/profiler-cli/dist/profiler-cli.js" with {
  type: "text",
};
import speedscopeBundle from "speedscope/dist/release/speedscope-Y2522XSH.js" with {
  type: "text",
};

/** What is used of speedscope's `Profile`. */
export interface SpeedscopeProfile {
  getName(): string;
  getTotalWeight(): number;
  getTotalNonIdleWeight(): number;
  forEachFrame(
    visit: (
      frame: {
        readonly name: string;
        readonly file?: string;
        readonly line?: number;
        getSelfWeight(): number;
      },
    ) => void,
  ): void;
}

type ImportSpeedscope = (
  name: string,
  buffer: ArrayBuffer,
) => Promise<{ readonly profiles: readonly SpeedscopeProfile[] } | null>;

/** What is used of the Firefox Profiler's `Profile`. */
export interface ProfilerProfile {
  readonly meta: Record<string, unknown> & { readonly preprocessedProfileVersion: number };
  readonly libs: readonly Record<string, unknown>[];
  readonly threads: readonly {
    readonly name: string;
    readonly pid: string;
    readonly samples: {
      readonly stack: readonly (number | null)[];
      readonly weight: readonly number[] | null;
      readonly length: number;
    };
  }[];
  readonly shared: {
    readonly stringArray: readonly string[];
    readonly stackTable: {
      readonly frame: readonly number[];
      readonly prefixOffset: readonly number[];
    };
    readonly frameTable: Record<string, readonly (number | null)[]> & {
      readonly func: readonly number[];
    };
    readonly funcTable: {
      readonly name: readonly number[];
      readonly source: readonly (number | null)[];
    };
    readonly sources: { readonly filename: readonly number[] };
  };
}

type UnserializeProfile = (bytes: Uint8Array) => Promise<ProfilerProfile>;

/** The name that the first group of a pattern finds; the bundles' own names change with each release. */
function named(bundle: string, pattern: RegExp): string {
  const found = pattern.exec(bundle)?.[1];
  if (found === undefined) throw new Error(`the bundle has no ${pattern}`);
  return found;
}

/** `importProfilesFromArrayBuffer` of speedscope: what it does with a file that is dropped on its page. */
export function speedscopeImporter(): ImportSpeedscope {
  const importer = named(
    speedscopeBundle,
    /async function (\w+)\(t,e\)\{return\(await \w+\)\.importProfilesFromArrayBuffer/,
  );
  const end = speedscopeBundle.indexOf("console.log(`speedscope v");
  const body = `${
    speedscopeBundle.slice(0, end).replace(/^"use strict";/, "return ")
  }return ${importer};})()`;
  // What is not there, and only touched on the way to the page.
  const nothing: unknown = new Proxy(function () {}, {
    get: (_, key) => key === Symbol.toPrimitive ? () => "" : nothing,
    apply: () => nothing,
    construct: () => nothing as object,
    set: () => true,
  });
  const window = new Proxy({}, {
    get: (_, key) =>
      key === "location"
        ? { hash: "" }
        : key === "matchMedia"
        ? nothing
        : Reflect.get(globalThis, key),
  });
  return new Function("window", "document", body)(window, nothing) as ImportSpeedscope;
}

/** `unserializeProfileOfArbitraryFormat` of the Firefox Profiler: recognizes, upgrades and checks a file. */
export function profilerImporter(): UnserializeProfile {
  const importer = named(
    profilerBundle,
    /async function (\w+)\(e,t,n=\{\}\)\{try\{if\(Object\.prototype\.toString\.call\(e\)==="\[object ArrayBuffer\]"/,
  );
  const end = profilerBundle.search(/\w+\(\)\.catch\(e=>\{console\.error\(`Fatal error/);
  const begin = profilerBundle.indexOf('"use strict";');
  const body = `${profilerBundle.slice(begin, end)}return ${importer};`;
  const run = new Function("require", "module", "exports", "__filename", "__dirname", body);
  const module = { exports: {} };
  return run(createRequire(import.meta.url), module, module.exports, "cli.js", "");
}
