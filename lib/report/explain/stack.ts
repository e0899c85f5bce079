/** The parts that frames play on a crashed stack: raising, telling what happened, deciding whose it is. */

import { demangle, isMangled } from "../../symbols/demangle/demangle.ts";
import { signalOf } from "../codes.ts";
import { isCutFault } from "../fault.ts";
import { imageOf, imageTitle, isKernelFrame, isSystemFrame, titleOf } from "../images.ts";
import {
  bareName,
  heapMet,
  type KnowledgeRow,
  known,
  knownFrame,
  knownScript,
  mallocStop,
} from "../knowledge/mod.ts";
import { isNearest } from "../nearest.ts";
import { once } from "../remember.ts";
import type {
  CrashReport,
  ReportException,
  ReportFrame,
  ReportImage,
  ReportThread,
} from "../report.ts";

/** A frame's function for lookups; `null` when it has no name, or only that of the next function: a return
 * address at a function's first byte follows a call that does not return. */
export function functionOf(frame: ReportFrame, previous: ReportFrame | null): string | null {
  const symbol = readable(frame.symbol);
  // The linker names functions so that it made one of, because their code is the same.
  if (symbol === null || isUnnamed({ symbol }) || symbol === "<deduplicated_symbol>") return null;
  if (isNearest(frame)) return null;
  // Frames with one address are of functions that were inlined into each other.
  const isReturn = previous !== null && !isTrampoline(previous) && !frame.inlined &&
    (frame.address !== previous.address || frame.address === 0n);
  if (!isReturn) return symbol;
  // Reporters that give no offsets do not show it.
  const isNext = frame.offset === 0 ||
    (frame.offset === null && frame.file === null && previous.offset === null &&
      previous.symbol !== null && neverReturns.test(previous.symbol));
  return isNext ? null : symbol;
}

/** Whether a frame has no name, or the one that iOS gives to functions whose names it hides. */
export function isUnnamed({ symbol }: { readonly symbol: string | null }): boolean {
  return symbol === null || symbol === "<redacted>";
}

/** A name without its mangling, in which the knowledge table does not have it. */
function readable(symbol: string | null): string | null {
  if (symbol === null) return null;
  const name = withoutImage(symbol);
  return mayBeMangled(name) && isMangled(name) ? demangle(name) : name;
}

/** Whether a name begins as those that are mangled: by their letters, or by Swift's macros. Most do not. */
function mayBeMangled(name: string): boolean {
  let at = 0;
  while (at < 4 && name[at] === "_") at++;
  return mangling.has(name[at]) || name[0] === "@";
}

/** Letters of manglings: of Swift, C++ and Rust. */
const mangling: ReadonlySet<string | undefined> = new Set(["$", "T", "Z", "R"]);

/** A name without the image that some reporters write after it: `main (in Tool)`. */
export function withoutImage(symbol: string): string {
  return symbol.endsWith(")") && symbol.includes(" (in ")
    ? symbol.replace(/ \(in [\w .+-]{1,80}\)$/, "")
    : symbol;
}

/** Functions that do not return: a call of one is often the last instruction of its caller. */
const neverReturns =
  /^(?:objc_exception_(?:re)?throw|__cxa_(?:re)?throw|abort|__abort|_objc_terminate|std::terminate|-\[NSException raise\]|_CFThrowFormattedException|__assert_rtn|__stack_chk_fail|-\[NSObject\(NSObject\) doesNotRecognizeSelector:\])(?:\(\))?$/;

/** The message in the name of an inlined frame with which compilers mark traps: `Swift runtime failure:
 * arithmetic overflow`, `__clang_trap_msg$libc++$…`; `null` for other names. */
export function trapMessage(symbol: string): string | null {
  if (symbol.startsWith("Swift runtime failure: ")) return symbol.slice(23);
  if (symbol.startsWith("__clang_trap_msg$")) return symbol.slice(17).replaceAll("$", ": ");
  return / assertion .{1,300} failed\b/.test(symbol.slice(0, 600)) ? symbol : null;
}

/** Whose code a frame is, as far as names tell. */
export type FrameOwner = "program" | "runtime" | "system" | "unknown";

/** Tells whose code a frame is: the system's, a language run-time's, or the program's. */
export function frameOwner(frame: ReportFrame, symbol: string | null): FrameOwner {
  const image = imageOf(frame);
  if (image === null) return isBuilt(frame, symbol) ? "program" : "unknown";
  if (isRuntimeLibrary(image)) return "runtime";
  // What a process called in the kernel is not its own, whatever the extension is called.
  if (isSystemFrame(frame) || isKernelFrame(frame)) return "system";
  const raised = symbol === null
    ? rowOfNext(frame) !== null
    : (knownFrame(symbol) !== null || trapMessage(symbol) !== null ||
      isInstantiated(symbol, frame.file) || ofEngine.test(symbol) ||
      (frame.file !== null && (ofRecorder.test(frame.file) || ofMono.test(frame.file))));
  return raised ? "runtime" : "program";
}

/** Roles of functions that do not end a process themselves. */
const silent: ReadonlySet<string> = new Set(["top", "raise", "wrap", "part"]);

/** Whether a function stands in for another one, and calls it. */
export function isWrapper(symbol: string | null): boolean {
  return symbol !== null && knownFrame(symbol)?.role === "wrap";
}

/** Functions of an engine of JavaScript that is compiled in: JavaScriptCore's interpreter, and what Titanium's debugger is
 * passed to; WebKit, JavaScriptCore/llint. */
