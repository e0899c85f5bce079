/** SHA-256, against WebCrypto's and the vectors of FIPS 180-4. */
import { assertEquals } from "@std/assert";
import { sha256 } from "../../ffi/sha256.ts";

const encoder = new TextEncoder();

Deno.test("SHA-256 gives the hashes of NIST's examples", () => {
  assertEquals(
    sha256(encoder.encode("abc")),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  assertEquals(
    sha256(encoder.encode("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  );
});

Deno.test("SHA-256 agrees with WebCrypto at every length, aligned or not", async () => {
  const random = crypto.getRandomValues(new Uint8Array(50_001));
  const lengths = [...Array(200).keys(), 4096, 50_000];
  for (const length of lengths) {
    const bytes = random.subarray(1, 1 + length);
    const expected = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    assertEquals(sha256(bytes), expected, `${length} bytes`);
  }
});
