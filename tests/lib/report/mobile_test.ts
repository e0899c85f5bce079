/** Reports of apps: what called them, what their frameworks refused, and what reporters of iOS leave out. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { attributeReport, explainReport, readReport } from "../../../lib/report/mod.ts";
import { frameLines, told } from "./fixtures.ts";

/** A stack, each frame as `Image function + offset`, or `Image` alone where it has no name. */
function crash(header: string, frames: readonly string[], queue = ""): string {
  // Those without a name are at an offset of their image.
  const lines = frameLines(
    // Those without a name are at an offset of their image.
    frames.map((frame, at) => frame.includes(" ") ? frame : `${frame} 0x6000 + ${4096 + at * 64}`),
    0x7000,
  );
  const name = queue === "" ? "" : `Thread 0 name:  Dispatch queue: ${queue}\n`;
  return `Process:  Shop [77]\n${header}\n\n${name}Thread 0 Crashed:\n${lines.join("\n")}\n`;
}

const trap = "Exception Type: EXC_BREAKPOINT (SIGTRAP)";
const access = (address: string): string =>
  `Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at ${address}`;
const raised = [
  "CoreFoundation __exceptionPreprocess + 164",
  "libobjc.A.dylib objc_exception_throw + 60",
  "CoreFoundation +[NSException raise:format:] + 128",
];

Deno.test("queues and threads of frameworks, by their names, where the functions have none", () => {
  const on = (name: string): string =>
    explainReport(readReport(
      "Process: Shop [1]\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
        "Exception Codes: KERN_INVALID_ADDRESS at 0x18\n\n" +
        `Thread 3 name:  ${name}\nThread 3 Crashed:\n` +
        "0   Shop   0x0000000100001000 0x100000000 + 4096\n" +
        "1   Shop   0x0000000100002000 0x100000000 + 8192\n" +
        "2   libsystem_pthread.dylib   0x0000000185000200 _pthread_start + 512\n",
      "x",
    )).happened.join("\n");
  assertStringIncludes(on("hades"), "on the thread on which Hermes collects garbage");
  assertStringIncludes(on("KrollContext<kroll$1>"), "on which Titanium runs JavaScript");
  assertStringIncludes(
    on("Dispatch queue: com.meta.react.turbomodulemanager.queue"),
    "on a queue on which methods of native modules are called for JavaScript",
  );
  assert(!on("shop.orders").includes("on which"));
});

Deno.test("functions of frameworks that raise for one thing only", () => {
  const raised = (symbol: string): string =>
    explainReport(readReport(
      crash("Process: Shop [1]\nException Type: EXC_CRASH (SIGABRT)", [
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_c.dylib abort + 100",
        "libc++abi.dylib __cxa_throw + 91",
        "libobjc.A.dylib objc_exception_throw + 447",
        `${symbol} + 40`,
        "Shop -[Cart load] + 8",
        "Shop main + 8",
        "dyld start + 8",
      ]),
      "x",
    )).happened.join("\n");
  for (
    const [symbol, words] of [
      ["Foundation -[__NSURLSessionLocal taskForClassInfo:]", "NSURLSession that was invalidated"],
      ["Intents -[INPreferences assertThisProcessHasSiriEntitlement]", "without its entitlement"],
      [
        "HealthKit -[HKHealthStore _throwIfAuthorizationDisallowedForSharing:types:]",
        "that no app may write",
      ],
      [
        "UIKitCore -[UIPageViewController _validatedViewControllersForTransitionWithViewControllers:animated:]",
        "another number of view controllers",
      ],
      ["MapKit -[MKMapView setRegion:animated:]", "a region that is none"],
      [
        "Foundation -[NSRegularExpression(NSMatching) numberOfMatchesInString:options:range:]",
        "applied to nil, or to a range",
      ],
      ["AVFCapture -[AVCaptureSession addInput:]", "refused an input or output"],
      [
        "UserNotifications -[UNUserNotificationCenter initWithBundleProxy:]",
        "not of an app's bundle",
      ],
    ]
  ) assertStringIncludes(raised(symbol), words);
});

Deno.test("Swift's checks and weak references, by the functions alone", () => {
  const of = (exception: string, ...frames: string[]): string =>
    explainReport(readReport(
      crash(`Process: Shop [1]\nException Type: ${exception}`, [
        ...frames,
        "Shop Cart.load() + 8",
        "Shop main + 8",
        "dyld start + 8",
      ]),
      "x",
    )).happened.join("\n");
  const stopped = "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 172";
  const trap = "EXC_BREAKPOINT (SIGTRAP)";
  assertStringIncludes(
    of(trap, stopped, "libswiftCore.dylib Dictionary.init<A>(uniqueKeysWithValues:) + 300"),
    "two have the same key",
  );
  assertStringIncludes(
    of(
      trap,
      stopped,
      "libswiftCore.dylib _diagnoseUnexpectedEnumCaseValue<A, B>(type:rawValue:) + 8",
    ),
    "a value that is none of its cases",
  );
  assertStringIncludes(
    of("EXC_BAD_ACCESS (SIGSEGV)", "libswiftCore.dylib swift_weakLoadStrong + 40"),
    "A weak reference of Swift was used",
  );
});

