// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of compressed TCP ACKs: packets are restored identically over
 * links that lose, repeat and damage.
 */
#include <kunit/test.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/prandom.h>
#include <linux/skbuff.h>
#include <net/tcp.h>
#include "hwsim_hack.h"
#include "hwsim_hack_scenario.h"

#define TAG	0xabcdef42
#define ROOM	512

struct hack_test {
	struct hwsim_hack_compressor compressor;
	struct hwsim_hack_decompressor decompressor;
	struct hwsim_hack_segment segment;
	u8 packet[HWSIM_HACK_PACKET_MAX]; /* the last one that was restored */
	u32 bytes;
	u32 restored;
	struct scenario link;
	struct rnd_state random;
	struct kunit *test;
};

/* an ACK without data, as Linux sends it: IPv4, timestamps */
static const u8 plain[] = {
	0x45, 0x00, 0x00, 0x34, 0x12, 0x34, 0x40, 0x00, 0x40, 0x06, 0x14, 0x8e,
	10, 0, 0, 2, 10, 0, 0, 1,
	0xc0, 0x00, 0x00, 0x50, 0, 0, 0, 1, 0, 0, 0x10, 0, 0x80, 0x10, 0x01,
	0xf5, 0x90, 0x64, 0, 0,
	1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 9,
};

static void hack_restored(void *context, u32 flow, const u8 *packet, u32 bytes)
{
	struct hack_test *hack = context;

	hack->bytes = bytes;
	memcpy(hack->packet, packet, bytes);
	hack->restored++;
}

static void hack_let_go(void *context, void *owner, bool was_sent,
			bool is_last)
{
	u32 *count = context;

	if (count)
		count[was_sent]++;
}

static int hack_test_init(struct kunit *test)
{
	struct hack_test *hack = kunit_kzalloc(test, sizeof(*hack), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, hack);
	hack->test = test;
	test->priv = hack;
	hwsim_hack_compressor_init(&hack->compressor);
	hwsim_hack_decompressor_init(&hack->decompressor);
	hack->segment.flow = (struct hwsim_hack_flow){
		.version = 4, .source = { 10, 0, 0, 2 },
		.destination = { 10, 0, 0, 1 }, .source_port = 49152,
		.destination_port = 80, .seq = 1, .hops = 64,
		.fragments = 0x40, .has_timestamps = true,
	};
	hack->segment.ack = (struct hwsim_hack_ack){
		.ack = 1000, .timestamp = 7, .echo = 9, .window = 501,
		.id = 0x1234,
	};
	return 0;
}

/* both ends know the flow */
static void hack_introduce(struct hack_test *hack, u32 tag, u32 cookie)
{
	hwsim_hack_native(&hack->compressor, &hack->segment, tag, 0, cookie);
	hwsim_hack_learn(&hack->decompressor, &hack->segment, tag);
	hwsim_hack_native_arrived(&hack->compressor, cookie);
}

static bool hack_hold(struct hack_test *hack, u64 now_ns)
{
	return hwsim_hack_hold(&hack->compressor, &hack->segment, now_ns, NULL);
}

/*
 * Send what is held in one payload of @bytes, and check that @now is restored.
 */
static void hack_expect(struct hack_test *hack, u32 bytes)
{
	struct kunit *test = hack->test;
	u8 expected[HWSIM_HACK_PACKET_MAX];
	u8 payload[ROOM];
	u32 length, found;

	found = hwsim_hack_fill(&hack->compressor, U64_MAX, payload, ROOM);
	KUNIT_EXPECT_EQ(test, bytes, found);
	hack->bytes = 0;
	hwsim_hack_restore(&hack->decompressor, payload, found, hack_restored,
			   hack);
	hwsim_hack_delivered(&hack->compressor, 0, hack_let_go, NULL);
	length = hwsim_hack_build(&hack->segment, expected);
	KUNIT_EXPECT_EQ(test, length, hack->bytes);
	KUNIT_EXPECT_MEMEQ(test, expected, hack->packet, length);
}

static void hack_next(struct hack_test *hack, u32 bytes, u32 ticks)
{
	hack->segment.ack.ack += bytes;
	hack->segment.ack.timestamp += ticks;
	hack->segment.ack.echo += ticks;
	hack->segment.ack.id++;
}

