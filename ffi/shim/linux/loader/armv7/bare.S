	.syntax	unified
	.arm
	.globl	_start
_start:
	mov	r7, #0
	mov	lr, #0
	mov	r0, sp
	blx	loader_bare_start

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
