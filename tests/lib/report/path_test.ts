/** The call path: what led to where a stack ended, in a few names. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { attributeReport, explainReport, isNearest, readReport } from "../../../lib/report/mod.ts";
import "../../../lib/symbols/mod.ts";
import { frameLines, told } from "./fixtures.ts";

function crash(
  frames: readonly string[],
  header = "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\n" +
    "Exception Codes: KERN_INVALID_ADDRESS at 0x10",
): string {
  return `${header}\n\nThread 0 Crashed:\n${frameLines(frames, 0x7000).join("\n")}\n`;
}
const pathOf = (frames: readonly string[], header?: string): readonly string[] =>
  explainReport(readReport(crash(frames, header), "x")).path;
const loop = [
  "CoreFoundation __CFRunLoopRun + 8",
  "CoreFoundation CFRunLoopRunSpecific + 8",
  "AppKit -[NSApplication run] + 8",
  "MyApp main + 80",
  "dyld start + 4",
];

/** Frames of functions that say nothing. */
const many = (image: string, of = (at: number) => `more${at}()`): string[] =>
  Array.from({ length: 16 }, (_, at) => `${image} ${of(at)} + 8`);

Deno.test("of a path of up to sixteen functions none is left out", () => {
  const names = Array.from({ length: 16 }, (_, at) => `step${at}`);
  const frames = [...names.slice(0, 8).map((name) => `libimage.dylib ${name} + 8`)];
  const path = pathOf([...frames, ...names.slice(8).map((name) => `Tool ${name} + 8`)]);
  assertEquals(path.map((step) => step.split(" ")[0]), names.toReversed());
  assert(pathOf(["Tool more + 8", ...frames, ...many("Tool")]).includes("…"));
});

Deno.test("what std::function calls by is no step of a path", () => {
  const path = pathOf([
    "Shop bread::bake() + 8",
    "Shop std::__1::__function::__func<bread::plan()::$_1, std::__1::allocator<bread::plan()::$_1>, void ()>::operator()() + 8",
    "Shop _ZNSt3__110__function6__funcIZZN5bread5OvensC1ENS_10unique_ptrINS3_9JSRuntimeEEE... + 116",
    "Shop std::__1::function<void ()>::operator()() const + 8",
    "Shop bread::plan() + 8",
    ...loop,
  ]);
  assertEquals(path.map((step) => step.split(" ")[0]), ["bread::plan", "bread::bake"]);
});

Deno.test("a long path keeps waits, what raises, and interpreters", () => {
  const path = pathOf([
    "libsystem_kernel.dylib __psynch_mutexwait + 8",
    ...["pthread_mutex_lock", "one", "two", "three", "four"].map((name) =>
      `libscene.dylib ${name} + 8`
    ),
    ...many("libscene.dylib"),
    "Tool last + 8",
    ...many("Tool", (at) => `inner${at}()`),
    "Tool luaV_execute + 8",
    ...many("Tool", (at) => `outer${at}()`),
  ]).map((step) => step.split(" ")[0]);
  assert(path.includes("luaV_execute"), path.join(" → "));
  assert(path.includes("pthread_mutex_lock"), path.join(" → "));
});

Deno.test("the program's functions, then what the innermost called; the middle is left out", () => {
  assertEquals(
    pathOf([
      "libsystem_c.dylib match1 + 8",
      "libsystem_c.dylib match + 8",
      "Tool excluded + 8 (dir.c:12)",
      "Tool scan + 8 (dir.c:90)",
      "Tool scan + 8 (dir.c:90)",
      "Tool one + 8",
      "Tool two + 8",
      ...many("Tool"),
      "Tool status + 8 (status.c:5)",
      "Tool run_command + 8",
      "Tool main + 8",
      "dyld start + 8",
    ]),
    [
      "run_command (Tool)",
      "status (status.c:5)",
      "…",
      "two",
      "one",
      "scan (2 times) (dir.c:90)",
      "excluded (dir.c:12)",
      "match (libsystem_c.dylib)",
      "match1",
    ],
  );
});

