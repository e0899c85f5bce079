/** What commands may want of whoever is before the screen. */
export interface Ui {
  /** Whether there is somebody to ask. */
  readonly interactive: boolean;
  /** The screen's; as wide as need be where there is none. */
  size(): { readonly columns: number; readonly rows: number };
  /** Puts a question to be answered with yes or no. */
  confirm(question: string): Promise<boolean>;
  /** Shows how far something is, in place of what was shown before; without text, nothing any more. */
  progress(text?: string): void;
}

/** Nobody there: scripts and pipes. */
export const nobody: Ui = {
  interactive: false,
  size: () => ({ columns: Infinity, rows: Infinity }),
  confirm: () => Promise.resolve(false),
  progress() {},
};
