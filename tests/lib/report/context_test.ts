/** What decides besides the innermost function: where it was called from, what it was passed, what was measured. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { attributeReport, explainReport, readReport } from "../../../lib/report/mod.ts";
import { frameLines, told } from "./fixtures.ts";

function crash(header: string, frames: readonly string[], rest = ""): string {
  return `${header}\n\nThread 0 Crashed:\n${frameLines(frames, 0x7000).join("\n")}\n${rest}`;
}

const access = (address: string): string =>
  `Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at ${address}`;
const abort = "Exception Type: EXC_CRASH (SIGABRT)";
const loop = ["UIKitCore UIApplicationMain + 100", "MyApp main + 80", "dyld start + 4"];

Deno.test("a watchdog: whether the process waited or worked; a task in the background", () => {
  const watched = (cpu: string, kind = "real (wall clock)", percent = 2) =>
    told(
      "Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace SPRINGBOARD, Code 0x8badf00d\n" +
        `Termination Description: SPRINGBOARD, scene-create watchdog transgression: a exhausted ${kind} time ` +
        `allowance of 20.00 seconds | "Elapsed application CPU time (seconds): ${cpu}, ${percent}% CPU"\n`,
    ).what;
  assertStringIncludes(
    watched("0.404"),
    "Of the 20.00 s that were allowed it computed for 0.404 s: it mostly waited.",
  );
  assertStringIncludes(watched("19.1", undefined, 48), "it worked, by one thread or by several");
  // What cannot be of the time that was allowed is not compared with it.
  for (const longer of [watched("46.9", undefined, 9), watched("19.1", undefined, 3)]) {
    assertStringIncludes(longer, "does not say what its main thread did in the 20.00 s");
    assert(!longer.includes("it worked"), longer);
  }
  assertStringIncludes(watched("19.1", "CPU"), "the 20.00 s of CPU time");
  assertStringIncludes(watched("0.404"), "while it made a scene, as at its launch");
  // What the whole system used decides whether an app that computed little waited.
  const old = (total: number) =>
    told(
      "Exception Type: 00000020\nException Codes: 0x8badf00d\n\nApplication Specific Information:\n" +
        "myapp failed to resume in time\n\n" +
        `Elapsed total CPU time (seconds): 19.0 (user 19.0, system 0.0), ${total}% CPU\n` +
        "Elapsed application CPU time (seconds): 0.038, 0% CPU\n",
    ).what;
  assertStringIncludes(old(20), "(0% CPU): it mostly waited.");
  assertStringIncludes(old(95), "it waited, or got no CPU");
  // What it computed may be another thread's work.
  const waiting = told(crash(
    "Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace SPRINGBOARD, Code 0x8badf00d\n" +
      "Termination Description: SPRINGBOARD, scene-create watchdog transgression: a exhausted real (wall clock) time " +
      'allowance of 20.00 seconds | "Elapsed application CPU time (seconds): 19.100, 48% CPU"\n',
    ["libsystem_kernel.dylib __psynch_cvwait + 8", "MyApp -[Cart load] + 40", ...loop],
  )).what;
  assertStringIncludes(waiting, "it worked, though its main thread waited at that moment");
});

Deno.test("a lock by the function that takes it, whatever it waits by; one that a handler of a signal wants", () => {
  const slow =
    "Exception Type:  00000020\nException Codes: 0x8badf00d\n\nApplication Specific Information:\nmyapp failed to launch in time\n";
  const engine = told(crash(slow, [
    "libsystem_kernel.dylib __psynch_cvwait + 8",
    "libsystem_pthread.dylib _pthread_cond_wait + 636",
    "JavaScriptCore WTF::ThreadCondition::timedWait(WTF::Mutex&, WTF::WallTime) + 80",
    "JavaScriptCore WTF::LockAlgorithm<unsigned char, (unsigned char)1, (unsigned char)2>::lockSlow(WTF::Atomic<unsigned char>&) + 320",
    "JavaScriptCore JSC::JSLock::lock+ 9735308 (long) + 172",
    "JavaScriptCore JSObjectGetProperty + 68",
    "MyApp -[Cart load] + 40",
    ...loop,
  ]));
  assertStringIncludes(engine.what, "It waited for JavaScriptCore's lock");
  assertStringIncludes(engine.causes, "another thread holds the lock");
  // Where no thread works, nobody may hold it any more.
  const locked = (other: string) =>
    told(
      crash(slow, [
        "libsystem_kernel.dylib __psynch_mutexwait + 8",
        "libsystem_pthread.dylib pthread_mutex_lock + 636",
        "Foundation -[NSRecursiveLock lock] + 8",
        "MyApp -[Cart load] + 40",
        ...loop,
      ]) +
        `\nThread 1:\n0   ${other}\n1   libsystem_pthread.dylib 0x00000001b0001000 thread_start + 8\n`,
    ).causes;
  const idle = locked("libsystem_kernel.dylib 0x00000001b0000000 __semwait_signal + 24");
  assertStringIncludes(idle, "the lock was left locked");
  const works = locked("MyApp 0x00000001b0000000 -[Cart sum] + 24");
  assertStringIncludes(works, "another thread holds the lock");
  assert(!works.includes("left locked"), works);
  const waiting = told(crash(slow, [
    "libsystem_kernel.dylib __psynch_cvwait + 8",
    "libsystem_pthread.dylib _pthread_cond_wait + 636",
    "JavaScriptCore JSC::Heap::waitForCollector() + 80",
    "JavaScriptCore JSC::JSLock::didAcquireLock() + 80",
    "JavaScriptCore JSC::JSLock::lock(long) + 172",
    "MyApp -[Cart load] + 40",
    ...loop,
  ]));
  assert(!waiting.what.includes("It waited for JavaScriptCore's lock"), waiting.what);
  const inner = [
    "libsystem_kernel.dylib 0x355c4000 + 69848",
    "libsystem_c.dylib 0x37498000 + 11332",
    "MyApp mono_loader_lock (loader.c:2129)",
  ];
  const own = told(crash(slow, [
    ...inner,
    "MyApp mini_lookup_thing (mini-exceptions.c:1035)",
    "MyApp mono_debugger_agent_thread_interrupt (debugger-agent.c:2300)",
    "MyApp sigusr1_signal_handler (mini-posix.c:235)",
    "libsystem_c.dylib 0x37498000 + 361778",
    "libsystem_c.dylib 0x37498000 + 11332",
    "MyApp mono_loader_lock (loader.c:2129)",
    "MyApp mono_class_get (class.c:6815)",
    "MyApp load_thing (aot-runtime.c:2588)",
    "MyApp Cart_Load (MyApp.exe.6.s:12)",
    ...loop,
  ]));
  assertStringIncludes(own.what, "blocked on a lock");
  assertStringIncludes(
    own.what,
    "in the handler of a signal (sigusr1_signal_handler), which had interrupted mono_class_get",
  );
  assertStringIncludes(own.causes, "Mono's debugger");
  assertEquals(own.whose.slice(0, 1), ["program"]);
  // A thread that asks for an unfair lock again is ended, and does not wait for itself.
  const again = (symbol: string) =>
    told(crash(slow, [
      "libsystem_kernel.dylib __ulock_wait + 8",
      symbol,
      "MyApp -[Cart load] + 40",
      ...loop,
    ])).causes;
  assertStringIncludes(again("Foundation -[NSLock lock] + 8"), "another thread holds the lock");
  assertStringIncludes(again("Foundation -[NSLock lock] + 8"), "waits for itself");
  const unfair = again("libsystem_platform.dylib _os_unfair_lock_lock_slow + 8");
  assertStringIncludes(unfair, "another thread holds the lock");
  assert(!unfair.includes("waits for itself"), unfair);
  const busy = told(crash(slow, [inner[2], "MyApp Cart_Load (MyApp.exe.6.s:12)", ...loop]));
  assert(!busy.what.includes("blocked on a lock"), busy.what);
});

Deno.test("a frame far from its image's others is misnamed, and a crash is told by its title alone", () => {
  const text = (address: string) =>
    told(
      "Crashed: com.apple.main-thread\n" +
        `0  Oven        ${address} selector(void*) (.cold.1) + 656 (oven.cpp:656)\n` +
        "1  Oven        0xfaabb4 bakery::Callback::Run() + 196\n" +
        "2  Oven        0xfcaeb4 bakery::Entry::Execute() + 144\n" +
        "3  Oven        0xfc8694 bakery::Dispatcher::Dispatch() + 116\n" +
        "4  Oven        0xfc85dc bakery::Poll() + 68\n",
    );
  const wrong = text("0x102000000");
  assertStringIncludes(wrong.what, "crashed; by what is not in this part of the report");
  assertStringIncludes(wrong.what, "Frame 0 is at 0x102000000");
  assertStringIncludes(wrong.what, "bakery::Callback::Run called through a pointer");
  assert(!text("0xfa0000").what.includes("misnamed"));
  assert(!text("0xfa0000").what.includes("Frame 0 is at"), text("0xfa0000").what);
});

Deno.test("the module that Swift's fatal message names by its file", () => {
  const whose = (message: string) =>
    attributeReport(readReport(
      `${message}\n* thread #4, queue = 'q', stop reason = ${message}\n` +
        "    frame #0: 0x00000001b537e040 libswiftCore.dylib`_swift_runtime_on_report\n",
      "x",
    ));
  for (
    const text of [
      "Fatal error: Unexpectedly found nil while unwrapping an Optional value: file oven_plugin/Loaf.swift, line 9",
      "oven_plugin/Loaf.swift:9: Fatal error: Unexpectedly found nil while unwrapping an Optional value",
    ]
  ) {
    const { absent, library } = whose(text);
    assertEquals([absent, library], ["module", "oven_plugin"]);
  }
  assert(whose("Swift/Array.swift:9: Fatal error: Index out of range").absent !== "module");
});

Deno.test("a heaviest stack of UUIDs that ends with what starts the thread", () => {
  const { what } = told(
    "Command:          Shop\nPath:             /private/var/containers/Bundle/Application/A/Shop.app/Shop\n" +
      "Event:            cpu usage\nAction taken:     Process killed\nSteps:            22\n\n" +
      "Heaviest stack for the target process:\n  15  ??? (libsystem_pthread.dylib + 14340) [0x1d0923804]\n" +
      "  15  ??? (<BC567159-0000-34E3-991D-000000000001> + 108100)\n",
  );
  assertStringIncludes(
    what,
    "called <BC567159-0000-34E3-991D-000000000001> + 108100 in 15 of 22 samples",
  );
  assertStringIncludes(what, "The copy ends within its call tree");
});

Deno.test("a watchdog: the thread that most likely waits for the main thread", () => {
  const watched = (frames: readonly string[], other: readonly string[]) =>
    told(
      crash(
        "Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace SPRINGBOARD, Code 0x8badf00d\n" +
          "Termination Description: SPRINGBOARD, scene-update watchdog transgression: a exhausted real (wall clock) time " +
          'allowance of 10.00 seconds | "Elapsed application CPU time (seconds): 0.300, 1% CPU"\n',
        frames,
      ) + `\nThread 1 name:  painter\nThread 1:\n${
        other.map((frame, at) => {
          const [image, ...rest] = frame.split(" ");
          return `${at}   ${image}    0x00000001b000${at}000 ${rest.join(" ")}\n`;
        }).join("")
      }`,
    );
  const releasing = [
    "libsystem_kernel.dylib __psynch_cvwait + 8",
    "libsystem_pthread.dylib _pthread_cond_wait + 1232",
    "QuartzCore -[CADisplayLink invalidate] + 92",
    "SceneKit -[SCNDisplayLink invalidate] + 64",
    "SceneKit -[SCNView dealloc] + 116",
    "MyApp -[Cart load] + 40",
    ...loop,
  ];
  const callback = (type: string): string[] => [
    "libsystem_kernel.dylib __psynch_mutexwait + 8",
    "libsystem_pthread.dylib _pthread_mutex_lock_wait + 84",
    `SceneKit -[${type} callback] + 48`,
    "QuartzCore display_timer_callback(int) + 8",
  ];
  const peer = watched(releasing, callback("SCNDisplayLink"));
  assertStringIncludes(
    peer.what,
    'hread 1 "painter" waited for a lock in -[SCNDisplayLink callback], while the main thread waited within -[SCNDisplayLink invalidate], of the same class: each may have waited for the other',
  );
  assertStringIncludes(peer.causes, "a deadlock, if");
  // Of another class of that library it is only told.
  const beside = watched(releasing, callback("SCNRenderer"));
  assertStringIncludes(
    beside.what,
    "waited for a lock in -[SCNRenderer callback], while the main thread waited within -[SCNDisplayLink invalidate], also of SceneKit: whether one",
  );
  assert(!beside.causes.includes("deadlock"), beside.causes);
  // What ends an object stays on the main thread.
  assertStringIncludes(beside.next, "while it released an object, in -[CADisplayLink invalidate]");
  assert(!beside.next.includes("thread or in parts"), beside.next);
  // Both at one place wait for a third one.
  const same = ["libsystem_kernel.dylib __psynch_mutexwait + 8", "SceneKit -[SCNView lock] + 8"];
  assert(!watched([...same, ...loop], same).what.includes("hread 1"));
});

Deno.test("a watchdog: a thread that waits for the main thread, and one that may hold its lock", () => {
  const watched = (frames: readonly string[], other: readonly string[]) =>
    told(
      "Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace SPRINGBOARD, Code 0x8badf00d\n\n" +
        `Thread 0:\n${frameLines([...frames, ...loop]).join("\n")}\n\nThread 4:\n${
          frameLines(other).join("\n")
        }\n`,
    );
  const waits = "libsystem_kernel.dylib __psynch_cvwait + 8";
  const joining = [waits, "MyApp Mixer::stop() + 8", "MyApp -[Player close] + 8"];
  const onMain = [
    waits,
    "Foundation -[NSObject(NSThreadPerformAdditions) performSelector:onThread:withObject:waitUntilDone:modes:] + 8",
    "Foundation -[NSObject(NSThreadPerformAdditions) performSelectorOnMainThread:withObject:waitUntilDone:] + 8",
  ];
  const other = watched(joining, [...onMain, "MyApp -[Log write:] + 8"]);
  assertStringIncludes(
    other.what,
    "Thread 4 waited for the main thread in -[NSObject(NSThreadPerformAdditions) performSelectorOnMainThread:withObject:waitUntilDone:], called by -[Log write:], while the main thread waited in Mixer::stop: if the main thread waited for what that thread does, neither could go on.",
  );
  assertStringIncludes(other.next, "See whether -[Log write:] has to wait for the main thread");
  // Who only uses the system cannot change what it does.
  assert(!watched(joining, onMain).next.includes("wait for the main thread"));
  const both = watched(joining, [...onMain, "MyApp Mixer::run() + 8"]);
  assertStringIncludes(both.what, "both were within Mixer; if the main thread waited");
  // A name is only a name.
  const named = watched(joining, [waits, "MyApp Log::runOnMainThread(int) + 8"]);
  assertStringIncludes(named.what, "which by its name has the main thread do something");
  const asks = watched(joining, [waits, "MyApp Log::assertOnMainThread() + 8"]);
  assert(!asks.what.includes("hread 4"), asks.what);
  // One that only works is none, nor is one where the main thread does not wait.
  assert(!watched(joining, ["MyApp Log::runOnMainThread(int) + 8"]).what.includes("hread 4"));
  assert(!watched(["MyApp Mixer::mix() + 8"], onMain).what.includes("hread 4"));
  const locked = watched(
    ["libsystem_kernel.dylib __psynch_mutexwait + 8", "MyApp Mixer::stop() + 8"],
    ["libsystem_kernel.dylib __recvfrom + 8", "MyApp Mixer::fill() + 8"],
  );
  assertStringIncludes(
    locked.what,
    "Thread 4 was within Mixer::fill, blocked on a socket, of the same class as Mixer::stop, in which the main thread waited for a lock: it may hold that lock",
  );
  const queued = (inner: string) => [
    "libsystem_kernel.dylib __ulock_wait + 8",
    "libdispatch.dylib _dispatch_sync_f_slow + 8",
    `MyApp ${inner} + 8`,
  ];
  assertStringIncludes(
    watched(queued("-[Store load]"), queued("-[Store save]")).what,
    "Thread 4 waited for a dispatch queue too in -[Store save], while the main thread did in -[Store load]: which queues these are is not in this part of the report",
  );
});

Deno.test("a watchdog: what to do about what the main thread did", () => {
  const next = (...frames: string[]) =>
    told(crash(
      "Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace SPRINGBOARD, Code 0x8badf00d",
      [...frames, ...loop],
    )).next;
  assertEquals(
    next(
      "libsystem_kernel.dylib mach_msg_trap + 8",
      "CoreFoundation __CFRunLoopServiceMachPort + 8",
    ),
    "",
  );
  assertStringIncludes(
    next("MyApp -[Cart sum] + 8"),
    "See whether -[Cart sum] takes long",
  );
  assertStringIncludes(
    next("UIKitCore -[UIView layoutSubviews] + 8", "MyApp -[Cart show] + 8"),
    "What -[Cart show] had UIKitCore do has to stay on the main thread",
  );
  assertEquals(next("UIKitCore -[UIViewController dealloc] + 8", "MyApp -[Cart show] + 8"), "");
  assertStringIncludes(
    next("libsystem_kernel.dylib semaphore_wait_trap + 8", "MyApp -[Cart load] + 8"),
    "See what -[Cart load] waits for on the main thread",
  );
});

Deno.test("what an assertion beyond its time was for decides what is told", () => {
  const ended = (...assertions: string[]) =>
    told(
      "Exception Type: 00000020\nException Codes: 0x000000008badf00d\n\nApplication Specific Information:\n" +
        "<BKNewProcess: 0x1> has active assertions beyond permitted time:\n{(\n" +
        assertions.join(" ,\n") + "\n)}\n",
    );
  const old = (reason: string, seconds = 30) =>
    `<BKProcessAssertion: 0x2> name: Work process: Shop[7] permittedBackgroundDuration: ${seconds}.000000 ` +
    `reason: ${reason} owner pid:7 preventSuspend`;
  const newer = (reason: string) =>
    `<BKProcessAssertion: 0x2; "com.shop.work" (${reason}:30s); id:…AB> (owner: Shop:7)`;
  const task = ended(old("finishTask", 180));
  assertStringIncludes(task.what, "the time of its background task was over");
  assertStringIncludes(task.what, "It was permitted 180 s.");
  assertStringIncludes(
    ended(newer("finishTaskAfterBackgroundDownload")).causes,
    "beginBackgroundTask without endBackgroundTask",
  );
  const suspend = ended(old("suspend", 10));
  assertStringIncludes(suspend.what, "still at work, or waited, when it was to be suspended");
  assert(!suspend.causes.includes("beginBackgroundTask"), suspend.causes);
  // A main thread that has nothing to do has returned from what it handled.
  assertStringIncludes(suspend.next, "The main thread has to return");
  const idle = told(
    "Exception Type: 00000020\nException Codes: 0x000000008badf00d\n\nApplication Specific Information:\n" +
      `<BKNewProcess: 0x1> has active assertions beyond permitted time:\n{(\n${
        old("suspend", 10)
      }\n)}\n\nThread 0:\n${
        frameLines([
          "libsystem_kernel.dylib mach_msg_trap + 8",
          "CoreFoundation __CFRunLoopServiceMachPort + 8",
          ...loop,
        ]).join("\n")
      }\n`,
  );
  assertEquals([idle.causes, idle.next], ["", ""]);
  for (
    const [reason, words] of [
      ["backgroundContentFetching", "performFetchWithCompletionHandler"],
      ["backgroundDownload", "handleEventsForBackgroundURLSession"],
      ["notificationAction", "the notification's action"],
    ]
  ) {
    for (const { causes } of [ended(old(reason)), ended(newer(reason))]) {
      assertStringIncludes(causes, words);
      assert(!causes.includes("beginBackgroundTask"), causes);
    }
  }
  for (const other of [ended(old("viewServices")), ended(old("suspend"), old("finishTask"))]) {
    assertStringIncludes(other.what, "longer than was permitted");
    assertEquals(other.causes, "");
  }
});

Deno.test("what could not be checked of a signature is no signature that does not hold", () => {
  const ended = (space: string, code: string) =>
    told(
      `Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace ${space}, Code ${code}\n`,
    );
  const port = ended("CODESIGNING", "0x3");
  assertStringIncludes(port.what, "taskgated");
  assert(!port.next.includes("debugger"), port.next);
  assertEquals(ended("EXEC", "0x9").causes, "");
  assertStringIncludes(ended("EXEC", "0xc").what, "packed by UPX");
  // Without a region nothing says that the page came from a file.
  assertStringIncludes(ended("CODESIGNING", "0x2").what, "has no valid code signature");
});

Deno.test("a termination without its code: by the words that reports have for it", () => {
  const ended = (indicator: string) =>
    explainReport(readReport(
      `{
  "exception": {"type":"EXC_CRASH","signal":"SIGKILL (Code Signature Invalid)"},
  "termination": {"namespace":"CODESIGNING","indicator":"${indicator}"}
}`,
      "x",
    ));
  const launch = ended("Launch Constraint Violation");
  assertStringIncludes(launch.happened.join("\n"), "its launch constraints forbid");
  assert(!launch.causes.join().includes("changed after it was signed"), launch.causes.join());
  assertStringIncludes(ended("Another").happened.join("\n"), "signature that does not hold");
});

Deno.test("a library that is not loaded: the reason, and no stack is blamed", () => {
  const load = (reason: string, path = "@rpath/A.framework/A") =>
    told(crash(
      `${abort}\nTermination Reason: Namespace DYLD, Code 1 Library missing\n\nDyld Error Message:\n` +
        `  Library not loaded: ${path}\n  Referenced from: /Applications/B.app/B\n  Reason: ${reason}`,
      ["dyld __abort_with_payload + 8", "dyld dyld4::halt(char const*) + 8"],
    ));
  const found = (reason: string) => `no suitable image found.  Did find:\n\t/A: ${reason}`;
  const refused = "the kernel refused to map its code (EPERM)";
  const missing = load("tried: '/A' (no such file)");
  assertEquals(missing.whose, ["none", "packaging", null]);
  assertStringIncludes(missing.causes, "not embedded");
  const reasons: readonly [string, string][] = [
    [
      "code signature in '/A' not valid for use in process: mapping process and mapped file have different Team IDs",
      "not signed by one team",
    ],
    [
      "tried: '/A' (code signature in <1> '/A' not valid for use in process: mapped file has no Team ID and is not a platform binary (signed with custom identity or adhoc?))",
      "it is of no team",
    ],
    [
      "tried: '/A' (code signature invalid in '/A' (errno=1) sliceOffset=0x0)",
      "signature is not accepted",
    ],
    [
      "no suitable image found. Did find: /A: mremap_encrypted() => -1, errno=12",
      "could not map or decrypt",
    ],
    [
      "tried: '/A' (mach-o file, but is an incompatible architecture (have 'arm64', need 'x86_64'))",
      "no code for this architecture",
    ],
    ["tried: '/A' (file system sandbox blocked open())", "sandbox forbids"],
    [found("mmap() errno=1 validating first page of '/A'"), refused],
    [found("mmap() error 1 at address=0x1, size=0x2 segment=__TEXT in Segment::map()"), refused],
    [found("code signing blocked mmap() of '/A'"), refused],
    [found("mmap() errno=12 at address=0x1, size=0x2 segment=__TEXT"), "no room in memory"],
    [found("mmap() errno=22 at address=0x1, size=0x2 segment=__DATA"), "could not map it"],
    [found("file system sandbox blocked mmap() of '/A'"), "forbids to map it as code"],
    [found("required code signature missing for '/A'"), "has no code signature"],
    [found("mach-o, but wrong architecture"), "no code for this architecture"],
    [
      "tried: '/A' (fat file, but missing compatible architecture (have 'i386', need 'arm64'))",
      "no code for this architecture",
    ],
    [found("mach-o, but built for simulator (not macOS)"), "is for the simulator"],
    [found("mach-o, but not built for iOS simulator"), "not for the simulator"],
    [found("file too short"), "file is not whole"],
    [found("unknown file type, first eight bytes: 0x21 0x3C 0x61 0x72 0x63"), "a static library"],
    [found("unknown file type, first eight bytes: 0x76 0x65 0x72 0x73 0x69"), "Git LFS"],
    ["tried: '/A' (not a mach-o file)", "it is no library"],
    [found("mach-o, but wrong filetype"), "a program or a bundle"],
    [found("stat() failed with errno=13"), "could not be opened"],
  ];
  for (const [reason, words] of reasons) {
    const loaded = load(reason);
    assertStringIncludes(loaded.what, words);
    assert(!loaded.causes.includes("not embedded"), loaded.causes);
  }
  const nothing = Array.from({ length: 9 }, (_, at) => `'/usr/lib/swift/${at}/A' (no such file)`);
  const long = load(`tried: ${nothing.join(", ")}, '/A' (code signature invalid in '/A'), '/b'`);
  assertStringIncludes(long.what, "tried: … '/A' (code signature invalid in '/A')");
  assertStringIncludes(load(`tried: ${nothing.join(", ")}`).what, "swift/8/A");
  assertStringIncludes(
    load("no such file", "/opt/homebrew/opt/a/a.dylib").causes,
    "upgraded or removed",
  );
});

Deno.test("a signature: memory that the process filled itself is not the file's", () => {
  const page = (region: string) =>
    told(crash(
      "Exception Type: EXC_BAD_ACCESS (SIGKILL - CODESIGNING)\n" +
        "Exception Subtype: unknown at 0x0000000100004000\n" +
        `VM Region Info: 0x100004000 is in 0x100004000-0x100008000;\n` +
        "      REGION TYPE   START - END  [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL\n" +
        `--->  ${region}   100004000-100008000 [   16K] r-x/rwx SM=COW\n` +
        "Termination Reason: Namespace CODESIGNING, Code 0x2",
      ["MyApp run + 4", ...loop],
    ));
  assertStringIncludes(page("VM_ALLOCATE").causes, "JIT");
  assertStringIncludes(page("__TEXT").causes, "changed in place");
  assertEquals(page("__TEXT").whose, ["none", "packaging", null]);
});

Deno.test("an autorelease pool: who released the object too often is not on the stack", () => {
  const drained = [
    "libobjc.A.dylib objc_release + 8",
    "libobjc.A.dylib AutoreleasePoolPage::releaseUntil(objc_object**) + 8",
  ];
  const found = told(crash(access("0x18"), [...drained, ...loop]));
  assertStringIncludes(
    found.what,
    "an invalid object was released, most likely one that was already deallocated.",
  );
  assertEquals(found.whose, ["unknown", "pool", null]);
  assertEquals(
    told(crash(access("0x18"), [...drained, "MyApp -[Import run] + 8", ...loop])).whose,
    [
      "program",
      null,
      "-[Import run]",
    ],
  );
});

Deno.test("null passed to a function, a function's own trap, and an argument of a format", () => {
  const nil = told(
    crash(access("0x0"), ["libswiftCore.dylib swift_getObjectType + 40", "MyApp use + 4", ...loop]),
  );
  assertStringIncludes(nil.causes, "nil that Objective-C or C passed");
  const freed = told(
    crash(access("0x7ff812340010"), [
      "libswiftCore.dylib swift_getObjectType + 40",
      "MyApp use + 4",
      ...loop,
    ]),
  );
  assertStringIncludes(freed.causes, "deallocated");
  const trap = told(
    crash("Exception Type: EXC_BREAKPOINT (SIGTRAP)", [
      "CoreFoundation CFHash.cold.1 + 16",
      "MyApp use + 4",
      ...loop,
    ]),
  );
  assertStringIncludes(trap.what, "called with NULL, or with what is no object");
  const format = told(
    crash(access("0x29"), [
      "libobjc.A.dylib objc_opt_respondsToSelector + 8",
      "libobjc.A.dylib objc_msgSend + 8",
      "CoreFoundation __CFStringAppendFormatCore + 8",
      "MyApp log + 4",
      ...loop,
    ]),
  );
  assertStringIncludes(format.what, "format string");
});

Deno.test("within a destructor, when it was, and what is only near", () => {
  const found = told(
    crash(access("0x8"), [
      "libwidgets.dylib Widget::~Widget() + 42",
      "libsystem_c.dylib exit + 4",
      "MyApp main + 4",
    ]),
  );
  assertStringIncludes(found.what, "while an object was destroyed, in Widget::~Widget()");
  assertStringIncludes(found.causes, "destroyed twice");
  // The nearest exported name is far away.
  const far = told(
    crash(access("0x8"), ["libwidgets.dylib Widget::~Widget() + 500000", "MyApp main + 4"]),
  );
  assert(!far.what.includes("destroyed"), far.what);
  const exits = told(
    crash(access("0x8"), [
      "MyApp stop() + 4",
      "libsystem_c.dylib __cxa_finalize_ranges + 4",
      "libsystem_c.dylib exit + 4",
    ]),
  );
  assertStringIncludes(exits.what, "called, while the process exited.");
  const loads = told(
    crash(access("0x8"), [
      "MyApp init() + 4",
      "dyld ImageLoaderMachO::doModInitFunctions(X) + 4",
      "dyld dyld::initializeMainExecutable() + 4",
    ]),
  );
  assertStringIncludes(loads.what, "It was before main()");
});

Deno.test("the user interface off the main thread, as far as the report shows", () => {
  const raised = (thread: number) =>
    told(
      `${abort}\nTriggered by Thread: ${thread}\n\nLast Exception Backtrace:\n` +
        "0   CoreFoundation   0x1000 __exceptionPreprocess + 164\n" +
        "1   libobjc.A.dylib   0x2000 objc_exception_throw + 60\n" +
        "2   Foundation   0x3000 -[NSAssertionHandler handleFailureInMethod:object:file:lineNumber:description:] + 8\n" +
        "3   UIKitCore   0x4000 -[UIApplication _performBlock:] + 8\n4   MyApp   0x5000 work + 4\n\n" +
        `Thread ${thread} Crashed:\n0   libsystem_kernel.dylib   0x6000 __pthread_kill + 8\n`,
    );
  assertStringIncludes(
    raised(6).what,
    "It was raised in -[UIApplication _performBlock:] (UIKitCore).",
  );
  assertStringIncludes(raised(6).causes, "from another thread than the main one");
  assert(!raised(0).causes.includes("thread"), raised(0).causes);
});

Deno.test("a frame of the program without a name is not passed over for who raised it", () => {
  const found = told(
    `${abort}\n\nLast Exception Backtrace:\n0   CoreFoundation   0x1000 __exceptionPreprocess + 164\n` +
      "1   libobjc.A.dylib   0x2000 objc_exception_throw + 60\n2   CoreFoundation   0x3000 -[NSException raise] + 8\n" +
      "3   MyApp   0x4000 0x1000 + 12288\n4   libdispatch.dylib   0x5000 _dispatch_call_block_and_release + 32\n\n" +
      "Thread 0 Crashed:\n0   libsystem_kernel.dylib   0x6000 __pthread_kill + 8\n",
  );
  assert(!found.what.includes("It was raised in"), found.what);
  // Nor is one of the system's programs, which is the process itself.
  const daemon = told(
    "Process: paintd [1]\nPath: /usr/libexec/paintd\nIdentifier: paintd\n" +
      `${abort}\n\nLast Exception Backtrace:\n0   CoreFoundation   0x1000 __exceptionPreprocess + 164\n` +
      "1   libobjc.A.dylib   0x2000 objc_exception_throw + 60\n2   CoreFoundation   0x3000 -[NSException raise] + 8\n" +
      "3   paintd   0x4000 0x1000 + 12288\n4   PaintServices   0x5000 __paint_async_block_invoke + 32\n" +
      "5   libdispatch.dylib   0x6000 _dispatch_call_block_and_release + 32\n\n" +
      "Thread 0 Crashed:\n0   libsystem_kernel.dylib   0x6000 __pthread_kill + 8\n\nBinary Images:\n" +
      "0x1000 - 0x4fff paintd arm64 <0123456789abcdef0123456789abcdef> /usr/libexec/paintd\n" +
      "0x5000 - 0x5fff PaintServices arm64 <0123456789abcdef0123456789abcde0> /System/Library/PrivateFrameworks/PaintServices.framework/PaintServices\n",
  );
  assert(!daemon.what.includes("__paint_async"), daemon.what);
  // Nor are those of the system's other libraries: what they called is behind them.
  const library = told(
    `${abort}\n\nLast Exception Backtrace:\n0   CoreFoundation   0x1000 __exceptionPreprocess + 164\n` +
      "1   libobjc.A.dylib   0x2000 objc_exception_throw + 60\n" +
      "2   CoreFoundation   0x3000 -[NSObject(NSObject) __retain_OA] + 0\n" +
      "3   CoreFoundation   0x3100 ___forwarding___ + 1324\n4   CoreFoundation   0x3200 _CF_forwarding_prep_0 + 120\n" +
      "5   PaintCore   0x4000 0x1000 + 12288\n6   PaintCore   0x5000 Easel::Easel(int) + 32\n" +
      "7   MyApp   0x6000 main + 32\n\n" +
      "Thread 0 Crashed:\n0   libsystem_kernel.dylib   0x6000 __pthread_kill + 8\n\nBinary Images:\n" +
      "0x4000 - 0x5fff PaintCore arm64 <0123456789abcdef0123456789abcde0> /System/Library/PrivateFrameworks/PaintCore.framework/PaintCore\n",
  );
  assertStringIncludes(library.what, "It was raised by PaintCore.");
  assertStringIncludes(library.what, "unrecognized selector");
});

Deno.test("unrecognized selectors: of the program's classes, of the system's, of classes themselves", () => {
  const selector = (receiver: string) =>
    told(
      `*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '${receiver}: ` +
        "unrecognized selector sent to instance 0x7fabf9bb8a00'\n",
    ).causes;
  assertStringIncludes(selector("-[RCTBatchedBridge perfStats]").split("\n")[0], "another version");
  assertStringIncludes(selector("-[NSArray length]").split("\n")[0], "another class");
  assertEquals(
    selector("-[NSNull length]"),
    "an NSNull where another object was expected, such as null out of JSON",
  );
  assertStringIncludes(selector("+[Foo bar]").split("\n")[0], "category");
});

Deno.test("a stack without names: its way through the run-times is told as likely", () => {
  const frames = [
    "libsystem_kernel.dylib",
    "libsystem_c.dylib",
    "libc++abi.dylib",
    "libobjc.A.dylib",
    "libc++abi.dylib",
    "MyApp",
  ];
  const stack = frames.map((image, at) =>
    `${at}   ${image}   0x${(0x1000 + at * 64).toString(16)} 0x1000 + ${at * 64}`
  );
  assertStringIncludes(
    told(`${abort}\n\nThread 0 Crashed:\n${stack.join("\n")}\n`).what,
    "most likely for an exception that was not caught",
  );
});

Deno.test("a heap block's end; a library of another place; a page that PowerPC wrote to", () => {
  const overrun = told(crash(
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x0000000100004008\n" +
      "VM Region Info: 0x100004008 is not in any region.  Bytes after previous region: 9  Bytes before following region: 4088\n" +
      "      REGION TYPE   START - END  [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL\n" +
      "      MALLOC_LARGE   100000000-100004000 [   16K] rw-/rwx SM=PRV\n--->  GAP OF 0x1000 BYTES\n" +
      "      MALLOC_LARGE   100005000-100006000 [   4K] rw-/rwx SM=PRV",
    ["MyApp fill + 4", ...loop],
  ));
  assertStringIncludes(overrun.what, "8 bytes behind the end of a heap region (MALLOC_LARGE)");
  const tweak = readReport(
    "Process: MyApp [1]\nPath: /var/mobile/Applications/X/MyApp.app/MyApp\n" +
      crash(
        access("0x8"),
        ["Tweak.dylib hook + 4", "MyApp main + 4"],
        "\nBinary Images:\n0x7000 - 0x703f Tweak.dylib arm64 <0a0b0c0d0e0f40018001020304050607> /Library/MobileSubstrate/Tweak.dylib\n",
      ),
    "x",
  );
  assertEquals(attributeReport(tweak).isOutside, true);
  const ppc = told(crash(
    "Code Type: PPC (Native)\nException Type: EXC_BAD_ACCESS (SIGBUS)\nException Codes: KERN_PROTECTION_FAILURE at 0x18ec9c",
    ["MyApp set + 4"],
    "\nThread 0 crashed with PPC Thread State 32:\n  srr0: 0x00001000  dar: 0x0018ec9c dsisr: 0x0a000000\n",
  ));
  assertStringIncludes(ppc.what, "It was a write.");
});

Deno.test("a panic's address, and code of an extension that no list names", () => {
  const panic = (at: string, cr2: string, error: string, frame: string) =>
    told(
      `panic(cpu 2 caller 0xffffff800aeb7e75): Kernel trap at ${at}, type 14=page fault, registers:\n` +
        `Fault CR2: ${cr2}, Error code: ${error}, Fault CPU: 0x2\n\n` +
        `Backtrace (CPU 2), Frame : Return Address\n0xffffff839aaf3920 : ${frame}\n`,
    ).what;
  const own = panic(
    "0xffffff7f8d2a3834",
    "0x0000000000000018",
    "0x0000000000000000",
    "0xffffff7f8d2a3834",
  );
  assertStringIncludes(own, "The address was 0x18, by a read: null plus 24");
  assertStringIncludes(own, "The code is an extension's");
  const other = panic(
    "0xffffff801bb010f6",
    "0xffffffbb2f08d000",
    "0x0000000000000002",
    "0xffffff801bb010f6",
  );
  assertStringIncludes(other, "0xffffffbb2f08d000, by a write.");
  assert(!other.includes("extension"), other);
});

Deno.test("a guard's codes in the termination; a signal that the process raised itself", () => {
  const guard = told(crash(
    "Exception Type: EXC_GUARD (SIGKILL)\nException Codes: GUARD_TYPE_MACH_PORT\n" +
      "Exception Codes: 0x0000000000046350, 0x0000000000000000\n" +
      "Termination Reason: Namespace GUARD, Code 2305843035777557328",
    ["libsystem_kernel.dylib mach_msg2_trap + 8", "MyApp set + 4"],
  ));
  assertStringIncludes(guard.what, "EXCEPTION_BEHAVIOR_ENFORCE");
  const python = told(crash(
    "Exception Type: EXC_CRASH (SIGKILL)\nTermination Signal: Abort trap: 6\nTermination Reason: Namespace SIGNAL, Code 0x6",
    [
      "libsystem_kernel.dylib __terminate_with_payload + 8",
      "Python Py_FatalError + 24",
      "MyApp handler(int) + 56",
      "libsystem_platform.dylib _sigtramp + 56",
      "readline.so call_readline + 360",
    ],
  ));
  assertStringIncludes(python.what, "Python met a fatal error");
  assert(!python.what.includes("The system ended"), python.what);
  assertEquals(python.whose[2], "handler(int)");
});

Deno.test("a simulator's framework whose path is hidden; an exception of C++ that is thrown again", () => {
  const image = (name: string, path: string, at: string) =>
    `0x${at}000 - 0x${at}03f ${name} arm64 <0a0b0c0d0e0f40018001020304050607> ${path}\n`;
  const report = readReport(
    crash(
      access("0x8"),
      ["CoreFoundation -[NSException initWithCoder:] + 0"],
      "\nBinary Images:\n" +
        image(
          "com.apple.CoreFoundation",
          "/Volumes/VOLUME/*/CoreFoundation.framework/CoreFoundation",
          "7",
        ),
    ),
    "x",
  );
  assertEquals(attributeReport(report).frames[0].owner, "system");
  const again = told(crash(
    `${abort}\n\nApplication Specific Information:\nterminating with uncaught exception of type std::runtime_error: no`,
    [
      "libsystem_c.dylib abort + 120",
      "libc++abi.dylib std::__terminate(void (*)()) + 8",
      "libc++abi.dylib __cxa_rethrow + 99",
      "libc++.1.dylib std::__1::locale::locale(char const*) + 63",
      "MyApp toLower() + 4",
    ],
  ));
  assert(!again.what.includes("not in the report"), again.what);
  assertEquals(again.whose[2], "toLower()");
});

