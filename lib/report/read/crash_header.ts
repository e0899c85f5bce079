/** The header of a crash text, by field names or, where those are translated, by the form of the
 * values. */

import { domainName } from "../codes.ts";
import type { JsonObject } from "../json.ts";
import { textAt } from "../json.ts";
import type { ReportException, ReportField, ReportProcess, ReportTermination } from "../drafts.ts";

/** Known field names, in lower case. A line with another name may belong to a section. */
export const fieldNames: ReadonlySet<string> = new Set([
  ..."incident identifier|crashreporter key|crash reporter key|anonymous uuid|hardware model".split(
    "|",
  ),
  ..."process|path|identifier|version|build info|app item id|app external id|appstoretools".split(
    "|",
  ),
  ..."appvariant|app variant|adamid|code type|architecture|platform|role|responsible".split("|"),
  ..."parent process|parent|coalition|user id|plugin path|plugin identifier|beta".split("|"),
  ..."date/time|launch time|end time|os version|release type|baseband version".split("|"),
  ..."bridge os version|report version|exception type|exception subtype|exception codes".split("|"),
  ..."exception message|exception note|exception reason|termination reason".split("|"),
  ..."termination|termination signal|termination description|terminating process".split("|"),
  ..."triggered by thread|crashed thread|highlighted by thread|highlighted thread".split("|"),
  ..."attributed to thread|vm region info|system integrity protection|sleep/wake uuid".split("|"),
  ..."time awake since boot|time since wake|notes|logical cpu|error code|trap number".split("|"),
  ..."command|pid|event|duration|steps|analysis tool|physical footprint".split("|"),
  ..."physical footprint (peak)|idle exit|analysis written to|data source".split("|"),
  ..."action taken|wakeups|cpu|cpu used|cpu limit|wakeups limit|free disk space".split("|"),
  ..."report format|note|store info|share with devs|beta identifier|bundle id".split("|"),
  ..."bug type|exception code|reason|date|kernel version|frontmost process pid|largest process"
    .split("|"),
  ..."writes|writes limit|limit duration|writes caused|writes duration|wakeups caused".split("|"),
  // MetricKit's name, which programs write into texts.
  "terminationreason",
  ..."duration sampled|start time|hardware model|active cpus|architecture|shared cache".split("|"),
]);

/** Words of translated headers. */
export const translated = {
  /** Matches the title of a crashed thread. */
  crashed: /crash|崩溃|崩潰|クラッシュ|충돌|abgestürzt|planté|plantage|bloccato|сбой|аварийн/i,
} as const;

/** `Name [123]` */
function nameAndPid(written: string): { name: string; pid: number | null } {
  // spindump's second number, which is never used again.
  const text = written.replace(/(?<=\])(?: \[unique pid \d{1,12}\]| \(suspended\)){1,3}$/, "");
  const open = text.lastIndexOf("[");
  const digits = open < 0 || !text.endsWith("]") ? "" : text.slice(open + 1, -1);
  return /^\d{1,10}$/.test(digits)
    ? { name: text.slice(0, open).trimEnd(), pid: Number(digits) }
    : { name: text, pid: null };
}

const systems =
  /^(?:iPhone OS|iOS|iPadOS|macOS|Mac OS X|OS X|tvOS|watchOS|visionOS|xrOS|bridgeOS) \d.{0,50}$/;

/** Forms of values, and the field names that they imply; the first field of each form counts. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/^EXC_\w+/, "exception type"],
  [/^(?:KERN|PROTECTION|EXC_I386|EXC_ARM)_\w+/, "exception subtype"],
  [/^0x[0-9a-fA-F]{16}(?:, 0x[0-9a-fA-F]{16})+/, "exception codes"],
  [/^(?!EXC_)(?:(?!: ).){1,200} \[\d{1,9}\]$/, "process"],
  [/^.{1,200} \[\d{1,9}\]$/, "parent process"],
  [/^(?:ARM|ARM-64|X86|X86-64)(?: \(.{1,40}\))?$/, "code type"],
  [systems, "os version"],
  [/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, "date/time"],
  [/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, "launch time"],
  [/^\/(?:Applications|Library|System|Users|Volumes|opt|private|usr|var)\/./, "path"],
  [
    /^(?:iPhone|iPad|iPod|Watch|AppleTV|Mac|MacBook\w*|iMac|Macmini)\d{1,3},\d{1,3}$/,
    "hardware model",
  ],
  [/^Namespace \w+/, "termination reason"],
  [/^[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}$/, "incident identifier"],
  [/^[A-Za-z][\w-]*(?:\.[\w-]+){2,}$/, "identifier"],
];

/** Whether a value has the form of one of a header's fields, whatever its name is. */
export function isShaped(value: string): boolean {
  return shapes.some(([pattern]) => pattern.test(value));
}

