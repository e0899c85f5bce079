/** A faulting address in words, and its class, by which the knowledge table has causes. */

import { archs } from "../../arch/mod.ts";
import { subtypeName } from "../codes.ts";
import {
  hasSwiftsNull,
  lacksBacktrace,
  NEAR_NULL,
  programCounter,
  regionInfo,
  register,
  stackPointer,
  unsureNull,
} from "../fault.ts";
import { imageAt, imageFinder, imageOf, isSystemImage, titleOf } from "../images.ts";
import type { CrashReport, ReportFrame, ReportImage, ReportThread } from "../report.ts";
import { isNearest } from "../nearest.ts";
import { once } from "../remember.ts";
import { crashedIndex } from "./crashed.ts";
import { accessOf, cpuOf } from "./cpu.ts";
import {
  isNonCanonical,
  mayEndStack,
  type RegionWords,
  regionWords,
  stackAfter,
} from "./region.ts";
import { isMobile } from "./platform.ts";
import { isCopying, isProbing } from "./copying.ts";
import { filledWords, fillingOf } from "./filling.ts";
import { faultingThread, type Used, usedFor } from "./instruction.ts";
import { abortsAfter, innermost, interrupted, isShallow, isUnnamed } from "./stack.ts";

/** Bytes that a push writes. */
const FIRST_PUSH = 8n;

/** Most members are at offsets that this divides. */
const MEMBER = 4n;
/** Members of what is there are not further on. */
const MAX_MEMBER = 0x1000n;
/** Maximum distance from the stack pointer of an access that overflows the stack. */
const NEAR_STACK = 0x20000n;
/** Size of a 64-bit program's `__PAGEZERO`. */
const PAGE_ZERO = 0x1_0000_0000n;
/** From this many frames on, an access at the stack pointer is taken for an overflow. */
const DEEP = 400;

/** Keys of the `address` rows of the knowledge table. */
export type AddressClass =
  | "null"
  | "nothing"
  | "no stack"
  | "tiny"
  | "far"
  | "stack"
  | "filled"
  | "guard"
  | "guard inside"
  | "freed"
  | "deliberate"
  | "uninitialized"
  | "marked"
  | "filled index"
  | "wrapped index"
  | "low"
  | "return"
  | "stack area"
  | "replaced"
  | "text"
  | "number"
  | "signed"
  | "noncanonical"
  | "execute"
  | "execute nothing"
  | "fetch"
  | "null call"
  | "lone null call"
  | "overrun"
  | "beside"
  | "destroyed"
  | "object"
  | "readonly"
  | "constant"
  | "jit"
  | "jit run"
  | "readable"
  | "protected"
  | "protected elsewhere"
  | "cut"
  | "unknown";

/** What a report tells about an address. */
export interface AddressWords {
  readonly kind: AddressClass;
  /** Sentences without a full stop, the most specific first; none when the report tells nothing. */
  readonly words: readonly string[];
}

/** Describes an address as far as the report tells, in sentences without a full stop, the most specific
 * first. */
export function describeAddress(report: CrashReport, address: bigint): readonly string[] {
  const { words } = classifyAddress(report, address);
  if (words.length > 0) return words;
  // Cr4shed's, of the region that has the address.
  const protection = /^VM Protection: {0,4}([r-][w-][x-])\s*$/m.exec(report.text)?.[1];
  return protection !== undefined
    ? [`its region has the protection ${protection}`]
    : ["it is not near null, and the report does not say what was there"];
}

/** Values that run-times and programs use as an address on purpose. */
const marks: readonly {
  readonly from: bigint;
  /** How many of them there are: the offset of a member may be added. */
  readonly count: bigint;
  readonly kind: AddressClass;
  readonly words: string;
}[] = [
  {
    // Go, src/runtime/signal_darwin_amd64.go and signal_unix.go: sigaddr of a fault that another process may have sent.
    from: 0xb01d_face_deba_c1en,
    count: 1n,
    kind: "unknown",
    words: "it is what Go's run-time puts where the fault's address is not known",
  },
  {
    // WebKit, Source/WTF/wtf/Assertions.cpp: WTFCrash; Skia, SkTypes.h: SK_CRASH.
    from: 0xbbad_beefn,
    count: 1n,
    kind: "deliberate",
    words:
      "it is what WebKit, JavaScriptCore and Skia crash by on purpose, as a check does that failed",
  },
  {
    // dyld, include/mach-o/dyld_priv.h: DYLD_BADROOT_MARKER.
    from: 0x0bad_4007n,
    count: MAX_MEMBER,
    kind: "replaced",
    words:
      "it is what dyld puts in place of a function or variable that is missing in a library which is loaded in place of one of the system's",
  },
];

/** From this size on an entry is the shared cache, which has variables too. */
const SHARED = 1n << 29n;

/** What is known of an access, by which its address is told. */
interface Fault {
  readonly report: CrashReport;
  readonly address: bigint;
  readonly region: RegionWords;
  /** The image that has the address. */
  readonly image: ReportImage | null;
  /** The thread with the registers of the access. */
  readonly state: ReportThread | null;
  readonly sp: bigint | null;
  readonly executed: boolean;
  /** Whether pointers have eight bytes. */
  readonly isWide: boolean;
  /** What is behind the highest address. */
  readonly top: bigint;
  readonly filling: Found | null;
  /** The address as text; `null` when it is none. */
  readonly text: string | null;
  /** What its upper bits tell. */
  readonly bits: readonly Found[];
}

/** A class of an address, and what is told of it. */
type Found = readonly [kind: AddressClass, words: string];

/** What one rule says of an address; `null` or nothing where it does not hold. */
type Rule = (fault: Fault) => Found | readonly Found[] | null;

function readFault(report: CrashReport, address: bigint): Fault {
  const isAbove = report.crashedThread?.frames.some((frame) => frame.address >= PAGE_ZERO) === true;
  // Watches had 64-bit CPUs with pointers of 32 bits: arm64_32.
  const isWatch = !isAbove && /^Watch OS /.test(report.osVersion ?? "");
  const isWide = report.arch === null ? isAbove : archs[report.arch].pointerSize === 8 && !isWatch;
  const state = faultingThread(report);
  const filling = fillingOf(address, isWide || address >> 32n !== 0n);
  const text = filling === null ? asText(address) : null;
  return {
    report,
    address,
    region: regionWords(report, address),
    image: imageAt(report.images, address),
    state,
    sp: stackPointer(state),
    executed: isExecuted(report, address),
    isWide,
    top: isWide || (report.arch === null && !isWatch) ? 1n << 64n : 1n << 32n,
    filling: filling === null ? null : [filling[0], `it is ${filling[1]}`],
    text,
    // The kernel calls any address with upper bits a failed authentication.
    bits: text === null || cpuOf(report) !== "arm" ? pointerWords(report, address) : [],
  };
}

