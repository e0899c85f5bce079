/** The variables of frames and images, their types and values, and formatters.
 *
 * Nothing of this is loaded at start: importing this module gives frames their variables. The main module
 * does so.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 *
 * using core = openCore("MyApp.core");
 * for (const frame of core.threads[0].backtrace()) {
 *   for (const { type, name, text, unavailable } of frame.variables) {
 *     console.log(type.name, name, text ?? unavailable);
 *   }
 * }
 * ```
 *
 * @module
 */
import { TargetGoneError } from "../errors.ts";
import type { RawText } from "../escape.ts";
import { Image, type LoadedImage } from "../macho/walking.ts";
import { type DwarfPlace, hasDemanglers } from "../symbols/walking.ts";
import {
  type Activation,
  builtInFormatters,
  constantNamed,
  defaultLimits,
  embeddedFormatters,
  type Formatter,
  type Formatters,
  FormatterTable,
  frameVariables,
  globalsOf,
  importedNamespaces,
  type Limits,
  MAX_SECTION,
  ModuleVariables,
  named,
  parsePrograms,
  parseSummaries,
  searchType,
  staticsOf,
  type ThreadPlace,
  type Type,
  unitGlobal,
  unsignedOf,
  type ValueContext,
  type ValueMemory,
  type Variable,
} from "../values/reading.ts";
// What users see of values is the whole of that module.
export * from "../values/model.ts";
export { canonical, FormatterTable } from "../values/reading.ts";
import { CopiedMemory, MissedMemory } from "./copied_memory.ts";
import { walkLocals } from "./follow.ts";
import {
  type FollowOptions,
  type FrameState,
  useVariables,
  type VariableOrigin,
  type VariableTarget,
  type Walkable,
} from "./frame.ts";
import type { Target } from "./target.ts";
import { threadAddress } from "./thread_locals.ts";
import type { Memory } from "./memory.ts";

/** The formatters that values are shown with. */
export const formatters: FormatterTable = new FormatterTable(builtInFormatters);

/** Adds a formatter, before those that there are.
 *
 * @example
 * ```ts
 * import { defineFormatter } from "@machpause/machpause/values";
 *
 * defineFormatter({
 *   name: "Point",
 *   type: "Point",
 *   summary: (value) => `(${value.child("x")?.text}, ${value.child("y")?.text})`,
 * });
 * ```
 */
export function defineFormatter(formatter: Formatter): void {
  formatters.add(formatter);
}

/** By the debug information they are read from: without the demanglers, and with them. Types keep the names that
 * they have got. */
const modules = [new WeakMap<object, ModuleVariables>(), new WeakMap<object, ModuleVariables>()];

function moduleOf(image: LoadedImage, { info, imageOffset }: DwarfPlace): ModuleVariables {
  const known = modules[hasDemanglers() ? 1 : 0];
  let module = known.get(info);
  if (module === undefined) {
    module = new ModuleVariables(
      info,
      (offset) => {
        const found = imageOffset(offset);
        return found === undefined ? undefined : image.loadAddress + BigInt(found);
      },
      (info) => moduleOf(image, { info, imageOffset, offset: 0 }),
    );
    known.set(info, module);
    moduleImages.set(module, image);
  }
  return module;
}

const nothing = new Uint8Array();

/** The images that modules are of. */
const moduleImages = new WeakMap<ModuleVariables, LoadedImage>();
/** The formatters of modules whose images bring some along. */
const moduleFormatters = new WeakMap<ModuleVariables, Formatters>();

/** The formatters for an image's types: its own come before all others. */
function formattersOf(module: ModuleVariables): Formatters {
  let found = moduleFormatters.get(module);
  if (found === undefined) {
    const image = moduleImages.get(module);
    const sections = image instanceof Image
      ? image.segments.flatMap(({ sections }) => sections)
      : [];
    const held = (name: string): Uint8Array => {
      const section = sections.find((section) => section.name === name);
      if (section === undefined || !(image instanceof Image)) return nothing;
      return image.read(section.address, Math.min(section.size, MAX_SECTION)) ?? nothing;
    };
    const own = embeddedFormatters(
      parseSummaries(held("__lldbsummaries")),
      parsePrograms(held("__lldbformatters")),
    );
    found = own.length === 0 ? formatters : embedded(new FormatterTable(own));
    moduleFormatters.set(module, found);
  }
  return found;
}

