/** What reporters have of a managed exception: Xamarin's, of .NET for Apple's systems. */

import { baseName } from "../images.ts";
import { isOfLibrary } from "../knowledge/namespaces.ts";
import { once } from "../remember.ts";
import type { CrashReport } from "../report.ts";
import { headOf } from "../text.ts";

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
  /^\s{0,12}at (?!\()([\w.+<>`|,[\]]{1,300}) ?\([^)]{0,400}\)(?: \[0x[0-9a-f]{1,8}\]| <0x[0-9a-f]{1,16} \+ 0x[0-9a-f]{1,16}>)?(?: in (\S.{0,500}):(\d{1,9}))?\s{0,8}$/;

/** Methods of a stack that are looked at. */
const MOST = 64;

/** The methods that led to a managed exception, innermost first. Empty where the report has none. HockeySDK-Xamarin writes
 * them as .NET's `Exception.ToString()` has them. */
export const managedCalls: (report: CrashReport) => readonly ManagedCall[] = once((report) => {
  const { sections, text } = report;
  const section = sections.find(({ name }) =>
    /^(?:Xamarin|Managed) (?:Exception )?Stack(?: ?Trace)?$/i.test(name)
  );
  // What Objective-C calls the reason has the stack in newer versions.
  const lines = section?.lines ??
    (headOf(text).includes("uncaught exception '") &&
        /uncaught exception '(?:\w{1,60}\.){1,8}\w{1,80}(?:'|: )/.test(headOf(text))
      ? headOf(text).split("\n").filter((written) => /^\s{1,12}at \S/.test(written))
      : []);
  let calls: ManagedCall[] = [];
  for (const text of lines.slice(0, MOST)) {
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
});

/** `Shop.Cart.Pay (int) [0x0000c] in /src/Cart.cs:62`, `(wrapper managed-to-native) Shop.Cart:Pay (int) <IL 0x00025, 0xffffffff>`,
 * `Shop.Cart:Pay <0x0002b>` */
const method =
  /^(?:\(wrapper [\w-]{1,40}\) )?((?:[\w.:+<>`|,[\]/-]|(?<=,) (?=\w)){1,300}?)(?: ?\([^)]{0,600}\))?(?: \[0x[0-9a-f]{1,8}\])?(?: in (\S.{0,500}):(\d{1,9}))?\s{0,4}(?:<(?:IL )?(?:0x[0-9a-f]{1,16}(?:[,+ ]{1,3})?){1,3}>)?\s{0,8}$/;

/** Folders in which the libraries of Mono and Xamarin were built. */
const built = /^\/(?:Users\/builder|Developer\/MonoTouch|Library\/Frameworks|private\/tmp)\//;

/** The managed methods of the thread that a signal met in native code, innermost first, as Mono prints them. Empty where the report
 * has none. Mono, mono/mini/mini-exceptions.c: mono_handle_native_crash. */
export function methodsAround({ sections }: CrashReport): ManagedCall[] {
  const lines = sections.find(({ name }) => name === "Managed Stacktrace")?.lines ?? [];
  return lines.slice(0, MOST).flatMap((text) => {
    const match = method.exec(text);
    // What runs managed code.
    if (match === null || /^(?:<Module>|object)[.:]runtime_invoke/.test(match[1])) return [];
    const [, name, file, number] = match;
    const isKnown = file !== undefined && !file.startsWith("<");
    return [{
      name,
      place: isKnown ? `${baseName(file)}:${number}` : null,
      isOwn: isKnown && !built.test(file) && !ofRuntime.test(name),
      isInner: false,
    }];
  });
}

/** The innermost of these methods that is of the program, by its source file or its namespace; `null` without one. */
export function methodOfProgram(calls: readonly ManagedCall[]): ManagedCall | null {
  // What began leads to everything.
  const led = calls.filter(({ name }) => !/[.:]Main$/.test(name));
  return led.find(({ isOwn }) => isOwn) ??
    led.find(({ name }) => !ofRuntime.test(name) && !isOfLibrary(name)) ?? null;
}

/** Whether an exception of Objective-C stands for one of .NET: it is named by the type, with which its reason begins.
 * Xamarin.iOS, runtime/runtime.m: xamarin_process_managed_exception. */
export function isManagedName(name: string | null, reason: string | null): boolean {
  return name !== null && reason !== null && /^(?:\w{1,60}\.){1,8}\w{1,80}(?:: |$)/.test(name) &&
    !/^(?:java|javax|kotlin|kotlinx|com|org|io)\./.test(name) &&
    // HockeySDK-Xamarin's name has the message, too.
    (reason.startsWith(`${name}: `) || (name.includes(": ") && reason.startsWith(name)));
}

