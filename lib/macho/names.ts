/** Names for the numbers in a Mach-O file, as in `<mach-o/loader.h>`, `<mach/machine.h>` and
 * Apple's `lipo`. */

import { hex } from "../hex.ts";
import { CPU_SUBTYPE_MASK, CPU_TYPE, FILE_TYPE, PLATFORM_NAMES } from "./constants.ts";

/** The architecture's name as `lipo -archs` prints it, such as `arm64e`; the numbers for an unknown
 * one.
 *
 * @param cpuType `CPU_TYPE_*`
 * @param cpuSubtype `CPU_SUBTYPE_*`, with or without the capability bits
 */
export function archName(cpuType: number, cpuSubtype: number): string {
  const subtype = (cpuSubtype & ~CPU_SUBTYPE_MASK) >>> 0;
  return subtypeNames[cpuType]?.[subtype] ?? `cputype ${cpuType} cpusubtype ${subtype}`;
}

const POWERPC = 18;
const POWERPC64 = 0x01000012;

const subtypeNames: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  [CPU_TYPE.I386]: { 3: "i386" },
  [CPU_TYPE.X86_64]: { 3: "x86_64", 8: "x86_64h" },
  [CPU_TYPE.ARM]: {
    0: "arm",
    5: "armv4t",
    6: "armv6",
    7: "armv5",
    8: "xscale",
    9: "armv7",
    11: "armv7s",
    12: "armv7k",
    14: "armv6m",
    15: "armv7m",
    16: "armv7em",
  },
  [CPU_TYPE.ARM64]: { 0: "arm64", 1: "arm64v8", 2: "arm64e" },
  [CPU_TYPE.ARM64_32]: { 0: "arm64_32", 1: "arm64_32" },
  [POWERPC]: { 0: "ppc", 9: "ppc750", 10: "ppc7400", 11: "ppc7450", 100: "ppc970" },
  [POWERPC64]: { 0: "ppc64", 100: "ppc970-64" },
};

/** `mach_header.filetype` in words.
 *
 * @param fileType `MH_*`
 */
export function fileTypeName(fileType: number): string {
  return fileTypeNames[fileType] ?? `filetype ${fileType}`;
}

const fileTypeNames: Readonly<Record<number, string>> = {
  [FILE_TYPE.MH_OBJECT]: "object",
  [FILE_TYPE.MH_EXECUTE]: "executable",
  [FILE_TYPE.MH_FVMLIB]: "fixed VM library",
  [FILE_TYPE.MH_CORE]: "core",
  [FILE_TYPE.MH_PRELOAD]: "preloaded executable",
  [FILE_TYPE.MH_DYLIB]: "dylib",
  [FILE_TYPE.MH_DYLINKER]: "dynamic linker",
  [FILE_TYPE.MH_BUNDLE]: "bundle",
  [FILE_TYPE.MH_DYLIB_STUB]: "dylib stub",
  [FILE_TYPE.MH_DSYM]: "dSYM",
  [FILE_TYPE.MH_KEXT_BUNDLE]: "kernel extension",
  [FILE_TYPE.MH_FILESET]: "file set",
};

/** The name of a `PLATFORM_*`; `platform 99` for an unknown one. */
export function platformName(platform: number): string {
  return PLATFORM_NAMES[platform] ?? `platform ${platform}`;
}

/** The name of a `TOOL_*` of `build_tool_version`; the number for an unknown one. */
export function toolName(tool: number): string {
  return toolNames[tool] ?? `tool ${tool}`;
}

const toolNames: Readonly<Record<number, string>> = {
  1: "clang",
  2: "swift",
  3: "ld",
  4: "lld",
};

/** The names of the bits in `flags`, lowest first; unknown bits together as `0x…`. */
export function flagNames(
  flags: number,
  names: readonly (readonly [bit: number, name: string])[],
): string[] {
  const found: string[] = [];
  let rest = flags;
  for (const [bit, name] of names) {
    if ((flags & bit) === 0) continue;
    found.push(name);
    rest &= ~bit;
  }
  if (rest !== 0) found.push(hex(rest >>> 0));
  return found;
}

