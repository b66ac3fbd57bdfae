#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes walk.csv: a synthetic walk around a campus. No person and no receiver was ever involved.

The paper's trace (945 positions of a phone, mean speed 1.56 m/s; section 4.4) is not published. This one has the same
number of points and the same mean, a point a second: somebody walks along the paths of a campus, turns at corners,
slows down in curves, stops now and then (for a light, for a talk), and an error as of GPS is added that wanders slowly
around the true place. All is drawn from one seed. At last everything is scaled about the origin until the mean speed is
1.56 m/s by the formula that the tracker itself uses (track.h): the mean over all intervals of the great-circle distance
between points divided by the interval.

    python3 walk.py > walk.csv        write it again, with equal bytes
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

# corners of paths between buildings, m east and north of the origin; walked one after the other, again and again
PATHS_M = [(0, 0), (120, 0), (120, 65), (205, 65), (240, 110), (240, 210), (150, 240), (60, 240), (60, 150), (-40, 130),
           (-95, 60), (-95, -45), (-20, -80), (70, -80), (70, -30), (0, -30)]  # fmt: skip
PACE_M_S = 1.7  # when nothing is in the way
PACE_WANDER_M_S = 0.25  # standard deviation of the pace
PACE_MEMORY_S = 12.0
TURN_PACE = 0.6  # share of the pace that is left within TURN_M of a corner
TURN_M = 3.0
STOP_CHANCE = 0.3  # at a corner
STOP_S = (6, 30)
GPS_ERROR_M = 2.0  # standard deviation of each coordinate
GPS_MEMORY_S = 120.0  # so from second to second it moves by 0.26 m only

Place = tuple[float, float]


def wander(chance: random.Random, before: float, deviation: float, memory_s: float) -> float:
    """The next value of a Gauss-Markov process around 0."""
    keep = math.exp(-INTERVAL_S / memory_s)
    return keep * before + chance.gauss(0.0, deviation * math.sqrt(1 - keep * keep))


def true_places(chance: random.Random) -> list[Place]:
    """Where the walker is at each second, m east and north."""
    places: list[Place] = []
    corner, along_m, stop_s, pace_off = 0, 0.0, 0, 0.0
    while len(places) < POINTS:
        start, end = PATHS_M[corner % len(PATHS_M)], PATHS_M[(corner + 1) % len(PATHS_M)]
        length_m = math.dist(start, end)
        share = along_m / length_m
        places.append((start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])))
        pace_off = wander(chance, pace_off, PACE_WANDER_M_S, PACE_MEMORY_S)
        if stop_s:
            stop_s -= 1
            continue
        near = min(along_m, length_m - along_m) < TURN_M
        along_m += max(0.3, PACE_M_S + pace_off) * (TURN_PACE if near else 1.0) * INTERVAL_S
        if along_m >= length_m:
            corner, along_m = corner + 1, 0.0
            stop_s = chance.randint(*STOP_S) if chance.random() < STOP_CHANCE else 0
    return places


def seen_places(chance: random.Random, places: Sequence[Place]) -> list[Place]:
    """The same as a receiver sees them, with its error."""
    seen: list[Place] = []
    east = north = 0.0
    for place in places:
        east = wander(chance, east, GPS_ERROR_M, GPS_MEMORY_S)
        north = wander(chance, north, GPS_ERROR_M, GPS_MEMORY_S)
        seen.append((place[0] + east, place[1] + north))
    return seen


def degrees(places: Sequence[Place], scale: float) -> list[Place]:
    """Latitude and longitude of places on a plane that touches the earth at the origin, as they are written."""
    latitude, longitude = ORIGIN_DEG
    metre_deg = math.degrees(1 / EARTH_RADIUS_M)
    narrow = math.cos(math.radians(latitude))
    return [
        (
            round(latitude + scale * north * metre_deg, DECIMALS),
            round(longitude + scale * east * metre_deg / narrow, DECIMALS),
        )
        for east, north in places
    ]


def distance_m(start: Place, end: Place) -> float:
    """Great-circle distance (haversine formula), as track_distance_m()."""
    north = math.sin(math.radians(end[0] - start[0]) / 2)
    east = math.sin(math.radians(end[1] - start[1]) / 2)
    a = north * north + math.cos(math.radians(start[0])) * math.cos(math.radians(end[0])) * east * east
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(min(a, 1.0)))


def mean_speed_m_s(points: Sequence[Place]) -> float:
    """The mean of the speeds of all intervals."""
    speeds = [distance_m(start, end) / INTERVAL_S for start, end in pairwise(points)]
    return math.fsum(speeds) / len(speeds)


def walk(seed: int = SEED) -> list[Place]:
    """The points: latitude and longitude in degrees."""
    chance = random.Random(seed)
    places = seen_places(chance, true_places(chance))
    low, high = 0.1, 10.0
    for _ in range(60):  # halving: more would change no digit that is written
        middle = (low + high) / 2
        if mean_speed_m_s(degrees(places, middle)) < MEAN_M_S:
            low = middle
        else:
            high = middle
    return degrees(places, high)


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
