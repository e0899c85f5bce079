/** A connection with more latency than this machine's own has. */

/** Forwards connections to a port, each byte so much later, and counts. */
export class LatencyProxy implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections: Deno.Conn[] = [];
  /** Packets that the clients sent: their `$`. */
  packets = 0;
  /** How often a client sent something after it had received something: each costs the latency once. */
  roundTrips = 0;
  #heard = true;

  /** Starts to listen.
   *
   * @param milliseconds added to each round trip
   */
  constructor(target: number, milliseconds: number) {
    void this.#serve(target, milliseconds / 2);
  }

  /** Where it listens. */
  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  async #serve(target: number, delay: number): Promise<void> {
    for await (const client of this.#listener) {
      const server = await Deno.connect({ hostname: "127.0.0.1", port: target });
      for (const connection of [client, server]) {
        connection.setNoDelay(true);
        this.#connections.push(connection);
      }
      void this.#forward(client, server, delay, true);
      void this.#forward(server, client, delay, false);
    }
  }

  async #forward(from: Deno.Conn, to: Deno.Conn, delay: number, counts: boolean): Promise<void> {
    const buffer = new Uint8Array(1 << 16);
    // One after another, in order.
    let last: Promise<unknown> = Promise.resolve();
    try {
      for (;;) {
        const count = await from.read(buffer);
        if (count === null) break;
        const bytes = buffer.slice(0, count);
        if (counts) {
          for (const byte of bytes) if (byte === 0x24) this.packets++;
          if (this.#heard) this.roundTrips++;
        }
        this.#heard = !counts;
        const due = performance.now() + delay;
        last = last.then(async () => {
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
          for (let at = 0; at < count;) at += await to.write(bytes.subarray(at));
        });
        last.catch(() => {});
      }
      await last;
      await to.closeWrite();
    } catch {
      // The other side has closed.
    }
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const connection of this.#connections) {
      try {
        connection.close();
      } catch {
        // It is closed.
      }
    }
  }
}
