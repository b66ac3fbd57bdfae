/* SPDX-License-Identifier: MIT */
#include "tally.h"

#include <stdlib.h>

#include "report.h"

static bool test_and_set(struct tally *tally, uint64_t number)
{
	const uint64_t place = number % TALLY_WINDOW_PACKETS;
	const uint8_t bit = (uint8_t)(1 << (place % 8));
	uint8_t *const byte = &tally->seen[place / 8];
	const bool was = *byte & bit;

	*byte |= bit;
	return was;
}

static void forget(struct tally *tally, uint64_t number)
{
	const uint64_t place = number % TALLY_WINDOW_PACKETS;

	tally->seen[place / 8] &= (uint8_t)~(1 << (place % 8));
}

/* Moves the window up to a number that is higher than all before. */
static void advance(struct tally *tally, uint64_t number)
{
	if (number - tally->next >= TALLY_WINDOW_PACKETS)
		tally->next = number - TALLY_WINDOW_PACKETS + 1;
	for (; tally->next <= number; tally->next++)
		forget(tally, tally->next);
}

/* Returns false for a duplicate. */
static bool count_number(struct tally *tally, uint64_t number)
{
	if (number >= tally->next) {
		tally->now.lost += (int64_t)(number - tally->next);
		advance(tally, number);
		test_and_set(tally, number);
		return true;
	}
	/* older than the window: a packet that came so late was surely not counted before */
	if (tally->next - number <= TALLY_WINDOW_PACKETS && test_and_set(tally, number)) {
		tally->now.duplicates++;
		return false;
	}
	tally->now.out_of_order++;
	tally->now.lost--;
	return true;
}

static void count_delay(struct delays *delays, int64_t delay_ns, const int64_t *change_ns)
{
	if (!delays->count || delay_ns < delays->min_ns)
		delays->min_ns = delay_ns;
	if (!delays->count || delay_ns > delays->max_ns)
		delays->max_ns = delay_ns;
	delays->count++;
	delays->sum_ns += (double)delay_ns;
	if (change_ns) {
		delays->changes++;
		delays->change_sum_ns += (double)*change_ns;
	}
}

static void print_interval(struct tally *tally)
{
	const uint64_t end_ns = tally->start_ns + (tally->interval + 1) * tally->every_ns;

	report_begin(tally->to, "arrived", end_ns);
	report_counts(tally->to, &tally->now);
	report_delays(tally->to, &tally->delay_now, tally->jitter_ns);
	report_end(tally->to);
}

static void add(struct counts *sum, const struct counts *counts)
{
	sum->packets += counts->packets;
	sum->bytes += counts->bytes;
	sum->lost += counts->lost;
	sum->out_of_order += counts->out_of_order;
	sum->duplicates += counts->duplicates;
	sum->damaged += counts->damaged;
	sum->wrong_bits += counts->wrong_bits;
}

static void next_interval(struct tally *tally)
{
	print_interval(tally);
	add(&tally->all, &tally->now);
	tally->now = (struct counts){ 0 };
	tally->delay_now = (struct delays){ 0 };
	tally->interval++;
}

static void print_until(struct tally *tally, uint64_t at_ns)
{
	while (at_ns >= tally->start_ns + (tally->interval + 1) * tally->every_ns)
		next_interval(tally);
}

static uint64_t start_of(const struct packet *packet, uint64_t at_ns)
{
	return packet->start_ns < at_ns && at_ns - packet->start_ns <= TALLY_LATE_NS ? packet->start_ns : at_ns;
}

void tally_packet(struct tally *tally, const struct packet *packet, const uint8_t *pattern, uint64_t at_ns)
{
	const int64_t delay_ns = (int64_t)(at_ns - packet->sent_ns);
	const int64_t change_ns = llabs(delay_ns - tally->last_delay_ns);
	const bool follows = tally->all.packets + tally->now.packets;
	uint64_t wrong;

	if (!tally->began) {
		tally->began = true;
		tally->start_ns = start_of(packet, at_ns);
		tally->first_ns = at_ns;
	}
	print_until(tally, at_ns);
	if (follows && at_ns - tally->last_ns > tally->pause_ns)
		tally->pause_ns = at_ns - tally->last_ns;
	tally->last_ns = at_ns;
	if (!count_number(tally, packet->number))
		return;
	tally->now.packets++;
	tally->now.bytes += packet->length;
	if (follows)
		tally->jitter_ns += ((double)change_ns - tally->jitter_ns) / 16;
	count_delay(&tally->delay_now, delay_ns, follows ? &change_ns : NULL);
	count_delay(&tally->delay_all, delay_ns, follows ? &change_ns : NULL);
	tally->last_delay_ns = delay_ns;
	if (tally->compare) {
		wrong = packet_wrong_bits(packet->number, pattern, (size_t)(packet->length - PACKET_HEADER_BYTES));
		tally->now.damaged += wrong > 0;
		tally->now.wrong_bits += wrong;
	}
}

void tally_sent(struct tally *tally, uint64_t sent)
{
	if (sent > tally->next) {
		tally->now.lost += (int64_t)(sent - tally->next);
		tally->next = sent;
	}
}

void tally_end(struct tally *tally, uint64_t at_ns)
{
	if (!tally->began) {
		add(&tally->all, &tally->now); /* what was sent and never arrived */
		return;
	}
	print_until(tally, at_ns);
	if (at_ns > tally->start_ns + tally->interval * tally->every_ns || tally->now.packets || tally->now.lost)
		next_interval(tally);
}
