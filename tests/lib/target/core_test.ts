/** Cores made by hand, of all four architectures and in several forms, against the demo's chains. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type ArchName, archs, readRegister, writeRegister } from "../../../lib/arch/mod.ts";
import {
  encodeAddressableBits,
  encodeKernelVersion,
  encodeLoadBinary,
  encodeMainBinary,
  Image,
} from "../../../lib/macho/mod.ts";
import { type CoreTarget, FormatError, MemoryReadError, openCore } from "../../../mod.ts";
import { readException } from "../../../lib/target/core_exception.ts";
import { buildImage } from "../macho/build_image.ts";
import {
  buildCore,
  coreFile,
  type Parts,
  partsOf,
  recordedParts,
  type Variant,
} from "./core_builder.ts";
import { chains, ownFrames } from "./demo.ts";
import { runs } from "../../machine.ts";

const fixtures = new URL("../../../examples/demo/", import.meta.url).pathname;

/** The live ones are started once. */
const made = new Map<ArchName, Promise<Parts>>();
function parts(name: ArchName): Promise<Parts> {
  let found = made.get(name);
  if (found === undefined) made.set(name, found = partsOf(name));
  return found;
}

/** Opens a core made of the parts, and shows it. */
async function withCore<T>(
  parts: Parts,
  variant: Variant,
  show: (core: CoreTarget) => T | Promise<T>,
  options: { symbols?: string[] } = {},
): Promise<T> {
  using file = await coreFile(buildCore(parts, variant));
  using core = openCore(file.path, options);
  return await show(core);
}

/** The chain that a core's thread must show. Without names the order tells which it is. */
function assertChains(core: CoreTarget, parts: Parts): void {
  assertEquals(core.threads.length, chains.size);
  core.threads.forEach((thread, index) => {
    const name = index === 0 ? "main" : parts.threads[index].name;
    const { own, contiguous } = ownFrames(thread);
    assertEquals(own, chains.get(name), name);
    assert(contiguous, name);
    assertEquals(thread.backtrace().stopped, "null-record", name);
    const { state } = parts.threads[index];
    for (const register of core.arch.threadState.registers) {
      assertEquals(thread.registers.get(register.name), readRegister(state, register));
    }
  });
}

const isImage: Variant["keep"] = ({ segment }) => segment === null ? "bytes" : "missing";
const variants: Readonly<Record<string, Variant>> = {
  "bare flavors": {},
  "flavors inside others": { flavors: "all-in-one" },
  "flavors that are skipped": { moreFlavors: [{ flavor: 17, state: new Uint8Array(528) }] },
  "zero-filled ends": { zeroFill: true },
  "no images' segments": { keep: isImage },
  "images' segments without bytes": {
    keep: ({ segment }) => segment === null ? "bytes" : "empty",
  },
  "no images' symbols": {
    keep: ({ segment }) => segment?.name === "__LINKEDIT" ? "missing" : "bytes",
  },
  "images' headers alone": {
    keep: ({ segment }) => segment === null || segment.name === "__TEXT" ? "bytes" : "missing",
  },
};

