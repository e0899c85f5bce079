/** How a {@linkcode ValidationError} ends the program. */
export interface ValidationErrorOptions {
  /** 2 by default. */
  exitCode?: number;
}

/** The command line is not as the command wants it. */
export class ValidationError extends Error {
  /** The code to exit with. */
  readonly exitCode: number;

  constructor(message: string, { exitCode }: ValidationErrorOptions = {}) {
    super(message);
    this.exitCode = exitCode ?? 2;
  }
}
