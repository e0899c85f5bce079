/** The recorded programs with Swift's async frames. */
import { gunzipSync } from "node:zlib";
import { type Arch, archs, writeRegister } from "../../../lib/arch/mod.ts";
import { Image } from "../../../lib/macho/mod.ts";
import type { Step, StepsRecording } from "../../fixtures/steps/arm_record.ts";
import { readSteps } from "../../fixtures/steps/x86_steps.ts";

/** A thread at one instruction, and what is true of it. */
export interface Stopped {
  readonly state: Uint8Array;
  readonly stackAddress: bigint;
  readonly stack: Uint8Array;
  readonly returnAddress: bigint;
  readonly cfa: bigint;
  /** The caller's frame pointer. */
  readonly fp: bigint;
}

/** A program and its steps. */
export interface Program {
  readonly name: string;
  readonly arch: Arch;
  readonly image: Image;
  readonly steps: readonly Stopped[];
}

/** Those of x86_64. */
export function x86Programs(): Program[] {
  const arch = archs.x86_64;
  return readSteps("async").map(({ name, file, loadAddress, steps }) => ({
    name: `x86_64 ${name}`,
    arch,
    image: Image.fromFile(file, name, { arch: arch.cpuType, loadAddress }),
    steps: [...steps()].map(({ caller, ...step }) => ({
      ...step,
      cfa: caller.get(arch.sp.dwarf!)!,
      fp: caller.get(arch.fp.dwarf!)!,
    })),
  }));
}

/** Those of arm64. */
export function armPrograms(): Program[] {
  const arch = archs.arm64;
  return ["O0", "Os"].map((level) => {
    const name = `async-arm64-${level}`;
    const url = new URL(`../../fixtures/steps/${name}.json`, import.meta.url);
    const recording: StepsRecording = JSON.parse(Deno.readTextFileSync(url));
    const unpack = (text: string) => gunzipSync(Uint8Array.fromBase64(text));
    const steps: Step[] = JSON.parse(new TextDecoder().decode(unpack(recording.steps)));
    const image = Image.fromFile(unpack(recording.image), name, {
      arch: arch.cpuType,
      loadAddress: BigInt(recording.loadAddress),
    });
    return {
      ...{ name, arch, image },
      steps: steps.map((step) => {
        const state = new Uint8Array(arch.threadState.size);
        step.registers.split(" ").forEach((value, index) => {
          const name = recording.registers[index];
          const register = name === "fp"
            ? arch.fp
            : arch.threadState.registers.find((one) => one.name === name)!;
          writeRegister(state, register, BigInt(`0x${value}`));
        });
        return {
          state,
          stackAddress: BigInt(step.stackAddress),
          stack: Uint8Array.fromHex(step.stack),
          returnAddress: BigInt(step.returnAddress),
          cfa: BigInt(step.cfa),
          fp: BigInt(`0x${step.kept.split(" ")[recording.kept.indexOf("fp")]}`),
        };
      }),
    };
  });
}

/** In the order in which they resume each other. */
export const task = ["inner", "middle", "outer"];