static void hack_understands_packets(struct kunit *test)
{
	struct hwsim_hack_segment segment;
	u8 packet[HWSIM_HACK_PACKET_MAX];

	KUNIT_EXPECT_EQ(test, HWSIM_HACK_ACK,
			hwsim_hack_parse(plain, sizeof(plain), false,
					 &segment));
	KUNIT_EXPECT_EQ(test, 0x1000, segment.ack.ack);
	KUNIT_EXPECT_EQ(test, 7, segment.ack.timestamp);
	KUNIT_EXPECT_EQ(test, 9, segment.ack.echo);
	KUNIT_EXPECT_EQ(test, 501, segment.ack.window);
	KUNIT_EXPECT_EQ(test, 0x1234, segment.ack.id);
	KUNIT_EXPECT_EQ(test, sizeof(plain),
			hwsim_hack_build(&segment, packet));
	KUNIT_EXPECT_MEMEQ(test, plain, packet, sizeof(plain));
}

/* the kind of a packet with one byte changed */
static const struct hack_odd {
	u8 at;
	u8 value;
	enum hwsim_hack_kind kind;
} hack_odd_packets[] = {
	{ 0, 0x46, HWSIM_HACK_OTHER },	/* options of IP, which have a TCP port */
	{ 0, 0x55, HWSIM_HACK_OTHER },	/* version 5 */
	{ 0, 0x65, HWSIM_HACK_OTHER },	/* version 6, of another length */
	{ 3, 0x35, HWSIM_HACK_OTHER },	/* a wrong length */
	{ 6, 0x20, HWSIM_HACK_OTHER },	/* a fragment */
	{ 9, 17, HWSIM_HACK_OTHER },	/* UDP */
	{ 1, 1, HWSIM_HACK_ODD },	/* a wrong checksum of IP */
	{ 6, 0xc0, HWSIM_HACK_ODD },	/* a reserved bit */
	{ 32, 0x70, HWSIM_HACK_DATA },	/* the options are data */
	{ 32, 0x40, HWSIM_HACK_OTHER },	/* no whole header */
	{ 32, 0xf0, HWSIM_HACK_OTHER },	/* beyond the packet */
	{ 32, 0x81, HWSIM_HACK_ODD },	/* AE, or NS */
	{ 33, 0x12, HWSIM_HACK_EDGE },	/* SYN */
	{ 33, 0x11, HWSIM_HACK_EDGE },	/* FIN */
	{ 33, 0x14, HWSIM_HACK_EDGE },	/* RST */
	{ 33, 0x30, HWSIM_HACK_ODD },	/* URG */
	{ 33, 0x00, HWSIM_HACK_ODD },	/* no ACK */
	{ 36, 0x69, HWSIM_HACK_ODD },	/* a wrong checksum of TCP */
	{ 39, 1, HWSIM_HACK_ODD },	/* an urgent pointer */
	{ 42, 2, HWSIM_HACK_ODD },	/* another option */
};

static void hack_leaves_odd_packets_alone(struct kunit *test)
{
	struct hwsim_hack_segment segment;
	u8 packet[sizeof(plain)];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(hack_odd_packets); i++) {
		const struct hack_odd *odd = &hack_odd_packets[i];

		memcpy(packet, plain, sizeof(packet));
		packet[odd->at] = odd->value;
		KUNIT_EXPECT_EQ_MSG(test, odd->kind,
				    hwsim_hack_parse(packet, sizeof(packet),
						     false, &segment),
				    "byte %u is %#x", odd->at, odd->value);
	}
	for (i = 0; i < sizeof(plain); i++)
		KUNIT_EXPECT_EQ(test, HWSIM_HACK_OTHER,
				hwsim_hack_parse(plain, i, false, &segment));
	/* a checksum that is still to be computed may be anything */
	memcpy(packet, plain, sizeof(packet));
	packet[36] ^= 1;
	KUNIT_EXPECT_EQ(test, HWSIM_HACK_ACK,
			hwsim_hack_parse(packet, sizeof(packet), true,
					 &segment));
}

/* what Linux sends for an IPv4 packet whose TCP checksum it has yet to compute */
static struct sk_buff *hack_sent_by_linux(const u8 *packet, u32 bytes)
{
	struct sk_buff *skb = alloc_skb(bytes, GFP_KERNEL);
	const struct iphdr *ip;
	struct tcphdr *tcp;

