/** The variables of a frame: their entries, evaluated over its registers and memory. */

import type { Arch } from "../arch/mod.ts";
import type { DwarfInfo } from "../dwarf/mod.ts";
import {
  AT,
  ATE,
  type Entry,
  EntryReader,
  evaluateLocation,
  type Location,
  type LocationContext,
  LocationLists,
  type NoLocation,
  type OperandType,
  TAG,
} from "../dwarf/variables.ts";
import type { RawText } from "../escape.ts";
import { ArrayType, guarded, TypeReader } from "./dwarf_types.ts";
import type { Place, Type, Value, ValueContext, Variable, VariableKind } from "./model.ts";
import { isQuadFloat, unsignedOf } from "./scalars.ts";
import { blocksAt, type FunctionScopes, originOf, type Scope, ScopeReader } from "./scopes.ts";
import { constantPlaces, findDefinition, lastPart } from "./type_search.ts";
import { canonical, isAlias } from "./types.ts";
import { PlacedValue } from "./value.ts";

/** Maximum size of a value that is put together of pieces, in bytes. */
const MAX_VALUE = 1 << 16;
/** Maximum number of variables of a frame. */
const MAX_VARIABLES = 1 << 12;
/** Maximum number of variables outside of functions in one unit. */
const MAX_GLOBALS = 1 << 16;
/** Maximum number of pointers in a chain that were optimized away. */
const MAX_IMPLICIT = 8;
/** Maximum number of callers that a value at a function's entry is followed to. */
const MAX_ENTRY_CALLERS = 8;

/** `DW_OP_addr`, `DW_OP_addrx` and `DW_OP_GNU_addr_index`. */
const addressOperations: ReadonlySet<number> = new Set([0x03, 0xa1, 0xfb]);

/** The debug information of one image, or of one object file of it, for variables. */
export class ModuleVariables {
  readonly info: DwarfInfo;
  readonly entries: EntryReader;
  readonly types: TypeReader;
  readonly lists: LocationLists;
  readonly scopes: ScopeReader;
  /** The address in the process of an offset in the debug information; `undefined` when not known. */
  readonly addressOf: (offset: number) => bigint | undefined;
  readonly #moduleOf: (info: DwarfInfo) => ModuleVariables | null;

  /** @param moduleOf what reads another file with entries of the same image */
  constructor(
    info: DwarfInfo,
    addressOf: (offset: number) => bigint | undefined,
    moduleOf: (info: DwarfInfo) => ModuleVariables | null = () => null,
  ) {
    this.info = info;
    this.#moduleOf = moduleOf;
    this.entries = new EntryReader(info);
    this.types = new TypeReader(this.entries, (name, tag) => {
      for (const { entries, types } of this.all()) {
        const place = findDefinition(entries, types, name, tag);
        if (place >= 0) return { types, place };
      }
      return null;
    });
    this.lists = new LocationLists(this.entries);
    this.scopes = new ScopeReader(this.entries);
    this.addressOf = addressOf;
  }

  /** This one, and those of the files that the image's units were split into. */
  *all(): Generator<ModuleVariables> {
    yield this;
    for (const info of this.info.linked?.files() ?? this.info.files()) {
      const other = info === this.info ? null : this.#moduleOf(info);
      if (other !== null) yield other;
    }
  }
}

/** The state of one activation. */
export interface Activation {
  readonly module: ModuleVariables;
  /** Offset in the debug information to look up with: inside the call in a caller. */
  readonly offset: number;
  /** Offset of the next instruction to be executed. */
  readonly resume: number;
  /** A register's value by DWARF number; `undefined` where it is lost. */
  register(number: number): bigint | undefined;
  /** The caller's stack pointer before the call; `undefined` when it is not known. */
  readonly frameAddress: bigint | undefined;
  /** The caller's activation; `null` where there is none with debug information. */
  readonly caller: Activation | null;
  /** The address of a thread's variable, or why it is not known. */
  threadAddress(place: ThreadPlace): bigint | string;
  readonly arch: Arch;
}

