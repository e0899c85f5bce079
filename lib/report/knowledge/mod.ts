/** What is known about crashes, as one table: exceptions, signals, codes, terminations, functions,
 * messages and kinds of reports, each row with its source.
 *
 * @module
 */

import { bindingRows } from "./bindings.ts";
import { exceptionRows } from "./exceptions.ts";
import { frameRows } from "./frames.ts";
import { frameworkRows } from "./frameworks.ts";
import { jetsamRows } from "./jetsam.ts";
import { kindRows } from "./kinds.ts";
import { messageRows } from "./messages.ts";
import { consoleRows } from "./consoles.ts";
import { mobileRows } from "./mobile.ts";
import { namedRows, type NameKind } from "./names.ts";
import { panicRows } from "./panics.ts";
import { oncePerText } from "../remember.ts";
import type { CpuFamily, KnowledgeKind, KnowledgeRow } from "./row.ts";
import { Rows, type RowSource } from "./rows.ts";
import { runtimeRows } from "./runtimes.ts";
import { terminationRows } from "./terminations.ts";
import { companions } from "./vendors.ts";

export {
  heapDamage,
  heapMet,
  mallocStop,
  nilForValue,
  typeLookup,
  wrongExecutor,
} from "./frames.ts";
export { collected, handled, sourced, started, timed } from "./frameworks.ts";
export {
  kernelParts,
  machineCheckCodes,
  namedKernelParts,
  nvmeMakers,
  panics,
  servedThings,
} from "./kernel.ts";
export { excludedAdvice, excludedCauses, type Exclusion, type ReportFact } from "./exclusions.ts";
export { missingUsage } from "./messages.ts";
export { fullHeap, thrownScript } from "./runtimes.ts";
export { ownMessage } from "./panics.ts";
export { frameworkSince } from "./terminations.ts";
export { type Engine, engines, mainCall, partThreads } from "./threads.ts";
export type {
  CpuFamily,
  FrameNeed,
  FrameRole,
  KnowledgeKind,
  KnowledgeRow,
  PanicBacktrace,
  WaitReason,
} from "./row.ts";

/** Tables, each with the kinds of its rows. */
const tables: readonly (readonly [
  kinds: readonly KnowledgeKind[],
  rows: () => readonly KnowledgeRow[],
])[] = [
  [["exception", "signal", "subtype", "trap"], exceptionRows],
  [["termination", "namespace", "watchdog"], terminationRows],
  [["jetsam", "termination"], jetsamRows],
  [["frame"], frameRows],
  [["frame", "occasion", "origin"], frameworkRows],
  [["occasion"], mobileRows],
  [["frame", "library", "message"], runtimeRows],
  [["frame", "library"], bindingRows],
  [["message"], consoleRows],
  [["message"], messageRows],
  [["address", "event", "frame", "guard", "report", "triage", "wait"], kindRows],
  [["panic"], panicRows],
];

/** Kinds of names, of which there are tables of their own. */
const nameKinds: readonly NameKind[] = ["vendor", "sdk", "script"];

/** The rows of each table of {@linkcode tables} that was asked for. */
const made: (readonly KnowledgeRow[])[] = [];

/** The rows of the tables, or of those that have rows of a kind: a process that explains one report needs few of them. */
function rowsOf(kind: KnowledgeKind | null): KnowledgeRow[] {
  const rows: KnowledgeRow[] = [];
  for (const [place, [kinds, make]] of tables.entries()) {
    if (kind !== null && !kinds.includes(kind)) continue;
    for (const row of made[place] ??= make()) {
      if (kind === null || row.kind === kind) rows.push(row);
    }
  }
  return rows;
}

const sources = new Map<KnowledgeKind, RowSource>();
const indexes = new Map<KnowledgeKind, Rows>();

function sourceOf(kind: KnowledgeKind): RowSource {
  let source = sources.get(kind);
  if (source === undefined) {
    if (isNameKind(kind)) {
      source = namedRows(kind);
    } else {
      const rows = rowsOf(kind);
      source = { keys: rows.map(({ key }) => key), row: (place) => rows[place] };
    }
    sources.set(kind, source);
  }
  return source;
}

function isNameKind(kind: KnowledgeKind): kind is NameKind {
  return (nameKinds as readonly KnowledgeKind[]).includes(kind);
}

/** The rows of one kind, which are made when one is asked for. */
function indexOf(kind: KnowledgeKind): Rows {
  let index = indexes.get(kind);
  if (index === undefined) indexes.set(kind, index = new Rows(sourceOf(kind)));
  return index;
}

/** The whole table; made when it is looked at. */
export const knowledge: readonly KnowledgeRow[] = lazyArray(() => [
  ...rowsOf(null),
  ...nameKinds.map(sourceOf).flatMap(({ keys, row }) => keys.map((_, place) => row(place))),
]);

