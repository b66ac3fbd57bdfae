# SPDX-License-Identifier: MIT
"""A radio that only listens."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from lab.model import channels
from lab.model.base import Integer
from lab.model.node import Site, Width, WithRadio, width_mhz
from lab.shared.types import Radio


class Monitor(WithRadio):
    """A radio in monitor mode: it sends nothing and receives all frames that reach it, for tcpdump."""

    addressed: ClassVar[bool] = False
    radio_number: ClassVar[int | None] = 0
    wired: ClassVar[bool] = False

    kind: Literal["monitor"] = Field(
        description="monitor: a radio that only listens; run the probe tcpdump on it. It needs no network."
    )
    channel: Integer = Field(
        1,
        description="The channel it listens to (at 40 MHz: the primary channel). 2.4 GHz: 1 to 13 (in some countries "
        "to 11); 5 GHz: 36, 40, 44, 48.",
    )
    width: Width = Field(
        "20 MHz", description="Channel width. At 40 MHz the secondary channel is the same as that of an ap."
    )

    def resolve(self, name: str, interface: str, mac: str, site: Site) -> Radio:
        """Return its radio, which receives all rates of its band."""
        wide = width_mhz(self.width)
        site.check_channel(self.channel, "n", wide)
        return Radio(
            interface=interface,
            mac=mac,
            ssid="",
            mode="n",
            channel=self.channel,
            frequency_mhz=channels.frequency_mhz(self.channel),
            scan_mhz=[],
            country=site.country,
            encrypt=None,
            passwd=None,
            width_mhz=wide,
            ht40_secondary=channels.ht40_secondary(self.channel) if wide == 40 else None,
        )
