/** Whose it was, by more than the innermost image: what is linked into programs, what records, where a stack ends. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  attributeReport,
  explainReport,
  readReport,
  readReports,
} from "../../../lib/report/mod.ts";
import { frameLines } from "./fixtures.ts";

/** `image symbol` lines as frames; a line that begins with an address has that one. */
function crash(header: string, frames: readonly string[], rest = ""): string {
  return `${header}\n\nThread 0 Crashed:\n${frameLines(frames, 0x7000).join("\n")}\n${rest}`;
}

const head =
  "Process: Shop [1]\nPath: /Applications/Shop.app/Contents/MacOS/Shop\nIdentifier: org.shop\n";
const access =
  `${head}Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at `;
const abort = `${head}Exception Type: EXC_CRASH (SIGABRT)`;
const aborts = ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 100"];
const ends = ["libdyld.dylib start + 4"];

function whose(text: string): (string | null)[] {
  const { verdict, absent, part, deciding } = attributeReport(readReport(text, "x"));
  const { symbol = null, imageName = null, image = null } = deciding?.frame ?? {};
  return [verdict, absent, part, symbol ?? imageName ?? image?.name ?? null];
}
const told = (text: string): string => explainReport(readReport(text, "x")).happened.join("\n");

Deno.test("a framework that is linked into the program decides where it failed itself, not what only runs it", () => {
  const engine = [
    "hermes hermes::vm::Runtime::run(int) + 8",
    "Shop facebook::react::Task::execute(int) + 8",
    "Shop -[RCTBridge start] + 8",
    "Shop -[ShopDelegate begin] + 8",
    ...ends,
  ];
  assertEquals(whose(crash(`${access}0x18`, engine)), [
    "program",
    null,
    "React Native",
    "hermes::vm::Runtime::run(int)",
  ]);
  // What it raised is passed on.
  assertEquals(whose(crash(abort, [...aborts, ...engine.slice(1)])), [
    "program",
    null,
    null,
    "-[ShopDelegate begin]",
  ]);
  const plugin = [
    "Shop +[FlutterPayPlugin register] + 8",
    "Flutter flutter::Shell::Run() + 8",
    ...ends,
  ];
  assertEquals(whose(crash(`${access}0x18`, plugin))[3], "+[FlutterPayPlugin register]");
  assertEquals(explainReport(readReport(crash(`${access}0x18`, plugin), "x")).path, [
    "flutter::Shell::Run (Flutter)",
    "+[FlutterPayPlugin register] (Shop)",
  ]);
});

Deno.test("Titanium: its own classes on a stack, the innermost first; who raises for them is not the place", () => {
  const of = (...frames: string[]): readonly [string | null, string | null] => {
    const text = crash(
      `${abort}\n`,
      [],
      `\nLast Exception Backtrace:\n${
        frameLines([
          "CoreFoundation __exceptionPreprocess + 1",
          "libobjc.A.dylib objc_exception_throw + 8",
          ...frames,
          "Shop -[KrollMethod call:] + 8",
          "Shop main + 8",
          ...ends,
        ]).join("\n")
      }\n`,
    );
    const { maker, deciding } = attributeReport(readReport(text, "x"));
    return [maker, deciding?.frame.symbol ?? null];
  };
  const layout = ["Shop -[TiViewProxy relayout] + 8", "Shop +[TiLayoutQueue layoutProxy:] + 8"];
  assertEquals(of(...layout), ["Titanium", "-[TiViewProxy relayout]"]);
  assertEquals(
    of("Shop TiExceptionThrowWithNameAndReason + 8", "Shop -[TiOvenDialogProxy open:] + 8"),
    ["Titanium", "-[TiOvenDialogProxy open:]"],
  );
  assertEquals(
    of(
      "Foundation -[NSString substringFromIndex:] + 8",
      "Shop -[LocalProtocolHandler startLoading] + 8",
    ),
    ["Titanium", "-[LocalProtocolHandler startLoading]"],
  );
  assertEquals(of("Shop -[OvenModule bake:] + 8"), [null, "-[OvenModule bake:]"]);
});

Deno.test("static functions of Mono and Xamarin, by who calls them", () => {
  const of = (...frames: string[]): (string | null)[] =>
    whose(
      crash(`${access}0x18`, [
        ...frames,
        "Shop Shop_Oven_Bake + 8",
        "Shop mono_jit_exec + 8",
        ...ends,
      ]),
    )
      .slice(2);
  const part = (...frames: string[]): string | null => of(...frames)[0];
  // They are neither the program's, nor said to be where to start.
  assertEquals(
    part("Shop drain_stack + 8", "Shop major_finish_it + 8", "Shop sgen_perform_collection + 8"),
    "Mono",
  );
  assertEquals(
    of("libobjc.A.dylib object_getInstanceVariable + 8", "Shop get_raw_gchandle + 8"),
    ["Mono", "get_raw_gchandle"],
  );
  assertEquals(part("Shop MonoTouch_AudioToolbox_AudioBuffers_SetData_int + 8"), "Xamarin or Mono");
  // A library of the program that managed code called.
  const native = ["Shop bake_bread + 8", "Shop wrapper_managed_to_native_Shop_Oven_bake_bread + 8"];
  assertEquals(of(...native), [null, "bake_bread"]);
});

Deno.test("crash reporters and wrappers in the process are never the place", () => {
  for (
    const recorder of [
      "plcrash_log_writer_write",
      "kscm_handleException",
      "sentrycrashcm_handleException",
      "bsg_recordException",
      "FIRCLSHandler",
      "-[PLCrashReporter generateLiveReportAndReturnError:]",
      "-[RSC_KSCrash reportUserException:reason:terminateProgram:]",
      "specialized SentryClient.reportException(error:stacktrace:)",
    ]
  ) {
    assertEquals(
      whose(crash(abort, [`Shop ${recorder} + 8`, "Shop -[Cart add:] + 8", ...ends]))[3],
      "-[Cart add:]",
      recorder,
    );
    assertEquals(
      whose(crash(abort, [`Shop ${recorder} + 8`])),
      ["unknown", "recorder", null, null],
    );
  }
  // Unless it failed itself.
  const failed = "Shop getClassRO + 8 (SentryCrashObjC.c:279)";
  assertEquals(whose(crash(`${access}0x18`, [failed]))[3], "getClassRO");
  assertEquals(whose(crash(abort, [failed]))[3], null);
  for (
    const wrapper of [
      "__47-[SentrySwizzleWrapper send:]_block_invoke_2",
      "NRMA_send",
      "__31-[FPRLoad swizzle]_block_invoke",
    ]
  ) {
    assertEquals(
      whose(crash(abort, [...aborts, `Shop ${wrapper} + 8`, "Shop -[Cart add:] + 8", ...ends]))[3],
      "-[Cart add:]",
      wrapper,
    );
  }
  // What it did itself is its own.
  assertEquals(
    whose(crash(`${access}0x18`, [
      "libobjc.A.dylib objc_release + 20",
      "Shop mp_swizzledMethod_2 + 8",
      "UIKitCore -[UIView addSubview:] + 8",
      "Shop -[Cart add:] + 8",
      ...ends,
    ])).slice(2),
    ["Mixpanel", "mp_swizzledMethod_2"],
  );
  // What else its row's source says is no name.
  assertEquals(
    whose(crash(`${access}0x18`, [
      "libobjc.A.dylib objc_release + 20",
      "Shop +[GULSwizzler swizzleClass:] + 8",
      "UIKitCore -[UIView addSubview:] + 8",
      "Shop -[Cart add:] + 8",
      ...ends,
    ])).slice(2),
    ["GoogleUtilities and Firebase", "+[GULSwizzler swizzleClass:]"],
  );
});

Deno.test("a program in a folder that older systems left open is its own; a daemon is the system's by its name", () => {
  const tool = (os: string, identifier = "submit"): (string | null)[] =>
    whose(crash(
      `Process: submit [1]\nPath: /usr/bin/submit\nIdentifier: ${identifier}\nOS Version: ${os}\n` +
        "Exception Type: EXC_BAD_INSTRUCTION (SIGILL)",
      ["submit once_init + 8", "submit main + 8", ...ends],
      "\nBinary Images:\n0x7000 - 0x7fff submit ??? (???) /usr/bin/submit\n",
    ));
  assertEquals(tool("Mac OS X 10.6.8 (10K549)")[0], "program");
  assertEquals(tool("Mac OS X 10.6.8 (10K549)", "com.apple.submit")[0], "system");
  assertEquals(tool("Mac OS X 10.11.6 (15G31)")[0], "system");
  assertEquals(tool("macOS 14.1 (23B74)")[0], "system");
  const daemon = crash("Exception Type: EXC_GUARD", [
    "libsystem_kernel.dylib os_fault_with_payload + 8",
    "bluetoothd 0x100000000 + 4096",
    ...ends,
  ]);
  assertEquals(whose(daemon)[0], "system");
  // What Xcode's templates named programs by default is not Apple's.
  assertEquals(
    whose(
      crash(`Exception: EXC_BAD_ACCESS (0x0001)\nCodes: KERN_INVALID_ADDRESS (0x0001) at 0x18`, [
        "com.apple.Foundation +[NSNumber numberWithInt:] + 56",
        "com.apple.myCocoaApplication -[Board clear:] + 76",
        "com.apple.AppKit NSApplicationMain + 452",
        "com.apple.myCocoaApplication _start + 344",
      ]),
    )[3],
    "-[Board clear:]",
  );
});

Deno.test("a browser's framework is the browser's; another program's is a run-time", () => {
  const of = (name: string): string | null =>
    whose(crash(
      `Process: ${name} [1]\nPath: /Applications/${name}.app/Contents/MacOS/${name}\nIdentifier: org.${name}\n` +
        "Exception Type: EXC_BREAKPOINT (SIGTRAP)",
      ["Google~Chrome~Framework ChromeMain + 17126610", "Google~Chrome~Framework ChromeMain + 300"],
    ))[0];
  assertEquals(of("Google Chrome"), "program");
  assertEquals(of("Google Chrome Helper"), "program");
  assertEquals(of("Editor"), "runtime");
});

Deno.test("refusals at the start are the packaging's, and nothing of the program ran", () => {
  const refused = [
    "Exception Type: EXC_CRASH (SIGABRT)\nTermination Description: DYLD, Library not loaded: @rpath/a.dylib | Referenced from: /b",
    `${head}Exception Type: EXC_BAD_INSTRUCTION (SIGILL)\n\nApplication Specific Information:\n` +
    "dyld: launch, running initializers\nSandbox registration failed: The code signature is not valid: error -1\n",
  ];
  for (const text of refused) assertEquals(whose(text), ["none", "packaging", null, null], text);
  assertStringIncludes(told(refused[0]), "none of the program's code had run");
  assertStringIncludes(told(refused[1]), "It was at launch, while initializers ran");
  const loading = crash(`${head}Exception Type: EXC_BAD_ACCESS (SIGBUS)`, [
    "dyld ImageLoaderMachO::sniffLoadCommands + 8",
    "dyld dyld::_main(macho_header const*) + 8",
    "dyld dyldbootstrap::start(macho_header const*) + 8",
    "dyld _dyld_start + 8",
  ]);
  assertEquals(whose(loading), ["system", "launch", null, null]);
  assertStringIncludes(told(loading), "It was at launch: none of the program's code had run.");
  const early = (date: string): string =>
    told(crash(
      `${head}Date/Time: 2026-01-01 10:${date} +0100\nLaunch Time: 2026-01-01 10:00:00.9000 +0100\n` +
        "Exception Type: EXC_BAD_ACCESS (SIGSEGV)",
      ["Shop -[Cart add:] + 8", "Shop main + 8", ...ends],
    ));
  assertStringIncludes(early("00:01.4000"), "It was 0.5 s after the launch.");
  assertStringIncludes(early("00:21.1000"), "It was 20.2 s after the launch.");
  assert(!early("02:09.4000").includes("after the launch"));
});

Deno.test("addresses alone: the innermost one outside of the shared cache", () => {
  const text =
    `Code Type: ARM-64 (Native)\n${head}Exception Type: EXC_CRASH (SIGABRT)\n\nLast Exception Backtrace:\n` +
    "(0x18d0ed5f0 0x18ce0fbcc 0x119d9a4dc 0x10ac42650 0x18d100000)\n\nThread 0 Crashed:\n" +
    "0   libsystem_kernel.dylib   \t0x000000018cee2d88 0x18cec0000 + 142728\n";
  const { verdict, absent, deciding } = attributeReport(readReport(text, "x"));
  assertEquals([verdict, absent, deciding?.frame.index, deciding?.frame.address], [
    "unknown",
    "address",
    2,
    0x119d9a4dcn,
  ]);
});

Deno.test("OpenGL off the main thread: its caller in the program decides", () => {
  const frames = [
    "libGL.dylib glBindTexture + 16",
    "libdraw.5.dylib readPixels + 60",
    "Shop export + 88",
  ];
  const on = (index: number): string =>
    crash(`${access}0x30`, frames).replace("Thread 0 Crashed", `Thread ${index} Crashed`);
  assertEquals(whose(on(11))[3], "export");
  assertStringIncludes(told(on(11)), "OpenGL was called on thread 11, which is not the main one.");
  assertEquals(explainReport(readReport(on(11), "x")).causes, [
    "OpenGL called on a thread on which no context was made current",
  ]);
  assertEquals(whose(on(0))[3], "readPixels");
});

Deno.test("a thread that only waited, and one whose program counter is 0", () => {
  const text = crash(
    `${head}Exception Type: EXC_CRASH (SIGSEGV)\nException Codes: 0x0, 0x0`,
    ["libsystem_kernel.dylib __select + 10", "Shop serve + 40", "Shop main + 8", ...ends],
    "\nThread 1:\n0   ???   \t000000000000000000 0 + 0\n" +
      "1   libsystem_c.dylib   \t0x00007fff8d0008bf _pthread_start + 335\n",
  );
  assertEquals(whose(text), ["none", "wait", null, null]);
  assertStringIncludes(told(text), "The program counter of thread 1 is 0");
  assertEquals(explainReport(readReport(text, "x")).path, [
    "serve (Shop)",
    "__select (libsystem_kernel.dylib)",
  ]);
});

Deno.test("code in no image behind a run-time's signal handler", () => {
  const text = crash(`${head}Exception Type: EXC_BAD_ACCESS (SIGABRT)`, [
    ...aborts,
    "libjvm.dylib JVM_handle_bsd_signal + 620",
    "libsystem_platform.dylib _sigtramp + 56",
    "0x1190c4148 ??? ???",
  ]);
  assertEquals(whose(text), ["unknown", "generated", null, null]);
  assertEquals(attributeReport(readReport(text, "x")).library, "libjvm.dylib");
});

