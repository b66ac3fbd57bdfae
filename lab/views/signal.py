# SPDX-License-Identifier: MIT
"""Signal levels over time."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.views._peers import PeerView


class Signal(PeerView):
    """A line for each peer."""

    noun = "Signal"
    verb = "hears"
    from_zero = False
    look: ClassVar[dict[str, Any]] = {"dots": True}
