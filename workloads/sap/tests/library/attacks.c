/* SPDX-License-Identifier: MIT */
/* What comes from the network and is not the peer's: floods, forgeries, replays; and peers that break the rules. */
#include <string.h>

#include "check.h"
#include "tests.h"

static const struct sap_address STRANGER = { .length = 2, .bytes = { 66, 6 } };

/* What a core would have to say now, thrown away; returns how many bytes. */
static size_t drain(struct pair *pair, unsigned int side)
{
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
	struct sap_output out;
	size_t length = 0;

	while (sap_core_output(pair->sides[side].core, bytes, sizeof(bytes), &out, pair->now_ns))
		length += out.length;
	return length;
}

/* A datagram with a right CRC, handed to one side. */
static void inject(struct pair *pair, unsigned int side, const struct sap_address *from, struct sap_header header)
{
	static const uint8_t payload[SAP_PAYLOAD_BYTES_MAX] = { 0xff, 0xff };
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];

	sap_core_input(pair->sides[side].core, from, bytes, sap_wire_write(bytes, &header, payload), pair->now_ns);
}

/* Ids of a connected pair: as the listener's next datagram has them, which is lost. */
static struct sap_header ids_of(struct pair *pair)
{
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
	struct sap_header header;
	struct sap_output out;

	CHECK_EQUAL(sap_core_send(pair->sides[LISTENS].core, "", 0, 0, false), SAP_OK);
	CHECK(sap_core_output(pair->sides[LISTENS].core, bytes, sizeof(bytes), &out, pair->now_ns));
	CHECK(sap_wire_read(&header, bytes, out.length));
	return (struct sap_header){ .connection = header.connection, .token = header.token };
}

/* Everything that was on the wire, as somebody who reads the traffic sees it. */
struct seen {
	struct sap_header header;
	uint8_t bytes[64][SAP_DATAGRAM_BYTES_MAX];
	size_t lengths[64];
	unsigned int from[64], count;
};

static const struct flying *flying_with(const struct pair *pair, uint64_t order)
{
	for (size_t i = 0; i < FLYING_MAX; i++)
		if (pair->flying[i].used && pair->flying[i].order == order)
			return &pair->flying[i];
	return NULL;
}

/* Reads what has been launched since the last time, none of which has landed yet. */
static void watch(const struct pair *pair, struct seen *seen)
{
	for (; seen->count < pair->on_wire; seen->count++) {
		const struct flying *const flying = flying_with(pair, seen->count);

		CHECK(flying && seen->count < 64);
		memcpy(seen->bytes[seen->count], flying->bytes, flying->length);
		seen->lengths[seen->count] = flying->length;
		seen->from[seen->count] = !flying->to;
		CHECK(sap_wire_read(&seen->header, flying->bytes, flying->length));
	}
}

/* A conversation of one precise, one approximate datagram and FIN each way, all of it seen. */
static struct pair *seen_conversation(struct seen *seen)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = pair_new(&config, 7, NULL);

	memset(seen, 0, sizeof(*seen));
	do {
		pair_output(pair);
		watch(pair, seen);
		pair_step(pair, LONG);
		watch(pair, seen);
	} while (!(sap_core_ready(pair->sides[LISTENS].core, true) & SAP_CONNECTED));
	for (unsigned int side = 0; side < SIDES; side++) {
		CHECK_EQUAL(pair_send(pair, side, 8, 8, true), SAP_OK);
		watch(pair, seen);
		CHECK_EQUAL(pair_send(pair, side, 8, 0, false), SAP_OK);
		watch(pair, seen);
		CHECK_EQUAL(pair_fin(pair, side), SAP_OK);
	}
	do
		watch(pair, seen);
	while (pair_step(pair, pair->now_ns + 10 * MS));
	pair_receive(pair, CONNECTS);
	pair_receive(pair, LISTENS);
	CHECK(pair->sides[CONNECTS].ended && pair->sides[LISTENS].ended);
	return pair;
}