const ofEngine = /^llint_[a-z]|^\w{1,60}\(TiDebugger\w{1,40} ?[*&]/;

/** Source files of crash reporters, whose functions have names as others may have them. */
const ofRecorder =
  /(?:^|\/)(?:(?:Sentry|BSG_)?KS(?:Crash|Mach|ObjC|Thread|StackCursor|Signal|JSON|Dynamic|CPU|Memory|Log)|SentryCrash|PLCrash|FIRCLS|CLS[A-Z])\w{0,60}\.(?:c|cc|cpp|mm?|h)$/;

/** Source files of Mono's run-time whose static functions have names as others may have them, and the code that it compiled
 * ahead of time of the assemblies which come with it; Mono, mono/mini, mono/metadata, mono/io-layer. */
const ofMono =
  /(?:^|\/)mono\/(?:metadata|mini|utils|sgen|eglib|io-layer)\/|(?:^|\/)(?:(?:mini-[\w-]{2,40}|aot-runtime|debugger-agent|debug-mini|method-to-ir|exceptions-(?:arm|arm64|x86|amd64)|tramp-(?:arm|arm64|x86|amd64)|sgen-[\w-]{2,40}|wthreads)\.c|(?:mscorlib|System(?:\.\w{1,40}){0,4}|monotouch|Mono\.\w{1,40}|Xamarin\.(?:iOS|Mac|TVOS|WatchOS))\.dll\.\d{1,2}\.s)$/;

/** Whether a source file is one of Mono's. */
export function isMonoFile(file: string | null): boolean {
  return file !== null && ofMono.test(file);
}

/** The run-time that a function is of which is linked into the program and ended the process; `null` where its name and its
 * file do not tell. */
export function linkedTitle({ symbol, file }: ReportFrame): string | null {
  const row = symbol === null ? null : knownFrame(symbol);
  return row?.framework ??
    ((file !== null && ofMono.test(file)) || row?.source.startsWith("Mono,") === true
      ? "Mono"
      : null);
}

/** Functions of the system that bring an event where it belongs. */
const dispatchers =
  /^(?:-\[NS(?:UI)?Application(?:\(\w{1,40}\))? (?:_handleEvent:|sendEvent:|sendAction:)|-\[UIApplication (?:sendEvent:|sendAction:)|-\[(?:NS|UI)Window(?:\(\w{1,40}\))? (?:sendEvent:|_reallySendEvent)|SendEventToEventTarget|CallNextEventHandler)/;

/** Functions of the system that take or wait for events, as toolkits' own event loops call them, and those within that
 * call what handles one. */
const loops =
  /^(?:-\[NSApplication(?:\(\w{1,40}\))? _?nextEventMatching|CFRunLoopRun(?:InMode|Specific)?(?:WithOptions)?$|-\[NSRunLoop\(NSRunLoop\) run|RunCurrentEventLoop|ReceiveNextEvent|_?BlockUntilNextEvent|RunApplicationEventLoop)/;
const callouts =
  /^(?:__CFRUNLOOP_IS_|__CFRunLoopDo(?:Source|Timer|Observers|Blocks)|DispatchEventToHandlers|SendEventToEventTarget)/;

/** Frames of the system that a function must be away from the innermost one to have passed an event on only. */
const PASSED_DEPTH = 3;

/** Whether a function of the program only passes an event on, so that what the system does further in is not what it asked
 * for. */
export function passesOn(stack: readonly ReportFrame[], first: number, at: number): boolean {
  if (at - first < PASSED_DEPTH) return false;
  if (waitsForEvents(stack, first, at)) return true;
  // What stands between passes each call on.
  let next = at - 1;
  while (next > first && !isSystemFrame(stack[next])) {
    const symbol = functionOf(stack[next], stack[next - 1] ?? null);
    const isEntry = next === at - 1 && symbol !== null && isEntryOf(stack[at].symbol, symbol);
    if (!isEntry && frameOwner(stack[next], symbol) !== "runtime") return false;
    next--;
  }
  const symbol = functionOf(stack[next], stack[next - 1] ?? null);
  return symbol !== null && dispatchers.test(symbol);
}

/** Whether a function of the program, or one that it called, only waited for events, of which the system handled one itself. */
export function waitsForEvents(
  stack: readonly ReportFrame[],
  first: number,
  at: number,
): boolean {
  if (at - first < PASSED_DEPTH) return false;
  let next = at - 1;
  while (next > first && !isSystemFrame(stack[next])) next--;
  const symbol = functionOf(stack[next], stack[next - 1] ?? null);
  return symbol !== null && loops.test(symbol) &&
    stack.slice(first, next).some(({ symbol }) => symbol !== null && callouts.test(symbol));
}

/** Whether a function is what the compiler made of another one for Objective-C. */
function isEntryOf(symbol: string | null, of: string): boolean {
  return symbol !== null && symbol.startsWith("@objc ") && symbol.slice("@objc ".length) === of;
}

/** Functions that Swift's compiler makes for the one that calls them. */
const made =
  /^(?:@nonobjc |lazy protocol witness table (?:accessor|cache)|outlined |type metadata |_?dispatch_once\b)/;

/** Whether a frame is what the compiler made: a function for the one that calls it, or, without a name, what stands between
 * a queue and a block of a run-time that is compiled in. */
export function isThunk(stack: readonly ReportFrame[], at: number): boolean {
  const { symbol, file } = stack[at];
  // What called it is the function that was written.
  if (symbol !== null && (made.test(symbol) || isOfBaseLibrary(symbol, file))) {
    const caller = stack[at + 1];
    return caller !== undefined && titleOf(caller) === titleOf(stack[at]) &&
      functionOf(caller, stack[at]) !== null && caller.symbol !== "main";
  }
  if (symbol !== null && symbol !== "<deduplicated_symbol>" || at === 0) return false;
  const inner = stack[at - 1];
  const outer = stack[at + 1]?.symbol ?? "";
  return /\bclosure #\d|_block_invoke/.test(inner.symbol ?? "") &&
    /^(?:_dispatch_c(?:all_block_and_release|lient_callout)|swift_job_run|completeTask)/.test(
      outer,
    ) &&
    titleOf(inner) === titleOf(stack[at]) && frameOwner(inner, inner.symbol) === "runtime";
}

/** Whether a function only called an interpreter, as a binding's trampoline or what runs a script does: what that evaluated
 * is further in, and has no functions on the stack. */
export function callsScript(stack: readonly ReportFrame[], first: number, at: number): boolean {
  const title = titleOf(stack[at]);
  for (let inner = at - 1; inner >= first; inner--) {
    const symbol = functionOf(stack[inner], stack[inner - 1] ?? null);
    if (symbol === null || knownScript(symbol) === null) continue;
    // An interpreter that is compiled in is a part of what calls it.
    if (titleOf(stack[inner]) !== title || frameOwner(stack[inner], symbol) !== "program") {
      return true;
    }
  }
  return false;
}

/** Whether a function is what Unity's IL2CPP made of a method: its name ends with a hash, and what it was made for. */
export function isOfMethod(symbol: string): boolean {
  return /_m[0-9A-F]{32,40}(?:_(?:gshared|inline|AdjustorThunk)){0,3}$/.test(symbol.slice(-90));
}

/** Types of .NET's own library and of Unity's, as IL2CPP writes them: generic ones with the number of their parameters. */
const baseTypes =
  /^(?:(?:Task|TaskCompletionSource|TaskAwaiter|AsyncTaskMethodBuilder|List|Dictionary|HashSet|Queue|Stack|SortedDictionary|SortedList|LinkedList|ConcurrentDictionary|ConcurrentQueue|Nullable|Action|Func|Predicate|Comparison|EventHandler|Lazy|Tuple|ValueTuple|KeyValuePair|Span|ReadOnlySpan|Memory|UnityAction|UnityEvent|InvokableCall|ArraySortHelper|EqualityComparer|Comparer)_\d{1,2}|ThrowHelper|ExceptionDispatchInfo|ExecutionContext|AsyncMethodBuilderCore|AsyncVoidMethodBuilder|AsyncTaskMethodBuilder|TaskExceptionHolder|Enumerable|UnityEventBase|InvokableCallList)_/;

/** Whether a function is what Unity's IL2CPP made of a method of .NET's own library, or of Unity's, by its source file
 * (`mscorlib9.cpp`), or by its type where instances of all libraries share a file or the file is not there. */
function isOfBaseLibrary(symbol: string, file: string | null): boolean {
  if (!isOfMethod(symbol)) return false;
  return file === null ||
      /(?:^|\/)(?:Generics|GenericMethods)_?\d{0,3}\.cpp$/.test(file.slice(-200))
    ? baseTypes.test(symbol)
    : /(?:^|\/)(?:mscorlib|netstandard|System(?:\.[A-Z]\w{1,40}){0,4}|UnityEngine\.CoreModule)_?\d{0,3}\.cpp$/
      .test(file.slice(-200));
}

/** Whether a frame is of a crash reporter in the process. */
export function isRecorderFrame({ file, symbol }: ReportFrame): boolean {
  const row = symbol === null ? null : knownFrame(symbol);
  return row?.crashReporter === true || (file !== null && ofRecorder.test(file));
}

/** Whether a function is of a run-time or framework that is linked into programs. */
export function isPart(symbol: string | null): boolean {
  return symbol !== null && knownFrame(symbol)?.role === "part";
}

/** Whether a frame without an image has a source file as those of programs have that were built where the report was
 * made. */
function isBuilt({ file, line, address }: ReportFrame, symbol: string | null): boolean {
  // Reporters that give no addresses have lines of the program only.
  const isOwn = file !== null && (/^\/(?:Users|home|Volumes)\//.test(file) ||
    (address === 0n && line !== null &&
      /^(?:[\w+ .-]{1,100}\/){0,12}[\w+-]{1,100}\.(?:mm?|swift|rb)$/.test(file)) ||
    // Debuggers have lines of what was built with them; the system's libraries were not.
    (line !== null && /^[\w+-]{1,100}\.(?:mm?|swift|c|cc|cpp|cxx)$/.test(file) &&
      !/^(?:malloc|raise|abort|assert|libc_fatal|libc-start|pthread_create|clone|crt)\.c$/.test(
        file,
      )));
  return isOwn && symbol !== null &&
    !/\/(?:Xcode[\w.-]{0,40}\.app|\.cargo|\.rustup|DerivedData\/.{1,200}\/SourcePackages)\//.test(
      file,
    ) &&
    knownFrame(symbol) === null && trapMessage(symbol) === null && !isInstantiated(symbol, file);
}

/** C++ libraries that are headers. */
const templates =
  /^(?:[\w:]{1,80}(?:<[^()]{0,300}>)?[&*]{0,2} )?(?:std|__gnu_cxx|boost|Eigen|absl|fmt|nlohmann|rapidjson|eastl|glm|gsl|tbb|QtPrivate|QtSharedPointer|Q(?:List|Vector|Hash|Map|Set|ScopedPointer|SharedPointer|SharedDataPointer|WeakPointer|Pointer|BasicAtomic\w{1,20}|Atomic\w{1,20}|TypedArrayData|ArrayData\w{0,20}|VarLengthArray)(?:<[^()]{0,300}>)?)::/;
/** Modules of Rust's library, whose functions are compiled into programs: `core::ptr::drop_in_place<T>`,
 * `<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop`. */
const ofRust =
  /^(?:_?(?:<|\$LT\$))?(?:core|alloc|std)(?:::|\.\.)(?:alloc|backtrace|borrow|boxed|cell|clone|collections|env|fmt|fs|hash|io|iter|mem|net|num|ops|option|panic|panicking|path|pin|process|ptr|raw_vec|rc|result|rt|slice|str|string|sync|sys|sys_common|thread|time|vec)(?:::|\.\.)/;
/** Members of Swift's collections. */
const members =
  /^(?:static )?(?:Swift\.)?(?:Array|ContiguousArray|ArraySlice|Dictionary|Set|Optional|Range|ClosedRange|Sequence|Collection|BidirectionalCollection|RandomAccessCollection|MutableCollection|RangeReplaceableCollection|Unsafe\w{0,40}Pointer|_ArrayBuffer|_ContiguousArrayBuffer|_NativeDictionary|_NativeSet)\.(\w{1,80})/;

/** Whether a function is of a library whose code the compiler puts into the program that uses it. */
function isInstantiated(symbol: string, file: string | null): boolean {
  // Names that have neither are nearly all.
  if (
    symbol.startsWith("decltype(") ||
    // What Rust's compiler made to drop a value, before 2017.
    /^drop::h[0-9a-f]{16}$/.test(symbol) ||
    (symbol.includes("::") && (templates.test(symbol) || ofRust.test(symbol)))
  ) return true;
  if (file !== null && file !== "<compiler-generated>") return false;
  if (file === null && !symbol.includes(".subscript") && !symbol.includes("._")) return false;
  const member = members.exec(bareName(symbol))?.[1];
  return member !== undefined &&
    (file !== null || member === "subscript" || member.startsWith("_"));
}

/** By the image's path or name: the same few are in all frames of many reports. */
const libraries = new Map<string, boolean>();
const MAX_LIBRARIES = 1 << 12;

function isRuntimeLibrary(image: Pick<ReportImage, "path" | "name">): boolean {
  const key = image.path ?? image.name;
  let isRuntime = libraries.get(key);
  if (isRuntime === undefined) {
    isRuntime = known("library", imageTitle(image)) !== null;
    if (libraries.size >= MAX_LIBRARIES) libraries.clear();
    libraries.set(key, isRuntime);
  }
  return isRuntime;
}

/** What ended a process, as far as functions on its stack depend on it; `null` when the report does not
 * say. */
export type EndedBy = "access" | "trap" | "abort" | null;

/** Whether a report names an exception of the CPU together with the signal of abort(): a handler in the
 * process aborted after it. */
export function abortsAfter({ type, signal }: ReportException): boolean {
  return /^EXC_(?:BAD_ACCESS|BAD_INSTRUCTION|BREAKPOINT|ARITHMETIC)$/.test(type ?? "") &&
    /^SIGABRT\b/.test(signal ?? "");
}

/** What ended a report's process. */
export const endedBy: (report: CrashReport) => EndedBy = once(({ exception }) => {
  const type = exception?.type ?? null;
  const signal = signalOf(exception?.signal ?? type);
  if (exception !== null && abortsAfter(exception)) return null;
  if (type === "EXC_BAD_ACCESS" || (exception !== null && isCutFault(exception))) return "access";
  if (signal === "SIGSEGV" || signal === "SIGBUS") return "access";
  if (signal === "SIGABRT") return "abort";
  if (/^EXC_(?:BREAKPOINT|BAD_INSTRUCTION)$/.test(type ?? "")) return "trap";
  if (signal === "SIGTRAP" || signal === "SIGILL") return "trap";
  return type === null && signal === null ? null : "abort";
});

/** Whether a function's row can tell what happened, by what ended the process. */
export function tells({ role, needs }: KnowledgeRow, ended: EndedBy): boolean {
  switch (needs ?? (role === undefined ? "stop" : "any")) {
    case "access":
      return ended !== "abort";
    case "stop":
      return ended !== "access";
    case "raise":
      return false;
    default:
      return true;
  }
}

/** Functions that a pool releases an object by. What a dealloc method does further in is not the release of the pool's
 * own object. */
const releases =
  /^(?:_?objc_(?:msgSend|release|object::)|_objc_rootRelease|_?CFRelease|swift_(?:release|unknownObjectRelease)|_swift_release|AutoreleasePoolPage::|\(anonymous.namespace\)::AutoreleasePoolPage::|objc_autoreleasePoolPop|_CFAutoreleasePoolPop)|^-\[NSObject release\]/;

/** Frames after the first in which a context is looked for. */
const CONTEXT_DEPTH = 4;

/** Functions that say more than those that they called: which object, or what it was for. */
const contexts =
  /^(?:(AutoreleasePoolPage::|objc_autoreleasePoolPop$|_CFAutoreleasePoolPop$)|_{0,2}CFString(?:AppendFormatCore|CreateWithFormatAndArgumentsAux)|(_?swift_task_(?:checkIsolated|isCurrentExecutor))|(KVO_IS_RETAINING_ALL_OBSERVERS_OF_THIS_OBJECT))/;

/** What the innermost functions of a stack were called for: an autorelease pool's release, a format's argument, the
 * check of an actor's isolation, the observers of a key; `null` for others. */
export function contextOf(
  stack: readonly ReportFrame[],
  first: number,
): "pool" | "format" | "isolation" | "observer" | null {
  for (let at = first + 1; at < stack.length && at <= first + CONTEXT_DEPTH; at++) {
    const { symbol } = stack[at];
    if (symbol === null) continue;
    const match = contexts.exec(symbol);
    if (match !== null) {
      return match[1] !== undefined
        ? stack.slice(first, at).every(({ symbol }) => symbol === null || releases.test(symbol))
          ? "pool"
          : null
        : match[2] !== undefined
        ? "isolation"
        : match[3] !== undefined
        ? "observer"
        : "format";
    }
    if (frameOwner(stack[at], symbol) === "program") return null;
  }
  return null;
}

/** A stack, as far as explanations need it. */
export interface StackReading {
  /** Index of the first frame that tells something; those before it are a signal handler's. */
  readonly first: number;
  /** Index of the first frame that can decide; those before it are an exception handler's. */
  readonly handled: number;
  /** Index of the first frame that is neither the system's nor a run-time's; -1 when there is none. */
  readonly deciding: number;
  /** Rows of the frames before it, innermost first. */
  readonly rows: readonly { readonly row: KnowledgeRow; readonly index: number }[];
}

/** Frames of a stack without any code of the program, in which rows are looked for. */
const SYSTEM_DEPTH = 16;
/** Most frames that a crash reporter's signal handler takes. */
const HANDLER_DEPTH = 20;

/** Index of the first frame that tells something. A handler may itself have been interrupted, as by the signal of the
 * abort() that it called. */
export const interrupted: (stack: readonly ReportFrame[]) => number = once((stack) => {
  let first = 0;
  for (;;) {
    const more = first < HANDLER_DEPTH
      ? interruptedOnce(first === 0 ? stack : stack.slice(first))
      : 0;
    if (more === 0) return first;
    first += more;
  }
});

/** The innermost frame of a thread that tells something: after a signal handler's frames it is the one that the signal
 * interrupted. */
export function innermost(thread: ReportThread | null): ReportFrame | undefined {
  const stack = thread?.frames ?? [];
  return stack[interrupted(stack)];
}

/** Whether a frame is the trampoline by which the kernel calls a signal's handler, or Mono's, which runs the handler on a stack
 * of its own: what is further out was interrupted. */
export function isTrampoline({ symbol }: ReportFrame): boolean {
  return symbol === "_sigtramp" || symbol === "_sigtramp()" ||
    symbol === "altstack_handle_and_restore";
}

/** Index of the first frame after `_sigtramp`, where a crash reporter in the process handled the signal and raised it
 * again or walked its own stack; else 0. */
function interruptedOnce(stack: readonly ReportFrame[]): number {
  const at = stack.slice(0, HANDLER_DEPTH).findIndex(isTrampoline);
  if (at <= 0) return 0;
  if (ownHandler(stack)?.isWaiting === true) return 0;
  const before = stack.slice(0, at);
  // What waited failed at nothing: it is the program's handler that did.
  const waiting = stack[at + 1];
  if (
    waiting?.symbol != null && titleOf(waiting) === "libsystem_kernel.dylib" &&
    known("wait", waiting.symbol) !== null &&
    before.every((frame) =>
      frameOwner(frame, frame.symbol) === "program" && !isRecorderFrame(frame)
    )
  ) return 0;
  // The handler itself failed, where what it interrupted had not.
  const after = stack[at + 1]?.symbol ?? null;
  const hadFailed = after === null || knownFrame(after) !== null;
  if (!hadFailed && before.some(({ symbol }) => symbol !== null && saysWhy(symbol))) return 0;
  const handles = before.some(({ symbol }) =>
    symbol !== null &&
    (knownFrame(symbol)?.role === "raise" || symbol === "abort" ||
      /signal_?handler/i.test(symbol))
  ) || before.every((frame) => frameOwner(frame, frame.symbol) !== "system");
  return handles ? afterTrampoline(stack, at) : 0;
}

/** A handler of signals that ended a process by abort(), and is none of a run-time's or crash reporter's. */
export interface OwnHandler {
  /** The handler's frame. */
  readonly at: number;
  /** The innermost frame that the signal interrupted. */
  readonly interrupted: number;
  /** Whether the thread waited when the signal came, which then is not that of a fault there. */
  readonly isWaiting: boolean;
  /** Whether the handler is one for faults, by its name. */
  readonly isForFaults: boolean;
}

/** Names of handlers of signals that faults have. */
const forFaults = /crash|sig_?(?:segv|bus|ill|fpe)|segv|segfault|segmentation|fault|fatal/i;

/** Functions that send a signal, or end a process. */
const raising = /^_{0,3}(?:pthread_)?(?:kill|raise|abort|terminate_with|abort_with)/;

/** The program's own handler of signals that ended a process by abort(); `null` where none did. */
export const ownHandler: (stack: readonly ReportFrame[]) => OwnHandler | null = once((stack) => {
  const trampoline = stack.slice(0, HANDLER_DEPTH).findIndex(isTrampoline);
  if (trampoline < 2 || trampoline + 1 >= stack.length) return null;
  const abort = stack.slice(0, trampoline).findIndex(({ symbol }) =>
    symbol !== null && /^_{0,2}abort(?:\(\))?$/.test(symbol)
  );
  const between = abort < 0 ? [] : stack.slice(abort + 1, trampoline);
  if (
    between.length === 0 || !between.every((frame) => frameOwner(frame, frame.symbol) === "program")
  ) return null;
  const interrupted = afterTrampoline(stack, trampoline);
  const frame = stack[interrupted];
  const { symbol } = frame;
  // The signal was that of another abort().
  if (symbol !== null && raising.test(bareName(symbol))) return null;
  const handler = stack[trampoline - 1];
  return {
    at: trampoline - 1,
    interrupted,
    isForFaults: forFaults.test(functionOf(handler, null) ?? ""),
    isWaiting: symbol !== null &&
      (titleOf(frame) === "libsystem_kernel.dylib" || known("wait", bareName(symbol)) !== null),
  };
});

/** Words that unwinders take for frames behind a trampoline. */
const MAX_INVENTED = 3;

/** Index of the first frame that a signal interrupted. On 32-bit Intel the kernel passes a trampoline its arguments on the
 * stack, below a return address that is none: the handler's address is the first, which gets the name of what is before it;
 * XNU, bsd/dev/i386/unix_signal.c: sendsig. */
function afterTrampoline(stack: readonly ReportFrame[], at: number): number {
  const handler = stack[at - 1];
  const entry = handler.offset === null ? null : handler.address - BigInt(handler.offset);
  let first = at + 1;
  while (first <= at + MAX_INVENTED && first < stack.length - 1) {
    const { address, symbol } = stack[first];
    const isNone = imageOf(stack[first]) === null && address >= 0xffff_f000n &&
      address <= 0xffff_ffffn;
    const isEntry = entry !== null && handler.offset! > 0 && address === entry;
    const isNamed = symbol !== null && titleOf(stack[first]) === titleOf(handler) &&
      /signal_?handler/i.test(symbol);
    // LLVM's own dump gives the trampoline's name to the word behind it, with a distance that none has.
    const isFar = symbol !== null && /^_sigtramp \+ \d{6,}$/.test(symbol);
    if (!isNone && !isEntry && !isNamed && !isFar) break;
    first++;
  }
  return first;
}

/** Whether a function's row tells why a process ended, and not that a handler of signals ended it. */
function saysWhy(symbol: string): boolean {
  const row = knownFrame(symbol);
  return row !== null && row.role === undefined && (row.needs ?? "stop") === "stop" &&
    row.signalHandlerOf === undefined;
}

/** Functions that the run-times call while they end a process because of an exception. */
const terminating =
  /^(?:std::(?:__1::)?(?:__)?terminate\b|_ZSt9terminatev|_ZSt11__terminatePFvvE|_?objc_terminate|__handleUncaughtException|__clang_call_terminate|(?:demangling_|default_)(?:terminate|unexpected)_handler|__gnu_cxx::__verbose_terminate_handler\b|__cxxabiv1::__(?:terminate|unexpected)\b|uncaughtErrorProc|[-+]\[NSApplication (?:_crashOnException|reportException|_showException):\]?)|CPPExceptionTerminate\(/;

/** The handler that the C++ run-time has of its own. */
const defaultHandler = /^(?:demangling_|default_)(?:terminate|unexpected)_handler/;

/** Index of the first frame after those that end a process because of an exception that was not caught; 0 where
 * there are none. Code of the program before it is an exception handler's, such as a crash reporter's. */
export const endOfTermination: (stack: readonly ReportFrame[]) => number = once((stack) => {
  const near = Math.min(stack.length, HANDLER_DEPTH);
  for (let at = near - 1; at >= 0; at--) {
    const { symbol } = stack[at];
    if (symbol === null || !terminating.test(symbol)) continue;
    // The C++ run-time's own handler was called by one of the program's, such as a crash reporter's.
    const isHandler = defaultHandler.test(symbol) && at + 1 < stack.length &&
      imageOf(stack[at + 1]) !== null && !isSystemFrame(stack[at + 1]);
    return at + (isHandler ? 2 : 1);
  }
  return endOfNameless(stack, near);
});

/** Frames in which an exception that was raised again is looked for. */
const AGAIN_DEPTH = 20;

/** Whether a function raises an exception. */
export function isThrow(symbol: string | null): boolean {
  return symbol !== null &&
    /^(?:objc_exception_throw|__exceptionPreprocess|__cxa_throw)\b/.test(symbol);
}

/** Whether a frame is of the function that throws C++'s exceptions. In GNU's library its last call ends it, so that the return
 * address there has the name of the next function: libstdc++-v3, libsupc++/eh_throw.cc. */
export function throwsCxx({ symbol, offset }: ReportFrame): boolean {
  return symbol !== null &&
    (/^__cxa_throw\b/.test(symbol) ||
      (offset === 0 && symbol.startsWith("__gxx_exception_cleanup")));
}

/** Whether a function raises an exception again that was caught. */
export function isRethrow(symbol: string | null): boolean {
  return symbol !== null && /^(?:objc_exception_rethrow|__cxa_rethrow)\b/.test(symbol);
}

/** Whether a function catches what a call raises that was passed to a thread, and throws it anew. */
export function isCatcher(frame: ReportFrame | undefined): boolean {
  return frame?.symbol === "__NSThreadPerformPerform";
}

/** Index of the innermost function that raised an exception again; -1 when there is none. */
export const rethrowOf: (stack: readonly ReportFrame[]) => number = once((stack) =>
  stack.slice(0, AGAIN_DEPTH).findIndex(({ symbol }) => isRethrow(symbol))
);

/** The same of a stack whose run-times have no names: from the C library's abort() through that of C++, which calls the
 * program's terminate handlers between, such as libobjc's and a library's own; or from a handler of exceptions that the
 * program set, which CoreFoundation calls from libobjc's. */
function endOfNameless(stack: readonly ReportFrame[], near: number): number {
  let last = -1;
  let handlers = 0;
  for (let at = 0; at < near; at++) {
    const frame = stack[at];
    const title = titleOf(frame);
    if (/^libc\+\+abi\./.test(title)) {
      if (frame.symbol !== null) return 0;
      last = at;
    } else if (last >= 0) {
      if (at - last > TERMINATE_HANDLERS) break;
    } else if (handlers > 0 && isHandling(stack, at)) {
      at++;
    } else if (!/^lib[Ss]ystem/.test(title)) {
      if (at === 0 || isSystemFrame(frame) || ++handlers > TERMINATE_HANDLERS) break;
    } else if (handlers > 0) break;
  }
  const isAbort = stack.slice(0, Math.max(0, last)).some(({ symbol, image, imageName }) =>
    symbol === "abort" || (symbol === null && /^libsystem_c\./.test(image?.name ?? imageName ?? ""))
  );
  return last >= 0 && isAbort ? last + 1 : 0;
}

/** Whether CoreFoundation's handler of exceptions and libobjc's, without names, stand before the C++ run-time's frames. */
function isHandling(stack: readonly ReportFrame[], at: number): boolean {
  return at + 2 < stack.length &&
    [/CoreFoundation$/, /^libobjc\./, /^libc\+\+abi\./].every((title, index) =>
      stack[at + index].symbol === null && title.test(titleOf(stack[at + index]))
    );
}

/** The row for a return address at the begin of a function: it is of what is before that one, of which rows with `+ 0`
 * tell. */
function rowOfNext({ symbol, offset }: ReportFrame): KnowledgeRow | null {
  if (symbol === null || offset !== 0) return null;
  const row = known("frame", `${symbol} + 0`);
  return row?.key.endsWith(" + 0") === true ? row : null;
}

/** Most frames of terminate handlers between those of the C++ run-time. */
const TERMINATE_HANDLERS = 3;

/** Index of a known function that ends a process, behind frames without names of the same image: they are those that
 * it called, such as a library's own abort; 0 where there is none. */
function endOfFatal(stack: readonly ReportFrame[], first: number): number {
  let nameless: string | null = null;
  for (let at = first; at < stack.length && at < first + HANDLER_DEPTH; at++) {
    const symbol = functionOf(stack[at], stack[at - 1] ?? null);
    const owner = frameOwner(stack[at], symbol);
    if (owner === "system") continue;
    const image = imageOf(stack[at]);
    if (image === null) return 0;
    if (owner === "program") {
      if (symbol !== null) return 0;
      nameless ??= imageTitle(image);
      continue;
    }
    if (nameless === null) continue;
    const row = symbol === null ? null : knownFrame(symbol);
    return row !== null && !silent.has(row.role ?? "") &&
        (row.needs ?? "stop") !== "access" && imageTitle(image) === nameless
      ? at
      : 0;
  }
  return 0;
}

/** Index of `objc_exception_throw` where functions that look at each exception come before it; 0 where it is not
 * there. */
function endOfPreprocessing(stack: readonly ReportFrame[], first: number): number {
  if (stack[first]?.symbol?.startsWith("__exceptionPreprocess") !== true) return 0;
  const near = stack.slice(first, first + HANDLER_DEPTH);
  const at = near.findIndex(({ symbol }) => symbol?.startsWith("objc_exception_throw") === true);
  return at <= 0 ? 0 : first + at;
}

/** Functions that are on the outside of a thread's stack, or that run its events: beyond them no function of
 * the program led to what happened. */
const bases =
  /^(?:_?start|main|_?thread_start|_pthread_(?:start|body|wqthread)|start_wqthread|_?dyld_start|dyldbootstrap::start|clone|__?NSThread__(?:main|start)__|CFRunLoopRun|__CFRunLoopRun|__CFRUNLOOP_IS_|_?CFRunLoopRunSpecific|-\[NS(?:UI)?Application run\]|-\[NSRunLoop\(NSRunLoop\) run|UI(?:NS)?ApplicationMain|-\[UIApplication _run\]|NSApplicationMain|GSEventRun|RunCurrentEventLoop|ReceiveNextEvent|_?BlockUntilNextEvent|_DPSNextEvent|_{1,2}dispatch_(?:client_callout|call_block_and_release|worker_thread|root_queue_drain|main_queue|lane_|queue_|mgr_thread|workloop)|completeTaskWithClosure|_xpc_connection_call|xpc_main)/;

/** Whether a function is on the outside of a thread's stack, or runs its events. */
export function isBase(symbol: string): boolean {
  return bases.test(symbol);
}

/** Functions that run a run loop for whoever calls them, the program or the system. */
const runLoops = /^(?:__?CFRunLoop|CFRunLoopRun|_CFRunLoopRun|-\[NSRunL|mach_msg)/;

/** Whether a stack ends with a run loop, so that the function that runs it was cut off. */
export function isCutLoop(stack: readonly ReportFrame[]): boolean {
  const symbol = stack.length < 3 ? null : stack.at(-1)!.symbol;
  return symbol !== null && runLoops.test(symbol) &&
    stack.some(({ symbol }) => symbol?.startsWith("__CFRunLoopRun") === true);
}

/** Whether frames are left out before a place on a stack, as their numbers show: those that a reporter or a person cut out. */
export function isBehindGap(stack: readonly ReportFrame[], at: number): boolean {
  return at > 0 && at < stack.length && stack[at].index - stack[at - 1].index > 1;
}

/** Whether frames are left out between two places on a stack. */
export function hasGap(
  stack: readonly ReportFrame[],
  from = 0,
  to: number = stack.length - 1,
): boolean {
  for (let at = from + 1; at <= to; at++) if (isBehindGap(stack, at)) return true;
  return false;
}

/** Whether a stack is whole as far as the search for the program's code goes. */
export const reachesBase: (stack: readonly ReportFrame[]) => boolean = once((stack) => {
  const last = stack.at(-1);
  if (last === undefined || isCutLoop(stack)) return false;
  // Without names only the images tell.
  const title = titleOf(last);
  if (/^(?:dyld|libdyld)/.test(title)) return true;
  // It also has the C library, whose function alone has lost its caller.
  if (title.startsWith("libSystem.B") && stack.length > 1) {
    // A copy that ends among its functions, which have names.
    return !stack.every((frame) => titleOf(frame).startsWith("libSystem.B")) ||
      stack.every(({ symbol }) => symbol === null) ||
      stack.some(({ symbol }) => symbol !== null && bases.test(symbol));
  }
  if (title.startsWith("libsystem_pthread")) {
    // Behind a call of the kernel it is what raises a signal or waits.
    const before = imageOf(stack.at(-2) ?? last);
    return before === null || !imageTitle(before).startsWith("libsystem_kernel");
  }
  return stack.some(({ symbol }) => symbol !== null && bases.test(symbol));
});

/** Fewer frames do not fill a stack, but by what one of them has there. */
export const FEW_FRAMES = 40;

/** Whether a stack is whole and has few frames: no recursion filled it. */
export function isShallow(stack: readonly ReportFrame[]): boolean {
  return stack.length > 0 && stack.length < FEW_FRAMES && stack[0].index === 0 &&
    stack.at(-1)!.index < FEW_FRAMES && reachesBase(stack) &&
    stack.every(({ address }) => address > 0n);
}

/** Functions that run a thread's events and call the program's code only as handlers. */
export const eventLoops =
  /^(?:UI(?:NS)?ApplicationMain|NSApplicationMain|-\[NSApplication run\]|CFRunLoopRun(?:InMode|Specific)?|__CFRunLoopRun|GSEventRunModal|xpc_main|dispatch_main|_?NSExtensionMain|RunApplicationEventLoop)$/;

/** Index of the frame of `main` below an event loop: it and what is further out called nothing but the
 * loop; the stack's length when there is none. */
export const entryOf: (stack: readonly ReportFrame[]) => number = once((stack) => {
  // A reporter left only the function that every application begins with.
  if (
    stack.length === 1 && stack[0].symbol === "main" && /\bmain\.mm?$/.test(stack[0].file ?? "")
  ) {
    return 0;
  }
  const broken = brokenAt(stack);
  if (broken !== null) return broken;
  const outer = mainBelowRuntime(stack) ?? stack.length;
  // The loop is on the outside of a stack, so the search begins there.
  if (
    !stack.slice(-6).some(({ symbol }) =>
      symbol !== null && (symbol.includes("ain") || symbol === "start")
    ) && !stack.slice(-1).some(isNameless)
  ) {
    return outer;
  }
  let inLoop = false;
  for (let at = 0; at < outer; at++) {
    const { symbol } = stack[at];
    if (symbol !== null && eventLoops.test(symbol)) inLoop = true;
    else if (inLoop && !isSystemFrame(stack[at])) {
      if (
        symbol === null && stack.slice(at).every((frame) => isLoader(frame) || isNameless(frame))
      ) {
        return at;
      }
      const previous = stack[at - 1].symbol;
      const isMain = symbol !== null && (mains.test(symbol) || /(?:^|\.)\$main\(\)$/.test(symbol));
      if (
        isMain ||
        /^(?:UIApplicationMain|NSApplicationMain|_?NSExtensionMain|xpc_main|dispatch_main)$/.test(
          previous ?? "",
        )
      ) {
        return at;
      }
      // A handler that runs a loop of its own.
      inLoop = false;
    }
  }
  return outer;
});

/** Index of a frame of code that a run-time made, in no image, beyond which a stack is not what it was: it ends in a
 * function of the system that begins no thread. A whole report's stack goes on to where its thread began. */
export const brokenAt: (stack: readonly ReportFrame[]) => number | null = once((stack) => {
  const last = stack.at(-1);
  if (last === undefined || stack.length > WHOLE || last.symbol === null) return null;
  const at = stack.findIndex((frame, at) =>
    at > 0 && frame.symbol === null && imageOf(frame) === null
  );
  return at < 0 || at === stack.length - 1 || reachesBase(stack) || !isSystemFrame(last)
    ? null
    : at;
});

/** Frames of stacks that reports have whole. */
const WHOLE = 256;

/** Index of the frame of a `main` that only called a run-time or framework, as that of Electron does, or an
 * event loop that has no name; `null` for other stacks. */
function mainBelowRuntime(stack: readonly ReportFrame[]): number | null {
  let at = stack.length - 1;
  while (at > 0 && isLoader(stack[at])) at--;
  if (at <= 0 || stack.length - at > 4) return null;
  const { symbol } = stack[at];
  const isMain = symbol === null || mains.test(symbol);
  if (!isMain || frameOwner(stack[at], null) !== "program") return null;
  // Swift has several, each of which calls the next.
  while (at > 1 && mains.test(stack[at - 1].symbol ?? "") && !isSystemFrame(stack[at - 1])) at--;
  // Without names as well, below the function that runs iOS's events.
  const outer = at;
  while (
    symbol === null && outer - at < 2 && at > 2 && isNameless(stack[at - 1]) &&
    titleOf(stack[at - 1]) === titleOf(stack[at]) && runsEvents(stack, at - 1)
  ) at--;
  const caller = stack[at - 1];
  const called = functionOf(caller, stack[at - 2] ?? null);
  if (frameOwner(caller, called) === "runtime") {
    // A check that failed at once is main's own.
    const isOwn = stack.slice(0, at).every((frame, index) => {
      const name = functionOf(frame, stack[index - 1] ?? null);
      return isSystemFrame(frame) && name !== null && knownFrame(name) !== null;
    });
    return isOwn ? null : at;
  }
  // Of a deep stack whose other images are not known it is main(), not what happened.
  if (symbol === null && caller.symbol === null && imageOf(caller) === null && at >= MAIN_DEPTH) {
    return at;
  }
  // Without names only the image tells that it is the event loop.
  const image = caller.symbol === null ? imageOf(caller) : null;
  return image !== null && loopImages.test(imageTitle(image)) ? at : null;
}

/** Whether the frames before an index are, by their images, UIKit's that called the function of GraphicsServices that runs
 * events, and are not more than that takes. */
function runsEvents(stack: readonly ReportFrame[], end: number): boolean {
  const at = stack.slice(0, end).findLastIndex((frame) => titleOf(frame) === "GraphicsServices");
  return at > 0 &&
    stack.slice(at + 1, end).every((frame) =>
      frame.symbol === null && (loopImages.test(titleOf(frame)) || isNameless(frame))
    );
}

/** The program's main function, and what Swift calls from it. */
const mains = /^(?:main|(?:specialized )?static [\w.]{1,200}\.\$?main\(\))$/;
/** From this depth on, the outermost frame of a stack is not taken for what happened. */
const MAIN_DEPTH = 8;
/** Images of the functions that `main` calls to run a program's events. */
const loopImages = /^(?:com\.apple\.)?(?:UIKit|UIKitCore|AppKit|SwiftUI|WatchKit)$/;

/** Whether a frame is of the program and has no name. */
function isNameless(frame: ReportFrame): boolean {
  return frame.symbol === null && !isSystemFrame(frame);
}

function isLoader(frame: ReportFrame): boolean {
  const image = imageOf(frame);
  return image === null || /^(?:dyld|libdyld)/.test(imageTitle(image)) ||
    frame.symbol === "start";
}

/** Bytes that no image has. */
const MAX_IMAGE = 1n << 28n;
/** Further frames of one image of which the first is far away. */
const MIN_NEAR = 3;

/** Whether the innermost frame is at a place that cannot be in the image which it is said to be of: the image's own header, or
 * far from all other frames of it. Its name is that of another function, which did not run: the call went astray, as through
 * a wrong pointer. */
export function isMisplaced(stack: readonly ReportFrame[]): boolean {
  const [frame, ...rest] = stack;
  if (frame === undefined || frame.symbol === null || frame.address === 0n) return false;
  const { address, image, imageName } = frame;
  // Programs are loaded in whole pages.
  if (image !== null ? address !== image.base : (address & 0xfffn) !== 0n) return false;
  const near = rest.filter((other) =>
    other.address !== 0n && other.image === image &&
    (image !== null || (imageName !== null && other.imageName === imageName))
  );
  if (near.length < MIN_NEAR) return false;
  return image !== null || near.every((other) => {
    const far = other.address > address ? other.address - address : address - other.address;
    return far > MAX_IMAGE;
  });
}

/** Looks for the deciding frame and for known functions before it. */
export const readStack: (stack: readonly ReportFrame[]) => StackReading = once(readAnew);

function readAnew(stack: readonly ReportFrame[]): StackReading {
  const rows: { row: KnowledgeRow; index: number }[] = [];
  let deciding = -1;
  let runtime = -1;
  /** After a trampoline come the frames that the signal interrupted. */
  let isInnermost = true;
  /** Image of the nameless frames before, of which the next named one is taken to have called them. */
  let nameless: string | null = null;
  const first = Math.max(interrupted(stack), isMisplaced(stack) ? 1 : 0);
  const end = entryOf(stack);
  const handled = Math.max(
    endOfTermination(stack),
    endOfFatal(stack, first),
    endOfPreprocessing(stack, first),
  );
  for (let index = first; index < end && deciding < 0; index++) {
    const frame = stack[index];
    const symbol = functionOf(frame, stack[index - 1] ?? null);
    const named = frameOwner(frame, symbol);
    const owner = named === "program" && index < handled ? "runtime" : named;
    if (
      owner === "program" && !passesOn(stack, first, index) && !isThunk(stack, index) &&
      !callsScript(stack, first, index)
    ) {
      deciding = index;
    }
    if (
      owner === "runtime" && runtime < 0 && index >= handled && !isSystemFrame(frame) &&
      !isRecorderFrame(frame)
    ) runtime = index;
    if (owner === "program" || (index >= first + SYSTEM_DEPTH && owner === "system")) continue;
    const found = symbol === null
      ? rowOfNext(frame) ??
        (isMallocAbort(stack, index) ? known("frame", "libsystem_malloc without names") : null)
      : /^(?:free|realloc)$/.test(symbol) && isAbort(stack[index - 1])
      ? known("frame", `${symbol} that stops`)
      : /^(?:objc_storeWeak|objc_initWeak|weak_register_no_lock)/.test(symbol) &&
          stack.slice(first, index).some(({ symbol }) => symbol?.startsWith("_objc_fatal") === true)
      ? known("frame", "a weak reference that stops")
      : knownFrame(symbol);
    const row = rows.every(({ row }) => row.meaning !== heapMet) &&
        (found === null || found.meaning === mallocStop) &&
        failsToAllocate(stack, index, first)
      ? known(
        "frame",
        index === first
          ? "libsystem_malloc where it allocates"
          : "libsystem_malloc that stops where it allocates",
      )
      : found;
    const image = imageOf(frame);
    const isTop: boolean = isInnermost &&
      (nameless === null || (image !== null && imageTitle(image) === nameless));
    if (row !== null && (row.role !== "top" || isTop)) rows.push({ row, index });
    if (isInnermost && symbol === null && owner === "system" && frame.symbol !== null) {
      nameless = imageTitle(image!);
      continue;
    }
    nameless = null;
    isInnermost = isTrampoline(frame) ||
      (isTop && (row?.role === "raise" || row?.role === "vague"));
  }
  // Rows deep in a stack that has no code of the program tell nothing of its top.
  const near = deciding < 0 ? rows.filter(({ index }) => index < first + SYSTEM_DEPTH) : rows;
  return { first, handled, deciding: deciding < 0 ? runtime : deciding, rows: near };
}

/** Functions that allocate a block, and free none: libmalloc's, and those that others call it by. */
const allocates =
  /^(?:(?:[a-z]{2,8}_)?_?malloc_zone_(?:malloc|calloc|valloc|memalign)|_{0,2}malloc_type_(?:zone_)?(?:malloc|calloc|valloc|memalign)|_?(?:szone|tiny|small|medium|large|rack|nano|nanov2|legacy|default_zone|default|xzm|xzm_xzone|purgeable|zone)_(?:malloc|calloc|memalign|allocate))(?:_|\.|\(|$)|^_?(?:malloc|calloc|valloc|memalign|posix_memalign|aligned_alloc)(?:\(|$)/;

/** Functions of other libraries that ask malloc for a new block, and free none. */
const asks =
  /^(?:operator new|_CFRuntimeCreateInstance|_{0,2}CFAllocatorAllocate|_objc_rootAlloc(?:WithZone)?|_?class_createInstance|objc_alloc|swift_(?:slowAlloc|allocObject)|_Block_copy|strdup)\b/;

/** Whether a frame is malloc's where that found an error or failed, and what it was called for was to allocate: it met a heap
 * that was damaged before, and was passed no pointer that could be wrong. */
function failsToAllocate(stack: readonly ReportFrame[], index: number, first: number): boolean {
  const isMallocs = (at: number): boolean => titleOf(stack[at]) === "libsystem_malloc.dylib";
  if (!isMallocs(index)) return false;
  // Further in it only stopped.
  const stops = stack.slice(first, index).some(({ symbol }) =>
    symbol !== null && /^_{0,2}abort\b|^malloc_(?:v?report|error_break)/.test(symbol)
  );
  if (index > first && !stops) return false;
  let outer = index;
  while (outer + 1 < stack.length && isMallocs(outer + 1)) outer++;
  const names = stack.slice(index, outer + 1).map(({ symbol }) => symbol ?? "");
  if (names.some((name) => /free(?!_?list)|realloc/.test(name))) return false;
  const caller = stack[outer + 1]?.symbol ?? "";
  return names.some((name) => allocates.test(name)) ||
    (stack[outer].symbol === null && asks.test(caller));
}

/** Whether a frame is malloc's, without a name, and called abort(), which may have none either. */
function isMallocAbort(stack: readonly ReportFrame[], index: number): boolean {
  if (titleOf(stack[index]) !== "libsystem_malloc.dylib") return false;
  if (isAbort(stack[index - 1])) return true;
  return index > 1 && index < HANDLER_DEPTH && titleOf(stack[index - 1]) === "libsystem_c.dylib" &&
    stack.slice(0, index).every((frame) =>
      frame.symbol === null && /^libsystem_(?:kernel|pthread|c)\.dylib$/.test(titleOf(frame))
    );
}

/** Whether a frame is the C library's abort(). */
function isAbort(frame: ReportFrame | undefined): boolean {
  return /^_{0,2}abort$/.test(frame?.symbol ?? "");
}

/** The deciding frame of a stack, where its image is one of `mine`.
 *
 * @param repeats which frames filled a stack that overflowed; `null` for other stacks
 */
export function ownFrame(
  stack: readonly ReportFrame[],
  mine: (image: ReportImage) => boolean,
  repeats: ((frame: ReportFrame) => boolean) | null = null,
): ReportFrame | null {
  const { first, deciding } = readStack(stack);
  const isMine = (frame: ReportFrame): boolean => {
    const image = imageOf(frame);
    return image !== null && mine(image as ReportImage);
  };
  const recursing = repeats === null
    ? undefined
    : stack.find((frame, at) =>
      at >= first && repeats(frame) && isMine(frame) && frameOwner(frame, null) === "program" &&
      !passesOn(stack, first, at)
    );
  if (recursing !== undefined) return recursing;
  if (deciding >= 0 && isMine(stack[deciding])) return stack[deciding];
  return stack.slice(0, entryOf(stack)).find((frame, at) =>
    isMine(frame) && !passesOn(stack, first, at)
  ) ?? null;
}

export function frameTitle(frame: ReportFrame): string {
  const image = imageOf(frame);
  // Of an image that only its UUID names, the place is counted from its begin.
  if (frame.symbol === null && frame.address === 0n && frame.offset !== null && image !== null) {
    return `${imageTitle(image)} + ${frame.offset}`;
  }
  // A copy has no address of it.
  if (frame.symbol === null && frame.address === 0n && image !== null) return imageTitle(image);
  const name = frame.symbol === null || isNearest(frame)
    ? `0x${frame.address.toString(16)}`
    : demangle(frame.symbol).replace(/\+ \d{1,12} (?=\()/, "")
      .replace(/ ?\(?\.cold\.\d{1,3}\)?$/, "");
  return `${name}${image === null ? "" : ` (${imageTitle(image)})`}`;
}
