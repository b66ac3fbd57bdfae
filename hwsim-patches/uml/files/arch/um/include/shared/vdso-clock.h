/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock without a system call, in virtual time.
 *
 * Where computation takes no time the clock stands still while a program runs, but
 * for what reading it costs. So the vDSO needs no counter of a processor: the kernel
 * leaves the time in a page that every program can read, and the program counts its
 * own reads. Back in the kernel virtual time catches up with the count.
 */
#ifndef __VDSO_CLOCK_H
#define __VDSO_CLOCK_H

#ifdef __x86_64__

/* The current task's program is about to run: tell it the time. */
void vdso_clock_leave(void);

/* It stopped: let time pass for the reads that it made. */
void vdso_clock_enter(void);

#else

static inline void vdso_clock_leave(void) {}
static inline void vdso_clock_enter(void) {}

#endif
#endif
