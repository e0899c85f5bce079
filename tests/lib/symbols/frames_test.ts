/** Frames of a live program, of its snapshot and of its core, with files, lines and inlined calls. */
import { assert, assertEquals } from "@std/assert";
import {
  type Backtrace,
  type Frame,
  launch,
  type LiveTarget,
  openCore,
  type Thread,
} from "../../../mod.ts";
import { threadsJson } from "../../../repl/view/json.ts";
import { runs } from "../../machine.ts";

const fixtures = new URL("../../fixtures/", import.meta.url).pathname;
const examples = new URL("../../../examples/", import.meta.url).pathname;
const folder = `${fixtures}inlines/x86_64`;
/** A loader for it is needed, or its own system. */
const ignore = !runs("x86_64-stripped");

/** Starts the program and waits until it waits. */
async function start(symbols: readonly string[] = []): Promise<LiveTarget> {
  const target = await launch(`${folder}/inlines`, [], { output: "null", symbols });
  const [ready] = target.lookup("inlines_ready");
  while (target.memory.readU32(ready.symbol.address) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return target;
}

/** The frames of the program itself. */
function own(frames: readonly Frame[]): Frame[] {
  return frames.filter(({ image }) => image?.name === "inlines");
}

/** As the sources have it: main calls helper_twice, which calls back outer by way of a template. */
const chain = [
  ["innermost", "/src/inlines/main.c", [14, 15], true],
  ["middle", "/src/inlines/main.c", [21], true],
  ["outer", "/src/inlines/main.c", [26], false],
  ["_ZNK6helper7DoublerIiE4callEiPFiiE", "/src/inlines/helper.cpp", [12], false],
  ["helper_twice", "/src/inlines/helper.cpp", [23], false],
  ["main", "/src/inlines/main.c", [38], false],
] as const;

function assertChain(backtrace: Backtrace): void {
  const frames = own(backtrace);
  assertEquals(frames.map((frame) => frame.function), chain.map(([name]) => name));
  for (const [index, frame] of frames.entries()) {
    const [name, file, lines, inlined] = chain[index];
    assertEquals([frame.source?.file, frame.inlined], [file, inlined], name);
    assert((lines as readonly number[]).includes(frame.source!.line), `${frame}`);
  }
  assertEquals(backtrace.map(({ index }) => index), [...backtrace.keys()]);
  // Inlined calls share the activation, and have no symbol of their own.
  const [innermost, middle, outer] = frames;
  for (const frame of [innermost, middle]) {
    assertEquals([frame.symbol, frame.address, frame.sp], [null, outer.address, outer.sp]);
    assertEquals([...frame.registers], [...outer.registers]);
    assertEquals([frame.foundBy, frame.rule], [outer.foundBy, outer.rule]);
  }
  // The activations stay as they were walked; each has its own line, and its inlined calls apart.
  const [activation] = own(backtrace.activations);
  assertEquals(activation.symbol?.name, "outer");
  assertEquals(activation.source?.line, 26);
  const inlines = activation.inlines.map((frame) => frame.function);
  assertEquals(inlines, ["innermost", "middle"]);
  assertEquals(backtrace.length, backtrace.activations.length + 2);
}

function assertJson(target: LiveTarget, threads: readonly Thread[]): void {
  const json = JSON.parse(JSON.stringify(threadsJson(target, threads)));
  const frames = json.threads[0].frames.filter((frame: { image: string }) =>
    frame.image === "inlines"
  );
  const { index: _, address: _address, via: _via, ...innermost } = frames[0];
  assertEquals(innermost, {
    image: "inlines",
    symbol: "innermost",
    offset: null,
    file: "/src/inlines/main.c",
    line: innermost.line,
    column: innermost.column,
    inlined: true,
  });
  assert(innermost.column > 0);
  assertEquals(frames[2].symbol, "outer");
  assert(frames[2].offset > 0);
}

for (
  const [name, symbols] of [
    ["object files", []],
    ["a dSYM", [`${folder}/dsym`]],
  ] as const
) {
  Deno.test({
    name: `live, in a snapshot and in a core: lines and inlined calls from ${name}`,
    ignore,
  }, async () => {
    const core = await Deno.makeTempFile();
    const target = await start(symbols);
    try {
      {
        using _pause = target.pause();
        assertChain(target.threads[0].backtrace());
        assertJson(target, target.threads);
        const [, , outer] = own(target.threads[0].backtrace());
        const resolved = target.resolve(outer.lookupAddress);
        assertEquals(resolved.frames.map((frame) => frame.function), [
          "innermost",
          "middle",
          "outer",
        ]);
        const info = target.dladdr(outer.lookupAddress)!;
        assertEquals([info.sname, info.frames.length], ["outer", 3]);
        assertEquals(info.source, resolved.source);
      }
      assertChain(target.snapshot().mainThread.backtrace());
      assertEquals(target.missingSymbols, []);
      await target.saveCore(core);
    } finally {
      target.kill();
      target[Symbol.dispose]();
    }
    try {
      using opened = openCore(core, { symbols });
      assertChain(opened.threads[0].backtrace());
      assertEquals(opened.missingSymbols, []);
    } finally {
      await Deno.remove(core);
    }
  });
}

Deno.test({ name: "folders may be named later; what is missing is told of", ignore }, async () => {
  const elsewhere = await Deno.makeTempDir();
  await Deno.copyFile(`${folder}/inlines`, `${elsewhere}/inlines`);
  await Deno.chmod(`${elsewhere}/inlines`, 0o755);
  const target = await launch(`${elsewhere}/inlines`, [], { output: "null" });
  try {
    const [ready] = target.lookup("inlines_ready");
    while (target.memory.readU32(ready.symbol.address) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    using _pause = target.pause();
    const before = target.threads[0].backtrace();
    assertEquals(own(before).map(({ source }) => source), [null, null, null, null]);
    const [{ path, uuid, reasons }] = target.missingSymbols;
    assertEquals(path, `${elsewhere}/inlines`);
    assertEquals(uuid, target.images[0].uuid);
    assertEquals(reasons.length, 1);
    target.addSymbols([`${folder}/dsym`]);
    assertChain(target.threads[0].backtrace());
    assertEquals(target.missingSymbols, []);
  } finally {
    target.kill();
    target[Symbol.dispose]();
    await Deno.remove(elsewhere, { recursive: true });
  }
});

Deno.test({ name: "a limit counts the frames that are shown", ignore }, async () => {
  const { shownFrames } = await import("../../../repl/view/frames.ts");
  const target = await start();
  try {
    using _pause = target.pause();
    const [thread] = target.threads;
    const all = shownFrames(thread).frames;
    for (let limit = 1; limit <= all.length + 1; limit++) {
      const { frames, stopped } = shownFrames(thread, limit);
      assertEquals(frames.length, Math.min(limit, all.length));
      assertEquals(frames.map(String), all.slice(0, limit).map(String));
      assertEquals(stopped === "limit", limit < all.length, `${limit}`);
    }
  } finally {
    target.kill();
    target[Symbol.dispose]();
  }
});

Deno.test(
  { name: "a stripped program: functions by where they begin, then by their dSYM", ignore },
  async () => {
    const target = await launch(`${examples}demo/x86_64-stripped/demo`, [], { output: "null" });
    try {
      const lock = async () => {
        for (;;) {
          const thread = target.snapshot().threads.find(({ name }) => name === "demo.lock");
          const frames = (thread?.backtrace() ?? [])
            .filter(({ image }) => ["demo", "libworkers.dylib"].includes(image?.name ?? ""));
          if (frames.length > 2) return frames.slice(0, 3);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      };
      // lock_acquire and worker_lock are no exports; account_update is.
      const before = await lock();
      assertEquals(before.map((frame) => frame.describe().replace(/0x\w+$|\d+$/, "")), [
        "libworkers.dylib:function_750+",
        "account_update + ",
        "demo:function_7e0+",
      ]);
      assertEquals(before.map((frame) => frame.toJSON().symbol), [null, "account_update", null]);
      target.addSymbols([`${examples}demo/x86_64`]);
      const after = await lock();
      assertEquals(after.map((frame) => frame.describe().replace(/ \+ .*/, "")), [
        "lock_acquire",
        "account_update",
        "worker_lock",
      ]);
      assertEquals<unknown>(after.map((frame) => frame.source?.file), [
        "./demo/workers.c",
        "./demo/workers.c",
        "./demo/demo.c",
      ]);
    } finally {
      target.kill();
      target[Symbol.dispose]();
    }
  },
);
