/** Text that is safe to print. */
import { assertEquals, assertFalse, assertLess } from "@std/assert";
import { escape, escapeLines, joinLines, safe, safeJson } from "../../lib/escape.ts";
import { processorTime } from "../processor_time.ts";

/** What a terminal acts on, or shows otherwise than it is: C0, DEL, C1, bidirectional and invisible
 * characters, half of a surrogate pair. */
const unsafe = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
  ...[
    0x61c,
    0x200b,
    0x200e,
    0x200f,
    0x2028,
    0x2029,
    0x202a,
    0x202e,
    0x2060,
    0x2066,
    0x2069,
    0xfeff,
  ],
  ...[0xdfff, 0xd800],
].map((code) => String.fromCharCode(code));

const kept = "plain ASCII, ümlauts, 漢字, 😀, quotes \" ' and \\";

Deno.test("escape: every unsafe character becomes visible, all else stays", () => {
  assertEquals(escape(kept), kept);
  for (const character of unsafe) {
    const text = escape(`a${character}b`);
    assertFalse(text.includes(character));
    assertEquals(/^a\\(?:x[\da-f]{2}|u\{[\da-f]{4}\})b$/.test(text), true, text);
    assertEquals(escape(text), text);
  }
});

Deno.test("escapeLines: line feeds and tabs stay", () => {
  assertEquals(escapeLines(`a\tb\nc`), "a\tb\nc");
  for (const character of unsafe) {
    const stays = character === "\n" || character === "\t";
    assertEquals(escapeLines(`${kept}\n${character}`).includes(`\n${character}`), stays);
  }
});

Deno.test("safeJson: the same value, without an unsafe character", () => {
  const value = { [unsafe.join("")]: [unsafe.join(""), kept, 1, null, true] };
  const text = safeJson(value);
  for (const character of unsafe) assertFalse(text.includes(character));
  assertEquals(JSON.parse(text), value);
});

Deno.test("safe: words and safe values in their order", () => {
  assertEquals(safe`a ${1} b ${escape("\x1b")} c ${2n} d ${true}`, "a 1 b \\x1b c 2 d true");
  // @ts-expect-error a string must be escaped first
  safe`${"text" as string}`;
});

Deno.test("lines become one, in time in proportion to their length", () => {
  assertEquals(joinLines("one"), "one");
  assertEquals(joinLines(" one \n\t two\r\n\n  three "), " one; two; three ");
  assertEquals(joinLines("\none\n"), "; one; ");
  assertEquals(joinLines(" \n "), "; ");
  const blanks = " ".repeat(200_000);
  const began = processorTime();
  assertEquals(joinLines(`one${blanks}x\n${blanks}two`), `one${blanks}x; two`);
  assertLess(processorTime() - began, 1000);
});
