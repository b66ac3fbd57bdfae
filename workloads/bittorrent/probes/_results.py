# SPDX-License-Identifier: MIT
"""The types of results that probes of this stack yield and its metrics take, in addition to the lab's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Exchange:
    """What a peer has received from others and given to them, at the end."""

    label: ClassVar[str] = "bytes that a peer downloaded and uploaded"

    name: str
    downloaded: int
    uploaded: int
    size: int  # B of the torrent; 0: unknown
