/** Everything that reads what a stranger may have written: each reader does all that machpause does with
 * such a file, and gives back what a terminal would get of it. */
import type { Type } from "../../lib/values/mod.ts";
import type { Files } from "../../lib/file_system.ts";
import type { ProfileFormat } from "../../lib/profile/formats.ts";
import { bytesSource, MachOFile } from "../../lib/macho/mod.ts";
import { MachError, MemoryReadError, TargetGoneError } from "../../lib/errors.ts";
import { escape } from "../../lib/escape.ts";
import { type ByteStream, RemoteError, RemoteTarget } from "../../lib/remote/mod.ts";
import { imagesIn } from "../../lib/symbols/mod.ts";
import { jsonSlabs } from "../lib/profile/json_slabs.ts";
import { packet, ScriptedStub } from "../lib/remote/scripted_stub.ts";
import type { Activation, ValueContext } from "../../lib/values/mod.ts";
import { bugsnag, kscrash, metricKit, minidump, sentry } from "../lib/report/services.ts";
import { resignMst } from "../lib/symbols/mst_resign.ts";
import { hostileCrash, hostileIps } from "./hostile.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";

/** A reader, and the files whose damaged copies it gets. */
export interface Reader {
  readonly name: string;
  readonly kind: "binary" | "text";
  /** Undamaged files. */
  seeds(): Promise<readonly Uint8Array[]>;
  /** Gives a damaged file the checksums that it would have if somebody had meant it. Half of the files get
   * them. */
  resign?(bytes: Uint8Array): void;
  /** Reads a file; text that is shown of it. */
  read(bytes: Uint8Array): Iterable<string> | AsyncIterable<string>;
}

const root = new URL("../../", import.meta.url);

function files(...paths: readonly string[]): () => Promise<Uint8Array[]> {
  return () => Promise.all(paths.map((path) => Deno.readFile(new URL(path, root))));
}

const everything = {
  ...{ loadCommands: true, sections: true, symbols: true, indirect: true, functionStarts: true },
  ...{ exports: true, fixups: true, objc: true, swift: true },
};

/** At most so many pieces of one file are shown: enough to see all kinds of them. */
const MAX_PIECES = 20_000;

const image: Reader = {
  name: "image",
  kind: "binary",
  seeds: files(
    ...["x86_64/demo", "x86_64-chained/demo", "arm64/libworkers.dylib", "armv7/demo", "i386/demo"]
      .map((name) => `examples/demo/${name}`),
    "tests/fixtures/inlines/x86_64/libhelper.a",
  ),
  async *read(bytes) {
    const { imageJson } = await import("../../repl/view/image_json.ts");
    const file = new MachOFile(bytesSource(bytes, "fuzzed"));
    let pieces = 0;
    for await (const piece of imageJson(file, everything)) {
      yield piece;
      if (++pieces === MAX_PIECES) return;
    }
  },
};

const dsym: Reader = {
  name: "dsym",
  kind: "binary",
  seeds: files(
    "tests/fixtures/inlines/x86_64/dsym/inlines.dSYM/Contents/Resources/DWARF/inlines",
    "tests/fixtures/lines/arm64-dwarf5/lines.dSYM/Contents/Resources/DWARF/lines",
    "tests/fixtures/lines/x86_64-dwarf4/lines.dSYM/Contents/Resources/DWARF/lines",
    "examples/demo/armv7/demo.dSYM/Contents/Resources/DWARF/demo",
  ),
  async *read(bytes) {
    const { openDwarf } = await import("../../lib/symbols/mod.ts");
    for (const { bytes: slice } of imagesIn(bytesSource(bytes, "fuzzed"))) {
      const dwarf = openDwarf(slice);
      for (let offset = 0; offset < 0x2000; offset += 0x34) {
        for (const { function: name } of dwarf.framesAt(offset)) void name.length;
      }
      let entries = 0;
      for (const unit of dwarf.units()) entries += unit.functionCount ?? 0;
      yield `${entries}`;
    }
  },
};

