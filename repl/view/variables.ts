/** Variables as text and JSON. It is loaded by the first command that shows some. */
import "../../lib/target/variables.ts";
import { demangle } from "../../lib/symbols/walking.ts";
import { escape, type RawText, safe, type SafeText } from "../../lib/escape.ts";
import { hex } from "../../lib/hex.ts";
import {
  absence,
  canonical,
  contentText,
  emptyText,
  isCString,
  isRecord,
  isReference,
  shortTypeName,
  type Value,
} from "../../lib/values/reading.ts";
import type { Frame, Variable } from "../../mod.ts";
import { checkStop } from "../edit/interrupt.ts";
import type { FrameDetail } from "./render.ts";
import type { Style } from "./style.ts";
import { cut, from, indented } from "./text.ts";

/** Maximum number of lines for one variable. */
const MAX_LINES = 4096;
/** Maximum length of an argument in a frame's line, in characters. */
const MAX_ARGUMENT = 80;

/** Whether the source has a variable, or it is the object that a method is called for. As LLDB does, others that
 * a compiler makes, such as the size of an array, are left out. */
export function isWritten({ artificial, name }: Variable): boolean {
  return !artificial || name === "this" || name === "self" || name === "_cmd";
}

/** How much of a value is shown. */
export interface Shown {
  /** Levels of members. */
  readonly depth: number;
  /** Levels of pointers among them. */
  readonly pointers: number;
}

/** The same for what a value has inside it: members, or what it points to. */
function within({ depth, pointers }: Shown, value: Value): Shown {
  return { depth: depth - 1, pointers: isFollowed(value) ? pointers - 1 : pointers };
}

/** Whether its children are behind a pointer. */
function isFollowed({ type }: Value): boolean {
  return canonical(type).kind === "pointer";
}

/** A variable and its members as LLDB writes them: `(int) count = 3`, and a line for each member in braces.
 *
 * @param name as in `list[3].count`. Default: the value's own
 */
export function variableLines(
  value: Value,
  style: Style,
  shown: Shown,
  name: RawText = value.name,
): SafeText[] {
  const lines = valueLines(value, style, shown, true, name);
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), safe`  …`];
}

function valueLines(
  declared: Value,
  style: Style,
  shown: Shown,
  isTyped: boolean,
  name: RawText = declared.name,
): SafeText[] {
  checkStop();
  // As LLDB's `-d run-target`: what a pointer leads to is shown as the class that it is of.
  const { dynamic } = declared;
  const value = dynamic ?? declared;
  const { type, isLater } = value;
  const unavailable = absence(value);
  const label = name !== "" ? safe`${escape(name)} = ` : safe``;
  const typeText = (of: Value) => safe`(${escape(shortTypeName(of.type.name))})`;
  const declaration = dynamic === null || !isTyped
    ? safe``
    : safe` declared as ${escape(shortTypeName(declared.type.name))}`;
  const later = style(
    "quiet",
    safe`${declaration}${isLater ? safe` (read later)` : safe``}`,
  );
  const head = isTyped
    ? safe`${style("quiet", typeText(value))} ${label}`
    : dynamic === null
    ? label
    : safe`${label}${style("quiet", typeText(value))} `;
  if (unavailable !== null) return [safe`${head}${style("quiet", safe`<${escape(unavailable)}>`)}`];
  const isAlias = isReference(canonical(type).kind);
  const target = isAlias ? value.deref() : null;
  if (target !== null && !isRecord(canonical(target.type))) {
    const [first, ...rest] = valueLines(target, style, shown, false, name);
    return [safe`${head}${from(first, first.indexOf("=") + 2)}`, ...rest];
  }
  const own = [isAlias ? null : value.text, value.summary].filter((part) => part !== null).join(
    " ",
  );
  const isText = value.summary !== null && isCString(type);
  const isLast = isText || shown.depth <= 0 || isFollowed(value) && shown.pointers <= 0;
  const childCount = isLast && own !== "" ? 0 : value.childCount;
  if (isLast || childCount === 0) {
    const text = own !== "" ? own : childCount === 0 ? emptyText(value) : "{…}";
    return [safe`${head}${escape(text)}${later}`];
  }
  const lines = [safe`${head}${escape(own === "" ? "{" : `${own} {`)}${later}`];
  const children = value.children();
  for (const child of children) {
    // What a result points to is named after the expression.
    const childName = child.name === "*" && name !== "" ? `*${name}` : child.name;
    const inner = valueLines(child, style, within(shown, value), false, childName);
    for (const line of indented(inner)) {
      lines.push(line);
    }
    if (lines.length > MAX_LINES) return lines;
  }
  if (children.length < childCount) lines.push(safe`  … ${childCount - children.length} more`);
  lines.push(safe`}`);
  return lines;
}

/** The arguments of a frame's function, as in `(argc=1, argv=0x00007ff…)`; empty where no debug information tells
 * whether it has some. */
export function argumentsText(frame: Frame): SafeText {
  if (frame.variables.length === 0 && frame.source === null) return safe``;
  const parts = frame.variables.filter(({ kind }) => kind === "argument").map((variable) =>
    cut(safe`${escape(variable.name)}=${escape(contentText(variable, 1))}`, MAX_ARGUMENT)
  );
  return safe`(${escape(parts.join(", "))})`;
}

/** A function's readable name without its parameters' types, whose place the arguments take. */
export function withoutParameters(name: string): string {
  const text = name.replace(/\)(?: const)?(?: &&?)?$/, ")");
  if (!text.endsWith(")")) return name;
  let depth = 0;
  for (let at = text.length - 1; at > 0; at--) {
    if (text[at] === ")") depth++;
    else if (text[at] === "(" && --depth === 0) return text.slice(0, at);
  }
  return name;
}

