/* SPDX-License-Identifier: MIT */
/* A recorded or synthetic walk: a CSV file "time_s,latitude_deg,longitude_deg"; # starts a comment line. */
#ifndef TRACE_H
#define TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "track.h"

struct trace {
	struct track_point *points;
	size_t count;
	uint64_t interval_ns; /* between points; the same everywhere */
};

/* Reads a file. On an error, exits with a message that names the line. */
struct trace trace_load(const char *path);
void trace_free(struct trace *trace);

#endif
