// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit test of the clock in the vDSO: it gives the time that timekeeping gives.
 */

#include <kunit/test.h>
#include <linux/time-internal.h>
#include <linux/timekeeping.h>

#include "clock.h"
#include "um_vclock.h"

struct reading {
	unsigned int reads;
	struct um_vvar vvar;
};

/* As a program would find it that starts now */
static void start(struct reading *r)
{
	r->reads = 0;
	vdso_clock_leave();
	r->vvar = *vdso_clock_vvar();
	r->vvar.reads = &r->reads;
}

static void expect_same(struct kunit *test, struct reading *r, clockid_t clock,
			void (*timekeeping)(struct timespec64 *ts))
{
	struct timespec64 expected;
	long sec, nsec;
	int i;

	start(r);
	for (i = 1; i <= 5; i++) {
		KUNIT_ASSERT_EQ(test, um_vclock_read(&r->vvar, clock, &sec, &nsec), 0);
		timekeeping(&expected); /* lets virtual time pass as our read did */
		KUNIT_EXPECT_EQ(test, sec, (long)expected.tv_sec);
		KUNIT_EXPECT_EQ(test, nsec, expected.tv_nsec);
		KUNIT_EXPECT_EQ(test, r->reads, i);
	}
}

static void vdso_clock_is_that_of_timekeeping(struct kunit *test)
{
	struct reading r;

	if (time_travel_mode != TT_MODE_INFCPU)
		kunit_skip(test, "only where computation takes no time");
	expect_same(test, &r, CLOCK_MONOTONIC, ktime_get_ts64);
	expect_same(test, &r, CLOCK_REALTIME, ktime_get_real_ts64);
	expect_same(test, &r, CLOCK_MONOTONIC_RAW, ktime_get_raw_ts64);
}

static void vdso_clock_carries_into_seconds(struct kunit *test)
{
	struct reading r;
	long sec, nsec;

	start(&r);
	r.vvar.now_ns = 0;
	r.vvar.real.cycle_last = 0;
	r.vvar.real.sec = 5;
	r.vvar.real.nsec = (u64)(NSEC_PER_SEC - 1) << r.vvar.real.shift;
	KUNIT_ASSERT_EQ(test, um_vclock_read(&r.vvar, CLOCK_REALTIME, &sec, &nsec), 0);
	KUNIT_EXPECT_EQ(test, sec, 6);
	KUNIT_EXPECT_LE(test, nsec, VDSO_CLOCK_CYCLE_NS);
	KUNIT_EXPECT_GE(test, nsec, VDSO_CLOCK_CYCLE_NS - 2);
}

static void vdso_clock_asks_the_kernel_now_and_then(struct kunit *test)
{
	struct reading r;
	long sec, nsec;
	int i;

	start(&r);
	for (i = 0; i < VDSO_CLOCK_MAX_READS; i++)
		KUNIT_ASSERT_EQ(test, um_vclock_read(&r.vvar, CLOCK_MONOTONIC, &sec, &nsec), 0);
	KUNIT_EXPECT_EQ(test, um_vclock_read(&r.vvar, CLOCK_MONOTONIC, &sec, &nsec), -1);
	KUNIT_EXPECT_EQ(test, r.reads, VDSO_CLOCK_MAX_READS);
}

static void vdso_clock_leaves_others_to_the_kernel(struct kunit *test)
{
	struct reading r;
	long sec, nsec;

	start(&r);
	KUNIT_EXPECT_EQ(test, um_vclock_read(&r.vvar, CLOCK_BOOTTIME, &sec, &nsec), -1);
	KUNIT_EXPECT_EQ(test, um_vclock_read(&r.vvar, -1, &sec, &nsec), -1);
	KUNIT_EXPECT_EQ(test, r.reads, 0);
	r.vvar.reads = NULL;
	KUNIT_EXPECT_EQ(test, um_vclock_read(&r.vvar, CLOCK_MONOTONIC, &sec, &nsec), -1);
}

static struct kunit_case vdso_clock_cases[] = {
	KUNIT_CASE(vdso_clock_is_that_of_timekeeping),
	KUNIT_CASE(vdso_clock_carries_into_seconds),
	KUNIT_CASE(vdso_clock_asks_the_kernel_now_and_then),
	KUNIT_CASE(vdso_clock_leaves_others_to_the_kernel),
	{}
};

static struct kunit_suite vdso_clock_suite = {
	.name = "vdso-clock",
	.test_cases = vdso_clock_cases,
};

kunit_test_suite(vdso_clock_suite);
