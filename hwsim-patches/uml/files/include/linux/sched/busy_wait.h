/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SCHED_BUSY_WAIT_H
#define _LINUX_SCHED_BUSY_WAIT_H

#include <linux/types.h>

/**
 * arch_cond_resched() - give way to others although nobody asks for the processor
 *
 * cond_resched() calls it where a task that waits in a loop is not interrupted by a timer tick. May
 * sleep.
 *
 * Return: whether it gave way
 */
#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
bool arch_cond_resched(void);
#else
static inline bool arch_cond_resched(void)
{
	return false;
}
#endif

#endif
