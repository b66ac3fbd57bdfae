// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the hwsim medium's contention and A-MPDU.
 */
#include <kunit/test.h>
#include "hwsim_medium_ampdu.h"
#include "hwsim_medium_edca.h"

#define SLOT_NS	9000
#define FROM_NS	1000000

static void edca_counts_whole_slots(struct kunit *test)
{
	struct hwsim_edca edca = { .slots = 10 };

	/* busy before the countdown began */
	hwsim_edca_stop(&edca, FROM_NS, FROM_NS - 1, SLOT_NS);
	KUNIT_EXPECT_EQ(test, 10, edca.slots);
	/* at its beginning, and within the first slot */
	hwsim_edca_stop(&edca, FROM_NS, FROM_NS, SLOT_NS);
	hwsim_edca_stop(&edca, FROM_NS, FROM_NS + SLOT_NS - 1, SLOT_NS);
	KUNIT_EXPECT_EQ(test, 10, edca.slots);
	hwsim_edca_stop(&edca, FROM_NS, FROM_NS + 3 * SLOT_NS, SLOT_NS);
	KUNIT_EXPECT_EQ(test, 7, edca.slots);
	/* never below zero */
	hwsim_edca_stop(&edca, FROM_NS, FROM_NS + 100 * SLOT_NS, SLOT_NS);
	KUNIT_EXPECT_EQ(test, 0, edca.slots);
}

static void edca_counts_at_slot_boundaries(struct kunit *test)
{
	struct hwsim_edca edca = { .slots = 10, .is_edca = true };

	hwsim_edca_stop(&edca, FROM_NS, FROM_NS - 1, SLOT_NS);
	KUNIT_EXPECT_EQ(test, 10, edca.slots);
	hwsim_edca_stop(&edca, FROM_NS, FROM_NS, SLOT_NS);
	KUNIT_EXPECT_EQ(test, 9, edca.slots);
	hwsim_edca_stop(&edca, FROM_NS, FROM_NS + 3 * SLOT_NS, SLOT_NS);
	KUNIT_EXPECT_EQ(test, 5, edca.slots);
}

static void edca_window_doubles_up_to_its_end(struct kunit *test)
{
	static const u16 windows[] = { 31, 63, 127, 255, 511, 1023, 1023 };
	struct hwsim_edca edca = { .cw_min = 15, .cw_max = 1023 };
	int i, draw;

	hwsim_stream_init(&edca.stream, 1, HWSIM_STREAM_BACKOFF, 0, 0);
	hwsim_edca_reset(&edca);
	KUNIT_EXPECT_EQ(test, 15, edca.cw);
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		hwsim_edca_failure(&edca);
		KUNIT_EXPECT_EQ(test, windows[i], edca.cw);
		KUNIT_EXPECT_LE(test, edca.slots, edca.cw);
	}
	hwsim_edca_success(&edca);
	KUNIT_EXPECT_EQ(test, 15, edca.cw);
	for (i = 0, draw = 0; i < 1000; i++) {
		hwsim_edca_invoke(&edca);
		KUNIT_EXPECT_LE(test, edca.slots, 15);
		draw |= BIT(edca.slots);
	}
	KUNIT_EXPECT_EQ(test, 0xffff, draw);
}

static void edca_interframe_spaces(struct kunit *test)
{
	struct hwsim_edca dcf = { .aifsn = 2 }, background = { .aifsn = 7 };

	KUNIT_EXPECT_EQ(test, 34000, hwsim_edca_aifs_ns(&dcf, 16000, 9000));
	KUNIT_EXPECT_EQ(test, 50000, hwsim_edca_aifs_ns(&dcf, 10000, 20000));
	KUNIT_EXPECT_EQ(test, 79000, hwsim_edca_aifs_ns(&background, 16000, 9000));
}

/* 64 bits of a scoreboard, as a BlockAck has them */
static u64 word_of(const struct hwsim_scoreboard *board, u32 word)
{
	u64 words[HWSIM_BA_BITS_MAX / 64] = {};

	bitmap_to_arr64(words, board->bitmap, board->bits);
	return words[word];
}

static void board_remembers_a_window(struct kunit *test)
{
	struct hwsim_scoreboard board = { .start = 4090, .bits = 64 };

	hwsim_scoreboard_set(&board, 4090);
	hwsim_scoreboard_set(&board, 4095);
	hwsim_scoreboard_set(&board, 3);	/* sequence numbers wrap */
	KUNIT_EXPECT_EQ(test, 4090, board.start);
	KUNIT_EXPECT_EQ(test, BIT_ULL(0) | BIT_ULL(5) | BIT_ULL(9), word_of(&board, 0));
	KUNIT_EXPECT_TRUE(test, hwsim_scoreboard_has(&board, 3));
	KUNIT_EXPECT_FALSE(test, hwsim_scoreboard_has(&board, 4));
	/* beyond the window: it moves to end with this one */
	hwsim_scoreboard_set(&board, 60);
	KUNIT_EXPECT_EQ(test, 4093, board.start);
	KUNIT_EXPECT_EQ(test, BIT_ULL(2) | BIT_ULL(6) | BIT_ULL(63), word_of(&board, 0));
	/* old ones change nothing */
	hwsim_scoreboard_set(&board, 4000);
	KUNIT_EXPECT_EQ(test, 4093, board.start);
	hwsim_scoreboard_move(&board, 4092);
	KUNIT_EXPECT_EQ(test, 4093, board.start);
	hwsim_scoreboard_move(&board, 60);
	KUNIT_EXPECT_EQ(test, 60, board.start);
	KUNIT_EXPECT_EQ(test, BIT_ULL(0), word_of(&board, 0));
	hwsim_scoreboard_move(&board, 1000);
	KUNIT_EXPECT_EQ(test, 0, word_of(&board, 0));
}