/** Whether memory may be read, written and run, and was refused nevertheless: on Apple silicon that is made with MAP_JIT, which
 * each thread may either write to or run; Apple, Porting just-in-time compilers to Apple silicon. */
function isExclusive({ report, region }: Fault): boolean {
  return region.isOpen && isProtected(report) && cpuOf(report) === "arm" && !isMobile(report);
}

/** What is told of an address that the program jumped to. */
const jumps: readonly Rule[] = [
  (fault) =>
    isExclusive(fault)
      ? [
        "jit run",
        "it is that of the instruction itself, in memory for code that is made while the program runs (MAP_JIT): the thread was set to write there, and may not run it meanwhile",
      ]
      : null,
  ({ report }) =>
    faultOf(report) === "KERN_MEMORY_ERROR"
      ? ["unknown", "it is that of the instruction itself: its page of code was not there"]
      : null,
  ({ report, address, region }) =>
    isFunctionAt(report, address, region)
      ? [
        "fetch",
        "it is that of the instruction itself, in the code of an image: the CPU could not fetch it from there",
      ]
      : null,
  ({ report, address, region, bits }) => {
    if (address === 0n) return null;
    // A pointer that failed is what was jumped by.
    const signed = bits.filter(([kind]) => kind === "signed");
    return [...signed, [
      mayBeUnloaded(report, address, region) ? "execute nothing" : "execute",
      `the program jumped there${signed.length > 0 ? "" : jumpWords(report, address, region)}`,
    ]];
  },
  ({ report, state }) => {
    const lr = register(state, "lr");
    if (lr === 0n) {
      return [
        "return",
        "the program jumped there: it called a null function pointer or returned to null (lr is 0 too)",
      ];
    }
    const isAlone = report.crashedThread?.frames.length === 1;
    const caller = lr === null || !isAlone ? null : imageAt(report.images, lr);
    return [
      lr === null && isAlone && cpuOf(report) === "arm" ? "lone null call" : "null call",
      `the program jumped there: it called a null function pointer${
        lr === null ? ", most likely" : ""
      }${
        caller === null
          ? ""
          : `; the call was to return to ${caller.name} + 0x${
            (lr! - caller.base).toString(16)
          } (lr)`
      }`,
    ];
  },
];

/** What is told of an address near null, before the end of all, or where 64-bit programs have nothing. */
const numbers: readonly Rule[] = [
  // Programs of 32 bits are loaded at 0x1000, and some of 64 bits have more there than others: it is told of the image.
  ({ address, image, region, executed }) =>
    !executed && address < PAGE_ZERO &&
      (image !== null || address >= NEAR_NULL && region.type !== null)
      ? []
      : null,
  ({ report, address, executed, isWide }) => {
    const isNear = address < NEAR_NULL ||
      (isWide && address < PAGE_ZERO && isOfClass(report, address));
    const words = isNear && !executed ? objectWords(report, address) : null;
    return words === null ? null : ["object", words];
  },
  ({ report, address, executed, top }) => {
    const isNear = address < PAGE_ZERO || top - address < NEAR_NULL;
    const use = executed || !isNear ? null : usedFor(report, address);
    return use === null ? null : useWords(use);
  },
  ({ address, executed, state }) =>
    address > 0n && address < NEAR_NULL && !executed && hasNoNull(state)
      ? ["number", "it is a small number, but not null: no register is 0"]
      : null,
  ({ address, executed, region, image }) =>
    address > 0n && address < NEAR_NULL && executed && region.type === null && image === null
      ? ["execute", `it is ${address}, a small number`]
      : null,
  // What has the very number need not have been null.
  ({ address, executed, state }) =>
    address > 0n && address < NEAR_NULL && !executed &&
      (address % MEMBER !== 0n || address < MAX_MEMBER && isInRegister(state, address))
      ? ["tiny", `it is null plus ${address}, or a small number in place of a pointer`]
      : null,
  ({ address, executed }) =>
    address >= MAX_MEMBER && address < NEAR_NULL && !executed
      ? [
        "far",
        `it is ${address}: farther from null than a member of nearly any object, so an element of something that is null, or a number in place of a pointer`,
      ]
      : null,
  ({ address }) =>
    address >= NEAR_NULL ? null : address === 0n ? ["null", "it is null"] : [
      "null",
      `it is null plus ${address}, as from a member or an element of something that is not there`,
    ],
  ({ address, top }) =>
    top - address === 1n
      ? [
        "number",
        "it is -1: a number in place of a pointer, such as an error's or an unset handle's",
      ]
      : null,
  ({ report, address, top }) =>
    top - address <= FIRST_PUSH && lacksBacktrace(report) && !knowsMain(report)
      ? [
        "no stack",
        `it is -${top - address}: where the first push goes of a process whose stack pointer is 0`,
      ]
      : null,
  ({ address, top }) =>
    top - address < NEAR_NULL
      ? [
        "tiny",
        `it is -${
          top - address
        }: something before an object that is null, or a negative number, such as an error's, in place of a pointer`,
      ]
      : null,
  ({ report, address, isWide, executed }) => {
    if (!isWide || address >= PAGE_ZERO) return null;
    const cut = cutWords(report, address);
    return [
      executed ? "number" : "low",
      "it is below 4 GB, where most 64-bit programs have nothing: " +
      (cut === null ? "a number, not a pointer" : `a number, or ${cut}`) +
      (executed ? "" : "; or it is far behind null"),
    ];
  },
];

/** What is told of an address by the stacks. */
const stacks: readonly Rule[] = [
  ({ report, address, region }) => region.guard ? guardWords(report, address) : null,
  ({ region: { other, beside } }) =>
    other === null ? null : [
      [
        "unknown",
        `it is in the guard page of the stack of thread ${other}, which is not the one that crashed`,
      ],
      ...beside === null ? [] : [
        ["beside", `it is at the upper end of the stack of thread ${beside}, which crashed`],
      ] as const,
    ],
  ({ report, address, region, state, sp, executed }) => {
    if (sp === null || !nearStack(address, sp)) return null;
    const frames = report.crashedThread?.frames.length ?? 0;
    // A jump to the stack is no access at its end.
    const isEnd = !executed && region.type === null && isProtected(report) &&
      !isAboveFrame(state, address);
    const isDeep = !executed && frames > DEEP;
    return [
      isDeep || isEnd ? "stack" : "unknown",
      `it is ${address < sp ? `${sp - address} bytes below` : `${address - sp} bytes above`} ` +
      "the stack pointer" +
      (isDeep
        ? `, after ${frames} frames: the stack is full`
        : isEnd
        ? ", where memory is protected: the stack is full"
        : ""),
    ];
  },
];

