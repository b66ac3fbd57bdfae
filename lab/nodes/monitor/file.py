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
    """A radio in monitor mode: it sends nothing and hears what can be heard at its place, for tcpdump."""

    addressed: ClassVar[bool] = False
    radio_number: ClassVar[int | None] = 0
    wired: ClassVar[bool] = False

    kind: Literal["monitor"] = Field(
        description="monitor: a radio that only listens; run the probe tcpdump there. It needs no network."
    )
    channel: Integer = Field(
        1,
        description="The channel it listens to (of 40 MHz: the primary one). 2.4 GHz: 1 to 13 (in some countries to "
        "11); 5 GHz: 36, 40, 44, 48.",
    )
    width: Width = Field(
        "20 MHz", description="How wide it listens. The second half of 40 MHz is where that of an ap is."
    )

    def resolve(self, name: str, mac: str, site: Site) -> Radio:
        """Its radio, which hears what is sent with any rate of its band."""
        wide = width_mhz(self.width)
        site.check_channel(self.channel, "n", wide)
        return Radio(
            interface=self.interface(name),
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
