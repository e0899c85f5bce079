/** Requests and their replies over one connection. */
import { log } from "../log.ts";
import { RemoteError } from "./error.ts";
import { bytesOf } from "./hexadecimal.ts";
import { frame, interruptByte, PacketReader, type Received, textOf } from "./packet.ts";
import type { ByteStream } from "./stream.ts";

/** How long is waited. */
export interface Patience {
  /** For the next byte, in milliseconds. Default: 10 s. */
  readonly silence?: number;
  /** For one reply or one batch of them, in milliseconds. Default: 60 s. */
  readonly reply?: number;
}

/** How a connection is made. */
export interface ConnectionOptions extends Patience {
  /** Called with what the target prints, where the stub sends that. */
  readonly onOutput?: (bytes: Uint8Array) => void;
}

/** How often a damaged packet is asked for again. */
const repetitions = 3;

/** Number of requests on their way at once: their replies fit into what the system buffers. */
const window = 512;

/** Shown in the log of a packet, and of the packets of one batch. */
const shownLength = 120;
const shownPackets = 8;

const nothing = new Uint8Array(0);

/** What has crossed a connection. */
export interface Traffic {
  /** Packets sent. */
  requests: number;
  /** Batches sent: each costs one round trip. */
  roundTrips: number;
  /** Bytes sent. */
  sent: number;
  /** Bytes received. */
  received: number;
}

/** The client's end. Each request has one reply, except the requests that let the target run: the stop that
 * follows is taken by {@linkcode waitForStop} or {@linkcode takeStop}.
 *
 * After an error other than `refused` the client cannot tell which reply belongs to which request. Each later
 * call throws the same error. */
export class Connection implements Disposable {
  readonly #stream: ByteStream;
  readonly #reader = new PacketReader();
  readonly #onOutput: (bytes: Uint8Array) => void;
  readonly #silence: number;
  readonly #reply: number;
  #acknowledges = true;
  #broken: RemoteError | undefined;
  /** Number of replies since the last request. */
  #unshown = 0;
  /** Notifications that nobody has asked for yet. */
  #notifications: string[] = [];
  /** What has crossed it. */
  readonly traffic: Traffic = { requests: 0, roundTrips: 0, sent: 0, received: 0 };

  constructor(
    stream: ByteStream,
    { silence = 10_000, reply = 60_000, onOutput = () => {} }: ConnectionOptions = {},
  ) {
    this.#stream = stream;
    this.#onOutput = onOutput;
    this.#silence = silence;
    this.#reply = reply;
  }

  /** Whether it can still be used. */
  get usable(): boolean {
    return this.#broken === undefined;
  }

  /** Whether packets are acknowledged no more, so that requests need not wait for each other. */
  get pipelines(): boolean {
    return !this.#acknowledges;
  }

  /** Ends acknowledgements, when the stub agrees. */
  startNoAckMode(): void {
    if (this.request("QStartNoAckMode") === "OK") this.#acknowledges = false;
  }

  /** Sends a request and returns its reply as text; empty where the stub does not know it. */
  request(data: string): string {
    return textOf(this.requestBytes(data));
  }

  /** As {@linkcode request}, for binary replies. */
  requestBytes(data: string): Uint8Array {
    return this.requestAll([data])[0];
  }

