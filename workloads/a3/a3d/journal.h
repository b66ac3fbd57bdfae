/* SPDX-License-Identifier: MIT */
/*
 * Bytes of a connection on disk, which were acknowledged and not delivered: a file of records, each with its length and a
 * CRC-32C. It only grows. When nothing in it is needed, another file takes its place, by one call (rename).
 *
 * What this says is there is synced: what is written and not synced yet is known to nobody. After a sync that has failed,
 * nothing is added to that file any more.
 *
 * The file begins with a record about the connection, which is the owner's. Then come two things that are written over, so
 * that a full disk takes them: a seal, which says how much of the file was synced, and the owner's numbers, which only grow,
 * with the ends of flows. Records that are torn behind
 * what is sealed are cut off when the file is opened. Ones that are not whole before it were damaged.
 *
 * Bytes are counted as in half.h.
 */
#ifndef A3D_JOURNAL_H
#define A3D_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum {
	JOURNAL_NAME = 96,
	JOURNAL_HEAD = 384, /* bytes of the owner's record at most: what is written over is in the first sector then */
	JOURNAL_FLOWS = 2, /* directions that have an end */
	JOURNAL_RECORDS = 1 << 16, /* at most */
	JOURNAL_RECORD = 1 << 15, /* bytes of one; what is read is checked as a whole */
};

struct journal_record {
	uint64_t at, length; /* its bytes */
	uint64_t place; /* of the first one, in the file */
};

struct journal {
	int folder, file;
	char name[JOURNAL_NAME];
	size_t head; /* bytes of the owner's record */
	unsigned int flow; /* whose bytes are stored */
	uint64_t size; /* of the file */
	uint64_t from, end; /* its last bytes without a gap; what was in a gap had been delivered */
	bool ended[JOURNAL_FLOWS]; /* a FIN is behind the byte before these */
	uint64_t ends[JOURNAL_FLOWS];
	uint64_t numbers[JOURNAL_FLOWS]; /* the owner sets them; they are written with what is added next */
	uint64_t noted[JOURNAL_FLOWS]; /* that are synced */
	bool broken; /* nothing is added any more */
	bool damaged; /* something is missing that was synced: bytes up to here, and a FIN */
	uint64_t sealed_end;
	bool sealed_fin;
	struct journal_record *records;
	size_t count, room;
	uint8_t *read; /* the bytes of the record that was read last */
	size_t which; /* its number, from 1; 0: none */
};

/* Make a file for the bytes of a flow, and sync it. False: it cannot, and there is none. */
bool journal_create(struct journal *journal, int folder, const char *name, unsigned int flow, const void *head,
		    size_t bytes);

/* Open one that an ended program has left; cut what is torn. False: it cannot be read, or its head is damaged. */
bool journal_open(struct journal *journal, int folder, const char *name, unsigned int flow, void *head, size_t bytes);

/* Put another file in its place, with another head and without bytes. False: it cannot, and the old one is there. */
bool journal_renew(struct journal *journal, const void *head, size_t bytes);

/* Add bytes, in two parts, or the end of a flow, or only write the numbers, and sync it. False: it cannot. */
bool journal_add(struct journal *journal, uint64_t at, const struct iovec parts[2]);
bool journal_add_end(struct journal *journal, unsigned int flow, uint64_t at);
bool journal_note(struct journal *journal);

/* Read bytes. False: not all are there, or not as they were written. */
bool journal_read(struct journal *journal, uint64_t at, uint8_t *bytes, size_t length);

void journal_close(struct journal *journal);
void journal_remove(struct journal *journal);

#endif
