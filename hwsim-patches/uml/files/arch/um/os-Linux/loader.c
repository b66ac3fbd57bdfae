// SPDX-License-Identifier: GPL-2.0
/*
 * Start this program by the dynamic loader, as "ld.so linux ..." does.
 *
 * The host puts the heap of what it executes behind the end of that program, at
 * a random distance. If that is the loader, the heap is far from this program.
 */

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <init.h>
#include <loader.h>

extern char __binary_start[];

/* Stores the path of the loader, as this program, the first that is reported, names it. */
static int __init find_loader(struct dl_phdr_info *program, size_t size, void *loader)
{
	char *start = (char *)program->dlpi_addr;
	int i;

	for (i = 0; i < program->dlpi_phnum; i++)
		if (program->dlpi_phdr[i].p_type == PT_INTERP)
			*(char **)loader = start + program->dlpi_phdr[i].p_vaddr;
	return 1;
}

int __init os_heap_is_apart(void)
{
	unsigned long heap = (unsigned long)sbrk(0), start = (unsigned long)__binary_start;

	return heap < start || heap - start >= 1UL << 32;
}

int __init os_start_by_loader(char **argv)
{
	static char program[PATH_MAX] __initdata;
	char *loader = NULL, **words;
	ssize_t length;
	int count = 0;

	dl_iterate_phdr(find_loader, &loader);
	if (!loader) /* it is linked statically */
		return -ENOEXEC;
	if (!getauxval(AT_BASE)) /* the loader's place, unless it is what the host executed */
		return -ELOOP;
	length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (length < 0)
		return -errno;
	while (argv[count])
		count++;
	words = malloc((count + 2) * sizeof(*words));
	if (!words)
		return -ENOMEM;
	words[0] = loader;
	words[1] = program;
	memcpy(words + 2, argv + 1, count * sizeof(*words)); /* with the NULL at its end */
	execv(loader, words);
	return -errno;
}