/* one within the window of 64, the next one beyond it */
static void board_limits(struct kunit *test)
{
	struct hwsim_scoreboard board = { .bits = 64 };

	hwsim_scoreboard_set(&board, 63);
	KUNIT_EXPECT_EQ(test, 0, board.start);
	KUNIT_EXPECT_EQ(test, BIT_ULL(63), word_of(&board, 0));
	hwsim_scoreboard_set(&board, 64);
	KUNIT_EXPECT_EQ(test, 1, board.start);
	KUNIT_EXPECT_EQ(test, BIT_ULL(62) | BIT_ULL(63), word_of(&board, 0));
	/* to its present start: nothing moves */
	hwsim_scoreboard_move(&board, 1);
	KUNIT_EXPECT_EQ(test, BIT_ULL(62) | BIT_ULL(63), word_of(&board, 0));
	hwsim_scoreboard_move(&board, 1 + 63);
	KUNIT_EXPECT_EQ(test, 64, board.start);
	KUNIT_EXPECT_EQ(test, BIT_ULL(0), word_of(&board, 0));
	hwsim_scoreboard_move(&board, 64 + 64);
	KUNIT_EXPECT_EQ(test, 128, board.start);
	KUNIT_EXPECT_EQ(test, 0, word_of(&board, 0));
	bitmap_fill(board.bitmap, HWSIM_BA_BITS_MAX);
	KUNIT_EXPECT_FALSE(test, hwsim_scoreboard_has(&board, 127));
	KUNIT_EXPECT_TRUE(test, hwsim_scoreboard_has(&board, 128));
	KUNIT_EXPECT_TRUE(test, hwsim_scoreboard_has(&board, 128 + 63));
	KUNIT_EXPECT_FALSE(test, hwsim_scoreboard_has(&board, 128 + 64));
}

/* the same for a window of 256, whose bitmap has several words */
static void board_limits_of_256(struct kunit *test)
{
	struct hwsim_scoreboard board = { .start = 4000, .bits = 256 };

	/* 4000 + 255 */
	hwsim_scoreboard_set(&board, 159);
	KUNIT_EXPECT_EQ(test, 4000, board.start);
	KUNIT_EXPECT_TRUE(test, hwsim_scoreboard_has(&board, 159));
	hwsim_scoreboard_set(&board, 160);
	KUNIT_EXPECT_EQ(test, 4001, board.start);
	KUNIT_EXPECT_EQ(test, BIT_ULL(62) | BIT_ULL(63), word_of(&board, 3));
	/* from one word to another */
	hwsim_scoreboard_move(&board, 4001 + 65);
	KUNIT_EXPECT_EQ(test, BIT_ULL(61) | BIT_ULL(62), word_of(&board, 2));
	KUNIT_EXPECT_EQ(test, 0, word_of(&board, 3));
	/* as far back as both are still in the window, and one further */
	hwsim_scoreboard_reach_back(&board, 4001);
	KUNIT_EXPECT_EQ(test, 4001, board.start);
	KUNIT_EXPECT_EQ(test, BIT_ULL(62) | BIT_ULL(63), word_of(&board, 3));
	hwsim_scoreboard_reach_back(&board, 4001 - 256);
	KUNIT_EXPECT_EQ(test, 4001, board.start);
	hwsim_scoreboard_reach_back(&board, 4001 - 255);
	KUNIT_EXPECT_EQ(test, 4001 - 255, board.start);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(board.bitmap, 256));
	/* the last one stays, then all are gone */
	hwsim_scoreboard_set(&board, 4001);
	hwsim_scoreboard_move(&board, 4001);
	KUNIT_EXPECT_EQ(test, BIT_ULL(0), word_of(&board, 0));
	hwsim_scoreboard_set(&board, (4001 + 255) % 4096);
	hwsim_scoreboard_move(&board, (4001 + 256) % 4096);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(board.bitmap, 256));
}

static void board_follows_the_agreement(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 64, hwsim_ba_bits(0));
	KUNIT_EXPECT_EQ(test, 64, hwsim_ba_bits(64));
	KUNIT_EXPECT_EQ(test, 256, hwsim_ba_bits(65));
	KUNIT_EXPECT_EQ(test, 256, hwsim_ba_bits(256));
	KUNIT_EXPECT_EQ(test, 32, hwsim_ba_bytes(64));
	KUNIT_EXPECT_EQ(test, 56, hwsim_ba_bytes(256));
}

