/** The debug information of an image: its units, and lookups by offset. */
import { FormatError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import type { DwarfSections } from "./sections.ts";
import { UT } from "./constants.ts";
import type { UnitContext } from "./unit_context.ts";
import type { DwarfUnit } from "./unit_header.ts";
import { UnitIndex } from "./unit_index.ts";
import type { SourceFrame } from "./source_frame.ts";
import { UnitLookup } from "./unit_lookup.ts";
import { UnitReader } from "./unit_reader.ts";
import type { UnitLines, UnitScopes, UnitTable } from "./unit_table.ts";
import { STRING } from "./values.ts";

/** Maximum number of warnings per image. */
const MAX_WARNINGS = 32;
/** Maximum size of the tables kept for further lookups, in bytes. */
const MAX_KEPT = 48 << 20;

/** Options of {@linkcode DwarfInfo.open}. */
export interface DwarfOptions {
  /** The address of offset 0: the unslid address of `__TEXT`, or 0 for an object file. */
  readonly base: bigint;
  /** The supplementary file, whose entries and strings this one refers to. */
  readonly supplementary?: DwarfInfo;
  /** Finds the file with the entries of a unit that was split; `null` where there is none. */
  readonly split?: (unit: SplitUnit, linked: DwarfInfo) => DwarfInfo | null;
  /** Of a split file, the linked one: it has addresses and lines. */
  readonly linked?: DwarfInfo;
  /** Receives a line for each damaged part that is left out. */
  readonly warn?: (text: string) => void;
}

/** A unit whose entries the compiler wrote to a file of their own (`-gsplit-dwarf`). */
export interface SplitUnit {
  /** What both files have: `dwo_id`. */
  readonly id: bigint;
  /** The file's name, as the compiler was told it; `null` if there is none. */
  readonly name: RawText | null;
  /** The folder that the name counts from. */
  readonly directory: RawText | null;
}

/** A unit, and the file that has its entries. */
interface HeldUnit {
  readonly info: DwarfInfo;
  readonly unit: DwarfUnit;
}

/** The functions and lines of an image, from DWARF 2 to 5. Everything is read at first use.
 *
 * A damaged unit is left out.
 *
 * @example
 * ```ts
 * import { DwarfInfo, DwarfSections } from "./mod.ts";
 * import { bytesSource, Image } from "../macho/mod.ts";
 *
 * const file = bytesSource(await Deno.readFile("demo.dSYM/Contents/Resources/DWARF/demo"), "demo");
 * const image = Image.fromSource(file);
 * const sections = DwarfSections.find(file, image.segments.flatMap(({ sections }) => sections));
 * if (sections !== null) {
 *   console.log(DwarfInfo.open(sections, { base: image.loadAddress }).framesAt(0x1234));
 * }
 * ```
 */
export class DwarfInfo {
  readonly #index: UnitIndex;
  /** Reads the units. */
  readonly reader: UnitReader;
  /** The supplementary file; `null` when there is none. */
  readonly supplementary: DwarfInfo | null;
  readonly #warnings: string[] = [];
  readonly #warn: ((text: string) => void) | undefined;
  /** By the unit's offset, the last used at the end. */
  readonly #kept = new Map<number, Kept>();
  #weight = 0;
  /** Of a split file, the linked one. */
  readonly linked: DwarfInfo | undefined;
  readonly #findSplit: DwarfOptions["split"];
  /** By the unit's offset; `null` for one whose entries are here. */
  readonly #splits = new Map<number, HeldUnit | null>();
  /** The units whose entries are elsewhere, by ID. */
  readonly #skeletons = new Map<bigint, UnitContext>();
  #allSkeletons = false;
  /** Offsets of split units by ID. */
  #splitUnits: ReadonlyMap<bigint, number> | undefined;

  private constructor(sections: DwarfSections, options: DwarfOptions) {
    this.#warn = options.warn;
    this.supplementary = options.supplementary ?? null;
    const { linked } = options;
    this.linked = linked;
    this.#findSplit = options.split;
    const warn = (text: string) => this.#report(text);
    sections.warn = warn;
    for (const text of sections.missing) warn(text);
    this.reader = new UnitReader(
      sections,
      options.base,
      (place) => this.#index.holding(place),
      warn,
      options.supplementary?.reader,
      linked && { reader: linked.reader, skeleton: (id) => linked.#skeleton(id) },
    );
    this.#index = new UnitIndex(sections, this.reader, warn);
  }

  /** Opens the sections of an image.
   *
   * @throws {FormatError} when `.debug_info` is compressed and damaged
   */
  static open(sections: DwarfSections, options: DwarfOptions): DwarfInfo {
    return new DwarfInfo(sections, options);
  }

  /** The damage found so far. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** The headers of all units, in the order of `.debug_info`. */
  get units(): readonly DwarfUnit[] {
    return this.#index.units;
  }

  /** The unit that has the code at an offset; `null` if there is none. */
  unitAt(offset: number): DwarfUnit | null {
    if (this.linked === undefined) return this.#index.at(offset);
    const held = this.linked.#heldAt(offset);
    return held?.info === this ? held.unit : null;
  }

  /** The file with the entries for the code at an offset: this one, or a split one. */
  fileAt(offset: number): DwarfInfo {
    return this.#heldAt(offset)?.info ?? this;
  }

  /** This file, and the split ones that are found. */
  *files(): Generator<DwarfInfo> {
    yield this;
    if (this.#findSplit === undefined) return;
    const known = new Set<DwarfInfo>([this]);
    for (const unit of this.units) {
      const { info } = this.#held(unit);
      if (known.has(info)) continue;
      known.add(info);
      yield info;
    }
  }

  /** The unit of a split file with an ID; `null` if there is none. */
  splitUnit(id: bigint): DwarfUnit | null {
    const index = this.#index.package;
    const place = index === null ? this.#ownSplits.get(id) ?? -1 : index.unit(id);
    return place < 0 ? null : this.#index.startingAt(place);
  }

  get #ownSplits(): ReadonlyMap<bigint, number> {
    return this.#splitUnits ??= new Map(this.units.flatMap((unit) => {
      if (unit.type !== UT.split_compile && unit.type !== UT.compile) return [];
      const id = unit.id ?? this.#guard(unit, () => this.reader.context(unit))?.id ?? null;
      return id === null ? [] : [[id, unit.offset] as const];
    }));
  }

  #heldAt(offset: number): HeldUnit | null {
    const unit = this.unitAt(offset);
    return unit === null ? null : this.#held(unit);
  }

  /** The unit that has the entries of a unit. */
  #held(unit: DwarfUnit): HeldUnit {
    if (this.#findSplit === undefined) return { info: this, unit };
    let split = this.#splits.get(unit.offset);
    if (split === undefined) {
      split = this.#openSplit(unit, this.#findSplit);
      this.#splits.set(unit.offset, split);
    }
    return split ?? { info: this, unit };
  }

  #openSplit(
    unit: DwarfUnit,
    find: NonNullable<DwarfOptions["split"]>,
  ): HeldUnit | null {
    const skeleton = this.#skeletonOf(unit);
    if (skeleton === null) return null;
    const { id, context } = skeleton;
    this.#skeletons.set(id, context);
    const text = (ref: number) => this.reader.text(ref, context);
    const wanted = { id, name: text(context.splitName), directory: text(context.directory) };
    const info = find(wanted, this);
    const found = info?.splitUnit(id) ?? null;
    return info === null || found === null ? null : { info, unit: found };
  }

  /** The first entry of a unit whose entries are elsewhere; `null` for another unit. */
  #skeletonOf(
    unit: DwarfUnit,
  ): { readonly id: bigint; readonly context: UnitContext } | null {
    if (unit.type !== UT.skeleton && (unit.version >= 5 || unit.type !== UT.compile)) return null;
    const context = this.#guard(unit, () => this.reader.context(unit));
    if (context === null || context.id === null || context.splitName === STRING.none) return null;
    return { id: context.id, context };
  }

  /** The unit of this file whose entries are in the split unit with an ID. */
  #skeleton(id: bigint): UnitContext | null {
    if (!this.#skeletons.has(id) && !this.#allSkeletons) {
      this.#allSkeletons = true;
      for (const unit of this.units) {
        const skeleton = this.#skeletonOf(unit);
        if (skeleton !== null) this.#skeletons.set(skeleton.id, skeleton.context);
      }
    }
    return this.#skeletons.get(id) ?? null;
  }

  /** The unit that contains an offset of `.debug_info`; `null` if none does. */
  unitHolding(place: number): DwarfUnit | null {
    return this.#index.holding(place);
  }

  /** The offset in `.debug_info` of the entry of the function whose code is at an offset; `null` if none is
   * known. */
  functionAt(offset: number): number | null {
    const unit = this.unitAt(offset);
    const place = unit === null ? undefined : this.#lookup(unit)?.functionAt(offset);
    return place === undefined || place < 0 ? null : unit!.offset + place;
  }

  /** The path of a file that entries of a unit name by number; `null` if there is none. */
  file(unit: DwarfUnit, number: number): RawText | null {
    const lookup = this.#lookup(unit);
    return lookup === null ? null : this.#guard(unit, () => lookup.file(number));
  }

  /** The functions and lines of a unit. The columns are reused for the next table, and by
   * {@linkcode framesAt}: copy them to keep them.
   *
   * @throws {FormatError} when the unit is damaged
   */
  table(unit: DwarfUnit): UnitTable {
    const held = this.#held(unit);
    return { ...held.info.reader.read(held.unit), unit: unit.offset };
  }

  /** The functions at an offset from the image's base, innermost first; empty if none is known. */
  framesAt(offset: number): readonly SourceFrame[] {
    const held = this.#heldAt(offset);
    return held === null ? [] : held.info.#framesIn(held.unit, offset);
  }

  #framesIn(unit: DwarfUnit, offset: number): readonly SourceFrame[] {
    const lookup = this.#lookup(unit);
    return lookup === null ? [] : this.#guard(unit, () => lookup.framesAt(offset)) ?? [];
  }

  /** The number of calls that are inlined at an offset, one into the other. */
  inlineCountAt(offset: number): number {
    const held = this.#heldAt(offset);
    return held === null ? 0 : held.info.#lookup(held.unit)?.inlineCountAt(offset) ?? 0;
  }

  /** The functions at each of many offsets. Each unit is read once and not kept. */
  framesOf(offsets: ArrayLike<number>): (readonly SourceFrame[])[] {
    const steps = this.findFrames(offsets);
    for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
  }

  /** {@linkcode DwarfInfo.framesOf}, in steps of one unit. */
  *findFrames(offsets: ArrayLike<number>): Generator<void, (readonly SourceFrame[])[]> {
    const result: (readonly SourceFrame[])[] = Array.from({ length: offsets.length }, () => []);
    const byUnit = new Map<DwarfUnit, number[]>();
    for (let index = 0; index < offsets.length; index++) {
      const unit = this.unitAt(offsets[index]);
      if (unit === null) continue;
      const indices = byUnit.get(unit);
      if (indices === undefined) byUnit.set(unit, [index]);
      else indices.push(index);
    }
    for (const [unit, indices] of byUnit) {
      const table = this.#guard(unit, () => this.table(unit));
      if (table === null) continue;
      const lookup = UnitLookup.of(table);
      for (const index of indices) {
        result[index] = this.#guard(unit, () => lookup.framesAt(offsets[index])) ?? [];
      }
      yield;
    }
    return result;
  }

  #report(text: string): void {
    if (this.#warnings.length >= MAX_WARNINGS) return;
    this.#warnings.push(
      this.#warnings.length === MAX_WARNINGS - 1 ? "no more warnings of this kind" : text,
    );
    this.#warn?.(this.#warnings.at(-1)!);
  }

  #guard<T>(unit: DwarfUnit, read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#report(`unit at 0x${unit.offset.toString(16)} left out: ${error.message}`);
      return null;
    }
  }

  #lookup(unit: DwarfUnit): UnitLookup | null {
    let kept = this.#kept.get(unit.offset);
    if (kept === undefined) {
      kept = this.#read(unit);
      this.#weight += kept.weight;
    } else this.#kept.delete(unit.offset);
    this.#kept.set(unit.offset, kept);
    this.#limit();
    return kept.lookup;
  }

  /** Reads the functions of a unit. What else is needed is read then. */
  #read(unit: DwarfUnit): Kept {
    const { reader } = this;
    const table = this.#guard(unit, () => copied(reader.scopes(unit)));
    if (table === null) return { lookup: null, weight: 256 };
    let lines: UnitLines | null | undefined;
    const lookup = new UnitLookup(table, {
      name: (scope) =>
        this.#guard(unit, () => reader.functionNameAt(table.scopeEntry[scope], unit)) ?? "",
      lines: () => {
        if (lines === undefined) {
          lines = this.#guard(unit, () => reader.lines(unit));
          const more = lines === null ? 0 : weightOfLines(lines);
          if (this.#kept.get(unit.offset) === kept) {
            kept.weight += more;
            this.#weight += more;
            this.#limit();
          }
        }
        return lines;
      },
    });
    const kept: Kept = { lookup, weight: weightOf(table) + lookup.weight };
    return kept;
  }

  /** Drops what was used longest ago. */
  #limit(): void {
    for (const [place, { weight }] of this.#kept) {
      if (this.#weight <= MAX_KEPT || this.#kept.size === 1) break;
      this.#kept.delete(place);
      this.#weight -= weight;
    }
  }
}

