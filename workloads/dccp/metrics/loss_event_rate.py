# SPDX-License-Identifier: MIT
"""Loss event rate that a sender knows."""

from __future__ import annotations

from lab.probes.base import Samples
from lab.units import PERCENT

from ._state import OfState


class LossEventRate(OfState):
    """The receiver's loss event rate (RFC 5348's p) that CCID 3 last heard of, in each sample of ``flow-send``."""

    about = "loss event rate that DCCP's CCID 3 goes by, sampled by flow-send"
    takes = (Samples("loss_event_rate"),)
    dimension = PERCENT
    unit = "%"
