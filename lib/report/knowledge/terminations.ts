/** Terminations: namespaces, and codes in them. */

import type { KnowledgeRow } from "./row.ts";

const note = "Apple, Technical Note TN2151";
const watchdog = 'Apple, "Addressing watchdog terminations"';
const assertionNames = "The Apple Wiki, BKSProcessAssertion: NameForReason:";
const killed = 'Apple, "EXC_CRASH (SIGKILL)"';
const reason = "XNU, bsd/sys/reason.h";
const dyld = "dyld, include/mach-o/dyld.h: DYLD_EXIT_REASON_*";

function namespace(
  key: string,
  meaning: string,
  next: string,
  causes: string[] = [],
): KnowledgeRow {
  return { kind: "namespace", key, meaning, causes, next, source: reason };
}

function code(
  key: string,
  meaning: string,
  causes: string[],
  next: string,
  source: string,
): KnowledgeRow {
  return { kind: "termination", key, meaning, causes, next, source };
}

/** The row of a program that was not started. */
function neverRan(row: KnowledgeRow): KnowledgeRow {
  return { ...row, neverRan: true };
}

/** See {@linkcode KnowledgeRow}. */
export const terminationRows = (): readonly KnowledgeRow[] => [
  code(
    "*:0x8badf00d",
    '"ate bad food": a watchdog ended the app because it did not answer in time, as when it starts, goes to the background or handles an event.',
    [],
    "",
    watchdog,
  ),
  code(
    "ASSERTIOND:0x8badf00d assertion",
    'The system ended the app, which did not end its work in the background when the time of its background task was over (0x8badf00d, "ate bad food"): nothing in it crashed.',
    [
      "work that was not ended in time: beginBackgroundTask without endBackgroundTask, or what else the assertion's line names",
    ],
    "See in the line of the assertion what the time was for; that has to end in time, in its expiration handler as well. The stack need not have to do with it.",
    watchdog,
  ),
  code(
    "ASSERTIOND:0x8badf00d assertion coordination",
    'The system ended the app, whose coordinated access to files had not ended in the time that it had for it in the background (0x8badf00d, "ate bad food"): nothing in it crashed.',
    [
      "a coordinated access (NSFileCoordinator) that took too long, or that waited for another process, such as that which provides the files",
    ],
    "See which files the app coordinates, and who provides them; such an access has to end, or to be cancelled, before the app is suspended.",
    "Apple, NSFileCoordinator; filecoordinationd(8)",
  ),
  code(
    "ASSERTIOND:0x8badf00d assertion suspend",
    'The system ended the app: it had gone to the background and was still at work, or waited, when it was to be suspended (0x8badf00d, "ate bad food"). Nothing in it crashed.',
    [],
    "The main thread has to return from what it handles, and from applicationDidEnterBackground, before that time is over.",
    assertionNames,
  ),
  code(
    "ASSERTIOND:0x8badf00d assertion backgroundContentFetching",
    'The system ended the app, which it had run in the background to fetch content: the app did not say in time that the fetch was over (0x8badf00d, "ate bad food"). Nothing in it crashed.',
    [
      "the completion handler of performFetchWithCompletionHandler, or of a remote notification, was not called, or too late",
      "a request that waits for the network longer than the fetch may take",
    ],
    "Call the completion handler on each way out, and give requests a shorter timeout; the stack need not have to do with it.",
    assertionNames,
  ),
  code(
    "ASSERTIOND:0x8badf00d assertion backgroundDownload",
    'The system ended the app, which it had run in the background for the events of a background URL session: the app did not say in time that it had handled them (0x8badf00d, "ate bad food"). Nothing in it crashed.',
    [
      "the completion handler of handleEventsForBackgroundURLSession was not called, or too late",
    ],
    "Call that completion handler in urlSessionDidFinishEvents(forBackgroundURLSession:); the stack need not have to do with it.",
    assertionNames,
  ),
  code(
    "ASSERTIOND:0x8badf00d assertion notificationAction",
    'The system ended the app, which it had run in the background for the action of a notification: the app did not say in time that it had handled it (0x8badf00d, "ate bad food"). Nothing in it crashed.',
    ["the completion handler of the notification's action was not called, or too late"],
    "Call the completion handler on each way out; the stack need not have to do with it.",
    assertionNames,
  ),
  code(
    "ASSERTIOND:0x8badf00d assertion other",
    'The system ended the app, which was kept running in the background for longer than was permitted (0x8badf00d, "ate bad food"): nothing in it crashed.',
    [],
    "See in the line of the assertion what the time was for, and who holds it; that has to end in time. The stack need not have to do with it.",
    assertionNames,
  ),
  code(
    "ASSERTIOND:0x8badf00d",
    '"ate bad food": the app did not end its work in the background in time, or was suspended or resumed too slowly.',
    [
      "beginBackgroundTask without endBackgroundTask, or without an expiration handler",
      "too much work while going to the background",
    ],
    "End each background task; the stack need not have to do with it.",
    watchdog,
  ),
  code(
    "*:0xdead10cc",
    '"dead lock": the app held a file lock or a database lock while it was suspended.',
    ["a SQLite database or a lock in a shared container, still in use in the background"],
    "Finish or close it before suspension, or ask for background time.",
    note,
  ),
  code(
    "*:0xdead10cc named",
    '"dead lock": the app held a file lock or a database lock while it was suspended.',
    ["the file that the message names: what uses it, such as a database, still had it locked in the background"],
    "Finish or close it before suspension, or ask for background time.",
    note,
  ),
  code(
    "*:0xbaaaaaad",
    "A stackshot of the whole system; nothing crashed.",
    [],
    "",
    note,
  ),
  code(
    "*:0xbad22222",
    "The system ended a VoIP app because it was resumed too often.",
    [],
    "",
    note,
  ),
  code(
    "*:0xdeadfa11",
    '"dead fall": a person forced the app to quit.',
    [],
    "",
    note,
  ),
  code(
    "*:0xc00010ff",
    '"cool off": the system ended the app because the device was too hot.',
    [],
    "It need not have been the app's work; profile its energy use if it comes again.",
    note,
  ),
  code(
    "*:0xbaadca11",
    '"bad call": the app did not report a call to CallKit after a PushKit message.',
    ["a VoIP message handled without reportNewIncomingCall"],
    "Report a call for each such message.",
    'Apple, "Responding to VoIP notifications from PushKit"',
  ),
  code(
    "*:0xc51bad01",
    "watchOS ended the app: it used too much CPU time in a background task.",
    ["more work than a background task allows"],
    "Do less in the task, or split it.",
    watchdog,
  ),
  code(
    "*:0xc51bad02",
    "watchOS ended the app: a background task did not finish in time.",
    ["setTaskCompleted was not called, or too late"],
    "Complete every task early enough.",
    watchdog,
  ),
  code(
    "*:0xc51bad03",
    "watchOS ended the app: a background task did not finish in time, while the system was so busy that it may not have got much of the CPU.",
    [],
    "Do less in the task, if that can be; the app need not have done anything wrong.",
    watchdog,
  ),
  ...([
    ["2", "background task", "End the task when its expiration handler is called."],
    ["3", "background URL session", "Handle its events, and call its completion handler, early."],
    ["4", "background fetch", "Call its completion handler early."],
  ] as const).map(([digit, what, next]) =>
    code(
      `*:0x2182bad${digit}`,
      `The system ended the app: a ${what} did not finish in time.`,
      [],
      next,
      killed,
    )
  ),
  code(
    "*:0xbaddd15c",
    '"bad disc": the system ended the app to delete its caches, because the disk was nearly full.',
    [],
    "Free space on the disk; write less to the caches.",
    killed,
  ),
  code(
    "*:0xd00d2bad",
    '"dude, too bad": the system ended the app because it used too much of key resources of the system.',
    [],
    "Do less at the same time; finish tasks before others begin.",
    killed,
  ),
  code(
    "*:0xbada5e47",
    "The system ended the app for its background tasks: most likely too many were open at once.",
    [],
    "End each background task.",
    "MTHawkeye, doc/energy/background-task-trace.md",
  ),
  code(
    "*:0x2bad45ec",
    '"too bad for security": the process was ended for a security violation.',
    [],
    "",
    note,
  ),

  namespace("SIGNAL", "A signal ended the process.", ""),
  namespace(
    "JETSAM",
    "The kernel ended the process (jetsam), mostly for memory.",
    "",
  ),
  namespace(
    "CODESIGNING",
    "The kernel found a code signature that does not hold.",
    "",
  ),
  namespace("HANGTRACER", "The process hung too long.", ""),
  namespace("TEST", "A test ended the process.", ""),
  namespace(
    "DYLD",
    "The dynamic linker ended the process.",
    "Read its message.",
  ),
  namespace("LIBXPC", "libxpc ended the process.", ""),
  namespace("OBJC", "The Objective-C run-time ended the process.", "Read its message."),
  namespace("EXEC", "The program could not be started.", ""),
  namespace("SPRINGBOARD", "iOS ended the app.", ""),
  namespace(
    "FRONTBOARD",
    "The system's app management ended the app.",
    "",
  ),
  namespace(
    "RUNNINGBOARD",
    "The system's process management ended the app.",
    "",
  ),
  namespace(
    "ASSERTIOND",
    "The system's process management ended the app.",
    "",
  ),
  namespace(
    "TCC",
    "The process asked for private data without saying why.",
    "Add the usage description to Info.plist that the message names.",
    ["a missing NS…UsageDescription"],
  ),
  namespace("REPORTCRASH", "The crash reporter ended the process.", ""),
  namespace("COREANIMATION", "Core Animation ended the process.", ""),
  namespace("AGGREGATED", "A crash that stands for many like it.", ""),
  namespace("SKYWALK", "The network stack ended the process.", ""),
  namespace("LIBSYSTEM", "libSystem ended the process.", ""),
  namespace("FOUNDATION", "Foundation ended the process.", ""),
  namespace(
    "WATCHDOG",
    "A watchdog ended the process: it did not answer in time.",
    "",
  ),
  namespace("METAL", "Metal ended the process.", ""),
  namespace("WATCHKIT", "watchOS ended the app.", ""),
  namespace("GUARD", "A guarded resource was misused.", ""),
  namespace(
    "SANDBOX",
    "The sandbox ended the process.",
    "Read the message: it names what was refused.",
  ),
  namespace("SECURITY", "A security check ended the process.", ""),
  namespace(
    "ENDPOINTSECURITY",
    "An Endpoint Security client did not answer in time.",
    "Answer every message before its deadline.",
    ["work done before the answer"],
  ),
  namespace(
    "PAC_EXCEPTION",
    "Pointer authentication failed in a process that must not go on after that.",
    "",
    ["a pointer that was overwritten, or that was signed in another way"],
  ),
  namespace(
    "MTE_FAIL",
    "Memory tagging (MTE) found a pointer whose tag is not that of the memory that it was used for.",
    "Find what freed the memory, or the sizes that are used; run with Address Sanitizer.",
    ["memory used after it was freed, or beyond its end"],
  ),
  namespace(
    "PORT_SPACE",
    "The process had too many Mach ports.",
    "Look for ports that are never released.",
    [
      "a leak of port rights",
    ],
  ),
  namespace("SETTINGS", "The system's settings ended the process.", ""),
  namespace("ANALYTICS", "The system's analytics ended the process.", ""),
  namespace(
    "BLUETOOTH_CHIP",
    "The Bluetooth chip's firmware failed.",
    "Update the system.",
  ),
  namespace(
    "BACKLIGHTSERVICES",
    "The display's service ended the process.",
    "",
  ),
  namespace("MEDIA", "The media services ended the process.", ""),
  namespace("LIBIGNITION", "The program that starts the system failed.", ""),
  namespace(
    "BOOTMOUNT",
    "A volume could not be mounted when the system started.",
    "",
  ),
  namespace("REALITYKIT", "RealityKit ended the process.", ""),
  namespace("AUDIO", "The audio services ended the process.", ""),
  namespace("WAKEBOARD", "The system's wake service ended the process.", ""),
  namespace("CORERC", "The remote control service ended the process.", ""),
  namespace("SELF_RESTRICT", "The process did what it had forbidden itself.", ""),
  namespace("ARKIT", "ARKit ended the process.", ""),
  namespace("WEBKIT", "WebKit ended the process.", ""),
  namespace("ROSETTA", "Rosetta ended the process.", ""),

  neverRan(
    code(
      "CODESIGNING:0x1",
      "the signature was found invalid when the program started: none of its code ran; which part is not valid is not in the report",
      [
        "a program that was changed after it was signed, or is not signed for this system",
        "entitlements that no provisioning profile of it allows",
      ],
      "codesign --verify --deep --strict; codesign -d --entitlements - shows what it asks for.",
      reason,
    ),
  ),
  code(
    "CODESIGNING:0x2",
    "a page that the process used has no valid code signature",
    [
      "a program or library that was changed in place or after it was signed, as by install_name_tool, a patch or a copy over it",
      "code written at run time",
      "a bad function pointer",
    ],
    "",
    reason,
  ),
  code(
    "CODESIGNING:0x2 file",
    "a page of a file does not match its code signature, or has none",
    [
      "a program or library that was changed in place or after it was signed, as by install_name_tool, a patch or a copy over it",
    ],
    "See what was changed, and sign it again; replace files, do not overwrite them.",
    reason,
  ),
  code(
    "CODESIGNING:0x2 data",
    "an instruction was to be executed in memory that is not for code, and that no signature covers",
    [
      "a bad function pointer or return address",
      "code generated at run time (JIT) without the entitlement, or without the debugger that allows it",
    ],
    "See what called it; a build with a JIT compiler runs only with the entitlement or a debugger.",
    reason,
  ),
  code(
    "CODESIGNING:0x2 anonymous",
    "code was executed in memory that the process itself filled, and that no signature covers",
    [
      "code generated at run time (JIT) without the entitlement, or without the debugger that allows it",
      "a bad function pointer",
    ],
    "Find who generates code: a build with a JIT compiler runs only with the entitlement or a debugger.",
    reason,
  ),
  code(
    "CODESIGNING:0x3",
    "the signature was to be checked when the program started, and what checks it (taskgated) could not be asked",
    [],
    "",
    reason,
  ),
  neverRan(
    code(
      "CODESIGNING:0x4",
      "the program was started in a way that its launch constraints forbid: none of its code ran",
      [],
      "Check who starts it and from where.",
      reason,
    ),
  ),

  neverRan(
    code(
      "DYLD:0x1",
      "a library is missing: none of the program's code ran",
      ["not embedded in the program's bundle", "wrong rpath or install name"],
      "Embed the library that the message names; otool -l shows the rpaths.",
      dyld,
    ),
  ),
  code(
    "DYLD:0x2",
    "a library has no code for this architecture",
    [],
    "lipo -info; build it for this one too.",
    dyld,
  ),
  code("DYLD:0x3", "a library is older than what was linked", [], "", dyld),
  code(
    "DYLD:0x4",
    "a symbol is missing",
    ["a library or system of another version than the program was built with"],
    'See "Expected in": for a library of the system, raise the deployment target or link it weakly; for another, use the version that the program was built with.',
    dyld,
  ),
  code(
    "DYLD:0x5",
    "a library's signature does not hold",
    [],
    "Its message says what of the signature does not hold.",
    dyld,
  ),
  code("DYLD:0x6", "the sandbox forbids to read a library", [], "", dyld),
  code("DYLD:0x7", "a library is damaged", [], "Replace it.", dyld),
  code(
    "DYLD:0x9",
    "the dynamic linker (dyld) stopped the process for a reason that none of its other codes is for",
    [],
    "",
    dyld,
  ),
  code(
    "DYLD:0xa",
    "the process looked up a function by its name (dlsym), which is not allowed in it",
    [],
    "Call the function directly.",
    dyld,
  ),
  code(
    "WATCHDOG:0x1 unhealthy",
    "the watchdog of the system's services (watchdogd) ended one that answered it that it is not well, so that it starts again: the service did not crash by itself.",
    [],
    "See the reason that the service gave, and its log of that time.",
    "Apple, watchdogd",
  ),
  code(
    "WATCHDOG:0x1",
    "the watchdog of the system's services (watchdogd) ended one that did not say in time that it is alive, so that it starts again: the service did not crash by itself.",
    ["the service hung, or waited for another one, a driver or a device"],
    "See what the service's threads waited for; a panic of the system may follow where it happens again.",
    "Apple, watchdogd",
  ),
  ...([
    ["1", "a thread ended while it owned a work loop of libdispatch"],
    ["3", "what sets up its sandbox and security at the start failed"],
    ["4", "pthread found its data of a thread overwritten"],
  ] as const).map(([number, meaning]) =>
    code(
      `LIBSYSTEM:0x${number}`,
      `libSystem ended the process: ${meaning}`,
      number === "4" ? ["memory damage", "a thread that was used after it ended"] : [],
      "",
      "XNU, libkern/os/reason_private.h: OS_REASON_LIBSYSTEM_CODE_*",
    )
  ),
  ...([
    ["2", "the program, or something that it loads, needs garbage collection, which is gone"],
    ["3", "a class has data that is not signed, as it must be here"],
  ] as const).map(([number, meaning]) =>
    code(
      `OBJC:0x${number}`,
      `The Objective-C run-time ended the process: ${meaning}`,
      [],
      number === "2"
        ? "Use a version without garbage collection."
        : "Build it again for this system.",
      "objc4, runtime/objc-internal.h: OBJC_EXIT_REASON_*",
    )
  ),

  code("EXEC:0x1", "the kernel could not load its file (Mach-O)", [], "", reason),
  neverRan(
    code(
      "EXEC:0x1 signature",
      "the kernel could not load its file, whose signature or entitlements it most likely refused (CODESIGNING): none of its code ran, and what is on the stack is of the program that started it",
      [
        "a program that was changed after it was signed, or is not signed for this system",
        "entitlements that this system does not give it",
      ],
      "codesign -dv and codesign -d --entitlements - show how the file is signed and what it asks for; sign it again.",
      "XNU, bsd/kern/kern_exec.c: exec_mach_imgact",
    ),
  ),
  code(
    "EXEC:0x2",
    "the program's set-user-ID or set-group-ID bit could not be honoured",
    [],
    "Check its permissions.",
    reason,
  ),
  ...([
    ["3", "the thread's first state could not be set"],
    ["4", "no memory could be had for the stack"],
    ["5", "the strings that the kernel passes could not be set up"],
    ["6", "arguments and environment could not be copied"],
    ["7", "what the dynamic linker needs could not be copied"],
    ["b", "the program could not be decrypted"],
    ["c", "it is packed by UPX in a way that the kernel does not load"],
    ["f", "the main file descriptor could not be made"],
    ["10", "what Rosetta needs could not be copied"],
    ["11", "the dynamic linker's information could not be set"],
    ["12", "the thread could not be made"],
    ["13", "the attributes of posix_spawn were bad"],
    ["15", "the program could not be mapped as code"],
  ] as const).map(([number, meaning]) =>
    code(
      `EXEC:0x${number}`,
      meaning,
      [],
      "",
      reason,
    )
  ),
  code(
    "EXEC:0x9",
    "the system's check of the program's signature (taskgated) itself failed",
    [],
    "",
    reason,
  ),
  code(
    "EXEC:0x8",
    "a security policy forbids the program",
    [],
    "",
    reason,
  ),
  code("EXEC:0xa", "the program could not be decrypted", [], "Install it again.", reason),
  code("EXEC:0xd", "32-bit programs do not run here", [], "Build for 64 bits.", reason),
  code("EXEC:0xe", "the program is for another platform", [], "Build for this one.", reason),
  ...([
    ["process-launch", "while it was launched"],
    ["failed to launch", "while it was launched"],
    ["exceeded its allowed launch", "while it was launched"],
    ["scene-create", "while it made a scene, as at its launch"],
    [
      "scene-update",
      "while its scene was changed, as to the foreground or the background",
    ],
    ["failed to resume", "when it was to go on (resume) after it had been in the background"],
    ["failed to suspend", "when it was to be suspended, as it went to the background"],
    ["process-exit", "when it was to end"],
    ["failed to terminate", "when it was to end"],
  ] as const).map(([key, meaning]): KnowledgeRow => ({
    kind: "watchdog",
    key,
    meaning,
    causes: [],
    next: "",
    source: `${watchdog}; FrontBoard's and RunningBoard's reasons`,
  })),
];

