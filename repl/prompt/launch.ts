import { escape, safe, type SafeText } from "../../lib/escape.ts";
import { crashWatchOf, howEnded, launchWith, untie } from "../../ffi/processes.ts";
import { TargetGoneError } from "../../lib/errors.ts";
import { UserError } from "../errors.ts";
import { exists } from "./open.ts";
import { held, type Opened } from "./opened.ts";

/** How a program is started. */
export interface StartOptions {
  /** Whether it outlives machpause. */
  readonly keep?: boolean;
  /** Prints what the program prints, which otherwise goes where machpause prints. */
  readonly print?: (text: SafeText) => void;
  /** The stub that starts it. */
  readonly via?: string | undefined;
  /** Whether it waits at its start until it is sampled. Then a crash ends it, and with it the recording. */
  readonly hold?: boolean;
}

/** Starts a program as the target. By LLDB's convention it ends with machpause, or when another target is
 * taken: {@linkcode Opened.keep} and `keep` let it run on.
 *
 * @throws UserError when there is no such program
 */
export async function openLaunched(
  program: string,
  args: readonly string[],
  { keep = false, print, via, hold = false }: StartOptions = {},
): Promise<Opened> {
  program = findProgram(program);
  if (via !== undefined) {
    const { openStarted } = await import("./remote.ts");
    return await startable(program, () =>
      openStarted(program, args, {
        via,
        keep,
        hold,
        ...(print === undefined ? {} : { output: lineByLine(print) }),
      }));
  }
  let kept = keep;
  // The output of a program that is kept would have nowhere to go once its terminal is closed.
  const terminal = print === undefined || keep
    ? undefined
    : (await import("../../ffi/pty.ts")).openPty();
  try {
    const target = await startable(
      program,
      () =>
        launchWith(program, args, { killOnExit: !keep, catchCrash: !hold }, {
          ...{ mayUntie: true, hold },
          ...(terminal === undefined ? {} : { spawn: terminal.spawn }),
        }),
    );
    if (terminal !== undefined) void terminal.read(lineByLine(print!));
    const opened = held(target);
    return {
      target,
      crash: crashWatchOf(target),
      ended: () => howEnded(target),
      ...(keep ? {} : {
        keep() {
          kept = true;
          untie(target);
        },
      }),
      [Symbol.dispose]() {
        // Before it is let go, so that it does not run another step.
        if (!kept) target.kill();
        opened[Symbol.dispose]();
      },
    };
  } catch (error) {
    // A program that has ended has printed what it had to.
    if (terminal !== undefined && error instanceof TargetGoneError) {
      await Promise.race([terminal.read(lineByLine(print!)), delay(unendedMilliseconds)]);
    } else terminal?.close();
    throw error;
  }
}

/** Waits for a time. */
function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The path of a program: as for a shell, a name without a slash is that of one in `PATH`, unless there is such a
 * file here. */
export function findProgram(name: string): string {
  if (name.includes("/") || exists(name)) return name;
  const folders = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  return folders.map((folder) => `${folder}/${name}`).find(exists) ?? name;
}

/** Starts a program; what is wrong with its name is a mistake to correct. */
async function startable<T>(program: string, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new UserError(`there is no program ${program}: give the path of one`);
    }
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new UserError(`${program} may not be run: is it a program, and executable?`);
    }
    throw error;
  }
}

/** How long the end of a line that the program prints is waited for. */
const unendedMilliseconds = 300;

/** Prints whole lines, so that the line being typed can be drawn below them. One that is not ended, such as
 * a question, is printed when nothing follows for a while. */
function lineByLine(print: (text: SafeText) => void): (text: string) => void {
  let pending = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (length: number, tail = "") => {
    const text = pending.slice(0, length);
    pending = pending.slice(length);
    if (text !== "") print(printable(text + tail));
  };
  return (text) => {
    clearTimeout(timer);
    pending += text.replaceAll("\r\n", "\n");
    flush(pending.lastIndexOf("\n") + 1);
    if (pending !== "") timer = setTimeout(() => flush(pending.length, "\n"), unendedMilliseconds);
  };
}

/** What a program printed. Its colours reach the terminal; what would move the cursor does not. */
function printable(text: string): SafeText {
  // deno-lint-ignore no-control-regex
  const pieces = text.matchAll(/(\n)|(\t)|\x1b\[([\d;]*)m|[^\n\t\x1b]+|\x1b/g);
  let shown = safe``;
  for (const [piece, line, tab, colour] of pieces) {
    const next = line !== undefined
      ? safe`\n`
      : tab !== undefined
      ? safe`\t`
      : colour !== undefined
      ? safe`\x1b[${escape(colour)}m`
      : escape(piece);
    shown = safe`${shown}${next}`;
  }
  return shown;
}

/** What is said of options after the program that may have been meant for machpause; `undefined` where there
 * are none. */
export function strayOptions(args: readonly string[]): string | undefined {
  const stray = args.find((text) =>
    /^(?:-e|--eval|--yes|--symbols|--keep|--no-init)(?:=|$)/.test(text)
  );
  return stray && `${stray} was passed to the program: machpause's options go before its name`;
}
