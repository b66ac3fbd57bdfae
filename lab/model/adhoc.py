# SPDX-License-Identifier: MIT
"""Ad hoc networks.

Not modelled: protection, 40 MHz, pure 802.11b networks.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from lab.model.base import Flag, Integer, Model, Text, refuse
from lab.model.node import Ssid, check_mac
from lab.shared.types import SEARCH

DEFAULT_CELL = "02:ca:ff:ee:ba:01"  # Mininet-WiFi's default, which its users know from captures


def _cell(text: str) -> str:
    if text != SEARCH and ":" not in text:
        refuse(f'"{text}" is not a valid BSSID; write {SEARCH}, or one such as 02:aa:00:00:00:01')
    return text if text == SEARCH else check_mac(text)


class AdHoc(Model):
    """An open ad hoc network (IBSS): stations that talk to each other directly, without an access point."""

    ssid: Ssid = Field(description="Name of the network. Stations with the same SSID, channel and BSSID form one.")
    channel: Integer = Field(
        1,
        description="Channel, 20 MHz wide. 2.4 GHz: 1 to 13 (11 in some countries); 5 GHz: 36, 40, 44, 48, and in some "
        "countries 149, 153, 157, 161, 165.",
    )
    mode: Literal["g", "a", "n"] = Field(
        "g", description="802.11 amendment: g uses 2.4 GHz, a uses 5 GHz, n uses either (the channel decides)."
    )
    bssid: Annotated[Text, AfterValidator(_cell)] | None = Field(
        None,
        description="BSSID shared by its stations, so that they need not find each other and merge; or search: a "
        "station joins a network of that SSID that it hears, or begins one with a random BSSID, and networks that come "
        f"into range of each other merge. Default: {DEFAULT_CELL}.",
    )
    short_slots: Flag = Field(
        False,
        description="Whether this station has slots of 9 us in mode g, as with the Linux driver ath5k. By default it "
        "has slots of 20 us, as IEEE 802.11-2020 18.4.4 requires of an ad hoc network at 2.4 GHz. Needs a medium:.",
    )

    @model_validator(mode="after")
    def _choice_of_slots(self) -> AdHoc:
        if self.short_slots and self.mode != "g":
            refuse(f"needs mode: g; mode {self.mode} has no choice of slots", key="short_slots")
        return self