/** The formatters of a table, each with what only another formatter of the type has. */
function embedded(own: FormatterTable): Formatters {
  const merged = new WeakMap<Type, Formatter | null>();
  return {
    find(type) {
      let found = merged.get(type);
      if (found === undefined) {
        const [first, other] = [own.find(type), formatters.find(type)];
        found = first === null || other === null ? first ?? other : {
          ...first,
          summary: (value) => (first.summary ?? other.summary)?.call(first, value) ?? null,
          children: (value) => (first.children ?? other.children)?.call(first, value) ?? null,
        };
        merged.set(type, found);
      }
      return found;
    },
  };
}

/** What the memory of variables is read through, while {@linkcode follow} or {@linkcode missing} runs. */
let copying: ValueMemory | null = null;

/** Maximum number of bytes that are copied by default. */
const FOLLOWED_BYTES = 16 << 20;

/** Copies what the variables of all frames are in and lead to, by their types and formatters.
 *
 * @returns the copy, and whether it has all
 * @ignore
 */
export function follow(
  threads: readonly Walkable[],
  memory: Memory,
  options: FollowOptions,
): { readonly copied: CopiedMemory; readonly isWhole: boolean } {
  const copied = new CopiedMemory(memory, options.bytes ?? FOLLOWED_BYTES);
  copying = copied;
  try {
    const isWhole = walkLocals(threads, options, () => copied.isFull);
    return { copied, isWhole: isWhole && !copied.isFull };
  } finally {
    copying = null;
    copied.freeze();
  }
}

/** Copies pages that variables are known to be in or lead to. */
function copy(
  pages: readonly bigint[],
  memory: Memory,
  { bytes = FOLLOWED_BYTES, milliseconds = Infinity }: FollowOptions,
): { readonly copied: CopiedMemory; readonly isWhole: boolean } {
  const copied = new CopiedMemory(memory, bytes);
  const isWhole = copied.take(pages, milliseconds);
  copied.freeze();
  return { copied, isWhole };
}

/** The pages that variables of threads are in or lead to, and that are not among those that were copied with the
 * threads. */
function missing(
  threads: readonly Walkable[],
  memory: Memory,
  options: FollowOptions,
): { readonly pages: readonly bigint[]; readonly isWhole: boolean } {
  const missed = new MissedMemory(memory);
  copying = missed;
  try {
    const isWhole = walkLocals(threads, options, () => false);
    return { pages: missed.pages, isWhole };
  } finally {
    copying = null;
  }
}

/** The memory that a frame's variables are in: its captured stack, then the target's memory. */
class FrameMemory implements ValueMemory {
  readonly pointerSize: 4 | 8;
  readonly isPartial: boolean;
  readonly #origin: VariableOrigin;
  readonly #end: bigint;
  readonly writeRegister?: (name: string, bytes: Uint8Array) => void;

  /** @param isInnermost whether the frame's registers are the thread's own */
  constructor(origin: VariableOrigin, isInnermost: boolean) {
    this.#origin = origin;
    const { setRegister } = origin;
    if (isInnermost && setRegister !== undefined) {
      this.writeRegister = (name, bytes) => {
        this.#checkPaused();
        setRegister(name, unsignedOf(bytes));
      };
    }
    this.pointerSize = origin.memory.pointerSize;
    this.isPartial = origin.memory.isPartial;
    this.#end = origin.stackAddress + BigInt(origin.stack.length);
  }

  #isCaptured(address: bigint, length: number): boolean {
    return address >= this.#origin.stackAddress && address + BigInt(length) <= this.#end;
  }

  readUpTo(address: bigint, length: number): Uint8Array {
    const { memory, stack, stackAddress, copied } = this.#origin;
    const isRunning = this.#origin.isRunning();
    if ((isRunning || copying !== null) && this.#isCaptured(address, length)) {
      const at = Number(address - stackAddress);
      return stack.slice(at, at + length);
    }
    if (isRunning && copied?.has(address, length)) return copied.readUpTo(address, length);
    try {
      if (copying !== null) return copying.readUpTo(address, length);
      return memory.readUpTo(address, length);
    } catch (error) {
      if (!(error instanceof TargetGoneError)) throw error;
      return nothing;
    }
  }

  isLater(address: bigint, length: number): boolean {
    return this.#origin.isRunning() && !this.#isCaptured(address, length) &&
      !this.#origin.copied?.has(address, length);
  }

  #checkPaused(): void {
    if (this.#origin.isRunning()) {
      throw new TypeError("variables can be written while the target is paused");
    }
  }

  write(address: bigint, bytes: Uint8Array): void {
    this.#checkPaused();
    this.#origin.memory.write(address, bytes);
  }
}

