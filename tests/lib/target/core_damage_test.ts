/** Cores that are damaged, and cores that are huge. */
import { assert, assertEquals, assertLess } from "@std/assert";
import { files } from "../../../ffi/mod.ts";
import { FormatError, MemoryReadError } from "../../../lib/errors.ts";
import {
  type ByteSource,
  bytesSource,
  type CoreLayout,
  encodeCore,
  parseCore,
} from "../../../lib/macho/mod.ts";
import type { Files, FileSystem, OpenFile } from "../../../lib/file_system.ts";
import { CoreTarget } from "../../../lib/target/mod.ts";
import { buildCore, recordedParts, writeSparse } from "./core_builder.ts";
import { chains, ownFrames } from "./demo.ts";

/** No binaries but those in the core. */
const noFiles: Files = {
  open() {
    throw new Error("there are no files");
  },
  create() {
    throw new Error("nothing is written");
  },
  walk: () => [],
};

const system: FileSystem = { files: noFiles };

/** Counts what is read of a source. */
function counted(source: ByteSource): OpenFile & { reads: number; bytes: number } {
  const file = {
    name: source.name,
    size: source.size,
    reads: 0,
    bytes: 0,
    read(offset: number, length: number): Uint8Array {
      assert(length >= 0 && offset >= 0 && length <= source.size, `${length} bytes at ${offset}`);
      file.reads++;
      const read = source.read(offset, length);
      file.bytes += read.length;
      return read;
    },
    [Symbol.dispose]() {},
  };
  return file;
}

/** More reads than any of these cores takes. */
const maxReads = 100_000;

/** Opens a core and looks at all of it; only a FormatError may come. */
function lookAt(bytes: Uint8Array): { threads: number; warnings: number } | FormatError {
  const file = counted(bytesSource(bytes, "damaged.core"));
  let core: CoreTarget;
  try {
    core = new CoreTarget(file, system);
  } catch (error) {
    assert(error instanceof FormatError, `${error}`);
    assertEquals(error.file, "damaged.core");
    assert(error.offset >= 0 && error.offset <= bytes.length);
    return error;
  }
  void core.images.length;
  for (const thread of core.threads) {
    for (const frame of thread.backtrace({ limit: 200 })) frame.toString();
    void thread.exception?.toString();
  }
  void core.crashedThread;
  core.regions();
  core.toJSON();
  assertLess(file.reads, maxReads);
  return { threads: core.threads.length, warnings: core.warnings.length };
}

const parts = recordedParts("arm64");
const whole = buildCore(parts, {
  notes: [{ owner: "addrable bits", bytes: new Uint8Array([3, 0, 0, 0, 47, 0, 0, 0]) }],
});
/** Where each load command begins, and where the last ends. */
const boundaries: number[] = [];
{
  const view = new DataView(whole.buffer);
  let at = 32;
  for (let left = view.getUint32(16, true); left > 0; left--) {
    boundaries.push(at);
    at += view.getUint32(at + 4, true);
  }
  boundaries.push(at);
}

Deno.test("cut at every load command: what is before it is shown", () => {
  const threads = boundaries.slice(0, -1).filter((at) => whole[at] === 4);
  for (const end of boundaries) {
    const seen = lookAt(whole.slice(0, end));
    assert(!(seen instanceof FormatError), `${end}: ${seen}`);
    assertEquals(seen.threads, threads.filter((at) => at < end).length, `${end}`);
    assert(seen.warnings > 0);
  }
});

