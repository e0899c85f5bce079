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

/** A thread as Chrome's DevTools shows it: its name, and its functions' own time in milliseconds. */
export interface DevToolsThread {
  readonly name: string | null;
  readonly self: Readonly<Record<string, number>>;
}

/** Reads a trace as the Performance panel of Chrome's DevTools does, by its own trace engine. */
export async function devToolsThreads(trace: string): Promise<DevToolsThread[]> {
  // The engine is written for pages.
  Object.assign(globalThis, { DOMRect: class {} });
  // Its types are not checked: that takes longer than the test.
  const engine = "@paulirish/trace_engine";
  const { Processor, Handlers, Types } = await import(engine);
  const processor = Processor.TraceProcessor.createWithAllHandlers();
  await processor.parse(JSON.parse(trace).traceEvents, {});
  const { data } = processor;
  interface Entry {
    readonly name: string;
    readonly nodeId: number;
  }
  return Handlers.Threads.threadsInTrace(data).map(
    ({ name, pid, tid, entries, entryToNode }: {
      readonly name: string | null;
      readonly pid: number;
      readonly tid: number;
      readonly entries: readonly Entry[];
      readonly entryToNode: ReadonlyMap<Entry, { readonly selfTime: number }>;
    }): DevToolsThread => {
      const self: Record<string, number> = {};
      const calls = data.Samples.profilesInProcess.get(pid).get(tid).parsedProfile;
      for (const entry of entries) {
        const name = Types.Events.isProfileCall(entry)
          ? calls.nodeById(entry.nodeId).functionName
          : `(${entry.name})`;
        self[name] = (self[name] ?? 0) + entryToNode.get(entry)!.selfTime / 1000;
      }
      return { name, self };
    },
  );
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

/** Functions of the Firefox Profiler, by what they begin with. */
function profilerFunctions(...patterns: readonly RegExp[]): unknown[] {
  const names = patterns.map((pattern) => named(profilerBundle, pattern));
  const end = profilerBundle.search(/\w+\(\)\.catch\(e=>\{console\.error\(`Fatal error/);
  const begin = profilerBundle.indexOf('"use strict";');
  const body = `${profilerBundle.slice(begin, end)}return [${names.join()}];`;
  const run = new Function("require", "module", "exports", "__filename", "__dirname", body);
  const module = { exports: {} };
  return run(createRequire(import.meta.url), module, module.exports, "cli.js", "");
}

/** `unserializeProfileOfArbitraryFormat` of the Firefox Profiler: recognizes, upgrades and checks a file. */
export function profilerImporter(): UnserializeProfile {
  const [importer] = profilerFunctions(
    /async function (\w+)\(e,t,n=\{\}\)\{try\{if\(Object\.prototype\.toString\.call\(e\)==="\[object ArrayBuffer\]"/,
  );
  return importer as UnserializeProfile;
}

/** A library as the Profiler asks a symbol server about it. */
export interface ProfilerLib {
  readonly name: string;
  readonly codeId: string | null;
  readonly debugName: string;
  readonly breakpadId: string;
}

/** What the Profiler makes of an address. */
export interface ProfilerAddress {
  readonly name: string;
  readonly symbolAddress: number;
  readonly file?: string;
  readonly line?: number;
  readonly functionSize?: number;
  readonly inlines?: readonly { readonly name: string; readonly file?: string }[];
}

/** How the Profiler reaches a server. */
export interface ProfilerNetwork {
  queryBrowserSymbolicationApi(path: string, json: string): Promise<string>;
  fetchUrlResponse(url: string, body?: string): Promise<Response>;
}

/** The client of symbol servers in the Firefox Profiler: what it asks, and what it makes of the answers. */
export interface ProfilerClient {
  symbolicate(
    server: string,
    requests: readonly { readonly lib: ProfilerLib; readonly addresses: ReadonlySet<number> }[],
    query: (path: string, json: string) => Promise<unknown>,
  ): Promise<
    readonly (
      | { readonly type: "SUCCESS"; readonly results: ReadonlyMap<number, ProfilerAddress> }
      | { readonly type: "ERROR"; readonly error: Error }
    )[]
  >;
  assembly(
    symbol: {
      readonly address: number;
      readonly functionSize: number;
      readonly functionSizeIsKnown: boolean;
    },
    lib: ProfilerLib,
    url: string,
    network: ProfilerNetwork,
  ): Promise<{
    readonly type: string;
    readonly errors?: unknown;
    readonly instructions?: readonly { readonly address: number; readonly decodedString: string }[];
  }>;
  source(
    file: string,
    uuid: null,
    url: string,
    proof: { readonly debugName: string; readonly breakpadId: string; readonly address: number },
    archives: Map<string, unknown>,
    network: ProfilerNetwork,
  ): Promise<{ readonly type: string; readonly source?: string; readonly errors?: unknown }>;
}

/** The Profiler's client of symbol servers. */
export function profilerClient(): ProfilerClient {
  const [symbolicate, assembly, source] = profilerFunctions(
    /async function (\w+)\(e,t,n\)\{let r=t\.map\(i=>\(\{request:i,addressArray/,
    /async function ([\w$]+)\(e,t,n,r\)\{let a=\w+\(n\)\?n:null,\{debugName:o,breakpadId:i,name:s,codeId:l\}=t/,
    /async function ([\w$]+)\(e,t,n,r,a,o\)\{let i=\[\];if\(r!==null\)/,
  );
  return { symbolicate, assembly, source } as ProfilerClient;
}