/*
 * A million PINGs of as many addresses: each is answered with no more bytes than it had and forgotten, and the
 * millionth and first is as welcome as the first.
 */
static void flood_of_pings(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = pair_new(&config, 1, NULL);
	size_t answered = 0;

	for (uint32_t i = 0; i < 1000000; i++) {
		struct sap_address from = { .length = 6 };

		memcpy(from.bytes, &i, sizeof(i));
		inject(pair, LISTENS, &from, (struct sap_header){ .type = SAP_TYPE_PING, .connection = i });
		if (i % 3 == 0) /* the others come faster than they can be answered */
			answered += drain(pair, LISTENS);
	}
	CHECK(answered <= 1000000 * SAP_HEADER_BYTES);
	CHECK_EQUAL(test_stats(pair, LISTENS).control, 1000000);
	CHECK(pair_run(pair, LISTENS, SAP_CONNECTED, LONG));
	/* and now nobody else is answered at all */
	test_settle(pair, 10 * MS);
	inject(pair, LISTENS, &STRANGER, (struct sap_header){ .type = SAP_TYPE_PING, .connection = 5 });
	CHECK_EQUAL(drain(pair, LISTENS), 0);
	CHECK_EQUAL(test_stats(pair, LISTENS).rejected_foreign, 1);
	pair_free(pair);
}

/* A listener that knows who will come does not answer anyone else, and keeps nothing of them. */
static void whoever_pings_first(const struct sap_core_config *config, const struct sap_address *from,
				uint64_t connection)
{
	struct pair *const pair = pair_new(config, 1, NULL);

	/* the PING, and what would connect a listener whose token was known */
	inject(pair, LISTENS, from, (struct sap_header){ .type = SAP_TYPE_PING, .connection = connection });
	CHECK_EQUAL(drain(pair, LISTENS), 0);
	inject(pair, LISTENS, from, (struct sap_header){ .type = SAP_TYPE_DATA, .connection = connection, .token = 5 });
	CHECK_EQUAL(drain(pair, LISTENS), 0);
	CHECK_EQUAL(test_stats(pair, LISTENS).rejected_foreign, 2);
	CHECK(pair_run(pair, LISTENS, SAP_CONNECTED, LONG));
	CHECK_EQUAL(pair_send(pair, CONNECTS, 8, 8, true), SAP_OK);
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED, LONG));
	CHECK_EQUAL(pair->sides[LISTENS].taken_guaranteed, 1);
	pair_check_stats(pair);
	pair_free(pair);
}

static void an_expected_connection(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);

	config.connection = UINT64_C(0xfedcba9876543210);
	whoever_pings_first(&config, &STRANGER, 7);
	whoever_pings_first(&config, &STRANGER, 0);
	for (int bit = 0; bit < 64; bit++)
		whoever_pings_first(&config, &STRANGER, config.connection ^ UINT64_C(1) << bit);
}

static void an_expected_address(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct sap_address other = { .length = 2, .bytes = { 10, 66 } };

	config.peer = (struct sap_address){ .length = 1, .bytes = { 10 } }; /* the host, at any port */
	whoever_pings_first(&config, &STRANGER, 7);
	whoever_pings_first(&config, &(struct sap_address){ .length = 0 }, 7);
	config.peer = (struct sap_address){ .length = 2, .bytes = { 10, CONNECTS } }; /* and the port */
	whoever_pings_first(&config, &STRANGER, 7);
	whoever_pings_first(&config, &other, 7);
}

