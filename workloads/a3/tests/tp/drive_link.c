/* SPDX-License-Identifier: MIT */
/*
 * TP on a connection that it takes over when it wants to (tp_link.h), with a relay that prints: the lines, and what is
 * printed, are those of drive. After PREDICT and SERIALISE, there may be the quota; otherwise it is 16 MiB. Files are in the
 * folder "."; "store BYTES" lets none get longer, "lose" empties them, "again" begins another connection of the same hosts, and
 * "strangers" as many of others as there are places. "window DEVICE BYTES" begins one more, of a device, whose server is to
 * be told such a window; what it gets is printed as the first number. "round BYTES" lets one more keep a stream in so much
 * room, some of which is read each time that it is full; it ends with 5 if that goes wrong.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tp_link.h"

enum {
	MORE_ROOM = 130000, /* beyond what may be given without being asked */
};

static size_t room = SIZE_MAX;
static uint64_t now_ns = UINT64_C(1000000000000);
static bool finished[2], taken, broken;

static void print_bytes(enum track_direction direction, const uint8_t *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";

	putchar_unlocked(direction == TRACK_TO_SERVER ? '>' : '<');
	while (length--) {
		putchar_unlocked(digits[*bytes >> 4]);
		putchar_unlocked(digits[*bytes++ & 15]);
	}
	putchar_unlocked('\n');
}

static uint64_t tell_ns(void)
{
	return now_ns;
}

bool relay_give(struct relay *relay, enum track_direction direction, const uint8_t *bytes, size_t length)
{
	(void)relay;
	if (room != SIZE_MAX && length > room + MORE_ROOM)
		return false;
	print_bytes(direction, bytes, length);
	room = room == SIZE_MAX ? room : length < room ? room - length : 0;
	return true;
}

size_t relay_room(const struct relay *relay, enum track_direction direction)
{
	(void)relay;
	(void)direction;
	return room;
}

void relay_finish(struct relay *relay, enum track_direction direction)
{
	(void)relay;
	finished[direction] = true;
}

