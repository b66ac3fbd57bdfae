/* SPDX-License-Identifier: MIT */
/*
 * Bytes in, bytes out: what TP makes of one connection.
 *
 *	drive PREDICT SERIALISE < lines
 *
 * A line is ">" (from the client, to the server) or "<" and bytes in hexadecimal; "end >"; "take"; "room BYTES" (of each
 * direction, from now on); "store BYTES" (what the store holds; less makes it fail); "reserve BYTES" (what it says that it
 * has room for); "lose" or "damage" (what it holds cannot be read, or is read wrong); "time NS" (since the beginning).
 * For each, it prints what is sent (">" or "<", and the bytes), then ".", the state, why it was left, what the observer says
 * of that, whether it could be between, whether a direction's end can be passed on, and the counts. Until it is taken, by
 * that line or when it wants to, bytes pass by themselves. What was not taken is offered again. Each piece has its own
 * memory, and so has the state, so that AddressSanitizer sees what reads or writes behind its end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tp.h"

static struct {
	uint8_t *bytes;
	size_t length;
} offered[OBSERVE_WAYS];

static size_t room = SIZE_MAX;
static uint64_t store_size = UINT64_MAX, reserve_size = UINT64_MAX;
static uint64_t now_ns = UINT64_C(1000000000000);
static bool lost, damaged, taken;
static uint8_t kept[(size_t)TP_BLOCKS * TP_BLOCK];

static void *own(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		exit(1);
	return memory;
}

static void print_bytes(enum observe_way way, const uint8_t *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";

	putchar_unlocked(way == OBSERVE_TO_SERVER ? '>' : '<');
	while (length--) {
		putchar_unlocked(digits[*bytes >> 4]);
		putchar_unlocked(digits[*bytes++ & 15]);
	}
	putchar_unlocked('\n');
}

static void send_bytes(void *context, enum observe_way way, const uint8_t *bytes, size_t length)
{
	(void)context;
	print_bytes(way, bytes, length);
	room = room == SIZE_MAX ? room : length < room ? room - length : 0;
}

static size_t room_for(void *context, enum observe_way way)
{
	(void)context;
	(void)way;
	return room;
}

static bool store(void *context, uint64_t at, const uint8_t *bytes, size_t length)
{
	(void)context;
	if (at + length > sizeof(kept))
		abort();
	if (at + length > store_size)
		return false;
	memcpy(kept + at, bytes, length);
	return true;
}

static bool load(void *context, uint64_t at, uint8_t *bytes, size_t length)
{
	(void)context;
	if (at + length > sizeof(kept))
		abort();
	memcpy(bytes, kept + at, length);
	if (damaged)
		bytes[length - 1] ^= 1;
	return !lost;
}

static bool reserve(void *context, uint64_t at, size_t length)
{
	(void)context;
	return at + length <= reserve_size;
}

static uint64_t tell_ns(void *context)
{
	(void)context;
	return now_ns;
}

static uint8_t nibble(char digit)
{
	return (uint8_t)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

static void offer(struct tp *tp, enum observe_way way, const char *hex)
{
	size_t length = strlen(hex) / 2, before = offered[way].length;
	uint8_t *all = own(before + length);

	if (before)
		memcpy(all, offered[way].bytes, before);
	for (size_t i = 0; i < length; i++)
		all[before + i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
	if (!taken && way == OBSERVE_TO_SERVER && tp_wants(tp, all + before, length))
		taken = tp_take(tp);
	free(offered[way].bytes);
	offered[way].bytes = all;
	offered[way].length = before + length;
	if (!taken && length)
		print_bytes(way, all + before, length);
}

/* Give it what is offered, until it takes nothing more. */
static void give(struct tp *tp)
{
	bool more = true;

	while (more) {
		more = false;
		for (enum observe_way way = 0; way < OBSERVE_WAYS; way++) {
			size_t length = offered[way].length, took;
			uint8_t *piece = own(length);

			if (length)
				memcpy(piece, offered[way].bytes, length);
			took = length ? tp_bytes(tp, way, piece, length) : 0;
			free(piece);
			if (took > length)
				abort();
			if (took)
				memmove(offered[way].bytes, offered[way].bytes + took, length - took);
			offered[way].length -= took;
			more |= took > 0;
		}
	}
}

static void say(struct tp *tp)
{
	static const char *const states[] = { "watches", "acts", "left", "broken" };
	const struct tp_counts *counts = tp_counts(tp);

	printf(". %s %s %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
	       states[tp_state(tp)], tp_why_name(counts->why), counts->alone, tp_is_ready(tp), offered[0].length > 0,
	       counts->predicted, counts->answered, counts->fetched, counts->served, counts->wasted, counts->oplocks,
	       counts->breaks, counts->stale);
	fflush(stdout);
}

static void obey(struct tp *tp, const char *line)
{
	if (line[0] == '>' || line[0] == '<')
		offer(tp, line[0] == '>' ? OBSERVE_TO_SERVER : OBSERVE_TO_CLIENT, line + 1);
	else if (!strncmp(line, "room ", 5))
		room = strtoull(line + 5, NULL, 10);
	else if (!strncmp(line, "store ", 6))
		store_size = strtoull(line + 6, NULL, 10);
	else if (!strncmp(line, "time ", 5))
		now_ns = UINT64_C(1000000000000) + strtoull(line + 5, NULL, 10);
	else if (!strncmp(line, "reserve ", 8))
		reserve_size = strtoull(line + 8, NULL, 10);
	else if (!strcmp(line, "lose"))
		lost = true;
	else if (!strcmp(line, "damage"))
		damaged = true;
	else if (!strcmp(line, "take"))
		taken |= tp_take(tp);
	else if (!strncmp(line, "end ", 4))
		printf("ended %d\n", tp_ended(tp, line[4] == '>' ? OBSERVE_TO_SERVER : OBSERVE_TO_CLIENT));
	else
		exit(2);
	tp_continue(tp);
	give(tp);
}

int main(int argc, char **argv)
{
	static const struct tp_calls calls = { send_bytes, room_for, store, load, reserve, tell_ns };
	struct tp_settings settings;
	char *line = NULL;
	size_t size = 0;
	struct tp *tp;

	if (argc != 3)
		return 2;
	settings = (struct tp_settings){ atoi(argv[1]), atoi(argv[2]) };
	tp = own(tp_size());
	tp_begin(tp, &settings, &calls, NULL);
	while (getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		obey(tp, line);
		say(tp);
	}
	free(line);
	free(offered[0].bytes);
	free(offered[1].bytes);
	free(tp);
	return 0;
}
