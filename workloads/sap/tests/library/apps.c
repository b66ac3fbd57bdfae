/* SPDX-License-Identifier: MIT */
/* What sap-streamer and sap-tracker compute: numbers on the command line, the stream, arrivals, speeds; reports. */
#include <math.h>
#include <string.h>

#include "arrivals.h"
#include "bytes.h"
#include "carrier.h"
#include "check.h"
#include "report.h"
#include "stream.h"
#include "table.h"
#include "track.h"
#include "words.h"

static void numbers_have_units(void)
{
	uint64_t value;

	CHECK(word_bytes("10M", &value) && value == 10 << 20);
	CHECK(word_bytes("10MB", &value) && value == 10000000);
	CHECK(word_bytes("3KiB", &value) && value == 3072);
	CHECK(word_bytes("629B", &value) && value == 629);
	CHECK(word_duration("5ms", &value) && value == 5000000);
	CHECK(word_duration("1.5s", &value) && value == 1500000000);
	CHECK(word_duration("0.000000001s", &value) && value == 1);
	CHECK(word_number("65535", 1, 65535, &value) && value == 65535);
}

static void what_is_no_number_is_refused(void)
{
	static const char *const bytes[] = { "", "M", "-1", "10 M", "1.5M", "10Mb", "99999999999999999999", "17179869184G" };
	static const char *const durations[] = { "", "5", "ms", "-5ms", "1.s", "0.0000000001s", "0.5ns", "5 ms",
						 "18446744073709551615s", "1.5.5s", "1e3s" };
	uint64_t value;

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		CHECK(!word_bytes(bytes[i], &value));
	for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++)
		CHECK(!word_duration(durations[i], &value));
	CHECK(!word_number("65536", 1, 65535, &value));
	CHECK(!word_number("0", 1, 65535, &value));
	CHECK(!word_number("12x", 1, 65535, &value));
}

static void gaps_are_summed_up(void)
{
	struct arrivals arrivals = { 0 };
	struct gaps gaps;
	uint64_t at_ns = 1000;

	arrivals_add(&arrivals, at_ns);
	CHECK(arrivals_gaps(&arrivals).count == 0 && isnan(arrivals_gaps(&arrivals).mean_ns));
	for (uint64_t gap_ns = 100; gap_ns > 0; gap_ns--) {
		at_ns += gap_ns;
		arrivals_add(&arrivals, at_ns);
		if (gap_ns == 100)
			CHECK(isnan(arrivals_gaps(&arrivals).variance_ns2));
	}
	gaps = arrivals_gaps(&arrivals);
	CHECK(gaps.count == 100 && gaps.mean_ns == 50.5 && gaps.min_ns == 1 && gaps.max_ns == 100);
	CHECK(gaps.p50_ns == 50 && gaps.p90_ns == 90 && gaps.p95_ns == 95 && gaps.p99_ns == 99);
	CHECK(fabs(gaps.variance_ns2 - 100.0 * (100 * 100 - 1) / 12 / 99) < 1e-9); /* of 1 to n: (n^2 - 1) / 12 */
	arrivals_free(&arrivals);
}

static void the_hash_is_murmurs(void)
{
	CHECK_EQUAL(stream_hash(0), 0);
	CHECK_EQUAL(stream_hash(1), 0x514e28b7); /* MurmurHash3_x86_32 of no bytes with seed 1 */
}

/* Over 2^20 counters each bit is set half of the time, within four standard deviations. */
static void the_hash_has_no_bias(void)
{
	uint32_t set[32] = { 0 };

	for (uint32_t counter = 0; counter < 1 << 20; counter++) {
		const uint32_t hash = stream_hash(0xfff80000 + counter);

		for (unsigned int bit = 0; bit < 32; bit++)
			set[bit] += hash >> bit & 1;
	}
	for (unsigned int bit = 0; bit < 32; bit++)
		CHECK(labs((long)set[bit] - (1 << 19)) < 4 * 512);
}

static const struct stream_opening PATTERN = {
	.content = STREAM_PATTERN, .payload = 1024, .seed = 7, .precise = 0, .bytes = 10 * 1024 + 3
};