Deno.test("old reports without images: the addresses say what is the system's", () => {
  const old = (frames: readonly string[]): (string | null)[] =>
    whose(
      `Exception:  EXC_BREAKPOINT (0x0006)\nCode[0]: 0x00000001\n\nThread 2 Crashed:\n${
        frames.map((line, at) => ` #${at}   ${line.replace(" ", " in ")}`).join("\n")
      }\n`,
    ).slice(0, 2);
  const base = "0x90020d48 _pthread_body";
  assertEquals(old(["0x9014819c CFRunLoopWakeUp", base]), ["system", "addresses"]);
  assertEquals(old(["0x00003310 setZero", base]), ["unknown", "images"]);
  assertEquals(old(["0x8fe01280 halt", "0x8fe01410 _dyld_init"]), ["system", "launch"]);
});

Deno.test("a report that a process made of itself while it ran: nothing crashed, the main thread tells", () => {
  const text =
    `${head}Exception Type: SIGTRAP\nException Codes: TRAP_TRACE at 0x7000\nCrashed Thread: 1\n\n` +
    "Thread 0:\n0   Shop   \t0x0000000000007000 -[Cart count] + 8\n1   Shop   \t0x0000000000007040 main + 8\n\n" +
    "Thread 1 Crashed:\n0   Shop   \t0x0000000000007080 -[PLCrashReporter generateLiveReportWithThread:error:] + 632\n" +
    "1   Shop   \t0x00000000000070c0 __12-[Lag begin]_block_invoke + 425\n";
  assertEquals(whose(text)[3], "-[Cart count]");
  assertStringIncludes(told(text), "nothing crashed.\nThe main thread: running.");
});

Deno.test("without a stack: the library that the reporter suspects", () => {
  const text = (culprit: string): string =>
    `Process: Shop [1]\nCulprit: ${culprit}\nException Type: EXC_BAD_ACCESS\nException Subtype: KERN_PROTECTION_FAILURE at 0x102a3c000\n`;
  const suspect = attributeReport(readReport(text("Tweak.dylib"), "x"));
  assertEquals([suspect.verdict, suspect.absent, suspect.library], [
    "unknown",
    "culprit",
    "Tweak.dylib",
  ]);
  assertEquals(attributeReport(readReport(text("Unknown"), "x")).absent, "stack");
});

Deno.test("services' forms: the image after each name, a title of the report before the thread's, Unity's hashes", () => {
  const named = readReport(
    "Thread 0 Crashed:\n0   libobjc.A.dylib   \t0x0000000197fb8174 objc_release (libobjc.A.dylib)\n" +
      "1   Shop   \t0x0000000100007080 -[Cart add:] (Shop)\n",
    "x",
  );
  assertEquals(named.threads[0].frames.map(({ symbol }) => symbol), [
    "objc_release",
    "-[Cart add:]",
  ]);
  const title = "Crashed: com.apple.main-thread\n";
  const twice = readReport(
    `${title}EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x00000007cef20230\n${title}` +
      "0  libobjc.A.dylib                0x2bf0 objc_release + 16\n" +
      "1  Shop                           0x458cc Cart_Add_m7E268880B99F044703C06F3171D9A14D4CD88EF3 + 48\n",
    "x",
  );
  assertEquals(twice.crashedThread?.frames.length, 2);
  assertEquals(explainReport(twice).path, ["Cart_Add (Shop)", "objc_release (libobjc.A.dylib)"]);
});

Deno.test("what only passes an event on does not decide: neither bindings nor an application's own sendEvent:", () => {
  const inside = [
    "libobjc.A.dylib objc_retain + 16",
    "AppKit -[NSMenuBarWindow replicate] + 8",
    "AppKit -[NSApplication _handleActivatedEvent:] + 8",
    "AppKit -[NSApplication(NSEventRouting) sendEvent:] + 8",
  ];
  const bindings = ["Shop objc_exception::try_no_ret::execute::h7845ee00c1cc98bf + 48"];
  const outside = ["Shop tao::app::send_event::h75c3fc1453409912 + 8", ...ends];
  assertEquals(whose(crash(`${access}0x529f4a75d3a0`, [...inside, ...bindings, ...outside])), [
    "system",
    "passed",
    null,
    null,
  ]);
  // Its own handler further in decides, and what is called directly.
  assertEquals(
    whose(crash(`${access}0x18`, ["Shop -[Cart tap:] + 8", ...inside, ...outside]))[3],
    "-[Cart tap:]",
  );
  assertEquals(
    whose(crash(`${access}0x18`, [...inside.slice(0, 2), "Shop -[Cart show] + 8", ...outside]))[3],
    "-[Cart show]",
  );
});

Deno.test("whose code is linked into the program, by its name; a script that an interpreter ran", () => {
  const by = (frames: readonly string[]): (string | boolean | null)[] => {
    const { maker, isOfCaller, script } = attributeReport(
      readReport(crash(`${access}0x18`, [...frames, ...ends]), "x"),
    );
    return [maker, isOfCaller, script];
  };
  assertEquals(by(["Shop Curl_close + 8"]), ["libcurl", false, null]);
  assertEquals(by(["Shop __41-[SDWebImageCache query:]_block_invoke + 8"]), [
    "SDWebImage",
    false,
    null,
  ]);
  assertEquals(by(["Shop tao::app::launch::h75c3fc1453409912 + 8", "Shop store::main + 8"]), [
    "the crate tao",
    false,
    null,
  ]);
  // Names of newer compilers.
  assertEquals(
    by(["Shop _RNvNtCslaF18iYGa9m_3tao3app6launch + 8", "Shop _RNvCs1_5store3run + 8"]),
    [
      "the crate tao",
      false,
      null,
    ],
  );
  assertEquals(
    by(["Shop Pointer<IAudio>::operator IAudio*() + 8", "Shop tencent::av::Room::get() + 8"]),
    [
      "Tencent's SDK",
      true,
      null,
    ],
  );
  assertEquals(by(["Shop -[Cart add:] + 8"]), [null, false, null]);
  // A library of its own needs no word of its name.
  assertEquals(by(["libcurl.4.dylib Curl_close + 8"]), [null, false, null]);
  assertEquals(by(["vector.so add + 8", "Python _PyEval_EvalFrameDefault + 8"]), [
    null,
    false,
    "Python",
  ]);
});

Deno.test("a program of Apple's outside of the system; a caller that jumped to null; a thunk of a run-time", () => {
  const tool = "/Applications/Xcode.app/Contents/Developer/usr/bin/ld";
  const header =
    `Process: ld [1]\nPath: ${tool}\nIdentifier: ld\nException Type: EXC_BAD_ACCESS (SIGSEGV)`;
  const own = attributeReport(readReport(crash(header, ["ld ld::parse() + 8", ...ends]), "x"));
  assertEquals([own.verdict, own.isApple], ["program", true]);
  assertEquals(whose(crash(header, ["libsystem_c.dylib __cxa_finalize_ranges + 8"])).slice(0, 2), [
    "unknown",
    "own",
  ]);
  assertEquals(
    whose(crash(`${access}0x0`, [
      "0x0000000000000000 ??? 0 + 0",
      "libsystem_c.dylib nanosleep + 196",
      "Shop -[Cart wait] + 8",
      ...ends,
    ])),
    ["program", null, null, "-[Cart wait]"],
  );
  const thunk = whose(crash(abort, [
    ...aborts,
    "Shop StartupProcedure.throwException(_:) + 16",
    "Shop closure #1 in ErrorRecovery.notify(newRemoteLoadStatus:) + 88",
    "Shop 0x7000 + 88",
    "libdispatch.dylib _dispatch_call_block_and_release + 32",
    ...ends,
  ]));
  assertEquals(thunk.slice(0, 2), ["unknown", "again"]);
});

Deno.test("what only raised an earlier error again is not to blame, by its queue alone too", () => {
  const on = (queue: string): string =>
    crash(abort, [
      ...aborts,
      "CoreFoundation -[NSException raise] + 16",
      "Shop 0x100007000 + 0x88",
      ...ends,
    ])
      .replace("Thread 0 Crashed:", `Thread 0 name:  Dispatch queue: ${queue}\nThread 0 Crashed:`);
  assertEquals(whose(on("expo.controller.errorRecoveryQueue")).slice(0, 2), ["unknown", "again"]);
  assertEquals(whose(on("shop.orders")).slice(0, 2), ["program", null]);
});

Deno.test("React Native's handler of errors of JavaScript only raised one again", () => {
  const fatal = (...outer: string[]) =>
    crash(abort, [
      ...aborts,
      "libc++abi.dylib __cxa_throw + 91",
      "libobjc.A.dylib objc_exception_throw + 447",
      "Shop RCTFatal + 568",
      ...outer,
      "libdispatch.dylib _dispatch_call_block_and_release + 32",
      ...ends,
    ]);
  const reported = fatal(
    "Shop -[RCTExceptionsManager reportFatal:stack:exceptionId:extraDataAsJSON:] + 488",
    "Shop -[RCTExceptionsManager reportException:] + 1300",
  );
  assertEquals(whose(reported).slice(0, 2), ["program", "javascript error"]);
  assertStringIncludes(told(reported), "An error of JavaScript was not caught in React Native.");
  assertEquals(
    whose(fatal("Shop __28-[RCTCxxBridge handleError:]_block_invoke + 176")).slice(0, 2),
    [
      "unknown",
      "again",
    ],
  );
});

Deno.test("a function without a name on a queue of React Native or Expo may be theirs", () => {
  const on = (queue: string) =>
    attributeReport(readReport(
      `${access}0x18\n` +
        `\nThread 3 name:  Dispatch queue: ${queue}\nThread 3 Crashed:\n` +
        "0   Shop   0x0000000100001000 0x100000000 + 4096\n" +
        "1   libdispatch.dylib   0x0000000185000200 _dispatch_call_block_and_release + 32\n",
      "x",
    ));
  const react = on("com.meta.react.turbomodulemanager.queue");
  assertEquals([react.absent, react.library], ["nameless", "React Native"]);
  assertEquals(on("expo.modules.AsyncFunctionQueue").library, "an Expo module");
  assertEquals(on("shop.orders").absent, null);
});

Deno.test("libraries that are linked into programs, by prefixes of their names", () => {
  const maker = (symbol: string) =>
    attributeReport(readReport(crash(`${access}0x18`, [`Shop ${symbol} + 8`, ...ends]), "x")).maker;
  assertEquals(maker("fread_file_func"), "minizip");
  assertEquals(maker("-[FMResultSet stringForColumn:]"), "FMDB");
  assertEquals(maker("-[FLTVideoPlayer play]"), "a plug-in of Flutter");
  assertEquals(
    maker("-[FLTFirebaseCorePlugin initialize]"),
    "FlutterFire, Flutter's plug-ins for Firebase",
  );
  assertEquals(maker("physx::Sc::Scene::simulate(float)"), "PhysX");
  assertEquals(maker("-[FMStation play]"), null);
  for (
    const symbol of [
      "ion::portgfx::Visual::GetShareGroupId() const",
      "gvr::CardboardApiImpl::InitializeGl()",
      "-[GVRRenderer initializeGl]",
      "CardboardHeadTracker_getPose",
    ]
  ) assertEquals(maker(symbol), "the Google VR SDK (Cardboard)");
  assertEquals(maker("ion::Charge::add()"), null);
  assertEquals(maker("-[PAGSdk start]"), "a service of advertisements");
  assertEquals(maker("-[PAGLayer draw]"), null);
  assertEquals(maker("-[FBAdSettings load]"), "the Facebook SDK");
  assertEquals(maker("-[BRZCampaign load]"), "Appboy (Braze)");
});

Deno.test("Expo's development client and Mono's own functions in a program are theirs", () => {
  const of = (header: string, frames: readonly string[]) =>
    attributeReport(readReport(crash(header, [...frames, ...ends]), "x"));
  const expo = of(`${head}Exception Type: EXC_BREAKPOINT (SIGTRAP)`, [
    "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 172",
    "Shop ExpoDevLauncherAppDelegateSubscriber.application(_:didFinishLaunchingWithOptions:) + 940",
    "Shop -[AppDelegate application:didFinishLaunchingWithOptions:] + 152",
  ]);
  assertEquals(expo.maker, "Expo's development client");
  const aot = of(abort, [
    ...aborts,
    "Shop monoeg_g_log + 80",
    "Shop load_aot_module (aot-runtime.c:2323)",
    "Shop mono_assembly_open (assembly.c:1838)",
    "Shop xamarin_main (monotouch-main.m:444)",
    "Shop main (main.arm64.mm:228)",
  ]);
  assertEquals([aot.verdict, aot.part, aot.deciding?.frame.symbol], [
    "program",
    "Mono",
    "load_aot_module",
  ]);
  const start = of(`${access}0x0`, ["Shop MonoTouch_ObjCRuntime_Runtime__cctor (in Shop)+ 36"]);
  assertEquals([start.part, start.deciding?.frame.symbol], [
    "Xamarin or Mono",
    "MonoTouch_ObjCRuntime_Runtime__cctor",
  ]);
});

Deno.test("Mono's trampolines that ran out: its own line is quoted where a log has it", () => {
  const frames = [
    ...aborts,
    "Shop monoeg_g_log (goutput.c:145)",
    "Shop get_numerous_trampoline (aot-runtime.c:3445)",
    "Shop mono_aot_get_imt_thunk (aot-runtime.c:3573)",
    "Shop initialize_imt_slot (object.c:1245)",
    "Shop generic_trampoline_vcall (mscorlib.dll.6.s:211965)",
    "Shop Shop_Orders_Send (Shop.exe.6.s:172)",
    ...ends,
  ];
  const line = "Ran out of trampolines of type 2 in '/private/Shop.app/mscorlib.dll' (128)";
  const logged = `Nov  4 08:27:06 unknown Shop[1] <Notice>: ${line}\n\n${crash(abort, frames)}`;
  assertStringIncludes(told(logged), `It says: ${line}`);
  // Mono's handler gets the signal of its own abort().
  const handled = [
    ...aborts,
    "Shop mono_handle_native_sigsegv (mini-exceptions.c:2249)",
    "Shop sigabrt_signal_handler (mini-posix.c:196)",
    "libsystem_c.dylib _sigtramp + 42",
    "libsystem_c.dylib pthread_kill + 48",
    "libsystem_c.dylib abort + 88",
    ...frames.slice(aborts.length),
  ];
  assertStringIncludes(told(crash(abort, handled)), "Mono had no more trampolines");
  assert(!told(crash(abort, handled)).includes("Which signal"));
  const bare = told(crash(abort, frames));
  assertStringIncludes(bare, "Mono had no more trampolines");
  assertStringIncludes(bare, "Its message is not in the report.");
  assertEquals(whose(crash(abort, frames)).at(-1), "Shop_Orders_Send");
});

Deno.test("the caller of a constructor of the C++ library that raised its exception again is on the stack", () => {
  const under = (library: string) =>
    whose(crash(abort, [
      ...aborts,
      "libc++abi.dylib abort_message + 231",
      "libc++abi.dylib demangling_terminate_handler() + 238",
      "libc++abi.dylib std::__terminate(void (*)()) + 8",
      "libc++abi.dylib __cxa_rethrow + 99",
      `${library} + 63`,
      "Shop Price::lowered() + 34",
      "Shop main + 8",
      ...ends,
    ])).slice(0, 2);
  assertEquals(
    under(
      "libc++.1.dylib std::__1::locale::__imp::__imp(std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> > const&, unsigned long)",
    ),
    ["program", null],
  );
  assertEquals(
    under("libc++.1.dylib std::__1::__call_once(unsigned long volatile&, void*, void (*)(void*))"),
    ["unknown", "left"],
  );
});

Deno.test("Flutter's App is the program's own Dart code, nameless code of Unity's framework is anybody's", () => {
  const bundle = "/private/var/containers/Bundle/Application/1/Shop.app";
  const of = (title: string, others: readonly string[] = []) => {
    const images = [title, ...others].map((name, at) =>
      `0x10${at}000000 - 0x10${at}0fffff ${name} arm64 <0${at}0a0a0a0a0a3a0a8a0a0a0a0a0a0a0a> ${bundle}/Frameworks/${name}.framework/${name}`
    );
    return attributeReport(readReport(
      `Process: Shop [1]\nPath: ${bundle}/Shop\nOS Version: iPhone OS 18.4 (22E240)\n` +
        "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x18\n\n" +
        `Thread 0 Crashed:\n0   ${title}   0x0000000100001000 0x100000000 + 4096\n` +
        `1   libdyld.dylib   0x0000000190001000 start + 4\n\nBinary Images:\n${
          images.join("\n")
        }\n`,
      "x",
    ));
  };
  const dart = of("App", ["Flutter"]);
  assertEquals([dart.verdict, dart.isLibrary], ["program", false]);
  assertEquals(of("App").isLibrary, true);
  assertEquals(of("Flutter").maker, "Flutter's engine");
  const unity = of("UnityFramework");
  assertEquals([unity.absent, unity.library], ["nameless", "Unity"]);
});

Deno.test("in a process of Xcode's previews the program is what it loads", () => {
  const text = (image: string, path: string) =>
    crash(
      "Process: XCPreviewAgent [1]\nPath: /Volumes/VOLUME/*/XCPreviewAgent.app/XCPreviewAgent\n" +
        "Identifier: com.apple.PreviewAgent.iOS\nException Type: EXC_BREAKPOINT (SIGTRAP)",
      [
        "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 156",
        `${image} CartView.body.getter + 80`,
        "SwiftUICore StaticBody.updateValue() + 16",
        ...ends,
      ],
      `\nBinary Images:\n0x100000000 - 0x1000fffff ${image} (*) <0a0a0a0a-0a0a-3a0a-8a0a-0a0a0a0a0a0a> ${path}/${image}\n`,
    );
  const folder = "/Users/USER/Library/Developer/Xcode/DerivedData/Shop/Previews";
  for (const image of ["Shop.debug.dylib", "CartView.1.preview-thunk.dylib"]) {
    const preview = attributeReport(readReport(text(image, `${folder}/Shop.app`), "x"));
    assertEquals([preview.verdict, preview.isOutside, preview.isLibrary], [
      "program",
      false,
      false,
    ]);
  }
  assertStringIncludes(
    told(text("Shop.debug.dylib", `${folder}/Shop.app`)),
    "shows previews for Xcode",
  );
});

Deno.test("a process that killed itself was not ended from outside", () => {
  const text = crash(
    `Process: Shop [123]\nException Type: EXC_CRASH (SIGKILL)\nException Codes: 0x0000000000000000, 0x0000000000000000\n` +
      "Termination Reason: SIGNAL 9 Killed: 9\nTerminating Process: Shop [123]",
    ["libsystem_kernel.dylib read + 8", "Shop -[Cart reload] + 8", "Shop main + 8", ...ends],
  );
  assertEquals(whose(text).slice(0, 2), ["none", "sender"]);
  assertStringIncludes(told(text), "The process ended itself by SIGKILL");
  const other = text.replace(
    "Terminating Process: Shop [123]",
    "Terminating Process: runningboardd [31]",
  );
  assertStringIncludes(told(other), "ended from outside");
});

Deno.test("a signal that a process sent itself from a function that has left the stack", () => {
  const sent = (caller: string) =>
    whose(crash(
      `${head}Exception Type: EXC_CRASH (SIGSEGV)\nException Codes: 0x0000000000000000, 0x0000000000000000`,
      [
        "libsystem_kernel.dylib __kill + 8",
        `${caller} + 382`,
        "CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__ + 12",
        "CoreFoundation __CFRunLoopDoSources0 + 202",
        "CoreFoundation CFRunLoopRunSpecific + 520",
        "UIKit UIApplicationMain + 1132",
        "Shop main + 8",
        ...ends,
      ],
    )).slice(0, 2);
  assertEquals(sent("Foundation __NSThreadPerformPerform"), ["unknown", "sender"]);
  assertEquals(sent("Shop -[Cart give]"), ["program", null]);
});

Deno.test("Mono: what raises is not the place, managed code without a name is", () => {
  const frames = [
    ...aborts,
    "Shop mono_handle_exception + 8",
    "Shop throw_corlib_exception + 172",
    "0x000000010002c178 Shop 0x100028000 + 16760",
    "Shop wrapper_runtime_invoke_object_intptr + 244",
    "Shop mono_jit_runtime_invoke + 8",
    "Shop -[AppDelegate application:didFinishLaunchingWithOptions:] + 8",
    ...ends,
  ];
  const { deciding } = attributeReport(readReport(crash(abort, frames), "x"));
  assertEquals([deciding?.frame.index, deciding?.frame.symbol], [4, null]);
});

Deno.test("the place that a sanitizer's own stack has ends the path", () => {
  const text = crash(
    `${head}Exception Type: EXC_BAD_ACCESS (SIGABRT)\n\nApplication Specific Information:\n` +
      "==7==ERROR: UndefinedBehaviorSanitizer: SEGV on unknown address 0x0 (pc 0x1 bp 0x1 sp 0x1 T8)\n" +
      "    #0 0x1018844be in fill_buffers audio.c:810\n",
    [...aborts, "Shop run_loop + 8 (loop.c:4)", "Shop play + 8 (play.c:4)", ...ends],
  );
  assertEquals(explainReport(readReport(text, "x")).path.slice(-2), [
    "run_loop (loop.c:4)",
    "fill_buffers (audio.c:810)",
  ]);
});

Deno.test("a handler behind the default one, a collector, what a run-time compiled, Swift's entries of main()", () => {
  // The program's own terminate handler called that of the C++ run-time; who threw was cut off.
  assertEquals(
    whose(crash(abort, [
      ...aborts,
      "libc++abi.dylib abort_message + 8",
      "libc++abi.dylib demangling_terminate_handler() + 8",
      "0x0000000100d932a8 Shop 0x100d00000 + 602792",
    ])).slice(0, 2),
    ["unknown", "thrower"],
  );
  const { isCollector } = attributeReport(readReport(
    crash(`${access}0x9105b10f8`, ["Shop mark_object + 8", "Shop Ffuncall + 8", ...ends]),
    "x",
  ));
  assertEquals(isCollector, true);
  const compiled = attributeReport(readReport(
    crash(abort, [
      ...aborts,
      "libcoreclr.dylib PROCAbort + 8",
      "libcoreclr.dylib IL_Throw + 8",
      "0x0000000281bb9d60 ??? 0x0 + 0",
      "libcoreclr.dylib RunMain + 8",
      ...ends,
    ]),
    "x",
  ));
  assertEquals([compiled.verdict, compiled.absent], ["program", "managed"]);
  const thrown = [
    "libcoreclr.dylib ThrowNew(Object*) + 8",
    "libcoreclr.dylib IL_Throw(Object*) + 8",
  ];
  const managed = ["0x0000000281bb9d60 ??? 0x0 + 0", "libcoreclr.dylib RunMain + 8", ...ends];
  const dispatch = "libcoreclr.dylib DispatchManagedException(Object*) + 8";
  assertEquals(
    whose(crash(abort, [...aborts, dispatch, ...thrown, ...managed])),
    ["program", "managed", null, null],
  );
  // What handled it is on top of it.
  assertEquals(
    whose(crash(abort, [...aborts, "Shop pay + 8", dispatch, ...thrown, ...managed]))[3],
    "pay",
  );
  assertEquals(
    whose(crash(`${access}0x18`, ["libcoreclr.dylib Probe + 8", ...thrown, ...managed]))[0],
    "runtime",
  );
  // The event loop has no name.
  const nameless = (image: string, at: number): string =>
    `0x00000001${at.toString(16).padStart(8, "0")} ${image} 0x100000000 + 8`;
  assertEquals(
    whose(crash(`${access}0x18`, [
      nameless("libobjc.A.dylib", 0x10),
      nameless("CoreFoundation", 0x20),
      nameless("UIKitCore", 0x30),
      "Shop static UIApplicationDelegate.main() + 8",
      "Shop static AppDelegate.$main() + 8",
      "Shop main + 8",
      ...ends,
    ])),
    ["system", null, null, null],
  );
  // What abort() itself called is no part of the path.
  assertEquals(
    explainReport(readReport(
      crash(abort, [
        "libSystem.B.dylib usleep$NOCANCEL + 8",
        "libSystem.B.dylib abort + 8",
        "Shop -[Cart add:] + 8",
        "Shop -[Cart tap:] + 8",
        ...ends,
      ]),
      "x",
    )).path,
    ["-[Cart tap:] (Shop)", "-[Cart add:]"],
  );
});

Deno.test("what a run-time calls to end the process stands before its function that failed", () => {
  const { verdict, deciding } = attributeReport(readReport(
    crash(abort, [
      ...aborts,
      "libruby.3.2.dylib die + 8",
      "libruby.3.2.dylib rb_bug + 8",
      "libruby.3.2.dylib rb_gc_mark_roots + 8",
      "ruby main + 8",
      ...ends,
    ]),
    "x",
  ));
  assertEquals([verdict, deciding?.frame.symbol], ["runtime", "rb_gc_mark_roots"]);
});

Deno.test("a handler of exceptions without names ended the process: who raised is not known", () => {
  const nameless = (images: readonly string[]): string[] =>
    images.map((image, at) =>
      `0x00000001000${at.toString(16).padStart(5, "0")} ${image} 0x100000000 + 8`
    );
  const loop = [
    "CoreFoundation",
    "GraphicsServices",
    "UIKitCore",
    "UIKitCore",
    "Shop",
    "Shop",
    "Shop",
  ];
  assertEquals(
    whose(crash(
      "Exception Type: SIGABRT",
      nameless([
        ...["libsystem_kernel.dylib", "libsystem_c.dylib", "ShopKit", "CoreFoundation"],
        ...["libobjc.A.dylib", "libc++abi.dylib", "libc++abi.dylib", "libobjc.A.dylib"],
        ...loop,
      ]),
    )).slice(0, 2),
    ["unknown", "thrower"],
  );
  // The same images in another order are no handler.
  assertEquals(
    whose(crash(
      "Exception Type: SIGABRT",
      nameless(["libsystem_kernel.dylib", "libsystem_c.dylib", "ShopKit", ...loop]),
    ))[0],
    "program",
  );
});

Deno.test("crates: only one that another called; a library by the delegate that called it", () => {
  const maker = (frames: readonly string[]): string | null =>
    attributeReport(readReport(crash(`${access}0x10`, frames), "x")).maker;
  const own = "Shop probes::recurse::h6895313952b89569 + 8";
  assertEquals(maker([own, own, own, ...ends]), null);
  assertEquals(maker([own, "Shop store::main + 8", ...ends]), "the crate probes");
  const plugin = attributeReport(readReport(
    crash(
      "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x10",
      [
        "share_plugin SharePlugin.register + 8",
        "Runner AppDelegate.application + 8",
      ],
    ).replace(/^Process: .*$/m, ""),
    "x",
  ));
  assertEquals([plugin.verdict, plugin.library], ["program", "share_plugin"]);
  const rust = attributeReport(readReport(
    crash(abort, [
      ...aborts,
      "libstd-7a48a99fa0910c06.dylib std::sys::unix::abort_internal::hed1a563349acc5db + 9",
    ]),
    "x",
  ));
  assertEquals(rust.verdict, "runtime");
});

Deno.test("what runs a run loop within a call did not call what the loop called then", () => {
  const nested = (called: readonly string[]) =>
    whose(crash(`${access}0x18`, [
      ...called,
      "CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__ + 22",
      "CoreFoundation __CFRunLoopDoTimer + 1250",
      "CoreFoundation __CFRunLoopRun + 2202",
      "CoreFoundation CFRunLoopRunInMode + 123",
      "Shop -[Till waitForPrinter] + 223",
      "Shop -[Till close] + 20",
      ...ends,
    ]));
  const fires = "Foundation __NSFireDelayedPerform + 442";
  assertEquals(nested([fires]).slice(1, 3), [null, null]);
  assertEquals(nested([fires])[3], null);
  assertEquals(nested(["Shop -[Printer poll] + 8", fires])[3], "-[Printer poll]");
});

Deno.test("a lock held while suspended: whose the one thread is that worked in SQLite", () => {
  const ended = (...others: readonly (readonly string[])[]) => {
    const threads = others.map((frames, at) =>
      `\nThread ${at + 1}:\n${
        frames.map((line, index) => `${index}   ${line.replace(" ", "   0x7000 ")}`).join("\n")
      }\n`
    );
    return crash(
      `${head}Exception Type: EXC_CRASH (SIGKILL)\nTermination Reason: Namespace RUNNINGBOARD, Code 0xdead10cc`,
      ["libsystem_kernel.dylib mach_msg_trap + 8", "CoreFoundation __CFRunLoopRun + 8", ...ends],
      threads.join(""),
    );
  };
  const writes = [
    "libsystem_kernel.dylib fsync + 8",
    "libsqlite3.dylib sqlite3_step + 528",
    "Shop -[Till store] + 72",
    "libsystem_pthread.dylib start_wqthread + 4",
  ];
  const waits = ["libsystem_kernel.dylib __semwait_signal + 8", "libsqlite3.dylib unixSleep + 8"]
    .concat(writes.slice(1));
  assertEquals(whose(ended(waits, writes)), ["program", null, null, "-[Till store]"]);
  assertStringIncludes(told(ended(waits, writes)), "Thread 2 was in SQLite");
  assert(!told(ended(writes)).includes("which the report calls the crashed one"));
  for (const text of [ended(waits), ended(writes, writes)]) {
    assertEquals(whose(text)[3], null);
    assert(!told(text).includes("SQLite"), told(text));
  }
});

Deno.test("symbols of a library that the program does not bring along are its maker's", () => {
  const check = (path: string) =>
    explainReport(readReport(
      crash(
        `Process: Shop [1]\nPath: /Users/me/Shop/Shop\nException Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x13fcf018`,
        ["0x5010 libcart.1.dylib 0x5000 + 16", "Shop main + 8", ...ends],
        `\nBinary Images:\n0x5000 - 0x6fff libcart.1.dylib (0) <00112233-4455-6677-8899-AABBCCDDEEFF> ${path}/libcart.1.dylib\n`,
      ),
      "x",
    )).check.join("\n");
  assertEquals(check("/opt/homebrew/lib").includes("dSYM"), false);
  assertStringIncludes(check("/Users/me/Shop"), "Symbolicate the report with the dSYM of libcart");
});

Deno.test("what IL2CPP made of .NET's own library is passed over, and all frames before are counted", () => {
  const hash = "0123456789ABCDEF0123456789ABCDEF01234567";
  const copied = [
    "libsystem_platform.dylib _platform_memmove + 408",
    "Shop il2cpp::icalls::mscorlib::System::Buffer::BlockCopyInternal(Il2CppArray*, int) + 176",
    `Shop StreamWriter_Write_m${hash} + 192 (mscorlib9.cpp:21738)`,
    `Shop Stream_Copy_m${hash} + 192 (System.Core2.cpp:38)`,
    `Shop Cart_Note_m${hash} + 240 (Cart2.cpp:32)`,
    `Shop Cart_Pay_m${hash} + 240 (Cart1.cpp:19)`,
    "Shop il2cpp::vm::Runtime::Invoke(MethodInfo const*, void*) + 116",
    ...ends,
  ];
  const text = crash(`${access}0x18`, copied);
  assertEquals(whose(text), ["program", null, null, `Cart_Note_m${hash}`]);
  assertEquals(attributeReport(readReport(text, "x")).passed, 4);
  const library = crash(
    `${access}0x18`,
    copied.map((line) => line.replace(/^Shop /, "UnityFramework ")),
  );
  const { deciding, maker } = attributeReport(readReport(library, "x"));
  assertEquals([deciding?.frame.imageName, maker], ["UnityFramework", null]);
});

Deno.test("what throws, calls or copies for another language is not whose it is", () => {
  const plumbing = [
    "RhpThrowEx",
    "S_P_CoreLib_System_ThrowHelper__ThrowArgumentNull",
    "il2cpp_codegen_raise_exception(Exception_t*, MethodInfo const*)",
    "RuntimeInvoker_Void(void (*)(), MethodInfo const*, void*, void**, void*)",
    "ScriptingInvocation::Invoke(ScriptingExceptionPtr*, bool)",
    "sip_api_call_procedure_method",
    "meth_QWidget_show(_object*, _object*)",
    "pybind11::cpp_function::dispatcher(_object*, _object*, _object*)",
    "_wrap_Oven_bake",
    "__Pyx_PyObject_Call(_object*, _object*, _object*)",
    "PyObjCFFI_Caller",
    "ffi_call_unix64",
    "_cgo_0123456789ab_Cfunc_bake",
    "crosscall2",
    "_JNIEnv::CallVoidMethod(_jobject*, _jmethodID*, ...)",
    "napi_call_function",
    "objc2kotlin_kfun:org.shop.Oven#bake(){}",
    "luaD_throw",
    "caml_raise_exception",
    "UObject::ProcessEvent(UFunction*, void*)",
    "Shop_WTFCrashWithInfo(int, char const*)",
    "XyzWTFCrash",
  ];
  for (const name of plumbing) {
    const text = crash(abort, [...aborts, `Shop ${name} + 8`, "Shop bake_bread + 8", ...ends]);
    assertEquals(whose(text)[3], "bake_bread", name);
  }
  for (
    const name of ["runtime.memmove", "Kotlin_ByteArray_copyImpl", "il2cpp::icalls::mscorlib::X::Y"]
  ) {
    const text = crash(`${access}0x18`, [`Shop ${name} + 8`, "Shop bake_bread + 8", ...ends]);
    assertEquals(whose(text)[3], "bake_bread", name);
  }
  // A name that is only like one.
  for (const name of ["ThrowNewBread", "slot_oven", "crosscut", "wrapBread"]) {
    const text = crash(abort, [...aborts, `Shop ${name} + 8`, "Shop bake_bread + 8", ...ends]);
    assertEquals(whose(text)[3], name);
  }
});

Deno.test("an error of JavaScript that NativeScript raised, and titles that are no reason", () => {
  const raises = [
    "CoreFoundation __exceptionPreprocess",
    "libobjc.A.dylib objc_exception_throw",
    "NativeScript tns::NativeScriptException::OnUncaughtError(v8::Local<v8::Message>) + 63 (NativeScriptException.mm:63)",
    "NativeScript v8::internal::MessageHandler::ReportMessage(v8::internal::Isolate*)",
  ];
  const stack = (frames: readonly string[]) =>
    frames.map((frame, at) => `${at}  ${frame.replace(" ", `        0x${at + 1}9288 `)}`).join(
      "\n",
    );
  const text =
    `Fatal Exception: NativeScript encountered a fatal error: Uncaught TypeError: bread is not a function\n at \n\n${
      stack(raises)
    }\n`;
  assertEquals(whose(text).slice(0, 2), ["program", "javascript error"]);
  assertStringIncludes(
    told(text),
    "was not caught: NativeScript encountered a fatal error, Uncaught TypeError: bread is not a function.",
  );
  const titled = told(
    `Fatal Exception: Il2CppExceptionWrapper\n\ncom.apple.main-thread\n${
      stack(["Shop bake_bread + 8", "Shop main + 8"])
    }\n`,
  );
  assertStringIncludes(
    titled,
    "Il2CppExceptionWrapper; its reason is not in this part of the report.",
  );
  assertEquals(
    whose(crash(abort, [...aborts, ...raises.slice(1), ...ends]))[1],
    "javascript error",
  );
});

Deno.test("managed code without names that led to what throws for it", () => {
  for (const [image, thrower] of [["Shop", "RealCOMPlusThrow(Object*)"], ["Shop", "JIT_Throw"]]) {
    const frames = [...aborts, `${image} ${thrower} + 8`, "??? 0x0 + 0", "??? 0x0 + 0", ...ends];
    assertEquals(whose(crash(abort, frames)).slice(0, 2), ["program", "managed"], thrower);
  }
  const silent = ["libcoreclr.dylib 0x7000 + 5", "libcoreclr.dylib 0x7000 + 9", "??? 0x0 + 0"];
  const called = (...frames: string[]) => whose(crash(abort, [...aborts, ...frames, ...ends]))[1];
  assertEquals(called(...silent), "managed nameless");
  // What says why, and what was called by the program, does not.
  assert(
    called("libcoreclr.dylib EEPolicy::HandleFatalError() + 5", ...silent) !== "managed nameless",
  );
  assertEquals(called(...silent.slice(0, 2), "Shop bake_bread + 8", "??? 0x0 + 0"), null);
  // Mono throws for whoever called it.
  const mono = ["Shop mono_handle_exception + 34", "Shop mono_x86_throw_exception + 133"];
  const ran = ["??? 0x0 + 0", "Shop mono_jit_runtime_invoke + 722"];
  assertEquals(called(...mono, ...ran), "managed nameless");
  assert(called(...mono, ...ran.slice(1)) !== "managed nameless");
  assert(called("Shop mono_gc_collect + 34", ...ran) !== "managed nameless");
});

Deno.test("what raised an exception again, or lets none through, need not have led to it", () => {
  const again = [
    ...aborts,
    "libc++abi.dylib abort_message + 132",
    "libc++abi.dylib demangling_terminate_handler() + 336",
    "libobjc.A.dylib _objc_terminate() + 144",
    "libc++abi.dylib std::__terminate(void (*)()) + 16",
  ];
  const left = (frames: string[]) => whose(crash(abort, [...again, ...frames, ...ends]));
  const rethrown = ["libobjc.A.dylib objc_exception_rethrow + 44", "Shop -[Oven bake] + 8"];
  assertEquals(left(rethrown), ["unknown", "left", null, "-[Oven bake]"]);
  const stopped = ["Shop __clang_call_terminate + 8", "Shop Oven::bake() noexcept + 8"];
  assertEquals(left(stopped).slice(0, 2), ["unknown", "left"]);
  // What threw it is still there, and a thread that nobody joined is no exception.
  const thrown = ["libc++abi.dylib __cxa_throw + 116", "Shop Oven::bake() + 8"];
  assertEquals(left(thrown), ["program", null, null, "Oven::bake()"]);
  assertEquals(left(["libc++.1.dylib std::thread::~thread() + 8", "Shop Oven::bake() + 8"]), [
    "program",
    null,
    null,
    "Oven::bake()",
  ]);
});

Deno.test("where a stack ends or was left, what ended the process there is not whose it is", () => {
  // Go's run-time changes the stack before it ends the process.
  const go = ["raise_trampoline.abi0", "dieFromSignal", "fatalpanic", "systemstack.abi0"];
  assertEquals(whose(crash(abort, [...aborts, ...go.map((name) => `Shop runtime.${name} + 8`)])), [
    "unknown",
    "outer",
    null,
    null,
  ]);
  const called = ["Shop runtime.fatalpanic + 8", "Shop runtime.gopanic + 8", "Shop main.bake + 8"];
  assertEquals(whose(crash(abort, [...aborts, ...called]))[3], "main.bake");
  // The program's own loop did not call what raised the exception.
  const text = crash(
    `${abort}\n\nApplication Specific Information:\nterminating with uncaught exception of type NSException\n`,
    [
      ...aborts,
      "libc++abi.dylib abort_message + 245",
      "libc++abi.dylib demangling_terminate_handler() + 265",
      "libobjc.A.dylib _objc_terminate() + 97",
      "libc++abi.dylib std::terminate() + 51",
      "libdispatch.dylib _dispatch_client_callout + 28",
      "libdispatch.dylib _dispatch_main_queue_callback_4CF + 1148",
      "CoreFoundation __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__ + 9",
      "CoreFoundation __CFRunLoopRun + 2586",
      "CoreFoundation CFRunLoopRunSpecific + 483",
      "Shop -[Oven run] + 286",
      "Shop main + 286",
      ...ends,
    ],
  );
  assertEquals(whose(text).slice(0, 2), ["unknown", "thrower"]);
});

Deno.test("an instance of .NET's own generic types is passed over, in a file of all libraries'", () => {
  const hash = "0123456789ABCDEF0123456789ABCDEF01234567";
  const frames = [
    `UnityFramework Task_1_TrySetException_m${hash}_gshared + 8 (Generics12.cpp:28)`,
    `UnityFramework ThrowHelper_Throw_m${hash}_inline + 8`,
    `UnityFramework Oven_Close_m${hash} + 8 (Assembly-CSharp.cpp:24)`,
    "UnityFramework RuntimeInvoker_TrueVoid_t48(void (*)(), MethodInfo const*, void*) + 8",
    ...ends,
  ];
  const { deciding, maker } = attributeReport(readReport(crash(`${access}0x18`, frames), "x"));
  assertEquals([deciding?.frame.symbol as string, maker], [`Oven_Close_m${hash}`, null]);
  const own = frames.with(0, `UnityFramework Loaf_1_Cut_m${hash}_gshared + 8 (Generics12.cpp:28)`);
  const found = attributeReport(readReport(crash(`${access}0x18`, own), "x"));
  assertEquals(found.deciding?.frame.symbol as string, `Loaf_1_Cut_m${hash}_gshared`);
});

Deno.test("behind a trampoline, what an unwinder took for frames is not what the signal interrupted", () => {
  const header = `${head}Code Type: X86 (Native)\nException Type: EXC_BAD_ACCESS (SIGABRT)\n` +
    "Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000002860";
  const text = (...invented: string[]) =>
    crash(header, [
      "libsystem_kernel.dylib __pthread_kill + 10",
      "libsystem_c.dylib abort + 156",
      "0x000e0d74 Shop on_sigsegv + 212",
      "libsystem_platform.dylib _sigtramp + 43",
      ...invented,
      "CoreFoundation CFSetContainsValue + 112",
      "CoreFoundation CFRunLoopRemoveSource + 166",
      "libdevices.dylib devices_detached + 283",
      "libdevices.dylib device_thread + 312",
      "libsystem_pthread.dylib thread_start + 34",
    ]);
  // The handler's own begin, with the name of what is before it.
  const found = text("0xffffffff ??? 0 + 4294967295", "0x000e0ca0 Shop on_sigill + 48");
  assertEquals(whose(found)[3], "devices_detached");
  assertEquals(whose(text())[3], "devices_detached");
});

Deno.test("a full stack whose frames are left out, or in no image: what was in hand then did not fill it", () => {
  const inner = [
    "Shop GC_clear_stack_inner + 9",
    "Shop GC_clear_stack + 154",
    "Shop GC_malloc + 171",
    "Shop make_object + 17",
  ];
  const full = (rest: string): string =>
    `${access}0x00000000bf7ffed4\n\nVM Regions Near 0xbf7ffed4:\n` +
    "    Stack                  00000000b0abd000-00000000b0bbe000 [ 1028K] rw-/rwx SM=COW\n" +
    "--> Stack                  00000000bc000000-00000000bf800000 [ 56.0M] ---/rwx SM=NUL\n" +
    "    Stack                  00000000bf800000-00000000c0000000 [ 8192K] rw-/rwx SM=COW\n\n" +
    `Thread 0 Crashed:\n${frameLines(inner, 0x7000).join("\n")}\n${rest}\n`;
  const managed = full("4   ??? 0x004aff68 0 + 4915048\n511 ??? 0x0fffcdcc 0 + 268422604");
  assertEquals(whose(managed).slice(0, 2), ["unknown", "hidden compiled"]);
  assertStringIncludes(
    told(managed),
    "The stack has 512 frames, of which the report leaves out 5 to 510",
  );
  const named = full("4   Shop 0x7100 visit + 8\n511 Shop 0x7140 main + 8");
  assertEquals(whose(named).slice(0, 2), ["unknown", "hidden"]);
  // A stack that is all there is judged by its frames.
  assertEquals(whose(full("4   Shop 0x7100 visit + 8\n5   Shop 0x7140 main + 8"))[1], null);
});

Deno.test("libraries that people put among the system's are not the system's; the begin of an image is no function", () => {
  const usb = (path: string) =>
    whose(crash(
      `${access}0x18`,
      ["CoreFoundation CFSetContainsValue + 8", "libusb-1.0.0.dylib devices_detached + 8", ...ends],
      `\nBinary Images:\n0x7000 - 0x703f CoreFoundation ??? (???) /System/Library/Frameworks/CoreFoundation.framework/CoreFoundation\n0x7040 - 0x707f libusb-1.0.0.dylib ??? (???) ${path}\n`,
    ))[0];
  assertEquals(usb("/usr/lib/libusb-1.0.0.dylib"), "program");
  assertEquals(usb("/usr/lib/system/libusb-1.0.0.dylib"), "system");
  const path = (frame: string) =>
    explainReport(
      readReport(crash(`${access}0x18`, [frame, "Shop -[Cart add:] + 8", ...ends]), "x"),
    )
      .path.join(" → ");
  assertEquals(path("Shop _mh_execute_header + 40960").includes("_mh_execute_header"), false);
  const old = readReport(
    crash(`${access}0x18`, ["libold.dylib 0x2aad000 + 0x2eecd8", ...ends]),
    "x",
  );
  assertEquals(old.threads[0].frames[0].symbol, null);
});

Deno.test("Mono's own lock is Mono's, and Titanium's modules are known by what stands beside them", () => {
  const slow =
    "Exception Type:  00000020\nException Codes: 0x8badf00d\n\nApplication Specific Information:\nmyapp failed to launch in time\n";
  const main = ["UIKit UIApplicationMain + 100", "MyApp main + 80", "MyApp start + 4"];
  const of = (frames: readonly string[]) =>
    attributeReport(readReport(crash(slow, [...frames, ...main]), "x"));
  const mono = of([
    "libsystem_kernel.dylib 0x355c4000 + 69848",
    "libsystem_c.dylib 0x37498000 + 11332",
    "MyApp mono_loader_lock (loader.c:2129)",
    "MyApp load_thing (aot-runtime.c:2588)",
    "MyApp Cart_Load (MyApp.exe.6.s:12)",
  ]);
  assertEquals([mono.part, mono.deciding?.frame.symbol], ["Xamarin or Mono", "mono_loader_lock"]);
  const locked = [
    "libsystem_kernel.dylib __psynch_mutexwait + 24",
    "libsystem_c.dylib pthread_mutex_lock + 252",
    "Foundation -[NSRecursiveLock lock] + 8",
    "MyApp -[AnalyticsModule queueEvent:] + 8",
  ];
  assertEquals(of(locked).maker, null);
  assertEquals(of([...locked, "MyApp +[TiUtils queueAnalytics:] + 8"]).maker, "Titanium");
});

Deno.test("a wait within the program's code, which the main loop called, is no idleness", () => {
  const slow = `${head}OS Version: iPhone OS 15.0 (19A1)\nException Type: EXC_CRASH (SIGKILL)\n` +
    "Termination Reason: FRONTBOARD 0x8badf00d; scene-update watchdog transgression: application<org.shop>:7 " +
    "exhausted real (wall clock) time allowance of 10.00 seconds\nTriggered by Thread: 0\n";
  const outer = [
    "Shop 0x7000 + 4000",
    "QuartzCore display_timer_callback + 260",
    "CoreFoundation __CFRunLoopRun + 1200",
    "GraphicsServices GSEventRunModal + 160",
    "UIKitCore UIApplicationMain + 100",
    "Shop 0x7000 + 8000",
    ...ends,
  ];
  const at = (...inner: string[]) => crash(slow, [...inner, ...outer]);
  const kevent = "libsystem_kernel.dylib kevent + 8";
  const look = at(
    kevent,
    "libsystem_info.dylib _mdns_search_ex + 1296",
    "libsystem_info.dylib mdns_addrinfo + 348",
    "libsystem_info.dylib getaddrinfo + 164",
  );
  assertEquals(whose(look), ["program", null, null, "Shop"]);
  assertStringIncludes(
    told(look),
    "Thread 0 at that moment: blocked on the look-up of a network name (getaddrinfo).",
  );
  assertEquals(explainReport(readReport(look, "x")).causes, [
    "a network name that is looked up on the thread: it waits for as long as no server answers",
  ]);
  // The function that the program called tells.
  const checked = "SystemConfiguration SCNetworkReachabilityGetFlags + 102";
  assertStringIncludes(
    told(at("libsystem_kernel.dylib mach_msg_trap + 8", checked)),
    "blocked on the check whether another machine can be reached (SCNetworkReachabilityGetFlags)",
  );
  const reachable = at(
    kevent,
    "libsystem_info.dylib getaddrinfo + 164",
    checked,
  );
  assertStringIncludes(told(reachable), "name (getaddrinfo), for SCNetworkReachabilityGetFlags.");
  assertStringIncludes(
    told(at(
      "libsystem_kernel.dylib mach_msg2_trap + 8",
      "libxpc.dylib xpc_connection_send_message_with_reply_sync + 264",
      "CoreFoundation -[Cart load] + 8",
    )),
    "blocked on a reply over XPC",
  );
  for (const call of ["kevent", "__select", "poll"]) {
    const own = at(`libsystem_kernel.dylib ${call} + 8`);
    assertStringIncludes(told(own), "Thread 0 at that moment: blocked, waiting for");
    assertEquals(whose(own)[0], "program");
  }
  // The loop's functions may have no names.
  const nameless = crash(slow, [
    "libsystem_kernel.dylib kevent + 8",
    "Shop 0x7000 + 4000",
    "UIKitCore 0x7000 + 12000",
    "GraphicsServices 0x7000 + 16000",
  ]);
  assertStringIncludes(told(nameless), "blocked, waiting for an event");
  // What Unity's library has of a program without names need not be Unity's.
  const game = look.replace("Shop    ", "UnityFramework");
  const { absent, maker } = attributeReport(readReport(game, "x"));
  assertEquals([absent, maker], ["nameless", null]);
  // A loop of a thread's own has nothing to do.
  const idle = crash(slow, [
    kevent,
    "Shop 0x7000 + 4000",
    "libsystem_pthread.dylib thread_start + 8",
  ]);
  assertStringIncludes(told(idle), "Thread 0 at that moment: idle, waiting for an event.");
});

Deno.test("of a process that waited, the only thread of a copy does not show what led to its end", () => {
  const held = `${head}Exception Type: EXC_CRASH (SIGKILL)\n` +
    "Termination Reason: Namespace RUNNINGBOARD, Code 0xdead10cc\nTriggered by Thread: 0\n";
  const idle = [
    "libsystem_kernel.dylib mach_msg_trap + 8",
    "libsystem_kernel.dylib mach_msg + 72",
    "CoreFoundation __CFRunLoopServiceMachPort + 368",
    "CoreFoundation __CFRunLoopRun + 1200",
    "UIKitCore UIApplicationMain + 100",
    "Shop main + 80",
  ];
  assertEquals(whose(crash(held, idle)), ["none", "threads", null, null]);
  const other = `\nThread 1:\n${frameLines(idle.slice(0, 4), 0x9000).join("\n")}\n`;
  assertEquals(whose(crash(held, idle, other)), ["none", null, null, null]);
});

Deno.test("a line's image is the one that it names, where its address is from the begin of that", () => {
  const text =
    `Process: Shop [1]\nPath: /var/mobile/Applications/1/Shop.app/Shop\nCode Type: ARM (Native)\n` +
    "OS Version: iPhone OS 4.1 (8B117)\nException Type: EXC_CRASH (SIGABRT)\nCrashed Thread: 0\n\nThread 0 Crashed:\n" +
    "0   libSystem.B.dylib  \t0x0002d330 kevent + 24\n" +
    "1   Cart               \t0x00012382 fill + 102\n" +
    "2   Shop               \t0x0003cb2c 0x1000 + 244524\n" +
    "3   UIKit              \t0x0000411c -[UIApplication _run] + 396\n\nBinary Images:\n" +
    "    0x1000 -    0xffff0 +Shop armv7  <a0dc108b554d313d8566a36a04c903b3> /var/mobile/Applications/1/Shop.app/Shop\n" +
    "0x200000 -   0x2fffff +Cart armv7  <b0dc108b554d313d8566a36a04c903b3> /var/mobile/Applications/1/Shop.app/Cart\n" +
    "0x301ff000 - 0x3030cfff  libSystem.B.dylib armv7  <0792bef82e8cde31cb32d06e80262289> /usr/lib/libSystem.B.dylib\n";
  const { frames } = readReport(text, "x").threads[0];
  assertEquals(frames.map(({ image, imageName }) => image?.name ?? imageName), [
    "libSystem.B.dylib",
    "Cart",
    "Shop",
    "UIKit",
  ]);
  assertEquals(frames[3].image, null);
  assertEquals(frames.map(({ address }) => address), [
    0x3022c330n,
    0x12382n,
    0x3cb2cn,
    0x411cn,
  ]);
});

Deno.test("what Titanium links into a program is known by its names in every kind of end", () => {
  const maker = (text: string) => attributeReport(readReport(text, "x")).maker;
  for (
    const name of ["TiBindingEventProcess", "TiValueIsStrictEqual", "-[TiUIListView update:] + 8"]
  ) {
    assertEquals(maker(crash(`${access}0x18`, [`Shop ${name} + 8`, ...ends])), "Titanium");
  }
  for (const name of ["TimerFire", "-[TitleView update:]", "TidyParse", "TiValuesSum"]) {
    assertEquals(maker(crash(`${access}0x18`, [`Shop ${name} + 8`, ...ends])), null, name);
  }
  const locked = crash(
    "Exception Type:  00000020\nException Codes: 0x8badf00d\n\nApplication Specific Information:\nshop failed to resume in time\n",
    [
      "libSystem.B.dylib semaphore_wait_signal_trap + 8",
      "libSystem.B.dylib pthread_mutex_lock + 252",
      "Shop TI::TiLock::lock(TI::TiLockBehavior) + 8",
      "Shop TiValueIsStrictEqual + 8",
      "Shop -[CartModule close:] + 8",
      "UIKit UIApplicationMain + 664",
    ],
  );
  assertEquals(whose(locked)[2], "Titanium");
  assertStringIncludes(
    told(crash(`${access}0x18`, ["Shop TI::Interpreter::execute(int) + 8", ...ends])),
    "while JavaScript was run",
  );
});

Deno.test("a heading is no thread's name; an address in an image of what may only be read", () => {
  const titled = readReport(
    "[ERROR] The app has crashed with an uncaught exception 'CartException'.\n[ERROR] Stack trace:\n[ERROR]\n" +
      frameLines([
        "CoreFoundation __exceptionPreprocess + 160",
        "libobjc.A.dylib objc_exception_throw + 52",
        "Shop sell + 8",
        "Shop main + 408",
      ]).map((line) => `[ERROR] ${line}\n`).join(""),
    "x",
  );
  assertEquals(titled.threads.map(({ name }) => name), [null]);
  const protectedAt = (reason: string) =>
    told(
      `${head}Exception Type: EXC_BAD_ACCESS (SIGBUS)\nException Codes: ${reason} at 0x000037f7\nCrashed Thread: 0\n\n` +
        "Thread 0 Crashed:\n0   Shop    \t0x000026a0 0x1000 + 5792\n\nBinary Images:\n" +
        "    0x1000 -     0x3fff +Shop armv6  <f80ed449d0f15af7508817e74086b6a9> /Applications/Shop\n",
    );
  const words = "it is in Shop, 0x27f7 bytes from its start";
  assertStringIncludes(
    protectedAt("KERN_PROTECTION_FAILURE"),
    `${words}, among its code and constants, which may only be read.`,
  );
  assertStringIncludes(protectedAt("KERN_INVALID_ADDRESS"), `${words}.`);
});

/** The deciding function, and whether it is evidence. */
function evidence(text: string): (string | boolean | null)[] {
  const { isEvidence, deciding } = attributeReport(readReport(text, "x"));
  return [isEvidence, deciding?.frame.symbol ?? null];
}

Deno.test("a function is evidence where it ended the process, or what it called directly did", () => {
  const list = (...inner: readonly string[]) => [...inner, "Shop -[Cart reload] + 8", ...ends];
  const method = (inner: readonly string[], header = `${access}0x18`) =>
    evidence(crash(header, list(...inner)))[0];
  assertEquals(method([]), true);
  // What could not be read in is a file's or a disk's.
  const unread = `${head}Exception Type: EXC_BAD_ACCESS (SIGBUS)\nException Codes: `;
  assertEquals(method([], `${unread}KERN_PROTECTION_FAILURE at 0x120000`), true);
  assertEquals(method([], `${unread}KERN_MEMORY_ERROR at 0x120000`), false);
  assertEquals(method(["CoreGraphics CGImageGetWidth + 8"]), true);
  assertEquals(method(["libobjc.A.dylib objc_msgSend + 8"]), true);
  const deep = [
    "libobjc.A.dylib objc_msgSend + 8",
    "AppKit -[NSView _setSuperview:] + 8",
    "AppKit -[NSView addSubview:] + 8",
    "AppKit -[NSTableView reloadData] + 8",
  ];
  assertEquals(method(deep), false);
  // What raised something was asked for from further out, but not by a method that another one overrides.
  const raised = ["libobjc.A.dylib objc_exception_throw + 8", ...deep.slice(1)];
  assertEquals(method([...aborts, ...raised], abort), true);
  assertEquals(
    method([...aborts, ...raised.slice(0, -1), "AppKit -[NSTableView reload] + 8"], abort),
    false,
  );
  const unloads = Array.from({ length: 9 }, (_, at) => `libdyld.dylib dyld4::unload${at}() + 8`);
  assertEquals(method(unloads.slice(0, 3)), true);
  assertEquals(method(unloads), false);
  // A jump to nowhere.
  assertEquals(method(["0x18 ??? 0x18 + 0"]), true);
});

Deno.test("on the stack of a moment a function is evidence only where it works itself", () => {
  const header = `${head}Exception Type: EXC_CRASH (SIGKILL)\n` +
    "Termination Reason: Namespace FRONTBOARD, Code 0x8badf00d";
  const own = ["Shop -[Cart reload] + 8", ...ends];
  assertEquals(evidence(crash(header, own)), [true, "-[Cart reload]"]);
  const waits = [
    "libsystem_kernel.dylib __psynch_mutexwait + 8",
    "libsystem_pthread.dylib _pthread_mutex_firstfit_lock_slow + 8",
  ];
  assertEquals(evidence(crash(header, [...waits, ...own])), [false, "-[Cart reload]"]);
  assertEquals(evidence(crash(header, ["AppKit -[NSView layout] + 8", ...own]))[0], false);
});

Deno.test("Boost in a program is Boost's", () => {
  const text = crash(`${access}0x18`, ["Shop boost::mutex::lock() + 8", ...ends]);
  assertEquals(attributeReport(readReport(text, "x")).maker, "Boost");
});

Deno.test("a signal from outside is nobody's", () => {
  const own = ["libsystem_kernel.dylib read + 8", "Shop -[Cart reload] + 8", ...ends];
  const ended = (signal: string, code: number, by = "loginwindow [99]") =>
    whose(crash(
      `${head}Exception Type: EXC_CRASH (${signal})\nException Codes: 0x0000000000000000, 0x0000000000000000\n` +
        `Termination Reason: Namespace SIGNAL, Code ${code}\nTerminating Process: ${by}`,
      own,
    )).slice(0, 2);
  assertEquals(ended("SIGQUIT", 3), ["none", "signal"]);
  assertEquals(ended("SIGTERM", 15), ["none", "signal"]);
  assertEquals(ended("SIGABRT", 6, "launchd [2]"), ["none", "signal"]);
  assertEquals(ended("SIGABRT", 6, "Shop [1]"), ["program", null]);
  // Without a stack none can show it.
  const bare = attributeReport(
    readReport(
      `${head}Exception Type: EXC_CRASH (SIGKILL)\nException Codes: 0x0000000000000000, 0x0000000000000000\n`,
      "x",
    ),
  );
  assertEquals([bare.verdict, bare.absent], ["none", "stack"]);
  // The user ended it.
  assertEquals(
    whose(
      crash(
        `${head}Exception Type: EXC_CRASH (SIGKILL)\nException Codes: 0x0000000000000000, 0x0000000000000000\nTermination Reason: Namespace SPRINGBOARD, Code 0xdeadfa11`,
        own,
      ),
    ).slice(0, 2),
    ["none", "blameless"],
  );
});

Deno.test("between an interpreter and the fault no binding's trampoline further out decides", () => {
  const stack = [
    "CoreGraphics CGImageGetWidth + 8",
    "Python cfield_get + 8",
    "Python _PyEval_EvalFrameDefault + 8",
    "Shop Scripting::run(char const*) + 8",
    "Shop main + 8",
    ...ends,
  ];
  const { verdict, script } = attributeReport(readReport(crash(`${access}0x18`, stack), "x"));
  assertEquals([verdict, script], ["runtime", "Python"]);
});

Deno.test("the folder of a source file tells whose code it is", () => {
  const maker = (file: string) => {
    const text = JSON.stringify({ app_name: "Shop", bug_type: "309" }) + "\n" + JSON.stringify({
      procName: "Shop",
      procPath: "/Applications/Shop.app/Contents/MacOS/Shop",
      exception: {
        type: "EXC_BAD_ACCESS",
        signal: "SIGSEGV",
        subtype: "KERN_INVALID_ADDRESS at 0x18",
      },
      faultingThread: 0,
      usedImages: [{
        base: 4096,
        size: 65536,
        name: "Shop",
        path: "/Applications/Shop.app/Contents/MacOS/Shop",
        uuid: "00112233-4455-6677-8899-aabbccddeeff",
      }],
      threads: [{
        triggered: true,
        frames: [{
          imageIndex: 0,
          imageOffset: 64,
          symbol: "open_page",
          symbolLocation: 4,
          sourceFile: file,
          sourceLine: 7,
        }],
      }],
    });
    const { maker, isOfFile } = attributeReport(readReport(text, "x.ips"));
    return [maker, isOfFile];
  };
  assertEquals(maker("/w/Shop/Pods/Pager/src/page.c"), ["Pager", true]);
  assertEquals(maker("/h/.cargo/registry/src/index-1/pager-0.4.1/src/page.rs"), ["pager", true]);
  assertEquals(maker("/w/Shop/node_modules/@pager/core/ios/page.mm"), ["@pager/core", true]);
  assertEquals(maker("/w/Shop/Sources/page.c"), [null, false]);
});

Deno.test("advice about a function only where it is evidence, about zombies only for objects of Objective-C", () => {
  const check = (...inner: readonly string[]) =>
    explainReport(
      readReport(crash(`${access}0x41414140`, [...inner, "Shop reload() + 8", ...ends]), "x"),
    )
      .check.join("\n");
  assertStringIncludes(check("libobjc.A.dylib objc_release + 8"), "reload() (frame 1)");
  assertStringIncludes(
    check("libobjc.A.dylib objc_release + 8", "Shop 0x7040 + 64"),
    "frame 1 uses",
  );
  const deep = check(
    "libobjc.A.dylib objc_release + 8",
    "AppKit -[NSView one] + 8",
    "AppKit -[NSView two] + 8",
  );
  assertStringIncludes(deep, "zombie");
  assertEquals(/reload|calling function/.test(deep), false);
  assertEquals(check("Shop Page::open() + 8").includes("zombie"), false);
});

Deno.test("Mono's functions are Mono's by their files, and its words in a log are the message", () => {
  const inner = [
    ...aborts,
    "Shop monoeg_g_logv (goutput.c:135)",
    "Shop find_stub (aot-runtime.c:3445)",
    "Shop mono_aot_find_stub (aot-runtime.c:3573)",
    "Shop fill_table (object.c:1245)",
    "Shop Shop_Oven_Bake (Shop.dll.6.s:20946)",
    "Shop mono_runtime_invoke (object.c:2757)",
    "Shop main (main.m:2506)",
    "Shop start + 32",
  ];
  assertEquals(whose(crash(abort, inner))[3], "Shop_Oven_Bake");
  // What managed code calls, and .NET's class library that called it.
  const handles = [
    ...aborts,
    "Shop monoeg_assertion_message (goutput.c:114)",
    "Shop _wapi_handle_set_signal_state (handles-private.h:165)",
    "Shop SetEvent (events.c:691)",
    "Shop ves_icall_System_Threading_Events_SetEvent_internal (threads.c:1628)",
    "Shop p_2070_plt_System_Threading_EventWaitHandle_Set_llvm (EventWaitHandle.cs:410)",
    "Shop mscorlib__System_Threading_Tasks_Task_ProcessCompleteDelegates + 132",
    "Shop System__System_Net_WebConnection_InitConnection_object + 352",
  ];
  const runs = ["Shop mono_runtime_invoke (object.c:2757)", "Shop start_wrapper (threads.c:660)"];
  assertStringIncludes(whose(crash(abort, [...handles, ...runs]))[2] ?? "", "Mono");
  assertEquals(
    whose(crash(abort, [...handles, "Shop Shop_Oven_Bake (Shop.dll.6.s:20946)", ...runs]))[3],
    "Shop_Oven_Bake",
  );
  // The same file of a program without Mono is its own.
  const own = inner.filter((line) => !line.includes("mono"));
  assertEquals(whose(crash(abort, own.filter((line) => !line.includes("find_")))), [
    "program",
    null,
    null,
    "fill_table",
  ]);
  const log = (words: string) => `Nov  4 08:27:06 unknown org.shop[0x1897][1] <Notice>: ${words}\n`;
  const logged = (first: string) =>
    `${first}${log("Stacktrace:")}${log("  at Shop.Oven.Bake () <0x000b7>")}` +
    log("Got a SIGABRT while executing native code. This usually indicates") + "\n";
  const ran = told(
    logged(log("Ran out of trampolines of type 2 in 'mscorlib.dll' (128)")) +
      crash(abort, inner),
  );
  assertStringIncludes(ran, "It says: Ran out of trampolines of type 2 in 'mscorlib.dll' (128)");
  assert(!ran.includes("while executing"), ran);
  assertStringIncludes(
    told(logged("Here is the log:\n") + crash(abort, inner)),
    "Got a SIGABRT while executing native code.",
  );
});

Deno.test("a function without a name is not the program's where the thread or a message tells of what is linked in", () => {
  const nameless = ["libobjc.A.dylib objc_msgSend + 16", "Shop 0x7000 + 104340", "Shop 0x7000 + 8"];
  const on = (thread: string, frames = nameless) =>
    whose(
      `${access}0x18\n\nThread 0 name: ${thread}\nThread 0 Crashed:\n${
        frameLines([...frames, "Shop main + 8", ...ends], 0x7000).join("\n")
      }\n`,
    );
  assertEquals(on("KrollContext<kroll$1>").slice(0, 2), ["unknown", "nameless"]);
  assertEquals(on("Dispatch queue: expo.controller.errorRecoveryQueue")[1], "nameless");
  assertEquals(on("Worker")[0], "program");
  assertEquals(on("KrollContext<kroll$1>", ["Shop -[Oven bake] + 8"])[3], "-[Oven bake]");
});

Deno.test("where the crashed thread only waited, the one other that used an object may have failed", () => {
  const text = (...inner: string[]) =>
    `${head}Exception Type: EXC_CRASH (SIGSEGV)\nException Codes: 0x0000000000000000, 0x0000000000000000\n` +
    `Triggered by Thread: 1\n\nThread 0:\n${
      frameLines([...inner, "UIKit -[UITextField becomeFirstResponder] + 64"], 0x7000).join("\n")
    }\n\nThread 1 Crashed:\n${
      frameLines([
        "libsystem_kernel.dylib kevent64 + 8",
        "libdispatch.dylib _dispatch_mgr_thread + 48",
      ], 0x9000)
        .join("\n")
    }\n`;
  const used = told(text("libobjc.A.dylib objc_msgSend + 28"));
  assertStringIncludes(used, "Thread 0 was in objc_msgSend, called by -[UITextField");
  assert(!told(text("libsystem_kernel.dylib mach_msg_trap + 8")).includes("objc_msgSend"));
});

Deno.test("a full heap of JavaScript is JavaScript's, a guard that the system's code met is not decided", () => {
  const full = [
    "hermes facebook::hermes::detail::hermesFatalErrorHandler(void*, bool) + 8",
    "hermes hermes::vm::GCBase::oom(std::error_code) + 152",
    "Shop facebook::jsi::RuntimeDecorator<int>::call(int) + 8",
    ...ends,
  ];
  assertEquals(whose(crash(`${access}0x0`, full)).slice(0, 2), ["program", "javascript unseen"]);
  const guard = attributeReport(readReport(
    crash(
      `${head}Exception Type: EXC_GUARD\nException Codes: 0x0000000100000000, 0x08fd4dbfade2dead`,
      [
        "libsystem_kernel.dylib close + 8",
        "ExternalAccessory -[EASession dealloc] + 226",
        "ExternalAccessory -[EASession initWithAccessory:forProtocol:] + 100",
        "Shop -[Oven open] + 8",
        ...ends,
      ],
    ),
    "x",
  ));
  assertEquals([guard.isEvidence, guard.deciding?.frame.symbol], [false, "-[Oven open]"]);
});

Deno.test("what the system's own check stopped, what a subclass lacks, and entities in the list of images", () => {
  const trap = told(crash(`${head}Exception Type: EXC_BREAKPOINT (SIGTRAP)`, [
    "CloudKit 0x1a32fa000 + 1366016",
    "libdispatch.dylib _dispatch_once_callout + 32",
    "Shop -[Oven open] + 8",
    ...ends,
  ]));
  assertStringIncludes(trap, "CloudKit, a library of the system, executed a trap instruction");
  // What the program asked of it is known by the name of its function.
  const asked = (end: string) =>
    explainReport(readReport(
      crash(`${head}${end}`, [
        "CloudKit 0x1a32fa000 + 1366016",
        "CloudKit 0x1a32fa000 + 1438172",
        "CloudKit 0x1a32fa000 + 1437952",
        "CloudKit 0x1a32fa000 + 38944",
        "libdispatch.dylib 0x1d6b06000 + 112636",
        "libdispatch.dylib 0x1d6b06000 + 18912",
        "CloudKit 0x1a32fa000 + 38900",
        "Shop 0x7000 + 31244",
        ...ends,
      ]),
      "x",
    )).check.join("\n");
  assertStringIncludes(asked("Exception Type: EXC_BREAKPOINT (SIGTRAP)"), "with the dSYM of Shop");
  assert(!asked("Exception Type: EXC_CRASH (SIGKILL)").includes("dSYM"));
  const halt = (inner: string) =>
    told(crash(`${head}Exception Type: EXC_BREAKPOINT (SIGTRAP)`, [
      `CoreFoundation ${inner} + 1960`,
      "CoreFoundation CFRunLoopRemoveTimer + 262",
      ...ends,
    ]));
  assertStringIncludes(halt("bake"), "CoreFoundation, a library of the system, executed a trap");
  assertStringIncludes(
    halt("CFBasicHashRemoveValue"),
    "to change a dictionary, set or bag that is not mutable, or is not valid any more",
  );
  const raised = told(
    `${abort}\n\nLast Exception Backtrace:\n${
      frameLines([
        "CoreFoundation __exceptionPreprocess + 160",
        "libobjc.A.dylib objc_exception_throw + 72",
        "CoreFoundation +[NSException raise:format:] + 124",
        "Shop -[RCTAppDelegate bundleURL] + 52",
        "Shop -[RCTRootViewFactory bundleURL] + 56",
        "Shop -[ShopDelegate begin] + 8",
      ], 0x7000).join("\n")
    }\n`,
  );
  assertStringIncludes(raised, "a subclass has to override it");
  const escaped = readReport(
    crash(
      abort,
      [...aborts, "Shop 0x1000 + 8", ...ends],
      "\nBinary Images:\n    0x1000 -   0x9fff +Shop armv6  &lt;a172b1375e663143b216961ce5e6b7cf&gt; /Applications/Shop.app/Shop\n",
    ),
    "x",
  );
  assertEquals(escaped.images[0]?.name, "Shop");
});

Deno.test("what a queue had a thread do where the main thread was idle; a library whose place is not known", () => {
  const killed = (queue: string) =>
    told(
      `${head}OS Version: iPhone OS 12.3.1 (16F203)\nException Type: EXC_CRASH (SIGKILL)\n` +
        "Termination Reason: Namespace ASSERTIOND, Code 0x8badf00d\nTriggered by Thread: 0\n\nThread 0 Crashed:\n" +
        frameLines(
          [
            "libsystem_kernel.dylib mach_msg_trap + 8",
            "CoreFoundation __CFRunLoopServiceMachPort + 8",
            "CoreFoundation __CFRunLoopRun + 8",
            "GraphicsServices GSEventRunModal + 8",
            "UIKitCore UIApplicationMain + 8",
          ],
          0x7000,
        )
          .join("\n") +
        `\n\nThread 6 name: Dispatch queue: ${queue}\nThread 6:\n` +
        frameLines([
          "libsystem_kernel.dylib 0x1ed2db000 + 98548",
          "libxpc.dylib 0x1ed3ad000 + 43292",
          "Foundation 0x1ee0b3000 + 2296360",
          "FileProvider 0x1f57ec000 + 404760",
          "libdispatch.dylib 0x1ed141000 + 395220",
        ], 0x9000).join("\n") + "\n",
    );
  assertStringIncludes(
    killed("org.shop.files"),
    'Thread 6 "org.shop.files", with work of its queue, at that moment: in code of FileProvider.',
  );
  assert(!killed("com.apple.libdispatch-manager").includes("FileProvider"));
  const closed = explainReport(readReport(
    crash(
      `${head}OS Version: iOS 6.1.3 (10B329)\nException Type: EXC_GUARD\nException Codes: 0x0000000100000000, 0x08fd4dbfade2dead`,
      ["libsystem_kernel.dylib close + 8", "Shop -[Oven open] + 8", ...ends],
    ),
    "x",
  ));
  assertStringIncludes(closed.causes.join("\n"), "it is 0");
  const missing = explainReport(readReport(
    "Exception Type: EXC_CRASH (SIGABRT)\nTermination Reason: Namespace DYLD, Code 1, Library missing\n" +
      "Library not loaded: /Library/Frameworks/Oven.framework/Oven\nReferenced from: /Users/USER/Library/Developer/CoreSimulator/Devices/7/data/Shop.app/Shop\n" +
      "Reason: tried: '/Library/Frameworks/Oven.framework/Oven' (no such file)\n\nThread 0 Crashed:\n" +
      "0   dyld  0x10000 __abort_with_payload + 8\n",
    "x",
  ));
  assertStringIncludes(missing.happened.join("\n"), "where no program of iOS has any");
});

Deno.test("a program that Mono is linked into, by the names of its threads", () => {
  const text = (threads: string) =>
    `${abort}\n\nLast Exception Backtrace:\n${
      frameLines([
        "CoreFoundation __exceptionPreprocess + 160",
        "libobjc.A.dylib objc_exception_throw + 72",
        "Shop 0x7000 + 104340",
        "UIKitCore -[UIApplication _run] + 8",
        "Shop main + 8",
      ], 0x7000).join("\n")
    }\n\nThread 0 name: tid_103\nThread 0 Crashed:\n${
      frameLines(
        ["libsystem_kernel.dylib __pthread_kill + 8", "libsystem_c.dylib abort + 8"],
        0x9000,
      )
        .join("\n")
    }\n${threads}`;
  assertStringIncludes(told(text("")), "may be a managed (.NET) exception");
  assertEquals(whose(text(""))[1], "nameless");
  const own = text("").replace("tid_103", "main");
  assert(!told(own).includes("managed"));
  assertEquals(whose(own)[0], "program");
});

Deno.test("what the system's functions refuse, by their names alone, and where the reason is to be looked for", () => {
  const raised = (...frames: string[]) => {
    const { happened, causes, check } = explainReport(readReport(
      `${abort}\n\nLast Exception Backtrace:\n${
        frameLines([
          "CoreFoundation __exceptionPreprocess + 160",
          "libobjc.A.dylib objc_exception_throw + 72",
          ...frames,
          "Shop -[Oven open] + 8",
          "Shop main + 8",
        ], 0x7000).join("\n")
      }\n`,
      "x",
    ));
    return [...happened, ...causes, ...check].join("\n");
  };
  const tap = raised(
    "CoreFoundation +[NSException raise:format:] + 124",
    "AVFAudio AVAE_RaiseException(NSString*, ...) + 48",
    "AVFAudio AUGraphNodeBaseV3::CreateRecordingTap(unsigned long) + 300",
    "AVFAudio -[AVAudioNode installTapOnBus:bufferSize:format:block:] + 100",
  );
  assertStringIncludes(tap, "AVFAudio refused to install a tap.");
  assertStringIncludes(tap, "It was raised in AUGraphNodeBaseV3::CreateRecordingTap");
  assertStringIncludes(tap, "Look for the exception's reason, which has the condition, in the");
  for (
    const [frame, words] of [
      ["UIKitCore -[_UIDiffableDataSourceState appendItemsWithIdentifiers:] + 8", "diffable data"],
      ["SpriteKit -[SKNode addChild:] + 8", "has a parent already"],
      ["WebKit -[WKUserContentController addScriptMessageHandler:name:] + 8", "added before"],
      ["CoreFoundation _CFPrefsValidateValueForKey + 8", "no property list"],
      [
        "React -[RCTComponentViewRegistry componentViewDescriptorWithTag:] + 8",
        "React Native's views",
      ],
    ]
  ) assertStringIncludes(raised(frame), words);
  assertStringIncludes(
    raised("UIKitCore -[UITableView _dequeueReusableViewOfType:withIdentifier:] + 8"),
    "Look for the exception's reason in the console or the system's log: it names the identifier.",
  );
});

Deno.test("a check of Swift in a library of the system, and what some of them say of it", () => {
  const explained = (...frames: string[]) => {
    const { happened, causes } = explainReport(readReport(
      crash(`${head}Exception Type: EXC_BREAKPOINT (SIGTRAP)`, [
        ...frames,
        "Shop Oven.bake() + 8 (Oven.swift:12)",
        ...ends,
      ]),
      "x",
    ));
    return [...happened, ...causes].join("\n");
  };
  const failure = "libswiftCore.dylib _assertionFailure(_:_:file:line:flags:) + 8";
  const model = explained(failure, "SwiftData BackingData.getValue<A>(forKey:) + 8");
  assertStringIncludes(model, "The check is one of SwiftData, a library of the system.");
  assertStringIncludes(model, "a model that was deleted");
  assert(!explained(failure).includes("a library of the system"));
  assert(
    !explained("libswiftCore.dylib Array._checkSubscript(_:) + 8").includes("The check is one"),
  );
  assertStringIncludes(
    explained(failure, "SwiftUICore EnvironmentValues.subscript.getter + 8"),
    "needs an object in its environment",
  );
  assertStringIncludes(
    explained("libswift_Concurrency.dylib CheckedContinuation.resume(returning:) + 8"),
    "resumed more than once",
  );
});

Deno.test("a copy of a full stack that shows the begin of a recursion", () => {
  const full = (...frames: string[]) =>
    `${head}Exception Type: EXC_BAD_ACCESS (SIGBUS)\nException Subtype: KERN_PROTECTION_FAILURE at 0x000000016b2bbff0\n` +
    "VM Region Info: 0x16b2bbff0 is in 0x1678b8000-0x16b2bc000;  bytes after start: 60833776  bytes before end: 15\n" +
    "--->  STACK GUARD            00000001678b8000-000000016b2bc000 [ 56.0M] ---/rwx SM=NUL  ... for thread 0\n\n" +
    `Thread 0 Crashed:\n${frameLines(frames, 0x7000).join("\n")}\n`;
  const bake = "Shop -[Oven bake] + 8";
  assertEquals(whose(full(bake, bake, bake, bake))[3], "-[Oven bake]");
  // A return address in the function that made the call.
  assertEquals(whose(full(bake, "Shop -[Oven bake] + 4"))[3], "-[Oven bake]");
  assertEquals(whose(full(bake, "Shop -[Oven heat] + 4"))[3], null);
  assertStringIncludes(
    told(full(bake, bake, bake, bake)),
    "-[Oven bake] (Shop) is on it 4 times in the 4 frames that are there: most likely recursion",
  );
  const clear = "Shop GC_clear_stack_inner + 82";
  assertEquals(whose(full(clear, clear, clear, "Shop mono_string_new_size + 8"))[1], "hidden");
});

Deno.test("checks of Yoga and WebRTC, and an error of JavaScript that native code did not catch", () => {
  assertStringIncludes(
    told(
      crash(abort, [...aborts, "Shop facebook::yoga::fatalWithMessage(char const*) + 8", ...ends]),
    ),
    "A check of Yoga",
  );
  assertStringIncludes(
    told(
      crash(abort, [
        ...aborts,
        "WebRTC rtc::webrtc_checks_impl::FatalLog(char const*, int) + 8",
        ...ends,
      ]),
    ),
    "A check of WebRTC failed",
  );
  assertStringIncludes(
    told(crash(abort, [
      ...aborts,
      "libc++abi.dylib abort_message + 8",
      "libc++abi.dylib demangling_terminate_handler() + 8",
      "libc++abi.dylib std::__terminate(void (*)()) + 8",
      "libc++abi.dylib __cxa_throw + 8",
      "Shop facebook::jsi::JSError::JSError(facebook::jsi::Runtime&, facebook::jsi::Value&&) + 8",
      "Shop worklets::WorkletRuntime::run() + 8",
      ...ends,
    ])),
    "It was an error of JavaScript",
  );
});

Deno.test("what passes a call of managed code on is not whose it is; a managed exception before Mono's stacks", () => {
  const inner = [
    "libobjc.A.dylib objc_msgSend + 28",
    "Shop wrapper_managed_to_native_ObjCRuntime_Messaging_void_objc_msgSend_intptr_intptr + 28",
    "Shop UIKit_UIView_RemoveFromSuperview + 28",
  ];
  const outer = ["Shop mono_jit_runtime_invoke + 28", "Shop main + 28", ...ends];
  assertEquals(
    whose(crash(`${access}0x10`, [...inner, "Shop Shop_Oven_ViewDidLoad + 28", ...outer]))[3],
    "Shop_Oven_ViewDidLoad",
  );
  assertEquals(whose(crash(`${access}0x10`, [...inner, ...outer]))[2], "Xamarin or Mono");
  const text =
    "2019-05-01 10:00:00.123 Shop[1:60b] Unhandled managed exception:\nNo bread (System.NullReferenceException)\n" +
    "  at Shop.Oven.Bake () [0x00010] in /Users/me/Oven.cs:42\n" +
    "Got a SIGABRT while executing native code. This usually indicates\n\n" +
    crash(abort, [...aborts, "Shop 0x7000 + 104340", "Shop main + 8", ...ends]);
  assertStringIncludes(
    told(text),
    "A Mono or Xamarin exception was not handled. It says: Unhandled managed exception: No bread (System.NullReferenceException)",
  );
});

Deno.test("a spindump's version is its program's, not that of a process behind", () => {
  const { process } = readReport(
    "Date/Time: 2016-04-20 15:29:05 +0530\nOS Version: Mac OS X 10.11.4 (Build 15E65)\n\nCommand: Shop\nPath: /Applications/Shop.app\n" +
      "Version: 4.5.0 (4.5)\nPID: 225\n\nEvent: hang\nDuration: 2.00s\nSteps: 20 (100ms sampling interval)\n\n" +
      "Process: Shop [225]\nThread 0x1 20 samples (1-20)\n  20 main + 8 (Shop + 100) [0x1000]\n\n" +
      "Process: kernel_task [0]\nVersion: Darwin Kernel Version 15.4.0\nThread 0x2 20 samples (1-20)\n  20 wait + 8 [0x2000]\n",
    "x",
  );
  assertEquals(process.version, "4.5.0 (4.5)");
});

Deno.test("static functions of Mono and Xamarin are theirs, the innermost first", () => {
  const thread = ["libsystem_pthread.dylib thread_start + 34"];
  // By its file alone, and the collector's by it.
  assertEquals(
    whose(crash(abort, [
      ...aborts,
      "libSystem.B.dylib internal_catch_exception_raise + 114",
      "libSystem.B.dylib exc_server + 125",
      "Shop mach_exception_thread + 60 (mini-darwin.c:143)",
      "Shop GC_start_routine + 107 (pthread_support.c:1468)",
      ...thread,
    ])),
    ["program", null, "Mono", "mach_exception_thread"],
  );
  assertEquals(
    whose(crash(`${access}0x10`, [
      "Shop finalize_domain_objects + 112 (gc.c:1021)",
      "Shop start_wrapper_internal + 610 (threads.c:783)",
      "Shop mono_thread_start + 107",
      ...thread,
    ]))[3],
    "finalize_domain_objects",
  );
  const helper = (...outer: string[]) =>
    whose(crash(`${access}0x10`, [
      "Shop get_raw_handle + 46",
      "Shop get_handle + 23",
      ...outer,
      "AppKit -[NSDocument save] + 8",
      ...ends,
    ]));
  assertEquals(helper("Shop xamarin_get_gchandle + 23").slice(2), [
    "Xamarin or Mono",
    "get_raw_handle",
  ]);
  assertEquals(helper("Shop bake_bread + 23").slice(2), [null, "get_raw_handle"]);
  // Frames of managed methods in between, which have other forms.
  const rethrown = crash(abort, [
    "Shop mono_handle_exception + 10",
    "Shop mono_arm_throw_exception + 110",
    "left out",
    "Shop xamarin_throw_ns_exception + 52",
    "Shop exception_handler + 224",
    "libobjc.A.dylib objc_exception_rethrow + 42",
    "UIKit UIApplicationMain + 1440",
    "Shop mono_jit_runtime_invoke + 10",
    ...ends,
  ]).replace(/^2 .*\n/m, "at Shop.Oven.Bake () [0x00000] in <filename unknown>:0\n");
  assertEquals(whose(rethrown), ["unknown", "thrower", null, null]);
});

Deno.test("Rosetta's own code is the system's, also in a copy without the header", () => {
  const text = crash("Crash of the oven:", [
    "libRosettaRuntime 0x10cdc1000 + 256916",
    "libsystem_kernel.dylib mach_msg_trap + 10",
    "Shop Oven::bake() + 8",
    ...ends,
  ]);
  assertEquals(whose(text)[3], "Oven::bake()");
  assertStringIncludes(told(text), "It was in Rosetta itself");
  assert(!told(text).includes("Thread 0: "));
  assertStringIncludes(explainReport(readReport(text, "x")).headline, "under Rosetta");
});

Deno.test("a handler without a name is not whose it is where the thread waited; what stands for no address is no code", () => {
  const wait = [
    "CoreFoundation __CFRunLoopServiceMachPort + 170",
    "CoreFoundation __CFRunLoopRun + 1428",
    "AppKit -[NSApplication run] + 8",
    "Shop main + 8",
    ...ends,
  ];
  const text = crash("", [
    ...aborts,
    "Shop 0x1000 + 759924",
    "libsystem_c.dylib _sigtramp + 43",
    ...wait,
  ]);
  assertEquals(whose(text).slice(0, 2), ["none", "wait"]);
  assertStringIncludes(told(text), "A handler of signals in the process (frame 2) ended it");
  const lines = [
    ...frameLines([
      ...aborts,
      "libmonosgen-2.0.dylib mono_sigsegv_signal_handler + 9",
      "libsystem_platform.dylib _sigtramp + 43",
    ], 0x7000),
    "4   ???   0xffffffff 0 + 4294967295",
    "5   com.apple.desktopservices   0x983ea2cc CopyIcons + 41",
    "6   libsystem_pthread.dylib   0x910e1167 start_wqthread + 8",
  ];
  assertEquals(
    whose(
      `${access}0x20\nCode Type: X86 (Native)\n\nThread 0 Crashed:\n${lines.join("\n")}\n`,
    ).slice(0, 2),
    ["system", null],
  );
});

Deno.test("a script's interpreter of the system's is not the system", () => {
  const text = (name: string) =>
    `Process: ${name} [7]\nPath: /System/Library/Frameworks/${name}\nOS Version: Mac OS X 10.13 (17A291)\n\nCrashed Thread: 0\n\nException Type: EXC_CRASH (SIGABRT)\n`;
  assertEquals(whose(text("Python"))[1], "stack");
  assertEquals(whose(text("Dock"))[1], "system's");
});

Deno.test("what malloc's functions stop for by themselves, and locks that a fork left behind", () => {
  assertStringIncludes(
    told(crash(abort, [
      ...aborts,
      "libsystem_malloc.dylib free + 419",
      "Shop drop_crumbs + 8",
      ...ends,
    ])),
    "A pointer was freed or reallocated that malloc did not allocate",
  );
  const damaged = (...outer: string[]) =>
    explainReport(readReport(
      crash(abort, [
        "libsystem_platform.dylib _os_unfair_lock_corruption_abort + 88",
        "libsystem_platform.dylib _os_unfair_lock_lock_slow + 332",
        "Shop prepare + 44",
        ...outer,
        "Shop main + 8",
        ...ends,
      ]),
      "x",
    )).causes;
  const left = "a lock that was held when the process was forked";
  assert(damaged("libsystem_c.dylib fork + 36").includes(left));
  assert(!damaged().includes(left));
});

Deno.test("what is printed before a report, or pasted behind it, is the message", () => {
  const stack = crash("", [...aborts, "Shop mono_thread_info_attach + 8", ...ends]);
  assertStringIncludes(
    told(
      `error: * Assertion at ../mono/utils/mono-threads.c:159, condition \`result' not met\n${stack}`,
    ),
    "An assertion of the Mono run-time failed. It says: * Assertion at ../mono/utils/mono-threads.c:159",
  );
  assertStringIncludes(
    told(`Unhandled managed exception: No bread (System.NullReferenceException)\n${stack}`),
    "It says: Unhandled managed exception: No bread",
  );
  assertStringIncludes(
    told(`*** Assertion failure in -[Oven bake:], /Users/me/Oven.m:56\n${stack}`),
    "An assertion failed. It says: *** Assertion failure in -[Oven bake:]",
  );
  const asi = explainReport(readReport(
    `${stack}\n{\n  "libsystem_c.dylib":["crashed on child side of fork pre-exec"]\n}\n`,
    "x",
  )).happened.join("\n");
  assertStringIncludes(asi, "fork()");
  assertStringIncludes(
    told(
      `${head}Exception: EXC_BREAKPOINT (0x0006)\n\n2011-12-13 23:25:43.349 Shop[7] *** Uncaught exception: <NSInvalidArgumentException> *** -[Oven heat]: selector not recognized [self = 0x1327150]\n\n${
        crash("", ["Foundation _NSRaiseError + 227", "Shop -[Bakery open] + 8", ...ends])
      }`,
    ),
    "An Objective-C exception was not caught: NSInvalidArgumentException, -[Oven heat]: selector not recognized",
  );
});

