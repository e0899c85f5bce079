/** Stop replies ("Stop Reply Packets" of gdb's manual). */
import { RemoteError } from "./error.ts";
import { textOfDigits, threadIdOf } from "./hexadecimal.ts";

/** How a target, or one of its threads, has stopped or ended. */
export interface StopReply {
  /** The signal's number; 0 for none. */
  readonly signal: number;
  /** The thread that it is about. */
  readonly thread: bigint | undefined;
  /** Why, in the stub's words: `signal`, `breakpoint`, `exception`; empty when it does not say. */
  readonly reason: string;
  /** How the process has ended; `undefined` when it has not. */
  readonly ended: string | undefined;
}

/** Reads a stop reply.
 *
 * @throws RemoteError when it is none
 */
export function parseStop(text: string): StopReply {
  const end = /^([WX])([\da-fA-F]{2})/.exec(text);
  if (end !== null) {
    const number = parseInt(end[2], 16);
    const ended = end[1] === "W"
      ? `it exited with code ${number}`
      : `it was killed by signal ${number}`;
    return { signal: 0, thread: undefined, reason: "", ended };
  }
  const stop = /^[TS]([\da-fA-F]{2})/.exec(text);
  if (stop === null) {
    throw new RemoteError("protocol", "the stub does not say how the target has stopped");
  }
  const signal = parseInt(stop[1], 16);
  let thread: bigint | undefined;
  let reason = "";
  for (const field of text.slice(3).split(";")) {
    const colon = field.indexOf(":");
    const value = field.slice(colon + 1);
    if (field.startsWith("thread:")) thread = threadIdOf(value);
    else if (field.startsWith("reason:")) reason = value;
    else if (field.startsWith("description:")) reason = textOfDigits(value) || reason;
  }
  return { signal, thread, reason, ended: undefined };
}
