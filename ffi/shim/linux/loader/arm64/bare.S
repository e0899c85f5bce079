	.globl	_start
_start:
	mov	x29, xzr
	mov	x30, xzr
	mov	x0, sp
	bl	loader_bare_start

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