/** What is told of an address by the image that has it: images are listed as far as their code and constants go. */
function imageWords({ report, address, image, region, executed }: Fault): Found | null {
  if (image === null) return null;
  const isConstant = region.words === null && !executed && isProtected(report) &&
    image.size < SHARED;
  return [
    isConstant ? "readonly" : "unknown",
    `it is in ${image.name}, 0x${(address - image.base).toString(16)} bytes from its start${
      isConstant ? ", among its code and constants, which may only be read" : ""
    }`,
  ];
}

/** The parts of what is told of an address, in their order: of each the first rule that holds tells. */
const parts: readonly (readonly Rule[])[] = [
  jumps.map((rule): Rule => (fault) => fault.executed ? rule(fault) : null),
  [({ filling }) => filling],
  [({ address, executed, filling, text, state }) => {
    const words = executed || filling !== null || text !== null || address < NEAR_NULL
      ? null
      : filledWords(address, state?.registers ?? []);
    return words === null ? null : ["filled index", `it is ${words}`];
  }],
  [({ report, address, executed, isWide, filling, text }) => {
    const use = executed || !isWide || filling !== null || text !== null || address < PAGE_ZERO
      ? null
      : usedFor(report, address);
    return use === null ? null : wrappedWords(report, use);
  }],
  numbers,
  stacks,
  [({ address, text, state }) => text === null ? null : ["text", usedText(state, address)]],
  [({ report, address, region, isWide, text, executed }) => {
    const word = text !== null || isWide || executed || region.type !== null
      ? null
      : wordAt(report, address);
    return word === null ? null : ["text", word];
  }],
  [({ executed, address, bits }) =>
    // Of a jump it is told what failed.
    executed && address !== 0n ? bits.filter(([kind]) => kind !== "signed") : bits],
  [({ address, text, state }) => {
    const wide = text === null ? asWideText(address) : null;
    return wide === null ? null : ["unknown", wideWords(state, address, wide)];
  }],
  [imageWords],
  [({ report, address, region: { words, kind } }) =>
    words === null ? null : [
      kind,
      // The kernel looks up the pointer without the bits of its signature.
      report.arch === "arm64" && address >> 47n !== 0n
        ? words.replace(/^it is in a region/, "the pointer is into a region")
        : words,
    ]],
];

/** The address of each report that was asked for last: most parts of an explanation ask for that of the fault. */
const classified = new WeakMap<CrashReport, readonly [bigint, AddressWords]>();

/** Describes and classifies an address: it is of the class of the first part that has one. */
export function classifyAddress(report: CrashReport, address: bigint): AddressWords {
  const last = classified.get(report);
  if (last?.[0] === address) return last[1];
  const words = classifiedAnew(report, address);
  classified.set(report, [address, words]);
  return words;
}

function classifiedAnew(report: CrashReport, address: bigint): AddressWords {
  const mark = marks.find(({ from, count }) => address >= from && address - from < count);
  if (mark !== undefined) return { kind: mark.kind, words: [mark.words] };
  const fault = readFault(report, address);
  const found: Found[] = [];
  for (const rules of parts) {
    for (const rule of rules) {
      const said = rule(fault);
      if (said === null) continue;
      found.push(...isSingle(said) ? [said] : said);
      break;
    }
  }
  const kind = found.find(([kind]) => kind !== "unknown")?.[0] ?? "unknown";
  return settled(fault, kind, found.map(([, words]) => words));
}

function isSingle(said: Found | readonly Found[]): said is Found {
  return typeof said[0] === "string";
}

/** The class of an address, by what else the report has of the access. */
function settled(fault: Fault, kind: AddressClass, words: readonly string[]): AddressWords {
  const { report, address, region, sp } = fault;
  if (
    kind === "null" && address === 0n && report.exception?.subtype === unsureNull &&
    hasSwiftsNull(report.text)
  ) {
    return {
      kind,
      words: [
        "it is null, or one that the CPU did not report, as one that is not canonical: Swift's backtrace has 0 for both",
      ],
    };
  }
  // Without its stack it may as well be that of a function, also where a reporter has 0 for what it does not know.
  if (kind === "null" && address === 0n && ((counterOf(report) ?? 0n) === 0n || isLost(report))) {
    return { kind: "nothing", words };
  }
  const access = accessOf(report);
  if (kind === "unknown" && access === "write" && isExclusive(fault)) {
    return {
      kind: "jit",
      words: [
        ...words,
        "its memory is for code that is made while the program runs (MAP_JIT): the thread was set to run it, and may not write there meanwhile",
      ],
    };
  }
  if (kind === "unknown" && region.type === null && isProtected(report)) {
    // The stack pointer is near where a stack ends.
    if (sp === null && report.exception?.signal === "SIGSEGV") {
      return {
        kind: "stack area",
        words: [
          "it is where stacks are, by the signal (SIGSEGV; elsewhere it is SIGBUS): the end of a full stack, most likely",
          ...words,
        ],
      };
    }
    const mayEnd = sp === null && mayEndStack(report, address) &&
      !isShallow(report.crashedThread?.frames ?? []);
    return {
      kind: mayEnd ? "protected" : access === "read" ? "unknown" : "protected elsewhere",
      words,
    };
  }
  if (kind !== "readonly") return { kind, words };
  // What may only be read can be written to or jumped to; code can only be written to.
  const isWrite = access === "write" || region.executable || counterOf(report) !== null;
  return { kind: access === "read" ? "readable" : isWrite ? "readonly" : "constant", words };
}

/** What an address is that an index led to which is a small negative number of 32 bits, taken for one without a sign; `null`
 * for others. */
function wrappedWords(report: CrashReport, use: Used): [AddressClass, string] | null {
  const { formula, base, value, index, count } = use;
  const under = (1n << 32n) - count;
  if (index === null || under <= 0n || under > MAX_WRAPPED) return null;
  if (value < PAGE_ZERO || isNonCanonical(report, value) || asText(value) !== null) return null;
  return [
    "wrapped index",
    `by the instruction it is ${formula}, where ${base} is 0x${
      value.toString(16)
    } and ${index} is 0x${
      count.toString(16)
    }: -${under} as a number of 32 bits that was taken for one without a sign`,
  ];
}