/** `mach_header.flags`: `MH_*` without the prefix. */
export const HEADER_FLAGS: readonly (readonly [number, string])[] = [
  [0x1, "NOUNDEFS"],
  [0x2, "INCRLINK"],
  [0x4, "DYLDLINK"],
  [0x8, "BINDATLOAD"],
  [0x10, "PREBOUND"],
  [0x20, "SPLIT_SEGS"],
  [0x40, "LAZY_INIT"],
  [0x80, "TWOLEVEL"],
  [0x100, "FORCE_FLAT"],
  [0x200, "NOMULTIDEFS"],
  [0x400, "NOFIXPREBINDING"],
  [0x800, "PREBINDABLE"],
  [0x1000, "ALLMODSBOUND"],
  [0x2000, "SUBSECTIONS_VIA_SYMBOLS"],
  [0x4000, "CANONICAL"],
  [0x8000, "WEAK_DEFINES"],
  [0x10000, "BINDS_TO_WEAK"],
  [0x20000, "ALLOW_STACK_EXECUTION"],
  [0x40000, "ROOT_SAFE"],
  [0x80000, "SETUID_SAFE"],
  [0x100000, "NO_REEXPORTED_DYLIBS"],
  [0x200000, "PIE"],
  [0x400000, "DEAD_STRIPPABLE_DYLIB"],
  [0x800000, "HAS_TLV_DESCRIPTORS"],
  [0x1000000, "NO_HEAP_EXECUTION"],
  [0x2000000, "APP_EXTENSION_SAFE"],
  [0x4000000, "NLIST_OUTOFSYNC_WITH_DYLDINFO"],
  [0x8000000, "SIM_SUPPORT"],
  [0x10000000, "IMPLICIT_PAGEZERO"],
  [0x80000000, "DYLIB_IN_CACHE"],
];

/** `section.flags & SECTION_TYPE`: `S_*`, by number. */
export const SECTION_TYPE_NAMES: readonly string[] = [
  "S_REGULAR",
  "S_ZEROFILL",
  "S_CSTRING_LITERALS",
  "S_4BYTE_LITERALS",
  "S_8BYTE_LITERALS",
  "S_LITERAL_POINTERS",
  "S_NON_LAZY_SYMBOL_POINTERS",
  "S_LAZY_SYMBOL_POINTERS",
  "S_SYMBOL_STUBS",
  "S_MOD_INIT_FUNC_POINTERS",
  "S_MOD_TERM_FUNC_POINTERS",
  "S_COALESCED",
  "S_GB_ZEROFILL",
  "S_INTERPOSING",
  "S_16BYTE_LITERALS",
  "S_DTRACE_DOF",
  "S_LAZY_DYLIB_SYMBOL_POINTERS",
  "S_THREAD_LOCAL_REGULAR",
  "S_THREAD_LOCAL_ZEROFILL",
  "S_THREAD_LOCAL_VARIABLES",
  "S_THREAD_LOCAL_VARIABLE_POINTERS",
  "S_THREAD_LOCAL_INIT_FUNCTION_POINTERS",
  "S_INIT_FUNC_OFFSETS",
];

/** `section.flags & SECTION_ATTRIBUTES`: `S_ATTR_*` without the prefix. */
export const SECTION_ATTRIBUTES: readonly (readonly [number, string])[] = [
  [0x80000000, "PURE_INSTRUCTIONS"],
  [0x40000000, "NO_TOC"],
  [0x20000000, "STRIP_STATIC_SYMS"],
  [0x10000000, "NO_DEAD_STRIP"],
  [0x08000000, "LIVE_SUPPORT"],
  [0x04000000, "SELF_MODIFYING_CODE"],
  [0x02000000, "DEBUG"],
  [0x00000400, "SOME_INSTRUCTIONS"],
  [0x00000200, "EXT_RELOC"],
  [0x00000100, "LOC_RELOC"],
];

/** `n_type` of a debugger's entry (`<mach-o/stab.h>`), without the `N_`. */
export const STAB_NAMES: Readonly<Record<number, string>> = {
  0x20: "GSYM",
  0x22: "FNAME",
  0x24: "FUN",
  0x26: "STSYM",
  0x28: "LCSYM",
  0x2a: "MAIN",
  0x2e: "BNSYM",
  0x30: "PC",
  0x32: "AST",
  0x3c: "OPT",
  0x40: "RSYM",
  0x44: "SLINE",
  0x4e: "ENSYM",
  0x60: "SSYM",
  0x64: "SO",
  0x66: "OSO",
  0x68: "LIB",
  0x80: "LSYM",
  0x82: "BINCL",
  0x84: "SOL",
  0x86: "PARAMS",
  0x88: "VERSION",
  0x8a: "OLEVEL",
  0xa0: "PSYM",
  0xa2: "EINCL",
  0xa4: "ENTRY",
  0xc0: "LBRAC",
  0xc2: "EXCL",
  0xe0: "RBRAC",
  0xe2: "BCOMM",
  0xe4: "ECOMM",
  0xe8: "ECOML",
  0xfe: "LENG",
};