/** A frame's function with its arguments, as in `main(argc=1)`; `null` where none are known. */
export function callText(frame: Frame): RawText | null {
  if (!frame.variables.some(({ kind }) => kind === "argument")) return null;
  return withoutParameters(demangle(frame.function ?? "???")) + argumentsText(frame);
}

/** What `--args` and `--locals` show. */
export function frameDetail(
  { args, locals }: { readonly args?: boolean; readonly locals?: boolean },
  style: Style,
  pointers = 0,
): FrameDetail {
  return {
    demangle,
    name: withoutParameters,
    ...(args ? { after: argumentsText } : {}),
    ...(locals
      ? {
        below: (frame: Frame) =>
          frame.variables.filter((variable) =>
            isWritten(variable) && !(args && variable.kind === "argument")
          ).flatMap((variable) =>
            variableLines(variable, style, { depth: 1 + pointers, pointers })
          ),
      }
      : {}),
  };
}

/** The property of frames in JSON for `--args` and `--locals`. */
export function frameVariablesJson(
  { args, locals }: { readonly args?: boolean; readonly locals?: boolean },
  pointers = 0,
): (frame: Frame) => Record<string, unknown> {
  return ({ variables }) => ({
    variables: variables.filter((variable) =>
      isWritten(variable) && (variable.kind === "argument" ? args || locals : locals)
    )
      .map((variable) => variableJson(variable, { depth: 1 + pointers, pointers })),
  });
}

/** A value in JSON. What is not known is `null`; `value` is a number where that is exact, else text.
 * `children` is `null` where they are not shown. */
export function valueJson(declared: Value, shown: Shown): Record<string, unknown> {
  checkStop();
  const { dynamic } = declared;
  const value = dynamic ?? declared;
  const { address, scalar } = declared;
  const { childCount } = value;
  // The characters of a string are its summary.
  const isText = value.summary !== null && isCString(value.type);
  return {
    name: declared.name,
    type: declared.type.name,
    dynamicType: dynamic?.type.name ?? null,
    value: typeof scalar === "boolean" || Number.isFinite(scalar) ? scalar : declared.text,
    summary: declared.summary,
    address: address === null ? null : hex(address),
    register: declared.register,
    unavailable: absence(declared),
    later: declared.isLater,
    childCount,
    children: isText || shown.depth <= 0 || isFollowed(value) && shown.pointers <= 0
      ? null
      : value.children().map((child) => valueJson(child, within(shown, value))),
  };
}

/** A variable in JSON. */
export function variableJson(variable: Variable, shown: Shown): Record<string, unknown> {
  const { kind, declaration } = variable;
  const { name, type, ...more } = valueJson(variable, shown);
  return { name, type, kind, declaration, ...more };
}
