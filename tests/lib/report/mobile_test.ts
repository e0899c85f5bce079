/** Reports of apps: what called them, what their frameworks refused, and what reporters of iOS leave out. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { explainReport, readReport } from "../../../lib/report/mod.ts";
import { told } from "./fixtures.ts";

/** A stack, each frame as `Image function + offset`, or `Image` alone where it has no name. */
function crash(header: string, frames: readonly string[], queue = ""): string {
  const lines = frames.map((line, at) => {
    const [image, ...symbol] = line.split(" ");
    const address = 0x7000 + at * 0x40;
    const place = symbol.length > 0 ? symbol.join(" ") : `0x6000 + ${address - 0x6000}`;
    return `${at}   ${image}   \t0x${address.toString(16).padStart(16, "0")} ${place}`;
  });
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
    "It was in code that CoreLocation called.",
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
  assert(!told(crash(access("0x10"), ["UIKit", ...loop])).what.includes("called."));
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
  assertStringIncludes(found.what, "does not say what happened");
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
