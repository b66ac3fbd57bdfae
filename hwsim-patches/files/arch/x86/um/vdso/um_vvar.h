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
 * struct um_vvar - the clock, as timekeeping has it
 * @now_ns: virtual time since the start, without the program's reads
 * @reads: the program's count of its reads; 0: ask the kernel
 * @cycle_last: cycles at the last update of timekeeping
 * @xtime_nsec: nanoseconds of the real time then, shifted left by @shift
 * @mult: shifted nanoseconds in a cycle
 * @shift: of what is shifted
 * @xtime_sec: seconds of the real time then
 * @monotonic_sec: from the real time to the monotonic
 * @monotonic_nsec: likewise
 */
struct um_vvar {
	__u64 now_ns;
	unsigned int *reads;
	__u64 cycle_last;
	__u64 xtime_nsec;
	__u32 mult;
	__u32 shift;
	__s64 xtime_sec;
	__s64 monotonic_sec;
	__s64 monotonic_nsec;
};

#endif
