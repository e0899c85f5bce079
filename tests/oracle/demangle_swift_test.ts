/** Holds Swift names to the lists that the Swift project has for its own demangler's tests.
 *
 * Runs when it is told where they are, which are not part of this repository:
 *
 * ```sh
 * git clone --depth 1 https://github.com/swiftlang/swift
 * MACHPAUSE_SWIFT=$PWD/swift deno test -A tests/oracle/demangle_swift_test.ts
 * ```
 *
 * All of Swift 6.2's are equal: 495, 216 and 2. Later lists may have what is not known here.
 */
import { assert } from "@std/assert";
import type { DemangleStyle } from "../../lib/symbols/mod.ts";
import { demangleSwift } from "../../lib/symbols/demangle/swift/swift.ts";

const swift = Deno.env.get("MACHPAUSE_SWIFT");

const lists: readonly (readonly [file: string, style: DemangleStyle, atLeast: number])[] = [
  ["manglings.txt", "full", 495],
  ["simplified-manglings.txt", "simplified", 216],
  ["manglings-with-clang-types.txt", "full", 2],
];

for (const [file, style, atLeast] of lists) {
  Deno.test({
    name: `Swift's ${file}`,
    ignore: swift === undefined,
    fn() {
      let equal = 0, total = 0;
      for (
        const line of Deno.readTextFileSync(`${swift}/test/Demangle/Inputs/${file}`).split("\n")
      ) {
        const [, name, text] = /^(\S+) +---> (.*)$/.exec(line) ?? [];
        if (name === undefined) continue;
        total++;
        // Before some texts is what swift-demangle -classify says.
        const expected = text.replace(/^\{[^}]*\} /, "");
        const actual = demangleSwift(name, style) ?? name;
        if (actual === expected) equal++;
        else console.log(`${name}\n  expected ${expected}\n  actual   ${actual}`);
      }
      console.log(`${equal} of ${total} are equal`);
      assert(equal >= atLeast);
    },
  });
}
