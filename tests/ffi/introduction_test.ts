/** Programs that hand over their own task port when they are launched: the library that is inserted into
 * them, and launching where `task_for_pid` is as strict as XNU's. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { launch } from "../../ffi/processes.ts";
import { openKernel } from "../../ffi/mod.ts";
import { whyNotInserted } from "../../ffi/insertion.ts";
import { loaderPath, preloadPath } from "../../ffi/library.ts";
import { AttachError } from "../../lib/errors.ts";
import { MachError } from "../../lib/errors.ts";
import type { FieldValue, MachOSlice } from "../../lib/macho/mod.ts";
import { openImage } from "../../mod.ts";
import { sign, type Signing } from "../../tools/build/codesign.ts";
import { until } from "./program.ts";
import { hasLoader, ownArch, testPrograms } from "../machine.ts";

const root = new URL("../../", import.meta.url).pathname;
const demos = `${root}examples/demo/${ownArch}/`;
const ignore = !hasLoader;
const strict = "MACHPAUSE_STRICT_TASK_FOR_PID";

async function strictly(body: () => Promise<void>): Promise<void> {
  Deno.env.set(strict, "1");
  try {
    await body();
  } finally {
    Deno.env.delete(strict);
  }
}

Deno.test({
  name: "the inserted library leaves no trace in the environment, whatever fails",
  // Of its source, compiled where the tests are run.
  ignore: testPrograms !== undefined,
}, async () => {
  const directory = await Deno.makeTempDir();
  try {
    const program = `${directory}/preload`;
    const build = await new Deno.Command("cc", {
      args: ["-std=c11", "-D_DEFAULT_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror"]
        .concat(["-fsanitize=address,undefined", "-I", `${root}ffi/shim`, "-o", program])
        .concat(`${root}tests/ffi/preload/preload.c`),
    }).output();
    assertEquals(new TextDecoder().decode(build.stderr), "");
    const { code, stderr } = await new Deno.Command(program, {
      env: { ASAN_OPTIONS: "detect_leaks=0" },
    })
      .output();
    assertEquals(new TextDecoder().decode(stderr), "");
    assertEquals(code, 0);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("the library has a signed slice for each kind of program that Macs run", async () => {
  using file = openImage(await preloadPath());
  assertEquals(file.images.map(({ arch }) => arch).sort(), ["arm64", "arm64e", "x86_64"]);
  for (const image of file.images) {
    const [directory] = image.codeSignature()!.codeDirectories;
    assert((directory.flags & 2) !== 0, "ad hoc");
    // Each page's hash is that of the file's bytes: a page that does not fit ends its program.
    const view = new DataView(directory.bytes.buffer, directory.bytes.byteOffset);
    const slice = (await Deno.readFile(await preloadPath())).subarray(image.offset);
    assertEquals(directory.codeSlots, Math.ceil(directory.codeLimit / directory.pageSize));
    for (let page = 0; page < directory.codeSlots; page++) {
      const end = Math.min((page + 1) * directory.pageSize, directory.codeLimit);
      const bytes = slice.slice(page * directory.pageSize, end);
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      const at = view.getUint32(16) + 32 * page;
      assertEquals(directory.bytes.slice(at, at + 32), hash, `${image.arch}, page ${page}`);
    }
  }
  const [x86, arm64, arm64e] = ["x86_64", "arm64", "arm64e"].map((name) =>
    file.images.find(({ arch }) => arch === name)!
  );
  // What Apple's linker writes for macOS 11; of imports that are not signed.
  const fixups = [...arm64e.fixups()];
  for (const { kind, auth, type } of fixups) {
    assertEquals([kind, auth, type], ["bind", null, "arm64e"]);
  }
  const imports = (image: typeof arm64) =>
    [...image.fixups()].filter(({ kind }) => kind !== "rebase")
      .map(({ symbol }) => `${symbol}`).filter((name) => name !== "dyld_stub_binder").sort();
  assertEquals(imports(arm64e).length, 9);
  assertEquals(imports(arm64e), imports(arm64));
  assertEquals(imports(arm64e), imports(x86));
});

/** The pieces of `__LINKEDIT` that dyld looks at, with their alignment: `Image::validStructureLinkedit()`. */
function linkeditPieces(image: MachOSlice): { at: number; size: number; alignment: number }[] {
  const pieces: { at: number; size: number; alignment: number }[] = [];
  const add = (at: FieldValue, size: number, alignment = 8) => {
    if (size > 0) pieces.push({ at: Number(at), size, alignment });
  };
  for (const { name, fields } of image.loadCommands) {
    const of = (field: string) => Number(fields[field] ?? 0);
    if (name === "LC_SYMTAB") {
      add(of("symoff"), of("nsyms") * 16);
      add(of("stroff"), of("strsize"), 1);
    } else if (name === "LC_DYSYMTAB") {
      add(of("indirectsymoff"), of("nindirectsyms") * 4, 4);
    } else if (name === "LC_DYLD_INFO_ONLY") {
      for (const list of ["rebase", "bind", "weak_bind", "lazy_bind", "export"]) {
        add(of(`${list}_off`), of(`${list}_size`));
      }
    } else if (fields.dataoff !== undefined) {
      add(of("dataoff"), of("datasize"), name === "LC_CODE_SIGNATURE" ? 16 : 8);
    }
  }
  return pieces.sort((a, b) => a.at - b.at);
}

