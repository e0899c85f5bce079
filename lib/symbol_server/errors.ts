/** What a symbol server refuses. */

/** An error that becomes the response. Its message is sent to the client as `{"error": message}`, which
 * is the form of Tecken and of its consumers. */
export class RequestError extends Error {
  override readonly name = "RequestError";

  /** @param status of the HTTP response */
  constructor(message: string, readonly status: 400 | 404 | 413 | 500 = 400) {
    super(message);
  }
}