/** The variables of every function of a dSYM, over registers and memory that are made up. */
const frameVariables: Reader = {
  name: "frame-variables",
  kind: "binary",
  seeds: async () => [
    ...await dsym.seeds(),
    ...await files(
      "examples/demo/x86_64/demo.dSYM/Contents/Resources/DWARF/demo",
      "examples/demo/x86_64/libworkers.dylib.dSYM/Contents/Resources/DWARF/libworkers.dylib",
    )(),
  ],
  async *read(bytes) {
    const { openDwarf } = await import("../../lib/symbols/mod.ts");
    const { archs } = await import("../../lib/arch/mod.ts");
    const values = await import("../../lib/values/mod.ts");
    for (const { bytes: slice } of imagesIn(bytesSource(bytes, "fuzzed"))) {
      const { info, arch: name } = openDwarf(slice);
      const arch = archs[name];
      const module = new values.ModuleVariables(info, (offset) => BigInt(offset));
      const context: ValueContext = {
        memory: {
          pointerSize: arch.pointerSize,
          readUpTo: (address, length) => new Uint8Array(length).fill(Number(address & 0x7fn)),
        },
        addressMask: arch.addressMask,
        pointerSize: arch.pointerSize,
        limits: values.defaultLimits,
        formatters: new values.FormatterTable(values.builtInFormatters),
        symbolAt: () => null,
        addressesOf: () => [],
        findType: (name) => values.searchType(module.entries, module.types, name),
        limited(limits) {
          return { ...this, limits: { ...this.limits, ...limits } };
        },
      };
      let shown = 0;
      const activation = (offset: number, caller: Activation | null): Activation => ({
        ...{ module, offset, resume: offset, caller, arch, frameAddress: 0x1000n },
        register: (number) => BigInt(number * 0x100),
        threadAddress: () => "no thread",
      });
      for (let offset = 0; offset < 0x2000 && shown < MAX_PIECES; offset += 0x34) {
        const frame = activation(offset, activation(offset + 0x40, null));
        for (const level of [-1, 0, 1]) {
          for (const variable of values.frameVariables(frame, level, context)) {
            shown++;
            void variable.declaration?.line;
            yield escape(`${variable}`);
          }
        }
      }
      for (const variable of values.globalsOf(module, arch, context)) {
        if (++shown > MAX_PIECES) break;
        yield escape(`${variable}`);
      }
    }
  },
};

/** A table of the fixture's debug information, made once. */
let table: Promise<Uint8Array> | undefined;

