/** What the stacks of other threads tell: calls that wait for the main thread, and engines that one thread at a time may use. */

/** A function in which a thread waits until the main thread has done something. */
export interface MainCall {
  readonly name: RegExp;
  /** Whether only its name says so, as that of a function which a program has for it. */
  readonly byName?: true;
  readonly source: string;
}

/** See {@linkcode MainCall}. */
export const mainCalls: readonly MainCall[] = [
  {
    name: /^-\[NSObject\(NSThreadPerformAdditions\) performSelectorOnMainThread:/,
    source: "Apple, NSObject performSelectorOnMainThread:withObject:waitUntilDone:",
  },
  {
    name: /^WTF::callOnMain(?:Thread|RunLoop)?AndWait\b/,
    source: "WebKit, Source/WTF/wtf/MainThread.cpp",
  },
  {
    name: /^_?_?RCTUnsafeExecuteOnMainQueue(?:Once)?Sync/,
    source: "React Native, React/Base/RCTUtils.mm",
  },
  {
    name: /^\+\[(?:ThreadUtilities|JNFRunLoop) performOnMainThread(?:Waiting)?:/,
    source: "OpenJDK, java.desktop/macosx/native/libosxapp/ThreadUtilities.m",
  },
  { name: /^wxMutexGuiEnter/, source: "wxWidgets, src/common/threadinfo.cpp and src/osx/core" },
  {
    // One that asks where it runs does nothing there.
    name:
      /(?<!is_?|not_?|assert_?|check_?|ensure_?|expect_?)(?:on|in|to)_?(?:the_?)?main_?(?:thread|queue)|main_?(?:thread|queue)_?(?:sync|wait)/i,
    byName: true,
    source: "names that programs give such functions",
  },
];

/** The call that waits for the main thread which a function is; `null` for others. */
export function mainCall(symbol: string): MainCall | null {
  const name = symbol.slice(0, 300);
  return mainCalls.find((call) => call.name.test(name)) ?? null;
}

/** A run-time or library of which one thread at a time may use an instance. */
export interface Engine {
  readonly title: string;
  /** Functions in which a thread uses an instance. */
  readonly uses: RegExp;
  /** What all functions of the machine begin with, of those that run JavaScript. */
  readonly inside?: RegExp;
  /** Where the innermost function of both threads has to be one of those, since others wait further out with the instance
   * given up. */
  readonly isInnermost?: true;
  /** A function that has to be on the stack of both, where others may have functions of the same names. */
  readonly base?: RegExp;
  /** Functions by which the use is as it has to be, and what they are called together. */
  readonly permits?: { readonly names: RegExp; readonly title: string };
  /** Whether it is one of user interfaces: two threads in it are themselves a cause. */
  readonly isInterface?: true;
  /** What may be used by one thread at a time. */
  readonly rule: string;
  readonly source: string;
}

/** See {@linkcode Engine}. */
export const engines: readonly Engine[] = [
  {
    title: "Hermes",
    uses: /^facebook::hermes::.{0,40}HermesRuntimeImpl::/,
    inside: /^hermes::vm::/,
    rule: "one run-time of Hermes may be used by one thread at a time",
    source: 'Hermes, API/jsi/jsi/jsi.h: "a Runtime is not thread-safe"',
  },
  {
    title: "Worklets",
    uses: /^worklets::ReanimatedReentrancyCheck::/,
    rule: "one run-time of worklets may be entered by one thread at a time",
    source: "react-native-worklets, Common/cpp/worklets: ReanimatedReentrancyCheck",
  },
  {
    // Its heap's functions, its objects' and its interpreter's, also in its copies.
    title: "JavaScriptCore",
    uses:
      /^(?:JSC|TI)::(?:JSLock|Heap::collect|MarkedAllocator::allocate|MarkedSpace::allocate|LocalAllocator::allocate|Interpreter::execute|JSObject::|JSPropertyNameIterator::|ExecState::|DelayedReleaseScope::)|^llint_/,
    inside: /^(?:JSC|TI)::/,
    rule: "one thread at a time may use a virtual machine of it, under its lock",
    source: "WebKit, Source/JavaScriptCore/runtime/JSLock.h",
  },
  {
    // What its own threads do for an isolate is none of them.
    title: "V8",
    uses:
      /^(?:v8::(?:Function|Object)::(?:Call|CallAsFunction|CallAsConstructor|Get|Set)\(|v8::Script::Run\(|v8::internal::(?:Execution::|Invoke\b|\(anonymous namespace\)::Invoke\b)|Builtins_JSEntry)/,
    inside: /^v8::internal::/,
    rule: "one thread at a time may use an isolate of V8, or under its Locker",
    source: "V8, include/v8-isolate.h and include/v8-locker.h",
  },
  {
    title: "Lua",
    uses:
      /^(?:luaV_execute|luaD_\w{2,40}|luaH_\w{2,40}|luaC_\w{2,40}|luaS_\w{2,40}|lua_p?callk?|lj_(?:gc|tab|str|vm|BC)_?\w{1,40})$/,
    rule: "a state of Lua, with all its coroutines, may be used by one thread at a time",
    source: "Lua, llimits.h: lua_lock; the reference manual, lua_newthread",
  },
  {
    // A thread that gave the lock up is in the system's functions, and one that waits for it as well.
    title: "CPython",
    uses:
      /^(?:_?PyEval_EvalFrame\w{0,20}|_?Py(?:Object|Dict|List|Tuple|Long|Unicode|Bytes|Type|Gen|Function|Method|Module)_\w{2,60}|_Py_Dealloc|(?:dict|list|tuple|unicode|type|object|subtype|func|frame|code)_\w{2,40}|gc_collect_main|visit_decref|visit_reachable)$/,
    isInnermost: true,
    base: /^_?PyEval_EvalFrame/,
    rule: "its objects may be used by the thread that holds its lock (GIL) only",
    source: "CPython, Doc/c-api/init.rst: thread state and the global interpreter lock",
  },
  {
    title: "SQLite",
    uses: /^sqlite3(?!_(?:open|config|initialize|mutex|sleep))\w{2,60}$/,
    rule:
      "one connection, with its statements, may be used by one thread at a time, unless SQLite is set to be serialized",
    source: "SQLite, Using SQLite In Multi-Threaded Applications",
  },
  {
    title: "Core Data",
    uses:
      /^[-+]\[_{0,2}(?:NSManagedObject(?:Context)?|NSPersistentStoreCoordinator|NSFetchRequest|PFManaged\w{1,40})(?:\(\w{1,60}\))? |^_(?:PF|sharedIMPL_|NSFault)\w{2,60}$/,
    permits: {
      names:
        /^-\[NS(?:ManagedObjectContext|PersistentStoreCoordinator|PersistentContainer)(?:\(\w{1,60}\))? _?perform|BlockToNS(?:ManagedObjectContext|PersistentStoreCoordinator)Perform|\bNS(?:ManagedObjectContext|PersistentContainer)\.perform/,
      title: "perform()",
    },
    rule:
      "a context and its objects may be used in perform() of that context only, or on its own thread",
    source: "Apple, NSManagedObjectContext: Concurrency",
  },
  {
    title: "the system's text layout",
    uses:
      /^[-+]\[NS(?:LayoutManager|TextStorage|ConcreteTextStorage|TextContainer|TextView|Typesetter|ATSTypesetter|TextLayoutManager)(?:\(\w{1,60}\))? |^_NS(?:LayoutTree|FastFill\w{0,20}Layout|GlyphTree|SelectedGlyph)\w{1,80}$/,
    isInterface: true,
    rule: "a layout manager, with its text and its views, may be used by one thread at a time",
    source: "Apple, Text Layout Programming Guide: thread safety of the text system",
  },
  {
    title: "AppKit's views",
    uses:
      /^[-+]\[NS(?:View|Window|Control|Cell|Button|ButtonCell|TextField|TextFieldCell|TableView|OutlineView|ScrollView|ClipView|SplitView|TabView|BrowserView|StackView|CollectionView|Menu|MenuItem|Toolbar|ThemeFrame|NextStepFrame)(?:\(\w{1,60}\))? /,
    isInterface: true,
    rule: "windows and views are to be used from the main thread",
    source: "Apple, Threading Programming Guide: thread safety summary",
  },
  {
    title: "wxWidgets' windows",
    uses:
      /^wx(?:Window|WindowBase|WindowMac|Frame|FrameBase|Dialog|Control|ControlBase|TextCtrl|TextCtrlBase|TextEntry|ListCtrl|ListBox|TreeCtrl|Grid|Sizer|BoxSizer|Panel|StatusBar|ToolBar|Menu|MenuItem|Notebook|Choice|ComboBox|Button|StaticText|Gauge|Slider)::(?!~?wxEvt)\w{2,60}\b/,
    isInterface: true,
    rule: "windows are to be used from the main thread",
    source: "wxWidgets, Multithreading Overview",
  },
  {
    title: "Qt's widgets",
    uses:
      /^Q(?:Widget|WidgetPrivate|WidgetBackingStore|Layout|BoxLayout|GridLayout|MainWindow|Dialog|Label|AbstractButton|PushButton|LineEdit|TextEdit|PlainTextEdit|TextBrowser|WidgetTextControl|WidgetTextControlPrivate|AbstractItemView|TreeView|TableView|ListView|TreeWidget|TableWidget|ListWidget|HeaderView|TabWidget|TabBar|ComboBox|ProgressBar|StatusBar|GraphicsScene|GraphicsView|GraphicsItem)(?:Private)?::\w{2,60}\b/,
    isInterface: true,
    rule: "widgets are to be used from the main thread",
    source: "Qt, Thread Basics: GUI thread and worker thread",
  },
  {
    title: "Realm",
    uses:
      /^realm::(?!util::(?:terminate|\(anonymous)|_impl::|sync::)|^-?\[RLM(?:Realm|Object|Results|Array)\w{0,30} /,
    rule: "an instance of Realm, and the objects that came from it, belong to one thread",
    source: "Realm, the guide to threading",
  },
];

/** Threads and queues of run-times and frameworks that are linked into programs: what runs on them is theirs, or was called by
 * them. */
export const partThreads: readonly {
  readonly name: RegExp;
  readonly title: string;
  /** Whether a program that has such a thread is mostly of what it is linked with, so that this holds for all its threads. */
  readonly isWhole?: true;
  readonly source: string;
}[] = [
  {
    name: /^KrollContext\b/,
    title: "Titanium",
    isWhole: true,
    source: "Titanium, iphone/TitaniumKit/KrollContext.m",
  },
  {
    name: /^SGen worker$|^tid_[0-9a-f]{1,8}$/,
    title: "Mono",
    isWhole: true,
    source:
      "Mono, mono/sgen/sgen-thread-pool.c and mono/utils/mono-threads.c: mono_native_thread_set_name",
  },
  {
    name: /^expo\.controller\.errorRecoveryQueue$/,
    title: "expo-updates",
    source: "Expo, packages/expo-updates/ios/EXUpdates/ErrorRecovery.swift",
  },
  {
    name:
      /^com\.(?:facebook|meta)\.react\.(?:(?:runtime\.)?JavaScript|turbomodulemanager\.queue)$|^hades$/,
    title: "React Native",
    source: "React Native, RCTTurboModuleManager.mm and RCTJSThreadManager.mm; Hermes, HadesGC.cpp",
  },
  {
    name: /^expo\.modules\.AsyncFunctionQueue$/,
    title: "an Expo module",
    source: "Expo, packages/expo-modules-core",
  },
];