static void a_datagram_begins_with_the_hash_of_its_counter(void)
{
	struct stream_opening wraps = PATTERN;
	uint8_t data[1024], shorter[7], later[1024];

	stream_fill(&PATTERN, 5, data, sizeof(data));
	CHECK_EQUAL(sap_get_be(data, 4), stream_hash(12));
	for (size_t left = 0; left < sizeof(data); left += 4) {
		for (size_t right = left + 4; right < sizeof(data); right += 4)
			CHECK(memcmp(data + left, data + right, 4));
	}
	stream_fill(&PATTERN, 5, shorter, sizeof(shorter));
	CHECK(!memcmp(data, shorter, sizeof(shorter)));
	stream_fill(&PATTERN, 6, later, sizeof(later));
	CHECK(stream_wrong_bits(data, later, sizeof(data)) > 3900); /* of 8192, about half */
	wraps.seed = UINT32_MAX;
	stream_fill(&wraps, 13, later, sizeof(later));
	CHECK_EQUAL(sap_get_be(later, 4), stream_hash(12));
}

static void wrong_bits_are_counted(void)
{
	struct stream_tally tally = { 0 };
	uint8_t data[1024];

	stream_fill(&PATTERN, 0, data, sizeof(data));
	stream_count(&tally, &PATTERN, 0, data, sizeof(data));
	CHECK(tally.arrived == 1 && !tally.damaged && !tally.wrong_bits && tally.bits == 8192);
	stream_fill(&PATTERN, 1, data, sizeof(data));
	data[0] ^= 0x80;
	data[1023] ^= 0x03;
	stream_count(&tally, &PATTERN, 1, data, sizeof(data));
	stream_fill(&PATTERN, 10, data, 3);
	data[2] ^= 0xff;
	stream_count(&tally, &PATTERN, 10, data, 3);
	CHECK(tally.arrived == 3 && tally.damaged == 2 && tally.wrong_bits == 11);
	CHECK(tally.bits == 2 * 8192 + 24 && tally.damaged_bits == 8192 + 24);
}

static void of_a_file_nothing_is_known(void)
{
	struct stream_opening file = PATTERN;
	struct stream_tally tally = { 0 };
	uint8_t data[1024] = { 1 };

	file.content = STREAM_FILE;
	stream_count(&tally, &file, 0, data, sizeof(data));
	CHECK(tally.arrived == 1 && !tally.damaged && !tally.wrong_bits);
}

static bool placed(const struct stream_opening *opening, bool guaranteed, uint32_t number, uint32_t length,
		   uint64_t wanted)
{
	const struct sap_message message = { .length = length, .guaranteed = guaranteed, .number = number };
	uint64_t index = UINT64_MAX;

	return stream_index(opening, &message, &index) && index == wanted;
}

static void datagrams_find_their_place(void)
{
	struct stream_opening headed = PATTERN;

	headed.precise = 2;
	CHECK_EQUAL(stream_datagrams(&headed), 11);
	CHECK(!placed(&headed, true, 0, 1024, 0)); /* the opening itself */
	CHECK(placed(&headed, true, 1, 1024, 0) && placed(&headed, true, 2, 1024, 1));
	CHECK(!placed(&headed, true, 3, 1024, 2));
	CHECK(placed(&headed, false, 0, 1024, 2) && placed(&headed, false, 8, 3, 10));
	CHECK(!placed(&headed, false, 9, 3, 11) && !placed(&headed, false, UINT32_MAX, 3, 11));
	CHECK(!placed(&headed, false, 0, 1023, 2) && !placed(&headed, false, 8, 1024, 10));
}

static void openings_are_checked(void)
{
	static const struct stream_opening bad[] = {
		{ .payload = 0, .bytes = 1 },
		{ .payload = SAP_PAYLOAD_BYTES_MAX + 1, .bytes = 1 },
		{ .payload = 1024, .bytes = 0 },
		{ .payload = 1024, .bytes = 2048, .precise = 3 },
		{ .payload = 1, .bytes = UINT64_C(1) << 32 },
		{ .payload = 1, .bytes = UINT64_MAX },
	};
	struct stream_opening opening;
	uint8_t bytes[STREAM_OPENING_BYTES];

	stream_opening_pack(&PATTERN, bytes);
	CHECK(stream_opening_unpack(&opening, bytes, sizeof(bytes)));
	CHECK(opening.content == STREAM_PATTERN && opening.payload == 1024 && opening.seed == 7 && !opening.precise &&
	      opening.bytes == PATTERN.bytes);
	CHECK(!stream_opening_unpack(&opening, bytes, sizeof(bytes) - 1));
	for (size_t i = 0; i < 6; i++) { /* magic, version, content */
		bytes[i] ^= 0x10;
		CHECK(!stream_opening_unpack(&opening, bytes, sizeof(bytes)));
		bytes[i] ^= 0x10;
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		stream_opening_pack(&bad[i], bytes);
		CHECK(!stream_opening_unpack(&opening, bytes, sizeof(bytes)));
	}
}