async function makeTable(): Promise<Uint8Array> {
  const { archs } = await import("../../lib/arch/mod.ts");
  const { MstBuilder, openDwarf, UnitEncoder } = await import("../../lib/symbols/mod.ts");
  const [bytes] = await dsym.seeds();
  const [{ bytes: slice }] = imagesIn(bytesSource(bytes, "inlines"));
  const dwarf = openDwarf(slice);
  const builder = new MstBuilder({ uuid: dwarf.uuid, arch: archs.x86_64, name: "inlines" });
  const encoder = new UnitEncoder(archs.x86_64);
  const stream = builder.stream();
  for (const unit of dwarf.units()) stream.add(encoder.encode(unit));
  const chunks = [...builder.finish([{ offset: 0x10, size: 8, name: "start" }])];
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

const mst: Reader = {
  name: "table",
  kind: "binary",
  seeds: async () => [await (table ??= makeTable())],
  resign: resignMst,
  async *read(bytes) {
    const { openMst } = await import("../../lib/symbols/mod.ts");
    using file = openMst(bytesSource(bytes, "fuzzed.mst"));
    for (let offset = 0; offset < 0x2000; offset += 0x34) {
      void file.framesAt(offset).length;
      void file.functionAt(offset)?.start;
    }
    yield file.info.arch;
  },
};

const remote: Reader = {
  name: "remote-table",
  kind: "binary",
  seeds: mst.seeds,
  resign: resignMst,
  async *read(bytes) {
    const { openRemoteMst } = await import("../../lib/symbols/mod.ts");
    const { name, size, read } = bytesSource(bytes, "fuzzed.mst");
    const file = await openRemoteMst({
      name,
      size,
      read: (offset, length) => Promise.resolve(read(offset, length)),
    });
    for (let offset = 0; offset < 0x1000; offset += 0x134) {
      void (await file.framesAt(offset)).length;
    }
    yield file.info.arch;
  },
};

const reports = ["ios104.crash", "ios109.ips", "ios32.crash", "macos12.crash", "macos309.ips"];

const reportFiles = files(
  ...[...reports, "sample.txt", "spindump.txt", "stackshot288.ips"]
    .map((name) => `tests/fixtures/reports/${name}`),
);

const crash: Reader = {
  name: "crash",
  kind: "text",
  seeds: async () => [
    ...await reportFiles(),
    ...[hostileCrash(), hostileIps()],
    ...[bugsnag, kscrash, metricKit, minidump, sentry].map((value) =>
      new TextEncoder().encode(JSON.stringify(value))
    ),
  ],
  async *read(bytes) {
    const report = await import("../../lib/report/mod.ts");
    const { safeJson } = await import("../../lib/escape.ts");
    const { explanationLines, safeLines } = await import("../../repl/view/crash_show.ts");
    const { plain } = await import("../../repl/view/style.ts");
    const read = report.readReport(bytes, "fuzzed");
    const attribution = report.attributeReport(read, { mine: ["libfoo"] });
    yield* explanationLines(
      report.explainReport(read),
      { report: read, attribution, missing: [] },
      plain,
    );
    yield* safeLines(read.text).replaceAll("\t", " ").split("\n");
    yield safeJson(report.reportJson(read, { attribution }));
    void report.reportSignature(read);
    for (const form of ["crash", "ips"] as const) {
      try {
        report.readReport(report.writeReport(read, form), "again");
      } catch (error) {
        if (!(error instanceof report.ReportFormError)) throw error;
      }
    }
  },
};

const stackshot: Reader = {
  name: "stackshot",
  kind: "binary",
  async seeds() {
    const { encodeCompressed, encodeKcdata } = await import(
      "../lib/stackshot/kcdata_encoder.ts"
    );
    const { encodeTrace } = await import("../lib/stackshot/trace_encoder.ts");
    const { shot } = await import("../lib/stackshot/shot.ts");
    return [
      encodeKcdata(shot),
      await encodeCompressed(shot),
      encodeTrace("10.11", shot, true),
      encodeTrace("10.6", shot),
    ];
  },
  async *read(bytes) {
    const { readStackshot, Stackshot } = await import("../../lib/stackshot/mod.ts");
    const { Symbolizer } = await import("../../lib/symbols/mod.ts");
    const { headerLines, taskLines } = await import("../../repl/view/stackshot.ts");
    const { plain } = await import("../../repl/view/style.ts");
    const data = await readStackshot(bytes, "fuzzed");
    const symbols = (images: ConstructorParameters<typeof Symbolizer>[0]) => new Symbolizer(images);
    using shot = new Stackshot(data, { symbols, findImage: () => null });
    yield* headerLines(shot, plain);
    for (const task of shot.tasks) {
      yield* taskLines(task, plain, { name: (mangled) => mangled, limit: 64 });
    }
  },
};

/** Cores of the recorded demo. Much of their memory is stack that nobody uses: it is left out, so that more
 * of the damage is to what is read. */
async function coreSeeds(): Promise<Uint8Array[]> {
  const { buildCore, recordedParts } = await import("../lib/target/core_builder.ts");
  return (["arm64", "armv7"] as const).flatMap((name) => {
    const parts = recordedParts(name);
    const notes = [{ owner: "addrable bits", bytes: new Uint8Array([3, 0, 0, 0, 47, 0, 0, 0]) }];
    return [
      buildCore(parts, { notes, zeroFill: true }),
      buildCore(parts, { flavors: "all-in-one" }),
    ];
  });
}

let cores: Promise<Uint8Array[]> | undefined;

const core: Reader = {
  name: "core",
  kind: "binary",
  seeds: () => cores ??= coreSeeds(),
  async *read(bytes) {
    const { CoreTarget } = await import("../../lib/target/mod.ts");
    const { safeJson } = await import("../../lib/escape.ts");
    const { coreJson, threadsJson } = await import("../../repl/view/json.ts");
    const { backtracesLines } = await import("../../repl/view/render.ts");
    const { uniqueBacktracesLines } = await import("../../repl/view/summary.ts");
    const { plain } = await import("../../repl/view/style.ts");
    const file = { ...bytesSource(bytes, "fuzzed"), [Symbol.dispose]() {} };
    using target = new CoreTarget(file, { files: noFiles });
    const { threads } = target;
    const { pointerSize } = target.arch;
    yield* backtracesLines(threads, pointerSize, plain, 100);
    yield* uniqueBacktracesLines(threads, pointerSize, plain, 100);
    yield safeJson(coreJson(target));
    yield safeJson(threadsJson(target, threads, 100));
  },
};

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

/** The dSYM whose variables are shown: of the recorded demo on arm64. */
const dsymPath = "examples/demo/arm64/demo.dSYM/Contents/Resources/DWARF/demo";

let arm64Core: Promise<Uint8Array> | undefined;

const variables: Reader = {
  name: "variables",
  kind: "binary",
  seeds: files(dsymPath),
  async *read(bytes) {
    const { CoreTarget } = await import("../../lib/target/mod.ts");
    await import("../../lib/target/variables.ts");
    const { contentText } = await import("../../lib/values/mod.ts");
    const { variableLines } = await import("../../repl/view/variables.ts");
    const { escape } = await import("../../lib/escape.ts");
    const { plain } = await import("../../repl/view/style.ts");
    const of = (bytes: Uint8Array) => ({
      ...bytesSource(bytes, "fuzzed"),
      [Symbol.dispose]() {},
    });
    const found: Files = {
      ...noFiles,
      open: () => of(bytes),
      walk: () => [`/symbols/${dsymPath}`],
    };
    const core = await (arm64Core ??= coreSeeds().then(([first]) => first));
    using target = new CoreTarget(of(core), { files: found }, { symbols: ["/symbols"] });
    for (const thread of target.threads) {
      for (const frame of thread.backtrace({ limit: 100 })) {
        for (const variable of frame.variables) {
          yield* variableLines(variable, plain, { depth: 4, pointers: 2 });
          yield escape(contentText(variable, 2));
        }
      }
    }
    for (const image of target.images) {
      let left = 100;
      for (const variable of target.globals(image)) {
        if (left-- === 0) break;
        yield* variableLines(variable, plain, { depth: 2, pointers: 1 });
      }
    }
  },
};

/** Records of `__lldbformatters` and `__lldbsummaries`: a summary with every kind of operation, children, a
 * string. */
function formatterSeeds(): Uint8Array[] {
  const text = (value: string) => [value.length, ...new TextEncoder().encode(value)];
  const record = (...body: number[]) => [1, body.length, ...body];
  const program = (signature: number, ...code: number[]) => [signature, code.length, ...code];
  const summary = program(
    0,
    ...[0x01, 0x22, ...text("x"), 0x23, 0x12, 0x60, 0x23, 0x21, 0x60, 0x20, 1, 0x30],
    ...[
      0x10,
      4,
      0x20,
      1,
      0x20,
      2,
      0x10,
      3,
      0x24,
      5,
      0x13,
      0x12,
      0x22,
      ...text("{0:x}"),
      0x23,
      0x50,
    ],
    0x60,
  );
  const children = [
    ...program(1, 0x01, 0x23, 0x23, 0x60),
    ...program(2, 0x20, 3),
    ...program(4, 0x20, 4, 0x32, 0x30, 0x05, 0x23, 0x15, 0x60, 0x23, 0x46, 0x60),
  ];
  return [
    Uint8Array.from([...record(...text("unsigned long"), 0, ...summary, ...children), 0, 0]),
    Uint8Array.from(record(...text("^uns.+ long$"), ...text("${var%x} of ${*var.next}"))),
  ];
}

const embedded: Reader = {
  name: "formatters",
  kind: "binary",
  seeds: () => Promise.resolve(formatterSeeds()),
  async *read(bytes) {
    const { embeddedFormatters, FormatterTable, parsePrograms, parseSummaries, PlacedValue } =
      await import("../../lib/values/mod.ts");
    const { contextOf } = await import("../lib/values/fake_context.ts");
    const { variableLines } = await import("../../repl/view/variables.ts");
    const { plain } = await import("../../repl/view/style.ts");
    const own = embeddedFormatters(parseSummaries(bytes), parsePrograms(bytes));
    const memory = {
      pointerSize: 8 as const,
      readUpTo: (address: bigint, length: number) =>
        address > 0x10000n ? new Uint8Array() : new Uint8Array(length).fill(Number(address & 7n)),
    };
    const context = { ...contextOf(memory), formatters: new FormatterTable(own) };
    const type: Type = {
      ...{ kind: "base", name: "unsigned long", encoding: "unsigned", size: 8, language: "c" },
    };
    const value = new PlacedValue(context, "v", type, { kind: "memory", address: 0x1000n });
    yield* variableLines(value, plain, { depth: 3, pointers: 1 });
  },
};

const names = [
  ...["$s4main3AppV4bodyQrvp", "$sSaySiGD", "_TtC4main3App", "_T04main3fooyyF"],
  ...[`_Z${"N".repeat(400)}1a`, `$s4main${"Say".repeat(400)}Si`, `_ZN${"3foo".repeat(3000)}Ev`],
  ...["_ZNSt6vectorIiSaIiEE9push_backEOi", "_ZN3foo3barEv", "_RNvCskwGfYPst2Cb_3foo16example"],
];

const demangler: Reader = {
  name: "demangle",
  kind: "text",
  seeds: () => Promise.resolve(names.map((name) => new TextEncoder().encode(name))),
  async *read(bytes) {
    const { demangle, loadDemangler } = await import("../../mod.ts");
    const { escape } = await import("../../lib/escape.ts");
    await loadDemangler();
    yield escape(demangle(new TextDecoder().decode(bytes)));
  },
};

const lines = [
  ...["bt all --limit 3", "x/4gx $sp + 8", "memory find 'abc' --start 0x1000", "p threads.length"],
  ...["const a = { b: [1, 2, `${3}`] };", "for (const t of threads) { t.name }", "break main"],
];

const prompt: Reader = {
  name: "prompt",
  kind: "text",
  seeds: () => Promise.resolve(lines.map((line) => new TextEncoder().encode(line))),
  async *read(bytes) {
    const { commands } = await import("../../repl/commands/mod.ts");
    const { CodeError, IncompleteError, transform } = await import(
      "../../repl/prompt/transform.ts"
    );
    const { UserError } = await import("../../repl/errors.ts");
    const line = new TextDecoder().decode(bytes);
    try {
      void commands.parse(line);
      yield* commands.subcommands(line);
      yield* commands.suggestions(line);
      void (await transform(line)).code;
    } catch (error) {
      // What is typed wrong is said so; anything else is a defect.
      const expected = error instanceof UserError || error instanceof CodeError ||
        error instanceof IncompleteError;
      if (!expected) throw error;
    }
  },
};

const int: Type = { kind: "base", name: "int", encoding: "signed", size: 4, language: "c" };
const node: Type = {
  ...{ kind: "struct", name: "Node", size: 16, language: "c" },
  get members() {
    const plain = { isBase: false, artificial: false };
    const next: Type = {
      ...{ kind: "pointer", name: "Node *", size: 8, language: "c", target: node },
    };
    return [{ name: "value", type: int, offset: 0, ...plain }, {
      name: "next",
      type: next,
      offset: 8,
      ...plain,
    }];
  },
};
const expressionTypes: Readonly<Record<string, Type>> = Object.assign(Object.create(null), {
  value: int,
  head: { kind: "pointer", name: "Node *", size: 8, language: "c", target: node },
  list: { kind: "array", name: "int[4]", size: 16, language: "c", target: int, count: 4 },
});

const expressionLines = [
  ...["head->next->value + list[2] * 3", "*(int *)&head & 0xff", "(unsigned char)~value << 2"],
  ...[
    "sizeof(int) > 2 && value != 'a'",
    "list[value & 3] ? -1 : 2.5e3",
    "static_cast<long>(value)",
  ],
];

const expression: Reader = {
  name: "expression",
  kind: "text",
  seeds: () => Promise.resolve(expressionLines.map((line) => new TextEncoder().encode(line))),
  async *read(bytes) {
    const { evaluate, ExpressionError, PlacedValue } = await import("../../lib/values/mod.ts");
    const { bytesMemory, contextOf } = await import("../lib/values/fake_context.ts");
    const context = contextOf(bytesMemory(0x1000n, new Uint8Array(256).fill(0x10)));
    const text = new TextDecoder().decode(bytes);
    try {
      const value = evaluate(text, {
        context,
        variable(name) {
          const type = expressionTypes[name];
          return type === undefined
            ? null
            : new PlacedValue(context, name, type, { kind: "memory", address: 0x1000n });
        },
      });
      yield `${value.text} ${value.summary}`;
      for (const child of value.children(0, 8)) yield `${child.text}`;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
    }
  },
};

/** A connection over which a stub has sent these bytes, whatever it was asked, and then ended. */
function playback(bytes: Uint8Array): ByteStream {
  let at = 0;
  return {
    transfer(output, input) {
      if (output.length > 0) return { written: output.length, read: 0 };
      if (at === bytes.length) throw new RemoteError("closed", "the recording ends");
      const read = Math.min(input.length, bytes.length - at);
      input.set(bytes.subarray(at, at + read));
      at += read;
      return { written: 0, read };
    },
    [Symbol.dispose]() {},
  };
}

/** How long a stub may take, in milliseconds: a damaged one; and one that works, on a busy machine. */
const [short, long] = [{ silence: 200, reply: 1000 }, { silence: 60_000, reply: 60_000 }];

/** Does what the prompt does with a target over the wire. */
function* useRemote(stream: ByteStream, patience = short): Generator<string> {
  const system = { files: noFiles };
  using target = new RemoteTarget(stream, system, patience);
  yield escape(`${target}`);
  for (const thread of target.snapshot().threads) yield escape(`${thread} ${thread.backtrace()}`);
  using _pause = target.pause();
  for (const { path } of target.regions()) yield escape(path);
  for (const { path } of target.images) yield escape(path);
  for (const warning of target.warnings) yield escape(warning);
  const [thread] = target.threads;
  thread?.suspend();
  yield escape(`${target.snapshot().threads.length}`);
  thread?.resume();
}

/** What scripted stubs send when they are used so. */
function transcripts(): Uint8Array[] {
  return manners.map((manners) => {
    const stub = new ScriptedStub(manners, "armv7");
    const sent: Uint8Array[] = [];
    const { transfer } = stub;
    stub.transfer = (output, input) => {
      const done = transfer.call(stub, output, input);
      sent.push(input.slice(0, done.read));
      return done;
    };
    for (const _ of useRemote(stub, long)) void _;
    const all = new Uint8Array(sent.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of sent) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  });
}

/** Gives packets the checksums of what they hold now. */
function resignPackets(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x24) continue;
    const end = bytes.indexOf(0x23, at);
    if (end < 0 || end + 2 >= bytes.length) return;
    let sum = 0;
    for (let inside = at + 1; inside < end; inside++) sum += bytes[inside];
    bytes.set(new TextEncoder().encode((sum & 0xff).toString(16).padStart(2, "0")), end + 1);
    at = end + 2;
  }
}