for (const name of ["x86_64", "i386", "arm64", "armv7"] as const) {
  const ignore = (name === "x86_64" || name === "i386") && !runs(name);

  for (const [what, variant] of Object.entries(variants)) {
    Deno.test({ name: `${name}: ${what}: every thread shows its chain`, ignore }, async () => {
      const demo = await parts(name);
      await withCore(demo, variant, (core) => {
        assertEquals([core.kind, core.pid, core.name, core.arch.name], ["core", 123, "demo", name]);
        assertEquals(core.threads.map(({ id }) => id), demo.threads.map(({ id }) => id));
        assertEquals(core.images.map(({ uuid }) => uuid), demo.images.map(({ uuid }) => uuid));
        assertChains(core, demo);
        assertEquals(core.warnings, []);
      });
    });
  }

  Deno.test({ name: `${name}: without notes the images are found in memory`, ignore }, async () => {
    const demo = await parts(name);
    await withCore(demo, { noted: false }, (core) => {
      assertEquals(core.pid, null);
      if (name === "x86_64" || name === "i386") assertEquals(core.name, "demo");
      const known = new Map(demo.images.map((image) => [image.uuid, image.loadAddress]));
      assertEquals(new Map(core.images.map(({ uuid, loadAddress }) => [uuid, loadAddress])), known);
      for (const [index, thread] of core.threads.entries()) {
        const chain = chains.get(index === 0 ? "main" : demo.threads[index].name)!;
        const symbols = thread.backtrace().map(({ symbol }) => symbol?.name);
        const start = symbols.indexOf(chain[0][1]);
        assertEquals(
          symbols.slice(start, start + chain.length),
          chain.map(([, symbol]) => symbol),
        );
      }
      assertEquals(core.warnings, []);
    });
  });

  Deno.test({ name: `${name}: binaries are found by UUID in folders`, ignore }, async () => {
    const demo = await parts(name);
    const elsewhere: Variant = {
      keep: isImage,
      image: (image) => ({ ...image, path: `/nowhere/${image.path!.split("/").at(-1)}` }),
    };
    await withCore(demo, elsewhere, (core) => {
      assertChains(core, demo);
      assertEquals(core.warnings, []);
    }, { symbols: [`${fixtures}${name}`] });
    await withCore(demo, elsewhere, (core) => {
      const [image] = core.threads[0].backtrace().filter(({ image }) => image?.name === "demo");
      assertEquals([image.image?.uuid, image.symbol], [demo.images[0].uuid, null]);
      assertEquals(core.warnings.length, 1);
      assertStringIncludes(core.warnings[0], `/nowhere/demo (${demo.images[0].uuid})`);
      assertStringIncludes(core.warnings[0], "--symbols");
    });
  });

  Deno.test(
    { name: `${name}: a binary with another UUID is not used, and said so`, ignore },
    async () => {
      const demo = await parts(name);
      const uuid = "00112233-4455-6677-8899-AABBCCDDEEFF";
      const variant: Variant = { keep: isImage, image: (image) => ({ ...image, uuid }) };
      await withCore(demo, variant, (core) => {
        for (const thread of core.threads) thread.backtrace().toString();
        for (const thread of core.threads) thread.backtrace().toString();
        const said = core.warnings.filter((text) => text.includes("is not used"));
        assertEquals(said.length, demo.images.length);
        for (const [index, text] of said.entries()) {
          assertStringIncludes(text, uuid);
          assertStringIncludes(text, demo.images[index].uuid!);
        }
        assert(
          core.threads.every((thread) => thread.backtrace().every(({ symbol }) => symbol === null)),
        );
      });
    },
  );
}

Deno.test("what is not in the core is read from the binaries, and nothing else is", async () => {
  const demo = recordedParts("arm64");
  await withCore(demo, { keep: isImage }, (core) => {
    const text = demo.regions.find(({ segment }) => segment?.name === "__TEXT")!;
    assertEquals(core.memory.read(text.address, 64), text.bytes.slice(0, 64));
    assertEquals(core.memory.read(text.address + 4090n, 12), text.bytes.slice(4090, 4102));
    // The file has variables' first values, and pointers that are not relocated.
    for (const { address, segment } of demo.regions) {
      if (segment === null || !segment.name.startsWith("__DATA")) continue;
      assertThrows(() => core.memory.read(address, 8), MemoryReadError, undefined, segment.name);
    }
    const stack = demo.regions.at(-1)!;
    const end = stack.address + BigInt(stack.bytes.length);
    assertEquals(core.memory.read(end - 16n, 16), stack.bytes.slice(-16));
    assertEquals(core.memory.readUpTo(end - 16n, 32).length, 16);
    assertThrows(() => core.memory.read(end, 1), MemoryReadError);
    assertThrows(() => core.memory.read(0n, 1), MemoryReadError);
    assertThrows(() => core.memory.write(stack.address, new Uint8Array(1)), TypeError, "read-only");
  });
});

Deno.test("segments without bytes: zero where something can have been written", async () => {
  const demo = recordedParts("arm64");
  const regions = [
    { address: 0x10000n, bytes: new Uint8Array(8192), protection: 3, segment: null },
    { address: 0x20000n, bytes: new Uint8Array(8192), protection: 1, segment: null },
  ];
  await withCore({ ...demo, regions }, { keep: () => "empty", noted: false }, (core) => {
    assertEquals(core.memory.read(0x10ff0n, 4096), new Uint8Array(4096));
    assertThrows(() => core.memory.read(0x11ff0n, 4096), MemoryReadError);
    assertThrows(() => core.memory.read(0x20000n, 1), MemoryReadError);
    assertEquals(
      core.regions().map(({ address, size, protection }) => [address, size, protection]),
      [
        [0x10000n, 8192n, 3],
        [0x20000n, 8192n, 1],
      ],
    );
  });
});

