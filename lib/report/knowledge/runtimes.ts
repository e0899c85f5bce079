/** Language run-times and frameworks that raise their own errors inside a program's images: the code that
 * decides is beyond their frames. */

import type { FrameRole, KnowledgeRow } from "./row.ts";

function frame(
  key: string,
  meaning: string,
  causes: string[],
  next: string,
  source: string,
  role?: FrameRole,
): KnowledgeRow {
  const row = { kind: "frame", key, meaning, causes, next, source } as const;
  return role === undefined ? row : { ...row, role };
}

/** Rows of functions that end a process by a bad access too. */
function always(...rows: KnowledgeRow[]): KnowledgeRow[] {
  return rows.map((row) => ({ ...row, needs: "any" }));
}

/** Rows of functions that a run-time's or program's own handler of signals calls. */
function handling(signalHandlerOf: string, ...rows: KnowledgeRow[]): KnowledgeRow[] {
  return rows.map((row) => ({ ...row, signalHandlerOf }));
}

/** Rows of the functions of a framework that is linked into programs. */
function linked(
  role: "wrap" | "part",
  framework: string,
  source: string,
  keys: readonly string[],
): KnowledgeRow[] {
  return keys.map((key) => ({
    ...frame(key, "", [], "", `${framework}, ${source}`, role),
    framework,
  }));
}

function library(key: string, meaning: string, source: string): KnowledgeRow {
  return { kind: "library", key, meaning, causes: [], next: "", source };
}

const rust = "Rust, library/std/src/panicking.rs";
const go = "Go, src/runtime/panic.go and signal_unix.go";
const clr = ".NET, src/coreclr/pal and src/coreclr/vm/excep.cpp";
const mono = "Mono, mono/mini/mini-exceptions.c";
const node = "Node.js, src/node_errors.cc; V8, src/api/api.cc";
const chromium = "Chromium, base/logging and base/check.cc";
const mozilla = "Firefox, mfbt/Assertions.h";

const panicked = "Read the panic's message on stderr; RUST_BACKTRACE=1 adds the stack.";
const rustRaises = (key: string): KnowledgeRow => frame(key, "", [], "", rust, "raise");
const rustPanic = (key: string, meaning: string, causes: string[] = []): KnowledgeRow =>
  frame(key, meaning, causes, panicked, rust);
const clrSaid = "Read what the run-time wrote, on stderr or in the application's log.";
const unhandled = [
  "A .NET exception was not handled.",
  [],
  "Read the exception's type and stack on stderr or in the application's log.",
] as const;
const check = [
  "A check of Chromium's code failed (CHECK, DCHECK or FATAL log), and the process ended itself.",
  [],
  "Read the message in the application's log; look for the version's known issues.",
] as const;

/** Frameworks on Chromium, whose checks are traps in functions without names. */
const frameworks = [
  "Electron Framework",
  "com.github.electron.framework",
  "com.github.Electron.framework",
  "Google Chrome Framework",
  "com.google.Chrome.framework",
  "Chromium Framework",
  "org.chromium.Chromium.framework",
  "Microsoft Edge Framework",
  "Brave Browser Framework",
  "Chromium Embedded Framework",
  "libcef.dylib",
  "nwjs Framework",
  "QtWebEngineCore",
];

/** Crash reporters in the process: what they record happened elsewhere. The source, then names. */
const recorders = [
  [
    "Firebase and Fabric, Crashlytics: FIRCLSHandler.m, FIRCLSProcess.c and FIRCLSException.mm",
    ...["FIRCLS*", "__FIRCLS*", "CLSHandler*", "CLSSignalHandler*", "CLSMachExceptionServer*"],
    ...["CLSProcessRecord*", "CLSExceptionRecord", "CLSExceptionRecord(*", "CLSTerminateHandler*"],
    ...["__CLSExceptionRecord*", "-[FIRCrashlytics *"],
  ],
  [
    "PLCrashReporter, Source/PLCrashReporter.m and PLCrashSignalHandler.mm",
    ...["plcrash_*", "-[PLCrash*", "+[PLCrash*", "PLCrash*", "signal_handler_callback"],
    ...["-[FlurryPLCrash*", "+[FlurryPLCrash*"],
    ...["mach_exception_callback", "_mach_exception_callback"],
  ],
  [
    "Hockey and App Center, BITCrashCXXExceptionHandler.mm and MSACCrashesCXXExceptionHandler.mm",
    ...[
      "BITCrash*",
      "-[BITCrash*",
      "MSCrashes*",
      "MSACCrashes*",
      "-[MSCrashes *",
      "-[MSACCrashes *",
    ],
  ],
  [
    "KSCrash, Source/KSCrash/Recording",
    ...[
      "kscrash_*",
      "kscm_*",
      "ksmc_*",
      "kscrw_*",
      "kssc_*",
      "ksbt_*",
      ...["ksobjc_*", "ksjson_*", "ksmach_*", "ksthread_*", "kscpu_*", "ksdl_*", "ksmem_*"],
      ...["kssymbolicator_*", "kssignal_*", "ksccd_*", "ksfu_*", "kslog_*", "kscrs_*"],
      "-[KSCrash *",
      "+[KSCrash *",
    ],
    ...["kscrashreport_*", "kscrashsentry_*"],
  ],
  [
    "Sentry, Sources/SentryCrash",
    ...[
      "sentrycrash*",
      "-[SentryCrash*",
      "+[SentryCrash*",
      "+[SentrySDK capture*",
      "SentryClient.report*",
    ],
  ],
  [
    "Bugsnag, Bugsnag/KSCrash",
    ...["bsg_*", "BSG_*", "-[Bugsnag*", "+[Bugsnag*", "-[BSG_*", "+[BSG_*"],
  ],
  [
    "RudderStack, RSCrashReporter",
    ...["rsc_*", "RSC_*", "-[RSCrashReporter*", "+[RSCrashReporter*", "-[RSC_*", "+[RSC_*"],
  ],
  ["Bugly", "-[BLYCrash*", "+[BLYCrash*", "BLYCrash*", "-[BuglyCrash*"],
  ["Breakpad and Crashpad", "google_breakpad::*", "crashpad::*"],
] as const;

/** Functions that take the place of the program's and of the system's to watch them, and call them: whose they are, and
 * where they are documented. */
const wrappers = [
  ["New Relic's agent", "NRMAMethodProfiler.m", "NRMA_*", "_NRMA*", "__NRMA*"],
  ["Sentry", "SentrySwizzleWrapper", "-[SentrySwizzle*", "+[SentrySwizzle*"],
  [
    "GoogleUtilities and Firebase",
    "GULAppDelegateSwizzler, FPRInstrument, FIRMessagingRemoteNotificationsProxy",
    ...["-[GULAppDelegateSwizzler *", "+[GULAppDelegateSwizzler *", "-[GULSceneDelegateSwizzler *"],
    ...["+[GULSceneDelegateSwizzler *", "+[GULSwizzler *", "-[FPR*", "+[FPR*", "FCM_swizzle_*"],
    "-[FIRMessagingRemoteNotificationsProxy *",
  ],
  [
    "App Center",
    "MSACAppDelegateForwarder.m",
    ...["-[MSAppDelegateForwarder *", "+[MSAppDelegateForwarder *"],
    ...["-[MSACAppDelegateForwarder *", "+[MSACAppDelegateForwarder *"],
  ],
  ["Mixpanel", "MPSwizzler.m", "mp_swizzledMethod_*"],
  ["OneSignal", "OneSignalSwizzler", "-[OneSignalAppDelegate*"],
  ["Aspects", "Aspects.m", "__ASPECTS_ARE_BEING_CALLED__"],
] as const;