Deno.test("panics of old kernels, in pieces of JSON, and extensions with dependencies", () => {
  assertStringIncludes(
    told(
      "kernel abort type 4: fault_type=0x3, fault_addr=0xec3fd01c\nDebugger message: Fatal Exception\nOS version: 5F138\n",
    ).what,
    "kernel abort type 4",
  );
  assertStringIncludes(
    told(
      '"panicString" : "panic(cpu 3 caller 0xfffffff023e9d120): userspace watchdog timeout: no\\nservice: logd, total\\n',
    ).what,
    "panicked: userspace watchdog timeout: no\n",
  );
  const list = readReport(
    "panic(cpu 0 caller 0xffffff7f9b000000): GPU Panic\n      Kernel Extensions in backtrace:\n" +
      "         org.example.a(2.9)[EDA75271-4E9D-34E7-A2C5-14F0C8817D37]@0xffffff7f99cbb000->0xffffff7f99ce5fff\n" +
      "            dependency: org.example.c(1.4)[045D5D6F-AD1E-36DB-A249-A346E2B48E54]@0xffffff7f9a8de000\n" +
      "         org.example.b(8.2)[3D591202-DD24-3441-925A-F6808ABDF185]@0xffffff7f99fab000->0xffffff7f9a20ffff\n",
    "x",
  );
  assertEquals<unknown>(list.panic?.extensions, ["org.example.a", "org.example.b"]);
});

