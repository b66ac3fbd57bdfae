/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers that one seed on the command line decides.
 *
 * With lab.seed=<number> every random number of the kernel, and so of its user
 * space, is a function of the seed and of the order in which numbers are asked
 * for. Without it nothing changes.
 */
#ifndef _LINUX_SEEDED_RANDOM_H
#define _LINUX_SEEDED_RANDOM_H

#include <linux/init.h>
#include <linux/types.h>

/* Who draws. Each has a stream of its own, so that none shifts another's. */
enum seeded_random_user {
	SEEDED_RANDOM_ARCH,	/* arch_get_random_longs(): keys of the crng */
	SEEDED_RANDOM_HWRNG,	/* /dev/hwrng */
	SEEDED_RANDOM_USERS
};

#ifdef CONFIG_SEEDED_RANDOM

extern bool seeded_random_is_on;

/**
 * seeded_random_active() - whether a seed was given
 *
 * Valid from the first line of start_kernel() on.
 */
static inline bool seeded_random_active(void)
{
	return seeded_random_is_on;
}

void seeded_random_get(enum seeded_random_user user, void *buf, size_t len);
void random_rekey(void);
void seeded_boot_initcall(initcall_t initcall);
void seeded_boot_end(void);

#else

static inline bool seeded_random_active(void)
{
	return false;
}

static inline void seeded_random_get(enum seeded_random_user user, void *buf, size_t len)
{
}

static inline void seeded_boot_initcall(initcall_t initcall)
{
}

static inline void seeded_boot_end(void)
{
}

#endif /* CONFIG_SEEDED_RANDOM */

#endif /* _LINUX_SEEDED_RANDOM_H */