/** An exception state from its registers. */
function exceptionOf(parts: Parts, values: Record<string, bigint>): Uint8Array {
  const { size, registers } = parts.arch.exceptionState;
  const state = new Uint8Array(size);
  for (const register of registers) writeRegister(state, register, values[register.name] ?? 0n);
  return state;
}

/** Exception registers, what they mean, and the registers of a thread that is only in the kernel. */
const crashes: Record<ArchName, [Record<string, bigint>, string, Record<string, bigint>]> = {
  // A write to an unmapped page: #PF, with the CPU's number above the trap's.
  x86_64: [
    { trapno: 0x3000en, err: 6n, faultvaddr: 0x10n },
    "page fault, writing, at 0x10",
    { trapno: 0x85n, err: 0x200_0018n },
  ],
  i386: [{ trapno: 6n }, "invalid instruction", { trapno: 0x84n }],
  // EC 0x24, WnR set, level 1 translation fault; EC 0x15 is SVC.
  arm64: [
    { far: 0x18n, esr: 0x9200_0045n },
    "data abort, writing, at 0x18",
    { far: 0x1_0000n, esr: 0x5600_0080n },
  ],
  armv7: [
    { exception: 4n, fsr: 0x805n, far: 0x20n },
    "data abort, writing, at 0x20",
    { exception: 2n },
  ],
};

for (const name of ["x86_64", "i386", "arm64", "armv7"] as const) {
  for (const flavors of ["bare", "all-in-one"] as const) {
    Deno.test({
      name: `${name}: ${flavors} exception states tell who crashed, and of what`,
      ignore: (name === "x86_64" || name === "i386") && !runs(name),
    }, async () => {
      const demo = await parts(name);
      const [crash, text, call] = crashes[name];
      const threads = demo.threads.map((thread, index) => ({
        ...thread,
        ...(index === 0 ? {} : { exception: exceptionOf(demo, index === 2 ? crash : call) }),
      }));
      await withCore({ ...demo, threads }, { flavors }, (core) => {
        assertEquals(core.threads[0].exception, null);
        assertEquals(`${core.threads[1].exception}`, "system call");
        assertEquals(core.crashedThread, core.threads[2]);
        assertEquals(`${core.threads[2].exception}`, text);
        for (const [register, value] of Object.entries(crash)) {
          assertEquals(core.threads[2].exception?.registers.get(register), value);
        }
        assertEquals(Object.keys(core.threads[2].toJSON()), [
          ...["index", "id", "name", "state", "cpuUsage"],
          ...["queue", "queueSerial", "queueKind", "queueTargets", "qos"],
        ]);
      });
    });
  }
}

Deno.test("x86_64: of a page fault without an error code it is not said what was tried", () => {
  const { exceptionState } = archs.x86_64;
  const state = new Uint8Array(exceptionState.size);
  for (const [name, value] of [["trapno", 14n], ["faultvaddr", 0x10n]] as const) {
    const register = exceptionState.registers.find((register) => register.name === name)!;
    writeRegister(state, register, value);
  }
  const exception = readException(archs.x86_64, exceptionState, state)!;
  assertEquals(`${exception}`, "page fault, at 0x10");
  assertEquals([...exception.registers].map(({ name }) => name), ["trapno", "faultvaddr"]);
});

Deno.test("arm64e: the note of addressable bits takes the authentication codes off", async () => {
  const demo = recordedParts("arm64");
  const { arch } = demo;
  const code = 0x5a5a_8000_0000_0000n;
  const threads = demo.threads.map((thread) => {
    const state = thread.state.slice();
    for (const register of [arch.pc, arch.lr!, arch.sp, arch.fp]) {
      const value = readRegister(state, register);
      if (value !== 0n) writeRegister(state, register, value | code);
    }
    return { ...thread, state };
  });
  // As the processor signs return addresses when it stores them.
  const regions = demo.regions.map((region) => {
    if (region.segment !== null) return region;
    const bytes = region.bytes.slice();
    const view = new DataView(bytes.buffer);
    for (let at = 8; at < bytes.length; at += 8) {
      const value = view.getBigUint64(at, true);
      const isCode = demo.regions.some(({ address, bytes, segment }) =>
        segment?.name === "__TEXT" && value > address && value < address + BigInt(bytes.length)
      );
      if (isCode) view.setBigUint64(at, value | code, true);
    }
    return { ...region, bytes };
  });
  const signed = { ...demo, cpuSubtype: 0x80000002, threads, regions };
  const bits = { owner: "addrable bits", bytes: encodeAddressableBits({ low: 47, high: 55 }) };
  await withCore(signed, { notes: [bits] }, (core) => {
    assertEquals(core.arch.addressMask, 0x7fff_ffff_ffffn);
    assertChains(core, signed);
  });
  const narrow = { owner: "addrable bits", bytes: encodeAddressableBits({ low: 39, high: 39 }) };
  await withCore(demo, { notes: [narrow] }, (core) => {
    assertEquals(core.arch.addressMask, 0x7f_ffff_ffffn);
    assertChains(core, demo);
  });
});

