/** Writing crash text, in the layout of Apple's "Examining the fields in a crash report". */

import { archs } from "../../arch/mod.ts";
import { subtypeName } from "../codes.ts";
import { faultAddress, regionInfo } from "../fault.ts";
import { frameText, oneLine } from "../frame_text.ts";
import { type InstructionBytes, instructionBytes } from "../instruction_bytes.ts";
import {
  type CrashReport,
  fieldValue,
  type ReportImage,
  type ReportRegister,
  type ReportThread,
} from "../report.ts";

/** What reports about resources and hangs say of them. */
const resourceFields = ["Event", "Hang duration", "CPU used", "Writes", "Duration"];

/** Registers per line. */
const PER_LINE = 4;

/** Writes a report's crash text from its parsed content. */
export function crashText(report: CrashReport): string {
  const wide = report.arch === null || archs[report.arch].pointerSize === 8;
  const digits = wide ? 16 : 8;
  const hex = (value: bigint): string => `0x${value.toString(16).padStart(digits, "0")}`;
  const lines: string[] = [];
  const field = (name: string, value: string | null, width = 21): void => {
    if (value !== null && value !== "") {
      lines.push(`${`${name}:`.padEnd(width - 1)} ${oneLine(value)}`);
    }
  };
  const { process, exception, termination } = report;

  field("Incident Identifier", report.incident);
  field("CrashReporter Key", fieldValue(report, "crashreporter key", "crashreporterkey"));
  field("Hardware Model", report.model);
  if (process.name !== null) {
    field("Process", process.pid === null ? process.name : `${process.name} [${process.pid}]`);
  }
  field("Path", process.path);
  field("Identifier", process.identifier);
  field("Version", process.version);
  field("Code Type", codeType(report));
  field("Role", process.role);
  field("Parent Process", process.parent);
  lines.push("");
  field("Date/Time", report.date);
  field("Launch Time", process.launched);
  field("OS Version", report.osVersion);
  field("Report Version", "104");
  // Apple's text has no place for it; readers skip fields that they do not know.
  field("Bug Type", report.bugType);
  for (const name of resourceFields) field(name, fieldValue(report, name.toLowerCase()));
  lines.push("");

  if (exception !== null) {
    const { type, signal, codes, note, message } = exception;
    // Of a reporter that only knows the signal it is what stands there.
    const title = type === null || signal === null ? type ?? signal : `${type} (${signal})`;
    if (title !== null) field("Exception Type", title, 17);
    field("Exception Subtype", exception.subtype ?? madeSubtype(report), 19);
    field("Exception Codes", codes.map(hex).join(", "), 17);
    field("Exception Message", message, 19);
    field("Exception Note", note, 17);
  }
  if (termination !== null) {
    const { namespace, code, reasons, byProcess, byPid } = termination;
    const parts = [
      namespace === null ? "" : `Namespace ${namespace}`,
      code === null ? "" : `Code ${code > 999n ? `0x${code.toString(16)}` : code}`,
      reasons[0] ?? "",
    ];
    field("Termination Reason", parts.filter((part) => part !== "").join(", "), 20);
    for (const reason of reasons.slice(1)) field("Termination Description", reason, 25);
    field("Terminating Process", byPid === null ? byProcess : `${byProcess ?? "???"} [${byPid}]`);
  }
  const crashed = report.crashedThread;
  if (crashed !== null) field("Triggered by Thread", `${crashed.index}`, 22);
  const regions = regionInfo(report);
  if (regions !== null) {
    lines.push("", `VM Region Info: ${regions.replace(/\r\n?|\n/g, "\n      ")}`);
  }
  lines.push("");
  if (report.information.length > 0) {
    lines.push("Application Specific Information:");
    for (const message of report.information) {
      for (const line of message.split(/\r\n?|\n/)) lines.push(line);
    }
    lines.push("");
  }
  if (report.lastException !== null) {
    lines.push("Last Exception Backtrace:");
    for (const [number, frame] of report.lastException.entries()) {
      lines.push(frameText(number, frame, hex(frame.address)));
    }
    lines.push("");
  }
  for (const thread of report.threads) {
    for (const line of titleLines(thread)) lines.push(line);
    for (const [number, frame] of thread.frames.entries()) {
      lines.push(frameText(number, frame, hex(frame.address)));
    }
    lines.push("");
  }
  if (crashed !== null && crashed.registers.length > 0) {
    lines.push(`Thread ${crashed.index} crashed with ${stateTitle(report, crashed)}:`);
    for (const line of registerLines(crashed.registers, hex)) lines.push(line);
    lines.push("");
  }
  const bytes = instructionBytes(report);
  if (crashed !== null && bytes !== null) {
    lines.push(`Thread ${crashed.index} instruction stream:`);
    for (const line of byteLines(bytes)) lines.push(line);
    lines.push("");
  }
  lines.push("Binary Images:");
  for (const image of report.images) {
    if (!isNone(image)) lines.push(imageText(image, report));
  }
  lines.push("", "EOF", "");
  return lines.join("\n");
}

