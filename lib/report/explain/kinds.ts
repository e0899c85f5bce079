/** Reports about something else than a crash: jetsam events, kernel panics, resource limits. */

import { baseName } from "../images.ts";
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, textAt } from "../json.ts";
import { demangle } from "../../symbols/demangle/demangle.ts";
import { type KnowledgeRow, known, knownPanic } from "../knowledge/mod.ts";
import type { CrashReport } from "../report.ts";
import { headOf } from "../text.ts";

/** A part of an explanation. */
export interface Story {
  readonly headline: string;
  readonly happened: readonly string[];
  readonly rows: readonly KnowledgeRow[];
}

/** Whether a report lists processes that the kernel ended for memory. */
export function isJetsam({ bugType, body }: CrashReport): boolean {
  if (bugType === "298") return true;
  return body !== null && (textAt(body, "largestProcess") !== null ||
    arrayAt(body, "processes").some((process) =>
      isObject(process) && numberAt(process, "rpages") !== null
    ));
}

/** Explains a JetsamEvent: who was ended, why, and how much memory it used. */
export function explainJetsam(report: CrashReport): Story {
  const body: JsonObject = report.body ?? {};
  const status = objectAt(body, "memoryStatus");
  const pageSize = numberAt(status ?? undefined, "pageSize") ?? numberAt(body, "pageSize");
  // Pages have 4 or 16 KB.
  const megabytes = (pages: number): string =>
    pageSize === null ? `${pages} pages` : `${Math.round(pages * pageSize / (1 << 20))} MB`;
  const processes = arrayAt(body, "processes").filter(isObject);
  const killed = processes.filter((process) => textAt(process, "reason") !== null);
  const largest = textAt(body, "largestProcess");
  const rows: KnowledgeRow[] = [];
  const happened: string[] = [];
  for (const process of killed.slice(0, 4)) {
    const reason = textAt(process, "reason")!;
    const row = known("jetsam", reason);
    if (row !== null && !rows.includes(row)) rows.push(row);
    const pages = numberAt(process, "rpages");
    const limit = numberAt(process, "per-process-limit") ?? numberAt(process, "limit");
    const peak = numberAt(process, "lifetimeMax");
    const states = arrayAt(process, "states").filter((state) => typeof state === "string");
    const used = pages === null
      ? ""
      : `, which used ${megabytes(pages)}${
        limit === null || limit <= 0 ? "" : ` of ${megabytes(limit)}`
      }${peak === null || peak <= pages ? "" : ` (at most ${megabytes(peak)})`}`;
    const state = states.length === 0 ? "" : `, ${states.join(", ")}`;
    happened.push(
      `The kernel ended ${nameOf(process)}${state}${used}: ${reason}` +
        (row === null ? "." : `, ${row.meaning}.`),
    );
    const whole = wholeOf(textAt(process, "name") ?? "", processes);
    if (whole !== null) {
      happened.push(`By its name it is a part of ${whole}, such as an extension.`);
    }
  }
  if (killed.length > 4) happened.push(`${killed.length - 4} more processes were ended.`);
  const left = killed.length === 0 ? looseKills(report.text) : [];
  if (killed.length === 0) {
    for (const { name, reason, pages } of left) {
      const row = known("jetsam", reason);
      if (row !== null && !rows.includes(row)) rows.push(row);
      happened.push(
        `The kernel ended ${name}${
          pages === null ? "" : `, which used ${megabytes(pages)}`
        }: ${reason}${row === null ? "" : `, ${row.meaning}`}.`,
      );
    }
    if (left.length === 0) {
      happened.push("Memory was short. The processes that are left in the report were not ended.");
    }
  }
  const big = processes.reduce<JsonObject | null>(
    (best, process) =>
      (numberAt(process, "rpages") ?? 0) > (best === null ? 0 : numberAt(best, "rpages") ?? 0)
        ? process
        : best,
    null,
  );
  const bigName = largest ?? (big === null ? null : nameOf(big));
  // A single process is a piece of a report.
  if (bigName !== null && processes.length > 1) {
    const entry = processes.find((process) => textAt(process, "name") === bigName) ?? null;
    const pages = entry === null ? null : numberAt(entry, "rpages");
    happened.push(
      `The largest process was ${bigName}${pages === null ? "" : `, with ${megabytes(pages)}`}.`,
    );
  }
  const memory = objectAt(status ?? undefined, "memoryPages");
  const free = memory === null ? null : numberAt(memory, "free");
  if (free !== null) happened.push(`${megabytes(free)} were free.`);
  const first = killed[0] === undefined
    ? left[0]
    : { name: textAt(killed[0], "name") ?? "?", reason: textAt(killed[0], "reason") };
  return {
    headline: `${first?.name ?? largest ?? "memory"}: JetsamEvent${
      first === undefined ? "" : `, ${first.reason}`
    }`,
    happened,
    rows: rows.length > 0 ? rows : [known("report", "298")!],
  };
}

