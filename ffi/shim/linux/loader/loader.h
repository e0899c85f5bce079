/*
 * loader.h: the Mach-O loader's parts, and the small interface by which a program other than
 * macho-loader may load a Mach-O dylib into itself.
 */
#ifndef LOADER_H
#define LOADER_H

#include "arch.h"
#include "macho.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOADER_EXPORT __attribute__((visibility("default")))

struct image;

/* --- for programs that load a dylib into themselves ------------------------------------------ */

/*
 * Answers an import of the image, or returns NULL to leave it to loader_libsystem(). The name is
 * the C name, without Mach-O's leading underscore.
 */
typedef const void *(*loader_resolve)(const char *name);

/*
 * Maps a Mach-O file and the dylibs it needs, fixes them up and runs their initialisers. Images
 * stay for the life of the process. NULL on failure: see loader_error(). resolve may be NULL. Not
 * to be called by two threads at once.
 */
LOADER_EXPORT struct image *loader_open(const char *path, loader_resolve resolve);

/* The address of an exported symbol, by its C name, or NULL. */
LOADER_EXPORT void *loader_symbol(struct image *image, const char *name);

/* One line that tells why the last loader_open() failed: file, offset, what was expected. */
LOADER_EXPORT const char *loader_error(void);

/* What this loader provides in place of libSystem: its own function, else the host C library's. */
LOADER_EXPORT const void *loader_libsystem(const char *name);

/* --- inside the loader ----------------------------------------------------------------------- */

struct segment {
	char name[17];
	uintptr_t vmaddr; /* as linked; add the slide */
	uintptr_t vmsize; /* rounded up to pages */
	uint64_t fileoff; /* into the slice */
	uint64_t filesize;
	int initprot;
	uint32_t flags;
	bool mapped; /* false for __PAGEZERO */
};

struct dependency {
	const char *name;
	struct image *image; /* NULL: libSystem and its like, which the host provides, or weak and absent */
	bool weak;
	bool reexport;
	bool absent;
};

struct image {
	struct image *next; /* in load order */
	const char *path;   /* absolute, links resolved */
	uint64_t slice;     /* where the Mach-O file starts in a fat file */
	uint64_t slice_size;
	struct mach_header_native header;
	const uint8_t *commands; /* a checked copy: each within sizeofcmds, at least 8 bytes */
	uint64_t commands_offset;
	struct segment *segments;
	uint32_t segment_count;
	struct dependency *dependencies;
	uint32_t dependency_count;
	uintptr_t low; /* lowest and highest mapped address as linked */
	uintptr_t high;
	uintptr_t slide;
	uintptr_t load_address; /* of the Mach header */
	uint64_t modification_time;
	uint64_t device;
	uint64_t inode;
	loader_resolve resolve;
	bool inserted; /* named in DYLD_INSERT_LIBRARIES */
	bool fixed_up;
	bool initialised;
};

/* memory.c: an arena that only grows; zeroed, aligned to 16. NULL when the system has no more. */
void *arena_alloc(size_t size);
char *arena_join(const char *first, size_t first_length, const char *second);

/* report.c: each returns false, so that a check can `return fail(…)`. */
bool fail(const struct image *image, uint64_t offset, const char *expected);
bool fail_path(const char *path, const char *reason);
bool fail_name(const char *path, const char *reason, const char *name);
void print_error(const char *text);
_Noreturn void die(const char *text);

/* image.c */
extern struct image *loader_images; /* the first is the program, or the first opened dylib */
struct image *image_load(const char *path, const struct image *loading, loader_resolve resolve);
const struct load_command *image_command(const struct image *image, const struct load_command *previous);
const struct load_command *image_find_command(const struct image *image, uint32_t cmd);
uint64_t image_command_offset(const struct image *image, const struct load_command *command);
/* Bytes of the file as they are mapped, or NULL where no segment maps all of them. */
const uint8_t *image_file_bytes(const struct image *image, uint64_t offset, uint64_t size);
/* Whether [address, address + size), slid, lies in a mapped segment with all of these protections. */
bool image_contains(const struct image *image, uintptr_t address, uintptr_t size, int protection);
bool image_protect(struct image *image);

/* program.c: mapping, fixing up and initialising an image and all it needs. */
bool image_prepare(struct image *image);
bool image_initialise(struct image *image, int argc, char **argv, char **envp, char **apple);
/* Loads the libraries of DYLD_INSERT_LIBRARIES: after the program, before its dependencies. */
bool images_insert(char **envp);
/* Initialises them in order. To be called before the program is initialised. */
bool images_initialise_inserted(int argc, char **argv, char **envp, char **apple);

/* leb128.c */
struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool bad; /* read past the end, or a number too large */
};
uint8_t cursor_byte(struct cursor *cursor);
uint64_t cursor_uleb(struct cursor *cursor);
int64_t cursor_sleb(struct cursor *cursor);
const char *cursor_string(struct cursor *cursor);

/* exports.c: name has its underscore. */
bool image_export(const struct image *image, const char *name, int depth, uintptr_t *address);
/* What an import is bound to. Sets *address, to 0 for a weak import that is absent. */
bool resolve_import(const struct image *image, int ordinal, const char *name, bool weak, uintptr_t *address);

/* fixups.c and chained.c */
bool image_fix_up(struct image *image);
bool image_fix_up_chains(struct image *image, const struct linkedit_data_command *command);

/* trap.c: code that reports the missing import when called. 0 when memory is short. */
uintptr_t missing_import(const struct image *image, const char *name);

/* dyld_infos.c */
bool dyld_infos_publish(const char *loader_path);
void dyld_infos_update(void); /* does nothing before publication */
void dyld_infos_program_starts(void);

/* messages.c, threads.c and times.c: tables that end in a NULL name. */
struct libsystem_entry {
	const char *name;
	const void *address;
};
extern const struct libsystem_entry message_entries[];
extern const struct libsystem_entry thread_entries[];
extern const struct libsystem_entry time_entries[];

/* libsystem.c: for _NSGetExecutablePath and its like. */
void libsystem_set_program(const struct image *image, int argc, char **argv, char **envp);
int libsystem_open(const char *path, int flags, int mode);
int libsystem_variadic_open(const char *path, int flags, ...); /* entry.S, where Darwin's calls differ */

/* host_glibc.c or host_bare.c: what differs with and without a C library beneath. */
struct thread;
const void *host_symbol(const char *name);
int host_thread_create(struct thread *thread);
bool host_thread_gone(const struct thread *thread); /* whether the record of a finished thread can be reused */
_Noreturn void host_thread_exit(void);
_Noreturn void host_exit(int status);
int *host_errno(void);

/* entry.S */
_Noreturn void loader_start_main(uintptr_t entry, int argc, char **argv, char **envp, char **apple);
_Noreturn void loader_start_unixthread(uintptr_t entry, uintptr_t stack);
void *loader_thread_start(void *thread);

#endif
