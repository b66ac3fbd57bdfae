/* SPDX-License-Identifier: MIT */
/*
 * Bytes of a connection on disk, which were acknowledged and not delivered: a file of records, each with its length and a
 * CRC-32C. What is synced survives the program; a torn record at the end of the file is cut off.
 *
 * It only grows, until nothing in it is needed; then it begins again.
 *
 * It begins with a record about the connection, which is the owner's. Bytes are counted as in half.h.
 */
#ifndef A3D_JOURNAL_H
#define A3D_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct journal_record {
	uint64_t at, length; /* its bytes */
	uint64_t place; /* of the first one, in the file */
};

struct journal {
	int folder, file;
	char name[64];
	uint64_t size; /* of the file, all records whole */
	uint64_t from, end; /* its last bytes without a gap; what was in a gap had been delivered */
	bool finished; /* a FIN follows them */
	struct journal_record *records;
	size_t count, room;
};

/* Make a file, and sync it. False: it cannot, and there is none. */
bool journal_create(struct journal *journal, int folder, const char *name, const void *head, size_t bytes);

/* Open one that an ended program has left; cut what is torn. False: it has no whole head, or one of another length. */
bool journal_open(struct journal *journal, int folder, const char *name, void *head, size_t bytes);

/* Begin the file again with another head, when nothing in it is needed. */
bool journal_restart(struct journal *journal, const void *head, size_t bytes);

/* Add bytes, in one or two parts, or a FIN; sync what was added. False: it cannot (a full disk), and nothing was added. */
bool journal_append(struct journal *journal, uint64_t at, const struct iovec *parts, int count);
bool journal_finish(struct journal *journal);
bool journal_sync(struct journal *journal);

/* Read bytes. False: not all are there. */
bool journal_read(const struct journal *journal, uint64_t at, uint8_t *bytes, size_t length);

void journal_close(struct journal *journal);
void journal_remove(struct journal *journal);

#endif
