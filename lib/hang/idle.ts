/** Tells a thread that waits for work, as in a run loop, from one that is stuck. */
import { isIdle, type ReportFrame, waitOf } from "../report/hung.ts";
import type { Frame, Thread } from "../target/mod.ts";

/** A function whose name says what is waited for, whatever system call it waits in. */
interface WaitingFunction {
  readonly name: string;
  readonly source: string;
}

/** Functions that do nothing but wait for work, or for somebody to type. They are looked for among the innermost
 * frames of a thread that does not run, before the waits of `lib/report/knowledge/`. No function that calls others
 * back belongs here. */
export const idleFunctions: readonly WaitingFunction[] = [
  { name: "rl_getc", source: "GNU readline, input.c: waits for a key" },
  { name: "rl_read_key", source: "GNU readline, input.c: waits for a key" },
  { name: "runtime.mPark", source: "Go, runtime/proc.go: a thread without work" },
  { name: "runtime.stopm", source: "Go, runtime/proc.go: a thread without work" },
  {
    name: "runtime.findRunnable",
    source: "Go 1.19, runtime/proc.go: a thread that looks for work",
  },
  { name: "runtime.findrunnable", source: "Go before 1.19, runtime/proc.go: the same" },
  { name: "CallJavaMainInNewThread", source: "OpenJDK, java_md.c: waits for the thread of main" },
];

/** Functions that wait in `poll` and its like, as event loops do, and do nothing else meanwhile: that is no idling. */
export const blockingFunctions: readonly (WaitingFunction & { readonly on: string })[] = [
  { name: "xcb_wait_for_reply", on: "a reply of the X server", source: "libxcb, xcb_in.c" },
  { name: "xcb_wait_for_reply64", on: "a reply of the X server", source: "libxcb, xcb_in.c" },
  {
    name: "wl_display_roundtrip_queue",
    on: "a reply of the compositor",
    source: "libwayland, wayland-client.c",
  },
  {
    name: "dbus_connection_send_with_reply_and_block",
    on: "a reply over D-Bus",
    source: "libdbus, dbus-connection.c",
  },
  {
    name: "dbus_pending_call_block",
    on: "a reply over D-Bus",
    source: "libdbus, dbus-pending-call.c",
  },
  {
    name: "g_dbus_connection_send_message_with_reply_sync",
    on: "a reply over D-Bus",
    source: "GIO, gdbusconnection.c: runs a loop of its own",
  },
  { name: "PQgetResult", on: "a reply of PostgreSQL", source: "libpq, fe-exec.c" },
  { name: "pqWaitTimed", on: "a reply of PostgreSQL", source: "libpq, fe-misc.c" },
  { name: "ProcSleep", on: "a lock of the database", source: "PostgreSQL, proc.c" },
  { name: "vio_io_wait", on: "a reply of MySQL", source: "MySQL's client, viosocket.cc" },
  { name: "curl_easy_perform", on: "a transfer", source: "libcurl, easy.c" },
  { name: "__res_context_send", on: "a reply of a name server", source: "glibc, res_send.c" },
  { name: "__res_context_query", on: "a reply of a name server", source: "glibc, res_query.c" },
  { name: "getaddrinfo", on: "the address of a host", source: "glibc, getaddrinfo.c" },
];

const idleNames: ReadonlySet<string> = new Set(idleFunctions.map(({ name }) => name));
const blocking: ReadonlyMap<string, string> = new Map(
  blockingFunctions.map(({ name, on }) => [name, on]),
);

/** Frames that are looked at: deeper ones say whose work it is, not what it waits in. */
const DEPTH = 12;

/** The frames of a report, as far as waits need them. Lines are not read: that takes debug information. */
function waitFrames(frames: readonly Frame[]): ReportFrame[] {
  return frames.map(({ address, image, symbol, offset }, index): ReportFrame => ({
    index,
    address,
    image: image === null ? null : {
      name: image.name,
      path: image.path === "" ? null : image.path,
      uuid: image.uuid,
      arch: null,
      base: image.loadAddress,
      size: 0n,
      version: null,
      identifier: null,
      marked: false,
    },
    imageName: image?.name ?? null,
    symbol: symbol === null ? null : plainName(symbol.name),
    offset,
    file: null,
    line: null,
    column: null,
    inlined: false,
    span: null,
  }));
}

/** A symbol without its version, without what glibc's own callers call it by, and without Go's mark of assembly. */
function plainName(name: string): string {
  return name.replace(/@.*$/, "").replace(/^__GI_(?=.)/, "").replace(
    /(?<=^runtime\..*)\.abi0$/,
    "",
  );
}

/** What a thread waits in. */
export interface Waiting {
  /** In words, such as `waiting for an event`; `null` when it runs, or that is not known. */
  readonly what: string | null;
  /** Whether it has nothing to do. */
  readonly isIdle: boolean;
}

/** Tells what a thread waits in, from its innermost frames.
 *
 * @param frames innermost first
 * @param own functions of the program that only wait for work
 */
export function waitingIn(
  frames: readonly ReportFrame[],
  own: ReadonlySet<string> = idleNames,
): Waiting {
  const near = frames.slice(0, DEPTH);
  const waits = ({ symbol }: ReportFrame) =>
    symbol !== null && (idleNames.has(symbol) || own.has(symbol));
  if (near.some(waits)) return { what: "waiting for work", isIdle: true };
  const row = waitOf(near);
  const blocks = near.find(({ symbol }) => symbol !== null && blocking.has(symbol));
  if (blocks !== undefined && (row === null || isIdle(row))) {
    return { what: `blocked on ${blocking.get(blocks.symbol!)}`, isIdle: false };
  }
  return { what: row?.meaning ?? null, isIdle: isIdle(row) };
}

/** What a captured thread waits in. */
export function waitingOf(thread: Thread, own?: ReadonlySet<string>): Waiting {
  if (thread.state === "running") return { what: null, isIdle: false };
  return waitingIn(waitFrames(thread.backtrace({ limit: DEPTH }).activations), own);
}

/** Whether a thread is in a function that waits, whatever its state: one that was woken is there until it goes on. */
export function isInWait(thread: Thread): boolean {
  return waitingIn(waitFrames(thread.backtrace({ limit: DEPTH }).activations)).what !== null;
}