/** Versions of Xamarin's tools, of which Visual Studio's list has several. */
const ofEdition = /^Unknown version$| \((?:\w{1,16} Edition|Visual Studio \w{1,20})\)$/;

/** The parsed header. */
export class Header {
  readonly #values = new Map<string, string>();
  readonly #json: JsonObject | null;

  /** Reads fields.
   *
   * @param json the JSON header line, which repeats some of the fields
   * @param warn receives what was guessed
   */
  constructor(
    fields: readonly ReportField[],
    json: JsonObject | null,
    warn: (text: string) => void,
  ) {
    this.#json = json;
    const unknown: ReportField[] = [];
    /** Whether the version that was read last stands before the process. */
    let isVersionOfOthers = false;
    for (const field of fields) {
      const name = field.name.toLowerCase();
      if (name === "version" && ofEdition.test(field.value)) continue;
      if (!fieldNames.has(name)) unknown.push(field);
      else if (!this.#values.has(name)) this.#values.set(name, field.value);
      // What somebody wrote before the report has versions too.
      else if (name === "version" && isVersionOfOthers && this.#values.has("process")) {
        this.#values.set(name, field.value);
      } // macOS writes the subtype and the numbers as two lines of the same name.
      else if (name === "termination description" || name === "exception codes") {
        this.#values.set(name, `${this.#values.get(name)}\n${field.value}`);
      }
      if (name === "version") {
        // A spindump names its program otherwise, and has processes behind.
        isVersionOfOthers = !this.#values.has("process") && !this.#values.has("command");
      }
    }
    this.#guess(unknown, warn);
  }

  #guess(unknown: readonly ReportField[], warn: (text: string) => void): void {
    const isEnglish = this.#values.has("process") ||
      !unknown.some(({ value }) => /^EXC_\w+|^.{1,200} \[\d{1,9}\]$/.test(value));
    for (const { name, value } of unknown) {
      // Other processes than the report's own, as where a copy begins within a line.
      if (/ible$| process$/i.test(name)) continue;
      const shape = shapes.find(([pattern, known]) =>
        !this.#values.has(known) && pattern.test(value)
      );
      // An English header has names for all fields; other values mean something else.
      if (shape === undefined || (isEnglish && !isForeign(name))) continue;
      this.#values.set(shape[1], value);
      warn(
        `the field "${name.replace(/^"|"$/g, "").slice(0, 40)}" is taken for "${
          shape[1]
        }", by its value`,
      );
    }
    if (this.#values.has("triggered by thread") || this.#values.has("crashed thread")) return;
    const numbers = unknown.filter(({ name, value }) =>
      isForeign(name) && /^\d{1,5}\b/.test(value)
    );
    const thread = numbers.find(({ name }) =>
      /thread|线程|執行緒|スレッド|스레드|поток/i.test(name)
    );
    if (thread === undefined) return;
    this.#values.set("triggered by thread", thread.value);
    warn(`the field "${thread.name.slice(0, 40)}" is taken for "triggered by thread"`);
  }

  #value(...names: string[]): string | null {
    for (const name of names) {
      const value = this.#values.get(name);
      // Who hides them puts a dash there.
      if (value !== undefined && value !== "" && value !== "-") return value;
    }
    return null;
  }

