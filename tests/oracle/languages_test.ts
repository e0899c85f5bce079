/** Values of Rust and Go programs, as their sources have them: globals that the compilers initialise, read
 * from what their linkers wrote. */

import { assert, assertEquals } from "@std/assert";
import { archs } from "../../lib/arch/mod.ts";
import { Image } from "../../lib/macho/mod.ts";
import type { Value } from "../../lib/target/variables.ts";
import { attach, openCore, type Target } from "../../mod.ts";
import { buildCore } from "../lib/target/core_builder.ts";
import { readThrough } from "./read_through.ts";
import { run } from "./run.ts";

const sources = new URL("formatters/", import.meta.url).pathname;

/** A core of a process that has just been loaded, at the addresses that a file was linked for. */
async function coreOf(path: string): Promise<Uint8Array> {
  const bytes = await Deno.readFile(path);
  const image = Image.fromFile(bytes, path);
  const page = 4096;
  const mapped = image.segments.filter(({ name, size }) => name !== "__PAGEZERO" && size > 0);
  const regions = mapped.map(
    ({ name, vmAddress, size, fileOffset, fileSize, initialProtection }) => {
      const content = new Uint8Array(Math.ceil(size / page) * page);
      content.set(bytes.subarray(fileOffset, fileOffset + fileSize));
      return {
        address: vmAddress,
        bytes: content,
        protection: initialProtection,
        segment: { image: image.name, name },
      };
    },
  );
  return buildCore({
    arch: archs.x86_64,
    cpuSubtype: 3,
    threads: [{ id: 1n, name: "", state: new Uint8Array(archs.x86_64.threadState.size) }],
    regions,
    images: [{
      ...{ path, uuid: image.uuid, loadAddress: regions[0].address, slide: null, executing: null },
      segments: regions.map(({ address, segment: { name } }) => ({ name, address })),
    }],
  });
}

/** A value and its children: `text`, or `[text, …children]`. */
type Shown = string | readonly [string, ...Shown[]];

function shown(value: Value): Shown {
  const text = [value.text, value.summary].filter((part) => part !== null).join(" ");
  const children = value.type.kind === "pointer" ? [] : value.children(0, 8);
  return children.length === 0 ? text : [text, ...children.map(shown)];
}

async function compare(path: string, expected: Readonly<Record<string, Shown>>): Promise<void> {
  const file = `${path}.core`;
  await Deno.writeFile(file, await coreOf(path));
  using core: Target = openCore(file);
  const [image] = core.images;
  const found = Object.fromEntries(
    Object.keys(expected).map((name) => {
      const [variable] = core.globals(image, name);
      return [name, variable === undefined ? "missing" : shown(variable)];
    }),
  );
  assertEquals(found, expected);
}

/** What a compiler says of its version; empty where there is none. */
async function version(command: string, argument: string): Promise<string> {
  try {
    const { stdout } = await new Deno.Command(command, { args: [argument], stderr: "null" })
      .output();
    return new TextDecoder().decode(stdout);
  } catch {
    return "";
  }
}

/** clang 19 reads the code of rustc 1.70 and later: before, LLVM's pointers had types. Debian 12 has 1.63. */
const hasRust = Number(/^rustc 1\.(\d+)/.exec(await version("rustc", "--version"))?.[1] ?? 0) >= 70;
const hasGo = (await version("go", "version")) !== "";