/** What debug information says of where a thread's variable is. */
export interface ThreadPlace {
  /** In ELF: the offset among the variables of the image. */
  readonly operand: bigint;
  /** In Mach-O: the address of the variable's descriptor; `undefined` when it is in no image. */
  descriptor(): bigint | undefined;
}

/** A variable of a frame or an image. */
export class PlacedVariable extends PlacedValue implements Variable {
  readonly kind: VariableKind;
  readonly depth: number;
  readonly artificial: boolean;
  readonly #declared: () => Variable["declaration"];

  constructor(
    context: ValueContext,
    name: RawText,
    type: Type,
    place: Place,
    facts: {
      readonly kind: VariableKind;
      readonly depth: number;
      readonly artificial: boolean;
      readonly declared: () => Variable["declaration"];
    },
  ) {
    super(context, name, type, place);
    this.kind = facts.kind;
    this.depth = facts.depth;
    this.artificial = facts.artificial;
    this.#declared = facts.declared;
  }

  get declaration(): Variable["declaration"] {
    return this.#declared();
  }

  /** As of every value, with its kind. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), kind: this.kind };
  }
}

/** The variables of a function at an activation, innermost scope first.
 *
 * @param level which of the functions at the address: 0 for the innermost inlined call; -1 for the one that
 * has the activation
 */
export function frameVariables(
  activation: Activation,
  level: number,
  context: ValueContext,
): Variable[] {
  const { module, offset } = activation;
  const place = guarded(() => module.info.functionAt(offset), null);
  const scopes = place === null ? null : module.scopes.at(place);
  if (scopes === null) return [];
  const evaluator = new Evaluator(activation, scopes, context);
  const variables: Variable[] = [];
  const blocks = blocksAt(scopes, offset, level);
  blocks.forEach((scope, index) => {
    for (const entry of variablesOf(module, scope)) {
      const variable = evaluator.variable(entry, blocks.length - 1 - index);
      if (variable !== null && variables.length < MAX_VARIABLES) variables.push(variable);
    }
  });
  return variables;
}

/** The variables of a scope, and those parameters of the function that this copy of it does not use. */
function variablesOf(module: ModuleVariables, scope: Scope): readonly Entry[] {
  if (scope.kind === "block") return scope.variables;
  const origin = guarded(() => scope.entry.referenced(AT.abstract_origin), null);
  if (origin === null) return scope.variables;
  const used = new Set(
    scope.variables.map((entry) => guarded(() => entry.reference(AT.abstract_origin), -1)),
  );
  const merged: Entry[] = [];
  const rest = [...scope.variables];
  for (const entry of guarded(() => [...module.entries.children(origin)], [])) {
    if (entry.tag !== TAG.formal_parameter) continue;
    if (!used.has(entry.place)) {
      merged.push(entry);
      continue;
    }
    const at = rest.findIndex((concrete) =>
      guarded(() => concrete.reference(AT.abstract_origin), -1) === entry.place
    );
    if (at >= 0) merged.push(...rest.splice(at, 1));
  }
  return [...merged, ...rest];
}

/** Evaluates the entries of one activation. */
class Evaluator {
  readonly #activation: Activation;
  readonly #scopes: FunctionScopes;
  readonly #context: ValueContext;
  #frameBase: bigint | undefined | null = null;
  #implicit = 0;

  constructor(activation: Activation, scopes: FunctionScopes, context: ValueContext) {
    this.#activation = activation;
    this.#scopes = scopes;
    this.#context = context;
  }

  /** The variable of an entry; `null` when it has no name. */
  variable(entry: Entry, depth: number): Variable | null {
    const origin = originOf(entry);
    const name = guarded(() => origin.name, null) ?? guarded(() => entry.name, null);
    if (name === null || name === "") return null;
    const type = this.#typeOf(entry, origin);
    const place = type instanceof ArrayType && type.count === null && type.isCounted
      ? unavailable("its length is not known")
      : this.place(entry, origin, type);
    return new PlacedVariable(this.#context, name, type, place, {
      kind: kindOf(entry, origin),
      depth,
      artificial: guarded(() => origin.flag(AT.artificial) || entry.flag(AT.artificial), false),
      declared: () => declarationOf(origin) ?? declarationOf(entry),
    });
  }

