/* SPDX-License-Identifier: GPL-2.0-only */
/* What the vDSO knows of the clock: a page of the kernel below its own (vdso-clock.h). */
#ifndef __UM_VVAR_H
#define __UM_VVAR_H

#include <linux/types.h>

/* So many reads without a system call; then others get their turn. */
#define VDSO_CLOCK_MAX_READS 32
/* What a read costs, and the length of a cycle: TIMER_MULTIPLIER */
#define VDSO_CLOCK_CYCLE_NS 256

/**
 * struct um_vvar_base - where a clock stood at the last update of timekeeping
 * @cycle_last: cycles then
 * @nsec: nanoseconds then, shifted left by @shift
 * @sec: seconds then
 * @mult: shifted nanoseconds in a cycle
 * @shift: of what is shifted
 */
struct um_vvar_base {
	__u64 cycle_last;
	__u64 nsec;
	__s64 sec;
	__u32 mult;
	__u32 shift;
};

/**
 * struct um_vvar - the clocks, as timekeeping has them
 * @now_ns: virtual time since the start, without the program's reads
 * @reads: the program's count of its reads; 0: ask the kernel
 * @real: CLOCK_REALTIME
 * @raw: CLOCK_MONOTONIC_RAW
 * @monotonic_sec: from CLOCK_REALTIME to CLOCK_MONOTONIC
 * @monotonic_nsec: likewise
 */
struct um_vvar {
	__u64 now_ns;
	unsigned int *reads;
	struct um_vvar_base real;
	struct um_vvar_base raw;
	__s64 monotonic_sec;
	__s64 monotonic_nsec;
};

#endif
