/* SPDX-License-Identifier: MIT */
/* The pieces of the core by themselves: checksums, numbers, timers, the wire. */
#include <string.h>

#include "bytes.h"
#include "check.h"
#include "congestion.h"
#include "crc32c.h"
#include "rtt.h"
#include "serial.h"
#include "siphash.h"
#include "tests.h"
#include "wire.h"

static void crc32c(void)
{
	static const uint8_t zeros[32];
	uint32_t slow = 0xffffffff;
	const uint8_t *const digits = (const uint8_t *)"123456789";

	/* the check value of the catalogue of CRCs, and RFC 3720 B.4's 32 bytes of zeros */
	CHECK_EQUAL(sap_crc32c(0, digits, 9), 0xe3069283);
	CHECK_EQUAL(sap_crc32c(0, zeros, 32), 0x8a9136aa);
	CHECK_EQUAL(sap_crc32c(sap_crc32c(0, digits, 4), digits + 4, 5), 0xe3069283);
	/* bit by bit, of all bytes: the table as a whole */
	for (unsigned int i = 0; i < 256; i++) {
		slow ^= i;
		for (int bit = 0; bit < 8; bit++)
			slow = slow >> 1 ^ (slow & 1 ? 0x82f63b78 : 0);
	}
	uint8_t all[256];

	for (unsigned int i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	CHECK_EQUAL(sap_crc32c(0, all, 256), (uint32_t)~slow);
}

static void siphash(void)
{
	uint8_t key[16], bytes[15];

	for (uint8_t i = 0; i < 16; i++)
		key[i] = i;
	for (uint8_t i = 0; i < 15; i++)
		bytes[i] = i;
	/* appendix A of the paper */
	CHECK(sap_siphash(key, bytes, 15) == 0xa129ca6149be45e5);
	CHECK(sap_siphash(key, bytes, 8) != sap_siphash(key, bytes, 7));
}

static void serial(void)
{
	CHECK_EQUAL(sap_ahead(5, 3), 2);
	CHECK_EQUAL(sap_ahead(3, 5), -2);
	CHECK_EQUAL(sap_ahead(1, UINT32_MAX), 2);
	CHECK_EQUAL(sap_ahead(UINT32_MAX, 1), -2);
}

static void rtt(void)
{
	struct sap_rtt rtt;

	sap_rtt_init(&rtt, false, 1000 * MS, 200 * MS, SAP_NEVER);
	CHECK_EQUAL(sap_rtt_timeout_ns(&rtt), 1000 * MS);
	sap_rtt_sample(&rtt, 100 * MS); /* RFC 6298 2.2: 100 + 4 * 50 */
	CHECK_EQUAL(sap_rtt_timeout_ns(&rtt), 300 * MS);
	sap_rtt_sample(&rtt, 180 * MS); /* 2.3: rttvar 3/4 * 50 + 1/4 * 80, srtt 7/8 * 100 + 1/8 * 180 */
	CHECK_EQUAL(rtt.rttvar_ns, 57500000);
	CHECK_EQUAL(rtt.srtt_ns, 110 * MS);
	CHECK_EQUAL(sap_rtt_timeout_ns(&rtt), 340 * MS);
	sap_rtt_back_off(&rtt);
	CHECK_EQUAL(sap_rtt_timeout_ns(&rtt), 680 * MS);
	for (int i = 0; i < 100; i++)
		sap_rtt_back_off(&rtt);
	CHECK_EQUAL(sap_rtt_timeout_ns(&rtt), 60000 * MS);
	sap_rtt_progress(&rtt);
	CHECK_EQUAL(sap_rtt_timeout_ns(&rtt), 340 * MS);
	sap_rtt_sample(&rtt, 0);
	sap_rtt_sample(&rtt, SAP_NEVER);
	sap_rtt_init(&rtt, false, 1000 * MS, 200 * MS, SAP_NEVER);
	sap_rtt_sample(&rtt, MS);
	CHECK_EQUAL(sap_rtt_timeout_ns(&rtt), 200 * MS);
	sap_rtt_init(&rtt, false, 1000 * MS, 200 * MS, 2500 * MS);
	for (int i = 0; i < 100; i++)
		sap_rtt_back_off(&rtt);
	CHECK_EQUAL(sap_rtt_timeout_ns(&rtt), 2500 * MS);
	sap_rtt_init(&rtt, true, 50 * MS, 200 * MS, SAP_NEVER);
	sap_rtt_sample(&rtt, 100 * MS);
	sap_rtt_back_off(&rtt);
	CHECK_EQUAL(sap_rtt_timeout_ns(&rtt), 50 * MS);
}

static void congestion(void)
{
	struct sap_congestion congestion;

	sap_congestion_init(&congestion, false);
	CHECK_EQUAL(congestion.window, 10);
	sap_congestion_acknowledged(&congestion, 2, 10); /* slow start */
	CHECK_EQUAL(congestion.window, 12);
	sap_congestion_acknowledged(&congestion, 2, 11); /* not full */
	CHECK_EQUAL(congestion.window, 12);
	sap_congestion_lost(&congestion, 12);
	CHECK_EQUAL(congestion.window, 6);
	sap_congestion_acknowledged(&congestion, 5, 6); /* congestion avoidance: one more for each window */
	CHECK_EQUAL(congestion.window, 6);
	sap_congestion_acknowledged(&congestion, 1, 6);
	CHECK_EQUAL(congestion.window, 7);
	sap_congestion_acknowledged(&congestion, 5, 7);
	sap_congestion_acknowledged(&congestion, 4, 7); /* two more than the rest of the window: they count for the next */
	CHECK_EQUAL(congestion.window, 8);
	sap_congestion_acknowledged(&congestion, 5, 8);
	CHECK_EQUAL(congestion.window, 8);
	sap_congestion_acknowledged(&congestion, 1, 8);
	CHECK_EQUAL(congestion.window, 9);
	sap_congestion_timeout(&congestion, 8, true);
	CHECK_EQUAL(congestion.window, 1);
	CHECK_EQUAL(congestion.threshold, 4);
	sap_congestion_timeout(&congestion, 2, false);
	CHECK_EQUAL(congestion.threshold, 4);
	sap_congestion_lost(&congestion, 1);
	CHECK_EQUAL(congestion.window, 2);
	sap_congestion_init(&congestion, true);
	sap_congestion_acknowledged(&congestion, 1, 1);
	sap_congestion_lost(&congestion, 1);
	sap_congestion_timeout(&congestion, 1, true);
	CHECK_EQUAL(congestion.window, 1);
}

/* The layout of the header, byte by byte: two versions of the library have to understand each other. */
static void wire_layout(void)
{
	const struct sap_header header = {
		.type = SAP_TYPE_DATA, .head = 2, .payload = 3, .number = 0x01020304, .count = 0x05060708,
		.connection = 0x1112131415161718, .token = 0x2122232425262728,
	};
	static const uint8_t expected[] = {
		0x53, 0x41, 1, 3, 0, 2, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8,
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
	};
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];

	CHECK_EQUAL(sap_wire_write(bytes, &header, (const uint8_t *)"abc"), 39);
	CHECK(memcmp(bytes, expected, sizeof(expected)) == 0);
	CHECK(memcmp(bytes + 36, "abc", 3) == 0);
	CHECK_EQUAL(sap_get_be(bytes + 32, 4), sap_crc32c(sap_crc32c(0, bytes, 32), bytes + 36, 2));
}

