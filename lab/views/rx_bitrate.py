# SPDX-License-Identifier: MIT
"""Receive bitrates over time."""

from lab.views.parts.over_time import PerPeer


class RxBitrate(PerPeer):
    """A line for each peer."""

    noun = "Bitrate"
    verb = "receives from"
