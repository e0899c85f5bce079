/** Types: what they consist of, and where in them. It is loaded by the first command that shows one. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { demangle } from "../../lib/symbols/walking.ts";
import {
  type Access,
  aliases,
  canonical,
  isPointer,
  isRecord,
  type Member,
  type Method,
  shortTypeName,
  type Type,
} from "../../lib/values/reading.ts";
import { maxWidth } from "../edit/width.ts";
import type { Style } from "./style.ts";
import { count, padEnd, padStart } from "./text.ts";

/** Maximum number of lines for one type. */
const MAX_LINES = 4096;

/** What a type is, and what it consists of: its members with offset and size, its enumerators, and what typedefs,
 * pointers and arrays of it lead to. */
export function typeLines(type: Type, style: Style): SafeText[] {
  const lines: SafeText[] = [];
  for (const at of chain(type)) {
    if (lines.length > 0) lines.push(safe``);
    lines.push(style("heading", escape(heading(at))));
    for (const line of bodyLines(at, style)) {
      if (lines.length >= MAX_LINES) return [...lines, safe`  …`];
      lines.push(line);
    }
  }
  return lines;
}

/** A type's name and size, on one line. */
export function typeLine(type: Type): SafeText {
  const { size } = canonical(type);
  return escape(`${shortTypeName(type.name)}${size === null ? "" : `: ${count(size, "byte")}`}`);
}

/** The type, what its typedefs stand for, and the record or enumeration that pointers or arrays of it lead to. */
function* chain(type: Type): Generator<Type> {
  yield type;
  const written = canonical(type);
  let at = written;
  const isNamed = type !== written && [...aliases(type)].some(({ kind }) => kind === "typedef");
  if (isNamed) yield written;
  const seen = new Set([at]);
  while (isPointer(at) || at.kind === "array") {
    at = canonical(at.target ?? at);
    if (seen.has(at)) return;
    seen.add(at);
  }
  if (!(at === written && (isNamed || at === type)) && (isRecord(at) || at.kind === "enum")) {
    yield at;
  }
}

function heading(type: Type): string {
  const named = [...aliases(type)].filter(({ kind }) => kind === "typedef");
  if (named[0] === type) {
    return `typedef ${shortTypeName(type.target?.name ?? "void")} ${type.name}`;
  }
  const { kind, isObjC } = type;
  const word = isObjC ? "@interface " : isRecord(type) || kind === "enum" ? `${kind} ` : "";
  const name = shortTypeName(type.name);
  const { size, isIncomplete } = canonical(type);
  const what = isIncomplete
    ? "only declared: no debug information defines it"
    : size === null
    ? ""
    : count(size, "byte");
  const base = kind === "enum" && type.target ? ` (${type.target.name})` : "";
  return `${name.startsWith(word) ? "" : word}${name}${what === "" ? "" : `: ${what}`}${base}`;
}

function bodyLines(type: Type, style: Style): SafeText[] {
  if (type.kind === "enum") {
    return (type.enumerators ?? []).map(({ name, value }) =>
      safe`  ${escape(name)} = ${escape(`${value}`)}`
    );
  }
  if (!isRecord(type)) return [];
  const { members = [], variantPart } = type;
  const rows = [
    ...rowsOf(members, type),
    ...variantPart?.discriminant ? rowsOf([variantPart.discriminant], type) : [],
  ];
  const blocks = (variantPart?.variants ?? []).flatMap(({ value, members }) =>
    members.map((member) => {
      const of = value === null ? safe`otherwise` : safe`where that is ${escape(`${value}`)}`;
      // The variant's own struct begins with the whole value.
      const inner = isRecord(canonical(member.type)) && member.offset === 0
        ? canonical(member.type).members ?? []
        : [member];
      return { title: safe`  ${of}: ${escape(member.name)}`, rows: rowsOf(inner, type) };
    })
  );
  const all = [...rows, ...blocks.flatMap(({ rows }) => rows)];
  const columns = [
    maxWidth(all.map(({ offset }) => escape(offset))),
    maxWidth(all.map(({ size }) => escape(size))),
  ];
  const lineOf = ({ offset, size, text, isMember }: Row) => {
    const before = safe`  ${padEnd(escape(offset), columns[0])}  ${
      padStart(escape(size), columns[1])
    }`;
    const line = safe`${before}  ${escape(text)}`;
    return isMember ? line : style("quiet", line);
  };
  return [
    ...rows.map(lineOf),
    ...blocks.flatMap(({ title, rows }) => [title, ...rows.map((row) => safe`  ${lineOf(row)}`)]),
    ...declaredLines(type, style),
  ];
}

/** Static members and functions, as LLDB writes them. Who may use them stands before them where it changes. */
function declaredLines(type: Type, style: Style): SafeText[] {
  const { kind, statics = [], methods = [] } = type;
  const lines: SafeText[] = [];
  let now: Access | null = kind === "class" ? null : "public";
  const add = (access: Access | null, text: string) => {
    if (access !== null && access !== now) lines.push(style("quiet", safe` ${escape(access)}:`));
    now = access ?? now;
    lines.push(safe`  ${escape(text)}`);
  };
  for (const { name, type, access } of statics) {
    add(access, `static ${declaration(shortTypeName(type.name), name)};`);
  }
  for (const method of methods) add(method.access, methodText(method, type));
  return lines;
}

