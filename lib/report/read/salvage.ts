/** What can be read of a JSON report whose beginning or middle is lost: the values of known members. */

import { isObject, type JsonObject, type JsonValue, type ParsedJson, parseJson } from "../json.ts";

/** Members of a report's body that are read by themselves. */
const members = [
  "exception",
  "termination",
  "asi",
  "exceptionReason",
  "faultingThread",
  "lastExceptionBacktrace",
  "threads",
  "usedImages",
  "procName",
  "pid",
  "cpuType",
  "modelCode",
  "osVersion",
  "bundleInfo",
  "procPath",
  "captureTime",
  "vmRegionInfo",
  "processes",
  "memoryStatus",
  "largestProcess",
  "panicString",
] as const;

/** A body put together from what is left. */
export interface Salvaged {
  readonly body: JsonObject;
  readonly spans: ParsedJson["spans"];
}

/** Looks for the members of a report's body in a text; `null` when there are none. Each member is looked for
 * once, so the time is linear in the text's length. */
export function salvage(text: string, from: number): Salvaged | null {
  const joined = text.slice(from).replace(/(?<=[^\s,{}\[\]])\r?\n(?=[^\s{}\[\]`>-])/g, "");
  if (joined.length === text.length - from) return salvageFrom(text, from);
  // Lines were wrapped inside of words and numbers: nothing is where it was in the file.
  const found = salvageFrom(joined, 0);
  return found === null ? null : { body: found.body, spans: new Map() };
}

function salvageFrom(text: string, from: number): Salvaged | null {
  const body: Record<string, JsonValue> = {};
  const spans = new Map<JsonObject, readonly [number, number]>();
  for (const name of members) {
    const at = text.indexOf(`"${name}"`, from);
    if (at < 0) continue;
    let colon = at + name.length + 2;
    while (text.charCodeAt(colon) <= 0x20) colon++;
    if (text[colon] !== ":") continue;
    const parsed = parseJson(text, colon + 1);
    // Others have threads by their numbers.
    if (parsed.value === undefined || (name === "threads" && !Array.isArray(parsed.value))) {
      continue;
    }
    body[name] = parsed.value;
    for (const [frame, span] of parsed.spans) spans.set(frame, span);
  }
  if (body.threads === undefined) {
    const threads = looseThreads(text, from, spans);
    const isKnown = threads.length > 0 || body.lastExceptionBacktrace !== undefined;
    const frames = isKnown ? [] : looseFrames(text, from, spans);
    if (threads.length > 0) body.threads = threads;
    else if (frames.length > 0) body.threads = [{ frames }];
  }
  if (body.processes === undefined) {
    const process = looseProcess(text, from);
    if (process !== null) body.processes = [process];
  }
  const tells = [
    "exception",
    "termination",
    "lastExceptionBacktrace",
    "threads",
    "panicString",
    "processes",
    "usedImages",
  ];
  return tells.some((name) => Object.hasOwn(body, name)) ? { body, spans } : null;
}

/** The entry of a JetsamEvent report's process that was ended; `null` when there is none. */
function looseProcess(text: string, from: number): JsonObject | null {
  const at = text.indexOf('"rpages"', from);
  const begin = at < 0 ? -1 : text.lastIndexOf("{", at);
  if (begin < from || at - begin > 4000) return null;
  const { value } = parseJson(text, begin);
  return isObject(value) && typeof value.reason === "string" ? value : null;
}

/** Most lists of frames that are looked for. */
const MAX_LOOSE = 64;

/** The frames of a text that begins inside of a list of them. */
function looseFrames(
  text: string,
  from: number,
  spans: Map<JsonObject, readonly [number, number]>,
): JsonObject[] {
  const frames: JsonObject[] = [];
  let at = text.indexOf('{"imageOffset":', from);
  while (at >= 0 && frames.length < 512) {
    const parsed = parseJson(text, at);
    if (!isObject(parsed.value)) break;
    frames.push(parsed.value);
    for (const [frame, span] of parsed.spans) spans.set(frame, span);
    if (parsed.end <= at || text.charCodeAt(parsed.end) !== 0x2c) break;
    at = text.startsWith('{"imageOffset":', parsed.end + 1) ? parsed.end + 1 : -1;
  }
  // A single one need not be a frame.
  return frames.length > 1 ? frames : [];
}

/** The lists of frames of a text that begins inside of its threads. */
function looseThreads(
  text: string,
  from: number,
  spans: Map<JsonObject, readonly [number, number]>,
): JsonObject[] {
  const threads: JsonObject[] = [];
  let at = text.indexOf('"frames":[', from);
  let before = from;
  while (at >= 0 && threads.length < MAX_LOOSE) {
    const parsed = parseJson(text, at + 9);
    const triggered = /"triggered"\s?:\s?true/.test(text.slice(Math.max(before, at - 4000), at));
    if (Array.isArray(parsed.value)) {
      const frames = parsed.value.filter(isObject);
      if (frames.length > 0) threads.push({ frames, ...(triggered ? { triggered } : {}) });
      for (const [frame, span] of parsed.spans) spans.set(frame, span);
    }
    before = Math.max(parsed.end, at + 10);
    at = text.indexOf('"frames":[', before);
  }
  return threads;
}
