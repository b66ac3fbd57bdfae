# SPDX-License-Identifier: MIT
"""Propagation delay between nodes, from their positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from lab.model.topology import Topology
from lab.plan.problems import Problems, ValidatedFile
from lab.plan.timeline.movement import Position

_LIGHT_M_PER_NS = 0.299792458
_MOST_M = 8_900.0  # below HWSIM_MEDIUM_DELAY_MAX_NS: a frame has to arrive before the wait for its answer ends


class Delays:
    """Delays of a run, and whether nodes are ever too far from each other."""

    def __init__(self, names: Sequence[str]) -> None:
        """Remember the nodes that have a radio, in order."""
        self._names = names
        self._too_far: tuple[str, str, float] | None = None  # the first two that are, and their distance in m

    def between_ns(self, positions: Mapping[str, Position]) -> npt.NDArray[np.int64]:
        """Return the delays with nodes at ``positions`` (m), in ns, shape (n, n); 0 where one has no position."""
        size = len(self._names)
        placed = [index for index, name in enumerate(self._names) if name in positions]
        found = np.zeros((size, size), dtype=np.int64)
        if len(placed) < 2:
            return found
        position_m = np.array([positions[self._names[index]] for index in placed], dtype=np.float64)
        with np.errstate(over="ignore"):  # positions may be light years apart
            distance_m = np.linalg.norm(position_m[:, None] - position_m[None], axis=-1)
        if self._too_far is None and (distance_m > _MOST_M).any():
            one, other = np.argwhere(distance_m > _MOST_M)[0]
            names = self._names[placed[one]], self._names[placed[other]]
            self._too_far = (*names, float(distance_m[one, other]))
        found[np.ix_(placed, placed)] = np.rint(np.minimum(distance_m, _MOST_M) / _LIGHT_M_PER_NS)
        return found

    def check(self, source: ValidatedFile[Topology], problems: Problems) -> None:
        """Add a problem if nodes were too far from each other at any time."""
        if self._too_far is not None:
            one, other, distance_m = self._too_far
            problems.add(
                source,
                ("medium", "propagation_delay"),
                f"{one} and {other} are {distance_m / 1000:.4g} km apart, and frames travel 8.9 km at most; place "
                "them nearer to each other, or leave propagation_delay out",
            )
