import { assertEquals } from "@std/assert";
import { sha256 } from "../../ffi/sha256.ts";

Deno.test("SHA-256 is WebCrypto's, at every length about a block's", async () => {
  const bytes = new Uint8Array(40_000).map((_, index) => index * index >> 3);
  const lengths = [...Array.from({ length: 200 }, (_, length) => length), 40_000];
  for (const length of lengths) {
    const part = bytes.slice(0, length);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", part));
    assertEquals(sha256(part), digest.toHex(), `${length} bytes`);
  }
});
