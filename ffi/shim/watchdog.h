/*
 * What the rest of the shim tells the watchdog. See mp_watchdog_arm() in machpause.h.
 */
#ifndef MACHPAUSE_WATCHDOG_H
#define MACHPAUSE_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/* Notes a suspension by its token, or by its thread where thread_suspend() made it; false where there
 * is no room. */
bool watchdog_add(uint32_t port, bool is_thread);
/* Notes the end of one; false where there was none. */
bool watchdog_remove(uint32_t port);

#endif