Deno.test("an exception that AppKit's class met, a window off the main thread, the counter of a stack that is not there", () => {
  assertStringIncludes(
    told(
      crash(`${head}Exception Type: EXC_BREAKPOINT (SIGTRAP)`, [
        "AppKit +[NSApplication _crashOnException:] + 240",
        "AppKit NSPerformVisuallyAtomicChange + 8",
        ...ends,
      ]),
    ),
    "An Objective-C exception was not caught",
  );
  assertStringIncludes(
    told(
      `Application Specific Backtrace 0:\n${
        frameLines([
          "CoreFoundation __exceptionPreprocess + 242",
          "libobjc.A.dylib objc_exception_throw + 48",
          "CoreFoundation -[NSException raise] + 9",
          "AppKit -[NSWindow(NSWindow_Theme) _postWindowNeedsToResetDragMarginsUnlessPostingDisabled] + 321",
          "Shop -[Oven open] + 54",
        ], 0x7000).join("\n")
      }\n`,
    ),
    "on another thread than the main one",
  );
  assertStringIncludes(
    told(
      "7   libpan.dylib   0x1035f5380 knead + 380\n8   libsystem_pthread.dylib   0x1b15f426c _pthread_start + 148\n\n\n" +
        "Thread 0 crashed with ARM Thread State (64-bit):\n    x0: 0x0000000000000000   x1: 0x0000000000000000\n" +
        "    sp: 0x000000016d24acf0   pc: 0x00000001035f75d8 cpsr: 0x60001000\n   far: 0x0000000000000000  esr: 0x92000007 (Data Abort)\n\n" +
        "Binary Images:\n       0x1035b8000 -        0x103a87fff libpan.dylib (*) <42f01d8e-25dd-3714-a4c6-3b0000000000> /Applications/Shop.app/libpan.dylib\n",
    ),
    "By the registers it was in libpan.dylib + 0x3f5d8.",
  );
});

