/** What a kernel panic's message, and the lines beside it, say: who did not answer, which zone grew, why a process ended. */

import { namespaceName, signalName } from "../codes.ts";
import { knownTermination, machineCheckCodes, nvmeMakers } from "../knowledge/mod.ts";
import type { CrashReport } from "../report.ts";
import { headOf } from "../text.ts";
import { sentence } from "./words.ts";

/** All that a panic's message tells by its own words and numbers. */
export function messageDetails(report: CrashReport): string[] {
  return [
    ...silentService(report),
    ...missedCheckins(report),
    ...lateServices(report),
    ...exitReason(report),
    ...suspect(report),
    ...leakingZone(report),
    ...sampledUse(report),
    ...onesOnly(report),
    ...controllerStatus(report),
    ...makerOf(report),
    ...unreadRegister(report),
    ...machineChecks(report),
    ...linkOf(report),
    ...lockOwner(report),
    ...silentCpus(report),
    ...compressor(report),
    ...wrongTag(report),
  ];
}

/** A service by the list that watchdogd adds: `service: logd, total successful checkins in 640 seconds: 64, last successful
 * checkin: 0 seconds ago`. */
const listed =
  /^([\w.-]{1,100})(?: \((\d{1,3}) induced crash(?:es)?\))?, (no successful checkins|total successful checkins) (?:since load |since wake |in )\(?(\d{1,9}) seconds(?: ago)?\)?(?:: \d{1,9}, last successful checkin: (\d{1,9}) seconds ago)?/;

/** Seconds without a checkin, which services do every ten seconds or so, from which on one is late. */
const LATE = 40;

