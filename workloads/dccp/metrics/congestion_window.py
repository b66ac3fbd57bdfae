# SPDX-License-Identifier: MIT
"""Congestion window of a sender."""

from __future__ import annotations

from lab.probes.base import Samples

from ._state import OfState


class CongestionWindow(OfState):
    """Packets that TCP or CCID 2 allows in flight, in each sample of ``flow-send`` (``state:``)."""

    about = "packets that TCP or DCCP's CCID 2 allows in flight, sampled by flow-send"
    takes = (Samples("cwnd"),)
    unit = "packets"
