/*
 * How the shim reports suspensions to the watchdog. See mp_watchdog_arm() in machpause.h.
 */
#ifndef MACHPAUSE_WATCHDOG_H
#define MACHPAUSE_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/* Adds a suspension: a token, or a thread after thread_suspend(). false if the table is full. */
bool watchdog_add(uint32_t port, bool is_thread);
/* Removes a suspension; false if there is none. */
bool watchdog_remove(uint32_t port);

#endif