Deno.test("how often a function recursed is the same number as elsewhere; main, and not what called it", () => {
  const linux = ["Tool main + 8", "libc.so.6 __libc_start_call_main + 122", "Tool _start + 33"];
  const eat = Array.from({ length: 5000 }, () => "Tool eat + 30");
  assertEquals(pathOf([...eat, ...linux]), ["main (Tool)", "eat (5000 times)"]);
  // Where others are between, how often it is there is not counted.
  eat[3000] = "Tool other + 4";
  assertEquals(pathOf([...eat, ...linux]), ["main (Tool)", "eat"]);
});

Deno.test("of frames that a report leaves out it is not said how many a function has", () => {
  const frame = (number: number, name: string) =>
    `${number}   Tool    0x${(0x100000000 + 0x1000 * number).toString(16)} ${name} + 30`;
  const text = [
    ...["Process: Tool [7]", "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)"],
    "Exception Subtype: KERN_INVALID_ADDRESS at 0x00007ff7b0000ff8",
    ...["Triggered by Thread:  0", "", "Thread 0 Crashed:"],
    ...Array.from({ length: 256 }, (_, at) => frame(at, "eat")),
    "... 90000 frames are left out here ...",
    ...Array.from({ length: 254 }, (_, at) => frame(90256 + at, "eat")),
    ...[frame(90510, "main"), "", "Binary Images:", ""],
  ].join("\n");
  const { happened, path } = explainReport(readReport(text, "left"));
  assertMatch(
    happened.join("\n"),
    /eat is on it 510 times in the 511 frames that are there of 90511/,
  );
  assertEquals(path, ["main (Tool)", "eat"]);
});

Deno.test("one function is no path; main below an event loop is none of it", () => {
  assertEquals(pathOf(["MyApp -[View tap:] + 8", ...loop]), []);
  assertEquals(
    pathOf(["Foundation -[NSString length] + 8", "MyApp -[View tap:] + 8", ...loop]),
    ["-[View tap:] (MyApp)", "-[NSString length] (Foundation)"],
  );
});

Deno.test("without functions of the program: the system's innermost ones, not those that raise", () => {
  assertEquals(
    pathOf(
      [
        "libsystem_kernel.dylib __pthread_kill + 8",
        "libsystem_c.dylib abort + 8",
        "QuartzCore CA::Render::validate(CA::Render::Object*) const + 8",
        "QuartzCore CA::Context::commit() + 8",
        ...loop,
      ],
      "Exception Type: EXC_CRASH (SIGABRT)",
    ),
    ["CA::Context::commit (QuartzCore)", "CA::Render::validate"],
  );
});

Deno.test("names: readable, without parameters and long arguments; a function's entries are the function", () => {
  assertEquals(
    pathOf([
      "MyApp _ZN6Parser4readEPKcj + 8",
      "MyApp void run<std::map<std::string, std::vector<std::pair<int, std::string>>>, std::allocator<int>>(int) + 8",
      "MyApp Loader.load(_:at:) + 8 (Loader.swift:4)",
      "MyApp @objc Loader.load(_:at:) + 8 (<compiler-generated>:0)",
      "MyApp protocol witness for Loading.load(_:at:) in conformance Loader + 8",
      "MyApp (anonymous namespace)::Pool::work(int, (anonymous namespace)::Pool&) const + 8",
      ...loop,
    ]),
    [
      "(anonymous namespace)::Pool::work (MyApp)",
      "Loader.load(_:at:) (Loader.swift:4)",
      "void run<…>",
      "Parser::read",
    ],
  );
});

Deno.test("what began it: the occasion and what it was part of", () => {
  const { what } = told(crash([
    "MyApp -[Draw line:] + 8",
    "AppKit -[NSView _drawRect:clip:] + 8",
    "QuartzCore CA::Transaction::commit() + 8",
    ...loop,
  ]));
  assertStringIncludes(
    what,
    "It was while a view was drawn, while Core Animation committed changes of views and layers.",
  );
  const queue = told(crash([
    "MyApp work + 8",
    "libdispatch.dylib _dispatch_client_callout + 8",
    "libdispatch.dylib _dispatch_main_queue_drain + 8",
    ...loop,
  ]));
  assertStringIncludes(queue.what, "It was in a block on the main queue.");
  const labelled = told(
    crash(["MyApp work + 8", "libdispatch.dylib _dispatch_call_block_and_release + 8"])
      .replace("Thread 0 Crashed:", "Thread 0 Crashed:: Dispatch queue: org.example.import"),
  );
  assertStringIncludes(labelled.what, "It was in a block on the queue org.example.import.");
});

