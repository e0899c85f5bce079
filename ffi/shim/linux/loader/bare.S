/* bare.S: the program's first instructions, and clone, for host_bare.c, which says what they do. */
	.file "bare.S"
	.text

#define FUNCTION(name) .globl name; .hidden name; .type name, %function; name

#if defined(__i386__)
#include "i386/bare.S"
#elif defined(__aarch64__)
#include "arm64/bare.S"
#elif defined(__arm__)
#include "armv7/bare.S"
#endif

	.section .note.GNU-stack, "", %progbits
