/** Listening, until Ctrl-C. */
import { UserError } from "../../errors.ts";
import type { Handler } from "../../../lib/symbol_server/mod.ts";

/** A server that runs. */
export interface Listening {
  /** `http://127.0.0.1:3000` */
  readonly origin: string;
  /** Resolves when a signal has ended the server and every response was sent. */
  readonly finished: Promise<void>;
  /** Ends the server as a signal does. */
  stop(): void;
}

/** The first port that is tried, as samply's. */
const FIRST_PORT = 3000;
const LAST_PORT = 3099;

const signals = ["SIGINT", "SIGTERM"] as const;

/** Listens at a port; without one, at the first free one from 3000 on.
 *
 * @throws UserError when the port is taken, or may not be used
 */
export function listen(
  handler: Handler,
  { port, host = "127.0.0.1" }: { readonly port?: number; readonly host?: string },
): Listening {
  const server = start(handler, host, port);
  const stop = () => void server.shutdown();
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  const finished = server.finished.finally(() => {
    for (const signal of signals) Deno.removeSignalListener(signal, stop);
  });
  const name = server.addr.hostname.includes(":")
    ? `[${server.addr.hostname}]`
    : server.addr.hostname;
  return { origin: `http://${name}:${server.addr.port}`, finished, stop };
}

function start(
  handler: Handler,
  hostname: string,
  given: number | undefined,
): Deno.HttpServer<Deno.NetAddr> {
  for (let port = given ?? FIRST_PORT;; port++) {
    try {
      return Deno.serve({ hostname, port, onListen: () => {}, onError: failed }, handler);
    } catch (error) {
      const taken = error instanceof Deno.errors.AddrInUse;
      if (taken && given === undefined && port < LAST_PORT) continue;
      if (taken) throw new UserError(`port ${port} is in use: choose another with --port`);
      if (error instanceof Deno.errors.PermissionDenied) {
        throw new UserError(`port ${port} may not be used: choose one above 1023 with --port`);
      }
      if (error instanceof Deno.errors.AddrNotAvailable || error instanceof TypeError) {
        throw new UserError(`${hostname} is no address of this machine`);
      }
      throw error;
    }
  }
}

function failed(): Response {
  return Response.json({ error: "the server failed" }, { status: 500 });
}
