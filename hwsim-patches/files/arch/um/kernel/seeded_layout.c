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
 * allowed in a container. So the guest's memory starts where no heap of any host
 * reaches. The price is the array of page descriptors for the gap: 16 MiB.
 *
 * Not hidden: the instructions of the host's CPU, which a program may ask for
 * (CPUID) or time with (RDTSC).
 */

#include <linux/init.h>
#include <linux/seeded_random.h>
#include <linux/sizes.h>
#include <asm/sections.h>
#include <as-layout.h>
#include <kern.h>
#include <mem_user.h>
#include <os.h>

#include "seeded_layout.h"

/* arch_randomize_brk() of x86-64: 1 GiB since Linux 6.9, 32 MiB before */
#define HOST_BRK_RANDOM SZ_1G
/* What the C library takes before the kernel's own allocator is up, generously */
#define HEAP_SIZE SZ_16M

/**
 * seeded_brk() - the end of the heap, as far as the layout of memory is concerned
 * @host_brk: where it is
 *
 * Return: @host_brk without a seed; with one, the same on every host.
 */
unsigned long __init seeded_brk(unsigned long host_brk)
{
	unsigned long fixed = ROUND_4M((unsigned long)_end) + HOST_BRK_RANDOM + HEAP_SIZE;

	if (!seeded_random_active())
		return host_brk;
	if (host_brk > fixed) {
		os_warn("lab.seed: this host's heap ends at 0x%lx, above 0x%lx\n",
			host_brk, fixed);
		exit(1);
	}
	return fixed;
}
