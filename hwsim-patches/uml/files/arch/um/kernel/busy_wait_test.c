// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of loops that wait for another task, in virtual time. Without busy_wait.c each case
 * runs forever.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sizes.h>
#include <linux/time-internal.h>

struct other {
	unsigned int sleep_us; /* before it is done; 0: it only needs the processor */
	bool done;
	struct completion ended;
};

static int be_done(void *data)
{
	struct other *other = data;

	if (other->sleep_us)
		usleep_range(other->sleep_us, other->sleep_us + 1);
	WRITE_ONCE(other->done, true);
	complete(&other->ended);
	return 0;
}

/* Wait as shrink_dcache_parent() does; returns how long that took, in ns of virtual time. */
static u64 wait_for_other(struct kunit *test, unsigned int sleep_us)
{
	struct other other = { .sleep_us = sleep_us };
	struct task_struct *task;
	u64 begun_ns;

	if (time_travel_mode != TT_MODE_INFCPU)
		kunit_skip(test, "needs time-travel=inf-cpu");
	init_completion(&other.ended);
	task = kthread_run(be_done, &other, "other");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	begun_ns = ktime_get_ns();
	while (!READ_ONCE(other.done))
		cond_resched();
	begun_ns = ktime_get_ns() - begun_ns;
	wait_for_completion(&other.ended);
	return begun_ns;
}

/* So early, timers may have the resolution of a tick. */
static void busy_wait_for_runnable_task(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, wait_for_other(test, 0), (u64)TICK_NSEC);
}

static void busy_wait_for_sleeping_task(struct kunit *test)
{
	u64 waited_ns = wait_for_other(test, 3000);

	KUNIT_EXPECT_GE(test, waited_ns, 3000000ULL);
	KUNIT_EXPECT_LT(test, waited_ns, 6000000ULL);
}

static void busy_wait_copies_take_no_time(struct kunit *test)
{
	u64 begun_ns;
	int page;

	if (time_travel_mode != TT_MODE_INFCPU)
		kunit_skip(test, "needs time-travel=inf-cpu");
	begun_ns = ktime_get_ns();
	for (page = 0; page < SZ_64M / PAGE_SIZE; page++)
		cond_resched();
	KUNIT_EXPECT_LT(test, ktime_get_ns() - begun_ns, 1000ULL);
}

static struct kunit_case busy_wait_cases[] = {
	KUNIT_CASE(busy_wait_for_runnable_task),
	KUNIT_CASE(busy_wait_for_sleeping_task),
	KUNIT_CASE(busy_wait_copies_take_no_time),
	{}
};

static struct kunit_suite busy_wait_suite = {
	.name = "um_busy_wait",
	.test_cases = busy_wait_cases,
};

kunit_test_suite(busy_wait_suite);

MODULE_DESCRIPTION("KUnit test of loops that wait for another task");
MODULE_LICENSE("GPL");