/** The first versions of iOS and of macOS that have a framework; `null` where they are not known or there is none.
 * Apple's documentation of each framework. */
const firsts: readonly (readonly [ios: string, mac: string | null, ...names: string[]])[] = [
  ["6.0", "10.8", "Social"],
  ["7.0", "10.9", "SpriteKit", "GameController", "MediaAccessibility"],
  ["8.0", "10.10", "LocalAuthentication", "CloudKit", "NotificationCenter"],
  ["8.0", "10.11", "Metal"],
  ["8.0", null, "Photos", "PhotosUI"],
  ["8.0", "10.15", "PushKit"],
  ["9.0", "10.11", "Contacts", "ContactsUI", "MetalKit", "ModelIO"],
  ["9.0", "10.13", "MetalPerformanceShaders"],
  ["9.0", null, "WatchConnectivity"],
  ["10.0", "10.14", "UserNotifications"],
  ["10.0", "10.15", "Speech"],
  ["10.0", null, "CallKit", "Messages"],
  ["11.0", "10.13", "CoreML", "Vision"],
  ["11.0", null, "ARKit", "CoreNFC"],
  ["12.0", "10.14", "Network", "NaturalLanguage"],
  ["12.0", "10.15", "AuthenticationServices"],
  ["12.0", null, "CarPlay"],
  [
    "13.0",
    "10.15",
    ...["SwiftUI", "Combine", "CryptoKit", "CoreHaptics", "LinkPresentation", "PencilKit"],
  ],
  ["13.0", null, "BackgroundTasks"],
  ["14.0", "11.0", "WidgetKit", "AppTrackingTransparency", "UniformTypeIdentifiers"],
  ["15.0", "12.0", "ShazamKit", "GroupActivities"],
  ["16.0", "13.0", "AppIntents", "Charts"],
  ["16.1", null, "ActivityKit"],
  ["17.0", "14.0", "SwiftData", "TipKit"],
  ["18.0", "15.0", "SwiftUICore"],
];

/** The version of a system from which on it has a framework of that name; `null` where that is not known. */
export function frameworkSince(name: string, system: "iOS" | "macOS"): string | null {
  const row = firsts.find((row) => row.indexOf(name, 2) >= 0);
  return row === undefined ? null : row[system === "iOS" ? 0 : 1];
}
