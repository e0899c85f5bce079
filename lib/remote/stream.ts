/** A connection to a stub, given from outside. It is synchronous, as everything that looks at a target
 * is. */
export interface ByteStream extends Disposable {
  /** Waits until it can read, or write if there is output. Then it reads and writes what it can without
   * another wait.
   *
   * @param output to write; may be empty
   * @param input filled from its start
   * @param milliseconds to wait at most
   * @returns how many bytes were written and read: none of either when the time is over
   * @throws RemoteError when the connection was closed or lost
   */
  transfer(
    output: Uint8Array,
    input: Uint8Array,
    milliseconds: number,
  ): { readonly written: number; readonly read: number };
}