Deno.test("what began it, where another event loop runs in the system's", () => {
  const timer = [
    "CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__ + 8",
    ...loop,
  ];
  const source = [
    "CoreFoundation __CFRunLoopDoSource0 + 8",
    "AppKit -[NSApplication run] + 8",
    "dyld start + 4",
  ];
  const when = (frames: readonly string[]) =>
    /It was .*/.exec(told(crash(["MyApp shop::Cart::open(int) + 8", ...frames])).what)?.[0];
  assertEquals(when(timer), "It was in a timer or a delayed call.");
  // Chromium's message loop is called by a timer.
  const task = "Chat base::TaskAnnotator::RunTaskImpl(base::PendingTask&) + 8";
  assertEquals(when([task, ...timer]), "It was in a task of Chromium's message loop.");
  assertEquals(
    when([
      "Chat mojo::InterfaceEndpointClient::HandleValidatedMessage(mojo::Message*) + 8",
      task,
      ...timer,
    ]),
    "It was while a message of Mojo, Chromium's IPC, was handled.",
  );
  const notify = "QtCore QCoreApplication::notifyInternal2(QObject*, QEvent*) + 8";
  assertEquals(when([notify, ...source]), "It was while an event of Qt was handled.");
  assertEquals(
    when(["MyApp shop::Field::focusOutEvent(QFocusEvent*) + 8", notify, ...source]),
    "It was while an event of Qt was handled (focusOutEvent).",
  );
  // A function of that name that Qt does not call.
  assertEquals(
    when(["MyApp shop::focusOutEvent(shop::Field*) + 8", ...source]),
    "It was in the callback of a source of a run loop.",
  );
});

Deno.test("a long path keeps where it came into another library or namespace", () => {
  const own = (names: readonly string[]) => names.map((name) => `MyApp ${name}(int) + 8`);
  assertEquals(
    pathOf([
      ...own(["cart::e", "cart::d", "cart::c", "cart::b", "cart::a", "wire::two", "wire::one"]),
      ...own(["wire::zero", ...Array.from({ length: 9 }, (_, at) => `app::more${at}`)]),
      ...own(["app::two", "app::one"]),
      ...loop,
    ]),
    [
      ...["app::one (MyApp)", "app::two", "…", "wire::zero", "…", "cart::a"],
      ...["cart::b", "cart::c", "cart::d", "cart::e"],
    ],
  );
});

Deno.test("rows are found by mangled names, and names in sentences are readable", () => {
  const { what } = told(
    "Exception Type: EXC_CRASH (SIGABRT)\nTermination Reason: Namespace DYLD, Code 4 Symbol missing\n\n" +
      "Dyld Error Message:\n  Symbol not found: __ZN6Parser4readEPKcj\n  Referenced from: /a/b\n  Expected in: /a/c\n",
  );
  assertStringIncludes(what, "Symbol not found: Parser::read(char const*, unsigned int)");
  assertStringIncludes(
    told(crash(
      ["libc++abi.dylib _ZSt9terminatev + 8", "MyApp work + 8", ...loop],
      "Exception Type: EXC_CRASH (SIGABRT)",
    )).what,
    "std::terminate() was called",
  );
});

Deno.test("libraries stand for code without names; the system's function that called the program", () => {
  assertEquals(
    pathOf([
      "CoreLocation -[CLLocationManager setDelegate:] + 8",
      "Plugin 0x7040 + 64",
      "Plugin 0x7080 + 128",
      "MyApp 0x70c0 + 192",
      "AppKit -[NSCollectionView reloadItems] + 8",
      "QuartzCore CA::Transaction::commit() + 8",
      ...loop,
    ]),
    [
      "-[NSCollectionView reloadItems] (AppKit)",
      "MyApp",
      "Plugin",
      "-[CLLocationManager setDelegate:] (CoreLocation)",
    ],
  );
});

