/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __UM_BUSY_WAIT_H
#define __UM_BUSY_WAIT_H

/**
 * busy_wait_new_call() - a program has entered the kernel by a system call
 *
 * What it did before was no wait for another task.
 */
#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
void busy_wait_new_call(void);
#else
static inline void busy_wait_new_call(void)
{
}
#endif

#endif
