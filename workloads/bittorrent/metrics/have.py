# SPDX-License-Identifier: MIT
"""Have: the share of a torrent that a peer has."""

from __future__ import annotations

from lab.probes.base import Samples

from ._progress import Progress


class Have(Progress):
    """Percentage of the torrent's bytes that a peer has and has verified: at the end, or in each look at it."""

    about = "share of a torrent that a peer has and has verified"
    takes = (Samples("have"),)
    quantity = "have"
