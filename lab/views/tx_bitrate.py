# SPDX-License-Identifier: MIT
"""Transmit bitrates over time."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.views._peers import PeerView


class TxBitrate(PeerView):
    """A line for each peer."""

    noun = "Bitrate"
    verb = "sends to"
    look: ClassVar[dict[str, Any]] = {"step": True}