const codeTypes = {
  armv7: "ARM (Native)",
  arm64: "ARM-64 (Native)",
  i386: "X86 (Native)",
  x86_64: "X86-64 (Native)",
} as const;

function codeType({ codeType, arch, body }: CrashReport): string | null {
  if (arch === null) return codeType;
  if (codeType?.includes("(")) return codeType;
  return body?.translated === true
    ? codeTypes[arch].replace("Native", "Translated")
    : codeTypes[arch];
}

/** The subtype, derived from codes. */
function madeSubtype(report: CrashReport): string | null {
  const { exception, arch } = report;
  const name = exception === null ? null : subtypeName(exception, arch);
  const address = faultAddress(report);
  if (name === null || address === null) return null;
  return `${name} at 0x${address.toString(16).padStart(16, "0")}`;
}

function titleLines(thread: ReportThread): string[] {
  const { index, name, queue, crashed, process } = thread;
  const lines: string[] = [];
  const named = [name ?? "", queue === null ? "" : `Dispatch queue: ${queue}`]
    .filter((text) => text !== "").map(oneLine).join("  ");
  if (named !== "") lines.push(`Thread ${index} name:  ${named}`);
  if (thread.id !== null) lines.push(`Thread ${index} id:  ${thread.id}`);
  // Of several processes only.
  if (process !== null) lines.push(`Thread ${index} process:  ${oneLine(process)}`);
  lines.push(`Thread ${index}${crashed ? " Crashed" : ""}:`);
  return lines;
}

function stateTitle(report: CrashReport, { flavor }: ReportThread): string {
  if (flavor !== null && flavor.includes("Thread State")) return oneLine(flavor);
  const arm = report.arch === null || report.arch.startsWith("arm");
  const wide = report.arch === null || archs[report.arch].pointerSize === 8;
  return `${arm ? "ARM" : "X86"} Thread State (${wide ? 64 : 32}-bit)`;
}

/** Register names in crash text that differ from JSON. */
const textNames: ReadonlyMap<string, string> = new Map([["rflags", "rfl"], ["eflags", "efl"]]);

function registerLines(
  registers: readonly ReportRegister[],
  hex: (value: bigint) => string,
): string[] {
  const lines: string[] = [];
  let line = "";
  let count = 0;
  const flush = (): void => {
    if (line !== "") lines.push(line);
    line = "";
    count = 0;
  };
  for (const { name, value, note } of registers) {
    const short = /^(?:cpsr|esr|efl)$/.test(name) && value <= 0xffff_ffffn;
    const shown = short ? `0x${value.toString(16).padStart(8, "0")}` : hex(value);
    // Only the remark on `esr` is about the value; it takes the rest of the line.
    const remark = note !== null && name === "esr" ? ` ${oneLine(note)}` : "";
    line += `${(textNames.get(name) ?? name).padStart(6)}: ${shown}${remark}`;
    if (++count === PER_LINE || remark !== "") flush();
  }
  flush();
  return lines;
}

/** Bytes per line. */
const BYTES = 16;

/** Bytes of instructions, of which the one at the program counter is marked and begins a line. */
function byteLines({ before, at }: InstructionBytes): string[] {
  const lines: string[] = [];
  const first = before.length % BYTES;
  for (let from = first === 0 ? 0 : first - BYTES; from < before.length; from += BYTES) {
    const bytes = before.subarray(Math.max(0, from), from + BYTES);
    lines.push(`  ${Array.from(bytes, digits).join(" ")}`);
  }
  for (let from = 0; from < at.length; from += BYTES) {
    const [marked, ...rest] = Array.from(at.subarray(from, from + BYTES), digits);
    const text = rest.join(" ");
    lines.push(from === 0 ? ` [${marked}]${text}\t<==` : `  ${marked} ${text}`.trimEnd());
  }
  return lines;
}

function digits(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** Whether an entry stands for "no image". */
function isNone({ base, size, uuid }: ReportImage): boolean {
  return base === 0n && size === 0n && uuid === null;
}

function imageText(image: ReportImage, report: CrashReport): string {
  const { base, size, name, path, uuid, version } = image;
  const arch = image.arch ?? report.arch;
  // An image without a UUID and a size is only a name and a place.
  const end = size === 0n
    ? uuid === null ? "???" : `0x${base.toString(16)}`
    : `0x${(base + size - 1n).toString(16)}`;
  // Readers such as LLDB's expect a UUID.
  const digits = uuid?.replaceAll("-", "").toLowerCase() ??
    (path === null ? undefined : "0".repeat(32));
  const kind = arch ?? (version === null ? "???" : `(${oneLine(version)})`);
  return `0x${base.toString(16)} - ${end} ${image.marked ? "+" : ""}` +
    `${oneLine(name)} ${kind} ` + (digits === undefined ? "" : ` <${digits}>`) +
    ` ${path === null ? "???" : oneLine(path)}`;
}
