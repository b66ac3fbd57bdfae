# SPDX-License-Identifier: MIT
"""Where a pair of axes lies, and how its numbers become places."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lab.drawing.figure import Scale


@dataclass(frozen=True)
class Frame:
    """The rectangle of a pair of axes. Nothing that it places lies outside of it."""

    left: float
    top: float
    width: float
    height: float
    x_scale: Scale
    y_scale: Scale

    @property
    def bottom(self) -> float:
        """The place of the x axis."""
        return self.top + self.height

    @property
    def right(self) -> float:
        """The end of the x axis."""
        return self.left + self.width

    def x(self, value: float) -> float:
        """The place of a number or name on the x axis."""
        return self.left + _share(self.x_scale, value) * self.width

    def y(self, value: float) -> float:
        """The place of a number or name on the y axis."""
        return self.bottom - _share(self.y_scale, value) * self.height


def _share(scale: Scale, value: float) -> float:
    """How far along an axis a number is, from 0 to 1; of a name its middle."""
    if scale.names:
        found = (value + 0.5) / len(scale.names)
    elif scale.log:
        found = math.log(value / scale.low) / math.log(scale.high / scale.low) if value > 0 else 0.0
    else:
        found = (value - scale.low) / (scale.high - scale.low) if scale.high > scale.low else 0.5
    return min(max(found, 0.0), 1.0)