/** Which other services of watchdogd's list were late, and how often it had ended one to have it started again. */
function lateServices({ panic, fields, text }: CrashReport): string[] {
  const message = panic?.message ?? "";
  if (!message.startsWith("userspace watchdog timeout")) return [];
  const words: string[] = [];
  const induced = /(?:from|:) ([\w.-]{1,100}) \((\d{1,3}) induced crash/.exec(message);
  if (induced !== null) {
    const [, name, count] = induced;
    words.push(
      headOf(text).includes(`${name} has not exited since first loaded`)
        ? `watchdogd had asked for a crash of ${name} before (${
          crashes(count)
        }), but it has not exited since it was first loaded: it could not be ended, as where a thread of it cannot leave a call of the kernel.`
        : `watchdogd had made ${name} crash before, to have it started again (${
          crashes(count)
        }): crash reports of that may have its stacks.`,
    );
  }
  const services = fields.flatMap(({ name, value }) => {
    const match = name === "service" ? listed.exec(value) : null;
    if (match === null) return [];
    const [, service, count, kind, age, last] = match;
    const silent = kind.startsWith("no ") ? Number(age) : last === undefined ? 0 : Number(last);
    return [{ service, silent, never: kind.startsWith("no "), count: count ?? "0" }];
  });
  // The message names one.
  const others = services.filter(({ service }) => !message.includes(` ${service} `));
  if (others.length === services.length || others.length === 0) return words;
  const restarted = others.filter(({ count }) => count !== "0");
  if (restarted.length > 0) {
    words.push(
      `It had done so to others of the list too, which had not answered in time before: ${
        restarted.slice(0, 6).map(({ service, count }) => `${service} (${crashes(count)})`).join(
          ", ",
        )
      }.`,
    );
  }
  const late = others.filter(({ silent }) => silent >= LATE);
  words.push(
    late.length === 0
      ? `The others on the list of services (${
        others.slice(0, 6).map(({ service }) => service).join(", ")
      }) had answered in time${restarted.length === 0 ? "" : " now"}: not all of the system hung.`
      : `Late as well, by the list of services: ${
        late.slice(0, 6).map(({ service, silent, never }) =>
          `${service} (${silent} s${never ? ", not once" : ""})`
        ).join(", ")
      }: see whether they wait for the same.`,
  );
  return words;
}

/** How often watchdogd made a service crash. */
function crashes(count: string): string {
  return `${count} induced ${count === "1" ? "crash" : "crashes"}`;
}

/** Why a process ended that the system does not run without. XNU, bsd/kern/kern_exit.c: proc_handle_critical_exit. */
function exitReason({ panic }: CrashReport): string[] {
  const message = panic?.message ?? "";
  const reason = /-- exit reason namespace (\d{1,3}) subcode 0x([0-9a-f]{1,16})\b/.exec(message);
  if (reason !== null) {
    const space = namespaceName(Number(reason[1]));
    const code = BigInt(`0x${reason[2]}`);
    if (space === null) return [];
    const signal = space === "SIGNAL" ? signalName(Number(code)) : null;
    if (signal !== null) return [`It ended by the signal ${signal}.`];
    const row = knownTermination(space, code);
    return [
      `The reason is ${space}, 0x${code.toString(16)}${
        row === null || space === "SIGNAL" ? "." : `: ${row.meaning}.`
      }`,
    ];
  }
  const signal = /\(signal (\d{1,2}), exit status (\d{1,4})\b/.exec(message);
  if (signal === null) return [];
  const name = signalName(Number(signal[1]));
  return [
    name === null
      ? `It ended of itself, with the status ${signal[2]}.`
      : `It ended by the signal ${name}.`,
  ];
}

/** Whom the kernel suspects when going to sleep or waking up took too long, and whose power did not change in time. XNU,
 * iokit/Kernel/IOPMrootDomain.cpp: getFailureData, and IOServicePM.cpp. */
function suspect({ panic }: CrashReport): string[] {
  const message = panic?.message ?? "";
  const bundle = /\bSuspected bundle: ([\w.-]{3,120}?)\.?(?: |$)/.exec(message)?.[1];
  if (bundle !== undefined) {
    return [`The kernel suspects ${bundle}: a call of it had not come back.`];
  }
  const power =
    /^([A-Za-z]\w{2,80})::setPowerState\([^)]{0,80}?, (\d{1,3}) -> (\d{1,3})\) timed out after (\d{1,9}) ms/
      .exec(message);
  return power === null ? [] : [
    `The driver is ${power[1]}, which was to go from the power state ${power[2]} to ${
      power[3]
    } and had not done so after ${Math.round(Number(power[4]) / 1000)} s.`,
  ];
}

/** The zone of kernel objects that grew. XNU, osfmk/kern/zalloc.c. */
function leakingZone({ panic }: CrashReport): string[] {
  const match =
    /likely due to memory leak in zone \[?([^\]\n(]{1,60}?)\]? \((\d{1,16}[KMGT]?)(?: total bytes)?, (\d{1,12}[KMG]?) elements allocated\)/
      .exec(panic?.message ?? "");
  if (match === null) return [];
  const [, zone, size, count] = match;
  const block = /(?:^|\.)kalloc(?:\.type\d{0,3})?\.(\d{1,6})$/.exec(zone)?.[1];
  return [
    `The largest zone is ${zone}, with ${size}${
      /\d$/.test(size) ? " bytes" : ""
    } in ${count} elements: what leaks is most likely there.${
      block === undefined
        ? ""
        : ` It has blocks of up to ${block} bytes for any use; who allocates them the message does not say.`
    }`,
  ];
}

/** What the kernel's allocator knew of the memory, where it watched it. XNU, osfmk/kern/zalloc.c: panic_display_pgz_uaf_info. */
function sampledUse({ text }: CrashReport): string[] {
  const at = text.indexOf("Probabilistic GZAlloc Report:");
  if (at < 0) return [];
  const part = text.slice(at, at + 1000);
  const zone = /Zone {1,8}: ([\w.<>-]{1,60})/.exec(part)?.[1];
  const kind = /Kind {1,8}: ([\w ,()-]{1,80})/.exec(part)?.[1];
  return kind === undefined ? [] : [
    `The kernel's allocator watched that memory: ${kind.trim()}${
      zone === undefined ? "" : `, in the zone ${zone}`
    }.`,
  ];
}

/** Whether a register or an identity was read as nothing but ones, as of a device that is gone. */
function onesOnly({ panic }: CrashReport): string[] {
  const message = panic?.message ?? "";
  return /\b(?:CSTS|linksts)=0xffffffff\b|\bDID=0xffff\b/i.test(message)
    ? [
      "Its register was read as nothing but ones, as of a device that does not answer any more.",
    ]
    : [];
}

/** What an NVMe controller said of itself: NVM Express Base Specification, Controller Status (CSTS): bit 0 is set where it
 * is ready, bit 1 where it had a fatal error. */
function controllerStatus({ panic }: CrashReport): string[] {
  const read = /^nvme: .{0,400}\bCSTS=0x([0-9a-f]{1,8})\b/i.exec(panic?.message ?? "")?.[1];
  const status = read === undefined ? null : parseInt(read, 16);
  if (status === null || status === 0xffffffff) return [];
  if ((status & 2) !== 0) {
    return [`By its status register (CSTS 0x${read}) the device had a fatal error.`];
  }
  return (status & 1) === 0 ? [] : [
    `Its status register (CSTS 0x${read}) says that it is ready, and of no fatal error: it could still be reached, and most likely did not answer a command in time.`,
  ];
}

/** Who made an NVMe device, by the number in the message: of both numbers in one the vendor's is the lower half. */
function makerOf({ panic }: CrashReport): string[] {
  const message = panic?.message ?? "";
  const vendor = /^nvme: .{0,600}(?:\bVID=0x|\bVID\/DID=0x[0-9a-f]{4})([0-9a-f]{4})\b/is.exec(
    message,
  )
    ?.[1];
  const maker = vendor === undefined ? undefined : nvmeMakers.get(parseInt(vendor, 16));
  return maker === undefined ? [] : [`The device's vendor (0x${vendor}) is ${maker}.`];
}

/** What NVIDIA's driver could not read, where its configuration, which begins with NVIDIA's number, still was. */
function unreadRegister({ panic }: CrashReport): string[] {
  return /\bNVRM\[[^\]]{1,20}\]: Read Error 0x[0-9a-f]{1,8}: CFG 0x[0-9a-f]{4}10de\b/i.test(
      panic?.message ?? "",
    )
    ? [
      "NVIDIA's driver could not read a register of the graphics chip (Read Error), while the chip's configuration could still be read.",
    ]
    : [];
}

