/*
 * One lock over all the tables. A futex of our own rather than a pthread mutex, because a tracer
 * that is no thread of this process takes it too. Whoever suspends a thread of the calling process
 * holds it, so a suspended thread never does.
 */
#ifndef MACHPAUSE_LINUX_LOCK_H
#define MACHPAUSE_LINUX_LOCK_H

#include <stdbool.h>

void mp_lock(void);
bool mp_try_lock(void);
void mp_unlock(void);

#endif
