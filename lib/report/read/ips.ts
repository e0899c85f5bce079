/** Reading `.ips`: a JSON header line, then a JSON body, after Apple's "Interpreting the JSON format of
 * a crash report"; `bug_type` 309 and its like, and the stackshots of 288. */

import {
  arrayAt,
  bigintAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  type ParsedJson,
  stringifyJson,
  textAt,
  toBigint,
} from "../json.ts";
import { archOfCodeType, imageFinder, normalUuid } from "../images.ts";
import { isJetsam } from "../jetsam.ts";
import { stackshotIn } from "../stackshot.ts";
import type {
  ReportException,
  ReportField,
  ReportFrame,
  ReportImage,
  ReportRegister,
  ReportTermination,
  ReportThread,
} from "../drafts.ts";
import { CrashReport, noFrame } from "../report.ts";
import { parseFrameLine } from "./crash_lines.ts";
import { noThreads } from "./parts.ts";

const MAX_WARNINGS = 50;
/** Most lines of a backtrace that is text. */
const MAX_SPECIFIC = 1024;
/** Functions by which an exception is thrown. */
const throws = /^(?:objc_exception_throw|__exceptionPreprocess|__cxa_throw)\b/;

/** Reads a report from the two JSON documents.
 *
 * @param parsed the places of the body's frames
 */
export function readIpsBody(
  file: string,
  text: string,
  header: JsonObject | null,
  body: JsonObject,
  parsed: Pick<ParsedJson, "spans">,
  warnings: string[],
): CrashReport {
  return new IpsReader(file, text, header, body, parsed.spans, warnings).read();
}

class IpsReader {
  readonly #file: string;
  readonly #text: string;
  readonly #header: JsonObject | null;
  readonly #body: JsonObject;
  readonly #spans: ParsedJson["spans"];
  readonly #warnings: string[];
  readonly #stackshot: JsonObject | null;
  readonly #images: ReportImage[];

  constructor(
    file: string,
    text: string,
    header: JsonObject | null,
    body: JsonObject,
    spans: ParsedJson["spans"],
    warnings: string[],
  ) {
    this.#file = file;
    this.#text = text;
    this.#header = header;
    this.#body = body;
    this.#spans = spans;
    this.#warnings = warnings;
    this.#stackshot = stackshotIn(body);
    this.#images = this.#readImages();
  }

