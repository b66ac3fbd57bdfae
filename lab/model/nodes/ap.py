# SPDX-License-Identifier: MIT
"""An access point."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from lab.model.base import Flag, Integer, refuse
from lab.model.nodes.base import Mac, Ssid, Wireless


def _width(value: Any) -> Any:
    """``40MHz`` as ``40 MHz``; refuses a bare number."""
    text = " ".join(str(value).replace("MHz", " MHz").split())
    if text.isdigit():
        refuse(f'"{text}" has no unit; write {text} MHz')
    return text


Width = Annotated[Literal["20 MHz", "40 MHz"], BeforeValidator(_width)]


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
        description="Its channel (of 40 MHz: the primary one). 2.4 GHz: 1 to 13 (in some countries to 11); "
        "5 GHz: 36, 40, 44, 48.",
    )
    width: Width = Field(
        "20 MHz",
        description="Width of its channel; 40 MHz in mode n only. The second half is above channels 1 to 7, 36, 44, "
        "149 and 157, below the others. hostapd scans first and stays at 20 MHz where another network is in the way.",
    )
    guard_interval: Literal["short", "long"] = Field(
        "long", description="Between symbols of mode n: long (800 ns), or short (400 ns) where the peer can do it."
    )
    wmm: Flag | None = Field(
        None,
        description="Whether it has WMM, four access categories with EDCA. If nothing is said: in mode n, which "
        "cannot do without.",
    )
    bssid: Mac | None = Field(None, description="MAC address of its radio. If nothing is said: one is made.")

    @property
    def radio_mac(self) -> str | None:
        """The address given to its radio."""
        return self.bssid

    @model_validator(mode="after")
    def _mode_n(self) -> AccessPoint:
        """What only mode n has, and what it cannot be without."""
        if self.mode == "n":
            if self.wmm is False:
                refuse("mode n needs WMM; leave this out, or choose another mode", key="wmm")
            return self
        if self.width != "20 MHz":
            refuse(f"mode {self.mode} is 20 MHz wide; write mode: n for {self.width}, or leave this out", key="width")
        if self.guard_interval != "long":
            refuse(
                f"mode {self.mode} has the long guard interval only; write mode: n for short ones, or leave this out",
                key="guard_interval",
            )
        return self
