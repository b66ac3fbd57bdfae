# SPDX-License-Identifier: MIT
"""Signal levels over time."""

from lab.views.parts.over_time import PerPeer


class Signal(PerPeer):
    """A line for each peer."""

    noun = "Signal"
    verb = "hears"
    from_zero = False
    dots = True
