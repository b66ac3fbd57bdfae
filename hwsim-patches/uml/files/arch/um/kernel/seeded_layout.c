// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory laid out alike on every host, while lab.seed= is given.
 *
 * UML puts its physical memory above the heap of its C library, and the host
 * starts that heap at a random distance from the program. With it every physical
 * and kernel address changes, the size of the page array, and so the memory that
 * is free, and the order of whatever is hashed by address.
 *
 * Turning the randomization off would be simpler, but personality(2) is not
 * allowed in a container. So the program starts once more, by the dynamic loader:
 * then the heap is behind the loader, far away, and the guest's memory follows
 * the program at once.
 *
 * Not hidden: the instructions of the host's CPU, which a program may ask for
 * (CPUID) or time with (RDTSC).
 */

#include <linux/init.h>
#include <linux/mm.h>
#include <linux/seeded_random.h>
#include <asm/sections.h>
#include <kern.h>
#include <loader.h>
#include <os.h>

#include "seeded_layout.h"

void __init seeded_heap_apart(char **argv)
{
	int error;

	if (!seeded_random_active() || os_heap_is_apart())
		return;
	error = os_start_by_loader(argv);
	os_warn("lab.seed: this program cannot start by its dynamic loader: error %d\n", error);
	exit(1);
}

unsigned long __init seeded_brk(unsigned long host_brk)
{
	return seeded_random_active() ? PAGE_ALIGN((unsigned long)_end) : host_brk;
}
