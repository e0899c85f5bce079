/** Targets over the gdb remote protocol: the client side, over a byte stream that is given from outside.
 *
 * @module
 */
export type { ConnectionOptions, Patience } from "./connection.ts";
export { RemoteError, type RemoteFailure } from "./error.ts";
export type { ByteStream } from "./stream.ts";
export type { StubOptions } from "./stub.ts";
export { type RemoteOptions, RemoteTarget } from "./target.ts";
