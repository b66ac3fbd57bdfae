// SPDX-License-Identifier: GPL-2.0
/*
 * Loops of the kernel that wait for another task, in virtual time.
 *
 * Such a loop calls cond_resched() until somebody else is done: for example shrink_dcache_parent(),
 * while a dentry is on another task's list, or a process that has no memory left, while another
 * one is being killed. It relies on the timer tick, which takes the processor from a task that has
 * had its share. Where computation takes no time there is no tick during a computation, and the
 * loop would never end.
 *
 * Therefore, a task that calls cond_resched() very often without a switch to another one, and
 * without a new system call, sleeps: 1 us at first, then twice as long each time, up to 1 ms. (Page
 * faults do not count as new: a program whose memory cannot be had faults again and again.)
 *
 * Large copies call cond_resched() often, too, once a page. BUSY_CALLS is more than the pages of
 * 64 MiB, so only a single system call that copies more takes time: 1 us for 128 MiB.
 *
 * No lock: UML has one processor, and only tasks that may sleep come here.
 */
#include <linux/delay.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/busy_wait.h>
#include <linux/time-internal.h>

#include "busy_wait.h"

#define BUSY_CALLS 32768
#define WAIT_US_MIN 1UL
#define WAIT_US_MAX 1000UL

static struct {
	const struct task_struct *task;
	unsigned long switches;
	unsigned int calls;
	unsigned long wait_us;
} busy;

static unsigned long switches_of_current(void)
{
	return current->nvcsw + current->nivcsw;
}

void busy_wait_new_call(void)
{
	busy.calls = 0;
	busy.wait_us = WAIT_US_MIN;
}

bool arch_cond_resched(void)
{
	unsigned long wait_us;

	if (time_travel_mode != TT_MODE_INFCPU || preempt_count() || irqs_disabled() ||
	    system_state == SYSTEM_BOOTING)
		return false;
	if (busy.task != current || busy.switches != switches_of_current()) {
		busy.task = current;
		busy.switches = switches_of_current();
		busy.calls = 0;
		busy.wait_us = WAIT_US_MIN;
	}
	if (++busy.calls < BUSY_CALLS)
		return false;
	/* A caller that was about to sleep takes this for a spurious wake-up. */
	wait_us = busy.wait_us;
	usleep_range(wait_us, wait_us + 1);
	/* Others may have been here meanwhile. */
	busy.task = current;
	busy.switches = switches_of_current();
	busy.calls = 0;
	busy.wait_us = min(2 * wait_us, WAIT_US_MAX);
	return true;
}
