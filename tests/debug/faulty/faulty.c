// SPDX-License-Identifier: GPL-2.0-only
/*
 * One fault of each kind that the debug kernel detects; faulty.fault= of the
 * command line selects it.
 */
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char fault[16];
module_param_string(fault, fault, sizeof(fault), 0);

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);
static int __rcu *shared;

static void inversion(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void sleeps(void)
{
	spin_lock(&spin);
	msleep(20);
	spin_unlock(&spin);
}

static void unprotected(void)
{
	if (rcu_dereference(shared))
		pr_info("faulty: it points to something\n");
}

static void beyond(void)
{
	char *volatile object = kmalloc(24, GFP_KERNEL);

	object[24] = 1;
	kfree(object);
}

static void freed(void)
{
	char *volatile object = kmalloc(24, GFP_KERNEL);

	kfree(object);
	object[3] = 1;
}

static void on_stack(void)
{
	volatile char object[24];
	volatile int at = sizeof(object);

	object[0] = 0;
	((volatile char *)memset((void *)object, 0, sizeof(object)))[at] = 1;
}

static void shift(void)
{
	volatile int value = 1, by = 32;

	value <<= by;
}

static void leak(void)
{
	int n;

	for (n = 0; n < 10; n++)
		if (!kmalloc(1000, GFP_KERNEL))
			break;
}

static void list(void)
{
	LIST_HEAD(head);
	LIST_HEAD(one);

	list_add(&one, &head);
	one.next = NULL;
	list_del(&one);
}

static int __init faulty_init(void)
{
	static const struct {
		const char *name;
		void (*commit)(void);
	} faults[] = {
		{ "inversion", inversion }, { "sleep", sleeps },
		{ "rcu", unprotected },	    { "beyond", beyond },
		{ "freed", freed },	    { "stack", on_stack },
		{ "shift", shift },	    { "leak", leak },
		{ "list", list },
	};
	int n;

	for (n = 0; n < ARRAY_SIZE(faults); n++)
		if (!strcmp(faults[n].name, fault))
			faults[n].commit();
	return 0;
}
device_initcall(faulty_init);
