/** The numbers of the Mach-O format, named as in `<mach/machine.h>`, `<mach-o/loader.h>`,
 * `<mach-o/fat.h>` and `<mach-o/nlist.h>`. */

/** `cpu_type_t`: {@linkcode CPU_TYPE} values, by name. */
export const CPU_TYPE = {
  I386: 7,
  X86_64: 0x01000007,
  ARM: 12,
  ARM64: 0x0100000c,
  ARM64_32: 0x0200000c,
} as const;

/** The bits of a `cpusubtype` that hold capabilities. */
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

/** `mach_header.flags`: the image is in the dyld shared cache, and shares its `__LINKEDIT`. */
export const MH_DYLIB_IN_CACHE = 0x80000000;

/** `load_command.cmd`, including `LC_REQ_DYLD`. */
export const LC = {
  SEGMENT: 0x1,
  SYMTAB: 0x2,
  SYMSEG: 0x3,
  THREAD: 0x4,
  UNIXTHREAD: 0x5,
  LOADFVMLIB: 0x6,
  IDFVMLIB: 0x7,
  IDENT: 0x8,
  FVMFILE: 0x9,
  PREPAGE: 0xa,
  DYSYMTAB: 0xb,
  LOAD_DYLIB: 0xc,
  ID_DYLIB: 0xd,
  LOAD_DYLINKER: 0xe,
  ID_DYLINKER: 0xf,
  PREBOUND_DYLIB: 0x10,
  ROUTINES: 0x11,
  SUB_FRAMEWORK: 0x12,
  SUB_UMBRELLA: 0x13,
  SUB_CLIENT: 0x14,
  SUB_LIBRARY: 0x15,
  TWOLEVEL_HINTS: 0x16,
  PREBIND_CKSUM: 0x17,
  LOAD_WEAK_DYLIB: 0x80000018,
  SEGMENT_64: 0x19,
  ROUTINES_64: 0x1a,
  UUID: 0x1b,
  RPATH: 0x8000001c,
  CODE_SIGNATURE: 0x1d,
  SEGMENT_SPLIT_INFO: 0x1e,
  REEXPORT_DYLIB: 0x8000001f,
  LAZY_LOAD_DYLIB: 0x20,
  ENCRYPTION_INFO: 0x21,
  DYLD_INFO: 0x22,
  DYLD_INFO_ONLY: 0x80000022,
  LOAD_UPWARD_DYLIB: 0x80000023,
  VERSION_MIN_MACOSX: 0x24,
  VERSION_MIN_IPHONEOS: 0x25,
  FUNCTION_STARTS: 0x26,
  DYLD_ENVIRONMENT: 0x27,
  MAIN: 0x80000028,
  DATA_IN_CODE: 0x29,
  SOURCE_VERSION: 0x2a,
  DYLIB_CODE_SIGN_DRS: 0x2b,
  ENCRYPTION_INFO_64: 0x2c,
  LINKER_OPTION: 0x2d,
  LINKER_OPTIMIZATION_HINT: 0x2e,
  VERSION_MIN_TVOS: 0x2f,
  VERSION_MIN_WATCHOS: 0x30,
  NOTE: 0x31,
  BUILD_VERSION: 0x32,
  DYLD_EXPORTS_TRIE: 0x80000033,
  DYLD_CHAINED_FIXUPS: 0x80000034,
  FILESET_ENTRY: 0x80000035,
  ATOM_INFO: 0x36,
  FUNCTION_VARIANTS: 0x37,
  FUNCTION_VARIANT_FIXUPS: 0x38,
  TARGET_TRIPLE: 0x39,
} as const;

/** `section.flags & SECTION_TYPE`: the types in use here. */
export const SECTION_TYPE = {
  MASK: 0xff,
  S_ZEROFILL: 0x1,
  S_GB_ZEROFILL: 0xc,
  S_SYMBOL_STUBS: 0x8,
  S_THREAD_LOCAL_ZEROFILL: 0x12,
} as const;

/** `nlist.n_type` masks and values, and `n_desc` bits. */
export const NLIST = {
  N_STAB: 0xe0,
  N_PEXT: 0x10,
  N_TYPE: 0x0e,
  N_EXT: 0x01,
  N_UNDF: 0x00,
  N_ABS: 0x02,
  N_INDR: 0x0a,
  N_PBUD: 0x0c,
  N_SECT: 0x0e,
  N_WEAK_REF: 0x0040,
  N_WEAK_DEF: 0x0080,
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
