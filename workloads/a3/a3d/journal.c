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
	HEAD = 0x61336833, /* "a3h3": records' kinds, and the version of their format */
	BYTES = 0x61336232,

	RECORD_MOST = JOURNAL_RECORD, /* bytes; a head has fewer */
};

struct record {
	uint32_t kind, length;
	uint64_t at;
	uint32_t flow;
	uint32_t sum; /* CRC-32C of what is before, and of the bytes */
};

/* What was synced. It is written when that is done, and not synced itself, so it may be of an earlier sync. */
struct seal {
	uint64_t size, end;
	uint32_t fin;
	uint32_t sum;
};

/* The owner's numbers, and where flows end; no end: UINT64_MAX. */
struct numbers {
	uint64_t of[JOURNAL_FLOWS], ends[JOURNAL_FLOWS];
	uint32_t sum, none;
};

enum {
	AFTER_HEAD = sizeof(struct seal) + sizeof(struct numbers),
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

/* Write the owner's numbers and the ends that are known, which count when they are synced. */
static bool put_numbers(const struct journal *journal, int file)
{
	struct numbers numbers = { .none = 0 };

	memcpy(numbers.of, journal->numbers, sizeof(numbers.of));
	for (unsigned int flow = 0; flow < JOURNAL_FLOWS; flow++)
		numbers.ends[flow] = journal->ended[flow] ? journal->ends[flow] : UINT64_MAX;
	numbers.sum = crc(0, &numbers, offsetof(struct numbers, sum));
	return pwrite(file, &numbers, sizeof(numbers),
		      (off_t)(sizeof(struct record) + journal->head + sizeof(struct seal))) == sizeof(numbers);
}

/* Take bytes from the front of two parts. Returns how many of `taken` there are. */
static int take(struct iovec parts[2], size_t bytes, struct iovec taken[2])
{
	int count = 0;

	for (int i = 0; i < 2 && bytes; i++) {
		size_t some = parts[i].iov_len < bytes ? parts[i].iov_len : bytes;

		if (!some)
			continue;
		taken[count++] = (struct iovec){ parts[i].iov_base, some };
		parts[i] = (struct iovec){ (uint8_t *)parts[i].iov_base + some, parts[i].iov_len - some };
		bytes -= some;
	}
	return count;
}

/* Sync what was written, and the numbers if they were. */
static bool sync_all(struct journal *journal, bool numbers)
{
	if (!synced(journal->file)) {
		journal->broken = true;
		return false;
	}
	if (numbers)
		memcpy(journal->noted, journal->numbers, sizeof(journal->noted));
	return true;
}

/* Add bytes, in records, and sync that. False: it cannot, and nothing was added. */
static bool add(struct journal *journal, struct record record, const struct iovec *parts, size_t length)
{
	struct iovec left[2] = { { NULL, 0 } }, some[2];
	uint64_t size = journal->size;

	if (journal->broken)
		return false;
	if (length)
		memcpy(left, parts, sizeof(left));
	do {
		size_t bytes = length < JOURNAL_RECORD ? length : JOURNAL_RECORD;
		size_t written = put(journal->file, size, record, some, take(left, bytes, some));

		if (!written) {
			/* a part of it may be there, and is what the next one would be taken for */
			journal->broken = ftruncate(journal->file, (off_t)journal->size) != 0;
			return false;
		}
		size += written;
		record.at += bytes;
		length -= bytes;
	} while (length);
	if (!sync_all(journal, put_numbers(journal, journal->file)))
		return false;
	journal->size = size;
	return true;
}

/* Have room for more records in memory. */
static bool reserve(struct journal *journal, size_t records)
{
	size_t room = 2 * (journal->room + records);
	void *more;

	if (journal->count + records <= journal->room)
		return true;
	if (journal->count + records > JOURNAL_RECORDS || !(more = realloc(journal->records, room * sizeof(*journal->records))))
		return false;
	journal->records = more;
	journal->room = room;
	return true;
}

static void note(struct journal *journal, uint64_t at, uint64_t length, uint64_t place)
{
	if (!journal->count || journal->end != at)
		journal->from = at;
	journal->records[journal->count++] = (struct journal_record){ at, length, place };
	journal->end = at + length;
}

/* Write a new file with a head next to the old one. Returns it; -1: it cannot. */
static int write_new(struct journal *journal, const char *name, const void *head, size_t bytes, uint64_t *size)
{
	const struct iovec part = { (void *)(uintptr_t)head, bytes };
	int file = openat(journal->folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t length;
	bool good;

	if (file < 0)
		return -1;
	length = put(file, 0, (struct record){ .kind = HEAD }, &part, 1);
	*size = length + AFTER_HEAD;
	good = length && put_seal(journal, file, *size) && put_numbers(journal, file);
	if (good && !fsync(file))
		return file;
	close(file);
	unlinkat(journal->folder, name, 0);
	return -1;
}

/* Put a new file in the old one's place, if there is one. False: it cannot. */
static bool replace(struct journal *journal, const void *head, size_t bytes)
{
	char name[sizeof(journal->name) + sizeof(".new")];
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
	journal->count = journal->which = 0;
	memcpy(journal->noted, journal->numbers, sizeof(journal->noted));
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

static void get_numbers(struct journal *journal)
{
	struct numbers numbers;

	if (pread(journal->file, &numbers, sizeof(numbers),
		  (off_t)(sizeof(struct record) + journal->head + sizeof(struct seal))) == sizeof(numbers) &&
	    crc(0, &numbers, offsetof(struct numbers, sum)) == numbers.sum) {
		memcpy(journal->numbers, numbers.of, sizeof(numbers.of));
		memcpy(journal->noted, numbers.of, sizeof(numbers.of));
		memcpy(journal->ends, numbers.ends, sizeof(numbers.ends));
		for (unsigned int flow = 0; flow < JOURNAL_FLOWS; flow++)
			journal->ended[flow] = numbers.ends[flow] != UINT64_MAX;
	}
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

bool journal_open(struct journal *journal, int folder, const char *name, unsigned int flow, void *head, size_t bytes)
{
	struct record record = { .kind = 0 };
	struct stat about;

	*journal = (struct journal){ .folder = folder, .head = bytes, .flow = flow };
	snprintf(journal->name, sizeof(journal->name), "%s", name);
	journal->file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (journal->file < 0)
		return false;
	if (fstat(journal->file, &about) || !S_ISREG(about.st_mode) || !get(journal, 0, &record, head, bytes) ||
	    record.kind != HEAD || record.length != bytes) {
		close(journal->file);
		return false;
	}
	journal->size = sizeof(record) + bytes + AFTER_HEAD;
	get_numbers(journal);
	while (get(journal, journal->size, &record, NULL, 0) && record.flow < JOURNAL_FLOWS) {
		if (record.kind == BYTES && !reserve(journal, 1)) {
			journal_close(journal);
			return false;
		}
		if (record.kind == BYTES)
			note(journal, record.at, record.length, journal->size + sizeof(record));
		journal->size += sizeof(record) + record.length;
	}
	check_seal(journal);
	return true;
}

bool journal_add(struct journal *journal, uint64_t at, const struct iovec parts[2])
{
	uint64_t place = journal->size + sizeof(struct record);
	size_t length = parts[0].iov_len + parts[1].iov_len;

	if (!reserve(journal, length / JOURNAL_RECORD + 1) ||
	    !add(journal, (struct record){ .kind = BYTES, .flow = journal->flow, .at = at }, parts, length))
		return false;
	while (length) {
		size_t bytes = length < JOURNAL_RECORD ? length : JOURNAL_RECORD;

		note(journal, at, bytes, place);
		at += bytes;
		place += bytes + sizeof(struct record);
		length -= bytes;
	}
	put_seal(journal, journal->file, journal->size);
	return true;
}

bool journal_note(struct journal *journal)
{
	/* if it is broken as well: they are true in any case, if they come to be there */
	return put_numbers(journal, journal->file) && !journal->broken && sync_all(journal, true);
}

bool journal_add_end(struct journal *journal, unsigned int flow, uint64_t at)
{
	if (journal->ended[flow])
		return true;
	journal->ended[flow] = true;
	journal->ends[flow] = at;
	if (journal_note(journal)) {
		put_seal(journal, journal->file, journal->size);
		return true;
	}
	journal->ended[flow] = false;
	return false;
}

/* Read a record, and check it, unless it is the one that was read last. Its bytes are in journal->read then. */
static bool read_record(struct journal *journal, size_t which)
{
	struct record record;

	if (!journal->read && !(journal->read = malloc(JOURNAL_RECORD)))
		return false;
	if (journal->which == which + 1)
		return true;
	journal->which = 0;
	if (!get(journal, journal->records[which].place - sizeof(record), &record, journal->read, JOURNAL_RECORD) ||
	    record.at != journal->records[which].at || record.length != journal->records[which].length)
		return false;
	journal->which = which + 1;
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

bool journal_read(struct journal *journal, uint64_t at, uint8_t *bytes, size_t length)
{
	while (length) {
		const struct journal_record *record = with(journal, at);
		uint64_t here, some;

		if (!record || !read_record(journal, (size_t)(record - journal->records)))
			return false;
		here = at - record->at;
		some = record->length - here < length ? record->length - here : length;
		memcpy(bytes, journal->read + here, (size_t)some);
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
	free(journal->read);
	journal->records = NULL;
	journal->read = NULL;
}

void journal_remove(struct journal *journal)
{
	unlinkat(journal->folder, journal->name, 0);
	journal_close(journal);
}
