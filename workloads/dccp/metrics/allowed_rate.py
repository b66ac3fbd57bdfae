# SPDX-License-Identifier: MIT
"""Allowed rate of a sender."""

from __future__ import annotations

from lab.probes.base import Samples
from lab.units import RATE

from ._state import OfState


class AllowedRate(OfState):
    """The rate that CCID 3 allows (RFC 5348's X), in each sample of ``flow-send`` (``state:``)."""

    about = "rate that DCCP's CCID 3 allows, sampled by flow-send"
    takes = (Samples("allowed_rate"),)
    dimension = RATE
    unit = "bit/s"