Deno.test("each slice keeps the rules by which dyld refuses libraries", async () => {
  const bytes = await Deno.readFile(await preloadPath());
  const header = new DataView(bytes.buffer);
  // GradedArchitectures compares all bits of the subtype in the universal header. PTRAUTH_ABI, version 0.
  const subtypes = Array.from({ length: header.getUint32(4) }, (_, index) => [
    header.getUint32(8 + 20 * index),
    header.getUint32(12 + 20 * index),
  ]);
  assertEquals(subtypes, [[0x01000007, 3], [0x0100000c, 0], [0x0100000c, 0x80000002]]);
  using file = openImage(await preloadPath());
  for (const [index, image] of file.images.entries()) {
    const what = image.arch;
    // The slice says the same as the universal header, and lies at a page of its own.
    assertEquals([image.header.cpuType, image.header.cpuSubtype >>> 0], subtypes[index], what);
    assertEquals(image.offset % (what === "x86_64" ? 0x1000 : 0x4000), 0, what);
    // UnsafeHeader::validSegment(): permissions and order.
    const segments = image.segments;
    assertEquals(segments[0].name, "__TEXT");
    assertEquals([segments[0].fileOffset, segments[0].initialProtection], [0, 5], what);
    assertEquals(segments.at(-1)!.name, "__LINKEDIT");
    assertEquals(segments.at(-1)!.initialProtection, 1, what);
    for (const [place, segment] of segments.entries()) {
      assert(segment.fileSize <= segment.size, what);
      const next = segments[place + 1];
      if (next === undefined) continue;
      assert(segment.vmAddress + BigInt(segment.size) <= next.vmAddress, what);
      assert(segment.fileOffset + segment.fileSize <= next.fileOffset, what);
    }
    for (const { name, fields } of image.loadCommands) {
      if (name !== "LC_SEGMENT_64" || fields.segname !== "__DATA_CONST") continue;
      assertEquals([fields.initprot, Number(fields.flags) & 0x10], [3, 0x10], "SG_READ_ONLY");
    }
    // Image::validStructureLinkedit(): counts that agree, pieces in order and aligned.
    const symtab = image.loadCommands.find(({ name }) => name === "LC_SYMTAB")!.fields;
    const dysymtab = image.loadCommands.find(({ name }) => name === "LC_DYSYMTAB")!.fields;
    assertEquals(dysymtab.ilocalsym, 0);
    assertEquals(dysymtab.iextdefsym, dysymtab.nlocalsym);
    assertEquals(dysymtab.iundefsym, Number(dysymtab.iextdefsym) + Number(dysymtab.nextdefsym));
    assertEquals(symtab.nsyms, Number(dysymtab.iundefsym) + Number(dysymtab.nundefsym));
    let end = segments.at(-1)!.fileOffset;
    for (const { at, size, alignment } of linkeditPieces(image)) {
      assert(at >= end, `${what}: ${at} overlaps what ends at ${end}`);
      assertEquals(at % alignment, 0, `${what}: the piece at ${at}`);
      end = at + size;
    }
    assertEquals(end, segments.at(-1)!.fileOffset + segments.at(-1)!.fileSize, what);
    // Chained fixups and opcodes do not go together; nor do arm64e and opcodes, or pointers to initializers.
    const commands = image.loadCommands.map(({ name }) => name);
    assertEquals(commands.includes("LC_DYLD_CHAINED_FIXUPS"), what === "arm64e");
    assertEquals(commands.includes("LC_DYLD_INFO_ONLY"), what !== "arm64e");
    const types = image.segments.flatMap(({ sections }) => sections).map(({ flags }) =>
      flags & 0xff
    );
    assertEquals(types.includes(9), what !== "arm64e", "S_MOD_INIT_FUNC_POINTERS");
    assertEquals(types.includes(0x16), what === "arm64e", "S_INIT_FUNC_OFFSETS");
    if (what !== "arm64e") continue;
    const slice = bytes.subarray(image.offset);
    const sections = image.segments.flatMap(({ sections }) => sections);
    const offsets = sections.find(({ name }) => name === "__init_offsets")!;
    const text = sections.find(({ name }) => name === "__text")!;
    const initializer = new DataView(slice.buffer, slice.byteOffset).getUint32(
      offsets.fileOffset,
      true,
    );
    assertEquals([offsets.size, initializer], [4, text.fileOffset]);
  }
});