Deno.test("a long path keeps where it came into other libraries", () => {
  const inner = ["a", "b", "c", "d", "e"].map((name) => `libimage.dylib ${name} + 8`);
  const outer = ["f", "g", "h", "i"].map((name) => `libscene.dylib ${name} + 8`);
  assertEquals(
    pathOf([
      ...inner,
      ...many("libimage.dylib"),
      ...outer,
      "Tool step + 8",
      "Tool work + 8",
      "Tool main + 8",
      "dyld start + 8",
    ]),
    [
      ...["work (Tool)", "step", "i (libscene.dylib)", "…", "more15() (libimage.dylib)", "…"],
      ...["d", "c", "b", "a"],
    ],
  );
});

Deno.test("an interpreter's functions may be long, others are only the nearest", () => {
  const far = (symbol: string): readonly string[] => pathOf(["Tool first + 8", `Tool ${symbol}`]);
  assertEquals(far("_PyEval_EvalFrameDefault + 50000"), [
    "_PyEval_EvalFrameDefault (Tool)",
    "first",
  ]);
  assertEquals(far("accessoryTapped + 50000"), []);
  // Accessors of what is large are not.
  assertEquals(far("vm::Script::GetCompileHints() const + 101476"), []);
});

Deno.test("an image with one name that is only the nearest has no others, but at their first bytes", () => {
  const frames = [
    "Plug Framework plug_name_get + 3407436",
    "Plug Framework plug::process(int) + 12000",
    "Plug Framework PlugMain + 84",
    "Tool main + 12000",
  ];
  const [thread] = readReport(crash(frames), "x").threads;
  assertEquals(thread.frames.map(isNearest), [true, true, false, false]);
  assertEquals(
    readReport(crash(frames.slice(1)), "x").threads[0].frames.map(isNearest),
    [false, false, false],
  );
});

Deno.test("of an image most of whose names are only the nearest, none is told but what is begun with, or known", () => {
  const frames = [
    "PlugKit plug_name_get + 3407436",
    "PlugKit plug::Scope::Scope(plug::Queue*) + 231",
    "PlugKit plug::Table::fetch() + 101476",
    "PlugKit PlugMain + 84",
    "PlugKit plug_name_get + 3407636",
    "PlugKit plug_name_get + 3407836",
    "PlugKit __assert_rtn + 96",
    "Tool main + 12",
  ];
  const [thread] = readReport(crash(frames), "x").threads;
  assertEquals(thread.frames.map(isNearest), [true, true, true, false, true, true, false, false]);
  // Where few are, the first bytes of the others are.
  const few = [...frames.slice(0, 2), "PlugKit plug::Table::Table() + 12"];
  assertEquals(readReport(crash(few), "x").threads[0].frames.map(isNearest), [true, false, false]);
});

Deno.test("where the system's code alone is on a stack, its libraries without names are told, and Java's native methods", () => {
  assertEquals(
    pathOf([
      "AppKit -[NSCell setStringValue:] + 40",
      "AppKit -[NSControl setStringValue:] + 135",
      "OvenPane 0x1000 + 64",
      "OvenPane 0x1000 + 32",
      "libdispatch.dylib 0x1000 + 32",
      "AppKit -[NSControl sendAction:to:] + 86",
    ].map((line) => line.replace("OvenPane", "HIServices"))),
    [
      "-[NSControl sendAction:to:] (AppKit)",
      "HIServices",
      "-[NSControl setStringValue:] (AppKit)",
      "-[NSCell setStringValue:]",
    ],
  );
  assertEquals(
    pathOf([
      "libjvm.dylib JNIHandles::make_global(Handle) + 48",
      "libjvm.dylib jni_NewGlobalRef + 138",
      "libswt-cocoa-4427.jnilib Java_org_eclipse_swt_internal_Oven_bind + 681",
    ])[0],
    "Java_org_eclipse_swt_internal_Oven_bind (libswt-cocoa-4427.jnilib)",
  );
});

