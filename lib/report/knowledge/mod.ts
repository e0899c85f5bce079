/** What is known about crashes, as one table: exceptions, signals, codes, terminations, telltale frames
 * and messages. */

import { exceptionRows } from "./exceptions.ts";
import { frameRows } from "./frames.ts";
import type { KnowledgeKind, KnowledgeRow } from "./row.ts";
export type { KnowledgeKind, KnowledgeRow } from "./row.ts";
import { terminationRows } from "./terminations.ts";

/** All of it. */
export const knowledge: readonly KnowledgeRow[] = [
  ...exceptionRows,
  ...terminationRows,
  ...frameRows,
];

const exact = new Map<string, KnowledgeRow>();
const prefixes: KnowledgeRow[] = [];
const messages: KnowledgeRow[] = [];
for (const row of knowledge) {
  if (row.kind === "message") messages.push(row);
  else if (row.kind === "frame" && row.key.endsWith("*")) prefixes.push(row);
  else exact.set(`${row.kind} ${row.key}`, row);
}

/** What is known of a name; `null` when nothing is. */
export function known(kind: KnowledgeKind, key: string): KnowledgeRow | null {
  return exact.get(`${kind} ${key}`) ?? null;
}

/** What is known of a termination's code in its namespace; `null` when nothing is. */
export function knownTermination(namespace: string | null, code: bigint): KnowledgeRow | null {
  const hex = `0x${code.toString(16)}`;
  const space = (namespace ?? "").toUpperCase();
  return known("termination", `${space}:${hex}`) ?? known("termination", `*:${hex}`);
}

/** What is known of a frame by its symbol; `null` when nothing is. */
export function knownFrame(symbol: string): KnowledgeRow | null {
  const row = known("frame", symbol);
  if (row !== null) return row;
  return prefixes.find(({ key }) => symbol.startsWith(key.slice(0, -1))) ?? null;
}

/** What is known of a message by words in it; `null` when nothing is. */
export function knownMessage(message: string): KnowledgeRow | null {
  return messages.find(({ key }) => message.includes(key)) ?? null;
}
