/** How many variables a page has room for. */

/** Maximum number of variables, members included, of all frames of a page. They take about 20 MB. */
const MAX_VALUES = 300_000;
/** So many are shown of each thread, however many threads there are. */
const FEW_VALUES = 100;

interface WithChildren {
  readonly children?: readonly WithChildren[] | null;
}

/** Bounds the variables of a page: each thread has its share, which its innermost frames get first. */
export class ValueBudget {
  readonly #share: number;
  #cut = 0;

  /** @param threads how many share it */
  constructor(threads: number, most: number = MAX_VALUES, few: number = FEW_VALUES) {
    this.#share = Math.max(few, Math.floor(most / Math.max(1, threads)));
  }

  /** What leaves out the variables of frames that come after the share of their thread.
   *
   * @param variables what makes them, for the frames of one thread after the other's, innermost first
   */
  limited<Of extends { readonly index: number }>(
    variables: (frame: Of) => Record<string, unknown>,
  ): (frame: Of) => Record<string, unknown> {
    let left = 0;
    let isCut = false;
    return (frame) => {
      if (frame.index === 0) [left, isCut] = [this.#share, false];
      if (left > 0) {
        const made = variables(frame);
        left -= sizeOf(made.variables as readonly WithChildren[]);
        return made;
      }
      if (!isCut) this.#cut++;
      isCut = true;
      return {};
    };
  }

  /** What to say of it. */
  get note(): string[] {
    if (this.#cut === 0) return [];
    const threads = this.#cut === 1 ? "1 thread has" : `${this.#cut} threads have`;
    return [
      `${threads} more variables than there is room for: those of the outer frames are left out. ` +
      "`machpause bt --locals` shows all.",
    ];
  }
}

function sizeOf(variables: readonly WithChildren[]): number {
  return variables.reduce((sum, { children }) => sum + 1 + sizeOf(children ?? []), 0);
}