/* Any one or two wrong bits of header and head are found, any of the tail are not. */
static void wire_damage(void)
{
	const struct sap_header header = { .type = SAP_TYPE_DATA, .head = 8, .payload = 12, .number = 7, .token = 9 };
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
	struct sap_header read;
	const size_t length = sap_wire_write(bytes, &header, (const uint8_t *)"headheadtail");
	const size_t precise = (SAP_HEADER_BYTES + 8) * 8;

	CHECK(sap_wire_read(&read, bytes, length));
	CHECK(memcmp(&read, &header, sizeof(read)) == 0);
	for (size_t first = 0; first < length * 8; first++) {
		bytes[first / 8] ^= (uint8_t)(1u << first % 8);
		CHECK(sap_wire_read(&read, bytes, length) == (first >= precise));
		for (size_t second = 0; second < first; second++) {
			bytes[second / 8] ^= (uint8_t)(1u << second % 8);
			CHECK(sap_wire_read(&read, bytes, length) == (second >= precise));
			bytes[second / 8] ^= (uint8_t)(1u << second % 8);
		}
		bytes[first / 8] ^= (uint8_t)(1u << first % 8);
	}
	for (size_t shorter = 0; shorter < length; shorter++)
		CHECK(!sap_wire_read(&read, bytes, shorter));
	CHECK(!sap_wire_read(&read, bytes, length + 1));
}