const manners = ["debugserver", "gdbserver", "qemu"] as const;

/** As {@linkcode useRemote}; what a stub does wrong is an error of ours. */
function* tryRemote(stream: ByteStream): Generator<string> {
  try {
    yield* useRemote(stream);
  } catch (error) {
    if (!isTyped(error)) throw error;
    yield escape((error as Error).message);
  }
}

/** Whether an error is one of those that a target over the wire may throw; or two: a pause that ends after an
 * error may find the connection broken too. */
function isTyped(error: unknown): boolean {
  if (error instanceof SuppressedError) return isTyped(error.error) && isTyped(error.suppressed);
  return error instanceof RemoteError || error instanceof TargetGoneError ||
    error instanceof MachError || error instanceof MemoryReadError;
}

const gdbPackets: Reader = {
  name: "gdb-packets",
  kind: "binary",
  seeds: () => Promise.resolve(transcripts()),
  resign: resignPackets,
  read: (bytes) => tryRemote(playback(bytes)),
};

/** An ELF file, for a stub to send. */
let stubsFile: Uint8Array | undefined;

/** A stub that goes on answering after a damaged packet. The file says which packets are damaged, and how: its
 * bytes seed the generator. */
const gdbStub: Reader = {
  name: "gdb-stub",
  kind: "binary",
  async seeds() {
    const { loaderPath } = await import("../../ffi/library.ts");
    stubsFile = await Deno.readFile(await loaderPath("i386"));
    return [Uint8Array.from({ length: 64 }, (_, index) => index * 37)];
  },
  read(bytes) {
    const seed = bytes.reduce((sum, byte) => Math.imul(sum, 31) + byte | 0, bytes.length);
    const random = new Random(seed);
    const stub = new ScriptedStub(random.pick(manners), random.pick(["arm64", "armv7"] as const));
    stub.addressBits = random.pick([0, 39, 52, 70]);
    // The file that it says its target has mapped.
    if (stubsFile !== undefined && random.below(2) === 0) {
      stub.fileContents = random.below(2) === 0 ? stubsFile : mutate(random, "binary", [stubsFile]);
    }
    const [rarity, from] = [1 + random.below(30), random.below(20)];
    stub.damage = (framed, nth) => {
      if (nth < from || random.below(rarity) !== 0) return framed;
      const body = framed.subarray(1, -3);
      const damaged = mutate(random, random.pick(["binary", "text"] as const), [body, framed]);
      // With a checksum that fits, or as it comes.
      return random.below(4) > 0 ? packet(damaged.subarray(0, 1 << 16)) : damaged;
    };
    return tryRemote(stub);
  },
};