static u32 fill(struct kunit *test, const struct hwsim_ampdu_limits *limits,
		u32 mpdu_bytes, u32 *bytes)
{
	u32 count = 0, offset, next;

	*bytes = 0;
	for (;;) {
		next = hwsim_ampdu_append(limits, *bytes, count,
					  count ? mpdu_bytes : 0, mpdu_bytes,
					  &offset);
		if (!next)
			return count;
		KUNIT_EXPECT_EQ(test, 0,
				(offset - HWSIM_AMPDU_DELIMITER) % 4);
		*bytes = next;
		count++;
	}
}

#define HT_MAX_BYTES	65535
#define VHT_MAX_BYTES	1048575

static void ampdu_limits(struct kunit *test)
{
	struct hwsim_ampdu_limits limits = {
		.rate = { HWSIM_PHY_HT, 7, 1, HWSIM_PHY_40MHZ,
			  HWSIM_PHY_GUARD_400NS },
		.timing = hwsim_phy_timing(true, true),
		.max_ns = HWSIM_PPDU_MAX_NS,
		.max_bytes = HT_MAX_BYTES,
		.max_count = 64,
	};
	u32 bytes;

	/* 65535 / (1538 + 4 + 2) */
	KUNIT_EXPECT_EQ(test, 42, fill(test, &limits, 1538, &bytes));
	KUNIT_EXPECT_EQ(test, 42 * 1544 - 2, bytes);
	/* by number */
	KUNIT_EXPECT_EQ(test, 64, fill(test, &limits, 200, &bytes));
	limits.max_count = 16;
	KUNIT_EXPECT_EQ(test, 16, fill(test, &limits, 200, &bytes));
	/* by the receiver */
	limits.max_count = 64;
	limits.max_bytes = 8191;
	KUNIT_EXPECT_EQ(test, 5, fill(test, &limits, 1538, &bytes));
	/* by time: 1 ms at 65 Mbit/s, (964 us / 4) * 260 bits */
	limits.max_bytes = HT_MAX_BYTES;
	limits.rate = (struct hwsim_phy_rate) { HWSIM_PHY_HT, 7, 1 };
	limits.max_ns = 1000000;
	KUNIT_EXPECT_EQ(test, 5, fill(test, &limits, 1538, &bytes));
	/* by spacing: 8 us at 65 Mbit/s are 65 bytes, so 68 */
	limits.max_ns = HWSIM_PPDU_MAX_NS;
	limits.spacing_ns = 8000;
	KUNIT_EXPECT_EQ(test, 64, fill(test, &limits, 30, &bytes));
	KUNIT_EXPECT_EQ(test, 63 * 68 + 34, bytes);
	/* a single one always fits */
	limits.max_ns = 1000;
	KUNIT_EXPECT_EQ(test, 1, fill(test, &limits, 1538, &bytes));
}

/* an agreement with a window of 256, and PPDUs of VHT */
static void ampdu_limits_beyond_ht(struct kunit *test)
{
	struct hwsim_ampdu_limits limits = {
		.rate = { HWSIM_PHY_VHT, 9, 4, HWSIM_PHY_80MHZ },
		.timing = hwsim_phy_timing(true, true),
		.max_ns = HWSIM_PPDU_MAX_NS,
		.max_bytes = VHT_MAX_BYTES,
		.max_count = HWSIM_AMPDU_MAX,
	};
	u32 bytes;

	KUNIT_EXPECT_EQ(test, 256, fill(test, &limits, 1538, &bytes));
	KUNIT_EXPECT_EQ(test, 256 * 1544 - 2, bytes);
	limits.max_count = 65;
	KUNIT_EXPECT_EQ(test, 65, fill(test, &limits, 1538, &bytes));
	/* 1048575 / (11454 + 4 + 2) */
	limits.max_count = HWSIM_AMPDU_MAX;
	KUNIT_EXPECT_EQ(test, 91, fill(test, &limits, 11454, &bytes));
}

static struct kunit_case hwsim_medium_access_cases[] = {
	KUNIT_CASE(edca_counts_whole_slots),
	KUNIT_CASE(edca_counts_at_slot_boundaries),
	KUNIT_CASE(edca_window_doubles_up_to_its_end),
	KUNIT_CASE(edca_interframe_spaces),
	KUNIT_CASE(board_remembers_a_window),
	KUNIT_CASE(board_limits),
	KUNIT_CASE(board_limits_of_256),
	KUNIT_CASE(board_follows_the_agreement),
	KUNIT_CASE(ampdu_limits),
	KUNIT_CASE(ampdu_limits_beyond_ht),
	{}
};

static struct kunit_suite hwsim_medium_access_suite = {
	.name = "hwsim-medium-access",
	.test_cases = hwsim_medium_access_cases,
};

kunit_test_suite(hwsim_medium_access_suite);
