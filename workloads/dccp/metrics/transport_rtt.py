# SPDX-License-Identifier: MIT
"""Round-trip time that a transport knows."""

from __future__ import annotations

from lab.probes.base import Samples
from lab.units import DURATION

from ._state import OfState


class TransportRtt(OfState):
    """Smoothed round-trip time of TCP or a CCID, in each sample of ``flow-send`` (``state:``)."""

    about = "smoothed round-trip time of TCP or a CCID, sampled by flow-send"
    takes = (Samples("rtt"),)
    dimension = DURATION
    unit = "ns"
    factor = 1_000_000  # the probe has ms