Deno.test("an object that is not in a SwiftUI view's environment, without the message", () => {
  const text = crash("Process: Shop [1]\nException Type: EXC_BREAKPOINT (SIGTRAP)", [
    "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 172",
    "SwiftUI EnvironmentObject.error() + 308",
    "SwiftUI EnvironmentObject.wrappedValue.getter + 104",
    "Shop CartView.body.getter + 8",
    "Shop main + 8",
  ]);
  const { happened, causes } = explainReport(readReport(text, "x"));
  assertStringIncludes(happened.join("\n"), "none of the views around it has set");
  assertStringIncludes(causes.join("\n"), "a missing .environmentObject()");
});

Deno.test("CloudKit's trap where a container is made, and a header whose names are hidden", () => {
  const { headline, happened, causes } = explainReport(readReport(
    "Process: -\nPath: /private/var/containers/Bundle/Application/1/Shop.app/Shop\nIdentifier: -\n" +
      "Version: -\nException Type: EXC_BREAKPOINT (SIGTRAP)\n" +
      "Exception Codes: 0x0000000000000001, 0x00000001a3447800\n\nThread 0 Crashed:\n" +
      "0   CloudKit   0x00000001a3447800 0x1a32fa000 + 1366016\n" +
      "1   CloudKit   0x00000001a34591dc 0x1a32fa000 + 1438172\n" +
      "2   Shop   0x0000000104ba4e84 @nonobjc CKContainer.__allocating_init(identifier:) + 44\n" +
      "3   Shop   0x0000000104ba4e84 Cloud.open() + 104 (Cloud.swift:67)\n" +
      "4   Shop   0x0000000104ba5e84 main + 104\n",
    "x",
  ));
  assert(headline.startsWith("Shop: EXC_BREAKPOINT"), headline);
  assertStringIncludes(happened.join("\n"), "CloudKit stopped the program");
  assertStringIncludes(causes.join("\n"), "without iCloud's entitlements");
});

Deno.test("what called the program, where the system's functions have no names", () => {
  const loop = [
    "CoreFoundation",
    "CoreFoundation",
    "GraphicsServices",
    "UIKit",
    "Shop",
    "libdyld.dylib",
  ];
  const nameless = (called: readonly string[], queue = "com.apple.main-thread") =>
    told(crash(access("0x7700112233"), ["libobjc.A.dylib", "Shop", "Shop", ...called], queue)).what;
  assertStringIncludes(
    nameless(["CoreLocation", "CoreLocation", ...loop]),
    "It was in code of the program that CoreLocation called.",
  );
  assertStringIncludes(
    nameless(["libdispatch.dylib", "libdispatch.dylib", ...loop]),
    "It was in a block on the main queue.",
  );
  assertStringIncludes(
    nameless(["libdispatch.dylib", "Shop", "UIKit", ...loop]),
    "It was in a block that libdispatch ran.",
  );
  assertStringIncludes(
    nameless(["libdispatch.dylib", "libsystem_pthread.dylib"], "shop.prices"),
    "It was in a block on the queue shop.prices.",
  );
  // The event loop called nothing of the program's but main(), and Foundation does not say what for.
  assert(!nameless(["Foundation", ...loop]).includes("It was in"));
  assert(!told(crash(access("0x10"), ["UIKit", ...loop])).what.includes("called by"));
});

Deno.test("code of the program that runs once is told beside what it was part of", () => {
  const once = [
    "Shop Prices.init() + 40",
    "libdispatch.dylib _dispatch_client_callout + 16",
    "libdispatch.dylib _dispatch_once_callout + 32",
    "Shop Prices.shared.unsafeMutableAddressor + 60",
  ];
  const task = "libswift_Concurrency.dylib completeTaskWithClosure(swift::AsyncContext*) + 1";
  assertStringIncludes(
    told(crash(trap, [...once, task])).what,
    "It was in code that runs once (dispatch_once), at its first use, in a Swift task.",
  );
  // What a library of the system makes once is not the program's.
  const systems = ["CoreText makeFonts + 4", ...once.slice(1, 3), "CoreText font + 8"];
  const found = told(crash(trap, [...systems, "Shop draw + 8", task])).what;
  assertStringIncludes(found, "It was in a Swift task.");
});

Deno.test("a stack that crashed for what is not said: when it was", () => {
  const found = told(
    "Crashed: com.apple.root.default-qos\n" +
      "0  Shop                           0x103cca634 -[Cart empty] (Cart.m:38)\n" +
      "1  Shop                           0x103cc6a0c __15-[Cart refresh]_block_invoke (Cart.m:55)\n" +
      "2  libdispatch.dylib              0x18bc5a9e0 _dispatch_call_block_and_release + 24\n" +
      "3  libdispatch.dylib              0x18bc5a9a0 _dispatch_client_callout + 16\n" +
      "4  libsystem_pthread.dylib        0x18be1ad8c start_wqthread + 4\n",
  );
  assertStringIncludes(found.what, "crashed; by what is not in this part of the report");
  assertStringIncludes(found.what, "It was in a block on");
});

