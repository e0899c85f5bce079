/** The shape of the knowledge table. */

/** What a row is looked up by.
 *
 * - `exception`: name of a Mach exception
 * - `signal`: name of a signal
 * - `subtype`: first word of a subtype, such as `KERN_INVALID_ADDRESS`
 * - `namespace`: namespace of a termination
 * - `termination`: `NAMESPACE:code`; `*:code` for any namespace
 * - `frame`: function name; with a star at its end, a prefix of one
 * - `message`: words of a message that a library left for the report
 * - `library`: file name of a language run-time; with a star at its end, a prefix of one
 * - `report`: Apple's number of a kind of report
 * - `event`: `Event:` of a resource report, in lower case
 * - `jetsam`: reason of a process in a JetsamEvent report
 * - `panic`: words of a kernel panic's message
 * - `wait`: function in which a thread waits; `by ` stands before one that says what a system call below it waits for,
 *   `for ` before one that waits for something of its own, whatever functions it calls
 * - `guard`: value of a guard, in hexadecimal
 * - `address`: class of a faulting address
 * - `occasion`: function of the system that calls the program's code at a known time
 * - `triage`: words of a line of `Kernel Triage`
 * - `trap`: number of a `brk` instruction, in hexadecimal; `0xc471 in WebKit` for what it is in those images
 * - `watchdog`: words of a watchdog's reason that name what it waited for
 * - `origin`: function of the system that runs a thread's work, whatever it is
 * - `vendor`: name of a function of others' code that is linked into programs; `[` stands before a class
 * - `sdk`: file name of a library of others that programs bring along; with a star at its end, a prefix of one
 * - `script`: function of an interpreter that evaluates a script
 */
export type KnowledgeKind =
  | "exception"
  | "signal"
  | "subtype"
  | "namespace"
  | "termination"
  | "frame"
  | "message"
  | "library"
  | "report"
  | "event"
  | "jetsam"
  | "panic"
  | "wait"
  | "guard"
  | "address"
  | "occasion"
  | "triage"
  | "trap"
  | "watchdog"
  | "origin"
  | "vendor"
  | "sdk"
  | "script";

/** The part that a function plays on a crashed stack.
 *
 * - `top`: tells something only as the innermost frame
 * - `raise`: raises a signal or an exception, or leads there; tells nothing itself
 * - `vague`: like `raise`, but says something when no other row does
 * - `wrap`: stands in for another function, to watch it, and calls it
 * - `part`: belongs to a run-time or framework that is compiled into the program; tells nothing itself
 */
export type FrameRole = "top" | "raise" | "vague" | "wrap" | "part";

/** What must have ended the process for a function on its stack to tell why.
 *
 * - `access`: an access to memory, or a trap
 * - `stop`: the process itself, by a trap or a signal that it raised
 * - `raise`: an exception of a language that the function raised; without one it may just have been called
 * - `null`: an access to null, by which the function crashes itself on purpose
 * - `any`: anything
 */
export type FrameNeed = "access" | "stop" | "raise" | "null" | "any";

/** What a thread waits for.
 *
 * - `event`: the next event, message or piece of work; it has nothing to do
 * - `mutex`, `rwlock`, `lock`: a lock; the last is one of those that `os_unfair_lock` and libdispatch are made of
 * - `condition`, `semaphore`, `join`: what another thread of the process does
 * - `reply`: an answer of another process or of the kernel
 * - `queue`: what another thread does: a dispatch queue, group or block, or something that is done once
 * - `files`: a call of the file system, which may as well work as wait
 * - `other`: a read, a socket, a sleep
 * - `unknown`: what the stack does not tell
 */
export type WaitReason =
  | "event"
  | "mutex"
  | "rwlock"
  | "lock"
  | "condition"
  | "semaphore"
  | "join"
  | "queue"
  | "files"
  | "reply"
  | "other"
  | "unknown";

/** Whose backtrace a panic has that does not show what failed.
 *
 * - `report`: of the code that told of it, or asked for the panic
 * - `moment`: of what just ran
 * - `finder`: of what came upon it later
 * - `waiter`: of what waited for it
 */
export type PanicBacktrace = "report" | "moment" | "finder" | "waiter";

/** The instruction sets that reports are of. */
export type CpuFamily = "arm" | "intel" | "powerpc";

/** One piece of knowledge. */
export interface KnowledgeRow {
  /** What {@linkcode KnowledgeRow.key} is. */
  readonly kind: KnowledgeKind;
  /** What the row is looked up by. */
  readonly key: string;
  /** Its meaning, in a sentence; empty for functions that only raise something. */
  readonly meaning: string;
  /** Usual causes, the most likely first. */
  readonly causes: readonly string[];
  /** Whether the meaning is the cause: there are no others then, and what other rows have is not why. */
  readonly isCause?: true;
  /** What to do first; empty when another row says it. */
  readonly next: string;
  /** Where it is documented. */
  readonly source: string;
  /** The part that a function plays; absent where its presence tells what happened. */
  readonly role?: FrameRole;
  /** What must have ended the process; absent means `stop` for a function without a role, else `any`. */
  readonly needs?: FrameNeed;
  /** Whether what it tells of is that the program was not started: none of its code ran. */
  readonly neverRan?: true;
  /** Whether what it tells of is how the program was built, installed or started, or what settings it has, such as a service's
   * keys, and not what its code did. */
  readonly isOfSetup?: true | "settings";
  /** Whether the function met what came of earlier calls, not of the one that it is in. */
  readonly isLater?: true;
  /** What a thread waits for in the function; of the kind `wait`. */
  readonly waitReason?: WaitReason;
  /** The run-time or program whose signal handler calls the function. */
  readonly signalHandlerOf?: string;
  /** The framework that the function is of, which is linked into programs. */
  readonly framework?: string;
  /** Whether the function is of a crash reporter in the process. */
  readonly crashReporter?: true;
  /** What the backtrace of such a panic is, where it is not that of what failed. */
  readonly backtrace?: PanicBacktrace;
  /** Whether managed code, whose own functions may have no names, calls the function, or the library, to throw. */
  readonly throwsManaged?: true;
  /** Whether the function, or what runs on the queue, raises an error again that it caught before. */
  readonly raisesAgain?: true;
  /** The instruction set that the row is limited to. */
  readonly cpu?: CpuFamily;
}

/** Whose the code is, where its names are documented, and the names, with a star at the end of prefixes. Of a toolkit's classes
 * also what all of them begin with. */
export type Names = readonly (readonly [
  whose: string,
  source: string,
  names: string,
  begin?: string,
])[];
