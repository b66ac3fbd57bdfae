/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <string.h>

#include "check.h"
#include "wire.h"

static uint8_t byte_of(unsigned int side, bool guaranteed, uint32_t number, size_t at)
{
	return (uint8_t)((number * 2654435761u >> 8) + at * 31 + side * 97 + guaranteed * 53);
}

struct pair *pair_new(const struct sap_core_config *config, uint64_t seed, fate_function *fate)
{
	struct pair *const pair = calloc(1, sizeof(*pair));
	const size_t bytes = sap_core_bytes(config);

	CHECK(pair && bytes);
	pair->random = seed * 2 + 1;
	pair->delay_ns = 1000000;
	pair->now_ns = 1000000000;
	pair->fate = fate;
	for (unsigned int side = 0; side < SIDES; side++) {
		struct sap_core_config mine = *config;
		void *const memory = malloc(bytes);

		CHECK(memory);
		memset(memory, 0xa5, bytes); /* it need not be zero */
		mine.role = side == CONNECTS ? SAP_CONNECTS : SAP_LISTENS;
		if (side == CONNECTS)
			mine.peer = (struct sap_address){ .length = 2, .bytes = { 10, LISTENS } };
		for (size_t i = 0; i < sizeof(mine.random); i++)
			mine.random[i] = (uint8_t)next_random(&pair->random);
		pair->sides[side].address = (struct sap_address){ .length = 2, .bytes = { 10, (uint8_t)side } };
		pair->sides[side].core = sap_core_init(memory, bytes, &mine, pair->now_ns);
		CHECK(pair->sides[side].core);
	}
	return pair;
}

void pair_free(struct pair *pair)
{
	for (unsigned int side = 0; side < SIDES; side++)
		free(pair->sides[side].core);
	free(pair);
}

int pair_send(struct pair *pair, unsigned int side, size_t length, size_t head, bool guaranteed)
{
	struct side *const from = &pair->sides[side];
	uint32_t *const count = guaranteed ? &from->sent_guaranteed : &from->sent_approximate;
	uint8_t bytes[SAP_PAYLOAD_BYTES_MAX];
	int error;

	CHECK(*count < MESSAGES_MAX);
	for (size_t i = 0; i < length; i++)
		bytes[i] = byte_of(side, guaranteed, *count, i);
	error = sap_core_send(from->core, bytes, length, head, guaranteed);
	if (error)
		return error;
	(guaranteed ? from->guaranteed : from->approximate)[*count] = (uint32_t)(length << 16 | head);
	++*count;
	pair_output(pair);
	return SAP_OK;
}

int pair_fin(struct pair *pair, unsigned int side)
{
	const int error = sap_core_fin(pair->sides[side].core);

	pair->sides[side].fin |= !error;
	pair_output(pair);
	return error;
}

static void check_bytes(struct pair *pair, unsigned int from, const struct sap_message *message, const uint8_t *bytes)
{
	for (uint32_t i = 0; i < message->length; i++) {
		const uint8_t wrong = bytes[i] ^ byte_of(from, message->guaranteed, message->number, i);

		CHECK(!wrong || i >= message->precise);
		for (unsigned int bit = 0; bit < 8; bit++)
			pair->sides[!from].wrong_bits += wrong >> bit & 1;
	}
}

static void check_message(struct pair *pair, unsigned int side, const struct sap_message *message, const uint8_t *bytes)
{
	const struct side *const from = &pair->sides[!side];
	struct side *const to = &pair->sides[side];
	const uint32_t number = message->number;

	CHECK(!to->ended);
	if (message->guaranteed) {
		CHECK_EQUAL(number, to->taken_guaranteed);
		CHECK(number < from->sent_guaranteed);
		CHECK(message->after <= from->sent_approximate);
		to->taken_guaranteed++;
	} else {
		CHECK(number < from->sent_approximate);
		CHECK(!(to->came.bits[number / 8] >> number % 8 & 1));
		to->came.bits[number / 8] |= (uint8_t)(1u << number % 8);
		CHECK(message->after <= from->sent_guaranteed);
		to->taken_approximate++;
	}
	CHECK_EQUAL(message->length << 16 | message->precise,
		    (message->guaranteed ? from->guaranteed : from->approximate)[number]);
	check_bytes(pair, !side, message, bytes);
}

void pair_receive(struct pair *pair, unsigned int side)
{
	struct side *const to = &pair->sides[side];
	struct sap_message message;
	uint8_t bytes[SAP_PAYLOAD_BYTES_MAX];
	int error;

	while ((error = sap_core_receive(to->core, bytes, sizeof(bytes), &message)) == SAP_OK)
		check_message(pair, side, &message, bytes);
	if (error == SAP_ERR_END) {
		CHECK(pair->sides[!side].fin);
		CHECK_EQUAL(to->taken_guaranteed, pair->sides[!side].sent_guaranteed);
		to->ended = true;
	}
	pair_output(pair);
}

