/** Exception codes in words. */

import type { ArchName } from "../arch/mod.ts";
import type { ReportException } from "./report.ts";

/** Signals by Darwin's number: `sys/signal.h`. */
const signals = [
  ...["", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGEMT", "SIGFPE"],
  ...["SIGKILL", "SIGBUS", "SIGSEGV", "SIGSYS", "SIGPIPE", "SIGALRM", "SIGTERM"],
  ...["", "", "", "", "", "", "", ""], // SIGURG to SIGIO end no process
  ...["SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "", "", "SIGUSR1", "SIGUSR2"],
];

/** Name of a signal by its number; `null` when it does not end a process. */
export function signalName(number: number | null): string | null {
  return signals[number ?? 0] || null;
}

/** The signal at the begin of a text such as `SIGABRT (Abort trap: 6)`; `null` for others. */
export function signalOf(text: string | null): string | null {
  return /^SIG(?:USR[12]|[A-Z]+)/.exec(text ?? "")?.[0] ?? null;
}

/** Mach exceptions by number: `mach/exception_types.h`. */
const exceptions = [
  ...["", "EXC_BAD_ACCESS", "EXC_BAD_INSTRUCTION", "EXC_ARITHMETIC", "EXC_EMULATION"],
  ...["EXC_SOFTWARE", "EXC_BREAKPOINT", "EXC_SYSCALL", "EXC_MACH_SYSCALL", "EXC_RPC_ALERT"],
  ...["EXC_CRASH", "EXC_RESOURCE", "EXC_GUARD", "EXC_CORPSE_NOTIFY"],
];

/** Name of a Mach exception by its number; `null` when there is none. */
export function exceptionName(number: number | null): string | null {
  return exceptions[number ?? 0] || null;
}

/** First codes of EXC_BAD_ACCESS: `kern_return_t` values and architecture-specific codes, from XNU's
 * `mach/kern_return.h`, `mach/arm/exception.h` and `mach/i386/exception.h`. */
const accessCodes: Readonly<Record<number, string>> = {
  1: "KERN_INVALID_ADDRESS",
  2: "KERN_PROTECTION_FAILURE",
  8: "KERN_NO_ACCESS",
  9: "KERN_MEMORY_FAILURE",
  10: "KERN_MEMORY_ERROR",
  50: "KERN_CODESIGN_ERROR",
  0x101: "EXC_ARM_DA_ALIGN",
  0x102: "EXC_ARM_DA_DEBUG",
  0x103: "EXC_ARM_SP_ALIGN",
  0x105: "EXC_ARM_PAC_FAIL",
  0x106: "EXC_ARM_MTE_TAGCHECK_FAIL",
  0x107: "EXC_ARM_MTE_CANONICAL_FAIL",
};

const intelAccessCodes: Readonly<Record<number, string>> = {
  13: "EXC_I386_GPFLT",
  17: "EXC_I386_ALIGNFLT",
};

/** The name of an exception's first code; `null` when it has none. */
export function subtypeName(
  exception: Pick<ReportException, "type" | "codes" | "subtype">,
  arch: ArchName | null,
): string | null {
  const written = /\b(?:KERN|EXC_ARM|EXC_I386)_\w+/.exec(exception.subtype ?? "")?.[0];
  if (written !== undefined) return written;
  const reason = /^(?:(?:BUS|SEGV|ILL|FPE|TRAP)_[A-Z]+\b|FS pagein error: \d{1,4} [A-Za-z ]{1,60})/
    .exec(exception.subtype ?? "")?.[0].trim();
  if (reason !== undefined) return reason;
  // Older reporters had no names for some codes.
  const unknown = /\bUNKNOWN_(0x[0-9A-Fa-f]{1,8})\b/.exec(exception.subtype ?? "")?.[1];
  const code = unknown === undefined ? exception.codes[0] : BigInt(unknown);
  if (code === undefined) return null;
  // EXC_PTRAUTH_BIT marks a possible pointer authentication failure; the rest is the code.
  const number = Number(code & 0xffff_fdffn);
  const intel = arch === "x86_64" || arch === "i386";
  if (exception.type === "EXC_BAD_ACCESS") {
    return (intel ? intelAccessCodes[number] : undefined) ?? accessCodes[number] ?? null;
  }
  if (!intel) return null;
  return intelCodes[exception.type ?? ""]?.[number] ?? null;
}

/** First codes of other exceptions of Intel's CPUs: XNU, osfmk/mach/i386/exception.h and osfmk/i386/trap.c. */
const intelCodes: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  EXC_BAD_INSTRUCTION: {
    1: "EXC_I386_INVOP",
    10: "EXC_I386_INVTSSFLT",
    11: "EXC_I386_SEGNPFLT",
    12: "EXC_I386_STKFLT",
  },
  EXC_ARITHMETIC: { 1: "EXC_I386_DIV", 5: "EXC_I386_EXTERR", 8: "EXC_I386_SSEEXTERR" },
  EXC_BREAKPOINT: { 2: "EXC_I386_BPT" },
};

function bits(value: bigint, low: number, count: number): bigint {
  return (value >> BigInt(low)) & ((1n << BigInt(count)) - 1n);
}

/** The fields of EXC_RESOURCE's code and subcode by type and flavor: XNU's `kern/exc_resource.h`. */
const resources: readonly {
  readonly type: number;
  readonly flavor: number;
  readonly name: string;
  say(code: bigint, subcode: bigint): string;
}[] = [
  {
    type: 1,
    flavor: 1,
    name: "CPU",
    say: (code, subcode) =>
      `used ${bits(subcode, 0, 7)}% of a CPU over ${bits(code, 7, 25)} s, where ` +
      `${bits(code, 0, 7)}% is the limit`,
  },
  {
    type: 1,
    flavor: 2,
    name: "CPU_FATAL",
    say: (code, subcode) =>
      `used ${bits(subcode, 0, 7)}% of a CPU over ${bits(code, 7, 25)} s, where ` +
      `${bits(code, 0, 7)}% is the limit, and was ended for it`,
  },
  {
    type: 2,
    flavor: 1,
    name: "WAKEUPS",
    say: (code, subcode) =>
      `woke the CPU ${bits(subcode, 0, 20)} times a second over ${bits(code, 20, 12)} s, where ` +
      `${bits(code, 0, 20)} is the limit`,
  },
  {
    type: 3,
    flavor: 1,
    name: "MEMORY",
    say: (code) => `used more memory than its limit of ${bits(code, 0, 13)} MB`,
  },
  {
    type: 3,
    flavor: 2,
    name: "MEMORY_DIAGNOSTIC",
    say: (code) => `used more memory than the ${bits(code, 0, 13)} MB set for diagnostics`,
  },
  {
    type: 4,
    flavor: 1,
    name: "IO_PHYSICAL_WRITES",
    say: (code, subcode) =>
      `wrote ${bits(subcode, 0, 15)} MB to the disk in ${bits(code, 15, 17)} s, where ` +
      `${bits(code, 0, 15)} MB is the limit`,
  },
  {
    type: 4,
    flavor: 2,
    name: "IO_LOGICAL_WRITES",
    say: (code, subcode) =>
      `wrote ${bits(subcode, 0, 15)} MB in ${bits(code, 15, 17)} s, where ` +
      `${bits(code, 0, 15)} MB is the limit`,
  },
  {
    type: 5,
    flavor: 1,
    name: "THREADS",
    say: (code) => `made more threads than its limit of ${bits(code, 0, 15)}`,
  },
  {
    type: 6,
    flavor: 1,
    name: "PORTS",
    say: (code) => `filled its space for Mach ports: ${bits(code, 0, 24)} are allocated`,
  },
];

/** Guard flavors by type: XNU's `mach/port.h`, `sys/guarded.h`, `mach/vm_statistics.h`. */
const machPortFlavors: Readonly<Record<number, string>> = {
  1: "DESTROY: it was destroyed",
  2: "MOD_REFS: its references were changed",
  3: "INVALID_OPTIONS: a message was sent or awaited (mach_msg) with options that are not allowed",
  4: "SET_CONTEXT: its context was changed",
  5: "THREAD_SET_STATE: a thread's state was set in a way that is not allowed",
  6: "EXCEPTION_BEHAVIOR_ENFORCE: an exception handler was set in a way that is not allowed",
  7: "SERVICE_PORT_VIOLATION",
  8: "UNGUARDED: it has no guard where one was named",
  16: "INCORRECT_GUARD: another guard was named than it has",
  32: "IMMOVABLE: its right was to be moved",
  64: "STRICT_REPLY: a reply port was not used as one",
  128: "MSG_FILTERED: a message was filtered out",
  256: "INVALID_RIGHT: the right is of another kind",
  512: "INVALID_NAME: there is no such name",
  1024: "INVALID_VALUE",
  2048: "INVALID_ARGUMENT: it has a guard already",
  4096: "RIGHT_EXISTS",
  8192: "KERN_NO_SPACE",
  16384: "KERN_FAILURE",
  32768: "KERN_RESOURCE",
  65536: "SEND_INVALID_REPLY: a message's reply port is none",
  131072: "SEND_INVALID_VOUCHER: a message's voucher is none",
  262144: "SEND_INVALID_RIGHT: a message carries a right that is none",
  524288: "RCV_INVALID_NAME: a message was awaited on a name that is none",
  0x100000: "RCV_GUARDED_DESC",
  0x100002: "PROVISIONAL_REPLY_PORT",
  0x200000: "MOD_REFS_NON_FATAL",
  0x400000: "IMMOVABLE_NON_FATAL",
  0x800000: "REQUIRE_REPLY_PORT_SEMANTICS",
};

/** Flavors whose target is no port, and those whose second code is the port's guard: XNU, doc/mach_ipc/guard_exceptions.md. */
const withoutPort: readonly number[] = [3, 5, 6, 7];
const withGuard: readonly number[] = [1, 4, 16, 2048];

/** The flavor of a file that no process guards, but the file system: XNU, bsd/kern/kern_guarded.c:
 * generate_file_permissions_guard_exception. */
const PERMISSIONS = 128;

const fileFlavors: Readonly<Record<number, string>> = {
  1: "CLOSE: it was closed",
  2: "DUP: it was duplicated",
  4: "NOCLOEXEC: its close-on-exec flag was cleared",
  8: "SOCKET_IPC: it was sent to another process",
  16: "FILEPORT: a port was made of it",
  32: "MISMATCH: another guard was named than it has",
  64: "WRITE: it was written to",
};

const vnodeFlavors: Readonly<Record<number, string>> = {
  1: "RENAME_TO: something was renamed to it",
  2: "RENAME_FROM: it was renamed",
  4: "UNLINK: it was removed",
  8: "WRITE_OTHER: it was written to by a process that does not guard it",
  16: "TRUNC_OTHER: it was cut short by a process that does not guard it",
  32: "LINK: a link to it was made",
  64: "EXCHDATA: its data was exchanged",
  128: "PERMISSIONS: its permissions were changed",
};

const memoryFlavors: Readonly<Record<number, string>> = {
  1: "DEALLOC_GAP: memory was released that was not allocated",
  2: "RECLAIM_COPYIO_FAILURE",
  3: "SEC_LOOKUP_DENIED",
  4: "RECLAIM_INDEX_FAILURE",
  6: "SEC_RANGE_DENIED",
  7: "SEC_ACCESS_FAULT: memory was used after it was freed, or beyond its end, by its tag",
  8: "RECLAIM_DEALLOCATE_FAILURE",
  16: "SEC_COPY_DENIED",
  32: "SEC_SHARING_DENIED",
  64: "SEC_ASYNC_ACCESS_FAULT: memory was used after it was freed, or beyond its end, by its tag",
};

/** The first versions of macOS, from Darwin 5 on, which each came with a major version of Darwin: Apple's release notes, and
 * the builds of its open sources. */
const macVersions = [
  ...["10.1", "10.2", "10.3", "10.4", "10.5", "10.6", "10.7", "10.8", "10.9", "10.10", "10.11"],
  ...["10.12", "10.13", "10.14", "10.15", "11", "12", "13", "14", "15", "26"],
];

/** The name and the main version of macOS with a major version of Darwin; `null` for others. */
export function macVersion(darwin: number): string | null {
  const version = macVersions[darwin - 5];
  if (version === undefined) return null;
  return `${darwin < 12 ? "Mac OS X" : darwin < 16 ? "OS X" : "macOS"} ${version}`;
}

/** Namespaces of termination reasons by number: XNU's `bsd/sys/reason.h`. */
const namespaces = [
  ...["INVALID", "JETSAM", "SIGNAL", "CODESIGNING", "HANGTRACER", "TEST", "DYLD", "LIBXPC", "OBJC"],
  ...["EXEC", "SPRINGBOARD", "TCC", "REPORTCRASH", "COREANIMATION", "AGGREGATED", "RUNNINGBOARD"],
  ...["SKYWALK", "SETTINGS", "LIBSYSTEM", "FOUNDATION", "WATCHDOG", "METAL", "WATCHKIT", "GUARD"],
  ...["ANALYTICS", "SANDBOX", "SECURITY", "ENDPOINTSECURITY", "PAC_EXCEPTION", "BLUETOOTH_CHIP"],
  ...["PORT_SPACE", "WEBKIT", "BACKLIGHTSERVICES", "MEDIA", "ROSETTA", "LIBIGNITION", "BOOTMOUNT"],
  ...["", "REALITYKIT", "AUDIO", "WAKEBOARD", "CORERC", "SELF_RESTRICT", "ARKIT"],
];

/** Name of a namespace of termination reasons; `null` for numbers that have none. */
export function namespaceName(number: number): string | null {
  return namespaces[number] || null;
}

/** Name of the namespace that a `RBSTerminateContext` has as its domain, as reports write it: `FRONTBOARD` is what
 * newer systems call `SPRINGBOARD`. */
export function domainName(number: number): string | null {
  const name = namespaceName(number);
  return name === "SPRINGBOARD" ? "FRONTBOARD" : name;
}

function reasonNamespace(number: bigint): string {
  const name = namespaceName(Number(number));
  return `namespace ${number}${name === null ? "" : ` (${name})`}`;
}

/** Codes in the namespace LIBSYSTEM: XNU's `libkern/os/reason_private.h`. */
const systemCodes: ReadonlyMap<bigint, string> = new Map([
  [1n, "WORKLOOP_OWNERSHIP_LEAK"],
  [2n, "FAULT"],
  [3n, "SECINIT_INITIALIZER"],
  [4n, "PTHREAD_CORRUPTION"],
  [5n, "OS_LOG_FAULT"],
]);
/** Number of LIBSYSTEM in {@linkcode namespaces}. */
const LIBSYSTEM = 18n;

/** Guard types: XNU's `kern/exc_guard.h`. */
const guards: readonly {
  readonly name: string;
  readonly target: (target: bigint) => string;
  readonly flavors: Readonly<Record<number, string>>;
}[] = [
  { name: "NONE", target: (target) => `${target}`, flavors: {} },
  {
    name: "MACH_PORT",
    target: (target) => `Mach port 0x${target.toString(16)}`,
    flavors: machPortFlavors,
  },
  { name: "FD", target: (target) => `file descriptor ${target}`, flavors: fileFlavors },
  { name: "USER", target: reasonNamespace, flavors: {} },
  { name: "VN", target: (target) => `a file guarded by process ${target}`, flavors: vnodeFlavors },
  { name: "VIRT_MEMORY", target: () => "memory", flavors: memoryFlavors },
  { name: "REJECTED_SC", target: () => "a system call", flavors: {} },
];

/** Index of file descriptors in {@linkcode guards}. */
const FILE_GUARD = 2;

/** The codes of an EXC_RESOURCE in words; `null` when they are unknown. */
export function decodeResource(codes: readonly bigint[]): string | null {
  const [code, subcode = 0n] = codes;
  if (code === undefined) return null;
  const type = Number(bits(code, 61, 3));
  const flavor = Number(bits(code, 58, 3));
  const found = resources.find((entry) => entry.type === type && entry.flavor === flavor);
  return found === undefined ? null : `${found.name}: the process ${found.say(code, subcode)}`;
}

/** The codes of an EXC_GUARD in words; `null` when they are unknown. */
export function decodeGuard(codes: readonly bigint[]): string | null {
  const [code, subcode] = codes;
  if (code === undefined || code === 0n) return null;
  const flavor = Number(bits(code, 32, 29));
  // iOS 6 wrote no type: only file descriptors could be guarded. XNU 2422 has the first with types.
  const type = Number(bits(code, 61, 3));
  const guard = guards[type === 0 && flavor !== 0 ? FILE_GUARD : type];
  const target = bits(code, 0, 32);
  if (guard === undefined) return null;
  if (guard.name === "REJECTED_SC") {
    const call = target === 0n ? `system call ${subcode ?? 0n}` : `Mach trap ${subcode ?? 0n}`;
    return `GUARD_TYPE_REJECTED_SC: ${call} is not allowed to this process`;
  }
  if (guard.name === "USER") {
    const name = target === LIBSYSTEM ? systemCodes.get(subcode ?? 0n) : undefined;
    return `GUARD_TYPE_USER: ${guard.target(target)}, reason 0x${(subcode ?? 0n).toString(16)}` +
      (name === undefined ? "" : ` (${name})`);
  }
  // File guard flavors are bits; several may be set.
  const names = guard.flavors[flavor] ??
    Object.entries(guard.flavors)
      .filter(([bit]) => guard.name !== "MACH_PORT" && (flavor & Number(bit)) !== 0)
      .map(([, name]) => name).join("; ");
  const what = names === "" ? `flavor 0x${flavor.toString(16)}` : names;
  const isPort = guard.name === "MACH_PORT";
  const isPermissions = guard.name === "VN" && flavor === PERMISSIONS;
  const on = isPort && withoutPort.includes(flavor) || isPermissions
    ? ""
    : `, ${guard.target(target)}`;
  return `GUARD_TYPE_${guard.name}${on}: ${what}` +
    (subcode === undefined ? "" : secondWords(guard.name, flavor, subcode));
}

/** The second code of an EXC_GUARD: the guard, the address of memory, or what else it was that a port's guard forbids. */
function secondWords(type: string, flavor: number, subcode: bigint): string {
  const hex = `0x${subcode.toString(16)}`;
  if (type === "VIRT_MEMORY") return ` (at ${hex})`;
  const isGuard = type === "VN" ? flavor !== PERMISSIONS : type !== "MACH_PORT";
  if (isGuard || type === "MACH_PORT" && withGuard.includes(flavor)) return ` (guard ${hex})`;
  return subcode === 0n ? "" : ` (${hex})`;
}

/** The codes of an EXC_RESOURCE or EXC_GUARD in words; `null` for other exceptions and unknown codes. */
export function decodeException(exception: ReportException): string | null {
  if (exception.type === "EXC_RESOURCE") return decodeResource(exception.codes);
  if (exception.type === "EXC_GUARD") return decodeGuard(exception.codes);
  return null;
}