/** ELF images: the Mach-O loaders, of 64 and of 32 bits. */
const elf: Reader = {
  name: "elf",
  kind: "binary",
  seeds: async () => {
    const { loaderPath } = await import("../../ffi/library.ts");
    return Promise.all(
      [loaderPath("x86_64"), loaderPath("i386")].map(async (path) =>
        await Deno.readFile(await path)
      ),
    );
  },
  async *read(bytes) {
    const { ElfImage } = await import("../../lib/elf/mod.ts");
    const { openElfDwarf } = await import("../../lib/symbols/open_dwarf.ts");
    const { ImagePlans } = await import("../../lib/unwind/image_plans.ts");
    const { archs } = await import("../../lib/arch/mod.ts");
    const source = bytesSource(bytes, "fuzzed");
    const image = ElfImage.fromSource(source, 0x10000n);
    yield escape(`${image} ${image.buildId}`);
    let shown = 0;
    for (const symbol of image.symbols) {
      if (++shown > MAX_PIECES) break;
      yield escape(`${symbol.name} ${image.symbolAt(symbol.address + 1n)?.symbol?.name}`);
    }
    const plans = new ImagePlans(image, archs[image.elf?.pointerSize === 4 ? "i386" : "x86_64"]);
    for (let offset = 0n; offset < 0x8000n; offset += 0x123n) {
      void plans.at(image.loadAddress + offset);
      void plans.innermostAt(image.loadAddress + offset);
    }
    for (const text of image.warnings) yield escape(text);
    const info = openElfDwarf(source);
    for (let offset = 0; offset < 0x8000; offset += 0x123) {
      for (const frame of info.framesAt(offset)) yield escape(frame.function ?? "");
    }
  },
};

