/** Which locks the threads of a stackshot's processes waited for. */

import { arrayAt, isObject, type JsonObject, objectAt, textAt } from "../json.ts";
import type { CrashReport } from "../report.ts";

/** Most waits for a lock that are told. */
const MAX_WAITS = 3;

/** A line of what a stackshot says that threads wait for: `thread 43: pthread mutex 0x153394df0 owned by thread 41`,
 * `thread 7: krwlock 0x5ee9b380d4e609cd for reading owned by thread 9`. */
const waitLine =
  /^thread (\d{1,12}): (\w[\w ]{1,40}?)(?: 0x[0-9a-f]{1,16})?(?: (for (?:reading|writing)))?(?: owned by thread (\d{1,12}))?(?: name \S{1,20})?$/;

/** What one thread waits for, and the thread that holds it. */
interface Wait {
  readonly what: string;
  readonly owner: string | null;
}

/** A process of a stackshot. */
interface Process {
  readonly pid: string;
  readonly name: string;
  readonly threads: JsonObject;
  readonly waits: readonly unknown[];
}

/** Which threads of the processes of these names waited for a lock, and what the thread that holds it waited for in turn. */
export function lockWaits({ body }: CrashReport, names: readonly string[]): string[] {
  const processes = Object.entries(objectAt(body ?? {}, "processByPid") ?? {}).flatMap(
    ([pid, process]): Process[] =>
      isObject(process)
        ? [{
          pid,
          name: textAt(process, "procname") ?? "???",
          threads: objectAt(process, "threadById") ?? {},
          waits: arrayAt(process, "waitInfo"),
        }]
        : [],
  );
  const waits = new Map<string, Wait>();
  for (const process of processes) {
    for (const line of process.waits) {
      const match = typeof line === "string" ? waitLine.exec(line) : null;
      if (match === null) continue;
      const [, thread, what, mode, owner = null] = match;
      waits.set(thread, { what: mode === undefined ? what : `${what} ${mode}`, owner });
    }
  }
  const words: string[] = [];
  for (const process of processes) {
    if (!names.includes(process.name)) continue;
    for (const thread of Object.keys(process.threads)) {
      const owner = waits.get(thread)?.owner ?? null;
      if (owner === null || words.length === MAX_WAITS) continue;
      words.push(chainWords(thread, owner, waits, (id) => {
        const home = processes.find(({ threads }) => Object.hasOwn(threads, id));
        return `thread ${id}${
          home === undefined || home === process ? "" : ` of ${home.name} [${home.pid}]`
        }`;
      }));
    }
  }
  return words;
}

/** From a thread that waits for a lock on to the one that holds it, and so on. */
function chainWords(
  thread: string,
  owner: string,
  waits: ReadonlyMap<string, Wait>,
  title: (id: string) => string,
): string {
  let told = `Thread ${thread} waited for a lock (${waits.get(thread)!.what}) that ${
    title(owner)
  } held`;
  const seen = new Set([thread]);
  for (let holder: string | null = owner; holder !== null;) {
    if (seen.has(holder)) return `${told}: they wait for each other, without end.`;
    seen.add(holder);
    const next = waits.get(holder);
    if (next === undefined) break;
    told += next.owner === null
      ? `, which waited in turn (${next.what})`
      : `, which waited for one (${next.what}) that ${title(next.owner)} held`;
    holder = next.owner;
  }
  return `${told}.`;
}
