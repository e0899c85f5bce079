/** What failed: the stub cannot be reached or is silent, closed the connection, broke the protocol, or
 * refused a request. */
export type RemoteFailure = "connect" | "timeout" | "closed" | "protocol" | "refused";

/** A stub that could not be reached, broke the protocol, or refused a request.
 *
 * @example
 * ```ts
 * import { attachRemote, RemoteError } from "@machpause/machpause/remote";
 *
 * try {
 *   using target = await attachRemote("127.0.0.1:1234");
 *   console.log(`${target}`);
 * } catch (error) {
 *   if (!(error instanceof RemoteError)) throw error;
 *   console.log(error.failure, error.message);
 * }
 * ```
 */
export class RemoteError extends Error {
  /** The class name, set here so that minifying keeps it. */
  override readonly name: string = "RemoteError";
  /** What failed. After all but `refused` the connection is not used any more. */
  readonly failure: RemoteFailure;

  /** Creates the error.
   *
   * @param message for people
   */
  constructor(failure: RemoteFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
