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
