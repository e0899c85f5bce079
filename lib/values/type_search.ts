/** Finds definitions of types by name, for those that a unit only declares. */

import {
  AT,
  type Entry,
  type EntryReader,
  TAG,
  type TypeTables,
  typeTables,
  UT,
} from "../dwarf/variables.ts";
import type { DwarfUnit } from "../dwarf/mod.ts";
import type { RawText } from "../escape.ts";
import { pointerTo } from "./declarators.ts";
import { guarded, type TypeReader } from "./dwarf_types.ts";
import type { Type } from "./model.ts";
import { voidType } from "./types.ts";

/** Maximum size of the units that are searched for definitions, in bytes. */
const MAX_SEARCHED = 64 << 20;
/** Maximum number of names that are kept. */
const MAX_NAMES = 1 << 20;

/** Where the types of an image are looked up: in its tables, and in what an index of the units that these do
 * not cover says. */
interface Search {
  readonly tables: TypeTables | null;
  index: ReadonlyMap<string, readonly number[]> | undefined;
  /** Constants: no table has them. */
  constants: ReadonlyMap<string, readonly number[]> | undefined;
}

const searches = new WeakMap<EntryReader, Search>();

const records: ReadonlySet<number> = new Set([
  TAG.structure_type,
  TAG.class_type,
  TAG.union_type,
  TAG.enumeration_type,
  TAG.interface_type,
]);

const indexed: ReadonlySet<number> = new Set([...records, TAG.base_type, TAG.typedef]);

/** The place of the definition of a type with a qualified name; -1 when there is none. Units that no table
 * covers are read for the first one, where they are not too large. */
export function findDefinition(
  entries: EntryReader,
  types: TypeReader,
  name: RawText,
  tag: number,
): number {
  const own = lastPart(name);
  for (const place of placesOf(entries, own)) {
    const entry = guarded(() => entries.at(place), null);
    if (entry === null || guarded(() => entry.flag(AT.declaration), true)) continue;
    if (!records.has(entry.tag) || isUnion(entry.tag) !== isUnion(tag)) continue;
    if (types.qualified(entry, own) === name) return place;
  }
  return -1;
}

/** Spaces, and the words of C before a name that C++ leaves out. */
const tagWords = /\b(?:struct|class|union|enum)\s+/g;

/** A name with such a word, which no typedef has; namespaces may have been written before it. */
const tagged = /^(?:const\s+)?(?:[\w$]+::)*(?:struct|class|union|enum)\s/;

/** Kinds of types that such a word stands before. */
const taggedKinds: ReadonlySet<string> = new Set(["struct", "class", "union", "enum"]);

/** The type with a name, as {@linkcode Type.name} writes it: a defined type, and pointers to one; `null` when
 * there is none.
 *
 * @param unit the unit that it has to be in; by default any
 */
export function searchType(
  entries: EntryReader,
  types: TypeReader,
  name: string,
  unit?: DwarfUnit,
): Type | null {
  const isTagged = tagged.test(name.trim());
  const places = (own: string) => {
    const all = placesOf(entries, own);
    return unit === undefined ? all : placesIn(unit, all);
  };
  const search = (text: string): Type | null => {
    const pointer = /^(.*[^\s*])((?:\s*\*\s*(?:const\b)?)+)$/.exec(text);
    if (pointer !== null) {
      let type = search(pointer[1]);
      const size = entries.info.units[0]?.addressSize ?? 8;
      for (const _ of pointer[2].matchAll(/\*/g)) {
        type = type === null ? null : pointerTo(type, size);
      }
      return type;
    }
    if (text === "void") return voidType;
    if (text.startsWith("const ")) return search(text.slice(6));
    for (const place of places(lastPart(text))) {
      const type = types.at(place);
      if (type.name === text && (!isTagged || taggedKinds.has(type.kind))) return type;
    }
    return null;
  };
  return search(name.replace(tagWords, "").replace(/\s+/g, " ").trim());
}

function* placesIn(unit: DwarfUnit, places: Iterable<number>): Generator<number> {
  const end = unit.offset + unit.size;
  for (const place of places) if (place >= unit.offset && place < end) yield place;
}

function isUnion(tag: number): boolean {
  return tag === TAG.union_type;
}

/** The name after the last `::` that is not in template arguments. */
export function lastPart(name: RawText): RawText {
  let depth = 0;
  for (let at = name.length - 1; at > 0; at--) {
    const character = name[at];
    if (character === ">") depth++;
    else if (character === "<") depth--;
    else if (character === ":" && name[at - 1] === ":" && depth === 0) return name.slice(at + 1);
  }
  return name;
}

/** The places of the types with an unqualified name. */
function* placesOf(entries: EntryReader, name: string): Generator<number> {
  const search = searchOf(entries);
  const { tables } = search;
  const known = tables?.places(name) ?? [];
  yield* known;
  if (known.length > 0) return;
  search.index ??= buildIndex(
    entries,
    (unit) => tables?.covers(unit) ?? false,
    ({ tag }) => tag === TAG.namespace || records.has(tag),
    (entry) => indexed.has(entry.tag) && !entry.flag(AT.declaration),
  );
  yield* search.index.get(name) ?? [];
}

/** The places of the constants with an unqualified name: enumerators, and those of namespaces and classes. */
export function constantPlaces(entries: EntryReader, name: string): readonly number[] {
  const search = searchOf(entries);
  search.constants ??= buildIndex(
    entries,
    () => false,
    ({ tag }) => tag === TAG.namespace || records.has(tag),
    (entry) => {
      const { tag } = entry;
      return tag === TAG.enumerator ||
        (tag === TAG.member || tag === TAG.variable) && entry.has(AT.const_value);
    },
  );
  return search.constants.get(name) ?? [];
}

function searchOf(entries: EntryReader): Search {
  let search = searches.get(entries);
  if (search === undefined) {
    // Tables of a linked file count from the entries of split ones, which they do not name.
    const isSplit = entries.info.units.some(({ type }) => type === UT.skeleton);
    const tables = isSplit ? null : typeTables(entries.info.reader.sections);
    search = { tables, index: undefined, constants: undefined };
    searches.set(entries, search);
  }
  return search;
}

/** The places of the entries for which `isWanted` is true, by their unqualified names.
 *
 * @param enter whether what is in an entry is looked at
 */
function buildIndex(
  entries: EntryReader,
  isPassed: (unit: number) => boolean,
  enter: (entry: Entry) => boolean,
  isWanted: (entry: Entry) => boolean,
): Map<string, number[]> {
  const index = new Map<string, number[]>();
  let searched = 0;
  let count = 0;
  for (const unit of entries.info.units) {
    if (isPassed(unit.offset)) continue;
    searched += unit.size;
    if (searched > MAX_SEARCHED || count > MAX_NAMES) break;
    guarded(() => {
      const root = entries.at(unit.offset + unit.entries);
      if (root === null) return;
      for (const [entry] of entries.walk(root, enter)) {
        if (!isWanted(entry)) continue;
        const { name } = entry;
        if (name === null || ++count > MAX_NAMES) continue;
        const known = index.get(name);
        if (known === undefined) index.set(name, [entry.place]);
        else known.push(entry.place);
      }
    }, undefined);
  }
  return index;
}