Deno.test("a copy without the exception does not say that Chromium stopped the process; Java's threads by their titles", () => {
  assert(
    !told(
      crash("", [
        "Electron Framework 0x1132dd000 + 2064433",
        "Electron Framework Lock::Create() + 8",
      ]),
    )
      .includes("on purpose"),
  );
  assertStringIncludes(
    told(
      `${head}\nCrashed Thread: 20  Java: Oven-1\n\nException Type: EXC_BAD_ACCESS (SIGABRT)\nException Codes: KERN_INVALID_ADDRESS at 0x000000000000003d\n\nThread 0:\n0   libsystem_kernel.dylib   0x7fff8b8a04de mach_msg_trap + 10\n`,
    ),
    "The Java virtual machine's own handler of the signal",
  );
});

Deno.test("a Go program's own packages need no domain", () => {
  const text =
    "fatal error: unexpected signal during runtime execution\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x7fff823874cc]\n\n" +
    "runtime stack:\nruntime.throw(0x40ac919, 0x2a)\n\t/usr/local/go/src/runtime/panic.go:566 +0x95\n" +
    "runtime.sigpanic()\n\t/usr/local/go/src/runtime/sigpanic_unix.go:12 +0x2cc\n\n" +
    "goroutine 1 [syscall, locked to thread]:\nruntime.cgocall(0x407fb20, 0xc420049e60, 0x0)\n\t/usr/local/go/src/runtime/cgocall.go:131 +0x110 fp=0xc420049e30 sp=0xc420049df0\n" +
    "bakery._Cfunc_knead(0x46001c0, 0x4600000, 0x0)\n\t??:0 +0x4e fp=0xc420049e60 sp=0xc420049e30\n" +
    "bakery.Knead(0x40a76c5, 0x1)\n\t/Users/me/bakery/bakery.go:144 +0x73 fp=0xc420049eb8 sp=0xc420049e60\n";
  assertEquals(whose(text)[0], "program");
  assertEquals(attributeReport(readReport(text, "x")).library, "bakery");
});