static void flip(struct flying *flying, uint64_t random, size_t from_byte)
{
	const size_t bits = (flying->length - from_byte) * 8;

	if (bits) {
		const size_t bit = from_byte * 8 + random % bits;

		flying->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static void launch(struct pair *pair, unsigned int to, const uint8_t *bytes, const struct sap_output *out,
		   uint64_t delay_ns, enum fate fate)
{
	for (size_t i = 0; i < FLYING_MAX; i++) {
		struct flying *const flying = &pair->flying[i];

		if (flying->used)
			continue;
		*flying = (struct flying){
			.used = true,
			.to = to,
			.from = pair->sides[!to].address,
			.at_ns = pair->now_ns + delay_ns,
			.order = pair->on_wire - 1,
			.length = out->length,
		};
		memcpy(flying->bytes, bytes, out->length);
		if (fate == DAMAGED)
			flip(flying, next_random(&pair->random), 0);
		if (fate == DAMAGED_TAIL)
			flip(flying, next_random(&pair->random), out->precise);
		return;
	}
	/* the channel is full: lost, as on any real one */
}

static void put(struct pair *pair, unsigned int side, const uint8_t *bytes, const struct sap_output *out)
{
	const enum fate fate = pair->fate ? pair->fate(pair, pair->on_wire) : PASSES;
	const unsigned int to = !side;

	CHECK(out->length >= SAP_HEADER_BYTES && out->precise >= SAP_HEADER_BYTES && out->precise <= out->length);
	pair->on_wire++;
	pair->bytes_on_wire += out->length;
	/* a forged PING may have its answer sent anywhere: here, to nobody */
	if (out->to.length != 2 || out->to.bytes[0] != 10 || out->to.bytes[1] != to || fate == LOST)
		return;
	launch(pair, to, bytes, out, fate == DELAYED ? 3 * pair->delay_ns + 1 : pair->delay_ns, fate);
	if (fate == DOUBLED)
		launch(pair, to, bytes, out, pair->delay_ns + pair->delay_ns / 2, PASSES);
}

void pair_output(struct pair *pair)
{
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
	struct sap_core_estimates estimates;
	struct sap_output out;

	for (unsigned int side = 0; side < SIDES; side++) {
		while (sap_core_output(pair->sides[side].core, bytes, sizeof(bytes), &out, pair->now_ns))
			put(pair, side, bytes, &out);
		sap_core_get_estimates(pair->sides[side].core, &estimates);
		if (estimates.in_flight > pair->busy_most)
			pair->busy_most = estimates.in_flight;
	}
}

static struct flying *first_flying(struct pair *pair)
{
	struct flying *first = NULL;

	for (size_t i = 0; i < FLYING_MAX; i++) {
		struct flying *const flying = &pair->flying[i];

		if (flying->used && (!first || flying->at_ns < first->at_ns ||
				     (flying->at_ns == first->at_ns && flying->order < first->order)))
			first = flying;
	}
	return first;
}

bool pair_step(struct pair *pair, uint64_t until_ns)
{
	struct flying *const flying = first_flying(pair);
	uint64_t at_ns = flying ? flying->at_ns : SAP_NEVER;

	for (unsigned int side = 0; side < SIDES; side++) {
		const uint64_t next_ns = sap_core_next_ns(pair->sides[side].core);

		if (next_ns < at_ns)
			at_ns = next_ns;
	}
	if (at_ns == SAP_NEVER || at_ns > until_ns)
		return false;
	if (at_ns > pair->now_ns)
		pair->now_ns = at_ns;
	if (flying && flying->at_ns <= pair->now_ns) {
		sap_core_input(pair->sides[flying->to].core, &flying->from, flying->bytes, flying->length,
			       pair->now_ns);
		flying->used = false;
	}
	pair_output(pair);
	return true;
}

bool pair_run(struct pair *pair, unsigned int side, unsigned int flags, uint64_t until_ns)
{
	pair_output(pair);
	for (;;) {
		for (unsigned int each = 0; each < SIDES; each++)
			pair_receive(pair, each);
		if ((sap_core_ready(pair->sides[side].core, true) & flags) == flags)
			return true;
		if (!pair_step(pair, until_ns))
			return false;
	}
}

void pair_check_stats(const struct pair *pair)
{
	for (unsigned int side = 0; side < SIDES; side++) {
		struct sap_stats is;

		sap_core_get_stats(pair->sides[side].core, &is);
		CHECK_EQUAL(is.received, is.control + is.delivered_guaranteed + is.delivered_approximate + is.waiting +
						 is.duplicates + is.late + is.overruns + is.rejected_damaged +
						 is.rejected_foreign + is.rejected_senseless);
		CHECK_EQUAL(is.delivered_guaranteed, pair->sides[side].taken_guaranteed);
		CHECK_EQUAL(is.delivered_approximate, pair->sides[side].taken_approximate);
		CHECK(is.lost_approximate <= pair->sides[!side].sent_approximate);
		CHECK(is.acknowledged <= is.sent_guaranteed + pair->sides[side].fin);
		if (sap_core_ready(pair->sides[side].core, true) & SAP_FLUSHED)
			CHECK_EQUAL(is.acknowledged, is.sent_guaranteed + pair->sides[side].fin);
	}
}