/** Why the kernel ended the first process of a JetsamEvent; `null` where it ended none. */
export function jetsamReason({ body, text }: CrashReport): string | null {
  for (const process of arrayAt(body ?? {}, "processes")) {
    const reason = isObject(process) ? textAt(process, "reason") : null;
    if (reason !== null) return reason;
  }
  return looseKills(text)[0]?.reason ?? null;
}

/** Letters and digits from which on one name in another is no accident. */
const MIN_NAME = 6;

/** The app that a process belongs to whose name is a bundle identifier, by an app's name in it: that of `org.shop.cart-app.Mail`
 * is `Cart App`. XNU cuts names after 32 characters: bsd/sys/proc_internal.h, proc_name_t. */
function wholeOf(name: string, processes: readonly JsonObject[]): string | null {
  if (!/^[\w-]{1,40}(?:\.[\w-]{1,60}){2,8}$/.test(name)) return null;
  const parts = name.split(".").slice(1).map(plain);
  for (const process of processes) {
    const other = textAt(process, "name") ?? "";
    const word = plain(other);
    if (word.length >= MIN_NAME && !other.includes(".") && parts.includes(word)) return other;
  }
  return null;
}

/** A name's letters and digits. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Processes with a reason in a text whose JSON is damaged. */
function looseKills(text: string): { name: string; reason: string; pages: number | null }[] {
  const found: { name: string; reason: string; pages: number | null }[] = [];
  for (
    let at = text.indexOf('"reason"');
    at >= 0 && found.length < 4;
    at = text.indexOf('"reason"', at + 1)
  ) {
    const begin = Math.max(text.lastIndexOf("{", at), at - 2000);
    const close = text.indexOf("}", at);
    const entry = text.slice(begin, close < 0 ? at + 2000 : Math.min(close, at + 2000));
    const reason = /"reason"\s{0,3}:\s{0,3}"([\w-]{1,60})"/.exec(entry)?.[1];
    const name = /"name"\s{0,3}:\s{0,3}"([^"]{1,100})"/.exec(entry)?.[1];
    const pages = /"rpages"\s{0,3}:\s{0,3}(\d{1,12})\b/.exec(entry)?.[1];
    if (reason !== undefined && name !== undefined) {
      found.push({ name, reason, pages: pages === undefined ? null : Number(pages) });
    }
  }
  return found;
}

/** Lines of processes of which the text of a low-memory report is searched. */
const MAX_TABLE = 1 << 16;

/** Explains the text that iOS wrote before its JetsamEvent reports were JSON: which processes were ended for memory;
 * `null` for other reports. */
