/** An error that the user can correct: printed as one line, without the error's name. */
export class UserError extends Error {
  override readonly name = "UserError";
  /** The exit code: 1 for work that failed, 2 for a wrong command line. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Explains why a file cannot be opened.
 *
 * @param error the system's
 * @param path as the user gave it
 * @returns a {@linkcode UserError} for a file that does not exist or may not be read; other errors as
 * they are
 */
export function fileError(error: unknown, path: string): unknown {
  if (error instanceof Error && error.name === "FileError") return new UserError(error.message);
  if (error instanceof Deno.errors.NotFound) return new UserError(`there is no file ${path}`);
  if (error instanceof Deno.errors.PermissionDenied) {
    return new UserError(`${path} may not be read: ask its owner, or run as root`);
  }
  if (error instanceof Deno.errors.IsADirectory) return new UserError(`${path} is a folder`);
  return error;
}
