# SPDX-License-Identifier: MIT
"""Ad hoc networks.

Not modelled: protection, 40 MHz, pure 802.11b networks, networks that meet and merge.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lab.model.base import Integer, Model
from lab.model.node import Mac, Ssid

DEFAULT_CELL = "02:ca:ff:ee:ba:01"  # Mininet-WiFi's default, which its users know from captures


class AdHoc(Model):
    """An open ad hoc network (IBSS): stations that talk to each other directly, without an access point."""

    ssid: Ssid = Field(description="Name of the network. Stations with the same SSID, channel and BSSID form one.")
    channel: Integer = Field(
        1, description="Channel, 20 MHz wide. 2.4 GHz: 1 to 13 (11 in some countries); 5 GHz: 36, 40, 44, 48."
    )
    mode: Literal["g", "a", "n"] = Field(
        "g", description="802.11 amendment: g uses 2.4 GHz, a uses 5 GHz, n uses either (the channel decides)."
    )
    bssid: Mac | None = Field(
        None,
        description="BSSID shared by its stations, so that they need not find each other and merge. "
        f"Default: {DEFAULT_CELL}.",
    )