Deno.test("memory that was copied elsewhere than at null has no null buffer", () => {
  const copy = (address: string) =>
    told(
      crash(access(address), ["libsystem_platform.dylib _platform_memmove + 96", "Shop pack + 8"]),
    )
      .causes;
  assert(!copy("0x10a414000").includes("null"));
  assertStringIncludes(copy("0x10a414000"), "too small or already freed");
  assertStringIncludes(copy("0x0"), "a buffer that is null");
});

Deno.test("what Firebase refuses depends on the method that raised", () => {
  const refused = (method: string) =>
    told(
      `Exception Type: EXC_CRASH (SIGABRT)\n\nLast Exception Backtrace:\n${
        [...raised, `Shop +[FIRApp ${method}] + 300`, "Shop -[AppDelegate start] + 8"].map(
          (line, at) => `${at}   ${line.replace(" ", `   0x18000${at}000 `)}`,
        ).join("\n")
      }\n`,
    );
  assertStringIncludes(refused("addAppToAppDictionary:").what, "GOOGLE_APP_ID");
  assert(!refused("addAppToAppDictionary:").causes.includes("twice"));
  assertStringIncludes(refused("configure").causes, "missing in the app's bundle");
  assertStringIncludes(
    refused("appWasConfiguredTwice:usingOptions:").what,
    "A Firebase app was configured twice.",
  );
});

Deno.test("an exception of a native module that React Native raises again", () => {
  const { what } = told(
    crash("Exception Type: EXC_CRASH (SIGABRT)", [
      "libsystem_kernel.dylib __pthread_kill + 8",
      "libsystem_c.dylib abort + 124",
      "libc++abi.dylib __abort_message + 132",
      "libobjc.A.dylib _objc_terminate() + 172",
      "libc++abi.dylib std::__terminate(void (*)()) + 16",
      "libc++abi.dylib __cxa_rethrow + 188",
      "libobjc.A.dylib objc_exception_rethrow + 44",
      "React invocation function for block in facebook::react::ObjCTurboModule::performVoidMethodInvocation(facebook::jsi::Runtime&) + 300",
      "libdispatch.dylib _dispatch_call_block_and_release + 32",
      "libsystem_pthread.dylib start_wqthread + 8",
    ]),
  );
  assertStringIncludes(what, "only caught it and raised it again");
  assertStringIncludes(what, "a method of a native module, which raised it");
});

Deno.test("nobody has the symbols of Apple's own programs", () => {
  const nameless = (name: string) =>
    explainReport(
      readReport(
        `Identifier: ${name}\n${
          crash(access("0x7700112233"), ["libobjc.A.dylib", "Shop", "Shop"])
        }`,
        "x",
      ),
    ).check.join("\n");
  assertStringIncludes(nameless("org.example.shop"), "with the dSYM of Shop");
  assertEquals(nameless("com.apple.shop").includes("dSYM"), false);
});

Deno.test("frameworks of iOS and of apps: the occasion by the function that called", () => {
  const when = (called: string) =>
    told(
      crash(trap, [
        "Shop -[Cart pay] + 8",
        `${called} + 16`,
        "UIKitCore UIApplicationMain + 300",
        "Shop main + 8",
      ]),
    )
      .what;
  const occasions: readonly (readonly [string, string])[] = [
    ["UIKitCore -[UIAlertController _invokeHandlersForAction:]", "in the action of an alert"],
    ["UIKitCore -[UIViewController __viewWillAppear:]", "while a view controller appeared"],
    ["UIKitCore -[_UIQueuingScrollView _didScrollWithAnimation:force:]", "a page view controller"],
    [
      "UIKitCore -[UICollectionView _viewAnimationsForCurrentUpdate]",
      "collection view was updated",
    ],
    ["SwiftUI PrimitiveButtonStyleConfiguration.trigger+ 451936 ()", "a button of SwiftUI"],
    ["Combine Subscribers.Sink.receive(_:)", "in a subscriber of Combine"],
    ["CoreBluetooth -[CBCentralManager handleMsg:args:]", "in a callback of Core Bluetooth"],
    [
      "Flutter flutter::PlatformMessageHandlerIos::HandlePlatformMessage(int)",
      "a message from Dart",
    ],
    [
      "React facebook::react::ObjCTurboModule::performVoidMethodInvocation(int)",
      "called a method of a native module",
    ],
    ["Shop CapacitorBridge.handleJSCall(call:)", "a Capacitor plug-in"],
  ];
  for (const [called, words] of occasions) assertStringIncludes(when(called), words);
});

Deno.test("a view used on another thread than the main one", () => {
  const frames = [
    "WebKit WebKit::WebPageProxy::run(int) + 160",
    "WebKit -[WKWebView evaluateJavaScript:completionHandler:] + 128",
    "Shop -[Cart show] + 8",
    "libdispatch.dylib _dispatch_call_block_and_release + 24",
    "libsystem_pthread.dylib start_wqthread + 4",
  ];
  const aside = told(crash(access("0x7700112233"), frames, "com.apple.root.default-qos"));
  assertStringIncludes(
    aside.what,
    "-[WKWebView evaluateJavaScript:completionHandler:] was called on another thread",
  );
  assertStringIncludes(aside.causes, "from another thread than the main one");
  const main = told(crash(access("0x7700112233"), frames, "com.apple.main-thread"));
  assert(!main.what.includes("another thread"));
  // A stack alone does not say which thread it is.
  assert(!told(crash(access("0x7700112233"), frames)).what.includes("another thread"));
});

