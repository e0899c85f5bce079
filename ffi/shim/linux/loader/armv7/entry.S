	.syntax	unified
	.arm
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

/*
 * The kernel takes a call's number in r7, which is the frame pointer here. So during a call the stack
 * pointer points to a frame record; ../../arm/machine.h knows the thread by the two instructions from svc
 * on. The kernel ignores the immediate of Thumb's svc.
 */
	.thumb
	.thumb_func
FUNCTION(loader_system_call):
	push	{r4, r5}
	push	{r7, lr}
	mov	r7, r0
	mov	r0, r1
	mov	r1, r2
	mov	r2, r3
	ldr	r3, [sp, #16]
	ldr	r4, [sp, #20]
	ldr	r5, [sp, #24]
	svc	#0x4d
	pop.w	{r7, lr}
	pop	{r4, r5}
	bx	lr
