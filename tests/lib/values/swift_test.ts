/** Swift's values against what Swift says: a program of `tests/oracle/swift/values.py`, built by Swift 6.0.3, printed
 * each of its variables by Mirror and the layout of its type by its value witness table. The memory is that
 * of the program (`tests/fixtures/swift/record.ts`). */

import { assert, assertEquals } from "@std/assert";
import { swiftTypeName } from "../../../lib/symbols/demangle/demangle.ts";
import type { Type } from "../../../lib/values/mod.ts";
import { bytesMemory, contextOf } from "./fake_context.ts";
import {
  strideOf,
  SwiftLayouts,
  swiftPlatform,
} from "../../../lib/values/formatters/swift_layout.ts";
import { SwiftTypes } from "../../../lib/values/formatters/swift_types.ts";
import { PlacedValue } from "../../../lib/values/value.ts";
import { pagesOf, readRecording, recordedContext } from "../../fixtures/swift/recording.ts";
import { canonicalText } from "../../oracle/swift/canonical.ts";

const recording = await readRecording();

function typed({ type, shown, size }: (typeof recording)["variables"][number]): Type {
  return {
    ...{ kind: "struct", name: shown, size, language: "swift", members: [] },
    ...(type.startsWith("$s") ? { linkageName: type } : {}),
  };
}

Deno.test("Swift: values of every kind are what Mirror says", () => {
  const context = recordedContext(recording, pagesOf(recording));
  let count = 0;
  for (const variable of recording.variables) {
    const { name, address, text } = variable;
    const place = { kind: "memory", address: BigInt(`0x${address}`) } as const;
    assertEquals(
      canonicalText(new PlacedValue(context, name, typed(variable), place)),
      text,
      name,
    );
    count++;
  }
  assert(count >= 100, `${count}`);
});

Deno.test("Swift: layouts are those of the value witness tables", () => {
  const types = new SwiftTypes(recordedContext(recording, pagesOf(recording)));
  types.witnessSymbol = () => null;
  const layouts = new SwiftLayouts(types, swiftPlatform(types, recording.arch));
  for (const { type, layout, name } of recording.variables) {
    if (!type.startsWith("$s")) continue;
    const found = layouts.of(types.tree(type)!)!;
    const { size, alignment, extraInhabitants } = found;
    assertEquals(`${size} ${strideOf(found)} ${alignment} ${extraInhabitants}`, layout, name);
  }
});

Deno.test("Swift: damaged memory is damaged values, in bounded time", () => {
  const pages = pagesOf(recording);
  const all = [...pages.values()];
  let seed = 20261122;
  const random = (below: number) => {
    seed = Math.imul(seed ^ seed >>> 15, 0x2c1b3c6d) + 0x297a2d39 | 0;
    return (seed >>> 0) % below;
  };
  for (let round = 0; round < 40; round++) {
    const undo: [Uint8Array, number, number][] = [];
    for (let change = 0; change < 24; change++) {
      const page = all[random(all.length)];
      const at = random(page.length);
      undo.push([page, at, page[at]]);
      page[at] = random(256);
    }
    const context = recordedContext(recording, pages);
    for (let pick = 0; pick < 12; pick++) {
      const variable = recording.variables[random(recording.variables.length)];
      const place = { kind: "memory", address: BigInt(`0x${variable.address}`) } as const;
      const text = canonicalText(new PlacedValue(context, "v", typed(variable), place));
      assert(text.length < 1 << 22);
    }
    for (const [page, at, byte] of undo.reverse()) page[at] = byte;
  }
});

/** Metadata as `swift/ABI/Metadata.h` lays it out, at 0x1000: a struct `Int`, a generic one `Box` with two words of arguments
 * behind its descriptor, a function. */
function metadata(
  box: { readonly kind: number; readonly words: readonly bigint[] },
  flags: number,
) {
  const bytes = new Uint8Array(0x800);
  const view = new DataView(bytes.buffer);
  const word = (at: number, value: bigint) => view.setBigUint64(at, value, true);
  const relative = (at: number, to: number) => view.setInt32(at, to - at, true);
  const text = (at: number, value: string) => bytes.set(new TextEncoder().encode(value), at);
  text(0x20, "Swift");
  text(0x30, "Int");
  text(0x40, "Box");
  relative(0x60 + 8, 0x20); // a module: flags 0, no parent, its name
  const descriptor = (at: number, name: number, flags: number) => {
    view.setUint32(at, flags, true);
    relative(at + 4, 0x60);
    relative(at + 8, name);
  };
  descriptor(0x100, 0x30, 17);
  descriptor(0x200, 0x40, 17 | 0x80);
  view.setUint16(0x200 + 28 + 8, 1, true);
  bytes[0x200 + 28 + 16] = box.kind;
  [0x200n, 0x1100n].forEach((value, index) => word(0x300 + 8 * index, value));
  [0x200n, 0x1200n, ...box.words].forEach((value, index) => word(0x400 + 8 * index, value));
  [0x302n, BigInt(flags), 0x1300n, 0x1300n, 0x1400n].forEach((value, index) =>
    word(0x500 + 8 * index, value)
  );
  const types = new SwiftTypes(contextOf(bytesMemory(0x1000n, bytes)));
  const name = (at: bigint) => {
    const tree = types.metadataTree(at);
    return tree === null ? null : swiftTypeName(tree);
  };
  return { box: name(0x1400n), function: name(0x1500n) };
}

Deno.test("types that metadata tells: arguments, packs and values of generics, functions", () => {
  const type = { kind: 0x80, words: [0x1300n] };
  const told = (flags: number) => metadata(type, flags).function;
  assertEquals(metadata(type, 0x0400_0001), { box: "Box<Int>", function: "(Int) -> Int" });
  assertEquals(told(0x0400_0000), "() -> Int");
  assertEquals(told(0x0400_0002), "(Int, Box<Int>) -> Int");
  assertEquals(told(0x2500_0001), "(Int) async throws -> Int");
  // Parameters' flags, a global actor, a convention of C: more than these words says what the type is.
  for (const flags of [0x0600_0001, 0x1400_0001, 0x0403_0001, 0x8400_0001]) {
    assertEquals(told(flags), null, flags.toString(16));
  }
  // A pack: the number of its types, then their addresses. A value: the number itself.
  assertEquals(metadata({ kind: 0x81, words: [1n, 0x1601n] }, 0).box, null);
  assertEquals(metadata({ kind: 0x82, words: [3n] }, 0).box, null);
});

Deno.test("opaque results, associated types, packs and parameters without arguments have no layout", () => {
  const types = new SwiftTypes(contextOf(bytesMemory(0n, [])));
  const layouts = new SwiftLayouts(types, swiftPlatform(types, "arm64"));
  const told = (name: string) => layouts.of(types.tree(name)!)?.size ?? null;
  assertEquals(["$sSi_SitD", "$sSaySiGD"].map(told), [16, 8]);
  for (
    const name of [
      ...["$s4main1fQryFQOyQo_D", "$s4main6HolderVySi_SSQPGD", "$s7Element4main1PPQzD"],
      ...["$s7ElementQzD", "$sxxQp_tD", "$s4main6HolderVyxxQp_QPGD", "$sSi_xxQptD", "$sSi_xtD"],
    ]
  ) assertEquals(told(name), null, name);
});
