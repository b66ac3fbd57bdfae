# SPDX-License-Identifier: MIT
"""A station."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from lab.model.adhoc import AdHoc
from lab.model.base import refuse
from lab.model.bgscan import AnyBgscan
from lab.model.nodes.base import Ip, Mac, Ssid, Wireless


class Station(Wireless):
    """A computer with a radio that joins a network (wpa_supplicant)."""

    first_port: ClassVar[int] = 1
    radio_number: ClassVar[int | None] = 0

    kind: Literal["sta"] = Field(description="sta: a computer with a radio (wpa_supplicant).")
    ssid: Ssid | None = Field(
        None, description="The network it joins. May be left out where all access points have one SSID."
    )
    adhoc: AdHoc | None = Field(
        None,
        description="It joins an ad hoc network instead, such as {ssid: meeting, channel: 5}; ssid:, encrypt: and "
        "passwd: are for networks with access points.",
    )
    bgscan: AnyBgscan | None = Field(
        None,
        description="When it looks for a better access point of its network, and goes there by itself: "
        "{short_interval: 5 s, signal: -65 dBm, long_interval: 60 s}, or wpa_supplicant's words (simple:5:-65:60). If "
        "nothing is said: never, it stays until it is told to roam or loses its access point.",
    )
    ip: Ip | None = Field(
        None, description="IPv4 address of its radio, such as 10.0.0.2/8. If nothing is said: the next free."
    )
    mac: Mac | None = Field(None, description="MAC address of its radio. If nothing is said: one is made.")

    @property
    def radio_mac(self) -> str | None:
        """The address given to its radio."""
        return self.mac

    @property
    def given_ip(self) -> str | None:
        """The IP address given to it."""
        return self.ip

    @model_validator(mode="after")
    def _alone(self) -> Station:
        """What makes no sense without an access point."""
        given = [key for key in ("ssid", "encrypt", "passwd", "bgscan") if getattr(self, key) is not None]
        if self.adhoc is not None and given:
            refuse(
                f"{given[0]}: is for networks with access points, adhoc: describes an open one without; leave one of "
                "them out",
                key=given[0],
            )
        return self
