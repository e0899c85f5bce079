/*
 * entry.S: where control passes between the host and the program. Each clears the frame pointer
 * first, so that every chain of frame records in the program ends in a null one, as on Darwin.
 */
	.text

#define FUNCTION(name) .globl name; .hidden name; .type name, %function; name

#if defined(__x86_64__)

FUNCTION(loader_start_main):
	mov	%rdi, %rax
	mov	%esi, %edi
	mov	%rdx, %rsi
	mov	%rcx, %rdx
	mov	%r8, %rcx
	xor	%ebp, %ebp
	and	$-16, %rsp
	call	*%rax
	mov	%eax, %edi
	call	host_exit

FUNCTION(loader_start_unixthread):
	mov	%rsi, %rsp
	xor	%ebp, %ebp
	jmp	*%rdi

FUNCTION(loader_thread_start):
	push	%rbp
	xor	%ebp, %ebp
	call	loader_thread_main
	pop	%rbp
	ret

#elif defined(__i386__)

	.globl	_start
_start:
	mov	%esp, %eax
	xor	%ebp, %ebp
	and	$-16, %esp
	sub	$12, %esp
	push	%eax
	call	loader_bare_start

FUNCTION(loader_start_main):
	mov	4(%esp), %eax
	mov	8(%esp), %ebx
	mov	12(%esp), %ecx
	mov	16(%esp), %edx
	mov	20(%esp), %esi
	xor	%ebp, %ebp
	and	$-16, %esp
	push	%esi
	push	%edx
	push	%ecx
	push	%ebx
	call	*%eax
	sub	$12, %esp
	push	%eax
	call	host_exit

FUNCTION(loader_start_unixthread):
	mov	4(%esp), %eax
	mov	8(%esp), %esp
	xor	%ebp, %ebp
	jmp	*%eax

/* long loader_clone(flags, stack, thread, tid) */
FUNCTION(loader_clone):
	push	%ebx
	push	%esi
	push	%edi
	mov	16(%esp), %ebx
	mov	20(%esp), %ecx
	mov	24(%esp), %edx
	sub	$16, %ecx
	mov	%edx, (%ecx)
	xor	%edx, %edx
	xor	%esi, %esi
	mov	28(%esp), %edi
	mov	$120, %eax
	int	$0x80
	test	%eax, %eax
	jz	1f
	pop	%edi
	pop	%esi
	pop	%ebx
	ret
1:	xor	%ebp, %ebp
	call	loader_thread_main
	call	host_thread_exit

#elif defined(__aarch64__)

	.globl	_start
_start:
	mov	x29, xzr
	mov	x30, xzr
	mov	x0, sp
	bl	loader_bare_start

FUNCTION(loader_start_main):
	mov	x9, x0
	mov	w0, w1
	mov	x1, x2
	mov	x2, x3
	mov	x3, x4
	mov	x29, xzr
	blr	x9
	bl	host_exit

FUNCTION(loader_start_unixthread):
	mov	sp, x1
	mov	x29, xzr
	br	x0

FUNCTION(loader_clone):
	mov	x9, x2
	mov	x4, x3
	mov	x2, xzr
	mov	x3, xzr
	mov	x8, #220
	svc	#0
	cbz	x0, 1f
	ret
1:	mov	x29, xzr
	mov	x30, xzr
	mov	x0, x9
	bl	loader_thread_main
	bl	host_thread_exit

#elif defined(__arm__)

	.syntax	unified
	.arm
	.globl	_start
_start:
	mov	r7, #0
	mov	lr, #0
	mov	r0, sp
	blx	loader_bare_start

FUNCTION(loader_start_main):
	mov	r12, r0
	mov	r0, r1
	mov	r1, r2
	mov	r2, r3
	ldr	r3, [sp]
	mov	r7, #0
	blx	r12
	blx	host_exit

FUNCTION(loader_start_unixthread):
	mov	sp, r1
	mov	r7, #0
	bx	r0

FUNCTION(loader_clone):
	push	{r4, r5, r7, lr}
	mov	r5, r2
	mov	r4, r3
	mov	r2, #0
	mov	r3, #0
	mov	r7, #120
	svc	#0
	cmp	r0, #0
	beq	1f
	pop	{r4, r5, r7, pc}
1:	mov	r7, #0
	mov	lr, #0
	mov	r0, r5
	blx	loader_thread_main
	blx	host_thread_exit

FUNCTION(loader_arm_call):
	push	{r4, r5, r7, lr}
	mov	r7, r0
	mov	r0, r1
	mov	r1, r2
	mov	r2, r3
	ldr	r3, [sp, #16]
	ldr	r4, [sp, #20]
	ldr	r5, [sp, #24]
	svc	#0
	pop	{r4, r5, r7, pc}

/* The old convention has the number in the instruction; r7, the frame pointer, stays as it is. */
FUNCTION(loader_arm_futex):
	svc	#(0x900000 + 240)
	bx	lr

FUNCTION(loader_arm_nanosleep):
	svc	#(0x900000 + 162)
	bx	lr

#endif

	.section .note.GNU-stack, "", %progbits
