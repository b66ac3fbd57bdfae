/* SPDX-License-Identifier: MIT */
/*
 * Keeps track of the datagrams of a file: which have been received, whether they fit its length, and how they differ
 * from the original.
 *
 * Datagram n holds the bytes from n * SAP_PAYLOAD_BYTES on; only the last may be shorter.
 */
#ifndef SAP_GET_DATAGRAMS_H
#define SAP_GET_DATAGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest file accepted: a server that announces more is faulty, or wants to fill the disk. */
#define DATAGRAMS_FILE_BYTES_MAX (UINT64_C(1) << 32)

struct datagrams {
	uint8_t *seen;	  /* bitmap of received datagrams */
	size_t seen_bytes;
	uint64_t count;	  /* received datagrams */
	uint64_t bytes;	  /* in them */
	uint64_t end;	  /* largest offset received + 1 */
	uint64_t short_end; /* end of a datagram shorter than the others; 0: none */
	bool two_short;	  /* more than one was shorter */
};

enum datagrams_verdict { DATAGRAMS_NEW, DATAGRAMS_AGAIN, DATAGRAMS_TOO_FAR, DATAGRAMS_MEMORY };

/* Records a received datagram. */
enum datagrams_verdict datagrams_add(struct datagrams *datagrams, uint32_t number, size_t length);

/* Whether the received datagrams fit a file of this length. *lost: number of its datagrams not received. */
bool datagrams_fit(const struct datagrams *datagrams, uint64_t length, uint64_t *lost);

/* Differences within the received datagrams. */
struct differences {
	int64_t bits, bytes;		/* wrong bits, wrong bytes */
	int64_t datagrams, datagram_bytes; /* damaged datagrams (at least one wrong bit), and all their bytes */
};

/*
 * Compares the descriptor fd with the file at path, both of length bytes. Returns 0, or -1 and sets errno; errno is 0
 * if the file has another length.
 */
int datagrams_compare(const struct datagrams *datagrams, int fd, const char *path, uint64_t length,
		      struct differences *differences);

void datagrams_free(struct datagrams *datagrams);

#endif