const javascript = [
  "hermes hermes::vm::JSObject::getComputedWithReceiver_RJS(int) + 8",
  "hermes facebook::hermes::HermesRuntimeImpl::call(int) + 8",
  "React +[RCTJSThreadManager runRunLoop] + 8",
];
const converting = [
  "hermes hermes::vm::JSError::constructStackTraceString_RJS(int) + 8",
  "hermes facebook::hermes::(anonymous namespace)::HermesRuntimeImpl::createObject() + 8",
  "React facebook::react::TurboModuleConvertUtils::convertNSExceptionToJSError(int) + 8",
  "libdispatch.dylib _dispatch_call_block_and_release + 24",
];

Deno.test("a native module's exception that was made an error beside running JavaScript", () => {
  const second = (frames: readonly string[]) =>
    `\nThread 1:\n${
      frames.map((line, at) => `${at}   ${line.replace(" ", "   \t0x0000000000009000 ")}`).join(
        "\n",
      )
    }\n`;
  const found = told(crash(access("0x7700112233"), javascript) + second(converting));
  assertStringIncludes(found.what, "Thread 1 ran code of Hermes too");
  assertStringIncludes(found.what, "that a native module had raised");
  assertStringIncludes(found.causes, "on the module's thread");
  const own = told(crash(access("0x7700112233"), converting) + second(javascript));
  assertStringIncludes(own.causes, "on the module's thread");
  // Hermes's collector is on a thread of its own, and other threads may have runtimes of their own.
  const collector = ["hermes hermes::vm::HadesGC::Executor::worker() + 8"];
  assert(
    !told(crash(access("0x7700112233"), converting) + second(collector)).what.includes("too,"),
  );
  assert(
    !told(crash(access("0x7700112233"), javascript) + second(javascript)).causes.includes("module"),
  );
});

Deno.test("a managed exception of Xamarin: its methods, and that of its cause", () => {
  const { what, path } = (() => {
    const report = readReport(
      "Process:  Shop [77]\nException Type:  SIGABRT\nException Codes: #0 at 0x180f0811c\nCrashed Thread:  0\n\n" +
        "Application Specific Information:\n*** Terminating app due to uncaught exception " +
        "'System.AggregateException', reason: 'System.AggregateException: Two failed. ---> Shop.Empty: no items'\n\n" +
        "Xamarin Exception Stack:\n" +
        "  at Shop.Cart.Pay () [0x00007] in /src/Cart.cs:115 \n" +
        "  --- End of inner exception stack trace ---\n" +
        "  at Shop.Page.Tap (System.Object sender) <0x1b149c08 + 0x00054> in <filename unknown>:0 \n" +
        "  at (wrapper managed-to-native) UIKit.UIApplication:UIApplicationMain (int,string[],intptr,intptr)\n" +
        "  at Shop.Application.Main (System.String[] args) [0x00008] in /src/Main.cs:17\n" +
        "---> (Inner Exception #0) Shop.Empty: no items\n\n" +
        "Thread 0 Crashed:\n0   libsystem_kernel.dylib   0x0000000180f0811c 0x180eec000 + 114972\n",
      "x",
    );
    const explained = explainReport(report);
    return { what: explained.happened.join("\n"), path: explained.path };
  })();
  assertStringIncludes(
    what,
    "A .NET exception was not caught: System.AggregateException: Two failed.",
  );
  assertStringIncludes(what, "Its inner exception was thrown in Shop.Cart.Pay (Cart.cs:115).");
  assertEquals(path, ["Shop.Application.Main (Main.cs:17)", "Shop.Page.Tap"]);
});

Deno.test("a managed exception that HockeySDK-Xamarin threw again: its message in the name, its stack in the reason", () => {
  const text =
    "Process:  Shop [7]\nIdentifier:  org.shop\nOS Version:  iPhone OS 8.1.3 (12B466)\n\nException Type:  SIGABRT\nCrashed Thread:  0\n\n" +
    "Application Specific Information:\n*** Terminating app due to uncaught exception 'System.ObjectDisposedException: no oven', reason: 'System.ObjectDisposedException: no oven\n" +
    "  at Shop.Oven.get_Tray () [0x00000] in <filename unknown>:0 \n  at Shop.Cart.Pay () [0x00000] in <filename unknown>:0 '\n\n" +
    `Last Exception Backtrace:\n${
      frameLines([
        "CoreFoundation __exceptionPreprocess + 127",
        "libobjc.A.dylib objc_exception_throw + 39",
        "Shop HockeyApp_Setup_ConvertToNsExceptionAndAbort_object + 8",
        "Shop Shop_Cart_Pay + 8",
      ]).join("\n")
    }\n`;
  const { happened } = explainReport(readReport(text, "x"));
  assertEquals(happened.slice(0, 3), [
    "A .NET exception was not caught: System.ObjectDisposedException: no oven.",
    "It was raised as an Objective-C exception.",
    "It was thrown in Shop.Oven.get_Tray.",
  ]);
});