/* Tokens are of one address, one connection, one listener. */
static void stolen_tokens(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = pair_new(&config, 1, NULL);
	struct sap_header header = { .type = SAP_TYPE_PING, .connection = 77 };
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
	struct sap_output out;

	inject(pair, LISTENS, &STRANGER, header);
	CHECK(sap_core_output(pair->sides[LISTENS].core, bytes, sizeof(bytes), &out, pair->now_ns));
	CHECK_EQUAL(out.to.bytes[0], STRANGER.bytes[0]);
	CHECK(sap_wire_read(&header, bytes, out.length));
	CHECK(header.type == SAP_TYPE_PING_ACK && header.connection == 77 && header.token);
	header.type = SAP_TYPE_DATA;
	inject(pair, LISTENS, &pair->sides[CONNECTS].address, header); /* another address */
	header.connection = 78;
	inject(pair, LISTENS, &STRANGER, header); /* another connection */
	header.connection = 77;
	header.token++;
	inject(pair, LISTENS, &STRANGER, header); /* guessed */
	header.token--;
	header.type = SAP_TYPE_ACK;
	inject(pair, LISTENS, &STRANGER, header); /* acknowledges, before anything was sent */
	header.type = SAP_TYPE_PING_ACK;
	inject(pair, LISTENS, &STRANGER, header);
	CHECK_EQUAL(test_stats(pair, LISTENS).rejected_foreign, 5);
	CHECK(!(sap_core_ready(pair->sides[LISTENS].core, true) & SAP_CONNECTED));
	header.type = SAP_TYPE_DATA;
	inject(pair, LISTENS, &STRANGER, header); /* and the right one */
	CHECK(sap_core_ready(pair->sides[LISTENS].core, true) & (SAP_CONNECTED | SAP_READABLE));
	pair_free(pair);
}

/* Who guesses can neither acknowledge, nor send, nor end anything. */
static void forged_by_guessing(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, NULL);
	const struct sap_address *const peer = &pair->sides[LISTENS].address;
	uint64_t random = 99;

	CHECK_EQUAL(pair_send(pair, CONNECTS, 8, 8, true), SAP_OK);
	for (unsigned int i = 0; i < 100000; i++)
		inject(pair, CONNECTS, peer, (struct sap_header){
			.type = (enum sap_type)(1 + i % 7), .number = i % 2, .count = 10,
			.connection = next_random(&random), .token = next_random(&random),
		});
	CHECK_EQUAL(test_stats(pair, CONNECTS).rejected_foreign, 100000);
	CHECK(!(sap_core_ready(pair->sides[CONNECTS].core, true) & (SAP_FLUSHED | SAP_READABLE | SAP_ENDED)));
	pair_free(pair);
}

/* Anyone who knows one half of the ids, for example from the handshake of an older connection, has to guess the other. */
static void forged_by_halves(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, NULL);
	const struct sap_header ids = ids_of(pair);
	struct sap_header header = ids;

	header.type = SAP_TYPE_DATA;
	for (int bit = 0; bit < 64; bit++) {
		header.connection = ids.connection ^ UINT64_C(1) << bit;
		inject(pair, LISTENS, &pair->sides[CONNECTS].address, header);
		header.connection = ids.connection;
		header.token = ids.token ^ UINT64_C(1) << bit;
		inject(pair, LISTENS, &pair->sides[CONNECTS].address, header);
		header.token = ids.token;
	}
	inject(pair, LISTENS, &STRANGER, header);
	CHECK_EQUAL(test_stats(pair, LISTENS).rejected_foreign, 129);
	inject(pair, LISTENS, &pair->sides[CONNECTS].address, header);
	CHECK_EQUAL(test_stats(pair, LISTENS).waiting, 1);
	pair_free(pair);
}

/* A third party can answer a PING only if it knows the connection. */
static void forged_ping_ack(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = pair_new(&config, 1, NULL);
	struct sap_header header = { .type = SAP_TYPE_PING_ACK, .connection = 1, .token = 1, .count = 10 };
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
	struct sap_output out;
	struct sap_header ping;

	CHECK(sap_core_output(pair->sides[CONNECTS].core, bytes, sizeof(bytes), &out, pair->now_ns));
	CHECK(sap_wire_read(&ping, bytes, out.length));
	inject(pair, CONNECTS, &out.to, header);
	header.connection = ping.connection;
	header.token = 0; /* means none */
	inject(pair, CONNECTS, &out.to, header);
	header.token = 1;
	inject(pair, CONNECTS, &STRANGER, header);
	header.type = SAP_TYPE_DATA;
	inject(pair, CONNECTS, &out.to, header);
	CHECK_EQUAL(test_stats(pair, CONNECTS).rejected_foreign, 4);
	CHECK(!(sap_core_ready(pair->sides[CONNECTS].core, true) & SAP_CONNECTED));
	pair_free(pair);
}

