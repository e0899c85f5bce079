/** What reporters have of a managed exception: Xamarin's, of .NET for Apple's systems. */

import { baseName } from "../images.ts";
import type { CrashReport } from "../report.ts";

/** A method of a managed stack. */
export interface ManagedCall {
  readonly name: string;
  /** Its source file and line; `null` where the report does not have them. */
  readonly place: string | null;
  /** Whether it is of the program: methods of others have no source file, or one of the machine that built them. */
  readonly isOwn: boolean;
  /** Whether it is of the stack of an inner exception, which was the cause of the one that was not caught. */
  readonly isInner: boolean;
}

/** `at Shop.Cart.Pay (System.Int32 sum) [0x00007] in /src/Cart.cs:115`; `<0x1b149c08 + 0x00054>` for the offset. */
const line =
  /^\s{0,12}at (?!\()([\w.+<>`|]{1,300}) \([^)]{0,400}\)(?: \[0x[0-9a-f]{1,8}\]| <0x[0-9a-f]{1,16} \+ 0x[0-9a-f]{1,16}>)?(?: in (\S.{0,500}):(\d{1,9}))?\s{0,8}$/;

/** Methods of a stack that are looked at. */
const MOST = 64;

/** The methods that led to a managed exception, innermost first. Empty where the report has none. HockeySDK-Xamarin writes
 * them as .NET's `Exception.ToString()` has them. */
export function managedCalls({ sections }: CrashReport): ManagedCall[] {
  const section = sections.find(({ name }) => name === "Xamarin Exception Stack");
  let calls: ManagedCall[] = [];
  for (const text of section?.lines.slice(0, MOST) ?? []) {
    // The inner exceptions of several follow once more.
    if (/^\s{0,8}--->/.test(text)) break;
    if (/^\s{0,8}--- End of inner exception stack trace/.test(text)) {
      calls = calls.map((call) => ({ ...call, isInner: true }));
    }
    const match = line.exec(text);
    if (match === null) continue;
    const [, name, file, number] = match;
    const isKnown = file !== undefined && !file.startsWith("<");
    calls.push({
      name,
      place: isKnown ? `${baseName(file)}:${number}` : null,
      isOwn: isKnown && !/^\/Users\/builder\//.test(file),
      isInner: false,
    });
  }
  return calls;
}

/** Whether an exception of Objective-C stands for one of .NET: it is named by the type, with which its reason begins.
 * Xamarin.iOS, runtime/runtime.m: xamarin_process_managed_exception. */
export function isManagedName(name: string | null, reason: string | null): boolean {
  return name !== null && reason !== null && /^(?:\w{1,60}\.){1,8}\w{1,80}$/.test(name) &&
    reason.startsWith(`${name}: `);
}

/** Innermost and outermost methods of a path. */
const INNER = 4;
const OUTER = 1;

/** The methods as a call path, outermost first. */
export function managedPath(calls: readonly ManagedCall[]): string[] {
  const steps = calls.filter(({ isInner }) => !isInner).map(({ name, place }) =>
    place === null ? name : `${name} (${place})`
  );
  const path = steps.length <= INNER + OUTER + 1
    ? steps
    : [...steps.slice(0, INNER), "…", ...steps.slice(-OUTER)];
  return path.reverse();
}
