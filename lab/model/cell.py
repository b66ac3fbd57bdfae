# SPDX-License-Identifier: MIT
"""What others can join: the network of an access point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.model import channels


@dataclass(frozen=True)
class Cell:
    """The network of a node that others can join, with the settings that they adopt."""

    ssid: str
    mode: str
    channel: int
    width_mhz: int
    short_gi: bool
    encrypt: str | None
    passwd: str | None
    pmf: str | None
    hidden: bool  # its beacons do not name it
    mobility_domain: str | None  # None: no fast transitions
    used_rates: tuple[str, ...]  # rates that each member must understand: basic and fixed ones
    vlan: int  # of its frames on the wire; 0: none
    four_address: bool  # repeaters may join it
    settings: Mapping[str, Any]  # of the access point's radio, as written

    @property
    def frequency_mhz(self) -> int:
        """Frequency of its primary channel."""
        return channels.frequency_mhz(self.channel)
