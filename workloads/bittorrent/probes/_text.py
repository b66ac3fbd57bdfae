# SPDX-License-Identifier: MIT
"""What the programs of this stack print has times of day in common."""

from __future__ import annotations

from lab.probes.base import ProbeOutputError
from lab.probes.base.text import Json, stamp_ns


def time_ns(stamp: Json) -> int:
    """Return the time of day of a line, in ns."""
    try:
        return stamp_ns(stamp.text())
    except ValueError as error:
        raise ProbeOutputError(f"{stamp.where}: {error}") from None