Deno.test("a long path keeps what called a library of C that was compiled in", () => {
  const frames = [
    "db_root",
    "db_search",
    "db_first",
    "db_get",
    "db_begin",
    "Chain::open",
    ...Array.from({ length: 12 }, (_, at) => `Core::more${at}`),
  ];
  assertEquals(
    pathOf([...frames.map((name) => `Tool ${name} + 8`), "Tool begin + 8", "Tool run + 8"]),
    [
      "run (Tool)",
      "begin",
      "…",
      "Chain::open",
      "…",
      "db_get",
      "db_first",
      "db_search",
      "db_root",
    ],
  );
});

Deno.test("mangled names with the image after them", () => {
  assertEquals(
    pathOf(["Tool __TFC4Tool4Cart3addfS0_FSiT_ (in Tool) + 8", "Tool begin (in Tool) + 8"]),
    ["begin (Tool)", "Cart.add(_:)"],
  );
});

Deno.test("long names of C++ keep the function's own name, at their end", () => {
  const state = `Merge<State<${"Graph<Edge<unsigned long>>, ".repeat(12)}bool (*)(int)>>`;
  const name = (symbol: string): string | undefined =>
    pathOf([`Tool ${symbol} + 8`, "Tool go + 8"])[1];
  assertEquals(name(`space::${state}::move(unsigned long const&)`), "space::Merge<…>::move");
  assertEquals(name(`space::${state}::operator<(int) const`), "space::Merge<…>::operator<");
  assertEquals(
    name(`space::plan(${"std::vector<int> const&, ".repeat(9)}int)::$_7::operator()(int) const`),
    "space::plan(…)::$_7::operator()",
  );
  // A result's type is the first to make room.
  const scope = "a_scope_with_a_name_that_is_so_long_that_little_else_fits";
  assertEquals(name(`std::pair<${state}, int> ${scope}::move<int>(int)`), `${scope}::move<…>`);
  // Cut off within its parameters by the reporter.
  assertEquals(name(`space::run<${state}>(space::Handle<int>, space::Insta`), "space::run<…>");
  assertEquals(
    name(Array.from({ length: 40 }, (_, at) => `scope${at}`).join("::")),
    `…::${Array.from({ length: 15 }, (_, at) => `scope${at + 25}`).join("::")}`,
  );
});

Deno.test("names as reporters write them: offsets inside, Rust's codes, templates' own return types", () => {
  assertEquals(
    pathOf([
      "Foundation -[NSObject+ 1045168 (NSObject) count] + 8",
      "Plug decltype(std::declval<int>()) std::__1::__invoke<int>(int) + 8",
      "Plug app::view::_$u7b$$u7b$closure$u7d$$u7d$::draw::h29866c0ca3cc062b + 8",
      "Plug core::_$LT$impl$u20$Draw..Now$GT$::run + 8",
      ...loop,
    ]),
    [
      "core::<impl Draw::Now>::run (Plug)",
      "app::view::{{closure}}::draw",
      "decltype(std::declval<int>()) std::__1::__invoke<int>",
      "-[NSObject(NSObject) count] (Foundation)",
    ],
  );
});

Deno.test("a thread that only waits has no path, where nothing says that it crashed", () => {
  const { path } = explainReport(readReport(
    "Thread 0 Crashed:\n0   libsystem_kernel.dylib   \t0x0000000000007000 mach_msg_trap + 8\n" +
      "1   libsystem_kernel.dylib   \t0x0000000000007040 mach_msg + 8\n" +
      "2   Security   \t0x0000000000007080 securityd_send_sync_and_do + 8\n",
    "x",
  ));
  assertEquals(path, []);
});

Deno.test("a stack that recursed for long: both of its ends", () => {
  const frames = Array.from(
    { length: 9000 },
    (_, at) => `Tool ${at % 2 === 0 ? "walk" : "visit"} + 8`,
  );
  const path = pathOf([...frames, "Tool begin + 8", "Tool main + 8", "dyld start + 8"]);
  assertEquals([path[0], path.at(-1), path.includes("…")], ["begin (Tool)", "walk", true]);
});