Deno.test("notes are listed, understood or not", async () => {
  const demo = recordedParts("armv7");
  const notes = [
    { owner: "kern ver str", bytes: encodeKernelVersion("Darwin Kernel Version 14.0.0") },
    { owner: "somebody's own", bytes: new Uint8Array(5) },
  ];
  await withCore(demo, { notes }, (core) => {
    assertEquals(core.kernelVersion, "Darwin Kernel Version 14.0.0");
    assertEquals(core.notes.map(({ owner, size }) => [owner, size]).slice(2), [
      ["kern ver str", 33],
      ["somebody's own", 5],
    ]);
    assertEquals(core.warnings, []);
  });
});

Deno.test("metadata padded with a megabyte of zeros is read, and at once", async () => {
  const demo = recordedParts("arm64");
  const text = new TextEncoder().encode(JSON.stringify({ pid: 7, name: "padded", threads: [] }));
  const bytes = new Uint8Array(text.length + 2 ** 20);
  bytes.set(text);
  await withCore(demo, { noted: false, notes: [{ owner: "process metadata", bytes }] }, (core) => {
    assertEquals([core.pid, core.name, core.warnings], [7, "padded", []]);
  });
});

Deno.test("a core behaves as a target that is always paused", async () => {
  const demo = recordedParts("arm64");
  using file = await coreFile(buildCore(demo));
  const core = openCore(file.path);
  {
    using pause = core.pause();
    assertEquals([core.paused, pause.active], [true, true]);
  }
  assertEquals(core.paused, true);
  const snapshot = core.snapshot();
  assertEquals([snapshot.stoppedMicroseconds, snapshot.threads], [0, core.threads]);
  assertThrows(() => core.threads[0].suspend(), TypeError, "core");
  assertThrows(() => core.threads[0].setRegister("x0", 1n), TypeError, "core");
  const [{ image, symbol }] = core.lookup("spin_outer");
  assertEquals(image.name, "libworkers.dylib");
  assertEquals(core.dladdr(symbol.address + 4n)?.sname, "spin_outer");
  assertEquals(`${core}`, "demo (pid 123, arm64)");
  const { images: [first] } = core;
  assert(first instanceof Image && first.segments.length > 0);
  core[Symbol.dispose]();
  core[Symbol.dispose]();
  assertThrows(() => core.memory.read(0x7777_0000n, 1), MemoryReadError);
});

Deno.test("what is no core is refused with its file and offset", async () => {
  for (
    const [bytes, expected] of [
      [new Uint8Array(0), "a Mach-O header"],
      [new Uint8Array(64), "magic number"],
      [Deno.readFileSync(`${fixtures}x86_64/demo`), "the file type of a core (4)"],
    ] as const
  ) {
    using file = await coreFile(bytes);
    const error = assertThrows(() => openCore(file.path), FormatError);
    assertEquals(error.file, file.path);
    assertStringIncludes(error.message, expected);
  }
});

Deno.test("an image of a note of its own, by address and by slide", async () => {
  const demo = recordedParts("arm64");
  const [program, library] = demo.images;
  const notes = [
    { owner: "load binary", bytes: encodeLoadBinary(library) },
    {
      owner: "load binary",
      bytes: encodeLoadBinary({
        ...program,
        loadAddress: null,
        slide: program.loadAddress! - 0x1_0000_0000n,
      }),
    },
    { owner: "load binary", bytes: new Uint8Array(3) },
  ];
  await withCore(demo, { noted: false, keep: isImage, notes }, (core) => {
    assertEquals(
      core.images.map(({ path, loadAddress }) => [path, loadAddress]),
      [library, program].map(({ path, loadAddress }) => [path, loadAddress]),
    );
    core.threads.forEach((thread, index) => {
      assertEquals(
        ownFrames(thread).own,
        chains.get(index === 0 ? "main" : demo.threads[index].name),
      );
    });
    assertEquals(core.warnings, ['the note "load binary" is damaged']);
  });
});

