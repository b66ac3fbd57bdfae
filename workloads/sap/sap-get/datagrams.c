/* SPDX-License-Identifier: MIT */
#include "datagrams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sap_types.h"

static bool has_received(const struct datagrams *datagrams, uint64_t number)
{
	return number / 8 < datagrams->seen_bytes && datagrams->seen[number / 8] & (1u << number % 8);
}

static bool reserve(struct datagrams *datagrams, size_t bytes)
{
	size_t larger = datagrams->seen_bytes ? datagrams->seen_bytes : 256;
	uint8_t *seen;

	while (larger < bytes)
		larger *= 2;
	if (larger == datagrams->seen_bytes)
		return true;
	seen = realloc(datagrams->seen, larger);
	if (!seen)
		return false;
	memset(seen + datagrams->seen_bytes, 0, larger - datagrams->seen_bytes);
	datagrams->seen = seen;
	datagrams->seen_bytes = larger;
	return true;
}

enum datagrams_verdict datagrams_add(struct datagrams *datagrams, uint32_t number, size_t length)
{
	const uint64_t end = (uint64_t)number * SAP_PAYLOAD_BYTES + length;

	if (length > SAP_PAYLOAD_BYTES || end > DATAGRAMS_FILE_BYTES_MAX)
		return DATAGRAMS_TOO_FAR;
	if (has_received(datagrams, number))
		return DATAGRAMS_AGAIN;
	if (!reserve(datagrams, number / 8 + 1u))
		return DATAGRAMS_MEMORY;
	datagrams->seen[number / 8] |= (uint8_t)(1u << number % 8);
	datagrams->count++;
	datagrams->bytes += length;
	if (end > datagrams->end)
		datagrams->end = end;
	if (length < SAP_PAYLOAD_BYTES) {
		datagrams->two_short |= datagrams->short_end != 0;
		datagrams->short_end = end;
	}
	return DATAGRAMS_NEW;
}

bool datagrams_fit(const struct datagrams *datagrams, uint64_t length, uint64_t *lost)
{
	const uint64_t all = (length + SAP_PAYLOAD_BYTES - 1) / SAP_PAYLOAD_BYTES;

	*lost = all > datagrams->count ? all - datagrams->count : 0;
	return datagrams->count <= all && datagrams->end <= length && !datagrams->two_short &&
	       (!datagrams->short_end || datagrams->short_end == length);
}

static void compare_one(const uint8_t *ours, const uint8_t *theirs, size_t length, struct differences *differences)
{
	bool differs = false;
	unsigned int wrong;

	for (size_t i = 0; i < length; i++) {
		wrong = ours[i] ^ theirs[i];
		if (!wrong)
			continue;
		differs = true;
		differences->bytes++;
		for (; wrong; wrong &= wrong - 1)
			differences->bits++;
	}
	if (differs) {
		differences->datagrams++;
		differences->datagram_bytes += (int64_t)length;
	}
}

int datagrams_compare(const struct datagrams *datagrams, int fd, const char *path, uint64_t length,
		      struct differences *differences)
{
	uint8_t ours[SAP_PAYLOAD_BYTES], theirs[SAP_PAYLOAD_BYTES];
	FILE *const file = fopen(path, "rbe");
	uint64_t at = 0;
	size_t want;

	*differences = (struct differences){ 0 };
	if (!file)
		return -1;
	for (; at < length; at += want) {
		want = length - at < SAP_PAYLOAD_BYTES ? (size_t)(length - at) : SAP_PAYLOAD_BYTES;
		errno = 0;
		if (fread(theirs, 1, want, file) != want || pread(fd, ours, want, (off_t)at) != (ssize_t)want)
			break;
		if (has_received(datagrams, at / SAP_PAYLOAD_BYTES))
			compare_one(ours, theirs, want, differences);
	}
	if (at >= length) {
		errno = 0;
		want = fread(theirs, 1, 1, file);
	}
	fclose(file);
	return at < length || want == 1 ? -1 : 0;
}

void datagrams_free(struct datagrams *datagrams)
{
	free(datagrams->seen);
	*datagrams = (struct datagrams){ 0 };
}