Deno.test("parts of several reports are not one, nor are versions behind them the program's", () => {
  const stack = crash("", [...aborts, "Shop bake + 8"]);
  const text =
    "Exception Type: EXC_BAD_ACCESS (SIGABRT)\nException Subtype: KERN_INVALID_ADDRESS at 0x20\n\n*****\n\n" +
    `Exception Type: EXC_CRASH (SIGABRT)\nException Codes: 0x0, 0x0\n${stack}\n*****\n\n` +
    `Exception Type: EXC_BREAKPOINT (SIGTRAP)\n${
      crash("", ["Shop heat + 8"])
    }\n=== Tools ===\n\nVersion: 7.2.0 (Oven Edition)\n`;
  const [first, second] = readReports(text, "x");
  assertEquals([first.exception?.type, first.exception?.subtype ?? null], ["EXC_CRASH", null]);
  assertEquals([second.exception?.type, second.process.version], ["EXC_BREAKPOINT", null]);
});

Deno.test("what a signal met that Mono's handler passed on, and plug-ins that a host called", () => {
  const passed = told(crash("", [
    ...aborts,
    "Shop HandleSignal(int, __siginfo*, void*) + 62",
    "libmonobdwgc-2.0.dylib mono_chain_signal + 79",
    "libsystem_platform.dylib _sigtramp + 29",
    "0x0 ??? 0 + 0",
    "BreadSender knead + 98",
    "libdispatch.dylib _dispatch_client_callout + 8",
  ]));
  assertStringIncludes(
    passed,
    "Which signal it had got is not in this part of the report; it interrupted",
  );
  assertStringIncludes(
    told(crash(`${access}0x10`, [
      "org.host.Studio 0x100000000 + 16546216",
      "org.reverb PanAudioProcessor::prepareToPlay(double, int) + 6343",
      "org.reverb juce::JuceVST3Component::setActive(unsigned char) + 769",
      "org.host.Studio 0x100000000 + 37353525",
      ...ends,
    ])),
    "in a call of a host into an audio plug-in",
  );
  assertStringIncludes(
    told(
      "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'nextEventMatchingMask should only be called from the Main Thread!'\n" +
        `*** First throw call stack:\n(\n${
          frameLines(["CoreFoundation __exceptionPreprocess + 256", "Shop main + 8"], 0x7000).join(
            "\n",
          )
        }\n)\n`,
    ),
    "What is for the main thread only",
  );
});