/* From a peer, or from somebody who reads the traffic: what makes no sense changes nothing. */
static void senseless_acknowledgements(void)
{
	struct seen seen;
	struct pair *const pair = seen_conversation(&seen);
	const struct sap_header ours = { .connection = seen.header.connection, .token = seen.header.token };
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const other = test_connected(&config, NULL);
	struct sap_header header = ours;

	/* everything is acknowledged there: two numbers were used, the second is FIN's */
	header.type = SAP_TYPE_FIN_ACK;
	header.number = 3;
	inject(pair, CONNECTS, &pair->sides[LISTENS].address, header);
	header.type = SAP_TYPE_ACK;
	header.number = 2; /* FIN is acknowledged by FIN_ACK only */
	inject(pair, CONNECTS, &pair->sides[LISTENS].address, header);
	header.number = 0x80000000;
	inject(pair, CONNECTS, &pair->sides[LISTENS].address, header);
	header.number = 1;
	header.payload = header.head = 2; /* a bitmap of what was never sent */
	inject(pair, CONNECTS, &pair->sides[LISTENS].address, header);
	CHECK_EQUAL(test_stats(pair, CONNECTS).rejected_senseless, 4);
	pair_free(pair);

	/* an acknowledgement of one that is taken but not on the wire yet */
	CHECK_EQUAL(sap_core_send(other->sides[CONNECTS].core, "x", 1, 1, true), SAP_OK);
	header = ids_of(other);
	header.type = SAP_TYPE_ACK;
	header.number = 1;
	inject(other, CONNECTS, &other->sides[LISTENS].address, header);
	CHECK_EQUAL(test_stats(other, CONNECTS).rejected_senseless, 1);
	CHECK_EQUAL(sap_core_next_ns(other->sides[CONNECTS].core), 0); /* it is still to be sent */
	pair_free(other);
}

/* DATA and FIN that contradict what came before, of a peer that breaks the rules. */
static void senseless_data(void)
{
	struct seen seen;
	struct pair *const pair = seen_conversation(&seen);
	const struct sap_header ours = { .connection = seen.header.connection, .token = seen.header.token };
	const struct sap_address *const from = &pair->sides[CONNECTS].address;
	struct sap_header header = ours;

	header.type = SAP_TYPE_DATA; /* behind FIN */
	header.number = 2;
	inject(pair, LISTENS, from, header);
	header.type = SAP_TYPE_FIN; /* another FIN */
	inject(pair, LISTENS, from, header);
	header.type = SAP_TYPE_PING_ACK; /* from who connects */
	inject(pair, LISTENS, from, header);
	CHECK_EQUAL(test_stats(pair, LISTENS).rejected_senseless, 3);
	header.type = SAP_TYPE_APPROXIMATE; /* after the end */
	header.number = 5;
	inject(pair, LISTENS, from, header);
	CHECK_EQUAL(test_stats(pair, LISTENS).late, 1);
	pair_receive(pair, LISTENS); /* only the end, as before */
	CHECK_EQUAL(pair->sides[LISTENS].taken_guaranteed, 1);
	pair_check_stats(pair);
	pair_free(pair);
}