/** Numbers that are the same in every run. */
function* randoms(seed: number): Generator<number> {
  for (let state = seed;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

Deno.test("cut at three hundred places", () => {
  const random = randoms(1);
  for (let round = 0; round < 300; round++) {
    const end = Math.floor(random.next().value! * whole.length);
    const seen = lookAt(whole.slice(0, end));
    assertEquals(seen instanceof FormatError, end < 32, `${end}`);
  }
});

Deno.test("every 32-bit field of the header, commands and notes set to what it must not be", () => {
  const { notes } = parseCore(bytesSource(whole, "core"));
  const fields = [{ offset: 0, size: boundaries.at(-1)! }];
  // The metadata is text.
  fields.push(...notes.filter(({ owner }) => owner !== "process metadata"));
  const offsets = fields.flatMap(({ offset, size }) =>
    Array.from({ length: Math.floor(size / 4) }, (_, index) => offset + index * 4)
  );
  for (const [index, at] of offsets.entries()) {
    // Each has two of the four, and its neighbours the others.
    for (const value of index % 2 === 0 ? [0, 0xffffffff] : [1, 0x7fffffff]) {
      const damaged = whole.slice();
      new DataView(damaged.buffer).setUint32(at, value, true);
      lookAt(damaged);
    }
  }
});

Deno.test("bytes changed at random", () => {
  const random = randoms(2);
  for (let round = 0; round < 150; round++) {
    const damaged = whole.slice();
    for (let count = 0; count < 20; count++) {
      const at = Math.floor(random.next().value! * boundaries.at(-1)! * 1.5);
      damaged[at] = Math.floor(random.next().value! * 256);
    }
    lookAt(damaged);
  }
});

Deno.test("a load command of no size ends the list, with a warning", () => {
  const damaged = whole.slice();
  const [, , , , fifth] = boundaries;
  new DataView(damaged.buffer).setUint32(fifth + 4, 0, true);
  const { warnings, threads, notes } = parseCore(bytesSource(damaged, "core"));
  assertEquals(threads.length + notes.length, 4);
  assertEquals(warnings.length, 1);
  assert(warnings[0].includes(`0x${fifth.toString(16)}`), warnings[0]);
});

/** A core of segments alone. */
function segmentsOf(
  segments: readonly [address: bigint, size: bigint, fileOffset: number, fileSize: number][],
  contents: Uint8Array,
): CoreTarget {
  const layout: CoreLayout = {
    cpuType: parts.arch.cpuType,
    cpuSubtype: 0,
    threads: [],
    notes: [],
    segments: segments.map(([address, size, fileOffset, fileSize]) => ({
      ...{ name: "", address, size, fileOffset: 4096 + fileOffset, fileSize },
      ...{ initialProtection: 3, maxProtection: 7 },
    })),
  };
  const bytes = new Uint8Array(4096 + contents.length);
  bytes.set(encodeCore(layout));
  bytes.set(contents, 4096);
  return new CoreTarget(counted(bytesSource(bytes, "core")), system);
}

Deno.test("of overlapping segments the one that begins last has the address", () => {
  const contents = new Uint8Array(300).map((_, index) => 1 + Math.floor(index / 100));
  using core = segmentsOf([
    [0x1000n, 100n, 0, 100],
    [0x1020n, 16n, 100, 16],
    [0x1060n, 100n, 200, 100],
  ], contents);
  const bytes = core.memory.read(0x1000n, 0x60 + 100);
  assertEquals([...bytes], [
    ...Array(0x20).fill(1),
    ...Array(16).fill(2),
    ...Array(0x30).fill(1),
    ...Array(100).fill(3),
  ]);
});

Deno.test("segments to the end of the address space and beyond", () => {
  const contents = new Uint8Array(64).fill(7);
  using core = segmentsOf([
    [0xffff_ffff_ffff_ffe0n, 0x20n, 0, 32],
    [0x1000n, 0xffff_ffff_ffff_ffffn, 32, 32],
  ], contents);
  assertEquals(core.memory.readUpTo(0xffff_ffff_ffff_fff0n, 64), new Uint8Array(16).fill(7));
  assertEquals(core.memory.read(0x1000n, 32), new Uint8Array(32).fill(7));
  assertEquals(core.memory.read(0x5000_0000n, 2), new Uint8Array(2));
});

Deno.test("a core of 20 GB costs what a small one does", async () => {
  const small = await Deno.makeTempFile({ suffix: ".core" });
  const large = await Deno.makeTempFile({ suffix: ".core" });
  const free = 20 * 2 ** 30;
  try {
    writeSparse(small, parts, 0);
    writeSparse(large, parts, free);
    const [a, b] = [small, large].map((path) => {
      using opened = files.open(path);
      const file = counted(opened);
      const core = new CoreTarget(file, system);
      core.threads.forEach((thread, index) => {
        const name = index === 0 ? "main" : thread.name;
        assertEquals(ownFrames(thread).own, chains.get(name));
      });
      assertEquals(core.warnings, []);
      if (path === large) {
        assertEquals(core.memory.read(0x7_0000_0000n + BigInt(free) - 16n, 16), new Uint8Array(16));
      }
      return { reads: file.reads, bytes: file.bytes };
    });
    // But for the piece that the commands are read in, and the read of the end above.
    assertLess(b.reads - a.reads, 3);
    assertLess(b.bytes - a.bytes, 8192);
    assertLess(b.bytes, 2 ** 20);
  } finally {
    Deno.removeSync(small);
    Deno.removeSync(large);
  }
});

Deno.test("without notes a core of 20 GB is searched for images within bounds", async () => {
  const path = await Deno.makeTempFile({ suffix: ".core" });
  try {
    const size = 20 * 2 ** 30;
    Deno.writeFileSync(
      path,
      encodeCore({
        cpuType: parts.arch.cpuType,
        cpuSubtype: 0,
        threads: [],
        notes: [],
        segments: [{
          ...{ name: "", address: 0x1_0000_0000n, size: BigInt(size), fileOffset: 4096 },
          ...{ fileSize: size, initialProtection: 5, maxProtection: 7 },
        }],
      }),
    );
    Deno.truncateSync(path, size + 4096);
    using opened = files.open(path);
    const file = counted(opened);
    const core = new CoreTarget(file, system);
    assertEquals(core.images, []);
    assertLess(file.reads, 20_000);
    assertLess(file.bytes, 2 ** 20);
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("memory that should be in the core and was cut off is unreadable", () => {
  const stack = parts.regions.at(-1)!;
  const file = counted(bytesSource(whole.slice(0, -100), "core"));
  const core = new CoreTarget(file, system);
  const end = stack.address + BigInt(stack.bytes.length);
  assertEquals(core.memory.readUpTo(end - 200n, 200).length, 100);
  let error: unknown;
  try {
    core.memory.read(end - 50n, 8);
  } catch (caught) {
    error = caught;
  }
  assert(error instanceof MemoryReadError);
  assertEquals(core.warnings.length, 1);
});
