/* SPDX-License-Identifier: MIT */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEAD = 0x61336832, /* "a3h2": records' kinds, and the version of their format */
	BYTES = 0x61336232,
	END = 0x61336532,

	RECORD_MOST = 64 << 20,
};

struct record {
	uint32_t kind, length;
	uint64_t at, other;
	uint32_t flow;
	uint32_t sum; /* CRC-32C of what is before, and of the bytes */
};

/* What was synced. It is written when that is done, and not synced itself, so it may be of an earlier sync. */
struct seal {
	uint64_t size, end;
	uint32_t fin;
	uint32_t sum;
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

static bool synced(int file)
{
	int failed;

	do
		failed = fdatasync(file);
	while (failed && errno == EINTR);
	return !failed;
}

/* Write a record. Returns its bytes; 0: they are not all there. */
static size_t put(int file, uint64_t place, struct record record, const struct iovec *parts, int count)
{
	struct iovec all[3] = { { &record, sizeof(record) } };
	size_t length = sizeof(record);

	for (int i = 0; i < count; i++) {
		all[1 + i] = parts[i];
		record.length += (uint32_t)parts[i].iov_len;
		length += parts[i].iov_len;
	}
	record.sum = crc(0, &record, offsetof(struct record, sum));
	for (int i = 0; i < count; i++)
		record.sum = crc(record.sum, parts[i].iov_base, parts[i].iov_len);
	return pwritev(file, all, 1 + count, (off_t)place) == (ssize_t)length ? length : 0;
}

/* Where the bytes end that it knows of. */
static uint64_t last(const struct journal *journal)
{
	if (journal->ended[journal->flow])
		return journal->ends[journal->flow];
	return journal->count ? journal->end : 0;
}

/* Note what is synced. If this fails, more is taken to be torn than is. */
static bool put_seal(const struct journal *journal, int file, uint64_t size)
{
	struct seal seal = { .size = size, .end = last(journal), .fin = journal->ended[journal->flow] };

	seal.sum = crc(0, &seal, offsetof(struct seal, sum));
	return pwrite(file, &seal, sizeof(seal), (off_t)(sizeof(struct record) + journal->head)) == sizeof(seal);
}

/* Add a record, and sync it. False: it cannot, and nothing was added. */
static bool add(struct journal *journal, struct record record, const struct iovec *parts, int count)
{
	size_t length = journal->broken ? 0 : put(journal->file, journal->size, record, parts, count);

	if (!length) {
		/* a part of it may be there, and is what the next one would be taken for */
		journal->broken |= ftruncate(journal->file, (off_t)journal->size) != 0;
		return false;
	}
	if (!synced(journal->file)) {
		journal->broken = true;
		return false;
	}
	journal->size += length;
	return true;
}

/* Have room for one more record in memory. */
static bool reserve(struct journal *journal)
{
	size_t room = journal->room ? 2 * journal->room : 64;
	void *more;

	if (journal->count < journal->room)
		return true;
	if (journal->count == JOURNAL_RECORDS || !(more = realloc(journal->records, room * sizeof(*journal->records))))
		return false;
	journal->records = more;
	journal->room = room;
	return true;
}

static void note(struct journal *journal, uint64_t at, uint64_t length, uint64_t place, uint64_t other)
{
	if (!journal->count || journal->end != at)
		journal->from = at;
	journal->records[journal->count++] = (struct journal_record){ at, length, place };
	journal->end = at + length;
	journal->other = other;
}

/* Write a new file with a head, and the ends that are known, next to the old one. Returns it; -1: it cannot. */
static int write_new(struct journal *journal, const char *name, const void *head, size_t bytes, uint64_t *size)
{
	const struct iovec part = { (void *)(uintptr_t)head, bytes };
	int file = openat(journal->folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t length;
	bool good;

	if (file < 0)
		return -1;
	length = put(file, 0, (struct record){ .kind = HEAD }, &part, 1);
	*size = length + sizeof(struct seal);
	good = length && put_seal(journal, file, *size);
	for (unsigned int flow = 0; good && flow < JOURNAL_FLOWS; flow++) {
		if (!journal->ended[flow])
			continue;
		length = put(file, *size, (struct record){ .kind = END, .flow = flow, .at = journal->ends[flow] }, NULL, 0);
		*size += length;
		good = length;
	}
	if (good && !fsync(file))
		return file;
	close(file);
	unlinkat(journal->folder, name, 0);
	return -1;
}

/* Put a new file in the old one's place, if there is one. False: it cannot. */
static bool replace(struct journal *journal, const void *head, size_t bytes)
{
	char name[sizeof(journal->name) + 4];
	uint64_t size;
	int file;

	snprintf(name, sizeof(name), "%s.new", journal->name);
	journal->head = bytes;
	file = write_new(journal, name, head, bytes, &size);
	if (file < 0)
		return false;
	if (renameat(journal->folder, name, journal->folder, journal->name)) {
		close(file);
		unlinkat(journal->folder, name, 0);
		return false;
	}
	if (journal->file >= 0)
		close(journal->file);
	journal->file = file;
	journal->size = size;
	journal->count = 0;
	journal->broken = fsync(journal->folder) != 0; /* the old one may come back: both are right until something is added */
	return true;
}

bool journal_create(struct journal *journal, int folder, const char *name, unsigned int flow, const void *head,
		    size_t bytes)
{
	*journal = (struct journal){ .folder = folder, .file = -1, .flow = flow };
	snprintf(journal->name, sizeof(journal->name), "%s", name);
	if (!replace(journal, head, bytes))
		return false;
	if (!journal->broken)
		return true;
	journal_remove(journal);
	return false;
}

bool journal_renew(struct journal *journal, const void *head, size_t bytes)
{
	return replace(journal, head, bytes);
}

/* Read and check a record, with the bytes of a head. False: it is not whole. */
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

/* Compare what is there with the seal, and cut what is torn. */
static void check_seal(struct journal *journal)
{
	struct seal seal;
	struct stat about;
	bool right = pread(journal->file, &seal, sizeof(seal), (off_t)(sizeof(struct record) + journal->head)) ==
			     sizeof(seal) &&
		     crc(0, &seal, offsetof(struct seal, sum)) == seal.sum;

	if (fstat(journal->file, &about) || (!right && (uint64_t)about.st_size != journal->size))
		seal = (struct seal){ .size = UINT64_MAX, .end = UINT64_MAX };
	else if (!right)
		seal = (struct seal){ .size = journal->size, .end = last(journal) };
	journal->damaged = journal->size < seal.size;
	journal->sealed_end = seal.end;
	journal->sealed_fin = seal.fin;
	journal->broken = journal->damaged || ftruncate(journal->file, (off_t)journal->size);
}

enum journal_opened journal_open(struct journal *journal, int folder, const char *name, unsigned int flow, void *head,
				 size_t bytes)
{
	struct record record = { .kind = 0 };
	struct stat about;

	*journal = (struct journal){ .folder = folder, .head = bytes, .flow = flow };
	snprintf(journal->name, sizeof(journal->name), "%s", name);
	journal->file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (journal->file < 0)
		return JOURNAL_FAILED;
	errno = 0;
	if (fstat(journal->file, &about) || !S_ISREG(about.st_mode) || !get(journal, 0, &record, head, bytes) ||
	    record.kind != HEAD || record.length != bytes) {
		close(journal->file);
		return errno ? JOURNAL_FAILED : JOURNAL_NONE;
	}
	journal->size = sizeof(record) + bytes + sizeof(struct seal);
	while (get(journal, journal->size, &record, NULL, 0) && record.flow < JOURNAL_FLOWS) {
		if (record.kind == BYTES && !reserve(journal)) {
			journal_close(journal);
			return JOURNAL_FAILED;
		}
		if (record.kind == BYTES)
			note(journal, record.at, record.length, journal->size + sizeof(record), record.other);
		if (record.kind == END) {
			journal->ended[record.flow] = true;
			journal->ends[record.flow] = record.at;
		}
		journal->size += sizeof(record) + record.length;
	}
	check_seal(journal);
	return JOURNAL_OPENED;
}

bool journal_add(struct journal *journal, uint64_t at, const struct iovec *parts, int count, uint64_t other)
{
	uint64_t place = journal->size + sizeof(struct record), length = 0;

	for (int i = 0; i < count; i++)
		length += parts[i].iov_len;
	if (!reserve(journal) ||
	    !add(journal, (struct record){ .kind = BYTES, .flow = journal->flow, .at = at, .other = other }, parts, count))
		return false;
	note(journal, at, length, place, other);
	put_seal(journal, journal->file, journal->size);
	return true;
}

bool journal_add_end(struct journal *journal, unsigned int flow, uint64_t at)
{
	if (journal->ended[flow])
		return true;
	if (!add(journal, (struct record){ .kind = END, .flow = flow, .at = at }, NULL, 0))
		return false;
	journal->ended[flow] = true;
	journal->ends[flow] = at;
	put_seal(journal, journal->file, journal->size);
	return true;
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
