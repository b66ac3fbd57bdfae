/* SPDX-License-Identifier: MIT */
/*
 * Computes speed from positions, as the paper's Tracker (sections 4.1 and 4.4): "a receiver calculates the cumulative
 * moving average of the sensor's speed with each update", and "if the calculated speed is beyond a reasonable bound, it
 * discards the current distance and speed figures and attempts to interpolate later on".
 *
 * Interpretation. Each point is some number of intervals and some distance away from the last valid one. If this gives
 * a speed above the bound, or the point is not on earth, the point is discarded, but its interval still counts as
 * waiting. At the next valid point, the distance from the last valid one is spread evenly over all waiting intervals:
 * the average includes the speed once for each of them. So the average is the length of the path through all valid
 * points, divided by the time that the receiver believes has passed.
 *
 * Lost points. With the paper's API a receiver cannot detect a lost datagram. It takes each point to be one interval
 * after the previous one to arrive, so after a loss the distance of two intervals counts as that of one. This
 * overestimates the speed, as the paper found ("this interpolation tends to overestimate the speed"; by 83 % where over
 * half of the values were lost). That is TRACK_IGNORE_GAPS. TRACK_COUNT_GAPS goes beyond the paper: libsap provides the
 * number of each datagram, so the receiver knows how many intervals have passed.
 */
#ifndef TRACK_H
#define TRACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Bound of plausible speeds, in m/s: the fastest 20 m of Usain Bolt's 100 m in Berlin, 2009, 60 m to 80 m in 1.61 s
 * (R. Graubner, E. Nixdorf: Biomechanical analysis of the sprint and hurdles events at the 2009 IAAF World
 * Championships in Athletics, New Studies in Athletics 26, 2011). The paper gives no number: "the maximum running speed
 * of an Olympic sprinting medalist".
 */
#define TRACK_SPEED_MOST_M_S 12.42

/* Mean radius of the earth, m (R1 of the IUGG, for WGS 84). */
#define TRACK_EARTH_RADIUS_M 6371008.8

/* Wire format of a point: latitude and longitude, IEEE 754 binary64, network byte order. */
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

	struct track_point last; /* last valid point */
	bool begun;	    /* there was a valid point */
	uint64_t next;	    /* expected number of the next point */
	uint64_t waiting;   /* intervals since the last valid point */
	uint64_t intervals; /* included in the average */
	double average_m_s; /* cumulative moving average of the speed */
	double distance_m;  /* length of the path through all valid points */

	uint64_t taken;		   /* valid points */
	uint64_t discarded_place;  /* not finite, or not on earth */
	uint64_t discarded_speed;  /* too far away: too fast */
	uint64_t discarded_stale;  /* older than a point received before */
};

void track_init(struct track *track, double interval_s, enum track_gaps gaps);

/* Updates the track with a point of the trace, numbered from 0. Returns whether the point was valid. */
bool track_update(struct track *track, uint64_t number, const struct track_point *point);

#endif
