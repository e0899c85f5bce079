/** What is idle: by stacks that people reported, with what they said of them. */
import { assertEquals } from "@std/assert";
import { blockingFunctions, idleFunctions, waitingIn } from "../../../lib/hang/mod.ts";
import type { ReportFrame } from "../../../lib/report/mod.ts";

/** Frames by function, and image where it is not the system's. */
function stack(...functions: string[]): ReportFrame[] {
  return functions.map((text, index): ReportFrame => {
    const [symbol, image = "/usr/lib/system/libsystem_kernel.dylib"] = text.split(" in ");
    return {
      index,
      address: 0x1000n,
      image: {
        ...{ name: image.split("/").at(-1)!, path: image, uuid: null, arch: null, version: null },
        ...{ base: 0n, size: 0x10000n, identifier: null, marked: false },
      },
      imageName: null,
      symbol: symbol === "?" ? null : symbol,
      offset: 8,
      file: null,
      line: null,
      column: null,
      inlined: false,
      span: null,
    };
  });
}

const app = "in /Applications/MyApp.app/Contents/MacOS/MyApp";
const runLoop = [
  "__CFRunLoopServiceMachPort",
  "__CFRunLoopRun",
  "CFRunLoopRunSpecific",
  "RunCurrentEventLoopInMode",
  "ReceiveNextEventCommon",
  "_BlockUntilNextEventMatchingListInModeWithFilter",
  "_DPSNextEvent",
  "-[NSApplication run]",
];
const libc = "in /usr/lib/x86_64-linux-gnu/libc.so.6";