Deno.test("a game's engine is Unity's beside the player's main function; a handler in Chromium's framework stopped nothing by a check", () => {
  const game = (outer: string) =>
    attributeReport(readReport(
      crash(`${access}0x28`, [
        "Shop ParticleSystem::Update(float) + 8",
        "Shop PlayerLoop() + 8",
        outer,
        ...ends,
      ]),
      "x",
    )).maker;
  assertEquals(game("Shop PlayerMain(int, char const**) + 8"), "Unity");
  assertEquals(game("Shop Bakery::main(int, char const**) + 8"), null);
  const handled = told(crash(abort, [
    ...aborts,
    "com.github.Electron.framework 0x106000000 + 70033807",
    "libsystem_platform.dylib _sigtramp + 29",
    "com.github.Electron.framework ElectronMain + 223",
    ...ends,
  ]));
  assert(!handled.includes("on purpose"));
  // A collector in the run-time's own library is not what was wrong.
  assertEquals(
    whose(crash(`${access}0x28`, [
      "libmonobdwgc-2.0.dylib GC_mark_some + 476",
      "libmonobdwgc-2.0.dylib GC_gcollect + 13",
      "Shop CleanUp() + 297",
      ...ends,
    ]))[3],
    "CleanUp()",
  );
});

Deno.test("leaks(1), a report as a table, what the dynamic linker noted, threads that another process created", () => {
  assertStringIncludes(
    told(
      "Process: Shop [7]\nPath: /Users/me/Shop\nOS Version: Mac OS X 10.9 (13A603)\nReport Version: 7\n\nleaks Report Version: 2.0\nProcess 7: 26 nodes malloced for 29 KB\nProcess 7: 2 leaks for 512 total leaked bytes.\n",
    ),
    "leaks found memory that nothing points to any more. Nothing crashed.",
  );
  const table = readReport(
    `Exception Type\tEXC_BAD_ACCESS (SIGABRT)\nException Codes\tKERN_INVALID_ADDRESS at 0x4\n${
      crash("", ["Shop bake + 8", ...ends])
    }`,
    "x",
  );
  assertEquals(table.exception?.type, "EXC_BAD_ACCESS");
  assertStringIncludes(
    told(
      `${access}0x0\n\nApplication Specific Information:\n/Users/me/bread.bundle\n\nThread 0 Crashed:\n${
        frameLines(["Shop bake + 8", ...ends], 0x7000).join("\n")
      }\n`,
    ),
    "The dynamic linker was loading /Users/me/bread.bundle or running its initializers.",
  );
  const finder =
    "Process: Finder [7]\nPath: /System/Library/CoreServices/Finder.app/Contents/MacOS/Finder\nOS Version: Mac OS X 10.9.4 (13E28)\n\nCrashed Thread: 6\n\nException Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: EXC_I386_GPFLT\n";
  const injected =
    `${finder}\nExternal Modification Warnings:\nThread creation by external task.\n`;
  assertStringIncludes(told(injected), "Another process had created a thread in this one");
  assertEquals([whose(finder)[1], whose(injected)[1]], ["system's", "stack"]);
});

