# SPDX-License-Identifier: MIT
"""Receive bitrates over time."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.views._peers import PeerView


class RxBitrate(PeerView):
    """A line for each peer."""

    noun = "Bitrate"
    verb = "receives from"
    look: ClassVar[dict[str, Any]] = {"step": True}
