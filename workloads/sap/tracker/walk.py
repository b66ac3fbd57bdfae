#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates walk.csv: a synthetic walk around a campus. It contains no data of any person or GPS receiver.

The paper's trace (945 positions of a phone, mean speed 1.56 m/s; section 4.4) is not published. This one has the same
number of points and the same mean speed, with one point per second. Somebody walks along the paths of a campus, slows
down at corners, and stops there now and then. A slowly varying position error, like that of GPS, is added. All random
numbers come from one seed. Finally the walk is scaled about the origin to a mean speed of 1.56 m/s, computed as the
tracker does (track.h): the mean over all intervals of great-circle distance divided by interval.

    python3 walk.py > walk.csv        writes the same bytes again
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence
from itertools import pairwise

SEED = 945
POINTS = 945
INTERVAL_S = 1.0
MEAN_M_S = 1.56
EARTH_RADIUS_M = 6371008.8  # TRACK_EARTH_RADIUS_M of track.h
ORIGIN_DEG = (45.0, 10.0)
DECIMALS = 9  # of degrees: 0.1 mm

# corners of paths between buildings, m east and north of the origin, walked in this order, again and again
PATHS_M = [(0, 0), (120, 0), (120, 65), (205, 65), (240, 110), (240, 210), (150, 240), (60, 240), (60, 150), (-40, 130),
           (-95, 60), (-95, -45), (-20, -80), (70, -80), (70, -30), (0, -30)]  # fmt: skip
PACE_M_S = 1.7  # away from corners
PACE_WANDER_M_S = 0.25  # standard deviation of the pace
PACE_MEMORY_S = 12.0
TURN_PACE = 0.6  # factor on the pace within TURN_M of a corner
TURN_M = 3.0
STOP_PROBABILITY = 0.3  # at a corner
STOP_S = (6, 30)
GPS_ERROR_M = 2.0  # standard deviation of each coordinate
GPS_MEMORY_S = 120.0  # so the error changes by only 0.26 m per second

Position = tuple[float, float]


def wander(rng: random.Random, previous: float, deviation: float, memory_s: float) -> float:
    """Return the next value of a Gauss-Markov process around 0."""
    keep = math.exp(-INTERVAL_S / memory_s)
    return keep * previous + rng.gauss(0.0, deviation * math.sqrt(1 - keep * keep))


def true_positions(rng: random.Random) -> list[Position]:
    """Return the position of the walker at each second, in m east and north."""
    positions: list[Position] = []
    corner, along_m, stop_s, pace_off = 0, 0.0, 0, 0.0
    while len(positions) < POINTS:
        start, end = PATHS_M[corner % len(PATHS_M)], PATHS_M[(corner + 1) % len(PATHS_M)]
        length_m = math.dist(start, end)
        share = along_m / length_m
        positions.append((start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])))
        pace_off = wander(rng, pace_off, PACE_WANDER_M_S, PACE_MEMORY_S)
        if stop_s:
            stop_s -= 1
            continue
        near = min(along_m, length_m - along_m) < TURN_M
        along_m += max(0.3, PACE_M_S + pace_off) * (TURN_PACE if near else 1.0) * INTERVAL_S
        if along_m >= length_m:
            corner, along_m = corner + 1, 0.0
            stop_s = rng.randint(*STOP_S) if rng.random() < STOP_PROBABILITY else 0
    return positions


def measured_positions(rng: random.Random, positions: Sequence[Position]) -> list[Position]:
    """Return the positions that a GPS receiver would measure, with its error."""
    measured: list[Position] = []
    east = north = 0.0
    for position in positions:
        east = wander(rng, east, GPS_ERROR_M, GPS_MEMORY_S)
        north = wander(rng, north, GPS_ERROR_M, GPS_MEMORY_S)
        measured.append((position[0] + east, position[1] + north))
    return measured


def degrees(positions: Sequence[Position], scale: float) -> list[Position]:
    """Convert positions on the plane tangent to the earth at the origin to rounded latitude and longitude."""
    latitude, longitude = ORIGIN_DEG
    metre_deg = math.degrees(1 / EARTH_RADIUS_M)
    narrow = math.cos(math.radians(latitude))
    return [
        (
            round(latitude + scale * north * metre_deg, DECIMALS),
            round(longitude + scale * east * metre_deg / narrow, DECIMALS),
        )
        for east, north in positions
    ]


def distance_m(start: Position, end: Position) -> float:
    """Return the great-circle distance (haversine formula), as track_distance_m() does."""
    north = math.sin(math.radians(end[0] - start[0]) / 2)
    east = math.sin(math.radians(end[1] - start[1]) / 2)
    a = north * north + math.cos(math.radians(start[0])) * math.cos(math.radians(end[0])) * east * east
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(min(a, 1.0)))


def mean_speed_m_s(points: Sequence[Position]) -> float:
    """Return the mean of the speeds of all intervals."""
    speeds = [distance_m(start, end) / INTERVAL_S for start, end in pairwise(points)]
    return math.fsum(speeds) / len(speeds)


def walk(seed: int = SEED) -> list[Position]:
    """Return the points: latitude and longitude in degrees."""
    rng = random.Random(seed)
    positions = measured_positions(rng, true_positions(rng))
    low, high = 0.1, 10.0
    for _ in range(60):  # bisection; more steps would not change the digits written
        middle = (low + high) / 2
        if mean_speed_m_s(degrees(positions, middle)) < MEAN_M_S:
            low = middle
        else:
            high = middle
    return degrees(positions, high)


def main() -> None:
    """Write the file."""
    points = walk()
    lines = [
        "# SPDX-License-Identifier: MIT",
        f"# Synthetic: made by walk.py, seed {SEED}. {POINTS} points, mean speed {MEAN_M_S} m/s.",
        "time_s,latitude_deg,longitude_deg",
    ]
    for number, (latitude, longitude) in enumerate(points):
        lines.append(f"{number * INTERVAL_S:g},{latitude:.{DECIMALS}f},{longitude:.{DECIMALS}f}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
