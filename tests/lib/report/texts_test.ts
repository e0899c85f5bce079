/** Lines of texts that several kinds of reports share, and what is told by them. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  attributeReport,
  explainReport,
  readReport,
  readReports,
} from "../../../lib/report/mod.ts";

const explain = (text: string) => explainReport(readReport(text, "x"));
const told = (text: string): string => explain(text).happened.join("\n");

Deno.test("a piece of a resource report's header: what was used, and that nothing was ended", () => {
  const { headline, happened } = explain(
    "Event:            cpu usage\nAction taken:     none\n" +
      "CPU:              90 seconds cpu time over 98 seconds (92% cpu average), exceeding limit of 50% cpu over 180 seconds\n" +
      "CPU limit:        90s\nSteps:            135\n",
  );
  assertEquals(headline, "cpu usage");
  assertStringIncludes(happened.join("\n"), "CPU: 90 seconds cpu time over 98 seconds");
  assertStringIncludes(happened.join("\n"), "Action taken: none");
});

Deno.test("RunningBoard's context of a termination, and MetricKit's numbers in a text", () => {
  const text = "Termination reason: <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:" +
    "scene-update watchdog transgression: app<com.example.shop>:77 exhausted real (wall clock) time allowance of 10.00 seconds\n" +
    'WatchdogCPUStatistics: (\n"Elapsed application CPU time (seconds): 0.127, 0% CPU"\n) reportType:CrashLog>\n' +
    "Metadata:\n  appVersion: 1.50\n  exceptionType: 10\n  signal: 9\nThread 0 (attributed):\n" +
    "  Shop +0xc800 run() samples=1\n";
  const { headline, happened } = explain(text);
  // The program's name is the reason's, where nothing else has it.
  assertEquals(headline, "com.example.shop: EXC_CRASH (SIGKILL), ended by FRONTBOARD 0x8badf00d");
  const all = happened.join("\n");
  assertStringIncludes(all, "Of the 10.00 s that were allowed it computed for 0.127 s");
  assert(!all.includes("appVersion"), all);
});

Deno.test("a reason that a mail program wrapped", () => {
  assertStringIncludes(
    told(
      "Process:         tool [85]\nException Type:  EXC_BREAKPOINT (SIGTRAP)\nCrashed Thread:  0\n\n" +
        "Application Specific Information:\n" +
        "*** Terminating app due to uncaught exception 'NSInvalidArgumentException',\n" +
        "reason: '*** -[Link<0x216910> finalize]: called when\ncollecting not enabled'\n\n" +
        "Thread 0 Crashed:\n0   libobjc.A.dylib  0x91255e3b objc_exception_throw + 40\n" +
        "1   tool   0x00002702 main + 22\n",
    ),
    "NSInvalidArgumentException, *** -[Link<0x216910> finalize]: called when collecting not enabled.",
  );
  // As a book breaks lines, before a blank too.
  assertStringIncludes(
    told(
      "Process:               tool [85]\nException Type:        EXC_CRASH (SIGABRT)\nCrashed Thread:        0\n\n" +
        "Application Specific Information:\n*** Terminating app due to uncaught exception\n" +
        "'LinkException', reason:\n 'Link bounds have NaN: [nan 7]'\n" +
        "terminating with uncaught exception of type NSException\nabort() called\n\n" +
        "Thread 0 Crashed:\n0   libsystem_kernel.dylib          0x00007fff6dce5b6e\n __pthread_kill + 10\n" +
        "1   libsystem_c.dylib               0x00007fff6deb0080\n abort + 333\n" +
        "2   tool                            0x0000000100002702\n main + 22\n",
    ),
    "LinkException, Link bounds have NaN: [nan 7].",
  );
});

Deno.test("a kernel's abort: by its syndrome, whatever the message is", () => {
  const panic = (esr: string) =>
    told(
      "panic(cpu 4 caller 0xfffffff01): Unexpected fault in kernel static region\n" +
        ` at pc 0xfffffff016, lr 0xfffffff02 (saved state: 0xffffffef)\n` +
        `\t  pc:  0xfffffff016 cpsr: 0x20000204 esr: ${esr}  far: 0xfffffff018af0000\n`,
    );
  assertStringIncludes(panic("0xffffffef96000007"), "0xfffffff018af0000, by a read.");
  assertStringIncludes(panic("0x96000007"), "a translation fault");
  assertStringIncludes(panic("0x9600004f"), "by a write.");
  assertStringIncludes(panic("0x9600004f"), "a permission fault");
  // A break instruction has no address.
  assert(!panic("0xf2000001").includes("0xfffffff018af0000, "), panic("0xf2000001"));
});

Deno.test("the region of an address that older systems mark by nothing between two", () => {
  const text = (rest: string) =>
    "Process: Shop [7]\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
    "Exception Codes: KERN_INVALID_ADDRESS at 0x000000192d405be0\n\nVM Regions Near 0x192d405be0:\n" +
    "    CoreUI image file  00000001099a3000-00000001099c2000 [  124K] rw-/rwx SM=PRV\n--> \n" +
    rest;
  const next = "    MALLOC_NANO  0000600000000000-0000600008000000 [128.0M] rw-/rwx\n";
  assertStringIncludes(told(text(next)), "it is in no region of the process.");
  // A copy that ends there may have lost it.
  assert(!told(text("")).includes("in no region"));
});

Deno.test("work that is done once is not a block of the queue that is there", () => {
  const frames = [
    "libobjc.A.dylib objc_msgSend + 10",
    "Shop __24+[Cart sharedCart]_block_invoke + 20",
    "libdispatch.dylib _dispatch_client_callout + 28",
    "libdispatch.dylib dispatch_once_f + 117",
    "Shop +[Cart sharedCart] + 141",
    "Shop main + 10",
  ].map((line, at) => {
    const [image, ...symbol] = line.split(" ");
    return `${at}  ${image}  0x000000010000${at}000 ${symbol.join(" ")}`;
  }).join("\n");
  const all = told(
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x10\n" +
      `Thread 0 Crashed:: Dispatch queue: com.apple.main-thread\n${frames}\n`,
  );
  assertStringIncludes(all, "in code that runs once (dispatch_once)");
  assert(!all.includes("on the queue"), all);
});

Deno.test("a function of JavaScript's own, by its engine's name for it", () => {
  const all = told(
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x4c9da1698\nThread 9 Crashed:\n" +
      "0  hermes  0x0000000100001000 hermes::vm::getMethod(hermes::vm::Runtime&) + 4\n" +
      "1  hermes  0x0000000100002000 hermes::vm::stringPrototypeReplace(void*, hermes::vm::Runtime&) + 676\n" +
      "2  hermes  0x0000000100003000 hermes::vm::Interpreter::handleCallSlowPath(hermes::vm::Runtime&) + 60\n",
  );
  assertStringIncludes(all, "in JavaScript's String.prototype.replace, while JavaScript was run");
});

Deno.test("the other threads of an idle sample: that they waited, or which did not", () => {
  const sample = (symbol: string) =>
    told([
      "Analysis of sampling Shop (pid 7) every 1 millisecond",
      "Process:         Shop [7]",
      "",
      "Call graph:",
      "    100 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)",
      "      100 __CFRunLoopServiceMachPort  (in CoreFoundation) + 143  [0x7ff80b6403d4]",
      "        100 mach_msg  (in libsystem_kernel.dylib) + 19  [0x7ff80b5180df]",
      "          100 mach_msg_trap  (in libsystem_kernel.dylib) + 10  [0x7ff80b5180d0]",
      "    100 Thread_2: scan",
      "      100 scan  (in Shop) + 10  [0x100000100]",
      `        100 ${symbol}  (in libsystem_kernel.dylib) + 10  [0x7ff80b5180d0]`,
      "",
      "Total number in stack (recursive counted multiple, when >=5):",
      "",
    ].join("\n"));
  assertStringIncludes(sample("__psynch_cvwait"), "The other thread waited as well.");
  assertStringIncludes(
    sample("mach_absolute_time"),
    'Thread 1 "scan" did not only wait: mostly in mach_absolute_time',
  );
});

Deno.test("Xcode's line of an exception in prose, a numbered title, frames whose addresses are swapped", () => {
  assertEquals(
    explain("EXC_BAD_ACCESS (code=1, address=0x10)\n#0\t0x0000000101ed6266 in look ()\n").headline,
    "EXC_BAD_ACCESS",
  );
  const numbered = readReport(
    "OS Version: 13.3.0\n7. Crashed: com.apple.root.default-qos\n" +
      "0  Shop  0x1bbcf8930 look + 8\n1  Shop  0x1bbcf8a30 main + 8\n",
    "x",
  );
  assertEquals(numbered.threads[0].index, 7);
  const [frame] = readReport(
    "Thread 0 Crashed:\n 0  Shop   0x00000001028d0000   00000001028d885c + 8\n",
    "x",
  ).threads[0].frames;
  assertEquals([frame.address, frame.symbol], [0x1028d885cn, null]);
});

Deno.test("Measure: an exception alone, in a session, and an error that the program caught", () => {
  const frame = (name: string, image: string, at: string) => ({
    method_name: name,
    class_name: "",
    binary_name: image,
    binary_address: "1045d4000",
    symbol_address: at,
    offset: 8,
  });
  const recorded = {
    handled: false,
    foreground: true,
    exceptions: [{
      type: "NSRangeException",
      message: "*** -[__NSArray0 objectAtIndex:]: index 1 beyond bounds for empty array",
      signal: "SIGABRT",
      thread_sequence: 0,
      frames: [
        frame("", "libsystem_kernel.dylib", "00000001045dd108"),
        frame("look", "Shop", "00000001045dd208"),
      ],
    }],
    threads: [{ name: "Thread 1", sequence: 1, frames: [frame("", "Shop", "1045dd300")] }],
    binary_images: [{
      name: "Shop",
      path: "/x/Shop.app/Shop",
      start_addr: "1045d4000",
      end_addr: "1046d3fff",
      uuid: "e79a5df675593ea2bf1debab4e401020",
      arch: "arm64",
    }],
  };
  const report = readReport(JSON.stringify(recorded), "x");
  assertEquals(report.process.name, "Shop");
  assertEquals(report.threads.map(({ index, crashed }) => [index, crashed]), [[0, true], [
    1,
    false,
  ]]);
  assertEquals(report.threads[0].frames[1].address, 0x1045dd208n);
  assertStringIncludes(
    explainReport(report).happened.join("\n"),
    "NSRangeException, *** -[__NSArray0 objectAtIndex:]: index 1 beyond bounds for empty array.",
  );
  const session = JSON.stringify({
    events: [{ type: "http", http: {} }, {
      type: "exception",
      attribute: { app_version: "1.2", app_build: "3" },
      exception: { ...recorded, handled: true, error: { domain: "Shop", code: "closed" } },
    }],
  });
  const [caught] = readReports(session, "x");
  assertEquals([caught.process.version, caught.exception], ["1.2 (3)", null]);
  assertStringIncludes(
    explainReport(caught).happened.join("\n"),
    "caught and recorded: Shop, closed",
  );
  // The SDK that records it is on the stack of what the program caught.
  const [raised] = recorded.exceptions;
  const frames = [frame("", "Measure", "1048dd108"), frame("note", "Shop", "1045dd208")];
  const [own] = readReports(
    JSON.stringify({
      events: [{
        type: "exception",
        attribute: {},
        exception: {
          ...recorded,
          handled: true,
          exceptions: [{ ...raised, type: "", message: "", signal: "SIGTRAP", frames }],
        },
      }],
    }),
    "x",
  );
  assertEquals(own.threads[0].frames.map(({ symbol }) => symbol), ["note"]);
});

Deno.test("what a piece of a report proves, and what it does not", () => {
  // The title alone is that of an exception's backtrace.
  const cut =
    "Exception Type:  EXC_CRASH (SIGABRT)\nTriggered by Thread:  6\n\nLast Exception Backtrace:\n";
  assertStringIncludes(told(cut), "An Objective-C exception was not caught");
  // A return address at the begin of a function is of the one before it.
  const next = "Exception Type:  EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n" +
    "0  libsystem_c.dylib  0x0000000100001000 abort + 108\n1  libc++abi.dylib  0x0000000100002000 __cxa_bad_cast + 0\n" +
    "2  libc++abi.dylib  0x0000000100003000 std::__terminate(void (*)()) + 78\n3  Shop  0x0000000100004000 main + 8\n";
  assert(!told(next).includes("dynamic_cast"), told(next));
  // The codes that only Intel has, and only ARM, name the CPU.
  const access = (codes: string) =>
    told(
      `Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: ${codes}\n\nThread 0 Crashed:\n` +
        "0  Shop  0x0000000100004000 look + 8\n",
    );
  assert(!access("0x000000000000000d, 0x0000000000000000").includes("null"));
  assertStringIncludes(
    access(
      "KERN_INVALID_ADDRESS at 0x00200001f8f22490 -> 0x00000001f8f22490 (possible pointer authentication failure)",
    ),
    "authentication may have failed",
  );
});

Deno.test("a handled signal's frame without an address; Swift's main below an event loop", () => {
  const signal = told(
    "Thread 0 Crashed:\n0   libsystem_c.dylib    0x00007fff99db36e7 abort + 129\n" +
      "1   ruby  0x0000000109061533 sigsegv + 83\n2   libsystem_platform.dylib  0x00007fff885a9eaa _sigtramp + 26\n" +
      "3   ???   000000000000000000 0 + 0\n4   ruby  0x0000000108f911fc look + 60\n5   ruby  0x00000001090e2670 main + 304\n",
  );
  assertStringIncludes(signal, "or the system's walk lost the instruction");
  const { deciding } = attributeReport(readReport(
    "Exception Type: EXC_CRASH (SIGABRT)\nThread 0 Crashed:\n0  libsystem_c.dylib  0x100001000 abort + 104\n" +
      "1  libc++abi.dylib  0x100002000 std::terminate() + 52\n2  libdispatch.dylib  0x100003000 _dispatch_client_callout + 36\n" +
      "3  CoreFoundation  0x100004000 __CFRunLoopRun + 1944\n4  UIKitCore  0x100005000 UIApplicationMain + 124\n" +
      "5  UIKitCore  0x100006000 0x100000000 + 24576\n6  Shop.debug.dylib  0x100007000 static UIApplicationDelegate.main() + 120\n" +
      "7  Shop.debug.dylib  0x100008000 static AppDelegate.$main() + 44\n8  Shop  0x100009000 main + 8\n",
    "x",
  ));
  assertEquals(deciding, null);
});

Deno.test("how much memory the process used that the kernel ended, in a JetsamEvent whose JSON is damaged", () => {
  const text =
    '{"bug_type":"298","os_version":"iPhone OS 9.3"}\n{\n"memoryStatus" : {"pageSize" : 16384},\n' +
    '...\n"processes" : [\n  {\n   "rpages" : 2050,\n   "reason" : "vm-thrashing",\n   "name" : "Shop"\n  }\n';
  assertStringIncludes(told(text), "The kernel ended Shop, which used 32 MB: vm-thrashing");
});

Deno.test("KSCrash's line of an exception before its backtrace; the reason of a termination in JSON", () => {
  const frames = "0   CoreFoundation                  0x352c088f __exceptionPreprocess + 163\n" +
    "1   libobjc.A.dylib                 0x3728e259 objc_exception_throw + 33\n" +
    "2   Shop                            0x00006185 0x6164 + 20869 (+[Shop bake] + 33)\n";
  const what = told(
    "Process:         Shop [7]\nException Type:  EXC_CRASH (SIGABRT)\nCrashed Thread:  0\n\n" +
      "Last Exception: NSRangeException: index 3 beyond bounds\nLast Exception Backtrace:\n" +
      `${frames}\nThread 0 Crashed:\n${frames}`,
  );
  assertStringIncludes(what, "was not caught: NSRangeException, index 3 beyond bounds.");
  const ended = (reason: string) =>
    told(
      '{"app_name":"Shop","bug_type":"309"}\n' + JSON.stringify({
        procName: "Shop",
        exception: { type: "EXC_CRASH", signal: "SIGKILL" },
        termination: { namespace: "FRONTBOARD", code: 0x8badf00d, indicator: "ended", reason },
        threads: [{ triggered: true, frames: [] }],
        usedImages: [],
      }),
    );
  assertStringIncludes(
    ended("exhausted real (wall clock) time allowance of 10.00 seconds"),
    "allowance of 10.00 seconds",
  );
  assert(!ended("Namespace FRONTBOARD, Code 0x8badf00d").includes("It says: Namespace"));
});
