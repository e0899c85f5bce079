/** Reads debug information of one image beside others that read the rest: see `debug_pool.ts`. */
import { files } from "../../../ffi/files.ts";
import { archs } from "../../arch/mod.ts";
import { FormatError } from "../../errors.ts";
import { openDwarf, UnitEncoder } from "../mod.ts";
import { imagesIn } from "../mod.ts";
import type { Answer, Opening, Task } from "./debug_pool.ts";
import { packFrames } from "./packed_frames.ts";

const scope = globalThis as unknown as {
  onmessage: (event: { data: Opening | Task }) => void;
  postMessage(answer: Answer, transfer: Transferable[]): void;
};

let work: ((task: Task) => Answer) | undefined;

scope.onmessage = ({ data }) => {
  if (work === undefined) {
    work = open(data as Opening);
    return;
  }
  const answer = work(data as Task);
  scope.postMessage(answer, buffersOf(answer));
};

function open({ path, image }: Opening): (task: Task) => Answer {
  const file = files.open(path);
  const binary = [...imagesIn(file)][image];
  const dwarf = openDwarf(binary.bytes);
  const encoder = new UnitEncoder(archs[dwarf.arch]);
  let warned = 0;
  return (task) => {
    const warnings: string[] = [];
    const said = (): string[] => {
      warnings.push(...dwarf.warnings.slice(warned));
      warned = dwarf.warnings.length;
      return warnings;
    };
    if (task.kind === "frames") {
      const frames = packFrames(dwarf.framesOf(task.offsets));
      return { kind: "frames", frames, warnings: said() };
    }
    const parts = dwarf.info.units.slice(task.first, task.end).flatMap((unit) => {
      try {
        return [encoder.encode(dwarf.info.table(unit))];
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        warnings.push(`unit at 0x${unit.offset.toString(16)} left out: ${error.message}`);
        return [];
      }
    });
    return { kind: "parts", parts, warnings: said() };
  };
}

/** What is handed over and not copied. */
function buffersOf(answer: Answer): Transferable[] {
  const columns = answer.kind === "parts"
    ? answer.parts.flatMap((part) => [...Object.values(part), ...Object.values(part.strings)])
    : Object.values(answer.frames);
  return columns.filter(ArrayBuffer.isView).map(({ buffer }) => buffer as ArrayBuffer);
}