Deno.test("initializers: before main(), or of a library that is loaded later", () => {
  const init = [
    "Plug _GLOBAL__sub_I_plug.cpp + 8",
    "dyld ImageLoaderMachO::doModInitFunctions(ImageLoader::LinkContext const&) + 8",
  ];
  const start = told(
    crash([...init, "dyld dyld::initializeMainExecutable() + 8", "dyld _dyld_start + 8"]),
  );
  assertStringIncludes(start.what, "It was before main(), while static objects");
  const later = told(
    crash([...init, "libdyld.dylib dlopen + 8", "Tool load + 8", "Tool main + 8"]),
  );
  assertStringIncludes(later.what, "It was while a library was loaded, while static objects");
});

Deno.test("what the system did further in: both ends, with a mark for what is left out", () => {
  assertEquals(
    pathOf([
      "libobjc.A.dylib objc_retain + 16",
      "AppKit -[NSMenuBarWindow replicate] + 8",
      "AppKit -[NSMenuBar update] + 8",
      ...many("AppKit", (at) => `-[NSMenuBar show${at}:]`),
      "AppKit -[NSScreen changed] + 8",
      "AppKit -[NSScreen update:] + 8",
      "MyApp -[Bar toggle] + 8",
      ...loop,
    ]),
    [
      "-[Bar toggle] (MyApp)",
      "-[NSScreen update:] (AppKit)",
      "-[NSScreen changed]",
      "…",
      "-[NSMenuBar update]",
      "-[NSMenuBarWindow replicate]",
      "objc_retain (libobjc.A.dylib)",
    ],
  );
  // Without the program: where it came into other libraries too, but not what only brings calls on.
  assertEquals(
    pathOf([
      "libGPUSupport.dylib gpusKill + 8",
      "AMDRadeonX4000GLDriver glrSubmit + 8",
      "AMDRadeonX4000GLDriver glrFlushToken + 8",
      "libGPUSupport.dylib gldFlush + 8",
      "GLEngine glFlushRender_Exec + 8",
      "QuartzCore CAOpenGLLayerDraw + 8",
      "QuartzCore -[CAOpenGLLayer _display] + 8",
      ...many("QuartzCore", (at) => `-[CALayer more${at}]`),
      "QuartzCore CA::Group::dispatch(bool) + 8",
      "CoreFoundation __CFMachPortPerform + 8",
      ...loop,
    ]),
    [
      "CA::Group::dispatch (QuartzCore)",
      "…",
      "glFlushRender_Exec (GLEngine)",
      "gldFlush (libGPUSupport.dylib)",
      "glrFlushToken (AMDRadeonX4000GLDriver)",
      "glrSubmit",
      "gpusKill (libGPUSupport.dylib)",
    ],
  );
  assertEquals(
    pathOf([
      "libc++.1.dylib std::__1::locale::locale(char const*) + 8",
      "MyApp Text::lower(char) + 8",
      ...loop,
    ]),
    ["Text::lower (MyApp)", "std::__1::locale::locale (libc++.1.dylib)"],
  );
});

Deno.test("a program of Apple's has a path of its own functions; one that has no name is placed", () => {
  const header =
    "Process: Preview [1]\nPath: /System/Applications/Preview.app/Contents/MacOS/Preview\n" +
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x38";
  assertEquals(
    pathOf([
      "SceneKit C3DAccessor + 4",
      "SceneKit -[SCNScene load] + 4",
      "Preview -[PVScene open] + 8",
      ...loop.slice(0, 3),
      "dyld start + 4",
    ], header),
    ["-[PVScene open] (Preview)", "-[SCNScene load] (SceneKit)", "C3DAccessor"],
  );
  // A copy without a header: the memory regions have the program's path.
  const regions = "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\n\nVM Regions Near 0x38:\n--> \n" +
    "    __TEXT   0000000100828000-0000000100a0c000 [ 1936K] r-x/rwx SM=COW  /Applications/Preview.app/Contents/MacOS/Preview";
  const frames = [
    "com.apple.SceneKit C3DAccessor + 4",
    "com.apple.Preview 0x100828000 + 340098",
    ...loop.slice(0, 3).map((line) => `com.apple.${line}`),
  ];
  assertEquals(pathOf(frames, regions), ["com.apple.Preview", "C3DAccessor (com.apple.SceneKit)"]);
  assertEquals(
    pathOf(["MyApp 0x7000 + 0", "MyApp -[Cart add:] + 8", "MyApp -[Cart tap:] + 8", ...loop]),
    ["-[Cart tap:] (MyApp)", "-[Cart add:]", "MyApp 0x7000"],
  );
});

