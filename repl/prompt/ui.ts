/** What commands may ask of the user's screen. */
import type { SafeText } from "../../lib/escape.ts";

/** The screen, and the user at it. */
export interface Ui {
  /** Whether there is somebody to ask. */
  readonly interactive: boolean;
  /** The screen's size; unlimited where there is no screen. */
  size(): { readonly columns: number; readonly rows: number };
  /** Asks a question that is answered by yes or no. */
  confirm(question: SafeText): Promise<boolean>;
  /** Shows lines a screenful at a time, where there is a screen and somebody before it. */
  page?(lines: readonly SafeText[]): Promise<void>;
  /** Has the user choose one of some lines, by typing parts of it. There is none where nobody can be asked.
   *
   * @returns its index; `undefined` when none was chosen
   */
  pick?(question: SafeText, lines: readonly SafeText[]): Promise<number | undefined>;
  /** Shows how far some work is, in place of what was shown before; nothing without text. */
  progress(text?: SafeText): void;
}

/** Nobody: scripts and pipes. */
export const nobody: Ui = {
  interactive: false,
  size: () => ({ columns: Infinity, rows: Infinity }),
  confirm: () => Promise.resolve(false),
  progress() {},
};
