/*
 * One lock for all tables. It is a futex and not a pthread mutex because one of the tracers, which
 * takes it too, is not a thread of this process. A thread of the calling process is only suspended by
 * a holder of the lock, so a suspended thread never holds it.
 */
#ifndef MACHPAUSE_LINUX_LOCK_H
#define MACHPAUSE_LINUX_LOCK_H

#include <stdbool.h>

void mp_lock(void);
bool mp_try_lock(void);
void mp_unlock(void);

#endif