/** How far below zero an index is taken for one that wrapped. */
const MAX_WRAPPED = 4096n;

/** What an address far below a program's is, by the registers that the instruction used; `null` where they do not tell. */
function useWords(
  { formula, base, value, index, offset, calls }: Used,
): [AddressClass, string] | null {
  if (value === 0n) {
    const by = index === null ? `${base} is 0` : `it is ${formula}, and ${base} is 0`;
    const place = offset === 0n
      ? "null"
      : `null ${offset < 0n ? "minus" : "plus"} ${offset < 0n ? -offset : offset}`;
    return [
      "null",
      `it is ${place}: by the instruction ${by}${
        calls ? "; it calls a function by a table there" : ""
      }`,
    ];
  }
  if (index !== null || value >= NEAR_NULL) return null;
  const by = formula === base ? "" : `it is ${formula}, and `;
  // Nothing that is used by a pointer of its own is at such a place.
  return value % MEMBER === 0n
    ? [
      "tiny",
      `${by}${base} is ${value}, by the instruction: a number in place of a pointer, or a place in something at null`,
    ]
    : ["number", `${by}${base} is ${value}, by the instruction: a number in place of a pointer`];
}

/** Whether the kernel gives programs a stack that begin by LC_MAIN: OS X 10.8. */
function knowsMain({ osVersion }: CrashReport): boolean {
  return !/^Mac OS X 10\.[0-7]\b/.test(osVersion ?? "Mac OS X 10.7");
}

/** What a pointer was that has lost its upper half: the lower one is that of an address in an image of the program; `null`
 * for others. The system's images take up so much that any number is in one. */
function cutWords({ images }: CrashReport, address: bigint): string | null {
  const own = images.filter((image) =>
    image.base >= PAGE_ZERO && image.base < SHARED_CACHE && !isSystemImage(image)
  );
  const find = imageFinder(own);
  for (const half of new Set(own.map(({ base }) => base >> 32n))) {
    const image = find((half << 32n) | address);
    if (image !== null) return `a pointer into ${image.name} that was cut to 32 bits`;
  }
  return null;
}

/** Programs are loaded below this address, the shared cache above it on 64-bit Macs; XNU, osfmk/mach/shared_region.h. */
const SHARED_CACHE = 0x1_8000_0000n;

/** Whether there is memory at the address that may not be used in that way. */
function isProtected(report: CrashReport): boolean {
  const fault = faultOf(report);
  return fault === "KERN_PROTECTION_FAILURE" ||
    (fault === "SEGV_ACCERR" && cpuOf(report) === "intel");
}

/** The kernel's reason for a fault, by name. */
function faultOf({ exception, arch }: CrashReport): string | null {
  return exception === null ? null : subtypeName(exception, arch);
}

/** Functions of the Objective-C and Swift run-times that do nothing for nil and read the class of any other object, and
 * the register that some have in their names. */
const nilSafe =
  /^(?:objc_(?:msgSend(?!Super)|retain|release|autorelease(?!Pool)|opt_)|swift_(?:retain|release|unknownObjectRe|bridgeObjectRe))\w{0,60}?(?:_(x\d{1,2}))?(?:\$VARIANT.{1,20}|\(\))?$/;
/** Functions that read the class of an object that is not nil: to look for a method, or to release what they hold. */
const lookups =
  /^(?:objc_(?:msgSendSuper\w*|(?:load|store|init|copy|move|destroy)Weak\w*|autoreleasePoolPop)|weak_\w+_no_lock|AutoreleasePoolPage::releaseUntil|object_(?:dispose|cxxDestruct\w*|isClass)|objc_object::\w+|_objc_rootDealloc|lookUpImp\w*|_?class_lookupMethodAndLoadCache\d?|cache_(?:getImp|fill)\w*|_?objc_msgSend_uncached|getMethodNoSuper_nolock|search_method_list\w*|_?realizeClass\w*|_class_getNonMetaClass)\b/;

function unsureClass(address: bigint): string {
  return `it is a small number: null plus ${address}, or what was read from an object as its class`;
}

/** Registers in which functions of the run-time hold an object's class, and where in the class they read: objc_msgSend its
 * cache (its buckets, and up to macOS 10.15 and in 32 bits its mask), the others its flags, of which the cache has some since
 * macOS 10.15. objc4, runtime/Messengers.subproj, runtime/objc-runtime-new.h: objc_class, cache_t. */
const classUses: readonly {
  readonly functions: RegExp;
  readonly wide: readonly bigint[];
  readonly narrow: readonly bigint[];
  readonly registers: readonly string[];
}[] = [
  {
    functions: /^objc_msgSend/,
    wide: [0x10n, 0x18n],
    narrow: [0x8n, 0xcn],
    registers: ["x16", "x9", "r10", "r11", "r9"],
  },
  {
    functions: /^objc_(?:retain|release|autorelease|opt_)/,
    wide: [0x20n, 0x1en, 0x1fn, 0x1cn, 0x1dn],
    narrow: [0x10n],
    registers: [
      ...["x16", "x17", "x8", "x9", "x10", "x11", "x13", "x14"],
      ...["rax", "rcx", "rdx", "r10", "r11", "r1", "r2", "r3"],
    ],
  },
];

/** What was read as the class, if a register that may have it has what the address comes of; `null` for others. */
function classAt(thread: ReportThread | null, symbol: string, address: bigint): bigint | null {
  const use = classUses.find(({ functions }) => functions.test(symbol));
  if (use === undefined) return null;
  const isWide = register(thread, "x0", "rdi") !== null;
  // On Intel's CPUs r9 has an argument of the method.
  const names = register(thread, "rdi") !== null && symbol.startsWith("objc_msgSend")
    ? use.registers.filter((name) => name !== "r9")
    : use.registers;
  for (const offset of isWide ? use.wide : use.narrow) {
    const type = address - offset;
    // A class's address is what is left of the word without the lowest three bits; isa.h: ISA_MASK.
    if (
      type > 0n && type % (isWide ? 8n : 4n) === 0n &&
      names.some((name) => register(thread, name) === type)
    ) return type;
  }
  return null;
}

/** Whether an address is a little behind what was read from an object as its class. */
function isOfClass(report: CrashReport, address: bigint): boolean {
  const object = passedObject(report);
  const symbol = innermost(report.crashedThread)?.symbol ?? "";
  return object !== null && object >= NEAR_NULL &&
    classAt(faultingThread(report), symbol, address) !== null;
}

