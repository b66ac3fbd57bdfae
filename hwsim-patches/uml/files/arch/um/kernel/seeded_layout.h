/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory laid out alike on every host.
 */
#ifndef __UM_SEEDED_LAYOUT_H
#define __UM_SEEDED_LAYOUT_H

#ifdef CONFIG_SEEDED_RANDOM

/**
 * seeded_heap_apart() - with a seed, have a heap that is far from this program
 * @argv: the arguments of this program, which starts once more if it must
 */
void seeded_heap_apart(char **argv);

/**
 * seeded_brk() - the end of the heap, as far as the layout of memory is concerned
 * @host_brk: where it is
 *
 * Return: @host_brk without a seed; with one, the end of the program.
 */
unsigned long seeded_brk(unsigned long host_brk);

#else

static inline void seeded_heap_apart(char **argv)
{
}

static inline unsigned long seeded_brk(unsigned long host_brk)
{
	return host_brk;
}

#endif /* CONFIG_SEEDED_RANDOM */

#endif /* __UM_SEEDED_LAYOUT_H */
