/** The worker's side of reading debug information. It imports single modules, not their folders' faces:
 * loading is most of a worker's start. */
import { archs } from "../../arch/mod.ts";
import { FormatError } from "../../errors.ts";
import type { Files } from "../../file_system.ts";
import { hex } from "../../hex.ts";
import { imagesIn } from "../binaries.ts";
import { UnitEncoder } from "../mst/unit_encoder.ts";
import { openDwarf } from "../open_dwarf.ts";
import { packFrames } from "./packed_frames.ts";
import type { Answer, Opening, Task } from "./tasks.ts";

/** Answers the messages of a worker until it is terminated: an {@linkcode Opening}, then
 * {@linkcode Task}s.
 *
 * @param files of the system
 */
export function serveTasks(files: Files): void {
  const scope = globalThis as unknown as {
    onmessage: (event: { data: Opening | Task }) => void;
    postMessage(answer: Answer, transfer: Transferable[]): void;
  };
  let work: ((task: Task) => Answer) | undefined;
  scope.onmessage = ({ data }) => {
    if (work === undefined) {
      work = open(files, data as Opening);
      return;
    }
    const answer = work(data as Task);
    scope.postMessage(answer, buffersOf(answer));
  };
}

/** The warning for a unit that is damaged and left out. */
export function unitWarning({ offset }: { readonly offset: number }, error: FormatError): string {
  return `unit at ${hex(offset)} left out: ${error.message}`;
}

function open(files: Files, { path, image }: Opening): (task: Task) => Answer {
  const file = files.open(path);
  const binary = [...imagesIn(file)][image];
  const dwarf = openDwarf(binary.bytes);
  const encoder = new UnitEncoder(archs[dwarf.arch]);
  let warned = 0;
  return (task) => {
    const warnings: string[] = [];
    const said = (): string[] => {
      for (const warning of dwarf.warnings.slice(warned)) warnings.push(warning);
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
        warnings.push(unitWarning(unit, error));
        return [];
      }
    });
    return { kind: "parts", parts, warnings: said() };
  };
}

/** The buffers of an answer: they are transferred, not copied. */
function buffersOf(answer: Answer): Transferable[] {
  const columns = answer.kind === "parts"
    ? answer.parts.flatMap((part) => [...Object.values(part), ...Object.values(part.strings ?? {})])
    : Object.values(answer.frames);
  return columns.filter(ArrayBuffer.isView).map(({ buffer }) => buffer as ArrayBuffer);
}