/* Headers with a right CRC that make no sense. */
static void wire_forms(void)
{
	static const struct sap_header wrong[] = {
		{ .type = 0 },
		{ .type = 8 },
		{ .type = 255 },
		{ .type = SAP_TYPE_PING, .payload = 1, .head = 1 },
		{ .type = SAP_TYPE_PING_ACK, .payload = 1 },
		{ .type = SAP_TYPE_FIN, .payload = 1, .head = 1 },
		{ .type = SAP_TYPE_ACK, .payload = 8 },
		{ .type = SAP_TYPE_ACK, .payload = 33, .head = 33 },
		{ .type = SAP_TYPE_FIN_ACK, .payload = 2, .head = 1 },
		{ .type = SAP_TYPE_DATA, .payload = 1 },
		{ .type = SAP_TYPE_DATA, .payload = SAP_PAYLOAD_BYTES_MAX + 1, .head = 1 },
		{ .type = SAP_TYPE_APPROXIMATE, .payload = SAP_PAYLOAD_BYTES_MAX + 1 },
	};
	static const struct sap_header right[] = {
		{ .type = SAP_TYPE_PING },
		{ .type = SAP_TYPE_ACK, .payload = 32, .head = 32 },
		{ .type = SAP_TYPE_DATA },
		{ .type = SAP_TYPE_DATA, .payload = SAP_PAYLOAD_BYTES_MAX, .head = 1 },
		{ .type = SAP_TYPE_APPROXIMATE },
		{ .type = SAP_TYPE_APPROXIMATE, .payload = SAP_PAYLOAD_BYTES_MAX, .head = SAP_PAYLOAD_BYTES_MAX },
	};
	static const uint8_t payload[SAP_PAYLOAD_BYTES_MAX + 1];
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX + 1];
	struct sap_header read;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK(!sap_wire_read(&read, bytes, sap_wire_write(bytes, &wrong[i], payload)));
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
		CHECK(sap_wire_read(&read, bytes, sap_wire_write(bytes, &right[i], payload)));
}

static void config_bounds(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	const size_t bytes = sap_core_bytes(&config);
	uint8_t *const memory = malloc(bytes);

	CHECK(bytes && memory);
	CHECK(!sap_core_init(memory, bytes - 1, &config, 0));
	CHECK(sap_core_init(memory, bytes, &config, 0));
	free(memory);
#define REFUSED(member, value) \
	do { \
		config = test_config(SAP_WINDOW); \
		config.member = (value); \
		CHECK_EQUAL(sap_core_bytes(&config), 0); \
	} while (0)
	REFUSED(payload_bytes, 0);
	REFUSED(payload_bytes, SAP_PAYLOAD_BYTES_MAX + 1);
	REFUSED(window, 0);
	REFUSED(window, SAP_WINDOW_MAX + 1);
	REFUSED(approximate_queue, 0);
	REFUSED(approximate_queue, 65537);
	REFUSED(rto_ns, 0);
	REFUSED(give_up_ns, SAP_NEVER);
	REFUSED(linger_ns, SAP_NEVER);
	REFUSED(control, (enum sap_control)2);
	REFUSED(role, (enum sap_role)2);
	REFUSED(peer.length, 32);
#undef REFUSED
}

const struct test pieces_tests[] = {
	TEST(crc32c),
	TEST(siphash),
	TEST(serial),
	TEST(rtt),
	TEST(congestion),
	TEST(wire_layout),
	TEST(wire_damage),
	TEST(wire_forms),
	TEST(config_bounds),
	END_OF_TESTS,
};