  get process(): ReportProcess {
    const own = this.#value("process", "command");
    const parent = this.#value("parent process", "parent");
    // Old versions of sample write no brackets.
    const isOld = /^\S{1,60} \d{1,7}$/.test(parent ?? "");
    const { name, pid } = own === null ? { name: null, pid: null } : nameAndPid(
      (isOld ? own.replace(/ (\d{1,7})$/, " [$1]") : own)
        // Newer spindumps have the identifier between.
        .replace(/ \([A-Za-z][\w-]{0,60}(?:\.[\w-]{1,80}){1,8}\)(?= \[\d{1,10}\]$)/, ""),
    );
    const number = this.#value("pid");
    return {
      name: name ?? textAt(this.#json ?? undefined, "app_name"),
      pid: pid ?? (number !== null && /^\d{1,10}$/.test(number) ? Number(number) : null),
      path: this.#value("path"),
      identifier: this.#value("identifier") ?? textAt(this.#json ?? undefined, "bundleID"),
      version: this.#value("version") ?? textAt(this.#json ?? undefined, "app_version"),
      parent,
      role: this.#value("role"),
      launched: this.#value("launch time"),
    };
  }

  get codeType(): string | null {
    return this.#value("code type", "architecture");
  }

  get model(): string | null {
    return this.#value("hardware model");
  }

  get osVersion(): string | null {
    return this.#value("os version") ?? textAt(this.#json ?? undefined, "os_version");
  }

  get date(): string | null {
    return this.#value("date/time", "date") ?? textAt(this.#json ?? undefined, "timestamp");
  }

  get incident(): string | null {
    return this.#value("incident identifier") ?? textAt(this.#json ?? undefined, "incident_id");
  }

  get bugType(): string | null {
    return textAt(this.#json ?? undefined, "bug_type") ?? this.#value("bug type");
  }

  /** Number of the thread that the report is about. */
  get triggeredThread(): number | null {
    const value = this.#value(
      "triggered by thread",
      "crashed thread",
      "highlighted by thread",
      "highlighted thread",
      "attributed to thread",
    );
    const digits = /^\d{1,10}/.exec(value ?? "")?.[0];
    return digits === undefined ? null : Number(digits);
  }

  get exception(): ReportException | null {
    const written = this.#value("exception type");
    const lines = this.#value("exception codes", "exception code")?.split("\n") ?? [];
    const given = lines.find((line) => isNumber.test(line)) ?? lines[0] ?? null;
    let subtype = this.#value("exception subtype") ??
      lines.find((line) =>
        !isNumber.test(line) && /^(?:[A-Z]|#\d+ at 0x|\(null\) at 0x)/.test(line)
      ) ??
      null;
    const message = this.#value("exception message", "exception reason");
    const note = this.#value("exception note");
    if (written === null && given === null && subtype === null && note === null) return null;
    const match = /^([^\s(]+)(?:\s*\((.{1,200})\))?/.exec(written ?? "");
    // KSCrash writes 0 where there was no exception.
    const none = /^0\b/.test(written ?? "");
    if (none && /^0x0+ at 0x0+$/.test(given ?? "")) subtype = null;
    return {
      type: none ? null : match === null ? written : match[1],
      signal: none ? null : match?.[2] ?? null,
      codes: codesIn(given),
      subtype,
      message,
      note,
    };
  }

  get termination(): ReportTermination | null {
    const reason = this.#value("termination reason", "termination", "terminationreason");
    const signal = this.#value("termination signal");
    const description = this.#value("termination description");
    const by = this.#value("terminating process");
    if (reason === null && signal === null && description === null) return null;
    const { name: byProcess, pid: byPid } = by === null
      ? { name: null, pid: null }
      : nameAndPid(by);
    const reasons: string[] = [];
    const { namespace, code, rest } = parseReason(reason ?? "");
    if (rest !== "") reasons.push(rest);
    if (signal !== null) reasons.push(signal);
    for (const line of (description ?? "").split("\n")) if (line !== "") reasons.push(line);
    return { namespace, code, reasons, byProcess, byPid };
  }
}

const isNumber = /^\s*(?:0x|\d)/;

/** Whether a name has non-ASCII letters, as most translated names have. */
function isForeign(name: string): boolean {
  // deno-lint-ignore no-control-regex
  return /[^\x00-\x7f]/.test(name);
}

/** `Namespace SPRINGBOARD, Code 0x8badf00d`, `SPRINGBOARD 2343432205`, `Namespace SIGNAL, Code 6, Abort
 * trap: 6`. */
export function parseReason(
  text: string,
): { namespace: string | null; code: bigint | null; rest: string } {
  // `<RBSTerminateContext| domain:10 code:0x8BADF00D explanation:…`, without what the kernel writes before it.
  const context = /^<RBSTerminateContext\| domain:(\d{1,4}) code:(0x[0-9a-fA-F]{1,16})\b/.exec(
    text,
  );
  if (context !== null) {
    return { namespace: domainName(Number(context[1])), code: BigInt(context[2]), rest: text };
  }
  const match =
    /^(?:Namespace\s+)?([A-Za-z][\w-]*)[,;]?\s+(?:Code:?\s+)?<?(0x[0-9a-fA-F]{1,16}|\d{1,20})>?[,;]?\s*/
      .exec(text);
  if (match === null) {
    // `TCC, This app has crashed because …`, `DYLD, [0x4] Symbol missing`, and iOS 15's `EXEC; [1]`
    const bare =
      /^(?:Namespace\s+)?([A-Z]{3,20})(?:, |; (?=\[))(?:\[(0x[0-9a-fA-F]{1,16}|\d{1,20})\](?: |$))?/
        .exec(text);
    if (bare === null) return { namespace: null, code: null, rest: text };
    const code = bare[2] === undefined ? null : BigInt(bare[2]);
    return { namespace: bare[1], code, rest: text.slice(bare[0].length) };
  }
  return {
    namespace: match[1],
    code: BigInt.asUintN(64, BigInt(match[2])),
    rest: text.slice(match[0].length),
  };
}

/** The numbers in `0x0000000000000001, 0x0000000000000010`. */
function codesIn(text: string | null): bigint[] {
  const codes: bigint[] = [];
  if (text === null || !isNumber.test(text)) return codes;
  for (const [code] of text.matchAll(/\b0x[0-9a-fA-F]{1,16}\b/g)) {
    if (codes.length < 8) codes.push(BigInt(code));
  }
  return codes;
}
