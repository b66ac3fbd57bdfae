/* SPDX-License-Identifier: MIT */
/*
 * A core whose peer breaks every rule: it knows the ids, so all headers it makes up get past CRC and token, in between
 * the calls of an application and jumps of the clock. Whatever comes, the core stays within its memory, its counters add
 * up, guaranteed numbers come in order, nothing comes after the end, and it never speaks for ever.
 */
#include <string.h>

#include "../check.h"
#include "fuzz.h"
#include "sap_core.h"
#include "wire.h"

enum { OUTPUTS_MOST = 1000 };

static const struct sap_address PEER = { .length = 1, .bytes = { 9 } };

struct play {
	struct reader reader;
	struct sap_core *core;
	uint64_t now_ns;
	struct sap_header ids;
	uint32_t next_guaranteed;
	bool ended;
};

static void output(struct play *play)
{
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
	struct sap_header header;
	struct sap_output out;

	for (int i = 0; sap_core_output(play->core, bytes, sizeof(bytes), &out, play->now_ns); i++) {
		CHECK(i < OUTPUTS_MOST);
		CHECK(sap_wire_read(&header, bytes, out.length));
		CHECK(out.precise <= out.length && out.precise == SAP_HEADER_BYTES + (size_t)header.head);
		play->ids = (struct sap_header){ .connection = header.connection, .token = header.token };
	}
	CHECK(sap_core_next_ns(play->core) > play->now_ns);
}

static void receive(struct play *play)
{
	uint8_t bytes[SAP_PAYLOAD_BYTES_MAX];
	struct sap_message message;
	const int error = sap_core_receive(play->core, bytes, sizeof(bytes), &message);

	if (error) {
		CHECK(error == SAP_ERR_AGAIN || error == SAP_ERR_END || error == SAP_ERR_UNREACHED);
		play->ended |= error == SAP_ERR_END;
		return;
	}
	CHECK(!play->ended && message.precise <= message.length);
	if (message.guaranteed)
		CHECK_EQUAL(message.number, play->next_guaranteed++);
}

static void input(struct play *play)
{
	struct reader *const reader = &play->reader;
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX], payload[256];
	struct sap_header header = play->ids;

	header.type = (enum sap_type)(read_byte(reader) % 9);
	header.payload = read_byte(reader);
	header.head = (uint16_t)(read_byte(reader) % (header.payload + 1));
	header.number = (uint32_t)(int8_t)read_byte(reader);
	header.count = (uint32_t)(int8_t)read_byte(reader);
	if (header.type == 8) { /* far away numbers */
		header.type = (enum sap_type)(1 + read_byte(reader) % 7);
		header.number = read_number(reader, 4);
		header.count = read_number(reader, 4);
	}
	if (header.type == SAP_TYPE_PING && read_byte(reader) % 2)
		header.token = 0;
	for (size_t i = 0; i < header.payload; i++)
		payload[i] = read_byte(reader);
	sap_core_input(play->core, &PEER, bytes, sap_wire_write(bytes, &header, payload), play->now_ns);
}

static void step(struct play *play)
{
	static const uint8_t data[SAP_PAYLOAD_BYTES_MAX];
	struct reader *const reader = &play->reader;
	size_t length;

	switch (read_byte(reader) % 8) {
	case 0:
		length = read_byte(reader);
		sap_core_send(play->core, data, length, read_byte(reader), read_byte(reader) % 2);
		break;
	case 1:
		receive(play);
		break;
	case 2:
		sap_core_fin(play->core);
		break;
	case 3:
		play->now_ns += (uint64_t)1 << read_byte(reader) % 36;
		break;
	default:
		input(play);
	}
	if (read_byte(reader) % 4)
		output(play);
}

static void check_stats(const struct sap_core *core)
{
	struct sap_stats is;

	sap_core_get_stats(core, &is);
	CHECK_EQUAL(is.received, is.control + is.delivered_guaranteed + is.delivered_approximate + is.waiting +
					 is.duplicates + is.late + is.overruns + is.rejected_damaged +
					 is.rejected_foreign + is.rejected_senseless);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct play play = { .reader = { bytes, length } };
	struct sap_core_config config;
	void *memory;
	size_t size;

	sap_core_config_init(&config);
	config.role = read_byte(&play.reader) % 2 ? SAP_CONNECTS : SAP_LISTENS;
	config.control = read_byte(&play.reader) % 2 ? SAP_WINDOW : SAP_STOP_AND_WAIT;
	config.payload_bytes = 1 + read_byte(&play.reader);
	config.window = 1 + read_byte(&play.reader);
	config.approximate_queue = 1 + read_byte(&play.reader) % 16;
	config.first_number = (uint32_t)(int8_t)read_byte(&play.reader);
	config.peer = PEER;
	size = sap_core_bytes(&config);
	memory = malloc(size);
	CHECK(size && memory);
	play.core = sap_core_init(memory, size, &config, 0);
	CHECK(play.core);
	while (play.reader.length) {
		step(&play);
		check_stats(play.core);
	}
	free(memory);
	return 0;
}