Deno.test({
  name: "where task_for_pid is as strict as XNU's, a launched program hands over its task port",
  ignore,
  fn: () =>
    strictly(async () => {
      const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
      try {
        assertThrows(() => openKernel().taskForPid(child.pid), MachError, "KERN_FAILURE (5)");
      } finally {
        child.kill();
        await child.status;
      }
      using target = await launch(`${demos}demo`, [], { output: "null" });
      try {
        assertEquals(target.images.slice(0, 3).map(({ name }) => name), [
          "demo",
          "libmachpause_preload.dylib",
          "libworkers.dylib",
        ]);
        const [ready] = target.lookup("demo_ready");
        await until(() => target.memory.readU32(ready.symbol.address) === 1, "it runs");
        using _pause = target.pause();
        assertEquals(target.threads.length, 7);
      } finally {
        target.kill();
      }
    }),
});

Deno.test({
  name: "a launched program that was detached from can be attached to again",
  ignore,
  fn: () =>
    strictly(async () => {
      const { attach } = await import("../../ffi/processes.ts");
      const first = await launch(`${demos}demo`, [], { output: "null" });
      first[Symbol.dispose]();
      using again = attach(first.pid);
      assertEquals(again.pid, first.pid);
      first.kill();
    }),
});

Deno.test({
  name: "the program's own inserted libraries follow machpause's, and only they are left to it",
  ignore,
  fn: () =>
    strictly(async () => {
      const options = {
        output: "null",
        env: { DYLD_INSERT_LIBRARIES: `${demos}libworkers.dylib` },
      } as const;
      using target = await launch(`${demos}demo`, [], options);
      try {
        // The strings stay where the kernel put them: they begin the process's environment.
        const environment = Deno.readTextFileSync(`/proc/${target.pid}/environ`);
        assertStringIncludes(environment, `DYLD_INSERT_LIBRARIES=${demos}libworkers.dylib\0`);
      } finally {
        target.kill();
      }
    }),
});

Deno.test({
  name: "a program that is not the launched one is let go on, as is one whose launcher is gone",
  ignore,
  fn: async () => {
    const kernel = openKernel();
    const ports = kernel.portCount();
    const name = `machpause.test.${crypto.randomUUID()}`;
    const port = kernel.launchOpen(name);
    const start = async (launcher: string) =>
      new Deno.Command(await loaderPath(ownArch), {
        args: [`${demos}status`],
        env: { MACHPAUSE_LAUNCH: launcher, DYLD_INSERT_LIBRARIES: await preloadPath() },
      }).spawn();
    // status ends with 21 once its own main() has run.
    const stranger = await start(name);
    let ended: Deno.CommandStatus | undefined;
    stranger.status.then((status) => ended = status);
    while (ended === undefined) {
      assertEquals(kernel.launchAccept(port, Deno.pid), undefined);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assertEquals(ended.code, 21);
    assertEquals((await (await start("nobody.has.this.name")).status).code, 21);

    const waiting = await start(name);
    await new Promise((resolve) => setTimeout(resolve, 100));
    kernel.launchClose(port);
    assertEquals((await waiting.status).code, 21);
    assertEquals(kernel.portCount(), ports);
    assertThrows(() => kernel.launchClose(port), MachError, "KERN_INVALID_NAME");
  },
});

Deno.test({
  name: "two launchers cannot have one name",
  ignore,
  fn() {
    const kernel = openKernel();
    const name = `machpause.test.${crypto.randomUUID()}`;
    const port = kernel.launchOpen(name);
    assertThrows(() => kernel.launchOpen(name), MachError, "1101"); // BOOTSTRAP_NAME_IN_USE
    kernel.launchClose(port);
    kernel.launchClose(kernel.launchOpen(name));
  },
});

/** A program of the demo as it is, with another signature. */
async function signed(path: string, signing: Partial<Signing>): Promise<string> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const program = await Deno.readFile(demos + name);
  await Deno.writeFile(path, await sign(program, { identifier: name, ...signing }));
  await Deno.chmod(path, 0o755);
  return path;
}

