/* SPDX-License-Identifier: MIT */
/* Computes speed from positions. */
#define _DEFAULT_SOURCE /* M_PI */
#include "track.h"

#include <math.h>
#include <string.h>

#include "bytes.h"

static void put_double(uint8_t *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	sap_put_be(to, bits, sizeof(bits));
}

static double get_double(const uint8_t *from)
{
	const uint64_t bits = sap_get_be(from, sizeof(bits));
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

void track_point_pack(const struct track_point *point, uint8_t to[TRACK_POINT_BYTES])
{
	put_double(to, point->latitude_deg);
	put_double(to + 8, point->longitude_deg);
}

struct track_point track_point_unpack(const uint8_t from[TRACK_POINT_BYTES])
{
	return (struct track_point){ get_double(from), get_double(from + 8) };
}

static double radians(double degrees)
{
	return degrees * (M_PI / 180);
}

double track_distance_m(const struct track_point *from, const struct track_point *to)
{
	const double north = sin(radians(to->latitude_deg - from->latitude_deg) / 2);
	const double east = sin(radians(to->longitude_deg - from->longitude_deg) / 2);
	const double a = north * north + cos(radians(from->latitude_deg)) * cos(radians(to->latitude_deg)) * east * east;

	return 2 * TRACK_EARTH_RADIUS_M * asin(sqrt(a < 1 ? a : 1));
}

void track_init(struct track *track, double interval_s, enum track_gaps gaps)
{
	*track = (struct track){ .interval_s = interval_s, .speed_most_m_s = TRACK_SPEED_MOST_M_S, .gaps = gaps };
}

static bool on_earth(const struct track_point *point)
{
	/* also false for NaN */
	return point->latitude_deg >= -90 && point->latitude_deg <= 90 && point->longitude_deg >= -180 &&
	       point->longitude_deg <= 180;
}

static void add_point(struct track *track, const struct track_point *point, double distance_m)
{
	const double speed_m_s = distance_m / ((double)track->waiting * track->interval_s);

	track->last = *point;
	track->distance_m += distance_m;
	track->intervals += track->waiting;
	track->average_m_s += (speed_m_s - track->average_m_s) * (double)track->waiting / (double)track->intervals;
	track->waiting = 0;
	track->taken++;
}

bool track_update(struct track *track, uint64_t number, const struct track_point *point)
{
	double distance_m;

	if (number < track->next) {
		track->discarded_stale++;
		return false;
	}
	if (track->begun)
		track->waiting += track->gaps == TRACK_COUNT_GAPS ? number - track->next + 1 : 1;
	track->next = number + 1;
	if (!on_earth(point)) {
		track->discarded_place++;
		return false;
	}
	if (!track->begun) {
		track->begun = true;
		track->last = *point;
		track->taken++;
		return true;
	}
	distance_m = track_distance_m(&track->last, point);
	if (distance_m > track->speed_most_m_s * (double)track->waiting * track->interval_s) {
		track->discarded_speed++;
		return false;
	}
	add_point(track, point, distance_m);
	return true;
}