Deno.test("frames without names of the library that ended the process are its own", () => {
  const frames = [
    "libsystem_c.dylib abort + 124",
    "QtCore 0x7000 + 64",
    "QtCore QMessageLogger::fatal(char const*, ...) const + 148",
    "MyApp open() + 4",
    "MyApp main + 4",
  ];
  const found = told(crash(abort, frames));
  assertStringIncludes(
    found.what,
    "Qt, or a program that uses its qFatal(), reported a fatal error",
  );
  assertEquals(found.whose, ["program", null, "open()"]);
  // Those of another image are not.
  assertEquals(told(crash(abort, [frames[0], "MyApp 0x7000 + 64", ...frames.slice(2)])).whose, [
    "program",
    null,
    null,
  ]);
});

Deno.test("names that are only the nearest ones: of functions that compilers make, and none at all", () => {
  const raised = [
    "CoreFoundation <redacted>",
    "libobjc.A.dylib objc_exception_throw",
    "UIKitCore <redacted>",
    "DeskKit __swift_project_boxed_opaque_existential_0",
    "DeskKit block_destroy_helper.16",
  ];
  const { what, whose } = told(
    crash(
      `${abort}\n\nApplication Specific Information:\nattempt to insert row 0 into section 0`,
      raised,
    ),
  );
  assertStringIncludes(what, "An Objective-C exception was not caught.");
  assertStringIncludes(what, "do not match its data source");
  assertEquals(whose, ["program", null, "__swift_project_boxed_opaque_existential_0"]);
  assert(!what.includes("does not have its reason") && !what.includes("boxed"), what);
  const nameless = readReport(
    crash(access("0x8"), ["libobjc.A.dylib objc_release + 8", "Tweak.dylib // (null)"]),
    "x",
  );
  assertEquals(explainReport(nameless).path, ["Tweak.dylib", "objc_release (libobjc.A.dylib)"]);
  assertEquals(attributeReport(nameless).isLibrary, true);
  // A helper whose own code it is.
  assertEquals(
    explainReport(readReport(
      crash(access("0x8"), [
        "libobjc.A.dylib objc_release + 8",
        "MyApp __destroy_helper_block_8_32s + 16",
      ]),
      "x",
    )).firstOwn?.symbol,
    "__destroy_helper_block_8_32s",
  );
});