const allowVariables = "com.apple.security.cs.allow-dyld-environment-variables";
const disableValidation = "com.apple.security.cs.disable-library-validation";

Deno.test("what dyld loads no libraries into is told by its file", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const why = async (signing: Partial<Signing>) =>
      await whyNotInserted(await signed(`${directory}/status`, signing));
    assertEquals(await why({}), undefined);
    assertEquals(await whyNotInserted(`${demos}status`), undefined);
    assertMatch((await why({ platform: 15 }))!, /^is Apple's own.*Protection covers$/);
    assertEquals(await why({ flags: 0x800 }), "is restricted by its code signature");
    assertMatch(
      (await why({ flags: 0x10000 }))!,
      /^has the hardened runtime without .*-variables$/,
    );
    const runtime = { flags: 0x10000 };
    assertMatch(
      (await why({ ...runtime, entitlements: [allowVariables] }))!,
      /^validates its libraries, without .*disable-library-validation$/,
    );
    const both = [allowVariables, disableValidation];
    assertEquals(await why({ ...runtime, entitlements: both }), undefined);
    assertMatch((await why({ flags: 0x2000 }))!, /^validates its libraries/);
    const sandboxed = { entitlements: ["com.apple.security.app-sandbox"] };
    assertMatch((await why(sandboxed))!, /^runs in the App Sandbox/);
    const restricted = "com.apple.security.hardened-process.platform-restrictions-string";
    assertMatch(
      (await why({ entitlements: [restricted] }))!,
      /^has the platform restrictions of Enhanced Security/,
    );
    // By its name alone, as a shell finds it.
    await signed(`${directory}/status`, { flags: 0x800 });
    const path = Deno.env.get("PATH");
    Deno.env.set("PATH", `/nowhere:${directory}:${path}`);
    try {
      assertEquals(await whyNotInserted("status"), "is restricted by its code signature");
      assertEquals(await whyNotInserted("no-such-program"), undefined);
    } finally {
      Deno.env.set("PATH", path!);
    }

    const script = `${directory}/script`;
    await Deno.writeTextFile(script, `#! ${directory}/status -x\n`);
    await signed(`${directory}/status`, { platform: 15 });
    assertMatch(
      (await whyNotInserted(script))!,
      /^is a script, and its interpreter is Apple's own/,
    );
    await Deno.writeTextFile(script, `#!${script}\n`);
    assertEquals(await whyNotInserted(script), undefined);
    await signed(`${directory}/status`, {});
    await Deno.chmod(`${directory}/status`, 0o4755);
    assertMatch(
      (await whyNotInserted(`${directory}/status`))!,
      /^runs with the rights of its owner/,
    );
    assertEquals(await whyNotInserted(`${directory}/nothing`), undefined);
    assertEquals(await whyNotInserted("/proc/version"), undefined);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test({
  name: "a program that libraries may not be inserted into is said to be one",
  ignore,
  fn: () =>
    strictly(async () => {
      const directory = await Deno.makeTempDir();
      try {
        await Deno.copyFile(`${demos}libworkers.dylib`, `${directory}/libworkers.dylib`);
        const program = await signed(`${directory}/demo`, { flags: 0x10000 });
        const error = await assertRejects(() => launch(program), AttachError);
        assertEquals([error.call, error.code], ["task_for_pid", 5]);
        assertMatch(
          error.remedy!,
          /^demo has the hardened runtime without the entitlement com\./,
        );
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    }),
});