/** A unit for further lookups. */
interface Kept {
  /** `null` for a unit that cannot be read. */
  readonly lookup: UnitLookup | null;
  /** Approximate memory use, in bytes. */
  weight: number;
}

type Scopes = UnitScopes & { readonly scopeEntry: Float64Array };

/** A copy of the table with its own columns. */
function copied(table: Scopes): Scopes {
  const { scopeCount, rangeCount } = table;
  return {
    ...table,
    scopeEntry: table.scopeEntry.slice(0, scopeCount),
    scopeParent: table.scopeParent.slice(0, scopeCount),
    scopePlace: table.scopePlace.slice(0, scopeCount),
    scopeCallFile: table.scopeCallFile.slice(0, scopeCount),
    scopeCallLine: table.scopeCallLine.slice(0, scopeCount),
    scopeCallColumn: table.scopeCallColumn.slice(0, scopeCount),
    scopeRanges: table.scopeRanges.slice(0, scopeCount + 1),
    rangeLow: table.rangeLow.slice(0, rangeCount),
    rangeHigh: table.rangeHigh.slice(0, rangeCount),
  };
}

/** Approximate memory use of a copied table, in bytes. */
function weightOf({ scopeCount, rangeCount }: UnitScopes): number {
  return scopeCount * 32 + rangeCount * 16 + (16 << 10);
}

function weightOfLines({ sequenceCount, rowCount }: UnitLines): number {
  return sequenceCount * 12 + rowCount * 20;
}
