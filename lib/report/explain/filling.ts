/** Values that memory is filled with on purpose, by which a pointer or an index is known that was never set or was freed. */

import type { ReportRegister } from "../report.ts";

/** A register. */
export type NamedValue = Pick<ReportRegister, "name" | "value">;

/** What memory was that has such a value; keys of the `address` rows of the knowledge table. */
type FilledClass = "freed" | "uninitialized" | "marked";

/** Fill patterns of malloc's debugging options, malloc(3), and of other allocators. */
const fillings: readonly (readonly [bigint, FilledClass, string])[] = [
  [0x5555_5555_5555_5555n, "freed", "what malloc writes over freed memory (MallocScribble)"],
  // Clang, -ftrivial-auto-var-init; Zig, `undefined`.
  [
    0xaaaa_aaaa_aaaa_aaaan,
    "uninitialized",
    "what memory without a value is filled with: by malloc (MallocPreScribble), by Clang where it is told to, and by Zig",
  ],
  // jemalloc, include/jemalloc/internal/jemalloc_internal_types.h: JEMALLOC_FREE_JUNK.
  [
    0x5a5a_5a5a_5a5a_5a5an,
    "freed",
    "what jemalloc, as of older versions of Firefox, writes over freed memory",
  ],
  // Mozilla, memory/build/mozjemalloc.cpp: kAllocPoison.
  [0xe5e5_e5e5_e5e5_e5e5n, "freed", "what Firefox's allocator writes over freed memory"],
  // LLVM, compiler-rt/lib/asan/asan_flags.inc: malloc_fill_byte.
  [
    0xbebe_bebe_bebe_beben,
    "uninitialized",
    "what Address Sanitizer fills new memory with, before anything is written to it",
  ],
  // CPython, Include/internal/pycore_pymem.h: PYMEM_CLEANBYTE; Chromium, base/allocator/partition_allocator: kFreedByte.
  [
    0xcdcd_cdcd_cdcd_cdcdn,
    "marked",
    "what debugging allocators write to memory: Python's to new memory, Chromium's and tcmalloc's over freed memory",
  ],
  // CPython, PYMEM_DEADBYTE.
  [
    0xdddd_dddd_dddd_ddddn,
    "freed",
    "what debugging allocators, as Python's, write over freed memory",
  ],
  // Chromium, base/allocator/partition_allocator: kQuarantinedByte.
  [
    0xefef_efef_efef_efefn,
    "freed",
    "what Chromium's allocator writes over memory that was freed while something still refers to it",
  ],
  // V8, src/common/globals.h: kZapValue and those after it; those of 32 bits are too near to what is mapped.
  ...[
    0xdead_beed_bead_beefn,
    0x1bad_dead_0bad_deafn,
    0x1baf_fed0_0baf_fedfn,
    0x1bee_fdad_0bee_fdafn,
    0xbeef_dead_beef_deefn,
  ].map((zap) => [zap, "freed", "what V8 writes over objects that are gone"] as const),
  // en.wikipedia.org/wiki/Magic_number_(programming), "Debug values".
  ...[
    0xdead_beefn,
    0xdead_beef_dead_beefn,
    0xbaad_f00dn,
    0xbaad_f00d_baad_f00dn,
    0xdead_c0den,
    0xfeee_feeen,
  ].map((mark) =>
    [
      mark,
      "marked",
      "a mark that programs write to memory that is freed or not set, or crash by on purpose",
    ] as const
  ),
];

/** Patterns of one byte again and again are those of values of four bytes too, and the marks that have no more. */
function ofWidth(filling: bigint, isWide: boolean): bigint | null {
  if (isWide || filling < 1n << 32n) return filling;
  const low = filling & 0xffff_ffffn;
  return filling >> 32n === low ? low : null;
}

/** What a value is by the pattern that it was filled with, or is a little behind; `null` for others. */
export function fillingOf(
  value: bigint,
  isWide: boolean,
): readonly [FilledClass, string] | null {
  for (const [filling, kind, words] of fillings) {
    const written = ofWidth(filling, isWide);
    if (written === null) continue;
    const difference = value - written;
    if (difference > -0x1000n && difference < 0x1000n) return [kind, words];
  }
  return null;
}

/** What a register has been filled with; `null` for others. */
function fillWords(value: bigint): string | null {
  const found = fillings.find(([filling]) =>
    value === filling || value === ofWidth(filling, false)
  );
  // Letters of ASCII.
  const isLetter = /^([46][1-9a-f]|[57][0-9a])\1{3}(?:\1{4})?$/.test(value.toString(16));
  return found?.[2] ??
    (isLetter
      ? "one letter again and again, as tests, fuzzers and exploits fill memory with"
      : null);
}

/** What an index is multiplied by. */
const SCALES: readonly bigint[] = [1n, 2n, 4n, 8n, 16n];

/** Members of what an index leads to are not further on. */
const MAX_OFFSET = 0x1000n;

/** How an address is made of one register and of another one as an index that has such a value, in words; `null` where it is
 * not. */
export function filledWords(address: bigint, registers: readonly NamedValue[]): string | null {
  // The address itself stands in some.
  const general = registers.filter(({ name, value }) =>
    /^(?:[xr]\d{1,2}|[re]?[abcd]x|[re]?[ds]i|[re]bp)$/i.test(name) && value !== address
  );
  for (const { name, value } of general) {
    const words = fillWords(value);
    if (words === null) continue;
    for (const base of general) {
      if (base.value === value || base.value < MAX_OFFSET) continue;
      for (const scale of SCALES) {
        const offset = address - base.value - value * scale;
        if (offset < 0n || offset >= MAX_OFFSET) continue;
        return `${base.name} plus ${scale === 1n ? "" : `${scale} times `}${name}${
          offset === 0n ? "" : ` plus ${offset}`
        }, and ${name} is 0x${value.toString(16)}: ${words}`;
      }
    }
  }
  return null;
}
