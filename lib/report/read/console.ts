/** Reading what language run-times and sanitizers print themselves when they end a process, where no report of the
 * system's is there. */

import type {
  ReportException,
  ReportFrame,
  ReportProcess,
  ReportTermination,
  ReportThread,
} from "../drafts.ts";
import { parseReason } from "./crash_header.ts";
import { CrashReport, noException, noHeader, noProcess } from "../report.ts";
import { Lines } from "../text.ts";
import { signalName } from "../codes.ts";
import { noticeConsoles, otherConsoles } from "./console_others.ts";
import {
  type Console,
  type ConsoleFrame,
  frameOf,
  goFolders,
  standardLibrary,
} from "./console_row.ts";
import { parseStopReason } from "./debugger.ts";
import { loggedProcess, noThreads } from "./parts.ts";
import { MAX_UNREAD, MAX_UNREAD_LENGTH } from "./titles.ts";

const rubyBug = /^(\S.{0,300}: \[BUG\] .{1,300})$/m;
const innermostRuby = /^(\S.{0,300}:\d{1,7}:in [`'].{1,200}')(?=\n\s*\n)/m;

/** What Xcode says of the end of an app that it ran. */
const noticed =
  /(?:^|[\s:])(Process \d{1,9} exited with status = \d{1,9} \(0x[0-9a-f]{8}\) Terminated due to .{1,100}|Terminated due to (?:memory (?:issue|pressure|error)|signal \d{1,2})\b|[Tt]he app .{1,100}? (?:on .{1,80} )?(?:has been|was) killed by the operating system because it is using too much memory|(?<=Message from debugger: )\S.{0,300})/m;
/** A line that is one of its notices, not of prose. */
const isNotice =
  /^[ \t>*]{0,8}(?:Failure Reason: |Details\s{1,4})?(?:Message from debugger: \S|Process \d{1,9} exited with status = \d|Terminated due to (?:memory|signal)\b|The app .{1,100}? (?:has been|was) killed by the operating system)/m;

/** XNU, bsd/kern/kern_memorystatus.c: what a process used is at the end of the line, which logs break. */
const killed =
  /killing_specific_process pid \d{1,9} \[.{1,64}?\]\s{1,80}\([\w-]{1,60}[^()\n]{0,60}\) (\d{1,12} ?[KM]B)\b/;

const consoles: readonly Console[] = [
  {
    // The same limit as below: a warning may be before what ended it.
    said:
      /(?:^|\s)((?:EXC_RESOURCE -> )?[\w.-]{1,100} ?\[\d{1,9}\] exceeded mem limit: \S.{1,60}\(fatal\))$/m,
    also: killed,
    title: "it used ",
    isAfter: true,
    frame: () => null,
  },
  {
    // XNU, osfmk/kern/task.c: task_footprint_exceeded
    said:
      /(?:^|\s)((?:EXC_RESOURCE -> )?[\w.-]{1,100} ?\[\d{1,9}\] exceeded mem limit: \S.{1,80})$/m,
    also: killed,
    title: "it used ",
    isAfter: true,
    frame: () => null,
  },
  {
    // XNU, bsd/kern/kern_memorystatus.c
    said:
      /(?:^|\s)(memorystatus: killing_\w{3,40} pid \d{1,9} \[.{1,64}\] \([a-z-]{4,40} .{1,160})$/m,
    frame: () => null,
  },
  {
    // XNU, bsd/kern/kern_proc.c: no_paging_space_action
    said:
      /(?:^|\s)((?:low swap|memorystatus): killing largest compressed process (?:with pid \d{1,9} \(.{1,64}\) and size|.{1,64} \[\d{1,9}\]) \d{1,9} MB)\b/m,
    isAlone: true,
    frame: () => null,
  },
  {
    // XNU, osfmk/kern/thread.c and task.c: what a process used too much of.
    said:
      /(?:^|\s)(process \S.{0,60}?\[\d{1,9}\] (?:thread \d{1,12} caught burning CPU! It used|caught causing excessive wakeups\.\s{1,8}Observed|caught waking the CPU \d).{1,300}?(?:\n\s{0,8}Maximum permitted .{1,200}?)?)(?:\.? [Tt]hread lifetime .*|\.? ledger info: .*)?$/m,
    needs: /\bcaught (?:burning CPU|causing excessive wakeups|waking the CPU)/,
    isAlone: true,
    frame: () => null,
  },
  {
    // Xcode's notices of what it ran, without a stack.
    said: noticed,
    needs: isNotice,
    isAlone: true,
    frame: () => null,
  },
  {
    // LLVM, compiler-rt/lib/sanitizer_common
    said: /^==\d{1,9}==\s?(?:ERROR|WARNING): (\w{2,20}Sanitizer: .{1,300})$/m,
    frame(line) {
      const match = /^\s{2,8}#\d{1,4} (0x[0-9a-f]{1,16})(?: in (.{1,600}))?$/.exec(line);
      if (match === null) return null;
      const [, address, rest = ""] = match;
      const module =
        / ?\(([^()+]{1,300}?)(?::\w{2,10})?\+0x[0-9a-f]{1,16}\)(?: \(BuildId: \w{1,64}\))?$/.exec(
          rest,
        );
      const named = module === null ? rest : rest.slice(0, module.index);
      const place = / (\S{1,300}:\d{1,7}(?::\d{1,5})?)$/.exec(named);
      const name = (place === null ? named : named.slice(0, place.index)).replace(
        /\+0x[0-9a-f]{1,16}$/,
        "",
      );
      return frameOf(name === "" ? null : name, place?.[1] ?? null, address, module?.[1] ?? null);
    },
    ends: /^\s*$/,
  },
  {
    // Go, src/runtime/panic.go
    said:
      /(?:^|(?<=[ \t])(?=SIG))((?:panic|fatal error|runtime): .{1,400}|SIG[A-Z]{2,5}: .{1,100})$/m,
    needs: /^(?:goroutine \d{1,12} |runtime stack:|\[signal SIG|PC=0x[0-9a-f]{1,16} m=\d)/m,
    also:
      /^signal arrived during (?:cgo|external code) execution$|(?<=unexpected signal during runtime execution\n)\[signal .{1,200}\]$/m,
    frame(line, next) {
      const name = /^([\w./*()·%-]{2,300})\(.{0,300}\)$/.exec(line)?.[1];
      const place =
        /^\s{1,8}(\S{1,400}:\d{1,7})(?: \+0x[0-9a-f]{1,16})?(?: (?:fp|sp|pc)=0x[0-9a-f]{1,16}){0,3}$/
          .exec(next)?.[1];
      if (name === undefined || place === undefined) return null;
      // Modules need not begin with a domain; the folders of the standard library are few.
      const slash = name.lastIndexOf("/");
      const path = name.slice(0, name.indexOf(".", slash + 1));
      const isOwn = !goFolders.has(path.split("/", 1)[0]);
      const known = place.startsWith("??") ? null : place;
      return frameOf(name, known, null, isOwn ? path : standardLibrary);
    },
    ends: /^\s*$/,
    // After the stack of the thread, on which signals are handled, comes that of the goroutine that it ran.
    calledBy: /^goroutine \d{1,12} (?:gp=\S{1,20} m=\d{1,6} (?:mp=\S{1,20} )?)?\[(?!idle|GC )/,
  },
  {
    // Rust, library/std/src/panicking.rs and backtrace.rs
    said: /^(thread '.{1,100}' (?:\(\d{1,12}\) )?panicked at .{1,400}?(?::\n.{1,400})?)$/m,
    also: /^panic in a (?:function that cannot unwind|destructor during cleanup)$/m,
    takes:
      /^<?(?:std::(?:backtrace|backtrace_rs|sys(?:_common)?::backtrace|panicking|io::Write)|core::(?:fmt|panicking)|rust_begin_unwind|_?rust_panic)\b/,
    frame(line, next) {
      const match = /^\s{1,6}\d{1,4}:\s{1,8}(?:(0x[0-9a-f]{1,16}) - )?(\S.{0,600})$/.exec(line);
      if (match === null) return null;
      const place = /^\s{6,40}at (\S{1,400}:\d{1,7}:\d{1,5})$/.exec(next)?.[1] ?? null;
      const crate = /^<?(?:&mut |&|dyn )?(\w{1,100})::/.exec(match[2])?.[1];
      const isOwn = crate !== undefined && !/^(?:std|core|alloc)$/.test(crate) &&
        !/^\/rustc\//.test(place ?? "");
      return frameOf(match[2], place, match[1] ?? null, isOwn ? crate : standardLibrary);
    },
  },
  {
    // CPython, Python/pylifecycle.c and Modules/faulthandler.c
    said: /^(Fatal Python error: .{1,300})$/m,
    also:
      /^((?:ModuleNotFound|Import|Assertion|Attribute|Name|OS|Runtime|Syntax|Type|UnicodeDecode|Value)Error: .{1,300})$/m,
    title: "Python's own error: ",
    isAfter: true,
    frame(line) {
      const match = /^\s{1,6}File "(.{1,400})", line (\d{1,7}) in (\S{1,200})$/.exec(line);
      if (match === null) return null;
      const isOwn = !/\/lib\/python\d\.\d{1,2}\/(?!site-packages\/)|^<frozen /.test(match[1]);
      const installed = /\/site-packages\/([A-Za-z_]\w{0,80})[./]/.exec(match[1])?.[1];
      return frameOf(
        match[3],
        `${match[1]}:${match[2]}`,
        null,
        isOwn ? installed ?? match[1] : standardLibrary,
      );
    },
    ends: /^\s*$/,
  },
  {
    // V8, src/api/api.cc; Node.js, src/node_errors.cc
    said: /^((?:FATAL ERROR: .{1,300}|# Fatal error in .{1,200}\n# .{1,300}))$/m,
    frame(line) {
      const match = /^\s{0,4}\d{1,3}: (0x[0-9a-f]{1,16}) (\S.{0,600}?)(?: \[(.{1,300})\])?$/.exec(
        line,
      );
      return match === null ? null : frameOf(match[2], null, match[1], match[3] ?? null);
    },
  },
  {
    // OpenJDK, src/hotspot/share/utilities/vmError.cpp
    said:
      /^[ \t>]{0,8}(?:\[\w{4,7}\] )?(?:# )?(A fatal error has been detected by the Java Runtime Environment|There is insufficient memory for the Java Runtime Environment to continue)/m,
    frame(line) {
      const match =
        /^[ \t>]{0,8}(?:\[\w{4,7}\] )?(?:# )?([CJjVvA]) {2}(?:\[(.{1,200}?)\+0x[0-9a-f]{1,16}\] {0,4})?(\S.{0,300})?$/
          .exec(
            line,
          );
      if (match === null || (match[2] === undefined && match[3] === undefined)) return null;
      const symbol = (match[3] ?? "").replace(/\+0x[0-9a-f]{1,16}$/, "");
      const own = /^[Jj]$/.test(match[1]) ? javaFrame(match[3] ?? "") : null;
      return own ?? frameOf(symbol === "" ? null : symbol, null, null, match[2] ?? null);
    },
    // The frame that the signal interrupted, by its kind.
    also: /# Problematic frame:\s{0,4}\n.{0,20}?# {1,4}([CJjVvA] .{1,300}?)\s*$/m,
    title: "Problematic frame: ",
    thread: /^Current thread \(0x[0-9a-f]{1,16}\): {1,4}JavaThread "(.{1,80}?)"/m,
    begins: /^(?:# )?Native frames: /,
    ends: /^(?:\[\w{4,7}\])?\s*#?\s*$/,
  },
  {
    // .NET, src/coreclr/vm/excep.cpp; Mono, mono/metadata/object.c
    said:
      /^(Unhandled [Ee]xception[.:].{1,400}|Unhandled Exception:\s{1,4}(?!\d{1,3}\s)\S.{1,400}|Process terminated\. .{1,300}|Fatal error\. .{1,300}|(?:\[ERROR\] )?FATAL UNHANDLED EXCEPTION: .{1,400})$/m,
    frame: managedFrame,
  },
  {
    // Xamarin, runtime/runtime.m: xamarin_process_nsexception
    said:
      /(?:^|(?<=\s))((?:[\w.]{1,80}\.)?(?:MonoTouchException|MonoMacException|ObjCException|MarshalledObjCException): Objective-C exception thrown\..{1,600})$/m,
    needs: /^\s{0,12}at \S/m,
    // The native stack of the exception says more.
    unless: /^\s{0,8}\d{1,3}\s{1,8}\S.{0,80}\s0x[0-9a-f]{6,16} /m,
    frame: managedFrame,
  },
  {
    // Ruby, error.c: rb_bug; vm_dump.c, the stack of C where it could be walked
    said: rubyBug,
    needs: /^-- C level backtrace information/m,
    also: innermostRuby,
    title: "innermost line of Ruby: ",
    frame(line) {
      const match =
        /^(\/\S.{0,400}?)\((?:(\w.{0,200}?)\+)?0x[0-9a-f]{1,16}\) \[(0x[0-9a-f]{1,16})\](?: (.{1,300}:\d{1,7}))?$/
          .exec(line);
      if (match === null) return null;
      return frameOf(match[2] ?? null, match[4] ?? null, match[3], match[1]);
    },
    ends: /^\s*$/,
  },
  {
    // Ruby, vm_backtrace.c: the outermost call first
    said: rubyBug,
    isReversed: true,
    frame(line) {
      const match = /^(\S.{0,300}):(\d{1,7}):in [`'](.{1,200})'$/.exec(line);
      if (match === null) return null;
      const gem = /\/gems\/([A-Za-z][\w.-]{0,80}?)-\d[\w.]{0,30}\//.exec(match[1])?.[1];
      const isOwn = gem !== undefined || !/\/lib\/ruby\/\d|^<internal:/.test(match[1]);
      return frameOf(
        match[3],
        `${match[1]}:${match[2]}`,
        null,
        isOwn ? gem ?? match[1] : standardLibrary,
      );
    },
    ends: /^\s*$/,
  },
  {
    // Julia, src/signal-handling.c: jl_critical_error
    said: /^((?:\[\d{1,9}\] )?signal (?:\(\d{1,2}\)|\d{1,2}(?: \(\d{1,2}\))?): .{1,100})$/m,
    needs: /^in expression starting at /m,
    frame(line) {
      const match = /^(\S.{0,300}) at (\S.{0,300}:\d{1,7}|\S.{1,200})(?: \[inlined\])?$/.exec(line);
      if (match === null || match[1].startsWith("in expression starting")) return null;
      const isOwn = /\.jl:\d+$/.test(match[2]) && !/^\.\/|\/base\/|\/stdlib\//.test(match[2]);
      const hasLine = /:\d{1,7}$/.test(match[2]);
      return frameOf(
        match[1],
        hasLine ? match[2] : null,
        null,
        isOwn
          ? match[2].replace(/:\d+$/, "")
          : hasLine
          ? standardLibrary
          : match[2].split(" ", 1)[0],
      );
    },
    ends: /^Allocations: /,
  },
  {
    // R, src/main/errors.c: verrorcall_dflt and sigactionSegv
    said: /^ ?(\*{3} caught (?:segfault|bus error|illegal operation) \*{3})$/m,
    frame(line) {
      const match = /^ {1,3}\d{1,4}: ([A-Za-z.][\w.:]{0,100})\(.{0,600}$/.exec(line);
      return match === null ? null : frameOf(
        match[1],
        null,
        null,
        ofR.test(match[1]) ? standardLibrary : /^(.{1,100}?):::?/.exec(match[1])?.[1] ?? "R code",
      );
    },
    ends: /^(?:\s*|Possible actions:|An irrecoverable exception.*)$/,
  },
  {
    // Chromium, base/debug/stack_trace_posix.cc: StackDumpSignalHandler
    said: /^(Received signal \d{1,2}(?: [A-Z]{2,5}_\w{2,20})? [0-9a-f]{8,16})$/m,
    frame: chromiumFrame,
    ends: /^\[end of stack trace\]/,
  },
  {
    // Chromium, base/logging.cc
    said: /^(\[\d{1,7}:(?:\d{1,9}:)?\d{4}\/\d{6}\.\d{3,6}:FATAL:.{1,600})$/m,
    frame: chromiumFrame,
    ends: /^\[end of stack trace\]|^\s*$/,
  },
  {
    // LLVM, lib/Support/PrettyStackTrace.cpp and Unix/Signals.inc: what a compiler was doing, the innermost last
    said: /^(Stack dump:)$/m,
    needs:
      /^\d{1,2}\.\s{1,4}(?:Program arguments: |Running pass |While |Compiling |Code generation|<eof> parser |\S{1,300}:\d{1,7}:\d{1,5}: )/m,
    also: /^\d{1,2}\.\s{1,4}(\S.{0,600})\n(?!\d{1,2}\.\s)/m,
    title: "the compiler was here: ",
    frame(line) {
      const apple =
        /^ ?(\d{1,4}) {1,4}(\S.{0,60}?) {1,40}(0x[0-9a-fA-F]{8,16}) (\S.{0,1500}?) \+ \d{1,12}$/
          .exec(line);
      if (apple !== null) return frameOf(apple[4], null, apple[3], apple[2]);
      const own =
        /^ {0,3}#\d{1,4} (0x[0-9a-fA-F]{8,16})(?: (\S.{0,1500}?))? ?\(([^()]{1,300})\+0x[0-9a-f]{1,16}\)$/
          .exec(line);
      return own === null ? null : frameOf(own[2] ?? null, null, own[1], own[3]);
    },
    ends: /^\s*$|^\S{1,40}: (?:error|note): /,
  },
  {
    // glog, src/signalhandler.cc; folly
    said: /^(\*{3} SIG[A-Z]{2,5} \(@0x[0-9a-f]{1,16}\) received by PID .{1,200})$/m,
    frame(line) {
      const match = /^ {4}@ {1,20}(0x[0-9a-f]{4,16}) (\S.{0,1000})$/.exec(line);
      if (match === null || match[2] === "_sigtramp") return null;
      return frameOf(match[2] === "(unknown)" ? null : match[2], null, match[1]);
    },
    ends: /^\s*$/,
  },
  {
    // WebKit, Source/WTF/wtf/Assertions.cpp: WTFReportAssertionFailure, WTFReportBacktrace
    said:
      /^((?:SHOULD NEVER BE REACHED|ASSERTION FAILED: .{1,400})(?:\n\S.{0,400}\(\d{1,7}\) : .{1,400})?)$/m,
    frame(line) {
      const match = /^\d{1,3} {1,4}(0x[0-9a-f]{4,16}) (\S.{0,1000})$/.exec(line);
      return match === null ? null : frameOf(match[2], null, match[1]);
    },
    ends: /^\s*$/,
  },
];

/** A frame of managed code: `at Shop.Cart.Pay (System.Int32 sum) [0x00007] in /src/Cart.cs:115`, `in /src/Cart.cs:line 115`. */
function managedFrame(line: string): ConsoleFrame | null {
  const match =
    /^\s{0,12}at (?:at )?((?:\(wrapper [\w-]{1,40}\) )?[\w.+<>`|,:/[\]&]{1,300}(?: ?\([^)]{0,400}\))?)(?: \[0x[0-9a-f]{1,8}\]| <0x[0-9a-f]{1,16}[^>]{0,30}>)?(?: in (\S.{0,400}?):(?:line )?(\d{1,7}))?$/
      .exec(line);
  if (match === null || !/[.:(]/.test(match[1])) return null;
  const [, name, file, number] = match;
  const space = /^([A-Za-z_]\w{0,80})\./.exec(name)?.[1];
  const isOwn = space !== undefined &&
    !/^(?:System|Microsoft|Mono|MonoTouch|MonoMac|ObjCRuntime|UIKit|AppKit|Foundation|CoreFoundation|Internal|Interop)$/
      .test(space);
  const isPlaced = file !== undefined && !file.startsWith("<");
  return frameOf(
    name,
    isPlaced ? `${file}:${number}` : null,
    null,
    isOwn ? space : standardLibrary,
  );
}

/** A frame of Chromium's: backtrace(3)'s on macOS. */
function chromiumFrame(line: string): ConsoleFrame | null {
  const [number, address, rest] =
    /^(?:\[?\w{0,6}\]? ?)?(?:#(\d{1,3}) |\d{1,3}\s{1,4}.{1,80}?\s{1,40})?(0x[0-9a-f]{8,16}) (\S.{0,600})$/
      .exec(line)?.slice(1) ?? [];
  if (address === undefined) return null;
  const image = number === undefined
    ? /^\d{1,3}\s{1,4}(\S.{0,79}?)\s{2,40}0x/.exec(line)?.[1]
    : null;
  const name = rest.replace(/ \+ (?:0x[0-9a-f]{1,12}|\d{1,12})$/, "");
  const isName = name !== image && !/^0x/.test(name);
  return frameOf(isName ? name : null, null, address, image === "???" ? null : image ?? null);
}

/** Functions of R's own packages. */
const ofR =
  /^(?:base|stats|utils|methods|tools)::|^(?:\.Call|\.External2?|\.C|\.Fortran|eval|do\.call|withVisible|source|try(?:Catch)?)$/;

/** A frame of Java code: `J 123 c2 com.example.Shop.add(I)V (12 bytes) @ 0x1 [0x0+0x1]`, `j
 * com.example.Shop.add(I)V+5`. */
function javaFrame(text: string): ConsoleFrame | null {
  const name = /(?:^|\s)([A-Za-z_$][\w$]{0,100}(?:[./][\w$<>]{1,200}){1,20})\(/.exec(text)?.[1];
  if (name === undefined) return null;
  const method = name.lastIndexOf(".");
  const type = name.slice(0, method);
  const isOwn = !/^(?:java|javax|jdk|sun|com[./]sun)[./]/.test(type);
  return frameOf(name, null, null, isOwn ? type : standardLibrary);
}

/** Characters that are looked at for the line that says what happened. */
const PROBED = 1 << 15;
/** Characters in which all lines of a kind are looked for. */
const MAX_LOG = 1 << 20;
/** Most frames that are read. */
const MAX_FRAMES = 512;

/** Lines of the system's reports: where one is there, it says more. */
const ofSystem =
  /^[ \t>]{0,8}(?:(?:Exception Type|Incident Identifier|Process|Crashed Thread):|panic\(cpu \d{1,4} caller 0x)|^[ \t]{0,8}Thread \d{1,5} (?:Crashed|name)/m;

/** Lines of a stack, of a report in JSON, and of an exception's message. */
const hasStack =
  /^[ \t>*]{0,8}(?:\{"|"(?:threads|usedImages)"|frame #\d|#\d{1,3} {1,4}\S|\d{1,3} {1,4}\S.{0,80}0x[0-9a-f]{6,16} |\*{3} (?:Terminating app|First throw)|Fatal Exception:|terminating (?:with|due to) uncaught)|Terminating app due to|Fatal error: \S|Objective-C exception thrown\.|^dyld(?:\[\d{1,9}\])?: \S/m;

function consoleOf(text: string, from: number): { console: Console; said: RegExpExecArray } | null {
  const head = text.slice(from, from + PROBED);
  for (const list of [otherConsoles, consoles, noticeConsoles]) {
    for (const console of list) {
      const said = console.said.exec(head);
      if (
        said !== null && (console.needs === undefined || console.needs.test(head)) &&
        console.unless?.test(text.slice(from, from + (1 << 18))) !== true
      ) return { console, said };
    }
  }
  return null;
}

/** Whether a text is a run-time's and has no report of the system's. */
export function isConsole(text: string, from: number): boolean {
  const head = text.slice(from, from + (1 << 18));
  // Nearly all texts are the system's, which say so soon.
  if (ofSystem.test(head)) return false;
  const found = consoleOf(text, from);
  return found !== null && !(found.console.isAlone === true && hasStack.test(head));
}

/** What run-times write of a signal: its name or words, and the address. */
const signals: readonly RegExp[] = [
  // Unreal Engine
  /(?:Unhandled Exception: |Exception was ")(?<name>SIG[A-Z]{2,6}): (?:invalid attempt to \w{4,10} memory at address (?<address>0x[0-9a-f]{1,16}))?/,
  // Godot
  /handle_crash: Program crashed with signal (?<number>\d{1,2})/,
  // Dart
  /^si_signo=.{1,60}?\((?<number>\d{1,2})\), si_code=(?:\d{1,3}\()?(?:(?<code>[A-Z]{3,4}_[A-Z]{3,12})\))?.{0,12}?, si_addr=(?<address>0x[0-9a-f]{1,16})?/m,
  // launchd
  /(?:exited due to (?:signal: )?|Job appears to have crashed: |Exited abnormally: )(?:(?<name>SIG[A-Z]{2,6})|(?<words>(?!SIG)[A-Z][a-z]{1,20}(?: [a-z]{1,20}){0,2}))/,
  // Unity
  /^Received signal (?<name>SIG[A-Z]{2,6})$/m,
  // Ruby
  /\[BUG\] (?<words>Segmentation fault|Bus Error|Illegal instruction)(?: at (?<address>0x[0-9a-f]{1,16}))?/i,
  // Julia
  /^(?:\[\d{1,9}\] )?signal (?:\((?<number>\d{1,2})\)|\d{1,2}): (?<words>[A-Z][a-z]{1,20}(?: [a-z]{1,20})?)/m,
  // R
  /^ ?\*{3} caught (?<words>segfault|bus error|illegal operation) \*{3}\s{1,4}(?:address (?<address>0x[0-9a-f]{1,16}))?/m,
  // Chromium
  /^Received signal (?<number>\d{1,2})(?: (?<code>[A-Z]{2,5}_\w{2,20}))? (?<address>[0-9a-f]{8,16})$/m,
  // glog
  /^\*{3} (?<name>SIG[A-Z]{2,5}) \(@(?<address>0x[0-9a-f]{1,16})\) received by PID /m,
  // RunningBoard
  /\bcode:(?<name>SIG[A-Z]{2,6})\(\d{1,2}\)/,
  /\btermination reported by launchd \(2, (?<number>\d{1,2}), /,
  // What compilers' drivers and shells say of a tool that they ran.
  /\bcommand failed (?:due to|with) signal (?<number>\d{1,2})\b/,
  // Xcode
  /\bTerminated due to signal (?<number>\d{1,2})\b/,
  // CPython
  /^Fatal Python error: (?<words>Segmentation fault|Bus error|Illegal instruction|Aborted|Floating.point exception)/m,
  // OpenJDK
  /^siginfo: ?si_signo[:=] ?\d{1,2} \((?<name>SIG[A-Z]{2,6})\), si_code[:=] ?\d{1,3} \((?<code>[A-Z]{2,5}_\w{2,20})\), si_addr[:=] ?(?<address>0x[0-9a-f]{1,16})/m,
  // Go
  /(?:^|[ \t])(?<name>SIG(?:SEGV|BUS|ILL|ABRT|TRAP|FPE)): .{1,60}\nPC=0x/m,
  /^\[signal (?<name>SIG[A-Z]{2,6})\b.{0,80}? addr=(?<address>0x[0-9a-f]{1,16})/m,
  /(?:^[ \t>]{0,8}(?:\[\w{4,7}\] )?#? {0,3}|\[signal )(?<name>SIG(?:SEGV|BUS|ILL|ABRT|TRAP|FPE))\b/m,
];

/** Signals by the words of strsignal(3) and others. */
const byWords: readonly (readonly [RegExp, string])[] = [
  [/^seg/i, "SIGSEGV"],
  [/^bus/i, "SIGBUS"],
  [/^illegal/i, "SIGILL"],
  [/^abort/i, "SIGABRT"],
  [/^(?:arithmetic|floating)/i, "SIGFPE"],
  [/^trace/i, "SIGTRAP"],
  [/^killed/i, "SIGKILL"],
  [/^terminated/i, "SIGTERM"],
];

/** The signal that the same text names, and its address. */
function exceptionIn(text: string): ReportException | null {
  const found = signals.map((pattern) => pattern.exec(text)?.groups).find((groups) =>
    groups !== undefined
  );
  if (found === undefined) return null;
  const { words = "", number, code, address: written } = found;
  const signal = found.name ?? byWords.find(([pattern]) => pattern.test(words))?.[1] ??
    signalName(Number(number ?? 0));
  if (signal === null) return null;
  const address = written === undefined ? null : BigInt(`0x${written.replace(/^0x/, "")}`);
  if (address === null || !/^SIG(?:SEGV|BUS)$/.test(signal)) return { ...noException, signal };
  const at = `at 0x${address.toString(16)}`;
  return { ...noException, type: signal, subtype: code === undefined ? at : `${code} ${at}` };
}

/** The signal that a shell's line names in words. */
function signalOf(said: RegExpExecArray): ReportException | null {
  const words = said.groups?.signal;
  const signal = words === undefined
    ? undefined
    : byWords.find(([pattern]) => pattern.test(words))?.[1];
  return signal === undefined ? null : { ...noException, signal };
}

/** What RunningBoard says of why it ends a process. */
function terminationOf(words: string): ReportTermination {
  const { namespace, code, rest } = parseReason(words);
  return { namespace, code, reasons: [rest], byProcess: null, byPid: null };
}

/** The process that the kernel's line about a memory limit names, or Xcode's notice. */
function limitedProcess(said: string, head: string): ReportProcess | null {
  const [, name, pid] =
    /^(?:EXC_RESOURCE -> )?([\w.-]{1,100}) ?\[(\d{1,9})\] exceeded mem/.exec(said) ??
      [];
  if (name !== undefined) return { ...noProcess, name, pid: Number(pid) };
  const ran = /^The app [\u201c"'](.{1,80}?)[\u201d"'] (?:on .{1,80} )?(?:quit|has been|was)\b/m
    .exec(
      head,
    );
  if (ran !== null) return { ...noProcess, name: ran[1] };
  const service =
    /launchd\S{0,70}\[\d{1,9}\][^(]{0,20} \((?:UIKitApplication:)?([\w.-]{1,150})(?:\[0x[0-9a-f]{1,8}\])?(?:\[(\d{1,9})\])?\)/
      .exec(said);
  if (service !== null) {
    const pid = service[2] === undefined ? null : Number(service[2]);
    return { ...noProcess, name: service[1], pid };
  }
  const saved = /^ReportCrash\W.{1,100}? for (\S.{0,100}?)\[(\d{1,9})\] version /.exec(said);
  if (saved !== null) return { ...noProcess, name: saved[1], pid: Number(saved[2]) };
  const ended = /^(?:<RBS|termination reported)/.test(said)
    ? /\[(?:app|xpcservice|daemon|anon)<([\w.-]{1,150})(?:\([^()]{1,80}\))?>:(\d{1,9})\]/.exec(head)
    : null;
  if (ended !== null) return { ...noProcess, name: ended[1], pid: Number(ended[2]) };
  const caught = /^process (\S.{0,60}?)\[(\d{1,9})\] (?:thread \d{1,12} )?caught /.exec(said);
  if (caught !== null) return { ...noProcess, name: caught[1], pid: Number(caught[2]) };
  const refused = /^killed (\S{1,150})\[pid (\d{1,9})\] because /.exec(said);
  if (refused !== null) return { ...noProcess, name: refused[1], pid: Number(refused[2]) };
  const largest = /^(?:low swap|memorystatus): killing largest compressed process /.test(said)
    ? /with pid (?<pid>\d{1,9}) \((?<name>.{1,64})\) and/.exec(said)?.groups ??
      /process (?<name>.{1,64}) \[(?<pid>\d{1,9})\]/.exec(said)?.groups
    : undefined;
  if (largest !== undefined) return { ...noProcess, name: largest.name, pid: Number(largest.pid) };
  const launched = /^\(\w{3,6}\/(?:[\d.]{1,20}\/)?([\w.-]{1,150}) \[(\d{1,9})\]\) </.exec(said) ??
    (said.includes("exited due to OS_REASON_")
      ? /\(\w{3,6}\/(?:[\d.]{1,20}\/)?([\w.-]{1,150}) \[(\d{1,9})\]\) <\w{1,12}>: (?:xpcproxy )?exited due to OS_/
        .exec(head)
      : null);
  if (launched !== null) return { ...noProcess, name: launched[1], pid: Number(launched[2]) };
  const killed = /^memorystatus: \w+ pid (\d{1,9}) \[(.{1,64})\] /.exec(said);
  return killed === null ? null : { ...noProcess, name: killed[2], pid: Number(killed[1]) };
}

/** A debugger's reason for a stop in prose, as the debugger writes it. */
function plainStop(words: string): string {
  return words.replace(stopTitle, "").replace(
    /^exc_[a-z_]{3,30}(?= ?\()/i,
    (name) => name.toUpperCase(),
  )
    .replace(/^Program reci?e?i?ved signal ?: {0,2}/i, "Program received signal: ");
}

/** Xcode's title of a thread, before its reason for a stop. */
const stopTitle = /^Thread \d{1,4} ?(?:Queue ?: ?\S{1,200} \(\w{4,12}\))?: ?/i;

/** The first half of a stack that is printed twice: as it was thrown, and when it ended the process. */
function withoutTwin(frames: ReportFrame[]): ReportFrame[] {
  const half = frames.length / 2;
  const isTwice = half >= 2 && Number.isInteger(half) &&
    frames.slice(0, half).every((frame, at) =>
      // Their arguments are written in two ways.
      frame.symbol?.split(" (", 1)[0].trim() ===
        frames[at + half].symbol?.split(" (", 1)[0].trim() &&
      frame.line === frames[at + half].line &&
      frame.address === frames[at + half].address
    );
  return isTwice ? frames.slice(0, half) : frames;
}

/** Reads a run-time's text. */
export function readConsole(
  file: string,
  text: string,
  from: number,
  warnings: string[],
): CrashReport {
  const { console, said } = consoleOf(text, from)!;
  const lines = new Lines(text, from);
  let frames: ReportFrame[] = [];
  let hasBegun = console.begins === undefined;
  let hasEnded = false;
  let isCalled = false;
  const used = new Set<number>();
  for (let at = 0; at < lines.length && frames.length < MAX_FRAMES; at++) {
    const line = lines.line(at).trimEnd();
    if (!hasBegun && console.begins!.test(line)) {
      hasBegun = true;
      hasEnded = false;
      frames = [];
    }
    if (
      hasEnded && !isCalled && console.calledBy?.test(line) === true &&
      frames.every(({ imageName }) => imageName === standardLibrary)
    ) {
      hasEnded = false;
      isCalled = true;
      continue;
    }
    if (hasEnded) continue;
    const frame = line.length > 1200
      ? null
      : console.frame(line, at + 1 < lines.length ? lines.line(at + 1).trimEnd() : "");
    if (frame !== null) {
      // Some have the place on the next line.
      used.add(at).add(at + 1);
      frames.push({
        ...frame,
        index: frames.length,
        image: null,
        offset: null,
        column: null,
        inlined: false,
        span: null,
      });
    } else if (frames.length > 0 && console.ends?.test(line) === true) {
      if (hasBegun && (console.calledBy === undefined || isCalled)) break;
      hasEnded = true;
    }
  }
  frames = withoutTwin(frames);
  const trampoline = console.hasHandler === true
    ? frames.findLastIndex(({ symbol }) => symbol === "_sigtramp")
    : -1;
  frames = frames.slice(trampoline + 1).map((frame, index) => ({ ...frame, index }));
  const { takes } = console;
  if (takes !== undefined && frames.every(({ symbol }) => takes.test(symbol ?? ""))) frames = [];
  if (console.isReversed === true) {
    frames = frames.toReversed().map((frame, index) => ({ ...frame, index }));
  }
  const head = text.slice(from, from + PROBED);
  const other = console.also?.exec(head) ?? null;
  const heap = /\bmalloc: \*{3} error for object .{1,300}$/m.exec(head)?.[0] ?? null;
  const also = other === null ? null : `${console.title ?? ""}${other[1] ?? other[0]}`;
  const line = (said[1] ?? "").replace(/\s*\n#?\s*/g, " ");
  const others = new Set(
    console.each === undefined
      ? []
      : [...text.slice(from, from + MAX_LOG).matchAll(console.each)].map(([, name]) => name),
  );
  const more = [...others].filter((name) => !line.includes(name)).slice(0, 8);
  const words = more.length === 0 ? line : `${line}; the log says it of ${more.join(", ")} too`;
  const quoted = [said[0], other?.[0] ?? "", heap ?? ""].join("\n");
  const first = words.split("\n", 1)[0];
  const unread: string[] = [];
  for (let at = 0; at < Math.min(lines.length, MAX_UNREAD); at++) {
    const line = lines.line(at).trim();
    if (line === "" || used.has(at) || quoted.includes(line)) continue;
    // The same once more, with what a log puts around it.
    if (first.length > 8 && line.includes(first)) continue;
    if (line.length <= MAX_UNREAD_LENGTH) unread.push(line);
  }
  const number = / T(\d{1,6})\)$/.exec(words)?.[1] ?? /^Thread (\d{1,4}) ?[:Q]/i.exec(words)?.[1];
  const stop = console.isStop === true ? parseStopReason(plainStop(words)) : null;
  const thread: ReportThread = {
    // The sanitizers': `SEGV on unknown address 0x10 (pc 0x1 bp 0x2 sp 0x3 T6)`.
    index: Number(number ?? 0),
    ...number === undefined ? { isNumbered: false } : {},
    id: null,
    name: (console.thread?.exec(head)?.[1] ?? null) as ReportThread["name"],
    queue: null,
    crashed: true,
    frames,
    registers: [],
    flavor: null,
    process: null,
    tree: [],
  };
  return new CrashReport({
    ...noHeader,
    format: "crash",
    file,
    text,
    // Beside a line that says little, others may be of other processes.
    exception: stop?.exception ?? signalOf(said) ??
      exceptionIn(console.isAlone === true ? words : head),
    information: [
      ...[takes === undefined && console.isAfter !== true ? also : null, heap].filter((line) =>
        line !== null
      ),
      ...words === "" || stop?.exception != null || console.isTermination === true
        ? []
        : [console.teller === undefined ? words : `${console.teller}: ${words}`],
      // What Rust says of a second panic follows the first, which tells why.
      ...(takes === undefined && console.isAfter !== true) || also === null ? [] : [also],
    ],
    model: /^\s{1,8}"device_model" = "([\w,]{2,40})";$/m.exec(head)?.[1] ?? null,
    osVersion: /^\s{1,8}"device_osBuild" = "([\w. ()]{2,40})";$/m.exec(head)?.[1] ?? null,
    termination: console.isTermination === true ? terminationOf(words) : null,
    process: limitedProcess(words, head) ?? loggedProcess(head) ?? noProcess,
    threads: frames.length === 0 && stop === null ? [] : [thread],
    warnings: frames.length === 0 ? [...warnings, noThreads] : warnings,
    unread,
  });
}
