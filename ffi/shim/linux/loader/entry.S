/*
 * entry.S: where control passes between the host and the program: see loader.h. Each function clears the
 * frame pointer before it enters the program, so that every chain of frame records there ends in a null
 * one, as on Darwin.
 */

/* Without a name of its own, the symbol table gets that of the compiler's temporary object. */
	.file "entry.S"
	.text

#define FUNCTION(name) .globl name; .hidden name; .type name, %function; name

#if defined(__x86_64__)
#include "x86_64/entry.S"
#elif defined(__i386__)
#include "i386/entry.S"
#elif defined(__aarch64__)
#include "arm64/entry.S"
#elif defined(__arm__)
#include "armv7/entry.S"
#endif

	.section .note.GNU-stack, "", %progbits