/* Of a connection in use, out of order: FIN before data, FIN below data that came, data beyond the window, too long. */
static void order_of_fin(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = pair_new(&config, 3, NULL);
	const struct sap_address *const from = &pair->sides[CONNECTS].address;
	struct sap_header header = { .type = SAP_TYPE_PING, .connection = 4 };
	struct sap_core *const core = pair->sides[LISTENS].core;
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
	struct sap_message message;
	struct sap_output out;

	inject(pair, LISTENS, from, header);
	CHECK(sap_core_output(core, bytes, sizeof(bytes), &out, pair->now_ns));
	CHECK(sap_wire_read(&header, bytes, out.length));
	header.type = SAP_TYPE_DATA;
	header.count = 0;
	header.number = 3;
	inject(pair, LISTENS, from, header); /* connects, too early to be delivered */
	inject(pair, LISTENS, from, header); /* again: it does not keep a second one */
	CHECK_EQUAL(test_stats(pair, LISTENS).duplicates, 1);
	CHECK_EQUAL(test_stats(pair, LISTENS).waiting, 1);
	header.type = SAP_TYPE_FIN;
	inject(pair, LISTENS, from, header); /* the number of data that came */
	header.number = 2;
	inject(pair, LISTENS, from, header); /* below them */
	header.number = 16;
	inject(pair, LISTENS, from, header); /* beyond the window */
	CHECK_EQUAL(test_stats(pair, LISTENS).rejected_senseless, 3);
	header.number = 4;
	inject(pair, LISTENS, from, header); /* right, but its turn is not yet */
	CHECK_EQUAL(sap_core_receive(core, bytes, sizeof(bytes), &message), SAP_ERR_AGAIN);
	header.type = SAP_TYPE_DATA;
	header.number = 0;
	header.payload = header.head = 65;
	inject(pair, LISTENS, from, header); /* longer than agreed */
	header.payload = header.head = 0;
	header.number = 16;
	inject(pair, LISTENS, from, header);
	CHECK_EQUAL(test_stats(pair, LISTENS).rejected_senseless, 5);
	for (header.number = 0; header.number < 3; header.number++)
		inject(pair, LISTENS, from, header);
	for (int i = 0; i < 4; i++)
		CHECK_EQUAL(sap_core_receive(core, bytes, sizeof(bytes), &message), SAP_OK);
	CHECK_EQUAL(sap_core_receive(core, bytes, sizeof(bytes), &message), SAP_ERR_END);
	pair_free(pair);
}

/* The window of duplicates of approximate datagrams: what is 1024 behind the next one is new, 1025 behind is late. */
static void how_far_behind(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, NULL);
	const struct sap_address *const from = &pair->sides[CONNECTS].address;
	struct sap_core *const core = pair->sides[LISTENS].core;
	struct sap_header header = ids_of(pair);
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
	struct sap_message message;

	header.type = SAP_TYPE_APPROXIMATE;
	for (const uint32_t *number = (const uint32_t[]){ 1024, 1, 0, 1, UINT32_MAX }; *number != UINT32_MAX; number++) {
		header.number = *number;
		inject(pair, LISTENS, from, header);
	}
	CHECK_EQUAL(test_stats(pair, LISTENS).late, 1);
	CHECK_EQUAL(test_stats(pair, LISTENS).duplicates, 1);
	for (uint32_t i = 0; i < 2; i++) {
		CHECK_EQUAL(sap_core_receive(core, bytes, sizeof(bytes), &message), SAP_OK);
		CHECK_EQUAL(message.number, i ? 1 : 1024);
	}
	CHECK_EQUAL(sap_core_receive(core, bytes, sizeof(bytes), &message), SAP_ERR_AGAIN);
	pair_free(pair);
}

/* A peer that repeats FIN forever gets answers for as long as a right one would repeat it, and no longer. */
static void endless_fin(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, NULL);
	const struct sap_address *const from = &pair->sides[CONNECTS].address;
	struct sap_core *const core = pair->sides[LISTENS].core;
	struct sap_header header = ids_of(pair);
	const uint64_t begin_ns = pair->now_ns;

	header.type = SAP_TYPE_FIN;
	for (; pair->now_ns < begin_ns + config.give_up_ns + config.linger_ns; pair->now_ns += 50 * MS) {
		inject(pair, LISTENS, from, header);
		CHECK(drain(pair, LISTENS));
		CHECK(!(sap_core_ready(core, true) & SAP_DONE));
	}
	for (; pair->now_ns < begin_ns + 2 * config.give_up_ns; pair->now_ns += 50 * MS) {
		inject(pair, LISTENS, from, header);
		CHECK(drain(pair, LISTENS));
		CHECK(sap_core_ready(core, true) & SAP_DONE);
		CHECK_EQUAL(sap_core_next_ns(core), SAP_NEVER);
	}
	pair_free(pair);
}