Deno.test({
  name: "Rust: strings, slices, enums and tuples as the source has them",
  ignore: !hasRust,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      await run("rustc", [
        ...["--edition", "2021", "-g", "-C", "panic=abort", "-C", "codegen-units=1"],
        ...["--emit=llvm-ir", `${sources}values.rs`, "-o", "values.ll"],
      ], directory);
      // There is no standard library for macOS here: the code of the host's is made for it.
      const text = (await Deno.readTextFile(`${directory}/values.ll`))
        .replace('"e-m:e-', '"e-m:o-')
        .replace(/^target triple.*$/m, 'target triple = "x86_64-apple-macosx11.0.0"')
        .replaceAll(/^\$.* = comdat any\n/gm, "")
        .replaceAll(/, comdat(?:\([^)]*\))?/g, "");
      await Deno.writeTextFile(`${directory}/values.ll`, text);
      await run(
        "clang-19",
        ["-target", "x86_64-apple-macos11", "-c", "values.ll", "-o", "values.o"],
        directory,
      );
      await run("ld64.lld-19", [
        ...["-dylib", "-arch", "x86_64", "-platform_version", "macos", "11.0", "11.0"],
        ...["-image_base", "0x100000000", "-undefined", "dynamic_lookup"],
        ...["-o", "values.dylib", "values.o"],
        new URL("../fixtures/sdk/libSystem.tbd", import.meta.url).pathname,
      ], directory);
      await run("/usr/lib/llvm-19/bin/dsymutil", ["-q", "values.dylib"], directory);
      await compare(`${directory}/values.dylib`, {
        TEXT: '"grüß"',
        EMPTY: '""',
        SLICE: ["size=3", "1", "2", "3"],
        SOME: ["Some(5)", ["", "5"]],
        NONE: ["None", ""],
        CIRCLE: ["Circle(1.5)", ["", "1.5"]],
        RECTANGLE: ["Rectangle { width: 2, height: 3 }", ["", "2", "3"]],
        NOTHING: ["Empty", ""],
        NAMED: ['Named("square")', ["", '"square"']],
        OK: ["Ok(9)", ["", "9"]],
        ERR: ['Err("bad")', ["", '"bad"']],
        NO_STRING: '""',
        NO_VEC: "size=0",
        TUPLE: ["", "3", "U'x'"],
      });
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

const collections = `
use std::{cell::*, collections::*, io::Write, rc::Rc, sync::*};
#[inline(never)] fn wait<T>(held: &T) { let _kept = held; println!("ready"); std::io::stdout().flush().unwrap(); loop { std::thread::park(); } }
fn main() {
    let map: HashMap<&str, i32> = [("seven", 7)].into();
    let set: HashSet<u8> = (0..40).collect();
    let mut ring: VecDeque<i32> = (0..4).collect();
    ring.pop_front(); ring.pop_front(); ring.push_back(4); ring.push_back(5);
    let none: VecDeque<i32> = VecDeque::new();
    let counted = Rc::new(RefCell::new(vec![1, 2]));
    let again = counted.clone();
    let weak = Rc::downgrade(&counted);
    let arc = Arc::new(5u64);
    let cell = Cell::new(4i16);
    wait(&(map, set, ring, none, counted, again, weak, arc, cell));
}
`;

Deno.test({
  name: "Rust: collections, counted pointers and cells of a running program",
  ignore: !hasRust || Deno.build.os !== "linux",
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${directory}/main.rs`, collections);
      await run("rustc", ["--edition", "2021", "-g", "main.rs", "-o", "main"], directory);
      const child = new Deno.Command(`${directory}/main`, { stdout: "piped" }).spawn();
      try {
        const output = child.stdout.getReader();
        assertEquals(new TextDecoder().decode((await output.read()).value), "ready\n");
        using target = attach(child.pid);
        using _pause = target.pause();
        const tuple = target.threads[0].backtrace().flatMap(({ variables }) => variables)
          .find(({ name }) => name === "held")?.deref() ?? null;
        assert(tuple !== null);
        const parts = Object.fromEntries(
          tuple.children().map((value) => [value.name, shown(value)]),
        );
        // The set's order is chance.
        delete parts.__1;
        delete parts.__6;
        assertEquals(parts, {
          __0: ["size=1", ["", '"seven"', "7"]],
          __2: ["size=4", "2", "3", "4", "5"],
          __3: "size=0",
          __4: ["strong=2 weak=1", ["", ["size=2", "1", "2"], "0"]],
          __5: ["strong=2 weak=1", ["", ["size=2", "1", "2"], "0"]],
          __7: ["strong=1 weak=0", "5"],
          __8: "4",
        });
        const all = tuple.child("__1")!.children(0, 64).map(({ scalar }) => Number(scalar));
        assertEquals(all.sort((a, b) => a - b), Array.from({ length: 40 }, (_, index) => index));
        await output.cancel();
      } finally {
        child.kill("SIGKILL");
        await child.status;
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test({
  name: "Go: strings, slices, maps, interfaces and structs as the source has them",
  ignore: !hasGo,
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      await Deno.copyFile(`${sources}values.go`, `${directory}/main.go`);
      await run(
        "go",
        ["build", "-gcflags=all=-N -l", "-ldflags=-compressdwarf=false", "-o", "values", "main.go"],
        directory,
        { env: { GOOS: "darwin", GOARCH: "amd64", CGO_ENABLED: "0", GO111MODULE: "off" } },
      );
      const { functions, variables, types, damaged } = await readThrough(`${directory}/values`);
      console.log(`${functions} functions, ${variables} variables, ${types} types`);
      assertEquals(damaged, []);
      assert(functions > 1000 && variables > 5000 && types > 500);
      await compare(`${directory}/values`, {
        "main.Text": '"grüß"',
        "main.Empty": '""',
        "main.Numbers": ["len=3 cap=3", "1", "2", "3"],
        "main.Words": ["len=2 cap=2", '"one"', '"two"'],
        "main.None": "len=0 cap=0",
        "main.Nested": ["", "1", "2", '"here"'],
        "main.Ages": "0x0000000000000000 nil",
        "main.Reader": "nil",
        "main.Array": ["", "7", "8", "9"],
        "main.Call": "main.double",
        "main.NoCall": "nil",
      });
      using core = openCore(`${directory}/values.core`);
      for (const [name, type] of [["Anything", "int"], ["Box", "main.Point"]]) {
        const [{ summary }] = core.globals(core.images[0], `main.${name}`);
        assert(summary?.startsWith(`${type} at 0x`), `${name}: ${summary}`);
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