/** An array that is filled when it is first looked at. */
function lazyArray<Item>(fill: () => readonly Item[]): readonly Item[] {
  let make: typeof fill | null = fill;
  const array: Item[] = [];
  const filled = (): Item[] => {
    if (make !== null) { for (const item of make()) array.push(item); }
    make = null;
    return array;
  };
  return new Proxy(array, {
    get: (_, name) => Reflect.get(filled(), name),
    has: (_, name) => Reflect.has(filled(), name),
    ownKeys: () => Reflect.ownKeys(filled()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(filled(), name),
  });
}

/** The row for a key; `null` when there is none.
 *
 * @param cpu the instruction set, for rows that are limited to one
 */
export function known(
  kind: KnowledgeKind,
  key: string,
  cpu?: CpuFamily,
): KnowledgeRow | null {
  return indexOf(kind).find(key, cpu);
}

/** The row for a termination code; `null` when there is none. */
export function knownTermination(namespace: string | null, code: bigint): KnowledgeRow | null {
  const hex = `0x${code.toString(16)}`;
  const space = (namespace ?? "").toUpperCase();
  return known("termination", `${space}:${hex}`) ?? known("termination", `*:${hex}`);
}

/** The row for a function; `null` when there is none. */
export const knownFrame: (symbol: string) => KnowledgeRow | null = oncePerText((symbol) =>
  known("frame", bareName(symbol)) ?? known("frame", symbol) ?? blockOf(symbol) ?? copyOf(symbol) ??
    withoutResult(symbol)
);

/** The row for an interpreter's function that runs a script; `null` when there is none. */
export const knownScript: (symbol: string) => KnowledgeRow | null = oncePerText((symbol) =>
  known("script", bareName(symbol))
);

/** The row for a block by the method that it is in: `__47-[Probe start]_block_invoke`. That the method itself failed it
 * does not say. */
function blockOf(symbol: string): KnowledgeRow | null {
  if (!symbol.startsWith("__")) return null;
  const method = /^__\d{1,3}([-+]\[.{1,200}\])_block_invoke/.exec(symbol)?.[1];
  const row = method === undefined ? null : known("frame", method);
  return row?.role === "raise" || row?.role === "wrap" || row?.role === "part" ? row : null;
}

/** The row for a function of a run-time that is linked into the program by its own name: demanglers write results of templates, and
 * what thunks are, before it. */
function withoutResult(symbol: string): KnowledgeRow | null {
  if (!symbol.includes("::") || !symbol.includes(" ")) return null;
  const name = bareName(symbol);
  const plain = qualifiedName(name);
  const row = plain === name ? null : known("frame", plain);
  return row?.role === "part" ? row : null;
}

/** The row for a function of KSCrash or of WebKit's run-time by its own name, before which copies of them have theirs:
 * `shop_kscm_addContext`, `Shop_WTFCrash`. */
function copyOf(symbol: string): KnowledgeRow | null {
  const name =
    /^(?:[a-z]{2,12}_(?=ks[a-z]{2,16}_)|[A-Za-z]{1,12}_?(?=WTF(?:Crash|Report)))(\w{1,120})/
      .exec(symbol)?.[1];
  return name === undefined ? null : known("frame", name);
}

/** When a function of the system calls a program: the occasion, or what runs a thread's work. */
export interface CallTime {
  readonly occasion: KnowledgeRow | null;
  readonly origin: KnowledgeRow | null;
  /** The occasion of a method by its name alone, if it is the program's. */
  readonly method: KnowledgeRow | null;
}

const never: CallTime = { occasion: null, origin: null, method: null };

/** What is known of when a function calls a program. */
export const callTime: (symbol: string) => CallTime = oncePerText((symbol) => {
  const occasion = known("occasion", symbol);
  const origin = known("origin", symbol);
  const name = occasion === null && origin === null ? delegateMethod(symbol) : null;
  const method = name === null ? null : known("occasion", name);
  return occasion === null && origin === null && method === null
    ? never
    : { occasion, origin, method };
});

/** A method of Objective-C or Swift without its class, as a system calls it; `null` for other functions. */
function delegateMethod(symbol: string): string | null {
  if (symbol.endsWith("]")) {
    return /^-\[\S{1,200} ([A-Za-z]\w*:[\w:]{0,200}|view\w{4,20}:?)\]$/.exec(symbol)?.[1] ?? null;
  }
  // A closure may run at any time.
  return symbol.endsWith(")") && !/\bclosure #\d|\bpartial function for /.test(symbol)
    ? /\.([a-z]\w{3,60}\(\w{0,200}[\w:]{0,200}\))$/.exec(symbol)?.[1] ?? null
    : null;
}

/** Whose a function is that has a name as others may have it, by the other functions of its stack; `null` when they do not
 * tell. */
export function companionOf(symbol: string, others: readonly (string | null)[]): string | null {
  return companions.find(({ names, beside }) =>
    names.test(symbol) && others.some((other) => other !== null && beside.test(other))
  )?.title ?? null;
}

/** The row for whose a function is that is linked into a program, by its name or its class; `null` when that does not
 * tell. */
export const knownVendor: (symbol: string) => KnowledgeRow | null = oncePerText((symbol) => {
  const method = /^(?:__\d{1,3})?[-+](\[\w{1,100})/.exec(symbol)?.[1];
  if (method !== undefined) {
    return ofClass(method) ?? ofCategory(symbol);
  }
  const module = /^_{0,2}\$[sS](\d{1,2})([A-Za-z]\w{1,99})/.exec(symbol);
  if (module !== null) return known("sdk", module[2].slice(0, Number(module[1])));
  const name = bareName(symbol);
  const row = known("vendor", name);
  if (row !== null || !name.includes("::")) return row;
  const plain = qualifiedName(name);
  return plain === name ? null : known("vendor", plain);
});

/** The row for a class, with `[` before it. */
function ofClass(name: string): KnowledgeRow | null {
  const row = known("vendor", name) ?? known("vendor", name.replace(/^\[_{1,2}/, "["));
  if (row === null || !/^\[[A-Z]+\*$/.test(row.key)) return row;
  // `RNCachingProtocol` has the prefix RN, and not RNC.
  return /^\[_{0,2}[A-Z]+[a-z]/.test(name) &&
      /^[A-Z]{1,20}(?=[A-Z][a-z])/.exec(name.replace(/^\[_{0,2}/, ""))?.[0]
          .startsWith(row.key.slice(1, -1)) !== true
    ? null
    : row;
}

/** The row for a category of a class of the system's, by the category's name, or its prefix: `-[UIImageView(WebCache) …]`,
 * `-[NSData(GULGzip) …]`. */
function ofCategory(symbol: string): KnowledgeRow | null {
  const name = /^(?:__\d{1,3})?[-+]\[\w{1,100}\((\w{1,60})\) /.exec(symbol)?.[1];
  return name === undefined ? null : known("vendor", `(${name}`) ?? ofClass(`[${name}`);
}

/** The name of a function of C++ without what demanglers write before it: the result of a template's, and thunks. */
function qualifiedName(name: string): string {
  const bare = name.replace(/^(?:non-virtual |virtual |covariant return )?thunk to /, "")
    .replace(/^guard variable for /, "");
  let depth = 0;
  let begin = 0;
  for (let at = 0; at < bare.length; at++) {
    const char = bare[at];
    if (char === "<") depth++;
    else if (char === ">" && bare[at - 1] !== "-") depth--;
    else if (depth > 0) continue;
    // A result may be in parentheses itself, as that of `decltype`.
    else if (char === "(" && !bare.startsWith("(anonymous", at)) break;
    else if (char === "(") at = Math.max(at, bare.indexOf(")", at));
    else if (char === " ") {
      if (/\boperator$/.test(bare.slice(begin, at))) break;
      begin = at + 1;
    }
  }
  return bare.slice(begin).replace(/^[*&]+/, "").replace(/^\(anonymous namespace\)::/, "");
}

/** The row for the words of a message; `null` when there is none. */
export function knownMessage(message: string): KnowledgeRow | null {
  if (lastMessage?.[0] !== message) lastMessage = [message, containing("message", message)];
  return lastMessage[1];
}

/** Several parts of an explanation ask for one message, and there are many rows of messages. */
let lastMessage: readonly [string, KnowledgeRow | null] | null = null;

/** The row for the words of a kernel panic; `null` when there is none. */
export function knownPanic(message: string): KnowledgeRow | null {
  return containing("panic", message);
}

/** The row for a line of `Kernel Triage`; `null` when it tells nothing. */
export function knownTriage(line: string): KnowledgeRow | null {
  return containing("triage", line);
}

/** The row for what a watchdog waited for, by its reason; `null` when it does not say. */
export function knownWatchdog(reason: string): KnowledgeRow | null {
  return containing("watchdog", reason);
}

function containing(kind: KnowledgeKind, text: string): KnowledgeRow | null {
  return indexOf(kind).within(text);
}

/** A function's name without what compilers and reporters add to it: `specialized`, `closure #1 in`,
 * `.cold.1`, `$VARIANT$mp`, `[abi:v15006]`, and the offset that Apple's reporter puts inside abbreviated
 * names, as in `_assertionFailure+ 228276 (_:_:file:line:flags:)`. */
export function bareName(symbol: string): string {
  let name = symbol.slice(0, 400);
  for (;;) {
    const shorter = name.replace(
      /^(?:invocation function for block in |specialized |generic specialization <[^>]{0,200}> of |partial apply for |merged |@objc |@nonobjc |closure #\d{1,4} in |implicit closure #\d{1,4} in )/,
      "",
    );
    if (shorter === name) break;
    name = shorter;
  }
  return name.replace(/ ?\(?\.cold\.\d{1,3}\)?$/, "")
    .replace(/\$VARIANT\$\w{1,20}$/, "")
    .replace(/\[abi:\w{1,20}\]/g, "")
    .replace(/\+ \d{1,12} (?=\()/, "")
    .replace(/^std::__1::/, "std::")
    // Some services write the modules of Swift's names.
    .replace(/^Swift\.(?=_[a-z])/, "");
}
