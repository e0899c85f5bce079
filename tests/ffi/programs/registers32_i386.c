/* A 32-bit process with a known value in every register, without a C library. */
__asm__(".globl _start\n"
	"_start:\n"
	"	movl $4, %eax\n" /* write(1, line, 1) */
	"	movl $1, %ebx\n"
	"	movl $line, %ecx\n"
	"	movl $1, %edx\n"
	"	int $0x80\n"
	"	movl $27, %eax\n" /* alarm(120) */
	"	movl $120, %ebx\n"
	"	int $0x80\n"
	"	movl $0x11111101, %eax\n"
	"	movl $0x11111102, %ebx\n"
	"	movl $0x11111103, %ecx\n"
	"	movl $0x11111104, %edx\n"
	"	movl $0x11111105, %edi\n"
	"	movl $0x11111106, %esi\n"
	"	movl $0x11111107, %ebp\n"
	"1:	jmp 1b\n"
	".section .rodata\n"
	"line:	.ascii \"\\n\"\n");
