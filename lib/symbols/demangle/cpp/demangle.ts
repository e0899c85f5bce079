/** C++ names (Itanium ABI) in the spelling of LLVM, and so of Apple's tools. Return types are
 * missing: the library leaves them out. */

import type { DemangleAny } from "../bounded_wasm.ts";
import type { Demangler } from "../demangle.ts";

/** The demangler of C++ names. Both styles are the same. */
export function cppDemangler(demangleAny: DemangleAny): Demangler {
  const demangle = (name: string): string | null => {
    const text = demangleAny(name);
    return text === name || text === name.slice(1) ? null : text;
  };
  return (name) => {
    const block = /^_{1,3}(_Z.*)_block_invoke(?:[._]?\d+)?$/.exec(name);
    const mangled = withoutTags(block?.[1] ?? name);
    const plain = demangle(mangled);
    if (plain === null) return null;
    const text = inSpellingOfLlvm(withAllParameters(mangled, plain, demangle));
    return block === null ? text : `invocation function for block in ${text}`;
  };
}

/** Removes the ABI tags of libc++ and libstdc++: the library counts substitutions wrongly where
 * there are tags. */
function withoutTags(name: string): string {
  return name.replace(/B(\d+)(n[a-z]+\d{6}|v\d{6}|cxx11)/g, (tag, size, text) => {
    return Number(size) === text.length ? "" : tag;
  });
}

/** Restores the first parameter of a constructor template, which the library takes for a return
 * type and leaves out: a `v` is inserted as that return type, at the first place in the name where
 * this adds one parameter to the text. */
function withAllParameters(
  name: string,
  plain: string,
  text: (name: string) => string | null,
): string {
  const constructor = /[CD][1-5]I/.exec(name);
  if (constructor === null || !plain.endsWith(")")) return plain;
  const open = openingOf(plain);
  const head = plain.slice(0, open + 1), rest = plain.slice(open + 1);
  const maxTries = 64;
  let at = constructor.index;
  for (let tries = 0; tries < maxTries && (at = name.indexOf("E", at) + 1) > 0; tries++) {
    const more = text(`${name.slice(0, at)}v${name.slice(at)}`);
    if (more === null || more === plain || !more.startsWith(head)) continue;
    if (rest === ")" || more.endsWith(`, ${rest}`)) return more;
  }
  return plain;
}

/** The index of the bracket that the last one closes. */
function openingOf(text: string): number {
  for (let at = text.length - 1, depth = 0; at >= 0; at--) {
    if (text[at] === ")") depth++;
    else if (text[at] === "(" && --depth === 0) return at;
  }
  return 0;
}

const integerSuffixes: Readonly<Record<string, string>> = {
  "int": "",
  "unsigned int": "u",
  "long": "l",
  "unsigned long": "ul",
  "long long": "ll",
  "unsigned long long": "ull",
};

/** Spellings of the library, and what LLVM has in their place. */
const replacements: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/ \[clone ([^\]]*)\]/g, (_, suffix) => ` (${suffix})`],
  [/(?<=[\w)])(?:\.\d+)+$/, (suffix) => ` (${suffix})`],
  [
    /\((int|(?:unsigned )?(?:int|long|long long))\)(-?\d+)/g,
    (_, type, value) => value + integerSuffixes[type],
  ],
  // Empty parameter packs.
  [/, (?:&&?)?(?=[>)])/g, () => ""],
  [/(?<=[\w>])\(&&?\)/g, () => "()"],
  [/\b_GLOBAL__N_1\b/g, () => "(anonymous namespace)"],
  [/\boperator(\w+)::operator ""/g, (_, suffix) => `operator"" ${suffix}`],
  [/^TLS init function for /, () => "thread-local initialization routine for "],
  [/^TLS wrapper function for /, () => "thread-local wrapper routine for "],
  [/^reference temporary #0 for /, () => "reference temporary for "],
  [/^\{vtable\((.*)\)\}$/, (_, of) => `vtable for ${of}`],
  [/^\{vtt\((.*)\)\}$/, (_, of) => `VTT for ${of}`],
  [
    /^\{virtual override thunk\(\{(virtual )?offset\([^)]*\)\}, (.*)\)\}$/,
    (_, virtual, of) => `${virtual ?? "non-virtual "}thunk to ${of}`,
  ],
];

function inSpellingOfLlvm(text: string): string {
  while (text.includes("> >")) text = text.replaceAll("> >", ">>");
  for (const [found, replace] of replacements) text = text.replace(found, replace);
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replace(/\{lambda\(([^{}]*)\)#(\d+)\}/g, (_, parameters, number) => {
      return `'lambda${number === "1" ? "" : Number(number) - 2}'(${parameters})`;
    });
  }
  return text;
}