Deno.test("the stack of a managed exception says whose it is", () => {
  const thrown = (...calls: string[]) => {
    const report = readReport(
      "Process:  Shop [77]\nException Type:  SIGABRT\nCrashed Thread:  0\n\n" +
        "Application Specific Information:\n*** Terminating app due to uncaught exception " +
        "'System.NullReferenceException', reason: 'System.NullReferenceException: no object'\n\n" +
        `Xamarin Exception Stack:\n${
          calls.map((call) => `  at ${call} <0x1b149c08 + 0x00054>`).join("\n")
        }\n` +
        "  at UIKit.UIApplication.Main (System.String[] args) <0x1b149c08 + 0x00054>\n" +
        "  at Shop.Ios.Application.Main (System.String[] args) <0x1b149c08 + 0x00054>\n",
      "x",
    );
    const { verdict, absent, library } = attributeReport(report);
    return { whose: [verdict, absent, library], what: explainReport(report).happened.join("\n") };
  };
  const library = thrown(
    "System.Threading.Tasks.TaskCompletionSource`1[TResult]..ctor ()",
    "Xamarin.Forms.Platform.iOS.NavigationRenderer.Pop (System.Boolean animated)",
  );
  assertEquals(library.whose, [
    "program",
    "managed library",
    "Xamarin.Forms.Platform.iOS.NavigationRenderer.Pop",
  ]);
  assertStringIncludes(
    library.what,
    "thrown in System.Threading.Tasks.TaskCompletionSource`1[TResult]..ctor",
  );
  assertEquals(thrown("Shop.Cart.Pay ()").whose, ["program", "managed own", "Shop.Cart.Pay"]);
});

Deno.test("JavaScript's own stack in an exception's reason says where and whose", () => {
  const filed = (...calls: string[]) =>
    "### Stacktrace ###\n\n-;RCTFatal;RCTAssert.m;134\n" +
    "RCTModuleMethod;invokeWithBridge:module:arguments:;RCTModuleMethod.m;484\n\n### Reason ###\n\n" +
    "*** Terminating app due to uncaught exception 'RCTFatalException: Unhandled JS Exception: undefined is not an " +
    "object (evaluating 'i.price')', reason: 'Unhandled JS Exception: undefined is not an object (evaluating " +
    `'i.price'), stack:\n${calls.join("\n")}\n'\n\n### Link to HockeyApp ###\n`;
  for (
    const calls of [
      ["draw@695:2495", "<unknown>@397:7017"],
      ["at draw (address at main.jsbundle:1:2495)", "at paint (address at main.jsbundle:1:99)"],
    ]
  ) {
    const report = readReport(filed(...calls), "x");
    const { verdict, absent } = attributeReport(report);
    assertEquals([verdict, absent], ["program", "javascript"]);
    const { headline, happened } = explainReport(report);
    assertEquals(headline, "uncaught exception RCTFatalException");
    const what = happened.join("\n");
    assertStringIncludes(what, "undefined is not an object (evaluating 'i.price').");
    assertStringIncludes(what, "the error was thrown in draw at ");
    assert(!/native module\./.test(what), what);
    assert(!what.includes("It says: "), what);
    assertEquals(report.crashedThread?.isNumbered, false);
  }
});

Deno.test("a subtype without its type is that of a bad access", () => {
  const { what } = told(
    "Exception Subtype: KERN_INVALID_ADDRESS at 0x4000000c\nTriggered by Thread:  0\n\nThread 0 Crashed:\n" +
      "0   Shop    0x0000000000007000 draw + 8\n",
  );
  assertStringIncludes(what, "KERN_INVALID_ADDRESS at 0x4000000c");
});

Deno.test("KSCrash's report of a crash of its own handler: in JSON the first crash is within it, or holds it", () => {
  const thread = (name: string): unknown => ({
    index: 3,
    crashed: true,
    backtrace: {
      contents: [{
        instruction_addr: 0x1010,
        symbol_addr: 0x1000,
        symbol_name: name,
        object_name: "Shop",
        object_addr: 0x100,
      }],
    },
  });
  const error = (address: number): unknown => ({
    type: "mach",
    address,
    mach: {
      exception: 1,
      exception_name: "EXC_BAD_ACCESS",
      code: 1,
      code_name: "KERN_INVALID_ADDRESS",
    },
    signal: { signal: 11, name: "SIGSEGV" },
  });
  const first = {
    report: { type: "standard", process_name: "Shop" },
    system: { process_name: "Shop" },
    crash: { error: error(0x77001122), threads: [thread("pay")] },
  };
  const second = {
    report: { type: "minimal", process_name: "Shop" },
    crash: { error: error(0x10), crashed_thread: thread("onCrash") },
  };
  for (
    const report of [{ ...first, recrash_report: second }, { ...second, recrash_report: first }]
  ) {
    const { what, whose } = told(JSON.stringify(report));
    assertStringIncludes(what, "KERN_INVALID_ADDRESS at 0x77001122");
    assertStringIncludes(what, "Then the crash handler itself crashed while it wrote the report");
    assertStringIncludes(what, "KERN_INVALID_ADDRESS at 0x10, on thread 3, in onCrash");
    assertEquals(whose[2], "pay");
  }
  // The first is lost, or is another such report.
  for (const report of [second, { ...second, recrash_report: second }]) {
    const { what, whose } = told(JSON.stringify(report));
    assertStringIncludes(what, "while it wrote a report of an earlier crash");
    assertEquals(whose[1], "reporter");
  }
});

