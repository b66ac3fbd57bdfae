# SPDX-License-Identifier: MIT
"""Transmit bitrates over time."""

from lab.views.parts.over_time import PerPeer


class TxBitrate(PerPeer):
    """A line for each peer."""

    noun = "Bitrate"
    verb = "sends to"