/** A profile in a format, read, summed, shown, and written in every format. */
function profiles(name: string, kind: Reader["kind"], seeds: Reader["seeds"]): Reader {
  return {
    name: `profile-${name}`,
    kind,
    seeds,
    async *read(bytes) {
      const formats = await import("../../lib/profile/formats.ts");
      const { callTree, functionName, functionWeights, mergeThreads, threadTitle } = await import(
        "../../lib/profile/mod.ts"
      );
      void formats.looksLikeProfile(await formats.headOf(bytes));
      const profile = formats.parseProfile(await formats.gunzipped(bytes, "fuzzed"), "fuzzed");
      for (const thread of profile.threads.slice(0, MAX_PIECES)) yield escape(threadTitle(thread));
      for (const { function: of } of functionWeights(profile).slice(0, MAX_PIECES)) {
        yield escape(functionName(profile, of));
      }
      yield `${callTree(profile).length} ${
        callTree(mergeThreads(profile), { inverted: true }).length
      }`;
      for (const format of formats.profileFormats) {
        let written: Uint8Array;
        try {
          written = await formats.writeProfile(profile, { format, gzip: false });
        } catch (error) {
          if (error instanceof RangeError && error.message.includes("repeats the stack")) continue;
          throw error;
        }
        // What we write, we read; collapsed stacks of nothing are nothing.
        if (written.length > 0) yield `${formats.parseProfile(written, format).threads.length}`;
      }
    },
  };
}

