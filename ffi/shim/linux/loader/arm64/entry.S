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

FUNCTION(loader_thread_start):
	stp	x29, x30, [sp, #-16]!
	mov	x29, xzr
	bl	loader_thread_main
	ldp	x29, x30, [sp], #16
	ret

/* Darwin passes the arguments that a declaration has as `...` on the stack. */
FUNCTION(libsystem_variadic_open):
	ldr	w2, [sp]
	b	libsystem_open