/** Run-times and frameworks that are linked into the programs that use them: the same. */
const compiledIn = [
  [
    "React Native",
    "packages/react-native: ReactCommon, React and hermes-engine",
    ...["facebook::react::*", "facebook::jsi::*", "facebook::hermes::*", "facebook::yoga::*"],
    ...["hermes::*", "-[RCT*", "+[RCT*", "RCTExecuteOn*", "RCTPerform*", "yoga::*"],
    ...["YGNode*", "YGConfig*"],
  ],
  [
    "React Native Reanimated and Worklets",
    "packages/react-native-reanimated and react-native-worklets: Common/cpp, apple",
    ...["worklets::*", "reanimated::*", "-[REANodesManager *", "-[REAModule *"],
    "-[REAEventDispatcher *",
  ],
  ["Folly", "github.com/facebook/folly", "folly::*"],
  [
    "Flutter",
    "engine",
    ...["flutter::*", "fml::*", "dart::*", "-[FlutterEngine *", "-[FlutterViewController *"],
    ...["-[FlutterMethodChannel *", "-[FlutterBasicMessageChannel *", "-[FlutterEventChannel *"],
    ...["-[FlutterAppDelegate *", "-[FlutterPluginAppLifeCycleDelegate *"],
  ],
  [
    "Kotlin/Native",
    "kotlin-native/runtime",
    ...["kotlin::*", "Kotlin_*", "Konan_*", "konan::*", "(anonymous namespace)::Kotlin_*"],
    // Memory.cpp
    ...["(anonymous namespace)::garbageCollect(MemoryState*", "AllocArrayInstanceStrict*"],
    "AllocInstanceStrict*",
  ],
  ["Unity", "libil2cpp", "il2cpp::*", "il2cpp_*"],
  [
    "Titanium",
    "TiCore, JavaScriptCore with Ti before its names; iphone/TitaniumKit/KrollContext.m",
    ...[
      "TI::*",
      "WTI::*",
      "TiDebugger*",
      "Ti_WTF*",
      "TiGarbageCollect",
      "TiEvalScript",
      "TiObjectCallAs*",
    ],
    ...["-[KrollContext *", "+[KrollContext *", "-[KrollBridge *", "-[KrollInvocation *"],
    ...["-[KrollObject *", "-[KrollCallback *", "-[KrollMethod *"],
    ...["-[KrollEvent *", "-[KrollPromise *", "-[KrollModule *", "-[KrollTimerManager *"],
    "Kroll*",
    // Its own classes, by their whole names: others may begin with Ti.
    ...["App", "Utils", "Proxy", "Module", "Host"].flatMap((name) => [
      `-[Ti${name} *`,
      `+[Ti${name} *`,
    ]),
  ],
  [
    "Xamarin or Mono",
    "what their compilers name functions",
    ...["wrapper_runtime_invoke_*", "wrapper_managed_to_native_*", "wrapper_native_*"],
    ...["wrapper_delegate_*", "wrapper_synchronized_*", "wrapper_alloc_*", "wrapper_castclass_*"],
    ...["wrapper_stelemref_*", "wrapper_remoting_*", "wrapper_unbox_*", "wrapper_unknown_*"],
    // The class library's types that C# has words for.
    ...[
      "string_Concat_*",
      "string_Format_*",
      "string_Join_*",
      "string_Split_*",
      "object___icall_*",
    ],
    ...["MonoTouch_Registrar_*", "Registrar_Registrar_*", "Registrar_DynamicRegistrar_*"],
    ...["mono_*", "ObjCRuntime_*"],
    ...["mini_jit_*", "mini_get_*", "mini_method_*", "mini_add_*", "mini_class_*", "mini_emit_*"],
    ...["mini_create_*", "mini_init", "mini_cleanup", "mini_type_*", "mini_invoke_*", "sgen_*"],
    ...["generic_trampoline_*", "decode_klass_ref", "decode_method_ref*"],
    // Static functions of mono/metadata/object.c and mono/mini, whose files' names others may have as well.
    ...["initialize_imt_slot", "build_imt_slots", "get_generic_virtual_entries"],
    ...["common_call_trampoline", "start_wrapper_internal", "async_invoke_thread"],
    // The assembly of MonoTouch, compiled ahead of time, by its namespaces.
    ...["ObjCRuntime", "UIKit", "Foundation", "CoreFoundation", "CoreGraphics", "CoreAnimation"]
      .map(
        (name) => `MonoTouch_${name}_*`,
      ),
    ...[
      "AVFoundation",
      "AddressBook",
      "AddressBookUI",
      "AudioToolbox",
      "AudioUnit",
      "CoreBluetooth",
    ]
      .map((name) => `MonoTouch_${name}_*`),
    ...["CoreData", "CoreLocation", "CoreMedia", "CoreMidi", "CoreMotion", "CoreText", "CoreVideo"]
      .map((name) => `MonoTouch_${name}_*`),
    ...["EventKit", "EventKitUI", "ExternalAccessory", "GLKit", "GameKit", "ImageIO", "MapKit"].map(
      (name) => `MonoTouch_${name}_*`,
    ),
    ...["MediaPlayer", "MessageUI", "MobileCoreServices", "OpenGLES", "PassKit", "QuickLook"].map(
      (name) => `MonoTouch_${name}_*`,
    ),
    ...["Security", "Social", "StoreKit", "SystemConfiguration", "Twitter"].map((name) =>
      `MonoTouch_${name}_*`
    ),
    // Of its successor, by the prefixes of the frameworks' classes.
    ...["AVFoundation_AV", "CoreAnimation_CA", "CoreBluetooth_CB", "CoreData_NS", "CoreGraphics_CG"]
      .map((name) => `${name}*`),
    ...[
      "CoreLocation_CL",
      "MapKit_MK",
      "MediaPlayer_MP",
      "MessageUI_MF",
      "StoreKit_SK",
      "WebKit_WK",
    ]
      .map((name) => `${name}*`),
    ...[
      ...["Action", "Array", "Buffer", "Buffers", "Collections", "Console", "Convert", "Data"],
      ...["DateTime", "Memory", "SpanHelpers", "ThrowHelper"],
      ...["Delegate", "Diagnostics", "Enum", "Environment", "Exception", "Func", "Globalization"],
      ...["Guid", "IO", "Int32", "Lazy", "Linq", "MulticastDelegate", "Net", "Number", "Object"],
      ...["Reflection", "Runtime", "RuntimeType", "Security", "Span", "String", "Text"],
      ...["Threading", "Xml"],
      ...["Activator", "AppDomain", "ComponentModel", "Configuration", "EventHandler", "MonoType"],
      ...["Nullable", "ServiceModel", "TimeZoneInfo", "Tuple", "Type", "Uri", "Version"],
      ...["Web", "CodeDom", "Dynamic", "Resources", "ValueTuple", "TimeZone", "TimeSpan"],
      ...[
        "DateTimeOffset",
        "DateTimeParse",
        "DateTimeFormat",
        "Decimal",
        "Double",
        "Single",
        "Char",
      ],
      ...["Boolean", "Byte", "SByte", "Int16", "Int64", "UInt16", "UInt32", "UInt64", "UIntPtr"],
      ...[
        "IntPtr",
        "DBNull",
        "GC",
        "MathF",
        "UriParser",
        "UriBuilder",
        "UriHelper",
        "ArraySegment",
      ],
      ...["DefaultBinder", "TypeSpec", "RuntimeTypeHandle", "RuntimeFieldHandle", "ModuleHandle"],
      ...["RuntimeMethodHandle", "MonoCustomAttrs", "Attribute", "BitConverter", "ReadOnlySpan"],
      ...["ReadOnlyMemory", "MemoryExtensions", "WeakReference", "StringComparer", "HashCode"],
      ...["ParseNumbers", "TypedReference", "LocalDataStoreSlot", "LocalDataStoreMgr"],
      ...[
        "AggregateException",
        "ValueType",
        "FormattableString",
        "ConsoleDriver",
        "TermInfoDriver",
      ],
      ...["WindowsConsoleDriver", "NumberFormatter", "AppContext", "AppDomainSetup"],
      ...["MarshalByRefObject", "EventArgs", "ArgumentException", "ArgumentNullException"],
      ...["ArgumentOutOfRangeException", "InvalidOperationException", "NullReferenceException"],
      ...["NotSupportedException", "ObjectDisposedException", "FormatException", "SystemException"],
    ].map((name) => `System_${name}_*`),
    ...["specific_trampoline*", "imt_trampoline*", "unbox_trampoline*", "monotouch_*"],
    ...["Mono_Security_*", "Mono_Net_*", "Mono_Globalization_*", "Mono_Math_*", "Mono_Xml_*"],
    ...["Mono_Interop_*", "Mono_Data_Tds_*", "Microsoft_Win32_*", "Internal_Cryptography_*"],
    "MS_Internal_Xml_*",
    ...["UIKit_UI*", "Foundation_NS*"],
  ],
  ["Go's run-time", "src/runtime", "runtime.*"],
  [
    "New Relic's agent",
    "its prefix",
    "-[NRMA*",
    "+[NRMA*",
    "NRMA__beginMethod*",
    "NRMA__endMethod*",
  ],
  [
    "Mono",
    "mono/mini/interp/interp.c and mono/metadata/object.c",
    ...["exec_method", "runtime_invoke", "entry", "to_native", "throw", "transform", "create"].map(
      (name) => `interp_${name}*`,
    ),
    ...["do_icall", "do_icall_wrapper*", "do_runtime_invoke", "do_exec_main*"],
    ...["do_jit_call*", "ves_icall_*", "jit_call_cb", "ves_pinvoke_method*"],
  ],
] as const;

