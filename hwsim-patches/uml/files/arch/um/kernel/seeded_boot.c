// SPDX-License-Identifier: GPL-2.0-only
/*
 * With lab.seed=, a program does not depend on parts of the kernel that it does not use.
 *
 * While a kernel starts, its parts draw random numbers (vxlan a salt, minstrel_ht a table), read
 * the clock, which takes virtual time, and start threads, which take process numbers. So a driver
 * that is added or left out would change the numbers and times of everything after it, as another
 * seed does. Therefore
 *
 * - the random numbers of an initcall follow from the seed and the initcall's name, those after the
 *   last one from the seed alone;
 * - programs start at a fixed time, and
 * - with a fixed process number.
 *
 * Not covered: what a part does later (when a network namespace is created, or by a timer), and the
 * inode numbers of sockets and pipes.
 */
#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/jhash.h>
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/seeded_random.h>
#include <linux/time-internal.h>

#include "seeded_random.h"

/*
 * When programs start: a boot takes 64 us, one that sleeps some ms. After a longer one they start
 * GRAIN_NS later. Timers of the kernel expire on full ms, these are between two.
 */
#define GRAIN_NS (100 * NSEC_PER_MSEC)
#define START_NS (GRAIN_NS + NSEC_PER_MSEC / 2)

static void __init begin_phase(u32 phase)
{
	seeded_random_begin(phase);
	random_rekey();
}

/**
 * seeded_boot_initcall() - prepare for an initcall
 * @initcall: the next one
 */
void __init seeded_boot_initcall(initcall_t initcall)
{
	char name[KSYM_SYMBOL_LEN];
	int length;

	if (!seeded_random_active())
		return;
	length = sprint_symbol_no_offset(name, (unsigned long)initcall);
	begin_phase(SEEDED_PHASE_INITCALL | jhash(name, length, 0));
}

static void __init wait_for_start(void)
{
	ktime_t now = ktime_get(), start = START_NS;

	while (start <= now)
		start += GRAIN_NS;
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&start, HRTIMER_MODE_ABS);
}

/**
 * seeded_boot_end() - prepare for the first program
 *
 * All initcalls have returned, also those that the kernel runs asynchronously.
 */
void __init seeded_boot_end(void)
{
	if (!seeded_random_active())
		return;
	if (time_travel_mode == TT_MODE_INFCPU)
		wait_for_start();
	if (idr_get_cursor(&init_pid_ns.idr) < RESERVED_PIDS)
		idr_set_cursor(&init_pid_ns.idr, RESERVED_PIDS);	/* as after the last one */
	begin_phase(SEEDED_PHASE_PROGRAMS);
}
