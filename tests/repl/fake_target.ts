/** A target made of what a hostile process could hold: every text in it is full of what a terminal
 * would act on. */
import { type ImageSymbol, LiveTarget, type LoadedImage } from "../../mod.ts";
import { archs } from "../../lib/arch/mod.ts";
import { files } from "../../ffi/mod.ts";
import { Symbolizer } from "../../lib/symbols/mod.ts";
import { writeRegister } from "../../lib/arch/mod.ts";
import { FakeKernel } from "../lib/target/fake_kernel.ts";

/** Clears the screen, sets the title, reverses the text's direction, is no character, rings. */
export const hostile = "\x1b[2J\x1b]0;owned\x07\u009b31m\u202egnp.\ud800\x7f\r\n";

/** {@linkcode hostile}, as it may be printed. */
export const harmless = String
  .raw`\x1b[2J\x1b]0;owned\x07\x9b31m\u{202e}gnp.\u{d800}\x7f\x0d\x0a`;

/** What no output may hold but line feeds between lines: controls, and unpaired surrogates. */
export const raw: RegExp =
  // deno-lint-ignore no-control-regex
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/;

const text = 0x4000n;

const symbol: ImageSymbol = {
  name: `take${hostile}`,
  rawName: `_take${hostile}`,
  address: text,
  size: 0x100,
  external: true,
  thumb: false,
};

const image: LoadedImage = {
  name: `lib${hostile}.dylib`,
  path: `/usr/lib${hostile}.dylib`,
  uuid: "01234567-89AB-CDEF-0123-456789ABCDEF",
  loadAddress: text,
  slide: 0n,
  ranges: [{ start: text, end: text + 0x1000n }],
  symbolAt: (address) => ({ symbol, offset: Number(address - text), size: symbol.size }),
  findSymbols: (name) => name === "take" ? [symbol] : [],
};

/** Everything from {@linkcode text} on is in the one symbol of the one image. */
class FakeTarget extends LiveTarget {
  override get images(): readonly LoadedImage[] {
    return [image];
  }

  protected override get symbols(): Symbolizer {
    return new Symbolizer([image]);
  }
}

/** The target, and the kernel beneath it. Two threads; the main thread has three frames. */
export function fakeTarget(): { target: LiveTarget; kernel: FakeKernel } {
  const kernel = new FakeKernel();
  kernel.threadNames = [`main${hostile}`, ""];
  const view = new DataView(kernel.memory.buffer);
  const { threadState, pc, sp, fp } = archs.x86_64;
  const state = new Uint8Array(threadState.size);
  const stack = kernel.memoryAddress + 0x3000n;
  writeRegister(state, pc, text + 0x10n);
  writeRegister(state, sp, stack);
  writeRegister(state, fp, stack + 0x10n);
  kernel.states.set(0, state);
  // Two frame records: the first in code of the image, the second in none.
  view.setBigUint64(0x3010, stack + 0x40n, true);
  view.setBigUint64(0x3018, text + 0x20n, true);
  view.setBigUint64(0x3048, 0x9_0000n, true);
  const target = new FakeTarget(kernel, { files }, {
    pid: 7,
    name: `fake${hostile}`,
  });
  return { target, kernel };
}