Deno.test("the main thread's stack of 32-bit programs ends at a place of its own; a guard is no stack", () => {
  const past = (protection: string, frames = ["MyApp fill + 4", "MyApp main + 8"]) =>
    told(crash(
      "Code Type: X86 (Native)\n" +
        "Exception Type: EXC_BAD_ACCESS (SIGBUS)\nException Codes: KERN_INVALID_ADDRESS at 0xc0000000\n\n" +
        "VM Regions Near 0xc0000000:\n" +
        `    Stack     00000000bf809000-00000000c0000000 [ 8156K] ${protection}/rwx SM=COW  \n` +
        "--> \n    shared    00000000c0001000-00000000c0009000 [   32K] rw-/rw- SM=SHM  \n",
      frames,
    ));
  assertStringIncludes(past("rw-").what, "just past the upper end of the stack of thread 0");
  assertStringIncludes(past("rw-").causes, "an array on the thread's stack");
  assert(!past("---").what.includes("upper end"), past("---").what);
});

Deno.test("a stack that was overwritten: past its upper end, text in place of a return address", () => {
  const { what, causes } = told(crash(
    `${access("0x00007ff7b34d7000")}\nVM Region Info: 0x7ff7b34d7000 is not in any region.  ` +
      "Bytes after previous region: 1  Bytes before following region: 1519771648\n" +
      "      REGION TYPE   START - END  [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL\n" +
      "      Stack   7ff7b2cd7000-7ff7b34d7000 [ 8192K] rw-/rwx SM=SHM  thread 0\n" +
      "--->  GAP OF 0x5a95e000 BYTES\n",
    ["Tool fix(char*) + 410", "Tool convert() + 12"],
    "2   ???   \t0x6161616161616161 ???\n",
  ));
  assertStringIncludes(what, "just past the upper end of the stack of thread 0");
  assertStringIncludes(what, 'in place of a return address is the text "aaaaaaaa"');
  assertStringIncludes(causes, "an array on the thread's stack");
});

Deno.test("a damaged heap: what found it did not do it", () => {
  const { whose } = told(crash(
    `${abort}\n\nApplication Specific Information:\n*** error for object 0x111e7e800: incorrect checksum for freed ` +
      "object - object was probably modified after being freed.",
    ["libsystem_malloc.dylib szone_error + 596", "MyApp grow() + 8", ...loop],
  ));
  assertEquals(whose, ["unknown", "heap", "grow()"]);
});

Deno.test("a library that is there but not usable; a breakpoint of dyld; a call of null", () => {
  const found = told(
    `${abort}\nTermination Reason: Namespace DYLD, Code 1 Library missing\n\nDyld Error Message:\n` +
      "  Library not loaded: @rpath/A.framework/A\n  Referenced from: /B\n" +
      "  Reason: no suitable image found.  Did find: /C/A: \n",
  );
  assertStringIncludes(found.what, "was found, but the system could not use the file");
  assert(!found.causes.includes("not embedded"), found.causes);
  const notified = told(crash("Exception Type: EXC_BREAKPOINT (SIGTRAP)", [
    "dyld lldb_image_notifier + 0",
    "dyld dyld4::RuntimeState::notifyDebuggerLoad(dyld4::Loader const*) + 8",
  ]));
  assertStringIncludes(notified.causes, "a debugger that ended");
  assert(!notified.causes.includes("Swift"), notified.causes);
  const jump = told(
    `${
      access("0x0000000000000000")
    }\n\nThread 0 Crashed:\n0   ???   \t0x0000000000000000 0x0 + 0\n` +
      "1   MyApp   \t0x0000000000007040 draw + 64\n",
  );
  assertStringIncludes(jump.what, "it called a null function pointer");
  assertStringIncludes(jump.causes, "weakly linked");
});

Deno.test("a reason in words of a library's own; hints that are none", () => {
  const { what } = told(crash(
    `${abort}\n\nApplication Specific Information:\nPossibly stale failure hints from 2021-07-31:\n` +
      "  0   DVTDispatchAsync (in DVTFoundation)\n  1   -[Step setup] (in IDEKit)\n" +
      "UNCAUGHT EXCEPTION (NSInvalidArgumentException): *** +[NSURLComponents setPercentEncodedQuery:]: invalid characters\n",
    ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 8"],
  ));
  assertStringIncludes(
    what,
    "was not caught: NSInvalidArgumentException, *** +[NSURLComponents setPercentEncodedQuery:]: invalid characters.",
  );
  assert(!what.includes("stale") && !what.includes("DVTDispatchAsync"), what);
});

Deno.test("the way from an actor's check to the function that was called", () => {
  const { whose } = told(crash("Exception Type: EXC_BREAKPOINT (SIGTRAP)", [
    "libdispatch.dylib _dispatch_assert_queue_fail + 120",
    "libswift_Concurrency.dylib _swift_task_checkIsolatedSwift + 48",
    "Chat _checkExpectedExecutor(_filenameStart:_filenameLength:_filenameIsASCII:_line:_executor:) + 4 (/<compiler-generated>:0)",
    "Chat protocol witness for Provider.stream(messages:) in conformance ModelProvider + 160",
  ]));
  assertEquals(
    whose[2],
    "protocol witness for Provider.stream(messages:) in conformance ModelProvider",
  );
});

Deno.test("run-times without names, nil that Objective-C passed, the queue that tells", () => {
  const nameless = told(crash(access("0x10"), [
    "libobjc.A.dylib 0x7000 + 16",
    "UIKitCore 0x7040 + 64",
  ]));
  assertStringIncludes(nameless.what, "was given an invalid object, most likely");
  const bridged = told(crash("Exception Type: EXC_BAD_INSTRUCTION (SIGILL)", [
    "libswiftFoundation.dylib _TZFV10Foundation8IndexSet36_unconditionallyBridgeFromObjectiveCfGSqCSo10NSIndexSet_S0_ + 8",
    "MyApp use + 4",
    ...loop,
  ]));
  assertStringIncludes(bridged.what, "Objective-C passed nil to Swift");
  assert(!bridged.what.includes("argument"), bridged.what);
  // The system's call of a method passed it.
  const passed = told(crash("Exception Type: EXC_BAD_INSTRUCTION (SIGILL)", [
    "libswiftFoundation.dylib static URL._unconditionallyBridgeFromObjectiveC(_:) + 8",
    "MyApp @objc Shelf.drop(_:at:) + 4",
    "AppKit -[NSTableView drop] + 4",
    ...loop,
  ]));
  assertStringIncludes(
    passed.what,
    "an argument of Shelf.drop(_:at:), which -[NSTableView drop] (AppKit) called",
  );
  assertStringIncludes(passed.causes, "a parameter that the method declares");
  assertEquals(passed.whose, ["unknown", "argument", "@objc Shelf.drop(_:at:)"]);
  const queue = readReport(
    crash(
      `${abort}\n\nLast Exception Backtrace:\n0   CoreFoundation \t0x0000000000007000 __exceptionPreprocess + 8\n` +
        "1   libobjc.A.dylib \t0x0000000000007040 objc_exception_throw + 8\n" +
        "2   MyApp \t0x0000000000007080 0x7000 + 128\n\nThread 0 name:  Dispatch queue: expo.controller.errorRecoveryQueue",
      ["libsystem_kernel.dylib __pthread_kill + 8"],
    ),
    "x",
  );
  const { check } = explainReport(queue);
  assertEquals(check, [
    "Find the first error in the device's log: it is not in this report.",
    "Symbolicate the report with the dSYM of MyApp: its functions have no names here.",
  ]);
});

Deno.test("Rosetta in the headline; a process that has launchd's name; a thread that was only stopped", () => {
  const of = (text: string) => explainReport(readReport(text, "x"));
  assertStringIncludes(
    of(
      `Process: App [1]\nCode Type: X86-64 (Translated)\nOS Version: macOS 12.1 (21C52)\n${
        access("0x8")
      }\n`,
    )
      .headline,
    "on macOS 12.1 (21C52), under Rosetta",
  );
  assertStringIncludes(
    of(
      `Process: launchd [300]\nVersion: ??? (???)\n${
        access("0x7fff5fc01028")
      }\n\nBacktrace not available\n`,
    ).happened.join("\n"),
    "It still has launchd's name",
  );
  const killed = of(
    "Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace SPRINGBOARD, Code 0x8badf00d\n" +
      "Triggered by Thread: 0\n",
  ).happened.join("\n");
  assertStringIncludes(killed, "The stack of thread 0 is not in this part of the report.");
});

Deno.test("plug-ins in other folders than the program's; what was built beside it; a tweak that is suspected", () => {
  const outside = (path: string): boolean =>
    attributeReport(readReport(
      "Process: Host [1]\nPath: /Users/ann/Build/Products/Debug/Host.app/Contents/MacOS/Host\n" +
        crash(
          access("0x8"),
          ["Reverb run + 4", "Host main + 4"],
          `\nBinary Images:\n0x7000 - 0x703f Reverb arm64 <0a0b0c0d0e0f40018001020304050607> ${path}\n`,
        ),
      "x",
    )).isOutside;
  assertEquals(
    [
      "/Users/ann/Library/Audio/Plug-Ins/VST3/Reverb.vst3/Contents/MacOS/Reverb",
      "/Library/Audio/Plug-Ins/Components/Reverb.component/Contents/MacOS/Reverb",
      "/Users/ann/Build/Products/Debug/Reverb.framework/Reverb",
      "/Users/ann/Build/Products/Debug/Host.app/Contents/PlugIns/Reverb.bundle/Contents/MacOS/Reverb",
    ].map(outside),
    [true, true, false, false],
  );
  const tweak = readReport(
    "Process: Zebra\nException type: EXC_BAD_ACCESS\nException subtype: KERN_INVALID_ADDRESS: 0x8\nCulprit: Copy.dylib\n\n" +
      "Triggered by thread: 5\nThread name: (null)\nThread dispatch label: com.apple.root.default-qos\nCall stack:\n0 CoreFoundation 0x00000001d8f732b0 -[__NSDictionaryM setObject:forKey:]\n" +
      "1 Copy.dylib 0x0000000105474850 // (null)\n",
    "x",
  );
  assertEquals(attributeReport(tweak).isOutside, true);
  assertEquals(
    [tweak.crashedThread?.index, tweak.crashedThread?.name, tweak.crashedThread?.queue],
    [5, null, "com.apple.root.default-qos"],
  );
});

Deno.test("a name that a copy cuts is not told", () => {
  const { path } = explainReport(readReport(
    crash(access("0x8"), [
      "QtGui QWindow::parent() const + 8",
      "QtWidgets QWidget::raise() + 8",
      "QtWidgets QWidgetContai",
    ]),
    "x",
  ));
  assertEquals(path, ["QWidget::raise (QtWidgets)", "QWindow::parent (QtGui)"]);
});

Deno.test("reasons of Apple's frameworks and of libraries that many programs have", () => {
  const cases: readonly (readonly [name: string, reason: string, cause: string])[] = [
    [
      "NSInvalidArgumentException",
      "*** -[NSPathStore2 stringByAppendingPathComponent:]: nil argument",
      "",
    ],
    [
      "NSInvalidUnarchiveOperationException",
      "Could not instantiate class named _UIGlass because no class named",
      "a system older",
    ],
    [
      "NSInvalidArgumentException",
      "Storyboard (<UIStoryboard: 0x1>) doesn't contain a view controller with identifier 'X'",
      "misspelled",
    ],
    [
      "NSInternalInconsistencyException",
      "UITableView dataSource must return a cell from tableView:cellForRowAtIndexPath:",
      "returns nil",
    ],
    [
      "NSRangeException",
      "Attempt to scroll: attempt to scroll to invalid index path: 0 - 7",
      "index path kept",
    ],
    ["NSInvalidArgumentException", "Can't add self as subview", "two transitions"],
    [
      "NSInternalInconsistencyException",
      "Application windows are expected to have a root view controller at the end of application launch",
      "rootViewController",
    ],
    ["CALayerInvalidGeometry", "CALayer position contains NaN: [nan nan]", ""],
    [
      "NSInternalInconsistencyException",
      "This NSPersistentStoreCoordinator has no persistent stores (schema mismatch)",
      "without a migration",
    ],
    [
      "NSInvalidArgumentException",
      'Unable to parse the format string "name == \'"',
      "text of a user",
    ],
    ["NSGenericException", "Task created in a session that has been invalidated", ""],
    ["com.apple.coreaudio.avfaudio", "player started when engine not running", "not started"],
    ["NSInvalidArgumentException", "Source type 1 not available", "camera"],
    ["NSInvalidArgumentException", "Invalid Region <center:nan, nan span:nan, nan>", "no numbers"],
    [
      "NSInternalInconsistencyException",
      "<App: 0x1>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.",
      "observer that was not removed",
    ],
    [
      "com.firebase.core",
      "Configuration fails. It may be caused by an invalid GOOGLE_APP_ID in GoogleService-Info.plist",
      "GoogleService-Info.plist",
    ],
    ["RLMException", "Realm accessed from incorrect thread.", ""],
  ];
  for (const [name, reason, cause] of cases) {
    const { what, causes } = told(
      `*** Terminating app due to uncaught exception '${name}', reason: '${reason}'\n*** First throw call stack:\n(0x1 0x2)\n`,
    );
    assertStringIncludes(what, reason.replace(/\.$/, ""));
    assertStringIncludes(causes, cause, reason);
  }
  const cxx = told(
    `${abort}\n\nApplication Specific Information:\nterminating due to uncaught exception of type std::__1::system_error: ` +
      "mutex lock failed: Invalid argument\n",
  );
  assertStringIncludes(cxx.causes, "a mutex that was destroyed");
});