export function explainLowMemory({ text, threads, exception }: CrashReport): Story | null {
  if (threads.length > 0 || exception !== null) return null;
  const largest = /^[ \t]{0,20}Largest process:[ \t]{1,20}(\S.{0,80})$/m.exec(text);
  if (largest === null || !/^[ \t]{0,20}Free pages:/m.test(text)) return null;
  const table = text.slice(largest.index, largest.index + MAX_TABLE);
  const ended = [
    ...table.matchAll(
      /^[ \t]{0,40}(\S.{0,60}?) <[0-9a-f-]{32,36}>[ \t]{1,20}(\d{1,9})\b[^[\n]{0,60}\[([\w-]{1,40})\](.{0,100})$/gm,
    ),
  ].map(([, name, pages, reason, states]) => ({
    ...{ name, pages, reason, isFront: states.includes("(frontmost)") },
  })).sort((a, b) => Number(b.isFront) - Number(a.isFront));
  const rows = [...new Set(ended.map(({ reason }) => known("jetsam", reason)))]
    .filter((row) => row !== null);
  const happened = ended.slice(0, 4).map(({ name, pages, reason, isFront }) => {
    const row = known("jetsam", reason);
    return `The kernel ended ${name}${isFront ? ", frontmost" : ""}, which used ${pages} pages: ` +
      `${reason}${row === null ? "" : `, ${row.meaning}`}.`;
  });
  if (ended.length > 4) happened.push(`${ended.length - 4} more processes were ended.`);
  if (ended.length === 0) happened.push("Memory was short.");
  happened.push(`The largest process was ${largest[1].trim()}.`);
  return {
    headline: `${ended[0]?.name ?? "memory"}: low memory`,
    happened,
    rows: rows.length > 0 ? rows : [known("report", "298")!],
  };
}

function nameOf(process: JsonObject): string {
  const pid = numberAt(process, "pid");
  return `${textAt(process, "name") ?? "a process"}${pid === null ? "" : ` [${pid}]`}`;
}

/** Explains a kernel panic. */
export function explainPanic(report: CrashReport): Story {
  const panic = report.panic!;
  const row = knownPanic(panic.message);
  const kernel = isBridge(report)
    ? "The kernel of bridgeOS, the system of the T2 chip,"
    : "The kernel";
  const happened = [
    panic.message === ""
      ? `${kernel} panicked; the message was cut off.`
      : `${kernel} panicked: ${panic.message}`,
    ...(row === null ? [] : [row.meaning]),
    ...silentService(report),
    ...lockOwner(report),
    ...powerChange(report),
    ...wrongTag(report),
    ...kernelFault(report),
    ...kernelPlace(report),
  ];
  if (panic.extensions.length > 0) {
    happened.push(
      `Kernel extensions in the backtrace: ${panic.extensions.slice(0, 6).join(", ")}.`,
    );
  }
  if (panic.task !== null) {
    happened.push(
      panic.message === "" && /^watchdogd\b/.test(panic.task)
        ? `The running process was ${panic.task}, which asks for a panic when a service did not answer it in time; the message names that.`
        : `The running process was ${panic.task}; it need not be the cause.`,
    );
  }
  // Without a backtrace there are no extensions to look at.
  const hasBacktrace = report.threads.some(({ frames }) => frames.length > 0) ||
    panic.extensions.length > 0;
  const next = row === null
    ? undefined
    : !hasBacktrace
    ? withoutBacktrace(row.next)
    : panic.extensions.length > 0
    ? row.next
    : row.next.replace(
      /See the extensions in the backtrace(?:, those that are not Apple's first)?/,
      hasNoExtension(report)
        ? `See which extensions of others are loaded${othersLoaded(report)}`
        : "The whole report lists the extensions in the backtrace, if it has any",
    );
  if (!hasBacktrace && next !== row?.next) {
    happened.push("The backtrace is not in the report: which code it was cannot be told.");
  }
  const advice = row === null ? null : { ...row, next: next! };
  return {
    headline: "kernel panic",
    happened,
    rows: advice === null ? [] : [advice],
  };
}

/** Whether a panic's text goes on after a backtrace in which no extension is: the kernel lists those that are, before
 * it names the process. XNU, libkern/c++/OSKext.cpp: printKextsInBacktrace. */
function hasNoExtension({ text, threads, panic }: CrashReport): boolean {
  const frames = threads[0]?.frames ?? [];
  if (frames.length === 0 || panic!.extensions.length > 0) return false;
  if (frames.some(({ address }) => isIntelExtension(address))) return false;
  const begin = Math.max(0, text.indexOf("(cpu "));
  return /^[ \t>]{0,8}(?:BSD process|Process) name corresponding to current thread|\\n(?:BSD process|Process) name corresponding/m
    .test(text.slice(begin, begin + (1 << 15)));
}

/** Most extensions that are named. */
const MAX_EXTENSIONS = 10;

/** The extensions that are not Apple's in a panic's list of those that are loaded, to be put behind advice. */
function othersLoaded({ text }: CrashReport): string {
  const at = text.indexOf("\nloaded kexts:");
  if (at < 0) return "";
  const names = [
    ...text.slice(at, at + (1 << 15)).matchAll(
      /^[ \t>]{0,8}([A-Za-z]\w{0,30}\.[\w.-]{3,120})[ \t]{1,8}v?\d/gm,
    ),
  ].map(([, name]) => name).filter((name) => !name.startsWith("com.apple."));
  const more = names.length - MAX_EXTENSIONS;
  return names.length === 0
    ? ""
    : `: ${names.slice(0, MAX_EXTENSIONS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A kernel's text is not larger than this. */
const KERNEL_SIZE = 0x400_0000n;

/** Whether all addresses of a backtrace of an Intel Mac are in the kernel itself. Its extensions were elsewhere up to macOS
 * 10.15, whose panics do not have the address of `__HIB`. XNU, osfmk/i386/AT386/model_dep.c. */
export function isInKernel({ text, threads }: CrashReport): boolean {
  const head = text.slice(0, 1 << 16);
  const written = /^[ \t>]{0,8}Kernel text base: {1,20}(0xffffff80[0-9a-f]{8})\s/m.exec(head)?.[1];
  if (written === undefined || head.includes("__HIB")) return false;
  const base = BigInt(written);
  const frames = threads[0]?.frames ?? [];
  return frames.length > 1 &&
    frames.every(({ address }) => address >= base && address < base + KERNEL_SIZE);
}

/** Tells that a backtrace is in the kernel itself, and where without its slide, by which symbols are found. */
function kernelPlace(report: CrashReport): string[] {
  if (!isInKernel(report)) return [];
  const head = report.text.slice(0, 1 << 16);
  const slide = /^[ \t>]{0,8}Kernel slide: {1,20}(0x[0-9a-f]{1,16})\s/m.exec(head)?.[1];
  const at = /Kernel trap at (0xffffff80[0-9a-f]{8})/.exec(report.panic!.message)?.[1];
  const uuid = /^[ \t>]{0,8}Kernel UUID: {1,20}([0-9A-F-]{36})/m.exec(head)?.[1];
  const unslid = slide === undefined || at === undefined
    ? ""
    : ` Without its slide the instruction is at 0x${(BigInt(at) - BigInt(slide)).toString(16)}${
      uuid === undefined ? "" : `, for the symbols of the kernel with the UUID ${uuid}`
    }.`;
  return [
    `All addresses of the backtrace are in the kernel itself, none in an extension.${unslid}`,
  ];
}

/** Advice of a row that speaks of a backtrace, where there is none. */
function withoutBacktrace(next: string): string {
  return /extensions in the backtrace|backtrace of/.test(next) ? "" : next;
}

/** Whether a panic is one of the chip that runs beside an Intel CPU: its system keeps the state of that CPU. */
function isBridge({ text }: CrashReport): boolean {
  const head = headOf(text);
  return /x86 (?:EFI Boot|System|Power) State:/.test(head) ||
    /"product"\s{0,3}:\s{0,3}"iBridge\d/.test(head);
}

/** What watchdogd adds to its message: how the service did not answer. */
function silentService({ fields }: CrashReport): string[] {
  const context =
    fields.find(({ name }) => name === "service returned not alive with context")?.value.trim() ??
      "";
  return context === ""
    ? []
    : [`The service answered that it is not alive: ${context.slice(0, 300)}`];
}

/** Whose backtrace a panic about a spinlock has: XNU, osfmk/i386/locks_i386.c: spinlock_timeout_NMI panics on the CPU
 * of the lock's owner, where it is active. */
function lockOwner({ text, panic }: CrashReport): string[] {
  const owner = /lock owner active on CPU (0x[0-9a-f]{1,4})\b/i.exec(panic?.message ?? "")?.[1];
  const cpu = /\bpanic\(cpu (\d{1,4}) caller/.exec(headOf(text))?.[1];
  if (owner === undefined || cpu === undefined) return [];
  return [
    Number(owner) === Number(cpu)
      ? "The backtrace is that of the CPU whose thread holds the lock: see what it was doing."
      : `The lock's owner ran on CPU ${
        Number(owner)
      }; the backtrace is that of CPU ${cpu}, which waited.`,
  ];
}

/** Functions by which a driver changes the power of its device: XNU, iokit/Kernel/IOServicePM.cpp. */
const powering = /(?:^|::|\d)((?:\w{0,40}?)(?:lower|raise|set|change)\w{0,30}?PowerState\w{0,20})/i;
/** Most frames of a panic in which a driver's function is looked for. */
const POWER_DEPTH = 24;

/** The driver's function that changed the power of its device and did not come back, where a panic is about going to sleep
 * or waking up. */
function powerChange({ panic, threads }: CrashReport): string[] {
  if (
    !/\b(?:Sleep|Wake) transition timed out|setPowerState|power state/i.test(panic?.message ?? "")
  ) {
    return [];
  }
  for (const { symbol, imageName, image } of threads[0]?.frames.slice(0, POWER_DEPTH) ?? []) {
    const name = image?.name ?? imageName;
    if (symbol === null || name === null || /^(?:mach_)?kernel/.test(name)) continue;
    const readable = demangle(symbol.replace(/^__Z/, "_Z"));
    const type = /^_{1,2}ZNK?(\d{1,3})(\w{1,200})$/.exec(symbol);
    const owner = type === null ? "" : type[2].slice(0, Number(type[1]));
    // The kernel's backtrace cuts names off, which then are not readable.
    const text = readable !== symbol && !readable.startsWith("_Z")
      ? readable.replace(/\(.*$/, "")
      : owner === ""
      ? readable
      : `${owner}::${
        type![2].slice(Number(type![1])).replace(/^\d{1,3}/, "").replace(/E[\w]{0,20}$/, "")
      }`;
    if (powering.test(text)) {
      return [`What did not finish is a driver's change of its device's power: ${text} (${name}).`];
    }
  }
  return [];
}

/** The tags of a failed check: that of the pointer, in the register with the fault's address, and that of the memory. */
function wrongTag({ text, panic }: CrashReport): string[] {
  const memory = /tag check fault \(expected tagged address: 0x[0-9a-f]([0-9a-f])[0-9a-f]{14}\)/i
    .exec(panic?.message ?? "")?.[1];
  if (memory === undefined) return [];
  const far = /\bfar: (0x[0-9a-f]([0-9a-f])[0-9a-f]{14})\b/.exec(headOf(text));
  return far === null
    ? [`The tag of the memory is ${memory}, in hexadecimal.`]
    : [`The pointer ${far[1]} has the tag ${far[2]}, the memory has ${memory}, in hexadecimal.`];
}

/** Addresses of the kernel's extensions on Intel: XNU, osfmk/x86_64: `vm_kernel_stext` is above them. */
function isIntelExtension(address: bigint): boolean {
  return address >> 32n === 0xffffff7fn;
}

/** Members of structures have no larger offsets. */
const NEAR_NULL = 0x4000n;

/** What ARM's syndrome register says of an abort, in the Arm Architecture Reference Manual, ESR_EL1; `null` for other
 * exceptions. */
function abortOf(syndrome: bigint): { readonly access: string; readonly why: string } | null {
  // What is above the lower half is not the syndrome.
  const kind = Number((syndrome >> 26n) & 0x3fn);
  const isData = kind === 0x24 || kind === 0x25;
  if (!isData && kind !== 0x20 && kind !== 0x21) return null;
  const status = Number(syndrome & 0x3fn);
  return {
    access: !isData
      ? ", which it executed"
      : (syndrome & 0x40n) !== 0n
      ? ", by a write"
      : ", by a read",
    why: status >= 4 && status <= 7
      ? "Nothing is mapped there (a translation fault)."
      : status >= 12 && status <= 15
      ? "The protection of its page does not allow that (a permission fault)."
      : "",
  };
}

/** What the registers of a fault in the kernel say: XNU's `panic_trap` on Intel, and `panic_with_thread_kernel_state`
 * on ARM. */
function kernelFault({ text, panic, threads, images }: CrashReport): string[] {
  const words: string[] = [];
  const begin = Math.max(0, text.indexOf("(cpu "));
  const head = text.slice(begin, begin + (1 << 14));
  const trap = /Kernel trap at (0x[0-9a-f]{8,16}), type (?:= )?(\d{1,2})/.exec(
    panic?.message ?? "",
  );
  const far = /\bfar: (0x[0-9a-f]{1,16})\b/.exec(head)?.[1];
  const fault = trap?.[2] === "14"
    ? /\bFault CR2: (0x[0-9a-f]{1,16})(?:, Error code: (0x[0-9a-f]{1,16}))?/.exec(head)
    : null;
  const esr = /\besr: (0x[0-9a-f]{1,16})\b/.exec(head)?.[1];
  const abort = esr === undefined ? null : abortOf(BigInt(esr));
  const isAbort = abort !== null || /data abort/i.test(panic?.message ?? "");
  const address = fault !== null
    ? BigInt(fault[1])
    : isAbort && far !== undefined
    ? BigInt(far)
    : null;
  if (address !== null) {
    const code = fault?.[2] === undefined ? null : BigInt(fault[2]);
    const how = code === null
      ? fault === null ? abort?.access ?? "" : ""
      : (code & 0x10n) !== 0n
      ? ", which it executed"
      : (code & 2n) !== 0n
      ? ", by a write"
      : ", by a read";
    words.push(
      address < NEAR_NULL
        ? `The address was 0x${address.toString(16)}${how}: null${
          address === 0n ? "" : ` plus ${address}`
        }, a pointer that was not set.`
        : `The address was 0x${address.toString(16)}${how}.`,
    );
    const why = fault === null && address >= NEAR_NULL ? abort?.why ?? "" : "";
    if (why !== "") words.push(why);
  }
  words.push(...fullStack(head, panic?.message ?? ""));
  const powerpc = /\bDAR=0x([0-9A-Fa-f]{8}); DSISR=0x([0-9A-Fa-f]{8})/.exec(head);
  if (powerpc !== null && /Data access/.test(panic?.message ?? "")) {
    // Bit 6 of DSISR is set for a store.
    const how = (parseInt(powerpc[2], 16) & 0x02000000) !== 0 ? "a write" : "a read";
    words.push(`The address was 0x${parseInt(powerpc[1], 16).toString(16)}, by ${how}.`);
  }
  if (images.length > 0 || (panic?.extensions.length ?? 0) > 0) return words;
  const own = trap === null ? null : BigInt(trap[1]);
  const frame = threads[0]?.frames.find((frame) => isIntelExtension(frame.address));
  if (own !== null && isIntelExtension(own)) {
    words.push(
      "The code is an extension's, not the kernel's own; the list that names it is not in the report.",
    );
  } else if (frame !== undefined) {
    words.push(
      `An extension is in the backtrace (0x${
        frame.address.toString(16)
      }); the list that names it is not in the report.`,
    );
  }
  return words;
}

/** Whether a double fault was that of a stack that is full: what could not be written is just below the stack pointer. */
function fullStack(head: string, message: string): string[] {
  if (!message.startsWith("Double fault at")) return [];
  const address = /\bCR2: (0x[0-9a-f]{16})\b/.exec(head)?.[1];
  const pointer = /\bRSP: (0x[0-9a-f]{16})\b/.exec(head)?.[1];
  if (address === undefined || pointer === undefined) return [];
  const below = BigInt(pointer) - BigInt(address);
  return below > 0n && below <= 0x1000n
    ? [`The address was ${address}, ${below} bytes below the stack pointer: the stack was full.`]
    : [];
}

/** The `Event:` of a resource or hang report, in lower case, or the tool that made the report, such as `leaks`;
 * `null` for other reports. */
export function eventOf({ fields, format, threads, exception }: CrashReport): string | null {
  const field = fields.find(({ name }) => name === "Event");
  if (field !== undefined) return field.value.trim().toLowerCase();
  if (format !== "crash" || threads.length > 0 || exception !== null) return null;
  const tool = fields.find(({ name }) => name === "Analysis Tool")?.value;
  return tool === undefined ? null : baseName(tool.trim()).toLowerCase();
}

/** What `leaks` counted, and of what classes the leaked blocks are. */
function leakWords(text: string): string[] {
  const total = /^Process \d{1,9}: (\d{1,12} leaks? for \d{1,15} total leaked bytes)\.?$/m.exec(
    text,
  )
    ?.[1];
  const classes = new Map<string, number>();
  for (
    const [, name] of text.matchAll(/\bROOT (?:LEAK|CYCLE): <([^<>]{1,200}?) 0x[0-9a-f]{1,16}>/g)
  ) {
    if (classes.has(name) || classes.size < 100) classes.set(name, (classes.get(name) ?? 0) + 1);
  }
  const named = [...classes].slice(0, 6).map(([name, count]) => `${count} of ${name}`);
  return [
    ...(total === undefined ? [] : [`It found ${total}.`]),
    ...(named.length === 0 ? [] : [`Where they begin: ${named.join(", ")}.`]),
  ];
}

/** Lines of resource reports that say what was used and what the limit was: of several the first. */
const measures = /^(?:CPU|Wakeups|Writes|Hang duration|Footprint|CPU used|Duration)$/i;

/** Explains a report about the use of a resource, or about a hang. */
export function explainEvent(report: CrashReport, event: string): Story {
  const row = known("event", event);
  const happened: string[] = [];
  happened.push(row === null ? `The report is about: ${event}.` : row.meaning);
  const measure = report.fields.find(({ name, value }) => measures.test(name) && value !== "");
  const action = report.fields.find(({ name, value }) => name === "Action taken" && value !== "");
  for (const field of [measure, action]) {
    if (field !== undefined) happened.push(`${field.name}: ${field.value}.`);
  }
  if (event === "leaks") happened.push(...leakWords(report.text));
  return {
    headline: event,
    happened,
    rows: row === null ? [] : [row],
  };
}

/** A process of a report of several, and the processor time that it used while it was sampled. */
export interface ProcessUse {
  /** As in `launchd [1]`. */
  readonly title: string;
  readonly seconds: number;
}

/** The processes of a spindump that computed, the busiest first. */
export function processUses(text: string): ProcessUse[] {
  const uses: ProcessUse[] = [];
  let title: string | null = null;
  for (const [, name, value] of text.matchAll(/^(Process|CPU Time): {2,20}(\S.{0,200})$/gm)) {
    if (name === "Process") title = value.trim();
    else if (title !== null) {
      const seconds = Number(/^<?(\d{1,9}(?:\.\d{1,6})?)s\b/.exec(value)?.[1] ?? 0);
      // spindump itself only took the samples.
      const counts = seconds > 0 && !title.startsWith("spindump [");
      if (counts && uses.length < 10_000) uses.push({ title, seconds });
      title = null;
    }
  }
  return uses.sort((a, b) => b.seconds - a.seconds);
}

/** Seconds for which spindump computed while it took its samples; `null` where it is not among the processes. */
export function samplerTime(text: string): number | null {
  let most = 0;
  for (
    const [, seconds] of text.matchAll(
      /^Process: {2,20}spindump \[\d{1,9}\].*\n(?:(?!Process:)\S.{0,300}\n){0,20}?CPU Time: {2,20}<?(\d{1,9}(?:\.\d{1,6})?)s\b/gm,
    )
  ) most = Math.max(most, Number(seconds));
  return most > 0 ? most : null;
}

/** Kinds of reports that are no stackshots, by Apple's number. */
const otherKinds: ReadonlyMap<string, string> = new Map([["115", "reset"], ["211", "analytics"]]);

/** Lines of a reset's report that say what the hardware noted. */
const resetFields = /^(?:Reset count|Boot failure count|Boot faults|Boot stage)$/i;

/** Explains a report that is known by Apple's number, mostly a stackshot: who asked for it, where it says so. */
export function explainStackshot(report: CrashReport, reason: string | null): Story {
  const row = (report.bugType === null ? null : known("report", report.bugType)) ??
    known("report", "188")!;
  const other = otherKinds.get(row.key);
  if (other !== undefined) {
    const noted = report.fields.filter(({ name, value }) => resetFields.test(name) && value !== "")
      .map(({ name, value }) => `${name}: ${value}`).join(", ");
    const happened = [row.meaning, ...(noted === "" ? [] : [`${noted}.`])];
    return { headline: other, happened, rows: [row] };
  }
  if (reason === null) return { headline: "stackshot", happened: [row.meaning], rows: [row] };
  const isAsked = /sysdiagnose|button|volume|key ?chord|manual|user init/i.test(reason);
  const asker = askerOf(report);
  return {
    headline: "stackshot",
    happened: [
      row.meaning,
      `It says: ${reason}`,
      ...(asker === null ? [] : [`${asker} asked for it.`]),
    ],
    rows: [{
      ...row,
      causes: [],
      next: isAsked
        ? ""
        : asker === null
        ? "See what the processes were waiting for."
        : `See what ${asker} was waiting for.`,
    }],
  };
}

/** The process that asked for a stackshot, by its number and the table of processes. */
function askerOf({ body }: CrashReport): string | null {
  if (body === null) return null;
  const pid = numberAt(body, "pid");
  const table = objectAt(body, "processByPid");
  const entry = pid === null || table === null ? null : objectAt(table, String(pid));
  const name = entry === null ? null : textAt(entry, "procname");
  return name === null ? null : `${name} [${pid}]`;
}
