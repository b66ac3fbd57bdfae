# SPDX-License-Identifier: MIT
"""Signal: the level at which a radio receives its peer."""

from __future__ import annotations

from lab.metrics._peers import PeerQuantity
from lab.probes.base import Samples
from lab.units import POWER


class Signal(PeerQuantity):
    """Level of the last frame received from the peer, in each sample. The mean is that of the dBm values."""

    about = "received signal level in each sample of iw station dump or iw link"
    takes = (Samples("signal"),)
    dimension = POWER
    unit = "dBm"
    quantity = "signal"
