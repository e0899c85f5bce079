/** Reads the requests of Mozilla's symbolication API, version 5, and of samply's `/source/v1` and
 * `/asm/v1`. Sources: https://tecken.readthedocs.io/en/latest/symbolication.html and samply's `API.md`. */

import { RequestError } from "./errors.ts";
import type { ServerLimits } from "./limits.ts";

/** A module as requests name it. */
export interface ModuleName {
  /** For the response only: files are found by UUID. */
  readonly debugName: string;
  /** The UUID's 32 hexadecimal digits and an age, which Mach-O files do not have: `0`. */
  readonly breakpadId: string;
}

/** A frame: a module's index and an offset in it. */
export type RequestFrame = readonly [module: number, offset: number];

/** Stacks, and the modules that their frames are in. */
export interface Job {
  readonly memoryMap: readonly ModuleName[];
  readonly stacks: readonly (readonly RequestFrame[])[];
}

type Fields = Readonly<Record<string, unknown>>;

/** The JSON object in a request's body.
 *
 * @throws RequestError for what is none, or too long
 */
export function readJson(body: Uint8Array, limits: ServerLimits): Fields {
  if (body.length > limits.body) {
    throw new RequestError(`the request is longer than ${limits.body} bytes`, 413);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new RequestError("the request is not valid JSON");
  }
  if (!isObject(value)) throw new RequestError("the request is not an object");
  return value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The jobs of a request to `/symbolicate/v5`. A single job may stand without `jobs`.
 *
 * @throws RequestError
 */
export function readJobs(request: Fields, limits: ServerLimits): Job[] {
  const given = Object.hasOwn(request, "jobs") ? request.jobs : [request];
  if (!Array.isArray(given)) throw new RequestError("jobs is not an array");
  if (given.length > limits.jobs) throw tooMany("jobs", limits.jobs);
  let modules = 0;
  let frames = 0;
  return given.map((job: unknown, index): Job => {
    const at = `job ${index}`;
    if (!isObject(job)) throw new RequestError(`${at} is not an object`);
    const { memoryMap, stacks } = job;
    if (!Array.isArray(memoryMap)) throw new RequestError(`${at} has no array memoryMap`);
    modules += memoryMap.length;
    if (modules > limits.modules) throw tooMany("modules", limits.modules);
    if (!Array.isArray(stacks)) throw new RequestError(`${at} has no array stacks`);
    for (const stack of stacks as unknown[]) {
      if (!Array.isArray(stack)) throw new RequestError(`${at} has a stack that is no array`);
      frames += stack.length;
      if (frames > limits.frames) throw tooMany("frames", limits.frames);
      for (const frame of stack as unknown[]) {
        if (!isFrame(frame, memoryMap.length)) {
          throw new RequestError(
            `${at} has a frame that is not [index in memoryMap or -1, offset from 0 on]`,
          );
        }
      }
    }
    return {
      memoryMap: memoryMap.map((module: unknown) => readModule(module, at)),
      stacks: stacks as RequestFrame[][],
    };
  });
}

function tooMany(what: string, limit: number): RequestError {
  return new RequestError(`the request has more than ${limit} ${what}`, 413);
}

/** The Tecken API has `-1` for a frame in no module. */
function isFrame(frame: unknown, modules: number): frame is RequestFrame {
  if (!Array.isArray(frame) || frame.length !== 2) return false;
  const [module, offset] = frame as unknown[];
  return Number.isInteger(module) && (module as number) >= -1 && (module as number) < modules &&
    Number.isSafeInteger(offset) && (offset as number) >= 0;
}

/** The characters that samply and Mozilla's server allow. */
const validName = /^[\w.+{}[\]:@<> ~()-]{0,1024}$/;

function readModule(module: unknown, at: string): ModuleName {
  if (!Array.isArray(module) || module.length !== 2) {
    throw new RequestError(`${at} has a module that is not [debug name, debug ID]`);
  }
  const [debugName, breakpadId] = module as unknown[];
  if (typeof debugName !== "string" || !validName.test(debugName)) {
    throw new RequestError(`${at} has an invalid debug name`);
  }
  if (typeof breakpadId !== "string" || !/^[\da-f]{0,64}$/i.test(breakpadId)) {
    throw new RequestError(`${at} has an invalid debug ID`);
  }
  return { debugName, breakpadId };
}

/** The UUID of a debug ID, `8-4-4-4-12` in upper case; `null` for an ID of another system. ELF files' have the
 * same form. */
export function uuidOfDebugId(id: string): string | null {
  const digits = /^([\da-f]{32})0$/i.exec(id)?.[1];
  return digits === undefined || /^0+$/.test(digits) ? null : hyphenated(digits);
}

/** What a code ID names: a UUID, which Mach-O files have in upper case, or an ELF file's build ID; `null` for
 * one of another system. */
export function idOfCodeId(id: string): string | null {
  if (/^[\dA-F]{32}$/.test(id)) return hyphenated(id);
  return /^(?:[\da-f]{2}){9,64}$/i.test(id) ? id.toLowerCase() : null;
}

function hyphenated(digits: string): string {
  return digits.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A text of a request.
 *
 * @throws RequestError when it is missing
 */
export function text(request: Fields, name: string): string {
  const value = request[name];
  if (typeof value !== "string") throw new RequestError(`${name} is missing, or no string`);
  return value;
}

/** A number of a request, written as `"0x1f"`.
 *
 * @throws RequestError when it is missing
 */
export function hexNumber(request: Fields, name: string): number {
  const value = text(request, name);
  if (!/^0x[\da-f]{1,12}$/i.test(value)) {
    throw new RequestError(`${name} is not a hexadecimal number with 0x`);
  }
  return Number(value);
}