/** The state of an activation; `null` where there is no debug information. */
function activationAt(frame: Omit<FrameState, "level" | "resolver">): Activation | null {
  const { arch, stack, origin, activation: index } = frame;
  const { address, exact } = stack.frames[index];
  const lookup = exact ? address : address - arch.callBias;
  const image = origin.imageAt(lookup);
  const found = image === null ? null : origin.debug.dwarfAt(image, lookup);
  if (image === null || found === null) return null;
  let byNumber: ReadonlyMap<number, bigint> | undefined;
  let caller: Activation | null | undefined;
  const next = stack.frames[index + 1];
  const frameAddress = next === undefined
    ? stack.lastFrameAddress
    : next.row?.signalFrame
    ? undefined
    : next.sp;
  return {
    module: moduleOf(image, found),
    offset: found.offset,
    resume: found.offset + Number(address - lookup),
    register(number) {
      if (byNumber === undefined) {
        const values = stack.registersOf(index);
        byNumber = new Map(arch.threadState.registers.flatMap(({ name, dwarf }) => {
          const value = values.get(name);
          return dwarf === null || value === undefined ? [] : [[dwarf, value] as const];
        }));
      }
      return byNumber.get(number);
    },
    frameAddress: frameAddress === undefined ? undefined : BigInt(frameAddress),
    get caller() {
      if (caller === undefined) {
        const isCalled = next !== undefined && next.foundBy !== "async" && !next.exact;
        caller = isCalled ? activationAt({ ...frame, activation: index + 1 }) : null;
      }
      return caller;
    },
    threadAddress: (place) =>
      threadAddress(
        { memory: origin.memory, arch, lookup: origin.lookup },
        image,
        origin.threadHandle,
        place,
      ),
    arch,
  };
}

/** The type with a name in a module, or in another file of its image; one that is complete where there is one. */
function typeIn(module: ModuleVariables, name: RawText): Type | null {
  let found: Type | null = null;
  for (const { entries, types } of module.all()) {
    const type = searchType(entries, types, name);
    if (type !== null && !type.isIncomplete) return type;
    found ??= type;
  }
  return found;
}

/** @param offset in the module's debug information, of the code whose namespaces are used */
function contextOf(
  { arch, resolver, origin }: Pick<FrameState, "arch" | "resolver" | "origin">,
  memory: ValueMemory,
  module: ModuleVariables | null,
  limits: Partial<Limits>,
  offset?: number,
): ValueContext {
  const found = new Map<string, Type | null>();
  let namespaces: readonly RawText[] | undefined;
  const context: ValueContext = {
    memory,
    addressMask: arch.pointerSize === 8 ? arch.addressMask : 0xffff_ffffn,
    pointerSize: arch.pointerSize,
    arch: arch.name,
    limits: { ...defaultLimits, ...limits },
    formatters: module === null ? formatters : formattersOf(module),
    symbolAt(address) {
      const { image, symbol, offset } = resolver.resolve(address);
      if (symbol === null) return null;
      return { name: symbol.name, offset, ...image === null ? {} : { image: image.name } };
    },
    addressesOf: (symbol) => origin.lookup(symbol),
    namespaces() {
      return namespaces ??= module === null || offset === undefined
        ? []
        : importedNamespaces(module, offset);
    },
    findType(name, near) {
      let type = found.get(name);
      if (type === undefined) {
        type = module === null ? null : typeIn(module, name);
        found.set(name, type);
      }
      if (type !== null && !type.isIncomplete || near === undefined) return type;
      const image = origin.imageAt(near);
      for (const place of image === null ? [] : origin.debug.dwarfOf(image)) {
        const { entries, types } = moduleOf(image!, place);
        const other = module?.types === types ? null : searchType(entries, types, name);
        if (other !== null) return other;
      }
      return type;
    },
    findUnitType(name) {
      const unit = module === null || offset === undefined ? null : module.info.unitAt(offset);
      return unit && searchType(module!.entries, module!.types, name, unit);
    },
    findConstant(name) {
      for (const each of module?.all() ?? []) {
        const constant = constantNamed(each, arch, context, name);
        if (constant !== null) return constant;
      }
      return null;
    },
    findGlobal(name) {
      const image = module === null ? undefined : moduleImages.get(module);
      if (module === null || image === undefined || offset === undefined) return null;
      return unitGlobal(module, offset, arch, context, name, (place) => {
        const { lookup, threadHandle } = origin;
        return threadAddress({ memory: origin.memory, arch, lookup }, image, threadHandle, place);
      });
    },
    limited(limits) {
      return { ...this, limits: { ...this.limits, ...limits } };
    },
  };
  return context;
}