	if (!skb)
		return NULL;
	ip = skb_put_data(skb, packet, bytes);
	tcp = (struct tcphdr *)(skb->data + sizeof(*ip));
	tcp->check = ~tcp_v4_check(bytes - sizeof(*ip), ip->saddr, ip->daddr, 0);
	if (skb_partial_csum_set(skb, sizeof(*ip),
				 offsetof(struct tcphdr, check)) &&
	    !skb_checksum_help(skb))
		return skb;
	kfree_skb(skb);
	return NULL;
}

static void hack_computes_checksums_as_linux_does(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	struct hwsim_hack_segment parsed;
	u8 packet[HWSIM_HACK_PACKET_MAX];
	u32 window, bytes, others = 0, refused = 0, zeros = 0, odd = 0;
	struct sk_buff *skb;
	__sum16 *check;

	/* all checksums that there are, with that which would be 0 */
	for (window = 0; window <= U16_MAX; window++) {
		hack->segment.ack.window = window;
		bytes = hwsim_hack_build(&hack->segment, packet);
		skb = hack_sent_by_linux(packet, bytes);
		KUNIT_ASSERT_NOT_NULL(test, skb);
		others += !!memcmp(skb->data, packet, bytes);
		refused += hwsim_hack_parse(skb->data, bytes, false, &parsed) !=
			   HWSIM_HACK_ACK;
		check = (__sum16 *)(skb->data + skb_checksum_start_offset(skb) +
				    skb->csum_offset);
		if (*check == CSUM_MANGLED_0) {
			/* of another stack: it would not be restored as it was */
			*check = 0;
			zeros++;
			odd += hwsim_hack_parse(skb->data, bytes, false,
						&parsed) == HWSIM_HACK_ODD;
		}
		kfree_skb(skb);
	}
	KUNIT_EXPECT_EQ(test, 0, others);
	KUNIT_EXPECT_EQ(test, 0, refused);
	KUNIT_EXPECT_GT(test, zeros, 0);
	KUNIT_EXPECT_EQ(test, zeros, odd);
}

static void hack_writes_a_download_in_three_bytes(struct kunit *test)
{
	struct hack_test *hack = test->priv;

	hack_introduce(hack, TAG, 1);
	hack_next(hack, 2896, 1);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	/* MSN, CID, head, more, claim, unit, ACK, times, CRC */
	hack_expect(hack, 1 + 3 + 3 + 2 + 1 + 1 + 1);
	hack_next(hack, 2896, 1);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 3);
	hack_next(hack, 2896, 3);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_next(hack, 7 * 2896, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 3 + 3);
	/* fields that the short form lacks */
	hack_next(hack, 8 * 2896, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 4);
	hack_next(hack, 2896, 15);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 5);
	hack_next(hack, 2896, 16);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 8);
	hack_next(hack, 0, 70000);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 11);
	hack_next(hack, 1, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 5);
	hack_next(hack, 1 << 20, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 7);
}

static void hack_restores_all_that_changes(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	struct hwsim_hack_ack *ack = &hack->segment.ack;

	hack_introduce(hack, TAG, 1);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 11);
	ack->window += 127;
	hack_next(hack, 1448, 3);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 5);
	ack->window -= 128;
	hack_next(hack, 7 * 1448, 3);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 5);
	ack->window += 128;
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 6);
	ack->window = 65535;
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 6);
	ack->window += 2; /* it starts over */
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 5);
	ack->flags = HWSIM_HACK_FLAG_ECE | HWSIM_HACK_FLAG_CWR;
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 5);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 3); /* they are kept */
	ack->flags = HWSIM_HACK_FLAG_PSH;
	ack->id += 40;
	hack_next(hack, 0, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 6);
	ack->flags = 0;
	hack_next(hack, 0, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 4);
	/* a duplicate below the ACK number, and blocks above it */
	ack->num_sacks = 3;
	ack->sacks[0].left = ack->ack - 1448;
	ack->sacks[0].right = ack->ack;
	ack->sacks[1].left = ack->ack + 1448;
	ack->sacks[1].right = ack->ack + 100 * 1448;
	ack->sacks[2].left = ack->ack + 0x7fffffff;
	ack->sacks[2].right = ack->ack - 1;
	hack_next(hack, 0, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 4 + 2 + 3 + 10);
	ack->num_sacks = 0;
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 3);
}

