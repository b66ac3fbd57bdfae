# SPDX-License-Identifier: MIT
"""Transmit bitrate: the 802.11 rate at which this radio sends to a peer."""

from __future__ import annotations

from lab.metrics._peers import PeerQuantity
from lab.probes.base import Samples
from lab.units import RATE


class TxBitrate(PeerQuantity):
    """The rate of the last frame sent to the peer, in each sample."""

    about = "802.11 rate of the last frame sent, in each sample of iw station dump or iw link"
    takes = (Samples("tx_bitrate"),)
    dimension = RATE
    unit = "bit/s"
    quantity = "tx_bitrate"
    factor = 1_000_000  # iw prints Mbit/s
