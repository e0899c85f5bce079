/*
 * macho.h: the parts of the Mach-O format that a loader reads, declared here because hosts other
 * than Darwin lack <mach-o/loader.h>, <mach-o/nlist.h>, <mach-o/fat.h> and
 * <mach-o/fixup-chains.h>. Names follow those headers; `_native` types are the 32-bit or the
 * 64-bit layout, whichever this loader's own processor uses.
 */
#ifndef LOADER_MACHO_H
#define LOADER_MACHO_H

#include <stdint.h>

#define FAT_MAGIC 0xcafebabeu /* big endian on disk, as everything in a fat header */
#define FAT_MAGIC_64 0xcafebabfu

#define CPU_TYPE_I386 7
#define CPU_TYPE_X86_64 0x01000007
#define CPU_TYPE_ARM 12
#define CPU_TYPE_ARM64 0x0100000c

struct fat_header {
	uint32_t magic;
	uint32_t nfat_arch;
};

struct fat_arch {
	int32_t cputype;
	int32_t cpusubtype;
	uint32_t offset;
	uint32_t size;
	uint32_t align;
};

struct fat_arch_64 {
	int32_t cputype;
	int32_t cpusubtype;
	uint64_t offset;
	uint64_t size;
	uint32_t align;
	uint32_t reserved;
};

struct mach_header_native {
	uint32_t magic;
	int32_t cputype;
	int32_t cpusubtype;
	uint32_t filetype;
	uint32_t ncmds;
	uint32_t sizeofcmds;
	uint32_t flags;
#if __SIZEOF_POINTER__ == 8
	uint32_t reserved;
#endif
};

#if __SIZEOF_POINTER__ == 8
#define MH_MAGIC_NATIVE 0xfeedfacfu
#define LC_SEGMENT_NATIVE 0x19u
#else
#define MH_MAGIC_NATIVE 0xfeedfaceu
#define LC_SEGMENT_NATIVE 0x1u
#endif

#define MH_EXECUTE 2u
#define MH_DYLIB 6u
#define MH_BUNDLE 8u
#define MH_PIE 0x200000u

#define LC_REQ_DYLD 0x80000000u
#define LC_SYMTAB 0x2u
#define LC_UNIXTHREAD 0x5u
#define LC_LOAD_DYLIB 0xcu
#define LC_LOAD_WEAK_DYLIB (0x18u | LC_REQ_DYLD)
#define LC_UUID 0x1bu
#define LC_RPATH (0x1cu | LC_REQ_DYLD)
#define LC_REEXPORT_DYLIB (0x1fu | LC_REQ_DYLD)
#define LC_LOAD_UPWARD_DYLIB (0x23u | LC_REQ_DYLD)
#define LC_DYLD_INFO 0x22u
#define LC_DYLD_INFO_ONLY (0x22u | LC_REQ_DYLD)
#define LC_MAIN (0x28u | LC_REQ_DYLD)
#define LC_BUILD_VERSION 0x32u
#define LC_DYLD_EXPORTS_TRIE (0x33u | LC_REQ_DYLD)
#define LC_DYLD_CHAINED_FIXUPS (0x34u | LC_REQ_DYLD)

struct load_command {
	uint32_t cmd;
	uint32_t cmdsize;
};

struct segment_command_native {
	uint32_t cmd;
	uint32_t cmdsize;
	char segname[16];
	uintptr_t vmaddr;
	uintptr_t vmsize;
	uintptr_t fileoff;
	uintptr_t filesize;
	int32_t maxprot;
	int32_t initprot;
	uint32_t nsects;
	uint32_t flags;
};

#define VM_PROT_READ 1
#define VM_PROT_WRITE 2
#define VM_PROT_EXECUTE 4
#define SG_READ_ONLY 0x10u /* made read-only once fixed up */

struct section_native {
	char sectname[16];
	char segname[16];
	uintptr_t addr;
	uintptr_t size;
	uint32_t offset;
	uint32_t align;
	uint32_t reloff;
	uint32_t nreloc;
	uint32_t flags;
	uint32_t reserved1;
	uint32_t reserved2;
#if __SIZEOF_POINTER__ == 8
	uint32_t reserved3;
#endif
};

#define SECTION_TYPE 0xffu
#define S_MOD_INIT_FUNC_POINTERS 0x9u
#define S_INIT_FUNC_OFFSETS 0x16u

struct dylib_command {
	uint32_t cmd;
	uint32_t cmdsize;
	uint32_t name; /* offset of the string from the start of this command */
	uint32_t timestamp;
	uint32_t current_version;
	uint32_t compatibility_version;
};

struct rpath_command {
	uint32_t cmd;
	uint32_t cmdsize;
	uint32_t path;
};

struct symtab_command {
	uint32_t cmd;
	uint32_t cmdsize;
	uint32_t symoff;
	uint32_t nsyms;
	uint32_t stroff;
	uint32_t strsize;
};

struct nlist_native {
	uint32_t n_strx;
	uint8_t n_type;
	uint8_t n_sect;
	uint16_t n_desc;
	uintptr_t n_value;
};

#define N_STAB 0xe0
#define N_TYPE 0x0e
#define N_EXT 0x01
#define N_ABS 0x02
#define N_SECT 0x0e
#define N_ARM_THUMB_DEF 0x0008

struct linkedit_data_command {
	uint32_t cmd;
	uint32_t cmdsize;
	uint32_t dataoff;
	uint32_t datasize;
};

