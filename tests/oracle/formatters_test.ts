/** Containers of libc++ and libstdc++ as LLDB's formatters show them. The program is compiled against the
 * libraries' headers for Linux, for there is no SDK here; its code is then made for macOS. LLDB reads the
 * same core. */

import { assert, assertEquals } from "@std/assert";
import { loaderPath } from "../../ffi/library.ts";
import { attach, openCore } from "../../mod.ts";
import type { Value } from "../../lib/target/variables.ts";
import { canonical } from "../../lib/values/mod.ts";

const llvm = "/usr/lib/llvm-19/bin";
const source = new URL("formatters/containers.cc", import.meta.url).pathname;

type Library = "libc++" | "libstdc++";

/** A library in one of its layouts. */
interface Variant {
  readonly name: string;
  readonly library: Library;
  readonly flags: readonly string[];
  /** Debian's package with its headers, which is fetched; `null` for those that are installed. */
  readonly fetched: string | null;
}

/** libc++ as it was laid out over the years: without compressed pairs since 19, with the length of strings elsewhere
 * since 14; Apple's arm64 has the alternate layout of strings. */
const variants: readonly Variant[] = [
  { name: "libc++", library: "libc++", flags: [], fetched: null },
  {
    ...{ name: "libc++ with the alternate layout of strings", library: "libc++", fetched: null },
    flags: ["-D_LIBCPP_ABI_ALTERNATE_STRING_LAYOUT"],
  },
  {
    ...{ name: "libc++ with its ABI's version 2", library: "libc++", fetched: null },
    flags: ["-D_LIBCPP_ABI_VERSION=2"],
  },
  ...[14, 15, 16].map((version): Variant => ({
    ...{ name: `libc++ ${version}`, library: "libc++", fetched: `libc++-${version}-dev` },
    flags: [
      "-nostdinc++",
      ...["-isystem", `libc++-${version}-dev/usr/lib/llvm-${version}/include/c++/v1`],
    ],
  })),
  { name: "libstdc++", library: "libstdc++", flags: [], fetched: null },
];

/** The variants that differ most; all of them where `MACHPAUSE_ORACLE_BUILDS` says so. */
const tested = Deno.env.get("MACHPAUSE_ORACLE_BUILDS") === "all" ? variants : variants.filter(
  ({ name }) => !["libc++ with its ABI's version 2", "libc++ 15", "libc++ 16"].includes(name),
);

/** Unpacks a package of Debian's below a directory. */
async function fetchPackage(name: string, directory: string): Promise<void> {
  await run("apt-get", ["-qq", "download", name], directory);
  const [file] = [...Deno.readDirSync(directory)].filter((entry) => entry.name.endsWith(".deb"));
  await run("dpkg-deb", ["-x", file.name, name], directory);
}

/** Compiles the program against one library, into `directory`. */
async function build({ library, flags }: Variant, directory: string): Promise<void> {
  await run("clang++-19", [
    ...[
      "-target",
      "x86_64-linux-gnu",
      `-stdlib=${library}`,
      "-std=c++20",
      "-O0",
      "-g",
      "-gdwarf-4",
    ],
    ...["-fPIC", "-fstandalone-debug", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"],
    ...flags,
    ...["-S", "-emit-llvm", source, "-o", "containers.ll"],
  ], directory);
  const layout = "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
  const text = (await Deno.readTextFile(`${directory}/containers.ll`))
    .replace(/^target datalayout.*$/m, `target datalayout = "${layout}"`)
    .replace(/^target triple.*$/m, 'target triple = "x86_64-apple-macosx11.0.0"')
    // Mach-O has no COMDAT groups.
    .replaceAll(/^\$.* = comdat any\n/gm, "")
    .replaceAll(/,? comdat(?:\(\$[^)]*\))?(?=[ ,\n])/g, "");
  await Deno.writeTextFile(`${directory}/containers.ll`, text);
  await run(
    "clang-19",
    ["-target", "x86_64-apple-macos11", "-c", "containers.ll", "-o", "containers.o"],
    directory,
  );
  const undefinedSymbols = (await run("llvm-nm-19", ["-u", "containers.o"], directory))
    .split("\n").flatMap((line) => /\S+$/.exec(line) ?? []);
  await Deno.writeTextFile(
    `${directory}/libSystem.tbd`,
    [
      "--- !tapi-tbd",
      "tbd-version: 4",
      "targets: [ x86_64-macos ]",
      "install-name: '/usr/lib/libSystem.B.dylib'",
      "exports:",
      "  - targets: [ x86_64-macos ]",
      `    symbols: [ ${[...undefinedSymbols, "dyld_stub_binder"].join(", ")} ]`,
      "...",
      "",
    ].join("\n"),
  );
  await run("ld64.lld-19", [
    ...["-arch", "x86_64", "-platform_version", "macos", "11.0", "11.0"],
    ...["-o", "containers", "containers.o", "libSystem.tbd"],
  ], directory);
  await run(`${llvm}/dsymutil`, ["-q", "-o", "containers.dSYM", "containers"], directory);
}

