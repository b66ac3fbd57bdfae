/* SPDX-License-Identifier: MIT */
/*
 * Writes a file whose parts arrive in any order. Missing parts are zero.
 *
 * Regular files are written in place. Standard output, pipes and devices cannot be, and headers (--include) must come
 * first: for these the data is collected in memory and copied when it is complete.
 */
#ifndef SAP_GET_SINK_H
#define SAP_GET_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink {
	const char *path; /* NULL: standard output */
	int fd;
	bool copied;	/* collected in memory, copied in the end */
	uint64_t size;	/* end of the data written so far */
};

/* These return false and set errno on error. path: NULL or "-": standard output. copied: collect in memory anyway. */
bool sink_open(struct sink *sink, const char *path, bool copied);
bool sink_write(struct sink *sink, uint64_t offset, const void *data, size_t length);
/* Sets the length of the file; if the data was collected in memory, writes the headers and the data to path. */
bool sink_finish(struct sink *sink, uint64_t length, const char *headers, size_t headers_length);
void sink_close(struct sink *sink);

#endif
