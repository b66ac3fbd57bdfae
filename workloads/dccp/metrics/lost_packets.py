# SPDX-License-Identifier: MIT
"""Packets lost over time."""

from __future__ import annotations

from lab.probes.base import Samples

from ._state import OfState


class LostPackets(OfState):
    """Packets that ``flow-sink`` missed, in each interval; less than 0 if more came late than were lost."""

    about = "packets that a flow-sink missed, in each interval"
    takes = (Samples("lost"),)
    per = ("interval",)
    unit = "packets"
