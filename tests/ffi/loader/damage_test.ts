/** Damaged and unsuitable files: one line that says which file and what was expected, exit code 1,
 * and never a crash. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { archOf, type Build, builds, type Ended, fixtures, run } from "./loader.ts";
import { archs } from "../../../lib/arch/mod.ts";
import { hasLoader, ownArch } from "../../machine.ts";

/** A directory with a program and its dylib, each of which can be replaced by other bytes. */
class Copy implements AsyncDisposable {
  readonly directory = Deno.makeTempDirSync();
  readonly build: Build;

  constructor(build: Build) {
    this.build = build;
    for (const name of ["status", "demo", "libworkers.dylib"]) this.restore(name);
  }

  original(name: string): Uint8Array<ArrayBuffer> {
    const bytes = Deno.readFileSync(`${fixtures}${this.build}/${name}`);
    return name === "status" ? harmless(bytes) : bytes;
  }

  write(name: string, bytes: Uint8Array): void {
    Deno.writeFileSync(`${this.directory}/${name}`, bytes);
  }

  restore(name: string): void {
    this.write(name, this.original(name));
  }

  run(name = "status"): Promise<Ended> {
    return run(this.build, `${this.directory}/${name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.directory, { recursive: true });
  }
}

function assertRefused({ code, signal, error }: Ended, what: string): void {
  assertEquals({ code, signal }, { code: 1, signal: null }, `${what}: ${error}`);
  assertMatch(error, /^macho-loader: \S[^\n]*: [^\n]+\n$/, what);
}

/** Offsets of the header's and the load commands' fields that count, size or locate something. */
function countFields(file: Uint8Array<ArrayBuffer>): number[] {
  const view = new DataView(file.buffer);
  const wide = view.getUint32(0, true) === 0xfeedfacf;
  const fields = [16, 20];
  for (let i = 0, at = wide ? 32 : 28; i < view.getUint32(16, true); i++) {
    const command = view.getUint32(at, true) & 0x7fffffff;
    const size = view.getUint32(at + 4, true);
    fields.push(at + 4);
    // Each segment field's low and high word: vmaddr, vmsize, fileoff, filesize; then nsects.
    if (command === 0x19) fields.push(...[24, 28, 32, 36, 40, 44, 48, 52, 64].map((f) => at + f));
    if (command === 0x1) fields.push(...[24, 28, 32, 36, 48].map((f) => at + f));
    const words: Record<number, number> = { 0x2: 4, 0x22: 10, 0x33: 2, 0x34: 2, 0x28: 4 };
    for (let j = 0; j < (words[command] ?? 0); j++) fields.push(at + 8 + 4 * j);
    if (command === 0xc || command === 0x1c) fields.push(at + 8);
    at += size;
  }
  return fields;
}

/** A program whose main returns 21 at once: if it crashes, it is the loader that did. */
function harmless(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(file.buffer);
  let at = view.getUint32(0, true) === 0xfeedfacf ? 32 : 28;
  while (view.getUint32(at, true) !== 0x80000028) at += view.getUint32(at + 4, true);
  // mov $21, %eax; ret
  file.set([0xb8, 21, 0, 0, 0, 0xc3], view.getUint32(at + 8, true));
  return file;
}

/** A generator of the same numbers each time: xorshift. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

for (const build of builds) {
  Deno.test({
    name: `${build}: a file cut short anywhere is refused`,
    ignore: !hasLoader,
    async fn() {
      await using copy = new Copy(build);
      for (const name of ["status", "libworkers.dylib"]) {
        const whole = copy.original(name);
        for (let i = 0; i < 100; i++) {
          const length = Math.floor(whole.length * i / 100);
          copy.write(name, whole.subarray(0, length));
          assertRefused(await copy.run(), `${name}, ${length} bytes`);
        }
        copy.restore(name);
      }
    },
  });

  Deno.test({
    name: `${build}: counts, sizes and offsets that are too large are refused or do not matter`,
    ignore: !hasLoader,
    async fn() {
      await using copy = new Copy(build);
      let refused = 0;
      for (const name of ["status", "libworkers.dylib"]) {
        const whole = copy.original(name);
        for (const field of countFields(whole)) {
          for (const value of [0xffffffff, 0x7ffff000]) {
            const damaged = whole.slice();
            new DataView(damaged.buffer).setUint32(field, value, true);
            copy.write(name, damaged);
            const ended = await copy.run();
            const what = `${name}, 0x${value.toString(16)} at 0x${field.toString(16)}`;
            if (ended.code === 21) continue;
            assertRefused(ended, what);
            refused++;
          }
        }
        copy.restore(name);
      }
      assert(refused > 40, `${refused} refused`);
    },
  });

  Deno.test({
    name: `${build}: damaged fixups, exports and symbols end in an error or do not matter`,
    ignore: !hasLoader,
    async fn() {
      await using copy = new Copy(build);
      for (const name of ["status", "libworkers.dylib"]) {
        const whole = copy.original(name);
        const pick = random(0x5eed + name.length);
        const view = new DataView(whole.buffer);
        const wide = archs[archOf(build)].pointerSize === 8;
        // __LINKEDIT is the last segment: where its file offset is.
        let linkedit = 0;
        for (let i = 0, at = wide ? 32 : 28; i < view.getUint32(16, true); i++) {
          const command = view.getUint32(at, true);
          if (command === 0x19) linkedit = view.getUint32(at + 40, true);
          if (command === 0x1) linkedit = view.getUint32(at + 32, true);
          at += view.getUint32(at + 4, true);
        }
        for (let i = 0; i < 200; i++) {
          const damaged = whole.slice();
          const at = linkedit + pick(Math.min(512, whole.length - linkedit));
          damaged[at] = pick(256);
          copy.write(name, damaged);
          const { code, signal, error } = await copy.run();
          const what = `${name}, ${damaged[at]} at 0x${at.toString(16)}: ${error}`;
          assert(
            signal === null && [1, 21].includes(code),
            `${what} ${signal} ${code}`,
          );
          if (code === 1) assertMatch(error, /^macho-loader: [^\n]+\n$/, what);
        }
        copy.restore(name);
      }
    },
  });

  Deno.test({
    name: `${build}: a missing import is reported when it is called, with its name and its caller`,
    ignore: !hasLoader,
    async fn() {
      await using copy = new Copy(build);
      const wanted = new TextEncoder().encode("_usleep\0");
      const path = `${copy.directory}/demo`;
      for (
        const [first, second, shown] of [[0x78, 0x73, "xs"], [0x1b, 0x9b, "\\x1b\\x9b"]] as const
      ) {
        const bytes = copy.original("demo");
        // In the bind opcodes or the chained imports, and in the symbol table.
        for (let at = bytes.indexOf(95); at >= 0; at = bytes.indexOf(95, at + 1)) {
          if (wanted.every((byte, i) => bytes[at + i] === byte)) bytes.set([first, second], at + 1);
        }
        copy.write("demo", bytes);
        const { signal, error } = await copy.run("demo");
        assertEquals(signal, "SIGABRT");
        assertEquals(error, `macho-loader: missing import _${shown}leep (called from ${path})\n`);
      }
    },
  });

  Deno.test({
    name: `${build}: what cannot be run is refused with a reason`,
    ignore: !hasLoader,
    async fn() {
      await using copy = new Copy(build);
      const program = `${copy.directory}/status`;
      await Deno.remove(`${copy.directory}/libworkers.dylib`);
      const error = `macho-loader: ${program}: cannot find the dylib @rpath/libworkers.dylib\n`;
      assertEquals(await copy.run(), { code: 1, signal: null, error });
      const others: [string, string | Uint8Array][] = [
        ["no-such-file", ""],
        ["text", "#!/bin/sh\necho no\n".repeat(100)],
        ["empty", ""],
        ["other", Deno.readFileSync(`${fixtures}${ownArch === "arm64" ? "x86_64" : "arm64"}/demo`)],
        ["dylib", copy.original("libworkers.dylib")],
      ];
      for (const [name, contents] of others) {
        if (name !== "no-such-file") {
          const bytes = typeof contents === "string"
            ? new TextEncoder().encode(contents)
            : contents;
          copy.write(name, bytes);
        }
        const ended = await copy.run(name);
        assertRefused(ended, name);
        assert(ended.error.includes(`${copy.directory}/${name}: `), ended.error);
      }
    },
  });
}
