/** What the messages mean that game engines, virtual machines, sanitizers, Xcode and the system's own services print
 * when a process ends. They come before those of libraries, whose words they may hold. */

import type { KnowledgeRow } from "./row.ts";

/** Where what is written of a signal is documented. */
const deadly = "LLVM, compiler-rt/lib/sanitizer_common/sanitizer_symbolizer_report.cpp";
const pointerUsed =
  "See which pointer the innermost frame used, and whether what it pointed to was still there.";

function row(
  keys: readonly string[],
  meaning: string,
  causes: readonly string[],
  next: string,
  source: string,
): KnowledgeRow[] {
  return keys.map((key) => ({ kind: "message", key, meaning, causes, next, source }));
}

/** See {@linkcode KnowledgeRow}. */
export const consoleRows: readonly KnowledgeRow[] = [
  ...row(
    [
      "Unreal Engine: Unhandled Exception: SIG",
      'Unreal Engine: Exception was "SIG',
      "Unreal Engine: Caught signal",
    ],
    "A signal met a program made with Unreal Engine, whose own handler printed the stack.",
    [],
    "The first frame after those of the handler is where it was; the log has what came before.",
    "Unreal Engine, Core/Private/Mac/MacPlatformCrashContext.cpp",
  ),
  ...row(
    ["handle_crash: Program crashed with signal"],
    "A signal met a program made with Godot, or its editor, whose own handler printed the stack.",
    [],
    "The first frame after _sigtramp is where it was; a report of the system's of that time says more.",
    "Godot, platform/macos/crash_handler_macos.mm",
  ),
  ...row(
    ["===== CRASH =====", "DART STANDALONE VM CRASH"],
    "A signal met the Dart virtual machine: in its own code, in compiled Dart code, or in native code that Dart called.",
    [],
    "The first frame after the signal's handler is where it was; names that begin with dart:: are the virtual machine's.",
    "Dart, runtime/bin/platform_macos.cc",
  ),
  ...row(
    ["Flutter: The following "],
    "Flutter caught an error of Dart code and showed it: the program goes on after that, it is no crash by itself.",
    [],
    "Read the error's text; the first line of its stack that is of the program's own packages threw it or led to it.",
    "Flutter, packages/flutter/lib/src/foundation/assertions.dart",
  ),
  ...row(
    ["ThreadSanitizer: Swift access race"],
    "Two threads used the same Swift variable at the same time, at least one of them to change it.",
    ["a lock, a queue or an actor that is missing"],
    "Compare the two stacks of the text: both name the variable.",
    "LLVM, compiler-rt/lib/tsan/rtl/tsan_report.cpp",
  ),
  ...row(
    ["ThreadSanitizer: race on "],
    "Two threads used the same library's object at the same time, which that does not allow.",
    ["a lock, a queue or an actor that is missing"],
    "Compare the two stacks of the text.",
    "LLVM, compiler-rt/lib/tsan/rtl/tsan_report.cpp",
  ),
  ...row(
    ["ThreadSanitizer: lock-order-inversion"],
    "Two locks are taken in different orders: two threads that do so at the same time wait for each other for ever.",
    [],
    "Take them in the same order everywhere; the text has where each was taken.",
    "LLVM, compiler-rt/lib/tsan/rtl/tsan_report.cpp",
  ),
  ...row(
    ["ThreadSanitizer: thread leak"],
    "A thread was neither joined nor detached before the end; nothing crashed.",
    [],
    "Join or detach it.",
    "LLVM, compiler-rt/lib/tsan/rtl/tsan_report.cpp",
  ),
  ...row(
    ["ThreadSanitizer: signal-unsafe call"],
    "A signal's handler called a function that is not safe there.",
    [],
    "Only call functions there that are safe for signals: sigaction(2).",
    "LLVM, compiler-rt/lib/tsan/rtl/tsan_report.cpp",
  ),
  // What all of the sanitizers have in common: the report of a signal that ends the process.
  ...row(
    ["Sanitizer: stack-overflow"],
    "The stack overflowed.",
    ["recursion that does not end, or goes too deep for the stack", "large local arrays"],
    "The sanitizer's text has the functions that filled the stack.",
    deadly,
  ),
  ...row(
    ["Sanitizer: SEGV on no address"],
    "An address was used that is none: the CPU does not report it, and what the sanitizer writes in its place is not it.",
    ["a pointer that was overwritten, was never set, or was read from memory that is gone"],
    pointerUsed,
    deadly,
  ),
  ...row(
    ["Sanitizer: SEGV on unknown address 0x000000000"],
    "An address was used that is not mapped or not permitted.",
    ["a null pointer, or a number in place of a pointer"],
    pointerUsed,
    deadly,
  ),
  ...row(
    ["Sanitizer: SEGV on unknown address"],
    "An address was used that is not mapped or not permitted.",
    [],
    pointerUsed,
    deadly,
  ),
  ...row(
    ["Sanitizer: BUS on unknown address"],
    "An address was used in a way that its memory does not allow.",
    [],
    pointerUsed,
    deadly,
  ),
  ...row(
    ["Sanitizer: FPE on unknown address"],
    "The CPU refused a calculation, as a division by zero.",
    ["a divisor that is zero, or a quotient that does not fit"],
    "See which values the innermost frame calculates with.",
    deadly,
  ),
  ...row(
    ["Sanitizer: ILL on unknown address", "Sanitizer: TRAP on unknown address"],
    "The CPU met an instruction that ends a program, as a failed check does, or one that it does not know.",
    [],
    "See which check the innermost frame has.",
    deadly,
  ),
  ...row(
    ["Sanitizer: ABRT on unknown address"],
    "The process was ended by SIGABRT, as by abort(); the sanitizer only reports it.",
    [],
    "See which function of the sanitizer's stack called abort(), and what was printed before.",
    deadly,
  ),
  ...row(
    ["UndefinedBehaviorSanitizer: "],
    "Undefined Behavior Sanitizer found code whose behaviour C or C++ does not define. By default the program goes on: this is no crash by itself.",
    [],
    "The message has file and line, and what was wrong there.",
    "LLVM, compiler-rt/lib/ubsan/ubsan_diag.cpp",
  ),
  ...row(
    ["Main Thread Checker: "],
    "What is for the main thread only, as the user interface is, was used from another thread. The checker tells of it and lets the program go on: this is no crash by itself.",
    [],
    "Dispatch to the main queue in the first frame of yours.",
    "Apple, Main Thread Checker",
  ),
  ...row(
    ["Publishing changes from background threads"],
    "An object that SwiftUI observes was changed on another thread than the main one. The program goes on: this is a warning, no crash by itself.",
    [],
    "Change it on the main queue or the main actor.",
    "Apple, Combine and SwiftUI: run-time issues of Xcode",
  ),
  ...row(
    [
      "Publishing changes from within view updates",
      "Modifying state during view update",
      "Accessing State's value outside",
    ],
    "SwiftUI's state was changed or used while a view's body ran, or outside of a view. The program goes on: this is a warning, no crash by itself.",
    [],
    "Move the change to an action, a task or onChange.",
    "Apple, SwiftUI: run-time issues of Xcode",
  ),
  ...row(
    ["React Native: ERROR "],
    "An error of JavaScript was not caught in React Native, or was logged as one.",
    [],
    "The message has the error; its stack is JavaScript's, which needs the source map.",
    "React Native, Libraries/Core/ExceptionsManager.js",
  ),
  ...row(
    ["GuardMalloc["],
    "The allocator for debugging (Guard Malloc) stopped the program, or tells of what it refused.",
    [],
    "Its line says which; run it in a debugger for the stack.",
    "Apple, libgmalloc(3)",
  ),
  ...row(
    ["Service exited due to", "Job appears to have crashed: ", "Exited abnormally: "],
    "launchd tells that a program which it ran, a service or an app, was ended by a signal, and which. Its line has no stack.",
    [],
    "Look for a crash report of that process and time; where the line says who sent the signal, see that one's log.",
    "Apple, launchd; signal(3)",
  ),
  ...row(
    ["Service exited with abnormal code", "Exited with exit code: "],
    "launchd tells that a program which it ran ended itself with a code that means failure: this is no crash.",
    [],
    "The program gave the code: see its own log, and what the number means there.",
    "Apple, launchd; sysexits(3)",
  ),
  ...row(
    ["ReportCrash[", "ReportCrash: Saved "],
    "The system's crash reporter tells that it saved a report. The line itself does not say what happened.",
    [],
    "Read the report whose path it names.",
    "Apple, ReportCrash(8)",
  ),
  ...row(
    [
      ...["the shell: zsh: killed", "the shell: Killed: 9", "] Killed: 9"],
      ...[..."0123456789"].map((digit) => `${digit} Killed: 9`),
    ],
    "The shell tells that SIGKILL ended a program that it ran: the system or somebody killed it.",
    [
      "a code signature that the kernel does not accept, where it ended as soon as it was started",
      "want of memory",
      "a user or another program that ended it",
    ],
    "See what the system's log has of that process and time: the kernel tells of signatures and of memory.",
    "zsh, Src/jobs.c; XNU, bsd/kern/kern_cs.c, kern_memorystatus.c; signal(3)",
  ),
  ...row(
    ["MissingPluginException(No implementation found"],
    "Dart called a method of a plug-in, and no native code is registered that has it.",
    [
      "an app that was not stopped and built again since the plug-in was added",
      "a plug-in that has no code for this platform, or that is not registered with this engine or isolate",
    ],
    "Stop the app and build it from clean (flutter clean, pod install); see that the plug-in supports the platform.",
    "Flutter, packages/flutter/lib/src/services/message_codec.dart: MissingPluginException",
  ),
  ...row(
    ["the shell: "],
    "The shell tells that a signal ended a program that it ran, and which. Its line has no stack.",
    [],
    "Look for a crash report of that time in ~/Library/Logs/DiagnosticReports, or run the program in a debugger.",
    "zsh, Src/jobs.c; bash, jobs.c; signal(3)",
  ),
  ...row(
    ["the system's log: "],
    "The kernel, or what checks programs for it, did not accept the program's code signature or one of its entitlements: it was not started, or was killed. That is no crash of its code.",
    [
      "a signature that is missing or damaged, or a file that was changed after it was signed",
      "an entitlement that the certificate or the profile does not allow",
    ],
    "codesign --verify --deep --strict -vvv shows what is wrong with the signature, codesign -d --entitlements - which entitlements it has; sign it again.",
    "XNU, bsd/kern/ubc_subr.c, kern_cs.c; Apple, TN3125: Inside Code Signing",
  ),
  ...row(
    ["SpringBoard: Application '", "<RBSProcessExitContext", "termination reported by launchd ("],
    "The system's log tells that an app ended, and by what. Its line has no stack.",
    [],
    "Look for a crash report of that process and time.",
    "Apple, SpringBoard and RunningBoard; signal(3)",
  ),
  ...row(
    ["SpringBoard: "],
    "The system's watchdog ended the app: it did not do in time what the line names. The line has no stack.",
    [],
    "Look for the crash report of that process and time (0x8badf00d): it has the main thread's stack.",
    "Apple, Addressing watchdog terminations",
  ),
  ...row(
    ["Xcode's previews: "],
    "The process in which Xcode shows previews did not answer, or could not be updated; it may have crashed. The text does not say why.",
    [],
    "Run the app itself, and look in ~/Library/Logs/DiagnosticReports for a report of that process and time; the preview's Diagnostics have more.",
    "Apple, Xcode's previews",
  ),
  ...row(
    ["FBSOpenApplication"],
    "The app could not be launched: this is the launcher's error, no crash of the app.",
    [],
    "See the reason that it gives; build from clean, remove the app from the device and install it again.",
    "Apple, FrontBoardServices",
  ),
  ...row(
    ["XCTest: "],
    "XCTest or xcodebuild tells that the process of the tests, or the app that they ran, ended early. It has no stack of that.",
    [],
    "Look in the result bundle (.xcresult) and in ~/Library/Logs/DiagnosticReports, of the device or the simulator, for a crash report of that process and time.",
    "Apple, XCTest and xcodebuild",
  ),
  ...row(
    ["java", "javax", "android", "androidx"].map((name) => `Fatal Exception: ${name}.`),
    "A Java exception was not caught: this is what Crashlytics has of an app for Android.",
    [],
    "The message has type and text; the first line of the stack threw it.",
    "Firebase, firebase-android-sdk: firebase-crashlytics",
  ),
  // Of Android, or of an app for iOS that has Kotlin's native code.
  ...row(
    ["Fatal Exception: kotlin.", "Fatal Exception: kotlinx."],
    "A Kotlin exception was not caught.",
    [],
    "The message has type and text.",
    "Firebase, Crashlytics; Kotlin/Native",
  ),
  ...row(
    ["Fatal Exception: System."],
    "A .NET exception was not caught.",
    [],
    "The message has type and text; the first line of the stack threw it.",
    "Firebase, Crashlytics; .NET for iOS and Android",
  ),
  ...row(
    ["Kernel pid terminated", "Runtime terminating during boot", "init terminating in"],
    "The Erlang run-time ended itself because one of its first processes or a permanent application failed: this is no crash of native code.",
    [],
    "The words in parentheses say which application and why; erl_crash.dump has more.",
    "Erlang, erts/emulator/beam/break.c; kernel, application_controller.erl",
  ),
  ...row(
    ["eheap_alloc: Cannot allocate"],
    "The Erlang run-time got no more memory.",
    ["a process whose messages or data grow"],
    "See in erl_crash.dump which process has most.",
    "Erlang, erts/emulator/beam/erl_alloc.c",
  ),
  ...row(
    ["Unity: "],
    "A signal met a program made with Unity, whose own handler printed the stack.",
    [],
    "The first frame after those of the handler is where it was; Player.log has what came before.",
    "Unity, Player.log",
  ),
  ...row(
    ["it has an invalid code signature, inadequate entitlements"],
    "The device did not start the app: its signature, its entitlements or its profile were not accepted. None of its code ran.",
    [
      "a developer that the device does not trust yet",
      "a profile that has ended, or that does not name this device",
      "entitlements that the profile does not have",
    ],
    "Trust the developer in Settings (General, VPN & Device Management); check the profile and the entitlements; clean and build again.",
    "Apple, Xcode; TN3125: Inside Code Signing: Provisioning Profiles",
  ),
  ...row(
    ["Domain: IDE", "Domain: DVT", "Domain: com.apple.dt"],
    "Xcode could not install, launch or debug the app: this is Xcode's error, no report of a crash.",
    [],
    "See what it gives as the reason; what the app itself did is in a crash report of the device, where there is one.",
    "Apple, Xcode",
  ),
  ...row(
    ["The LLDB RPC server has crashed"],
    "Xcode's debugger crashed, not the app: what the app did is not known from this.",
    [],
    "Look for a report of lldb-rpc-server in ~/Library/Logs/DiagnosticReports, and run the app again.",
    "Apple, Xcode; LLVM, lldb",
  ),
];