Deno.test("a signal that a handler passed on has no address of an access", () => {
  const passed = (number: string) =>
    told(
      "Process:         Shop [77]\nCode Type:       ARM-64\nOS Version:      iPhone OS 9.1 (13B143)\n\n" +
        "Exception Type:  SIGSEGV\nException Codes: SEGV_ACCERR at 0x0\nCrashed Thread:  0\n\nThread 0 Crashed:\n" +
        "0   libsystem_kernel.dylib               0x19a08a87c 0x19a070000 + 108668\n" +
        "1   libsystem_platform.dylib             0x19a14d94c 0x19a148000 + 22860\n" +
        "2   Shop                                 0x10090a920 0x10005c000 + 9103648\n\n" +
        `Thread 0 crashed with ARM Thread State:\n    pc: 0x19a08a87c     sp: 0x16fda1dc0    x16: ${number}\n`,
    );
  const found = passed("0x00000025");
  assertStringIncludes(found.what, "The process sent itself the signal");
  assertStringIncludes(found.what, "What the earlier signal interrupted is frame 2.");
  assert(!found.what.includes("null"));
  assert(!passed("0x00000003").what.includes("sent itself"));
});

Deno.test("an async let whose task frees in another order, also in LLDB's words without addresses", () => {
  const frames = [
    "libswift_Concurrency.dylib`swift::swift_Concurrency_fatalError(unsigned int, char const*, ...)",
    "libswift_Concurrency.dylib`swift_task_dealloc + 132",
    "libswift_Concurrency.dylib`asyncLet_finish_after_task_completion + 88",
    "Shop`Cart.load() + 8",
  ];
  const { what, causes, whose } = told(
    "thread #18, name = 'Task 36', queue = 'com.apple.root.user-initiated-qos.cooperative'\n" +
      frames.map((frame, at) => `  frame #${at}: ${frame}`).join("\n"),
  );
  assertStringIncludes(what, "while the tasks of an async let were ended");
  assertStringIncludes(causes, "a fault of the Swift compiler");
  assertEquals(whose, ["program", null, "Cart.load()"]);
});

Deno.test("Crashlytics' web page: each part of a frame in a line of its own; one name for all is none", () => {
  const paged = told(
    "Crashed: com.apple.main-thread\nEXC_BREAKPOINT 0x000000019dabe744\n" +
      "0\nlibswiftCore.dylib\n_swift_release_dealloc + 56\n" +
      "1\nShop\nCart.swift - Line 7\nCart.items.setter + 7\n" +
      "2\nShop\nCart.swift - Line 158\nCart.put(_:) + 158\n",
  );
  assertEquals(paged.whose, ["program", null, "Cart.items.setter"]);
  const named = explainReport(readReport(
    "Crashed: com.apple.main-thread\n" +
      "0  Shop   0x104dc82c0 draw(int) + 1480 (Draw.cpp:1480)\n" +
      "1  Shop   0x10597094c PromiseCombine.cold.1 + 4388751692\n" +
      "2  Shop   0x1051d7188 PromiseCombine.cold.1 + 4380782984\n" +
      "3  <Owner>   0x1051d0000 start(int) + 12 (Start.cpp:12)\n",
    "x",
  ));
  assert(!named.path.some((step) => step.includes("PromiseCombine")), named.path.join());
  assert(named.path.some((step) => step.includes("start")), named.path.join());
});

Deno.test("a watch with pointers of 32 bits: an address below null", () => {
  const { what } = told(
    "OS Version: Watch OS 7.3.3 (18S830)\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
      "Exception Subtype: KERN_INVALID_ADDRESS at 0xfffffffc\n\nThread 0 Crashed:\n" +
      "0   Shop   0x00523f98 fetch(key:) + 40 (Shop.swift:3)\n" +
      "1   Shop   0x004e435e globalinit_33_A07D_func126 + 28 (Shop.swift:0)\n" +
      "2   libdispatch.dylib   0x4a53f07c _dispatch_client_callout + 6 (object.m:559)\n",
  );
  assertStringIncludes(what, "it is -4: something before an object that is null");
  assertStringIncludes(what, "It was in code that runs once");
});

Deno.test("the program's own method tells the occasion where the system's functions have no names", () => {
  const when = (method: string, image = "Shop") =>
    told(
      crash(trap, [
        "Shop load + 8",
        `${image} ${method} + 8`,
        "UIKitCore",
        "UIKitCore",
        "dyld start + 4",
      ]),
    )
      .what;
  assertStringIncludes(
    when("AppDelegate.application(_:didFinishLaunchingWithOptions:)"),
    "while the app was starting, in its delegate's didFinishLaunching",
  );
  assertStringIncludes(when("-[CartController viewDidLoad]"), "loaded its view (viewDidLoad)");
  assertStringIncludes(
    when("-[Cart tableView:cellForRowAtIndexPath:]"),
    "while a cell was made for a table or collection view",
  );
  assert(!when("-[UIViewController viewDidLoad]", "UIKitCore").includes("viewDidLoad)"));
});

