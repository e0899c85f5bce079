#define _GNU_SOURCE
#include "lock.h"

#include "sys.h"

enum { FREE, HELD, CONTENDED };

static uint32_t word = FREE;

bool mp_try_lock(void)
{
	uint32_t expected = FREE;
	return __atomic_compare_exchange_n(
		&word, &expected, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void mp_lock(void)
{
	if (mp_try_lock())
		return;
	while (__atomic_exchange_n(&word, CONTENDED, __ATOMIC_ACQUIRE) != FREE)
		/* With a timeout: the thread that mp_unlock() woke may have been suspended since. */
		sys_futex_wait(&word, CONTENDED, 10000000);
}

void mp_unlock(void)
{
	if (__atomic_exchange_n(&word, FREE, __ATOMIC_RELEASE) == CONTENDED)
		sys_futex_wake(&word);
}