Deno.test("a library that refuses its configuration: it is the program's settings", () => {
  const { what, causes, whose } = told(
    `${abort}\n\nLast Exception Backtrace:\n${
      frameLines([
        "CoreFoundation __exceptionPreprocess + 8",
        "libobjc.A.dylib objc_exception_throw + 8",
        "CoreFoundation +[NSException raise:format:] + 8",
        "FirebaseCore +[FIRApp addAppToAppDictionary:] + 248",
        "FirebaseCore +[FIRApp configureWithName:options:] + 8",
        "Runner -[Plugin start] + 8",
      ]).join("\n")
    }\n\nThread 0 Crashed:\n0   libsystem_kernel.dylib   \t0x6000 __pthread_kill + 8\n`,
  );
  assertStringIncludes(
    what,
    "By the function that raised it: Firebase refused its configuration.",
  );
  assert(!causes.includes("of another app"), causes);
  assertStringIncludes(causes, "GoogleService-Info.plist");
  assertEquals(whose.slice(0, 2), ["unknown", "settings"]);
  const channel = told(
    `${abort}\n\nLast Exception Backtrace:\n${
      frameLines([
        "CoreFoundation __exceptionPreprocess + 8",
        "libobjc.A.dylib objc_exception_throw + 8",
        "CoreFoundation +[NSException raise:format:] + 8",
        "CallKit -[CXChannelAction initWithChannelUUID:] + 132",
        "Runner -[Plugin start] + 8",
      ]).join("\n")
    }\n\nThread 0 Crashed:\n0   libsystem_kernel.dylib   \t0x6000 __pthread_kill + 8\n`,
  );
  assertStringIncludes(channel.what, "CallKit refused an argument");
  assertStringIncludes(channel.causes, "a UUID or a handle that is nil");
});

Deno.test("what Flutter was to draw, and for whom, when its check failed", () => {
  const { what } = told(crash(abort, [
    "libsystem_kernel.dylib __pthread_kill + 8",
    "libsystem_c.dylib abort + 120",
    "Flutter fml::KillProcess() + 12",
    "Flutter fml::LogMessage::~LogMessage() + 412",
    "Flutter flutter::DlSkCanvasDispatcher::drawTextFrame(std::shared_ptr<impeller::TextFrame> const&, float, float) + 92",
    "Flutter flutter::Rasterizer::ScreenshotLastLayerTree(flutter::Rasterizer::ScreenshotType, bool) + 664",
    ...loop,
  ]));
  assertStringIncludes(
    what,
    "It was while Skia was to draw text that was made for Impeller, which it never can, while a screenshot of the last frame was taken for the debugging service",
  );
});

Deno.test("Flutter's view without its engine, with and without names", () => {
  const loaded = (
    address: string,
    frames: string[],
    by = "_sendViewDidLoadWithAppearanceProxyObjectTaggingEnabled",
  ) =>
    told(crash(access(address), [
      ...frames,
      `UIKitCore -[UIViewController ${by}] + 84`,
      "UIKitCore -[UIViewController loadViewIfRequired] + 968",
      ...loop,
    ]));
  const engine = "most likely its engine was not running";
  const named = [
    "Flutter -[VSyncClient initWithTaskRunner:callback:] + 300",
    "Flutter -[FlutterViewController createTouchRateCorrectionVSyncClientIfNeeded] + 216",
    "Flutter -[FlutterViewController viewDidLoad] + 396",
  ];
  const nameless = ["Flutter 0x106ec8000 + 553208", "Flutter 0x106ec8000 + 456440"];
  for (const frames of [named, nameless]) {
    const { what, causes } = loaded("0x0", frames);
    assertStringIncludes(what, engine);
    assertStringIncludes(causes, "an engine that was not yet run when the view was loaded");
    // What is no null was there.
    assert(!loaded("0x1314eb4b8", frames).what.includes(engine));
  }
  assert(!loaded("0x0", ["Flutter -[FlutterPlugin view] + 4"]).what.includes(engine));
  assert(!loaded("0x0", nameless, "viewWillAppear:").what.includes(engine));
});

Deno.test("a failed check without a message; the region before a far address", () => {
  const trap = told(
    crash("Exception Type: EXC_BREAKPOINT (SIGTRAP)", ["MyApp Model.load() + 4", ...loop]),
  );
  assertStringIncludes(trap.what, "Which check failed is not in this part of the report.");
  const said = told(crash(
    "Exception Type: EXC_BREAKPOINT (SIGTRAP)\n\nApplication Specific Information:\nFatal error: Index out of range",
    ["libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 4", "MyApp Model.load() + 4"],
  ));
  assert(!said.what.includes("Which check"), said.what);
  const far = told(crash(
    `${access("0x6001013ac00f")}\nVM Region Info: 0x6001013ac00f is not in any region.  ` +
      "Bytes after previous region: 3778723856  Bytes before following region: 35143925710833\n" +
      "      REGION TYPE   START - END  [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL\n" +
      "      MALLOC_NANO (reserved)   600018000000-600020000000 [128.0M] rw-/rwx SM=NUL\n" +
      "--->  GAP OF 0x5ffee0000000 BYTES\n",
    ["MyApp read + 4"],
  ));
  assertStringIncludes(far.what, "in no region of the process.");
  const near = told(crash(
    `${access("0x600020000100")}\nVM Regions Near 0x600020000100:\n` +
      "    VM_ALLOCATE    600018000000-600020000000 [128.0M] rw-/rwx SM=NUL\n--> \n" +
      "    __TEXT         600020000200-600020001000 [    4K] r-x/rwx SM=COW\n",
    ["MyApp read + 4"],
  ));
  assertStringIncludes(
    near.what,
    "in no region of the process: 256 bytes behind the end of VM_ALLOCATE and 256 bytes before __TEXT.",
  );
});

Deno.test("a stackshot's own exception code", () => {
  const shot = (code: string) =>
    told(
      `{"bug_type":"288","os_version":"iPhone OS 12.3.1 (16F203)"}\n{"build":"iPhone OS 12.3.1 (16F203)",` +
        `"reason":"avd: RPCTimeout message received to terminate [7]","exception":"${code}","processByPid":{}}`,
    ).what;
  assertStringIncludes(shot("0xbe18d1ee"), "Its exception code is 0xbe18d1ee.");
  assert(!shot("0xbaaaaaad").includes("exception code"));
});

Deno.test("an address without region: not canonical, a fetch, a guard that only a message names", () => {
  const intel = told(crash(
    `Code Type: X86-64 (Native)\n${access("0x0061006200630064")}\n` +
      "VM Region Info: 0x61006200630064 is in 0x7fffffe00000-0x7fc0000000000000;\n" +
      "      REGION TYPE   START - END\n--->  GPU Carveout (reserved)  1000000000-7000000000 [384.0G] ---/--- SM=NUL",
    ["MyApp use + 4", "MyApp main + 80", "dyld start + 4"],
  ));
  assertStringIncludes(intel.what, "not canonical");
  assert(!intel.what.includes("Carveout"));

  const fetch = (type: string, symbol: string) =>
    told(crash(
      "Code Type: ARM-64 (Native)\nException Type: EXC_BAD_ACCESS (SIGBUS)\n" +
        "Exception Codes: KERN_PROTECTION_FAILURE at 0x0000000000007000\n" +
        `VM Region Info: 0x7000 is in 0x7000-0x9000;\n--->  ${type}  000007000-000009000 [8K] r--/rwx SM=COW  MyLib`,
      [`MyLib ${symbol}`, "MyApp use + 40", "MyApp main + 80", "dyld start + 4"],
      "\nThread 0 crashed with ARM Thread State (64-bit):\n   sp: 0x000000016f001000   pc: 0x0000000000007000\n",
    ));
  const denied = fetch("__TEXT", "decode + 0");
  assertStringIncludes(denied.what, "that of the instruction itself");
  assertStringIncludes(denied.what, "protection r--");
  assert(!denied.what.includes("jumped"));
  assertStringIncludes(denied.causes, "protection was changed");
  assertStringIncludes(fetch("__DATA", "table + 0").what, "a wrong function pointer");

  const guarded = told(
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_PROTECTION_FAILURE at 0x000000016a00ffc0\n" +
      "Exception Message: Could not determine thread index for stack guard region\nCrashed Thread: 0\n",
  );
  assertStringIncludes(guarded.what, "most likely overflowed");
  assertStringIncludes(guarded.causes, "recursion");
  assert(!guarded.what.includes("does not say what was there"));
});

Deno.test("the program counter of a note: a call of null, a jump to what is no address", () => {
  const noted = (counter: string, name: string) =>
    told(
      `Code Type: X86-64 (Native)\nNotes:\n${name} register does not match crashing frame (${counter} vs 0x100001000)\n\n` +
        `Crashed Thread: 7\n\n${access(counter)}\n`,
    );
  assertStringIncludes(noted("0x0", "PC").what, "called a null function pointer");
  const wild = noted("0xAB00000001234568", "RIP");
  assertStringIncludes(wild.what, "jumped there");
  assertStringIncludes(wild.what, "not canonical");
  // Another address than that of the fault.
  assert(
    !told(`Notes:\nPC register does not match crashing frame (0x10 vs 0x20)\n${access("0x0")}`)
      .what.includes("null function pointer"),
  );
});

Deno.test("a check that failed in main is main's; malloc's own abort says what it found", () => {
  const main = told(crash("Exception Type: EXC_BREAKPOINT (SIGTRAP)", [
    "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 316",
    "MyTool main + 2648",
    "dyld start + 2544",
  ]));
  assertEquals(main.whose, ["program", null, "main"]);

  const freed = told(crash(abort, [
    "libsystem_kernel.dylib __pthread_kill + 10",
    "libsystem_pthread.dylib pthread_kill + 430",
    "libsystem_c.dylib abort + 120",
    "libsystem_malloc.dylib malloc_vreport + 548",
    "libsystem_malloc.dylib malloc_report + 151",
    "MyApp drop + 40",
    ...loop,
  ]));
  assertStringIncludes(freed.what, "malloc found an error");
  assert(!freed.what.includes("does not say why"));
  assertEquals(freed.whose, ["unknown", "malloc", "drop"]);
});

Deno.test("Qt's fatal error: a platform plugin only where Qt looked for one", () => {
  const fatal = (caller: string) =>
    told(crash(abort, [
      "libsystem_c.dylib abort + 120",
      "QtCore QMessageLogger::fatal(char const*, ...) const + 161",
      `${caller} + 40`,
      "MyApp main + 80",
      "dyld start + 4",
    ])).causes;
  assertStringIncludes(fatal("QtGui init_platform(QString const&)"), "platform plugin");
  assertEquals(fatal("MyApp Window::open()"), "");
});

Deno.test("the kernel's lines about a memory limit: the process's own, and what is only a warning", () => {
  const limit = (line: string) => told(`kernel: ${line}\nkernel: another line\n`);
  const fatal = limit("EXC_RESOURCE -> MyTunnel[77] exceeded mem limit: ActiveHard 50 MB (fatal)");
  assertStringIncludes(fatal.what, "more memory than its own limit");
  assertEquals(fatal.whose.slice(0, 2), ["unknown", "resource"]);
  assertStringIncludes(
    limit(
      "memorystatus: killing_specific_process pid 77 [MyTunnel] (per-process-limit 100) 51300KB",
    ).what,
    "more memory than its own limit",
  );
  assertStringIncludes(
    limit("MyApp[7] exceeded mem limit: InactiveSoft 100 MB (non-fatal)").what,
    "it was not ended",
  );
});

Deno.test("AddressSanitizer's access, the window server, a system's program without the thrower", () => {
  const access = (symbol: string) =>
    told(crash(abort, [
      "libsystem_c.dylib abort + 120",
      "libclang_rt.asan_osx_dynamic.dylib __sanitizer::Abort() + 70",
      "libclang_rt.asan_osx_dynamic.dylib __asan::ReportGenericError(unsigned long) + 700",
      `libclang_rt.asan_osx_dynamic.dylib ${symbol} + 30`,
      "MyApp parse + 40",
      ...loop,
    ]));
  assertStringIncludes(
    access("__asan_report_load1").what,
    "AddressSanitizer found a read of 1 byte",
  );
  assertStringIncludes(
    access("__asan_report_store8").what,
    "AddressSanitizer found a write of 8 bytes",
  );
  assertStringIncludes(access("__asan_report_load_n").what, "AddressSanitizer found a read in");
  assertStringIncludes(access("__asan_memcpy").what, "A sanitizer found an error");

  const early = crash(`Process: MyApp [7]\nIdentifier: MyApp\n${abort}`, [
    "libSystem.B.dylib abort + 116",
    "com.apple.HIServices _RegisterApplication + 5112",
    "com.apple.AppKit -[NSApplication init] + 712",
    "org.example.MyApp -[MyApplication init] + 56",
  ]);
  assertStringIncludes(told(early).what, "registered with the window server");
  assertEquals(attributeReport(readReport(early, "x")).isLibrary, false);

  const rethrown = (path: string) =>
    told(crash(`Process: agent [7]\nPath: ${path}\n${abort}`, [
      "libsystem_c.dylib abort + 120",
      "libc++abi.dylib std::terminate() + 56",
      "libdispatch.dylib _dispatch_client_callout + 28",
      "libsystem_pthread.dylib start_wqthread + 8",
    ])).what;
  const words = "The program itself is one of the system's";
  assertStringIncludes(rethrown("/System/Library/Frameworks/A.framework/agent"), words);
  assert(!rethrown("/Applications/A.app/Contents/MacOS/agent").includes(words));
});