Deno.test("a key of a private property is no outlet", () => {
  const coded = (key: string) =>
    told(
      "2019-03-04 12:30:09.404 Shop[447:68531] *** Terminating app due to uncaught exception 'NSUnknownKeyException', " +
        `reason: '[<WKWebViewConfiguration 0x121d0fca0> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key ${key}.'\n` +
        "*** First throw call stack:\n(0x1f98f84c4 0x1f8ad79f8 0x1f9815bd4 0x1fa27ea40 0x1028175c8)\n",
    ).causes;
  assert(!coded("_alwaysRuns").includes("outlet"));
  assertStringIncludes(coded("_alwaysRuns"), "a private property");
  assertStringIncludes(coded("priceLabel"), "an outlet in a nib");
});

Deno.test("the form in which App Center files an issue", () => {
  const { what, whose } = told(
    "### Version 1.5(3) ###\n\n### Stacktrace ###\n\npay_Cart (Cart.m:38);Shop\n\nmain + 24;Shop\n\n" +
      "### Reason ###\n\nSIGSEGV\n",
  );
  assertStringIncludes(what, "SIGSEGV");
  assertEquals(whose[2], "pay_Cart");
  // HockeyApp's has other columns, without images, and is read as such.
  const older = told(
    "### Stacktrace ###\n\n-;pay;Cart.m;38\n-;main;main.m;17\n\n### Reason ###\n\n" +
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 3'\n",
  );
  assertEquals(older.whose[2], "pay");
});

Deno.test("an app that was ended for its slowness, without names: the image that it was in, and who called that", () => {
  const ended = (frames: string) =>
    explainReport(readReport(
      "Process: Till [7]\nException Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace SPRINGBOARD, Code 0x8badf00d\n" +
        `Triggered by Thread: 0\n\nThread 0 Crashed:\n${frames}`,
      "x",
    )).happened.join("\n");
  assertStringIncludes(
    ended(
      "0  Security 0x00000001e938b6d8 0x1e9314000 + 489176\n1  Till 0x0000000100969608 0x10093c000 + 185864\n",
    ),
    "in Security (the report has no name of the function), called through Till",
  );
  // Whether it waited for an event only its callers tell.
  const alone = ended("0  libsystem_kernel.dylib 0x1856c0e90 mach_msg_trap + 8\n");
  assertStringIncludes(alone, "in a Mach message call, which is an event loop's or waits for a");
  assert(!alone.includes("idle"), alone);
});

Deno.test("exceptions by the functions that raise them, and the reason where it is there", () => {
  const objective = raised.slice(0, 2);
  const by = (frame: string, reason = "") =>
    told(crash(
      `Exception Type: EXC_CRASH (SIGABRT)${
        reason === ""
          ? ""
          : `\n\nApplication Specific Information:\n*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '${reason}'\n`
      }`,
      [...objective, frame, "Shop -[Cart open] + 8", "Shop main + 24"],
    ));
  assertStringIncludes(
    by("UIKitCore -[UIResponder doesNotRecognizeSelector:] + 296").what,
    "unrecognized selector",
  );
  assertStringIncludes(
    by("CoreImage -[CIFilter setValue:forUndefinedKey:] + 96").what,
    "no property with the key",
  );
  const popover =
    "UIKitCore -[UIPopoverPresentationController presentationTransitionWillBegin] + 9";
  assertStringIncludes(by(popover).what, "A popover has no place to point to");
  assertStringIncludes(
    by(popover, "You must provide location information for this popover through the controller.")
      .what,
    "A popover has no place to point to",
  );
  const dequeued =
    "UIKitCore -[UICollectionView _dequeueReusableViewOfKind:withIdentifier:forIndexPath:viewCategory:] + 9";
  assert(
    !by(dequeued, "Attempted to dequeue multiple cells for the same index path, it says.").what
      .includes("by its identifier"),
  );
  // A reason that is quoted need not be looked for.
  assertStringIncludes(by(dequeued).next, "Look for the exception's reason");
  assert(!by(dequeued, "there is no such view").next.includes("Look for the exception's reason"));
  const push = "UIKitCore -[UINavigationController pushViewController:animated:] + 9";
  assert(!by(push, "Pushing a shop is not supported").next.includes("presented again"));
  assertStringIncludes(
    by(
      "CoreLocation -[CLLocationManager work] + 9",
      "Invalid parameter not satisfying: !stayUp || CLClientIsBackgroundable(internal->fClient)",
    ).causes,
    "background mode",
  );
  const kit = by("FBSDKCoreKit -[FBSDKInternalUtility validateAppID] + 9");
  assertStringIncludes(kit.what, "found no app ID");
  const realm = by("Shop -[RLMRealm verifyThread] + 9");
  assertEquals(realm.whose[2], "-[Cart open]");
});