struct dyld_info_command {
	uint32_t cmd;
	uint32_t cmdsize;
	uint32_t rebase_off;
	uint32_t rebase_size;
	uint32_t bind_off;
	uint32_t bind_size;
	uint32_t weak_bind_off;
	uint32_t weak_bind_size;
	uint32_t lazy_bind_off;
	uint32_t lazy_bind_size;
	uint32_t export_off;
	uint32_t export_size;
};

struct entry_point_command {
	uint32_t cmd;
	uint32_t cmdsize;
	uint64_t entryoff;
	uint64_t stacksize;
};

struct build_version_command {
	uint32_t cmd;
	uint32_t cmdsize;
	uint32_t platform;
	uint32_t minos;
	uint32_t sdk;
	uint32_t ntools;
};

struct uuid_command {
	uint32_t cmd;
	uint32_t cmdsize;
	uint8_t uuid[16];
};

/* Opcodes are in the high four bits of a byte, immediates in the low four. */
#define OPCODE_MASK 0xf0
#define IMMEDIATE_MASK 0x0f

enum {
	REBASE_OPCODE_DONE = 0x00,
	REBASE_OPCODE_SET_TYPE_IMM = 0x10,
	REBASE_OPCODE_SET_SEGMENT_AND_OFFSET_ULEB = 0x20,
	REBASE_OPCODE_ADD_ADDR_ULEB = 0x30,
	REBASE_OPCODE_ADD_ADDR_IMM_SCALED = 0x40,
	REBASE_OPCODE_DO_REBASE_IMM_TIMES = 0x50,
	REBASE_OPCODE_DO_REBASE_ULEB_TIMES = 0x60,
	REBASE_OPCODE_DO_REBASE_ADD_ADDR_ULEB = 0x70,
	REBASE_OPCODE_DO_REBASE_ULEB_TIMES_SKIPPING_ULEB = 0x80,
};

enum { REBASE_TYPE_POINTER = 1, REBASE_TYPE_TEXT_ABSOLUTE32 = 2, REBASE_TYPE_TEXT_PCREL32 = 3 };

enum {
	BIND_OPCODE_DONE = 0x00,
	BIND_OPCODE_SET_DYLIB_ORDINAL_IMM = 0x10,
	BIND_OPCODE_SET_DYLIB_ORDINAL_ULEB = 0x20,
	BIND_OPCODE_SET_DYLIB_SPECIAL_IMM = 0x30,
	BIND_OPCODE_SET_SYMBOL_TRAILING_FLAGS_IMM = 0x40,
	BIND_OPCODE_SET_TYPE_IMM = 0x50,
	BIND_OPCODE_SET_ADDEND_SLEB = 0x60,
	BIND_OPCODE_SET_SEGMENT_AND_OFFSET_ULEB = 0x70,
	BIND_OPCODE_ADD_ADDR_ULEB = 0x80,
	BIND_OPCODE_DO_BIND = 0x90,
	BIND_OPCODE_DO_BIND_ADD_ADDR_ULEB = 0xa0,
	BIND_OPCODE_DO_BIND_ADD_ADDR_IMM_SCALED = 0xb0,
	BIND_OPCODE_DO_BIND_ULEB_TIMES_SKIPPING_ULEB = 0xc0,
};

#define BIND_SYMBOL_FLAGS_WEAK_IMPORT 0x1
#define BIND_SYMBOL_FLAGS_NON_WEAK_DEFINITION 0x8

/* Two-level namespace: ordinals above 0 count the image's dylibs, from 1. */
#define BIND_SPECIAL_DYLIB_SELF 0
#define BIND_SPECIAL_DYLIB_MAIN_EXECUTABLE (-1)
#define BIND_SPECIAL_DYLIB_FLAT_LOOKUP (-2)
#define BIND_SPECIAL_DYLIB_WEAK_LOOKUP (-3)

#define EXPORT_SYMBOL_FLAGS_KIND_MASK 0x03
#define EXPORT_SYMBOL_FLAGS_KIND_ABSOLUTE 0x02
#define EXPORT_SYMBOL_FLAGS_REEXPORT 0x08

struct dyld_chained_fixups_header {
	uint32_t fixups_version;
	uint32_t starts_offset;
	uint32_t imports_offset;
	uint32_t symbols_offset;
	uint32_t imports_count;
	uint32_t imports_format;
	uint32_t symbols_format;
};

/* The fixed part of dyld_chained_starts_in_segment; uint16_t page_start[page_count] follows it. */
struct dyld_chained_starts_in_segment {
	uint32_t size;
	uint16_t page_size;
	uint16_t pointer_format;
	uint64_t segment_offset;
	uint32_t max_valid_pointer;
	uint16_t page_count;
} __attribute__((packed));

#define DYLD_CHAINED_PTR_START_NONE 0xffff
#define DYLD_CHAINED_PTR_START_MULTI 0x8000
#define DYLD_CHAINED_PTR_START_LAST 0x8000

enum { DYLD_CHAINED_PTR_64 = 2, DYLD_CHAINED_PTR_32 = 3, DYLD_CHAINED_PTR_64_OFFSET = 6 };
enum { DYLD_CHAINED_IMPORT = 1, DYLD_CHAINED_IMPORT_ADDEND = 2, DYLD_CHAINED_IMPORT_ADDEND64 = 3 };

_Static_assert(sizeof(struct segment_command_native) == (__SIZEOF_POINTER__ == 8 ? 72 : 56), "segment_command");
_Static_assert(sizeof(struct section_native) == (__SIZEOF_POINTER__ == 8 ? 80 : 68), "section");
_Static_assert(sizeof(struct nlist_native) == (__SIZEOF_POINTER__ == 8 ? 16 : 12), "nlist");
_Static_assert(sizeof(struct dyld_chained_starts_in_segment) == 22, "dyld_chained_starts_in_segment");

#endif
