/** Single names of an export trie, against all of it as it is read whole; that is held against LLVM's
 * answer in `tests/oracle/image_test.ts`. */
import { assertEquals } from "@std/assert";
import { exportsStartingWith, findExport, readExports } from "../../../lib/macho/exports.ts";

const names = [
  ...["_a", "_ab", "_abc", "_abd", "_b", "_", "__ZN3fooEv", "__ZN3foo3barEv", "plain"],
  ...Array.from({ length: 200 }, (_, index) => `_function${index}`),
];

interface Branch {
  readonly edges: Map<string, Branch>;
  value?: number;
}

/** A trie as linkers make it: edges that leave a node differ in their first byte. */
function trieOf(names: readonly string[]): Uint8Array {
  const root: Branch = { edges: new Map() };
  names.forEach((name, index) => {
    let at = root;
    for (const character of name) {
      let next = at.edges.get(character);
      if (next === undefined) at.edges.set(character, next = { edges: new Map() });
      at = next;
    }
    at.value = 0x1000 + 4 * index;
  });
  const bytes: number[] = [];
  const uleb = (value: number) => [value & 0x7f | 0x80, value >> 7 & 0x7f | 0x80, value >> 14];
  const write = ({ value, edges }: Branch): number => {
    const at = bytes.length;
    const terminal = value === undefined ? [] : [0, ...uleb(value)];
    bytes.push(terminal.length, ...terminal, edges.size);
    const places = [...edges].map(([first, branch]) => {
      let [text, child] = [first, branch];
      while (child.edges.size === 1 && child.value === undefined) {
        const [[more, next]] = child.edges;
        [text, child] = [text + more, next];
      }
      bytes.push(...encode(text), 0, ...uleb(0));
      return { place: bytes.length - 3, child };
    });
    for (const { place, child } of places) {
      uleb(write(child)).forEach((byte, index) => bytes[place + index] = byte);
    }
    return at;
  };
  write(root);
  return Uint8Array.from(bytes);
}

const encode = (text: string) => new TextEncoder().encode(text);
/** A few bytes at a time: nodes cross the ends of what is read. */
const reader = (trie: Uint8Array) => (offset: number, length: number) =>
  trie.subarray(offset, offset + Math.min(length, 7));

Deno.test("each exported name is found at its place, and no other", () => {
  const trie = trieOf(names);
  const { entries } = readExports(trie);
  assertEquals(entries.length, names.length);
  for (const { name, value } of entries) {
    assertEquals(findExport(reader(trie), trie.length, encode(name)), Number(value), name);
    for (const other of [`${name}x`, `x${name}`]) {
      assertEquals(findExport(reader(trie), trie.length, encode(other)), null, other);
    }
  }
  assertEquals(findExport(reader(trie), trie.length, encode("_function")), null);
  assertEquals(findExport(() => null, 0, encode("_a")), null);
});

Deno.test("the names that begin with a prefix are those of the whole trie", () => {
  const trie = trieOf(names);
  const { entries } = readExports(trie);
  for (const prefix of ["", "_", "_a", "_function1", "__ZN3foo", "p", "q", "_abcd"]) {
    const found = exportsStartingWith(reader(trie), trie.length, encode(prefix), Infinity);
    const expected = entries.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name);
    assertEquals([...found].sort(), [...expected].sort(), prefix);
  }
  assertEquals(exportsStartingWith(reader(trie), trie.length, encode("_f"), 5).length, 5);
});

Deno.test("a damaged trie ends every search", () => {
  const trie = trieOf(names);
  for (let at = 0; at < trie.length; at += 5) {
    for (const value of [0, 1, 0x7f, 0xff]) {
      const damaged = trie.slice();
      damaged[at] = value;
      findExport(reader(damaged), damaged.length, encode("_function199"));
      exportsStartingWith(reader(damaged), damaged.length, encode("_f"), 1000);
    }
  }
});
