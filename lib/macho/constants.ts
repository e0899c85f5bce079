/** The numbers of the Mach-O format, by the names that `<mach/machine.h>`, `<mach-o/loader.h>`,
 * `<mach-o/fat.h>` and `<mach-o/nlist.h>` give them. */

/** `cpu_type_t`: {@linkcode CPU_TYPE} values, by name. */
export const CPU_TYPE = {
  I386: 7,
  X86_64: 0x01000007,
  ARM: 12,
  ARM64: 0x0100000c,
  ARM64_32: 0x0200000c,
} as const;

/** The bits of a `cpusubtype` that hold capabilities, not the subtype. */
export const CPU_SUBTYPE_MASK = 0xff000000;

/** `CPU_SUBTYPE_ARM64E`: arm64 with pointer authentication. */
export const CPU_SUBTYPE_ARM64E = 2;

/** `mach_header.magic`, and the magic numbers of universal ("fat") files. */
export const MAGIC = {
  MH_MAGIC: 0xfeedface,
  MH_CIGAM: 0xcefaedfe,
  MH_MAGIC_64: 0xfeedfacf,
  MH_CIGAM_64: 0xcffaedfe,
  FAT_MAGIC: 0xcafebabe,
  FAT_MAGIC_64: 0xcafebabf,
} as const;

/** `mach_header.filetype`. */
export const FILE_TYPE = {
  MH_OBJECT: 1,
  MH_EXECUTE: 2,
  MH_FVMLIB: 3,
  MH_CORE: 4,
  MH_PRELOAD: 5,
  MH_DYLIB: 6,
  MH_DYLINKER: 7,
  MH_BUNDLE: 8,
  MH_DYLIB_STUB: 9,
  MH_DSYM: 10,
  MH_KEXT_BUNDLE: 11,
  MH_FILESET: 12,
} as const;

/** `mach_header.flags`: the image lives in the dyld shared cache, and shares its `__LINKEDIT`. */
export const MH_DYLIB_IN_CACHE = 0x80000000;

/** `load_command.cmd`, with `LC_REQ_DYLD` where it belongs. */
export const LC = {
  SEGMENT: 0x1,
  SYMTAB: 0x2,
  THREAD: 0x4,
  UNIXTHREAD: 0x5,
  DYSYMTAB: 0xb,
  LOAD_DYLIB: 0xc,
  ID_DYLIB: 0xd,
  LOAD_DYLINKER: 0xe,
  ID_DYLINKER: 0xf,
  LOAD_WEAK_DYLIB: 0x80000018,
  SEGMENT_64: 0x19,
  UUID: 0x1b,
  RPATH: 0x8000001c,
  REEXPORT_DYLIB: 0x8000001f,
  LAZY_LOAD_DYLIB: 0x20,
  DYLD_INFO: 0x22,
  DYLD_INFO_ONLY: 0x80000022,
  LOAD_UPWARD_DYLIB: 0x80000023,
  VERSION_MIN_MACOSX: 0x24,
  VERSION_MIN_IPHONEOS: 0x25,
  FUNCTION_STARTS: 0x26,
  MAIN: 0x80000028,
  SOURCE_VERSION: 0x2a,
  VERSION_MIN_TVOS: 0x2f,
  VERSION_MIN_WATCHOS: 0x30,
  BUILD_VERSION: 0x32,
  DYLD_EXPORTS_TRIE: 0x80000033,
  DYLD_CHAINED_FIXUPS: 0x80000034,
} as const;

/** `section.flags & SECTION_TYPE`: the types that matter here. */
export const SECTION_TYPE = {
  MASK: 0xff,
  S_ZEROFILL: 0x1,
  S_GB_ZEROFILL: 0xc,
  S_THREAD_LOCAL_ZEROFILL: 0x12,
} as const;

/** `nlist.n_type` masks and values, and the `n_desc` bit for Thumb. */
export const NLIST = {
  N_STAB: 0xe0,
  N_PEXT: 0x10,
  N_TYPE: 0x0e,
  N_EXT: 0x01,
  N_SECT: 0x0e,
  N_ARM_THUMB_DEF: 0x0008,
} as const;

/** Flags of an exported symbol in the export trie. */
export const EXPORT_SYMBOL_FLAGS = {
  KIND_MASK: 0x03,
  KIND_REGULAR: 0,
  KIND_THREAD_LOCAL: 1,
  KIND_ABSOLUTE: 2,
  WEAK_DEFINITION: 0x04,
  REEXPORT: 0x08,
  STUB_AND_RESOLVER: 0x10,
} as const;

/** `PLATFORM_*` of `LC_BUILD_VERSION`, as Apple's tools print them. */
export const PLATFORM_NAMES: Readonly<Record<number, string>> = {
  1: "macos",
  2: "ios",
  3: "tvos",
  4: "watchos",
  5: "bridgeos",
  6: "mac-catalyst",
  7: "ios-simulator",
  8: "tvos-simulator",
  9: "watchos-simulator",
  10: "driverkit",
  11: "visionos",
  12: "visionos-simulator",
};