/** Where each comes from: a project's issue on GitHub, or a program's source. */
const cases: readonly (readonly [source: string, isIdle: boolean, frames: readonly string[]])[] = [
  ["maxgoedjen/secretive 283", true, ["mach_msg_trap", "mach_msg", ...runLoop]],
  ["shorepine/tulipcc 212", true, ["mach_msg2_trap", "mach_msg_overwrite", "mach_msg", ...runLoop]],
  ["mach_msg of macOS 13", true, [
    ...["mach_msg2_trap", "mach_msg2_internal", "mach_msg_overwrite", "mach_msg", ...runLoop],
  ]],
  ["selfcontrol 77", true, ["mach_msg_trap", "__CFRunLoopServiceMachPort"]],
  ["libdispatch's worker", true, ["__workq_kernreturn", "start_wqthread"]],
  ["racket 4903", true, ["kevent", `rktio_ltps_poll ${app}`]],
  ["cmux 10232, its renderers", true, ["kevent64", `? ${app}`]],
  ["libdispatch's manager", true, ["kevent_qos", "_dispatch_kq_poll", "_dispatch_mgr_invoke"]],
  // Of work loops it asks the kernel without waiting, or for the queue: event_kevent.c, _dispatch_kq_poll.
  ["libdispatch's call about a queue", false, ["kevent_id", "_dispatch_event_loop_poke"]],
  ["cmux 10232, its main thread", false, [
    "__ulock_wait2",
    `? ${app}`,
    `processRemoteOutput ${app}`,
  ]],
  ["apptentive-ios 194", false, [
    ...["__psynch_mutexwait", "_pthread_mutex_lock_wait", "_pthread_mutex_lock_slow"],
    ...["objc_sync_enter", `-[Backend engage:] ${app}`],
  ]],
  ["CocoaLumberjack 1040", false, [
    ...["__ulock_wait", "_dispatch_ulock_wait", "_dispatch_thread_event_wait_slow"],
    ...["_dispatch_barrier_sync_f_slow", `-[DDLog queueLogMessage:asynchronously:] ${app}`],
  ]],
  ["a message and its reply, called from the run loop", false, [
    ...["mach_msg2_trap", "mach_msg2_internal", "mach_msg_overwrite", "mach_msg"],
    ...["_dispatch_mach_send_and_wait_for_reply", "xpc_connection_send_message_with_reply_sync"],
    ...[`ask ${app}`, "__CFRunLoopDoSource0", "__CFRunLoopRun"],
  ]],
  ["a sleep", false, ["__semwait_signal", "nanosleep", "usleep", `work ${app}`]],
  ["a semaphore", false, ["semaphore_wait_trap", "_dispatch_semaphore_wait_slow", `work ${app}`]],
  ["a file", false, ["read", `load ${app}`]],
  ["computing", false, [`work ${app}`, `main ${app}`]],
  ["computing in a callout of the run loop", false, [
    ...[`work ${app}`, "__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__", "__CFRunLoopDoBlocks"],
    ...["__CFRunLoopRun", "CFRunLoopRunSpecific"],
  ]],
  ["GLib's main loop", true, [
    `__poll ${libc}`,
    "g_main_context_iterate in /usr/lib/libglib-2.0.so.0",
  ]],
  ["libuv's", true, [`epoll_pwait ${libc}`, "uv__io_poll in /usr/bin/node"]],
  ["bash at its prompt", true, [
    ...[`__pselect ${libc}`, "_rl_timeout_select in /usr/bin/bash", "rl_getc in /usr/bin/bash"],
  ]],
  ["readline without select", true, [`read ${libc}`, "rl_getc in /usr/bin/bash"]],
  ["Go without work", true, ["runtime.futex in /opt/app", "runtime.mPark in /opt/app"]],
  ["glibc's mutex", false, [
    `__lll_lock_wait ${libc}`,
    `pthread_mutex_lock ${libc}`,
    `take ${app}`,
  ]],
  // A worker's thread looks for work; frames as gdb named them.
  ["golang/go 55120", true, [
    ...["runtime.epollwait in /opt/app", "runtime.netpoll in /opt/app"],
    ...["runtime.findrunnable in /opt/app", "runtime.schedule in /opt/app"],
  ]],
  ["golang/go 10546, its idle goroutine 0", true, [
    ...["runtime.futex in /opt/app", "runtime.futexsleep in /opt/app"],
    ...["runtime.notesleep in /opt/app", "runtime.stopm in /opt/app"],
  ]],
  ["vfaronov/gunison 5: its window locks up", false, [
    ...[`__GI___poll ${libc}`, "? in /lib/x86_64-linux-gnu/libxcb.so.1"],
    ...["? in /lib/x86_64-linux-gnu/libxcb.so.1"],
    ...["xcb_wait_for_reply64 in /lib/x86_64-linux-gnu/libxcb.so.1"],
    ...[
      "_XReply in /lib/x86_64-linux-gnu/libX11.so.6",
      "XSync in /lib/x86_64-linux-gnu/libX11.so.6",
    ],
  ]],
  ["pychess 726: it freezes", false, [
    ...[`__GI___poll ${libc}`, "? in /lib64/libxcb.so.1", "? in /lib64/libxcb.so.1"],
    ...["xcb_wait_for_reply in /lib64/libxcb.so.1", "_XReply in /lib64/libX11.so.6"],
    ...["XTranslateCoordinates in /lib64/libX11.so.6", "? in /lib64/libgdk-x11-2.0.so.0"],
  ]],
  ["aws/amazon-redshift-odbc-driver 49: it hangs", false, [
    ...["GI_poll in /lib64/libc.so.6", "pqSocketCheck.part.2 in /opt/librsodbc64.so"],
    ...["pqWaitTimed in /opt/librsodbc64.so", "_pqGetResultLoopOnThread in /opt/librsodbc64.so"],
  ]],
  ["tkashkin/GameHub 310: a name is looked up", false, [
    ...["poll in /usr/lib/libc.so.6", "? in /usr/lib/libresolv.so.2"],
    ...["__res_context_query in /usr/lib/libresolv.so.2", "? in /usr/lib/libresolv.so.2"],
    ...["__res_context_search in /usr/lib/libresolv.so.2"],
  ]],
  ["a condition variable", false, [`__futex_abstimed_wait_common64 ${libc}`, `wait_done ${app}`]],
];

Deno.test("idle or not: stacks that people reported", () => {
  const wrong = cases.filter(([, isIdle, frames]) => waitingIn(stack(...frames)).isIdle !== isIdle);
  assertEquals(wrong.map(([source]) => source), []);
});

Deno.test("each function that waits has a source; a function of one's own is added", () => {
  const rows = [...idleFunctions, ...blockingFunctions];
  assertEquals(rows.filter(({ name, source }) => name === "" || source === ""), []);
  const frames = stack("__psynch_cvwait", `Game::waitForFrame ${app}`);
  assertEquals(waitingIn(frames).isIdle, false);
  assertEquals(waitingIn(frames, new Set(["Game::waitForFrame"])).isIdle, true);
});
