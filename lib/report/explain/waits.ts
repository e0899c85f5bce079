/** What the threads of a stackshot's processes waited for: locks, queues, and answers of other processes. */

import { arrayAt, isObject, type JsonObject, objectAt, textAt } from "../json.ts";
import type { CrashReport } from "../report.ts";
import { stackshotIn } from "../stackshot.ts";
import { capitalized } from "./words.ts";

/** Most threads that others waited for that are told. */
const MAX_OWNERS = 3;
/** Most threads that wait for one that are named. */
const MAX_NAMED = 4;

/** A line of what a stackshot says that threads wait for: `thread 43: pthread mutex 0x153394df0 owned by thread 41`,
 * `thread 7: krwlock 0x5ee9b380d4e609cd for reading owned by thread 9`, `thread 5: queue processed by thread 9`. */
const waitLine =
  /^thread (\d{1,12}): (\w[\w ]{1,40}?)(?: 0x[0-9a-f]{1,16})?(?: (for (?:reading|writing)))?(?: (?:owned|(processed)) by thread (\d{1,12}))?(?: name \S{1,20})?$/;
/** What the kernel's turnstiles say: `thread 5: blocked on 77, hops: 2, priority: 31`. */
const turnstileLine = /^thread (\d{1,12}): blocked on (\d{1,12}), hops: (\d{1,3})\b/;

type Kind = "lock" | "queue" | "step";

/** What one thread waits for, and the thread that it waits for. */
interface Wait {
  readonly kind: Kind;
  readonly what: string;
  readonly owner: string | null;
}

/** A process of a stackshot. */
interface Process {
  readonly title: string;
  readonly name: string;
  readonly threads: JsonObject;
}

/** Which threads of the processes of these names waited for another thread, and what that waited for in turn. */
export function threadWaits({ body }: CrashReport, names: readonly string[]): string[] {
  const processes: Process[] = [];
  const waits = new Map<string, Wait>();
  const blocked = new Map<string, { owner: string; hops: string }>();
  for (
    const [pid, process] of Object.entries(objectAt(stackshotIn(body) ?? {}, "processByPid") ?? {})
  ) {
    if (!isObject(process)) continue;
    const name = textAt(process, "procname") ?? "???";
    const threads = objectAt(process, "threadById") ?? {};
    processes.push({ title: `${name} [${pid}]`, name, threads });
    for (const line of arrayAt(process, "waitInfo")) {
      const match = typeof line === "string" ? waitLine.exec(line) : null;
      if (match === null) continue;
      const [, thread, what, mode, processed, owner = null] = match;
      waits.set(thread, {
        kind: processed === undefined ? "lock" : "queue",
        what: mode === undefined ? what : `${what} ${mode}`,
        owner,
      });
    }
    for (const line of arrayAt(process, "turnstileInfo")) {
      const match = typeof line === "string" ? turnstileLine.exec(line) : null;
      if (match !== null) blocked.set(match[1], { owner: match[2], hops: match[3] });
    }
  }
  const homeOf = (id: string): Process | undefined =>
    processes.find(({ threads }) => Object.hasOwn(threads, id));
  // An answer of another process has no owner; by the turnstiles it has.
  for (const [thread, { owner, hops }] of blocked) {
    const known = waits.get(thread)?.owner ?? null;
    if (known !== null || homeOf(owner) === undefined || homeOf(owner) === homeOf(thread)) continue;
    waits.set(thread, { kind: "step", what: hops, owner });
  }
  const words: string[] = [];
  for (const process of processes) {
    if (!names.includes(process.name)) continue;
    const owners = new Map<string, string[]>();
    for (const thread of Object.keys(process.threads)) {
      const owner = waits.get(thread)?.owner ?? null;
      if (owner !== null) owners.set(owner, [...owners.get(owner) ?? [], thread]);
    }
    const most = [...owners].sort(([, a], [, b]) => b.length - a.length);
    const title = (id: string): string => {
      const home = homeOf(id);
      return `thread ${id}${home === undefined || home === process ? "" : ` of ${home.title}`}`;
    };
    for (const [owner, waiters] of most) {
      if (words.length < MAX_OWNERS) words.push(ownerWords(owner, waiters, waits, title));
    }
  }
  return words;
}

/** Who waits for a thread, and what that waits for. */
function ownerWords(
  owner: string,
  waiters: readonly string[],
  waits: ReadonlyMap<string, Wait>,
  title: (id: string) => string,
): string {
  const parts: string[] = [];
  for (const kind of ["queue", "lock", "step"] as const) {
    const own = waiters.filter((thread) => waits.get(thread)!.kind === kind);
    if (own.length === 0) continue;
    const { what } = waits.get(own[0])!;
    const named = own.slice(0, MAX_NAMED).join(", ");
    const who = own.length === 1
      ? `thread ${own[0]}`
      : own.length <= MAX_NAMED
      ? `threads ${named}`
      : `${own.length} threads (${named}, …)`;
    const whom = parts.length === 0 ? title(owner) : "it";
    parts.push(
      kind === "queue"
        ? `${who} waited for a queue that ${whom} worked on`
        : kind === "lock"
        ? `${who} waited for a lock (${what}) that ${whom} held`
        : `${who} waited${what === "1" ? "" : `, over ${what} steps,`} for ${whom}`,
    );
  }
  const told = parts.join("; ");
  const words = capitalized(told);
  let chain = "";
  const seen = new Set(waiters);
  for (let holder: string | null = owner; holder !== null;) {
    if (seen.has(holder)) return `${words}${chain}: they wait for each other, without end.`;
    seen.add(holder);
    const next = waits.get(holder);
    if (next === undefined) break;
    chain += next.owner === null
      ? `, which waited in turn (${next.what})`
      : next.kind === "queue"
      ? `, which waited for a queue that ${title(next.owner)} worked on`
      : next.kind === "lock"
      ? `, which waited for a lock (${next.what}) that ${title(next.owner)} held`
      : `, which waited for ${title(next.owner)}`;
    holder = next.owner;
  }
  return `${words}${parts.length > 1 ? chain.replace(/^, which/, "; that thread") : chain}.`;
}
