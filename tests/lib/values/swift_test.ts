/** Swift's values against what Swift says: a program of `tests/oracle/swift/values.py`, built by Swift 6.0.3, printed
 * each of its variables by Mirror and the layout of its type by its value witness table. The memory is that
 * of the program (`tests/fixtures/swift/record.ts`). */

import { assert, assertEquals } from "@std/assert";
import type { Type } from "../../../lib/values/mod.ts";
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
