# SPDX-License-Identifier: MIT
"""Walls: line segments seen from above, each attenuating a line of sight that crosses it.

Not modelled: the angle of incidence, height (walls are infinitely high), reflection.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.phy.numbers import Floats


@dataclass(frozen=True)
class WallSegment:
    """A wall between two points of the plane."""

    from_m: tuple[float, float]
    to_m: tuple[float, float]
    loss_db: float


def wall_loss_db(position_m: npt.ArrayLike, walls: Iterable[WallSegment]) -> Floats:
    """Return the loss by walls between each pair of n points.

    A point exactly on a line counts as left of it. So a line of sight through the corner where two walls meet crosses
    one of them (both or none if it only touches the corner), the same in both directions.

    Args:
        position_m: shape (n, 3) or (n, 2); only x and y count.
        walls: any number of walls.

    Returns:
        Shape (n, n), symmetric, in dB.
    """
    plane = np.asarray(position_m, dtype=np.float64)[:, :2]
    here, there = np.broadcast_arrays(plane[:, np.newaxis], plane)
    step = there - here
    swapped = (step[..., 0] < 0) | ((step[..., 0] == 0) & (step[..., 1] < 0))
    first = np.where(swapped[..., np.newaxis], there, here)  # left to right, so that both directions round the same way
    last = np.where(swapped[..., np.newaxis], here, there)
    loss = np.zeros(step.shape[:2])
    if not (walls := list(walls)):
        return loss
    begin, end = (
        np.array(ends, dtype=np.float64)[:, np.newaxis, np.newaxis]
        for ends in ([wall.from_m for wall in walls], [wall.to_m for wall in walls])
    )
    ends_apart = _left(first, last, begin) != _left(first, last, end)
    points_apart = _left(begin, end, first) != _left(begin, end, last)
    for wall, crossed in zip(walls, ends_apart & points_apart, strict=True):
        loss += wall.loss_db * crossed
    return loss


def _left(begin: Floats, end: Floats, point: Floats) -> npt.NDArray[np.bool_]:
    """Return whether a point is on the line from ``begin`` to ``end`` or left of it."""
    along, aside = end - begin, point - begin
    return np.asarray(along[..., 0] * aside[..., 1] - along[..., 1] * aside[..., 0] >= 0)