Deno.test("people's sentences, code and other systems' lines are not quoted for the message; what a native add-on returned", () => {
  const stack = crash("", ["Shop bake + 8", ...ends]);
  const text =
    `The oven **"Heat"** button crashes with an error.\nconfigure: error: no oven\ncatch (OvenException e)\n${stack}`;
  assert(!told(text).includes("Lines that were not understood"));
  assertStringIncludes(
    told(`Failed to heat: error 7\n${stack}`),
    'Lines that were not understood: "Failed to heat: error 7"',
  );
  assertStringIncludes(
    told(crash(`${access}0x8`, [
      "node (anonymous namespace)::v8impl::FunctionCallbackWrapper::SetReturnValue(napi_value__*) + 16",
      "node v8::internal::FunctionCallbackArguments::Call(void (*)()) + 466",
    ])),
    "What a native add-on of Node.js returned",
  );
});

Deno.test("a check of the system's that the function's name states", () => {
  const trap = `${head}Exception Type: EXC_BREAKPOINT (SIGTRAP)`;
  const bundle = crash(trap, [
    "BackBoardServices __BKSHIDEvent__BUNDLE_IDENTIFIER_FOR_CURRENT_PROCESS_IS_NIL__ + 300",
    "BackBoardServices ___getHIDEventSystemClient_block_invoke + 436",
    "UIKitCore -[UIEventFetcher threadMain] + 424",
    "Foundation __NSThread__start__ + 864",
    "libsystem_pthread.dylib _pthread_start + 148",
  ]);
  assertStringIncludes(told(bundle), "The process has no bundle identifier");
  assert(!told(bundle).includes("Which check failed is not"));
  assertEquals(whose(bundle).slice(0, 2), ["unknown", "setup"]);
  const named = (name: string): string =>
    told(crash(trap, [
      `FrontBoardServices ${name} + 100`,
      "FrontBoardServices -[FBSCart open] + 20",
      "Foundation __NSThread__start__ + 864",
      "libsystem_pthread.dylib _pthread_start + 148",
    ]));
  assertStringIncludes(
    named("__FBSCart__HANDLE_MUST_NOT_BE_INVALID__"),
    "The function is named for what it found or checked: handle must not be invalid.",
  );
  for (const name of ["__FBSCART_IS_CALLING_OUT_TO_A_BLOCK__", "FBSCartOpen"]) {
    assertStringIncludes(named(name), "Which check failed is not in the report.");
  }
  const logged = readReport(
    `${
      bundle.replace(/__BKSHIDEvent__\w+/, "<redacted>")
    }\nApplication Specific Information:\nfailure in void f(NSBundle *) (BKSHIDEvent.m:91) : missing bundleID for main bundle NSBundle </x>\n`,
    "x",
  );
  assertStringIncludes(explainReport(logged).happened.join(), "has no bundle identifier");
});

Deno.test("an exception's addresses in an image of which other frames tell where it begins", () => {
  const report = (frames: string): string =>
    `Process: Shop [1]
Path: /private/var/containers/Bundle/Application/1/Shop.app/Shop
Code Type: ARM-64 (Native)
OS Version: iPhone OS 14.5.1 (18E212)

Exception Type: EXC_CRASH (SIGABRT)
Triggered by Thread: 7

Last Exception Backtrace:
(0x182031128 0x195d44480 0x104420880 0x195d1fd30 0x195d20500 0x1049abef4 0x181c682b0 0x1c971886c)

Thread 0 name: Dispatch queue: com.apple.main-thread
Thread 0:
${frames}`;
  const known = report(
    "0 CartKit 0x00000001052cc28c 0x1040d4000 + 18842252\n1 CartKit 0x00000001052c5484 0x1040d4000 + 18814084\n",
  );
  const { deciding, absent } = attributeReport(readReport(known, "x"));
  assertEquals([deciding?.frame.imageName, deciding?.frame.address], ["CartKit", 0x104420880n]);
  assert(absent !== "address");
  // An image that does not reach as far, and one that two frames call differently.
  for (
    const frames of [
      "0 CartKit 0x00000001040d5000 0x1040d4000 + 4096\n",
      "0 CartKit 0x00000001052cc28c 0x1040d4000 + 18842252\n1 TillKit 0x00000001052c5484 0x1040d4000 + 18814084\n",
      "0 CartKit 0x00000001052cc28c _pay + 12\n",
    ]
  ) assertEquals(attributeReport(readReport(report(frames), "x")).absent, "address");
});

Deno.test("a delegate that does not have the method which a class of the system calls", () => {
  const thrown = (reason: string, caller: string, rest: readonly string[] = []): string =>
    `${abort}\n\nApplication Specific Information:\n*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '${reason}: unrecognized selector sent to instance 0x10a066040'\n\nLast Exception Backtrace:\n${
      frameLines([
        "CoreFoundation __exceptionPreprocess + 164",
        "libobjc.A.dylib objc_exception_throw + 88",
        "CoreFoundation -[NSObject(NSObject) doesNotRecognizeSelector:] + 384",
        "CoreFoundation ___forwarding___ + 1472",
        "CoreFoundation _CF_forwarding_prep_0 + 96",
        caller,
        ...rest,
        "libdispatch.dylib _dispatch_call_block_and_release + 32",
        "libdispatch.dylib _dispatch_client_callout + 16",
        "libdispatch.dylib _dispatch_workloop_worker_thread + 692",
        "libsystem_pthread.dylib _pthread_wqthread + 292",
        "libsystem_pthread.dylib start_wqthread + 8",
      ], 0x7000).join("\n")
    }\n`;
  const location = "CoreLocation -[CLLocationManager onClientEventLocation:] + 20";
  for (
    const [reason, caller, name] of [
      ["-[%s locationManager:didFindTill:]", location, "CLLocationManager"],
      ["-[Shop.Finder locationManager:didFindTill:]", location, "CLLocationManager"],
      [
        "-[Shop.List scrollViewDidTurn:]",
        "UIKitCore __30-[UIScrollView(Internal) _notify]_block_invoke + 20",
        "UIScrollView",
      ],
    ]
  ) {
    const text = thrown(reason, caller);
    assertStringIncludes(told(text), `${name} called its delegate or data source`);
    assertEquals(whose(text).slice(0, 2), ["unknown", "delegate"]);
  }
  // A string stands where the delegate was.
  const gone = explainReport(readReport(
    thrown("-[__NSCFString locationManager:didFindTill:]", location),
    "x",
  ));
  assertStringIncludes(gone.causes[0], "a delegate that was deallocated");
  for (
    const [reason, caller] of [
      ["-[Shop.Finder payTill:]", location],
      ["-[Shop.Finder locationManager:didFindTill:]", "Shop -[CLLocationManager pay] + 20"],
      ["-[Shop.Finder locationManager:didFindTill:]", "CoreLocation -[CLTill pay] + 20"],
    ]
  ) assert(!told(thrown(reason, caller)).includes("called its delegate"), reason);
});

Deno.test("what called the program where a library of the system that it called failed", () => {
  const words = (frames: readonly string[]): string =>
    told(crash(`${head}Exception Type: EXC_BREAKPOINT (SIGTRAP)`, frames));
  const lines = ["Shop 0x1 + 1", "SwiftUI 0x1 + 2", "libswift_Concurrency.dylib 0x1 + 3"];
  assertStringIncludes(
    words(["CloudKit 0x1 + 4", ...lines]),
    "It was in code of the program that SwiftUI called.",
  );
});

/** Whose code the deciding function is by its name. */
function maker(text: string): string | null {
  return attributeReport(readReport(text, "x")).maker;
}