/** What is wrong near null where a function was passed an object that is not nil; `null` for other functions. */
function objectWords(report: CrashReport, address: bigint): string | null {
  const thread = faultingThread(report);
  const frame = innermost(report.crashedThread);
  if (frame === undefined) return null;
  if (isUnnamed(frame)) {
    return address > 0n && /^libobjc\.A\.dylib$/.test(titleOf(frame)) ? unsureClass(address) : null;
  }
  const { symbol } = frame;
  if (symbol === null || isNearest(frame)) return null;
  if (address > 0n && lookups.test(symbol)) return unsureClass(address);
  // What Swift's functions call with the place of the count, which they do for no null.
  if (symbol.startsWith("swift::RefCounts<")) {
    return "it is a small number, not nil, which does no harm there: the object is not valid";
  }
  if (!nilSafe.test(symbol)) return null;
  const object = passedObject(report);
  // Swift's functions read no class, but the object's count of references.
  const isSwift = symbol.startsWith("swift_");
  if (object === null || object === 0n) {
    return `it is a small number, not nil, which does no harm there: the object${
      isSwift ? "" : ", or what was read as its class,"
    } is not valid`;
  }
  const pointer = `0x${object.toString(16)}`;
  if (object < NEAR_NULL) {
    return `the pointer to the object is ${pointer}: a small number, not nil, which does no harm there`;
  }
  if (isSwift) {
    return `the object is at ${pointer}, not null: what was read by way of it is no pointer`;
  }
  const type = classAt(thread, symbol, address);
  const told = noObjectWords(report, object) !== null
    ? `what was passed as an object is ${pointer}`
    : `the object is at ${pointer}`;
  return `${told}, not null: what was read from ${
    told.startsWith("what") ? "there" : "it"
  } as its class${
    type === null ? ", or by way of it, is no pointer" : ` is no pointer (0x${type.toString(16)})`
  }`;
}

/** What a function of the Objective-C or Swift run-time was passed as an object, by its register; `null` for other functions,
 * and where the report has no registers. */
export function passedObject(report: CrashReport): bigint | null {
  const symbol = innermost(report.crashedThread)?.symbol ?? "";
  const match = nilSafe.exec(symbol);
  if (match === null) return null;
  const thread = faultingThread(report);
  // What returns a structure has its place in the first register.
  return symbol.includes("_stret")
    ? register(thread, "rsi", "r1")
    : register(thread, match[1] ?? "x0", "rdi", "r0");
}

/** Why what a message was sent to cannot be an object; `null` where it can. What is tagged, in the highest bit or on Intel's
 * CPUs in the lowest one, is no address; other functions may have put something else into the register. */
export function noObjectWords(report: CrashReport, object: bigint): string | null {
  const isIntel = cpuOf(report) === "intel";
  if (!/^objc_msgSend/.test(innermost(report.crashedThread)?.symbol ?? "")) return null;
  if (object === 0n || object >> 56n !== 0n || (isIntel && object % 2n === 1n)) return null;
  if (object < NEAR_NULL) return "which is never so near null";
  // Malloc and the linker see to it.
  const isWide = register(report.crashedThread, "x0", "rdi") !== null;
  const alignment = isWide && !/32$/.test(report.arch ?? "") ? 8n : 4n;
  if (object % alignment !== 0n) return `which is always a multiple of ${alignment}`;
  return object >> 47n === 0n ? null : "which has no more than 47 bits";
}

/** Whether a thread's registers are all there and none is null: the one that an access is made by keeps its value. */
function hasNoNull(thread: ReportThread | null): boolean {
  const has = (names: RegExp, count: number): boolean => {
    const general = thread?.registers.filter(({ name }) => names.test(name)) ?? [];
    return general.length >= count && general.every(({ value }) => value !== 0n);
  };
  return has(/^(?:x\d{1,2}|fp|lr|sp)$/, ARM_REGISTERS) ||
    has(/^r(?:[abcd]x|[ds]i|bp|\d{1,2})$/, INTEL_REGISTERS);
}

/** Number of the 64-bit ARM CPU's general registers. */
const ARM_REGISTERS = 32;

/** Whether a register has an address as it is: then it need not be null that the access went by. */
function isInRegister(thread: ReportThread | null, address: bigint): boolean {
  return thread?.registers.some(({ name, value }) =>
    value === address && /^(?:x\d{1,2}|[re]?[abcd]x|[re]?[ds]i|[re]bp|r\d{1,2}|fp|lr)$/.test(name)
  ) === true;
}

/** The next instruction's address, by the registers or the innermost frame; `null` where neither is there. */
function counterOf(report: CrashReport): bigint | null {
  return programCounter(report.crashedThread) ?? innermost(report.crashedThread)?.address ?? null;
}

/** Whether an address is that of the next instruction. */
export function isExecuted(report: CrashReport, address: bigint): boolean {
  return accessOf(report) === "execute" || address === programCounter(report.crashedThread) ||
    isInnermost(report, address) || address === notedCounter(report);
}

/** Whether the innermost frame is at the address: only a jump there makes it so. A single frame may be the reporter's own. */
function isInnermost(report: CrashReport, address: bigint): boolean {
  const frame = innermost(report.crashedThread);
  return frame !== undefined && frame.address === address && address !== 0n &&
      ((report.crashedThread?.frames.length ?? 0) > 1 || isCounter(report, frame)) ||
    isNullFrame(report, address);
}

/** Whether a frame without an image is in the form that the system's reporter alone has, `??? 000000000000000000 0 + 0`: it
 * begins each stack with the program counter, where others put 0 for what they do not know. Where the registers are there,
 * they tell. */
function isCounter({ text, crashedThread }: CrashReport, { span }: ReportFrame): boolean {
  if (span === null || programCounter(crashedThread) !== null) return false;
  return /^\s{0,9}0\s+\?\?\?\s+(?:0{10}|0{18}|0x[0-9a-f]{8,16}) 0 \+ \d{1,20}\s*$/.test(
    text.slice(span.start, span.end),
  );
}

/** Whether the innermost frame is at null, which some reporters put there for frames that are not known. */
function isNullFrame(report: CrashReport, address: bigint): boolean {
  const frame = innermost(report.crashedThread);
  const stack = report.crashedThread?.frames ?? [];
  return address === 0n && frame !== undefined && frame.address === 0n && frame.image === null &&
    frame.imageName === null && frame.symbol === null &&
    (stack.length > 1 || isCounter(report, frame)) && !isLost(report);
}