/** A function's declaration, as its language writes it. */
export function methodText(method: Method, record: Type): string {
  const { name, type, linkageName, before, after, isVariadic } = method;
  if (type.language === "swift" && linkageName !== null) return demangle(linkageName);
  const parameters = (type.parameters ?? []).map((parameter) => shortTypeName(parameter.name));
  if (isVariadic) parameters.push("...");
  const result = type.target == null ? null : shortTypeName(type.target.name);
  const call = `${name}(${parameters.join(", ")})`;
  if (type.language === "rust") return `fn ${call}${result === null ? "" : ` -> ${result}`};`;
  // Neither constructors nor conversions say what they return.
  const own = /(?:^|::)([^:<]+)(?:<.*)?$/s.exec(record.name)?.[1];
  const isBare = name.startsWith("~") || name.replace(/<.*$/s, "") === own ||
    /^operator (?!new\b|delete\b|co_await\b)[\w:]/.test(name);
  const declared = isBare ? call : declaration(result ?? "void", call);
  return `${[...before, declared, ...after].join(" ")};`;
}

/** The `--json` of `ptype`: the type, and what its typedefs, pointers and arrays lead to. */
export function typesJson(type: Type): Record<string, unknown> {
  return { types: [...chain(type)].map(typeJson) };
}

function typeJson(type: Type): Record<string, unknown> {
  const { kind, language, target, enumerators = [], statics = [], methods = [], variantPart } =
    type;
  const { size, isIncomplete = false } = canonical(type);
  return {
    name: type.name,
    kind,
    language,
    size,
    isIncomplete,
    target: target?.name ?? null,
    members: (type.members ?? []).map(memberJson),
    variants: (variantPart?.variants ?? []).map(({ value, members }) => ({
      value: value === null ? null : `${value}`,
      members: members.map(memberJson),
    })),
    enumerators: enumerators.map(({ name, value }) => ({ name, value: `${value}` })),
    statics: statics.map(({ name, type, access }) => ({ name, type: type.name, access })),
    methods: methods.map((method) => ({
      name: method.name,
      declaration: methodText(method, type),
      result: method.type.target?.name ?? null,
      parameters: (method.type.parameters ?? []).map(({ name }) => name),
      linkageName: method.linkageName,
      access: method.access,
    })),
  };
}

function memberJson({ name, type, offset, bits, isBase, locate }: Member): Record<string, unknown> {
  return {
    name,
    type: type.name,
    // Where a virtual base is, its objects say.
    offset: locate === undefined ? offset : null,
    size: canonical(type).size,
    bits: bits ?? null,
    isBase,
  };
}

/** A member's offset, size and declaration, or those of bytes between members. */
interface Row {
  readonly offset: string;
  readonly size: string;
  readonly text: string;
  readonly isMember: boolean;
}

/** Members in the order of their places, which Rust and Swift choose, and the bytes between them that none has. */
function rowsOf(members: readonly Member[], { kind, size, variantPart }: Type): Row[] {
  const rows: Row[] = [];
  let end = 0;
  const isWhole = kind !== "union" && variantPart == null &&
    members.every(({ locate }) => locate === undefined);
  const hole = (from: number, to: number) => {
    if (!isWhole || from >= to || rows.length === 0) return;
    rows.push({ offset: `+${from}`, size: `${to - from}`, text: "(unused)", isMember: false });
  };
  const start = ({ bits, offset }: Member) => bits?.offset ?? 8 * offset;
  const isVirtual = members.some(({ locate }) => locate !== undefined);
  const placed = isVirtual ? members : members.toSorted((a, b) => start(a) - start(b));
  for (const { name, type, offset, bits, isBase, locate } of placed) {
    const bytes = canonical(type).size;
    if (bits === undefined) hole(end, offset);
    else hole(end, Math.floor(bits.offset / 8));
    end = Math.max(
      end,
      bits === undefined ? offset + (bytes ?? 0) : Math.ceil((bits.offset + bits.size) / 8),
    );
    const where = locate !== undefined
      ? "virtual"
      : bits === undefined
      ? `+${offset}`
      : `+${Math.floor(bits.offset / 8)}:${bits.offset % 8}`;
    const long = bits === undefined ? `${bytes ?? "?"}` : `:${bits.size}`;
    const text = isBase
      ? `${shortTypeName(type.name)}  (base)`
      : declaration(shortTypeName(type.name), name);
    rows.push({ offset: where, size: long, text, isMember: true });
  }
  if (size !== null) hole(end, size);
  return rows;
}

/** A member as C declares it: `char name[16]`, `int (*compare)(int, int)`. */
function declaration(type: string, name: string): string {
  if (name === "") return type;
  const [, before, after] = /^(.*\(\*+(?:const)?)(\).*)$/s.exec(type) ??
    /^([^[<]+?) ?(\[[\d[\]]*\])$/s.exec(type) ?? [];
  if (before !== undefined) return `${before}${/[*&(]$/.test(before) ? "" : " "}${name}${after}`;
  return `${type}${/[*&]$/.test(type) ? "" : " "}${name}`;
}