Deno.test("a report without its header: the CPU by its registers, the access by the error code", () => {
  const fault = (error: string) =>
    told(crash(
      access("0x0000000000011110"),
      ["MyLib next + 4", "MyApp main + 80"],
      "\nThread 0 crashed with X86 Thread State (64-bit):\n  rip: 0x0000000000007000  cr2: 0x0000000000011110\n\n" +
        `Logical CPU:     4\nError Code:      ${error}\nTrap Number:     14\n`,
    )).what;
  const read = fault("0x00000004 (no mapping for user data read)");
  assertStringIncludes(read, "below 4 GB");
  assertStringIncludes(read, "It was a read.");
  assertStringIncludes(fault("0x00000006 (no mapping for user data write)"), "It was a write.");
  // Words and bits that do not agree.
  assert(!fault("0x00000006 (no mapping for user data read)").includes("It was a"));
});

Deno.test("a panic of watchdogd: what the service answered; UIKit's check of an index path", () => {
  const panic = told(
    "panic(cpu 1 caller 0xffffff8001234567): userspace watchdog timeout: no successful checkins from agentd in 120 seconds\n" +
      "service returned not alive with context : unresponsive dispatch queue(s): com.example.io\n" +
      "Panicked task 0xffffff9000001000: 4 threads: pid 99: watchdogd\n",
  ).what;
  assertStringIncludes(panic, "it is not alive: unresponsive dispatch queue(s): com.example.io");
  assert(!panic.includes("watchdogd [99]"), panic);

  const update = told(crash(abort, [
    "CoreFoundation __exceptionPreprocess + 220",
    "libobjc.A.dylib objc_exception_throw + 60",
    "Foundation -[NSAssertionHandler handleFailureInFunction:file:lineNumber:description:] + 108",
    "UIKitCore _UIAssertValidUpdateIndexPath + 224",
    "UIKitCore -[UITableView insertRowsAtIndexPaths:withRowAnimation:] + 172",
    "MyApp -[List changed] + 40",
    ...loop,
  ]));
  assertStringIncludes(update.what, "an index path that it was given is not valid");
  assertEquals(update.whose[2], "-[List changed]");
});

Deno.test("advice fits who can build the program, and what the report has told", () => {
  const freed = (path: string, frames: readonly string[]) =>
    told(
      `Process: Shop [7]\nPath: ${path}\n` +
        crash(access("0x00000a5a5a5a5a50"), ["libobjc.A.dylib objc_release + 16", ...frames]),
    ).next;
  const app = "/Applications/Shop.app/Contents/MacOS/Shop";
  const own = freed(app, ["Shop -[Cart sum] + 40", "Shop main + 8"]);
  assertStringIncludes(own, "zombie objects or Address Sanitizer");
  assertStringIncludes(own, "the object that -[Cart sum] (frame 1) uses");
  // Objects of C++ leave no zombies.
  const member = told(crash(access("0x00000a5a5a5a5a50"), ["Shop Cart::sum() + 40", ...loop])).next;
  assert(/Sanitizer/.test(member) && !/zombie/.test(member), member);
  assertEquals(freed("/Developer/usr/bin/Shop", ["Shop -[Cart sum] + 40"]), "");
  // Nobody but Apple builds its daemons, and there are no such tools for managed code.
  assertEquals(freed("/usr/libexec/shopd", ["Foundation -[NSArray dealloc] + 8"]), "");
  const raised = (path: string) =>
    told(
      `Process: Shop [7]\nPath: ${path}\n` + crash(abort, [
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_c.dylib __assert_rtn + 8",
        "Shop -[Cart sum] + 40",
        "Shop main + 8",
      ]),
    ).next;
  assertEquals(raised(app), "Look for the assertion's text on stderr.");
  const managed = freed(app, [
    "Shop wrapper_managed_to_native_Shop_Cart_Sum_intptr + 8",
    "Shop Shop_Cart_Sum + 8",
    "Shop main + 8",
  ]);
  assert(!/zombie|Sanitizer/.test(managed), managed);

  const failed = (information: string) =>
    told(
      crash(
        `Exception Type: EXC_BREAKPOINT (SIGTRAP)${information}`,
        ["libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 8", "Shop Cart.sum() + 8"],
      ),
    ).next;
  assertStringIncludes(failed(""), "Look for its message on stderr or in the system's log.");
  assertEquals(
    failed("\n\nApplication Specific Information:\nShop/Cart.swift:12: Fatal error: no price"),
    "",
  );
});

Deno.test("a handler of a signal that called abort() after the fault is named", () => {
  const handled = [
    "libsystem_kernel.dylib __pthread_kill + 10",
    "libsystem_c.dylib abort + 167",
    "MyApp 0x1000 + 759924",
    "libsystem_c.dylib _sigtramp + 43",
    "MyApp Shop::sell(int) + 403",
    "MyApp main + 8",
  ];
  const failed = told(crash(
    "Exception Type: EXC_BAD_ACCESS (SIGABRT)\nException Codes: KERN_INVALID_ADDRESS at 0x8",
    handled.map((line) => line.replace("0x1000 + 759924", "OnSignal(int) + 36")),
  ));
  assertStringIncludes(
    failed.what,
    "A handler of the signal in the process (OnSignal) then called abort().",
  );
});

Deno.test("what ended for its code signature was not ended from outside", () => {
  const report = readReport(
    "Process: shopd [628]\nPath: /Library/Shop/shopd\n" +
      "Exception Type: EXC_CRASH (Code Signature Invalid)\n" +
      "Exception Codes: 0x0000000000000000, 0x0000000000000000\n\n" +
      "Termination Signal: Terminated: 15\nTermination Reason: Namespace SIGNAL, Code 0xf\n" +
      "Terminating Process: launchd [1]\n",
    "x",
  );
  assertEquals(attributeReport(report).absent, "packaging");
});

Deno.test("what a C++ library caught to clean up and raised again was raised for the same caller", () => {
  const stack = (again: string) =>
    readReport(
      crash(
        `${abort}\n\nApplication Specific Information:\nterminating with uncaught exception of type std::runtime_error: x`,
        [
          "libsystem_c.dylib abort + 4",
          "libc++abi.dylib abort_message + 231",
          "libc++abi.dylib demangling_terminate_handler() + 238",
          "libc++abi.dylib std::__terminate(void (*)()) + 8",
          "libc++abi.dylib __cxa_rethrow + 99",
          again,
          "MyApp lower(char const*) + 63",
          "MyApp main + 8",
        ],
      ),
      "x",
    );
  const { verdict, deciding } = attributeReport(
    stack(
      "libc++.1.dylib std::__1::locale::__imp::__imp(std::__1::string const&, unsigned long) + 1363",
    ),
  );
  assertEquals([verdict, deciding?.frame.index], ["program", 6]);
  assertEquals(attributeReport(stack("MyApp retry() + 4")).absent, "left");
});

Deno.test("libraries of X11, which a system lacks", () => {
  const { causes, next } = told(
    "Exception Type: EXC_BREAKPOINT (SIGTRAP)\n\nDyld Error Message:\n" +
      "  Library not loaded: /usr/X11/lib/libcairo.2.dylib\n" +
      "  Referenced from: /Applications/Draw.app/Contents/MacOS/Draw\n  Reason: image not found\n",
  );
  assertStringIncludes(causes, "XQuartz");
  assertStringIncludes(next, "Install XQuartz");
});

Deno.test("whose code asked Swift's run-time for a class; what only unloads a library", () => {
  const { what } = told(crash(abort, [
    "libsystem_c.dylib abort + 180",
    "libswiftCore.dylib swift::fatalErrorv(unsigned int, char const*, char*) + 128",
    "libswiftCore.dylib swift::fatalError(unsigned int, char const*, ...) + 32",
    "libswiftCore.dylib getSuperclassMetadata + 816",
    "libswiftCore.dylib _swift_initClassMetadataImpl(swift::TargetClassMetadata*) + 76",
    "_PlayerKit_SwiftUI 0x7000 + 20128",
    "libswiftCore.dylib swift_getGenericMetadata + 92",
    "MyApp main + 8",
  ]));
  assertStringIncludes(what, "The class is of _PlayerKit_SwiftUI (frame 5).");
  const unloaded = attributeReport(readReport(
    crash(access("0x115ab5cb0"), [
      "libsystem_malloc.dylib free + 58",
      "dyld dlclose + 134",
      "MyApp libloading::os::unix::{{impl}}::drop::{{closure}} + 43",
      "MyApp _$LT$libloading..os..unix..Library$u20$as$u20$core..ops..Drop$GT$::drop::hd8137c4da21c7d9d + 45",
      "MyApp drop::h9ed5b642e5309eab + 17",
      "MyApp shop::reload + 835",
      "MyApp main + 8",
    ]),
    "x",
  ));
  assertEquals(unloaded.deciding?.frame.symbol, "shop::reload");
  assertEquals(unloaded.maker, null);
});

Deno.test("a native library that Java called the virtual machine by is in the path", () => {
  const { path } = explainReport(readReport(
    crash(access("0x10"), [
      "libjvm.dylib JNIHandleBlock::allocate_handle(oopDesc*) + 336",
      "libjvm.dylib jni_NewGlobalRef + 138",
      "libswt-cocoa.jnilib Java_org_eclipse_swt_internal_cocoa_OS_NewGlobalRef + 53",
      "??? ???",
    ]),
    "x",
  ));
  assertStringIncludes(path[0], "Java_org_eclipse_swt_internal_cocoa_OS_NewGlobalRef");
});

Deno.test("a program without an identifier has no name in its line of the list of images", () => {
  const { images } = readReport(
    "Process: Game [57]\nPath: /Applications/Game.app/Contents/MacOS/Game\n" +
      crash(
        access("0x8"),
        ["??? play + 4"],
        "\nBinary Images:\n       0x100000000 -        0x101869fff + (0) <D256F9FC-5D4C-3EC0-B87E-1BADE2D372ED> \n" +
          "       0x10e792000 -        0x10e7a1fff  libobjc.A.dylib (818.2) <0FECD337-2668-3E38-B494-E75D781B054C> /usr/lib/libobjc.A.dylib\n",
      ),
    "x",
  );
  assertEquals(images.map(({ name, version }) => [name, version]), [
    ["Game", "0"],
    ["libobjc.A.dylib", "818.2"],
  ]);
});

Deno.test("Python without a state of the thread: what called it, and no script", () => {
  const stack = (top: string, address: string) =>
    told(
      crash(access(address), [
        `Python ${top} + 32`,
        "Python PyEval_EvalCodeEx + 136",
        "Python PyObject_Call + 48",
        "timers.so onTimer + 248",
        "CoreFoundation __CFRunLoopDoTimer + 244",
        "MyApp main + 8",
      ]),
    );
  const { what, causes, whose } = stack("PyFrame_New", "0x10");
  assertStringIncludes(what, "does not hold the lock (GIL)");
  assertStringIncludes(causes, "PyGILState_Ensure");
  assertEquals(whose[2], "onTimer");
  assertStringIncludes(stack("PyErr_Occurred", "0x48").what, "(GIL)");
  assert(!stack("PyFrame_New", "0x104f00010").what.includes("(GIL)"));
  assert(!stack("PyDict_GetItem", "0x8").what.includes("(GIL)"));
});

Deno.test("an image without a name is not taken for the program, where that has one", () => {
  const report = readReport(
    "Date/Time: 2016-04-20 15:29:05 +0530\nOS Version: Mac OS X 10.11.4 (Build 15E65)\n" +
      "Command: MyApp\nPath: /Applications/MyApp.app/Contents/MacOS/MyApp\nPID: 22589\n\n" +
      "Event: hang\nDuration: 1.40s (process was unresponsive for 1154 seconds before sampling)\nSteps: 14 (100ms sampling interval)\n\n" +
      "Heaviest stack for the main thread of the target process:\n" +
      "  14  main + 1230 (MyApp + 7760) [0x100001e50]\n" +
      "  14  ??? (<F98649B9-E3DF-A09F-77A9-349AEAF51668> + 14614) [0x1000bb916]\n" +
      "  14  __psynch_cvwait + 10 (libsystem_kernel.dylib + 93278) [0x7fff57fa4c5e]\n",
    "x",
  );
  const { deciding, isLibrary } = attributeReport(report);
  assertStringIncludes(deciding?.library ?? "", "F98649B9");
  assertEquals(isLibrary, null);
});

Deno.test("what the reporter notes of its own questions is no line that was not understood", () => {
  const { what } = told(
    "Process: MyApp [7]\n\nNotes:\n" +
      "thread_get_state(PAGEIN) returned 0x10000003: (ipc/send) invalid destination port\n\n" +
      "Exception Type: EXC_BAD_INSTRUCTION (SIGILL)\n\nApplication Specific Information:\n" +
      "XPC API Misuse: Array mutated during iteration\n\nApplication Specific Signatures:\nAPI Misuse\n",
  );
  assert(!what.includes("not understood"), what);
  assert(!what.includes("It says: API Misuse"), what);
});

Deno.test("text of UTF-16 is told of the register that has it", () => {
  const { what } = told(
    crash(
      `Code Type: X86-64 (Native)\n${access("0x0070006d00690040")}`,
      ["MyApp close + 37", "MyApp main + 8"],
      "\nThread 0 crashed with X86 Thread State (64-bit):\n" +
        "  rax: 0x0000000000000001  rcx: 0x0070006d00690020  rsp: 0x000000030618a760  rip: 0x0000000000007000\n",
    ),
  );
  assertStringIncludes(what, 'it comes of rcx, whose bytes are the text " imp" in UTF-16');
});

