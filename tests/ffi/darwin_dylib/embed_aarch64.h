/* embed_aarch64.h: a jump to the address in a variable, and what the dylib's fcntl is bound to. */
#define JUMP(variable) "adrp x16, :got:" variable "\n\tldr x16, [x16, :got_lo12:" variable \
	"]\n\tldr x16, [x16]\n\tbr x16"
#define DARWIN_FCNTL darwin_variadic_fcntl

/* Darwin passes what a declaration has as `...` on the stack. */
int darwin_variadic_fcntl(int descriptor, int command, ...);
__asm__(".text\n"
	".globl darwin_variadic_fcntl\n"
	".hidden darwin_variadic_fcntl\n"
	".type darwin_variadic_fcntl, @function\n"
	"darwin_variadic_fcntl:\n"
	"	ldr x2, [sp]\n"
	"	b darwin_fcntl\n"
	".size darwin_variadic_fcntl, . - darwin_variadic_fcntl\n");