/** What the banks of a CPU's machine check say: which of them have an error that could not be corrected. */
function machineChecks({ text, panic }: CrashReport): string[] {
  if (!/machine check/i.test(panic?.message ?? "")) return [];
  const banks = new Map<string, string>();
  for (
    const [, bank, digits] of text.slice(0, 1 << 16).matchAll(
      /\bIA32_MC(\d{1,2})_STATUS\(0x[0-9a-f]{1,4}\):[ \t]{1,8}0x([0-9a-f]{16})\b/gi,
    )
  ) {
    const status = BigInt(`0x${digits}`);
    // Valid, and not corrected.
    if (status >> 63n === 0n || (status >> 61n & 1n) === 0n) continue;
    const code = Number(status & 0xffffn);
    const kind = machineCheckCodes.find(([mask, value]) => (code & mask) === value)?.[2];
    banks.set(
      bank,
      `bank ${bank} (status 0x${digits})${kind === undefined ? "" : `, ${kind}`}`,
    );
  }
  return banks.size === 0 ? [] : [
    `An error that could not be corrected, in the CPU's ${
      [...banks.values()].slice(0, 3).join("; ")
    }.`,
  ];
}

/** Which CPUs did not answer, and of which the report has the backtrace that it printed before. XNU, osfmk/i386/mp.c:
 * NMIInterruptHandler. */
function silentCpus(report: CrashReport): string[] {
  const { text, panic } = report;
  const bits = /\b(?:CPU bitmap: )(0x[0-9a-f]{1,16})\b/i.exec(panic?.message ?? "")?.[1];
  const words: string[] = [];
  if (bits !== undefined) {
    const cpus: number[] = [];
    for (let cpu = 0; cpu < 64; cpu++) {
      if ((BigInt(bits) >> BigInt(cpu) & 1n) !== 0n) cpus.push(cpu);
    }
    if (cpus.length > 0) {
      words.push(`Without an answer: CPU ${cpus.slice(0, 8).join(", ")}.`);
    }
  }
  const before = text.slice(0, Math.max(0, text.indexOf("panic(cpu "))).slice(-(1 << 15));
  const other =
    /^[ \t>]{0,8}Panic\(CPU (\d{1,3})[^)\n]{0,40}\): (?:NMIPI for unresponsive|Unresponsive) processor/m
      .exec(before);
  if (other === null) return words;
  const names = new Set<string>();
  for (
    const [, address, symbol] of before.slice(other.index).matchAll(
      /^[ \t>]{0,8}0x[0-9a-f]{8,16} : (0x[0-9a-f]{8,16})(?: {1,4}([\w.-]{3,120}) :)?/gm,
    )
  ) {
    const at = BigInt(address);
    const name = symbol ??
      report.images.find(({ base, size }) => at >= base && at < base + size)?.name;
    if (name !== undefined && !/^(?:mach_)?kernel$/.test(name)) names.add(name);
  }
  words.push(
    `The backtrace before the message is that of CPU ${other[1]}, which did not answer${
      names.size === 0 ? "" : `; in it: ${[...names].slice(0, 4).join(", ")}`
    }.`,
  );
  return words;
}

