/* SPDX-License-Identifier: MIT */
#include "journal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	HEAD = 0x61336831, /* "a3h1": records' kinds, and the version of their format */
	BYTES = 0x61336231,
	END = 0x61336531,

	RECORD_MOST = 64 << 20,
};

struct record {
	uint32_t kind, length;
	uint64_t at;
	uint32_t sum; /* CRC-32C of what is before, and of the bytes */
	uint32_t none;
};

/* CRC-32C (RFC 3720 appendix B.4), a table of its bytes. */
static uint32_t crc(uint32_t sum, const void *bytes, size_t length)
{
	static uint32_t table[256];
	const uint8_t *one = bytes;

	if (!table[1])
		for (uint32_t i = 0; i < 256; i++) {
			table[i] = i;
			for (int bit = 0; bit < 8; bit++)
				table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0x82f63b78) : 0);
		}
	sum = ~sum;
	while (length--)
		sum = sum >> 8 ^ table[(sum ^ *one++) & 0xff];
	return ~sum;
}

/* Write a record behind the last one. False: there is no room, or an error; then the file is as before. */
static bool put(struct journal *journal, uint32_t kind, uint64_t at, const struct iovec *parts, int count)
{
	struct record record = { .kind = kind, .at = at };
	struct iovec all[3] = { { &record, sizeof(record) } };
	ssize_t length = sizeof(record);

	for (int i = 0; i < count; i++) {
		all[1 + i] = parts[i];
		record.length += (uint32_t)parts[i].iov_len;
		length += (ssize_t)parts[i].iov_len;
	}
	record.sum = crc(0, &record, offsetof(struct record, sum));
	for (int i = 0; i < count; i++)
		record.sum = crc(record.sum, parts[i].iov_base, parts[i].iov_len);
	if (pwritev(journal->file, all, 1 + count, (off_t)journal->size) != length) {
		if (ftruncate(journal->file, (off_t)journal->size)) {
			/* what is there is torn, and will be cut or written over */
		}
		return false;
	}
	journal->size += (uint64_t)length;
	return true;
}

static bool note(struct journal *journal, uint64_t at, uint64_t length, uint64_t place)
{
	if (journal->count == journal->room) {
		size_t room = journal->room ? 2 * journal->room : 64;
		void *more = realloc(journal->records, room * sizeof(*journal->records));

		if (!more)
			return false;
		journal->records = more;
		journal->room = room;
	}
	if (!journal->count || journal->end != at)
		journal->from = at;
	journal->records[journal->count++] = (struct journal_record){ at, length, place };
	journal->end = at + length;
	return true;
}

bool journal_sync(struct journal *journal)
{
	return !fdatasync(journal->file);
}

static bool put_head(struct journal *journal, const void *head, size_t bytes)
{
	const struct iovec part = { (void *)(uintptr_t)head, bytes };

	return put(journal, HEAD, 0, &part, 1) && !fsync(journal->file);
}

bool journal_create(struct journal *journal, int folder, const char *name, const void *head, size_t bytes)
{
	*journal = (struct journal){ .folder = folder };
	snprintf(journal->name, sizeof(journal->name), "%s", name);
	journal->file = openat(folder, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (journal->file < 0)
		return false;
	if (put_head(journal, head, bytes) && !fsync(folder))
		return true;
	journal_remove(journal);
	return false;
}

bool journal_restart(struct journal *journal, const void *head, size_t bytes)
{
	journal->size = 0;
	journal->count = 0;
	journal->finished = false;
	return !ftruncate(journal->file, 0) && put_head(journal, head, bytes);
}

/* Read and check a record, with the bytes of a head. False: it is torn, or there is none. */
static bool get(const struct journal *journal, uint64_t place, struct record *record, void *head, size_t room)
{
	uint8_t buffer[16384];
	uint32_t sum;
	size_t done = 0;

	if (pread(journal->file, record, sizeof(*record), (off_t)place) != sizeof(*record) || record->length > RECORD_MOST)
		return false;
	sum = crc(0, record, offsetof(struct record, sum));
	while (done < record->length) {
		size_t some = record->length - done < sizeof(buffer) ? record->length - done : sizeof(buffer);

		if (pread(journal->file, buffer, some, (off_t)(place + sizeof(*record) + done)) != (ssize_t)some)
			return false;
		if (head && done + some <= room)
			memcpy((uint8_t *)head + done, buffer, some);
		sum = crc(sum, buffer, some);
		done += some;
	}
	return sum == record->sum;
}

bool journal_open(struct journal *journal, int folder, const char *name, void *head, size_t bytes)
{
	struct record record;

	*journal = (struct journal){ .folder = folder };
	snprintf(journal->name, sizeof(journal->name), "%s", name);
	journal->file = openat(folder, name, O_RDWR | O_CLOEXEC);
	if (journal->file < 0)
		return false;
	if (!get(journal, 0, &record, head, bytes) || record.kind != HEAD || record.length != bytes) {
		close(journal->file);
		return false;
	}
	journal->size = sizeof(record) + bytes;
	while (get(journal, journal->size, &record, NULL, 0)) {
		if (record.kind == BYTES && !note(journal, record.at, record.length, journal->size + sizeof(record)))
			break;
		journal->finished |= record.kind == END;
		journal->size += sizeof(record) + record.length;
	}
	if (ftruncate(journal->file, (off_t)journal->size)) {
		/* what is behind is written over */
	}
	return true;
}

bool journal_append(struct journal *journal, uint64_t at, const struct iovec *parts, int count)
{
	uint64_t place = journal->size + sizeof(struct record), length = 0;

	for (int i = 0; i < count; i++)
		length += parts[i].iov_len;
	return put(journal, BYTES, at, parts, count) && note(journal, at, length, place);
}

bool journal_finish(struct journal *journal)
{
	journal->finished = journal->finished || put(journal, END, journal->end, NULL, 0);
	return journal->finished;
}

/* The record with a byte, or NULL. */
static const struct journal_record *with(const struct journal *journal, uint64_t at)
{
	size_t low = 0, high = journal->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (journal->records[middle].at + journal->records[middle].length <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < journal->count && journal->records[low].at <= at ? &journal->records[low] : NULL;
}

bool journal_read(const struct journal *journal, uint64_t at, uint8_t *bytes, size_t length)
{
	while (length) {
		const struct journal_record *record = with(journal, at);
		uint64_t here, some;

		if (!record)
			return false;
		here = at - record->at;
		some = record->length - here < length ? record->length - here : length;
		if (pread(journal->file, bytes, (size_t)some, (off_t)(record->place + here)) != (ssize_t)some)
			return false;
		at += some;
		bytes += some;
		length -= (size_t)some;
	}
	return true;
}

void journal_close(struct journal *journal)
{
	close(journal->file);
	free(journal->records);
	journal->records = NULL;
}

void journal_remove(struct journal *journal)
{
	unlinkat(journal->folder, journal->name, 0);
	journal_close(journal);
}