/** The known profile in a format. */
function knownIn(format: ProfileFormat, gzip: boolean): Reader["seeds"] {
  return async () => {
    const { knownProfile } = await import("../lib/profile/known_profile.ts");
    const { writeProfile } = await import("../../lib/profile/formats.ts");
    return [await writeProfile(knownProfile(), { format, gzip })];
  };
}

function jsonSeeds(...documents: readonly unknown[]): Reader["seeds"] {
  const encoder = new TextEncoder();
  return () => Promise.resolve(documents.map((value) => encoder.encode(JSON.stringify(value))));
}

/** Nodes of V8's, as Chrome writes them. */
const nodes = [
  { id: 1, callFrame: { functionName: "(root)", url: "", lineNumber: -1 }, children: [2, 3] },
  { id: 2, callFrame: { functionName: "work", url: "a.js", lineNumber: 4, columnNumber: 2 } },
  { id: 3, callFrame: { functionName: "(idle)", url: "", lineNumber: -1 } },
];

/** What others write, in forms that machpause does not. */
const perfScript = `burn 12/13 [001] 1.000001:   10101010 cpu-clock:pppH: 
\t  1160 twice+0x3 (inlined)
\t  1164 hot<int (*)(char)>+0x1b (/tmp/burn)
  burn.c:7
\t     0 [unknown] ([unknown])

burn 12 1.010001: 1 cycles:u: 1164 hot+0x1b (/tmp/burn)
`;
const foreignProfiles = jsonSeeds(
  { nodes, startTime: 10, endTime: 99, samples: [2, 3, 2], timeDeltas: [1, 20, 30] },
  {
    head: { id: 1, functionName: "(root)", children: [{ id: 2, functionName: "a", children: [] }] },
    samples: [2, 1],
    timestamps: [5, 9],
  },
  [
    { ph: "B", name: "a", pid: 1, tid: 1, ts: 0 },
    { ph: "X", name: "b", pid: 1, tid: 1, ts: 1, dur: 3 },
    { ph: "E", name: "a", pid: 1, tid: 1, ts: 9 },
  ],
  {
    traceEvents: [],
    samples: [{ pid: 1, tid: "2", ts: "5", sf: 2 }, { pid: 1, tid: "2", ts: "9", sf: 1 }],
    stackFrames: { 1: { name: "a" }, 2: { name: "b", parent: 1 } },
  },
  {
    shared: { frames: [{ name: "a" }, { name: "b", file: "b.c", line: 3 }] },
    profiles: [{
      type: "evented",
      unit: "seconds",
      name: "t",
      startValue: 0,
      endValue: 9,
      events: [
        { type: "O", frame: 0, at: 0 },
        { type: "O", frame: 1, at: 2 },
        { type: "C", frame: 1, at: 3 },
        { type: "C", frame: 0, at: 9 },
      ],
    }],
  },
);

/** Values that readers of JSON do not expect. */
const strangeValues: readonly unknown[] = [
  ...[null, true, "", "0x", "\x1b[2J", "__proto__", [], {}, [[]], -1, 0.5, 1e308, 2 ** 31, 2 ** 53],
  ...[0, 1, 2, 3, "1", "99999999999999999999", { length: 1e9 }, [null, null]],
];

/** A JSON document with some members replaced, left out or exchanged: text that is damaged is seldom JSON. */
function damagedJson(random: Random, value: unknown, rarity: number): unknown {
  if (random.below(rarity) === 0) return random.pick(strangeValues);
  if (Array.isArray(value)) {
    const list = value.map((item) => damagedJson(random, item, rarity));
    if (random.below(rarity) === 0) list.splice(random.below(list.length + 1), 3);
    return list;
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value)
    .filter(() => random.below(rarity) !== 0)
    .map(([name, member]) => [name, damagedJson(random, member, rarity)]);
  return Object.fromEntries(members);
}

/** Profiles in JSON whose members are not what they should be. The file says which: its bytes seed the
 * generator. */
function strangeProfiles(): Reader {
  const documents = [
    knownIn("firefox", false),
    knownIn("speedscope", false),
    knownIn("chrome", false),
    foreignProfiles,
  ];
  const reader = profiles(
    "json",
    "binary",
    () => Promise.resolve([Uint8Array.from({ length: 64 }, (_, index) => index * 37)]),
  );
  return {
    ...reader,
    async *read(bytes) {
      const seed = bytes.reduce((sum, byte) => Math.imul(sum, 31) + byte | 0, bytes.length);
      const random = new Random(seed);
      const value = JSON.parse(
        new TextDecoder().decode(random.pick(await random.pick(documents)())),
      );
      const damaged = damagedJson(random, value, 10 + random.below(200));
      yield* reader.read(new TextEncoder().encode(JSON.stringify(damaged)));
    },
  };
}