Deno.test("a copy that ends within the handler of a signal, or within Rust's own functions", () => {
  const head =
    "Exception Type: EXC_BAD_ACCESS (SIGABRT)\nException Codes: KERN_INVALID_ADDRESS at 0x100f00010";
  const cut = told(crash(head, [
    "libsystem_kernel.dylib __pthread_kill + 10",
    "libsystem_c.dylib abort + 168",
    "libmonosgen-2.0.dylib mono_handle_native_sigsegv + 592",
    "libmonosgen-2.0.dylib mono_arch_handle_altstack_exception + 149",
  ]));
  assertStringIncludes(cut.what, "Mono's own handler of the signal");
  assert(!cut.what.includes("does not say why"), cut.what);
  assert(!told(crash(head, ["libsystem_c.dylib abort + 168"])).what.includes("does not say why"));
  const rust = told(crash(abort, [
    "libsystem_c.dylib abort + 124",
    "MyApp std::sys::pal::unix::abort_internal::he83a14397ef717ae + 12",
    "MyApp std::process::abort::h2f4325b8d66c2416 + 12",
    "MyApp std::panicking::panic_with_hook::h93c775fc227522dd + 784",
  ]));
  assertEquals(rust.whose, ["unknown", "outer", null]);
});

Deno.test("a binding's function is not told beside the one that it is named by", () => {
  const path = (inner: string) =>
    explainReport(readReport(
      crash(access("0x8"), [
        `libcart.dylib ${inner} + 4`,
        "_cart.so _wrap_Cart_pay + 80",
        "MyApp main + 8",
      ]),
      "x",
    )).path.join(" ");
  assert(!path("Cart::pay").includes("_wrap_"), path("Cart::pay"));
  assertStringIncludes(path("Sum::add"), "_wrap_Cart_pay");
});

Deno.test("memory for code that is made while the program runs may be written or run on Apple silicon, not both", () => {
  const refused = (esr: string, pc: string, cpu = "ARM-64") =>
    told(
      `Code Type: ${cpu} (Native)\nOS Version: macOS 14.3 (23D56)\n` +
        crash(
          "Exception Type: EXC_BAD_ACCESS (SIGBUS)\nException Codes: KERN_PROTECTION_FAILURE at 0x0000000104001000\n" +
            "\nVM Region Info: 0x104001000 is in 0x104000000-0x108000000;  bytes after start: 4096  bytes before end: 67104767\n" +
            "      REGION TYPE                    START - END         [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL\n" +
            "--->  VM_ALLOCATE                 104000000-108000000    [ 64.0M] rwx/rwx SM=PRV\n",
          ["MyApp Assembler::emit(unsigned int) + 40", "MyApp main + 8"],
          "\nThread 0 crashed with ARM Thread State (64-bit):\n" +
            `    x0: 0x0000000104001000   fp: 0x000000016f1ff040   lr: 0x0000000100802000\n` +
            `    sp: 0x000000016f1ff000   pc: ${pc} cpsr: 0x60001000\n` +
            `   far: 0x0000000104001000  esr: ${esr}\n`,
        ),
    );
  const write = refused("0x9200004f (Data Abort) byte write Permission fault", "0x7028");
  assertStringIncludes(write.what, "the thread was set to run it, and may not write there");
  assertStringIncludes(write.causes, "pthread_jit_write_protect_np(0)");
  const run = refused("0x8200000f (Instruction Abort) Permission fault", "0x104001000");
  assertStringIncludes(run.what, "the thread was set to write there, and may not run it");
  assert(!run.what.includes("wrong function pointer"), run.what);
  const intel = refused("0x9200004f (Data Abort) byte write Permission fault", "0x7028", "X86-64");
  assert(!intel.what.includes("MAP_JIT"), intel.what);
});

Deno.test("WebKit's first use on another thread; what Java compiled is called by its virtual machine alone", () => {
  const web = (thread: number) =>
    told(
      `Exception Type: EXC_BREAKPOINT (SIGTRAP)\n\nThread ${thread} Crashed:\n${
        frameLines([
          "WebKit WebKit::runInitializationCode(void*) + 88",
          "WebKit WebKit::InitializeWebKit2() + 88",
          "WebKit -[WKWebViewConfiguration init] + 108",
          "MyApp makeView + 80",
        ]).join("\n")
      }\n`,
    ).what;
  assertStringIncludes(
    web(4),
    "WebKit was used for the first time on a thread that is not the main",
  );
  assert(!web(0).includes("is not the main"), web(0));
  const whose = (caller: string) =>
    told(
      crash(
        "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x10",
        [
          "0x0000000106143758 ??? ???",
          caller,
          "0x0000000106143858 ??? ???",
          "libjvm.dylib JavaCalls::call_helper(JavaValue*, methodHandle*) + 22",
          "libsystem_pthread.dylib _pthread_start + 8",
        ],
      ),
    ).whose;
  assertEquals(whose("libjvm.dylib JavaCalls::call(JavaValue*) + 4")[1], "compiled");
  assertEquals(whose("libemit.dylib emit + 4").slice(1), [null, "emit"]);
});

Deno.test("Mono's handler of a signal that passes it on to the program's, which calls abort()", () => {
  const { what } = told(crash(`${abort}\nException Codes: 0x0000000000000000, 0x0000000000000000`, [
    "libsystem_kernel.dylib __pthread_kill + 10",
    "libsystem_c.dylib abort + 195",
    "Player.dylib HandleSignal(int, __siginfo*, void*) + 36",
    "libmonobdwgc-2.0.dylib mono_chain_signal + 84",
    "libmonobdwgc-2.0.dylib mono_sigsegv_signal_handler + 170",
    "libsystem_platform.dylib _sigtramp + 26",
    "Player.dylib Node::attach(Node*) + 36",
    "MyApp main + 8",
  ]));
  assertStringIncludes(what, "(HandleSignal), to which Mono's passed the signal on");
  assertStringIncludes(
    what,
    "that of a bad access, in Node::attach(Node*) (Player.dylib) (frame 6)",
  );
  assert(!what.includes("does not say why"), what);
});

Deno.test("Rust's handler of signals aborts for a full stack alone; a program's handler is not Emacs's", () => {
  const handled = (handler: string, failed: string) =>
    told(crash(`${abort}\nException Codes: 0x0000000000000000, 0x0000000000000000`, [
      "libsystem_c.dylib abort + 195",
      handler,
      "libsystem_platform.dylib _sigtramp + 26",
      failed,
      failed,
      "MyApp main + 8",
    ]));
  const rust = handled(
    "MyApp std::sys::pal::unix::stack_overflow::imp::signal_handler::h0123456789abcdef + 824",
    "MyApp shop::parse::h0123456789abcdef + 24",
  );
  assertStringIncludes(rust.what, "A thread's stack was full: Rust's own handler");
  assertEquals(rust.what.split("stack was full").length, 2, rust.what);
  assertStringIncludes(rust.causes, "recursion");
  assert(!rust.what.includes("does not say why"), rust.what);
  const own = handled("MyApp handle_fatal_signal + 824", "MyApp Query::run() + 24").what;
  assertStringIncludes(own, "(handle_fatal_signal, frame 1) ended it by abort()");
});

Deno.test("a paragraph in italics that begins with dyld's message ends with its mark", () => {
  const { what } = told(
    "*Process: Lab [2368]\nPath: /Applications/Lab.app/Contents/MacOS/Lab\nUser ID: 501*\n\n" +
      "*Date/Time: 2015-04-22 12:05:40.073 +0200\nOS Version: Mac OS X 10.8.5 (12F2518)\nReport Version: 10*\n\n" +
      "*Interval Since Last Report: 149802 sec\nCrashes Since Last Report: 4*\n\n" +
      "Exception Type: EXC_BREAKPOINT (SIGTRAP)\n\n" +
      "*Dyld Error Message:\n  Symbol not found: _add\n  Referenced from: /opt/sum.dylib\n  Expected in: /opt/math.dylib*\n",
  );
  assertStringIncludes(what, "_add");
  assert(!what.includes("math.dylib*"), what);
});

Deno.test("what is behind the code block that a report was pasted into is not its message", () => {
  const pasted = (rest: string) =>
    told(
      `\`\`\`\n${abort}\n\nApplication Specific Information:\nabort() called\n${rest}`,
    ).what;
  const image = "![Shot](https://example.org/a.png)";
  const behind = pasted(`\n\`\`\`\n\n${image}\n\nBuild: https://example.org/build/1\n`);
  assert(!behind.includes("example.org"), behind);
  assert(!pasted(`${image}\n`).includes("example.org"));
  // What follows in a further block is the report's.
  const again = pasted(
    `\`\`\`\nand\n\`\`\`\nThread 0 Crashed:\n${
      frameLines(["Shop -[Cart pay] + 8"], 0x7000).join("\n")
    }\n`,
  );
  assert(!again.includes("was not found"), again);
});

Deno.test("SwiftUI's binding to an element that is gone; RevenueCat's stop of a build with a key for tests", () => {
  const trap = "Exception Type: EXC_BREAKPOINT (SIGTRAP)";
  const bound = (between: string) =>
    told(crash(trap, [
      "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 8",
      "libswiftCore.dylib Array._checkSubscript(_:wasNativeTypeChecked:) + 8",
      "libswiftCore.dylib Array.subscript.read + 8",
      between,
      "SwiftUICore closure #1 in Binding<A>.subscript.getter + 8",
      "SwiftUICore Binding.readValue() + 8",
      ...loop,
    ]));
  const found = bound("libswiftCore.dylib protocol witness for Collection.subscript.read + 8");
  assertStringIncludes(found.what, "A binding of SwiftUI stood for an element of an array");
  assertStringIncludes(found.causes, "an element that was removed");
  assertEquals(found.whose.slice(0, 2), ["unknown", "bound"]);
  assertEquals(bound("MyApp Cart.subscript.read + 8").whose[2], "Cart.subscript.read");
  // As services write the whole name.
  const whole = told(crash("Exception Type: SIGTRAP\nException Codes: TRAP_BRKPT at 0x1c3b7e5e0", [
    "libswiftCore.dylib Swift._assertionFailure(_: Swift.StaticString, file: Swift.StaticString) -> Swift.Never + 8",
    "MyApp Shop.configure() + 8",
    ...loop,
  ]));
  assertStringIncludes(whole.what, "A Swift check failed");
  const { what, whose } = told(crash(trap, [
    "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 8",
    "MyApp closure #1 in Configuration.APIKeyValidationResult.checkForSimulatedStoreAPIKeyInRelease(systemInfo:apiKey:) + 8",
    "MyApp Shop.configure() + 8",
    ...loop,
  ]));
  assertStringIncludes(what, "RevenueCat's SDK stopped the program on purpose");
  assertEquals(whose.slice(0, 2), ["unknown", "settings"]);
});

Deno.test("managed code of a program: nameless frames of the class library, and who else is where a mutex is taken", () => {
  const { what, whose } = told(
    `Exception Type: 00000020\nException Codes: 0x8badf00d\nCrashed Thread: 0\n\nThread 0:\n${
      frameLines([
        "libsystem_kernel.dylib __psynch_mutexwait + 8",
        "libsystem_c.dylib pthread_mutex_lock + 8",
        "Shop mono_runtime_class_init_full + 8",
        "Shop mscorlib_System_DateFormat__cctor (mscorlib.dll.7.s:22)",
        "Shop 0x1000",
        "Shop mscorlib_string_Format_string_object__ (mscorlib.dll.7.s:42)",
        "Shop 0x1000",
        "Shop Cart_Log_Append_string + 8",
        "Shop mono_jit_runtime_invoke + 8",
        "Shop main + 8",
      ], 0x7000).join("\n")
    }\n\nThread 1:\n${
      frameLines(["Shop g_hash_lookup + 8", "Shop mono_runtime_class_init_full + 8"], 0x7000).join(
        "\n",
      )
    }\n`,
  );
  assertStringIncludes(what, "Thread 1 was in mono_runtime_class_init_full, too");
  assertEquals(whose[2], "Cart_Log_Append_string");
});

Deno.test("Java's virtual machine stops threads at safepoints, as to collect garbage", () => {
  const of = (collector: string, whole = "") =>
    told(
      `Analysis of sampling Shop (pid 42) every 1 millisecond\nProcess: Shop [42]\n\nCall graph:\n` +
        "    10 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)\n" +
        "    + 10 start  (in dyld) + 1  [0x7000]\n" +
        "    +   10 CollectedHeap::obj_allocate(KlassHandle, int, Thread*)  (in libjvm.dylib) + 1  [0x7001]\n" +
        "    +     10 SafepointSynchronize::block(JavaThread*)  (in libjvm.dylib) + 1  [0x7002]\n" +
        "    +       10 __psynch_cvwait  (in libsystem_kernel.dylib) + 8  [0x7003]\n" +
        "    10 Thread_2\n" +
        "      10 VMThread::run()  (in libjvm.dylib) + 1  [0x7004]\n" +
        `        10 ${collector}  (in libjvm.dylib) + 1  [0x7005]\n` + whole +
        "\nTotal number in stack (recursive counted multiple, when >=5):\n\n",
    );
  const sample = (collector: string): string => of(collector).what;
  const stopped = "Java's virtual machine had stopped it at a safepoint, where it asked for memory";
  assertStringIncludes(sample("VM_ParallelGCFailedAllocation::doit()"), stopped);
  assertStringIncludes(
    sample("VM_ParallelGCFailedAllocation::doit()"),
    "while thread 1 collected garbage",
  );
  assert(!sample("VM_Deoptimize::doit()").includes("collected garbage"));
  const compacts =
    "          10 PSParallelCompact::invoke(bool)  (in libjvm.dylib) + 1  [0x7006]\n";
  const full = of("VM_ParallelGCFailedAllocation::doit()", compacts);
  assertStringIncludes(full.causes, "a Java heap that is nearly full");
  assertStringIncludes(full.next, "(-Xmx)");
  assertEquals(of("VM_ParallelGCFailedAllocation::doit()").causes.includes("heap"), false);
});

