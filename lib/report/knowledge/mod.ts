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
import { linkedRows } from "./linked.ts";
import { messageRows } from "./messages.ts";
import { consoleRows } from "./consoles.ts";
import { mobileRows } from "./mobile.ts";
import { panicRows } from "./panics.ts";
import { podRows } from "./pods.ts";
import { oncePerText } from "../remember.ts";
import type { CpuFamily, KnowledgeKind, KnowledgeRow } from "./row.ts";
import { runtimeRows } from "./runtimes.ts";
import { terminationRows } from "./terminations.ts";
import { companions, scriptRows, sdkRows, vendorRows } from "./vendors.ts";
import { WordIndex } from "./words.ts";

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

/** The whole table. */
export const knowledge: readonly KnowledgeRow[] = [
  ...exceptionRows,
  ...terminationRows,
  ...jetsamRows,
  ...frameRows,
  ...frameworkRows,
  ...mobileRows,
  ...runtimeRows,
  ...bindingRows,
  ...consoleRows,
  ...messageRows,
  ...kindRows,
  ...panicRows,
  ...vendorRows,
  ...linkedRows,
  ...podRows,
  ...sdkRows,
  ...scriptRows,
];

/** To make an index of words takes as long as to look for all of them in so many texts: one report has fewer. */
const FEW = 256;

/** The rows of one kind: those with a whole key, and those with a prefix or words. */
class Rows {
  /** Those with a whole key; made when one is asked for. */
  #exact: Map<string, KnowledgeRow[]> | null = null;
  /** Prefixes by their first two characters. */
  readonly #prefixes = new Map<string, { begin: string; row: KnowledgeRow }[]>();
  /** Those that are sorted, the longest prefix first: few are ever asked for. */
  readonly #sorted = new Set<string>();
  readonly #all: KnowledgeRow[] = [];
  /** The same by words of theirs; made where they are looked for in many texts. */
  #words: WordIndex | null = null;
  /** Texts in which they were looked for one by one. */
  #asked = 0;

  add(row: KnowledgeRow): void {
    this.#all.push(row);
  }

  #byKey(): Map<string, KnowledgeRow[]> {
    const exact = new Map<string, KnowledgeRow[]>();
    for (const row of this.#all) {
      if (row.key.endsWith("*")) {
        const start = row.key.slice(0, 2);
        const list = this.#prefixes.get(start);
        const prefix = { begin: row.key.slice(0, -1), row };
        if (list === undefined) this.#prefixes.set(start, [prefix]);
        else list.push(prefix);
      } else {
        const list = exact.get(row.key);
        if (list === undefined) exact.set(row.key, [row]);
        else list.push(row);
      }
    }
    return exact;
  }

  find(key: string, cpu?: CpuFamily): KnowledgeRow | null {
    this.#exact ??= this.#byKey();
    const rows = this.#exact.get(key);
    if (rows !== undefined) {
      // A row for the CPU wins over one for all.
      return rows.find((row) => row.cpu !== undefined && row.cpu === cpu) ??
        rows.find((row) => row.cpu === undefined) ?? null;
    }
    const start = key.slice(0, 2);
    const list = this.#prefixes.get(start);
    if (list === undefined) return null;
    if (!this.#sorted.has(start)) {
      list.sort((a, b) => b.begin.length - a.begin.length);
      this.#sorted.add(start);
    }
    return list.find(({ begin }) => key.startsWith(begin))?.row ?? null;
  }

  /** The first row whose key is in a text; `null` when there is none. */
  within(text: string): KnowledgeRow | null {
    if (this.#asked < FEW) {
      this.#asked++;
      return this.#all.find(({ key }) => text.includes(key)) ?? null;
    }
    this.#words ??= new WordIndex(this.#all.map(({ key }) => key));
    return this.#all[this.#words.find(text)] ?? null;
  }
}

const kinds = new Map<KnowledgeKind, Rows>();

for (const row of knowledge) {
  let rows = kinds.get(row.kind);
  if (rows === undefined) kinds.set(row.kind, rows = new Rows());
  rows.add(row);
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
  return kinds.get(kind)?.find(key, cpu) ?? null;
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
  return kinds.get(kind)?.within(text) ?? null;
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