static void hack_restores_ipv6_without_options(struct kunit *test)
{
	struct hack_test *hack = test->priv;

	hack->segment.flow.version = 6;
	hack->segment.flow.label = 0x6b812345;
	hack->segment.flow.fragments = 0;
	hack->segment.flow.has_timestamps = false;
	hack->segment.ack.id = 0;
	hack->segment.ack.timestamp = 0;
	hack->segment.ack.echo = 0;
	memset(hack->segment.flow.source, 0xfe, 16);
	hack_introduce(hack, TAG, 1);
	hack->segment.ack.ack += 1448;
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 11);
	hack->segment.ack.ack += 1448;
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 3);
	/* without timestamps there is room for four blocks */
	hack->segment.ack.num_sacks = 4;
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 4 + 4 * 3);
}

static void hack_holds_only_known_flows(struct kunit *test)
{
	struct hack_test *hack = test->priv;

	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0));
	hwsim_hack_native(&hack->compressor, &hack->segment, TAG, 0, 1);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0)); /* not arrived */
	hwsim_hack_native_arrived(&hack->compressor, 2);
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0)); /* another one */
	hwsim_hack_native_arrived(&hack->compressor, 1);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	/* one that is older, and one with another sequence number */
	hack->segment.ack.ack -= 1;
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0));
	hack_next(hack, 1448, 0);
	hack->segment.flow.seq++;
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0));
	hack->segment.flow.seq--;
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	/* a connection ends; held ACKs stay */
	hwsim_hack_forget(&hack->compressor, &hack->segment.flow, 2);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0));
	KUNIT_EXPECT_EQ(test, 2, hack->compressor.num_held);
}

static void hack_holds_no_more_than_its_bound(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u8 payload[ROOM];
	u32 i, bytes;

	hack_introduce(hack, TAG, 1);
	for (i = 0; i < HWSIM_HACK_HELD; i++) {
		hack_next(hack, 1448, 0);
		KUNIT_EXPECT_TRUE(test, hack_hold(hack, i));
	}
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, i));
	/* as many of these as fit and were held in time */
	bytes = hwsim_hack_fill(&hack->compressor, U64_MAX, payload, 11 + 8);
	KUNIT_EXPECT_EQ(test, 11 + 6, bytes);
	bytes = hwsim_hack_fill(&hack->compressor, 1, payload, ROOM);
	KUNIT_EXPECT_EQ(test, 11 + 3, bytes);
	bytes = hwsim_hack_fill(&hack->compressor, U64_MAX, payload, ROOM);
	KUNIT_EXPECT_EQ(test, 11 + 95 * 3, bytes);
	hwsim_hack_restore(&hack->decompressor, payload, bytes, hack_restored,
			   hack);
	KUNIT_EXPECT_EQ(test, HWSIM_HACK_HELD, hack->restored);
}

/* figures 5 and 6 of the paper: ACKs that are kept are repeated */
static void hack_drops_duplicates(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u8 payload[ROOM];
	u32 i, bytes;

	hack_introduce(hack, TAG, 1);
	for (i = 0; i < 300; i++) { /* the MSN wraps twice */
		hack_next(hack, 1448, 1);
		KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
		bytes = hwsim_hack_fill(&hack->compressor, U64_MAX, payload,
					ROOM);
		hwsim_hack_restore(&hack->decompressor, payload, bytes,
				   hack_restored, hack);
		/*
		 * Its arrival was not reported, so it is repeated in the next
		 * one.
		 */
		hack_next(hack, 1448, 1);
		KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
		bytes = hwsim_hack_fill(&hack->compressor, U64_MAX, payload,
					ROOM);
		hwsim_hack_restore(&hack->decompressor, payload, bytes,
				   hack_restored, hack);
		hwsim_hack_delivered(&hack->compressor, 0, hack_let_go, NULL);
		KUNIT_EXPECT_EQ(test, 2 * (i + 1), hack->restored);
		KUNIT_EXPECT_EQ(test, i + 1,
				hack->decompressor.statistics.duplicates);
	}
	KUNIT_EXPECT_EQ(test, 0, hack->decompressor.statistics.crc_failures);
}

