/** Functions of systems and libraries that tell what happened by being on a crashed stack. */

import type { FrameNeed, FrameRole, KnowledgeRow } from "./row.ts";

const zombies = 'Apple, "Investigating crashes for zombie objects"';
const language = 'Apple, "Addressing language exception crashes"';
const abi = "libc++abi, src/cxa_handlers.cpp and src/abort_message.cpp";
const swift = "Swift, stdlib/public/core/AssertCommon.swift";
const swiftRuntime = "Swift, docs/Runtime.md and stdlib/public/runtime/Errors.cpp";
const dispatch = "libdispatch, src/shims/yield.h and src/queue.c: DISPATCH_CLIENT_CRASH";
const malloc = "libmalloc, src/malloc.c and malloc(3)";
const unfair = "libplatform, src/os/lock.c";
const note = "Apple, Technical Note TN2151";

function frame(
  key: string,
  meaning: string,
  causes: string[] = [],
  next = "",
  source = "",
  role?: FrameRole,
): KnowledgeRow {
  const row = { kind: "frame", key, meaning, causes, next, source } as const;
  return role === undefined ? row : { ...row, role };
}

/** Rows with what they need. */
function needing(needs: FrameNeed, ...rows: KnowledgeRow[]): KnowledgeRow[] {
  return rows.map((row) => ({ ...row, needs }));
}

const dangling = ["an object used after it was deallocated", "memory damage in the object"];
const useZombies =
  "Run with zombie objects or Address Sanitizer; check the ownership of the object that the first frame of yours uses.";
const invalid = (what: string, source = zombies): [string, string[], string, string, FrameRole] => [
  `${what}, usually one that was already deallocated.`,
  dangling,
  useZombies,
  source,
  "top",
];
const retained = "An invalid object was retained";
const released = "An invalid object was released";
const used = "An invalid object was used";
/** What malloc's own report says where the text is not there: the freed pointer or the heap may be at fault. */
export const mallocStop =
  "malloc found an error: a block freed twice, one that it did not allocate, or a damaged heap.";
/** What malloc's own checks found, in functions of which none is at fault. */
export const heapDamage = "malloc found its heap damaged.";
/** What its failure says where it was to allocate, and was passed no pointer. */
export const heapMet =
  "malloc failed while it allocated a block: most likely its heap was damaged.";
const sanitize = "Run with Address Sanitizer: it stops where the damage is done.";
const damage = (key: string): KnowledgeRow => ({
  ...frame(
    key,
    heapDamage,
    [
      "a block written after it was freed",
      "a write past the end of a block",
      "a block freed twice",
    ],
    sanitize,
    malloc,
  ),
  needs: "any",
});
const raises = (key: string, source: string): KnowledgeRow =>
  frame(key, "", [], "", source, "raise");

/** Code of an actor that ran off it. */
export const wrongExecutor = "Swift code of an actor ran on another executor than the actor's.";

/** What ended where Objective-C's nil was to become a value of Swift. */
export const nilForValue = "Objective-C passed nil to Swift for a value that is not optional.";

/** What the functions of Swift's run-time were doing that look up types. */
export const typeLookup =
  "The Swift run-time crashed while it looked up a type or a conformance by its description.";

/** What UIKit cannot do without. */
export const noBundle =
  "The process has no bundle identifier: BackBoardServices, from which UIKit gets touches and keys, asks for one and stops the process.";
export const asBareFile = [
  "an executable that was started by itself, such as one from a Swift package or in /usr/bin, and not from an app's bundle",
  "an Info.plist that lacks CFBundleIdentifier",
];
export const runFromBundle =
  "Build and start it as an app, whose Info.plist has CFBundleIdentifier, or link an Info.plist into the executable.";

