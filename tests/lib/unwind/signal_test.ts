/** Walks out of signal handlers: recorded threads whose handler runs below `_sigtramp`, and the context
 * that Darwin's kernel leaves for it. */
import { assert, assertEquals } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { type Arch, archs, register, writeRegister } from "../../../lib/arch/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import { Symbolizer } from "../../../lib/symbols/mod.ts";
import type { Stack } from "./stack.ts";
import { framesOf } from "./stack.ts";
import type { SignalRecording } from "../../fixtures/signals/record.ts";

const folder = new URL("../../fixtures/signals/", import.meta.url).pathname;

function unpack(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(gunzipSync(Uint8Array.fromBase64(text)));
}

type Variant = SignalRecording["variants"][number];

function stateOf(arch: Arch, values: Readonly<Record<string, string>>): Uint8Array {
  const state = new Uint8Array(arch.threadState.size);
  for (const [name, value] of Object.entries(values)) {
    writeRegister(state, register(arch.threadState, name), BigInt(value));
  }
  return state;
}

/** The handler's stack is captured, what else there is can be read. */
function inputOf(arch: Arch, variant: Variant, file = unpack(variant.image)): Stack {
  const image = Image.fromFile(file, "signals", {
    arch: arch.cpuType,
    loadAddress: BigInt(variant.loadAddress),
  });
  const [own, ...others] = variant.memory.map(({ address, bytes }) => ({
    address: BigInt(address),
    bytes: unpack(bytes),
  }));
  return {
    arch,
    images: new Symbolizer([image]),
    state: stateOf(arch, variant.stopped),
    stackAddress: own.address,
    stack: own.bytes,
    stackEnd: own.address + BigInt(own.bytes.length),
    readInto(address, into) {
      for (const { address: start, bytes } of [own, ...others]) {
        const at = Number(address - start);
        if (at < 0 || at >= bytes.length) continue;
        const part = bytes.subarray(at, at + into.length);
        into.set(part);
        return part.length;
      }
      return 0;
    },
  };
}

for (const arch of Object.values(archs)) {
  const recording: SignalRecording = JSON.parse(
    Deno.readTextFileSync(`${folder}${arch.name}.json`),
  );
  for (const variant of recording.variants) {
    const where = variant.alternate ? "a stack of its own" : "the interrupted stack";

    Deno.test(`${arch.name}: from a handler on ${where} to what was interrupted`, () => {
      const frames = framesOf(inputOf(arch, variant), {});
      assertEquals(frames.map(({ symbol }) => symbol?.name).slice(0, 7), [
        ...["signals_done", "handler_calls", "handler", "_sigtramp"],
        ...["interrupted", "calls_interrupted", "main"],
      ]);
      const interrupted = frames[4];
      assertEquals(interrupted.foundBy, "signal");
      assert(interrupted.rule!.endsWith("interrupted by a signal"), interrupted.rule!);
      // The instruction itself, not one after a call.
      assertEquals(interrupted.lookupAddress, interrupted.address);
      for (const [name, value] of Object.entries(variant.interrupted)) {
        assertEquals(interrupted.registers.get(name), BigInt(value), name);
      }
      assertEquals(interrupted.sp, BigInt(variant.interrupted[arch.sp.name]));
    });

    Deno.test(`${arch.name}: from every instruction of _sigtramp on ${where}`, () => {
      const input = inputOf(arch, variant);
      assert(variant.trampoline.length >= 5);
      for (const values of variant.trampoline) {
        const [trampoline, interrupted, caller] = framesOf(
          { ...input, state: stateOf(arch, values) },
          { limit: 3 },
        );
        const place = `${trampoline}`;
        assertEquals(interrupted?.address, BigInt(variant.interrupted[arch.pc.name]), place);
        assertEquals(caller?.symbol?.name, "calls_interrupted", place);
        for (const [name, value] of Object.entries(variant.interrupted)) {
          assertEquals(interrupted.registers.get(name), BigInt(value), `${place} ${name}`);
        }
      }
    });
  }
}

function load(name: string): Variant[] {
  const recording: SignalRecording = JSON.parse(Deno.readTextFileSync(`${folder}${name}.json`));
  return [...recording.variants];
}

Deno.test("x86_64: without its name, _sigtramp is crossed by its call-frame information", () => {
  for (const variant of load("x86_64")) {
    const file = unpack(variant.image);
    const text = new TextDecoder("latin1").decode(file);
    const name = "\0__sigtramp\0";
    let at = text.indexOf(name);
    assert(at >= 0);
    for (; at >= 0; at = text.indexOf(name, at + 1)) file[at + 3] = "z".charCodeAt(0);
    const frames = framesOf(inputOf(archs.x86_64, variant, file), {});
    assertEquals(frames.slice(3, 7).map(({ symbol }) => symbol?.name), [
      ...["_zigtramp", "interrupted", "calls_interrupted", "main"],
    ]);
    assertEquals(frames[4].foundBy, "cfi");
    // It has one more than the instruction's address, for those who will take one off.
    assertEquals(frames[4].address, BigInt(variant.interrupted.rip) + 1n);
    assertEquals(frames[4].registers.get("rbx"), 0x1111111122222222n);
    assertEquals(frames[4].registers.get("r15"), 0x99999999aaaaaaaan);
  }
});

Deno.test("the other stack cannot be read: the interrupted frame is shown, and no caller of it", () => {
  for (const arch of Object.values(archs)) {
    const [, variant] = load(arch.name);
    const frames = framesOf({ ...inputOf(arch, variant), readInto: undefined }, {});
    assertEquals(frames[4].symbol?.name, "interrupted");
    for (const [name, value] of Object.entries(variant.interrupted)) {
      assertEquals(frames[4].registers.get(name), BigInt(value), name);
    }
    // ARM's has it in the link register.
    assertEquals(frames.length, arch.lr === null ? 5 : 6);
    assertEquals(frames.stopped, "unreadable");
  }
});

Deno.test("signal contexts that lead to themselves end the walk", () => {
  for (const arch of Object.values(archs)) {
    for (const variant of load(arch.name)) {
      const input = inputOf(arch, variant);
      const frames = framesOf(input, {});
      const [trampoline] = frames.slice(3);
      // The context says that _sigtramp itself was interrupted, with the stack that it had.
      const memory = input.stack.slice();
      const view = new DataView(memory.buffer);
      const patch = (value: bigint, wanted: bigint) => {
        for (let at = 0; at + arch.pointerSize <= memory.length; at += 4) {
          const is = arch.pointerSize === 8
            ? view.getBigUint64(at, true)
            : BigInt(view.getUint32(at, true));
          if (is !== value) continue;
          if (arch.pointerSize === 8) view.setBigUint64(at, wanted, true);
          else view.setUint32(at, Number(wanted), true);
        }
      };
      patch(BigInt(variant.interrupted[arch.pc.name]), trampoline.address);
      patch(BigInt(variant.interrupted[arch.sp.name]), trampoline.sp);
      patch(BigInt(variant.interrupted[arch.fp.name]), trampoline.fp);
      const damaged = framesOf({ ...input, stack: memory }, {});
      assert(damaged.length < 40, `${damaged.length} frames`);
    }
  }
});