Deno.test("a crash that a test asked for; the owner of a guard page; the handler of a dispatch source", () => {
  const test = told(crash(access("0x42"), [
    "MyApp +[KSCrashTriggersList trigger_mach_badAccess] + 28",
    "MyApp +[KSCrashTriggersHelper runTrigger:] + 8",
    ...loop,
  ]));
  assertStringIncludes(test.what, "made the process crash on purpose");
  assertEquals(test.causes, "");
  const guard = (thread: number) =>
    told(
      "Crashed Thread: 17 Dispatch queue: oven\nException Type: EXC_BAD_ACCESS (SIGBUS)\n" +
        "Exception Codes: KERN_PROTECTION_FAILURE at 0x0000700006d21fd0\n\nVM Regions Near 0x700006d21fd0:\n" +
        "    Stack                    700006c9e000-700006d20000 [  520K] rw-/rwx SM=SHM  thread 16\n" +
        `--> STACK GUARD              700006d21000-700006d22000 [    4K] ---/rwx SM=NUL  stack guard for thread ${thread}\n` +
        "    Stack                    700006d22000-700006da4000 [  520K] rw-/rwx SM=SHM  thread 17\n",
    ).what;
  assertStringIncludes(guard(17), "of the stack of thread 17, which crashed: the stack is full");
  assert(!guard(16).includes("which crashed: the stack is full"), guard(16));
  const source = told(crash(abort, [
    "libsystem_c.dylib abort + 8",
    "MyApp -[Cart check] + 8",
    "libdispatch.dylib _dispatch_client_callout + 8",
    "libdispatch.dylib _dispatch_continuation_pop + 8",
    "libdispatch.dylib _dispatch_source_latch_and_call + 8",
    "libdispatch.dylib _dispatch_source_invoke + 8",
    "libdispatch.dylib _dispatch_main_queue_callback_4CF + 8",
    ...loop,
  ])).what;
  assertStringIncludes(source, "in the handler of a dispatch source, such as a timer's");
});

Deno.test("the loop of Flutter's engine is told, not what of the system wakes it", () => {
  const drawn = told(crash(access("0x8"), [
    "Flutter flutter::Cart::bake(void*) + 4",
    "Flutter fml::MessageLoopImpl::FlushTasks(fml::FlushType) + 156",
    "Flutter fml::MessageLoopDarwin::OnTimerFire(__CFRunLoopTimer*, fml::MessageLoopDarwin*) + 32",
    "CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__ + 28",
    "CoreFoundation __CFRunLoopDoTimer + 948",
    "CoreFoundation CFRunLoopRunSpecific + 572",
    "Flutter fml::MessageLoopDarwin::Run() + 88",
  ]));
  assert(!drawn.what.includes("in a timer"), drawn.what);
  assertStringIncludes(drawn.what, "in a task of Flutter's message loop");
});

Deno.test("C++: what its library's functions throw by their names; Qt: what is fatal to a function of its own", () => {
  const thrown = (...by: string[]) =>
    told(crash(abort, [
      "libsystem_c.dylib abort + 180",
      "libc++abi.dylib abort_message + 132",
      "libc++abi.dylib demangling_terminate_handler() + 348",
      "libc++abi.dylib std::__terminate(void (*)()) + 16",
      "libc++abi.dylib __cxxabiv1::failed_throw(__cxxabiv1::__cxa_exception*) + 88",
      "libc++abi.dylib __cxa_throw + 308",
      ...by,
      "MyApp Oven::bake(int) + 40",
      ...loop,
    ]));
  const range = thrown(
    "libc++.1.dylib std::__1::__throw_out_of_range[abi:v160006](char const*) + 60",
  );
  assertStringIncludes(range.what, "threw a std::out_of_range");
  assertStringIncludes(range.causes, "a position or key that is not there");
  const other = thrown("libc++.1.dylib std::__1::__throw_runtime_error(char const*) + 60");
  assertStringIncludes(other.what, "The C++ library threw an exception");
  const size = thrown("libc++abi.dylib operator new(unsigned long) + 100");
  assertStringIncludes(size.what, "A C++ allocation failed");
  assertStringIncludes(size.next, "Check the size in Oven::bake (frame 7).");
  assert(!thrown().what.includes("allocation"));
  const fatal = (by: string) =>
    told(crash(abort, [
      "libsystem_c.dylib abort + 180",
      "QtCore qt_message_fatal(QtMsgType, QMessageLogContext const&, QString const&) + 12",
      "QtCore QMessageLogger::fatal(char const*, ...) const + 190",
      `QtCore ${by} + 50`,
      "MyApp Oven::~Oven() + 40",
      ...loop,
    ])).what;
  assertStringIncludes(
    fatal("QThread::~QThread()"),
    "A QThread was destroyed while its thread still",
  );
  assertStringIncludes(fatal("qt_assert(char const*, char const*, int)"), "An assertion of Qt");
  assertStringIncludes(fatal("QWidgetPrivate::init(QWidget*)"), "there is no QApplication");
  assertStringIncludes(fatal("QTimer::start()"), "reported a fatal error");
});

Deno.test("widgets of a library on a thread that is not the main one; the end of Python's interpreter", () => {
  const drawn = (index: number, name = "QWidget::repaint()") =>
    told(
      `${access("0x8")}\nCrashed Thread: ${index}\n\nThread 0:\n${
        frameLines(["libsystem_kernel.dylib mach_msg_trap + 8", ...loop], 0x9000).join("\n")
      }\n\nThread ${index} Crashed:\n${
        frameLines([
          "QtGui QWindow::handle() const + 8",
          `QtWidgets ${name} + 200`,
          "MyApp Worker::run() + 40",
          "libsystem_pthread.dylib _pthread_start + 136",
        ], 0x7000).join("\n")
      }\n`,
    );
  const aside = drawn(7);
  assertStringIncludes(
    aside.what,
    "Thread 7 was in Qt's widgets: widgets are to be used from the main",
  );
  assertStringIncludes(aside.causes, "Qt's widgets used from another thread than the main one");
  assertStringIncludes(aside.next, "on the main thread");
  assert(!drawn(7, "QImage::fill(int)").what.includes("Qt's widgets"));
  const main = told(crash(access("0x8"), ["QtWidgets QWidget::repaint() + 200", ...loop]));
  assert(!main.what.includes("Qt's widgets"), main.what);
  const ended = told(crash(access("0x8"), [
    "MyApp freeOven + 40",
    "Python finalize_modules + 200",
    "Python Py_FinalizeEx + 100",
    "MyApp main + 8",
  ]));
  assertStringIncludes(ended.what, "while Python ended");
});

Deno.test("what a signal interrupted has no name where the walk has none; another thread's handler is told", () => {
  const handled = (word: string): string =>
    told(crash(`Code Type: X86 (Native)\n${abort}`, [
      "libsystem_kernel.dylib __pthread_kill + 10",
      "libsystem_c.dylib abort + 167",
      "monoshop mono_handle_native_sigsegv + 1060",
      "libsystem_c.dylib _sigtramp + 43",
      ...word === "" ? [] : [`${word} ??? 0 + 4294967295`],
      "CoreFoundation __CFRunLoopServiceMachPort + 170",
      ...loop,
    ])).what;
  assertStringIncludes(
    handled("0xffffffff"),
    "was met in __CFRunLoopServiceMachPort (CoreFoundation) (frame 5) or what it called.",
  );
  assertStringIncludes(
    handled(""),
    "was met in __CFRunLoopServiceMachPort (CoreFoundation) (frame 4).",
  );
  const [crashed, other] = [
    [
      "libsystem_kernel.dylib __pthread_kill + 10",
      "libsystem_c.dylib abort + 93",
      "libsystem_kernel.dylib internal_catch_exception_raise + 46",
      "libsystem_kernel.dylib _Xexception_raise + 232",
      "MyApp serve_exceptions + 129",
      "libsystem_pthread.dylib _pthread_start + 20",
    ],
    [
      "MyApp on_fault + 20",
      "libsystem_c.dylib _sigtramp + 43",
      "libglib.dylib g_pattern_find + 30",
      ...loop,
    ],
  ].map((frames) => frameLines(frames, 0x7000).join("\n"));
  assertStringIncludes(
    told(`${abort}\n\nThread 0:\n${other}\n\nThread 1 Crashed:\n${crashed}\n`).what,
    "Thread 0 was in a handler of a signal (on_fault), which had interrupted g_pattern_find (libglib.dylib) or what it called.",
  );
});

Deno.test("GNU's terminate handler, a source's handler that is released, allocators in a panic's path", () => {
  const thrown = told(crash(abort, [
    "libSystem.B.dylib abort + 93",
    "libstdc++.6.dylib __gnu_cxx::__verbose_terminate_handler() + 433",
    "libstdc++.6.dylib __cxxabiv1::__terminate(void (*)()) + 10",
    "libstdc++.6.dylib __gxx_exception_cleanup(_Unwind_Reason_Code, _Unwind_Exception*) + 0",
    "libstdc++.6.dylib operator new(unsigned long) + 101",
    "MyApp Cart::grow() + 27",
    ...loop,
  ]));
  assertStringIncludes(thrown.what, "A C++ exception was not caught");
  assertStringIncludes(thrown.what, "A C++ allocation failed");
  assert(!thrown.what.includes("__gxx_exception_cleanup"), thrown.what);
  const bare = told(crash(abort, [
    "libSystem.B.dylib abort + 93",
    "libstdc++.6.dylib __gnu_cxx::__verbose_terminate_handler() + 433",
    "MyApp Cart::grow() + 27",
    ...loop,
  ])).what;
  assertStringIncludes(bare, "std::terminate() was called");
  const released = told(crash(access("0x216b7cf75fb8"), [
    "libobjc.A.dylib objc_release + 16",
    "libsystem_blocks.dylib _Block_release + 236",
    "libdispatch.dylib _dispatch_source_handler_dispose + 36",
    "libdispatch.dylib _dispatch_source_latch_and_call + 504",
    "libdispatch.dylib _dispatch_source_invoke + 844",
    "libdispatch.dylib _dispatch_main_queue_callback_4CF + 44",
    ...loop,
  ])).what;
  assertStringIncludes(released, "while the handler of a dispatch source was released");
  assert(!released.includes("in the handler of"), released);
  const panic = told([
    'panic(cpu 2 caller 0xffffff8012801df5): "zfree: double free of 0xffffff80285d9000 to zone kalloc.8192\\n"@/src/osfmk/kern/zalloc.c:1304',
    "Backtrace (CPU 2), Frame : Return Address",
    ...["_panic + 0x63", "_zfree + 0x67a", "_kfree_addr + 0x68", "_deflateEnd + 0x87"]
      .concat(["_shop_lookup + 0x63", "_shop_input + 0x112", "_ip_input + 0x18b6"])
      .map((frame, at) => `0xffffff912141b4${at}0 : 0xffffff801280${at}df5 mach_kernel : ${frame}`),
    "\nBSD process name corresponding to current thread: kernel_task\n",
  ].join("\n")).what;
  assertStringIncludes(panic, "to zone kalloc.8192\n");
  assertStringIncludes(
    panic,
    "raised in zfree, called by kfree_addr, deflateEnd, shop_lookup, shop_input, ip_input.",
  );
});

Deno.test("a small number is no null for a C string; GLib's assertion by the names behind; a trap in a signal's handler", () => {
  const small = (address: string): string =>
    told(
      crash(access(address), ["libsystem_platform.dylib strlen + 80", "MyApp draw + 8", ...loop]),
    )
      .what;
  assertStringIncludes(small("0x5"), "a pointer that is no string");
  assertStringIncludes(small("0x0"), "a pointer that is null");
  const checked = told(crash(abort, [
    "libSystem.B.dylib __abort + 136",
    "libSystem.B.dylib abort_report_np + 0",
    "libglib-2.0.0.dylib g_assertion_message_expr + 0",
    "libglib-2.0.0.dylib g_assertion_message_cmpnum + 0",
    "MyApp draw_region + 98",
    ...loop,
  ]));
  assertStringIncludes(checked.what, "A check of a program that uses GLib failed");
  assertEquals(checked.whose[2], "draw_region");
  const handled = told(crash("Exception Type: EXC_BREAKPOINT (SIGTRAP)", [
    "libunwind.dylib _Unwind_RaiseException + 368",
    "libc++abi.dylib __cxa_throw + 132",
    "ExceptionHandling NSExceptionHandlerUncaughtSignalHandler + 52",
    "libsystem_platform.dylib _sigtramp + 56",
    "CoreGraphics argb32_sample + 188",
    ...loop,
  ])).what;
  assertStringIncludes(handled, "libunwind.dylib, a library of the system, executed a trap");
  assert(!handled.includes("CoreGraphics, a library of the system"), handled);
});

Deno.test("an address above the region that a report marks is in none", () => {
  const near = (address: string): string =>
    told(
      `Code Type: X86-64 (Native)\n${access(address)}\n\nVM Regions Near ${address}:\n` +
        "--> shared memory          00007ffffff33000-00007ffffff34000 [    4K] r-x/r-x SM=SHM  \n    \n",
    ).what;
  assert(!near("0xfffffffffffffff8").includes("in a region"), near("0xfffffffffffffff8"));
  assertStringIncludes(near("0x7ffffff33010"), "in a region of type shared memory");
});

Deno.test("a queue's worker that empties its pool runs no block", () => {
  const worker = (inner: string[]): string =>
    told(
      "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x0000000000000010\n\n" +
        `Thread 3 name:  Dispatch queue: org.shop.db\nThread 3 Crashed:\n${
          frameLines([
            "libobjc.A.dylib objc_release + 16",
            ...inner,
            "libdispatch.dylib _dispatch_root_queue_drain + 1062",
            "libdispatch.dylib _dispatch_worker_thread3 + 99",
            "libsystem_pthread.dylib _pthread_wqthread + 1299",
            "libsystem_pthread.dylib start_wqthread + 13",
          ], 0x7000).join("\n")
        }\n`,
    ).what;
  assertStringIncludes(
    worker(["libobjc.A.dylib (anonymous namespace)::AutoreleasePoolPage::pop(void*) + 781"]),
    "a thread of dispatch queues emptied its autorelease pool",
  );
  assertStringIncludes(
    worker(["MyApp -[Cart draw] + 8", "libdispatch.dylib _dispatch_client_callout + 8"]),
    "in a block on the queue org.shop.db",
  );
});