/* figure 7 of the paper: after a flush, a native ACK comes first */
static void hack_needs_a_native_ack_after_a_flush(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u32 count[2] = { };
	u8 payload[ROOM];

	hack_introduce(hack, TAG, 1);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hwsim_hack_fill(&hack->compressor, U64_MAX, payload, ROOM);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hwsim_hack_flush(&hack->compressor, hack_let_go, count);
	KUNIT_EXPECT_EQ(test, 1, count[true]);
	KUNIT_EXPECT_EQ(test, 1, count[false]);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0));
	hack_introduce(hack, TAG, 2);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 11);
	KUNIT_EXPECT_EQ(test, 1, hack->restored);
}

/* ACKs that were never sent do not use up numbers, however many */
static void hack_numbers_only_sent_items(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u32 i;

	for (i = 1; i < 300; i++) {
		hack_introduce(hack, TAG, i);
		hack_next(hack, 1448, 0);
		KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
		KUNIT_EXPECT_TRUE(test, hwsim_hack_holds(&hack->compressor,
							 &hack->segment.flow));
		hwsim_hack_flush(&hack->compressor, hack_let_go, NULL);
		KUNIT_EXPECT_FALSE(test, hwsim_hack_holds(&hack->compressor,
							  &hack->segment.flow));
		hack_next(hack, 1448, 0);
	}
	hack_introduce(hack, TAG, i);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 11);
	KUNIT_EXPECT_EQ(test, 0, hack->decompressor.statistics.duplicates);
}

/* native ACKs in flight may arrive before an item, after it, or not at all */
static void hack_does_not_depend_on_late_native_acks(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	struct hwsim_hack_segment late;
	u8 payload[ROOM], expected[HWSIM_HACK_PACKET_MAX];
	u32 bytes, length;

	hack_introduce(hack, TAG, 1);
	hack_next(hack, 1448, 5);
	late = hack->segment;
	hwsim_hack_native(&hack->compressor, &late, TAG, 0, 2);
	hack_next(hack, 1448, 5);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	bytes = hwsim_hack_fill(&hack->compressor, U64_MAX, payload, ROOM);
	length = hwsim_hack_build(&hack->segment, expected);
	hwsim_hack_restore(&hack->decompressor, payload, bytes, hack_restored,
			   hack);
	KUNIT_EXPECT_MEMEQ(test, expected, hack->packet, length);
	hwsim_hack_learn(&hack->decompressor, &late, TAG);
	hwsim_hack_delivered(&hack->compressor, 0, hack_let_go, NULL);
	hwsim_hack_native_arrived(&hack->compressor, 2);
	hack_next(hack, 1448, 1);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 8); /* its unit is not known yet */
	/* one that is identical to the next is not overtaken */
	hwsim_hack_native(&hack->compressor, &hack->segment, TAG, 0, 3);
	hack->segment.ack.id++;
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0));
}

static void hack_tells_flows_of_one_cid_apart(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	struct hwsim_hack_segment other;
	u32 i;

	hack_introduce(hack, TAG, 1);
	other = hack->segment;
	hack->segment.flow.source_port++;
	hack_introduce(hack, TAG ^ 0x100, 2);
	for (i = 0; i < 6; i++) {
		swap(other, hack->segment);
		hack_next(hack, 1448, 0);
		KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
		hack_expect(hack, i < 2 ? 11 : 9); /* with claim and unit */
	}
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 1 + 3);
}

static void hack_waits_after_a_wrong_crc(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u8 payload[ROOM];
	u32 bytes;

	hack_introduce(hack, TAG, 1);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	bytes = hwsim_hack_fill(&hack->compressor, U64_MAX, payload, ROOM);
	payload[bytes - 1] ^= 1;
	hwsim_hack_restore(&hack->decompressor, payload, bytes, hack_restored,
			   hack);
	KUNIT_EXPECT_EQ(test, 1, hack->decompressor.statistics.crc_failures);
	hwsim_hack_delivered(&hack->compressor, 0, hack_let_go, NULL);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	bytes = hwsim_hack_fill(&hack->compressor, U64_MAX, payload, ROOM);
	hwsim_hack_restore(&hack->decompressor, payload, bytes, hack_restored,
			   hack);
	KUNIT_EXPECT_EQ(test, 1, hack->decompressor.statistics.unknown);
	KUNIT_EXPECT_EQ(test, 0, hack->restored);
	hwsim_hack_delivered(&hack->compressor, 0, hack_let_go, NULL);
	hack_introduce(hack, TAG, 2);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 11); /* claim and unit again */
}

