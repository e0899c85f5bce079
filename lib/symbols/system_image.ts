/** Which images come with the system: whose frames are not the program's own, and whose debug
 * information nobody outside has. */

/** Folders that hold the system's binaries.
 *
 * - `/System/Volumes/Data/` is the exception below `/System/`: the volume with the user's files; and so are the
 *   `site-packages` of the Python that Mac OS X 10.3 has: what users install.
 * - Cryptexes hold parts of macOS 13, iOS 16 and later, by several paths. Other folders of the preboot volume hold
 *   what jailbreaks install.
 * - `/Library/Apple/` holds Rosetta, and what Apple updates outside the sealed volume.
 * - `/Developer/` is the developer disk image of iOS, and Xcode's folder up to Mac OS X 10.6.
 * - `/lib…` and `/usr/lib…` are Linux's too.
 */
const folders =
  /^(?:\/(?:usr\/)?(?:lib(?:exec|32|64|x32)?|s?bin)\/|\/System\/(?!Volumes\/Data\/|Library\/Frameworks\/Python\.framework\/.{1,60}\/site-packages\/)|\/Library\/Apple\/|\/(?:private\/)?preboot\/(?:[0-9A-Fa-f-]{36,128}\/)?(?:Cryptexes|System|usr)\/|\/Developer\/|\/AppleInternal\/)/;

/** Libraries that people installed among the system's before OS X 10.11 closed the folder, and that the system never had; and
 * those of jailbreaks. */
const installed =
  /^\/usr\/lib\/(?:lib(?:usb|ftdi|ftd2xx|hidapi|mono|gdiplus|substrate|substitute|hooker|blackjack|ellekit|rocketbootstrap|activator)[\w.-]{0,40}\.dylib$|TweakInject[/.]|substitute-|substrate\/)/;

/** A simulator's system, on whichever volume: runtimes are mounted disk images from Xcode 14 on, and
 * were part of the platform's SDK up to Xcode 5. */
const simulators = /\/RuntimeRoot\/|\.simruntime\/|\.platform\/Developer\/SDKs\//;

/** Swift's own libraries, which apps for systems before iOS 12.2 and macOS 10.14.4 bring along. */
const swiftLibraries = /(?:^|\/)libswift(?:[A-Z_]\w*|os|simd|sys_time|unistd)\.dylib$/;

/** What Linux maps without a file of its own, and the loader that runs Mach-O programs there. */
const linux = /^(?:\[v(?:dso|syscall)\]|linux-(?:vdso|gate)|\/memfd:)|\/macho-loader$/;

/** Names that some reports and cores have in place of a path. */
const names = /^(?:libsystem_|libobjc\.|libdispatch|libdyld|dyld|libc\+\+|kernel|shared cache)/;

/** Tells whether an image comes with the system: macOS, iOS, a simulator's runtime, Rosetta, or Linux.
 *
 * @param path of the image; its name where no path is known
 *
 * @example
 * ```ts
 * import { isSystemPath } from "./system_image.ts";
 *
 * isSystemPath("/usr/lib/libobjc.A.dylib"); // true
 * isSystemPath("/usr/local/lib/libfoo.dylib"); // false
 * ```
 */
export function isSystemPath(path: string): boolean {
  return folders.test(path) && !installed.test(path) || simulators.test(path) ||
    swiftLibraries.test(path) ||
    linux.test(path) || !path.includes("/") && names.test(path);
}