/** Requests that the symbol server answers, over a program, a dSYM and an ELF library. */
async function symbolRequests(): Promise<Uint8Array[]> {
  const { Image } = await import("../../lib/macho/mod.ts");
  const { fixture } = await import("../lib/symbols/file_tree.ts");
  const demo = Image.fromFile(fixture("examples/demo/x86_64/demo"), "demo");
  const debugId = `${demo.uuid!.replaceAll("-", "")}0`;
  const offset = Number(demo.findSymbols("main")[0].address - demo.loadAddress);
  const module = { debugName: "demo", debugId, name: "demo", codeId: debugId.slice(0, 32) };
  const memoryMap = [["demo", debugId], ["libc.so.6", "0CE47B7C29F27CED55C41233B93EBA450"]];
  const stacks = [[[0, offset], [1, 4096], [-1, 12]], [[0, 2 ** 40]]];
  return [
    { jobs: [{ memoryMap, stacks }, { memoryMap: [memoryMap[0]], stacks: [[[0, 1600]]] }] },
    { memoryMap, stacks },
    {
      ...module,
      startAddress: `0x${offset.toString(16)}`,
      size: "0x40",
      continueUntilFunctionEnd: true,
    },
    { ...module, moduleOffset: `0x${offset.toString(16)}`, file: "./demo/demo.c" },
  ].map((request) => new TextEncoder().encode(JSON.stringify(request)));
}

let symbolServer: Promise<(path: string, body: Uint8Array) => Promise<string>> | undefined;

/** A server over the fixtures, whose answer to anything is JSON with a status that it means. */
async function startSymbolServer(): Promise<(path: string, body: Uint8Array) => Promise<string>> {
  const { SymbolServer } = await import("../../lib/symbol_server/mod.ts");
  const { FileTree } = await import("../lib/symbols/file_tree.ts");
  const files = new FileTree({
    "/store/demo": "examples/demo/x86_64/demo",
    "/store/demo.dSYM/demo": "examples/demo/x86_64/demo.dSYM/Contents/Resources/DWARF/demo",
    "/store/elf": await elf.seeds().then(([bytes]) => bytes),
    "/etc/passwd": new TextEncoder().encode("secret"),
  });
  const server = new SymbolServer({ files }, {
    symbols: ["/store"],
    source: () => new TextEncoder().encode("int main;"),
  });
  return async (path, body) => {
    const { status, json } = await server.answer(path, body);
    const answer = JSON.parse(json);
    if (![200, 400, 404, 413, 500].includes(status)) throw new Error(`${status}: ${json}`);
    if ((status === 200) === ("error" in answer)) throw new Error(`${status}: ${json}`);
    if (json.includes("secret")) throw new Error(`a file outside: ${json}`);
    return json;
  };
}

const symbolPaths = ["/symbolicate/v5", "/asm/v1", "/source/v1"];

const requests: Reader = {
  name: "symbol-requests",
  kind: "text",
  seeds: symbolRequests,
  async *read(bytes) {
    const ask = await (symbolServer ??= startSymbolServer());
    for (const path of symbolPaths) yield await ask(path, bytes);
  },
};

/** Requests whose members are not what they should be: their bytes seed the generator. */
const strangeRequests: Reader = {
  name: "strange-symbol-requests",
  kind: "binary",
  seeds: () => Promise.resolve([Uint8Array.from({ length: 64 }, (_, index) => index * 37)]),
  async *read(bytes) {
    const seed = bytes.reduce((sum, byte) => Math.imul(sum, 31) + byte | 0, bytes.length);
    const random = new Random(seed);
    const request = JSON.parse(new TextDecoder().decode(random.pick(await symbolRequests())));
    const damaged = damagedJson(random, request, 4 + random.below(40));
    yield* requests.read(new TextEncoder().encode(JSON.stringify(damaged)));
  },
};

/** All readers. */
export const readers: readonly Reader[] = [
  elf,
  ...[
    image,
    dsym,
    frameVariables,
    variables,
    embedded,
    mst,
    remote,
    core,
    crash,
    stackshot,
    demangler,
    prompt,
  ],
  ...[gdbPackets, gdbStub],
  ...[requests, strangeRequests],
  expression,
  ...[
    profiles("firefox", "text", knownIn("firefox", false)),
    profiles("speedscope", "text", knownIn("speedscope", false)),
    profiles("pprof", "binary", knownIn("pprof", false)),
    profiles("collapsed", "text", knownIn("collapsed", false)),
    profiles("chrome", "text", knownIn("chrome", false)),
    profiles("foreign", "text", foreignProfiles),
    profiles("perf-script", "text", () => Promise.resolve([new TextEncoder().encode(perfScript)])),
    profiles("gzip", "binary", knownIn("pprof", true)),
    profiles("jslb", "binary", async () => [
      jsonSlabs(JSON.parse(new TextDecoder().decode((await knownIn("firefox", false)())[0]))),
    ]),
    strangeProfiles(),
  ],
];
