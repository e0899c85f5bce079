/** Packets of the gdb remote protocol: `$data#checksum`, with escapes and run lengths ("Overview",
 * "Packet Acknowledgment" and "Notification Packets" of gdb's manual). */
import { RemoteError } from "./error.ts";

const dollar = 0x24;
const hash = 0x23;
const percent = 0x25;
const plus = 0x2b;
const minus = 0x2d;
const star = 0x2a;
const brace = 0x7d;

/** Run lengths are printed as a character: the count of repetitions and 29. */
const runBias = 29;

/** Maximum size of a packet, raw and expanded, in bytes. The largest real ones are debugserver's lists of
 * images: a megabyte for a thousand images. */
const maxPacket = 32 << 20;

/** Maximum number of bytes between packets, which nothing explains. */
const maxNoise = 1 << 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false });

/** The interrupt request. It is sent outside of packets. */
export const interruptByte: Uint8Array = Uint8Array.of(3);

/** A packet's data as text. Binary data is not text. */
export function textOf(data: Uint8Array): string {
  return decoder.decode(data);
}

/** Frames a packet. `#`, `$`, `}` and `*` in it are escaped. */
export function frame(data: string | Uint8Array): Uint8Array {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  let escapes = 0;
  for (const byte of bytes) if (isSpecial(byte)) escapes++;
  const packet = new Uint8Array(bytes.length + escapes + 4);
  packet[0] = dollar;
  let at = 1;
  let sum = 0;
  for (const byte of bytes) {
    if (isSpecial(byte)) {
      packet[at++] = brace;
      packet[at++] = byte ^ 0x20;
      sum += brace + (byte ^ 0x20);
    } else {
      packet[at++] = byte;
      sum += byte;
    }
  }
  packet[at++] = hash;
  packet.set(encoder.encode((sum & 0xff).toString(16).padStart(2, "0")), at);
  return packet;
}

function isSpecial(byte: number): boolean {
  return byte === hash || byte === dollar || byte === brace || byte === star;
}

/** A packet, notification or acknowledgement that a stub sent. */
export interface Received {
  /** A packet, a notification, or an acknowledgement: `+`, or `-` for "send it again". */
  readonly kind: "packet" | "notification" | "+" | "-";
  /** Without escapes and run lengths. */
  readonly data: Uint8Array;
  /** Whether the checksum is the data's. */
  readonly sound: boolean;
}

const nothing = new Uint8Array(0);
const acknowledged: Received = { kind: "+", data: nothing, sound: true };
const refused: Received = { kind: "-", data: nothing, sound: true };

/** Takes bytes apart into packets. */
export class PacketReader {
  #bytes = new Uint8Array(1 << 16);
  #start = 0;
  #end = 0;
  /** Where the search for the end of the present packet goes on. */
  #searched = 0;
  #noise = 0;

  /** Room for more bytes, to be reported by {@linkcode added}. */
  get room(): Uint8Array {
    if (this.#start > 0) {
      this.#bytes.copyWithin(0, this.#start, this.#end);
      this.#searched -= this.#start;
      this.#end -= this.#start;
      this.#start = 0;
    }
    if (this.#end === this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes.subarray(this.#end);
  }

  /** Says how many bytes were put into {@linkcode room}. */
  added(count: number): void {
    this.#end += count;
  }

  /** The next packet, notification or acknowledgement; `undefined` when more bytes are needed.
   *
   * @throws RemoteError for what is no packet, or one beyond all measure
   */
  next(): Received | undefined {
    while (this.#start < this.#end) {
      const first = this.#bytes[this.#start];
      if (first === dollar || first === percent) return this.#packet(first);
      this.#start++;
      if (first === plus) return acknowledged;
      if (first === minus) return refused;
      if (++this.#noise > maxNoise) {
        throw new RemoteError("protocol", "what answers is no stub: it sends no packets");
      }
    }
    return undefined;
  }

  #packet(first: number): Received | undefined {
    const from = Math.max(this.#searched, this.#start + 1);
    const end = this.#bytes.subarray(0, this.#end).indexOf(hash, from);
    if (end < 0 || end + 3 > this.#end) {
      this.#searched = end < 0 ? this.#end : end;
      if (this.#end - this.#start > maxPacket) throw tooLong();
      return undefined;
    }
    const raw = this.#bytes.subarray(this.#start + 1, end);
    let sum = 0;
    for (let at = 0; at < raw.length; at++) sum += raw[at];
    const digits = textOf(this.#bytes.subarray(end + 1, end + 3));
    // A stub may send a zero checksum in no-ack mode.
    const sound = /^[\da-fA-F]{2}$/.test(digits) &&
      (parseInt(digits, 16) === (sum & 0xff) || digits === "00");
    this.#start = end + 3;
    this.#searched = 0;
    this.#noise = 0;
    return { kind: first === dollar ? "packet" : "notification", data: expand(raw), sound };
  }
}

function tooLong(): RemoteError {
  return new RemoteError("protocol", `a packet of more than ${maxPacket} bytes`);
}

/** Undoes escapes and run lengths. */
function expand(raw: Uint8Array): Uint8Array {
  if (!raw.includes(brace) && !raw.includes(star)) return raw.slice();
  let length = raw.length;
  for (let at = 0; at < raw.length; at++) {
    if (raw[at] === brace) {
      length--;
      at++;
    } else if (raw[at] === star) {
      length += (raw[at + 1] ?? runBias) - runBias - 2;
      at++;
    }
  }
  if (length > maxPacket) throw tooLong();
  const data = new Uint8Array(Math.max(length, 0));
  let to = 0;
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at];
    if (byte === brace) {
      if (++at === raw.length) throw damaged("an escape");
      data[to++] = raw[at] ^ 0x20;
    } else if (byte === star) {
      const count = raw[++at] - runBias;
      if (!(count > 0) || to === 0) throw damaged("a run length");
      data.fill(data[to - 1], to, to + count);
      to += count;
    } else {
      data[to++] = byte;
    }
  }
  return data;
}

function damaged(what: string): RemoteError {
  return new RemoteError("protocol", `${what} in a packet is damaged`);
}

/** The data of several packets as one. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