/** A managed exception's reason without its stack, which some have behind the message. */
export function withoutStack(reason: string): string {
  return reason.replace(
    /(?:\s*\n\s*|\s+)at (?:\(wrapper [\w-]{1,40}\) )?[\w.+<>`:]{2,200} ?\([^]*$/,
    "",
  );
}

/** The functions of JavaScript's own stack as a call path, outermost first. */
export function scriptPath(calls: readonly ScriptCall[]): string[] {
  const steps = calls.map(({ name, place }) => name === null ? place : `${name} (${place})`);
  return shortened(steps);
}

/** Innermost and outermost methods of a path. */
const INNER = 4;
const OUTER = 1;

/** The methods as a call path, outermost first. */
export function managedPath(calls: readonly ManagedCall[]): string[] {
  const steps = calls.filter(({ isInner }) => !isInner).map(({ name, place }) =>
    place === null ? name : `${name} (${place})`
  );
  return shortened(steps);
}

function shortened(steps: readonly string[]): string[] {
  const path = steps.length <= INNER + OUTER + 1
    ? [...steps]
    : [...steps.slice(0, INNER), "…", ...steps.slice(-OUTER)];
  return path.reverse();
}

/** Namespaces of .NET's own libraries, and of what stands for Apple's frameworks in .NET. */
const ofRuntime =
  /^(?:System|Mono|Internal|Interop|ObjCRuntime|UIKit|AppKit|Foundation|Core[A-Z]\w{1,30}|MonoTouch|AVFoundation|MapKit|WebKit|StoreKit|Java)\./;
/** Whether a frame's function is a managed method of those, as Mono names methods: `MonoTouch.UIKit.UIView:AddSubview`. */
export function isRuntimeMethod(symbol: string): boolean {
  return ofRuntime.test(symbol) &&
    /^(?:[A-Z]\w{0,60}\.){1,8}[^:\s(]{1,200}:[\w.<>]{1,200}(?: \(|\(|$)/.test(symbol);
}

/** The innermost method of a managed stack that is none of .NET's own, and whether it is of a library: by its namespace, or
 * as its first name is neither the program's nor that of the method that began. `null` without one. */
export function managedOwner(
  report: CrashReport,
): { readonly name: string; readonly isLibrary: boolean } | null {
  const calls = managedCalls(report);
  const call = calls.find(({ name, isOwn }) => isOwn || !ofRuntime.test(name));
  if (call === undefined) return null;
  const first = (name: string): string => name.split(/[.\s]/, 1)[0].toLowerCase();
  const main = calls.findLast(({ name }) => /\.Main$/.test(name) && !ofRuntime.test(name));
  const own = [main?.name, report.process.name, report.process.identifier?.split(".").at(-1)]
    .filter((name) => name != null).map(first);
  // Libraries that were built with lines have them, too.
  const isKnown = isOfLibrary(call.name);
  const isOwn = own.includes(first(call.name)) || (call.isOwn && !isKnown);
  return { name: call.name, isLibrary: !isOwn && (isKnown || main !== undefined) };
}

/** A function of JavaScript's own stack: its name, where it has one, and its place. */
export interface ScriptCall {
  readonly name: string | null;
  readonly place: string;
}

/** JavaScriptCore's `draw@695:2495` and `draw@main.jsbundle:12:7`; Hermes' and V8's `at draw (address at
 * main.jsbundle:1:2345)`. */
const scriptLines = [
  /^\s{0,12}([\w$.<>[\] ]{0,100})@((?:\S{1,300}:)?\d{1,9}:\d{1,9})$/,
  /^\s{0,12}at (?:([\w$.<>[\] ]{1,100}) )?\(?(?:address at )?(\S{1,300}:\d{1,9}:\d{1,9})\)?$/,
];

/** A function of JavaScript's own stack; `null` for another line. */
export function scriptCall(line: string): ScriptCall | null {
  for (const pattern of scriptLines) {
    const match = line.length > 500 ? null : pattern.exec(line.trimEnd());
    if (match !== null) {
      const name = match[1]?.trim() ?? "";
      return { name: /^(?:|<unknown>|anonymous|\?)$/.test(name) ? null : name, place: match[2] };
    }
  }
  return null;
}

/** Whether a report is of an error of JavaScript that React Native made an exception of. */
const ofJavaScript = ["Unhandled JS Exception", "RCTFatal", "facebook::jsi::JSError"];

/** JavaScript's own stack, innermost first, where React Native put it into an exception's reason. */
export const scriptCalls: (report: CrashReport) => readonly ScriptCall[] = once(({ text }) => {
  const head = headOf(text);
  if (!head.includes("stack:") || !ofJavaScript.some((words) => head.includes(words))) return [];
  const lines = head.split("\n").slice(0, 4000);
  const from = lines.findIndex((line) => /\bstack:\s{0,4}$/.test(line));
  const calls: ScriptCall[] = [];
  for (const line of from < 0 ? [] : lines.slice(from + 1, from + 1 + MOST)) {
    const call = scriptCall(line);
    if (call === null) break;
    calls.push(call);
  }
  return calls;
});