/* an ACK of a flow that the other end does not know; RESET comes back */
static void hack_fail_once(struct hack_test *hack, u64 now_ns)
{
	u8 payload[ROOM];
	u32 bytes, unknown = hack->decompressor.statistics.unknown;

	hwsim_hack_native(&hack->compressor, &hack->segment, TAG, now_ns, 1000);
	hwsim_hack_native_arrived(&hack->compressor, 1000);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(hack->test, hack_hold(hack, now_ns));
	bytes = hwsim_hack_fill(&hack->compressor, U64_MAX, payload, ROOM);
	hwsim_hack_restore(&hack->decompressor, payload, bytes, hack_restored,
			   hack);
	KUNIT_EXPECT_EQ(hack->test, unknown + 1,
			hack->decompressor.statistics.unknown);
	hwsim_hack_reset(&hack->compressor, now_ns);
	hwsim_hack_flush(&hack->compressor, hack_let_go, NULL);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_FALSE(hack->test, hack_hold(hack, now_ns));
}

/*
 * Native ACKs of such a flow take another path, so it can never be restored: it
 * stays native for a second, for two, for four. When it can, it is as before.
 */
static void hack_keeps_unrestorable_flows_native(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u64 now_ns = 0, pause_ns = HWSIM_HACK_PAUSE_NS;
	u32 i;

	for (i = 1; i < HWSIM_HACK_FAILURES; i++)
		hack_fail_once(hack, now_ns);
	for (i = 0; i < 3; i++) {
		hack_fail_once(hack, now_ns);
		hack_introduce(hack, TAG, 2);
		hack_next(hack, 1448, 0);
		KUNIT_EXPECT_FALSE(test, hack_hold(hack, now_ns + pause_ns - 1));
		hwsim_hack_unlearn(&hack->decompressor, &hack->segment.flow);
		now_ns += pause_ns;
		pause_ns *= 2;
	}
	hack_introduce(hack, TAG, 3);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, now_ns));
	hack_expect(hack, 11);
	hwsim_hack_unlearn(&hack->decompressor, &hack->segment.flow);
	hack_fail_once(hack, now_ns);
	hack_introduce(hack, TAG, 4);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, now_ns));
	/* the longest time is not doubled */
	for (i = 0; i < 2 * HWSIM_HACK_FAILURES_MOST; i++) {
		hwsim_hack_flush(&hack->compressor, hack_let_go, NULL);
		hwsim_hack_unlearn(&hack->decompressor, &hack->segment.flow);
		hack_fail_once(hack, now_ns);
		now_ns += 64 * HWSIM_HACK_PAUSE_NS;
	}
}

/* a flow that the other end cannot follow does not take others with it */
static void hack_blames_the_flows_of_the_payload(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	struct hwsim_hack_segment other;
	u32 i;

	hack_introduce(hack, TAG ^ 1, 1);
	other = hack->segment;
	hack->segment.flow.source_port++;
	for (i = 0; i < HWSIM_HACK_FAILURES; i++)
		hack_fail_once(hack, 0);
	swap(other, hack->segment);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 11);
	/* together in one payload: both start over, and one succeeds */
	for (i = 0; i < HWSIM_HACK_FAILURES; i++) {
		hack_next(hack, 1448, 0);
		KUNIT_EXPECT_TRUE(test, hack_hold(hack, U32_MAX));
		swap(other, hack->segment);
		hack_fail_once(hack, 64 * HWSIM_HACK_PAUSE_NS * (i + 1));
		swap(other, hack->segment);
		KUNIT_EXPECT_FALSE(test, hack_hold(hack, U32_MAX));
		hack_introduce(hack, TAG ^ 1, 2);
		hack_next(hack, 1448, 0);
		KUNIT_EXPECT_TRUE(test, hack_hold(hack, U32_MAX));
		hack_expect(hack, 11);
	}
}