/* A whole conversation replayed, to the same sides and to a new listener: nothing is delivered twice. */
static void replay(void)
{
	struct seen seen;
	struct pair *const pair = seen_conversation(&seen);
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const later = pair_new(&config, 8, NULL);

	CHECK(seen.count >= 10);
	for (int times = 0; times < 3; times++) {
		for (unsigned int i = 0; i < seen.count; i++) {
			const unsigned int to = !seen.from[i];

			sap_core_input(pair->sides[to].core, &pair->sides[!to].address, seen.bytes[i], seen.lengths[i],
				       pair->now_ns);
			sap_core_input(later->sides[to].core, &later->sides[!to].address, seen.bytes[i],
				       seen.lengths[i], later->now_ns);
			drain(pair, to);
			drain(later, to);
		}
	}
	for (unsigned int side = 0; side < SIDES; side++) {
		pair_receive(pair, side); /* it would find anything that comes twice */
		CHECK_EQUAL(pair->sides[side].taken_guaranteed, 1);
		CHECK(!(sap_core_ready(pair->sides[side].core, true) & SAP_FAILED));
		CHECK(!(sap_core_ready(later->sides[side].core, true) & (SAP_CONNECTED | SAP_READABLE)));
	}
	pair_check_stats(pair);
	pair_free(later);
	pair_free(pair);
}

/* A peer that connects and disappears: a sender learns it, and a listener costs nobody anything. */
static void half_open(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, NULL);

	drain(pair, LISTENS);
	CHECK_EQUAL(sap_core_next_ns(pair->sides[LISTENS].core), SAP_NEVER);
	CHECK_EQUAL(sap_core_send(pair->sides[LISTENS].core, "x", 1, 1, true), SAP_OK);
	for (uint64_t end_ns = pair->now_ns + config.give_up_ns; pair->now_ns < end_ns; pair->now_ns += MS)
		drain(pair, LISTENS);
	CHECK(!(sap_core_ready(pair->sides[LISTENS].core, true) & SAP_FAILED));
	drain(pair, LISTENS);
	CHECK(sap_core_ready(pair->sides[LISTENS].core, true) & SAP_FAILED);
	pair_free(pair);
}

/* Any bytes at all. */
static void noise(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const pair = test_connected(&config, NULL);
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX + 100];
	uint64_t random = 5;

	for (unsigned int i = 0; i < 20000; i++) {
		const size_t length = next_random(&random) % sizeof(bytes);

		for (size_t at = 0; at < length; at++)
			bytes[at] = (uint8_t)next_random(&random);
		if (i % 2)
			memcpy(bytes, "SA\1", 3);
		sap_core_input(pair->sides[i % 4 / 2].core, &STRANGER, bytes, length, pair->now_ns);
	}
	CHECK_EQUAL(test_stats(pair, CONNECTS).rejected_damaged, 10000);
	CHECK_EQUAL(test_stats(pair, LISTENS).rejected_damaged, 10000);
	pair_free(pair);
}

const struct test attack_tests[] = {
	TEST(flood_of_pings),
	TEST(an_expected_connection),
	TEST(an_expected_address),
	TEST(stolen_tokens),
	TEST(forged_by_guessing),
	TEST(forged_by_halves),
	TEST(forged_ping_ack),
	TEST(senseless_acknowledgements),
	TEST(senseless_data),
	TEST(order_of_fin),
	TEST(how_far_behind),
	TEST(endless_fin),
	TEST(replay),
	TEST(half_open),
	TEST(noise),
	END_OF_TESTS,
};
