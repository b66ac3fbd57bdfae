# SPDX-License-Identifier: MIT
"""Playable: the share of a torrent that a player could play so far."""

from __future__ import annotations

from lab.probes.base import Samples

from ._progress import Progress


class Playable(Progress):
    """Percentage of the torrent's bytes from its beginning to the first piece that is missing."""

    about = "share of a torrent from its beginning to the first missing piece"
    takes = (Samples("playable"),)
    quantity = "playable"