/** Runs it, and saves a core once it stays where it is. */
async function core(directory: string, args: readonly string[], file: string): Promise<void> {
  const child = new Deno.Command(await loaderPath("x86_64"), {
    args: [`${directory}/containers`, ...args],
    // What the program takes of libstdc++'s binary; libc++'s headers need nothing more.
    env: { LD_PRELOAD: "/usr/lib/x86_64-linux-gnu/libstdc++.so.6" },
    stdout: "null",
  }).spawn();
  try {
    for (let attempt = 0;; attempt++) {
      if (attempt === 200) throw new Error("the program does not become ready");
      await new Promise((resolve) => setTimeout(resolve, 20));
      using target = attach(child.pid);
      const [ready] = target.lookup("ready");
      if (ready === undefined || target.memory.readU32(ready.symbol.address) !== 1) continue;
      await target.saveCore(file, { style: "full" });
      return;
    }
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

/** A value as LLDB has it. */
interface Shown {
  readonly name: string;
  readonly value: string | null;
  readonly summary: string | null;
  readonly children: readonly Shown[];
}

/** Elements of each that are compared, and levels. */
const MOST = 12;
const DEPTH = 3;

const script = `
import json, lldb
def show(value, depth):
    synthetic = value
    count = min(synthetic.GetNumChildren(${MOST}), ${MOST}) if depth > 0 else 0
    return {"name": value.GetName(), "value": value.GetValue(), "summary": value.GetSummary(),
        "children": [show(value.GetChildAtIndex(i), depth - 1) for i in range(count)]}
def dump(debugger, path):
    for thread in debugger.GetSelectedTarget().GetProcess():
        for frame in thread:
            if frame.GetFunctionName() in ("containers()", "strings()"):
                values = [show(v, ${DEPTH}) for v in frame.GetVariables(True, True, False, True)]
                with open(path, "w") as out: json.dump(values, out)
`;
import { run } from "./run.ts";

async function lldb(directory: string, file: string): Promise<readonly Shown[]> {
  await Deno.writeTextFile(`${directory}/dump.py`, script);
  const answer = `${directory}/answer.json`;
  await run("lldb-19", [
    ...["-x", "-b", "-o", `target create ${directory}/containers --core ${file}`],
    ...["-o", `command script import ${directory}/dump.py`],
    ...["-o", `script dump.dump(lldb.debugger, "${answer}")`],
  ], directory);
  return JSON.parse(await Deno.readTextFile(answer));
}

/** Whether two texts are of the same value. The differences that are meant:
 *
 * - LLDB pads the summaries of optional, variant and function with blanks.
 * - It names types without the arguments that are defaults.
 * - It shows objects without a summary by their address; here that is said to be a pointer.
 * - It demangles the function that a `std::function` holds.
 * - Control characters: LLDB writes some as UTF-32 escapes.
 * - It writes what is not in Unicode as U+FFFD; here it is the number.
 * - It puts the code point before a `char16_t` and a `char32_t`. */
function same(theirs: string, ours: string): boolean {
  const text = theirs.trim().replace(/^U\+(?:0x)?[0-9a-f]{4,8} (?=[uU]')/, "");
  if (text === ours) return true;
  const object = /^(?:Point @ )?0x0*(\w+)$/.exec(text)?.[1];
  if (object !== undefined && /^ptr = 0x0*(\w+)$/.exec(ours)?.[1] === object) return true;
  if (/^Active Type = std::/.test(text) && ours.startsWith("Active Type = std::")) return true;
  if (text === "Function = twice(int)") return /^Function = _ZL?5twicei$/.test(ours);
  const outside = /^([LU])'\\U0000fffd'$/.exec(text)?.[1];
  if (outside !== undefined) {
    const code = /^([LU])'\\U([0-9a-f]{8})'$/.exec(ours);
    return code?.[1] === outside && parseInt(code[2], 16) > 0x10ffff;
  }
  return text.replaceAll(/\\U000000(..)/g, "\\x$1") === ours;
}

/** What LLDB 19's formatters of libstdc++ say less of than those of libc++ (`LibStdcpp.cpp`): strings end at
 * their first zero, a `unique_ptr` shows the address, and a `shared_ptr` has no counts. */
function sameInLibstdcxx(theirs: string, ours: string, value: Value): boolean {
  const { name } = canonical(value.type);
  if (/^std::(?:__cxx11::)?basic_string</.test(name)) {
    return theirs.endsWith('"') && ours.startsWith(`${theirs.slice(0, -1)}\\0`);
  }
  if (/^std::unique_ptr</.test(name)) {
    const address = value.child("pointer")?.integer;
    return address != null && theirs === `0x${address.toString(16)}`;
  }
  return /^std::(?:shared|weak)_ptr</.test(name) &&
    same(theirs, ours.replace(/ strong=\d+ weak=\d+$/, ""));
}

/** Members that LLDB names otherwise: those of the pointers, and what it has no formatter for. */
const renamed: Readonly<Record<string, string>> = { __ptr_: "pointer", _M_ptr: "pointer" };

/** Compares a value with LLDB's, and adds to the differences; returns the number of values that were compared. */
function compare(
  library: Library,
  theirs: Shown,
  ours: Value,
  path: string,
  differences: string[],
): number {
  const said = [theirs.value, theirs.summary].flatMap((text) => text ?? []);
  const own = [ours.summary, ours.text].flatMap((text) => text ?? []);
  const isSame = (text: string, mine: string) =>
    same(text, mine) || (library === "libstdc++" && sameInLibstdcxx(text, mine, ours));
  if (said.length > 0 && !said.some((text) => own.some((mine) => isSame(text, mine)))) {
    differences.push(`${path}: LLDB has ${JSON.stringify(said)}, here is ${JSON.stringify(own)}`);
  }
  // Formatted by LLDB 19 as a value in a member, or not at all.
  if (/\b(?:array|atomic|function|no_function|bytes|full)$/.test(path)) return 1;
  let count = 1;
  for (const child of theirs.children) {
    const name = renamed[child.name] ?? child.name;
    const found = ours.child(name);
    // A pointer's pointee, and empty bases, are no members.
    if (found === null && /^(?:\*|std::|\$\$)/.test(name)) continue;
    if (found === null) differences.push(`${path} has no ${name}`);
    else count += compare(library, child, found, `${path}.${name}`, differences);
  }
  return count;
}

for (const variant of tested) {
  const { library, fetched } = variant;
  for (const [name, args] of [["strings", ["strings"]], ["containers", []]] as const) {
    Deno.test(`${variant.name}: ${name} as LLDB shows them`, async () => {
      const directory = await Deno.makeTempDir();
      try {
        if (fetched !== null) await fetchPackage(fetched, directory);
        await build(variant, directory);
        const file = `${directory}/core`;
        await core(directory, args, file);
        const theirs = await lldb(directory, file);
        using target = openCore(file);
        const frame = target.threads.flatMap((thread) => [...thread.backtrace()])
          .find((frame) => frame.function?.includes(`${name.length}${name}v`));
        assert(frame !== undefined);
        assertEquals(frame.variables.map(({ name }) => name), theirs.map(({ name }) => name));
        const differences: string[] = [];
        let count = 0;
        for (const [index, value] of frame.variables.entries()) {
          count += compare(library, theirs[index], value, theirs[index].name, differences);
        }
        assertEquals(differences, []);
        assert(count >= (name === "strings" ? 19 : 150), `${count} values were compared`);
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    });
  }
}
