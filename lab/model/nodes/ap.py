# SPDX-License-Identifier: MIT
"""An access point."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from lab.model.base import Integer
from lab.model.nodes.base import Mac, Ssid, Wireless


class AccessPoint(Wireless):
    """An access point (hostapd) that bridges its radio and its wired ports."""

    first_port: ClassVar[int] = 2  # port 1 is the radio, as in Mininet-WiFi
    addressed: ClassVar[bool] = False
    bridges: ClassVar[bool] = True
    radio_number: ClassVar[int | None] = 1

    kind: Literal["ap"] = Field(description="ap: an access point (hostapd) that bridges its radio and wired ports.")
    ssid: Ssid = Field(description="Name of the network. Access points with one SSID are one network.")
    mode: Literal["b", "g", "a", "n"] = Field(
        "g", description="802.11 amendment: b and g use 2.4 GHz, a uses 5 GHz, n either (by its channel)."
    )
    channel: Integer = Field(
        1,
        description="Its channel, 20 MHz wide. 2.4 GHz: 1 to 13 (in some countries to 11); 5 GHz: 36, 40, 44, 48.",
    )
    bssid: Mac | None = Field(None, description="MAC address of its radio. If nothing is said: one is made.")

    @property
    def radio_mac(self) -> str | None:
        """The address given to its radio."""
        return self.bssid
