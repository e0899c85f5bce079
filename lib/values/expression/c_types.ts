/** The types of C that are known without a program. */
import type { Encoding, Type } from "../model.ts";
import { voidType } from "../types.ts";

/** The words that types of C are made of. */
export const typeWords: ReadonlySet<string> = new Set([
  ...["void", "bool", "_Bool", "char", "short", "int", "long", "float", "double", "signed"],
  ...["unsigned", "const", "volatile", "struct", "class", "union", "enum", "__int128"],
]);

/** Types of fixed names and sizes. */
const fixedTypes: Readonly<Record<string, readonly [encoding: Encoding, size: number]>> = Object
  .assign(Object.create(null), {
    int8_t: ["signed-char", 1],
    uint8_t: ["unsigned-char", 1],
    int16_t: ["signed", 2],
    uint16_t: ["unsigned", 2],
    int32_t: ["signed", 4],
    uint32_t: ["unsigned", 4],
    int64_t: ["signed", 8],
    uint64_t: ["unsigned", 8],
    char8_t: ["utf", 1],
    char16_t: ["utf", 2],
    char32_t: ["utf", 4],
  });

/** Whether a name is that of a type of a fixed size. */
export function isFixed(name: string): boolean {
  return fixedTypes[name] !== undefined;
}

/** The type that some words name, such as `unsigned long`; `null` when they name none. */
export function builtIn(words: readonly string[], pointerSize: number): Type | null {
  const count = (word: string) => words.filter((part) => part === word).length;
  const [only] = words;
  if (words.length === 1 && fixedTypes[only] !== undefined) {
    const [encoding, size] = fixedTypes[only];
    return { kind: "base", name: only, size, encoding, language: "c" };
  }
  const base = (name: string, encoding: Encoding, size: number): Type => ({
    ...{ kind: "base", name, encoding, size, language: "c" },
  });
  if (count("void") > 0) return words.length === 1 ? voidType : null;
  if (count("bool") + count("_Bool") > 0) return base("bool", "boolean", 1);
  if (count("float") > 0) return base("float", "float", 4);
  if (count("double") > 0) {
    return count("long") > 0 ? base("long double", "float", 16) : base("double", "float", 8);
  }
  const unsigned = count("unsigned") > 0;
  const prefix = unsigned ? "unsigned " : "";
  if (count("char") > 0) {
    const name = count("signed") > 0 ? "signed char" : `${prefix}char`;
    return base(name, unsigned ? "unsigned-char" : "signed-char", 1);
  }
  const encoding = unsigned ? "unsigned" : "signed";
  if (count("__int128") > 0) return base(`${prefix}__int128`, encoding, 16);
  if (count("short") > 0) return base(`${prefix}short`, encoding, 2);
  if (count("long") > 1) return base(`${prefix}long long`, encoding, 8);
  if (count("long") > 0) return base(`${prefix}long`, encoding, pointerSize);
  return base(`${prefix}int`, encoding, 4);
}
