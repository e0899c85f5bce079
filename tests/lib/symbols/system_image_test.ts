import { assertEquals } from "@std/assert";
import { isSystemPath } from "../../../lib/symbols/system_image.ts";

const runtimes = "/Library/Developer/CoreSimulator";
const xcode = "/Applications/Xcode.app/Contents/Developer/Platforms/iPhoneSimulator.platform";

/** Paths as images, reports and mappings have them, by system. */
const system: Readonly<Record<string, readonly string[]>> = {
  "macOS": [
    "/usr/lib/dyld",
    "/usr/lib/system/libsystem_kernel.dylib",
    "/usr/lib/swift/libswiftCore.dylib",
    "/usr/libexec/trustd",
    "/usr/sbin/mDNSResponder",
    "/usr/bin/login",
    "/bin/zsh",
    "/sbin/launchd",
    "/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit",
    "/System/Applications/Mail.app/Contents/MacOS/Mail",
    "/System/iOSSupport/System/Library/Frameworks/UIKit.framework/Versions/A/UIKit",
    "/System/DriverKit/usr/lib/system/libsystem_c.dylib",
    "/System/Volumes/Preboot/Cryptexes/OS/usr/lib/libc++.1.dylib",
    "/System/Cryptexes/App/System/Applications/Safari.app/Contents/MacOS/Safari",
    "/private/preboot/Cryptexes/OS/System/Library/Frameworks/WebKit.framework/WebKit",
  ],
  "iOS": [
    "/System/Library/PrivateFrameworks/UIKitCore.framework/UIKitCore",
    "/Developer/usr/lib/libBacktraceRecording.dylib",
    "/System/Developer/usr/lib/libBacktraceRecording.dylib",
  ],
  "Rosetta": [
    "/Library/Apple/usr/libexec/oah/libRosettaRuntime",
    "/usr/libexec/rosetta/runtime",
  ],
  "simulators": [
    `${runtimes}/Profiles/Runtimes/iOS 15.5.simruntime/Contents/Resources/RuntimeRoot/usr/lib/dyld_sim`,
    `${runtimes}/Volumes/iOS_21A328${runtimes}/Profiles/Runtimes/iOS 17.0.simruntime/Contents/Resources/` +
    "RuntimeRoot/System/Library/Frameworks/Foundation.framework/Foundation",
    "/Volumes/Other/iOS 16.4.simruntime/Contents/MacOS/iOS 16.4",
    `${xcode}/Developer/SDKs/iPhoneSimulator7.1.sdk/usr/lib/libobjc.A.dylib`,
  ],
  "Swift's libraries in an app": [
    "/private/var/containers/Bundle/Application/0/MyApp.app/Frameworks/libswiftCore.dylib",
    "/Applications/MyApp.app/Contents/Frameworks/libswift_Concurrency.dylib",
    "/Applications/MyApp.app/Contents/Frameworks/libswiftos.dylib",
  ],
  "Linux": [
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/lib64/ld-linux-x86-64.so.2",
    "/usr/lib/x86_64-linux-gnu/libm.so.6",
    "/usr/lib64/libpthread.so.0",
    "[vdso]",
    "linux-vdso.so.1",
    "/memfd:machpause (deleted)",
    "/home/user/.cache/machpause/macho-loader",
  ],
  "names without a path": ["libsystem_kernel.dylib", "dyld", "libswiftCore.dylib", "kernel"],
};

for (const [name, paths] of Object.entries(system)) {
  Deno.test(`of the system: ${name}`, () => {
    assertEquals(paths.filter((path) => !isSystemPath(path)), []);
  });
}

Deno.test("images that users and other vendors install are not system images", () => {
  const others = [
    "/usr/local/lib/libfoo.dylib",
    "/opt/homebrew/lib/libssl.3.dylib",
    "/Library/Frameworks/Mono.framework/Versions/Current/lib/libmono.dylib",
    "/Library/Application Support/Vendor/agent",
    "/Applications/MyApp.app/Contents/MacOS/MyApp",
    "/Applications/MyApp.app/Contents/Frameworks/libswiftnav.dylib",
    "/System/Volumes/Data/Users/me/MyApp",
    "/Users/me/System/Library/MyApp",
    "/Users/me/lib/libmine.dylib",
    "/Users/me/Library/Developer/CoreSimulator/Devices/0/data/Containers/Bundle/Application/0/My.app/My",
    "/private/var/containers/Bundle/Application/0/MyApp.app/MyApp",
    "/home/user/usr/lib/libmine.so",
    "/libertine/program",
    "/usr/lib/TweakInject/Till.dylib",
    "/usr/lib/libsubstitute.0.dylib",
    `/private/preboot/${"0".repeat(96)}/jb-KqP3xN/procursus/usr/lib/TweakInject/tweak.dylib`,
    "MyApp",
    "",
  ];
  assertEquals(others.filter(isSystemPath), []);
});
