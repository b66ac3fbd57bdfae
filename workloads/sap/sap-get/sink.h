/* SPDX-License-Identifier: MIT */
/*
 * Where a file is written that comes in any order. What never comes stays zero.
 *
 * A file is written in place. Standard output, pipes and devices are not: datagrams come in any order, and headers
 * (--include) before all. So all is kept in memory and copied when it is complete.
 */
#ifndef SAP_GET_SINK_H
#define SAP_GET_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink {
	const char *path; /* NULL: standard output */
	int fd;
	bool copied;
	uint64_t size;	/* end of what was written so far */
};

/* Functions that fail leave errno. path: NULL or "-": standard output. copied: keep it in memory although it has a path. */
bool sink_open(struct sink *sink, const char *path, bool copied);
bool sink_write(struct sink *sink, uint64_t offset, const void *data, size_t length);
/* Makes it as long as the file is, and with a copy puts that, after the headers, where it belongs. */
bool sink_finish(struct sink *sink, uint64_t length, const char *headers, size_t headers_length);
void sink_close(struct sink *sink);

#endif
