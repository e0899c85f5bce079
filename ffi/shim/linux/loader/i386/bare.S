	.globl	_start
_start:
	mov	%esp, %eax
	xor	%ebp, %ebp
	and	$-16, %esp
	sub	$12, %esp
	push	%eax
	call	loader_bare_start

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