useVariables({
  variables(frame, limits) {
    const activation = activationAt(frame);
    if (activation === null) return [];
    const context = contextOf(
      frame,
      new FrameMemory(frame.origin, frame.activation === 0),
      activation.module,
      limits,
      activation.offset,
    );
    return frameVariables(activation, frame.level, context);
  },
  locals: (variables) => named(variables, "in this frame"),
  follow,
  copy,
  missing,
  *globals(target, image, name, threadHandle) {
    for (const each of image === undefined ? target.images : [image]) {
      yield* globalsIn(target, each, name, threadHandle);
    }
  },
});

/** What values are read with at an address of a target, where no variable is at hand.
 *
 * @example
 * ```ts
 * import { openCore } from "@machpause/machpause";
 * import { contextAt } from "@machpause/machpause/values";
 *
 * using core = openCore("MyApp.core");
 * console.log(contextAt(core).pointerSize);
 * ```
 * @param address in the code whose types are known by name
 * @param threadHandle of the thread whose own variables are read
 */
export function contextAt(
  target: Pick<Target, keyof Target>,
  address?: bigint,
  threadHandle = 0n,
): ValueContext {
  const { arch, memory } = target;
  const origin: VariableOrigin = {
    ...target.variableOrigin,
    stack: nothing,
    stackAddress: 0n,
    threadHandle,
    imageAt: (address) => target.imageAt(address),
  };
  const image = address === undefined ? null : target.imageAt(address);
  const found = image === null ? null : origin.debug.dwarfAt(image, address!);
  const module = image === null || found === null ? null : moduleOf(image, found);
  return contextOf({ arch, resolver: target, origin }, memory, module, {}, found?.offset);
}

/** The variables outside of functions of an image, unit by unit as they are asked for; of a name that none has, the
 * static ones of functions. */
function* globalsIn(
  target: VariableTarget,
  image: LoadedImage,
  name: RawText | undefined,
  threadHandle: bigint,
): Generator<Variable> {
  const { arch, memory } = target;
  const origin: VariableOrigin = {
    ...target.variableOrigin,
    stack: nothing,
    stackAddress: 0n,
    threadHandle,
    imageAt: (address) => target.imageAt(address),
  };
  const { debug, lookup } = origin;
  const contextIn = (module: ModuleVariables) =>
    contextOf({ arch, resolver: target, origin }, memory, module, {});
  const ofThread = (place: ThreadPlace) =>
    threadAddress({ memory, arch, lookup }, image, threadHandle, place);
  let isFound = false;
  for (const found of debug.dwarfOf(image)) {
    const module = moduleOf(image, found);
    for (const variable of globalsOf(module, arch, contextIn(module), name, ofThread)) {
      isFound = true;
      yield variable;
    }
  }
  if (name === undefined || isFound) return;
  for (const function_ of functionsWith(target, name)) {
    const found = target.imageAt(function_) === image ? debug.dwarfAt(image, function_) : null;
    if (found === null) continue;
    const module = moduleOf(image, found);
    const own = name.slice(name.lastIndexOf(":") + 1);
    yield* staticsOf(module, found.offset, arch, contextIn(module), own, ofThread);
  }
}

/** The addresses of the functions that a static variable may be in: that of `counter::calls`, and those whose mangled
 * names are in that of a symbol `calls`. */
function* functionsWith(target: VariableTarget, name: RawText): Generator<bigint> {
  const { lookup } = target.variableOrigin;
  const at = name.lastIndexOf("::");
  if (at > 0) yield* lookup(name.slice(0, at));
  for (const address of lookup(name)) {
    // <local-name>: Z, the function's encoding, E, the entity's name.
    const symbol = target.resolve(address).symbol?.name ?? "";
    const mangled = /^_{1,2}ZZ(.+)E[^E]+$/.exec(symbol)?.[1];
    if (mangled !== undefined) yield* lookup(`_Z${mangled}`);
  }
}
