/* SPDX-License-Identifier: MIT */
/*
 * Which datagrams of a file have come, whether they fit its length, and how they differ from what was sent.
 *
 * The n-th datagram holds the bytes from n * SAP_PAYLOAD_BYTES on; only the last may be shorter.
 */
#ifndef SAP_GET_DATAGRAMS_H
#define SAP_GET_DATAGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest file: a server that announces more errs, or wants to fill the disk. */
#define DATAGRAMS_FILE_BYTES_MAX (UINT64_C(1) << 32)

struct datagrams {
	uint8_t *seen;	  /* bits */
	size_t seen_bytes;
	uint64_t count;
	uint64_t bytes;
	uint64_t end;	  /* of the file, as far as is known from them */
	uint64_t short_end; /* end of one that was shorter; 0: none */
	bool two_short;
};

enum datagrams_verdict { DATAGRAMS_NEW, DATAGRAMS_AGAIN, DATAGRAMS_TOO_FAR, DATAGRAMS_MEMORY };

/* A datagram has come. */
enum datagrams_verdict datagrams_add(struct datagrams *datagrams, uint32_t number, size_t length);

/* Whether all that came can be of a file of that length; *lost: how many of it did not come. */
bool datagrams_fit(const struct datagrams *datagrams, uint64_t length, uint64_t *lost);

/* Differences within the datagrams that came. */
struct differences {
	int64_t bits, bytes;		/* that are wrong */
	int64_t datagrams, datagram_bytes; /* with at least one wrong bit; all bytes of those */
};

/* Compares a descriptor with a file, both of that many bytes. -1: errno says why (0: the file has another length). */
int datagrams_compare(const struct datagrams *datagrams, int fd, const char *path, uint64_t length,
		      struct differences *differences);

void datagrams_free(struct datagrams *datagrams);

#endif