/** Whether the walk has 0 behind a signal's handler, as it often has on Intel CPUs, whatever was interrupted. */
function isLost(report: CrashReport): boolean {
  return cpuOf(report) !== "arm" && interrupted(report.crashedThread?.frames ?? []) > 0 &&
    innermost(report.crashedThread)?.address === 0n;
}

/** What a bad jump led to. */
function jumpWords(report: CrashReport, address: bigint, region: RegionWords): string {
  const frame = innermost(report.crashedThread);
  const name = frame?.address === address ? frame.symbol : null;
  return name !== null && dataNames.test(name)
    ? `, into data and not code (${name}): a bad function pointer or a damaged object`
    : region.type === null && frame?.address === address && imageOf(frame) !== null
    ? `, into ${titleOf(frame)}: to what is no code, or to code that could not be fetched`
    : region.type !== null && !region.executable
    ? ", into memory that may not be executed: a wrong function pointer or return address, or code made at run time whose memory was not made executable"
    : mayBeUnloaded(report, address, region)
    ? ": a wrong function pointer or return address, or code that is no longer there"
    : ": a wrong function pointer or return address";
}

/** Whether code may have been at an address that was jumped to. */
function mayBeUnloaded(report: CrashReport, address: bigint, region: RegionWords): boolean {
  // No code was ever at what is no address.
  if (address >> 48n !== 0n || region.type !== null && !region.executable) return false;
  const frame = innermost(report.crashedThread);
  const isNamed = frame?.address === address &&
    (imageOf(frame) !== null || frame.symbol !== null && dataNames.test(frame.symbol));
  return !isNamed && address >= PAGE_ZERO;
}

/** Names of data that compilers make. */
const dataNames =
  /^(?:(?:vtable|VTT|typeinfo(?: name)?|construction vtable|guard variable) for |_ZT[VTIS]|_?OBJC_(?:CLASS|METACLASS|IVAR)_\$_|(?:nominal )?type (?:metadata|descriptor)|protocol (?:conformance )?descriptor)/;

/** More than this no function has on its stack. */
const LARGEST = 1n << 28n;
/** How near to a stack's end the stack pointer is where that end was met. */
const NEAR_END = 0x20000n;

/** A stack's guard page, by the stack pointer: whether the stack is full, or only something far from what is in use. */
function guardWords(report: CrashReport, address: bigint): [AddressClass, string] {
  const { crashedThread: thread, exception } = report;
  const sp = stackPointer(thread);
  // Behind a signal handler's frames are those that it interrupted.
  const isInterrupted = interrupted(thread?.frames ?? []) > 0;
  if (!isInterrupted && exception !== null && abortsAfter(exception)) {
    return [
      "filled",
      "it is in a stack's guard page: the stack was full then; what the report has of the stack is later, from the handler of the signal",
    ];
  }
  // Behind a handler's frames the registers are not those of the access.
  if (sp === null && isCopying(report)) {
    return [
      "stack",
      "it is in a stack's guard page: the stack is full, or something was copied past an end",
    ];
  }
  // The region's line names whose it is.
  const owner = /(?:stack guard |\.{3})for thread (\d{1,9})\b/i.exec(regionInfo(report) ?? "")?.[1];
  if (
    !isInterrupted && sp === null && owner !== undefined && Number(owner) === crashedIndex(report)
  ) {
    return [
      "stack",
      `it is in the guard page of the stack of thread ${owner}, which crashed: the stack is full`,
    ];
  }
  if (isInterrupted || sp === null) {
    return ["stack", "it is in a stack's guard page: the stack is full, most likely"];
  }
  const stack = stackAfter(regionInfo(report) ?? "");
  if (address - sp > LARGEST || stack !== null && sp > stack.end) {
    return [
      "guard",
      `it is in a stack's guard page, but the stack pointer is elsewhere (0x${
        sp.toString(16)
      }): the thread was on another stack`,
    ];
  }
  const isFar = sp - address > NEAR_END;
  // What looks whether the stack has room reads its end on purpose.
  if (!isFar || isProbing(report)) {
    return ["stack", "it is in a stack's guard page: the stack is full"];
  }
  return stack !== null && sp > stack.start + NEAR_END && sp <= stack.end
    ? [
      // What runs on from the stack meets the guard's end first.
      stack.start - address > NEAR_END ? "guard inside" : "guard",
      `it is in a stack's guard page, ${
        sp - address
      } bytes below the stack pointer: the stack was not full`,
    ]
    : ["stack", "it is in a stack's guard page: the stack is full, most likely"];
}

/** Whether an address is that of an instruction of the innermost function: its memory could not be executed, rather
 * than that the program jumped to a wrong place. */
function isFunctionAt(report: CrashReport, address: bigint, { type }: RegionWords): boolean {
  const frame = innermost(report.crashedThread);
  if (frame === undefined || frame.address !== address) return false;
  const isNamed = frame.symbol !== null && !isNearest(frame) && !dataNames.test(frame.symbol);
  return type === null ? isNamed : /^(?:mapped file|__TEXT)/.test(type) &&
    (isNamed || frame.symbol === null && frame.image !== null);
}

/** The program counter, where the stack that was walked does not begin with it: `PC register does not match crashing
 * frame (0x0 vs 0x100001000)`. Of a program that Rosetta translated it is 0 where it is not known. */