  /** Sends requests before it reads their replies, where the stub permits it: one round trip for all. */
  requestAll(requests: readonly string[]): Uint8Array[] {
    return this.#guarded(() => {
      const replies: Uint8Array[] = [];
      const step = this.#acknowledges ? 1 : window;
      for (let first = 0; first < requests.length; first += step) {
        const batch = requests.slice(first, first + step);
        this.#send(batch);
        const late = performance.now() + this.#reply;
        for (const _ of batch) replies.push(this.#packet(late));
      }
      return replies;
    });
  }

  /** Sends a packet that has no reply of its own: the target runs. */
  send(data: string): void {
    this.#guarded(() => this.#send([data]));
  }

  /** Asks a running target to stop. */
  interrupt(): void {
    this.#guarded(() => {
      log.remote?.("-> ^C");
      this.traffic.roundTrips++;
      this.#write(interruptByte);
    });
  }

  /** The next packet, which says how a running target has stopped. */
  waitForStop(): string {
    return this.#guarded(() => {
      const late = performance.now() + this.#reply;
      for (;;) {
        const text = textOf(this.#packet(late));
        if (!this.#isOutput(text)) return text;
      }
    });
  }

  /** The packet that a running target has sent by itself; `undefined` when there is none. */
  takeStop(): string | undefined {
    return this.#guarded(() => {
      for (;;) {
        const received = this.#receive(0);
        if (received === undefined) return undefined;
        const text = textOf(received.data);
        if (!this.#isOutput(text)) return text;
      }
    });
  }

  /** Takes the oldest notification.
   *
   * @param milliseconds to wait for one
   */
  takeNotification(milliseconds: number): string | undefined {
    return this.#guarded(() => {
      const late = performance.now() + milliseconds;
      while (this.#notifications.length === 0) {
        const received = this.#fill(Math.max(0, late - performance.now()), true);
        if (received === undefined) return undefined;
      }
      return this.#notifications.shift();
    });
  }

  /** How long the next byte is waited for, in milliseconds. */
  get silence(): number {
    return this.#silence;
  }

  #guarded<T>(work: () => T): T {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      return work();
    } catch (error) {
      if (error instanceof RemoteError && error.failure !== "refused") this.#broken = error;
      throw error;
    }
  }

  #send(batch: readonly string[]): void {
    const packets = batch.map(frame);
    const length = packets.reduce((sum, { length }) => sum + length, 0);
    const all = new Uint8Array(length);
    let at = 0;
    for (const packet of packets) {
      all.set(packet, at);
      at += packet.length;
    }
    if (log.remote !== undefined) {
      for (const data of batch.slice(0, shownPackets)) log.remote(`-> ${shown(data)}`);
      if (batch.length > shownPackets) log.remote(`-> ${batch.length - shownPackets} more`);
    }
    this.#unshown = 0;
    this.traffic.requests += batch.length;
    this.traffic.roundTrips++;
    if (!this.#acknowledges) return this.#write(all);
    for (let tries = 0; tries < repetitions; tries++) {
      this.#write(all);
      if (this.#acknowledgement()) return;
    }
    throw new RemoteError("protocol", "the stub refuses a packet's checksum again and again");
  }

  /** Whether the packet that was sent has arrived undamaged. */
  #acknowledgement(): boolean {
    const late = performance.now() + this.#reply;
    while (performance.now() < late) {
      const received = this.#fill(this.#silence, false);
      if (received === undefined) break;
      if (received.kind === "+") return true;
      if (received.kind === "-") return false;
      // The stub repeats an earlier reply: our acknowledgement came late.
    }
    throw silent(this.#silence);
  }

  #write(bytes: Uint8Array): void {
    const late = performance.now() + this.#reply;
    this.traffic.sent += bytes.length;
    for (let at = 0; at < bytes.length;) {
      // A stub that cannot send does not read, so replies are taken in between.
      const { written, read } = this.#stream.transfer(
        bytes.subarray(at),
        this.#reader.room,
        this.#silence,
      );
      this.#reader.added(read);
      this.traffic.received += read;
      at += written;
      if ((written === 0 && read === 0) || performance.now() > late) throw silent(this.#silence);
    }
  }

  /** The next packet. Damaged ones are asked for again. */
  #packet(late: number): Uint8Array {
    for (let tries = 0; tries < repetitions;) {
      const left = late - performance.now();
      const received = left > 0 ? this.#receive(Math.min(this.#silence, left)) : undefined;
      if (received === undefined) throw silent(left > 0 ? this.#silence : this.#reply);
      if (received.sound) return received.data;
      tries++;
    }
    throw new RemoteError("protocol", "a packet's checksum is wrong");
  }

  /** The next packet that is not an acknowledgement or a notification. */
  #receive(milliseconds: number): Received | undefined {
    const late = performance.now() + this.#reply;
    for (;;) {
      const received = this.#fill(milliseconds, false);
      if (received === undefined) return undefined;
      if (performance.now() > late) throw silent(this.#reply);
      if (received.kind !== "packet") continue;
      if (this.#acknowledges) {
        this.#write(Uint8Array.of(received.sound ? 0x2b : 0x2d));
      } else if (!received.sound) {
        throw new RemoteError("protocol", "a packet's checksum is wrong");
      }
      if (log.remote !== undefined && this.#unshown++ < shownPackets) {
        log.remote(`<- ${shown(textOf(received.data))}`);
      }
      return received;
    }
  }

  /** Reads the next packet or acknowledgement. Notifications are queued.
   *
   * @param notified whether a notification ends it
   */
  #fill(milliseconds: number, notified: boolean): Received | undefined {
    const late = performance.now() + this.#reply;
    for (;;) {
      const received = this.#reader.next();
      if (received?.kind === "notification") {
        if (!received.sound) throw new RemoteError("protocol", "a checksum is wrong");
        const text = textOf(received.data);
        log.remote?.(`<- %${shown(text)}`);
        if (this.#notifications.length >= window) {
          throw new RemoteError("protocol", "the stub sends notifications without end");
        }
        this.#notifications.push(text);
        if (notified) return received;
        continue;
      }
      if (received !== undefined) return received;
      const { read } = this.#stream.transfer(nothing, this.#reader.room, milliseconds);
      if (read === 0) return undefined;
      if (performance.now() > late) throw silent(this.#reply);
      this.#reader.added(read);
      this.traffic.received += read;
    }
  }

  /** Takes output of a running target: `O` and hexadecimal digits. */
  #isOutput(text: string): boolean {
    if (!/^O[\da-fA-F]+$/.test(text)) return false;
    const bytes = bytesOf(text.slice(1));
    if (bytes !== undefined) this.#onOutput(bytes);
    return true;
  }

  /** Closes it. */
  [Symbol.dispose](): void {
    const { requests, roundTrips, sent, received } = this.traffic;
    log.remote?.(
      `${requests} packets in ${roundTrips} round trips, ${sent} bytes sent, ${received} received`,
    );
    this.#broken ??= new RemoteError("closed", "the connection to the stub was closed");
    this.#stream[Symbol.dispose]();
  }
}

function silent(milliseconds: number): RemoteError {
  return new RemoteError("timeout", `the stub did not answer within ${milliseconds / 1000} s`);
}

function shown(text: string): string {
  const { length } = text;
  return length <= shownLength ? text : `${text.slice(0, shownLength)}… (${length} characters)`;
}
