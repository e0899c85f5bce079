/** Kernel panics. */

import { textWords } from "./address.ts";
import { filledWords, type NamedValue } from "./filling.ts";
import { capitalized, sentence } from "./words.ts";
import { demangle } from "../../symbols/demangle/demangle.ts";
import { textAt } from "../json.ts";
import {
  kernelParts,
  type KnowledgeRow,
  known,
  knownPanic,
  namedKernelParts,
  ownMessage,
  type PanicBacktrace,
  servedThings,
} from "../knowledge/mod.ts";
import { isPanic } from "../read/panic.ts";
import type { CrashReport } from "../report.ts";
import { headOf } from "../text.ts";
import type { Findings } from "./explanation.ts";
import { isMobile } from "./platform.ts";
import {
  isAskedFor,
  isRestart,
  isWholeBacktrace,
  panicRow,
  panicWords,
  trapWords,
  userCall,
} from "./panic_stack.ts";
import { threadWaits } from "./waits.ts";
import {
  answers,
  hangs,
  messageDetails,
  silentService,
  sourceOf,
  takenTwice,
} from "./panic_words.ts";

/** Explains a kernel panic. */
export function explainPanic(report: CrashReport): Findings {
  const panic = report.panic!;
  const found = missingSensor(report) ?? unhealthyService(report) ?? panicRow(report);
  const details = messageDetails(report);
  // Other causes are those of a lock that another one holds.
  const row = found !== null && details.includes(takenTwice)
    ? { ...found, causes: ["a bug in the kernel or an extension"] }
    : found;
  const place = raisedAt(report, row);
  const kernel = isBridge(report)
    ? "The kernel of bridgeOS, the system of the T2 chip,"
    : "The kernel";
  const happened = [
    panic.message === ""
      ? `${kernel} panicked; the message was cut off.`
      : `${kernel} panicked: ${panic.message.replace(/ ?\(saved state: 0x[0-9a-f]{1,16}$/, "")}`,
    ...[trapWords(report)].filter((text) => text !== null),
    ...(row === null ? [] : [inTransition(row.meaning, panic.message)]),
    ...details,
    ...loadedBy(report),
    ...silentWaits(report),
    ...powerChange(report),
    ...kernelFault(report),
  ];
  const path = panicWords(report);
  if (path !== null) happened.push(path);
  happened.push(...kernelPlace(report));
  const call = userCall(report);
  if (call !== null) happened.push(call);
  const isAsked = isAskedFor(report);
  if (isAsked && (panic.extensions.length > 0 || report.threads.length > 0)) {
    const backtrace = `The backtrace${
      panic.extensions.length > 0 ? ", with the extensions in it," : ""
    } is that of`;
    happened.push(
      isRestart(report)
        ? `${backtrace} the buttons: it does not show what was the matter before.`
        : `${backtrace} asking for the panic: it does not show what ${
          row?.key.endsWith("unhealthy") === true ? "failed" : "hung"
        }.`,
    );
  } else if (panic.extensions.length > 0) {
    const whose = row?.backtrace === undefined ? "" : `, which is that of ${owners[row.backtrace]}`;
    happened.push(
      `Kernel extensions in the backtrace${whose}: ${panic.extensions.slice(0, 6).join(", ")}.`,
    );
  }
  if (place !== null) happened.push(place);
  // The watchdog's own process is always the one that runs.
  if (panic.task !== null && !(isAsked && /^watchdogd\b/.test(panic.task))) {
    happened.push(
      panic.message === "" && /^watchdogd\b/.test(panic.task)
        ? `The running process was ${panic.task}, which asks for a panic when a service did not answer it in time; the message names that.`
        : call !== null
        ? `It was a call of the running process, ${panic.task}; no call of a process should make the kernel or an extension fail.`
        : `The running process was ${panic.task}; it need not be the cause.`,
    );
  }
  // Without a backtrace there are no extensions to look at.
  const hasBacktrace = report.threads.some(({ frames }) => frames.length > 0) ||
    panic.extensions.length > 0;
  const hasSuspect = details.some((text) => text.startsWith("The kernel suspects "));
  const next = row === null
    ? undefined
    : !hasBacktrace
    ? withoutBacktrace(row.next)
    : panic.extensions.length > 0
    ? withExtension(row.next, panic.extensions)
    : row.next.replace(
      /See the extensions in the backtrace(?:, those that are not Apple's first)?/,
      hasNoExtension(report)
        ? othersLoaded(report)
        : "The whole report lists the extensions in the backtrace, if it has any",
    );
  if (!hasBacktrace && next !== row?.next) {
    happened.push("No backtrace was found in the report: which code it was cannot be told.");
  }
  const isChanged = loadedBy(report).length > 0;
  const isFlipped = happened.some((text) => text.endsWith(bitWords));
  const advice = row === null ? null : isFlipped
    ? {
      ...row,
      causes: ["faulty memory, or other hardware", ...row.causes.filter(ofPointers)],
      next: "Test the memory, as by Apple Diagnostics.",
    }
    : {
      ...row,
      // Such a register says more than what else the CPU does not allow.
      causes: happened.some((text) => text.startsWith(strangeWords))
        ? row.causes.filter(ofPointers)
        : row.causes,
      next: possibleAdvice(hasSuspect ? capitalized(next!.replace(naming, "")) : next!, report),
    };
  const rows = advice === null ? [] : [advice];
  return {
    headline: "kernel panic",
    happened,
    rows: isChanged ? rows.map(withoutJailbreak) : rows,
  };
}

/** That a jailbreak's loader started the system, which the panic's report has in the place of Apple's: checkra1n,
 * PongoOS/src/kernel/main_boot.c. */
function loadedBy({ text }: CrashReport): string[] {
  const loader = /\biBoot version: (pongoOS[-\w.]{0,40})/.exec(text)?.[1];
  return loader === undefined ? [] : [
    `${loader}, a jailbreak's loader, had started the system: its kernel is not as Apple made it.`,
  ];
}

/** Causes and advice where a jailbreak had changed the kernel: whoever did so comes first. */
function withoutJailbreak(row: KnowledgeRow): KnowledgeRow {
  return {
    ...row,
    causes: ["what the jailbreak, or what was run with it, wrote into the kernel", ...row.causes],
    next: "See whether it comes again without the jailbreak.",
  };
}

/** What sends to a message for a name that is told already. */
const naming = /^The message names (?:the driver|whom it suspects), if [^;]{1,40}; /;

/** What is told of a change of power, with the direction that the message says. XNU, iokit/Kernel/IOPMrootDomain.cpp:
 * getFailureData. */
function inTransition(meaning: string, message: string): string {
  const way = /^(Sleep|Wake) transition timed out\b/.exec(message)?.[1];
  return way === undefined
    ? meaning
    : meaning.replace("went to sleep or woke up", way === "Sleep" ? "went to sleep" : "woke up");
}

/** What only the owner of a Mac can do. */
const ofMac = /extensions|[Dd]isconnect|\bdevices\b|Disk Utility|Apple Diagnostics|zprint|display/;

/** Advice without what cannot be done where a panic was: mobile systems and that of the T2 chip have no extensions but
 * Apple's. */
function possibleAdvice(next: string, report: CrashReport): string {
  // Of their services only mobile systems have these two.
  const isPhone = isMobile(report) ||
    /\b(?:checkins from|service:) (?:SpringBoard|backboardd)\b/.test(headOf(report.text)) ||
    /^(?:iPhone|iPad|iPod|Watch|AppleTV)\d/.test(report.model ?? "");
  const excluded = isPhone ? ofMac : isBridge(report) ? /extensions/ : null;
  if (excluded === null || !excluded.test(next)) return next;
  const left = next.split(/(?<=\.) |; /).map((part) => part.replace(/\.$/, "").trim())
    .filter((part) => part !== "" && !excluded.test(part));
  const isUpdating = isAskedFor(report) || left.some((part) => /update/i.test(part));
  if (!isUpdating) left.push("install updates of the system");
  return left.length === 0 ? "" : sentence(left.join("; "));
}

/** Whose backtrace it is that does not show what failed. */
const owners: Readonly<Record<PanicBacktrace, string>> = {
  report: "the code that reported it",
  moment: "what ran at that moment",
  finder: "the code that came upon it",
  waiter: "what waited",
};

/** The place in a source where a panic was raised, where it is not the kernel's own that the message is known of. */
function raisedAt(report: CrashReport, row: KnowledgeRow | null): string | null {
  const source = sourceOf(report);
  if (source === null || (source.project === "xnu" && row !== ownMessage)) return null;
  const { project, place } = source;
  const part = project === null || project === "xnu" ? kernelPart(place, project) : null;
  return `Its place in the source is ${place}${
    project === "xnu" || part !== null
      ? `, of the kernel itself${part === null ? "" : `: its code for ${part}`}`
      : project === null
      ? ""
      : `, of ${project}`
  }.`;
}

/** What the part of the kernel is for in which a panic was raised; `null` where its file does not say. */
function kernelPart(place: string, project: string | null): string | null {
  const parts = project === null ? kernelParts : [...kernelParts, ...namedKernelParts];
  return parts.find(([file]) => file.test(place))?.[1] ?? null;
}

/** Advice to do without what extensions of Apple's serve. */
function tryWithout(extensions: readonly string[]): string {
  const rows = extensions.map((name) => servedThings.find(([pattern]) => pattern.test(name)));
  const things = [...new Set(rows.flatMap((row) => row?.[1] ?? []))];
  return things.length > 0
    ? `, and try without ${things.slice(0, 3).join("; ")}`
    : rows.includes(undefined)
    ? ", and try without the devices or volumes that they serve"
    : "";
}

/** Advice on the extensions in a backtrace, where one is not Apple's. */
function withExtension(next: string, extensions: readonly string[]): string {
  if (
    extensions.every((name) => name.startsWith("com.apple.")) &&
    next.includes("what the running process called")
  ) {
    return "See what the running process called; the extensions in the backtrace are Apple's: install updates of the system.";
  }
  const others = extensions.filter((name) => !name.startsWith("com.apple."));
  return next.replace(
    /See the extensions in the backtrace(?:, those that are not Apple's first)?/,
    others.length === 0
      ? `The extensions in the backtrace are Apple's: install updates of the system${
        tryWithout(extensions)
      }`
      : `Update or remove what is not Apple's in the backtrace (${
        others.slice(0, MAX_EXTENSIONS).join(", ")
      }), and see whether it comes again`,
  );
}

/** Whether a panic's text goes on after a backtrace in which no extension is. */
function hasNoExtension(report: CrashReport): boolean {
  const frames = report.threads[0]?.frames ?? [];
  if (frames.length === 0 || report.panic!.extensions.length > 0) return false;
  return !frames.some(({ address }) => isIntelExtension(address)) && isWholeBacktrace(report);
}

/** Most extensions that are named. */
const MAX_EXTENSIONS = 10;

/** Advice on the extensions that are not Apple's in a panic's list of those that are loaded: none is in the backtrace. */
function othersLoaded({ text }: CrashReport): string {
  const at = text.search(/\n(?:Post-boot )?loaded kexts:/);
  if (at < 0) return "See which extensions of others are loaded";
  const names = [
    ...text.slice(at, at + (1 << 15)).matchAll(
      /^[ \t>]{0,8}([A-Za-z]\w{0,30}\.[\w.-]{3,120})[ \t]{1,8}(?:v?\d|\[loaded at )/gm,
    ),
  ].map(([, name]) => name).filter((name) => !name.startsWith("com.apple."));
  const more = names.length - MAX_EXTENSIONS;
  return names.length === 0
    ? "See which extensions of others are loaded"
    : `If it comes again, try without the extensions of others that are loaded, though none is in the backtrace: ${
      names.slice(0, MAX_EXTENSIONS).join(", ")
    }${more > 0 ? ` and ${more} more` : ""}`;
}

/** A kernel's text is not larger than this. */
const KERNEL_SIZE = 0x400_0000n;

/** Whether all addresses of a backtrace of an Intel Mac are in the kernel itself. Its extensions were elsewhere up to macOS
 * 10.15, whose panics do not have the address of `__HIB`. XNU, osfmk/i386/AT386/model_dep.c. */
export function isInKernel({ text, threads }: CrashReport): boolean {
  const head = text.slice(0, 1 << 16);
  if (!head.includes("Kernel text base: ") || head.includes("__HIB")) return false;
  const written = /^[ \t>]{0,8}Kernel text base: {1,20}(0xffffff80[0-9a-f]{8})\s/m.exec(head)?.[1];
  if (written === undefined) return false;
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
    `All addresses of the ${
      isWholeBacktrace(report) ? "backtrace" : "part of the backtrace that is there"
    } are in the kernel itself, none in an extension.${unslid}`,
  ];
}

/** Advice of a row that speaks of a backtrace, where there is none. */
function withoutBacktrace(next: string): string {
  return /extensions in the backtrace|backtrace of/.test(next)
    ? "Look for the whole report of the panic, which may have its backtrace."
    : next;
}

/** Whether a panic is one of the chip that runs beside an Intel CPU: its system keeps the state of that CPU. */
function isBridge({ text, body }: CrashReport): boolean {
  // The file of the chip may have the Mac's own panic, which is then what is told.
  if (isPanic(textAt(body ?? {}, "macOSPanicString") ?? "")) return false;
  const head = headOf(text);
  return /x86 (?:EFI Boot|System|Power) State:/.test(head) ||
    /"product"\s{0,3}:\s{0,3}"iBridge\d/.test(head);
}

/** The row of a sensor that is missing, where the service that did not check in says so. */
function missingSensor(report: CrashReport): KnowledgeRow | null {
  const [said] = silentService(report);
  return said !== undefined && /Missing sensor/i.test(said) ? knownPanic(said) : null;
}

/** The row of a service that answered, and said why it is not well: it did not hang. */
function unhealthyService(report: CrashReport): KnowledgeRow | null {
  const [said] = silentService(report);
  const message = report.panic?.message ?? "";
  if (
    said === undefined || !answers.test(said) || hangs.test(said) ||
    !message.startsWith("userspace watchdog")
  ) {
    return null;
  }
  return known(
    "panic",
    / from remoted\b/.test(message) && /device not connected/.test(said)
      ? "remoted is unhealthy"
      : "a service is unhealthy",
  );
}

/** What the process waited for that did not check in with a watchdog, by the stackshot that a report of a panic may have:
 * for watchdogd itself launchd as well, which starts all others. */
function silentWaits(report: CrashReport): string[] {
  const silent = /\bno (?:successful )?checkins from (?:[\w.]{1,60}\.)?([\w-]{1,100})/.exec(
    report.panic?.message ?? "",
  )?.[1];
  if (silent === undefined) return [];
  const names = silent === "watchdogd" ? [silent, "launchd"] : [silent];
  return names.flatMap((name) =>
    threadWaits(report, [name]).map((words) =>
      `In ${name}: ${words[0].toLowerCase()}${words.slice(1)}`
    )
  );
}

/** Functions by which a driver changes the power of its device: XNU, iokit/Kernel/IOServicePM.cpp. */
const powering = /(?:^|::|\d)((?:\w{0,40}?)(?:lower|raise|set|change)\w{0,30}?PowerState\w{0,20})/i;
/** Most frames of a panic in which a driver's function is looked for. */
const POWER_DEPTH = 24;

/** The driver's function that changed the power of its device and did not come back, where a panic is about going to sleep
 * or waking up. */
function powerChange({ panic, threads }: CrashReport): string[] {
  if (
    !/\b(?:Sleep|Wake) transition timed out|setPowerState\(.{0,120} timed out|power state change callbacks/i
      .test(panic?.message ?? "")
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
      : status === 0x21
      ? "The access was misaligned (an alignment fault)."
      : "",
  };
}

/** What the fault status register of a 32-bit ARM kernel says: Arm Architecture Reference Manual ARMv7-A, "Fault status
 * codes in the short-descriptor translation table format". */
function statusWords(fsr: string | undefined): string {
  const status = fsr === undefined ? 0 : parseInt(fsr, 16) & 0x40f;
  return status === 0x5 || status === 0x7
    ? "Nothing is mapped there (a translation fault)."
    : status === 0xd || status === 0xf
    ? "The protection of its page does not allow that (a permission fault)."
    : "";
}

/** What the registers of a fault in the kernel say: XNU's `panic_trap` on Intel, and `panic_with_thread_kernel_state`
 * on ARM. */
function kernelFault({ text, panic, threads, images }: CrashReport): string[] {
  const words: string[] = [];
  const begin = Math.max(0, text.indexOf("(cpu "));
  const head = text.slice(begin, begin + (1 << 14));
  const trap =
    /(?:Kernel trap at (0x[0-9a-f]{8,16}), |kernel trap ?\(CPU \d{1,3}, )type (?:= )?(\d{1,2})/i
      .exec(panic?.message ?? "");
  // A number at the end of a copy may have lost digits.
  const far = /\bfar: (0x[0-9a-f]{1,16})\b(?=[^])/.exec(head)?.[1];
  const fault = trap?.[2] === "14"
    ? /\bFault CR2: (0x[0-9a-f]{1,16})(?=[^\da-f])(?:, Error code: (0x[0-9a-f]{1,16})(?=[^\da-f]))?/
      .exec(head) ??
      // Of 32-bit kernels.
      (/\bEIP: 0x/.test(head)
        ? /\bCR2: (0x[0-9a-f]{8}),(?:[\s\S]{0,400}?\bError code: (0x[0-9a-f]{1,8}))?/.exec(head)
        : null)
    : null;
  const esr = /\besr: (0x[0-9a-f]{1,16})\b(?=[^])/.exec(head)?.[1];
  const abort = esr === undefined ? null : abortOf(BigInt(esr));
  const isPrefetch = /prefetch abort/i.test(panic?.message ?? "");
  const isAbort = abort !== null || isPrefetch || /data abort/i.test(panic?.message ?? "");
  const fsr = /\bfsr: 0x([0-9a-f]{1,8})\b/.exec(head)?.[1];
  const address = fault !== null
    ? BigInt(fault[1])
    : isAbort && far !== undefined
    ? BigInt(far)
    : null;
  if (address !== null) {
    const code = fault?.[2] === undefined ? null : BigInt(fault[2]);
    const how = code === null
      ? fault === null ? abort?.access ?? (isPrefetch ? ", which it executed" : "") : ""
      : (code & 0x10n) !== 0n
      ? ", which it executed"
      : (code & 2n) !== 0n
      ? ", by a write"
      : ", by a read";
    // Of a page that is there: Intel, Software Developer's Manual, volume 3, "Page-Fault Exceptions".
    const isNoCode = fault !== null && code !== null && (code & 0x15n) === 0x11n;
    words.push(
      address < NEAR_NULL
        ? `The address was 0x${address.toString(16)}${how}: null${
          address === 0n ? "" : ` plus ${address}`
        }, as of a pointer that is not set.`
        : `The address was 0x${address.toString(16)}${how}.`,
    );
    const user = /\bFault CPU: 0x[0-9a-f]{1,4}[^\n]{0,12} (SMEP|SMAP)\b/.exec(head)?.[1];
    if (isNoCode && user === undefined) {
      words.push(
        "The memory there may not be executed: the kernel jumped to a wrong address, as by a function's pointer or a return address that was overwritten.",
      );
    }
    if (fault !== null && user !== undefined) {
      words.push(
        `That is memory of a process: the CPU keeps the kernel from ${
          user === "SMAP" ? "using it" : "executing it"
        }${user === "SMAP" ? " but by functions that are made for that" : ""} (${user}).`,
      );
    }
    const why = fault === null && address >= NEAR_NULL ? abort?.why ?? statusWords(fsr) : "";
    if (why !== "") words.push(why);
    const text = textWords(address);
    const filled = text === null && address >= NEAR_NULL
      ? filledWords(address, panicRegisters(head))
      : null;
    if (text !== null) words.push(sentence(text));
    if (filled !== null) words.push(`It is ${filled}.`);
  }
  words.push(...fullStack(head, panic?.message ?? ""));
  if (trap?.[2] === "13") words.push(...strangeAddresses(head));
  const powerpc = /\bDAR=0x([0-9A-Fa-f]{8});(?: DSISR=0x([0-9A-Fa-f]{8}))?/.exec(head);
  if (powerpc !== null && /Data access/.test(panic?.message ?? "")) {
    // Bit 6 of DSISR is set for a store.
    const how = powerpc[2] === undefined
      ? ""
      : (parseInt(powerpc[2], 16) & 0x02000000) !== 0
      ? ", by a write"
      : ", by a read";
    words.push(`The address was 0x${parseInt(powerpc[1], 16).toString(16)}${how}.`);
  }
  if (images.length > 0 || (panic?.extensions.length ?? 0) > 0) return words;
  // The backtrace may name it itself.
  if (
    threads[0]?.frames.some(({ imageName }) =>
      imageName !== null && !/^(?:mach_)?kernel/.test(imageName)
    )
  ) {
    return words;
  }
  const own = trap?.[1] === undefined ? null : BigInt(trap[1]);
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

/** The general registers of a panic's text. */
function panicRegisters(head: string): NamedValue[] {
  return [
    ...head.matchAll(
      /\b(x\d{1,2}|r\d{1,2}|R[A-D]X|R[SD]I|RBP|R[89]|R1[0-5]): {1,4}(0x[0-9a-f]{8,16})\b/g,
    ),
  ]
    .slice(0, MAX_REGISTERS)
    .map(([, name, value]) => ({ name, value: BigInt(value) }));
}

/** More no CPU's state has. */
const MAX_REGISTERS = 40;

/** A register of an Intel CPU in a panic's text. */
const intelRegister = /\b(R[A-D]X|R[SD]I|RBP|RSP|R[89]|R1[0-5]): {1,4}(0x[0-9a-f]{16})/gi;

/** How it is told that registers have no address. */
const strangeWords =
  "Not canonical as an address, so that an access by such a register would fail like this";

/** Registers of an Intel CPU that have no address: the upper 17 bits of one are equal. */
function strangeAddresses(head: string): string[] {
  const found: string[] = [];
  for (const [, name, value] of head.matchAll(intelRegister)) {
    const upper = BigInt(value) >> 47n;
    if (upper !== 0n && upper !== 0x1ffffn && found.length < 16) found.push(`${name} ${value}`);
  }
  const flipped = found.length === 1 ? flippedBit(head, found[0]) : null;
  const texts = found.flatMap((text) => textWords(BigInt(text.slice(text.indexOf("0x")))) ?? []);
  return found.length === 0 ? [] : [
    `${strangeWords}: ${found.join(", ")}.`,
    ...(found.length === 1 && texts.length === 1 ? [sentence(texts[0])] : []),
    ...(flipped === null ? [] : [flipped]),
    // XNU 2422 to 4570, osfmk/kern/zalloc.c: ZP_POISON.
    ...(found.some((text) => text.endsWith("0xdeadbeefdeadbeef"))
      ? [
        "0xdeadbeefdeadbeef is what XNU writes over a block of memory that is freed: the pointer was most likely read from memory that had been freed.",
      ]
      : []),
    // XNU 2422 to 6153, osfmk/kern/zalloc.c: zp_init; a kernel's address begins with 0xffffff.
    ...(found.some((text) => /0x(?:c0ffee|facade)/.test(text))
      ? [
        "Values that begin with 0xc0ffee or 0xfacade are what XNU writes into a block of memory that is free, as the link to the next one: the pointer was most likely read from memory that had been freed.",
      ]
      : []),
  ];
}

/** Another register with the value of one that has no address but for one bit: memory that is faulty loses single bits. `null`
 * without one. */
function flippedBit(head: string, strange: string): string | null {
  const [name, value] = strange.split(" ");
  for (const [, other, sound] of head.matchAll(intelRegister)) {
    const bits = BigInt(value) ^ BigInt(sound);
    if (other === name || bits === 0n || (bits & (bits - 1n)) !== 0n) continue;
    if (BigInt(sound) >> 47n !== 0x1ffffn) continue;
    return `${name} is ${other} (${sound}) but for one bit, bit ${
      bits.toString(2).length - 1
    }: ${bitWords}`;
  }
  return null;
}

/** What such a bit says. */
const bitWords =
  "a single bit that is wrong is most likely the hardware's, as of faulty memory, and no program's.";

/** Whether a cause is about a pointer's value, and not about an instruction. */
function ofPointers(cause: string): boolean {
  return cause.includes("pointer");
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
