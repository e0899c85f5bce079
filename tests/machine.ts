/** What the machine that runs the tests can do. Tests ask here and nowhere else which system they are on,
 * so that those for live processes run on macOS unchanged. */

const { os, arch } = Deno.build;

/** The system. */
export const onLinux: boolean = os === "linux";
export const onMac: boolean = os === "darwin";

/** Whether this is where the Mach-O loader runs: for both widths of the machine's processor. */
export const hasLoader: boolean = onLinux;

/** Whether it runs x86_64 programs here, for tests that are written for those. */
export const hasX86Loader: boolean = hasLoader && arch === "x86_64";

/** The folder with the tests' own programs, where those were compiled elsewhere: see `arm/`. */
export const testPrograms: string | undefined = Deno.env.get("MACHPAUSE_TEST_PROGRAMS");

/** How much slower than its host an emulated machine is, about; 1 elsewhere. */
export const slowness: number = testPrograms === undefined ? 1 : 10;

/** How often something is to be repeated, or with how many: less in an emulated machine, where it would still take longer
 * than here. */
export function rounds(count: number): number {
  return testPrograms === undefined ? count : Math.ceil(count / (2 * slowness));
}

/** Whether the tests may do what only root may. */
export const isRoot: boolean = os !== "windows" && Deno.uid() === 0;

/** The builds in `examples/demo/` whose programs run here; the first is the machine's own. On Linux they
 * are those of the loader's architectures, on macOS those of the Mac's. */
export const builds: readonly string[] = hasLoader
  ? arch === "x86_64"
    ? ["x86_64", "x86_64-chained", "x86_64-frameless", "x86_64-stripped", "i386"]
    : ["arm64", "arm64-stripped", "armv7"]
  : onMac
  ? arch === "aarch64"
    ? ["arm64"]
    : ["x86_64", "x86_64-chained", "x86_64-frameless", "x86_64-stripped"]
  : [];

/** Whether a build's programs run here. */
export function runs(build: string): boolean {
  return builds.includes(build);
}

/** The build for tests that need one running program, whichever it is. They are ignored where
 * {@linkcode canLaunch} is false. */
export const ownBuild: string = builds[0] ?? "x86_64";

/** The architecture that the machine's programs have. */
export const ownArch: "arm64" | "x86_64" = arch === "x86_64" ? "x86_64" : "arm64";
export const canLaunch: boolean = builds.length > 0;