static void traces_have_openings_too(void)
{
	const struct opening sent = { .points = 945, .interval_ns = 1000000000 }, empty = { .interval_ns = 1 };
	struct opening got;
	uint8_t bytes[OPENING_BYTES];

	opening_pack(&sent, bytes);
	CHECK(opening_unpack(&got, bytes, sizeof(bytes)) && got.points == 945 && got.interval_ns == 1000000000);
	CHECK(!opening_unpack(&got, bytes, sizeof(bytes) - 1));
	bytes[3] ^= 1;
	CHECK(!opening_unpack(&got, bytes, sizeof(bytes)));
	opening_pack(&empty, bytes);
	CHECK(!opening_unpack(&got, bytes, sizeof(bytes)));
}

/* Metres north of 45 degrees, on a meridian. */
static struct track_point north(double metres)
{
	return (struct track_point){ 45 + metres / (TRACK_EARTH_RADIUS_M * 3.14159265358979323846 / 180), 10 };
}

static void points_are_in_network_order(void)
{
	const struct track_point point = { 1.0, -2.0 };
	uint8_t bytes[TRACK_POINT_BYTES];
	struct track_point back;

	track_point_pack(&point, bytes);
	CHECK_EQUAL(sap_get_be(bytes, 8), 0x3ff0000000000000);
	CHECK_EQUAL(sap_get_be(bytes + 8, 8), 0xc000000000000000);
	back = track_point_unpack(bytes);
	CHECK(back.latitude_deg == 1.0 && back.longitude_deg == -2.0);
}

static void reports_are_json(void)
{
	static const char expected[] = "{\"text\": \"\\\"a\\\\b\\u000a\xc3\xa9\\ufffd\", \"in\": {\"n\": 7}, "
				       "\"raw\": 0.50, \"none\": null, \"flag\": true}\n";
	struct report report;
	char *written;
	size_t length;
	FILE *const to = open_memstream(&written, &length);

	CHECK(to);
	report_begin(&report, to);
	report_text(&report, "text", "\"a\\b\n\xc3\xa9\xff");
	report_enter(&report, "in");
	report_count(&report, "n", 7);
	report_leave(&report);
	report_value(&report, "raw", "0.50");
	report_number(&report, "none", NAN);
	report_flag(&report, "flag", true);
	report_end(&report);
	CHECK(fclose(to) == 0 && strcmp(written, expected) == 0);
	free(written);
}

static void distances_are_those_of_the_earth(void)
{
	const struct track_point equator = { 0, 0 }, east = { 0, 90 }, pole = { 90, 0 }, other = { 0, 180 };
	const double quarter_m = 10007557.2; /* of a circle of TRACK_EARTH_RADIUS_M */
	const struct track_point here = north(0), there = north(10);

	CHECK(fabs(track_distance_m(&equator, &east) - quarter_m) < 1);
	CHECK(fabs(track_distance_m(&equator, &pole) - quarter_m) < 1);
	CHECK(fabs(track_distance_m(&equator, &other) - 2 * quarter_m) < 1);
	CHECK(fabs(track_distance_m(&here, &there) - 10) < 1e-6);
}

static bool walks(struct track *track, uint64_t number, double metres)
{
	const struct track_point point = north(metres);

	return track_update(track, number, &point);
}

static void speeds_are_averaged(void)
{
	struct track track;

	track_init(&track, 1, TRACK_IGNORE_GAPS);
	CHECK(walks(&track, 0, 0) && walks(&track, 1, 1) && walks(&track, 2, 4) && walks(&track, 3, 4));
	CHECK(fabs(track.average_m_s - 4.0 / 3) < 1e-6 && track.intervals == 3 && track.taken == 4);
}

