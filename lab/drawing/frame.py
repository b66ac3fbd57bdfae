# SPDX-License-Identifier: MIT
"""Position of a pair of axes, and conversion of its values to coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lab.drawing.figure import Scale


@dataclass(frozen=True)
class AxesFrame:
    """The rectangle of a pair of axes. Coordinates are limited to it."""

    left: float
    top: float
    width: float
    height: float
    x_scale: Scale
    y_scale: Scale

    @property
    def bottom(self) -> float:
        """The y coordinate of the x axis."""
        return self.top + self.height

    @property
    def right(self) -> float:
        """The x coordinate of its right end."""
        return self.left + self.width

    def x(self, value: float) -> float:
        """Return the coordinate of a number or name on the x axis."""
        return self.left + _share(self.x_scale, value) * self.width

    def y(self, value: float) -> float:
        """Return the coordinate of a number or name on the y axis."""
        return self.bottom - _share(self.y_scale, value) * self.height


def _share(scale: Scale, value: float) -> float:
    """Return the position of a number, or of the middle of a name, along an axis, from 0 to 1."""
    low, high = scale.low, scale.high
    if scale.names:
        found = (value + 0.5) / len(scale.names)
    elif high <= low:
        found = 0.5
    elif scale.log:
        found = (math.log(value) - math.log(low)) / (math.log(high) - math.log(low)) if value > 0 else 0.0
    elif math.isinf(high - low):
        found = (value / 2 - low / 2) / (high / 2 - low / 2)
    else:
        found = (value - low) / (high - low)
    return min(max(found, 0.0), 1.0)