/** What a collector says that found no memory for what JavaScript holds. */
export const fullHeap =
  "The heap of JavaScript is full: Hermes's garbage collector found no memory for what the program's JavaScript holds, and ended the process on purpose.";

/** What is said of an error of JavaScript that became an exception of C++. */
export const thrownScript =
  "It was an error of JavaScript: native code that called JavaScript did not catch it.";

/** See {@linkcode KnowledgeRow}. */
export const runtimeRows = (): readonly KnowledgeRow[] => [
  ...([
    [
      "[BUG] Segmentation fault",
      "The Ruby interpreter met a bad access to memory: in its own code, or in an extension written in C.",
      ["a bug of the interpreter or of a gem with native code, or a gem built for another version"],
      "See the innermost line of Ruby; look for the gem with native code that it calls, if it does.",
      "Ruby, error.c: rb_bug_for_fatal_signal",
    ],
    [
      ": [BUG] ",
      "The Ruby interpreter met an internal error.",
      ["a bug of the interpreter, or of an extension written in C"],
      "See the innermost line of Ruby, and its version's known issues.",
      "Ruby, error.c: rb_bug",
    ],
    [
      "the compiler was here: ",
      "A compiler, or another tool of LLVM, crashed while it compiled.",
      ["a bug of the compiler that this source brings out"],
      "See the file and the function that it was working on: change or reduce that code; try another version of the compiler.",
      "LLVM, lib/Support/PrettyStackTrace.cpp",
    ],
    [
      "GPU process isn't usable",
      "A check of Chromium's code failed (FATAL log): it could not start its GPU process, and gave up.",
      [
        "the helper program of that process that is missing in the app, not signed, or not allowed to start",
        "a GPU process that crashed again and again",
      ],
      "See the lines before it, which say why the GPU process failed; try --disable-gpu.",
      "Chromium, content/browser/gpu/gpu_data_manager_impl_private.cc: FallBackToNextGpuMode",
    ],
    [
      ":FATAL:",
      "A check of Chromium's code failed (FATAL log), and the process ended itself.",
      [],
      "Read the message: it names the check's file.",
      "Chromium, base/logging.cc",
    ],
    [
      "ASSERTION FAILED: ",
      "An assertion of WebKit failed.",
      [],
      "",
      "WebKit, Source/WTF/wtf/Assertions.cpp",
    ],
    [
      'ASSERT: "',
      "An assertion of Qt, or of a program that uses its Q_ASSERT, failed.",
      [],
      "",
      "Qt, src/corelib/global/qassert.cpp",
    ],
    [
      "*** caught segfault",
      "R met a bad access to memory: in its own code, or in the native code of a package.",
      [],
      "",
      "R, src/main/errors.c",
    ],
    [
      "Problematic frame: C ",
      "The signal interrupted native code that runs in the Java virtual machine, not the virtual machine itself.",
      [],
      "See the library of the frame, and what of Java called it.",
      "OpenJDK, vmError.cpp",
    ],
    [
      "Problematic frame: V ",
      "The signal interrupted the Java virtual machine itself.",
      ["a bug of this version", "native code that damaged its memory"],
      "Look for the function in the version's known issues; try another version of Java.",
      "OpenJDK, vmError.cpp",
    ],
    ...["J", "j"].map((kind) =>
      [
        `Problematic frame: ${kind} `,
        "The signal interrupted code of Java.",
        ["a bug of the virtual machine's compiler", "native code that damaged memory", "Unsafe"],
        "See the method; run with -Xint, and with -Xcheck:jni.",
        "OpenJDK, vmError.cpp",
      ] as const
    ),
  ] as const).map(([key, meaning, causes, next, source]): KnowledgeRow => ({
    ...{ kind: "message", key, meaning, causes, next, source },
  })),
  ...[
    "processUnhandledException*",
    "(anonymous namespace)::processUnhandledException*",
    "terminateWithUnhandledException*",
    "(anonymous namespace)::terminateWithUnhandledException*",
    "void (anonymous namespace)::$_0::operator()<(anonymous namespace)::terminateWithUnhandledException*",
    "(anonymous namespace)::TerminateHandler::*",
    "KonanTerminateHandler*",
    "ReportBacktraceToIosCrashLog*",
    "Kotlin_processUnhandledException*",
    "Kotlin_terminateWithUnhandledException*",
  ].map((key) =>
    frame(
      key,
      "A Kotlin exception was not handled, and the Kotlin run-time ended the process.",
      [],
      "Read the exception's class, message and Kotlin stack on stderr or in the device's log.",
      "Kotlin/Native, runtime/src/main/cpp/Exceptions.cpp",
      "vague",
    )
  ),
  ...["kfun:kotlinx.coroutines*", "kfun:kotlin.*", "kfun:kotlin#*"].map((key) =>
    frame(key, "", [], "", "Kotlin/Native: names of functions in its libraries", "raise")
  ),
  frame("konan::abort*", "", [], "", "Kotlin/Native, runtime/src/main/cpp/Porting.cpp", "raise"),
  ...recorders.map(([source, ...keys]) =>
    keys.map((key): KnowledgeRow => ({
      ...frame(key, "", [], "", source, "raise"),
      crashReporter: true,
    }))
  ).flat(),
  ...wrappers.map(([name, source, ...keys]) => linked("wrap", name, source, keys)).flat(),
  ...compiledIn.map(([name, source, ...keys]) => linked("part", name, source, keys)).flat(),
  frame("__swift_instantiate*", "", [], "", "Swift, lib/IRGen/MetadataRequest.cpp", "raise"),
  // What Xamarin's run-time and its registrar stand between, and how they say what failed.
  ...[
    ...["native_to_managed_trampoline_*", "-[__MonoMac_*", "-[__MonoTouch_*", "-[__Xamarin*"],
    ...["-[__NSObject_Disposer *", "+[__NSObject_Disposer *"],
    ...["print_callback(char const*, int)", "monoeg_*"],
  ].map((key) =>
    frame(key, "", [], "", "Xamarin, xamarin-macios: runtime/runtime.m and tools/common", "raise")
  ),
  // What Mono makes when it starts, to raise exceptions and to go on after them.
  ...[
    "throw_exception",
    "throw_corlib_exception",
    "rethrow_exception",
    "rethrow_preserve_exception",
  ]
    .map((key) => frame(key, "", [], "", "Mono, mono/mini/exceptions-arm64.c", "raise")),
  // What passes a call on: Rust's bindings of Objective-C, and what runs closures, threads and main().
  ...[
    ...["objc_exception::*", "RustObjCException*", "objc::message::*", "objc::runtime::*"],
    ...["objc2::*", "objc2_*", "objc::exception::*"],
    ...[
      "_$LT$$LP$$RP$$u20$as$u20$objc..message..*",
      "_$LT$$LP$A$C$$RP$$u20$as$u20$objc..message..*",
    ],
  ].map((key) =>
    frame(key, "", [], "", "Rust, the crates objc, objc2 and objc_exception", "raise")
  ),
  ...[
    ...["__rust_begin_short_backtrace*", "std::rt::lang_start*", "std::panicking::try*"],
    "std::panicking::catch_unwind*",
    ...["__rust_maybe_catch_panic*", "__rust_try*", "std::panic::catch_unwind*"],
    ...["std::thread::*", "std::sys::unix::thread::*"],
    ...["std::sys::pal::unix::thread::*"],
  ].map((key) => frame(key, "", [], "", rust, "raise")),
  frame("std::panicking::*", "A Rust panic ended the process.", [], panicked, rust, "vague"),
  frame("rust_begin_unwind", "A Rust panic ended the process.", [], panicked, rust, "vague"),
  frame("_rust_begin_unwind", "A Rust panic ended the process.", [], panicked, rust, "vague"),
  frame("rust_panic*", "A Rust panic ended the process.", [], panicked, rust, "vague"),
  frame(
    "__rustc::rust_begin_unwind*",
    "A Rust panic ended the process.",
    [],
    panicked,
    rust,
    "vague",
  ),
  // Its own names, which newer compilers give the module of the compiler.
  ...["__rustc::rust_panic*", "__rustc::__rust_start_panic*", "__rustc::__rust_abort*"].map((key) =>
    frame(key, "A Rust panic ended the process.", [], panicked, rust, "vague")
  ),
  frame("__rust_start_panic", "A Rust panic ended the process.", [], panicked, rust, "vague"),
  frame("core::panicking::*", "A Rust panic ended the process.", [], panicked, rust, "vague"),
  rustPanic("core::panicking::panic_bounds_check*", "A Rust index was out of bounds."),
  frame(
    "pthread_jit_write_protect_np",
    "The thread could not switch its JIT memory between writing and execution, which the system's library checks.",
    [
      "a hardened runtime without the entitlement com.apple.security.cs.allow-jit",
      "a program that lists the callbacks which may write, and so may not call this",
    ],
    "See the program's entitlements: codesign -d --entitlements - PROGRAM.",
    "libpthread, src/pthread.c and os/thread_self_restrict.h; Apple, Porting just-in-time compilers to Apple silicon",
  ),
  rustPanic(
    "core::panicking::panic_cannot_unwind*",
    "A Rust panic reached a function that must not unwind, such as a callback of C or Objective-C: Rust then aborts the process.",
  ),
  ...([
    [
      "panic_null_pointer_dereference*",
      'Rust code used a raw pointer that is null; builds with debug assertions check that ("null pointer dereference occurred").',
    ],
    [
      "panic_misaligned_pointer_dereference*",
      "Rust code used a raw pointer that is not aligned for its type; builds with debug assertions check that.",
    ],
    [
      "panic_invalid_enum_construction*",
      "Rust code made an enum of a value that it does not have; builds with debug assertions check that.",
    ],
  ] as const).map(([name, meaning]) =>
    frame(
      `core::panicking::${name}`,
      meaning,
      [],
      "See the function that called the check: its unsafe code used the pointer or value. In a library, look for a version in which that is mended.",
      "Rust, library/core/src/panicking.rs",
    )
  ),
  rustPanic("core::panicking::panic_in_cleanup*", "A Rust panic happened while another unwound."),
  rustPanic("core::panicking::assert_failed*", "A Rust assert_eq! or assert_ne! failed."),
  // Others are of coroutines that go on after their end.
  ...["add", "sub", "mul", "div", "rem", "neg", "shl", "shr"].map((name) =>
    rustPanic(
      `core::panicking::panic_const::panic_const_${name}_*`,
      "A Rust arithmetic operation overflowed or divided by zero.",
    )
  ),
  rustPanic("core::result::unwrap_failed*", "A Rust Result was unwrapped that held an error."),
  rustPanic(
    "core::option::expect_failed*",
    "A Rust Option was expected to hold a value and held None.",
  ),
  rustPanic("core::option::unwrap_failed*", "A Rust Option was unwrapped that held None."),
  rustPanic("core::slice::index::*", "A Rust slice was indexed out of range."),
  rustPanic(
    "core::str::slice_error_fail*",
    "A Rust string was sliced out of range or inside a character.",
  ),
  rustPanic("core::cell::panic_already_borrowed*", "A Rust RefCell was borrowed twice."),
  rustPanic(
    "alloc::alloc::handle_alloc_error*",
    "A Rust allocation failed: out of memory, or a size that makes no sense.",
  ),
  rustPanic(
    "alloc::raw_vec::capacity_overflow*",
    "A Rust collection was to grow beyond the address space.",
  ),
  rustPanic(
    "__rust_foreign_exception",
    "An exception that is not of this Rust code, such as one of Objective-C or C++, reached it; it cannot catch such.",
  ),
  ...[
    "std::sys::*abort_internal*",
    "std::sys::unix::abort_internal*",
    "std::sys::pal::unix::abort_internal*",
    "std::sys_common::backtrace::*",
    "std::sys_common::util::abort*",
    "std::sys::backtrace::*",
    "__rust_end_short_backtrace*",
    "rust_eh_personality",
    "core::ops::function::*",
    "_$LT$*core..ops..function*",
    "panic_abort::*",
    "__rust_abort",
    "_rust_eh_personality",
  ].map(rustRaises),
  frame(
    "std::process::abort*",
    "A Rust program called process::abort().",
    [],
    "",
    rust,
    "vague",
  ),

  ...[
    "runtime.raise*",
    "runtime.sigfwd*",
    "runtime.crash*",
    "runtime.dieFromSignal*",
    "runtime.sigtramp*",
    "runtime.sighandler*",
    "runtime.kill_trampoline*",
  ]
    .map((key) =>
      frame(
        key,
        "The Go run-time ended the process: after a fatal error or an unrecovered panic, or by a signal that it passed on.",
        [],
        "Read the goroutine traces on stderr.",
        go,
        "vague",
      )
    ),
  // They call C for whatever it is.
  ...["runtime.libcCall*", "runtime.asmcgocall*"].map((key) =>
    frame(key, "", [], "", "Go, src/runtime/sys_libc.go and asm_arm64.s", "raise")
  ),
  ...["runtime.throw*", "runtime.gopanic*", "runtime.fatal*"]
    .map((key) =>
      frame(
        key,
        "A Go program met a fatal error or an unrecovered panic.",
        [],
        "Read the goroutine traces on stderr.",
        go,
      )
    ),
  ...always(
    frame(
      "runtime.sigpanic*",
      "A Go program met a memory fault or arithmetic error.",
      ["a nil pointer", "memory of C code that is gone"],
      "Read the goroutine traces on stderr.",
      go,
    ),
  ),
  frame("exe_start*", "", [], "", ".NET, src/native/corehost/corehost.cpp", "raise"),
  ...["PROCAbort*", "PROCEndProcess*", "PROCCreateCrashDump*"].map((key) =>
    frame(key, "The .NET run-time ended the process.", [], clrSaid, clr, "vague")
  ),
  frame("UnwindManagedExceptionPass1*", ...asRow(unhandled), clr),
  { ...frame("DispatchManagedException*", ...asRow(unhandled), clr), throwsManaged: true },
  frame("UnwindManagedExceptionPass2*", ...asRow(unhandled), clr),
  frame("InternalUnhandledExceptionFilter_Worker*", ...asRow(unhandled), clr),
  frame(
    "EEPolicy::HandleFatalError*",
    "The .NET run-time met a fatal error.",
    [],
    clrSaid,
    clr,
  ),
  ...always(
    frame(
      "EEPolicy::HandleFatalStackOverflow*",
      "A .NET thread's stack overflowed.",
      ["recursion that does not end, or goes too deep for the stack"],
      clrSaid,
      clr,
    ),
  ),
  frame(
    "invoke_previous_action*",
    "The .NET run-time passed on a signal that it did not handle.",
    [],
    clrSaid,
    clr,
    "vague",
  ),
  frame(
    "RhFailFast*",
    "A .NET native AOT program ended itself with FailFast.",
    [],
    clrSaid,
    clr,
  ),
  frame(
    "xamarin_unhandled_exception_handler*",
    "A .NET or Xamarin exception was not handled.",
    [],
    "Read the managed exception in the device log.",
    mono,
  ),
  frame(
    "xamarin_assertion_message*",
    "An assertion of the Xamarin run-time failed.",
    [],
    "Read its message in the device log.",
    mono,
  ),
  frame(
    "mono_unhandled_exception*",
    "A Mono exception was not handled.",
    [],
    "Read the managed exception in the log.",
    mono,
  ),
  frame(
    "mono_invoke_unhandled_exception_hook*",
    "A Mono or Xamarin exception was not handled.",
    [],
    "Read the managed exception in the device log.",
    mono,
  ),
  frame(
    "mono_handle_exception*",
    "A Mono or Xamarin exception was not handled.",
    [],
    "Read the managed exception in the device log.",
    mono,
    "vague",
  ),
  ...[
    "xamarin_process_managed_exception*",
    "xamarin_process_fatal_exception_gchandle*",
    "xamarin_throw_nsexception*",
  ].map((key) =>
    frame(
      key,
      "It was a managed (.NET) exception, which left managed code that the system had called: the run-time made an Objective-C exception of it.",
      [],
      "Read the managed exception's type and stack on stderr or in the device's log: it names the method of yours.",
      ".NET for iOS, runtime/runtime.m: xamarin_process_managed_exception",
    )
  ),
  frame(
    "HockeyApp_Setup_*",
    "",
    [],
    "",
    "HockeySDK-Xamarin, Setup.cs: ThrowExceptionAsNative",
    "raise",
  ),
  frame("xamarin_*", "", [], "", mono, "raise"),
  frame("mono_runtime_invoke*", "", [], "", mono, "raise"),
  frame("mono_runtime_try_invoke*", "", [], "", mono, "raise"),
  ...handling(
    "Mono",
    frame("mono_handle_native_sigsegv*", "", [], "", mono, "raise"),
    frame("mono_handle_native_crash*", "Mono passed on a native crash.", [], "", mono, "raise"),
  ),
  ...["segv", "abrt", "ill", "fpe", "int", "usr1"].map((name) =>
    frame(`mono_sig${name}_signal_handler*`, "", [], "", mono, "raise")
  ),
  frame("sigusr1_signal_handler*", "", [], "", mono, "raise"),
  // What the debugger names what stands between managed code and native functions.
  frame("(wrapper *", "", [], "", "Mono, mono/metadata/marshal.c", "raise"),
  frame("mono_dump_native_crash_info*", "", [], "", mono, "raise"),
  frame("mono_post_native_crash_handler*", "", [], "", mono, "raise"),
  frame("mono_chain_signal*", "", [], "", mono, "raise"),
  frame("sigabrt_signal_handler*", "", [], "", mono, "raise"),
  ...["", "(anonymous namespace)::"].map((scope): KnowledgeRow => ({
    ...frame(
      `${scope}v8impl::FunctionCallbackWrapper::SetReturnValue*`,
      "What a native add-on of Node.js returned from its function is no valid value (napi_value).",
      ["a napi_value that was not set, or is of a scope that was closed"],
      "See what the add-on's function returns on all of its paths.",
      "Node.js, src/js_native_api_v8.cc: FunctionCallbackWrapper",
      "top",
    ),
    needs: "access",
  })),
  frame(
    "napi_fatal_error",
    "A native add-on of Node.js ended the process by napi_fatal_error().",
    [],
    "Read its message on stderr; see what the add-on did that failed.",
    "Node.js, src/node_api.cc: napi_fatal_error",
  ),
  frame(
    "monoeg_assertion_message*",
    "An assertion of the Mono run-time failed.",
    [],
    "Read its message in the log.",
    mono,
  ),
  ...["monoeg_g_logv*", "monoeg_g_log"].map((key) =>
    frame(
      key,
      "The Mono run-time ended the process by a message of its log.",
      [],
      "Read its message in the log.",
      "Mono, mono/eglib/goutput.c",
      "vague",
    )
  ),
  ...[
    "TiExceptionThrowWithNameAndReason*",
    "-[TiProxy throwException:*",
    "+[TiProxy throwException:*",
  ]
    .map((key) =>
      frame(key, "", [], "", "Titanium, iphone/Classes: TiExceptionHandler, TiProxy.m", "raise")
    ),
  ...["monoeg_g_log_*", "print_callback*", "mono_runtime_setup_stat_profiler*"].map((key) =>
    frame(key, "", [], "", mono, "raise")
  ),
  frame(
    "load_aot_module*",
    "Mono stopped while it loaded the code of an assembly that was compiled ahead of time (AOT).",
    [
      "code of another version than the assembly, or of another build of the run-time",
      "an assembly that was not compiled ahead of time, or was linked away",
    ],
    "Clean and build anew, with one version of the SDK; read Mono's message in the device log.",
    "Mono, mono/mini/aot-runtime.c",
  ),
  frame(
    "get_numerous_trampoline*",
    "Mono had no more trampolines of one kind: code that was compiled ahead of time (AOT) has only as many as it was built with.",
    ["many generic methods, or calls through interfaces, in one assembly"],
    "Build with more of them: its message names the type; ntrampolines= is for 0, nrgctx-trampolines= for 1 and nimt-trampolines= for 2, of the compiler's option --aot.",
    "Mono, mono/mini/aot-runtime.c: get_numerous_trampoline; mono(1), --aot",
  ),
  ...["mono_assembly_*", "mono_jit_*", "mono_main*"].map((key) =>
    frame(key, "", [], "", mono, "raise")
  ),

  frame(
    "node::Abort*",
    "Node.js ended the process.",
    [],
    "Read its message on stderr.",
    node,
    "vague",
  ),
  frame(
    "node::OnFatalError*",
    "V8 met a fatal error in Node.js.",
    [],
    "Read its message on stderr.",
    node,
    "vague",
  ),
  frame(
    "node::Assert*",
    "An assertion of Node.js or of a native add-on failed.",
    [],
    "Read its message on stderr.",
    node,
  ),
  frame(
    "node::FatalError*",
    "Node.js met a fatal error.",
    [],
    "Read its message on stderr.",
    node,
    "vague",
  ),
  ...[
    "node::OOMErrorHandler*",
    "v8::internal::V8::FatalProcessOutOfMemory*",
    "v8::Utils::ReportOOMFailure*",
  ].map((key) =>
    frame(
      key,
      "V8 got no more memory: its JavaScript heap is full, or the process could get none for something else.",
      [
        "a leak in JavaScript",
        "very large strings or buffers",
        "a process or machine without free memory",
      ],
      "Read its message on stderr, which says which memory.",
      "V8, src/api/api.cc: V8::FatalProcessOutOfMemory, Utils::ReportOOMFailure",
    )
  ),
  frame(
    "v8::internal::Heap::FatalProcessOutOfMemory*",
    "V8 got no more memory for its heap of JavaScript.",
    ["a leak in JavaScript, or very large data"],
    "Take heap snapshots.",
    node,
  ),
  frame(
    "v8::Utils::ReportApiFailure*",
    "V8's API was misused.",
    [],
    "Read its message on stderr.",
    node,
  ),
  frame("V8_Fatal*", "A check of V8 failed.", [], "Read its message on stderr.", node),
  frame("V8_Dcheck*", "A check of V8 failed.", [], "Read its message on stderr.", node),
  frame(
    "v8::base::OS::Abort*",
    "V8 ended the process.",
    [],
    "Read its message on stderr.",
    node,
    "vague",
  ),
  frame("logging::LogMessage::*", ...asRow(check), chromium),
  frame("logging::CheckError*", ...asRow(check), chromium),
  frame("logging::CheckFailure*", ...asRow(check), chromium),
  frame("logging::NotReached*", ...asRow(check), chromium),
  frame("base::debug::BreakDebugger*", ...asRow(check), chromium),
  frame(
    "base::internal::OnNoMemory*",
    "Chromium's allocator is out of memory.",
    ["a leak", "a very large allocation"],
    "Look at the process's memory.",
    chromium,
  ),
  frame(
    "base::TerminateBecauseOutOfMemory*",
    "Chromium's allocator is out of memory.",
    ["a leak", "a very large allocation"],
    "Look at the process's memory.",
    chromium,
  ),
  ...always(
    ...["gpu::GpuWatchdogThread::Deliberately*", "gpu::GpuWatchdogThreadImpl*Deliberately*"].map((
      key,
    ) =>
      frame(
        key,
        "Chromium's process for the GPU did not go on in time: its watchdog ended it on purpose.",
        [],
        "See what its main thread was in; try another version of the program or its graphics settings.",
        "Chromium, gpu/ipc/service/gpu_watchdog_thread.cc",
      )
    ),
  ),
  frame(
    "partition_alloc::internal::PartitionExcessiveAllocationSize*",
    "More memory was asked for at once than Chromium's allocator gives.",
    [],
    "See which code asked for it, and how it came to the size.",
    "Chromium, base/allocator/partition_allocator: PartitionExcessiveAllocationSize",
  ),
  frame(
    "partition_alloc::internal::OnNoMemory*",
    "Chromium's allocator is out of memory.",
    ["a leak"],
    "Look at the process's memory.",
    chromium,
  ),
  ...["rtc::webrtc_checks_impl::FatalLog*", "webrtc::webrtc_checks_impl::FatalLog*"].map((key) =>
    frame(
      key,
      "A check of WebRTC failed (RTC_CHECK).",
      [],
      "Read its message on stderr or in the device's log: it has the file, the line and the condition.",
      "WebRTC, rtc_base/checks.cc",
    )
  ),
  ...["facebook::yoga::fatalWithMessage*", "facebook::yoga::assertFatal*", "YGAssert*"].map((key) =>
    frame(
      key,
      "A check of Yoga, React Native's engine of layouts, failed.",
      [],
      "Read its message on stderr or in the device's log.",
      "Yoga, yoga/debug/AssertFatal.cpp",
    )
  ),
  ...[
    "facebook::jsi::JSError::JSError*",
    "facebook::hermes::HermesRuntimeImpl::checkStatus*",
    "facebook::hermes::(anonymous namespace)::HermesRuntimeImpl::checkStatus*",
    "facebook::jsc::JSCRuntime::checkException*",
  ].map((key): KnowledgeRow => ({
    ...frame(
      key,
      thrownScript,
      ["an error in the program's JavaScript, such as in a worklet or an event's handler"],
      "Look for the error's text in the device's log.",
      "React Native, ReactCommon/jsi/jsi.h: JSError; Hermes, API/hermes/hermes.cpp",
    ),
    needs: "raise",
  })),
  {
    ...frame(
      "worklets::ReanimatedReentrancyCheck::*",
      "Two threads were in one run-time of worklets at a time: its own check stopped the process.",
      [],
      "See which other thread is in a run-time of worklets, and who had it enter there; the check is in builds for debugging only.",
      "react-native-worklets, Common/cpp/worklets: ReanimatedReentrancyCheck",
    ),
    needs: "access",
    isCause: true,
    isLater: true,
  },
  frame(
    "+[RCTThirdPartyComponentsProvider *",
    "The list of native components, which is generated when the program is built, has a class that is not in the program.",
    ["a library of native components that was not linked into this build"],
    "Install the pods again, have the list generated anew, and build clean; see which class of the list the program lacks.",
    "React Native, scripts/codegen: RCTThirdPartyComponentsProviderMM.template",
  ),
  ...[
    ...["getObject", "getFunction", "getArray", "getArrayBuffer", "getHostFunction"],
    ...["getHostObject", "getBool", "getNumber", "getString", "getSymbol", "getBigInt"],
  ].flatMap((name) => [`facebook::jsi::Value::${name}(*`, `facebook::jsi::Object::${name}*`])
    .concat("facebook::jsi::Function::getHostFunction*").map((key) =>
      frame(
        key,
        "Native code took a value of JavaScript for one of another kind.",
        [
          "a value that the script passed and the native code did not check",
          "an object of another run-time",
        ],
        "Check what the caller was passed, before it takes the value for that kind.",
        "React Native, ReactCommon/jsi/jsi/jsi.h: the assertions of the accessors",
      )
    ),
  frame(
    "google::LogMessageFatal::*",
    "A fatal log message or failed CHECK of a Google library ended the process.",
    [],
    "Read the message on stderr.",
    "glog, src/logging.cc",
  ),
  frame(
    "google::LogMessage::Fail*",
    "A fatal log message or failed CHECK of a Google library ended the process.",
    [],
    "Read the message on stderr.",
    "glog, src/logging.cc",
  ),
  frame(
    "absl::log_internal::*",
    "A failed CHECK of a Google library ended the process.",
    [],
    "Read the message on stderr.",
    "Abseil, absl/log",
  ),

  ...[
    ["RWLockImpl", "mozglue/misc/RWLock_posix.cpp"],
    ["MutexImpl", "mozglue/misc/Mutex_posix.cpp"],
    ["ConditionVariableImpl", "mozglue/misc/ConditionVariable_posix.cpp"],
  ].map(([type, file]): KnowledgeRow => ({
    ...frame(
      `mozilla::detail::${type}::*`,
      "Mozilla's code crashed itself on purpose: a call of its lock or condition variable failed (MOZ_RELEASE_ASSERT or MOZ_CRASH), which writes the line's number to null.",
      [
        "a lock that was destroyed already, as of a static object when the process ends",
        "a lock that was overwritten, or used in a way that it does not allow",
      ],
      "See who owns the lock that the calling functions use, and whether it still exists.",
      `Firefox, ${file}; mfbt/Assertions.h: MOZ_CrashSequence`,
      "top",
    ),
    needs: "null",
  })),
  ...always(
    frame(
      "MOZ_Crash*",
      "Mozilla's code crashed itself on purpose: MOZ_CRASH or a failed assertion.",
      [],
      "Read the crash reason.",
      mozilla,
    ),
    frame(
      "RustMozCrash*",
      "Rust code of Mozilla's panicked.",
      [],
      "Read the crash reason.",
      mozilla,
    ),
    frame(
      "mozalloc_abort*",
      "Mozilla's code ended the process.",
      [],
      "Read the crash reason.",
      mozilla,
      "vague",
    ),
    frame(
      "mozalloc_handle_oom*",
      "Mozilla's code found no memory.",
      ["a leak", "a very large allocation"],
      "Look at the process's memory.",
      mozilla,
    ),
    frame(
      "NS_DebugBreak*",
      "An assertion of Mozilla's code failed.",
      [],
      "Read its message.",
      mozilla,
    ),
    frame(
      "WTFCrash*",
      "WebKit or JavaScriptCore crashed itself on purpose, as by a failed check.",
      [],
      "",
      "WebKit, Source/WTF/wtf/Assertions.h",
    ),
    frame(
      "Ti_WTFCrash*",
      "Titanium's JavaScript engine, a copy of JavaScriptCore, crashed itself on purpose, as by a failed check.",
      [],
      "",
      "TiCore: JavaScriptCore with Ti before its names",
    ),
    frame(
      "WTFReportAssertionFailure*",
      "",
      [],
      "",
      "WebKit, Source/WTF/wtf/Assertions.h",
      "raise",
    ),
    frame(
      "bmalloc::*Crash*",
      "WebKit's allocator is out of memory, found damage or was given a wrong pointer.",
      [],
      "",
      "WebKit, Source/bmalloc",
    ),
    ...["pas_deallocation_did_fail*", "pas_reallocation_did_fail*"].map((key) =>
      frame(
        key,
        "WebKit's allocator was to free or to grow a block that it does not have.",
        [],
        "",
        "WebKit, Source/bmalloc/libpas: pas_deallocate.c and pas_reallocate.h",
      )
    ),
    frame(
      "pas_panic*",
      "WebKit's allocator is out of memory, found damage or was given a wrong pointer.",
      [],
      "",
      "WebKit, Source/bmalloc/libpas",
    ),
  ),
  ...always(
    frame(
      "report_vm_out_of_memory*",
      "The Java virtual machine got no memory from the system for its own use.",
      [],
      "Read its hs_err_pid log, which says how much it asked for and what for.",
      "OpenJDK, src/hotspot/share/utilities/debug.cpp",
    ),
    frame(
      "report_java_out_of_memory*",
      "A Java program's memory was full, and the virtual machine was told to end the process then.",
      [],
      "Read its hs_err_pid log; look at the heap, and at -XX:+CrashOnOutOfMemoryError.",
      "OpenJDK, src/hotspot/share/utilities/debug.cpp",
    ),
    frame(
      "jni_FatalError*",
      "Native code ended the Java virtual machine by JNI's FatalError().",
      [],
      "Read its message on stderr.",
      "OpenJDK, src/hotspot/share/prims/jni.cpp",
    ),
  ),
  ...handling(
    "The Java virtual machine",
    frame(
      "VMError::report_and_die*",
      "The Java virtual machine met a fatal error.",
      [],
      "Read its hs_err_pid log.",
      "OpenJDK, src/hotspot/share/utilities/vmError.cpp",
      "vague",
    ),
    frame(
      "JVM_handle_bsd_signal*",
      "The Java virtual machine met a signal.",
      [],
      "Read its hs_err_pid log.",
      "OpenJDK, src/hotspot/os_cpu",
      "vague",
    ),
    frame(
      "os::abort*",
      "The Java virtual machine ended the process.",
      [],
      "Read its hs_err_pid log.",
      "OpenJDK, src/hotspot/os",
      "vague",
    ),
  ),
  ...handling(
    "Rust",
    ...[
      ...["stack_overflow::imp::signal_handler*", "std::sys::unix::stack_overflow::imp::*"],
      ...["std::sys::pal::unix::stack_overflow::imp::*", "std::sys::imp::stack_overflow::imp::*"],
    ].map((key) =>
      frame(key, "", [], "", "Rust, library/std/src/sys/pal/unix/stack_overflow.rs", "raise")
    ),
  ),
  ...handling(
    "The sanitizer",
    ...[
      ...["__sanitizer::HandleDeadlySignal*", "__sanitizer::ReportDeadlySignal*"],
      ...["__asan::AsanOnDeadlySignal*", "__asan::ReportDeadlySignal*"],
      ...["__ubsan::UBsanOnDeadlySignal*"],
    ].map((key) =>
      frame(
        key,
        "",
        [],
        "",
        "LLVM, compiler-rt/lib/sanitizer_common/sanitizer_symbolizer_report.cpp",
        "raise",
      )
    ),
  ),
  frame(
    "os_abort of Python",
    "Code in Python called os.abort(), which ends the process on purpose.",
    [],
    "Find the call of os.abort(); run with -X faulthandler, which prints Python's own stack.",
    "CPython, Modules/posixmodule.c: os_abort_impl",
  ),
  frame(
    "Py_FatalError*",
    "Python met a fatal error.",
    [],
    "Read its message on stderr.",
    "CPython, Python/pylifecycle.c",
  ),
  frame(
    "_Py_FatalError*",
    "Python met a fatal error.",
    [],
    "Read its message on stderr.",
    "CPython, Python/pylifecycle.c",
  ),
  frame(
    "fatal_error_exit",
    "Python met a fatal error.",
    [],
    "Read its message on stderr.",
    "CPython, Python/pylifecycle.c",
    "vague",
  ),
  frame(
    "faulthandler_fatal_error*",
    "Python passed on a fatal signal.",
    [],
    "Read the traceback on stderr.",
    "CPython, Modules/faulthandler.c",
    "raise",
  ),
  ...[
    "llvm::sys::PrintStackTrace*",
    "llvm::sys::RunSignalHandlers*",
    "SignalHandler(int*",
    "CrashRecoverySignalHandler*",
  ].map((
    key,
  ) => frame(key, "", [], "", "LLVM, lib/Support/Unix/Signals.inc", "raise")),
  ...handling(
    "Ruby",
    ...[
      ...["rb_bug_for_fatal_signal*", "rb_bug_context*", "rb_vm_bugreport*", "bug_report_end*"],
      "check_reserved_signal*",
    ].map((key) => frame(key, "", [], "", "Ruby, error.c and signal.c", "raise")),
  ),
  // Other programs have one as well.
  frame("die", "", [], "", "Ruby, error.c", "raise"),
  frame(
    "rb_bug*",
    "Ruby met an internal error.",
    [],
    "Read its message and report on stderr.",
    "Ruby, error.c",
  ),
  frame(
    "rb_assert_failure*",
    "An assertion of Ruby failed.",
    [],
    "Read its report on stderr.",
    "Ruby, error.c",
  ),
  frame(
    "QMessageLogger::fatal*",
    "Qt, or a program that uses its qFatal(), reported a fatal error.",
    [],
    "Read its message on stderr.",
    "Qt, src/corelib/global/qlogging.cpp",
  ),
  frame(
    "init_platform fatal",
    "Qt reported a fatal error.",
    ["a platform plugin that is missing or cannot be loaded"],
    "Read its message on stderr.",
    "Qt, src/gui/kernel/qguiapplication.cpp: init_platform",
  ),
  frame(
    "QThread::~QThread fatal",
    "A QThread was destroyed while its thread still ran, which Qt takes for a fatal error.",
    ["a thread that was not ended and waited for before its object went away, as at the program's end"],
    "Call quit() or requestInterruption(), and wait(), before the QThread is destroyed.",
    "Qt, src/corelib/thread/qthread.cpp: QThread::~QThread",
  ),
  frame(
    "QWidgetPrivate::init fatal",
    "A QWidget was made where there is no QApplication, which Qt takes for a fatal error.",
    ["a widget in a static object, or a program with a QGuiApplication or QCoreApplication only"],
    "Make the QApplication first.",
    "Qt, src/widgets/kernel/qwidget.cpp: QWidgetPrivate::init",
  ),
  frame(
    "qt_assert fatal",
    "An assertion of Qt, or of a program that uses its Q_ASSERT, failed.",
    [],
    "Read its message on stderr: it has the condition, the file and the line.",
    "Qt, src/corelib/global/qassert.cpp",
  ),
  frame(
    "pyqt_err_print fatal",
    "An exception of Python was not caught in a slot, or in a method that Qt called: PyQt prints it and stops the process.",
    [],
    "Read the traceback on stderr; catch exceptions in slots, or set sys.excepthook.",
    "PyQt, Differences Between PyQt5 and PyQt4: Unhandled Python Exceptions",
  ),
  ...["pyqt5_err_print*", "pyqt6_err_print*"].map((key) =>
    frame(
      key,
      "",
      [],
      "",
      "PyQt, Differences Between PyQt5 and PyQt4: Unhandled Python Exceptions",
      "raise",
    )
  ),
  frame(
    "qt_message_fatal*",
    "Qt, or a program that uses its qFatal(), reported a fatal error.",
    [],
    "Read its message on stderr.",
    "Qt, src/corelib/global/qlogging.cpp",
  ),
  frame(
    "qBadAlloc*",
    "Qt, or a program that uses it, got no memory: none is left, or the size makes no sense.",
    [],
    "See which code asked for it, and how it came to the size.",
    "Qt, src/corelib/global/qassert.cpp: qBadAlloc",
  ),
  frame(
    "qTerminate*",
    "A C++ exception reached a function of Qt that lets none through, and ended the process.",
    [],
    "Catch it where it is thrown, such as in a slot or an event handler.",
    "Qt, src/corelib/global/qassert.cpp: qTerminate",
  ),
  frame(
    "qAbort*",
    "Qt ended the process.",
    [],
    "Read its message on stderr.",
    "Qt, src/corelib/global/qassert.cpp",
    "vague",
  ),
  frame(
    "qt_assert*",
    "An assertion of Qt, or of a program that uses its Q_ASSERT, failed.",
    [],
    "Read its message on stderr.",
    "Qt, src/corelib/global/qassert.cpp",
  ),
  ...always(
    ...[
      "hermes::vm::GCBase::oom*",
      "hermes::vm::HadesGC::oom*",
      "hermes::vm::MallocGC::oom*",
    ].map((key) =>
      frame(
        key,
        fullHeap,
        ["a leak in JavaScript: lists, closures or caches that grow", "very large data"],
        "Take a heap snapshot of Hermes; see what of JavaScript grows.",
        "Hermes, lib/VM/GCBase.cpp: GCBase::oom",
      )
    ),
    ...[
      "hermes::hermes_fatal*",
      "llvh::report_fatal_error*",
      "facebook::hermes::detail::hermesFatalErrorHandler*",
    ].map((key): KnowledgeRow =>
      frame(
        key,
        "Hermes, React Native's JavaScript engine, met an error that it cannot go on from, and ended the process on purpose.",
        [],
        "Read its message on stderr or in the device's log.",
        "Hermes, lib/Support/ErrorHandling.cpp",
        "vague",
      )
    ),
  ),
  frame(
    "il2cpp::vm::Exception::Raise*",
    "A managed exception of Unity's IL2CPP was raised.",
    [],
    "Read the player log.",
    "Unity, libil2cpp",
  ),
  frame(
    "dart::Assert::Fail*",
    "An assertion of the Dart virtual machine failed.",
    [],
    "Read its message.",
    "Dart, runtime/platform/assert.cc",
  ),
  frame(
    "uw_init_context_1*",
    "GCC's unwinder could not find itself on the stack: an exception was thrown through libgcc_s in a program that also has the system's unwinder.",
    ["libraries built with GCC and with Clang in one process"],
    "Build all with one compiler, or without libgcc_s.",
    "GCC, libgcc/unwind-dw2.c: uw_init_context_1",
  ),
  frame("ghc_*", "", [], "", "GHC", "raise"),
  frame(
    "caml_fatal_error*",
    "The OCaml run-time met a fatal error.",
    [],
    "Read its message.",
    "OCaml, runtime/misc.c",
  ),

  {
    kind: "library",
    key: "libcoreclr.dylib",
    meaning: "The .NET run-time ended the process, mostly after an exception that was not handled.",
    causes: [],
    next: clrSaid,
    source: clr,
    throwsManaged: true,
  },
  library("standard library", "the language's standard library", "What run-times print themselves"),
  library("libhostpolicy.dylib", "the .NET host", ".NET, src/native/corehost"),
  library("libhostfxr.dylib", "the .NET host", ".NET, src/native/corehost"),
  library("libSystem.Native.dylib", "the .NET run-time", ".NET, src/native/libs"),
  library("libclrjit.dylib", "the .NET compiler", clr),
  library("libclrgc.dylib", "the .NET garbage collector", clr),
  library("libmscordaccore.dylib", "the .NET run-time", clr),
  { ...library("libmono*", "Mono", mono), throwsManaged: true },
  library("libxamarin*", "Xamarin", mono),
  ...["libXamarin.iOS.*", "libXamarin.Mac.*", "libmscorlib.*"].map((key) =>
    library(key, "the libraries of Xamarin, compiled ahead of time", "Xamarin, mtouch")
  ),
  library("libjvm.dylib", "the Java virtual machine", "OpenJDK"),
  library("libart.dylib", "the Android run-time", "AOSP"),
  library("libswift*", "the Swift run-time", "Swift, stdlib"),
  library("libruby*", "Ruby", "Ruby, vm.c"),
  library("ruby", "Ruby", "Ruby, vm.c"),
  library("node", "Node.js", node),
  library("libmacruby*", "MacRuby", "MacRuby"),
  library("libpython*", "Python", "CPython"),
  library("Python", "Python, as a framework", "CPython"),
  library("org.python.python", "Python, as a framework", "CPython"),
  library("org.python.Python*", "Python, as a framework", "CPython"),
  library("Python3", "Python, as a framework of Xcode", "CPython"),
  library("libperl*", "Perl", "Perl"),
  library("libR.dylib", "the R interpreter", "R, src/main"),
  library("libjulia*", "Julia", "Julia"),
  library("libnode*", "Node.js", node),
  library("libphp*", "PHP", "PHP"),
  ...["libjli.dylib", "libjava.dylib", "libawt*", "liblwawt*", "libosxapp.dylib", "libnio.dylib"]
    .map(
      (key) => library(key, "the Java run-time's own libraries", "OpenJDK"),
    ),
  library("libhermes*", "React Native's JavaScript engine", "Hermes"),
  library("hermes", "React Native's JavaScript engine", "Hermes"),
  library("libclang_rt*", "a sanitizer", "LLVM, compiler-rt"),
  library("libgmalloc.dylib", "Guard Malloc", "libgmalloc(3)"),
  library("libgcc_s*", "the GCC run-time", "GCC"),
  library("libstd-*", "Rust's standard library", "Rust, library/std"),
  library("librustrt-*", "Rust's run-time", "Rust before 1.0, src/librustrt"),
  ...frameworks.map((key): KnowledgeRow => ({
    kind: "library",
    key,
    meaning:
      "Code of Chromium or V8 stopped the process on purpose, most often by a failed CHECK or for want of memory. The reason is not in the report.",
    causes: [],
    next: "Look at the application's log for the message; try another version.",
    source: chromium,
  })),
];

function asRow(
  [meaning, causes, next]: readonly [string, readonly string[], string],
): [string, string[], string] {
  return [meaning, [...causes], next];
}