Deno.test("a page whose signature does not hold: what touched it, and when, are told", () => {
  const { path, happened } = explainReport(readReport(
    crash(
      [
        "libobjc.A.dylib lookUpImpOrForward + 8",
        "MyApp -[Cart open] + 8",
        "MyApp -[Cart reopen:] + 8",
        "AppKit -[NSApplication(NSAppleEventHandling) _handleAEReopen:] + 8",
        ...loop,
      ],
      "Exception Type: EXC_BAD_ACCESS (SIGKILL (Code Signature Invalid))\n" +
        "Exception Codes: UNKNOWN_0x32 at 0x0000000104d24000\n" +
        "Termination Reason: Namespace CODESIGNING, Code 0x2",
    ),
    "x",
  ));
  assertEquals(path, [
    "-[Cart reopen:] (MyApp)",
    "-[Cart open]",
    "lookUpImpOrForward (libobjc.A.dylib)",
  ]);
  assertStringIncludes(happened.join(" "), "reopen event");
});

Deno.test("beyond code that a run-time made, a stack that reaches no thread's beginning tells nothing", () => {
  const frames = [
    "js Assembler::pop() + 8 (Assembler.h:50)",
    "js Stub::code() + 8 (Stub.cpp:7)",
    "??? 0x101e48547",
    "libsystem_c.dylib __cxa_finalize_ranges + 345",
    "XUL XRE_main + 8",
    "AppKit -[NSApplication _nextEventMatchingEventMask:untilDate:inMode:dequeue:] + 454",
  ];
  const { path, happened } = explainReport(readReport(crash(frames), "x"));
  assertEquals(path, ["Stub::code (js, Stub.cpp:7)", "Assembler::pop (Assembler.h:50)"]);
  assertEquals(happened.some((text) => text.includes("exit")), false);
  const whole = explainReport(readReport(crash([...frames, "dyld start + 4"]), "x"));
  assertStringIncludes(whole.happened.join(" "), "exit");
});

Deno.test("a process's own image, with and without /private before its path", () => {
  const header = "Process: Brain [7]\nPath: /private/var/run/com.apple.xpcproxy/Brain\n" +
    "Identifier: com.apple.Brain\nOS Version: iOS 8.1.2 (12B440)\n" +
    "Exception Type: EXC_BAD_ACCESS (SIGSEGV)\nException Codes: KERN_INVALID_ADDRESS at 0x10";
  const text = crash(["Brain 0x7000 + 16"], header) +
    "\nBinary Images:\n0x7000 - 0x8fff Brain arm64  <865e9aa3dce0392393a2445e115bc26f> /var/run/com.apple.xpcproxy/Brain\n";
  assertEquals(attributeReport(readReport(text, "x")).isApple, true);
});

Deno.test("names with what is left of a place; images that have no name are no step", () => {
  assertEquals(
    pathOf([
      "MyApp -[Cart add:] +",
      "MyApp -[Cart tap:] +  24",
      "MyApp Cart.show()   (Cart.swift:7)",
      "? ? + 4373061536",
      "MyApp main   (AppDelegate.swift)",
    ]),
    ["Cart.show() (MyApp, Cart.swift:7)", "-[Cart tap:]", "-[Cart add:]"],
  );
});

