import { assertEquals } from "@std/assert";
import { functionRange } from "../../lib/disassemble.ts";
import type { Target } from "../../mod.ts";

/** A target with functions at some addresses: of the image's own symbols, or those of separate debug
 * information, which the image does not know. */
function targetWith(
  functions: readonly { start: bigint; size: number; isSeparate: boolean }[],
): Pick<Target, "resolve"> {
  const at = (address: bigint) =>
    functions.findLast(({ start, size }) =>
      start <= address && (size === 0 || address < start + BigInt(size))
    );
  const symbolOf = ({ start, size }: { start: bigint; size: number }) => ({ address: start, size });
  return {
    resolve(address) {
      const found = at(address);
      const image = {
        symbolAt(address: bigint) {
          const own = at(address);
          return own === undefined || own.isSeparate
            ? null
            : { offset: Number(address - own.start), symbol: symbolOf(own) };
        },
      };
      return { image, symbol: found === undefined ? null : symbolOf(found) } as never;
    },
  };
}

Deno.test("a function's range is that of its symbol, in the image or in separate debug information", () => {
  for (const isSeparate of [false, true]) {
    const sized = targetWith([{ start: 0x1000n, size: 0x20, isSeparate }]);
    assertEquals(functionRange(sized, 0x1010n), { start: 0x1000n, end: 0x1020n });
    assertEquals(functionRange(sized, 0x1020n), null);
    const open = targetWith([
      { start: 0x1000n, size: 0, isSeparate },
      { start: 0x1018n, size: 8, isSeparate },
    ]);
    assertEquals(functionRange(open, 0x1010n), { start: 0x1000n, end: 0x1018n });
  }
});
