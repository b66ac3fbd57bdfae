/* SPDX-License-Identifier: MIT */
/* Reads traces from CSV files. */
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"

static const char HEADER[] = "time_s,latitude_deg,longitude_deg";

/* Times in the file are decimal: tolerance for rounding, in s. */
static const double TOLERANCE_S = 1e-6;

static void add(struct trace *trace, const struct track_point *point)
{
	struct track_point *larger = realloc(trace->points, (trace->count + 1) * sizeof(*larger));

	if (!larger)
		fail("reading a trace", SAP_ERR_MEMORY);
	trace->points = larger;
	trace->points[trace->count++] = *point;
}

/* Reads a line with a point, and checks that all points are equally spaced in time. */
static void read_point(struct trace *trace, const char *path, unsigned int number, const char *line, double *first_s)
{
	struct track_point point;
	double time_s, interval_s;
	char rest;

	if (sscanf(line, "%lf,%lf,%lf %c", &time_s, &point.latitude_deg, &point.longitude_deg, &rest) != 3)
		refuse("%s:%u: must be a time, a latitude and a longitude, for example 12,51.5,-0.12", path, number);
	if (!(fabs(point.latitude_deg) <= 90 && fabs(point.longitude_deg) <= 180))
		refuse("%s:%u: not on earth: latitude must be -90 to 90, longitude -180 to 180", path, number);
	if (!trace->count) {
		*first_s = time_s;
	} else if (trace->count == 1) {
		if (!(time_s - *first_s >= 1e-3 && time_s - *first_s <= 86400))
			refuse("%s:%u: points must be 1 ms to 1 day apart", path, number);
		trace->interval_ns = (uint64_t)llround((time_s - *first_s) * 1e9);
	} else {
		interval_s = (double)trace->interval_ns / 1e9;
		if (!(fabs(time_s - *first_s - (double)trace->count * interval_s) <= TOLERANCE_S))
			refuse("%s:%u: all points must be as far apart as the first two, %g s", path, number,
			       interval_s);
	}
	add(trace, &point);
}

struct trace trace_load(const char *path)
{
	struct trace trace = { NULL, 0, 0 };
	FILE *file = fopen(path, "r");
	char line[256];
	unsigned int number = 0;
	bool has_header = false;
	double first_s = 0;

	if (!file)
		fail_errno(path);
	while (fgets(line, sizeof(line), file)) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (!line[0] || line[0] == '#')
			continue;
		if (has_header)
			read_point(&trace, path, number, line, &first_s);
		else if (strcmp(line, HEADER))
			refuse("%s:%u: the first line must be %s", path, number, HEADER);
		has_header = true;
	}
	if (ferror(file))
		fail_errno(path);
	fclose(file);
	if (trace.count < 2)
		refuse("%s: a trace needs at least two points", path);
	return trace;
}

void trace_free(struct trace *trace)
{
	free(trace->points);
	*trace = (struct trace){ NULL, 0, 0 };
}