Deno.test("a library that is linked into the program is known by its functions' names, classes and modules", () => {
  for (
    const [symbol, title] of [
      // Prefixes of C, with or without a result and a thunk before names of C++.
      ["g_object_unref", "GLib"],
      ["non-virtual thunk to xercesc_3_2::Parser::read()", "Xerces-C++ or Xalan"],
      ["void Botan::copy_mem<unsigned char>(unsigned char*, unsigned long)", "Botan"],
      ["std::__1::pair<int, int> const& Botan::least(int (*)(int))", "Botan"],
      // Whole names of classes where others have the prefix, too.
      ["QComboBoxPrivate::setCurrentIndex(QModelIndex const&)", "Qt"],
      ["wxTreeCtrlBase::Expand(wxTreeItemId const&)", "wxWidgets"],
      // Classes and blocks of Objective-C, and categories of the system's.
      ["__31-[STPAPIClient createToken:]_block_invoke", "Stripe's SDK"],
      ["-[UIImageView(WebCache) sd_cancelCurrentImageLoad]", "SDWebImage"],
      ["-[NSArray(RLMTen) firstTen]", "Realm"],
      ["-[_FLEXTreeController open]", "a tool for debugging inside programs"],
      // Modules of Swift.
      ["$s9Alamofire7SessionC6cancelyyF", "Alamofire"],
    ]
  ) assertEquals(maker(crash(`${access}0x18`, [`Shop ${symbol} + 8`, ...ends])), title, symbol);
});

Deno.test("names that programs have as well are no library's", () => {
  for (
    const symbol of [
      ...["g_state", "g_init_all", "rb_insert_color", "R_RegisterShader", "curl_block_init"],
      ...[
        "lua_to_game_string",
        "luaopen_shop_cart",
        "php_report_error",
        "plist_write",
        "hb_list_add",
      ],
      ...["QCartWidget::show()", "wxCartFrame::OnIdle()", "Cart::run(QString const&)"],
      ...[
        "-[RNCachingCart show]",
        "-[SPUserCart show]",
        "-[ICMCart show]",
        "-[FBLogicTests run]",
        "-[CCMenuViewController show]",
      ],
      "$s4Shop7SessionC6cancelyyF",
    ]
  ) assertEquals(maker(crash(`${access}0x18`, [`Shop ${symbol} + 8`, ...ends])), null, symbol);
  // A program whose own name begins as a library's functions do.
  const lws = crash(`${access}0x18`, ["lws lws_open + 8", ...ends]);
  assertEquals(maker(lws), null);
});

Deno.test("a function without a name between two of a library in the same image is not the program's", () => {
  const around = (inner: string, outer: string): (string | null)[] =>
    whose(crash(abort, [...aborts, inner, "Shop 0x100004000 + 20", outer, ...ends])).slice(0, 2);
  assertEquals(around("Shop duk_push_int + 8", "Shop duk_call + 8"), ["unknown", "nameless"]);
  for (
    const [inner, outer] of [
      ["Shop duk_push_int + 8", "Shop openCart + 8"],
      ["Shop duk_push_int + 8", "Engine duk_call + 8"],
    ]
  ) assertEquals(around(inner, outer), ["program", null]);
});

Deno.test("an image of which only the UUID is listed is not the program, and one of which nothing is, is none", () => {
  const heaviest =
    "Command:          Shop\nPath:             /private/var/containers/Bundle/Application/A/Shop.app/Shop\n" +
    "Event:            cpu usage\nSteps:            22\n\nHeaviest stack for the target process:\n" +
    "  15  ??? (libsystem_pthread.dylib + 14340) [0x1d0923804]\n" +
    "  15  ??? (<BC567159-0000-34E3-991D-000000000001> + 108100) [0x10001a644]\n" +
    "  12  ??? (Foundation + 459804) [0x1acb6b41c]\n";
  const { isLibrary, library } = attributeReport(readReport(heaviest, "x"));
  assertEquals(library, "<BC567159-0000-34E3-991D-000000000001>");
  assertEquals(isLibrary, null);
  const unknown =
    `${access}0x18\n\nThread 0 Crashed:\n0   ???   0x0000000000007000 0x0 + 28672\n\n` +
    "Binary Images:\n0x0 - 0xffffffffffffffff ??? unknown-arch  <00000000000000000000000000000000> ???\n";
  assert(!whose(unknown).includes("program"), JSON.stringify(whose(unknown)));
});

Deno.test("a managed method of .NET's own or of Apple's frameworks there does not decide", () => {
  const frames = [
    "Shop MonoTouch.UIKit.UIView:AddSubview + 8",
    "Shop Shop.Cart.List:Show + 8",
    ...ends,
  ];
  assertEquals(whose(crash(abort, [...aborts, ...frames]))[3], "Shop.Cart.List:Show");
});

Deno.test("a template of a run-time that is linked in is its own, whatever stands before its name", () => {
  const engine = (symbol: string): (string | null)[] =>
    whose(crash(`${access}0x18`, [`Shop ${symbol} + 8`, "Shop -[Cart open] + 8", ...ends]));
  for (
    const symbol of [
      "void v8::internal::Sweeper::Sweep<2>(v8::internal::Page*)",
      "v8::Local<v8::Value> const& v8::internal::First<int (*)(int)>(int)",
      "non-virtual thunk to v8::internal::Heap::Grow()",
    ]
  ) assertEquals(engine(symbol).slice(2), ["V8", symbol]);
  assertEquals(engine("void cart::fill<v8::Value>(v8::Value*)")[2], null);
});

Deno.test("a function where a log's line has its image is none", () => {
  const { library } = attributeReport(
    readReport(crash(`${access}0x18`, ["cart::fill(int) 0x7000 + 8", ...ends]), "x"),
  );
  assertEquals(library, null);
});

Deno.test("a .NET library that was built with lines is no code of the program; what could not be decrypted is no packaging", () => {
  const managed = (method: string): string | null =>
    attributeReport(readReport(
      `Process: Shop [12]
Exception Type: SIGABRT

Application Specific Information:
*** Terminating app due to uncaught exception 'System.NullReferenceException', reason: 'Object reference not set to an instance of an object.'
  at ${method} () [0x00012] in C:\\build\\LabelRenderer.cs:301
  at Shop.iOS.Application.Main (System.String[] args) [0x00001] in C:\\Shop\\Main.cs:17
`,
      "x",
    )).absent;
  assertEquals(managed("Mopups.Pages.PopupPage.Close"), "managed library");
  assertEquals(managed("CommunityToolkit.Maui.Views.Popup.Close"), "managed library");
  assertEquals(managed("Xamarin.Forms.Platform.iOS.LabelRenderer.UpdateFont"), "managed library");
  assertEquals(managed("Shop.iOS.Cart.Fill"), "managed own");
  const loaded = (reason: string): string | null =>
    attributeReport(readReport(
      `Process: Shop [12]
Exception Type: EXC_CRASH (SIGKILL)

Dyld Error Message:
  Dyld Message: Library not loaded: @rpath/Cart.framework/Cart
  Referenced from: /var/containers/Bundle/Shop.app/Shop
  Reason: no suitable image found.  Did find:
	/private/var/containers/Bundle/Shop.app/Frameworks/Cart.framework/Cart: ${reason}
`,
      "x",
    )).absent;
  assertEquals(loaded("mremap_encrypted() => -1, errno=12 for Cart"), "stack");
  assertEquals(loaded("code signature invalid for Cart"), "packaging");
});

Deno.test("a stack with a frame whose blank before a Swift symbol or a method was lost is whole", () => {
  for (const lost of ["$s4Dock5sleepyyF", "-[Bed sleep]"]) {
    const report = readReport(
      `Process:               Dock [3]
Path:                  /System/Library/CoreServices/Dock.app/Contents/MacOS/Dock
Identifier:            com.apple.dock
Code Type:             X86-64 (Native)
OS Version:            Mac OS X 10.15.3 (19D76)
Exception Type:        EXC_CRASH (SIGABRT)
Crashed Thread:        0

Application Specific Backtrace 1:
0   CoreFoundation                      0x00007fff3a29238b __exceptionPreprocess + 250
1   libobjc.A.dylib                     0x00007fff70470552 objc_exception_throw + 48
2   Dock                                0x0000000101517115 Dock + 49429
3   libswiftObjectiveC.dylib            0x00007fff7147bf0e${lost} + 46
4   Dock                                0x0000000101510fc7 Dock + 24519
5   libdyld.dylib                       0x00007fff717d27fd start + 1
`,
      "x",
    );
    assertEquals(report.lastException?.length, 6);
    assertEquals(attributeReport(report).absent, null);
  }
});

Deno.test("Tk that refuses to start is not the binding's that loaded it", () => {
  const report = readReport(
    `Process:               Python [2]
Path:                  /Users/me/Python.app/Contents/MacOS/Python
Code Type:             X86-64 (Native)
OS Version:            macOS 14.8 (23J631)
Exception Type:        EXC_CRASH (SIGABRT)
Crashed Thread:        0

Thread 0 Crashed:
0   libsystem_kernel.dylib  0x7ff816570dd6 __pthread_kill + 10
1   libsystem_c.dylib  0x7ff8164cfa59 abort + 126
2   Tcl  0x7ffb1f7097ee Tcl_PanicVA + 364
3   Tcl  0x7ffb1f70986e Tcl_Panic + 128
4   Tk  0x7ffb1f89b36c TkpInit + 552
5   Tk  0x7ffb1f81c3bd 0x7ffb1f7ee000 + 189373
6   _tkinter.so  0x10883d66e 0x108835000 + 34414
7   Python3  0x1091e9557 _PyEval_EvalFrameDefault + 23527
8   dyld  0x7ff81621e345 start + 1909
`,
    "x",
  );
  const { happened, check } = explainReport(report);
  assertStringIncludes(happened.join("\n"), "what refused is Tk, not what loaded it");
  assertEquals(attributeReport(report).absent, "setup");
  assert(!check.join(" ").includes("_tkinter"), check.join(" "));
});

/** The console's text of an uncaught exception. */
const thrown = (reason: string, frames: readonly string[]): string =>
  `2026-01-02 10:00:00.000 Shop[77:88] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: '${reason}'
*** First throw call stack:
(
${
    frameLines(["CoreFoundation __exceptionPreprocess + 1", ...frames]).map((line) => `\t${line}`)
      .join("\n")
  }
)
`;

Deno.test("who passed nil to what refuses it, and who used on another thread what is for the main one", () => {
  const asserted = [
    "libobjc.A.dylib objc_exception_throw + 8",
    "Foundation -[NSAssertionHandler handleFailureInMethod:object:file:lineNumber:description:] + 8",
    "Oven -[OVNBread initWithDough:] + 8",
    "Oven +[OVNBread breadWithDough:] + 8",
    "Shop -[Cart bake] + 8",
    ...ends,
  ];
  assertEquals(whose(thrown("Dough cannot be nil", asserted))[3], "-[Cart bake]");
  assertEquals(whose(thrown("The oven is cold", asserted))[3], "-[OVNBread initWithDough:]");
  const far = [
    "libobjc.A.dylib objc_exception_throw + 8",
    ...Array.from({ length: 8 }, (_, at) => `UIKit -[UIWindow step${at}] + 8`),
    "QuickLook -[QLPreviewController show] + 8",
    "Shop -[Cart show] + 8",
    "libdispatch.dylib _dispatch_client_callout + 8",
    "libsystem_pthread.dylib start_wqthread + 8",
  ];
  const evidence = (reason: string): boolean =>
    attributeReport(readReport(thrown(reason, far), "x")).isEvidence;
  assert(evidence("-[UIWindow step0] must be called from the main thread"));
  assert(!evidence("the window is closed"));
});

Deno.test("a rest of another stack has no number; a program that a jailbreak brought along is no library in itself", () => {
  const rest = `\t60  libsystem_pthread.dylib 0x0000000107001be9 start_wqthread + 13\n)\n${
    thrown("The oven is cold", ["libobjc.A.dylib objc_exception_throw + 8", "Shop main + 8"])
  }`;
  assertEquals(readReport(rest, "x").threads.map(({ isNumbered }) => isNumbered), [false]);
  const report = readReport(
    `Hardware Model: iPad7,11
Process: look [5]
Path: /private/preboot/AB/jb-x/procursus/usr/bin/look
OS Version: iPhone OS 17.6.1 (21G101)
Exception Type: EXC_BAD_ACCESS (SIGBUS)
Exception Codes: KERN_PROTECTION_FAILURE at 0x0000000104003000

Thread 0 Crashed:
0   look  0x0000000104003100 look_at + 16
1   look  0x0000000104003200 main + 16

Binary Images:
0x104000000 - 0x104007fff look arm64 <0123456789abcdef0123456789abcdef> /private/preboot/AB/jb-x/procursus/usr/bin/look
`,
    "x",
  );
  const { verdict, isTweak } = attributeReport(report);
  assertEquals([verdict, isTweak], ["program", false]);
  assert(!explainReport(report).happened.join("\n").includes("jailbreak put"));
});

Deno.test("a panic of Rust that may not go on has left what it began in, also where names are mangled", () => {
  const stops = (name: string): string[] => [
    ...aborts,
    "Shop _RNvCs9wFQrvczXsK_7___rustc17rust_begin_unwind + 8",
    `Shop ${name} + 8`,
    "Shop _RNvNtCslaF18iYGa9m_4oven5crust4bake + 8",
    ...ends,
  ];
  const mangled = "_RNvNtCsgejaSCmAoRz_4core9panicking19panic_cannot_unwind";
  assertEquals(whose(crash(abort, stops(mangled)))[1], "unwound");
  assertEquals(whose(crash(abort, stops("core::panicking::panic_cannot_unwind")))[1], "unwound");
});

Deno.test("accessors of JavaScript's values check what their caller passed; worklets' own check names two threads", () => {
  const accessor = crash(abort, [
    "libsystem_kernel.dylib __pthread_kill + 8",
    "libsystem_c.dylib abort + 100",
    "libsystem_c.dylib __assert_rtn + 100",
    "Shop facebook::jsi::Function::getHostFunction(facebook::jsi::Runtime&) const + 8",
    "Shop worklets::Decorator::decorate(facebook::jsi::Runtime&) + 8",
    ...ends,
  ]);
  assertEquals(whose(accessor)[2], "React Native Reanimated and Worklets");
  assertStringIncludes(told(accessor), "took a value of JavaScript for one of another kind");
  const check = "Shop worklets::ReanimatedReentrancyCheck::before() + 8";
  const trap = `${head}Exception Type: EXC_BREAKPOINT (SIGTRAP)`;
  const entered = crash(
    trap,
    [check, "Shop worklets::WorkletRuntime::run() + 8", ...ends],
    "\nThread 1:\n0   Shop  0x0000000000009008 worklets::ReanimatedReentrancyCheck::after() + 8\n",
  );
  assertStringIncludes(told(entered), "Two threads were in one run-time of worklets");
  assertStringIncludes(told(entered), "Thread 1 ran code of Worklets too");
  assertEquals(attributeReport(readReport(entered, "x")).isEvidence, false);
});

Deno.test("what the caller of a stop says: an element of a C++ container, Python's os.abort()", () => {
  const stop = [
    ...aborts,
    "libc++.1.dylib std::__1::__libcpp_verbose_abort(char const*, ...) + 92",
  ];
  const of = (caller: string): string =>
    told(crash(abort, [...stop, `Shop ${caller} + 8`, ...ends]));
  const element = "std::__1::array<int, 47ul>::operator[][abi:de190102](unsigned long) const";
  assertStringIncludes(of(element), "An index was out of the range of a C++ container");
  assert(!of("std::__1::__throw_bad_function_call()").includes("An index"));
  const python = (caller: string): string =>
    told(crash(abort, [...aborts, "Python os_abort + 4", `Python ${caller} + 8`, ...ends]));
  assertStringIncludes(python("cfunction_vectorcall_NOARGS"), "os.abort()");
  assert(!python("run_tests").includes("os.abort()"));
});

Deno.test("reasons in words of a program's own, notes in code, an abort without stacks, a jailbreak's loader", () => {
  const lines = [
    "2026-01-02 10:00:00.000 Shop[77:88] Collected: exception = *** -[__NSArrayI objectAtIndex:]: index 9 beyond bounds [0 .. 2]",
    "2026-01-02 10:00:00.001 Shop[77:88] Collected: callStackSymbols = (",
    ...frameLines([
      "CoreFoundation __exceptionPreprocess + 1",
      "libobjc.A.dylib objc_exception_throw + 8",
      "CoreFoundation -[__NSArrayI objectAtIndex:] + 8",
      "Shop -[Cart item:] + 8",
    ]),
    ")",
  ];
  const collected = explainReport(readReport(lines.join("\n"), "x"));
  assertStringIncludes(collected.happened.join("\n"), "index 9 beyond bounds [0 .. 2]");
  assert(!collected.causes.includes("an empty collection"), collected.causes.join());
  const noted = `// Thread 1: EXC_BAD_ACCESS (code=1, address=0x28)
return bake()

Thread 0 Crashed::  Dispatch queue: com.apple.main-thread
0   Shop  0x103b0b808 Cart.bake() + 200 (Cart.swift:8)
1   Shop  0x103b0c724 main + 32 (Cart.swift:6)
`;
  assertStringIncludes(told(noted), "null plus 40");
  assertEquals(
    told(
      `${head}OS Version: macOS 11.1 (20C69)\n\nApplication Specific Information:\nabort() called\n`,
    ),
    "The process ended itself by abort(). Why, and where, was cut off.",
  );
  const panic = (loader: string): string =>
    told(
      `panic(cpu 1 caller 0xfffffff01a12f660): Kernel data abort. at pc 0xfffffff01a493158\nDebugger message: panic\niBoot version: ${loader}\n`,
    );
  assertStringIncludes(
    panic("pongoOS-2.5.1-9234e72f"),
    "a jailbreak's loader, had started the system",
  );
  assert(!panic("iBoot-6723.82.3").includes("loader"));
  const { check } = explainReport(
    readReport(
      "panic(cpu 1 caller 0xfff): Kernel data abort.\niBoot version: pongoOS-2.5.1\n",
      "x",
    ),
  );
  assertEquals(check, ["See whether it comes again without the jailbreak."]);
});