static uint8_t nibble(char digit)
{
	return (uint8_t)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

static void offer(struct tp_link *link, enum track_direction direction, const char *hex)
{
	size_t length = strlen(hex) / 2;
	uint8_t *bytes = malloc(length ? length : 1);

	if (!bytes)
		exit(1);
	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
	if (!taken && direction == TRACK_TO_SERVER && tp_link_wants(link, bytes, length))
		taken = tp_link_take(link);
	if (taken) {
		broken |= !tp_link_transformer.bytes(link, NULL, direction, bytes, length);
	} else {
		print_bytes(direction, bytes, length);
		tp_link_watches(link, direction, bytes, length);
	}
	free(bytes);
}

static void limit(const char *bytes)
{
	const struct rlimit most = { strtoull(bytes, NULL, 10), RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &most);
}

static void lose(void)
{
	struct stat found;

	for (int file = 3; file < 32; file++)
		if (!fstat(file, &found) && S_ISREG(found.st_mode) && ftruncate(file, 0))
			exit(1);
}

static struct tp_link *strangers[TP_LINKS];
static unsigned int windows;
static uint64_t got; /* of the last window */

/* Another connection tells a window. */
static void tell_window(struct tp_links *links, const char *words)
{
	struct segment_end end = { { 10, 0, 1 }, 1 }, server = { { 10, 0, 0, 1 }, 445 };
	uint64_t bytes;

	if (sscanf(words, "%hhu %" SCNu64, &end.address[3], &bytes) != 2 || windows == TP_LINKS)
		exit(1);
	strangers[windows] = tp_link_begin(links, &end, &server, &strangers[windows]);
	got = tp_link_transformer.keeps(strangers[windows++], TRACK_TO_CLIENT, bytes);
}

/* Others connect, and say nothing. */
static void arrive(struct tp_links *links)
{
	struct segment_end end = { { 10, 9, 9, 9 }, 1 }, server = { { 10, 0, 0, 1 }, 445 };

	for (unsigned int i = 0; i < TP_LINKS; i++, end.port++, now_ns++) {
		tp_link_end(strangers[i]);
		if (!(strangers[i] = tp_link_begin(links, &end, &server, &strangers[i])))
			exit(1);
	}
}

static uint8_t byte_at(uint64_t at)
{
	return (uint8_t)(at * 7 % 251 ^ at >> 11);
}

static bool keep(struct tp_link *link, enum track_direction direction, uint64_t from, uint64_t at, size_t length)
{
	uint8_t bytes[6000];

	for (size_t i = 0; i < length; i++)
		bytes[i] = byte_at(at + i);
	return tp_link_transformer.keep(link, direction, from, at, bytes, length);
}

static void check_kept(struct tp_link *link, enum track_direction direction, uint64_t at, size_t length)
{
	uint8_t bytes[6000];

	if (!tp_link_transformer.kept(link, direction, at, bytes, length))
		exit(5);
	for (size_t i = 0; i < length; i++)
		if (bytes[i] != byte_at(at + i))
			exit(5);
}

static void go_round(struct tp_links *links, uint64_t place)
{
	struct segment_end end = { { 10, 0, 2, 1 }, 1 }, server = { { 10, 0, 0, 1 }, 445 };
	struct tp_link *link = strangers[windows] = tp_link_begin(links, &end, &server, &strangers[windows]);
	uint64_t from = 0, at = 0, step = 0;

	windows++;
	tp_link_transformer.keeps(link, TRACK_TO_SERVER, 6000);
	if (tp_link_transformer.keeps(link, TRACK_TO_CLIENT, place) != place || !keep(link, TRACK_TO_SERVER, 0, 0, 6000))
		exit(5);
	while (at < 5 * place) {
		const size_t length = 1 + (size_t)(step++ * 7919 % 6000);
		const bool full = at + length - from > place;
		size_t some = at - from < 5000 ? (size_t)(at - from) : 5000;

		if (keep(link, TRACK_TO_CLIENT, from, at, length) == full)
			exit(5); /* what is needed is written over, or there is room */
		at += full ? 0 : length;
		if (!full)
			continue;
		check_kept(link, TRACK_TO_CLIENT, from, some);
		from += some;
		if (at > place && tp_link_transformer.keeps(link, TRACK_TO_CLIENT, 2 * place) != place)
			exit(5); /* it has gone round */
	}
	for (size_t some; from < at; from += some) {
		some = at - from < 5000 ? (size_t)(at - from) : 5000;
		check_kept(link, TRACK_TO_CLIENT, from, some);
	}
	check_kept(link, TRACK_TO_SERVER, 0, 6000);
	if (!keep(link, TRACK_TO_CLIENT, at, at, 10) || tp_link_transformer.keeps(link, TRACK_TO_CLIENT, 2 * place) != 2 * place)
		exit(5); /* it begins again */
}

/* A disk that becomes full: what is kept stays, and what there was room for is free. */
static void fill(struct tp_links *links)
{
	struct segment_end end = { { 10, 0, 3, 1 }, 1 }, server = { { 10, 0, 0, 1 }, 445 };
	struct tp_link *link = strangers[windows] = tp_link_begin(links, &end, &server, &strangers[windows]);
	const uint64_t before = links->stored;

	windows++;
	tp_link_transformer.keeps(link, TRACK_TO_CLIENT, 100000);
	if (!keep(link, TRACK_TO_CLIENT, 0, 0, 6000) || keep(link, TRACK_TO_CLIENT, 0, 6000, 6000))
		exit(5);
	check_kept(link, TRACK_TO_CLIENT, 0, 6000);
	if (links->stored != before + 6000 || tp_link_transformer.keeps(link, TRACK_TO_CLIENT, 100000) != 6000)
		exit(5);
}

static void obey(struct tp_links *links, struct tp_link *link, const char *line)
{
	if (line[0] == '>' || line[0] == '<') {
		offer(link, line[0] == '>' ? TRACK_TO_SERVER : TRACK_TO_CLIENT, line + 1);
	} else if (!strncmp(line, "end ", 4)) {
		enum track_direction direction = line[4] == '>' ? TRACK_TO_SERVER : TRACK_TO_CLIENT;

		broken |= !tp_link_transformer.ended(link, NULL, direction);
		printf("ended %d\n", finished[direction]);
	} else if (!strncmp(line, "room ", 5)) {
		room = strtoull(line + 5, NULL, 10);
	} else if (!strncmp(line, "time ", 5)) {
		now_ns = UINT64_C(1000000000000) + strtoull(line + 5, NULL, 10);
	} else if (!strncmp(line, "store ", 6)) {
		limit(line + 6);
	} else if (!strcmp(line, "lose")) {
		lose();
	} else if (!strncmp(line, "window ", 7)) {
		tell_window(links, line + 7);
	} else if (!strncmp(line, "round ", 6)) {
		go_round(links, strtoull(line + 6, NULL, 10));
	} else if (!strcmp(line, "fill")) {
		fill(links);
	} else if (!strcmp(line, "strangers")) {
		arrive(links);
	}
	if (taken)
		broken |= !tp_link_transformer.room(link, NULL);
}

static void say(const struct tp_link *link, const struct tp_links *links)
{
	const struct tp_links_counts count = tp_links_count(links);
	const struct tp_counts *all = &count.all;

	printf(". %s not left %" PRIu64 " 0 %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
	       broken || count.broken ? "broken" : count.left ? "left" : taken ? "acts" : "watches", got,
	       tp_link_transformer.waits((void *)(uintptr_t)link, TRACK_TO_SERVER),
	       all->predicted, all->answered, all->fetched, all->served, all->wasted, all->oplocks, all->breaks, all->stale);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct segment_end client = { { 10, 0, 0, 2 }, 40000 }, server = { { 10, 0, 0, 1 }, 445 };
	static struct tp_links links;
	static struct tp_link *link;
	char *line = NULL;
	size_t size = 0;

	if (argc != 3 && argc != 4)
		return 2;
	links.settings.on = true;
	links.settings.tp = (struct tp_settings){ atoi(argv[1]), atoi(argv[2]) };
	links.settings.quota = argc == 4 ? strtoull(argv[3], NULL, 10) : 16 << 20;
	links.settings.now_ns = tell_ns;
	links.settings.folder = open(".", O_RDONLY | O_DIRECTORY);
	link = tp_link_begin(&links, &client, &server, &link);
	while (link && getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "again")) {
			tp_link_end(link);
			link = tp_link_begin(&links, &client, &server, &link);
			taken = broken = false;
			server.address[0] ^= !link; /* now another one */
			links.over = (struct tp_links_counts){ 0 };
		} else {
			obey(&links, link, line);
		}
		if (link)
			say(link, &links);
		else
			puts(". refused not left 0 0 0 0 0 0 0 0 0 0 0");
		fflush(stdout);
		link = link ? link : tp_link_begin(&links, &client, &server, &link);
	}
	free(line);
	tp_link_end(link);
	for (unsigned int i = 0; i < TP_LINKS; i++)
		tp_link_end(strangers[i]);
	close(links.settings.folder);
	return links.open || links.stored ? 1 : 0;
}
