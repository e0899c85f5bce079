/** `/symbolicate/v5` */

import { type Answer, answerAt, readable } from "./answer.ts";
import { RequestError } from "./errors.ts";
import type { ServerLimits } from "./limits.ts";
import type { Modules } from "./modules.ts";
import { type Job, type ModuleName, uuidOfDebugId } from "./request.ts";

/** Time after which other requests get their turn, in milliseconds. */
const TURN = 20;

/** What was found out about a module: its addresses, or why there are none. */
type Looked =
  | { readonly answers: Map<number, Answer | null> }
  | { readonly error: { readonly name: string; readonly message: string } };

const keyOf = ({ debugName, breakpadId }: ModuleName): string => `${debugName}/${breakpadId}`;

/** Answers all jobs. Each address of each module is looked up once.
 *
 * @param signal ends the work
 * @throws RequestError for a response that would be too long
 */
export async function symbolicate(
  jobs: readonly Job[],
  modules: Modules,
  limits: ServerLimits,
  signal?: AbortSignal,
): Promise<string> {
  const looked = await lookUp(gather(jobs), modules, signal);
  const answers = [...looked.values()].flatMap((found) =>
    "answers" in found ? [...found.answers.values()] : []
  );
  const name = await readable(answers);
  const texts = new Map<Answer, string>();
  const answerText = (answer: Answer): string => {
    let text = texts.get(answer);
    if (text === undefined) {
      text = fieldsOf(answer, name);
      texts.set(answer, text);
    }
    return text;
  };
  let length = 0;
  const pieces: string[] = [];
  const write = (piece: string): void => {
    length += piece.length;
    if (length > limits.response) {
      throw new RequestError("the response would be too long: ask for fewer frames", 413);
    }
    pieces.push(piece);
  };
  write('{"results":[');
  for (const [index, job] of jobs.entries()) {
    write(index === 0 ? '{"stacks":[' : ',{"stacks":[');
    for (const [which, stack] of job.stacks.entries()) {
      write(which === 0 ? "[" : ",[");
      for (const [frame, [module, offset]] of stack.entries()) {
        const named = job.memoryMap[module];
        const found = named === undefined ? undefined : looked.get(keyOf(named));
        const answer = found !== undefined && "answers" in found ? found.answers.get(offset) : null;
        write(
          `${frame === 0 ? "" : ","}{"frame":${frame},"module_offset":"0x${offset.toString(16)}",` +
            `"module":${JSON.stringify(named?.debugName ?? "<unknown>")}${
              answer ? answerText(answer) : ""
            }}`,
        );
      }
      write("]");
    }
    write(`],${modulesText(job, looked)}}`);
  }
  write("]}");
  return pieces.join("");
}

/** The addresses of each module that a frame is in. */
function gather(jobs: readonly Job[]): Map<string, { module: ModuleName; offsets: Set<number> }> {
  const wanted = new Map<string, { module: ModuleName; offsets: Set<number> }>();
  for (const { memoryMap, stacks } of jobs) {
    const rows = memoryMap.map((module) => {
      const key = keyOf(module);
      return () => {
        let row = wanted.get(key);
        if (row === undefined) wanted.set(key, row = { module, offsets: new Set() });
        return row.offsets;
      };
    });
    for (const stack of stacks) {
      for (const [module, offset] of stack) rows[module]?.().add(offset);
    }
  }
  return wanted;
}

async function lookUp(
  wanted: ReturnType<typeof gather>,
  modules: Modules,
  signal: AbortSignal | undefined,
): Promise<Map<string, Looked>> {
  const looked = new Map<string, Looked>();
  let began = performance.now();
  for (const [key, { module: { breakpadId }, offsets }] of wanted) {
    const uuid = uuidOfDebugId(breakpadId);
    if (uuid === null) {
      const message = `Invalid breakpad ID ${breakpadId}`;
      looked.set(key, { error: { name: "InvalidBreakpadId", message } });
      continue;
    }
    const answers = new Map<number, Answer | null>();
    looked.set(key, { answers });
    // In ascending order, so that each part of the debug information is read once.
    for (const offset of [...offsets].sort((a, b) => a - b)) {
      if (performance.now() - began > TURN) {
        await new Promise((resolve) => setTimeout(resolve));
        signal?.throwIfAborted();
        began = performance.now();
      }
      // Another request may have had its files closed meanwhile.
      const module = modules.find(uuid);
      if (module === null) {
        const message = `No file with the ID ${uuid}`;
        looked.set(key, { error: { name: "NoCandidatePathForDebugFile", message } });
        break;
      }
      answers.set(offset, answerAt(module, offset));
    }
  }
  return looked;
}

/** The fields of a frame whose function is known, after those that all frames have. */
function fieldsOf(answer: Answer, name: (raw: string) => string): string {
  const { functionOffset, functionSize, file, line, inlines } = answer;
  const fields = {
    function: name(answer.function),
    function_offset: `0x${functionOffset.toString(16)}`,
    ...functionSize === null ? {} : { function_size: `0x${functionSize.toString(16)}` },
    ...file === undefined ? {} : { file },
    ...line === undefined ? {} : { line },
    ...inlines.length === 0
      ? {}
      : { inlines: inlines.map((call) => ({ ...call, function: name(call.function) })) },
  };
  return `,${JSON.stringify(fields).slice(1, -1)}`;
}

/** `found_modules`, and `module_errors` as samply has them. Only modules that frames are in are looked
 * for. */
function modulesText(job: Job, looked: ReadonlyMap<string, Looked>): string {
  const found = new Map<string, boolean>();
  const errors = new Map<string, readonly unknown[]>();
  for (const module of job.memoryMap) {
    const key = keyOf(module);
    const result = looked.get(key);
    if (result === undefined) continue;
    found.set(key, "answers" in result);
    if ("error" in result) errors.set(key, [result.error]);
  }
  const text = `"found_modules":${objectText(found)}`;
  return errors.size === 0 ? text : `${text},"module_errors":${objectText(errors)}`;
}

/** The names are the client's. */
function objectText(entries: ReadonlyMap<string, unknown>): string {
  const fields = [...entries].map(([key, value]) =>
    `${JSON.stringify(key)}:${JSON.stringify(value)}`
  );
  return `{${fields.join()}}`;
}
