/* A 32-bit process with a known value in every register, without a C library. */
__asm__(".syntax unified\n"
	".arm\n"
	".globl _start\n"
	"_start:\n"
	"	mov r7, #4\n" /* write(1, line, 1) */
	"	mov r0, #1\n"
	"	ldr r1, =line\n"
	"	mov r2, #1\n"
	"	svc #0\n"
	"	mov r7, #104\n" /* setitimer(ITIMER_REAL, timer, 0): alarm(120) */
	"	mov r0, #0\n"
	"	ldr r1, =timer\n"
	"	mov r2, #0\n"
	"	svc #0\n"
	"	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14\n"
	"	ldr r\\n, =0x11111101 + \\n\n"
	"	.endr\n"
	"1:	b 1b\n"
	"	.ltorg\n"
	".section .rodata\n"
	"	.balign 4\n"
	"timer:	.word 0, 0, 120, 0\n"
	"line:	.ascii \"\\n\"\n");
