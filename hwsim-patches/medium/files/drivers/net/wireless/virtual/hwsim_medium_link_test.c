// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of links of the hwsim medium: which exist, and what is counted
 * with and without them.
 */
#include "hwsim_medium_air_test.h"

/* at the limit the loudest frame still has some power, and below it none */
static void links_that_cannot_be_heard(struct kunit *test)
{
	struct air_test *air = test->priv;
	const struct hwsim_radio *to = air->radios[1];
	static const struct hwsim_ppdu ppdu = {
		.power_mbm = HWSIM_MEDIUM_POWER_MAX_MBM,
	};
	struct hwsim_link_setting setting = {};
	s32 limit_mb = HWSIM_POWER_MIN_MB - HWSIM_MEDIUM_POWER_MAX_MBM +
		       HWSIM_MEDIUM_NOISE_MIN_MBM;
	int below;

	hear(air, 0, 1);
	air->radios[1]->noise_mbm = HWSIM_MEDIUM_NOISE_MIN_MBM;
	for (below = 0; below < 2; below++) {
		setting.gain_mb = limit_mb - below;
		setting.fading = 0;
		KUNIT_EXPECT_EQ(test, !below, hwsim_link_is_heard(&setting));
		link_of(air, 0, 1)->setting = setting;
		KUNIT_EXPECT_EQ(test, !below,
				hwsim_link_power(to, link_of(air, 0, 1), &ppdu) > 0);
		/* fading may add this much */
		setting.fading = 1;
		KUNIT_EXPECT_TRUE(test, hwsim_link_is_heard(&setting));
		setting.gain_mb -= HWSIM_LEVEL_MAX_MB;
		KUNIT_EXPECT_EQ(test, !below, hwsim_link_is_heard(&setting));
	}
}

/* frames to a radio that cannot hear them are lost, and counted */
static void links_that_are_missing_lose_all(struct kunit *test)
{
	struct air_test *air = test->priv;
	int late;

	hear(air, 2, 0);
	for (late = 0; late < 2; late++) {
		if (late)
			delay(air, 2, 0, 1000);
		send(air, 0, 1, 0);
		run_for(air, 10 * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, late + 1, count_of(air, 0, 1, HWSIM_COUNT_SENT));
		KUNIT_EXPECT_EQ(test, late + 1, count_of(air, 0, 1, HWSIM_COUNT_LOST));
		KUNIT_EXPECT_EQ(test, late + 1, count_of(air, 0, 1, HWSIM_COUNT_DROPPED));
	}
}

/*
 * Counters are allocated with the first frame, per direction, and end with the
 * sender.
 */
static void links_count_when_they_are_used(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *to = air->radios[1];

	hear(air, 0, 1);
	hear(air, 1, 0);
	hear(air, 2, 1);
	KUNIT_EXPECT_TRUE(test, xa_empty(&to->counts));
	send(air, 0, 1, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 1, HWSIM_COUNT_DELIVERED));
	KUNIT_EXPECT_TRUE(test, xa_empty(&air->radios[0]->counts));
	KUNIT_EXPECT_TRUE(test, xa_empty(&air->radios[2]->counts));
	mutex_lock(&hwsim_media_mutex);
	hwsim_radio_detach(air->radios[0]);
	mutex_unlock(&hwsim_media_mutex);
	KUNIT_EXPECT_TRUE(test, xa_empty(&to->counts));
	KUNIT_EXPECT_NULL(test, link_of(air, 0, 1));
	KUNIT_EXPECT_TRUE(test, xa_empty(&air->radios[0]->links));
	KUNIT_EXPECT_NOT_NULL(test, link_of(air, 2, 1));
}

/* its frames were freed with its queues: nothing may look for them */
static void links_of_a_sender_that_leaves(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_ppdu *ppdu;
	struct hwsim_air *on;

	hear(air, 0, 1);
	send(air, 0, 1, 0);
	on = air->radios[1]->air;
	while (list_empty(&on->ppdus) && step(air))
		;
	ppdu = list_first_entry_or_null(&on->ppdus, struct hwsim_ppdu, list);
	KUNIT_ASSERT_NOT_NULL(test, ppdu);
	KUNIT_EXPECT_PTR_EQ(test, air->radios[0], ppdu->radio);
	KUNIT_EXPECT_EQ(test, 1, ppdu->count);
	mutex_lock(&hwsim_media_mutex);
	hwsim_radio_detach(air->radios[0]);
	mutex_unlock(&hwsim_media_mutex);
	KUNIT_EXPECT_NULL(test, ppdu->radio);
	KUNIT_EXPECT_EQ(test, 0, ppdu->count);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test, list_empty(&on->ppdus));
	KUNIT_EXPECT_TRUE(test, xa_empty(&air->radios[1]->counts));
}

static struct kunit_case links_cases[] = {
	KUNIT_CASE(links_that_cannot_be_heard),
	KUNIT_CASE(links_that_are_missing_lose_all),
	KUNIT_CASE(links_count_when_they_are_used),
	KUNIT_CASE(links_of_a_sender_that_leaves),
	{}
};

static struct kunit_suite links_suite = {
	.name = "hwsim-medium-links",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = links_cases,
};

kunit_test_suite(links_suite);
