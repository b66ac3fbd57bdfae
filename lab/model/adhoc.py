# SPDX-License-Identifier: MIT
"""Ad hoc networks.

Not modelled: protection, 40 MHz, a network of 802.11b alone, networks that meet and merge.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lab.model.base import Integer, Model
from lab.model.node import Mac, Ssid

DEFAULT_CELL = "02:ca:ff:ee:ba:01"  # Mininet-WiFi's, since its users know it from captures


class AdHoc(Model):
    """An ad hoc network (IBSS): stations that hear each other, without an access point. It is open."""

    ssid: Ssid = Field(description="Its name. Stations with one SSID, channel and BSSID are one network.")
    channel: Integer = Field(
        1, description="Its channel, 20 MHz wide. 2.4 GHz: 1 to 13 (in some countries to 11); 5 GHz: 36, 40, 44, 48."
    )
    mode: Literal["g", "a", "n"] = Field(
        "g", description="802.11 amendment: g uses 2.4 GHz, a uses 5 GHz, n either (by its channel)."
    )
    bssid: Mac | None = Field(
        None,
        description="The BSSID that its stations agree on, so that nobody need merge with anybody. "
        f"If nothing is said: {DEFAULT_CELL}.",
    )
