/** What game engines, virtual machines, sanitizers and the system's own services print when a process ends, and Xcode's
 * notices in prose. */

import { type Console, frameOf, standardLibrary } from "./console_row.ts";

/** Stacks and messages of native code, which say more than what is printed beside them. */
const hasNative =
  /^\s{0,8}(?:\* thread #\d|frame #\d|\*{3} (?:Terminating app|First throw))|Terminating app due to uncaught/m;

/** Xcode's title of a thread that stopped. */
const threadTitle =
  /^[ \t>`*]{0,8}(?:Thread \d{1,4} ?(?:Queue ?: ?\S{1,200} \(\w{4,12}\))?: ?)?(?:EXC_[A-Z_]{3,30}(?: \(|$)|signal SIG|Fatal error: |Precondition failed|"\S)/m;

/** What a program or a library of it says before a shell tells of its end. */
const saysMore =
  /\bmalloc: (?!nano zone)|^\*{3} error for object|^terminat|libc\+\+abi|[Aa]ssert|ASSERT|\b[Ff]atal\b|panicked at|^dyld(?:\[\d{1,9}\])?: |Exception\b|^objc\[\d|Sanitizer|^This application failed to start because |^panic: |^runtime: /m;

/** The image of a frame of Dart code: the package, which begins its place. */
function packageOf(place: string): string | null {
  const name = /^package:([\w-]{1,80})\//.exec(place)?.[1];
  if (name === undefined) return place.startsWith("dart:") ? standardLibrary : null;
  return name === "flutter" || name === "flutter_test" ? standardLibrary : name;
}

/** A frame of Dart's: `#1      _CartState.build (package:shop/cart.dart:42:17)`. */
function dartFrame(line: string): ReturnType<Console["frame"]> {
  const match =
    /^(?:flutter: )?#\d{1,4} {1,8}(\S.{0,400}?) \(((?:dart|package|file):[^()]{1,300}?)\)$/.exec(
      line,
    );
  if (match === null) return null;
  const [, symbol, place] = match;
  return frameOf(symbol, place.replace(/^file:\/\//, ""), null, packageOf(place));
}

/** A frame of ThreadSanitizer's or UndefinedBehaviorSanitizer's: `#0 Cart.add Cart.swift:12 (Shop:x86_64+0x1200)`. */
function sanitizerFrame(line: string): ReturnType<Console["frame"]> {
  const match =
    /^\s{2,8}#\d{1,4} (?:0x[0-9a-f]{1,16} in )?(\S.{0,600}?)(?: (<null>|\S{1,300}:\d{1,7}(?::\d{1,5})?))?(?: \(([^()+]{1,300}?)(?::\w{2,10})?\+0x[0-9a-f]{1,16}\))?(?: \(BuildId: \w{1,64}\))?$/
      .exec(line);
  if (match === null) return null;
  const [, symbol, place, module] = match;
  return frameOf(
    symbol === "<null>" ? null : symbol,
    place === undefined || place === "<null>" ? null : place,
    null,
    module ?? null,
  );
}

/** Rows that come before those of the language run-times. */
export const otherConsoles: readonly Console[] = [
  {
    // Unreal Engine, Core/Private/Mac/MacPlatformCrashContext.cpp and GenericPlatform/GenericPlatformStackWalk.cpp;
    // CrashReportClient's text
    said:
      /(?:^|: )(Unhandled Exception: SIG[A-Z]{2,6}: .{1,200}|Exception was "SIG[A-Z]{2,6}: .{1,200}|Caught signal|Fatal error: \[File:.{1,600}|Assertion failed: .{1,400} \[File:.{1,300})$/m,
    teller: "Unreal Engine",
    needs: /\[Callstack\] {1,2}(?:\d\d {2})?0x|^\S.{0,600} Address = 0x[0-9a-f]{1,16} ?\(/m,
    frame(line) {
      const walked =
        /\[Callstack\] {1,2}(?:\d\d {2})?(0x[0-9a-f]{1,16}) {1,2}(?:([\w.+-]{1,120})!)?(\S.{0,800}?)?(?: \[([^[\]]{0,400})\])?$/
          .exec(line);
      if (walked !== null) {
        const [, address, image = null, name = "", place = ""] = walked;
        const isName = name !== "" && !/^(?:UnknownFunction|Unknown)(?:\(\))?$/.test(name);
        return frameOf(
          isName ? name : null,
          /^(.{1,380}?)(?::|, line )(\d{1,7})$/.exec(place)?.slice(1).join(":") ?? null,
          address,
          image,
        );
      }
      const listed =
        /^(\S.{0,600}?) {1,2}Address = (0x[0-9a-f]{1,16}) ?\((?:filename not found|(.{1,300}:\d{1,7}))\) \[in (.{1,200})\]$/
          .exec(line);
      if (listed === null) return null;
      const [, name, address, place, image] = listed;
      return frameOf(/^Unknown(?:\(\))?$/.test(name) ? null : name, place ?? null, address, image);
    },
    ends: /^\s*$/,
  },
  {
    // Godot, platform/macos/crash_handler_macos.mm
    said: /^ {0,8}(handle_crash: Program crashed with signal \d{1,2})$/m,
    also: /^ {0,8}(Engine version: .{1,200})$/m,
    isAfter: true,
    frame(line) {
      const [, image, address, symbol] =
        /^ {0,8}\[\d{1,4}\] \d{1,4} {1,4}(\S.{0,60}?) {1,40}(0x[0-9a-fA-F]{4,16}) (\S.{0,800}?) \+ \d{1,12}$/
          .exec(line) ?? [];
      if (image !== undefined) {
        const isName = !symbol.startsWith("0x") && symbol !== image;
        return frameOf(isName ? symbol : null, null, address, image === "???" ? null : image);
      }
      const [, name, within, place] =
        /^ {0,8}\[\d{1,4}\] (\S.{0,800}?)(?: \(in ([^()]{1,120})\))?(?: \(([^()]{1,300}:\d{1,7})\))?(?: \+ \d{1,12})?$/
          .exec(line) ?? [];
      if (name === undefined || name.includes("res://")) return null;
      return frameOf(name, place ?? null, null, within ?? null);
    },
    ends: /^ {0,8}-- END OF/,
    hasHandler: true,
  },
  {
    // Dart, runtime/bin/platform_macos.cc and runtime/vm/profiler.cc: DumpStackTrace
    said: /^(={3,8} (?:DART STANDALONE VM )?CRASH ={3,8})$/m,
    needs: /^(?:version=|si_signo=|isolate_instructions=)/m,
    frame(line) {
      const match =
        /^ {0,8}pc (0x[0-9a-f]{4,16}) fp 0x[0-9a-f]{1,16} (\S.{0,800}?)(?:\+0x[0-9a-f]{1,12})?$/
          .exec(line);
      if (match === null) return null;
      return frameOf(match[2] === "Unknown symbol" ? null : match[2], null, match[1]);
    },
    hasHandler: true,
    ends: /^-- End of DumpStackTrace/,
  },
  {
    // Dart: an error that nobody caught. Flutter goes on after it.
    said: /(?:^|\] )(Unhandled [Ee]xception:(?: |\n)(?!SIG)\S.{0,600})$/m,
    needs: /^(?:flutter: )?#0 {2,8}\S.{0,400} \((?:dart|package|file):/m,
    unless: hasNative,
    frame: dartFrame,
    ends: /^\s*$/,
  },
  {
    // Flutter, packages/flutter/lib/src/foundation/assertions.dart
    said:
      /^(?:flutter: |I\/flutter ?\( {0,4}\d{1,6}\): )?(The following .{1,200}? was thrown(?: .{1,200})?:\n(?:flutter: |I\/flutter ?\( {0,4}\d{1,6}\): )?\S.{0,600})$/m,
    teller: "Flutter",
    needs: /EXCEPTION CAUGHT BY [A-Z]/,
    unless: hasNative,
    frame: dartFrame,
    ends: /^(?:flutter: )?\s*$/,
  },
  {
    // LLVM, compiler-rt/lib/tsan/rtl/tsan_report.cpp
    said: /^(?:WARNING: )(ThreadSanitizer: .{1,200}?)(?: \(pid=\d{1,9}\))?$/m,
    also: /^ {2}(Previous .{1,200}):$/m,
    isAfter: true,
    frame: sanitizerFrame,
    ends: /^\s*$/,
  },
  {
    // Apple, Main Thread Checker: its backtrace begins behind its own frames.
    said: /^(?:.{0,80} )?(Main Thread Checker: UI API called on a background thread: .{1,300})$/m,
    frame(line) {
      const match =
        /^\s{0,8}\d{1,3}\s{1,4}(\S.{0,80}?)\s{1,40}(0x[0-9a-f]{6,16}) (\S.{0,800}) \+ \d{1,12}$/
          .exec(line);
      return match === null
        ? null
        : frameOf(match[3] === match[1] ? null : match[3], null, match[2], match[1]);
    },
    ends: /^\s*$/,
  },
  {
    // LLVM, compiler-rt/lib/ubsan/ubsan_diag.cpp: a stack only follows where it was asked for.
    said: /^(\S.{0,300}:\d{1,7}:\d{1,5}: runtime error: .{1,400})$/m,
    teller: "UndefinedBehaviorSanitizer",
    frame: sanitizerFrame,
    ends: /^(?:\s*|SUMMARY: .*)$/,
  },
  {
    // Unity's own handler of signals
    said:
      /^(Obtained \d{1,4} stack frames\.?|Received signal SIG[A-Z]{2,6}|Receiving unhandled NULL exception)$/m,
    teller: "Unity",
    needs: /^Obtained \d{1,4} stack frames/m,
    unless: /^\s{0,8}(?:Native Crash Reporting|Managed Stacktrace)/m,
    frame(line) {
      const match = /^#\d{1,4}\s{1,4}(0x[0-9a-fA-F]{4,18}) in (\S.{0,600}?)(?: \(at .{1,300}\))?$/
        .exec(
          line,
        );
      return match === null ? null : frameOf(match[2], null, match[1].slice(0, 18));
    },
    ends: /^\s*$|^Obtained /,
  },
];

/** Lines that say little, for texts that nothing else is known in. */
export const noticeConsoles: readonly Console[] = [
  {
    // What Xcode shows as a run-time issue: Combine and SwiftUI tell the system's log of it.
    said:
      /((?:Publishing changes from (?:background threads|within view updates) is not allowed|Modifying state during view update, this will cause undefined behavior|Accessing State's value outside of being installed on a View)\b.{0,200})$/m,
    isAlone: true,
    frame: () => null,
  },
  {
    // Apple, libgmalloc(3)
    said:
      /^(?:\S.{0,80} )?(GuardMalloc\[.{1,80}?\]: (?=.{0,200}(?:Attempting|[Ff]reed|[Ff]ailed|Bad|not allocated)).{1,400})$/m,
    isAlone: true,
    frame: () => null,
  },
  {
    // launchd's lines in the system's log
    said:
      /(?:^|\s)([\w.-]{0,120}launchd[\w.]{0,60}\[\d{1,9}\](?: \([^()]{1,200}\))?(?: <\w{1,12}>)?: (?:\([^()]{1,200}\) )?(?:Service exited (?:due to|with) .{1,200}|Job appears to have crashed: .{1,100}|Exited (?:abnormally: |with exit code: ).{1,100}))$/m,
    // The log of the process itself says more.
    unless:
      /\s\d{1,3} {1,4}\S.{0,80}?\s0x[0-9a-f]{6,16} \S|Unhandled (?:managed )?[Ee]xception: \S|Terminating app due to|\* Assertion(?: at|:) /,
    isAlone: true,
    frame: () => null,
  },
  {
    // The same in launchd's own log
    said:
      /(?:^|\s)(\((?:system|gui|user|pid|login)\/[^()\n]{1,200}\) <\w{1,12}>: (?:\w{1,20} )?exited due to (?:SIG[A-Z]{2,6}|OS_REASON_(?!CODESIGNING)[A-Z]{3,20})\b.{0,300})$/m,
    isAlone: true,
    frame: () => null,
  },
  {
    // RunningBoard's line in the system's log
    said:
      /(?:^|[\s:])(<RBSTerminateContext\| domain:\d{1,4} code:0x[0-9a-fA-F]{1,16} (?:(?:[^\n]{1,1500}\n){0,12}?[^\n]{0,1500}>(?=[\s"')]|$)|[^\n]{1,1500}))/,
    unless: /^[ \t>]{0,8}(?:Termination|Exception|Triggered|Thread \d|Binary Images)/m,
    isAlone: true,
    isTermination: true,
    frame: () => null,
  },
  {
    // zsh, Src/jobs.c: printjob
    said:
      /^[ \t>]{0,8}((?:zsh: |\[\d{1,3}\] {1,4}(?:[-+] {1,4})?\d{1,9} )(?<signal>segmentation fault|abort|trace trap|bus error|illegal hardware instruction|floating point exception|killed)(?: \(core dumped\))?(?: {2,8}\S.{0,300})?)$/m,
    teller: "the shell",
    unless: saysMore,
    isAlone: true,
    frame: () => null,
  },
  {
    // bash, jobs.c and siglist.c; strsignal(3) of Darwin, which has the number
    said:
      /^[ \t>]{0,8}(\S{0,200}(?:: line \d{1,7}|\bmake(?:\[\d{1,3}\])?): {1,4}(?:\d{1,9} |\*{3} \[.{1,200}\] )(?<signal>Segmentation fault|Abort trap|Bus error|Illegal instruction|Trace\/BPT trap|Floating point exception|Killed)(?:: \d{1,2})?(?: \(core dumped\))?(?: {2,40}\S.{0,300})?)$/m,
    teller: "the shell",
    unless: saysMore,
    isAlone: true,
    frame: () => null,
  },
  {
    said:
      /^[ \t>]{0,8}((?<signal>Segmentation fault|Abort trap|Bus error|Illegal instruction|Trace\/BPT trap|Floating point exception|Killed): (?:11|6|10|4|5|8|9))$/m,
    teller: "the shell",
    unless: saysMore,
    isAlone: true,
    frame: () => null,
  },
  {
    // xcodebuild and XCTest
    said:
      /(?:^|\s)((?:\S.{0,100} \(\d{1,9}\) encountered an error \()?(?:Early unexpected exit, .{1,300}|Test crashed with signal \w{2,10}.{0,200}|Crash: \S.{0,80} at .{1,300}))$/m,
    teller: "XCTest",
    isAlone: true,
    frame: () => null,
  },
  {
    said: /(?:^|: error: .{1,200} : )([\w.-]{3,120} crashed in \S.{1,300})$/m,
    teller: "XCTest",
    isAlone: true,
    frame: () => null,
  },
  {
    // Swift, stdlib/public/Concurrency/CheckedContinuation.swift
    said: /(SWIFT TASK CONTINUATION MISUSE: .{1,200} leaked its continuation.{0,200})$/m,
    isAlone: true,
    frame: () => null,
  },
  {
    // XNU, bsd/kern/ubc_subr.c and kern_cs.c; AppleMobileFileIntegrity and taskgated
    said:
      /(?:^|[\s:])((?:mac_vnode_check_signature: \S.{0,300}: code signature validation failed fatally(?:: When validating \S.{0,300}:\n\s{1,8}\S.{1,300})?|AMFI: (?:hook\.\.execve\(\) killing|killing) \S.{1,300}|proc \d{1,9}: load code signature error \d{1,3} for file .{1,200}|CODE SIGNING: (?:process|cs_invalid_page).{1,400}|killed \S{1,150}\[pid \d{1,9}\] because its use of the \S{1,150} entitlement is not allowed.{0,60}|ASP: Security policy would not allow process.{1,300}|(?:xpcproxy )?exited due to OS_REASON_CODESIGNING(?: \| When validating \S.{0,300}:\n\s{1,8}\S.{1,300})?))/m,
    teller: "the system's log",
    unless: /^[ \t>]{0,8}(?:\* thread #\d|frame #\d)/m,
    frame: () => null,
  },
  {
    // RunningBoard's lines of an end
    said: /(<RBSProcessExitContext\| \S.{1,300})$/m,
    isAlone: true,
    frame: () => null,
  },
  {
    said: /\b(termination reported by launchd \(\d{1,3}, \d{1,12}, \d{1,12}\))/,
    isAlone: true,
    frame: () => null,
  },
  {
    // SpringBoard's line of an end
    said:
      /SpringBoard\[\d{1,9}\]\S{0,3}(?: <\w{1,12}>)?:? (Application '\S{1,200}' exited (?:abnormally )?(?:with|via) signal\b(?: \d{1,2})?(?:: (?<signal>[A-Z][\w\/ ]{3,30}))?.{0,40})$/m,
    // The log of the process itself says more.
    unless: /UNHANDLED EXCEPTION: \S|Unhandled (?:managed )?[Ee]xception: \S/,
    teller: "SpringBoard",
    isAlone: true,
    frame: () => null,
  },
  {
    // SpringBoard's line of an app that was ended for memory
    said:
      /SpringBoard\[\d{1,9}\]\S{0,3}(?: <\w{1,12}>)?:? (Application '\S{1,200}' was killed by jetsam)\b/m,
    each:
      /Application '(?:UIKitApplication:)?([\w.-]{1,150})(?:\[0x[0-9a-f]{1,8}\]){0,2}' was killed by jetsam/g,
    // The log of the process itself says more.
    unless:
      /UNHANDLED EXCEPTION: \S|Unhandled (?:managed )?[Ee]xception: \S|Terminating app due to|\* Assertion(?: at|:) /,
    teller: "SpringBoard",
    isAlone: true,
    frame: () => null,
  },
  {
    // SpringBoard's watchdog in the system's log
    said:
      /SpringBoard\[\d{1,9}\]\S{0,3}(?: <\w{1,12}>)?:? (?:\[.{1,60}\] )?([\w.-]{3,150} (?:failed to|did not) (?:launch|resume|suspend|terminate|quit|scene-create|scene-update) (?:in time|after .{1,60}))/m,
    teller: "SpringBoard",
    isAlone: true,
    frame: () => null,
  },
  {
    // Xcode's previews
    said:
      /^[ \t>|]{0,8}((?:RemoteHumanReadableError|HumanReadableSwiftError|RenderPreviewError|FailedToLaunchAppError|NoPreviewInfos|PotentialCrashError|TimeoutError|MessageSendFailure): \S.{1,300})$/m,
    needs: /[Pp]review|BSServiceConnectionErrorDomain/,
    unless: /Application Specific Information|^[ \t>|]{0,8}\*{3} Terminating|Fatal error: /m,
    teller: "Xcode's previews",
    isAlone: true,
    frame: () => null,
  },
  {
    // FrontBoard's errors of launching, as simctl, devicectl and Xcode tell them
    said: /(?:^|[\s(])((?:domain=)?FBSOpenApplication(?:Service)?ErrorDomain[,: ].{0,200}?)\)?:?$/m,
    also:
      /^\s{0,8}(?:Underlying error \(domain=\S{1,100}, code=-?\d{1,9}\):\s{1,12})?(The operation couldn.t be completed\. \S.{1,300}|The request (?:to open .{1,200}|was denied) (?:failed|by service).{0,300}|Unable to launch .{1,300})$/m,
    isAfter: true,
    isAlone: true,
    frame: () => null,
  },
  {
    // ReportCrash's line in the system's log
    said:
      /(?:^|\s)(ReportCrash(?:\[\d{1,9}\])?(?: <\w{1,12}>)?: (?:\(.{1,60}\) )?Saved \S.{0,60} for \S.{0,200})$/m,
    isAlone: true,
    frame: () => null,
  },
  {
    // Erlang, erts/emulator/beam/break.c
    said:
      /^(?:\{"|Slogan: )?((?:Kernel pid terminated|Runtime terminating during boot|init terminating in|eheap_alloc: Cannot allocate).{0,600})$/m,
    needs: /erl_crash\.dump|=erl_crash_dump:|Crash dump (?:is being|was) written/,
    frame: () => null,
  },
  {
    // React Native, React/Base/RCTAssert.m: a red screen, or what is logged of it
    said:
      /^(?:.{0,80}\] ?)?(Unhandled JS Exception: \S.{1,600}|ERROR {1,4}(?:(?:Type|Reference|Syntax|Range)?Error|Invariant Violation): \S.{1,600})$/m,
    teller: "React Native",
    isAlone: true,
    frame: () => null,
  },
  {
    // Xcode: what it shows where it could not install, launch or debug
    said:
      /^(\S.{3,300}\nDomain: (?:IDE\w{3,60}|DVT\w{3,60}|com\.apple\.dt\.\w{3,60}|com\.apple\.dtdevicekit|com\.apple\.platform\.\w{3,60})(?:ErrorDomain)?\nCode: -?\d{1,12})$/m,
    also:
      /^\s{0,8}(?:Failure Reason: |Recovery Suggestion: |NSLocalizedFailureReason = "?|RawUnderlyingErrorMessage = "?)(\S.{1,400}?)"?;?$/m,
    title: "Xcode gives as the reason: ",
    isAfter: true,
    isAlone: true,
    frame: () => null,
  },
  {
    // Xcode: what it shows at the line where it stopped, in prose; in a line of its own it is the title of a thread.
    said:
      /(?:^|[\s"\u201c'`(*:\uff1a])(Thread \d{1,4} ?(?:Queue ?: ?\S{1,200} \(\w{4,12}\))?: (?:EXC_[A-Z_]{3,30} \(code=[^()\n]{1,200}\)|EXC_RESOURCE \(?RESOURCE_TYPE_[^()\n]{2,80}\)? \(limit=[^()\n]{1,100}\)|signal SIG[A-Z]{2,6}|(?:Fatal error|Precondition failed): [^\n`"]{1,400}))/m,
    isAlone: true,
    isStop: true,
    unless: threadTitle,
    frame: () => null,
  },
  {
    // Xcode 4, in prose too; people write the second word in several ways.
    said:
      /(?:^|[\s"\u201c'`(*:\uff1a])(Thread \d{1,4} ?: ?Program reci?e?i?ved signal ?: {0,2}["\u201c]?(?:SIG|EXC_)[A-Z_]{2,30})/im,
    isAlone: true,
    isStop: true,
    unless: threadTitle,
    frame: () => null,
  },
  {
    // The same without the thread
    said: /(?<=[^\n])(?:[\s"\u201c'`(*:])(EXC_[A-Z_]{3,30} ?\(code=[^()\n]{1,200}\))/im,
    isAlone: true,
    isStop: true,
    unless: threadTitle,
    frame: () => null,
  },
  {
    // The same for a resource; LLVM, lldb/source/Plugins/Process/Utility/StopInfoMachException.cpp
    said:
      /(?:^|[\s"\u201c'`(*:])(EXC_RESOURCE \(?RESOURCE_TYPE_[^()\n]{2,80}\)? \(limit=[^()\n]{1,100}\))/m,
    isAlone: true,
    isStop: true,
    unless: threadTitle,
    frame: () => null,
  },
  {
    // Apple, atos(1): a list of functions; nothing says of what
    said:
      /^(?=(?:(?![-+|!:#\d\s][\s\d+|!:])\S.{0,600} \(in [^()\n]{1,100}\) (?:\([^()\n]{1,200}:\d{1,7}\)|\+ \d{1,12})[ \t]*(?:\r?\n|$)){2})/m,
    unless:
      /^(?:Heaviest stack for |Call graph:|[ \t]{0,8}\d{1,4} {1,4}\S{1,60} {1,40}0x[0-9a-f]{6})/m,
    isAlone: true,
    frame(line) {
      const match =
        /^(\S.{0,600}?) \(in ([^()]{1,100})\) (?:\(([^()]{1,200}:\d{1,7})\)|\+ \d{1,12})$/.exec(
          line,
        );
      return match === null ? null : frameOf(match[1], match[3] ?? null, null, match[2]);
    },
    ends: /^\s*$/,
  },
];