/** Panics that a lack of memory may lead to. */
const ofMemory = /watchdog|no victim|zone.?map|compressor|jetsam|namespace 1 /i;

/** Whether memory was nearly used up, where that may have led to the panic. XNU, osfmk/kern/debug.c: panic_display_compressor_stats. */
function compressor({ text, panic }: CrashReport): string[] {
  if (!ofMemory.test(panic?.message ?? "")) return [];
  const match =
    /Compressor Info: (\d{1,3})% of compressed pages limit \((\w{2,3})\) and (\d{1,3})% of segments limit \((\w{2,3})\) with (\d{1,5}) swapfiles and (\w{2,3}) swap space/
      .exec(text.slice(0, 1 << 18));
  if (match === null) return [];
  const [, pages, pagesAre, segments, segmentsAre, files, swap] = match;
  const limits = [
    ...(pagesAre === "BAD" ? [`${pages}% of its limit of pages`] : []),
    ...(segmentsAre === "BAD" ? [`${segments}% of its limit of segments`] : []),
  ];
  if (limits.length === 0 && swap !== "LOW") return [];
  return [sentence(
    limits.length > 0
      ? `memory was nearly used up: the kernel's memory compressor was at ${
        limits.join(" and ")
      }, with ${files} swap files${swap === "LOW" ? " and little space for more" : ""}`
      : `the disk had little space left for swap files, of which there were ${files}`,
  )];
}

/** Where in which project's source the panic was raised, as the message ends; `null` where it does not say. */
export function sourceOf({ text }: CrashReport): { project: string | null; place: string } | null {
  const begin = text.indexOf("(cpu ");
  if (begin < 0) return null;
  const head = text.slice(begin, begin + 3000).replaceAll("\\/", "/");
  const match = /@(\/[\w/. +-]{0,300}\/)?([\w+-]{1,60}\.(?:cpp|cc|c|hpp|h|mm|m|s)):(\d{1,6})\b/
    .exec(head);
  if (match === null) return null;
  const [, path, file, line] = match;
  const project = /\/(?:Sources|SourceCache)\/([\w+-]{1,60})\//.exec(path ?? "")?.[1] ?? null;
  return { project, place: `${file}, line ${line}` };
}