  #typeOf(entry: Entry, origin: Entry): Type {
    const { types } = this.#activation.module;
    return this.#counted(types.of(entry.has(AT.type) ? entry : origin));
  }

  /** The type with the lengths of its arrays, where only the frame knows them. */
  #counted(type: Type): Type {
    if (type instanceof ArrayType) {
      const target = this.#counted(type.target);
      if (type.dynamic === null) {
        return target === type.target ? type : type.counted(type.count, target);
      }
      return type.counted(this.#count(type.dynamic), target);
    }
    if (isAlias(type) && type.target instanceof ArrayType) {
      const target = this.#counted(type.target);
      if (target === type.target) return type;
      const { kind, name, language } = type;
      return { kind, name, language, size: target.size, target };
    }
    return type;
  }

  /** The number of elements; `null` when it is not known. */
  #count({ variable, expression, more }: NonNullable<ArrayType["dynamic"]>): number | null {
    const { module } = this.#activation;
    let held: bigint | null = null;
    if (variable >= 0) {
      const entry = guarded(() => module.entries.at(variable), null);
      held = entry === null ? null : this.#integer(this.#concrete(entry));
    } else if (expression !== null) {
      const location = this.#evaluate(expression, this.#scopes.root.entry);
      // What the expression leaves on the stack is the number itself. DWARF 5, section 2.19.
      if (location.kind === "value") held = location.value;
      else if (location.kind === "memory") held = location.address;
    }
    if (held === null) return null;
    const count = Number(BigInt.asIntN(64, held)) + more;
    return count > 0 && count < 2 ** 40 ? count : 0;
  }

  /** The number that a variable holds, which may be without a name; `null` when it is not known. */
  #integer(entry: Entry): bigint | null {
    const origin = originOf(entry);
    const type = this.#typeOf(entry, origin);
    return new PlacedValue(this.#context, "", type, this.place(entry, origin, type)).integer;
  }

  /** The entry of this copy of the function for a variable that is described abstractly. */
  #concrete(entry: Entry): Entry {
    if (entry.has(AT.location) || entry.has(AT.const_value)) return entry;
    const search = (scope: Scope): Entry | undefined =>
      scope.variables.find((variable) =>
        guarded(() => variable.reference(AT.abstract_origin), -1) === entry.place
      ) ?? scope.children.map(search).find((found) => found !== undefined);
    return search(this.#scopes.root) ?? entry;
  }

  /** Where a variable is. */
  place(entry: Entry, origin: Entry, type: Type): Place {
    const constant = constantOf(entry.has(AT.const_value) ? entry : origin, type);
    if (constant !== null) return padded(constant, type);
    const { module, offset } = this.#activation;
    const described = entry.has(AT.location) ? entry : origin;
    const bytes = guarded(() => module.lists.at(described, AT.location, offset), damaged);
    if (bytes === damaged) return unavailable("its location is damaged");
    // A value of Swift that has no bytes needs no place.
    if (!bytes?.length && type.language === "swift" && canonical(type).size === 0) {
      return { kind: "bytes", bytes: new Uint8Array() };
    }
    if (bytes === null) return unavailable("optimized out");
    if (bytes === undefined) return unavailable("no location at this pc");
    if (bytes.length === 0) return unavailable("optimized out");
    return padded(this.#placeOf(this.#evaluate(bytes, entry), canonical(type).size), type);
  }

  #evaluate(bytes: Uint8Array, entry: Entry): Location | NoLocation {
    return evaluateLocation(bytes, this.#locationContext(entry));
  }

  #locationContext(entry: Entry): LocationContext {
    const activation = this.#activation;
    const { module, arch } = activation;
    const { addresses } = module.info.reader;
    const { memory } = this.#context;
    const { unit } = entry;
    const address = (linked: bigint) =>
      addressOf(
        addresses.offset(
          Number(linked & 0xffff_ffffn),
          Number(linked >> 32n),
          unit.addressSize,
        ),
      );
    const addressOf = (offset: number) =>
      Number.isNaN(offset) ? undefined : module.addressOf(offset);
    return {
      registers: (number) => activation.register(number),
      readMemory: (address, size) => {
        const bytes = memory.readUpTo(address & this.#context.addressMask, size);
        return bytes.length < size ? undefined : unsignedOf(bytes);
      },
      pointerSize: arch.pointerSize,
      offsetSize: unit.offsetSize,
      frameBase: () => this.#base(),
      frameAddress: () => activation.frameAddress,
      entryValue: (register) => this.#entryValue(register),
      address,
      indexedAddress: (index) => addressOf(addresses.indexed(index, unit.addrBase, unit)),
      indexedConstant: (index) => {
        const offset = addresses.indexed(index, unit.addrBase, unit);
        return Number.isNaN(offset) ? undefined : addresses.linked(offset);
      },
      threadAddress: (operand) =>
        activation.threadAddress({ operand, descriptor: () => address(operand) }),
      called: (offset, isInUnit) => {
        const place = isInUnit ? unit.offset + offset : offset;
        const called = guarded(() => module.entries.at(place), null);
        return called === null
          ? undefined
          : guarded(() => module.lists.at(called, AT.location, activation.offset), null) ??
            undefined;
      },
      operandType: (offset) => this.#operandType(unit.offset + offset),
    };
  }

  #operandType(place: number): OperandType | undefined {
    const { module, arch } = this.#activation;
    const entry = guarded(() => module.entries.at(place), null);
    if (entry === null || entry.tag !== TAG.base_type) return undefined;
    const size = (entry.number(AT.byte_size) ?? 0) * 8;
    const encoding = entry.number(AT.encoding);
    if (size <= 0 || size > 128) return undefined;
    return {
      size,
      isSigned: encoding === ATE.signed || encoding === ATE.signed_char,
      isFloat: encoding === ATE.float || encoding === ATE.complex_float,
      isExtended: !isQuadFloat(arch.name, entry.name ?? ""),
    };
  }

  /** The base of the function's variables. */
  #base(): bigint | undefined {
    if (this.#frameBase === null) {
      this.#frameBase = undefined; // while it is evaluated
      const { module, offset } = this.#activation;
      const { entry } = this.#scopes.root;
      const bytes = guarded(() => module.lists.at(entry, AT.frame_base, offset), undefined);
      if (bytes !== null && bytes !== undefined) {
        const location = this.#evaluate(bytes, entry);
        this.#frameBase = location.kind === "register"
          ? this.#activation.register(location.register)
          : location.kind === "memory"
          ? location.address
          : location.kind === "value"
          ? location.value
          : undefined;
      }
    }
    return this.#frameBase;
  }

  #placeOf(location: Location | NoLocation, size: number | null): Place {
    const { arch } = this.#activation;
    switch (location.kind) {
      case "memory":
        return { kind: "memory", address: location.address & this.#context.addressMask };
      case "register": {
        const value = this.#activation.register(location.register);
        const name = registerName(arch, location.register);
        if (value === undefined) return unavailable(`register ${name} is not known in this frame`);
        return { kind: "register", register: name, bytes: bytesOf(value, arch.pointerSize) };
      }
      case "value":
        return {
          kind: "bytes",
          bytes: bytesOf(location.value, Math.max(8, (location.size ?? 0) / 8)),
        };
      case "bytes":
        return { kind: "bytes", bytes: location.bytes };
      case "implicit-pointer":
        return this.#implicitPointer(location.place, location.offset);
      case "pieces":
        return this.#pieces(location.pieces, size);
      case "empty":
        return unavailable("optimized out");
      case "unknown":
        return unavailable(location.reason);
    }
  }

  #implicitPointer(place: number, offset: number): Place {
    const { module } = this.#activation;
    const entry = guarded(() => module.entries.at(place), null);
    if (entry === null || this.#implicit >= MAX_IMPLICIT) return unavailable("optimized out");
    this.#implicit++;
    try {
      const concrete = this.#concrete(entry);
      const origin = originOf(concrete);
      const target = this.place(concrete, origin, this.#typeOf(concrete, origin));
      return { kind: "implicit-pointer", target, offset };
    } finally {
      this.#implicit--;
    }
  }

  #pieces(pieces: Extract<Location, { kind: "pieces" }>["pieces"], size: number | null): Place {
    const total = pieces.reduce((sum, { bits }) => sum + bits, 0);
    const room = Math.max(Math.ceil(total / 8), size ?? 0);
    if (!(room <= MAX_VALUE)) return unavailable("a value of too many pieces");
    const bytes = new Uint8Array(room);
    const known = new Uint8Array(room);
    let at = 0;
    for (const { bits, offset, location } of pieces) {
      const held = this.#pieceBytes(location, bits, offset);
      if (held !== null) copyBits(held, offset % 8, bytes, at, bits);
      // A byte is known when all pieces in it are.
      for (let byte = at >> 3; byte < Math.ceil((at + bits) / 8); byte++) {
        const isFirst = byte * 8 >= at;
        known[byte] = held !== null && (isFirst || known[byte] === 1) ? 1 : 0;
      }
      at += bits;
    }
    return { kind: "bytes", bytes, known: known.includes(0) ? known : undefined };
  }

  /** The bytes of a piece, from the one that has its first bit; `null` when it is not known. */
  #pieceBytes(location: Location, bits: number, offset: number): Uint8Array | null {
    const first = offset >> 3;
    const length = Math.ceil((offset % 8 + bits) / 8);
    if (length > MAX_VALUE) return null;
    const place = this.#placeOf(location, first + length);
    if (place.kind === "memory") {
      const bytes = this.#context.memory.readUpTo(place.address + BigInt(first), length);
      return bytes.length < length ? null : bytes;
    }
    if (place.kind !== "register" && place.kind !== "bytes") return null;
    const bytes = place.bytes.subarray(first, first + length);
    return bytes.length < length ? null : bytes;
  }

  /** A register's value when the function was entered, by what its caller says of the call. DWARF 5,
   * section 3.4. */
  #entryValue(register: number): bigint | undefined {
    const { caller, module } = this.#activation;
    if (caller === null || entryDepth >= MAX_ENTRY_CALLERS) return undefined;
    const place = guarded(() => caller.module.info.functionAt(caller.offset), null);
    const scopes = place === null ? null : caller.module.scopes.at(place);
    if (scopes === null) return undefined;
    const call = guarded(
      () => scopes.calls.find((entry) => returnOf(entry) === caller.resume),
      undefined,
    );
    if (call === undefined) return undefined;
    const evaluator = new Evaluator(caller, scopes, this.#context);
    entryDepth++;
    try {
      // After a tail call another function runs than the one that was called.
      if (!evaluator.#calls(call, this.#scopes.root.entry, module)) return undefined;
      for (const parameter of guarded(() => [...caller.module.entries.children(call)], [])) {
        const where = guarded(() => parameter.block(AT.location), undefined);
        if (where === undefined || registerOf(where) !== register) continue;
        const value = guarded(
          () => parameter.block(AT.call_value) ?? parameter.block(AT.GNU_call_site_value),
          undefined,
        );
        if (value === undefined) return undefined;
        const location = evaluator.#evaluate(value, parameter);
        return location.kind === "memory"
          ? location.address
          : location.kind === "value"
          ? location.value
          : location.kind === "register"
          ? caller.register(location.register)
          : location.kind === "bytes" && location.bytes.length <= 16
          ? unsignedOf(location.bytes)
          : undefined;
      }
      return undefined;
    } finally {
      entryDepth--;
    }
  }

  /** Whether a call goes to a function. */
  #calls(call: Entry, called: Entry, module: ModuleVariables): boolean {
    const origin = guarded(
      () => call.referenced(AT.call_origin) ?? call.referenced(AT.abstract_origin),
      null,
    );
    if (origin !== null) {
      if (module === this.#activation.module && origin.place === called.place) return true;
      const name = symbolName(origin);
      return name !== null && name === symbolName(called);
    }
    const target = guarded(
      () => call.block(AT.call_target) ?? call.block(AT.GNU_call_site_target),
      undefined,
    );
    if (target === undefined) return false;
    const location = this.#evaluate(target, call);
    const start = guarded(() => called.ranges?.low[0], undefined);
    const address = start === undefined ? undefined : module.addressOf(start);
    const value = location.kind === "memory"
      ? location.address
      : location.kind === "value"
      ? location.value
      : location.kind === "register"
      ? this.#activation.register(location.register)
      : undefined;
    return value !== undefined && address !== undefined &&
      (value & this.#context.addressMask) === address;
  }
}

/** How many callers the present evaluation has gone to. */
let entryDepth = 0;

const damaged = new Uint8Array();

function unavailable(reason: string): Place {
  return { kind: "unavailable", reason };
}

/** Where a call returns to. Before DWARF 5 it is in `DW_AT_low_pc`. */
function returnOf(call: Entry): number | undefined {
  return call.address(AT.call_return_pc) ??
    (call.tag === TAG.GNU_call_site ? call.address(AT.low_pc) : undefined);
}

/** The register of an expression that is nothing else. */
function registerOf(bytes: Uint8Array): number | undefined {
  const [op] = bytes;
  if (bytes.length === 1 && op >= 0x50 && op <= 0x6f) return op - 0x50;
  return bytes.length === 2 && op === 0x90 ? bytes[1] : undefined;
}

function symbolName(entry: Entry): RawText | null {
  for (const at of [entry, originOf(entry)]) {
    const name = guarded(() => at.string(AT.linkage_name) ?? at.string(AT.MIPS_linkage_name), null);
    if (name !== null) return name;
  }
  return guarded(() => originOf(entry).name, null);
}

function kindOf(entry: Entry, origin: Entry): VariableKind {
  if (entry.tag === TAG.formal_parameter) return "argument";
  const block = guarded(() => entry.block(AT.location) ?? origin.block(AT.location), undefined);
  return block !== undefined && addressOperations.has(block[0]) ? "static" : "local";
}

function declarationOf(entry: Entry): Variable["declaration"] {
  const line = guarded(() => entry.number(AT.decl_line), undefined);
  if (line === undefined) return null;
  const number = guarded(() => entry.number(AT.decl_file), undefined);
  const file = number === undefined ? null : entry.file(number);
  return file === null ? null : { file, line };
}

/** The constant that an entry has for a value. */
function constantOf(entry: Entry, type: Type): Place | null {
  if (!guarded(() => entry.has(AT.const_value), false)) return null;
  const bytes = guarded(() => entry.block(AT.const_value), undefined);
  if (bytes !== undefined) return { kind: "bytes", bytes };
  const value = guarded(() => entry.integer(AT.const_value), undefined);
  if (value !== undefined) {
    return { kind: "bytes", bytes: bytesOf(value, Math.min(canonical(type).size ?? 8, 16)) };
  }
  const text = guarded(() => entry.string(AT.const_value), null);
  return text === null ? null : { kind: "bytes", bytes: new TextEncoder().encode(`${text}\0`) };
}

/** Clang writes the ten bytes of Intel's extended format alone; the type has more, which mean nothing. */
function padded(place: Place, type: Type): Place {
  if (place.kind !== "bytes" || place.bytes.length !== 10) return place;
  const { encoding, size } = canonical(type);
  if (encoding !== "float" || size === null || size < 10 || size > 16) return place;
  const bytes = new Uint8Array(size);
  bytes.set(place.bytes);
  return { kind: "bytes", bytes };
}

/** The little-endian bytes of a number. */
function bytesOf(value: bigint, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let left = BigInt.asUintN(size * 8, value);
  for (let at = 0; at < size; at++, left >>= 8n) bytes[at] = Number(left & 0xffn);
  return bytes;
}

/** Copies bits between little-endian bytes. */
function copyBits(
  from: Uint8Array,
  start: number,
  to: Uint8Array,
  at: number,
  count: number,
): void {
  if (start === 0 && at % 8 === 0 && count % 8 === 0) {
    to.set(from.subarray(0, count / 8), at / 8);
    return;
  }
  for (let bit = 0; bit < count; bit++) {
    const source = start + bit;
    if (((from[source >> 3] >> (source & 7)) & 1) !== 0) {
      to[(at + bit) >> 3] |= 1 << ((at + bit) & 7);
    }
  }
}

/** The names of registers that a thread state does not hold. DWARF numbers from the architectures'
 * supplements. */
const vectorRegisters: Readonly<
  Record<Arch["name"], readonly (readonly [number, number, string])[]>
> = {
  x86_64: [[17, 32, "xmm"], [33, 40, "st"], [67, 82, "xmm1"]],
  i386: [[11, 18, "st"], [21, 28, "xmm"]],
  arm64: [[64, 95, "v"]],
  armv7: [[64, 95, "s"], [256, 287, "d"]],
};

function registerName(arch: Arch, number: number): string {
  const held = arch.threadState.registers.find(({ dwarf }) => dwarf === number);
  if (held !== undefined) return held.name;
  const range = vectorRegisters[arch.name].find(([first, last]) =>
    first <= number && number <= last
  );
  return range === undefined ? `${number}` : `${range[2]}${number - range[0]}`;
}

/** The variables outside of functions, unit by unit.
 *
 * @param name of the wanted ones, with or without namespaces; all when left out
 * @param threadAddress where a thread's own are
 */
export function* globalsOf(
  module: ModuleVariables,
  arch: Arch,
  context: ValueContext,
  name?: RawText,
  threadAddress: Activation["threadAddress"] = noThread,
): Generator<Variable> {
  for (const unit of module.info.units) {
    yield* globalsOfUnit(module, unit, arch, context, name, threadAddress);
  }
}

/** The variable outside of functions, with a name, of the unit that has a function's code; `null` when there is
 * none.
 *
 * @param offset of an instruction in the debug information
 */
export function unitGlobal(
  module: ModuleVariables,
  offset: number,
  arch: Arch,
  context: ValueContext,
  name: RawText,
  threadAddress: Activation["threadAddress"],
): Variable | null {
  const place = guarded(() => module.info.functionAt(offset), null);
  const root = place === null ? null : guarded(() => module.entries.root(place), null);
  if (root === null) return null;
  const unit = module.info.units.find(({ offset, entries }) => offset + entries === root.place);
  if (unit === undefined) return null;
  for (const found of globalsOfUnit(module, unit, arch, context, name, threadAddress)) return found;
  return null;
}

function* globalsOfUnit(
  module: ModuleVariables,
  unit: DwarfInfo["units"][number],
  arch: Arch,
  context: ValueContext,
  name: RawText | undefined,
  threadAddress: Activation["threadAddress"],
): Generator<Variable> {
  const own = name === undefined ? undefined : lastPart(name);
  const found: Entry[] = [];
  guarded(() => {
    const root = module.entries.at(unit.offset + unit.entries);
    if (root === null) return;
    for (const [entry] of module.entries.walk(root, ({ tag }) => tag === TAG.namespace)) {
      if (entry.tag !== TAG.variable || found.length >= MAX_GLOBALS) continue;
      if (!entry.has(AT.location) && !entry.has(AT.const_value)) continue;
      if (own === undefined || originOf(entry).name === own) found.push(entry);
    }
  }, undefined);
  for (const entry of found) {
    const variable = globalVariable(module, entry, arch, context, threadAddress);
    if (variable === null) continue;
    if (name === undefined || isNamed(variable.name, name)) yield variable;
  }
}

/** Whether a qualified name is the one that is asked for, which may lack the outer namespaces and those without a
 * name. */
function isNamed(qualified: RawText, name: RawText): boolean {
  const whole = qualified.replaceAll("(anonymous namespace)::", "");
  return qualified === name || whole === name || whole.endsWith(`::${name}`);
}

/** The static variables with a name in a function.
 *
 * @param offset of the function's first instruction in the debug information
 */
export function* staticsOf(
  module: ModuleVariables,
  offset: number,
  arch: Arch,
  context: ValueContext,
  name: RawText,
  threadAddress: Activation["threadAddress"] = noThread,
): Generator<Variable> {
  const place = guarded(() => module.info.functionAt(offset), null);
  const scopes = place === null ? null : module.scopes.at(place);
  const open = scopes === null ? [] : [scopes.root];
  for (let scope = open.pop(); scope !== undefined; scope = open.pop()) {
    open.push(...scope.children);
    for (const entry of scope.variables) {
      const origin = originOf(entry);
      if (kindOf(entry, origin) !== "static" || guarded(() => origin.name, null) !== name) continue;
      const variable = globalVariable(module, entry, arch, context, threadAddress);
      if (variable !== null) yield variable;
    }
  }
}

/** Maximum number of constants with a name that are looked at. */
const MAX_CONSTANTS = 1 << 10;

/** The constant with a name, which may lack its outer namespaces: of an enumeration, of a class, or of a namespace; `null`
 * when there is none. */
export function constantNamed(
  module: ModuleVariables,
  arch: Arch,
  context: ValueContext,
  name: RawText,
): Value | null {
  const { entries, types } = module;
  const own = lastPart(name);
  for (const place of constantPlaces(entries, own).slice(0, MAX_CONSTANTS)) {
    const entry = guarded(() => entries.at(place), null);
    if (entry === null) continue;
    const qualified = guarded(() => types.qualified(entry, own), own);
    if (entry.tag !== TAG.enumerator) {
      if (isNamed(qualified, name)) return globalVariable(module, entry, arch, context, noThread);
      continue;
    }
    // The names of an enumeration without a scope are also those of what it is declared in.
    const [around] = guarded(() => entries.containers(place), []);
    const type = around === undefined ? null : types.at(around.place);
    const outer = type === null ? own : `${type.name.replace(/(?:^|::)[^:]*$/, "")}::${own}`;
    if (type === null || !isNamed(qualified, name) && !isNamed(outer.replace(/^::/, ""), name)) {
      continue;
    }
    const held = type.enumerators?.find((enumerator) => enumerator.name === own);
    if (held === undefined) continue;
    const bytes = bytesOf(held.value, canonical(type).size ?? 4);
    return new PlacedValue(context, own, type, { kind: "bytes", bytes });
  }
  return null;
}

/** The namespaces whose names a unit, or a function, uses without them: the using-directives there. */
export function importedNamespaces(module: ModuleVariables, offset: number): readonly RawText[] {
  const { entries, types, info } = module;
  const found = new Set<RawText>();
  guarded(() => {
    const place = info.functionAt(offset);
    const root = place === null ? null : entries.root(place);
    for (const at of [place === null ? null : entries.at(place), root]) {
      if (at === null) continue;
      for (const entry of entries.children(at)) {
        if (entry.tag !== TAG.imported_module) continue;
        const space = entry.referenced(AT.import);
        const name = space?.name ?? null;
        if (space !== null && name !== null) found.add(types.qualified(space, name));
        if (found.size >= MAX_NAMESPACES) return;
      }
    }
  }, undefined);
  return [...found];
}

/** Maximum number of namespaces that are used without their names. */
const MAX_NAMESPACES = 64;

const noThread = () => "each thread has its own: ask for a thread's";

/** A variable outside of all functions. */
function globalVariable(
  module: ModuleVariables,
  entry: Entry,
  arch: Arch,
  context: ValueContext,
  threadAddress: Activation["threadAddress"],
): Variable | null {
  const activation: Activation = {
    module,
    offset: 0,
    resume: 0,
    register: () => undefined,
    frameAddress: undefined,
    caller: null,
    threadAddress,
    arch,
  };
  const root: Scope = {
    kind: "function",
    entry,
    ranges: null,
    parent: null,
    children: [],
    variables: [],
  };
  const found = new Evaluator(activation, { root, inlined: [], calls: [] }, context).variable(
    entry,
    0,
  );
  if (!(found instanceof PlacedVariable)) return found;
  const origin = originOf(entry);
  const name = guarded(() => module.types.qualified(origin, found.name), found.name);
  return new PlacedVariable(context, name, found.type, found.place, {
    kind: guarded(() => origin.flag(AT.external) || entry.flag(AT.external), false)
      ? "global"
      : "static",
    depth: 0,
    artificial: found.artificial,
    declared: () => found.declaration,
  });
}