/** See {@linkcode KnowledgeRow}. */
export const frameRows = (): readonly KnowledgeRow[] => [
  ...needing(
    "access",
    frame("objc_msgSend", ...invalid("A message was sent to an invalid object")),
    frame("objc_msgSend_*", ...invalid("A message was sent to an invalid object")),
    frame("objc_msgSendSuper*", ...invalid("A message was sent to an invalid object")),
    ...["lookUpImpOrForward", "cache_getImp"].map((key) =>
      frame(
        key,
        "A method was looked up for what is no valid object or class.",
        dangling,
        useZombies,
        "objc4, runtime/objc-runtime-new.mm",
        "top",
      )
    ),
    ...["realizeClass*", "_ZL12realizeClassP7class_t"].map((key) =>
      frame(
        key,
        "The Objective-C run-time crashed while it made a class ready for use.",
        [],
        "",
        "objc4, runtime/objc-runtime-new.mm: realizeClassWithoutSwift",
        "top",
      )
    ),
    frame(
      "libobjc without names",
      "The Objective-C run-time was given an invalid object, most likely one that was already deallocated.",
      dangling,
      useZombies,
      zombies,
      "top",
    ),
    frame("objc_retain*", ...invalid(retained)),
    frame("objc_release*", ...invalid(released)),
    frame("objc_storeStrong", ...invalid("An assignment retained or released an invalid object")),
    frame("objc_autorelease*", ...invalid("An invalid object was autoreleased")),
    frame("objc_autoreleasePoolPop", ...invalid("An autorelease pool released an invalid object")),
    // What adds to a pool uses no object.
    ...[
      "AutoreleasePoolPage::releaseUntil*",
      "AutoreleasePoolPage::pop*",
      "AutoreleasePoolPage::tls_dealloc*",
      "_CFAutoreleasePoolPop",
    ].map((key) => frame(key, ...invalid("An autorelease pool released an invalid object"))),
    frame(
      "an autorelease pool's release",
      "While an autorelease pool was emptied, an invalid object was released, most likely one that was already deallocated.",
      [
        "an object that was released once too often before: by code that ran earlier and is not on the stack",
        "memory damage in the object",
      ],
      "Run with zombie objects, which name the object's class; check what releases an object that it does not own.",
      zombies,
      "top",
    ),
    frame(
      "an observer that is retained",
      "An observer of a key was already deallocated, or was overwritten: all observers of an object are retained before they are told of a change.",
      ["an observer that was deallocated and is still registered", "memory damage in the observer"],
      "Remove each observer before it is deallocated; zombie objects name its class.",
      "Apple, Foundation: the function that says so by its name, KVO_IS_RETAINING_ALL_OBSERVERS_OF_THIS_OBJECT_…",
      "top",
    ),
    frame("objc_object::*", ...invalid(used)),
    frame(
      "objc_loadWeak*",
      "A weak reference could not be read: the object that has it, or the one that it leads to, is not valid.",
      dangling,
      useZombies,
      zombies,
      "top",
    ),
    ...[
      "objc_initWeak*",
      "objc_storeWeak*",
      "objc_destroyWeak",
      "objc_copyWeak",
      "objc_moveWeak",
      "weak_register_no_lock*",
      "weak_unregister_no_lock*",
      "weak_clear_no_lock*",
    ].map((key) =>
      frame(
        key,
        "A weak reference could not be set or cleared: the object that has it, or one that it leads to, is not valid.",
        dangling,
        useZombies,
        "objc4, runtime/NSObject.mm and objc-weak.mm",
        "top",
      )
    ),
    ...["objc_destructInstance*", "object_cxxDestruct*", "object_dispose", "_object_dispose"].map((
      key,
    ) =>
      frame(
        key,
        "An object could not be deallocated: it, or what it holds, is not valid.",
        dangling,
        useZombies,
        "objc4, runtime/objc-runtime-new.mm: objc_destructInstance",
        "top",
      )
    ),
    ...["objc_getAssociatedObject*", "objc_setAssociatedObject*", "_object_*_associat*"].map((
      key,
    ) => frame(key, ...invalid("An associated object was asked for or set of an invalid object"))),
    frame(
      "a collection's own memory",
      "The collection's own memory is not valid: most likely one thread changed it while another used it, or it was deallocated.",
      [
        "a collection that several threads use at once, of which one changes it",
        "a collection that was deallocated",
        "memory damage in it",
      ],
      "See which threads use the collection of the first frame of yours, and guard it by a lock or a queue; run with Thread Sanitizer.",
      "Apple, Threading Programming Guide: Thread Safety Summary; Swift, Dictionary and Array",
      "top",
    ),
    ...["swift_weakLoadStrong*", "swift_weakTakeStrong*", "swift_weakDestroy*", "swift_weakAssign*"]
      .map((key) =>
        frame(
          key,
          "A weak reference of Swift was used: the object that has it, or the one that it leads to, is not valid.",
          dangling,
          useZombies,
          swiftRuntime,
          "top",
        )
      ),
    frame("swift_unownedRetainStrong*", ...invalid(retained, swiftRuntime)),
    frame("object_getClass", ...invalid("The class was asked for of an invalid object")),
    frame("object_isClass", ...invalid(used)),
    frame("CFRetain", ...invalid("CFRetain was called with an invalid object")),
    frame("CFRelease", ...invalid("CFRelease was called with an invalid object")),
    frame("_CFRelease", ...invalid("CFRelease was called with an invalid object")),
    frame("_Block_release", ...invalid("A block was released that is an invalid object")),
    frame("_Block_copy", ...invalid("A block was copied that is an invalid object")),
    frame("swift_retain*", ...invalid(retained, swiftRuntime)),
    frame("swift_release*", ...invalid(released, swiftRuntime)),
    // What they call for an object whose count they do not change at once; they are not called for null.
    frame("swift::RefCounts<*", ...invalid(used, swiftRuntime)),
    frame("swift_unknownObjectRetain*", ...invalid(retained, swiftRuntime)),
    frame("swift_unknownObjectRelease*", ...invalid(released, swiftRuntime)),
    frame("swift_bridgeObjectRetain*", ...invalid(retained, swiftRuntime)),
    frame("swift_bridgeObjectRelease*", ...invalid(released, swiftRuntime)),
    frame("swift_getObjectType", ...invalid(used, swiftRuntime)),
    frame(
      "swift_dynamicCast",
      "A Swift cast met a value or a type that is not valid.",
      [],
      "Check what the first frame of yours casts.",
      swiftRuntime,
      "top",
    ),
    frame("swift_isUniquelyReferenced*", ...invalid(used, swiftRuntime)),
    ...[
      "swift_getTypeByMangledName*",
      "swift::swift_getTypeByMangledName*",
      "swift_getTypeByMangledNode*",
      "swift_getTypeByMangledSymbolicReference*",
      "swift_getOpaqueTypeMetadata*",
      "swift_getOpaqueTypeConformance*",
      "swift_getAssociatedTypeWitness*",
      "swift_getAssociatedConformanceWitness*",
      "swift_getForeignTypeMetadata*",
      "swift_getGenericMetadata*",
      "swift_getSingletonMetadata*",
      "swift_getExistentialTypeMetadata*",
      "swift_getTupleTypeMetadata*",
      "swift_getFunctionTypeMetadata*",
      "swift_getWitnessTable*",
      "swift_conformsToProtocol*",
      "swift_checkMetadataState*",
      "swift_updateClassMetadata*",
      "swift_initClassMetadata*",
      "swift_initStructMetadata*",
      "swift_initEnumMetadata*",
      "swift::_getWitnessTable*",
      "instantiateWitnessTable*",
      "_swift_getGenericMetadata*",
      "swift::_swift_getGenericMetadata*",
      "swift::TargetMetadata<swift::InProcess>::getTypeContextDescriptor*",
      "swift::TargetMetadata<swift::InProcess>::getGenericArgs*",
      "swift::TargetTypeContextDescriptor<*",
      "swift::MetadataCacheKey::*",
      "swift::_conformsToProtocol*",
      "swift::_checkGenericRequirements*",
      // Compilers and debuggers have a copy of their own, without this name.
      "swift::Demangle::__runtime::*",
      "swift::ResolveAsSymbolicReference::*",
      "swift::_contextDescriptorMatchesMangling*",
      "swift::TargetProtocolConformanceDescriptor<*",
    ].map((key): KnowledgeRow => ({
      ...frame(
        key,
        typeLookup,
        [
          "a type or conformance that this version of the system does not have, as of a weakly linked framework, used without a check of its availability",
          "code and a Swift run-time that do not go together: a newer compiler's code on an older system, libraries that were built against other versions of each other, or a fault of the compiler",
          "memory damage in the description",
        ],
        "See which type it was; check from which version on the system has it, try a newer system, and build all parts anew with one compiler.",
        "Swift, stdlib/public/runtime/MetadataLookup.cpp, Metadata.cpp and ProtocolConformance.cpp",
      ),
      needs: "access",
    })),
  ),

  ...needing(
    "access",
    ...[
      "swift_getObjectType",
      "swift_getDynamicType",
    ].map((key) =>
      frame(
        `${key} null`,
        "A Swift value was used that is null, though its type does not allow that.",
        [
          "nil that Objective-C or C passed for a value that is not optional",
          "an object that was never set",
        ],
        "Check what the first frame of yours was passed.",
        swiftRuntime,
        "top",
      )
    ),
    ...[
      "CFRetain",
      "CFRelease",
      "CFHash",
      "CFEqual",
      "CFGetTypeID",
      "CFStringGetLength",
      "CFStringCompare",
      "CFArrayGetCount",
      "CFArrayGetValueAtIndex",
      "CFDictionaryGetValue",
      "CFDataGetLength",
      "CFDataGetBytePtr",
      "CFDictionaryGetCount",
      "CFDictionarySetValue",
      "CFDictionaryAddValue",
      "CFArrayAppendValue",
      "CFStringGetCString",
      "CFNumberGetValue",
      "CFURLGetFileSystemRepresentation",
      "CFBundleGetFunctionPointerForName",
      // What several of them look at an object's type with.
      "_CFGetNonObjCTypeID",
    ].map((key) =>
      frame(
        `${key} null`,
        "A function of Core Foundation was called with NULL.",
        ["a Core Foundation object that could not be created or found"],
        "Check for NULL in the first frame of yours.",
        "CoreFoundation, CFRuntime.c",
        "top",
      )
    ),
  ),
  ...needing(
    "stop",
    ...["CFHash", "CFEqual", "CFRetain", "CFRelease", "CFGetTypeID"].map((key) =>
      frame(
        `${key} stopped`,
        "A function of Core Foundation stopped the process: it was called with NULL, or with what is no object.",
        [
          "a Core Foundation object that could not be created or found",
          "an object used after it was deallocated",
        ],
        "Check for NULL in the first frame of yours; run with zombie objects.",
        "CoreFoundation, CFRuntime.c",
        "top",
      )
    ),
  ),

  raises("__pthread_kill", "pthread_kill(2)"),
  raises("pthread_kill", "pthread_kill(2)"),
  raises("__kill", "kill(2)"),
  raises("kill", "kill(2)"),
  raises("raise", "raise(3)"),
  raises("__abort", "abort(3)"),
  frame("abort", "The process ended itself by abort().", [], "", "abort(3)", "vague"),
  ...["_objc_fatal*", "_objc_trap*"].map((key) =>
    frame(
      key,
      "The Objective-C run-time met a fatal error and ended the process.",
      [],
      "Read its message, which begins with objc, on stderr or in the console's log.",
      "objc4, runtime/objc-errors.mm",
      "vague",
    )
  ),
  raises("abort_report_np", "Libc, stdlib/FreeBSD/abort.c"),
  raises("_sigtramp", "libplatform, src/setjmp: the signal trampoline"),
  raises("_os_crash*", "libplatform, src/os/log_simple.h"),
  ...["__abort_with_payload", "abort_with_payload*", "abort_with_reason"].map((key) =>
    frame(
      key,
      "The process ended itself by abort_with_payload(), which gives the system a reason.",
      [],
      "Read the termination reason.",
      "XNU, bsd/sys/reason.h",
      "vague",
    )
  ),
  raises("__terminate_with_payload", "XNU, bsd/sys/reason.h"),
  raises("__terminate_with_reason", "XNU, bsd/sys/reason.h"),
  raises("terminate_with_payload", "XNU, bsd/sys/reason.h"),

  raises("abort_message", abi),
  raises("__abort_message", abi),
  raises("safe_handler_caller*", abi),
  raises("__cxxabiv1::failed_throw*", abi),
  raises("failed_throw*", abi),
  raises("CPPExceptionTerminate*", abi),
  raises("__cxa_rethrow", abi),
  ...[
    "std::terminate*",
    "std::__terminate*",
    // GNU's C++ library, which Mac OS X had before 10.9.
    "__cxxabiv1::__terminate*",
    "__gnu_cxx::__verbose_terminate_handler*",
    "_objc_terminate*",
    "objc_terminate*",
    "default_terminate_handler*",
    "demangling_terminate_handler*",
    "__clang_call_terminate",
  ].map((key) =>
    frame(
      key,
      "std::terminate() was called, most often because an exception was not caught or left a function that must not throw.",
      [],
      "Read the message on stderr, or break on __cxa_throw and objc_exception_throw.",
      abi,
      "vague",
    )
  ),
  ...["CLSExceptionRecordNSException*", "FIRCLSExceptionRecordNSException*"].map((key) =>
    frame(
      key,
      "An Objective-C exception was not caught; Crashlytics recorded it, with the stack that raised it.",
      [],
      "Read the Fatal Exception of the same crash: it has reason and stack.",
      "Firebase, Crashlytics: FIRCLSException.mm",
    )
  ),
  ...["std::thread::~thread*", "std::thread::operator=*"].map((key) =>
    frame(
      key,
      "A std::thread was destroyed or assigned while it was joinable, which calls std::terminate().",
      ["a thread that is neither joined nor detached before its object goes away"],
      "Join or detach the thread first.",
      "libc++, src/thread.cpp",
    )
  ),
  frame(
    "__cxa_throw",
    "A C++ exception was thrown and not caught.",
    [],
    "",
    language,
    "vague",
  ),
  frame(
    "std::__throw_system_error*",
    "A call of the C++ library failed with a system error that was not caught.",
    [],
    "",
    "libc++, src/system_error.cpp",
  ),
  frame(
    "std::__throw_bad_alloc*",
    "A C++ allocation failed: out of memory, or a size that makes no sense.",
    ["a size computed from damaged or foreign data", "a leak"],
    "Check the size in the first frame of yours.",
    "libc++, include/new",
  ),
  frame(
    "__CFStringHandleOutOfMemory*",
    "A string of CoreFoundation got no memory: out of memory, or a size that makes no sense.",
    ["a length computed from damaged or foreign data", "a leak"],
    "Check the length in the first frame of yours, and the memory that the process used.",
    "Apple, CoreFoundation: CFString.c",
  ),
  frame(
    "operator new failed",
    "An allocation of memory failed: operator new called the new-handler, which ended the process.",
    ["a size computed from damaged or foreign data", "a leak"],
    "Check the size in the first frame of yours, and the memory that the process used.",
    "ISO C++, [new.handler]; libc++abi, src/stdlib_new_delete.cpp",
  ),
  frame(
    "__cxa_pure_virtual",
    "A pure virtual function was called.",
    ["a virtual call in a constructor or destructor", "an object used after it was destroyed"],
    "Check the lifetime of the object that the calling frame uses.",
    abi,
  ),
  frame(
    "__cxa_deleted_virtual",
    "A deleted virtual function was called.",
    [],
    "",
    abi,
  ),
  frame(
    "std::__libcpp_verbose_abort*",
    "libc++ ended the process: a hardening check failed, or an exception was to be thrown in code that is built without them.",
    [],
    "Read the message.",
    "libc++, docs/Hardening.rst; include/stdexcept",
  ),
  frame(
    "std::__libcpp_verbose_abort of operator[]",
    "An index was out of the range of a C++ container: libc++'s hardening checked it and ended the process.",
    [],
    "Check the index in the first frame of yours.",
    "libc++, docs/Hardening.rst; include/__assert",
  ),
  frame(
    "std::__throw_*",
    "The C++ library threw an exception that was not caught.",
    [],
    "",
    "libc++, include/stdexcept",
  ),
  raises("operator new*", "libc++abi"),
  // Inlined into the program, like all of libc++'s templates.
  raises("std::__1::*", "libc++"),

  raises("objc_exception_throw", language),
  raises("objc_exception_rethrow", language),
  raises("__exceptionPreprocess", language),
  raises("_CFThrowFormattedException", language),
  raises("-[NSException raise]", language),
  raises("+[NSException raise:format:*", language),
  raises("+[NSException exceptionWithName:*", language),
  raises("-[NSException init*", language),
  // Newer systems have it as a method of the class.
  raises("-[NSApplication _crashOnException:]", language),
  raises("+[NSApplication _crashOnException:]", language),
  raises("-[NSApplication reportException:]", language),
  raises("_NSApplicationUncaughtExceptionHandler*", language),
  raises("DVTFailureHintExceptionPreprocessor*", "Xcode, DVTFoundation"),
  raises("+[IDEAssertionHandler *", "Xcode, IDEKit"),
  raises("-[IDEAssertionHandler handleUncaughtException:*", "Xcode, IDEKit"),
  raises("IDEHandleUncaughtException*", "Xcode, IDEKit"),
  ...["-[IDEAssertionHandler *", "-[DVTAssertionHandler *", "_DVTAssertion*"].map((key) =>
    frame(
      key,
      "An assertion of Xcode's own failed.",
      [],
      "Read the message: it has the condition's words and the method.",
      "Xcode, DVTFoundation",
    )
  ),
  raises("__forwarding__*", language),
  raises("_CF_forwarding_prep_*", language),
  raises("__forwarding_prep_*", language),
  raises("___forwarding_*", language),
  frame(
    "-[NSWindow(NSWindow_Theme) _postWindowNeedsToResetDragMarginsUnlessPostingDisabled]",
    "AppKit found a window that was made or changed on another thread than the main one.",
    [],
    "Make and change windows on the main thread only, as by the main queue.",
    "github.com/aonez/Keka, issue 861: NSWindow drag regions should only be invalidated on the Main Thread!",
  ),
  // It raises at its end: by its return address it is the function behind it.
  ...["doesNotRecognizeSelector:]", "__retain_OA] + 0"].map((method) =>
    frame(
      `-[NSObject(NSObject) ${method}`,
      "An object does not have the method that was called: unrecognized selector.",
      [
        "an object of another class than expected",
        "a system or library older than the one that its caller was made for",
        "an object that was deallocated and whose memory was used again",
      ],
      "Read class and selector in the exception's reason.",
      language,
    )
  ),
  frame(
    "+[NSObject(NSObject) doesNotRecognizeSelector:]",
    "A class does not have the method that was called: unrecognized selector.",
    ["a method that this version of the system, or a category that was not linked (-ObjC), would have"],
    "Read class and selector in the exception's reason.",
    language,
  ),
  frame(
    "-[NSObject doesNotRecognizeSelector:]",
    "An object does not have the method that was called: unrecognized selector.",
    [
      "an object of another class than expected",
      "a system or library older than the one that its caller was made for",
    ],
    "Read class and selector in the exception's reason.",
    language,
  ),
  // It is a living object of a subclass, and no memory that was used again.
  frame(
    "-[UIResponder doesNotRecognizeSelector:]",
    "A view, a controller or another responder does not have the method that was called: unrecognized selector.",
    [
      "an action or a delegate's method that the class does not implement, or whose name is misspelled",
      "an object of another class than expected",
    ],
    "Read class and selector in the exception's reason.",
    "Apple, UIResponder; NSObject: doesNotRecognizeSelector(_:)",
  ),
  ...needing(
    "raise",
    ...["std::mutex::lock*", "std::recursive_mutex::lock*", "std::timed_mutex::lock*"].map((key) =>
      frame(
        key,
        "A lock of a C++ mutex failed: the system says that it is no mutex, or that waiting for it would never end.",
        [
          "a mutex that was already destroyed, such as a static one while the process ends, or that was never made",
        ],
        "Check the lifetime of the mutex that the first frame of yours locks, and which threads still run while the process ends.",
        "libc++, src/mutex.cpp; pthread_mutex_lock(3): EINVAL, EDEADLK",
      )
    ),
    frame(
      "std::thread::join*",
      "A std::thread could not be joined: it was not joinable, or it waited for itself.",
      ["a thread that was joined or detached before", "a thread that joins itself"],
      "Check joinable() before join(), in the first frame of yours.",
      "libc++, src/thread.cpp; pthread_join(3): EINVAL, EDEADLK",
    ),
    frame(
      "std::condition_variable::wait*",
      "A wait for a C++ condition variable failed.",
      ["a mutex or condition variable that was already destroyed, or a mutex that is not locked"],
      "Check the lifetime of both in the first frame of yours.",
      "libc++, src/condition_variable.cpp; pthread_cond_wait(3)",
    ),
    // Others refuse a capacity.
    ...[
      "-[__NSPlaceholderArray initWithObjects:*",
      "-[__NSPlaceholderDictionary initWithObjects:*",
    ].map((key) =>
      frame(
        key,
        "A collection was made with nil as an element.",
        ["a value that is nil, as in an array or dictionary literal"],
        "Check the values that the first frame of yours puts into it.",
        language,
      )
    ),
    ...[
      "-[__NSDictionaryM setObject:*",
      "-[__NSDictionaryM __setObject:*",
      "-[NSMutableDictionary setObject:*",
    ].map((key) =>
      frame(
        key,
        "A dictionary refused what was put into it, as a value or key that is nil.",
        ["a value or key that is nil"],
        "Check value and key in the first frame of yours.",
        language,
      )
    ),
    ...["-[__NSArrayM addObject:*", "-[__NSSetM addObject:*"].map((key) =>
      frame(
        key,
        "A collection refused what was put into it: nil.",
        ["a value that is nil"],
        "Check the value in the first frame of yours.",
        language,
      )
    ),
    ...["-[__NSArrayM insertObject:*", "-[__NSArrayM replaceObject*"].map((key) =>
      frame(
        key,
        "A collection refused what was put into it: nil, or an index beyond its end.",
        ["a value that is nil", "an index beyond the end"],
        "Check value and index in the first frame of yours.",
        language,
      )
    ),
    // They are also of what cannot be changed.
    ...["-[__NSCFDictionary setObject:*", "-[__NSCFArray insertObject:*"].map((key) =>
      frame(
        key,
        "A collection refused what was put into it: it cannot be changed, or takes no such value, key or index.",
        ["a collection that cannot be changed", "a value or key that is nil"],
        "Check the collection and what is put into it in the first frame of yours.",
        language,
      )
    ),
  ),
  frame(
    "_NSArrayRaiseInsertNilException*",
    "nil was put into an array.",
    ["a value that is nil"],
    "Check the value in the first frame of yours.",
    language,
  ),
  ...needing(
    "raise",
    ...[
      "_NSArrayRaiseBoundException*",
      "-[__NSArrayM objectAt*",
      "-[__NSArrayI objectAt*",
      "-[__NSArray0 objectAt*",
      "-[__NSSingleObjectArrayI objectAt*",
      "-[__NSFrozenArrayM objectAt*",
      "-[__NSCFArray objectAt*",
      "-[_PFArray objectAt*",
      "-[NSArray subarrayWithRange:*",
      "-[__NSArrayM removeObject*",
    ].map((key) =>
      frame(
        key,
        "An index or a range was out of the bounds of a collection.",
        ["an index kept while the collection changed", "an empty collection"],
        "Check the index in the first frame of yours.",
        language,
      )
    ),
    ...[
      "-[__NSCFString substring*",
      "-[NSString substring*",
      "-[__NSCFString characterAtIndex:]",
      "-[NSRLEArray objectAtIndex:*",
      "-[NSMutableRLEArray *",
    ].map((key) =>
      frame(
        key,
        "An index or a range was out of the bounds of a string.",
        ["a position that is of another text, or was kept while the text changed"],
        "Check position and length in the first frame of yours.",
        language,
      )
    ),
    ...["-[NSConcreteMutableAttributedString *", "-[NSConcreteAttributedString *"].map((key) =>
      frame(
        key,
        "An attributed string refused what it was given: a position or range out of its bounds, or nil.",
        [
          "a position that is of another text, or was kept while the text changed",
          "a text or value that is nil",
        ],
        "Check what the first frame of yours gives it.",
        language,
      )
    ),
  ),
  frame(
    "__NSFastEnumerationMutationHandler",
    "A collection was changed while it was enumerated.",
    ["the loop itself changes it", "another thread changes it"],
    "Enumerate a copy, or change it after the loop.",
    language,
  ),
  // Only values are set while a nib is loaded.
  ...([
    ["valueForUndefinedKey:]", "a misspelled key, or an object of another class than expected"],
    [
      "setValue:forUndefinedKey:]",
      "an outlet in a nib that the class does not have any more",
      "a misspelled key",
    ],
  ] as const).map(([method, ...causes]) =>
    frame(
      `-[NSObject(NSKeyValueCoding) ${method}`,
      "An object has no property with the key that was used: not key value coding-compliant.",
      causes,
      "Read class and key in the exception's reason.",
      language,
    )
  ),
  ...[
    "-[NSManagedObject valueForUndefinedKey:]",
    "-[NSManagedObject setValue:forUndefinedKey:]",
    "-[CIFilter valueForUndefinedKey:]",
    "-[CIFilter setValue:forUndefinedKey:]",
  ].map((key) =>
    frame(
      key,
      "An object has no property with the key that was used: not key value coding-compliant.",
      ["a misspelled key, or one that this object's entity or filter does not have"],
      "Read class and key in the exception's reason.",
      "Apple, NSManagedObject and CIFilter; NSKeyValueCoding",
    )
  ),
  ...needing(
    "raise",
    frame(
      "-[NSObject(NSKeyValueObserverRegistration) _removeObserver:*",
      "An observer was removed that was not registered.",
      ["removed twice, or never added"],
      "Pair adding and removing observers.",
      language,
    ),
  ),
  ...needing(
    "raise",
    frame(
      "-[NSObject(NSKeyValueObserving) observeValueForKeyPath:*",
      "An observer of a property got a change that it does not handle.",
      [
        "observeValueForKeyPath: that passes on what nobody above it observes",
        "an observer that was not removed, and whose address another object has now",
      ],
      "Compare the key path and context, which the exception's reason has, with those that were registered.",
      "Apple, NSKeyValueObserving",
    ),
  ),
  // Its next function in Foundation, by which reporters name a return address after a call that does not return.
  frame(
    "_userInfoForFileAndLine + 0",
    "An NSAssert failed.",
    [],
    "Read the assertion's text: it is the exception's reason, in the report or in the log.",
    language,
  ),
  frame(
    "-[NSAssertionHandler handleFailureIn*",
    "An NSAssert failed.",
    [],
    "Read the assertion's text: it is the exception's reason, in the report or in the log.",
    language,
  ),
  ...needing(
    "raise",
    ...["-[UITableView _endCellAnimations*", "-[UICollectionView _endItemAnimations*"].map((key) =>
      frame(
        key,
        "A table or collection view was updated with insertions or deletions that do not match its data source.",
        ["the data changed at another time than the view was told", "changes from several threads"],
        "Change the data and call the update together, on the main thread.",
        language,
      )
    ),
    frame(
      "_UIAssertValidUpdateIndexPath*",
      "UIKit's check of an update of a table or collection view failed: an index path that it was given is not valid.",
      ["an index path without a row or section, such as nil or one of another view"],
      "See which index paths the first frame of yours inserts, deletes or reloads.",
      "UIKit, UITableViewSupport.m: the function's own name, in stacks with source lines",
    ),
    frame(
      "+[NSJSONSerialization dataWithJSONObject:*",
      "An object that cannot be represented in JSON was to be written as JSON.",
      ["a value that is neither string, number, array, dictionary nor null; NaN"],
      "Check with +isValidJSONObject:.",
      language,
    ),
    frame(
      "CA::Layer::set_position*",
      "A layer got a position that is not a number.",
      ["a division by zero in a layout"],
      "Check the geometry that the first frame of yours sets.",
      language,
    ),
    frame(
      "CA::Layer::set_bounds*",
      "A layer got bounds that are not a number.",
      ["a division by zero in a layout"],
      "Check the geometry that the first frame of yours sets.",
      language,
    ),
  ),
  frame(
    "_AssertAutoLayoutOnAllowedThreadsOnly",
    "The user interface was changed from another thread than the main thread.",
    ["code that runs on another thread, such as a completion handler"],
    "Dispatch to the main queue.",
    "Apple, Main Thread Checker",
  ),
  ...needing(
    "raise",
    frame(
      "NSKVODeallocate",
      "An object was deallocated while observers were still registered.",
      ["removeObserver: missing"],
      "Remove observers before the object goes away.",
      language,
    ),
  ),
  ...needing(
    "any",
    frame(
      "gpus_ReturnNotPermittedKillClient",
      "The graphics driver ended the process: the system did not permit its commands, as it does not permit an app of iOS in the background to draw with OpenGL ES or Metal.",
      [
        "drawing that goes on after an app of iOS left the foreground",
        "on a Mac commands after an error of the GPU",
      ],
      "On iOS stop drawing when the app resigns active, and wait for what is under way.",
      note,
    ),
    {
      ...frame(
        "gpus_ReturnGuiltyForHardwareRestart",
        "The GPU had to be restarted because of this process's commands.",
        ["a shader that does not end", "invalid resources"],
        "",
        note,
      ),
      isLater: true,
    },
    frame(
      "gpus_ReturnObjectErrorKillClient",
      "The graphics driver ended the process because of an invalid object.",
      [],
      "",
      note,
    ),
    ...["gpusGenerateCrashLog*", "gpusKillClient*", "gpumKillClient*", "gpus_KillClient*"].map((
      key,
    ): KnowledgeRow => ({
      ...frame(
        key,
        "The graphics driver ended the process: it could not execute its commands.",
        ["a GPU error or a restart of the GPU", "invalid commands or resources"],
        "Look at the GPU's restart reports; run with OpenGL or Metal validation.",
        note,
      ),
      isLater: true,
    })),
  ),
  // Metal has checks of its own too, without validation.
  ...["MTLReportFailure*", "_MTLMessageContextEnd"].map((key) =>
    frame(
      key,
      "A check of Metal failed.",
      [],
      "Read the message of the failed assertion.",
      'Apple, "Validating your app\'s Metal API usage"',
    )
  ),
  {
    ...frame(
      "__kmp_register_library_startup*",
      "The OpenMP run-time ended the process as it was to start: mostly because another copy of it is in the process already (OMP: Error #15).",
      [
        "two OpenMP run-times (libomp, libiomp5) in one process, as packages of conda and pip bring them",
      ],
      "See whether several copies of libomp or libiomp5 are among the images; then keep one.",
      "LLVM, openmp/runtime/src/kmp_runtime.cpp: __kmp_register_library_startup",
    ),
    isOfSetup: true,
  },
  ...["__kmp_abort_process*", "__kmp_fatal*"].map((key) =>
    frame(
      key,
      "The OpenMP run-time met an error and ended the process.",
      [],
      "Read its message (OMP: Error) on stderr.",
      "LLVM, openmp/runtime/src/kmp_i18n.cpp",
      "vague",
    )
  ),
  ...needing(
    "access",
    frame(
      "__kmp_*",
      "The OpenMP run-time used an address that is not valid.",
      [
        "two OpenMP run-times (libomp, libiomp5) in one process, as packages of conda and pip bring them",
        "a fork() after threads were made",
      ],
      "See whether several copies of libomp or libiomp5 are among the images; then keep one.",
      "LLVM, openmp/runtime/src/kmp_runtime.cpp; Intel, KMP_DUPLICATE_LIB_OK",
      "top",
    ),
  ),
  frame(
    "__assert_rtn",
    "An assertion failed.",
    [],
    "The calling frame has the assertion; where the report has no text of it, stderr has.",
    "assert(3)",
    "vague",
  ),
  frame(
    "Bundle.module fatal",
    "fatalError() stopped the process: the resource bundle of a Swift package was to be opened (Bundle.module).",
    ["the package's resource bundle is not where the generated code looks for it"],
    "See whether the app has the bundle (Package_Target.bundle), and in which folder.",
    "SwiftPM, Sources/Build/BuildDescription: the generated resource_bundle_accessor.swift",
  ),
  // The function after __assert_rtn(), whose last call does not return.
  ...["err + 0", "basename_r + 0", "a64l + 0"].map((key) =>
    frame(
      key,
      "An assertion failed.",
      [],
      "The calling frame has the assertion; where the report has no text of it, stderr has.",
      "Libc of iOS 11 to 15: assert.c's __assert_rtn() comes before it; public reports of one assertion, with and without its name",
      "vague",
    )
  ),
  frame("__assert", "An assertion failed.", [], "", "assert(3)", "vague"),
  frame(
    "__stack_chk_fail",
    "A function's stack frame was overwritten: its stack protector found a damaged canary.",
    ["a write past the end of a local array"],
    "The calling frame is the function; check its arrays. Run with Address Sanitizer.",
    "Libc, sys/OpenBSD/stack_protector.c",
  ),
  frame(
    "__chk_fail*",
    "A checked copy or format would have written beyond its buffer.",
    ["a buffer that is too small"],
    "",
    "Libc, secure/chk_fail.c",
  ),
  frame(
    "__chk_overlap",
    "A checked copy had overlapping source and destination.",
    ["memcpy or strcpy within one buffer"],
    "Use memmove.",
    "Libc, secure/chk_fail.c",
  ),
  ...needing(
    "any",
    frame(
      "___chkstk_darwin*",
      "The stack overflowed when a function with a large frame was called.",
      ["endless recursion", "a large local array"],
      "See the frames: which repeat, or which has large local variables.",
      "LLVM, the stack probe on Darwin",
    ),
  ),
  ...([["load", "read"], ["store", "write"]] as const).flatMap(([key, access]) =>
    ["1", "2", "4", "8", "16", "*"].map((size) => {
      const of = size === "*" ? "" : size === "1" ? " of 1 byte" : ` of ${size} bytes`;
      return frame(
        `__asan_report_${key}${size}`,
        `AddressSanitizer found a ${access}${of} in memory that the program may not use, and ended the process.`,
        ["an index or a length too large", "an object used after it was freed"],
        "Read AddressSanitizer's report in the application specific information or on stderr: it has the kind and the place.",
        "LLVM, compiler-rt/lib/asan/asan_rtl.cpp: __asan_report_load1 and others",
      );
    })
  ),
  // They also end a process for errors of their own.
  ...([
    [
      "A sanitizer found an error and ended the process.",
      ...["__asan::Report*", "__asan_report_*", "__ubsan_handle_*", "__tsan::ReportRace*"],
    ],
    [
      "A sanitizer that is built into the program ended the process.",
      ...["__asan::*", "__sanitizer::*", "__ubsan_*", "__tsan::*"],
    ],
  ] as const).flatMap(([meaning, ...keys]) =>
    keys.map((key) =>
      frame(
        key,
        meaning,
        [],
        "Read the sanitizer's report in the application specific information or on stderr.",
        "LLVM, compiler-rt",
        "vague",
      )
    )
  ),
  {
    ...frame(
      "_RegisterApplication",
      "The system's framework ended the program while it was registered with the window server.",
      ["no connection to a window server: no session with a screen, as over SSH or in a daemon"],
      "Start it in the session of a person who is logged in; read the console for the reason.",
      "Apple, Technical Note TN2083: window server connections of daemons",
    ),
    isOfSetup: true,
  },

  frame(
    "_assertionFailure*",
    "A Swift check failed: a precondition, fatalError(), an index out of range or a nil that was unwrapped.",
    [],
    "Read the message, on stderr where the report has none.",
    swift,
    "vague",
  ),
  frame(
    "_fatalErrorMessage*",
    "A Swift fatal error.",
    [],
    "Read the message, on stderr where the report has none.",
    swift,
    "vague",
  ),
  ...needing(
    "stop",
    ...[
      // Of nil String, Array, Dictionary, Set and Data make what is empty.
      "Date",
      "URL",
      "URLRequest",
      "IndexPath",
      "IndexSet",
      "UUID",
      "Notification",
      "Calendar",
      "Locale",
      "TimeZone",
      "DateComponents",
      "PersonNameComponents",
    ].map((type) =>
      frame(
        `static ${type}._unconditionallyBridgeFromObjectiveC*`,
        nilForValue,
        [`a method's parameter or result that is declared without an optional, for which nil came: ${type} is a value`],
        "See what the first frame of yours gets from Objective-C.",
        "Swift, _ObjectiveCBridgeable: _unconditionallyBridgeFromObjectiveC",
        "top",
      )
    ),
    ...[
      "Array._checkSubscript*",
      "Array._checkIndex*",
      "Array.subscript.*",
      "ArraySlice._checkSubscript*",
      "ArraySlice._checkIndex*",
      "ContiguousArray._checkSubscript*",
      "ContiguousArray._checkIndex*",
      "_ArrayBuffer._checkInoutAndNativeTypeCheckedBounds*",
      "_ArrayBuffer._checkInoutAndNativeBounds*",
      "_ArrayBuffer._checkValidSubscript*",
      "_ContiguousArrayBuffer._checkValidSubscript*",
      "Substring.subscript*",
      "String.subscript*",
    ].map((key) =>
      frame(
        key,
        "A Swift collection or string was used with an index or a range out of its bounds.",
        ["an index kept while the collection changed", "an empty collection"],
        "Check the index in the first frame of yours.",
        swift,
        "top",
      )
    ),
  ),
  frame(
    "FlutterViewController without its engine",
    "Flutter's view controller was loaded, and what it uses is null: most likely its engine was not running.",
    [
      "an engine that was not yet run when the view was loaded, as while a scene was connected",
      "an engine that could not start, as that of a build for debugging that was opened from the home screen",
    ],
    "See when the engine is run, and the known issues of its version; a build for debugging needs flutter run or Xcode.",
    "Flutter, FlutterViewController.mm: createTouchRateCorrectionVSyncClientIfNeeded; FlutterEngine.mm: platformTaskRunner; its issues 153971 and 190030",
  ),
  frame(
    "SwiftUI: a binding's element",
    "A binding of SwiftUI stood for an element of an array by its index, at which the array has none now.",
    ["an element that was removed while a view, such as a text field in its row, still had the binding to it"],
    "Have the binding look its element up by its identity, and do nothing where it is gone; or check the index in its get and set.",
    "Swift, Array._checkSubscript; SwiftUI, Binding's subscript of a MutableCollection",
  ),
  frame(
    "_diagnoseUnexpectedNilOptional*",
    "A Swift optional was nil where it was unwrapped.",
    [
      "a forced unwrap (!) or an implicitly unwrapped property that was not set, such as an outlet",
    ],
    "Unwrap with if let, or find out why it was nil.",
    swift,
  ),
  ...[
    "KEY_TYPE_OF_DICTIONARY_VIOLATES_HASHABLE_REQUIREMENTS*",
    "ELEMENT_TYPE_OF_SET_VIOLATES_HASHABLE_REQUIREMENTS*",
  ].map((key) =>
    frame(
      key,
      "Two equal keys of a Swift dictionary or set have different hashes, or keys changed inside it.",
      ["a Hashable whose == and hash(into:) do not agree", "changes from several threads"],
      "Correct hash(into:) and ==, and protect the collection from threads.",
      swift,
    )
  ),
  frame(
    "assertionFailure(_:*",
    "A Swift assertionFailure() was reached.",
    [],
    "Read the message.",
    swift,
  ),
  frame(
    "fatalError(_:*",
    "A Swift fatalError() was reached.",
    [],
    "Read the message.",
    swift,
  ),
  frame(
    "preconditionFailure(_:*",
    "A Swift precondition failed.",
    [],
    "Read the message.",
    swift,
  ),
  frame(
    "_swift_runtime_on_report",
    "The Swift run-time reported an error.",
    [],
    "Read the message.",
    swiftRuntime,
    "vague",
  ),
  frame(
    "getSuperclassMetadata*",
    "The Swift run-time could not find the superclass of a class.",
    [
      "a library that was not linked or loaded",
      "a library of another version than the program was built with",
    ],
    "See which library has the class, and link the framework of its superclass.",
    swiftRuntime,
  ),
  frame(
    "swift::fatalError*",
    "The Swift run-time reported a fatal error.",
    [],
    "Read its message, on stderr where the report has none.",
    swiftRuntime,
    "vague",
  ),
  frame(
    "swift_unexpectedError",
    "An error was thrown in a try! expression.",
    ["an operation that failed"],
    "Handle the error.",
    "Swift, stdlib/public/core/ErrorType.swift",
  ),
  frame(
    "swift_dynamicCastFailure*",
    "A Swift forced cast (as!) failed.",
    ["an object of another type"],
    "Use as?, or correct the type.",
    "Swift, stdlib/public/runtime/Casting.cpp",
  ),
  frame(
    "swift::swift_dynamicCastFailure*",
    "A Swift forced cast (as!) failed.",
    ["an object of another type"],
    "Use as?, or correct the type.",
    "Swift, stdlib/public/runtime/Casting.cpp",
  ),
  frame(
    "swift_abortRetainUnowned*",
    "A Swift unowned reference was used after its object was deallocated.",
    ["an unowned reference that outlives its object"],
    "Make the reference weak, or have the object live as long.",
    swiftRuntime,
  ),
  frame(
    "swift_deletedMethodError",
    "A Swift method was called that was removed from its class.",
    ["a library of another version than was linked"],
    "Ship the library that the program was built with.",
    swiftRuntime,
  ),
  frame(
    "swift_beginAccess",
    "Two Swift accesses to one variable overlapped, one of which writes.",
    [
      "a closure that uses what its caller changes",
      "a deinit or an observer that uses the variable that is being set or given up",
    ],
    "Separate the two accesses.",
    "Swift, docs/OwnershipManifesto.md: exclusivity enforcement",
  ),
  ...[
    "swift_task_checkIsolated*",
    "swift_task_isCurrentExecutor*",
    "_swift_task_checkIsolated*",
    "_checkExpectedExecutor*",
    "swift_task_reportUnexpectedExecutor*",
  ]
    .map((key) =>
      frame(
        key,
        wrongExecutor,
        [
          "a callback that the compiler took for code of an actor, such as the main actor, and that is called elsewhere",
        ],
        "Mark the callback @Sendable or nonisolated, or dispatch to the right queue.",
        "Swift, stdlib/public/Concurrency/Actor.cpp",
      )
    ),
  ...needing(
    "stop",
    ...[
      "CFBasicHashAddValue*",
      "CFBasicHashReplaceValue*",
      "CFBasicHashSetValue*",
      "CFBasicHashRemoveValue*",
      "CFBasicHashRemoveAllValues",
    ].map((key) =>
      frame(
        key,
        "CoreFoundation stopped the program as it was to change a dictionary, set or bag that is not mutable, or is not valid any more.",
        [
          "a collection, or an object with one such as a run loop's timers, that two threads used at once",
          "one that was already deallocated, whose memory something else has now",
        ],
        "Run with zombie objects or Thread Sanitizer.",
        "Apple, CF, CFBasicHash.c: HALT where CFBasicHashIsMutable is false",
        "top",
      )
    ),
  ),
  ...needing(
    "stop",
    ...["CheckedContinuation.resume*", "CheckedContinuationCanary.*"].map((key) =>
      frame(
        key,
        "A Swift continuation was resumed more than once.",
        ["a completion handler called twice"],
        "Resume each continuation exactly once.",
        "Swift, stdlib/public/Concurrency/CheckedContinuation.swift",
        "top",
      )
    ),
  ),
  frame(
    "swift_continuation_logFailedCheck*",
    "A Swift continuation was resumed more than once.",
    ["a completion handler called twice"],
    "Resume each continuation exactly once.",
    "Swift, stdlib/public/Concurrency/CheckedContinuation.swift",
  ),

  frame(
    "_dispatch_assert_queue_fail",
    "Code ran on another dispatch queue than it asserts, or on one that it asserts not to be on.",
    ["a callback that is called on another queue than its code was written for"],
    "Read the message, on stderr where the report has none, for the queue; see who calls the code.",
    dispatch,
  ),
  ...needing(
    "stop",
    frame(
      "dispatch_assert_queue*",
      "Code ran on another dispatch queue than it asserts, or on one that it asserts not to be on.",
      ["a callback that is called on another queue than its code was written for"],
      "",
      dispatch,
      "top",
    ),
  ),
  ...needing(
    "stop",
    frame(
      "__DISPATCH_WAIT_FOR_QUEUE__",
      "dispatch_sync was called on a queue that the current thread already owns, a deadlock.",
      ["dispatch_sync to the current queue"],
      "Do not call dispatch_sync on the queue you are on.",
      dispatch,
      "top",
    ),
  ),
  ...needing(
    "stop",
    frame(
      "_dispatch_semaphore_dispose*",
      "A dispatch semaphore was deallocated while in use: its value is below its initial value.",
      ["a wait without a signal"],
      "Signal it as often as it was waited for before it is released.",
      dispatch,
      "top",
    ),
  ),
  ...needing(
    "stop",
    frame(
      "_dispatch_barrier_sync_f_slow",
      "dispatch_sync was called on a queue that the current thread already owns, a deadlock.",
      ["dispatch_sync to the current queue"],
      "Do not call dispatch_sync on the queue you are on.",
      "libdispatch before macOS 10.13, src/queue.c",
      "top",
    ),
  ),
  frame(
    "_dispatch_sema4_create_slow*",
    "A dispatch semaphore could not be created.",
    ["too many Mach ports"],
    "Look for a leak of ports.",
    dispatch,
  ),
  ...needing(
    "stop",
    ...["dispatch_group_leave*", "_dispatch_group_leave*"].map((key) =>
      frame(
        key,
        "A dispatch group was left more often than entered.",
        ["a completion handler called twice"],
        "Pair enter and leave.",
        dispatch,
        "top",
      )
    ),
  ),
  ...needing(
    "stop",
    frame(
      "_dispatch_queue_xref_dispose*",
      "A suspended dispatch queue or source was released.",
      ["a source or queue that was not resumed as often as suspended, or never activated"],
      "Resume it before releasing it.",
      dispatch,
      "top",
    ),
  ),
  ...needing(
    "stop",
    frame(
      "_dispatch_source_xref_dispose*",
      "A suspended, inactive or not cancelled dispatch source was released.",
      [],
      "Resume or activate it, and cancel it, before it is released.",
      dispatch,
      "top",
    ),
  ),
  frame(
    "_xpc_api_misuse",
    "The XPC API was misused.",
    [],
    "Read the message.",
    "libxpc",
  ),

  frame(
    "libsystem_malloc without names",
    mallocStop,
    [],
    sanitize,
    malloc,
    "vague",
  ),
  { ...damage("libsystem_malloc where it allocates"), meaning: heapMet, needs: "access" },
  { ...damage("libsystem_malloc that stops where it allocates"), meaning: heapMet },
  // Both are called for each kind of error.
  ...["szone_error", "nanozone_error"].map((key) =>
    frame(key, mallocStop, [], sanitize, "libmalloc of OS X 10.7 to 10.12, src", "vague")
  ),
  ...[
    ...["malloc_error_break", "malloc_report*", "malloc_vreport*", "_malloc_vreport*"],
    "malloc_zone_error*",
  ].map((key) =>
    frame(
      key,
      mallocStop,
      [],
      sanitize,
      malloc,
      "vague",
    )
  ),
  frame(
    "a weak reference that stops",
    "A weak reference was made to an object that is being deallocated, most likely: the Objective-C run-time stops there.",
    [
      "self used for a weak reference, such as a delegate, in dealloc or in what dealloc calls",
      "an object that was released too often, or on another thread at that moment",
      "memory damage in the table of weak references",
    ],
    "Read the run-time's message, which begins with objc and names the object's class; make no weak reference to an object from its dealloc on.",
    "objc4, runtime/objc-weak.mm: weak_register_no_lock",
  ),
  raises("_malloc_put", malloc),
  ...[
    "find_zone_and_free*",
    "malloc_report_pointer_was_not_allocated*",
    "find_zone_and_realloc*",
    "mfm_free*",
    "mfm_realloc*",
    // On Mac OS X 10.6 to 10.9 these call abort() themselves, where malloc has no such block.
    "free that stops",
    "realloc that stops",
  ].map((key) =>
    frame(
      key,
      "A pointer was freed or reallocated that malloc did not allocate, or that was already freed.",
      [
        "a block freed twice",
        "a pointer into the middle of a block",
        "a pointer that was overwritten",
      ],
      sanitize,
      malloc,
    )
  ),
  damage("free_list_checksum_botch*"),
  damage("tiny_free_list_*"),
  damage("small_free_list_*"),
  damage("tiny_malloc_from_free_list*"),
  damage("small_malloc_from_free_list*"),
  damage("tiny_free_no_lock*"),
  damage("nanov2_guard_corruption_detected*"),
  damage("nanov2_*corruption*"),
  damage("_xzm_xzone_malloc_freelist_outlined*"),
  damage("_xzm_*corrupt*"),
  damage("xzm_*corrupt*"),
  // The allocator of what is needed before the zones are there; its own message says which it is.
  frame("mfm_*", mallocStop, [], sanitize, malloc, "vague"),
  frame(
    "nanov2_allocate_from_block*",
    heapDamage,
    ["a block written after it was freed"],
    sanitize,
    malloc,
    "top",
  ),
  frame(
    "_xzm_*",
    mallocStop,
    [],
    sanitize,
    malloc,
    "top",
  ),
  ...["___BUG_IN_CLIENT_OF_LIBMALLOC_POINTER_BEING_FREED_WAS_NOT_ALLOCATED"].map((key) =>
    frame(
      key,
      "A pointer was freed that malloc did not allocate, or that was already freed.",
      ["a block freed twice", "a pointer into the middle of a block"],
      sanitize,
      malloc,
    )
  ),
  frame(
    "internal_catch_exception_raise*",
    "A thread of the process serves a Mach port for exceptions, one came, and the process has no catch_exception_raise() for it that is exported: the system's library then calls abort().",
    [],
    "The exception was another thread's: see which of them was at work.",
    "XNU, libsyscall/mach/exc_catcher.c",
  ),
  ...["_os_unfair_lock_recursive_abort", "os_unfair_lock_recursive_abort"].map((key) =>
    frame(
      key,
      "An os_unfair_lock was locked again by the thread that holds it.",
      [
        "a function that is called under the lock and takes it again",
        "a path on which the lock was not unlocked",
      ],
      "",
      unfair,
    )
  ),
  frame(
    "_os_unfair_lock_corruption_abort",
    "An os_unfair_lock is damaged.",
    [
      "the object with the lock was deallocated",
      "memory damage",
      "a thread that ended, or that a fork() left behind, while it held the lock",
    ],
    sanitize,
    unfair,
  ),
  frame(
    "_os_unfair_lock_unowned_abort",
    "An os_unfair_lock was unlocked by a thread that does not hold it.",
    [],
    "",
    unfair,
  ),
  ...["lldb_image_notifier", "gdb_image_notifier", "_dyld_debugger_notification"].map((key) =>
    frame(
      key,
      "The process met a breakpoint in the function by which the dynamic linker tells a debugger of new images.",
      ["a debugger that ended or let go while its breakpoint was set"],
      "Start the program anew, without a debugger.",
      "dyld, dyld/DebuggerSupport.cpp",
    )
  ),
  frame(
    "dyld_fatal_error",
    "The dynamic linker ended the program; why is not in the report.",
    [],
    "Read its message.",
    "dyld",
    "vague",
  ),
  frame(
    "dyld4::halt*",
    "The dynamic linker ended the program; why is not in the report.",
    [],
    "Read its message.",
    "dyld",
    "vague",
  ),
  frame(
    "__dyld_fatal_error",
    "The dynamic linker ended the program; why is not in the report.",
    [],
    "Read its message.",
    "dyld",
    "vague",
  ),
  ...["__TCC_CRASHING_DUE_TO_PRIVACY_VIOLATION__", "__CRASHING_DUE_TO_PRIVACY_VIOLATION__"].map((
    key,
  ) =>
    frame(
      key,
      "The process used private data without the usage description that this takes.",
      ["a missing NS…UsageDescription"],
      "Read its message, on stderr where the report has none; add the usage description that it names.",
      "Apple, TCC",
    )
  ),
  {
    ...frame(
      "__BKSHIDEvent__BUNDLE_IDENTIFIER_FOR_CURRENT_PROCESS_IS_NIL__",
      noBundle,
      asBareFile,
      runFromBundle,
      "Apple, BackBoardServices: what its assertion says, and the name of its function",
    ),
    isOfSetup: true,
  },
  frame(
    "_ReportRPCTimeout",
    "The audio server did not answer in time.",
    [],
    "Look for reports of the audio server (coreaudiod, mediaserverd) from that time.",
    "Apple, AudioToolbox",
  ),
];