const notedCounter: (report: CrashReport) => bigint | null = once(({ text, codeType }) => {
  const at = text.indexOf(" register does not match crashing frame (0x");
  if (at < 0) return null;
  const match = /\b(?:PC|RIP|EIP) register does not match crashing frame \((0x[0-9a-f]{1,16}) vs /i
    .exec(text.slice(Math.max(0, at - 4), at + 80));
  if (match === null) return null;
  const counter = BigInt(match[1]);
  return counter === 0n && /Translated/i.test(codeType ?? "") ? null : counter;
});

/** Whether an address is above what the innermost function has on the stack: a stack is full at its lower end. */
function isAboveFrame(thread: ReportThread | null, address: bigint): boolean {
  const sp = stackPointer(thread);
  const fp = register(thread, "fp", "x29", "rbp", "ebp");
  return sp !== null && fp !== null && fp >= sp && fp - sp < NEAR_STACK &&
    address > fp + FRAME_RECORD;
}

/** Bytes of a frame's record at the frame pointer. */
const FRAME_RECORD = 16n;

function nearStack(address: bigint, sp: bigint): boolean {
  const distance = address < sp ? sp - address : address - sp;
  return distance < NEAR_STACK && sp !== 0n;
}

/** Tagged, signed and non-canonical pointers. */
function pointerWords(report: CrashReport, address: bigint): [AddressClass, string][] {
  const { arch, exception } = report;
  const subtype = exception?.subtype ?? "";
  const said = /pointer authentication/i.test(subtype) ||
    (exception !== null && subtypeName(exception, arch) === "EXC_ARM_PAC_FAIL");
  if (arch === "arm64") {
    // `at 0x2000000100ae9df8 -> 0x0000000100ae9df8 (possible pointer authentication failure)`
    const target = /-> (0x[0-9a-fA-F]{1,16})/.exec(subtype)?.[1];
    const stripped = target === undefined ? address & archs.arm64.addressMask : BigInt(target);
    const upper = address >> 47n;
    const failed = failedBits.includes(upper);
    if ((said || failed) && isUnsigned(report, address)) {
      const note = said
        ? ", which the system takes for a possible failure of a pointer's authentication"
        : "";
      // An address of which nothing is stripped has none.
      return [[
        "noncanonical",
        stripped === address
          ? `it is a damaged pointer${note}: the program is of arm64 and not arm64e, and signs none`
          : `it has bits that no address has${note}: a damaged pointer, as the program is of arm64 and not arm64e, and signs none; without them it is 0x${
            stripped.toString(16)
          }`,
      ]];
    }
    const isPossible = /possible pointer authentication/i.test(subtype);
    if (isPossible && !failed && upper !== 0n && !isExecuted(report, address)) {
      const use = usedFor(report, address);
      return [[
        "noncanonical",
        "it has bits that no address has, and not those that a failed authentication leaves, for which the system takes it: data in place of a pointer, or a signed pointer used as it is" +
        (use === null
          ? ""
          : `; by its instruction it is ${use.formula}, where ${use.base} is 0x${
            use.value.toString(16)
          }`),
      ]];
    }
    if (said || failed && signs(report)) {
      const where = stripped === address ? "" : `; the pointer was 0x${stripped.toString(16)}`;
      const words = isPossible
        ? "a pointer's authentication may have failed"
        : said
        ? "a pointer's authentication failed"
        : "its upper bits are those that a failed pointer authentication leaves, or of data in place of a pointer";
      return [["signed", `${words}${where}`]];
    }
    if (address >> 63n === 1n && -address + (1n << 64n) > NEAR_NULL) {
      return [[
        "noncanonical",
        "its uppermost bit is set, as in no address of a process: a tagged pointer used as an address, a negative number, or damage",
      ]];
    }
    // The upper byte is no part of data's addresses; XNU, osfmk/arm64/sleh.c: VM_USER_STRIP_TBI.
    const tag = address >> 56n;
    if (tag > 0n && tag <= MAX_TAG && (upper & 0x1ffn) === 0n) {
      const rest = (address & 0xff_ffff_ffff_ffffn).toString(16);
      return [[
        "unknown",
        `its upper byte is ${tag}: a tag, which is no part of the address, or damage; the rest is 0x${rest}`,
      ]];
    }
    if (upper !== 0n && address >> 63n === 0n) {
      return [[
        "noncanonical",
        signs(report)
          ? "it has bits that no address has: a damaged pointer, or a signed one used as it is; " +
            `without them it is 0x${stripped.toString(16)}`
          : "it has bits that no address has: a damaged pointer",
      ]];
    }
  } else if (isNonCanonical(report, address)) {
    return [[
      "noncanonical",
      "it is not canonical: no x86-64 address has these upper bits; data, not a pointer",
    ], ...numberWords(address)];
  } else if (arch === null && address >> 47n !== 0n && address >> 47n < 0x10000n && !said) {
    return [
      ["noncanonical", "it has bits that no address of a process has: data, not a pointer"],
      ...numberWords(address),
    ];
  }
  return [];
}

/** What a failed authentication leaves above an address, which it sets to 01 or 10: bits 61 and 62, or for data, whose upper
 * byte is no part of the address, bits 53 and 54. Arm Architecture Reference Manual, aarch64/functions/pac: Auth. */
const failedBits: readonly bigint[] = [0x4000n, 0x8000n, 0x40n, 0x80n];

/** Whether no pointer that is used can be signed: those of data are in programs for arm64e only, where the system's own
 * libraries sign return addresses in all; XNU, osfmk/arm64/machine_routines.c: ml_task_get_disable_user_jop. */
function isUnsigned(report: CrashReport, address: bigint): boolean {
  const { images, process, exception } = report;
  return !isExecuted(report, address) &&
    (exception === null || subtypeName(exception, report.arch) !== "EXC_ARM_PAC_FAIL") &&
    images.some(({ arch, name, path }) =>
      arch === "arm64" && (path !== null && path === process.path || name === process.name)
    );
}

/** Tags of memory have four bits. */
const MAX_TAG = 15n;

/** Whether pointers may be signed, by the images' architectures: only code for arm64e signs them. */
function signs({ images }: CrashReport): boolean {
  return images.length === 0 || images.some(({ arch }) => arch === null || arch === "arm64e");
}

/** What an address is as a floating-point number, where its bytes are those of a plain one, with the offset of a member
 * added: IEEE 754, binary64. */
function numberWords(address: bigint): [AddressClass, string][] {
  const exponent = Number(address >> 52n) - 1023;
  // Numbers of few digits end in zeros.
  if (Math.abs(exponent) > 20 || (address & 0xfff_0000n) !== 0n) return [];
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigUint64(0, address & ~0xffffn);
  return [[
    "noncanonical",
    `its bytes are those of the number ${Number(bytes.getFloat64(0).toPrecision(6))}`,
  ]];
}

/** Most registers that are named. */
const MAX_STRANGE = 2;

/** What the registers of an Intel CPU tell of an access whose address it does not report: a general protection fault is that
 * of an address that is not canonical, mostly; Intel, Software Developer's Manual, volume 3, "Interrupt 13". `null` where
 * they are not those of the fault, or tell nothing. */
export function strangeRegisters(report: CrashReport): string | null {
  const { crashedThread: thread, exception, arch } = report;
  if (arch !== "x86_64" || exception === null || abortsAfter(exception)) return null;
  if (thread === null || interrupted(thread.frames) > 0) return null;
  const general = thread.registers.filter(({ name }) =>
    /^r(?:[abcd]x|[ds]i|bp|\d{1,2})$/.test(name)
  );
  if (general.length < INTEL_REGISTERS) return null;
  const pooled = thread.frames.some(({ symbol }) => symbol?.includes("AutoreleasePoolPage::"));
  const noAddresses = general.filter(({ value }) => isNonCanonical(report, value));
  const strange = noAddresses.filter(({ value }) => !pooled || value !== POOL_FILLING);
  if (noAddresses.length > 0 && strange.length === 0) return null;
  if (strange.length === 0) {
    return "No register holds what is no address: the address was a sum, or that of a call or return by what is in memory, the access had to be aligned, or the instruction is one that programs may not use.";
  }
  if (strange.length > MAX_STRANGE) return null;
  const words = strange.map(({ name, value }) => {
    const text = registerText(value);
    const filling = fillingOf(value, true);
    return `${name} (0x${value.toString(16)}${
      filling !== null ? `, ${filling[1]}` : text !== null ? `, the text "${text}"` : ""
    })`;
  });
  return `Of the registers, ${words.join(", ")} ${
    words.length === 1 ? "holds" : "hold"
  } no address.`;
}

/** What an autorelease pool overwrites its own entries with, which is no sign of damage: objc4, runtime/NSObject-internal.h:
 * SCRIBBLE. */
const POOL_FILLING = 0xa3a3_a3a3_a3a3_a3a3n;

/** The text that a register's bytes are, of one or of two bytes for each letter; `null` for others. */
export function registerText(value: bigint): string | null {
  return asText(value) ?? asWideText(value);
}

/** Number of the 64-bit Intel CPU's general registers but for the stack pointer. */
const INTEL_REGISTERS = 15;

/** What stands on a stack in place of a return address, if it is text: something wrote over the stack. */
export function textOnStack(frames: readonly ReportFrame[]): string | null {
  for (const { address, symbol, image, imageName } of frames) {
    if (
      symbol !== null || image !== null && image.name !== "???" ||
      imageName !== null && imageName !== "???"
    ) continue;
    const text = asText(address);
    if (text !== null) return text;
  }
  return null;
}

/** Whether a text is one letter alone, perhaps with a member's offset: what is put into memory to see where it comes out. */
function isPattern(text: string): boolean {
  return /^([A-Za-z])\1{3,7}$|^.([A-Za-z])\2{4,6}$/.test(text);
}

/** What an address is whose bytes are text, without a full stop; `null` for others. */
export function textWords(address: bigint): string | null {
  const text = asText(address);
  if (text === null) return null;
  return `its bytes are the text "${text}": ${
    isPattern(text)
      ? "one letter again and again, as tests, fuzzers and exploits fill memory with"
      : "text in place of a pointer"
  }`;
}

/** The registers that have the address of a fault itself. */
const ofFault = /^(?:far|cr2)$/;

/** What an address is whose bytes are text: the register that it comes of has the text itself, the address that of a
 * member. */
function usedText(state: ReportThread | null, address: bigint): string {
  const words = textWords(address)!;
  const texts =
    state?.registers.filter(({ name, value }) => !ofFault.test(name) && asText(value) !== null) ??
      [];
  const whole = readsVectors(state) ? texts.find(({ value }) => isRounded(address, value)) : null;
  if (whole != null) {
    return `it is ${whole.name} rounded down, as the function reads; the bytes of ${whole.name} are the text "${
      asText(whole.value)
    }": text in place of a pointer`;
  }
  const values = texts.filter(({ value }) => value <= address && address - value < NEAR_WORD);
  const [first] = values;
  if (first === undefined) {
    return isPattern(asText(address)!)
      ? words
      : `${words}, to whose first byte the offset of a member may be added`;
  }
  return values.some(({ value }) => value === address)
    ? words
    : `it comes of ${first.name}, whose bytes are the text "${
      asText(first.value)
    }": text in place of a pointer`;
}

/** Whether the innermost function is one for strings that reads them by whole vectors, from where those are aligned. */
function readsVectors(state: ReportThread | null): boolean {
  return /^_{0,2}(?:platform_)?(?:str|stp|mem|wcs|wmem)(?:n?len|n?casecmp|n?cmp|r?chr|chrnul|l?n?cpy|l?n?cat|str|p?brk|c?spn|dup|ccpy)\b/
    .test(innermost(state)?.symbol ?? "");
}

/** Whether an address is a value rounded down to where a vector is aligned: of 16 bytes, or of 32. */
function isRounded(address: bigint, value: bigint): boolean {
  return value !== address && [15n, 31n].some((mask) => (value & ~mask) === address);
}

/** The address as ASCII text; `null` when it is not. */
function asText(address: bigint): string | null {
  let text = "";
  for (let rest = address; rest > 0n; rest >>= 8n) {
    const code = Number(rest & 0xffn);
    if (code < 0x20 || code > 0x7e) return null;
    text += String.fromCharCode(code);
  }
  return text.length >= 6 || isPattern(text) ? text : null;
}

/** How far from a pointer a member is that an access by it uses. */
const NEAR_WORD = 0x100n;

/** The register of a program of 32 bits that has four letters, which an access went by; `null` where none has. */
function wordAt(report: CrashReport, address: bigint): string | null {
  for (const { name, value } of faultingThread(report)?.registers ?? []) {
    if (value > address || address - value >= NEAR_WORD || value < 1n << 24n) continue;
    const bytes = [24n, 16n, 8n, 0n].map((by) => Number((value >> by) & 0xffn));
    // PowerPC has the first byte of a word on top.
    if (cpuOf(report) !== "powerpc") bytes.reverse();
    const text = String.fromCharCode(...bytes);
    if (value < 1n << 32n && /^[A-Za-z]{4}$/.test(text)) {
      return `it comes of ${name}, whose bytes are the text "${text}": text in place of a pointer`;
    }
  }
  return null;
}

/** What an address is whose bytes are text of UTF-16: a register may have the text itself, the address that of a member. */
function wideWords(state: ReportThread | null, address: bigint, wide: string): string {
  const from = state?.registers.find(({ name, value }) =>
    !ofFault.test(name) && value < address && address - value < NEAR_WORD &&
    asWideText(value) !== null
  );
  return from === undefined ||
      state!.registers.some(({ name, value }) => value === address && !ofFault.test(name))
    ? `its bytes are the text "${wide}" in UTF-16`
    : `it comes of ${from.name}, whose bytes are the text "${asWideText(from.value)}" in UTF-16`;
}

/** Four characters of UTF-16 that are ASCII's; `null` when it is other data. The offset of a member may be added. */
function asWideText(address: bigint): string | null {
  let text = "";
  for (let rest = address; rest > 0n; rest >>= 16n) {
    const code = Number(rest & 0xffffn);
    if (code < 0x20 || code > 0x7e) return null;
    text += String.fromCharCode(code);
  }
  return text.length === 4 ? text : null;
}
