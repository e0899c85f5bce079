/** Whose code a name is: tables of one shape, whose names are looked up as the keys of rows are. */

import { libraries, toolkits } from "./linked.ts";
import { classes, files } from "./pods.ts";
import type { KnowledgeRow, Names } from "./row.ts";
import type { RowSource } from "./rows.ts";
import { scripts, sdks, vendors } from "./vendors.ts";

/** Kinds of rows that say whose a name is, and nothing else. */
export type NameKind = "vendor" | "sdk" | "script";

/** The tables; of two prefixes of one length the first one's is taken. */
const tables: Readonly<Record<NameKind, readonly Names[]>> = {
  vendor: [vendors, libraries, toolkits, classes],
  sdk: [files, sdks],
  script: [scripts],
};

/** The names of one kind. There are thousands, of which a report asks for a few: a row is made for those that are found. */
export function namedRows(kind: NameKind): RowSource {
  const keys: string[] = [];
  const entries: Names[number][] = [];
  const add = (key: string, entry: Names[number]): void => {
    keys.push(key);
    entries.push(entry);
  };
  for (const entry of tables[kind].flat()) {
    const [, , names, begin] = entry;
    for (const name of names.split(/\s+/)) {
      if (begin === undefined) {
        add(name, entry);
      } else {
        add(`${begin}${name}::*`, entry);
        add(`${begin}${name}Private::*`, entry);
      }
    }
  }
  const rows: KnowledgeRow[] = [];
  const row = (place: number): KnowledgeRow => {
    const [meaning, source] = entries[place];
    return rows[place] ??= { kind, key: keys[place], meaning, causes: [], next: "", source };
  };
  return { keys, row };
}
