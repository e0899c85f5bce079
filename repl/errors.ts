/** What a person can put right: said in one line, without the error's name. */
export class UserError extends Error {
  override readonly name = "UserError";
  /** The code to exit with: 1 for work that failed, 2 for a wrong command line. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
