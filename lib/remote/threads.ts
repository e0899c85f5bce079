/** Lists of threads as stubs send them. */
import { elements } from "./elements.ts";
import { bytesOf, threadIdOf } from "./hexadecimal.ts";

/** A thread of a stopped target. */
export interface StubThread {
  readonly id: bigint;
  /** Empty when it has none. */
  readonly name: string;
  /** Address of the pointer to its dispatch queue; 0 where there is none, or the stub does not say. */
  readonly queueAddress: bigint;
  /** How it stopped; `undefined` where the stub does not say. */
  readonly stop: { readonly signal: number; readonly reason: string } | undefined;
  /** The registers that came with the list, by number. */
  readonly registers: ReadonlyMap<number, Uint8Array>;
}

/** A thread of which only the identifier is known. */
export function bareThread(id: bigint): StubThread {
  return { id, name: "", queueAddress: 0n, stop: undefined, registers: new Map() };
}

/** Reads the reply to `jThreadsInfo`; `undefined` when it is none.
 *
 * @param limit threads at most
 */
export function parseThreadsInfo(value: unknown, limit: number): StubThread[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const threads: StubThread[] = [];
  for (const entry of value.slice(0, limit)) {
    if (typeof entry !== "object" || entry === null) continue;
    const { tid, name, reason, description, signal, registers, qaddr } = entry as Record<
      string,
      unknown
    >;
    if (typeof tid !== "number" || !Number.isSafeInteger(tid) || tid < 0) continue;
    const values = new Map<number, Uint8Array>();
    if (typeof registers === "object" && registers !== null) {
      for (const [number, digits] of Object.entries(registers)) {
        const bytes = typeof digits === "string" ? bytesOf(digits) : undefined;
        if (/^\d{1,6}$/.test(number) && bytes !== undefined) values.set(Number(number), bytes);
      }
    }
    threads.push({
      id: BigInt(tid),
      name: textIn(name),
      queueAddress: typeof qaddr === "number" && qaddr > 0 && Number.isSafeInteger(qaddr)
        ? BigInt(qaddr)
        : 0n,
      stop: typeof signal === "number" || typeof reason === "string"
        ? {
          signal: typeof signal === "number" ? signal : 0,
          reason: textIn(description) || textIn(reason),
        }
        : undefined,
      registers: values,
    });
  }
  return threads;
}

/** Reads `qXfer:threads`. */
export function parseThreadList(document: string, limit: number): StubThread[] {
  const threads: StubThread[] = [];
  for (const { name, attributes } of elements(document)) {
    if (name !== "thread" || threads.length >= limit) continue;
    const id = threadIdOf(attributes.get("id"));
    if (id === undefined) continue;
    threads.push({
      id,
      name: attributes.get("name") ?? "",
      queueAddress: 0n,
      stop: undefined,
      registers: new Map(),
    });
  }
  return threads;
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