/** Who did not check in with a watchdog, and whether it ever did. */
function missedCheckins(report: CrashReport): string[] {
  const { panic } = report;
  const answered = silentService(report).some((text) => answers.test(text) && !hangs.test(text));
  const match =
    /\bno (?:successful )?checkins from ([\w.-]{1,100})(?: \([^()]{1,60}\))? (since load|since wake|in \d{1,6} seconds)(?: \((\d{1,9}) total ?checkins)?/
      .exec(panic?.message ?? "");
  if (match === null) return [];
  const [, service, when, before] = match;
  const stage = /, (shutdown|restart|reboot) in progress/.exec(panic?.message ?? "")?.[1];
  if (when === "since load" || when === "since wake") {
    const since = when === "since load" ? "it was loaded" : "the machine woke up";
    return [
      `${service} did not check in once since ${since}${
        answered
          ? "; it answered, so that it did not hang"
          : `: it hung, or could not ${
            when === "since load" ? "start" : "go on"
          }; its own reports of that time may say why`
      }.`,
    ];
  }
  const since = `${service} did not check in for ${when.replace("in ", "")}${
    before === undefined ? "" : `, after ${before} times that it did`
  }`;
  // What watchdogd's own silence means is its row's.
  return [
    service === "watchdogd" || answered
      ? `${since}.`
      : `${since}: it hung, or waited for something that did; its own reports of that time may say why.`,
    ...(stage === undefined ? [] : [
      `A ${stage} was in progress: it was that which did not come to its end.`,
      ...unmounting(panic?.message ?? ""),
    ]),
  ];
}

/** How far a shutdown had come with the volumes. XNU, bsd/vfs/vfs_subr.c: vfs_shutdown_in_progress, and
 * vfs_last_completion_time, which is that of the last read or write that ended. */
function unmounting(message: string): string[] {
  const match =
    /, vfs shutdown (in progress|finished)(?:, last vfs completion time: (\d{1,9}) seconds ago)?/
      .exec(message);
  if (match === null) return [];
  const [, state, last] = match;
  if (state === "finished") return ["It had unmounted the volumes: what came after that hung."];
  return [
    `It was unmounting the volumes${
      last === undefined ? "" : `; for ${last} seconds no read or write of theirs had ended`
    }: see which disks and file systems were in use, those of others' extensions first.`,
  ];
}

/** What is at a port of PCI Express, by its name in the device tree: `apcie[2:lan-1gb]`. */
const ports: readonly (readonly [RegExp, string])[] = [
  // Of its network cable this link is independent.
  [/^lan(?:-|\b)/, "the built-in Ethernet controller"],
  [/^wlan/, "the Wi-Fi chip"],
  [/^bluetooth/, "the Bluetooth chip"],
  [/^baseband/, "the modem for mobile networks"],
  [/^(?:s3e|ans|nvme)/, "the built-in storage"],
  [/^sd(?:card|xc|-)/, "the reader of SD cards"],
  [/^(?:xhci|usb)|-xhci/, "a USB controller"],
];

/** Which link of PCI Express a panic is about, by the name of its port, and what happened to it. */
function linkOf({ panic }: CrashReport): string[] {
  const match = /\bapcie[a-z]{0,4}\[\d{1,2}:([\w-]{1,40})\]::(\w{1,60})/.exec(panic?.message ?? "");
  if (match === null) return [];
  const [, port, method] = match;
  const device = ports.find(([name]) => name.test(port))?.[1] ?? null;
  const to = `the link to ${device ?? "its device"} at the port ${port}`;
  return [
    /linkDown/i.test(method)
      ? `It was ${to} that went down unexpectedly, inside of the machine: the device, its power or the link itself failed.`
      : /timeout/i.test(method)
      ? `It was ${to} by which a request was not answered in time.`
      : `It was ${to}.`,
  ];
}

/** Answers of a service that is there, and says what is the matter. */
export const answers = /\bunhealthy\b/;
/** Answers of a service for its threads that do not answer. */
export const hangs = /\bunresponsive (?:dispatch queue|work processor)/;

/** What watchdogd adds to its message: how the service did not answer. */
export function silentService({ fields }: CrashReport): string[] {
  const context = fields.find(({ name }) => / returned not alive with context$/i.test(name))?.value
    .trim() ?? "";
  return context === ""
    ? []
    : [`The service answered that it is not alive: ${context.slice(0, 300)}`];
}

/** Of a spinlock that waits for itself. */
export const takenTwice =
  "The thread that waits for the lock is the one that holds it: it took it twice.";

/** Whose backtrace a panic about a spinlock has: XNU, osfmk/i386/locks_i386.c: spinlock_timeout_NMI panics on the CPU
 * of the lock's owner, where it is active. */
function lockOwner({ text, panic }: CrashReport): string[] {
  const owner = /lock owner active on CPU (0x[0-9a-f]{1,4})\b/i.exec(panic?.message ?? "")?.[1];
  const cpu = /\bpanic\(cpu (\d{1,4}) caller/.exec(headOf(text))?.[1];
  const holder = /\block owner thread=(0x[0-9a-f]{1,16})\b/i.exec(panic?.message ?? "")?.[1];
  const waiter = /\bcurrent_thread: (0x[0-9a-f]{1,16})\b/i.exec(panic?.message ?? "")?.[1];
  if (holder !== undefined && waiter !== undefined && BigInt(holder) === BigInt(waiter)) {
    return [takenTwice];
  }
  if (owner === undefined || cpu === undefined) return [];
  return [
    Number(owner) === Number(cpu)
      ? "The backtrace is that of the CPU whose thread holds the lock: see what it was doing."
      : `The lock's owner ran on CPU ${
        Number(owner)
      }; the backtrace is that of CPU ${cpu}, which waited.`,
  ];
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
