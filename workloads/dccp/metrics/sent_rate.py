# SPDX-License-Identifier: MIT
"""Rate at which a program sends."""

from __future__ import annotations

from lab.probes.base import Samples
from lab.units import RATE

from ._state import OfState


class SentRate(OfState):
    """What ``flow-send`` gave to the transport, in each interval."""

    about = "rate that a flow-send gave to its transport, in each interval"
    takes = (Samples("sent"),)
    per = ("interval",)
    dimension = RATE
    unit = "bit/s"
