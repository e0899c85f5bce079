import { assertEquals } from "@std/assert";
import { sha256 } from "../../ffi/sha256.ts";

Deno.test("SHA-256 is WebCrypto's, whatever the length", async () => {
  const bytes = new Uint8Array(1_000).map((_, index) => index * 151 ^ index >> 3);
  const lengths = [...Array(200).keys(), 511, 512, 513, 1_000];
  for (const length of lengths) {
    const part = bytes.slice(0, length);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", part));
    assertEquals(sha256(part), digest.toHex(), `${length} bytes`);
  }
});

Deno.test("SHA-256 of a view in the middle of a buffer", () => {
  // FIPS 180-4's example of one block.
  const around = new TextEncoder().encode("__abc__");
  assertEquals(
    sha256(around.subarray(2, 5)),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});