Deno.test("of a path through a toolkit the program's own function is kept", () => {
  const path = pathOf([
    "QtGui QBackingStore::beginPaint(QRegion const&) + 8",
    "QtWidgets QWidgetPrivate::repaint(QRegion const&) + 8",
    "QtWidgets QApplicationPrivate::notify_helper(QObject*, QEvent*) + 8",
    "QtCore QCoreApplication::notifyInternal2(QObject*, QEvent*) + 8",
    "QtGui QWindowSystemInterface::handleExposeEvent(QWindow*) + 8",
    "QtGui QWindowPrivate::setVisible(bool) + 8",
    "QtWidgets QWidgetPrivate::hide_sys() + 8",
    "QtWidgets QWidget::setGeometry(QRect const&) + 8",
    "libOven.dylib OvenPopup::setEffect(QRect) + 8",
    "QtCore QAbstractAnimation::setCurrentTime(int) + 8",
    "QtCore QUnifiedTimer::update(long long) + 8",
    "QtCore QTimerInfoList::activateTimers() + 8",
    ...many("QtCore", (at) => `QTimerInfoList::more${at}()`),
    "QtCore QCoreApplication::exec() + 8",
    "MyApp bake() + 8",
    ...loop.slice(-2),
  ]);
  assert(path.some((step) => step.startsWith("OvenPopup::setEffect (libOven")), path.join(" → "));
  assert(!path.some((step) => step.includes("notify")), path.join(" → "));
});

Deno.test("what interprets a script is told once, not for each of the script's functions", () => {
  const call = [
    "python3 call_function + 8",
    "python3 _PyEval_EvalFrameDefault + 8",
    "python3 _PyEval_Vector + 8",
  ];
  const path = pathOf([
    "libbread.so bake(Oven&) + 8",
    "libbread.so _wrap_bake + 8",
    ...Array.from({ length: 9 }, () => call).flat(),
    "python3 pymain_main + 8",
    "dyld start + 8",
  ]).join(" ");
  assert(path.split("_PyEval_EvalFrameDefault").length <= 3, path);
  assertStringIncludes(path, "bake");
});

Deno.test("a plug-in that other programs load is told as one, by its folder", () => {
  const loaded = (path: string) => {
    const report = readReport(
      "Process: Studio [1]\nPath: /Applications/Studio.app/Contents/MacOS/Studio\nOS Version: macOS 14.1 (23B74)\n" +
        crash(["0x000000010ed44500 Choir 0x10ed44000 + 1280", ...loop]) +
        "\nBinary Images:\n0x100000000 - 0x10000ffff Studio (1) <0a0b0c0d0e0f40018001020304050607> " +
        "/Applications/Studio.app/Contents/MacOS/Studio\n" +
        `0x10ed44000 - 0x10ed54000 com.example.Choir (1) <0a0b0c0d0e0f40018001020304050608> ${path}\n`,
      "x",
    );
    const { isPlugIn, isOutside } = attributeReport(report);
    return { isPlugIn, isOutside, next: explainReport(report).check.join(" ") };
  };
  const unit = loaded("/Library/Audio/Plug-Ins/Components/Choir.component/Contents/MacOS/Choir");
  assertEquals([unit.isPlugIn, unit.isOutside], [true, true]);
  assertStringIncludes(unit.next, "run the program without it: only the maker of Choir has");
  // Reports leave out the folders of what is in a person's own.
  const redacted = loaded("/Users/USER/*/Choir.vst3/Contents/MacOS/Choir");
  assertEquals([redacted.isPlugIn, redacted.isOutside], [true, true]);
  const persons = loaded("/Users/USER/*/libchoir.dylib");
  assertEquals([persons.isPlugIn, persons.isOutside], [false, true]);
  const library = loaded("/usr/local/lib/Choir");
  assertEquals([library.isPlugIn, library.isOutside], [false, true]);
  assert(!library.next.includes("plug-in"), library.next);
  const own = loaded(
    "/Applications/Studio.app/Contents/PlugIns/Choir.component/Contents/MacOS/Choir",
  );
  assertEquals([own.isPlugIn, own.isOutside], [false, false]);
});