for (const how of ["by its section", "by its symbol"]) {
  Deno.test(`without notes dyld's list is found ${how}`, async () => {
    const demo = recordedParts("arm64");
    const address = 0x2_0000_0000n;
    const data = new Uint8Array(0x400);
    const view = new DataView(data.buffer);
    // struct dyld_all_image_infos, version 15, at 0x1000; the array at 0x1200; the paths at 0x1300.
    view.setUint32(0, 15, true);
    view.setUint32(4, demo.images.length, true);
    view.setBigUint64(8, address + 0x1200n, true);
    view.setBigUint64(32, address, true);
    demo.images.forEach((image, index) => {
      const path = 0x300 + index * 0x80;
      view.setBigUint64(0x200 + index * 24, image.loadAddress!, true);
      view.setBigUint64(0x208 + index * 24, address + 0x1000n + BigInt(path), true);
      data.set(new TextEncoder().encode(`/demo/${index}`), path);
    });
    const name = how === "by its section" ? "__all_image_info" : "__data";
    const dyld = buildImage({
      cpuType: demo.arch.cpuType,
      fileType: 7,
      address,
      sections: [
        { segment: "__TEXT", name: "__text", offset: 0x800, size: 16 },
        { segment: "__DATA", name, offset: 0x1000, size: data.length, data },
      ],
      symbols: [{ name: "_dyld_all_image_infos", offset: 0x1000, type: 0x0f, section: 2 }],
    });
    const regions = [
      { address, bytes: dyld, protection: 3, segment: null },
      ...demo.regions,
    ];
    await withCore({ ...demo, regions }, { noted: false }, (core) => {
      assertEquals(core.images.map(({ path, loadAddress }) => [path, loadAddress]), [
        ...demo.images.map(({ loadAddress }, index) => [`/demo/${index}`, loadAddress]),
        ["/usr/lib/dyld", address],
      ]);
      assertEquals(core.warnings, []);
    });
  });
}

Deno.test("main bin spec: firmware is an image, a user process's dyld is not", async () => {
  const demo = recordedParts("armv7");
  const [, { loadAddress: address, uuid }] = demo.images;
  for (const type of [2, 3]) {
    const main = { type, address, slide: null, uuid, log2PageSize: 14, platform: 2 };
    const notes = [{ owner: "main bin spec", bytes: encodeMainBinary(main) }];
    const regions = demo.regions.filter(({ segment }) => segment?.image === "libworkers.dylib");
    await withCore({ ...demo, regions }, { noted: false, notes }, (core) => {
      assertEquals(core.mainBinary, main);
      assertEquals(core.images.map(({ uuid }) => uuid), [uuid]);
    });
  }
});

Deno.test("a binary is found in a universal file", async () => {
  const demo = recordedParts("arm64");
  const directory = await Deno.makeTempDir();
  try {
    const slices = ["x86_64", "arm64"].map((arch) => ({
      cpuType: archs[arch as ArchName].cpuType,
      bytes: Deno.readFileSync(`${fixtures}${arch}/libworkers.dylib`),
    }));
    const offsets = [0x4000, 0x4000 + Math.ceil(slices[0].bytes.length / 0x4000) * 0x4000];
    const fat = new Uint8Array(offsets[1] + slices[1].bytes.length);
    const view = new DataView(fat.buffer);
    view.setUint32(0, 0xcafebabe);
    view.setUint32(4, 2);
    slices.forEach(({ cpuType, bytes }, index) => {
      [cpuType, 0, offsets[index], bytes.length, 14].forEach((word, field) =>
        view.setUint32(8 + index * 20 + field * 4, word)
      );
      fat.set(bytes, offsets[index]);
    });
    await Deno.mkdir(`${directory}/deep/er`, { recursive: true });
    await Deno.writeFile(`${directory}/deep/er/libworkers`, fat);
    await Deno.writeFile(`${directory}/deep/noise`, new Uint8Array(100).fill(0xca));
    await withCore(demo, {
      keep: isImage,
      image: (image) =>
        image.path!.endsWith("demo") ? image : { ...image, path: "/nowhere/libworkers.dylib" },
    }, (core) => {
      assertChains(core, demo);
      assertEquals(core.warnings, []);
    }, { symbols: [directory] });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("a core of nothing opens", async () => {
  const demo = recordedParts("arm64");
  await withCore({ ...demo, threads: [], regions: [], images: [] }, { noted: false }, (core) => {
    assertEquals([core.threads, core.images, core.regions(), core.crashedThread], [
      [],
      [],
      [],
      null,
    ]);
    assertEquals([core.pid, core.warnings], [null, []]);
  });
});
