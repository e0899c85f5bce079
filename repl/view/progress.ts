/** How far a long piece of work is, on a terminal. */
import { write } from "./output.ts";

/** Work is shown as it goes on when it takes longer than this. */
const quietMilliseconds = 500;
const redrawMilliseconds = 50;
const barWidth = 30;

/** What is counted: how an amount is written. */
export type Amount = (value: number) => string;

/** Bytes, such as `1.2 GiB`. */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1024;
  return `${value.toFixed(value < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`;
}

/** A time, such as `3.4 s` and `2:05`. */
export function secondsText(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const two = (value: number) => `${value}`.padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${two(whole % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

/** The line that says how far something is.
 *
 * @param elapsed seconds
 */
export function progressLine(
  label: string,
  done: number,
  total: number,
  elapsed: number,
  amount: Amount = bytesText,
): string {
  const part = total > 0 ? Math.min(1, done / total) : 1;
  const full = Math.round(part * barWidth);
  const bar = "█".repeat(full) + "░".repeat(barWidth - full);
  const percent = `${Math.floor(part * 100)}`.padStart(3);
  const rate = elapsed > 0 && done > 0 ? done / elapsed : 0;
  const pace = rate > 0
    ? `, ${amount(rate)}/s, ${secondsText(Math.max(0, total - done) / rate)} left`
    : "";
  return `${label} ${bar} ${percent} %  ${amount(done)} of ${amount(total)}${pace}`;
}

/** A line on the terminal that tells how far something is, with its rate and the time that is left;
 * gone when it is disposed. Without a terminal, and for what is soon done, there is none. */
export class Progress implements Disposable {
  /** Whether there is a terminal to show it on. */
  readonly shown: boolean = Deno.stderr.isTerminal();
  readonly #label: string;
  readonly #amount: Amount;
  readonly #began = performance.now();
  #drawn = 0;

  /** @param label what is being done; safe to print */
  constructor(label: string, amount: Amount = bytesText) {
    this.#label = label;
    this.#amount = amount;
  }

  /** Says how far it is; often, at no cost. */
  update(done: number, total: number): void {
    if (!this.shown) return;
    const now = performance.now();
    if (now - this.#began < quietMilliseconds || now - this.#drawn < redrawMilliseconds) return;
    this.#drawn = now;
    const line = progressLine(this.#label, done, total, (now - this.#began) / 1000, this.#amount);
    const { columns } = Deno.consoleSize();
    // A line that does not fit would not be overwritten by the next.
    write(Deno.stderr, `\r${line.slice(0, Math.max(0, columns - 1))}\x1b[K`);
  }

  /** Takes the line away. */
  [Symbol.dispose](): void {
    if (this.#drawn > 0) write(Deno.stderr, "\r\x1b[K");
  }
}
