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
