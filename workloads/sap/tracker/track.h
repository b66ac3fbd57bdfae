/* SPDX-License-Identifier: MIT */
/*
 * Speed from positions, after the paper's Tracker (sections 4.1 and 4.4): "a receiver calculates the cumulative moving
 * average of the sensor's speed with each update", and "if the calculated speed is beyond a reasonable bound, it
 * discards the current distance and speed figures and attempts to interpolate later on".
 *
 * How that is read here. Each point comes with a number of intervals since the last good one, and lies at some distance
 * of it. If that is a speed above the bound, or the point is none on earth, the point is discarded, and its interval
 * waits. At the next good point the distance since the last good one is spread evenly over all intervals that waited:
 * the average takes the speed once for each of them. So it is the length of the line through all good points, divided
 * by the time that the receiver believes has passed.
 *
 * Lost points. In the paper's API a receiver does not learn of a datagram that never came. So a point that arrives is
 * one interval after the one that arrived before, and after a loss the distance of two intervals is taken for that of
 * one: speeds are overestimated, as the paper found ("this interpolation tends to overestimate the speed"; 83 % too
 * much where over half of the values were lost). That is TRACK_IGNORE_GAPS. TRACK_COUNT_GAPS goes beyond it: libsap
 * tells the number of each datagram, so the receiver knows how many intervals have passed.
 */
#ifndef TRACK_H
#define TRACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Above this nobody runs, m/s: the fastest 20 m of Usain Bolt's 100 m in Berlin, 2009, 60 m to 80 m in 1.61 s
 * (R. Graubner, E. Nixdorf: Biomechanical analysis of the sprint and hurdles events at the 2009 IAAF World
 * Championships in Athletics, New Studies in Athletics 26, 2011). The paper names no number: "the maximum running speed
 * of an Olympic sprinting medalist".
 */
#define TRACK_SPEED_MOST_M_S 12.42

/* Mean radius of the earth, m (R1 of the IUGG, for WGS 84). */
#define TRACK_EARTH_RADIUS_M 6371008.8

/* Of a point on the wire: latitude and longitude, IEEE 754 binary64, network byte order. */
#define TRACK_POINT_BYTES 16

struct track_point {
	double latitude_deg; /* -90 to 90, north positive */
	double longitude_deg; /* -180 to 180, east positive */
};

void track_point_pack(const struct track_point *point, uint8_t to[TRACK_POINT_BYTES]);
struct track_point track_point_unpack(const uint8_t from[TRACK_POINT_BYTES]);

/* Great-circle distance in m (haversine formula). */
double track_distance_m(const struct track_point *from, const struct track_point *to);

enum track_gaps { TRACK_IGNORE_GAPS, TRACK_COUNT_GAPS };

struct track {
	double interval_s; /* between two points of the trace */
	double speed_most_m_s;
	enum track_gaps gaps;

	struct track_point last; /* good one */
	bool begun;
	uint64_t next;	    /* number that the next point should have */
	uint64_t waiting;   /* intervals since the last good point */
	uint64_t intervals; /* that the average is over */
	double average_m_s; /* cumulative moving average of the speed */
	double distance_m;  /* through all good points */

	uint64_t taken;		   /* points */
	uint64_t discarded_place;  /* not finite, or none on earth */
	uint64_t discarded_speed;  /* too far away */
	uint64_t discarded_stale;  /* older than one that came before */
};

void track_init(struct track *track, double interval_s, enum track_gaps gaps);

/* An update: point number `number` of the trace, from 0. Returns whether the point was taken. */
bool track_update(struct track *track, uint64_t number, const struct track_point *point);

#endif