/* behind the access point, packets now go to another router */
static void hack_sends_natively_to_another_address(struct kunit *test)
{
	struct hack_test *hack = test->priv;

	hack_introduce(hack, TAG, 1);
	hack->segment.flow.link[0] = 2;
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0));
	hack_introduce(hack, TAG, 2);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 11);
	KUNIT_EXPECT_EQ(test, 2, hack->decompressor.flows[0].flow.link[0]);
}

/*
 * Of more native ACKs in flight than are remembered, any may be the last that
 * arrives: an item is then correct after that one, too.
 */
static void hack_follows_native_acks_beyond_the_fourth(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u32 arrives, i;

	for (arrives = 0; arrives < 2 * HWSIM_HACK_PENDING; arrives++) {
		hack_introduce(hack, TAG, 100);
		for (i = 0; i < 2 * HWSIM_HACK_PENDING; i++) {
			hack_next(hack, 1448, 1);
			hack->segment.ack.window += 7;
			hwsim_hack_native(&hack->compressor, &hack->segment,
					  TAG, 0, i);
			if (i == arrives)
				hwsim_hack_learn(&hack->decompressor,
						 &hack->segment, TAG);
		}
		hack_next(hack, 1448, 1);
		KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
		hack_expect(hack, 18);
		hwsim_hack_native_arrived(&hack->compressor, arrives);
		hack_next(hack, 1448, 1);
	}
}

/* the SYN of a flow is at the address of an ACK that was dropped before */
static void hack_does_not_take_a_syn_for_an_ack(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	struct hwsim_hack_flow other = hack->segment.flow;

	hwsim_hack_native(&hack->compressor, &hack->segment, TAG, 0, 1);
	other.source_port++;
	hwsim_hack_forget(&hack->compressor, &other, 1);
	hwsim_hack_native_arrived(&hack->compressor, 1);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0));
}

/* ACKs of ever new flows do not take more memory */
static void hack_bounds_what_a_station_can_fill(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u32 i;

	for (i = 0; i < 3 * HWSIM_HACK_FLOWS; i++) {
		hack->segment.flow.source_port++;
		hack_introduce(hack, i, i);
	}
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 11);
	hack->segment.flow.source_port -= HWSIM_HACK_FLOWS;
	KUNIT_EXPECT_FALSE(test, hack_hold(hack, 0));
}

/* a dropped ACK is not mistaken for another one at its address in memory */
static void hack_handles_native_acks_of_unknown_fate(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	struct hwsim_hack_segment first;

	hack_introduce(hack, 1, 1);
	hack_next(hack, 1448, 0);
	first = hack->segment;
	hwsim_hack_native(&hack->compressor, &hack->segment, 1, 0, 2);
	/* of another flow, with the same cookie */
	hack->segment.flow.source_port++;
	hack_introduce(hack, 2, 2);
	/*
	 * It is not known whether the first arrived: the next item is correct
	 * in both cases.
	 */
	hack->segment = first;
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 18);
	/* of the same flow, with the same cookie */
	hack_next(hack, 1448, 0);
	hwsim_hack_native(&hack->compressor, &hack->segment, 1, 0, 3);
	hack_next(hack, 1448, 0);
	hack_introduce(hack, 1, 3);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 11);
	/* and one whose cookie is then that of a packet that is not an ACK */
	hack_next(hack, 1448, 0);
	hwsim_hack_native(&hack->compressor, &hack->segment, 1, 0, 4);
	hwsim_hack_native_gone(&hack->compressor, 4);
	hwsim_hack_native_arrived(&hack->compressor, 4);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 18);
	/* the same, and it had arrived: one before it, in its A-MPDU, had not */
	hack_next(hack, 1448, 0);
	first = hack->segment;
	hwsim_hack_native(&hack->compressor, &hack->segment, 1, 0, 5);
	hack_next(hack, 1448, 0);
	hwsim_hack_native(&hack->compressor, &hack->segment, 1, 0, 6);
	hwsim_hack_learn(&hack->decompressor, &hack->segment, 1);
	hwsim_hack_native_gone(&hack->compressor, 6);
	hwsim_hack_learn(&hack->decompressor, &first, 1);
	hwsim_hack_native_arrived(&hack->compressor, 5);
	hack_next(hack, 1448, 0);
	KUNIT_EXPECT_TRUE(test, hack_hold(hack, 0));
	hack_expect(hack, 18);
}