Deno.test("ends on purpose that the function or the message names", () => {
  const graph = told(crash("Exception Type: EXC_CRASH (SIGABRT)", [
    "libsystem_c.dylib abort + 180",
    "AttributeGraph AG::precondition_failure(char const*, ...) + 200",
    "AttributeGraph AG::data::table::grow_region() + 80",
    "SwiftUICore 0x6000 + 4096",
    "Shop main + 24",
  ]));
  assertStringIncludes(graph.what, "got no memory for its data");
  assert(!graph.causes.includes("another thread"), graph.causes);
  const unity = told(crash(trap, [
    "UnityFramework MemoryManager::OutOfMemoryError(unsigned long, int) + 60",
    "UnityFramework MemoryManager::Allocate(unsigned long) + 8",
    "Shop main + 24",
  ]));
  assertStringIncludes(unity.what, "got no memory of the size");
  const rx = told(crash(trap, [
    "RxSwift rxFatalError(_:file:line:) + 9",
    "RxSwift work + 8",
    "Shop main + 24",
  ]));
  assertStringIncludes(rx.what, "RxSwift stopped the program");
  const scheme = told(crash("Exception Type: EXC_CRASH (SIGABRT)", [
    ...raised,
    "WebKit raiseExceptionIfNecessary(WebKit::WebURLSchemeTask::ExceptionType) + 9",
    "WebKit -[WKURLSchemeTaskImpl didReceiveData:] + 8",
    "Shop main + 24",
  ]));
  assertStringIncludes(scheme.what, "a handler of a URL scheme");
  // A program of the system is no library.
  const own = told(
    "Process: tilld [7]\nPath: /usr/libexec/tilld\nException Type: EXC_BREAKPOINT (SIGTRAP)\nTriggered by Thread: 0\n\n" +
      "Thread 0 Crashed:\n0  tilld 0x0000000100006000 0x100000000 + 24576\n\n" +
      "Binary Images:\n0x100000000 - 0x100ffffff tilld arm64 <0123456789abcdef0123456789abcdef> /usr/libexec/tilld\n",
  );
  assert(!own.what.includes("a library of the system"), own.what);
  const set = told(crash(
    `${trap}\n\nApplication Specific Information:\nSwift/NativeSet.swift:9: Fatal error: Duplicate elements of type 'Tag' were found in a Set.\n`,
    ["libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 8", "Shop main + 24"],
  ));
  assertStringIncludes(set.what, "A Swift set has two elements");
});

Deno.test("advice does not send to a message that is not in the report, nor to one that is", () => {
  const asserted = [
    "libdispatch.dylib _dispatch_assert_queue_fail + 120",
    "libdispatch.dylib dispatch_assert_queue + 100",
    "Shop draw + 8",
    "Shop main + 24",
  ];
  assertStringIncludes(told(crash(trap, asserted)).next, "Read the message on stderr");
  const managed = told(crash(
    "Exception Type: EXC_CRASH (SIGABRT)\n\nApplication Specific Information:\n*** Terminating app due to uncaught exception 'System.NullReferenceException', reason: 'Object reference not set (System.NullReferenceException)\n   at Shop.Cart.Open(Object sender)\n'\n",
    [...raised.slice(0, 2), "Shop xamarin_process_managed_exception + 400", "Shop main + 24"],
  ));
  assert(!managed.next.includes("Read the managed exception"), managed.next);
});

Deno.test("a signed pointer's address of which nothing is stripped has no bits to name", () => {
  const of = (address: string): string =>
    explainReport(readReport(
      "Process: Till [1]\nCode Type: ARM-64 (Native)\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
        `Exception Subtype: KERN_INVALID_ADDRESS at ${address} (possible pointer authentication failure)\n` +
        "Triggered by Thread: 0\n\nThread 0 Crashed:\n0  Till 0x0000000100001000 work + 8\n\n" +
        "Binary Images:\n0x100000000 - 0x100ffffff Till arm64 <0123456789abcdef0123456789abcdef> /var/Till.app/Till\n",
      "x",
    )).happened.join("\n");
  assertStringIncludes(of("0x0040000100001000"), "without them it is 0x");
  assert(!of("0x0000008000000010").includes("without them"), of("0x0000008000000010"));
});

Deno.test("a bad access with the stack of a thread that waited is another's", () => {
  const frames = [
    "libsystem_kernel.dylib mach_msg2_trap + 8",
    "libsystem_kernel.dylib mach_msg + 24",
    "CoreFoundation __CFRunLoopServiceMachPort + 160",
    "CoreFoundation __CFRunLoopRun + 1208",
    "CoreFoundation CFRunLoopRunSpecific + 572",
    "GraphicsServices GSEventRunModal + 164",
    "UIKitCore -[UIApplication _run] + 816",
    "UIKitCore UIApplicationMain + 340",
    "Shop main + 24",
  ];
  const { what, causes, next, whose } = told(crash(access("0x20"), frames));
  assertStringIncludes(what, "it is not that of the access");
  assert(!causes.includes("null") && !next.includes("faulting instruction"), `${causes} ${next}`);
  assertEquals(whose[0] === "system", false);
});
