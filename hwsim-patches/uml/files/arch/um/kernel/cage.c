// SPDX-License-Identifier: GPL-2.0-only
/*
 * cage=<fd>,<fd>: before the first program starts, take from this process what it no
 * longer needs of its host.
 *
 * Whatever a guest's program may do to the guest's kernel, by a bug of it or by the
 * memory that its stub can map, ends in a process of the host that has the permissions
 * of the user who started it. That user prepares what is left of them, a ruleset of
 * Landlock and a filter of seccomp. Each stub inherits both: it is a child.
 *
 * It is the last initcall. What the boot alone needs, such as the file of the memory,
 * is open by then and need not be allowed, and no thread of the host that could be
 * made to do something else runs beside this one: such threads belong to terminals,
 * which are opened later.
 */

#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/panic.h>
#include <cage.h>
#include <init.h>

static char *cage_argument __initdata;

static int __init cage_setup(char *argument, int *add)
{
	*add = 0;
	cage_argument = argument;
	return 0;
}

__uml_setup("cage=", cage_setup,
	    "cage=<fd>,<fd>\n"
	    "    File descriptors of the host: a Landlock ruleset, or -1, and one to read\n"
	    "    the instructions of a seccomp filter from. UML restricts itself and all\n"
	    "    its processes with both before it starts the first program.\n\n"
	    );

static int __init cage_init(void)
{
	int ruleset, filter, error;
	char rest;

	if (!cage_argument)
		return 0;
	if (sscanf(cage_argument, "%d,%d%c", &ruleset, &filter, &rest) != 2)
		panic("cage=%s: write cage=<fd>,<fd>\n", cage_argument);
	error = os_enter_cage(ruleset, filter);
	if (error)
		panic("cage=%s: the host answers with error %d\n", cage_argument, error);
	return 0;
}
late_initcall_sync(cage_init);