static void hack_survives_all_short_payloads(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u8 payload[4];
	u32 i;

	hack_introduce(hack, 0, 1);
	for (i = 0; i < 1 << 16; i++) {
		put_unaligned_be16(i, payload);
		put_unaligned_be16(i * 40503, payload + 2);
		hwsim_hack_restore(&hack->decompressor, payload, i % 5,
				   hack_restored, hack);
	}
	KUNIT_EXPECT_NE(test, 0, hack->decompressor.statistics.malformed);
}

static u32 hack_choose(void *context, u32 below)
{
	struct hack_test *hack = context;

	return prandom_u32_state(&hack->random) % below;
}

static void hack_fail(void *context, const char *what)
{
	struct hack_test *hack = context;

	KUNIT_FAIL(hack->test, "%s", what);
}

static void hack_play(struct hack_test *hack, u32 seed, bool is_faithful)
{
	u32 i;

	memset(&hack->link, 0, sizeof(hack->link));
	hack->link.choose = hack_choose;
	hack->link.fail = hack_fail;
	hack->link.context = hack;
	prandom_seed_state(&hack->random, seed);
	scenario_init(&hack->link, is_faithful);
	for (i = 0; i < 2000; i++)
		scenario_step(&hack->link);
}

static void hack_restores_faithfully_on_lossy_links(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u32 seed;

	for (seed = 1; seed <= 50; seed++) {
		hack_play(hack, seed, true);
		KUNIT_EXPECT_GT(test, hack->link.restored, 20);
	}
}

static void hack_restores_little_that_is_damaged(struct kunit *test)
{
	struct hack_test *hack = test->priv;
	u32 seed, wrong = 0, failures = 0;

	for (seed = 1; seed <= 50; seed++) {
		hack_play(hack, seed, false);
		wrong += hack->link.wrong;
		failures +=
			hack->link.decompressor.statistics.crc_failures;
	}
	KUNIT_EXPECT_GT(test, failures, 100);
	KUNIT_EXPECT_LT(test, wrong, failures / 32); /* 1/256, and chance */
}

static struct kunit_case hack_cases[] = {
	KUNIT_CASE(hack_understands_packets),
	KUNIT_CASE(hack_leaves_odd_packets_alone),
	KUNIT_CASE(hack_computes_checksums_as_linux_does),
	KUNIT_CASE(hack_writes_a_download_in_three_bytes),
	KUNIT_CASE(hack_restores_all_that_changes),
	KUNIT_CASE(hack_restores_ipv6_without_options),
	KUNIT_CASE(hack_holds_only_known_flows),
	KUNIT_CASE(hack_holds_no_more_than_its_bound),
	KUNIT_CASE(hack_drops_duplicates),
	KUNIT_CASE(hack_needs_a_native_ack_after_a_flush),
	KUNIT_CASE(hack_numbers_only_sent_items),
	KUNIT_CASE(hack_does_not_depend_on_late_native_acks),
	KUNIT_CASE(hack_tells_flows_of_one_cid_apart),
	KUNIT_CASE(hack_waits_after_a_wrong_crc),
	KUNIT_CASE(hack_keeps_unrestorable_flows_native),
	KUNIT_CASE(hack_blames_the_flows_of_the_payload),
	KUNIT_CASE(hack_sends_natively_to_another_address),
	KUNIT_CASE(hack_follows_native_acks_beyond_the_fourth),
	KUNIT_CASE(hack_does_not_take_a_syn_for_an_ack),
	KUNIT_CASE(hack_bounds_what_a_station_can_fill),
	KUNIT_CASE(hack_handles_native_acks_of_unknown_fate),
	KUNIT_CASE(hack_survives_all_short_payloads),
	KUNIT_CASE(hack_restores_faithfully_on_lossy_links),
	KUNIT_CASE(hack_restores_little_that_is_damaged),
	{}
};

static struct kunit_suite hack_suite = {
	.name = "hwsim-hack",
	.init = hack_test_init,
	.test_cases = hack_cases,
};

kunit_test_suite(hack_suite);
