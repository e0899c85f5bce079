/** C++ names (the Itanium ABI's), written as LLVM and with it Apple's tools write them, without return
 * types, which the library leaves out. */

import type { Demangler } from "../../mod.ts";
import type { Library } from "../library.ts";

/** Knows C++ names; both styles are the same. */
export function cppDemangler(library: Library): Demangler {
  const text = (name: string): string | null => {
    const result = library(name);
    return result === name || result === name.slice(1) ? null : result;
  };
  return {
    demangle(name) {
      const block = /^_{1,3}(_Z.*)_block_invoke(?:[._]?\d+)?$/.exec(name);
      const mangled = withoutTags(block?.[1] ?? name);
      const plain = text(mangled);
      if (plain === null) return null;
      const said = written(withAllParameters(mangled, plain, text));
      return block === null ? said : `invocation function for block in ${said}`;
    },
  };
}

/** The name without the ABI tags that libc++ and libstdc++ give: the library counts substitutions wrongly
 * where there are some. */
function withoutTags(name: string): string {
  return name.replace(/B(\d+)(n[a-z]+\d{6}|v\d{6}|cxx11)/g, (tag, size, text) => {
    return Number(size) === text.length ? "" : tag;
  });
}

/** The library takes the first parameter of a constructor template for a return type, and leaves it out.
 * Such a type is put in, where the name ends: at the first place where one parameter more appears.
 */
function withAllParameters(
  name: string,
  plain: string,
  text: (name: string) => string | null,
): string {
  const constructor = /[CD][1-5]I/.exec(name);
  if (constructor === null || !plain.endsWith(")")) return plain;
  const open = openingOf(plain);
  const head = plain.slice(0, open + 1), rest = plain.slice(open + 1);
  const most = 64;
  let at = constructor.index;
  for (let tries = 0; tries < most && (at = name.indexOf("E", at) + 1) > 0; tries++) {
    const more = text(`${name.slice(0, at)}v${name.slice(at)}`);
    if (more === null || more === plain || !more.startsWith(head)) continue;
    if (rest === ")" || more.endsWith(`, ${rest}`)) return more;
  }
  return plain;
}

/** Where the last bracket's other half is. */
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

/** Texts of the library, and what LLVM has. */
const replacements: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/ \[clone ([^\]]*)\]/g, (_, suffix) => ` (${suffix})`],
  [/(?<=[\w)])(?:\.\d+)+$/, (suffix) => ` (${suffix})`],
  [
    /\((int|(?:unsigned )?(?:int|long|long long))\)(-?\d+)/g,
    (_, type, value) => value + integerSuffixes[type],
  ],
  // Packs of nothing.
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

function written(text: string): string {
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
