/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory laid out alike on every host.
 */
#ifndef __UM_SEEDED_LAYOUT_H
#define __UM_SEEDED_LAYOUT_H

#ifdef CONFIG_SEEDED_RANDOM

unsigned long seeded_brk(unsigned long host_brk);

#else

static inline unsigned long seeded_brk(unsigned long host_brk)
{
	return host_brk;
}

#endif /* CONFIG_SEEDED_RANDOM */

#endif /* __UM_SEEDED_LAYOUT_H */