/* A wrong bit in the exponent: the point is discarded, and its interval shared out at the next one. */
static void a_damaged_double_is_discarded(void)
{
	struct track_point point = north(2);
	uint8_t bytes[TRACK_POINT_BYTES];
	struct track track;

	track_init(&track, 1, TRACK_IGNORE_GAPS);
	CHECK(walks(&track, 0, 0) && walks(&track, 1, 1));
	track_point_pack(&point, bytes);
	bytes[1] ^= 0x20; /* 45 becomes a quarter of it or four times as much */
	point = track_point_unpack(bytes);
	CHECK(!track_update(&track, 2, &point));
	CHECK(track.discarded_speed + track.discarded_place == 1 && track.waiting == 1);
	CHECK(walks(&track, 3, 4)); /* 3 m in two intervals */
	CHECK(fabs(track.average_m_s - 4.0 / 3) < 1e-6 && track.intervals == 3);
}

static void what_is_no_place_is_discarded(void)
{
	static const struct track_point nowhere[] = {
		{ NAN, 10 }, { 45, NAN }, { INFINITY, 10 }, { 91, 10 }, { 45, -181 }, { 45, 1e300 }
	};
	struct track track;

	track_init(&track, 1, TRACK_COUNT_GAPS);
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		CHECK(!track_update(&track, i, &nowhere[i]));
	CHECK(track.discarded_place == 6 && !track.begun);
	CHECK(walks(&track, 6, 0) && walks(&track, 7, 2) && fabs(track.average_m_s - 2) < 1e-6);
}

static void nobody_runs_faster_than_the_bound(void)
{
	struct track track;

	track_init(&track, 1, TRACK_IGNORE_GAPS);
	CHECK(walks(&track, 0, 0) && walks(&track, 1, 12.41) && !walks(&track, 2, 12.41 + 12.43));
	CHECK(track.discarded_speed == 1);
	CHECK(walks(&track, 3, 12.41 + 24)); /* two intervals wait: 24 m is 12 m/s */
}

/* Two of five points are lost. A receiver that does not know takes 4 m of three intervals for those of one. */
static void gaps_are_ignored_or_counted(void)
{
	struct track ignores, counts;

	track_init(&ignores, 1, TRACK_IGNORE_GAPS);
	track_init(&counts, 1, TRACK_COUNT_GAPS);
	CHECK(walks(&ignores, 0, 0) && walks(&ignores, 1, 1) && walks(&ignores, 4, 5));
	CHECK(walks(&counts, 0, 0) && walks(&counts, 1, 1) && walks(&counts, 4, 5));
	CHECK(fabs(ignores.average_m_s - 2.5) < 1e-6 && fabs(counts.average_m_s - 1.25) < 1e-6);
}

static void what_was_overtaken_is_stale(void)
{
	struct track track;

	track_init(&track, 1, TRACK_COUNT_GAPS);
	CHECK(walks(&track, 0, 0) && walks(&track, 2, 2) && !walks(&track, 1, 1) && !walks(&track, 2, 2));
	CHECK(track.discarded_stale == 2 && fabs(track.average_m_s - 1) < 1e-6);
}

static const struct test app_tests[] = {
	TEST(numbers_have_units),
	TEST(what_is_no_number_is_refused),
	TEST(gaps_are_summed_up),
	TEST(the_hash_is_murmurs),
	TEST(the_hash_has_no_bias),
	TEST(a_datagram_begins_with_the_hash_of_its_counter),
	TEST(wrong_bits_are_counted),
	TEST(of_a_file_nothing_is_known),
	TEST(datagrams_find_their_place),
	TEST(openings_are_checked),
	TEST(traces_have_openings_too),
	TEST(points_are_in_network_order),
	TEST(reports_are_json),
	TEST(distances_are_those_of_the_earth),
	TEST(speeds_are_averaged),
	TEST(a_damaged_double_is_discarded),
	TEST(what_is_no_place_is_discarded),
	TEST(nobody_runs_faster_than_the_bound),
	TEST(gaps_are_ignored_or_counted),
	TEST(what_was_overtaken_is_stale),
	END_OF_TESTS
};

const struct test *const tables[] = { app_tests, NULL };
