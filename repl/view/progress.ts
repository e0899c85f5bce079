/** The progress of long work, on a terminal. */
import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { write } from "./output.ts";
import { cut, padStart, repeated } from "./text.ts";

/** Shorter work shows no progress. */
const quietMilliseconds = 500;
const redrawMilliseconds = 50;
const barWidth = 30;

/** Prints an amount of what is counted. */
export type Amount = (value: number) => SafeText;

/** A size, such as `1.2 GiB`. */
export function bytesText(bytes: number): SafeText {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1024;
  return escape(`${value.toFixed(value < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`);
}

/** A time, such as `3.4 s` and `2:05`. */
export function secondsText(seconds: number): SafeText {
  if (seconds < 60) return escape(`${seconds.toFixed(1)} s`);
  const whole = Math.round(seconds);
  const two = (value: number) => escape(`${value}`.padStart(2, "0"));
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? safe`${minutes}:${two(whole % 60)}`
    : safe`${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

/** The line that shows the progress.
 *
 * @param elapsed seconds
 */
export function progressLine(
  label: SafeText,
  done: number,
  total: number,
  elapsed: number,
  amount: Amount = bytesText,
): SafeText {
  const part = total > 0 ? Math.min(1, done / total) : 1;
  const full = Math.round(part * barWidth);
  const bar = safe`${repeated(safe`█`, full)}${repeated(safe`░`, barWidth - full)}`;
  const percent = padStart(safe`${Math.floor(part * 100)}`, 3);
  const rate = elapsed > 0 && done > 0 ? done / elapsed : 0;
  const pace = rate > 0
    ? safe`, ${amount(rate)}/s, ${secondsText(Math.max(0, total - done) / rate)} left`
    : safe``;
  return safe`${label} ${bar} ${percent} %  ${amount(done)} of ${amount(total)}${pace}`;
}

/** A line on the terminal with the progress, its rate and the time that is left. Disposing removes it.
 * Without a terminal, and for short work, nothing is shown. */
export class Progress implements Disposable {
  /** Whether there is a terminal to show it on. */
  readonly shown: boolean = Deno.stderr.isTerminal();
  readonly #label: SafeText;
  readonly #amount: Amount;
  readonly #began = performance.now();
  #drawn = 0;

  /** @param label what is being done */
  constructor(label: SafeText, amount: Amount = bytesText) {
    this.#label = label;
    this.#amount = amount;
  }

  /** Takes the progress. Cheap: call it often. */
  update(done: number, total: number): void {
    if (!this.shown) return;
    const now = performance.now();
    if (now - this.#began < quietMilliseconds || now - this.#drawn < redrawMilliseconds) return;
    this.#drawn = now;
    const line = progressLine(this.#label, done, total, (now - this.#began) / 1000, this.#amount);
    const { columns } = Deno.consoleSize();
    // A line that does not fit would not be overwritten by the next.
    write(Deno.stderr, safe`\r${cut(line, columns - 1)}\x1b[K`);
  }

  /** Removes the line. */
  [Symbol.dispose](): void {
    if (this.#drawn > 0) write(Deno.stderr, safe`\r\x1b[K`);
  }
}
