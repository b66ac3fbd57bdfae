/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading the clock in the vDSO (vdso-clock.h). Runs in the guest's program. */
#ifndef __UM_VCLOCK_H
#define __UM_VCLOCK_H

#include <linux/compiler.h>
#include <linux/time.h>

#include "um_vvar.h"

/**
 * um_vclock_read() - what clock_gettime() would say
 * @v: the clock's page
 * @clock: CLOCK_REALTIME, CLOCK_MONOTONIC or CLOCK_MONOTONIC_RAW
 * @sec: seconds
 * @nsec: nanoseconds, below one second
 *
 * The program stops at most once in here, at the first look into the page; what it
 * reads from then on belongs together.
 *
 * Return: 0, or -1 if the kernel has to be asked.
 */
static __always_inline int um_vclock_read(const struct um_vvar *v, clockid_t clock,
					  long *sec, long *nsec)
{
	const struct um_vvar_base *base = clock == CLOCK_MONOTONIC_RAW ? &v->raw : &v->real;
	unsigned int count, *reads = v->reads;
	__u64 cycles, ns;
	__s64 s;

	if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC &&
	     clock != CLOCK_MONOTONIC_RAW) || !reads)
		return -1;
	count = READ_ONCE(*reads) + 1;
	if (count > VDSO_CLOCK_MAX_READS)
		return -1;
	WRITE_ONCE(*reads, count);

	/* The same steps as timekeeping takes, so that both give the same time. */
	cycles = v->now_ns / VDSO_CLOCK_CYCLE_NS + count;
	ns = ((cycles - base->cycle_last) * base->mult + base->nsec) >> base->shift;
	s = base->sec;
	if (clock == CLOCK_MONOTONIC) {
		s += v->monotonic_sec;
		ns += v->monotonic_nsec;
	}
	while (ns >= NSEC_PER_SEC) {
		ns -= NSEC_PER_SEC;
		s++;
	}
	*sec = s;
	*nsec = ns;
	return 0;
}

#endif
