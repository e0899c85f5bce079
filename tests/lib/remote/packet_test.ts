/** Packets by the letter of gdb's manual. */
import { assertEquals, assertThrows } from "@std/assert";
import { frame, PacketReader, type Received, textOf } from "../../../lib/remote/packet.ts";
import { RemoteError } from "../../../lib/remote/mod.ts";

const encoder = new TextEncoder();

/** All that bytes contain, given in parts of one size. */
function read(bytes: Uint8Array, size = bytes.length): Received[] {
  const reader = new PacketReader();
  const found: Received[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    for (let done = 0; done < part.length;) {
      const { room } = reader;
      const count = Math.min(room.length, part.length - done);
      room.set(part.subarray(done, done + count));
      reader.added(count);
      done += count;
      for (let next = reader.next(); next !== undefined; next = reader.next()) found.push(next);
    }
  }
  return found;
}

const texts = (bytes: string) => read(encoder.encode(bytes)).map(({ data }) => textOf(data));

Deno.test("a packet is $data#checksum, the sum of the data modulo 256", () => {
  assertEquals(textOf(frame("OK")), "$OK#9a");
  assertEquals(textOf(frame("")), "$#00");
  assertEquals(textOf(frame("D")), "$D#44");
});

Deno.test("# $ } and * are escaped by } and the character xor 0x20", () => {
  // The example of lldbgdbremote.md: the closing brace of JSON.
  assertEquals(textOf(frame("{}")).slice(0, -3), "${}]");
  assertEquals([...frame("#$}*").subarray(1, -3)], [0x7d, 3, 0x7d, 4, 0x7d, 0x5d, 0x7d, 0x0a]);
});

Deno.test("a run length is the count of further repetitions and 29: 0* is four zeros", () => {
  assertEquals(texts("$0* #7a"), ["0000"]);
  // gdbserver 13's own reply to `?`.
  assertEquals(texts("$T0006:405a0b13ff7f0* ;07:f0590b13ff7f0* ;#00"), [
    "T0006:405a0b13ff7f0000;07:f0590b13ff7f0000;",
  ]);
});

Deno.test("packets are the same wherever the stream is cut", () => {
  const bytes = encoder.encode('+$OK#9a%Stop:T05#83-$m0*"00#1f');
  const whole = read(bytes).map(({ kind, data }) => [kind, textOf(data)]);
  assertEquals(whole.map(([kind]) => kind), ["+", "packet", "notification", "-", "packet"]);
  for (let size = 1; size < bytes.length; size++) {
    assertEquals(read(bytes, size).map(({ kind, data }) => [kind, textOf(data)]), whole);
  }
});

Deno.test("a wrong checksum is told; two zeros stand for none", () => {
  const sound = (text: string) => read(encoder.encode(text)).map(({ sound }) => sound);
  assertEquals(sound("$OK#9a$OK#9b$OK#00$OK#zz"), [true, false, true, false]);
});

Deno.test("damaged runs and escapes, endless packets and noise are refused", () => {
  const refused = (bytes: Uint8Array) => {
    assertEquals(assertThrows(() => read(bytes, 1 << 16), RemoteError).failure, "protocol");
  };
  refused(encoder.encode("$* #4a"));
  refused(encoder.encode("$0*\x1c#00"));
  refused(encoder.encode("$0}#00"));
  refused(new Uint8Array(1 << 17).fill(0x41));
  const endless = new Uint8Array(40 << 20).fill(0x41);
  endless[0] = 0x24;
  refused(endless);
  // 97 times as long once it is expanded.
  const bomb = encoder.encode(`$0${"*~".repeat(400_000)}#00`);
  refused(bomb);
});
