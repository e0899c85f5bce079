/* embed_x86_64.h: a jump to the address in a variable, and what the dylib's fcntl is bound to. */
#define JUMP(variable) "jmp *" variable "(%rip)"
#define DARWIN_FCNTL darwin_fcntl