  #warn(text: string): void {
    if (this.#warnings.length < MAX_WARNINGS && !this.#warnings.includes(text)) {
      this.#warnings.push(text);
    }
  }

  read(): CrashReport {
    const body = this.#body;
    const header = this.#header ?? undefined;
    const bundle = objectAt(body, "bundleInfo") ?? undefined;
    const system = objectAt(body, "osVersion") ?? undefined;
    const short = textAt(bundle, "CFBundleShortVersionString") ?? textAt(header, "app_version");
    const build = textAt(bundle, "CFBundleVersion") ?? textAt(header, "build_version");
    const parent = textAt(body, "parentProc");
    const parentPid = numberAt(body, "parentPid");
    const codeType = textAt(body, "cpuType");
    const last = body.lastExceptionBacktrace;
    const train = textAt(system, "train");
    const osBuild = textAt(system, "build");
    return new CrashReport({
      format: "ips",
      file: this.#file,
      text: this.#text,
      bugType: textAt(header, "bug_type") ?? textAt(body, "bug_type"),
      fields: this.#fields(),
      sections: [],
      process: {
        name: textAt(body, "procName") ?? textAt(header, "app_name") ?? textAt(header, "name"),
        pid: numberAt(body, "pid"),
        path: textAt(body, "procPath"),
        identifier: textAt(bundle, "CFBundleIdentifier") ?? textAt(header, "bundleID"),
        version: short === null ? build : build === null ? short : `${short} (${build})`,
        parent: parent === null || parentPid === null ? parent : `${parent} [${parentPid}]`,
        role: textAt(body, "procRole"),
        launched: textAt(body, "procLaunch"),
      },
      arch: archOfCodeType(codeType) ??
        archOfCodeType(this.#images.find(({ arch }) => arch !== null)?.arch ?? null),
      codeType,
      model: textAt(body, "modelCode") ?? textAt(body, "product"),
      osVersion: train !== null
        ? osBuild === null ? train : `${train} (${osBuild})`
        // A broken line may be in it.
        : (textAt(header, "os_version") ?? textAt(body, "build"))?.replace(/\s{1,20}/g, " ") ??
          null,
      date: textAt(body, "captureTime") ?? textAt(header, "timestamp") ?? textAt(body, "date"),
      incident: textAt(body, "incident") ?? textAt(header, "incident_id"),
      exception: this.#exception(),
      termination: this.#termination(),
      information: this.#information(),
      threads: this.#stackshot === null ? this.#threads() : this.#stackshotThreads(this.#stackshot),
      lastException: Array.isArray(last) ? this.#frames(last) : this.#specific(),
      images: this.#images,
      header: this.#header,
      body,
      warnings: this.#warnings,
    });
  }

  /** The scalar members of both documents. */
  #fields(): ReportField[] {
    const fields: ReportField[] = [];
    for (const document of [this.#header ?? {}, this.#body]) {
      for (const [name, value] of Object.entries(document)) {
        if (typeof value === "object" && value !== null) continue;
        fields.push({ name, value: String(value) });
      }
    }
    return fields;
  }

  #readImages(): ReportImage[] {
    const listed = arrayAt(this.#body, "usedImages");
    if (listed.length > 0) {
      // macOS 11 had the rest of its images apart.
      const rest = arrayAt(objectAt(this.#body, "legacyInfo") ?? undefined, "imageExtraInfo");
      return listed.map((image, at): ReportImage => {
        if (Array.isArray(image)) return imageOfTuple(image, rest[at]);
        const entry = isObject(image) ? image : undefined;
        const path = textAt(entry, "path");
        const source = textAt(entry, "source");
        // `S` is the shared cache: code in no listed image.
        const nameless = source === "S" ? "dyld shared cache" : "???";
        const name = textAt(entry, "name") ?? path?.slice(path.lastIndexOf("/") + 1) ?? nameless;
        return {
          name,
          path,
          uuid: normalUuid(textAt(entry, "uuid") ?? ""),
          arch: textAt(entry, "arch"),
          base: bigintAt(entry, "base") ?? 0n,
          // `A`, absolute, stands for "no image".
          size: source === "A" ? 0n : bigintAt(entry, "size") ?? 0n,
          version: textAt(entry, "CFBundleShortVersionString"),
          identifier: textAt(entry, "CFBundleIdentifier"),
          marked: false,
        };
      });
    }
    return arrayAt(this.#stackshot ?? this.#body, "binaryImages").map((image) =>
      imageOfTuple(Array.isArray(image) ? image : [], undefined)
    );
  }

  /** A frame as a pair: its image's place in the list, and the offset in that. */
  #pair(pair: readonly JsonValue[], index: number): ReportFrame {
    const [number, offset] = pair;
    const image = typeof number === "number" ? this.#images[number] : undefined;
    return {
      ...noFrame,
      index,
      address: BigInt.asUintN(64, (image?.base ?? 0n) + (toBigint(offset) ?? 0n)),
      image: image ?? null,
      imageName: image?.name ?? null,
    };
  }

  #frames(list: readonly JsonValue[]): ReportFrame[] {
    const frames: ReportFrame[] = [];
    for (const entry of list) {
      if (Array.isArray(entry)) {
        frames.push(this.#pair(entry, frames.length));
        continue;
      }
      if (!isObject(entry)) {
        this.#warn("a frame is no object");
        continue;
      }
      const number = numberAt(entry, "imageIndex");
      const image = number === null ? undefined : this.#images[number];
      if (image === undefined && number !== null) this.#warn("a frame's image is not in the list");
      const imageOffset = bigintAt(entry, "imageOffset") ?? 0n;
      const span = this.#spans.get(entry);
      const symbol = textAt(entry, "symbol");
      frames.push({
        index: frames.length,
        address: BigInt.asUintN(64, (image?.base ?? 0n) + imageOffset),
        // An entry at address 0 without a UUID stands for "no image".
        image: image === undefined || (image.base === 0n && image.uuid === null) ? null : image,
        imageName: image === undefined || image.name === "???" ? null : image.name,
        symbol,
        offset: symbol === null ? null : numberAt(entry, "symbolLocation"),
        file: textAt(entry, "sourceFile"),
        line: numberAt(entry, "sourceLine"),
        column: numberAt(entry, "sourceColumn"),
        inlined: entry.inline === true,
        span: span === undefined ? null : { start: span[0], end: span[1] },
      });
    }
    return frames;
  }

  /** The first of `asiBacktraces`, which are text, where an exception was thrown on it: a crash text calls it
   * "Application Specific Backtrace". `null` for others. */
  #specific(): ReportFrame[] | null {
    const [text] = arrayAt(this.#body, "asiBacktraces");
    if (typeof text !== "string") return null;
    const imageAt = imageFinder(this.#images);
    const frames: ReportFrame[] = [];
    for (const line of text.split("\n", MAX_SPECIFIC)) {
      const read = parseFrameLine(line);
      if (read === null) continue;
      const found = imageAt(read.address);
      const image = found === null || read.imageName === null ||
          [found.name, found.identifier].includes(read.imageName)
        ? found
        : null;
      frames.push({
        ...noFrame,
        index: frames.length,
        address: read.address,
        image,
        imageName: read.imageName ?? image?.name ?? null,
        symbol: read.symbol,
        offset: read.offset,
        file: read.file,
        line: read.line,
      });
    }
    return frames.some(({ symbol }) => symbol !== null && throws.test(symbol)) ? frames : null;
  }

  #threads(): ReportThread[] {
    const faulting = numberAt(this.#body, "faultingThread");
    const threads: ReportThread[] = [];
    const list = arrayAt(this.#body, "threads");
    const triggered = list.some((entry) => isObject(entry) && entry.triggered === true);
    for (const [index, entry] of list.entries()) {
      if (!isObject(entry)) {
        this.#warn(`thread ${index} is no object`);
        continue;
      }
      const crashed = entry.triggered === true || (!triggered && index === faulting);
      const state = objectAt(entry, "threadState") ??
        (crashed ? objectAt(this.#body, "threadState") : null);
      threads.push({
        index: numberAt(entry, "index") ?? index,
        id: bigintAt(entry, "id"),
        name: textAt(entry, "name"),
        queue: textAt(entry, "queue"),
        crashed,
        frames: this.#frames(arrayAt(entry, "frames")),
        registers: state === null ? [] : registers(state),
        flavor: state === null ? null : textAt(state, "flavor"),
        process: null,
        tree: [],
      });
    }
    const bugType = textAt(this.#header ?? undefined, "bug_type") ?? textAt(this.#body, "bug_type");
    if (threads.length === 0 && !isJetsam({ bugType, body: this.#body })) this.#warn(noThreads);
    return threads;
  }

  /** `processByPid` of a stackshot: processes of threads of `[image, offset]` pairs, kernel frames
   * first. One within a report about a process has that process's threads. */
  #stackshotThreads(stackshot: JsonObject): ReportThread[] {
    const threads: ReportThread[] = [];
    const own = stackshot === this.#body ? null : String(numberAt(this.#body, "pid") ?? "");
    for (const [pid, process] of Object.entries(objectAt(stackshot, "processByPid") ?? {})) {
      if (own !== null && pid !== own) continue;
      const name = textAt(process, "procname") ?? "???";
      for (const [id, thread] of Object.entries(objectAt(process, "threadById") ?? {})) {
        const pairs = [...arrayAt(thread, "kernelFrames"), ...arrayAt(thread, "userFrames")];
        const frames = pairs.map((pair, at) => this.#pair(Array.isArray(pair) ? pair : [], at));
        threads.push({
          index: threads.length,
          id: toBigint(id),
          name: textAt(thread, "name"),
          queue: null,
          crashed: false,
          frames,
          registers: [],
          flavor: null,
          process: own === null ? `${name} [${pid}]` : null,
          tree: [],
        });
      }
    }
    return threads;
  }

  #exception(): ReportException | null {
    const entry = objectAt(this.#body, "exception");
    const reason = objectAt(this.#body, "exceptionReason");
    // In a stackshot it is a number.
    const alone = bigintAt(this.#body, "exception");
    if (entry === null && reason === null && alone === null) return null;
    const codes: bigint[] = alone === null ? [] : [alone];
    for (const code of arrayAt(entry ?? undefined, "rawCodes")) {
      const value = toBigint(code);
      if (value !== null) codes.push(value);
    }
    if (codes.length === 0) {
      const written = textAt(entry ?? undefined, "codes") ?? "";
      for (const [code] of written.matchAll(/\b0x[0-9a-fA-F]{1,16}\b/g)) codes.push(BigInt(code));
    }
    const exception = {
      // Empty where a report is about no exception: readers want the member nevertheless.
      type: textAt(entry ?? undefined, "type") || null,
      signal: textAt(entry ?? undefined, "signal"),
      codes,
      subtype: textAt(entry ?? undefined, "subtype"),
      message: textAt(entry ?? undefined, "message") ??
        textAt(reason ?? undefined, "composed_message"),
      note: textAt(entry ?? undefined, "note") ?? this.#note(),
    };
    const { type, signal, subtype, message, note } = exception;
    const says = codes.length > 0 || [type, signal, subtype, message, note].some(Boolean);
    return says ? exception : null;
  }

  /** The note that crash text has for the JSON flags. */
  #note(): string | null {
    const { isSimulated, isCorpse } = this.#body;
    if (isSimulated === 1 || isSimulated === true) return "SIMULATED (this is NOT a crash)";
    return isCorpse === 1 || isCorpse === true ? "EXC_CORPSE_NOTIFY" : null;
  }

  #termination(): ReportTermination | null {
    const entry = objectAt(this.#body, "termination");
    if (entry === null) return null;
    const reasons: string[] = [];
    const indicator = textAt(entry, "indicator");
    if (indicator !== null) reasons.push(indicator);
    // macOS 11 has the namespace and the code there once more.
    const reason = textAt(entry, "reason");
    if (reason !== null && !reason.startsWith("Namespace ")) reasons.unshift(reason);
    for (const key of ["reasons", "details"]) {
      for (const reason of arrayAt(entry, key)) {
        if (typeof reason === "string") reasons.push(reason);
      }
    }
    return {
      namespace: textAt(entry, "namespace"),
      code: bigintAt(entry, "code"),
      reasons,
      byProcess: textAt(entry, "byProc"),
      byPid: numberAt(entry, "byPid"),
    };
  }

  #information(): string[] {
    const lines: string[] = [];
    for (const messages of Object.values(objectAt(this.#body, "asi") ?? {})) {
      if (!Array.isArray(messages)) continue;
      for (const message of messages) {
        lines.push(typeof message === "string" ? message.trimEnd() : stringifyJson(message));
      }
    }
    const reason = objectAt(this.#body, "exceptionReason");
    const composed = textAt(reason ?? undefined, "composed_message");
    if (composed !== null && !lines.some((line) => line.includes(composed))) lines.push(composed);
    return lines;
  }
}

/** An image as a stackshot and macOS 11 list it: its UUID, its address and where it is from.
 *
 * @param rest what the list has of it elsewhere
 */
function imageOfTuple(
  [uuid, base, source]: readonly JsonValue[],
  rest: JsonValue | undefined,
): ReportImage {
  const entry = isObject(rest) ? rest : undefined;
  return {
    name: textAt(entry, "name") ??
      (source === "S" ? "shared cache" : source === "K" ? "kernel" : "???"),
    path: textAt(entry, "path"),
    uuid: typeof uuid === "string" ? normalUuid(uuid) : null,
    arch: textAt(entry, "arch"),
    base: toBigint(base) ?? 0n,
    size: bigintAt(entry, "size") ?? 0n,
    version: null,
    identifier: null,
    marked: false,
  };
}

/** The registers of a `threadState`; `x` and `r` are arrays of numbered registers. */
function registers(state: JsonObject): ReportRegister[] {
  const found: ReportRegister[] = [];
  const add = (name: string, entry: JsonValue): void => {
    const value = typeof entry === "number" ? toBigint(entry) : bigintAt(entry, "value");
    if (value === null) return;
    const note = textAt(entry, "description") ?? textAt(entry, "symbol");
    found.push({ name, value, note });
  };
  for (const [name, entry] of Object.entries(state)) {
    if (Array.isArray(entry)) {
      for (const [index, item] of entry.entries()) add(`${name}${index}`, item);
    } else {
      add(name, entry);
    }
  }
  return found;
}
