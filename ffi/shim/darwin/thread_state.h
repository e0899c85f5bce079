/*
 * The thread states of all four architectures: <mach/i386/thread_status.h> and
 * <mach/arm/thread_status.h>, with the structures of <mach/i386/_structs.h> and
 * <mach/arm/_structs.h>. Apple's headers only have those of the architecture being built. The numbers
 * of the flavors overlap between the two families; the machine decides which is meant.
 */
#ifndef MACHPAUSE_DARWIN_THREAD_STATE_H
#define MACHPAUSE_DARWIN_THREAD_STATE_H

#include "types.h"

typedef natural_t *thread_state_t;
typedef int thread_state_flavor_t;

#define x86_THREAD_STATE32 1
#define x86_EXCEPTION_STATE32 3
#define x86_THREAD_STATE64 4
#define x86_EXCEPTION_STATE64 6

typedef struct __darwin_i386_thread_state {
	unsigned int __eax;
	unsigned int __ebx;
	unsigned int __ecx;
	unsigned int __edx;
	unsigned int __edi;
	unsigned int __esi;
	unsigned int __ebp;
	unsigned int __esp;
	unsigned int __ss;
	unsigned int __eflags;
	unsigned int __eip;
	unsigned int __cs;
	unsigned int __ds;
	unsigned int __es;
	unsigned int __fs;
	unsigned int __gs;
} x86_thread_state32_t;

typedef struct __darwin_x86_thread_state64 {
	uint64_t __rax;
	uint64_t __rbx;
	uint64_t __rcx;
	uint64_t __rdx;
	uint64_t __rdi;
	uint64_t __rsi;
	uint64_t __rbp;
	uint64_t __rsp;
	uint64_t __r8;
	uint64_t __r9;
	uint64_t __r10;
	uint64_t __r11;
	uint64_t __r12;
	uint64_t __r13;
	uint64_t __r14;
	uint64_t __r15;
	uint64_t __rip;
	uint64_t __rflags;
	uint64_t __cs;
	uint64_t __fs;
	uint64_t __gs;
} x86_thread_state64_t;

typedef struct __darwin_i386_exception_state {
	uint16_t __trapno;
	uint16_t __cpu;
	uint32_t __err;
	uint32_t __faultvaddr;
} x86_exception_state32_t;

typedef struct __darwin_x86_exception_state64 {
	uint16_t __trapno;
	uint16_t __cpu;
	uint32_t __err;
	uint64_t __faultvaddr;
} x86_exception_state64_t;

#define x86_THREAD_STATE32_COUNT \
	((mach_msg_type_number_t)(sizeof(x86_thread_state32_t) / sizeof(int)))
#define x86_THREAD_STATE64_COUNT \
	((mach_msg_type_number_t)(sizeof(x86_thread_state64_t) / sizeof(int)))
#define x86_EXCEPTION_STATE32_COUNT \
	((mach_msg_type_number_t)(sizeof(x86_exception_state32_t) / sizeof(int)))
#define x86_EXCEPTION_STATE64_COUNT \
	((mach_msg_type_number_t)(sizeof(x86_exception_state64_t) / sizeof(int)))

#define ARM_THREAD_STATE 1
#define ARM_EXCEPTION_STATE 3
#define ARM_THREAD_STATE64 6
#define ARM_EXCEPTION_STATE64 7
#define ARM_THREAD_STATE32 9

typedef struct __darwin_arm_thread_state {
	uint32_t __r[13];
	uint32_t __sp;
	uint32_t __lr;
	uint32_t __pc;
	uint32_t __cpsr;
} arm_thread_state_t;

/* For arm64. arm64e has the same layout, with signed pointers. */
typedef struct __darwin_arm_thread_state64 {
	uint64_t __x[29];
	uint64_t __fp;
	uint64_t __lr;
	uint64_t __sp;
	uint64_t __pc;
	uint32_t __cpsr;
	uint32_t __pad;
} arm_thread_state64_t;

typedef struct __darwin_arm_exception_state {
	uint32_t __exception;
	uint32_t __fsr;
	uint32_t __far;
} arm_exception_state_t;

typedef struct __darwin_arm_exception_state64 {
	uint64_t __far;
	uint32_t __esr;
	uint32_t __exception;
} arm_exception_state64_t;

#define ARM_THREAD_STATE_COUNT \
	((mach_msg_type_number_t)(sizeof(arm_thread_state_t) / sizeof(uint32_t)))
#define ARM_THREAD_STATE64_COUNT \
	((mach_msg_type_number_t)(sizeof(arm_thread_state64_t) / sizeof(uint32_t)))
#define ARM_EXCEPTION_STATE_COUNT \
	((mach_msg_type_number_t)(sizeof(arm_exception_state_t) / sizeof(uint32_t)))
#define ARM_EXCEPTION_STATE64_COUNT \
	((mach_msg_type_number_t)(sizeof(arm_exception_state64_t) / sizeof(uint32_t)))

#endif
