# SPDX-License-Identifier: MIT
"""Receive bitrate: the 802.11 rate at which a peer sends to this radio."""

from __future__ import annotations

from lab.metrics._peers import PeerQuantity
from lab.probes.base import Samples
from lab.units import RATE


class RxBitrate(PeerQuantity):
    """The rate of the last data frame received from the peer, in each sample."""

    about = "802.11 rate of the last data frame received, in each sample of iw station dump or iw link"
    takes = (Samples("rx_bitrate"),)
    dimension = RATE
    unit = "bit/s"
    quantity = "rx_bitrate"
    factor = 1_000_000  # iw prints Mbit/s
