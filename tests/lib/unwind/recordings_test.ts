/** arm64 and armv7 stacks as the demo really had them: registers and stack bytes recorded from it. */
import { assert, assertEquals } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { archs, readRegister, register, writeRegister } from "../../../lib/arch/mod.ts";
import { Image, type LoadedImage } from "../../../lib/macho/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import { ElfImage } from "../../../lib/elf/mod.ts";
import { framesOf } from "./stack.ts";
import type { Recording } from "../../fixtures/record.ts";
import { chains } from "../target/demo.ts";

const fixtures = new URL("../../fixtures/", import.meta.url).pathname;
const examples = new URL("../../../examples/", import.meta.url).pathname;

function bytes(text: string): Uint8Array {
  return gunzipSync(Uint8Array.fromBase64(text));
}

function imagesOf({ images, arch }: Recording): LoadedImage[] {
  return images.map(({ name, file, loadAddress, end }) => {
    const address = BigInt(loadAddress);
    return file === null
      ? new ElfImage(`/${name}`, [{ start: address, end: BigInt(end) }], () => null)
      : Image.fromFile(Deno.readFileSync(`${examples}${file}`), file, {
        arch: archs[arch].cpuType,
        loadAddress: address,
      });
  });
}

for (const name of ["arm64", "armv7"] as const) {
  const recording: Recording = JSON.parse(
    Deno.readTextFileSync(`${fixtures}recordings/${name}.json`),
  );
  const arch = archs[name];
  const resolver = new Symbolizer(imagesOf(recording));

  Deno.test(`${name}: every recorded thread shows exactly its known chain`, () => {
    const seen: string[] = [];
    for (const thread of recording.threads) {
      const truth = thread.name === "demo" ? "main" : thread.name;
      const frames = framesOf({
        arch,
        images: resolver,
        state: bytes(thread.state),
        stackAddress: BigInt(thread.stackAddress),
        stack: bytes(thread.stack),
        stackEnd: BigInt(thread.stackEnd),
        readInto: undefined,
      }, {});
      const own = frames.filter(({ image }) => image instanceof Image);
      assertEquals(
        own.map(({ image, symbol }) => [image!.name, symbol?.name]),
        chains.get(truth)?.map((link) => [...link]),
        truth,
      );
      assertEquals(frames.stopped, "null-record", truth);
      // The loader's frames, where there are any, are the innermost and the outermost ones.
      const first = frames.indexOf(own[0]);
      assert(frames.slice(first, first + own.length).every((frame, at) => frame === own[at]));
      seen.push(truth);
    }
    assertEquals(seen.sort(), [...chains.keys()].sort());
  });

  Deno.test(`${name}: the state says that the processor is in user mode, and in Thumb state or not`, () => {
    const cpsr = register(arch.threadState, "cpsr");
    for (const thread of recording.threads) {
      const value = readRegister(bytes(thread.state), cpsr);
      // The mode bits of user mode: 0 on arm64, 16 on ARM. The program, which spins, is Thumb code.
      const mode = Number(value & 0x3fn);
      const isInProgram = ["demo.spin", "demo.leaf"].includes(thread.name);
      assertEquals(mode, name === "arm64" ? 0 : isInProgram ? 0x30 : 0x10, thread.name);
    }
  });

  Deno.test(`${name}: a leaf's caller comes from the link register`, () => {
    const leaf = recording.threads.find((thread) => thread.name === "demo.leaf")!;
    const frames = framesOf({
      arch,
      images: resolver,
      state: bytes(leaf.state),
      stackAddress: BigInt(leaf.stackAddress),
      stack: bytes(leaf.stack),
      stackEnd: BigInt(leaf.stackEnd),
      readInto: undefined,
    }, {});
    // armv7 has no unwind information: what its instructions do has to be read.
    const workerVia = name === "arm64" ? "compact-unwind" : "prologue";
    assertEquals(frames.slice(0, 3).map(({ symbol, foundBy }) => [symbol?.name, foundBy]), [
      ["leaf_count", "context"],
      ["worker_leaf", "link-register"],
      [undefined, workerVia],
    ]);
  });
}

for (const name of ["arm64", "armv7"] as const) {
  Deno.test(`${name}: a thread that has lost its registers is found again by scanning, if asked`, () => {
    const recording: Recording = JSON.parse(
      Deno.readTextFileSync(`${fixtures}recordings/${name}.json`),
    );
    const arch = archs[name];
    const lock = recording.threads.find((thread) => thread.name === "demo.lock")!;
    const state = bytes(lock.state);
    // It called a null pointer, and its frame pointer is garbage.
    writeRegister(state, arch.pc, 0x10n);
    writeRegister(state, arch.lr!, 0n);
    writeRegister(state, arch.fp, 0x40n);
    const input = {
      arch,
      images: new Symbolizer(imagesOf(recording)),
      state,
      stackAddress: BigInt(lock.stackAddress),
      stack: bytes(lock.stack),
      stackEnd: BigInt(lock.stackEnd),
      readInto: undefined,
    };
    const lost = framesOf(input, {});
    assertEquals([lost.length, lost.stopped], [1, "outside-stack"]);
    const found = framesOf(input, { scan: true });
    assertEquals(found[1].foundBy, "scan");
    assertEquals(
      found[1].rule,
      `CFA = sp + ${found[1].sp - found[0].sp}; lr = [CFA - ${arch.pointerSize}]`,
    );
    const names = found.map(({ symbol }) => symbol?.name);
    // On arm64 the call that blocks is a leaf: the return to lock_acquire was in lr alone.
    const chain = chains.get("demo.lock")!.map(([, symbol]) => symbol).slice(
      name === "arm64" ? 1 : 0,
    );
    assertEquals(names.filter((each) => each !== undefined).slice(-chain.length), chain);
    assertEquals(framesOf(input, { scan: true, limit: 2 }).length, 2);
  });
}
